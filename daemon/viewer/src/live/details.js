// Every field of the clash that is selected in the list.
import {make, printable} from "../look/dom.js";
import {msWords, pairWords} from "./words.js";

const metres = (vector) => `${vector.map((n) => n.toFixed(3)).join("  ")} m`;
const share = (n, place) => `${(100 * n).toFixed(0)} % ${place}`;

/** Numbers that have a line of their own, or that are not shown. */
const KNOWN = ["seq", "time_ns", "id", "closing_speed", "slide_speed", "intensity", "distance", "crossing_angle", "fraction", "interval_ns",
  "since_release_ns", "triangle", "room_id", "room_time_ns", "clock_error_ns"];

/** Other numbers, by their names. @param {any} clash @returns {[string, string][]} */
function others(clash) {
  return Object.entries(clash).filter(([name, value]) => typeof value === "number" && !KNOWN.includes(name))
    .map(([name, value]) => [printable(name[0].toUpperCase() + name.slice(1).replaceAll("_", " ")), value.toPrecision(3)]);
}

/** @param {any} clash @returns {[string, string][]} */
function facts(clash) {
  const [first, second] = pairWords(clash);
  /** @type {[string, string | undefined][]} */
  const list = [
    clash.closing_speed > 0 ? ["Closing speed", `${clash.closing_speed.toFixed(2)} m/s`]
      : ["Parting speed", `${(-clash.closing_speed).toFixed(2)} m/s, touching already`],
    ["Sliding speed", `${clash.slide_speed.toFixed(2)} m/s`],
    ["Intensity", clash.intensity.toFixed(2)],
    ["Midpoint", metres(clash.midpoint)],
    ["Axis distance", `${(1000 * clash.distance).toFixed(1)} mm`],
    [`On ${first}`, share(clash.along[0], "from base to tip")],
    [`On ${second}`, clash.target === undefined ? share(clash.along[1], "from base to tip") : "target"],
    ["Crossing angle", `${(clash.crossing_angle * 180 / Math.PI).toFixed(0)}°`],
    ["Edge alignment", clash.edge_alignment && clash.edge_alignment.map((n) => (n === null ? "–" : n.toFixed(2))).join(" and ")],
    ["Between samples", clash.interval_ns === undefined ? undefined
      : `at ${(100 * clash.fraction).toFixed(0)} % of ${msWords(clash.interval_ns / 1e6)}`],
    ["Since last contact", clash.since_release_ns === undefined ? undefined : msWords(clash.since_release_ns / 1e6)],
    ...others(clash),
    ["Tracking", clash.tracked ? "measured" : "partly estimated"],
    ["Contact", `${printable(clash.id)}, event ${printable(clash.seq)}`],
  ];
  return /** @type {[string, string][]} */ (list.filter(([, value]) => value !== undefined));
}

/** A unit never goes to the next line without its number. @param {string} text */
const glued = (text) => text.replace(/(\d) (?=(?:m\/s|mm|ms|s|m|%)(?:$|[ ,;]))/g, "$1\u00a0");

/** @param {() => void} onClose @returns {{element: HTMLElement, show: (clash: any | null) => void}} */
export function makeDetails(onClose) {
  const title = make("h2"), list = make("dl"), close = make("button", {type: "button", className: "button quiet", text: "Close"});
  const element = make("section", {className: "details", hidden: true, "aria-label": "Selected clash"},
    make("header", {}, title, close), list);
  close.addEventListener("click", onClose);
  return {
    element,
    show(clash) {
      element.hidden = clash === null;
      if (clash === null) return;
      title.textContent = pairWords(clash, 200).join(" × ");
      list.replaceChildren(...facts(clash).map(([name, value]) => make("div", {}, make("dt", {text: name}), make("dd", {text: glued(value)}))));
    },
  };
}
