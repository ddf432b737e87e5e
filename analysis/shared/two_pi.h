/* A whole turn in radians. */
#pragma once

#define TWO_PI 6.283185307179586477
