/* The reader of Beat Saber replays: any file is refused with a message that names a byte, or gives every frame that it
 * announces but for those that it says are left out; times never go back, and each frame is a line that the recording
 * reader understands as the same. */
#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "protocol/recording/bsor.h"
#include "protocol/recording/recording_private.h"
#include "support/bits.h"
#include "support/fresh.h"

static char line[PROTOCOL_LINE_MAX];
static recording_item item;

static void check_frame(const bsor_frame *frame)
{
    static const char *const names[BSOR_DEVICES] = {"/user/head", "/user/hand/left", "/user/hand/right"};
    protocol_pose poses[BSOR_DEVICES];
    failure error = {0};
    size_t length;

    for (size_t i = 0; i < BSOR_DEVICES; i++) {
        const clash_pose *p = &frame->poses[i];

        FUZZ_CHECK(frame->valid[i] ==
                   (clash_vec3_is_finite(p->position) && isfinite(p->orientation.x) && isfinite(p->orientation.y) &&
                    isfinite(p->orientation.z) && isfinite(p->orientation.w)));
        poses[i] = (protocol_pose){
            names[i], *p, frame->valid[i], frame->valid[i], frame->is_resumed, false, false, CLASH_SOURCE_NONE, {0}};
    }
    length = protocol_encode_recorded_poses(line, sizeof line, frame->time_ns, poses, BSOR_DEVICES, false);
    FUZZ_CHECK(length > 1);
    FUZZ_CHECK(recording_read_line(line, length - 1, &item, fresh(&error)) == RECORDING_LINE_TAKEN);
    FUZZ_CHECK(item.kind == RECORDING_POSES && item.time_ns == frame->time_ns && item.pose_count == BSOR_DEVICES);
    for (size_t i = 0; i < BSOR_DEVICES; i++) {
        FUZZ_CHECK(item.poses[i].valid == frame->valid[i] && item.poses[i].teleport == frame->is_resumed);
        /* A zero's sign is not kept. */
        FUZZ_CHECK(!frame->valid[i] || (item.poses[i].pose.position.x == frame->poses[i].position.x &&
                                        item.poses[i].pose.position.z == frame->poses[i].position.z &&
                                        item.poses[i].pose.orientation.y == frame->poses[i].orientation.y));
    }
}

static void read_all(bsor *b)
{
    failure error = {0};
    bsor_frame frame;
    bsor_result result;
    int64_t last_ns = INT64_MIN;
    uint64_t given = 0;
    const bsor_counters *n = bsor_get_counters(b);

    FUZZ_CHECK(bsor_get_song_speed(b) >= 0.1 && bsor_get_song_speed(b) <= 10.0);
    while ((result = bsor_next(b, &frame, fresh(&error))) == BSOR_FRAME) {
        FUZZ_CHECK(frame.time_ns >= last_ns);
        last_ns = frame.time_ns;
        given++;
        check_frame(&frame);
    }
    FUZZ_CHECK(result == BSOR_END); /* the file has been checked, and nobody changes it */
    FUZZ_CHECK(given + n->backward + n->timeless == n->frames);
    FUZZ_CHECK(n->repeated <= given && n->not_finite <= BSOR_DEVICES * given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    failure error = {0};
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    bsor *b;

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    b = bsor_open(path, fresh(&error));
    if (b) {
        FUZZ_CHECK(size >= 5 && bsor_get_counters(b)->frames * 92 <= size);
        read_all(b);
    } else {
        FUZZ_CHECK(strstr(error.text, path) && strstr(error.text, "at byte "));
        FUZZ_CHECK(strtoull(strstr(error.text, "at byte ") + 8, NULL, 10) <= size);
    }
    bsor_close(b);
    close(fd);
    return 0;
}
