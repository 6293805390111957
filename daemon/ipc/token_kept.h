/* The file in which a token lasts. Included by token.c alone. */
#ifndef CLASHD_IPC_TOKEN_KEPT_H
#define CLASHD_IPC_TOKEN_KEPT_H

#include "token.h"

/** Read the token of the file; make both if there is no file and `makes` is set. Return 0, or -1 with out_failure
 *  naming the file. */
int token_read_kept(const char *path, bool makes, char out_text[TOKEN_LENGTH + 1], failure *out_failure);

#endif
