// The timeline: every contact as a bar, as high as it is hard and as long as it lasts, those in colour that samples alone would have
// missed. A click or drag goes there, Shift and a drag loops a range, the wheel or two fingers go nearer.
import {clock} from "./text.js";

/** @typedef {import("./slim.js").Slim} Slim */
/** @typedef {{seek(time: number): void, loop(range: [number, number] | null): void, pick(index: number): void}} Listener */

const STRIP = 14, RULER = 18, NEAR_PX = {mouse: 6, pen: 8, touch: 14};
const STEPS = [1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 2e10, 6e10, 1.2e11, 3e11, 6e11, 1.8e12, 3.6e12];

export class Timeline {
  element = document.createElement("div");
  #canvas = document.createElement("canvas");
  #context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext("2d"));
  /** @type {Slim[]} */
  #contacts = [];
  /** @type {{kept: Set<number>, gone: Slim[]} | null} */
  #compared = null;
  #marks = [];
  #extent = [0, 1];
  #view = [0, 1];
  #time = 0;
  /** @type {[number, number] | null} */
  #loop = null;
  #selected = -1;
  #dirty = false;
  /** @type {{kind: "seek" | "loop" | "strip", from: number} | null} */
  #drag = null;
  /** @type {Map<number, {x: number, time: number}>} fingers that are down: where they are, and the time that they hold */
  #fingers = new Map();
  #before = 0; // the time when the first one came down
  #listener;

  /** @param {Listener} listener */
  constructor(listener) {
    this.#listener = listener;
    this.element.className = "timeline";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "slider");
    this.element.setAttribute("aria-label", "Time in the log");
    this.element.append(this.#canvas);
    new ResizeObserver(() => this.#redraw()).observe(this.element);
    this.element.addEventListener("pointerdown", (event) => this.#down(event));
    this.element.addEventListener("pointermove", (event) => this.#move(event));
    for (const type of ["pointerup", "pointercancel"])
      this.element.addEventListener(type, (event) => this.#up(/** @type {PointerEvent} */ (event)));
    this.element.addEventListener("dblclick", () => this.show(this.#extent[0], this.#extent[1]));
    this.element.addEventListener("wheel", (event) => this.#wheel(event), {passive: false});
  }

  /** @param {number} from @param {number} to ns */
  setExtent(from, to) {
    const wasWhole = this.#view[0] === this.#extent[0] && this.#view[1] === this.#extent[1];
    this.#extent = [from, Math.max(to, from + 1e6)];
    if (wasWhole || this.#view[1] > this.#extent[1]) this.#view = [...this.#extent];
    this.element.setAttribute("aria-valuemin", String(from / 1e9));
    this.element.setAttribute("aria-valuemax", String(this.#extent[1] / 1e9));
    this.#redraw();
  }

  /** @param {number} from @param {number} to ns */
  show(from, to) {
    const length = Math.min(Math.max(to - from, 1e6), this.#extent[1] - this.#extent[0]);
    const begin = Math.min(Math.max(from, this.#extent[0]), this.#extent[1] - length);
    this.#view = [begin, begin + length];
    this.#redraw();
  }

  /** @param {Slim[]} contacts @param {any[]} marks @param {{kept: Set<number>, gone: Slim[]} | null} compared with those before: gone ones are
   *  drawn below, and those that are not kept are new */
  setContacts(contacts, marks, compared = null) {
    this.#contacts = contacts;
    this.#marks = marks;
    this.#compared = compared;
    this.#redraw();
  }

  /** @param {number} time @param {number} selected index of a contact, or -1 */
  setTime(time, selected) {
    this.#time = time;
    this.#selected = selected;
    this.element.setAttribute("aria-valuenow", String(time / 1e9));
    this.element.setAttribute("aria-valuetext", `${clock(time)}${selected >= 0 ? `, contact ${selected + 1} of ${this.#contacts.length}` : ""}`);
    const [from, to] = this.#view;
    if ((time < from || time > to) && !this.#drag && this.#fingers.size === 0) this.show(time - (to - from) / 2, time + (to - from) / 2);
    this.#redraw();
  }

  /** @param {[number, number] | null} range */
  setLoop(range) {
    this.#loop = range;
    this.#redraw();
  }

  /** For tests: where a time is drawn, CSS pixels. @param {number} time */
  xOf(time) {
    return (time - this.#view[0]) / (this.#view[1] - this.#view[0]) * this.element.clientWidth;
  }

  /** @param {number} x */
  #timeOf(x) {
    return this.#view[0] + x / Math.max(this.element.clientWidth, 1) * (this.#view[1] - this.#view[0]);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const box = this.element.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (event.button !== 0) return;
    this.element.setPointerCapture?.(event.pointerId);
    if (event.pointerType === "touch") this.#fingers.set(event.pointerId, {x, time: this.#timeOf(x)});
    if (this.#fingers.size === 1) this.#before = this.#time;
    if (this.#fingers.size > 1) {
      if (this.#drag?.kind === "seek") this.#listener.seek(this.#before); // the first finger meant this, too
      this.#drag = null;
      return;
    }
    const isStrip = y > box.height - STRIP;
    this.#drag = {kind: isStrip ? "strip" : event.shiftKey ? "loop" : "seek", from: this.#timeOf(x)};
    if (event.shiftKey && !isStrip) this.#listener.loop(null);
    const near = isStrip || event.shiftKey ? -1 : this.#near(x, NEAR_PX[event.pointerType] ?? NEAR_PX.mouse);
    if (near >= 0) this.#listener.pick(near);
    else this.#move(event);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#drag = null;
    this.#fingers.delete(event.pointerId);
    for (const finger of this.#fingers.values()) finger.time = this.#timeOf(finger.x);
  }

  /** Two fingers keep the times that they hold below them. */
  #pinch() {
    const [a, b] = [...this.#fingers.values()];
    const scale = (b.time - a.time) / (b.x - a.x);
    if (!(scale > 0) || !Number.isFinite(scale)) return;
    this.show(a.time - a.x * scale, a.time + (this.element.clientWidth - a.x) * scale);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const box = this.element.getBoundingClientRect(), x = Math.min(Math.max(event.clientX - box.left, 0), box.width);
    const finger = this.#fingers.get(event.pointerId);
    if (finger) finger.x = x;
    if (this.#fingers.size === 2 && finger) this.#pinch();
    if (!this.#drag) return;
    if (this.#drag.kind === "strip") {
      const half = (this.#view[1] - this.#view[0]) / 2;
      const time = this.#extent[0] + x / box.width * (this.#extent[1] - this.#extent[0]);
      this.show(time - half, time + half);
    } else if (this.#drag.kind === "seek") {
      if (event.type === "pointermove" && Math.abs(this.#timeOf(x) - this.#drag.from) < (this.#view[1] - this.#view[0]) / 400) return;
      this.#listener.seek(this.#timeOf(x));
    } else {
      const to = this.#timeOf(x);
      this.#listener.loop([Math.min(this.#drag.from, to), Math.max(this.#drag.from, to)]);
    }
  }

  /** @param {number} x @param {number} reach @returns {number} index of the nearest contact, -1 where none is near */
  #near(x, reach) {
    let best = -1, least = reach;
    this.#contacts.forEach(({start, end}, i) => {
      const from = this.xOf(start), to = this.xOf(end), off = x < from ? from - x : x > to ? x - to : 0;
      if (off < least) [best, least] = [i, off];
    });
    return best;
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const [from, to] = this.#view;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (event.deltaX || event.deltaY) / 500 * (to - from);
      this.show(from + by, to + by);
      return;
    }
    const at = this.#timeOf(event.clientX - this.element.getBoundingClientRect().left), scale = Math.exp(event.deltaY / 400);
    this.show(at - (at - from) * scale, at + (to - at) * scale);
  }

  #redraw() {
    if (this.#dirty) return;
    this.#dirty = true;
    requestAnimationFrame(() => {
      this.#dirty = false;
      this.#draw();
    });
  }

  #draw() {
    const width = this.element.clientWidth, height = this.element.clientHeight, c = this.#context, dpr = Math.min(devicePixelRatio, 2);
    if (!width || !height) return;
    if (this.#canvas.width !== Math.round(width * dpr) || this.#canvas.height !== Math.round(height * dpr)) {
      this.#canvas.width = Math.round(width * dpr);
      this.#canvas.height = Math.round(height * dpr);
    }
    const style = getComputedStyle(this.element);
    const colour = (name) => style.getPropertyValue(`--log-${name}`).trim() || "#888";
    c.setTransform(dpr, 0, 0, dpr, 0, 0);
    c.clearRect(0, 0, width, height);
    this.#drawRuler(c, width, height, colour);
    this.#drawContacts(c, height, colour);
    this.#drawTop(c, width, height, colour);
    this.#drawStrip(c, width, height, colour);
  }

  /** @param {CanvasRenderingContext2D} c @param {number} width @param {number} height @param {(name: string) => string} colour */
  #drawRuler(c, width, height, colour) {
    const [from, to] = this.#view, step = STEPS.find((one) => one / (to - from) * width > 84) ?? 3.6e12;
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const x = this.xOf(time);
      c.fillStyle = colour("grid");
      c.fillRect(Math.round(x), 0, 1, height - STRIP);
      c.fillStyle = colour("faint");
      c.fillText(clock(time, step < 1e6 ? 4 : step < 1e9 ? 3 : 0), x + 4, RULER / 2);
    }
  }

  /** @param {CanvasRenderingContext2D} c @param {number} height @param {(name: string) => string} colour */
  #drawContacts(c, height, colour) {
    const room = height - RULER - STRIP - 6, gone = this.#compared?.gone ?? [], base = RULER + (this.#compared ? room * 0.72 : room) + 2;
    const full = base - RULER - 14;
    const bar = ({start, end, intensity, seen}, fill, y, most) => {
      const x = this.xOf(start), w = Math.max(this.xOf(end) - x, 2.5), h = Math.max(4, Math.min(intensity, 1) * most);
      if (x + w < -2 || x > this.element.clientWidth + 2) return;
      c.fillStyle = fill;
      c.fillRect(x, y - h, w, h);
      if (seen !== false) return;
      c.beginPath(); // what samples miss has a tip, too, for eyes that cannot tell the colours apart
      c.moveTo(x + w / 2, y - h - 5);
      c.lineTo(x + w / 2 - 3.5, y - h + 1);
      c.lineTo(x + w / 2 + 3.5, y - h + 1);
      c.fill();
    };
    this.#contacts.forEach((contact, i) => {
      const isNew = this.#compared && !this.#compared.kept.has(i);
      bar(contact, colour(isNew ? "new" : contact.seen === false ? "missed" : "hit"), base, full);
    });
    const chosen = this.#contacts[this.#selected];
    if (chosen) {
      bar(chosen, colour("accent"), base, full);
      c.beginPath();
      c.arc((this.xOf(chosen.start) + this.xOf(chosen.end)) / 2 + 1, base - Math.max(4, Math.min(chosen.intensity, 1) * full) - 9, 4, 0, 7);
      c.fill();
    }
    c.fillStyle = colour("grid");
    c.fillRect(0, base, this.element.clientWidth, 1);
    for (const contact of gone) bar(contact, colour("gone"), height - STRIP - 3, room * 0.24);
  }

  /** @param {CanvasRenderingContext2D} c @param {number} width @param {number} height @param {(name: string) => string} colour */
  #drawTop(c, width, height, colour) {
    for (const {time_ns: time, text} of this.#marks) {
      const x = this.xOf(time);
      c.fillStyle = colour("mark");
      c.fillRect(x, RULER, 1, height - RULER - STRIP);
      c.fillText(String(text).slice(0, 40), x + 3, RULER + 6);
    }
    if (this.#loop) {
      const [from, to] = this.#loop.map((time) => this.xOf(time));
      c.fillStyle = colour("loop");
      c.fillRect(from, 0, to - from, height - STRIP);
    }
    const x = this.xOf(this.#time);
    c.fillStyle = colour("play");
    c.fillRect(x - 0.75, 0, 1.5, height - STRIP);
    c.beginPath();
    c.moveTo(x - 5, 0);
    c.lineTo(x + 5, 0);
    c.lineTo(x, 7);
    c.fill();
    void width;
  }

  /** All of it, small, below. @param {CanvasRenderingContext2D} c @param {number} width @param {number} height
   *  @param {(name: string) => string} colour */
  #drawStrip(c, width, height, colour) {
    const [from, to] = this.#extent, x = (time) => (time - from) / (to - from) * width, top = height - STRIP;
    c.fillStyle = colour("strip");
    c.fillRect(0, top, width, STRIP);
    for (const {start, seen} of this.#contacts) {
      c.fillStyle = colour(seen === false ? "missed" : "hit");
      c.fillRect(x(start), top + 3, 1, STRIP - 6);
    }
    c.strokeStyle = colour("accent");
    c.strokeRect(x(this.#view[0]) + 0.5, top + 0.5, Math.max(x(this.#view[1]) - x(this.#view[0]) - 1, 3), STRIP - 1);
    c.fillStyle = colour("play");
    c.fillRect(x(this.#time), top, 1, STRIP);
  }
}
