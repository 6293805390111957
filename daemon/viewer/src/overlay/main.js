// The page /overlay, for a stream: nothing but sparks, a combo counter and the last clash's speed on a transparent ground. All of its
// look, sizes and times included, is in overlay.css, which a user may replace.
import {Clashd} from "../../../../protocol/clients/js/clashd.js";
import {make, say} from "../look/dom.js";
import {address, token} from "../look/token.js";
import {isHit, pairWords} from "../live/words.js";
import {SparkCanvas} from "./spark_canvas.js";

const STROKE_MS = 100; // blades bounce: what follows sooner is the same stroke

/** What overlay.css says. @param {string} name without the -- @param {number} otherwise */
function setting(name, otherwise) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const value = parseFloat(text);
  if (!Number.isFinite(value)) return otherwise;
  return /\dms$/.test(text) ? value / 1000 : value;
}

const count = make("span", {className: "count"}), value = make("span", {className: "value"}), pair = make("span", {className: "pair"});
const combo = make("div", {className: "combo"}, count, make("span", {className: "word"}));
const speed = make("div", {className: "speed"}, value, make("span", {className: "unit"}), pair);
const link = make("p", {className: "link", role: "status"});
const sparks = new SparkCanvas(setting);
document.getElementById("overlay")?.append(sparks.element, combo, speed, link);

let hits = 0;
let lastNs = -Infinity;
/** @type {Map<HTMLElement, number>} timers */
const hiding = new Map();

/** Shows it, as struck anew, for so long. @param {HTMLElement} element @param {number} seconds */
function strike(element, seconds) {
  clearTimeout(hiding.get(element));
  element.classList.remove("is-hit");
  void element.offsetWidth; // the animation begins again
  element.classList.add("is-shown", "is-hit");
  hiding.set(element, setTimeout(() => element.classList.remove("is-shown", "is-hit"), seconds * 1000));
}

/** @param {import("../../../../protocol/clients/js/clashd.js").Clash} clash */
function take(clash) {
  if (!isHit(clash) || clash.closing_speed < setting("least-speed", 0)) return;
  const apart = (clash.time_ns - lastNs) / 1e9, comboTime = setting("combo-time", 2);
  hits = apart >= 0 && apart <= comboTime ? hits + 1 : 1; // by the clashes' own times, however late they come
  lastNs = clash.time_ns;
  sparks.add(clash);
  document.documentElement.style.setProperty("--intensity", String(clash.intensity));
  say(value, (clash.closing_speed * setting("speed-factor", 1)).toFixed(1));
  say(pair, pairWords(clash).join(" × "));
  say(count, String(hits));
  strike(speed, setting("speed-time", 3));
  if (hits >= setting("combo-from", 2)) strike(combo, comboTime);
  else combo.classList.remove("is-shown", "is-hit");
}

const clashd = new Clashd({url: address(), token: () => token() ?? "", subscribe: {events: ["clash"], min_apart_ms: STROKE_MS}});
clashd.on("clash", take);
clashd.on("hello", () => {
  document.body.classList.add("is-connected", "was-connected");
  lastNs = -Infinity;
  say(link, "");
});
clashd.on("disconnected", ({reason}) => {
  document.body.classList.remove("is-connected");
  say(link, `Not connected: ${reason}`);
});
clashd.on("error", ({message}) => say(link, message));
token(); // out of the address
