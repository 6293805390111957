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

/** A surface of triangles, without an inside; or the convex hull of vertices, which is a surface too. */
typedef struct clash_client_mesh {
    const clash_vec3 *vertices;     /**< in the target's frame, m */
    size_t vertex_count;            /**< at most 512 */
    const uint32_t (*triangles)[3]; /**< counter-clockwise seen from outside; in Unity's axes clockwise */
    size_t triangle_count;          /**< at most 1024 */
    bool convex; /**< use the vertices' convex hull: triangles may be NULL, and the `ok` takes longer */
} clash_client_mesh;

/** A height field: see clash_terrain_create. */
typedef struct clash_client_terrain {
    const float *heights;       /**< columns * rows of them, at most 3600, m */
    size_t columns, rows;       /**< points along x and z, at least 2 each */
    float spacing_x, spacing_z; /**< m */
} clash_client_terrain;

/** A collider as Unity's inspector shows it: always in Unity's axes and by Unity's rules. */
typedef struct clash_client_unity {
    clash_unity_collider collider;
    const clash_unity_transform
        *transforms;        /**< the root first, the collider's own last; with a device, only those below it */
    size_t transform_count; /**< at most CLASH_UNITY_TRANSFORMS_MAX */
} clash_client_unity;

/** What a blade hits that is no blade: one that clashd reports, or one of this client's own. */
typedef struct clash_client_target {
    const char *name;
    const char *device;    /**< that carries it; NULL: it is static, as a terrain must be */
    clash_pose pose;       /**< stage from target, or device from target */
    clash_shape_kind kind; /**< which of the following is used */
    clash_sphere sphere;   /**< in the target's frame, like the others */
    clash_capsule capsule;
    clash_box box;
    const clash_client_mesh *mesh;       /**< NULL in hello: its triangles are not sent */
    const clash_client_terrain *terrain; /**< likewise */
    const clash_client_unity *unity;     /**< to define one: instead of pose, kind and shape; else NULL */
} clash_client_target;

/** A device that somebody feeds. */
typedef struct clash_client_device {
    const char *name;
    bool tracked;
    clash_feed_source source;
    const char *space; /**< its name for its poses' frame of reference; "": the session's */
    bool has_stage;
    clash_pose stage; /**< that space's pose in OpenXR's STAGE, m, if the feeder gives one */
} clash_client_device;

typedef struct clash_client_hello {
    int64_t protocol;    /**< version of the protocol: 1 */
    const char *version; /**< of clashd */
    const char *session; /**< random id of this run of clashd: event numbers and contact ids are its own */
    const char *space;   /**< reference space of all positions: "stage", "local" */
    const char *axes;    /**< "openxr" */
    int64_t time_ns;     /**< when it was sent, CLOCK_MONOTONIC of clashd's machine */
    int64_t epoch_monotonic_ns, epoch_unix_ns; /**< the session's time 0 on both clocks */
    const clash_blade *blades;                 /**< for one with a sword, shape and edge only approximate it */
    size_t blade_count;
    const char *const *capabilities; /**< what this clashd understands, by name */
    size_t capability_count;
    const clash_client_target *targets; /**< as many as fit into the line */
    size_t target_count;
    const clash_client_device *devices; /**< of those that have a source, as many as fit */
    size_t device_count;
} clash_client_hello;

/** Events were dropped because this client did not read in time. */
typedef struct clash_client_lagged {
    uint64_t from_seq, to_seq; /**< of the first and the last one dropped */
    uint64_t missed;           /**< how many of those it had subscribed to */
} clash_client_lagged;

/** Where to draw what a device carries so that none of its blades penetrates what it touches. For subscribers of
 *  resolved_poses. */
typedef struct clash_client_resolved {
    bool has_pose;
    clash_pose pose; /**< stage from device */
} clash_client_resolved;

typedef struct clash_client_pose {
    const char *device;
    clash_pose pose;                /**< stage from device */
    bool tracked;                   /**< measured, not guessed */
    bool valid;                     /**< false: there is no pose, `pose` means nothing */
    bool teleport;                  /**< do not sweep from the last sample to this one */
    clash_feed_source source;       /**< unless NONE: the first pose of a new feed, this one. Ignored in a push */
    bool sinks;                     /**< a blade of it penetrates something. Ignored in a push, like the next */
    clash_client_resolved resolved; /**< if it sinks: without a pose if no place outside was found */
} clash_client_pose;

typedef struct clash_client_reply {
    const char *id;   /**< of the request, as text; "" if it had none */
    const char *code; /**< of an error: as in PROTOCOL.md, or "bad_line": clashd sent an invalid message. "" in `ok` */
    const char *message; /**< of an error, for people. "" in `ok` */
    int64_t seq;         /**< in the `ok` of a subscribe: of the session's last event so far; else -1 */
} clash_client_reply;

/** A controller that this client feeds should vibrate: see clash_client_feeding.haptics. */
typedef struct clash_client_haptic {
    const char *device;
    float amplitude;     /**< 0 to 1 */
    int64_t duration_ns; /**< 1 to 1,000,000,000 */
} clash_client_haptic;

/** The callbacks, called only from within clash_client_dispatch. Every member may be NULL. All pointers passed are
 *  valid during the call. A callback may send requests and may close the client; it must not destroy, connect or
 *  dispatch it.
 *
 *  Events are as in event.h: stage space in the axes asked for, SI units, `time_ns` on CLOCK_MONOTONIC of clashd's
 *  machine. `start_closing_speed` is set only in a clash that is not late. */
typedef struct clash_client_listener {
    void *context; /**< passed to each call */
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
    /** The connection ended, but not through clash_client_close. Connect again at any time, from outside. */
    void (*disconnect)(void *context, const char *reason);
    /** Called with each line that is a JSON object, as clashd sent it, before anything else: for messages without a
     *  callback, such as the answer to clash_client_send. Ends in a zero, which `length` does not count. Return true if
     *  you handled it: no other callback follows (do not do that to `hello`, or times cannot be converted). */
    bool (*line)(void *context, const char *line, size_t length);
    void (*haptic)(void *context, const clash_client_haptic *haptic);
    /** A `feed` of this client was refused with "name_taken", and a feed has ended since: ask again. */
    void (*feed_free)(void *context);
} clash_client_listener;

/** Create a client; the listener is copied. Return NULL when out of memory. */
CLASH_API clash_client *clash_client_create(const clash_client_listener *listener);
/** Close and free. NULL is allowed. */
CLASH_API void clash_client_destroy(clash_client *client);

/** Begin a connection; an existing one is closed first. `address` is the path of a Unix socket, also as "unix:PATH",
 *  "tcp:HOST:PORT" or, for WebSocket, "ws://HOST:PORT" with a numeric HOST, "[..]" around one of IPv6, or localhost for
 *  127.0.0.1 (names are not looked up, because that blocks), or NULL for clashd's default
 *  ($XDG_RUNTIME_DIR/clashd/clashd.sock); "tcp:PORT" is a port of 127.0.0.1. TCP and WebSocket show the token of clash_client_set_token_file. Does not block
 *  and does not wait for `hello`; requests may be made at once. Returns 0, or -1 with the reason in clash_client_problem;
 *  then errno is ENOENT or ECONNREFUSED if nothing listens on the Unix socket. That nothing listens at a TCP address is
 *  known only later: then `disconnect` is called. */
CLASH_API int clash_client_connect(clash_client *client, const char *address);
/** Set which file has the token that TCP and WebSocket ask for; it is read at each connect, as clashd makes a new one
 *  at each start. The path of clashd's Unix socket, `*.sock`, means the token file beside it. NULL, and without this
 *  call: clashd.token beside the default socket; without such a file no token is shown. The path is copied. Returns 0,
 *  or -1 if it is too long. */
CLASH_API int clash_client_set_token_file(clash_client *client, const char *path);
/** Take over a connected stream socket of lines, which becomes non-blocking and is closed with the client. For sockets
 *  passed from elsewhere. Returns 0, or -1 with the descriptor still the caller's. */
CLASH_API int clash_client_adopt(clash_client *client, int fd);
/** End the connection at once; what was not sent is lost. Does not call `disconnect`. Does nothing without a
 *  connection. */
CLASH_API void clash_client_close(clash_client *client);

/** Return the descriptor to wait on, -1 without a connection. It changes with every connect; use it for nothing
 *  else. */
CLASH_API int clash_client_fd(const clash_client *client);

enum clash_client_wants { CLASH_CLIENT_READ = 1, CLASH_CLIENT_WRITE = 2 };
/** Return what to wait for, as bits; may change with every call on the client. */
CLASH_API unsigned clash_client_wants(const clash_client *client);

/** Send what waits, read what is there and call the listener; never blocks. Reads at most 1 MiB, so that a frame ends:
 *  wait level-triggered, or call again. Returns 0, or -1 if there is no connection (any more). */
CLASH_API int clash_client_dispatch(clash_client *client);

/** Within the callbacks `clash` and `hold`: return two, of the event's blades, if subscribed with resolved_poses; else
 *  NULL. One has no pose if it is a target, or if no place outside was found. */
CLASH_API const clash_client_resolved *clash_client_resolved_poses(const clash_client *client);

/** Return why the last call failed, or the last connection ended, in words for people; "" if nothing has. Valid until
 *  the next call on the client. */
CLASH_API const char *clash_client_problem(const clash_client *client);

/** Why a connection could not be made, or ended, for a program that acts on it. */
typedef enum clash_client_cause {
    CLASH_CLIENT_CAUSE_NONE,        /**< neither */
    CLASH_CLIENT_CAUSE_ADDRESS,     /**< the address is malformed, or the token's file cannot be read */
    CLASH_CLIENT_CAUSE_UNREACHABLE, /**< nothing listens there, or the way there is closed */
    CLASH_CLIENT_CAUSE_TOKEN,       /**< clashd refuses the token, or requires one */
    CLASH_CLIENT_CAUSE_ENDED        /**< the connection was made, and ended later */
} clash_client_cause;

/** Return the cause of the last failed connect or of the last disconnect; NONE while a connection lives. */
CLASH_API clash_client_cause clash_client_problem_cause(const clash_client *client);

enum clash_client_events {
    CLASH_CLIENT_CLASH = 1 << 0,
    CLASH_CLIENT_HOLD = 1 << 1,
    CLASH_CLIENT_RELEASE = 1 << 2,
    CLASH_CLIENT_TRACKING = 1 << 3,
    CLASH_CLIENT_SPACE_CHANGED = 1 << 4,
    CLASH_CLIENT_POSES = 1 << 5
};

/** What to subscribe to. */
typedef struct clash_client_subscription {
    unsigned events;           /**< clash_client_events */
    const char *const *blades; /**< only contacts in which one of these takes part */
    size_t blade_count;        /**< 0: all */
    float min_closing_speed;   /**< only contacts that began at least this fast, m/s */
    float pose_rate_hz;        /**< at most so many `poses` a second; 0: as they come */
    const char *axes;          /**< "openxr", "unity", "godot"; NULL: "openxr". hello is always in OpenXR's */
    bool has_since_seq;        /**< of the same session: send the events after since_seq again, as far as they are
                                  kept */
    uint64_t since_seq;        /**< `seq` of the last event received, 0 for none */
    bool resolved_poses;       /**< clash, hold and poses say where to draw blades so that they do not sink in */
    float min_peak_speed;      /**< only contacts that reach this speed, m/s: late if they began slower. 0: all */
    float min_apart_ms;        /**< no contact sooner than this after the same two blades separated. 0: all */
    uint64_t since_late;       /**< with since_seq: the contact's id if the last event was a late clash; else 0 */
} clash_client_subscription;

/** Return a subscription to all events but poses, of all blades. */
CLASH_API clash_client_subscription clash_client_subscription_default(void);

/* Requests. They are queued, and sent by clash_client_dispatch, or at once if the socket takes them. `id`, text of at
 * most 128 characters, comes back in `ok` or `error`; NULL for none: then only an error is told. 0, or -1 with the reason
 * in clash_client_problem: no connection, a value that cannot be sent, or more than 256 KiB waiting because clashd does
 * not read; nothing is sent in part then. */

/** Replace the subscription. Before the first one nothing comes. NULL: the default one. */
CLASH_API int clash_client_subscribe(clash_client *client, const char *id,
                                     const clash_client_subscription *subscription);
/** Ask for an `ok`. */
CLASH_API int clash_client_ping(clash_client *client, const char *id);
/** Send any request of PROTOCOL.md: a JSON object without a newline. For requests without a function here, such as
 *  status, record and replay; their answers come to the listener's `line`, `ok` or `error`. */
CLASH_API int clash_client_send(clash_client *client, const char *json);

/* Blades and targets of this client's own: an enemy's sword, a wall. Its blades clash with all others. clashd forgets them
 * with the connection, so define them in `hello`. A name of somebody else's is refused: `error` with code "name_taken". */

/** Define a blade, or change the one of that name; `blade` is not kept. If `sword` is not NULL, it is sent instead of
 *  shape and edge. `axes` are those of all positions and directions in it, NULL: "openxr". */
CLASH_API int clash_client_define_blade(clash_client *client, const char *id, const clash_blade *blade,
                                        const char *axes);
/** Remove a blade; its open contacts end. A device without any blade left is removed too. */
CLASH_API int clash_client_remove_blade(clash_client *client, const char *id, const char *name);

/** Define a target, or change the one of that name; `target` is not kept. `axes` are those of all positions and
 *  directions in it except in `unity`, NULL: "openxr". */
CLASH_API int clash_client_define_target(clash_client *client, const char *id, const clash_client_target *target,
                                         const char *axes);
/** Remove a target; its open contacts end. A device with nothing left on it is removed too. */
CLASH_API int clash_client_remove_target(clash_client *client, const char *id, const char *name);

/** Poses of this client's own devices at one time. */
typedef struct clash_client_push {
    const clash_client_pose *poses; /**< of devices that carry a blade or target of this client's */
    size_t count;                   /**< at most 64 */
    bool has_time;                  /**< false: clashd uses the time of arrival */
    int64_t time_ns;                /**< CLOCK_MONOTONIC of clashd's machine; later than the last push's */
    const char *axes;               /**< NULL: "openxr" */
} clash_client_push;

/** Push poses. Each pose is judged by itself: a bad one gives an `error`, and the others are taken. Give the time if
 *  you know it: times of arrival are uneven. Only 64 KiB may wait here instead of 256: poses that clashd cannot take
 *  now are soon useless, and the caller goes on with newer ones. Before `hello` a time cannot be sent. */
CLASH_API int clash_client_push_poses(clash_client *client, const char *id, const clash_client_push *push);

/** Which devices this client feeds, such as /user/hand/left: its pushes then replace clashd's own samples of them. */
typedef struct clash_client_feeding {
    const char *const *devices; /**< each once */
    size_t device_count;        /**< at most 64; 0 ends the feed */
    const char *space;          /**< the program's name for its poses' frame of reference; NULL: "game" */
    const char *source;         /**< "game", "layer"; NULL: "game" */
    const clash_pose *stage;    /**< that space's pose in OpenXR's STAGE, m, if known; else NULL */
    bool haptics; /**< clashd sends `haptic`, and this client makes the devices vibrate; otherwise a game's hands are
                     left to the game */
    bool overlay; /**< of "layer": the program draws over another one, and ranks below programs that do not */
} clash_client_feeding;

/** Begin the feed, or replace the last one; it ends with the connection. `feeding` is not kept. */
CLASH_API int clash_client_feed(clash_client *client, const char *id, const clash_client_feeding *feeding);

CLASH_END_DECLS

#endif
