/* The line of progress; see progress.h. Reads the clock once in some dozens of updates and writes ten times a
 * second. */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Shorter work shows nothing: a flash tells nobody anything. */
#define FIRST_NS INT64_C(300000000)
#define PERIOD_NS INT64_C(100000000)
/* An estimate before that is a guess. */
#define ESTIMATE_NS INT64_C(1000000000)
#define UPDATES_A_LOOK 32u
#define COLUMNS_DEFAULT 80u
#define BAR_COLUMNS 32u
#define LINE_MAX_BYTES 256

static struct {
    const char *what; /* NULL: no work, or nobody to show it to */
    double from, to;
    int64_t begun_ns, next_ns; /* CLOCK_MONOTONIC */
    unsigned updates;
    bool is_drawn;
} state;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool can_draw(bool prints)
{
    const char *terminal = getenv("TERM");

    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0 && !(prints && isatty(STDOUT_FILENO));
}

void progress_begin(const char *what, bool prints)
{
    progress_end();
    if (!can_draw(prints))
        return;
    state.what = what;
    state.to = 1.0;
    state.begun_ns = now_ns();
    state.next_ns = state.begun_ns + FIRST_NS;
}

void progress_stretch(double from, double to)
{
    state.from = from;
    state.to = to;
}

/* ---- text ---- */

void progress_bar(double share, unsigned width, char *out)
{
    const unsigned inside = width - 2;
    const unsigned full = share > 0.0 ? (unsigned)(fmin(share, 1.0) * inside) : 0;

    out[0] = '[';
    memset(out + 1, '=', full);
    memset(out + 1 + full, ' ', inside - full);
    if (full < inside)
        out[1 + full] = '>';
    out[width - 1] = ']';
    out[width] = '\0';
}

void progress_clock(double seconds, char *out, size_t size)
{
    const uint64_t whole = seconds > 0.0 ? (uint64_t)fmin(seconds, 1e9) : 0;

    if (whole >= 3600)
        snprintf(out, size, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(out, size, "%" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
}

static int format_share(const char *what, double share, int64_t elapsed_ns, char *out, size_t size)
{
    char bar[BAR_COLUMNS + 1], left[40];

    progress_bar(share, BAR_COLUMNS, bar);
    if (elapsed_ns < ESTIMATE_NS || share <= 0.0)
        return snprintf(out, size, "%s %s %3.0f %%", what, bar, floor(fmax(share, 0.0) * 100.0));
    progress_clock(ceil((double)elapsed_ns * 1e-9 * (1.0 - share) / share), left, sizeof left);
    return snprintf(out, size, "%s %s %3.0f %%  %s left", what, bar, floor(share * 100.0), left);
}

size_t progress_format(const char *what, double share, uint64_t done_bytes, int64_t elapsed_ns, unsigned columns,
                       char *out, size_t size)
{
    const size_t most = columns > 1 ? columns - 1 : 0; /* the last column makes some terminals begin another line */
    const int wanted = share >= 0.0 ? format_share(what, fmin(share, 1.0), elapsed_ns, out, size)
                                    : snprintf(out, size, "%s %.1f MB", what, (double)done_bytes * 1e-6);
    size_t length = wanted < 0 ? 0 : (size_t)wanted < size ? (size_t)wanted : size - 1;

    if (length > most)
        length = most;
    out[length] = '\0';
    return length;
}

/* ---- the terminal ---- */

static unsigned count_columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
}

static void draw(uint64_t done_bytes, uint64_t total_bytes, int64_t elapsed_ns)
{
    const double part = total_bytes ? fmin((double)done_bytes / (double)total_bytes, 1.0) : 0.0;
    const double share = total_bytes ? state.from + (state.to - state.from) * part : -1.0;
    char line[LINE_MAX_BYTES];

    progress_format(state.what, share, done_bytes, elapsed_ns, count_columns(), line, sizeof line);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    state.is_drawn = true;
}

void progress_update(uint64_t done_bytes, uint64_t total_bytes)
{
    int64_t now;

    if (!state.what || state.updates++ % UPDATES_A_LOOK != 0)
        return;
    now = now_ns();
    if (now < state.next_ns)
        return;
    state.next_ns = now + PERIOD_NS;
    draw(done_bytes, total_bytes, now - state.begun_ns);
}

void progress_erase(void)
{
    if (!state.is_drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    state.is_drawn = false;
}

void progress_end(void)
{
    progress_erase();
    memset(&state, 0, sizeof state);
}
