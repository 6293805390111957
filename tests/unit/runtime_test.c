/* The stand-in runtime as a program sees it that does everything right: states, poses, times, spaces, haptics. Expected
 * poses are worked out here from the recording's text, with a spherical interpolation of the test's own. */
#include "support/temporary.h"
#include "support/xr_client.h"
#include <math.h>

#define DUEL TEST_DATA "/duel-20s.jsonl"
#define DUEL_START TEST_DATA "/duel-start-5s.jsonl"

#define POSE_OF(device, x, qy, qw, more)                                                                        \
    "{\"device\":\"/user/hand/" device "\",\"position\":[" #x ",1,-0.5],\"orientation\":[0," #qy ",0," #qw "]," \
    "\"tracked\":true" more "}"
#define LINE(time, poses) "{\"type\":\"poses\",\"time_ns\":" #time ",\"poses\":[" poses "]}\n"
#define LEFT_AT(time, x) LINE(time, POSE_OF("left", x, 0, 1, ""))

typedef struct frame {
    int64_t time_ns;
    XrPosef poses[2];
} frame;

/* A number and the comma or bracket behind it. */
static float read_float(const char **cursor)
{
    const char *start = *cursor;
    float value = strtof(start, (char **)cursor);
    assert_true(*cursor != start && strchr(",]", **cursor));
    ++*cursor;
    return value;
}

/* The two hands of one line of a recording, read by position: the slices are all of one form. */
static bool read_frame(FILE *file, frame *out_frame)
{
    char line[2048];
    if (!fgets(line, sizeof line, file))
        return false;
    const char *cursor = strstr(line, "\"time_ns\":");
    assert_non_null(cursor);
    out_frame->time_ns = strtoll(cursor + 10, NULL, 10);
    for (int i = 0; i < 2; i++) {
        XrPosef *pose = &out_frame->poses[i];
        cursor = strstr(cursor, "\"position\":[") + 12;
        pose->position.x = read_float(&cursor);
        pose->position.y = read_float(&cursor);
        pose->position.z = read_float(&cursor);
        cursor = strstr(cursor, "\"orientation\":[") + 15;
        pose->orientation.x = read_float(&cursor);
        pose->orientation.y = read_float(&cursor);
        pose->orientation.z = read_float(&cursor);
        pose->orientation.w = read_float(&cursor);
    }
    return true;
}

static FILE *open_frames(const char *path)
{
    char header[2048];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    return file;
}

static XrPosef between(XrPosef a, XrPosef b, double s)
{
    const XrQuaternionf p = a.orientation, q = b.orientation;
    double dot = (double)p.x * q.x + (double)p.y * q.y + (double)p.z * q.z + (double)p.w * q.w;
    double sign = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot)));
    double u = angle < 1e-6 ? 1 - s : sin((1 - s) * angle) / sin(angle);
    double v = sign * (angle < 1e-6 ? s : sin(s * angle) / sin(angle));
    XrPosef result;
    result.position = (XrVector3f){(float)(a.position.x + s * ((double)b.position.x - a.position.x)),
                                   (float)(a.position.y + s * ((double)b.position.y - a.position.y)),
                                   (float)(a.position.z + s * ((double)b.position.z - a.position.z))};
    result.orientation = (XrQuaternionf){(float)(u * p.x + v * q.x), (float)(u * p.y + v * q.y),
                                         (float)(u * p.z + v * q.z), (float)(u * p.w + v * q.w)};
    return result;
}

static void poses_are_the_recorded_ones(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(DUEL, NULL);
    xr_client_start(&c);
    FILE *file = open_frames(DUEL);
    frame last = {0}, next;
    int frames = 1;
    assert_true(read_frame(file, &last));
    for (; read_frame(file, &next); last = next, frames++) {
        for (int hand = 0; hand < 2; hand++) {
            XrSpaceLocation at = xr_client_locate(&c, hand, next.time_ns);
            assert_int_equal(at.locationFlags, XR_CLIENT_VALID | XR_CLIENT_TRACKED);
            assert_memory_equal(&at.pose, &next.poses[hand], sizeof at.pose);
            int64_t third_ns = (next.time_ns - last.time_ns) / 3;
            at = xr_client_locate(&c, hand, last.time_ns + third_ns);
            double s = (double)third_ns / (double)(next.time_ns - last.time_ns);
            assert_int_equal(at.locationFlags, XR_CLIENT_VALID | XR_CLIENT_TRACKED);
            assert_pose_near(at.pose, between(last.poses[hand], next.poses[hand], s), 2e-6);
        }
    }
    fclose(file);
    assert_int_equal(frames, 1801);
    xr_client_stop(&c);
}

static void a_rough_start_gives_the_last_of_equal_times(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(DUEL_START, NULL);
    xr_client_start(&c);
    FILE *file = open_frames(DUEL_START);
    frame first = {0}, next;
    while (read_frame(file, &next) && next.time_ns == 0) /* the first of them has all-zero orientations */
        first = next;
    fclose(file);
    XrSpaceLocation at = xr_client_locate(&c, XR_CLIENT_LEFT, 0);
    assert_int_equal(at.locationFlags, XR_CLIENT_VALID | XR_CLIENT_TRACKED);
    assert_memory_equal(&at.pose, &first.poses[0], sizeof at.pose);
    assert_int_equal(xr_client_locate(&c, XR_CLIENT_LEFT, -1).locationFlags, 0);
    xr_client_stop(&c);
}

static void nothing_is_made_up_between_unsure_samples(void **state)
{
    (void)state;
    char *path = xr_client_recording(
        "stage", LEFT_AT(1000000000, 0) LEFT_AT(1100000000, 1)               /* 100 ms apart: a motion */
        LEFT_AT(1200000001, 2)                                               /* more: none */
        LINE(1210000000, POSE_OF("left", 3, 0, 1, ",\"teleport\":true"))     /* none up to it */
        LINE(1220000000, POSE_OF("left", 4, 0, 1, ",\"valid\":false"))       /* none around it */
        LINE(1230000000, POSE_OF("left", 5, 0, 0, ""))                       /* no rotation: none */
        LEFT_AT(1240000000, 6) LEFT_AT(1250000000, 7) LEFT_AT(1245000000, 9) /* going back: dropped */
        LEFT_AT(1260000000, 8));
    xr_client c;
    xr_client_environment(path, NULL);
    xr_client_start(&c);
    const struct {
        int64_t after_ms;
        double x; /* -1: no pose */
    } expected[] = {{0, 0},    {50, 0.5}, {100, 1},  {150, -1}, {205, -1},  {210, 3}, {215, -1},  {220, -1},
                    {225, -1}, {230, -1}, {235, -1}, {240, 6},  {245, 6.5}, {250, 7}, {255, 7.5}, {260, 8}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        XrSpaceLocation at = xr_client_locate(&c, XR_CLIENT_LEFT, expected[i].after_ms * XR_CLIENT_MS);
        assert_int_equal(at.locationFlags, expected[i].x < 0 ? 0 : XR_CLIENT_VALID | XR_CLIENT_TRACKED);
        assert_near(at.pose.position.x, fmax(expected[i].x, 0), 1e-6);
    }
    assert_false(xr_client_is_active(&c, XR_CLIENT_RIGHT)); /* not in this recording */
    xr_client_stop(&c);
    unlink(path);
    free(path);
}

static void untracked_samples_stay_valid(void **state)
{
    (void)state;
    char *path = xr_client_recording(
        "stage",
        LEFT_AT(0, 0) "{\"type\":\"poses\",\"time_ns\":10000000,\"poses\":[{\"device\":\"/user/hand/left\","
                      "\"position\":[1,1,-0.5],\"orientation\":[0,0,0,1],\"tracked\":false}]}\n" LEFT_AT(20000000, 2)
                          LEFT_AT(30000000, 3));
    xr_client c;
    xr_client_environment(path, NULL);
    xr_client_start(&c);
    assert_int_equal(xr_client_locate(&c, 0, 0).locationFlags, XR_CLIENT_VALID | XR_CLIENT_TRACKED);
    for (int64_t after_ns = 1; after_ns < 20 * XR_CLIENT_MS; after_ns += 333333)
        assert_int_equal(xr_client_locate(&c, 0, after_ns).locationFlags, XR_CLIENT_VALID);
    assert_int_equal(xr_client_locate(&c, 0, 20 * XR_CLIENT_MS).locationFlags, XR_CLIENT_VALID | XR_CLIENT_TRACKED);
    xr_client_stop(&c);
    unlink(path);
    free(path);
}

static void passes_are_kept_apart(void **state)
{
    (void)state;
    char *path = xr_client_recording("stage", LEFT_AT(5000000000, 0) LEFT_AT(5050000000, 1) LEFT_AT(5100000000, 2));
    xr_client c;
    xr_client_environment(path, NULL);
    setenv("CLASH_RUNTIME_SPEED", "2.5", 1);
    xr_client_start(&c);
    const int64_t pass_ns = 40 * XR_CLIENT_MS, seam_ns = 150 * XR_CLIENT_MS; /* 100 ms at 2.5 times the speed */
    for (int pass = 0; pass < 5; pass++) {
        int64_t start_ns = pass * (pass_ns + seam_ns);
        assert_near(xr_client_locate(&c, 0, start_ns).pose.position.x, 0, 1e-6);
        assert_near(xr_client_locate(&c, 0, start_ns + pass_ns / 4).pose.position.x, 0.5, 1e-6);
        assert_near(xr_client_locate(&c, 0, start_ns + pass_ns).pose.position.x, 2, 1e-6);
        for (int64_t after_ns = 1; after_ns < seam_ns; after_ns += 999999)
            assert_int_equal(xr_client_locate(&c, 0, start_ns + pass_ns + after_ns).locationFlags, 0);
    }
    xr_client_stop(&c);
    unlink(path);
    free(path);
}

static void without_a_loop_devices_go_off_at_the_end(void **state)
{
    (void)state;
    char *path = xr_client_recording("stage", LEFT_AT(0, 0) LEFT_AT(50000000, 1));
    xr_client c;
    xr_client_environment(path, NULL);
    setenv("CLASH_RUNTIME_LOOP", "0", 1);
    xr_client_start(&c);
    assert_int_equal(xr_client_locate(&c, 0, 51 * XR_CLIENT_MS).locationFlags, 0);
    while (xr_client_now(&c) <= c.begin + 50 * XR_CLIENT_MS)
        xr_client_nap();
    assert_xr(xr_client_sync(&c));
    assert_false(xr_client_is_active(&c, XR_CLIENT_LEFT));
    assert_int_equal(xr_client_locate(&c, 0, 0).locationFlags, 0); /* inactive actions are nowhere */
    xr_client_stop(&c);
    unlink(path);
    free(path);
}

/* Written down from the formula in daemon/runtime/README.md. */
static void the_script_crosses_when_it_says(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    for (int i = 0; i < 400; i++) {
        double t = 0.01 * i;
        XrPosef left = xr_client_locate(&c, 0, (int64_t)llround(t * 1e9)).pose;
        XrPosef right = xr_client_locate(&c, 1, (int64_t)llround(t * 1e9)).pose;
        assert_near(left.position.y - right.position.y, 0.5 * cos(M_PI * t), 1e-6);
        double yaw = (45 + 10 * sin(M_PI * t)) / 180 * M_PI;
        assert_pose_near(left,
                         (XrPosef){{0, (float)-sin(yaw / 2), 0, (float)cos(yaw / 2)},
                                   {-0.35f, (float)(1.2 + 0.25 * cos(M_PI * t)), -0.35f}},
                         1e-6);
        assert_pose_near(right,
                         (XrPosef){{0, (float)sin(yaw / 2), 0, (float)cos(yaw / 2)},
                                   {0.35f, (float)(1.2 - 0.25 * cos(M_PI * t)), -0.35f}},
                         1e-6);
    }
    xr_client_stop(&c);
}

static void times_convert_both_ways_and_are_not_monotonic(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(NULL, NULL);
    xr_client_start(&c);
    struct timespec now, back;
    clock_gettime(CLOCK_MONOTONIC, &now);
    XrTime time;
    assert_xr(c.to_time(c.instance, &now, &time));
    assert_xr(c.to_timespec(c.instance, time, &back));
    assert_int_equal(back.tv_sec, now.tv_sec);
    assert_int_equal(back.tv_nsec, now.tv_nsec);
    int64_t monotonic_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    assert_true(llabs(time - monotonic_ns) > 3600LL * 1000000000);
    assert_true(time >= c.begin && time - c.begin < XR_CLIENT_TIMEOUT_S * 1000000000LL);
    /* Taken for an XrTime, the monotonic time lies long before the session. */
    assert_int_equal(xr_client_locate_in(c.grips[0], c.stage, monotonic_ns).locationFlags, 0);
    struct timespec bad = {.tv_sec = 1, .tv_nsec = 1000000000};
    assert_int_equal(c.to_time(c.instance, &bad, &time), XR_ERROR_TIME_INVALID);
    assert_int_equal(c.to_timespec(c.instance, 0, &back), XR_ERROR_TIME_INVALID);
    xr_client_stop(&c);
}

static void spaces_are_where_they_should_be(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(DUEL, NULL);
    xr_client_start(&c);
    XrPosef eye = {{0, 0, 0, 1}, {0, 1.6f, 0}};
    assert_pose_near(xr_client_locate_in(c.local, c.stage, c.begin).pose, eye, 1e-6);
    assert_pose_near(xr_client_locate_in(c.view, c.local, c.begin).pose, XR_CLIENT_IDENTITY, 1e-6);
    assert_pose_near(xr_client_locate_in(c.grips[0], c.grips[0], c.begin + 1).pose, XR_CLIENT_IDENTITY, 1e-6);
    /* From a metre to the right, looking left: the origin is a metre ahead. */
    XrPosef offset = {{0, (float)sqrt(0.5), 0, (float)sqrt(0.5)}, {1, 0, 0}};
    XrSpace turned = xr_client_reference(&c, XR_REFERENCE_SPACE_TYPE_STAGE, offset);
    XrPosef expected = {{0, (float)-sqrt(0.5), 0, (float)sqrt(0.5)}, {0, 0, -1}};
    assert_pose_near(xr_client_locate_in(c.stage, turned, c.begin).pose, expected, 1e-6);
    xr_client_stop(&c);
}

static void a_local_recording_is_played_in_local(void **state)
{
    (void)state;
    char *path = xr_client_recording("local", LEFT_AT(0, 0) LEFT_AT(50000000, 1));
    xr_client c;
    xr_client_environment(path, NULL);
    xr_client_start(&c);
    assert_near(xr_client_locate_in(c.grips[0], c.local, c.begin).pose.position.y, 1, 0);
    assert_near(xr_client_locate(&c, 0, 0).pose.position.y, 2.6, 1e-6);
    xr_client_stop(&c);
    unlink(path);
    free(path);
}

static void haptics_are_counted_and_logged(void **state)
{
    (void)state;
    char log[] = "/tmp/clashd-haptics-" TEMPORARY, line[512];
    close(mkstemp(log));
    xr_client c;
    xr_client_environment(DUEL, NULL);
    setenv("CLASH_RUNTIME_LOG", log, 1);
    xr_client_start(&c);
    XrHapticActionInfo info = {.type = XR_TYPE_HAPTIC_ACTION_INFO, .action = c.haptic, .subactionPath = c.hands[1]};
    XrHapticVibration pulse = {.type = XR_TYPE_HAPTIC_VIBRATION, .duration = 20000000, .amplitude = 0.5f};
    assert_xr(xrApplyHapticFeedback(c.session, &info, (const XrHapticBaseHeader *)&pulse));
    info.subactionPath = XR_NULL_PATH;
    assert_xr(xrApplyHapticFeedback(c.session, &info, (const XrHapticBaseHeader *)&pulse));
    xr_client_stop(&c);
    FILE *file = fopen(log, "r");
    int left = 0, right = 0;
    while (fgets(line, sizeof line, file)) {
        left += strstr(line, "haptic /user/hand/left duration_ns=20000000 frequency=0 amplitude=0.5 ") != NULL;
        right += strstr(line, "haptic /user/hand/right duration_ns=20000000 frequency=0 amplitude=0.5 ") != NULL;
    }
    fclose(file);
    unlink(log);
    assert_int_equal(left, 1);
    assert_int_equal(right, 2);
}

static void a_session_ends_in_order_and_begins_again(void **state)
{
    (void)state;
    xr_client c;
    xr_client_environment(DUEL, NULL);
    xr_client_start(&c);
    assert_xr(xrRequestExitSession(c.session));
    xr_client_await_state(&c, XR_SESSION_STATE_STOPPING);
    assert_xr(xrEndSession(c.session));
    xr_client_await_state(&c, XR_SESSION_STATE_EXITING);
    assert_xr(xrDestroySession(c.session));
    assert_xr(xr_client_create_session(&c));
    xr_client_await_state(&c, XR_SESSION_STATE_READY);
    assert_xr(xr_client_begin(&c));
    xr_client_await_state(&c, XR_SESSION_STATE_FOCUSED);
    xr_client_stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        XR_CLIENT_TEST(poses_are_the_recorded_ones),
        XR_CLIENT_TEST(a_rough_start_gives_the_last_of_equal_times),
        XR_CLIENT_TEST(nothing_is_made_up_between_unsure_samples),
        XR_CLIENT_TEST(untracked_samples_stay_valid),
        XR_CLIENT_TEST(passes_are_kept_apart),
        XR_CLIENT_TEST(without_a_loop_devices_go_off_at_the_end),
        XR_CLIENT_TEST(the_script_crosses_when_it_says),
        XR_CLIENT_TEST(times_convert_both_ways_and_are_not_monotonic),
        XR_CLIENT_TEST(spaces_are_where_they_should_be),
        XR_CLIENT_TEST(a_local_recording_is_played_in_local),
        XR_CLIENT_TEST(haptics_are_counted_and_logged),
        XR_CLIENT_TEST(a_session_ends_in_order_and_begins_again),
    };
    return cmocka_run_group_tests_name("runtime", tests, NULL, NULL);
}
