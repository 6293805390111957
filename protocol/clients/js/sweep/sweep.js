/* libclash in JavaScript, as WebAssembly: the same sweep as clashd's, with the same bits. README.md beside this says how to use it,
 * sweep.d.ts what comes in and goes out. */

const RESULTS = ["apart", "hit", "overlap", "invalid"], HIT = 1, OVERLAP = 2;
/* A module that has a vector in it: what cannot run sweep-simd.wasm does not take it. */
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
const KINDS = {sphere: 0, capsule: 1, box: 2};
const MESH = 3;
const CONTACT = 16, IMPACT = CONTACT + 6, CHANGE = IMPACT + 2, BODY = 21;
const PARTS_MAX = 16;
const BATCH_MAX = 2 ** 24;

/** An object's number, array of numbers, .. by its name, or a TypeError that says which is missing. */
function need(value, name, what) {
  if (value === undefined || value === null) throw new TypeError(`${name} is missing: ${what} expected`);
  return value;
}

/* A vector or quaternion of three.js, a DOMPointReadOnly of WebXR. */
function unwrapped(value, count) {
  if (value === null || typeof value !== "object" || !("x" in value)) return value;
  return count === 4 ? [value.x, value.y, value.z, value.w] : [value.x, value.y, value.z];
}

function numbers(given, count, name) {
  const value = unwrapped(given, count);
  const ok = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!ok || value.length !== count) throw new TypeError(`${name}: ${count} numbers expected, or ${count === 4 ? "{x, y, z, w}" : "{x, y, z}"}`);
  for (let i = 0; i < count; i++)
    if (typeof value[i] !== "number") throw new TypeError(`${name}[${i}]: a number expected`);
  return value;
}

function number(value, name) {
  if (typeof value !== "number") throw new TypeError(`${name}: a number expected`);
  return value;
}

function putCapsule(view, at, capsule, name) {
  view.set(numbers(capsule.base, 3, `${name}.base`), at);
  view.set(numbers(capsule.tip, 3, `${name}.tip`), at + 3);
  view[at + 6] = number(need(capsule.radius, `${name}.radius`, "metres"), `${name}.radius`);
}

function putPose(view, at, pose, name) {
  need(pose, name, "{orientation, position}");
  view.set(numbers(pose.orientation, 4, `${name}.orientation`), at);
  view.set(numbers(pose.position, 3, `${name}.position`), at + 4);
}

function contactOf(d, at) {
  return {
    fraction: d[at],
    distance: d[at + 1],
    midpoint: [...d.subarray(at + 2, at + 5)],
    points: [[...d.subarray(at + 5, at + 8)], [...d.subarray(at + 8, at + 11)]],
    normal: [...d.subarray(at + 11, at + 14)],
    along: [...d.subarray(at + 14, at + 16)],
  };
}

function impactOf(d, at) {
  const impact = contactOf(d, at);
  const triangle = d[at + CONTACT + 3];
  impact.surfaceNormal = [...d.subarray(at + CONTACT, at + CONTACT + 3)];
  if (triangle >= 0) impact.triangle = triangle;
  impact.parts = [...d.subarray(at + CONTACT + 4, at + CONTACT + 6)];
  return impact;
}

/** What reads and writes the module's memory. Views are made anew, because memory that grows is another buffer. */
class Sweep {
  #x;
  #batch = null;
  #freed = typeof FinalizationRegistry === "undefined" ? null : new FinalizationRegistry((free) => free());

  constructor(instance) {
    this.#x = instance.exports;
    this.#x._initialize?.();
  }

  #floats(at, count) {
    return new Float32Array(this.#x.memory.buffer, at, count);
  }

  #out(count) {
    return new Float64Array(this.#x.memory.buffer, this.#x.clash_out(), count);
  }

  #putCapsules(i, capsules, name) {
    if (capsules.length < 1 || capsules.length > PARTS_MAX)
      throw new RangeError(`${name}.capsules: 1 to ${PARTS_MAX} expected, not ${capsules.length}`);
    const view = this.#floats(this.#x.clash_side_capsules(i, capsules.length), 7 * capsules.length);
    capsules.forEach((capsule, k) => putCapsule(view, 7 * k, capsule, `${name}.capsules[${k}]`));
  }

  #putShape(i, shape, name) {
    if (shape instanceof Mesh) {
      this.#x.clash_side_shape(i, MESH, shape._at(this.#x));
      return;
    }
    const kind = Object.keys(KINDS).find((kind) => kind in shape);
    if (kind === undefined) throw new TypeError(`${name}.shape: sphere, capsule or box expected, or a mesh`);
    const view = this.#floats(this.#x.clash_side_shape(i, KINDS[kind], 0), 10), own = shape[kind];
    const of = `${name}.shape.${kind}`;
    if (kind === "capsule") return putCapsule(view, 0, own, of);
    view.set(numbers(own.center, 3, `${of}.center`), 0);
    if (kind === "sphere") view[3] = number(need(own.radius, `${of}.radius`, "metres"), `${of}.radius`);
    else {
      view.set(numbers(own.orientation ?? [0, 0, 0, 1], 4, `${of}.orientation`), 3);
      view.set(numbers(own.half, 3, `${of}.half`), 7);
    }
  }

  #put(i, body, name) {
    need(body, name, "a moving body");
    if (body.capsules) this.#putCapsules(i, body.capsules, name);
    else if (body.shape && i === 1) this.#putShape(i, body.shape, name);
    else if (body.shape) throw new TypeError(`${name}.shape: only the second body may be a shape`);
    else this.#putCapsules(i, [body], name);
    const view = this.#floats(this.#x.clash_side_motion(i), 14);
    putPose(view, 0, body.from, `${name}.from`);
    putPose(view, 7, body.to ?? body.from, `${name}.to`);
    const [from, to] = body.span ?? [0, 1];
    this.#x.clash_side_span(i, number(from, `${name}.span[0]`), number(to, `${name}.span[1]`));
  }

  #invalid() {
    return new RangeError("the sweep takes finite numbers that fit into a float, quaternions that are not zero, radii and " +
                          "margins that are not negative, and spans within 0..1");
  }

  timeOfImpact(a, b, {margin = 0} = {}) {
    this.#put(0, a, "a");
    this.#put(1, b, "b");
    const result = RESULTS[this.#x.clash_impact(number(margin, "margin"))];
    if (result === "invalid") throw this.#invalid();
    return result === "apart" ? null : {result, ...impactOf(this.#out(IMPACT), 0)};
  }

  contactAt(a, b, fraction, {margin = 0} = {}) {
    this.#put(0, a, "a");
    this.#put(1, b, "b");
    const result = RESULTS[this.#x.clash_at(number(margin, "margin"), number(fraction, "fraction"))];
    if (result === "invalid") throw this.#invalid();
    return {touching: result === "overlap", ...impactOf(this.#out(IMPACT), 0)};
  }

  poseAt(motion, fraction) {
    const view = this.#floats(this.#x.clash_side_motion(0), 14);
    putPose(view, 0, motion.from, "motion.from");
    putPose(view, 7, motion.to, "motion.to");
    if (!(number(fraction, "fraction") >= 0 && fraction <= 1)) throw new RangeError("fraction: 0 to 1 expected");
    this.#x.clash_pose_at(fraction);
    const d = this.#out(7);
    return {orientation: [...d.subarray(0, 4)], position: [...d.subarray(4, 7)]};
  }

  /* Room for a batch, and views of it, which are kept: they are made anew only when it or the memory grows. */
  #room(bodyCount, pairCount) {
    const x = this.#x, old = this.#batch;
    if (old && old.bodyCount >= bodyCount && old.pairCount >= pairCount && old.buffer === x.memory.buffer) return old;
    const bodiesRoom = Math.max(bodyCount, old?.bodyCount ?? 1), pairsRoom = Math.max(pairCount, old?.pairCount ?? 1);
    const fits = old && old.bodyCount >= bodyCount && old.pairCount >= pairCount;
    this.#batch = null;
    if (!fits && x.clash_batch_reserve(bodiesRoom, pairsRoom) !== 0)
      throw new RangeError(`no memory for ${bodyCount} bodies and ${pairCount} pairs`);
    this.#batch = {
      bodyCount: bodiesRoom, pairCount: pairsRoom, buffer: x.memory.buffer,
      bodies: this.#floats(x.clash_batch_bodies(), BODY * bodiesRoom),
      pairs: new Uint32Array(x.memory.buffer, x.clash_batch_pairs(), 2 * pairsRoom),
      results: new Uint32Array(x.memory.buffer, x.clash_batch_results(), pairsRoom),
      contact: this.#out(CONTACT),
    };
    return this.#batch;
  }

  #checkPairs(bodies, pairs) {
    const bodyCount = bodies.length / BODY, pairCount = pairs.length / 2;
    if (!(bodies instanceof Float32Array) || !Number.isInteger(bodyCount))
      throw new TypeError(`bodies: a Float32Array of ${BODY} numbers each expected`);
    if (!(pairs instanceof Uint32Array) || !Number.isInteger(pairCount))
      throw new TypeError("pairs: a Uint32Array of two indices each expected");
    if (bodyCount > BATCH_MAX || pairCount > BATCH_MAX) throw new RangeError(`at most ${BATCH_MAX} bodies and pairs`);
    for (let i = 0; i < pairs.length; i++)
      if (pairs[i] >= bodyCount) throw new RangeError(`pairs[${i}]: there is no body ${pairs[i]} of ${bodyCount}`);
  }

  #sweepBatch(bodies, pairs) {
    this.#checkPairs(bodies, pairs);
    const room = this.#room(bodies.length / BODY, pairs.length / 2);
    room.bodies.set(bodies);
    room.pairs.set(pairs);
    this.#x.clash_batch_sweep(pairs.length / 2);
    return room;
  }

  sweepPairsInto(bodies, pairs, results, contacts) {
    const pairCount = pairs.length / 2;
    if (!(results instanceof Uint8Array) || results.length < pairCount)
      throw new TypeError("results: a Uint8Array of a number a pair expected");
    if (!(contacts instanceof Float64Array) || contacts.length < CONTACT * pairCount)
      throw new TypeError(`contacts: a Float64Array of ${CONTACT} numbers a pair expected`);
    const room = this.#sweepBatch(bodies, pairs);
    let touching = 0;
    for (let i = 0; i < pairCount; i++) {
      const code = results[i] = room.results[i];
      if (code !== HIT && code !== OVERLAP) continue;
      touching++;
      this.#x.clash_batch_contact(i);
      for (let k = 0; k < CONTACT; k++) contacts[CONTACT * i + k] = room.contact[k];
    }
    return touching;
  }

  sweepPairs(bodies, pairs) {
    const room = this.#sweepBatch(bodies, pairs);
    return Array.from(room.results.subarray(0, pairs.length / 2), (code, i) => {
      if (RESULTS[code] === "invalid") return {result: "invalid"};
      if (RESULTS[code] === "apart") return null;
      this.#x.clash_batch_contact(i);
      return {result: RESULTS[code], ...contactOf(room.contact, 0)};
    });
  }

  tracker({margin = 0, releaseMargin = 0.005} = {}) {
    const x = this.#x, at = x.clash_tracker_create();
    if (at === 0) throw new RangeError("no memory for a tracker");
    const tracker = new Tracker({
      advance: (a, b) => this.#advance(at, a, b, number(margin, "margin"), number(releaseMargin, "releaseMargin")),
      reset: () => x.clash_tracker_reset(at),
      touching: () => x.clash_tracker_touching(at) !== 0,
    });
    this.#freed?.register(tracker, () => x.clash_tracker_destroy(at));
    return tracker;
  }

  #advance(at, a, b, margin, releaseMargin) {
    this.#put(0, a, "a");
    this.#put(1, b, "b");
    const count = this.#x.clash_tracker_advance(at, margin, releaseMargin);
    if (count < 0) throw this.#invalid();
    const d = this.#out(count * CHANGE);
    return Array.from({length: count}, (_, i) => ({kind: d[i * CHANGE] ? "end" : "start", minDistance: d[i * CHANGE + 1],
                                                   ...impactOf(d, i * CHANGE + 2)}));
  }

  mesh(vertices, triangles) {
    const x = this.#x, vertexCount = vertices.length / 3, triangleCount = triangles.length / 3;
    if (!Number.isInteger(vertexCount) || !Number.isInteger(triangleCount))
      throw new TypeError("a mesh takes three numbers a vertex, three indices a triangle");
    const v = x.clash_allocate(4 * Math.max(vertices.length, 1)), t = x.clash_allocate(4 * Math.max(triangles.length, 1));
    let at = 0;
    if (v && t) {
      this.#floats(v, vertices.length).set(vertices);
      new Uint32Array(x.memory.buffer, t, triangles.length).set(triangles);
      at = x.clash_mesh_make(v, vertexCount, t, triangleCount);
    }
    x.clash_free(v);
    x.clash_free(t);
    if (at === 0) throw new RangeError("no mesh: too large, no triangle, a vertex that is not finite, or an index that is no vertex");
    const mesh = new Mesh(x, at);
    this.#freed?.register(mesh, () => x.clash_mesh_free(at));
    return mesh;
  }
}

class Mesh {
  #x;
  #at;

  constructor(x, at) {
    this.#x = x;
    this.#at = at;
  }

  /** Where it lies, for the module that made it. */
  _at(x) {
    if (x !== this.#x) throw new TypeError("this mesh was made by another Sweep");
    return this.#at;
  }
}

class Tracker {
  #calls;

  constructor(calls) {
    this.#calls = calls;
  }

  get touching() {
    return this.#calls.touching();
  }

  advance(a, b) {
    return this.#calls.advance(a, b);
  }

  reset() {
    this.#calls.reset();
  }
}

async function bytesOf(source) {
  if (source.protocol !== "file:") {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error(`${source}: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
  }
  const {readFile} = await import("node:fs/promises");
  return readFile(source);
}

/* Beside this file: the one with SIMD where that runs, otherwise the plain one; both give the same bits. */
async function ownBytes() {
  const names = WebAssembly.validate(SIMD) ? ["./sweep-simd.wasm", "./sweep.wasm"] : ["./sweep.wasm"];
  let missing = null;
  for (const name of names) {
    try {
      return await bytesOf(new URL(name, import.meta.url));
    } catch (error) {
      missing = error;
    }
  }
  const script = new URL("./build.sh", import.meta.url);
  throw new Error(`sweep.wasm is not beside ${import.meta.url}, since it is built and not committed: run "sh ${script.protocol === "file:"
    ? decodeURIComponent(script.pathname) : "sweep/build.sh"}" in clashd's source (it needs clang, lld, wasi-libc and libclang-rt-dev-wasm32), ` +
    `take the package that "npm pack" makes there, or give load() the place of one (${missing.message})`, {cause: missing});
}

/** Begins with sweep-simd.wasm or sweep.wasm beside this file, or with a WebAssembly.Module, its bytes, or where it is. */
export async function load(source) {
  if (source instanceof WebAssembly.Module) return new Sweep(await WebAssembly.instantiate(source));
  const place = typeof source === "string" ? new URL(source, globalThis.location?.href) : source;
  const bytes = place === undefined ? await ownBytes() : place instanceof URL ? await bytesOf(place) : place;
  const {instance} = await WebAssembly.instantiate(bytes);
  return new Sweep(instance);
}
