// SPDX-License-Identifier: Apache-2.0
//
// Tokens of JSON without regard to what they mean: checking, passing over, unescaping.
#include <stddef.h>

#include "codec/json_int.h"
#include "codec/utf8_check.h"

const char *json_scan_blank_slow(const struct json_decoder *decoder, const char *at)
{
    for (;; at++) {
        switch (*at) {
        case ' ':
        case '\t':
        case '\r': break;
        case '\n':
            if (json_is_end(decoder, at)) {
                return at;
            }
            break;
        default: return at;
        }
    }
}

const char *json_scan_fail(struct json_decoder *decoder, const char *at, const char *what)
{
    decoder->failure = (struct json_failure){.at = at, .is_syntax = true, .what = what};
    if (json_is_end(decoder, at)) {
        decoder->failure.what = "the record ends too early";
    }
    return NULL;
}

static bool scan_is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

// Behind the escape whose backslash is at `at`.
static const char *scan_escape(struct json_decoder *decoder, const char *at)
{
    switch (at[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return at + 2;
    case 'u':
        for (int i = 2; i < 6; i++) {
            if (!scan_is_hex(at[i])) {
                return json_scan_fail(decoder, at + i, "\\u needs four hexadecimal digits");
            }
        }
        return at + 6;
    default: return json_scan_fail(decoder, at + 1, "there is no such escape");
    }
}

const char *json_scan_string_checked(struct json_decoder *decoder, const char *at, bool *escapes)
{
    const char *begin = at;
    bool any_high = false;
    *escapes = false;
    for (;;) {
        bool high;
        at = json_scan_string(at, &high);
        any_high |= high;
        if (*at == '"') {
            break;
        }
        if (*at == '\\') {
            *escapes = true;
            at = scan_escape(decoder, at);
            if (at == NULL) {
                return NULL;
            }
        } else if (json_is_end(decoder, at)) {
            return json_scan_fail(decoder, at, "the string does not end");
        } else {
            at++; // control characters are taken as they are
        }
    }
    if (any_high) {
        size_t size = (size_t)(at - begin);
        size_t bad = utf8_check_find(begin, size);
        if (bad != size) {
            return json_scan_fail(decoder, begin + bad, "the string is not UTF-8");
        }
    }
    return at + 1;
}

static bool scan_is_digit(char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

static const char *scan_number(struct json_decoder *decoder, const char *at)
{
    at += *at == '-';
    if (!scan_is_digit(*at)) {
        return json_scan_fail(decoder, at, "a value is expected");
    }
    if (*at == '0' && scan_is_digit(at[1])) {
        return json_scan_fail(decoder, at, "a number cannot begin with 0");
    }
    while (scan_is_digit(*at)) {
        at++;
    }
    if (*at == '.') {
        at++;
        if (!scan_is_digit(*at)) {
            return json_scan_fail(decoder, at, "digits are expected behind the point");
        }
        while (scan_is_digit(*at)) {
            at++;
        }
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        if (!scan_is_digit(*at)) {
            return json_scan_fail(decoder, at, "digits are expected in the exponent");
        }
        while (scan_is_digit(*at)) {
            at++;
        }
    }
    return at;
}

static const char *scan_scalar(struct json_decoder *decoder, const char *at)
{
    bool escapes;
    switch (*at) {
    case '"': return json_scan_string_checked(decoder, at + 1, &escapes);
    case 't':
        if (memcmp(at, "true", 4) == 0) {
            return at + 4;
        }
        break;
    case 'f':
        if (memcmp(at, "false", 5) == 0) {
            return at + 5;
        }
        break;
    case 'n':
        if (memcmp(at, "null", 4) == 0) {
            return at + 4;
        }
        break;
    default: return scan_number(decoder, at);
    }
    return json_scan_fail(decoder, at, "a value is expected");
}

// What of an object or array is expected next.
enum scan_expected { SCAN_KEY_OR_END, SCAN_KEY, SCAN_ITEM_OR_END, SCAN_ITEM, SCAN_MORE };

struct scan_nesting {
    uint64_t is_object[JSON_DECODE_DEPTH_MAX / 64];
    uint32_t depth;
};

static bool scan_in_object(const struct scan_nesting *nesting)
{
    uint32_t top = nesting->depth - 1;
    return (nesting->is_object[top / 64] >> (top % 64) & 1) != 0;
}

static bool scan_push(struct scan_nesting *nesting, bool is_object)
{
    if (nesting->depth == JSON_DECODE_DEPTH_MAX) {
        return false;
    }
    uint64_t bit = UINT64_C(1) << (nesting->depth % 64);
    uint64_t *word = &nesting->is_object[nesting->depth / 64];
    *word = is_object ? *word | bit : *word & ~bit;
    nesting->depth++;
    return true;
}

// From a key's opening quote to its value.
static const char *scan_key(struct json_decoder *decoder, const char *at)
{
    bool escapes;
    if (*at != '"') {
        return json_scan_fail(decoder, at, "a key in quotes is expected");
    }
    at = json_scan_string_checked(decoder, at + 1, &escapes);
    if (at == NULL) {
        return NULL;
    }
    at = json_scan_blank(decoder, at);
    if (*at != ':') {
        return json_scan_fail(decoder, at, "':' is expected behind the key");
    }
    return json_scan_blank(decoder, at + 1);
}

// Objects and arrays, without recursion.
static const char *scan_nested(struct json_decoder *decoder, const char *at)
{
    struct scan_nesting nesting = {.depth = 0};
    enum scan_expected expected = SCAN_ITEM;
    for (;;) {
        at = json_scan_blank(decoder, at);
        bool may_end =
            expected == SCAN_KEY_OR_END || expected == SCAN_ITEM_OR_END || expected == SCAN_MORE;
        if (may_end && *at == (scan_in_object(&nesting) ? '}' : ']')) {
            at++;
            if (--nesting.depth == 0) {
                return at;
            }
            expected = SCAN_MORE;
            continue;
        }
        if (expected == SCAN_MORE) {
            if (*at != ',') {
                return json_scan_fail(decoder, at,
                                      scan_in_object(&nesting) ? "',' or '}' is expected"
                                                               : "',' or ']' is expected");
            }
            at = json_scan_blank(decoder, at + 1);
            expected = scan_in_object(&nesting) ? SCAN_KEY : SCAN_ITEM;
        }
        if (expected == SCAN_KEY || expected == SCAN_KEY_OR_END) {
            at = scan_key(decoder, at);
            if (at == NULL) {
                return NULL;
            }
        }
        if (*at == '{' || *at == '[') {
            if (!scan_push(&nesting, *at == '{')) {
                return json_scan_fail(decoder, at, "the value is nested too deeply");
            }
            expected = *at == '{' ? SCAN_KEY_OR_END : SCAN_ITEM_OR_END;
            at++;
            continue;
        }
        at = scan_scalar(decoder, at);
        if (at == NULL) {
            return NULL;
        }
        expected = SCAN_MORE;
    }
}

const char *json_scan_value(struct json_decoder *decoder, const char *at)
{
    return *at == '{' || *at == '[' ? scan_nested(decoder, at) : scan_scalar(decoder, at);
}

static uint32_t scan_hex4(const char *at)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char byte = at[i];
        uint32_t digit = (uint32_t)(byte <= '9' ? byte - '0' : (byte | 0x20) - 'a' + 10);
        code = code << 4 | digit;
    }
    return code;
}

static char *scan_put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

// The \u escape at *at (behind "\u"), with the low surrogate that may follow. Half a pair becomes
// '?', as Java encodes it.
static char *scan_put_unicode(char *out, const char **at, const char *end)
{
    uint32_t code = scan_hex4(*at);
    *at += 4;
    if (code >= 0xd800 && code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        uint32_t low = scan_hex4(*at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            *at += 6;
            return scan_put_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
        }
    }
    return scan_put_utf8(out, code >= 0xd800 && code < 0xe000 ? '?' : code);
}

static char scan_unescape_byte(char byte)
{
    switch (byte) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return byte;
    }
}

// Views are made by loading whole words: texts in the heap have 16 bytes behind them.
static char *scan_heap(struct json_decoder *decoder, size_t size)
{
    return arena_alloc(&decoder->heap, size + 16);
}

struct str json_scan_unescape(struct json_decoder *decoder, struct str raw)
{
    char *text = scan_heap(decoder, raw.size);
    char *out = text;
    const char *at = raw.ptr;
    const char *end = raw.ptr + raw.size;
    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape == NULL ? end : escape) - at);
        memcpy(out, at, plain);
        out += plain;
        at += plain;
        if (at == end) {
            break;
        }
        char kind = at[1];
        at += 2;
        if (kind == 'u') {
            out = scan_put_unicode(out, &at, end);
        } else {
            *out++ = scan_unescape_byte(kind);
        }
    }
    return str_make(text, (size_t)(out - text));
}

struct str json_scan_compact(struct json_decoder *decoder, struct str raw)
{
    char *text = scan_heap(decoder, raw.size);
    char *out = text;
    bool in_string = false;
    for (size_t i = 0; i < raw.size; i++) {
        char byte = raw.ptr[i];
        if (in_string && byte == '\\') {
            *out++ = byte;
            byte = raw.ptr[++i];
        } else if (byte == '"') {
            in_string = !in_string;
        } else if (!in_string && (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')) {
            continue;
        }
        *out++ = byte;
    }
    return str_make(text, (size_t)(out - text));
}
