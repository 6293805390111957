/* Files that would stop whoever opens, reads or parses them: pipes, devices, folders, more bytes than there are, scenes and JSON
 * without end, a face that takes minutes. Each is refused by name, and at once or when its time is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fresh.h"
#include "support/mesh_folder.h"

#define DEEP 20000
#define CORNERS 32000 /* assimp 5.2.5 allows no more than 32767, 5.4.3 does */
#define TEXT_MAX (2u << 20)
#define LARGE (INT64_C(5) << 30)

static failure error;
static char text[TEXT_MAX];

static void set_path(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void assert_refused(const char *cause)
{
    surface read;

    assert_int_equal(read_mesh(path, &read, fresh(&error)), -1);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, cause) || strchr(error.text, '\n'))
        fail_msg("\"%s\" does not name %s and say \"%s\"", error.text, path, cause);
    assert_null(read.vertices);
}

static void what_is_no_regular_file_is_not_waited_for(void **state)
{
    (void)state;
    set_path("pipe.obj");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused("is no regular file");
    unlink(path);
    set_path("zero.gltf");
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_refused("is no regular file");
    unlink(path);
    set_path("folder.obj");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused("Is a directory");
    rmdir(path);
    set_path("gone.obj");
    assert_refused("No such file or directory");
    set_path("round.obj");
    assert_int_equal(symlink(path, path), 0);
    assert_refused("Too many levels of symbolic links");
    unlink(path);
}

/* A hole: it takes no room on the disk. */
static void make_sparse(const char *name)
{
    write_file(name, "", 0);
    assert_int_equal(truncate(path, (off_t)LARGE), 0);
}

static void what_is_too_large_is_not_read(void **state)
{
    surface_request heights = {.kind = SURFACE_HEIGHTS, .columns = 2, .rows = 2, .height = 1.0f};
    char own[sizeof path];
    surface read;

    (void)state;
    make_sparse("large.obj");
    assert_refused("is larger than 1073741824 bytes");
    snprintf(heights.file, sizeof heights.file, "%s", path);
    assert_int_equal(surface_load_now(&heights, &read, fresh(&error)), -1);
    assert_non_null(strstr(error.text, "large.obj: is larger than 1073741824 bytes"));
    unlink(path);
    make_sparse("large.bin");
    memcpy(own, path, sizeof own);
    snprintf(
        text, sizeof text, "%s",
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"buffers\":[{\"byteLength\":36,\"uri\":\"large.bin\"}]}");
    write_file("a.gltf", text, strlen(text));
    assert_refused("is larger than 1 GiB, with what belongs to it");
    unlink(path);
    unlink(own);
}

/* Each node in the one before. */
static void nodes_without_end_are_refused(void **state)
{
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                                     "\"nodes\":[");

    (void)state;
    for (int i = 1; i < DEEP; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "{\"children\":[%d]},", i);
    length += (size_t)snprintf(text + length, sizeof text - length, "{}]}");
    write_file("deep.gltf", text, length);
    assert_refused("lies more than 250 nodes deep, or within itself");
    unlink(path);
}

static void json_without_end_is_refused(void **state)
{
    static const char *const begins[] = {"{\"asset\":{\"version\":\"2.0\"},\"extras\":", "[", "  [{\"a\":"};

    (void)state;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        size_t length = (size_t)snprintf(text, sizeof text, "%s", begins[i]);

        memset(text + length, '[', DEEP);
        memset(text + length + DEEP, ']', DEEP);
        text[length + (size_t)2 * DEEP] = '}';
        write_file("deep.gltf", text, length + (size_t)2 * DEEP + 1);
        assert_refused(i == 0 ? "its JSON is nested more than 500 deep" : "is no glTF");
        unlink(path);
    }
}

static void a_face_that_takes_minutes_is_given_up(void **state)
{
    size_t length = 0;

    (void)state;
    for (int i = 0; i < CORNERS; i++) /* a comb */
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "v %d %d 0\n", i, i < CORNERS - 1 ? i % 2 * 5 : -1);
    text[length++] = 'f';
    for (int i = 1; i <= CORNERS; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " %d", i);
    text[length++] = '\n';
    write_file("long.obj", text, length);
    setenv(MESH_SECONDS_VARIABLE, "1", 1);
    assert_refused("reading it takes longer than 1 s");
    unsetenv(MESH_SECONDS_VARIABLE);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_regular_file_is_not_waited_for),
        cmocka_unit_test(what_is_too_large_is_not_read),
        cmocka_unit_test(nodes_without_end_are_refused),
        cmocka_unit_test(json_without_end_is_refused),
        cmocka_unit_test(a_face_that_takes_minutes_is_given_up),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
