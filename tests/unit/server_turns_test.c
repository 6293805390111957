/* Requests that their owner takes later: they wait for their turn, in order, and what changes nothing is answered meanwhile. */
#include "support/server_fixture.h"

#define REMOVE(id, name) "{\"type\":\"remove\",\"id\":\"" id "\",\"name\":\"" name "\"}"

/** The owner of what requests change, with a queue as the inbox has one. */
static struct {
    server_answer answer; /* to every request; SERVER_BUSY: clients queue up */
    const void *queue[8];
    size_t queued;
    bool has_turn; /* the client that is served has changed nothing yet */
    const void *last;
    char pushed[200]; /* names, each with a blank behind it */
    char gone[8];     /* a letter for each that has gone: how many names had been pushed until then */
    unsigned pushes;
} owner;

static server_answer on_request(const void *client, const protocol_request *request, server_reply *out_reply)
{
    const size_t length = strlen(owner.pushed);

    if (request->type == PROTOCOL_REQUEST_RECORD)
        out_reply->file = "a file";
    if (owner.answer == SERVER_BUSY || (owner.queued > 0 && !owner.has_turn)) {
        assert_true(owner.queued < sizeof owner.queue / sizeof owner.queue[0]);
        owner.queue[owner.queued++] = client;
        return SERVER_BUSY;
    }
    owner.has_turn = false;
    if (request->type != PROTOCOL_REQUEST_REMOVE)
        return owner.answer;
    snprintf(owner.pushed + length, sizeof owner.pushed - length, "%s ", request->blade.name);
    owner.pushes++;
    owner.last = client;
    return owner.answer;
}

static void on_gone(void)
{
    assert_true(strlen(owner.gone) + 1 < sizeof owner.gone);
    owner.gone[strlen(owner.gone)] = (char)('0' + owner.pushes);
}

static int open_owned(void **state)
{
    fixture *f;

    memset(&owner, 0, sizeof owner);
    setup(state);
    f = *state;
    f->request = on_request;
    f->gone = on_gone;
    reopen(f, 8, 1 << 20);
    owner.answer = SERVER_BUSY;
    return 0;
}

static void turn_the_loop(fixture *f)
{
    for (int i = 0; i < 20; i++)
        line_client_turn(&f->loop);
}

/* Return whether others wait. */
static bool serve_one(fixture *f)
{
    const void *client = owner.queue[0];

    if (owner.queued == 0)
        return false;
    memmove(owner.queue, owner.queue + 1, --owner.queued * sizeof owner.queue[0]);
    owner.has_turn = true;
    server_serve(f->server, client);
    owner.has_turn = false;
    return owner.queued > 0;
}

static void serve_all(fixture *f)
{
    owner.answer = SERVER_DONE;
    while (serve_one(f))
        continue;
    turn_the_loop(f);
}

static void expect_id(fixture *f, line_client *c, const char *type, const char *id)
{
    const char *line = line_client_wait(c, &f->loop);
    char key[64];

    snprintf(key, sizeof key, "\"id\":\"%s\"", id);
    assert_non_null(line);
    if (!line_has_type(line, type) || !strstr(line, key))
        fail_msg("expected %s %s: %s", type, id, line);
}

/* All those that change something wait, whichever they are; who asks for nothing of the kind is answered. */
static void what_changes_something_waits_in_order(void **state)
{
    fixture *f = *state;
    line_client a, b, other;

    greet(f, &a);
    greet(f, &b);
    greet(f, &other);
    line_client_say(&a, &f->loop, REMOVE("1", "a1"));
    line_client_say(&a, &f->loop, "{\"type\":\"ping\",\"id\":\"2\"}");
    line_client_say(&a, &f->loop, REMOVE("3", "a2"));
    turn_the_loop(f);
    line_client_say(&b, &f->loop, REMOVE("1", "b1"));
    line_client_say(&b, &f->loop, "{\"type\":\"record\",\"id\":\"2\",\"action\":\"rotate\"}");
    line_client_say(&b, &f->loop, "{\"type\":\"replay\",\"id\":\"3\",\"action\":\"pause\"}");
    turn_the_loop(f);
    expect_ok(f, &other, "{\"type\":\"ping\",\"id\":1}", "1");
    expect_ok(f, &other, "{\"type\":\"subscribe\",\"id\":2}", "2");
    assert_true(line_has_type(ask(f, &other, "{\"type\":\"status\",\"id\":3}"), "status"));
    assert_null(line_client_next(&a));
    assert_null(line_client_next(&b));
    assert_string_equal(owner.pushed, "");
    serve_all(f);
    assert_string_equal(owner.pushed, "a1 b1 a2 ");
    for (int i = 1; i <= 3; i++) {
        const char id[2] = {(char)('0' + i), '\0'};

        expect_id(f, &a, "ok", id);
        expect_id(f, &b, "ok", id);
    }
    assert_int_equal(counter(f, "requests"), 9);
    assert_int_equal(counter(f, "bad_requests"), 0);
    line_client_finish(&a);
    line_client_finish(&b);
    line_client_finish(&other);
}

/* Whoever is served first and asks on at once comes after those that wait: nobody is passed over. */
static void one_who_asks_on_waits_behind_the_others(void **state)
{
    fixture *f = *state;
    line_client a, b;

    greet(f, &a);
    greet(f, &b);
    owner.answer = SERVER_LATER;
    line_client_say(&a, &f->loop, REMOVE("1", "a1"));
    line_client_say(&a, &f->loop, REMOVE("2", "a2"));
    turn_the_loop(f);
    owner.answer = SERVER_BUSY;
    line_client_say(&b, &f->loop, REMOVE("1", "b1"));
    turn_the_loop(f);
    owner.answer = SERVER_DONE;
    server_pushed(f->server, owner.last, NULL);
    turn_the_loop(f);
    expect_id(f, &a, "ok", "1");
    assert_null(line_client_next(&a));
    assert_string_equal(owner.pushed, "a1 ");
    assert_true(serve_one(f));
    assert_string_equal(owner.pushed, "a1 b1 ");
    assert_false(serve_one(f));
    assert_string_equal(owner.pushed, "a1 b1 a2 ");
    assert_false(serve_one(f));
    expect_id(f, &b, "ok", "1");
    expect_id(f, &a, "ok", "2");
    line_client_finish(&a);
    line_client_finish(&b);
}

/* The answer to a push that is none any more, since another client has its address: it is no answer to what waits. */
static void an_answer_to_nobody_lets_nobody_pass(void **state)
{
    fixture *f = *state;
    line_client a;

    greet(f, &a);
    owner.answer = SERVER_DONE;
    expect_ok(f, &a, REMOVE("0", "a0"), "\"0\"");
    owner.answer = SERVER_BUSY;
    line_client_say(&a, &f->loop, REMOVE("1", "a1"));
    turn_the_loop(f);
    server_pushed(f->server, owner.last, NULL);
    turn_the_loop(f);
    assert_null(line_client_next(&a));
    serve_all(f);
    expect_id(f, &a, "ok", "1");
    assert_string_equal(owner.pushed, "a0 a1 ");
    line_client_finish(&a);
}

static void those_who_go_meanwhile_leave_the_others_their_turn(void **state)
{
    fixture *f = *state;
    line_client clients[4];

    for (int i = 0; i < 4; i++) {
        char line[64];

        greet(f, &clients[i]);
        snprintf(line, sizeof line, REMOVE("1", "c%d"), i);
        line_client_say(&clients[i], &f->loop, line);
        turn_the_loop(f);
    }
    line_client_finish(&clients[0]);
    line_client_finish(&clients[2]);
    turn_the_loop(f);
    serve_all(f);
    expect_id(f, &clients[1], "ok", "1");
    expect_id(f, &clients[3], "ok", "1");
    assert_non_null(strstr(owner.pushed, "c1 "));
    assert_non_null(strstr(owner.pushed, "c3 "));
    assert_int_equal(strlen(owner.gone), 2);
    line_client_finish(&clients[1]);
    line_client_finish(&clients[3]);
}

/* What it said last, without a newline, is carried out before it has gone, and answered. */
static void the_last_words_count(void **state)
{
    fixture *f = *state;
    line_client a;
    const char *words = REMOVE("1", "a1");

    greet(f, &a);
    line_client_send(&a, &f->loop, words, strlen(words));
    turn_the_loop(f);
    assert_int_equal(shutdown(a.fd, SHUT_WR), 0);
    turn_the_loop(f);
    assert_string_equal(owner.gone, "");
    serve_all(f);
    expect_id(f, &a, "ok", "1");
    assert_string_equal(owner.pushed, "a1 ");
    turn_the_loop(f);
    assert_int_equal(owner.gone[0], '1');
    line_client_finish(&a);
}

#define WITH_OWNER(test) cmocka_unit_test_setup_teardown(test, open_owned, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_OWNER(what_changes_something_waits_in_order),
        WITH_OWNER(one_who_asks_on_waits_behind_the_others),
        WITH_OWNER(an_answer_to_nobody_lets_nobody_pass),
        WITH_OWNER(those_who_go_meanwhile_leave_the_others_their_turn),
        WITH_OWNER(the_last_words_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
