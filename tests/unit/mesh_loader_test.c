/* Whatever becomes of the helper program, whoever asked is told once, in one line that names the file, and nothing is left of
 * it. In its place stands one that is as bad as it is told to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mesh/place.h"
#include "support/fresh.h"
#include "support/mesh_folder.h"

#define BAD_HELPER TEST_BUILD "/tests/bad_helper"
enum { MANY = 24 };

static failure error;
static char log_path[128];

static int be_alone(void **state)
{
    (void)state;
    setenv(MESH_HELPER_VARIABLE, BAD_HELPER, 1);
    unsetenv("BAD_HELPER");
    unsetenv("BAD_HELPER_LOG");
    unsetenv(MESH_SECONDS_VARIABLE);
    return 0;
}

/* No child is left, neither running nor dead. */
static int nobody_is_left(void **state)
{
    (void)state;
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static void assert_fails(const char *how, const char *cause)
{
    surface read;

    setenv("BAD_HELPER", how, 1);
    assert_int_equal(read_mesh("/there/a.obj", &read, fresh(&error)), -1);
    if (strncmp(error.text, "/there/a.obj: ", 14) != 0 || !strstr(error.text, cause) || strpbrk(error.text, "\n\x1b"))
        fail_msg("%s: \"%s\" does not name the file and say \"%s\"", how, error.text, cause);
    assert_null(read.vertices);
    assert_null(read.triangles);
}

static void one_that_is_good_is_believed(void **state)
{
    static const char *const good[] = {"", "whole", "deaf", "slow"};
    surface read;

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        setenv("BAD_HELPER", good[i], 1);
        if (read_mesh("/there/a.obj", &read, fresh(&error)) != 0)
            fail_msg("%s", error.text);
        assert_int_equal(read.triangle_count, 1);
        assert_int_equal(read.triangles[0][2], 2);
        assert_true(read.vertices[1].x == 1.0f);
        assert_int_equal(strlen(read.digest), 64);
        surface_finish(&read);
    }
}

static void one_that_ends_is_an_error(void **state)
{
    (void)state;
    assert_fails("crash", "reading it crashed: Segmentation fault");
    assert_fails("killed", "its reader was killed, as the system does");
    assert_fails("one", "its reader gave up (exit code 1), as a rule for want of memory");
    assert_fails("time", "reading it takes longer than 60 s");
    assert_fails("silent", "reading it ended too early, with exit code 0");
    assert_fails("code", "reading it ended too early, with exit code 7");
    assert_fails("cut", "reading it ended too early");
    assert_fails("less", "reading it ended too early");
}

static void one_that_lies_is_not_believed(void **state)
{
    (void)state;
    assert_fails("garbage", "its reader is not understood: what it said is no answer");
    assert_fails("version", "what it said is no answer: it is of another version");
    assert_fails("unended", "what it said is no answer");
    assert_fails("none", "it announced 3 vertices, 0 triangles and 0 heights");
    assert_fails("endless", "it announced 3 vertices, 4294967295 triangles");
    assert_fails("heights", "it announced 3 vertices, 1 triangles and 4 heights");
    assert_fails("digest", "it announced a digest that is none");
    assert_fails("most", "reading it ended too early");
    assert_fails("more", "it said more than it announced");
    assert_fails("vertex", "triangle 0 has a vertex that is not there");
    assert_fails("nan", "vertex 1 is not within 10000 m");
    assert_fails("control", "is??[31mwrong");
}

static void one_that_hangs_is_ended(void **state)
{
    (void)state;
    setenv(MESH_SECONDS_VARIABLE, "1", 1);
    assert_fails("hang", "reading it takes longer than 1 s");
    assert_fails("stays", "reading it takes longer than 1 s");
}

static void what_cannot_be_started_is_named(void **state)
{
    (void)state;
    setenv(MESH_HELPER_VARIABLE, "/nowhere/clashd-mesh", 1);
    assert_fails("", "its reader cannot be started: /nowhere/clashd-mesh: no such file or directory");
    write_file("plain", "text\n", 5);
    setenv(MESH_HELPER_VARIABLE, path, 1);
    assert_fails("", "/plain: permission denied; $CLASHD_MESH_HELPER names another");
    unlink(path);
    setenv(MESH_HELPER_VARIABLE, "/", 1);
    assert_fails("", "its reader cannot be started: /: permission denied");
}

static void without_a_word_it_is_found_beside_the_program(void **state)
{
    char found[512];

    (void)state;
    unsetenv(MESH_HELPER_VARIABLE);
    assert_int_equal(mesh_helper_place(found, sizeof found), 0);
    assert_non_null(strstr(found, "/" MESH_HELPER_NAME));
    assert_int_equal(access(found, X_OK), 0);
    assert_int_equal(mesh_helper_place(found, 10), -1);
}

/* ---- many of them ---- */

typedef struct user {
    int built, done, dropped;
    failure error;
    uv_loop_t *loop;
} user;

static int build(void *context, surface *s, failure *out_failure)
{
    const char *how = getenv("BAD_HELPER");

    ((user *)context)->built += s->triangle_count == 1;
    fail_with(out_failure, "no memory here");
    return how && strcmp(how, "built") == 0 ? -1 : 0;
}

static void done(void *context, const char *said)
{
    ((user *)context)->done++;
    snprintf(((user *)context)->error.text, sizeof((user *)context)->error.text, "%s", said ? said : "");
}

static void drop(void *context)
{
    ((user *)context)->dropped++;
}

static surface_job *ask(surface_loader *loader, user *u, int number)
{
    const surface_user wanted = {.context = u, .build = build, .done = done, .drop = drop};
    surface_request request = {.kind = SURFACE_MESH, .scale = 1.0f};

    snprintf(request.file, sizeof request.file, "/there/%d.obj", number);
    return surface_load(loader, &request, &wanted);
}

/* From the log: the most that ran at a time, and how many began. */
static int most_at_a_time(int *out_begun)
{
    int now = 0, most = 0;
    char line[256];
    FILE *log = fopen(log_path, "r");

    *out_begun = 0;
    assert_non_null(log);
    while (fgets(line, sizeof line, log)) {
        now += line[0] == '+' ? 1 : -1;
        *out_begun += line[0] == '+';
        most = now > most ? now : most;
    }
    fclose(log);
    unlink(log_path);
    return most;
}

static void of_many_some_wait(void **state)
{
    surface_loader *loader;
    user users[MANY] = {{0}};
    uv_loop_t loop;
    int begun;

    (void)state;
    setenv("BAD_HELPER", "slow", 1);
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    setenv("BAD_HELPER_LOG", log_path, 1);
    assert_int_equal(uv_loop_init(&loop), 0);
    loader = surface_loader_create(&loop);
    for (int i = 0; i < MANY; i++)
        assert_non_null(ask(loader, &users[i], i));
    uv_run(&loop, UV_RUN_DEFAULT);
    surface_loader_close(loader);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(users[i].built, 1);
        assert_int_equal(users[i].done, 1);
        assert_int_equal(users[i].dropped, 0);
        assert_string_equal(users[i].error.text, "");
    }
    assert_in_range(most_at_a_time(&begun), 1, MESH_HELPERS_MAX);
    assert_int_equal(begun, MANY);
}

/* One that runs, one that waits; the others go on. */
static void who_cancels_hears_no_more(void **state)
{
    surface_loader *loader;
    user users[5] = {{0}};
    surface_job *jobs[5];
    uv_loop_t loop;

    (void)state;
    setenv("BAD_HELPER", "slow", 1);
    assert_int_equal(uv_loop_init(&loop), 0);
    loader = surface_loader_create(&loop);
    for (int i = 0; i < 5; i++)
        jobs[i] = ask(loader, &users[i], i);
    surface_cancel(jobs[0]);
    surface_cancel(jobs[3]);
    assert_int_equal(users[0].dropped + users[3].dropped, 2);
    uv_run(&loop, UV_RUN_DEFAULT);
    for (int i = 0; i < 5; i++)
        assert_int_equal(users[i].done, i == 0 || i == 3 ? 0 : 1);
    assert_int_equal(users[0].built + users[3].built, 0);
    surface_loader_close(loader);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* Whatever they are at: hanging, waiting, cancelled already. Nobody waits for them. */
static void at_the_end_all_are_dropped(void **state)
{
    surface_loader *loader;
    user users[5] = {{0}};
    surface_job *first;
    uv_loop_t loop;

    (void)state;
    setenv("BAD_HELPER", "hang", 1);
    assert_int_equal(uv_loop_init(&loop), 0);
    loader = surface_loader_create(&loop);
    first = ask(loader, &users[0], 0);
    for (int i = 1; i < 5; i++)
        ask(loader, &users[i], i);
    uv_run(&loop, UV_RUN_NOWAIT);
    surface_cancel(first);
    surface_loader_close(loader);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(users[i].done, 0);
        assert_int_equal(users[i].dropped, 1);
    }
    while (waitpid(-1, NULL, 0) > 0) /* the end of the process would have buried them */
        ;
}

static void what_cannot_be_built_is_told(void **state)
{
    surface_loader *loader;
    user u = {0};
    uv_loop_t loop;

    (void)state;
    setenv("BAD_HELPER", "built", 1);
    assert_int_equal(uv_loop_init(&loop), 0);
    loader = surface_loader_create(&loop);
    ask(loader, &u, 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_string_equal(u.error.text, "/there/1.obj: no memory here");
    surface_loader_close(loader);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, be_alone, nobody_is_left)
    const struct CMUnitTest tests[] = {
        TEST(one_that_is_good_is_believed),
        TEST(one_that_ends_is_an_error),
        TEST(one_that_lies_is_not_believed),
        TEST(one_that_hangs_is_ended),
        TEST(what_cannot_be_started_is_named),
        TEST(without_a_word_it_is_found_beside_the_program),
        TEST(of_many_some_wait),
        TEST(who_cancels_hears_no_more),
        TEST(at_the_end_all_are_dropped),
        TEST(what_cannot_be_built_is_told),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
