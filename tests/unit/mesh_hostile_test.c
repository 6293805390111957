/* Meshes that lie: counts, offsets, indices, buffers and nodes that the file does not have, and small files that would take
 * memory without end. Each is refused by name with what was expected, or taken for what it is, within the memory of a child
 * process that has not much of it. */
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

#include "mesh/surface.h"
#include "support/mesh_folder.h"

#define TEXT_MAX (4u << 20)
/** Of the whole process: what it has by itself is about a tenth. A sanitizer takes more than there is. */
#define MEMORY_MAX (400u << 20)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

static char error[512], text[TEXT_MAX];

static void limit_memory(void)
{
#ifndef IS_SANITIZED
    struct rlimit limit = {MEMORY_MAX, MEMORY_MAX};

    if (setrlimit(RLIMIT_AS, &limit) != 0)
        exit(2);
#endif
}

/* Writes what becomes of the file: how many triangles, or the error behind a '!'. */
static void load_and_tell(int fd)
{
    surface mesh;
    char said[640];
    int length;

    limit_memory();
    if (read_mesh(path, &mesh, error, sizeof error) == 0) {
        length = snprintf(said, sizeof said, "%u", (unsigned)mesh.triangle_count);
        for (uint32_t i = 0; i < mesh.triangle_count; i++)
            for (int k = 0; k < 3; k++)
                if (mesh.triangles[i][k] >= mesh.vertex_count || !isfinite(mesh.vertices[mesh.triangles[i][k]].x))
                    _exit(3);
        surface_finish(&mesh);
    } else {
        length = snprintf(said, sizeof said, "!%s", error);
    }
    _exit(write(fd, said, (size_t)length) == length ? 0 : 4);
}

/* What a child says of the file: it neither crashes nor takes long. */
static void load(const char *name, const void *bytes, size_t size, char *out_said, size_t said_size)
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

/* With CLASHD_OTHER_ASSIMP the loader is not the one whose words stand here, and takes some lies for what they can mean: then it
 * must refuse by name in words of its own, or give triangles. */
static void assert_refused(const char *name, const char *bytes, size_t size, const char *cause)
{
    const bool is_other = getenv("CLASHD_OTHER_ASSIMP") != NULL;
    char said[640];

    load(name, bytes, size, said, sizeof said);
    if (is_other && said[0] >= '0' && said[0] <= '9')
        return;
    cause = is_other ? "" : cause;
    if (said[0] != '!' || strncmp(said + 1, path, strlen(path)) != 0 || !strstr(said, cause) || strchr(said, '\n'))
        fail_msg("\"%s\" does not refuse %s by name and with \"%s\"", said, name, cause);
}

static void assert_triangles(const char *name, const char *bytes, size_t size, const char *count)
{
    char said[640];

    load(name, bytes, size, said, sizeof said);
    assert_string_equal(said, count);
}

/* ---- glTF ---- */

/* One triangle (0 0 0) (1 0 0) (0 1 0) and its indices, in base64; then with one vertex that is no number. */
#define BUFFER "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"
#define NAN_BUFFER "AAAAAAAAAAAAAAAAAACAPwAAwH8AAAAAAAAAAAAAgD8AAAAAAAABAAIA"
#define PAST_BUFFER "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAP//"
#define URI(base64) "\"byteLength\":42,\"uri\":\"data:application/octet-stream;base64," base64 "\""
#define POSITIONS "\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":"
#define INDICES "\"bufferView\":1,\"componentType\":5123,\"type\":\"SCALAR\",\"count\":"
#define PRIMITIVE "\"attributes\":{\"POSITION\":0},\"indices\":1"
#define NODES "[{\"mesh\":0}]"
#define VIEWS "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}"
#define DOCUMENT(version, nodes, primitive, positions, indices, views, buffer)                           \
    "{\"asset\":{\"version\":\"" version "\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":" nodes \
    ",\"meshes\":[{\"primitives\":[{" primitive "}]}],\"accessors\":[{" positions "},{" indices          \
    "}],\"bufferViews\":[" views "],\"buffers\":[{" buffer "}]}"
#define GLTF(nodes, primitive, positions, indices, views, buffer) \
    DOCUMENT("2.0", nodes, primitive, positions, indices, views, buffer)
#define WITH_POSITIONS(positions) GLTF(NODES, PRIMITIVE, positions, INDICES "3", VIEWS, URI(BUFFER))
#define WITH_INDICES(indices) GLTF(NODES, PRIMITIVE, POSITIONS "3", indices, VIEWS, URI(BUFFER))
#define WITH_VIEWS(views) GLTF(NODES, PRIMITIVE, POSITIONS "3", INDICES "3", views, URI(BUFFER))
#define WITH_BUFFER(buffer) GLTF(NODES, PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, buffer)
#define SPARSE \
    ",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5123},\"values\":{\"bufferView\":0}}"
#define UP_TO "expected a whole number up to 1073741824"

static const char good[] = WITH_POSITIONS(POSITIONS "3");

static void a_gltf_that_lies_is_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } rows[] = {
        {WITH_POSITIONS(POSITIONS "4"), "accessors[0]"},
        {WITH_POSITIONS(POSITIONS "1000000000"), "out of range"},
        {WITH_POSITIONS(POSITIONS "4294967295"), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "-1"), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "2.5"), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "\"3\""), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "3,\"byteOffset\":1000000"), "out of range"},
        {WITH_POSITIONS(POSITIONS "3,\"byteOffset\":-8"), "accessors[0].byteOffset: " UP_TO},
        {WITH_POSITIONS(POSITIONS "3,\"byteOffset\":18446744073709551615"), "accessors[0].byteOffset: " UP_TO},
        {WITH_POSITIONS("\"componentType\":5126,\"type\":\"VEC3\",\"count\":1000000000"), "data is null"},
        {WITH_POSITIONS("\"componentType\":5126,\"type\":\"VEC3\",\"count\":50000000" SPARSE),
         "accessors[0].count: sparse accessors take more than 1073741824 bytes"},
        {WITH_INDICES(INDICES "4"), "out of range"},
        {WITH_INDICES(INDICES "1000000000"), "out of range"},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":1000000000},{\"buffer\":0,\"byteLength\":6}"), "out of range"},
        {WITH_VIEWS("{\"buffer\":0,\"byteOffset\":18446744073709551610,\"byteLength\":36},{\"buffer\":0}"),
         "bufferViews[0].byteOffset: " UP_TO},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":36,\"byteStride\":1e99},{\"buffer\":0,\"byteLength\":6}"),
         "bufferViews[0].byteStride: " UP_TO},
        {WITH_VIEWS("{\"buffer\":7,\"byteLength\":36},{\"buffer\":0,\"byteLength\":6}"), "out of bounds"},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":36}"), "out of bounds"},
        {WITH_BUFFER("\"byteLength\":4000000000,\"uri\":\"data:,\""), "buffers[0].byteLength: " UP_TO},
        {WITH_BUFFER(URI("AAAAAAAAAAAAAAAA")), "expected 42 bytes"},
        {WITH_BUFFER(URI("AAAAAAAAAAA")), "base64"},
        {WITH_BUFFER(URI("")), "expected 42 bytes"},
        {WITH_BUFFER(URI(NAN_BUFFER)), "not finite"},
        {WITH_BUFFER(URI(PAST_BUFFER)), "no faces"},
        {GLTF(NODES, "\"attributes\":{\"POSITION\":9},\"indices\":1", POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "out of bounds"},
        {GLTF("[{\"mesh\":5}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)), "out of bounds"},
        {GLTF("[{\"children\":[0]}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)), "itself"},
        {GLTF("[{\"children\":[1,1]},{\"mesh\":0}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].children: node 1 is a child twice"},
        {GLTF("[{\"children\":[-1]}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].children: expected numbers of nodes, from 0 to 0"},
        {GLTF("[{\"children\":[1e18]}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].children: expected numbers of nodes, from 0 to 0"},
        {DOCUMENT("1.0", NODES, PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "asset.version: expected 2.0"},
        {"{\"asset\":{\"version\":\"2.0\"},\"nodes\":", "is no JSON"},
    };

    (void)state;
    assert_triangles("a.gltf", good, strlen(good), "1");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused("a.gltf", rows[i].text, strlen(rows[i].text), rows[i].cause);
}

/* Each node twice in the one before: two to the thirtieth meshes of some kilobytes of text. */
static void nodes_that_double_are_refused(void **state)
{
    int length = snprintf(text, sizeof text,
                          "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                          "\"nodes\":[");

    (void)state;
    for (int i = 0; i < 30; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "{\"children\":[%d,%d]},", i + 1, i + 1);
    length += snprintf(text + length, sizeof text - (size_t)length, "{\"mesh\":0}],%s", strstr(good, "\"meshes\""));
    assert_refused("a.gltf", text, (size_t)length, "nodes[0].children: node 1 is a child twice");
}

static void put_word(char *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(word >> 8 * i & 255);
}

/* A binary one whose lengths are not those of the file. */
static void lengths_of_a_binary_one_are_not_believed(void **state)
{
    static const uint32_t lengths[] = {0, 1, sizeof good, sizeof good + 1000, INT32_MAX, UINT32_MAX};
    char said[640];
    size_t size = 20 + sizeof good - 1;

    (void)state;
    put_word(text, 0x46546c67);
    put_word(text + 4, 2);
    put_word(text + 16, 0x4e4f534a);
    memcpy(text + 20, good, sizeof good - 1);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        put_word(text + 8, (uint32_t)size);
        put_word(text + 12, lengths[i]);
        assert_refused("a.glb", text, size, lengths[i] < sizeof good ? "JSON" : "and the file only");
    }
    put_word(text + 12, sizeof good - 1);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        put_word(text + 8, lengths[i]); /* of the whole: taken or refused, and nothing else */
        load("a.glb", text, size, said, sizeof said);
        assert_true(said[0] == '!' || strcmp(said, "1") == 0);
    }
    for (size_t cut = 0; cut < 24; cut++)
        assert_refused("a.glb", text, cut, "");
}

/* ---- OBJ ---- */

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void an_obj_that_lies_is_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } rows[] = {
        {CORNERS "f 1 2 4\n", "vertex index out of range"},
        {CORNERS "f 1 2 2147483647\n", "vertex index out of range"},
        {CORNERS "f 1 2 99999999999999999999\n", "vertex index out of range"},
        {CORNERS "f -1 -2 -4\n", "vertex index out of range"},
        {CORNERS "f -1 -2 -2147483648\n", "vertex index out of range"},
        {CORNERS "f 0 1 2\n", "Invalid face index"},
        {CORNERS "f 1 2", ""},
        {CORNERS, ""},
        {"v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "vertex index out of range"},
        {"v inf 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"},
        {"v 1e99 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"},
        {"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"},
        {"text, and no mesh\n", ""},
    };
    static const char more[] = CORNERS "f 1/9/9 2/9/9 3/9/9\n"; /* of textures and normals, which nobody wants */

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused("a.obj", rows[i].text, strlen(rows[i].text), rows[i].cause);
    assert_triangles("a.obj", more, strlen(more), "1");
}

static void a_face_without_end_is_refused(void **state)
{
    size_t length = (size_t)snprintf(text, sizeof text, CORNERS "f");

    (void)state;
    for (int i = 0; i < 300000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " 1 2 3");
    text[length++] = '\n';
    assert_refused("a.obj", text, length, "too many");
}

/* As many as there are triangles: each by itself would take some thirty kilobytes. */
static void materials_take_no_memory(void **state)
{
    size_t length = (size_t)snprintf(text, sizeof text, "mtllib none.mtl\n" CORNERS);

    (void)state;
    for (int i = 0; i < 100000; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%susemtl m%d\nf 1 2 3\n", i % 2 ? "" : " \t", i);
    assert_triangles("a.obj", text, length, "100000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gltf_that_lies_is_refused),
        cmocka_unit_test(nodes_that_double_are_refused),
        cmocka_unit_test(lengths_of_a_binary_one_are_not_believed),
        cmocka_unit_test(an_obj_that_lies_is_refused),
        cmocka_unit_test(a_face_without_end_is_refused),
        cmocka_unit_test(materials_take_no_memory),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
