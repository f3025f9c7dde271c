// SPDX-License-Identifier: Apache-2.0
//
// parse_alter: ALTER TABLE, VIEW, DATABASE, CATALOG, FUNCTION, MODEL and MATERIALIZED TABLE.
#include "base/arena.h"
#include "sql/parse_int.h"

// ('a', 'b')
static enum status parse_keys(struct parser *parser, struct ast_alter *out)
{
    PARSER_LIST(struct ast_text) keys = {0};
    out->kind = AST_ALTER_RESET;
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    if (!parser_at_kind(parser, TOKEN_RPAREN)) {
        do {
            struct ast_text key;
            TRY(parse_name_text(parser, "an option's key as a string", &key));
            PARSER_PUSH(parser, &keys, key);
        } while (parser_accept_kind(parser, TOKEN_COMMA));
    }
    out->keys = keys.items;
    out->key_count = keys.count;
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

static enum status parse_set(struct parser *parser, struct ast_alter *out)
{
    out->kind = AST_ALTER_SET;
    return parse_name_options(parser, &out->options);
}

// TO name; for tables also a TO b, a column.
static enum status parse_rename(struct parser *parser, bool columns, struct ast_alter *out)
{
    out->kind = AST_ALTER_RENAME;
    if (parser_accept(parser, KEYWORD_TO)) {
        return parse_name_path(parser, "the new name", &out->new_name);
    }
    if (!columns) {
        return parser_unexpected(parser, NULL);
    }
    out->kind = AST_ALTER_RENAME_COLUMN;
    TRY(parse_name_path(parser, "a column's name", &out->column));
    TRY(parser_expect(parser, KEYWORD_TO));
    struct ast_name *name = arena_new(parser->arena, struct ast_name);
    TRY(parse_name_one(parser, "the new name", name));
    out->new_name = (struct ast_path){name, 1, name->at};
    return STATUS_OK;
}

// PARTITION (...) [WITH (...)] PARTITION (...) ...; for DROP with commas between.
static enum status parse_partitions(struct parser *parser, bool commas, struct ast_alter *out)
{
    PARSER_LIST(struct ast_alter_partition) partitions = {0};
    do {
        struct ast_alter_partition partition = {0};
        TRY(parser_expect(parser, KEYWORD_PARTITION));
        TRY(parse_schema_partition_spec(parser, &partition.spec));
        if (!commas && parser_accept(parser, KEYWORD_WITH)) {
            TRY(parse_name_options(parser, &partition.options));
        }
        PARSER_PUSH(parser, &partitions, partition);
    } while (commas ? parser_accept_kind(parser, TOKEN_COMMA)
                    : parser_at(parser, KEYWORD_PARTITION));
    out->partitions = partitions.items;
    out->partition_count = partitions.count;
    return STATUS_OK;
}

static enum status parse_schema(struct parser *parser, struct ast_alter *out)
{
    if (parser_accept(parser, KEYWORD_DISTRIBUTION)) {
        return parse_schema_distribution(parser, &out->distribution);
    }
    return parser_at_kind(parser, TOKEN_LPAREN) ? parse_schema_list(parser, true, &out->schema)
                                                : parse_schema_single(parser, &out->schema);
}

static enum status parse_add(struct parser *parser, struct ast_alter *out)
{
    out->kind = AST_ALTER_ADD;
    out->column_if_exists = parse_create_if_not_exists(parser);
    if (out->column_if_exists || parser_at(parser, KEYWORD_PARTITION)) {
        out->kind = AST_ALTER_ADD_PARTITIONS;
        return parse_partitions(parser, false, out);
    }
    return parse_schema(parser, out);
}

static enum status parse_drop(struct parser *parser, struct ast_alter *out)
{
    if (parser_accept(parser, KEYWORD_PRIMARY)) {
        out->kind = AST_ALTER_DROP_PRIMARY_KEY;
        return parser_expect(parser, KEYWORD_KEY);
    }
    if (parser_accept(parser, KEYWORD_CONSTRAINT)) {
        out->kind = AST_ALTER_DROP_CONSTRAINT;
        return parse_name_path(parser, "a constraint's name", &out->column);
    }
    if (parser_accept(parser, KEYWORD_WATERMARK)) {
        out->kind = AST_ALTER_DROP_WATERMARK;
        return STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_DISTRIBUTION)) {
        out->kind = AST_ALTER_DROP_DISTRIBUTION;
        return STATUS_OK;
    }
    out->column_if_exists = parse_create_if_exists(parser);
    if (out->column_if_exists || parser_at(parser, KEYWORD_PARTITION)) {
        out->kind = AST_ALTER_DROP_PARTITIONS;
        return parse_partitions(parser, true, out);
    }
    out->kind = AST_ALTER_DROP_COLUMNS;
    if (parser_at_kind(parser, TOKEN_LPAREN)) {
        return parse_name_paths(parser, &out->columns);
    }
    struct ast_path *path = arena_new(parser->arena, struct ast_path);
    TRY(parse_name_path(parser, "a column's name", path));
    out->columns = (struct ast_paths){path, 1};
    return STATUS_OK;
}

static enum status parse_table(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_TABLE;
    out->if_exists = parse_create_if_exists(parser);
    TRY(parse_name_path(parser, "a table's name", &out->name));
    if (parser_accept(parser, KEYWORD_RENAME)) {
        return parse_rename(parser, true, out);
    }
    if (parser_accept(parser, KEYWORD_SET)) {
        return parse_set(parser, out);
    }
    if (parser_accept(parser, KEYWORD_RESET)) {
        return parse_keys(parser, out);
    }
    if (parser_accept(parser, KEYWORD_ADD)) {
        return parse_add(parser, out);
    }
    if (parser_accept(parser, KEYWORD_MODIFY)) {
        out->kind = AST_ALTER_MODIFY;
        return parse_schema(parser, out);
    }
    if (parser_accept(parser, KEYWORD_DROP)) {
        return parse_drop(parser, out);
    }
    if (parser_at(parser, KEYWORD_PARTITION)) {
        TRY(parse_partitions(parser, true, out));
    }
    out->kind = AST_ALTER_COMPACT;
    return parser_expect(parser, KEYWORD_COMPACT);
}

static enum status parse_view(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_VIEW;
    TRY(parse_name_path(parser, "a view's name", &out->name));
    if (parser_accept(parser, KEYWORD_RENAME)) {
        return parse_rename(parser, false, out);
    }
    out->kind = AST_ALTER_AS;
    TRY(parser_expect(parser, KEYWORD_AS));
    return parse_query_whole(parser, &out->query);
}

static enum status parse_catalog(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_CATALOG;
    TRY(parse_name_path(parser, "a catalog's name", &out->name));
    if (parser_accept(parser, KEYWORD_SET)) {
        return parse_set(parser, out);
    }
    if (parser_accept(parser, KEYWORD_RESET)) {
        return parse_keys(parser, out);
    }
    out->kind = AST_ALTER_COMMENT;
    TRY(parser_expect(parser, KEYWORD_COMMENT));
    return parse_name_text(parser, "a comment as a string", &out->comment);
}

static enum status parse_database(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_DATABASE;
    TRY(parse_name_path(parser, "a database's name", &out->name));
    TRY(parser_expect(parser, KEYWORD_SET));
    return parse_set(parser, out);
}

static enum status parse_function(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_FUNCTION;
    out->kind = AST_ALTER_FUNCTION;
    out->if_exists = parse_create_if_exists(parser);
    TRY(parse_name_path(parser, "a function's name", &out->name));
    return parse_create_function_body(parser, &out->function);
}

static enum status parse_model(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_MODEL;
    out->if_exists = parse_create_if_exists(parser);
    TRY(parse_name_path(parser, "a model's name", &out->name));
    if (parser_accept(parser, KEYWORD_RENAME)) {
        return parse_rename(parser, false, out);
    }
    if (parser_accept(parser, KEYWORD_RESET)) {
        return parse_keys(parser, out);
    }
    TRY(parser_expect(parser, KEYWORD_SET));
    return parse_set(parser, out);
}

// SET: options, FRESHNESS = ..., REFRESH_MODE = ....
static enum status parse_materialized_set(struct parser *parser, struct ast_alter *out)
{
    if (parser_accept(parser, KEYWORD_FRESHNESS)) {
        out->kind = AST_ALTER_SET_FRESHNESS;
        TRY(parser_expect_kind(parser, TOKEN_EQ));
        return parse_primary_literal(parser, &out->freshness);
    }
    if (parser_accept(parser, KEYWORD_REFRESH_MODE)) {
        out->kind = AST_ALTER_SET_REFRESH_MODE;
        TRY(parser_expect_kind(parser, TOKEN_EQ));
        struct token token = parser_current(parser);
        if (!parser_accept(parser, KEYWORD_FULL)) {
            TRY(parser_expect(parser, KEYWORD_CONTINUOUS));
        }
        out->refresh_mode = parse_name_of_token(parser, token);
        return STATUS_OK;
    }
    return parse_set(parser, out);
}

static enum status parse_materialized(struct parser *parser, struct ast_alter *out)
{
    out->object = AST_OBJECT_MATERIALIZED_TABLE;
    TRY(parser_expect(parser, KEYWORD_TABLE));
    TRY(parse_name_path(parser, "a table's name", &out->name));
    if (parser_accept(parser, KEYWORD_SUSPEND)) {
        out->kind = AST_ALTER_SUSPEND;
        return STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_RESUME)) {
        out->kind = AST_ALTER_RESUME;
        return parser_accept(parser, KEYWORD_WITH) ? parse_name_options(parser, &out->options)
                                                   : STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_REFRESH)) {
        out->kind = AST_ALTER_REFRESH;
        return parser_at(parser, KEYWORD_PARTITION) ? parse_partitions(parser, true, out)
                                                    : STATUS_OK;
    }
    if (parser_accept(parser, KEYWORD_SET)) {
        return parse_materialized_set(parser, out);
    }
    if (parser_accept(parser, KEYWORD_RESET)) {
        return parse_keys(parser, out);
    }
    if (parser_accept(parser, KEYWORD_ADD)) {
        return parse_add(parser, out);
    }
    if (parser_accept(parser, KEYWORD_MODIFY)) {
        out->kind = AST_ALTER_MODIFY;
        return parse_schema(parser, out);
    }
    if (parser_accept(parser, KEYWORD_DROP)) {
        return parse_drop(parser, out);
    }
    out->kind = AST_ALTER_AS;
    TRY(parser_expect(parser, KEYWORD_AS));
    return parse_query_whole(parser, &out->query);
}

enum status parse_alter_statement(struct parser *parser, struct ast_statement *out)
{
    struct ast_alter *alter = &out->as.alter;
    out->kind = AST_ALTER;
    parser_advance(parser);
    if (parser_accept(parser, KEYWORD_TEMPORARY)) {
        alter->temporary = true;
        alter->system = parser_accept(parser, KEYWORD_SYSTEM);
        TRY(parser_expect(parser, KEYWORD_FUNCTION));
        return parse_function(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_TABLE)) {
        return parse_table(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_VIEW)) {
        return parse_view(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_DATABASE)) {
        return parse_database(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_CATALOG)) {
        return parse_catalog(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_FUNCTION)) {
        return parse_function(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_MODEL)) {
        return parse_model(parser, alter);
    }
    if (parser_accept(parser, KEYWORD_MATERIALIZED)) {
        return parse_materialized(parser, alter);
    }
    return parser_unexpected(parser, NULL);
}
