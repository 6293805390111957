/* The secret that clients on TCP and WebSocket have to show, in a file that only its user can read: whoever can read it
 * could have used the Unix socket as well. Blocking file operations; start-up and end only. */
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
    dev_t device; /* of the file: only that one is removed */
    ino_t inode;
} token;

/** Where the token is for a socket: the socket's path with .token in the place of .sock, or after it where it does not
 *  end so. 0, or -1 where it does not fit into `size`. */
int token_path_for(const char *socket_path, char *out_path, size_t size);
/** Makes a new token and its file, which takes the place of an older one. 0, or -1 with out_failure naming the file. */
int token_create(token *t, const char *path, failure *out_failure);
/** Takes the same time wherever the first difference is. */
bool token_matches(const token *t, const char *text, size_t length);
/** Removes the file if it is still the one that was made. Idempotent; a zeroed token has none. */
void token_remove(token *t);

#endif
