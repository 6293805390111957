/* The file of a persistent token. Included only by token.c. */
#ifndef CLASHD_IPC_TOKEN_KEPT_H
#define CLASHD_IPC_TOKEN_KEPT_H

#include "token.h"

/** Read the token from the file; if it is missing and `makes` is set, create both. Return 0, or -1 with out_failure
 *  naming the file. */
int token_read_kept(const char *path, bool makes, char out_text[TOKEN_LENGTH + 1], failure *out_failure);

#endif
