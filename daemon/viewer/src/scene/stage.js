// The room in 3D that the panels draw into. Axes are OpenXR's: metres, x right, y up, -z forward; quaternions are x, y, z, w. Nothing
// here keeps a clock: render() draws what it was told, at the time it is given.
import {DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Vector3} from "three";
import {speedWords} from "../live/words.js";
import {printable} from "../look/dom.js";
import {sweptGeometry} from "./blades.js";
import {Devices} from "./devices.js";
import {Labels} from "./labels.js";
import {PALETTES, colourOf} from "./palette.js";
import {makeRenderer} from "./renderer.js";
import {Room} from "./room.js";
import {Sparks} from "./sparks.js";
import {View} from "./view.js";

/** @typedef {[number, number, number]} Vec3 */
/** @typedef {[number, number, number, number]} Quat */
/** @typedef {{position: Vec3, orientation: Quat}} Pose */
/** One sample of a device. @typedef {Pose & {device: string}} DevicePose */
/** A blade as hello has it. @typedef {{name: string, device: string, base: Vec3, tip: Vec3, radius: number, edge?: Vec3, body?: boolean,
 *  parts?: {name: string, radius: number, edge?: Vec3, points?: Vec3[], base?: Vec3, tip?: Vec3}[]}} Blade */
/** A target by the lines of its outline, three numbers for each end, in the frame of its device, or without one in the room; where its own
 *  frame is there; and its shape in that, if it is a simple one. @typedef {{name: string, device?: string, lines: ArrayLike<number> | null,
 *  position?: Vec3, orientation?: Quat} & import("./solids.js").Shape} Target */
/** What a spark needs of a clash. @typedef {{midpoint: Vec3, normal: Vec3, points: [Vec3, Vec3], closing_speed: number,
 *  intensity: number, seq?: number}} Clash */

const NO_WEBGL = ["This browser cannot draw the room in 3D: WebGL is missing or switched off. The rest of the page works.",
  "In Chromium look at chrome://gpu, in Firefox at about:support under Graphics; hardware acceleration may be off in the settings, or " +
  "the graphics driver too old."];
const PIXEL_RATIO_MIN = 0.7; // half of the pixels; coarser, lines get lost
const GHOSTS = {previous: 0.2, next: 0.4};

export class Stage {
  /** Where it is drawn: put it into the page; it fills its parent. Without WebGL it holds a message with the reason. */
  element = document.createElement("div");
  /** False without WebGL: all methods may be called, and draw nothing. */
  available = true;
  #room = new Room();
  #palette = PALETTES.dark;
  #devices = new Devices(this.#palette);
  #sparks = new Sparks();
  #labels = new Labels();
  #ghosts = new Group();
  /** @type {Map<string, Group>} */
  #sweeps = new Map();
  #changed = true;
  #view = new View(this.element, () => { this.#changed = true; });
  #moves = false; // something still fades
  #now = 0;
  #pixelRatioMax = 1;
  /** @type {import("./renderer.js").Pace | null} */
  #pace = null;

  constructor() {
    this.element.className = "stage";
    this.#room.scene.add(this.#devices.object, this.#ghosts, this.#sparks.object);
    this.setTheme("dark");
    const made = makeRenderer();
    if (!made) {
      this.available = false;
      this.#sayWhy();
      return;
    }
    this.renderer = made.renderer;
    this.#pixelRatioMax = made.pixelRatioMax;
    this.#pace = made.pace;
    this.renderer.domElement.setAttribute("aria-hidden", "true");
    this.renderer.domElement.addEventListener("webglcontextrestored", () => { this.#changed = true; });
    this.element.append(this.renderer.domElement, this.#labels.element);
    new ResizeObserver(() => this.#resize()).observe(this.element);
  }

  #sayWhy() {
    const message = document.createElement("div");
    message.className = "notice";
    message.setAttribute("role", "alert");
    message.append(...NO_WEBGL.map((words) => Object.assign(document.createElement("p"), {textContent: words})));
    this.element.append(message);
  }

  #resize() {
    const {clientWidth: width, clientHeight: height} = this.element;
    if (!width || !height || !this.renderer) return;
    const ratio = Math.min(devicePixelRatio, this.#pixelRatioMax);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.#view.resize(width, height);
    this.#sparks.setScale(height * ratio / (2 * Math.tan(this.#view.camera.fov * Math.PI / 360)), ratio);
    this.#changed = true;
    this.render(this.#now); // or it would be empty until the next frame
  }

  /** @param {import("./palette.js").Theme} theme */
  setTheme(theme) {
    this.#palette = PALETTES[theme];
    this.#room.setPalette(this.#palette);
    this.#devices.setPalette(this.#palette);
    this.#sparks.setPalette(this.#palette);
    this.#changed = true;
  }

  /** All blades there are, in place of those before. @param {Blade[]} list */
  setBlades(list) {
    this.#devices.setBlades(list);
    this.#changed = true;
  }

  /** Their names. @returns {string[]} */
  get blades() {
    return this.#devices.bladeNames;
  }

  /** All targets there are, in place of those before. Of one without lines a cross is drawn. @param {Target[]} list */
  setTargets(list) {
    this.#devices.setTargets(list);
    this.#changed = true;
  }

  /** Whether blades leave a fading trail where they have been. @param {boolean} on */
  setTrails(on) {
    this.#devices.hasTrails = on;
  }

  /** Where a device is now, and with it its hand or head, blades and targets. @param {string} device @param {Vec3} position
   *  @param {Quat} orientation @param {{tracked?: boolean}} [state] untracked ones are drawn paler */
  setPose(device, position, orientation, {tracked = true} = {}) {
    this.#devices.setPose(device, position, orientation, tracked);
    this.#changed = true;
  }

  /** Takes a device out of sight until its next pose. @param {string} device */
  hidePose(device) {
    this.#devices.hide(device);
    this.#changed = true;
  }

  /** The blades as they were or will be, drawn translucent; [] for none. @param {(DevicePose & {kind: "previous" | "next"})[]} list */
  setGhosts(list) {
    for (const child of [...this.#ghosts.children]) {
      child.traverse((part) => /** @type {any} */ (part).material?.dispose()); // the geometry is the blade's
      child.removeFromParent();
    }
    for (const pose of list) this.#ghosts.add(this.#devices.ghost(pose, GHOSTS[pose.kind]));
    this.#changed = true;
  }

  /** The surface that a blade sweeps along these poses of its device (give enough of them that it looks smooth: 16 to 64); [] for none.
   *  @param {string} name the blade's @param {Pose[]} samples */
  setSweep(name, samples) {
    const before = this.#sweeps.get(name), blade = this.#devices.blade(name);
    before?.traverse((part) => {
      /** @type {Mesh} */ (part).geometry?.dispose();
      /** @type {any} */ (part).material?.dispose();
    });
    before?.removeFromParent();
    this.#sweeps.delete(name);
    this.#changed = true;
    if (!blade || samples.length < 2) return;
    const {surface, border} = sweptGeometry(blade, samples), color = colourOf(this.#palette, blade.device);
    const group = new Group();
    group.add(new Mesh(surface, new MeshBasicMaterial({color, transparent: true, opacity: 0.24, side: DoubleSide, depthWrite: false})),
      new LineSegments(border, new LineBasicMaterial({color, transparent: true, opacity: 0.8})));
    this.#sweeps.set(name, group);
    this.#room.scene.add(group);
  }

  /** A spark at a clash's midpoint, with its normal, contact points and speed. It fades by the times that render() is given, or with
   *  `still` stays as it is until clearSparks(). @param {Clash} clash @param {{still?: boolean}} [how] */
  addSpark(clash, {still = false} = {}) {
    this.#sparks.add(clash, still);
    this.#changed = true;
  }

  clearSparks() {
    this.#sparks.clear();
    this.#changed = true;
  }

  /** Forgets poses, ghosts, sweeps and sparks; blades, targets and the view stay. */
  clear() {
    this.#devices.hideAll();
    this.setGhosts([]);
    for (const name of [...this.#sweeps.keys()]) this.setSweep(name, []);
    this.clearSparks();
  }

  /** @param {import("./view.js").ViewName} name */
  setView(name) {
    this.#view.show(name);
  }

  /** Moves the view so that what there is fits into it. */
  frame() {
    this.#view.fit(this.#devices.visible());
  }

  /** Moves the view so that this place is in its middle. @param {Vec3} point @param {number} [radius] how much around it is seen, m */
  lookAt(point, radius = 0.5) {
    this.#view.lookAt(point, radius);
  }

  /** @param {number} right steps of 7.5 degrees @param {number} up likewise */
  turn(right, up) {
    this.#view.turn(right, up);
  }

  /** @param {number} factor above 1: nearer */
  zoom(factor) {
    this.#view.zoom(factor);
  }

  /** Where it is looked at from and to, m, and the angle from the upper to the lower edge, degrees. */
  get camera() {
    const {camera, controls} = this.#view;
    return {position: /** @type {Vec3} */ (camera.position.toArray()), target: /** @type {Vec3} */ (controls.target.toArray()), angle: camera.fov};
  }

  /** Where a point of the room is drawn, CSS pixels from the element's upper left corner. @param {Vec3} point
   *  @returns {{x: number, y: number, isAhead: boolean}} isAhead is false for what is behind the camera */
  project(point) {
    const {camera} = this.#view;
    camera.updateMatrixWorld();
    const at = new Vector3(...point).project(camera);
    return {x: (at.x + 1) / 2 * this.element.clientWidth, y: (1 - at.y) / 2 * this.element.clientHeight, isAhead: at.z > -1 && at.z < 1};
  }

  /** Draws, if there is anything new since the last time. @param {number} now ms, of any clock that goes forward
   *  @returns {boolean} whether it drew */
  render(now) {
    this.#now = now;
    if (!this.renderer || !this.element.clientWidth || !(this.#changed || this.#moves)) return false;
    this.#changed = false;
    this.#moves = this.#sparks.update(now / 1000);
    this.renderer.render(this.#room.scene, this.#view.camera);
    this.#label();
    if (this.#pace?.isTooSlow(now) && this.#pixelRatioMax > PIXEL_RATIO_MIN) {
      this.#pixelRatioMax = Math.max(PIXEL_RATIO_MIN, 0.7 * this.#pixelRatioMax);
      this.#resize();
    }
    return true;
  }

  /** Speeds beside the clashes, the newest first, and the names of targets and blades. */
  #label() {
    const hits = this.#sparks.marks.filter(({clash}) => clash.closing_speed > 0).reverse();
    const speeds = hits.map(({clash, opacity}) =>
      ({text: speedWords(clash.closing_speed), places: [this.project(clash.midpoint)], opacity, kind: /** @type {const} */ ("speed")}));
    const names = this.#devices.names().map(({name, places, isKnown, colour}) => ({text: printable(name, 24), opacity: 1,
      places: places.map((place) => this.project(place)), kind: isKnown ? /** @type {const} */ ("name") : /** @type {const} */ ("unknown"), colour}));
    this.#labels.show([...speeds, ...names], this.element.clientWidth, this.element.clientHeight);
  }

  /** Every pixel, however slow that is: for pictures. */
  keepSharp() {
    this.#pace = null;
  }

  /** A picture of what is drawn, without the words. @returns {Promise<Blob | null>} PNG; null without WebGL */
  picture() {
    this.#changed = true;
    this.render(this.#now);
    return new Promise((resolve) => (this.renderer ? this.renderer.domElement.toBlob(resolve) : resolve(null)));
  }
}
