/* The recording reader: any file is read to its end, each line counted once; every item holds what its kind promises,
 * is written out again as the same item, and comes again after a rewind. The short way to read a line of poses makes of every
 * line what the long one does. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "protocol/recording/recording.h"
#include "protocol/recording/recording_private.h"
#include "support/bits.h"
#include "support/fresh.h"
#include "support/pose_lines.h"

static char line[4 * PROTOCOL_LINE_MAX];
static recording_item item, again;

/** What one reading came to. */
typedef struct reading {
    uint64_t hash;
    size_t items, reports;
} reading;

static void on_damage(void *context, uint64_t line_number, const char *message)
{
    reading *r = context;

    FUZZ_CHECK(line_number > 0 && message[0]);
    r->reports++;
}

static void check_name(const char *name, size_t size)
{
    FUZZ_CHECK(memchr(name, '\0', size));
}

static void read_again(size_t length)
{
    failure error = {0};

    FUZZ_CHECK(length > 1 && line[length - 1] == '\n');
    FUZZ_CHECK(recording_read_line(line, length - 1, &again, fresh(&error)) == RECORDING_LINE_TAKEN);
    FUZZ_CHECK(again.kind == item.kind && again.time_ns == item.time_ns);
}

static void check_poses(void)
{
    static protocol_pose poses[RECORDING_POSES_MAX];

    FUZZ_CHECK(item.pose_count <= RECORDING_POSES_MAX);
    for (size_t i = 0; i < item.pose_count; i++) {
        const protocol_own_pose *p = &item.poses[i];

        check_name(p->device, sizeof p->device);
        FUZZ_CHECK(clash_vec3_is_finite(p->pose.position) && clash_quat_is_unit(p->pose.orientation, 1e38f));
        poses[i] =
            (protocol_pose){p->device, p->pose, p->tracked, p->valid, p->teleport, p->joined, p->holds, p->source, {0}};
    }
    read_again(protocol_encode_recorded_poses(line, sizeof line, item.time_ns, poses, item.pose_count, item.more));
    FUZZ_CHECK(again.pose_count == item.pose_count && again.more == item.more);
    for (size_t i = 0; i < item.pose_count; i++) {
        const protocol_own_pose *p = &item.poses[i], *q = &again.poses[i];

        /* Where there is no pose, none is written. */
        FUZZ_CHECK(strcmp(p->device, q->device) == 0);
        FUZZ_CHECK(!p->valid || bits_same(&p->pose, &q->pose, sizeof p->pose));
        FUZZ_CHECK(p->tracked == q->tracked && p->valid == q->valid && p->teleport == q->teleport &&
                   p->joined == q->joined);
    }
}

static void check_blade(void)
{
    const clash_blade_definition *b = &item.blade;
    const clash_blade_properties *p = &b->properties;
    const clash_blade blade = clash_blade_of(b);

    check_name(b->name, sizeof b->name);
    check_name(b->device, sizeof b->device);
    FUZZ_CHECK(p->shape.radius >= 0.0f && clash_vec3_is_finite(p->shape.base) && clash_vec3_is_finite(p->shape.tip));
    FUZZ_CHECK(!p->has_edge || clash_vec3_length(p->edge) > 0.0f);
    read_again(protocol_encode_recorded_blade(line, sizeof line, item.time_ns, &blade));
    FUZZ_CHECK(strcmp(again.blade.name, b->name) == 0 && clash_blade_is_same(&again.blade, b));
}

static void check_target(void)
{
    const clash_target_definition *t = &item.target;
    const size_t length = protocol_encode_recorded_target(line, sizeof line, item.time_ns, t);

    check_name(t->name, sizeof t->name);
    FUZZ_CHECK(memchr(t->device, '\0', sizeof t->device) && memchr(t->file, '\0', sizeof t->file));
    FUZZ_CHECK(clash_vec3_is_finite(t->pose.position) && clash_quat_is_unit(t->pose.orientation, 0.011f));
    FUZZ_CHECK(t->kind != CLASH_SHAPE_TERRAIN || t->device[0] == '\0');
    FUZZ_CHECK(length > 0); /* it always fits */
    read_again(length);
    FUZZ_CHECK(strcmp(again.target.name, t->name) == 0 && strcmp(again.target.device, t->device) == 0);
    FUZZ_CHECK(again.target.kind == t->kind && strcmp(again.target.file, t->file) == 0);
    FUZZ_CHECK(bits_same(&again.target.pose, &t->pose, sizeof t->pose));
}

static void check_removal(void)
{
    const char *blade = item.blade.name[0] ? item.blade.name : NULL;

    check_name(item.blade.name, sizeof item.blade.name);
    check_name(item.device, sizeof item.device);
    if (item.target.name[0]) {
        read_again(protocol_encode_recorded_target_removal(line, sizeof line, item.time_ns, item.target.name));
        FUZZ_CHECK(strcmp(again.target.name, item.target.name) == 0 && !again.blade.name[0] && !again.device[0]);
        return;
    }
    read_again(protocol_encode_recorded_removal(line, sizeof line, item.time_ns, blade, blade ? NULL : item.device));
    FUZZ_CHECK(strcmp(again.blade.name, item.blade.name) == 0 && strcmp(again.device, item.device) == 0);
}

static void check_equipment(const recording_equipment *e)
{
    check_name(e->runtime, sizeof e->runtime);
    FUZZ_CHECK(e->controller_count <= RECORDING_CONTROLLERS_MAX);
    for (size_t i = 0; i < e->controller_count; i++) {
        check_name(e->controllers[i].device, sizeof e->controllers[i].device);
        check_name(e->controllers[i].profile, sizeof e->controllers[i].profile);
    }
}

static void check_equipment_again(void)
{
    const recording_equipment *e = &item.equipment, *f = &again.equipment;
    protocol_controller controllers[RECORDING_CONTROLLERS_MAX];
    const protocol_equipment equipment = {e->runtime, controllers, e->controller_count};

    check_equipment(e);
    for (size_t i = 0; i < e->controller_count; i++)
        controllers[i] = (protocol_controller){e->controllers[i].device, e->controllers[i].profile};
    read_again(protocol_encode_recorded_equipment(line, sizeof line, item.time_ns, &equipment));
    check_equipment(f);
    FUZZ_CHECK(f->controller_count == e->controller_count && (e->runtime[0] == '\0') == (f->runtime[0] == '\0'));
    for (size_t i = 0; i < e->controller_count; i++)
        FUZZ_CHECK(strcmp(e->controllers[i].device, f->controllers[i].device) == 0 &&
                   strcmp(e->controllers[i].profile, f->controllers[i].profile) == 0);
}

static void check_item(void)
{
    FUZZ_CHECK(item.line_number > 1 && item.text && item.text[item.text_length] == '\0');
    FUZZ_CHECK(!memchr(item.text, '\n', item.text_length));
    switch (item.kind) {
    case RECORDING_LATER:
        FUZZ_CHECK(false); /* nobody is impatient */
        return;
    case RECORDING_POSES:
        check_poses();
        return;
    case RECORDING_BLADE:
        check_blade();
        return;
    case RECORDING_TARGET:
        check_target();
        return;
    case RECORDING_REMOVE:
        check_removal();
        return;
    case RECORDING_TRACKING_LOST:
        check_name(item.device, sizeof item.device);
        return;
    case RECORDING_EQUIPMENT:
        check_equipment_again();
        return;
    case RECORDING_SPACE_CHANGED:
    case RECORDING_GAP:
    case RECORDING_MARK:
    case RECORDING_EVENT:
        return;
    case RECORDING_END:
        break;
    }
    FUZZ_CHECK(item.kind != RECORDING_END);
}

static void read_all(recording *r, reading *out)
{
    const recording_counters *counters = recording_get_counters(r);

    *out = (reading){.hash = BITS_HASH_EMPTY, .reports = out->reports};
    while (recording_next(r, &item) != RECORDING_END) {
        check_item();
        out->items++;
        out->hash = bits_hash(bits_hash(out->hash, item.text, item.text_length), &item.kind, sizeof item.kind);
    }
    FUZZ_CHECK(out->items + counters->damaged + counters->unknown + counters->torn < counters->lines);
    FUZZ_CHECK(counters->torn <= 1 && recording_next(r, &item) == RECORDING_END);
}

static size_t lines_of(const uint8_t *data, size_t size)
{
    size_t count = size > 0 && data[size - 1] != '\n';

    for (size_t i = 0; i < size; i++)
        count += data[i] == '\n';
    return count;
}

static bool is_compressed(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, "\x28\xb5\x2f\xfd", 4) == 0;
}

static void check_header(const recording_header *h)
{
    check_name(h->space, sizeof h->space);
    check_equipment(&h->equipment);
    FUZZ_CHECK(h->blade_count <= RECORDING_BLADES_MAX);
    for (size_t i = 0; i < h->blade_count; i++) {
        check_name(h->blades[i].name, sizeof h->blades[i].name);
        check_name(h->blades[i].device, sizeof h->blades[i].device);
        FUZZ_CHECK(h->blades[i].properties.shape.radius >= 0.0f);
    }
}

static void check_both_ways(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = text + size;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((newline ? newline : end) - text);

        FUZZ_CHECK(pose_lines_check(text, length) != POSE_LINES_WRONG);
        text += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reading first = {0}, second = {0};
    failure error = {0};
    char path[40];
    int file = memfd_create("recording", 0);
    recording *r;

    check_both_ways(data, size);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    r = recording_open(path, on_damage, &first, fresh(&error));
    FUZZ_CHECK(r || error.text[0]);
    if (r) {
        check_header(recording_get_header(r));
        read_all(r, &first);
        FUZZ_CHECK(is_compressed(data, size) || recording_get_counters(r)->lines == lines_of(data, size));
        second.reports = first.reports;
        FUZZ_CHECK(recording_rewind(r) == 0);
        read_all(r, &second);
        FUZZ_CHECK(first.hash == second.hash && first.items == second.items);
    }
    recording_close(r);
    close(file);
    return 0;
}
