// SPDX-License-Identifier: Apache-2.0
//
// PARTITIONED BY: columns, and for Iceberg tables hidden partitions, written as in Iceberg's own
// DDL (day(ts), bucket(16, id)). Which transform takes which type: Iceberg spec, "Partition
// Transforms".
#include "sql/bind_create_int.h"

enum transform_type { ANY_TYPE, BUCKET_TYPE, TRUNCATE_TYPE, DATE_TYPE, TIME_TYPE };

static const struct {
    const char *name;
    const char *plural; // NULL: none
    bool has_argument;
    enum transform_type takes;
} transforms[] = {
    {"identity", NULL, false, ANY_TYPE},     {"bucket", NULL, true, BUCKET_TYPE},
    {"truncate", NULL, true, TRUNCATE_TYPE}, {"year", "years", false, DATE_TYPE},
    {"month", "months", false, DATE_TYPE},   {"day", "days", false, DATE_TYPE},
    {"hour", "hours", false, TIME_TYPE},     {"void", NULL, false, ANY_TYPE},
};
enum { TRANSFORMS = sizeof transforms / sizeof *transforms };

static bool takes(enum transform_type needed, const struct type *type)
{
    bool is_text = type_is_character(type) || type_is_binary(type);
    bool is_exact = type->kind == TYPE_INT || type->kind == TYPE_BIGINT ||
                    type->kind == TYPE_SMALLINT || type->kind == TYPE_TINYINT ||
                    type->kind == TYPE_DECIMAL;
    switch (needed) {
    case ANY_TYPE: return !type_is_nested(type);
    case BUCKET_TYPE:
        return is_text || is_exact || type->kind == TYPE_DATE || type->kind == TYPE_TIME ||
               type_is_timestamp(type);
    case TRUNCATE_TYPE: return is_text || is_exact;
    case DATE_TYPE: return type->kind == TYPE_DATE || type_is_timestamp(type);
    case TIME_TYPE: return type_is_timestamp(type);
    }
    return false;
}

static enum status find_transform(const struct ast_name *name, uint32_t *out, struct err *err)
{
    struct str names[TRANSFORMS];
    for (uint32_t i = 0; i < TRANSFORMS; i++) {
        names[i] = str_from(transforms[i].name);
        if (str_is_nocase(name->text, transforms[i].name) ||
            (transforms[i].plural != NULL && str_is_nocase(name->text, transforms[i].plural))) {
            *out = i;
            return STATUS_OK;
        }
    }
    enum status status =
        REFUSE(err, name->at, "there is no partition transform '%.*s'", STR_ARGS(name->text));
    struct str nearest = bind_scope_nearest(names, TRANSFORMS, name->text);
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
    } else {
        err_hint(err, "there are identity, bucket(n, c), truncate(n, c), year, month, day, hour");
    }
    return status;
}

static enum status check_transform(const struct create *create, const struct ast_partition *ast,
                                   const struct type *type, struct table_partition *out,
                                   struct err *err)
{
    uint32_t at = 0;
    TRY(find_transform(&ast->transform, &at, err));
    if (!create->def->is_iceberg && at != 0) {
        return REFUSE(err, ast->at,
                      "partition transforms belong to Iceberg tables, and this one "
                      "has a 'connector'");
    }
    if (transforms[at].has_argument != ast->has_argument ||
        (ast->has_argument && ast->argument <= 0)) {
        return REFUSE(err, ast->at,
                      transforms[at].has_argument ? "%s needs a positive number first: %s(16, c)"
                                                  : "%s takes a column only: %s(c)",
                      transforms[at].name, transforms[at].name);
    }
    if (!takes(transforms[at].takes, type)) {
        return REFUSE(err, ast->at, "%s does not take %.*s", transforms[at].name,
                      STR_ARGS(type_text(create->binder.arena, type)));
    }
    out->transform = str_from(transforms[at].name);
    out->parameter = ast->has_argument ? ast->argument : 0;
    return STATUS_OK;
}

static enum status bind_partition(const struct create *create, const struct ast_partition *ast,
                                  struct table_partition *out, struct err *err)
{
    const struct ast_name *name = &ast->column.parts[0];
    if (ast->column.count > 1) {
        return NOT_YET(err, ast->column.at, "partitions by a row's field are not supported yet");
    }
    const struct table_column *column = bind_create_find(create, name->text);
    if (column == NULL) {
        return bind_create_unknown(create, name, "partition column", err);
    }
    if (column->kind != TABLE_COLUMN_PHYSICAL) {
        return REFUSE(err, name->at, "'%.*s' is no physical column: it cannot partition the table",
                      STR_ARGS(name->text));
    }
    *out = (struct table_partition){.transform = STR_LIT("identity"), .column = name->text};
    if (ast->transform.text.size > 0) {
        return check_transform(create, ast, column->type, out, err);
    }
    if (type_is_nested(column->type)) {
        return REFUSE(err, name->at, "a %.*s cannot partition a table",
                      STR_ARGS(type_text(create->binder.arena, column->type)));
    }
    return STATUS_OK;
}

enum status bind_create_partitions(struct create *create, struct err *err)
{
    const struct ast_create_table *ast = create->ast;
    if (ast->partition_count == 0) {
        return STATUS_OK;
    }
    if (create->def->partition_count > 0) {
        return REFUSE(err, ast->partitions[0].at,
                      "the table behind LIKE is partitioned already: EXCLUDING PARTITIONS");
    }
    struct table_partition *partitions =
        arena_new_array(create->binder.arena, struct table_partition, ast->partition_count);
    for (uint32_t i = 0; i < ast->partition_count; i++) {
        TRY(bind_partition(create, &ast->partitions[i], &partitions[i], err));
        for (uint32_t k = 0; k < i; k++) {
            if (str_equal(partitions[i].transform, partitions[k].transform) &&
                str_equal(partitions[i].column, partitions[k].column)) {
                return REFUSE(err, ast->partitions[i].at, "the table is partitioned so already");
            }
        }
    }
    create->def->partitions = partitions;
    create->def->partition_count = ast->partition_count;
    return STATUS_OK;
}
