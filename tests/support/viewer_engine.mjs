// The log side of the page in Node, without a browser: node viewer_engine.mjs ENGINE COMMAND FILE [SETTINGS]. It prints what a test
// holds against clashctl.
import {createReadStream, readFileSync} from "node:fs";
import {Engine} from "../../daemon/viewer/src/engine/engine.js";
import {csvOf} from "../../daemon/viewer/src/log/export.js";
import {read} from "../../daemon/viewer/src/log/open.js";
import {LogSession} from "../../daemon/viewer/src/log/session.js";
import {slimOf} from "../../daemon/viewer/src/log/slim.js";
import {configurationOf, fileOf} from "../../daemon/viewer/src/tune/settings.js";
import {statsOf} from "../../daemon/viewer/src/tune/stats.js";
import {load} from "../../protocol/clients/js/sweep/sweep.js";

const [wasm, command, file, given = "null"] = process.argv.slice(2);
const settings = JSON.parse(given);
const module = new WebAssembly.Module(readFileSync(wasm));
const engine = await Engine.load(module);
const print = (value) => console.log(JSON.stringify(value));

async function open(chunk = 65536) {
  const session = new LogSession(engine, await load(module));
  const failure = await read(session, createReadStream(file, {highWaterMark: chunk}));
  return {session, failure};
}

const commands = {
  /** Events, byte for byte. */
  async detect() {
    const {session} = await open();
    engine.settings(settings);
    engine.detect({holds: true});
    while (engine.advance(1000) < engine.counts().settled);
    engine.finish();
    process.stdout.write(engine.texts().map((line) => `${line}\n`).join(""));
    void session;
  },
  async summary() {
    const {session, failure} = await open(7); // in pieces that cut every line
    print({...session.summary(), failure, contacts: session.contacts.map(slimOf)});
  },
  async tune() {
    const {session} = await open();
    const rows = [];
    for (const one of settings) {
      await session.detect(one);
      rows.push(statsOf(session.contacts.map(slimOf), session.extent(), engine.found().holds));
    }
    print(rows);
  },
  async csv() {
    const {session} = await open();
    process.stdout.write(csvOf(session.contacts.filter(({release}) => release).sort((a, b) => a.release.seq - b.release.seq),
                               engine.columns));
  },
  /** The lines that show the targets of the end. */
  async outlines() {
    const {session} = await open();
    const {outlines} = session.at(session.extent().last);
    print({outlines: outlines.map(({lines, ...more}) => ({...more, lines: lines && [...lines]})),
           again: session.at(session.extent().last, {things: session.at(session.extent().last).version}).outlines});
  },
  /** At each contact, how far the axes are apart as the page draws it; and what its samples say. */
  async contacts() {
    const {session} = await open();
    print(session.contacts.map((contact) => {
      const at = session.at(contact.start, {pair: contact.blades, steps: 4});
      return {distance: at.now?.distance, hit: at.verdict?.hit?.time, ends: at.verdict?.ends, start: contact.start,
              recorded: contact.clash.distance, seen: contact.seen, path: at.devices.map(({path}) => path.length)};
    }));
  },
  /** The file that "Copy settings" gives, and what of it is laid over the recording's. */
  async settings() {
    const {session} = await open();
    const {blades, contact} = session.summary();
    print({file: fileOf(settings, blades, contact), over: configurationOf(settings, blades)});
  },
  async memory() {
    const {session, failure} = await open(1 << 20);
    print({bytes: engine.bytes, entries: engine.counts().entries, contacts: session.contacts.length, failure, rss: process.memoryUsage().rss});
  },
  imports: () => print(WebAssembly.Module.imports(module)),
};

await commands[command]();
