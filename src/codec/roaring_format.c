// SPDX-License-Identifier: Apache-2.0
//
// The portable format (RoaringFormatSpec), read and written.
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "base/bytebuf.h"
#include "codec/roaring_int.h"

enum {
    COOKIE_WITHOUT_RUNS = 12346,
    COOKIE_WITH_RUNS = 12347, // in the lower half; above it the number of containers - 1
    OFFSETS_FROM = 4,         // containers, where there are runs
};

struct source {
    const char *start;
    struct str rest;
};

static enum status take(struct source *source, size_t size, const char **out, struct err *err)
{
    *out = source->rest.ptr;
    if (size > source->rest.size) {
        return ERR(err, STATUS_INVALID_DATA,
                   "bitmap ends at byte %zu, where %zu bytes were to come from byte %zu",
                   (size_t)(source->rest.ptr - source->start) + source->rest.size, size,
                   (size_t)(source->rest.ptr - source->start));
    }
    source->rest = str_slice(source->rest, size, source->rest.size);
    return STATUS_OK;
}

static uint16_t get16(const char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t get32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static enum status read_array(struct source *source, struct roaring_container *container,
                              struct err *err)
{
    const char *bytes;
    TRY(take(source, (size_t)container->cardinality * 2, &bytes, err));
    container->count = container->capacity = container->cardinality;
    container->values = mem_alloc(container->count * sizeof *container->values);
    memcpy(container->values, bytes, container->count * sizeof *container->values);
    for (uint32_t i = 1; i < container->count; i++) {
        if (container->values[i] <= container->values[i - 1]) {
            return ERR(err, STATUS_INVALID_DATA, "bitmap: values of an array are not ascending");
        }
    }
    return STATUS_OK;
}

static enum status read_bitmap(struct source *source, struct roaring_container *container,
                               struct err *err)
{
    const char *bytes;
    TRY(take(source, ROARING_BITMAP_BYTES, &bytes, err));
    container->words = mem_alloc(ROARING_BITMAP_BYTES);
    memcpy(container->words, bytes, ROARING_BITMAP_BYTES);
    if (bits_count(container->words, ROARING_VALUES) != container->cardinality) {
        return ERR(err, STATUS_INVALID_DATA, "bitmap: a container of %u values is said to have %u",
                   bits_count(container->words, ROARING_VALUES), container->cardinality);
    }
    return STATUS_OK;
}

static enum status read_runs(struct source *source, struct roaring_container *container,
                             struct err *err)
{
    const char *bytes;
    TRY(take(source, 2, &bytes, err));
    container->count = get16(bytes);
    TRY(take(source, (size_t)container->count * 4, &bytes, err));
    container->capacity = 2 * container->count;
    container->values = mem_alloc(container->capacity * sizeof *container->values + 1);
    memcpy(container->values, bytes, container->capacity * sizeof *container->values);
    uint32_t next = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < container->count; i++) {
        uint32_t start = container->values[2 * i];
        uint32_t length = container->values[2 * i + 1] + 1U;
        if (start < next || start + length > ROARING_VALUES) {
            return ERR(err, STATUS_INVALID_DATA, "bitmap: runs are not ascending");
        }
        next = start + length;
        sum += length;
    }
    if (sum != container->cardinality) {
        return ERR(err, STATUS_INVALID_DATA, "bitmap: runs of %u values are said to have %u", sum,
                   container->cardinality);
    }
    return STATUS_OK;
}

static enum status read_container(struct source *source, struct roaring_container *container,
                                  struct err *err)
{
    switch (container->kind) {
    case ROARING_ARRAY: return read_array(source, container, err);
    case ROARING_BITMAP: return read_bitmap(source, container, err);
    case ROARING_RUN: return read_runs(source, container, err);
    }
    return STATUS_OK;
}

static enum status read_header(struct source *source, uint32_t *count, const char **runs,
                               struct err *err)
{
    const char *bytes;
    TRY(take(source, 4, &bytes, err));
    uint32_t cookie = get32(bytes);
    *runs = NULL;
    if (cookie == COOKIE_WITHOUT_RUNS) {
        TRY(take(source, 4, &bytes, err));
        *count = get32(bytes);
    } else if ((cookie & 0xffff) == COOKIE_WITH_RUNS) {
        *count = (cookie >> 16) + 1;
        TRY(take(source, (*count + 7) / 8, runs, err));
    } else {
        return ERR(err, STATUS_INVALID_DATA, "bitmap: %u is no cookie", cookie);
    }
    if (*count > ROARING_VALUES) {
        return ERR(err, STATUS_INVALID_DATA, "bitmap: %u containers", *count);
    }
    return STATUS_OK;
}

// One 32-bit set; its keys come behind those that `out` has.
static enum status read_part(struct str *bytes, uint64_t upper, struct roaring *out,
                             struct err *err)
{
    struct source source = {bytes->ptr, *bytes};
    const char *runs;
    const char *keys;
    const char *offsets = NULL;
    uint32_t count = 0;
    TRY(read_header(&source, &count, &runs, err));
    TRY(take(&source, (size_t)count * 4, &keys, err));
    if (runs == NULL || count >= OFFSETS_FROM) {
        TRY(take(&source, (size_t)count * 4, &offsets, err));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = upper << 16 | get16(keys + 4 * (size_t)i);
        if (out->count > 0 && out->containers[out->count - 1].key >= key) {
            return ERR(err, STATUS_INVALID_DATA, "bitmap: keys are not ascending");
        }
        if (offsets != NULL &&
            get32(offsets + 4 * (size_t)i) != (size_t)(source.rest.ptr - source.start)) {
            return ERR(err, STATUS_INVALID_DATA, "bitmap: container %u is said to be at byte %u", i,
                       get32(offsets + 4 * (size_t)i));
        }
        struct roaring_container *container = roaring_insert(out, out->count, key);
        container->cardinality = get16(keys + 4 * (size_t)i + 2) + 1U;
        container->kind = runs != NULL && (runs[i / 8] >> (i % 8) & 1) != 0 ? ROARING_RUN
                          : container->cardinality > ROARING_ARRAY_MAX      ? ROARING_BITMAP
                                                                            : ROARING_ARRAY;
        TRY(read_container(&source, container, err));
    }
    *bytes = source.rest;
    return STATUS_OK;
}

enum status roaring_read32(struct str *bytes, struct roaring *out, struct err *err)
{
    return read_part(bytes, 0, out, err);
}

enum status roaring_read(struct str *bytes, struct roaring *out, struct err *err)
{
    struct source source = {bytes->ptr, *bytes};
    const char *at;
    uint64_t count;
    uint64_t next = 0;
    TRY(take(&source, sizeof count, &at, err));
    memcpy(&count, at, sizeof count);
    for (uint64_t i = 0; i < count; i++) { // ends with the bytes at the latest
        TRY(take(&source, 4, &at, err));
        uint32_t upper = get32(at);
        if (upper < next) {
            return ERR(err, STATUS_INVALID_DATA, "bitmap: upper halves are not ascending");
        }
        next = (uint64_t)upper + 1;
        TRY(read_part(&source.rest, upper, out, err));
    }
    *bytes = source.rest;
    return STATUS_OK;
}

static void write_header(const struct roaring_container *containers, uint32_t count,
                         struct bytebuf *out)
{
    uint8_t runs[ROARING_VALUES / 8] = {0};
    bool has_runs = false;
    for (uint32_t i = 0; i < count; i++) {
        if (containers[i].kind == ROARING_RUN) {
            runs[i / 8] = (uint8_t)(runs[i / 8] | 1U << (i % 8));
            has_runs = true;
        }
    }
    size_t start = out->size;
    bytebuf_add_u32(out, has_runs ? COOKIE_WITH_RUNS | (count - 1) << 16 : COOKIE_WITHOUT_RUNS);
    if (has_runs) {
        bytebuf_add(out, runs, (count + 7) / 8);
    } else {
        bytebuf_add_u32(out, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        bytebuf_add_u32(out, (uint32_t)(containers[i].key & 0xffff) |
                                 (containers[i].cardinality - 1) << 16);
    }
    if (!has_runs || count >= OFFSETS_FROM) {
        uint32_t offset = (uint32_t)(out->size - start) + 4 * count;
        for (uint32_t i = 0; i < count; i++) {
            bytebuf_add_u32(out, offset);
            offset += roaring_stored_bytes(&containers[i]);
        }
    }
}

static void write_part(const struct roaring_container *containers, uint32_t count,
                       struct bytebuf *out)
{
    write_header(containers, count, out);
    for (uint32_t i = 0; i < count; i++) {
        const struct roaring_container *container = &containers[i];
        if (container->kind == ROARING_RUN) {
            uint16_t runs = (uint16_t)container->count;
            bytebuf_add(out, &runs, sizeof runs);
            bytebuf_add(out, container->values, 4 * (size_t)container->count);
        } else {
            bytebuf_add(out, container->data, roaring_stored_bytes(container));
        }
    }
}

void roaring_write32(const struct roaring *set, struct bytebuf *out)
{
    write_part(set->containers, set->count, out);
}

void roaring_write(const struct roaring *set, struct bytebuf *out)
{
    size_t start = out->size;
    uint64_t parts = 0;
    bytebuf_add_u64(out, 0);
    for (uint32_t i = 0; i < set->count;) {
        uint64_t upper = set->containers[i].key >> 16;
        uint32_t end = i;
        while (end < set->count && set->containers[end].key >> 16 == upper) {
            end++;
        }
        bytebuf_add_u32(out, (uint32_t)upper);
        write_part(set->containers + i, end - i, out);
        parts++;
        i = end;
    }
    memcpy(out->ptr + start, &parts, sizeof parts);
}
