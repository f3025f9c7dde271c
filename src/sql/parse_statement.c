// SPDX-License-Identifier: Apache-2.0
//
// parse_statement: what a statement is, by its first word; the small ones are here.
#include "base/arena.h"
#include "sql/parse_int.h"

// ---------------------------------------------------------------------------------------------
// INSERT, UPDATE, DELETE

// A column list, not a query in parentheses.
static bool at_column_list(struct parser *parser)
{
    return parser_at_kind(parser, TOKEN_LPAREN) && parser_is_name(parser_peek(parser, 1));
}

static enum status parse_conflict(struct parser *parser, struct ast_insert *out)
{
    if (!parser_accept(parser, KEYWORD_ON)) {
        return STATUS_OK;
    }
    TRY(parser_expect(parser, KEYWORD_CONFLICT));
    TRY(parser_expect(parser, KEYWORD_DO));
    if (parser_accept(parser, KEYWORD_NOTHING)) {
        out->conflict = AST_CONFLICT_NOTHING;
    } else if (parser_accept(parser, KEYWORD_ERROR)) {
        out->conflict = AST_CONFLICT_ERROR;
    } else {
        out->conflict = AST_CONFLICT_DEDUPLICATE;
        return parser_expect(parser, KEYWORD_DEDUPLICATE);
    }
    return STATUS_OK;
}

static enum status parse_insert(struct parser *parser, struct ast_insert *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_insert){0};
    out->upsert = parser_accept(parser, KEYWORD_UPSERT);
    if (!out->upsert) {
        TRY(parser_expect(parser, KEYWORD_INSERT));
    }
    if (!parser_accept(parser, KEYWORD_INTO)) {
        if (out->upsert) {
            return parser_unexpected(parser, NULL);
        }
        TRY(parser_expect(parser, KEYWORD_OVERWRITE));
        out->overwrite = true;
    }
    if (parser_at_kind(parser, TOKEN_STRING)) {
        TRY(parse_name_text(parser, "a file's name", &out->file));
        out->table.at = out->file.at;
    } else {
        TRY(parse_name_path(parser, "a table's name", &out->table));
    }
    TRY(parse_query_hints(parser, &out->hints));
    if (parser_accept(parser, KEYWORD_PARTITION)) {
        TRY(parse_schema_partition_spec(parser, &out->partition));
    }
    if (at_column_list(parser)) {
        TRY(parse_name_paths(parser, &out->columns));
    }
    TRY(parse_query_whole(parser, &out->query));
    TRY(parse_conflict(parser, out));
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

static enum status statement_insert(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_INSERT;
    return parse_insert(parser, &out->as.insert);
}

static enum status parse_dml_alias(struct parser *parser, struct ast_name *out)
{
    bool as = parser_accept(parser, KEYWORD_AS);
    return as || parser_is_name(parser_current(parser)) ? parse_name_one(parser, "a name", out)
                                                        : STATUS_OK;
}

static enum status statement_update(struct parser *parser, struct ast_statement *out)
{
    PARSER_LIST(struct ast_assignment) assignments = {0};
    struct ast_update *update = &out->as.update;
    out->kind = AST_UPDATE;
    parser_advance(parser);
    TRY(parse_name_path(parser, "a table's name", &update->table));
    TRY(parse_dml_alias(parser, &update->alias));
    TRY(parser_expect(parser, KEYWORD_SET));
    do {
        struct ast_assignment assignment;
        TRY(parse_name_path(parser, "a column's name", &assignment.column));
        TRY(parser_expect_kind(parser, TOKEN_EQ));
        TRY(parse_expr_value(parser, &assignment.value));
        PARSER_PUSH(parser, &assignments, assignment);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    update->assignments = assignments.items;
    update->assignment_count = assignments.count;
    return parser_accept(parser, KEYWORD_WHERE) ? parse_expr_value(parser, &update->where)
                                                : STATUS_OK;
}

static enum status statement_delete(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_DELETE;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_FROM));
    TRY(parse_name_path(parser, "a table's name", &out->as.delete.table));
    TRY(parse_dml_alias(parser, &out->as.delete.alias));
    return parser_accept(parser, KEYWORD_WHERE) ? parse_expr_value(parser, &out->as.delete.where)
                                                : STATUS_OK;
}

static enum status statement_truncate(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_TRUNCATE;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_TABLE));
    return parse_name_path(parser, "a table's name", &out->as.path);
}

// MERGE INTO t USING ...: known, and done nowhere in Flink: only the table is kept.
static enum status statement_merge(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_MERGE;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_INTO));
    TRY(parse_name_path(parser, "a table's name", &out->as.path));
    TRY(parse_dml_alias(parser, &(struct ast_name){0}));
    TRY(parser_expect(parser, KEYWORD_USING));
    while (!parser_at_kind(parser, TOKEN_END) && !parser_at_kind(parser, TOKEN_SEMICOLON)) {
        if (parser_at_kind(parser, TOKEN_ERROR)) {
            return parser_unexpected(parser, NULL);
        }
        parser_advance(parser);
    }
    return STATUS_OK;
}

static enum status statement_query(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_QUERY;
    return parse_query_whole(parser, &out->as.query);
}

// ---------------------------------------------------------------------------------------------
// Statement sets, plans, EXPLAIN

// STATEMENT SET BEGIN insert; insert; END
static enum status parse_statement_set(struct parser *parser, struct ast_statement *out)
{
    PARSER_LIST(struct ast_insert) inserts = {0};
    out->kind = AST_STATEMENT_SET;
    TRY(parser_expect(parser, KEYWORD_STATEMENT));
    TRY(parser_expect(parser, KEYWORD_SET));
    TRY(parser_expect(parser, KEYWORD_BEGIN));
    do {
        struct ast_insert insert;
        TRY(parse_insert(parser, &insert));
        TRY(parser_expect_kind(parser, TOKEN_SEMICOLON));
        PARSER_PUSH(parser, &inserts, insert);
    } while (!parser_at(parser, KEYWORD_END));
    out->as.statement_set.inserts = inserts.items;
    out->as.statement_set.count = inserts.count;
    return parser_expect(parser, KEYWORD_END);
}

static enum status statement_execute(struct parser *parser, struct ast_statement *out)
{
    out->execute = true;
    parser_advance(parser);
    if (parser_at(parser, KEYWORD_STATEMENT)) {
        return parse_statement_set(parser, out);
    }
    if (parser_accept(parser, KEYWORD_PLAN)) {
        out->kind = AST_EXECUTE_PLAN;
        return parse_name_text(parser, "a plan file as a string", &out->as.text);
    }
    if (parser_at(parser, KEYWORD_INSERT) || parser_at(parser, KEYWORD_UPSERT)) {
        return statement_insert(parser, out);
    }
    if (parser_at_query(parser) || parser_at_kind(parser, TOKEN_LPAREN)) {
        return statement_query(parser, out);
    }
    return parser_unexpected(parser, NULL);
}

static enum status statement_begin(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_BEGIN_STATEMENT_SET;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_STATEMENT));
    return parser_expect(parser, KEYWORD_SET);
}

static enum status statement_end(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_END_STATEMENT_SET;
    parser_advance(parser);
    return STATUS_OK;
}

static enum status statement_compile(struct parser *parser, struct ast_statement *out)
{
    struct ast_statement *inner = arena_new(parser->arena, struct ast_statement);
    out->kind = AST_COMPILE_PLAN;
    parser_advance(parser);
    if (parser_accept(parser, KEYWORD_AND)) {
        TRY(parser_expect(parser, KEYWORD_EXECUTE));
        out->as.compile_plan.execute = true;
    }
    TRY(parser_expect(parser, KEYWORD_PLAN));
    TRY(parse_name_text(parser, "a plan file as a string", &out->as.compile_plan.file));
    out->as.compile_plan.if_not_exists = parse_create_if_not_exists(parser);
    TRY(parser_expect(parser, KEYWORD_FOR));
    uint32_t from = parser_offset(parser);
    if (parser_at(parser, KEYWORD_STATEMENT)) {
        TRY(parse_statement_set(parser, inner));
    } else {
        TRY(statement_insert(parser, inner));
    }
    inner->at = parser_span(parser, from);
    out->as.compile_plan.statement = inner;
    return STATUS_OK;
}

static const struct {
    enum keyword keyword;
    enum ast_explain_detail detail;
} explain_details[] = {
    {KEYWORD_ESTIMATED_COST, AST_EXPLAIN_ESTIMATED_COST},
    {KEYWORD_CHANGELOG_MODE, AST_EXPLAIN_CHANGELOG_MODE},
    {KEYWORD_JSON_EXECUTION_PLAN, AST_EXPLAIN_JSON_EXECUTION_PLAN},
    {KEYWORD_PLAN_ADVICE, AST_EXPLAIN_PLAN_ADVICE},
};

static enum status parse_explain_details(struct parser *parser, struct ast_explain *out)
{
    bool more = true;
    while (more) {
        bool found = false;
        for (size_t i = 0; i < sizeof explain_details / sizeof explain_details[0]; i++) {
            if (!found && parser_accept(parser, explain_details[i].keyword)) {
                out->details |= (unsigned)explain_details[i].detail;
                found = true;
            }
        }
        bool first = out->details == 0;
        if (!found && !first) {
            return parser_unexpected(parser, NULL);
        }
        more = found && parser_accept_kind(parser, TOKEN_COMMA);
    }
    return STATUS_OK;
}

// What can be explained: queries, changes of data, and CREATE TABLE ... AS.
static enum status parse_explained(struct parser *parser, struct ast_statement *out)
{
    if (parser_at(parser, KEYWORD_INSERT) || parser_at(parser, KEYWORD_UPSERT)) {
        return statement_insert(parser, out);
    }
    if (parser_at(parser, KEYWORD_STATEMENT)) {
        return parse_statement_set(parser, out);
    }
    if (parser_at(parser, KEYWORD_EXECUTE)) {
        return statement_execute(parser, out);
    }
    if (parser_at(parser, KEYWORD_UPDATE)) {
        return statement_update(parser, out);
    }
    if (parser_at(parser, KEYWORD_DELETE)) {
        return statement_delete(parser, out);
    }
    if (parser_at(parser, KEYWORD_CREATE) || parser_at(parser, KEYWORD_REPLACE)) {
        uint32_t from = parser_offset(parser);
        TRY(parse_create_statement(parser, out));
        if (out->kind != AST_CREATE_TABLE || out->as.create_table.query == NULL) {
            return parser_fail(parser, parser_span(parser, from),
                               "EXPLAIN of a CREATE needs the query of CREATE TABLE ... AS");
        }
        return STATUS_OK;
    }
    if (!parser_at_query(parser) && !parser_at_kind(parser, TOKEN_LPAREN)) {
        return parser_unexpected(parser, "a query, an INSERT or a STATEMENT SET");
    }
    return statement_query(parser, out);
}

static enum status statement_explain(struct parser *parser, struct ast_statement *out)
{
    struct ast_statement *inner = arena_new(parser->arena, struct ast_statement);
    struct ast_explain *explain = &out->as.explain;
    out->kind = AST_EXPLAIN;
    parser_advance(parser);
    explain->plan_for = parser_accept_two(parser, KEYWORD_PLAN, KEYWORD_FOR);
    explain->analyze = !explain->plan_for && parser_accept(parser, KEYWORD_ANALYZE);
    if (!explain->plan_for) {
        TRY(parse_explain_details(parser, explain));
    }
    uint32_t from = parser_offset(parser);
    TRY(parse_explained(parser, inner));
    inner->at = parser_span(parser, from);
    explain->statement = inner;
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// SET and RESET

// Moves to `at` in the text: what was read ahead is forgotten.
static void move_to(struct parser *parser, uint32_t from, uint32_t at)
{
    parser->previous = (struct token){.offset = from, .length = at - from, .kind = TOKEN_STRING};
    parser->lexer.at = at;
    parser->ahead_count = 0;
    parser->tried_count = 0;
}

// A key or value without quotes: everything up to a blank, ';', a quote or one of `stops`. Of
// length 0 where nothing is there.
static struct ast_text take_raw(struct parser *parser, char stop)
{
    uint32_t from = parser_offset(parser);
    uint32_t at = from;
    while (at < parser->text.size) {
        char byte = parser->text.ptr[at];
        if (byte == stop || byte == ';' || byte == '\'' || byte == ' ' || byte == '\t' ||
            byte == '\n' || byte == '\r') {
            break;
        }
        at++;
    }
    if (at > from) {
        move_to(parser, from, at);
    }
    return (struct ast_text){str_make(parser->text.ptr + from, at - from), {from, at - from}};
}

// SET; SET 'k' = 'v'; SET k = 'v'; SET k = v.
static enum status statement_set(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_SET;
    parser_advance(parser);
    if (parser_at_kind(parser, TOKEN_END) || parser_at_kind(parser, TOKEN_SEMICOLON)) {
        return STATUS_OK;
    }
    bool quoted = parser_at_kind(parser, TOKEN_STRING);
    if (quoted) {
        TRY(parse_name_text(parser, "a key", &out->as.set.key));
    } else {
        out->as.set.key = take_raw(parser, '=');
        if (out->as.set.key.at.length == 0) {
            return parser_unexpected(parser, "a key: SET 'key' = 'value'");
        }
    }
    TRY(parser_expect_kind(parser, TOKEN_EQ));
    if (quoted || parser_at_kind(parser, TOKEN_STRING)) {
        return parse_name_text(parser, "a value as a string: SET 'key' = 'value'",
                               &out->as.set.value);
    }
    out->as.set.value = take_raw(parser, ';');
    return out->as.set.value.at.length > 0 ? STATUS_OK
                                           : parser_unexpected(parser, "a value as a string");
}

static enum status statement_reset(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_RESET;
    parser_advance(parser);
    if (parser_at_kind(parser, TOKEN_STRING)) {
        return parse_name_text(parser, "a key", &out->as.set.key);
    }
    if (!parser_at_kind(parser, TOKEN_END) && !parser_at_kind(parser, TOKEN_SEMICOLON)) {
        out->as.set.key = take_raw(parser, ';');
    }
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// The others

static enum status parse_bare_names(struct parser *parser, const char *what, struct ast_names *out)
{
    PARSER_LIST(struct ast_name) names = {0};
    do {
        struct ast_name name;
        TRY(parse_name_one(parser, what, &name));
        PARSER_PUSH(parser, &names, name);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    *out = (struct ast_names){names.items, names.count};
    return STATUS_OK;
}

static enum status statement_use(struct parser *parser, struct ast_statement *out)
{
    parser_advance(parser);
    if (parser_accept(parser, KEYWORD_MODULES)) {
        out->kind = AST_USE_MODULES;
        return parse_bare_names(parser, "a module's name", &out->as.modules.names);
    }
    enum token_kind next = parser_peek(parser, 1).kind;
    if ((next == TOKEN_WORD || next == TOKEN_QUOTED_NAME) &&
        parser_accept(parser, KEYWORD_CATALOG)) {
        out->kind = AST_USE_CATALOG;
        return parse_name_single(parser, "a catalog's name", &out->as.path);
    }
    out->kind = AST_USE;
    return parse_name_path(parser, "a database's name", &out->as.path);
}

// LOAD MODULE m [WITH (...)], UNLOAD MODULE m.
static enum status statement_module(struct parser *parser, struct ast_statement *out)
{
    bool load = parser_advance(parser).keyword == KEYWORD_LOAD;
    struct ast_name *name = arena_new(parser->arena, struct ast_name);
    out->kind = load ? AST_LOAD_MODULE : AST_UNLOAD_MODULE;
    TRY(parser_expect(parser, KEYWORD_MODULE));
    TRY(parse_name_one(parser, "a module's name", name));
    out->as.modules.names = (struct ast_names){name, 1};
    return load && parser_accept(parser, KEYWORD_WITH)
               ? parse_name_options(parser, &out->as.modules.options)
               : STATUS_OK;
}

// ADD JAR 'path', REMOVE JAR 'path'.
static enum status statement_jar(struct parser *parser, struct ast_statement *out)
{
    out->kind = parser_advance(parser).keyword == KEYWORD_ADD ? AST_ADD_JAR : AST_REMOVE_JAR;
    TRY(parser_expect(parser, KEYWORD_JAR));
    return parse_name_text(parser, "a path as a string", &out->as.text);
}

static enum status statement_call(struct parser *parser, struct ast_statement *out)
{
    struct ast_path path;
    out->kind = AST_CALL;
    parser_advance(parser);
    TRY(parse_name_path(parser, "a procedure's name", &path));
    if (!parser_at_kind(parser, TOKEN_LPAREN)) {
        return parser_unexpected(parser, "'(' and the procedure's arguments");
    }
    return parse_call_named(parser, path, &out->as.expr);
}

static enum status statement_analyze(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_ANALYZE_TABLE;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_TABLE));
    TRY(parse_name_path(parser, "a table's name", &out->as.analyze.table));
    if (parser_accept(parser, KEYWORD_PARTITION)) {
        TRY(parse_schema_partition_spec(parser, &out->as.analyze.partition));
    }
    TRY(parser_expect(parser, KEYWORD_COMPUTE));
    TRY(parser_expect(parser, KEYWORD_STATISTICS));
    if (!parser_accept(parser, KEYWORD_FOR)) {
        return STATUS_OK;
    }
    out->as.analyze.all_columns = parser_accept(parser, KEYWORD_ALL);
    TRY(parser_expect(parser, KEYWORD_COLUMNS));
    return out->as.analyze.all_columns
               ? STATUS_OK
               : parse_bare_names(parser, "a column's name", &out->as.analyze.columns);
}

static enum status statement_stop(struct parser *parser, struct ast_statement *out)
{
    out->kind = AST_STOP_JOB;
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_JOB));
    TRY(parse_name_text(parser, "a job's id as a string", &out->as.stop_job.job));
    while (parser_accept(parser, KEYWORD_WITH)) {
        if (parser_accept(parser, KEYWORD_SAVEPOINT)) {
            out->as.stop_job.with_savepoint = true;
        } else {
            TRY(parser_expect(parser, KEYWORD_DRAIN));
            out->as.stop_job.with_drain = true;
        }
    }
    return STATUS_OK;
}

static enum status statement_shell(struct parser *parser, struct ast_statement *out)
{
    enum keyword keyword = parser_advance(parser).keyword;
    out->kind = keyword == KEYWORD_CLEAR  ? AST_CLEAR
                : keyword == KEYWORD_HELP ? AST_HELP
                                          : AST_QUIT;
    return STATUS_OK;
}

// ---------------------------------------------------------------------------------------------

typedef enum status (*statement_parser)(struct parser *, struct ast_statement *);

static const struct {
    enum keyword first;
    statement_parser parse;
} statements[] = {
    {KEYWORD_SELECT, statement_query},
    {KEYWORD_INSERT, statement_insert},
    {KEYWORD_CREATE, parse_create_statement},
    {KEYWORD_DROP, parse_create_drop},
    {KEYWORD_ALTER, parse_alter_statement},
    {KEYWORD_SHOW, parse_show_statement},
    {KEYWORD_DESCRIBE, parse_show_describe},
    {KEYWORD_DESC, parse_show_describe},
    {KEYWORD_EXPLAIN, statement_explain},
    {KEYWORD_EXECUTE, statement_execute},
    {KEYWORD_SET, statement_set},
    {KEYWORD_RESET, statement_reset},
    {KEYWORD_USE, statement_use},
    {KEYWORD_WITH, statement_query},
    {KEYWORD_VALUES, statement_query},
    {KEYWORD_TABLE, statement_query},
    {KEYWORD_REPLACE, parse_create_statement},
    {KEYWORD_UPSERT, statement_insert},
    {KEYWORD_UPDATE, statement_update},
    {KEYWORD_DELETE, statement_delete},
    {KEYWORD_TRUNCATE, statement_truncate},
    {KEYWORD_MERGE, statement_merge},
    {KEYWORD_BEGIN, statement_begin},
    {KEYWORD_END, statement_end},
    {KEYWORD_COMPILE, statement_compile},
    {KEYWORD_CALL, statement_call},
    {KEYWORD_ANALYZE, statement_analyze},
    {KEYWORD_LOAD, statement_module},
    {KEYWORD_UNLOAD, statement_module},
    {KEYWORD_ADD, statement_jar},
    {KEYWORD_REMOVE, statement_jar},
    {KEYWORD_STOP, statement_stop},
    {KEYWORD_QUIT, statement_shell},
    {KEYWORD_EXIT, statement_shell},
    {KEYWORD_CLEAR, statement_shell},
    {KEYWORD_HELP, statement_shell},
};

enum status parse_statement_any(struct parser *parser, const struct ast_statement **out)
{
    struct ast_statement *statement = arena_new(parser->arena, struct ast_statement);
    statement_parser parse = parser_at_kind(parser, TOKEN_LPAREN) ? statement_query : NULL;
    uint32_t from = parser_offset(parser);
    for (size_t i = 0; parse == NULL && i < sizeof statements / sizeof statements[0]; i++) {
        if (parser_at(parser, statements[i].first)) {
            parse = statements[i].parse;
        }
    }
    if (parse == NULL) {
        struct token first = parser_current(parser);
        struct str word =
            str_slice(parser->text, first.offset, first.offset + (size_t)first.length);
        enum status status = parser_unexpected(parser, "a statement: SELECT, INSERT, CREATE, ...");
        if (str_is_nocase(word, "COPY")) {
            err_hint(parser->err, "files are written by INSERT INTO 'x.parquet' SELECT ...");
        }
        return status;
    }
    TRY(parse(parser, statement));
    statement->at = parser_span(parser, from);
    *out = statement;
    return STATUS_OK;
}
