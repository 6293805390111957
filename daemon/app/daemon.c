/* The daemon's life and its wiring; see daemon.h. Nothing is closed from within a callback: a callback stops the loop,
 * and the rest happens after it.
 *
 * How a sample gets from the runtime to the clients, file by file:
 *   sources/openxr/helper/xr_session.c    asks the runtime where both hands are, in a process of its own;
 *   sources/openxr/helper/report_queue.c  writes them as one frame into the ring (sources/openxr/ring.c);
 *   sources/openxr/helper/clashd_link.c   sends the frame to clashd through a local socket;
 *   sources/openxr/helper_process.c       reads it in place, and helper_wire.c checks it;
 *   sources/openxr/helper_messages.c      reports it as a pose_frame (ports/pose_source.h). Frames of a recording come from
 *                                         sources/replay/player.c instead, frames of clients from scene/push_poses.c;
 *   scene/feeds.c                         leaves out devices that a game or the layer feeds; feeds_switch.c hands the frame to
 *                                         all sinks (scene/event_outbox.c) and to the pipeline;
 *   pipeline/pipeline.c                   adds each sample to the track of its device (devices.c, track.c), finds the pairs that
 *                                         may touch (swept_aabb.c, candidates.c), walks each of them from sample to sample
 *                                         (pairs.c) and makes events of what it finds (contacts.c), using include/clash.
 * A step that takes too long pauses, and continues in the next turns of the loop (pipeline/step.c, scene/inbox.c).
 * scene/event_outbox.c passes an event to each sink (where several players must agree on a contact first, it keeps the event back from all but
 * the recording and the room): recorder/recorder.c writes it as a line of the file;
 * server/server.c has lines.c make one line for all clients that want the same, and peers (ipc/peer.c) queue it until the
 * turn of the loop ends (ipc/outbox.c); sinks/haptics vibrates. */
#include "daemon_private.h"

#include "service/loop.h"
#include "source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_LOST 1
#define EXIT_REFUSED 2

/* ---- what the source reports ---- */

static void on_frame(void *context, const pose_frame *frame)
{
    app_daemon *d = context;

    scene_source_frame(&d->scene, frame);
    if (d->source->rest)
        d->source->rest(d->source, pipeline_apart_until(d->pipeline, frame));
    daemon_settle(d, frame->time_ns);
}

static size_t on_sent(void *context, int64_t time_ns, int64_t now_ns, const pose_sample *samples, size_t count)
{
    app_daemon *d = context;
    const size_t refused = scene_source_sent(&d->scene, time_ns, now_ns, samples, count);

    if (refused < count)
        daemon_settle(d, time_ns);
    daemon_watch_silence(d);
    return refused;
}

static void on_ended(void *context)
{
    app_daemon *d = context;
    pose_source_status status;

    scene_source_gone(&d->scene, d->scene.last_ns, CLASH_TRACKING_SOURCE_ENDED);
    LOG_INFO(&d->log, "the replay has ended: %" PRIu64 " contacts", pipeline_get_counters(d->pipeline)->contacts);
    if (d->options->exit_at_end) {
        d->source->status(d->source, &status);
        d->failed = status.broken;
        d->finishing = true;
        uv_stop(&d->loop);
    }
}

void daemon_start_source(app_daemon *d)
{
    pose_listener reports = scene_listener(&d->scene); /* `d` adds the rest */

    reports.frame = on_frame;
    reports.sent = on_sent;
    reports.equipment = daemon_take_equipment;
    reports.ended = on_ended;
    if (d->source_started)
        return;
    d->source_started = true;
    if (d->source->start(d->source, &reports) < 0) {
        d->failed = true;
        uv_stop(&d->loop);
    }
}

/* ---- what the other parts report ---- */

static const char *on_device_name(void *context, uint32_t device)
{
    return pipeline_device_name(((app_daemon *)context)->pipeline, device);
}

static void on_signal(void *context, int number)
{
    app_daemon *d = context;

    LOG_INFO(&d->log, "%s: stopping", strsignal(number));
    d->stopping = true;
    if (d->ending)
        server_hurry(d->server);
    uv_stop(&d->loop);
}

/* ---- the parts ---- */

device_names daemon_names(app_daemon *d)
{
    return (device_names){.context = d, .name = on_device_name};
}

static int open_depenetrator(app_daemon *d, failure *out_failure)
{
    d->depenetrator = depenetrator_create(d->pipeline, DEPENETRATOR_WORK);
    if (d->depenetrator)
        return 0;
    return fail_int(out_failure, "out of memory");
}

int64_t daemon_session_ns(void *daemon)
{
    return session_time_ns(&((app_daemon *)daemon)->session);
}

static int open_push(app_daemon *d, failure *out_failure)
{
    const push_settings settings = {
        .scene = &d->scene,
        .epoch_ns = d->session.epoch_monotonic_ns,
        .timeout_ns = (int64_t)d->config->socket.push_timeout_ms * 1000000,
        .loader = d->loader,
        .context = d,
        .now_ns = daemon_session_ns,
        .done = daemon_on_pushed,
        .inbox = d->inbox,
    };

    d->silence.data = d;
    d->push = push_create(&settings);
    if (d->push && uv_timer_init(&d->loop, &d->silence) == 0)
        return 0;
    fail_with(out_failure, "out of memory");
    push_destroy(d->push);
    d->push = NULL;
    return -1;
}

static int open_source(app_daemon *d, failure *out_failure)
{
    const app_source_request request = {
        .loop = &d->loop,
        .config = d->config,
        .options = d->options,
        .epoch_ns = d->session.epoch_monotonic_ns,
        .log = d->log,
        .context = d,
        .replay_changed = daemon_replay_changed,
    };

    return app_source_create(&request, &d->source, &d->pulses, out_failure);
}

/* Vibrate through whoever feeds the hand and asked for that, else through clashd's own session. A game that feeds the
 * hand but did not ask does it itself. */
static void on_pulse(void *context, uint32_t device, float amplitude, int64_t duration_ns)
{
    app_daemon *d = context;
    const void *client = scene_haptics_of(&d->scene, device);
    const protocol_haptic haptic = {pipeline_device_name(d->pipeline, device), amplitude, duration_ns};

    if (client && d->server)
        server_notify_haptic(d->server, client, &haptic);
    else if (d->pulses.pulse && pipeline_device_source(d->pipeline, device) != CLASH_SOURCE_GAME)
        d->pulses.pulse(d->pulses.context, device, amplitude, duration_ns);
}

void daemon_on_feed_end(void *context)
{
    app_daemon *d = context;

    if (d->server)
        server_notify_feed_free(d->server);
}

void daemon_name_haptics(app_daemon *d)
{
    for (size_t i = 0; i < d->config->blade_count; i++)
        d->haptics_blades[i] = (haptics_blade){
            .name = d->config->blades[i].name,
            .device = pipeline_device(d->pipeline, d->config->blades[i].device),
        };
    haptics_init(&d->haptics, (haptic_output){d, on_pulse}, d->haptics_blades, d->config->blade_count);
}

/* Add the recorder first: what a client has seen is then in the recording, even if that client ends clashd. */
void daemon_join_sinks(app_daemon *d)
{
    session_outbox_clear(&d->outbox);
    if (d->recorder)
        session_outbox_add(&d->outbox, recorder_port(d->recorder), SESSION_OUTBOX_AT_ONCE);
    session_outbox_add(&d->outbox, server_port(d->server), SESSION_OUTBOX_AGREED);
    if (d->config->openxr.haptics) {
        daemon_name_haptics(d);
        session_outbox_add(&d->outbox, haptics_port(&d->haptics), SESSION_OUTBOX_AGREED);
    }
    outlets_join(&d->outlets, &d->outbox);
}

/* Open the socket before the recorder, so that a second daemon is refused before it overwrites anything. */
static int open_all(app_daemon *d, const char *space, failure *out_failure)
{
    d->had_terminal = signals_have_terminal();
    if (activation_take(&d->config->socket, &d->activation, out_failure) < 0)
        return -1;
    if (signals_open(&d->signals, &d->loop, &(signals_listener){d, on_signal, daemon_hangup}) < 0 ||
        service_open(&d->service, &d->loop, d, daemon_describe_service, d->log) < 0 ||
        session_init(&d->session, space) < 0) {
        return fail_int(out_failure, "the system refuses signals, randomness or clocks");
    }
    loop_reserve_clients(&d->loop, d->config->socket.max_clients, &d->log);
    d->sinks = session_outbox_port(&d->outbox);
    if (daemon_load_scene(d, out_failure) < 0 || open_depenetrator(d, out_failure) < 0 || daemon_open_inbox(d) < 0 ||
        open_push(d, out_failure) < 0 || open_source(d, out_failure) < 0 || daemon_open_socket(d, out_failure) < 0 ||
        daemon_open_recorder(d, out_failure) < 0 || daemon_open_outlets(d, out_failure) < 0)
        return -1;
    pipeline_set_peak_function(d->pipeline, d->sinks.peak, d->sinks.context);
    daemon_join_sinks(d);
    return 0;
}

static void close_all(app_daemon *d)
{
    inbox_end(d->inbox);
    room_link_close(&d->room); /* others' blades go while all sinks are there to hear of it */
    pose_source_destroy(d->source);
    d->source = NULL;
    daemon_cancel_reload(d);
    pending_targets_close(d->scene.late);
    push_give_up(d->push, NULL);
    surface_loader_close(d->loader);
    signals_unref(&d->signals);
    if (d->push)
        uv_close((uv_handle_t *)&d->silence, NULL);
    inbox_close(d->inbox);
    d->lost_lines = !recorder_close(d->recorder);
    d->recorder = NULL;
    outlets_close(&d->outlets);
    d->ending = true;
    if (d->server && d->finishing && !d->stopping)
        server_finish(d->server);
    else
        server_close(d->server);
    uv_run(&d->loop, UV_RUN_DEFAULT);
    signals_finish(&d->signals);
    service_close(&d->service);
    uv_run(&d->loop, UV_RUN_DEFAULT);
    push_destroy(d->push);
    depenetrator_destroy(d->depenetrator);
    scene_close(&d->scene);
    free(d->blades);
}

static int run(app_daemon *d, const char *space)
{
    failure error = {0};

    if (open_all(d, space, &error) < 0) {
        if (d->stopping)
            return EXIT_SUCCESS;
        LOG_ERROR(&d->log, "%s", error.text);
        return EXIT_REFUSED;
    }
    daemon_warn_no_clash(d);
    if (!d->options->wait_for_client)
        daemon_start_source(d);
    if (!d->failed)
        service_ready(&d->service);
    if (d->hung_up && !d->failed)
        daemon_hangup(d);
    uv_run(&d->loop, UV_RUN_DEFAULT);
    service_stopping(&d->service);
    return d->failed ? EXIT_REFUSED : EXIT_SUCCESS;
}

int app_daemon_run(config_settings *settings, const config_options *options, const web_assets *assets,
                   log_output *output)
{
    app_daemon *d = calloc(1, sizeof *d);
    const logger log = log_output_port(output);
    int code = EXIT_REFUSED;

    if (!d) {
        LOG_ERROR(&log, "out of memory");
        return code;
    }
    d->settings = settings;
    d->config = &settings->config;
    d->options = options;
    d->assets = assets;
    d->output = output;
    d->log = log;
    if (loop_init(&d->loop) == 0) {
        code = run(d, settings->space);
        close_all(d);
        if (code == EXIT_SUCCESS && d->lost_lines)
            code = EXIT_LOST;
        if (uv_loop_close(&d->loop) != 0)
            LOG_WARNING(&log, "something was left open at the end");
    } else {
        LOG_ERROR(&log, "the system refuses an event loop");
    }
    free(d);
    return code;
}
