// SPDX-License-Identifier: Apache-2.0
//
// Segments. Layout, little-endian:
//
//     payloads      pages new since the last segment, one behind the other
//     directory     varints (below): the file's state and what is known about each new page
//     trailer       u64 offset and u64 size of the directory, u64 its XXH3, u64 magic with version
//
// A directory says: whose segment it is (fingerprint of schema and options, ordinal), the rows so
// far, whether all of them are in pages (sealed), the new bytes of the heap of bounds, and each row
// group that is not wholly in earlier segments with its chunks.
#include <inttypes.h>

#include "base/assert.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/hash.h"
#include "codec/parquet_writer_int.h"

#define MAGIC UINT64_C(0x0001746567657366) // "fseget", version 1

enum { TRAILER_BYTES = 32, DIRECTORY_BYTES_MAX = 1 << 30 };

// What must not change between the runs that write one file.
static uint64_t fingerprint(const struct parquet_writer *writer)
{
    const struct parquet_writer_options *options = &writer->options;
    uint64_t hash = hash_combine(options->page_version, (uint64_t)options->codec);
    for (uint32_t i = 0; i < writer->tree.element_count; i++) {
        const struct parquet_element *element = &writer->tree.elements[i];
        hash = hash_bytes(element->name.ptr, element->name.size, hash);
        hash = hash_combine(hash, (uint64_t)element->physical << 32 | element->child_count);
        hash = hash_combine(hash, (uint64_t)element->repetition << 32 | (uint32_t)element->id);
        hash = hash_combine(hash, (uint64_t)(uint32_t)element->length << 32 |
                                      (uint64_t)element->logical << 16 | (uint32_t)element->scale);
    }
    return hash;
}

// ---- writing ----

static void put_range(struct bytebuf *out, const struct parquet_range *range)
{
    bytebuf_add_byte(out, (uint8_t)(range->has | range->lower_cut << 1 | range->upper_cut << 2));
    if (!range->has) {
        return;
    }
    bytebuf_add(out, &range->lower, sizeof range->lower);
    bytebuf_add(out, &range->upper, sizeof range->upper);
    bytebuf_add_varint(out, range->lower_bytes.size);
    bytebuf_add(out, range->lower_bytes.ptr, range->lower_bytes.size);
    bytebuf_add_varint(out, range->upper_bytes.size);
    bytebuf_add(out, range->upper_bytes.ptr, range->upper_bytes.size);
}

static void put_page_record(struct bytebuf *out, const struct parquet_page *page, uint64_t offset)
{
    const uint64_t fields[] = {offset,         page->var_bytes, page->packed_size, page->plain_size,
                               page->rep_size, page->def_size,  page->rows,        page->slots,
                               page->nulls,    page->nans,      page->bounds_at};
    for (uint32_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        bytebuf_add_varint(out, fields[i]);
    }
    bytebuf_add_u64(out, page->hash);
    bytebuf_add_byte(out, page->lower_size);
    bytebuf_add_byte(out, page->upper_size);
    bytebuf_add_byte(out, page->encoding);
    bytebuf_add_byte(out, (uint8_t)(page->has_lower | page->has_upper << 1 | page->is_raw << 2));
}

static void put_histogram(struct bytebuf *out, const uint64_t *counts, uint32_t count)
{
    for (uint32_t i = 0; counts != NULL && i < count; i++) {
        bytebuf_add_varint(out, counts[i]);
    }
}

static void put_dictionary(struct bytebuf *out, const struct parquet_leaf *leaf)
{
    const struct parquet_dictionary *dictionary = &leaf->dictionary;
    struct str fresh = str_slice(bytebuf_str(&dictionary->plain), leaf->dictionary_taken_bytes,
                                 dictionary->plain.size);
    bytebuf_add_varint(out, dictionary->count - leaf->dictionary_taken);
    bytebuf_add_varint(out, fresh.size);
    bytebuf_add(out, fresh.ptr, fresh.size);
    bytebuf_add_varint(out, leaf->dictionary_values);
    bytebuf_add_varint(out, leaf->dictionary_plain);
}

static void put_chunk(struct bytebuf *out, const struct parquet_chunk *chunk,
                      const struct parquet_leaf *leaf, uint64_t *offset)
{
    bytebuf_add_byte(out, (uint8_t)chunk->state);
    bytebuf_add_byte(
        out, (uint8_t)(chunk->is_raw | (int)chunk->compactness << 1 | (int)chunk->numbers << 3));
    put_range(out, &chunk->range);
    const uint64_t counts[] = {chunk->slots,     chunk->nulls,        chunk->nans,
                               chunk->var_bytes, chunk->packed_bytes, chunk->plain_bytes};
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        bytebuf_add_varint(out, counts[i]);
    }
    put_histogram(out, chunk->def_histogram, leaf->node->def_level + 1u);
    put_histogram(out, chunk->rep_histogram, leaf->node->rep_level + 1u);
    bytebuf_add_varint(out, chunk->pages.count - chunk->pages_taken);
    for (uint32_t i = chunk->pages_taken; i < chunk->pages.count; i++) {
        put_page_record(out, &chunk->pages.items[i], *offset);
        *offset += chunk->pages.items[i].packed_size;
    }
    bool dictionary_page = chunk->dictionary.slots > 0 && !chunk->dictionary_taken;
    bytebuf_add_byte(out, dictionary_page);
    if (dictionary_page) {
        put_page_record(out, &chunk->dictionary, *offset);
        *offset += chunk->dictionary.packed_size;
    }
    if (chunk->state == PARQUET_DICTIONARY_OPEN) {
        put_dictionary(out, leaf);
    }
}

static bool is_sealed(const struct parquet_writer *writer)
{
    for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
        if (writer->leaves[i].slots > 0) {
            return false;
        }
    }
    return true;
}

static uint64_t encode_directory(const struct parquet_writer *writer, struct bytebuf *out)
{
    uint64_t offset = 0;
    bytebuf_add_u64(out, fingerprint(writer));
    bytebuf_add_varint(out, writer->segments);
    bytebuf_add_varint(out, writer->rows);
    bytebuf_add_byte(out, is_sealed(writer));
    bytebuf_add_varint(out, writer->bounds.size - writer->bounds_taken);
    struct str bounds = bytebuf_part(&writer->bounds, writer->bounds_taken,
                                     writer->bounds.size - writer->bounds_taken);
    bytebuf_add(out, bounds.ptr, bounds.size);
    uint32_t first = 0;
    while (first < writer->groups.count && writer->groups.items[first].taken) {
        first++;
    }
    bytebuf_add_varint(out, first);
    bytebuf_add_varint(out, writer->groups.count - first);
    for (uint32_t i = first; i < writer->groups.count; i++) {
        const struct parquet_group *group = &writer->groups.items[i];
        bytebuf_add_varint(out, group->rows);
        bytebuf_add_byte(out, group->ended);
        for (uint32_t j = 0; j < writer->tree.leaf_count; j++) {
            put_chunk(out, &group->chunks[j], &writer->leaves[j], &offset);
        }
    }
    return offset;
}

// Pages in memory have no hash: it is for what comes back from a file.
static void hash_payloads(struct parquet_chunk *chunk)
{
    for (uint32_t i = chunk->pages_taken; i < chunk->pages.count; i++) {
        struct parquet_page *page = &chunk->pages.items[i];
        page->hash = hash_bytes(page->payload, page->packed_size, 0);
    }
    if (chunk->dictionary.slots > 0 && !chunk->dictionary_taken) {
        chunk->dictionary.hash =
            hash_bytes(chunk->dictionary.payload, chunk->dictionary.packed_size, 0);
    }
}

static enum status put_payloads(const struct parquet_chunk *chunk, struct byte_sink *sink,
                                struct err *err)
{
    for (uint32_t i = chunk->pages_taken; i < chunk->pages.count; i++) {
        const struct parquet_page *page = &chunk->pages.items[i];
        TRY(byte_sink_write(sink, page->payload, page->packed_size, err));
    }
    if (chunk->dictionary.slots > 0 && !chunk->dictionary_taken) {
        TRY(byte_sink_write(sink, chunk->dictionary.payload, chunk->dictionary.packed_size, err));
    }
    return STATUS_OK;
}

static enum status put_segment(struct parquet_writer *writer, struct bytebuf *directory,
                               uint64_t payload_bytes, struct byte_sink *sink, struct err *err)
{
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        for (uint32_t j = 0; j < writer->tree.leaf_count; j++) {
            TRY(put_payloads(&writer->groups.items[i].chunks[j], sink, err));
        }
    }
    uint64_t size = directory->size;
    uint64_t hash = hash_bytes(directory->ptr, directory->size, 0);
    bytebuf_add_u64(directory, payload_bytes);
    bytebuf_add_u64(directory, size);
    bytebuf_add_u64(directory, hash);
    bytebuf_add_u64(directory, MAGIC);
    return byte_sink_write(sink, directory->ptr, directory->size, err);
}

static void mark_page(struct parquet_writer *writer, struct parquet_page *page, uint64_t *offset)
{
    page->payload = NULL;
    page->segment = writer->segments;
    page->offset = *offset;
    *offset += page->packed_size;
}

static void mark_taken(struct parquet_writer *writer)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        struct parquet_group *group = &writer->groups.items[i];
        for (uint32_t j = 0; j < writer->tree.leaf_count; j++) {
            struct parquet_chunk *chunk = &group->chunks[j];
            for (; chunk->pages_taken < chunk->pages.count; chunk->pages_taken++) {
                mark_page(writer, &chunk->pages.items[chunk->pages_taken], &offset);
            }
            if (chunk->dictionary.slots > 0 && !chunk->dictionary_taken) {
                mark_page(writer, &chunk->dictionary, &offset);
                chunk->dictionary_taken = true;
            }
        }
        group->taken = group->ended;
    }
    for (uint32_t j = 0; j < writer->tree.leaf_count; j++) {
        writer->leaves[j].dictionary_taken = writer->leaves[j].dictionary.count;
        writer->leaves[j].dictionary_taken_bytes = writer->leaves[j].dictionary.plain.size;
    }
    parquet_payload_release(&writer->payloads);
    writer->bounds_taken = (uint32_t)writer->bounds.size;
    writer->segments++;
    writer->changed = false;
}

enum status parquet_segment_take(struct parquet_writer *writer, struct byte_sink *sink,
                                 uint64_t *size, struct err *err)
{
    struct bytebuf directory = {0};
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        for (uint32_t j = 0; j < writer->tree.leaf_count; j++) {
            hash_payloads(&writer->groups.items[i].chunks[j]);
        }
    }
    uint64_t payload_bytes = encode_directory(writer, &directory);
    enum status status = put_segment(writer, &directory, payload_bytes, sink, err);
    if (status == STATUS_OK) {
        *size = payload_bytes + directory.size;
        mark_taken(writer);
    }
    bytebuf_release(&directory);
    return status;
}

// ---- reading ----

struct cursor {
    const char *at;
    const char *end;
    bool failed;
};

static const char *get_bytes(struct cursor *cursor, uint64_t size)
{
    const char *at = cursor->at;
    if (size > (uint64_t)(cursor->end - cursor->at)) {
        cursor->failed = true;
        cursor->at = cursor->end;
        return NULL;
    }
    cursor->at += size;
    return at;
}

static void get_copy(struct cursor *cursor, void *out, size_t size)
{
    const char *bytes = get_bytes(cursor, size);
    if (bytes != NULL) {
        memcpy(out, bytes, size);
    } else {
        memset(out, 0, size);
    }
}

static uint8_t get_byte(struct cursor *cursor)
{
    uint8_t byte;
    get_copy(cursor, &byte, 1);
    return byte;
}

static uint64_t get_varint(struct cursor *cursor)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint8_t byte = get_byte(cursor);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    cursor->failed = true;
    return 0;
}

static uint32_t get_u32(struct cursor *cursor)
{
    uint64_t value = get_varint(cursor);
    cursor->failed |= value > UINT32_MAX;
    return (uint32_t)value;
}

static void get_bound(struct cursor *cursor, struct bytebuf *out)
{
    uint64_t size = get_varint(cursor);
    const char *bytes = size <= PARQUET_BOUND_BYTES_MAX ? get_bytes(cursor, size) : NULL;
    cursor->failed |= bytes == NULL;
    out->size = 0;
    if (bytes != NULL) {
        bytebuf_add(out, bytes, size);
    }
}

static void get_range(struct cursor *cursor, struct parquet_range *out)
{
    uint8_t flags = get_byte(cursor);
    out->has = (flags & 1) != 0;
    out->lower_cut = (flags & 2) != 0;
    out->upper_cut = (flags & 4) != 0;
    if (out->has) {
        get_copy(cursor, &out->lower, sizeof out->lower);
        get_copy(cursor, &out->upper, sizeof out->upper);
        get_bound(cursor, &out->lower_bytes);
        get_bound(cursor, &out->upper_bytes);
    }
}

struct restoring {
    struct parquet_writer *writer;
    struct cursor cursor;
    uint32_t segment;
    uint64_t payload_bytes;
    bool sealed;
};

static struct parquet_page get_page_record(struct restoring *at)
{
    struct cursor *cursor = &at->cursor;
    struct parquet_page page = {.segment = at->segment};
    page.offset = get_varint(cursor);
    page.var_bytes = get_varint(cursor);
    uint32_t *fields[] = {&page.packed_size, &page.plain_size, &page.rep_size,
                          &page.def_size,    &page.rows,       &page.slots,
                          &page.nulls,       &page.nans,       &page.bounds_at};
    for (uint32_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        *fields[i] = get_u32(cursor);
    }
    get_copy(cursor, &page.hash, sizeof page.hash);
    page.lower_size = get_byte(cursor);
    page.upper_size = get_byte(cursor);
    page.encoding = get_byte(cursor);
    uint8_t flags = get_byte(cursor);
    page.has_lower = (flags & 1) != 0;
    page.has_upper = (flags & 2) != 0;
    page.is_raw = (flags & 4) != 0;
    cursor->failed |=
        page.offset > at->payload_bytes || page.packed_size > at->payload_bytes - page.offset ||
        (uint64_t)page.bounds_at + page.lower_size + page.upper_size > at->writer->bounds.size;
    return page;
}

static void get_histogram(struct cursor *cursor, uint64_t *counts, uint32_t count)
{
    for (uint32_t i = 0; counts != NULL && i < count; i++) {
        counts[i] = get_varint(cursor);
    }
}

static void get_dictionary(struct restoring *at, struct parquet_leaf *leaf)
{
    struct cursor *cursor = &at->cursor;
    uint32_t count = get_u32(cursor);
    uint64_t size = get_varint(cursor);
    const char *bytes = get_bytes(cursor, size);
    if (bytes == NULL ||
        !parquet_dictionary_restore(&leaf->dictionary, str_make(bytes, size), count)) {
        cursor->failed = true;
        return;
    }
    leaf->dictionary_taken = leaf->dictionary.count;
    leaf->dictionary_taken_bytes = leaf->dictionary.plain.size;
    leaf->dictionary_values = get_varint(cursor);
    leaf->dictionary_plain = get_varint(cursor);
}

static void get_chunk(struct restoring *at, struct parquet_chunk *chunk, struct parquet_leaf *leaf)
{
    struct cursor *cursor = &at->cursor;
    uint8_t state = get_byte(cursor);
    cursor->failed |= state > PARQUET_DICTIONARY_ENDED;
    chunk->state = (enum parquet_dictionary_state)state;
    uint8_t flags = get_byte(cursor);
    chunk->is_raw = (flags & 1) != 0;
    chunk->compactness = (enum parquet_compactness)(flags >> 1 & 3);
    chunk->numbers = (enum parquet_numbers)(flags >> 3 & 3);
    get_range(cursor, &chunk->range);
    chunk->slots = get_varint(cursor);
    chunk->nulls = get_varint(cursor);
    chunk->nans = get_varint(cursor);
    chunk->var_bytes = get_varint(cursor);
    chunk->packed_bytes = get_varint(cursor);
    chunk->plain_bytes = get_varint(cursor);
    get_histogram(cursor, chunk->def_histogram, leaf->node->def_level + 1u);
    get_histogram(cursor, chunk->rep_histogram, leaf->node->rep_level + 1u);
    uint32_t pages = get_u32(cursor);
    for (uint32_t i = 0; i < pages && !cursor->failed; i++) {
        struct parquet_page page = get_page_record(at);
        VEC_PUSH(&chunk->pages, page);
    }
    chunk->pages_taken = chunk->pages.count;
    if (get_byte(cursor) != 0) {
        chunk->dictionary = get_page_record(at);
        chunk->dictionary_taken = true;
    }
    if (chunk->state == PARQUET_DICTIONARY_OPEN) {
        get_dictionary(at, leaf);
    } else {
        parquet_dictionary_release(&leaf->dictionary);
        leaf->dictionary_taken = 0;
        leaf->dictionary_taken_bytes = 0;
    }
}

static void get_groups(struct restoring *at)
{
    struct parquet_writer *writer = at->writer;
    struct cursor *cursor = &at->cursor;
    uint32_t first = get_u32(cursor);
    uint32_t count = get_u32(cursor);
    cursor->failed |= first > writer->groups.count;
    for (uint32_t i = first; !cursor->failed && i - first < count; i++) {
        if (i == writer->groups.count) {
            parquet_writer_begin_group(writer);
        }
        cursor->failed |= i + 1 != writer->groups.count; // one is open at a time
        struct parquet_group *group = parquet_writer_group(writer);
        group->rows = get_varint(cursor);
        group->ended = get_byte(cursor) != 0;
        group->taken = group->ended;
        for (uint32_t j = 0; j < writer->tree.leaf_count && !cursor->failed; j++) {
            get_chunk(at, &group->chunks[j], &writer->leaves[j]);
        }
    }
}

// The directory's bytes; its place and hash are checked.
static enum status read_directory(struct byte_source *source, struct bytebuf *out,
                                  uint64_t *payload_bytes, struct err *err)
{
    uint64_t trailer[4] = {0};
    if (source->size >= TRAILER_BYTES) {
        TRY(byte_source_read(source, source->size - TRAILER_BYTES, TRAILER_BYTES, trailer, err));
    }
    if (trailer[3] != MAGIC || trailer[0] > source->size ||
        trailer[1] != source->size - TRAILER_BYTES - trailer[0] ||
        trailer[1] > DIRECTORY_BYTES_MAX) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s is no segment of a Parquet file",
                   STR_ARGS(source->name));
    }
    out->size = 0;
    char *room = bytebuf_reserve(out, trailer[1]);
    TRY(byte_source_read(source, trailer[0], trailer[1], room, err));
    out->size = trailer[1];
    if (hash_bytes(room, trailer[1], 0) != trailer[2]) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: the directory of a segment is damaged",
                   STR_ARGS(source->name));
    }
    *payload_bytes = trailer[0];
    return STATUS_OK;
}

static enum status restore_segment(struct restoring *at, struct byte_source *source,
                                   struct bytebuf *directory, struct err *err)
{
    struct parquet_writer *writer = at->writer;
    struct cursor *cursor = &at->cursor;
    TRY(read_directory(source, directory, &at->payload_bytes, err));
    *cursor = (struct cursor){.at = directory->ptr, .end = directory->ptr + directory->size};
    uint64_t print;
    get_copy(cursor, &print, sizeof print);
    if (print != fingerprint(writer)) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: the segment is of a file with another schema",
                   STR_ARGS(source->name));
    }
    uint32_t ordinal = get_u32(cursor);
    if (ordinal != at->segment) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: segment %u stands where %u is expected",
                   STR_ARGS(source->name), ordinal, at->segment);
    }
    writer->rows = get_varint(cursor);
    at->sealed = get_byte(cursor) != 0;
    uint64_t bounds = get_varint(cursor);
    const char *bytes = get_bytes(cursor, bounds);
    if (bytes != NULL) {
        bytebuf_add(&writer->bounds, bytes, bounds);
    }
    get_groups(at);
    if (cursor->failed || cursor->at != cursor->end) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: the directory of segment %u is damaged",
                   STR_ARGS(source->name), ordinal);
    }
    writer->segments++;
    writer->bounds_taken = (uint32_t)writer->bounds.size;
    return STATUS_OK;
}

enum status parquet_segment_restore(struct parquet_writer *writer,
                                    struct byte_source *const *segments, uint32_t segment_count,
                                    struct err *err)
{
    struct bytebuf directory = {0};
    struct restoring at = {.writer = writer, .sealed = true};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < segment_count && status == STATUS_OK; i++) {
        at.segment = i;
        status = restore_segment(&at, segments[i], &directory, err);
    }
    if (status == STATUS_OK && !at.sealed) {
        status = ERR(err, STATUS_INVALID_DATA,
                     "the last segment of a Parquet file was not taken after a seal");
    }
    bytebuf_release(&directory);
    return status;
}
