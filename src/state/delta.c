// SPDX-License-Identifier: Apache-2.0
#include "state/delta.h"

#include <string.h>

#include "base/byte_source.h"
#include "state/row_layout.h"
#include "state/row_shuffle.h"

enum { SHUFFLED_MIN = 16 }; // images

#define OUT_MAX ((size_t)1 << 40) // what waits is bounded by the state; this is not the limit

struct delta_head {
    uint32_t version;
    uint32_t zero;
    uint64_t number;
};

// --- writing -----------------------------------------------------------------------------------

void delta_writer_init(struct delta_writer *writer)
{
    *writer = (struct delta_writer){.compress = compress_new()};
    strbuf_init(&writer->out, OUT_MAX);
    strbuf_init(&writer->payload, OUT_MAX);
    strbuf_init(&writer->planes, OUT_MAX);
}

void delta_writer_release(struct delta_writer *writer)
{
    strbuf_release(&writer->out);
    strbuf_release(&writer->payload);
    strbuf_release(&writer->planes);
    compress_free(writer->compress);
}

static enum status write_block(struct delta_writer *writer, uint8_t kind, struct str payload,
                               struct err *err)
{
    struct block block = {.kind = kind, .tag = writer->block_count++, .payload = payload};
    // LZ4: images are written while batches wait.
    return block_write(&writer->out, &block, COMPRESS_LZ4_RAW, writer->compress, err);
}

static enum status write_shuffled(struct delta_writer *writer, uint64_t image_size, struct err *err)
{
    size_t size = writer->payload.size;
    strbuf_reset(&writer->planes);
    char *planes = strbuf_reserve(&writer->planes, sizeof image_size + size);
    if (planes == NULL) {
        return ERR(err, STATUS_LIMIT, "images of %zu bytes", size);
    }
    memcpy(planes, &image_size, sizeof image_size);
    row_shuffle(writer->payload.ptr, image_size, size / image_size, planes + sizeof image_size);
    strbuf_commit(&writer->planes, sizeof image_size + size);
    return write_block(writer, writer->kind | DELTA_SHUFFLED, strbuf_str(&writer->planes), err);
}

static enum status flush(struct delta_writer *writer, struct err *err)
{
    if (writer->payload.size == 0) {
        return STATUS_OK;
    }
    size_t size = writer->image_size;
    enum status status = size > 0 && writer->payload.size >= size * SHUFFLED_MIN
                             ? write_shuffled(writer, size, err)
                             : write_block(writer, writer->kind, strbuf_str(&writer->payload), err);
    strbuf_reset(&writer->payload);
    writer->kind = 0;
    return status;
}

enum status delta_begin(struct delta_writer *writer, uint64_t number, struct err *err)
{
    struct delta_head head = {.version = DELTA_VERSION, .number = number};
    strbuf_reset(&writer->payload);
    writer->kind = 0;
    writer->number = number;
    writer->block_count = 0;
    writer->size = 0;
    writer->has_table = false;
    return write_block(writer, DELTA_HEAD, str_make((const char *)&head, sizeof head), err);
}

enum status delta_table_set(struct delta_writer *writer, const struct delta_table *table,
                            struct err *err)
{
    if (writer->has_table && memcmp(&writer->table, table, sizeof *table) == 0) {
        return STATUS_OK;
    }
    TRY(flush(writer, err));
    writer->table = *table;
    writer->has_table = true;
    return write_block(writer, DELTA_TABLE, str_make((const char *)table, sizeof *table), err);
}

enum status delta_add(struct delta_writer *writer, enum delta_kind kind, size_t size, char **image,
                      struct err *err)
{
    if (writer->kind != (uint8_t)kind || writer->payload.size + size > DELTA_BLOCK_BYTES) {
        TRY(flush(writer, err));
        writer->kind = (uint8_t)kind;
        writer->image_size = size % 8 == 0 ? size : 0;
    }
    writer->image_size = writer->image_size == size ? size : 0;
    *image = strbuf_reserve(&writer->payload, size);
    if (*image == NULL) {
        return ERR(err, STATUS_LIMIT, "a row of %zu bytes", size);
    }
    strbuf_commit(&writer->payload, size);
    writer->size += size;
    return STATUS_OK;
}

enum status delta_drop(struct delta_writer *writer, const struct delta_table *table,
                       struct err *err)
{
    TRY(delta_table_set(writer, table, err));
    TRY(flush(writer, err));
    return write_block(writer, DELTA_DROP, STR_LIT(""), err);
}

enum status delta_end(struct delta_writer *writer, struct err *err)
{
    TRY(flush(writer, err));
    uint64_t count = writer->block_count;
    return write_block(writer, DELTA_END, str_make((const char *)&count, sizeof count), err);
}

// --- reading -----------------------------------------------------------------------------------

void delta_reader_init(struct delta_reader *reader, struct byte_source *source)
{
    *reader = (struct delta_reader){.source = source, .compress = compress_new()};
    arena_init(&reader->arena);
}

void delta_reader_release(struct delta_reader *reader)
{
    compress_free(reader->compress);
    arena_release(&reader->arena);
}

static enum status damaged(struct delta_reader *reader, const char *what, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "%.*s: block %llu of a state segment: %s",
               STR_ARGS(reader->source->name), (unsigned long long)reader->block_count, what);
}

static enum status read_block(struct delta_reader *reader, struct block *block, struct err *err)
{
    char header[BLOCK_HEADER_SIZE];
    uint64_t size;
    size_t used;
    arena_reset(&reader->arena);
    if (reader->source->size - reader->at < BLOCK_HEADER_SIZE) {
        return damaged(reader, "the segment ends early", err);
    }
    TRY(byte_source_read(reader->source, reader->at, sizeof header, header, err));
    TRY(block_size(str_make(header, sizeof header), &size, err));
    if (size > reader->source->size - reader->at) {
        return damaged(reader, "the segment ends early", err);
    }
    char *bytes = arena_alloc64(&reader->arena, (size_t)size);
    TRY(byte_source_read(reader->source, reader->at, (size_t)size, bytes, err));
    TRY(block_read(str_make(bytes, (size_t)size), reader->compress, &reader->arena, block, &used,
                   err));
    if (block->tag != reader->block_count) {
        return damaged(reader, "it is out of its place", err);
    }
    reader->at += size;
    reader->block_count++;
    return STATUS_OK;
}

static enum status start(struct delta_reader *reader, struct err *err)
{
    struct block block;
    struct delta_head head;
    TRY(read_block(reader, &block, err));
    if (block.kind != DELTA_HEAD || block.payload.size != sizeof head) {
        return damaged(reader, "it does not begin a segment", err);
    }
    memcpy(&head, block.payload.ptr, sizeof head);
    if (head.version != DELTA_VERSION) {
        return ERR(err, STATUS_UNSUPPORTED, "%.*s: a state segment of version %u",
                   STR_ARGS(reader->source->name), head.version);
    }
    reader->number = head.number;
    reader->is_started = true;
    return STATUS_OK;
}

static enum status end(struct delta_reader *reader, const struct block *block, struct err *err)
{
    uint64_t count;
    if (block->payload.size != sizeof count || reader->at != reader->source->size) {
        return damaged(reader, "the end", err);
    }
    memcpy(&count, block->payload.ptr, sizeof count);
    if (count != reader->block_count - 1) {
        return damaged(reader, "blocks are missing", err);
    }
    reader->is_ended = true;
    return STATUS_END;
}

static bool is_shuffled(const struct block *block)
{
    uint8_t kind = block->kind & (uint8_t)~DELTA_SHUFFLED;
    return (block->kind & DELTA_SHUFFLED) != 0 && kind >= DELTA_ROWS && kind <= DELTA_ENTRIES_GONE;
}

// Gives the block its images.
static enum status shuffle_back(struct delta_reader *reader, struct block *block, struct err *err)
{
    uint64_t image_size;
    struct str payload = block->payload;
    if (payload.size < sizeof image_size) {
        return damaged(reader, "planes without a size", err);
    }
    memcpy(&image_size, payload.ptr, sizeof image_size);
    size_t size = payload.size - sizeof image_size;
    if (image_size < sizeof(struct row) || image_size % 8 != 0 || size % image_size != 0) {
        return damaged(reader, "planes that are no rows", err);
    }
    char *images = arena_alloc64(&reader->arena, size + 1);
    row_shuffle_back(payload.ptr + sizeof image_size, image_size, size / image_size, images);
    block->payload = str_make(images, size);
    block->kind &= (uint8_t)~DELTA_SHUFFLED;
    return STATUS_OK;
}

enum status delta_next(struct delta_reader *reader, struct block *block, struct err *err)
{
    if (reader->is_ended) {
        return STATUS_END;
    }
    if (!reader->is_started) {
        TRY(start(reader, err));
    }
    for (;;) {
        TRY(read_block(reader, block, err));
        if (is_shuffled(block)) {
            TRY(shuffle_back(reader, block, err));
        }
        switch (block->kind) {
        case DELTA_TABLE:
            if (block->payload.size != sizeof reader->table) {
                return damaged(reader, "the name of a table", err);
            }
            memcpy(&reader->table, block->payload.ptr, sizeof reader->table);
            reader->has_table = true;
            continue;
        case DELTA_ROWS:
        case DELTA_GONE:
        case DELTA_ENTRIES:
        case DELTA_ENTRIES_GONE:
        case DELTA_DROP:
            return reader->has_table ? STATUS_OK : damaged(reader, "rows of no table", err);
        case DELTA_END: return end(reader, block, err);
        default: return damaged(reader, "an unknown kind", err);
        }
    }
}
