/* OBJ files that lie: vertices that the file does not have, faces without end, and small files that would take memory without
 * end. Each is refused by name with what was expected, in the same words whatever assimp there is. */
#include "support/mesh_child.h"

#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void an_obj_that_lies_is_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } rows[] = {
        {CORNERS "f 1 2 4\n", "line 4: f: there is no vertex 4, only 3"},
        {CORNERS "f 1 2 2147483647\n", "line 4: f: there is no vertex 2147483647, only 3"},
        {CORNERS "f 1 2 99999999999999999999\n", "line 4: f: there is no vertex "},
        {CORNERS "f -1 -2 -4\n", "line 4: f: there is no vertex -4, only 3 before it"},
        {CORNERS "f -1 -2 -2147483648\n", "line 4: f: there is no vertex -2147483648, only 3 before it"},
        {CORNERS "f 0 1 2\n", "line 4: f: expected vertices by their numbers, as 1, 1/1 or -1"},
        {CORNERS "f 1 2 3x\n", "line 4: f: expected vertices by their numbers"},
        {CORNERS "f 1 2 \\\r\n 4\n", "line 5: f: there is no vertex 4, only 3"},
        {"f -1 -2 -3\n" CORNERS, "line 1: f: there is no vertex -1, only 0 before it"},
        {CORNERS "f 1 2 3\nf 1 2", "line 5: f: expected 3 corners or more, not 2"},
        {CORNERS, "has no faces"},
        {"v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "line 4: f: there is no vertex 3, only 2"},
        {"v inf 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"},
        {"v 1e99 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"},
        {"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not finite"},
        {"text, and no mesh\n", "has no faces"},
    };
    static const char *const good_ones[] = {
        CORNERS "f 1/9/9 2/9/9 3/9/9\n", /* of textures and normals, which nobody wants */
        "f 1 2 3\n" CORNERS,
        CORNERS "f -3 -2 -1\nf\n",
        CORNERS "f 1 2 \\\n 3\n",
        CORNERS "f 1 2 \\\r\n 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1/ 2/ 3/\r",
        CORNERS "v 1 2\nf\t1//1\t2//1\t3//1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_refused("a.obj", rows[i].text, strlen(rows[i].text), rows[i].cause);
    for (size_t i = 0; i < sizeof good_ones / sizeof good_ones[0]; i++)
        assert_triangles("a.obj", good_ones[i], strlen(good_ones[i]), "1");
}

static void a_face_without_end_is_refused(void **state)
{
    size_t length = (size_t)snprintf(text, sizeof text, CORNERS "f");

    (void)state;
    for (int i = 0; i < 300000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " 1 2 3");
    text[length++] = '\n';
    assert_refused("a.obj", text, length, "line 4: f: has more than 32767 corners");
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
        cmocka_unit_test(an_obj_that_lies_is_refused),
        cmocka_unit_test(a_face_without_end_is_refused),
        cmocka_unit_test(materials_take_no_memory),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
