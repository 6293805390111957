// Made by tests/support/client_types.py from protocol/schema: what each message holds. PROTOCOL.md says what it means.
// Metres, radians, metres a second, nanoseconds; x right, y up, -z forward, unless other axes were subscribed to.

export type Vector = [x: number, y: number, z: number];
export type Quaternion = [x: number, y: number, z: number, w: number];
export type Source = "game" | "layer" | "openxr" | "replay" | "peer";

/** A blade begins to touch another one, or a target. */
export interface Clash {
  type: "clash";
  /** number of the event in the session: 1, 2, 3 .. */ seq: number;
  /** first contact, ns since the session's epoch */ time_ns: number;
  /** of the contact; its clash, holds and release share it */ id: number;
  /** of the two, the first one being 0 in every pair below; the second may be a target: see target */ blades: [string, string];
  /** since the last release of the same two, by their names, for whatever reason it was, ns; left out for the first clash */ since_release_ns?: number;
  /** true if the contact began earlier, too slowly to be told, and has now become as fast as min_peak_speed asks: all in this line is of now. Left out else */ late?: boolean;
  /** true if nothing has struck: the two touched when one of their tracks was cut (teleport, gap, lost tracking, another space or feed) or one of them was replaced, and still touch at the first moment after it, at most 1 s later. A contact that goes on: no spark, no sound, no vibration. Left out else */ resumed?: boolean;
  /** only between blades of two players who both have `mqtt.agree_ms`: whether the other's clashd has found the contact too, in that time; a clash of the player whose blade is the first never has it */ agreed?: boolean;
  /** of the target, which is blades[1], if the blade strikes one; left out between two blades */ target?: string;
  /** of each blade the part that touches; null for a blade without parts and for a target; left out if neither has any */ parts?: [string | null, string | null];
  /** between the two closest points of the axes, or of the axis and the target's surface, stage space, m: where sparks go */ midpoint: Vector;
  /** between the axes, or from the axis to the target, m */ distance: number;
  /** closest point of each axis, the second one on a target's surface, stage space, m */ points: [Vector, Vector];
  /** unit, from blade 0 to blade 1 or the target, stage space */ normal: Vector;
  /** only with a target: unit, out of it where it is struck, stage space; of a mesh's triangle by its winding */ surface_normal?: Vector;
  /** only with a target that is a mesh or terrain: number of the triangle, from 0 */ triangle?: number;
  /** where on each blade, or on that part of it: 0 at the base, 1 at the tip; 0 for a target */ along: [number, number];
  /** of each one's material point at the contact, stage space, m/s */ velocities: [Vector, Vector];
  /** of the two points along the normal, m/s; positive when approaching */ closing_speed: number;
  /** of the two points across the normal, m/s */ slide_speed: number;
  /** between the axes as lines, rad: 0 parallel, 1.57 square; with a target between the axis and its surface: 0 along it, 1.57 head on */ crossing_angle: number;
  /** how each blade's edge faces the way it moves against the other: 1 edge first, 0 flat, -1 back first; null for a blade without an edge and for a target; left out if neither has one */ edge_alignment?: [number | null, number | null];
  /** how hard it is, for sparks and sounds: 0 if the two do not approach, 1 from contact.full_intensity_speed on, in between rising with closing_speed along contact.intensity_curve */ intensity: number;
  /** where in the sampled interval it is: 0 at its start, 1 at its end; of two devices that are sampled at different times, between the two samples of either that are nearest around it */ fraction: number;
  /** length of the sampled interval that it was found in, ns: between the samples of a device before and after it; of two devices the longer. In between the motion is not known but assumed: time and speeds are less certain the longer it is */ interval_ns?: number;
  /** both devices were measured, not guessed, throughout the interval */ tracked: boolean;
  /** only for those who subscribed to resolved_poses: the pose of each one's device at which its blade does not sink into what it touches; null for a target, and if no place outside was found or the work for finding one was spent */ resolved_pose?: [ResolvedPose | null, ResolvedPose | null];
  /** only between blades of two players: of the contact, the same on both machines; see PROTOCOL.md, Several players */ room_id?: number;
  /** only between blades of two players: time_ns by the room's clock, ns */ room_time_ns?: number;
  /** only between blades of two players: by how much the clocks of the two may be apart, ns; the time between their samples is as uncertain */ clock_error_ns?: number;
}

/** The settings in force. */
export interface Config {
  type: "config";
  /** of the request, if it had one */ id?: string | number;
  /** now, ns since the session's epoch */ time_ns: number;
  /** the file that was read; left out if there was none */ file?: string;
  /** every setting of the configuration, in its order */ settings: ConfigSetting[];
}

/** A request was refused; the connection lives on. */
export interface ErrorReply {
  type: "error";
  /** of the request, if it had one */ id?: string | number;
  /** what kind of mistake */ code: "line_too_long" | "bad_json" | "bad_message" | "unknown_type" | "unknown_name" | "limit" | "unauthorized" | "unknown_seq" | "name_taken" | "bad_time" | "cannot_record" | "cannot_replay" | "cannot_reload";
  /** for people: names the field, what it was and what was expected */ message: string;
}

/** A feed has ended. */
export interface FeedFree {
  type: "feed_free";
}

/** A controller is to vibrate. */
export interface Haptic {
  type: "haptic";
  /** which one, of those that the client feeds */ device: string;
  /** how strongly: 1 is all that the controller can do */ amplitude: number;
  /** for how long, ns */ duration_ns: number;
}

/** The first line of a connection. */
export interface Hello {
  type: "hello";
  /** of the request, if one asked for it */ id?: string | number;
  /** version of the protocol */ protocol: number;
  /** of clashd */ version: string;
  /** random id of this run of clashd */ session: string;
  /** now, ns since the session's epoch */ time_ns: number;
  /** time 0 of the session on CLOCK_MONOTONIC, ns, as decimal digits in a string */ epoch_monotonic_ns: string;
  /** the same instant since 1970, ns, as decimal digits in a string */ epoch_unix_ns: string;
  /** reference space of all positions: stage or local */ space: string;
  /** right-handed, x right, y up, -z forward */ axes: "openxr";
  /** that are followed, as many as fit into the line */ blades: ListedBlade[];
  /** names of blades of the configuration or of a recording that clients' blades replace now; they are not followed, and come back. Left out if there are none */ set_aside?: string[];
  /** that blades strike, each with one of sphere, capsule, box, mesh and terrain; as many as fit. Left out if there are none */ targets?: HelloTarget[];
  /** those that a source or a feed has, as many as fit; the others are clients' own */ devices?: HelloDevice[];
  /** of all numbers */ units: HelloUnits;
  /** what this server understands, by name */ capabilities: string[];
}

/** The two still touch. */
export interface Hold {
  type: "hold";
  /** number of the event in the session: 1, 2, 3 .. */ seq: number;
  /** of this look at the contact, ns since the session's epoch */ time_ns: number;
  /** of the contact; its clash, holds and release share it */ id: number;
  /** of the two, the first one being 0 in every pair below; the second may be a target: see target */ blades: [string, string];
  /** since the clash, ns */ duration_ns: number;
  /** only between blades of two players who both have `mqtt.agree_ms`: whether the other's clashd has found the contact too, in that time; left out as long as that is not known */ agreed?: boolean;
  /** of the target, which is blades[1], if the blade strikes one; left out between two blades */ target?: string;
  /** of each blade the part that touches; null for a blade without parts and for a target; left out if neither has any */ parts?: [string | null, string | null];
  /** between the two closest points of the axes, or of the axis and the target's surface, stage space, m: where sparks go */ midpoint: Vector;
  /** between the axes, or from the axis to the target, m */ distance: number;
  /** closest point of each axis, the second one on a target's surface, stage space, m */ points: [Vector, Vector];
  /** unit, from blade 0 to blade 1 or the target, stage space */ normal: Vector;
  /** only with a target: unit, out of it where it is struck, stage space; of a mesh's triangle by its winding */ surface_normal?: Vector;
  /** only with a target that is a mesh or terrain: number of the triangle, from 0 */ triangle?: number;
  /** where on each blade, or on that part of it: 0 at the base, 1 at the tip; 0 for a target */ along: [number, number];
  /** of each one's material point at the contact, stage space, m/s */ velocities: [Vector, Vector];
  /** of the two points along the normal, m/s; positive when approaching */ closing_speed: number;
  /** of the two points across the normal, m/s */ slide_speed: number;
  /** between the axes as lines, rad: 0 parallel, 1.57 square; with a target between the axis and its surface: 0 along it, 1.57 head on */ crossing_angle: number;
  /** how each blade's edge faces the way it moves against the other: 1 edge first, 0 flat, -1 back first; null for a blade without an edge and for a target; left out if neither has one */ edge_alignment?: [number | null, number | null];
  /** how hard it is, for sparks and sounds: 0 if the two do not approach, 1 from contact.full_intensity_speed on, in between rising with closing_speed along contact.intensity_curve */ intensity: number;
  /** where in the sampled interval it is: 0 at its start, 1 at its end; of two devices that are sampled at different times, between the two samples of either that are nearest around it */ fraction: number;
  /** length of the sampled interval that it was found in, ns: between the samples of a device before and after it; of two devices the longer. In between the motion is not known but assumed: time and speeds are less certain the longer it is */ interval_ns?: number;
  /** both devices were measured, not guessed, throughout the interval */ tracked: boolean;
  /** only for those who subscribed to resolved_poses: the pose of each one's device at which its blade does not sink into what it touches; null for a target, and if no place outside was found or the work for finding one was spent */ resolved_pose?: [ResolvedPose | null, ResolvedPose | null];
  /** only between blades of two players: of the contact, the same on both machines; see PROTOCOL.md, Several players */ room_id?: number;
  /** only between blades of two players: time_ns by the room's clock, ns */ room_time_ns?: number;
  /** only between blades of two players: by how much the clocks of the two may be apart, ns; the time between their samples is as uncertain */ clock_error_ns?: number;
}

/** Events that this client should have had are lost to it. */
export interface Lagged {
  type: "lagged";
  /** of the first one lost */ from_seq: number;
  /** of the last one lost */ to_seq: number;
  /** how many of the range this client had subscribed to; of events that are kept no longer, all: what they were is not known any more */ missed: number;
}

/** A request was carried out. */
export interface Ok {
  type: "ok";
  /** of the request */ id: string | number;
  /** now, ns since the session's epoch */ time_ns: number;
  /** after a subscribe: of the session's last event so far, 0 if there was none */ seq?: number;
  /** after a subscribe: names of its fields that this clashd does not know, as far as they fit. Left out if there are none */ ignored?: string[];
  /** after a record request: that is written now, or is begun with the next poses; after a stop that was until now, left out if none had been begun */ file?: string;
  /** after a feed: poses of one device that the client sends further apart are not swept across */ max_gap_ms?: number;
}

/** The answer to an outlines request. */
export interface Outlines {
  type: "outlines";
  /** of the request, if it had one */ id?: string | number;
  /** now, ns since the session's epoch */ time_ns: number;
  /** how many blades and targets have come, been replaced or gone so far, as in status */ definitions: number;
  /** in the order of their definition */ targets: OutlinesTarget[];
  /** from_target of the request for what is left; left out if nothing is. Of no use with target */ next_target?: number;
  /** its from_line */ next_line?: number;
}

/** The devices' poses at one time. */
export interface Poses {
  type: "poses";
  /** of the poses, ns since the session's epoch */ time_ns: number;
  /** of one time */ poses: DevicePose[];
  /** only in recordings: true if the next poses line belongs to the same step, and nothing is swept before it; false if left out */ more?: boolean;
}

/** The recording began, ended, went on in another file, cannot be written, or can be again. */
export interface Recorder {
  type: "recorder";
  /** now, ns since the session's epoch */ time_ns: number;
  /** failing: lines are kept in memory as long as there is room, and tried again */ state: "off" | "writing" | "failing";
  /** that is written, or is begun with the next poses; else that was last */ file?: string;
  /** what is wrong, in words; empty if nothing is */ detail: string;
  /** so far, since clashd started */ lost_lines: number;
}

/** The two part. */
export interface Release {
  type: "release";
  /** number of the event in the session: 1, 2, 3 .. */ seq: number;
  /** when the distance exceeded the limit by contact.release_margin, or of the last sample before the cut, ns since the session's epoch */ time_ns: number;
  /** of the contact; its clash, holds and release share it */ id: number;
  /** of the two, the first one being 0 in every pair of its clash; the second may be a target: see target */ blades: [string, string];
  /** of the target, which is blades[1], if the blade strikes one; left out between two blades */ target?: string;
  /** since the clash, ns */ duration_ns: number;
  /** smallest distance between the axes, or from the axis to the target, during the contact, m */ min_distance: number;
  /** largest closing speed at its clash, holds and samples, m/s */ peak_closing_speed: number;
  /** the two parted; a device is no longer followed; a blade or the target was removed */ reason: "apart" | "track_cut" | "removed";
  /** only between blades of two players: of the contact, the same on both machines; see PROTOCOL.md, Several players */ room_id?: number;
  /** only between blades of two players: time_ns by the room's clock, ns */ room_time_ns?: number;
  /** only between blades of two players: by how much the clocks of the two may be apart, ns; the time between their samples is as uncertain */ clock_error_ns?: number;
  /** only between blades of two players who both have `mqtt.agree_ms`: whether the other's clashd has found the contact too, in that time; left out as long as that is not known */ agreed?: boolean;
}

/** The replay of a recording was paused, moved or sped up, has arrived elsewhere, or has ended. */
export interface Replay {
  type: "replay";
  /** now, ns since the session's epoch */ time_ns: number;
  /** waiting: for the first client; seeking: on its way to another place, or through the frames of a step */ state: "waiting" | "running" | "paused" | "seeking" | "ended";
  /** that is played */ file: string;
  /** recorded seconds a second; 0: as fast as possible */ speed: number;
  /** whether it begins again at its end */ loop: boolean;
  /** of what was played last, as times stand in the recording */ position_ns: number;
  /** of the first poses, likewise */ start_ns: number;
  /** of the last poses, as far as known, likewise */ end_ns: number;
  /** time_ns of events less their time in the recording: 0 until time would have run back */ shift_ns: number;
  /** how often it has begun again at its end */ passes: number;
  /** that were left out */ damaged_lines: number;
}

/** The reference space moved. */
export interface SpaceChanged {
  type: "space_changed";
  /** number of the event in the session: 1, 2, 3 .. */ seq: number;
  /** from when on poses are in the new space, ns since the session's epoch */ time_ns: number;
  /** whose poses are used from now on: game: a client that feeds it; layer: the OpenXR API layer in the game; openxr: clashd's own session; replay: the recording that is played; peer: another machine. Left out if the space of the same source moved */ source?: Source;
}

/** The answer to a status request. */
export interface Status {
  type: "status";
  /** of the request, if it had one */ id?: string | number;
  /** now, ns since the session's epoch */ time_ns: number;
  /** where poses come from, as --source names it */ source: string;
  /** of the source: running, waiting, stalled, ended; of a replay also paused, seeking */ state: string;
  /** the OpenXR runtime's name or the recording's file */ runtime: string;
  /** what is wrong, in words; empty if nothing is */ detail: string;
  /** by how much the times of poses may be wrong, ns, if the OpenXR runtime does not convert its times and clashd has found out what they mean; 0 if left out */ clock_error_ns?: number;
  /** of the recording, if one is played: as in the message replay */ replay?: StatusReplay;
  /** every device and whether it is tracked */ devices: StatusDevice[];
  /** with `mqtt.peers`: the other players of the room, the first 32 of them; see PROTOCOL.md, Several players */ players?: StatusPlayer[];
  /** connected now */ clients: number;
  /** where clashd listens for WebSocket, as 127.0.0.1:4718: its page is there too; absent if it does not */ websocket?: string;
  /** why clashd serves no page there, and what to do: it was built without it; absent if it serves the page */ page_missing?: string;
  /** how long clashd takes, as histograms since the start; left out if a recording is played, whose times are not the clock's */ latency?: StatusLatency;
  /** by name: what was counted since the start, samples accepted and refused by reason, sweeps, contacts, lines dropped, ..; and what there is now, queued_bytes, pushed_blades, .. */ counters: {[name: string]: number};
}

/** A device is tracked again, or no longer. */
export interface Tracking {
  type: "tracking";
  /** number of the event in the session: 1, 2, 3 .. */ seq: number;
  /** of the change, ns since the session's epoch */ time_ns: number;
  /** whose tracking changed */ device: string;
  /** whether its poses are used now */ tracked: boolean;
  /** ok: tracked; untracked: guessed only; lost: no pose; inactive: off, or another session has the focus; no_runtime, no_headset, runtime_lost, runtime_stalled: the OpenXR runtime; source_ended: the recording is over; jumped: it is played from another place on */ reason: "ok" | "untracked" | "lost" | "inactive" | "no_runtime" | "no_headset" | "runtime_lost" | "runtime_stalled" | "source_ended" | "jumped";
  /** who feeds it: game: a client that feeds it; layer: the OpenXR API layer in the game; openxr: clashd's own session; replay: the recording that is played; peer: another machine. Left out for devices of clients' own, and if no recording says it */ source?: Source;
}

/** Shows the token. The first line over TCP, if a token is required; never wrong elsewhere. */
export interface RequestAuth {
  type: "auth";
  /** the reply repeats it; without one there is none */ id?: string | number;
  /** the text in the token file, without its newline */ token: string;
}

/** Defines a blade of the client's own, or changes it. */
export interface RequestBlade {
  type: "blade";
  /** the reply repeats it; without one there is only a reply if something is wrong */ id?: string | number;
  /** what events call it: a name of the client's own */ name: string;
  /** what it is fixed to: a name of the client's own, whose poses it pushes; several blades may share one */ device: string;
  /** instead of base, tip and radius: a collider as Unity's inspector shows it, a capsule or a sphere, which transforms place in the device's frame by Unity's own rules; the tip is at the end of direction's axis */ unity_collider?: RequestBladeUnityCollider;
  /** of base, tip, points and edge */ axes?: "openxr" | "unity" | "godot";
  /** whether it is no blade but a player's body, which strikes targets, and which no blade strikes */ body?: boolean;
  /** whether it is another machine's, where what it does to targets and to others of these is told: here it strikes no target and none of these */ peer?: boolean;
  /** false: the blade keeps its name and its device but touches nothing, like a sheathed sword; its open contacts are released (removed) */ enabled?: boolean;
  /** the layers that it is in: another blade or target is tested against it only if the other's mask has one of these and its own mask has one of the other's */ layers?: number;
  /** the layers that it can touch */ mask?: number;
  /** lower end of the axis in the device's frame, m; who defines a blade leaves it out if there are parts, else it is the first one's */ base?: Vector;
  /** upper end of the axis, m */ tip?: Vector;
  /** m */ radius?: number;
  /** direction of the cutting edge in the device's frame, if it has one; no unit, not zero; with parts as base */ edge?: Vector;
  /** what the blade is made of, if it is more than one capsule, at most 16 in all: base, tip, radius and edge then only stand for it if parts are not understood */ parts?: Part[];
}

/** Asks for the settings in force. */
export interface RequestConfig {
  type: "config";
  /** the reply repeats it */ id?: string | number;
}

/** Says which devices this client feeds from now on. */
export interface RequestFeed {
  type: "feed";
  /** the reply repeats it; without one there is only a reply if something is wrong */ id?: string | number;
  /** each once: /user/hand/left and others of the source, or any name that is no other client's; none ends the feed */ devices: string[];
  /** the client's own name for the frame of reference of its poses */ space?: string;
  /** what the client is, and so its rank: game comes before layer, and both before what clashd has itself */ source?: "game" | "layer";
  /** of source layer: whether the program draws over another one, as a chat window does; it ranks below programs that do not */ overlay?: boolean;
  /** where OpenXR's STAGE lies in the frame of reference: hello and status pass it on; the API layer says it if the runtime does */ stage?: RequestFeedStage;
  /** whether `haptic` is to come for these devices: the client lets controllers vibrate in clashd's place */ haptics?: boolean;
  /** poses of one device that this client sends further apart are not swept across, of these devices and of its own; if left out, contact.max_gap_ms if that is a number, and 100 otherwise */ max_gap_ms?: number;
}

/** Asks for another hello. */
export interface RequestHello {
  type: "hello";
  /** the reply repeats it */ id: string | number;
}

/** Asks for lines that show targets. */
export interface RequestOutlines {
  type: "outlines";
  /** the reply repeats it */ id?: string | number;
  /** only this one; all, one after the other, if left out */ target?: string;
  /** if all are asked for, which one comes first, in the order of their definition; 0 if left out */ from_target?: number;
  /** which of the first target's lines comes first; 0 if left out */ from_line?: number;
}

/** Asks for an ok. */
export interface RequestPing {
  type: "ping";
  /** the reply repeats it; without one there is none */ id?: string | number;
}

/** Where devices of the client's own are. */
export interface RequestPoses {
  type: "poses";
  /** the reply repeats it; without one there is only a reply if something is wrong */ id?: string | number;
  /** of the poses, ns since the session's epoch; stamped on arrival if left out */ time_ns?: number;
  /** of one time; a bad one costs itself */ poses: Pose[];
  /** of positions and orientations */ axes?: "openxr" | "unity" | "godot";
}

/** Steers the recording into record.directory. */
export interface RequestRecord {
  type: "record";
  /** the reply repeats it; without one there is only a reply if it is refused */ id?: string | number;
  /** begin a file, end it, go on in another, or put a text into it */ action: "start" | "stop" | "rotate" | "mark";
  /** of a mark, which has to have one */ text?: string;
}

/** Has clashd read its settings again. */
export interface RequestReload {
  type: "reload";
  /** the reply repeats it; without one there is only a reply if they are refused */ id?: string | number;
}

/** Removes a blade or a target of the client's own. */
export interface RequestRemove {
  type: "remove";
  /** the reply repeats it; without one there is only a reply if something is wrong */ id?: string | number;
  /** of the blade or target; a device on which nothing is left goes too */ name: string;
}

/** Steers the replay of a recording. */
export interface RequestReplay {
  type: "replay";
  /** the reply repeats it; without one there is only a reply if it is refused */ id?: string | number;
  /** stand still, go on, go on by single frames and stand still, go elsewhere, or change the speed */ action: "pause" | "resume" | "step" | "seek" | "speed";
  /** of a step: how many */ frames?: number;
  /** of a seek: where to, as times stand in the recording; the beginning if left out */ time_ns?: number;
  /** of a speed: recorded seconds a second; 0: as fast as possible */ speed?: number;
}

/** Asks how clashd is. */
export interface RequestStatus {
  type: "status";
  /** the reply repeats it */ id?: string | number;
}

/** Asks for events; replaces the subscription before. */
export interface RequestSubscribe {
  type: "subscribe";
  /** the reply repeats it; without one there is only a reply if something is wrong */ id?: string | number;
  /** what to send. All but poses, recorder and replay if left out; nothing if empty */ events?: ("clash" | "hold" | "release" | "tracking" | "space_changed" | "poses" | "recorder" | "replay")[];
  /** only contacts in which one of these takes part, blades or targets. All if left out */ blades?: string[];
  /** only contacts that began at least this fast, m/s; with min_peak_speed also those that become that fast */ min_closing_speed?: number;
  /** only contacts that become at least this fast, m/s: one that begins more slowly is told when it becomes so, by a clash that is late */ min_peak_speed?: number;
  /** leaves out whole contacts that begin sooner than this after the same two's last contact that was told here, ms */ min_apart_ms?: number;
  /** at most so many poses lines a second; 0: as they come */ pose_rate_hz?: number;
  /** of all positions, directions, velocities and rotations in events and poses */ axes?: "openxr" | "unity" | "godot";
  /** the last event that the client has: those after it come again, as far as they are kept, and then what is new. Only what is new if left out */ since_seq?: number;
  /** if the last event that the client has is a late clash: its id, so that it does not come again. Left out else */ since_late?: number;
  /** whether clash, hold and poses say, as resolved_pose, where to draw blades so that they do not sink into what they touch */ resolved_poses?: boolean;
}

/** Defines a target of the client's own, or changes it. */
export interface RequestTarget {
  type: "target";
  /** the reply repeats it; without one there is only a reply if something is wrong */ id?: string | number;
  /** what events call it: a name of the client's own, and no blade's */ name: string;
  /** what carries it: a name of the client's own, whose poses it pushes. It stands still if left out */ device?: string;
  /** of its frame, in the stage or if there is a device in its frame, m; 0 if left out */ position?: Vector;
  /** stage from target, or device from target, of unit length; none if left out */ orientation?: Quaternion;
  /** the layers that it is in, as of a blade */ layers?: number;
  /** the layers of the blades that it can touch */ mask?: number;
  /** a ball */ sphere?: Sphere;
  /** a segment with a radius */ capsule?: Capsule;
  /** a box */ box?: Box;
  /** triangles, open or closed: contacts are with the surface, which has no inside */ mesh?: Mesh;
  /** a height field over the target's x and z; only of a target that stands still */ terrain?: Terrain;
  /** a collider as Unity's inspector shows it, whose place and size follow from its transforms by Unity's own rules; in Unity's axes, whatever axes says; instead of position and orientation */ unity_collider?: UnityCollider;
  /** of position, orientation and the shape; unity_collider is always in Unity's */ axes?: "openxr" | "unity" | "godot";
}

export interface ResolvedPose {
  /** of the grip, stage space, m */ position: Vector;
  /** stage from grip, of unit length */ orientation: Quaternion;
}

export interface ConfigSetting {
  /** as --set takes it: contact.margin */ key: string;
  /** in force, paths expanded; of blades and targets the names, the rest of which is in hello; of openxr.offsets an object, in which each controller has its OpenXR name, position and orientation */ value: null | boolean | number | string | string[] | {[name: string]: unknown};
  /** where it came from: the header of the recording that is played, the file, --set, another flag, $XDG_RUNTIME_DIR, or the service manager, which has handed a socket over */ source: "default" | "recording" | "file" | "set" | "flag" | "environment" | "manager";
}

export interface ListedBlade {
  /** what events call it */ name: string;
  /** what it is fixed to */ device: string;
  /** whether it is no blade but a player's body, which strikes targets, and which no blade strikes */ body?: boolean;
  /** whether it is another machine's, where what it does to targets and to others of these is told: here it strikes no target and none of these */ peer?: boolean;
  /** false: the blade keeps its name and its device but touches nothing, like a sheathed sword; its open contacts are released (removed) */ enabled?: boolean;
  /** the layers that it is in: another blade or target is tested against it only if the other's mask has one of these and its own mask has one of the other's */ layers?: number;
  /** the layers that it can touch */ mask?: number;
  /** lower end of the axis in the device's frame, m; who defines a blade leaves it out if there are parts, else it is the first one's */ base: Vector;
  /** upper end of the axis, m */ tip: Vector;
  /** m */ radius: number;
  /** direction of the cutting edge in the device's frame, if it has one; no unit, not zero; with parts as base */ edge?: Vector;
  /** what the blade is made of, if it is more than one capsule, at most 16 in all: base, tip, radius and edge then only stand for it if parts are not understood */ parts?: Part[];
}

export interface HelloTarget {
  /** what events call it */ name: string;
  /** what carries it. It stands still if left out */ device?: string;
  /** of its frame, in the stage or if there is a device in its frame, m */ position: Vector;
  /** stage from target, or device from target */ orientation: Quaternion;
  /** the layers that it is in */ layers?: number;
  /** the layers of the blades that it can touch */ mask?: number;
  /** a ball */ sphere?: Sphere;
  /** a segment with a radius */ capsule?: Capsule;
  /** a box */ box?: Box;
  /** triangles, which are not listed */ mesh?: HelloTargetMesh;
  /** empty: a height field, which is not listed */ terrain?: {[name: string]: unknown};
}

export interface HelloDevice {
  /** its name */ device?: string;
  /** whether its poses are used now */ tracked?: boolean;
  /** if it is not tracked, why: as in tracking; lost also if no pose has come yet */ reason?: "ok" | "untracked" | "lost" | "inactive" | "no_runtime" | "no_headset" | "runtime_lost" | "runtime_stalled" | "source_ended" | "jumped";
  /** who feeds it: as in tracking */ source?: Source;
  /** frame of reference of its poses, as who feeds it calls it; that of the session if left out */ space?: string;
  /** where OpenXR's STAGE lies in that frame of reference; left out if who feeds it does not say */ stage?: RequestFeedStage;
}

export interface HelloUnits {
  /** of lengths: m */ length: string;
  /** of angles: rad */ angle: string;
  /** of speeds: m/s */ speed: string;
  /** of times: ns */ time: string;
}

export interface OutlinesTarget {
  /** what events call it */ name: string;
  /** what carries it. It stands still if left out */ device?: string;
  /** how many lines it has */ line_count: number;
  /** which of them is the first one here */ first_line: number;
  /** true: these are fewer lines than its outline has. Left out if they are all */ simplified?: boolean;
  /** straight lines along its surface: x, y, z of one end and of the other, in the device's frame, or if there is none in the stage, m */ lines: [number, number, number, number, number, number][];
}

export interface DevicePose {
  /** /user/hand/left, /user/hand/right, or a name */ device: string;
  /** of the grip, stage space, m */ position: Vector;
  /** stage from grip, of unit length */ orientation: Quaternion;
  /** measured, not guessed or repeated; clashd always says it */ tracked?: boolean;
  /** false if there is no pose: position and orientation mean nothing */ valid?: boolean;
  /** true if nothing is to be swept from the sample before to this one */ teleport?: boolean;
  /** true if the motion from the sample before is swept although contact.max_gap_ms would not allow it: a client's pose, within the gap of its feed */ joined?: boolean;
  /** true if the device stays where it is until its next pose: each later step has it there */ holds?: boolean;
  /** who feeds the device from here on, if that was another until now: nothing is swept from the sample before to this one, and space_changed follows. Left out else */ source?: Source;
  /** only for those who subscribed to resolved_poses, if a blade of the device sinks into something: where to draw it; null: no place outside was found, or the work for finding one was spent. Left out if it sinks into nothing */ resolved_pose?: ResolvedPose | null;
}

export interface StatusReplay {
  /** waiting: for the first client; seeking: on its way to another place, or through the frames of a step */ state: "waiting" | "running" | "paused" | "seeking" | "ended";
  /** that is played */ file: string;
  /** recorded seconds a second; 0: as fast as possible */ speed: number;
  /** whether it begins again at its end */ loop: boolean;
  /** of what was played last, as times stand in the recording */ position_ns: number;
  /** of the first poses, likewise */ start_ns: number;
  /** of the last poses, as far as known, likewise */ end_ns: number;
  /** time_ns of events less their time in the recording: 0 until time would have run back */ shift_ns: number;
  /** how often it has begun again at its end */ passes: number;
  /** that were left out */ damaged_lines: number;
}

export interface StatusDevice {
  /** its name */ device: string;
  /** whether its poses are used now */ tracked: boolean;
  /** if it is not tracked, why: as in tracking; lost also if no pose has come yet */ reason?: "ok" | "untracked" | "lost" | "inactive" | "no_runtime" | "no_headset" | "runtime_lost" | "runtime_stalled" | "source_ended" | "jumped";
  /** for how long it has not been tracked since it first was, ns; 0 if left out */ lost_ns?: number;
  /** who feeds it: as in tracking. Left out for devices of clients' own, and if nobody does */ source?: Source;
  /** frame of reference of its poses, as who feeds it calls it; that of the session if left out */ space?: string;
  /** where OpenXR's STAGE lies in that frame of reference; left out if who feeds it does not say */ stage?: RequestFeedStage;
}

export interface StatusPlayer {
  /** its name */ player: string;
  /** whether it is connected and has said which blades it has */ here: boolean;
  /** whether it is not listened to now, as too much of its messages was refused */ muted: boolean;
  /** by how much its session's time is ahead of this one's now, as its samples are placed, ns; left out, as are the next two, as long as that is not known */ clock_offset_ns?: number;
  /** by how much its clock runs faster than this one now, as its samples are placed, billionths */ clock_drift_ppb?: number;
  /** by how much that may be wrong in 99 of 100 cases if delays are alike both ways: the sum of what both say of their clocks, ns */ clock_error_ns?: number;
  /** from the time of its newest sample until it was here, ns; left out as long as none has come */ delay_ns?: number;
  /** samples of it that were taken */ samples: number;
  /** samples that had come before */ repeated: number;
  /** samples that never came */ lost: number;
  /** samples that came too late */ late: number;
  /** messages or samples that were not taken: wrong, too many, or by another clock */ refused: number;
}

export interface StatusLatency {
  /** upper bounds of the histograms' buckets, ns */ bounds_ns: [number, number, number, number, number, number, number, number, number, number, number, number, number, number];
  /** from the time of poses, of the runtime or pushed, until all events they cause are in the queues of clients */ sample_to_queue: StatusLatencySampleToQueue;
  /** from the time of poses until the kernel has events or poses lines that they cause, by the first line of each write to each client */ sample_to_write: StatusLatencySampleToQueue;
}

export interface RequestBladeUnityCollider {
  type: "capsule" | "sphere";
  /** m; 0 if left out */ center?: Vector;
  /** of a sphere or capsule, m; its absolute value counts */ radius?: number;
  /** of a capsule, caps and all, m; its absolute value counts */ height?: number;
  /** of a capsule: 0 along x, 1 along y, 2 along z */ direction?: number;
  /** of a sphere: what its radius is scaled by, the largest number of Transform.lossyScale or the longest column of Transform.localToWorldMatrix; they differ under skew alone */ sphere_rule?: "lossy_scale" | "column";
  /** those above the collider, the root first, its own last; if there is a device, only those below the device */ transforms?: RequestBladeUnityColliderTransform[];
}

export interface Part {
  /** what events call it; no other part of the blade has that name */ name: string;
  /** the corners of its axis in the device's frame, m: a capsule between every two that follow each other */ points?: Vector[];
  /** instead of points, for a part that is one capsule: lower end of its axis in the device's frame, m */ base?: Vector;
  /** with base: upper end of the axis, m */ tip?: Vector;
  /** m */ radius: number;
  /** direction of its cutting edge in the device's frame, if it has one; no unit */ edge?: Vector;
}

export interface RequestFeedStage {
  /** of its origin, m */ position: Vector;
  /** space from STAGE, of unit length */ orientation: Quaternion;
}

export interface Pose {
  /** a device of the client's own, or one that it feeds */ device: string;
  /** of the device, stage space, m; up to 10000 either way */ position: Vector;
  /** stage from device, of unit length */ orientation: Quaternion;
  /** measured, not guessed or repeated */ tracked?: boolean;
  /** false if there is no pose: position and orientation mean nothing */ valid?: boolean;
  /** true if nothing is to be swept from the sample before to this one */ teleport?: boolean;
  /** true if the device stays where it is until its next pose: blades hit it there however seldom poses come. Ignored for a device that the client feeds */ holds?: boolean;
}

export interface Sphere {
  /** in the target's frame, m; 0 if left out */ center?: Vector;
  /** m */ radius: number;
}

export interface Capsule {
  /** one end of the axis in the target's frame, m */ base: Vector;
  /** its other end, m */ tip: Vector;
  /** m */ radius: number;
}

export interface Box {
  /** in the target's frame, m; 0 if left out */ center?: Vector;
  /** target from box, of unit length; none if left out */ orientation?: Quaternion;
  /** from face to face along its own x, y and z, m */ size: [number, number, number];
}

export interface Mesh {
  /** corners, m */ vertices?: Vector[];
  /** three vertices each, counted from 0, counter-clockwise as seen from outside; in Unity's axes clockwise, as Unity has them */ triangles?: [number, number, number][];
  /** the convex hull of its vertices in its place, without a limit to its triangles; triangles may then be left out */ convex?: boolean;
}

export interface Terrain {
  /** points along x */ columns: number;
  /** points along z */ rows: number;
  /** between points along x and along z, m */ spacing: [number, number];
  /** of the points, m: row by row, each from x 0 on */ heights?: number[];
}

export interface UnityCollider {
  type: "sphere" | "box" | "capsule" | "mesh" | "terrain";
  /** of a sphere, box or capsule, m; 0 if left out */ center?: Vector;
  /** of a sphere or capsule, m; its absolute value counts */ radius?: number;
  /** of a capsule, caps and all, m; its absolute value counts */ height?: number;
  /** of a capsule: 0 along x, 1 along y, 2 along z */ direction?: number;
  /** of a sphere: what its radius is scaled by, the largest number of Transform.lossyScale or the longest column of Transform.localToWorldMatrix; they differ under skew alone */ sphere_rule?: "lossy_scale" | "column";
  /** of a box, m; absolute values count */ size?: [number, number, number];
  /** corners, m */ vertices?: Vector[];
  /** three vertices each, counted from 0, counter-clockwise as seen from outside; in Unity's axes clockwise, as Unity has them */ triangles?: [number, number, number][];
  /** of a mesh: as the box of that name in Unity's inspector, without Unity's limit of 255 triangles: the convex hull of its vertices, and triangles may be left out */ convex?: boolean;
  /** points along x */ columns?: number;
  /** points along z */ rows?: number;
  /** between points along x and along z, m */ spacing?: [number, number];
  /** of the points, m: row by row, each from x 0 on */ heights?: number[];
  /** those above the collider, the root first, its own last; if there is a device, only those below the device */ transforms?: UnityColliderTransform[];
}

export interface HelloTargetMesh {
  /** true: it is the convex hull of what was given. Left out if it is not */ convex?: boolean;
}

export interface StatusLatencySampleToQueue {
  /** how many were measured */ count: number;
  /** all of them together, ns */ sum_ns: number;
  /** how many were at most each bound and above the one before; last those above all bounds */ counts: [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number];
}

export interface RequestBladeUnityColliderTransform {
  /** localPosition, m; 0 if left out */ position?: Vector;
  /** localRotation, x, y, z, w; none if left out */ rotation?: Quaternion;
  /** localScale; 1 if left out; 0 and negative numbers count as in Unity */ scale?: Vector;
}

export interface UnityColliderTransform {
  /** localPosition, m; 0 if left out */ position?: Vector;
  /** localRotation, x, y, z, w; none if left out */ rotation?: Quaternion;
  /** localScale; 1 if left out; 0 and negative numbers count as in Unity */ scale?: Vector;
}

/** What clashd says, by its type. */
export interface ServerMessages {
  clash: Clash;
  config: Config;
  error: ErrorReply;
  feed_free: FeedFree;
  haptic: Haptic;
  hello: Hello;
  hold: Hold;
  lagged: Lagged;
  ok: Ok;
  outlines: Outlines;
  poses: Poses;
  recorder: Recorder;
  release: Release;
  replay: Replay;
  space_changed: SpaceChanged;
  status: Status;
  tracking: Tracking;
}

/** What clashd is asked, by its type. */
export interface Requests {
  auth: RequestAuth;
  blade: RequestBlade;
  config: RequestConfig;
  feed: RequestFeed;
  hello: RequestHello;
  outlines: RequestOutlines;
  ping: RequestPing;
  poses: RequestPoses;
  record: RequestRecord;
  reload: RequestReload;
  remove: RequestRemove;
  replay: RequestReplay;
  status: RequestStatus;
  subscribe: RequestSubscribe;
  target: RequestTarget;
}
