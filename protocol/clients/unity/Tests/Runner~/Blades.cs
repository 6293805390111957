// Two blades that have every property there is, as tests/e2e/blade_test.py has them, in Unity's axes.
namespace Clashd.Tests
{
    internal static class Blades
    {
        internal static void Define(ClashdClient client)
        {
            client.DefineBlade(new BladeShape
            {
                Name = "rod", Device = "a/hand", IsBody = true, Hilt = new Vec3(0.25f, 0f, 0f), Tip = new Vec3(0.25f, 0.5f, 1f),
                Radius = 0.0625f, HasEdge = true, Edge = new Vec3(0.5f, -1f, 0f), Enabled = true, Layers = 5, Mask = 4294967293
            });
            client.DefineBlade(new BladeShape
            {
                Name = "sabre", Device = "b/hand", IsBody = true, Parts = new[]
                {
                    new BladePart
                    {
                        Name = "blade", Radius = 0.0625f, HasEdge = true, Edge = new Vec3(0f, -1f, -0.5f), Points = new[]
                        {
                            new Vec3(0f, 0f, 0.125f), new Vec3(0f, 0f, 0.5f), new Vec3(0f, 0.25f, 1f)
                        }
                    },
                    new BladePart
                    {
                        Name = "guard", Radius = 0.03125f, Points = new[]
                        {
                            new Vec3(-0.125f, 0f, 0.125f), new Vec3(0.125f, 0f, 0.125f)
                        }
                    }
                }
            });
        }
    }
}
