// SPDX-License-Identifier: Apache-2.0
#include "codec/snappy_decode.h"

#include <string.h>

enum {
    ELEMENT_MAX = 64,       // bytes that a copy makes, and about a short literal
    SHORT_LITERAL = 60,     // longer ones have their length behind the tag
    ROOM = 3 * ELEMENT_MAX, // behind which a literal and a copy need no look at the end
};

enum { TAG_LITERAL, TAG_COPY_1, TAG_COPY_2, TAG_COPY_4 };

bool snappy_decode_begin(struct snappy_decode *decode, struct str block, char *out, size_t out_size)
{
    uint64_t size = 0;
    size_t used = 0;
    for (uint32_t shift = 0;; shift += 7) {
        if (used == block.size || shift > 28) {
            return false;
        }
        uint8_t byte = (uint8_t)block.ptr[used++];
        size |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            break;
        }
    }
    const uint8_t *start = (const uint8_t *)block.ptr;
    *decode = (struct snappy_decode){
        .at = start + used, .end = start + block.size, .out = (uint8_t *)out, .size = (size_t)size};
    return size <= UINT32_MAX && size <= out_size;
}

static inline uint64_t load64(const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

// The two do not overlap.
static inline void copy16(uint8_t *restrict to, const uint8_t *restrict from)
{
    memcpy(to, from, 16);
}

static inline void copy_up_to_64(uint8_t *restrict to, const uint8_t *restrict from, size_t size)
{
    copy16(to, from);
    if (size > 16) {
        copy16(to + 16, from + 16);
        if (size > 32) {
            copy16(to + 32, from + 32);
            copy16(to + 48, from + 48);
        }
    }
}

// Bytes that repeat themselves: those `offset` in front of `to`, again and again. Writes up to 8
// bytes more.
static inline void repeat(uint8_t *to, size_t offset, size_t size)
{
    uint8_t *end = to + size;
    if (offset >= 8) {
        for (; to < end; to += 8) {
            uint64_t word = load64(to - offset);
            memcpy(to, &word, 8);
        }
        return;
    }
    // Eight bytes of the pattern, written at steps that are a multiple of its length.
    size_t step = offset;
    uint64_t pattern = load64(to - offset) & (UINT64_MAX >> (64 - 8 * offset));
    for (; step * 2 <= 8; step *= 2) {
        pattern |= pattern << (8 * step);
    }
    if (step < 8) {
        pattern |= pattern << (8 * step);
    }
    for (; to < end; to += step) {
        memcpy(to, &pattern, 8);
    }
}

// Elements as long as both sides have room for any of the usual ones. Stops in front of those that
// are not: the long literal, the far copy, and what is damaged.
static void decode_fast(struct snappy_decode *decode, size_t wanted)
{
    const uint8_t *in = decode->at;
    uint8_t *const start = decode->out;
    uint8_t *out = start + decode->done;
    const uint8_t *in_end = decode->end - ROOM;
    const uint8_t *out_end = start + decode->size - ROOM;
    out_end = start + wanted < out_end ? start + wanted : out_end;
    while (in < in_end && out < out_end) {
        uint32_t tag = *in;
        if ((tag & 3) == TAG_LITERAL) {
            size_t size = (tag >> 2) + 1;
            if (size > SHORT_LITERAL) {
                break;
            }
            copy_up_to_64(out, in + 1, size);
            in += size + 1;
            out += size;
            tag = *in;
        }
        uint32_t kind = tag & 3;
        if (kind == TAG_LITERAL) {
            continue;
        }
        if (kind == TAG_COPY_4) {
            break;
        }
        // A copy of one or two bytes of offset, told apart by a mask instead of a branch.
        uint32_t is_two = 0 - (kind >> 1);
        uint32_t near = in[1];
        uint32_t high = (uint32_t)in[2] << 8;
        size_t offset = near | (((tag & 0xe0) << 3) & ~is_two) | (high & is_two);
        size_t size = ((tag >> 2) & (7 | is_two)) + 4 - (3 & is_two);
        if (offset - 1 >= (size_t)(out - start)) {
            break;
        }
        if (offset >= 16) {
            copy_up_to_64(out, out - offset, size);
        } else {
            repeat(out, offset, size);
        }
        in += 2 + (kind >> 1);
        out += size;
    }
    decode->at = in;
    decode->done = (size_t)(out - start);
}

// One element, whatever it is.
static bool decode_element(struct snappy_decode *decode)
{
    const uint8_t *in = decode->at;
    size_t left = (size_t)(decode->end - in);
    size_t room = decode->size - decode->done;
    uint8_t *out = decode->out + decode->done;
    if (left == 0) {
        return false;
    }
    uint32_t tag = *in;
    uint32_t kind = tag & 3;
    uint32_t six = tag >> 2;
    size_t extra = kind == TAG_LITERAL  ? (six < SHORT_LITERAL ? 0 : six - SHORT_LITERAL + 1)
                   : kind == TAG_COPY_4 ? 4
                                        : kind;
    if (extra > left - 1) {
        return false;
    }
    uint32_t number = 0;
    for (size_t i = 0; i < extra; i++) {
        number |= (uint32_t)in[1 + i] << (8 * i);
    }
    in += 1 + extra;
    size_t size = kind == TAG_LITERAL  ? (size_t)(extra == 0 ? six : number) + 1
                  : kind == TAG_COPY_1 ? (six & 7) + 4
                                       : six + 1;
    if (size > room) {
        return false;
    }
    if (kind == TAG_LITERAL) {
        if (size > (size_t)(decode->end - in)) {
            return false;
        }
        memcpy(out, in, size);
        in += size;
    } else {
        size_t offset = kind == TAG_COPY_1 ? number | (tag & 0xe0) << 3 : number;
        if (offset - 1 >= decode->done) {
            return false;
        }
        for (size_t i = 0; i < size; i++) {
            out[i] = (out - offset)[i];
        }
    }
    decode->at = in;
    decode->done += size;
    return true;
}

bool snappy_decode_until(struct snappy_decode *decode, size_t wanted)
{
    wanted = wanted < decode->size ? wanted : decode->size;
    while (decode->done < wanted) {
        if (decode->end - decode->at > ROOM && decode->size - decode->done > ROOM) {
            decode_fast(decode, wanted);
        }
        if (decode->done < wanted && !decode_element(decode)) {
            return false;
        }
    }
    return decode->done < decode->size || decode->at == decode->end;
}
