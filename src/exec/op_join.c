// SPDX-License-Identifier: Apache-2.0
//
// Inner join by equality, with a residual condition. Each side's rows are kept in a multimap; a
// row that arrives is added to its side (or taken from it) and joined with what the other side
// holds now, so every pair is made once, by whichever row comes second. The kind of the change is
// the arriving row's.
//
// Rows with a NULL in a key that is compared by = match nothing and are not kept.
//
// Equal rows of a side are kept as one with a count, so that a retraction finds its row. A side
// that only grows needs no counts: there every row is kept by itself, unless rows are so narrow
// that many may be equal (keeps_each_row()).
#include <string.h>

#include "base/mem.h"
#include "exec/column_map.h"
#include "exec/key_hash.h"
#include "exec/op.h"
#include "expr/program.h"
#include "kernel/hash_columns.h"
#include "plan/plan.h"
#include "state/multimap.h"

enum {
    TABLES_A_SIDE = 3,
    PAIRS_MAX = 1024,
    OUT_ROWS_MAX = BATCH_ROWS_MAX,
    VALUES_TELLING_APART = 3, // beside the key: with so many columns rows are seldom equal
};

struct side {
    struct multimap *map;
    uint32_t column_count;
    uint32_t *keys; // positions
    bool is_append;
};

struct op_join {
    struct op op;
    struct side sides[2];
    uint32_t key_count;
    const bool *null_safe;
    struct program *condition; // over left and right columns; NULL: none
    // The batch in work.
    bool is_begun;
    bool is_matching;         // rows from ... from + count - 1 are kept, pairs remain
    struct arena batch_arena; // of what holds for the whole batch
    struct batch rows;        // without rows that match nothing
    struct multimap_input input;
    struct column *key_columns;
    uint32_t from, count;
    struct multimap_pairs *pairs; // the window in work, in place until the next is asked for
    uint32_t pair;                // next one to be handed out
    uint64_t repeated;            // how often it was already
};

// Leaves out rows that have a NULL in a key that is not null-safe.
static struct batch without_null_keys(struct op_join *join, const struct side *side,
                                      const struct batch *in)
{
    uint64_t keep[BATCH_WORDS_MAX];
    bits_fill(keep, in->row_count);
    bool any = false;
    for (uint32_t i = 0; i < join->key_count; i++) {
        const struct column *key = &in->columns[side->keys[i]];
        if ((join->null_safe != NULL && join->null_safe[i]) || key->valid == NULL) {
            continue;
        }
        any = true;
        for (uint32_t word = 0; word < bits_words(in->row_count); word++) {
            keep[word] &= column_valid_word(key, word);
        }
    }
    uint32_t kept = any ? bits_count(keep, in->row_count) : in->row_count;
    if (kept == in->row_count) {
        return *in;
    }
    uint16_t *rows = arena_alloc(&join->batch_arena, (kept + 1) * sizeof *rows);
    bits_positions(keep, in->row_count, rows);
    return batch_gather(&join->batch_arena, in, rows, kept);
}

static void begin(struct op_join *join, uint32_t port, const struct batch *in)
{
    const struct side *side = &join->sides[port];
    struct arena *arena = &join->batch_arena;
    arena_reset(arena);
    join->rows = without_null_keys(join, side, in);
    uint32_t row_count = join->rows.row_count;
    join->key_columns = arena_new_array(arena, struct column, join->key_count + 1);
    for (uint32_t i = 0; i < join->key_count; i++) {
        join->key_columns[i] = join->rows.columns[side->keys[i]];
    }
    uint64_t *key_hashes = arena_alloc(arena, (row_count + 1) * sizeof *key_hashes);
    uint64_t *row_hashes = NULL;
    hash_columns(join->key_columns, join->key_count, row_count, key_hashes);
    if (!side->is_append) {
        row_hashes = arena_alloc(arena, (row_count + 1) * sizeof *row_hashes);
        hash_columns(join->rows.columns, side->column_count, row_count, row_hashes);
        key_hash_join(key_hashes, row_hashes, row_count);
    }
    join->input = (struct multimap_input){.columns = join->rows.columns,
                                          .row_hashes = row_hashes,
                                          .key_hashes = key_hashes,
                                          .kinds = join->rows.kinds,
                                          .count = row_count};
    join->from = join->count = 0;
    join->is_begun = true;
    join->is_matching = false;
}

// Keeps the next rows and begins to match them.
static enum status keep(struct op_join *join, uint32_t port, struct err *err)
{
    struct multimap *own = join->sides[port].map;
    TRY(multimap_prepare(own, &join->input, join->from, &join->count, err));
    multimap_change(own, &join->input, join->from, join->count);
    uint16_t *rows = arena_alloc(&join->batch_arena, join->count * sizeof *rows);
    for (uint32_t i = 0; i < join->count; i++) {
        rows[i] = (uint16_t)(join->from + i);
    }
    struct hash_keys keys = {.columns = join->key_columns,
                             .column_count = join->key_count,
                             .hashes = join->input.key_hashes,
                             .rows = rows,
                             .count = join->count};
    multimap_match(join->sides[1 - port].map, &keys);
    join->pairs->count = 0;
    join->pair = 0;
    join->is_matching = true;
    return STATUS_OK;
}

// A stored row that was retracted before it was added counts negatively: the change turns around.
static int8_t turned(int8_t kind)
{
    static const int8_t opposite[] = {CHANGE_DELETE, CHANGE_UPDATE_AFTER, CHANGE_UPDATE_BEFORE,
                                      CHANGE_INSERT};
    return opposite[kind];
}

// Pairs that stand for several equal rows are repeated.
struct expansion {
    uint16_t *probe;
    struct row **rows;
    int8_t *kinds;
    uint32_t count;
    bool all_inserts;
};

// Takes pairs from the window, as many repetitions as a batch holds.
static void expand(struct op_join *join, struct expansion *out)
{
    struct arena *scratch = &join->op.scratch;
    const struct multimap_pairs *pairs = join->pairs;
    out->probe = arena_alloc(scratch, OUT_ROWS_MAX * sizeof *out->probe);
    out->rows = arena_alloc(scratch, OUT_ROWS_MAX * sizeof *out->rows);
    out->kinds = arena_alloc(scratch, OUT_ROWS_MAX);
    out->count = 0;
    out->all_inserts = true;
    while (join->pair < pairs->count && out->count < OUT_ROWS_MAX) {
        uint32_t at = join->pair;
        int64_t count = pairs->counts[at];
        int8_t kind =
            join->rows.kinds == NULL ? (int8_t)CHANGE_INSERT : join->rows.kinds[pairs->probe[at]];
        kind = count < 0 ? turned(kind) : kind;
        out->all_inserts = out->all_inserts && kind == CHANGE_INSERT;
        out->probe[out->count] = pairs->probe[at];
        out->rows[out->count] = pairs->rows[at];
        out->kinds[out->count++] = kind;
        if (++join->repeated == (uint64_t)(count < 0 ? -count : count)) {
            join->pair++;
            join->repeated = 0;
        }
    }
}

static struct batch assemble(struct op_join *join, uint32_t port, const struct expansion *pairs)
{
    uint32_t count = pairs->count;
    struct arena *scratch = &join->op.scratch;
    const struct side *own = &join->sides[port];
    const struct side *other = &join->sides[1 - port];
    uint32_t column_count = own->column_count + other->column_count;
    struct column *columns = arena_new_array(scratch, struct column, column_count);
    struct column *own_columns = port == 0 ? columns : columns + other->column_count;
    struct column *other_columns = port == 0 ? columns + own->column_count : columns;
    for (uint32_t i = 0; i < own->column_count; i++) {
        own_columns[i] = column_gather(scratch, &join->rows.columns[i], pairs->probe, count);
    }
    const struct row_layout *layout = multimap_layout(other->map);
    for (uint32_t i = 0; i < other->column_count; i++) {
        other_columns[i] = row_layout_column(layout, i, pairs->rows, count, scratch);
    }
    return (struct batch){.row_count = count,
                          .column_count = column_count,
                          .columns = columns,
                          .kinds = pairs->all_inserts ? NULL : pairs->kinds};
}

static enum status apply_condition(struct op_join *join, struct batch *batch, struct err *err)
{
    uint64_t is_true[BATCH_WORDS_MAX];
    TRY(program_filter(join->condition, batch, is_true, err));
    uint32_t kept = bits_count(is_true, batch->row_count);
    if (kept < batch->row_count) {
        uint16_t *rows = arena_alloc(&join->op.scratch, (kept + 1) * sizeof *rows);
        bits_positions(is_true, batch->row_count, rows);
        *batch = batch_gather(&join->op.scratch, batch, rows, kept);
    }
    return STATUS_OK;
}

// The next pairs as output.
static enum status match(struct op_join *join, uint32_t port, struct batch *out, struct err *err)
{
    struct expansion expansion;
    if (join->pair == join->pairs->count) {
        join->pair = 0; // also where there are none yet: AGAIN leaves an empty window
        join->repeated = 0;
        TRY(multimap_next(join->sides[1 - port].map, PAIRS_MAX, join->pairs, err));
    }
    expand(join, &expansion);
    *out = assemble(join, port, &expansion);
    return join->condition == NULL ? STATUS_OK : apply_condition(join, out, err);
}

static enum op_result join_on_batch(struct op *op, uint32_t port, const struct batch *in,
                                    struct op_output *out, struct err *err)
{
    struct op_join *join = (struct op_join *)op;
    arena_reset(&op->scratch);
    if (!join->is_begun) {
        begin(join, port, in);
    }
    enum status status = STATUS_OK;
    if (join->is_matching) {
        status = match(join, port, &out->batch, err);
        if (status == STATUS_OK) {
            return OP_MORE;
        }
        if (status == STATUS_END) {
            join->is_matching = false;
            join->from += join->count;
            status = STATUS_OK;
        }
    }
    if (status == STATUS_OK && join->from == join->rows.row_count) {
        join->is_begun = false;
        multimap_done(join->sides[0].map);
        multimap_done(join->sides[1].map);
        return OP_DONE;
    }
    if (status == STATUS_OK) {
        status = keep(join, port, err);
    }
    if (status != STATUS_OK) {
        return status == STATUS_AGAIN ? OP_PENDING : OP_FAILED;
    }
    return OP_MORE;
}

static void join_close(struct op *op)
{
    struct op_join *join = (struct op_join *)op;
    for (int i = 0; i < 2; i++) {
        multimap_free(join->sides[i].map);
        mem_free(join->sides[i].keys);
    }
    program_free(join->condition);
    mem_free(join->pairs);
    arena_release(&join->batch_arena);
    op_release(op);
    mem_free(join);
}

static const struct op_class join_class = {
    .name = "join",
    .on_batch = join_on_batch,
    .close = join_close,
};

// Whether to keep each row of `input` by itself. What decides does not change from one run of a
// plan to the next: the forms of state differ.
static bool keeps_each_row(const struct plan_node *input, uint32_t key_count)
{
    if (input->changes != 1 << CHANGE_INSERT) {
        return false;
    }
    bool has_time = false;
    for (uint32_t i = 0; i < input->column_count; i++) {
        has_time |= type_is_timestamp(input->columns[i].type);
    }
    return has_time || input->upsert_key_count > 0 ||
           input->column_count >= key_count + VALUES_TELLING_APART;
}

static void open_side(struct op_join *join, uint32_t at, struct plan_ids keys)
{
    const struct plan_node *input = join->op.node->inputs[at];
    struct arena *scratch = &join->op.scratch;
    struct side *side = &join->sides[at];
    side->column_count = input->column_count;
    side->is_append = keeps_each_row(input, keys.count);
    side->keys = mem_zalloc((keys.count + 1) * sizeof *side->keys);
    const uint32_t *positions = column_map_positions(scratch, input, keys);
    memcpy(side->keys, positions, keys.count * sizeof *positions);
    const struct type **types = arena_new_array(scratch, const struct type *, input->column_count);
    for (uint32_t i = 0; i < input->column_count; i++) {
        types[i] = input->columns[i].type;
    }
    struct multimap_options options = {.types = types,
                                       .column_count = input->column_count,
                                       .keys = side->keys,
                                       .key_count = keys.count,
                                       .id = at * TABLES_A_SIDE,
                                       .is_append = side->is_append};
    side->map = multimap_new(join->op.context->state, &options);
}

enum status op_join_new(const struct plan_node *node, const struct op_context *context,
                        struct op **out, struct err *err)
{
    const struct plan_join *plan = &node->as.join;
    if (plan->kind != PLAN_JOIN_INNER) {
        return ERR(err, STATUS_UNSUPPORTED, "only inner joins are supported yet");
    }
    struct op_join *join = mem_zalloc(sizeof *join);
    op_init(&join->op, &join_class, context, node);
    join->op.port_count = 2;
    join->key_count = plan->left_keys.count;
    join->null_safe = plan->null_safe;
    join->pairs = mem_zalloc(sizeof *join->pairs);
    open_side(join, 0, plan->left_keys);
    open_side(join, 1, plan->right_keys);
    enum status status = STATUS_OK;
    if (plan->condition != NULL) {
        struct program_spec spec = {.exprs = &plan->condition,
                                    .count = 1,
                                    .column_ids = column_map_ids(&join->op.scratch, node),
                                    .column_count = node->column_count,
                                    .settings = context->expr_settings};
        status = program_compile(&spec, &join->condition, err);
    }
    if (status != STATUS_OK) {
        join_close(&join->op);
        return status;
    }
    *out = &join->op;
    return STATUS_OK;
}
