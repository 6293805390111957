/* clashctl layer: put the manifest of the OpenXR API layer where the OpenXR loader looks, remove it again, and say
 * whether it is there, works and is in any game. */
#include "cli/output.h"
#include "ctl.h"
#include "layer_state.h"
#include "platform/helper_place.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND "layer"
#define EXPECTED "expected enable, disable or status"

typedef struct layer_command {
    bool json, help;
    char manifest[PATH_MAX];
} layer_command;

static const flag flags[] = {
    FLAG_SWITCH("json", layer_command, json, "of status: one line of JSON"),
    FLAG_HELP(layer_command),
};

/** Find this clashctl's own library: built, or installed. Return -1 after a message if it is missing. */
static int find_library(char out[PATH_MAX])
{
    char found[PATH_MAX];

    if ((helper_place(LAYER_LIBRARY, "CLASHD_LAYER", "layer", found, sizeof found) == 0 && realpath(found, out)) ||
        (helper_place(CLASHD_LAYER_FROM_LIBEXEC "/" LAYER_LIBRARY, "CLASHD_LAYER", "layer", found, sizeof found) == 0 &&
         realpath(found, out)))
        return 0;
    output_error(COMMAND, "%s: %s: is it installed?", output_text(found), strerror(errno));
    return -1;
}

static int make_directories(const char *file)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s", file);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return 0;
}

static char *print_manifest(const char *library)
{
    cJSON *whole = cJSON_CreateObject(), *layer = cJSON_AddObjectToObject(whole, "api_layer");
    char *text = NULL;

    if (cJSON_AddStringToObject(whole, "file_format_version", "1.0.0") &&
        cJSON_AddStringToObject(layer, "name", LAYER_NAME) && cJSON_AddStringToObject(layer, "library_path", library) &&
        cJSON_AddStringToObject(layer, "api_version", "1.0") &&
        cJSON_AddStringToObject(layer, "implementation_version", "1") &&
        cJSON_AddStringToObject(layer, "description", "Tells clashd where this game has the player's hands") &&
        cJSON_AddStringToObject(layer, "disable_environment", LAYER_OFF))
        text = cJSON_Print(whole);
    cJSON_Delete(whole);
    return text;
}

/** Write the file whole or not at all: a game may be starting. */
static int write_whole(const char *path, const char *text)
{
    char beside[PATH_MAX + 16];
    FILE *file;
    bool is_written;

    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    file = fopen(beside, "wxe");
    if (!file)
        return -1;
    is_written = fputs(text, file) >= 0 && fputc('\n', file) != EOF;
    if ((fclose(file) == 0 && is_written && rename(beside, path) == 0))
        return 0;
    unlink(beside);
    return -1;
}

static int enable(const layer_command *c)
{
    char library[PATH_MAX], problem[1024];
    char *text;
    int failed;

    if (find_library(library) != 0)
        return CTL_USAGE;
    /* With a layer that does not load, the OpenXR loader starts no game of this user. */
    if (!layer_state_load(library, problem, sizeof problem))
        return output_refuse(COMMAND, "%s does not load: %s", output_text(library), problem);
    text = print_manifest(library);
    failed = text ? make_directories(c->manifest) : -1;
    if (failed == 0)
        failed = write_whole(c->manifest, text);
    cJSON_free(text);
    if (failed != 0)
        return output_refuse(COMMAND, "%s: %s", output_text(c->manifest), strerror(errno));
    printf("Games that start from now on have the layer. It is in %s,\nand %s names it.\n", output_text(library),
           output_text(c->manifest));
    return CTL_DONE;
}

static int disable(const layer_command *c)
{
    if (unlink(c->manifest) == 0) {
        printf("Games that start from now on do not have the layer.\n");
        return CTL_DONE;
    }
    if (errno == ENOENT || errno == ENOTDIR) {
        printf("It was not enabled.\n");
        return CTL_DONE;
    }
    return output_refuse(COMMAND, "%s: %s", output_text(c->manifest), strerror(errno));
}

static int print_json(const layer_state *s)
{
    cJSON *whole = cJSON_CreateObject();
    cJSON *games = cJSON_CreateArray();
    char *text;

    cJSON_AddBoolToObject(whole, "enabled", s->is_enabled);
    cJSON_AddStringToObject(whole, "manifest", s->manifest);
    if (s->is_enabled)
        cJSON_AddStringToObject(whole, "library", s->library);
    cJSON_AddBoolToObject(whole, "loads", s->loads);
    if (s->problem[0])
        cJSON_AddStringToObject(whole, "problem", s->problem);
    for (size_t i = 0; i < s->program_count; i++) {
        cJSON *game = s->programs[i].has_layer ? cJSON_CreateObject() : NULL;

        if (!game)
            continue;
        cJSON_AddNumberToObject(game, "pid", (double)s->programs[i].pid);
        cJSON_AddStringToObject(game, "name", s->programs[i].name);
        cJSON_AddItemToArray(games, game);
    }
    cJSON_AddItemToObject(whole, "games", games);
    text = cJSON_PrintUnformatted(whole);
    if (text)
        output_json(text);
    cJSON_free(text);
    cJSON_Delete(whole);
    return text ? 0 : -1;
}

static void print_text(const layer_state *s)
{
    unsigned count = 0;

    printf("manifest  %s, %s\n", output_text(s->manifest), s->is_enabled ? "enabled" : "not there");
    if (s->is_enabled)
        printf("library   %s, %s\n", output_text(s->library), s->loads ? "loads" : "does not load");
    if (s->problem[0])
        printf("          %s\n", output_text(s->problem));
    for (size_t i = 0; i < s->program_count; i++)
        if (s->programs[i].has_layer)
            printf("%-10s%ld %s\n", count++ == 0 ? "games" : "", s->programs[i].pid, output_text(s->programs[i].name));
    if (count == 0)
        printf("games     none has it now\n");
}

static int show_status(const layer_command *c)
{
    layer_state *s = layer_state_look();
    int code = s && s->loads ? CTL_DONE : s ? CTL_NO : CTL_USAGE;

    if (s && !c->json)
        print_text(s);
    else if (s && print_json(s) != 0)
        code = CTL_USAGE;
    free(s);
    return code;
}

static int run(void *target, char **words)
{
    layer_command *c = target;
    const char *action = words[0];

    if (!layer_state_find_manifest(c->manifest))
        return output_refuse(
            COMMAND, "HOME or XDG_DATA_HOME: expected the path of a directory, in which the manifest has its place");
    output_begin(false);
    return output_end(COMMAND, action[0] == 'e' ? enable(c) : action[0] == 'd' ? disable(c) : show_status(c));
}

const ctl_command ctl_layer = {
    .name = COMMAND,
    .summary = "let games without a clashd client report the hands",
    .arguments = "enable|disable|status [OPTION..]",
    .text = "An OpenXR API layer that tells clashd where a game has the player's hands,\n"
            "for games that do not tell it themselves.\n\n"
            "  enable     use it in every OpenXR game that this user starts from now on\n"
            "  disable    use it in no game\n"
            "  status     is it enabled, does it load (else exit status 1), which games have it\n\n"
            "A game that is started with " LAYER_OFF "=1 goes without it.\n",
    .table = CTL_FLAGS(flags),
    .words = {.least = 1, .most = 1, .first = "enable disable status"},
    .expected = EXPECTED,
    .size = sizeof(layer_command),
    .run = run,
};
