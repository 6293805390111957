// A spark for every clash: put it beside a ClashdReceiver and give it a prefab, such as a particle system that plays once.
using Clashd;
using UnityEngine;

[RequireComponent(typeof(ClashdReceiver))]
public sealed class SparkSpawner : MonoBehaviour
{
    public GameObject sparks;
    public float secondsToLive = 1f;

    private ClashdReceiver _receiver;

    private void OnEnable()
    {
        _receiver = GetComponent<ClashdReceiver>();
        _receiver.Clash += Spawn;
    }

    private void OnDisable()
    {
        _receiver.Clash -= Spawn;
    }

    /// <summary>Events come just before the frame is drawn, when Unity has moved its particles already: without this the first ones would be
    /// seen a frame late.</summary>
    private static void Begin(GameObject spark)
    {
        foreach (ParticleSystem particles in spark.GetComponentsInChildren<ParticleSystem>())
        {
            particles.Simulate(Time.deltaTime, false, true);
            particles.Play(false);
        }
    }

    private void Spawn(ClashdEvent clash)
    {
        if (clash.Resumed) // after a teleport: nothing has struck
            return;
        // Away from what is struck, or along the line of two blades.
        Vector3 across = _receiver.ToWorldDirection(clash.HasTarget ? clash.SurfaceNormal : clash.Normal);
        GameObject spark = Instantiate(sparks, _receiver.ToWorld(clash.Midpoint), Quaternion.LookRotation(across));

        spark.transform.localScale *= 0.25f + 0.75f * clash.Intensity;
        Begin(spark);
        Destroy(spark, secondsToLive);
    }
}
