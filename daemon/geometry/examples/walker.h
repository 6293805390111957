/* A walking person: a capsule with gravity, a jump, steps and a limited falling speed, in a scene of any shapes. A line
 * finds the ground below, push-out keeps out of walls. Uses only libclash's public functions.
 *
 * The capsule that meets walls ends one step above the feet: anything lower than a step is no wall but something to
 * stand on, which the line finds when the middle of the body is over it. */
#ifndef WALKER_H
#define WALKER_H

#include <clash/push_out.h>
#include <clash/ray.h>

/* m, m/s, m/s^2 */
#define WALKER_RADIUS 0.3f
#define WALKER_HEIGHT 1.7f
#define WALKER_STEP 0.35f
#define WALKER_GRAVITY 9.81f
#define WALKER_JUMP 4.5f
#define WALKER_FALL_MAX 20.0f
/* How far out of a wall it may have to go beyond its own movement, m. */
#define WALKER_REACH 1.0f

typedef struct walker {
    clash_pose feet; /* where it stands */
    float rise;      /* m/s, upwards */
    bool on_ground;
} walker;

typedef struct walker_wish {
    float x, z; /* m/s */
    bool jump;
} walker_wish;

/** What meets walls, in the frame of its feet. */
static const clash_capsule walker_body = {
    {0.0f, WALKER_STEP + WALKER_RADIUS, 0.0f}, {0.0f, WALKER_HEIGHT - WALKER_RADIUS, 0.0f}, WALKER_RADIUS};

/** Return how far the ground is below the feet, at most `most`; negative if it is above them. Return false if there is
 *  none. */
static inline bool walker_ground(const clash_pose *feet, const clash_obstacle *scene, size_t count, float most,
                                 float *out_below)
{
    const float start = walker_body.base.y;
    const clash_vec3 from = clash_vec3_add(feet->position, walker_body.base), down = {0.0f, -1.0f, 0.0f};
    double nearest = (double)(start + most);
    bool found = false;
    clash_ray_hit hit;

    for (size_t i = 0; i < count; i++) {
        if (clash_ray_shape(from, down, nearest, &scene[i].shape, &scene[i].pose, &hit) != 1)
            continue;
        nearest = hit.parameter;
        found = true;
    }
    *out_below = (float)nearest - start;
    return found;
}

/** Move by a vector as far as walls allow. */
static inline clash_push_result walker_move(clash_pose *feet, clash_vec3 by, const clash_obstacle *scene, size_t count)
{
    clash_push_input in = clash_push_input_default();
    clash_push_output to;
    clash_push_result result;

    in.capsules = &walker_body;
    in.capsule_count = 1;
    in.from = feet;
    in.pose = (clash_pose){feet->orientation, clash_vec3_add(feet->position, by)};
    in.obstacles = scene;
    in.obstacle_count = count;
    in.reach = WALKER_REACH + clash_vec3_length(by);
    result = clash_push_out(&in, &to);
    if (result == CLASH_PUSH_FREE || result == CLASH_PUSH_MOVED)
        *feet = to.pose;
    return result;
}

/** Move, and set the feet on the ground if it is above them, or on landing or walking down a step. Return false, and
 *  change nothing, if there is no room to stand on what the feet entered. */
static inline bool walker_try(walker *w, clash_vec3 by, bool walks, const clash_obstacle *scene, size_t count)
{
    const float wanted = w->feet.position.y + by.y;
    walker after = *w;
    float below;

    walker_move(&after.feet, by, scene, count);
    if (after.rise > 0.0f && after.feet.position.y < wanted - 1e-3f)
        after.rise = 0.0f; /* its head met something */
    after.on_ground = false;
    if (walker_ground(&after.feet, scene, count, walks ? WALKER_STEP : 0.0f, &below) &&
        (below < 0.0f || after.rise <= 0.0f)) {
        if (walker_move(&after.feet, (clash_vec3){0.0f, -below, 0.0f}, scene, count) == CLASH_PUSH_FREE)
            after.on_ground = after.rise <= 0.0f;
        else if (below < 0.0f)
            return false;
    }
    if (after.on_ground)
        after.rise = 0.0f;
    *w = after;
    return true;
}

/** A frame of `seconds`. */
static inline void walker_step(walker *w, walker_wish wish, float seconds, const clash_obstacle *scene, size_t count)
{
    const bool jumps = w->on_ground && wish.jump, walks = w->on_ground && !jumps;
    clash_vec3 by = {wish.x * seconds, 0.0f, wish.z * seconds};

    if (jumps)
        w->rise = WALKER_JUMP;
    if (!walks) {
        w->rise -= WALKER_GRAVITY * seconds;
        w->rise = w->rise < -WALKER_FALL_MAX ? -WALKER_FALL_MAX : w->rise;
        by.y = w->rise * seconds;
    }
    if (walker_try(w, by, walks, scene, count) || walker_try(w, (clash_vec3){0.0f, by.y, 0.0f}, walks, scene, count))
        return;
    w->rise = 0.0f;
    w->on_ground = walks;
}

#endif
