/* What the pages of the server share: pages.c (which there are), page_disk.c (those that come from the disk, in another thread)
 * and log_list.c (the recordings that there are). Included by nobody else. */
#ifndef CLASHD_SERVER_PAGES_H
#define CLASHD_SERVER_PAGES_H

#include "server_private.h"

/** A regular file that is to be sent. */
typedef struct page_file_wanted {
    const char *path; /* of the file; or of the directory in which it has.. */
    const char *name; /* .. this name, and is no link; NULL: `path` is the file's, and what it leads to counts */
    const char *key;  /* which setting names it, for people; NULL: none */
    const char *content_type;
    uint64_t bytes_max; /* of the file; 0: any */
} page_file_wanted;

/** Both answer later, and copy what they are given. */
void pages_open_file(server *s, page_answer *a, const page_file_wanted *wanted);
void pages_list_logs(server *s, page_answer *a, const char *directory);
/** The name of a recording, out of the path of a request, percent signs and all. Return false if no recording may be called so. */
bool pages_log_name(const char *text, size_t length, char *out_name, size_t size);

/** The list as JSON, on the heap: *out_length bytes. Return NULL with errno. Any thread; blocks. */
char *log_list_make(const char *directory, size_t *out_length);
/** Return whether a file of that name may be a recording. */
bool log_list_is_name(const char *name);

#endif
