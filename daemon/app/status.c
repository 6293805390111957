/* The daemon's status: gather the counters of every room. See daemon_private.h. */
#include "daemon_private.h"

#include "config/fields.h"
#include "metrics/metrics.h"

/* A replay's times are the recording's. */
static bool is_replay(const app_daemon *d)
{
    return d->options->source == CONFIG_SOURCE_REPLAY;
}

/* Return the time on CLOCK_MONOTONIC. */
static int64_t now_ns(const app_daemon *d)
{
    return d->session.epoch_monotonic_ns + session_time_ns(&d->session);
}

size_t daemon_list_devices(app_daemon *d)
{
    uint32_t end = pipeline_device_count(d->pipeline), count = 0;
    const int64_t until_ns = is_replay(d) ? d->scene.last_ns : now_ns(d);

    for (uint32_t i = 0; i < end; i++)
        if (pipeline_device_name(d->pipeline, i))
            d->devices[count++] = (protocol_status_device){
                .device = pipeline_device_name(d->pipeline, i),
                .tracked = pipeline_device_tracked(d->pipeline, i),
                .reason = pipeline_device_reason(d->pipeline, i),
                .lost_ns = pipeline_device_lost_ns(d->pipeline, i, until_ns),
                .source = pipeline_device_source(d->pipeline, i),
                .space = scene_space_of(&d->scene, i),
                .stage = scene_stage_of(&d->scene, i),
            };
    return count;
}

static size_t list_counters(app_daemon *d, const pose_source_status *source)
{
    const counter_row own[] = {
        {"reloads", "clashd_reloads_total", "Times that changed settings were applied.", d->reloads},
        {"reloads_refused", "clashd_reloads_refused_total", "Times that they were refused, and all stayed as it was.",
         d->reloads_refused},
    };

    d->counters.count = 0;
    pipeline_list_counters(d->pipeline, &d->counters);
    pose_source_list_counters(source, &d->counters);
    if (d->depenetrator)
        depenetrator_list_counters(d->depenetrator, &d->counters);
    counter_list_add(&d->counters, own, sizeof own / sizeof own[0]);
    if (d->server)
        server_list_counters(d->server, &d->counters);
    if (d->push)
        push_list_counters(d->push, &d->counters);
    if (d->recorder)
        recorder_list_counters(d->recorder, &d->counters);
    outlets_list_counters(&d->outlets, &d->counters);
    room_link_list_counters(&d->room, &d->counters);
    for (size_t i = 0; i < d->counters.count; i++)
        d->status_counters[i] = (protocol_counter){d->counters.rows[i].name, d->counters.rows[i].value};
    return d->counters.count;
}

void daemon_describe_status(app_daemon *d, protocol_status *out_status)
{
    pose_source_status source;

    d->source->status(d->source, &source);
    if (!d->source_started)
        source.detail = "begins when the first client has subscribed";
    d->latency = (protocol_latency){latency_bounds_ns, &d->to_queue.histogram, &d->to_write.histogram};
    *out_status = (protocol_status){
        .time_ns = session_time_ns(&d->session),
        .source = source.kind,
        .state = source.state,
        .runtime = source.runtime,
        .detail = source.detail,
        .clock_error_ns = source.clock_error_ns,
        .replay = daemon_describe_replay(d, &d->replay) ? &d->replay : NULL,
        .devices = d->devices,
        .device_count = daemon_list_devices(d),
        .players = d->config->mqtt.peers ? d->players : NULL,
        .player_count = room_link_list_players(&d->room, d->players, PROTOCOL_STATUS_PLAYERS_MAX),
        .counters = d->status_counters,
        .counter_count = list_counters(d, &source),
        .latency = is_replay(d) ? NULL : &d->latency,
    };
}

static void describe_status(void *context, protocol_status *out_status)
{
    daemon_describe_status(context, out_status);
    out_status->clients = server_clients(((app_daemon *)context)->server);
}

static outlets_settings outlets_of(app_daemon *d, const config_values *config)
{
    const mqtt_take take = config->mqtt.peers ? room_link_take(&d->room, &config->mqtt) : (mqtt_take){0};

    return (outlets_settings){&d->loop, config, d->session.epoch_monotonic_ns, daemon_names(d), d->log,
                              take,     d,      daemon_describe_session,       describe_status};
}

int daemon_open_outlets(app_daemon *d, failure *out_failure)
{
    const outlets_settings settings = outlets_of(d, d->config);
    const room_link_settings link = {
        &d->loop,        &d->scene, &d->outlets, &d->outbox,        d->session.id,     d->session.epoch_monotonic_ns,
        daemon_names(d), d->log,    d,           daemon_session_ns, daemon_settle_room};

    if (room_link_open(&d->room, &link, d->config, out_failure) != 0)
        return -1;
    return outlets_open(&d->outlets, &settings, out_failure);
}

int daemon_change_outlets(app_daemon *d, const config_values *next, failure *out_failure)
{
    const outlets_settings settings = outlets_of(d, next);
    char key[64];

    if (outlets_change(&d->outlets, d->config, &settings, out_failure) != 0)
        return -1;
    room_link_change(&d->room, next, config_find_change(d->config, next, "mqtt", key, sizeof key));
    daemon_join_sinks(d);
    return 0;
}

void daemon_make_metrics(app_daemon *d, server_metrics *out_metrics)
{
    protocol_status status;

    describe_status(d, &status);
    out_metrics->content_type = METRICS_CONTENT_TYPE;
    out_metrics->text = metrics_format(&status, &d->counters, &out_metrics->length);
}

static bool settle(void *context, const void *subject, int64_t sample_ns)
{
    app_daemon *d = context;

    (void)subject;
    server_settled(d->server);
    if (!is_replay(d) && sample_ns != 0)
        latency_add(&d->to_queue, now_ns(d) - sample_ns);
    return true;
}

void daemon_settle(app_daemon *d, int64_t sample_ns)
{
    if (!inbox_after_step(d->inbox, &(inbox_task){.run = settle, .context = d, .number = sample_ns}))
        settle(d, NULL, sample_ns);
}

void daemon_settle_room(void *daemon)
{
    daemon_settle(daemon, 0);
}

void daemon_on_written(app_daemon *d, int64_t sample_ns)
{
    if (!is_replay(d))
        latency_add(&d->to_write, now_ns(d) - sample_ns);
}

void daemon_describe_service(void *context, service_state *out_state)
{
    app_daemon *d = context;
    const size_t devices = daemon_list_devices(d);
    pose_source_status source = {.kind = "no source", .state = "stopping", .detail = ""};

    if (d->source)
        d->source->status(d->source, &source);
    *out_state = (service_state){.source = source.kind,
                                 .state = source.state,
                                 .detail = source.detail,
                                 .devices = devices,
                                 .clients = d->server ? server_clients(d->server) : 0};
    for (size_t i = 0; i < devices; i++)
        out_state->tracked += d->devices[i].tracked;
}
