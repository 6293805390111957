// What is known besides the clashes: the connection, the source of poses, each device's tracking, latency, what was missed.
import {make, say} from "../look/dom.js";
import {deviceWords, msWords, reasonWords, sourceWords, stateWords} from "./words.js";
import {Median} from "./clock.js";

const DEVICES_MAX = 12; // rows; of more it says how many

export class Readings {
  latency = new Median(40);
  poseAge = new Median(60);
  missed = 0;
  #poses = 0;
  #since = 0;
  #rows = /** @type {Map<string, HTMLElement>} */ (new Map());
  /** @type {Map<string, string>} why a device is not tracked */
  #reasons = new Map();
  #devices = make("ul", {className: "devices", "aria-label": "Devices"});

  constructor() {
    this.element = make("dl", {className: "readings"});
    for (const name of ["Source", "Latency", "Poses", "Missed"]) {
      const value = make("span", {text: "–"}), note = make("small");
      this.element.append(make("div", {}, make("dt", {text: name}), make("dd", {}, value, note)));
      this.#rows.set(name, value);
      this.#rows.set(`${name} note`, note);
    }
    this.elements = [this.element, this.#devices];
  }

  /** @param {string} name @param {string} value @param {string} [note] */
  #set(name, value, note = "") {
    say(/** @type {HTMLElement} */ (this.#rows.get(name)), value);
    say(/** @type {HTMLElement} */ (this.#rows.get(`${name} note`)), note);
  }

  /** @param {{device: string, tracked: boolean, reason: string}} tracking */
  tracking({device, tracked, reason}) {
    if (this.#reasons.size > 256) this.#reasons.clear();
    if (tracked) this.#reasons.delete(device);
    else this.#reasons.set(device, reason);
  }

  pose() {
    this.#poses++;
  }

  /** @param {import("./source.js").Status} status @param {import("./clock.js").Clock} clock @param {number} now performance.now() */
  update(status, clock, now) {
    const {text, detail} = stateWords(status), isReplay = status.replay !== undefined;
    this.#set("Source", text, detail);
    if (isReplay) this.#set("Latency", "–", "not in recordings");
    else this.#set("Latency", msWords(this.latency.value), Number.isNaN(this.latency.value) ? "no clash yet"
      : `since first touch, ±${msWords(clock.error)}`);
    const rate = this.#poses / ((now - this.#since) / 1000);
    this.#set("Poses", this.#since ? `${rate.toFixed(0)} /s` : "–",
      isReplay || Number.isNaN(this.poseAge.value) ? "" : `${msWords(this.poseAge.value)} old`);
    this.#poses = 0;
    this.#since = now;
    this.#set("Missed", this.missed ? `${this.missed} events` : "none", this.missed ? "this page reads too slowly" : "");
    /** @type {HTMLElement} */ (this.#rows.get("Missed")).classList.toggle("is-bad", this.missed > 0);
    this.#list(status.devices);
  }

  /** @param {import("./source.js").Status["devices"]} devices */
  #list(devices) {
    const shown = devices.slice(0, DEVICES_MAX);
    const rows = shown.map(({device, tracked, source, reason = this.#reasons.get(device)}) => { // an older clashd sends it in events only
      const words = tracked ? `tracked · ${sourceWords(source)}` : reason ? reasonWords(reason) : "not tracked";
      return make("li", {className: tracked ? "is-good" : "is-bad"}, make("span", {className: "device", text: deviceWords(device)}),
        make("span", {className: "state", text: words}));
    });
    if (devices.length > shown.length) rows.push(make("li", {text: `and ${devices.length - shown.length} more`}));
    if (!rows.length) rows.push(make("li", {text: "no devices"}));
    this.#devices.replaceChildren(...rows);
  }

  /** Forgets what the connection that has ended sent. */
  clear() {
    this.#reasons.clear();
    for (const name of ["Source", "Latency", "Poses"]) this.#set(name, "–");
    this.latency.clear();
    this.poseAge.clear();
    this.#since = 0;
    this.#poses = 0;
    this.#devices.replaceChildren();
  }
}
