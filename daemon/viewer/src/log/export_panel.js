// What to take away, and in which form.
import {make, say} from "../look/dom.js";
import {button} from "./dom.js";
import {csvOf, jsonOf, save, zipOf} from "./export.js";
import {clock, counted} from "./text.js";

const FRAMES_MAX = 900;

export class ExportPanel {
  element = make("div", {className: "log-export"});
  #name = "log";
  #status = make("p", {className: "log-status", role: "status"});
  #clip = make("progress", {hidden: true, max: 1, value: 0, "aria-label": "Clip progress"});
  #isClipping = false;
  #panel;

  /** @param {any} panel the log's */
  constructor(panel) {
    this.#panel = panel;
    const group = (title, text, ...buttons) => make("div", {className: "log-group"}, make("h3", {text: title}), make("p", {text}),
                                                   make("div", {className: "log-buttons"}, ...buttons));
    this.element.append(
      group("Contacts", "The contacts selected in the table (Ctrl-click or Shift-click), or all of them if only one is selected.",
            button("CSV", () => this.#contacts("csv"), {id: "export-csv"}), button("JSON", () => this.#contacts("json"), {id: "export-json"})),
      group("Picture", "The 3D view as shown.", button("PNG", () => this.#picture(), {id: "export-png"})),
      group("Clip", "The loop range, or the selected contact, at the chosen playback speed: numbered pictures in a zip, 30 per second.",
            button("Frames (zip)", () => this.#makeClip(), {id: "export-clip"})),
      this.#clip, this.#status);
  }

  /** @param {string} name of the log */
  setName(name) {
    this.#name = name.replace(/\.jsonl(\.zst)?$/, "").replace(/[^\w-]+/g, "_").slice(0, 80);
  }

  /** @param {"csv" | "json"} form */
  async #contacts(form) {
    const {contacts, list} = this.#panel;
    const indices = list.picked.size > 1 ? [...list.picked].sort((a, b) => a - b) : contacts.map((_, i) => i);
    const events = await this.#panel.events(indices);
    const ended = form === "csv" ? events.filter(({release}) => release).sort((a, b) => a.release.seq - b.release.seq) : events;
    this.lastText = form === "csv" ? csvOf(ended, this.#panel.log.columns) : jsonOf(events);
    save(this.lastText, `${this.#name}-contacts.${form}`);
    say(this.#status, `${counted(ended.length, "contact")} saved.`);
  }

  async #picture() {
    const blob = await this.#panel.stage.picture();
    if (!blob) return say(this.#status, "This browser cannot draw the picture: WebGL is missing.");
    this.lastBlob = blob;
    save(blob, `${this.#name}-${clock(this.#panel.player.time).replace(":", "m")}.png`);
    say(this.#status, "Picture saved.");
  }

  async #makeClip() {
    const {player, contacts, selected, stage} = this.#panel, contact = contacts[selected];
    const range = player.loop ?? (contact && [contact.start - 8e7, contact.end + 8e7]);
    if (!range) return say(this.#status, "Loop a range or select a contact first.");
    if (this.#isClipping) return undefined;
    this.#isClipping = true;
    player.pause();
    const step = 1e9 / 30 * player.speed, count = Math.min(Math.floor((range[1] - range[0]) / step) + 1, FRAMES_MAX), before = player.time;
    const files = [];
    this.#clip.hidden = false;
    for (let i = 0; i < count; i++) {
      this.#clip.value = i / count;
      await this.#panel.drawAt(range[0] + i * step);
      const blob = await stage.picture();
      if (!blob) break;
      files.push({name: `${this.#name}-${String(i + 1).padStart(4, "0")}.png`, bytes: new Uint8Array(await blob.arrayBuffer())});
    }
    this.#clip.hidden = true;
    this.#isClipping = false;
    player.seek(before);
    if (files.length === 0) return say(this.#status, "This browser cannot draw the picture: WebGL is missing.");
    this.lastBlob = zipOf(files);
    save(this.lastBlob, `${this.#name}-clip.zip`);
    return say(this.#status, `${counted(files.length, "picture")} saved${count === FRAMES_MAX ? ", the most for one clip" : ""}.`);
  }
}
