/* glTF files that lie: counts, offsets, indices, buffers and nodes that the file does not have, and small files that would take
 * memory without end. Each is refused by name with what was expected, in the same words whatever assimp there is. */
#include "support/mesh_child.h"

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

typedef struct lie {
    const char *text, *cause;
} lie;

static void assert_all_refused(const lie *lies, size_t count)
{
    assert_triangles("a.gltf", good, strlen(good), "1");
    for (size_t i = 0; i < count; i++)
        assert_refused("a.gltf", lies[i].text, strlen(lies[i].text), lies[i].cause);
}

static void sizes_that_are_not_there_are_refused(void **state)
{
    static const lie lies[] = {
        {WITH_POSITIONS(POSITIONS "4"), "accessors[0]: ends at byte 48 of bufferViews[0], which has 36"},
        {WITH_POSITIONS(POSITIONS "1000000000"),
         "accessors[0]: ends at byte 12000000000 of bufferViews[0], which has 36"},
        {WITH_POSITIONS(POSITIONS "4294967295"), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "-1"), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "2.5"), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "\"3\""), "accessors[0].count: " UP_TO},
        {WITH_POSITIONS(POSITIONS "3,\"byteOffset\":1000000"), "accessors[0]: ends at byte 1000036 of bufferViews[0]"},
        {WITH_POSITIONS(POSITIONS "3,\"byteOffset\":-8"), "accessors[0].byteOffset: " UP_TO},
        {WITH_POSITIONS(POSITIONS "3,\"byteOffset\":18446744073709551615"), "accessors[0].byteOffset: " UP_TO},
        {WITH_POSITIONS("\"componentType\":5126,\"type\":\"VEC3\",\"count\":1000000000"),
         "accessors[0].bufferView: is missing, for meshes[0].primitives[0].attributes.POSITION"},
        {WITH_POSITIONS("\"componentType\":5126,\"type\":\"VEC3\",\"count\":50000000" SPARSE),
         "accessors[0].count: sparse accessors take more than 1073741824 bytes"},
        {WITH_INDICES(INDICES "4"), "accessors[1]: ends at byte 8 of bufferViews[1], which has 6"},
        {WITH_INDICES(INDICES "1000000000"), "accessors[1]: ends at byte 2000000000 of bufferViews[1], which has 6"},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":1000000000},{\"buffer\":0,\"byteLength\":6}"),
         "bufferViews[0]: ends at byte 1000000000 of buffers[0], which has 42"},
        {WITH_VIEWS("{\"buffer\":0,\"byteOffset\":18446744073709551610,\"byteLength\":36},{\"buffer\":0}"),
         "bufferViews[0].byteOffset: " UP_TO},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":36,\"byteStride\":1e99},{\"buffer\":0,\"byteLength\":6}"),
         "bufferViews[0].byteStride: " UP_TO},
        {WITH_VIEWS("{\"buffer\":7,\"byteLength\":36},{\"buffer\":0,\"byteLength\":6}"),
         "bufferViews[0].buffer: expected the number of one of its 1 buffers"},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":36}"),
         "accessors[1].bufferView: expected the number of one of its 1 bufferViews"},
    };

    (void)state;
    assert_all_refused(lies, sizeof lies / sizeof lies[0]);
}

static void buffers_and_references_that_lie_are_refused(void **state)
{
    static const lie lies[] = {
        {WITH_BUFFER("\"byteLength\":4000000000,\"uri\":\"data:,\""), "buffers[0].byteLength: " UP_TO},
        {WITH_BUFFER(URI("AAAAAAAAAAAAAAAA")), "buffers[0].byteLength: expected 12, which its data has, not 42"},
        {WITH_BUFFER(URI("AAAAAAAAAAA")), "buffers[0].uri: its data is no base64"},
        {WITH_BUFFER(URI("")), "buffers[0].byteLength: expected 0, which its data has, not 42"},
        {WITH_BUFFER(URI(NAN_BUFFER)), "not finite"},
        {WITH_BUFFER(URI(PAST_BUFFER)), "accessors[1]: has the index 65535, and there are 3 positions in accessors[0]"},
        {GLTF(NODES, "\"attributes\":{\"POSITION\":9},\"indices\":1", POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "meshes[0].primitives[0].attributes.POSITION: expected the number of one of its 2 accessors"},
        {GLTF("[{\"mesh\":5}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].mesh: expected the number of one of its 1 meshes"},
        {GLTF("[{\"children\":[0]}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)), "itself"},
        {GLTF("[{\"children\":[1,1]},{\"mesh\":0}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].children: node 1 is a child twice"},
        {GLTF("[{\"children\":[-1]}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].children: expected numbers of nodes, from 0 to 0"},
        {GLTF("[{\"children\":[1e18]}]", PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "nodes[0].children: expected numbers of nodes, from 0 to 0"},
    };

    (void)state;
    assert_all_refused(lies, sizeof lies / sizeof lies[0]);
}

#define MODE(mode, count) \
    GLTF(NODES, "\"attributes\":{\"POSITION\":0},\"mode\":" mode, POSITIONS count, INDICES "3", VIEWS, URI(BUFFER))

/* Loaders take a strip of one corner for one of 4294967295 triangles. */
static void modes_without_their_corners_are_refused(void **state)
{
    static const lie lies[] = {
        {MODE("3", "0"), "meshes[0].primitives[0]: has 0 corners, expected at least 2 with mode 3"},
        {MODE("5", "0"), "meshes[0].primitives[0]: has 0 corners, expected at least 3 with mode 5"},
        {MODE("5", "1"), "meshes[0].primitives[0]: has 1 corners, expected at least 3 with mode 5"},
        {MODE("6", "2"), "meshes[0].primitives[0]: has 2 corners, expected at least 3 with mode 6"},
        {MODE("7", "3"), "meshes[0].primitives[0].mode: expected a whole number from 0 to 6"},
        {MODE("4.5", "3"), "meshes[0].primitives[0].mode: expected a whole number from 0 to 6"},
        {MODE("\"5\"", "3"), "meshes[0].primitives[0].mode: expected a whole number from 0 to 6"},
    };

    (void)state;
    assert_all_refused(lies, sizeof lies / sizeof lies[0]);
    assert_triangles("a.gltf", MODE("5", "3"), strlen(MODE("5", "3")), "1");
    assert_triangles("a.gltf", MODE("6", "3"), strlen(MODE("6", "3")), "1");
}

/* Small files whose parts are copied over and over: 66,000 morph targets, and as many positions again in each of 200,000 primitives. */
static void copies_without_end_are_refused(void **state)
{
    static const char head[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":" NODES
        ",\"accessors\":[{" POSITIONS "3},{" INDICES "3},{\"bufferView\":2,\"componentType\":5126,\"type\":"
        "\"VEC3\",\"count\":10000,\"byteOffset\":0}],\"bufferViews\":[" VIEWS
        ",{\"buffer\":1,\"byteLength\":120000}],\"buffers\":[{" URI(
            BUFFER) "},{\"byteLength\":120000,"
                    "\"uri\":\"not there.bin\"}],\"meshes\":[{\"primitives\":[";
    static const struct {
        const char *before, *one, *after, *cause;
        int count;
    } files[] = {
        {"{\"attributes\":{\"POSITION\":0},\"targets\":[", "{\"POSITION\":0},", "{\"POSITION\":0}]}]}]}",
         "meshes[0].primitives[0].targets: the file has more than 65536 morph targets", 66000},
        {"", "{\"attributes\":{\"POSITION\":2}},", "{\"attributes\":{\"POSITION\":2}}]}]}",
         ": with those before it takes more than 4294967296 bytes of memory", 200000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const size_t one = strlen(files[i].one);
        char *file =
            malloc(sizeof head + strlen(files[i].before) + one * (size_t)files[i].count + strlen(files[i].after) + 1);
        char *end = file;

        assert_non_null(file);
        end += sprintf(end, "%s%s", head, files[i].before);
        for (int k = 0; k < files[i].count; k++, end += one)
            memcpy(end, files[i].one, one);
        end += sprintf(end, "%s", files[i].after);
        assert_refused("a.gltf", file, (size_t)(end - file), files[i].cause);
        free(file);
    }
}

static void types_that_do_not_fit_are_refused(void **state)
{
    static const lie lies[] = {
        {WITH_POSITIONS("\"componentType\":5122,\"bufferView\":0,\"type\":\"VEC3\",\"count\":3"),
         "accessors[0].componentType: expected 5126, for meshes[0].primitives[0].attributes.POSITION"},
        {WITH_POSITIONS("\"componentType\":5127,\"bufferView\":0,\"type\":\"VEC3\",\"count\":3"),
         "accessors[0].componentType: expected 5120, 5121, 5122, 5123, 5125 or 5126"},
        {WITH_POSITIONS("\"componentType\":5126,\"bufferView\":0,\"type\":\"VEC5\",\"count\":3"),
         "accessors[0].type: expected SCALAR, VEC2"},
        {WITH_POSITIONS("\"componentType\":5126,\"bufferView\":0,\"type\":\"VEC2\",\"count\":3"),
         "accessors[0].type: expected VEC3, for meshes[0].primitives[0].attributes.POSITION"},
        {WITH_POSITIONS(POSITIONS "3,\"sparse\":{\"count\":4,\"indices\":{},\"values\":{}}"),
         "accessors[0].sparse.count: expected at most 3"},
        {WITH_POSITIONS(POSITIONS "3,\"sparse\":{\"count\":3,\"indices\":{\"bufferView\":1,\"componentType\":5125},"
                                  "\"values\":{\"bufferView\":0}}"),
         "accessors[0].sparse.indices: ends at byte 12 of bufferViews[1], which has 6"},
        {WITH_POSITIONS(POSITIONS "3,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5126},"
                                  "\"values\":{\"bufferView\":0}}"),
         "accessors[0].sparse.indices.componentType: expected 5121, 5123 or 5125"},
        {WITH_INDICES("\"bufferView\":1,\"componentType\":5122,\"type\":\"SCALAR\",\"count\":3"),
         "accessors[1].componentType: expected 5121, 5123 or 5125, for meshes[0].primitives[0].indices"},
        {WITH_INDICES("\"bufferView\":1.5,\"componentType\":5123,\"type\":\"SCALAR\",\"count\":3"),
         "accessors[1].bufferView: expected the number of one of its 2 bufferViews"},
        {WITH_VIEWS("{\"buffer\":0,\"byteLength\":36,\"byteStride\":8},{\"buffer\":0,\"byteLength\":6}"),
         "bufferViews[0].byteStride: expected at least 12, for accessors[0]"},
        {WITH_BUFFER("\"byteLength\":42"), "buffers[0].uri: is missing"},
        {WITH_BUFFER("\"uri\":\"data:,\""), "buffers[0].byteLength: is missing"},
        {WITH_BUFFER(URI("AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAB*AIA")),
         "buffers[0].uri: its data is no base64"},
        {DOCUMENT("1.0", NODES, PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
         "asset.version: expected 2.0"},
        {"{\"asset\":{\"version\":\"2.0\"},\"nodes\":", "is no JSON"},
    };

    (void)state;
    assert_all_refused(lies, sizeof lies / sizeof lies[0]);
}

/* What few have, and is as the standard says. */
static void a_gltf_that_is_odd_and_true_is_read(void **state)
{
    static const char *const rows[] = {
        WITH_VIEWS(
            "{\"buffer\":0,\"byteLength\":36,\"byteStride\":12},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}"),
        WITH_VIEWS("{\"buffer\":0,\"byteLength\":42},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6},"
                   "{\"buffer\":0,\"byteOffset\":42,\"byteLength\":0}"),
        WITH_POSITIONS(POSITIONS "3,\"byteOffset\":0" SPARSE),
        WITH_POSITIONS("\"componentType\":5126,\"type\":\"VEC3\",\"count\":3" SPARSE),
        GLTF(NODES, "\"attributes\":{\"POSITION\":0}", POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER)),
        GLTF(NODES, PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS ",{\"buffer\":1,\"byteLength\":5}",
             URI(BUFFER) "},{\"byteLength\":5,\"uri\":\"data:,hello\""),
        GLTF(NODES, PRIMITIVE, POSITIONS "3", INDICES "3", VIEWS, URI(BUFFER) "},{\"byteLength\":5"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_triangles("a.gltf", rows[i], strlen(rows[i]), "1");
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

/* A buffer in the binary file itself, and what it claims to have. */
static void a_binary_chunk_is_not_believed(void **state)
{
    static const char json[] = WITH_BUFFER("\"byteLength\":42");
    const size_t padded = (sizeof json + 2) / 4 * 4, chunk = 20 + padded, size = chunk + 8 + 44;
    const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint16_t indices[3] = {0, 1, 2}, past[3] = {0, 1, 3};

    (void)state;
    memset(text, ' ', size);
    memcpy(text, "glTF\2\0\0", 8);
    put_word(text + 8, (uint32_t)size);
    put_word(text + 12, (uint32_t)padded);
    put_word(text + 16, 0x4e4f534a);
    memcpy(text + 20, json, sizeof json - 1);
    put_word(text + chunk, 44);
    put_word(text + chunk + 4, 0x004e4942);
    memcpy(text + chunk + 8, vertices, sizeof vertices);
    memcpy(text + chunk + 44, indices, sizeof indices);
    assert_triangles("a.glb", text, size, "1");
    memcpy(text + chunk + 44, past, sizeof past);
    assert_refused("a.glb", text, size, "accessors[1]: has the index 3, and there are 3 positions in accessors[0]");
    put_word(text + chunk, 40);
    assert_refused("a.glb", text, size,
                   "buffers[0].byteLength: expected at most 40, which the binary chunk has, not 42");
    put_word(text + chunk, 45);
    assert_refused("a.glb", text, size, "its binary chunk has 45 bytes, and the file only");
    put_word(text + chunk, UINT32_MAX);
    assert_refused("a.glb", text, size, "its binary chunk has 4294967295 bytes, and the file only");
    put_word(text + chunk + 4, 0x12345678);
    assert_refused("a.glb", text, size, "buffers[0].uri: is missing");
}

/* In a file of its own, which is not as long as it is said to be, or has an index that is none. */
static void a_buffer_beside_is_not_believed(void **state)
{
    static const char json[] = WITH_BUFFER("\"byteLength\":42,\"uri\":\"b.bin\"");
    const float vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint16_t past[3] = {0, 1, 3};
    char beside[sizeof path];

    (void)state;
    memcpy(text, vertices, sizeof vertices);
    memcpy(text + sizeof vertices, past, sizeof past);
    write_file("b.bin", text, 42);
    memcpy(beside, path, sizeof beside);
    assert_refused("a.gltf", json, strlen(json), "accessors[1]: has the index 3, and there are 3 positions");
    write_file("b.bin", text, 41);
    assert_refused("a.gltf", json, strlen(json), "buffers[0].byteLength: expected 41, which its data has, not 42");
    unlink(beside);
    assert_refused("a.gltf", json, strlen(json), "a.gltf: b.bin, which it names: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_not_there_are_refused),
        cmocka_unit_test(buffers_and_references_that_lie_are_refused),
        cmocka_unit_test(types_that_do_not_fit_are_refused),
        cmocka_unit_test(modes_without_their_corners_are_refused),
        cmocka_unit_test(copies_without_end_are_refused),
        cmocka_unit_test(a_gltf_that_is_odd_and_true_is_read),
        cmocka_unit_test(nodes_that_double_are_refused),
        cmocka_unit_test(lengths_of_a_binary_one_are_not_believed),
        cmocka_unit_test(a_binary_chunk_is_not_believed),
        cmocka_unit_test(a_buffer_beside_is_not_believed),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
