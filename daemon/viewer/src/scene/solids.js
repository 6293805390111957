// Targets as solids: spheres, capsules and boxes by their sizes, all else by the triangles that its outline has.
import {BoxGeometry, BufferGeometry, Float32BufferAttribute, Matrix4, Quaternion, SphereGeometry, Vector3} from "three";
import {capsuleGeometry} from "./blades.js";

/** @typedef {import("./stage.js").Vec3} Vec3 */
/** @typedef {import("./stage.js").Quat} Quat */
/** A target's shape in its own frame. @typedef {{sphere?: {center?: Vec3, radius: number}, capsule?: {base: Vec3, tip: Vec3, radius: number},
 *  box?: {center?: Vec3, orientation?: Quat, size: Vec3}}} Shape */

const SIZE_MIN = 0.002; // m: thinner ones are drawn with this, so that they are seen

/** @param {Shape} shape @returns {BufferGeometry | null} in the target's frame */
function shapeGeometry({sphere, capsule, box}) {
  if (sphere) return new SphereGeometry(Math.max(sphere.radius, SIZE_MIN), 40, 26).translate(...(sphere.center ?? [0, 0, 0]));
  if (capsule) return capsuleGeometry(new Vector3(...capsule.base), new Vector3(...capsule.tip), Math.max(capsule.radius, SIZE_MIN), 28);
  if (!box) return null;
  const [x, y, z] = box.size.map((size) => Math.max(size, SIZE_MIN));
  return new BoxGeometry(x, y, z).applyQuaternion(new Quaternion(...(box.orientation ?? [0, 0, 0, 1]))).translate(...(box.center ?? [0, 0, 0]));
}

/** The triangles whose three edges are among these lines: those of a mesh or terrain, whose outline has each edge once.
 *  @param {ArrayLike<number>} lines @returns {BufferGeometry | null} */
function trianglesOf(lines) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {Vec3[]} */
  const points = [];
  /** @type {Set<number>[]} for each point those after it that it has an edge to */
  const later = [];
  const pointAt = (i) => {
    const point = /** @type {Vec3} */ ([lines[i], lines[i + 1], lines[i + 2]]), key = point.join();
    let number = numbers.get(key);
    if (number === undefined) {
      numbers.set(key, number = points.length);
      points.push(point);
      later.push(new Set());
    }
    return number;
  };
  for (let i = 0; i + 5 < lines.length; i += 6) {
    const a = pointAt(i), b = pointAt(i + 3);
    if (a !== b) later[Math.min(a, b)].add(Math.max(a, b));
  }
  /** @type {number[]} */
  const corners = [];
  later.forEach((others, a) => {
    for (const b of others) for (const c of later[b]) if (others.has(c)) corners.push(...points[a], ...points[b], ...points[c]);
  });
  return corners.length ? new BufferGeometry().setAttribute("position", new Float32BufferAttribute(corners, 3)) : null;
}

/** In the frame of the target's device, or of the room. Null if nothing of the shape is known.
 *  @param {import("./stage.js").Target} target @returns {BufferGeometry | null} */
export function solidOf({lines, position, orientation, ...shape}) {
  const own = shapeGeometry(shape);
  if (own) {
    const at = new Matrix4().makeRotationFromQuaternion(new Quaternion(...(orientation ?? [0, 0, 0, 1])));
    return own.applyMatrix4(at.setPosition(...(position ?? [0, 0, 0])));
  }
  const triangles = lines?.length ? trianglesOf(lines) : null;
  triangles?.computeVertexNormals();
  return triangles;
}
