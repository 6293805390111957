// The list of events beside the room, the newest first. A contact is one row: its clash, and how long it held. There are never more than
// ROWS_MAX rows: the oldest becomes the newest, and however many events come, a frame fills each row once at most.
import {make, say} from "../look/dom.js";
import {deviceWords, isHit, msWords, pairWords, reasonWords, sourceWords, speedWords, timeWords} from "./words.js";

const ROWS_MAX = 120;

/** @typedef {{type: string, time_ns?: number, id?: number, [key: string]: any}} Event */
/** @typedef {{item: HTMLLIElement, button: HTMLButtonElement, when: Element, what: Element, how: Element, more: Element,
 *  note: string, bar: HTMLElement, event: Event | null}} Row */

/** What a row of another event says: [what, more]. @param {Event} event @returns {[string, string]} */
function otherWords(event) {
  switch (event.type) {
    case "tracking": return [`${deviceWords(event.device)}: ${reasonWords(event.reason)}`, event.source ? sourceWords(event.source) : ""];
    case "space_changed": return ["the reference space changed", event.source ? `now from: ${sourceWords(event.source)}` : ""];
    case "lagged": return [`${event.missed} events missed`, "this page reads too slowly, or was away for too long"];
    default: return [event.text, ""]; // the page's own: connected, disconnected
  }
}

export class EventList {
  #list = make("ol");
  element = make("div", {className: "events", role: "region", "aria-label": "Events, newest first", tabIndex: 0}, this.#list);
  /** @type {Row[]} oldest first */
  #rows = [];
  /** @type {Event[]} not yet shown */
  #waiting = [];
  /** @type {Map<number, Row>} by the id of the contact */
  #contacts = new Map();
  /** @type {Map<number, string>} what becomes of contacts */
  #updates = new Map();
  #selected = /** @type {Event | null} */ (null);
  #onSelect;

  /** @param {(clash: Event | null) => void} onSelect */
  constructor(onSelect) {
    this.#onSelect = onSelect;
  }

  /** @param {Event} event */
  add(event) {
    if (event.type === "hold" || event.type === "release") {
      const held = msWords(event.duration_ns / 1e6);
      this.#updates.set(/** @type {number} */ (event.id), event.type === "hold" ? `touching for ${held}`
        : `${held}${event.reason === "apart" ? "" : event.reason === "removed" ? ", removed" : ", tracking cut"}`);
      if (this.#updates.size > 2 * ROWS_MAX) this.#updates.delete(/** @type {number} */ (this.#updates.keys().next().value)); // the tab is hidden
      return;
    }
    this.#waiting.push(event);
    if (this.#waiting.length > ROWS_MAX) this.#waiting.shift();
  }

  /** Shows what has come. */
  render() {
    for (const event of this.#waiting) this.#fill(this.#oldest(), event);
    this.#waiting = [];
    for (const [id, words] of this.#updates) {
      const row = this.#contacts.get(id);
      if (row) say(row.more, [row.note, words].filter(Boolean).join(", "));
    }
    this.#updates.clear();
  }

  clear() {
    for (const {item} of this.#rows) item.remove();
    this.#rows = [];
    this.#waiting = [];
    this.#contacts.clear();
    this.#updates.clear();
    this.#pick(null);
  }

  /** A row for a new event, on top. @returns {Row} */
  #oldest() {
    const row = this.#rows.length < ROWS_MAX ? this.#make() : /** @type {Row} */ (this.#rows.shift());
    if (row.event?.type === "clash" && this.#contacts.get(/** @type {number} */ (row.event.id)) === row)
      this.#contacts.delete(/** @type {number} */ (row.event.id));
    this.#rows.push(row);
    this.#list.prepend(row.item);
    return row;
  }

  /** @returns {Row} */
  #make() {
    const parts = ["when", "what", "how", "more"].map((className) => make("span", {className}));
    const bar = make("span", {className: "bar"});
    const button = make("button", {type: "button", className: "event"}, ...parts, bar);
    const row = {item: make("li", {}, button), button, when: parts[0], what: parts[1], how: parts[2], more: parts[3], note: "", bar, event: null};
    button.addEventListener("click", () => this.#pick(row.event === this.#selected ? null : row.event));
    return row;
  }

  /** @param {Row} row @param {Event} event */
  #fill(row, event) {
    const isClash = event.type === "clash";
    row.event = event;
    row.button.dataset.type = event.type;
    row.button.disabled = !isClash;
    row.button.setAttribute("aria-pressed", String(event === this.#selected));
    say(row.when, event.time_ns === undefined ? "" : timeWords(event.time_ns));
    if (isClash) {
      say(row.what, pairWords(/** @type {any} */ (event)).join(" × "));
      say(row.how, speedWords(event.closing_speed));
      row.note = event.resumed ? "continued" : event.late || !isHit(/** @type {any} */ (event)) ? "touching already" : "";
      say(row.more, row.note);
      row.bar.style.transform = `scaleX(${event.intensity})`;
      this.#contacts.set(/** @type {number} */ (event.id), row);
      return;
    }
    const [what, more] = otherWords(event);
    say(row.what, what);
    say(row.how, "");
    say(row.more, more);
    row.bar.style.transform = "scaleX(0)";
  }

  /** @param {Event | null} event */
  #pick(event) {
    if (event === this.#selected) return;
    this.#selected = event;
    for (const row of this.#rows) row.button.setAttribute("aria-pressed", String(event !== null && row.event === event));
    this.#onSelect(event);
  }

  deselect() {
    this.#pick(null);
  }
}
