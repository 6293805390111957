/* One file of a recording, plain or compressed. It grows by whole lines only, compressed by whole frames of them: what an
 * error tore is cut off again. Blocking; one thread at a time; knows nothing of what the lines say. */
#ifndef CLASHD_RECORDER_RECORD_FILE_H
#define CLASHD_RECORDER_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_PATH_MAX 4096

typedef struct record_file {
    int fd; /* -1: none is open */
    char path[RECORD_PATH_MAX];
    bool is_compressed;
    bool is_dirty;  /* written since the last sync */
    bool is_stream; /* somebody else's: what is torn stays so */
    int64_t size;   /* bytes of what is whole */
    void *context;  /* of the compressor; made when it is needed */
    char *frame;
    size_t frame_size;
} record_file;

typedef enum record_file_place {
    RECORD_FILE_THERE,
    RECORD_FILE_MOVED, /* its path is another file's or nobody's, but it has one */
    RECORD_FILE_GONE   /* deleted */
} record_file_place;

void record_file_init(record_file *f);
/** Whether the next one could open it, for all that can be told without touching anything: the same results. */
int record_file_check(const char *path, bool is_new, const char **out_why);
/** Creates it (0600), empty, and locks it. One that `is_new` is nobody's before, not by way of a link either: EEXIST. Else a
 *  regular file is overwritten, if it has no other name and nobody writes it; anything else, a link to one too, is
 *  refused. A name that ends in .zst is compressed. 0, or an errno, and *out_why, if that does not say it, else NULL. */
int record_file_open(record_file *f, const char *path, bool is_new, const char **out_why);
/** As record_file_open, but compressed as said, whatever the name. */
int record_file_open_as(record_file *f, const char *path, bool is_new, bool is_compressed, const char **out_why);
/** Takes what is open already, such as standard output, and writes from where it stands. It stays open. 0, or an errno. */
int record_file_adopt(record_file *f, int fd, bool is_compressed);
/** Whole lines. Returns 0, or an errno when only the first *out_taken bytes, whole lines too, are in the file. */
int record_file_write(record_file *f, const char *lines, size_t length, size_t *out_taken);
/** What is written is on the disk. 0, or an errno. */
int record_file_sync(record_file *f);
record_file_place record_file_find(const record_file *f);
/** 0, or an errno; it is closed in either case. Nothing happens where none is open. */
int record_file_close(record_file *f);
/** Closes it and frees what else it has. */
void record_file_finish(record_file *f);

#endif
