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
    char kept[PATH_MAX]; /* if it lasts, for people to look; "": nowhere */
} token;

/** Tell where the token is for a socket: the socket's path with .token in the place of .sock, or after it if it does not
 *  end so. Return 0, or -1 if it does not fit into `size`. */
int token_path_for(const char *socket_path, char *out_path, size_t size);
/** Make a new token and its file, which takes the place of an older one. Return 0, or -1 with out_failure naming the file. */
int token_create(token *t, const char *path, failure *out_failure);
/** The same of the token that lasts in the file `kept`. If there is no such file it is made, whole at once, with mode 0600, and is
 *  never removed. One that is there has to be a regular file of this user's or root's, with 64 hexadecimal digits, that no group may
 *  change, and of which others may do nothing. */
int token_create_kept(token *t, const char *kept, const char *path, failure *out_failure);
/** Check whether token_create_kept could have the token from there; make nothing. Return 0, or -1 with why not. */
int token_check_kept(const char *kept, failure *out_failure);
/** Make 64 random digits. Return 0, or -1 with errno. */
int token_make_text(char out_text[TOKEN_LENGTH + 1]);
/** Write the digits and a newline. Return 0, or -1 with errno. */
int token_write_text(int fd, const char text[TOKEN_LENGTH + 1]);
/** The file to name to people who look for the token. */
const char *token_place(const token *t);
/** Compare in constant time. */
bool token_matches(const token *t, const char *text, size_t length);
/** Remove the file if it is still the one that was made. Idempotent; a zeroed token has none. */
void token_remove(token *t);

#endif
