// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_writer.h"

#include <libdeflate.h>
#include <string.h>

#include "base/byte_sink.h"
#include "codec/avro_put.h"
#include "codec/compress.h"

// Java's writer asks zlib for level 9; 6 of libdeflate is as small and costs a tenth.
enum { BLOCK_BYTES = 64000, LEVEL_DEFAULT = 6, SIZE_DEFAULT = 1 << 30 };

static const struct {
    const char *name;
    enum compress_codec compress;
} codecs[] = {
    [AVRO_CODEC_DEFLATE] = {"deflate", COMPRESS_DEFLATE},
    [AVRO_CODEC_NULL] = {"null", COMPRESS_NONE},
    [AVRO_CODEC_SNAPPY] = {"snappy", COMPRESS_SNAPPY},
    [AVRO_CODEC_ZSTANDARD] = {"zstandard", COMPRESS_ZSTD},
    [AVRO_CODEC_BZIP2] = {"bzip2", COMPRESS_BZIP2},
    [AVRO_CODEC_XZ] = {"xz", COMPRESS_XZ},
};

bool avro_codec_find(struct str name, enum avro_codec *out)
{
    static const struct {
        const char *name;
        enum avro_codec codec;
    } others[] = {{"gzip", AVRO_CODEC_DEFLATE},
                  {"zstd", AVRO_CODEC_ZSTANDARD},
                  {"uncompressed", AVRO_CODEC_NULL},
                  {"none", AVRO_CODEC_NULL}};
    for (uint32_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (str_is_nocase(name, codecs[i].name)) {
            *out = (enum avro_codec)i;
            return true;
        }
    }
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (str_is_nocase(name, others[i].name)) {
            *out = others[i].codec;
            return true;
        }
    }
    return false;
}

static void put_header(struct avro_writer *writer, const struct avro_writer_options *options)
{
    strbuf_add(&writer->file, STR_LIT("Obj\1"));
    avro_put_long(&writer->file, (int64_t)options->meta_count + 2);
    avro_put_bytes(&writer->file, STR_LIT("avro.schema"));
    avro_put_bytes(&writer->file, options->schema);
    avro_put_bytes(&writer->file, STR_LIT("avro.codec"));
    avro_put_bytes(&writer->file, str_from(codecs[options->codec].name));
    for (uint32_t i = 0; i < options->meta_count; i++) {
        avro_put_bytes(&writer->file, options->metas[i].key);
        avro_put_bytes(&writer->file, options->metas[i].value);
    }
    avro_put_long(&writer->file, 0);
    strbuf_add(&writer->file, str_make((const char *)writer->sync, sizeof writer->sync));
}

void avro_writer_init(struct avro_writer *writer, const struct avro_writer_options *options)
{
    size_t size_max = options->size_max > 0 ? options->size_max : SIZE_DEFAULT;
    bool is_deflate = options->codec == AVRO_CODEC_DEFLATE;
    *writer = (struct avro_writer){
        .codec = options->codec, .sink = options->sink, .compress = options->compress};
    writer->level = options->level != 0 ? options->level
                    : is_deflate        ? LEVEL_DEFAULT
                                        : COMPRESS_LEVEL_DEFAULT;
    memcpy(writer->sync, options->sync, sizeof writer->sync);
    strbuf_init(&writer->file, size_max);
    strbuf_init(&writer->block, size_max);
    if (!options->without_header) {
        put_header(writer, options);
    }
}

void avro_writer_release(struct avro_writer *writer)
{
    strbuf_release(&writer->file);
    strbuf_release(&writer->block);
    if (writer->owns_compress) {
        compress_free(writer->compress);
    }
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

// The block as it stands in the file: compressed, behind snappy the CRC-32 of its content.
static enum status put_packed(struct avro_writer *writer, struct str block, struct err *err)
{
    enum compress_codec codec = codecs[writer->codec].compress;
    struct strbuf packed;
    size_t size = 0;
    if (writer->compress == NULL) {
        writer->compress = compress_new();
        writer->owns_compress = true;
    }
    size_t bound = compress_bound(codec, block.size) + 4;
    strbuf_init(&packed, bound + 1);
    char *out = strbuf_reserve(&packed, bound);
    enum status status =
        compress_block(writer->compress, codec, writer->level, block, out, &size, err);
    if (status == STATUS_OK && codec == COMPRESS_SNAPPY) {
        uint32_t sum = __builtin_bswap32(libdeflate_crc32(0, block.ptr, block.size));
        memcpy(out + size, &sum, sizeof sum);
        size += sizeof sum;
    }
    if (status == STATUS_OK) {
        avro_put_bytes(&writer->file, str_make(out, size));
    }
    strbuf_release(&packed);
    return status;
}

// Hands over what the file has, where it goes to a sink.
static enum status flush(struct avro_writer *writer, struct err *err)
{
    if (writer->file.truncated) {
        return ERR(err, STATUS_LIMIT, "an Avro file of over %zu bytes", writer->file.size_max);
    }
    if (writer->sink != NULL) {
        TRY(byte_sink_write(writer->sink, writer->file.ptr, writer->file.size, err));
        writer->flushed += writer->file.size;
        strbuf_reset(&writer->file);
    }
    return STATUS_OK;
}

enum status avro_writer_end_block(struct avro_writer *writer, struct err *err)
{
    struct str block = strbuf_str(&writer->block);
    if (writer->block_rows == 0) {
        return STATUS_OK;
    }
    if (writer->block.truncated) {
        return ERR(err, STATUS_LIMIT, "an Avro block of over %zu bytes", writer->block.size_max);
    }
    avro_put_long(&writer->file, (int64_t)writer->block_rows);
    if (writer->codec == AVRO_CODEC_NULL) {
        avro_put_bytes(&writer->file, block);
    } else {
        TRY(put_packed(writer, block, err));
    }
    strbuf_add(&writer->file, str_make((const char *)writer->sync, sizeof writer->sync));
    strbuf_reset(&writer->block);
    writer->block_rows = 0;
    return flush(writer, err);
}

enum status avro_writer_row(struct avro_writer *writer, struct err *err)
{
    writer->block_rows++;
    return writer->block.size >= BLOCK_BYTES ? avro_writer_end_block(writer, err) : STATUS_OK;
}

void avro_writer_shrink(struct avro_writer *writer)
{
    size_t size_max = writer->block.size_max;
    if (writer->block_rows == 0) {
        strbuf_release(&writer->block);
        strbuf_init(&writer->block, size_max);
    }
    if (writer->file.size == 0) {
        strbuf_release(&writer->file);
        strbuf_init(&writer->file, size_max);
    }
}

uint64_t avro_writer_size(const struct avro_writer *writer)
{
    return writer->flushed + writer->file.size + writer->block.size;
}

enum status avro_writer_finish(struct avro_writer *writer, struct str *bytes, struct err *err)
{
    TRY(avro_writer_end_block(writer, err));
    TRY(flush(writer, err)); // the header, where there were no rows
    *bytes = strbuf_str(&writer->file);
    return STATUS_OK;
}
