/* SHA-256 against the examples of FIPS 180-4 (as NIST publishes them), in one piece and in pieces. */
#include "mesh/helper/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *digest;
} examples[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static void the_examples_come_out(void **state)
{
    char found[SHA256_TEXT_MAX];
    sha256 s;

    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        sha256_init(&s);
        sha256_add(&s, examples[i].text, strlen(examples[i].text));
        sha256_finish(&s, found);
        assert_string_equal(found, examples[i].digest);
    }
    sha256_init(&s); /* a million times a */
    for (int i = 0; i < 1000000; i++)
        sha256_add(&s, "a", 1);
    sha256_finish(&s, found);
    assert_string_equal(found, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every length around a block's, cut anywhere. */
static void pieces_are_the_whole(void **state)
{
    char text[200], whole[SHA256_TEXT_MAX], found[SHA256_TEXT_MAX];
    sha256 s;

    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(7 * i);
    for (size_t length = 0; length <= sizeof text; length++) {
        sha256_init(&s);
        sha256_add(&s, text, length);
        sha256_finish(&s, whole);
        for (size_t cut = 0; cut <= length; cut += 13) {
            sha256_init(&s);
            sha256_add(&s, text, cut);
            sha256_add(&s, text + cut, length - cut);
            sha256_finish(&s, found);
            assert_string_equal(found, whole);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_come_out),
        cmocka_unit_test(pieces_are_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
