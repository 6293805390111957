// The buttons below the room: play, step, how slow, what is drawn besides.
import {make, say} from "../look/dom.js";
import {button, toggle} from "./dom.js";
import {SPEEDS} from "./player.js";
import {clock} from "./text.js";

const VIEWS = [["behind", "Behind (1)"], ["front", "Front (2)"], ["side", "Side (3)"], ["top", "Top (4)"], ["fit", "Fit all (F)"]];

/** @typedef {{step(by: 1 | -1): void, stepContact(by: 1 | -1): void, loop(): void, redraw(): void, look(view: string): void}} Acts */

export class Controls {
  #time = make("output", {className: "log-time", "aria-label": "Time"});
  #legend = make("span", {className: "log-legend"});
  #play;
  #loop;
  #speed = make("select", {"aria-label": "Playback speed", title: "Playback speed (- and +); between samples, blades move as the sweep moves them"});

  /** @param {import("./player.js").Player} player @param {Acts} acts @param {import("./picture.js").Picture} picture */
  constructor(player, acts, picture) {
    this.player = player;
    this.#speed.append(...SPEEDS.map((speed) => make("option", {value: String(speed), textContent: speed === 1 ? "1 ×" : `1/${Math.round(1 / speed)} ×`})));
    this.#speed.addEventListener("change", () => this.#setSpeed(Number(this.#speed.value)));
    this.#play = button("Play", () => player.toggle(), {className: "button log-play", title: "Play or pause (Space)"});
    this.#loop = button("Loop", acts.loop, {className: "button", "aria-pressed": "false", title: "Loop around the contact (O); Shift-drag in the timeline to loop a range"});
    const way = (text, title, act) => button(text, act, {className: "button", title, "aria-label": title});
    const views = make("select", {"aria-label": "View", title: "Change the view (1 to 4, F)"}, make("option", {value: "", textContent: "View…"}),
      ...VIEWS.map(([value, textContent]) => make("option", {value, textContent})));
    views.addEventListener("change", () => {
      acts.look(views.value);
      views.value = ""; // the same one may be wanted again
    });
    this.element = make("div", {className: "log-controls", role: "toolbar", "aria-label": "Time"},
      make("span", {className: "log-cluster"},
        way("|◀", "Previous contact (Shift ←)", () => acts.stepContact(-1)), way("◀", "Previous sample (←)", () => acts.step(-1)), this.#play,
        way("▶", "Next sample (→)", () => acts.step(1)), way("▶|", "Next contact (Shift →)", () => acts.stepContact(1))),
      this.#time, this.#speed, this.#loop, views, this.#legend,
      make("span", {className: "log-cluster log-layers"},
        toggle("Ghosts", true, (is) => { picture.hasGhosts = is; acts.redraw(); }, {className: "button", title: "Show the blades at the samples before and after"}),
        toggle("Swept", true, (is) => { picture.hasSweeps = is; acts.redraw(); }, {className: "button", title: "Show the surface that each blade sweeps between the samples"})));
  }

  /** @param {number} speed */
  #setSpeed(speed) {
    this.player.speed = speed;
    this.#speed.value = String(speed);
  }

  /** @param {number} by */
  faster(by) {
    const at = SPEEDS.indexOf(this.player.speed) - by;
    this.#setSpeed(SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)]);
  }

  /** What the timeline's colours mean. @param {boolean} isCompared contacts come and go */
  showLegend(isCompared) {
    this.#legend.replaceChildren(make("span", {className: "is-hit", text: "sampling sees it"}), make("span", {className: "is-missed", text: "sampling misses it"}),
      ...(isCompared ? [make("span", {className: "is-new", text: "new"}), make("span", {className: "is-gone", text: "gone"})] : []));
  }

  showPlaying() {
    say(this.#play, this.player.playing ? "Pause" : "Play");
    this.#loop.setAttribute("aria-pressed", String(this.player.loop !== null));
  }

  /** @param {number} time @param {number} index */
  showTime(time, index) {
    say(this.#time, `${clock(time, 4)}`);
    this.#time.title = `entry ${index + 1}`;
  }
}
