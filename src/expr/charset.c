// SPDX-License-Identifier: Apache-2.0
#include "expr/charset.h"

#include <utf8proc.h>

#include "base/arena.h"

enum set { SET_UTF8, SET_ASCII, SET_LATIN1, SET_UTF16, SET_UTF16BE, SET_UTF16LE };

enum { REPLACEMENT = 0xfffd, BYTES_A_CHARACTER_MAX = 4 };

static enum status find(struct str name, enum set *set, struct err *err)
{
    static const struct {
        const char *name;
        enum set set;
    } sets[] = {{"UTF-8", SET_UTF8},      {"UTF8", SET_UTF8},         {"US-ASCII", SET_ASCII},
                {"ASCII", SET_ASCII},     {"ISO-8859-1", SET_LATIN1}, {"ISO8859_1", SET_LATIN1},
                {"LATIN1", SET_LATIN1},   {"UTF-16", SET_UTF16},      {"UTF-16BE", SET_UTF16BE},
                {"UTF-16LE", SET_UTF16LE}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (str_is_nocase(name, sets[i].name)) {
            *set = sets[i].set;
            return STATUS_OK;
        }
    }
    return ERR(err, STATUS_INVALID_DATA, "the character set '%.*s' is not known", STR_ARGS(name));
}

// The next character of UTF-8; bytes that are none are U+FFFD, one each.
static int32_t next_utf8(struct str text, size_t *at)
{
    utf8proc_int32_t code = 0;
    utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text.ptr + *at,
                                               (utf8proc_ssize_t)(text.size - *at), &code);
    *at += length <= 0 ? 1 : (size_t)length;
    return length <= 0 ? REPLACEMENT : code;
}

static size_t put_unit(char *out, size_t at, uint32_t unit, bool little)
{
    out[at + (little ? 1 : 0)] = (char)(unit >> 8);
    out[at + (little ? 0 : 1)] = (char)unit;
    return at + 2;
}

static size_t put_utf16(char *out, size_t at, int32_t code, bool little)
{
    if (code < 0x10000) {
        return put_unit(out, at, (uint32_t)code, little);
    }
    uint32_t rest = (uint32_t)code - 0x10000;
    at = put_unit(out, at, 0xd800 + (rest >> 10), little);
    return put_unit(out, at, 0xdc00 + (rest & 0x3ff), little);
}

enum status charset_encode(struct arena *arena, struct str text, struct str name, struct str *out,
                           struct err *err)
{
    enum set set;
    TRY(find(name, &set, err));
    if (set == SET_UTF8) {
        *out = text;
        return STATUS_OK;
    }
    char *bytes = arena_alloc(arena, text.size * 2 + 4);
    size_t size = 0;
    if (set == SET_UTF16) {
        size = put_unit(bytes, size, 0xfeff, false);
    }
    for (size_t at = 0; at < text.size;) {
        int32_t code = next_utf8(text, &at);
        if (set == SET_ASCII || set == SET_LATIN1) {
            bytes[size++] = (char)(code < (set == SET_ASCII ? 0x80 : 0x100) ? code : '?');
        } else {
            size = put_utf16(bytes, size, code, set == SET_UTF16LE);
        }
    }
    *out = str_make(bytes, size);
    return STATUS_OK;
}

static int32_t get_unit(struct str bytes, size_t at, bool little)
{
    unsigned char first = (unsigned char)bytes.ptr[at];
    unsigned char second = (unsigned char)bytes.ptr[at + 1];
    return little ? second << 8 | first : first << 8 | second;
}

static int32_t next_utf16(struct str bytes, size_t *at, bool little)
{
    if (*at + 2 > bytes.size) {
        *at = bytes.size;
        return REPLACEMENT;
    }
    int32_t unit = get_unit(bytes, *at, little);
    *at += 2;
    if (unit < 0xd800 || unit > 0xdfff) {
        return unit;
    }
    if (unit > 0xdbff || *at + 2 > bytes.size) {
        return REPLACEMENT;
    }
    int32_t low = get_unit(bytes, *at, little);
    if (low < 0xdc00 || low > 0xdfff) {
        return REPLACEMENT;
    }
    *at += 2;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

static int32_t next_byte(struct str bytes, size_t *at, enum set set)
{
    unsigned char byte = (unsigned char)bytes.ptr[(*at)++];
    return set == SET_ASCII && byte >= 0x80 ? REPLACEMENT : byte;
}

enum status charset_decode(struct arena *arena, struct str bytes, struct str name, struct str *out,
                           struct err *err)
{
    enum set set;
    TRY(find(name, &set, err));
    bool little = set == SET_UTF16LE;
    size_t at = 0;
    if (set == SET_UTF16 && bytes.size >= 2) {
        int32_t mark = get_unit(bytes, 0, false);
        at = mark == 0xfeff || mark == 0xfffe ? 2 : 0;
        little = mark == 0xfffe;
    }
    char *text = arena_alloc(arena, bytes.size * BYTES_A_CHARACTER_MAX + 4);
    size_t size = 0;
    while (at < bytes.size) {
        int32_t code;
        if (set == SET_UTF8) {
            code = next_utf8(bytes, &at);
        } else if (set == SET_ASCII || set == SET_LATIN1) {
            code = next_byte(bytes, &at, set);
        } else {
            code = next_utf16(bytes, &at, little);
        }
        size += (size_t)utf8proc_encode_char(code, (utf8proc_uint8_t *)text + size);
    }
    *out = str_make(text, size);
    return STATUS_OK;
}
