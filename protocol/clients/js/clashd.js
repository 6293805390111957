/* Listens to clashd over WebSocket, in browsers and in Node: connects, subscribes, hands out messages to listeners or to
 * `for await`, and comes back when clashd does. Pushes blades, targets and their poses, and defines them again at each
 * connect, since clashd forgets them with the connection. Needs nothing but a WebSocket, or what can be used like one:
 * node.mjs has that for lines. */

const EVENTS = new Set(["clash", "hold", "release", "tracking", "space_changed"]);
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;
const WAITING_MAX = 10000; // messages that a slow `for await` leaves lying
const POSES_BYTES_MAX = 65536; // not yet sent: newer poses are worth more than those that would queue up
const NO_WEBSOCKET = "there is no WebSocket here: take Node 22, Node 20 with --experimental-websocket, or give that of the " +
  "package ws as the option WebSocket";

export class Clashd {
  #options;
  #socket = null;
  #timer = null;
  #closed = false;
  #greeted = false;
  #retryMs = RETRY_MIN_MS;
  #session = null;
  #lastSeq = null;
  #lastLate = null;
  #listeners = new Map();
  #readers = new Set();
  #own = new Map(); // blades and targets, name: {request, known, resolve, reject}
  #replies = new Map(); // id: {resolve, reject, again}, of this connection
  #lastId = 0;

  /** See clashd.d.ts for the options. Connects at once. */
  constructor(options = {}) {
    this.#options = {url: "ws://127.0.0.1:4718", subscribe: {}, WebSocket: globalThis.WebSocket, ...options};
    if (!this.#options.WebSocket) throw new Error(NO_WEBSOCKET);
    this.#open();
  }

  /** True between clashd's hello and the end of the connection. */
  get connected() {
    return this.#greeted;
  }

  /** Calls `listener` with each message of a type of PROTOCOL.md, or with "disconnected". Returns what ends that. */
  on(type, listener) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
    return () => this.#listeners.get(type).delete(listener);
  }

  /** Sends a request as PROTOCOL.md has it; its id is given here. Resolves to the reply; rejects where that is an error, or
   *  where there is no connection or it ends before. */
  request(message) {
    const promise = this.#greeted
      ? new Promise((resolve, reject) => this.#ask(message, {resolve, reject}))
      : Promise.reject(new Error("not connected to clashd"));
    promise.catch(() => {}); // who does not look at it is told by "error"
    return promise;
  }

  /** Defines a blade of this client: {name, device, body, base, tip, radius, edge}, or {name, device, body, parts}, in the axes
   *  subscribed to. Now, or once connected, and again at each connect until remove(name). Resolves when clashd has it; where
   *  clashd refuses it, that rejects, and the blade is forgotten. */
  blade(definition) {
    return this.#keep("blade", definition);
  }

  /** Defines a target of this client, what blades strike that is no blade: {name, device, position, orientation} and one of
   *  sphere, capsule, box, mesh, terrain, or unity_collider in place of position and orientation; as blade() does. */
  target(definition) {
    return this.#keep("target", definition);
  }

  #keep(type, definition) {
    const own = {request: {axes: this.#options.subscribe.axes, ...definition, type}};
    const promise = new Promise((resolve, reject) => {
      own.resolve = (reply) => {
        own.known = true; // an error at a later connect is no reason to forget it
        resolve(reply);
      };
      own.reject = (error) => {
        if (!own.known && this.#own.get(definition.name) === own) this.#own.delete(definition.name);
        reject(error);
      };
    });
    promise.catch(() => {});
    this.#own.set(definition.name, own);
    if (this.#greeted) this.#define(own);
    return promise;
  }

  /** Takes a blade or target away for good. Resolves when clashd has done so, or had nothing to do. */
  remove(name) {
    const known = this.#own.delete(name);
    return known && !this.#greeted ? Promise.resolve(null) : this.request({type: "remove", name});
  }

  /** Sends poses of own devices: [{device, position, orientation, tracked, teleport}]. `time_ns` is in the session's time;
   *  without it, they are of when they arrive. Returns false where they were not sent: without a connection, or because it
   *  is slow. What clashd has against them comes as "error". */
  poses(poses, time_ns) {
    if (!this.#greeted || this.#socket.bufferedAmount > POSES_BYTES_MAX) return false;
    this.#socket.send(JSON.stringify({type: "poses", time_ns, poses, axes: this.#options.subscribe.axes}));
    return true;
  }

  /** Ends the connection, and every `for await`. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    if (!this.#socket) this.#drop();
    for (const reader of this.#readers) reader.end();
  }

  /** All messages from now on, in order; ends with close(). Who takes them too slowly loses the oldest, and gets in their
   *  place {type: "overflow", messages}. */
  [Symbol.asyncIterator]() {
    const waiting = [];
    let lost = 0;
    let wake = null;
    let ended = this.#closed;
    const reader = {
      put: (message) => {
        if (wake) wake({value: message, done: false});
        else if (waiting.push(message) > WAITING_MAX && waiting.shift()) lost++;
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
        if (lost > 0) {
          const overflow = {type: "overflow", messages: lost};
          lost = 0;
          return Promise.resolve({value: overflow, done: false});
        }
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
    const {url, token, WebSocket} = this.#options;
    let socket;
    let opened = false;
    let problem = null; // in words, where there are any: browsers have none
    let over = false;
    const end = (reason) => {
      if (!over) this.#end(reason || this.#whyNot(problem));
      over = true;
    };
    try {
      const shown = typeof token === "function" ? await token() : token;
      if (this.#closed) return;
      socket = new WebSocket(url, shown ? ["clashd.v1", `token.${shown}`] : ["clashd.v1"]);
    } catch (error) {
      end(String(error?.message ?? error));
      return;
    }
    this.#socket = socket;
    socket.onopen = () => { opened = true; };
    socket.onmessage = ({data}) => this.#take(data);
    socket.onclose = ({code, reason}) => end(reason || (opened ? problem ?? `closed (${code})` : ""));
    socket.onerror = (event) => {
      problem ??= event?.message ?? null;
      if (!opened) setTimeout(() => end("")); // the close that should follow: in Node 20 there is none
    };
  }

  /* A page is not told why it was refused, so it names all that it may be. */
  #whyNot(problem) {
    const origin = globalThis.location?.origin;
    const page = origin ? `, or pages of ${origin} may not connect (clashd's socket.allowed_origins)` : "";
    return `cannot connect to ${this.#options.url}: clashd does not listen there, or the token is a wrong one${page}; ` +
      `clashd's log says which${problem ? ` (${problem})` : ""}`;
  }

  /* Blades and targets are no part of this: they are defined again. */
  #drop() {
    const replies = [...this.#replies.values()];
    this.#socket = null;
    this.#greeted = false;
    this.#replies.clear();
    for (const {reject, again} of replies) if (!again || this.#closed) reject(new Error("the connection to clashd ended"));
    if (this.#closed) for (const {reject} of [...this.#own.values()]) reject(new Error("closed"));
  }

  #end(reason) {
    const message = {type: "disconnected", reason, greeted: this.#greeted};
    this.#drop();
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
    if (message.id !== undefined) this.#settle(message);
    if (EVENTS.has(message.type)) this.#last(message.seq, message.late ? message.id : null);
    if (message.type === "lagged") this.#last(message.to_seq, null);
    if (message.type === "ok" && this.#lastSeq === null && message.seq !== undefined) this.#last(message.seq, null);
    this.#tell(message);
  }

  /** What to go on from: a late clash has the number of the event before it. */
  #last(seq, late) {
    this.#lastSeq = seq;
    this.#lastLate = late;
  }

  /** Subscribes; in the session of before, from where it broke off. */
  #greet(hello) {
    const request = {...this.#options.subscribe, type: "subscribe", id: "subscribe"};
    if (hello.session !== this.#session) this.#lastSeq = null;
    else if (this.#lastSeq !== null && hello.capabilities?.includes("since_seq")) {
      request.since_seq = this.#lastSeq;
      if (this.#lastLate !== null) request.since_late = this.#lastLate;
    }
    this.#session = hello.session;
    this.#greeted = true;
    this.#retryMs = RETRY_MIN_MS;
    for (const own of this.#own.values()) this.#define(own);
    this.#socket.send(JSON.stringify(request));
  }

  #define({request, resolve, reject}) {
    this.#ask(request, {resolve, reject, again: true});
  }

  #ask(message, settle) {
    const id = `js-${++this.#lastId}`;
    this.#replies.set(id, settle);
    this.#socket.send(JSON.stringify({...message, id}));
  }

  #settle(message) {
    const settle = this.#replies.get(message.id);
    if (!settle || !this.#replies.delete(message.id)) return;
    if (message.type !== "error") settle.resolve(message);
    else settle.reject(Object.assign(new Error(message.message), {code: message.code}));
  }

  /* One that throws is no reason for the others to hear nothing. */
  #tell(message) {
    for (const reader of this.#readers) reader.put(message);
    for (const listener of [...(this.#listeners.get(message.type) ?? [])]) {
      try {
        listener(message);
      } catch (error) {
        queueMicrotask(() => { throw error; });
      }
    }
  }
}
