/* See mqtt_files.h. */
#include "mqtt_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_line(int fd, const char *path, char out[MQTT_PASSWORD_MAX], failure *out_failure)
{
    struct stat about;
    ssize_t length;

    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return fail_int(out_failure, "%.800s: is no regular file", path);
    if (about.st_mode & S_IROTH)
        return fail_int(out_failure, "%.800s: everybody may read it: chmod o-r", path);
    length = read(fd, out, MQTT_PASSWORD_MAX - 1);
    if (length < 0)
        return fail_int(out_failure, "%.800s: %s", path, strerror(errno));
    out[length] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    if (!out[0] || strlen(out) == MQTT_PASSWORD_MAX - 1)
        return fail_int(out_failure, "%.800s: expected a password of at most %d bytes on its first line", path,
                        MQTT_PASSWORD_MAX - 2);
    return 0;
}

int mqtt_read_password(const char *path, char out[MQTT_PASSWORD_MAX], failure *out_failure)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int result;

    if (fd < 0)
        return fail_int(out_failure, "%.800s: %s", path, strerror(errno));
    result = read_line(fd, path, out, out_failure);
    close(fd);
    return result;
}

int mqtt_check_file(const char *path, failure *out_failure)
{
    struct stat about;

    if (stat(path, &about) != 0 || access(path, R_OK) != 0)
        return fail_int(out_failure, "%.800s: %s", path, strerror(errno));
    return S_ISREG(about.st_mode) ? 0 : fail_int(out_failure, "%.800s: is no regular file", path);
}
