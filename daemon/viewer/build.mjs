// Makes the page: node build.mjs --out DIR [--wasm FILE]. What is in DIR afterwards is all that clashd has to serve, and the same
// for the same sources and packages, whatever the machine and the time.
import {build} from "esbuild";
import {copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs";
import {basename, dirname, join, relative, resolve} from "node:path";
import {fileURLToPath} from "node:url";
import {parseArgs} from "node:util";
import {demoOf} from "./demo.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const DATA = join(HERE, "..", "..", "tests", "data");
const COPIED = ["index.html", "overlay.html", "icon.svg"];
// Each becomes one file of its own, workers included.
const ENTRIES = {
  page: "src/main.js",
  overlay: "src/overlay/main.js",
  "page-style": "src/look/page.css",
  "overlay-style": "src/overlay/overlay.css",
  engine: "src/engine/worker.js",
};
const NAMES = {"page-style.css": "page.css", "overlay-style.css": "overlay.css"};

const {values} = parseArgs({options: {out: {type: "string"}, wasm: {type: "string", multiple: true}}});
if (!values.out) {
  console.error("usage: node build.mjs --out DIR [--wasm FILE].. (the folder to make; WebAssembly to put beside the page)");
  process.exit(2);
}
const out = resolve(values.out);

/** The bundle's files by name. */
async function bundle() {
  const entryPoints = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(HERE, path)])
    .filter(([, path]) => existsSync(path)));
  const {outputFiles, metafile} = await build({
    entryPoints, outdir: out, absWorkingDir: HERE, bundle: true, minify: true, write: false, metafile: true, format: "esm",
    target: ["chrome100", "firefox102"], charset: "utf8", legalComments: "none", logLevel: "warning",
    external: ["*.wasm", "node:*"], // fetched, never bundled; what only Node has is never asked for
  });
  const files = new Map(outputFiles.map(({path, contents}) => [NAMES[basename(path)] ?? basename(path), contents]));
  return {files, packages: packagesOf(Object.keys(metafile.inputs))};
}

/** The packages whose code is in the bundle. */
function packagesOf(inputs) {
  const names = inputs.map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter(Boolean))].sort();
}

/** What their licences want said with each copy. */
function licences(packages) {
  return packages.map((name) => {
    const folder = join(HERE, "node_modules", name);
    const {version, license} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${relative(HERE, folder)}: there is no licence in it`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  }).concat(`demo.json: human swings from the sample replay of MetaGuard/xror\n\n${readFileSync(join(DATA, "LICENSE.xror"), "utf8").trim()}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

const {files, packages} = await bundle();
rmSync(out, {recursive: true, force: true});
mkdirSync(out, {recursive: true});
for (const [name, contents] of files) writeFileSync(join(out, name), contents);
writeFileSync(join(out, "licences.txt"), licences(packages));
const [swings, events] = ["duel-20s.jsonl", "duel-20s.events"].map((name) => readFileSync(join(DATA, name), "utf8"));
writeFileSync(join(out, "demo.json"), demoOf(swings, events));
for (const name of COPIED) if (existsSync(join(HERE, name))) copyFileSync(join(HERE, name), join(out, name));
for (const file of values.wasm ?? []) copyFileSync(file, join(out, basename(file)));
