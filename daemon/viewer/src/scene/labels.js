// Words beside what is drawn in the room: the closing speed at each clash, and names. Text of the page, so that it is sharp.
const LABELS_MAX = 24;
const HEIGHT = 28; // of one, CSS pixels, about
const MARGIN = 4;
/** How wide a label is, about, so that none is drawn over another. @param {{text: string, kind: string}} label */
const widthOf = ({text, kind}) => text.length * (kind === "speed" ? 11 : 8.5) + 16;

export class Labels {
  element = document.createElement("div");
  /** @type {HTMLElement[]} */
  #labels = [];

  constructor() {
    this.element.className = "stage-labels";
    this.element.setAttribute("aria-hidden", "true"); // the list of events has the same
    for (let i = 0; i < LABELS_MAX; i++) {
      const label = document.createElement("span");
      label.hidden = true;
      this.#labels.push(label);
      this.element.append(label);
    }
  }

  /** Shows these, and no others; of two in the same place the first. None is cut at the sides.
   *  @param {{text: string, x: number, y: number, opacity: number, kind: "speed" | "name" | "unknown"}[]} list @param {number} room its width */
  show(list, room) {
    /** @type {(typeof list[0] & {width: number})[]} */
    const shown = [];
    for (const label of list) {
      if (label.opacity <= 0.05) continue;
      const width = widthOf(label), x = Math.max(MARGIN, Math.min(label.x, room - width - MARGIN));
      if (!shown.some((other) => x < other.x + other.width && other.x < x + width && Math.abs(other.y - label.y) < HEIGHT))
        shown.push({...label, x, width});
    }
    this.#labels.forEach((label, i) => {
      const given = shown[i];
      label.hidden = !given;
      if (!given) return;
      if (label.textContent !== given.text) label.textContent = given.text;
      label.className = `is-${given.kind}`;
      label.style.transform = `translate(${given.x.toFixed(1)}px, ${given.y.toFixed(1)}px)`;
      label.style.opacity = given.opacity.toFixed(2);
    });
  }
}
