/* What the runtime's calls cost on their own: a program that makes, as often as clashd, the calls that clashd makes each
 * time (sync, both grips' states and places, events), and does nothing with what it gets. */
#include "load.h"

#include "support/xr_client.h"

#include <sys/prctl.h>

#define TIMER_SLACK_NS 1000ul /* as clashd's thread */

static void look(xr_client *c)
{
    XrTime now = xr_client_now(c);

    assert_xr(xr_client_sync(c));
    for (int hand = 0; hand < 2; hand++)
        if (xr_client_is_active(c, hand))
            xr_client_locate_in(c->grips[hand], c->stage, now);
    assert_int_equal(xr_client_poll(c), XR_EVENT_UNAVAILABLE);
}

void bare_run(double rate_hz)
{
    static xr_client c;
    struct timespec next;

    prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
    xr_client_start(&c);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        look(&c);
        next.tv_nsec += (long)(1e9 / rate_hz);
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
}
