// SPDX-License-Identifier: Apache-2.0
#include "codec/utf8_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "codec/base64_text.h"

// The definition itself, byte by byte (Unicode, table 3-7).
static size_t plain_find(const unsigned char *at, size_t size)
{
    size_t i = 0;
    while (i < size) {
        unsigned char lead = at[i];
        size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || i + more >= size) {
            return i;
        }
        for (size_t k = 1; k <= more; k++) {
            if (at[i + k] < (k == 1 ? low : 0x80) || at[i + k] > (k == 1 ? high : 0xbf)) {
                return i;
            }
        }
        i += 1 + more;
    }
    return size;
}

static void all_sequences_of_three_bytes_are_judged_as_unicode_says(void **state)
{
    (void)state;
    for (uint32_t word = 0; word < 1U << 24; word += word < 1U << 16 ? 1 : 7) {
        unsigned char bytes[4] = {(unsigned char)(word >> 16), (unsigned char)(word >> 8),
                                  (unsigned char)word, 0x80};
        assert_int_equal(utf8_check_find((const char *)bytes, 3), plain_find(bytes, 3));
        assert_int_equal(utf8_check_find((const char *)bytes, 4), plain_find(bytes, 4));
    }
}

static void a_bad_byte_is_found_behind_long_text(void **state)
{
    (void)state;
    char text[100];
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, 'a', sizeof text);
        text[at] = (char)0xff;
        assert_int_equal(utf8_check_find(text, sizeof text), at);
        assert_int_equal(utf8_check_find(text, at), at);
    }
}

static void base64_is_decoded_as_in_rfc_4648(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"Zg==", "f"},
        {"Zm8=", "fo"},
        {"Zm9v", "foo"},
        {"Zm9vYg==", "foob"},
        {"Zm9vYmE=", "fooba"},
        {"Zm9vYmFy", "foobar"},
        {"Zg", "f"},
    };
    char out[32];
    size_t size;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(base64_text_decode(str_from(cases[i][0]), out, &size));
        assert_int_equal(size, strlen(cases[i][1]));
        assert_memory_equal(out, cases[i][1], size);
    }
    static const char *const bad[] = {"Z", "Zm9v=", "Zg=", "Z===", "Zm 9v", "Zh==", "Zm9\n"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(base64_text_decode(str_from(bad[i]), out, &size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sequences_of_three_bytes_are_judged_as_unicode_says),
        cmocka_unit_test(a_bad_byte_is_found_behind_long_text),
        cmocka_unit_test(base64_is_decoded_as_in_rfc_4648),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
