/* Listens to clashd over WebSocket, in browsers and in Node 22 (20 with --experimental-websocket): connects, subscribes,
 * hands out messages to listeners or to `for await`, and comes back when clashd does. Needs nothing else. */

const EVENTS = new Set(["clash", "hold", "release", "tracking", "space_changed"]);
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;
const WAITING_MAX = 10000; // messages that a slow `for await` leaves lying

export class Clashd {
  #options;
  #socket = null;
  #timer = null;
  #closed = false;
  #greeted = false;
  #retryMs = RETRY_MIN_MS;
  #session = null;
  #lastSeq = null;
  #listeners = new Map();
  #readers = new Set();

  /** See clashd.d.ts for the options. Connects at once. */
  constructor(options = {}) {
    this.#options = {url: "ws://127.0.0.1:4718", subscribe: {}, ...options};
    this.#open();
  }

  /** Calls `listener` with each message of a type of PROTOCOL.md, or with "disconnected". Returns what ends that. */
  on(type, listener) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
    return () => this.#listeners.get(type).delete(listener);
  }

  /** Ends the connection, and every `for await`. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    for (const reader of this.#readers) reader.end();
  }

  /** All messages from now on, in order; ends with close(). */
  [Symbol.asyncIterator]() {
    const waiting = [];
    let wake = null;
    let ended = this.#closed;
    const reader = {
      put: (message) => {
        if (wake) wake({value: message, done: false});
        else if (waiting.push(message) > WAITING_MAX) waiting.shift();
        wake = null;
      },
      end: () => {
        ended = true;
        wake?.({value: undefined, done: true});
        wake = null;
      },
    };
    this.#readers.add(reader);
    return {
      next: () => {
        if (waiting.length > 0) return Promise.resolve({value: waiting.shift(), done: false});
        if (ended) return Promise.resolve({value: undefined, done: true});
        return new Promise((resolve) => { wake = resolve; });
      },
      return: () => {
        this.#readers.delete(reader);
        reader.end();
        return Promise.resolve({value: undefined, done: true});
      },
      [Symbol.asyncIterator]() { return this; },
    };
  }

  async #open() {
    let socket;
    try {
      const {url, token} = this.#options;
      const shown = typeof token === "function" ? await token() : token;
      if (this.#closed) return;
      socket = new WebSocket(url, shown ? ["clashd.v1", `token.${shown}`] : ["clashd.v1"]);
    } catch (error) {
      this.#end(String(error?.message ?? error));
      return;
    }
    this.#socket = socket;
    socket.onmessage = ({data}) => this.#take(data);
    socket.onclose = ({code, reason}) => this.#end(reason || `closed (${code})`);
    socket.onerror = () => {}; // a close follows, always
  }

  #end(reason) {
    this.#socket = null;
    const message = {type: "disconnected", reason, greeted: this.#greeted};
    this.#greeted = false;
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#open(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    this.#tell(message);
  }

  #take(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return; // a line that is no message: PROTOCOL.md has none
    }
    if (typeof message?.type !== "string") return;
    if (message.type === "hello") this.#greet(message);
    if (EVENTS.has(message.type)) this.#lastSeq = message.seq;
    if (message.type === "lagged") this.#lastSeq = message.to_seq;
    if (message.type === "ok" && this.#lastSeq === null && message.seq !== undefined) this.#lastSeq = message.seq;
    this.#tell(message);
  }

  /** Subscribes; in the session of before, from where it broke off. */
  #greet(hello) {
    const request = {...this.#options.subscribe, type: "subscribe", id: "subscribe"};
    if (hello.session !== this.#session) this.#lastSeq = null;
    else if (this.#lastSeq !== null && hello.capabilities?.includes("since_seq")) request.since_seq = this.#lastSeq;
    this.#session = hello.session;
    this.#greeted = true;
    this.#retryMs = RETRY_MIN_MS;
    this.#socket.send(JSON.stringify(request));
  }

  #tell(message) {
    for (const reader of this.#readers) reader.put(message);
    for (const listener of this.#listeners.get(message.type) ?? []) listener(message);
  }
}
