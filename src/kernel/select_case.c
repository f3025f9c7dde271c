// SPDX-License-Identifier: Apache-2.0
//
// Rows are first given to branches, then values are copied branch by branch. Where all branches are
// constants the result is a dictionary of their values, and nothing is copied a row.
#include "kernel/select_case.h"

#include "base/arena.h"
#include "base/assert.h"

// The rows that branch i takes, of those that are left; they are taken out of `left`.
static uint64_t *take_rows(struct arena *arena, const uint64_t *mask, uint32_t row_count,
                           uint64_t *left)
{
    uint32_t words = bits_words(row_count);
    uint64_t *rows = arena_alloc(arena, (words + 1) * sizeof *rows);
    for (uint32_t word = 0; word < words; word++) {
        rows[word] = left[word] & (mask == NULL ? UINT64_MAX : mask[word]);
        left[word] &= ~rows[word];
    }
    return rows;
}

static bool is_null_const(const struct column *column)
{
    return column->encoding == ENCODING_CONST && column_has_nulls(column);
}

static bool is_nested(const struct column *column)
{
    return column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP ||
           column->physical == PHYSICAL_ROW;
}

static bool all_const(const struct select_case *cases, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (cases[i].column->encoding != ENCODING_CONST || is_nested(cases[i].column)) {
            return false;
        }
    }
    return count <= BATCH_ROWS_MAX;
}

static void set_codes(uint16_t *codes, const uint64_t *rows, uint32_t row_count, uint16_t code)
{
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
            codes[word * 64 + (uint32_t)__builtin_ctzll(bits)] = code;
        }
    }
}

static struct column blend_consts(struct arena *arena, const struct select_case *cases,
                                  uint64_t *const *rows, uint32_t count, uint32_t row_count)
{
    enum physical physical = cases[0].column->physical;
    size_t width = physical_width(physical);
    struct column *dict = arena_new(arena, struct column);
    char *values = arena_alloc64(arena, width * count);
    uint16_t *codes = arena_zalloc(arena, sizeof *codes * row_count);
    uint64_t *valid = arena_zalloc(arena, (bits_words(row_count) + 1) * sizeof *valid);
    uint32_t entries = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (is_null_const(cases[i].column)) {
            continue;
        }
        memcpy(values + width * entries, cases[i].column->values, width);
        set_codes(codes, rows[i], row_count, (uint16_t)entries);
        for (uint32_t word = 0; word < bits_words(row_count); word++) {
            valid[word] |= rows[i][word];
        }
        entries++;
    }
    if (entries == 0) {
        return column_null(arena, cases[0].column, row_count);
    }
    *dict = (struct column){.physical = physical, .row_count = entries, .values = values};
    return (struct column){.physical = physical,
                           .encoding = ENCODING_DICT,
                           .row_count = row_count,
                           .valid = valid,
                           .codes = codes,
                           .dict = dict};
}

// Writes the values of `rows` and their validity.
static void copy_rows(const struct column *from, const uint64_t *rows, uint32_t row_count,
                      char *values, uint64_t *valid)
{
    size_t width = physical_width(from->physical);
    const char *source = column_holder(from)->values;
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t usable = rows[word] & column_valid_word(from, word);
        valid[word] |= usable;
        for (uint64_t bits = usable; bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            memcpy(values + width * row, source + width * column_at(from, row), width);
        }
    }
}

static struct column blend_flat(struct arena *arena, const struct select_case *cases,
                                uint64_t *const *rows, uint32_t count, uint32_t row_count)
{
    enum physical physical = cases[0].column->physical;
    char *values = arena_zalloc(arena, physical_width(physical) * row_count + 1);
    uint64_t *valid = arena_zalloc(arena, (bits_words(row_count) + 1) * sizeof *valid);
    for (uint32_t i = 0; i < count; i++) {
        copy_rows(cases[i].column, rows[i], row_count, values, valid);
    }
    bool no_nulls = bits_count(valid, row_count) == row_count;
    return (struct column){.physical = physical,
                           .row_count = row_count,
                           .valid = no_nulls ? NULL : valid,
                           .values = values};
}

// Nested branches: all columns one after the other, then the rows picked out. Positions may be
// beyond 16 bits, so branches are gathered one by one first.
static struct column blend_nested(struct arena *arena, const struct select_case *cases,
                                  uint64_t *const *rows, uint32_t count, uint32_t row_count)
{
    struct column *parts = arena_new_array(arena, struct column, count + 1);
    uint16_t *order = arena_zalloc(arena, sizeof *order * row_count);
    uint16_t *positions = arena_alloc(arena, sizeof *positions * row_count);
    uint32_t base = 0;
    uint64_t *found = arena_zalloc(arena, (bits_words(row_count) + 1) * sizeof *found);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t taken = bits_positions(rows[i], row_count, positions);
        uint16_t *copy = arena_copy(arena, positions, sizeof *positions * taken);
        parts[i] = column_gather(arena, cases[i].column, copy, taken);
        for (uint32_t at = 0; at < taken; at++) {
            order[copy[at]] = (uint16_t)(base + at);
            bits_set(found, copy[at]);
        }
        base += taken;
    }
    parts[count] = column_null(arena, cases[0].column, 1); // for rows without a branch
    for (uint32_t row = 0; row < row_count; row++) {
        order[row] = bits_get(found, row) ? order[row] : (uint16_t)base;
    }
    struct column all = column_concat(arena, parts, count + 1);
    return column_gather(arena, &all, order, row_count);
}

struct column select_case_blend(struct arena *arena, const struct select_case *cases,
                                uint32_t count, uint32_t row_count)
{
    ASSERT(count > 0 && row_count <= BATCH_ROWS_MAX);
    uint64_t left[BATCH_WORDS_MAX];
    bits_fill(left, row_count);
    uint64_t **rows = arena_alloc(arena, sizeof *rows * count);
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = take_rows(arena, cases[i].mask, row_count, left);
        if (bits_count(rows[i], row_count) == row_count) {
            return *cases[i].column;
        }
    }
    if (all_const(cases, count)) {
        return blend_consts(arena, cases, rows, count, row_count);
    }
    return is_nested(cases[0].column) ? blend_nested(arena, cases, rows, count, row_count)
                                      : blend_flat(arena, cases, rows, count, row_count);
}
