// The panel "Live": what clashd sees now, in the room and in words.
import {make, say} from "../look/dom.js";
import {keyOf} from "../look/help.js";
import {token} from "../look/token.js";
import {Demo} from "../demo.js";
import {makeDetails} from "./details.js";
import {EventList} from "./event_list.js";
import {adviceFor, makeGuide} from "./guide.js";
import {Readings} from "./readings.js";
import {Source} from "./source.js";
import {FRESH_MS, isHit, pairWords, takesPlace} from "./words.js";

/** @typedef {import("../scene/stage.js").Stage} Stage */
/** @typedef {import("../look/help.js").Key} Key */

const GONE_MS = 1000; // without a pose, after which a device is no longer drawn
const DEVICES_MAX = 256;
const ADVISE_MS = 250;
const SETTLE_MS = 1500; // after a connection began, until what is missing counts as missing
const DEMO_STATUS_MS = 1000;

class Live {
  #isShown = false;
  #isHeld = false; // the picture is paused; events are still counted and listed
  #now = 0; // ms: the room's clock, which is paused too
  #frame = 0;
  #clashes = 0;
  #lastClash = -Infinity; // the one of which the speed is shown
  #lastSpeed = 0;
  #drawn = new Set(); // devices
  /** @type {Map<string, number>} when each device's last pose came */
  #seen = new Map();
  #readings = new Readings();
  #list = new EventList((clash) => this.#pick(clash));
  #details = makeDetails(() => this.#list.deselect());
  #speed = make("span", {className: "speed", text: "–"});
  #pair = make("span", {className: "pair", text: "no clash yet"});
  #count = make("span", {className: "count", text: "0 clashes"});
  #link = make("p", {className: "link", role: "status", text: "Connecting to clashd …"});
  /** @type {Demo | null} while it plays, it takes the place of what clashd sends */
  #demo = null;
  #guide = makeGuide({onDemo: () => this.demo(true)});
  #banner = make("span");
  #last = make("div", {className: "last"}, make("div", {className: "big"}, this.#speed, make("span", {className: "unit", text: "m/s"})), this.#pair);
  #greeted = -Infinity; // when the connection began
  #posed = -Infinity; // when clashd's last pose came
  #advised = 0;
  #wasLost = false; // since the connection began
  #isRefused = false; // clashd is there, and the token is not its own
  #hold = make("button", {type: "button", className: "button", text: "Pause", title: "Pause and resume the picture (Space)", "aria-pressed": "false"});

  /** @param {HTMLElement} element @param {Stage} stage @param {(demo: Demo) => void} inLog */
  constructor(element, stage, inLog) {
    this.stage = stage;
    this.inLog = inLog;
    stage.setTrails(true);
    this.keys = this.#makeKeys();
    element.append(this.#makeRoom(), this.#makeSide());
    document.addEventListener("keydown", (event) => {
      const key = this.#isShown && keyOf(event, this.keys);
      if (!key) return;
      event.preventDefault();
      key.run();
    });
    this.source = new Source({
      onScene: (things) => this.#show(things),
      onStatus: (status) => {
        if (!this.#demo) this.#readings.update(status, this.source.clock, performance.now());
      },
    });
    this.#listen();
  }

  #makeRoom() {
    const hint = (text, key) => [text, make("kbd", {className: "hint", text: key, "aria-hidden": "true"})];
    const views = /** @type {const} */ ([["Behind", "behind"], ["Front", "front"], ["Side", "side"], ["Top", "top"]]).map(([text, name], i) => {
      const button = make("button", {type: "button", className: "button", title: `View: ${text.toLowerCase()} (${i + 1})`}, ...hint(text, String(i + 1)));
      button.addEventListener("click", () => this.stage.setView(name));
      return button;
    });
    const fit = make("button", {type: "button", className: "button", title: "Fit everything into the view (F)"}, ...hint("Fit", "F"));
    fit.addEventListener("click", () => this.stage.frame());
    this.#hold.addEventListener("click", () => this.hold(!this.#isHeld));
    return make("div", {className: "room"}, this.#makeBanner(), make("div", {className: "view"}, this.stage.element, this.#last, this.#guide.element),
      make("div", {className: "tools", role: "group", "aria-label": "View"}, ...views, fit, this.#hold));
  }

  #makeBanner() {
    const look = make("button", {type: "button", className: "button", text: "Step through it in Log"});
    const back = make("button", {type: "button", className: "button is-main", text: "Back to live"});
    look.addEventListener("click", () => this.#demo && this.inLog(this.#demo));
    back.addEventListener("click", () => this.demo(false));
    return make("div", {className: "demo", role: "status", hidden: true}, this.#banner, look, back);
  }

  #makeSide() {
    const clear = make("button", {type: "button", className: "button quiet", text: "Clear"});
    clear.addEventListener("click", () => this.clear());
    return make("aside", {className: "side", "aria-label": "Readings and events"}, this.#link, ...this.#readings.elements, this.#details.element,
      make("header", {className: "list-head"}, make("h2", {text: "Events"}), this.#count, clear), this.#list.element);
  }

  /** @returns {Key[]} */
  #makeKeys() {
    const {stage} = this;
    return [
      {key: " ", shown: "Space", about: "pause and resume the picture", run: () => this.hold(!this.#isHeld)},
      {key: "1", about: "view from behind the player", run: () => stage.setView("behind")},
      {key: "2", about: "view from the front", run: () => stage.setView("front")},
      {key: "3", about: "view from the side", run: () => stage.setView("side")},
      {key: "4", about: "view from above", run: () => stage.setView("top")},
      {key: "f", shown: "F", about: "fit everything into the view", run: () => stage.frame()},
      {key: "ArrowLeft", shown: "←", about: "turn the view left", run: () => stage.turn(-1, 0)},
      {key: "ArrowRight", shown: "→", about: "turn the view right", run: () => stage.turn(1, 0)},
      {key: "ArrowUp", shown: "↑", about: "turn the view up", run: () => stage.turn(0, 1)},
      {key: "ArrowDown", shown: "↓", about: "turn the view down", run: () => stage.turn(0, -1)},
      {key: "+", about: "zoom in", run: () => stage.zoom(1.2)},
      {key: "-", shown: "−", about: "zoom out", run: () => stage.zoom(1 / 1.2)},
      {key: "c", shown: "C", about: "clear the list", run: () => this.clear()},
      {key: "Escape", shown: "Esc", about: "deselect the clash", run: () => this.#list.deselect()},
    ];
  }

  #listen() {
    const {clashd} = this.source;
    clashd.on("hello", ({id, version, session}) => {
      if (id !== undefined) return; // an answer, not a beginning
      this.#greeted = performance.now();
      this.#wasLost = false;
      this.#say(`Connected to clashd ${version}`, "good");
      this.#list.add({type: "page", text: `connected, session ${session.slice(0, 8)}`});
    });
    clashd.on("disconnected", ({reason, greeted}) => this.#lost(reason, greeted));
    clashd.on("error", ({message}) => this.#list.add({type: "page", text: `clashd: ${message}`}));
    for (const type of /** @type {const} */ (["clash", "hold", "release", "space_changed", "tracking", "lagged", "poses"]))
      clashd.on(type, (/** @type {any} */ message) => {
        if (type === "poses") this.#posed = performance.now();
        if (!this.#demo) this.#take(message);
      });
  }

  /** An event or poses, of clashd or of the demo. @param {any} message */
  #take(message) {
    switch (message.type) {
      case "clash": return this.#clash(message);
      case "poses":
        this.#readings.pose();
        this.#readings.poseAge.add(this.source.clock.age(message.time_ns, performance.now()));
        if (!this.#isHeld) this.#move(message.poses);
        return undefined;
      case "tracking":
        this.#readings.tracking(message);
        if (!message.tracked) this.#hide(message.device);
        return this.#list.add(message);
      case "lagged":
        this.#readings.missed += message.missed;
        return this.#list.add({...message, time_ns: undefined});
      default: return this.#list.add(message);
    }
  }

  /** @param {import("./source.js").Things} things clashd's */
  #show({blades, targets}) {
    if (this.#demo) return;
    this.stage.setBlades(/** @type {any} */ (blades));
    this.stage.setTargets(targets);
  }

  /** Plays the demo in place of what clashd sends, or ends it. @param {boolean} on */
  async demo(on) {
    if (on === Boolean(this.#demo)) return;
    /** @type {Demo | null} */
    let demo = null;
    try {
      demo = on ? await Demo.load() : null;
    } catch (error) {
      this.#list.add({type: "page", text: `the demo cannot be loaded: ${/** @type {Error} */ (error).message}`});
      return;
    }
    this.hold(false);
    for (const device of [...this.#seen.keys()]) this.#hide(device);
    this.clear();
    this.#readings.clear();
    this.#lastClash = -Infinity;
    say(this.#speed, "–");
    say(this.#pair, "no clash yet");
    this.#demo = demo;
    /** @type {HTMLElement} */ (this.#banner.parentElement).hidden = !demo;
    if (demo) {
      this.stage.setBlades(demo.blades);
      this.stage.setTargets([]);
    } else this.#show(this.source.things ?? {blades: [], targets: []});
    if (this.source.status && !demo) this.#readings.update(this.source.status, this.source.clock, performance.now());
  }

  #demoTold = 0;

  /** @param {number} now ms */
  #playDemo(now) {
    const demo = /** @type {Demo} */ (this.#demo);
    demo.play(now, {message: (message) => this.#take(message), restart: () => {
      for (const device of [...this.#seen.keys()]) this.#hide(device);
    }}, this.#isHeld);
    if (now - this.#demoTold < DEMO_STATUS_MS) return;
    this.#demoTold = now;
    say(this.#banner, this.#hasPoses(now) ? "Demo: recorded swings. clashd has hands of its own now." : "Demo: 20 s of recorded human swings");
    this.#readings.update(demo.status, this.source.clock, now);
  }

  /** Whether clashd sends poses. @param {number} now ms */
  #hasPoses(now) {
    return now - this.#posed < GONE_MS;
  }

  /** @param {number} now ms */
  #advise(now) {
    if (now - this.#advised < ADVISE_MS) return;
    this.#advised = now;
    const {connected} = this.source.clashd, isSettled = connected ? now - this.#greeted > SETTLE_MS : this.#wasLost;
    const advice = this.#demo || !isSettled ? null : adviceFor({isConnected: connected, hasToken: token() !== undefined,
      isRefused: this.#isRefused, hasPoses: this.#hasPoses(now) || this.#seen.size > 0, status: this.source.status, things: this.source.things});
    this.#guide.show(advice);
    this.#last.hidden = advice !== null && !this.#guide.element.hidden;
  }

  /** @param {string} words @param {string} state good or bad */
  #say(words, state) {
    say(this.#link, words);
    this.#link.dataset.state = state;
  }

  /** @param {string} reason @param {boolean} greeted */
  #lost(reason, greeted) {
    this.#say(`Not connected: ${reason}. Trying again by itself.`, "bad");
    this.#wasLost = true;
    this.#isRefused = reason.includes("refuses this token") && !reason.includes("does not listen");
    if (greeted) this.#list.add({type: "page", text: "connection lost"});
    if (this.#demo) return;
    this.#readings.clear();
    for (const device of [...this.#seen.keys()]) this.#hide(device);
  }

  /** @param {any} clash */
  #clash(clash) {
    const now = performance.now(), age = this.source.clock.age(clash.time_ns, now);
    this.#clashes++;
    this.#list.add(clash);
    if (!clash.late && age < 5000 && !this.#demo && !this.source.status?.replay) this.#readings.latency.add(age);
    if (!isHit(clash)) return;
    if (!this.#isHeld) this.stage.addSpark(clash);
    if (!takesPlace(clash.closing_speed, {speed: this.#lastSpeed, at: this.#lastClash}, now)) return;
    this.#lastClash = now;
    this.#lastSpeed = clash.closing_speed;
    say(this.#speed, clash.closing_speed.toFixed(1));
    say(this.#pair, pairWords(clash).join(" × "));
  }

  /** @param {any[]} poses */
  #move(poses) {
    for (const {device, position, orientation, tracked, valid, teleport} of poses) {
      if (valid === false) {
        this.#hide(device);
        continue;
      }
      if (teleport) this.stage.hidePose(device); // and its trail: it was nowhere in between
      this.#seen.set(device, performance.now());
      this.#drawn.add(device);
      if (this.#seen.size > DEVICES_MAX) this.#hide(/** @type {string} */ (this.#seen.keys().next().value)); // while the tab is hidden
      this.stage.setPose(device, position, orientation, {tracked});
    }
  }

  /** @param {string} device */
  #hide(device) {
    this.#seen.delete(device);
    if (this.#isHeld) return; // it goes when the picture goes on
    this.#drawn.delete(device);
    this.stage.hidePose(device);
  }

  /** @param {any | null} clash */
  #pick(clash) {
    this.stage.clearSparks();
    if (clash) this.stage.addSpark(clash, {still: true});
    this.#details.show(clash);
  }

  /** @param {boolean} held */
  hold(held) {
    this.#isHeld = held;
    if (!held) for (const device of this.#drawn) if (!this.#seen.has(device)) this.#hide(device);
    this.#hold.setAttribute("aria-pressed", String(held));
    say(this.#hold, held ? "Resume" : "Pause");
  }

  clear() {
    this.#list.clear();
    this.stage.clearSparks();
    this.#clashes = 0;
    this.#readings.missed = 0;
  }

  /** @param {number} at ms */
  #draw(at) {
    this.#frame = requestAnimationFrame((next) => this.#draw(next));
    const before = performance.now();
    if (this.#demo) this.#playDemo(before);
    if (!this.#isHeld) {
      this.#now = at;
      if (this.#demo || this.source.status?.replay?.state !== "paused") for (const [device, seen] of this.#seen) if (before - seen > GONE_MS) this.#hide(device);
    }
    this.#advise(before);
    this.#list.render();
    say(this.#count, `${this.#clashes} ${this.#clashes === 1 ? "clash" : "clashes"}`);
    this.#speed.classList.toggle("is-fresh", before - this.#lastClash < FRESH_MS);
    const drew = this.stage.render(this.#now);
    this.onFrame?.(performance.now() - before, drew);
  }

  /** For measurements: ms of script that a frame took, and whether the room was drawn anew.
   *  @type {((ms: number, drew: boolean) => void) | undefined} */
  onFrame;

  show() {
    this.#isShown = true;
    this.#frame = requestAnimationFrame((at) => this.#draw(at));
  }

  hide() {
    this.#isShown = false;
    cancelAnimationFrame(this.#frame);
  }
}

/** @param {HTMLElement} element @param {{stage: Stage, inLog: (demo: Demo) => void}} options inLog shows a demo in the panel "Log"
 *  @returns {Live} */
export function mountLive(element, {stage, inLog}) {
  return new Live(element, stage, inLog);
}
