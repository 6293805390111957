// The page: its tabs, and what is in them. A tab's panel is made when it is first looked at.
import {make, say} from "./look/dom.js";
import {keyOf, showHelp} from "./look/help.js";
import {chosen, nextTheme, onTheme} from "./look/theme.js";
import {token} from "./look/token.js";
import {Demo} from "./demo.js";
import {Stage} from "./scene/stage.js";
import {mountLive} from "./live/panel.js";
import {mountLog} from "./log/panel.js";

/** show() and hide() are called when a panel becomes visible or hidden, so that a hidden one draws nothing. The button "Keys" lists its keys.
 *  @typedef {{show?: () => void, hide?: () => void, keys?: Omit<import("./look/help.js").Key, "run">[]}} Panel */

/** @type {Record<string, (element: HTMLElement, options: {stage: Stage, inLog: (demo: Demo) => void}) => Panel>} */
const MOUNTS = {live: mountLive, log: mountLog};
const NAMES = Object.keys(MOUNTS);
/** @type {Map<string, Panel>} */
const panels = new Map();
let shown = "";

/** @param {string} name @returns {HTMLElement} */
const tab = (name) => /** @type {HTMLElement} */ (document.getElementById(`tab-${name}`));
/** @param {string} name @returns {HTMLElement} */
const section = (name) => /** @type {HTMLElement} */ (document.getElementById(name));

/** @param {string} name */
export function open(name) {
  if (name === shown) return;
  panels.get(shown)?.hide?.();
  shown = name;
  for (const other of NAMES) {
    tab(other).setAttribute("aria-selected", String(other === name));
    tab(other).tabIndex = other === name ? 0 : -1;
    section(other).hidden = other !== name;
  }
  if (!panels.has(name)) panels.set(name, makePanel(name));
  panels.get(name)?.show?.();
}

/** @param {string} name @returns {Panel} */
function makePanel(name) {
  const stage = new Stage();
  onTheme((theme) => stage.setTheme(theme));
  const panel = MOUNTS[name](section(name), {stage, inLog}) ?? {};
  window.clashdViewer[name] = {stage, panel};
  return panel;
}

/** @param {Demo} demo */
function inLog(demo) {
  open("log");
  window.clashdViewer.log.panel.load({blob: demo.recording(), name: "human-swings.jsonl"});
}

function makeTools() {
  const colours = make("button", {type: "button", className: "button quiet", title: "Colours: of the system, dark or light"});
  colours.addEventListener("click", nextTheme);
  const choice = make("span");
  colours.append(make("span", {className: "wide", text: "Colours: "}), choice);
  onTheme(() => say(choice, {system: "auto", dark: "dark", light: "light"}[chosen()]));
  const keys = make("button", {type: "button", className: "button quiet", text: "Keys"});
  const help = () => showHelp(panels.get(shown)?.keys ?? []);
  keys.addEventListener("click", help);
  document.addEventListener("keydown", (event) => keyOf(event, [{key: "?", about: "", run: help}])?.run());
  document.getElementById("bar-tools")?.append(keys, colours);
}

/** @param {KeyboardEvent} event */
function turn(event) {
  const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (!step) return;
  const next = NAMES[(NAMES.indexOf(shown) + step + NAMES.length) % NAMES.length];
  event.preventDefault();
  open(next);
  tab(next).focus();
}

for (const name of NAMES) {
  tab(name).addEventListener("click", () => open(name));
  tab(name).addEventListener("keydown", turn);
}
// For tests and for the curious: the panels and their stages, by name.
window.clashdViewer = {};
token(); // out of the address before anything else
makeTools();
open(new URLSearchParams(location.hash.slice(1)).has("log") ? "log" : "live");
