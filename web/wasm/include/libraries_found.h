/* Neither FLINT nor LAPACK. */
#define SINPOS_HAVE_LAPACK 0
