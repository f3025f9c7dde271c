// SPDX-License-Identifier: Apache-2.0
//
// The layout is that of kernel/order.h: a byte for null, then big-endian values, strings with 00 as
// 00 FF and 00 01 at the end; a descending value has all its bytes behind the null byte flipped.
#include "state/ordered_key.h"

#include "base/arena.h"

enum { VALUE = 1, NANO_SIZE = 12 };

static size_t encoded_width(enum physical physical)
{
    return physical == PHYSICAL_NANO ? NANO_SIZE : physical_width(physical);
}

static uint8_t byte_at(struct str key, size_t at, bool is_flipped)
{
    uint8_t byte = (uint8_t)key.ptr[at];
    return is_flipped ? (uint8_t)~byte : byte;
}

// Where the string's bytes that begin at `offset` end, terminator included; 0: they do not.
static size_t skip_string(struct str key, size_t offset, bool is_flipped)
{
    for (size_t at = offset; at + 1 < key.size; at++) {
        if (byte_at(key, at, is_flipped) != 0) {
            continue;
        }
        uint8_t next = byte_at(key, at + 1, is_flipped);
        if (next == 1) {
            return at + 2;
        }
        if (next != 0xff) {
            return 0;
        }
        at++;
    }
    return 0;
}

size_t ordered_key_skip(struct str key, size_t offset, enum physical physical,
                        struct order_column order)
{
    if (offset >= key.size || physical >= PHYSICAL_LIST) {
        return 0;
    }
    if (key.ptr[offset] != VALUE) {
        return offset + 1;
    }
    if (physical == PHYSICAL_STRING) {
        return skip_string(key, offset + 1, order.is_descending);
    }
    size_t end = offset + 1 + encoded_width(physical);
    return end <= key.size ? end : 0;
}

// --- decoding ----------------------------------------------------------------------------------

static uint128 big_endian(struct str key, size_t at, size_t width, bool is_flipped)
{
    uint128 value = 0;
    for (size_t i = 0; i < width; i++) {
        value = value << 8 | byte_at(key, at + i, is_flipped);
    }
    return value;
}

static int128 signed_value(struct str key, size_t at, size_t width, bool is_flipped)
{
    uint128 value = big_endian(key, at, width, is_flipped);
    uint128 sign = (uint128)1 << (8 * width - 1);
    value ^= sign;
    // Extended to the left.
    return (int128)((value ^ sign) - sign);
}

static void decode_float(struct str key, size_t at, size_t width, bool is_flipped, void *out)
{
    uint64_t bits = (uint64_t)big_endian(key, at, width, is_flipped);
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    bits = (bits & sign) != 0 ? bits ^ sign : ~bits;
    memcpy(out, &bits, width);
}

static struct strview decode_string(struct str key, size_t at, size_t end, bool is_flipped,
                                    struct arena *arena)
{
    char *bytes = arena_alloc(arena, end - at);
    size_t size = 0;
    while (at < end - 2) { // the terminator
        uint8_t byte = byte_at(key, at, is_flipped);
        bytes[size++] = (char)byte;
        at += byte == 0 ? 2 : 1;
    }
    return strview_make(bytes, size);
}

static void decode_value(struct str key, size_t at, size_t end, enum physical physical,
                         bool is_flipped, struct arena *arena, void *out)
{
    size_t width = physical_width(physical);
    if (physical == PHYSICAL_STRING) {
        struct strview view = decode_string(key, at, end, is_flipped, arena);
        memcpy(out, &view, sizeof view);
    } else if (physical == PHYSICAL_F32 || physical == PHYSICAL_F64) {
        decode_float(key, at, width, is_flipped, out);
    } else if (physical == PHYSICAL_BOOL) {
        uint8_t value = byte_at(key, at, is_flipped);
        memcpy(out, &value, sizeof value);
    } else if (physical == PHYSICAL_NANO) {
        struct nano nano = {(int64_t)signed_value(key, at, 8, is_flipped),
                            (int64_t)big_endian(key, at + 8, 4, is_flipped)};
        memcpy(out, &nano, sizeof nano);
    } else {
        int128 value = signed_value(key, at, width, is_flipped);
        memcpy(out, &value, width); // its low bytes: little-endian
    }
}

enum status ordered_key_decode(const struct str *keys, const size_t *offsets, uint32_t count,
                               enum physical physical, struct order_column order,
                               struct arena *arena, struct column *out, struct err *err)
{
    size_t width = physical_width(physical);
    char *values = arena_alloc64(arena, (count + 1) * width);
    uint64_t *valid = arena_zalloc(arena, (bits_words(count) + 1) * sizeof *valid);
    bool has_nulls = false;
    memset(values, 0, count * width);
    for (uint32_t i = 0; i < count; i++) {
        size_t end = ordered_key_skip(keys[i], offsets[i], physical, order);
        if (end == 0) {
            return ERR(err, STATUS_INVALID_DATA, "a key in ordered state is damaged");
        }
        if (keys[i].ptr[offsets[i]] != VALUE) {
            has_nulls = true;
            continue;
        }
        bits_set(valid, i);
        decode_value(keys[i], offsets[i] + 1, end, physical, order.is_descending, arena,
                     values + i * width);
    }
    *out = (struct column){
        .physical = physical,
        .encoding = ENCODING_FLAT,
        .row_count = count,
        .valid = has_nulls ? valid : NULL,
        .values = values,
    };
    return STATUS_OK;
}

size_t ordered_key_successor(char *prefix, size_t size)
{
    while (size > 0 && (uint8_t)prefix[size - 1] == 0xff) {
        size--;
    }
    if (size > 0) {
        prefix[size - 1] = (char)((uint8_t)prefix[size - 1] + 1);
    }
    return size;
}
