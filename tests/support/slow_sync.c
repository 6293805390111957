/* A disk that takes its time: preloaded, fdatasync sleeps for so many seconds as CLASHD_SLOW_SYNC says. */
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
