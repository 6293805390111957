// Numbers and times as they are read.

/** ns as minutes, seconds and milliseconds. @param {number} ns @param {number} [digits] */
export function clock(ns, digits = 3) {
  const seconds = Math.abs(ns) / 1e9, minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  const rest = (seconds % 60).toFixed(digits).padStart(digits ? 3 + digits : 2, "0");
  return `${ns < 0 ? "−" : ""}${hours ? `${hours}:${String(minutes % 60).padStart(2, "0")}` : minutes}:${rest}`;
}

// A unit never goes to the next line without its number.
const SPACE = "\u00a0";
/** @param {number} ns */
export const ms = (ns) => `${(ns / 1e6).toFixed(ns < 1e7 ? 2 : 1)}${SPACE}ms`;
/** @param {number | null | undefined} metres */
export const mm = (metres) => metres === null || metres === undefined ? "–" : `${(metres * 1000).toFixed(1)}${SPACE}mm`;
/** Of the way from a blade's base to its tip. @param {number} share */
export const percent = (share) => `${(100 * share).toFixed(0)}${SPACE}%`;
/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
/** @param {number} bytes */
export const size = (bytes) => bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB`
                                                                                       : `${(bytes / 1e9).toFixed(2)} GB`;
