/* A whole turn in radians. */
#ifndef TWO_PI_H
#define TWO_PI_H

#define TWO_PI 6.283185307179586477

#endif
