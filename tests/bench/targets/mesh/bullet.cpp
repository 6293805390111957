// Bullet's way: a triangle mesh with its own tree in a world, and a capsule cast through it.
#include "bench.h"

#include <btBulletCollisionCommon.h>

struct bullet_mesh {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    btTriangleIndexVertexArray triangles;
    btBvhTriangleMeshShape *shape = nullptr;
    btCollisionObject object;
};

extern "C" bullet_mesh *bullet_mesh_create(const bench_mesh *mesh)
{
    bullet_mesh *b = new bullet_mesh;
    btIndexedMesh part;

    part.m_numTriangles = (int)mesh->count;
    part.m_triangleIndexBase = (const unsigned char *)mesh->triangles;
    part.m_triangleIndexStride = sizeof *mesh->triangles;
    part.m_numVertices = (int)mesh->vertex_count;
    part.m_vertexBase = (const unsigned char *)mesh->vertices;
    part.m_vertexStride = sizeof *mesh->vertices;
    part.m_vertexType = PHY_FLOAT;
    b->triangles.addIndexedMesh(part);
    b->shape = new btBvhTriangleMeshShape(&b->triangles, true);
    b->object.setCollisionShape(b->shape);
    b->world.addCollisionObject(&b->object);
    return b;
}

extern "C" void bullet_mesh_destroy(bullet_mesh *b)
{
    b->world.removeCollisionObject(&b->object);
    delete b->shape;
    delete b;
}

// Its capsule lies along y about its middle, ours along the blade from base to tip.
static btTransform middle_of(const clash_body *blade, const clash_pose *pose)
{
    const clash_capsule *s = &blade->shape;
    btVector3 base(s->base.x, s->base.y, s->base.z), tip(s->tip.x, s->tip.y, s->tip.z);
    btQuaternion turn(pose->orientation.x, pose->orientation.y, pose->orientation.z, pose->orientation.w);
    btTransform stage(turn, btVector3(pose->position.x, pose->position.y, pose->position.z));
    btVector3 along = (tip - base).normalized();

    return stage * btTransform(shortestArcQuat(btVector3(0, 1, 0), along), (base + tip) * 0.5f);
}

extern "C" bool bullet_mesh_sweep(bullet_mesh *b, const clash_body *blade, double *out_fraction)
{
    const clash_capsule *s = &blade->shape;
    btVector3 axis(s->tip.x - s->base.x, s->tip.y - s->base.y, s->tip.z - s->base.z);
    btCapsuleShape capsule(s->radius, axis.length());
    btTransform from = middle_of(blade, &blade->motion.from), to = middle_of(blade, &blade->motion.to);
    btCollisionWorld::ClosestConvexResultCallback result(from.getOrigin(), to.getOrigin());

    b->world.convexSweepTest(&capsule, from, to, result);
    *out_fraction = (double)result.m_closestHitFraction;
    return result.hasHit();
}
