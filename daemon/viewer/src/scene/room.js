// The room itself: a floor of half metres that fades into the distance, the origin with the way ahead, and light.
import {BufferGeometry, Color, DirectionalLight, Float32BufferAttribute, Fog, GridHelper, Group, HemisphereLight, LineBasicMaterial, LineSegments,
  Scene} from "three";

const FLOOR_M = 16;

/** The origin: a circle where the player stands, and an arrow ahead, -z. */
function originLines() {
  const lines = [], radius = 0.25;
  const at = (i) => [radius * Math.cos(2 * Math.PI * i / 48), 0.002, radius * Math.sin(2 * Math.PI * i / 48)];
  for (let i = 0; i < 48; i++) lines.push(...at(i), ...at(i + 1));
  lines.push(0, 0.002, -radius, 0, 0.002, -0.55, 0, 0.002, -0.55, -0.07, 0.002, -0.46, 0, 0.002, -0.55, 0.07, 0.002, -0.46);
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(lines, 3));
}

export class Room {
  scene = new Scene();
  #lines = new Group();

  constructor() {
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(1.5, 4, 2.5);
    this.scene.add(new HemisphereLight(0xffffff, 0x8088a0, 1.5), sun, this.#lines);
  }

  /** @param {import("./palette.js").Palette} palette */
  setPalette(palette) {
    this.scene.background = new Color(palette.background);
    this.scene.fog = new Fog(palette.background, 4, 10);
    for (const child of [...this.#lines.children]) {
      /** @type {LineSegments} */ (child).geometry.dispose();
      child.removeFromParent();
    }
    this.#lines.add(new GridHelper(FLOOR_M, 2 * FLOOR_M, palette.floor, palette.floor),
      new LineSegments(originLines(), new LineBasicMaterial({color: palette.axis})));
  }
}
