/* Bullet's btContinuousConvexCollision of a blade and a solid target. It turns a shape about its frame's origin, where its own
 * capsules and boxes are centred: so these shapes lie in their devices' frames, as corners with the radius as their margin,
 * which is what Bullet's own are in their middle. */
#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <LinearMath/btAlignedObjectArray.h>

#include <new>

#include "contender.h"

namespace
{

btVector3 vec_of(clash_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

btQuaternion quat_of(clash_quat q)
{
    return btQuaternion(q.x, q.y, q.z, q.w).normalized();
}

btTransform transform_of(const clash_pose &pose)
{
    return btTransform(quat_of(pose.orientation), vec_of(pose.position));
}

/** What lies around a middle as far as `half` along its own axes, and a margin about that: of a capsule one half is not 0,
 *  of a ball none. */
class Solid final : public btConvexInternalShape
{
  public:
    explicit Solid(const clash_capsule &c)
        : middle((vec_of(c.base) + vec_of(c.tip)) * btScalar(0.5)), axes(btMatrix3x3::getIdentity()), half(0, 0, 0),
          rod((vec_of(c.tip) - vec_of(c.base)) * btScalar(0.5))
    {
        become(c.radius);
    }

    explicit Solid(const clash_box &b)
        : middle(vec_of(b.center)), axes(quat_of(b.orientation)), half(vec_of(b.half)), rod(0, 0, 0)
    {
        become(0);
    }

    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &direction) const override
    {
        btVector3 own = direction * axes;
        btVector3 corner(btFsels(own.x(), half.x(), -half.x()), btFsels(own.y(), half.y(), -half.y()),
                         btFsels(own.z(), half.z(), -half.z()));

        return middle + axes * corner + (direction.dot(rod) < 0 ? -rod : rod);
    }

    void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3 *directions, btVector3 *out_vertices,
                                                           int count) const override
    {
        for (int i = 0; i < count; i++)
            out_vertices[i] = localGetSupportingVertexWithoutMargin(directions[i]);
    }

    void getAabb(const btTransform &transform, btVector3 &out_min, btVector3 &out_max) const override
    {
        btScalar reach = half.length() + rod.length() + getMargin();
        btVector3 at = transform * middle, around(reach, reach, reach);

        out_min = at - around;
        out_max = at + around;
    }

    void calculateLocalInertia(btScalar, btVector3 &out_inertia) const override
    {
        out_inertia.setZero();
    }

    const char *getName() const override
    {
        return "Solid";
    }

  private:
    void become(btScalar margin)
    {
        m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
        m_collisionMargin = margin;
    }

    btVector3 middle;
    btMatrix3x3 axes;
    btVector3 half, rod;
};

using Solids = btAlignedObjectArray<Solid>;

Solid solid_of(const clash_shape &s)
{
    if (s.kind == CLASH_SHAPE_BOX)
        return Solid(s.as.box);
    if (s.kind == CLASH_SHAPE_CAPSULE)
        return Solid(s.as.capsule);
    return Solid(clash_capsule{s.as.sphere.center, s.as.sphere.center, s.as.sphere.radius});
}

void *prepare(const bench_query *queries, size_t count)
{
    Solids *solids = new (std::nothrow) Solids;

    if (!solids)
        return nullptr;
    solids->reserve(static_cast<int>(2 * count));
    for (size_t i = 0; i < count; i++) {
        solids->push_back(Solid(queries[i].blade.shape));
        solids->push_back(solid_of(queries[i].target.shape));
    }
    return solids;
}

void run(const bench_query *queries, void *prepared, size_t count, double *out_answers)
{
    const Solids &solids = *static_cast<Solids *>(prepared);
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;

    for (size_t i = 0; i < count; i++) {
        const clash_motion &a = queries[i].blade.motion, &b = queries[i].target.motion;
        int at = static_cast<int>(2 * i);
        btContinuousConvexCollision cast(&solids[at], &solids[at + 1], &simplex, &depth);
        btConvexCast::CastResult result;
        bool hit = cast.calcTimeOfImpact(transform_of(a.from), transform_of(a.to), transform_of(b.from),
                                         transform_of(b.to), result);

        out_answers[i] = hit ? static_cast<double>(result.m_fraction) : -1;
    }
}

void release(void *prepared)
{
    delete static_cast<Solids *>(prepared);
}

} // namespace

extern "C" const contender contender_bullet = {"Bullet 3.24", prepare, run, release};
