/* Make calls fail: preloaded. CLASHD_FAULT is "NAME OBJECT FIRST COUNT CODE": of the calls of NAME made from a file
 * whose name begins with OBJECT, COUNT from the FIRST on (1: the first of all) fail with CODE, an errno or what the
 * function itself returns for an error; 0 is each function's usual one, and 'short' (-1000) a part of what was asked
 * for. CLASHD_FAULT_TRACE is a file to which each call is written ("NAME OBJECT OFFSET"), or with CLASHD_FAULT only
 * those that failed: then the fault does not strike again in another process. Functions are known by name only:
 * whatever takes up to six integers or pointers is passed on. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHORT (-1000)
#define FROM __builtin_return_address(0)

/* What a failing function returns: */
typedef enum fault_style {
    STYLE_ERRNO,  /* -1, and errno */
    STYLE_NULL,   /* NULL, and errno */
    STYLE_RETURNS /* the code itself: libuv, OpenXR, pthreads */
} fault_style;

typedef long (*function)(long, long, long, long, long, long);
typedef long (*function7)(long, long, long, long, long, long, long);

static struct {
    char name[64], object[64];
    long first, count, code;
    int trace;
    bool is_set, is_ready, sees_end;
    atomic_long calls;
} fault = {.trace = -1};

static __thread bool inside; /* set for this file's own calls */

static void say(const char *text, size_t length)
{
    syscall(SYS_write, fault.trace, text, length);
}

/* Return the next word of CLASHD_FAULT. */
static const char *take_word(const char *at, char *out_word, size_t size)
{
    const size_t length = strcspn(at, " ");

    snprintf(out_word, size, "%.*s", (int)length, at);
    return at[length] ? at + length + 1 : at + length;
}

static bool read_fault(const char *what)
{
    char *end;

    what = take_word(what, fault.name, sizeof fault.name);
    what = take_word(what, fault.object, sizeof fault.object);
    fault.first = strtol(what, &end, 10);
    fault.count = strtol(end, &end, 10);
    fault.code = strtol(end, &end, 10);
    return *end == '\0' && fault.first > 0 && fault.count > 0;
}

__attribute__((constructor)) static void set_up(void)
{
    const char *what = getenv("CLASHD_FAULT"), *trace = getenv("CLASHD_FAULT_TRACE");

    inside = true;
    fault.is_set = what && read_fault(what);
    if (trace)
        fault.trace = (int)syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fault.is_set && fault.trace >= 0 && lseek(fault.trace, 0, SEEK_END) > 0)
        fault.calls = LONG_MAX / 2; /* it struck in another process: a restart goes on without it */
    inside = false;
    fault.is_ready = true;
}

static void trace(const char *name, const char *object, const char *from, const char *base)
{
    char line[200];
    int length;

    if (fault.trace < 0)
        return;
    length = snprintf(line, sizeof line, "%s %s %tx\n", name, object, from - base);
    say(line, (size_t)length);
}

static void end(void)
{
    fault.is_ready = false;
}

/* What runs after clashd's own main is not clashd: a coverage build writes its files then, within the program. Register
 * during main, so that this handler comes first. */
static void see_end(const char *object)
{
    if (!fault.sees_end && strncmp(object, "clashd", 6) == 0)
        fault.sees_end = atexit(end) == 0;
}

/* A sanitizer linked into the program has functions of these names, which pass on what any library calls: the real
 * caller cannot be told. */
static bool is_of_sanitizer(const char *name, const Dl_info *caller)
{
    return caller->dli_sname &&
           (strcmp(caller->dli_sname, name) == 0 || strstr(caller->dli_sname, "interceptor_") != NULL);
}

static bool is_failing(const char *name, const char *from)
{
    Dl_info info = {0};
    const char *object;
    long call;

    if (fault.is_set && strcmp(fault.name, name) != 0)
        return false;
    if (!dladdr(from, &info) || !info.dli_fname || is_of_sanitizer(name, &info))
        return false;
    object = strrchr(info.dli_fname, '/');
    object = object ? object + 1 : info.dli_fname;
    see_end(object);
    if (fault.is_set) {
        if (strncmp(object, fault.object, strlen(fault.object)) != 0 || object[strlen(fault.object)] == '-')
            return false;
        call = atomic_fetch_add(&fault.calls, 1) + 1;
        if (call < fault.first || call >= fault.first + fault.count)
            return false;
    }
    trace(name, object, from, info.dli_fbase);
    return fault.is_set;
}

/* Return whether this call is to fail. */
static bool strikes(const char *name, const void *from)
{
    bool answer;

    if (inside || !fault.is_ready || (!fault.is_set && fault.trace < 0))
        return false;
    inside = true;
    answer = is_failing(name, from);
    inside = false;
    return answer;
}

static long fail(fault_style style, long usual)
{
    const long code = fault.code ? fault.code : usual;

    if (style == STYLE_RETURNS)
        return code;
    errno = (int)code;
    return style == STYLE_NULL ? 0 : -1;
}

static void *look_up(const char *name)
{
    bool before = inside;
    void *found;

    inside = true;
    found = dlsym(RTLD_NEXT, name);
    inside = before;
    return found;
}

static function find(const char *name)
{
    return (function)(uintptr_t)look_up(name);
}

#define SHOWN(name) __asm__(#name) __attribute__((visibility("default")))
#define FAULT(name, style, code)                                                   \
    long fault_##name(long a, long b, long c, long d, long e, long f) SHOWN(name); \
    long fault_##name(long a, long b, long c, long d, long e, long f)              \
    {                                                                              \
        static function next;                                                      \
                                                                                   \
        if (!next)                                                                 \
            next = find(#name);                                                    \
        return strikes(#name, FROM) ? fail(style, code) : next(a, b, c, d, e, f);  \
    }

/* The seventh is on the stack of the caller, and this may write there: with fewer, that is the caller's own. */
#define FAULT7(name, style, code)                                                          \
    long fault_##name(long a, long b, long c, long d, long e, long f, long g) SHOWN(name); \
    long fault_##name(long a, long b, long c, long d, long e, long f, long g)              \
    {                                                                                      \
        static function7 next;                                                             \
                                                                                           \
        if (!next)                                                                         \
            next = (function7)(uintptr_t)look_up(#name);                                   \
        return strikes(#name, FROM) ? fail(style, code) : next(a, b, c, d, e, f, g);       \
    }

#include "faults_list.inl"

/* ---- what may do a part ---- */

/* Sending to a client, rather than to a file, a terminal or libuv's own pipes, has a name of its own. */
static const char *to_socket(long fd, const char *name, const char *socket_name)
{
    int type;
    socklen_t size = sizeof type;
    const int before = errno;
    const bool is = syscall(SYS_getsockopt, (int)fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0;

    errno = before;
    return is ? socket_name : name;
}

#define TRANSFER(name, usual)                                                                              \
    long fault_##name(long fd, long bytes, long count, long d, long e, long f) SHOWN(name);                \
    long fault_##name(long fd, long bytes, long count, long d, long e, long f)                             \
    {                                                                                                      \
        static function next;                                                                              \
                                                                                                           \
        if (!next)                                                                                         \
            next = find(#name);                                                                            \
        if (!strikes(to_socket(fd, #name, #name ":socket"), FROM))                                         \
            return next(fd, bytes, count, d, e, f);                                                        \
        return fault.code == SHORT ? next(fd, bytes, (count + 1) / 2, d, e, f) : fail(STYLE_ERRNO, usual); \
    }

TRANSFER(write, ENOSPC)
TRANSFER(pwrite, ENOSPC)
TRANSFER(send, EAGAIN)
TRANSFER(read, EINTR)
TRANSFER(recv, EAGAIN)

ssize_t fault_sendmsg(int fd, const struct msghdr *message, int flags) SHOWN(sendmsg);
ssize_t fault_writev(int fd, const struct iovec *parts, int count) SHOWN(writev);

ssize_t fault_sendmsg(int fd, const struct msghdr *message, int flags)
{
    static function next;
    struct iovec part;
    struct msghdr first = *message;

    if (!next)
        next = find("sendmsg");
    if (!strikes("sendmsg", FROM))
        return next(fd, (long)message, flags, 0, 0, 0);
    if (fault.code != SHORT)
        return fail(STYLE_ERRNO, EAGAIN);
    part = (struct iovec){message->msg_iov[0].iov_base, (message->msg_iov[0].iov_len + 1) / 2};
    first.msg_iov = &part;
    first.msg_iovlen = 1;
    return next(fd, (long)&first, flags, 0, 0, 0);
}

ssize_t fault_writev(int fd, const struct iovec *parts, int count)
{
    static function next;
    struct iovec part;

    if (!next)
        next = find("writev");
    if (!strikes(to_socket(fd, "writev", "writev:socket"), FROM))
        return next(fd, (long)parts, count, 0, 0, 0);
    if (fault.code != SHORT)
        return fail(STYLE_ERRNO, EAGAIN);
    part = (struct iovec){parts[0].iov_base, (parts[0].iov_len + 1) / 2};
    return next(fd, (long)&part, 1, 0, 0, 0);
}

/* ---- what OpenXR gives by name ---- */

#define BY_NAME(name)                                                                          \
    static function next_##name;                                                               \
    static long fault_##name(long a, long b, long c, long d, long e, long f)                   \
    {                                                                                          \
        return strikes(#name, FROM) ? fail(STYLE_RETURNS, -2) : next_##name(a, b, c, d, e, f); \
    }

BY_NAME(xrConvertTimespecTimeToTimeKHR)
BY_NAME(xrConvertTimeToTimespecTimeKHR)

long fault_xrGetInstanceProcAddr(uint64_t instance, const char *name, function *out) SHOWN(xrGetInstanceProcAddr);

long fault_xrGetInstanceProcAddr(uint64_t instance, const char *name, function *out)
{
    static function next;
    long result;

    if (!next)
        next = find("xrGetInstanceProcAddr");
    if (strikes("xrGetInstanceProcAddr", FROM))
        return fail(STYLE_RETURNS, -2);
    result = next((long)instance, (long)name, (long)out, 0, 0, 0);
    if ((int)result != 0)
        return result;
    if (strcmp(name, "xrConvertTimespecTimeToTimeKHR") == 0) {
        next_xrConvertTimespecTimeToTimeKHR = *out;
        *out = fault_xrConvertTimespecTimeToTimeKHR;
    } else if (strcmp(name, "xrConvertTimeToTimespecTimeKHR") == 0) {
        next_xrConvertTimeToTimespecTimeKHR = *out;
        *out = fault_xrConvertTimeToTimespecTimeKHR;
    }
    return result;
}
