/* The daemon's clients: connect the server with the other parts of the daemon. See daemon_private.h. */
#include "daemon_private.h"

#include "ipc/socket_path.h"

#include <stdio.h>
#include <stdlib.h>

/* List the devices that somebody feeds; those lost before are not reported. */
static size_t list_fed_devices(app_daemon *d)
{
    const size_t all = daemon_list_devices(d);
    size_t count = 0;

    for (size_t i = 0; i < all && count < PROTOCOL_HELLO_DEVICES_MAX; i++)
        if (d->devices[i].source != CLASH_SOURCE_NONE) {
            d->devices[count] = d->devices[i];
            d->devices[count++].lost_ns = 0;
        }
    return count;
}

/* Other players bring any number. Without memory for more, those that there is room for are listed. */
static size_t reserve_blades(app_daemon *d)
{
    const size_t count = pipeline_blade_count(d->pipeline);
    clash_blade *more;

    if (count > d->blade_capacity && (more = realloc(d->blades, (count + count / 2) * sizeof *more))) {
        d->blades = more;
        d->blade_capacity = count + count / 2;
    }
    return count < d->blade_capacity ? count : d->blade_capacity;
}

/* The session's own blades are those of the configuration; the pipeline has the clients' too. */
void daemon_describe_session(void *context, protocol_session *out_session)
{
    app_daemon *d = context;
    const size_t most = reserve_blades(d);
    const pipeline_blade *blade;

    session_describe(&d->session, out_session);
    out_session->equipment = (protocol_equipment){d->runtime, d->controllers, d->controller_count};
    out_session->is_replay = d->options->source == CONFIG_SOURCE_REPLAY;
    out_session->devices = d->devices;
    out_session->device_count = list_fed_devices(d);
    out_session->blades = d->blades;
    out_session->blade_count = 0;
    for (size_t i = 0; i < most && (blade = pipeline_blade_at(d->pipeline, i)); i++)
        d->blades[out_session->blade_count++] = (clash_blade){
            blade->name, pipeline_device_name(d->pipeline, blade->device), blade->properties, blade->sword};
    out_session->set_aside = d->set_aside;
    out_session->set_aside_count =
        scene_list_displaced(&d->scene, d->set_aside, sizeof d->set_aside / sizeof d->set_aside[0]);
    out_session->targets = d->target_list;
    out_session->blades_before = d->blades_before; /* the targets are in the pipeline's order */
    out_session->target_count = 0;
    for (size_t i = 0; i < sizeof d->target_list / sizeof d->target_list[0] && scene_target_at(&d->scene, i); i++) {
        d->blades_before[i] = pipeline_blades_before(d->pipeline, i);
        d->target_list[out_session->target_count++] = scene_target_at(&d->scene, i);
    }
}

static void on_silence(uv_timer_t *timer)
{
    app_daemon *d = timer->data;

    if (!inbox_is_idle(d->inbox))
        return;
    if (!push_check_silence(d->push, session_time_ns(&d->session)))
        uv_timer_stop(timer);
}

void daemon_watch_silence(app_daemon *d)
{
    const uint64_t tick_ms = d->config->socket.push_timeout_ms / 5 + 1;

    if (!uv_is_active((const uv_handle_t *)&d->silence))
        uv_timer_start(&d->silence, on_silence, tick_ms, tick_ms);
}

static double gap_ms_of(const app_daemon *d, const protocol_feed *feed)
{
    const int64_t gap_ns = scene_gap_of_feed(&d->scene, feed->max_gap_ns);

    return gap_ns > 0 ? (double)gap_ns * 1e-6 : (double)d->config->contact.max_gap_ms;
}

static bool answer_pusher(void *context, const void *client, int64_t number)
{
    (void)number;
    server_pushed(((app_daemon *)context)->server, client, NULL);
    return true;
}

static server_answer on_push(app_daemon *d, const void *client, const protocol_request *request,
                             server_reply *out_reply)
{
    const int64_t now_ns = session_time_ns(&d->session);
    const int result = push_request(d->push, client, request, now_ns, &out_reply->error);

    if (request->type == PROTOCOL_REQUEST_FEED && result == 0)
        out_reply->max_gap_ms = gap_ms_of(d, &request->feed);
    if (result < 0 || result == PUSH_LATER)
        return result == PUSH_LATER ? SERVER_LATER : SERVER_REFUSED;
    if (request->type == PROTOCOL_REQUEST_POSES)
        daemon_settle(d, d->session.epoch_monotonic_ns + (request->poses.has_time ? request->poses.time_ns : now_ns));
    daemon_watch_silence(d);
    if (result == PUSH_PARTLY)
        return SERVER_REFUSED;
    return inbox_after_step(d->inbox, &(inbox_task){.run = answer_pusher, .context = d, .subject = client})
               ? SERVER_LATER
               : SERVER_DONE;
}

void daemon_on_pushed(void *context, const void *client, const protocol_error *error)
{
    app_daemon *d = context;

    daemon_watch_silence(d);
    server_pushed(d->server, client, error);
}

/* ---- what waits in the inbox ---- */

static bool serve_client(void *context, const void *client, int64_t number)
{
    (void)number;
    server_serve(((app_daemon *)context)->server, client);
    return true;
}

static bool remove_client(void *context, const void *client, int64_t number)
{
    app_daemon *d = context;

    (void)number;
    return !push_client_goes(d->push, client, session_time_ns(&d->session));
}

static void on_gone(app_daemon *d, const void *client)
{
    const inbox_task leave = {.run = remove_client, .context = d, .subject = client, .is_for_end = true};

    push_give_up(d->push, client);
    inbox_forget(d->inbox, answer_pusher, client);
    inbox_forget(d->inbox, serve_client, client);
    if (!inbox_put(d->inbox, &leave))
        while (!remove_client(d, client, 0))
            continue;
}

static void on_hold(void *context, bool is_held)
{
    app_daemon *d = context;

    if (d->source && d->source->hold)
        d->source->hold(d->source, is_held);
}

int daemon_open_inbox(app_daemon *d)
{
    d->inbox = inbox_create(&d->loop, d->pipeline, on_hold, d);
    return d->inbox ? 0 : -1;
}

/* ---- what clients are told ---- */

/* A recording has all of a step's events or none, so `record` waits too. */
static server_answer on_request(app_daemon *d, const server_ask *ask, server_reply *out_reply)
{
    const protocol_request *request = ask->request;
    int result;

    if (!inbox_take_turn(d->inbox)) {
        if (inbox_put(d->inbox, &(inbox_task){.run = serve_client, .context = d, .subject = ask->client}))
            return SERVER_BUSY;
        protocol_refuse(&out_reply->error, PROTOCOL_ERROR_LIMIT, "out of memory");
        return SERVER_REFUSED;
    }
    if (request->type == PROTOCOL_REQUEST_RECORD)
        result = daemon_record(d, &request->record, &out_reply->file, &out_reply->error);
    else if (request->type == PROTOCOL_REQUEST_RELOAD)
        return daemon_reload_for(d, &out_reply->error) == 0 ? SERVER_LATER : SERVER_REFUSED;
    else if (request->type == PROTOCOL_REQUEST_REPLAY)
        result = daemon_replay(d, &request->replay, &out_reply->error);
    else
        return on_push(d, ask->client, request, out_reply);
    return result == 0 ? SERVER_DONE : SERVER_REFUSED;
}

static server_answer on_outlines(app_daemon *d, const protocol_ask_outlines *asked, server_reply *out_reply)
{
    protocol_error error;

    if (outlines_list(&d->scene, asked, session_time_ns(&d->session), &d->outlines, &error) != 0) {
        out_reply->error = error;
        return SERVER_REFUSED;
    }
    out_reply->outlines = d->outlines.page;
    return SERVER_DONE;
}

static server_answer on_ask(void *context, const server_ask *ask, server_reply *out_reply)
{
    app_daemon *d = context;

    switch (ask->kind) {
    case SERVER_ASK_SESSION:
        daemon_describe_session(d, &out_reply->session);
        break;
    case SERVER_ASK_STATUS:
        daemon_describe_status(d, &out_reply->status);
        break;
    case SERVER_ASK_CONFIG:
        daemon_describe_config(d, &out_reply->config);
        break;
    case SERVER_ASK_OUTLINES:
        return on_outlines(d, &ask->request->outlines, out_reply);
    case SERVER_ASK_METRICS:
        daemon_make_metrics(d, &out_reply->metrics);
        break;
    case SERVER_ASK_REQUEST:
        return on_request(d, ask, out_reply);
    case SERVER_NOTIFY_SUBSCRIBED:
        daemon_start_source(d);
        break;
    case SERVER_NOTIFY_GONE:
        on_gone(d, ask->client);
        break;
    case SERVER_NOTIFY_WRITTEN:
        daemon_on_written(d, ask->sample_ns);
        break;
    case SERVER_NOTIFY_OVER:
        d->server = NULL;
        break;
    }
    return SERVER_DONE;
}

static const char *text_or_null(const char *text)
{
    return text[0] ? text : NULL;
}

static const passed_socket *passed_or_null(const passed_socket *socket)
{
    return socket->fd != 0 ? socket : NULL;
}

static void log_address(const app_daemon *d, endpoint_kind kind)
{
    char text[CONFIG_PATH_MAX];

    server_describe(d->server, kind, text, sizeof text);
    if (text[0])
        LOG_INFO(&d->log, "listening on %s", text);
}

int daemon_open_socket(app_daemon *d, failure *out_failure)
{
    char path[CONFIG_PATH_MAX];
    const bool is_passed = d->activation.local.fd != 0;
    const bool is_default = !is_passed && d->config->socket.path[0] == '\0';
    const server_settings settings = {
        .loop = &d->loop,
        .path = is_passed    ? d->activation.local.path
                : is_default ? path
                             : d->config->socket.path,
        .passed_fd = d->activation.local.fd,
        .passed = {[ENDPOINT_TCP] = passed_or_null(&d->activation.endpoints[ENDPOINT_TCP]),
                   [ENDPOINT_WEBSOCKET] = passed_or_null(&d->activation.endpoints[ENDPOINT_WEBSOCKET])},
        .make_directory = is_default,
        .addresses = {[ENDPOINT_TCP] = text_or_null(d->config->socket.tcp),
                      [ENDPOINT_WEBSOCKET] = text_or_null(d->config->socket.websocket)},
        .rules = {.allowed_origins = d->config->socket.allowed_origins.names,
                  .origin_count = d->config->socket.allowed_origins.count,
                  .allowed_hosts = d->config->socket.allowed_hosts.names,
                  .host_count = d->config->socket.allowed_hosts.count},
        .require_token = d->config->socket.require_token,
        .token_file = text_or_null(d->config->socket.token_file),
        .max_clients = d->config->socket.max_clients,
        .queue_bytes = d->config->socket.queue_bytes,
        .epoch_ns = d->session.epoch_monotonic_ns,
        .names = daemon_names(d),
        .resolver = depenetrator_port(d->depenetrator),
        .log = d->log,
        .has_pages = true,
        .assets = d->assets,
        .log_directories = {d->config->viewer.logs, d->config->record.directory},
        .overlay_css = d->config->viewer.overlay_css,
        .context = d,
        .ask = on_ask,
    };

    activation_warn(&d->activation, &d->config->socket, &d->log);
    if (is_default && socket_path_default(path, sizeof path) < 0) {
        return fail_int(out_failure, "the default path of the socket is too long: give --socket PATH");
    }
    if (server_open(&settings, &d->server, out_failure) != LISTENER_OK)
        return -1;
    LOG_INFO(&d->log, "listening on %s", settings.path);
    log_address(d, ENDPOINT_TCP);
    log_address(d, ENDPOINT_WEBSOCKET);
    return 0;
}
