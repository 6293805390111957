/* See play_private.h. */
#include "play_private.h"

#include "cli/output.h"

#include <signal.h>
#include <unistd.h>

#define SKIP_NS INT64_C(5000000000)
#define REDRAW_MS 50
#define READER_MS 200

static void order(play *p, replay_command command)
{
    failure error = {0};

    replay_source_command(p->source, &command, &error);
}

static void on_redraw(uv_timer_t *timer)
{
    play *p = timer->data;
    replay_state state;

    replay_source_get_state(p->source, &state);
    play_screen_draw(&p->screen, &(play_view){.state = state.state,
                                              .position_ns = state.position_ns,
                                              .first_ns = state.first_ns,
                                              .last_ns = state.last_ns,
                                              .speed = state.speed,
                                              .contacts = p->contacts});
}

/* Use a timer: uv_poll_t would make standard output non-blocking for everybody who has it. */
static void on_reader(uv_timer_t *timer)
{
    if (!output_has_reader())
        uv_stop(timer->loop);
}

static void take_key(play *p, play_key key)
{
    replay_state state;

    replay_source_get_state(p->source, &state);
    if (key == PLAY_KEY_QUIT)
        uv_stop(&p->loop);
    else if (key == PLAY_KEY_PAUSE)
        order(p, (replay_command){.action = state.is_paused ? REPLAY_RESUME : REPLAY_PAUSE});
    else if (key == PLAY_KEY_STEP)
        order(p, (replay_command){.action = REPLAY_STEP, .count = 1});
    else if (key == PLAY_KEY_BACK || key == PLAY_KEY_ON)
        order(p, (replay_command){.action = REPLAY_SEEK,
                                  .time_ns = state.position_ns + (key == PLAY_KEY_ON ? SKIP_NS : -SKIP_NS)});
}

static void on_keys(uv_poll_t *poll, int status, int events)
{
    play *p = poll->data;
    char bytes[64];
    ssize_t count = status < 0 ? -1 : read(STDIN_FILENO, bytes, sizeof bytes);

    (void)events;
    if (count <= 0)
        uv_poll_stop(poll);
    for (ssize_t at = 0; at < count;) {
        size_t used;

        take_key(p, play_key_read(bytes + at, (size_t)(count - at), &used));
        at += (ssize_t)used;
    }
}

static void on_signal(uv_signal_t *handle, int number)
{
    play *p = handle->data;

    if (number == SIGTSTP) { /* as for a program that does not catch it */
        play_screen_leave(&p->screen);
        raise(SIGSTOP);
        play_screen_enter(&p->screen, p->has_keys);
        return;
    }
    p->ended_by = number;
    uv_stop(&p->loop);
}

void play_open_handles(play *p)
{
    static const int numbers[PLAY_SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};

    for (size_t i = 0; i < PLAY_SIGNALS; i++) {
        uv_signal_init(&p->loop, &p->signals[i]);
        p->signals[i].data = p;
        uv_signal_start(&p->signals[i], on_signal, numbers[i]);
    }
    uv_timer_init(&p->loop, &p->redraw);
    p->redraw.data = p;
    uv_timer_init(&p->loop, &p->reader);
    uv_timer_start(&p->reader, on_reader, READER_MS, READER_MS);
    p->has_keys = isatty(STDIN_FILENO) && uv_poll_init(&p->loop, &p->keys, STDIN_FILENO) == 0;
    p->keys.data = p;
    if (p->has_keys)
        uv_poll_start(&p->keys, UV_READABLE, on_keys);
    if (play_screen_enter(&p->screen, p->has_keys))
        uv_timer_start(&p->redraw, on_redraw, 0, REDRAW_MS);
}

void play_close_handles(play *p)
{
    play_screen_leave(&p->screen);
    for (size_t i = 0; i < PLAY_SIGNALS; i++)
        uv_close((uv_handle_t *)&p->signals[i], NULL);
    uv_close((uv_handle_t *)&p->redraw, NULL);
    uv_close((uv_handle_t *)&p->reader, NULL);
    if (p->has_keys)
        uv_close((uv_handle_t *)&p->keys, NULL);
}
