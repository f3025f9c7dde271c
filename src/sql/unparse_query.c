// SPDX-License-Identifier: Apache-2.0
//
// Queries and tables; and the calls of the JSON family.
#include "base/assert.h"
#include "sql/unparse_int.h"

static void add_table(struct unparser *unparser, const struct ast_table *table);
static void add_body(struct unparser *unparser, const struct ast_body *body);

// ---------------------------------------------------------------------------------------------
// JSON

static void add_behavior(struct unparser *unparser, enum ast_json_behavior behavior,
                         const struct ast_expr *fallback, const char *when)
{
    static const char *const names[] = {
        [AST_JSON_UNSAID] = "",
        [AST_JSON_ERROR] = "ERROR",
        [AST_JSON_NULL] = "NULL",
        [AST_JSON_DEFAULT] = "DEFAULT ",
        [AST_JSON_TRUE] = "TRUE",
        [AST_JSON_FALSE] = "FALSE",
        [AST_JSON_UNKNOWN] = "UNKNOWN",
        [AST_JSON_EMPTY_ARRAY] = "EMPTY ARRAY",
        [AST_JSON_EMPTY_OBJECT] = "EMPTY OBJECT",
        [AST_JSON_ABSENT] = "ABSENT",
    };
    if (behavior == AST_JSON_UNSAID) {
        return;
    }
    strbuf_printf(unparser->out, " %s", names[behavior]);
    if (fallback != NULL) {
        unparse_any(unparser, fallback);
    }
    strbuf_printf(unparser->out, " ON %s", when);
}

static void add_json_args(struct unparser *unparser, const struct ast_json *json)
{
    bool pairs = str_is_nocase(json->name.text, "JSON_OBJECT") ||
                 str_is_nocase(json->name.text, "JSON_OBJECTAGG");
    for (uint32_t i = 0; i < json->args.count; i++) {
        bool value = pairs && i % 2 != 0;
        strbuf_add_text(unparser->out, i == 0 ? "" : value ? " VALUE " : ", ");
        strbuf_add_text(unparser->out, pairs && !value ? "KEY " : "");
        unparse_any(unparser, json->args.items[i]);
    }
}

void unparse_expr_json(struct unparser *unparser, const struct ast_json *json)
{
    static const char *const wrappers[] = {"", " WITHOUT ARRAY WRAPPER",
                                           " WITH CONDITIONAL ARRAY WRAPPER",
                                           " WITH UNCONDITIONAL ARRAY WRAPPER"};
    for (size_t i = 0; i < json->name.text.size; i++) {
        char byte = json->name.text.ptr[i];
        strbuf_add_byte(unparser->out, (char)(byte >= 'a' && byte <= 'z' ? byte - 32 : byte));
    }
    strbuf_add_byte(unparser->out, '(');
    add_json_args(unparser, json);
    if (json->returning != NULL) {
        strbuf_add_text(unparser->out, " RETURNING ");
        unparse_type(unparser->out, json->returning);
    }
    strbuf_add_text(unparser->out, wrappers[json->wrapper]);
    add_behavior(unparser, json->on_empty, json->default_on_empty, "EMPTY");
    add_behavior(unparser, json->on_error, json->default_on_error, "ERROR");
    if (json->order_by.count > 0) {
        strbuf_add_text(unparser->out, " ORDER BY ");
        unparse_expr_sorts(unparser, &json->order_by);
    }
    add_behavior(unparser, json->on_null, NULL, "NULL");
    strbuf_add_byte(unparser->out, ')');
}

// ---------------------------------------------------------------------------------------------
// Tables

static void add_span(struct unparser *unparser, struct ast_span span)
{
    size_t end = (size_t)span.offset + span.length;
    strbuf_add_byte(unparser->out, ' ');
    strbuf_add(unparser->out, str_slice(unparser->source, span.offset, end));
}

static void add_hints(struct unparser *unparser, const struct ast_hints *hints)
{
    struct strbuf *out = unparser->out;
    if (hints->count == 0) {
        return;
    }
    strbuf_add_text(out, " /*+ ");
    for (uint32_t i = 0; i < hints->count; i++) {
        const struct ast_hint *hint = &hints->items[i];
        bool any = hint->options.count + hint->arguments.count > 0;
        strbuf_printf(out, "%s", i > 0 ? ", " : "");
        unparse_name(out, hint->name.text);
        strbuf_add_text(out, any ? "(" : "");
        for (uint32_t k = 0; k < hint->options.count; k++) {
            strbuf_add_text(out, k > 0 ? ", " : "");
            unparse_text(out, hint->options.items[k].key.value);
            strbuf_add_text(out, " = ");
            unparse_text(out, hint->options.items[k].value.value);
        }
        for (uint32_t k = 0; k < hint->arguments.count; k++) {
            struct ast_name argument = hint->arguments.items[k];
            char first = unparser->source.ptr[argument.at.offset];
            strbuf_add_text(out, k > 0 || hint->options.count > 0 ? ", " : "");
            if (first == '\'') {
                unparse_text(out, argument.text);
            } else if (first == '.' || (first >= '0' && first <= '9')) {
                strbuf_add(out, argument.text);
            } else {
                unparse_name(out, argument.text);
            }
        }
        strbuf_add_text(out, any ? ")" : "");
    }
    strbuf_add_text(out, " */");
}

static void add_joined(struct unparser *unparser, const struct ast_table *table)
{
    static const char *const names[] = {
        [AST_JOIN_COMMA] = ",\n",         [AST_JOIN_CROSS] = "CROSS JOIN ",
        [AST_JOIN_INNER] = "INNER JOIN ", [AST_JOIN_LEFT] = "LEFT JOIN ",
        [AST_JOIN_RIGHT] = "RIGHT JOIN ", [AST_JOIN_FULL] = "FULL JOIN ",
    };
    const struct ast_table *right = table->as.join.right;
    add_table(unparser, table->as.join.left);
    strbuf_printf(unparser->out, "%s%s%s", table->as.join.kind == AST_JOIN_COMMA ? "" : "\n",
                  table->as.join.natural ? "NATURAL " : "", names[table->as.join.kind]);
    // A join on the right side was in parentheses.
    bool parentheses = right->kind == AST_TABLE_JOIN && right->alias.text.size == 0;
    strbuf_add_text(unparser->out, parentheses ? "(" : "");
    add_table(unparser, right);
    strbuf_add_text(unparser->out, parentheses ? ")" : "");
    if (table->as.join.on != NULL) {
        strbuf_add_text(unparser->out, " ON ");
        unparse_any(unparser, table->as.join.on);
    }
    if (table->as.join.has_using) {
        strbuf_add_text(unparser->out, " USING ");
        unparse_names(unparser->out, &table->as.join.using_columns);
    }
}

// The table without what may follow any: time, alias, sample. A join is put in parentheses where
// something follows.
static void add_bare_table(struct unparser *unparser, const struct ast_table *table)
{
    bool decorated = table->alias.text.size > 0 || table->sample.length > 0 ||
                     table->as_of != NULL || table->lateral;
    switch (table->kind) {
    case AST_TABLE_NAME:
        strbuf_add_text(unparser->out, table->lateral ? "(" : "");
        unparse_path(unparser->out, &table->as.path);
        add_hints(unparser, &table->hints);
        strbuf_add_text(unparser->out, table->lateral ? ")" : "");
        break;
    case AST_TABLE_FILE:
        unparse_text(unparser->out, table->as.file.value);
        add_hints(unparser, &table->hints);
        break;
    case AST_TABLE_QUERY:
        strbuf_add_byte(unparser->out, '(');
        unparse_query_within(unparser, table->as.query);
        strbuf_add_byte(unparser->out, ')');
        break;
    case AST_TABLE_FUNCTION:
        strbuf_add_text(unparser->out, "TABLE(");
        unparse_any(unparser, table->as.function.call);
        strbuf_add_byte(unparser->out, ')');
        add_hints(unparser, &table->hints);
        break;
    case AST_TABLE_UNNEST:
        strbuf_add_text(unparser->out, "UNNEST(");
        unparse_expr_list(unparser, &table->as.unnest.args);
        strbuf_add_text(unparser->out, table->as.unnest.ordinality ? ") WITH ORDINALITY" : ")");
        break;
    case AST_TABLE_JOIN:
        strbuf_add_text(unparser->out, decorated ? "(" : "");
        add_joined(unparser, table);
        strbuf_add_text(unparser->out, decorated ? ")" : "");
        break;
    case AST_TABLE_MATCH:
    case AST_TABLE_PIVOT: {
        // What has an alias under the clause, or is a join, was in parentheses.
        const struct ast_table *input = table->as.match.input;
        bool inner =
            input->alias.text.size > 0 || input->sample.length > 0 || input->kind == AST_TABLE_JOIN;
        strbuf_add_text(unparser->out, inner ? "(" : "");
        add_table(unparser, input);
        strbuf_add_text(unparser->out, inner ? ")" : "");
        add_span(unparser, table->as.match.text);
        break;
    }
    }
}

static void add_table(struct unparser *unparser, const struct ast_table *table)
{
    strbuf_add_text(unparser->out, table->lateral ? "LATERAL " : "");
    add_bare_table(unparser, table);
    if (table->as_of != NULL) {
        strbuf_add_text(unparser->out, table->as_of_version ? " FOR SYSTEM_VERSION AS OF "
                                                            : " FOR SYSTEM_TIME AS OF ");
        unparse_any(unparser, table->as_of);
    }
    if (table->alias.text.size > 0) {
        strbuf_add_text(unparser->out, " AS ");
        unparse_name(unparser->out, table->alias.text);
        if (table->columns.count > 0) {
            strbuf_add_byte(unparser->out, ' ');
            unparse_names(unparser->out, &table->columns);
        }
    }
    if (table->sample.length > 0) {
        add_span(unparser, table->sample);
    }
}

// ---------------------------------------------------------------------------------------------
// SELECT

static void add_grouping(struct unparser *unparser, const struct ast_grouping *grouping)
{
    static const char *const names[] = {"", "", "GROUPING SETS", "CUBE", "ROLLUP"};
    struct strbuf *out = unparser->out;
    if (grouping->kind == AST_GROUPING_EMPTY) {
        strbuf_add_text(out, "()");
    } else if (grouping->kind == AST_GROUPING_EXPR) {
        bool row = grouping->exprs.count > 1;
        strbuf_add_text(out, row ? "(" : "");
        unparse_expr_list(unparser, &grouping->exprs);
        strbuf_add_text(out, row ? ")" : "");
    } else {
        strbuf_printf(out, "%s(", names[grouping->kind]);
        for (uint32_t i = 0; i < grouping->element_count; i++) {
            strbuf_add_text(out, i > 0 ? ", " : "");
            add_grouping(unparser, &grouping->elements[i]);
        }
        strbuf_add_byte(out, ')');
    }
}

static void add_items(struct unparser *unparser, const struct ast_select *select)
{
    static const char *const quantifiers[] = {"", "ALL ", "DISTINCT "};
    strbuf_add_text(unparser->out, "SELECT");
    add_hints(unparser, &select->hints);
    strbuf_printf(unparser->out, " %s%s", select->stream ? "STREAM " : "",
                  quantifiers[select->quantifier]);
    for (uint32_t i = 0; i < select->item_count; i++) {
        strbuf_add_text(unparser->out, i > 0 ? ", " : "");
        unparse_any(unparser, select->items[i].expr);
        if (select->items[i].alias.text.size > 0) {
            strbuf_add_text(unparser->out, " AS ");
            unparse_name(unparser->out, select->items[i].alias.text);
        }
    }
}

static void add_clauses(struct unparser *unparser, const struct ast_select *select)
{
    static const char *const quantifiers[] = {"", "ALL ", "DISTINCT "};
    if (select->where != NULL) {
        strbuf_add_text(unparser->out, "\nWHERE ");
        unparse_any(unparser, select->where);
    }
    if (select->has_group_by) {
        strbuf_printf(unparser->out, "\nGROUP BY %s", quantifiers[select->group_quantifier]);
        for (uint32_t i = 0; i < select->group_count; i++) {
            strbuf_add_text(unparser->out, i > 0 ? ", " : "");
            add_grouping(unparser, &select->group_by[i]);
        }
    }
    if (select->having != NULL) {
        strbuf_add_text(unparser->out, "\nHAVING ");
        unparse_any(unparser, select->having);
    }
    for (uint32_t i = 0; i < select->window_count; i++) {
        strbuf_add_text(unparser->out, i > 0 ? ", " : "\nWINDOW ");
        unparse_name(unparser->out, select->windows[i].name.text);
        strbuf_add_text(unparser->out, " AS ");
        unparse_expr_window(unparser, &select->windows[i].window);
    }
    if (select->qualify != NULL) {
        strbuf_add_text(unparser->out, "\nQUALIFY ");
        unparse_any(unparser, select->qualify);
    }
}

// The name by which the only table of a query is known; empty where there are several.
static struct str only_table(const struct ast_table *from)
{
    if (from == NULL || from->kind != AST_TABLE_NAME) {
        return (struct str){0};
    }
    return from->alias.text.size > 0 ? from->alias.text
                                     : from->as.path.parts[from->as.path.count - 1].text;
}

static void add_select(struct unparser *unparser, const struct ast_select *select)
{
    struct str outside = unparser->qualifier;
    bool qualify = unparser->qualify && unparser->depth == 1;
    unparser->qualifier = qualify ? only_table(select->from) : (struct str){0};
    add_items(unparser, select);
    if (select->from != NULL) {
        strbuf_add_text(unparser->out, "\nFROM ");
        add_table(unparser, select->from);
    }
    add_clauses(unparser, select);
    unparser->qualifier = outside;
}

// Whether a part of a set operation needs parentheses, on its left or right side.
static bool set_needs_parentheses(const struct ast_body *outer, const struct ast_body *inner,
                                  bool right)
{
    if (inner->kind != AST_BODY_SET) {
        return false;
    }
    bool outer_tight = outer->as.set.op == AST_SET_INTERSECT;
    bool inner_tight = inner->as.set.op == AST_SET_INTERSECT;
    return outer_tight ? right || !inner_tight : right && !inner_tight;
}

static void add_set_part(struct unparser *unparser, const struct ast_body *outer,
                         const struct ast_body *inner, bool right)
{
    bool parentheses = set_needs_parentheses(outer, inner, right);
    strbuf_add_text(unparser->out, parentheses ? "(" : "");
    add_body(unparser, inner);
    strbuf_add_text(unparser->out, parentheses ? ")" : "");
}

static void add_rows(struct unparser *unparser, const struct ast_exprs *rows)
{
    strbuf_add_text(unparser->out, "VALUES ");
    for (uint32_t i = 0; i < rows->count; i++) {
        strbuf_add_text(unparser->out, i > 0 ? ", " : "");
        unparse_any(unparser, rows->items[i]);
    }
}

static void add_body(struct unparser *unparser, const struct ast_body *body)
{
    static const char *const names[] = {"UNION", "INTERSECT", "EXCEPT"};
    switch (body->kind) {
    case AST_BODY_SELECT: add_select(unparser, &body->as.select); break;
    case AST_BODY_SET:
        add_set_part(unparser, body, body->as.set.left, false);
        strbuf_printf(unparser->out, "\n%s%s\n", names[body->as.set.op],
                      body->as.set.all ? " ALL" : "");
        add_set_part(unparser, body, body->as.set.right, true);
        break;
    case AST_BODY_VALUES: add_rows(unparser, &body->as.rows); break;
    case AST_BODY_TABLE:
        strbuf_add_text(unparser->out, "TABLE ");
        unparse_path(unparser->out, &body->as.table);
        break;
    case AST_BODY_QUERY:
        strbuf_add_byte(unparser->out, '(');
        unparse_query_within(unparser, body->as.query);
        strbuf_add_byte(unparser->out, ')');
        break;
    }
}

void unparse_query_within(struct unparser *unparser, const struct ast_query *query)
{
    struct strbuf *out = unparser->out;
    struct str outside = unparser->qualifier;
    unparser->qualifier = (struct str){0};
    unparser->depth++;
    for (uint32_t i = 0; i < query->cte_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "WITH ");
        unparse_name(out, query->ctes[i].name.text);
        if (query->ctes[i].columns.count > 0) {
            strbuf_add_byte(out, ' ');
            unparse_names(out, &query->ctes[i].columns);
        }
        strbuf_add_text(out, " AS (");
        unparse_query_within(unparser, query->ctes[i].query);
        strbuf_add_byte(out, ')');
    }
    strbuf_add_text(out, query->cte_count > 0 ? "\n" : "");
    add_body(unparser, query->body);
    if (query->order_by.count > 0) {
        strbuf_add_text(out, "\nORDER BY ");
        unparse_expr_sorts(unparser, &query->order_by);
    }
    if (query->offset != NULL) {
        strbuf_add_text(out, "\nOFFSET ");
        unparse_any(unparser, query->offset);
        strbuf_add_text(out, " ROWS");
    }
    if (query->limit != NULL) {
        strbuf_add_text(out, "\nFETCH NEXT ");
        unparse_any(unparser, query->limit);
        strbuf_add_text(out, " ROWS ONLY");
    }
    unparser->depth--;
    unparser->qualifier = outside;
}

void unparse_query(struct strbuf *out, struct str source, const struct ast_query *query)
{
    struct unparser unparser = {.out = out, .source = source};
    unparse_query_within(&unparser, query);
}
