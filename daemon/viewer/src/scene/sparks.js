// What is drawn of clashes: a burst of sparks, a bright core at the midpoint, the two contact points, and the normal as an arrow whose
// length is the closing speed. Three objects whatever happens; the graphics processor moves and fades the sparks by their age.
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial,
  NormalBlending, Points, Quaternion, ShaderMaterial, Vector3,
} from "three";
import {mergeGeometries} from "three/examples/jsm/utils/BufferGeometryUtils.js";
import {PALETTES} from "./palette.js";

/** @typedef {import("./stage.js").Clash} Clash */

const SPARKS_MAX = 2048;
const MARKS_MAX = 8; // clashes whose core, points and normal are drawn
const SPARK_LIFE_S = 0.9;
export const MARK_LIFE_S = 2.5;
const FULL_SPEED = 40; // m/s, from which on the arrow grows no more
const UP = new Vector3(0, 1, 0);
const POINTS_A_MARK = 3;

const SPARK_VERTEX = `
attribute vec3 velocity;
attribute vec2 birth; // s, and how long it lives
uniform float now, scale;
varying float age;
void main() {
  float t = now - birth.x;
  age = t / birth.y;
  vec3 way = velocity * (1.0 - exp(-3.0 * t)) / 3.0 - vec3(0.0, 0.8 * t * t, 0.0);
  vec4 view = modelViewMatrix * vec4(position + way, 1.0);
  gl_Position = age < 0.0 || age > 1.0 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * view;
  gl_PointSize = clamp(scale * 0.034 * (1.0 - 0.6 * age) / -view.z, 4.0, 40.0);
}`;
const SPARK_FRAGMENT = `
uniform vec3 hot, cool;
varying float age;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5);
  if (r > 1.0) discard;
  gl_FragColor = vec4(mix(hot, cool, smoothstep(0.0, 0.8, age)), (1.0 - age * age) * smoothstep(1.0, 0.35, r));
  #include <colorspace_fragment>
}`;
const MARK_VERTEX = `
attribute vec3 colour;
attribute vec2 look; // diameter in CSS pixels, and opacity
uniform float ratio;
varying float width;
varying vec3 tint;
varying float opacity;
void main() {
  tint = colour;
  opacity = look.y;
  gl_Position = look.y <= 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  width = look.x * ratio;
  gl_PointSize = width;
}`;
const MARK_FRAGMENT = `
uniform vec3 rim;
uniform float ratio;
varying float width;
varying vec3 tint;
varying float opacity;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5);
  if (r > 1.0) discard;
  float inside = clamp((1.0 - r) * width / 2.0 - 1.5 * ratio, 0.0, 1.0); // a rim of 1.5 pixels, so that it is seen on any ground
  gl_FragColor = vec4(mix(rim, tint, inside), opacity * clamp((1.0 - r) * width / 2.0, 0.0, 1.0));
  #include <colorspace_fragment>
}`;

/** Numbers from 0 to 1 that look random and are the same for the same clash: a picture can be made again. */
function dice(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** @param {string} name @param {number} width @param {number} count @returns {[string, BufferAttribute]} */
const attribute = (name, width, count) => [name, new BufferAttribute(new Float32Array(width * count), width)];

export class Sparks {
  object = new Group();
  /** @type {{clash: Clash, born: number | null, still: boolean, opacity: number}[]} newest last */
  marks = [];
  #next = 0;
  #newest = -Infinity;
  /** @type {(Clash & {seq?: number})[]} */
  #waiting = []; // for the time of the next render
  #arrows = /** @type {Mesh<BufferGeometry, MeshBasicMaterial>[]} */ ([]);
  #palette = PALETTES.dark;
  #burst;
  #points;

  constructor() {
    const sparks = new BufferGeometry(), marks = new BufferGeometry();
    for (const [name, data] of [attribute("position", 3, SPARKS_MAX), attribute("velocity", 3, SPARKS_MAX),
      attribute("birth", 2, SPARKS_MAX)]) sparks.setAttribute(name, data);
    for (const [name, data] of [attribute("position", 3, POINTS_A_MARK * MARKS_MAX), attribute("colour", 3, POINTS_A_MARK * MARKS_MAX),
      attribute("look", 2, POINTS_A_MARK * MARKS_MAX)]) marks.setAttribute(name, data);
    sparks.attributes.birth.array.fill(-1e6);
    this.#burst = new Points(sparks, new ShaderMaterial({
      uniforms: {now: {value: 0}, scale: {value: 500}, hot: {value: new Color()}, cool: {value: new Color()}},
      vertexShader: SPARK_VERTEX, fragmentShader: SPARK_FRAGMENT, transparent: true, depthWrite: false,
    }));
    this.#points = new Points(marks, new ShaderMaterial({
      uniforms: {ratio: {value: 1}, rim: {value: new Color()}}, vertexShader: MARK_VERTEX, fragmentShader: MARK_FRAGMENT, transparent: true, depthTest: false,
      depthWrite: false,
    }));
    this.#points.renderOrder = 10;
    this.#makeArrows();
    for (const object of [this.#burst, this.#points]) object.frustumCulled = false;
    this.object.add(this.#burst, this.#points);
  }

  #makeArrows() {
    const arrow = mergeGeometries([new CylinderGeometry(0.004, 0.004, 0.8, 8).translate(0, 0.4, 0),
      new ConeGeometry(0.014, 0.2, 12).translate(0, 0.9, 0)]);
    for (let i = 0; i < MARKS_MAX; i++) {
      const mesh = new Mesh(arrow, new MeshBasicMaterial({transparent: true, depthTest: false}));
      mesh.visible = false;
      mesh.renderOrder = 9;
      this.#arrows.push(mesh);
      this.object.add(mesh);
    }
  }

  /** @param {import("./palette.js").Palette} palette */
  setPalette(palette) {
    this.#palette = palette;
    this.#burst.material.uniforms.hot.value.set(palette.hot);
    this.#burst.material.uniforms.cool.value.set(palette.cool);
    this.#burst.material.blending = palette.glow ? AdditiveBlending : NormalBlending;
    this.#points.material.uniforms.rim.value.set(palette.rim);
    for (const arrow of this.#arrows) arrow.material.color.set(palette.normal);
  }

  /** How large a metre at 1 m is, and a CSS pixel, both in pixels of the canvas. @param {number} metre @param {number} ratio */
  setScale(metre, ratio) {
    this.#burst.material.uniforms.scale.value = metre;
    this.#points.material.uniforms.ratio.value = ratio;
  }

  /** @param {Clash & {seq?: number}} clash @param {boolean} still */
  add(clash, still) {
    this.marks.push({clash, born: null, still, opacity: 1});
    if (this.marks.length > MARKS_MAX) this.marks.shift();
    if (!still && this.#waiting.push(clash) > MARKS_MAX) this.#waiting.shift();
  }

  clear() {
    this.marks = [];
    this.#waiting = [];
    this.#newest = -Infinity;
    const {birth} = this.#burst.geometry.attributes;
    birth.array.fill(-1e6);
    birth.needsUpdate = true;
  }

  /** Fades. @param {number} now s @returns {boolean} whether anything still changes by itself */
  update(now) {
    for (const clash of this.#waiting) this.#throw(clash, now);
    this.#waiting = [];
    this.#burst.material.uniforms.now.value = now;
    this.#burst.visible = now - this.#newest < SPARK_LIFE_S;
    for (const mark of this.marks) {
      mark.born ??= now;
      mark.opacity = mark.still ? 1 : Math.max(0, 1 - ((now - mark.born) / MARK_LIFE_S) ** 2);
    }
    this.marks = this.marks.filter(({opacity}) => opacity > 0);
    this.#draw(now);
    return this.#burst.visible || this.marks.some(({still}) => !still);
  }

  /** Sparks fly off the plane between the blades, and along with what slides. @param {Clash & {seq?: number}} clash */
  #throw(clash, now) {
    const {position, velocity, birth} = this.#burst.geometry.attributes;
    const roll = dice((clash.seq ?? 1) * 2654435761), normal = new Vector3(...clash.normal), way = new Vector3();
    const count = Math.round(24 + 136 * clash.intensity);
    for (let i = 0; i < count; i++) {
      const at = this.#next++ % SPARKS_MAX;
      way.set(2 * roll() - 1, 2 * roll() - 1, 2 * roll() - 1).normalize();
      way.addScaledVector(normal, -0.6 * way.dot(normal)).multiplyScalar((0.3 + 2.4 * clash.intensity) * (0.25 + 0.75 * roll()));
      position.array.set(clash.midpoint, 3 * at);
      velocity.array.set([way.x, way.y, way.z], 3 * at);
      birth.array.set([now, SPARK_LIFE_S * (0.4 + 0.6 * roll())], 2 * at);
    }
    this.#newest = now;
    for (const data of [position, velocity, birth]) data.needsUpdate = true;
  }

  #draw(now) {
    const {position, colour, look} = this.#points.geometry.attributes;
    look.array.fill(0);
    for (const arrow of this.#arrows) arrow.visible = false;
    const tint = new Color();
    this.marks.forEach(({clash, born, still, opacity}, i) => {
      const flash = still ? 0 : Math.max(0, 1 - (now - (born ?? now)) / 0.25);
      const put = (slot, point, diameter, hex) => {
        const at = POINTS_A_MARK * i + slot;
        position.array.set(point, 3 * at);
        tint.set(hex).toArray(colour.array, 3 * at);
        look.array.set([diameter, opacity], 2 * at);
      };
      put(0, clash.points[0], 9, this.#palette.point);
      put(1, clash.points[1], 9, this.#palette.point);
      put(2, clash.midpoint, 13 + 9 * flash * (0.4 + clash.intensity), this.#palette.core);
      this.#point(this.#arrows[i], clash, opacity);
    });
    for (const data of [position, colour, look]) data.needsUpdate = true;
  }

  /** @param {Mesh<BufferGeometry, MeshBasicMaterial>} arrow @param {Clash} clash @param {number} opacity */
  #point(arrow, clash, opacity) {
    arrow.visible = true;
    arrow.position.set(...clash.midpoint);
    arrow.quaternion.copy(new Quaternion().setFromUnitVectors(UP, new Vector3(...clash.normal).normalize()));
    arrow.scale.set(1, 0.08 + 0.4 * Math.min(1, Math.abs(clash.closing_speed) / FULL_SPEED), 1);
    arrow.material.opacity = 0.9 * opacity;
  }
}
