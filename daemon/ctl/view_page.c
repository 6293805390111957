/* The address of clashd's page with all that it needs behind its #, and the browser that opens it. See view.h. */
#include "view.h"

#include "cli/exit_code.h"
#include "cli/output.h"
#include "event_text.h"
#include "ipc/token.h"
#include "talk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUEST "{\"type\":\"status\",\"id\":\"view\"}"
#define URL_MAX 2048
/* A browser that cannot be started is known within this time. */
#define OPENER_MS 5000
#define OPENER_TICK_MS 20

/* ---- the address ---- */

/* Return whether only programs of the same machine reach it: "127.0.0.1:4718", "[::1]", "localhost". */
static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strncmp(host, "[::1]", 5) == 0 || strncmp(host, "localhost", 9) == 0;
}

/* Copy the host of tcp:HOST:PORT or ws://HOST:PORT; "127.0.0.1" for a path. */
static void put_host(const char *socket, char *out, size_t size)
{
    const char *host = socket && strncmp(socket, "tcp:", 4) == 0    ? socket + 4
                       : socket && strncmp(socket, "ws://", 5) == 0 ? socket + 5
                                                                    : "127.0.0.1:";
    size_t length = strcspn(host, "/?");

    while (length > 0 && host[length] != ':')
        length--;
    if (length == 0) /* tcp:PORT */
        host = "127.0.0.1", length = strlen(host);
    snprintf(out, size, "%.*s", (int)length, host);
}

/* Replace an address that means all of the machine's by the host that clashd was reached at. Return false if the page
 * listens on loopback only, and clashd is on another machine. */
static bool put_authority(const char *socket, const char *websocket, char *out, size_t size, failure *out_failure)
{
    char host[80];

    put_host(socket, host, sizeof host);
    if (strncmp(websocket, "0.0.0.0:", 8) == 0 || strncmp(websocket, "[::]:", 5) == 0) {
        snprintf(out, size, "%s%s", host, strrchr(websocket, ':'));
        return true;
    }
    snprintf(out, size, "%s", websocket);
    if (!is_loopback(websocket) || is_loopback(host))
        return true;
    return fail_with(out_failure,
                     "clashd's page listens at %.80s, which only its own machine can open: start it there with "
                     "--websocket 0.0.0.0%.8s",
                     websocket, strrchr(websocket, ':'));
}

/* If clashd asks for none there is no such file. Return false with out_failure if it is there and cannot be read. */
static bool read_token(const talk_place *place, char out_token[TOKEN_LENGTH + 1], failure *out_failure)
{
    char path[PATH_MAX];
    size_t count;
    FILE *file;

    out_token[0] = '\0';
    if (!talk_token_path(place, path, sizeof path))
        return fail_with(out_failure, "the path of clashd's socket is too long");
    file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || fail_with(out_failure, "cannot read the token in %s: %s", path, strerror(errno));
    count = fread(out_token, 1, TOKEN_LENGTH, file);
    fclose(file);
    out_token[count] = '\0';
    if (count == TOKEN_LENGTH && strspn(out_token, "0123456789abcdef") == TOKEN_LENGTH)
        return true;
    return fail_with(out_failure, "%s has no token in it: expected %d hexadecimal digits", path, TOKEN_LENGTH);
}

static void put_escaped(char *out, size_t size, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    size_t length = strlen(out);

    for (; *text && length + 4 < size; text++)
        length +=
            (size_t)snprintf(out + length, size - length, strchr(plain, *text) ? "%c" : "%%%02X", (unsigned char)*text);
}

/* Write the page's address, with the token, if clashd has one. */
static bool make_url(const view_page *page, const char *websocket, char *out_url, size_t size, bool *out_has_token,
                     failure *out_failure)
{
    char authority[256], secret[TOKEN_LENGTH + 1], log[3 * NAME_MAX + 8] = "";

    if (!read_token(&page->place, secret, out_failure) ||
        !put_authority(page->place.socket, websocket, authority, sizeof authority, out_failure))
        return false;
    if (page->log) {
        snprintf(log, sizeof log, "log=");
        put_escaped(log, sizeof log, page->log);
    }
    *out_has_token = secret[0] != '\0';
    snprintf(out_url, size, "http://%s/%s%s%s%s%s%s", authority, page->is_overlay ? "overlay" : "",
             secret[0] || log[0] ? "#" : "", secret[0] ? "token=" : "", secret, secret[0] && log[0] ? "&" : "", log);
    return true;
}

/* ---- the browser ---- */

/* A page that leads there, for this user's eyes alone. */
static bool write_leader(const char *url, const char *socket, char *out_path, size_t size, failure *out_failure)
{
    char beside[PATH_MAX];
    const bool is_path = talk_is_path(socket, beside, sizeof beside) || talk_is_path(NULL, beside, sizeof beside);
    const char *slash = is_path ? strrchr(beside, '/') : NULL;
    FILE *file;
    bool is_written;
    int fd;

    if (!slash || (size_t)snprintf(out_path, size, "%.*s/view.html", (int)(slash - beside), beside) >= size)
        return fail_with(out_failure, "the path of clashd's socket is too long");
    unlink(out_path); /* it may be another's link */
    fd = open(out_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return fail_with(out_failure, "cannot write %s: %s", out_path, strerror(errno));
    }
    fputs("<!doctype html><meta charset=\"utf-8\"><title>clashd</title><meta http-equiv=\"refresh\" content=\"0;url=",
          file);
    for (; *url; url++)
        if (*url == '&')
            fputs("&amp;", file);
        else
            fputc(*url, file);
    fputs("\">\n", file);
    is_written = !ferror(file);
    return (fclose(file) == 0 && is_written) ||
           fail_with(out_failure, "cannot write %s: %s", out_path, strerror(errno));
}

static void run_opener(const char *what, int told)
{
    const int nothing = open("/dev/null", O_RDWR);

    setsid(); /* it may go on when this has ended */
    for (int fd = 0; fd <= 2 && nothing >= 0; fd++)
        dup2(nothing, fd);
    execlp("xdg-open", "xdg-open", what, (char *)NULL);
    if (write(told, &errno, sizeof errno) < 0)
        _exit(126);
    _exit(127);
}

/* Wait until the opener ends, but not long: some browsers run in its place. Return false with why the browser cannot be started. */
static bool has_started(pid_t child, failure *out_failure)
{
    int status = 0;

    for (int waited = 0; waited < OPENER_MS && !view_clashd_is_told_to_end(); waited += OPENER_TICK_MS) {
        const pid_t ended = waitpid(child, &status, WNOHANG);

        if (ended == child && WIFSIGNALED(status))
            return fail_with(out_failure, "xdg-open ended with signal %d", WTERMSIG(status));
        if (ended == child && WEXITSTATUS(status) != 0)
            return fail_with(out_failure, "xdg-open could not start one (exit code %d)", WEXITSTATUS(status));
        if (ended == child)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = OPENER_TICK_MS * 1000000L}, NULL);
    }
    return true;
}

/* Return false with why the browser cannot be started. */
static bool start_opener(const char *what, failure *out_failure)
{
    int told[2], error = 0;
    pid_t child;

    if (pipe2(told, O_CLOEXEC) != 0)
        return fail_with(out_failure, "cannot run xdg-open: %s", strerror(errno));
    child = fork();
    if (child == 0)
        run_opener(what, told[1]);
    if (child < 0)
        error = errno;
    close(told[1]);
    if (child > 0 && read(told[0], &error, sizeof error) <= 0)
        error = 0;
    close(told[0]);
    return error == 0 ? has_started(child, out_failure)
                      : fail_with(out_failure, "cannot run xdg-open: %s", strerror(error));
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && value[0];
}

/* If the URL has a token, hand it over in a file beside the socket, or beside the user's own for other addresses, because other users can read
 * command lines. Return false with why not. */
static bool open_browser(const char *url, bool has_token, const char *socket, failure *out_failure)
{
    char path[PATH_MAX];

    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") && !is_set("BROWSER"))
        return fail_with(out_failure, "there is no display here");
    if (has_token && !write_leader(url, socket, path, sizeof path, out_failure))
        return false;
    return start_opener(has_token ? path : url, out_failure);
}

/* ---- both ---- */

typedef struct answer {
    char websocket[256];     /* "": clashd does not listen for WebSocket */
    char page_missing[1024]; /* why it serves no page; "": it does */
} answer;

static bool on_line(talk *t, const cJSON *message, const char *line)
{
    answer *a = t->context;

    (void)line;
    if (strcmp(message_string(message, "type"), "error") == 0)
        return talk_refused(t, message);
    if (strcmp(message_string(message, "type"), "status") != 0)
        return true;
    snprintf(a->websocket, sizeof a->websocket, "%s", message_string(message, "websocket"));
    snprintf(a->page_missing, sizeof a->page_missing, "%s", message_string(message, "page_missing"));
    t->code = CTL_DONE;
    return false;
}

int view_page_show(const view_page *page, bool *out_is_open)
{
    answer a = {0};
    talk t = {.command = page->command, .place = page->place, .on_line = on_line, .context = &a, .code = CTL_ABSENT};
    char url[URL_MAX];
    failure error = {0};
    bool has_token;
    const int code = talk_run(&t, REQUEST);

    *out_is_open = false;
    if (code != CTL_DONE)
        return code;
    if (!a.websocket[0])
        return output_refuse(page->command, "clashd runs, but where no browser can reach it: start it with --websocket "
                                            "4718, or set socket.websocket to \"4718\" in its settings and start it "
                                            "again");
    if (a.page_missing[0])
        return output_refuse(page->command, "%s", a.page_missing);
    if (!make_url(page, a.websocket, url, sizeof url, &has_token, &error))
        return output_refuse(page->command, "%s", error.text);
    printf("%s\n", output_text(url));
    fflush(stdout);
    if (page->no_browser)
        return CTL_DONE;
    *out_is_open = open_browser(url, has_token, page->place.socket, &error);
    if (!*out_is_open)
        output_error(page->command, "no browser was opened: %s. Open the address above", error.text);
    return CTL_DONE;
}
