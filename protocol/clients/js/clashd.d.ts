/** A message as PROTOCOL.md has it; of clashd's, or the module's own "disconnected" and, in `for await`, "overflow". */
export interface Message {
  type: string;
  [field: string]: any;
}

/** Whose poses a device's are: a client's that feeds it, the OpenXR API layer's in a game, clashd's own session's, a recording's
 *  that is played, another machine's. */
export type Source = "game" | "layer" | "openxr" | "replay" | "peer";

/** Whether a device is followed. */
export interface Tracking extends Message {
  type: "tracking";
  seq: number;
  time_ns: number;
  device: string;
  tracked: boolean;
  reason: string;
  /** Left out for devices that a client defines. */
  source?: Source;
}

/** What poses are relative to has moved, or another feed took over: nothing was swept across it. */
export interface SpaceChanged extends Message {
  type: "space_changed";
  seq: number;
  time_ns: number;
  /** Of the devices that this one feeds from now on; of all where left out. */
  source?: Source;
}

/** The first message of each connection. */
export interface Hello extends Message {
  type: "hello";
  version: string;
  session: string;
  capabilities: string[];
  devices?: {device: string; tracked: boolean; source?: Source; space?: string}[];
}

export type Vector = [x: number, y: number, z: number];
export type Quaternion = [x: number, y: number, z: number, w: number];

export interface Options {
  /** ws://127.0.0.1:4718 where left out. */
  url?: string;
  /** The text of clashd.token; a function is asked at each connect, since clashd makes a new one at each start. */
  token?: string | (() => string | Promise<string>);
  /** Fields of `subscribe`. What is pushed is in its axes too. */
  subscribe?: {
    events?: string[];
    blades?: string[];
    axes?: "openxr" | "unity" | "godot";
    min_closing_speed?: number;
    /** Only contacts that become this fast: where they begin more slowly, `clash` comes then, and has `late`. m/s. */
    min_peak_speed?: number;
    /** No contact that begins sooner than this after the same two parted, if that was told. */
    min_apart_ms?: number;
    pose_rate_hz?: number;
    /** clash, hold and poses then say where to draw blades so that they do not sink into what they touch. */
    resolved_poses?: boolean;
  };
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

/** What a device of this client carries: a capsule, or several parts, of at most 16 capsules in all. */
export type Blade = {name: string; device: string; body?: boolean} & (Capsule | {parts: ({name: string} & (Capsule | Polyline))[]});

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

export interface Pose {
  device: string;
  position: Vector;
  orientation: Quaternion;
  tracked?: boolean;
  /** Nothing is swept from the pose before to this one: a snap turn hits nothing. */
  teleport?: boolean;
}

export class Clashd implements AsyncIterable<Message> {
  constructor(options?: Options);
  readonly connected: boolean;
  /** Returns what ends the listening. */
  on(type: "tracking", listener: (message: Tracking) => void): () => void;
  on(type: "space_changed", listener: (message: SpaceChanged) => void): () => void;
  on(type: "hello", listener: (message: Hello) => void): () => void;
  on(type: string, listener: (message: Message) => void): () => void;
  /** Rejects with an Error whose `code` is clashd's, or without one where the connection is what failed. */
  request(message: Message): Promise<Message>;
  /** Now, or once connected, and again at each connect. */
  blade(definition: Blade): Promise<Message>;
  /** As blade. */
  target(definition: Target): Promise<Message>;
  remove(name: string): Promise<Message | null>;
  /** From now on the poses of these devices, the player's hands ("/user/hand/left") included, are this program's, in place of
   *  what clashd sees by itself; blades may be defined on them. Instead of those before, [] for none; again at each connect. */
  feed(devices: string[], options?: {space?: string; source?: "game" | "layer"}): Promise<Message | null>;
  /** False where they were not sent. */
  poses(poses: Pose[], time_ns?: number): boolean;
  /** As poses; resolves once all events that they caused have been handed out. */
  push(poses: Pose[], time_ns?: number): Promise<Message>;
  close(): void;
  [Symbol.asyncIterator](): AsyncIterableIterator<Message>;
}
