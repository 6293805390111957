// Outlines of shapes, as clash/outline.h draws them: lines along the surface, whose ends are on it. All in the shape's own frame.
import {BufferGeometry, Float32BufferAttribute, Quaternion, Vector3} from "three";

/** @typedef {import("./stage.js").Vec3} Vec3 */

const CIRCLE = 32;
const TERRAIN_LINES_MAX = 256; // a field of heights has up to 8193 each way: more than that nobody tells apart

/** Any two directions across another one, unit. @param {Vector3} axis unit @returns {[Vector3, Vector3]} */
function across(axis) {
  const helper = Math.abs(axis.x) < 0.6 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const first = new Vector3().crossVectors(axis, helper).normalize();
  return [first, new Vector3().crossVectors(axis, first)];
}

/** Pieces of a circle from `x` on by way of `y`. @param {number[]} out @param {Vector3} center @param {Vector3} x @param {Vector3} y
 *  @param {number} pieces of CIRCLE */
function arc(out, center, x, y, pieces) {
  const at = (i) => {
    const angle = 2 * Math.PI * i / CIRCLE;
    return center.clone().addScaledVector(x, Math.cos(angle)).addScaledVector(y, Math.sin(angle));
  };
  for (let i = 0; i < pieces; i++) out.push(...at(i), ...at(i + 1));
}

/** @param {number[]} out @param {Vec3} center @param {number} radius */
function sphere(out, center, radius) {
  const [x, y, z] = [[radius, 0, 0], [0, radius, 0], [0, 0, radius]].map((v) => new Vector3(...v));
  const middle = new Vector3(...center);
  arc(out, middle, x, y, CIRCLE);
  arc(out, middle, y, z, CIRCLE);
  arc(out, middle, z, x, CIRCLE);
}

/** @param {number[]} out @param {Vec3} from @param {Vec3} to @param {number} radius */
function capsule(out, from, to, radius) {
  const base = new Vector3(...from), tip = new Vector3(...to);
  const axis = tip.clone().sub(base);
  if (axis.lengthSq() > 0) axis.normalize();
  else axis.set(0, 1, 0);
  const sides = across(axis).map((side) => side.multiplyScalar(radius));
  arc(out, base, sides[0], sides[1], CIRCLE);
  arc(out, tip, sides[0], sides[1], CIRCLE);
  for (const side of sides) {
    for (const sign of [1, -1]) {
      const offset = side.clone().multiplyScalar(sign);
      out.push(...base.clone().add(offset), ...tip.clone().add(offset));
    }
    arc(out, base, side, axis.clone().multiplyScalar(-radius), CIRCLE / 2);
    arc(out, tip, side, axis.clone().multiplyScalar(radius), CIRCLE / 2);
  }
}

/** @param {number[]} out @param {Vec3} center @param {number[]} orientation @param {Vec3} size */
function box(out, center, orientation, size) {
  const turn = new Quaternion(...orientation), middle = new Vector3(...center);
  const corner = (i) => new Vector3(...size.map((length, k) => (i >> k & 1 ? 0.5 : -0.5) * length))
    .applyQuaternion(turn).add(middle);
  for (let i = 0; i < 8; i++)
    for (const bit of [1, 2, 4]) if (!(i & bit)) out.push(...corner(i), ...corner(i | bit));
}

/** Every edge once. @param {number[]} out @param {{vertices?: Vec3[], triangles?: number[][]}} given */
function mesh(out, {vertices = [], triangles = []}) {
  const seen = new Set();
  for (const triangle of triangles) {
    for (let i = 0; i < 3; i++) {
      const ends = [triangle[i], triangle[(i + 1) % 3]].sort((a, b) => a - b);
      const key = `${ends[0]} ${ends[1]}`;
      if (seen.has(key) || !vertices[ends[0]] || !vertices[ends[1]]) continue;
      seen.add(key);
      out.push(...vertices[ends[0]], ...vertices[ends[1]]);
    }
  }
}

/** @param {number[]} out @param {{columns: number, rows: number, spacing: number[], heights?: number[]}} given */
function terrain(out, {columns, rows, spacing, heights = []}) {
  if (!(columns * rows <= heights.length)) return;
  const step = Math.max(1, Math.ceil(Math.max(columns, rows) / TERRAIN_LINES_MAX));
  const at = (i, j) => [i * spacing[0], heights[j * columns + i], j * spacing[1]];
  for (let j = 0; j < rows; j += step) {
    for (let i = 0; i < columns; i += step) {
      const right = i + step < columns, down = j + step < rows;
      if (right) out.push(...at(i, j), ...at(i + step, j));
      if (down) out.push(...at(i, j), ...at(i, j + step));
      if (right && down) out.push(...at(i, j), ...at(i + step, j + step));
    }
  }
}

/** What says where something is whose shape is not known. @param {number[]} out @param {number} size m */
function cross(out, size) {
  for (let k = 0; k < 3; k++) for (const sign of [-1, 1]) out.push(...[0, 1, 2].map((i) => (i === k ? sign * size : 0)));
}

/** Lines of a target's shape in the target's frame, in pairs of points. @param {any} target as hello or a recording has it
 *  @returns {{lines: number[], isKnown: boolean}} isKnown is false where only a cross stands for it: hello lists no triangles */
export function targetLines(target) {
  /** @type {number[]} */
  const lines = [];
  if (target.sphere) sphere(lines, target.sphere.center ?? [0, 0, 0], target.sphere.radius);
  else if (target.capsule) capsule(lines, target.capsule.base, target.capsule.tip, target.capsule.radius);
  else if (target.box) box(lines, target.box.center ?? [0, 0, 0], target.box.orientation ?? [0, 0, 0, 1], target.box.size);
  else if (target.mesh) mesh(lines, target.mesh);
  else if (target.terrain) terrain(lines, target.terrain);
  const isKnown = lines.length > 0;
  if (!isKnown) cross(lines, 0.1);
  return {lines, isKnown};
}

/** @param {number[]} lines @returns {BufferGeometry} */
export function lineGeometry(lines) {
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(lines, 3));
}
