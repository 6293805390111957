/* The haptics sink turns intensity into pulses of both hands. */
#include "support/line_client.h"

#include "sinks/haptics/haptics.h"

#include <math.h>

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
        cmocka_unit_test(a_clash_is_felt_in_both_hands),
        cmocka_unit_test(a_pulse_stays_within_its_bounds),
        cmocka_unit_test(only_a_clash_of_known_blades_pulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
