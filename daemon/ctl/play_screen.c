/* The terminal of clashctl play: see play_screen.h. */
#include "play_screen.h"

#include "cli/output.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80u
#define BAR_COLUMNS 30u

bool play_screen_enter(play_screen *s, bool has_keys)
{
    const char *terminal = getenv("TERM");
    struct termios modes;

    if (has_keys && tcgetattr(STDIN_FILENO, &s->modes) == 0) {
        modes = s->modes;
        modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        modes.c_cc[VMIN] = 1;
        modes.c_cc[VTIME] = 0;
        s->has_modes = tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0;
    }
    s->has_line = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    return s->has_line;
}

void play_screen_leave(play_screen *s)
{
    play_screen_erase(s);
    s->has_line = false;
    if (s->has_modes)
        tcsetattr(STDIN_FILENO, TCSANOW, &s->modes);
    s->has_modes = false;
}

size_t play_screen_format(const play_view *view, unsigned columns, char *out, size_t size)
{
    const double length_s = (double)(view->last_ns - view->first_ns) * 1e-9;
    const double at_s = (double)(view->position_ns - view->first_ns) * 1e-9;
    char bar[BAR_COLUMNS + 1], at[40], all[40], speed[40] = "max";
    int written;
    size_t length;

    progress_bar(length_s > 0.0 ? at_s / length_s : 0.0, BAR_COLUMNS, bar);
    progress_clock(at_s, at, sizeof at);
    progress_clock(length_s, all, sizeof all);
    if (view->speed > 0.0)
        snprintf(speed, sizeof speed, "%gx", view->speed);
    written = snprintf(out, size, "%s %s / %s  %s  %" PRIu64 " contact%s  %s", bar, at, all, speed, view->contacts,
                       plural_s(view->contacts), view->state);
    length = written < 0 ? 0 : (size_t)written < size ? (size_t)written : size - 1;
    if (length >= columns)
        length = columns > 0 ? columns - 1 : 0;
    out[length] = '\0';
    return length;
}

void play_screen_draw(play_screen *s, const play_view *view)
{
    struct winsize window;
    unsigned columns = COLUMNS_DEFAULT;
    char line[sizeof s->line] = "";

    if (!s->has_line)
        return;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        columns = window.ws_col;
    play_screen_format(view, columns, line, sizeof line);
    if (s->is_drawn && strcmp(line, s->line) == 0)
        return;
    memcpy(s->line, line, sizeof line);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    s->is_drawn = true;
}

void play_screen_erase(play_screen *s)
{
    if (!s->is_drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    s->is_drawn = false;
}

play_key play_key_read(const char *bytes, size_t count, size_t *out_used)
{
    *out_used = 1;
    if (count >= 3 && bytes[0] == '\033' && (bytes[1] == '[' || bytes[1] == 'O')) {
        *out_used = 3;
        return bytes[2] == 'C' ? PLAY_KEY_ON : bytes[2] == 'D' ? PLAY_KEY_BACK : PLAY_KEY_NONE;
    }
    switch (bytes[0]) {
    case ' ':
        return PLAY_KEY_PAUSE;
    case '.':
        return PLAY_KEY_STEP;
    case 'q':
    case 'Q':
        return PLAY_KEY_QUIT;
    default:
        return PLAY_KEY_NONE;
    }
}
