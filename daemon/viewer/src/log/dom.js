// Elements of the log's side, on those of the whole page.
import {make} from "../look/dom.js";

/** @param {string} text @param {() => void} act @param {Record<string, any>} [given] */
export function button(text, act, given = {}) {
  const element = make("button", {type: "button", text, ...given});
  element.addEventListener("click", act);
  return element;
}

/** One that is on or off. @param {string} text @param {boolean} is @param {(is: boolean) => void} act @param {Record<string, any>} [given] */
export function toggle(text, is, act, given = {}) {
  const element = button(text, () => {
    const now = element.getAttribute("aria-pressed") !== "true";
    element.setAttribute("aria-pressed", String(now));
    act(now);
  }, {"aria-pressed": String(is), ...given});
  return element;
}

/** Tabs with a panel each; a panel is told when it is looked at. @param {string} label
 *  @param {{id: string, title: string, element: HTMLElement, show?: () => void}[]} pages */
export function tabs(label, pages) {
  const list = make("div", {role: "tablist", "aria-label": label, className: "log-tabs"});
  const element = make("div", {className: "log-side"}, list);
  const buttons = pages.map(({id, title, element: page}) => {
    page.setAttribute("role", "tabpanel");
    page.setAttribute("aria-labelledby", `log-tab-${id}`);
    page.id = `log-page-${id}`;
    element.append(page);
    const one = button(title, () => open(id), {role: "tab", id: `log-tab-${id}`, "aria-controls": page.id});
    list.append(one);
    return one;
  });
  /** @param {string} id */
  function open(id) {
    pages.forEach((page, i) => {
      const is = page.id === id;
      page.element.hidden = !is;
      buttons[i].setAttribute("aria-selected", String(is));
      buttons[i].tabIndex = is ? 0 : -1;
      if (is) page.show?.();
    });
  }
  list.addEventListener("keydown", (event) => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key], at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    if (!by || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (at + by + pages.length) % pages.length;
    open(pages[next].id);
    buttons[next].focus();
  });
  open(pages[0].id);
  return {element, open};
}
