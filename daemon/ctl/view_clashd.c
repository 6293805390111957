/* A clashd that clashctl view starts for itself. See view.h. */
#include "view.h"

#include "cli/exit_code.h"
#include "platform/helper_place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 20000
#define TICK_MS 20
#define WORDS_MAX 16
/** What mkdtemp replaces. */
#define UNIQUE \
    "XX"       \
    "XX"       \
    "XX"

static volatile pid_t running; /* for the signals */
static volatile sig_atomic_t is_told;

/* Installed it is beside clashctl. */
static int find_program(char *out_path, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", out_path, size - 1);
    char *slash;

    if (length > 0 && !getenv("CLASHD_PROGRAM")) {
        out_path[length] = '\0';
        slash = strrchr(out_path, '/');
        if (slash && (size_t)(slash - out_path) + sizeof "/clashd" <= size) {
            memcpy(slash, "/clashd", sizeof "/clashd");
            if (access(out_path, X_OK) == 0)
                return 0;
        }
    }
    return helper_place("clashd", "CLASHD_PROGRAM", "app", out_path, size);
}

static bool listens(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool result;

    if (fd < 0 || strlen(path) >= sizeof address.sun_path) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    result = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return result;
}

static void on_signal(int number)
{
    (void)number;
    is_told = 1;
    if (running > 0)
        kill(running, SIGTERM);
}

bool view_clashd_is_told_to_end(void)
{
    return is_told != 0;
}

/* A terminal's Ctrl-C reaches both: this one waits for the other's end. */
static void take_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static bool run(view_clashd *c, char *const *words, failure *out_failure)
{
    const pid_t self = getpid();
    int status = 0;

    c->pid = fork();
    if (c->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* whatever ends this one, it goes too */
        if (getppid() != self)
            _exit(CTL_ABSENT);
        execv(words[0], words);
        fprintf(stderr, "clashctl: cannot run %s: %s\n", words[0], strerror(errno));
        _exit(CTL_ABSENT);
    }
    if (c->pid < 0)
        return fail_with(out_failure, "cannot start clashd: %s", strerror(errno));
    running = c->pid;
    take_signals();
    for (int waited = 0; waited < WAIT_MS; waited += TICK_MS) {
        if (listens(c->socket))
            return true;
        if (waitpid(c->pid, &status, WNOHANG) == c->pid) {
            c->pid = running = 0;
            return fail_with(out_failure, "clashd did not start: it has said why");
        }
        usleep(TICK_MS * 1000);
    }
    return fail_with(out_failure, "clashd did not start within %d s", WAIT_MS / 1000);
}

static bool start(view_clashd *c, const char *const *more, failure *out_failure)
{
    char program[PATH_MAX], *words[WORDS_MAX] = {program};
    size_t count = 1;

    if (find_program(program, sizeof program) != 0)
        return fail_with(out_failure, "cannot find clashd: %s", strerror(errno));
    for (; *more; more++)
        words[count++] = (char *)*more;
    if (run(c, words, out_failure))
        return true;
    view_clashd_stop(c);
    return false;
}

bool view_clashd_start(view_clashd *c, const char *socket, bool with_port, failure *out_failure)
{
    const char *words[] = {with_port ? "--websocket" : NULL, "127.0.0.1:0", NULL};

    *c = (view_clashd){0};
    snprintf(c->socket, sizeof c->socket, "%s", socket);
    return start(c, words, out_failure);
}

/* Make a directory for its socket, its token and its settings, which other users cannot enter. */
static bool make_directory(view_clashd *c, failure *out_failure)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");

    if ((size_t)snprintf(c->directory, sizeof c->directory, "%s/clashctl-view-" UNIQUE,
                         runtime && runtime[0] == '/' ? runtime : "/tmp") >= sizeof c->directory ||
        !mkdtemp(c->directory)) {
        fail_with(out_failure, "cannot make %s: %s", c->directory, strerror(errno));
        c->directory[0] = '\0';
        return false;
    }
    if ((size_t)snprintf(c->socket, sizeof c->socket, "%s/view.sock", c->directory) >= sizeof c->socket)
        return fail_with(out_failure, "the path of %s is too long", c->directory);
    return true;
}

/* Link the recordings' directory into its own. */
static bool make_link(view_clashd *c, const char *recordings, char *out_way, size_t size, failure *out_failure)
{
    return ((size_t)snprintf(out_way, size, "%s/logs", c->directory) < size && symlink(recordings, out_way) == 0) ||
           fail_with(out_failure, "cannot make %s: %s", out_way, strerror(errno));
}

/* Write empty settings, so that it does not read the user's. */
static bool write_settings(view_clashd *c, char *out_path, size_t size, failure *out_failure)
{
    FILE *file;

    snprintf(out_path, size, "%s/config.json", c->directory);
    file = fopen(out_path, "wex");
    if (!file || fputs("{}\n", file) < 0 || fclose(file) != 0)
        return fail_with(out_failure, "cannot write %s: %s", out_path, strerror(errno));
    return true;
}

bool view_clashd_start_for(view_clashd *c, const char *file, failure *out_failure)
{
    static char real[PATH_MAX];
    char way[PATH_MAX], set[PATH_MAX + 16], settings[PATH_MAX + 16];
    const char *words[] = {"--source", "none",   "--websocket", "127.0.0.1:0", "--socket", c->socket,
                           "--config", settings, "--set",       set,           NULL};
    char *slash;
    bool result;

    *c = (view_clashd){0};
    if (!realpath(file, real))
        return fail_with(out_failure, "%s: %s", file, strerror(errno));
    slash = strrchr(real, '/');
    *slash = '\0';
    c->log = slash + 1;
    result = make_directory(c, out_failure) && make_link(c, real[0] ? real : "/", way, sizeof way, out_failure);
    snprintf(set, sizeof set, "viewer.logs=%s", way);
    if (result && write_settings(c, settings, sizeof settings, out_failure) && start(c, words, out_failure))
        return true;
    view_clashd_stop(c);
    return false;
}

bool view_clashd_start_demo(view_clashd *c, const char *recording, bool loops, failure *out_failure)
{
    char source[PATH_MAX + 16], settings[PATH_MAX + 16];
    const char *words[] = {"--source",
                           source,
                           loops ? "--loop" : "--exit-at-end",
                           "--wait-for-client",
                           "--websocket",
                           "127.0.0.1:0",
                           "--socket",
                           c->socket,
                           "--config",
                           settings,
                           "--log-level",
                           "warning",
                           NULL};

    *c = (view_clashd){0};
    snprintf(source, sizeof source, "replay:%s", recording);
    if (make_directory(c, out_failure) && write_settings(c, settings, sizeof settings, out_failure) &&
        start(c, words, out_failure))
        return true;
    view_clashd_stop(c);
    return false;
}

static void remove_directory(view_clashd *c)
{
    static const char *const names[] = {"logs",      "view.html",      "config.json",
                                        "view.sock", "view.sock.lock", "view.token"};
    char path[PATH_MAX + 32];

    if (!c->directory[0])
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", c->directory, names[i]);
        unlink(path);
    }
    rmdir(c->directory);
    c->directory[0] = '\0';
}

int view_clashd_wait(view_clashd *c)
{
    int status = 0;

    while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    c->pid = 0;
    remove_directory(c);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return is_told ? CTL_DONE
                   : CTL_ABSENT; /* a clashd that is still stopping after the terminal's signal is killed by ours */
}

void view_clashd_stop(view_clashd *c)
{
    if (c->pid > 0)
        kill(c->pid, SIGTERM);
    view_clashd_wait(c);
}
