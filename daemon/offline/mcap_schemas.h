/* JSON Schemas of what mcap_export writes: Foxglove's well-known ones (https://docs.foxglove.dev/docs/sdk/schemas), by whose names
 * its panels know what they show, as far as they are used; and clashd's own. Foxglove reads a part of JSON Schema only: every
 * property has one type, there is no array of arrays and no $ref. So points are objects here. */
#ifndef CLASHD_OFFLINE_MCAP_SCHEMAS_H
#define CLASHD_OFFLINE_MCAP_SCHEMAS_H

#define MCAP_PROPERTY(name, schema) "\"" name "\":" schema
#define MCAP_OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"
#define MCAP_ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"
#define MCAP_NUMBER "{\"type\":\"number\"}"
#define MCAP_INTEGER "{\"type\":\"integer\"}"
#define MCAP_STRING "{\"type\":\"string\"}"
#define MCAP_BOOLEAN "{\"type\":\"boolean\"}"
/* With words for people. */
#define MCAP_SAID(type, words) "{\"type\":\"" type "\",\"description\":\"" words "\"}"

#define MCAP_TIME MCAP_OBJECT(MCAP_PROPERTY("sec", MCAP_INTEGER) "," MCAP_PROPERTY("nsec", MCAP_INTEGER))
#define MCAP_VECTOR \
    MCAP_OBJECT(MCAP_PROPERTY("x", MCAP_NUMBER) "," MCAP_PROPERTY("y", MCAP_NUMBER) "," MCAP_PROPERTY("z", MCAP_NUMBER))
#define MCAP_QUATERNION                                                                                \
    MCAP_OBJECT(MCAP_PROPERTY("x", MCAP_NUMBER) "," MCAP_PROPERTY("y", MCAP_NUMBER) "," MCAP_PROPERTY( \
        "z", MCAP_NUMBER) "," MCAP_PROPERTY("w", MCAP_NUMBER))
#define MCAP_POSE MCAP_OBJECT(MCAP_PROPERTY("position", MCAP_VECTOR) "," MCAP_PROPERTY("orientation", MCAP_QUATERNION))
#define MCAP_COLOR                                                                                     \
    MCAP_OBJECT(MCAP_PROPERTY("r", MCAP_NUMBER) "," MCAP_PROPERTY("g", MCAP_NUMBER) "," MCAP_PROPERTY( \
        "b", MCAP_NUMBER) "," MCAP_PROPERTY("a", MCAP_NUMBER))

extern const char mcap_schema_transforms[], mcap_schema_scene[], mcap_schema_log[];
/* clashd's: of clashes and holds, of releases, of speeds, of how many contacts are open. */
extern const char mcap_schema_clash[], mcap_schema_release[], mcap_schema_speeds[], mcap_schema_contacts[];

#endif
