// The connection to clashd that the live view hears: events and poses, clashd's status once a second, and what blades and targets
// there are. A hello says the latter once, when a connection begins; so where something new turns up, another short connection asks.
import {Clashd} from "../../../../protocol/clients/js/clashd.js";
import {address, token} from "../look/token.js";
import {Clock} from "./clock.js";

/** @typedef {import("../../../../protocol/clients/js/clashd.js").Hello} Hello */
/** @typedef {import("../../../../protocol/clients/js/clashd.js").Status} Status */

const POSE_RATE_HZ = 120; // enough for any display, and for trails; every pose is swept by clashd, whatever is asked for here
const STATUS_MS = 1000;
const SCENE_MS = 1000; // between two questions

export class Source {
  clock = new Clock();
  /** @type {Status | null} */
  status = null;
  /** @type {Clashd} */
  clashd;
  #known = new Set();
  #isWanted = false;
  #isAsking = false;
  #owned = "";
  #scene = "";
  #onScene;
  #onStatus;

  /** @param {{onScene: (hello: Hello) => void, onStatus: (status: Status) => void}} told */
  constructor({onScene, onStatus}) {
    this.#onScene = onScene;
    this.#onStatus = onStatus;
    this.clashd = new Clashd({url: address(), token: () => token() ?? "", subscribe: {
      events: ["clash", "hold", "release", "tracking", "space_changed", "poses"], pose_rate_hz: POSE_RATE_HZ}});
    this.clashd.on("hello", (hello) => {
      this.clock.clear();
      this.#take(hello);
      queueMicrotask(() => this.#ask());
    });
    this.clashd.on("disconnected", () => { this.status = null; });
    for (const type of /** @type {const} */ (["clash", "tracking", "poses"]))
      this.clashd.on(type, (message) => this.#look(message));
    setInterval(() => this.#ask(), STATUS_MS);
    setInterval(() => this.#askScene(), SCENE_MS);
  }

  /** @param {Hello} hello */
  #take(hello) {
    for (const {name, device} of [...hello.blades, ...hello.targets ?? []]) {
      this.#known.add(`thing ${name}`);
      if (device) this.#known.add(`device ${device}`);
    }
    const scene = JSON.stringify([hello.blades, hello.targets]);
    if (scene === this.#scene) return;
    this.#scene = scene;
    this.#onScene(hello);
  }

  /** Names that hello did not have. Each is asked for once, whether or not there turns out to be anything. @param {any} message */
  #look(message) {
    const names = message.type === "clash" ? message.blades.map((name) => `thing ${name}`)
      : (message.poses ?? [message]).map(({device}) => `device ${device}`);
    for (const name of names) {
      if (this.#known.has(name)) continue;
      if (this.#known.size > 4096) this.#known.clear(); // names come and go
      this.#known.add(name);
      this.#isWanted = true;
    }
  }

  async #ask() {
    if (!this.clashd.connected || this.#isAsking) return;
    this.#isAsking = true;
    const asked = performance.now();
    try {
      const status = /** @type {Status} */ (await this.clashd.request({type: "status"}));
      this.clock.add(asked, status.time_ns, performance.now());
      this.status = status;
      const {pushed_blades: blades, pushed_targets: targets, feed_switches: switches} = status.counters;
      const owned = `${blades} ${targets} ${switches}`;
      if (this.#owned && owned !== this.#owned) this.#isWanted = true;
      this.#owned = owned;
      this.#onStatus(status);
    } catch { /* the connection ended: "disconnected" says so */ }
    this.#isAsking = false;
  }

  #askScene() {
    if (!this.#isWanted || !this.clashd.connected) return;
    this.#isWanted = false;
    const other = new Clashd({url: address(), token: () => token() ?? "", subscribe: {events: []}});
    other.on("disconnected", () => other.close());
    other.on("hello", (hello) => {
      other.close();
      this.#take(hello);
    });
  }
}
