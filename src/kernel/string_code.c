// SPDX-License-Identifier: Apache-2.0
//
// ASCII, CHR, HEX, UNHEX, TO_BASE64, FROM_BASE64.
#include "kernel/cast_int.h"
#include "kernel/string.h"
#include "kernel/string_int.h"

static void ascii_loop(struct kernel_loop *loop)
{
    const struct strview *in = loop->args[0];
    for (uint32_t row = 0; row < loop->count; row++) {
        ((int32_t *)loop->out)[row] = in[row].size == 0 ? 0 : (signed char)in[row].prefix[0];
    }
}

void string_ascii(struct kernel_run *run, const struct column *s, struct column *out)
{
    struct kernel_shape shape = {.loop = ascii_loop, .out = PHYSICAL_I32};
    kernel_map(run, &shape, s, 1, out);
}

static void chr_one(struct kernel_loop *loop, uint32_t row)
{
    int64_t code = ((const int64_t *)loop->args[0])[row];
    if (code < 0) {
        return;
    }
    unsigned char byte = (unsigned char)(code & 0xff);
    char text[2] = {(char)byte};
    if (byte >= 0x80) {
        text[0] = (char)(0xc0 | byte >> 6);
        text[1] = (char)(0x80 | (byte & 0x3f));
    }
    string_put(loop, row, str_make(text, byte >= 0x80 ? 2 : 1));
}

static void chr_loop(struct kernel_loop *loop)
{
    string_each(loop, chr_one);
}

static void map(struct kernel_run *run, const struct kernel_shape *shape, const struct column *in,
                struct column *out)
{
    struct kernel_shape complete = *shape;
    complete.out = PHYSICAL_STRING;
    complete.skips = true;
    kernel_map(run, &complete, in, 1, out);
}

void string_chr(struct kernel_run *run, const struct column *n, struct column *out)
{
    map(run, &(struct kernel_shape){.loop = chr_loop}, n, out);
}

static const char hex_digits[] = "0123456789ABCDEF";

static void hex_one(struct kernel_loop *loop, uint32_t row)
{
    struct str bytes = string_arg(loop, 0, row);
    char *out = arena_alloc(loop->arena, bytes.size * 2 + 1);
    for (size_t i = 0; i < bytes.size; i++) {
        out[2 * i] = hex_digits[(unsigned char)bytes.ptr[i] >> 4];
        out[2 * i + 1] = hex_digits[bytes.ptr[i] & 15];
    }
    string_put(loop, row, str_make(out, bytes.size * 2));
}

// Without zeros in front; negative numbers as their two's complement of 64 bits.
static void hex_number_one(struct kernel_loop *loop, uint32_t row)
{
    uint64_t value = (uint64_t)((const int64_t *)loop->args[0])[row];
    char text[16];
    size_t at = sizeof text;
    do {
        text[--at] = hex_digits[value & 15];
        value >>= 4;
    } while (value != 0);
    size_t size = sizeof text - at;
    string_put(
        loop, row,
        str_make(size > STRVIEW_INLINE_MAX ? arena_copy(loop->arena, text + at, size) : text + at,
                 size));
}

static void hex_loop(struct kernel_loop *loop)
{
    string_each(loop, hex_one);
}

static void hex_number_loop(struct kernel_loop *loop)
{
    string_each(loop, hex_number_one);
}

void string_hex(struct kernel_run *run, const struct column *s_or_n, struct column *out)
{
    bool is_number = s_or_n->physical == PHYSICAL_I64;
    map(run, &(struct kernel_shape){.loop = is_number ? hex_number_loop : hex_loop}, s_or_n, out);
}

static int hex_value(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

// Of an odd number of digits the first counts as zero, as in Flink.
static void unhex_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    size_t odd = text.size % 2;
    unsigned char *out = arena_zalloc(loop->arena, text.size / 2 + 2);
    bool is_good = odd == 0 || hex_value(text.ptr[0]) >= 0;
    for (size_t i = odd; i < text.size; i += 2) {
        int high = hex_value(text.ptr[i]);
        int low = hex_value(text.ptr[i + 1]);
        is_good = is_good && high >= 0 && low >= 0;
        out[(i + odd) / 2] = (unsigned char)(is_good ? high << 4 | low : 0);
    }
    if (is_good) {
        string_put(loop, row, str_make((char *)out, (text.size + odd) / 2));
    } else {
        string_put_bad(loop, row);
    }
}

static void unhex_loop(struct kernel_loop *loop)
{
    string_each(loop, unhex_one);
}

void string_unhex(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, &(struct kernel_shape){.loop = unhex_loop, .bad = KERNEL_BAD_IS_NULL}, s, out);
}

static const char base64_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void to_base64_one(struct kernel_loop *loop, uint32_t row)
{
    struct str bytes = string_arg(loop, 0, row);
    char *out = arena_alloc(loop->arena, (bytes.size + 2) / 3 * 4 + 1);
    size_t size = 0;
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; j++) {
            group = group << 8 | (i + j < bytes.size ? (unsigned char)bytes.ptr[i + j] : 0);
        }
        for (size_t j = 0; j < 4; j++) {
            out[size++] = i + j > bytes.size ? '=' : base64_letters[group >> (18 - 6 * j) & 63];
        }
    }
    string_put(loop, row, str_make(out, size));
}

static int base64_value(char byte)
{
    return byte >= 'A' && byte <= 'Z'   ? byte - 'A'
           : byte >= 'a' && byte <= 'z' ? byte - 'a' + 26
           : byte >= '0' && byte <= '9' ? byte - '0' + 52
           : byte == '+'                ? 62
           : byte == '/'                ? 63
                                        : -1;
}

// Padding may be missing, but not be too much; the result is text.
static void from_base64_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    size_t digits = text.size;
    while (digits > 0 && text.ptr[digits - 1] == '=' && text.size - digits < 2) {
        digits--;
    }
    bool is_good = digits % 4 != 1 && (digits == text.size || text.size % 4 == 0);
    char *out = arena_alloc(loop->arena, digits / 4 * 3 + 4);
    size_t size = 0;
    uint32_t group = 0;
    for (size_t i = 0; i < digits && is_good; i++) {
        int value = base64_value(text.ptr[i]);
        is_good = value >= 0;
        group = group << 6 | (uint32_t)(value & 63);
        if (i % 4 != 0) {
            out[size++] = (char)(group >> (6 - 2 * (i % 4)) & 0xff);
        }
    }
    if (!is_good) {
        string_put_bad(loop, row);
        return;
    }
    string_put(loop, row, cast_text_decode(str_make(out, size), loop->arena));
}

static void to_base64_loop(struct kernel_loop *loop)
{
    string_each(loop, to_base64_one);
}

static void from_base64_loop(struct kernel_loop *loop)
{
    string_each(loop, from_base64_one);
}

void string_to_base64(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, &(struct kernel_shape){.loop = to_base64_loop}, s, out);
}

void string_from_base64(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run,
        &(struct kernel_shape){.loop = from_base64_loop,
                               .bad = KERNEL_BAD_IS_FAILURE,
                               .failure = "text that is no base64"},
        s, out);
}
