// SPDX-License-Identifier: Apache-2.0
#include "expr/program_merge.h"

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

static uint64_t *new_bits(struct arena *arena, uint32_t row_count)
{
    return arena_zalloc(arena, (bits_words(row_count) + 1) * sizeof(uint64_t));
}

void program_merge_spread_bit(uint64_t *bits, uint32_t row_count)
{
    bool set = (bits[0] & 1) != 0;
    memset(bits, 0, bits_words(row_count) * sizeof *bits);
    if (set) {
        bits_fill(bits, row_count);
    }
}

uint32_t program_merge_first_row(const uint64_t *rows, uint32_t words)
{
    for (uint32_t word = 0; word < words; word++) {
        if (rows[word] != 0) {
            return word * 64 + (uint32_t)__builtin_ctzll(rows[word]);
        }
    }
    return 0;
}

// Null slots hold zero. Evaluators compute over them, so what they left is wiped, in their own
// memory only: values that are shared with an argument are zero there already.
static void wipe(const struct column *column, uint64_t rows, uint32_t word)
{
    size_t width = physical_width(column->physical);
    static const char zeros[16];
    for (; rows != 0; rows &= rows - 1) {
        uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(rows);
        union {
            const void *readable;
            char *writable;
        } values = {column->values};
        char *at = values.writable + width * row;
        if (memcmp(at, zeros, width) != 0) {
            memset(at, 0, width);
        }
    }
}

void program_merge_add_nulls(struct arena *arena, const uint64_t *active, const uint64_t *meant,
                             struct column *column)
{
    uint32_t words = bits_words(column->row_count);
    uint64_t *valid = new_bits(arena, column->row_count);
    bool own_codes = false;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t rows = word + 1 == words ? bits_tail(column->row_count) : UINT64_MAX;
        uint64_t nulls = active[word] & ~meant[word];
        valid[word] = column_valid_word(column, word) & ~nulls & rows;
        if (column->encoding == ENCODING_FLAT && column->physical != PHYSICAL_ROW) {
            wipe(column, nulls & rows, word);
        }
        own_codes |= column->encoding == ENCODING_DICT && nulls != 0;
    }
    if (own_codes) {
        uint16_t *codes = arena_copy(arena, column->codes, column->row_count * sizeof *codes);
        for (uint32_t row = 0; row < column->row_count; row++) {
            codes[row] = bits_get(valid, row) ? codes[row] : 0;
        }
        column->codes = codes;
    }
    if (column->encoding == ENCODING_CONST && (valid[0] & 1) == 0) {
        valid[0] = 0; // a single row that is null
    } else if (column->encoding == ENCODING_CONST) {
        // One value for some rows and null for others: codes into a dictionary of one.
        struct column *dict = arena_new(arena, struct column);
        *dict = *column;
        dict->encoding = ENCODING_FLAT;
        dict->row_count = 1;
        dict->valid = NULL;
        column->codes = arena_zalloc(arena, (column->row_count + 1) * sizeof(uint16_t));
        column->encoding = ENCODING_DICT;
        column->dict = dict;
        column->values = NULL;
        column->children = NULL;
        column->child_count = 0;
    }
    column->valid = valid;
}

void program_merge_used_entries(const struct column *coded, const uint64_t *active, uint64_t *used)
{
    memset(used, 0, BATCH_WORDS_MAX * sizeof *used);
    for (uint32_t word = 0; word < bits_words(coded->row_count); word++) {
        uint64_t rows = active[word] & column_valid_word(coded, word);
        for (; rows != 0; rows &= rows - 1) {
            bits_set(used, coded->codes[word * 64 + (uint32_t)__builtin_ctzll(rows)]);
        }
    }
}

uint32_t program_merge_row_of_entry(const struct column *coded, const uint64_t *active,
                                    uint32_t entry)
{
    for (uint32_t row = 0; row < coded->row_count; row++) {
        if (bits_get(active, row) && !column_is_null(coded, row) && coded->codes[row] == entry) {
            return row;
        }
    }
    return 0;
}

void program_merge_bits_by_code(const struct column *coded, const uint64_t *active,
                                uint64_t *is_true, uint64_t *is_null)
{
    uint64_t entry_true[BATCH_WORDS_MAX];
    uint64_t entry_null[BATCH_WORDS_MAX];
    size_t entry_bytes = bits_words(coded->dict->row_count) * sizeof *is_true;
    memcpy(entry_true, is_true, entry_bytes);
    memcpy(entry_null, is_null, entry_bytes);
    for (uint32_t word = 0; word < bits_words(coded->row_count); word++) {
        uint64_t trues = 0;
        uint64_t nulls = 0;
        for (uint32_t i = 0; i < 64 && word * 64 + i < coded->row_count; i++) {
            uint32_t code = coded->codes[word * 64 + i];
            trues |= (entry_true[code / 64] >> (code % 64) & 1) << i;
            nulls |= (entry_null[code / 64] >> (code % 64) & 1) << i;
        }
        uint64_t valid = column_valid_word(coded, word);
        is_true[word] = trues & valid & active[word];
        is_null[word] = ((nulls & valid) | ~valid) & active[word];
    }
}

void program_merge_column_by_code(struct arena *arena, const struct column *coded,
                                  const uint64_t *active, struct column *column)
{
    struct column *dict = arena_new(arena, struct column);
    *dict = *column;
    if (column->encoding == ENCODING_CONST) { // the same for each entry
        dict->encoding = ENCODING_FLAT;
        dict->row_count = 1;
    } else if (column->encoding == ENCODING_DICT) {
        *dict = column_flatten(arena, column);
    }
    const uint64_t *entry_valid = dict->valid;
    bool single = dict->row_count == 1;
    dict->valid = NULL;
    *column = (struct column){.physical = dict->physical,
                              .encoding = ENCODING_DICT,
                              .row_count = coded->row_count,
                              .valid = coded->valid,
                              .codes = coded->codes,
                              .dict = dict};
    if (entry_valid == NULL && !single) {
        return;
    }
    // Entries that came out null: their rows are null, with code 0.
    uint64_t *valid = new_bits(arena, coded->row_count);
    uint16_t *codes = arena_zalloc(arena, (coded->row_count + 1) * sizeof *codes);
    for (uint32_t row = 0; row < coded->row_count; row++) {
        uint16_t code = single ? 0 : coded->codes[row];
        bool is_there = bits_get(active, row) && !column_is_null(coded, row) &&
                        (entry_valid == NULL || bits_get(entry_valid, code));
        if (is_there) {
            bits_set(valid, row);
            codes[row] = code;
        }
    }
    column->valid = valid;
    column->codes = codes;
}
