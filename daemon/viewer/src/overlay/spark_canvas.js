// Sparks on a plain canvas, which needs no graphics processor: as seen from behind the player, or from the front.
const SPARKS_MAX = 1200;

/** @typedef {{x: number, y: number, vx: number, vy: number, life: number, size: number, born: number | null}} Spark */

export class SparkCanvas {
  element = document.createElement("canvas");
  /** @type {Spark[]} oldest first */
  #sparks = [];
  /** @type {{x: number, y: number, size: number, born: number | null}[]} */
  #flashes = [];
  #isDrawing = false;
  #setting;

  /** @param {(name: string, otherwise: number) => number} setting what overlay.css says */
  constructor(setting) {
    this.#setting = setting;
    this.element.className = "sparks";
    this.element.setAttribute("aria-hidden", "true");
    new ResizeObserver(() => {
      this.element.width = this.element.clientWidth * devicePixelRatio;
      this.element.height = this.element.clientHeight * devicePixelRatio;
    }).observe(this.element);
  }

  /** Where a point of the room is, CSS pixels. @param {number[]} point m @returns {[number, number]} */
  project([x, y]) {
    const metre = this.element.clientHeight / this.#setting("metres-high", 2.4), side = this.#setting("from-front", 0) ? -1 : 1;
    return [this.element.clientWidth / 2 + side * x * metre,
      this.element.clientHeight / 2 - (y - this.#setting("middle-height", 1.2)) * metre];
  }

  /** @param {{midpoint: number[], normal: number[], intensity: number}} clash */
  add({midpoint, normal, intensity}) {
    const [x, y] = this.project(midpoint), metre = this.element.clientHeight / this.#setting("metres-high", 2.4);
    const size = this.#setting("spark-size", 5), life = this.#setting("spark-life", 0.9);
    const number = Math.round((16 + 84 * intensity) * this.#setting("spark-share", 1));
    const along = Math.hypot(normal[0], normal[1]) > 0.1 ? Math.atan2(normal[0], normal[1]) : 0; // of the plane between the blades
    for (let i = 0; i < number; i++) {
      const angle = along + (i % 2) * Math.PI + (Math.random() + Math.random() - 1) * Math.PI / 2;
      const pace = metre * (0.25 + 1.9 * intensity) * (0.2 + 0.8 * Math.random());
      this.#sparks.push({x, y, vx: pace * Math.cos(angle), vy: pace * Math.sin(angle), life: life * (0.4 + 0.6 * Math.random()),
        size: size * (0.5 + 0.7 * Math.random()), born: null});
    }
    this.#sparks.splice(0, this.#sparks.length - SPARKS_MAX);
    this.#flashes.push({x, y, size: size * (4 + 14 * intensity), born: null});
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  /** @param {number} now ms */
  #draw(now) {
    const context = /** @type {CanvasRenderingContext2D} */ (this.element.getContext("2d"));
    const style = getComputedStyle(document.documentElement), gravity = 500;
    const hot = style.getPropertyValue("--spark-colour"), cool = style.getPropertyValue("--spark-end-colour");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.element.width, this.element.height);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.#flash(context, now, style.getPropertyValue("--flash-colour"));
    context.globalCompositeOperation = "source-over";
    context.lineCap = "round";
    for (const spark of this.#sparks) {
      spark.born ??= now;
      const t = (now - spark.born) / 1000, age = t / spark.life;
      if (age >= 1) continue;
      const at = (s) => [spark.x + spark.vx * (1 - Math.exp(-3 * s)) / 3, spark.y + spark.vy * (1 - Math.exp(-3 * s)) / 3 + gravity * s * s / 2];
      const [x, y] = at(t + 0.005), [tailX, tailY] = at(Math.max(0, t - 0.03)); // a line without a length would not be drawn
      context.globalAlpha = 1 - age * age;
      context.strokeStyle = age < 0.45 ? hot : cool;
      context.lineWidth = spark.size * (1 - 0.7 * age);
      context.beginPath();
      context.moveTo(tailX, tailY);
      context.lineTo(x, y);
      context.stroke();
    }
    this.#sparks = this.#sparks.filter(({born, life}) => born === null || now - born < life * 1000);
    this.#flashes = this.#flashes.filter(({born}) => born === null || now - born < 220);
    this.#isDrawing = this.#sparks.length + this.#flashes.length > 0;
    if (this.#isDrawing) requestAnimationFrame((next) => this.#draw(next));
    else context.clearRect(0, 0, this.element.width, this.element.height);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} now @param {string} colour */
  #flash(context, now, colour) {
    for (const flash of this.#flashes) {
      flash.born ??= now;
      const left = Math.max(0, 1 - (now - flash.born) / 220), radius = flash.size * (1.4 - 0.4 * left);
      const glow = context.createRadialGradient(flash.x, flash.y, 0, flash.x, flash.y, radius);
      glow.addColorStop(0, colour);
      glow.addColorStop(1, "transparent");
      context.globalAlpha = 0.8 * left;
      context.globalCompositeOperation = "lighter";
      context.fillStyle = glow;
      context.fillRect(flash.x - radius, flash.y - radius, 2 * radius, 2 * radius);
    }
  }
}
