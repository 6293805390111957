/* The recordings that clashd has, as a line for its page. As codec.h, but that the line is as long as it has to be. */
#ifndef CLASHD_PROTOCOL_MESSAGES_ENCODE_LOGS_H
#define CLASHD_PROTOCOL_MESSAGES_ENCODE_LOGS_H

#include <stddef.h>
#include <stdint.h>

typedef struct protocol_log {
    const char *name; /* the caller's */
    uint64_t bytes;
    int64_t modified_s; /* since 1970 */
} protocol_log;

/** Schema report/logs. Of `total` the first `count`. *out_length bytes on the heap, the newline included, for the caller to free; NULL
 *  when out of memory. */
char *protocol_encode_logs(const char *directory, const protocol_log *logs, size_t count, size_t total,
                           size_t *out_length);

#endif
