#include "helper_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

int xr_descriptors_open(xr_descriptors *d)
{
    *d = (xr_descriptors){.wire = {-1, -1}, .output = {-1, -1}, .rest_fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, d->wire) != 0 || pipe2(d->output, O_CLOEXEC) != 0 ||
        !(d->rest = rest_word_create(&d->rest_fd)))
        return -errno;
    return 0;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void xr_descriptors_close_theirs(xr_descriptors *d)
{
    close_one(&d->wire[1]);
    close_one(&d->output[1]);
    close_one(&d->rest_fd);
}

void xr_descriptors_close(xr_descriptors *d)
{
    xr_descriptors_close_theirs(d);
    close_one(&d->wire[0]);
    close_one(&d->output[0]);
    rest_word_close(d->rest);
    d->rest = NULL;
}
