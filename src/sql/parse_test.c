// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "sql/parse.h"
#include "sql/unparse.h"

struct fixture {
    struct arena arena;
    struct err err;
    const struct ast_statement *statement;
};

static void parse(struct fixture *fixture, const char *text)
{
    arena_init(&fixture->arena);
    enum status status =
        parse_statement(&fixture->arena, str_from(text), &fixture->statement, &fixture->err);
    if (status != STATUS_OK) {
        fail_msg("%s\n%s", text, fixture->err.text);
    }
}

// What an expression means, with the parentheses that its operators need.
static void assert_expression(const char *text, const char *expected)
{
    struct arena arena;
    struct err err = {.text = ""};
    struct strbuf out;
    const struct ast_expr *expr;
    arena_init(&arena);
    strbuf_init(&out, 1 << 16);
    enum status status = parse_expression(&arena, str_from(text), &expr, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(status, STATUS_OK);
    unparse_expr(&out, str_from(text), expr);
    assert_string_equal(out.ptr, expected);
    strbuf_release(&out);
    arena_release(&arena);
}

static void operators_bind_as_in_calcite(void **state)
{
    (void)state;
    assert_expression("a + b * c", "`a` + `b` * `c`");
    assert_expression("((a + b)) * c", "(`a` + `b`) * `c`");
    assert_expression("a - (b - c) - d", "`a` - (`b` - `c`) - `d`");
    assert_expression("a / (b * c)", "`a` / (`b` * `c`)");
    // || is of the level of *.
    assert_expression("a || b + c", "`a` || `b` + `c`");
    assert_expression("a || (b + c)", "`a` || (`b` + `c`)");
    assert_expression("- - a", "- -`a`");
    assert_expression("NOT (a = b)", "NOT `a` = `b`");
    assert_expression("(NOT a) = b", "(NOT `a`) = `b`");
    assert_expression("a OR b AND c", "`a` OR `b` AND `c`");
    assert_expression("(a OR b) AND c", "(`a` OR `b`) AND `c`");
    assert_expression("(a = b) IS NULL", "`a` = `b` IS NULL");
    assert_expression("a = (b IS NULL)", "`a` = (`b` IS NULL)");
    assert_expression("a IN (1, 2) = b", "`a` IN (1, 2) = `b`");
    assert_expression("a BETWEEN 1 AND 2 AND c", "`a` BETWEEN 1 AND 2 AND `c`");
    assert_expression("a NOT BETWEEN (b AND c) AND d", "`a` NOT BETWEEN (`b` AND `c`) AND `d`");
    assert_expression("a LIKE b ESCAPE 'x' OR c", "`a` LIKE `b` ESCAPE 'x' OR `c`");
    assert_expression("a IS NOT DISTINCT FROM b + 1", "`a` IS NOT DISTINCT FROM `b` + 1");
    assert_expression("a[1].b[c + 1]", "`a`[1].`b`[`c` + 1]");
    assert_expression("(a).b", "(`a`).`b`");
}

static void special_calls_have_their_arguments_in_order(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture, "SELECT SUBSTRING(s FROM 1 FOR 2), EXTRACT(DAY FROM d), TRIM(LEADING FROM s), "
                    "CEIL(d TO MONTH)");
    const struct ast_select *select = &fixture.statement->as.query->body->as.select;
    const struct ast_call *substring = &select->items[0].expr->as.call;
    assert_int_equal(substring->form, AST_CALL_FROM_FOR);
    assert_int_equal(substring->args.count, 3);
    const struct ast_call *extract = &select->items[1].expr->as.call;
    assert_int_equal(extract->args.items[0]->kind, AST_EXPR_UNIT);
    assert_int_equal(extract->args.items[0]->as.unit, AST_UNIT_DAY);
    const struct ast_call *trim = &select->items[2].expr->as.call;
    assert_int_equal(trim->args.count, 3);
    assert_true(str_is(trim->args.items[0]->as.symbol, "LEADING"));
    assert_true(str_is(trim->args.items[1]->as.literal.text, " "));
    const struct ast_call *ceil = &select->items[3].expr->as.call;
    assert_int_equal(ceil->args.items[1]->as.unit, AST_UNIT_MONTH);
    arena_release(&fixture.arena);
}

static void intervals_keep_text_sign_and_qualifier(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture, "SELECT INTERVAL -'1 02:03' DAY(3) TO SECOND(6), INTERVAL '5' DAYS");
    const struct ast_select *select = &fixture.statement->as.query->body->as.select;
    const struct ast_literal *first = &select->items[0].expr->as.literal;
    assert_true(first->negative);
    assert_true(str_is(first->text, "1 02:03"));
    assert_int_equal(first->interval.from, AST_UNIT_DAY);
    assert_int_equal(first->interval.to, AST_UNIT_SECOND);
    assert_int_equal(first->interval.precision, 3);
    assert_int_equal(first->interval.scale, 6);
    const struct ast_literal *second = &select->items[1].expr->as.literal;
    assert_int_equal(second->interval.to, AST_UNIT_DAY);
    assert_int_equal(second->interval.precision, -1);
    arena_release(&fixture.arena);
}

static void joins_associate_to_the_left_and_parentheses_hold(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture, "SELECT * FROM a LEFT JOIN (b JOIN c USING (x)) ON TRUE, d");
    const struct ast_table *from = fixture.statement->as.query->body->as.select.from;
    assert_int_equal(from->as.join.kind, AST_JOIN_COMMA);
    const struct ast_table *left = from->as.join.left;
    assert_int_equal(left->as.join.kind, AST_JOIN_LEFT);
    assert_int_equal(left->as.join.right->kind, AST_TABLE_JOIN);
    assert_true(left->as.join.right->as.join.has_using);
    arena_release(&fixture.arena);
}

static void two_parentheses_may_be_a_query_or_a_join(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture,
          "SELECT * FROM ((SELECT 1) UNION SELECT 2) AS u, ((SELECT 3) AS a JOIN b ON c)");
    const struct ast_table *from = fixture.statement->as.query->body->as.select.from;
    assert_int_equal(from->as.join.left->kind, AST_TABLE_QUERY);
    assert_int_equal(from->as.join.left->as.query->body->kind, AST_BODY_SET);
    assert_int_equal(from->as.join.right->kind, AST_TABLE_JOIN);
    arena_release(&fixture.arena);
}

static void intersect_binds_more_than_union(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture, "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4");
    const struct ast_body *body = fixture.statement->as.query->body;
    assert_int_equal(body->as.set.op, AST_SET_EXCEPT);
    assert_int_equal(body->as.set.left->as.set.op, AST_SET_UNION);
    assert_true(body->as.set.left->as.set.all);
    assert_int_equal(body->as.set.left->as.set.right->as.set.op, AST_SET_INTERSECT);
    arena_release(&fixture.arena);
}

static void a_window_function_takes_a_table_a_descriptor_and_named_arguments(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture, "SELECT * FROM TABLE(HOP(DATA => TABLE a.b PARTITION BY (k, l), TIMECOL => "
                    "DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY))");
    const struct ast_table *from = fixture.statement->as.query->body->as.select.from;
    assert_int_equal(from->kind, AST_TABLE_FUNCTION);
    const struct ast_call *call = &from->as.function.call->as.call;
    assert_int_equal(call->args.items[0]->kind, AST_EXPR_NAMED_ARG);
    const struct ast_expr *table = call->args.items[0]->as.named.value;
    assert_int_equal(table->kind, AST_EXPR_TABLE_ARG);
    assert_int_equal(table->as.table.path.count, 2);
    assert_int_equal(table->as.table.partition_by.count, 2);
    const struct ast_expr *descriptor = call->args.items[1]->as.named.value;
    assert_int_equal(descriptor->kind, AST_EXPR_DESCRIPTOR);
    assert_true(str_is(descriptor->as.descriptor.items[0].text, "ts"));
    arena_release(&fixture.arena);
}

static void a_table_has_columns_of_all_kinds(void **state)
{
    (void)state;
    struct fixture fixture;
    parse(&fixture,
          "CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (a INT NOT NULL PRIMARY KEY NOT ENFORCED "
          "COMMENT 'x', b AS a + 1, p STRING METADATA FROM 'key' VIRTUAL, ts TIMESTAMP(3) WITH "
          "LOCAL TIME ZONE, WATERMARK FOR ts AS ts, UNIQUE (a)) PARTITIONED BY (a, bucket(16, p), "
          "day(ts)) WITH ('k' = 'v')");
    const struct ast_create_table *table = &fixture.statement->as.create_table;
    assert_true(table->temporary);
    assert_true(table->if_not_exists);
    assert_int_equal(table->name.count, 3);
    assert_int_equal(table->schema.column_count, 4);
    const struct ast_column *columns = table->schema.columns;
    assert_int_equal(columns[0].type->nullability, AST_NULL_FORBIDDEN);
    assert_int_equal(columns[0].constraint->enforcement, AST_NOT_ENFORCED);
    assert_true(str_is(columns[0].comment.value, "x"));
    assert_int_equal(columns[1].kind, AST_COLUMN_COMPUTED);
    assert_int_equal(columns[2].kind, AST_COLUMN_METADATA);
    assert_true(columns[2].is_virtual);
    assert_int_equal(columns[3].type->kind, TYPE_TIMESTAMP_LTZ);
    assert_int_equal(columns[3].type->length, 3);
    assert_int_equal(table->schema.watermark_count, 1);
    assert_int_equal(table->schema.constraint_count, 1);
    assert_int_equal(table->partition_count, 3);
    assert_true(str_is(table->partitions[1].transform.text, "bucket"));
    assert_int_equal(table->partitions[1].argument, 16);
    assert_true(str_is(table->partitions[2].column.parts[0].text, "ts"));
    arena_release(&fixture.arena);
}

static void types_nest(void **state)
{
    (void)state;
    struct arena arena;
    struct err err;
    struct strbuf out;
    const struct ast_type *type;
    struct str text =
        STR_LIT("MAP<STRING, ARRAY<ROW<a INT NOT NULL, `b` DECIMAL(5, 2)>>> NOT NULL");
    arena_init(&arena);
    strbuf_init(&out, 1 << 16);
    assert_int_equal(parse_type_text(&arena, text, &type, &err), STATUS_OK);
    unparse_type(&out, type);
    assert_string_equal(
        out.ptr, "MAP<STRING, ARRAY<ROW<`a` INTEGER NOT NULL, `b` DECIMAL(5, 2)>>> NOT NULL");
    strbuf_release(&out);
    arena_release(&arena);
}

static void every_node_says_where_it_stands(void **state)
{
    (void)state;
    struct fixture fixture;
    const char *text = "SELECT a + f(b, 'c') AS x FROM t";
    parse(&fixture, text);
    const struct ast_select *select = &fixture.statement->as.query->body->as.select;
    const struct ast_expr *sum = select->items[0].expr;
    assert_int_equal(sum->at.offset, 7);
    assert_int_equal(sum->at.length, 13);
    assert_int_equal(sum->as.binary.op_at.offset, 9);
    assert_int_equal(sum->as.binary.right->at.offset, 11);
    assert_int_equal(sum->as.binary.right->at.length, 9);
    assert_int_equal(select->items[0].alias.at.offset, 24);
    assert_int_equal(select->from->at.offset, 31);
    arena_release(&fixture.arena);
}

static void settings_may_be_written_without_quotes(void **state)
{
    (void)state;
    static const char *const texts[] = {"SET 'a.b-c' = 'd e'", "SET a.b-c = 'd e'"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;
        parse(&fixture, texts[i]);
        assert_true(str_is(fixture.statement->as.set.key.value, "a.b-c"));
        assert_true(str_is(fixture.statement->as.set.value.value, "d e"));
        arena_release(&fixture.arena);
    }
    struct fixture fixture;
    parse(&fixture, "SET table.exec.state.ttl=1h;");
    assert_true(str_is(fixture.statement->as.set.value.value, "1h"));
    arena_release(&fixture.arena);
}

struct mistake {
    const char *text;
    const char *message;
    uint64_t offset;
    const char *hint;
};

static void mistakes_are_placed_and_advised(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"SELEC id FROM t", "unexpected 'SELEC'; expected a statement: SELECT, INSERT, CREATE, ...",
         0, "did you mean SELECT?"},
        {"SELECT a FORM t",
         "unexpected 't'; expected FROM, INTERSECT, UNION, EXCEPT, ORDER, LIMIT, OFFSET or FETCH",
         14, "did you mean FROM instead of 'FORM'?"},
        {"SELECT a FROM t WERE a = 1",
         "unexpected 'a'; expected TABLESAMPLE, NATURAL, JOIN, INNER, CROSS, LEFT, RIGHT, FULL, "
         "...",
         21, "did you mean WHERE instead of 'WERE'?"},
        {"SELECT id AS value FROM t", "unexpected 'value'; expected a name", 13,
         "value is a reserved word: as a name it is written `value`"},
        {"SELECT order FROM t", "unexpected 'order'; expected an expression", 7,
         "order is a reserved word: as a name it is written `order`"},
        {"SELECT a, FROM t", "unexpected 'FROM'; expected an expression", 10,
         "the ',' in front of FROM is one too many"},
        {"SELECT (1 + 2", "unexpected end of the statement; expected ')'", 13, ""},
        {"SELECT 'abc", "the string that begins here does not end", 7,
         "a quote inside a string is written twice: 'it''s'"},
        {"SELECT \"a\"", "double quotes quote nothing in Flink SQL", 7,
         "write a name as `a`, and a text or a file as 'a'"},
        {"SELECT \"it's\"", "double quotes quote nothing in Flink SQL", 7,
         "write a name as `name` and a text as 'text'"},
        {"SELECT a != 1",
         "unexpected '!='; expected AS, FROM, INTERSECT, UNION, EXCEPT, ORDER, LIMIT, OFFSET, ...",
         9, "'not equal' is written <>"},
        {"SELECT 1 WHERE TRUE", "WHERE needs a FROM in front of it", 9, ""},
        {"CREATE TABLE t (a TIMESTMP(3))",
         "unexpected 'TIMESTMP'; expected a type that takes parameters", 18,
         "did you mean TIMESTAMP?"},
        {"CREATE TABLE t (a)",
         "column 'a' has no type; only CREATE TABLE ... AS takes it from a query", 16, ""},
        {"INSERT sink VALUES (1)", "unexpected 'sink'; expected INTO or OVERWRITE", 7, ""},
        {"SHOW TABLE",
         "unexpected 'TABLE'; expected CREATE, CURRENT, PARTITIONS, COLUMNS, USER, FULL, "
         "MATERIALIZED, CATALOGS, ...",
         5, "did you mean TABLES?"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct arena arena;
        struct err err;
        const struct ast_statement *statement;
        arena_init(&arena);
        assert_int_equal(parse_statement(&arena, str_from(mistakes[i].text), &statement, &err),
                         STATUS_INVALID_DATA);
        assert_string_equal(err.text, mistakes[i].message);
        assert_string_equal(err.hint, mistakes[i].hint);
        assert_int_equal(err.offset, mistakes[i].offset);
        assert_int_equal(err.stage, ERR_STAGE_PARSE);
        arena_release(&arena);
    }
}

// `count` times `piece`, between `before` and `after`.
static enum status parse_repeated(const char *before, const char *piece, unsigned count,
                                  const char *after, struct err *err)
{
    struct arena arena;
    struct strbuf text;
    const struct ast_statement *statement;
    arena_init(&arena);
    strbuf_init(&text, 1 << 24);
    strbuf_add_text(&text, before);
    for (unsigned i = 0; i < count; i++) {
        strbuf_add_text(&text, piece);
    }
    strbuf_add_text(&text, after);
    enum status status = parse_statement(&arena, strbuf_str(&text), &statement, err);
    strbuf_release(&text);
    arena_release(&arena);
    return status;
}

static void deep_and_high_trees_are_refused_and_long_lists_are_not(void **state)
{
    (void)state;
    struct err err;
    assert_int_equal(parse_repeated("SELECT ", "(", 100000, "1", &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, "inside each other"));
    assert_int_equal(parse_repeated("SELECT ", "- ", 99999, "1", &err), STATUS_LIMIT);
    assert_int_equal(parse_repeated("SELECT * FROM ", "(", 99999, "t", &err), STATUS_LIMIT);
    assert_int_equal(parse_repeated("SELECT a", " OR a", 1000, "", &err), STATUS_OK);
    assert_int_equal(parse_repeated("SELECT a", " OR a", 100000, "", &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, "operators on one path"));
    assert_int_equal(parse_repeated("SELECT a", "[1]", 100000, "", &err), STATUS_LIMIT);
    assert_int_equal(parse_repeated("SELECT 1", " UNION SELECT 1", 100000, "", &err), STATUS_LIMIT);
    assert_int_equal(parse_repeated("SELECT * FROM a", ", a", 100000, "", &err), STATUS_LIMIT);
    assert_int_equal(parse_repeated("CREATE TABLE t (a INT", " ARRAY", 100000, ")", &err),
                     STATUS_LIMIT);
    assert_int_equal(parse_repeated("SELECT a IN (1", ", 1", 100000, ")", &err), STATUS_OK);
    assert_int_equal(parse_repeated("VALUES (1)", ", (1 + 2)", 100000, "", &err), STATUS_OK);
    assert_int_equal(parse_repeated("SELECT a", ", a OR b", 100000, "", &err), STATUS_OK);
    assert_int_equal(parse_repeated("CREATE TABLE t (a INT", ", b INT ARRAY", 3000, ")", &err),
                     STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_bind_as_in_calcite),
        cmocka_unit_test(special_calls_have_their_arguments_in_order),
        cmocka_unit_test(intervals_keep_text_sign_and_qualifier),
        cmocka_unit_test(joins_associate_to_the_left_and_parentheses_hold),
        cmocka_unit_test(two_parentheses_may_be_a_query_or_a_join),
        cmocka_unit_test(intersect_binds_more_than_union),
        cmocka_unit_test(a_window_function_takes_a_table_a_descriptor_and_named_arguments),
        cmocka_unit_test(a_table_has_columns_of_all_kinds),
        cmocka_unit_test(types_nest),
        cmocka_unit_test(every_node_says_where_it_stands),
        cmocka_unit_test(settings_may_be_written_without_quotes),
        cmocka_unit_test(mistakes_are_placed_and_advised),
        cmocka_unit_test(deep_and_high_trees_are_refused_and_long_lists_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
