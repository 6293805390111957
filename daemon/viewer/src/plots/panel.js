// Plots of a log: a contact close up, where along the blades contacts fall, how hard they are, how many a minute.
import uPlot from "uplot";
import {make} from "../look/dom.js";
import {button} from "../log/dom.js";
import {save} from "../log/export.js";

/** @typedef {import("../log/slim.js").Slim} Slim */

const AROUND_NS = 60e6, POINTS = 240, HEIGHT = 170, BINS = 20;

/** What colours mean. @type {Record<string, [string, string][]>} */
const LEGENDS = {
  near: [["hit", "axis distance"], ["accent", "closing speed"], ["missed", "samples"], ["faint", "touching"]],
  strength: [["hit", "sampling sees it"], ["missed", "sampling misses it"]], along: [["hit", "first blade"], ["accent", "second blade"]],
};

/** Middles and counts of a histogram. @param {number[]} values @param {number} from @param {number} to @param {number} bins */
function histogram(values, from, to, bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) counts[Math.min(Math.max(Math.floor((value - from) / (to - from) * bins), 0), bins - 1)]++;
  return [counts.map((_, i) => from + (i + 0.5) * (to - from) / bins), counts];
}

export class PlotsPanel {
  element = make("div", {className: "log-plots"});
  /** @type {Map<string, {element: HTMLElement, body: HTMLElement, plot: uPlot | null, draw: (() => void) | null}>} */
  #plots = new Map();
  /** @type {Slim[]} */
  #contacts = [];
  #extent = {first: 0, last: 0};
  #isShown = false;
  #isStale = true;
  #asked = 0;
  #threshold = 0;
  /** @type {Slim | null} */
  #contact = null;
  #profile;

  /** @param {(names: [string, string], from: number, to: number, count: number) => Promise<any>} profile */
  constructor(profile) {
    this.#profile = profile;
    for (const [id, title] of [["near", "Around the contact"], ["strength", "Closing speed of contacts"], ["along", "Where along the blades"],
                               ["minutes", "Contacts per minute"]]) {
      const body = make("div", {className: "log-plot-body"}), legend = make("p", {className: "log-legend"});
      const element = make("figure", {className: "log-plot"}, make("figcaption", {}, make("span", {text: title}),
                           button("PNG", () => this.#picture(id), {className: "is-small", "aria-label": `${title}: save as PNG`})), legend, body);
      for (const [colour, text] of LEGENDS[id] ?? []) legend.append(make("span", {className: `is-${colour}`, text}));
      element.dataset.plot = id;
      this.element.append(element);
      this.#plots.set(id, {element, body, plot: null, draw: null});
    }
    new ResizeObserver(() => this.#resize()).observe(this.element);
  }

  show() {
    this.#isShown = true;
    if (this.#isStale) this.#drawAll();
  }

  hide() {
    this.#isShown = false;
  }

  /** @param {Slim[]} contacts @param {{first: number, last: number}} extent */
  setContacts(contacts, extent) {
    this.#contacts = contacts;
    this.#extent = extent;
    this.#isStale = true;
    if (this.#isShown) this.#drawAll();
  }

  /** @param {Slim | null} contact */
  setContact(contact) {
    this.#contact = contact;
    this.#threshold = contact?.distance ?? 0;
    if (this.#isShown && !this.#isStale) this.#drawNear();
  }

  redraw() {
    this.#isStale = true;
    if (this.#isShown) this.#drawAll();
  }

  #drawAll() {
    this.#isStale = false;
    this.#drawStrengths();
    this.#drawAlong();
    this.#drawMinutes();
    this.#drawNear();
  }

  #colours() {
    const style = getComputedStyle(this.element), of = (name) => style.getPropertyValue(`--log-${name}`).trim() || "#888";
    return {text: of("faint"), grid: of("grid"), a: of("hit"), b: of("accent"), c: of("missed"), font: "11px system-ui, sans-serif"};
  }

  /** @param {string} id @param {any} options @param {any} data */
  #put(id, options, data) {
    const slot = /** @type {any} */ (this.#plots.get(id));
    slot.plot?.destroy();
    slot.body.replaceChildren();
    const width = Math.max(slot.body.clientWidth, 200);
    slot.plot = new uPlot({width, height: HEIGHT, legend: {show: false}, cursor: {y: false}, ...options}, data, slot.body);
    slot.element.dataset.points = String(data[0].length);
  }

  /** @param {string} label @param {any} more */
  #axis(label, more = {}) {
    const {text, grid, font} = this.#colours();
    return {label, stroke: text, font, labelFont: font, labelSize: 16, size: 38, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}, ...more};
  }

  /** @param {string} id @param {any[]} data @param {string} x @param {string[]} fills @param {string[]} labels @param {string} y */
  #bars(id, data, x, fills, labels, y = "contacts") {
    const paths = uPlot.paths.bars?.({size: [0.9, 100]}), [x0, x1] = [data[0][0], data[0].at(-1)], width = data[0].length > 1 ? data[0][1] - x0 : 1;
    this.#put(id, {
      scales: {x: {time: false, range: [x0 - width / 2, x1 + width / 2]}, y: {range: (_, _min, max) => [0, Math.max(max * 1.1, 1)]}}, axes: [this.#axis(x), this.#axis(y)],
      series: [{}, ...labels.map((label, i) => ({label, paths, fill: fills[i], stroke: fills[i], points: {show: false}}))],
    }, data);
  }

  #drawStrengths() {
    const speeds = this.#contacts.map(({speed}) => speed), {a: colour, c} = this.#colours();
    const most = speeds.reduce((a, b) => Math.max(a, b), 1), least = speeds.reduce((a, b) => Math.min(a, b), 0), missed = this.#contacts.filter(({seen}) => seen === false).map(({speed}) => speed);
    const [x, all] = histogram(speeds, least, most, BINS);
    this.#bars("strength", [x, all, histogram(missed, least, most, BINS)[1]], "m/s", [colour, c],
               ["contacts", "sampling misses it"]);
  }

  #drawAlong() {
    const {a, b} = this.#colours(), first = [], second = [];
    for (const {along, target} of this.#contacts) {
      first.push(along[0]);
      if (target === undefined) second.push(along[1]);
    }
    const [x, one] = histogram(first, 0, 1, BINS), [, two] = histogram(second, 0, 1, BINS);
    this.#bars("along", [x, one.map((count, i) => count + two[i]), two], "0 base … 1 tip", [a, b], ["first blade", "second blade"]);
  }

  #drawMinutes() {
    const {first, last} = this.#extent, length = Math.max((last - first) / 1e9, 1e-3);
    const width = length > 600 ? 60 : length > 60 ? 10 : 1, bins = Math.max(Math.ceil(length / width), 1), {a} = this.#colours();
    const [x, counts] = histogram(this.#contacts.map(({start}) => (start - first) / 1e9), 0, bins * width, bins);
    this.#bars("minutes", [x, counts.map((count) => count * 60 / width)], "s", [a], ["per minute"], "per minute");
  }

  async #drawNear() {
    const contact = this.#contact, mine = ++this.#asked;
    const slot = /** @type {any} */ (this.#plots.get("near"));
    if (!contact) {
      slot.plot?.destroy();
      slot.plot = null;
      slot.body.replaceChildren(make("p", {className: "log-empty", text: "Select a contact in the timeline or the table."}));
      return;
    }
    const length = Math.min(contact.end - contact.start, 4 * AROUND_NS);
    const {rows, samples} = await this.#profile(contact.blades, contact.start - AROUND_NS, contact.start + length + AROUND_NS, POINTS);
    if (mine !== this.#asked) return;
    const {a, b, c, text} = this.#colours(), at = new Map(samples.map(({time, distance}) => [time, distance]));
    const x = rows.map(({time}) => (time - contact.start) / 1e6);
    const data = [x, rows.map(({distance}) => distance === null ? null : distance * 1000), rows.map(({speed}) => speed),
                  rows.map(({time}) => at.has(time) && at.get(time) !== null ? at.get(time) * 1000 : null),
                  rows.map(() => this.#threshold * 1000)];
    this.#put("near", {
      scales: {x: {time: false}, mm: {range: (_, _min, max) => [0, Math.max(max, 1)]}, speed: {}},
      axes: [this.#axis("ms from first touch"), this.#axis("axis distance, mm", {scale: "mm"}),
             this.#axis("closing, m/s", {scale: "speed", side: 1, space: 24, grid: {show: false}})],
      series: [{}, {label: "distance", scale: "mm", stroke: a, width: 2, points: {show: false}},
               {label: "closing speed", scale: "speed", stroke: b, width: 1.5, points: {show: false}},
               {label: "samples", scale: "mm", stroke: c, paths: () => null, points: {show: true, size: 7, fill: c, stroke: c}},
               {label: "touching", scale: "mm", stroke: text, width: 1, dash: [4, 4], points: {show: false}}],
    }, data);
    const nearest = rows.reduce((least, row) => row.distance !== null && row.distance < least.distance ? row : least, {distance: Infinity, time: 0});
    slot.element.dataset.nearest = String(nearest.distance);
  }

  #resize() {
    for (const {plot, body} of this.#plots.values())
      if (plot && body.clientWidth > 0 && Math.abs(plot.width - body.clientWidth) > 1) plot.setSize({width: body.clientWidth, height: HEIGHT});
  }

  /** @param {string} id */
  #picture(id) {
    const canvas = this.#plots.get(id)?.plot?.ctx.canvas;
    if (!canvas) return;
    const whole = document.createElement("canvas"), c = /** @type {CanvasRenderingContext2D} */ (whole.getContext("2d"));
    [whole.width, whole.height] = [canvas.width, canvas.height];
    c.fillStyle = getComputedStyle(this.element).getPropertyValue("--log-paper").trim() || "#fff";
    c.fillRect(0, 0, whole.width, whole.height);
    c.drawImage(canvas, 0, 0);
    whole.toBlob((blob) => blob && save(blob, `clashd-${id}.png`));
  }
}
