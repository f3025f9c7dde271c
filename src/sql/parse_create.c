// SPDX-License-Identifier: Apache-2.0
//
// parse_create: CREATE and DROP.
#include "base/arena.h"
#include "sql/parse_int.h"

bool parse_create_if_exists(struct parser *parser)
{
    return parser_accept_two(parser, KEYWORD_IF, KEYWORD_EXISTS);
}

bool parse_create_if_not_exists(struct parser *parser)
{
    if (!parser_at(parser, KEYWORD_IF) || !parser_ahead_is(parser, 1, KEYWORD_NOT) ||
        !parser_ahead_is(parser, 2, KEYWORD_EXISTS)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        parser_advance(parser);
    }
    return true;
}

static enum status parse_comment(struct parser *parser, struct ast_text *out)
{
    return parser_accept(parser, KEYWORD_COMMENT)
               ? parse_name_text(parser, "a comment as a string", out)
               : STATUS_OK;
}

static enum status parse_with(struct parser *parser, struct ast_options *out)
{
    return parser_accept(parser, KEYWORD_WITH) ? parse_name_options(parser, out) : STATUS_OK;
}

// ---------------------------------------------------------------------------------------------
// TABLE

static const struct {
    enum keyword keyword;
    enum ast_like_feature feature;
} like_features[] = {
    {KEYWORD_ALL, AST_LIKE_ALL},
    {KEYWORD_CONSTRAINTS, AST_LIKE_CONSTRAINTS},
    {KEYWORD_DISTRIBUTION, AST_LIKE_DISTRIBUTION},
    {KEYWORD_GENERATED, AST_LIKE_GENERATED},
    {KEYWORD_METADATA, AST_LIKE_METADATA},
    {KEYWORD_OPTIONS, AST_LIKE_OPTIONS},
    {KEYWORD_PARTITIONS, AST_LIKE_PARTITIONS},
    {KEYWORD_WATERMARKS, AST_LIKE_WATERMARKS},
};

static enum status parse_like_option(struct parser *parser, struct ast_like_option *out)
{
    uint32_t from = parser_offset(parser);
    if (parser_accept(parser, KEYWORD_INCLUDING)) {
        out->merge = AST_LIKE_INCLUDING;
    } else if (parser_accept(parser, KEYWORD_EXCLUDING)) {
        out->merge = AST_LIKE_EXCLUDING;
    } else {
        TRY(parser_expect(parser, KEYWORD_OVERWRITING));
        out->merge = AST_LIKE_OVERWRITING;
    }
    for (size_t i = 0; i < sizeof like_features / sizeof like_features[0]; i++) {
        if (parser_accept(parser, like_features[i].keyword)) {
            out->feature = like_features[i].feature;
            out->at = parser_span(parser, from);
            return STATUS_OK;
        }
    }
    return parser_unexpected(parser, NULL);
}

static enum status parse_like(struct parser *parser, struct ast_like_clause *out)
{
    PARSER_LIST(struct ast_like_option) options = {0};
    TRY(parse_name_path(parser, "a table's name", &out->table));
    if (!parser_accept_kind(parser, TOKEN_LPAREN)) {
        return STATUS_OK;
    }
    do {
        struct ast_like_option option;
        TRY(parse_like_option(parser, &option));
        PARSER_PUSH(parser, &options, option);
    } while (!parser_at_kind(parser, TOKEN_RPAREN));
    out->options = options.items;
    out->option_count = options.count;
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// Columns without types take them from the query, so there must be one, and all must be so.
static enum status check_columns(struct parser *parser, const struct ast_schema *schema,
                                 const struct ast_query *query)
{
    for (uint32_t i = 0; i < schema->column_count; i++) {
        const struct ast_column *column = &schema->columns[i];
        bool untyped = column->type == NULL && column->kind == AST_COLUMN_PHYSICAL;
        if (untyped && query == NULL) {
            return parser_fail(parser, column->at,
                               "column '%.*s' has no type; only CREATE TABLE ... AS takes it from "
                               "a query",
                               STR_ARGS(column->name.parts[0].text));
        }
    }
    return STATUS_OK;
}

// COMMENT, DISTRIBUTED, PARTITIONED BY, WITH: in this order, for tables of all kinds.
static enum status parse_layout(struct parser *parser, struct ast_create_table *table)
{
    TRY(parse_comment(parser, &table->comment));
    if (parser_accept(parser, KEYWORD_DISTRIBUTED)) {
        TRY(parse_schema_distribution(parser, &table->distribution));
    }
    if (parser_accept(parser, KEYWORD_PARTITIONED)) {
        TRY(parser_expect(parser, KEYWORD_BY));
        TRY(parse_schema_partitions(parser, &table->partitions, &table->partition_count));
    }
    return parse_with(parser, &table->options);
}

// Behind TABLE.
static enum status parse_table(struct parser *parser, struct ast_create_table *table)
{
    table->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_path(parser, "a table's name", &table->name));
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(parse_schema_list(parser, false, &table->schema));
    }
    TRY(parse_layout(parser, table));
    if (parser_accept(parser, KEYWORD_LIKE)) {
        TRY(parse_like(parser, &table->like));
    } else if (parser_accept(parser, KEYWORD_AS)) {
        TRY(parse_query_whole(parser, &table->query));
    }
    if (table->mode != AST_CREATE && table->query == NULL) {
        return parser_unexpected(parser, "AS and the query that replaces the table");
    }
    return check_columns(parser, &table->schema, table->query);
}

static enum status parse_start_mode(struct parser *parser, struct ast_span *out)
{
    uint32_t from = parser_offset(parser);
    uint32_t open = 0;
    struct ast_name name;
    TRY(parse_name_one(parser, "a start mode's name", &name));
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        do {
            open += parser_at_kind(parser, TOKEN_LPAREN) ? 1 : 0;
            open -= parser_at_kind(parser, TOKEN_RPAREN) ? 1 : 0;
            if (parser_at_kind(parser, TOKEN_END) || parser_at_kind(parser, TOKEN_ERROR)) {
                return parser_unexpected(parser, "')'");
            }
            parser_advance(parser);
        } while (open > 0);
    }
    *out = parser_span(parser, from);
    return STATUS_OK;
}

// FRESHNESS = INTERVAL '1' MINUTE
static enum status parse_freshness(struct parser *parser, const struct ast_expr **out)
{
    TRY(parser_expect_kind(parser, TOKEN_EQ));
    if (!parser_at(parser, KEYWORD_INTERVAL)) {
        return parser_unexpected(parser, "an INTERVAL");
    }
    return parse_primary_value(parser, out);
}

static enum status parse_refresh_mode(struct parser *parser, struct ast_name *out)
{
    TRY(parser_expect_kind(parser, TOKEN_EQ));
    struct token token = parser_current(parser);
    if (!parser_accept(parser, KEYWORD_FULL)) {
        TRY(parser_expect(parser, KEYWORD_CONTINUOUS));
    }
    *out = parse_name_of_token(parser, token);
    return STATUS_OK;
}

static enum status parse_materialized(struct parser *parser, struct ast_create_materialized *out)
{
    struct ast_create_table table = {.mode = out->mode};
    TRY(parser_expect(parser, KEYWORD_TABLE));
    out->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_path(parser, "a table's name", &out->name));
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(parse_schema_list(parser, false, &out->schema));
    }
    TRY(parse_layout(parser, &table));
    out->comment = table.comment;
    out->distribution = table.distribution;
    out->partitions = table.partitions;
    out->partition_count = table.partition_count;
    out->options = table.options;
    if (parser_accept(parser, KEYWORD_FRESHNESS)) {
        TRY(parse_freshness(parser, &out->freshness));
    }
    if (parser_accept(parser, KEYWORD_REFRESH_MODE)) {
        TRY(parse_refresh_mode(parser, &out->refresh_mode));
    }
    if (parser_accept(parser, KEYWORD_START_MODE)) {
        TRY(parser_expect_kind(parser, TOKEN_EQ));
        TRY(parse_start_mode(parser, &out->start_mode));
    }
    TRY(parser_expect(parser, KEYWORD_AS));
    return parse_query_whole(parser, &out->query);
}

// ---------------------------------------------------------------------------------------------
// The others

static enum status parse_view(struct parser *parser, struct ast_create_view *out)
{
    out->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_path(parser, "a view's name", &out->name));
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        TRY(parse_name_list(parser, &out->columns));
    }
    TRY(parse_comment(parser, &out->comment));
    TRY(parser_expect(parser, KEYWORD_AS));
    return parse_query_whole(parser, &out->query);
}

static enum status parse_database(struct parser *parser, struct ast_create_database *out)
{
    out->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_path(parser, "a database's name", &out->name));
    TRY(parse_comment(parser, &out->comment));
    return parse_with(parser, &out->options);
}

static enum status parse_catalog(struct parser *parser, struct ast_create_catalog *out)
{
    out->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_any(parser, "a catalog's name", &out->name));
    TRY(parse_comment(parser, &out->comment));
    return parse_with(parser, &out->options);
}

static enum status parse_resources(struct parser *parser, struct ast_create_function *out)
{
    PARSER_LIST(struct ast_resource) resources = {0};
    do {
        struct ast_resource resource;
        TRY(parse_name_one(parser, "JAR, FILE or ARTIFACT, not another name", &resource.kind));
        TRY(parse_name_text(parser, "a path as a string", &resource.path));
        PARSER_PUSH(parser, &resources, resource);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    out->resources = resources.items;
    out->resource_count = resources.count;
    return STATUS_OK;
}

// AS 'class' [LANGUAGE l] [USING JAR 'path', ...] [WITH (...)]
enum status parse_create_function_body(struct parser *parser, struct ast_create_function *out)
{
    TRY(parser_expect(parser, KEYWORD_AS));
    TRY(parse_name_text(parser, "a class as a string", &out->class_name));
    if (parser_accept(parser, KEYWORD_LANGUAGE)) {
        struct token token = parser_current(parser);
        if (!parser_accept(parser, KEYWORD_JAVA) && !parser_accept(parser, KEYWORD_SCALA) &&
            !parser_accept(parser, KEYWORD_SQL) && !parser_accept(parser, KEYWORD_PYTHON)) {
            return parser_unexpected(parser, NULL);
        }
        out->language = parse_name_of_token(parser, token);
    }
    if (parser_accept(parser, KEYWORD_USING)) {
        TRY(parse_resources(parser, out));
    }
    return parse_with(parser, &out->options);
}

static enum status parse_function(struct parser *parser, struct ast_create_function *out)
{
    out->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_path(parser, "a function's name", &out->name));
    return parse_create_function_body(parser, out);
}

static enum status parse_model(struct parser *parser, struct ast_create_model *out)
{
    out->if_not_exists = parse_create_if_not_exists(parser);
    TRY(parse_name_path(parser, "a model's name", &out->name));
    if (parser_accept(parser, KEYWORD_INPUT)) {
        TRY(parse_schema_list(parser, false, &out->input));
    }
    if (parser_accept(parser, KEYWORD_OUTPUT)) {
        TRY(parse_schema_list(parser, false, &out->output));
    }
    TRY(parse_comment(parser, &out->comment));
    TRY(parse_with(parser, &out->options));
    return parser_accept(parser, KEYWORD_AS) ? parse_query_whole(parser, &out->query) : STATUS_OK;
}

// What stands between CREATE and the kind of object.
struct creation {
    enum ast_create_mode mode;
    bool temporary;
    bool system;
};

static enum status parse_object(struct parser *parser, const struct creation *creation,
                                struct ast_statement *out)
{
    if (parser_accept(parser, KEYWORD_TABLE)) {
        out->kind = AST_CREATE_TABLE;
        out->as.create_table.mode = creation->mode;
        out->as.create_table.temporary = creation->temporary;
        return parse_table(parser, &out->as.create_table);
    }
    if (parser_accept(parser, KEYWORD_VIEW)) {
        out->kind = AST_CREATE_VIEW;
        out->as.create_view.mode = creation->mode;
        out->as.create_view.temporary = creation->temporary;
        return parse_view(parser, &out->as.create_view);
    }
    if (parser_accept(parser, KEYWORD_FUNCTION)) {
        out->kind = AST_CREATE_FUNCTION;
        out->as.create_function.temporary = creation->temporary;
        out->as.create_function.system = creation->system;
        return parse_function(parser, &out->as.create_function);
    }
    if (parser_accept(parser, KEYWORD_MODEL)) {
        out->kind = AST_CREATE_MODEL;
        out->as.create_model.mode = creation->mode;
        out->as.create_model.temporary = creation->temporary;
        return parse_model(parser, &out->as.create_model);
    }
    if (!creation->temporary && parser_accept(parser, KEYWORD_DATABASE)) {
        out->kind = AST_CREATE_DATABASE;
        return parse_database(parser, &out->as.create_database);
    }
    if (!creation->temporary && parser_accept(parser, KEYWORD_CATALOG)) {
        out->kind = AST_CREATE_CATALOG;
        return parse_catalog(parser, &out->as.create_catalog);
    }
    if (!creation->temporary && parser_accept(parser, KEYWORD_MATERIALIZED)) {
        out->kind = AST_CREATE_MATERIALIZED_TABLE;
        out->as.create_materialized.mode = creation->mode;
        return parse_materialized(parser, &out->as.create_materialized);
    }
    return parser_unexpected(parser, NULL);
}

enum status parse_create_statement(struct parser *parser, struct ast_statement *out)
{
    struct creation creation = {.mode = AST_CREATE};
    if (parser_accept(parser, KEYWORD_REPLACE)) {
        creation.mode = AST_REPLACE;
        TRY(parser_expect(parser, KEYWORD_TABLE));
        out->kind = AST_CREATE_TABLE;
        out->as.create_table.mode = AST_REPLACE;
        return parse_table(parser, &out->as.create_table);
    }
    TRY(parser_expect(parser, KEYWORD_CREATE));
    if (parser_accept(parser, KEYWORD_OR)) {
        creation.mode = AST_CREATE_OR_REPLACE;
        if (!parser_accept(parser, KEYWORD_REPLACE)) {
            creation.mode = AST_CREATE_OR_ALTER;
            TRY(parser_expect(parser, KEYWORD_ALTER));
        }
    }
    creation.temporary = parser_accept(parser, KEYWORD_TEMPORARY);
    creation.system = creation.temporary && parser_accept(parser, KEYWORD_SYSTEM);
    if (creation.system && !parser_at(parser, KEYWORD_FUNCTION)) {
        return parser_unexpected(parser, NULL);
    }
    return parse_object(parser, &creation, out);
}

// ---------------------------------------------------------------------------------------------
// DROP

enum status parse_create_drop(struct parser *parser, struct ast_statement *out)
{
    static const struct {
        enum keyword keyword;
        enum ast_object object;
        bool temporary; // may be
    } objects[] = {
        {KEYWORD_TABLE, AST_OBJECT_TABLE, true},
        {KEYWORD_VIEW, AST_OBJECT_VIEW, true},
        {KEYWORD_DATABASE, AST_OBJECT_DATABASE, false},
        {KEYWORD_CATALOG, AST_OBJECT_CATALOG, false},
        {KEYWORD_FUNCTION, AST_OBJECT_FUNCTION, true},
        {KEYWORD_MODEL, AST_OBJECT_MODEL, true},
        {KEYWORD_MATERIALIZED, AST_OBJECT_MATERIALIZED_TABLE, false},
    };
    struct ast_drop *drop = &out->as.drop;
    bool found = false;
    out->kind = AST_DROP;
    parser_advance(parser);
    drop->temporary = parser_accept(parser, KEYWORD_TEMPORARY);
    drop->system = drop->temporary && parser_accept(parser, KEYWORD_SYSTEM);
    for (size_t i = 0; !found && i < sizeof objects / sizeof objects[0]; i++) {
        bool fits = (!drop->temporary || objects[i].temporary) &&
                    (!drop->system || objects[i].object == AST_OBJECT_FUNCTION);
        found = fits && parser_accept(parser, objects[i].keyword);
        drop->object = objects[i].object;
    }
    if (!found) {
        return parser_unexpected(parser, NULL);
    }
    if (drop->object == AST_OBJECT_MATERIALIZED_TABLE) {
        TRY(parser_expect(parser, KEYWORD_TABLE));
    }
    drop->if_exists = parse_create_if_exists(parser);
    if (drop->object == AST_OBJECT_CATALOG) {
        return parse_name_single(parser, "a catalog's name", &drop->name);
    }
    TRY(parse_name_path(parser, "a name", &drop->name));
    if (drop->object == AST_OBJECT_DATABASE) {
        drop->behavior = parser_accept(parser, KEYWORD_RESTRICT)  ? AST_DROP_RESTRICT
                         : parser_accept(parser, KEYWORD_CASCADE) ? AST_DROP_CASCADE
                                                                  : AST_DROP_UNSAID;
    }
    return STATUS_OK;
}
