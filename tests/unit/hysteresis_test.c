/* Far beyond CLASH_COORDINATE_MAX rounding leaves metres open, and libclash answers all the same: a contact may begin there, but
 * it does not end and begin again within what rounds. Two blades, blades of parts, a blade and a target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <clash/contact.h>
#include <cmocka.h>

#include "support/impact.h"

#define UPRIGHT    \
    {              \
        0, 0, 0, 1 \
    }

static const clash_span whole = {0, 1};
static const impact_settings settings = {0, 0.005f};
static const clash_motion still = {{UPRIGHT, {0, 0, 0}}, {UPRIGHT, {0, 0, 0}}};
static const clash_body blade = {{{0, 0, 0}, {0, 0, -1}, 0.02f}, {{UPRIGHT, {0, 0, 0}}, {UPRIGHT, {0.2f, 0.1f, 0}}}};

/** How often that begins and ends in one swing of the blade. */
static size_t of_blades(const clash_capsule *far)
{
    const clash_body other = {*far, still};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state state = {0};

    return impact_advance(&state, settings, &blade, whole, &other, whole, changes);
}

static size_t of_parts(const clash_capsule *far)
{
    const clash_capsule two[2] = {*far, {far->base, far->tip, 0.05f}};
    const impact_parts other = {two, 2, still}, one = {&blade.shape, 1, blade.motion};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state state = {0};

    return impact_advance_blades(&state, settings, &one, whole, &other, whole, changes);
}

static size_t of_target(const clash_capsule *far)
{
    const impact_target target = {{CLASH_SHAPE_CAPSULE, {.capsule = *far}}, still};
    const impact_parts one = {&blade.shape, 1, blade.motion};
    clash_contact_change changes[CLASH_CONTACT_CHANGES_MAX];
    clash_contact_state state = {0};

    return impact_advance_target(&state, settings, &one, whole, &target, whole, changes);
}

static void rounding_makes_no_series_of_contacts(void **state)
{
    float far = 10;

    (void)state;
    for (int power = 1; power < 30; power++, far *= 10) {
        const clash_capsule capsule = {{far, far, far}, {0, 3, 0}, 0.1f};
        size_t most = far <= 1e9f ? 0 : 1;

        assert_true(of_blades(&capsule) <= most);
        assert_true(of_parts(&capsule) <= most);
        assert_true(of_target(&capsule) <= most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounding_makes_no_series_of_contacts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
