/* Events that wait for a verdict: what is passed on, in what order, with which numbers; how many may wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/event_outbox.h"

#include "support/random.h"

#define TOLD_MAX 4096
#define CONTACTS_MAX 1024

/* What came out, as text: "1 clash 5 a/b yes". */
typedef struct stand {
    session_outbox outbox;
    session_outbox_players players;
    event_sink port;
    uint64_t seq; /* of the last event that went in */
    bool waits[CONTACTS_MAX];
    clash_agreement verdicts[CONTACTS_MAX];
    char told[TOLD_MAX][64];
    size_t told_count, others, given_up, at_once, players_events;
} stand;

static bool on_judge(void *context, clash_event *event)
{
    const stand *s = context;

    if (event->id < CONTACTS_MAX && s->waits[event->id])
        return false;
    event->room.agreed = s->verdicts[event->id % CONTACTS_MAX];
    return true;
}

static void on_note(void *context, clash_event *event)
{
    (void)context;
    event->room.id = (int64_t)event->id;
}

static void on_give_up(void *context, uint64_t contact)
{
    stand *s = context;

    s->waits[contact] = false;
    s->verdicts[contact] = CLASH_AGREEMENT_NO;
    s->given_up++;
}

static void write_down(stand *s, const char *kind, const clash_event *event)
{
    static const char *const agreed[] = {"", " yes", " no"};
    const bool has_parts = event->kind == CLASH_EVENT_CLASH && event->as.clash.parts[0];

    assert_true(s->told_count < TOLD_MAX);
    snprintf(s->told[s->told_count++], sizeof s->told[0], "%llu %s %llu %s/%s%s%s%s", (unsigned long long)event->seq,
             kind, (unsigned long long)event->id, event->blades[0] ? event->blades[0] : "-",
             event->blades[1] ? event->blades[1] : "-", has_parts ? " " : "", has_parts ? event->as.clash.parts[0] : "",
             agreed[event->room.agreed]);
}

static void on_event(void *context, const clash_event *event)
{
    static const char *const kinds[] = {"clash", "hold", "release", "tracking", "space"};

    write_down(context, kinds[event->kind], event);
}

static void on_event_at_once(void *context, const clash_event *event)
{
    stand *s = context;

    if (s->outbox.players && event->kind <= CLASH_EVENT_RELEASE && !event->has_target)
        assert_int_equal(event->room.id, event->id); /* as on_note has completed it */
    s->at_once++;
}

static void on_players_event(void *context, const clash_event *event)
{
    stand *s = context;

    (void)event;
    assert_int_equal(++s->players_events, s->at_once);
}

static void on_peak(void *context, const clash_event *late)
{
    write_down(context, "peak", late);
}

static void on_frame(void *context, const pose_frame *frame)
{
    (void)frame;
    ((stand *)context)->others++;
}

static void on_blade(void *context, int64_t time_ns, const clash_blade *blade)
{
    (void)time_ns, (void)blade;
    ((stand *)context)->others++;
}

static void on_removed(void *context, int64_t time_ns, const char *blade, const char *device)
{
    (void)time_ns, (void)blade, (void)device;
    ((stand *)context)->others++;
}

static void on_target(void *context, int64_t time_ns, const clash_target_definition *target)
{
    (void)time_ns, (void)target;
    ((stand *)context)->others++;
}

static void on_target_removed(void *context, int64_t time_ns, const char *target)
{
    (void)time_ns, (void)target;
    ((stand *)context)->others++;
}

static bool always(void *context, clash_event *event)
{
    (void)context, (void)event;
    return true;
}

/* As at the end of clashd: nobody is waited for any more. */
static void end(stand *s)
{
    s->players.judge = always;
    session_outbox_settle(&s->outbox);
}

static stand *open_stand(void)
{
    stand *s = calloc(1, sizeof *s);

    assert_non_null(s);
    s->players = (session_outbox_players){.port = {.context = s, .event = on_players_event},
                                          .note = on_note,
                                          .judge = on_judge,
                                          .give_up = on_give_up,
                                          .context = s};
    assert_int_equal(session_outbox_add(&s->outbox,
                                        (event_sink){.context = s,
                                                     .event = on_event,
                                                     .peak = on_peak,
                                                     .frame = on_frame,
                                                     .blade = on_blade,
                                                     .removed = on_removed,
                                                     .target = on_target,
                                                     .target_removed = on_target_removed},
                                        SESSION_OUTBOX_AGREED),
                     0);
    assert_int_equal(
        session_outbox_add(&s->outbox, (event_sink){.context = s, .event = on_event_at_once}, SESSION_OUTBOX_AT_ONCE),
        0);
    assert_int_equal(session_outbox_set_players(&s->outbox, &s->players), 0);
    s->port = session_outbox_port(&s->outbox);
    return s;
}

static void close_stand(stand *s)
{
    session_outbox_set_players(&s->outbox, NULL);
    free(s);
}

/* The names are gone once the call is over. */
static void put(stand *s, clash_event_kind kind, uint64_t contact, const char *a, const char *b)
{
    char names[3][64];
    clash_event event = {.kind = kind, .seq = ++s->seq, .id = contact, .blades = {names[0], names[1]}};

    snprintf(names[0], sizeof names[0], "%s", a);
    snprintf(names[1], sizeof names[1], "%s", b);
    snprintf(names[2], sizeof names[2], "hilt");
    if (kind == CLASH_EVENT_CLASH)
        event.as.clash.parts[0] = names[2];
    s->port.event(s->port.context, &event);
    memset(names, '?', sizeof names);
}

static void put_peak(stand *s, uint64_t contact, const char *a, const char *b)
{
    clash_event late = {.kind = CLASH_EVENT_CLASH, .seq = s->seq, .id = contact, .blades = {a, b}};

    s->port.peak(s->port.context, &late);
}

static void assert_told(const stand *s, size_t count, const char *const *lines)
{
    assert_int_equal(s->told_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(s->told[i], lines[i]);
}

static void what_waits_for_nobody_is_as_it_was(void **state)
{
    static const char *const lines[] = {"1 clash 1 a/b hilt", "1 peak 1 a/b", "2 release 1 a/b", "3 tracking 0 -/-"};
    stand *s = open_stand();
    clash_event tracking = {.kind = CLASH_EVENT_TRACKING, .seq = 3};

    (void)state;
    put(s, CLASH_EVENT_CLASH, 1, "a", "b");
    put_peak(s, 1, "a", "b");
    put(s, CLASH_EVENT_RELEASE, 1, "a", "b");
    s->port.event(s->port.context, &tracking);
    assert_told(s, 4, lines);
    s->port.frame(s->port.context, NULL);
    s->port.blade(s->port.context, 0, NULL);
    s->port.removed(s->port.context, 0, "a", NULL);
    s->port.target(s->port.context, 0, NULL);
    s->port.target_removed(s->port.context, 0, "a");
    assert_int_equal(s->others, 5);
    close_stand(s);
}

static void only_the_two_blades_of_a_contact_wait(void **state)
{
    static const char *const before[] = {"1 clash 2 a/c hilt", "2 release 2 a/c"};
    static const char *const lines[] = {"1 clash 2 a/c hilt",    "2 release 2 a/c",   "3 clash 1 a/b hilt yes",
                                        "3 peak 1 a/b yes",      "4 hold 1 a/b yes",  "5 release 1 a/b yes",
                                        "6 clash 3 a/b hilt no", "7 release 3 a/b no"};
    stand *s = open_stand();

    (void)state;
    s->waits[1] = true;
    s->verdicts[1] = CLASH_AGREEMENT_YES;
    s->verdicts[3] = CLASH_AGREEMENT_NO;
    put(s, CLASH_EVENT_CLASH, 1, "a", "b");
    put(s, CLASH_EVENT_CLASH, 2, "a", "c");
    put_peak(s, 1, "a", "b");
    put(s, CLASH_EVENT_HOLD, 1, "a", "b");
    put(s, CLASH_EVENT_RELEASE, 1, "a", "b");
    put(s, CLASH_EVENT_CLASH, 3, "a", "b"); /* is decided, and yet does not overtake */
    put(s, CLASH_EVENT_RELEASE, 2, "a", "c");
    assert_int_equal(session_outbox_settle(&s->outbox), 0);
    assert_told(s, 2, before);
    s->waits[1] = false;
    assert_int_equal(session_outbox_settle(&s->outbox), 5);
    put(s, CLASH_EVENT_RELEASE, 3, "a", "b");
    assert_told(s, 8, lines);
    close_stand(s);
}

static void a_target_waits_for_nobody(void **state)
{
    stand *s = open_stand();
    clash_event event = {.kind = CLASH_EVENT_CLASH, .seq = 1, .id = 1, .blades = {"a", "b"}, .has_target = true};

    (void)state;
    s->waits[1] = true;
    s->port.event(s->port.context, &event);
    assert_int_equal(s->told_count, 1);
    close_stand(s);
}

static void beyond_the_bound_the_oldest_goes_on(void **state)
{
    stand *s = open_stand();
    char name[16];

    (void)state;
    for (uint64_t i = 1; i <= SESSION_OUTBOX_WAITING_MAX + 3; i++) {
        snprintf(name, sizeof name, "b%d", (int)i);
        s->waits[i] = true;
        put(s, CLASH_EVENT_CLASH, i, "a", name);
    }
    assert_int_equal(s->told_count, 3);
    assert_string_equal(s->told[0], "1 clash 1 a/b1 hilt no");
    assert_string_equal(s->told[2], "3 clash 3 a/b3 hilt no");
    assert_int_equal(s->given_up, 3);
    end(s);
    assert_int_equal(s->told_count, SESSION_OUTBOX_WAITING_MAX + 3);
    assert_int_equal(s->outbox.waiting_count, 0);
    close_stand(s);
}

/* A judge whose mind does not change cannot keep more than there is room for. */
static bool never(void *context, clash_event *event)
{
    (void)context, (void)event;
    return false;
}

static void no_judge_keeps_all(void **state)
{
    stand *s = open_stand();

    (void)state;
    s->players.judge = never;
    for (uint64_t i = 1; i < UINT64_C(3) * SESSION_OUTBOX_WAITING_MAX; i++)
        put(s, CLASH_EVENT_CLASH, i, "a", "b");
    assert_int_equal(s->outbox.waiting_count, SESSION_OUTBOX_WAITING_MAX);
    end(s);
    assert_int_equal(s->told_count, UINT64_C(3) * SESSION_OUTBOX_WAITING_MAX - 1);
    close_stand(s);
}

/* Whatever comes when: each once, numbers 1, 2, 3 .., and each pair's in the order in which they came. */
static void nothing_is_lost_or_overtaken(void **state)
{
    random_state random = {.s = 7};

    (void)state;
    for (int round = 0; round < 100; round++) {
        stand *s = open_stand();
        uint64_t last[8] = {0}, contact = 0;

        for (int i = 0; i < 600; i++) {
            const int pair = (int)random_below(&random, 8);
            const char name[2] = {(char)('a' + pair), '\0'};

            s->waits[++contact] = random_below(&random, 3) == 0;
            put(s, CLASH_EVENT_CLASH, contact, name, "z");
            if (random_below(&random, 4) == 0)
                s->waits[1 + random_below(&random, (int)contact)] = false;
            if (random_below(&random, 4) == 0)
                session_outbox_settle(&s->outbox);
        }
        end(s);
        assert_int_equal(s->told_count, 600);
        for (size_t i = 0; i < 600; i++) {
            char *rest;
            const uint64_t seq = strtoull(s->told[i], &rest, 10);
            uint64_t id;

            assert_int_equal(seq, i + 1);
            assert_memory_equal(rest, " clash ", 7);
            id = strtoull(rest + 7, &rest, 10);
            assert_true(rest[0] == ' ' && rest[1] >= 'a' && rest[1] < 'a' + 8 && id > last[rest[1] - 'a']);
            last[rest[1] - 'a'] = id;
        }
        close_stand(s);
    }
}

/* ---- the list of sinks ---- */

static char order[64];

static void note_event(void *context, const clash_event *event)
{
    const size_t length = strlen(order);

    snprintf(order + length, sizeof order - length, "%se%d ", (const char *)context, (int)event->seq);
}

static void note_frame(void *context, const pose_frame *frame)
{
    const size_t length = strlen(order);

    snprintf(order + length, sizeof order - length, "%sf%d ", (const char *)context, (int)frame->time_ns);
}

static void sinks_receive_in_the_order_of_adding(void **state)
{
    session_outbox o = {0};
    char a[] = "a", b[] = "b", c[] = "c";
    const event_sink port = session_outbox_port(&o);

    (void)state;
    assert_int_equal(session_outbox_add(&o, (event_sink){.context = b, .event = note_event, .frame = note_frame},
                                        SESSION_OUTBOX_AGREED),
                     0);
    assert_int_equal(session_outbox_add(&o, (event_sink){.context = a, .event = note_event}, SESSION_OUTBOX_AT_ONCE),
                     0);
    assert_int_equal(session_outbox_add(&o, (event_sink){.context = c, .frame = note_frame}, SESSION_OUTBOX_AGREED), 0);
    order[0] = '\0';
    port.frame(port.context, &(pose_frame){.time_ns = 1});
    port.event(port.context, &(clash_event){.seq = 2});
    assert_string_equal(order, "bf1 cf1 be2 ae2 ");
}

static const clash_event *received;

static void note_address(void *context, const clash_event *event)
{
    (void)context;
    received = event;
}

/* Without other players nothing is copied. */
static void alone_an_event_is_passed_on_as_it_is(void **state)
{
    session_outbox o = {0};
    const event_sink port = session_outbox_port(&o);
    const clash_event event = {.kind = CLASH_EVENT_CLASH, .seq = 7, .blades = {"a", "b"}};

    (void)state;
    session_outbox_add(&o, (event_sink){.event = note_address}, SESSION_OUTBOX_AGREED);
    port.event(port.context, &event);
    assert_ptr_equal(received, &event);
}

/* A reload adds other sinks; the players are the same. */
static void other_sinks_receive_what_the_players_note(void **state)
{
    stand *s = open_stand();

    (void)state;
    session_outbox_clear(&s->outbox);
    assert_int_equal(
        session_outbox_add(&s->outbox, (event_sink){.context = s, .event = on_event_at_once}, SESSION_OUTBOX_AT_ONCE),
        0);
    put(s, CLASH_EVENT_CLASH, 5, "a", "b");
    assert_int_equal(s->at_once, 1);
    assert_int_equal(s->players_events, 1);
    assert_int_equal(s->told_count, 0);
    close_stand(s);
}

/* What waited is sent when the players go, numbered before what comes then. */
static void without_players_nothing_waits(void **state)
{
    static const char *const lines[] = {"1 clash 1 a/b hilt no", "2 clash 2 a/b hilt"};
    stand *s = open_stand();

    (void)state;
    s->waits[1] = true;
    put(s, CLASH_EVENT_CLASH, 1, "a", "b");
    assert_int_equal(s->told_count, 0);
    session_outbox_set_players(&s->outbox, NULL);
    put(s, CLASH_EVENT_CLASH, 2, "a", "b");
    assert_told(s, 2, lines);
    close_stand(s);
}

static void a_full_outbox_refuses(void **state)
{
    session_outbox o = {0};

    (void)state;
    for (int i = 0; i < SESSION_OUTBOX_SINKS_MAX; i++)
        assert_int_equal(session_outbox_add(&o, (event_sink){.event = note_event}, SESSION_OUTBOX_AGREED), 0);
    assert_int_equal(session_outbox_add(&o, (event_sink){.event = note_event}, SESSION_OUTBOX_AGREED), -1);
    assert_int_equal(o.count, SESSION_OUTBOX_SINKS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_for_nobody_is_as_it_was),
        cmocka_unit_test(only_the_two_blades_of_a_contact_wait),
        cmocka_unit_test(a_target_waits_for_nobody),
        cmocka_unit_test(beyond_the_bound_the_oldest_goes_on),
        cmocka_unit_test(no_judge_keeps_all),
        cmocka_unit_test(nothing_is_lost_or_overtaken),
        cmocka_unit_test(sinks_receive_in_the_order_of_adding),
        cmocka_unit_test(alone_an_event_is_passed_on_as_it_is),
        cmocka_unit_test(other_sinks_receive_what_the_players_note),
        cmocka_unit_test(without_players_nothing_waits),
        cmocka_unit_test(a_full_outbox_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
