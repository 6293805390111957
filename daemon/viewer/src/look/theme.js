// Light or dark: as the system has it, or as the user says; remembered.
/** @typedef {import("../scene/palette.js").Theme} Theme */
/** @typedef {Theme | "system"} Choice */

const KEY = "clashd.theme";
/** @type {Choice[]} */
const CHOICES = ["system", "dark", "light"];
const prefersLight = matchMedia("(prefers-color-scheme: light)");
/** @type {Set<(theme: Theme) => void>} */
const listeners = new Set();
/** @type {Choice} */
let choice = "system";
try {
  const kept = /** @type {Choice} */ (localStorage.getItem(KEY));
  if (CHOICES.includes(kept)) choice = kept;
} catch { /* storage may be forbidden: as the system has it */ }

/** @returns {Theme} */
export function theme() {
  return choice === "system" ? (prefersLight.matches ? "light" : "dark") : choice;
}

/** @returns {Choice} */
export function chosen() {
  return choice;
}

function apply() {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener(theme());
}

/** Goes on to the next choice. */
export function nextTheme() {
  choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
  try {
    localStorage.setItem(KEY, choice);
  } catch { /* likewise */ }
  apply();
}

/** Calls it now and at every change. @param {(theme: Theme) => void} listener */
export function onTheme(listener) {
  listeners.add(listener);
  listener(theme());
}

prefersLight.addEventListener("change", apply);
apply();
