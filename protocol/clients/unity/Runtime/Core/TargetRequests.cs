// A target's definition as a line: the only code here that knows the field names of its forms. See PROTOCOL.md.
namespace Clashd
{
    internal static class TargetRequests
    {
        /// <summary>Of a target's definition the request's id is this and the target's name.</summary>
        internal const string Id = "target ";

        private static readonly string[] Types = { "sphere", "box", "capsule", "mesh" };

        internal static void Define(LineWriter line, TargetShape target, string axes)
        {
            line.Raw("{\"type\":\"target\",\"id\":").Text(Id + target.Name).Raw(",\"name\":").Text(target.Name);
            if (target.DeviceName() != null)
                line.Raw(",\"device\":").Text(target.DeviceName());
            if (target.Collider != null)
                Collider(line, target.Collider);
            else
                Form(line.Raw(",\"position\":").Vector(target.Position).Raw(",\"orientation\":").Quaternion(target.Orientation),
                     target);
            if (target.Layers != 1)
                line.Raw(",\"layers\":").Integer(target.Layers);
            if (target.Mask != uint.MaxValue)
                line.Raw(",\"mask\":").Integer(target.Mask);
            line.Raw(",\"axes\":").Text(axes).Raw("}\n");
        }

        private static void Form(LineWriter line, TargetShape target)
        {
            if (target.Ball != null)
                line.Raw(",\"sphere\":{\"center\":").Vector(target.Ball.Center).Raw(",\"radius\":").Number(target.Ball.Radius);
            else if (target.Capsule != null)
                line.Raw(",\"capsule\":{\"base\":").Vector(target.Capsule.Base).Raw(",\"tip\":").Vector(target.Capsule.Tip)
                    .Raw(",\"radius\":").Number(target.Capsule.Radius);
            else if (target.Box != null)
                line.Raw(",\"box\":{\"center\":").Vector(target.Box.Center).Raw(",\"orientation\":")
                    .Quaternion(target.Box.Orientation).Raw(",\"size\":").Vector(target.Box.Size);
            else if (target.Mesh != null)
                Mesh(line.Raw(",\"mesh\":{"), target.Mesh);
            else
                Terrain(line.Raw(",\"terrain\":{"), target.Terrain);
            line.Raw("}");
        }

        private static void Mesh(LineWriter line, MeshForm mesh)
        {
            line.Raw("\"vertices\":[");
            for (int i = 0; i < mesh.Vertices.Length; i++)
                line.Raw(i > 0 ? "," : "").Vector(mesh.Vertices[i]);
            line.Raw(mesh.Convex ? "],\"convex\":true" : "]");
            if (mesh.Triangles == null || mesh.Triangles.Length == 0)
                return;
            line.Raw(",\"triangles\":[");
            for (int i = 0; i < mesh.Triangles.Length; i++)
            {
                line.Raw(i % 3 > 0 ? "," : i > 0 ? "],[" : "[").Integer(mesh.Triangles[i]);
            }
            line.Raw("]]");
        }

        private static void Terrain(LineWriter line, TerrainForm terrain)
        {
            line.Raw("\"columns\":").Integer(terrain.Columns).Raw(",\"rows\":").Integer(terrain.Rows);
            line.Raw(",\"spacing\":[").Number(terrain.SpacingX).Raw(",").Number(terrain.SpacingZ).Raw("],\"heights\":[");
            for (int i = 0; i < terrain.Heights.Length; i++)
                line.Raw(i > 0 ? "," : "").Number(terrain.Heights[i]);
            line.Raw("]");
        }

        private static void Collider(LineWriter line, UnityCollider collider)
        {
            line.Raw(",\"unity_collider\":{\"type\":").Text(Types[(int)collider.Type]);
            if (collider.Type == UnityColliderType.Mesh)
                Mesh(line.Raw(","), collider.Mesh);
            else
                line.Raw(",\"center\":").Vector(collider.Center);
            if (collider.Type == UnityColliderType.Box)
                line.Raw(",\"size\":").Vector(collider.Size);
            if (collider.Type == UnityColliderType.Sphere || collider.Type == UnityColliderType.Capsule)
                line.Raw(",\"radius\":").Number(collider.Radius);
            if (collider.Type == UnityColliderType.Sphere && collider.SphereRule == UnitySphereRule.Column)
                line.Raw(",\"sphere_rule\":\"column\"");
            if (collider.Type == UnityColliderType.Capsule)
                line.Raw(",\"height\":").Number(collider.Height).Raw(",\"direction\":").Integer(collider.Direction);
            line.Raw(",\"transforms\":[");
            for (int i = 0; i < collider.Transforms.Length; i++)
            {
                LocalTransform t = collider.Transforms[i];

                line.Raw(i > 0 ? ",{\"position\":" : "{\"position\":").Vector(t.Position);
                line.Raw(",\"rotation\":").Quaternion(t.Rotation).Raw(",\"scale\":").Vector(t.Scale).Raw("}");
            }
            line.Raw("]}");
        }
    }
}
