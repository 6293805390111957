/* The servers: each with its defaults where the load does not need otherwise, on one core, in a room of its own, and on
 * loopback only. */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

const contender contenders[] = {
    {"clashd, Unix socket", NULL, WIRE_CLASHD, true},
    {"clashd, TCP", NULL, WIRE_CLASHD, false},
    {"redis-server, TCP", "redis-server", WIRE_REDIS, false},
    {"redis-server, Unix socket", "redis-server", WIRE_REDIS, true},
    {"mosquitto QoS 0, TCP", "/usr/sbin/mosquitto", WIRE_MQTT, false},
    {"mosquitto QoS 0, Unix socket", "/usr/sbin/mosquitto", WIRE_MQTT, true},
    {"nats-server, TCP", "/usr/sbin/nats-server", WIRE_NATS, false},
};
const size_t contender_count = sizeof contenders / sizeof contenders[0];

_Noreturn void die(const char *what)
{
    fprintf(stderr, "subscribers: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        die(path);
}

/* A port that nobody has now. */
static uint16_t find_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(fd, (struct sockaddr *)&address, size) != 0 || getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        die("a port");
    close(fd);
    return ntohs(address.sin_port);
}

static void exec_clashd(const server *s, const char *clashd, const char *settings)
{
    char text[512];

    snprintf(text, sizeof text,
             "{\"socket\":{\"tcp\":\"127.0.0.1:%u\",\"require_token\":false,\"max_clients\":2048,"
             "\"push_timeout_ms\":60000},\"contact\":{\"max_gap_ms\":10000,\"hold_rate_hz\":0}}\n",
             s->port);
    write_file(settings, text);
    execl(clashd, clashd, "--config", settings, "--socket", s->socket_path, "--source", "none", "--log-level", "error",
          (char *)NULL);
    die(clashd);
}

static void exec_mosquitto(const server *s, const char *settings)
{
    char text[512];

    /* started by root it would become a user who may not write to the room */
    snprintf(text, sizeof text, "%sallow_anonymous true\nset_tcp_nodelay true\nlistener %u 127.0.0.1\nlistener 0 %s\n",
             geteuid() == 0 ? "user root\n" : "", s->port, s->socket_path);
    write_file(settings, text);
    execlp(s->is->program, s->is->program, "-c", settings, (char *)NULL);
    die(s->is->program);
}

static void exec_server(const server *s, const char *clashd, const char *room)
{
    char settings[160], port[8];

    snprintf(settings, sizeof settings, "%s/settings", room);
    snprintf(port, sizeof port, "%u", s->port);
    switch (s->is->wire) {
    case WIRE_CLASHD:
        exec_clashd(s, clashd, settings);
        break;
    case WIRE_REDIS:
        execlp(s->is->program, s->is->program, "--port", port, "--bind", "127.0.0.1", "--unixsocket", s->socket_path,
               "--save", "", "--appendonly", "no", (char *)NULL);
        die(s->is->program);
    case WIRE_MQTT:
        exec_mosquitto(s, settings);
        break;
    case WIRE_NATS:
        execlp(s->is->program, s->is->program, "-a", "127.0.0.1", "-p", port, (char *)NULL);
        die(s->is->program);
    }
}

static void prepare_child(void)
{
    int null = open("/dev/null", O_RDWR);
    cpu_set_t core;

    CPU_ZERO(&core);
    CPU_SET(SERVER_CORE, &core);
    if (sched_setaffinity(0, sizeof core, &core) != 0)
        die("sched_setaffinity");
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    if (!getenv("SUBSCRIBERS_SHOW_ERRORS"))
        dup2(null, STDERR_FILENO);
}

static int try_connect(const server *s)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in loopback = {
        .sin_family = AF_INET, .sin_port = htons(s->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(s->is->unix_socket ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, failed;

    if (fd < 0)
        die("socket");
    memcpy(local.sun_path, s->socket_path, sizeof s->socket_path);
    if (s->is->unix_socket)
        failed = connect(fd, (struct sockaddr *)&local, sizeof local);
    else
        failed = connect(fd, (struct sockaddr *)&loopback, sizeof loopback);
    if (failed) {
        close(fd);
        return -1;
    }
    if (!s->is->unix_socket)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

/* A server may be starting, or have a full backlog. */
int server_connect(const server *s)
{
    for (int tries = 0; tries < 1000; tries++) {
        int fd = try_connect(s);

        if (fd >= 0)
            return fd;
        if (waitpid(s->pid, NULL, WNOHANG) != 0)
            break;
        usleep(10000);
    }
    die(s->is->name);
}

void server_start(server *out_server, const contender *is, const char *clashd, const char *room)
{
    *out_server = (server){.is = is, .port = find_port()};
    snprintf(out_server->socket_path, sizeof out_server->socket_path, "%s/socket", room);
    unlink(out_server->socket_path);
    out_server->pid = fork();
    if (out_server->pid < 0)
        die("fork");
    if (out_server->pid == 0) {
        prepare_child();
        exec_server(out_server, clashd, room);
    }
    close(server_connect(out_server));
}

int64_t server_cpu_ns(const server *s)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(s->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        die("the server's processor time");
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* One that had ended before was not what was measured: another program may have taken its port in between, and would
 * have been connected to in its place. */
void server_stop(server *s)
{
    if (waitpid(s->pid, NULL, WNOHANG) != 0) {
        fprintf(stderr, "subscribers: %s ended by itself; SUBSCRIBERS_SHOW_ERRORS=1 shows why\n", s->is->name);
        exit(1);
    }
    kill(s->pid, SIGTERM);
    for (int tries = 0; tries < 500; tries++) {
        if (waitpid(s->pid, NULL, WNOHANG) == s->pid)
            return;
        usleep(10000);
    }
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
}
