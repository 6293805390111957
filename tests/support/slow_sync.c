/* A slow disk: preloaded, fdatasync sleeps for CLASHD_SLOW_SYNC seconds. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((visibility("default"))) int fdatasync(int fd);

int fdatasync(int fd)
{
    const char *seconds = getenv("CLASHD_SLOW_SYNC");

    (void)fd;
    sleep(seconds ? (unsigned)strtoul(seconds, NULL, 10) : 0);
    return 0;
}
