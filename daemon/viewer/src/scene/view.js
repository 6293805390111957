// Where the room is looked at from: mouse and touch (turn, zoom, shift), keys, and views by name.
import {Box3, PerspectiveCamera, Sphere, Vector3} from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";

/** @typedef {"behind" | "front" | "side" | "top"} ViewName */

const CENTER = new Vector3(0, 1.2, -0.25);
const RADIUS = 1.65; // m: of a person with a sword in each hand
/** @type {Record<ViewName, Vector3>} from the centre to the camera */
const WAYS = {
  behind: new Vector3(0.32, 0.3, 1), front: new Vector3(-0.25, 0.25, -1), side: new Vector3(1, 0.16, 0.06), top: new Vector3(0, 1, 0.02),
};
const TURN = Math.PI / 24;

export class View {
  camera = new PerspectiveCamera(45, 1, 0.02, 100);

  /** @param {HTMLElement} element @param {() => void} onChange */
  constructor(element, onChange) {
    this.controls = new OrbitControls(this.camera, element);
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 30;
    this.controls.addEventListener("change", onChange);
    this.show("behind");
  }

  /** @param {ViewName} name */
  show(name) {
    this.#look(WAYS[name], new Sphere(CENTER, RADIUS));
  }

  /** So that all of these are seen, from where they are seen now. @param {import("three").Object3D[]} objects */
  fit(objects) {
    const box = new Box3();
    for (const object of objects) box.expandByObject(object);
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new Sphere());
    sphere.radius = Math.min(Math.max(sphere.radius, 0.4), 12);
    this.#look(this.camera.position.clone().sub(this.controls.target), sphere);
  }

  /** A place and how much around it. @param {import("./stage.js").Vec3} point @param {number} radius m */
  lookAt(point, radius) {
    this.#look(this.camera.position.clone().sub(this.controls.target), new Sphere(new Vector3(...point), radius));
  }

  /** @param {Vector3} way @param {Sphere} sphere */
  #look(way, sphere) {
    const half = Math.atan(Math.tan(this.camera.fov * Math.PI / 360) * Math.min(1, this.camera.aspect));
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(way).setLength(sphere.radius / Math.sin(half)).add(sphere.center);
    this.controls.update();
  }

  /** Turns around what is looked at. @param {number} right steps @param {number} up steps */
  turn(right, up) {
    const way = this.camera.position.clone().sub(this.controls.target);
    const length = way.length(), down = Math.acos(way.y / length), around = Math.atan2(way.x, way.z) + right * TURN;
    const polar = Math.min(Math.max(down - up * TURN, 0.02), Math.PI - 0.02);
    way.set(Math.sin(polar) * Math.sin(around), Math.cos(polar), Math.sin(polar) * Math.cos(around)).multiplyScalar(length);
    this.camera.position.copy(this.controls.target).add(way);
    this.controls.update();
  }

  /** @param {number} factor above 1: nearer */
  zoom(factor) {
    const way = this.camera.position.clone().sub(this.controls.target).divideScalar(factor);
    way.clampLength(this.controls.minDistance, this.controls.maxDistance);
    this.camera.position.copy(this.controls.target).add(way);
    this.controls.update();
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    const before = Math.min(1, this.camera.aspect);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.zoom(Math.min(1, this.camera.aspect) / before); // what was seen is still seen where it gets narrow
  }
}
