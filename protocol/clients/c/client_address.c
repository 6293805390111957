/* Where clashd is, and a socket on its way there. Nothing blocks. */
#include "client_private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define UNIX_PREFIX "unix:"
#define LOOPBACK "127.0.0.1"
#define EXPECTED "expected tcp:HOST:PORT, unix:PATH, ws://HOST:PORT or a path"

int client_default_path(const char *name, char *out_path, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char fallback[64];
    struct stat status;
    int length;

    if (!runtime || runtime[0] != '/') { /* the specification: a relative one is to be ignored */
        snprintf(fallback, sizeof fallback, "/run/user/%lu", (unsigned long)geteuid());
        if (stat(fallback, &status) != 0 || status.st_uid != geteuid())
            snprintf(fallback, sizeof fallback, "/tmp/clashd-%lu", (unsigned long)geteuid());
        runtime = fallback;
    }
    length = snprintf(out_path, size, "%s/clashd/%s", runtime, name);
    return length > 0 && (size_t)length < size ? 0 : -1;
}

/* Below /tmp anybody may have been quicker than clashd: what listens there may be anybody's. */
static int check_server(clash_client *c, int fd, const char *path)
{
    struct ucred server = {.uid = (uid_t)-1};
    socklen_t size = sizeof server;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &server, &size) == 0 && (server.uid == geteuid() || server.uid == 0))
        return fd;
    client_fail(c, "user %lu is listening on %.120s: expected user %lu or root", (unsigned long)server.uid, path,
                (unsigned long)geteuid());
    c->cause = CLASH_CLIENT_CAUSE_UNREACHABLE;
    close(fd);
    return -1;
}

int client_unreachable(clash_client *c, int error)
{
    if (error == ENOENT || error == ECONNREFUSED)
        client_fail(c, "nothing listens at %s", c->address);
    else /* A Unix socket connects at once or not at all: EAGAIN says that too many wait to be let in. */
        client_fail(c, "cannot connect to %s: %s", c->address,
                    error == EAGAIN ? "too many others are connecting, try again" : strerror(error));
    c->cause = CLASH_CLIENT_CAUSE_UNREACHABLE;
    errno = error;
    return -1;
}

static int open_unix(clash_client *c, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    int fd, failed;

    if (length == 0 || length >= sizeof address.sun_path)
        return client_fail(c, "%.400s: %s for a socket: %zu bytes at most", path, length ? "too long" : "no path",
                           sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, length + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return client_fail(c, "no socket: %s", strerror(errno));
    do
        failed = connect(fd, (const struct sockaddr *)&address, sizeof address);
    while (failed != 0 && errno == EINTR);
    if (failed == 0)
        return check_server(c, fd, path);
    failed = errno;
    close(fd);
    return client_unreachable(c, failed);
}

client_way client_way_of(const char *address)
{
    if (strncmp(address, "ws://", 5) == 0)
        return CLIENT_WEBSOCKET;
    return strncmp(address, "tcp:", 4) == 0 ? CLIENT_TCP : CLIENT_UNIX;
}

bool client_split_url(const char *address, char out_host[80], const char **out_path)
{
    const char *host = address + strlen("ws://");
    size_t length = strcspn(host, "/?");

    if (length >= 80)
        return false;
    memcpy(out_host, host, length);
    out_host[length] = '\0';
    *out_path = host[length] ? host + length : "/";
    return host[length] != '?'; /* a query without a path: no browser sends it so */
}

typedef union tcp_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} tcp_address;

/** HOST:PORT, or PORT of this machine. Return the address's length, or 0 if it is not one. */
static socklen_t read_tcp(const char *text, tcp_address *out)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    char host[64], *end;
    size_t length = colon ? (size_t)(colon - text) : strlen(LOOPBACK);
    unsigned long port;

    if (length == 0 || length >= sizeof host || digits[0] < '0' || digits[0] > '9')
        return 0;
    port = strtoul(digits, &end, 10);
    if (*end || port == 0 || port > 65535)
        return 0;
    memcpy(host, colon ? text : LOOPBACK, length);
    host[length] = '\0';
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? LOOPBACK : host, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        return sizeof out->v4;
    }
    if (host[0] != '[' || host[length - 1] != ']')
        return 0;
    host[length - 1] = '\0';
    if (inet_pton(AF_INET6, host + 1, &out->v6.sin6_addr) != 1)
        return 0;
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons((uint16_t)port);
    return sizeof out->v6;
}

/** To `text`, HOST:PORT, which stands in `address`. */
static int open_tcp(clash_client *c, const char *text, const char *address)
{
    tcp_address to;
    socklen_t length = read_tcp(text, &to);
    int fd, failed, yes = 1;

    if (length == 0)
        return client_fail(
            c,
            "'%.80s' is not an address: expected tcp:HOST:PORT or ws://HOST:PORT with a numeric host, such as "
            "tcp:127.0.0.1:4717, or the path of a Unix socket",
            address);
    fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return client_fail(c, "no socket: %s", strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* only later, if it fails */
    if (connect(fd, &to.any, length) == 0 || errno == EINPROGRESS || errno == EINTR)
        return fd;
    failed = errno;
    close(fd);
    return client_unreachable(c, failed);
}

/** Return whether an address without a known prefix is not a path either: "http://..", or a colon without a slash. */
static bool is_mistaken(const char *address)
{
    return strstr(address, "://") || (strchr(address, ':') && !strchr(address, '/'));
}

/** Note what is wrong with an address of no known form, and which one was probably meant. Return -1. */
static int refuse_form(clash_client *c, const char *address)
{
    const char *scheme_end = strstr(address, "://"), *colon = strchr(address, ':');
    const char *rest = scheme_end                                             ? scheme_end + 3
                       : colon && strchr(colon + 1, ':') && address[0] != '[' ? colon + 1
                                                                              : address;
    bool is_web = strncmp(address, "ws", 2) == 0 || strncmp(address, "http", 4) == 0;
    char host[80];
    size_t length = strcspn(rest, "/?#");
    tcp_address to;

    snprintf(host, sizeof host, "%.*s", (int)(length < sizeof host ? length : 0), rest);
    if (!strchr(host, ':') || read_tcp(host, &to) == 0)
        return client_fail(c, "'%.80s' is not an address: " EXPECTED, address);
    return client_fail(c, "'%.80s' is not an address: " EXPECTED "; is it %s%s?", address,
                       is_web ? "ws://" : "tcp:", host);
}

int client_open(clash_client *c, const char *address)
{
    char host[80];
    const char *path;

    switch (client_way_of(address)) {
    case CLIENT_WEBSOCKET:
        if (!client_frames_are_there)
            return client_fail(c, "'%.80s': WebSocket is left out of this client: expected a path or tcp:HOST:PORT",
                               address);
        return open_tcp(c, client_split_url(address, host, &path) && strchr(host, ':') ? host : "", address);
    case CLIENT_TCP:
        return open_tcp(c, address + strlen("tcp:"), address);
    case CLIENT_UNIX:
        break;
    }
    if (strncmp(address, "wss:", 4) == 0)
        return client_fail(c, "'%.80s': clashd encrypts nothing: expected ws://HOST:PORT", address);
    if (strcmp(address, UNIX_PREFIX) == 0)
        return client_fail(c, "'%s' is not an address: " EXPECTED, address);
    if (strncmp(address, UNIX_PREFIX, strlen(UNIX_PREFIX)) == 0)
        return open_unix(c, address + strlen(UNIX_PREFIX));
    return is_mistaken(address) ? refuse_form(c, address) : open_unix(c, address);
}

/** Of a socket's path that of the token file beside it, as clashd names it. */
static void name_token_file(const char *named, char *out_path, size_t size)
{
    size_t length = strlen(named);
    bool is_socket = length > 5 && strcmp(named + length - 5, ".sock") == 0;

    snprintf(out_path, size, "%.*s%s", (int)(is_socket ? length - 5 : length), named, is_socket ? ".token" : "");
}

int client_read_token(clash_client *c, char *out_token, size_t size)
{
    char path[sizeof c->token_file + 1]; /* .token is one longer than .sock */
    bool is_named = c->token_file[0] != '\0';
    FILE *file;
    size_t length;

    out_token[0] = '\0';
    if (is_named)
        name_token_file(c->token_file, path, sizeof path);
    else if (client_default_path("clashd.token", path, sizeof path) != 0)
        return client_fail(c, "the default token file's path is too long");
    file = fopen(path, "re");
    if (!file) /* clashd may not ask for one: if it does, it says where it is */
        return is_named ? client_fail(c, "the token file %.120s: %s", path, strerror(errno)) : 0;
    length = fread(out_token, 1, size - 1, file);
    fclose(file);
    out_token[length] = '\0';
    out_token[strcspn(out_token, "\r\n")] = '\0';
    return 0;
}
