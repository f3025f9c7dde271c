// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_writer.h"

#include <string.h>

#include "codec/avro_put.h"
#include "codec/compress.h"

// Java's writer asks zlib for level 9; 6 of libdeflate is as small and costs a tenth.
enum { BLOCK_BYTES = 64000, LEVEL_DEFAULT = 6, SIZE_DEFAULT = 1 << 30 };

void avro_writer_init(struct avro_writer *writer, const struct avro_writer_options *options)
{
    size_t size_max = options->size_max > 0 ? options->size_max : SIZE_DEFAULT;
    *writer = (struct avro_writer){
        .without_compression = options->without_compression,
        .level = options->level != 0 ? options->level : LEVEL_DEFAULT,
    };
    memcpy(writer->sync, options->sync, sizeof writer->sync);
    strbuf_init(&writer->file, size_max);
    strbuf_init(&writer->block, size_max);
    strbuf_add(&writer->file, STR_LIT("Obj\1"));
    avro_put_long(&writer->file, (int64_t)options->meta_count + 2);
    avro_put_bytes(&writer->file, STR_LIT("avro.schema"));
    avro_put_bytes(&writer->file, options->schema);
    avro_put_bytes(&writer->file, STR_LIT("avro.codec"));
    avro_put_bytes(&writer->file,
                   options->without_compression ? STR_LIT("null") : STR_LIT("deflate"));
    for (uint32_t i = 0; i < options->meta_count; i++) {
        avro_put_bytes(&writer->file, options->metas[i].key);
        avro_put_bytes(&writer->file, options->metas[i].value);
    }
    avro_put_long(&writer->file, 0);
    strbuf_add(&writer->file, str_make((const char *)writer->sync, sizeof writer->sync));
}

void avro_writer_release(struct avro_writer *writer)
{
    strbuf_release(&writer->file);
    strbuf_release(&writer->block);
    compress_free(writer->compress);
    writer->compress = NULL;
}

void avro_writer_long(struct avro_writer *writer, int64_t value)
{
    avro_put_long(&writer->block, value);
}

void avro_writer_bool(struct avro_writer *writer, bool value)
{
    strbuf_add_byte(&writer->block, value ? 1 : 0);
}

void avro_writer_float(struct avro_writer *writer, float value)
{
    avro_put_float(&writer->block, value);
}

void avro_writer_double(struct avro_writer *writer, double value)
{
    avro_put_double(&writer->block, value);
}

void avro_writer_bytes(struct avro_writer *writer, struct str bytes)
{
    avro_put_bytes(&writer->block, bytes);
}

void avro_writer_fixed(struct avro_writer *writer, struct str bytes)
{
    strbuf_add(&writer->block, bytes);
}

static enum status close_block(struct avro_writer *writer, struct err *err)
{
    struct str block = strbuf_str(&writer->block);
    if (writer->block_rows == 0) {
        return STATUS_OK;
    }
    if (writer->block.truncated) {
        return ERR(err, STATUS_LIMIT, "an Avro block of over %zu bytes", writer->block.size_max);
    }
    avro_put_long(&writer->file, (int64_t)writer->block_rows);
    if (writer->without_compression) {
        avro_put_bytes(&writer->file, block);
    } else {
        struct strbuf packed;
        if (writer->compress == NULL) {
            writer->compress = compress_new();
        }
        size_t bound = compress_bound(COMPRESS_DEFLATE, block.size);
        strbuf_init(&packed, bound + 1);
        char *out = strbuf_reserve(&packed, bound);
        size_t size = 0;
        enum status status = compress_block(writer->compress, COMPRESS_DEFLATE, writer->level,
                                            block, out, &size, err);
        if (status == STATUS_OK) {
            avro_put_bytes(&writer->file, str_make(out, size));
        }
        strbuf_release(&packed);
        TRY(status);
    }
    strbuf_add(&writer->file, str_make((const char *)writer->sync, sizeof writer->sync));
    strbuf_reset(&writer->block);
    writer->block_rows = 0;
    return writer->file.truncated
               ? ERR(err, STATUS_LIMIT, "an Avro file of over %zu bytes", writer->file.size_max)
               : STATUS_OK;
}

enum status avro_writer_row(struct avro_writer *writer, struct err *err)
{
    writer->block_rows++;
    return writer->block.size >= BLOCK_BYTES ? close_block(writer, err) : STATUS_OK;
}

uint64_t avro_writer_size(const struct avro_writer *writer)
{
    return writer->file.size + writer->block.size;
}

enum status avro_writer_finish(struct avro_writer *writer, struct str *bytes, struct err *err)
{
    TRY(close_block(writer, err));
    *bytes = strbuf_str(&writer->file);
    return STATUS_OK;
}
