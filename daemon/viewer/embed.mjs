// Makes C of the page's files: node embed.mjs DIR OUT.c. Their bytes are taken from where they are when that is compiled; what OUT.c says
// of each (its type, a hash of it) is all that clashd has to know. The same files give the same text.
import {createHash} from "node:crypto";
import {readdirSync, readFileSync, writeFileSync} from "node:fs";
import {extname, join, resolve} from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml", ".png": "image/png", ".wasm": "application/wasm", ".json": "application/json",
  ".txt": "text/plain; charset=utf-8", ".woff2": "font/woff2",
};

const [directory, out] = process.argv.slice(2).map((path) => resolve(path));
const names = readdirSync(directory).sort();
for (const wanted of ["index.html", "overlay.html"]) if (!names.includes(wanted)) throw new Error(`${directory} has no ${wanted}`);

/** As C and the assembler both read it. */
const quoted = (path) => path.replace(/[\\"]/g, "\\$&");

const assets = names.map((name, i) => {
  const type = TYPES[extname(name)];
  if (!type || !/^[A-Za-z0-9._-]+$/.test(name)) throw new Error(`${join(directory, name)}: of what type is it? embed.mjs knows ${Object.keys(TYPES)}`);
  const bytes = readFileSync(join(directory, name));
  return {name, type, length: bytes.length, symbol: `viewer_file_${i}`, hash: createHash("sha256").update(bytes).digest("hex").slice(0, 32)};
});

const files = assets.map(({name, symbol}) => `__asm__(".pushsection .rodata\\n.balign 16\\n.hidden ${symbol}\\n.globl ${symbol}\\n${symbol}:\\n"
        ".incbin \\"${quoted(quoted(join(directory, name)))}\\"\\n.popsection");
extern const unsigned char ${symbol}[];
`);
const rows = assets.map(({name, type, length, symbol, hash}) =>
  `    {"/${name}", "${type}", "\\"${hash}\\"", ${symbol}, ${length}},\n`);
writeFileSync(out, `/* Made by embed.mjs. */
#include "viewer/viewer.h"

${files.join("")}
static const web_asset list[] = {
${rows.join("")}};
static const web_assets all = {list, sizeof list / sizeof list[0], NULL};

const web_assets *viewer_assets(void)
{
    return &all;
}
`);
