// SPDX-License-Identifier: Apache-2.0
//
// Operators with state against plain models: random changes go in, the changelog that comes out is
// applied to a table, which must be what the model says, and every retraction must name what is
// there. In memory, with hardly any memory (so that calls are pending all the time), with all
// hashes 0, and with a restart from a checkpoint now and then.
#include "exec/op.h"
#include "expr/expr.h"
#include "plan/plan.h"
#include "state/state_testing.h"

enum { KEYS = 300, LIVE_MAX = 6000, BATCH = 150, TEXTS = 40 };

static const struct testing_config configs[] = {
    {"in memory", SIZE_MAX, 0, false},
    {"tiny", 0, 24, false},
    {"all hashes 0", SIZE_MAX, 0, true},
};

// One operator on a state of its own, and how to start it again.
struct rig {
    const struct testing_config *config;
    struct testing testing;
    struct testing_segments segments;
    struct op_context context;
    struct expr_settings settings;
    const struct plan_node *node;
    enum status (*make)(const struct plan_node *, const struct op_context *, struct op **,
                        struct err *);
    struct op *op;
    void (*take)(const struct batch *batch); // output
};

static void rig_open(struct rig *rig)
{
    struct err err;
    rig->context = (struct op_context){
        .parallelism = 1,
        .budget = &rig->testing.budget,
        .expr_settings = &rig->settings,
        .state = rig->testing.context,
        .is_streaming = true,
    };
    TESTING_OK(rig->make(rig->node, &rig->context, &rig->op, &err), err);
}

static void rig_init(struct rig *rig)
{
    testing_init(&rig->testing, rig->config);
    testing_segments_init(&rig->segments);
    rig->settings = (struct expr_settings){.is_streaming = true};
    rig_open(rig);
}

static void rig_push(struct rig *rig, uint32_t port, const struct batch *batch)
{
    struct err err;
    for (;;) {
        struct op_output out = {0};
        enum op_result result = rig->op->class->on_batch(rig->op, port, batch, &out, &err);
        if (result == OP_FAILED) {
            fail_msg("%s", err.text);
        }
        if (result == OP_PENDING) {
            assert_int_equal(out.batch.row_count, 0);
            testing_wait(&rig->testing);
            continue;
        }
        if (out.batch.row_count > 0) {
            TESTING_OK(batch_check(&out.batch, &err), err);
            rig->take(&out.batch);
        }
        if (result == OP_DONE) {
            return;
        }
    }
}

// A checkpoint, and a new instance that goes on from it.
static void rig_restart(struct rig *rig)
{
    struct testing_former former;
    state_checkpoint_begin(rig->testing.context, &rig->segments.sink);
    testing_finish(&rig->testing, 50000);
    testing_former_make(&former, rig->testing.context, &rig->segments);
    rig->op->class->close(rig->op);
    testing_release(&rig->testing);
    testing_init(&rig->testing, rig->config);
    rig_open(rig);
    testing_run_restore(&rig->testing, rig->testing.context, &former.former, 1, 100000);
    // What was written before has numbers of its own: only the new checkpoint counts from here on.
    arena_release(&former.arena);
    testing_segments_release(&rig->segments);
    testing_segments_init(&rig->segments);
}

static void rig_release(struct rig *rig)
{
    rig->op->class->close(rig->op);
    testing_release(&rig->testing);
    testing_segments_release(&rig->segments);
}

static struct plan_node input_node(struct plan_column *columns, uint32_t count)
{
    return (struct plan_node){
        .kind = PLAN_SCAN, .id = 1, .column_count = count, .columns = columns, .changes = 15};
}

// --- GROUP BY ----------------------------------------------------------------------------------

// k BIGINT, v BIGINT, s STRING, f BOOLEAN; v and s may be NULL (-1 here).
struct input_row {
    int32_t key, value, text;
    bool flag;
};

struct result {
    bool is_there;
    int64_t count, sum, least, distinct;
    int32_t greatest; // text
    bool has_sum, has_least, has_greatest;
};

static struct input_row live[LIVE_MAX];
static uint32_t live_count;
static struct result folded[KEYS];
static struct result retracted[KEYS]; // by a -U whose +U is still to come
static const char *texts[TEXTS];

static int32_t text_number(const struct strview *view)
{
    struct str text = strview_str(view);
    return (text.ptr[0] - '0') * 10 + (text.ptr[1] - '0');
}

static struct result output_row(const struct batch *batch, uint32_t row)
{
    const struct column *columns = batch->columns;
    struct result result = {.is_there = true};
    memcpy(&result.count, column_value(&columns[1], row), 8);
    memcpy(&result.sum, column_value(&columns[2], row), 8);
    memcpy(&result.least, column_value(&columns[3], row), 8);
    memcpy(&result.distinct, column_value(&columns[5], row), 8);
    result.has_sum = !column_is_null(&columns[2], row);
    result.has_least = !column_is_null(&columns[3], row);
    result.has_greatest = !column_is_null(&columns[4], row);
    result.greatest = result.has_greatest ? text_number(column_value(&columns[4], row)) : 0;
    return result;
}

static bool same_result(const struct result *a, const struct result *b)
{
    return a->is_there == b->is_there && a->count == b->count && a->has_sum == b->has_sum &&
           a->sum == b->sum && a->has_least == b->has_least && a->least == b->least &&
           a->distinct == b->distinct && a->has_greatest == b->has_greatest &&
           a->greatest == b->greatest;
}

static void fold_groups(const struct batch *batch)
{
    for (uint32_t row = 0; row < batch->row_count; row++) {
        int64_t key;
        memcpy(&key, column_value(&batch->columns[0], row), 8);
        struct result result = output_row(batch, row);
        struct result *now = &folded[key];
        int8_t kind = batch->kinds == NULL ? (int8_t)CHANGE_INSERT : batch->kinds[row];
        if (kind == CHANGE_INSERT) {
            assert_false(now->is_there);
            *now = result;
        } else if (kind == CHANGE_UPDATE_AFTER) {
            assert_true(retracted[key].is_there);
            assert_false(same_result(&retracted[key], &result)); // a pair that says nothing
            retracted[key].is_there = false;
            *now = result;
        } else {
            assert_true(same_result(now, &result));
            retracted[key] = *now;
            retracted[key].is_there = kind == CHANGE_UPDATE_BEFORE;
            *now = (struct result){0};
        }
    }
}

static void check_groups(void)
{
    static struct result expected[KEYS];
    static bool values[KEYS][64];
    memset(expected, 0, sizeof expected);
    memset(values, 0, sizeof values);
    for (uint32_t i = 0; i < live_count; i++) {
        const struct input_row *row = &live[i];
        struct result *result = &expected[row->key];
        result->is_there = true;
        result->count++;
        if (row->value >= 0) {
            result->least =
                !result->has_least || row->value < result->least ? row->value : result->least;
            result->sum += row->value;
            result->has_sum = result->has_least = true;
            if (row->flag && !values[row->key][row->value]) {
                values[row->key][row->value] = true;
                result->distinct++;
            }
        }
        if (row->text >= 0) {
            result->greatest = !result->has_greatest || row->text > result->greatest
                                   ? row->text
                                   : result->greatest;
            result->has_greatest = true;
        }
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        assert_true(same_result(&expected[key], &folded[key]));
    }
}

static void push_rows(struct rig *rig, const struct input_row *rows, const int8_t *kinds,
                      uint32_t count)
{
    struct arena arena;
    arena_init(&arena);
    int64_t *keys = arena_new_array(&arena, int64_t, count);
    int64_t *values = arena_new_array(&arena, int64_t, count);
    struct strview *views = arena_new_array(&arena, struct strview, count);
    uint8_t *flags = arena_new_array(&arena, uint8_t, count);
    uint64_t *value_valid = arena_new_array(&arena, uint64_t, bits_words(count));
    uint64_t *text_valid = arena_new_array(&arena, uint64_t, bits_words(count));
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = rows[i].key;
        flags[i] = rows[i].flag;
        if (rows[i].value >= 0) {
            values[i] = rows[i].value;
            bits_set(value_valid, i);
        }
        if (rows[i].text >= 0) {
            views[i] = strview_make(texts[rows[i].text], strlen(texts[rows[i].text]));
            bits_set(text_valid, i);
        }
    }
    struct column columns[] = {
        {.physical = PHYSICAL_I64, .row_count = count, .values = keys},
        {.physical = PHYSICAL_I64, .row_count = count, .valid = value_valid, .values = values},
        {.physical = PHYSICAL_STRING, .row_count = count, .valid = text_valid, .values = views},
        {.physical = PHYSICAL_BOOL, .row_count = count, .values = flags},
    };
    struct batch batch = {
        .row_count = count, .column_count = 4, .columns = columns, .kinds = kinds};
    rig_push(rig, 0, &batch);
    arena_release(&arena);
}

static void change_groups(struct rig *rig, uint64_t *seed, bool is_shrinking)
{
    struct input_row rows[BATCH];
    int8_t kinds[BATCH];
    uint32_t count = 1 + (uint32_t)(testing_random(seed) % BATCH);
    uint32_t key_max = testing_random(seed) % 3 == 0 ? 5 : KEYS;
    for (uint32_t i = 0; i < count; i++) {
        bool is_minus = live_count > 0 && (live_count == LIVE_MAX ||
                                           testing_random(seed) % 10 < (is_shrinking ? 7 : 3));
        if (is_minus) {
            uint32_t at = (uint32_t)(testing_random(seed) % live_count);
            rows[i] = live[at];
            live[at] = live[--live_count];
            kinds[i] = testing_random(seed) % 2 ? CHANGE_DELETE : CHANGE_UPDATE_BEFORE;
            continue;
        }
        rows[i] = (struct input_row){
            .key = (int32_t)(testing_random(seed) % key_max),
            .value = (int32_t)(testing_random(seed) % 65) - 1,
            .text = (int32_t)(testing_random(seed) % (TEXTS + 1)) - 1,
            .flag = testing_random(seed) % 2,
        };
        kinds[i] = testing_random(seed) % 2 ? CHANGE_INSERT : CHANGE_UPDATE_AFTER;
        live[live_count++] = rows[i];
    }
    push_rows(rig, rows, kinds, count);
    check_groups();
}

static void make_texts(struct arena *arena)
{
    for (uint32_t i = 0; i < TEXTS; i++) {
        char *text = arena_zalloc(arena, 64);
        memset(text, 'x', i % 4 == 0 ? 60 : 4);
        text[0] = (char)('0' + i / 10);
        text[1] = (char)('0' + i % 10);
        texts[i] = text;
    }
}

static void test_group_by_over_a_changing_input_says_what_holds(void **state)
{
    static const struct {
        const char *name;
        uint32_t argument, filter;
        bool is_distinct;
    } calls[] = {{"COUNT", 0, 0, false},
                 {"SUM", 2, 0, false},
                 {"MIN", 2, 0, false},
                 {"MAX", 3, 0, false},
                 {"COUNT", 2, 4, true}};
    struct arena arena;
    struct err err;
    struct rig rig = {.config = *state, .make = op_group_aggregate_new, .take = fold_groups};
    struct plan_column columns[] = {{.id = 1, .type = &type_bigint},
                                    {.id = 2, .type = &type_bigint},
                                    {.id = 3, .type = &type_string},
                                    {.id = 4, .type = &type_boolean}};
    struct plan_node input = input_node(columns, 4);
    const struct plan_node *inputs[] = {&input};
    struct plan_aggregate_call plan_calls[5];
    struct plan_column outputs[6] = {columns[0]};
    uint32_t keys[] = {1};
    arena_init(&arena);
    make_texts(&arena);
    for (uint32_t i = 0; i < 5; i++) {
        const struct plan_column *argument =
            calls[i].argument == 0 ? NULL : &columns[calls[i].argument - 1];
        const struct expr **arguments = arena_new_array(&arena, const struct expr *, 1);
        plan_calls[i] = (struct plan_aggregate_call){.arguments = arguments,
                                                     .argument_count = argument != NULL,
                                                     .is_distinct = calls[i].is_distinct,
                                                     .filter = calls[i].filter,
                                                     .output_id = 10 + i};
        if (argument != NULL) {
            arguments[0] = expr_column(&arena, argument->id, STR_LIT("x"), argument->type);
        }
        TESTING_OK(aggregate_resolve(&arena, str_from(calls[i].name),
                                     argument == NULL ? NULL : argument->type,
                                     &plan_calls[i].function, &err),
                   err);
        plan_calls[i].type = plan_calls[i].function->type;
        outputs[i + 1] = (struct plan_column){.id = 10 + i, .type = plan_calls[i].type};
    }
    struct plan_node node = {
        .kind = PLAN_GROUP_AGGREGATE,
        .id = 2,
        .input_count = 1,
        .inputs = inputs,
        .column_count = 6,
        .columns = outputs,
        .changes = 15,
        .as.group_aggregate = {
            .keys = {1, keys}, .call_count = 5, .calls = plan_calls, .needs_update_before = true}};
    uint64_t seed = 4;
    live_count = 0;
    memset(folded, 0, sizeof folded);
    memset(retracted, 0, sizeof retracted);
    rig.node = &node;
    rig_init(&rig);
    for (int round = 0; round < 160; round++) {
        change_groups(&rig, &seed, round % 50 > 35);
        if (round % 40 == 39) {
            rig_restart(&rig);
        }
    }
    while (live_count > 0) {
        change_groups(&rig, &seed, true);
    }
    rig_release(&rig);
    arena_release(&arena);
}

// --- joins -------------------------------------------------------------------------------------

enum { JOIN_KEYS = 12, PAYLOADS = 25 };

// left: k BIGINT, a BIGINT; right: k BIGINT, b BIGINT. The last key is NULL and matches nothing.
static int sides[2][JOIN_KEYS + 1][PAYLOADS];
static int joined[JOIN_KEYS][PAYLOADS][PAYLOADS];
static bool has_condition;

static void fold_pairs(const struct batch *batch)
{
    for (uint32_t row = 0; row < batch->row_count; row++) {
        int64_t left_key, a, right_key, b;
        memcpy(&left_key, column_value(&batch->columns[0], row), 8);
        memcpy(&a, column_value(&batch->columns[1], row), 8);
        memcpy(&right_key, column_value(&batch->columns[2], row), 8);
        memcpy(&b, column_value(&batch->columns[3], row), 8);
        assert_int_equal(left_key, right_key);
        bool is_minus = batch->kinds != NULL && change_is_retraction(batch->kinds[row]);
        joined[left_key][a][b] += is_minus ? -1 : 1;
    }
}

static void check_pairs(void)
{
    for (uint32_t key = 0; key < JOIN_KEYS; key++) {
        for (uint32_t a = 0; a < PAYLOADS; a++) {
            for (uint32_t b = 0; b < PAYLOADS; b++) {
                bool counts = !has_condition || a < b;
                assert_int_equal(joined[key][a][b],
                                 counts ? sides[0][key][a] * sides[1][key][b] : 0);
            }
        }
    }
}

static void change_side(struct rig *rig, uint64_t *seed)
{
    int64_t keys[BATCH], payloads[BATCH];
    uint64_t valid[(BATCH + 63) / 64] = {0};
    int8_t kinds[BATCH];
    uint32_t port = (uint32_t)(testing_random(seed) % 2);
    uint32_t count = 1 + (uint32_t)(testing_random(seed) % BATCH);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = (uint32_t)(testing_random(seed) % (JOIN_KEYS + 1));
        payloads[i] = (int64_t)(testing_random(seed) % PAYLOADS);
        int *counted = &sides[port][key][payloads[i]];
        // Sometimes a retraction comes before its row.
        bool is_minus =
            *counted > 0 ? testing_random(seed) % 2 == 0 : testing_random(seed) % 8 == 0;
        *counted += is_minus ? -1 : 1;
        kinds[i] = is_minus ? CHANGE_DELETE : CHANGE_INSERT;
        keys[i] = key == JOIN_KEYS ? 0 : key;
        if (key != JOIN_KEYS) {
            bits_set(valid, i);
        }
    }
    struct column columns[] = {
        {.physical = PHYSICAL_I64, .row_count = count, .valid = valid, .values = keys},
        {.physical = PHYSICAL_I64, .row_count = count, .values = payloads}};
    rig_push(
        rig, port,
        &(struct batch){.row_count = count, .column_count = 2, .columns = columns, .kinds = kinds});
}

static void run_join(const struct testing_config *config)
{
    struct arena arena;
    struct err err;
    struct rig rig = {.config = config, .make = op_join_new, .take = fold_pairs};
    struct plan_column columns[] = {{.id = 1, .type = &type_bigint},
                                    {.id = 2, .type = &type_bigint},
                                    {.id = 3, .type = &type_bigint},
                                    {.id = 4, .type = &type_bigint}};
    struct plan_node left = input_node(columns, 2);
    struct plan_node right = input_node(columns + 2, 2);
    const struct plan_node *inputs[] = {&left, &right};
    uint32_t left_keys[] = {1}, right_keys[] = {3};
    struct plan_node node = {.kind = PLAN_JOIN,
                             .id = 3,
                             .input_count = 2,
                             .inputs = inputs,
                             .column_count = 4,
                             .columns = columns,
                             .changes = 15,
                             .as.join = {.kind = PLAN_JOIN_INNER,
                                         .left_keys = {1, left_keys},
                                         .right_keys = {1, right_keys}}};
    arena_init(&arena);
    if (has_condition) {
        const struct expr *args[] = {expr_column(&arena, 2, STR_LIT("a"), &type_bigint),
                                     expr_column(&arena, 4, STR_LIT("b"), &type_bigint)};
        TESTING_OK(expr_call(&arena, "<", EXPR_LIST(args), &node.as.join.condition, &err), err);
    }
    uint64_t seed = has_condition ? 17 : 18;
    memset(sides, 0, sizeof sides);
    memset(joined, 0, sizeof joined);
    rig.node = &node;
    rig_init(&rig);
    for (int round = 0; round < 120; round++) {
        change_side(&rig, &seed);
        if (round % 10 == 9) {
            check_pairs();
        }
        if (round % 40 == 39) {
            rig_restart(&rig);
        }
    }
    check_pairs();
    rig_release(&rig);
    arena_release(&arena);
}

static void test_a_join_holds_every_pair_as_often_as_both_sides_do(void **state)
{
    has_condition = false;
    run_join(*state);
}

static void test_a_join_with_a_condition_leaves_out_the_others(void **state)
{
    has_condition = true;
    run_join(*state);
}

#define IN_ALL_CONFIGS(test)                                                                       \
    {#test " in memory", test, NULL, NULL, (void *)(uintptr_t)&configs[0]},                        \
        {#test " tiny", test, NULL, NULL, (void *)(uintptr_t)&configs[1]},                         \
    {                                                                                              \
#test " zero", test, NULL, NULL, (void *)(uintptr_t)&configs[2]                            \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ALL_CONFIGS(test_group_by_over_a_changing_input_says_what_holds),
        IN_ALL_CONFIGS(test_a_join_holds_every_pair_as_often_as_both_sides_do),
        IN_ALL_CONFIGS(test_a_join_with_a_condition_leaves_out_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
