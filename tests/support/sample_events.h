/* Events, frames and a session as the sinks' tests need them: two blades, two hands. */
#ifndef TESTS_SAMPLE_EVENTS_H
#define TESTS_SAMPLE_EVENTS_H

#include "ports/event_sink.h"
#include "protocol/messages/codec.h"

#define SAMPLE_EPOCH_NS INT64_C(5000000000)

static inline const char *sample_device_name(void *context, uint32_t device)
{
    static const char *const names[] = {"/user/hand/left", "/user/hand/right"};

    (void)context;
    return device < 2 ? names[device] : NULL;
}

static inline device_names sample_names(void)
{
    return (device_names){.name = sample_device_name};
}

static inline void sample_session(protocol_session *out)
{
    static const clash_blade blades[] = {
        {.name = "left", .device = "/user/hand/left", .properties.shape = {{0, 0, 0}, {0, 0, -1}, 0.01f}},
        {.name = "right", .device = "/user/hand/right", .properties.shape = {{0, 0, 0}, {0, 0, -1}, 0.01f}},
    };

    *out = (protocol_session){.version = "0.1.0",
                              .session = "0123456789abcdef",
                              .space = "stage",
                              .epoch_monotonic_ns = SAMPLE_EPOCH_NS,
                              .epoch_unix_ns = INT64_C(1700000000000000000),
                              .blades = blades,
                              .blade_count = 2};
}

static inline clash_event sample_clash(uint64_t seq, float closing_speed)
{
    clash_event event = {.kind = CLASH_EVENT_CLASH,
                         .seq = seq,
                         .time_ns = SAMPLE_EPOCH_NS + (int64_t)seq * 1000000,
                         .id = seq,
                         .blades = {"left", "right"},
                         .start_closing_speed = closing_speed};

    event.as.clash = (clash_event_clash){.contact = {.fraction = 0.25,
                                                     .distance = 0.02f,
                                                     .midpoint = {0.1f, 1.2f, -0.5f},
                                                     .points = {{0.09f, 1.2f, -0.5f}, {0.11f, 1.2f, -0.5f}},
                                                     .normal = {1, 0, 0},
                                                     .along = {0.5f, 0.6f}},
                                         .velocities = {{closing_speed, 0, 0}, {0, 0, 0}},
                                         .closing_speed = closing_speed,
                                         .slide_speed = 0.3f,
                                         .crossing_angle = 1.5f,
                                         .intensity = 0.2f,
                                         .tracked = true,
                                         .interval_ns = 11000000};
    return event;
}

/* All numbers that a clash has besides, each off its default and unlike the others: as many digits as its type has. */
static inline void sample_fill_fields(clash_event_clash *out)
{
    double value = 9007199254740991.0;

#define FILL(type, member, none) \
    out->member = (type)value;   \
    value /= 3.0;
    CLASH_EVENT_FIELDS(FILL)
#undef FILL
}

/* The left blade on a mesh called shield. */
static inline clash_event sample_target_clash(uint64_t seq, float closing_speed)
{
    clash_event event = sample_clash(seq, closing_speed);

    event.blades[1] = "shield";
    event.has_target = true;
    event.as.clash.contact.along[1] = 0.0f;
    event.as.clash.surface_normal = (clash_vec3){-1, 0, 0.5f};
    event.as.clash.triangle = 17;
    return event;
}

static inline clash_event sample_release(uint64_t seq, uint64_t id, float start_closing_speed)
{
    clash_event event = {.kind = CLASH_EVENT_RELEASE,
                         .seq = seq,
                         .time_ns = SAMPLE_EPOCH_NS + (int64_t)seq * 1000000,
                         .id = id,
                         .blades = {"left", "right"},
                         .start_closing_speed = start_closing_speed,
                         .duration_ns = 1000000};

    event.as.release = (clash_event_release){.min_distance = 0.01f, .peak_closing_speed = start_closing_speed};
    return event;
}

static inline clash_event sample_tracking(uint64_t seq, bool tracked)
{
    clash_event event = {.kind = CLASH_EVENT_TRACKING, .seq = seq, .time_ns = SAMPLE_EPOCH_NS + (int64_t)seq * 1000000};

    event.as.tracking = (clash_event_tracking){
        .device = "/user/hand/left", .tracked = tracked, .reason = tracked ? CLASH_TRACKING_OK : CLASH_TRACKING_LOST};
    return event;
}

/* Both hands, tracked, `time_ns` after the epoch. */
static inline pose_frame sample_frame(int64_t time_ns)
{
    pose_frame frame = {.time_ns = SAMPLE_EPOCH_NS + time_ns, .count = 2};

    for (uint32_t i = 0; i < 2; i++)
        frame.samples[i] = (pose_sample){.device = i,
                                         .flags = POSE_VALID | POSE_TRACKED,
                                         .pose = {.orientation = {0, 0, 0, 1}, .position = {(float)i, 1.5f, -0.25f}}};
    return frame;
}

#endif
