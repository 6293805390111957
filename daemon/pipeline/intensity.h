/* How hard a contact is, from 0 to 1, for sparks, sounds and vibrations. Pure arithmetic without libm, so that the same
 * speed gives the same bits on every machine. */
#ifndef CLASHD_PIPELINE_INTENSITY_H
#define CLASHD_PIPELINE_INTENSITY_H

#include "pipeline/pipeline.h"

/** Return 0 if the two do not approach, 1 from full_speed (m/s, > 0) on, and in between a value that rises with
 *  closing_speed (m/s): linearly, or as ln(1 + 100 s) / ln 101, where s = closing_speed / full_speed. */
float intensity_of(double closing_speed, float full_speed, pipeline_intensity_curve curve);

#endif
