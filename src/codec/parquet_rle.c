// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_rle.h"

#include "base/assert.h"
#include "base/bits.h"
#include "base/compiler.h"
#include "base/int128.h"

// A run costs a head of its own and one more for the literals behind it: shorter ones stay literal.
enum { RUN_MIN = 16 };

// ---- encoding ----

static char *pack_wide_groups(char *out, const uint32_t *values, uint32_t groups, uint32_t width)
{
    for (uint32_t i = 0; i < groups; i++, values += 8) {
        uint64_t held = 0;
        uint32_t bits = 0;
        for (uint32_t j = 0; j < 8; j++) {
            held |= (uint64_t)values[j] << bits;
            bits += width;
            while (bits >= 8) {
                *out++ = (char)(uint8_t)held;
                held >>= 8;
                bits -= 8;
            }
        }
    }
    return out;
}

static void put_run(struct bytebuf *out, uint32_t value, uint32_t count, uint32_t width)
{
    bytebuf_add_varint(out, (uint64_t)count << 1);
    bytebuf_add(out, &value, (width + 7) / 8);
}

#define T uint32_t
#define NAME(x) x##_u32
#include "codec/parquet_rle_encode_tmpl.h"
#undef T
#undef NAME

// Widths over 8 do not occur with bytes, so the cast to wider values in the template is never run.
#define T uint8_t
#define NAME(x) x##_u8
#include "codec/parquet_rle_encode_tmpl.h"
#undef T
#undef NAME

// Words [from, to) of the mask as one literal run; the last one may be partial.
static void put_bits(struct bytebuf *out, const uint64_t *bits, uint32_t from, uint32_t count)
{
    uint32_t bytes = (count - from * 64 + 7) / 8;
    bytebuf_add_varint(out, (uint64_t)bytes << 1 | 1);
    bytebuf_add(out, bits + from, bytes);
}

void parquet_rle_encode_bits(struct bytebuf *out, const uint64_t *bits, uint32_t count)
{
    uint32_t whole = count / 64;
    uint32_t literals = 0;
    uint32_t at = 0;
    while (at < whole) {
        uint32_t end = at;
        if (bits[at] == 0 || bits[at] == UINT64_MAX) {
            while (end < whole && bits[end] == bits[at]) {
                end++;
            }
        }
        // A run that reaches the last whole word takes the bits behind it along.
        uint32_t run = (end - at) * 64;
        uint32_t rest = end == whole ? count - whole * 64 : 0;
        uint64_t same = bits[at] & bits_tail(rest);
        bool to_end = run > 0 && rest > 0 && bits[whole] == same;
        if (run < 128 && !(at == 0 && to_end)) {
            at++;
            continue;
        }
        if (at > literals) {
            put_bits(out, bits, literals, at * 64);
        }
        put_run(out, bits[at] & 1, run + (to_end ? rest : 0), 1);
        if (to_end) {
            return;
        }
        at = end;
        literals = end;
    }
    if (count > literals * 64) {
        put_bits(out, bits, literals, count);
    }
}

void parquet_rle_pack_u64(struct bytebuf *out, const uint64_t *values, uint32_t count,
                          uint32_t width)
{
    char *at = bytebuf_reserve(out, (size_t)count / 8 * width + 8);
    uint128 held = 0;
    uint32_t bits = 0;
    char *start = at;
    for (uint32_t i = 0; i < count; i++) {
        held |= (uint128)values[i] << bits;
        bits += width;
        if (bits >= 64) {
            uint64_t word = (uint64_t)held;
            memcpy(at, &word, 8);
            at += 8;
            held >>= 64;
            bits -= 64;
        }
    }
    uint64_t word = (uint64_t)held;
    memcpy(at, &word, 8);
    at += (bits + 7) / 8;
    out->size += (size_t)(at - start);
}

// ---- decoding ----

void parquet_rle_init(struct parquet_rle *rle, struct str bytes, uint32_t width)
{
    const uint8_t *at = (const uint8_t *)bytes.ptr;
    *rle = (struct parquet_rle){.at = at, .end = at + bytes.size, .width = width};
}

// Reads the next head; false at the end of the bytes or where the run does not fit into them.
static bool next_run(struct parquet_rle *rle)
{
    uint64_t head = 0;
    uint32_t shift = 0;
    for (;;) {
        if (rle->at == rle->end || shift > 28) {
            return false;
        }
        uint8_t byte = *rle->at++;
        head |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) {
            break;
        }
    }
    size_t left = (size_t)(rle->end - rle->at);
    if ((head & 1) != 0) {
        // Some writers cut the padding of the last group off: what is there counts.
        uint64_t bytes = (head >> 1) * rle->width;
        uint64_t values = (head >> 1) * 8;
        if (bytes > left) {
            values = left * 8 / rle->width;
            bytes = left;
        }
        rle->packed = rle->at;
        rle->packed_at = 0;
        rle->literals = (uint32_t)values;
        rle->at += bytes;
        return values > 0 && values <= UINT32_MAX;
    }
    uint32_t bytes = (rle->width + 7) / 8;
    if (bytes > left) {
        return false;
    }
    rle->value = 0;
    memcpy(&rle->value, rle->at, bytes);
    rle->value &= rle->width == 32 ? UINT32_MAX : (1u << rle->width) - 1;
    rle->at += bytes;
    rle->run = (uint32_t)(head >> 1);
    return rle->run > 0;
}

// Value `index`, where 8 bytes may not be readable.
static uint64_t packed_value(const uint8_t *in, const uint8_t *end, uint32_t width, uint32_t index)
{
    uint64_t bit = (uint64_t)index * width;
    const uint8_t *at = in + bit / 8;
    uint128 word = 0;
    size_t left = at < end ? (size_t)(end - at) : 0;
    memcpy(&word, at, left < 9 ? left : 9);
    word >>= bit % 8;
    return (uint64_t)word & (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

struct span_u8 {
    uint8_t *out;
    uint32_t count;
};
struct span_u16 {
    uint16_t *out;
    uint32_t count;
};
struct span_u32 {
    uint32_t *out;
    uint32_t count;
};

#define T uint8_t
#define NAME(x) x##_u8
#include "codec/parquet_rle_decode_tmpl.h"
#undef T
#undef NAME

#define T uint16_t
#define NAME(x) x##_u16
#include "codec/parquet_rle_decode_tmpl.h"
#undef T
#undef NAME

#define T uint32_t
#define NAME(x) x##_u32
#include "codec/parquet_rle_decode_tmpl.h"
#undef T
#undef NAME

void parquet_rle_unpack_u32(const uint8_t *in, size_t size, uint32_t width, uint32_t *out,
                            uint32_t count)
{
    unpack_u32(in, in + size, width, 0, (struct span_u32){out, count});
}

void parquet_rle_unpack_u64(const uint8_t *in, size_t size, uint32_t width, uint64_t *out,
                            uint32_t count)
{
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint32_t i = 0;
    for (; width <= 56 && i < count; i++) {
        uint64_t bit = (uint64_t)i * width;
        uint64_t word;
        if (bit / 8 + 8 > size) {
            break;
        }
        memcpy(&word, in + bit / 8, 8);
        out[i] = word >> (bit % 8) & mask;
    }
    for (; i < count; i++) {
        out[i] = packed_value(in, in + size, width, i);
    }
}

// Sets or clears bits [from, from + count).
static void fill_bits(uint64_t *out, uint32_t from, uint32_t count, bool value)
{
    while (count > 0) {
        uint32_t shift = from % 64;
        uint32_t take = 64 - shift < count ? 64 - shift : count;
        uint64_t mask = bits_tail(take) << shift;
        out[from / 64] = value ? out[from / 64] | mask : out[from / 64] & ~mask;
        from += take;
        count -= take;
    }
}

// The bits [packed_at, packed_at + count) of the literals to bits [to, ...); returns the ones.
static uint32_t copy_bits(const struct parquet_rle *rle, uint64_t *out, uint32_t to, uint32_t count)
{
    uint32_t ones = 0;
    uint32_t from = rle->packed_at;
    while (count > 0) {
        uint32_t shift = to % 64;
        uint32_t take = 64 - shift < count ? 64 - shift : count;
        const uint8_t *at = rle->packed + from / 8;
        uint128 word = 0;
        size_t left = (size_t)(rle->end - at);
        memcpy(&word, at, left < 9 ? left : 9);
        uint64_t value = (uint64_t)(word >> (from % 8)) & bits_tail(take);
        ones += (uint32_t)__builtin_popcountll(value);
        uint64_t mask = bits_tail(take) << shift;
        out[to / 64] = (out[to / 64] & ~mask) | value << shift;
        from += take;
        to += take;
        count -= take;
    }
    return ones;
}

bool parquet_rle_decode_bits(struct parquet_rle *rle, uint64_t *out, uint32_t count, uint32_t *ones)
{
    uint32_t at = 0;
    *ones = 0;
    if (count > 0) {
        out[bits_words(count) - 1] = 0;
    }
    while (at < count) {
        uint32_t want = count - at;
        if (rle->run > 0) {
            uint32_t take = rle->run < want ? rle->run : want;
            fill_bits(out, at, take, rle->value != 0);
            *ones += rle->value != 0 ? take : 0;
            rle->run -= take;
            at += take;
        } else if (rle->literals > 0) {
            uint32_t take = rle->literals < want ? rle->literals : want;
            *ones += copy_bits(rle, out, at, take);
            rle->packed_at += take;
            rle->literals -= take;
            at += take;
        } else if (!next_run(rle)) {
            return false;
        }
    }
    return true;
}

bool parquet_rle_skip(struct parquet_rle *rle, uint32_t count)
{
    while (count > 0) {
        uint32_t *left = rle->run > 0 ? &rle->run : &rle->literals;
        if (*left == 0) {
            if (!next_run(rle)) {
                return false;
            }
            continue;
        }
        uint32_t take = *left < count ? *left : count;
        if (left == &rle->literals) {
            rle->packed_at += take;
        }
        *left -= take;
        count -= take;
    }
    return true;
}

// One packed value: a load of 8 bytes where they are there.
static inline uint32_t one_value(const struct parquet_rle *rle, uint32_t index)
{
    uint64_t bit = (uint64_t)index * rle->width;
    const uint8_t *at = rle->packed + bit / 8;
    uint64_t word;
    if (rle->end - at < 8) {
        return (uint32_t)packed_value(rle->packed, rle->end, rle->width, index);
    }
    memcpy(&word, at, 8);
    return (uint32_t)(word >> (bit % 8) & ((UINT64_C(1) << rle->width) - 1));
}

bool parquet_rle_pick(struct parquet_rle *rle, const uint16_t *places, uint32_t place_count,
                      uint32_t *out, uint32_t count)
{
    uint32_t passed = 0;
    uint32_t picked = 0;
    while (picked < place_count) {
        uint32_t *left = rle->run > 0 ? &rle->run : &rle->literals;
        if (*left == 0) {
            if (!next_run(rle)) {
                return false;
            }
            continue;
        }
        uint32_t take = *left < count - passed ? *left : count - passed;
        if (left == &rle->run) {
            for (; picked < place_count && places[picked] < passed + take; picked++) {
                out[picked] = rle->value;
            }
        } else {
            for (; picked < place_count && places[picked] < passed + take; picked++) {
                out[picked] = one_value(rle, rle->packed_at + places[picked] - passed);
            }
            rle->packed_at += take;
        }
        *left -= take;
        passed += take;
    }
    return parquet_rle_skip(rle, count - passed);
}
