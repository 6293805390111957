// The words of the live view: numbers with their units, and states.
import {printable} from "../look/dom.js";

const REASONS = {
  untracked: "estimated, not measured", lost: "no pose", inactive: "switched off, or another program has the focus",
  no_runtime: "no OpenXR runtime", no_headset: "no headset", runtime_lost: "the OpenXR runtime exited",
  runtime_stalled: "the OpenXR runtime hangs", source_ended: "the recording has ended", jumped: "the recording was moved to another time",
};
const SOURCES = {game: "game", layer: "layer in the game", openxr: "OpenXR", replay: "recording", peer: "other machine"};
const HANDS = {"/user/hand/left": "left hand", "/user/hand/right": "right hand", "/user/head": "head"};

/** @param {string} reason of a tracking event */
export const reasonWords = (reason) => REASONS[reason] ?? (reason === "ok" ? "tracked" : printable(reason));
/** @param {string | undefined} source of a device */
export const sourceWords = (source) => (source ? SOURCES[source] ?? printable(source) : "client");
/** @param {string} device */
export const deviceWords = (device) => HANDS[device] ?? printable(device);

/** How fast the two of a clash met, with its unit: the speed at which they closed. Empty if they did not meet: they touched already when clashd
 *  first saw them, and part. @param {number} closingSpeed m/s */
export const speedWords = (closingSpeed) => (closingSpeed > 0 ? `${closingSpeed.toFixed(1)} m/s` : "");

/** Whether a clash is a hit: not one that goes on after a cut, nor one of two that part already.
 *  @param {{closing_speed: number, resumed?: boolean}} clash */
export const isHit = ({closing_speed: speed, resumed}) => speed > 0 && !resumed;

/** How long a clash is shown in large, and no weaker one takes its place, ms. */
export const FRESH_MS = 2500;

/** Whether a hit takes the place of the one that is shown: a scratch right after a hit does not.
 *  @param {number} speed m/s @param {{speed: number, at: number}} shown `at` and `now`: ms @param {number} now */
export const takesPlace = (speed, shown, now) => speed >= shown.speed || now - shown.at >= FRESH_MS;

/** A duration, with three digits or so. @param {number} ms */
export function msWords(ms) {
  if (!Number.isFinite(ms)) return "–";
  if (Math.abs(ms) >= 10000) return `${(ms / 1000).toFixed(0)} s`;
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

/** When in the session. @param {number} timeNs */
export function timeWords(timeNs) {
  const ms = Math.floor(timeNs / 1e6), s = Math.floor(ms / 1000), m = Math.floor(s / 60), h = Math.floor(m / 60);
  const two = (n) => String(n).padStart(2, "0");
  return `${h ? `${h}:${two(m % 60)}` : m}:${two(s % 60)}.${String(ms % 1000).padStart(3, "0")}`;
}

/** The two of a contact, with the parts that touch. @param {{blades: [string, string], parts?: (string | null)[]}} contact
 *  @param {number} [length] of each, at most @returns {[string, string]} */
export function pairWords({blades, parts}, length = 32) {
  const [first, second] = blades.map((name, i) => printable(parts?.[i] ? `${name} (${parts[i]})` : name, length));
  return [first, second];
}

/** The state of clashd's source, in words. @param {import("./source.js").Status} status */
export function stateWords({source, state, runtime, detail}) {
  const NAMES = {openxr: "OpenXR", none: "clients only", demo: "demo"};
  const name = source.startsWith("replay") ? "recording" : NAMES[source] ?? printable(source);
  const words = [name, state === "running" ? "" : printable(state), runtime ? printable(runtime.replace(/^.*\//, "")) : ""];
  return {text: words.filter(Boolean).join(" · "), detail: printable(detail, 400)};
}
