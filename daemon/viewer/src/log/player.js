// Time in a log: plays, steps, loops, and asks for what is to be drawn, one question at a time.

/** 1, down to a hundredth: between two samples the hands go on as the sweep moves them. */
export const SPEEDS = [1, 1 / 2, 1 / 4, 1 / 10, 1 / 30, 1 / 100];

export class Player {
  time = 0;
  speed = 1;
  playing = false;
  /** @type {[number, number] | null} */
  loop = null;
  extent = [0, 0];
  #ask;
  #changed;
  #last = 0;
  #isAsking = false;
  #isStale = false;
  #isShown = true;

  /** @param {(time: number) => Promise<void>} ask draws that time @param {() => void} changed what is said of playing */
  constructor(ask, changed) {
    this.#ask = ask;
    this.#changed = changed;
  }

  /** @param {boolean} is */
  setShown(is) {
    this.#isShown = is;
    if (is && this.playing) this.#run();
  }

  /** @param {number} time ns */
  seek(time) {
    this.time = Math.min(Math.max(time, this.extent[0]), this.extent[1]);
    this.refresh();
  }

  /** Draws the time anew. */
  async refresh() {
    this.#isStale = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#ask(this.time);
      }
    } finally {
      this.#isAsking = false;
    }
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    const [from, to] = this.loop ?? this.extent;
    if (this.time >= to || this.time < from) this.time = from;
    this.playing = true;
    this.#changed();
    this.#run();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.#changed();
  }

  #run() {
    this.#last = performance.now();
    const tick = (/** @type {number} */ now) => {
      if (!this.playing || !this.#isShown) return;
      this.#advance(Math.max(now - this.#last, 0) * 1e6 * this.speed);
      this.#last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** @param {number} by */
  #advance(by) {
    const [from, to] = this.loop ?? this.extent;
    let time = this.time + by;
    if (time > to) {
      if (this.loop) time = from + (time - to) % Math.max(to - from, 1);
      else {
        time = to;
        this.pause();
      }
    }
    this.seek(time);
  }
}
