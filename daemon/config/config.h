/* The settings: defaults, a settings file, a recording's header, single --set flags, each laid over the one before.
 * Every document is checked against protocol/schema/config.schema.json before a value is taken from it, and then for
 * what a schema cannot say. A config is plain data: copy it, pass it to other threads, free nothing. */
#ifndef CLASHD_CONFIG_CONFIG_H
#define CLASHD_CONFIG_CONFIG_H

#include "cli/failure.h"
#include "pipeline/pipeline.h"
#include "ports/log.h"
#include "ports/pose_source.h"
#include "protocol/recording/recording.h"

#include <clash/target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The default of contact.max_gap_ms. */
#define CONFIG_GAP_MOST_MS 100.0f
/** The highest rate for openxr.rate_hz "auto". */
#define CONFIG_RATE_AUTO_HZ 500.0
#define CONFIG_BLADES_MAX RECORDING_BLADES_MAX
#define CONFIG_TARGETS_MAX 32
#define CONFIG_PATH_MAX 4096
#define CONFIG_ADDRESS_MAX 64
#define CONFIG_ERROR_MAX 1024

typedef struct config_openxr {
    bool enabled;
    double rate_hz;
    bool rate_is_auto; /* use less than rate_hz while nothing can meet */
    char space[16];    /* "stage" or "local" */
    double lookahead_ms;
    bool haptics;
    pose_offsets offsets; /* profiles by their OpenXR names */
} config_openxr;

/** Of one setting's text, with its terminating zero. */
#define CONFIG_STRING_MAX 256
#define CONFIG_NAMES_MAX 16
#define CONFIG_NAME_SIZE 128

typedef struct config_names {
    size_t count;
    char names[CONFIG_NAMES_MAX][CONFIG_NAME_SIZE];
} config_names;

typedef struct config_socket {
    char path[CONFIG_PATH_MAX];                  /* "": the default */
    char tcp[CONFIG_ADDRESS_MAX];                /* see ipc/address.h; "": none */
    char websocket[CONFIG_ADDRESS_MAX];          /* likewise */
    config_names allowed_origins, allowed_hosts; /* of websocket; see ipc/handshake.h */
    bool require_token;                          /* of clients that do not come by the Unix socket, */
    char token_file[CONFIG_PATH_MAX];            /* kept in this file; "": a new one at each start */
    uint32_t max_clients;
    uint32_t queue_bytes;     /* for each client */
    uint32_t push_timeout_ms; /* after so long without poses a client's device is cut */
} config_socket;

typedef struct config_osc {
    config_names receivers, avatars; /* as sinks/osc/osc_receiver.h has them; none: clashd sends no OSC */
    /* As sinks/osc/osc_path.h has them; "": not sent. */
    char clash[CONFIG_STRING_MAX], hold[CONFIG_STRING_MAX], release[CONFIG_STRING_MAX], intensity[CONFIG_STRING_MAX],
        avatar[CONFIG_STRING_MAX];
    double rate_hz;
    uint32_t pulse_ms;
} config_osc;

typedef struct config_mqtt {
    char broker[CONFIG_STRING_MAX];                          /* as sinks/mqtt/mqtt_address.h has it; "": none */
    char room[CONFIG_STRING_MAX], player[CONFIG_STRING_MAX]; /* player "": the machine's name */
    bool poses, offline;
    uint32_t queue_bytes, status_ms, agree_ms;
    char user[CONFIG_STRING_MAX], password_file[CONFIG_PATH_MAX];
    bool tls;
    char ca_file[CONFIG_PATH_MAX], certificate_file[CONFIG_PATH_MAX], key_file[CONFIG_PATH_MAX];
    bool peers, share, referee;
    config_names players; /* none: all */
} config_mqtt;

/** Where the player's stage is in the room: m, and radians about y. */
typedef struct config_room {
    double x, y, z, turn;
} config_room;

typedef struct config_record {
    char directory[CONFIG_PATH_MAX]; /* "": none */
    double rotate_bytes;
    uint32_t keep;
    bool compress;
} config_record;

typedef struct config_viewer {
    char logs[CONFIG_PATH_MAX];        /* "": those of record.directory */
    char overlay_css[CONFIG_PATH_MAX]; /* "": the page's own */
} config_viewer;

/** Where the present value of a setting came from. */
typedef enum config_setting_source {
    CONFIG_FROM_DEFAULT,
    CONFIG_FROM_RECORDING, /* the header of the replayed recording */
    CONFIG_FROM_FILE,
    CONFIG_FROM_SET,  /* --set */
    CONFIG_FROM_FLAG, /* any other flag */
    CONFIG_FROM_ENVIRONMENT,
    CONFIG_FROM_MANAGER /* a socket that the service manager passed */
} config_setting_source;

/** The most settings that are one value each. */
#define CONFIG_SETTINGS_MAX 80

typedef struct config_values {
    size_t blade_count;
    clash_blade_definition blades[CONFIG_BLADES_MAX];
    bool old_rules;           /* of detection: see pipeline_settings; no setting, but for recordings */
    bool blades_of_recording; /* they come from its header, or are the defaults in its place; nobody has set others */
    size_t target_count;
    clash_target_definition targets[CONFIG_TARGETS_MAX];
    protocol_contact_settings contact;
    config_openxr openxr;
    config_socket socket;
    config_record record;
    config_viewer viewer;
    config_osc osc;
    config_mqtt mqtt;
    config_room room;
    log_level log_level;
    config_setting_source sources[CONFIG_SETTINGS_MAX]; /* in the order of fields.c */
    config_setting_source blades_source, targets_source;
} config_values;

typedef enum config_result {
    CONFIG_OK,
    CONFIG_ABSENT,  /* there is no such file, which is fine for the default file */
    CONFIG_BAD = -1 /* with a message, as from fail_int */
} config_result;

void config_defaults(config_values *config);

/* The functions below lay a layer over `config`. If it is wrong they leave `config` unchanged and write into
 * out_failure where the mistake is, what stands there and what is allowed; no newline. */

/** Apply a file. Blocking. Writes out_failure for CONFIG_ABSENT too. */
config_result config_load(config_values *config, const char *path, failure *out_failure);
/** Apply a document; messages call it `origin`. */
config_result config_apply_text(config_values *config, const char *origin, const char *text, failure *out_failure);
/** Apply one "KEY=VALUE": a dotted key (contact.margin, blades.left.tip), and a value in JSON or a bare word. */
config_result config_set(config_values *config, const char *assignment, failure *out_failure);
/** Apply the blades and contact settings of a recording's header; `origin` is the file's name. */
config_result config_apply_header(config_values *config, const char *origin, const recording_header *header,
                                  failure *out_failure);

/** Write $XDG_CONFIG_HOME/clashd/config.json, or ~/.config/clashd/config.json. Return 0, or -1 if neither is known or
 *  it does not fit into `size`. */
int config_default_path(char *out_path, size_t size);

/** Return whether any two blades, or a blade and a target, are on different devices: otherwise nothing can ever
 *  clash. */
bool config_can_clash(const config_values *config);
/** Return why not, in words; NULL if it can. */
const char *config_why_no_clash(const config_values *config);

/** Return whether nothing has set other blades than the defaults, a recording's header neither. */
bool config_has_default_blades(const config_values *config);

/** Call `say` with a line for each blade, or part of one, that is a mere point. */
void config_check_shapes(const config_values *config, void (*say)(void *context, const char *line), void *context);

/** Return the contact settings in the pipeline's form. */
pipeline_settings config_pipeline_settings(const config_values *config);

#endif
