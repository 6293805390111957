// What clashd's clock says now. Each status reply has clashd's time; it was sent somewhere between the question and the answer, so
// half of that way is how wrong the answer may be. The quickest of the last answers is believed.
const KEPT = 30;

export class Clock {
  /** @type {{offset: number, error: number}[]} ms */
  #samples = [];

  /** @param {number} asked performance.now() @param {number} timeNs what clashd said @param {number} answered performance.now() */
  add(asked, timeNs, answered) {
    this.#samples.push({offset: timeNs / 1e6 - (asked + answered) / 2, error: (answered - asked) / 2});
    if (this.#samples.length > KEPT) this.#samples.shift();
  }

  get #best() {
    return this.#samples.reduce((best, sample) => (sample.error < best.error ? sample : best), this.#samples[0]);
  }

  /** By how much age() may be wrong, ms; Infinity before the first answer. */
  get error() {
    return this.#best?.error ?? Infinity;
  }

  /** How long ago that was, ms; NaN before the first answer. @param {number} timeNs @param {number} now performance.now() */
  age(timeNs, now) {
    return now + (this.#best?.offset ?? NaN) - timeNs / 1e6;
  }

  /** Another session has another time. */
  clear() {
    this.#samples = [];
  }
}

/** The middle of the last values. */
export class Median {
  /** @type {number[]} */
  #values = [];
  #next = 0;

  /** @param {number} kept */
  constructor(kept) {
    this.kept = kept;
  }

  /** @param {number} value */
  add(value) {
    if (Number.isFinite(value)) this.#values[this.#next++ % this.kept] = value;
  }

  /** NaN where there is none. */
  get value() {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return sorted.length ? sorted[sorted.length >> 1] : NaN;
  }

  clear() {
    this.#values = [];
    this.#next = 0;
  }
}
