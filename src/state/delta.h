// SPDX-License-Identifier: Apache-2.0
//
// delta: the files of a checkpoint: segments of row images and tombstones.
//
// A segment is a sequence of blocks (codec/block.h). Block 0 has kind DELTA_HEAD: version, the
// segment's number. The others belong to one table each and are applied in order:
//
//     DELTA_TABLE    says which table the blocks behind it are of: {id, slice, form, layout id}
//     DELTA_ROWS     row images (row_layout.h), each as it stands in memory, mark 0; one of more
//     than
//                    ROW_UNITS_MAX units stands alone in its block
//     DELTA_GONE     tombstones, the same: only their keys count
//     DELTA_ENTRIES  of an ordered table: images of entries as they stand in memory, mark 0
//     DELTA_ENTRIES_GONE  tombstones of those, the same
//     DELTA_DROP     the table {id, slice} ended; its earlier rows are void
//     DELTA_END      the last block: how many blocks there are. A segment without it is damaged
//
// Where the images of a block are all of one size, the block's kind has DELTA_SHUFFLED, and its
// payload is that size (u64) and the images as planes (row_shuffle.h). Who reads blocks here does
// not see it: delta_next() gives the images.
//
// Later images replace earlier ones of the same key. Within a context, segments in the order of
// their numbers are the history of its rows.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "codec/block.h"

struct byte_source;

enum delta_kind {
    DELTA_HEAD = 1,
    DELTA_TABLE,
    DELTA_ROWS,
    DELTA_GONE,
    DELTA_ENTRIES,
    DELTA_ENTRIES_GONE,
    DELTA_DROP,
    DELTA_END,
    DELTA_SHUFFLED = 16, // a flag
};

enum delta_form { DELTA_FORM_HASH = 1, DELTA_FORM_BAG, DELTA_FORM_ORDERED };

struct delta_table {
    uint32_t id;
    uint32_t form;
    int64_t slice;
    uint64_t layout_id;
};

enum { DELTA_VERSION = 2, DELTA_BLOCK_BYTES = 64 << 10 };

// Collects images into blocks; full blocks wait in `out` until the owner takes them.
struct delta_writer {
    struct strbuf out;     // finished blocks
    struct strbuf payload; // of the block in progress
    size_t image_size;     // of its images; 0: they differ
    struct strbuf planes;  // of a block that is shuffled
    struct compress *compress;
    struct delta_table table; // of the block in progress
    bool has_table;
    uint8_t kind; // of the block in progress; 0: none
    uint64_t number;
    uint64_t block_count;
    uint64_t size; // of the segment so far, payload in progress included
};

void delta_writer_init(struct delta_writer *writer);
void delta_writer_release(struct delta_writer *writer);
MUST_USE enum status delta_begin(struct delta_writer *writer, uint64_t number, struct err *err);
MUST_USE enum status delta_table_set(struct delta_writer *writer, const struct delta_table *table,
                                     struct err *err);
// Room for `size` bytes of an image in a block of `kind`.
MUST_USE enum status delta_add(struct delta_writer *writer, enum delta_kind kind, size_t size,
                               char **image, struct err *err);
MUST_USE enum status delta_drop(struct delta_writer *writer, const struct delta_table *table,
                                struct err *err);
MUST_USE enum status delta_end(struct delta_writer *writer, struct err *err);

// Reads a segment block by block.
struct delta_reader {
    struct byte_source *source;
    uint64_t at;
    uint64_t block_count;
    uint64_t number;
    struct delta_table table;
    bool is_started;
    bool is_ended;
    bool has_table;
    struct compress *compress;
    struct arena arena; // the block read last
};

void delta_reader_init(struct delta_reader *reader, struct byte_source *source);
void delta_reader_release(struct delta_reader *reader);
// The next block of a table (reader->table); valid until the next call. END behind the last.
MUST_USE enum status delta_next(struct delta_reader *reader, struct block *block, struct err *err);
