/* A C client over WebSocket, with the test as its clashd: clashd's own handshake judges the request, frames are made
 * and read byte by byte. */
#ifndef TESTS_CLIENT_UPGRADED_H
#define TESTS_CLIENT_UPGRADED_H

#include "support/client_pair.h"

#include "ipc/handshake.h"

#include <netinet/in.h>
#include <poll.h>

#define FIN 0x80
#define CONTINUED 0
#define TEXT 1
#define BINARY 2
#define CLOSE 8
#define PING 9
#define PONG 10

/** Let the client connect with a token from a file; its request is then in `request`. */
static inline size_t let_in(told *t, const char *path, char request[4096])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char address[128];
    size_t length = 0;

    assert_int_equal(bind(server, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(server, 4), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&at, &size), 0);
    snprintf(address, sizeof address, "ws://localhost:%u%s", (unsigned)ntohs(at.sin_port), path);
    assert_int_equal(clash_client_connect(t->client, address), 0);
    close(t->peer);
    t->peer = accept(server, NULL, NULL);
    assert_true(t->peer >= 0);
    close(server);
    while (handshake_header_end(request, length, 0) == 0) {
        assert_int_equal(clash_client_dispatch(t->client), 0);
        assert_int_equal(poll(&(struct pollfd){.fd = t->peer, .events = POLLIN}, 1, 60000), 1);
        length += (size_t)recv(t->peer, request + length, 4096 - length, 0);
    }
    assert_int_equal(handshake_header_end(request, length, 0), length); /* and not a byte more */
    return length;
}

static inline handshake *judge(const handshake_rules *rules, const char *request, size_t length)
{
    static handshake h;

    handshake_judge_http(rules, request, length, true, &h);
    return &h;
}

/** Let the client take bytes, in pieces of `portion`. */
static inline void deliver(told *t, const void *bytes, size_t length, size_t portion)
{
    const char *at = bytes;

    for (; length > 0; length -= portion, at += portion) {
        portion = portion < length ? portion : length;
        if (send(t->peer, at, portion, MSG_NOSIGNAL) < 0 || clash_client_fd(t->client) < 0)
            return;
        assert_int_equal(poll(&(struct pollfd){.fd = clash_client_fd(t->client), .events = POLLIN}, 1, 60000), 1);
        clash_client_dispatch(t->client);
    }
}

/** Complete a connection's upgrade. */
static inline void upgrade(told *t)
{
    const handshake_rules rules = {0};
    char request[4096];
    handshake *h = judge(&rules, request, let_in(t, "", request));

    assert_int_equal(h->verdict, HANDSHAKE_ADMIT);
    deliver(t, h->answer, h->answer_length, h->answer_length);
    assert_int_equal(t->disconnects, 0);
}

/** Make a frame as clashd sends it, without a mask. Return its length. */
static inline size_t put_frame(char *out, unsigned first, const char *payload, size_t length)
{
    size_t head = length < 126 ? 2 : length < 65536 ? 4 : 10;

    out[0] = (char)first;
    out[1] = (char)(length < 126 ? length : length < 65536 ? 126 : 127);
    for (size_t i = 2; i < head; i++)
        out[i] = (char)(length >> (8 * (head - 1 - i)));
    memcpy(out + head, payload, length);
    return head + length;
}

static inline void say_frame(told *t, unsigned first, const char *payload, size_t length)
{
    char *bytes = malloc(length + 10);

    deliver(t, bytes, put_frame(bytes, first, payload, length), 20000);
    free(bytes);
}

static inline void say_text(told *t, const char *text)
{
    say_frame(t, FIN | TEXT, text, strlen(text));
}

/** Return the first byte of the client's next frame, and its payload, unmasked and terminated by zero. */
static inline unsigned receive_frame(told *t, char *out, size_t *out_length)
{
    unsigned char head[8];

    assert_int_equal(recv(t->peer, head, 2, MSG_WAITALL), 2);
    assert_true(head[1] & 0x80); /* masked */
    *out_length = head[1] & 127u;
    if (*out_length == 126) {
        assert_int_equal(recv(t->peer, head + 2, 2, MSG_WAITALL), 2);
        *out_length = (size_t)head[2] << 8 | head[3];
    }
    assert_int_equal(recv(t->peer, head + 4, 4, MSG_WAITALL), 4);
    assert_int_equal(recv(t->peer, out, *out_length, MSG_WAITALL), (ssize_t)*out_length);
    for (size_t i = 0; i < *out_length; i++)
        out[i] ^= (char)head[4 + i % 4];
    out[*out_length] = '\0';
    return head[0];
}

#endif
