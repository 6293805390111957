/* Compare the two ways to read a line of a recording (protocol/recording/pose_line.h). */
#ifndef CLASHD_TESTS_POSE_LINES_H
#define CLASHD_TESTS_POSE_LINES_H

#include <string.h>

#include "protocol/recording/pose_line.h"
#include "protocol/recording/recording_private.h"
#include "support/bits.h"

static inline bool pose_lines_pose_same(const protocol_own_pose *a, const protocol_own_pose *b)
{
    return strcmp(a->device, b->device) == 0 && bits_same(&a->pose, &b->pose, sizeof a->pose) &&
           a->tracked == b->tracked && a->valid == b->valid && a->teleport == b->teleport && a->source == b->source;
}

static inline bool pose_lines_item_same(const recording_item *a, const recording_item *b)
{
    bool same = a->kind == b->kind && strcmp(a->type, b->type) == 0 && a->time_ns == b->time_ns &&
                a->pose_count == b->pose_count && a->more == b->more && a->open_contacts == b->open_contacts;

    for (size_t i = 0; same && i < a->pose_count; i++)
        same = pose_lines_pose_same(&a->poses[i], &b->poses[i]);
    return same;
}

/** The result of the short way for a line. */
typedef enum pose_lines_verdict { POSE_LINES_LEFT, POSE_LINES_SAME, POSE_LINES_WRONG } pose_lines_verdict;

/** Check a line. WRONG: the short way takes what the long way does not, or takes it differently; or it leaves the line,
 *  but changed the item. */
static inline pose_lines_verdict pose_lines_check(const char *line, size_t length)
{
    static recording_item of_short, of_long;
    failure why = {0};

    memset(&of_short, 0x5a, sizeof of_short);
    of_short.kind = RECORDING_MARK;
    of_short.time_ns = 12;
    of_short.pose_count = 3;
    of_short.more = true;
    if (!pose_line_read(line, length, &of_short))
        return of_short.kind == RECORDING_MARK && of_short.time_ns == 12 && of_short.pose_count == 3 && of_short.more
                   ? POSE_LINES_LEFT
                   : POSE_LINES_WRONG;
    memset(&of_long, 0xa5, sizeof of_long);
    return recording_read_any_line(line, length, &of_long, &why) == RECORDING_LINE_TAKEN &&
                   pose_lines_item_same(&of_short, &of_long)
               ? POSE_LINES_SAME
               : POSE_LINES_WRONG;
}

#endif
