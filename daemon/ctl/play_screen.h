/* The terminal of clashctl play: keys without return, and a status line at the bottom. Knows no recording. */
#ifndef CLASHD_CTL_PLAY_SCREEN_H
#define CLASHD_CTL_PLAY_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/** Zero-initialise. */
typedef struct play_screen {
    bool is_drawn, has_line, has_modes;
    char line[256];       /* as drawn */
    struct termios modes; /* as they were before */
} play_screen;

typedef struct play_view {
    const char *state;
    int64_t position_ns, first_ns, last_ns;
    double speed; /* 0: as fast as possible */
    uint64_t contacts;
} play_view;

/** Make keys, if there are any, come at once and unseen. Return whether a line can be drawn: standard error is a
 *  terminal. */
bool play_screen_enter(play_screen *s, bool has_keys);
/** Restore the terminal. Idempotent. */
void play_screen_leave(play_screen *s);
void play_screen_draw(play_screen *s, const play_view *view);
/** Erase the line before anything else is written. */
void play_screen_erase(play_screen *s);

/** Write the line, at most columns - 1 bytes; pure. Returns its length. */
size_t play_screen_format(const play_view *view, unsigned columns, char *out, size_t size);

typedef enum play_key {
    PLAY_KEY_NONE,
    PLAY_KEY_PAUSE,
    PLAY_KEY_STEP,
    PLAY_KEY_BACK,
    PLAY_KEY_ON,
    PLAY_KEY_QUIT
} play_key;

/** Return the key that count > 0 bytes begin with, and how many bytes it has. Pure. */
play_key play_key_read(const char *bytes, size_t count, size_t *out_used);

#endif
