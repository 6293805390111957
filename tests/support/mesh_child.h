/* Load a mesh file in a child process with little memory: it must neither crash nor take long, and must name what it
 * refuses. */
#ifndef TESTS_MESH_CHILD_H
#define TESTS_MESH_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mesh/mesh_data.h"
#include "support/fresh.h"
#include "support/mesh_folder.h"

#define TEXT_MAX (4u << 20)
/** Of the whole process; without a file it uses about a tenth. A sanitizer needs more than there is. */
#define MEMORY_MAX (400u << 20)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

static failure error;
static char text[TEXT_MAX];

static void limit_memory(void)
{
#ifndef IS_SANITIZED
    struct rlimit limit = {MEMORY_MAX, MEMORY_MAX};

    if (setrlimit(RLIMIT_AS, &limit) != 0)
        exit(2);
#endif
}

/* Write the result: how many triangles, or the error after a '!'. */
static void load_and_tell(int fd)
{
    surface mesh;
    char said[640];
    int length;

    limit_memory();
    if (read_mesh(path, &mesh, fresh(&error)) == 0) {
        length = snprintf(said, sizeof said, "%u", (unsigned)mesh.triangle_count);
        for (uint32_t i = 0; i < mesh.triangle_count; i++)
            for (int k = 0; k < 3; k++)
                if (mesh.triangles[i][k] >= mesh.vertex_count || !isfinite(mesh.vertices[mesh.triangles[i][k]].x))
                    _exit(3);
        surface_finish(&mesh);
    } else {
        length = snprintf(said, sizeof said, "!%s", error.text);
    }
    _exit(write(fd, said, (size_t)length) == length ? 0 : 4);
}

/* Return the child's result for the file. */
static inline void load(const char *name, const void *bytes, size_t size, char *out_said, size_t said_size)
{
    int ends[2], status;
    ssize_t length;
    pid_t child;

    write_file(name, bytes, size);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        load_and_tell(ends[1]);
    close(ends[1]);
    length = read(ends[0], out_said, said_size - 1);
    out_said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s ended with status 0x%x and said \"%s\"", name, (unsigned)status, out_said);
}

static inline void assert_refused(const char *name, const char *bytes, size_t size, const char *cause)
{
    char said[640];

    load(name, bytes, size, said, sizeof said);
    if (said[0] != '!' || strncmp(said + 1, path, strlen(path)) != 0 || !strstr(said, cause) || strchr(said, '\n'))
        fail_msg("\"%s\" does not refuse %s by name and with \"%s\"", said, name, cause);
}

static inline void assert_triangles(const char *name, const char *bytes, size_t size, const char *count)
{
    char said[640];

    load(name, bytes, size, said, sizeof said);
    assert_string_equal(said, count);
}

#endif
