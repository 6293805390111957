/* Bullet's btContinuousConvexCollision between capsules. It turns a shape about its frame's origin, and a btCapsuleShape
 * is centred there: so the shape is a segment that lies where the blade lies from the grip, with the radius as its margin,
 * which is what btCapsuleShape is in its middle. */
#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <LinearMath/btAlignedObjectArray.h>

#include <new>
#include <vector>

#include "contenders.h"

namespace
{

btVector3 vec_of(clash_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

btTransform transform_of(const clash_pose &pose)
{
    const clash_quat &q = pose.orientation;

    return btTransform(btQuaternion(q.x, q.y, q.z, q.w).normalized(), vec_of(pose.position));
}

class Blade final : public btConvexInternalShape
{
  public:
    explicit Blade(const clash_capsule &c) : base(vec_of(c.base)), tip(vec_of(c.tip))
    {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
        m_collisionMargin = c.radius;
    }

    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &direction) const override
    {
        return direction.dot(base) > direction.dot(tip) ? base : tip;
    }

    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3 *directions, btVector3 *out_vertices,
                                                           int count) const override
    {
        for (int i = 0; i < count; i++)
            out_vertices[i] = localGetSupportingVertexWithoutMargin(directions[i]);
    }

    void getAabb(const btTransform &transform, btVector3 &out_min, btVector3 &out_max) const override
    {
        btVector3 p = transform * base, q = transform * tip, margin(getMargin(), getMargin(), getMargin());

        out_min = p;
        out_min.setMin(q);
        out_min -= margin;
        out_max = p;
        out_max.setMax(q);
        out_max += margin;
    }

    void calculateLocalInertia(btScalar, btVector3 &out_inertia) const override
    {
        out_inertia.setZero();
    }

    const char *getName() const override
    {
        return "Blade";
    }

  private:
    btVector3 base, tip;
};

using Blades = btAlignedObjectArray<Blade>;

void *prepare(const query_set *set)
{
    Blades *blades = new (std::nothrow) Blades;

    if (!blades)
        return nullptr;
    blades->reserve(static_cast<int>(2 * set->count));
    for (size_t i = 0; i < 2 * set->count; i++)
        blades->push_back(Blade(set->bodies[i].shape));
    return blades;
}

void run(const query_set *set, void *prepared, size_t from, size_t count, double *out_answers)
{
    const Blades &blades = *static_cast<Blades *>(prepared);
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;

    for (size_t i = from; i < from + count; i++) {
        const clash_motion &a = set->bodies[2 * i].motion, &b = set->bodies[2 * i + 1].motion;
        int at = static_cast<int>(2 * i);
        btContinuousConvexCollision cast(&blades[at], &blades[at + 1], &simplex, &depth);
        btConvexCast::CastResult result;
        bool hit = cast.calcTimeOfImpact(transform_of(a.from), transform_of(a.to), transform_of(b.from),
                                         transform_of(b.to), result);

        out_answers[i] = hit ? static_cast<double>(result.m_fraction) : -1;
    }
}

void release(void *prepared)
{
    delete static_cast<Blades *>(prepared);
}

} // namespace

extern "C" const contender contender_bullet = {
    "bullet", "Bullet 3.24 ContinuousConvexCollision, about the grip", true, false, false, 0, prepare, run, nullptr,
    release};
