/* See detect_corpus.h. One thread: it hands out names, and polls the pipes through which the lines come. */
#include "detect_corpus.h"

#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "detect_names.h"
#include "detect_results.h"
#include "detect_summary.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Failures that are also said to people. */
#define SHOWN_MAX 10

typedef struct job {
    pid_t process; /* 0: none */
    int pipe;
    char *name;
    size_t length;
    char line[DETECT_SUMMARY_MAX];
} job;

typedef struct corpus {
    const detect_corpus_options *options;
    char settings[DETECT_SUMMARY_DIGEST];
    detect_names *names;
    detect_results *results;
    job *jobs[DETECT_CORPUS_JOBS_MAX]; /* made as they are needed */
    unsigned running;
    bool names_ended, is_over; /* nothing more is begun; nor waited for */
    uint64_t done, failed, left_out, bytes;
    failure why; /* it is over before its end */
} corpus;

static volatile sig_atomic_t caught; /* the signal that ends it all */

static void on_signal(int number)
{
    caught = number;
}

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};

#define DEADLY (sizeof deadly / sizeof deadly[0])

/* They come only while we wait. Those that are ignored, as by nohup, stay so; but for SIGCHLD, without which nobody knows how a process
 * has ended. */
static void catch_signals(sigset_t *out_before)
{
    struct sigaction action = {.sa_handler = on_signal}, now;
    sigset_t blocked;

    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&blocked);
    for (size_t i = 0; i < DEADLY; i++) {
        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(deadly[i], &action, NULL);
        sigaddset(&blocked, deadly[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, out_before);
}

static void release_signals(const sigset_t *before)
{
    for (size_t i = 0; i < DEADLY; i++) {
        struct sigaction now;

        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(deadly[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* ---- what comes of a recording ---- */

static void show_failure(const corpus *c, const char *name, const char *line)
{
    cJSON *object = cJSON_Parse(line);
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(object, "error");
    const char *why = cJSON_IsString(error) ? error->valuestring : "its line says nothing";
    const bool is_named = strncmp(why, name, strlen(name)) == 0;

    if (c->failed <= SHOWN_MAX)
        output_error(c->options->command, "failed: %s%s%s", is_named ? "" : name, is_named ? "" : ": ", why);
    cJSON_Delete(object);
}

static void add_line(corpus *c, const char *name, bool is_done, const char *line, size_t length)
{
    static char row[DETECT_SUMMARY_MAX];

    ++*(is_done ? &c->done : &c->failed);
    c->bytes += detect_summary_bytes(name);
    if (!is_done)
        show_failure(c, name, line);
    if (c->options->is_table) {
        length = detect_summary_row(line, row);
        line = row;
    }
    if (!detect_results_add(c->results, line, length, &c->why))
        c->is_over = true;
    progress_update(c->bytes, 0);
}

static void add_failure(corpus *c, const char *name, const char *why)
{
    static char line[DETECT_SUMMARY_MAX + 1];
    const size_t length = detect_summary_failed(c->settings, name, why, line);

    line[length] = '\0';
    add_line(c, name, false, line, length);
}

/* Its process has ended, or closed its pipe, and then it will. */
static void finish_job(corpus *c, job *j)
{
    char why[96];
    int status = 0;

    while (waitpid(j->process, &status, 0) < 0 && errno == EINTR) {
    }
    close(j->pipe);
    j->process = 0;
    c->running--;
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "its process was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why, "its process ended without a line");
    if (WIFEXITED(status) && WEXITSTATUS(status) <= CTL_NO && j->length > 0 && j->line[j->length - 1] == '\n')
        add_line(c, j->name, WEXITSTATUS(status) == CTL_DONE, j->line, j->length);
    else
        add_failure(c, j->name, why);
    free(j->name);
    j->name = NULL;
}

static void read_job(corpus *c, job *j)
{
    const ssize_t count = read(j->pipe, j->line + j->length, sizeof j->line - 1 - j->length);

    if (count < 0 && errno == EINTR)
        return;
    if (count > 0) {
        j->length += (size_t)count;
        j->line[j->length] = '\0';
        return;
    }
    finish_job(c, j);
}

/* ---- its process ---- */

static _Noreturn void work(const corpus *c, const char *name, int pipe, const sigset_t *before)
{
    static char line[DETECT_SUMMARY_MAX];
    size_t length, written = 0;
    bool done;

    release_signals(before);
    detect_results_leave(c->results);
    progress_end();
    done = detect_summary_make(c->options->layers, c->settings, name, line, &length);
    while (written < length) {
        const ssize_t count = write(pipe, line + written, length - written);

        if (count < 0 && errno != EINTR)
            _exit(CTL_USAGE);
        written += count > 0 ? (size_t)count : 0;
    }
    _exit(done ? CTL_DONE : CTL_NO);
}

static job *free_job(corpus *c)
{
    for (unsigned i = 0; i < c->options->jobs; i++) {
        if (!c->jobs[i] && !(c->jobs[i] = calloc(1, sizeof *c->jobs[i])))
            return NULL;
        if (c->jobs[i]->process == 0)
            return c->jobs[i];
    }
    return NULL;
}

static bool begin_job(corpus *c, const char *name, const sigset_t *before)
{
    job *j = free_job(c);
    int ends[2];

    if (!j || !(j->name = strdup(name)))
        return fail_with(&c->why, "out of memory");
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(j->name);
        return fail_with(&c->why, "no pipe for another process: %s", strerror(errno));
    }
    j->length = 0;
    j->process = fork();
    if (j->process == 0)
        work(c, name, ends[1], before);
    close(ends[1]);
    j->pipe = ends[0];
    if (j->process > 0) {
        c->running++;
        return true;
    }
    j->process = 0;
    close(ends[0]);
    free(j->name);
    return fail_with(&c->why, "no other process: %s", strerror(errno));
}

/* ---- all of them ---- */

/* Return false if the list has none yet. */
static bool take_name(corpus *c, const sigset_t *before)
{
    failure why = {0};
    const char *name;

    switch (detect_names_next(c->names, &name, &why)) {
    case DETECT_NAMES_LATER:
        return false;
    case DETECT_NAMES_BAD:
        add_failure(c, name, why.text);
        break;
    case DETECT_NAMES_ERROR:
        fail_with(&c->why, "%s", why.text);
        c->names_ended = true;
        break;
    case DETECT_NAMES_END:
        c->names_ended = true;
        break;
    case DETECT_NAMES_ONE:
        if (detect_results_is(c->results, name))
            break;
        if (detect_results_has(c->results, name, detect_summary_bytes(name)))
            c->left_out++;
        else if (!begin_job(c, name, before))
            c->names_ended = true;
        break;
    }
    return true;
}

static void wait_for_any(corpus *c, bool with_list, const sigset_t *before)
{
    struct pollfd polled[DETECT_CORPUS_JOBS_MAX + 1];
    job *of[DETECT_CORPUS_JOBS_MAX + 1];
    nfds_t count = 0;

    for (unsigned i = 0; i < c->options->jobs && c->jobs[i]; i++) {
        if (c->jobs[i]->process == 0)
            continue;
        of[count] = c->jobs[i];
        polled[count++] = (struct pollfd){.fd = c->jobs[i]->pipe, .events = POLLIN};
    }
    if (with_list)
        polled[count] = (struct pollfd){.fd = detect_names_descriptor(c->names), .events = POLLIN};
    if (ppoll(polled, count + with_list, NULL, before) < 0)
        return;
    for (nfds_t i = 0; i < count; i++)
        if (polled[i].revents)
            read_job(c, of[i]);
}

static void run(corpus *c, const sigset_t *before)
{
    while (!caught && !c->is_over) {
        bool with_list = false;

        while (!caught && !c->is_over && !c->names_ended && !with_list && c->running < c->options->jobs)
            with_list = !take_name(c, before);
        if (c->running == 0 && c->names_ended)
            return;
        if (!c->is_over)
            wait_for_any(c, with_list, before);
    }
}

/* Those that still run are for nobody. */
static void end_jobs(corpus *c)
{
    for (unsigned i = 0; i < c->options->jobs && c->jobs[i]; i++) {
        job *j = c->jobs[i];

        if (j->process > 0) {
            kill(j->process, SIGTERM);
            waitpid(j->process, NULL, 0);
            close(j->pipe);
            free(j->name);
        }
        free(j);
    }
}

static bool open_all(corpus *c)
{
    const detect_corpus_options *o = c->options;

    return detect_summary_settings(o->layers, c->settings, &c->why) &&
           (c->names = detect_names_open(o->names, o->name_count, o->list, &c->why)) &&
           (c->results = detect_results_open(o->results, o->resumes, c->settings, &c->why));
}

static void summarise(const corpus *c)
{
    if (c->failed > SHOWN_MAX)
        output_error(c->options->command, "%" PRIu64 " more that failed", c->failed - SHOWN_MAX);
    if (c->left_out > 0)
        output_error(c->options->command,
                     "%" PRIu64 " recording%s done, %" PRIu64 " failed; %" PRIu64 " left out, which are done already",
                     c->done, plural_s(c->done), c->failed, c->left_out);
    else
        output_error(c->options->command, "%" PRIu64 " recording%s done, %" PRIu64 " failed", c->done,
                     plural_s(c->done), c->failed);
}

int detect_corpus(const detect_corpus_options *options)
{
    corpus c = {.options = options};
    sigset_t before;
    int code;

    output_begin(false);
    if (open_all(&c)) {
        progress_begin(options->command, !options->results);
        catch_signals(&before);
        if (options->is_table)
            c.is_over = !detect_results_add(c.results, detect_summary_columns, strlen(detect_summary_columns), &c.why);
        run(&c, &before);
        progress_end();
        summarise(&c);
    }
    end_jobs(&c);
    detect_names_close(c.names);
    detect_results_close(c.results, &c.why);
    code = output_end(options->command, c.why.text[0] ? CTL_USAGE : c.failed > 0 ? CTL_NO : CTL_DONE);
    if (c.why.text[0])
        output_error(options->command, "%s", c.why.text);
    if (caught) {
        signal(caught, SIG_DFL);
        raise(caught); /* comes when it is no longer blocked */
        release_signals(&before);
    }
    return code;
}
