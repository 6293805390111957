/* The OpenXR runtime: which one the loader would take and why, and what it answers when clashd's own process for
 * runtimes asks it (clashd-openxr --probe), which may hang or crash. See doctor.h. */
#include "doctor.h"

#include "config/text.h"
#include "platform/helper_place.h"
#include "platform/monotonic.h"
#include "sources/openxr/openxr.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INSTALL                                                                                                    \
    "Start the headset's own software and make it the active runtime there (SteamVR, Monado, WiVRn), or name its " \
    "manifest in XR_RUNTIME_JSON."

/* ---- which one, and why ---- */

typedef struct found {
    char path[PATH_MAX]; /* "": none */
    char why[PATH_MAX + 64];
} found;

#if defined __x86_64__
#define MACHINE ".x86_64"
#elif defined __aarch64__
#define MACHINE ".aarch64"
#else
#define MACHINE ""
#endif

static bool look_below(const char *directories, const char *rest, found *out)
{
    static const char *const names[] = {"active_runtime" MACHINE ".json", "active_runtime.json"};

    while (directories && *directories) {
        const size_t length = strcspn(directories, ":");

        for (size_t i = 0; length > 0 && i < sizeof names / sizeof names[0]; i++) {
            snprintf(out->path, sizeof out->path, "%.*s%s/openxr/1/%s", (int)length, directories, rest, names[i]);
            if (access(out->path, F_OK) == 0) {
                snprintf(out->why, sizeof out->why, "the first active_runtime.json that the loader comes to");
                return true;
            }
        }
        directories += length + (directories[length] == ':');
    }
    out->path[0] = '\0';
    return false;
}

/* In the loader's order (its RuntimeManifestFile::FindManifestFiles). */
static void find_manifest(found *out)
{
    const char *named = getenv("XR_RUNTIME_JSON"), *own = getenv("XDG_CONFIG_HOME"), *all = getenv("XDG_CONFIG_DIRS");

    *out = (found){.path = ""};
    if (named && named[0]) {
        snprintf(out->path, sizeof out->path, "%s", named);
        snprintf(out->why, sizeof out->why, "XR_RUNTIME_JSON names it");
        return;
    }
    if ((own && own[0] ? look_below(own, "", out) : look_below(getenv("HOME"), "/.config", out)) ||
        look_below(all && all[0] ? all : "/etc/xdg", "", out))
        return;
    look_below("/etc:/usr/local/etc", "", out);
}

/* ---- what the manifest says ---- */

/* The system looks a bare name up among its libraries. */
static bool library_is_there(const char *manifest, const char *library)
{
    char real[PATH_MAX], path[2 * PATH_MAX];

    if (!strchr(library, '/'))
        return true;
    if (library[0] == '/')
        return access(library, R_OK) == 0;
    if (!realpath(manifest, real))
        return false;
    *strrchr(real, '/') = '\0';
    snprintf(path, sizeof path, "%s/%s", real, library);
    return access(path, R_OK) == 0;
}

static bool look_at_manifest(doctor *d, const found *f)
{
    char *text = config_text_read(f->path);
    cJSON *document = text ? cJSON_Parse(text) : NULL;
    const cJSON *runtime = cJSON_GetObjectItemCaseSensitive(document, "runtime");
    const char *library = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(runtime, "library_path"));
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(runtime, "name"));
    bool is_right = library && library_is_there(f->path, library);

    cJSON_AddStringToObject(doctor_area(d, "runtime"), "library", library ? library : "");
    doctor_print(d, "runtime", "%s%s%s, because %s", name ? name : "", name ? ", " : "", f->path, f->why);
    if (!text)
        doctor_wrong(d, "no_manifest",
                     "Correct XR_RUNTIME_JSON, or make the headset's software the active runtime again.",
                     "%s, the manifest of the OpenXR runtime, cannot be read", f->path);
    else if (!library)
        doctor_wrong(d, "bad_manifest", "Install the runtime again: its manifest is damaged.",
                     "%s is no manifest of an OpenXR runtime: expected runtime.library_path", f->path);
    else if (!is_right)
        doctor_wrong(d, "no_library", "Install the runtime again, or make another one the active one.",
                     "%s names the library %s, which is not there", f->path, library);
    cJSON_Delete(document);
    free(text);
    return is_right;
}

/* ---- what it answers ---- */

typedef struct probe {
    pid_t pid;
    int fd, status;
    bool is_late, has_ended;
    char asks[256], lacks[768], headset[256];
    char line[1024];
    size_t length;
} probe;

static bool start(probe *p, const char *path)
{
    char *const words[] = {(char *)(uintptr_t)path, (char *)(uintptr_t) "--probe", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], failed;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    failed = posix_spawn(&p->pid, path, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    p->fd = ends[0];
    if (failed)
        close(ends[0]);
    return failed == 0;
}

/* Other lines are what the runtime's library prints. */
static void take_line(doctor *d, probe *p)
{
    const char *space = strchr(p->line, ' ');
    const size_t key = space ? (size_t)(space - p->line) : 0;
    const char *text = space ? space + 1 : "";
    cJSON *area = doctor_area(d, "runtime");

    if (key == 4 && strncmp(p->line, "asks", key) == 0)
        snprintf(p->asks, sizeof p->asks, "%s", text);
    else if (key == 5 && strncmp(p->line, "lacks", key) == 0)
        snprintf(p->lacks, sizeof p->lacks, "%s", text);
    else if (key == 7 && strncmp(p->line, "headset", key) == 0)
        snprintf(p->headset, sizeof p->headset, "%s", text);
    else if (key == 7 && strncmp(p->line, "runtime", key) == 0)
        snprintf(d->runtime, sizeof d->runtime, "%s", text);
    else if (key == 9 && strncmp(p->line, "extension", key) == 0)
        cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(area, "extensions"), cJSON_CreateString(text));
    else if (key == 3 && strncmp(p->line, "end", key) == 0)
        p->has_ended = true;
}

static void take(doctor *d, probe *p, const char *bytes, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            p->line[p->length] = '\0';
            take_line(d, p);
            p->length = 0;
        } else if (p->length < sizeof p->line - 1) {
            p->line[p->length++] = bytes[i];
        }
    }
}

/* Read until it has answered or ended, or its time is over: then kill it, wherever it hangs. */
static void attend(doctor *d, probe *p)
{
    const int64_t until = monotonic_ns() / 1000000 + (int64_t)(1e3 * d->timeout_s);
    struct pollfd ready = {.fd = p->fd, .events = POLLIN};
    char bytes[1024];

    while (!p->has_ended) {
        const int64_t left = until - monotonic_ns() / 1000000;
        ssize_t count;

        if (left <= 0 || poll(&ready, 1, (int)left) == 0) {
            p->is_late = true;
            break;
        }
        count = read(p->fd, bytes, sizeof bytes);
        if (count <= 0)
            break;
        take(d, p, bytes, count);
    }
    close(p->fd);
    if (p->is_late || p->has_ended)
        kill(p->pid, SIGKILL);
    waitpid(p->pid, &p->status, 0);
}

static void judge(doctor *d, const probe *p)
{
    const char *space = strchr(p->lacks, ' '), *text = space ? space + 1 : "";

    if (p->is_late)
        doctor_wrong(
            d, "runtime_hangs", "Restart the runtime, or the headset's software; clashd goes on by itself then.",
            "the OpenXR runtime does not answer: it was asked %s, and said nothing for %.0f s", p->asks, d->timeout_s);
    else if (!p->has_ended)
        doctor_wrong(d, "runtime_crashes", "Restart the runtime, install it again, or make another one the active one.",
                     "the OpenXR runtime ends the program that asks it (%s): %s %d", p->asks,
                     WIFSIGNALED(p->status) ? "signal" : "status",
                     WIFSIGNALED(p->status) ? WTERMSIG(p->status) : WEXITSTATUS(p->status));
    else if (strncmp(p->lacks, "no_headset", 10) == 0)
        doctor_wrong(d, "no_headset", "Connect the headset, switch it on, and see that its software shows it.", "%s",
                     text);
    else if (strstr(p->lacks, "XR_MND_headless"))
        doctor_wrong(d, "no_headless", "Let the game feed clashd, or use the layer: 'clashctl layer enable'.", "%s",
                     text);
    else if (p->lacks[0])
        doctor_wrong(d, "runtime_refuses", INSTALL, "%s", text);
}

static void ask(doctor *d)
{
    probe p = {.fd = -1};
    char path[PATH_MAX];
    cJSON *area = doctor_area(d, "runtime");
    const cJSON *extension;

    cJSON_AddArrayToObject(area, "extensions");
    if (helper_place(OPENXR_HELPER_NAME, OPENXR_HELPER_VARIABLE, "sources/openxr/helper", path, sizeof path) != 0 ||
        !start(&p, path)) {
        doctor_wrong(d, "no_helper", "Install clashd again: its parts belong together.", "%s cannot be started", path);
        return;
    }
    attend(d, &p);
    cJSON_AddStringToObject(area, "name", d->runtime);
    cJSON_AddStringToObject(area, "headset", p.headset);
    if (d->runtime[0])
        doctor_print(d, "runtime", "%s", d->runtime);
    cJSON_ArrayForEach(extension, cJSON_GetObjectItemCaseSensitive(area, "extensions"))
    {
        doctor_print(d, "runtime", "  %s", cJSON_GetStringValue(extension));
    }
    if (p.headset[0])
        doctor_print(d, "headset", "%s", p.headset);
    judge(d, &p);
}

void doctor_look_at_runtime(doctor *d)
{
    found f;

    find_manifest(&f);
    cJSON_AddStringToObject(doctor_area(d, "runtime"), "manifest", f.path);
    cJSON_AddStringToObject(doctor_area(d, "runtime"), "because", f.why);
    if (!f.path[0]) {
        doctor_print(d, "runtime", "none");
        doctor_wrong(d, "no_runtime", INSTALL, "no OpenXR runtime is set up");
    } else if (look_at_manifest(d, &f)) {
        ask(d);
    }
}
