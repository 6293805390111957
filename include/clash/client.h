/* A program's way to a running clashd: connects, subscribes, hands out events, and pushes blades, targets and poses of its
 * own. Library libclash_client.
 *
 * No thread and no event loop of its own: put clash_client_fd into the loop that there is, ask clash_client_wants what to
 * wait for, and call clash_client_dispatch when it is ready (or every frame: it never blocks). One client belongs to one
 * thread at a time. Whatever the other side sends, nothing worse happens than an `error` or a `disconnect`. */
#ifndef CLASH_CLIENT_H
#define CLASH_CLIENT_H

#include <clash/blade.h>
#include <clash/event.h>
#include <clash/pose.h>
#include <clash/unity.h>

CLASH_BEGIN_DECLS

typedef struct clash_client clash_client;

/** A surface of triangles, without an inside; or the convex hull of vertices, which is one too. */
typedef struct clash_client_mesh {
    const clash_vec3 *vertices;     /**< in the target's frame, m */
    size_t vertex_count;            /**< at most 512 */
    const uint32_t (*triangles)[3]; /**< counter-clockwise seen from outside; in Unity's axes clockwise */
    size_t triangle_count;          /**< at most 1024 */
    bool convex; /**< the hull of the vertices in its place: triangles may be NULL, and its `ok` takes longer */
} clash_client_mesh;

/** A height field: see clash_terrain_create. */
typedef struct clash_client_terrain {
    const float *heights;       /**< columns * rows of them, at most 3600, m */
    size_t columns, rows;       /**< points along x and z, at least 2 each */
    float spacing_x, spacing_z; /**< m */
} clash_client_terrain;

/** A collider as Unity's inspector shows it: Unity's axes and rules, whatever else the message is in. */
typedef struct clash_client_unity {
    clash_unity_collider collider;
    const clash_unity_transform
        *transforms;        /**< the root first, the collider's own last; with a device, those below it */
    size_t transform_count; /**< at most CLASH_UNITY_TRANSFORMS_MAX */
} clash_client_unity;

/** What a blade strikes that is no blade: one that clashd knows, or one of this client's own. */
typedef struct clash_client_target {
    const char *name;
    const char *device;    /**< what carries it; NULL: it stands still, as a terrain must */
    clash_pose pose;       /**< stage from target, or device from target */
    clash_shape_kind kind; /**< which of the following counts */
    clash_sphere sphere;   /**< in the target's frame, as are all */
    clash_capsule capsule;
    clash_box box;
    const clash_client_mesh *mesh;       /**< in hello NULL: its triangles are not told */
    const clash_client_terrain *terrain; /**< the same */
    const clash_client_unity *unity;     /**< to define one: instead of pose, kind and shape. NULL: none */
} clash_client_target;

/** A device that somebody feeds. */
typedef struct clash_client_device {
    const char *name;
    bool tracked;
    clash_feed_source source;
    const char *space; /**< what that one calls the frame of reference of its poses; "": that of the session */
    bool has_stage;
    clash_pose stage; /**< that space from OpenXR's STAGE, m, where that one says it */
} clash_client_device;

typedef struct clash_client_hello {
    int64_t protocol;    /**< version of the protocol: 1 */
    const char *version; /**< of clashd */
    const char *session; /**< random id of this run of clashd: event numbers and contact ids are its own */
    const char *space;   /**< reference space of all positions: "stage", "local" */
    const char *axes;    /**< "openxr" */
    int64_t time_ns;     /**< when it was sent, CLOCK_MONOTONIC of clashd's machine */
    int64_t epoch_monotonic_ns, epoch_unix_ns; /**< the session's time 0 on both clocks */
    const clash_blade *blades;                 /**< of those with a sword, shape and edge only stand for it */
    size_t blade_count;
    const char *const *capabilities; /**< what this clashd understands, by name */
    size_t capability_count;
    const clash_client_target *targets; /**< as many as fit into the line */
    size_t target_count;
    const clash_client_device *devices; /**< as many as fit, of those that have a source */
    size_t device_count;
} clash_client_hello;

/** Events were dropped because this client did not read in time. */
typedef struct clash_client_lagged {
    uint64_t from_seq, to_seq; /**< of the first and the last one dropped */
    uint64_t missed;           /**< how many of those it had subscribed to */
} clash_client_lagged;

/** Where to draw what a device carries so that no blade of it sinks into what it touches. For those who subscribed to
 *  resolved_poses. */
typedef struct clash_client_resolved {
    bool has_pose;
    clash_pose pose; /**< stage from device */
} clash_client_resolved;

typedef struct clash_client_pose {
    const char *device;
    clash_pose pose;          /**< stage from device */
    bool tracked;             /**< measured, not guessed */
    bool valid;               /**< false: there is no pose, `pose` means nothing */
    bool teleport;            /**< nothing is swept from the sample before to this one */
    clash_feed_source source; /**< unless NONE: the first pose of who feeds the device now. Not looked at in a push */
    bool sinks;               /**< a blade of it sinks into something. Of a push this and the next are not looked at */
    clash_client_resolved resolved; /**< where it sinks in: without a pose where no place outside was found */
} clash_client_pose;

typedef struct clash_client_reply {
    const char *id;   /**< of the request, as text; "" if it had none */
    const char *code; /**< of an error: as in PROTOCOL.md, or "bad_line": clashd sent what is no message. "" in `ok` */
    const char *message; /**< of an error, for people. "" in `ok` */
    int64_t seq;         /**< in the `ok` of a subscribe: of the session's last event so far; else -1 */
} clash_client_reply;

/** A controller that this client feeds is to vibrate: see clash_client_feeding.haptics. */
typedef struct clash_client_haptic {
    const char *device;
    float amplitude;     /**< 0 to 1 */
    int64_t duration_ns; /**< 1 to 1,000,000,000 */
} clash_client_haptic;

/** What is called, from within clash_client_dispatch only. Every member may be NULL. All pointers that are handed over
 *  are valid during the call. A callback may send requests and may close the client; it must not destroy it, and must not
 *  connect or dispatch it.
 *
 *  Events are as in event.h: stage space in the axes asked for, SI units, `time_ns` on CLOCK_MONOTONIC of clashd's machine. `start_closing_speed`
 *  is filled in a clash only that is not late: others do not carry it. */
typedef struct clash_client_listener {
    void *context; /**< handed to each call */
    void (*hello)(void *context, const clash_client_hello *hello);
    void (*clash)(void *context, const clash_event *event);
    void (*hold)(void *context, const clash_event *event);
    void (*release)(void *context, const clash_event *event);
    void (*tracking)(void *context, const clash_event *event);
    void (*space_changed)(void *context, const clash_event *event);
    void (*poses)(void *context, int64_t time_ns, const clash_client_pose *poses, size_t count);
    void (*lagged)(void *context, const clash_client_lagged *lagged);
    void (*ok)(void *context, const clash_client_reply *reply);
    /** A request was refused, or a line could not be used; the connection lives on. */
    void (*error)(void *context, const clash_client_reply *reply);
    /** The connection ended, and not through clash_client_close. Connect again whenever you like, from outside. */
    void (*disconnect)(void *context, const char *reason);
    /** Each line that is an object of JSON, as clashd sent it, before anything else is made of it: a message that has no
     *  call of its own, such as the answer to clash_client_send. Ends in a zero, which `length` does not count. True: it is
     *  dealt with, and no other call follows (of `hello`, times cannot be told then: leave that to the others). */
    bool (*line)(void *context, const char *line, size_t length);
    void (*haptic)(void *context, const clash_client_haptic *haptic);
} clash_client_listener;

/** The listener is copied. NULL when out of memory. */
CLASH_API clash_client *clash_client_create(const clash_client_listener *listener);
/** Closes and frees. NULL is allowed. */
CLASH_API void clash_client_destroy(clash_client *client);

/** Begins a connection; if there is one it is closed first. `address` is the path of a Unix socket, "tcp:HOST:PORT" or, for
 *  WebSocket, "ws://HOST:PORT" with a numeric HOST, "[..]" around one of IPv6, or localhost for 127.0.0.1 (names are not looked
 *  up: that blocks), or NULL for where clashd listens by default ($XDG_RUNTIME_DIR/clashd/clashd.sock). Over TCP and
 *  WebSocket the token of clash_client_set_token_file is shown. Does not block and does not wait for `hello`; requests may be made at once.
 *  Returns 0, or -1 with the reason in clash_client_problem; errno is ENOENT or ECONNREFUSED then if nobody listens on the Unix
 *  socket. */
CLASH_API int clash_client_connect(clash_client *client, const char *address);
/** Which file has the token that TCP and WebSocket ask for; it is read at each connect, as clashd makes a new one at each start. The path
 *  of clashd's Unix socket, `*.sock`, stands for the token file beside it. NULL, and without this call: clashd.token
 *  beside the default socket, and if there is none no token is shown. The path is copied. 0, or -1 if it is too long. */
CLASH_API int clash_client_set_token_file(clash_client *client, const char *path);
/** Takes over a connected stream socket of lines, which becomes non-blocking and is closed with the client. For sockets passed
 *  from elsewhere. 0, or -1 with the descriptor still the caller's. */
CLASH_API int clash_client_adopt(clash_client *client, int fd);
/** Ends the connection at once; what was not sent is lost. No `disconnect` is called. Without a connection does nothing. */
CLASH_API void clash_client_close(clash_client *client);

/** The descriptor to wait on, -1 without a connection. It changes with every connect, and is not to be used otherwise. */
CLASH_API int clash_client_fd(const clash_client *client);

enum clash_client_wants { CLASH_CLIENT_READ = 1, CLASH_CLIENT_WRITE = 2 };
/** What to wait for, as bits; it may change with every call on the client. */
CLASH_API unsigned clash_client_wants(const clash_client *client);

/** Sends what waits, reads what is there and calls the listener; never blocks. Reads at most 1 MiB, so that a frame ends:
 *  wait level-triggered, or call again. Returns 0, or -1 if there is no connection (any more). */
CLASH_API int clash_client_dispatch(clash_client *client);

/** Within the calls of `clash` and `hold`: two, of the blades of the event, where its subscription has resolved_poses.
 *  Without a pose for a target, and where no place outside was found. Else NULL. */
CLASH_API const clash_client_resolved *clash_client_resolved_poses(const clash_client *client);

/** Why the last call failed, or the last connection ended: words for people, "" if nothing has. Valid until the next
 *  call on the client. */
CLASH_API const char *clash_client_problem(const clash_client *client);

enum clash_client_events {
    CLASH_CLIENT_CLASH = 1 << 0,
    CLASH_CLIENT_HOLD = 1 << 1,
    CLASH_CLIENT_RELEASE = 1 << 2,
    CLASH_CLIENT_TRACKING = 1 << 3,
    CLASH_CLIENT_SPACE_CHANGED = 1 << 4,
    CLASH_CLIENT_POSES = 1 << 5
};

/** What to be told. */
typedef struct clash_client_subscription {
    unsigned events;           /**< clash_client_events */
    const char *const *blades; /**< only contacts in which one of these takes part */
    size_t blade_count;        /**< 0: all */
    float min_closing_speed;   /**< only contacts that began at least this fast, m/s */
    float pose_rate_hz;        /**< at most so many `poses` a second; 0: as they come */
    const char *axes;          /**< "openxr", "unity", "godot"; NULL: "openxr". hello is always in OpenXR's */
    bool has_since_seq;        /**< of the same session: events after since_seq come again, as far as they are kept */
    uint64_t since_seq;        /**< `seq` of the last event there is already, 0 for none */
    bool resolved_poses;       /**< clash, hold and poses say where to draw blades so that they do not sink in */
    float min_peak_speed;      /**< only contacts that become this fast, m/s: late if they began more slowly. 0: none */
    float min_apart_ms;        /**< no contact that begins sooner than this after the two parted last. 0: all */
    uint64_t since_late; /**< with since_seq: id of the contact where the last event was a clash that is late; else 0 */
} clash_client_subscription;

/** All events but poses, of all blades. */
CLASH_API clash_client_subscription clash_client_subscription_default(void);

/* Requests. They are queued, and sent by clash_client_dispatch, or at once if the socket takes them. `id`, text of at
 * most 128 characters, comes back in `ok` or `error`; NULL for none: then only an error is told. 0, or -1 with the reason
 * in clash_client_problem: no connection, a value that cannot be sent, or more than 256 KiB waiting because clashd does
 * not read; nothing is sent in part then. */

/** Replaces the subscription before. Nothing comes until there is one. NULL: the default one. */
CLASH_API int clash_client_subscribe(clash_client *client, const char *id,
                                     const clash_client_subscription *subscription);
/** Asks for an `ok`. */
CLASH_API int clash_client_ping(clash_client *client, const char *id);
/** Any request, as PROTOCOL.md has it: an object of JSON without a newline. For those that have no function here, such as
 *  status, record and replay; their answers come to the listener's `line`, `ok` or `error`. */
CLASH_API int clash_client_send(clash_client *client, const char *json);

/* Blades and targets of this client's own: an enemy's sword, a wall. Its blades clash with all others. clashd forgets them
 * with the connection, so define them in `hello`. A name of somebody else's is refused: `error` with code "name_taken". */

/** Defines a blade, or changes the one of that name; nothing is kept of `blade`. Where `sword` is not NULL it is what is
 *  sent, and shape and edge are not. `axes` are those of all positions and directions in it, NULL: "openxr". */
CLASH_API int clash_client_define_blade(clash_client *client, const char *id, const clash_blade *blade,
                                        const char *axes);
/** Removes a blade; its open contacts end. A device without any blade left goes too. */
CLASH_API int clash_client_remove_blade(clash_client *client, const char *id, const char *name);

/** Defines a target, or changes the one of that name; nothing is kept of `target`. `axes` are those of all positions and
 *  directions in it but for `unity`, NULL: "openxr". */
CLASH_API int clash_client_define_target(clash_client *client, const char *id, const clash_client_target *target,
                                         const char *axes);
/** Removes a target; its open contacts end. A device on which nothing is left goes too. */
CLASH_API int clash_client_remove_target(clash_client *client, const char *id, const char *name);

/** Where devices of this client's own are at one time. */
typedef struct clash_client_push {
    const clash_client_pose *poses; /**< of devices that carry a blade or target of this client's */
    size_t count;                   /**< at most 64 */
    bool has_time;                  /**< false: clashd takes the time at which they arrive */
    int64_t time_ns;                /**< CLOCK_MONOTONIC of clashd's machine; later than that of the push before */
    const char *axes;               /**< NULL: "openxr" */
} clash_client_push;

/** Pushes poses; a whole message is taken or, with an `error`, none of it. Name the time where you know it: that of an
 *  arrival is uneven. Here 64 KiB may wait instead of 256: poses that clashd cannot take now are soon of no use, and the
 *  caller goes on with newer ones. Before `hello` a time cannot be sent. */
CLASH_API int clash_client_push_poses(clash_client *client, const char *id, const clash_client_push *push);

/** Which devices this client speaks for, such as /user/hand/left: its pushes are then their samples, in the place of clashd's
 *  own. */
typedef struct clash_client_feeding {
    const char *const *devices; /**< each once */
    size_t device_count;        /**< at most 64; 0 ends the feed */
    const char *space;          /**< the program's name for the frame of reference of its poses; NULL: "game" */
    const char *source;         /**< "game", "layer"; NULL: "game" */
    const clash_pose *stage;    /**< space from OpenXR's STAGE, m, where that is known; else NULL */
    bool haptics; /**< this client lets its devices vibrate when clashd says `haptic`; else clashd leaves it to a
                                     game how its hands do */
} clash_client_feeding;

/** Begins the feed, or replaces the one before; it ends with the connection. Nothing is kept of `feeding`. */
CLASH_API int clash_client_feed(clash_client *client, const char *id, const clash_client_feeding *feeding);

CLASH_END_DECLS

#endif
