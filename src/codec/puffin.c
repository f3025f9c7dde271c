// SPDX-License-Identifier: Apache-2.0
#include "codec/puffin.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_source.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"

enum {
    MAGIC_BYTES = 4,
    TAIL_BYTES = 4 + 4 + MAGIC_BYTES,              // size, flags, magic
    FILE_BYTES_MIN = 2 * MAGIC_BYTES + TAIL_BYTES, // without blobs and JSON
    FLAG_FOOTER_COMPRESSED = 1,
    FOOTER_BYTES_MAX = 1 << 28, // decompressed
};

static const char magic[] = "PFA1";

// ---- reading ----

static enum status blob_codec(const struct json_tree *node, enum compress_codec *out,
                              struct err *err)
{
    struct str name = json_tree_str(node);
    *out = COMPRESS_NONE;
    if (node == NULL) {
        return STATUS_OK;
    }
    if (str_is(name, "zstd")) {
        *out = COMPRESS_ZSTD;
    } else if (str_is(name, "lz4")) {
        *out = COMPRESS_LZ4_FRAME;
    } else {
        return ERR(err, STATUS_UNSUPPORTED, "blobs compressed with '%.*s'", STR_ARGS(name));
    }
    return STATUS_OK;
}

static enum status read_properties(struct arena *arena, const struct json_tree *node,
                                   const struct puffin_property **out, uint32_t *count,
                                   struct err *err)
{
    *count = 0;
    if (node == NULL) {
        return STATUS_OK;
    }
    if (node->kind != JSON_TREE_OBJECT) {
        return ERR(err, STATUS_INVALID_DATA, "properties are no object");
    }
    struct puffin_property *properties =
        arena_new_array(arena, struct puffin_property, node->count + 1);
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->items[i].kind != JSON_TREE_STRING) {
            return ERR(err, STATUS_INVALID_DATA, "property '%.*s' is no string",
                       STR_ARGS(node->keys[i]));
        }
        properties[i] = (struct puffin_property){node->keys[i], node->items[i].text};
    }
    *out = properties;
    *count = node->count;
    return STATUS_OK;
}

static enum status need_int(const struct json_tree *blob, const char *key, int64_t *out,
                            struct err *err)
{
    if (!json_tree_int(json_tree_get(blob, key), out)) {
        return ERR(err, STATUS_INVALID_DATA, "no number '%s'", key);
    }
    return STATUS_OK;
}

static enum status read_fields(struct arena *arena, const struct json_tree *node,
                               struct puffin_blob *out, struct err *err)
{
    if (node == NULL || node->kind != JSON_TREE_ARRAY) {
        return ERR(err, STATUS_INVALID_DATA, "no list 'fields'");
    }
    int32_t *fields = arena_new_array(arena, int32_t, node->count + 1);
    for (uint32_t i = 0; i < node->count; i++) {
        int64_t id;
        if (!json_tree_int(&node->items[i], &id) || id < INT32_MIN || id > INT32_MAX) {
            return ERR(err, STATUS_INVALID_DATA, "'fields' are no field ids");
        }
        fields[i] = (int32_t)id;
    }
    out->fields = fields;
    out->field_count = node->count;
    return STATUS_OK;
}

static enum status read_blob(struct arena *arena, const struct json_tree *node, uint64_t end,
                             struct puffin_blob *out, struct err *err)
{
    int64_t offset;
    int64_t length;
    out->type = json_tree_str(json_tree_get(node, "type"));
    if (out->type.size == 0) {
        return ERR(err, STATUS_INVALID_DATA, "no 'type'");
    }
    TRY(read_fields(arena, json_tree_get(node, "fields"), out, err));
    TRY(need_int(node, "snapshot-id", &out->snapshot_id, err));
    TRY(need_int(node, "sequence-number", &out->sequence_number, err));
    TRY(need_int(node, "offset", &offset, err));
    TRY(need_int(node, "length", &length, err));
    if (offset < MAGIC_BYTES || length < 0 || (uint64_t)offset > end ||
        (uint64_t)length > end - (uint64_t)offset) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'offset' %lld and 'length' %lld are not within the file", (long long)offset,
                   (long long)length);
    }
    out->offset = (uint64_t)offset;
    out->length = (uint64_t)length;
    TRY(blob_codec(json_tree_find(node, "compression-codec"), &out->codec, err));
    return read_properties(arena, json_tree_find(node, "properties"), &out->properties,
                           &out->property_count, err);
}

static enum status parse_footer(struct arena *arena, struct str text, uint64_t end,
                                struct puffin_file *out, struct err *err)
{
    const struct json_tree *root;
    TRY(json_tree_parse(arena, text, &root, err));
    const struct json_tree *list = json_tree_get(root, "blobs");
    if (list == NULL || list->kind != JSON_TREE_ARRAY) {
        return ERR(err, STATUS_INVALID_DATA, "no list 'blobs'");
    }
    struct puffin_blob *blobs = arena_new_array(arena, struct puffin_blob, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        enum status status = read_blob(arena, &list->items[i], end, &blobs[i], err);
        if (status != STATUS_OK) {
            err_context(err, "blob %u", i);
            return status;
        }
    }
    out->blobs = blobs;
    out->blob_count = list->count;
    return read_properties(arena, json_tree_find(root, "properties"), &out->properties,
                           &out->property_count, err);
}

// The footer's JSON in `arena`, and where the blobs end.
static enum status read_payload(struct byte_source *source, struct arena *arena, struct str *text,
                                uint64_t *end, struct err *err)
{
    unsigned char tail[TAIL_BYTES];
    char head[MAGIC_BYTES];
    uint32_t size;
    if (source->size < FILE_BYTES_MIN) {
        return ERR(err, STATUS_INVALID_DATA, "a Puffin file of %llu bytes",
                   (unsigned long long)source->size);
    }
    TRY(byte_source_read(source, 0, MAGIC_BYTES, head, err));
    TRY(byte_source_read(source, source->size - TAIL_BYTES, TAIL_BYTES, tail, err));
    if (memcmp(head, magic, MAGIC_BYTES) != 0 || memcmp(tail + 8, magic, MAGIC_BYTES) != 0) {
        return ERR(err, STATUS_INVALID_DATA,
                   "not a Puffin file: it does not begin and end in PFA1");
    }
    memcpy(&size, tail, sizeof size);
    if (size > source->size - FILE_BYTES_MIN) {
        return ERR(err, STATUS_INVALID_DATA,
                   "at byte %llu, a footer of %u bytes is announced, which cannot be",
                   (unsigned long long)(source->size - TAIL_BYTES), size);
    }
    if ((tail[4] & ~FLAG_FOOTER_COMPRESSED) != 0 || tail[5] != 0 || tail[6] != 0 || tail[7] != 0) {
        return ERR(err, STATUS_UNSUPPORTED, "flags of a later version of Puffin at byte %llu",
                   (unsigned long long)(source->size - TAIL_BYTES + 4));
    }
    *end = source->size - TAIL_BYTES - size - MAGIC_BYTES;
    char *bytes = arena_alloc(arena, size + 1);
    TRY(byte_source_read(source, *end, MAGIC_BYTES, head, err));
    if (memcmp(head, magic, MAGIC_BYTES) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "no magic before the footer, at byte %llu",
                   (unsigned long long)*end);
    }
    TRY(byte_source_read(source, *end + MAGIC_BYTES, size, bytes, err));
    *text = str_make(bytes, size);
    if ((tail[4] & FLAG_FOOTER_COMPRESSED) != 0) {
        struct compress *compress = compress_new();
        struct buf *plain;
        enum status status = compress_unblock_unknown(compress, COMPRESS_LZ4_FRAME, *text,
                                                      FOOTER_BYTES_MAX, &plain, err);
        compress_free(compress);
        TRY(status);
        *text = arena_str(arena, str_make(plain->ptr, plain->size));
        buf_unref(plain);
    }
    return STATUS_OK;
}

enum status puffin_read(struct byte_source *source, struct arena *arena, struct puffin_file *out,
                        struct err *err)
{
    struct str text;
    uint64_t end = 0;
    *out = (struct puffin_file){0};
    enum status status = read_payload(source, arena, &text, &end, err);
    if (status == STATUS_OK) {
        status = parse_footer(arena, text, end, out, err);
        if (status != STATUS_OK) {
            err_context(err, "footer at byte %llu", (unsigned long long)end + MAGIC_BYTES);
        }
    }
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(source->name));
    }
    return status;
}

enum status puffin_read_blob(struct byte_source *source, const struct puffin_blob *blob,
                             uint64_t size_max, struct buf **out, struct err *err)
{
    if (blob->length > size_max) {
        return ERR(err, STATUS_LIMIT, "%.*s: a blob of %llu bytes, and %llu are allowed",
                   STR_ARGS(source->name), (unsigned long long)blob->length,
                   (unsigned long long)size_max);
    }
    // The footer vouches for the range, but the blob may come from a manifest instead.
    if (blob->offset > source->size || blob->length > source->size - blob->offset) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s: a blob of %llu bytes at byte %llu of %llu",
                   STR_ARGS(source->name), (unsigned long long)blob->length,
                   (unsigned long long)blob->offset, (unsigned long long)source->size);
    }
    struct buf *bytes = buf_new(blob->length, NULL);
    enum status status = byte_source_read(source, blob->offset, blob->length, bytes->ptr, err);
    if (status != STATUS_OK || blob->codec == COMPRESS_NONE) {
        *out = status == STATUS_OK ? bytes : NULL;
        if (status != STATUS_OK) {
            buf_unref(bytes);
        }
        return status;
    }
    struct compress *compress = compress_new();
    status = compress_unblock_unknown(compress, blob->codec, str_make(bytes->ptr, bytes->size),
                                      size_max, out, err);
    compress_free(compress);
    buf_unref(bytes);
    if (status != STATUS_OK) {
        err_context(err, "%.*s: blob at byte %llu", STR_ARGS(source->name),
                    (unsigned long long)blob->offset);
    }
    return status;
}

const struct str *puffin_property(const struct puffin_property *properties, uint32_t count,
                                  const char *key)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_is(properties[i].key, key)) {
            return &properties[i].value;
        }
    }
    return NULL;
}

// ---- writing ----

void puffin_writer_init(struct puffin_writer *writer, const struct puffin_writer_options *options)
{
    *writer = (struct puffin_writer){.options = *options};
    bytebuf_add(&writer->bytes, magic, MAGIC_BYTES);
}

void puffin_writer_release(struct puffin_writer *writer)
{
    bytebuf_release(&writer->bytes);
    bytebuf_release(&writer->blobs);
    compress_free(writer->compress);
}

static enum status add_compressed(struct puffin_writer *writer, enum compress_codec codec,
                                  struct str in, struct err *err)
{
    size_t size;
    if (writer->compress == NULL) {
        writer->compress = compress_new();
    }
    char *out = bytebuf_reserve(&writer->bytes, compress_bound(codec, in.size));
    TRY(compress_block(writer->compress, codec, COMPRESS_LEVEL_DEFAULT, in, out, &size, err));
    writer->bytes.size += size;
    return STATUS_OK;
}

static void print_properties(struct strbuf *out, const struct puffin_property *properties,
                             uint32_t count)
{
    strbuf_add_text(out, ",\"properties\":{");
    for (uint32_t i = 0; i < count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        json_tree_quote(out, properties[i].key);
        strbuf_add_byte(out, ':');
        json_tree_quote(out, properties[i].value);
    }
    strbuf_add_byte(out, '}');
}

static void print_blob(struct strbuf *out, const struct puffin_blob *blob)
{
    strbuf_add_text(out, "{\"type\":");
    json_tree_quote(out, blob->type);
    strbuf_add_text(out, ",\"fields\":[");
    for (uint32_t i = 0; i < blob->field_count; i++) {
        strbuf_printf(out, "%s%d", i > 0 ? "," : "", blob->fields[i]);
    }
    strbuf_printf(out, "],\"snapshot-id\":%lld,\"sequence-number\":%lld",
                  (long long)blob->snapshot_id, (long long)blob->sequence_number);
    strbuf_printf(out, ",\"offset\":%llu,\"length\":%llu", (unsigned long long)blob->offset,
                  (unsigned long long)blob->length);
    if (blob->codec != COMPRESS_NONE) {
        strbuf_printf(out, ",\"compression-codec\":\"%s\"",
                      blob->codec == COMPRESS_ZSTD ? "zstd" : "lz4");
    }
    if (blob->property_count > 0) {
        print_properties(out, blob->properties, blob->property_count);
    }
    strbuf_add_byte(out, '}');
}

enum status puffin_writer_add(struct puffin_writer *writer, struct puffin_blob *blob,
                              struct str bytes, struct err *err)
{
    blob->offset = writer->bytes.size;
    if (blob->codec == COMPRESS_NONE) {
        bytebuf_add(&writer->bytes, bytes.ptr, bytes.size);
    } else if (blob->codec == COMPRESS_ZSTD || blob->codec == COMPRESS_LZ4_FRAME) {
        TRY(add_compressed(writer, blob->codec, bytes, err));
    } else {
        return ERR(err, STATUS_UNSUPPORTED, "blobs compressed with %s", compress_name(blob->codec));
    }
    blob->length = writer->bytes.size - blob->offset;
    struct strbuf text;
    strbuf_init(&text, FOOTER_BYTES_MAX);
    if (writer->blobs.size > 0) {
        strbuf_add_byte(&text, ',');
    }
    print_blob(&text, blob);
    bytebuf_add(&writer->blobs, text.ptr, text.size);
    strbuf_release(&text);
    return STATUS_OK;
}

enum status puffin_writer_finish(struct puffin_writer *writer, struct str *out, struct err *err)
{
    struct strbuf text;
    const struct puffin_writer_options *options = &writer->options;
    bytebuf_add(&writer->bytes, magic, MAGIC_BYTES);
    size_t start = writer->bytes.size;
    strbuf_init(&text, FOOTER_BYTES_MAX);
    strbuf_add_text(&text, "{\"blobs\":[");
    strbuf_add(&text, bytebuf_str(&writer->blobs));
    strbuf_add_byte(&text, ']');
    if (options->property_count > 0) {
        print_properties(&text, options->properties, options->property_count);
    }
    strbuf_add_byte(&text, '}');
    enum status status = STATUS_OK;
    if (text.truncated) {
        status = ERR(err, STATUS_LIMIT, "a footer of more than %d bytes", FOOTER_BYTES_MAX);
    } else if (options->compress_footer) {
        status = add_compressed(writer, COMPRESS_LZ4_FRAME, strbuf_str(&text), err);
    } else {
        bytebuf_add(&writer->bytes, text.ptr, text.size);
    }
    strbuf_release(&text);
    bytebuf_add_u32(&writer->bytes, (uint32_t)(writer->bytes.size - start));
    bytebuf_add_u32(&writer->bytes, options->compress_footer ? FLAG_FOOTER_COMPRESSED : 0);
    bytebuf_add(&writer->bytes, magic, MAGIC_BYTES);
    *out = bytebuf_str(&writer->bytes);
    return status;
}
