// Which blades and targets there were at a time, by the recording's lines; and what libclash sweeps of each.

/** @typedef {[number, number, number]} Vec3 */
/** @typedef {[number, number, number, number]} Quat */
/** @typedef {{position: Vec3, orientation: Quat}} Pose */

// A recording without a list of blades has those of whoever reads it: clashd's defaults (daemon/config/config.c).
const DEFAULT_BLADES = ["left", "right"].map((hand) => (
  {name: hand, device: `/user/hand/${hand}`, base: [0, 0, -0.05], tip: [0, 0, -1], radius: 0.015, edge: [0, -1, 0]}));
// What its header's settings leave out (protocol/recording/header.c), and what there is where it has none (daemon/config/config.c).
const HEADER_CONTACT = {
  margin: 0, release_margin: 0.005, min_closing_speed: 0, hold_rate_hz: 30, max_gap_ms: 100, gap_by_rate: false, require_tracked: true,
  full_intensity_speed: 10, intensity_curve: "linear",
};
const DEFAULT_CONTACT = {...HEADER_CONTACT, full_intensity_speed: 200, intensity_curve: "logarithmic"};

/** @param {any} header */
export function bladesOf(header) {
  return header.blades ?? DEFAULT_BLADES;
}

/** @param {any} header */
export function contactOf(header) {
  return header.contact ? {...HEADER_CONTACT, ...header.contact} : DEFAULT_CONTACT;
}

/** @param {Quat} q @param {Vec3} v @returns {Vec3} */
export function rotate([x, y, z, w], v) {
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}

/** @param {Pose} pose @param {Vec3} v @returns {Vec3} */
export function place(pose, v) {
  const [x, y, z] = rotate(pose.orientation, v);
  return [x + pose.position[0], y + pose.position[1], z + pose.position[2]];
}

/** @param {Quat} a @param {Quat} b @returns {Quat} first b, then a */
function turned(a, b) {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

/** What is there, as it changes. */
export class Things {
  /** @type {{time: number, line: any}[]} */
  #changes = [];
  /** @type {any} */
  #header;

  /** @param {any} header */
  constructor(header) {
    this.#header = header;
  }

  /** A line of type blade, target or remove, in the file's order. @param {any} line */
  add(line) {
    this.#changes.push({time: line.time_ns, line});
  }

  get changeCount() {
    return this.#changes.length;
  }

  /** All that there is at a time. @param {number} time @param {any[] | undefined} own blades of the settings, which win by their names
   *  @returns {{blades: any[], targets: any[], version: number}} version: the same for the same things */
  at(time, own = undefined) {
    const blades = new Map((own ?? bladesOf(this.#header)).map((blade) => [blade.name, blade]));
    const mine = new Set((own ?? []).map((blade) => blade.name));
    const targets = new Map();
    let version = 0;
    for (const {time: when, line} of this.#changes) {
      if (when > time) break;
      version++;
      if (line.type === "blade" && !mine.has(line.name)) blades.set(line.name, line);
      if (line.type === "target" && !mine.has(line.name)) targets.set(line.name, line);
      if (line.type !== "remove") continue;
      if (line.blade !== undefined && !mine.has(line.blade)) blades.delete(line.blade);
      if (line.target !== undefined) targets.delete(line.target);
      if (line.device === undefined) continue;
      for (const [name, blade] of blades) if (blade.device === line.device && !mine.has(name)) blades.delete(name);
      for (const [name, target] of targets) if (target.device === line.device) targets.delete(name);
    }
    return {blades: [...blades.values()], targets: [...targets.values()], version};
  }
}

/** The capsules of a blade. @param {any} blade @returns {{base: Vec3, tip: Vec3, radius: number}[]} */
export function capsulesOf(blade) {
  if (!blade.parts) return [{base: blade.base, tip: blade.tip, radius: blade.radius}];
  return blade.parts.flatMap((part) => part.points
    ? part.points.slice(1).map((point, i) => ({base: part.points[i], tip: point, radius: part.radius}))
    : [{base: part.base, tip: part.tip, radius: part.radius}]);
}

/** What a target is to the sweep, in the stage or in its device's frame. null where the page cannot sweep it: terrains, files.
 *  @param {any} target @param {any} sweep */
export function shapeOf(target, sweep) {
  const pose = {position: target.position ?? [0, 0, 0], orientation: target.orientation ?? [0, 0, 0, 1]};
  if (target.sphere) return {sphere: {center: place(pose, target.sphere.center ?? [0, 0, 0]), radius: target.sphere.radius}};
  if (target.capsule) {
    const {base, tip, radius} = target.capsule;
    return {capsule: {base: place(pose, base), tip: place(pose, tip), radius}};
  }
  if (target.box) {
    return {box: {
      center: place(pose, target.box.center ?? [0, 0, 0]), half: target.box.size.map((whole) => whole / 2),
      orientation: turned(pose.orientation, target.box.orientation ?? [0, 0, 0, 1]),
    }};
  }
  if (!target.mesh?.vertices || !target.mesh.triangles) return null;
  return sweep.mesh(target.mesh.vertices.flatMap((vertex) => place(pose, vertex)), target.mesh.triangles.flat());
}
