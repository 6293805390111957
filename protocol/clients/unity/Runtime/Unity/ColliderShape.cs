// A collider of the scene as the core says it: the numbers of its inspector, or a mesh's corners. clashd applies Unity's rules
// of scale and skew.
using System;
using System.Collections.Generic;
using UnityEngine;

namespace Clashd
{
    internal static class ColliderShape
    {
        /// <summary>ArgumentException where clashd has nothing like it.</summary>
        internal static UnityCollider Of(Collider collider)
        {
            if (collider is SphereCollider)
                return OfSphere((SphereCollider)collider);
            if (collider is BoxCollider)
                return OfBox((BoxCollider)collider);
            if (collider is CapsuleCollider)
                return OfCapsule((CapsuleCollider)collider);
            if (collider is MeshCollider)
                return OfMeshCollider((MeshCollider)collider);
            throw new ArgumentException("a " + collider.GetType().Name + " cannot be one: a sphere, box, capsule, mesh or terrain can");
        }

        private static UnityCollider OfSphere(SphereCollider c)
        {
            return new UnityCollider
            {
                Type = UnityColliderType.Sphere, Center = Conversions.ToVec3(c.center), Radius = c.radius
            };
        }

        private static UnityCollider OfBox(BoxCollider c)
        {
            return new UnityCollider
            {
                Type = UnityColliderType.Box, Center = Conversions.ToVec3(c.center), Size = Conversions.ToVec3(c.size)
            };
        }

        private static UnityCollider OfCapsule(CapsuleCollider c)
        {
            return new UnityCollider
            {
                Type = UnityColliderType.Capsule, Center = Conversions.ToVec3(c.center), Radius = c.radius, Height = c.height,
                Direction = c.direction
            };
        }

        private static UnityCollider OfMeshCollider(MeshCollider c)
        {
            MeshForm mesh = OfMesh(c.sharedMesh);

            mesh.Convex = c.convex;
            if (mesh.Convex) /* the hull has its own */
                mesh.Triangles = null;
            return new UnityCollider { Type = UnityColliderType.Mesh, Mesh = mesh };
        }

        /// <summary>Corners at one place, which a picture's seams need, become one: so more fits. Triangles keep their
        /// numbers.</summary>
        private static MeshForm OfMesh(Mesh mesh)
        {
            if (mesh == null)
                throw new ArgumentException("the mesh collider has no mesh");
            if (!mesh.isReadable)
                throw new ArgumentException("the mesh " + mesh.name + " cannot be read: tick Read/Write in its import settings");
            Vector3[] all = mesh.vertices;
            var vertices = new List<Vec3>();
            var known = new Dictionary<Vec3, int>();
            var number = new int[all.Length];
            for (int i = 0; i < all.Length; i++)
            {
                Vec3 corner = Conversions.ToVec3(all[i]);

                if (!known.TryGetValue(corner, out number[i]))
                {
                    known[corner] = number[i] = vertices.Count;
                    vertices.Add(corner);
                }
            }
            return new MeshForm
            {
                Vertices = vertices.ToArray(), Triangles = Array.ConvertAll(mesh.triangles, corner => number[corner])
            };
        }
    }
}
