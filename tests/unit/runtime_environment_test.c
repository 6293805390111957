/* Mistakes in the stand-in runtime's environment: no instance is created, and stderr names the variable, what was in it
 * and what was expected. A test that asks for a fault must never run without it unnoticed. */
#include "support/xr_client.h"

/* What the runtime writes to stderr while an instance is not created. */
static void refusal_of_this(char *out_text, size_t size)
{
    xr_client c = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int saved = dup(2);
    dup2(ends[1], 2);
    XrResult result = xr_client_create_instance(&c.instance);
    dup2(saved, 2);
    close(saved);
    close(ends[1]);
    ssize_t length = read(ends[0], out_text, size - 1);
    out_text[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(result, XR_ERROR_RUNTIME_FAILURE);
}

static void mistakes_are_refused_with_the_form_that_is_right(void **state)
{
    (void)state;
    const struct {
        const char *faults, *said;
    } cases[] = {
        {"lots@2s", "'lots@2s': no such fault, expected one of lost, untracked,"},
        {"stall@1s+1s,,exit@2s", "'': no such fault"},
        {"crash", "'crash': expected crash@TIME, crash:create or crash:system"},
        {"crash:destroy", "'crash:destroy': expected crash@TIME, crash:create or crash:system"},
        {"crash@1s:create", "'crash@1s:create': expected crash@TIME, crash:create or crash:system"},
        {"crash@1s+1s", "'crash@1s+1s': expected crash@TIME, crash:create or crash:system"},
        {"lost@2s", "'lost@2s': expected lost@TIME+DURATION[:left|:right]"},
        {"lost@2+1s", "expected lost@TIME+DURATION"},
        {"lost@2s+1s:middle", "expected lost@TIME+DURATION"},
        {"lost@2s+1s:leftish", "expected lost@TIME+DURATION"},
        {"lost@-2s+1s", "expected lost@TIME+DURATION"},
        {"lost@1e3s+1s", "expected lost@TIME+DURATION"},
        {"exit@1s+2s", "expected exit@TIME"},
        {"exit", "expected exit@TIME"},
        {"recentre@1s", "expected recentre@TIME:X/Y/Z[:YAWdeg]"},
        {"recentre@1s:1/2", "expected recentre@TIME:X/Y/Z"},
        {"recentre@1s:1/2/3:90", "expected recentre@TIME:X/Y/Z"},
        {"refuse:0", "expected refuse@TIME+DURATION or refuse:COUNT"},
        {"refuse@1s+1s:2", "expected refuse@TIME+DURATION or refuse:COUNT"},
        {"refuse:1.5", "expected refuse@TIME+DURATION or refuse:COUNT"},
        {"profile@1s:/interaction_profiles/no/such", "expected profile@TIME:/interaction_profiles/VENDOR/NAME"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        xr_client_environment(NULL, cases[i].faults);
        refusal_of_this(text, sizeof text);
        if (!strstr(text, cases[i].said) || !strstr(text, "clash_runtime: CLASH_RUNTIME_FAULTS: "))
            fail_msg("%s: expected '%s', it said: %s", cases[i].faults, cases[i].said, text);
    }
}

static void every_variable_is_checked(void **state)
{
    (void)state;
    const struct {
        const char *variable, *value, *said;
    } cases[] = {
        {"CLASH_RUNTIME_SPEED", "fast", "CLASH_RUNTIME_SPEED: 'fast': expected a number from 0.001 to 1000"},
        {"CLASH_RUNTIME_SPEED", "0", "expected a number from 0.001 to 1000"},
        {"CLASH_RUNTIME_SPEED", "-1", "expected a number from 0.001 to 1000"},
        {"CLASH_RUNTIME_SPEED", "1.5x", "expected a number from 0.001 to 1000"},
        {"CLASH_RUNTIME_SPEED", "nan", "expected a number from 0.001 to 1000"},
        {"CLASH_RUNTIME_LOOP", "yes", "CLASH_RUNTIME_LOOP: 'yes': expected 0 or 1"},
        {"CLASH_RUNTIME_SCRIPT", "dance", "CLASH_RUNTIME_SCRIPT: 'dance': expected crossing"},
        {"CLASH_RUNTIME_PROFILE", "/interaction_profiles/no/such",
         "CLASH_RUNTIME_PROFILE: '/interaction_profiles/no/such'"},
        {"CLASH_RUNTIME_LOG", "/nowhere/at/all", "CLASH_RUNTIME_LOG: /nowhere/at/all: cannot be opened for writing"},
        {"CLASH_RUNTIME_RECORDING", "/nowhere.jsonl", "CLASH_RUNTIME_RECORDING: /nowhere.jsonl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        xr_client_environment(NULL, NULL);
        setenv(cases[i].variable, cases[i].value, 1);
        refusal_of_this(text, sizeof text);
        if (!strstr(text, cases[i].said))
            fail_msg("%s=%s: expected '%s', it said: %s", cases[i].variable, cases[i].value, cases[i].said, text);
    }
}

static void a_recording_needs_a_device(void **state)
{
    (void)state;
    char text[4096];
    char *path = xr_client_recording("stage", "{\"type\":\"poses\",\"time_ns\":0,\"poses\":[{\"device\":\"npc/7\","
                                              "\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":true}]}\n");
    xr_client_environment(path, NULL);
    refusal_of_this(text, sizeof text);
    assert_non_null(strstr(text, "no poses of /user/hand/left, /user/hand/right or /user/head in it"));
    assert_non_null(strstr(text, path));
    unlink(path);
    free(path);
}

static void a_mistake_can_be_mended_in_the_same_process(void **state)
{
    (void)state;
    char text[4096];
    xr_client c;
    xr_client_environment(NULL, "nonsense");
    refusal_of_this(text, sizeof text);
    xr_client_environment(NULL, "lost@1s+1s");
    xr_client_start(&c);
    assert_int_equal(xr_client_locate(&c, 0, 1500 * XR_CLIENT_MS).locationFlags, 0);
    xr_client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        XR_CLIENT_TEST(mistakes_are_refused_with_the_form_that_is_right),
        XR_CLIENT_TEST(every_variable_is_checked),
        XR_CLIENT_TEST(a_recording_needs_a_device),
        XR_CLIENT_TEST(a_mistake_can_be_mended_in_the_same_process),
    };
    return cmocka_run_group_tests_name("runtime_environment", tests, NULL, NULL);
}
