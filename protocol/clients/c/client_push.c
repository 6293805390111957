/* Blades and poses of the client's own as lines; targets are client_target.c's. What clashd would refuse whoever sends it (a number that is not finite) is
 * refused here; what depends on others (names, limits, times) is clashd's to say, by the request's id. */
#include "client_write.h"

#include <math.h>
#include <string.h>

/** Of so many devices, with names as they are, a line takes no more. */
#define SHORT_PUSH_POSES 4
#define SHORT_PUSH_BYTES 2048

/** Why a part cannot be sent; NULL if it can. */
static const char *judge_part(const clash_sword *sword, const clash_sword_part *part)
{
    const clash_capsule *capsules = sword->capsules;

    if (!memchr(part->name, '\0', sizeof part->name))
        return "a part's name has no end";
    if (part->count == 0 || part->first > CLASH_PARTS_MAX || part->count > CLASH_PARTS_MAX - part->first)
        return "a part's capsules are not among the sword's";
    if (part->has_edge && !is_finite_vec3(part->edge))
        return "a part's edge is not finite";
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        if (!is_finite_capsule(&capsules[i]))
            return "a part's capsule is not finite";
        if (i == part->first)
            continue;
        if (!clash_vec3_is_same(&capsules[i].base, &capsules[i - 1].tip))
            return "a part's capsule does not begin where the one before it ends";
        if (capsules[i].radius != capsules[part->first].radius)
            return "a part's capsules differ in radius";
    }
    return NULL;
}

static const char *judge_sword(const clash_sword *sword)
{
    const char *why = NULL;

    if (sword->part_count == 0 || sword->part_count > CLASH_PARTS_MAX)
        return "a sword has 1 to 16 parts";
    for (uint32_t i = 0; i < sword->part_count && !why; i++)
        why = judge_part(sword, &sword->parts[i]);
    return why;
}

static const char *judge_blade(const clash_blade *blade)
{
    const clash_blade_properties *p = &blade->properties;

    if (!blade->name || !blade->device)
        return "it has no name or no device";
#define JUDGE(type, member, key, otherwise) \
    if (!isfinite((float)p->member))        \
        return key " is not finite";
    CLASH_BLADE_PROPERTIES(JUDGE)
#undef JUDGE
    if (blade->sword)
        return judge_sword(blade->sword);
    if (!is_finite_capsule(&p->shape) || (p->has_edge && !is_finite_vec3(p->edge)))
        return "its shape is not finite";
    return NULL;
}

int clash_client_define_blade(clash_client *client, const char *id, const clash_blade *blade, const char *axes)
{
    const char *why = judge_blade(blade);
    char line[CLIENT_LINE_MAX];
    json_writer w;

    if (why)
        return client_fail(client, "blade %.63s: %s", blade->name ? blade->name : "", why);
    client_begin_request(&w, line, sizeof line, "blade", id);
    encode_blade(&w, blade, false);
    if (axes)
        encode_key_string(&w, "axes", axes);
    return client_end_request(client, &w);
}

static int remove_named(clash_client *client, const char *id, const char *name)
{
    char line[CLIENT_LINE_MAX];
    json_writer w;

    client_begin_request(&w, line, sizeof line, "remove", id);
    encode_key_string(&w, "name", name);
    return client_end_request(client, &w);
}

int clash_client_remove_blade(clash_client *client, const char *id, const char *name)
{
    return remove_named(client, id, name);
}

int clash_client_remove_target(clash_client *client, const char *id, const char *name)
{
    return remove_named(client, id, name);
}

static void put_pose(json_writer *w, const clash_client_pose *p)
{
    clash_quat q = p->valid ? p->pose.orientation : (clash_quat){.w = 1.0f};

    json_object_begin(w);
    encode_key_string(w, "device", p->device);
    encode_key_vec3(w, "position", p->valid ? p->pose.position : (clash_vec3){0.0f, 0.0f, 0.0f});
    encode_key_quat(w, "orientation", q);
    encode_key_bool(w, "tracked", p->tracked);
    if (!p->valid)
        encode_key_bool(w, "valid", false);
    if (p->teleport)
        encode_key_bool(w, "teleport", true);
    json_object_end(w);
}

/** Everything that is wrong with a push before a byte of it is written. Return 0, or -1, problem noted. */
static int judge_push(clash_client *c, const clash_client_push *push, int64_t *out_time_ns)
{
    *out_time_ns = 0;
    if (c->fd < 0)
        return client_fail(c, "not connected");
    if (push->has_time && !c->greeted)
        return client_fail(c, "poses: the session's time is not known before hello");
    if (push->has_time && __builtin_sub_overflow(push->time_ns, c->epoch_ns, out_time_ns))
        return client_fail(c, "poses: time_ns is out of range");
    for (size_t i = 0; i < push->count; i++) {
        const clash_client_pose *p = &push->poses[i];

        if (!p->device)
            return client_fail(c, "poses: a pose has no device");
        if (p->valid && !is_finite_pose(&p->pose))
            return client_fail(c, "poses: the pose of %.100s is not finite", p->device);
    }
    if (c->out_length >= CLIENT_POSES_MAX)
        return client_fail(c, "clashd does not read: %zu bytes wait to be sent", c->out_length);
    return 0;
}

/** As a line of at most `size` bytes; 0 if it does not fit. */
static size_t write_push(char *line, size_t size, const char *id, const clash_client_push *push, int64_t time_ns)
{
    json_writer w;

    client_begin_request(&w, line, size, "poses", id);
    if (push->has_time)
        encode_key_int(&w, "time_ns", time_ns);
    json_key(&w, "poses");
    json_array_begin(&w);
    for (size_t i = 0; i < push->count; i++)
        put_pose(&w, &push->poses[i]);
    json_array_end(&w);
    if (push->axes)
        encode_key_string(&w, "axes", push->axes);
    return encode_end(&w);
}

/* Apart, so that its stack is not that of every push. */
__attribute__((noinline)) static int push_long(clash_client *client, const char *id, const clash_client_push *push,
                                               int64_t time_ns)
{
    char line[CLIENT_LINE_MAX];

    return client_send_line(client, line, write_push(line, sizeof line, id, push, time_ns));
}

/* It is called in a game's frame, from a thread whose stack may be small: that of two hands takes some KiB. */
int clash_client_push_poses(clash_client *client, const char *id, const clash_client_push *push)
{
    char line[SHORT_PUSH_BYTES];
    size_t length = 0;
    int64_t time_ns;

    if (judge_push(client, push, &time_ns) != 0)
        return -1;
    if (push->count <= SHORT_PUSH_POSES)
        length = write_push(line, sizeof line, id, push, time_ns);
    return length > 0 ? client_send_line(client, line, length) : push_long(client, id, push, time_ns);
}
