/* Plain conservative advancement in double, to 1 um. */
#define REAL double
#define REAL_NAME "double"
#define TOLERANCE 1e-6
#define PREFIX(rest) contender_double##rest

#include "advancement.h"
