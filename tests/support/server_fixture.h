/* A server with a session of two blades, and clients that talk to it. */
#ifndef CLASHD_TESTS_SERVER_FIXTURE_H
#define CLASHD_TESTS_SERVER_FIXTURE_H

#include "support/counters.h"
#include "support/fresh.h"
#include "support/line_client.h"
#include "support/own_folder.h"
#include "support/sample_events.h"

#include "server/server.h"

typedef struct fixture {
    char root[64], path[128];
    uv_loop_t loop;
    kept_log log;
    server *server;
    event_sink port;
    int64_t now_ns;
    unsigned subscribed;
    /* This file answers the server for everything but these two. NULL: requests are refused, and departures not noted. */
    server_answer (*request)(const void *client, const protocol_request *request, server_reply *out_reply);
    void (*gone)(void);
} fixture;

static inline void give_session(const fixture *f, protocol_session *out)
{
    sample_session(out);
    out->time_ns = f->now_ns;
}

static inline void give_status(const fixture *f, protocol_status *out)
{
    static const protocol_status_device devices[] = {{.device = "/user/hand/left", .tracked = true},
                                                     {.device = "/user/hand/right"}};
    static protocol_counter counters[COUNTERS_MAX];
    counter_list list = {.count = 0};

    server_list_counters(f->server, &list);
    for (size_t i = 0; i < list.count; i++)
        counters[i] = (protocol_counter){list.rows[i].name, list.rows[i].value};

    *out = (protocol_status){.time_ns = f->now_ns,
                             .source = "replay",
                             .state = "running",
                             .runtime = "file",
                             .detail = "",
                             .devices = devices,
                             .device_count = 2,
                             .counters = counters,
                             .counter_count = list.count};
}

static inline server_answer refuse_request(server_reply *out_reply)
{
    out_reply->error =
        (protocol_error){.code = PROTOCOL_ERROR_UNKNOWN_TYPE, .message = "type: nothing of the kind here"};
    return SERVER_REFUSED;
}

static inline server_answer answer_server(void *context, const server_ask *ask, server_reply *out_reply)
{
    fixture *f = context;

    if (ask->kind == SERVER_ASK_SESSION)
        give_session(f, &out_reply->session);
    else if (ask->kind == SERVER_ASK_STATUS)
        give_status(f, &out_reply->status);
    else if (ask->kind == SERVER_ASK_REQUEST)
        return f->request ? f->request(ask->client, ask->request, out_reply) : refuse_request(out_reply);
    else if (ask->kind == SERVER_NOTIFY_GONE && f->gone)
        f->gone();
    f->subscribed += ask->kind == SERVER_NOTIFY_SUBSCRIBED;
    return SERVER_DONE;
}

static inline void open_server(fixture *f, size_t max_clients, size_t queue_bytes)
{
    failure error = {0};
    const server_settings settings = {.loop = &f->loop,
                                      .path = f->path,
                                      .max_clients = max_clients,
                                      .queue_bytes = queue_bytes,
                                      .stall_ms = 60000,
                                      .epoch_ns = SAMPLE_EPOCH_NS,
                                      .names = sample_names(),
                                      .log = {.context = &f->log, .write = kept_log_write},
                                      .context = f,
                                      .ask = answer_server};

    if (server_open(&settings, &f->server, fresh(&error)) != LISTENER_OK)
        fail_msg("%s", error.text);
    f->port = server_port(f->server);
}

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    assert_non_null(f);
    own_folder_open(&f->root, &f->path, "s.sock", &f->loop);
    f->now_ns = 42;
    open_server(f, 8, 1 << 20);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    fixture *f = *state;

    server_close(f->server);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    assert_int_equal(rmdir(f->root), 0);
    free(f);
    return 0;
}

static inline void reopen(fixture *f, size_t max_clients, size_t queue_bytes)
{
    server_close(f->server);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    open_server(f, max_clients, queue_bytes);
}

static inline void greet(fixture *f, line_client *c)
{
    const char *line;

    line_client_connect(c, f->path);
    line = line_client_wait(c, &f->loop);
    assert_non_null(line);
    assert_true(line_has_type(line, "hello"));
}

static inline const char *ask(fixture *f, line_client *c, const char *request)
{
    const char *line;

    line_client_say(c, &f->loop, request);
    line = line_client_wait(c, &f->loop);
    assert_non_null(line);
    return line;
}

static inline void expect_ok(fixture *f, line_client *c, const char *request, const char *id)
{
    char key[64];
    const char *line = ask(f, c, request);

    snprintf(key, sizeof key, "\"id\":%s", id);
    if (!line_has_type(line, "ok") || !strstr(line, key))
        fail_msg("%s answered by %s", request, line);
}

static inline void expect_error(fixture *f, line_client *c, const char *request, const char *code, const char *text)
{
    char key[64];
    const char *line = ask(f, c, request);

    snprintf(key, sizeof key, "\"code\":\"%s\"", code);
    if (!line_has_type(line, "error") || !strstr(line, key) || !strstr(line, text))
        fail_msg("%s answered by %s", request, line);
}

static inline void send_event(fixture *f, clash_event event)
{
    f->port.event(f->port.context, &event);
}

/* Check that nothing sent before reached the client: the next line is the answer to this. */
static inline void expect_nothing(fixture *f, line_client *c)
{
    expect_ok(f, c, "{\"type\":\"ping\",\"id\":\"nothing-before\"}", "\"nothing-before\"");
}

static inline uint64_t counter(const fixture *f, const char *name)
{
    counter_list list = {.count = 0};

    server_list_counters(f->server, &list);
    return counter_named(&list, name);
}

#define WITH_SINK(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
