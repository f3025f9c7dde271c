// SPDX-License-Identifier: Apache-2.0
//
// parquet_reader_int: what the parts of the Parquet reader share.
//
//     parquet_reader.c      the public calls, batches
//     parquet_file.c        the footer
//     parquet_project.c     what is asked for against what the file has
//     parquet_prune.c       row groups and pages left out
//     parquet_pages.c       bytes of a column chunk: pages, decompressed
//     parquet_values.c      one leaf: levels and values of a run of rows
//     parquet_filter.c      rows that match a predicate
//     parquet_select.c      the rows of a leaf that a selection names
//     parquet_nest.c        levels to lists, maps and rows
//     parquet_variant.c     variants put together from their parts
#pragma once

#include "base/arena.h"
#include "base/bits.h"
#include "base/bytebuf.h"
#include "base/vec.h"
#include "codec/parquet_convert.h"
#include "codec/parquet_decode.h"
#include "codec/parquet_file_schema.h"
#include "codec/parquet_footer.h"
#include "codec/parquet_reader.h"
#include "data/column.h"

struct byte_source;
struct compress;

struct parquet_file {
    struct byte_source *source;
    struct budget *budget;
    size_t charged;
    struct arena arena;
    struct bytebuf footer_bytes;
    struct parquet_footer footer;
    struct parquet_tree tree;
    const struct parquet_field *fields;
    uint64_t *first_rows; // of each row group
    bool has_ids;
};

// Rows [from, to) of a row group.
struct parquet_rows {
    uint64_t from;
    uint64_t to;
};

// Memory that lives as long as what was decoded from it.
struct parquet_memory {
    struct parquet_memory *next;
    size_t capacity;
    char *ptr;
};

// The bytes of a chunk, page after page.
struct parquet_pages {
    uint64_t at;           // in the file: the next page's header
    uint64_t end;          // of the chunk
    struct bytebuf window; // bytes of the file, where the source does not lend
    uint64_t window_offset;
    size_t ahead;                      // bytes read at once
    struct parquet_offset_index index; // count 0: none
    uint32_t next_page;                // in the index
};

// What a leaf's next rows have become. `count` slots: rows of the leaf's column; levels only where
// a list or a row is above.
struct parquet_vector {
    uint32_t slots;
    bool is_dict;
    bool has_nulls;
    struct bytebuf valid;  // words
    struct bytebuf values; // of the target form
    struct bytebuf codes;  // uint16
    struct bytebuf def;    // bytes, one an entry of the levels (also where no slot is)
    struct bytebuf rep;
    uint32_t entries;
    uint32_t values_held; // nested: values that stand one behind the other until they are placed
    uint64_t var_bytes;
};

struct parquet_leaf_reader {
    struct parquet_reader *reader;
    const struct parquet_node *node;
    struct parquet_conversion conversion;
    bool levels_only; // its values are not asked for
    bool nested;
    bool is_copied;   // its values go into each row that is made of them: not many of them at once
    uint8_t list_def; // the definition level that says that the enclosing list's element exists
    const struct parquet_chunk_meta *chunk;
    enum compress_codec codec;
    struct parquet_pages pages;
    // The dictionary, in the target's form.
    struct bytebuf dictionary;
    struct parquet_memory *dictionary_memory;
    struct column dictionary_column;
    uint32_t dictionary_count;
    uint64_t dictionary_bytes;
    bool has_dictionary;
    // The page.
    struct parquet_memory *page_memory;
    struct parquet_memory *old_memory; // of pages left behind within the vector
    struct parquet_decoder decoder;
    struct parquet_rle def_levels;
    struct parquet_rle rep_levels;
    struct str packed_levels[2]; // BIT_PACKED: definition, repetition
    uint32_t packed_at;          // the next slot in them
    uint32_t page_slots;         // not read yet
    uint64_t chunk_slots;        // in pages behind this one
    uint64_t row;                // of the row group: the next slot's
    // Levels read ahead, of nested leaves.
    uint8_t def_ahead[1024];
    uint8_t rep_ahead[1024];
    uint32_t ahead_at;
    uint32_t ahead_count;
    struct parquet_vector vector;
    const struct predicate_term **terms; // that the leaf's rows are filtered by
    uint32_t term_count;
};

// The rows of a span that match the predicate's terms.
struct parquet_selection {
    uint64_t from;       // of the row group
    uint32_t span;       // rows
    uint64_t *bits;      // of the span
    uint32_t count;      // set ones
    uint64_t *positions; // of these, in the row group
};

enum {
    PARQUET_SPAN_ROWS = 1 << 16,
    PARQUET_WINDOW_ROWS = 2048, // looked at at once
};

// A node of the projection.
struct parquet_output {
    bool is_missing;
    int32_t id; // that was asked for
    enum parquet_node_kind kind;
    enum physical physical;
    const struct type *type;
    const struct parquet_node *node;
    uint32_t child_count;
    struct parquet_output *children;
    struct parquet_leaf_reader *leaf; // LEAF; others: a leaf below that tells the levels
};

// A top-level column of the projection with the rows of it that were decoded and not handed out.
struct parquet_out_column {
    struct parquet_output output;
    uint32_t leaf_count;
    struct parquet_leaf_reader **leaves;
    struct arena arena; // of `column`
    struct column column;
    uint32_t from;
    uint32_t count;
    uint64_t var_bytes;
};

struct parquet_reader {
    struct parquet_file *file;
    struct parquet_reader_options options;
    struct compress *compress;
    struct arena arena;       // projection
    struct arena group_arena; // indexes of the row group
    struct arena batch_arena;
    uint32_t column_count;
    struct parquet_out_column *columns;
    struct column *batch_columns;
    struct parquet_leaf_reader **leaves; // all
    uint32_t leaf_count;
    struct parquet_memory *pool;
    uint32_t pooled; // pieces in it
    size_t memory;   // of all struct parquet_memory
    size_t charged;
    struct bytebuf scratch;
    uint32_t group; // the current one; row groups below were read
    uint32_t group_end;
    bool in_group;
    VEC(struct parquet_rows) ranges; // of the row group, to be read
    uint32_t range;
    uint64_t row; // of the row group: the next batch's first
    uint64_t position;
    // With a filter: its leaves, and the rows decoded; those in front of `selected_at` were handed
    // out.
    uint32_t filter_count;
    struct parquet_leaf_reader **filters;
    struct parquet_selection selection;
    uint32_t selected_at;
    const uint64_t *batch_positions;
    struct parquet_reader_counters counters;
};

// ---- parquet_pages.c ----

// Memory for what is decoded, from the pool; NULL where page_bytes_max forbids it. Put in front of
// *list.
char *parquet_pages_memory(struct parquet_reader *reader, struct parquet_memory **list,
                           size_t size);
void parquet_pages_recycle(struct parquet_reader *reader, struct parquet_memory **list);
// `size` bytes of the file at `offset`, within the chunk. Borrowed until the next call.
MUST_USE enum status parquet_pages_read(struct parquet_leaf_reader *leaf, uint64_t offset,
                                        size_t size, struct str *out, struct err *err);
// Points the leaf at its chunk in this row group, reads the dictionary when it comes.
MUST_USE enum status parquet_pages_begin(struct parquet_leaf_reader *leaf,
                                         const struct parquet_chunk_meta *chunk, struct err *err);
// The next data page, set up for reading. END behind the last. With `rows`, whole pages of at most
// *rows rows are passed over by their headers, which lowers *rows; at 0 no page is set up.
MUST_USE enum status parquet_pages_next(struct parquet_leaf_reader *leaf, uint64_t *rows,
                                        struct err *err);
// Reads the dictionary, if the chunk begins with one, before its first data page.
MUST_USE enum status parquet_pages_dictionary(struct parquet_leaf_reader *leaf, struct err *err);
// Goes to data page `page` of the offset index, which is not read yet.
MUST_USE enum status parquet_pages_jump(struct parquet_leaf_reader *leaf, uint32_t page,
                                        struct err *err);
// Puts the leaf's name and the page's place in front of an error.
enum status parquet_pages_context(const struct parquet_leaf_reader *leaf, enum status status,
                                  struct err *err);

// ---- parquet_values.c ----

// Reads up to `rows` rows into the leaf's vector; fewer where `may_stop` and they hold many bytes.
MUST_USE enum status parquet_values_read(struct parquet_leaf_reader *leaf, uint32_t rows,
                                         bool may_stop, uint32_t *got, struct err *err);
// The same in steps: an empty vector; so many rows more; values put in their places.
void parquet_values_reset(struct parquet_leaf_reader *leaf);
MUST_USE enum status parquet_values_append(struct parquet_leaf_reader *leaf, uint32_t rows,
                                           struct err *err);
void parquet_values_place(struct parquet_leaf_reader *leaf);
// Rows of the next ones that are wanted, ascending, counted from the first of them.
struct parquet_kept {
    const uint16_t *rows;
    uint32_t count;
};

// Of the next `rows` rows, at most PARQUET_WINDOW_ROWS, those that are kept. Of flat leaves.
MUST_USE enum status parquet_values_pick(struct parquet_leaf_reader *leaf, uint32_t rows,
                                         const struct parquet_kept *kept, struct err *err);
// Goes on to the row (of the row group), which is not behind.
MUST_USE enum status parquet_values_seek(struct parquet_leaf_reader *leaf, uint64_t row,
                                         struct err *err);
void parquet_values_release(struct parquet_leaf_reader *leaf);

// ---- parquet_select.c ----

// items[i] = items[kept->rows[i]], of a power of two up to 16 bytes each.
void parquet_select_items(void *items, size_t width, const struct parquet_kept *kept);
// Keeps these of the last `count` rows appended to the vector, not placed yet. Not below a list.
void parquet_select_keep(struct parquet_leaf_reader *leaf, uint32_t count,
                         const struct parquet_kept *kept);
// The selection's rows into the leaf's vector.
MUST_USE enum status parquet_select_read(struct parquet_leaf_reader *leaf,
                                         const struct parquet_selection *selection,
                                         struct err *err);

// ---- parquet_filter.c ----

// Which leaves the predicate's terms are about; adds readers for those that are not asked for.
void parquet_filter_build(struct parquet_reader *reader);
// Whether, by the dictionaries of chunks that consist of codes, any row of the group may match. The
// leaves are at its beginning.
MUST_USE enum status parquet_filter_dictionaries(struct parquet_reader *reader, bool *may_match,
                                                 struct err *err);
// Goes on from reader->row until about a batch of rows matches, a span is full or `end` (of the row
// group) is reached: reader->selection. The leaves of the terms hold its rows.
MUST_USE enum status parquet_filter_next(struct parquet_reader *reader, uint64_t end,
                                         struct err *err);

// ---- parquet_nest.c ----

// The column of an output of `rows` rows from its leaves' vectors.
MUST_USE enum status parquet_nest_column(struct parquet_out_column *column, uint32_t rows,
                                         struct err *err);

// ---- parquet_variant.c ----

// Whether the group is made as those of variants are, whatever its annotation.
bool parquet_variant_fits(const struct parquet_node *node);
// How a leaf of a variant is read: as it is stored. UNSUPPORTED for a type that variants lack.
MUST_USE enum status parquet_variant_leaf(const struct parquet_node *leaf,
                                          struct parquet_conversion *out, struct err *err);
// `parts`: the column of the group as a row. LIMIT where they are over `bytes_max` together.
MUST_USE enum status parquet_variant_column(struct arena *arena,
                                            const struct parquet_output *output,
                                            const struct column *parts, size_t bytes_max,
                                            struct column *out, struct err *err);

// ---- parquet_project.c ----

MUST_USE enum status parquet_project_build(struct parquet_reader *reader, struct err *err);

// ---- parquet_prune.c ----

// The leaf that a term names, at any depth, not below a list; NULL: none.
const struct parquet_node *parquet_prune_find(const struct parquet_reader *reader, int32_t id);
// Sets reader->ranges to the rows of the row group that may match.
MUST_USE enum status parquet_prune_group(struct parquet_reader *reader, uint32_t group,
                                         struct err *err);
