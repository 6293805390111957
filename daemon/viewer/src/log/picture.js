// What is drawn of a time: the room, the ghosts of the samples, swept surfaces, and in words what the sweep says and what the samples
// alone would.
import {make, printable, say} from "../look/dom.js";
import {mm, ms, perSecond} from "./text.js";

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
  #distance = make("span", {className: "log-big"});
  #pair = make("span", {className: "log-pair"});
  #ours = make("p", {className: "log-ours"});
  #theirs = make("p", {className: "log-theirs"});
  #more = make("p", {className: "log-more"});
  element = make("div", {className: "log-reading", role: "status", hidden: true}, make("p", {}, this.#distance, " ", this.#pair),
                 this.#ours, this.#theirs, this.#more);

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

  /** What to ask of a time. @param {Slim | undefined} contact @param {boolean} isFast nobody could see it */
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
    say(this.#distance, mm(now.distance));
    say(this.#pair, `between ${pair.map((name) => printable(name, 24)).join(" and ")}`);
    this.element.dataset.touching = String(now.touching);
    const begin = inside ? contact.start : hit?.time, length = verdict ? verdict.end - verdict.begin : 0;
    const isOurs = Boolean(hit || inside), isTheirs = verdict?.ends.some(({touching}) => touching) ?? now.touching;
    say(this.#ours, !verdict ? "Sweep: nothing is swept here" : isOurs
      ? `Sweep: touching ${begin <= verdict.begin ? "from the sample on" : `${ms(begin - verdict.begin)} into these ${ms(length)}`}`
      : `Sweep: apart throughout these ${ms(length)}`);
    say(this.#theirs, !verdict ? "" : `Samples alone: ${isTheirs ? "touching" : "nothing"}, ${mm(verdict.ends[0].distance)} before, ${
      mm(verdict.ends[1].distance)} after`);
    this.element.dataset.verdict = isOurs && !isTheirs ? "missed" : isOurs ? "seen" : "apart";
    say(this.#more, contact && Math.abs(time - contact.start) < 1
      ? `${perSecond(contact.speed)} closing, ${contact.seen === false ? "seen by no sample at all" : contact.seen === null ? ""
        : contact.seen === 0 ? "seen by a sample at once" : `seen by a sample ${ms(contact.seen)} later`}` : "");
  }
}

/** @param {Slim} contact @returns {any} */
function sparkOf({midpoint, normal, points, speed, intensity, id}) {
  return {midpoint, normal, points, closing_speed: speed, intensity, seq: id};
}
