// Has npm install what the page is made of, by package-lock.json, unless all of it is there already: node packages.mjs [--dev]. With --dev
// also what its tests take. Nothing that a package brings is run.
import {spawnSync} from "node:child_process";
import {existsSync, readFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const dev = process.argv.includes("--dev");

/** The packages of a lock file by their place. @param {string} path @returns {Record<string, any>} */
const packagesOf = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).packages : {});

const there = packagesOf(join(HERE, "node_modules", ".package-lock.json"));
const missing = Object.entries(packagesOf(join(HERE, "package-lock.json"))).filter(([place, wanted]) =>
  place && !wanted.optional && (dev || !wanted.dev)
  && (there[place]?.integrity !== wanted.integrity || !existsSync(join(HERE, place, "package.json"))));
if (missing.length > 0) {
  console.log(`npm installs ${missing.length} packages and what goes with this machine`);
  const {status, error} = spawnSync(process.env.NPM ?? "npm", ["ci", ...(dev ? [] : ["--omit=dev"]), "--ignore-scripts", "--no-audit",
    "--no-fund", "--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000", "--loglevel=error"],
  {cwd: HERE, stdio: ["ignore", "inherit", "inherit"]});
  if (error) console.error(error.message);
  process.exit(status ?? 1);
}
