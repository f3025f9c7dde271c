// SPDX-License-Identifier: Apache-2.0
#include "connect/print_sink.h"

#include <math.h>
#include <unistd.h>

#include "connect/blackhole_sink.h"
#include "connect/print_row.h"
#include "connect/source_harness.h"
#include "data/column_builder.h"

static void rows_are_printed_as_java_does(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct type_field inner[] = {{.name = STR_LIT("x"), .type = &type_int},
                                       {.name = STR_LIT("y"), .type = &type_string}};
    const struct type *types[] = {
        &type_boolean,
        &type_string,
        type_decimal(&arena, 10, 2, true),
        &type_double,
        &type_bytes,
        &type_date,
        &type_time,
        &type_timestamp6,
        &type_timestamp_ltz3,
        type_array(&arena, &type_int, true),
        type_map(&arena, &type_string, &type_int, true),
        type_row(&arena, inner, 2, true),
        &type_interval_month,
        &type_interval_second,
    };
    enum { COUNT = sizeof types / sizeof types[0] };
    struct column_builder *b[COUNT];
    struct column columns[COUNT];
    for (int i = 0; i < COUNT; i++) {
        b[i] = column_builder_new(&arena, types[i], 4);
    }
    column_builder_bool(b[0], true);
    column_builder_string(b[1], STR_LIT("a text"));
    column_builder_i64(b[2], 1250);
    column_builder_f64(b[3], 1e10);
    column_builder_string(b[4], STR_LIT("\x01\xff"));
    column_builder_i32(b[5], 19782);
    column_builder_i32(b[6], 45000000); // 12:30
    column_builder_timestamp_us(b[7], INT64_C(1709209800500000));
    column_builder_timestamp_us(b[8], INT64_C(1709209800000000));
    column_builder_list_begin(b[9]);
    column_builder_i32(column_builder_child(b[9], 0), 1);
    column_builder_null(column_builder_child(b[9], 0));
    column_builder_list_end(b[9]);
    column_builder_list_begin(b[10]);
    column_builder_string(column_builder_child(b[10], 0), STR_LIT("k"));
    column_builder_i32(column_builder_child(b[10], 1), 7);
    column_builder_list_end(b[10]);
    column_builder_i32(column_builder_child(b[11], 0), 3);
    column_builder_string(column_builder_child(b[11], 1), STR_LIT("z"));
    column_builder_row(b[11]);
    column_builder_i32(b[12], 14);
    column_builder_i64(b[13], 3723500);
    for (int i = 0; i < COUNT; i++) {
        column_builder_null(b[i]);
        columns[i] = column_builder_finish(b[i]);
    }
    static const int8_t kinds[] = {CHANGE_UPDATE_AFTER, CHANGE_DELETE};
    struct batch batch = {
        .row_count = 2, .column_count = COUNT, .columns = columns, .kinds = kinds};
    struct strbuf text;
    strbuf_init(&text, 1 << 16);
    print_row(&text, &batch, types, 0);
    assert_string_equal(text.ptr,
                        "+U[true, a text, 12.50, 1.0E10, [1, -1], 2024-02-29, 12:30, "
                        "2024-02-29T12:30:00.500, 2024-02-29T12:30:00Z, [1, null], {k=7}, "
                        "+I[3, z], P1Y2M, PT1H2M3.5S]");
    strbuf_reset(&text);
    print_row(&text, &batch, types, 1);
    assert_string_equal(text.ptr, "-D[null, null, null, null, null, null, null, null, null, null, "
                                  "null, null, null, null]");
    strbuf_release(&text);
    arena_release(&arena);
}

// What a sink writes to standard output for one batch {1, NULL}.
static enum status print(struct harness *h, const struct sink_class *class, bool enforce,
                         char out[512])
{
    static const int32_t values[] = {1, 0};
    static const uint64_t valid[] = {1};
    struct column column = {
        .physical = PHYSICAL_I32, .row_count = 2, .values = values, .valid = valid};
    struct batch batch = {.row_count = 2, .column_count = 1, .columns = &column};
    struct plan_column plan_column = {.id = 1, .name = STR_LIT("id"), .type = &type_int};
    uint32_t table_column = 0;
    struct plan_node input = {.column_count = 1, .columns = &plan_column};
    const struct plan_node *inputs[] = {&input};
    struct plan_node sink = {
        .kind = PLAN_SINK,
        .input_count = 1,
        .inputs = inputs,
        .as.sink = {.table = &h->def, .table_columns = &table_column, .enforce_not_null = enforce}};
    struct op *op;
    struct op_output output = {0};
    assert_int_equal(class->open(&sink, &h->context, &op, &h->err), STATUS_OK);
    // Standard output goes to a file meanwhile.
    FILE *file = tmpfile();
    fflush(stdout);
    int saved = dup(1);
    assert_true(dup2(fileno(file), 1) == 1);
    enum op_result result = op->class->on_batch(op, 0, &batch, &output, &h->err);
    fflush(stdout);
    assert_true(dup2(saved, 1) == 1);
    close(saved);
    rewind(file);
    out[fread(out, 1, 511, file)] = 0;
    fclose(file);
    op->class->close(op);
    return result == OP_DONE ? STATUS_OK : h->err.status;
}

static void lines_have_the_prefix_that_flink_gives_them(void **state)
{
    (void)state;
    struct harness h;
    char text[512];
    harness_init(&h);
    harness_column(&h, "id", &type_int);
    assert_int_equal(print(&h, &print_sink_class, true, text), STATUS_OK);
    assert_string_equal(text, "+I[1]\n+I[null]\n");
    h.context.parallelism = 4;
    h.context.instance = 1;
    assert_int_equal(print(&h, &print_sink_class, true, text), STATUS_OK);
    assert_string_equal(text, "2> +I[1]\n2> +I[null]\n");
    harness_option(&h, "print-identifier", "x");
    assert_int_equal(print(&h, &print_sink_class, true, text), STATUS_OK);
    assert_string_equal(text, "x:2> +I[1]\nx:2> +I[null]\n");
    h.context.parallelism = 1;
    assert_int_equal(print(&h, &print_sink_class, true, text), STATUS_OK);
    assert_string_equal(text, "x> +I[1]\nx> +I[null]\n");
    harness_release(&h);
}

static void nulls_for_not_null_columns_fail_or_are_dropped(void **state)
{
    (void)state;
    struct harness h;
    char text[512];
    struct type not_null = {.kind = TYPE_INT};
    harness_init(&h);
    harness_column(&h, "id", &not_null);
    assert_int_equal(print(&h, &print_sink_class, true, text), STATUS_INVALID_DATA);
    assert_string_equal(h.err.text, "NULL for column 'id' of 't', which is NOT NULL");
    assert_int_equal(print(&h, &blackhole_sink_class, true, text), STATUS_INVALID_DATA);
    assert_int_equal(print(&h, &print_sink_class, false, text), STATUS_OK);
    assert_string_equal(text, "+I[1]\n");
    assert_int_equal(print(&h, &blackhole_sink_class, false, text), STATUS_OK);
    assert_string_equal(text, "");
    harness_release(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_printed_as_java_does),
        cmocka_unit_test(lines_have_the_prefix_that_flink_gives_them),
        cmocka_unit_test(nulls_for_not_null_columns_fail_or_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
