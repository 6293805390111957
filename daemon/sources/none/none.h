/* Source: delivers nothing, for a clashd whose poses all come from clients. */
#ifndef CLASHD_SOURCES_NONE_NONE_H
#define CLASHD_SOURCES_NONE_NONE_H

#include "ports/pose_source.h"

/** Return NULL when out of memory. */
pose_source *none_source_create(void);

#endif
