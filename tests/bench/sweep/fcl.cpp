/* FCL's conservative advancement between capsules. Its motion has to turn about the grip, and only the constructor that
 * takes rotations, translations and a reference point does that: the others leave the point uninitialised. A capsule of
 * FCL is centred on its frame's z axis, so the frame is the blade's middle and the grip lies beside it. */
#include <fcl/geometry/shape/capsule.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/narrowphase/continuous_collision.h>

#include <new>
#include <vector>

#include "contenders.h"

namespace
{

using Vec = fcl::Vector3d;
using Rotation = fcl::Matrix3d;

Vec vec_of(clash_vec3 v)
{
    return Vec(v.x, v.y, v.z);
}

Rotation rotation_of(clash_quat q)
{
    return fcl::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
}

/** What does not change from frame to frame. */
struct Blade {
    explicit Blade(const clash_capsule &c)
        : middle((vec_of(c.base) + vec_of(c.tip)) / 2),
          turn(fcl::Quaterniond::FromTwoVectors(Vec::UnitZ(), axis(c)).toRotationMatrix()),
          grip(-(turn.transpose() * middle)), capsule(c.radius, (vec_of(c.tip) - vec_of(c.base)).norm())
    {
        capsule.computeLocalAABB();
    }

    static Vec axis(const clash_capsule &c)
    {
        Vec v = vec_of(c.tip) - vec_of(c.base);

        return v.squaredNorm() > 0 ? v : Vec(Vec::UnitZ());
    }

    fcl::InterpMotion<double> motion(const clash_motion &m) const
    {
        Rotation from = rotation_of(m.from.orientation), to = rotation_of(m.to.orientation);

        return fcl::InterpMotion<double>(from * turn, vec_of(m.from.position) + from * middle, to * turn,
                                         vec_of(m.to.position) + to * middle, grip);
    }

    Vec middle;
    Rotation turn;
    Vec grip;
    fcl::Capsuled capsule;
};

using Blades = std::vector<Blade>;

void *prepare(const query_set *set)
{
    Blades *blades = new (std::nothrow) Blades;

    if (!blades)
        return nullptr;
    blades->reserve(2 * set->count);
    for (size_t i = 0; i < 2 * set->count; i++)
        blades->emplace_back(set->bodies[i].shape);
    return blades;
}

void run(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    const Blades &blades = *static_cast<Blades *>(prepared);
    fcl::ContinuousCollisionRequestd request;

    request.ccd_solver_type = fcl::CCDC_CONSERVATIVE_ADVANCEMENT;
    request.gjk_solver_type = fcl::GST_LIBCCD;
    for (size_t i = from; i < from + count; i++) {
        const Blade &a = blades[2 * i], &b = blades[2 * i + 1];
        fcl::InterpMotion<double> motion_a = a.motion(set->bodies[2 * i].motion);
        fcl::InterpMotion<double> motion_b = b.motion(set->bodies[2 * i + 1].motion);
        fcl::ContinuousCollisionResultd result;

        fcl::continuousCollide<double>(&a.capsule, &motion_a, &b.capsule, &motion_b, request, result);
        out_answers[i] = result.is_collide ? result.time_of_contact : -1;
    }
}

void release(void *prepared)
{
    delete static_cast<Blades *>(prepared);
}

} // namespace

extern "C" const contender contender_fcl = {"fcl",   "FCL 0.7 conservative advancement, InterpMotion about the grip",
                                            true,    false,
                                            false,   0,
                                            prepare, run,
                                            nullptr, release};
