/* When does the game's next frame come? A runtime paces its game: each display time lies a period after the one before, and the game
 * asks for its hands at about the same time before each. So a thread that is to take the frame can be awake already, and the game
 * need not wake it, which would cost the game more than all else that the layer does. Pure: no clock. */
#ifndef CLASHD_LAYER_FRAME_FORECAST_H
#define CLASHD_LAYER_FRAME_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

/** All zeros: nothing is known yet. Times are CLOCK_MONOTONIC, ns. */
typedef struct frame_forecast {
    int64_t display_ns; /* of the last frame; 0: none yet */
    double period_ns;   /* between two display times, smoothed; 0: not known */
    double lead_ns;     /* how long before its display time a frame comes, smoothed */
    double spread_ns;   /* how far a frame strays from the forecast, smoothed */
    int followed, left; /* how many frames came a period after the one before; how many lately did not */
} frame_forecast;

/** What to do while there is no frame. */
typedef struct frame_outlook {
    int64_t until_ns; /* wait so long; INT64_MAX: without a limit */
    bool is_close;    /* then look whether a frame has come: nobody needs to say so. Else who has a frame must */
} frame_outlook;

/** A frame came at that time, to be seen at that one. */
void frame_forecast_note(frame_forecast *forecast, int64_t came_ns, int64_t display_ns);
/** What to do from `now_ns` on, until a frame is there; `until_ns` is later than that. */
frame_outlook frame_forecast_next(const frame_forecast *forecast, int64_t now_ns);

#endif
