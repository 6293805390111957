/* Takes a socket path. The order of steps makes two daemons that start at once safe: only the holder of PATH.lock
 * checks, removes or binds PATH, and the kernel releases the lock when the process ends, for any reason. See
 * socket_path.h. */
#include "ipc/socket_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LOCK_TRIES 100

typedef struct taking {
    const char *path;
    failure *failure;
} taking;

__attribute__((format(printf, 3, 4))) static socket_path_result fail(const taking *t, socket_path_result result,
                                                                     const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(t->failure->text, sizeof t->failure->text, format, arguments);
    va_end(arguments);
    return result;
}

static socket_path_result fail_busy(const taking *t)
{
    return fail(t, SOCKET_PATH_BUSY, "another clashd is listening on %s", t->path);
}

static socket_path_result fail_errno(const taking *t, const char *doing, const char *what)
{
    return fail(t, SOCKET_PATH_ERROR, "cannot listen on %s: %s %s: %s", t->path, doing, what, strerror(errno));
}

int socket_path_default(char *out_path, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char fallback[64];
    struct stat status;
    int length;

    if (!runtime || runtime[0] != '/') { /* ignore a relative path, as the XDG specification requires */
        snprintf(fallback, sizeof fallback, "/run/user/%lu", (unsigned long)geteuid());
        if (stat(fallback, &status) != 0 || status.st_uid != geteuid())
            snprintf(fallback, sizeof fallback, "/tmp/clashd-%lu", (unsigned long)geteuid());
        runtime = fallback;
    }
    length = snprintf(out_path, size, "%s/clashd/clashd.sock", runtime);
    return length > 0 && (size_t)length < size ? 0 : -1;
}

static void directory_of(const char *path, char out_directory[PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        snprintf(out_directory, PATH_MAX, ".");
    else if (slash == path)
        snprintf(out_directory, PATH_MAX, "/");
    else
        snprintf(out_directory, PATH_MAX, "%.*s", (int)(slash - path), path);
}

/* Create the directory and its missing parents, all with mode 0700. */
static int make_directories(const char *directory)
{
    char partial[PATH_MAX];

    for (const char *end = strchr(directory + 1, '/'); end; end = strchr(end + 1, '/')) {
        snprintf(partial, sizeof partial, "%.*s", (int)(end - directory), directory);
        if (mkdir(partial, 0700) != 0 && errno != EEXIST)
            return -1;
    }
    return mkdir(directory, 0700) != 0 && errno != EEXIST ? -1 : 0;
}

/* Only this user may access the default directory. */
static socket_path_result check_own_directory(const taking *t, const char *directory, const struct stat *status)
{
    if (status->st_uid != geteuid())
        return fail(t, SOCKET_PATH_BAD,
                    "cannot listen on %s: directory %s belongs to user %lu, expected user %lu (ours)", t->path,
                    directory, (unsigned long)status->st_uid, (unsigned long)geteuid());
    if ((status->st_mode & 07777) != 0700 && chmod(directory, 0700) != 0)
        return fail_errno(t, "cannot make private directory", directory);
    return SOCKET_PATH_OK;
}

/* A directory that the user chose only has to prevent others from replacing the socket. */
static socket_path_result check_chosen_directory(const taking *t, const char *directory, const struct stat *status)
{
    if ((status->st_mode & S_IWOTH) && !(status->st_mode & S_ISVTX))
        return fail(t, SOCKET_PATH_BAD,
                    "cannot listen on %s: any user may replace files in directory %s (mode %03o); expected one that "
                    "others cannot write to, or with the sticky bit",
                    t->path, directory, (unsigned)(status->st_mode & 0777));
    return SOCKET_PATH_OK;
}

/* Return whether it is clashd-UID in a world-writable directory: the fallback below /tmp, which any user may have
 * created first. */
static bool is_fallback(const char *parent)
{
    const char *slash = strrchr(parent, '/'), *name = slash ? slash + 1 : parent;
    char above[PATH_MAX];
    struct stat status;

    directory_of(parent, above);
    return strncmp(name, "clashd-", 7) == 0 && name[7] != '\0' && name[7 + strspn(name + 7, "0123456789")] == '\0' &&
           stat(above, &status) == 0 && (status.st_mode & S_IWOTH);
}

/* Check the parent directory too: a user who can write there can replace the default directory. */
static socket_path_result check_parent(const taking *t, const char *directory)
{
    char parent[PATH_MAX];
    struct stat status;

    directory_of(directory, parent);
    if (is_fallback(parent)) {
        if (lstat(parent, &status) != 0)
            return fail_errno(t, "directory", parent);
        if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 07777) != 0700)
            return fail(t, SOCKET_PATH_BAD,
                        "cannot listen on %s: %s is %s of user %lu with mode %03o; expected a directory of user %lu "
                        "(ours) with mode 700",
                        t->path, parent,
                        S_ISLNK(status.st_mode)   ? "a link"
                        : S_ISDIR(status.st_mode) ? "a directory"
                                                  : "a file",
                        (unsigned long)status.st_uid, (unsigned)(status.st_mode & 07777), (unsigned long)geteuid());
        return SOCKET_PATH_OK;
    }
    if (stat(parent, &status) != 0)
        return fail_errno(t, "directory", parent);
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return fail(t, SOCKET_PATH_BAD,
                    "cannot listen on %s: directory %s belongs to user %lu, expected user %lu (ours) or root", t->path,
                    parent, (unsigned long)status.st_uid, (unsigned long)geteuid());
    return check_chosen_directory(t, parent, &status);
}

static socket_path_result prepare_directory(const taking *t, bool make_directory)
{
    char directory[PATH_MAX];
    struct stat status;

    directory_of(t->path, directory);
    if (make_directory && make_directories(directory) != 0)
        return fail_errno(t, "cannot make directory", directory);
    if (make_directory) {
        const socket_path_result result = check_parent(t, directory);

        if (result != SOCKET_PATH_OK)
            return result;
    }
    /* Refuse a symbolic link: another user may have created it. */
    if ((make_directory ? lstat(directory, &status) : stat(directory, &status)) != 0)
        return fail_errno(t, "directory", directory);
    if (!S_ISDIR(status.st_mode))
        return fail(t, SOCKET_PATH_BAD, "cannot listen on %s: %s is no directory", t->path, directory);
    return make_directory ? check_own_directory(t, directory, &status) : check_chosen_directory(t, directory, &status);
}

static bool is_the_file(int fd, const char *path)
{
    struct stat held, named;

    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

/* Lock `name`. Retry if the file was removed meanwhile, as a clashd that ends does: a lock on a removed file does not
 * exclude others. */
static socket_path_result lock_file(const taking *t, const char *name, int *out_fd)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        struct stat status;
        int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);

        if (fd < 0)
            return fail_errno(t, "cannot open lock file", name);
        if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
            close(fd);
            return fail(t, SOCKET_PATH_BAD, "cannot listen on %s: lock file %s is no regular file", t->path, name);
        }
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            socket_path_result result = errno == EWOULDBLOCK ? fail_busy(t) : fail_errno(t, "cannot lock", name);
            close(fd);
            return result;
        }
        if (is_the_file(fd, name)) {
            *out_fd = fd;
            return SOCKET_PATH_OK;
        }
        close(fd);
    }
    return fail_busy(t);
}

static void fill_address(const char *path, struct sockaddr_un *out_address)
{
    memset(out_address, 0, sizeof *out_address);
    out_address->sun_family = AF_UNIX;
    memcpy(out_address->sun_path, path, strlen(path)); /* check_length has run before */
}

/* Return SOCKET_PATH_BUSY if a process that does not hold the lock listens there; otherwise remove the dead socket. */
static socket_path_result clear_dead_socket(const taking *t)
{
    struct sockaddr_un address;
    struct stat status;
    int fd, error;

    if (lstat(t->path, &status) != 0)
        return errno == ENOENT ? SOCKET_PATH_OK : fail_errno(t, "cannot look at", t->path);
    if (!S_ISSOCK(status.st_mode))
        return fail(t, SOCKET_PATH_BAD, "cannot listen on %s: it exists and is no socket; it was left alone", t->path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail_errno(t, "cannot make a socket for", t->path);
    fill_address(t->path, &address);
    error = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? 0 : errno;
    close(fd);
    if (error == 0 || error == EAGAIN)
        return fail_busy(t);
    errno = error;
    if (error != ECONNREFUSED)
        return fail_errno(t, "cannot tell whether anybody listens on", t->path);
    return unlink(t->path) == 0 || errno == ENOENT ? SOCKET_PATH_OK : fail_errno(t, "cannot remove dead", t->path);
}

static socket_path_result bind_and_listen(const taking *t, socket_path_hold *hold)
{
    struct sockaddr_un address;
    struct stat status;
    mode_t mask;
    int bound;

    hold->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (hold->fd < 0)
        return fail_errno(t, "cannot make a socket for", t->path);
    fill_address(t->path, &address);
    mask = umask(0177); /* a later chmod would leave a moment in which others can connect */
    bound = bind(hold->fd, (struct sockaddr *)&address, sizeof address);
    umask(mask);
    if (bound != 0)
        return fail_errno(t, "cannot bind", t->path);
    if (lstat(t->path, &status) == 0) {
        hold->device = status.st_dev;
        hold->inode = status.st_ino;
    }
    return listen(hold->fd, SOMAXCONN) == 0 ? SOCKET_PATH_OK : fail_errno(t, "cannot listen on", t->path);
}

static socket_path_result check_length(const taking *t)
{
    const size_t longest = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    size_t length = strlen(t->path);

    if (length == 0)
        return fail(t, SOCKET_PATH_BAD, "the socket's path is empty");
    if (length > longest)
        return fail(t, SOCKET_PATH_BAD, "cannot listen on %s: the path is %zu bytes long, a socket's may have %zu",
                    t->path, length, longest);
    return SOCKET_PATH_OK;
}

static void lock_name(const char *path, char out_name[PATH_MAX])
{
    snprintf(out_name, PATH_MAX, "%s.lock", path);
}

socket_path_result socket_path_take(const char *path, bool make_directory, socket_path_hold *out_hold,
                                    failure *out_failure)
{
    const taking t = {.path = path, .failure = out_failure};
    char lock[PATH_MAX];
    socket_path_result result;

    result = check_length(&t);
    *out_hold = (socket_path_hold){.fd = -1, .lock_fd = -1};
    if (result == SOCKET_PATH_OK)
        result = prepare_directory(&t, make_directory);
    if (result != SOCKET_PATH_OK)
        return result;
    lock_name(path, lock);
    result = lock_file(&t, lock, &out_hold->lock_fd);
    if (result == SOCKET_PATH_OK)
        result = clear_dead_socket(&t);
    if (result == SOCKET_PATH_OK)
        result = bind_and_listen(&t, out_hold);
    if (result != SOCKET_PATH_OK)
        socket_path_release(path, out_hold);
    return result;
}

void socket_path_release(const char *path, socket_path_hold *hold)
{
    char lock[PATH_MAX];
    struct stat status;

    if (hold->fd >= 0) {
        if (hold->inode && lstat(path, &status) == 0 && status.st_dev == hold->device && status.st_ino == hold->inode)
            unlink(path);
        close(hold->fd);
    }
    if (hold->lock_fd >= 0) {
        lock_name(path, lock);
        if (is_the_file(hold->lock_fd, lock))
            unlink(lock);
        close(hold->lock_fd);
    }
    *hold = (socket_path_hold){.fd = -1, .lock_fd = -1};
}

int socket_path_check(const char *path, failure *out_failure)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX] = ".";
    struct stat about;

    if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        return fail_int(out_failure, "socket.path: %.800s: too long: %zu bytes at most", path,
                        sizeof((struct sockaddr_un *)0)->sun_path - 1);
    if (slash)
        snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (stat(directory, &about) != 0)
        return fail_int(out_failure, "socket.path: %.800s: %s", directory, strerror(errno));
    if (!S_ISDIR(about.st_mode) || access(directory, W_OK | X_OK) != 0)
        return fail_int(out_failure, "socket.path: %.800s: %s", directory,
                        strerror(S_ISDIR(about.st_mode) ? errno : ENOTDIR));
    if (lstat(path, &about) == 0 && !S_ISSOCK(about.st_mode))
        return fail_int(out_failure, "socket.path: %.800s: is there already, and is no socket", path);
    return 0;
}
