// SPDX-License-Identifier: Apache-2.0
//
// Row by row without a loop over rows and calls: each row gets an image of its own with only its
// contribution (one pass of the accumulating kernel), then, in order, the image of the row before
// it in the same group is added (one pass of the merging kernel): after[i] = after[previous of i]
// + own[i]. What a group was before row i is after[previous of i], or its row in state; a group of
// no rows was nothing, whatever rounding has left of its sums.
#include <string.h>

#include "base/bits.h"
#include "exec/aggregate_set_int.h"

#define NO_ROW UINT32_MAX

// The row before each in the same group, by the chain in the group's extra: a serial that is not
// this window's, or an index that leads elsewhere, is an old one.
static uint32_t *find_previous(struct aggregate_set *set, struct aggregate_window *window)
{
    uint32_t *previous = arena_alloc(window->scratch, window->count * sizeof *previous);
    set->serial++;
    for (uint32_t i = 0; i < window->count; i++) {
        struct aggregate_chain chain;
        char *at = row_extra(set->layout, window->rows[i]) + set->chain_offset;
        memcpy(&chain, at, sizeof chain);
        bool is_ours = chain.serial == set->serial && chain.last < i &&
                       window->rows[chain.last] == window->rows[i];
        previous[i] = is_ours ? chain.last : NO_ROW;
        chain = (struct aggregate_chain){set->serial, i};
        memcpy(at, &chain, sizeof chain);
    }
    return previous;
}

static void step_rows(struct aggregate_set *set, struct aggregate_window *window,
                      const uint32_t *previous, struct aggregate_steps *steps)
{
    struct arena *scratch = window->scratch;
    const int8_t *kinds = window->batch->kinds;
    steps->rows_before = arena_alloc(scratch, window->count * sizeof(int64_t));
    steps->rows_after = arena_alloc(scratch, window->count * sizeof(int64_t));
    steps->is_last = arena_alloc(scratch, window->count * sizeof(bool));
    for (uint32_t i = 0; i < window->count; i++) {
        bool retracts =
            kinds != NULL && change_is_retraction(kinds[aggregate_window_position(window, i)]);
        steps->rows_before[i] = previous[i] == NO_ROW ? aggregate_set_rows(set, window->rows[i])
                                                      : steps->rows_after[previous[i]];
        steps->rows_after[i] = steps->rows_before[i] + (retracts ? -1 : 1);
        steps->is_last[i] = true;
        if (previous[i] != NO_ROW) {
            steps->is_last[previous[i]] = false;
        }
    }
}

struct image_step {
    char **own;    // images of the rows of the window, one each
    char **before; // image that a row builds on: in state, or `own` of its previous row
};

static struct image_step make_images(struct aggregate_set *set, struct aggregate_window *window,
                                     const uint32_t *previous, const int64_t *rows_before)
{
    struct arena *scratch = window->scratch;
    struct image_step step = {arena_new_array(scratch, char *, window->count),
                              arena_new_array(scratch, char *, window->count)};
    // Laid out as in state, so that one offset serves both.
    size_t size = set->images_size;
    char *bytes = arena_zalloc(scratch, size * (window->count + 1) + 1);
    char *nothing = bytes + size * window->count;
    for (uint32_t i = 0; i < window->count; i++) {
        step.own[i] = bytes + size * i;
        step.before[i] = rows_before[i] == 0 ? nothing
                         : previous[i] == NO_ROW
                             ? row_extra(set->layout, window->rows[i]) + set->images_offset
                             : step.own[previous[i]];
    }
    return step;
}

static enum status step_image(const struct aggregate_set_call *call,
                              struct aggregate_window *window, const struct aggregate_feed *feed,
                              const struct image_step *step, struct column *before,
                              struct column *after, struct err *err)
{
    struct aggregate_rows own = {.images = step->own,
                                 .offset = call->offset,
                                 .row_count = window->count,
                                 .kinds = feed->kinds,
                                 .active = feed->active};
    TRY(aggregate_accumulate(call->plan->function, feed->has_argument ? &feed->argument : NULL,
                             &own, err));
    own.kinds = NULL;
    own.active = NULL;
    // What is merged in came earlier: FIRST prefers it, as LAST would in the usual order.
    struct aggregate merged = *call->plan->function;
    merged.kind = merged.kind == AGGREGATE_FIRST_VALUE  ? AGGREGATE_LAST_VALUE
                  : merged.kind == AGGREGATE_LAST_VALUE ? AGGREGATE_FIRST_VALUE
                                                        : merged.kind;
    TRY(aggregate_merge(&merged, &own, (const char *const *)step->before, NULL, err));
    struct aggregate_rows old = own;
    old.images = step->before;
    *before = aggregate_result(call->plan->function, &old, window->scratch);
    *after = aggregate_result(call->plan->function, &own, window->scratch);
    return STATUS_OK;
}

// MIN, MAX, FIRST_VALUE and LAST_VALUE of STRING, insert-only.
static void step_text(struct aggregate_set *set, struct aggregate_window *window,
                      const struct aggregate_set_call *call, const struct aggregate_feed *feed,
                      const uint32_t *previous, struct column *before, struct column *after)
{
    struct arena *scratch = window->scratch;
    *before =
        row_layout_column(set->layout, call->text_field, window->rows, window->count, scratch);
    uint32_t words = bits_words(window->count);
    struct strview *old = arena_alloc64(scratch, window->count * sizeof *old);
    struct strview *new = arena_alloc64(scratch, window->count * sizeof *new);
    uint64_t *old_valid = arena_zalloc(scratch, words * sizeof *old_valid);
    uint64_t *new_valid = arena_zalloc(scratch, words * sizeof *new_valid);
    for (uint32_t i = 0; i < window->count; i++) {
        uint32_t p = previous[i];
        bool has_old = p == NO_ROW ? !column_is_null(before, i) : bits_get(new_valid, p);
        memset(&old[i], 0, sizeof old[i]);
        if (has_old) {
            memcpy(&old[i], p == NO_ROW ? column_value(before, i) : &new[p], sizeof old[i]);
            bits_set(old_valid, i);
        }
        new[i] = old[i];
        bool has_new = has_old;
        bool counts = (feed->active == NULL || bits_get(feed->active, i)) &&
                      !column_is_null(&feed->argument, i);
        if (counts) {
            const struct strview *value = column_value(&feed->argument, i);
            if (!has_old || aggregate_text_wins(call->plan->function->kind, strview_str(value),
                                                strview_str(&old[i]))) {
                new[i] = *value;
            }
            has_new = true;
        }
        if (has_new) {
            bits_set(new_valid, i);
        }
    }
    struct column column = {.physical = PHYSICAL_STRING, .row_count = window->count};
    column.values = old;
    column.valid = old_valid;
    *before = column;
    column.values = new;
    column.valid = new_valid;
    *after = column;
}

// The last row of each group leaves its images and count in state; texts last, since they may move
// rows.
static void store(struct aggregate_set *set, struct aggregate_tables *tables,
                  struct aggregate_window *window, const struct image_step *images,
                  const struct aggregate_steps *steps)
{
    for (uint32_t i = 0; i < window->count; i++) {
        if (steps->is_last[i]) {
            char *extra = row_extra(set->layout, window->rows[i]);
            memcpy(extra, &steps->rows_after[i], sizeof(int64_t));
            memcpy(extra + set->images_offset, images->own[i], set->images_size);
        }
    }
    for (uint32_t c = 0; c < set->call_count; c++) {
        if (set->calls[c].keeping != AGGREGATE_TEXT) {
            continue;
        }
        const struct column *after = &steps->after[c];
        for (uint32_t i = 0; i < window->count; i++) {
            if (steps->is_last[i] && !column_is_null(after, i)) {
                window->rows[i] = hash_table_set(tables->groups, window->rows[i],
                                                 set->calls[c].text_field, after, i);
            }
        }
    }
}

enum status aggregate_set_step(struct aggregate_set *set, struct aggregate_tables *tables,
                               struct aggregate_window *window, struct aggregate_steps *steps,
                               struct err *err)
{
    uint32_t *previous = find_previous(set, window);
    step_rows(set, window, previous, steps);
    struct image_step images = make_images(set, window, previous, steps->rows_before);
    steps->before = arena_new_array(window->scratch, struct column, set->call_count + 1);
    steps->after = arena_new_array(window->scratch, struct column, set->call_count + 1);
    for (uint32_t c = 0; c < set->call_count; c++) {
        const struct aggregate_set_call *call = &set->calls[c];
        struct aggregate_feed feed;
        aggregate_feed_make(set, tables, window, c, &feed);
        switch (call->keeping) {
        case AGGREGATE_IMAGE:
            TRY(step_image(call, window, &feed, &images, &steps->before[c], &steps->after[c], err));
            break;
        case AGGREGATE_TEXT:
            step_text(set, window, call, &feed, previous, &steps->before[c], &steps->after[c]);
            break;
        case AGGREGATE_ORDERED:
            TRY(aggregate_ordered_step(set, tables, window, c, &feed, &steps->before[c],
                                       &steps->after[c], err));
            break;
        }
    }
    store(set, tables, window, &images, steps);
    aggregate_set_sweep(set, tables, window);
    return STATUS_OK;
}
