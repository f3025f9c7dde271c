// SPDX-License-Identifier: Apache-2.0
//
// parquet_writer_int: what the parts of the Parquet writer share.
//
//     parquet_writer.c    the public calls, row groups
//     parquet_shred.c     nested columns to levels
//     parquet_leaf.c      values to the pages of one column
//     parquet_page_writer.c   one page: encode, compress
//     parquet_payload.c   where encoded pages stand
//     parquet_segment.c   segments: what is new to bytes, and back
//     parquet_assemble.c  the file: chunks, indexes, footer
#pragma once

#include "base/arena.h"
#include "base/bytebuf.h"
#include "base/vec.h"
#include "codec/parquet_dictionary.h"
#include "codec/parquet_format.h"
#include "codec/parquet_stats.h"
#include "codec/parquet_writer.h"

struct column;

enum {
    PARQUET_PAGE_BOUND_BYTES = 64, // bounds of pages are cut to this
    PARQUET_PLAIN_HEAD = 64,       // room for levels in front of a leaf's plain values
};

#define PARQUET_IN_MEMORY UINT32_MAX // instead of a segment

// Scratch memory of a thread.
struct parquet_encoder {
    struct compress *compress;
    struct bytebuf dense;     // the values of a column that are not null
    struct bytebuf converted; // in the form in which they are stored
    struct bytebuf codes;
    struct bytebuf map; // entries of a batch's dictionary to codes of ours
    struct bytebuf page;
    struct bytebuf packed;
    struct bytebuf compact;
    struct bytebuf levels;
    struct bytebuf used;
    struct bytebuf frames[2 * PARQUET_DEPTH_MAX + 4]
                         [3]; // parquet_shred: definition, repetition, place
    struct bytebuf live;
    struct bytebuf variants[2]; // parquet_shred: views of both parts
};

// An encoded page and what the indexes say about it.
struct parquet_page {
    char *payload;      // NULL once it was taken
    uint64_t offset;    // then: in the segment
    uint64_t hash;      // XXH3 of the payload, once it was taken
    uint64_t var_bytes; // of byte arrays, without their lengths
    uint32_t segment;   // PARQUET_IN_MEMORY
    uint32_t packed_size;
    uint32_t plain_size;
    uint32_t rep_size; // v2: levels in front, not compressed
    uint32_t def_size;
    uint32_t rows;
    uint32_t slots; // values and nulls
    uint32_t nulls;
    uint32_t nans;
    uint32_t bounds_at; // in the writer's heap of bounds: lower, then upper
    uint8_t lower_size; // at most PARQUET_PAGE_BOUND_BYTES
    uint8_t upper_size;
    uint8_t encoding;
    bool has_lower;
    bool has_upper;
    bool is_raw; // not compressed, since that saved next to nothing
};

enum parquet_dictionary_state {
    PARQUET_DICTIONARY_NONE,  // never, or given up before its first page
    PARQUET_DICTIONARY_OPEN,  // values go through it
    PARQUET_DICTIONARY_ENDED, // its pages stand, further ones are plain
};

// What plain numbers are compressed as, once some were tried: a compress_kind and one.
enum parquet_numbers {
    PARQUET_NUMBERS_UNSEEN,
    PARQUET_NUMBERS_BYTES,
    PARQUET_NUMBERS_NEAR,
    PARQUET_NUMBERS_STEPPED,
};
enum parquet_compactness { PARQUET_UNDECIDED, PARQUET_STAYS_PLAIN, PARQUET_IS_COMPACT };

// One leaf in one row group.
struct parquet_chunk {
    VEC(struct parquet_page) pages;
    struct parquet_page dictionary; // the page; slots > 0 once it is encoded
    uint32_t pages_taken;
    bool dictionary_taken;
    enum parquet_dictionary_state state;
    // Data pages are kept raw as long as compressing does not pay; a chunk that is raw throughout
    // is written uncompressed, raw pages of others get the codec's form at assembly.
    bool is_raw;
    // What plain pages are encoded with, once some page showed which is smaller.
    enum parquet_compactness compactness;
    enum parquet_numbers numbers;
    struct parquet_range range;
    uint64_t slots;
    uint64_t nulls;
    uint64_t nans;
    uint64_t var_bytes;
    uint64_t packed_bytes; // payloads, the dictionary's included
    uint64_t plain_bytes;
    uint64_t *def_histogram; // def_level + 1 counts; only of nested leaves
    uint64_t *rep_histogram;
};

struct parquet_group {
    struct parquet_chunk *chunks; // one a leaf
    uint64_t rows;
    bool ended;
    bool taken; // ended and wholly in segments
};

enum parquet_store {
    PARQUET_STORE_BOOL, // a byte until the page ends
    PARQUET_STORE_W4,
    PARQUET_STORE_W8,
    PARQUET_STORE_WIDE,  // decimals of 19 and more digits
    PARQUET_STORE_FIXED, // strings of one length
    PARQUET_STORE_BYTES,
};

// The page that is being filled.
struct parquet_leaf {
    const struct parquet_node *node;
    enum parquet_store store;
    enum parquet_order order;
    bool nested; // has level bytes; otherwise a mask at most
    bool without_statistics;
    bool without_dictionary;
    uint32_t rows;
    uint32_t slots;
    uint32_t values;     // slots - nulls
    bool masked;         // `mask` is in use: there was a null in this page
    struct bytebuf mask; // words
    struct bytebuf def;  // bytes
    struct bytebuf rep;
    struct bytebuf plain; // a head, then values as the page holds them (BOOL: a byte each)
    struct bytebuf codes; // uint32, while the dictionary is open
    uint32_t nans;
    uint64_t var_bytes;
    struct parquet_range range;
    struct parquet_dictionary dictionary;
    uint32_t dictionary_taken; // entries in segments
    size_t dictionary_taken_bytes;
    uint64_t dictionary_values;  // that went through it
    uint64_t dictionary_plain;   // bytes they would have been
    struct parquet_chunk *chunk; // of the current row group
};

// The plain values.
static inline struct str parquet_leaf_plain(const struct parquet_leaf *leaf)
{
    size_t head = leaf->plain.size > 0 ? PARQUET_PLAIN_HEAD : 0;
    return str_make(leaf->plain.ptr + head, leaf->plain.size - head);
}

struct parquet_payload_block;

// The payloads in memory; zeroed: none.
struct parquet_payloads {
    struct parquet_payload_block *blocks; // newest first
    char *at;                             // free space of the newest
    size_t left;
    size_t bytes; // of all blocks
};

struct parquet_writer {
    struct parquet_encoder *encoder;
    struct parquet_writer_options options; // with the defaults filled in
    struct arena arena;                    // schema, groups
    struct parquet_tree tree;
    struct parquet_leaf *leaves;
    VEC(struct parquet_group) groups; // the last one is being filled, unless `ended`
    struct bytebuf bounds;            // heap of page bounds
    uint32_t bounds_taken;
    uint64_t rows;
    uint32_t segments;
    bool changed; // since the last take
    bool failed;
    bool closed;
    struct parquet_payloads payloads;
    size_t charged;
    struct parquet_writer_result result;
    struct arena result_arena;
};

static inline struct parquet_group *parquet_writer_group(struct parquet_writer *writer)
{
    return &writer->groups.items[writer->groups.count - 1];
}

// Adds an empty row group and points the leaves at its chunks.
void parquet_writer_begin_group(struct parquet_writer *writer);

// Brings what the budget is charged with up to date.
void parquet_writer_charge(struct parquet_writer *writer);

// ---- parquet_leaf.c ----

// What a column adds to a leaf: `slots` levels; their values that are not null are the rows
// places[0 ... values - 1] of the column (NULL: flat, nulls by the column's own mask).
struct parquet_slots {
    uint32_t count;
    uint32_t rows;
    const uint8_t *def; // NULL: flat
    const uint8_t *rep; // NULL where no list is above
    const uint32_t *places;
    uint32_t values;
};

// `is_column`: it stands at the top, not within a row.
void parquet_leaf_init(struct parquet_leaf *leaf, const struct parquet_node *node, bool is_column);
void parquet_leaf_release(struct parquet_leaf *leaf);
void parquet_leaf_begin_chunk(struct parquet_leaf *leaf, const struct parquet_writer *writer,
                              struct parquet_chunk *chunk);
size_t parquet_leaf_memory(const struct parquet_leaf *leaf); // without the dictionary
// Flat: rows [from, from + slots->rows) of the column.
MUST_USE enum status parquet_leaf_append(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                         const struct column *column, uint32_t from,
                                         const struct parquet_slots *slots, struct err *err);
// Ends the page begun, if any.
MUST_USE enum status parquet_leaf_flush(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                        struct err *err);
// Ends the page and the dictionary, whose page is encoded.
MUST_USE enum status parquet_leaf_end_dictionary(struct parquet_writer *writer,
                                                 struct parquet_leaf *leaf, struct err *err);

// ---- parquet_page_writer.c ----

// Encodes what the leaf holds as a page of its chunk and empties it.
MUST_USE enum status parquet_page_writer_data(struct parquet_writer *writer,
                                              struct parquet_leaf *leaf, struct err *err);
MUST_USE enum status parquet_page_writer_dictionary(struct parquet_writer *writer,
                                                    struct parquet_leaf *leaf, struct err *err);
// How a page stands in the file.
struct parquet_page_form {
    bool is_dictionary;
    bool is_compressed;
    uint32_t packed_size;
};

// The page's header, appended to `out`.
void parquet_page_writer_header(const struct parquet_writer *writer,
                                const struct parquet_page *page,
                                const struct parquet_page_form *form, struct bytebuf *out);
// The payload of a raw page as the codec has it, in the encoder's scratch until the next call.
// `is_noise`: it does not become smaller.
MUST_USE enum status parquet_page_writer_compress(struct parquet_writer *writer,
                                                  const struct parquet_page *page, struct str raw,
                                                  bool is_noise, struct str *out, struct err *err);

// ---- parquet_payload.c ----

// A copy of the bytes, which stays until the release of all of them.
char *parquet_payload_add(struct parquet_payloads *payloads, struct str bytes);
void parquet_payload_release(struct parquet_payloads *payloads);

// ---- parquet_bloom_write.c ----

struct parquet_bloom {
    char *bytes; // NULL: none
    size_t size;
};

// What the column's filter is to be; NULL: it gets none.
const struct parquet_bloom_options *parquet_bloom_write_options(const struct parquet_writer *writer,
                                                                const struct parquet_node *leaf);
// An empty filter for the chunk, in the arena.
void parquet_bloom_write_begin(struct arena *arena, const struct parquet_bloom_options *options,
                               const struct parquet_chunk *chunk, struct parquet_bloom *out);
// Adds the values of a page, whose payload is as it was kept.
MUST_USE enum status parquet_bloom_write_page(struct parquet_writer *writer,
                                              const struct parquet_node *leaf,
                                              const struct parquet_page *page, struct str payload,
                                              struct parquet_bloom *bloom, struct err *err);

// ---- parquet_shred.c ----

// A top-level column of the batch into its leaves.
MUST_USE enum status parquet_shred_column(struct parquet_writer *writer,
                                          const struct parquet_node *node,
                                          const struct column *column, struct err *err);

// ---- parquet_segment.c ----

// All that is new as one segment.
MUST_USE enum status parquet_segment_take(struct parquet_writer *writer, struct byte_sink *sink,
                                          uint64_t *size, struct err *err);
// Into a new writer.
MUST_USE enum status parquet_segment_restore(struct parquet_writer *writer,
                                             struct byte_source *const *segments,
                                             uint32_t segment_count, struct err *err);

// ---- parquet_assemble.c ----

MUST_USE enum status parquet_assemble_file(struct parquet_writer *writer,
                                           struct byte_source *const *segments,
                                           struct byte_sink *sink, struct err *err);
