/* Points, lines and rays without ends held against long double, against each other, and against themselves under a rigid
 * motion and with the two exchanged. A failure prints seed and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <clash/shape.h>

#include "support/near.h"
#include "support/queries_hard.h"

static uint64_t seed;

#define FAIL(i, ...)                                                               \
    do {                                                                           \
        print_error("seed %llu, case %ld: ", (unsigned long long)seed, (long)(i)); \
        fail_msg(__VA_ARGS__);                                                     \
    } while (0)

typedef struct wide_vec {
    long double x, y, z;
} wide_vec;

static wide_vec wide_of(clash_vec3 v)
{
    return (wide_vec){(long double)v.x, (long double)v.y, (long double)v.z};
}

static wide_vec wide_mad(wide_vec a, wide_vec b, long double s)
{
    return (wide_vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static long double wide_dot(wide_vec a, wide_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double wide_length(wide_vec a)
{
    return (double)sqrtl(wide_dot(a, a));
}

/** Two lines of any size: any, nearly parallel, parallel, meeting, without a direction. */
typedef struct line_query {
    clash_vec3 a, u, b, v;
    double size;
} line_query;

static line_query line_query_of(random_state *r)
{
    double size = hard_decades(r, -2, 3);
    line_query q = {.size = size};

    q.a = random_box(r, size);
    q.b = random_box(r, size);
    q.u = hard_scaled(random_direction(r), hard_decades(r, -3, 3));
    q.v = hard_scaled(random_direction(r), hard_decades(r, -3, 3));
    switch (random_below(r, 8)) {
    case 0:
        q.v = query_add(q.u, hard_scaled(random_box(r, 1), hard_decades(r, -9, -2) * (double)clash_vec3_length(q.u)));
        break;
    case 1:
        q.v = hard_scaled(q.u, -2);
        break;
    case 2:
        q.b = clash_vec3_add_scaled(q.a, q.u, random_in(r, -1, 1));
        break;
    case 3:
        q.v = (clash_vec3){0, 0, 0};
        break;
    case 4:
        q.u = (clash_vec3){0, 0, 0};
        break;
    default:
        break;
    }
    q.size = fmax(size, (double)clash_vec3_length(q.a) + (double)clash_vec3_length(q.b));
    return q;
}

/** The foot leads across the line, and no other point of the line is nearer. */
static void feet_are_nearest(void **state)
{
    random_state r = {seed};

    (void)state;
    for (long i = 0; i < random_cases(100000); i++) {
        line_query q = line_query_of(&r);
        double t = 7, d = (double)clash_point_line_distance(q.b, q.a, q.u, &t);
        wide_vec foot = wide_mad(wide_of(q.a), wide_of(q.u), (long double)t), way = wide_mad(wide_of(q.b), foot, -1);
        double doubt = 1e-7 * d + 1e-14 * (q.size + fabs(t) * wide_length(wide_of(q.u)));
        clash_vec3 tip = clash_vec3_add(q.a, q.u);
        double ratio = clash_segment_ratio(q.b, q.a, tip);
        float along;

        if (fabs(wide_length(way) - d) > doubt)
            FAIL(i, "%.12g from the foot, not %.12g", wide_length(way), d);
        if (fabs((double)wide_dot(way, wide_of(q.u))) > 1e-12 * (q.size + d) * wide_length(wide_of(q.u)))
            FAIL(i, "not across the line");
        clash_point_segment_distance(q.b, q.a, tip, &along);
        if (fabs(fmin(1, fmax(0, ratio)) - (double)along) > 1e-7)
            FAIL(i, "ratio %.12g, clamped %.12g", ratio, (double)along);
    }
}

static void closest_points_of_lines(void **state)
{
    random_state r = {seed + 1};
    long parallel = 0;

    (void)state;
    for (long i = 0; i < random_cases(100000); i++) {
        line_query q = line_query_of(&r);
        clash_line_closest c;
        double d = (double)clash_line_distance(q.a, q.u, q.b, q.v, &c);
        wide_vec u = wide_of(q.u), v = wide_of(q.v), p = wide_mad(wide_of(q.a), u, (long double)c.parameters[0]);
        wide_vec w = wide_mad(wide_mad(wide_of(q.b), v, (long double)c.parameters[1]), p, -1);
        double sine = sin((double)clash_vec3_angle(q.u, q.v)), doubt;
        double reach = q.size + fabs(c.parameters[0]) * wide_length(u) + fabs(c.parameters[1]) * wide_length(v);

        parallel += c.parallel;
        if (!isfinite(d) || fabs(wide_length(w) - d) > 1e-7 * d + 1e-13 * reach)
            FAIL(i, "%.12g between the points, not %.12g", wide_length(w), d);
        /* both derivatives vanish: nowhere on the two lines is closer */
        doubt = (c.parallel ? 1e-12 : 1e-12 + 1e-14 / sine) * reach;
        if (fabs((double)wide_dot(w, u)) > doubt * wide_length(u) ||
            fabs((double)wide_dot(w, v)) > doubt * wide_length(v))
            FAIL(i, "not across both: %g %g", (double)wide_dot(w, u), (double)wide_dot(w, v));
        if (wide_length(wide_mad(wide_of(c.points[0]), p, -1)) > 2e-7 * reach)
            FAIL(i, "the point is not where the parameter says");
    }
    assert_true(parallel > random_enough(1000));
}

static void lines_exchanged_and_moved(void **state)
{
    random_state r = {seed + 2};

    (void)state;
    for (long i = 0; i < random_cases(30000); i++) {
        line_query q = line_query_of(&r);
        clash_pose pose = {random_turn(&r, 6), random_box(&r, q.size)};
        double d = (double)clash_line_distance(q.a, q.u, q.b, q.v, NULL), other, moved, sine;

        other = (double)clash_line_distance(q.b, q.v, q.a, q.u, NULL);
        if (fabs(d - other) > 1e-7 * d + 1e-14 * q.size)
            FAIL(i, "exchanged %.12g, not %.12g", other, d);
        moved = (double)clash_line_distance(clash_pose_apply(&pose, q.a), clash_pose_rotate(&pose, q.u),
                                            clash_pose_apply(&pose, q.b), clash_pose_rotate(&pose, q.v), NULL);
        /* rounding of the moved directions turns what is nearly parallel anywhere */
        sine = sin((double)clash_vec3_angle(q.u, q.v));
        if (sine > 1e-3 && fabs(d - moved) > 4e-6 * q.size / sine)
            FAIL(i, "moved %.12g, not %.12g", moved, d);
    }
}

/** Of unit length, along the vector: exact to the rounding of float. */
static void directions(void **state)
{
    random_state r = {seed + 3};

    (void)state;
    for (long i = 0; i < random_cases(100000); i++) {
        clash_vec3 v = hard_scaled(random_direction(&r), hard_decades(&r, -38, 38)), n = clash_vec3_normalize(v);
        wide_vec w = wide_of(v);
        double length = wide_length(w);

        if (length > 1e-37 && wide_length(wide_mad(wide_of(n), w, -1 / (long double)length)) > 1e-7)
            FAIL(i, "%g %g %g is not of unit length, or turned", (double)n.x, (double)n.y, (double)n.z);
        if (fabs((double)clash_vec3_length(v) - length) > 1e-7 * length)
            FAIL(i, "length");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_are_nearest),
        cmocka_unit_test(closest_points_of_lines),
        cmocka_unit_test(lines_exchanged_and_moved),
        cmocka_unit_test(directions),
    };

    seed = random_seed(29);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
