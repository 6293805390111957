/* "HOST:PORT" as settings have it, and as messages show it. Numeric addresses only: nothing is ever looked up, so that
 * what is listened on is what was written. Pure. */
#ifndef CLASHD_IPC_ADDRESS_H
#define CLASHD_IPC_ADDRESS_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/** The longest text of an address, with its terminating zero. */
#define ADDRESS_TEXT_MAX 64

typedef struct address {
    struct sockaddr_storage storage;
    socklen_t length;
} address;

/** "127.0.0.1:4717", "[::1]:4717", "localhost:4717", or "4717" alone, which like localhost means 127.0.0.1. Port 0: any
 *  free one. Return 0, or -1 with what was expected in out_failure. */
int address_parse(const char *text, address *out_address, failure *out_failure);
/** Only programs on this machine can reach it: 127.0.0.0/8 or ::1. */
bool address_is_loopback(const address *a);
/** "127.0.0.1:4717", "[::1]:4717"; of anything else "?". */
void address_format(const address *a, char out_text[ADDRESS_TEXT_MAX]);

#endif
