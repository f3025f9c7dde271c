// SPDX-License-Identifier: Apache-2.0
#include "base/str.h"

#include <string.h>

static unsigned char lower(char byte)
{
    return (unsigned char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

struct str str_from(const char *text)
{
    return (struct str){text, text == NULL ? 0 : strlen(text)};
}

bool str_equal(struct str a, struct str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.ptr, b.ptr, a.size) == 0);
}

bool str_equal_nocase(struct str a, struct str b)
{
    if (a.size != b.size) {
        return false;
    }
    for (size_t i = 0; i < a.size; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

int str_compare(struct str a, struct str b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size == 0 ? 0 : memcmp(a.ptr, b.ptr, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

bool str_is(struct str a, const char *text)
{
    return str_equal(a, str_from(text));
}

bool str_is_nocase(struct str a, const char *text)
{
    return str_equal_nocase(a, str_from(text));
}

bool str_starts(struct str a, const char *prefix)
{
    size_t size = strlen(prefix);
    return a.size >= size && memcmp(a.ptr, prefix, size) == 0;
}

bool str_ends(struct str a, const char *suffix)
{
    size_t size = strlen(suffix);
    return a.size >= size && memcmp(a.ptr + a.size - size, suffix, size) == 0;
}

struct str str_slice(struct str a, size_t from, size_t to)
{
    to = to < a.size ? to : a.size;
    from = from < to ? from : to;
    return (struct str){from > 0 ? a.ptr + from : a.ptr, to - from}; // of nothing: maybe NULL
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

struct str str_trim(struct str a)
{
    while (a.size > 0 && is_blank(a.ptr[0])) {
        a = str_slice(a, 1, a.size);
    }
    while (a.size > 0 && is_blank(a.ptr[a.size - 1])) {
        a.size--;
    }
    return a;
}

size_t str_find(struct str a, char byte)
{
    const char *found = a.size == 0 ? NULL : memchr(a.ptr, byte, a.size);
    return found == NULL ? a.size : (size_t)(found - a.ptr);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t str_distance(struct str a, struct str b)
{
    enum { NAME_MAX_BYTES = 64 };
    if (a.size > NAME_MAX_BYTES || b.size > NAME_MAX_BYTES) {
        return UINT32_MAX;
    }
    uint32_t row[NAME_MAX_BYTES + 1];
    for (uint32_t j = 0; j <= b.size; j++) {
        row[j] = j;
    }
    for (uint32_t i = 1; i <= a.size; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b.size; j++) {
            uint32_t change = diagonal + (lower(a.ptr[i - 1]) != lower(b.ptr[j - 1]));
            diagonal = row[j];
            row[j] = min_u32(change, min_u32(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.size];
}

bool str_to_i64(struct str a, int64_t *out)
{
    bool negative = a.size > 0 && a.ptr[0] == '-';
    if (a.size == (negative ? 1 : 0)) {
        return false;
    }
    uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    uint64_t value = 0;
    for (size_t i = negative ? 1 : 0; i < a.size; i++) {
        unsigned digit = (unsigned char)a.ptr[i] - (unsigned)'0';
        if (digit > 9 || value > (limit - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *out = (int64_t)(negative ? 0 - value : value);
    return true;
}
