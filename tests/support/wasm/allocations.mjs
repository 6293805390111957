/* For e2e/sweep_wasm_test.py: node --trace-gc allocations.mjs SWEEP_JS SWEEP_WASM. Many batches with each of two calls; the collector's lines that
 * Node prints between these ones are those of its loop. */
import {readFile} from "node:fs/promises";
import {pathToFileURL} from "node:url";

const [, , js, wasm] = process.argv;
const {load} = await import(pathToFileURL(js));
const sweep = await load(new Uint8Array(await readFile(wasm)));
const still = [0, 0, 0, 1, 0, 0, 0];
const bodies = Float32Array.of(0, 0, 0, 0, 0, -1, 0.01, ...still, ...still, -1, 0, -0.5, 1, 0, -0.5, 0.01, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0);
const pairs = Uint32Array.of(0, 1), results = new Uint8Array(1), contacts = new Float64Array(16);
let touching = 0;

function into(times) {
  for (let i = 0; i < times; i++) touching += sweep.sweepPairsInto(bodies, pairs, results, contacts);
}

function objects(times) {
  for (let i = 0; i < times; i++) touching += sweep.sweepPairs(bodies, pairs).length;
}

into(20000); // until it is compiled
objects(20000);
console.log("into");
into(400000);
console.log("objects");
objects(400000);
console.log("end", touching);
