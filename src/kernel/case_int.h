// SPDX-License-Identifier: Apache-2.0
//
// case_int: columns written and read as text, for the tests of kernels. Every input is tried in
// each encoding: FLAT, as a dictionary, as a slice, and its rows one by one as constants.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "data/column_builder.h"
#include "data/text.h"
#include "kernel/cast.h"

enum case_encoding { CASE_FLAT, CASE_DICT, CASE_SLICE, CASE_ENCODINGS };

static inline int case_open(void **state)
{
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static inline int case_close(void **state)
{
    arena_release(*state);
    return 0;
}

static inline void case_sound(const struct column *column)
{
    struct err err = {0};
    if (column_check(column, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
}

// A FLAT column of values given as text; NULL is null.
static inline struct column case_column(struct arena *arena, const struct type *type,
                                        const char *const *texts, uint32_t count)
{
    struct column_builder *builder = column_builder_new(arena, &type_string, count);
    for (uint32_t i = 0; i < count; i++) {
        if (texts[i] == NULL) {
            column_builder_null(builder);
        } else {
            column_builder_string(builder, str_from(texts[i]));
        }
    }
    struct column strings = column_builder_finish(builder);
    struct column out;
    struct kernel_run run = {.arena = arena, .row_count = count};
    struct cast_types types = {.from = &type_string, .to = type};
    cast_column(&run, &types, &strings, &out);
    assert_null(run.failed);
    return out;
}

static inline struct column case_one(struct arena *arena, const struct type *type, const char *text)
{
    struct column column = case_column(arena, type, &text, 1);
    return column_at_row(arena, &column, 0, 1);
}

// The same values in another encoding.
static inline struct column case_encode(struct arena *arena, const struct column *flat,
                                        enum case_encoding encoding)
{
    uint32_t count = flat->row_count;
    if (encoding == CASE_DICT) {
        // All values in reverse order, and nulls by code 0.
        struct column *dict = arena_copy(arena, flat, sizeof *flat);
        uint16_t *rows = arena_alloc(arena, sizeof *rows * (count + 1));
        uint16_t *codes = arena_zalloc(arena, sizeof *codes * (count + 1));
        for (uint32_t i = 0; i < count; i++) {
            rows[i] = (uint16_t)(count - 1 - i);
            codes[i] = column_is_null(flat, i) ? 0 : (uint16_t)(count - 1 - i);
        }
        dict->valid = NULL;
        *dict = column_gather(arena, dict, rows, count);
        return (struct column){.physical = flat->physical,
                               .encoding = ENCODING_DICT,
                               .row_count = count,
                               .valid = flat->valid,
                               .codes = codes,
                               .dict = dict};
    }
    if (encoding == CASE_SLICE) {
        struct column twice[] = {*flat, *flat};
        struct column all = column_concat(arena, twice, 2);
        return column_slice(arena, &all, count, count);
    }
    return *flat;
}

static inline void case_expect(const struct type *type, const struct column *column, uint32_t row,
                               const char *expected)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    if (expected == NULL) {
        expected = "NULL";
    }
    text_value(&text, type, column, row, NULL);
    if (strcmp(text.ptr, expected) != 0) {
        fail_msg("row %u: \"%s\", expected \"%s\"", row, text.ptr, expected);
    }
    strbuf_release(&text);
}
