// The bytes of a log as they come, decompressed: plain, or any number of Zstandard frames. A frame that is damaged is left out, and the
// next one is looked for, as clashd does it. What a frame gives is held against its checksum, the lower half of XXH64, and what is small is
// handed on only then: nothing of a damaged frame gets through.
import {Decompress} from "fzstd";
import xxhash from "xxhash-wasm";

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const BLOCK_MAX = 128 * 1024;
const HELD_MAX = 1 << 20; // decompressed bytes of a frame: larger ones, of other compressors, are handed on as they come

/** @typedef {{push(bytes: Uint8Array): void, break(reason: string, isEnd: boolean): void}} Target */

/** @param {Uint8Array} b @param {number} at */
const word = (b, at) => (b[at] | b[at + 1] << 8 | b[at + 2] << 16 | b[at + 3] << 24) >>> 0;
/** @param {Uint8Array} a @param {Uint8Array} b */
function joined(a, b) {
  if (a.length === 0) return b;
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

/** Length of a frame's header at `at`, 0 where more is needed, -1 where it is none. @param {Uint8Array} b @param {number} at */
function headerLength(b, at) {
  if (b.length < at + 5) return 0;
  const descriptor = b[at + 4], single = descriptor >> 5 & 1;
  if (descriptor & 8) return -1;
  const size = [single, 2, 4, 8][descriptor >> 6], dictionary = [0, 1, 2, 4][descriptor & 3];
  return 5 + (single ? 0 : 1) + dictionary + size;
}

/** What the checksums of frames are made by; it is compiled once. @returns {Promise<() => import("xxhash-wasm").XXHash<bigint>>} */
export async function loadHash() {
  return (await xxhash()).create64;
}

/** Frames as they come. */
export class Unpacker {
  /** @type {Uint8Array} */
  #rest = new Uint8Array(0);
  /** @type {Decompress | null} */
  #frame = null;
  #checksum = 0; // bytes of it
  #isSumNext = false;
  #isLost = false;
  #isKnown = false;
  #isPlain = false;
  #skip = 0;
  /** @type {Uint8Array[]} */
  #blocks = [];
  /** @type {Uint8Array[] | null} what is held back of the frame; null: it is too large */
  #held = null;
  #heldBytes = 0;
  /** @type {Target} */
  #target;

  #makeHash;
  /** @type {import("xxhash-wasm").XXHash<bigint> | null} of a frame that has a checksum */
  #hash = null;

  /** @param {Target} target @param {Awaited<ReturnType<typeof loadHash>>} makeHash */
  constructor(target, makeHash) {
    this.#target = target;
    this.#makeHash = makeHash;
  }

  /** @param {Uint8Array} bytes */
  push(bytes) {
    if (this.#isPlain) {
      this.#target.push(bytes);
      return;
    }
    this.#rest = joined(this.#rest, bytes);
    if (!this.#isKnown && this.#rest.length >= 4) {
      this.#isKnown = true;
      const first = word(this.#rest, 0);
      this.#isPlain = first !== MAGIC && (first & 0xfffffff0) >>> 0 !== SKIPPABLE;
    }
    if (this.#isPlain) {
      this.#target.push(this.#rest);
      this.#rest = new Uint8Array(0);
    } else if (this.#isKnown) {
      while (this.#takeSome());
    }
  }

  end() {
    if (!this.#isKnown) this.#target.push(this.#rest);
    this.#handOn(); // of a frame that is torn, what there is
    if (!this.#isKnown) return;
    if (!this.#isPlain && (this.#frame || this.#isSumNext || this.#rest.length > 0 || this.#skip > 0) && !this.#isLost)
      this.#target.break("the compressed data ends too early", true);
    this.#rest = new Uint8Array(0);
  }

  /** What was held back; and from now on nothing is. */
  #handOn() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const block of held) this.#target.push(block);
  }

  /** @param {number} length */
  #drop(length) {
    this.#rest = this.#rest.subarray(length);
    return true;
  }

  #lose(reason) {
    this.#frame = null;
    this.#held = null;
    this.#isLost = true;
    this.#target.break(reason, false);
    return this.#drop(1);
  }

  /** Whether there may be more to take. */
  #takeSome() {
    const rest = this.#rest;
    if (this.#skip > 0) {
      const length = Math.min(this.#skip, rest.length);
      this.#skip -= length;
      return length > 0 && this.#drop(length);
    }
    if (this.#isLost) return this.#find();
    if (this.#isSumNext) return this.#takeSum();
    return this.#frame ? this.#takeBlock() : this.#takeHeader();
  }

  /** The next frame behind damage. */
  #find() {
    const rest = this.#rest;
    for (let i = 0; i + 4 <= rest.length; i++) {
      if (word(rest, i) !== MAGIC) continue;
      this.#isLost = false;
      return this.#drop(i);
    }
    this.#drop(Math.max(rest.length - 3, 0));
    return false;
  }

  #takeHeader() {
    const rest = this.#rest;
    if (rest.length < 4) return false;
    const magic = word(rest, 0);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      if (rest.length < 8) return false;
      this.#skip = word(rest, 4);
      return this.#drop(8);
    }
    if (magic !== MAGIC) return this.#lose("the compressed data is damaged: expected a frame");
    const length = headerLength(rest, 0);
    if (length < 0) return this.#lose("the compressed data is damaged: a frame's header is none");
    if (length === 0 || rest.length < length) return false;
    this.#checksum = rest[4] >> 2 & 1 ? 4 : 0;
    this.#hash = this.#checksum ? this.#makeHash() : null;
    this.#held = [];
    this.#heldBytes = 0;
    this.#frame = new Decompress((bytes) => {
      if (bytes.length > 0) this.#blocks.push(bytes.slice());
    });
    return this.#feed(length);
  }

  #takeBlock() {
    const rest = this.#rest;
    if (rest.length < 3) return false;
    const head = rest[0] | rest[1] << 8 | rest[2] << 16, type = head >> 1 & 3, isLast = (head & 1) === 1;
    const size = type === 1 ? 1 : head >> 3;
    if (type === 3 || size > BLOCK_MAX) return this.#lose("the compressed data is damaged: a block's length is none");
    if (rest.length < 3 + size) return false;
    const fed = this.#feed(3 + size);
    if (isLast && !this.#isLost) {
      this.#frame = null;
      if (this.#checksum) this.#isSumNext = true;
      else this.#handOn();
    }
    return fed;
  }

  #takeSum() {
    if (this.#rest.length < this.#checksum) return false;
    this.#isSumNext = false;
    if (Number(BigInt.asUintN(32, this.#hash?.digest() ?? 0n)) === word(this.#rest, 0)) {
      this.#handOn();
    } else {
      this.#held = null;
      this.#target.break("the compressed data is damaged: a frame's checksum is not that of what is in it", false);
    }
    return this.#drop(this.#checksum);
  }

  /** The frame's next bytes. @param {number} length */
  #feed(length) {
    /** @type {Uint8Array[]} */
    const blocks = this.#blocks = [];
    try {
      /** @type {Decompress} */ (this.#frame).push(this.#rest.slice(0, length));
    } catch (error) { // of whatever kind: it was written for data that are right
      return this.#lose(`the compressed data is damaged: ${error instanceof Error ? error.message : error}`);
    }
    this.#drop(length);
    for (const block of blocks) {
      this.#hash?.update(block);
      this.#held?.push(block);
      this.#heldBytes += block.length;
      if (!this.#held) this.#target.push(block);
    }
    if (this.#heldBytes > HELD_MAX) this.#handOn();
    return true;
  }
}
