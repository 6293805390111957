/* See mqtt_wire.h. */
#include "mqtt_wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define ZEROS 2 /* behind the topic and the payload */
#define FRAME_SIZE_MAX (sizeof(mqtt_frame) + MQTT_FRAME_TOPIC_MAX + MQTT_FRAME_PAYLOAD_MAX + ZEROS)

_Static_assert(sizeof(mqtt_opening) <= MQTT_FRAME_PAYLOAD_MAX, "an opening is a payload");

int mqtt_reader_open(mqtt_reader *r)
{
    *r = (mqtt_reader){.bytes = malloc(FRAME_SIZE_MAX)};
    return r->bytes ? 0 : -1;
}

void mqtt_reader_close(mqtt_reader *r)
{
    free(r->bytes);
    *r = (mqtt_reader){0};
}

int mqtt_reader_fill(mqtt_reader *r, int fd)
{
    ssize_t length;

    if (r->filled == FRAME_SIZE_MAX)
        return 1; /* a frame is whole */
    do
        length = recv(fd, r->bytes + r->filled, FRAME_SIZE_MAX - r->filled, MSG_DONTWAIT);
    while (length < 0 && errno == EINTR);
    if (length <= 0)
        return length < 0 && errno == EAGAIN ? 0 : -1;
    r->filled += (size_t)length;
    return 1;
}

size_t mqtt_frame_size(const mqtt_frame *frame)
{
    return sizeof *frame + frame->topic_length + frame->payload_length + ZEROS;
}

int mqtt_reader_next(const mqtt_reader *r, mqtt_frame *out_frame, const char **out_topic, const char **out_payload)
{
    if (r->filled < sizeof *out_frame)
        return 0;
    memcpy(out_frame, r->bytes, sizeof *out_frame);
    if (out_frame->kind == 0 || out_frame->kind >= MQTT_FRAME_KINDS || out_frame->topic_length > MQTT_FRAME_TOPIC_MAX ||
        out_frame->payload_length > MQTT_FRAME_PAYLOAD_MAX)
        return -1;
    if (r->filled < mqtt_frame_size(out_frame))
        return 0;
    *out_topic = r->bytes + sizeof *out_frame;
    *out_payload = *out_topic + out_frame->topic_length + 1;
    return (*out_topic)[out_frame->topic_length] == '\0' && (*out_payload)[out_frame->payload_length] == '\0' ? 1 : -1;
}

void mqtt_reader_drop(mqtt_reader *r)
{
    mqtt_frame frame;
    size_t size;

    memcpy(&frame, r->bytes, sizeof frame);
    size = mqtt_frame_size(&frame);
    memmove(r->bytes, r->bytes + size, r->filled - size);
    r->filled -= size;
}

void mqtt_frame_write(const mqtt_frame *frame, const char *topic, const char *payload, char *out)
{
    memcpy(out, frame, sizeof *frame);
    out += sizeof *frame;
    if (frame->topic_length > 0)
        memcpy(out, topic, frame->topic_length);
    out[frame->topic_length] = '\0';
    out += frame->topic_length + 1;
    if (frame->payload_length > 0)
        memcpy(out, payload, frame->payload_length);
    out[frame->payload_length] = '\0';
}

/** Pass over `count` bytes that have gone. */
static void advance(struct msghdr *message, size_t count)
{
    while (message->msg_iovlen > 0 && count >= message->msg_iov->iov_len) {
        count -= message->msg_iov->iov_len;
        message->msg_iov++;
        message->msg_iovlen--;
    }
    if (message->msg_iovlen > 0) {
        message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + count;
        message->msg_iov->iov_len -= count;
    }
}

ssize_t mqtt_frame_send(int fd, const mqtt_frame *frame, const char *topic, const char *payload, bool waits)
{
    static const char zero[1];
    struct iovec parts[] = {{(void *)(uintptr_t)frame, sizeof *frame},
                            {(void *)(uintptr_t)topic, frame->topic_length},
                            {(void *)(uintptr_t)zero, 1},
                            {(void *)(uintptr_t)payload, frame->payload_length},
                            {(void *)(uintptr_t)zero, 1}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = sizeof parts / sizeof parts[0]};
    ssize_t sent = 0;

    while (message.msg_iovlen > 0) {
        const ssize_t length = sendmsg(fd, &message, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));

        if (length < 0 && (errno == EINTR || (errno == EAGAIN && waits &&
                                              poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1) >= 0)))
            continue;
        if (length < 0)
            return !waits && errno == EAGAIN ? sent : -1;
        sent += length;
        advance(&message, (size_t)length);
    }
    return sent;
}
