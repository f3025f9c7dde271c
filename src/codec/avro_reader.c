// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_reader.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codec/compress.h"

enum { SYNC_SIZE = 16, BLOCK_BYTES_DEFAULT = 256 << 20, META_MAX = 10000 };

struct meta {
    struct str key;
    struct str value;
};

struct avro_reader {
    struct arena arena;
    struct str name;
    size_t block_bytes_max;
    const char *at; // the next block
    const char *end;
    char sync[SYNC_SIZE];
    VEC(struct meta) metas;
    const struct avro_schema *schema;
    enum compress_codec codec;
    struct compress *compress; // made at the first compressed block
    struct buf *block;         // decompressed
};

static enum status cut(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "Avro: a value goes beyond the end of its block");
}

static enum status read_long(struct avro_cursor *cursor, int64_t *out, struct err *err)
{
    uint64_t value = 0;
    *out = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (cursor->at >= cursor->end) {
            return cut(err);
        }
        uint8_t byte = (uint8_t)*cursor->at++;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return STATUS_OK;
        }
    }
    return ERR(err, STATUS_INVALID_DATA, "Avro: an integer of over 64 bits");
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
    TRY(read_long(cursor, &size, err));
    return size < 0 ? cut(err) : read_span(cursor, (uint64_t)size, out, err);
}

enum status avro_cursor_items(struct avro_cursor *cursor, uint64_t *count, struct err *err)
{
    int64_t value;
    int64_t bytes;
    TRY(read_long(cursor, &value, err));
    if (value < 0) { // followed by the run's size in bytes, which we do not need
        if (value == INT64_MIN) {
            return cut(err);
        }
        value = -value;
        TRY(read_long(cursor, &bytes, err));
    }
    // Items without bytes (null, empty records) would make the loop as long as the file claims.
    if ((uint64_t)value > (uint64_t)(cursor->end - cursor->at)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: more items than bytes");
    }
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
        TRY(read_long(cursor, &branch, err));
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
        TRY(read_long(cursor, &out->as.i64, err));
        if (out->as.i64 < INT32_MIN || out->as.i64 > INT32_MAX ||
            (schema->kind == AVRO_ENUM &&
             (out->as.i64 < 0 || out->as.i64 >= (int64_t)schema->count))) {
            return ERR(err, STATUS_INVALID_DATA, "Avro: int out of range");
        }
        return STATUS_OK;
    case AVRO_LONG: return read_long(cursor, &out->as.i64, err);
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
        *status = read_long(cursor, &size, err);
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
    case AVRO_UNION:
        break;
    }
    return false;
}

static enum status skip_items(struct avro_cursor *cursor, const struct avro_schema *schema,
                              struct err *err)
{
    uint64_t count;
    do {
        TRY(avro_cursor_items(cursor, &count, err));
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

static enum status read_header(struct avro_reader *reader, struct err *err)
{
    struct avro_cursor cursor = {reader->at, reader->end, 0};
    struct str span;
    uint64_t count;
    if (read_span(&cursor, 4, &span, NULL) != STATUS_OK || memcmp(span.ptr, "Obj\1", 4) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "not an Avro file");
    }
    do {
        TRY(avro_cursor_items(&cursor, &count, err));
        for (uint64_t i = 0; i < count; i++) {
            struct meta meta;
            TRY(avro_cursor_string(&cursor, &meta.key, err));
            TRY(avro_cursor_string(&cursor, &meta.value, err));
            if (reader->metas.count >= META_MAX) {
                return ERR(err, STATUS_LIMIT, "Avro: over %d header keys", META_MAX);
            }
            VEC_PUSH(&reader->metas, meta);
        }
    } while (count > 0);
    TRY(read_span(&cursor, SYNC_SIZE, &span, err));
    memcpy(reader->sync, span.ptr, SYNC_SIZE);
    reader->at = cursor.at;
    return STATUS_OK;
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
    } else {
        return ERR(err, STATUS_UNSUPPORTED, "Avro codec '%.*s'", STR_ARGS(codec));
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
        return ERR(err, STATUS_INVALID_DATA, "Avro: no avro.schema");
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

enum status avro_reader_open(struct str bytes, const struct avro_reader_options *options,
                             struct avro_reader **out, struct err *err)
{
    struct avro_reader *reader = mem_zalloc(sizeof *reader);
    *out = NULL;
    arena_init(&reader->arena);
    reader->name = options != NULL ? options->name : STR_LIT("");
    reader->block_bytes_max = options != NULL && options->block_bytes_max > 0
                                  ? options->block_bytes_max
                                  : BLOCK_BYTES_DEFAULT;
    reader->at = bytes.ptr;
    reader->end = bytes.ptr + bytes.size;
    enum status status = read_header(reader, err);
    if (status != STATUS_OK) {
        goto out;
    }
    status = read_codec(reader, err);
    if (status != STATUS_OK) {
        goto out;
    }
    status = read_schema(reader, options != NULL ? options->cache : NULL, err);
out:
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(reader->name));
        avro_reader_free(reader);
        return status;
    }
    *out = reader;
    return STATUS_OK;
}

void avro_reader_free(struct avro_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    compress_free(reader->compress);
    buf_unref(reader->block);
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

// Decompresses a block into reader->block. Snappy blocks carry a CRC-32 of the content, which we
// leave out of account as most readers do: the size and the rows are checked anyway.
static enum status unblock(struct avro_reader *reader, struct str in, struct str *out,
                           struct err *err)
{
    if (reader->codec == COMPRESS_NONE) {
        *out = in;
        return STATUS_OK;
    }
    if (reader->compress == NULL) {
        reader->compress = compress_new();
    }
    if (reader->codec == COMPRESS_SNAPPY) {
        if (in.size < 4) {
            return cut(err);
        }
        in.size -= 4;
    }
    buf_unref(reader->block);
    reader->block = NULL;
    TRY(compress_unblock_unknown(reader->compress, reader->codec, in, reader->block_bytes_max,
                                 &reader->block, err));
    *out = str_make(reader->block->ptr, reader->block->size);
    return STATUS_OK;
}

enum status avro_reader_block(struct avro_reader *reader, struct avro_cursor *cursor,
                              uint64_t *rows, struct err *err)
{
    struct avro_cursor file = {reader->at, reader->end, 0};
    int64_t count;
    struct str bytes;
    struct str sync;
    if (file.at == file.end) {
        return STATUS_END;
    }
    TRY(read_long(&file, &count, err));
    TRY(avro_cursor_string(&file, &bytes, err));
    TRY(read_span(&file, SYNC_SIZE, &sync, err));
    if (memcmp(sync.ptr, reader->sync, SYNC_SIZE) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: a block without its sync marker",
                   STR_ARGS(reader->name));
    }
    TRY(unblock(reader, bytes, &bytes, err));
    if (count < 0 || (uint64_t)count > bytes.size) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: a block of %lld rows in %zu bytes",
                   STR_ARGS(reader->name), (long long)count, bytes.size);
    }
    reader->at = file.at;
    *cursor = (struct avro_cursor){bytes.ptr, bytes.ptr + bytes.size, 0};
    *rows = (uint64_t)count;
    return STATUS_OK;
}
