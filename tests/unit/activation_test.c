/* Sockets that were handed over: what each is taken for, and what is refused with which words. */
#include "support/fresh.h"
#include "support/temporary.h"

#include "service/activation.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define FIRST 40

static char directory[] = "/tmp/clashd-test-" TEMPORARY;

static int move_to(int fd, int wanted)
{
    assert_true(fd >= 0);
    if (fd == wanted)
        return fd;
    assert_int_equal(dup2(fd, wanted), wanted);
    close(fd);
    return wanted;
}

static int make_tcp(int at, const char *host, bool listening, char out_text[ADDRESS_TEXT_MAX])
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    address a = {.length = sizeof a.storage};
    int fd = move_to(socket(AF_INET, SOCK_STREAM, 0), at);

    assert_int_equal(inet_pton(AF_INET, host, &in.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof in), 0);
    if (listening)
        assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a.storage, &a.length), 0);
    address_format(&a, out_text);
    return fd;
}

static int make_unix(int at, const char *path, int type, bool listening)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int fd = move_to(socket(AF_UNIX, type, 0), at);

    memcpy(un.sun_path, path, strlen(path));
    unlink(path);
    assert_int_equal(
        bind(fd, (struct sockaddr *)&un, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))), 0);
    if (listening)
        assert_int_equal(listen(fd, 4), 0);
    return fd;
}

static const char *in_directory(const char *name, char out_path[108])
{
    snprintf(out_path, 108, "%s/%s", directory, name);
    return out_path;
}

static systemd_descriptors named(size_t count, const char *const names[])
{
    systemd_descriptors d = {.count = count};

    for (size_t i = 0; i < count; i++)
        snprintf(d.names[i], sizeof d.names[i], "%s", names[i]);
    return d;
}

static void close_all(int count)
{
    for (int i = 0; i < count; i++)
        close(FIRST + i);
}

static void names_tell_them_apart(void **state)
{
    const systemd_descriptors d = named(3, (const char *[]){"clashd-websocket", "clashd", "clashd-tcp"});
    config_socket config = {.require_token = true};
    failure error = {0};
    char path[108], tcp[ADDRESS_TEXT_MAX], websocket[ADDRESS_TEXT_MAX];
    activation a;

    (void)state;
    make_tcp(FIRST, "127.0.0.1", true, websocket);
    make_unix(FIRST + 1, in_directory("s.sock", path), SOCK_STREAM, true);
    make_tcp(FIRST + 2, "0.0.0.0", true, tcp);
    if (activation_sort(&d, FIRST, &config, &a, fresh(&error)) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(a.local.fd, FIRST + 1);
    assert_string_equal(a.local.path, path);
    assert_int_equal(a.endpoints[ENDPOINT_TCP].fd, FIRST + 2);
    assert_string_equal(a.endpoints[ENDPOINT_TCP].text, tcp);
    assert_int_equal(a.endpoints[ENDPOINT_WEBSOCKET].fd, FIRST);
    assert_string_equal(a.endpoints[ENDPOINT_WEBSOCKET].text, websocket);
    for (int i = 0; i < 3; i++) {
        assert_true(fcntl(FIRST + i, F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(FIRST + i, F_GETFD) & FD_CLOEXEC);
    }
    assert_true(activation_is_at(&a.local, path));
    assert_false(activation_is_at(&a.local, "/elsewhere"));
    assert_false(activation_is_at(&a.endpoints[ENDPOINT_TCP], "nonsense"));
    close_all(3);
}

static void without_names_the_settings_addresses_do(void **state)
{
    const systemd_descriptors d = named(3, (const char *[]){"unknown", "clashd.socket", "clashd"});
    config_socket config = {.require_token = false};
    failure error = {0};
    char path[108];
    activation a;

    (void)state;
    make_unix(FIRST, in_directory("s.sock", path), SOCK_STREAM, true);
    make_tcp(FIRST + 1, "127.0.0.1", true, config.tcp);
    make_tcp(FIRST + 2, "127.0.0.1", true, config.websocket);
    snprintf(config.tcp, sizeof config.tcp, "%s",
             strrchr(config.tcp, ':') + 1); /* 127.0.0.1 is what a port alone means */
    if (activation_sort(&d, FIRST, &config, &a, fresh(&error)) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(a.local.fd, FIRST);
    assert_int_equal(a.endpoints[ENDPOINT_TCP].fd, FIRST + 1);
    assert_int_equal(a.endpoints[ENDPOINT_WEBSOCKET].fd, FIRST + 2);
    close_all(3);
}

static void refused(const char *const names[], size_t count, bool require_token, const char *part)
{
    const systemd_descriptors d = named(count, names);
    config_socket config = {.require_token = require_token};
    failure error = {0};
    activation a;

    assert_int_equal(activation_sort(&d, FIRST, &config, &a, fresh(&error)), -1);
    if (!strstr(error.text, part) || !strstr(error.text, "expected") == !strstr(error.text, "require_token"))
        fail_msg("'%s' says nothing of '%s'", error.text, part);
    close_all((int)count);
}

static void what_fits_nothing_is_refused(void **state)
{
    char path[108], other[108], text[ADDRESS_TEXT_MAX];
    int ends[2];

    (void)state;
    close(FIRST);
    refused((const char *[]){"clashd"}, 1, true, "descriptor 40 that was handed over ('clashd') is not open");
    assert_int_equal(pipe(ends), 0);
    close(ends[1]);
    move_to(ends[0], FIRST);
    refused((const char *[]){"clashd"}, 1, true, "is no socket");
    move_to(socket(AF_INET, SOCK_DGRAM, 0), FIRST);
    refused((const char *[]){"clashd-tcp"}, 1, true, "is no stream socket");
    make_unix(FIRST, in_directory("d.sock", path), SOCK_DGRAM, false);
    refused((const char *[]){"clashd"}, 1, true, "is no stream socket");
    move_to(socket(AF_NETLINK, SOCK_RAW, 0), FIRST);
    refused((const char *[]){"clashd"}, 1, true, "is a socket of another family");
    make_tcp(FIRST, "127.0.0.1", false, text);
    refused((const char *[]){"clashd-tcp"}, 1, true, "is a socket that does not listen");
    make_unix(FIRST, in_directory("s.sock", path), SOCK_STREAM, true);
    make_unix(FIRST + 1, in_directory("t.sock", other), SOCK_STREAM, true);
    refused((const char *[]){"clashd", "clashd"}, 2, true, "two sockets were handed over for the same: descriptor 40");
    make_unix(FIRST, in_directory("s.sock", path), SOCK_STREAM, true);
    refused((const char *[]){"clashd-tcp"}, 1, true, path);
    make_tcp(FIRST, "127.0.0.1", true, text);
    refused((const char *[]){"clashd"}, 1, true, text);
    make_tcp(FIRST, "0.0.0.0", true, text);
    refused((const char *[]){"clashd-tcp"}, 1, false, "socket.require_token: false");
}

/* Its token and its mode would be nowhere. */
static void a_unix_socket_wants_a_path(void **state)
{
    struct sockaddr_un abstract = {.sun_family = AF_UNIX, .sun_path = "\0clashd-test"};

    (void)state;
    move_to(socket(AF_UNIX, SOCK_STREAM, 0), FIRST);
    snprintf(abstract.sun_path + 1, sizeof abstract.sun_path - 1, "clashd-test-%ld", (long)getpid());
    assert_int_equal(bind(FIRST, (struct sockaddr *)&abstract, sizeof abstract), 0);
    assert_int_equal(listen(FIRST, 1), 0);
    refused((const char *[]){"clashd"}, 1, true, "is a Unix socket without a path");
}

static void the_environment_is_cleared_for_children(void **state)
{
    systemd_descriptors d;
    failure error = {0};
    char path[108], number[32];

    (void)state;
    make_unix(SYSTEMD_FIRST_DESCRIPTOR, in_directory("s.sock", path), SOCK_STREAM, true);
    snprintf(number, sizeof number, "%ld", (long)getpid());
    setenv("LISTEN_PID", number, 1);
    setenv("LISTEN_FDS", "1", 1);
    setenv("LISTEN_FDNAMES", "some-name", 1);
    if (systemd_take_descriptors(&d, fresh(&error)) != 0 && strstr(error.text, "without libsystemd"))
        skip();
    assert_string_equal(error.text, "");
    assert_int_equal(d.count, 1);
    assert_string_equal(d.names[0], "some-name");
    assert_null(getenv("LISTEN_PID"));
    assert_null(getenv("LISTEN_FDS"));
    assert_null(getenv("LISTEN_FDNAMES"));
    assert_true(fcntl(SYSTEMD_FIRST_DESCRIPTOR, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(systemd_take_descriptors(&d, fresh(&error)), 0);
    assert_int_equal(d.count, 0);
    close(SYSTEMD_FIRST_DESCRIPTOR);
    setenv("LISTEN_PID", number, 1);
    setenv("LISTEN_FDS", "many", 1);
    assert_int_equal(systemd_take_descriptors(&d, fresh(&error)), -1);
    assert_non_null(strstr(error.text, "expected LISTEN_FDS descriptors"));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
    char path[108];

    (void)state;
    unlink(in_directory("s.sock", path));
    unlink(in_directory("t.sock", path));
    unlink(in_directory("d.sock", path));
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_them_apart),
        cmocka_unit_test(without_names_the_settings_addresses_do),
        cmocka_unit_test(what_fits_nothing_is_refused),
        cmocka_unit_test(a_unix_socket_wants_a_path),
        cmocka_unit_test(the_environment_is_cleared_for_children),
    };

    return cmocka_run_group_tests_name("activation", tests, set_up, tear_down);
}
