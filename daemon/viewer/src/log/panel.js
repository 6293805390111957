// The panel "Log": a recording, its timeline, what is found in it, and what a test at the samples alone would have found.
import {make} from "../look/dom.js";
import {onTheme} from "../look/theme.js";
import {PlotsPanel} from "../plots/panel.js";
import {TunePanel} from "../tune/panel.js";
import {LogClient, Superseded} from "./client.js";
import {ContactList} from "./contact_list.js";
import {Controls} from "./controls.js";
import {tabs} from "./dom.js";
import {ExportPanel} from "./export_panel.js";
import {Picture} from "./picture.js";
import {Player} from "./player.js";
import {Source} from "./source.js";
import {Timeline} from "./timeline.js";

/** @typedef {import("./slim.js").Slim} Slim */

const LOOP_NS = 80e6;

class LogPanel {
  /** @type {Slim[]} */
  contacts = [];
  /** @type {any} the summary of the log that is open */
  log = null;
  selected = -1;
  /** "empty", "loading", "ready" or "failed": for tests. */
  state = "empty";
  #client = new LogClient((event) => this.#hear(event));
  #fits = false;

  /** @param {HTMLElement} element @param {import("../scene/stage.js").Stage} stage */
  constructor(element, stage) {
    this.element = element;
    this.stage = stage;
    this.player = new Player((time) => this.#draw(time), () => this.controls.showPlaying());
    this.timeline = new Timeline({seek: (time) => this.#seek(time), loop: (range) => this.loop(range), pick: (i) => this.select(i)});
    this.list = new ContactList((i) => this.select(i));
    this.picture = new Picture(stage);
    this.controls = new Controls(this.player, {step: (by) => this.step(by), stepContact: (by) => this.stepContact(by),
                                               loop: () => this.#toggleLoop(), redraw: () => this.#redraw(), look: (view) => this.#look(view)},
                                 this.picture);
    this.source = new Source((from) => this.load(from));
    this.tune = new TunePanel({detect: (configuration) => this.#client.call("detect", configuration),
                               show: (contacts, compared) => this.#show(contacts, compared), say: (text) => this.source.say(text)});
    this.plots = new PlotsPanel((...args) => this.#client.call("profile", ...args));
    this.exports = new ExportPanel(this);
    this.side = tabs("Analysis", [
      {id: "contacts", title: "Contacts", element: this.list.element, show: () => this.plots.hide()},
      {id: "tune", title: "Tune", element: this.tune.element, show: () => this.plots.hide()},
      {id: "plots", title: "Plots", element: this.plots.element, show: () => this.plots.show()},
      {id: "export", title: "Export", element: this.exports.element, show: () => this.plots.hide()},
    ]);
    element.append(this.source.element, make("div", {className: "log-view"}, stage.element, this.source.welcome),
                   this.side.element, make("div", {className: "log-bottom"}, this.picture.element, this.controls.element, this.timeline.element));
    onTheme(() => {
      this.timeline.setContacts(this.contacts, this.log?.marks ?? [], this.compared);
      this.plots.redraw();
      this.#redraw();
    });
    this.#listen();
    this.#frame();
  }

  // ---- a log ----

  /** @param {{blob?: Blob, url?: string, headers?: Record<string, string>, name: string}} from */
  async load({name, ...from}) {
    this.player.pause();
    this.#forget();
    this.state = "loading";
    this.source.loading(name);
    try {
      const {contacts, ...log} = await this.#client.call("load", from);
      this.#ready(log, contacts);
    } catch (error) {
      if (error instanceof Superseded) return;
      this.state = "failed";
      this.source.failed(error instanceof Error ? error.message : String(error));
    }
  }

  #forget() {
    this.log = null;
    this.contacts = [];
    this.compared = null;
    this.selected = -1;
    this.#fits = false;
    this.player.loop = null;
    this.player.time = 0;
    this.picture.forget();
    this.timeline.setLoop(null);
    this.tune.setLog(null, []);
    this.#show([], null);
  }

  /** @param {any} event */
  #hear(event) {
    if (event.event === "detecting") return;
    this.source.progress(event);
    if (!event.header || this.state !== "loading") return;
    this.contacts = this.contacts.concat(event.contacts);
    if (event.extent) {
      this.player.extent = [event.extent.first, event.extent.last];
      this.timeline.setExtent(event.extent.first, event.extent.last);
    }
    this.timeline.setContacts(this.contacts, []);
    if (!this.#fits) this.player.seek(event.extent?.first ?? 0);
  }

  /** @param {any} log @param {Slim[]} contacts */
  #ready(log, contacts) {
    this.log = log;
    this.state = log.header ? "ready" : "failed";
    this.source.ready(log, contacts);
    if (!log.header) return;
    this.player.extent = [log.extent.first, log.extent.last];
    this.timeline.setExtent(log.extent.first, log.extent.last);
    this.tune.setLog(log, contacts);
    this.exports.setName(this.source.name);
    // So that the keys go there, unless the user has focused something else.
    if (document.activeElement === document.body || document.activeElement?.closest("#bar, .log-top, .log-welcome"))
      this.timeline.element.focus({preventScroll: true});
    if (contacts.length > 0) this.select(0);
    else this.#seek(log.extent.first);
  }

  /** @param {Slim[]} contacts @param {any} compared */
  #show(contacts, compared) {
    this.contacts = contacts;
    this.compared = compared;
    this.selected = -1;
    this.list.setContacts(contacts);
    this.timeline.setContacts(contacts, this.log?.marks ?? [], compared);
    this.controls.showLegend(compared !== null);
    this.plots.setContacts(contacts, this.log?.extent ?? {first: 0, last: 0});
    this.plots.setContact(null);
    this.picture.setContact(null);
    if (!this.log?.header) return;
    this.source.found(contacts);
    const {time} = this.player; // the same contact may have moved a little
    this.#select(contacts.findIndex(({start, end}) => start - 1e6 <= time && time <= end + 1e6));
    this.#redraw();
  }

  // ---- where ----

  /** @param {number} time */
  #seek(time) {
    this.#select(-1);
    this.player.seek(time);
  }

  /** @param {number} index */
  #select(index) {
    if (index === this.selected) return;
    this.selected = index;
    this.list.select(index);
    this.picture.setContact(this.contacts[index] ?? null);
    this.plots.setContact(this.contacts[index] ?? null);
  }

  /** Goes to where a contact begins. @param {number} index */
  select(index) {
    const contact = this.contacts[index];
    if (!contact) return;
    this.player.pause();
    this.#select(index);
    this.player.seek(contact.start);
    this.stage.lookAt(contact.midpoint, 0.9);
  }

  /** @param {1 | -1} by */
  async step(by) {
    this.player.pause();
    if (!this.log?.header) return;
    this.#seek(await this.#client.call("step", this.player.time, by));
  }

  /** @param {1 | -1} by */
  stepContact(by) {
    const {time} = this.player, at = this.contacts.findIndex(({start}) => start >= time - 0.5);
    if (this.selected >= 0) this.select(this.selected + by);
    else if (by > 0) this.select(at);
    else this.select((at < 0 ? this.contacts.length : at) - 1);
  }

  /** @param {[number, number] | null} range */
  loop(range) {
    this.player.loop = range;
    this.timeline.setLoop(range);
    this.controls.showPlaying();
  }

  #toggleLoop() {
    const contact = this.contacts[this.selected], {time, loop, extent} = this.player;
    const [from, to] = contact ? [contact.start - LOOP_NS, Math.min(contact.end, contact.start + 1e9) + LOOP_NS] : [time - 5e8, time + 5e8];
    this.loop(loop ? null : [Math.max(from, extent[0]), Math.min(to, extent[1])]);
    if (this.player.loop) this.timeline.show(from - (to - from), to + (to - from));
  }

  // ---- drawing ----

  #redraw() {
    if (this.log?.header) this.player.refresh();
  }

  /** Draws a time: for clips too. @param {number} time */
  async #draw(time) {
    if (!this.log?.header && this.state !== "loading") return;
    const {playing, speed} = this.player;
    let at;
    try {
      at = await this.#client.call("at", time, this.picture.wanted(this.contacts[this.selected], playing && speed > 0.2));
    } catch {
      return; // while nothing has been read yet
    }
    this.picture.show(at, playing ? this.#passed(time) : []);
    if (!this.#fits && at.devices.length > 0) {
      this.#fits = true;
      this.stage.frame();
    }
    this.timeline.setTime(time, this.selected);
    this.controls.showTime(time, at.index);
  }

  #last = 0;

  /** Contacts that have begun since the last picture. @param {number} time */
  #passed(time) {
    const from = this.#last;
    this.#last = time;
    if (this.selected >= 0) this.#select(-1);
    return time > from && time - from < 5e8 ? this.contacts.filter(({start}) => start > from && start <= time) : [];
  }

  /** @param {number} time */
  async drawAt(time) {
    await this.#draw(time);
    this.stage.render(performance.now());
  }

  #isShown = true;

  #frame() {
    requestAnimationFrame((now) => {
      if (this.#isShown) this.stage.render(now);
      if (this.#isShown) this.#frame();
    });
  }

  show() {
    if (!this.#isShown) {
      this.#isShown = true;
      this.#frame();
    }
    this.player.setShown(true);
    this.source.list();
  }

  hide() {
    this.#isShown = false;
    this.player.setShown(false);
  }

  /** @param {string} view of those that Controls has */
  #look(view) {
    if (view === "fit") this.stage.frame();
    else if (view) this.stage.setView(/** @type {import("../scene/view.js").ViewName} */ (view));
  }

  // ---- keys and drops ----

  #listen() {
    addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.element.classList.add("is-dropping");
    });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("is-dropping"));
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      this.element.classList.remove("is-dropping");
      const [file] = event.dataTransfer?.files ?? [];
      if (file) this.load({blob: file, name: file.name});
    });
  }

  /** What #key() does, in words. */
  keys = [
    {key: " ", shown: "Space", about: "play and pause"}, {key: "ArrowLeft", shown: "←", about: "previous sample"},
    {key: "ArrowRight", shown: "→", about: "next sample"}, {key: "[", shown: "[  Shift ←", about: "previous contact"},
    {key: "]", shown: "]  Shift →", about: "next contact"}, {key: "Home", about: "go to the start"}, {key: "End", about: "go to the end"},
    {key: "o", shown: "O", about: "loop around the contact"}, {key: "+", about: "play faster"}, {key: "-", shown: "−", about: "play slower"},
    {key: "1", about: "view from behind the player"}, {key: "2", about: "view from the front"}, {key: "3", about: "view from the side"},
    {key: "4", about: "view from above"}, {key: "f", shown: "F", about: "fit everything into the view"},
  ];

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!this.#isShown || this.element.hidden || event.ctrlKey || event.metaKey || event.altKey || !this.log?.header) return;
    if (target.closest("input, textarea, select") || (event.key.startsWith("Arrow") && target.closest("[role=tablist]")) ||
        (event.key === " " && target.closest("button"))) return;
    const act = {
      " ": () => this.player.toggle(), ArrowLeft: () => event.shiftKey ? this.stepContact(-1) : this.step(-1),
      ArrowRight: () => event.shiftKey ? this.stepContact(1) : this.step(1), "[": () => this.stepContact(-1), "]": () => this.stepContact(1),
      Home: () => this.#seek(this.player.extent[0]), End: () => this.#seek(this.player.extent[1]), o: () => this.#toggleLoop(),
      "-": () => this.controls.faster(-1), "+": () => this.controls.faster(1), 1: () => this.#look("behind"), 2: () => this.#look("front"),
      3: () => this.#look("side"), 4: () => this.#look("top"), f: () => this.#look("fit"),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Whole events of contacts. @param {number[]} indices @returns {Promise<{clash: any, release: any, seen: any}[]>} */
  events(indices) {
    return this.#client.call("events", indices);
  }
}

/** @param {HTMLElement} element that is the panel's own
 *  @param {{stage: import("../scene/stage.js").Stage}} options the stage is the panel's own, too; it puts stage.element where it wants
 *  @returns {LogPanel} */
export function mountLog(element, {stage}) {
  return new LogPanel(element, stage);
}

