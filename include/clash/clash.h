/* All of libclash. */
#ifndef CLASH_CLASH_H
#define CLASH_CLASH_H

#include <clash/base.h>
#include <clash/blade.h>
#include <clash/broad.h>
#include <clash/contact.h>
#include <clash/event.h>
#include <clash/math.h>
#include <clash/mesh.h>
#include <clash/obstacles.h>
#include <clash/outline.h>
#include <clash/pose.h>
#include <clash/push_out.h>
#include <clash/ray.h>
#include <clash/shape.h>
#include <clash/sweep.h>
#include <clash/target.h>
#include <clash/time_of_impact.h>
#include <clash/unity.h>
#include <clash/world.h>

CLASH_BEGIN_DECLS

/** Return the version of the library that is linked, "MAJOR.MINOR.PATCH": compare it with CLASH_VERSION_STRING, that of the headers. */
CLASH_API const char *clash_version(void);

CLASH_END_DECLS

#endif
