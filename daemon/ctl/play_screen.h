/* The terminal of clashctl play: keys without return, and a line at the bottom that says where it is. Knows no recording. */
#ifndef CLASHD_CTL_PLAY_SCREEN_H
#define CLASHD_CTL_PLAY_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/** Zero-initialise. */
typedef struct play_screen {
    bool is_drawn, has_line, has_modes;
    char line[256];       /* that is drawn */
    struct termios modes; /* as they were */
} play_screen;

typedef struct play_view {
    const char *state;
    int64_t position_ns, first_ns, last_ns;
    double speed; /* 0: as fast as it goes */
    uint64_t contacts;
} play_view;

/** Keys come at once and unseen, if there are any. Whether a line can be drawn: standard error is a terminal. */
bool play_screen_enter(play_screen *s, bool has_keys);
/** The terminal as it was. Idempotent. */
void play_screen_leave(play_screen *s);
void play_screen_draw(play_screen *s, const play_view *view);
/** Before anything else is written. */
void play_screen_erase(play_screen *s);

/** The line, at most columns - 1 bytes; pure. Returns its length. */
size_t play_screen_format(const play_view *view, unsigned columns, char *out, size_t size);

typedef enum play_key {
    PLAY_KEY_NONE,
    PLAY_KEY_PAUSE,
    PLAY_KEY_STEP,
    PLAY_KEY_BACK,
    PLAY_KEY_ON,
    PLAY_KEY_QUIT
} play_key;

/** The key that count > 0 bytes begin with, and how many of them it has. Pure. */
play_key play_key_read(const char *bytes, size_t count, size_t *out_used);

#endif
