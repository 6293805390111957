/* Runs a WASI program: node run.mjs PROGRAM DATA, whose directory the program sees as /data. */
import {readFile} from "node:fs/promises";
import {WASI} from "node:wasi";

const wasi = new WASI({version: "preview1", preopens: {"/data": process.argv[3]}, returnOnExit: true});
const module = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi.wasiImport});
process.exit(wasi.start(instance));
