// SPDX-License-Identifier: Apache-2.0
//
// A page: levels, then values, compressed (v1), or levels in front of compressed values (v2).
#include "base/assert.h"
#include "base/bits.h"
#include "codec/parquet_compact.h"
#include "codec/parquet_rle.h"
#include "codec/parquet_writer_int.h"
#include "codec/thrift.h"

enum {
    RAW_SHARE = 14,       // compression has to save a 14th
    RAW_PAGE_MIN = 8192,  // of a first page that decides
    RAW_TRIAL_PAGES = 16, // so often is compression tried again
    RAW_DICTIONARY_MAX = 256 << 10,
    SAMPLE_BYTES = 32 << 10,
    SLOWER_SHARE = 64,
    COMPACT_VALUES = 1000, // of a page that decides on an encoding
    COMPACT_SHARE = 33,    // a compact encoding has to save a 33rd
};

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
    const uint8_t *values = (const uint8_t *)parquet_leaf_plain(leaf).ptr;
    uint32_t count = leaf->values;
    uint8_t *bytes = (uint8_t *)bytebuf_reserve(out, count / 8 + 1);
    memset(bytes, 0, count / 8 + 1);
    for (uint32_t i = 0; i < count; i++) {
        bytes[i / 8] |= (uint8_t)(values[i] << (i % 8));
    }
    out->size += (count + 7) / 8;
}

// The bounds of the entries that this page uses.
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
    struct str lower;
    struct str upper;
    if (leaf->values > 0) {
        parquet_dictionary_bounds(&leaf->dictionary, used, &lower, &upper);
        parquet_stats_bytes(&leaf->range, lower);
        parquet_stats_bytes(&leaf->range, upper);
    }
}

static enum status compress(struct parquet_writer *writer, struct str in, size_t from,
                            struct str *out, struct err *err)
{
    struct bytebuf *packed = &writer->encoder->packed;
    size_t size = 0;
    struct str body = str_slice(in, from, in.size);
    packed->size = 0;
    char *room = bytebuf_reserve(packed, from + compress_bound(writer->options.codec, body.size));
    if (from > 0) {
        memcpy(room, in.ptr, from);
    }
    TRY(compress_block(writer->encoder->compress, writer->options.codec, writer->options.level,
                       body, room + from, &size, err));
    *out = str_make(room, from + size);
    return STATUS_OK;
}

// Whether the chunk's values are smaller in their compact encoding, compressed: seen by trying on a
// page that is large enough to tell.
static enum status decide_compact(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                  struct str plain, struct err *err)
{
    struct str packed_plain;
    struct str packed;
    struct bytebuf *compact = &writer->encoder->compact;
    TRY(compress(writer, plain, 0, &packed_plain, err));
    size_t plain_size = packed_plain.size;
    compact->size = 0;
    parquet_compact_encode(leaf->node->element->physical, plain, leaf->values, compact);
    TRY(compress(writer, bytebuf_str(compact), 0, &packed, err));
    if (leaf->values >= COMPACT_VALUES) {
        leaf->chunk->compactness = packed.size < plain_size - plain_size / COMPACT_SHARE
                                       ? PARQUET_IS_COMPACT
                                       : PARQUET_STAYS_PLAIN;
    }
    return STATUS_OK;
}

static enum status put_plain(struct parquet_writer *writer, struct parquet_leaf *leaf,
                             struct str *whole, enum parquet_encoding *encoding, struct err *err)
{
    struct bytebuf *out = &writer->encoder->page;
    enum parquet_physical physical = leaf->node->element->physical;
    struct str plain = parquet_leaf_plain(leaf);
    bool may = writer->options.encodings == PARQUET_ENCODINGS_COMPACT && leaf->values > 0 &&
               parquet_compact_encoding(physical) != PARQUET_PLAIN;
    if (may && leaf->chunk->compactness == PARQUET_UNDECIDED) {
        TRY(decide_compact(writer, leaf, plain, err));
    }
    if (may && leaf->chunk->compactness == PARQUET_IS_COMPACT) {
        parquet_compact_encode(physical, plain, leaf->values, out);
        *encoding = parquet_compact_encoding(physical);
        return STATUS_OK;
    }
    *encoding = PARQUET_PLAIN;
    if (out->size > PARQUET_PLAIN_HEAD || plain.size == 0) {
        bytebuf_add(out, plain.ptr, plain.size);
        return STATUS_OK;
    }
    // The usual case: a few bytes of levels go in front of the values, which stay where they are.
    char *head = leaf->plain.ptr + PARQUET_PLAIN_HEAD - out->size;
    if (out->size > 0) {
        memcpy(head, out->ptr, out->size);
    }
    *whole = str_make(head, out->size + plain.size);
    return STATUS_OK;
}

// Appends the values to the levels in the encoder's page; *whole is the page where it was put
// together in another place.
static enum status put_values(struct parquet_writer *writer, struct parquet_leaf *leaf,
                              struct str *whole, enum parquet_encoding *encoding, struct err *err)
{
    struct bytebuf *out = &writer->encoder->page;
    if (leaf->store == PARQUET_STORE_BOOL) {
        put_booleans(leaf, out);
        *encoding = PARQUET_PLAIN;
        return STATUS_OK;
    }
    // Nulls only, and no entry yet: codes would ask for a dictionary page that may never come.
    if (leaf->chunk->state != PARQUET_DICTIONARY_OPEN || leaf->dictionary.count == 0) {
        return put_plain(writer, leaf, whole, encoding, err);
    }
    // One bit at least: not all readers know a width of 0.
    uint32_t entries = leaf->dictionary.count;
    uint32_t width = entries < 2 ? 1 : parquet_rle_width(entries - 1);
    bytebuf_add_byte(out, (uint8_t)width);
    parquet_rle_encode_u32(out, (const uint32_t *)(const void *)leaf->codes.ptr, leaf->values,
                           width);
    if (leaf->order == PARQUET_ORDER_BYTES) {
        bound_codes(writer->encoder, leaf);
    }
    *encoding = PARQUET_RLE_DICTIONARY;
    return STATUS_OK;
}

// ---- pages ----

enum status parquet_page_writer_compress(struct parquet_writer *writer,
                                         const struct parquet_page *page, struct str raw,
                                         bool is_noise, struct str *out, struct err *err)
{
    struct compress *context = writer->encoder->compress;
    bool v1 = writer->options.page_version == 1;
    compress_set_kind(context, is_noise ? COMPRESS_NOISE : COMPRESS_BYTES);
    enum status status = compress(writer, raw, v1 ? 0 : page->rep_size + page->def_size, out, err);
    compress_set_kind(context, COMPRESS_BYTES);
    return status;
}

static bool is_worthwhile(struct str plain, struct str packed)
{
    return packed.size + plain.size / RAW_SHARE < plain.size;
}

struct page_bytes {
    struct str plain;
    size_t levels;   // in front, that are not compressed
    bool is_numbers; // plain values of fixed width
};

// Tries the kinds on some of the chunk's first page, the quickest first; a slower one has to be
// smaller by a share.
static enum status choose_numbers(struct parquet_writer *writer, struct parquet_chunk *chunk,
                                  struct str plain, struct err *err)
{
    static const enum parquet_numbers choices[] = {PARQUET_NUMBERS_STEPPED, PARQUET_NUMBERS_NEAR,
                                                   PARQUET_NUMBERS_BYTES};
    struct str some = str_slice(plain, 0, plain.size < SAMPLE_BYTES ? plain.size : SAMPLE_BYTES);
    size_t best = SIZE_MAX;
    for (uint32_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct str packed;
        compress_set_kind(writer->encoder->compress, (enum compress_kind)(choices[i] - 1));
        TRY(compress(writer, some, 0, &packed, err));
        if (packed.size + packed.size / SLOWER_SHARE < best) {
            best = packed.size;
            chunk->numbers = choices[i];
        }
    }
    return STATUS_OK;
}

static enum status compress_numbers(struct parquet_writer *writer, struct parquet_chunk *chunk,
                                    struct page_bytes bytes, struct str *out, struct err *err)
{
    enum compress_kind kind = COMPRESS_NUMBERS;
    enum status status = STATUS_OK;
    if (chunk->numbers == PARQUET_NUMBERS_UNSEEN && bytes.plain.size >= RAW_PAGE_MIN) {
        status = choose_numbers(writer, chunk, bytes.plain, err);
    }
    if (chunk->numbers != PARQUET_NUMBERS_UNSEEN) {
        kind = (enum compress_kind)(chunk->numbers - 1);
    }
    compress_set_kind(writer->encoder->compress, kind);
    if (status == STATUS_OK) {
        status = compress(writer, bytes.plain, bytes.levels, out, err);
    }
    compress_set_kind(writer->encoder->compress, COMPRESS_BYTES);
    return status;
}

static enum status check_size(struct str plain, struct err *err)
{
    return plain.size > INT32_MAX - 1024
               ? ERR(err, STATUS_UNSUPPORTED, "a page of %zu bytes is larger than Parquet allows",
                     plain.size)
               : STATUS_OK;
}

static void keep_payload(struct parquet_writer *writer, struct parquet_page *page, struct str plain,
                         struct str packed)
{
    struct str kept = page->is_raw ? plain : packed;
    page->plain_size = (uint32_t)plain.size;
    page->packed_size = (uint32_t)kept.size;
    page->payload = parquet_payload_add(&writer->payloads, kept);
    page->segment = PARQUET_IN_MEMORY;
    writer->changed = true;
}

// The bytes into the payload of a data page: compressed, or raw.
static enum status pack(struct parquet_writer *writer, struct parquet_chunk *chunk,
                        struct parquet_page *page, struct page_bytes bytes, struct err *err)
{
    uint32_t count = chunk->pages.count;
    struct str packed = bytes.plain;
    // The first of its encoding decides.
    bool first = count == 0 || chunk->pages.items[count - 1].encoding != page->encoding;
    bool tried = first || !chunk->is_raw || count % RAW_TRIAL_PAGES == 0;
    TRY(check_size(bytes.plain, err));
    if (writer->options.codec != COMPRESS_NONE && tried) {
        TRY(bytes.is_numbers ? compress_numbers(writer, chunk, bytes, &packed, err)
                             : compress(writer, bytes.plain, bytes.levels, &packed, err));
        bool pays = is_worthwhile(bytes.plain, packed);
        if (first && !pays && bytes.plain.size >= RAW_PAGE_MIN) {
            chunk->is_raw = true;
        } else if (pays) {
            chunk->is_raw = false;
        }
    }
    page->is_raw = chunk->is_raw;
    keep_payload(writer, page, bytes.plain, packed);
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
    enum parquet_encoding encoding;
    struct str whole = {NULL, 0};
    TRY(put_values(writer, leaf, &whole, &encoding, err));
    page.encoding = (uint8_t)encoding;
    struct page_bytes bytes = {
        .plain = whole.ptr != NULL ? whole : bytebuf_str(&encoder->page),
        .levels = v1 ? 0 : levels,
        .is_numbers = encoding == PARQUET_PLAIN &&
                      (leaf->store == PARQUET_STORE_W4 || leaf->store == PARQUET_STORE_W8)};
    TRY(pack(writer, leaf->chunk, &page, bytes, err));
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
    struct parquet_page page = {.slots = leaf->dictionary.count, .encoding = PARQUET_PLAIN};
    struct str plain = bytebuf_str(&leaf->dictionary.plain);
    struct str packed = plain;
    TRY(check_size(plain, err));
    // A large dictionary is worth compressing whatever its codes are like.
    page.is_raw = writer->options.codec == COMPRESS_NONE ||
                  (chunk->is_raw && plain.size <= RAW_DICTIONARY_MAX);
    if (!page.is_raw) {
        TRY(compress(writer, plain, 0, &packed, err));
        page.is_raw = !is_worthwhile(plain, packed);
    }
    keep_payload(writer, &page, plain, packed);
    chunk->dictionary = page;
    chunk->packed_bytes += chunk->dictionary.packed_size;
    chunk->plain_bytes += chunk->dictionary.plain_size;
    return STATUS_OK;
}

// PageHeader, parquet.thrift. Bounds stand in the page index, or here where there is none.
void parquet_page_writer_header(const struct parquet_writer *writer,
                                const struct parquet_page *page,
                                const struct parquet_page_form *form, struct bytebuf *out)
{
    struct thrift_writer thrift = {.out = out};
    bool v1 = writer->options.page_version == 1;
    thrift_put_begin(&thrift);
    thrift_put_i32(&thrift, 1,
                   form->is_dictionary ? PARQUET_DICTIONARY
                   : v1                ? PARQUET_DATA_V1
                                       : PARQUET_DATA_V2);
    thrift_put_i32(&thrift, 2, (int32_t)page->plain_size);
    thrift_put_i32(&thrift, 3, (int32_t)form->packed_size);
    if (form->is_dictionary) {
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
        thrift_put_bool(&thrift, 7, form->is_compressed);
    }
    thrift_put_end(&thrift);
    thrift_put_end(&thrift);
}
