/* Clashes into pulses, and pulses into lines: whatever a clash says, what a motor is told is within bounds. */
#include "sinks/haptics/haptics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "protocol/messages/codec.h"

typedef struct felt {
    int count;
    uint32_t devices[4];
    float amplitude;
    int64_t duration_ns;
} felt;

static void feel(void *context, uint32_t device, float amplitude, int64_t duration_ns)
{
    felt *f = context;

    f->devices[f->count++ % 4] = device;
    f->amplitude = amplitude;
    f->duration_ns = duration_ns;
}

static void clash(const haptics *h, clash_event_kind kind, float intensity)
{
    haptics copy = *h;
    const event_sink sink = haptics_port(&copy);
    clash_event event = {.kind = kind, .blades = {"left", "right"}};

    event.as.clash.intensity = intensity;
    sink.event(sink.context, &event);
}

static void both_hands_feel_a_clash_within_bounds(void **state)
{
    static const float intensities[] = {0.0f, 0.05f, 0.5f, 1.0f, 2.0f, -1.0f, NAN, INFINITY, -INFINITY, 1e-40f};
    const haptics_blade blades[] = {{"right", 7}, {"left", 3}, {"other", 5}};
    char line[256];

    (void)state;
    for (size_t i = 0; i < sizeof intensities / sizeof intensities[0]; i++) {
        felt f = {0};
        haptics h;

        haptics_init(&h, (haptic_output){&f, feel}, blades, 3);
        clash(&h, CLASH_EVENT_CLASH, intensities[i]);
        assert_int_equal(f.count, 2);
        assert_int_equal(f.devices[0], 3);
        assert_int_equal(f.devices[1], 7);
        assert_true(f.amplitude >= HAPTICS_AMPLITUDE_MIN && f.amplitude <= 1.0f);
        assert_in_range(f.duration_ns, HAPTICS_DURATION_BASE_NS, HAPTICS_DURATION_BASE_NS + HAPTICS_DURATION_SPAN_NS);
        assert_true(f.duration_ns <= PROTOCOL_HAPTIC_MAX_NS);
        assert_true(protocol_encode_haptic(line, sizeof line, &(protocol_haptic){"d", f.amplitude, f.duration_ns}) > 0);
    }
}

static void nothing_else_is_felt(void **state)
{
    const haptics_blade blades[] = {{"npc", 1}};
    felt f = {0};
    haptics h;

    (void)state;
    haptics_init(&h, (haptic_output){&f, feel}, blades, 1);
    clash(&h, CLASH_EVENT_CLASH, 1.0f);
    clash(&h, CLASH_EVENT_HOLD, 1.0f);
    clash(&h, CLASH_EVENT_RELEASE, 1.0f);
    assert_int_equal(f.count, 0);
}

static void a_contact_that_goes_on_is_not_felt(void **state)
{
    const haptics_blade blades[] = {{"left", 1}};
    clash_event event = {.kind = CLASH_EVENT_CLASH, .blades = {"left", "right"}};
    felt f = {0};
    haptics h;

    (void)state;
    haptics_init(&h, (haptic_output){&f, feel}, blades, 1);
    for (int resumed = 0; resumed < 2; resumed++) {
        event.as.clash.resumed = resumed;
        haptics_port(&h).event(&h, &event);
        assert_int_equal(f.count, 1);
    }
}

static void a_pulse_is_told(void **state)
{
    char line[256] = "";
    const size_t length =
        protocol_encode_haptic(line, sizeof line, &(protocol_haptic){"/user/hand/left", 0.25f, 45000000});

    (void)state;
    assert_int_equal(length, strlen(line));
    assert_string_equal(
        line, "{\"type\":\"haptic\",\"device\":\"/user/hand/left\",\"amplitude\":0.25,\"duration_ns\":45000000}\n");
    assert_int_equal(protocol_encode_haptic(line, 20, &(protocol_haptic){"/user/hand/left", 0.25f, 45000000}), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_hands_feel_a_clash_within_bounds),
        cmocka_unit_test(nothing_else_is_felt),
        cmocka_unit_test(a_contact_that_goes_on_is_not_felt),
        cmocka_unit_test(a_pulse_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
