// The page: its tabs, and what is in them. A tab's panel is made when it is first looked at.
import {Stage} from "./scene/stage.js";
import {mountLive} from "./live/panel.js";
import {mountLog} from "./log/panel.js";

/** A panel is told when it is looked at and when no longer, so that nothing is drawn that nobody sees.
 *  @typedef {{show?: () => void, hide?: () => void}} Panel */

/** @type {Record<string, (element: HTMLElement, options: {stage: Stage}) => Panel>} */
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
  if (!panels.has(name)) panels.set(name, MOUNTS[name](section(name), {stage: new Stage()}) ?? {});
  panels.get(name)?.show?.();
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
open("live");
