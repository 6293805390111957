// What is drawn of a time: the room, the ghosts of the samples, swept surfaces, and in words what the sweep says and what the samples
// alone would.
import {make, printable, say} from "../look/dom.js";
import {pairWords} from "../live/words.js";
import {mm, ms, percent} from "./text.js";

/** @typedef {import("./slim.js").Slim} Slim */

const STEPS = 40;

export class Picture {
  hasGhosts = true;
  hasSweeps = true;
  #stage;
  #things = "";
  #key = "";
  /** @type {string[]} */
  #swept = [];
  /** @type {Slim | null} */
  #contact = null;
  /** @type {any} */
  last = null;
  #cells = ["main", "ours", "theirs"].map((name) => {
    const [title, value, note] = ["log-title", "log-value", "log-note"].map((className) => make("span", {className}));
    return {element: make("div", {className: `log-cell log-${name}`}, title, value, note), title, value, note};
  });
  element = make("div", {className: "log-reading", role: "status", hidden: true}, ...this.#cells.map(({element}) => element));

  /** @param {import("../scene/stage.js").Stage} stage */
  constructor(stage) {
    this.#stage = stage;
    stage.setTrails?.(false);
  }

  forget() {
    this.#things = this.#key = "";
    this.#contact = this.last = null;
    this.#stage.clear();
    this.#stage.setBlades([]);
    this.#stage.setTargets([]);
    this.element.hidden = true;
  }

  /** @param {Slim | null} contact */
  setContact(contact) {
    this.#contact = contact;
    this.#stage.clearSparks();
    if (contact) this.#stage.addSpark(sparkOf(contact), {still: true});
  }

  /** What to ask of a time. @param {Slim | undefined} contact @param {boolean} isFast too fast to be seen */
  wanted(contact, isFast) {
    this.isFast = isFast;
    return {pair: contact?.blades ?? null, steps: this.hasSweeps && !isFast ? STEPS : 0, known: this.hasSweeps && !isFast ? this.#key : "",
            things: this.#things};
  }

  /** @param {any} at @param {Slim[]} passed contacts that began since the last one */
  show(at, passed) {
    this.last = at;
    if (at.version !== this.#things) {
      this.#things = at.version;
      this.#key = "";
      this.#stage.setBlades(at.blades);
      if (at.outlines) this.#stage.setTargets(at.outlines);
    }
    for (const {name, pose, tracked, lost} of at.devices) {
      if (lost) this.#stage.hidePose(name);
      else this.#stage.setPose(name, pose.position, pose.orientation, {tracked});
    }
    this.#showGhosts(at);
    for (const contact of passed) this.#stage.addSpark(sparkOf(contact));
    this.#say(at);
  }

  /** @param {any} at */
  #showGhosts(at) {
    const hasSweeps = this.hasSweeps && !this.isFast, hasGhosts = this.hasGhosts && !this.isFast;
    const key = `${at.key}/${hasGhosts}`;
    if (key === this.#ghostKey && hasSweeps === (this.#key !== "")) return;
    this.#ghostKey = key;
    const ghost = (name, sample, kind) => ({device: name, position: sample.position, orientation: sample.orientation, kind});
    this.#stage.setGhosts(hasGhosts ? at.devices.filter(({motion}) => motion)
      .flatMap(({name, before, behind}) => [ghost(name, before, "previous"), ghost(name, behind, "next")]) : []);
    if (hasSweeps && at.key === this.#key) return;
    for (const name of this.#swept) this.#stage.setSweep(name, []);
    this.#key = hasSweeps ? at.key : "";
    this.#swept = hasSweeps ? at.blades.map(({name}) => name) : [];
    if (!hasSweeps) return;
    for (const blade of at.blades) this.#stage.setSweep(blade.name, at.devices.find(({name}) => name === blade.device)?.path ?? []);
  }

  #ghostKey = "";

  /** @param {any} at */
  #say({pair, now, verdict, time}) {
    this.element.hidden = !now;
    if (!now) return;
    const contact = this.#contact, hit = verdict?.hit;
    const inside = contact && verdict && contact.start >= verdict.begin && contact.start <= verdict.end;
    const begin = inside ? contact.start : hit?.time;
    const isOurs = Boolean(hit || inside), isTheirs = verdict?.ends.some(({touching}) => touching) ?? now.touching;
    this.element.dataset.touching = String(now.touching);
    this.element.dataset.verdict = isOurs && !isTheirs ? "missed" : isOurs ? "seen" : "apart";
    const when = !verdict ? "" : isOurs ? begin <= verdict.begin ? "at a sample" : `${ms(begin - verdict.begin)} after a sample`
      : `for the ${ms(verdict.end - verdict.begin)} between two samples`;
    const isAtStart = contact && Math.abs(time - contact.start) < 1;
    if (isAtStart) {
      const [first, second] = pairWords(contact, 24);
      this.#tell(0, contact.speed > 0 ? "Speed" : "No hit", contact.speed > 0 ? `${contact.speed.toFixed(1)}\u00a0m/s` : "touching already", [`${first} × ${second}`, when].filter(Boolean).join(", "));
      this.#tell(1, "Where on the blade", contact.target === undefined ? `${first} ${percent(contact.along[0])}, ${second} ${percent(contact.along[1])}`
        : `${first} ${percent(contact.along[0])}`, "of the way from base to tip");
    } else {
      this.#tell(0, now.touching ? "Axes apart, touching" : "Axes apart", mm(now.distance), pair.map((name) => printable(name, 24)).join(" × "));
      this.#tell(1, "Sweep", !verdict ? "nothing to sweep" : isOurs ? "touching" : "apart", when);
    }
    const later = isAtStart && typeof contact.seen === "number" && contact.seen > 0 ? `${ms(contact.seen)} later` : "";
    this.#tell(2, "Sampling alone", !verdict ? "–" : isAtStart ? seenWords(contact.seen, later) : isTheirs ? "touching" : "nothing",
               !verdict ? "" : `${mm(verdict.ends[0].distance)} apart before, ${mm(verdict.ends[1].distance)} after`);
  }

  /** @param {number} cell @param {string} title @param {string} value @param {string} note */
  #tell(cell, title, value, note) {
    const {element, ...parts} = this.#cells[cell];
    say(parts.title, title);
    say(parts.value, value);
    say(parts.note, note);
    element.title = `${value} ${note}`; // whole, if it is cut
  }
}

/** @param {Slim["seen"]} seen @param {string} later */
const seenWords = (seen, later) => seen === false ? "missed it" : seen === null ? "not known here" : later ? `saw it ${later}` : "saw it at once";

/** @param {Slim} contact @returns {any} */
function sparkOf({midpoint, normal, points, speed, intensity, id}) {
  return {midpoint, normal, points, closing_speed: speed, intensity, seq: id};
}
