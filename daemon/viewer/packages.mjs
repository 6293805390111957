// Installs what the page is made of, by package-lock.json, unless all of it is there already: node packages.mjs [--dev]. With --dev
// also what its tests take. npm does it, which knows its user's mirrors and proxies; without npm, or with an empty NPM in the environment,
// this program downloads the packages itself and compares them with the hashes in package-lock.json. Nothing that a package brings is run.
//
// Builds and tests start it beside each other, and beside what reads the packages. So one installs at a time, under flock, whose lock ends
// with the process that holds it; the packages are put into a folder of their own, which takes the place of node_modules once it is whole;
// and a node_modules that is no longer what was put there then, or was not put there by this program, is made anew.
import {spawnSync} from "node:child_process";
import {createHash} from "node:crypto";
import {copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {basename, dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const SELF = fileURLToPath(import.meta.url);
const HERE = dirname(SELF);
const MODULES = join(HERE, "node_modules");
const BESIDE = "node_modules."; // how the names of folders begin that are not in place
const FAILED = join(HERE, `${BESIDE}failed`);
const SEAL = ".seal"; // in node_modules: what its files were when all were installed
const BUSY = 75;
const NPM = process.env.NPM ?? "npm";
const REGISTRY = (process.env.NPM_CONFIG_REGISTRY ?? process.env.npm_config_registry ?? "https://registry.npmjs.org").replace(/\/+$/, "");
const DOWNLOAD_MS = 60000;
const words = process.argv.slice(2);
const dev = words.includes("--dev");

/** The packages of a lock file by their place. @param {string} path @returns {Record<string, any>} */
const packagesOf = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {});

/** All that is in a folder but its seal, by name and size. @param {string} folder @returns {string[]} */
const filesOf = (folder) => readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) return filesOf(path).map((file) => `${entry.name}/${file}`);
  return entry.name === SEAL ? [] : [`${entry.name} ${lstatSync(path).size}`];
}).sort();

/** @param {string} folder */
const sealOf = (folder) => createHash("sha256").update(filesOf(folder).join("\n")).digest("hex");

/** How many packages have to be installed: all of them if what is there is not as it was left. */
function missing() {
  const seal = join(MODULES, SEAL);
  const whole = existsSync(seal) && readFileSync(seal, "utf8") === sealOf(MODULES);
  const there = whole ? packagesOf(join(MODULES, ".package-lock.json")) : {};
  return Object.entries(packagesOf(join(HERE, "package-lock.json"))).filter(([place, wanted]) =>
    place && !wanted.optional && (dev || !wanted.dev) && there[place]?.integrity !== wanted.integrity).length;
}

/** Says why, in the line that make.cmake looks for. @param {string} reason */
const giveReason = (reason) => console.error(`reason: ${reason}`);

/** This program again, once no other process installs. @returns {number} its exit code */
function underLock() {
  const flock = (/** @type {string[]} */ options, /** @type {string[]} */ more) =>
    spawnSync("flock", [...options, HERE, process.execPath, SELF, ...words, "--locked", ...more], {stdio: ["ignore", "inherit", "inherit"]});
  let done = flock(["--nonblock", "--conflict-exit-code", `${BUSY}`], []);
  if (done.status === BUSY) {
    console.log("waits for another process that installs here");
    done = flock([], ["--waited"]);
  }
  if (done.error) giveReason(`flock, of Debian's util-linux, cannot be started: ${done.error.message}`);
  return done.status ?? 1;
}

/** The reason, for this process and those that wait for it. @param {string} reason */
function fail(reason) {
  giveReason(reason);
  writeFileSync(FAILED, reason);
}

/** Has npm fill node_modules of that folder. @param {string} made @returns {boolean | null} whether it did; null: npm is not there */
function installByNpm(made) {
  if (NPM === "") return null;
  const {status, error} = spawnSync(NPM, ["ci", ...(dev ? [] : ["--omit=dev"]), "--ignore-scripts", "--no-audit",
    "--no-fund", "--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000", "--loglevel=error"],
  {cwd: made, stdio: ["ignore", "inherit", "inherit"]});
  if (/** @type {any} */ (error)?.code === "ENOENT") return null;
  if (status !== 0) fail(error ? `npm cannot be started: ${error.message}` : `npm could not install them, and ended with code ${status}; what it said is above`);
  return status === 0;
}

/** Whether a package is one for this machine. @param {any} wanted of package-lock.json */
const fits = ({os, cpu, libc}) => (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch)) && (!libc || libc.includes("glibc"));

/** A package's archive, which has the hash that package-lock.json says. @param {string} name @param {any} wanted @returns {Promise<Buffer>} */
async function download(name, {version, integrity}) {
  const url = `${REGISTRY}/${name}/-/${basename(name)}-${version}.tgz`;
  const answer = await fetch(url, {signal: AbortSignal.timeout(DOWNLOAD_MS)})
    .catch((error) => { throw new Error(`cannot download ${url}: ${error.cause?.message ?? error.message}`); });
  if (!answer.ok) throw new Error(`cannot download ${url}: the registry answers ${answer.status}`);
  const bytes = Buffer.from(await answer.arrayBuffer()), hash = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (!integrity.split(" ").includes(hash)) throw new Error(`${url} is not what package-lock.json names: its hash is ${hash}`);
  return bytes;
}

/** Fills node_modules of that folder without npm. @param {string} made @returns {Promise<boolean>} whether it did */
async function installWithoutNpm(made) {
  /** @type {Record<string, any>} */
  const packages = {};
  try {
    for (const [place, wanted] of Object.entries(packagesOf(join(made, "package-lock.json")))) {
      if (!place || (wanted.dev && !dev) || !fits(wanted)) continue;
      const bytes = await download(wanted.name ?? place.replace(/^.*node_modules\//, ""), wanted);
      mkdirSync(join(made, place), {recursive: true});
      const tar = spawnSync("tar", ["-xz", "--strip-components=1", "--no-same-owner", "-C", join(made, place)], {input: bytes, stdio: ["pipe", "ignore", "inherit"]});
      if (tar.status !== 0) throw new Error(`tar cannot unpack ${place}${tar.error ? `: ${tar.error.message}` : ""}`);
      packages[place] = wanted;
    }
  } catch (error) {
    console.error("Behind a proxy or a mirror install npm, which knows them; a proxy's certificate: NODE_EXTRA_CA_CERTS=FILE");
    fail(error.message);
    return false;
  }
  writeFileSync(join(made, "node_modules", ".package-lock.json"), JSON.stringify({packages}));
  return true;
}

/** Makes node_modules anew. @returns {Promise<number>} exit code */
async function install() {
  const made = mkdtempSync(join(HERE, BESIDE));
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(HERE, file), join(made, file));
  const isDone = installByNpm(made) ?? await installWithoutNpm(made);
  if (isDone) {
    const fresh = join(made, "node_modules");
    writeFileSync(join(fresh, SEAL), sealOf(fresh));
    if (existsSync(MODULES)) renameSync(MODULES, join(made, "old"));
    renameSync(fresh, MODULES);
  }
  rmSync(made, {recursive: true, force: true});
  return isDone ? 0 : 1;
}

/** What is left to do by the process that holds the lock. @param {number} count of packages @returns {Promise<number>} exit code */
async function locked(count) {
  // If one could not reach the registry, those that waited for it would not either, after as long again.
  if (words.includes("--waited") && existsSync(FAILED)) {
    giveReason(readFileSync(FAILED, "utf8"));
    return 1;
  }
  for (const name of readdirSync(HERE)) if (name.startsWith(BESIDE)) rmSync(join(HERE, name), {recursive: true, force: true});
  console.log(`installs ${count} packages, and those for this kind of machine`);
  return install();
}

const count = missing();
if (count > 0) process.exit(words.includes("--locked") ? await locked(count) : underLock());
