import {Clashd as Core, Options as CoreOptions} from "./clashd.js";

export {
  Blade, Capsule, Clash, Config, DevicePose, Disconnected, ErrorReply, EventName, Heard, Hello, Hold, Lagged, ListedBlade, Message, Mesh, Ok,
  Overflow, Polyline, Pose, Poses, Quaternion, Recorder, Release, Replay, Request, Requests, ResolvedPose, ServerMessages, Shape,
  Source, SpaceChanged, Status, Target, Terrain, Tracking, UnityCollider, Vector,
} from "./clashd.js";

export interface Options extends Omit<CoreOptions, "url"> {
  /** The path of clashd's Unix socket, tcp:HOST:PORT, or ws://HOST:PORT; clashd's default socket where left out. */
  address?: string;
  /** Where the token is: its file, or clashd's socket beside which it is; where clashd puts it by default where left out. */
  tokenFile?: string;
}

export class Clashd extends Core {
  constructor(options?: Options);
}
