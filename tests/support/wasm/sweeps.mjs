/* For e2e/sweep_wasm_test.py: node sweeps.mjs SWEEP_JS SWEEP_WASM BODIES, a file of 21 floats a body. Each body with the next one,
 * alone and in one batch; then what the module says to wrong input; a line of JSON each. */
import {readFile} from "node:fs/promises";
import {pathToFileURL} from "node:url";

const [, , js, wasm, file] = process.argv;
const {load} = await import(pathToFileURL(js));
const sweep = await load(new Uint8Array(await readFile(wasm)));
const bytes = await readFile(file);
const flat = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const count = flat.length / 21;
const print = (value) => console.log(JSON.stringify(value, (_, n) => Object.is(n, -0) ? "-0" : n));

function pose(at) {
  return {orientation: [...flat.subarray(at, at + 4)], position: [...flat.subarray(at + 4, at + 7)]};
}

function body(i) {
  const at = 21 * i;
  return {base: [...flat.subarray(at, at + 3)], tip: [...flat.subarray(at + 3, at + 6)], radius: flat[at + 6],
          from: pose(at + 7), to: pose(at + 14)};
}

/* As three.js and WebXR have them. */
const named = (a) => Object.fromEntries([..."xyzw"].slice(0, a.length).map((name, i) => [name, a[i]]));

function namedBody(i) {
  const at = (p) => ({orientation: named(p.orientation), position: named(p.position)}), {base, tip, radius, from, to} = body(i);
  return {base: named(base), tip: named(tip), radius, from: at(from), to: at(to)};
}

const codes = new Uint8Array(count / 2), contacts = new Float64Array(8 * count);
const flatContact = (c) => [c.fraction, c.distance, ...c.midpoint, ...c.points.flat(), ...c.normal, ...c.along];
const same = (a, b) => JSON.stringify(a, (_, n) => Object.is(n, -0) ? "-0" : n) === JSON.stringify(b, (_, n) => Object.is(n, -0) ? "-0" : n);

const pairs = Uint32Array.from({length: count}, (_, i) => (i >> 1 << 1) ^ (i & 1));
if (sweep.sweepPairsInto(flat, pairs, codes, contacts) !== codes.filter((code) => code === 1 || code === 2).length)
  throw new Error("sweepPairsInto counts otherwise");
sweep.sweepPairs(flat, pairs).forEach((inBatch, k) => {
  const into = codes[k] === 0 || codes[k] === 3 ? null : [...contacts.subarray(16 * k, 16 * k + 16)];
  if (!same(into, inBatch?.fraction === undefined ? null : flatContact(inBatch))) throw new Error(`sweepPairsInto: pair ${k}`);
  if (!same(sweep.timeOfImpact(namedBody(2 * k), namedBody(2 * k + 1)), sweep.timeOfImpact(body(2 * k), body(2 * k + 1))))
    throw new Error(`by names: pair ${k}`);
  const alone = sweep.timeOfImpact(body(2 * k), body(2 * k + 1));
  const {surfaceNormal, parts, ...contact} = alone ?? {};
  print({batch: inBatch, alone: alone && contact});
});

const still = {orientation: [0, 0, 0, 1], position: [0, 0, 0]};
const blade = {base: [0, 0, 0], tip: [0, 0, -1], radius: 0.01, from: still};
const falling = {...blade, base: [-1, 0, -0.5], tip: [1, 0, -0.5], from: {...still, position: [0, 1, 0]},
                 to: {...still, position: [0, -1, 0]}};
const said = (call) => { try { return call(); } catch (error) { return `${error.name}: ${error.message}`; } };
const square = sweep.mesh([-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1], [0, 2, 1, 0, 3, 2]);
const tracker = sweep.tracker();
print({
  crossing: sweep.timeOfImpact(falling, blade), apart: sweep.timeOfImpact(blade, {...blade, from: {...still, position: [0, 9, 0]}}),
  mesh: sweep.timeOfImpact(falling, {shape: square, from: still}),
  sphere: sweep.timeOfImpact(falling, {shape: {sphere: {center: [0, 0, 0], radius: 0.5}}, from: still}),
  box: sweep.timeOfImpact(falling, {shape: {box: {center: [0, 0, 0], half: [0.5, 0.25, 0.75]}}, from: still}),
  capsule: sweep.timeOfImpact(falling, {shape: {capsule: {base: [0, 0, 0], tip: [0, 0.1, 0], radius: 0.5}}, from: still}),
  parts: sweep.timeOfImpact({capsules: [{...blade, radius: 0}, falling], from: falling.from, to: falling.to}, blade),
  half: sweep.timeOfImpact({...falling, span: [0, 0.25]}, blade), at: sweep.contactAt(falling, blade, 0.5),
  pose: sweep.poseAt(falling, 0.25), changes: tracker.advance(falling, blade), touching: tracker.touching,
  again: tracker.advance({...falling, from: falling.to}, blade),
  errors: [() => sweep.timeOfImpact(falling), () => sweep.timeOfImpact({...blade, tip: [0, 0]}, blade),
    () => sweep.timeOfImpact({...blade, radius: -1}, blade), () => sweep.timeOfImpact({...blade, radius: undefined}, blade),
    () => sweep.timeOfImpact({...blade, base: [NaN, 0, 0]}, blade), () => sweep.timeOfImpact({...blade, base: ["0", 0, 0]}, blade),
    () => sweep.timeOfImpact({...blade, from: {orientation: [0, 0, 0, 0], position: [0, 0, 0]}}, blade),
    () => sweep.timeOfImpact({...blade, from: undefined}, blade), () => sweep.timeOfImpact({...blade, span: [0, 2]}, blade),
    () => sweep.timeOfImpact({capsules: [], from: still}, blade), () => sweep.timeOfImpact({capsules: Array(17).fill(blade), from: still}, blade),
    () => sweep.timeOfImpact({shape: square, from: still}, blade), () => sweep.timeOfImpact(blade, {shape: {cube: 1}, from: still}),
    () => sweep.timeOfImpact(blade, blade, {margin: Infinity}), () => sweep.contactAt(blade, blade, 1.5),
    () => sweep.mesh([0, 0, 0], [0, 1, 2]), () => sweep.mesh([0, 0], []), () => sweep.sweepPairs(flat, Uint32Array.of(0, count)),
    () => sweep.sweepPairs([1], pairs), () => sweep.tracker({releaseMargin: -1}).advance(blade, blade)].map(said),
  after: sweep.timeOfImpact(falling, blade)?.fraction, imports: WebAssembly.Module.imports(await WebAssembly.compile(await readFile(wasm))),
});
