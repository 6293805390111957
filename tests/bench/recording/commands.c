/* clashctl as people run it: each command in a process of its own, with what it took. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const command commands[] = {
    {"detect", "`detect`", {"detect", COMMAND_INPUT}},
    {"verify", "`verify`", {"verify", COMMAND_INPUT}},
    {"info", "`info`", {"info", COMMAND_INPUT}},
    {"cut", "`cut` (all but the first second)", {"cut", COMMAND_INPUT, "OUTPUT.jsonl", "--from", "1"}},
    {"convert_plain", "`convert` to `.jsonl`", {"convert", COMMAND_INPUT, "OUTPUT.jsonl"}},
    {"convert_zst", "`convert` to `.jsonl.zst`", {"convert", COMMAND_INPUT, "OUTPUT.jsonl.zst"}},
    {"convert_csv", "`convert` to `.csv`", {"convert", COMMAND_INPUT, "OUTPUT.csv"}},
};
const size_t command_count = sizeof commands / sizeof commands[0];

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static _Noreturn void become(char *const argv[])
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execv(argv[0], argv);
    _exit(127);
}

spent command_run(char *const argv[])
{
    double begin = now_s();
    pid_t child = fork();
    struct rusage usage;
    int status;
    spent s;

    if (child < 0)
        die("fork", strerror(errno));
    if (child == 0)
        become(argv);
    if (wait4(child, &status, 0, &usage) != child)
        die("wait4", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        die(argv[1], "did not end well");
    s.seconds = now_s() - begin;
    s.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    s.peak_mb = (double)usage.ru_maxrss / 1024.0;
    return s;
}
