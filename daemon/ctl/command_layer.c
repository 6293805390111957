/* clashctl layer: puts the manifest of the OpenXR API layer where the OpenXR loader looks, takes it away again, and says whether
 * it is there, works and is in any game. */
#include "cli/output.h"
#include "ctl.h"
#include "platform/helper_place.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND "layer"
#define LIBRARY "libclash_layer.so"
#define NAME "XR_APILAYER_CLASHD_poses"
#define OFF "DISABLE_XR_APILAYER_CLASHD_poses"
#define MANIFEST_MAX 65536
#define GAMES_MAX 256

typedef struct layer_command {
    bool json, help;
    char manifest[PATH_MAX];
} layer_command;

typedef struct layer_state {
    bool is_enabled; /* the manifest is there and can be understood */
    bool loads;
    char library[PATH_MAX]; /* that the manifest names */
    char problem[PATH_MAX + 256];
    size_t game_count;
    struct {
        long pid;
        char name[64];
    } games[GAMES_MAX];
} layer_state;

static const flag flags[] = {
    FLAG_SWITCH("json", layer_command, json, "of status: one line of JSON"),
    FLAG_HELP(layer_command),
};
static const flag_table table = {flags, sizeof flags / sizeof flags[0]};

/** As the loader does. -1 where there is no such place. */
static int find_manifest(char out[PATH_MAX])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    bool is_named = data && data[0] == '/';
    int length = -1;

    if (is_named || (home && home[0] == '/'))
        length = snprintf(out, PATH_MAX, "%s%s/openxr/1/api_layers/implicit.d/" NAME ".json", is_named ? data : home,
                          is_named ? "" : "/.local/share");
    if (length > 0 && length < PATH_MAX)
        return 0;
    output_error(COMMAND,
                 "HOME or XDG_DATA_HOME: expected the path of a directory, in which the manifest has its place");
    return -1;
}

/** Where this clashctl's own is: built, or installed. -1 where it is not, which has been said. */
static int find_library(char out[PATH_MAX])
{
    char found[PATH_MAX];

    if ((helper_place(LIBRARY, "CLASHD_LAYER", "layer", found, sizeof found) == 0 && realpath(found, out)) ||
        (helper_place(CLASHD_LAYER_FROM_LIBEXEC "/" LIBRARY, "CLASHD_LAYER", "layer", found, sizeof found) == 0 &&
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
        cJSON_AddStringToObject(layer, "name", NAME) && cJSON_AddStringToObject(layer, "library_path", library) &&
        cJSON_AddStringToObject(layer, "api_version", "1.0") &&
        cJSON_AddStringToObject(layer, "implementation_version", "1") &&
        cJSON_AddStringToObject(layer, "description", "Tells clashd where this game has the player's hands") &&
        cJSON_AddStringToObject(layer, "disable_environment", OFF))
        text = cJSON_Print(whole);
    cJSON_Delete(whole);
    return text;
}

/** Whole or not at all: a game may be starting. */
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
    char library[PATH_MAX];
    char *text;
    int failed;

    if (find_library(library) != 0)
        return CTL_USAGE;
    text = print_manifest(library);
    failed = text ? make_directories(c->manifest) : -1;
    if (failed == 0)
        failed = write_whole(c->manifest, text);
    cJSON_free(text);
    if (failed != 0) {
        output_error(COMMAND, "%s: %s", output_text(c->manifest), strerror(errno));
        return CTL_USAGE;
    }
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
    output_error(COMMAND, "%s: %s", output_text(c->manifest), strerror(errno));
    return CTL_USAGE;
}

/** The library that the manifest names. */
static void read_manifest(const layer_command *c, layer_state *s)
{
    char *text = malloc(MANIFEST_MAX);
    FILE *file = fopen(c->manifest, "re");
    size_t length = file && text ? fread(text, 1, MANIFEST_MAX - 1, file) : 0;
    cJSON *whole = text ? cJSON_ParseWithLength(text, length) : NULL;
    const cJSON *layer = cJSON_GetObjectItemCaseSensitive(whole, "api_layer");
    const char *library = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(layer, "library_path"));

    if (!file)
        snprintf(s->problem, sizeof s->problem, "it is not enabled");
    else if (!library || strlen(library) >= sizeof s->library)
        snprintf(s->problem, sizeof s->problem, "%s is no manifest of a layer: clashctl layer enable writes it anew",
                 c->manifest);
    else
        s->is_enabled = snprintf(s->library, sizeof s->library, "%s", library) > 0;
    if (file)
        fclose(file);
    cJSON_Delete(whole);
    free(text);
}

/** Whether a process of that number has the library, as far as we may know. */
static bool has_layer(const char *pid)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *maps;

    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    maps = fopen(path, "re");
    while (maps && !found && getline(&line, &size, maps) > 0)
        found = strstr(line, "/" LIBRARY) != NULL;
    if (maps)
        fclose(maps);
    free(line);
    return found;
}

static void find_games(layer_state *s)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;

    while (processes && s->game_count < GAMES_MAX && (entry = readdir(processes))) {
        char path[64];
        FILE *file;

        if (!isdigit((unsigned char)entry->d_name[0]) || !has_layer(entry->d_name))
            continue;
        s->games[s->game_count].pid = strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%.20s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file && fgets(s->games[s->game_count].name, sizeof s->games[0].name, file))
            s->games[s->game_count].name[strcspn(s->games[s->game_count].name, "\n")] = '\0';
        if (file)
            fclose(file);
        s->game_count++;
    }
    if (processes)
        closedir(processes);
}

static void try_library(layer_state *s)
{
    void *library = s->is_enabled ? dlopen(s->library, RTLD_NOW | RTLD_LOCAL) : NULL;

    s->loads = library && dlsym(library, "xrNegotiateLoaderApiLayerInterface");
    if (s->is_enabled && !s->loads)
        snprintf(s->problem, sizeof s->problem, "%s", library ? "it is no API layer" : dlerror());
    if (library)
        dlclose(library);
    if (s->loads && getenv(OFF))
        snprintf(s->problem, sizeof s->problem, OFF " is set here: what starts from here goes without it");
}

static int print_json(const layer_command *c, const layer_state *s)
{
    cJSON *whole = cJSON_CreateObject();
    cJSON *games = cJSON_CreateArray();
    char *text;

    cJSON_AddBoolToObject(whole, "enabled", s->is_enabled);
    cJSON_AddStringToObject(whole, "manifest", c->manifest);
    if (s->is_enabled)
        cJSON_AddStringToObject(whole, "library", s->library);
    cJSON_AddBoolToObject(whole, "loads", s->loads);
    if (s->problem[0])
        cJSON_AddStringToObject(whole, "problem", s->problem);
    for (size_t i = 0; i < s->game_count; i++) {
        cJSON *game = cJSON_CreateObject();

        cJSON_AddNumberToObject(game, "pid", (double)s->games[i].pid);
        cJSON_AddStringToObject(game, "name", s->games[i].name);
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

static void print_text(const layer_command *c, const layer_state *s)
{
    printf("manifest  %s, %s\n", output_text(c->manifest), s->is_enabled ? "enabled" : "not there");
    if (s->is_enabled)
        printf("library   %s, %s\n", output_text(s->library), s->loads ? "loads" : "does not load");
    if (s->problem[0])
        printf("          %s\n", output_text(s->problem));
    printf("games     %s", s->game_count == 0 ? "none has it now\n" : "");
    for (size_t i = 0; i < s->game_count; i++)
        printf("%s%ld %s\n", i == 0 ? "" : "          ", s->games[i].pid, output_text(s->games[i].name));
}

static int show_status(const layer_command *c)
{
    layer_state *s = calloc(1, sizeof *s);
    int code = CTL_USAGE;

    if (s) {
        read_manifest(c, s);
        find_games(s); /* before this process has it, too */
        try_library(s);
        code = s->loads ? CTL_DONE : CTL_NO;
        if (!c->json)
            print_text(c, s);
        else if (print_json(c, s) != 0)
            code = CTL_USAGE;
    }
    free(s);
    return code;
}

int ctl_layer(int argc, char **argv)
{
    layer_command c = {.json = false};
    char error[1024];
    const char *action;
    int rest;

    if (flags_parse(&table, argc, argv, &c, &rest, error, sizeof error) < 0)
        return output_usage_error(COMMAND, error);
    if (c.help) {
        output_help(COMMAND, "ACTION [OPTION..]",
                    "An OpenXR API layer that tells clashd where a game has the player's hands,\n"
                    "for games that do not themselves. ACTION is one of\n\n"
                    "  enable     have it in every OpenXR game of this user that starts from now on\n"
                    "  disable    in none\n"
                    "  status     is it enabled, does it load (else exit status 1), which games have it\n\n"
                    "A game that is started with " OFF "=1 goes without it.\n",
                    &table);
        return CTL_DONE;
    }
    action = argc - rest == 1 ? argv[rest] : "";
    if (strcmp(action, "enable") != 0 && strcmp(action, "disable") != 0 && strcmp(action, "status") != 0)
        return output_usage_error(COMMAND, "expected enable, disable or status");
    if (find_manifest(c.manifest) != 0)
        return CTL_USAGE;
    output_begin(false);
    return output_end(COMMAND, action[0] == 'e' ? enable(&c) : action[0] == 'd' ? disable(&c) : show_status(&c));
}
