/* Blades and targets that are there when a file begins: in the order in which they were defined, on which the order of a
 * step's events rests. */
#include "support/fresh.h"
#include "support/recorder_fixture.h"

enum { BLADES = 70, TARGETS = 3 };

static const size_t before[TARGETS] = {3, 69, 69};

static void many(protocol_session *session)
{
    static char names[BLADES][8];
    static clash_blade blades[BLADES];
    static clash_target_definition balls[TARGETS];
    static const clash_target_definition *targets[TARGETS];

    for (int i = 0; i < BLADES; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        blades[i] =
            (clash_blade){.name = names[i], .device = "hand", .properties.shape = {{0, 0, 0}, {0, 0, -1}, 0.01f}};
    }
    for (int i = 0; i < TARGETS; i++) {
        balls[i] = (clash_target_definition){.pose = {.orientation = {0, 0, 0, 1}}, .kind = CLASH_SHAPE_SPHERE};
        balls[i].as.sphere.radius = 1;
        snprintf(balls[i].name, sizeof balls[i].name, "t%d", i);
        targets[i] = &balls[i];
    }
    session->blades = blades;
    session->blade_count = BLADES;
    session->targets = targets;
    session->target_count = TARGETS;
    session->blades_before = before;
}

static void none_before_all(protocol_session *session)
{
    static const size_t none[TARGETS];

    many(session);
    session->blades_before = none;
}

static void targets_after_all(protocol_session *session)
{
    many(session);
    session->blades_before = NULL;
}

/* "b0 b1 .. t0 ..", header and lines alike. */
static void read_names(fixture *f, char *out, size_t size, size_t *out_in_header)
{
    recording_item *item = malloc(sizeof *item);
    recording *r = recording_open(f->path, NULL, NULL, fresh(&f->error));
    recording_item_kind kind;
    size_t at = 0;

    if (!r || !item)
        fail_msg("%s", f->error.text);
    *out_in_header = recording_get_header(r)->blade_count;
    for (size_t i = 0; i < *out_in_header; i++)
        at += (size_t)snprintf(out + at, size - at, "%s ", recording_get_header(r)->blades[i].name);
    while ((kind = recording_next(r, item)) == RECORDING_BLADE || kind == RECORDING_TARGET)
        at += (size_t)snprintf(out + at, size - at, "%s ",
                               kind == RECORDING_BLADE ? item->blade.name : item->target.name);
    assert_int_equal(kind, RECORDING_POSES);
    recording_close(r);
    free(item);
}

static void expect(fixture *f, void (*more)(protocol_session *), const size_t *blades_before, size_t in_header)
{
    char found[1024], expected[1024] = "";
    size_t at = 0, header, target = 0;

    f->more = more;
    f->overwrites = true;
    open_ok(f, 0);
    frame(f, sample_frame(1));
    close_recorder(f);
    for (size_t i = 0; i <= BLADES; i++) {
        for (; target < TARGETS && blades_before[target] == i; target++)
            at += (size_t)snprintf(expected + at, sizeof expected - at, "t%zu ", target);
        if (i < BLADES)
            at += (size_t)snprintf(expected + at, sizeof expected - at, "b%zu ", i);
    }
    read_names(f, found, sizeof found, &header);
    assert_string_equal(found, expected);
    assert_int_equal(header, in_header);
}

static void definitions_stand_in_order(void **state)
{
    static const size_t none[TARGETS], all[TARGETS] = {BLADES, BLADES, BLADES};

    expect(*state, many, before, 3);
    expect(*state, none_before_all, none, 0);
    expect(*state, targets_after_all, all, 64); /* more a header does not have */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(definitions_stand_in_order, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
