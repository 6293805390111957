/* clashd-mesh: read one file of triangles or heights for clashd or clashctl, which start it, and report what is in it.
 * Whatever the file does to its reader, it does to this process, which has limits and no more rights than it needs. */
#include "mesh/frame.h"
#include "mesh/place.h"
#include "reader.h"

#include <clash/base.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define PURPOSE MESH_HELPER_NAME ": reads files of meshes for clashd and clashctl, which start it by themselves"
#define EXIT_USAGE 2
#define EXIT_LOST 3

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

/* End with clashd, and only with clashd: a terminal's signals are not for this process. */
static void stay_with_parent(void)
{
    static const int others[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        signal(others[i], SIG_IGN);
}

/* A macro, because C libraries differ in the type of the first argument. */
#define LIMIT(which, soft, hard) setrlimit(which, &(struct rlimit){(rlim_t)(soft), (rlim_t)(hard)})

/* Ask the kernel to kill this process first if memory runs out. */
static void offer_to_go_first(void)
{
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, "1000", 4) < 0) {
        /* without this the process is as likely as any */
    }
    close(fd);
}

static void set_limits(const frame_request *request)
{
    LIMIT(RLIMIT_CORE, 0, 0);
    LIMIT(RLIMIT_FSIZE, 0, 0);
    LIMIT(RLIMIT_CPU, request->seconds, request->seconds + 1);
#ifndef IS_SANITIZED /* a sanitizer needs more memory than there is */
    LIMIT(RLIMIT_AS, request->memory_bytes, request->memory_bytes);
#endif
    offer_to_go_first();
}

static int read_request(frame_request *out)
{
    char *to = (char *)out;
    size_t done = 0;

    while (done < sizeof *out) {
        const ssize_t n = read(STDIN_FILENO, to + done, sizeof *out - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return frame_request_check(out) ? 0 : -1;
}

/* Return whether the parent still lives: it may have ended before the kernel was asked to end this process with it. */
static int has_parent(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = 0};

    return poll(&input, 1, 0) >= 0 && !(input.revents & (POLLHUP | POLLERR));
}

static int say(const void *bytes, size_t size)
{
    const char *from = bytes;

    while (size > 0) {
        const ssize_t n = write(STDOUT_FILENO, from, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        from += n;
        size -= (size_t)n;
    }
    return 0;
}

static int answer(const frame_request *request)
{
    failure why = {0};
    frame_answer answer;
    surface found;
    uint64_t at = 0;
    size_t size;
    char *bytes;

    if (!reader_read(&request->surface, &found, &why)) {
        frame_answer_fill(&answer, NULL, why.text);
        return say(&answer, sizeof answer);
    }
    frame_answer_fill(&answer, &found, NULL);
    if (say(&answer, sizeof answer) != 0)
        return -1;
    for (; (size = frame_answer_place(&found, at, &bytes)) > 0; at += size)
        if (say(bytes, size) != 0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    static frame_request request;

    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        puts(MESH_HELPER_NAME " " CLASH_VERSION_STRING);
        return 0;
    }
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts(PURPOSE);
        return 0;
    }
    if (argc > 1 || isatty(STDIN_FILENO)) {
        fputs(PURPOSE "\n", stderr);
        return EXIT_USAGE;
    }
    stay_with_parent();
    if (read_request(&request) != 0 || !has_parent())
        return EXIT_LOST;
    set_limits(&request);
    /* ending the process frees everything, and faster */
    _exit(answer(&request) == 0 ? 0 : EXIT_LOST);
}
