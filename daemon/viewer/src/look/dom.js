// Making elements. Names come from any client of clashd: they are text, never markup.

/** An element with these properties ("aria-.." and "role" are attributes) and children.
 *  @template {keyof HTMLElementTagNameMap} T @param {T} tag @param {Record<string, any>} [given] @param {(Node | string)[]} children
 *  @returns {HTMLElementTagNameMap[T]} */
export function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "text") element.textContent = value;
    else if (name === "role" || name.includes("-")) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** Sets text only where it is another: the page is not laid out again for nothing. @param {Element} element @param {string} text */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A name from outside, as it may be shown: what would not be seen, or would turn the text around it, is written out, and the end
 *  of a long one is left out. @param {unknown} text @param {number} [length] */
export function printable(text, length = 48) {
  const shown = String(text).replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return shown.length > length ? `${[...shown].slice(0, length - 1).join("")}…` : shown;
}
