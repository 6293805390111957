// The demo: 20 s of human swings that come with the page, played without clashd. Its events are those that clashd finds in them.
import {bladesOf} from "./log/things.js";

/** @typedef {import("./scene/stage.js").Vec3} Vec3 */
/** @typedef {import("./scene/stage.js").Quat} Quat */
/** @typedef {{device: string, position: Vec3, orientation: Quat, tracked: boolean}} DemoPose */
/** @typedef {{type: "poses", time_ns: number, poses: DemoPose[]}} Frame */

const PAUSE_NS = 1.5e9; // between the end and the next round
const STEP_MAX_MS = 100; // a tab that was hidden goes on where it was

export class Demo {
  /** @type {any[]} the recording's poses and events, by time */
  #messages;
  #header;
  #next = 0;
  #time = 0; // ns
  #last = NaN; // ms

  /** @param {{header: any, devices: string[], times_ns: number[], poses: string, events: any[]}} file demo.json */
  constructor({header, devices, times_ns: times, poses, events}) {
    const bytes = Uint8Array.from(atob(poses), (character) => character.charCodeAt(0)), view = new DataView(bytes.buffer);
    const numbers = (from, count) => Array.from({length: count}, (_, i) => view.getFloat32(4 * (from + i), true));
    /** @type {Frame[]} */
    const frames = times.map((time, row) => ({type: "poses", time_ns: time, poses: devices.map((device, i) => {
      const at = 7 * (devices.length * row + i);
      return {device, position: /** @type {Vec3} */ (numbers(at, 3)), orientation: /** @type {Quat} */ (numbers(at + 3, 4)), tracked: true};
    })}));
    this.#header = header;
    this.frames = frames;
    this.blades = bladesOf(header);
    this.#messages = [...frames, ...events].sort((a, b) => a.time_ns - b.time_ns);
    /** What clashd would say of itself. @type {any} */
    this.status = {source: "demo", state: "running", runtime: "", detail: "recorded, and played by this page without clashd", replay: {},
      devices: devices.map((device) => ({device, tracked: true, source: "replay"}))};
    this.end = this.#messages[this.#messages.length - 1].time_ns;
  }

  /** @returns {Promise<Demo>} */
  static async load() {
    const answer = await fetch(new URL("demo.json", document.baseURI));
    if (!answer.ok) throw new Error(`demo.json: ${answer.status} ${answer.statusText}`);
    return new Demo(await answer.json());
  }

  /** The recording as clashd's own files are. @returns {Blob} */
  recording() {
    return new Blob([this.#header, ...this.frames].map((line) => `${JSON.stringify(line)}\n`));
  }

  /** Plays on, and begins anew behind the end. @param {number} now ms, of any clock @param {{message: (message: any) => void,
   *  restart: () => void}} to @param {boolean} [isHeld] time passes, but the demo does not go on */
  play(now, to, isHeld = false) {
    const step = Math.min(Math.max(now - this.#last, 0), STEP_MAX_MS);
    this.#last = now;
    if (isHeld || Number.isNaN(step)) return;
    this.#time += step * 1e6;
    if (this.#time > this.end + PAUSE_NS) {
      this.#time = this.#next = 0;
      to.restart();
    }
    while (this.#next < this.#messages.length && this.#messages[this.#next].time_ns <= this.#time) to.message(this.#messages[this.#next++]);
  }
}
