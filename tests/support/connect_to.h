/* Connect to an address in the form of the settings. */
#ifndef CLASHD_TESTS_CONNECT_TO_H
#define CLASHD_TESTS_CONNECT_TO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/socket.h>

#include "ipc/address.h"
#include "support/fresh.h"

/** Return a connected socket, the caller's; `where`: HOST:PORT. */
static inline int connect_to(const char *where)
{
    failure error = {0};
    address a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(address_parse(where, &a, fresh(&error)), 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&a.storage, a.length), 0);
    return fd;
}

#endif
