#include "frame_forecast.h"

#include <math.h>

/** Between two looks. A game asks for what its frame has struck from 0.3 ms on. */
#define LOOK_NS 100000
/** Forecast after so many frames in a row. */
#define ENOUGH_FRAMES 8
/** Look for a frame from so many times the spread before it is expected, and at least so long, until as long after that. */
#define SPREADS 4
#define WINDOW_MIN_NS 150000
/** If a game is less regular than that, looking costs more than being woken. */
#define WINDOW_MAX_NS 1500000
/** Frames further apart than that do not follow from each other. */
#define GAP_NS 250000000
/** A step that is longer or shorter by more than this share is not the period: the game has left out a frame, or its rate changes.
 *  It has changed if so many steps say so. */
#define OTHER_PERIOD 0.25
#define OTHER_STEPS 3
/** The share of a new frame in what is smoothed, as in RFC 6298's estimate of a round trip: of the mean and of the deviation. */
#define MEAN_SHARE 0.125
#define SPREAD_SHARE 0.25

/** Start from that frame, with that period. */
static void begin(frame_forecast *forecast, int64_t display_ns, double period, double lead)
{
    *forecast = (frame_forecast){.display_ns = display_ns, .period_ns = period, .lead_ns = lead};
}

void frame_forecast_note(frame_forecast *forecast, int64_t came_ns, int64_t display_ns)
{
    double step = (double)display_ns - (double)forecast->display_ns, lead = (double)display_ns - (double)came_ns;
    double longer = step - forecast->period_ns, earlier = lead - forecast->lead_ns;
    bool follows = forecast->display_ns != 0 && step > 0 && step < GAP_NS;

    if (!follows || forecast->period_ns <= 0) {
        begin(forecast, display_ns, follows ? step : 0, lead);
    } else if (fabs(longer) > OTHER_PERIOD * forecast->period_ns) {
        forecast->display_ns = display_ns;
        if (++forecast->left >= OTHER_STEPS)
            begin(forecast, display_ns, step, lead);
    } else {
        forecast->display_ns = display_ns;
        forecast->spread_ns += SPREAD_SHARE * (fabs(longer - earlier) - forecast->spread_ns);
        forecast->period_ns += MEAN_SHARE * longer;
        forecast->lead_ns += MEAN_SHARE * earlier;
        forecast->followed += forecast->followed < ENOUGH_FRAMES;
        forecast->left = 0;
    }
}

frame_outlook frame_forecast_next(const frame_forecast *forecast, int64_t now_ns)
{
    const frame_outlook woken = {.until_ns = INT64_MAX};
    double margin = fmax(SPREADS * forecast->spread_ns, WINDOW_MIN_NS);
    double expected =
        (double)forecast->display_ns - (double)now_ns + forecast->period_ns - forecast->lead_ns; /* from now */

    if (forecast->followed < ENOUGH_FRAMES || margin > WINDOW_MAX_NS || expected + margin <= 0 || expected > GAP_NS)
        return woken;
    if (expected > margin + 1)
        return (frame_outlook){.until_ns = now_ns + (int64_t)(expected - margin)};
    return (frame_outlook){.until_ns = now_ns + LOOK_NS, .is_close = true};
}
