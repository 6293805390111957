// The room in 3D that the panels draw into. Axes are OpenXR's: metres, x right, y up, -z forward; quaternions are x, y, z, w. Nothing
// here keeps a clock: render() draws what it was told, at the time it is given.
import {Color, GridHelper, PerspectiveCamera, Scene, WebGLRenderer} from "three";

/** @typedef {[number, number, number]} Vec3 */
/** @typedef {[number, number, number, number]} Quat */
/** @typedef {{position: Vec3, orientation: Quat}} Pose */
/** One sample of a device. @typedef {Pose & {device: string}} DevicePose */
/** A blade as hello has it. @typedef {{name: string, device: string, base: Vec3, tip: Vec3, radius: number, edge?: Vec3, body?: boolean,
 *  parts?: {name: string, radius: number, edge?: Vec3, points?: Vec3[], base?: Vec3, tip?: Vec3}[]}} Blade */
/** What a spark needs of a clash. @typedef {{midpoint: Vec3, normal: Vec3, points: [Vec3, Vec3], closing_speed: number,
 *  intensity: number}} Clash */

export class Stage {
  /** Where it is drawn: put it into the page; it fills its parent. Where there is no WebGL it holds a message that says so. */
  element = document.createElement("div");
  /** False where there is no WebGL: all methods may be called, and draw nothing. */
  available = true;

  constructor() {
    this.element.className = "stage";
    this.scene = new Scene();
    this.scene.background = new Color(0x14161c);
    this.camera = new PerspectiveCamera(50, 1, 0.02, 200);
    this.camera.position.set(1.6, 2.0, 2.2);
    this.camera.lookAt(0, 1.1, -0.3);
    this.scene.add(new GridHelper(8, 16));
    try {
      this.renderer = new WebGLRenderer({antialias: true});
      this.element.append(this.renderer.domElement);
      new ResizeObserver(() => this.#resize()).observe(this.element);
    } catch {
      this.available = false;
      this.element.textContent = "This browser has no WebGL";
    }
  }

  #resize() {
    const {clientWidth: width, clientHeight: height} = this.element;
    if (!width || !height || !this.renderer) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** All blades there are, in place of those before. @param {Blade[]} list */
  setBlades(list) {
    void list;
  }

  /** All targets there are, as hello has them, in place of those before. @param {object[]} list */
  setTargets(list) {
    void list;
  }

  /** Where a device is now, and with it its blades and targets. @param {string} device @param {Vec3} position @param {Quat} orientation
   *  @param {{tracked?: boolean}} [state] untracked ones are drawn paler */
  setPose(device, position, orientation, {tracked = true} = {}) {
    void [device, position, orientation, tracked];
  }

  /** Takes a device's blades out of sight until its next pose. @param {string} device */
  hidePose(device) {
    void device;
  }

  /** The blades as they were or will be, drawn translucent; [] for none. @param {(DevicePose & {kind: "previous" | "next"})[]} list */
  setGhosts(list) {
    void list;
  }

  /** The surface that a blade sweeps along these poses of its device (give enough of them that it looks smooth: 16 to 64); [] for none.
   *  @param {string} name the blade's @param {Pose[]} samples */
  setSweep(name, samples) {
    void [name, samples];
  }

  /** A spark at a clash's midpoint, with its normal, contact points and speed. It fades by the times that render() is given, or with
   *  `still` stays as it is until clearSparks(). @param {Clash} clash @param {{still?: boolean}} [how] */
  addSpark(clash, {still = false} = {}) {
    void [clash, still];
  }

  clearSparks() {}

  /** Forgets poses, ghosts, sweeps and sparks; blades, targets and the view stay. */
  clear() {}

  /** Moves the view so that what there is fits into it. */
  frame() {}

  /** Where a point of the room is drawn, CSS pixels from the element's upper left corner. @param {Vec3} point
   *  @returns {{x: number, y: number}} */
  project(point) {
    void point;
    return {x: 0, y: 0};
  }

  /** Draws. @param {number} now ms, of any clock that goes forward */
  render(now) {
    void now;
    this.renderer?.render(this.scene, this.camera);
  }

  /** A picture of what is drawn now. @returns {Promise<Blob | null>} PNG */
  picture() {
    this.render(performance.now());
    return new Promise((resolve) => this.renderer ? this.renderer.domElement.toBlob(resolve) : resolve(null));
  }
}
