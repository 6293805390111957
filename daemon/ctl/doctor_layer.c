/* The OpenXR API layer that feeds clashd from within games: whether it is enabled for this user, and which of this user's programs
 * have it. See doctor.h. */
#include "doctor.h"

#include "config/text.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "XR_APILAYER_CLASHD_poses"
#define LIBRARY "libclash_layer.so"
#define LOADER "libopenxr_loader.so"
#define ENABLE "'clashctl layer enable' turns it on for games that nobody can change, from their next start on."

/* Where the loader looks for layers that are in every program of a user's. */
static void place_of_manifest(char *out, size_t size)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const char *rest = "openxr/1/api_layers/implicit.d/" NAME ".json";

    if (data && data[0])
        snprintf(out, size, "%s/%s", data, rest);
    else
        snprintf(out, size, "%s/.local/share/%s", home ? home : "", rest);
}

static bool library_is_there(const char *manifest)
{
    char path[2 * PATH_MAX] = "";
    char *text = config_text_read(manifest);
    cJSON *document = text ? cJSON_Parse(text) : NULL;
    const char *library = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(document, "api_layer"), "library_path"));

    if (library)
        snprintf(path, sizeof path, "%.*s%s", library[0] == '/' ? 0 : (int)(strrchr(manifest, '/') + 1 - manifest),
                 manifest, library);
    cJSON_Delete(document);
    free(text);
    return path[0] && access(path, R_OK) == 0;
}

/* Whether a program has mapped a library, by the end of its path. */
static bool has_mapped(const char *pid, const char *library)
{
    char path[300], line[PATH_MAX + 128];
    bool is_there = false;
    FILE *maps;

    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    maps = fopen(path, "re");
    while (maps && !is_there && fgets(line, sizeof line, maps)) {
        const char *slash = strrchr(line, '/');

        is_there = slash && strncmp(slash + 1, library, strlen(library)) == 0;
    }
    if (maps)
        fclose(maps);
    return is_there;
}

static void add_program(const doctor *d, const char *pid, bool has_layer)
{
    cJSON *programs = cJSON_GetObjectItemCaseSensitive(doctor_area(d, "layer"), "programs"),
          *program = cJSON_CreateObject();
    char path[300], name[64] = "?";
    FILE *file;

    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    file = fopen(path, "re");
    if (file && fgets(name, sizeof name, file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
    cJSON_AddNumberToObject(program, "pid", (double)atol(pid));
    cJSON_AddStringToObject(program, "name", name);
    cJSON_AddBoolToObject(program, "has_layer", has_layer);
    cJSON_AddItemToArray(programs, program);
    doctor_say(d, "layer", "%s (process %.20s) %s", name, pid, has_layer ? "has it" : "uses OpenXR without it");
}

/* Others' programs cannot be looked into; clashd's own process is none that should have it. */
static size_t look_at_programs(const doctor *d)
{
    DIR *all = opendir("/proc");
    size_t lacking = 0;

    for (const struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all)) {
        char path[300], program[PATH_MAX];
        ssize_t length;
        bool has_layer;

        if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || !has_mapped(entry->d_name, LOADER))
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/exe", entry->d_name);
        length = readlink(path, program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        if (strstr(program, "/clashd-openxr"))
            continue;
        has_layer = has_mapped(entry->d_name, LIBRARY);
        lacking += !has_layer;
        add_program(d, entry->d_name, has_layer);
    }
    if (all)
        closedir(all);
    return lacking;
}

void doctor_look_at_layer(doctor *d)
{
    char manifest[PATH_MAX];
    cJSON *area = doctor_area(d, "layer");
    size_t lacking;

    place_of_manifest(manifest, sizeof manifest);
    d->has_layer = access(manifest, F_OK) == 0;
    cJSON_AddBoolToObject(area, "enabled", d->has_layer);
    cJSON_AddStringToObject(area, "manifest", manifest);
    cJSON_AddArrayToObject(area, "programs");
    doctor_say(d, "layer", "%s", d->has_layer ? "enabled for this user" : "off");
    lacking = look_at_programs(d);
    if (!d->has_layer)
        doctor_note(d, "layer_off", ENABLE, "the layer " NAME " is off");
    else if (!library_is_there(manifest))
        doctor_wrong(d, "layer_broken", "'clashctl layer enable' makes it anew; if that fails, install clashd again.",
                     "%s names a library that is not there: no game has the layer", manifest);
    else if (lacking > 0)
        doctor_note(d, "layer_missing",
                    "Start them again: they were there before it was enabled, or turn it off by DISABLE_" NAME ".",
                    "programs use OpenXR without the layer");
}
