// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_delta.h"

#include <string.h>

enum { MINI_VALUES_MAX = 1 << 16, MINIS_MAX = 1 << 10 };

static bool get_varint(struct parquet_delta *delta, uint64_t *out)
{
    *out = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
        if (delta->at == delta->end) {
            return false;
        }
        uint8_t byte = *delta->at++;
        if (shift < 64) {
            *out |= (uint64_t)(byte & 0x7f) << shift;
        }
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

static uint64_t unzigzag(uint64_t raw)
{
    return raw >> 1 ^ -(raw & 1);
}

static enum status damaged(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "delta-encoded values are damaged");
}

enum status parquet_delta_begin(struct parquet_delta *delta, struct str bytes, uint64_t count_max,
                                const struct parquet_page_memory *memory, struct err *err)
{
    uint64_t block;
    uint64_t minis;
    uint64_t first;
    const uint8_t *start = (const uint8_t *)bytes.ptr;
    *delta = (struct parquet_delta){.at = start, .end = start + bytes.size};
    if (!get_varint(delta, &block) || !get_varint(delta, &minis) ||
        !get_varint(delta, &delta->left) || !get_varint(delta, &first)) {
        return damaged(err);
    }
    if (minis == 0 || minis > MINIS_MAX || block == 0 || block % minis != 0 ||
        block / minis > MINI_VALUES_MAX || block / minis % 8 != 0 || delta->left > count_max) {
        return ERR(err, STATUS_INVALID_DATA, "delta-encoded values have an impossible header");
    }
    delta->minis = (uint32_t)minis;
    delta->per_mini = (uint32_t)(block / minis);
    delta->mini = delta->minis;
    delta->last = unzigzag(first);
    delta->first = delta->left > 0;
    delta->buffer =
        (uint64_t *)(void *)memory->take(memory->owner, delta->per_mini * sizeof *delta->buffer);
    return delta->buffer != NULL ? STATUS_OK
                                 : ERR(err, STATUS_LIMIT, "no memory for delta-encoded values");
}

// Unpacks the next miniblock into the buffer. The last one may lack its padding.
static bool next_mini(struct parquet_delta *delta)
{
    if (delta->mini == delta->minis) {
        uint64_t raw;
        if (!get_varint(delta, &raw) || (size_t)(delta->end - delta->at) < delta->minis) {
            return false;
        }
        delta->min_delta = unzigzag(raw);
        delta->widths = delta->at;
        delta->at += delta->minis;
        delta->mini = 0;
    }
    uint32_t width = delta->widths[delta->mini++];
    uint32_t count = delta->left < delta->per_mini ? (uint32_t)delta->left : delta->per_mini;
    size_t here = (size_t)(delta->end - delta->at);
    size_t whole = (size_t)delta->per_mini / 8 * width;
    if (width > 64 || ((uint64_t)count * width + 7) / 8 > here) {
        return false;
    }
    parquet_rle_unpack_u64(delta->at, here, width, delta->buffer, count);
    delta->at += whole < here ? whole : here;
    delta->buffered = count;
    delta->buffer_at = 0;
    return true;
}

enum status parquet_delta_values(struct parquet_delta *delta, void *out, bool wide, uint32_t count,
                                 struct err *err)
{
    if (count > delta->left) {
        return damaged(err);
    }
    uint64_t *wides = wide ? out : NULL;
    uint32_t *narrows = wide ? NULL : out;
    uint32_t done = 0;
    if (delta->first && count > 0) {
        delta->first = false;
        delta->left--;
        if (wide) {
            wides[0] = delta->last;
        } else {
            narrows[0] = (uint32_t)delta->last;
        }
        done = 1;
    }
    while (done < count) {
        if (delta->buffer_at == delta->buffered && !next_mini(delta)) {
            return damaged(err);
        }
        uint32_t here = delta->buffered - delta->buffer_at;
        uint32_t take = here < count - done ? here : count - done;
        const uint64_t *deltas = delta->buffer + delta->buffer_at;
        uint64_t last = delta->last;
        for (uint32_t i = 0; i < take; i++) { // wraps, as the format says
            last += delta->min_delta + deltas[i];
            if (wide) {
                wides[done + i] = last;
            } else {
                narrows[done + i] = (uint32_t)last;
            }
        }
        delta->last = last;
        delta->buffer_at += take;
        delta->left -= take;
        done += take;
    }
    return STATUS_OK;
}

enum status parquet_delta_end(struct parquet_delta *delta, const uint8_t **end, struct err *err)
{
    // Miniblocks that hold no values have no bytes, their widths count for nothing.
    if (delta->left > 0) {
        return damaged(err);
    }
    *end = delta->at;
    return STATUS_OK;
}
