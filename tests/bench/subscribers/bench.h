/* The subscribers benchmark's parts: servers in processes of their own (servers.c), what is said to each (wire.c), and one
 * load on one server (load.c). The load client is the same for all: it finds `"seq":` in what it reads, whatever stands
 * around it. */
#ifndef CLASHD_BENCH_SUBSCRIBERS_H
#define CLASHD_BENCH_SUBSCRIBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define SERVER_CORE 0
#define CLIENT_CORE 1
#define MESSAGE_MAX 4096
#define HELLO_MAX 1024

typedef enum wire { WIRE_CLASHD, WIRE_REDIS, WIRE_MQTT, WIRE_NATS } wire;

typedef struct contender {
    const char *name; /* as in the table */
    const char *program;
    wire wire;
    bool unix_socket;
} contender;

extern const contender contenders[];
extern const size_t contender_count;

typedef struct server {
    pid_t pid;
    const contender *is;
    char socket_path[100];
    uint16_t port;
} server;

/** Starts it on its core, with files in `room`; returns when it can be connected to. `clashd`: path of the program. */
void server_start(server *out_server, const contender *is, const char *clashd, const char *room);
/** A connected stream socket. */
int server_connect(const server *s);
/** Processor time of all its threads so far. */
int64_t server_cpu_ns(const server *s);
void server_stop(server *s);

/** Bytes of the two messages that clashd sends in turns, the end of a line left out. */
typedef struct sizes {
    size_t of[2];
} sizes;

/** What a subscriber says first, or (`subscribe` false) the publisher. Returns the length. */
size_t wire_hello(wire w, bool subscribe, unsigned number, char out_bytes[HELLO_MAX]);
/** What publishes message `seq`; clashd is pushed a pose that makes it say `clash` and `release` in turns, to the
 *  others goes a text of the same length. Returns the length. */
size_t wire_publish(wire w, uint64_t seq, const sizes *s, char out_bytes[MESSAGE_MAX]);
/** A pose that makes no event: the first of a device. 0 where there is nothing to say. */
size_t wire_settle(wire w, char out_bytes[MESSAGE_MAX]);

typedef struct load {
    unsigned subscribers; /* one more connects, subscribes and reads nothing */
    unsigned rate_hz;
    double seconds;
} load;

typedef struct result {
    double p50_us, p99_us;
    double cpu; /* of the server, share of one core */
    uint64_t expected, delivered, disordered;
} result;

/** Publishes, reads and measures. `io_sizes`: for clashd what is seen, for the others what is to be sent. */
void load_run(const server *s, const load *l, sizes *io_sizes, result *out_result);

_Noreturn void die(const char *what);

static inline int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
