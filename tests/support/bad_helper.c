/* Stands in for clashd-mesh: $BAD_HELPER says how it misbehaves (as-written: the file says), and in $BAD_HELPER_LOG it
 * notes that it begins and ends. By default it answers with one triangle. */
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "mesh/frame.h"

static frame_request request;
static frame_answer answer;
static clash_vec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static uint32_t triangle[3] = {0, 1, 2};

static void note(const char *what)
{
    const char *path = getenv("BAD_HELPER_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;

    if (!log)
        return;
    fprintf(log, "%s %d %s\n", what, (int)getpid(), request.surface.file);
    fclose(log);
}

static void say(const void *bytes, size_t size)
{
    if (write(STDOUT_FILENO, bytes, size) != (ssize_t)size)
        _exit(9);
}

static void listen_to_request(void)
{
    size_t done = 0;
    ssize_t n;

    while (done < sizeof request && (n = read(STDIN_FILENO, (char *)&request + done, sizeof request - done)) > 0)
        done += (size_t)n;
}

/* Return the first word. */
static const char *read_how(void)
{
    static char word[32];
    FILE *file = fopen(request.surface.file, "r");

    if (file && fscanf(file, "%31s", word) != 1)
        word[0] = '\0';
    if (file)
        fclose(file);
    return word;
}

/* Misbehave before anything is answered. */
static void be_bad(const char *how)
{
    if (strcmp(how, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has its own */
        raise(SIGSEGV);
    }
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "time") == 0)
        raise(SIGXCPU);
    else if (strcmp(how, "silent") == 0)
        _exit(0);
    else if (strcmp(how, "one") == 0)
        _exit(1);
    else if (strcmp(how, "code") == 0)
        _exit(7);
    else if (strcmp(how, "hang") == 0)
        for (;;)
            pause();
    else if (strcmp(how, "deaf") == 0)
        close(STDIN_FILENO);
    else if (strcmp(how, "garbage") == 0)
        memset(&answer, 'x', sizeof answer);
    else if (strcmp(how, "slow") == 0)
        usleep(30000);
}

/* Put wrong numbers into the answer. */
static void lie(const char *how)
{
    if (strcmp(how, "version") == 0)
        answer.size--;
    else if (strcmp(how, "none") == 0)
        answer.triangle_count = 0;
    else if (strcmp(how, "endless") == 0)
        answer.triangle_count = UINT32_MAX;
    else if (strcmp(how, "most") == 0)
        answer.triangle_count = CLASH_TRIANGLES_MAX;
    else if (strcmp(how, "heights") == 0)
        answer.height_count = 4;
    else if (strcmp(how, "digest") == 0)
        answer.digest[3] = 'G';
    else if (strcmp(how, "other") == 0)
        answer.digest[3] ^= 1;
    else if (strcmp(how, "unended") == 0)
        memset(answer.message, 'y', sizeof answer.message);
    else if (strcmp(how, "control") == 0)
        strcpy(answer.message, "is\n\x1b[31mwrong");
    else if (strcmp(how, "vertex") == 0)
        triangle[1] = 3;
    else if (strcmp(how, "nan") == 0)
        vertices[1].y = NAN;
}

static void answer_badly(const char *how)
{
    say(&answer, strcmp(how, "cut") == 0 ? sizeof answer / 2 : sizeof answer);
    if (strcmp(how, "cut") == 0 || strcmp(how, "garbage") == 0)
        return;
    say(vertices, sizeof vertices);
    if (strcmp(how, "less") == 0)
        return;
    say(triangle, sizeof triangle);
    if (strcmp(how, "more") == 0)
        say("!", 1);
    if (strcmp(how, "stays") == 0) {
        close(STDOUT_FILENO);
        for (;;)
            pause();
    }
}

int main(void)
{
    const char *asked = getenv("BAD_HELPER"), *how = asked ? asked : "";

    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (strcmp(how, "deaf") != 0)
        listen_to_request();
    if (strcmp(how, "as-written") == 0)
        how = read_how();
    note("+");
    answer = (frame_answer){.magic = FRAME_ANSWER, .size = sizeof answer, .vertex_count = 3, .triangle_count = 1};
    memset(answer.digest, 'a', sizeof answer.digest - 1);
    be_bad(how);
    lie(how);
    answer_badly(how);
    note("-");
    return strcmp(how, "whole") == 0 ? 5 : 0;
}
