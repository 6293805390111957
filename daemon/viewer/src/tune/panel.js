// Sliders over a log: what they make of it is found anew as they move, and compared with what its own settings gave.
import {make, printable, say} from "../look/dom.js";
import {button} from "../log/dom.js";
import {compare, statsOf} from "./stats.js";
import {configurationOf, fileOf} from "./settings.js";
import {Superseded} from "../log/client.js";

const DEBOUNCE_MS = 60;
const ALL = "";
/** What there is to move; `scale` from what is shown to what is set. */
const CONTACT = [
  {key: "margin", title: "Margin", unit: "mm", scale: 1e-3, min: 0, max: 100, step: 0.5, says: "distance added to the sum of the radii"},
  {key: "release_margin", title: "Release margin", unit: "mm", scale: 1e-3, min: 0, max: 100, step: 0.5, says: "extra distance at which a contact ends"},
  {key: "max_gap_ms", title: "Gap", unit: "ms", scale: 1, min: 1, max: 250, step: 1, says: "longer gaps between samples are not swept"},
];
const BLADE = [
  {key: "radius", title: "Radius", unit: "mm", scale: 1e-3, min: 0, max: 100, step: 0.5, says: "radius of the blade"},
  {key: "hilt", title: "Hilt", unit: "mm", scale: 1e-3, min: -300, max: 300, step: 5, says: "moves the lower end along the axis"},
  {key: "tip", title: "Tip", unit: "mm", scale: 1e-3, min: -500, max: 500, step: 5, says: "moves the upper end along the axis"},
];

/** @typedef {import("../log/slim.js").Slim} Slim */
/** @typedef {{detect(configuration: object | null): Promise<any>, show(contacts: Slim[], compared: any): void, say(text: string): void}} Tuned */

export class TunePanel {
  element = make("div", {className: "log-tune"});
  /** @type {import("./settings.js").Changes} */
  #changes = {blades: {}};
  /** @type {any} */
  #log = null;
  /** @type {Slim[]} */
  #before = [];
  #timer = 0;
  #asked = 0;
  #blade = make("select", {"aria-label": "Blade"});
  #status = make("p", {className: "log-status", role: "status"});
  #table = make("table", {className: "log-stats"});
  #text = make("textarea", {className: "log-settings", readOnly: true, rows: 8, "aria-label": "Settings for clashd --config"});
  /** @type {Map<string, {input: HTMLInputElement, output: HTMLOutputElement, row: any}>} */
  #sliders = new Map();
  #tuned;

  /** @param {Tuned} tuned */
  constructor(tuned) {
    this.#tuned = tuned;
    this.#blade.addEventListener("change", () => this.#showValues());
    const copy = button("Copy settings", () => this.#copy(), {className: "is-main"});
    this.element.append(
      make("div", {className: "log-group"}, make("h3", {text: "Contact rules"}), ...CONTACT.map((row) => this.#slider(row))),
      make("div", {className: "log-group"}, make("h3", {}, "Blade ", this.#blade), ...BLADE.map((row) => this.#slider(row))),
      this.#status, this.#table,
      make("div", {className: "log-buttons"}, copy, button("Reset", () => this.reset())), this.#text);
    this.element.inert = true;
  }

  /** @param {any} row */
  #slider(row) {
    const id = `tune-${row.key}`;
    const input = make("input", {type: "range", id, min: String(row.min), max: String(row.max), step: String(row.step), title: row.says});
    const output = make("output", {htmlFor: id});
    input.addEventListener("input", () => this.#moved(row, Number(input.value)));
    this.#sliders.set(row.key, {input, output, row});
    return make("div", {className: "log-slider"}, make("label", {htmlFor: id, text: row.title, title: row.says}), input, output);
  }

  /** A log with its own settings' contacts. @param {any} log summary @param {Slim[]} contacts */
  setLog(log, contacts) {
    this.#log = log;
    this.#before = contacts;
    this.#changes = {blades: {}};
    this.element.inert = !log?.header;
    this.#blade.replaceChildren(make("option", {value: ALL, textContent: "all blades"}),
                                ...(log?.blades ?? []).map(({name}) => make("option", {value: name, textContent: printable(name, 24)})));
    this.#showValues();
    if (log?.header) this.#report(contacts, log.found?.holds ?? 0);
  }

  reset() {
    this.#changes = {blades: {}};
    this.#showValues();
    this.#ask();
  }

  /** Whether other settings than the recording's are in force. */
  get isChanged() {
    return this.#log?.header ? configurationOf(this.#changes, this.#log.blades) !== null : false;
  }

  #chosen() {
    return this.#blade.value === ALL ? this.#log?.blades ?? [] : this.#log.blades.filter(({name}) => name === this.#blade.value);
  }

  /** @param {any} row */
  #value(row) {
    if (!this.#log?.contact) return row.min * row.scale;
    if (CONTACT.includes(row)) return this.#changes[row.key] ?? this.#log.contact[row.key];
    const [blade] = this.#chosen(), own = this.#changes.blades[blade?.name];
    return row.key === "radius" ? own?.radius ?? blade?.radius ?? 0 : own?.[row.key] ?? 0;
  }

  #showValues() {
    const isOfParts = this.#chosen().some((blade) => blade.parts);
    for (const {input, output, row} of this.#sliders.values()) {
      const value = this.#value(row) / row.scale;
      input.max = String(Math.max(row.max, value));
      input.value = String(value);
      input.disabled = isOfParts && (row.key === "hilt" || row.key === "tip");
      output.textContent = this.#shown(row, value);
      input.setAttribute("aria-valuetext", output.textContent);
    }
    this.#text.value = this.#log?.header ? `${JSON.stringify(fileOf(this.#changes, this.#log.blades, this.#log.contact), null, 2)}\n` : "";
  }

  /** @param {any} row @param {number} value */
  #shown(row, value) {
    const byRate = row.key === "max_gap_ms" && this.#changes.max_gap_ms === undefined && this.#log?.contact?.gap_by_rate;
    const sign = (row.key === "hilt" || row.key === "tip") && value > 0 ? "+" : "";
    return byRate ? "by sample rate" : `${sign}${Number(value.toFixed(2))} ${row.unit}`;
  }

  /** @param {any} row @param {number} shown */
  #moved(row, shown) {
    const value = Number((shown * row.scale).toPrecision(9));
    if (CONTACT.includes(row)) this.#changes[row.key] = value;
    else for (const {name} of this.#chosen()) {
      const change = this.#changes.blades[name] ??= {hilt: 0, tip: 0};
      change[row.key] = value;
    }
    this.#showValues();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), DEBOUNCE_MS);
  }

  async #ask() {
    const mine = ++this.#asked, configuration = configurationOf(this.#changes, this.#log.blades);
    say(this.#status, "Finding contacts…");
    this.element.dataset.state = "busy";
    try {
      const {contacts, found} = await this.#tuned.detect(configuration);
      if (mine !== this.#asked) return;
      this.#report(contacts, found.holds);
      this.element.dataset.state = "done";
    } catch (error) {
      if (error instanceof Superseded || mine !== this.#asked) return;
      say(this.#status, error instanceof Error ? error.message : String(error));
      this.element.dataset.state = "failed";
    }
  }

  /** @param {Slim[]} contacts @param {number} holds */
  #report(contacts, holds) {
    const {extent} = this.#log, isChanged = this.isChanged;
    const now = statsOf(contacts, extent, holds), before = statsOf(this.#before, extent, this.#log.found.holds);
    const compared = isChanged ? compare(this.#before, contacts) : null;
    say(this.#status, compared ? `${compared.fresh} new, ${compared.gone.length} gone, ${compared.kept.size} unchanged.` : "As recorded.");
    const two = (number) => number === null || number === undefined ? "–" : number.toFixed(2);
    /** @type {[string, (s: any) => string][]} */
    const rows = [
      ["Contacts", (s) => String(s.contacts)], ["Contacts per minute", (s) => s.contacts_per_minute.toFixed(1)],
      ["Closing speed, median", (s) => `${two(s.closing_speed?.median)} m/s`], ["Closing speed, 90th percentile", (s) => `${two(s.closing_speed?.p90)} m/s`],
      ["Intensity, median", (s) => two(s.intensity?.median)],
      ["Duration, median", (s) => s.duration_s ? `${(s.duration_s.median * 1e3).toFixed(1)} ms` : "–"], ["Holds", (s) => String(s.holds)],
      ["Smallest distance", (s) => s.min_distance === null ? "–" : `${(s.min_distance * 1e3).toFixed(2)} mm`],
    ];
    this.#table.replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), make("th", {text: "recorded", scope: "col"}), make("th", {text: "now", scope: "col"}))),
      make("tbody", {}, ...rows.map(([title, text]) => make("tr", {}, make("th", {text: title, scope: "row"}),
                                                           make("td", {text: text(before)}), make("td", {text: text(now)})))));
    this.element.dataset.stats = JSON.stringify(now);
    this.#tuned.show(contacts, compared);
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#text.value);
      this.#tuned.say("Settings copied. Save them as a file for clashd --config.");
    } catch { // not everywhere is it allowed
      this.#text.select();
      this.#tuned.say("Settings selected. Copy them with Ctrl+C.");
    }
  }
}
