#include "scratch.h"

#include "cli/exit_code.h"
#include "cli/output.h"
#include "recorder/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** What mkdtemp replaces. */
#define UNIQUE \
    "XX"       \
    "XX"       \
    "XX"

static scratch *volatile all;

static void remove_files(const scratch *s)
{
    if (s->path[0])
        unlink(s->path);
    if (s->directory[0])
        rmdir(s->directory);
}

static void on_signal(int number)
{
    for (const scratch *s = all; s; s = s->next)
        remove_files(s);
    raise(number); /* SA_RESETHAND: ends the program when this returns */
}

static void catch_signals(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, now;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
}

static void add(scratch *s)
{
    s->next = all;
    all = s;
}

bool scratch_in_directory(scratch *s, const char *name, failure *out_failure)
{
    const char *temporary = getenv("TMPDIR");

    *s = (scratch){0};
    catch_signals();
    if ((size_t)snprintf(s->directory, sizeof s->directory, "%s/clashctl-" UNIQUE,
                         temporary && temporary[0] == '/' ? temporary : "/tmp") >= sizeof s->directory ||
        !mkdtemp(s->directory)) {
        fail_with(out_failure, "cannot make a temporary directory, %.400s: %s", s->directory, strerror(errno));
        s->directory[0] = '\0';
        return false;
    }
    add(s);
    if ((size_t)snprintf(s->path, sizeof s->path, "%s/%s", s->directory, name) < sizeof s->path)
        return true;
    s->path[0] = '\0';
    scratch_remove(s);
    return fail_with(out_failure, "the path of the temporary directory is too long: set TMPDIR to another one");
}

bool scratch_beside(scratch *s, const char *file, failure *out_failure)
{
    *s = (scratch){0};
    if ((size_t)snprintf(s->path, sizeof s->path, "%s.%ld.part", file, (long)getpid()) >= sizeof s->path) {
        s->path[0] = '\0';
        return fail_with(out_failure, "%.400s: %s", file, strerror(ENAMETOOLONG));
    }
    catch_signals();
    add(s);
    return true;
}

bool scratch_keep(scratch *s, const char *as, failure *out_failure)
{
    const int fd = open(s->path, O_RDONLY | O_CLOEXEC);
    const bool is_kept = fd >= 0 && fsync(fd) == 0 && rename(s->path, as) == 0;

    if (!is_kept)
        fail_with(out_failure, "%.400s: %s", as, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!is_kept)
        return false;
    s->path[0] = '\0';
    return true;
}

void scratch_remove(scratch *s)
{
    scratch *volatile *at = &all;

    remove_files(s);
    while (*at && *at != s)
        at = (scratch *volatile *)&(*at)->next;
    if (*at)
        *at = s->next;
    *s = (scratch){0};
}

int scratch_replace(const char *command, const char *to, int (*write)(void *context, const char *path), void *context)
{
    static scratch fresh; /* a signal's handler may remove it */
    failure error = {0};
    const char *why;
    const int trouble = record_file_check(to, false, &why);
    int code;

    if (trouble != 0)
        return output_refuse(command, "%s: %s", to, why ? why : strerror(trouble));
    if (!scratch_beside(&fresh, to, &error))
        return output_refuse(command, "%s", error.text);
    code = write(context, fresh.path);
    if (code == CTL_DONE && !scratch_keep(&fresh, to, &error))
        code = output_refuse(command, "%s", error.text);
    if (code != CTL_DONE && access(to, F_OK) == 0)
        output_error(command, "%s stays as it was", to);
    scratch_remove(&fresh);
    return code;
}
