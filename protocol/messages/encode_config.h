/* The settings in force as a line. As codec.h. */
#ifndef CLASHD_PROTOCOL_MESSAGES_ENCODE_CONFIG_H
#define CLASHD_PROTOCOL_MESSAGES_ENCODE_CONFIG_H

#include <clash/pose.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum protocol_value_kind {
    PROTOCOL_VALUE_NULL,
    PROTOCOL_VALUE_BOOL,
    PROTOCOL_VALUE_FLOAT,  /* the shortest text that reads back to the same float */
    PROTOCOL_VALUE_NUMBER, /* the same of a double */
    PROTOCOL_VALUE_STRING,
    PROTOCOL_VALUE_STRINGS,
    PROTOCOL_VALUE_POSES
} protocol_value_kind;

typedef struct protocol_named_pose {
    const char *name;
    clash_pose pose;
} protocol_named_pose;

/** One setting. Strings are the caller's. */
typedef struct protocol_setting {
    const char *key;    /* "section.key" */
    const char *source; /* as the schema server/config lists them */
    protocol_value_kind kind;
    bool is;
    double number;
    const char *string;
    const char *const *strings;
    size_t string_count;
    const protocol_named_pose *poses;
    size_t pose_count;
} protocol_setting;

typedef struct protocol_config {
    int64_t time_ns;
    const char *file; /* that was read; "": none */
    const protocol_setting *settings;
    size_t setting_count;
} protocol_config;

/** The length, 0 if it does not fit into `size`. `id`: of the request, as JSON text, "" for none. */
size_t protocol_encode_config(char *out, size_t size, const char *id, const protocol_config *config);

#endif
