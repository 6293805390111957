// Sparks on a plain canvas, which needs no graphics processor: as seen from behind the player, or from the front.
const SPARKS_MAX = 1200;
const FLASH_MS = 220;
const GRAVITY = 500; // pixels/s²

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
    const style = getComputedStyle(document.documentElement);
    const colour = (/** @type {string} */ name) => colourOf(style.getPropertyValue(name));
    const hot = colour("--spark-colour"), cool = colour("--spark-end-colour");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.element.width, this.element.height);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.#flash(context, now, colour("--flash-colour"), cool);
    context.lineCap = "round";
    for (const spark of this.#sparks) this.#streak(context, spark, now, hot, cool);
    this.#sparks = this.#sparks.filter(({born, life}) => born === null || now - born < life * 1000);
    this.#flashes = this.#flashes.filter(({born}) => born === null || now - born < FLASH_MS);
    this.#isDrawing = this.#sparks.length + this.#flashes.length > 0;
    if (this.#isDrawing) requestAnimationFrame((next) => this.#draw(next));
    else context.clearRect(0, 0, this.element.width, this.element.height);
  }

  /** A spark with a rim of the later colour, which is seen where the picture behind is as bright as the spark.
   *  @param {CanvasRenderingContext2D} context @param {Spark} spark @param {number} now @param {Colour} hot @param {Colour} cool */
  #streak(context, spark, now, hot, cool) {
    spark.born ??= now;
    const t = (now - spark.born) / 1000, age = t / spark.life;
    if (age >= 1) return;
    const at = (s) => [spark.x + spark.vx * (1 - Math.exp(-3 * s)) / 3, spark.y + spark.vy * (1 - Math.exp(-3 * s)) / 3 + GRAVITY * s * s / 2];
    const [x, y] = at(t + 0.005), [tailX, tailY] = at(Math.max(0, t - 0.03)); // a line without a length would not be drawn
    const opacity = 1 - age * age, width = spark.size * (1 - 0.7 * age);
    const line = (style, lineWidth) => {
      context.strokeStyle = style;
      context.lineWidth = lineWidth;
      context.beginPath();
      context.moveTo(tailX, tailY);
      context.lineTo(x, y);
      context.stroke();
    };
    line(css(cool, 0.6 * opacity * Math.min(1, 8 * age)), width + 2.5); // not yet in the middle of the flash
    line(css(age < 0.45 ? hot : cool, opacity), width);
  }

  /** Bright in the middle, with a glow around it that fades out. It is laid over the picture behind, not added to it: a browser source has
   *  an opacity, but no way to add light. So each colour keeps its hue to the end; a gradient to `transparent`, which is black without
   *  opacity, would darken a bright picture. The middle shrinks and stays opaque: a nearly white disc of little opacity is grey on black.
   *  @param {CanvasRenderingContext2D} context @param {number} now @param {Colour} bright @param {Colour} glow */
  #flash(context, now, bright, glow) {
    for (const flash of this.#flashes) {
      flash.born ??= now;
      const left = Math.max(0, 1 - (now - flash.born) / FLASH_MS), radius = flash.size * (1.4 - 0.4 * left);
      const light = context.createRadialGradient(flash.x, flash.y, 0, flash.x, flash.y, radius);
      light.addColorStop(0, css(bright, 1));
      light.addColorStop(0.32 * left, css(bright, 0.95));
      light.addColorStop(0.5 * left, css(glow, 0.5 * left));
      light.addColorStop(0.75, css(glow, 0.15 * left));
      light.addColorStop(1, css(glow, 0));
      context.fillStyle = light;
      context.fillRect(flash.x - radius, flash.y - radius, 2 * radius, 2 * radius);
    }
  }
}

/** Red, green, blue from 0 to 255, and opacity from 0 to 1. @typedef {[number, number, number, number]} Colour */
/** @param {Colour} colour @param {number} opacity times its own */
const css = ([r, g, b, a], opacity) => `rgba(${r}, ${g}, ${b}, ${a * opacity})`;

/** @type {Map<string, Colour>} */
const colours = new Map();

/** What a colour of CSS is, in whatever way it is written. @param {string} text @returns {Colour} */
function colourOf(text) {
  const known = colours.get(text);
  if (known) return known;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  colours.set(text, [r, g, b, a / 255]);
  return [r, g, b, a / 255];
}
