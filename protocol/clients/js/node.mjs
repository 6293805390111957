/* The same in Node, by every way that clashd listens on: its Unix socket, TCP and WebSocket. Finds the socket and the token
 * by itself. Lines are dressed up as a WebSocket, so that all else is clashd.js. */
import {existsSync, lstatSync, readFileSync} from "node:fs";
import {connect, Socket} from "node:net";
import {join} from "node:path";
import {Clashd as Core} from "./clashd.js";

const LINE_MAX = 65536;
const WHY = {ENOENT: "there is no such socket", ECONNREFUSED: "nobody listens there", EACCES: "it is another user's"};
const CLOSE_MS = 2000;

/* Where clashd puts its socket and its token when nobody says so. */
function inRuntimeDirectory(name) {
  const uid = process.getuid?.();
  const set = process.env.XDG_RUNTIME_DIR;
  const directory = set?.startsWith("/") ? set : existsSync(`/run/user/${uid}`) ? `/run/user/${uid}` : `/tmp/clashd-${uid}`;
  return join(directory, "clashd", name);
}

/* A socket's path stands for the token file beside it. No file where none was named: clashd may not ask for one. */
function readToken(named, address) {
  const path = named?.replace(/\.sock$/, ".token") ?? inRuntimeDirectory("clashd.token");
  if (!named && !existsSync(path)) return undefined;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const why = error.code === "ENOENT" ? "is not there: clashd writes it when it starts" : `cannot be read: ${error.message}`;
    throw new Error(`cannot connect to ${address}: the token file ${path} ${why}`);
  }
}

/* host and port of tcp:HOST:PORT or of tcp:PORT on this machine, [..] around a host of IPv6; or the path of a Unix socket. */
function target(address) {
  if (!address.startsWith("tcp:")) return {path: address.replace(/^unix:/, "")};
  const [, host = "127.0.0.1", port] = /^tcp:(?:\/\/)?(?:(.+):)?(\d+)$/.exec(address) ?? [];
  if (!port) throw new Error(`'${address}' is not an address: expected tcp:HOST:PORT, such as tcp:127.0.0.1:4717`);
  return {host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port)};
}

/* Below /tmp anybody may have been quicker than clashd. Node cannot ask a socket who listens on it (SO_PEERCRED), so whoever
 * owns its file is held to be him. */
function strangersSocket(path) {
  const own = process.getuid?.();
  try {
    const {uid} = lstatSync(path);
    return own === undefined || uid === own || uid === 0 ? undefined
      : new Error(`user ${uid} is listening: expected user ${own} or root`);
  } catch {
    return undefined; // whoever connects is told what is wrong
  }
}

/** As much of a WebSocket as clashd.js uses, over lines. */
class LineSocket {
  #socket;
  #rest = "";
  #skips = false; // up to the end of a line that is too long
  onopen = null;
  onmessage = null;
  onerror = null;
  onclose = null;

  constructor(address, protocols) {
    const to = target(address);
    const token = to.path ? undefined : protocols.find((word) => word.startsWith("token."))?.slice("token.".length);
    const start = to.path ? "clashd" : `clashd --tcp ${to.port}`;
    let isConnected = false;
    let reason = "clashd closed the connection";
    const stranger = to.path && strangersSocket(to.path);
    this.#socket = stranger ? new Socket().destroy(stranger) : connect({...to, noDelay: true});
    this.#socket.setEncoding("utf8");
    if (token) this.send(JSON.stringify({type: "auth", token}));
    this.#socket.on("connect", () => { isConnected = true; this.onopen?.(); });
    this.#socket.on("data", (text) => this.#take(text));
    this.#socket.on("error", (error) => {
      reason = isConnected || stranger ? `${address}: ${error.message}`
        : `cannot connect to ${address}: ${WHY[error.code] ?? "it cannot be reached"} (${error.message}). Start "${start}"`;
    });
    this.#socket.on("close", () => this.onclose?.({code: 1006, reason}));
  }

  get bufferedAmount() {
    return this.#socket.writableLength;
  }

  send(text) {
    this.#socket.write(text + "\n");
  }

  ref() {
    this.#socket.ref();
  }

  unref() {
    this.#socket.unref();
  }

  /* clashd goes on sending to who has only closed one side. */
  close() {
    this.#socket.end(() => this.#socket.destroy());
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
  }

  #take(text) {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const line of lines) {
      if (!this.#skips) this.onmessage?.({data: line});
      this.#skips = false;
    }
    if (this.#skips || this.#rest.length > LINE_MAX) {
      this.#skips = true;
      this.#rest = "";
    }
  }
}

export class Clashd extends Core {
  /** See node.d.mts for the options. Connects at once. */
  constructor({address = inRuntimeDirectory("clashd.sock"), tokenFile, ...options} = {}) {
    const isWebSocket = /^wss?:/.test(address);
    super({
      token: () => (isWebSocket || address.startsWith("tcp:") ? readToken(tokenFile, address) : undefined),
      ...options,
      url: address,
      ...(isWebSocket ? {} : {WebSocket: LineSocket}),
    });
  }
}
