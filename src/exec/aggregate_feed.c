// SPDX-License-Identifier: Apache-2.0
//
// What each call sees of a window: FILTER leaves rows out; DISTINCT turns rows into first and last
// occurrences of values; then the plain way of adding to groups.
#include <string.h>

#include "base/bits.h"
#include "exec/aggregate_set_int.h"

// FILTER (WHERE f): rows where f is true.
static const uint64_t *filter_mask(const struct aggregate_window *window,
                                   const struct aggregate_set_call *call)
{
    if (call->filter == UINT32_MAX) {
        return NULL;
    }
    struct column filter = aggregate_window_column(window, &window->batch->columns[call->filter]);
    uint64_t *mask = arena_zalloc(window->scratch, (bits_words(window->count) + 1) * sizeof *mask);
    for (uint32_t i = 0; i < window->count; i++) {
        if (!column_is_null(&filter, i) && *(const uint8_t *)column_value(&filter, i) != 0) {
            bits_set(mask, i);
        }
    }
    return mask;
}

static const int8_t *window_kinds(const struct aggregate_window *window)
{
    const int8_t *kinds = window->batch->kinds;
    if (kinds == NULL) {
        return NULL;
    }
    int8_t *own = arena_alloc(window->scratch, window->count + 1);
    for (uint32_t i = 0; i < window->count; i++) {
        own[i] = kinds[aggregate_window_position(window, i)];
    }
    return own;
}

// A value counts when its count comes to 1, and is taken back when it falls to 0.
static void feed_distinct(struct aggregate_set *set, struct aggregate_window *window,
                          const struct aggregate_set_call *call, struct aggregate_feed *feed)
{
    const struct aggregate_set_distinct *distinct = &set->distincts[call->table];
    uint64_t *active =
        arena_zalloc(window->scratch, (bits_words(window->count) + 1) * sizeof *active);
    int8_t *kinds = arena_zalloc(window->scratch, window->count + 1);
    for (uint32_t i = 0; i < window->count; i++) {
        struct row *row = window->distinct_rows[call->table][i];
        if (row == NULL || (feed->active != NULL && !bits_get(feed->active, i))) {
            continue;
        }
        char *at = row_extra(distinct->layout, row) + call->counter * sizeof(int64_t);
        int64_t before;
        memcpy(&before, at, sizeof before);
        bool retracts = feed->kinds != NULL && change_is_retraction(feed->kinds[i]);
        int64_t after = before + (retracts ? -1 : 1);
        memcpy(at, &after, sizeof after);
        if ((before <= 0 && after > 0) || (before > 0 && after <= 0)) {
            bits_set(active, i);
            kinds[i] = after > 0 ? CHANGE_INSERT : CHANGE_DELETE;
        }
    }
    feed->active = active;
    feed->kinds = kinds;
}

void aggregate_feed_make(struct aggregate_set *set, struct aggregate_tables *tables,
                         struct aggregate_window *window, uint32_t at, struct aggregate_feed *out)
{
    (void)tables;
    const struct aggregate_set_call *call = &set->calls[at];
    *out =
        (struct aggregate_feed){.kinds = window_kinds(window), .active = filter_mask(window, call)};
    if (call->argument != UINT32_MAX) {
        out->argument = aggregate_window_column(window, &window->batch->columns[call->argument]);
        out->has_argument = true;
    } else if (call->literal != NULL) {
        out->argument = *call->literal;
        out->argument.row_count = window->count;
        out->has_argument = true;
    }
    if (call->table != UINT32_MAX && call->keeping != AGGREGATE_ORDERED) {
        feed_distinct(set, window, call, out);
    }
}

bool aggregate_text_wins(enum aggregate_kind kind, struct str candidate, struct str current)
{
    switch (kind) {
    case AGGREGATE_MIN: return str_compare(candidate, current) < 0;
    case AGGREGATE_MAX: return str_compare(candidate, current) > 0;
    case AGGREGATE_LAST_VALUE: return true;
    case AGGREGATE_FIRST_VALUE:
    case AGGREGATE_SINGLE_VALUE:
    case AGGREGATE_COUNT_STAR:
    case AGGREGATE_COUNT:
    case AGGREGATE_SUM:
    case AGGREGATE_SUM0:
    case AGGREGATE_AVG: break;
    }
    return false;
}

// MIN, MAX, FIRST_VALUE and LAST_VALUE of STRING, insert-only: the value stands in the row.
static void add_text(struct aggregate_set *set, struct aggregate_tables *tables,
                     struct aggregate_window *window, const struct aggregate_set_call *call,
                     const struct aggregate_feed *feed)
{
    for (uint32_t i = 0; i < window->count; i++) {
        if (column_is_null(&feed->argument, i) ||
            (feed->active != NULL && !bits_get(feed->active, i))) {
            continue;
        }
        struct row *row = hash_table_row_now(tables->groups, window->rows[i]);
        const struct strview *value = column_value(&feed->argument, i);
        if (row_is_null(set->layout, row, call->text_field) ||
            aggregate_text_wins(call->plan->function->kind, strview_str(value),
                                row_string(set->layout, row, call->text_field))) {
            row = hash_table_set(tables->groups, row, call->text_field, &feed->argument, i);
        }
        window->rows[i] = row;
    }
}

// Whether all rows are of one group.
static bool is_one_group(const struct aggregate_window *window)
{
    uint32_t same = 0;
    while (same < window->count && window->rows[same] == window->rows[0]) {
        same++;
    }
    return same == window->count;
}

static void count_rows(struct aggregate_set *set, struct aggregate_window *window, bool is_one)
{
    const int8_t *kinds = window_kinds(window);
    if (is_one && kinds == NULL && window->count > 0) {
        char *at = row_extra(set->layout, window->rows[0]);
        int64_t rows;
        memcpy(&rows, at, sizeof rows);
        rows += window->count;
        memcpy(at, &rows, sizeof rows);
        return;
    }
    for (uint32_t i = 0; i < window->count; i++) {
        char *at = row_extra(set->layout, window->rows[i]);
        int64_t rows;
        memcpy(&rows, at, sizeof rows);
        rows += kinds != NULL && change_is_retraction(kinds[i]) ? -1 : 1;
        memcpy(at, &rows, sizeof rows);
    }
}

// Removes values whose counts are all 0.
void aggregate_set_sweep(struct aggregate_set *set, struct aggregate_tables *tables,
                         struct aggregate_window *window)
{
    for (uint32_t d = 0; set->retracts && d < set->distinct_count; d++) {
        const struct aggregate_set_distinct *distinct = &set->distincts[d];
        for (uint32_t i = 0; i < window->count; i++) {
            struct row *row = window->distinct_rows[d][i];
            bool in_use = row == NULL;
            for (uint32_t c = 0; c < distinct->counter_count && !in_use; c++) {
                int64_t count;
                memcpy(&count, row_extra(distinct->layout, row) + c * sizeof count, sizeof count);
                in_use = count != 0;
            }
            if (in_use) {
                continue;
            }
            hash_table_remove(tables->distincts[d], row);
            for (uint32_t other = i + 1; other < window->count; other++) {
                if (window->distinct_rows[d][other] == row) {
                    window->distinct_rows[d][other] = NULL;
                }
            }
        }
    }
}

enum status aggregate_set_add(struct aggregate_set *set, struct aggregate_tables *tables,
                              struct aggregate_window *window, struct err *err)
{
    bool is_one = is_one_group(window);
    count_rows(set, window, is_one);
    char **images = arena_new_array(window->scratch, char *, window->count);
    for (uint32_t i = 0; i < window->count; i++) {
        images[i] = row_extra(set->layout, window->rows[i]);
    }
    // Made once each: making them counts the distinct values.
    struct aggregate_feed *feeds =
        arena_new_array(window->scratch, struct aggregate_feed, set->call_count);
    for (uint32_t c = 0; c < set->call_count; c++) {
        const struct aggregate_set_call *call = &set->calls[c];
        struct aggregate_feed *feed = &feeds[c];
        aggregate_feed_make(set, tables, window, c, feed);
        if (call->keeping == AGGREGATE_ORDERED) {
            TRY(aggregate_ordered_add(set, tables, window, c, feed, err));
        } else if (call->keeping == AGGREGATE_IMAGE) {
            struct aggregate_rows rows = {.images = images,
                                          .offset = set->images_offset + call->offset,
                                          .row_count = window->count,
                                          .is_one = is_one,
                                          .kinds = feed->kinds,
                                          .active = feed->active};
            TRY(aggregate_accumulate(call->plan->function,
                                     feed->has_argument ? &feed->argument : NULL, &rows, err));
        }
    }
    // Texts may move rows: last.
    for (uint32_t c = 0; c < set->call_count; c++) {
        if (set->calls[c].keeping == AGGREGATE_TEXT) {
            add_text(set, tables, window, &set->calls[c], &feeds[c]);
        }
    }
    aggregate_set_sweep(set, tables, window);
    return STATUS_OK;
}
