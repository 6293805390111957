// What to do where the room stays empty: why no hands are there, or nothing can touch, and the next step.
import {make, printable} from "../look/dom.js";

/** What is known. @typedef {{isConnected: boolean, hasToken: boolean, isRefused: boolean, hasPoses: boolean,
 *  status: import("./source.js").Status | null, things: import("./source.js").Things | null}} Known */
/** `commands`: what to type into a terminal, and what it does. @typedef {{id: string, title: string, text: string,
 *  commands?: [string, string][]}} Advice */

const DOCTOR = /** @type {[string, string]} */ (["clashctl doctor", "checks each step from the runtime to the hands"]);
const VIEW = /** @type {[string, string]} */ (["clashctl view", "starts clashd if it does not run, and opens this page"]);

/** @param {Known} known @returns {Advice} */
function unconnected({hasToken, isRefused}) {
  if (isRefused) return {id: "wrong-token", title: "clashd refuses this page's token",
    text: "clashd makes a new token at each start. This command opens the page with the right one:", commands: [VIEW]};
  if (!hasToken) return {id: "no-token", title: "This page is not connected to clashd",
    text: "clashd accepts a page that has its token. This command opens the page with it:", commands: [VIEW]};
  return {id: "no-clashd", title: "clashd does not answer", text: "The page connects by itself as soon as clashd is back. If clashd has to be started, " +
    "or has a new token since, this command does the rest:", commands: [VIEW]};
}

/** @param {import("./source.js").Status} status of an OpenXR source @returns {Advice} */
function withoutHands({state, runtime}) {
  const name = printable(runtime || "The OpenXR runtime", 40);
  if (state === "stalled") return {id: "stalled", title: "The OpenXR runtime does not answer",
    text: `${name} hangs. Restart it; clashd connects again by itself.`, commands: [DOCTOR]};
  if (state !== "running") return runtime ? {id: "no-headset", title: "The headset is not ready",
    text: `${name} runs, but gives clashd no session. Connect the headset and switch it on; clashd continues by itself.`, commands: [DOCTOR]}
    : {id: "no-runtime", title: "No OpenXR runtime is running",
      text: "Start SteamVR, Monado or WiVRn, and the headset. clashd finds the runtime by itself; nothing has to be restarted.", commands: [DOCTOR]};
  return {id: "no-poses", title: "No hand is tracked", text: "Switch on the controllers and hold them where the headset sees them. While a game has " +
    "the focus, it may be the only program that gets the hands: then let the game send them to clashd.",
    commands: [DOCTOR, ["clashctl layer enable", "lets OpenXR games send the hands"]]};
}

/** @param {import("./source.js").Status} status @returns {Advice | null} */
function withoutPoses(status) {
  switch (status.replay?.state) {
    case "ended": return {id: "replay-ended", title: "The recording has ended", text: "To play it again:", commands: [["clashctl replay seek 0", "goes to its beginning"]]};
    case "paused": return {id: "replay-paused", title: "The recording is paused", text: "To resume:", commands: [["clashctl replay resume", "resumes playback"]]};
    case undefined: break;
    default: return null;
  }
  if (status.source === "openxr") return withoutHands(status);
  return {id: "clients-only", title: "No hands yet", text: "This clashd reads no controllers itself (--source none, or the setting openxr.enabled is " +
    "false): it waits for a game or another client to send poses. Without these two it reads the controllers from OpenXR.", commands: [DOCTOR]};
}

/** Null where hands are there and something can touch. @param {Known} known @returns {Advice | null} */
export function adviceFor(known) {
  const {isConnected, status, things, hasPoses} = known;
  if (!isConnected) return unconnected(known);
  if (!status || !things) return null; // not known yet
  if (things.blades.length === 0) return {id: "no-blades", title: "No blade is defined", text: "Without a blade nothing can clash. Define one in " +
    "clashd's settings, or let a game define it; the page shows it at once.", commands: [["clashctl config", "shows the settings in force, and their file"]]};
  if (!hasPoses) return withoutPoses(status);
  if (things.blades.length + things.targets.length < 2) return {id: "one-blade", title: "There is one blade, and nothing to strike",
    text: "Define a second blade or a target in clashd's settings, or let a game define it.",
    commands: [["clashctl config", "shows the settings in force, and their file"]]};
  return null;
}

/** The card in the room. @param {{onDemo: () => void}} acts @returns {{element: HTMLElement, show: (advice: Advice | null) => void}} */
export function makeGuide({onDemo}) {
  const title = make("h2"), text = make("p"), commands = make("dl");
  const demo = make("button", {type: "button", className: "button is-main try-demo", text: "Play 20 s of human swings"});
  const close = make("button", {type: "button", className: "button quiet", text: "Close"});
  const card = make("section", {className: "card", "aria-label": "What to do next"}, title, text, commands,
    make("div", {className: "acts"}, demo, close));
  const element = make("div", {className: "guide", hidden: true}, card);
  let shown = "", closed = "";
  demo.addEventListener("click", onDemo);
  close.addEventListener("click", () => {
    closed = shown;
    element.hidden = true;
  });
  return {element, show(advice) {
    const id = advice?.id ?? "";
    if (id !== closed) closed = ""; // another case is news
    element.hidden = !advice || id === closed;
    if (!advice || id === shown) return;
    shown = id;
    element.dataset.case = id;
    title.textContent = advice.title;
    text.textContent = advice.text;
    commands.replaceChildren(...(advice.commands ?? []).map(([command, about]) => make("div", {}, make("dt", {}, make("code", {text: command})), make("dd", {text: about}))));
  }};
}
