/* See mcap_schemas.h. */
#include "mcap_schemas.h"

#include <clash/event.h>

#define P MCAP_PROPERTY
#define NUMBERS(name) P(name, MCAP_NUMBER)
#define SAID(name, type, words) P(name, MCAP_SAID(type, words))

/* As mcap_event.c writes them. */
#define MORE_int64_t(name) ""
#define MORE_float(name) "," NUMBERS(name)
#define MORE(type, member, none) MORE_##type(#member)

/* clang-format misreads the commas between the strings. */
/* clang-format off */
const char mcap_schema_transforms[] = MCAP_OBJECT(P("transforms", MCAP_ARRAY(MCAP_OBJECT(P("timestamp", MCAP_TIME) ","
    P("parent_frame_id", MCAP_STRING) "," P("child_frame_id", MCAP_STRING) "," P("translation", MCAP_VECTOR) ","
    P("rotation", MCAP_QUATERNION)))));

#define SIZED MCAP_OBJECT(P("pose", MCAP_POSE) "," P("size", MCAP_VECTOR) "," P("color", MCAP_COLOR))
#define CYLINDER MCAP_OBJECT(P("pose", MCAP_POSE) "," P("size", MCAP_VECTOR) "," NUMBERS("bottom_scale") "," \
    NUMBERS("top_scale") "," P("color", MCAP_COLOR))
#define ARROW MCAP_OBJECT(P("pose", MCAP_POSE) "," NUMBERS("shaft_length") "," NUMBERS("shaft_diameter") "," \
    NUMBERS("head_length") "," NUMBERS("head_diameter") "," P("color", MCAP_COLOR))
#define TRIANGLES MCAP_OBJECT(P("pose", MCAP_POSE) "," P("points", MCAP_ARRAY(MCAP_VECTOR)) "," \
    P("color", MCAP_COLOR) "," P("colors", MCAP_ARRAY(MCAP_COLOR)) "," P("indices", MCAP_ARRAY(MCAP_INTEGER)))
#define TEXT MCAP_OBJECT(P("pose", MCAP_POSE) "," P("billboard", MCAP_BOOLEAN) "," NUMBERS("font_size") "," \
    P("scale_invariant", MCAP_BOOLEAN) "," P("color", MCAP_COLOR) "," P("text", MCAP_STRING))
#define LINE MCAP_OBJECT(P("type", MCAP_INTEGER) "," P("pose", MCAP_POSE) "," NUMBERS("thickness") "," \
    P("scale_invariant", MCAP_BOOLEAN) "," P("points", MCAP_ARRAY(MCAP_VECTOR)) "," P("color", MCAP_COLOR) "," \
    P("colors", MCAP_ARRAY(MCAP_COLOR)) "," P("indices", MCAP_ARRAY(MCAP_INTEGER)))
#define MODEL MCAP_OBJECT(P("pose", MCAP_POSE) "," P("scale", MCAP_VECTOR) "," P("color", MCAP_COLOR) "," \
    P("override_color", MCAP_BOOLEAN) "," P("url", MCAP_STRING) "," P("media_type", MCAP_STRING) "," \
    P("data", MCAP_STRING))
#define PAIR MCAP_OBJECT(P("key", MCAP_STRING) "," P("value", MCAP_STRING))
#define DELETION MCAP_OBJECT(P("timestamp", MCAP_TIME) "," P("type", MCAP_INTEGER) "," P("id", MCAP_STRING))
#define ENTITY MCAP_OBJECT(P("timestamp", MCAP_TIME) "," P("frame_id", MCAP_STRING) "," P("id", MCAP_STRING) "," \
    P("lifetime", MCAP_TIME) "," P("frame_locked", MCAP_BOOLEAN) "," P("metadata", MCAP_ARRAY(PAIR)) "," \
    P("arrows", MCAP_ARRAY(ARROW)) "," P("cubes", MCAP_ARRAY(SIZED)) "," P("spheres", MCAP_ARRAY(SIZED)) "," \
    P("cylinders", MCAP_ARRAY(CYLINDER)) "," P("lines", MCAP_ARRAY(LINE)) "," \
    P("triangles", MCAP_ARRAY(TRIANGLES)) "," P("texts", MCAP_ARRAY(TEXT)) "," P("models", MCAP_ARRAY(MODEL)))

const char mcap_schema_scene[] = MCAP_OBJECT(P("deletions", MCAP_ARRAY(DELETION)) ","
    P("entities", MCAP_ARRAY(ENTITY)));

const char mcap_schema_log[] = MCAP_OBJECT(P("timestamp", MCAP_TIME) "," P("level", MCAP_INTEGER) ","
    P("message", MCAP_STRING) "," P("name", MCAP_STRING) "," P("file", MCAP_STRING) ","
    P("line", MCAP_INTEGER));

/* As in protocol/PROTOCOL.md, but for what is said here. */
#define WHOSE SAID("seq", "integer", "of the event") "," SAID("id", "integer", "of the contact") "," \
    SAID("blade", "string", "the first of blades") "," \
    SAID("other_blade", "string", "the second of blades, be it a target's name")

const char mcap_schema_clash[] = MCAP_OBJECT(WHOSE ","
    SAID("target", "boolean", "whether other_blade is a target") ","
    SAID("duration_s", "number", "since the contact's clash, s: 0 of a clash") ","
    SAID("closing_speed", "number", "m/s") "," SAID("slide_speed", "number", "m/s") ","
    SAID("crossing_angle", "number", "rad") "," SAID("intensity", "number", "0 to 1") ","
    SAID("along", "number", "where on blade: 0 at the base, 1 at the tip") ","
    SAID("other_along", "number", "on other_blade") "," P("midpoint", MCAP_VECTOR) "," P("normal", MCAP_VECTOR) ","
    SAID("distance", "number", "between the axes, m") ","
    SAID("tracked", "boolean", "whether both devices were, not guessed") CLASH_EVENT_FIELDS(MORE));

const char mcap_schema_release[] = MCAP_OBJECT(WHOSE "," SAID("reason", "string", "apart, track_cut or removed") ","
    SAID("duration_s", "number", "of the contact, s") "," SAID("min_distance", "number", "m") ","
    SAID("peak_closing_speed", "number", "m/s"));

const char mcap_schema_speeds[] = MCAP_OBJECT(P("blades", MCAP_ARRAY(MCAP_OBJECT(P("blade", MCAP_STRING) ","
    SAID("grip", "number", "m/s") "," SAID("tip", "number", "m/s")))));

const char mcap_schema_contacts[] = MCAP_OBJECT(SAID("open", "integer", "contacts that are open now"));
/* clang-format on */
