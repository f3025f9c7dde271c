// SPDX-License-Identifier: Apache-2.0
#include "exec/aggregate_set_int.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "exec/key_hash.h"
#include "expr/expr.h"
#include "kernel/hash_columns.h"
#include "state/ordered_table.h"

static bool is_extreme(const struct plan_aggregate_call *call)
{
    return call->function->kind == AGGREGATE_MIN || call->function->kind == AGGREGATE_MAX;
}

static enum aggregate_keeping keeping_of(const struct aggregate_set *set,
                                         const struct plan_aggregate_call *call)
{
    // MIN(DISTINCT x) is MIN(x): the planner may leave the word; it changes nothing here either.
    if (is_extreme(call) && set->retracts) {
        return AGGREGATE_ORDERED;
    }
    return call->function->needs_strings ? AGGREGATE_TEXT : AGGREGATE_IMAGE;
}

static uint32_t find_distinct(struct aggregate_set *set, uint32_t argument)
{
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        if (set->distincts[i].argument == argument) {
            return i;
        }
    }
    set->distincts[set->distinct_count] = (struct aggregate_set_distinct){.argument = argument};
    return set->distinct_count++;
}

static enum status init_call(struct aggregate_set *set, const struct plan_node *input,
                             const struct plan_aggregate_call *plan, uint32_t *offset,
                             struct aggregate_set_call *call, struct err *err)
{
    *call = (struct aggregate_set_call){
        .plan = plan, .argument = UINT32_MAX, .filter = UINT32_MAX, .text_field = UINT32_MAX};
    call->keeping = keeping_of(set, plan);
    if (plan->argument_count > 0) {
        const struct expr *argument = plan->arguments[0];
        if (argument->kind == EXPR_LITERAL) {
            call->literal = argument->value;
        } else {
            call->argument = plan_column_index(input, argument->column_id);
            ASSERT(call->argument != UINT32_MAX);
        }
    }
    if (plan->filter != 0) {
        call->filter = plan_column_index(input, plan->filter);
    }
    if (set->retracts && call->keeping != AGGREGATE_ORDERED && !plan->function->is_retractable) {
        return ERR(err, STATUS_UNSUPPORTED, "%s over a changing input is not supported yet",
                   aggregate_name(plan->function->kind));
    }
    bool counts_values = plan->is_distinct && !is_extreme(plan) && call->argument != UINT32_MAX;
    call->table = UINT32_MAX;
    if (counts_values) {
        call->table = find_distinct(set, call->argument);
        call->counter = set->distincts[call->table].counter_count++;
    } else if (call->keeping == AGGREGATE_ORDERED) {
        call->table = set->ordered_count++;
    }
    if (call->keeping == AGGREGATE_IMAGE) {
        call->offset = *offset;
        *offset += plan->function->size;
    }
    return STATUS_OK;
}

static void make_layouts(struct aggregate_set *set, const struct aggregate_set_spec *spec)
{
    uint32_t type_max = spec->keys.count + spec->call_count + 1;
    const struct type **types = arena_new_array(&set->arena, const struct type *, type_max);
    for (uint32_t i = 0; i < spec->keys.count; i++) {
        types[i] = spec->input->columns[set->keys[i]].type;
    }
    uint32_t field_count = spec->keys.count;
    for (uint32_t i = 0; i < set->call_count; i++) {
        struct aggregate_set_call *call = &set->calls[i];
        if (call->keeping == AGGREGATE_TEXT) {
            call->text_field = field_count;
            types[field_count++] = call->plan->function->type;
        }
    }
    set->layout = row_layout_new(&set->arena, types, spec->keys.count, field_count,
                                 set->chain_offset +
                                     (spec->steps ? (uint32_t)sizeof(struct aggregate_chain) : 0));
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        struct aggregate_set_distinct *distinct = &set->distincts[i];
        types[spec->keys.count] = spec->input->columns[distinct->argument].type;
        distinct->layout =
            row_layout_new(&set->arena, types, spec->keys.count + 1, spec->keys.count + 1,
                           distinct->counter_count * (uint32_t)sizeof(int64_t));
    }
}

enum status aggregate_set_init(struct aggregate_set *set, const struct aggregate_set_spec *spec,
                               struct err *err)
{
    *set = (struct aggregate_set){.call_count = spec->call_count, .key_count = spec->keys.count};
    arena_init(&set->arena);
    set->calls = arena_new_array(&set->arena, struct aggregate_set_call, spec->call_count);
    set->distincts =
        arena_new_array(&set->arena, struct aggregate_set_distinct, spec->call_count + 1);
    set->keys = arena_new_array(&set->arena, uint32_t, spec->keys.count);
    for (uint32_t i = 0; i < spec->keys.count; i++) {
        set->keys[i] = plan_column_index(spec->input, spec->keys.ids[i]);
        ASSERT(set->keys[i] != UINT32_MAX);
    }
    set->retracts = (spec->input->changes & (1 << CHANGE_UPDATE_BEFORE | 1 << CHANGE_DELETE)) != 0;
    set->images_offset = sizeof(int64_t);
    if (spec->call_count > AGGREGATE_CALLS_MAX) {
        return ERR(err, STATUS_LIMIT, "at most %d aggregates in one GROUP BY", AGGREGATE_CALLS_MAX);
    }
    uint32_t size = 0;
    for (uint32_t i = 0; i < spec->call_count; i++) {
        TRY(init_call(set, spec->input, &spec->calls[i], &size, &set->calls[i], err));
    }
    set->images_size = size;
    set->chain_offset = set->images_offset + size;
    make_layouts(set, spec);
    return STATUS_OK;
}

void aggregate_set_release(struct aggregate_set *set)
{
    arena_release(&set->arena);
}

static struct hash_table_options table_options(const struct aggregate_set *set, uint32_t id,
                                               int64_t slice)
{
    const struct row_layout *layout = id == 0 ? set->layout : set->distincts[id - 1].layout;
    return (struct hash_table_options){.layout = layout, .id = id, .slice = slice};
}

static struct hash_table *open_table(const struct aggregate_set *set, struct state_context *context,
                                     uint32_t id, int64_t slice)
{
    struct hash_table *table = hash_table_open(context, id, slice);
    struct hash_table_options options = table_options(set, id, slice);
    options.rows_expected = id == 0 ? set->groups_expected : 0;
    return table != NULL ? table : hash_table_new(context, &options);
}

static struct ordered_table_options ordered_options(const struct aggregate_set *set, uint32_t at,
                                                    int64_t slice)
{
    return (struct ordered_table_options){
        .id = 1 + set->distinct_count + at, .slice = slice, .value_size = sizeof(int64_t)};
}

void aggregate_tables_open(const struct aggregate_set *set, struct state_context *context,
                           int64_t slice, struct aggregate_tables *tables)
{
    *tables = (struct aggregate_tables){.slice = slice};
    tables->groups = open_table(set, context, 0, slice);
    tables->distincts = mem_zalloc((set->distinct_count + 1) * sizeof(void *));
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        tables->distincts[i] = open_table(set, context, i + 1, slice);
    }
    tables->ordereds = mem_zalloc((set->ordered_count + 1) * sizeof(void *));
    for (uint32_t i = 0; i < set->ordered_count; i++) {
        struct ordered_table_options options = ordered_options(set, i, slice);
        struct ordered_table *table = ordered_table_open(context, options.id, slice);
        tables->ordereds[i] = table != NULL ? table : ordered_table_new(context, &options);
    }
}

void aggregate_tables_free(const struct aggregate_set *set, struct aggregate_tables *tables)
{
    hash_table_free(tables->groups);
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        hash_table_free(tables->distincts[i]);
    }
    for (uint32_t i = 0; i < set->ordered_count; i++) {
        ordered_table_free(tables->ordereds[i]);
    }
    mem_free(tables->distincts);
    mem_free(tables->ordereds);
    *tables = (struct aggregate_tables){0};
}

void aggregate_tables_done(const struct aggregate_set *set, struct aggregate_tables *tables)
{
    hash_table_done(tables->groups);
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        hash_table_done(tables->distincts[i]);
    }
    for (uint32_t i = 0; i < set->ordered_count; i++) {
        ordered_table_done(tables->ordereds[i]);
    }
}

void aggregate_set_declare(const struct aggregate_set *set, struct state_context *context)
{
    for (uint32_t id = 0; id <= set->distinct_count; id++) {
        struct hash_table_options options = table_options(set, id, 0);
        hash_table_declare(context, &options);
    }
    for (uint32_t i = 0; i < set->ordered_count; i++) {
        struct ordered_table_options options = ordered_options(set, i, 0);
        ordered_table_declare(context, &options);
    }
}

// --- windows -----------------------------------------------------------------------------------

uint16_t aggregate_window_position(const struct aggregate_window *window, uint32_t at)
{
    uint32_t index = window->from + at;
    return window->positions == NULL ? (uint16_t)index : window->positions[index];
}

struct column aggregate_window_column(const struct aggregate_window *window,
                                      const struct column *column)
{
    if (window->positions == NULL) {
        return column_slice(window->scratch, column, window->from, window->count);
    }
    return column_gather(window->scratch, column, window->positions + window->from, window->count);
}

void aggregate_set_begin(const struct aggregate_set *set, struct aggregate_window *window)
{
    struct arena *scratch = window->scratch;
    window->keys = arena_new_array(scratch, struct column, set->key_count + 1);
    for (uint32_t i = 0; i < set->key_count; i++) {
        window->keys[i] = window->batch->columns[set->keys[i]];
    }
    window->hashes = arena_alloc(scratch, window->batch->row_count * sizeof *window->hashes);
    hash_columns(window->keys, set->key_count, window->batch->row_count, window->hashes);
    window->from = window->count = 0;
}

// Rows of the window whose argument is not null, as keys of a distinct table.
static struct hash_keys distinct_keys(const struct aggregate_set *set,
                                      struct aggregate_window *window, uint32_t at,
                                      uint32_t **indexes)
{
    struct arena *scratch = window->scratch;
    const struct column *value = &window->batch->columns[set->distincts[at].argument];
    struct column *columns = arena_new_array(scratch, struct column, set->key_count + 1);
    memcpy(columns, window->keys, set->key_count * sizeof *columns);
    columns[set->key_count] = *value;
    uint64_t *hashes = arena_alloc(scratch, window->batch->row_count * sizeof *hashes);
    hash_columns(columns, set->key_count + 1, window->batch->row_count, hashes);
    key_hash_join(window->hashes, hashes, window->batch->row_count);
    uint16_t *rows = arena_alloc(scratch, (window->count + 1) * sizeof *rows);
    *indexes = arena_alloc(scratch, (window->count + 1) * sizeof **indexes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < window->count; i++) {
        uint16_t position = aggregate_window_position(window, i);
        if (!column_is_null(value, position)) {
            (*indexes)[count] = i;
            rows[count++] = position;
        }
    }
    return (struct hash_keys){.columns = columns,
                              .column_count = set->key_count + 1,
                              .hashes = hashes,
                              .rows = rows,
                              .count = count};
}

// Prepares and finds the rows of one distinct table; cuts the window where fewer are ready.
static enum status prepare_distinct(struct aggregate_set *set, struct aggregate_tables *tables,
                                    struct aggregate_window *window, uint32_t at, struct err *err)
{
    uint32_t *indexes;
    struct hash_keys keys = distinct_keys(set, window, at, &indexes);
    uint32_t ready = 0;
    TRY(hash_table_prepare(tables->distincts[at], &keys, 0, &ready, err));
    if (ready < keys.count) {
        window->count = indexes[ready]; // the first row that is not ready
    }
    return STATUS_OK;
}

// Everything is prepared: rows that are missing are made.
static void find_distinct_rows(struct aggregate_set *set, struct aggregate_tables *tables,
                               struct aggregate_window *window, uint32_t at)
{
    uint32_t *indexes;
    struct hash_keys keys = distinct_keys(set, window, at, &indexes);
    struct row **found = arena_new_array(window->scratch, struct row *, keys.count + 1);
    hash_table_upsert(tables->distincts[at], &keys, 0, keys.count, found, NULL);
    struct row **by_row = arena_new_array(window->scratch, struct row *, window->count + 1);
    for (uint32_t i = 0; i < keys.count; i++) {
        by_row[indexes[i]] = found[i];
    }
    window->distinct_rows[at] = by_row;
}

enum status aggregate_set_prepare(struct aggregate_set *set, struct aggregate_tables *tables,
                                  struct aggregate_window *window, uint32_t max, struct err *err)
{
    struct hash_keys keys = {.columns = window->keys,
                             .column_count = set->key_count,
                             .hashes = window->hashes,
                             .rows = window->positions,
                             .count = window->total};
    uint32_t ready = 0;
    TRY(hash_table_prepare(tables->groups, &keys, window->from, &ready, err));
    window->count = ready < max ? ready : max;
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        TRY(prepare_distinct(set, tables, window, i, err));
    }
    for (uint32_t i = 0; i < set->call_count; i++) {
        if (set->calls[i].keeping == AGGREGATE_ORDERED) {
            uint32_t ordered_ready = window->count;
            TRY(aggregate_ordered_prepare(set, tables, window, i, &ordered_ready, err));
            window->count = ordered_ready < window->count ? ordered_ready : window->count;
        }
    }
    ASSERT(window->count > 0);
    window->rows = arena_new_array(window->scratch, struct row *, window->count);
    // Without keys there is one group, and one row to find.
    uint32_t to_find = set->key_count > 0 ? window->count : 1;
    hash_table_upsert(tables->groups, &keys, window->from, to_find, window->rows, NULL);
    for (uint32_t i = to_find; i < window->count; i++) {
        window->rows[i] = window->rows[0];
    }
    window->distinct_rows =
        arena_new_array(window->scratch, struct row **, set->distinct_count + 1);
    for (uint32_t i = 0; i < set->distinct_count; i++) {
        find_distinct_rows(set, tables, window, i);
    }
    return STATUS_OK;
}

int64_t aggregate_set_rows(const struct aggregate_set *set, struct row *row)
{
    int64_t rows;
    memcpy(&rows, row_extra(set->layout, row), sizeof rows);
    return rows;
}

enum status aggregate_set_result(const struct aggregate_set *set, struct aggregate_tables *tables,
                                 uint32_t at, struct row *const *rows, uint32_t count,
                                 struct arena *arena, struct column *out, struct err *err)
{
    const struct aggregate_set_call *call = &set->calls[at];
    if (call->keeping == AGGREGATE_TEXT) {
        *out = row_layout_column(set->layout, call->text_field, rows, count, arena);
        return STATUS_OK;
    }
    if (call->keeping == AGGREGATE_ORDERED) {
        return aggregate_ordered_result(set, tables, at, rows, count, arena, out, err);
    }
    char **images = arena_new_array(arena, char *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        images[i] = row_extra(set->layout, rows[i]);
    }
    struct aggregate_rows image_rows = {
        .images = images, .offset = set->images_offset + call->offset, .row_count = count};
    *out = aggregate_result(call->plan->function, &image_rows, arena);
    return STATUS_OK;
}
