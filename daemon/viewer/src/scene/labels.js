// Words beside what is drawn in the room: the closing speed at each clash. Text of the page, so that it is sharp and is read out.
const LABELS_MAX = 16;
const HEIGHT = 30, WIDTH = 100; // of one, CSS pixels, about: none stands over another

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

  /** Shows these, and no others; of two in the same place the first. @param {{text: string, x: number, y: number, opacity: number,
   *  isQuiet?: boolean}[]} list */
  show(list) {
    /** @type {typeof list} */
    const shown = [];
    for (const label of list)
      if (label.opacity > 0.05 && !shown.some(({x, y}) => Math.abs(x - label.x) < WIDTH && Math.abs(y - label.y) < HEIGHT)) shown.push(label);
    this.#labels.forEach((label, i) => {
      const given = shown[i];
      label.hidden = !given;
      if (!given) return;
      if (label.textContent !== given.text) label.textContent = given.text;
      label.classList.toggle("is-quiet", Boolean(given.isQuiet));
      label.style.transform = `translate(${given.x.toFixed(1)}px, ${given.y.toFixed(1)}px)`;
      label.style.opacity = given.opacity.toFixed(2);
    });
  }
}
