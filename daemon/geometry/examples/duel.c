/* A duel: plays the poses of a recording (JSON lines) into a world of two blades and a floor, and prints each clash.
 *
 *     duel RECORDING.jsonl
 */
#include <clash/clash.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clash_blade blade(const char *name, const char *device)
{
    return (clash_blade){.name = name, .device = device, .properties.shape = {{0, 0, -0.05f}, {0, 0, -1.0f}, 0.015f}};
}

/* Read `count` numbers with commas between them, behind the next `key` in the line. */
static void read_numbers(const char *line, const char *key, float *out, int count)
{
    const char *at = strstr(line, key);
    char *end;

    for (int i = 0; at && i < count; i++, at = *end ? end + 1 : NULL)
        out[i] = strtof(i == 0 ? at + strlen(key) : at, &end);
}

/* Add the samples of a line; return false if it has none. */
static bool add_samples(clash_world *world, const char *line)
{
    const char *time = strncmp(line, "{\"type\":\"poses\"", 15) == 0 ? strstr(line, "\"time_ns\":") : NULL;
    char device[128];

    for (const char *at = line; time && (at = strstr(at, "{\"device\":")); at++) {
        const char *tracked = strstr(at, "\"tracked\":");
        const uint32_t flags =
            tracked && tracked[10] == 't' ? CLASH_SAMPLE_VALID | CLASH_SAMPLE_TRACKED : CLASH_SAMPLE_VALID;
        clash_pose pose = {{0, 0, 0, 1}, {0, 0, 0}};

        read_numbers(at, "\"position\":[", &pose.position.x, 3);
        read_numbers(at, "\"orientation\":[", &pose.orientation.x, 4);
        if (sscanf(at, "{\"device\":\"%127[^\"]", device) == 1)
            clash_world_add_sample(world, clash_world_device(world, device), strtoll(time + 10, NULL, 10), &pose,
                                   flags);
    }
    return time != NULL;
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
