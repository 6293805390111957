// Where a log comes from, how far it has been read, and what is wrong with it.
import {Demo} from "../demo.js";
import {make, printable, say} from "../look/dom.js";
import {token} from "../look/token.js";
import {button} from "./dom.js";
import {clock, counted, size} from "./text.js";

/** @typedef {import("./slim.js").Slim} Slim */

const DAMAGE_SHOWN = 200;

export class Source {
  name = "";
  #input = make("input", {type: "file", id: "log-file", accept: ".jsonl,.zst", hidden: true, "aria-label": "Log"});
  #pick = make("select", {"aria-label": "Logs of clashd", hidden: true});
  #title = make("span", {className: "log-name"});
  #summary = make("span", {className: "log-summary"});
  #progress = make("progress", {className: "log-progress", max: 1, value: 0, hidden: true, "aria-label": "Reading progress"});
  #message = make("p", {className: "log-message", role: "status"});
  #damage = make("details", {className: "log-damage", hidden: true});
  welcome = make("div", {className: "log-welcome"});
  #onPick;

  /** @param {(from: {blob?: Blob, url?: string, headers?: Record<string, string>, name: string}) => void} onPick */
  constructor(onPick) {
    this.#onPick = onPick;
    const open = () => button("Open a log…", () => this.#input.click(), {className: "button"});
    this.#input.addEventListener("change", () => {
      const [file] = this.#input.files ?? [];
      if (file) onPick({blob: file, name: file.name});
      this.#input.value = ""; // the same one may be wanted again
    });
    this.#pick.addEventListener("change", () => this.#take(this.#pick.value));
    this.element = make("div", {className: "log-top"}, open(), this.#input, this.#pick, this.#title, this.#summary, this.#progress,
                        this.#message, this.#damage);
    this.welcome.append(make("h2", {text: "A recording, frame by frame"}),
      make("p", {text: "Drop a .jsonl or .jsonl.zst here, as clashd --record writes them. The page finds its contacts with clashd's own code; the file " +
                       "stays in your browser."}),
      make("div", {className: "acts"}, open(), button("Try 20 s of human swings", () => this.#takeDemo(), {className: "button"})));
  }

  async #takeDemo() {
    try {
      this.#onPick({blob: (await Demo.load()).recording(), name: "human-swings.jsonl"});
    } catch (error) {
      this.say(`The swings cannot be loaded: ${/** @type {Error} */ (error).message}`, true);
    }
  }

  #headers() {
    const given = token();
    return given ? {Authorization: `Bearer ${given}`} : /** @type {Record<string, string>} */ ({});
  }

  /** clashd's own logs, where it has some. */
  async list() {
    let logs = [];
    try {
      const answer = await fetch(new URL("logs", document.baseURI), {headers: this.#headers()});
      if (answer.ok && answer.headers.get("Content-Type")?.includes("json")) logs = (await answer.json()).logs ?? [];
    } catch { /* there may be no clashd any more: files can be dropped all the same */ }
    this.#pick.hidden = logs.length === 0;
    this.#pick.replaceChildren(make("option", {value: "", textContent: `clashd's logs (${logs.length})`}),
      ...logs.map(({name, bytes}) => make("option", {value: name, textContent: `${printable(name, 60)} · ${size(bytes)}`})));
    const wanted = new URLSearchParams(location.hash.slice(1)).get("log"); // as `clashctl view FILE` has it
    if (wanted && !this.name) this.#take(wanted);
  }

  /** @param {string} name */
  #take(name) {
    if (!name) return;
    this.#pick.value = "";
    this.#onPick({url: new URL(`logs/${encodeURIComponent(name)}`, document.baseURI).href, headers: this.#headers(), name});
  }

  /** @param {string} name */
  loading(name) {
    this.name = name;
    this.welcome.hidden = true;
    say(this.#title, printable(name, 60));
    say(this.#summary, "");
    this.say("");
    this.#progress.hidden = false;
    this.#progress.removeAttribute("value");
    this.#damage.hidden = true;
    this.#damage.open = false;
  }

  /** @param {any} event */
  progress({read, total, extent, contacts}) {
    if (total > 0) this.#progress.value = Math.min(read / total, 1);
    say(this.#summary, `${size(read)}${total > 0 ? ` of ${size(total)}` : ""}${extent ? `, ${clock(extent.last - extent.first, 0)}` : ""}`);
    void contacts;
  }

  /** @param {string} text @param {boolean} [isBad] */
  say(text, isBad = false) {
    say(this.#message, text);
    this.#message.classList.toggle("is-bad", isBad);
    this.#message.setAttribute("role", isBad ? "alert" : "status");
  }

  /** @param {string} reason */
  failed(reason) {
    this.#progress.hidden = true;
    this.say(`${printable(this.name, 60)} cannot be shown: ${printable(reason, 400)}`, true);
  }

  /** @param {any} log @param {Slim[]} contacts */
  ready(log, contacts) {
    this.#progress.hidden = true;
    if (!log.header) return this.failed(log.failure ?? "the file is empty");
    const own = log.counts.clashes > 0 && log.counts.clashes !== contacts.length ? `; the file lists ${log.counts.clashes}` : "";
    this.found(contacts, own);
    const said = [log.failure && `Only a part could be read: ${printable(log.failure, 300)}.`,
                  ...log.problems.slice(0, 5).map((problem) => `${printable(problem, 300)}: contacts may differ from clashctl's.`),
                  log.found?.refused > 0 && `${counted(log.found.refused, "sample")} refused.`].filter(Boolean);
    this.say(said.join(" "), Boolean(log.failure || log.problems.length > 0));
    this.#showDamage(log);
    this.#extent = log.extent;
    this.found(contacts, own);
  }

  #extent = {first: 0, last: 0};

  /** @param {Slim[]} contacts @param {string} [more] */
  found(contacts, more = "") {
    const missed = contacts.filter(({seen}) => seen === false).length;
    say(this.#summary, `${clock(this.#extent.last - this.#extent.first, 1)} · ${counted(contacts.length, "contact")}${more} · sampling alone misses ${missed}`);
  }

  /** @param {any} log */
  #showDamage({damage, damageCount}) {
    this.#damage.hidden = damageCount === 0;
    if (damageCount === 0) return;
    const sorted = damage.slice().sort((a, b) => a.line - b.line), shown = sorted.slice(0, DAMAGE_SHOWN);
    this.#damage.replaceChildren(
      make("summary", {}, make("strong", {text: counted(damageCount, "damaged place")}),
           ` skipped. Line ${shown[0].line}: ${printable(shown[0].reason, 160)}`),
      make("ol", {}, ...shown.map(({line, reason}) => make("li", {text: `line ${line}: ${printable(reason, 300)}`}))),
      ...(damageCount > shown.length ? [make("p", {text: `and ${counted(damageCount - shown.length, "other")}`})] : []));
  }
}
