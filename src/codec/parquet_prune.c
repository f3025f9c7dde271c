// SPDX-License-Identifier: Apache-2.0
//
// What a predicate leaves of a row group: nothing, by the chunks' statistics; ranges of rows, by
// the page index. Statistics that cannot be trusted or read are as if they were not there.
#include "base/assert.h"
#include "base/byte_source.h"
#include "codec/parquet_bloom.h"
#include "codec/parquet_reader_int.h"

enum { INDEX_BYTES_MAX = 16 << 20 };

// A leaf at any depth, not below a list: its values are as many as the rows.
static const struct parquet_node *find_leaf(const struct parquet_node *node, int32_t id)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct parquet_node *child = &node->children[i];
        if (child->kind == PARQUET_NODE_LEAF && child->id == id) {
            return child;
        }
        if (child->kind == PARQUET_NODE_ROW) {
            const struct parquet_node *found = find_leaf(child, id);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

static const struct parquet_node *find_output_leaf(const struct parquet_output *output, int32_t id)
{
    if (output->is_missing || output->kind == PARQUET_NODE_LEAF) {
        return !output->is_missing && output->id == id ? output->node : NULL;
    }
    const struct parquet_node *leaf = NULL;
    for (uint32_t i = 0;
         output->kind == PARQUET_NODE_ROW && leaf == NULL && i < output->child_count; i++) {
        leaf = find_output_leaf(&output->children[i], id);
    }
    return leaf;
}

// By name, or in a file without ids: the term's id is one of the projection's, which was found by
// name.
const struct parquet_node *parquet_prune_find(const struct parquet_reader *reader, int32_t id)
{
    const struct parquet_node *leaf =
        reader->options.by_name ? NULL : find_leaf(&reader->file->tree.root, id);
    for (uint32_t i = 0; leaf == NULL && i < reader->column_count; i++) {
        leaf = find_output_leaf(&reader->columns[i].output, id);
    }
    return leaf;
}

struct bound {
    int128 value[2]; // room for any value of ours
    bool known;
};

struct term {
    const struct predicate_term *term;
    const struct parquet_node *leaf;
    struct parquet_conversion conversion;
};

static bool is_nan(const struct parquet_node *leaf, struct str bytes)
{
    float narrow;
    double wide;
    if (leaf->element->physical == PARQUET_FLOAT && bytes.size == sizeof narrow) {
        memcpy(&narrow, bytes.ptr, sizeof narrow);
        return narrow != narrow;
    }
    if (leaf->element->physical == PARQUET_DOUBLE && bytes.size == sizeof wide) {
        memcpy(&wide, bytes.ptr, sizeof wide);
        return wide != wide;
    }
    return false;
}

// A bound in Parquet's form as a value of ours; not known where its size is wrong.
static void read_bound(const struct term *term, struct str bytes, struct bound *out)
{
    const struct parquet_element *element = term->leaf->element;
    struct strview view = strview_make(bytes.ptr, bytes.size);
    const void *raw = bytes.ptr;
    out->known = false;
    if (bytes.ptr == NULL || is_nan(term->leaf, bytes)) {
        return;
    }
    if (element->physical == PARQUET_BYTE_ARRAY || element->physical == PARQUET_FIXED) {
        raw = &view;
    } else if (bytes.size != term->conversion.stored_width) {
        return;
    }
    int128 aligned[2];
    memcpy(aligned, raw, term->conversion.stored_width);
    out->known = parquet_convert_run(&term->conversion, aligned, out->value, 1, NULL) == STATUS_OK;
}

// Orders that the values of the file and ours share. FLOAT16 and INT96 have orders of their own.
static bool has_our_order(const struct term *term)
{
    return term->conversion.kind != PARQUET_CONVERT_F16 &&
           term->conversion.kind != PARQUET_CONVERT_I96 &&
           term->leaf->element->logical != PARQUET_LOGICAL_GEOMETRY &&
           term->leaf->element->logical != PARQUET_LOGICAL_GEOGRAPHY;
}

// Before ColumnOrder, bounds were compared with signs whatever the type (PARQUET-251).
static bool old_bounds_hold(const struct parquet_node *leaf)
{
    const struct parquet_element *element = leaf->element;
    bool is_number = element->physical == PARQUET_INT32 || element->physical == PARQUET_INT64 ||
                     element->physical == PARQUET_FLOAT || element->physical == PARQUET_DOUBLE ||
                     element->physical == PARQUET_BOOLEAN;
    return is_number && (element->logical != PARQUET_LOGICAL_INTEGER || element->int_signed);
}

static bool group_may_match(const struct parquet_reader *reader, const struct term *term,
                            const struct parquet_group_meta *group)
{
    const struct parquet_chunk_meta *chunk = &group->chunks[term->leaf->leaf_first];
    const struct parquet_statistics *statistics = &chunk->statistics;
    struct bound lower = {.known = false};
    struct bound upper = {.known = false};
    if (!chunk->has_meta) {
        return true;
    }
    if (has_our_order(term)) {
        bool fresh = reader->file->footer.is_ordered || old_bounds_hold(term->leaf);
        bool old = statistics->lower.ptr == NULL && statistics->upper.ptr == NULL &&
                   old_bounds_hold(term->leaf);
        if (fresh) {
            read_bound(term, statistics->lower, &lower);
            read_bound(term, statistics->upper, &upper);
        }
        if (old) {
            read_bound(term, statistics->old_lower, &lower);
            read_bound(term, statistics->old_upper, &upper);
        }
    }
    struct predicate_bounds bounds = {
        .lower = lower.known ? lower.value : NULL,
        .upper = upper.known ? upper.value : NULL,
        .value_count = group->row_count,
        .null_count = statistics->null_count >= 0 ? statistics->null_count : PREDICATE_UNKNOWN,
        .nan_count = statistics->nan_count >= 0 ? statistics->nan_count : PREDICATE_UNKNOWN};
    return predicate_may_match(term->term, &bounds);
}

// ---- bloom filters ----

// `size` bytes of a filter; NULL where they are not there.
static const char *read_bloom(struct parquet_reader *reader, uint64_t offset, size_t size)
{
    struct byte_source *source = reader->file->source;
    const char *lent = byte_source_borrow(source, offset, size);
    if (lent != NULL) {
        return lent;
    }
    char *bytes = arena_alloc(&reader->group_arena, size);
    if (byte_source_read(source, offset, size, bytes, NULL) != STATUS_OK) {
        return NULL;
    }
    reader->counters.bytes_read += size;
    return bytes;
}

// Of the filter no more is read than its header and the blocks that the values belong to.
static bool bloom_may_match(struct parquet_reader *reader, const struct term *term,
                            const struct parquet_group_meta *group)
{
    uint64_t offset = (uint64_t)group->chunks[term->leaf->leaf_first].bloom_offset;
    const struct column *constants = term->term->constants;
    bool is_equal = term->term->op == PREDICATE_EQ || term->term->op == PREDICATE_IN;
    uint64_t size = reader->file->source->size;
    if (!is_equal || offset < 4 || offset >= size) {
        return true;
    }
    size_t head = size - offset < PARQUET_BLOOM_HEADER_MAX ? (size_t)(size - offset)
                                                           : PARQUET_BLOOM_HEADER_MAX;
    const char *bytes = read_bloom(reader, offset, head);
    size_t filter;
    size_t header;
    if (bytes == NULL ||
        parquet_bloom_parse(str_make(bytes, head), &filter, &header, NULL) != STATUS_OK ||
        filter > size - offset - header) {
        return true;
    }
    uint32_t count = term->term->op == PREDICATE_IN ? constants->row_count : 1;
    struct bytebuf plain = {0};
    bool may = false;
    for (uint32_t i = 0; i < count && !may; i++) {
        const char *value =
            (const char *)constants->values + i * physical_width(constants->physical);
        plain.size = 0;
        may = !parquet_convert_back(&term->conversion, term->leaf->element, value, &plain);
        if (!may) {
            uint64_t hash = parquet_bloom_hash(bytebuf_str(&plain));
            const char *block = read_bloom(
                reader, offset + header + parquet_bloom_block(filter, hash), PARQUET_BLOOM_BLOCK);
            may = block == NULL || parquet_bloom_has(block, hash);
        }
    }
    bytebuf_release(&plain);
    return may;
}

// ---- pages ----

// `size` bytes at `offset` into the group's arena; empty where they are not there or not sane.
static struct str read_index(struct parquet_reader *reader, int64_t offset, int32_t size)
{
    if (offset <= 0 || size <= 0 || size > INDEX_BYTES_MAX) {
        return str_make(NULL, 0);
    }
    const char *lent = byte_source_borrow(reader->file->source, (uint64_t)offset, (size_t)size);
    if (lent != NULL) {
        return str_make(lent, (size_t)size);
    }
    char *bytes = arena_alloc(&reader->group_arena, (size_t)size);
    if (byte_source_read(reader->file->source, (uint64_t)offset, (size_t)size, bytes, NULL) !=
        STATUS_OK) {
        return str_make(NULL, 0);
    }
    reader->counters.bytes_read += (uint64_t)size;
    return str_make(bytes, (size_t)size);
}

// The offset index of a chunk where it is whole: pages that ascend, within the chunk and the rows.
static bool read_offset_index(struct parquet_reader *reader, const struct parquet_group_meta *group,
                              uint32_t leaf, struct parquet_offset_index *out)
{
    const struct parquet_chunk_meta *chunk = &group->chunks[leaf];
    struct str bytes = read_index(reader, chunk->offset_index_offset, chunk->offset_index_size);
    if (bytes.ptr == NULL ||
        parquet_footer_offset_index(&reader->group_arena, bytes, out, NULL) != STATUS_OK ||
        out->count == 0 || out->pages[0].first_row != 0) {
        return false;
    }
    int64_t start = chunk->dictionary_offset > 0 && chunk->dictionary_offset < chunk->data_offset
                        ? chunk->dictionary_offset
                        : chunk->data_offset;
    for (uint32_t i = 0; i < out->count; i++) {
        const struct parquet_page_location *page = &out->pages[i];
        bool inside = page->offset >= start && page->size > 0 &&
                      page->offset - start <= chunk->packed_bytes &&
                      page->size <= chunk->packed_bytes - (page->offset - start) &&
                      page->first_row < group->row_count;
        bool rises = i == 0 || (page->offset > out->pages[i - 1].offset &&
                                page->first_row >= out->pages[i - 1].first_row);
        if (!inside || !rises) {
            return false;
        }
    }
    return true;
}

static bool page_may_match(const struct term *term, const struct parquet_column_index *index,
                           uint32_t page, uint64_t rows)
{
    struct bound lower = {.known = false};
    struct bound upper = {.known = false};
    bool all_null = index->null_pages[page];
    if (!all_null && has_our_order(term)) {
        read_bound(term, index->lower[page], &lower);
        read_bound(term, index->upper[page], &upper);
    }
    int64_t nulls = all_null                     ? (int64_t)rows
                    : index->null_counts != NULL ? index->null_counts[page]
                                                 : PREDICATE_UNKNOWN;
    struct predicate_bounds bounds = {
        .lower = lower.known ? lower.value : NULL,
        .upper = upper.known ? upper.value : NULL,
        .value_count = (int64_t)rows,
        .null_count = nulls,
        .nan_count = index->nan_counts != NULL ? index->nan_counts[page] : PREDICATE_UNKNOWN};
    return predicate_may_match(term->term, &bounds);
}

// Takes rows [from, to) out of the ranges.
static void cut_rows(struct parquet_reader *reader, uint64_t from, uint64_t to)
{
    uint32_t count = reader->ranges.count;
    for (uint32_t i = 0; i < count; i++) {
        struct parquet_rows range = reader->ranges.items[i];
        if (range.to <= from || range.from >= to) {
            continue;
        }
        struct parquet_rows behind = {to, range.to};
        reader->ranges.items[i].to = range.from < from ? from : range.from;
        if (behind.from < behind.to) {
            VEC_PUSH(&reader->ranges, behind);
        }
    }
}

static int compare_rows(const void *left, const void *right)
{
    uint64_t a = ((const struct parquet_rows *)left)->from;
    uint64_t b = ((const struct parquet_rows *)right)->from;
    return (a > b) - (a < b);
}

static void tidy_ranges(struct parquet_reader *reader)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reader->ranges.count; i++) {
        if (reader->ranges.items[i].from < reader->ranges.items[i].to) {
            reader->ranges.items[kept++] = reader->ranges.items[i];
        }
    }
    reader->ranges.count = kept;
    if (kept > 1) {
        qsort(reader->ranges.items, kept, sizeof *reader->ranges.items, compare_rows);
    }
}

static void prune_pages(struct parquet_reader *reader, const struct term *term,
                        const struct parquet_group_meta *group)
{
    uint32_t leaf = term->leaf->leaf_first;
    const struct parquet_chunk_meta *chunk = &group->chunks[leaf];
    struct parquet_offset_index offsets;
    struct parquet_column_index index;
    struct str bytes = read_index(reader, chunk->column_index_offset, chunk->column_index_size);
    if (bytes.ptr == NULL ||
        parquet_footer_column_index(&reader->group_arena, bytes, &index, NULL) != STATUS_OK ||
        !read_offset_index(reader, group, leaf, &offsets) || index.count != offsets.count) {
        return;
    }
    for (uint32_t i = 0; i < offsets.count; i++) {
        uint64_t from = (uint64_t)offsets.pages[i].first_row;
        uint64_t to = i + 1 < offsets.count ? (uint64_t)offsets.pages[i + 1].first_row
                                            : (uint64_t)group->row_count;
        if (!page_may_match(term, &index, i, to - from)) {
            cut_rows(reader, from, to);
        }
    }
    tidy_ranges(reader);
}

static void load_offsets(struct parquet_reader *reader, const struct parquet_group_meta *group)
{
    bool whole = reader->ranges.count == 1 && reader->ranges.items[0].from == 0 &&
                 reader->ranges.items[0].to == (uint64_t)group->row_count;
    for (uint32_t i = 0; i < reader->leaf_count; i++) {
        struct parquet_leaf_reader *leaf = reader->leaves[i];
        leaf->pages.index = (struct parquet_offset_index){0};
        // With a filter, the rows that are wanted of other columns are not known yet.
        bool picked = !whole || (reader->filter_count > 0 && leaf->term_count == 0);
        if (picked &&
            !read_offset_index(reader, group, leaf->node->leaf_first, &leaf->pages.index)) {
            leaf->pages.index.count = 0;
        }
    }
}

enum status parquet_prune_group(struct parquet_reader *reader, uint32_t group_at, struct err *err)
{
    const struct parquet_group_meta *group = &reader->file->footer.groups[group_at];
    const struct predicate *predicate = reader->options.predicate;
    uint32_t count = predicate != NULL ? predicate->term_count : 0;
    (void)err;
    arena_reset(&reader->group_arena);
    reader->ranges.count = 0;
    if (group->row_count > 0) {
        struct parquet_rows all = {0, (uint64_t)group->row_count};
        VEC_PUSH(&reader->ranges, all);
    }
    // All statistics before any bloom filter, these before any page (dictionaries come between,
    // in parquet_filter.c).
    for (uint32_t pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < count && reader->ranges.count > 0; i++) {
            struct term term = {.term = &predicate->terms[i]};
            term.leaf = parquet_prune_find(reader, term.term->column_id);
            if (term.leaf == NULL || parquet_convert_choose(term.leaf, term.term->type,
                                                            &term.conversion, NULL) != STATUS_OK) {
                continue;
            }
            if (pass == 2) {
                prune_pages(reader, &term, group);
            } else if (!(pass == 0 ? group_may_match(reader, &term, group)
                                   : bloom_may_match(reader, &term, group))) {
                reader->ranges.count = 0;
            }
        }
    }
    uint64_t left = 0;
    for (uint32_t i = 0; i < reader->ranges.count; i++) {
        left += reader->ranges.items[i].to - reader->ranges.items[i].from;
    }
    reader->counters.rows_pruned += (uint64_t)group->row_count - left;
    load_offsets(reader, group);
    return STATUS_OK;
}
