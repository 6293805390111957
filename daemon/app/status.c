/* What the daemon says of itself: gathers the counters of every part under names of their own. See daemon_private.h. */
#include "daemon_private.h"

static size_t list_pipeline_counters(const pipeline_counters *c, protocol_counter *out, size_t size)
{
    const protocol_counter all[] = {
        {"samples", c->samples},
        {"refused_late", c->refused_late},
        {"refused_not_finite", c->refused_not_finite},
        {"refused_too_far", c->refused_too_far},
        {"refused_not_unit", c->refused_not_unit},
        {"refused_unknown", c->refused_unknown},
        {"invalid", c->invalid},
        {"untracked", c->untracked},
        {"replaced", c->replaced},
        {"cuts", c->cuts},
        {"overruns", c->overruns},
        {"sweeps", c->sweeps},
        {"proved", c->proved},
        {"starved", c->starved},
        {"contacts", c->contacts},
        {"events", c->events},
    };
    size_t count = sizeof all / sizeof all[0];

    for (size_t i = 0; i < count && i < size; i++)
        out[i] = all[i];
    return count < size ? count : size;
}

static size_t list_resolver_counters(resolver_counters c, protocol_counter *out, size_t size)
{
    const protocol_counter all[] = {
        {"resolved_asked", c.asked},
        {"resolved_given_up", c.spent},
        {"resolved_work", c.work},
    };
    size_t count = sizeof all / sizeof all[0];

    for (size_t i = 0; i < count && i < size; i++)
        out[i] = all[i];
    return count < size ? count : size;
}

static size_t list_source_counters(const pose_source_status *source, protocol_counter *out, size_t size)
{
    const protocol_counter all[] = {
        {"source_frames", source->frames},
        {"source_dropped", source->dropped},
        {"source_reconnects", source->reconnects},
        {"source_left_behind", source->left_behind},
    };
    size_t count = sizeof all / sizeof all[0];

    for (size_t i = 0; i < count && i < size; i++)
        out[i] = all[i];
    return count < size ? count : size;
}

/* Its times are the recording's. */
static bool is_replay(const app_daemon *d)
{
    return d->options->source == APP_SOURCE_REPLAY;
}

/* CLOCK_MONOTONIC. */
static int64_t now_ns(const app_daemon *d)
{
    return d->session.epoch_monotonic_ns + app_session_time_ns(&d->session);
}

static size_t list_devices(app_daemon *d)
{
    uint32_t end = pipeline_device_count(d->pipeline), count = 0;
    const int64_t until_ns = is_replay(d) ? d->last_ns : now_ns(d);

    for (uint32_t i = 0; i < end; i++)
        if (pipeline_device_name(d->pipeline, i))
            d->devices[count++] = (protocol_status_device){
                .device = pipeline_device_name(d->pipeline, i),
                .tracked = pipeline_device_tracked(d->pipeline, i),
                .lost_ns = pipeline_device_lost_ns(d->pipeline, i, until_ns),
            };
    return count;
}

static size_t list_counters(app_daemon *d, const pose_source_status *source)
{
    size_t used = list_pipeline_counters(pipeline_get_counters(d->pipeline), d->counters, DAEMON_COUNTERS_MAX);

    used += list_source_counters(source, d->counters + used, DAEMON_COUNTERS_MAX - used);
    if (d->resolver)
        used +=
            list_resolver_counters(resolver_get_counters(d->resolver), d->counters + used, DAEMON_COUNTERS_MAX - used);
    if (used + 2 <= DAEMON_COUNTERS_MAX) {
        d->counters[used++] = (protocol_counter){"reloads", d->reloads};
        d->counters[used++] = (protocol_counter){"reloads_refused", d->reloads_refused};
    }
    if (d->socket)
        used += socket_sink_list_counters(d->socket, d->counters + used, DAEMON_COUNTERS_MAX - used);
    if (d->push)
        used += push_list_counters(d->push, d->counters + used, DAEMON_COUNTERS_MAX - used);
    if (d->recorder)
        used += recorder_list_counters(d->recorder, d->counters + used, DAEMON_COUNTERS_MAX - used);
    return used;
}

void daemon_describe_status(app_daemon *d, protocol_status *out_status)
{
    pose_source_status source;

    d->source->status(d->source, &source);
    if (!d->source_started)
        source.detail = "begins when the first client has subscribed";
    d->latency = (protocol_latency){latency_bounds_ns, &d->to_queue.histogram, &d->to_write.histogram};
    *out_status = (protocol_status){
        .time_ns = app_session_time_ns(&d->session),
        .source = source.kind,
        .state = source.state,
        .runtime = source.runtime,
        .detail = source.detail,
        .clock_error_ns = source.clock_error_ns,
        .replay = daemon_describe_replay(d, &d->replay) ? &d->replay : NULL,
        .devices = d->devices,
        .device_count = list_devices(d),
        .counters = d->counters,
        .counter_count = list_counters(d, &source),
        .latency = is_replay(d) ? NULL : &d->latency,
    };
}

void daemon_settle(app_daemon *d, int64_t sample_ns)
{
    socket_sink_settled(d->socket);
    if (!is_replay(d))
        latency_add(&d->to_queue, now_ns(d) - sample_ns);
}

void daemon_on_written(void *context, int64_t sample_ns)
{
    app_daemon *d = context;

    if (!is_replay(d))
        latency_add(&d->to_write, now_ns(d) - sample_ns);
}

void daemon_describe_service(void *context, service_state *out_state)
{
    app_daemon *d = context;
    const size_t devices = list_devices(d);
    pose_source_status source = {.kind = "no source", .state = "stopping", .detail = ""};

    if (d->source)
        d->source->status(d->source, &source);
    *out_state = (service_state){.source = source.kind,
                                 .state = source.state,
                                 .detail = source.detail,
                                 .devices = devices,
                                 .clients = d->socket ? socket_sink_clients(d->socket) : 0};
    for (size_t i = 0; i < devices; i++)
        out_state->tracked += d->devices[i].tracked;
}
