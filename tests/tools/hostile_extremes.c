// SPDX-License-Identifier: Apache-2.0
//
// Extremes in place of numbers: 0, 1, -1, the ends of 32 and 64 bits, sizes one off and past the
// end. Where a number begins is not asked: at every place of the structure whatever stands there is
// taken for one, and what frames it (the size of a footer, of a block) is made right again.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytebuf.h"
#include "base/mem.h"
#include "codec/avro_reader.h"
#include "hostile.h"

enum { HEAD_BYTES = 96, PARQUET_TAIL = 8, AVRO_SYNC = 16, VALUES_MAX = 16 };

// Of a file of `size` bytes.
static uint32_t extremes(uint64_t size, int64_t values[VALUES_MAX])
{
    const int64_t all[] = {0,
                           1,
                           -1,
                           INT32_MAX,
                           (int64_t)INT32_MAX + 1,
                           INT32_MIN,
                           UINT32_MAX,
                           INT64_MAX,
                           INT64_MIN,
                           INT64_MAX / 2,
                           (int64_t)size,
                           (int64_t)size - 1,
                           (int64_t)size + 1};
    memcpy(values, all, sizeof all);
    return sizeof all / sizeof *all;
}

struct splice {
    struct bytebuf out;
    struct str bytes;
    hostile_visit *visit;
    void *owner;
};

// The bytes with [at, at + cut) replaced by `with`, not yet handed over.
static void splice(struct splice *to, size_t at, size_t cut, struct str with)
{
    to->out.size = 0;
    bytebuf_add(&to->out, to->bytes.ptr, at);
    bytebuf_add(&to->out, with.ptr, with.size);
    bytebuf_add(&to->out, to->bytes.ptr + at + cut, to->bytes.size - at - cut);
}

static void hand_over(struct splice *to, size_t at, int64_t value)
{
    char what[96];
    snprintf(what, sizeof what, "%" PRId64 " at byte %zu", value, at);
    char *copy = mem_alloc(to->out.size + 1); // of its own size, so that reading behind it is seen
    memcpy(copy, to->out.ptr, to->out.size);
    to->visit(str_make(copy, to->out.size), what, to->owner);
    mem_free(copy);
}

static size_t varint_size(struct str bytes, size_t at)
{
    size_t size = 1;
    while (at + size < bytes.size && ((uint8_t)bytes.ptr[at + size - 1] & 0x80) != 0 && size < 10) {
        size++;
    }
    return size;
}

// ---- Parquet: thrift in the footer and in the headers of pages ----

static void parquet_varints(struct splice *to, uint32_t step)
{
    uint32_t footer;
    struct str bytes = to->bytes;
    int64_t values[VALUES_MAX];
    uint32_t count = extremes(bytes.size, values);
    if (bytes.size < 12) {
        return;
    }
    memcpy(&footer, bytes.ptr + bytes.size - PARQUET_TAIL, sizeof footer);
    if (footer > bytes.size - 12) {
        return;
    }
    size_t start = bytes.size - PARQUET_TAIL - footer;
    for (size_t at = 4; at < bytes.size - PARQUET_TAIL; at += step) {
        if (at == 4 + HEAD_BYTES && at < start) {
            at = start;
        }
        for (uint32_t i = 0; i < count * 2; i++) {
            struct bytebuf number = {0};
            int64_t value = values[i / 2];
            uint64_t zigzag = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
            bytebuf_add_varint(&number, i % 2 == 0 ? zigzag : (uint64_t)value);
            splice(to, at, varint_size(bytes, at), bytebuf_str(&number));
            if (at >= start) {
                uint32_t size = (uint32_t)(to->out.size - PARQUET_TAIL - start);
                memcpy(to->out.ptr + to->out.size - PARQUET_TAIL, &size, sizeof size);
            }
            hand_over(to, at, value);
            bytebuf_release(&number);
        }
    }
}

// ---- Avro: the header, and one block of a container without compression ----

// Where the rows of the first block begin, its size in front of them taken out; 0: none.
static size_t avro_block(struct str bytes, size_t *size_at, uint64_t *size)
{
    struct avro_cursor cursor = avro_cursor_make(bytes);
    struct str span;
    struct err err;
    int64_t count;
    int64_t long_size;
    cursor.at += bytes.size < 4 ? 0 : 4;
    do {
        if (avro_cursor_long(&cursor, &count, &err) != STATUS_OK) {
            return 0;
        }
        for (int64_t i = 0; i < count * 2; i++) {
            if (avro_cursor_string(&cursor, &span, &err) != STATUS_OK) {
                return 0;
            }
        }
    } while (count > 0);
    if (cursor.end - cursor.at < AVRO_SYNC) {
        return 0;
    }
    cursor.at += AVRO_SYNC;
    if (avro_cursor_long(&cursor, &count, &err) != STATUS_OK) {
        return 0;
    }
    *size_at = (size_t)(cursor.at - bytes.ptr);
    if (avro_cursor_long(&cursor, &long_size, &err) != STATUS_OK || long_size < 0 ||
        long_size > cursor.end - cursor.at) {
        return 0;
    }
    *size = (uint64_t)long_size;
    return (size_t)(cursor.at - bytes.ptr);
}

// A number within the block: its size is written anew.
static void avro_in_block(struct splice *to, size_t at, int64_t value, size_t size_at, size_t rows,
                          uint64_t block)
{
    struct bytebuf number = {0};
    struct bytebuf size = {0};
    size_t cut = varint_size(to->bytes, at);
    bytebuf_add_varint(&number, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
    if (at + cut <= rows + block) {
        bytebuf_add_varint(&size, (block - cut + number.size) * 2);
        to->out.size = 0;
        bytebuf_add(&to->out, to->bytes.ptr, size_at);
        bytebuf_add(&to->out, size.ptr, size.size);
        bytebuf_add(&to->out, to->bytes.ptr + rows, at - rows);
        bytebuf_add(&to->out, number.ptr, number.size);
        bytebuf_add(&to->out, to->bytes.ptr + at + cut, to->bytes.size - at - cut);
        hand_over(to, at, value);
    }
    bytebuf_release(&number);
    bytebuf_release(&size);
}

static void avro_varints(struct splice *to, uint32_t step)
{
    int64_t values[VALUES_MAX];
    uint32_t count = extremes(to->bytes.size, values);
    size_t size_at = 0;
    uint64_t block = 0;
    size_t rows = avro_block(to->bytes, &size_at, &block);
    for (size_t at = 4; at < to->bytes.size; at += step) {
        for (uint32_t i = 0; i < count; i++) {
            if (rows > 0 && at >= rows && at < rows + block) {
                avro_in_block(to, at, values[i], size_at, rows, block);
                continue;
            }
            struct bytebuf number = {0};
            bytebuf_add_varint(&number, (uint64_t)values[i] << 1 ^ (uint64_t)(values[i] >> 63));
            splice(to, at, varint_size(to->bytes, at), bytebuf_str(&number));
            hand_over(to, at, values[i]);
            bytebuf_release(&number);
        }
    }
}

// ---- text: every number; Puffin's footer is one, with its size behind it ----

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static void text_numbers(struct splice *to, uint32_t step)
{
    static const char *const others[] = {"1e400", "-0.5",   "null", "\"\"",
                                         "[]",    "{}",     "-",    "18446744073709551616",
                                         "00",    "1e-400", "true"};
    int64_t values[VALUES_MAX];
    struct str bytes = to->bytes;
    uint32_t count = extremes(bytes.size, values);
    uint32_t others_count = sizeof others / sizeof *others;
    bool is_puffin = bytes.size > 12 && memcmp(bytes.ptr + bytes.size - 4, "PFA1", 4) == 0;
    size_t end = is_puffin ? bytes.size - 12 : bytes.size;
    uint32_t numbers = 0;
    for (size_t at = is_puffin ? 4 : 0; at < end;) {
        size_t cut = 0;
        while (at + cut < end && is_digit(bytes.ptr[at + cut])) {
            cut++;
        }
        if (cut == 0 || numbers++ % step != 0) {
            at += cut + 1;
            continue;
        }
        for (uint32_t i = 0; i < count + others_count; i++) {
            char text[32];
            snprintf(text, sizeof text, "%" PRId64, i < count ? values[i] : 0);
            struct str with = str_from(i < count ? text : others[i - count]);
            splice(to, at, cut, with);
            if (is_puffin) {
                uint32_t size;
                memcpy(&size, bytes.ptr + end, sizeof size);
                size = (uint32_t)(size + with.size - cut);
                memcpy(to->out.ptr + to->out.size - 12, &size, sizeof size);
            }
            hand_over(to, at, i < count ? values[i] : (int64_t)i);
        }
        at += cut + 1;
    }
}

// ---- anything: words of 16, 32 and 64 bits ----

static void words(struct splice *to, uint32_t step)
{
    int64_t values[VALUES_MAX];
    uint32_t count = extremes(to->bytes.size, values);
    for (size_t at = 0; at < to->bytes.size; at += step) {
        for (uint32_t i = 0; i < count; i++) {
            for (size_t width = 2; width <= 8; width *= 2) {
                if (at + width <= to->bytes.size) {
                    splice(to, at, width, str_make((const char *)&values[i], width));
                    hand_over(to, at, values[i]);
                }
            }
        }
    }
}

void hostile_extremes(const struct hostile_format *format, struct str bytes, uint32_t step,
                      hostile_visit *visit, void *owner)
{
    struct splice to = {.bytes = bytes, .visit = visit, .owner = owner};
    step = step > 0 ? step : 1;
    switch (format->shape) {
    case HOSTILE_PARQUET: parquet_varints(&to, step); break;
    case HOSTILE_AVRO: avro_varints(&to, step); break;
    case HOSTILE_TEXT: text_numbers(&to, step); break;
    case HOSTILE_BYTES: words(&to, step); break;
    }
    bytebuf_release(&to.out);
}
