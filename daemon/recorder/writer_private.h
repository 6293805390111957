/* What the writer's two parts share: writer.c (the owner's side) and thread.c (the thread). Nobody else includes it. */
#ifndef CLASHD_RECORDER_WRITER_PRIVATE_H
#define CLASHD_RECORDER_WRITER_PRIVATE_H

#include "sync.h"
#include "writer.h"

#include <uv.h>

/** Write without further waiting once so much waits. */
#define RECORD_FLUSH_BYTES 65536

/* A command is stored among the lines that it precedes: MARK, which no line has, COMMAND, TEXT, '\n'. */
#define RECORD_MARK '\x01'
#define RECORD_COMMAND_BEGIN 'b'
#define RECORD_COMMAND_END 'e'

typedef struct text_buffer {
    char *bytes;
    size_t length, capacity;
} text_buffer;

struct record_writer {
    record_writer_settings settings;
    char *directory;
    uv_thread_t thread;
    uv_mutex_t mutex;
    uv_cond_t wake, done;
    /* under the mutex: */
    text_buffer gathering;
    bool is_stopping, wants_check, is_done;
    bool is_alone;  /* the owner has given up on the thread */
    uint64_t steps; /* the thread's progress */
    record_writer_status shown;
    /* the thread's own: */
    text_buffer writing;
    size_t at;
    record_file file;
    record_sync *sync;
    record_writer_status status;
    uint64_t checked_lines; /* in a file that existed at the last check */
    int64_t checked_ns;     /* what was added before is among those */
    int64_t taken_ns;       /* of what is in `writing` */
    int64_t retry_at_ns, check_at_ns;
    bool has_asked;
};

/** Return how many bytes wait; call under the mutex. */
static inline size_t record_writer_waiting(const record_writer *w)
{
    return w->gathering.length + (size_t)w->shown.waiting;
}

/** The thread; `context` is the writer. */
void record_writer_run(void *context);

#endif
