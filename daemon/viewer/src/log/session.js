// A log and what is found in it: read as it comes, judged in slices so that a later request may replace an earlier one, and looked at about any
// time. Runs in a Worker, and in Node; knows no page.
import {Things, bladesOf, capsulesOf, contactOf, shapeOf} from "./things.js";

/** @typedef {import("../engine/engine.js").Engine} Engine */
/** @typedef {import("../engine/engine.js").Around} Around */
/** @typedef {import("../engine/engine.js").Sample} Sample */
/** Whether somebody else wants something: throw, or say how far it is. @typedef {() => Promise<void> | void} Breathe */

const SLICE = 4000;
const DAMAGES = 1000;
const SAMPLES_LOOKED_AT = 400;
const OUTLINES_KEPT = 256;
const IDENTITY = {orientation: [0, 0, 0, 1], position: [0, 0, 0]};

/** One contact of what is found. @typedef {{id: number, seq: number, start: number, end: number | null, blades: [string, string],
 *  target?: string, clash: any, release: any, seen: {time: number} | false | null}} Contact
 *  `seen`: when a test at the samples alone sees it first; false: never; null: the page cannot say. */

export class LogSession {
  /** @type {Engine} */
  engine;
  /** @type {any} */
  sweep;
  /** @type {any} */
  header = null;
  /** @type {{line: number, reason: string}[]} */
  damage = [];
  damageCount = 0;
  /** @type {{time_ns: number, text: string}[]} */
  marks = [];
  /** @type {string[]} */
  problems = [];
  /** @type {Contact[]} in the order of their beginnings */
  contacts = [];
  /** @type {any[] | undefined} blades of the settings in force */
  ownBlades = undefined;
  margin = 0;
  /** @type {Map<number, Contact>} */
  #open = new Map();
  /** @type {Things | null} */
  #things = null;
  /** @type {Map<string, number>} */
  #devices = new Map();
  /** @type {Map<any, any>} */
  #shapes = new Map();
  /** @type {Map<any, any>} */
  #outlines = new Map();

  /** @param {Engine} engine @param {any} sweep libclash, of the same module */
  constructor(engine, sweep) {
    this.engine = engine;
    this.sweep = sweep;
  }

  // ---- reading ----

  begin() {
    this.engine.begin();
    this.header = null;
    this.damage = [];
    this.damageCount = 0;
    this.marks = [];
    this.problems = [];
    this.ownBlades = undefined;
    this.#things = null;
    this.#shapes.clear();
    this.#outlines.clear();
    this.#devices.clear();
    this.#forget();
  }

  #forget() {
    this.contacts = [];
    this.#open.clear();
  }

  /** Decompressed bytes. Contacts are looked for as they come. @param {Uint8Array} bytes */
  push(bytes) {
    try {
      this.engine.push(bytes);
    } finally {
      this.#take();
    }
    if (!this.engine.hasHeader) return;
    if (this.ownBlades === undefined && this.engine.counts().entries > 0) this.advance();
  }

  /** @param {string} reason @param {boolean} isEnd */
  break(reason, isEnd) {
    this.engine.break(reason, isEnd);
    this.#take();
  }

  end() {
    try {
      this.engine.end();
    } finally {
      this.#take();
    }
    if (this.header) {
      while (this.advance() < this.engine.counts().settled);
      this.engine.finish();
      this.#take();
    }
  }

  #take() {
    this.engine.drain((line) => this.#takeLine(line));
  }

  /** @param {any} line */
  #takeLine(line) {
    switch (line.type) {
    case "recording":
      this.header = line;
      this.#things = new Things(line);
      this.margin = contactOf(line).margin;
      this.engine.settings(null);
      this.engine.detect();
      return;
    case "damaged":
      this.damageCount++;
      if (this.damage.length < DAMAGES) this.damage.push({line: line.line, reason: line.reason});
      return;
    case "problem":
      this.problems.push(line.reason);
      return;
    case "mark":
      this.marks.push(line);
      return;
    case "blade":
    case "target":
    case "remove":
      this.#things?.add(line);
      return;
    case "clash":
      this.#begun(line);
      return;
    case "release":
      this.#ended(line);
    }
  }

  /** @param {any} line */
  #begun(line) {
    const contact = {id: line.id, seq: line.seq, start: line.time_ns, end: null, blades: line.blades, target: line.target, clash: line,
                     release: null, seen: null};
    this.#open.set(line.id, contact);
    this.contacts.push(contact);
  }

  /** @param {any} line */
  #ended(line) {
    const contact = this.#open.get(line.id);
    this.#open.delete(line.id);
    if (!contact) return;
    contact.end = line.time_ns;
    contact.release = line;
    contact.seen = this.#sampled(contact);
  }

  /** First and last time of poses, ns; zeros where there are none. */
  extent() {
    const {entries} = this.engine.counts();
    let first = 0;
    while (first < entries && !this.engine.entry(first).isPoses) first++;
    if (first === entries) return {first: 0, last: 0};
    return {first: this.engine.entry(first).time, last: Math.max(this.engine.entry(entries - 1).high, 0)};
  }

  // ---- contacts ----

  /** Goes on. @param {number} [most] */
  advance(most = SLICE) {
    const done = this.engine.advance(most);
    this.#take();
    return done;
  }

  /** All contacts under other settings. @param {object | null} configuration over the recording's own @param {Breathe} [breathe] */
  async detect(configuration, breathe = () => {}) {
    const own = /** @type {any} */ (configuration);
    if (!this.header) return this.contacts;
    this.engine.settings(configuration);
    this.ownBlades = own?.blades;
    this.margin = own?.contact?.margin ?? contactOf(this.header).margin;
    this.#forget();
    this.problems = [];
    this.engine.detect();
    const {settled} = this.engine.counts();
    while (this.advance() < settled) await breathe();
    this.engine.finish();
    this.#take();
    return this.contacts;
  }

  /** What a test that looks at the samples alone says of it. @param {Contact} contact */
  #sampled(contact) {
    const end = contact.end ?? contact.start;
    const last = this.engine.find(end);
    let looked = 0;
    for (let i = this.engine.find(contact.start - 1) + 1; i <= last && looked < SAMPLES_LOOKED_AT; i++) {
      const entry = this.engine.entry(i);
      if (!entry.isPoses || entry.time < contact.start || entry.time > end) continue;
      looked++;
      const at = this.pairAt(contact.blades, entry.time);
      if (!at) return null;
      if (at.touching) return {time: entry.time};
    }
    return looked < SAMPLES_LOOKED_AT ? false : null;
  }

  // ---- about a time ----

  /** @param {string} name @param {number} time @returns {Around | null} */
  around(name, time) {
    if (!this.#devices.has(name)) this.engine.devices().forEach((device, i) => this.#devices.set(device, i));
    const index = this.#devices.get(name);
    return index === undefined ? null : this.engine.around(index, time);
  }

  /** What moves at a time, as the sweep has it. null where it is not there, or cannot be swept here. @param {string} name
   *  @param {number} time */
  #collider(name, time) {
    const {blades, targets} = this.thingsAt(time);
    const blade = blades.find((one) => one.name === name);
    const target = blade ? undefined : targets.find((one) => one.name === name);
    if (!blade && !target) return null;
    if (target && !this.#shapes.has(target)) this.#shapes.set(target, shapeOf(target, this.sweep));
    const what = blade ? {capsules: capsulesOf(blade)} : {shape: this.#shapes.get(target)};
    if (target && !what.shape) return null;
    const device = (blade ?? target).device;
    if (!device) return {what, device: "", from: IDENTITY, to: IDENTITY, begin: -Infinity, end: Infinity};
    const around = this.around(device, time);
    if (!around?.before.there || around.lost) return null;
    const {before, behind} = around;
    return around.motion ? {what, device, from: before, to: behind, begin: before.time, end: behind.time}
                         : {what, device, from: before, to: before, begin: before.time, end: before.time};
  }

  /** Two colliders over the interval around a time that both are moved through. null as above. @param {[string, string]} names
   *  @param {number} time */
  #pair(names, time) {
    const [a, b] = names.map((name) => this.#collider(name, time));
    if (!a || !b) return null;
    const begin = Math.max(a.begin, b.begin), end = Math.min(a.end, b.end);
    const span = ({begin: from, end: to}) => to > from && Number.isFinite(from)
      ? [(Math.max(begin, from) - from) / (to - from), (Math.max(begin, Math.min(end, to)) - from) / (to - from)] : [0, 1];
    const body = (one) => ({...one.what, from: one.from, to: one.to, span: span(one)});
    return {a: body(a), b: body(b), begin, end: Math.max(begin, end)};
  }

  /** Distance and nearest points of a pair at a time. @param {[string, string]} names @param {number} time */
  pairAt(names, time) {
    const pair = this.#pair(names, time);
    if (!pair) return null;
    const fraction = pair.end > pair.begin && Number.isFinite(pair.begin)
      ? Math.min(Math.max((time - pair.begin) / (pair.end - pair.begin), 0), 1) : 0;
    const at = this.sweep.contactAt(pair.a, pair.b, fraction, {margin: this.margin});
    return {...at, begin: pair.begin, end: pair.end};
  }

  /** What the sweep says of the interval about a time, and what the samples at its ends say. @param {[string, string]} names
   *  @param {number} time */
  verdict(names, time) {
    const pair = this.#pair(names, time);
    if (!pair || !(pair.end > pair.begin)) return null;
    const options = {margin: this.margin};
    const ends = [0, 1].map((fraction) => this.sweep.contactAt(pair.a, pair.b, fraction, options));
    const hit = this.sweep.timeOfImpact(pair.a, pair.b, options);
    return {
      begin: pair.begin, end: pair.end, ends: ends.map(({distance, touching}) => ({distance, touching})),
      hit: hit && {time: pair.begin + hit.fraction * (pair.end - pair.begin), fraction: hit.fraction, distance: hit.distance},
    };
  }

  /** Targets with the lines that show them; `lines` null where the page cannot make them. @param {any[]} targets */
  #outlinesOf(targets) {
    if (this.#outlines.size > OUTLINES_KEPT) this.#outlines.clear();
    return targets.map((target) => {
      if (!this.#outlines.has(target)) this.#outlines.set(target, this.#outline(target));
      const {name, device = "", position, orientation, sphere, capsule, box} = target;
      return {name, device, position, orientation, sphere, capsule, box, ...this.#outlines.get(target)};
    });
  }

  /** @param {any} target */
  #outline(target) {
    try {
      return this.engine.outline(target);
    } catch (error) {
      return {lines: null, simplified: false, problem: /** @type {Error} */ (error).message};
    }
  }

  /** @param {number} time */
  thingsAt(time) {
    return /** @type {Things} */ (this.#things).at(time, this.ownBlades);
  }

  /** Everything that is to be drawn of a time. @param {number} time
   *  @param {{pair?: [string, string] | null, steps?: number, known?: string, things?: string}} [options] pair: the two that matter;
   *  steps: of swept surfaces, 0: none; known: the key of those that are drawn already; things: the version of the blades and targets
   *  that are */
  at(time, {pair = null, steps = 0, known = "", things = ""} = {}) {
    const {blades, targets, version: changes} = this.thingsAt(time);
    const version = `${changes}/${JSON.stringify(this.ownBlades ?? null)}`;
    const names = new Set([...blades, ...targets].map(({device}) => device).filter(Boolean));
    for (const device of this.engine.devices()) names.add(device);
    const devices = /** @type {any[]} */ ([...names].map((name) => this.#deviceAt(name, time)).filter(Boolean));
    const key = devices.map(({name, before, behind, motion}) => [name, before?.time, behind?.time, motion]).join() + `/${changes}/${this.ownBlades?.length}`;
    if (key !== known) for (const device of devices) device.path = pathOf(this.sweep, device, steps);
    const of = pair ?? (blades.length >= 2 ? [blades[0].name, blades[1].name] : null);
    return {
      time, version, blades, outlines: version === things ? null : this.#outlinesOf(targets), devices, key, pair: of,
      now: of && this.pairAt(of, time), verdict: of && this.verdict(of, time), index: this.engine.find(time),
    };
  }

  /** @param {string} name @param {number} time */
  #deviceAt(name, time) {
    const around = this.around(name, time);
    if (!around || !(around.before.there || around.behind.there)) return null;
    const {before, behind, motion, lost} = around;
    const pose = motion ? this.sweep.poseAt({from: before, to: behind}, (time - before.time) / (behind.time - before.time))
                        : before.there ? before : behind;
    return {name, pose: {orientation: pose.orientation, position: pose.position}, tracked: !lost && before.tracked, lost: lost || !before.there,
            before: before.there ? before : null, behind: behind.there ? behind : null, motion, path: []};
  }

  /** Time of the next sample instant, or the one before. @param {number} time @param {1 | -1} direction */
  step(time, direction) {
    const {entries} = this.engine.counts();
    const at = this.engine.find(time);
    if (direction > 0) {
      for (let i = at + 1; i < entries; i++) {
        const entry = this.engine.entry(i);
        if (entry.isPoses && entry.time > time) return entry.time;
      }
      return time;
    }
    for (let i = at; i >= 0; i--) {
      const entry = this.engine.entry(i);
      if (entry.isPoses && entry.time < time && entry.time === entry.high) return entry.time;
    }
    return time;
  }

  /** Distance and closing speed of a pair over a time, and where the samples are. @param {[string, string]} names @param {number} from
   *  @param {number} to @param {number} count */
  profile(names, from, to, count) {
    const times = Array.from({length: count}, (_, i) => from + (to - from) * i / (count - 1));
    const samples = [];
    for (let i = this.engine.find(from - 1) + 1, last = this.engine.find(to); i <= last && samples.length < count; i++) {
      const entry = this.engine.entry(i);
      if (entry.isPoses && entry.time >= from && entry.time <= to && samples.at(-1) !== entry.time) samples.push(entry.time);
    }
    const all = [...new Set([...times, ...samples])].sort((a, b) => a - b);
    const rows = all.map((time) => ({time, distance: this.pairAt(names, time)?.distance ?? null, speed: this.#speed(names, time)}));
    return {rows, samples: samples.map((time) => ({time, distance: this.pairAt(names, time)?.distance ?? null}))};
  }

  /** How fast the two come nearer at a time, m/s: by how much their distance changes, within one motion.
   *  @param {[string, string]} names @param {number} time */
  #speed(names, time) {
    const pair = this.#pair(names, time);
    if (!pair || !(pair.end > pair.begin) || !Number.isFinite(pair.begin)) return null;
    const length = pair.end - pair.begin, middle = (time - pair.begin) / length, step = 0.002;
    const from = Math.max(middle - step, 0), to = Math.min(middle + step, 1);
    const [a, b] = [from, to].map((fraction) => this.sweep.contactAt(pair.a, pair.b, fraction).distance);
    return (a - b) / ((to - from) * length * 1e-9);
  }

  summary() {
    const counts = this.engine.counts();
    return {
      header: this.header, damage: this.damage, damageCount: this.damageCount, marks: this.marks, problems: this.problems, counts,
      found: this.header ? this.engine.found() : null, extent: this.header ? this.extent() : {first: 0, last: 0}, bytes: this.engine.bytes,
      columns: this.engine.columns, contact: this.header ? contactOf(this.header) : null, blades: this.header ? bladesOf(this.header) : [],
    };
  }
}

/** @param {any} sweep @param {any} device @param {number} steps */
function pathOf(sweep, {motion, before, behind}, steps) {
  if (!motion || steps === 0) return [];
  return Array.from({length: steps + 1}, (_, i) => sweep.poseAt({from: before, to: behind}, i / steps));
}
