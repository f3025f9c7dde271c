// SPDX-License-Identifier: Apache-2.0
//
// A page: levels, then values, compressed (v1), or levels in front of compressed values (v2).
#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"
#include "codec/parquet_rle.h"
#include "codec/parquet_writer_int.h"
#include "codec/thrift.h"

// ---- levels ----

static void put_def_levels(const struct parquet_leaf *leaf, struct bytebuf *out)
{
    if (leaf->nested) {
        parquet_rle_encode_u8(out, (const uint8_t *)leaf->def.ptr, leaf->slots,
                              parquet_rle_width(leaf->node->def_level));
    } else if (leaf->masked) {
        parquet_rle_encode_bits(out, (const uint64_t *)(const void *)leaf->mask.ptr, leaf->slots);
    } else { // no nulls: one run
        bytebuf_add_varint(out, (uint64_t)leaf->slots << 1);
        bytebuf_add_byte(out, 1);
    }
}

static void put_rep_levels(const struct parquet_leaf *leaf, struct bytebuf *out)
{
    parquet_rle_encode_u8(out, (const uint8_t *)leaf->rep.ptr, leaf->slots,
                          parquet_rle_width(leaf->node->rep_level));
}

// v1 puts a length in front of either; v2 keeps it in the header.
static uint32_t put_levels(const struct parquet_leaf *leaf, bool with_size, struct bytebuf *out,
                           void (*put)(const struct parquet_leaf *, struct bytebuf *))
{
    size_t start = out->size;
    if (with_size) {
        bytebuf_add_u32(out, 0);
    }
    put(leaf, out);
    uint32_t size = (uint32_t)(out->size - start);
    if (with_size) {
        uint32_t behind = size - 4;
        memcpy(out->ptr + start, &behind, 4);
    }
    return size;
}

// ---- values ----

static void put_booleans(const struct parquet_leaf *leaf, struct bytebuf *out)
{
    const uint8_t *values = (const uint8_t *)leaf->plain.ptr;
    uint32_t count = leaf->values;
    uint8_t *bytes = (uint8_t *)bytebuf_reserve(out, count / 8 + 1);
    memset(bytes, 0, count / 8 + 1);
    for (uint32_t i = 0; i < count; i++) {
        bytes[i / 8] |= (uint8_t)(values[i] << (i % 8));
    }
    out->size += (count + 7) / 8;
}

// The bounds of the entries that this page uses, each looked at once.
static void bound_codes(struct parquet_encoder *encoder, struct parquet_leaf *leaf)
{
    const uint32_t *codes = (const uint32_t *)(const void *)leaf->codes.ptr;
    uint32_t entries = leaf->dictionary.count;
    encoder->used.size = 0;
    uint8_t *used = (uint8_t *)bytebuf_reserve(&encoder->used, entries);
    memset(used, 0, entries);
    for (uint32_t i = 0; i < leaf->values; i++) {
        used[codes[i]] = 1;
    }
    for (uint32_t i = 0; i < entries; i++) {
        if (used[i] != 0) {
            parquet_stats_bytes(&leaf->range, parquet_dictionary_entry(&leaf->dictionary, i));
        }
    }
}

static enum parquet_encoding put_values(struct parquet_encoder *encoder, struct parquet_leaf *leaf,
                                        struct bytebuf *out)
{
    if (leaf->store == PARQUET_STORE_BOOL) {
        put_booleans(leaf, out);
        return PARQUET_PLAIN;
    }
    // Nulls only, and no entry yet: codes would ask for a dictionary page that may never come.
    if (leaf->chunk->state != PARQUET_DICTIONARY_OPEN || leaf->dictionary.count == 0) {
        bytebuf_add(out, leaf->plain.ptr, leaf->plain.size);
        return PARQUET_PLAIN;
    }
    // One bit at least: not all readers know a width of 0.
    uint32_t entries = leaf->dictionary.count;
    uint32_t width = entries < 2 ? 1 : parquet_rle_width(entries - 1);
    bytebuf_add_byte(out, (uint8_t)width);
    parquet_rle_encode_u32(out, (const uint32_t *)(const void *)leaf->codes.ptr, leaf->values,
                           width);
    if (leaf->order == PARQUET_ORDER_BYTES) {
        bound_codes(encoder, leaf);
    }
    return PARQUET_RLE_DICTIONARY;
}

// ---- pages ----

// Compresses bytes [from, ...) of the encoder's page; those before go along as they are.
static enum status pack(struct parquet_writer *writer, struct parquet_page *page, size_t from,
                        struct err *err)
{
    struct parquet_encoder *encoder = writer->encoder;
    struct str in = str_slice(bytebuf_str(&encoder->page), from, encoder->page.size);
    size_t size = 0;
    encoder->packed.size = 0;
    char *out = bytebuf_reserve(&encoder->packed, compress_bound(writer->options.codec, in.size));
    TRY(compress_block(encoder->compress, writer->options.codec, writer->options.level, in, out,
                       &size, err));
    if (encoder->page.size > INT32_MAX || from + size > INT32_MAX) {
        return ERR(err, STATUS_UNSUPPORTED, "a page of %zu bytes is larger than Parquet allows",
                   encoder->page.size);
    }
    page->plain_size = (uint32_t)encoder->page.size;
    page->packed_size = (uint32_t)(from + size);
    page->payload = mem_alloc(page->packed_size);
    if (from > 0) {
        memcpy(page->payload, encoder->page.ptr, from);
    }
    if (size > 0) {
        memcpy(page->payload + from, out, size);
    }
    page->hash = hash_bytes(page->payload, page->packed_size, 0);
    page->segment = PARQUET_IN_MEMORY;
    writer->page_memory += page->packed_size;
    writer->changed = true;
    return STATUS_OK;
}

static void note_bounds(struct parquet_writer *writer, const struct parquet_leaf *leaf,
                        struct parquet_page *page)
{
    page->bounds_at = (uint32_t)writer->bounds.size;
    struct parquet_bounds bounds =
        parquet_stats_put(&leaf->range, leaf->node, PARQUET_PAGE_BOUND_BYTES, &writer->bounds);
    page->has_lower = bounds.has_lower;
    page->has_upper = bounds.has_upper;
    page->lower_size = (uint8_t)bounds.lower_size;
    page->upper_size = (uint8_t)bounds.upper_size;
}

static void count_levels(uint64_t *histogram, const struct bytebuf *levels)
{
    for (size_t i = 0; i < levels->size; i++) {
        histogram[(uint8_t)levels->ptr[i]]++;
    }
}

static void note_chunk(struct parquet_leaf *leaf, const struct parquet_page *page)
{
    struct parquet_chunk *chunk = leaf->chunk;
    parquet_stats_merge(&chunk->range, &leaf->range, leaf->order);
    chunk->slots += page->slots;
    chunk->nulls += page->nulls;
    chunk->nans += page->nans;
    chunk->var_bytes += page->var_bytes;
    chunk->packed_bytes += page->packed_size;
    chunk->plain_bytes += page->plain_size;
    if (leaf->nested) {
        count_levels(chunk->def_histogram, &leaf->def);
        count_levels(chunk->rep_histogram, &leaf->rep);
    }
}

static void empty_leaf(struct parquet_leaf *leaf)
{
    leaf->rows = 0;
    leaf->slots = 0;
    leaf->values = 0;
    leaf->nans = 0;
    leaf->var_bytes = 0;
    leaf->masked = false;
    leaf->mask.size = 0;
    leaf->def.size = 0;
    leaf->rep.size = 0;
    leaf->plain.size = 0;
    leaf->codes.size = 0;
    parquet_stats_reset(&leaf->range);
}

enum status parquet_page_writer_data(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                     struct err *err)
{
    struct parquet_encoder *encoder = writer->encoder;
    bool v1 = writer->options.page_version == 1;
    struct parquet_page page = {.rows = leaf->rows,
                                .slots = leaf->slots,
                                .nulls = leaf->slots - leaf->values,
                                .nans = leaf->nans,
                                .var_bytes = leaf->var_bytes};
    encoder->page.size = 0;
    if (leaf->node->rep_level > 0) {
        page.rep_size = put_levels(leaf, v1, &encoder->page, put_rep_levels);
    }
    if (leaf->node->def_level > 0) {
        page.def_size = put_levels(leaf, v1, &encoder->page, put_def_levels);
    }
    size_t levels = encoder->page.size;
    page.encoding = (uint8_t)put_values(encoder, leaf, &encoder->page);
    TRY(pack(writer, &page, v1 ? 0 : levels, err));
    note_bounds(writer, leaf, &page);
    note_chunk(leaf, &page);
    VEC_PUSH(&leaf->chunk->pages, page);
    empty_leaf(leaf);
    return STATUS_OK;
}

enum status parquet_page_writer_dictionary(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                           struct err *err)
{
    struct parquet_chunk *chunk = leaf->chunk;
    struct bytebuf *out = &writer->encoder->page;
    out->size = 0;
    bytebuf_add(out, leaf->dictionary.plain.ptr, leaf->dictionary.plain.size);
    chunk->dictionary = (struct parquet_page){.slots = leaf->dictionary.count,
                                              .encoding = PARQUET_PLAIN};
    TRY(pack(writer, &chunk->dictionary, 0, err));
    chunk->packed_bytes += chunk->dictionary.packed_size;
    chunk->plain_bytes += chunk->dictionary.plain_size;
    return STATUS_OK;
}

// PageHeader, parquet.thrift. Bounds stand in the page index, or here where there is none.
void parquet_page_writer_header(const struct parquet_writer *writer,
                                const struct parquet_page *page, bool is_dictionary,
                                struct bytebuf *out)
{
    struct thrift_writer thrift = {.out = out};
    bool v1 = writer->options.page_version == 1;
    thrift_put_begin(&thrift);
    thrift_put_i32(&thrift, 1, is_dictionary ? PARQUET_DICTIONARY
                               : v1          ? PARQUET_DATA_V1
                                             : PARQUET_DATA_V2);
    thrift_put_i32(&thrift, 2, (int32_t)page->plain_size);
    thrift_put_i32(&thrift, 3, (int32_t)page->packed_size);
    if (is_dictionary) {
        thrift_put_struct(&thrift, 7);
        thrift_put_i32(&thrift, 1, (int32_t)page->slots);
        thrift_put_i32(&thrift, 2, PARQUET_PLAIN);
    } else if (v1) {
        thrift_put_struct(&thrift, 5);
        thrift_put_i32(&thrift, 1, (int32_t)page->slots);
        thrift_put_i32(&thrift, 2, page->encoding);
        thrift_put_i32(&thrift, 3, PARQUET_RLE);
        thrift_put_i32(&thrift, 4, PARQUET_RLE);
    } else {
        thrift_put_struct(&thrift, 8);
        thrift_put_i32(&thrift, 1, (int32_t)page->slots);
        thrift_put_i32(&thrift, 2, (int32_t)page->nulls);
        thrift_put_i32(&thrift, 3, (int32_t)page->rows);
        thrift_put_i32(&thrift, 4, page->encoding);
        thrift_put_i32(&thrift, 5, (int32_t)page->def_size);
        thrift_put_i32(&thrift, 6, (int32_t)page->rep_size);
        thrift_put_bool(&thrift, 7, writer->options.codec != COMPRESS_NONE);
    }
    thrift_put_end(&thrift);
    thrift_put_end(&thrift);
}
