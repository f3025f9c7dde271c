// SPDX-License-Identifier: Apache-2.0
//
// Expressions and types.
#include "sql/unparse.h"

#include "base/assert.h"
#include "sql/unparse_int.h"

// Calcite's levels, as in parse_expr.c.
enum {
    LEVEL_MULTISET = 14,
    LEVEL_MULTISET_INTERSECT = 16,
    LEVEL_OR = 22,
    LEVEL_AND = 24,
    LEVEL_NOT = 26,
    LEVEL_IS = 28,
    LEVEL_COMPARE = 30,
    LEVEL_PREDICATE = 32,
    LEVEL_ADD = 40,
    LEVEL_MULTIPLY = 60,
    LEVEL_SIGN = 80,
    LEVEL_ATOM = 100,
};

static const char *const binary_names[] = {
#define X(name, sql) sql,
    AST_BINARY_LIST(X)
#undef X
};

static const char *const unit_names[] = {
#define X(name) #name,
    AST_UNIT_LIST(X)
#undef X
};

// ---------------------------------------------------------------------------------------------
// Names and texts

static void add_quoted(struct strbuf *out, struct str text, char quote)
{
    strbuf_add_byte(out, quote);
    for (size_t i = 0; i < text.size; i++) {
        if (text.ptr[i] == quote) {
            strbuf_add_byte(out, quote);
        }
        strbuf_add_byte(out, text.ptr[i]);
    }
    strbuf_add_byte(out, quote);
}

void unparse_name(struct strbuf *out, struct str name)
{
    add_quoted(out, name, '`');
}

void unparse_text(struct strbuf *out, struct str text)
{
    add_quoted(out, text, '\'');
}

void unparse_path(struct strbuf *out, const struct ast_path *path)
{
    for (uint32_t i = 0; i < path->count; i++) {
        if (i > 0) {
            strbuf_add_byte(out, '.');
        }
        unparse_name(out, path->parts[i].text);
    }
}

void unparse_names(struct strbuf *out, const struct ast_names *names)
{
    strbuf_add_byte(out, '(');
    for (uint32_t i = 0; i < names->count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "");
        unparse_name(out, names->items[i].text);
    }
    strbuf_add_byte(out, ')');
}

void unparse_qualifier(struct strbuf *out, const struct ast_interval_qualifier *qualifier)
{
    strbuf_add_text(out, unit_names[qualifier->from]);
    bool single = qualifier->from == qualifier->to;
    if (qualifier->precision >= 0) {
        strbuf_printf(out, "(%d", qualifier->precision);
        if (single && qualifier->scale >= 0) {
            strbuf_printf(out, ", %d", qualifier->scale);
        }
        strbuf_add_byte(out, ')');
    }
    if (!single) {
        strbuf_printf(out, " TO %s", unit_names[qualifier->to]);
        if (qualifier->scale >= 0) {
            strbuf_printf(out, "(%d)", qualifier->scale);
        }
    }
}

// A function's name: without quotes, in capitals, where it was written without quotes.
static void add_function(struct strbuf *out, const struct ast_path *path)
{
    if (path->count != 1 || path->parts[0].quoted) {
        unparse_path(out, path);
        return;
    }
    for (size_t i = 0; i < path->parts[0].text.size; i++) {
        char byte = path->parts[0].text.ptr[i];
        strbuf_add_byte(out, (char)(byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte));
    }
}

// ---------------------------------------------------------------------------------------------
// Types

static void add_length(struct strbuf *out, int32_t length)
{
    if (length >= 0) {
        strbuf_printf(out, "(%d)", length);
    }
}

static const char *plain_type_name(enum type_kind kind)
{
    static const char *const names[] = {
#define X(name, sql) sql,
        TYPE_LIST(X)
#undef X
    };
    return kind == TYPE_INT ? "INTEGER" : names[kind];
}

static void add_fields(struct strbuf *out, const struct ast_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "");
        if (type->fields[i].name.text.size > 0) {
            unparse_name(out, type->fields[i].name.text);
            strbuf_add_byte(out, ' ');
        }
        unparse_type(out, type->fields[i].type);
        if (type->fields[i].comment.at.length > 0) {
            strbuf_add_byte(out, ' ');
            unparse_text(out, type->fields[i].comment.value);
        }
    }
}

static void add_named_type(struct strbuf *out, const struct ast_type *type)
{
    if (type->structured) {
        strbuf_add_text(out, "STRUCTURED<");
        unparse_text(out, type->class_name.value);
        strbuf_add_text(out, type->field_count > 0 ? ", " : "");
        add_fields(out, type);
        strbuf_add_byte(out, '>');
    } else if (type->raw_texts) {
        strbuf_add_text(out, "RAW(");
        unparse_text(out, type->class_name.value);
        strbuf_add_text(out, ", ");
        unparse_text(out, type->snapshot.value);
        strbuf_add_byte(out, ')');
    } else {
        unparse_path(out, &type->name);
    }
}

static void add_type(struct strbuf *out, const struct ast_type *type)
{
    bool whole = type->length == TYPE_LENGTH_MAX;
    switch ((int)type->kind) {
    case TYPE_VARCHAR:
        strbuf_add_text(out, whole ? "STRING" : "VARCHAR");
        add_length(out, whole ? -1 : type->length);
        break;
    case TYPE_VARBINARY:
        strbuf_add_text(out, whole ? "BYTES" : "VARBINARY");
        add_length(out, whole ? -1 : type->length);
        break;
    case TYPE_DECIMAL:
        strbuf_add_text(out, "DECIMAL");
        if (type->scale >= 0) {
            strbuf_printf(out, "(%d, %d)", type->length, type->scale);
        } else {
            add_length(out, type->length);
        }
        break;
    case TYPE_TIMESTAMP_LTZ:
        strbuf_add_text(out, "TIMESTAMP");
        add_length(out, type->length);
        strbuf_add_text(out, " WITH LOCAL TIME ZONE");
        break;
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND:
        strbuf_add_text(out, "INTERVAL ");
        unparse_qualifier(out, &type->interval);
        break;
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW:
        strbuf_printf(out, "%s<", plain_type_name(type->kind));
        add_fields(out, type);
        strbuf_add_byte(out, '>');
        break;
    default:
        strbuf_add_text(out, plain_type_name(type->kind));
        add_length(out, type->length);
        break;
    }
}

void unparse_type(struct strbuf *out, const struct ast_type *type)
{
    if (type->user_defined || type->structured || type->raw_texts) {
        add_named_type(out, type);
    } else {
        add_type(out, type);
    }
    if (type->with_time_zone) {
        strbuf_add_text(out, " WITH TIME ZONE");
    }
    if (type->nullability == AST_NULL_FORBIDDEN) {
        strbuf_add_text(out, " NOT NULL");
    }
}

// ---------------------------------------------------------------------------------------------
// Literals

static void add_binary_literal(struct strbuf *out, struct str bytes)
{
    strbuf_add_text(out, "X'");
    for (size_t i = 0; i < bytes.size; i++) {
        strbuf_printf(out, "%02X", (unsigned)(unsigned char)bytes.ptr[i]);
    }
    strbuf_add_byte(out, '\'');
}

static void add_string(struct strbuf *out, const struct ast_literal *literal)
{
    if (str_is(literal->charset, "N")) {
        strbuf_add_byte(out, 'N');
    } else if (literal->charset.size > 0) {
        strbuf_printf(out, "_%.*s", STR_ARGS(literal->charset));
    }
    unparse_text(out, literal->text);
}

static void add_literal(struct strbuf *out, const struct ast_literal *literal)
{
    switch (literal->kind) {
    case AST_LITERAL_NULL: strbuf_add_text(out, "NULL"); break;
    case AST_LITERAL_TRUE: strbuf_add_text(out, "TRUE"); break;
    case AST_LITERAL_FALSE: strbuf_add_text(out, "FALSE"); break;
    case AST_LITERAL_UNKNOWN: strbuf_add_text(out, "UNKNOWN"); break;
    case AST_LITERAL_EXACT:
    case AST_LITERAL_APPROXIMATE: strbuf_add(out, literal->text); break;
    case AST_LITERAL_STRING: add_string(out, literal); break;
    case AST_LITERAL_BINARY: add_binary_literal(out, literal->text); break;
    case AST_LITERAL_DATE:
        strbuf_add_text(out, "DATE ");
        unparse_text(out, literal->text);
        break;
    case AST_LITERAL_TIME:
        strbuf_add_text(out, "TIME ");
        unparse_text(out, literal->text);
        break;
    case AST_LITERAL_TIMESTAMP:
        strbuf_add_text(out, "TIMESTAMP ");
        unparse_text(out, literal->text);
        break;
    case AST_LITERAL_TIMESTAMP_LTZ:
        strbuf_add_text(out, "TIMESTAMP WITH LOCAL TIME ZONE ");
        unparse_text(out, literal->text);
        break;
    case AST_LITERAL_INTERVAL:
        strbuf_add_text(out, literal->negative ? "INTERVAL -" : "INTERVAL ");
        unparse_text(out, literal->text);
        strbuf_add_byte(out, ' ');
        unparse_qualifier(out, &literal->interval);
        break;
    }
}

// ---------------------------------------------------------------------------------------------
// Operators

static int binary_level(enum ast_binary_op op)
{
    switch ((int)op) {
    case AST_BINARY_OR: return LEVEL_OR;
    case AST_BINARY_AND: return LEVEL_AND;
    case AST_BINARY_MULTISET_UNION:
    case AST_BINARY_MULTISET_UNION_ALL:
    case AST_BINARY_MULTISET_EXCEPT:
    case AST_BINARY_MULTISET_EXCEPT_ALL: return LEVEL_MULTISET;
    case AST_BINARY_MULTISET_INTERSECT:
    case AST_BINARY_MULTISET_INTERSECT_ALL: return LEVEL_MULTISET_INTERSECT;
    case AST_BINARY_ADD:
    case AST_BINARY_SUBTRACT: return LEVEL_ADD;
    case AST_BINARY_CONCAT:
    case AST_BINARY_MULTIPLY:
    case AST_BINARY_DIVIDE:
    case AST_BINARY_MODULO: return LEVEL_MULTIPLY;
    default: return LEVEL_COMPARE;
    }
}

static int expr_level(const struct ast_expr *expr)
{
    switch ((int)expr->kind) {
    case AST_EXPR_BINARY: return binary_level(expr->as.binary.op);
    case AST_EXPR_UNARY: return expr->as.unary.op == AST_UNARY_NOT ? LEVEL_NOT : LEVEL_SIGN;
    case AST_EXPR_IS: return LEVEL_IS;
    case AST_EXPR_BETWEEN:
    case AST_EXPR_IN:
    case AST_EXPR_LIKE: return LEVEL_PREDICATE;
    case AST_EXPR_QUANTIFIED: return LEVEL_COMPARE;
    default: return LEVEL_ATOM;
    }
}

static const char *binary_name(enum ast_binary_op op)
{
    ASSERT((size_t)op < sizeof binary_names / sizeof binary_names[0]);
    return binary_names[op];
}

static void add_binary(struct unparser *unparser, const struct ast_expr *expr)
{
    int level = binary_level(expr->as.binary.op);
    // Without DISTINCT the parser takes them for the ALL forms.
    bool distinct = expr->as.binary.op == AST_BINARY_MULTISET_UNION ||
                    expr->as.binary.op == AST_BINARY_MULTISET_EXCEPT ||
                    expr->as.binary.op == AST_BINARY_MULTISET_INTERSECT;
    unparse_expr_within(unparser, expr->as.binary.left, level);
    strbuf_printf(unparser->out, " %s%s ", binary_name(expr->as.binary.op),
                  distinct ? " DISTINCT" : "");
    unparse_expr_within(unparser, expr->as.binary.right, level + 1);
}

static void add_unary(struct unparser *unparser, const struct ast_expr *expr)
{
    static const char *const names[] = {"+", "-", "NOT "};
    bool not = expr->as.unary.op == AST_UNARY_NOT;
    strbuf_add_text(unparser->out, names[expr->as.unary.op]);
    // --1 would be a comment.
    bool signs = expr->as.unary.operand->kind == AST_EXPR_UNARY && !not ;
    strbuf_add_text(unparser->out, signs ? " " : "");
    unparse_expr_within(unparser, expr->as.unary.operand, not ? LEVEL_NOT : LEVEL_SIGN);
}

static void add_is(struct unparser *unparser, const struct ast_expr *expr)
{
    static const char *const names[] = {
        [AST_IS_NULL] = "NULL",
        [AST_IS_TRUE] = "TRUE",
        [AST_IS_FALSE] = "FALSE",
        [AST_IS_UNKNOWN] = "UNKNOWN",
        [AST_IS_A_SET] = "A SET",
        [AST_IS_EMPTY] = "EMPTY",
        [AST_IS_JSON] = "JSON VALUE",
        [AST_IS_JSON_OBJECT] = "JSON OBJECT",
        [AST_IS_JSON_ARRAY] = "JSON ARRAY",
        [AST_IS_JSON_SCALAR] = "JSON SCALAR",
        [AST_IS_NORMALIZED] = "NORMALIZED",
    };
    unparse_expr_within(unparser, expr->as.is.value, LEVEL_IS);
    strbuf_printf(unparser->out, " IS %s%s", expr->as.is.negated ? "NOT " : "",
                  names[expr->as.is.what]);
}

static void add_query(struct unparser *unparser, const char *word, const struct ast_query *query)
{
    strbuf_printf(unparser->out, "%s(", word);
    unparse_query_within(unparser, query);
    strbuf_add_byte(unparser->out, ')');
}

// (a, b) or (query)
static void add_set(struct unparser *unparser, const struct ast_exprs *list,
                    const struct ast_query *query)
{
    if (query != NULL) {
        add_query(unparser, "", query);
        return;
    }
    strbuf_add_byte(unparser->out, '(');
    unparse_expr_list(unparser, list);
    strbuf_add_byte(unparser->out, ')');
}

static void add_between(struct unparser *unparser, const struct ast_expr *expr)
{
    unparse_expr_within(unparser, expr->as.between.value, LEVEL_PREDICATE);
    strbuf_printf(unparser->out, " %sBETWEEN %s", expr->as.between.negated ? "NOT " : "",
                  expr->as.between.symmetric ? "SYMMETRIC " : "");
    unparse_expr_within(unparser, expr->as.between.low, LEVEL_PREDICATE + 1);
    strbuf_add_text(unparser->out, " AND ");
    unparse_expr_within(unparser, expr->as.between.high, LEVEL_PREDICATE + 1);
}

static void add_in(struct unparser *unparser, const struct ast_expr *expr)
{
    unparse_expr_within(unparser, expr->as.in.value, LEVEL_PREDICATE);
    strbuf_add_text(unparser->out, expr->as.in.negated ? " NOT IN " : " IN ");
    add_set(unparser, &expr->as.in.list, expr->as.in.query);
}

static void add_quantified(struct unparser *unparser, const struct ast_expr *expr)
{
    unparse_expr_within(unparser, expr->as.quantified.value, LEVEL_COMPARE);
    strbuf_printf(unparser->out, " %s %s ", binary_name(expr->as.quantified.op),
                  expr->as.quantified.all ? "ALL" : "SOME");
    add_set(unparser, &expr->as.quantified.list, expr->as.quantified.query);
}

static void add_like(struct unparser *unparser, const struct ast_expr *expr)
{
    static const char *const names[] = {"LIKE", "ILIKE", "RLIKE", "SIMILAR TO"};
    unparse_expr_within(unparser, expr->as.like.value, LEVEL_PREDICATE + 1);
    strbuf_printf(unparser->out, " %s%s ", expr->as.like.negated ? "NOT " : "",
                  names[expr->as.like.how]);
    // Associates to the right; but ESCAPE is the inner one's.
    bool escape = expr->as.like.escape != NULL;
    unparse_expr_within(unparser, expr->as.like.pattern, LEVEL_PREDICATE + (escape ? 1 : 0));
    if (escape) {
        strbuf_add_text(unparser->out, " ESCAPE ");
        unparse_expr_within(unparser, expr->as.like.escape, LEVEL_ATOM);
    }
}

static void add_case(struct unparser *unparser, const struct ast_expr *expr)
{
    strbuf_add_text(unparser->out, "CASE");
    if (expr->as.cases.operand != NULL) {
        strbuf_add_byte(unparser->out, ' ');
        unparse_any(unparser, expr->as.cases.operand);
    }
    for (uint32_t i = 0; i < expr->as.cases.when_count; i++) {
        strbuf_add_text(unparser->out, " WHEN ");
        unparse_any(unparser, expr->as.cases.whens[i].condition);
        strbuf_add_text(unparser->out, " THEN ");
        unparse_any(unparser, expr->as.cases.whens[i].result);
    }
    if (expr->as.cases.otherwise != NULL) {
        strbuf_add_text(unparser->out, " ELSE ");
        unparse_any(unparser, expr->as.cases.otherwise);
    }
    strbuf_add_text(unparser->out, " END");
}

static void add_cast(struct unparser *unparser, const struct ast_expr *expr)
{
    strbuf_add_text(unparser->out, expr->as.cast.how == AST_TRY_CAST ? "TRY_CAST(" : "CAST(");
    unparse_any(unparser, expr->as.cast.value);
    strbuf_add_text(unparser->out, " AS ");
    unparse_type(unparser->out, expr->as.cast.type);
    if (expr->as.cast.format.at.length > 0) {
        strbuf_add_text(unparser->out, " FORMAT ");
        unparse_text(unparser->out, expr->as.cast.format.value);
    }
    strbuf_add_byte(unparser->out, ')');
}

// ---------------------------------------------------------------------------------------------
// Calls

void unparse_expr_list(struct unparser *unparser, const struct ast_exprs *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        strbuf_add_text(unparser->out, i > 0 ? ", " : "");
        unparse_any(unparser, list->items[i]);
    }
}

void unparse_expr_sorts(struct unparser *unparser, const struct ast_sorts *sorts)
{
    static const char *const nulls[] = {"", " NULLS FIRST", " NULLS LAST"};
    for (uint32_t i = 0; i < sorts->count; i++) {
        strbuf_add_text(unparser->out, i > 0 ? ", " : "");
        unparse_any(unparser, sorts->items[i].expr);
        strbuf_add_text(unparser->out, sorts->items[i].descending ? " DESC" : "");
        strbuf_add_text(unparser->out, nulls[sorts->items[i].nulls]);
    }
}

static void add_bound(struct unparser *unparser, const struct ast_bound *bound)
{
    static const char *const names[] = {"UNBOUNDED PRECEDING", " PRECEDING", "CURRENT ROW",
                                        " FOLLOWING", "UNBOUNDED FOLLOWING"};
    if (bound->offset != NULL) {
        unparse_any(unparser, bound->offset);
    }
    strbuf_add_text(unparser->out, names[bound->kind]);
}

static void add_frame(struct unparser *unparser, const struct ast_window *window)
{
    static const char *const units[] = {"", "ROWS ", "RANGE ", "GROUPS "};
    static const char *const excludes[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP",
                                           " EXCLUDE TIES"};
    strbuf_printf(unparser->out, "%s%s", units[window->unit], window->has_end ? "BETWEEN " : "");
    add_bound(unparser, &window->start);
    if (window->has_end) {
        strbuf_add_text(unparser->out, " AND ");
        add_bound(unparser, &window->end);
    }
    strbuf_add_text(unparser->out, excludes[window->exclude]);
}

void unparse_expr_window(struct unparser *unparser, const struct ast_window *window)
{
    const char *blank = "";
    if (window->only_reference) {
        unparse_name(unparser->out, window->reference.text);
        return;
    }
    strbuf_add_byte(unparser->out, '(');
    if (window->reference.text.size > 0) {
        unparse_name(unparser->out, window->reference.text);
        blank = " ";
    }
    if (window->partition_by.count > 0) {
        strbuf_printf(unparser->out, "%sPARTITION BY ", blank);
        unparse_expr_list(unparser, &window->partition_by);
        blank = " ";
    }
    if (window->order_by.count > 0) {
        strbuf_printf(unparser->out, "%sORDER BY ", blank);
        unparse_expr_sorts(unparser, &window->order_by);
        blank = " ";
    }
    if (window->unit != AST_FRAME_NONE) {
        strbuf_add_text(unparser->out, blank);
        add_frame(unparser, window);
    }
    strbuf_add_byte(unparser->out, ')');
}

// The words between the arguments of a call, by its form; NULL ends.
static const char *const *separators(enum ast_call_form form)
{
    static const char *const from_for[] = {" FROM ", " FOR "};
    static const char *const in[] = {" IN ", " FROM "};
    static const char *const placing[] = {" PLACING ", " FROM ", " FOR "};
    static const char *const from[] = {" FROM "};
    static const char *const to[] = {" TO "};
    static const char *const trim[] = {" ", " FROM "};
    static const char *const using[] = {" USING "};
    switch ((int)form) {
    case AST_CALL_FROM_FOR: return from_for;
    case AST_CALL_IN: return in;
    case AST_CALL_PLACING: return placing;
    case AST_CALL_UNIT_FROM: return from;
    case AST_CALL_TO_UNIT: return to;
    case AST_CALL_TRIM: return trim;
    case AST_CALL_USING: return using;
    default: return NULL;
    }
}

static void add_args(struct unparser *unparser, const struct ast_call *call)
{
    static const char *const quantifiers[] = {"", "ALL ", "DISTINCT "};
    static const char *const nulls[] = {"", " RESPECT NULLS", " IGNORE NULLS"};
    const char *const *words = separators(call->form);
    strbuf_printf(unparser->out, "(%s", quantifiers[call->quantifier]);
    if (call->form == AST_CALL_STAR) {
        strbuf_add_byte(unparser->out, '*');
    }
    for (uint32_t i = 0; i < call->args.count; i++) {
        strbuf_add_text(unparser->out, i == 0 ? "" : words != NULL ? words[i - 1] : ", ");
        // POSITION reads an operand in front of IN.
        bool operand = call->form == AST_CALL_IN && i == 0;
        unparse_expr_within(unparser, call->args.items[i], operand ? LEVEL_ATOM : 0);
    }
    if (call->order_by.count > 0) {
        strbuf_add_text(unparser->out, " ORDER BY ");
        unparse_expr_sorts(unparser, &call->order_by);
    }
    if (call->separator != NULL) {
        strbuf_add_text(unparser->out, " SEPARATOR ");
        unparse_any(unparser, call->separator);
    }
    strbuf_printf(unparser->out, ")%s", nulls[call->nulls]);
}

static void add_filter_over(struct unparser *unparser, const struct ast_expr *filter,
                            const struct ast_window *over)
{
    if (filter != NULL) {
        strbuf_add_text(unparser->out, " FILTER (WHERE ");
        unparse_any(unparser, filter);
        strbuf_add_byte(unparser->out, ')');
    }
    if (over != NULL) {
        strbuf_add_text(unparser->out, " OVER ");
        unparse_expr_window(unparser, over);
    }
}

// (a - b) DAY, INTERVAL (a) DAY
static void add_interval_call(struct unparser *unparser, const struct ast_call *call)
{
    bool minus = call->form == AST_CALL_MINUS;
    strbuf_add_text(unparser->out, minus ? "(" : "INTERVAL (");
    unparse_expr_within(unparser, call->args.items[0], minus ? LEVEL_ADD : 0);
    if (minus) {
        strbuf_add_text(unparser->out, " - ");
        unparse_expr_within(unparser, call->args.items[1], LEVEL_ADD + 1);
    }
    strbuf_add_text(unparser->out, ") ");
    unparse_qualifier(unparser->out, &call->interval);
}

static void add_call(struct unparser *unparser, const struct ast_call *call)
{
    if (call->form == AST_CALL_MINUS || call->form == AST_CALL_TO_INTERVAL) {
        add_interval_call(unparser, call);
        return;
    }
    add_function(unparser->out, &call->name);
    if (call->form == AST_CALL_BARE) {
        return;
    }
    add_args(unparser, call);
    if (call->within_distinct.count > 0) {
        strbuf_add_text(unparser->out, " WITHIN DISTINCT (");
        unparse_expr_list(unparser, &call->within_distinct);
        strbuf_add_byte(unparser->out, ')');
    }
    if (call->within_group.count > 0) {
        strbuf_add_text(unparser->out, " WITHIN GROUP (ORDER BY ");
        unparse_expr_sorts(unparser, &call->within_group);
        strbuf_add_byte(unparser->out, ')');
    }
    add_filter_over(unparser, call->filter, call->over);
}

static void add_table_arg(struct unparser *unparser, const struct ast_expr *expr)
{
    if (expr->as.table.query != NULL) {
        add_query(unparser, "TABLE ", expr->as.table.query);
    } else {
        strbuf_add_text(unparser->out, "TABLE ");
        unparse_path(unparser->out, &expr->as.table.path);
    }
    if (expr->as.table.partition_by.count > 0) {
        strbuf_add_text(unparser->out, " PARTITION BY (");
        unparse_expr_list(unparser, &expr->as.table.partition_by);
        strbuf_add_byte(unparser->out, ')');
    }
    if (expr->as.table.order_by.count > 0) {
        strbuf_add_text(unparser->out, " ORDER BY (");
        unparse_expr_sorts(unparser, &expr->as.table.order_by);
        strbuf_add_byte(unparser->out, ')');
    }
}

// ---------------------------------------------------------------------------------------------

static void add_column(struct unparser *unparser, const struct ast_path *path)
{
    bool qualified = path->count > 1 && str_equal(path->parts[0].text, unparser->qualifier);
    if (unparser->qualifier.size > 0 && !qualified) {
        unparse_name(unparser->out, unparser->qualifier);
        strbuf_add_byte(unparser->out, '.');
    }
    unparse_path(unparser->out, path);
}

static void add_listed(struct unparser *unparser, const char *open, const struct ast_exprs *list,
                       const char *close)
{
    strbuf_add_text(unparser->out, open);
    unparse_expr_list(unparser, list);
    strbuf_add_text(unparser->out, close);
}

static void add_field(struct unparser *unparser, const struct ast_expr *expr)
{
    const struct ast_expr *base = expr->as.field.base;
    // `a`.`b` would be a path, 1.`b` no SQL.
    bool parentheses = base->kind == AST_EXPR_COLUMN || base->kind == AST_EXPR_STAR ||
                       base->kind == AST_EXPR_LITERAL;
    strbuf_add_text(unparser->out, parentheses ? "(" : "");
    unparse_expr_within(unparser, base, parentheses ? 0 : LEVEL_ATOM);
    strbuf_add_text(unparser->out, parentheses ? ")." : ".");
    if (expr->as.field.star) {
        strbuf_add_byte(unparser->out, '*');
    } else {
        unparse_name(unparser->out, expr->as.field.name.text);
    }
}

static void add_star(struct unparser *unparser, const struct ast_path *path)
{
    unparse_path(unparser->out, path);
    strbuf_add_text(unparser->out, path->count > 0 ? ".*" : "*");
}

// What is neither operator nor call.
static void add_atom(struct unparser *unparser, const struct ast_expr *expr)
{
    struct strbuf *out = unparser->out;
    switch ((int)expr->kind) {
    case AST_EXPR_LITERAL: add_literal(out, &expr->as.literal); break;
    case AST_EXPR_COLUMN: add_column(unparser, &expr->as.path); break;
    case AST_EXPR_STAR: add_star(unparser, &expr->as.path); break;
    case AST_EXPR_EXISTS: add_query(unparser, "EXISTS ", expr->as.query); break;
    case AST_EXPR_UNIQUE: add_query(unparser, "UNIQUE ", expr->as.query); break;
    case AST_EXPR_CURSOR: add_query(unparser, "CURSOR ", expr->as.query); break;
    case AST_EXPR_SUBQUERY: add_query(unparser, "", expr->as.query); break;
    case AST_EXPR_ARRAY_QUERY: add_query(unparser, "ARRAY", expr->as.query); break;
    case AST_EXPR_MAP_QUERY: add_query(unparser, "MAP", expr->as.query); break;
    case AST_EXPR_MULTISET_QUERY: add_query(unparser, "MULTISET", expr->as.query); break;
    case AST_EXPR_ROW:
        add_listed(unparser, expr->as.row.implicit ? "(" : "ROW(", &expr->as.row.fields, ")");
        break;
    case AST_EXPR_ARRAY: add_listed(unparser, "ARRAY[", &expr->as.list, "]"); break;
    case AST_EXPR_MAP: add_listed(unparser, "MAP[", &expr->as.list, "]"); break;
    case AST_EXPR_MULTISET: add_listed(unparser, "MULTISET[", &expr->as.list, "]"); break;
    case AST_EXPR_PERIOD: add_listed(unparser, "PERIOD(", &expr->as.list, ")"); break;
    case AST_EXPR_ELEMENT:
        unparse_expr_within(unparser, expr->as.element.base, LEVEL_ATOM);
        strbuf_add_byte(out, '[');
        unparse_any(unparser, expr->as.element.index);
        strbuf_add_byte(out, ']');
        break;
    case AST_EXPR_FIELD: add_field(unparser, expr); break;
    case AST_EXPR_UNIT: strbuf_add_text(out, unit_names[expr->as.unit]); break;
    case AST_EXPR_SYMBOL: strbuf_add(out, expr->as.symbol); break;
    case AST_EXPR_NAMED_ARG:
        unparse_name(out, expr->as.named.name.text);
        strbuf_add_text(out, " => ");
        unparse_any(unparser, expr->as.named.value);
        break;
    case AST_EXPR_TABLE_ARG: add_table_arg(unparser, expr); break;
    case AST_EXPR_DESCRIPTOR:
        strbuf_add_text(out, "DESCRIPTOR");
        unparse_names(out, &expr->as.descriptor);
        break;
    case AST_EXPR_MODEL_ARG:
        strbuf_add_text(out, "MODEL ");
        unparse_path(out, &expr->as.path);
        break;
    case AST_EXPR_NEXT_VALUE:
        strbuf_add_text(out, "NEXT VALUE FOR ");
        unparse_path(out, &expr->as.path);
        break;
    case AST_EXPR_DEFAULT: strbuf_add_text(out, "DEFAULT"); break;
    case AST_EXPR_PARAMETER: strbuf_add_byte(out, '?'); break;
    default: UNREACHABLE("an expression of no kind");
    }
}

static void add_expr(struct unparser *unparser, const struct ast_expr *expr)
{
    switch ((int)expr->kind) {
    case AST_EXPR_UNARY: add_unary(unparser, expr); break;
    case AST_EXPR_BINARY: add_binary(unparser, expr); break;
    case AST_EXPR_IS: add_is(unparser, expr); break;
    case AST_EXPR_BETWEEN: add_between(unparser, expr); break;
    case AST_EXPR_IN: add_in(unparser, expr); break;
    case AST_EXPR_QUANTIFIED: add_quantified(unparser, expr); break;
    case AST_EXPR_LIKE: add_like(unparser, expr); break;
    case AST_EXPR_CASE: add_case(unparser, expr); break;
    case AST_EXPR_CAST: add_cast(unparser, expr); break;
    case AST_EXPR_CALL: add_call(unparser, &expr->as.call); break;
    case AST_EXPR_JSON:
        unparse_expr_json(unparser, &expr->as.json);
        add_filter_over(unparser, expr->as.json.filter, expr->as.json.over);
        break;
    default: add_atom(unparser, expr); break;
    }
}

void unparse_expr_within(struct unparser *unparser, const struct ast_expr *expr, int level_min)
{
    bool parentheses = expr_level(expr) < level_min;
    strbuf_add_text(unparser->out, parentheses ? "(" : "");
    add_expr(unparser, expr);
    strbuf_add_text(unparser->out, parentheses ? ")" : "");
}

void unparse_expr(struct strbuf *out, struct str source, const struct ast_expr *expr)
{
    struct unparser unparser = {.out = out, .source = source};
    unparse_any(&unparser, expr);
}
