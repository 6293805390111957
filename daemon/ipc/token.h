/* The secret that TCP and WebSocket clients must present, in a file that only its user can read: a program that can
 * read it could also use the Unix socket. Blocking file operations; start-up and shutdown only. */
#ifndef CLASHD_IPC_TOKEN_H
#define CLASHD_IPC_TOKEN_H

#include "cli/failure.h"
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** 256 bits in hexadecimal. */
#define TOKEN_LENGTH 64

typedef struct token {
    char text[TOKEN_LENGTH + 1];
    char path[PATH_MAX];
    dev_t device; /* of the file: remove only this one */
    ino_t inode;
    char kept[PATH_MAX]; /* the persistent token file, to show to people; "": none */
} token;

/** Write the token path of a socket: the socket's path with .token instead of .sock, or appended if it does not end in
 *  .sock. Return 0, or -1 if it does not fit into `size`. */
int token_path_for(const char *socket_path, char *out_path, size_t size);
/** Make a new token and its file, which replaces an older one. Return 0, or -1 with out_failure naming the file. */
int token_create(token *t, const char *path, failure *out_failure);
/** Like token_create, but with the persistent token from the file `kept`. A missing file is created atomically with
 *  mode 0600, and is never removed. An existing one must be a regular file of this user or root, with 64 hexadecimal
 *  digits, not writable by the group, and without any access for others. */
int token_create_kept(token *t, const char *kept, const char *path, failure *out_failure);
/** Check whether token_create_kept could use that file, without creating anything. Return 0, or -1 with the reason. */
int token_check_kept(const char *kept, failure *out_failure);
/** Make 64 random digits. Return 0, or -1 with errno. */
int token_make_text(char out_text[TOKEN_LENGTH + 1]);
/** Write the digits and a newline. Return 0, or -1 with errno. */
int token_write_text(int fd, const char text[TOKEN_LENGTH + 1]);
/** Return the file to name to people who look for the token. */
const char *token_place(const token *t);
/** Compare in constant time. */
bool token_matches(const token *t, const char *text, size_t length);
/** Remove the file if it is still the one that was made. Idempotent; does nothing for a zeroed token. */
void token_remove(token *t);

#endif
