// What is drawn in the room: each device with its blades, its targets, and the hand or head that it is; and targets without a device.
import {Box3, BoxGeometry, BufferGeometry, CapsuleGeometry, DoubleSide, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, MeshLambertMaterial, SphereGeometry, Vector3} from "three";
import {mergeGeometries} from "three/examples/jsm/utils/BufferGeometryUtils.js";
import {bladeGeometry, edgeGeometry, endsOf} from "./blades.js";
import {colourOf} from "./palette.js";
import {solidOf} from "./solids.js";
import {Trail} from "./trail.js";

/** @typedef {import("./stage.js").Blade} Blade */
/** @typedef {import("./stage.js").Target} Target */
/** @typedef {{group: Group, trails: Trail[], blades: Mesh[], materials: (MeshLambertMaterial | LineBasicMaterial)[], isTracked: boolean}} Device */

const CROSS = [-1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, -1, 0, 0, 1].map((x) => 0.1 * x); // where no lines are known
const DENSE = 6 * 1000; // numbers: of more lines no single one matters, and what is before them has to be seen
const LARGE_M = 4; // across: a wall or an arena, through which the player has to be seen
const PLACES = [0, 0.2, 0.4, 0.6, 0.8, 1]; // from base to tip, where a blade's name may be
const HEAD = /(^|\/)head$/;

/** A hand is where its grip is: along z, from the little finger (+z) to the thumb. @param {string} device @returns {BufferGeometry} */
function handGeometry(device) {
  if (HEAD.test(device)) return mergeGeometries([new SphereGeometry(0.11, 20, 14).scale(0.82, 1.12, 1).translate(0, 0, 0.06).toNonIndexed(),
    new BoxGeometry(0.19, 0.085, 0.07).translate(0, 0.01, -0.045).toNonIndexed()]);
  if (!device.startsWith("/user/hand/")) return new SphereGeometry(0.03, 14, 10);
  return mergeGeometries([new CapsuleGeometry(0.036, 0.07, 6, 14).rotateX(Math.PI / 2).toNonIndexed(),
    new CapsuleGeometry(0.013, 0.05, 4, 10).rotateX(Math.PI / 2).translate(0, 0.028, -0.06).toNonIndexed()]);
}

/** @param {import("three").Object3D} object */
function release(object) {
  object.traverse((part) => {
    /** @type {Mesh} */ (part).geometry?.dispose();
    /** @type {any} */ (part).material?.dispose();
  });
  object.removeFromParent();
}

export class Devices {
  object = new Group();
  /** Whether blades leave a trail. */
  hasTrails = false;
  /** @type {Map<string, Device>} */
  #devices = new Map();
  /** @type {Map<string, Blade>} */
  #blades = new Map();
  /** @type {Target[]} */
  #targets = [];
  /** Where names are written. @type {{name: string, object: import("three").Object3D, places: Vector3[], isKnown: boolean, colour?: string}[]} */
  #names = [];
  #standing = new Group(); // targets without a device
  /** @type {Map<string, {position: import("./stage.js").Vec3, orientation: import("./stage.js").Quat, isTracked: boolean}>} */
  #poses = new Map();
  #palette;

  /** @param {import("./palette.js").Palette} palette */
  constructor(palette) {
    this.#palette = palette;
    this.object.add(this.#standing);
  }

  /** @param {string} name @returns {Blade | undefined} */
  blade(name) {
    return this.#blades.get(name);
  }

  /** @returns {string[]} of all blades */
  get bladeNames() {
    return [...this.#blades.keys()];
  }

  /** @param {string} device @returns {BufferGeometry[]} of the blades that it carries; still the device's own */
  geometries(device) {
    return this.#devices.get(device)?.blades.map(({geometry}) => geometry) ?? [];
  }

  /** @param {import("./palette.js").Palette} palette */
  setPalette(palette) {
    this.#palette = palette;
    this.#rebuild();
  }

  /** @param {Blade[]} blades */
  setBlades(blades) {
    this.#blades = new Map(blades.map((blade) => [blade.name, blade]));
    this.#rebuild();
  }

  /** @param {Target[]} targets */
  setTargets(targets) {
    this.#targets = targets;
    this.#rebuild();
  }

  #rebuild() {
    for (const {group, trails} of this.#devices.values()) {
      release(group);
      for (const trail of trails) release(trail.object);
    }
    this.#devices.clear();
    this.#names = [];
    for (const child of [...this.#standing.children]) release(child);
    for (const blade of this.#blades.values()) this.#addBlade(blade);
    for (const target of this.#targets) this.#addTarget(target);
    for (const [device, {position, orientation, isTracked}] of this.#poses) this.setPose(device, position, orientation, isTracked);
  }

  /** @param {string} name @returns {Device} */
  #device(name) {
    let device = this.#devices.get(name);
    if (device) return device;
    device = {group: new Group(), trails: [], blades: [], materials: [], isTracked: true};
    const material = new MeshLambertMaterial({color: this.#palette.hand});
    device.group.add(new Mesh(handGeometry(name), material));
    device.materials.push(material);
    device.group.visible = false;
    this.#devices.set(name, device);
    this.object.add(device.group);
    return device;
  }

  /** @param {Blade} blade */
  #addBlade(blade) {
    const device = this.#device(blade.device), colour = colourOf(this.#palette, blade.device);
    const material = new MeshLambertMaterial({color: colour, emissive: colour, emissiveIntensity: 0.35});
    const mesh = new Mesh(bladeGeometry(blade), material), edge = edgeGeometry(blade);
    device.group.add(mesh);
    device.blades.push(mesh);
    const [base, tip] = endsOf(blade).map((end) => new Vector3(...end));
    this.#names.push({name: blade.name, object: mesh, places: PLACES.map((share) => base.clone().lerp(tip, share)), isKnown: true,
      colour: `#${colour.toString(16).padStart(6, "0")}`});
    device.materials.push(material);
    if (edge) {
      const line = new LineBasicMaterial({color: this.#palette.core});
      device.group.add(new LineSegments(edge, line));
      device.materials.push(line);
    }
    if (blade.body) return;
    const trail = new Trail(endsOf(blade));
    trail.material.uniforms.colour.value.set(colour);
    device.trails.push(trail);
    this.object.add(trail.object);
  }

  /** @param {Target} target */
  #addTarget(target) {
    const {name, device, lines, position, orientation} = target, isKnown = Boolean(lines?.length), solid = solidOf(target);
    const parent = device ? this.#device(device).group : this.#standing;
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(lines?.length ? lines : CROSS, 3));
    const object = new LineSegments(geometry, new LineBasicMaterial({color: solid ? this.#palette.targetEdge : this.#palette.target, transparent: true,
      opacity: !isKnown ? 0.5 : /** @type {ArrayLike<number>} */ (lines).length > DENSE ? 0.35 : 0.85}));
    if (!isKnown) {
      object.position.fromArray(position ?? [0, 0, 0]);
      object.quaternion.fromArray(orientation ?? [0, 0, 0, 1]);
    }
    parent.add(object);
    const box = new Box3().setFromBufferAttribute(/** @type {any} */ (geometry.attributes.position));
    const top = box.getCenter(new Vector3());
    if (isKnown) top.y = box.max.y;
    this.#names.push({name, object, places: [top], isKnown});
    if (solid) parent.add(this.#makeSolid(solid, box.getSize(new Vector3()).length() > LARGE_M));
  }

  /** @param {BufferGeometry} geometry @param {boolean} isLarge */
  #makeSolid(geometry, isLarge) {
    const material = new MeshLambertMaterial({color: this.#palette.target, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1,
      polygonOffsetUnits: 1, transparent: isLarge, opacity: isLarge ? 0.25 : 1, depthWrite: !isLarge});
    return new Mesh(geometry, material);
  }

  /** @param {string} name @param {import("./stage.js").Vec3} position @param {import("./stage.js").Quat} orientation @param {boolean} isTracked */
  setPose(name, position, orientation, isTracked) {
    this.#poses.set(name, {position, orientation, isTracked});
    const device = this.#device(name);
    device.group.visible = true;
    device.group.position.set(...position);
    device.group.quaternion.set(...orientation);
    if (device.isTracked !== isTracked) this.#show(device, isTracked);
    if (this.hasTrails && isTracked) for (const trail of device.trails) trail.add(position, orientation);
  }

  /** Paler where it is not tracked. @param {Device} device @param {boolean} isTracked */
  #show(device, isTracked) {
    device.isTracked = isTracked;
    for (const material of device.materials) {
      material.transparent = !isTracked;
      material.opacity = isTracked ? 1 : 0.3;
      material.needsUpdate = true;
    }
  }

  /** @param {string} name */
  hide(name) {
    this.#poses.delete(name);
    const device = this.#devices.get(name);
    if (!device) return;
    device.group.visible = false;
    for (const trail of device.trails) trail.clear();
    if (device.group.children.length > 1) return;
    release(device.group); // nothing but a hand: names come and go
    this.#devices.delete(name);
  }

  hideAll() {
    for (const name of [...this.#poses.keys()]) this.hide(name);
  }

  /** Blades of a device at another place. @param {import("./stage.js").DevicePose} pose @param {number} opacity @returns {Group} */
  ghost({device, position, orientation}, opacity) {
    const ghost = new Group();
    for (const geometry of this.geometries(device))
      ghost.add(new Mesh(geometry, new MeshBasicMaterial({color: colourOf(this.#palette, device), transparent: true, opacity,
        depthWrite: false})));
    ghost.position.set(...position);
    ghost.quaternion.set(...orientation);
    return ghost;
  }

  /** The names of what is drawn, and where they may be written. @returns {{name: string, places: import("./stage.js").Vec3[], isKnown: boolean,
   *  colour?: string}[]} with a colour: a blade */
  names() {
    return this.#names.filter(({object}) => object.parent?.visible).map(({name, object, places, isKnown, colour}) => ({name, isKnown, colour,
      places: places.map((at) => /** @type {import("./stage.js").Vec3} */ (object.localToWorld(at.clone()).toArray()))}));
  }

  /** Corners of what is drawn now, for the view to fit to. @returns {import("three").Object3D[]} */
  visible() {
    return [this.#standing, ...[...this.#devices.values()].map(({group}) => group)].filter(({visible, children}) => visible && children.length);
  }
}
