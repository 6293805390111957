// The Worker that has the log: it reads, judges and looks, so that the page stays free. Messages are {id, name, args}, answered by
// {id, result} or {id, error}; in between {event, ..} says how far it is. A later load or detect ends an earlier one.
import {Engine} from "./engine.js";
import {load as loadSweep} from "../../../../protocol/clients/js/sweep/sweep.js";
import {LogSession} from "../log/session.js";
import {Stopped, chunksOf, read} from "../log/open.js";
import {slimOf} from "../log/slim.js";

const PROGRESS_MS = 100;
const SLICE_MS = 12;

/** @type {Promise<LogSession> | null} */
let session = null;
let generation = 0;

/** @returns {Promise<LogSession>} */
async function makeSession() {
  const answer = await fetch(new URL("engine.wasm", self.location.href));
  if (!answer.ok) throw new Error("This page was built without the WebAssembly that finds contacts in logs: clang's WebAssembly target " +
                                  "(clang, lld, wasi-libc, libclang-rt-dev-wasm32) was missing when clashd was built.");
  const module = await WebAssembly.compile(await answer.arrayBuffer());
  return new LogSession(await Engine.load(module), await loadSweep(module));
}

/** Lets messages in, and stops if a later request has replaced this one. @param {number} mine */
async function breathe(mine) {
  await new Promise((resolve) => setTimeout(resolve));
  if (mine !== generation) throw new Stopped("something else was asked for");
}

/** Chunks for as long as they are asked for. @param {number} mine @param {ReadableStream<Uint8Array>} stream */
async function* wanted(mine, stream) {
  for await (const chunk of chunksOf(stream)) {
    if (mine !== generation) throw new Stopped("another log was asked for");
    yield chunk;
  }
}

/** @param {{blob?: Blob, url?: string, headers?: Record<string, string>}} from */
async function sourceOf({blob, url, headers}) {
  if (blob) return {stream: blob.stream(), total: blob.size};
  const answer = await fetch(/** @type {string} */ (url), {headers});
  if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${answer.statusText}: ${(await answer.text()).slice(0, 300)}`);
  return {stream: answer.body, total: Number(answer.headers.get("Content-Length") ?? 0)};
}

const calls = {
  /** @param {LogSession} s @param {any} from */
  async load(s, from) {
    const mine = ++generation;
    const {stream, total} = await sourceOf(from);
    if (mine !== generation) throw new Stopped("another log was asked for");
    let said = 0, told = 0;
    const failure = await read(s, wanted(mine, stream), async (bytes) => {
      if (performance.now() - said < PROGRESS_MS) return;
      said = performance.now();
      const fresh = s.contacts.slice(told).map(slimOf);
      told = s.contacts.length;
      self.postMessage({event: "progress", read: bytes, total, extent: s.header ? s.extent() : null, header: s.header, contacts: fresh});
      await breathe(mine);
    });
    return {failure, ...s.summary(), contacts: s.contacts.map(slimOf)};
  },

  /** @param {LogSession} s @param {object | null} configuration */
  async detect(s, configuration) {
    const mine = ++generation;
    let since = performance.now();
    await breathe(mine);
    await s.detect(configuration, async () => {
      if (performance.now() - since < SLICE_MS) return;
      self.postMessage({event: "detecting", done: s.engine.advance(0), all: s.engine.counts().settled});
      await breathe(mine);
      since = performance.now();
    });
    return {contacts: s.contacts.map(slimOf), found: s.engine.found(), problems: s.problems};
  },

  /** @param {LogSession} s @param {number} time @param {any} options */
  at: (s, time, options) => s.at(time, options),
  /** @param {LogSession} s @param {number} time @param {1 | -1} direction */
  step: (s, time, direction) => s.step(time, direction),
  /** @param {LogSession} s @param {[string, string]} names @param {number} from @param {number} to @param {number} count */
  profile: (s, names, from, to, count) => s.profile(names, from, to, count),
  /** Whole events. @param {LogSession} s @param {number[]} indices in the order of the contacts */
  events: (s, indices) => indices.map((i) => s.contacts[i]).filter(Boolean).map(({clash, release, seen}) => ({clash, release, seen})),
};

self.addEventListener("message", async ({data: {id, name, args}}) => {
  try {
    session ??= makeSession();
    session.catch(() => { session = null; });
    const result = await calls[/** @type {keyof typeof calls} */ (name)](await session, .../** @type {[any, any, any, any]} */ (args));
    self.postMessage({id, result});
  } catch (error) {
    self.postMessage({id, error: error instanceof Error ? error.message : String(error), stopped: error instanceof Stopped});
  }
});
