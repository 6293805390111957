// The panel "Log": a recording, its timeline, and what is found in it.
/** @param {HTMLElement} element that is the panel's own
 *  @param {{stage: import("../scene/stage.js").Stage}} options the stage is the panel's own, too; it puts stage.element where it wants
 *  @returns {{show?: () => void, hide?: () => void}} */
export function mountLog(element, {stage}) {
  element.append(stage.element);
  return {};
}
