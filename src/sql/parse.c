// SPDX-License-Identifier: Apache-2.0
#include "sql/parse.h"

#include "sql/parse_int.h"

static enum status begin(struct parser *parser, struct arena *arena, struct str text,
                         struct err *err)
{
    if (text.size > PARSE_TEXT_MAX) {
        return ERR(err, STATUS_LIMIT, "a statement of %zu bytes; the most is %d", text.size,
                   PARSE_TEXT_MAX);
    }
    parser_init(parser, arena, text, err);
    return STATUS_OK;
}

enum status parse_statement(struct arena *arena, struct str text, const struct ast_statement **out,
                            struct err *err)
{
    struct parser parser;
    TRY(begin(&parser, arena, text, err));
    TRY(parse_statement_any(&parser, out));
    return parser_expect_end(&parser);
}

enum status parse_expression(struct arena *arena, struct str text, const struct ast_expr **out,
                             struct err *err)
{
    struct parser parser;
    TRY(begin(&parser, arena, text, err));
    TRY(parse_expr_value(&parser, out));
    return parser_expect_end(&parser);
}

enum status parse_query_text(struct arena *arena, struct str text, const struct ast_query **out,
                             struct err *err)
{
    struct parser parser;
    TRY(begin(&parser, arena, text, err));
    TRY(parse_query_whole(&parser, out));
    return parser_expect_end(&parser);
}

enum status parse_type_text(struct arena *arena, struct str text, const struct ast_type **out,
                            struct err *err)
{
    struct parser parser;
    TRY(begin(&parser, arena, text, err));
    TRY(parse_type_column(&parser, out));
    return parser_expect_end(&parser);
}
