/* How hard a contact is, from 0 to 1: what sparks, sounds and vibrations go by. Pure arithmetic without libm, so that the same
 * speed gives the same bits on every machine. */
#ifndef CLASHD_PIPELINE_INTENSITY_H
#define CLASHD_PIPELINE_INTENSITY_H

#include "pipeline/pipeline.h"

/** 0 if the two do not approach, 1 from full_speed (m/s, > 0) on, in between rising with closing_speed (m/s): linearly, or
 *  as ln(1 + 100 s) / ln 101, s being the share of full_speed. */
float intensity_of(double closing_speed, float full_speed, pipeline_intensity_curve curve);

#endif
