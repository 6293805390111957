/* The settings: defaults, a settings file, a recording's header, single --set flags, each laid over the one before.
 * Every document is checked against protocol/schema/config.schema.json before a value is taken from it, and then for
 * what a schema cannot say. A config is plain data: copy it, pass it to other threads, free nothing. */
#ifndef CLASHD_CONFIG_CONFIG_H
#define CLASHD_CONFIG_CONFIG_H

#include "cli/failure.h"
#include "pipeline/pipeline.h"
#include "ports/log.h"
#include "protocol/recording/recording.h"

#include <clash/target.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The default of contact.max_gap_ms. */
#define CONFIG_GAP_MOST_MS 100.0f
/** The highest rate for openxr.rate_hz "auto". */
#define CONFIG_RATE_AUTO_HZ 500.0
#define APP_BLADES_MAX RECORDING_BLADES_MAX
#define APP_TARGETS_MAX 32
#define APP_PATH_MAX 4096
#define APP_ADDRESS_MAX 64
#define APP_ERROR_MAX 1024

typedef struct app_openxr_config {
    bool enabled;
    double rate_hz;
    bool rate_is_auto; /* use less than rate_hz while nothing can meet */
    char space[16];    /* "stage" or "local" */
    double lookahead_ms;
    bool haptics;
} app_openxr_config;

/** Of one setting's text, with its terminating zero. */
#define APP_TEXT_MAX 256
#define APP_NAMES_MAX 16
#define APP_NAME_SIZE 128

typedef struct app_name_list {
    size_t count;
    char names[APP_NAMES_MAX][APP_NAME_SIZE];
} app_name_list;

typedef struct app_socket_config {
    char path[APP_PATH_MAX];                      /* "": the default */
    char tcp[APP_ADDRESS_MAX];                    /* see ipc/address.h; "": none */
    char websocket[APP_ADDRESS_MAX];              /* likewise */
    app_name_list allowed_origins, allowed_hosts; /* of websocket; see ipc/handshake.h */
    bool require_token;                           /* of clients that do not come by the Unix socket, */
    char token_file[APP_PATH_MAX];                /* kept in this file; "": a new one at each start */
    uint32_t max_clients;
    uint32_t queue_bytes;     /* for each client */
    uint32_t push_timeout_ms; /* after so long without poses a client's device is cut */
} app_socket_config;

typedef struct app_osc_config {
    app_name_list receivers, avatars; /* as sinks/osc/osc_receiver.h has them; none: clashd sends no OSC */
    /* As sinks/osc/osc_path.h has them; "": not sent. */
    char clash[APP_TEXT_MAX], hold[APP_TEXT_MAX], release[APP_TEXT_MAX], intensity[APP_TEXT_MAX], avatar[APP_TEXT_MAX];
    double rate_hz;
    uint32_t pulse_ms;
} app_osc_config;

typedef struct app_mqtt_config {
    char broker[APP_TEXT_MAX];                     /* as sinks/mqtt/mqtt_address.h has it; "": none */
    char room[APP_TEXT_MAX], player[APP_TEXT_MAX]; /* player "": the machine's name */
    bool poses, offline;
    uint32_t queue_bytes, status_ms;
    char user[APP_TEXT_MAX], password_file[APP_PATH_MAX];
    bool tls;
    char ca_file[APP_PATH_MAX], certificate_file[APP_PATH_MAX], key_file[APP_PATH_MAX];
    bool peers, share, referee;
    app_name_list players; /* none: all */
} app_mqtt_config;

/** Where the player's stage is in the room: m, and radians about y. */
typedef struct app_room_config {
    double x, y, z, turn;
} app_room_config;

typedef struct app_record_config {
    char directory[APP_PATH_MAX]; /* "": none */
    double rotate_bytes;
    uint32_t keep;
    bool compress;
} app_record_config;

typedef struct app_viewer_config {
    char logs[APP_PATH_MAX];        /* "": those of record.directory */
    char overlay_css[APP_PATH_MAX]; /* "": the page's own */
} app_viewer_config;

/** Where the present value of a setting came from. */
typedef enum app_setting_source {
    APP_FROM_DEFAULT,
    APP_FROM_RECORDING, /* the header of the replayed recording */
    APP_FROM_FILE,
    APP_FROM_SET,  /* --set */
    APP_FROM_FLAG, /* any other flag */
    APP_FROM_ENVIRONMENT,
    APP_FROM_MANAGER /* a socket that the service manager passed */
} app_setting_source;

/** The most settings that are one value each. */
#define APP_SETTINGS_MAX 80

typedef struct app_config {
    size_t blade_count;
    clash_blade_definition blades[APP_BLADES_MAX];
    bool blades_of_recording; /* they come from its header, or are the defaults in its place; nobody has set others */
    size_t target_count;
    clash_target_definition targets[APP_TARGETS_MAX];
    protocol_contact_settings contact;
    app_openxr_config openxr;
    app_socket_config socket;
    app_record_config record;
    app_viewer_config viewer;
    app_osc_config osc;
    app_mqtt_config mqtt;
    app_room_config room;
    log_level log_level;
    app_setting_source sources[APP_SETTINGS_MAX]; /* in the order of fields.c */
    app_setting_source blades_source, targets_source;
} app_config;

typedef enum app_config_result {
    APP_CONFIG_OK,
    APP_CONFIG_ABSENT,  /* there is no such file, which is fine for the default file */
    APP_CONFIG_BAD = -1 /* with a message, as from fail_int */
} app_config_result;

void app_config_defaults(app_config *config);

/* The functions below lay a layer over `config`. If it is wrong they leave `config` unchanged and write into
 * out_failure where the mistake is, what stands there and what is allowed; no newline. */

/** Apply a file. Blocking. Writes out_failure for APP_CONFIG_ABSENT too. */
app_config_result app_config_load(app_config *config, const char *path, failure *out_failure);
/** Apply a document; messages call it `origin`. */
app_config_result app_config_apply_text(app_config *config, const char *origin, const char *text, failure *out_failure);
/** Apply one "KEY=VALUE": a dotted key (contact.margin, blades.left.tip), and a value in JSON or a bare word. */
app_config_result app_config_set(app_config *config, const char *assignment, failure *out_failure);
/** Apply the blades and contact settings of a recording's header; `origin` is the file's name. */
app_config_result app_config_apply_header(app_config *config, const char *origin, const recording_header *header,
                                          failure *out_failure);

/** Write $XDG_CONFIG_HOME/clashd/config.json, or ~/.config/clashd/config.json. Return 0, or -1 if neither is known or
 *  it does not fit into `size`. */
int app_config_default_path(char *out_path, size_t size);

/** Return whether any two blades, or a blade and a target, are on different devices: otherwise nothing can ever
 *  clash. */
bool app_config_can_clash(const app_config *config);
/** Return why not, in words; NULL if it can. */
const char *app_config_why_no_clash(const app_config *config);

/** Return the contact settings in the pipeline's form. */
pipeline_settings app_config_pipeline_settings(const app_config *config);

#endif
