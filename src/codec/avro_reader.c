// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_reader.h"

#include <libdeflate.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codec/compress.h"

enum {
    SYNC_SIZE = 16,
    HEAD_MAX = 20, // of a block: two numbers
    BLOCK_BYTES_DEFAULT = 256 << 20,
    META_MAX = 10000,
    WINDOW_SIZE = 1 << 20,
    HEADER_GUESS = 1 << 16,
    HEADER_MAX = 256 << 20,
    EMPTY_ITEMS_MAX = 1 << 20, // of the arrays of a block
    EMPTY_ROWS_MAX = 1 << 26,  // parts of the rows of a file
};

struct meta {
    struct str key;
    struct str value;
};

struct avro_reader {
    struct arena arena;
    struct str name;
    struct byte_source *source;
    struct byte_source_memory memory; // where it was opened from bytes
    size_t block_bytes_max;
    uint64_t offset;    // of the next block
    uint64_t block_at;  // of the last one
    const char *rows;   // its content
    struct buf *header; // what the metas are borrowed from; NULL: the source
    struct buf *window; // bytes of the source from window_offset on; NULL: it lends
    uint64_t window_offset;
    char sync[SYNC_SIZE];
    VEC(struct meta) metas;
    const struct avro_schema *schema;
    enum compress_codec codec;
    struct compress *compress; // made at the first compressed block
    struct buf *block;         // decompressed
    uint64_t empty_left;
};

static enum status cut(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "Avro: a value goes beyond the end of its block");
}

enum status avro_cursor_long(struct avro_cursor *cursor, int64_t *out, struct err *err)
{
    uint64_t value = 0;
    if (cursor->at < cursor->end && (*cursor->at & 0x80) == 0) { // most take one byte
        value = (uint8_t)*cursor->at++;
        *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
        return STATUS_OK;
    }
    *out = 0;
    for (int shift = 0; shift < 70; shift += 7) { // bits over 64 are lost, as in Java
        if (cursor->at >= cursor->end) {
            return cut(err);
        }
        uint8_t byte = (uint8_t)*cursor->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return STATUS_OK;
        }
    }
    return ERR(err, STATUS_INVALID_DATA, "Avro: an integer of over ten bytes");
}

static enum status read_span(struct avro_cursor *cursor, uint64_t size, struct str *out,
                             struct err *err)
{
    *out = str_make("", 0);
    if (size > (uint64_t)(cursor->end - cursor->at)) {
        return cut(err);
    }
    *out = str_make(cursor->at, (size_t)size);
    cursor->at += size;
    return STATUS_OK;
}

enum status avro_cursor_string(struct avro_cursor *cursor, struct str *out, struct err *err)
{
    int64_t size;
    TRY(avro_cursor_long(cursor, &size, err));
    return size < 0 ? cut(err) : read_span(cursor, (uint64_t)size, out, err);
}

enum status avro_cursor_items(struct avro_cursor *cursor, const struct avro_schema *item,
                              uint64_t *count, struct err *err)
{
    uint64_t weight = 1 + (uint64_t)item->empty;
    int64_t value;
    int64_t bytes;
    TRY(avro_cursor_long(cursor, &value, err));
    if (value < 0) { // followed by the run's size in bytes, which we do not need
        if (value == INT64_MIN) {
            return cut(err);
        }
        value = -value;
        TRY(avro_cursor_long(cursor, &bytes, err));
    }
    // What takes no bytes (null, empty records) would make the loop as long as the file claims.
    if ((uint64_t)value > cursor->items_left / weight) {
        return ERR(err, STATUS_LIMIT, "Avro: more items than bytes");
    }
    cursor->items_left -= (uint64_t)value * weight;
    *count = (uint64_t)value;
    return STATUS_OK;
}

static enum status read_float(struct avro_cursor *cursor, bool is_double, double *out,
                              struct err *err)
{
    struct str bytes;
    TRY(read_span(cursor, is_double ? 8 : 4, &bytes, err));
    if (is_double) {
        memcpy(out, bytes.ptr, 8);
    } else {
        float value;
        memcpy(&value, bytes.ptr, 4);
        *out = (double)value;
    }
    return STATUS_OK;
}

enum status avro_cursor_value(struct avro_cursor *cursor, const struct avro_schema *schema,
                              struct avro_value *out, struct err *err)
{
    struct str span;
    while (schema->kind == AVRO_UNION) {
        int64_t branch;
        TRY(avro_cursor_long(cursor, &branch, err));
        if (branch < 0 || branch >= (int64_t)schema->count) {
            return ERR(err, STATUS_INVALID_DATA, "Avro: union branch %lld of %u", (long long)branch,
                       schema->count);
        }
        schema = schema->fields[branch].schema;
    }
    out->kind = schema->kind;
    out->schema = schema;
    switch (schema->kind) {
    case AVRO_NULL:
    case AVRO_RECORD:
    case AVRO_ARRAY:
    case AVRO_MAP:
    case AVRO_UNION: return STATUS_OK;
    case AVRO_BOOLEAN:
        TRY(read_span(cursor, 1, &span, err));
        out->as.i64 = span.ptr[0] != 0;
        return STATUS_OK;
    case AVRO_INT:
    case AVRO_ENUM:
        TRY(avro_cursor_long(cursor, &out->as.i64, err));
        if (out->as.i64 < INT32_MIN || out->as.i64 > INT32_MAX ||
            (schema->kind == AVRO_ENUM &&
             (out->as.i64 < 0 || out->as.i64 >= (int64_t)schema->count))) {
            return ERR(err, STATUS_INVALID_DATA, "Avro: int out of range");
        }
        return STATUS_OK;
    case AVRO_LONG: return avro_cursor_long(cursor, &out->as.i64, err);
    case AVRO_FLOAT:
    case AVRO_DOUBLE: return read_float(cursor, schema->kind == AVRO_DOUBLE, &out->as.f64, err);
    case AVRO_BYTES:
    case AVRO_STRING: return avro_cursor_string(cursor, &out->as.bytes, err);
    case AVRO_FIXED: return read_span(cursor, (uint64_t)schema->size, &out->as.bytes, err);
    }
    return cut(err);
}

// Skips a value without branches and children; false: it has some.
static bool skip_plain(struct avro_cursor *cursor, enum avro_kind kind, enum status *status,
                       struct err *err)
{
    int64_t size;
    struct str span;
    switch (kind) {
    case AVRO_INT:
    case AVRO_LONG:
    case AVRO_ENUM:
        while (cursor->at < cursor->end && (*cursor->at & 0x80) != 0) {
            cursor->at++;
        }
        *status = cursor->at < cursor->end ? STATUS_OK : cut(err);
        cursor->at += *status == STATUS_OK;
        return true;
    case AVRO_BYTES:
    case AVRO_STRING:
        *status = avro_cursor_long(cursor, &size, err);
        if (*status == STATUS_OK) {
            *status = size < 0 ? cut(err) : read_span(cursor, (uint64_t)size, &span, err);
        }
        return true;
    case AVRO_NULL:
    case AVRO_BOOLEAN:
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
    case AVRO_FIXED:
    case AVRO_ARRAY:
    case AVRO_MAP:
    case AVRO_RECORD:
    case AVRO_UNION: break;
    }
    return false;
}

enum { PLAIN_FIELDS_MAX = 8 };

// Records of integers and bytes, as the items of maps that are written as arrays.
static bool is_plain_record(const struct avro_schema *schema)
{
    bool is_plain = schema->kind == AVRO_RECORD && schema->count <= PLAIN_FIELDS_MAX;
    for (uint32_t i = 0; is_plain && i < schema->count; i++) {
        enum avro_kind kind = schema->fields[i].schema->kind;
        is_plain =
            kind == AVRO_INT || kind == AVRO_LONG || kind == AVRO_BYTES || kind == AVRO_STRING;
    }
    return is_plain;
}

static enum status skip_records(struct avro_cursor *cursor, const struct avro_schema *record,
                                uint64_t count, struct err *err)
{
    bool is_span[PLAIN_FIELDS_MAX];
    for (uint32_t i = 0; i < record->count; i++) {
        enum avro_kind kind = record->fields[i].schema->kind;
        is_span[i] = kind == AVRO_BYTES || kind == AVRO_STRING;
    }
    for (uint64_t item = 0; item < count; item++) {
        for (uint32_t i = 0; i < record->count; i++) {
            if (is_span[i]) {
                struct str span;
                TRY(avro_cursor_string(cursor, &span, err));
                continue;
            }
            const char *at = cursor->at;
            while (at < cursor->end && (*at & 0x80) != 0) {
                at++;
            }
            if (at >= cursor->end) {
                return cut(err);
            }
            cursor->at = at + 1;
        }
    }
    return STATUS_OK;
}

static enum status skip_items(struct avro_cursor *cursor, const struct avro_schema *schema,
                              struct err *err)
{
    uint64_t count;
    bool is_plain = schema->kind == AVRO_ARRAY && is_plain_record(schema->fields[0].schema);
    do {
        TRY(avro_cursor_items(cursor, schema->fields[0].schema, &count, err));
        if (is_plain) {
            TRY(skip_records(cursor, schema->fields[0].schema, count, err));
            continue;
        }
        for (uint64_t i = 0; i < count; i++) {
            struct str key;
            if (schema->kind == AVRO_MAP) {
                TRY(avro_cursor_string(cursor, &key, err));
            }
            TRY(avro_cursor_skip(cursor, schema->fields[0].schema, err));
        }
    } while (count > 0);
    return STATUS_OK;
}

enum status avro_cursor_skip(struct avro_cursor *cursor, const struct avro_schema *schema,
                             struct err *err)
{
    struct avro_value value;
    enum status status;
    if (skip_plain(cursor, schema->kind, &status, err)) {
        return status;
    }
    TRY(avro_cursor_value(cursor, schema, &value, err));
    if (value.kind != AVRO_RECORD && value.kind != AVRO_ARRAY && value.kind != AVRO_MAP) {
        return STATUS_OK;
    }
    if (cursor->depth >= AVRO_DEPTH_MAX) {
        return ERR(err, STATUS_LIMIT, "Avro: values nested over %d levels", AVRO_DEPTH_MAX);
    }
    cursor->depth++;
    if (value.kind == AVRO_RECORD) {
        for (uint32_t i = 0; i < value.schema->count; i++) {
            TRY(avro_cursor_skip(cursor, value.schema->fields[i].schema, err));
        }
    } else {
        TRY(skip_items(cursor, value.schema, err));
    }
    cursor->depth--;
    return STATUS_OK;
}

enum status avro_cursor_end(const struct avro_cursor *cursor, struct err *err)
{
    return cursor->at == cursor->end
               ? STATUS_OK
               : ERR(err, STATUS_INVALID_DATA, "Avro: %zu bytes behind the last row of a block",
                     (size_t)(cursor->end - cursor->at));
}

struct avro_cursor avro_cursor_make(struct str bytes)
{
    return (struct avro_cursor){bytes.ptr, bytes.ptr + bytes.size, 0, bytes.size + EMPTY_ITEMS_MAX};
}

// The source.

// `size` bytes at `offset`, which are there: borrowed from the source, or from reader->window.
static enum status get_bytes(struct avro_reader *reader, uint64_t offset, size_t size,
                             struct str *out, struct err *err)
{
    struct byte_source *source = reader->source;
    const char *lent = byte_source_borrow(source, offset, size);
    if (lent != NULL || size == 0) {
        *out = str_make(lent != NULL ? lent : "", size);
        return STATUS_OK;
    }
    bool is_within = reader->window != NULL && offset >= reader->window_offset &&
                     offset - reader->window_offset <= reader->window->size &&
                     size <= reader->window->size - (offset - reader->window_offset);
    if (!is_within) {
        uint64_t left = source->size - offset;
        size_t room = size > WINDOW_SIZE ? size : WINDOW_SIZE;
        room = room < left ? room : (size_t)left;
        buf_unref(reader->window);
        reader->window = buf_new(room, NULL);
        reader->window_offset = offset;
        TRY(byte_source_read(source, offset, room, reader->window->ptr, err));
    }
    *out = str_make(reader->window->ptr + (offset - reader->window_offset), size);
    return STATUS_OK;
}

static const struct avro_schema header_entry = {.kind = AVRO_BYTES};

// The header behind the cursor, which is at the beginning of the file.
static enum status parse_header(struct avro_reader *reader, struct avro_cursor *cursor,
                                struct err *err)
{
    const char *begin = cursor->at;
    uint64_t count;
    struct str span;
    reader->metas.count = 0;
    if (read_span(cursor, 4, &span, NULL) != STATUS_OK || memcmp(span.ptr, "Obj\1", 4) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "not an Avro file: no magic at byte 0");
    }
    do {
        TRY(avro_cursor_items(cursor, &header_entry, &count, err));
        for (uint64_t i = 0; i < count; i++) {
            struct meta meta;
            TRY(avro_cursor_string(cursor, &meta.key, err));
            TRY(avro_cursor_string(cursor, &meta.value, err));
            if (reader->metas.count >= META_MAX) {
                return ERR(err, STATUS_LIMIT, "Avro: over %d header keys", META_MAX);
            }
            VEC_PUSH(&reader->metas, meta);
        }
    } while (count > 0);
    TRY(read_span(cursor, SYNC_SIZE, &span, err));
    memcpy(reader->sync, span.ptr, SYNC_SIZE);
    reader->offset = (uint64_t)(cursor->at - begin);
    return STATUS_OK;
}

// How long a header is shows only by reading it: a longer beginning is tried until it suffices.
static enum status read_header(struct avro_reader *reader, struct err *err)
{
    uint64_t file_size = reader->source->size;
    for (size_t size = HEADER_GUESS;; size *= 8) {
        bool is_all = size >= file_size || size >= HEADER_MAX;
        struct str bytes;
        size = size < file_size ? size : (size_t)file_size;
        TRY(get_bytes(reader, 0, size, &bytes, err));
        struct avro_cursor cursor = avro_cursor_make(bytes);
        enum status status = parse_header(reader, &cursor, err);
        if (status == STATUS_OK || is_all || size < 4 || memcmp(bytes.ptr, "Obj\1", 4) != 0) {
            reader->header = reader->window != NULL ? buf_ref(reader->window) : NULL;
            if (status != STATUS_OK) {
                err_context(err, "header, byte %zu", (size_t)(cursor.at - bytes.ptr));
            }
            return status;
        }
    }
}

static enum status read_codec(struct avro_reader *reader, struct err *err)
{
    struct str codec;
    if (!avro_reader_meta(reader, "avro.codec", &codec) || str_is(codec, "null")) {
        reader->codec = COMPRESS_NONE;
    } else if (str_is(codec, "deflate")) {
        reader->codec = COMPRESS_DEFLATE;
    } else if (str_is(codec, "snappy")) {
        reader->codec = COMPRESS_SNAPPY;
    } else if (str_is(codec, "zstandard")) {
        reader->codec = COMPRESS_ZSTD;
    } else if (str_is(codec, "bzip2")) {
        reader->codec = COMPRESS_BZIP2;
    } else if (str_is(codec, "xz")) {
        reader->codec = COMPRESS_XZ;
    } else {
        return ERR(err, STATUS_UNSUPPORTED, "'avro.codec' is '%.*s', which is not supported",
                   STR_ARGS(codec));
    }
    return STATUS_OK;
}

void avro_schema_cache_release(struct avro_schema_cache *cache)
{
    arena_release(&cache->arena);
    *cache = (struct avro_schema_cache){0};
}

static enum status read_schema(struct avro_reader *reader, struct avro_schema_cache *cache,
                               struct err *err)
{
    struct str text;
    if (!avro_reader_meta(reader, "avro.schema", &text)) {
        return ERR(err, STATUS_INVALID_DATA, "it is missing");
    }
    if (cache == NULL) {
        return avro_schema_parse(&reader->arena, text, &reader->schema, err);
    }
    if (cache->schema == NULL || !str_equal(cache->text, text)) {
        avro_schema_cache_release(cache);
        cache->text = arena_str(&cache->arena, text);
        TRY(avro_schema_parse(&cache->arena, cache->text, &cache->schema, err));
    }
    reader->schema = cache->schema;
    return STATUS_OK;
}

static enum status open_reader(struct avro_reader *reader,
                               const struct avro_reader_options *options, struct avro_reader **out,
                               struct err *err)
{
    *out = NULL;
    arena_init(&reader->arena);
    reader->name = options != NULL && options->name.size > 0 ? options->name : reader->source->name;
    reader->block_bytes_max = options != NULL && options->block_bytes_max > 0
                                  ? options->block_bytes_max
                                  : BLOCK_BYTES_DEFAULT;
    reader->empty_left = EMPTY_ROWS_MAX;
    enum status status = read_header(reader, err);
    if (status != STATUS_OK) {
        goto out;
    }
    status = read_codec(reader, err);
    if (status != STATUS_OK) {
        goto out;
    }
    status = read_schema(reader, options != NULL ? options->cache : NULL, err);
    if (status != STATUS_OK) {
        err_context(err, "header, 'avro.schema'");
    }
out:
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(reader->name));
        avro_reader_free(reader);
        return status;
    }
    *out = reader;
    return STATUS_OK;
}

enum status avro_reader_open(struct str bytes, const struct avro_reader_options *options,
                             struct avro_reader **out, struct err *err)
{
    struct avro_reader *reader = mem_zalloc(sizeof *reader);
    byte_source_memory_init(&reader->memory, bytes);
    reader->source = &reader->memory.source;
    return open_reader(reader, options, out, err);
}

enum status avro_reader_open_source(struct byte_source *source,
                                    const struct avro_reader_options *options,
                                    struct avro_reader **out, struct err *err)
{
    struct avro_reader *reader = mem_zalloc(sizeof *reader);
    reader->source = source;
    return open_reader(reader, options, out, err);
}

void avro_reader_free(struct avro_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    compress_free(reader->compress);
    buf_unref(reader->block);
    buf_unref(reader->window);
    buf_unref(reader->header);
    VEC_RELEASE(&reader->metas);
    arena_release(&reader->arena);
    mem_free(reader);
}

const struct avro_schema *avro_reader_schema(const struct avro_reader *reader)
{
    return reader->schema;
}

bool avro_reader_meta(const struct avro_reader *reader, const char *key, struct str *out)
{
    for (uint32_t i = 0; i < reader->metas.count; i++) {
        if (str_is(reader->metas.items[i].key, key)) {
            *out = reader->metas.items[i].value;
            return true;
        }
    }
    return false;
}

static uint32_t get_be32(const char *in)
{
    uint32_t value;
    memcpy(&value, in, 4);
    return __builtin_bswap32(value);
}

// Decompresses a block into reader->block. A snappy block ends in the CRC-32 of its content.
static enum status unblock(struct avro_reader *reader, struct str in, struct str *out,
                           struct err *err)
{
    buf_unref(reader->block);
    reader->block = NULL;
    if (reader->codec == COMPRESS_NONE) {
        *out = in;
        return STATUS_OK;
    }
    if (reader->compress == NULL) {
        reader->compress = compress_new();
    }
    bool has_checksum = reader->codec == COMPRESS_SNAPPY;
    if (has_checksum && in.size < 4) {
        return cut(err);
    }
    in.size -= has_checksum ? 4 : 0;
    TRY(compress_unblock_unknown(reader->compress, reader->codec, in, reader->block_bytes_max,
                                 &reader->block, err));
    *out = str_make(reader->block->ptr, reader->block->size);
    if (has_checksum && libdeflate_crc32(0, out->ptr, out->size) != get_be32(in.ptr + in.size)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a block does not match its checksum");
    }
    return STATUS_OK;
}

// Rows take at least a byte each, but for what takes none.
static enum status check_rows(struct avro_reader *reader, int64_t count, size_t size,
                              struct err *err)
{
    uint64_t empty = reader->schema->empty;
    bool is_within = count >= 0 && (empty > 0 || (uint64_t)count <= size);
    if (!is_within || (empty > 0 && (uint64_t)count > reader->empty_left / empty)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a block of %lld rows in %zu bytes",
                   (long long)count, size);
    }
    if ((uint64_t)count * empty > size) {
        reader->empty_left -= (uint64_t)count * empty;
    }
    return STATUS_OK;
}

static enum status read_block(struct avro_reader *reader, struct avro_cursor *cursor,
                              uint64_t *rows, struct err *err)
{
    uint64_t left = reader->source->size - reader->offset;
    struct str bytes;
    int64_t count;
    int64_t size;
    TRY(get_bytes(reader, reader->offset, left < HEAD_MAX ? (size_t)left : HEAD_MAX, &bytes, err));
    struct avro_cursor head = avro_cursor_make(bytes);
    TRY(avro_cursor_long(&head, &count, err));
    TRY(avro_cursor_long(&head, &size, err));
    uint64_t start = reader->offset + (uint64_t)(head.at - bytes.ptr);
    left = reader->source->size - start;
    if (size < 0 || left < SYNC_SIZE || (uint64_t)size > left - SYNC_SIZE) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a block of %lld bytes where %llu are left",
                   (long long)size, (unsigned long long)left);
    }
    if ((uint64_t)size > reader->block_bytes_max) {
        return ERR(err, STATUS_LIMIT, "Avro: a block of %lld bytes, over the limit of %zu",
                   (long long)size, reader->block_bytes_max);
    }
    TRY(get_bytes(reader, start, (size_t)size + SYNC_SIZE, &bytes, err));
    if (memcmp(bytes.ptr + size, reader->sync, SYNC_SIZE) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a block without its sync marker");
    }
    TRY(unblock(reader, str_make(bytes.ptr, (size_t)size), &bytes, err));
    TRY(check_rows(reader, count, bytes.size, err));
    reader->block_at = reader->offset;
    reader->rows = bytes.ptr;
    reader->offset = start + (uint64_t)size + SYNC_SIZE;
    *cursor = avro_cursor_make(bytes);
    *rows = (uint64_t)count;
    return STATUS_OK;
}

enum status avro_reader_block(struct avro_reader *reader, struct avro_cursor *cursor,
                              uint64_t *rows, struct err *err)
{
    if (reader->offset == reader->source->size) {
        return STATUS_END;
    }
    enum status status = read_block(reader, cursor, rows, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s, block at byte %llu", STR_ARGS(reader->name),
                    (unsigned long long)reader->offset);
    }
    return status;
}

void avro_reader_context(const struct avro_reader *reader, const struct avro_cursor *cursor,
                         struct err *err)
{
    err_context(err, "%.*s, block at byte %llu, its byte %zu", STR_ARGS(reader->name),
                (unsigned long long)reader->block_at, (size_t)(cursor->at - reader->rows));
}

struct buf *avro_reader_hold(const struct avro_reader *reader)
{
    struct buf *buf = reader->block != NULL ? reader->block : reader->window;
    return buf != NULL ? buf_ref(buf) : NULL;
}

uint64_t avro_reader_offset(const struct avro_reader *reader)
{
    return reader->offset;
}
