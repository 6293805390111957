/* What is in a recording: counted while its events are found anew. A report of numbers; how it is shown is others' business. */
#ifndef CLASHD_OFFLINE_INFO_H
#define CLASHD_OFFLINE_INFO_H

#include "detect.h"
#include "speeds.h"

#define INFO_DEVICES_MAX 64
#define INFO_BLADES_MAX 64

typedef struct info_device {
    char name[PROTOCOL_NAME_MAX];
    uint64_t samples, gaps; /* gaps: longer than max_gap_ms */
    int64_t first_ns, last_ns, longest_ns;
    double rate_hz;    /* 0: fewer than two samples */
    speed_spread grip; /* of its origin */
} info_device;

typedef struct info_blade {
    char name[CLASH_BLADE_NAME_MAX], device[PROTOCOL_NAME_MAX];
    speed_spread tip;
} info_blade;

/** Large: keep it off the stack. */
typedef struct file_info {
    config_values config; /* defaults under the header */
    const recording_header *header;
    detect_report report;
    double seconds, rate_hz, contacts_per_minute; /* 0 if nothing took any time */
    size_t device_count, blade_count;
    info_device devices[INFO_DEVICES_MAX];
    info_blade blades[INFO_BLADES_MAX]; /* those of the header or the defaults, then clients' */
    uint64_t other_devices;             /* samples of devices beyond these.. */
    uint64_t other_blades;              /* ..and of blades */
    recording_equipment equipment;      /* as last told.. */
    uint64_t equipment_changes;         /* ..so often */
    uint64_t gaps, marks, recorded_events, refused;
    double peak_closing_speed; /* m/s */
    int64_t longest_ns;        /* contact */
} file_info;

/** Read `r`, which is `file`, to its end. Return 0, or -1 with a message. `out_info` must be zeroed; what it points to is r's. */
int info_make(recording *r, const char *file, file_info *out_info, failure *out_failure);

#endif
