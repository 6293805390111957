/* What is said to each kind of server, as its protocol has it: clashd's lines, RESP, MQTT 3.1.1 at QoS 0, NATS. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#define BLADE \
    "{\"type\":\"blade\",\"name\":\"npc/%c\",\"device\":\"npc/%c\",\"base\":[0,0,0],\"tip\":%s,\"radius\":0.02}\n"
#define POSES                                                                                 \
    "{\"type\":\"poses\",\"poses\":["                                                         \
    "{\"device\":\"npc/a\",\"position\":[0,0,0],\"orientation\":[0,0,0,1],\"tracked\":true}," \
    "{\"device\":\"npc/b\",\"position\":[0.5,%s,-0.5],\"orientation\":[0,0,0,1],\"tracked\":true}]}\n"

static size_t mqtt_packet(char *out, int kind, const char *body, size_t length)
{
    size_t used = 0, left = length;

    out[used++] = (char)kind;
    do {
        out[used++] = (char)((left & 127) | (left > 127 ? 128 : 0));
        left >>= 7;
    } while (left > 0);
    memcpy(out + used, body, length);
    return used + length;
}

static size_t mqtt_hello(bool subscribe, unsigned number, char *out)
{
    static const char subscription[] = {0, 1, 0, 1, 't', 0};
    char body[64] = {0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 6};
    size_t length;

    snprintf(body + 12, 7, "c%05u", number);
    length = mqtt_packet(out, 0x10, body, 18);
    return subscribe ? length + mqtt_packet(out + length, 0x82, subscription, sizeof subscription) : length;
}

size_t wire_hello(wire w, bool subscribe, unsigned number, char out_bytes[HELLO_MAX])
{
    int length = 0;

    if (w == WIRE_MQTT)
        return mqtt_hello(subscribe, number, out_bytes);
    if (w == WIRE_CLASHD && subscribe)
        length = snprintf(out_bytes, HELLO_MAX, "{\"type\":\"subscribe\",\"events\":[\"clash\",\"release\"]}\n");
    else if (w == WIRE_CLASHD)
        length = snprintf(out_bytes, HELLO_MAX, BLADE BLADE, 'a', 'a', "[0,0,-1]", 'b', 'b', "[-1,0,0]");
    else if (w == WIRE_NATS)
        length = snprintf(out_bytes, HELLO_MAX, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n%s",
                          subscribe ? "SUB t 1\r\n" : "");
    else if (subscribe)
        length = snprintf(out_bytes, HELLO_MAX, "SUBSCRIBE t\r\n");
    return (size_t)length;
}

/* A line that begins as clashd's does, filled up to its length. */
static size_t make_text(uint64_t seq, size_t length, char *out)
{
    int used = snprintf(out, MESSAGE_MAX, "{\"type\":\"clash\",\"seq\":%llu,\"text\":\"", (unsigned long long)seq);

    if ((size_t)used + 2 > length)
        length = (size_t)used + 2;
    memset(out + used, 'x', length - (size_t)used - 2);
    memcpy(out + length - 2, "\"}", 3);
    return length;
}

size_t wire_publish(wire w, uint64_t seq, const sizes *s, char out_bytes[MESSAGE_MAX])
{
    char text[MESSAGE_MAX], body[MESSAGE_MAX] = {0, 1, 't'};
    size_t length;
    int written = 0;

    if (w == WIRE_CLASHD)
        return (size_t)snprintf(out_bytes, MESSAGE_MAX, POSES, seq % 2 == 0 ? "0" : "0.5");
    length = make_text(seq, s->of[seq % 2], text);
    if (w == WIRE_REDIS)
        written = snprintf(out_bytes, MESSAGE_MAX, "*3\r\n$7\r\nPUBLISH\r\n$1\r\nt\r\n$%zu\r\n%s\r\n", length, text);
    else if (w == WIRE_NATS)
        written = snprintf(out_bytes, MESSAGE_MAX, "PUB t %zu\r\n%s\r\n", length, text);
    if (w != WIRE_MQTT)
        return (size_t)written;
    memcpy(body + 3, text, length);
    body[3 + length] = '\n'; /* what the reader goes by; the others end their messages so themselves */
    return mqtt_packet(out_bytes, 0x30, body, length + 4);
}

size_t wire_settle(wire w, char out_bytes[MESSAGE_MAX])
{
    return w == WIRE_CLASHD ? (size_t)snprintf(out_bytes, MESSAGE_MAX, POSES, "0.5") : 0;
}
