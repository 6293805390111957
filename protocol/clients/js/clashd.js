/* Listens to clashd over WebSocket, in browsers and in Node: connects, subscribes, hands out messages to listeners or to
 * `for await`, and comes back when clashd does. Pushes blades, targets and their poses, and defines them again at each
 * connect, since clashd forgets them with the connection. Needs nothing but a WebSocket, or what can be used like one:
 * node.mjs has that for lines. */

const EVENTS = new Set(["clash", "hold", "release", "tracking", "space_changed"]);
const SUBSCRIBED = [...EVENTS, "poses", "recorder", "replay"];
const HEARD = [...SUBSCRIBED, "haptic", "feed_free", "hello", "ok", "error", "status", "config", "outlines", "lagged", "disconnected"];
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;
const WAITING_MAX = 10000; // messages that a slow `for await` leaves lying
const POSES_BYTES_MAX = 65536; // not yet sent: newer poses are worth more than those that would queue up
const PROBE_MS = 2000;
const NO_WEBSOCKET = "there is no WebSocket here: take Node 22, Node 20 with --experimental-websocket, or give that of the " +
  "package ws as the option WebSocket";

/* A word that clashd does not know, such as a typing error, would mean silence for ever. */
function check(words, known, what) {
  for (const word of words ?? [])
    if (!known.includes(word)) throw new TypeError(`there is no ${what} "${word}": expected ${known.join(", ")}`);
}

export class Clashd {
  #options;
  #socket = null;
  #timer = null;
  #closed = false;
  #greeted = false;
  #retryMs = RETRY_MIN_MS;
  #refusal = null; // what clashd had against this connection
  #told = null; // why the last attempt failed
  #isWarned = false; // who is on the console only
  #session = null;
  #capabilities = [];
  #lastSeq = null;
  #lastLate = null;
  #listeners = new Map();
  #readers = new Set();
  #own = new Map(); // blades and targets, name: {request, known, resolve, reject}
  #feed = null; // {request, resolve, reject}
  #replies = new Map(); // id: {resolve, reject, again}, of this connection
  #lastId = 0;
  #wasLeft = false; // a `for await` was left
  #isIdle = false; // and nothing else uses this client

  /** See clashd.d.ts for the options. Connects at once. */
  constructor(options = {}) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.#options = {url: "ws://127.0.0.1:4718", subscribe: {}, WebSocket: globalThis.WebSocket, ...Object.fromEntries(given)};
    if (!this.#options.WebSocket) throw new Error(NO_WEBSOCKET);
    check(this.#options.subscribe.events, SUBSCRIBED, "event");
    this.#open();
  }

  /** True between clashd's hello and the end of the connection. */
  get connected() {
    return this.#greeted;
  }

  /** Calls `listener` with each message of a type of PROTOCOL.md, or with "disconnected". Returns what ends that. TypeError for a
   *  type that there is not. */
  on(type, listener) {
    check([type], HEARD, "message");
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
    this.#use();
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

  /** Defines a blade of this client: {name, device, base, tip, radius, edge}, or {name, device, parts}, and what
   *  else PROTOCOL.md has of blades, such as body, in the axes subscribed to. Now, or once connected, and again at each connect until remove(name). Resolves when clashd has it; where
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
    this.#own.set(definition.name, own);
    this.#use();
    return this.#promise(own, () => this.#own.get(definition.name) === own && this.#own.delete(definition.name));
  }

  /** Sent now, or once connected, and at each connect; forgotten where clashd refuses it the first time. */
  #promise(own, forget) {
    const promise = new Promise((resolve, reject) => {
      own.resolve = (reply) => {
        own.known = true; // an error at a later connect is no reason to forget it
        resolve(reply);
      };
      own.reject = (error) => {
        if (!own.known) forget();
        reject(error);
      };
    });
    promise.catch(() => {});
    if (this.#greeted) this.#define(own);
    return promise;
  }

  /** Feeds devices, the player's hands ("/user/hand/left") included: what poses() says of them is from now on where they are, in
   *  place of what clashd sees by itself, and blades may be defined on them, in place of clashd's own. Instead of the devices
   *  named before; [] ends it. `space`: this program's name for what its poses are relative to; `source`: "game", or "layer"
   *  for what stands back for a game; `haptics`: whether "haptic" is to come, for controllers that this program lets vibrate. Now, or once connected, and again at each connect. Resolves when clashd has it; where
   *  clashd refuses it ("name_taken": somebody else feeds one of them), that rejects, and nothing is fed. */
  feed(devices, {space, source, haptics} = {}) {
    const own = {request: {type: "feed", devices, space, source, haptics}};
    this.#feed?.reject(new Error("another feed took its place"));
    this.#feed = devices.length > 0 ? own : null;
    this.#use();
    if (devices.length === 0 && !this.#greeted) return Promise.resolve(null);
    return this.#promise(own, () => this.#feed === own && (this.#feed = null));
  }

  /** Takes a blade or target away for good. Resolves when clashd has done so, or had nothing to do. */
  remove(name) {
    const known = this.#own.delete(name);
    return known && !this.#greeted ? Promise.resolve(null) : this.request({type: "remove", name});
  }

  /** Sends poses of own devices and of those that are fed: [{device, position, orientation, tracked, teleport}]; with teleport
   *  nothing is swept from where it was. `time_ns` is in the session's time; without it, they are of when they arrive. Returns
   *  false where they were not sent: without a connection, or because it is slow. What clashd has against them comes as
   *  "error". */
  poses(poses, time_ns) {
    if (!this.#hasRoom()) return false;
    this.#socket.send(JSON.stringify(this.#posesOf(poses, time_ns)));
    return true;
  }

  /** As poses(), and resolves once all events that they caused have been handed out; rejects where they were not sent, or
   *  refused. */
  push(poses, time_ns) {
    return this.#hasRoom() || !this.#greeted ? this.request(this.#posesOf(poses, time_ns))
      : Promise.reject(new Error("the connection to clashd is slow: poses were not sent"));
  }

  #hasRoom() {
    return this.#greeted && this.#socket.bufferedAmount <= POSES_BYTES_MAX;
  }

  #posesOf(poses, time_ns) {
    return {type: "poses", time_ns, poses, axes: this.#options.subscribe.axes};
  }

  /** Ends the connection, and every `for await`. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    if (!this.#socket) this.#drop();
    for (const reader of this.#readers) reader.end();
  }

  /* In Node a connection keeps the process running while something uses it. */
  #use() {
    this.#isIdle = false;
    this.#socket?.ref?.();
  }

  #leave() {
    const listeners = [...this.#listeners.values()].reduce((sum, {size}) => sum + size, 0);
    this.#wasLeft = true;
    this.#isIdle = !this.#feed && this.#readers.size + this.#own.size + this.#replies.size + listeners === 0;
    if (!this.#isIdle) return;
    this.#socket?.unref?.();
    this.#timer?.unref?.();
  }

  /** All messages from now on, in order; ends with close(). A loop that takes them too slowly loses the oldest, and gets in their
   *  place {type: "overflow", messages}. Leaving the loop keeps the connection: the next loop, or a listener, goes on with it. In Node,
   *  over a Unix socket or TCP, a connection that nothing uses any more does not keep the process running. */
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
    this.#use();
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
        this.#leave();
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
    let shown;
    const end = async (reason) => {
      if (over) return;
      over = true;
      this.#end(reason || await this.#whyNot(problem, shown));
    };
    try {
      shown = typeof token === "function" ? await token() : token;
      if (this.#closed) return;
      socket = new WebSocket(url, shown ? ["clashd.v1", `token.${shown}`] : ["clashd.v1"]);
    } catch (error) {
      end(String(error?.message ?? error));
      return;
    }
    this.#socket = socket;
    if (this.#isIdle) socket.unref?.();
    socket.onopen = () => { opened = true; };
    socket.onmessage = ({data}) => this.#take(data);
    socket.onclose = ({code, reason}) => end(reason || (opened ? problem ?? `closed (${code})` : ""));
    socket.onerror = (event) => {
      problem ??= event?.message ?? null;
      if (!opened) setTimeout(() => end("")); // the close that should follow: in Node 20 there is none
    };
  }

  /* A WebSocket does not get the reason of a refusal. In Node, and in clashd's own pages, a request over HTTP shows whether something listens
   * there at all; a page from elsewhere may not see that. */
  async #whyNot(problem, token) {
    const {url} = this.#options;
    const origin = globalThis.location?.origin;
    const page = origin ? `, or pages of ${origin} may not connect (clashd's setting socket.allowed_origins)` : "";
    const start = `Start "clashd --websocket ${/:(\d+)(?:\/|$)/.exec(url)?.[1] ?? 80}"`;
    const words = problem ? ` (${problem})` : "";
    const refused = token ? "refuses this token, which is a new one whenever clashd starts" : "wants a token, and none is given";
    const where = "The token is in the file $XDG_RUNTIME_DIR/clashd/clashd.token";
    try {
      await fetch(url.replace(/^ws/, "http"), {mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(PROBE_MS)});
    } catch {
      return `cannot connect to ${url}: clashd ${page ? `${refused}, or ` : ""}does not listen there${page}. ${start}${page && `. ${where}`}${words}`;
    }
    return `cannot connect to ${url}: clashd ${refused}${page}. ${where}${words}`;
  }

  /* Blades and targets are no part of this: they are defined again. */
  #drop() {
    const replies = [...this.#replies.values()];
    this.#socket = null;
    this.#greeted = false;
    this.#replies.clear();
    for (const {reject, again} of replies) if (!again || this.#closed) reject(new Error("the connection to clashd ended"));
    if (this.#closed) for (const own of [...this.#own.values(), this.#feed]) own?.reject(new Error("closed"));
  }

  #end(reason) {
    if (this.#refusal) reason = `${this.#options.url}: ${this.#refusal}`;
    this.#refusal = null;
    const message = {type: "disconnected", reason, greeted: this.#greeted};
    const isNew = this.#greeted || reason !== this.#told;
    this.#told = reason;
    this.#drop();
    if (this.#closed) return;
    this.#timer = setTimeout(() => this.#open(), this.#retryMs);
    if (this.#isIdle) this.#timer.unref?.();
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    if (!isNew) return; // it goes on trying, and says no more until there is something new
    if (!this.#isHeard("disconnected")) console.warn(`clashd: ${reason}`);
    this.#isWarned = !message.greeted && !this.#isHeard("disconnected");
    this.#tell(message);
  }

  #isHeard(type) {
    return this.#readers.size > 0 || (this.#listeners.get(type)?.size ?? 0) > 0;
  }

  #take(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return; // a line that is no message: PROTOCOL.md has none
    }
    if (typeof message?.type !== "string") return;
    if (message.type === "hello" && message.id === undefined) this.#greet(message); // with an id it answers a request
    else if (message.type === "error" && !this.#greeted) this.#refusal = message.message;
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
    this.#capabilities = hello.capabilities ?? [];
    this.#greeted = true;
    this.#told = null;
    if (this.#isWarned) console.info(`clashd ${hello.version}: connected`);
    this.#isWarned = false;
    this.#retryMs = RETRY_MIN_MS;
    if (this.#feed) this.#define(this.#feed);
    for (const own of this.#own.values()) this.#define(own);
    this.#socket.send(JSON.stringify(request));
  }

  #define({request, resolve, reject}) {
    if (request.type === "feed" && !this.#capabilities.includes("feed"))
      reject(new Error("this clashd cannot be fed: it takes the player's hands from where it sees them itself. A newer one can"));
    else this.#ask(request, {resolve, reject, again: true});
  }

  #ask(message, settle) {
    const id = `js-${++this.#lastId}`;
    this.#replies.set(id, settle);
    this.#use();
    this.#socket.send(JSON.stringify({...message, id}));
  }

  #settle(message) {
    const settle = this.#replies.get(message.id);
    if (!settle || !this.#replies.delete(message.id)) return;
    if (this.#wasLeft) this.#leave();
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
