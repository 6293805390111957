// Where a blade has just been: a ribbon behind it that fades.
import {BufferAttribute, BufferGeometry, DoubleSide, Mesh, ShaderMaterial, Color, Quaternion, Vector3} from "three";

const LENGTH = 16; // poses, at most 120 of which come in a second
const VERTEX = `
attribute float age;
varying float fade;
void main() {
  fade = 1.0 - age;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const FRAGMENT = `
uniform vec3 colour;
varying float fade;
void main() {
  gl_FragColor = vec4(colour, 0.34 * fade * fade);
  #include <colorspace_fragment>
}`;

export class Trail {
  #positions = new Float32Array(LENGTH * 6);
  #count = 0;
  #turn = new Quaternion();
  #point = new Vector3();

  /** @type {[import("./stage.js").Vec3, import("./stage.js").Vec3]} */
  #ends;

  /** @param {[import("./stage.js").Vec3, import("./stage.js").Vec3]} ends of the blade, in its device's frame */
  constructor(ends) {
    this.#ends = ends;
    const geometry = new BufferGeometry(), ages = new Float32Array(LENGTH * 2);
    const indices = [];
    for (let i = 0; i < LENGTH; i++) {
      ages.fill(i / (LENGTH - 1), 2 * i, 2 * i + 2);
      const a = 2 * i;
      if (i + 1 < LENGTH) indices.push(a, a + 1, a + 2, a + 1, a + 3, a + 2);
    }
    geometry.setAttribute("position", new BufferAttribute(this.#positions, 3));
    geometry.setAttribute("age", new BufferAttribute(ages, 1));
    geometry.setIndex(indices);
    this.material = new ShaderMaterial({
      uniforms: {colour: {value: new Color()}}, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
      side: DoubleSide,
    });
    this.object = new Mesh(geometry, this.material);
    this.object.frustumCulled = false; // it moves without being told
    this.clear();
  }

  /** The device's newest pose. @param {import("./stage.js").Vec3} position @param {import("./stage.js").Quat} orientation */
  add(position, orientation) {
    const all = this.#positions;
    all.copyWithin(6, 0, all.length - 6);
    this.#turn.set(...orientation);
    for (let end = 0; end < 2; end++) {
      const {x, y, z} = this.#point.set(...this.#ends[end]).applyQuaternion(this.#turn);
      all[3 * end] = x + position[0];
      all[3 * end + 1] = y + position[1];
      all[3 * end + 2] = z + position[2];
    }
    this.#count = Math.min(this.#count + 1, LENGTH);
    this.object.geometry.setDrawRange(0, Math.max(0, this.#count - 1) * 6);
    this.object.geometry.attributes.position.needsUpdate = true;
  }

  clear() {
    this.#count = 0;
    this.object.geometry.setDrawRange(0, 0);
  }

  dispose() {
    this.object.geometry.dispose();
    this.material.dispose();
  }
}
