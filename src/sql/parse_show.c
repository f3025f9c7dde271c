// SPDX-License-Identifier: Apache-2.0
//
// parse_show: SHOW and DESCRIBE.
#include "base/arena.h"
#include "sql/parse_int.h"

// [NOT] LIKE | ILIKE 'pattern'
static enum status parse_like(struct parser *parser, struct ast_show *show)
{
    bool negated = parser_accept(parser, KEYWORD_NOT);
    if (parser_accept(parser, KEYWORD_ILIKE)) {
        show->ilike = true;
    } else if (!parser_accept(parser, KEYWORD_LIKE)) {
        return negated ? parser_unexpected(parser, NULL) : STATUS_OK;
    }
    show->has_like = true;
    show->negated = negated;
    return parse_name_text(parser, "a pattern as a string", &show->pattern);
}

// FROM | IN name
static enum status parse_from(struct parser *parser, bool required, struct ast_show *show)
{
    if (parser_accept(parser, KEYWORD_FROM)) {
        show->preposition = STR_LIT("FROM");
    } else if (parser_accept(parser, KEYWORD_IN)) {
        show->preposition = STR_LIT("IN");
    } else {
        return required ? parser_unexpected(parser, NULL) : STATUS_OK;
    }
    return parser_ahead_kind(parser, 1, TOKEN_DOT)
               ? parse_name_path(parser, "a name", &show->name)
               : parse_name_single(parser, "a name", &show->name);
}

static enum status parse_create(struct parser *parser, struct ast_show *show)
{
    if (parser_accept(parser, KEYWORD_TABLE)) {
        show->kind = AST_SHOW_CREATE_TABLE;
    } else if (parser_accept(parser, KEYWORD_VIEW)) {
        show->kind = AST_SHOW_CREATE_VIEW;
    } else if (parser_accept(parser, KEYWORD_CATALOG)) {
        show->kind = AST_SHOW_CREATE_CATALOG;
    } else if (parser_accept(parser, KEYWORD_MODEL)) {
        show->kind = AST_SHOW_CREATE_MODEL;
    } else {
        show->kind = AST_SHOW_CREATE_MATERIALIZED_TABLE;
        TRY(parser_expect(parser, KEYWORD_MATERIALIZED));
        TRY(parser_expect(parser, KEYWORD_TABLE));
    }
    return show->kind == AST_SHOW_CREATE_CATALOG
               ? parse_name_single(parser, "a catalog's name", &show->name)
               : parse_name_path(parser, "a name", &show->name);
}

static enum status parse_partitions(struct parser *parser, struct ast_show *show)
{
    show->kind = AST_SHOW_PARTITIONS;
    TRY(parse_name_path(parser, "a table's name", &show->name));
    return parser_accept(parser, KEYWORD_PARTITION)
               ? parse_schema_partition_spec(parser, &show->partition)
               : STATUS_OK;
}

static enum status parse_current(struct parser *parser, struct ast_show *show)
{
    show->kind = AST_SHOW_CURRENT_CATALOG;
    if (parser_accept(parser, KEYWORD_CATALOG)) {
        return STATUS_OK;
    }
    show->kind = AST_SHOW_CURRENT_DATABASE;
    return parser_expect(parser, KEYWORD_DATABASE);
}

// Lists that are one word.
static const struct {
    enum keyword keyword;
    enum ast_show_kind kind;
    bool from; // FROM db may follow
    bool like; // LIKE may follow
} lists[] = {
    {KEYWORD_CATALOGS, AST_SHOW_CATALOGS, false, true},
    {KEYWORD_DATABASES, AST_SHOW_DATABASES, true, true},
    {KEYWORD_TABLES, AST_SHOW_TABLES, true, true},
    {KEYWORD_VIEWS, AST_SHOW_VIEWS, true, true},
    {KEYWORD_FUNCTIONS, AST_SHOW_FUNCTIONS, true, true},
    {KEYWORD_PROCEDURES, AST_SHOW_PROCEDURES, true, true},
    {KEYWORD_MODELS, AST_SHOW_MODELS, true, true},
    {KEYWORD_MODULES, AST_SHOW_MODULES, false, false},
    {KEYWORD_JARS, AST_SHOW_JARS, false, false},
    {KEYWORD_JOBS, AST_SHOW_JOBS, false, false},
};

static enum status parse_list(struct parser *parser, struct ast_show *show)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (!parser_accept(parser, lists[i].keyword)) {
            continue;
        }
        show->kind = lists[i].kind;
        if (lists[i].from) {
            TRY(parse_from(parser, false, show));
        }
        return lists[i].like ? parse_like(parser, show) : STATUS_OK;
    }
    return parser_unexpected(parser, NULL);
}

enum status parse_show_statement(struct parser *parser, struct ast_statement *out)
{
    struct ast_show *show = &out->as.show;
    out->kind = AST_SHOW;
    parser_advance(parser);
    if (parser_accept(parser, KEYWORD_CREATE)) {
        return parse_create(parser, show);
    }
    if (parser_accept(parser, KEYWORD_CURRENT)) {
        return parse_current(parser, show);
    }
    if (parser_accept(parser, KEYWORD_PARTITIONS)) {
        return parse_partitions(parser, show);
    }
    if (parser_accept(parser, KEYWORD_COLUMNS)) {
        show->kind = AST_SHOW_COLUMNS;
        TRY(parse_from(parser, true, show));
        return parse_like(parser, show);
    }
    if (parser_accept(parser, KEYWORD_USER)) {
        show->kind = AST_SHOW_USER_FUNCTIONS;
        TRY(parser_expect(parser, KEYWORD_FUNCTIONS));
        TRY(parse_from(parser, false, show));
        return parse_like(parser, show);
    }
    if (parser_accept(parser, KEYWORD_FULL)) {
        show->kind = AST_SHOW_FULL_MODULES;
        return parser_expect(parser, KEYWORD_MODULES);
    }
    if (parser_accept(parser, KEYWORD_MATERIALIZED)) {
        show->kind = AST_SHOW_MATERIALIZED_TABLES;
        TRY(parser_expect(parser, KEYWORD_TABLES));
        TRY(parse_from(parser, false, show));
        return parse_like(parser, show);
    }
    return parse_list(parser, show);
}

enum status parse_show_describe(struct parser *parser, struct ast_statement *out)
{
    static const struct {
        enum keyword keyword;
        enum ast_describe_kind kind;
    } objects[] = {
        {KEYWORD_CATALOG, AST_DESCRIBE_CATALOG},
        {KEYWORD_DATABASE, AST_DESCRIBE_DATABASE},
        {KEYWORD_FUNCTION, AST_DESCRIBE_FUNCTION},
        {KEYWORD_MODEL, AST_DESCRIBE_MODEL},
    };
    struct ast_describe *describe = &out->as.describe;
    out->kind = AST_DESCRIBE;
    describe->kind = AST_DESCRIBE_TABLE;
    parser_advance(parser);
    if (parser_ahead_is(parser, 0, KEYWORD_JOB) && parser_ahead_kind(parser, 1, TOKEN_STRING)) {
        parser_advance(parser);
        describe->kind = AST_DESCRIBE_JOB;
        return parse_name_text(parser, "a job's id as a string", &describe->job);
    }
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        // These words may also be a table's name: DESCRIBE model.
        struct token next = parser_peek(parser, 1);
        bool more = parser_is_name(next) || next.keyword == KEYWORD_EXTENDED ||
                    lexer_keyword_reserved(parser_current(parser).keyword);
        if (describe->kind == AST_DESCRIBE_TABLE && more &&
            parser_accept(parser, objects[i].keyword)) {
            describe->kind = objects[i].kind;
        }
    }
    if (describe->kind == AST_DESCRIBE_TABLE) {
        parser_accept(parser, KEYWORD_TABLE);
    }
    describe->extended = parser_accept(parser, KEYWORD_EXTENDED);
    if (describe->kind == AST_DESCRIBE_TABLE && parser_at_kind(parser, TOKEN_STRING)) {
        TRY(parse_name_text(parser, "a file's name", &describe->file));
        return parse_query_hints(parser, &describe->hints);
    }
    TRY(parse_name_path(parser, "a name", &describe->name));
    return describe->kind == AST_DESCRIBE_TABLE && parser_accept(parser, KEYWORD_PARTITION)
               ? parse_schema_partition_spec(parser, &describe->partition)
               : STATUS_OK;
}
