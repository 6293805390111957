// A log from wherever it comes to a session, with what it takes of time and memory in view.
import {Unpacker, loadHash} from "./bytes.js";

/** @typedef {import("./session.js").LogSession} LogSession */

/** Reads all of it; what was read before an error stays. @param {LogSession} session @param {AsyncIterable<Uint8Array>} chunks
 *  @param {(read: number) => Promise<void> | void} progress after each chunk: bytes as they are in the file
 *  @returns {Promise<string | null>} why nothing behind it was read; null: all was */
export async function read(session, chunks, progress = () => {}) {
  const unpacker = new Unpacker(session, await loadHash());
  /** @type {string | null} */
  let failure = null;
  let bytes = 0;
  session.begin();
  try {
    for await (const chunk of chunks) {
      unpacker.push(chunk);
      bytes += chunk.length;
      await progress(bytes);
    }
    unpacker.end();
  } catch (error) {
    if (error instanceof Stopped) throw error;
    failure = error instanceof Error ? error.message : String(error);
  }
  try {
    session.end();
  } catch (error) {
    failure ??= error instanceof Error ? error.message : String(error);
  }
  return failure && `${session.header ? "behind " : ""}line ${Math.max(session.engine.counts().lines, 1)}: ${failure}`;
}

/** A later request has replaced this one. */
export class Stopped extends Error {}

/** @param {ReadableStream<Uint8Array>} stream */
export async function* chunksOf(stream) {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}
