/* Shared by the parts of the recording reader. */
#ifndef CLASHD_PROTOCOL_RECORDING_RECORDING_PRIVATE_H
#define CLASHD_PROTOCOL_RECORDING_RECORDING_PRIVATE_H

#include "cli/failure.h"
#include <cjson/cJSON.h>

#include "recording.h"
#include "recording_lines.h"

/** Read the header from its line. Return false with a message that says what was expected. */
bool recording_read_header(const char *line, size_t length, recording_header *out_header, failure *out_failure);

/** Return false if a name is too long for it; out_failure says which. */
bool recording_read_equipment(const cJSON *object, recording_equipment *out, failure *out_failure);

typedef enum recording_line_result {
    RECORDING_LINE_TAKEN,
    RECORDING_LINE_UNKNOWN, /* its `type` */
    RECORDING_LINE_DAMAGED  /* out_failure says how */
} recording_line_result;

/** Read any line after the header: kind, time, poses, device and reason of the item. */
recording_line_result recording_read_line(const char *line, size_t length, recording_item *item, failure *out_failure);
/** The same by the full parser, for any line: a tree of JSON values, checked by the schema. */
recording_line_result recording_read_any_line(const char *line, size_t length, recording_item *item,
                                              failure *out_failure);

struct recording {
    char *path;
    recording_lines *lines;
    recording_lines_state state; /* of the last line */
    char *line;                  /* it, if it is one, ended by a zero.. */
    size_t length;               /* .. not counted here */
    uint64_t counted;            /* lines up to this one are in the counters */
    uint64_t budget;
    recording_place first; /* the first line after the header */
    recording_place here;  /* the last line */
    bool has_poses;        /* some came before, since the file was opened or sought in last.. */
    int64_t poses_ns;      /* .. the last ones of this time */
    uint64_t judged;       /* up to this line leaps have been looked at.. */
    uint64_t wrong;        /* .. of which this is the last one that was wrong; 0: none.. */
    uint64_t wrong_counted;
    recording_header header;
    recording_counters counters;
    recording_damage_function on_damage;
    void *context;
    failure failure;
};

/** Count a damaged line, and report it. */
void recording_damaged(recording *r, uint64_t line_number, const char *what);
/** Return false for poses far ahead of all others, which would make those late; also for some that were looked at just
 *  now: they come again. */
bool recording_is_in_time(recording *r, const recording_item *item, bool counts);

#endif
