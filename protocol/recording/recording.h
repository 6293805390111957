/* Reads recordings (RECORDING.md), plain or compressed, line by line, whatever their size in the same memory. Damage is
 * survived: counted, reported, skipped. Blocking file I/O. */
#ifndef CLASHD_PROTOCOL_RECORDING_RECORDING_H
#define CLASHD_PROTOCOL_RECORDING_RECORDING_H

#include "cli/failure.h"

#include "protocol/messages/codec.h"

typedef enum recording_item_kind {
    RECORDING_END,
    RECORDING_POSES,
    RECORDING_TRACKING_LOST, /* a `tracking` line with tracked false: the device's track is cut here */
    RECORDING_SPACE_CHANGED,
    RECORDING_BLADE,     /* a client's blade is defined: `blade` */
    RECORDING_TARGET,    /* a target is defined: `target` */
    RECORDING_REMOVE,    /* `blade.name` is removed, or `target.name`, or `device`: the others are empty */
    RECORDING_EVENT,     /* any other event line clashd wrote; only the text is given */
    RECORDING_EQUIPMENT, /* what poses come from: `equipment` */
    RECORDING_GAP,       /* lines are missing before: `open_contacts` */
    RECORDING_MARK,      /* only the text is given */
    RECORDING_LATER      /* none yet: see recording_set_budget */
} recording_item_kind;

/** Of the blades and targets that there are. */
static inline bool recording_is_change(recording_item_kind kind)
{
    return kind == RECORDING_BLADE || kind == RECORDING_TARGET || kind == RECORDING_REMOVE;
}

#define RECORDING_POSES_MAX 64

#define RECORDING_CONTROLLERS_MAX 8

/** What poses come from, as far as it is known. */
typedef struct recording_equipment {
    char runtime[PROTOCOL_NAME_MAX]; /* cut to fit; "": not known */
    size_t controller_count;
    struct {
        char device[PROTOCOL_NAME_MAX], profile[PROTOCOL_NAME_MAX];
    } controllers[RECORDING_CONTROLLERS_MAX];
} recording_equipment;

typedef struct recording_item {
    recording_item_kind kind;
    uint64_t line_number; /* 1 is the header */
    int64_t time_ns;
    size_t pose_count;
    protocol_own_pose poses[RECORDING_POSES_MAX];
    bool more;                      /* of POSES: the next one belongs to the same step */
    char device[PROTOCOL_NAME_MAX]; /* of TRACKING_LOST, REMOVE, and the event `tracking` */
    clash_tracking_reason reason;
    clash_blade_definition blade;
    recording_equipment equipment;
    clash_target_definition target;
    uint64_t open_contacts; /* of GAP */
    const char *type;       /* the line's `type` */
    const char *text;       /* the line, terminated by zero, valid until the next call */
    size_t text_length;
} recording_item;

#define RECORDING_BLADES_MAX 64

typedef struct recording_header {
    int version;
    char space[32];
    int64_t epoch_monotonic_ns, epoch_unix_ns; /* 0 if the header has none */
    size_t blade_count;
    bool has_blades; /* the header lists them, perhaps none; else the reader's own count */
    clash_blade_definition blades[RECORDING_BLADES_MAX];
    bool has_settings;
    protocol_contact_settings settings; /* what the header left out: see RECORDING.md */
    char clashd[32];                    /* version of the clashd that wrote it, as far as it fits; "": none did */
    char session[64];                   /* likewise */
    int rules;                          /* by which it found the events: see PROTOCOL_RULES */
    recording_equipment equipment;
    bool is_later;          /* the file begins within its session.. */
    uint64_t open_contacts; /* .. with so many contacts open */
} recording_header;

typedef struct recording_counters {
    uint64_t lines;   /* the header and empty ones too */
    uint64_t damaged; /* no JSON, or a known type with wrong fields, or a stretch that cannot be decompressed */
    uint64_t unknown; /* unknown `type` */
    uint64_t torn;    /* 1 if the last line has no newline and does not parse, or the compressed data ends early */
} recording_counters;

typedef struct recording recording;

/** Reports each damaged line: number and what was wrong. May be NULL. */
typedef void (*recording_damage_function)(void *context, uint64_t line_number, const char *message);

/** End reading after this many bytes in a row without a line of a recording: no real damage is so large, and bytes that
 *  compress to nothing could go on for hours. A line counts as 128 bytes at least, a stretch that cannot be
 *  decompressed as 64 KiB. */
#define RECORDING_UNREADABLE_MAX (64u << 20)

/** Poses that are so much after those before them, and followed within some lines by others that go on where those were, are damage:
 *  they are left out, counted and reported. Not in a pipe, since what follows cannot be looked at before. */
#define RECORDING_LEAP_NS INT64_C(5000000000)

/** Open and read the header. Return NULL with a message (file, line, what was expected) in out_failure. May be
 *  a pipe, and then waits; "-" is standard input. */
recording *recording_open(const char *path, recording_damage_function on_damage, void *context, failure *out_failure);
/** The same of a regular file; anything else is refused at once. */
recording *recording_open_file(const char *path, recording_damage_function on_damage, void *context,
                               failure *out_failure);
const recording_header *recording_get_header(const recording *r);
/** Its line, ended by a zero; valid until the first recording_next. */
const char *recording_get_header_text(const recording *r);
/** The next item; RECORDING_END at the end of the file, or if it cannot be read on. `item` may be large: keep it off small
 *  stacks. */
recording_item_kind recording_next(recording *r, recording_item *item);
/** After RECORDING_END: return why reading ended before the file does, with its name and line; NULL if it did not.
 *  Valid until the next call. */
const char *recording_get_error(const recording *r);
/** Limit one call of recording_next: after this many bytes without an item, or as much work, it returns
 *  RECORDING_LATER, and the next call goes on there. 0: no limit. */
void recording_set_budget(recording *r, uint64_t bytes);
/** Parse again the line that an item came from. Return false if it is none. */
bool recording_parse(const char *line, recording_item *out_item);
/** Where a line begins. */
typedef struct recording_place {
    uint64_t offset, skip; /* see bytes.h */
    uint64_t line_number;  /* of the line before */
} recording_place;

/** Where the line after the last one begins; not after RECORDING_LATER. */
void recording_get_place(const recording *r, recording_place *out_place);
/** Go on there. A line that has been counted is not counted again. Return 0, or -1 if the file cannot be sought in. */
int recording_go(recording *r, const recording_place *place);
/** As recording_next, but of poses as clashd writes them only kind, line number and time are looked at, much faster; and
 *  nothing is counted. */
recording_item_kind recording_skim(recording *r, recording_item *item);
/** Time of the last poses of the file, ns, found from its end. Return false if they are not found there. Blocking, and short. */
bool recording_find_end(const char *path, int64_t *out_time_ns);

/** Back to the first line after the header, and counting starts anew. Return 0, or -1 if the file cannot be rewound. */
int recording_rewind(recording *r);
const recording_counters *recording_get_counters(const recording *r);
/** How far the file has been read, in bytes as they stand in it; *out_total_bytes is 0 if that is not known. */
void recording_get_extent(const recording *r, uint64_t *out_read_bytes, uint64_t *out_total_bytes);
void recording_close(recording *r);

#endif
