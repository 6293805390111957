// The connection to clashd that the live view hears: events and poses, clashd's status once a second, and what blades and targets
// there are, anew whenever status says that any of them came or went.
import {Clashd} from "../../../../protocol/clients/js/clashd.js";
import {address, token} from "../look/token.js";
import {Clock} from "./clock.js";

/** @typedef {import("../../../../protocol/clients/js/clashd.js").Hello} Hello */
/** @typedef {import("../../../../protocol/clients/js/clashd.js").Outlines} Outlines */
/** @typedef {import("../../../../protocol/clients/js/clashd.js").Status} Status */

const POSE_RATE_HZ = 120; // enough for any display, and for trails; every pose is swept by clashd, whatever is asked for here
const STATUS_MS = 1000;

/** @typedef {{blades: any[], targets: import("../scene/stage.js").Target[]}} Things */

export class Source {
  clock = new Clock();
  /** @type {Status | null} */
  status = null;
  /** Targets that are drawn. @type {import("../scene/stage.js").Target[]} */
  outlines = [];
  /** What clashd has; null until all of it is known. @type {Things | null} */
  things = null;
  /** @type {Clashd} */
  clashd;
  #isAsking = false;
  /** @type {number | null} those that are drawn */
  #definitions = null;
  #drawn = "";
  #onScene;
  #onStatus;

  /** @param {{onScene: (things: Things) => void, onStatus: (status: Status) => void}} to */
  constructor({onScene, onStatus}) {
    this.#onScene = onScene;
    this.#onStatus = onStatus;
    this.clashd = new Clashd({url: address(), token: () => token() ?? "", subscribe: {
      events: ["clash", "hold", "release", "tracking", "space_changed", "poses"], pose_rate_hz: POSE_RATE_HZ}});
    this.clashd.on("hello", (hello) => {
      if (hello.id !== undefined) return; // an answer, not a beginning
      this.clock.clear();
      this.#definitions = null;
      this.#take({blades: hello.blades, targets: []});
      queueMicrotask(() => this.#ask());
    });
    this.clashd.on("disconnected", () => { this.status = this.things = null; });
    setInterval(() => this.#ask(), STATUS_MS);
  }

  async #ask() {
    if (!this.clashd.connected || this.#isAsking) return;
    this.#isAsking = true;
    const asked = performance.now();
    try {
      const status = /** @type {Status} */ (await this.clashd.request({type: "status"}));
      this.clock.add(asked, status.time_ns, performance.now());
      this.status = status;
      this.#onStatus(status);
      if (status.counters.definitions !== this.#definitions) await this.#askThings(status.counters.definitions);
    } catch { /* the connection ended: "disconnected" says so */ }
    this.#isAsking = false;
  }

  /** @param {Things} things */
  #take(things) {
    const drawn = JSON.stringify(things);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.outlines = things.targets;
    this.#onScene(things);
  }

  /** @param {number} definitions before asking: what changes meanwhile is asked for again */
  async #askThings(definitions) {
    const hello = /** @type {Hello} */ (await this.clashd.request({type: "hello"}));
    const shapes = new Map((hello.targets ?? []).map((target) => [target.name, target]));
    const targets = await this.#askOutlines();
    this.#definitions = definitions;
    this.things = {blades: hello.blades, targets: targets.map((target) => ({...shapes.get(target.name), ...target}))};
    this.#take(this.things);
  }

  /** Page by page. */
  async #askOutlines() {
    /** @type {Map<string, {name: string, device?: string, lines: number[]}>} */
    const targets = new Map();
    for (let next = {from_target: 0, from_line: 0}; next;) {
      const page = /** @type {Outlines} */ (await this.clashd.request({type: "outlines", ...next}));
      for (const {name, device, first_line, lines} of page.targets) {
        const target = first_line > 0 ? targets.get(name) ?? {name, device, lines: []} : {name, device, lines: []};
        for (const line of lines) target.lines.push(...line);
        targets.set(name, target);
      }
      if (page.next_target === undefined) break;
      next = {from_target: page.next_target, from_line: page.next_line ?? 0};
    }
    return [...targets.values()];
  }
}
