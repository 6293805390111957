// Has npm install what the page is made of, by package-lock.json, unless all of it is there already: node packages.mjs [--dev]. With --dev
// also what its tests take. Nothing that a package brings is run.
//
// Builds and tests start it beside each other, and beside what reads the packages. So one installs at a time, under flock, which ends with
// who holds it; npm works in a folder of its own, which takes the place of node_modules once it is whole; and a node_modules that is no
// longer what was put there then, or was not put there by this, is made anew.
import {spawnSync} from "node:child_process";
import {createHash} from "node:crypto";
import {copyFileSync, existsSync, lstatSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const SELF = fileURLToPath(import.meta.url);
const HERE = dirname(SELF);
const MODULES = join(HERE, "node_modules");
const BESIDE = "node_modules."; // how the names of folders begin that are not in place
const FAILED = join(HERE, `${BESIDE}failed`);
const SEAL = ".seal"; // in node_modules: what its files were when npm was done
const BUSY = 75;
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

/** How many packages npm has to install: all of them if what is there is not as npm left it. */
function missing() {
  const seal = join(MODULES, SEAL);
  const whole = existsSync(seal) && readFileSync(seal, "utf8") === sealOf(MODULES);
  const there = whole ? packagesOf(join(MODULES, ".package-lock.json")) : {};
  return Object.entries(packagesOf(join(HERE, "package-lock.json"))).filter(([place, wanted]) =>
    place && !wanted.optional && (dev || !wanted.dev) && there[place]?.integrity !== wanted.integrity).length;
}

/** This program again, once nobody else installs. @returns {number} its exit code */
function underLock() {
  const flock = (/** @type {string[]} */ options, /** @type {string[]} */ more) =>
    spawnSync("flock", [...options, HERE, process.execPath, SELF, ...words, "--locked", ...more], {stdio: ["ignore", "inherit", "inherit"]});
  let done = flock(["--nonblock", "--conflict-exit-code", `${BUSY}`], []);
  if (done.status === BUSY) {
    console.log("waits for another npm that installs here");
    done = flock([], ["--waited"]);
  }
  if (done.error) console.error(`flock, of Debian's util-linux, cannot be started: ${done.error.message}`);
  return done.status ?? 1;
}

/** Makes node_modules anew. @returns {number} exit code */
function install() {
  const made = mkdtempSync(join(HERE, BESIDE));
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(HERE, file), join(made, file));
  const {status, error} = spawnSync(process.env.NPM ?? "npm", ["ci", ...(dev ? [] : ["--omit=dev"]), "--ignore-scripts", "--no-audit",
    "--no-fund", "--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000", "--loglevel=error"],
  {cwd: made, stdio: ["ignore", "inherit", "inherit"]});
  if (error) console.error(error.message);
  if (status === 0) {
    const fresh = join(made, "node_modules");
    writeFileSync(join(fresh, SEAL), sealOf(fresh));
    if (existsSync(MODULES)) renameSync(MODULES, join(made, "old"));
    renameSync(fresh, MODULES);
  } else {
    writeFileSync(FAILED, "");
  }
  rmSync(made, {recursive: true, force: true});
  return status === 0 ? 0 : 1;
}

/** What is left to do by who holds the lock. @param {number} count of packages @returns {number} exit code */
function locked(count) {
  // Whoever waited for one that could not reach the registry would not reach it either, after as long again.
  if (words.includes("--waited") && existsSync(FAILED)) {
    console.error("the npm that this waited for could not install them");
    return 1;
  }
  for (const name of readdirSync(HERE)) if (name.startsWith(BESIDE)) rmSync(join(HERE, name), {recursive: true, force: true});
  console.log(`npm installs ${count} packages and what goes with this machine`);
  return install();
}

const count = missing();
if (count > 0) process.exit(words.includes("--locked") ? locked(count) : underLock());
