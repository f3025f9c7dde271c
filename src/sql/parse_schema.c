// SPDX-License-Identifier: Apache-2.0
//
// parse_schema: columns, constraints, watermarks, partitions and distributions of tables.
#include "base/arena.h"
#include "sql/parse_int.h"

// What parse_schema_list() and _single() gather.
struct builder {
    bool alter; // columns may be paths, and have positions
    PARSER_LIST(struct ast_column) columns;
    PARSER_LIST(struct ast_constraint) constraints;
    PARSER_LIST(struct ast_watermark) watermarks;
};

static enum status parse_enforcement(struct parser *parser, struct ast_constraint *out)
{
    if (parser_accept_two(parser, KEYWORD_NOT, KEYWORD_ENFORCED)) {
        out->enforcement = AST_NOT_ENFORCED;
    } else if (parser_accept(parser, KEYWORD_ENFORCED)) {
        out->enforcement = AST_ENFORCED;
    }
    return STATUS_OK;
}

static bool at_constraint(struct parser *parser)
{
    return parser_at(parser, KEYWORD_CONSTRAINT) || parser_at(parser, KEYWORD_PRIMARY) ||
           parser_at(parser, KEYWORD_UNIQUE);
}

// [CONSTRAINT n] PRIMARY KEY [(a, b)] [NOT ENFORCED]; the columns where it stands by itself.
static enum status parse_constraint(struct parser *parser, bool with_columns,
                                    struct ast_constraint *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_constraint){.kind = AST_CONSTRAINT_UNIQUE};
    if (parser_accept(parser, KEYWORD_CONSTRAINT)) {
        TRY(parse_name_one(parser, "a constraint's name", &out->name));
    }
    if (parser_accept(parser, KEYWORD_PRIMARY)) {
        out->kind = AST_CONSTRAINT_PRIMARY_KEY;
        TRY(parser_expect(parser, KEYWORD_KEY));
    } else {
        TRY(parser_expect(parser, KEYWORD_UNIQUE));
    }
    if (with_columns) {
        TRY(parse_name_list(parser, &out->columns));
    }
    TRY(parse_enforcement(parser, out));
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

static enum status parse_watermark(struct parser *parser, struct ast_watermark *out)
{
    uint32_t from = parser_offset(parser);
    parser_advance(parser);
    TRY(parser_expect(parser, KEYWORD_FOR));
    TRY(parse_name_path(parser, "a column's name", &out->column));
    TRY(parser_expect(parser, KEYWORD_AS));
    TRY(parse_expr_value(parser, &out->expr));
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

// Behind the type of a column.
static enum status parse_column_rest(struct parser *parser, struct ast_column *out)
{
    if (parser_accept(parser, KEYWORD_METADATA)) {
        out->kind = AST_COLUMN_METADATA;
        if (parser_accept(parser, KEYWORD_FROM)) {
            TRY(parse_name_text(parser, "a metadata key as a string", &out->metadata_key));
        }
        out->is_virtual = parser_accept(parser, KEYWORD_VIRTUAL);
        return STATUS_OK;
    }
    if (at_constraint(parser)) {
        struct ast_constraint *constraint = arena_new(parser->arena, struct ast_constraint);
        TRY(parse_constraint(parser, false, constraint));
        out->constraint = constraint;
    }
    return STATUS_OK;
}

static enum status parse_position(struct parser *parser, struct ast_column *out)
{
    if (parser_accept(parser, KEYWORD_FIRST)) {
        out->position = AST_POSITION_FIRST;
    } else if (parser_accept(parser, KEYWORD_AFTER)) {
        out->position = AST_POSITION_AFTER;
        return parse_name_path(parser, "a column's name", &out->after);
    }
    return STATUS_OK;
}

static enum status parse_column(struct parser *parser, bool alter, struct ast_column *out)
{
    uint32_t from = parser_offset(parser);
    *out = (struct ast_column){.kind = AST_COLUMN_PHYSICAL};
    if (alter) {
        TRY(parse_name_path(parser, "a column's name", &out->name));
    } else {
        struct ast_name *name = arena_new(parser->arena, struct ast_name);
        TRY(parse_name_one(parser, "a column's name", name));
        out->name = (struct ast_path){name, 1, name->at};
    }
    if (parser_accept(parser, KEYWORD_AS)) {
        out->kind = AST_COLUMN_COMPUTED;
        TRY(parse_expr_value(parser, &out->expr));
    } else if (!parser_at_kind(parser, TOKEN_COMMA) && !parser_at_kind(parser, TOKEN_RPAREN)) {
        TRY(parse_type_column(parser, &out->type));
        TRY(parse_column_rest(parser, out));
    }
    if (parser_accept(parser, KEYWORD_COMMENT)) {
        TRY(parse_name_text(parser, "a comment as a string", &out->comment));
    }
    if (alter) {
        TRY(parse_position(parser, out));
    }
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

static enum status parse_element(struct parser *parser, struct builder *builder)
{
    if (at_constraint(parser)) {
        struct ast_constraint constraint;
        TRY(parse_constraint(parser, true, &constraint));
        PARSER_PUSH(parser, &builder->constraints, constraint);
        return STATUS_OK;
    }
    if (parser_at(parser, KEYWORD_WATERMARK)) {
        struct ast_watermark watermark = {0};
        TRY(parse_watermark(parser, &watermark));
        if (builder->watermarks.count > 0) {
            return parser_fail(parser, watermark.at, "a table has one WATERMARK at most");
        }
        PARSER_PUSH(parser, &builder->watermarks, watermark);
        return STATUS_OK;
    }
    struct ast_column column;
    TRY(parse_column(parser, builder->alter, &column));
    PARSER_PUSH(parser, &builder->columns, column);
    return STATUS_OK;
}

static void finish_schema(const struct builder *builder, struct ast_schema *out)
{
    out->columns = builder->columns.items;
    out->column_count = builder->columns.count;
    out->constraints = builder->constraints.items;
    out->constraint_count = builder->constraints.count;
    out->watermarks = builder->watermarks.items;
    out->watermark_count = builder->watermarks.count;
}

enum status parse_schema_list(struct parser *parser, bool alter, struct ast_schema *out)
{
    struct builder builder = {.alter = alter};
    uint32_t from = parser_offset(parser);
    *out = (struct ast_schema){.present = true};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        TRY(parse_element(parser, &builder));
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    finish_schema(&builder, out);
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

enum status parse_schema_single(struct parser *parser, struct ast_schema *out)
{
    struct builder builder = {.alter = true};
    uint32_t from = parser_offset(parser);
    *out = (struct ast_schema){0};
    TRY(parse_element(parser, &builder));
    finish_schema(&builder, out);
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

// BY [HASH | RANGE] (a, b) [INTO n BUCKETS], INTO n BUCKETS; behind DISTRIBUTED or DISTRIBUTION.
enum status parse_schema_distribution(struct parser *parser, struct ast_distribution *out)
{
    uint32_t from = parser->previous.offset;
    *out = (struct ast_distribution){.present = true, .buckets = -1};
    if (parser_accept(parser, KEYWORD_BY)) {
        out->kind = parser_accept(parser, KEYWORD_HASH)    ? AST_DISTRIBUTION_HASH
                    : parser_accept(parser, KEYWORD_RANGE) ? AST_DISTRIBUTION_RANGE
                                                           : AST_DISTRIBUTION_UNKNOWN;
        if (out->kind == AST_DISTRIBUTION_UNKNOWN && !parser_at_kind(parser, TOKEN_LPAREN)) {
            return parser_unexpected(parser, "HASH, RANGE or '('");
        }
        TRY(parse_name_list(parser, &out->columns));
    } else if (!parser_at(parser, KEYWORD_INTO)) {
        return parser_unexpected(parser, NULL);
    }
    if (parser_accept(parser, KEYWORD_INTO)) {
        TRY(parse_name_integer(parser, "a number of buckets", &out->buckets));
        TRY(parser_expect(parser, KEYWORD_BUCKETS));
    }
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

// a, day(ts), bucket(16, id), truncate(4, s); the number may stand behind the column too.
static enum status parse_partition(struct parser *parser, struct ast_partition *out)
{
    uint32_t from = parser_offset(parser);
    struct token token = parser_current(parser);
    *out = (struct ast_partition){0};
    // Transforms may be reserved words: YEAR, HOUR, TRUNCATE.
    bool transform = (token.kind == TOKEN_WORD || token.kind == TOKEN_QUOTED_NAME) &&
                     parser_ahead_kind(parser, 1, TOKEN_LPAREN);
    if (!transform) {
        TRY(parse_name_path(parser, "a column's name", &out->column));
        out->at = parser_span(parser, from);
        return STATUS_OK;
    }
    out->transform = parse_name_of_token(parser, parser_advance(parser));
    parser_advance(parser);
    bool number_first = parser_at_kind(parser, TOKEN_INTEGER);
    out->has_argument = number_first;
    if (number_first) {
        TRY(parse_name_integer(parser, "a number", &out->argument));
        TRY(parser_expect_kind(parser, TOKEN_COMMA));
    }
    TRY(parse_name_path(parser, "a column's name", &out->column));
    if (!number_first && parser_accept_kind(parser, TOKEN_COMMA)) {
        out->has_argument = true;
        TRY(parse_name_integer(parser, "a number", &out->argument));
    }
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    out->at = parser_span(parser, from);
    return STATUS_OK;
}

enum status parse_schema_partitions(struct parser *parser, const struct ast_partition **out,
                                    uint32_t *count)
{
    PARSER_LIST(struct ast_partition) partitions = {0};
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        struct ast_partition partition;
        TRY(parse_partition(parser, &partition));
        PARSER_PUSH(parser, &partitions, partition);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    *out = partitions.items;
    *count = partitions.count;
    return parser_expect_kind(parser, TOKEN_RPAREN);
}

// (a = 1, b = 'x', c)
enum status parse_schema_partition_spec(struct parser *parser, struct ast_partition_spec *out)
{
    PARSER_LIST(struct ast_partition_value) values = {0};
    uint32_t from = parser_offset(parser);
    TRY(parser_expect_kind(parser, TOKEN_LPAREN));
    do {
        struct ast_partition_value value = {0};
        TRY(parse_name_one(parser, "a partition column's name", &value.column));
        if (parser_accept_kind(parser, TOKEN_EQ)) {
            TRY(parse_primary_literal(parser, &value.value));
        }
        PARSER_PUSH(parser, &values, value);
    } while (parser_accept_kind(parser, TOKEN_COMMA));
    TRY(parser_expect_kind(parser, TOKEN_RPAREN));
    *out = (struct ast_partition_spec){values.items, values.count, parser_span(parser, from)};
    return STATUS_OK;
}
