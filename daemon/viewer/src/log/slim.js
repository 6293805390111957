// What the page keeps of a contact: little, as there may be a hundred thousand. The events themselves stay in the Worker.

/** @typedef {{id: number, start: number, end: number, blades: [string, string], target?: string, speed: number, intensity: number,
 *  midpoint: [number, number, number], along: [number, number], points: any, normal: any, distance: number, tracked: boolean,
 *  nearest: number | null, reason: string, seen: number | false | null, interval: number}} Slim
 *  `seen`: ns from its beginning to the first sample that shows it; false: none does; null: not known. */

/** @param {import("./session.js").Contact} contact @returns {Slim} */
export function slimOf({id, start, end, blades, target, clash, release, seen}) {
  return {
    id, start, end: end ?? start, blades, target, speed: clash.closing_speed, intensity: clash.intensity, midpoint: clash.midpoint,
    along: clash.along, points: clash.points, normal: clash.normal, distance: clash.distance, tracked: clash.tracked,
    nearest: release?.min_distance ?? null, reason: release?.reason ?? "open", seen: seen && seen.time - start,
    interval: clash.interval_ns ?? 0,
  };
}
