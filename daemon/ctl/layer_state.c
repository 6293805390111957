/* See layer_state.h. */
#include "layer_state.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANIFEST_MAX 65536
#define LOADER "libopenxr_loader.so"
#define LOAD_MS 10000

bool layer_state_find_manifest(char out[PATH_MAX])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    const bool is_named = data && data[0] == '/';
    int length = -1;

    if (is_named || (home && home[0] == '/'))
        length = snprintf(out, PATH_MAX, "%s%s/openxr/1/api_layers/implicit.d/" LAYER_NAME ".json",
                          is_named ? data : home, is_named ? "" : "/.local/share");
    return length > 0 && length < PATH_MAX;
}

/** Read which library the manifest names. */
static void read_manifest(layer_state *s)
{
    char *text = malloc(MANIFEST_MAX);
    FILE *file = fopen(s->manifest, "re");
    size_t length = file && text ? fread(text, 1, MANIFEST_MAX - 1, file) : 0;
    cJSON *whole = text ? cJSON_ParseWithLength(text, length) : NULL;
    const cJSON *layer = cJSON_GetObjectItemCaseSensitive(whole, "api_layer");
    const char *library = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(layer, "library_path"));

    s->is_there = file != NULL;
    if (!file)
        snprintf(s->problem, sizeof s->problem, "it is not enabled");
    else if (!library || strlen(library) >= sizeof s->library)
        snprintf(s->problem, sizeof s->problem, "%s is no manifest of a layer: clashctl layer enable writes it anew",
                 s->manifest);
    else
        s->is_enabled = snprintf(s->library, sizeof s->library, "%s", library) > 0;
    if (file)
        fclose(file);
    cJSON_Delete(whole);
    free(text);
}

/** Return whether it is clashd's own process for runtimes, which should not have the layer. */
static bool is_clashd(const char *pid)
{
    char path[64], program[PATH_MAX];
    ssize_t length;

    snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
    length = readlink(path, program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    return strstr(program, "/clashd-openxr") != NULL;
}

/** Return whether a process has OpenXR's loader, and in *out_has_layer whether it has the layer; as far as we may
 *  know. */
static bool look_into(const char *pid, bool *out_has_layer)
{
    char path[64], *line = NULL;
    size_t size = 0;
    bool has_loader = false;
    FILE *maps;

    *out_has_layer = false;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    maps = fopen(path, "re");
    while (maps && !*out_has_layer && getline(&line, &size, maps) > 0) {
        *out_has_layer = strstr(line, "/" LAYER_LIBRARY) != NULL;
        has_loader = has_loader || strstr(line, "/" LOADER) != NULL;
    }
    if (maps)
        fclose(maps);
    free(line);
    return *out_has_layer || (has_loader && !is_clashd(pid));
}

static void find_programs(layer_state *s)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;

    while (processes && s->program_count < LAYER_PROGRAMS_MAX && (entry = readdir(processes))) {
        layer_program *program = &s->programs[s->program_count];
        char path[64];
        FILE *file;

        if (!isdigit((unsigned char)entry->d_name[0]) || !look_into(entry->d_name, &program->has_layer))
            continue;
        program->pid = strtol(entry->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%.20s/comm", entry->d_name);
        file = fopen(path, "re");
        if (file && fgets(program->name, sizeof program->name, file))
            program->name[strcspn(program->name, "\n")] = '\0';
        if (file)
            fclose(file);
        s->program_count++;
    }
    if (processes)
        closedir(processes);
}

/** In the child: write what is wrong; nothing if it loads. */
_Noreturn static void load_here(const char *library, int out)
{
    void *loaded;
    const char *problem;
    ssize_t written = 0;

    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    problem = !loaded                                               ? dlerror()
              : dlsym(loaded, "xrNegotiateLoaderApiLayerInterface") ? NULL
                                                                    : "it is not an API layer";
    if (problem)
        written = write(out, problem, strlen(problem));
    _exit(written < 0);
}

/** Read the child's report, and end the child if that takes too long. */
static bool hear(pid_t child, int from, char *out_problem, size_t size)
{
    size_t length = 0;
    ssize_t count = -1;
    int status;

    while (length < size - 1 && poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, LOAD_MS) == 1 &&
           (count = read(from, out_problem + length, size - 1 - length)) > 0)
        length += (size_t)count;
    out_problem[length] = '\0';
    if (count != 0) /* its end of the pipe is still open: it hangs in the library */
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (length == 0 && WIFSIGNALED(status))
        snprintf(out_problem, size, "loading it ends the program (%s): is the file whole?",
                 strsignal(WTERMSIG(status)));
    return length == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool layer_state_load(const char *library, char *out_problem, size_t size)
{
    int ends[2];
    pid_t child;
    bool loads = false;

    snprintf(out_problem, size, "no process to try it in");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    child = fork();
    if (child == 0)
        load_here(library, ends[1]);
    close(ends[1]);
    if (child > 0)
        loads = hear(child, ends[0], out_problem, size);
    close(ends[0]);
    return loads;
}

static void try_library(layer_state *s)
{
    const char *address = getenv("CLASHD_SOCKET");

    s->loads = s->is_enabled && layer_state_load(s->library, s->problem, sizeof s->problem);
    if (!s->loads)
        return;
    if (getenv(LAYER_OFF))
        snprintf(s->problem, sizeof s->problem, LAYER_OFF " is set here: what starts from here goes without it");
    else if (address && strncmp(address, "ws://", 5) == 0)
        snprintf(
            s->problem, sizeof s->problem,
            "CLASHD_SOCKET is %.80s here, but the layer does not speak WebSocket: expected a path or tcp:HOST:PORT",
            address);
}

layer_state *layer_state_look(void)
{
    layer_state *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    if (layer_state_find_manifest(s->manifest))
        read_manifest(s);
    find_programs(s); /* before this process has it, too */
    try_library(s);
    return s;
}
