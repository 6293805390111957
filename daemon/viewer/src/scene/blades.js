// Blades as solids: the capsules that clashd sweeps, no more and no less.
import {BufferGeometry, CapsuleGeometry, Float32BufferAttribute, Quaternion, SphereGeometry, Vector3} from "three";
import {mergeGeometries} from "three/examples/jsm/utils/BufferGeometryUtils.js";

/** @typedef {import("./stage.js").Vec3} Vec3 */
/** @typedef {import("./stage.js").Blade} Blade */
/** A polyline with a radius. @typedef {{points: Vec3[], radius: number, edge?: Vec3}} Part */

const UP = new Vector3(0, 1, 0);
const RADIUS_MIN = 0.002; // what is thinner is still to be seen

/** What a blade is made of; one part where it says nothing of parts. @param {Blade} blade @returns {Part[]} */
export function partsOf(blade) {
  if (!blade.parts?.length) return [{points: [blade.base, blade.tip], radius: blade.radius, edge: blade.edge}];
  return blade.parts.map(({points, base, tip, radius, edge}) =>
    ({points: points ?? [base ?? blade.base, tip ?? blade.tip], radius, edge}));
}

/** A capsule from one point to another. @param {Vector3} from @param {Vector3} to @param {number} radius @param {number} [around] how many
 *  faces it has around its axis @returns {BufferGeometry} */
export function capsuleGeometry(from, to, radius, around = 14) {
  const way = to.clone().sub(from), length = way.length();
  const geometry = length > 1e-6 ? new CapsuleGeometry(radius, length, 5, around) : new SphereGeometry(radius, around, 10);
  if (length > 1e-6) geometry.applyQuaternion(new Quaternion().setFromUnitVectors(UP, way.divideScalar(length)));
  return geometry.translate((from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2);
}

/** In the device's frame. @param {Blade} blade @returns {BufferGeometry} */
export function bladeGeometry(blade) {
  const pieces = partsOf(blade).flatMap(({points, radius}) => points.slice(1).map((point, i) =>
    capsuleGeometry(new Vector3(...points[i]), new Vector3(...point), Math.max(radius, RADIUS_MIN))));
  const merged = mergeGeometries(pieces.map((piece) => piece.index ? piece.toNonIndexed() : piece));
  for (const piece of pieces) piece.dispose();
  return merged;
}

/** A line along the cutting edge of each part that has one, on its surface; null where none has. @param {Blade} blade
 *  @returns {BufferGeometry | null} */
export function edgeGeometry(blade) {
  /** @type {number[]} */
  const lines = [];
  for (const {points, radius, edge} of partsOf(blade)) {
    if (!edge) continue;
    const out = new Vector3(...edge);
    if (!(out.lengthSq() > 0)) continue;
    out.setLength(Math.max(radius, RADIUS_MIN) * 1.04);
    for (let i = 1; i < points.length; i++)
      for (const point of [points[i - 1], points[i]]) lines.push(...new Vector3(...point).add(out));
  }
  return lines.length ? new BufferGeometry().setAttribute("position", new Float32BufferAttribute(lines, 3)) : null;
}

/** A blade's two ends, as its trail has them: of a curved one the first and the last corner of its longest part.
 *  @param {Blade} blade @returns {[Vec3, Vec3]} */
export function endsOf(blade) {
  const length = ({points}) => new Vector3(...points[0]).distanceTo(new Vector3(...points[points.length - 1]));
  const {points} = partsOf(blade).reduce((best, part) => (length(part) > length(best) ? part : best));
  return [points[0], points[points.length - 1]];
}

/** The surface that a blade's axes sweep along poses of its device: triangles, and the lines around it. @param {Blade} blade
 *  @param {import("./stage.js").Pose[]} samples @returns {{surface: BufferGeometry, border: BufferGeometry}} */
export function sweptGeometry(blade, samples) {
  /** @type {number[]} */
  const positions = [], indices = [], border = [];
  const turn = new Quaternion(), place = new Vector3();
  for (const {points} of partsOf(blade)) {
    const first = positions.length / 3, width = points.length;
    for (const {position, orientation} of samples) {
      turn.set(...orientation);
      for (const point of points) positions.push(...place.set(...point).applyQuaternion(turn).add(new Vector3(...position)));
    }
    const at = (row, column) => first + row * width + column;
    const line = (a, b) => border.push(...positions.slice(3 * a, 3 * a + 3), ...positions.slice(3 * b, 3 * b + 3));
    for (let row = 0; row < samples.length; row++) {
      for (let column = 0; column + 1 < width; column++) {
        if (row === 0 || row + 1 === samples.length) line(at(row, column), at(row, column + 1));
        if (row + 1 < samples.length) indices.push(at(row, column), at(row, column + 1), at(row + 1, column),
          at(row, column + 1), at(row + 1, column + 1), at(row + 1, column));
      }
      if (row + 1 < samples.length) for (const column of [0, width - 1]) line(at(row, column), at(row + 1, column));
    }
  }
  const surface = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(positions, 3));
  surface.setIndex(indices);
  return {surface, border: new BufferGeometry().setAttribute("position", new Float32BufferAttribute(border, 3))};
}
