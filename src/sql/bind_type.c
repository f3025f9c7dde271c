// SPDX-License-Identifier: Apache-2.0
//
// Types as written, with Flink's defaults and limits: CHAR is CHAR(1), VARCHAR is STRING, DECIMAL
// is DECIMAL(10, 0), TIMESTAMP is TIMESTAMP(6). As in Flink, every TIME(p) is a TIME(0), and a
// DECIMAL of more than 38 digits has 38.
#include "sql/bind_int.h"

static enum status refuse_name(const struct ast_type *ast, struct err *err)
{
    static const char *const known[] = {
        "CHAR",      "VARCHAR",       "STRING",   "BOOLEAN", "BINARY", "VARBINARY", "BYTES",
        "DECIMAL",   "NUMERIC",       "INT",      "INTEGER", "BIGINT", "SMALLINT",  "TINYINT",
        "FLOAT",     "DOUBLE",        "DATE",     "TIME",    "ARRAY",  "MAP",       "ROW",
        "TIMESTAMP", "TIMESTAMP_LTZ", "MULTISET", "VARIANT"};
    const struct ast_name *name = &ast->name.parts[ast->name.count - 1];
    enum status status = REFUSE(err, ast->at, "there is no type '%.*s'", STR_ARGS(name->text));
    struct str names[sizeof known / sizeof *known];
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++) {
        names[i] = str_from(known[i]);
    }
    struct str nearest = bind_scope_nearest(names, sizeof names / sizeof *names, name->text);
    static const struct {
        const char *name;
        const char *ours;
    } others[] = {{"TEXT", "STRING"},
                  {"JSON", "STRING"},
                  {"LONG", "BIGINT"},
                  {"BLOB", "BYTES"},
                  {"BOOL", "BOOLEAN"},
                  {"DATETIME", "TIMESTAMP(3)"},
                  {"INT64", "BIGINT"},
                  {"INT32", "INT"},
                  {"FLOAT64", "DOUBLE"},
                  {"UUID", "STRING"},
                  {"TIMESTAMPTZ", "TIMESTAMP_LTZ(3)"},
                  {"STRUCT", "ROW"},
                  {"NUMBER", "DECIMAL"}};
    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (str_is_nocase(name->text, others[i].name)) {
            nearest = str_from(others[i].ours);
        }
    }
    if (nearest.size > 0) {
        err_hint(err, "did you mean %.*s?", STR_ARGS(nearest));
    }
    return status;
}

struct limits {
    int32_t standard; // where nothing is written
    int32_t least;
    int32_t most;
};

static enum status length_of(const struct ast_type *ast, struct limits limits, int32_t *out,
                             struct err *err)
{
    *out = ast->length < 0 ? limits.standard : ast->length;
    if (*out < limits.least || *out > limits.most) {
        return REFUSE(err, ast->at, "%d is out of range: %d to %d are possible", (int)*out,
                      (int)limits.least, (int)limits.most);
    }
    return STATUS_OK;
}

static enum status sized(struct arena *arena, const struct ast_type *ast, struct limits limits,
                         const struct type **out, struct err *err)
{
    int32_t length;
    TRY(length_of(ast, limits, &length, err));
    *out = type_sized(arena, ast->kind, length, true);
    return STATUS_OK;
}

static enum status decimal(struct arena *arena, const struct ast_type *ast, const struct type **out,
                           struct err *err)
{
    int32_t precision;
    struct limits limits = {10, 1, TYPE_LENGTH_MAX};
    TRY(length_of(ast, limits, &precision, err));
    if (precision > TYPE_DECIMAL_PRECISION_MAX) {
        precision = TYPE_DECIMAL_PRECISION_MAX;
    }
    int32_t scale = ast->scale < 0 ? 0 : ast->scale;
    if (scale > precision) {
        return REFUSE(err, ast->at, "the scale of DECIMAL(%d, %d) is larger than its precision",
                      (int)precision, (int)scale);
    }
    *out = type_decimal(arena, precision, scale, true);
    return STATUS_OK;
}

static enum status check_fields(const struct ast_type *ast, struct err *err)
{
    for (uint32_t i = 0; i < ast->field_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (str_equal(ast->fields[i].name.text, ast->fields[k].name.text)) {
                return REFUSE(err, ast->fields[i].name.at, "the row names '%.*s' twice",
                              STR_ARGS(ast->fields[i].name.text));
            }
        }
    }
    return STATUS_OK;
}

static enum status nested(struct arena *arena, const struct ast_type *ast, const struct type **out,
                          struct err *err)
{
    if (ast->kind == TYPE_ROW) {
        TRY(check_fields(ast, err));
    }
    struct type_field *fields = arena_new_array(arena, struct type_field, ast->field_count);
    for (uint32_t i = 0; i < ast->field_count; i++) {
        fields[i].name = ast->fields[i].name.text;
        fields[i].comment = ast->fields[i].comment.value;
        TRY(bind_type(arena, ast->fields[i].type, &fields[i].type, err));
    }
    struct type *type = type_new(arena, ast->kind, true);
    type->field_count = ast->field_count;
    type->fields = fields;
    *out = type;
    return STATUS_OK;
}

static enum status of_kind(struct arena *arena, const struct ast_type *ast, const struct type **out,
                           struct err *err)
{
    static const struct limits fixed = {1, 0, TYPE_LENGTH_MAX};
    static const struct limits varying = {TYPE_LENGTH_MAX, 0, TYPE_LENGTH_MAX};
    static const struct limits timestamps = {6, 0, TYPE_TIMESTAMP_PRECISION_MAX};
    switch (ast->kind) {
    case TYPE_CHAR:
    case TYPE_BINARY: return sized(arena, ast, fixed, out, err);
    case TYPE_VARCHAR:
    case TYPE_VARBINARY: return sized(arena, ast, varying, out, err);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_LTZ: return sized(arena, ast, timestamps, out, err);
    case TYPE_TIME: // as in Flink without a fraction, unless it asks for microseconds
        *out = type_sized(arena, TYPE_TIME, ast->length > 3 ? type_time_precision(ast->length) : 0,
                          true);
        return STATUS_OK;
    case TYPE_DECIMAL: return decimal(arena, ast, out, err);
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW: return nested(arena, ast, out, err);
    case TYPE_RAW: return NOT_YET(err, ast->at, "RAW types are not supported");
    case TYPE_BITMAP: return NOT_YET(err, ast->at, "BITMAP is not supported yet");
    case TYPE_NULL:
    case TYPE_BOOLEAN:
    case TYPE_TINYINT:
    case TYPE_SMALLINT:
    case TYPE_INT:
    case TYPE_BIGINT:
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
    case TYPE_DATE:
    case TYPE_INTERVAL_MONTH:
    case TYPE_INTERVAL_SECOND:
    case TYPE_VARIANT: break;
    }
    *out = type_new(arena, ast->kind, true);
    return STATUS_OK;
}

enum status bind_type(struct arena *arena, const struct ast_type *ast, const struct type **out,
                      struct err *err)
{
    if (ast->user_defined) {
        return refuse_name(ast, err);
    }
    if (ast->structured || ast->raw_texts) {
        return NOT_YET(err, ast->at, "structured and RAW types are not supported");
    }
    if (ast->with_time_zone) {
        enum status status =
            REFUSE(err, ast->at, "TIMESTAMP WITH TIME ZONE is not supported, as in Flink");
        err_hint(err, "TIMESTAMP_LTZ(3) holds an instant");
        return status;
    }
    TRY(of_kind(arena, ast, out, err));
    *out = type_with_null(arena, *out, ast->nullability != AST_NULL_FORBIDDEN);
    return STATUS_OK;
}
