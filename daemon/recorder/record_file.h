/* One file of a recording, plain or compressed. It grows by whole lines, compressed by whole frames of lines; what an
 * error tore is cut off again. Blocking; one thread at a time; knows nothing of what the lines mean. */
#ifndef CLASHD_RECORDER_RECORD_FILE_H
#define CLASHD_RECORDER_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_PATH_MAX 4096

typedef struct record_file {
    int fd; /* -1: not open */
    char path[RECORD_PATH_MAX];
    bool is_compressed;
    bool is_dirty;  /* written since the last sync */
    bool is_stream; /* a stream such as standard output: torn lines cannot be cut off */
    int64_t size;   /* complete bytes */
    void *context;  /* of the compressor; created when needed */
    char *frame;
    size_t frame_size;
} record_file;

typedef enum record_file_place {
    RECORD_FILE_THERE,
    RECORD_FILE_MOVED, /* its path is another file's, or gone, but the file has another path */
    RECORD_FILE_GONE   /* deleted */
} record_file_place;

void record_file_init(record_file *f);
/** Return what opening would, as far as can be told without touching anything: the same results. */
int record_file_check(const char *path, bool is_new, const char **out_why);
/** Create the file (0600), empty, and lock it. With `is_new` it must not exist, not even as a link: EEXIST. Otherwise a
 *  regular file is overwritten if it has no other name and nobody writes it; anything else, also a link to one, is
 *  refused. A name that ends in .zst is compressed. Return 0, or an errno with *out_why set if the errno does not
 *  explain it, else NULL. */
int record_file_open(record_file *f, const char *path, bool is_new, const char **out_why);
/** Like record_file_open, but compressed as told, whatever the name. */
int record_file_open_as(record_file *f, const char *path, bool is_new, bool is_compressed, const char **out_why);
/** Take an open descriptor, such as standard output, and write from its position on. It stays open. Return 0, or an
 *  errno. */
int record_file_adopt(record_file *f, int fd, bool is_compressed);
/** Write whole lines. Return 0, or an errno if only the first *out_taken bytes, also whole lines, are in the file. */
int record_file_write(record_file *f, const char *lines, size_t length, size_t *out_taken);
/** Put what is written on the disk. Return 0, or an errno. */
int record_file_sync(record_file *f);
record_file_place record_file_find(const record_file *f);
/** Close the file in any case. Return 0, or an errno. Does nothing if it is not open. */
int record_file_close(record_file *f);
/** Close the file and free everything else. */
void record_file_finish(record_file *f);

#endif
