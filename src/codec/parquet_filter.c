// SPDX-License-Identifier: Apache-2.0
//
// Rows that the predicate leaves out, found before any other column is looked at: the leaves of its
// terms are decoded window by window, those of the rows that match stay in their vectors.
#include <stdlib.h>

#include "base/assert.h"
#include "codec/parquet_reader_int.h"
#include "kernel/compare.h"

enum {
    WINDOW_ROWS = PARQUET_WINDOW_ROWS,
    WINDOW_WORDS = WINDOW_ROWS / 64,
    SPAN_BYTES_MAX = 16 << 20, // of strings of the terms' leaves
};

// ---- the terms ----

// A leaf that is read anyway, in the form in which the term has its constants.
static struct parquet_leaf_reader *find_reader(const struct parquet_reader *reader,
                                               const struct parquet_node *node,
                                               const struct parquet_conversion *conversion)
{
    for (uint32_t i = 0; i < reader->leaf_count; i++) {
        struct parquet_leaf_reader *leaf = reader->leaves[i];
        const struct parquet_conversion *has = &leaf->conversion;
        if (leaf->node == node && !leaf->levels_only && !leaf->is_copied &&
            has->kind == conversion->kind && has->target == conversion->target &&
            has->multiply == conversion->multiply && has->divide == conversion->divide) {
            return leaf;
        }
    }
    return NULL;
}

static struct parquet_leaf_reader *add_reader(struct parquet_reader *reader,
                                              const struct parquet_node *node,
                                              const struct parquet_conversion *conversion)
{
    const struct parquet_node *root = &reader->file->tree.root;
    struct parquet_leaf_reader *leaf = arena_new(&reader->arena, struct parquet_leaf_reader);
    leaf->reader = reader;
    leaf->node = node;
    leaf->nested = !(node >= root->children && node < root->children + root->child_count);
    leaf->conversion = *conversion;
    reader->leaves[reader->leaf_count++] = leaf;
    return leaf;
}

static void add_term(struct parquet_reader *reader, const struct predicate_term *term)
{
    struct parquet_conversion conversion;
    const struct parquet_node *node = parquet_prune_find(reader, term->column_id);
    if (node == NULL || parquet_convert_choose(node, term->type, &conversion, NULL) != STATUS_OK) {
        return;
    }
    struct parquet_leaf_reader *leaf = find_reader(reader, node, &conversion);
    leaf = leaf != NULL ? leaf : add_reader(reader, node, &conversion);
    if (leaf->term_count == 0) {
        uint32_t count = reader->options.predicate->term_count;
        leaf->terms = arena_new_array(&reader->arena, const struct predicate_term *, count);
        reader->filters[reader->filter_count++] = leaf;
    }
    leaf->terms[leaf->term_count++] = term;
}

void parquet_filter_build(struct parquet_reader *reader)
{
    const struct predicate *predicate = reader->options.predicate;
    uint32_t count = predicate != NULL && reader->options.filter ? predicate->term_count : 0;
    if (count == 0) {
        return;
    }
    struct parquet_leaf_reader **leaves =
        arena_new_array(&reader->arena, struct parquet_leaf_reader *, reader->leaf_count + count);
    memcpy(leaves, reader->leaves, reader->leaf_count * sizeof(struct parquet_leaf_reader *));
    reader->leaves = leaves;
    reader->filters = arena_new_array(&reader->arena, struct parquet_leaf_reader *, count);
    for (uint32_t i = 0; i < count; i++) {
        add_term(reader, &predicate->terms[i]);
    }
    reader->selection.bits = arena_new_array(&reader->arena, uint64_t, PARQUET_SPAN_ROWS / 64 + 1);
    reader->selection.positions =
        arena_new_array(&reader->arena, uint64_t, BATCH_ROWS_MAX + WINDOW_ROWS);
}

// ---- evaluation ----

static void match_prefix(const struct strview *prefix, const struct column *column,
                         const uint64_t *active, uint64_t *is_true)
{
    struct str start = strview_str(prefix);
    memset(is_true, 0, bits_words(column->row_count) * sizeof *is_true);
    for (uint32_t i = 0; i < column->row_count; i++) {
        if (bits_get(active, i) && !column_is_null(column, i)) {
            struct str text = strview_str(column_value(column, i));
            if (text.size >= start.size && memcmp(text.ptr, start.ptr, start.size) == 0) {
                bits_set(is_true, i);
            }
        }
    }
}

// Rows of which the term is true. Only those that are active are looked at.
static void match_term(const struct predicate_term *term, const struct column *column,
                       const uint64_t *active, uint64_t *out)
{
    static const enum compare_op ops[] = {
        [PREDICATE_EQ] = COMPARE_EQ, [PREDICATE_NE] = COMPARE_NE, [PREDICATE_LT] = COMPARE_LT,
        [PREDICATE_LE] = COMPARE_LE, [PREDICATE_GT] = COMPARE_GT, [PREDICATE_GE] = COMPARE_GE,
        [PREDICATE_IN] = COMPARE_EQ};
    uint32_t words = bits_words(column->row_count);
    if (term->op == PREDICATE_IS_NULL || term->op == PREDICATE_IS_NOT_NULL) {
        for (uint32_t i = 0; i < words; i++) {
            uint64_t valid = column_valid_word(column, i);
            out[i] = active[i] & (term->op == PREDICATE_IS_NULL ? ~valid : valid);
        }
        return;
    }
    if (term->op == PREDICATE_STARTS_WITH) {
        match_prefix(term->constants->values, column, active, out);
        return;
    }
    memset(out, 0, words * sizeof *out);
    uint32_t count = term->op == PREDICATE_IN ? term->constants->row_count : 1;
    size_t width = physical_width(term->constants->physical);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t is_true[WINDOW_WORDS];
        uint64_t is_null[WINDOW_WORDS];
        const struct column constant = {.physical = term->constants->physical,
                                        .encoding = ENCODING_CONST,
                                        .row_count = column->row_count,
                                        .values =
                                            (const char *)term->constants->values + i * width};
        compare_columns(ops[term->op], column, &constant, active, is_true, is_null);
        for (uint32_t j = 0; j < words; j++) {
            out[j] |= is_true[j];
        }
    }
}

static void match_terms(const struct parquet_leaf_reader *leaf, const struct column *column,
                        uint64_t *bits)
{
    for (uint32_t i = 0; i < leaf->term_count; i++) {
        uint64_t matching[WINDOW_WORDS];
        match_term(leaf->terms[i], column, bits, matching);
        memcpy(bits, matching, bits_words(column->row_count) * sizeof *bits);
    }
}

// The last `count` slots of a flat leaf.
static void match_flat(const struct parquet_leaf_reader *leaf, uint32_t count, uint64_t *bits)
{
    const struct parquet_vector *vector = &leaf->vector;
    uint32_t first = vector->slots - count;
    uint64_t valid[WINDOW_WORDS];
    struct column column = {.physical = leaf->conversion.target, .row_count = count};
    if (vector->has_nulls) {
        bits_slice((const uint64_t *)(const void *)vector->valid.ptr, first, count, valid);
        column.valid = valid;
    }
    if (vector->is_dict) {
        column.encoding = ENCODING_DICT;
        column.codes = (const uint16_t *)(const void *)vector->codes.ptr + first;
        column.dict = &leaf->dictionary_column;
    } else {
        column.values = vector->values.ptr + (size_t)first * leaf->conversion.target_width;
    }
    match_terms(leaf, &column, bits);
}

// The same of one within rows: its values stand one behind the other.
static void match_nested(struct parquet_leaf_reader *leaf, uint32_t count, uint64_t *bits)
{
    const struct parquet_vector *vector = &leaf->vector;
    const uint8_t *def = (const uint8_t *)vector->def.ptr + vector->entries - count;
    uint8_t max = leaf->node->def_level;
    uint32_t width = leaf->conversion.target_width;
    struct parquet_reader *reader = leaf->reader;
    uint64_t valid[WINDOW_WORDS] = {0};
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        valid[i / 64] |= (uint64_t)(def[i] == max) << (i % 64);
        values += def[i] == max;
    }
    // Spread out; nulls hold zeros.
    const char *from = vector->values.ptr + (size_t)(vector->values_held - values) * width;
    reader->scratch.size = 0;
    char *spread = bytebuf_reserve(&reader->scratch, (size_t)count * width);
    memset(spread, 0, (size_t)count * width);
    for (uint32_t i = 0, value = 0; i < count; i++) {
        if (bits_get(valid, i)) {
            memcpy(spread + (size_t)i * width, from + (size_t)value++ * width, width);
        }
    }
    const struct column column = {.physical = leaf->conversion.target,
                                  .row_count = count,
                                  .valid = values < count ? valid : NULL,
                                  .values = spread};
    match_terms(leaf, &column, bits);
}

// ---- dictionaries ----

static bool has_matching_entry(const struct parquet_leaf_reader *leaf)
{
    const struct column *all = &leaf->dictionary_column;
    for (uint32_t at = 0; at < all->row_count; at += WINDOW_ROWS) {
        uint32_t left = all->row_count - at;
        uint64_t bits[WINDOW_WORDS];
        const struct column part = {.physical = all->physical,
                                    .row_count = left < WINDOW_ROWS ? left : WINDOW_ROWS,
                                    .values = (const char *)all->values +
                                              (size_t)at * leaf->conversion.target_width};
        bits_fill(bits, part.row_count);
        match_terms(leaf, &part, bits);
        if (bits_any(bits, part.row_count)) {
            return true;
        }
    }
    return false;
}

enum status parquet_filter_dictionaries(struct parquet_reader *reader, bool *may_match,
                                        struct err *err)
{
    *may_match = true;
    for (uint32_t i = 0; i < reader->filter_count && *may_match; i++) {
        struct parquet_leaf_reader *leaf = reader->filters[i];
        bool takes_null = false;
        for (uint32_t j = 0; j < leaf->term_count; j++) {
            takes_null |= leaf->terms[j]->op == PREDICATE_IS_NULL;
        }
        if (leaf->chunk->is_dictionary && !takes_null) {
            TRY(parquet_pages_dictionary(leaf, err));
            *may_match = !leaf->has_dictionary || has_matching_entry(leaf);
        }
    }
    return STATUS_OK;
}

// ---- windows ----

// Sets the bits of those of `count` rows from `row` on that match, which the leaves keep.
static enum status filter_window(struct parquet_reader *reader, uint64_t row, uint32_t count,
                                 uint64_t *bits, struct err *err)
{
    uint32_t used = 0;
    bits_fill(bits, count);
    while (used < reader->filter_count && bits_any(bits, count)) {
        struct parquet_leaf_reader *leaf = reader->filters[used++];
        if (leaf->row < row) {
            TRY(parquet_values_seek(leaf, row, err));
        }
        TRY(parquet_values_append(leaf, count, err));
        if (leaf->nested) {
            match_nested(leaf, count, bits);
        } else {
            match_flat(leaf, count, bits);
        }
    }
    const struct parquet_exclusion *exclusion = &reader->options.exclusion;
    if (exclusion->exclude != NULL && bits_any(bits, count)) {
        uint64_t first = reader->file->first_rows[reader->group];
        exclusion->exclude(exclusion->owner, first + row, count, bits);
    }
    uint16_t rows[WINDOW_ROWS];
    const struct parquet_kept kept = {.rows = rows, .count = bits_positions(bits, count, rows)};
    for (uint32_t i = 0; i < used && kept.count < count; i++) {
        parquet_select_keep(reader->filters[i], count, &kept);
    }
    return STATUS_OK;
}

// So many that about a batch of matching rows is reached, if they go on as densely.
static uint32_t window_rows(const struct parquet_selection *selection, uint32_t batch_rows,
                            uint64_t left)
{
    uint64_t count = WINDOW_ROWS;
    if (selection->count > 0) {
        uint64_t more = batch_rows - selection->count;
        uint64_t need = (more * selection->span / selection->count + 63) / 64 * 64;
        count = need < count ? need : count;
    }
    return (uint32_t)(count < left ? count : left);
}

enum status parquet_filter_next(struct parquet_reader *reader, uint64_t end, struct err *err)
{
    struct parquet_selection *selection = &reader->selection;
    uint64_t var_bytes = 0;
    selection->from = reader->row;
    selection->span = 0;
    selection->count = 0;
    for (uint32_t i = 0; i < reader->filter_count; i++) {
        parquet_values_reset(reader->filters[i]);
    }
    while (reader->row < end && selection->count < reader->options.batch_rows &&
           selection->span < PARQUET_SPAN_ROWS && var_bytes < SPAN_BYTES_MAX) {
        uint64_t *bits = selection->bits + selection->span / 64;
        uint64_t left = end - reader->row;
        uint32_t room = PARQUET_SPAN_ROWS - selection->span;
        uint32_t count =
            window_rows(selection, reader->options.batch_rows, left < room ? left : room);
        TRY(filter_window(reader, reader->row, count, bits, err));
        for (uint32_t word = 0; word < bits_words(count); word++) {
            for (uint64_t here = bits[word]; here != 0; here &= here - 1) {
                uint32_t bit = (uint32_t)__builtin_ctzll(here);
                selection->positions[selection->count++] = reader->row + word * 64 + bit;
            }
        }
        reader->row += count;
        selection->span += count;
        var_bytes = 0;
        for (uint32_t i = 0; i < reader->filter_count; i++) {
            var_bytes += reader->filters[i]->vector.var_bytes;
        }
    }
    reader->counters.rows_filtered += selection->span - selection->count;
    for (uint32_t i = 0; i < reader->filter_count; i++) {
        parquet_values_place(reader->filters[i]);
    }
    return STATUS_OK;
}
