/* Push-out as most tests ask for it: capsules at a pose, obstacles, a reach. Only builds the input. */
#ifndef CLASHD_TESTS_PUSH_H
#define CLASHD_TESTS_PUSH_H

#include <clash/push_out.h>

static inline clash_push_input push_input(const clash_capsule *capsules, size_t capsule_count, const clash_pose *pose,
                                          const clash_obstacle *obstacles, size_t obstacle_count, float reach)
{
    clash_push_input in = clash_push_input_default();

    in.capsules = capsules;
    in.capsule_count = capsule_count;
    in.pose = *pose;
    in.obstacles = obstacles;
    in.obstacle_count = obstacle_count;
    in.reach = reach;
    return in;
}

/** Not inline, because the caller may leave the output uninitialised. */
__attribute__((noinline, unused)) static clash_push_result push_asked(const clash_push_input *in, clash_pose *out_pose)
{
    clash_push_output out;
    clash_push_result result = clash_push_out(in, &out);

    if (result != CLASH_PUSH_INVALID)
        *out_pose = out.pose;
    return result;
}

static inline clash_push_result push_pose(const clash_capsule *capsules, size_t capsule_count, const clash_pose *pose,
                                          const clash_obstacle *obstacles, size_t obstacle_count, float reach,
                                          clash_pose *out_pose)
{
    clash_push_input in = push_input(capsules, capsule_count, pose, obstacles, obstacle_count, reach);

    return push_asked(&in, out_pose);
}

static inline clash_push_result push_pose_from(const clash_capsule *capsules, size_t capsule_count,
                                               const clash_pose *from, const clash_pose *pose,
                                               const clash_obstacle *obstacles, size_t obstacle_count, float reach,
                                               clash_pose *out_pose)
{
    clash_push_input in = push_input(capsules, capsule_count, pose, obstacles, obstacle_count, reach);

    in.from = from;
    return push_asked(&in, out_pose);
}

/** For at most *work; what is left of it is written back. */
__attribute__((noinline, unused)) static clash_push_result push_pose_for(const clash_capsule *capsules,
                                                                         size_t capsule_count, const clash_pose *pose,
                                                                         const clash_obstacle *obstacles,
                                                                         size_t obstacle_count, float reach,
                                                                         uint32_t *work, clash_pose *out_pose)
{
    clash_push_input in = push_input(capsules, capsule_count, pose, obstacles, obstacle_count, reach);
    clash_push_output out = {*pose, 0};
    clash_push_result result;

    in.work = *work;
    result = clash_push_out(&in, &out);
    if (result == CLASH_PUSH_INVALID)
        return result;
    *out_pose = out.pose;
    *work -= out.work;
    return result;
}

#endif
