/* Raw bits as vectors, lines, rays, capsules, shapes and meshes, through everything of libclash that takes those standing
 * still: whatever the bits, no crash, no hang, no NaN in an answer, nothing written where nothing is answered; of a mesh the
 * same as of its triangles one by one. An input is a header (fuzz_header below) and then triangles of 36 bytes. */
#include <math.h>

#include <clash/mesh.h>
#include <clash/push_out.h>
#include <clash/ray.h>

#include "fuzz/fuzz.h"
#include "support/bits.h"
#include "support/push.h"

enum { TRIANGLES_MAX = 12, UNTOUCHED = 0x5a };

typedef struct fuzz_header {
    clash_vec3 origin, direction;
    float most;
    clash_capsule capsule;
    clash_pose pose, capsule_pose;
    clash_box shape; /* or what begins like it */
    uint8_t kind, room;
    uint8_t unused[6];
} fuzz_header;

static bool is_untouched(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)bytes)[i] != UNTOUCHED)
            return false;
    return true;
}

static bool is_unit(clash_vec3 v)
{
    return fabsf(clash_vec3_length(v) - 1.0f) < 1e-5f;
}

static void check_vectors(clash_vec3 a, clash_vec3 b)
{
    bool finite = clash_vec3_is_finite(a) && clash_vec3_is_finite(b);
    clash_vec3 n = clash_vec3_normalize(a);

    if (clash_vec3_is_finite(a))
        FUZZ_CHECK(is_unit(n) || (a.x == 0.0f && a.y == 0.0f && a.z == 0.0f && clash_vec3_length(n) == 0.0f));
    else
        FUZZ_CHECK(isnan(n.x) && isnan(n.y) && isnan(n.z));
    if (!finite)
        return;
    FUZZ_CHECK(!isnan(clash_vec3_dot(a, b)) && clash_vec3_dot(a, b) == clash_vec3_dot(b, a));
    FUZZ_CHECK(clash_vec3_distance(a, b) == clash_vec3_distance(b, a));
    FUZZ_CHECK(clash_vec3_cross(a, b).x == -clash_vec3_cross(b, a).x);
    FUZZ_CHECK(!isnan(clash_vec3_add_scaled(a, b, 0.5).y) && clash_vec3_sub(a, a).z == 0.0f);
}

static void check_lines(const fuzz_header *h)
{
    clash_line_closest c;
    double parameter = 7.0, ratio = clash_segment_ratio(h->origin, h->capsule.base, h->capsule.tip);
    float far = clash_point_line_distance(h->capsule.base, h->origin, h->direction, &parameter);
    float along = 7.0f, near = clash_point_segment_distance(h->origin, h->capsule.base, h->capsule.tip, &along);

    FUZZ_CHECK(isnan(far) ? parameter == 7.0 : isfinite(parameter));
    FUZZ_CHECK(isnan(near) == isnan(ratio));
    /* further away it makes no difference where on a short segment */
    if (near < 1e3f * clash_vec3_distance(h->capsule.base, h->capsule.tip))
        FUZZ_CHECK(fabs(fmin(1, fmax(0, ratio)) - (double)along) < 1e-6);
    memset(&c, UNTOUCHED, sizeof c);
    far = clash_line_distance(h->origin, h->direction, h->capsule.base, h->capsule.tip, &c);
    if (isnan(far)) {
        FUZZ_CHECK(is_untouched(&c, sizeof c));
        return;
    }
    FUZZ_CHECK(isfinite(c.parameters[0]) && isfinite(c.parameters[1]));
    FUZZ_CHECK(clash_vec3_is_finite(c.points[0]) && clash_vec3_is_finite(c.points[1]));
}

static void check_capsule(const fuzz_header *h)
{
    double t[2] = {NAN, NAN};
    int found = clash_line_capsule(h->origin, h->direction, &h->capsule, t), again;

    FUZZ_CHECK(found == 2 ? t[0] <= t[1] && isfinite(t[0]) && isfinite(t[1]) : isnan(t[0]) && isnan(t[1]));
    again = clash_ray_capsule(h->origin, h->direction, &h->capsule, t);
    FUZZ_CHECK(again == (found == 2 && t[1] < 0.0 ? 0 : found));
}

static int check_ray(const fuzz_header *h, const clash_shape *shape, clash_ray_hit *out_hit)
{
    int found;

    memset(out_hit, UNTOUCHED, sizeof *out_hit);
    found = clash_ray_shape(h->origin, h->direction, (double)h->most, shape, &h->pose, out_hit);
    FUZZ_CHECK(clash_ray_shape(h->origin, h->direction, (double)h->most, shape, &h->pose, NULL) == found);
    if (found != 1) {
        FUZZ_CHECK(is_untouched(out_hit, sizeof *out_hit));
        return found;
    }
    FUZZ_CHECK(out_hit->parameter >= 0.0 && out_hit->parameter <= (double)h->most);
    FUZZ_CHECK(clash_vec3_is_finite(out_hit->point) && is_unit(out_hit->normal));
    return found;
}

/** As check_ray, of all triangles one by one. */
static int ray_one_by_one(const fuzz_header *h, const clash_vec3 *corners, uint32_t count, clash_ray_hit *out_hit)
{
    const uint32_t indices[1][3] = {{0, 1, 2}};
    int found = 0;

    for (uint32_t k = 0; k < count; k++) {
        clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = NULL}};
        clash_mesh *mesh = clash_mesh_create(&corners[(size_t)3 * k], 3, indices, 1);
        clash_ray_hit hit;
        int one;

        FUZZ_CHECK(mesh);
        shape.as.mesh = mesh;
        one = check_ray(h, &shape, &hit);
        clash_mesh_destroy(mesh);
        if (one < 0)
            return one;
        if (one == 1 && (!found || hit.parameter < out_hit->parameter)) {
            *out_hit = hit;
            out_hit->triangle = k;
            found = 1;
        }
    }
    return found;
}

static void check_overlaps(const fuzz_header *h, const clash_mesh *mesh, uint32_t count)
{
    clash_triangle_touch all[TRIANGLES_MAX], some[TRIANGLES_MAX];
    size_t found = 7, again = 7, room = h->room % TRIANGLES_MAX;
    bool valid = clash_mesh_overlaps(mesh, &h->pose, &h->capsule, &h->capsule_pose, all, TRIANGLES_MAX, &found);

    memset(some, UNTOUCHED, sizeof some);
    FUZZ_CHECK(clash_mesh_overlaps(mesh, &h->pose, &h->capsule, &h->capsule_pose, some, room, &again) == valid);
    FUZZ_CHECK(found == again && (valid ? found <= count : found == 7));
    if (!valid)
        return;
    room = room < found ? room : found;
    FUZZ_CHECK(bits_same(all, some, room * sizeof *all) &&
               is_untouched(&some[room], sizeof some - room * sizeof *some));
    for (size_t i = 0; i < found; i++) {
        FUZZ_CHECK(all[i].triangle < count && (i == 0 || all[i].triangle > all[i - 1].triangle));
        FUZZ_CHECK(all[i].distance >= 0.0f && all[i].distance <= h->capsule.radius * 1.000001f);
        FUZZ_CHECK(all[i].along >= 0.0f && all[i].along <= 1.0f);
        FUZZ_CHECK(is_unit(all[i].normal) || clash_vec3_length(all[i].normal) == 0.0f);
    }
}

/** From one of the poses to the other. Of some inputs only: it takes a hundred times what the others take. */
static void check_push(const fuzz_header *h, const clash_shape *shape)
{
    const clash_obstacle o = {*shape, h->pose};
    clash_pose out;
    clash_push_result result;

    if (h->room % 8 != 1)
        return;
    memset(&out, UNTOUCHED, sizeof out);
    result = push_pose_from(&h->capsule, 1, &h->capsule_pose, &h->pose, &o, 1, fabsf(h->most), &out);
    FUZZ_CHECK(result >= CLASH_PUSH_FREE && result <= CLASH_PUSH_INVALID);
    if (result == CLASH_PUSH_INVALID)
        FUZZ_CHECK(is_untouched(&out, sizeof out));
    else
        FUZZ_CHECK(clash_vec3_is_finite(out.position) &&
                   bits_same(&out.orientation, &h->pose.orientation, sizeof out.orientation));
    if (result == CLASH_PUSH_FREE || result == CLASH_PUSH_STUCK)
        FUZZ_CHECK(bits_same(&out, &h->pose, sizeof out));
}

static void check_mesh(const fuzz_header *h, const clash_vec3 *corners, uint32_t count)
{
    uint32_t indices[TRIANGLES_MAX][3];
    clash_shape shape = {CLASH_SHAPE_MESH, {.mesh = NULL}};
    clash_ray_hit hit, other = {.parameter = 0.0};
    clash_mesh *mesh;

    for (uint32_t i = 0; i < 3 * count; i++)
        indices[i / 3][i % 3] = i;
    mesh = clash_mesh_create(corners, 3 * count, (const uint32_t(*)[3])indices, count);
    if (!mesh)
        return;
    shape.as.mesh = mesh;
    if (check_ray(h, &shape, &hit) == 1)
        FUZZ_CHECK(ray_one_by_one(h, corners, count, &other) == 1 && hit.parameter == other.parameter &&
                   hit.triangle == other.triangle);
    check_overlaps(h, mesh, count);
    check_push(h, &shape);
    clash_mesh_destroy(mesh);
}

static void check_solid(const fuzz_header *h)
{
    clash_shape shape = {.kind = (clash_shape_kind)(h->kind % 3)};
    clash_ray_hit hit;

    shape.as.box = h->shape;
    if (check_ray(h, &shape, &hit) == 1)
        FUZZ_CHECK(hit.triangle == CLASH_NO_TRIANGLE && (!hit.inside || hit.parameter == 0.0));
    check_push(h, &shape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    clash_vec3 corners[3 * TRIANGLES_MAX];
    fuzz_input in = {data, size};
    uint32_t count = 0;
    fuzz_header h;

    fuzz_take(&in, &h, sizeof h);
    do {
        fuzz_take(&in, &corners[(size_t)3 * count], 3 * sizeof *corners);
    } while (++count < TRIANGLES_MAX && in.size > 0);
    check_vectors(h.origin, h.direction);
    check_lines(&h);
    check_capsule(&h);
    check_solid(&h);
    check_mesh(&h, corners, count);
    return 0;
}
