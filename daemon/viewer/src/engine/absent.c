/* What the page has not: files, a log. Whoever asks for one hears so. */
#include "log/log_output.h"
#include "mesh/file.h"
#include "mesh/loader.h"
#include "scene/target_load.h"

#include <errno.h>
#include <stdlib.h>

int surface_load_now(const surface_request *request, surface *out, failure *out_failure)
{
    (void)out;
    return request->kind == SURFACE_POINTS ? fail_int(out_failure, "a page makes no convex hull")
                                           : fail_int(out_failure, "a page reads no files: %s", request->file);
}

void surface_finish(surface *s)
{
    free(s->vertices);
    free(s->triangles);
    free(s->heights);
    *s = (surface){0};
}

file_result file_read(const char *path, uint64_t limit, char **out_bytes, size_t *out_size)
{
    (void)path, (void)limit, (void)out_bytes, (void)out_size;
    errno = ENOENT;
    return FILE_CANNOT;
}

char *realpath(const char *path, char *resolved)
{
    (void)path, (void)resolved;
    errno = ENOENT;
    return NULL;
}

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

/* Only a clashd that goes on meanwhile waits for files. */
pending_targets *pending_targets_create(surface_loader *loader, const pending_targets_user *user)
{
    (void)loader, (void)user;
    return NULL;
}

void pending_targets_add(pending_targets *p, int64_t time_ns, const clash_target_definition *definition)
{
    (void)p, (void)time_ns, (void)definition;
}

void pending_targets_forget(pending_targets *p, const char *name, const char *device)
{
    (void)p, (void)name, (void)device;
}

/* The page's settings are of contacts and blades. */
const char *log_level_name(log_level level)
{
    (void)level;
    return "";
}

int log_level_parse(const char *name, log_level *out_level)
{
    (void)name, (void)out_level;
    return -1;
}
