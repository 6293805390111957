// The panel "Live": what clashd sees now.
/** @param {HTMLElement} element @param {{stage: import("../scene/stage.js").Stage}} options
 *  @returns {{show?: () => void, hide?: () => void}} */
export function mountLive(element, {stage}) {
  element.append(stage.element);
  return {};
}
