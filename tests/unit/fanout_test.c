/* The small sinks: fan-out keeps the order, haptics turn intensity into pulses of both hands. */
#include "support/line_client.h"

#include "scene/fanout.h"
#include "sinks/haptics/haptics.h"

#include <math.h>

static char order[64];

static void note_event(void *context, const clash_event *event)
{
    size_t length = strlen(order);

    snprintf(order + length, sizeof order - length, "%se%d ", (const char *)context, (int)event->seq);
}

static void note_frame(void *context, const pose_frame *frame)
{
    size_t length = strlen(order);

    snprintf(order + length, sizeof order - length, "%sf%d ", (const char *)context, (int)frame->time_ns);
}

static void fanout_keeps_the_order(void **state)
{
    fanout f;
    char a[] = "a", b[] = "b", c[] = "c";

    (void)state;
    fanout_init(&f);
    assert_int_equal(fanout_add(&f, (event_sink){.context = b, .event = note_event, .frame = note_frame}), 0);
    assert_int_equal(fanout_add(&f, (event_sink){.context = a, .event = note_event}), 0);
    assert_int_equal(fanout_add(&f, (event_sink){.context = c, .frame = note_frame}), 0);
    event_sink sink = fanout_port(&f);
    sink.frame(sink.context, &(pose_frame){.time_ns = 1});
    sink.event(sink.context, &(clash_event){.seq = 2});
    assert_string_equal(order, "bf1 cf1 be2 ae2 ");
}

static void note_seq(void *context, clash_event *event)
{
    event->seq += *(const uint64_t *)context;
}

/* A reload has other sinks; who notes is the same. */
static void other_sinks_are_told_what_is_noted(void **state)
{
    uint64_t more = 40;
    char a[] = "a", b[] = "b";
    fanout f;

    (void)state;
    memset(&f, 0xa5, sizeof f);
    fanout_init(&f);
    f.note = note_seq;
    f.note_context = &more;
    assert_int_equal(fanout_add(&f, (event_sink){.context = a, .event = note_event}), 0);
    fanout_clear(&f);
    assert_int_equal(fanout_add(&f, (event_sink){.context = b, .event = note_event}), 0);
    order[0] = '\0';
    event_sink sink = fanout_port(&f);
    sink.event(sink.context, &(clash_event){.kind = CLASH_EVENT_CLASH, .seq = 2});
    assert_string_equal(order, "be42 ");
}

static void fanout_says_when_it_is_full(void **state)
{
    fanout f;

    (void)state;
    fanout_init(&f);
    for (int i = 0; i < FANOUT_SINKS_MAX; i++)
        assert_int_equal(fanout_add(&f, (event_sink){.event = note_event}), 0);
    assert_int_equal(fanout_add(&f, (event_sink){.event = note_event}), -1);
    assert_int_equal(f.count, FANOUT_SINKS_MAX);
}

typedef struct pulses {
    size_t count;
    uint32_t devices[4];
    float amplitudes[4];
    int64_t durations[4];
} pulses;

static void note_pulse(void *context, uint32_t device, float amplitude, int64_t duration_ns)
{
    pulses *p = context;

    assert_true(p->count < 4);
    p->devices[p->count] = device;
    p->amplitudes[p->count] = amplitude;
    p->durations[p->count++] = duration_ns;
}

static pulses pulse(clash_event_kind kind, const char *first, const char *second, float intensity)
{
    static const haptics_blade blades[] = {{"left", 7}, {"right", 3}};
    pulses p = {0};
    haptics h;
    clash_event event = {.kind = kind, .blades = {first, second}};

    if (kind == CLASH_EVENT_CLASH || kind == CLASH_EVENT_HOLD)
        event.as.clash.intensity = intensity;
    haptics_init(&h, (haptic_output){.context = &p, .pulse = note_pulse}, blades, 2);
    haptics_port(&h).event(&h, &event);
    return p;
}

static void a_clash_is_felt_in_both_hands(void **state)
{
    pulses p = pulse(CLASH_EVENT_CLASH, "left", "right", 0.5f);

    (void)state;
    assert_int_equal(p.count, 2);
    assert_int_equal(p.devices[0], 7);
    assert_int_equal(p.devices[1], 3);
    assert_true(p.amplitudes[0] == 0.5f && p.amplitudes[1] == 0.5f);
    assert_int_equal(p.durations[0], 30000000);
    assert_int_equal(p.durations[1], 30000000);
}

static void a_pulse_stays_within_its_bounds(void **state)
{
    const struct {
        float intensity, amplitude;
        int64_t duration;
    } cases[] = {{0.0f, 0.1f, 15000000},  {0.05f, 0.1f, 16500000},    {1.0f, 1.0f, 45000000}, {7.0f, 1.0f, 45000000},
                 {-1.0f, 0.1f, 15000000}, {INFINITY, 1.0f, 45000000}, {NAN, 0.1f, 15000000}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pulses p = pulse(CLASH_EVENT_CLASH, "left", "right", cases[i].intensity);
        assert_true(p.amplitudes[0] == cases[i].amplitude);
        assert_true(llabs(p.durations[0] - cases[i].duration) < 2);
    }
}

static void only_a_clash_of_known_blades_pulses(void **state)
{
    (void)state;
    assert_int_equal(pulse(CLASH_EVENT_HOLD, "left", "right", 1.0f).count, 0);
    assert_int_equal(pulse(CLASH_EVENT_RELEASE, "left", "right", 1.0f).count, 0);
    assert_int_equal(pulse(CLASH_EVENT_TRACKING, NULL, NULL, 1.0f).count, 0);
    assert_int_equal(pulse(CLASH_EVENT_CLASH, "npc", "other", 1.0f).count, 0);
    assert_int_equal(pulse(CLASH_EVENT_CLASH, "npc", "right", 1.0f).count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fanout_keeps_the_order),          cmocka_unit_test(other_sinks_are_told_what_is_noted),
        cmocka_unit_test(fanout_says_when_it_is_full),     cmocka_unit_test(a_clash_is_felt_in_both_hands),
        cmocka_unit_test(a_pulse_stays_within_its_bounds), cmocka_unit_test(only_a_clash_of_known_blades_pulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
