/* A duel: plays the poses of a recording (JSON lines) into a world of two blades and a floor, and prints each clash.
 *
 *     duel RECORDING.jsonl
 */
#include <clash/clash.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static clash_blade blade(const char *name, const char *device)
{
    return (clash_blade){.name = name, .device = device, .properties.shape = {{0, 0, -0.05f}, {0, 0, -1.0f}, 0.015f}};
}

/* Add the samples of a line; return false if it has none. */
static bool add_samples(clash_world *world, const char *line)
{
    int64_t time_ns;

    if (sscanf(line, "{\"type\":\"poses\",\"time_ns\":%" SCNd64, &time_ns) != 1)
        return false;
    for (const char *at = line; (at = strstr(at, "{\"device\":")); at++) {
        char device[128], tracked[8];
        clash_pose pose;
        clash_vec3 *p = &pose.position;
        clash_quat *q = &pose.orientation;

        if (sscanf(
                at,
                "{\"device\":\"%127[^\"]\",\"position\":[%f,%f,%f],\"orientation\":[%f,%f,%f,%f],\"tracked\":%7[a-z]",
                device, &p->x, &p->y, &p->z, &q->x, &q->y, &q->z, &q->w, tracked) == 9)
            clash_world_add_sample(world, clash_world_device(world, device), time_ns, &pose,
                                   CLASH_SAMPLE_VALID | (strcmp(tracked, "true") == 0 ? CLASH_SAMPLE_TRACKED : 0u));
    }
    return true;
}

int main(int argc, char **argv)
{
    const clash_vec3 corners[] = {{-2, 0, -2}, {2, 0, -2}, {-2, 0, 2}, {2, 0, 2}};
    const uint32_t triangles[2][3] = {{0, 2, 1}, {1, 2, 3}};
    const clash_blade left = blade("left", "/user/hand/left"), right = blade("right", "/user/hand/right");
    clash_mesh *mesh = clash_mesh_create(corners, 4, triangles, 2);
    const clash_target floor = {.name = "floor", .pose.position.y = 0.3f, .shape = {CLASH_SHAPE_MESH, {.mesh = mesh}}};
    clash_world *world = clash_world_create(NULL);
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[4096];

    if (!file || !mesh || !world || clash_world_set_blade(world, &left) || clash_world_set_blade(world, &right) ||
        clash_world_set_target(world, &floor))
        return 2;
    while (fgets(line, sizeof line, file)) {
        const clash_events found = add_samples(world, line) ? clash_world_step(world) : (clash_events){NULL, 0};

        for (size_t i = 0; i < found.count; i++)
            if (found.events[i].kind == CLASH_EVENT_CLASH)
                printf("%" PRId64 " %s %s %.9g\n", found.events[i].time_ns, found.events[i].blades[0],
                       found.events[i].blades[1], (double)found.events[i].as.clash.closing_speed);
    }
    clash_world_destroy(world);
    clash_mesh_destroy(mesh);
    return 0;
}
