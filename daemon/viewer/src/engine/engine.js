// clashd's own code, compiled to WebAssembly, as JavaScript: a recording in, and what clashd makes of it. Without a clock and without
// I/O, in a page, a Worker or Node alike. Times are nanoseconds since the recording's beginning, as numbers.

/** @typedef {{there: boolean, time: number, tracked: boolean, orientation: [number, number, number, number],
 *  position: [number, number, number]}} Sample */
/** Where a device was about a time. `motion`: it is moved from the one sample to the other. `lost`: it is not followed then.
 *  @typedef {{motion: boolean, lost: boolean, before: Sample, behind: Sample}} Around */
/** @typedef {{entries: number, settled: number, lines: number, damaged: number, torn: number, unknown: number, clashes: number,
 *  devices: number}} Counts */

const COUNTS = ["entries", "settled", "lines", "damaged", "torn", "unknown", "clashes", "devices"];
const FOUND = ["contacts", "holds", "samples", "refused", "lost"];
const SAMPLE = 10;
const PIECE = 1 << 20;

export class Engine {
  /** @type {any} */
  #x;
  #decoder = new TextDecoder();
  #encoder = new TextEncoder();

  /** @param {WebAssembly.Module} module engine.wasm */
  static async load(module) {
    return new Engine(await WebAssembly.instantiate(module, {}));
  }

  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    this.#x = instance.exports;
    this.#x._initialize?.();
  }

  /** Bytes of WebAssembly's memory in use. */
  get bytes() {
    return this.#x.memory.buffer.byteLength;
  }

  /** @param {number} at */
  #text(at) {
    const bytes = new Uint8Array(this.#x.memory.buffer, at);
    return this.#decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** @param {Uint8Array} bytes */
  #put(bytes) {
    const at = this.#x.engine_room(bytes.length);
    if (at === 0) throw new RangeError("there is not enough memory for this recording");
    new Uint8Array(this.#x.memory.buffer, at, bytes.length).set(bytes);
  }

  /** @param {string} text */
  #putText(text) {
    this.#put(this.#encoder.encode(`${text}\0`));
  }

  /** @param {number} result */
  #check(result) {
    if (result < 0) throw new Error(this.#text(this.#x.engine_failure()) || "there is not enough memory");
  }

  /** Forgets all there was. */
  begin() {
    this.#check(this.#x.engine_begin());
  }

  /** The next bytes of the recording, decompressed. Throws where nothing more is read. @param {Uint8Array} bytes */
  push(bytes) {
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      this.#put(piece);
      this.#check(this.#x.engine_push(piece.length));
    }
  }

  /** Bytes are missing here. @param {string} reason @param {boolean} isEnd the rest is */
  break(reason, isEnd) {
    this.#putText(reason);
    this.#x.engine_break(isEnd ? 1 : 0);
  }

  end() {
    this.#check(this.#x.engine_end());
  }

  /** What has been said since: the header, lines that define or cut something, marks, damage ({type: "damaged", line, reason}), what
   *  cannot be made ({type: "problem", reason}), events. @param {(line: any, text: string) => void} take */
  drain(take) {
    for (const text of this.texts()) take(JSON.parse(text), text);
  }

  /** The same as text, a line each. @returns {string[]} */
  texts() {
    const length = this.#x.engine_take();
    if (length < 0) throw new RangeError("there is not enough memory for the events of this recording");
    if (length === 0) return [];
    const text = this.#decoder.decode(new Uint8Array(this.#x.memory.buffer, this.#x.engine_out(), length));
    return text.split("\n").slice(0, -1);
  }

  /** Of a table of contacts, as clashctl writes it. @returns {string[]} */
  get columns() {
    return this.#text(this.#x.engine_columns()).split(",");
  }

  get hasHeader() {
    return this.#x.engine_has_header() !== 0;
  }

  /** @returns {Counts} */
  counts() {
    return /** @type {any} */ (Object.fromEntries(COUNTS.map((name, i) => [name, this.#x.engine_count(i)])));
  }

  /** @returns {string[]} names, by index */
  devices() {
    return Array.from({length: this.#x.engine_count(7)}, (_, i) => this.#text(this.#x.engine_device(i)));
  }

  /** @param {number} index */
  entry(index) {
    const time = this.#x.engine_entry(index);
    const [high, line, isPoses, count] = this.#numbers(4);
    return {time, high, line, isPoses: isPoses === 1, count};
  }

  /** Index of the last entry not after a time; -1 if there is none. @param {number} time */
  find(time) {
    return this.#x.engine_find(time);
  }

  /** @param {number} count */
  #numbers(count) {
    return new Float64Array(this.#x.memory.buffer, this.#x.engine_numbers(), count);
  }

  /** @param {number} device index of its name @param {number} time @returns {Around} */
  around(device, time) {
    this.#x.engine_around(device, time);
    const d = this.#numbers(2 + 2 * SAMPLE);
    return {motion: d[0] === 1, lost: d[1] === 1, before: sampleOf(d, 2), behind: sampleOf(d, 2 + SAMPLE)};
  }

  /** Lines that show a target, as libclash draws its outline: x y z of one end, x y z of the other, m, in the frame of its device, or
   *  where there is none in the stage. Throws where it cannot be made, as where its surface is in a file.
   *  @param {object} target a line of the recording @returns {{lines: Float32Array, simplified: boolean}} */
  outline(target) {
    this.#putText(JSON.stringify(target));
    const at = this.#x.engine_outline();
    if (at === 0) throw new Error(this.#text(this.#x.engine_failure()));
    const [count, isWhole] = this.#numbers(2);
    return {lines: new Float32Array(this.#x.memory.buffer, at, 6 * count).slice(), simplified: isWhole === 0};
  }

  /** The settings of what is looked for next, over the recording's own. Throws with clashd's words where they are wrong.
   *  @param {object | null} configuration as clashd --config has it: contact, blades */
  settings(configuration) {
    this.#putText(configuration ? JSON.stringify(configuration) : "");
    this.#check(this.#x.engine_settings());
  }

  /** @param {{holds?: boolean}} [options] holds: they are said too */
  detect({holds = false} = {}) {
    this.#check(this.#x.engine_detect(holds ? 1 : 0));
  }

  /** Looks for contacts in at most so many further entries. How many have been looked at. @param {number} most */
  advance(most) {
    return this.#x.engine_advance(most);
  }

  /** There is no more to look at. */
  finish() {
    this.#x.engine_finish();
  }

  /** @returns {{contacts: number, holds: number, samples: number, refused: number, lost: number}} so far */
  found() {
    return /** @type {any} */ (Object.fromEntries(FOUND.map((name, i) => [name, this.#x.engine_found(i)])));
  }
}

/** @param {Float64Array} d @param {number} at @returns {Sample} */
function sampleOf(d, at) {
  return {
    there: d[at] === 1, time: d[at + 1], tracked: d[at + 2] === 1,
    orientation: [d[at + 3], d[at + 4], d[at + 5], d[at + 6]], position: [d[at + 7], d[at + 8], d[at + 9]],
  };
}
