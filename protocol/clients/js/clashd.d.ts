import type {
  Clash, Config, ErrorReply, Hello, Hold, Lagged, ListedBlade, Ok, Outlines, Pose, Poses, Quaternion, Recorder, Release, Replay, Requests,
  ServerMessages, Source, SpaceChanged, Status, Tracking, Vector,
} from "./messages.js";

export type {
  Clash, Config, DevicePose, ErrorReply, Hello, Hold, Lagged, ListedBlade, Ok, Outlines, Pose, Poses, Quaternion, Recorder, Release, Replay,
  Requests, ResolvedPose, ServerMessages, Source, SpaceChanged, Status, Tracking, Vector,
} from "./messages.js";

/** The module's own: why a connection ended, or could not begin. */
export interface Disconnected {
  type: "disconnected";
  reason: string;
  /** Whether there had been a connection. */
  greeted: boolean;
}

/** The module's own, of `for await`: so many messages were not taken in time. */
export interface Overflow {
  type: "overflow";
  messages: number;
}

/** What listeners hear, by its type. */
export interface Heard extends ServerMessages {
  disconnected: Disconnected;
}

/** What `for await` gives: `switch (message.type)` says which. */
export type Message = Heard[keyof Heard] | Overflow;

/** What a subscription may name. */
export type EventName = NonNullable<Requests["subscribe"]["events"]>[number];


/** Any request of PROTOCOL.md; its id is given by request(). */
export type Request = {[T in keyof Requests]: Omit<Requests[T], "id"> & {id?: string | number}}[keyof Requests];

/** What answers requests, where it is more than an ok. */
export interface Replies {
  status: Status;
  config: Config;
  hello: Hello;
  outlines: Outlines;
}

export interface Options {
  /** ws://127.0.0.1:4718 where left out. */
  url?: string;
  /** The text of clashd.token; a function is asked at each connect, since clashd makes a new one at each start. */
  token?: string | (() => string | Promise<string>);
  /** Fields of `subscribe`. What is pushed is in its axes too. */
  subscribe?: Omit<Requests["subscribe"], "type" | "id" | "since_seq" | "since_late">;
  /** Instead of the global one: the package ws, in a Node that has none. */
  WebSocket?: any;
}

/** A capsule in its device's frame. Metres. */
export interface Capsule {
  base: Vector;
  tip: Vector;
  radius: number;
  edge?: Vector;
}

/** A capsule between every two of its points that follow each other. */
export interface Polyline {
  points: Vector[];
  radius: number;
  edge?: Vector;
}

/** What a device of this client carries: a capsule, or several parts, of at most 16 capsules in all; and all else that a blade may
 *  be, as PROTOCOL.md has it. */
export type Blade = Omit<Requests["blade"], "type" | "id" | "axes" | "peer" | "unity_collider" | "parts" | keyof Capsule> &
  (Capsule | {parts: ({name: string} & (Capsule | Polyline))[]});

export interface Mesh {
  /** At most 512. */
  vertices: Vector[];
  /** At most 1024, of three vertices each, counter-clockwise as seen from outside; in Unity's axes clockwise. May be left out
   *  where it is convex, and only there. */
  triangles?: [number, number, number][];
  /** The convex hull of the vertices in its place. */
  convex?: boolean;
}

export interface Terrain {
  columns: number;
  rows: number;
  spacing: [x: number, z: number];
  /** Row by row, at most 3600. */
  heights: number[];
}

export type Shape =
  | {sphere: {center?: Vector; radius: number}}
  | {capsule: {base: Vector; tip: Vector; radius: number}}
  | {box: {center?: Vector; orientation?: Quaternion; size: Vector}}
  | {mesh: Mesh}
  | {terrain: Terrain};

/** A collider as Unity's inspector shows it, in Unity's axes; its transforms say where it is. */
export type UnityCollider = (
  | {type: "sphere"; center?: Vector; radius: number; sphere_rule?: "lossy_scale" | "column"}
  | {type: "box"; center?: Vector; size: Vector}
  | {type: "capsule"; center?: Vector; radius: number; height: number; direction?: 0 | 1 | 2}
  | ({type: "mesh"} & Mesh)
  | ({type: "terrain"} & Terrain)
) & {transforms?: {position?: Vector; rotation?: Quaternion; scale?: Vector}[]};

/** What blades strike that is no blade. It stands still unless a device carries it. Metres. */
export type Target = {name: string; device?: string} &
  (({position?: Vector; orientation?: Quaternion} & Shape) | {unity_collider: UnityCollider});

export class Clashd implements AsyncIterable<Message> {
  constructor(options?: Options);
  readonly connected: boolean;
  /** Returns what ends the listening. */
  on<T extends keyof Heard>(type: T, listener: (message: Heard[T]) => void): () => void;
  /** Rejects with an Error whose `code` is clashd's, or without one where the connection is what failed. */
  request<T extends Request>(message: T): Promise<T["type"] extends keyof Replies ? Replies[T["type"]] : Ok>;
  /** Now, or once connected, and again at each connect. */
  blade(definition: Blade): Promise<Ok>;
  /** As blade. */
  target(definition: Target): Promise<Ok>;
  remove(name: string): Promise<Ok | null>;
  /** From now on the poses of these devices, the player's hands ("/user/hand/left") included, are this program's, in place of
   *  what clashd sees by itself; blades may be defined on them. Instead of those before, [] for none; again at each connect. */
  feed(devices: string[], options?: {space?: string; source?: "game" | "layer"; haptics?: boolean}): Promise<Ok | null>;
  /** False where they were not sent. */
  poses(poses: Pose[], time_ns?: number): boolean;
  /** As poses; resolves once all events that they caused have been handed out. */
  push(poses: Pose[], time_ns?: number): Promise<Ok>;
  close(): void;
  [Symbol.asyncIterator](): AsyncIterableIterator<Message>;
}
