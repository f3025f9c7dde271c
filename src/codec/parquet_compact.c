// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_compact.h"

#include "base/assert.h"
#include "codec/parquet_rle.h"

// As parquet-mr has them; readers take any.
enum { BLOCK_VALUES = 128, MINIS = 4, MINI_VALUES = BLOCK_VALUES / MINIS };

enum parquet_encoding parquet_compact_encoding(enum parquet_physical physical)
{
    switch (physical) {
    case PARQUET_INT32:
    case PARQUET_INT64: return PARQUET_DELTA_BINARY_PACKED;
    case PARQUET_FLOAT:
    case PARQUET_DOUBLE: return PARQUET_BYTE_STREAM_SPLIT;
    case PARQUET_BYTE_ARRAY: return PARQUET_DELTA_LENGTH_BYTE_ARRAY;
    case PARQUET_BOOLEAN:
    case PARQUET_INT96:
    case PARQUET_FIXED:
    case PARQUET_GROUP: break;
    }
    return PARQUET_PLAIN;
}

static void put_zigzag(struct bytebuf *out, int64_t value)
{
    bytebuf_add_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static uint32_t width_of(uint64_t value)
{
    return value == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(value);
}

// A block of `count` deltas, the last one padded; differences wrap in the type's own width.
static void put_block(struct bytebuf *out, const int64_t *deltas, uint32_t count, bool wide)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        least = deltas[i] < least ? deltas[i] : least;
    }
    put_zigzag(out, least);
    size_t widths = out->size;
    bytebuf_add_u32(out, 0); // MINIS bytes
    for (uint32_t mini = 0; mini * MINI_VALUES < count; mini++) {
        uint64_t above[MINI_VALUES] = {0};
        uint64_t all = 0;
        uint32_t here = count - mini * MINI_VALUES;
        here = here < MINI_VALUES ? here : MINI_VALUES;
        for (uint32_t i = 0; i < here; i++) {
            above[i] = (uint64_t)deltas[mini * MINI_VALUES + i] - (uint64_t)least;
            above[i] = wide ? above[i] : (uint32_t)above[i];
            all |= above[i];
        }
        uint32_t width = width_of(all);
        out->ptr[widths + mini] = (char)(uint8_t)width;
        parquet_rle_pack_u64(out, above, MINI_VALUES, width);
    }
}

static int64_t value_at(const char *plain, uint32_t index, bool wide)
{
    int64_t value;
    int32_t narrow;
    if (wide) {
        memcpy(&value, plain + index * sizeof value, sizeof value);
        return value;
    }
    memcpy(&narrow, plain + index * sizeof narrow, sizeof narrow);
    return narrow;
}

static void put_deltas(const char *plain, uint32_t count, bool wide, struct bytebuf *out)
{
    int64_t last = count > 0 ? value_at(plain, 0, wide) : 0;
    bytebuf_add_varint(out, BLOCK_VALUES);
    bytebuf_add_varint(out, MINIS);
    bytebuf_add_varint(out, count);
    put_zigzag(out, last);
    for (uint32_t from = 1; from < count; from += BLOCK_VALUES) {
        int64_t deltas[BLOCK_VALUES];
        uint32_t here = count - from < BLOCK_VALUES ? count - from : BLOCK_VALUES;
        for (uint32_t i = 0; i < here; i++) {
            int64_t value = value_at(plain, from + i, wide);
            int64_t delta = (int64_t)((uint64_t)value - (uint64_t)last);
            deltas[i] = wide ? delta : (int32_t)delta;
            last = value;
        }
        put_block(out, deltas, here, wide);
    }
}

static void put_split(struct str plain, uint32_t width, uint32_t count, struct bytebuf *out)
{
    char *to = bytebuf_reserve(out, plain.size);
    for (uint32_t k = 0; k < width; k++) {
        for (uint32_t i = 0; i < count; i++) {
            to[(size_t)k * count + i] = plain.ptr[(size_t)i * width + k];
        }
    }
    out->size += plain.size;
}

// Lengths first, then all bytes.
static void put_lengths(struct str plain, uint32_t count, struct bytebuf *out)
{
    struct bytebuf lengths = {0};
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size;
        memcpy(&size, plain.ptr + at, sizeof size);
        bytebuf_add_u32(&lengths, size);
        at += sizeof size + size;
    }
    put_deltas(lengths.ptr, count, false, out);
    at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size;
        memcpy(&size, plain.ptr + at, sizeof size);
        bytebuf_add(out, plain.ptr + at + sizeof size, size);
        at += sizeof size + size;
    }
    ASSERT(at == plain.size);
    bytebuf_release(&lengths);
}

void parquet_compact_encode(enum parquet_physical physical, struct str plain, uint32_t count,
                            struct bytebuf *out)
{
    switch (physical) {
    case PARQUET_INT32: put_deltas(plain.ptr, count, false, out); return;
    case PARQUET_INT64: put_deltas(plain.ptr, count, true, out); return;
    case PARQUET_FLOAT: put_split(plain, 4, count, out); return;
    case PARQUET_DOUBLE: put_split(plain, 8, count, out); return;
    case PARQUET_BYTE_ARRAY: put_lengths(plain, count, out); return;
    case PARQUET_BOOLEAN:
    case PARQUET_INT96:
    case PARQUET_FIXED:
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("no compact encoding for the type");
}
