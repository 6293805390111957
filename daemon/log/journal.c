/* See journal.h. A value without a newline is written as NAME=VALUE and a newline. */
#include "journal.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int log_journal_open(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool log_journal_send(int fd, int priority, const char *program, const char *message, const log_field *field)
{
    char text[4096];
    int length =
        snprintf(text, sizeof text, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\nMESSAGE=%s\n", priority, program, message);

    if (length > 0 && (size_t)length < sizeof text && field)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s=%s\n", field->name, field->value);
    return fd >= 0 && length > 0 && (size_t)length < sizeof text &&
           send(fd, text, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT) == length;
}
