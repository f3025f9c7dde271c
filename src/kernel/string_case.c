// SPDX-License-Identifier: Apache-2.0
//
// UPPER, LOWER, INITCAP. ASCII by a loop over bytes; the rest by Unicode's simple mappings, and by
// the full ones where Java's String.toUpperCase() and toLowerCase() (root locale) make more than
// one character: sharp s, ligatures, dotted I, the final sigma.
#include <utf8proc.h>

#include "kernel/string.h"
#include "kernel/string_int.h"

// X(code point, its upper case in UTF-8)
static const struct {
    int32_t code;
    const char *upper;
} special_upper[] = {
    {0xdf, "SS"},          {0x149, "\xca\xbcN"},
    {0x1f0, "J\xcc\x8c"},  {0x587, "\xd4\xb5\xd5\x92"},
    {0x1e96, "H\xcc\xb1"}, {0x1e97, "T\xcc\x88"},
    {0x1e98, "W\xcc\x8a"}, {0x1e99, "Y\xcc\x8a"},
    {0x1e9a, "A\xca\xbe"}, {0xfb00, "FF"},
    {0xfb01, "FI"},        {0xfb02, "FL"},
    {0xfb03, "FFI"},       {0xfb04, "FFL"},
    {0xfb05, "ST"},        {0xfb06, "ST"},
};

enum { CAPITAL_SIGMA = 0x3a3, FINAL_SIGMA = 0x3c2, CAPITAL_DOTTED_I = 0x130, GROWTH_MAX = 3 };

static bool is_letter(struct str text, size_t at)
{
    utf8proc_int32_t code;
    if (at >= text.size || utf8proc_iterate((const uint8_t *)text.ptr + at,
                                            (utf8proc_ssize_t)(text.size - at), &code) < 0) {
        return false;
    }
    utf8proc_category_t category = utf8proc_category(code);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

static size_t previous(struct str text, size_t at)
{
    size_t start = at - 1;
    while (start > 0 && utf8_is_continuation(text.ptr[start])) {
        start--;
    }
    return start;
}

// The bytes of one character's other case, at most 4 * GROWTH_MAX.
static size_t put_case(struct str text, size_t at, bool is_upper, char *out)
{
    utf8proc_int32_t code;
    size_t length = utf8_length(text, at);
    if (utf8proc_iterate((const uint8_t *)text.ptr + at, (utf8proc_ssize_t)length, &code) < 0) {
        memcpy(out, text.ptr + at, length);
        return length;
    }
    for (size_t i = 0; is_upper && i < sizeof special_upper / sizeof *special_upper; i++) {
        if (special_upper[i].code == code) {
            size_t size = strlen(special_upper[i].upper);
            memcpy(out, special_upper[i].upper, size);
            return size;
        }
    }
    if (!is_upper && code == CAPITAL_DOTTED_I) {
        memcpy(out, "i\xcc\x87", 3);
        return 3;
    }
    bool is_final = !is_upper && code == CAPITAL_SIGMA && at > 0 &&
                    is_letter(text, previous(text, at)) && !is_letter(text, at + length);
    code = is_final ? FINAL_SIGMA : is_upper ? utf8proc_toupper(code) : utf8proc_tolower(code);
    return (size_t)utf8proc_encode_char(code, (uint8_t *)out);
}

static char ascii_upper(char byte)
{
    return byte >= 'a' && byte <= 'z' ? (char)(byte - 32) : byte;
}

static char ascii_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + 32) : byte;
}

static void put_ascii(struct kernel_loop *loop, uint32_t row, struct str text, bool is_upper)
{
    char inline_bytes[STRVIEW_INLINE_MAX];
    char *out =
        text.size <= STRVIEW_INLINE_MAX ? inline_bytes : arena_alloc(loop->arena, text.size);
    for (size_t i = 0; i < text.size; i++) {
        out[i] = is_upper ? ascii_upper(text.ptr[i]) : ascii_lower(text.ptr[i]);
    }
    string_put(loop, row, str_make(out, text.size));
}

static void put_unicode(struct kernel_loop *loop, uint32_t row, struct str text, bool is_upper)
{
    char *out = arena_alloc(loop->arena, text.size * GROWTH_MAX + 4);
    size_t size = 0;
    for (size_t at = 0; at < text.size; at += utf8_length(text, at)) {
        size += put_case(text, at, is_upper, out + size);
    }
    string_put(loop, row, str_make(out, size));
}

static void upper_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    if (utf8_is_ascii(text)) {
        put_ascii(loop, row, text, true);
    } else {
        put_unicode(loop, row, text, true);
    }
}

static void lower_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    if (utf8_is_ascii(text)) {
        put_ascii(loop, row, text, false);
    } else {
        put_unicode(loop, row, text, false);
    }
}

static bool is_alphanumeric(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z');
}

// Words are runs of ASCII letters and digits; other characters part them and stay.
static void initcap_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    char *out = arena_alloc(loop->arena, text.size + 1);
    bool in_word = false;
    for (size_t i = 0; i < text.size; i++) {
        out[i] = in_word ? ascii_lower(text.ptr[i]) : ascii_upper(text.ptr[i]);
        in_word = is_alphanumeric(text.ptr[i]);
    }
    string_put(loop, row, str_make(out, text.size));
}

static void upper_loop(struct kernel_loop *loop)
{
    string_each(loop, upper_one);
}

static void lower_loop(struct kernel_loop *loop)
{
    string_each(loop, lower_one);
}

static void initcap_loop(struct kernel_loop *loop)
{
    string_each(loop, initcap_one);
}

static void map(struct kernel_run *run, kernel_loop_fn *loop, const struct column *s,
                struct column *out)
{
    struct kernel_shape shape = {.loop = loop, .out = PHYSICAL_STRING, .skips = true};
    kernel_map(run, &shape, s, 1, out);
}

void string_upper(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, upper_loop, s, out);
}

void string_lower(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, lower_loop, s, out);
}

void string_initcap(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, initcap_loop, s, out);
}
