// A duel to see it all without a headset: start `clashd --tcp 4717 --source none`, open the scene Duel, and play; or put this on an
// empty object of a scene of your own. Two swords swing at each other; where they meet sparks fly and it rings, as hard as they meet.
using Clashd;
using UnityEngine;

[RequireComponent(typeof(ClashdReceiver))]
public sealed class Duel : MonoBehaviour
{
    private const float Length = 1f, Thickness = 0.02f, Apart = 0.9f;
    private const int RingRate = 44100;

    [Tooltip("Strokes a second")]
    public float speed = 0.5f;

    [Tooltip("What flies where they meet; without one, small cubes")]
    public GameObject spark;

    private ClashdReceiver _receiver;
    private Transform _left, _right;
    private AudioClip _ring;

    private void Awake()
    {
        _left = MakeSword("left sword", -Apart / 2f);
        _right = MakeSword("right sword", Apart / 2f);
        _ring = MakeRing();
        if (Camera.main == null)
            return;
        Camera.main.transform.position = transform.TransformPoint(new Vector3(0f, 1f, -1.5f));
        Camera.main.transform.rotation = transform.rotation * Quaternion.Euler(25f, 0f, 0f);
    }

    private void OnEnable()
    {
        _receiver = GetComponent<ClashdReceiver>();
        _receiver.Clash += Strike;
    }

    private void OnDisable()
    {
        _receiver.Clash -= Strike;
    }

    /// <summary>Its blade is enabled once all is set.</summary>
    private Transform MakeSword(string title, float x)
    {
        var sword = new GameObject(title);
        GameObject steel = GameObject.CreatePrimitive(PrimitiveType.Cube);

        sword.SetActive(false);
        sword.transform.SetParent(transform, false);
        sword.transform.localPosition = new Vector3(x, 0f, 0f);
        Destroy(steel.GetComponent<Collider>());
        steel.transform.SetParent(sword.transform, false);
        steel.transform.localPosition = new Vector3(0f, 0f, Length / 2f);
        steel.transform.localScale = new Vector3(Thickness, Thickness * 2f, Length);
        var blade = sword.AddComponent<ClashdBlade>();
        blade.receiver = GetComponent<ClashdReceiver>();
        blade.bladeName = title;
        blade.hand = ClashdHand.None;
        blade.tip = new Vector3(0f, 0f, Length);
        blade.radius = Thickness;
        sword.SetActive(true);
        return sword.transform;
    }

    /// <summary>Half a second of three notes that fade.</summary>
    private static AudioClip MakeRing()
    {
        var samples = new float[RingRate / 2];
        AudioClip ring = AudioClip.Create("ring", samples.Length, 1, RingRate, false);

        for (int i = 0; i < samples.Length; i++)
        {
            float t = (float)i / RingRate;

            samples[i] = 0.3f * Mathf.Exp(-12f * t) * (Mathf.Sin(14700f * t) + Mathf.Sin(21300f * t) + Mathf.Sin(33100f * t));
        }
        ring.SetData(samples, 0);
        return ring;
    }

    private void Update()
    {
        float swing = Mathf.Sin(2f * Mathf.PI * speed * Time.time);

        _left.localRotation = Quaternion.Euler(0f, 20f + 30f * swing, 0f);
        _right.localRotation = Quaternion.Euler(0f, -20f - 25f * swing, 0f);
    }

    private void Strike(ClashdEvent clash)
    {
        Vector3 at = _receiver.ToWorld(clash.Midpoint);

        if (clash.Resumed) // after a teleport: nothing has struck
            return;
        AudioSource.PlayClipAtPoint(_ring, at, 0.2f + 0.8f * clash.Intensity);
        for (int i = 0; i < 4 + 12 * clash.Intensity; i++)
        {
            GameObject one = spark == null ? MakeCube(at) : Instantiate(spark, at, transform.rotation);
            Rigidbody body = one.GetComponent<Rigidbody>();

            if (body == null)
                body = one.AddComponent<Rigidbody>();
            body.AddForce(Random.onUnitSphere * (0.5f + 2f * clash.Intensity), ForceMode.VelocityChange);
            Destroy(one, 0.6f);
        }
    }

    private static GameObject MakeCube(Vector3 at)
    {
        GameObject cube = GameObject.CreatePrimitive(PrimitiveType.Cube);

        Destroy(cube.GetComponent<Collider>());
        cube.transform.position = at;
        cube.transform.localScale = new Vector3(0.01f, 0.01f, 0.01f);
        return cube;
    }
}
