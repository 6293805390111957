// Words beside what is drawn in the room: the closing speed at each clash, and names. Text of the page, so that it is sharp.
const LABELS_MAX = 24;
const HEIGHT = 28; // of one, CSS pixels, about
const MARGIN = 4;
const SIDE = 14; // from a place to its label
const CLEAR = 40; // a name's place stays where it is while other blades are farther away than this
const RINGS = [[1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1], [0, 1]]; // ways from a place to its label
const DISTANCES = [SIDE, 34, 64, 100, 150];

/** @typedef {{x: number, y: number, isAhead: boolean}} Place CSS pixels */
/** @typedef {{text: string, opacity: number, kind: "speed" | "name" | "unknown", places: Place[], colour?: string}} Label the places are those of
 *  the room that it may be beside; with a colour, a line in it leads from the place to the label */
/** @typedef {{x: number, y: number, width: number}} Box its left edge and its middle's height */
/** How wide a label is, about, so that none is drawn over another. @param {Label} label */
const widthOf = ({text, kind}) => text.length * (kind === "speed" ? 11 : 8.5) + 16;
/** @param {Box} a @param {Box} b */
const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < HEIGHT;
/** @param {Place} place @param {Place[]} others @returns {number} */
const nearest = (place, others) => Math.min(...others.map(({x, y}) => Math.hypot(x - place.x, y - place.y)), 1e6);

export class Labels {
  element = document.createElement("div");
  /** @type {{label: HTMLElement, line: HTMLElement}[]} */
  #labels = [];
  /** Which of a blade's places its name was at, so that it does not jump. @type {Map<string, number>} */
  #chosen = new Map();

  constructor() {
    this.element.className = "stage-labels";
    this.element.setAttribute("aria-hidden", "true"); // the list of events has the same
    for (let i = 0; i < LABELS_MAX; i++) {
      const label = document.createElement("span"), line = document.createElement("i");
      label.hidden = line.hidden = true;
      line.append(document.createElement("em"));
      this.#labels.push({label, line});
      this.element.append(line, label);
    }
  }

  /** Shows these, and no others. A label without a colour is beside its place, and is left out if an earlier one is there. One with a colour
   *  moves until it is free, and a line leads to it. @param {Label[]} list @param {number} width of the room @param {number} height of the room */
  show(list, width, height) {
    /** @type {(Label & Box & {from?: Place})[]} */
    const shown = [];
    for (const label of list) {
      const own = widthOf(label), from = label.colour ? this.#place(label, list, width, height) : label.places[0];
      if (label.opacity <= 0.05 || !from?.isAhead) continue;
      if (label.colour) {
        const box = boxBeside(from, own, shown, list.filter((other) => other !== label && other.colour).flatMap(({places}) => places), width, height);
        if (box) shown.push({...label, ...box, from});
        continue;
      }
      const box = {x: Math.max(MARGIN, Math.min(from.x + SIDE, width - own - MARGIN)), y: from.y, width: own};
      if (!shown.some((other) => overlap(box, other))) shown.push({...label, ...box});
    }
    this.#labels.forEach(({label, line}, i) => draw(label, line, shown[i]));
  }

  /** The place inside the room that is farthest from the other blades. @param {Label} label @param {Label[]} list @param {number} width
   *  @param {number} height @returns {Place | undefined} */
  #place(label, list, width, height) {
    const others = list.filter((other) => other !== label && other.colour).flatMap(({places}) => places);
    const isSeen = (place) => place?.isAhead && place.x >= MARGIN && place.x <= width - MARGIN && place.y >= MARGIN && place.y <= height - MARGIN;
    const before = label.places[this.#chosen.get(label.text) ?? -1];
    if (isSeen(before) && nearest(before, others) >= CLEAR) return before;
    const seen = label.places.filter(isSeen);
    if (seen.length === 0) return undefined;
    const best = seen.reduce((one, other) => (nearest(other, others) > nearest(one, others) ? other : one));
    this.#chosen.set(label.text, label.places.indexOf(best));
    return best;
  }
}

/** The first free box near a place that no other blade crosses; if all are crossed, the first that is free. @param {Place} from @param {number} own
 *  width @param {Box[]} shown @param {Place[]} others @param {number} width @param {number} height @returns {Box | undefined} */
function boxBeside(from, own, shown, others, width, height) {
  const boxes = DISTANCES.flatMap((far) => RINGS.map(([right, down]) => ({
    x: right > 0 ? from.x + far : right < 0 ? from.x - far - own : from.x - own / 2, y: from.y + down * Math.max(far, HEIGHT), width: own})))
    .filter(({x, y}) => x >= MARGIN && x + own <= width - MARGIN && y >= HEIGHT / 2 && y <= height - HEIGHT / 2);
  const free = boxes.filter((box) => !shown.some((other) => overlap(box, other)));
  return free.find((box) => !others.some(({x, y}) => x > box.x - SIDE && x < box.x + own + SIDE && Math.abs(y - box.y) < HEIGHT)) ?? free[0];
}

/** @param {HTMLElement} label @param {HTMLElement} line @param {(Label & Box & {from?: Place}) | undefined} given */
function draw(label, line, given) {
  label.hidden = !given;
  line.hidden = !given?.from;
  if (!given) return;
  if (label.textContent !== given.text) label.textContent = given.text;
  label.className = `is-${given.kind}`;
  label.style.transform = `translate(${given.x.toFixed(1)}px, ${(given.y - HEIGHT / 2).toFixed(1)}px)`;
  label.style.opacity = given.opacity.toFixed(2);
  label.style.boxShadow = given.colour ? `inset 0 -2px ${given.colour}` : "";
  if (!given.from) return;
  const {x, y} = given.from, right = Math.max(given.x, Math.min(x, given.x + given.width)) - x, down = given.y - y;
  line.style.width = `${Math.hypot(right, down).toFixed(1)}px`;
  line.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) rotate(${Math.atan2(down, right).toFixed(3)}rad)`;
  line.style.color = /** @type {string} */ (given.colour);
}
