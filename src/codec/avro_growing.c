// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_growing.h"

#include <libdeflate.h>
#include <string.h>

#include "base/budget.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/avro_encode.h"

enum { TRAILER_BYTES = 16, SYNC_BYTES = 16, COPY_BYTES = 1 << 20, MARK = 0x53475641 };

struct avro_growing {
    struct avro_encoder *encoder;
    struct byte_sink_memory blocks; // closed, not taken yet
    struct budget *budget;
    size_t charged;
    uint32_t segments;
    uint64_t rows_taken; // in segments, those of a restore too
    uint64_t bytes_taken;
    uint64_t rows_before; // of the encoder's count, what is in segments
};

struct trailer {
    uint64_t rows;
    uint32_t sum; // CRC-32 of the blocks
    uint32_t mark;
};

_Static_assert(sizeof(struct trailer) == TRAILER_BYTES, "no padding");

// Brings what the budget is charged with up to date.
static void charge(struct avro_growing *file)
{
    size_t now = avro_growing_memory(file);
    if (file->budget == NULL) {
        return;
    }
    if (now > file->charged) {
        budget_force(file->budget, now - file->charged);
    } else {
        budget_give(file->budget, file->charged - now);
    }
    file->charged = now;
}

static enum status make(const struct avro_growing_options *options, const uint8_t *sync,
                        bool goes_on, struct avro_growing **out, struct err *err)
{
    struct avro_growing *file = mem_zalloc(sizeof *file);
    struct avro_encode_options encode = {.columns = options->columns,
                                         .column_count = options->column_count,
                                         .record_name = options->record_name,
                                         .metas = options->metas,
                                         .meta_count = options->meta_count,
                                         .codec = options->codec,
                                         .level = options->level,
                                         .sink = &file->blocks.sink,
                                         .without_header = goes_on,
                                         .compress = options->compress};
    memcpy(encode.sync, sync, SYNC_BYTES);
    byte_sink_memory_init(&file->blocks, SIZE_MAX);
    file->budget = options->budget;
    enum status status = avro_encoder_new(&encode, &file->encoder, err);
    if (status != STATUS_OK) {
        avro_growing_free(file);
        return status;
    }
    *out = file;
    return STATUS_OK;
}

enum status avro_growing_new(const struct avro_growing_options *options, struct avro_growing **out,
                             struct err *err)
{
    *out = NULL;
    return make(options, options->sync, false, out, err);
}

static enum status damaged(const struct byte_source *segment, const char *what, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "a segment of an Avro file, %.*s: %s",
               STR_ARGS(segment->name), what);
}

static enum status read_trailer(struct byte_source *segment, struct trailer *out, struct err *err)
{
    if (segment->size < TRAILER_BYTES + SYNC_BYTES) {
        return damaged(segment, "it is too short", err);
    }
    TRY(byte_source_read(segment, segment->size - TRAILER_BYTES, sizeof *out, out, err));
    return out->mark == MARK ? STATUS_OK : damaged(segment, "it has no trailer", err);
}

enum status avro_growing_restore(const struct avro_growing_options *options,
                                 struct byte_source *const *segments, uint32_t segment_count,
                                 struct avro_growing **out, struct err *err)
{
    uint8_t sync[SYNC_BYTES];
    struct trailer trailer;
    uint64_t rows = 0;
    uint64_t bytes = 0;
    memcpy(sync, options->sync, sizeof sync);
    *out = NULL;
    for (uint32_t i = 0; i < segment_count; i++) {
        TRY(read_trailer(segments[i], &trailer, err));
        // Blocks end in the marker, as the header does.
        uint64_t end = segments[i]->size - TRAILER_BYTES;
        TRY(byte_source_read(segments[i], end - SYNC_BYTES, SYNC_BYTES, sync, err));
        rows += trailer.rows;
        bytes += end;
    }
    TRY(make(options, sync, segment_count > 0, out, err));
    (*out)->segments = segment_count;
    (*out)->rows_taken = rows;
    (*out)->bytes_taken = bytes;
    return STATUS_OK;
}

void avro_growing_free(struct avro_growing *file)
{
    if (file == NULL) {
        return;
    }
    if (file->budget != NULL) {
        budget_give(file->budget, file->charged);
    }
    avro_encoder_free(file->encoder);
    byte_sink_memory_release(&file->blocks);
    mem_free(file);
}

enum status avro_growing_append(struct avro_growing *file, const struct batch *batch,
                                struct err *err)
{
    enum status status = avro_encoder_append(file->encoder, batch, err);
    charge(file);
    return status;
}

enum status avro_growing_seal(struct avro_growing *file, bool shrink, struct err *err)
{
    enum status status = avro_encoder_end_block(file->encoder, shrink, err);
    charge(file);
    return status;
}

enum status avro_growing_take(struct avro_growing *file, struct byte_sink *sink, uint64_t *size,
                              struct err *err)
{
    struct str blocks = byte_sink_memory_bytes(&file->blocks);
    // Only rows in blocks that are closed: those of the block begun come with a later segment.
    uint64_t rows = avro_encoder_rows_written(file->encoder) - file->rows_before;
    struct trailer trailer = {rows, libdeflate_crc32(0, blocks.ptr, blocks.size), MARK};
    *size = 0;
    if (blocks.size == 0) {
        return STATUS_OK;
    }
    TRY(byte_sink_write(sink, blocks.ptr, blocks.size, err));
    TRY(byte_sink_write(sink, &trailer, sizeof trailer, err));
    *size = blocks.size + sizeof trailer;
    file->segments++;
    file->rows_before += rows;
    file->rows_taken += rows;
    file->bytes_taken += blocks.size;
    byte_sink_memory_release(&file->blocks);
    byte_sink_memory_init(&file->blocks, SIZE_MAX);
    charge(file);
    return STATUS_OK;
}

static enum status copy_segment(struct byte_source *segment, char *piece, struct byte_sink *sink,
                                struct err *err)
{
    struct trailer trailer;
    uint32_t sum = 0;
    TRY(read_trailer(segment, &trailer, err));
    uint64_t end = segment->size - TRAILER_BYTES;
    for (uint64_t at = 0; at < end;) {
        size_t size = end - at < COPY_BYTES ? (size_t)(end - at) : COPY_BYTES;
        TRY(byte_source_read(segment, at, size, piece, err));
        sum = libdeflate_crc32(sum, piece, size);
        TRY(byte_sink_write(sink, piece, size, err));
        at += size;
    }
    return sum == trailer.sum ? STATUS_OK : damaged(segment, "its checksum is another", err);
}

enum status avro_growing_close(struct avro_growing *file, struct byte_source *const *segments,
                               uint32_t segment_count, struct byte_sink *sink, struct err *err)
{
    if (segment_count != file->segments) {
        return ERR(err, STATUS_INVALID_DATA, "an Avro file of %u segments is closed with %u",
                   file->segments, segment_count);
    }
    TRY(avro_encoder_finish(file->encoder, err));
    char *piece = mem_alloc(COPY_BYTES);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < segment_count; i++) {
        status = copy_segment(segments[i], piece, sink, err);
    }
    mem_free(piece);
    TRY(status);
    struct str blocks = byte_sink_memory_bytes(&file->blocks);
    return blocks.size > 0 ? byte_sink_write(sink, blocks.ptr, blocks.size, err) : STATUS_OK;
}

size_t avro_growing_memory(const struct avro_growing *file)
{
    return file->blocks.capacity + avro_encoder_memory(file->encoder);
}

uint64_t avro_growing_rows(const struct avro_growing *file)
{
    return file->rows_taken + avro_encoder_rows(file->encoder) - file->rows_before;
}

uint64_t avro_growing_bytes(const struct avro_growing *file)
{
    return file->bytes_taken + file->blocks.size + avro_encoder_pending(file->encoder);
}
