// SPDX-License-Identifier: Apache-2.0
//
// The file: "PAR1", for each row group its column chunks one behind the other (dictionary page,
// then data pages), the column indexes, the offset indexes, the footer, its size, "PAR1". Payloads
// that were taken are copied from their segments.
#include <inttypes.h>

#include "base/assert.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/hash.h"
#include "codec/parquet_bloom.h"
#include "codec/parquet_metrics.h"
#include "codec/parquet_writer_int.h"
#include "codec/thrift.h"

struct page_place {
    uint64_t offset; // of the header
    uint32_t size;   // header and payload
    uint32_t header_size;
};

struct chunk_place {
    uint64_t dictionary_offset; // 0: none
    uint64_t data_offset;
    uint64_t packed_bytes; // headers included
    uint64_t plain_bytes;
    uint64_t column_index_offset;
    uint32_t column_index_size; // 0: none
    uint64_t offset_index_offset;
    uint32_t offset_index_size;
    enum compress_codec codec;
    uint32_t packed_encodings; // bits: of data pages that are not raw
    struct page_place *pages;
    const struct parquet_node *leaf;
    struct parquet_bloom bloom;
    uint64_t bloom_offset; // 0: none
    uint32_t bloom_size;   // header included
};

struct assembly {
    struct parquet_writer *writer;
    struct byte_source *const *segments;
    struct byte_sink *sink;
    struct arena arena;
    struct bytebuf bytes;
    struct bytebuf payload;
    struct chunk_place *chunks; // group * leaf_count + leaf
};

static struct parquet_chunk *chunk_of(const struct assembly *at, uint32_t group, uint32_t leaf)
{
    return &at->writer->groups.items[group].chunks[leaf];
}

static struct chunk_place *place_of(const struct assembly *at, uint32_t group, uint32_t leaf)
{
    return &at->chunks[(size_t)group * at->writer->tree.leaf_count + leaf];
}

// ---- pages ----

// The payload as it was kept. Borrowed until the next call.
static enum status get_payload(struct assembly *at, const struct parquet_page *page,
                               struct str *out, struct err *err)
{
    if (page->payload != NULL) {
        *out = str_make(page->payload, page->packed_size);
        return STATUS_OK;
    }
    struct byte_source *source = at->segments[page->segment];
    const char *bytes = byte_source_borrow(source, page->offset, page->packed_size);
    if (bytes == NULL) {
        at->payload.size = 0;
        char *room = bytebuf_reserve(&at->payload, page->packed_size);
        TRY(byte_source_read(source, page->offset, page->packed_size, room, err));
        bytes = room;
    }
    if (hash_bytes(bytes, page->packed_size, 0) != page->hash) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: the page at %" PRIu64 " is damaged",
                   STR_ARGS(source->name), page->offset);
    }
    *out = str_make(bytes, page->packed_size);
    return STATUS_OK;
}

static enum status put_page(struct assembly *at, const struct parquet_page *page,
                            struct chunk_place *chunk, bool is_dictionary, struct page_place *out,
                            struct err *err)
{
    enum compress_codec codec = chunk->codec;
    struct str payload;
    TRY(get_payload(at, page, &payload, err));
    if (chunk->bloom.bytes != NULL) {
        TRY(parquet_bloom_write_page(at->writer, chunk->leaf, page, payload, &chunk->bloom, err));
    }
    if (page->is_raw && codec != COMPRESS_NONE) {
        // Where no page like it became smaller, this one will not.
        bool is_noise = !is_dictionary && (chunk->packed_encodings >> page->encoding & 1) == 0;
        TRY(parquet_page_writer_compress(at->writer, page, payload, is_noise, &payload, err));
    }
    const struct parquet_page_form form = {.is_dictionary = is_dictionary,
                                           .is_compressed = codec != COMPRESS_NONE,
                                           .packed_size = (uint32_t)payload.size};
    at->bytes.size = 0;
    parquet_page_writer_header(at->writer, page, &form, &at->bytes);
    *out = (struct page_place){.offset = at->sink->written,
                               .size = (uint32_t)(at->bytes.size + payload.size),
                               .header_size = (uint32_t)at->bytes.size};
    TRY(byte_sink_write(at->sink, at->bytes.ptr, at->bytes.size, err));
    return byte_sink_write(at->sink, payload.ptr, payload.size, err);
}

// None where all pages were kept raw.
static enum compress_codec chunk_codec(const struct parquet_writer *writer,
                                       const struct parquet_chunk *chunk)
{
    bool raw = chunk->pages.count > 0 && (chunk->dictionary.slots == 0 || chunk->dictionary.is_raw);
    for (uint32_t i = 0; i < chunk->pages.count && raw; i++) {
        raw = chunk->pages.items[i].is_raw;
    }
    return raw ? COMPRESS_NONE : writer->options.codec;
}

static enum status put_chunk(struct assembly *at, uint32_t group, uint32_t leaf, struct err *err)
{
    struct parquet_chunk *chunk = chunk_of(at, group, leaf);
    struct chunk_place *place = place_of(at, group, leaf);
    place->pages = arena_new_array(&at->arena, struct page_place, chunk->pages.count + 1);
    place->plain_bytes = chunk->plain_bytes;
    place->codec = chunk_codec(at->writer, chunk);
    for (uint32_t i = 0; i < chunk->pages.count; i++) {
        const struct parquet_page *each = &chunk->pages.items[i];
        place->packed_encodings |= each->is_raw ? 0 : 1u << each->encoding;
    }
    place->leaf = at->writer->tree.leaves[leaf];
    const struct parquet_bloom_options *bloom =
        parquet_bloom_write_options(at->writer, place->leaf);
    if (bloom != NULL) {
        parquet_bloom_write_begin(&at->arena, bloom, chunk, &place->bloom);
    }
    struct page_place page = {0};
    if (chunk->dictionary.slots > 0) {
        TRY(put_page(at, &chunk->dictionary, place, true, &page, err));
        place->dictionary_offset = page.offset;
        place->packed_bytes = page.size;
        place->plain_bytes += page.header_size;
    }
    place->data_offset = at->sink->written;
    for (uint32_t i = 0; i < chunk->pages.count; i++) {
        TRY(put_page(at, &chunk->pages.items[i], place, false, &place->pages[i], err));
        place->packed_bytes += place->pages[i].size;
        place->plain_bytes += place->pages[i].header_size;
    }
    if (bloom != NULL) {
        place->bloom.size = parquet_bloom_fold(place->bloom.bytes, place->bloom.size, bloom->fpp);
    }
    return STATUS_OK;
}

// All filters behind the row groups.
static enum status put_blooms(struct assembly *at, struct err *err)
{
    const struct parquet_writer *writer = at->writer;
    for (size_t i = 0; i < (size_t)writer->groups.count * writer->tree.leaf_count; i++) {
        struct chunk_place *place = &at->chunks[i];
        if (place->bloom.bytes == NULL) {
            continue;
        }
        at->bytes.size = 0;
        parquet_bloom_put_header(&at->bytes, place->bloom.size);
        place->bloom_offset = at->sink->written;
        place->bloom_size = (uint32_t)(at->bytes.size + place->bloom.size);
        TRY(byte_sink_write(at->sink, at->bytes.ptr, at->bytes.size, err));
        TRY(byte_sink_write(at->sink, place->bloom.bytes, place->bloom.size, err));
    }
    return STATUS_OK;
}

// ---- page index ----

static struct str page_lower(const struct assembly *at, const struct parquet_page *page)
{
    return bytebuf_part(&at->writer->bounds, page->bounds_at, page->lower_size);
}

static struct str page_upper(const struct assembly *at, const struct parquet_page *page)
{
    return bytebuf_part(&at->writer->bounds, page->bounds_at + page->lower_size, page->upper_size);
}

static bool all_null(const struct parquet_page *page)
{
    return page->nulls == page->slots;
}

// A page whose values have no bounds (NaNs only, or a text that cannot be raised) leaves the chunk
// without a column index: the format has no way to say so of a single page.
static bool has_column_index(const struct parquet_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->pages.count; i++) {
        const struct parquet_page *page = &chunk->pages.items[i];
        if (!all_null(page) && (!page->has_lower || !page->has_upper)) {
            return false;
        }
    }
    return chunk->pages.count > 0;
}

// Whether bounds ascend (1), descend (2) or neither (0) from page to page: BoundaryOrder.
static int32_t boundary_order(const struct assembly *at, const struct parquet_chunk *chunk,
                              const struct parquet_node *leaf)
{
    bool ascending = true;
    bool descending = true;
    const struct parquet_page *last = NULL;
    for (uint32_t i = 0; i < chunk->pages.count; i++) {
        const struct parquet_page *page = &chunk->pages.items[i];
        if (all_null(page)) {
            continue;
        }
        if (last != NULL) {
            int lower = parquet_metrics_compare(leaf, page_lower(at, last), page_lower(at, page));
            int upper = parquet_metrics_compare(leaf, page_upper(at, last), page_upper(at, page));
            ascending &= lower <= 0 && upper <= 0;
            descending &= lower >= 0 && upper >= 0;
        }
        last = page;
    }
    return ascending ? 1 : descending ? 2 : 0;
}

// ColumnIndex.
static void encode_column_index(struct assembly *at, const struct parquet_chunk *chunk,
                                const struct parquet_node *leaf)
{
    struct thrift_writer thrift = {.out = &at->bytes};
    uint32_t count = chunk->pages.count;
    const struct parquet_page *pages = chunk->pages.items;
    at->bytes.size = 0;
    thrift_put_begin(&thrift);
    thrift_put_list(&thrift, 1, THRIFT_TRUE, count);
    for (uint32_t i = 0; i < count; i++) {
        thrift_put_element_bool(&thrift, all_null(&pages[i]));
    }
    thrift_put_list(&thrift, 2, THRIFT_BINARY, count);
    for (uint32_t i = 0; i < count; i++) {
        thrift_put_element_binary(&thrift, page_lower(at, &pages[i]));
    }
    thrift_put_list(&thrift, 3, THRIFT_BINARY, count);
    for (uint32_t i = 0; i < count; i++) {
        thrift_put_element_binary(&thrift, page_upper(at, &pages[i]));
    }
    thrift_put_i32(&thrift, 4, boundary_order(at, chunk, leaf));
    thrift_put_list(&thrift, 5, THRIFT_I64, count);
    for (uint32_t i = 0; i < count; i++) {
        thrift_put_element_i64(&thrift, pages[i].nulls);
    }
    thrift_put_end(&thrift);
}

// OffsetIndex.
static void encode_offset_index(struct assembly *at, const struct parquet_chunk *chunk,
                                const struct chunk_place *place, const struct parquet_node *leaf)
{
    struct thrift_writer thrift = {.out = &at->bytes};
    uint64_t row = 0;
    at->bytes.size = 0;
    thrift_put_begin(&thrift);
    thrift_put_list(&thrift, 1, THRIFT_STRUCT, chunk->pages.count);
    for (uint32_t i = 0; i < chunk->pages.count; i++) {
        thrift_put_begin(&thrift);
        thrift_put_i64(&thrift, 1, (int64_t)place->pages[i].offset);
        thrift_put_i32(&thrift, 2, (int32_t)place->pages[i].size);
        thrift_put_i64(&thrift, 3, (int64_t)row);
        thrift_put_end(&thrift);
        row += chunk->pages.items[i].rows;
    }
    if (leaf->element->physical == PARQUET_BYTE_ARRAY) {
        thrift_put_list(&thrift, 2, THRIFT_I64, chunk->pages.count);
        for (uint32_t i = 0; i < chunk->pages.count; i++) {
            thrift_put_element_i64(&thrift, (int64_t)chunk->pages.items[i].var_bytes);
        }
    }
    thrift_put_end(&thrift);
}

static enum status put_indexes(struct assembly *at, bool columns, struct err *err)
{
    struct parquet_writer *writer = at->writer;
    for (uint32_t group = 0; group < writer->groups.count; group++) {
        for (uint32_t leaf = 0; leaf < writer->tree.leaf_count; leaf++) {
            const struct parquet_chunk *chunk = chunk_of(at, group, leaf);
            const struct parquet_node *node = writer->tree.leaves[leaf];
            struct chunk_place *place = place_of(at, group, leaf);
            bool is_ordered =
                !writer->leaves[leaf].without_statistics && node->element->geo == PARQUET_GEO_NONE;
            if (columns && !(is_ordered && has_column_index(chunk))) {
                continue;
            }
            if (columns) {
                encode_column_index(at, chunk, node);
                place->column_index_offset = at->sink->written;
                place->column_index_size = (uint32_t)at->bytes.size;
            } else {
                encode_offset_index(at, chunk, place, node);
                place->offset_index_offset = at->sink->written;
                place->offset_index_size = (uint32_t)at->bytes.size;
            }
            TRY(byte_sink_write(at->sink, at->bytes.ptr, at->bytes.size, err));
        }
    }
    return STATUS_OK;
}

// ---- footer ----

static void put_logical(struct thrift_writer *thrift, const struct parquet_element *element)
{
    if (element->logical == PARQUET_LOGICAL_NONE) {
        return;
    }
    thrift_put_struct(thrift, 10);
    thrift_put_struct(thrift, (int16_t)element->logical);
    if (element->logical == PARQUET_LOGICAL_DECIMAL) {
        thrift_put_i32(thrift, 1, element->scale);
        thrift_put_i32(thrift, 2, element->precision);
    } else if (element->logical == PARQUET_LOGICAL_TIME ||
               element->logical == PARQUET_LOGICAL_TIMESTAMP) {
        thrift_put_bool(thrift, 1, element->is_utc);
        thrift_put_struct(thrift, 2);
        thrift_put_struct(thrift, (int16_t)element->unit);
        thrift_put_end(thrift);
        thrift_put_end(thrift);
    } else if (element->logical == PARQUET_LOGICAL_INTEGER) {
        thrift_put_i8(thrift, 1, element->int_width);
        thrift_put_bool(thrift, 2, element->int_signed);
    } else if (element->geo != PARQUET_GEO_NONE) {
        if (element->crs.size > 0) {
            thrift_put_binary(thrift, 1, element->crs);
        }
        if (element->geo > PARQUET_GEO_SPHERICAL) { // the default is left out
            thrift_put_i32(thrift, 2, (int32_t)(element->geo - PARQUET_GEO_SPHERICAL));
        }
    } else if (element->logical == PARQUET_LOGICAL_VARIANT) {
        thrift_put_i8(thrift, 1, 1); // the version of the format
    }
    thrift_put_end(thrift);
    thrift_put_end(thrift);
}

static void put_element(struct thrift_writer *thrift, const struct parquet_element *element,
                        bool is_root)
{
    thrift_put_begin(thrift);
    if (element->physical != PARQUET_GROUP) {
        thrift_put_i32(thrift, 1, (int32_t)element->physical);
    }
    if (element->physical == PARQUET_FIXED) {
        thrift_put_i32(thrift, 2, element->length);
    }
    if (!is_root) {
        thrift_put_i32(thrift, 3, (int32_t)element->repetition);
    }
    thrift_put_binary(thrift, 4, element->name);
    if (element->physical == PARQUET_GROUP) {
        thrift_put_i32(thrift, 5, (int32_t)element->child_count);
    }
    if (element->converted != PARQUET_CONVERTED_NONE) {
        thrift_put_i32(thrift, 6, (int32_t)element->converted);
    }
    if (element->logical == PARQUET_LOGICAL_DECIMAL) {
        thrift_put_i32(thrift, 7, element->scale);
        thrift_put_i32(thrift, 8, element->precision);
    }
    if (element->id != PARQUET_NO_ID) {
        thrift_put_i32(thrift, 9, element->id);
    }
    put_logical(thrift, element);
    thrift_put_end(thrift);
}

// Statistics, with the chunk's bounds.
static void put_statistics(struct thrift_writer *thrift, const struct parquet_chunk *chunk,
                           const struct parquet_node *leaf)
{
    struct bytebuf bytes = {0};
    struct parquet_bounds bounds = {0};
    if (leaf->element->geo == PARQUET_GEO_NONE) { // the order of WKB says nothing
        bounds = parquet_stats_put(&chunk->range, leaf, PARQUET_BOUND_BYTES_MAX, &bytes);
    }
    thrift_put_struct(thrift, 12);
    thrift_put_i64(thrift, 3, (int64_t)chunk->nulls);
    if (bounds.has_upper) {
        thrift_put_binary(thrift, 5, bytebuf_part(&bytes, bounds.lower_size, bounds.upper_size));
    }
    if (bounds.has_lower) {
        thrift_put_binary(thrift, 6, bytebuf_part(&bytes, 0, bounds.lower_size));
    }
    if (bounds.has_upper) {
        thrift_put_bool(thrift, 7, bounds.upper_exact);
    }
    if (bounds.has_lower) {
        thrift_put_bool(thrift, 8, bounds.lower_exact);
    }
    if (parquet_stats_order(leaf) == PARQUET_ORDER_FLOAT) {
        thrift_put_i64(thrift, 9, (int64_t)chunk->nans);
    }
    thrift_put_end(thrift);
    bytebuf_release(&bytes);
}

static uint32_t pages_with(const struct parquet_chunk *chunk, enum parquet_encoding encoding)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < chunk->pages.count; i++) {
        count += chunk->pages.items[i].encoding == encoding;
    }
    return count;
}

static void put_encoding_stats(struct thrift_writer *thrift, const struct parquet_writer *writer,
                               const struct parquet_chunk *chunk)
{
    int32_t type = writer->options.page_version == 1 ? PARQUET_DATA_V1 : PARQUET_DATA_V2;
    struct {
        int32_t type;
        int32_t encoding;
        uint32_t count;
    } stats[12];
    uint32_t used = 0;
    if (chunk->dictionary.slots > 0) {
        stats[used].type = PARQUET_DICTIONARY;
        stats[used].encoding = PARQUET_PLAIN;
        stats[used++].count = 1;
    }
    for (int32_t encoding = 0; encoding <= PARQUET_BYTE_STREAM_SPLIT; encoding++) {
        uint32_t count = pages_with(chunk, (enum parquet_encoding)encoding);
        if (count > 0) {
            stats[used].type = type;
            stats[used].encoding = encoding;
            stats[used++].count = count;
        }
    }
    thrift_put_list(thrift, 13, THRIFT_STRUCT, used);
    for (uint32_t i = 0; i < used; i++) {
        thrift_put_begin(thrift);
        thrift_put_i32(thrift, 1, stats[i].type);
        thrift_put_i32(thrift, 2, stats[i].encoding);
        thrift_put_i32(thrift, 3, (int32_t)stats[i].count);
        thrift_put_end(thrift);
    }
}

// SizeStatistics. Histograms say nothing where there is one level, or the null count says it all.
static void put_size_statistics(struct thrift_writer *thrift, const struct parquet_chunk *chunk,
                                const struct parquet_node *leaf)
{
    thrift_put_struct(thrift, 16);
    if (leaf->element->physical == PARQUET_BYTE_ARRAY) {
        thrift_put_i64(thrift, 1, (int64_t)chunk->var_bytes);
    }
    if (chunk->rep_histogram != NULL && leaf->rep_level > 0) {
        thrift_put_list(thrift, 2, THRIFT_I64, leaf->rep_level + 1u);
        for (uint32_t i = 0; i <= leaf->rep_level; i++) {
            thrift_put_element_i64(thrift, (int64_t)chunk->rep_histogram[i]);
        }
    }
    if (chunk->def_histogram != NULL && leaf->def_level > 0) {
        thrift_put_list(thrift, 3, THRIFT_I64, leaf->def_level + 1u);
        for (uint32_t i = 0; i <= leaf->def_level; i++) {
            thrift_put_element_i64(thrift, (int64_t)chunk->def_histogram[i]);
        }
    }
    thrift_put_end(thrift);
}

static void put_encodings(struct thrift_writer *thrift, const struct parquet_chunk *chunk)
{
    int32_t encodings[12];
    uint32_t used = 0;
    encodings[used++] = PARQUET_RLE; // levels
    bool plain = chunk->dictionary.slots > 0 || pages_with(chunk, PARQUET_PLAIN) > 0;
    for (int32_t encoding = 0; encoding <= PARQUET_BYTE_STREAM_SPLIT; encoding++) {
        bool is_used = encoding == PARQUET_PLAIN
                           ? plain
                           : pages_with(chunk, (enum parquet_encoding)encoding) > 0;
        if (is_used && encoding != PARQUET_RLE) {
            encodings[used++] = encoding;
        }
    }
    thrift_put_list(thrift, 2, THRIFT_I32, used);
    for (uint32_t i = 0; i < used; i++) {
        thrift_put_element_i32(thrift, encodings[i]);
    }
}

// ColumnMetaData.
static void put_chunk_metadata(struct assembly *at, struct thrift_writer *thrift, uint32_t group,
                               uint32_t leaf)
{
    const struct parquet_writer *writer = at->writer;
    const struct parquet_chunk *chunk = chunk_of(at, group, leaf);
    const struct chunk_place *place = place_of(at, group, leaf);
    const struct parquet_node *node = writer->tree.leaves[leaf];
    thrift_put_struct(thrift, 3);
    thrift_put_i32(thrift, 1, (int32_t)node->element->physical);
    put_encodings(thrift, chunk);
    thrift_put_list(thrift, 3, THRIFT_BINARY, writer->tree.path_sizes[leaf]);
    for (uint32_t i = 0; i < writer->tree.path_sizes[leaf]; i++) {
        thrift_put_element_binary(thrift, writer->tree.paths[leaf][i]);
    }
    thrift_put_i32(thrift, 4, (int32_t)parquet_schema_codec_number(place->codec));
    thrift_put_i64(thrift, 5, (int64_t)chunk->slots);
    thrift_put_i64(thrift, 6, (int64_t)place->plain_bytes);
    thrift_put_i64(thrift, 7, (int64_t)place->packed_bytes);
    thrift_put_i64(thrift, 9, (int64_t)place->data_offset);
    if (place->dictionary_offset > 0) {
        thrift_put_i64(thrift, 11, (int64_t)place->dictionary_offset);
    }
    if (!writer->leaves[leaf].without_statistics) {
        put_statistics(thrift, chunk, node);
    }
    put_encoding_stats(thrift, writer, chunk);
    if (place->bloom_offset > 0) {
        thrift_put_i64(thrift, 14, (int64_t)place->bloom_offset);
        thrift_put_i32(thrift, 15, (int32_t)place->bloom_size);
    }
    put_size_statistics(thrift, chunk, node);
    thrift_put_end(thrift);
}

static uint64_t chunk_start(const struct chunk_place *place)
{
    return place->dictionary_offset > 0 ? place->dictionary_offset : place->data_offset;
}

// RowGroup.
static void put_group(struct assembly *at, struct thrift_writer *thrift, uint32_t group)
{
    const struct parquet_writer *writer = at->writer;
    uint64_t plain = 0;
    uint64_t packed = 0;
    thrift_put_begin(thrift);
    thrift_put_list(thrift, 1, THRIFT_STRUCT, writer->tree.leaf_count);
    for (uint32_t leaf = 0; leaf < writer->tree.leaf_count; leaf++) {
        const struct chunk_place *place = place_of(at, group, leaf);
        plain += place->plain_bytes;
        packed += place->packed_bytes;
        thrift_put_begin(thrift);
        thrift_put_i64(thrift, 2, 0); // file_offset: deprecated, and 0 says so
        put_chunk_metadata(at, thrift, group, leaf);
        if (place->offset_index_size > 0) {
            thrift_put_i64(thrift, 4, (int64_t)place->offset_index_offset);
            thrift_put_i32(thrift, 5, (int32_t)place->offset_index_size);
        }
        if (place->column_index_size > 0) {
            thrift_put_i64(thrift, 6, (int64_t)place->column_index_offset);
            thrift_put_i32(thrift, 7, (int32_t)place->column_index_size);
        }
        thrift_put_end(thrift);
    }
    thrift_put_i64(thrift, 2, (int64_t)plain);
    thrift_put_i64(thrift, 3, (int64_t)writer->groups.items[group].rows);
    if (writer->tree.leaf_count > 0) {
        thrift_put_i64(thrift, 5, (int64_t)chunk_start(place_of(at, group, 0)));
    }
    thrift_put_i64(thrift, 6, (int64_t)packed);
    if (group <= INT16_MAX) {
        thrift_put_i16(thrift, 7, (int16_t)group);
    }
    thrift_put_end(thrift);
}

// FileMetaData.
static void encode_footer(struct assembly *at)
{
    const struct parquet_writer *writer = at->writer;
    struct thrift_writer thrift = {.out = &at->bytes};
    at->bytes.size = 0;
    thrift_put_begin(&thrift);
    thrift_put_i32(&thrift, 1, writer->options.page_version == 2 ? 2 : 1);
    thrift_put_list(&thrift, 2, THRIFT_STRUCT, writer->tree.element_count);
    for (uint32_t i = 0; i < writer->tree.element_count; i++) {
        put_element(&thrift, &writer->tree.elements[i], i == 0);
    }
    thrift_put_i64(&thrift, 3, (int64_t)writer->rows);
    thrift_put_list(&thrift, 4, THRIFT_STRUCT, writer->groups.count);
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        put_group(at, &thrift, i);
    }
    if (writer->options.key_value_count > 0) {
        thrift_put_list(&thrift, 5, THRIFT_STRUCT, writer->options.key_value_count);
        for (uint32_t i = 0; i < writer->options.key_value_count; i++) {
            thrift_put_begin(&thrift);
            thrift_put_binary(&thrift, 1, writer->options.key_values[i].key);
            thrift_put_binary(&thrift, 2, writer->options.key_values[i].value);
            thrift_put_end(&thrift);
        }
    }
    // parquet-mr distrusts statistics of binaries unless it can parse this.
    thrift_put_binary(&thrift, 6, STR_LIT("frazil version 0.1.0 (build 0)"));
    // TYPE_ORDER for every leaf: without it readers may not trust min_value and max_value.
    thrift_put_list(&thrift, 7, THRIFT_STRUCT, writer->tree.leaf_count);
    for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
        thrift_put_begin(&thrift);
        thrift_put_struct(&thrift, 1);
        thrift_put_end(&thrift);
        thrift_put_end(&thrift);
    }
    thrift_put_end(&thrift);
}

static enum status put_footer(struct assembly *at, struct err *err)
{
    encode_footer(at);
    if (at->bytes.size > INT32_MAX) {
        return ERR(err, STATUS_UNSUPPORTED, "a footer of %zu bytes is too large", at->bytes.size);
    }
    uint32_t size = (uint32_t)at->bytes.size;
    bytebuf_add_u32(&at->bytes, size);
    bytebuf_add(&at->bytes, "PAR1", 4);
    return byte_sink_write(at->sink, at->bytes.ptr, at->bytes.size, err);
}

static enum status put_file(struct assembly *at, struct err *err)
{
    struct parquet_writer *writer = at->writer;
    TRY(byte_sink_write(at->sink, "PAR1", 4, err));
    for (uint32_t group = 0; group < writer->groups.count; group++) {
        for (uint32_t leaf = 0; leaf < writer->tree.leaf_count; leaf++) {
            TRY(put_chunk(at, group, leaf, err));
        }
    }
    TRY(put_blooms(at, err));
    if (!writer->options.without_page_index) {
        TRY(put_indexes(at, true, err));
        TRY(put_indexes(at, false, err));
    }
    return put_footer(at, err);
}

static void fill_result(struct assembly *at, uint64_t file_bytes)
{
    struct parquet_writer *writer = at->writer;
    uint32_t leaves = writer->tree.leaf_count;
    arena_reset(&writer->result_arena);
    struct parquet_leaf_metrics *metrics =
        arena_new_array(&writer->result_arena, struct parquet_leaf_metrics, leaves + 1);
    int64_t *offsets = arena_new_array(&writer->result_arena, int64_t, writer->groups.count + 1);
    for (uint32_t leaf = 0; leaf < leaves; leaf++) {
        parquet_metrics_leaf(writer, leaf, &metrics[leaf]);
        for (uint32_t group = 0; group < writer->groups.count; group++) {
            metrics[leaf].bytes += place_of(at, group, leaf)->packed_bytes;
        }
    }
    for (uint32_t group = 0; leaves > 0 && group < writer->groups.count; group++) {
        offsets[group] = (int64_t)chunk_start(place_of(at, group, 0));
    }
    writer->result =
        (struct parquet_writer_result){.file_bytes = file_bytes,
                                       .row_count = writer->rows,
                                       .leaf_count = leaves,
                                       .leaves = metrics,
                                       .split_offset_count = leaves > 0 ? writer->groups.count : 0,
                                       .split_offsets = offsets};
}

enum status parquet_assemble_file(struct parquet_writer *writer,
                                  struct byte_source *const *segments, struct byte_sink *sink,
                                  struct err *err)
{
    ASSERT(sink->written == 0); // offsets count from the file's start
    struct assembly at = {.writer = writer, .segments = segments, .sink = sink};
    arena_init(&at.arena);
    at.chunks = arena_new_array(&at.arena, struct chunk_place,
                                (size_t)writer->groups.count * writer->tree.leaf_count + 1);
    enum status status = put_file(&at, err);
    if (status == STATUS_OK) {
        fill_result(&at, sink->written);
    }
    arena_release(&at.arena);
    bytebuf_release(&at.bytes);
    bytebuf_release(&at.payload);
    return status;
}
