// What keys do, and the dialog that says so. A panel names its own; those of the page itself work everywhere.
import {make} from "./dom.js";

/** What a key does: its `key` as KeyboardEvent has it, how it is written, and what it is for.
 *  @typedef {{key: string, shown?: string, about: string, run: () => void}} Key */

const IN_USE = "input, select, textarea, [contenteditable], dialog";

/** The key of this event among these, unless the user types into something or means the browser. @param {KeyboardEvent} event
 *  @param {Key[]} keys @returns {Key | undefined} */
export function keyOf(event, keys) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  const target = /** @type {Element} */ (event.target);
  if (target.closest?.(IN_USE)) return undefined;
  if ((event.key === " " || event.key === "Enter") && target.closest?.("button, a, summary, [role=tab]")) return undefined;
  if (event.key.startsWith("Arrow") && target.closest?.("[role=tablist], [role=slider], .events")) return undefined;
  return keys.find(({key}) => key === event.key);
}

/** Shows the keys until it is closed. @param {Omit<Key, "run">[]} keys */
export function showHelp(keys) {
  if (document.querySelector("dialog.help")) return;
  const close = make("button", {type: "button", text: "Close", className: "button"});
  const list = make("dl", {className: "keys"});
  for (const {key, shown, about} of [...keys, {key: "?", shown: "?", about: "show these keys"}])
    list.append(make("div", {}, make("dt", {}, make("kbd", {text: shown ?? key})), make("dd", {text: about})));
  const dialog = make("dialog", {className: "help", "aria-label": "Keys"}, make("h2", {text: "Keys"}), list,
    make("p", {text: "Mouse and touch, in the 3D view: drag or one finger turns; wheel or pinch zooms; right button or two fingers move the view."}), close);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
