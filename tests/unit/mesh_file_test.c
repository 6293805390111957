/* Meshes from OBJ and glTF files: the triangles that are in them, and for files that are none, or damaged, an error that
 * names them. Damaged ones are made of good ones by the thousand: each loads or is refused, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/mesh_data.h"
#include "support/fresh.h"
#include "support/mesh_folder.h"
#include "support/random.h"

enum { FILE_MAX = 8192 };

static failure error;

static const char tetrahedron[] = "# four faces\n"
                                  "mtllib none.mtl\n"
                                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n"
                                  "f 1 3 2\nf 1//1 2//1 4//1\nf -3 -2 -1\nf 1 4 3\n";

/* One triangle (0 0 0) (1 0 0) (0 1 0) and its indices, in base64. */
#define BUFFER "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA"

#define GLTF(nodes, uri)                                                                                         \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":" nodes ",\"meshes\":[" \
    "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":[{\"bufferView\":0,"      \
    "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},{\"bufferView\":1,"   \
    "\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,"  \
    "\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}],\"buffers\":[{\"byteLength\":42,"     \
    "\"uri\":\"" uri "\"}]}"

#define INSIDE "data:application/octet-stream;base64," BUFFER

/* assimp itself loses some bytes over damaged files, which the sanitizer is to know. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libassimp\n";
}

static surface load(const char *name, const char *text)
{
    surface mesh;

    write_file(name, text, strlen(text));
    if (read_mesh(path, &mesh, fresh(&error)) < 0)
        fail_msg("%s", error.text);
    unlink(path);
    return mesh;
}

static void assert_refused(const char *name, const char *text, const char *cause)
{
    surface mesh;

    write_file(name, text, strlen(text));
    assert_int_equal(read_mesh(path, &mesh, fresh(&error)), -1);
    unlink(path);
    assert_null(mesh.vertices);
    assert_null(mesh.triangles);
    if (strncmp(error.text, path, strlen(path)) != 0 || !strstr(error.text, cause))
        fail_msg("\"%s\" does not name the file and \"%s\"", error.text, cause);
    assert_null(strchr(error.text, '\n'));
}

static clash_vec3 corner(const surface *m, uint32_t triangle, int k)
{
    assert_true(m->triangles[triangle][k] < m->vertex_count);
    return m->vertices[m->triangles[triangle][k]];
}

static void assert_at(clash_vec3 v, float x, float y, float z)
{
    assert_float_equal(v.x, x, 1e-6);
    assert_float_equal(v.y, y, 1e-6);
    assert_float_equal(v.z, z, 1e-6);
}

static void an_obj_gives_its_triangles(void **state)
{
    surface mesh = load("a.obj", tetrahedron);
    clash_mesh *made;

    (void)state;
    assert_string_equal(mesh.digest,
                        "684260f4930a38378925421e6145d1d9d023326100a400c336c6b6371356e0c4"); /* as sha256sum says */
    assert_int_equal(mesh.triangle_count, 4);
    assert_at(corner(&mesh, 0, 1), 0, 1, 0);
    assert_at(corner(&mesh, 2, 0), 1, 0, 0);
    assert_at(corner(&mesh, 2, 2), 0, 0, 1);
    made =
        clash_mesh_create(mesh.vertices, mesh.vertex_count, (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count);
    assert_non_null(made);
    clash_mesh_destroy(made);
    surface_finish(&mesh);
}

static void polygons_are_triangulated_and_lines_left_out(void **state)
{
    surface mesh = load("a.OBJ", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv -1 1 0\nf 1 2 3 4\nf 1 2 3 4 5\nl 1 2\n");

    (void)state;
    assert_int_equal(mesh.triangle_count, 5);
    surface_finish(&mesh);
}

static void nodes_move_scale_and_mirror(void **state)
{
    surface mesh = load("a.gltf", GLTF("[{\"children\":[1,2],\"translation\":[10,0,0]},{\"mesh\":0,\"scale\":[2,2,2]},"
                                       "{\"mesh\":0,\"scale\":[-1,1,1]}]",
                                       INSIDE));

    (void)state;
    assert_int_equal(mesh.triangle_count, 2);
    assert_at(corner(&mesh, 0, 0), 10, 0, 0);
    assert_at(corner(&mesh, 0, 1), 12, 0, 0);
    assert_at(corner(&mesh, 0, 2), 10, 2, 0);
    /* Mirrored, and turned round so that it still faces +z. */
    assert_at(corner(&mesh, 1, 0), 10, 1, 0);
    assert_at(corner(&mesh, 1, 1), 9, 0, 0);
    assert_at(corner(&mesh, 1, 2), 10, 0, 0);
    surface_finish(&mesh);
}

/** The 42 bytes of BUFFER. */
static void write_buffer(const char *name)
{
    const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint16_t indices[3] = {0, 1, 2};
    char bytes[42];

    memcpy(bytes, vertices, 36);
    memcpy(bytes + 36, indices, 6);
    write_file(name, bytes, sizeof bytes);
}

static void a_buffer_may_lie_beside_its_gltf_and_nowhere_else(void **state)
{
    char beside[128], up[128];
    surface mesh;

    (void)state;
    write_buffer("b.bin");
    memcpy(beside, path, sizeof beside);
    mesh = load("a.gltf", GLTF("[{\"mesh\":0}]", "b.bin"));
    assert_int_equal(mesh.triangle_count, 1);
    surface_finish(&mesh);
    snprintf(up, sizeof up, "%s/inner", folder);
    assert_int_equal(mkdir(up, 0700), 0);
    assert_refused("inner/a.gltf", GLTF("[{\"mesh\":0}]", "../b.bin"), "b.bin");
    rmdir(up);
    unlink(beside);
}

/** A head, the document padded with spaces to whole words, and the buffer. */
static size_t make_binary(char out[FILE_MAX])
{
    static const char json[] = GLTF("[{\"mesh\":0}]", "b.bin");
    const char *uri = strstr(json, ",\"uri\":\"b.bin\"");
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    const uint32_t head[5] = {0x46546c67, 2, (uint32_t)(28 + padded + 44), (uint32_t)padded, 0x4e4f534a};
    const uint32_t chunk[2] = {44, 0x004e4942};
    const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint16_t indices[4] = {0, 1, 2, 0};

    memset(out, ' ', FILE_MAX);
    memcpy(out, head, 20);
    snprintf(out + 20, FILE_MAX - 20, "%s", json);
    memset(out + 20 + length, ' ', padded - length + 1);
    memset(out + 20 + (uri - json), ' ', strlen(",\"uri\":\"b.bin\""));
    memcpy(out + 20 + padded, chunk, 8);
    memcpy(out + 28 + padded, vertices, 36);
    memcpy(out + 64 + padded, indices, 8);
    return 28 + padded + 44;
}

static void a_binary_gltf_is_one_too(void **state)
{
    char file[FILE_MAX];
    surface mesh;

    (void)state;
    write_file("a.glb", file, make_binary(file));
    if (read_mesh(path, &mesh, fresh(&error)) < 0)
        fail_msg("%s", error.text);
    unlink(path);
    assert_int_equal(mesh.triangle_count, 1);
    surface_finish(&mesh);
}

static void what_is_no_mesh_is_refused_by_name(void **state)
{
    surface mesh;

    (void)state;
    assert_refused("a.stl", "solid a\nendsolid a\n", "is neither OBJ (.obj) nor glTF (.gltf, .glb)");
    assert_refused("none", "", "is neither OBJ");
    assert_refused("a.obj", "", "");
    assert_refused("a.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n", "");
    assert_refused("a.gltf", "{\"asset\":", "");
    assert_refused("a.gltf", "{\"asset\":{\"version\":\"2.0\"}}", "");
    assert_refused("a.glb", "glTF", "");
    assert_refused("a.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "");
    snprintf(path, sizeof path, "%s/gone.obj", folder);
    assert_int_equal(read_mesh(path, &mesh, fresh(&error)), -1);
    assert_non_null(strstr(error.text, "gone.obj: No such file or directory"));
    snprintf(path, sizeof path, "%s/folder.obj", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(read_mesh(path, &mesh, fresh(&error)), -1);
    assert_non_null(strstr(error.text, "Is a directory"));
    rmdir(path);
}

/** Bytes changed, taken out, doubled, cut off, or numbers put where others were. */
static size_t damage(random_state *r, char *bytes, size_t size)
{
    static const char *const words[] = {"-1", "99999999", "4294967295", "\"\"", "null", "[]", "{}", "1e39", "0"};
    size_t at = (size_t)random_below(r, (int)size), some = 1 + (size_t)random_below(r, 16);
    const char *word = words[random_below(r, 9)];
    int kind = random_below(r, 5);

    some = some < size - at ? some : size - at;
    if (kind == 0) {
        bytes[at] = (char)random_below(r, 256);
    } else if (kind == 1 && size > some) {
        memmove(bytes + at, bytes + at + some, size - at - some);
        return size - some;
    } else if (kind == 2 && size + some <= FILE_MAX) {
        memmove(bytes + at + some, bytes + at, size - at);
        return size + some;
    } else if (kind == 3 && at > size / 2) {
        return at;
    } else {
        for (; *word && at < size; at++)
            bytes[at] = *word++;
    }
    return size;
}

static void damaged_files_load_or_are_refused(void **state)
{
    static const char *const good[2] = {
        tetrahedron, GLTF("[{\"children\":[1,2]},{\"mesh\":0,\"scale\":[2,2,2]},{\"mesh\":0}]", INSIDE)};
    random_state r = {random_seed(1000117)};
    long loaded = 0, refused = 0;

    (void)state;
    for (int i = 0; i < (int)random_cases(120); i++) {
        char bytes[FILE_MAX];
        size_t size = strlen(good[i % 2]);
        surface mesh;

        memcpy(bytes, good[i % 2], size);
        for (int k = random_below(&r, 4); k >= 0; k--)
            size = damage(&r, bytes, size);
        write_file(i % 2 ? "d.gltf" : "d.obj", bytes, size);
        if (read_mesh(path, &mesh, fresh(&error)) < 0) {
            assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
            refused++;
            continue;
        }
        for (uint32_t t = 0; t < mesh.triangle_count; t++)
            for (int k = 0; k < 3; k++)
                assert_true(isfinite(corner(&mesh, t, k).x));
        surface_finish(&mesh);
        loaded++;
    }
    snprintf(path, sizeof path, "%s/d.obj", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/d.gltf", folder);
    unlink(path);
    assert_true(loaded > 0 && refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_obj_gives_its_triangles),
        cmocka_unit_test(polygons_are_triangulated_and_lines_left_out),
        cmocka_unit_test(nodes_move_scale_and_mirror),
        cmocka_unit_test(a_buffer_may_lie_beside_its_gltf_and_nowhere_else),
        cmocka_unit_test(a_binary_gltf_is_one_too),
        cmocka_unit_test(what_is_no_mesh_is_refused_by_name),
        cmocka_unit_test(damaged_files_load_or_are_refused),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
