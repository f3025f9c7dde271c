// SPDX-License-Identifier: Apache-2.0
//
// cast, the part that chooses: which casts there are, which loop does one, and nested types.
#include "kernel/cast.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "data/column_builder.h"
#include "data/text.h"
#include "data/type.h"
#include "kernel/cast_int.h"

enum { NESTED_TEXT_MAX = 1 << 24 }; // of one value as text

static bool nested_is_known(const struct type *from, const struct type *to)
{
    if (from->kind != to->kind || from->field_count != to->field_count) {
        return false;
    }
    for (uint32_t i = 0; i < from->field_count; i++) {
        if (!type_equal_nullability_aside(from->fields[i].type, to->fields[i].type) &&
            !cast_is_known(from->fields[i].type, to->fields[i].type)) {
            return false;
        }
    }
    return true;
}

bool cast_is_known(const struct type *from, const struct type *to)
{
    static const uint32_t exact = 1U << TYPE_BOOLEAN | 1U << TYPE_TINYINT | 1U << TYPE_SMALLINT |
                                  1U << TYPE_INT | 1U << TYPE_BIGINT | 1U << TYPE_DECIMAL;
    static const uint32_t approximate = 1U << TYPE_FLOAT | 1U << TYPE_DOUBLE;
    static const uint32_t text = 1U << TYPE_CHAR | 1U << TYPE_VARCHAR;
    static const uint32_t bytes = 1U << TYPE_BINARY | 1U << TYPE_VARBINARY;
    static const uint32_t stamps = 1U << TYPE_TIMESTAMP | 1U << TYPE_TIMESTAMP_LTZ;
    static const uint32_t numbers = exact | approximate;
    static const uint32_t targets[] = {
        [TYPE_BOOLEAN] = numbers | text,
        [TYPE_TINYINT] = numbers | text,
        [TYPE_SMALLINT] = numbers | text,
        [TYPE_INT] = numbers | text | 1U << TYPE_INTERVAL_MONTH,
        [TYPE_BIGINT] = numbers | text,
        [TYPE_DECIMAL] = numbers | text,
        [TYPE_FLOAT] = numbers | text,
        [TYPE_DOUBLE] = numbers | text,
        [TYPE_CHAR] = numbers | text | bytes | stamps | 1U << TYPE_DATE | 1U << TYPE_TIME,
        [TYPE_VARCHAR] = numbers | text | bytes | stamps | 1U << TYPE_DATE | 1U << TYPE_TIME,
        [TYPE_BINARY] = text | bytes,
        [TYPE_VARBINARY] = text | bytes,
        [TYPE_DATE] = text | stamps | 1U << TYPE_DATE,
        [TYPE_TIME] = text | stamps | 1U << TYPE_TIME,
        [TYPE_TIMESTAMP] = text | stamps | 1U << TYPE_DATE | 1U << TYPE_TIME,
        [TYPE_TIMESTAMP_LTZ] = text | stamps | 1U << TYPE_DATE | 1U << TYPE_TIME,
        [TYPE_INTERVAL_MONTH] =
            text | 1U << TYPE_INT | 1U << TYPE_DECIMAL | 1U << TYPE_INTERVAL_MONTH,
        [TYPE_INTERVAL_SECOND] = text | 1U << TYPE_INTERVAL_SECOND,
        [TYPE_RAW] = 0,
    };
    if (from->kind == TYPE_NULL) {
        return true;
    }
    if (type_is_nested(from)) {
        return type_is_character(to) || nested_is_known(from, to);
    }
    return (targets[from->kind] >> to->kind & 1) != 0;
}

// ---- nested types

// All of a column's values in rows of their own, without an encoding.
struct nested_call {
    struct kernel_run *run;
    const struct cast_types *types;
};

static void text_of_nested(const struct nested_call *call, const struct column *in,
                           struct column *out)
{
    struct arena *arena = call->run->arena;
    const struct text_options options = {.zone = call->types->zone, .bytes_as_characters = true};
    struct strview *views = arena_zalloc(arena, sizeof *views * in->row_count + 1);
    struct strbuf text;
    strbuf_init(&text, NESTED_TEXT_MAX);
    for (uint32_t row = 0; row < in->row_count; row++) {
        if (column_is_null(in, row)) {
            continue;
        }
        strbuf_reset(&text);
        text_value(&text, call->types->from, in, row, &options);
        struct str decoded = cast_text_decode(strbuf_str(&text), arena);
        struct str fitted = cast_text_fit(call->types->to, decoded, arena);
        struct str copy = arena_str(arena, fitted);
        views[row] = strview_make(copy.ptr, copy.size);
    }
    strbuf_release(&text);
    *out = (struct column){.physical = PHYSICAL_STRING,
                           .row_count = in->row_count,
                           .valid = in->valid,
                           .values = views};
}

// Casts child `i`; returns the rows of the child that failed, or NULL.
static const uint64_t *cast_child(const struct nested_call *call, const struct column *child,
                                  uint32_t i, struct column *out)
{
    struct kernel_run run = {.arena = call->run->arena, .row_count = child->row_count};
    const struct cast_types types = {.from = call->types->from->fields[i].type,
                                     .to = call->types->to->fields[i].type,
                                     .zone = call->types->zone};
    if (type_equal_nullability_aside(types.from, types.to)) {
        *out = *child;
        return NULL;
    }
    cast_column(&run, &types, child, out);
    if (run.failed != NULL && call->run->failure == NULL) {
        call->run->failure = run.failure;
    }
    return run.failed;
}

// A row fails where one of its elements does.
static void fail_lists(const struct column *in, const uint64_t *failed, uint64_t *rows)
{
    const struct list_view *views = in->values;
    for (uint32_t row = 0; row < in->row_count; row++) {
        for (uint32_t i = 0; i < views[row].length; i++) {
            if (bits_get(failed, views[row].offset + i)) {
                bits_set(rows, row);
            }
        }
    }
}

static void cast_children(const struct nested_call *call, const struct column *in,
                          struct column *out)
{
    struct kernel_run *run = call->run;
    uint32_t words = bits_words(in->row_count);
    uint64_t *rows = arena_zalloc(run->arena, (words + 1) * sizeof *rows);
    struct column *children = arena_new_array(run->arena, struct column, in->child_count);
    *out = *in;
    for (uint32_t i = 0; i < in->child_count; i++) {
        if (i >= call->types->from->field_count) { // the counts of a MULTISET
            children[i] = in->children[i];
            continue;
        }
        const uint64_t *failed = cast_child(call, &in->children[i], i, &children[i]);
        if (failed == NULL) {
            continue;
        }
        if (in->physical != PHYSICAL_ROW) {
            fail_lists(in, failed, rows);
            continue;
        }
        for (uint32_t word = 0; word < words; word++) {
            rows[word] |= failed[word];
        }
    }
    out->children = children;
    kernel_fail(run, rows, run->failure);
    kernel_make_null(run, rows, out);
}

static void cast_nested(const struct nested_call *call, const struct column *in, struct column *out)
{
    if (in->encoding == ENCODING_CONST) {
        struct column one = *in;
        struct kernel_run run = {.arena = call->run->arena, .row_count = 1};
        one.encoding = ENCODING_FLAT;
        one.row_count = 1;
        cast_nested(&(struct nested_call){&run, call->types}, &one, out);
        if (run.failed != NULL) {
            uint64_t *all = arena_zalloc(run.arena, (bits_words(in->row_count) + 1) * sizeof *all);
            bits_fill(all, in->row_count);
            kernel_fail(call->run, all, run.failure);
        }
        *out = column_at_row(call->run->arena, out, 0, in->row_count);
        return;
    }
    struct column flat = *in;
    if (in->encoding == ENCODING_DICT) {
        flat = column_concat(call->run->arena, in, 1);
    }
    if (type_is_character(call->types->to)) {
        text_of_nested(call, &flat, out);
    } else {
        cast_children(call, &flat, out);
    }
}

void cast_column(struct kernel_run *run, const struct cast_types *types, const struct column *in,
                 struct column *out)
{
    if (types->from->kind == TYPE_NULL) {
        *out = column_builder_all_null(run->arena, types->to, run->row_count);
        return;
    }
    if (type_is_nested(types->from)) {
        cast_nested(&(struct nested_call){run, types}, in, out);
        return;
    }
    struct cast_options options = {.from = types->from,
                                   .to = types->to,
                                   .zone = types->zone,
                                   .from_physical = in->physical,
                                   .to_physical = type_physical(types->to)};
    struct kernel_shape shape = {.options = &options, .out = options.to_physical};
    bool is_same =
        types->from->kind == types->to->kind &&
        (types->from->kind == TYPE_INTERVAL_SECOND || types->from->kind == TYPE_INTERVAL_MONTH);
    if (is_same) {
        *out = *in;
        return;
    }
    if (cast_number_shape(&options, &shape) || cast_text_shape(&options, &shape) ||
        cast_time_shape(&options, &shape)) {
        kernel_map(run, &shape, in, 1, out);
        cast_number_fail(run, &options, in);
        return;
    }
    UNREACHABLE("a cast that cast_is_known() refuses");
}
