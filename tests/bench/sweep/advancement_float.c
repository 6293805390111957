/* Plain conservative advancement in float, to 5 um. */
#define REAL float
#define REAL_NAME "float"
#define TOLERANCE 5e-6
#define PREFIX(rest) contender_float##rest

#include "advancement.h"
