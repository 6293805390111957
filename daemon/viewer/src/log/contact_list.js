// The contacts as a table. Only the rows that are seen are there, however many contacts there are.
import {make, printable} from "../look/dom.js";
import {clock, ms} from "./text.js";

/** @typedef {import("./slim.js").Slim} Slim */

const ROW = 30, EXTRA = 6;

/** What the samples alone would have said, in words. @param {Slim} contact */
export function seenText({seen}) {
  return seen === false ? "missed" : seen === null ? "–" : seen === 0 ? "saw it" : `+${ms(seen)}`;
}

export class ContactList {
  element = make("div", {className: "log-contacts"});
  #head = make("div", {className: "log-row log-head", "aria-hidden": "true"}, ...["#", "time", "blades", "m/s", "sampling"].map((text) => make("span", {text})));
  #scroll = make("div", {className: "log-scroll", tabIndex: 0, role: "listbox", "aria-label": "Contacts"});
  #inner = make("div", {className: "log-inner"});
  #empty = make("p", {className: "log-empty", text: "No contacts yet."});
  /** @type {Slim[]} */
  #contacts = [];
  /** @type {Set<number>} */
  picked = new Set();
  #selected = -1;
  #onPick;

  /** @param {(index: number) => void} onPick */
  constructor(onPick) {
    this.#onPick = onPick;
    this.#scroll.append(this.#inner);
    this.element.append(this.#head, this.#scroll, this.#empty);
    this.#scroll.addEventListener("scroll", () => this.#draw());
    this.#scroll.addEventListener("click", (event) => this.#click(event));
    this.#scroll.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.#scroll);
  }

  /** @param {Slim[]} contacts */
  setContacts(contacts) {
    this.#contacts = contacts;
    this.picked.clear();
    this.#inner.style.height = `${contacts.length * ROW}px`;
    this.#empty.hidden = contacts.length > 0;
    this.#draw();
  }

  /** @param {number} index */
  select(index) {
    this.#selected = index;
    const top = index * ROW, view = this.#scroll.clientHeight;
    if (index >= 0 && (top < this.#scroll.scrollTop || top + ROW > this.#scroll.scrollTop + view)) this.#scroll.scrollTop = top - view / 2;
    this.#draw();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest(".log-row");
    const index = row ? Number(/** @type {HTMLElement} */ (row).dataset.index) : -1;
    if (index < 0) return;
    if (event.shiftKey && this.#selected >= 0)
      for (let i = Math.min(index, this.#selected); i <= Math.max(index, this.#selected); i++) this.picked.add(i);
    else if (event.ctrlKey || event.metaKey) this.picked.has(index) ? this.picked.delete(index) : this.picked.add(index);
    else this.picked = new Set([index]);
    this.#onPick(index);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = {ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity}[event.key];
    if (by === undefined || this.#contacts.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(Math.max(this.#selected + by, 0), this.#contacts.length - 1);
    this.picked = new Set([next]);
    this.#onPick(next);
  }

  #draw() {
    const from = Math.max(Math.floor(this.#scroll.scrollTop / ROW) - EXTRA, 0);
    const to = Math.min(Math.ceil((this.#scroll.scrollTop + this.#scroll.clientHeight) / ROW) + EXTRA, this.#contacts.length);
    const rows = [];
    for (let i = from; i < to; i++) rows.push(this.#row(i));
    this.#inner.replaceChildren(...rows);
  }

  /** @param {number} i */
  #row(i) {
    const contact = this.#contacts[i], names = contact.blades.map((name) => printable(name, 24)).join(" × ");
    const row = make("div", {className: "log-row", role: "option", "aria-selected": String(i === this.#selected)},
                     make("span", {text: String(i + 1)}), make("span", {text: clock(contact.start)}),
                     make("span", {text: names, title: names}),
                     make("span", {text: contact.speed > 0 ? contact.speed.toFixed(1) : "–"}), make("span", {className: "log-seen", text: seenText(contact)}));
    row.dataset.index = String(i);
    row.classList.toggle("is-missed", contact.seen === false);
    row.classList.toggle("is-picked", this.picked.has(i));
    row.style.top = `${i * ROW}px`;
    return row;
  }
}
