// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE … LIKE: what comes from the other table. Everything is included unless excluded; of
// options the statement's own win.
#include "sql/bind_create_int.h"

enum { FEATURES = AST_LIKE_WATERMARKS + 1 };

struct merges {
    enum ast_like_merge of[FEATURES];
};

static enum status read_merges(const struct ast_like_clause *like, struct merges *out,
                               struct err *err)
{
    bool said[FEATURES] = {0};
    for (uint32_t feature = 0; feature < FEATURES; feature++) {
        out->of[feature] = feature == AST_LIKE_OPTIONS ? AST_LIKE_OVERWRITING : AST_LIKE_INCLUDING;
    }
    for (uint32_t i = 0; i < like->option_count; i++) {
        const struct ast_like_option *option = &like->options[i];
        if (said[option->feature]) {
            return REFUSE(err, option->at, "said twice");
        }
        said[option->feature] = true;
        out->of[option->feature] = option->merge;
        bool can_overwrite =
            option->feature != AST_LIKE_ALL && option->feature != AST_LIKE_CONSTRAINTS &&
            option->feature != AST_LIKE_PARTITIONS && option->feature != AST_LIKE_DISTRIBUTION;
        if (option->merge == AST_LIKE_OVERWRITING && !can_overwrite) {
            return REFUSE(err, option->at,
                          "OVERWRITING is possible for GENERATED, METADATA, "
                          "OPTIONS and WATERMARKS");
        }
    }
    for (uint32_t feature = 0; feature < FEATURES && said[AST_LIKE_ALL]; feature++) {
        if (!said[feature]) {
            out->of[feature] = out->of[AST_LIKE_ALL];
        }
    }
    return STATUS_OK;
}

static void take_columns(struct create *create, const struct merges *merges)
{
    for (uint32_t i = 0; i < create->like->column_count; i++) {
        const struct table_column *column = &create->like->columns[i];
        enum ast_like_feature feature =
            column->kind == TABLE_COLUMN_COMPUTED ? AST_LIKE_GENERATED : AST_LIKE_METADATA;
        if (column->kind == TABLE_COLUMN_PHYSICAL || merges->of[feature] != AST_LIKE_EXCLUDING) {
            create->columns[create->column_count] = *column;
            create->columns[create->column_count++].field_id = 0;
        }
    }
    create->like_columns = create->column_count;
}

enum status bind_create_like(struct create *create, struct err *err)
{
    const struct table_def *like = create->like;
    if (like == NULL) {
        create->overwrites_options = true;
        return STATUS_OK;
    }
    if (like->kind == TABLE_KIND_VIEW) {
        return REFUSE(err, create->ast->like.table.at, "'%.*s' is a view: LIKE needs a table",
                      STR_ARGS(like->name));
    }
    struct merges merges;
    TRY(read_merges(&create->ast->like, &merges, err));
    take_columns(create, &merges);
    struct table_def *def = create->def;
    if (merges.of[AST_LIKE_CONSTRAINTS] != AST_LIKE_EXCLUDING) {
        def->primary_key = like->primary_key;
        def->primary_key_count = like->primary_key_count;
        create->has_like_key = like->primary_key_count > 0;
    }
    if (merges.of[AST_LIKE_WATERMARKS] != AST_LIKE_EXCLUDING) {
        def->watermark_column = like->watermark_column;
        def->watermark_expression = like->watermark_expression;
    }
    if (merges.of[AST_LIKE_PARTITIONS] != AST_LIKE_EXCLUDING) {
        def->partitions = like->partitions;
        def->partition_count = like->partition_count;
    }
    if (merges.of[AST_LIKE_OPTIONS] != AST_LIKE_EXCLUDING) {
        def->options = like->options;
        def->option_count = like->option_count;
    }
    create->overwrites_generated = merges.of[AST_LIKE_GENERATED] == AST_LIKE_OVERWRITING;
    create->overwrites_metadata = merges.of[AST_LIKE_METADATA] == AST_LIKE_OVERWRITING;
    create->overwrites_watermark = merges.of[AST_LIKE_WATERMARKS] == AST_LIKE_OVERWRITING;
    create->overwrites_options = merges.of[AST_LIKE_OPTIONS] == AST_LIKE_OVERWRITING;
    return STATUS_OK;
}

bool bind_create_like_overwrites(const struct create *create, const struct table_column *column)
{
    if ((uint32_t)(column - create->columns) >= create->like_columns) {
        return false;
    }
    return (column->kind == TABLE_COLUMN_COMPUTED && create->overwrites_generated) ||
           (column->kind == TABLE_COLUMN_METADATA && create->overwrites_metadata);
}
