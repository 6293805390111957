/* "HOST:PORT" as written in settings and shown in messages. Numeric addresses only: names are never resolved, so clashd
 * listens exactly where the settings say. Pure. */
#ifndef CLASHD_IPC_ADDRESS_H
#define CLASHD_IPC_ADDRESS_H

#include "cli/failure.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/** The longest text of an address, including its terminating zero. */
#define ADDRESS_TEXT_MAX 64

typedef struct address {
    struct sockaddr_storage storage;
    socklen_t length;
} address;

/** Parse "127.0.0.1:4717", "[::1]:4717", "localhost:4717" or a port alone ("4717"); the last two mean 127.0.0.1. Port
 *  0: any free port. Return 0, or -1 with the expected form in out_failure. */
int address_parse(const char *text, address *out_address, failure *out_failure);
/** Return whether only programs on this machine can reach it: 127.0.0.0/8 or ::1. */
bool address_is_loopback(const address *a);
/** Write "127.0.0.1:4717" or "[::1]:4717"; "?" for other address families. */
void address_format(const address *a, char out_text[ADDRESS_TEXT_MAX]);

#endif
