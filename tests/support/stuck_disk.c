/* A disk that does not answer, or only refuses: preloaded. While the file that CLASHD_STUCK_DISK names exists, every
 * call that changes a file waits until it is gone; if it begins with 'r' such calls fail with EROFS, with 'p' they
 * pass. FILE.used is created then, too. On the process' first thread, which must never wait for a disk, such a call
 * ends the process. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What the linker knows by the C library's names. */
#define SHOWN(name) __asm__(name) __attribute__((visibility("default")))

ssize_t stuck_pwrite(int fd, const void *bytes, size_t count, off_t at) SHOWN("pwrite");
ssize_t stuck_pwrite64(int fd, const void *bytes, size_t count, off_t at) SHOWN("pwrite64");
int stuck_ftruncate(int fd, off_t length) SHOWN("ftruncate");
int stuck_ftruncate64(int fd, off_t length) SHOWN("ftruncate64");
int stuck_fdatasync(int fd) SHOWN("fdatasync");
int stuck_fsync(int fd) SHOWN("fsync");
int stuck_open(const char *path, int flags, ...) SHOWN("open");
int stuck_open64(const char *path, int flags, ...) SHOWN("open64");

static void die(const char *call)
{
    char text[200];
    int length = snprintf(text, sizeof text, "stuck_disk: the loop's thread calls %s\n", call);

    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(1);
    abort();
}

static void leave_trace(const char *path)
{
    char name[4096];
    long fd;

    snprintf(name, sizeof name, "%s.used", path);
    fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close((int)fd);
}

/* Return false if the call is to fail. */
static bool pass(const char *call)
{
    const char *path = getenv("CLASHD_STUCK_DISK");
    const struct timespec pause = {.tv_nsec = 5000000};
    char first = 'w';
    long fd;

    while (path && (fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC)) >= 0) {
        if (read((int)fd, &first, 1) < 0)
            first = 'w';
        close((int)fd);
        if (syscall(SYS_gettid) == getpid())
            die(call);
        leave_trace(path);
        if (first == 'p')
            return true;
        if (first == 'r') {
            errno = EROFS;
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Return the function of that name behind this one. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found)
        abort();
    return found;
}

ssize_t stuck_pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    return pass("pwrite") ? ((ssize_t(*)(int, const void *, size_t, off_t))next("pwrite"))(fd, bytes, count, at) : -1;
}

ssize_t stuck_pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    return stuck_pwrite(fd, bytes, count, at);
}

int stuck_ftruncate(int fd, off_t length)
{
    return pass("ftruncate") ? ((int (*)(int, off_t))next("ftruncate"))(fd, length) : -1;
}

int stuck_ftruncate64(int fd, off_t length)
{
    return stuck_ftruncate(fd, length);
}

int stuck_fdatasync(int fd)
{
    return pass("fdatasync") ? ((int (*)(int))next("fdatasync"))(fd) : -1;
}

int stuck_fsync(int fd)
{
    return pass("fsync") ? ((int (*)(int))next("fsync"))(fd) : -1;
}

static int open_passed(const char *path, int flags, mode_t mode)
{
    if ((flags & O_CREAT) && !pass("open"))
        return -1;
    return ((int (*)(const char *, int, ...))next("open"))(path, flags, mode);
}

int stuck_open(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_passed(path, flags, mode);
}

int stuck_open64(const char *path, int flags, ...)
{
    va_list arguments;
    mode_t mode;

    va_start(arguments, flags);
    mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_passed(path, flags, mode);
}
