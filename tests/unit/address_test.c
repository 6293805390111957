/* Addresses to listen on: what is one, what is none, and which are of this machine alone. */
#include "ipc/address.h"
#include "support/fresh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void addresses_are_read_and_shown(void **state)
{
    static const struct {
        const char *text, *shown;
        bool loopback;
    } rows[] = {
        {"4717", "127.0.0.1:4717", true},
        {"0", "127.0.0.1:0", true},
        {"65535", "127.0.0.1:65535", true},
        {"localhost:80", "127.0.0.1:80", true},
        {"127.8.9.10:1", "127.8.9.10:1", true},
        {"[::1]:4717", "[::1]:4717", true},
        {"0.0.0.0:4717", "0.0.0.0:4717", false},
        {"[::]:4717", "[::]:4717", false},
        {"192.0.2.1:4717", "192.0.2.1:4717", false},
        {"128.0.0.1:4717", "128.0.0.1:4717", false},
        {"[2001:db8::1]:4717", "[2001:db8::1]:4717", false},
        {"[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", false},
    };
    failure error = {0};
    char shown[ADDRESS_TEXT_MAX];
    address a;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(address_parse(rows[i].text, &a, fresh(&error)), 0);
        address_format(&a, shown);
        assert_string_equal(shown, rows[i].shown);
        assert_int_equal(address_is_loopback(&a), rows[i].loopback);
    }
}

static void what_is_no_address_is_said_to_be_none(void **state)
{
    static const char *const texts[] = {
        "",         ":",           ":80",         "65536",         "99999999999", "-1",   "80x",   "host:80",
        "1.2.3:80", "1.2.3.4.5:1", "::1:80",      "[::1]80",       "[::1]:",      "[::1", "[]:80", "[1.2.3.4]:1",
        "1.2.3.4:", " 1.2.3.4:1",  "1.2.3.4:0x1", "[fe80::1%lo]:1"};
    failure error = {0};
    char lengthy[200];
    address a;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (address_parse(texts[i], &a, fresh(&error)) == 0)
            fail_msg("%s was taken", texts[i]);
        assert_non_null(strstr(error.text, texts[i]));
        assert_non_null(strstr(error.text, "HOST:PORT"));
    }
    memset(lengthy, '1', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    lengthy[150] = ':';
    assert_int_equal(address_parse(lengthy, &a, fresh(&error)), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_shown),
        cmocka_unit_test(what_is_no_address_is_said_to_be_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
