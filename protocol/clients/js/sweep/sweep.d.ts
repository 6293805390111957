/** libclash in JavaScript: see README.md. Metres; quaternions x y z w, of any length but zero; right-handed axes, as OpenXR's. */

export type Vec3 = ArrayLike<number> | { x: number; y: number; z: number };
/** An array x y z w, or a quaternion of three.js, a DOMPointReadOnly of WebXR. */
export type Quat = ArrayLike<number> | { x: number; y: number; z: number; w: number };
export interface Pose { orientation: Quat; position: Vec3; }

/** A segment with a radius, in its device's frame. */
export interface Capsule { base: Vec3; tip: Vec3; radius: number; }

/** From one sample to the next: the origin goes straight, and it turns at a constant rate about its origin, the short way. */
export interface Motion {
  from: Pose;
  /** `from` if it is left out: then it stands still. */
  to?: Pose;
  /** The part of the motion that counts, in fractions of it: [0, 1]. */
  span?: [number, number];
}

export type Blade = Motion & (Capsule | { /** 1 to 16. */ capsules: Capsule[] });

export type Shape =
  | { sphere: { center: Vec3; radius: number } }
  | { capsule: Capsule }
  | { box: { center: Vec3; orientation?: Quat; /** Half of its size along its axes. */ half: Vec3 } }
  | Mesh;

export type Struck = Blade | (Motion & { shape: Shape });

export interface Contact {
  /** When, from 0 at `from` to 1 at `to` (of the spans, if there are any). */
  fraction: number;
  /** Between the axes, or from the axis to the shape. */
  distance: number;
  midpoint: [number, number, number];
  /** The closest point on each one's axis, or on the shape. */
  points: [[number, number, number], [number, number, number]];
  /** Unit, from the first to the second. */
  normal: [number, number, number];
  /** Where along each axis: 0 at the base, 1 at the tip. */
  along: [number, number];
}

export interface Impact extends Contact {
  /** Unit, out of the shape; zeros between two blades. */
  surfaceNormal: [number, number, number];
  /** Of a mesh. */
  triangle?: number;
  /** Which of each one's capsules. */
  parts: [number, number];
}

export interface Change extends Impact {
  kind: "start" | "end";
  /** The least of the contact so far, to within 0.01 mm. */
  minDistance: number;
}

export interface Mesh { readonly kind?: "mesh"; }

/** Follows one pair through intervals that follow each other. */
export interface Tracker {
  readonly touching: boolean;
  /** The starts and ends of contact in this interval, at most 16, in order of time. */
  advance(a: Blade, b: Struck): Change[];
  /** After a cut, such as a teleport: apart again. */
  reset(): void;
}

/** Throws a TypeError for what is missing or of another type, and a RangeError for numbers that no sweep takes: not finite, a zero
 *  quaternion, a negative radius or margin, a span outside of 0..1. */
export interface Sweep {
  /** The first touch, or null if there is none; `overlap` if they touch at the start already. */
  timeOfImpact(a: Blade, b: Struck, options?: { margin?: number }): (Impact & { result: "hit" | "overlap" }) | null;
  /** How the two lie to each other at that fraction of their spans. */
  contactAt(a: Blade, b: Struck, fraction: number, options?: { margin?: number }): Impact & { touching: boolean };
  poseAt(motion: { from: Pose; to: Pose }, fraction: number): { orientation: number[]; position: number[] };
  tracker(options?: { margin?: number; /** Hysteresis, 0.005 if left out. */ releaseMargin?: number }): Tracker;
  /** Many pairs at once, whole motions. `bodies`: 21 numbers each: base, tip, radius, then orientation and position before, and
   *  after. `pairs`: two indices of bodies each. An answer a pair: null if it stays apart. */
  sweepPairs(bodies: Float32Array, pairs: Uint32Array):
    ((Contact & { result: "hit" | "overlap" }) | { result: "invalid" } | null)[];
  /** As sweepPairs, into arrays of the caller's; allocates nothing once there is room for the largest batch so far. `results`: a number a pair,
   *  0 apart, 1 hit, 2 overlap, 3 invalid. `contacts`: 16 numbers a pair, which hits and overlaps set: fraction, distance, midpoint, the
   *  two points, normal, the two places along. Returns how many pairs touch. */
  sweepPairsInto(bodies: Float32Array, pairs: Uint32Array, results: Uint8Array, contacts: Float64Array): number;
  /** Three numbers a vertex, three indices a triangle, counter-clockwise seen from outside. For `shape`. */
  mesh(vertices: ArrayLike<number>, triangles: ArrayLike<number>): Mesh;
}

/** With sweep-simd.wasm beside this module, or sweep.wasm where SIMD does not run, or as it is given: compiled, as bytes, or where it is. */
export function load(source?: WebAssembly.Module | BufferSource | URL | string): Promise<Sweep>;
