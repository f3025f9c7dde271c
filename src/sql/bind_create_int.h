// SPDX-License-Identifier: Apache-2.0
//
// bind_create_int: what the files of CREATE TABLE and CREATE VIEW share.
#pragma once

#include "sql/bind_int.h"

struct create {
    struct binder binder;
    const struct ast_create_table *ast;
    const struct table_def *like; // NULL: no LIKE
    struct table_def *def;
    struct table_column *columns;
    uint32_t column_count;
    uint32_t like_columns; // the first ones, from LIKE
    bool has_like_key;
    bool overwrites_generated, overwrites_metadata, overwrites_watermark, overwrites_options;
};

struct str bind_create_text(const struct binder *binder, const struct ast_expr *expr);
// Catalog, database and name; of more than three parts, the middle ones are the database's levels.
void bind_create_name(const struct bind_context *context, const struct ast_path *path,
                      struct table_def *def);
// "a, b, c", for messages.
struct str bind_create_columns(struct arena *arena, const struct table_column *columns,
                               uint32_t count);
struct table_column *bind_create_find(const struct create *create, struct str name);
enum status bind_create_unknown(const struct create *create, const struct ast_name *name,
                                const char *what, struct err *err);

// bind_create_like.c: takes over what LIKE says.
enum status bind_create_like(struct create *create, struct err *err);
// Whether a column of LIKE's table may be replaced by one of the statement.
bool bind_create_like_overwrites(const struct create *create, const struct table_column *column);

// bind_create_partition.c
enum status bind_create_partitions(struct create *create, struct err *err);
