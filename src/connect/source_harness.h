// SPDX-License-Identifier: Apache-2.0
//
// source_harness: for tests of sources only: a table made by hand, a scan of it, a reader, and its
// rows as text. One test has one harness; everything is released by harness_release().
//
//     harness_init(&h);
//     harness_column(&h, "id", &type_int);
//     harness_option(&h, "connector", "filesystem");
//     harness_open(&h, &filesystem_source_class);
//     assert_string_equal(harness_read_all(&h), "+I 1\n+I 2\n");
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/batch.h"
#include "exec/op.h"
#include "exec/source.h"
#include "plan/plan.h"
#include "sys/clock.h"
#include "sys/waker.h"

enum { HARNESS_COLUMNS = 32, HARNESS_OPTIONS = 48 };

struct harness_clock {
    struct clock clock;
    int64_t now_us;
};

struct harness {
    struct arena arena;
    struct table_def def;
    struct table_column columns[HARNESS_COLUMNS];
    struct table_option options[HARNESS_OPTIONS];
    struct plan_node scan;
    struct plan_column plan_columns[HARNESS_COLUMNS];
    uint32_t scan_columns[HARNESS_COLUMNS];
    struct op_context context;
    struct budget budget;
    struct harness_clock clock;
    struct waker waker;
    struct source_reader *reader;
    struct strbuf text;
    bool print_place; // name and place of each row in front
    struct err err;
    // What snapshot put, and what the next open restores.
    struct snapshot_writer writer;
    VEC(struct snapshot_entry) entries;
    struct snapshot_reader restore;
};

static int64_t harness_now(struct clock *clock)
{
    return ((struct harness_clock *)clock)->now_us;
}

static void harness_put(struct snapshot_writer *writer, struct str operator_id, uint32_t instance,
                        struct str key, struct str bytes)
{
    struct harness *h =
        (struct harness *)(void *)((char *)writer - offsetof(struct harness, writer));
    struct snapshot_entry entry = {.operator_id = arena_str(&h->arena, operator_id),
                                   .instance = instance,
                                   .key = arena_str(&h->arena, key),
                                   .bytes = arena_str(&h->arena, bytes)};
    VEC_PUSH(&h->entries, entry);
}

static inline void harness_init(struct harness *h)
{
    *h = (struct harness){0};
    arena_init(&h->arena);
    strbuf_init(&h->text, 64 << 20);
    budget_init(&h->budget, NULL, SIZE_MAX);
    waker_init(&h->waker);
    h->clock = (struct harness_clock){
        .clock = {.monotonic_us = harness_now, .wall_us = harness_now}, .now_us = 1000000};
    h->writer.put = harness_put;
    h->def = (struct table_def){.name = STR_LIT("t"),
                                .database = STR_LIT("default"),
                                .catalog_name = STR_LIT("lake"),
                                .columns = h->columns,
                                .options = h->options};
    h->context = (struct op_context){.operator_id = STR_LIT("source-t"),
                                     .parallelism = 1,
                                     .budget = &h->budget,
                                     .clock = &h->clock.clock,
                                     .waker = &h->waker,
                                     .pipeline_name = STR_LIT("test"),
                                     .is_streaming = true,
                                     .batch_rows = BATCH_ROWS_MAX};
}

static inline void harness_close(struct harness *h)
{
    if (h->reader != NULL) {
        h->reader->ops->close(h->reader);
        h->reader = NULL;
    }
}

static inline void harness_release(struct harness *h)
{
    harness_close(h);
    VEC_RELEASE(&h->entries);
    waker_release(&h->waker);
    strbuf_release(&h->text);
    arena_release(&h->arena);
}

static inline void harness_column(struct harness *h, const char *name, const struct type *type)
{
    h->columns[h->def.column_count++] = (struct table_column){.name = str_from(name), .type = type};
}

static inline void harness_metadata(struct harness *h, const char *name, const char *key,
                                    const struct type *type)
{
    h->columns[h->def.column_count++] = (struct table_column){.name = str_from(name),
                                                              .type = type,
                                                              .kind = TABLE_COLUMN_METADATA,
                                                              .metadata_key = str_from(key)};
}

static inline void harness_option(struct harness *h, const char *key, const char *value)
{
    for (uint32_t i = 0; i < h->def.option_count; i++) {
        if (str_is(h->options[i].key, key)) {
            h->options[i].value = arena_str(&h->arena, str_from(value));
            return;
        }
    }
    h->options[h->def.option_count++] = (struct table_option){
        .key = arena_str(&h->arena, str_from(key)), .value = arena_str(&h->arena, str_from(value))};
}

// A scan of all columns that are not computed, in the table's order.
static inline enum status harness_try_open(struct harness *h, const struct source_class *class)
{
    h->scan = (struct plan_node){.kind = PLAN_SCAN, .id = 1, .columns = h->plan_columns};
    for (uint32_t i = 0; i < h->def.column_count; i++) {
        if (h->columns[i].kind == TABLE_COLUMN_COMPUTED) {
            continue;
        }
        uint32_t at = h->scan.column_count++;
        h->plan_columns[at] = (struct plan_column){
            .id = at + 1, .name = h->columns[i].name, .type = h->columns[i].type};
        h->scan_columns[at] = i;
    }
    h->scan.as.scan =
        (struct plan_scan){.table = &h->def, .table_columns = h->scan_columns, .limit = -1};
    return class->open(&h->scan, &h->context, &h->reader, &h->err);
}

static inline void harness_open(struct harness *h, const struct source_class *class)
{
    if (harness_try_open(h, class) != STATUS_OK) {
        fail_msg("%s", h->err.text);
    }
}

static void harness_print_value(struct strbuf *out, const struct column *column, uint32_t row);

static void harness_print_list(struct strbuf *out, const struct column *column, uint32_t row)
{
    const struct list_view *view = column_value(column, row);
    strbuf_add_byte(out, '[');
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        strbuf_add_text(out, i > view->offset ? "," : "");
        harness_print_value(out, &column->children[0], i);
        if (column->child_count == 2) {
            strbuf_add_byte(out, '=');
            harness_print_value(out, &column->children[1], i);
        }
    }
    strbuf_add_byte(out, ']');
}

static void harness_print_value(struct strbuf *out, const struct column *column, uint32_t row)
{
    if (column_is_null(column, row)) {
        strbuf_add_text(out, "~");
        return;
    }
    const void *value = column->physical == PHYSICAL_ROW ? NULL : column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_BOOL:
        strbuf_add_text(out, *(const uint8_t *)value != 0 ? "true" : "false");
        break;
    case PHYSICAL_I8: strbuf_printf(out, "%d", *(const int8_t *)value); break;
    case PHYSICAL_I16: strbuf_printf(out, "%d", *(const int16_t *)value); break;
    case PHYSICAL_I32: strbuf_printf(out, "%" PRId32, *(const int32_t *)value); break;
    case PHYSICAL_I64: strbuf_printf(out, "%" PRId64, *(const int64_t *)value); break;
    case PHYSICAL_I128:
        strbuf_printf(out, "%.0f", (double)*(const int128 *)value); // near enough for a test
        break;
    case PHYSICAL_F32: strbuf_printf(out, "%.9g", (double)*(const float *)value); break;
    case PHYSICAL_F64: strbuf_printf(out, "%.17g", *(const double *)value); break;
    case PHYSICAL_NANO: strbuf_printf(out, "%" PRId64, ((const struct nano *)value)->second); break;
    case PHYSICAL_STRING: strbuf_add(out, strview_str(value)); break;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP: harness_print_list(out, column, row); break;
    case PHYSICAL_ROW: {
        const struct column *holder = column_holder(column);
        strbuf_add_byte(out, '(');
        for (uint32_t i = 0; i < holder->child_count; i++) {
            strbuf_add_text(out, i > 0 ? "," : "");
            harness_print_value(out, &holder->children[i], column_at(column, row));
        }
        strbuf_add_byte(out, ')');
        break;
    }
    }
}

static inline void harness_print(struct harness *h, const struct batch *batch)
{
    struct err err;
    if (batch_check(batch, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    assert_true(batch->row_count > 0);
    assert_true(batch->split < h->reader->splits.count);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        if (h->print_place) {
            const struct batch_origin *origin = batch->origin;
            strbuf_printf(&h->text, "%.*s %s %" PRIu64 ": ", STR_ARGS(origin->name), origin->unit,
                          origin->places != NULL ? origin->places[row] : origin->first + row);
        }
        strbuf_add_text(&h->text, batch->kinds == NULL ? "+I" : change_name(batch->kinds[row]));
        for (uint32_t i = 0; i < batch->column_count; i++) {
            strbuf_add_byte(&h->text, ' ');
            harness_print_value(&h->text, &batch->columns[i], row);
        }
        strbuf_add_byte(&h->text, '\n');
    }
}

// One poll, its rows appended to h->text.
static inline enum status harness_poll(struct harness *h)
{
    struct batch batch = {0};
    enum status status = h->reader->ops->poll(h->reader, &batch, &h->err);
    if (status == STATUS_OK) {
        harness_print(h, &batch);
    }
    return status;
}

// To the end, or to the first AGAIN. Fails the test on errors.
static inline const char *harness_read_all(struct harness *h)
{
    strbuf_reset(&h->text);
    enum status status;
    do {
        status = harness_poll(h);
    } while (status == STATUS_OK);
    if (status != STATUS_END && status != STATUS_AGAIN) {
        fail_msg("%s (%s)", h->err.text, h->err.hint);
    }
    return h->text.ptr;
}

// Positions into h->entries; what an earlier call left there goes first.
static inline void harness_snapshot(struct harness *h)
{
    h->entries.count = 0;
    h->reader->ops->snapshot(h->reader, &h->context, &h->writer);
}

// Closes the reader; the next harness_open() restores from the snapshot.
static inline void harness_crash(struct harness *h)
{
    harness_close(h);
    h->restore = (struct snapshot_reader){.entry_count = h->entries.count,
                                          .entries = h->entries.items,
                                          .epoch = {1, 1},
                                          .former_instances = 1};
    h->context.restore = &h->restore;
}
