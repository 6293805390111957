"""What each message holds. Made by tests/support/client_types.py from protocol/schema; PROTOCOL.md says what it means.

Metres, radians, metres a second, nanoseconds; x right, y up, -z forward, unless other axes were subscribed to. None, or the
default, is what was left out."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._base import Message, Piece

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Source = Literal["game", "layer", "openxr", "replay", "peer"]


@dataclass(slots=True, kw_only=True)
class RecordedBlade(Message):
    """A client's blade, from here on."""

    type: ClassVar[str] = "blade"
    time_ns: int  # when it was defined, ns since the session's epoch
    name: str  # what events call it
    device: str  # what it is fixed to
    body: bool = False  # whether it is no blade but a player's body, which strikes targets, and which no blade strikes
    peer: bool = False  # whether it is another machine's, where what it does to targets and to others of these is told: here it strikes no target and none of these
    enabled: bool = True  # false: the blade keeps its name and its device but touches nothing, like a sheathed sword; its open contacts are released (removed)
    layers: int = 1  # the layers that it is in: another blade or target is tested against it only if the other's mask has one of these and its own mask has one of the other's
    mask: int = 4294967295  # the layers that it can touch
    base: Vector  # lower end of the axis in the device's frame, m; who defines a blade leaves it out if there are parts, else it is the first one's
    tip: Vector  # upper end of the axis, m
    radius: float  # m
    edge: Vector | None = None  # direction of the cutting edge in the device's frame, if it has one; no unit, not zero; with parts as base
    parts: list[Part] | None = None  # what the blade is made of, if it is more than one capsule, at most 16 in all: base, tip, radius and edge then only stand for it if parts are not understood


@dataclass(slots=True, kw_only=True)
class RecordedEquipment(Message):
    """What poses come from, from here on."""

    type: ClassVar[str] = "equipment"
    time_ns: int  # when it became known, ns since the session's epoch
    runtime: str | None = None  # OpenXR runtime, name and version, if one is known
    controllers: list[Controller] | None = None  # that are in use, as far as they are known


@dataclass(slots=True, kw_only=True)
class RecordedGap(Message):
    """Lines are missing before this one, as the disk could not take them."""

    type: ClassVar[str] = "gap"
    time_ns: int  # when it was all written again, ns since the session's epoch
    from_ns: int  # nothing is missing from before, ns since the session's epoch
    lines: int  # that are missing
    open_contacts: int  # that go on after the gap


@dataclass(slots=True, kw_only=True)
class RecordedMark(Message):
    """Somebody wanted this instant to be found again."""

    type: ClassVar[str] = "mark"
    time_ns: int  # when the mark was set, ns since the session's epoch
    text: str  # what was said


@dataclass(slots=True, kw_only=True)
class RecordedRemove(Message):
    """A blade, a target or a device is gone from here on."""

    type: ClassVar[str] = "remove"
    time_ns: int  # when it was removed, ns since the session's epoch
    blade: str | None = None  # of a blade
    target: str | None = None  # of a target
    device: str | None = None  # of a device; its last pose is forgotten


@dataclass(slots=True, kw_only=True)
class RecordedTarget(Message):
    """A target, from here on."""

    type: ClassVar[str] = "target"
    time_ns: int  # when it was defined, ns since the session's epoch
    name: str  # what events call it
    device: str | None = None  # what carries it. It stands still if left out
    position: Vector | None = None  # of its frame, in the stage or if there is a device in its frame, m; 0 if left out
    orientation: Quaternion | None = None  # stage from target, or device from target, of unit length; none if left out
    layers: int = 1  # the layers that it is in, as of a blade
    mask: int = 4294967295  # the layers of the blades that it can touch
    sphere: RecordedTargetSphere | None = None  # a ball
    capsule: RecordedTargetCapsule | None = None  # a segment with a radius
    box: RecordedTargetBox | None = None  # a box
    mesh: RecordedTargetMesh | None = None  # triangles, open or closed: contacts are with the surface, which has no inside
    terrain: RecordedTargetTerrain | None = None  # a height field over the target's x and z; only of a target that stands still


@dataclass(slots=True, kw_only=True)
class RecordingHeader(Message):
    """The first line of a recording."""

    type: ClassVar[str] = "recording"
    version: int  # of the format; this is 1
    space: str  # reference space of all positions: stage or local
    clashd: str | None = None  # version of the clashd that wrote it
    session: str | None = None  # random id of that run
    epoch_monotonic_ns: str | None = None  # time 0 on CLOCK_MONOTONIC, ns, as decimal digits in a string
    epoch_unix_ns: str | None = None  # the same instant since 1970, ns, as decimal digits in a string
    axes: Literal["openxr"] | None = None  # right-handed, x right, y up, -z forward
    blades: list[ListedBlade] | None = None  # that were followed, be it none; left out, they are those of the configuration of whoever reads it
    contact: Contact | None = None  # contact settings in force, as in the configuration
    runtime: str | None = None  # OpenXR runtime that the poses came from when this file began, name and version, if one was known
    controllers: list[Controller] | None = None  # that were in use then, as far as they were known
    seq: int | None = None  # of the session's last event before this file; only if the file does not begin with the session
    open_contacts: int | None = None  # contacts that were open when this file began; likewise
    rules: int | None = None  # version of the rules by which clashd found the events; left out: 1. 2: the events of a step are in the order of their times, with 1 in the order of pairs
    note: str | None = None  # anything, for people


@dataclass(slots=True, kw_only=True)
class Clash(Message):
    """A blade begins to touch another one, or a target."""

    type: ClassVar[str] = "clash"
    seq: int  # number of the event in the session: 1, 2, 3 ..
    time_ns: int  # first contact, ns since the session's epoch
    id: int  # of the contact; its clash, holds and release share it
    blades: tuple[str, str]  # of the two, the first one being 0 in every pair below; the second may be a target: see target
    since_release_ns: int | None = None  # since the last release of the same two, by their names, for whatever reason it was, ns; left out for the first clash
    late: bool | None = None  # true if the contact began earlier, too slowly to be told, and has now become as fast as min_peak_speed asks: all in this line is of now. Left out else
    resumed: bool | None = None  # true if nothing has struck: the two touched when one of their tracks was cut (teleport, gap, lost tracking, another space or feed) or one of them was replaced, and still touch at the first moment after it, at most 1 s later. A contact that goes on: no spark, no sound, no vibration. Left out else
    agreed: bool | None = None  # only between blades of two players who both have `mqtt.agree_ms`: whether the other's clashd has found the contact too, in that time; a clash of the player whose blade is the first never has it
    target: str | None = None  # of the target, which is blades[1], if the blade strikes one; left out between two blades
    parts: tuple[str | None, str | None] | None = None  # of each blade the part that touches; null for a blade without parts and for a target; left out if neither has any
    midpoint: Vector  # between the two closest points of the axes, or of the axis and the target's surface, stage space, m: where sparks go
    distance: float  # between the axes, or from the axis to the target, m
    points: tuple[Vector, Vector]  # closest point of each axis, the second one on a target's surface, stage space, m
    normal: Vector  # unit, from blade 0 to blade 1 or the target, stage space
    surface_normal: Vector | None = None  # only with a target: unit, out of it where it is struck, stage space; of a mesh's triangle by its winding
    triangle: int | None = None  # only with a target that is a mesh or terrain: number of the triangle, from 0
    along: tuple[float, float]  # where on each blade, or on that part of it: 0 at the base, 1 at the tip; 0 for a target
    velocities: tuple[Vector, Vector]  # of each one's material point at the contact, stage space, m/s
    closing_speed: float  # of the two points along the normal, m/s; positive when approaching
    slide_speed: float  # of the two points across the normal, m/s
    crossing_angle: float  # between the axes as lines, rad: 0 parallel, 1.57 square; with a target between the axis and its surface: 0 along it, 1.57 head on
    edge_alignment: tuple[float | None, float | None] | None = None  # how each blade's edge faces the way it moves against the other: 1 edge first, 0 flat, -1 back first; null for a blade without an edge and for a target; left out if neither has one
    intensity: float  # how hard it is, for sparks and sounds: 0 if the two do not approach, 1 from contact.full_intensity_speed on, in between rising with closing_speed along contact.intensity_curve
    fraction: float  # where in the sampled interval it is: 0 at its start, 1 at its end; of two devices that are sampled at different times, between the two samples of either that are nearest around it
    interval_ns: int | None = None  # length of the sampled interval that it was found in, ns: between the samples of a device before and after it; of two devices the longer. In between the motion is not known but assumed: time and speeds are less certain the longer it is
    tracked: bool  # both devices were measured, not guessed, throughout the interval
    resolved_pose: tuple[ResolvedPose | None, ResolvedPose | None] | None = None  # only for those who subscribed to resolved_poses: the pose of each one's device at which its blade does not sink into what it touches; null for a target, and if no place outside was found or the work for finding one was spent
    room_id: int | None = None  # only between blades of two players: of the contact, the same on both machines; see PROTOCOL.md, Several players
    room_time_ns: int | None = None  # only between blades of two players: time_ns by the room's clock, ns
    clock_error_ns: int | None = None  # only between blades of two players: by how much the clocks of the two may be apart, ns; the time between their samples is as uncertain


@dataclass(slots=True, kw_only=True)
class Config(Message):
    """The settings in force."""

    type: ClassVar[str] = "config"
    id: str | int | None = None  # of the request, if it had one
    time_ns: int  # now, ns since the session's epoch
    file: str | None = None  # the file that was read; left out if there was none
    settings: list[ConfigSetting]  # every setting of the configuration, in its order


@dataclass(slots=True, kw_only=True)
class ErrorReply(Message):
    """A request was refused; the connection lives on."""

    type: ClassVar[str] = "error"
    id: str | int | None = None  # of the request, if it had one
    code: Literal["line_too_long", "bad_json", "bad_message", "unknown_type", "unknown_name", "limit", "unauthorized", "unknown_seq", "name_taken", "bad_time", "cannot_record", "cannot_replay", "cannot_reload"]  # what kind of mistake
    message: str  # for people: names the field, what it was and what was expected


@dataclass(slots=True, kw_only=True)
class FeedFree(Message):
    """A feed has ended."""

    type: ClassVar[str] = "feed_free"


@dataclass(slots=True, kw_only=True)
class Haptic(Message):
    """A controller is to vibrate."""

    type: ClassVar[str] = "haptic"
    device: str  # which one, of those that the client feeds
    amplitude: float  # how strongly: 1 is all that the controller can do
    duration_ns: int  # for how long, ns


@dataclass(slots=True, kw_only=True)
class Hello(Message):
    """The first line of a connection."""

    type: ClassVar[str] = "hello"
    id: str | int | None = None  # of the request, if one asked for it
    protocol: int  # version of the protocol
    version: str  # of clashd
    session: str  # random id of this run of clashd
    time_ns: int  # now, ns since the session's epoch
    epoch_monotonic_ns: str  # time 0 of the session on CLOCK_MONOTONIC, ns, as decimal digits in a string
    epoch_unix_ns: str  # the same instant since 1970, ns, as decimal digits in a string
    space: str  # reference space of all positions: stage or local
    axes: Literal["openxr"]  # right-handed, x right, y up, -z forward
    blades: list[ListedBlade]  # that are followed, as many as fit into the line
    set_aside: list[str] | None = None  # names of blades of the configuration or of a recording that clients' blades replace now; they are not followed, and come back. Left out if there are none
    targets: list[HelloTarget] | None = None  # that blades strike, each with one of sphere, capsule, box, mesh and terrain; as many as fit. Left out if there are none
    devices: list[HelloDevice] | None = None  # those that a source or a feed has, as many as fit; the others are clients' own
    units: HelloUnits  # of all numbers
    capabilities: list[str]  # what this server understands, by name


@dataclass(slots=True, kw_only=True)
class Hold(Message):
    """The two still touch."""

    type: ClassVar[str] = "hold"
    seq: int  # number of the event in the session: 1, 2, 3 ..
    time_ns: int  # of this look at the contact, ns since the session's epoch
    id: int  # of the contact; its clash, holds and release share it
    blades: tuple[str, str]  # of the two, the first one being 0 in every pair below; the second may be a target: see target
    duration_ns: int  # since the clash, ns
    agreed: bool | None = None  # only between blades of two players who both have `mqtt.agree_ms`: whether the other's clashd has found the contact too, in that time; left out as long as that is not known
    target: str | None = None  # of the target, which is blades[1], if the blade strikes one; left out between two blades
    parts: tuple[str | None, str | None] | None = None  # of each blade the part that touches; null for a blade without parts and for a target; left out if neither has any
    midpoint: Vector  # between the two closest points of the axes, or of the axis and the target's surface, stage space, m: where sparks go
    distance: float  # between the axes, or from the axis to the target, m
    points: tuple[Vector, Vector]  # closest point of each axis, the second one on a target's surface, stage space, m
    normal: Vector  # unit, from blade 0 to blade 1 or the target, stage space
    surface_normal: Vector | None = None  # only with a target: unit, out of it where it is struck, stage space; of a mesh's triangle by its winding
    triangle: int | None = None  # only with a target that is a mesh or terrain: number of the triangle, from 0
    along: tuple[float, float]  # where on each blade, or on that part of it: 0 at the base, 1 at the tip; 0 for a target
    velocities: tuple[Vector, Vector]  # of each one's material point at the contact, stage space, m/s
    closing_speed: float  # of the two points along the normal, m/s; positive when approaching
    slide_speed: float  # of the two points across the normal, m/s
    crossing_angle: float  # between the axes as lines, rad: 0 parallel, 1.57 square; with a target between the axis and its surface: 0 along it, 1.57 head on
    edge_alignment: tuple[float | None, float | None] | None = None  # how each blade's edge faces the way it moves against the other: 1 edge first, 0 flat, -1 back first; null for a blade without an edge and for a target; left out if neither has one
    intensity: float  # how hard it is, for sparks and sounds: 0 if the two do not approach, 1 from contact.full_intensity_speed on, in between rising with closing_speed along contact.intensity_curve
    fraction: float  # where in the sampled interval it is: 0 at its start, 1 at its end; of two devices that are sampled at different times, between the two samples of either that are nearest around it
    interval_ns: int | None = None  # length of the sampled interval that it was found in, ns: between the samples of a device before and after it; of two devices the longer. In between the motion is not known but assumed: time and speeds are less certain the longer it is
    tracked: bool  # both devices were measured, not guessed, throughout the interval
    resolved_pose: tuple[ResolvedPose | None, ResolvedPose | None] | None = None  # only for those who subscribed to resolved_poses: the pose of each one's device at which its blade does not sink into what it touches; null for a target, and if no place outside was found or the work for finding one was spent
    room_id: int | None = None  # only between blades of two players: of the contact, the same on both machines; see PROTOCOL.md, Several players
    room_time_ns: int | None = None  # only between blades of two players: time_ns by the room's clock, ns
    clock_error_ns: int | None = None  # only between blades of two players: by how much the clocks of the two may be apart, ns; the time between their samples is as uncertain


@dataclass(slots=True, kw_only=True)
class Lagged(Message):
    """Events that this client should have had are lost to it."""

    type: ClassVar[str] = "lagged"
    from_seq: int  # of the first one lost
    to_seq: int  # of the last one lost
    missed: int  # how many of the range this client had subscribed to; of events that are kept no longer, all: what they were is not known any more


@dataclass(slots=True, kw_only=True)
class Ok(Message):
    """A request was carried out."""

    type: ClassVar[str] = "ok"
    id: str | int  # of the request
    time_ns: int  # now, ns since the session's epoch
    seq: int | None = None  # after a subscribe: of the session's last event so far, 0 if there was none
    ignored: list[str] | None = None  # after a subscribe: names of its fields that this clashd does not know, as far as they fit. Left out if there are none
    file: str | None = None  # after a record request: that is written now, or is begun with the next poses; after a stop that was until now, left out if none had been begun
    max_gap_ms: float | None = None  # after a feed: poses of one device that the client sends further apart are not swept across


@dataclass(slots=True, kw_only=True)
class Outlines(Message):
    """The answer to an outlines request."""

    type: ClassVar[str] = "outlines"
    id: str | int | None = None  # of the request, if it had one
    time_ns: int  # now, ns since the session's epoch
    definitions: int  # how many blades and targets have come, been replaced or gone so far, as in status
    targets: list[OutlinesTarget]  # in the order of their definition
    next_target: int | None = None  # from_target of the request for what is left; left out if nothing is. Of no use with target
    next_line: int | None = None  # its from_line


@dataclass(slots=True, kw_only=True)
class Poses(Message):
    """The devices' poses at one time."""

    type: ClassVar[str] = "poses"
    time_ns: int  # of the poses, ns since the session's epoch
    poses: list[DevicePose]  # of one time
    more: bool | None = None  # only in recordings: true if the next poses line belongs to the same step, and nothing is swept before it; false if left out


@dataclass(slots=True, kw_only=True)
class Recorder(Message):
    """The recording began, ended, went on in another file, cannot be written, or can be again."""

    type: ClassVar[str] = "recorder"
    time_ns: int  # now, ns since the session's epoch
    state: Literal["off", "writing", "failing"]  # failing: lines are kept in memory as long as there is room, and tried again
    file: str | None = None  # that is written, or is begun with the next poses; else that was last
    detail: str  # what is wrong, in words; empty if nothing is
    lost_lines: int  # so far, since clashd started


@dataclass(slots=True, kw_only=True)
class Release(Message):
    """The two part."""

    type: ClassVar[str] = "release"
    seq: int  # number of the event in the session: 1, 2, 3 ..
    time_ns: int  # when the distance exceeded the limit by contact.release_margin, or of the last sample before the cut, ns since the session's epoch
    id: int  # of the contact; its clash, holds and release share it
    blades: tuple[str, str]  # of the two, the first one being 0 in every pair of its clash; the second may be a target: see target
    target: str | None = None  # of the target, which is blades[1], if the blade strikes one; left out between two blades
    duration_ns: int  # since the clash, ns
    min_distance: float  # smallest distance between the axes, or from the axis to the target, during the contact, m
    peak_closing_speed: float  # largest closing speed at its clash, holds and samples, m/s
    reason: Literal["apart", "track_cut", "removed"]  # the two parted; a device is no longer followed; a blade or the target was removed
    room_id: int | None = None  # only between blades of two players: of the contact, the same on both machines; see PROTOCOL.md, Several players
    room_time_ns: int | None = None  # only between blades of two players: time_ns by the room's clock, ns
    clock_error_ns: int | None = None  # only between blades of two players: by how much the clocks of the two may be apart, ns; the time between their samples is as uncertain
    agreed: bool | None = None  # only between blades of two players who both have `mqtt.agree_ms`: whether the other's clashd has found the contact too, in that time; left out as long as that is not known


@dataclass(slots=True, kw_only=True)
class Replay(Message):
    """The replay of a recording was paused, moved or sped up, has arrived elsewhere, or has ended."""

    type: ClassVar[str] = "replay"
    time_ns: int  # now, ns since the session's epoch
    state: Literal["waiting", "running", "paused", "seeking", "ended"]  # waiting: for the first client; seeking: on its way to another place, or through the frames of a step
    file: str  # that is played
    speed: float  # recorded seconds a second; 0: as fast as possible
    loop: bool  # whether it begins again at its end
    position_ns: int  # of what was played last, as times stand in the recording
    start_ns: int  # of the first poses, likewise
    end_ns: int  # of the last poses, as far as known, likewise
    shift_ns: int  # time_ns of events less their time in the recording: 0 until time would have run back
    passes: int  # how often it has begun again at its end
    damaged_lines: int  # that were left out


@dataclass(slots=True, kw_only=True)
class SpaceChanged(Message):
    """The reference space moved."""

    type: ClassVar[str] = "space_changed"
    seq: int  # number of the event in the session: 1, 2, 3 ..
    time_ns: int  # from when on poses are in the new space, ns since the session's epoch
    source: Source | None = None  # whose poses are used from now on: game: a client that feeds it; layer: the OpenXR API layer in the game; openxr: clashd's own session; replay: the recording that is played; peer: another machine. Left out if the space of the same source moved


@dataclass(slots=True, kw_only=True)
class Status(Message):
    """The answer to a status request."""

    type: ClassVar[str] = "status"
    id: str | int | None = None  # of the request, if it had one
    time_ns: int  # now, ns since the session's epoch
    source: str  # where poses come from, as --source names it
    state: str  # of the source: running, waiting, stalled, ended; of a replay also paused, seeking
    runtime: str  # the OpenXR runtime's name or the recording's file
    detail: str  # what is wrong, in words; empty if nothing is
    clock_error_ns: int | None = None  # by how much the times of poses may be wrong, ns, if the OpenXR runtime does not convert its times and clashd has found out what they mean; 0 if left out
    replay: StatusReplay | None = None  # of the recording, if one is played: as in the message replay
    devices: list[StatusDevice]  # every device and whether it is tracked
    players: list[StatusPlayer] | None = None  # with `mqtt.peers`: the other players of the room, the first 32 of them; see PROTOCOL.md, Several players
    clients: int  # connected now
    websocket: str | None = None  # where clashd listens for WebSocket, as 127.0.0.1:4718: its page is there too; absent if it does not
    page_missing: str | None = None  # why clashd serves no page there, and what to do: it was built without it; absent if it serves the page
    latency: StatusLatency | None = None  # how long clashd takes, as histograms since the start; left out if a recording is played, whose times are not the clock's
    counters: dict[str, int]  # by name: what was counted since the start, samples accepted and refused by reason, sweeps, contacts, lines dropped, ..; and what there is now, queued_bytes, pushed_blades, ..


@dataclass(slots=True, kw_only=True)
class Tracking(Message):
    """A device is tracked again, or no longer."""

    type: ClassVar[str] = "tracking"
    seq: int  # number of the event in the session: 1, 2, 3 ..
    time_ns: int  # of the change, ns since the session's epoch
    device: str  # whose tracking changed
    tracked: bool  # whether its poses are used now
    reason: Literal["ok", "untracked", "lost", "inactive", "no_runtime", "no_headset", "runtime_lost", "runtime_stalled", "source_ended", "jumped"]  # ok: tracked; untracked: guessed only; lost: no pose; inactive: off, or another session has the focus; no_runtime, no_headset, runtime_lost, runtime_stalled: the OpenXR runtime; source_ended: the recording is over; jumped: it is played from another place on
    source: Source | None = None  # who feeds it: game: a client that feeds it; layer: the OpenXR API layer in the game; openxr: clashd's own session; replay: the recording that is played; peer: another machine. Left out for devices of clients' own, and if no recording says it


@dataclass(slots=True, kw_only=True)
class Pose(Piece):
    device: str  # a device of the client's own, or one that it feeds
    position: Vector  # of the device, stage space, m; up to 10000 either way
    orientation: Quaternion  # stage from device, of unit length
    tracked: bool = True  # measured, not guessed or repeated
    valid: bool = True  # false if there is no pose: position and orientation mean nothing
    teleport: bool = False  # true if nothing is to be swept from the sample before to this one
    holds: bool = False  # true if the device stays where it is until its next pose: blades hit it there however seldom poses come. Ignored for a device that the client feeds


@dataclass(slots=True, kw_only=True)
class Part(Piece):
    name: str  # what events call it; no other part of the blade has that name
    points: list[Vector] | None = None  # the corners of its axis in the device's frame, m: a capsule between every two that follow each other
    base: Vector | None = None  # instead of points, for a part that is one capsule: lower end of its axis in the device's frame, m
    tip: Vector | None = None  # with base: upper end of the axis, m
    radius: float  # m
    edge: Vector | None = None  # direction of its cutting edge in the device's frame, if it has one; no unit


@dataclass(slots=True, kw_only=True)
class Controller(Piece):
    device: str  # whose poses are its
    profile: str  # what it is: OpenXR's interaction profile


@dataclass(slots=True, kw_only=True)
class RecordedTargetSphere(Piece):
    center: Vector | None = None  # in the target's frame, m; 0 if left out
    radius: float  # m


@dataclass(slots=True, kw_only=True)
class RecordedTargetCapsule(Piece):
    base: Vector  # one end of the axis in the target's frame, m
    tip: Vector  # its other end, m
    radius: float  # m


@dataclass(slots=True, kw_only=True)
class RecordedTargetBox(Piece):
    center: Vector | None = None  # in the target's frame, m; 0 if left out
    orientation: Quaternion | None = None  # target from box, of unit length; none if left out
    size: tuple[float, float, float]  # from face to face along its own x, y and z, m


@dataclass(slots=True, kw_only=True)
class RecordedTargetMesh(Piece):
    vertices: list[Vector] | None = None  # corners, m
    triangles: list[tuple[int, int, int]] | None = None  # three vertices each, counted from 0, counter-clockwise as seen from outside; in Unity's axes clockwise, as Unity has them
    convex: bool = False  # of a file: the convex hull of its vertices in its place. A hull of what was written out is written out itself
    file: str | None = None  # instead of vertices and triangles: a file of OBJ or glTF
    scale: float = 1  # of a file: metres in one of its units
    digest: str | None = None  # of the file: SHA-256 in hexadecimal; a file with another one is not taken for it


@dataclass(slots=True, kw_only=True)
class RecordedTargetTerrain(Piece):
    columns: int  # points along x
    rows: int  # points along z
    spacing: tuple[float, float]  # between points along x and along z, m
    heights: list[float] | None = None  # of the points, m: row by row, each from x 0 on
    file: str | None = None  # instead of heights: a file of as many 16-bit numbers, low byte first, row by row, as Unity exports heights (RAW)
    height: float | None = None  # with file: of the number 65535, m; 0 is at 0
    digest: str | None = None  # of the file: SHA-256 in hexadecimal; a file with another one is not taken for it


@dataclass(slots=True, kw_only=True)
class ListedBlade(Piece):
    name: str  # what events call it
    device: str  # what it is fixed to
    body: bool = False  # whether it is no blade but a player's body, which strikes targets, and which no blade strikes
    peer: bool = False  # whether it is another machine's, where what it does to targets and to others of these is told: here it strikes no target and none of these
    enabled: bool = True  # false: the blade keeps its name and its device but touches nothing, like a sheathed sword; its open contacts are released (removed)
    layers: int = 1  # the layers that it is in: another blade or target is tested against it only if the other's mask has one of these and its own mask has one of the other's
    mask: int = 4294967295  # the layers that it can touch
    base: Vector  # lower end of the axis in the device's frame, m; who defines a blade leaves it out if there are parts, else it is the first one's
    tip: Vector  # upper end of the axis, m
    radius: float  # m
    edge: Vector | None = None  # direction of the cutting edge in the device's frame, if it has one; no unit, not zero; with parts as base
    parts: list[Part] | None = None  # what the blade is made of, if it is more than one capsule, at most 16 in all: base, tip, radius and edge then only stand for it if parts are not understood


@dataclass(slots=True, kw_only=True)
class Contact(Piece):
    margin: float | None = None  # added to the sum of the radii, m
    release_margin: float | None = None  # a contact ends this far beyond where it started, m
    min_closing_speed: float | None = None  # contacts that begin slower are not told at all, m/s
    hold_rate_hz: float | None = None  # most holds a second for each contact; 0: none
    max_gap_ms: float | None = None  # samples further apart than this are not swept across, ms; 100 if left out
    gap_by_rate: bool = False  # whether max_gap_ms is only the most, and each device's own rate says how far apart its samples may be: see PROTOCOL.md
    require_tracked: bool | None = None  # whether a guessed pose cuts the track; else it is used and said to be guessed
    full_intensity_speed: float | None = None  # closing speed at which intensity is 1, m/s; 10 if left out
    intensity_curve: Literal["logarithmic", "linear"] = "linear"  # how intensity rises up to there


@dataclass(slots=True, kw_only=True)
class ResolvedPose(Piece):
    position: Vector  # of the grip, stage space, m
    orientation: Quaternion  # stage from grip, of unit length


@dataclass(slots=True, kw_only=True)
class ConfigSetting(Piece):
    key: str  # as --set takes it: contact.margin
    value: None | bool | float | str | list[str] | dict[str, Any]  # in force, paths expanded; of blades and targets the names, the rest of which is in hello; of openxr.offsets an object, in which each controller has its OpenXR name, position and orientation
    source: Literal["default", "recording", "file", "set", "flag", "environment", "manager"]  # where it came from: the header of the recording that is played, the file, --set, another flag, $XDG_RUNTIME_DIR, or the service manager, which has handed a socket over


@dataclass(slots=True, kw_only=True)
class HelloTarget(Piece):
    name: str  # what events call it
    device: str | None = None  # what carries it. It stands still if left out
    position: Vector  # of its frame, in the stage or if there is a device in its frame, m
    orientation: Quaternion  # stage from target, or device from target
    layers: int = 1  # the layers that it is in
    mask: int = 4294967295  # the layers of the blades that it can touch
    sphere: Sphere | None = None  # a ball
    capsule: Capsule | None = None  # a segment with a radius
    box: Box | None = None  # a box
    mesh: HelloTargetMesh | None = None  # triangles, which are not listed
    terrain: dict[str, Any] | None = None  # empty: a height field, which is not listed


@dataclass(slots=True, kw_only=True)
class HelloDevice(Piece):
    device: str | None = None  # its name
    tracked: bool | None = None  # whether its poses are used now
    reason: Literal["ok", "untracked", "lost", "inactive", "no_runtime", "no_headset", "runtime_lost", "runtime_stalled", "source_ended", "jumped"] | None = None  # if it is not tracked, why: as in tracking; lost also if no pose has come yet
    source: Source | None = None  # who feeds it: as in tracking
    space: str | None = None  # frame of reference of its poses, as who feeds it calls it; that of the session if left out
    stage: HelloDeviceStage | None = None  # where OpenXR's STAGE lies in that frame of reference; left out if who feeds it does not say


@dataclass(slots=True, kw_only=True)
class HelloUnits(Piece):
    length: str  # of lengths: m
    angle: str  # of angles: rad
    speed: str  # of speeds: m/s
    time: str  # of times: ns


@dataclass(slots=True, kw_only=True)
class OutlinesTarget(Piece):
    name: str  # what events call it
    device: str | None = None  # what carries it. It stands still if left out
    line_count: int  # how many lines it has
    first_line: int  # which of them is the first one here
    simplified: bool | None = None  # true: these are fewer lines than its outline has. Left out if they are all
    lines: list[tuple[float, float, float, float, float, float]]  # straight lines along its surface: x, y, z of one end and of the other, in the device's frame, or if there is none in the stage, m


@dataclass(slots=True, kw_only=True)
class DevicePose(Piece):
    device: str  # /user/hand/left, /user/hand/right, or a name
    position: Vector  # of the grip, stage space, m
    orientation: Quaternion  # stage from grip, of unit length
    tracked: bool = True  # measured, not guessed or repeated; clashd always says it
    valid: bool = True  # false if there is no pose: position and orientation mean nothing
    teleport: bool = False  # true if nothing is to be swept from the sample before to this one
    joined: bool = False  # true if the motion from the sample before is swept although contact.max_gap_ms would not allow it: a client's pose, within the gap of its feed
    holds: bool = False  # true if the device stays where it is until its next pose: each later step has it there
    source: Source | None = None  # who feeds the device from here on, if that was another until now: nothing is swept from the sample before to this one, and space_changed follows. Left out else
    resolved_pose: ResolvedPose | None = None  # only for those who subscribed to resolved_poses, if a blade of the device sinks into something: where to draw it; null: no place outside was found, or the work for finding one was spent. Left out if it sinks into nothing


@dataclass(slots=True, kw_only=True)
class StatusReplay(Piece):
    state: Literal["waiting", "running", "paused", "seeking", "ended"]  # waiting: for the first client; seeking: on its way to another place, or through the frames of a step
    file: str  # that is played
    speed: float  # recorded seconds a second; 0: as fast as possible
    loop: bool  # whether it begins again at its end
    position_ns: int  # of what was played last, as times stand in the recording
    start_ns: int  # of the first poses, likewise
    end_ns: int  # of the last poses, as far as known, likewise
    shift_ns: int  # time_ns of events less their time in the recording: 0 until time would have run back
    passes: int  # how often it has begun again at its end
    damaged_lines: int  # that were left out


@dataclass(slots=True, kw_only=True)
class StatusDevice(Piece):
    device: str  # its name
    tracked: bool  # whether its poses are used now
    reason: Literal["ok", "untracked", "lost", "inactive", "no_runtime", "no_headset", "runtime_lost", "runtime_stalled", "source_ended", "jumped"] | None = None  # if it is not tracked, why: as in tracking; lost also if no pose has come yet
    lost_ns: int | None = None  # for how long it has not been tracked since it first was, ns; 0 if left out
    source: Source | None = None  # who feeds it: as in tracking. Left out for devices of clients' own, and if nobody does
    space: str | None = None  # frame of reference of its poses, as who feeds it calls it; that of the session if left out
    stage: HelloDeviceStage | None = None  # where OpenXR's STAGE lies in that frame of reference; left out if who feeds it does not say


@dataclass(slots=True, kw_only=True)
class StatusPlayer(Piece):
    player: str  # its name
    here: bool  # whether it is connected and has said which blades it has
    muted: bool  # whether it is not listened to now, as too much of its messages was refused
    clock_offset_ns: int | None = None  # by how much its session's time is ahead of this one's now, as its samples are placed, ns; left out, as are the next two, as long as that is not known
    clock_drift_ppb: int | None = None  # by how much its clock runs faster than this one now, as its samples are placed, billionths
    clock_error_ns: int | None = None  # by how much that may be wrong in 99 of 100 cases if delays are alike both ways: the sum of what both say of their clocks, ns
    delay_ns: int | None = None  # from the time of its newest sample until it was here, ns; left out as long as none has come
    samples: int  # samples of it that were taken
    repeated: int  # samples that had come before
    lost: int  # samples that never came
    late: int  # samples that came too late
    refused: int  # messages or samples that were not taken: wrong, too many, or by another clock


@dataclass(slots=True, kw_only=True)
class StatusLatency(Piece):
    bounds_ns: tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int]  # upper bounds of the histograms' buckets, ns
    sample_to_queue: StatusLatencySampleToQueue  # from the time of poses, of the runtime or pushed, until all events they cause are in the queues of clients
    sample_to_write: StatusLatencySampleToQueue  # from the time of poses until the kernel has events or poses lines that they cause, by the first line of each write to each client


@dataclass(slots=True, kw_only=True)
class Sphere(Piece):
    center: Vector | None = None  # in the target's frame, m; 0 if left out
    radius: float  # m


@dataclass(slots=True, kw_only=True)
class Capsule(Piece):
    base: Vector  # one end of the axis in the target's frame, m
    tip: Vector  # its other end, m
    radius: float  # m


@dataclass(slots=True, kw_only=True)
class Box(Piece):
    center: Vector | None = None  # in the target's frame, m; 0 if left out
    orientation: Quaternion | None = None  # target from box, of unit length; none if left out
    size: tuple[float, float, float]  # from face to face along its own x, y and z, m


@dataclass(slots=True, kw_only=True)
class HelloTargetMesh(Piece):
    convex: bool | None = None  # true: it is the convex hull of what was given. Left out if it is not


@dataclass(slots=True, kw_only=True)
class HelloDeviceStage(Piece):
    position: Vector  # of its origin, m
    orientation: Quaternion  # space from STAGE, of unit length


@dataclass(slots=True, kw_only=True)
class StatusLatencySampleToQueue(Piece):
    count: int  # how many were measured
    sum_ns: int  # all of them together, ns
    counts: tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int, int]  # how many were at most each bound and above the one before; last those above all bounds


# What clashd says, and what recordings hold, each by its type.
SERVER: dict[str, type[Message]] = {
    "clash": Clash,
    "config": Config,
    "error": ErrorReply,
    "feed_free": FeedFree,
    "haptic": Haptic,
    "hello": Hello,
    "hold": Hold,
    "lagged": Lagged,
    "ok": Ok,
    "outlines": Outlines,
    "poses": Poses,
    "recorder": Recorder,
    "release": Release,
    "replay": Replay,
    "space_changed": SpaceChanged,
    "status": Status,
    "tracking": Tracking,
}
RECORDED: dict[str, type[Message]] = {
    "blade": RecordedBlade,
    "equipment": RecordedEquipment,
    "gap": RecordedGap,
    "mark": RecordedMark,
    "remove": RecordedRemove,
    "target": RecordedTarget,
    "recording": RecordingHeader,
}
