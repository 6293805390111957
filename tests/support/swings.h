/* Random smooth movements of two devices, sampled at their own rates with jitter, and ways of feeding them to a
 * pipeline. A seed gives the same on every machine, up to libm's rounding. */
#ifndef CLASHD_TESTS_SWINGS_H
#define CLASHD_TESTS_SWINGS_H

#include "support/dense.h"
#include "support/random.h"
#include "support/scene.h"

/* Each track fits into a pipeline's ring, so that one can be fed whole before the other; resampled ones may not. */
#define SWINGS_SAMPLES PIPELINE_TRACK_SAMPLES
#define SWINGS_RESAMPLED_MAX (3 * SWINGS_SAMPLES)
#define SWINGS_SECONDS 4.0

typedef struct swing_wave {
    double centre, amplitude[2], rate[2], phase[2];
} swing_wave;

typedef struct swings {
    size_t counts[2];
    clash_capsule shapes[2];
    dense_sample samples[2][SWINGS_RESAMPLED_MAX];
} swings;

typedef enum swings_order { SWINGS_BY_TIME, SWINGS_A_FIRST, SWINGS_B_FIRST, SWINGS_BURSTS, SWINGS_ORDERS } swings_order;

static inline swing_wave swing_wave_make(random_state *r, double centre, double amplitude)
{
    swing_wave w = {.centre = centre};

    for (int i = 0; i < 2; i++) {
        w.amplitude[i] = random_in(r, 0.1, 1.0) * amplitude;
        w.rate[i] = random_in(r, 2.0, 12.0); /* rad/s */
        w.phase[i] = random_in(r, 0.0, 6.28);
    }
    return w;
}

static inline double swing_wave_at(const swing_wave *w, double t)
{
    return w->centre + w->amplitude[0] * sin(w->rate[0] * t + w->phase[0]) +
           w->amplitude[1] * sin(w->rate[1] * t + w->phase[1]);
}

/** waves: position x y z, then turns about y, x, z. */
static inline clash_pose swing_pose(const swing_wave waves[6], double t)
{
    double yaw = swing_wave_at(&waves[3], t) / 2, pitch = swing_wave_at(&waves[4], t) / 2,
           roll = swing_wave_at(&waves[5], t) / 2;
    ref_quat q =
        ref_product(ref_product((ref_quat){cos(yaw), {0, sin(yaw), 0}}, (ref_quat){cos(pitch), {sin(pitch), 0, 0}}),
                    (ref_quat){cos(roll), {0, 0, sin(roll)}});

    return (clash_pose){
        {(float)q.v.x, (float)q.v.y, (float)q.v.z, (float)q.w},
        {(float)swing_wave_at(&waves[0], t), (float)swing_wave_at(&waves[1], t), (float)swing_wave_at(&waves[2], t)}};
}

/** Two devices side by side, 4 s each, 40 to 220 samples a second, and now and then a gap that cuts the track. */
static inline void swings_make(swings *s, uint64_t seed)
{
    random_state random = {seed}, *r = &random;

    for (int device = 0; device < 2; device++) {
        double side = device ? 0.25 : -0.25, step_ns = 1e9 / random_in(r, 40.0, 220.0);
        int64_t time_ns = (int64_t)random_in(r, 0.0, 5e7);
        swing_wave waves[6];

        s->shapes[device] = (clash_capsule){
            random_box(r, 0.02), {0, 0, (float)-random_in(r, 0.7, 1.1)}, (float)random_in(r, 0.005, 0.03)};
        for (int i = 0; i < 6; i++)
            waves[i] = swing_wave_make(r, i == 0 ? side : i == 1 ? 1.2 : i == 3 ? side * 2 : 0, i < 3 ? 0.12 : 0.6);
        for (s->counts[device] = 0; s->counts[device] < SWINGS_SAMPLES && time_ns < (int64_t)(SWINGS_SECONDS * 1e9);) {
            s->samples[device][s->counts[device]++] =
                (dense_sample){time_ns, swing_pose(waves, (double)time_ns * 1e-9)};
            time_ns += (int64_t)(step_ns * random_in(r, 0.7, 1.3));
            if (random_below(r, 200) == 0)
                time_ns += (int64_t)random_in(r, 0.2e8, 3e8);
        }
    }
}

/** The same motions with one or two more samples in each, at random times. */
static inline void swings_resample(const swings *from, swings *to, uint64_t seed, int64_t max_gap_ns)
{
    random_state random = {seed}, *r = &random;

    memcpy(to->shapes, from->shapes, sizeof to->shapes);
    for (int device = 0; device < 2; device++) {
        size_t count = 0;

        for (size_t i = 0; i < from->counts[device]; i++) {
            const dense_sample *sample = &from->samples[device][i];
            int64_t offset_ns = 0, duration_ns = i + 1 < from->counts[device] ? sample[1].time_ns - sample->time_ns : 0;

            to->samples[device][count++] = *sample;
            if (duration_ns > max_gap_ns)
                continue; /* no motion there */
            for (int k = random_below(r, 3); k > 0 && duration_ns > 0; k--) {
                clash_motion motion = {sample->pose, sample[1].pose};

                offset_ns += 1 + (int64_t)((double)(duration_ns - offset_ns) * random_in(r, 0.05, 0.9));
                if (offset_ns < duration_ns)
                    to->samples[device][count++] = (dense_sample){
                        sample->time_ns + offset_ns, clash_motion_at(&motion, (double)offset_ns / (double)duration_ns)};
            }
        }
        to->counts[device] = count;
    }
}

static inline void swings_feed(const swings *s, scene *into, swings_order order, uint64_t seed)
{
    random_state random = {seed};
    size_t at[2] = {0, 0}, burst = 0;
    uint32_t device = 0;

    while (at[0] < s->counts[0] || at[1] < s->counts[1]) {
        bool a_left = at[0] < s->counts[0], b_left = at[1] < s->counts[1];

        if (order == SWINGS_BY_TIME && a_left && b_left)
            device = s->samples[1][at[1]].time_ns < s->samples[0][at[0]].time_ns;
        else if (order == SWINGS_A_FIRST)
            device = !a_left;
        else if (order == SWINGS_B_FIRST)
            device = b_left;
        else if (order == SWINGS_BURSTS && burst-- == 0) {
            burst = (size_t)random_below(&random, 90);
            device = !device;
        }
        if (at[device] == s->counts[device])
            device = !device;
        scene_push(into, s->samples[device][at[device]].time_ns, device, SCENE_GOOD,
                   s->samples[device][at[device]].pose);
        at[device]++;
    }
}

static inline size_t swings_truth(const swings *s, const pipeline_settings *settings, dense_contact *out_contacts,
                                  size_t max, size_t *out_pieces)
{
    double start = (double)s->shapes[0].radius + (double)s->shapes[1].radius + (double)settings->margin;
    dense_limits limits = {start, start + (double)settings->release_margin, settings->max_gap_ns};
    dense_track tracks[2] = {{s->samples[0], s->counts[0], s->shapes[0]}, {s->samples[1], s->counts[1], s->shapes[1]}};

    return dense_contacts(&tracks[0], &tracks[1], limits, out_contacts, max, out_pieces);
}

#endif
