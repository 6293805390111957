/* Tokens. The file appears under its name only when it is complete. See token.h. */
#include "ipc/token.h"

#include "token_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOCKET_SUFFIX ".sock"
#define TOKEN_SUFFIX ".token"

int token_path_for(const char *socket_path, char *out_path, size_t size)
{
    size_t stem = strlen(socket_path), suffix = strlen(SOCKET_SUFFIX);
    int length;

    if (stem > suffix && strcmp(socket_path + stem - suffix, SOCKET_SUFFIX) == 0)
        stem -= suffix;
    length = snprintf(out_path, size, "%.*s" TOKEN_SUFFIX, (int)stem, socket_path);
    return length > 0 && (size_t)length < size ? 0 : -1;
}

int token_make_text(char out_text[TOKEN_LENGTH + 1])
{
    uint8_t bytes[TOKEN_LENGTH / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out_text + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

int token_write_text(int fd, const char text[TOKEN_LENGTH + 1])
{
    char line[TOKEN_LENGTH + 2];
    int length = snprintf(line, sizeof line, "%s\n", text);
    ssize_t count = write(fd, line, (size_t)length);

    if (count >= 0 && count < length)
        errno = ENOSPC; /* a short write does not set errno */
    return count == length ? 0 : -1;
}

/* Write a new file under a temporary name and rename it: readers always find a complete token, and a symbolic link at
 * the path is replaced, not followed. */
static int write_file(token *t)
{
    char fresh[PATH_MAX + 8];
    struct stat status;
    bool done;
    int fd;

    snprintf(fresh, sizeof fresh, "%s.new", t->path);
    if (unlink(fresh) != 0 && errno != ENOENT)
        return -1;
    fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    done = fchmod(fd, 0600) == 0 && fstat(fd, &status) == 0 && token_write_text(fd, t->text) == 0;
    done = close(fd) == 0 && done && rename(fresh, t->path) == 0;
    if (!done) {
        int error = errno;
        unlink(fresh);
        errno = error;
        return -1;
    }
    t->device = status.st_dev;
    t->inode = status.st_ino;
    return 0;
}

static int create(token *t, const char *kept, const char *path, failure *out_failure)
{
    int length = snprintf(t->path, sizeof t->path, "%s", path);

    t->inode = 0;
    t->kept[0] = '\0';
    if (kept && token_read_kept(kept, true, t->text, out_failure) != 0)
        return -1;
    if (kept)
        snprintf(t->kept, sizeof t->kept, "%s", kept);
    if (length < 0 || (size_t)length >= sizeof t->path)
        errno = ENAMETOOLONG;
    else if ((kept || token_make_text(t->text) == 0) && write_file(t) == 0)
        return 0;
    return fail_int(out_failure, "cannot write the token file %.800s: %s", path, strerror(errno));
}

int token_create(token *t, const char *path, failure *out_failure)
{
    return create(t, NULL, path, out_failure);
}

int token_create_kept(token *t, const char *kept, const char *path, failure *out_failure)
{
    return create(t, kept, path, out_failure);
}

const char *token_place(const token *t)
{
    return t->kept[0] ? t->kept : t->path;
}

bool token_matches(const token *t, const char *text, size_t length)
{
    unsigned difference = 0;

    if (length != TOKEN_LENGTH)
        return false;
    for (size_t i = 0; i < TOKEN_LENGTH; i++)
        difference |= (unsigned)(unsigned char)(t->text[i] ^ text[i]);
    return difference == 0;
}

void token_remove(token *t)
{
    struct stat status;

    if (t->inode && lstat(t->path, &status) == 0 && status.st_dev == t->device && status.st_ino == t->inode)
        unlink(t->path);
    t->inode = 0;
}
