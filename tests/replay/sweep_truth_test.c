/* The sweep against queries with certain answers (data/README.md): every label, and the gap at the reported time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/reference.h"

enum { APART, HIT, OVERLAP };

typedef struct record {
    float body[2][21]; /* base, tip, radius, from orientation xyzw, from position, to orientation, to position */
    int32_t kind, label;
    double fraction, gap;
} record;

_Static_assert(sizeof(record) == 192, "the layout of the file");

static clash_vec3 vec3(const float *f)
{
    return (clash_vec3){f[0], f[1], f[2]};
}

static clash_body body(const float *f)
{
    return (clash_body){{vec3(f), vec3(f + 3), f[6]},
                        {{{f[7], f[8], f[9], f[10]}, vec3(f + 11)}, {{f[14], f[15], f[16], f[17]}, vec3(f + 18)}}};
}

static void check(const record *r, long i)
{
    clash_body a = body(r->body[0]), b = body(r->body[1]);
    clash_contact c;
    clash_sweep_result s = clash_sweep(&a, &b, &c);
    int label = s == CLASH_SWEEP_HIT ? HIT : s == CLASH_SWEEP_OVERLAP ? OVERLAP : s == CLASH_SWEEP_APART ? APART : -1;
    double gap;

    if (label != r->label)
        fail_msg("record %ld of class %d: %d, expected %d", i, r->kind, label, r->label);
    if (label != HIT)
        return;
    gap = ref_distance_at(&a, &b, c.fraction) - (double)a.shape.radius - (double)b.shape.radius;
    if (!(fabs(gap) <= 1e-6))
        fail_msg("record %ld of class %d: a gap of %g at %.9g, expected contact at %.9g", i, r->kind, gap, c.fraction,
                 r->fraction);
}

static void every_label_is_right(void **state)
{
    FILE *file = fopen(TEST_DATA "/sweep-truth-slice.bin", "rb");
    long count = 0, of_kind[7] = {0};
    record r;

    (void)state;
    assert_non_null(file);
    for (; fread(&r, sizeof r, 1, file) == 1; count++) {
        assert_in_range(r.kind, 0, 6);
        of_kind[r.kind]++;
        check(&r, count);
    }
    fclose(file);
    for (int k = 0; k < 7; k++)
        assert_int_equal(of_kind[k], count / 7);
    assert_true(count >= 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_label_is_right)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
