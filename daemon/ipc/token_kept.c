/* A persistent token: see token.h. Rejects token files that others can read or write. */
#include "token_kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS "0123456789abcdefABCDEF"
/* The digits, and trailing blanks. */
#define TEXT_MAX (TOKEN_LENGTH + 16)

static int check_file(int fd, const char *path, failure *out_failure)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return fail_int(out_failure, "the token file %.800s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail_int(out_failure, "the token file %.800s is no regular file", path);
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return fail_int(out_failure, "the token file %.800s belongs to user %u: expected clashd's own user or root",
                        path, (unsigned)status.st_uid);
    if (status.st_mode & (S_IWGRP | S_IRWXO))
        return fail_int(
            out_failure,
            "the token file %.800s has mode %04o, so that others know the token or can change it: chmod 600, or "
            "640 if a group is to read it",
            path, (unsigned)(status.st_mode & 07777));
    return 0;
}

static int read_text(int fd, const char *path, char out_text[TOKEN_LENGTH + 1], failure *out_failure)
{
    char text[TEXT_MAX + 2];
    const ssize_t count = read(fd, text, TEXT_MAX + 1);
    size_t length = count > 0 ? (size_t)count : 0;

    if (count < 0)
        return fail_int(out_failure, "the token file %.800s: %s", path, strerror(errno));
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) && text[length - 1])
        length--;
    text[length] = '\0';
    if (length != TOKEN_LENGTH || strspn(text, DIGITS) != TOKEN_LENGTH)
        return fail_int(
            out_failure,
            "the token file %.800s: expected %d hexadecimal digits and a newline; remove it, and clashd makes one",
            path, TOKEN_LENGTH);
    memcpy(out_text, text, TOKEN_LENGTH + 1);
    return 0;
}

/* Do not replace a file that was created meanwhile: that one is used. Falls back to rename on file systems without
 * links. */
static int place(const char *fresh, const char *path)
{
    int error = link(fresh, path) == 0 ? 0 : errno;

    if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS)
        error = rename(fresh, path) == 0 ? 0 : errno;
    unlink(fresh);
    errno = error;
    return error == 0 || error == EEXIST ? 0 : -1;
}

/* The temporary name has the process id: two daemons may start at once. */
static int make_file(const char *path, failure *out_failure)
{
    char fresh[PATH_MAX], text[TOKEN_LENGTH + 1];
    int length = snprintf(fresh, sizeof fresh, "%s.%ld.new", path, (long)getpid()), fd = -1, error;
    bool done;

    if (length < 0 || (size_t)length >= sizeof fresh)
        return fail_int(out_failure, "cannot make the token file %.800s: the path is too long", path);
    unlink(fresh); /* left by a process that was killed */
    fd = token_make_text(text) == 0 ? open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    done = fd >= 0 && fchmod(fd, 0600) == 0 && token_write_text(fd, text) == 0 && fsync(fd) == 0;
    error = errno;
    if (fd >= 0 && close(fd) != 0 && done) {
        error = errno;
        done = false;
    }
    if (done && place(fresh, path) == 0)
        return 0;
    error = done ? errno : error;
    if (fd >= 0)
        unlink(fresh);
    return fail_int(out_failure, "cannot make the token file %.800s: %s", path, strerror(error));
}

int token_read_kept(const char *path, bool makes, char out_text[TOKEN_LENGTH + 1], failure *out_failure)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

    if (fd < 0 && errno == ENOENT && makes) {
        if (make_file(path, out_failure) != 0)
            return -1;
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
    if (fd < 0)
        return fail_int(out_failure, "the token file %.800s: %s", path, strerror(errno));
    result = check_file(fd, path, out_failure) == 0 && read_text(fd, path, out_text, out_failure) == 0 ? 0 : -1;
    close(fd);
    return result;
}

/* If the file does not exist, it must be possible to create it in its directory. */
int token_check_kept(const char *kept, failure *out_failure)
{
    const char *slash = strrchr(kept, '/');
    char text[TOKEN_LENGTH + 1], directory[PATH_MAX] = ".";
    struct stat status;

    if (lstat(kept, &status) == 0 || errno != ENOENT)
        return token_read_kept(kept, false, text, out_failure);
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", slash == kept ? 1 : (int)(slash - kept), kept);
    return access(directory, W_OK | X_OK) == 0
               ? 0
               : fail_int(out_failure, "cannot make the token file %.800s: %s", kept, strerror(errno));
}
