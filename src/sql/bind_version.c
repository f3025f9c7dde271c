// SPDX-License-Identifier: Apache-2.0
//
// Time travel: which state of an Iceberg table a place in FROM reads. It is said by a clause (FOR
// SYSTEM_TIME AS OF and its like), by the table's name (t.branch_x, t.tag_x) or by OPTIONS hints;
// what a state is in snapshots, and which columns it has, the resolver of tables finds out.
#include <string.h>

#include "data/column.h"
#include "sql/bind_int.h"

enum { US_PER_MS = 1000, US_PER_SECOND = 1000000 };

// Hints ---------------------------------------------------------------------------------------

enum hint_kind {
    HINT_AT,           // the state read: `at` says how the value is meant
    HINT_AFTER,        // appends behind it alone are read
    HINT_UNTIL,        // the last state of such a read
    HINT_NO_STREAM,    // 'false' is what is done anyway
    HINT_BARE_VECTORS, // a flag of the reader
    HINT_UNSUPPORTED,  // of Flink's connector, and not done here
};

static const struct read_hint {
    const char *key;
    enum hint_kind kind;
    enum table_at_kind at;
} read_hints[] = {
    {"snapshot-id", HINT_AT, TABLE_AT_SNAPSHOT},
    {"as-of-timestamp", HINT_AT, TABLE_AT_TIME},
    {"branch", HINT_AT, TABLE_AT_BRANCH},
    {"tag", HINT_AT, TABLE_AT_TAG},
    {"start-snapshot-id", HINT_AFTER, TABLE_AT_SNAPSHOT},
    {"start-tag", HINT_AFTER, TABLE_AT_TAG},
    {"end-snapshot-id", HINT_UNTIL, TABLE_AT_SNAPSHOT},
    {"end-tag", HINT_UNTIL, TABLE_AT_TAG},
    {"streaming", HINT_NO_STREAM, TABLE_AT_NONE},
    {"read.bare-deletion-vectors", HINT_BARE_VECTORS, TABLE_AT_NONE},
    {"monitor-interval", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"starting-strategy", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"start-snapshot-timestamp", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"max-planning-snapshot-count", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"watermark-column", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"watermark-column-time-unit", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"split-size", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"split-lookback", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"split-file-open-cost", HINT_UNSUPPORTED, TABLE_AT_NONE},
    {"limit", HINT_UNSUPPORTED, TABLE_AT_NONE},
};

static const struct {
    const char *key;
} write_hints[] = {
    {"write-format"},
    {"target-file-size-bytes"},
    {"upsert-enabled"},
    {"overwrite-enabled"},
    {"distribution-mode"},
    {"compression-codec"},
    {"compression-level"},
    {"compression-strategy"},
    {"write-parallelism"},
    {"uid-suffix"},
    {"branch"},
};

enum { READ_HINTS = sizeof read_hints / sizeof *read_hints };
enum { WRITE_HINTS = sizeof write_hints / sizeof *write_hints };

// What is asked for, with the places that say so.
struct travel {
    struct table_at at;
    struct table_at after;
    struct ast_span place; // of what was said last
    bool bare_vectors;
};

static enum status unknown_hint(const struct ast_option *option, const struct str *known,
                                uint32_t count, struct err *err)
{
    enum status status = REFUSE(err, option->key.at, "an Iceberg table has no option '%.*s'",
                                STR_ARGS(option->key.value));
    struct str nearest = bind_scope_nearest(known, count, option->key.value);
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
    } else {
        err_hint(err, "there are snapshot-id, as-of-timestamp, branch, tag, start-snapshot-id, "
                      "end-snapshot-id, start-tag, end-tag and read.bare-deletion-vectors");
    }
    return status;
}

static enum status put_at(struct table_at *out, enum table_at_kind kind,
                          const struct ast_option *option, struct err *err)
{
    if (out->kind != TABLE_AT_NONE) {
        return REFUSE(err, option->key.at, "'%.*s': a table is read in one state alone",
                      STR_ARGS(option->key.value));
    }
    *out = (struct table_at){.kind = kind, .text = option->value.value};
    if (kind != TABLE_AT_SNAPSHOT && kind != TABLE_AT_TIME) {
        return STATUS_OK;
    }
    if (!str_to_i64(option->value.value, &out->number) ||
        (kind == TABLE_AT_TIME && (out->number > INT64_MAX / US_PER_MS || out->number < 0))) {
        return REFUSE(err, option->value.at, "'%.*s' takes %s", STR_ARGS(option->key.value),
                      kind == TABLE_AT_TIME ? "milliseconds since 1970" : "the id of a snapshot");
    }
    out->number *= kind == TABLE_AT_TIME ? US_PER_MS : 1;
    return STATUS_OK;
}

static enum status read_flag(const struct ast_option *option, bool *out, struct err *err)
{
    *out = str_is_nocase(option->value.value, "true");
    return *out || str_is_nocase(option->value.value, "false")
               ? STATUS_OK
               : REFUSE(err, option->value.at, "'%.*s' takes true or false",
                        STR_ARGS(option->key.value));
}

static enum status read_hint(const struct ast_option *option, struct travel *travel,
                             struct table_at *until, struct err *err)
{
    struct str known[READ_HINTS];
    for (uint32_t i = 0; i < READ_HINTS; i++) {
        const struct read_hint *hint = &read_hints[i];
        known[i] = str_from(hint->key);
        if (!str_equal(known[i], option->key.value)) {
            continue;
        }
        travel->place = option->key.at;
        switch (hint->kind) {
        case HINT_AT: return put_at(&travel->at, hint->at, option, err);
        case HINT_AFTER: return put_at(&travel->after, hint->at, option, err);
        case HINT_UNTIL: return put_at(until, hint->at, option, err);
        case HINT_NO_STREAM:
            if (str_is_nocase(option->value.value, "false")) {
                return STATUS_OK;
            }
            break;
        case HINT_BARE_VECTORS: return read_flag(option, &travel->bare_vectors, err);
        case HINT_UNSUPPORTED: break;
        }
        return NOT_YET(err, option->key.at, "'%s' = '%.*s' is not supported for Iceberg tables",
                       hint->key, STR_ARGS(option->value.value));
    }
    return unknown_hint(option, known, READ_HINTS, err);
}

// 'end-…' is the state read; without 'start-…' the appends from the first snapshot on are.
static enum status read_hint_list(const struct ast_hints *hints, struct travel *travel,
                                  bool *is_incremental, struct err *err)
{
    struct table_at until = {0};
    for (uint32_t i = 0; i < hints->count; i++) {
        for (uint32_t k = 0; k < hints->items[i].options.count; k++) {
            TRY(read_hint(&hints->items[i].options.items[k], travel, &until, err));
        }
    }
    *is_incremental = travel->after.kind != TABLE_AT_NONE || until.kind != TABLE_AT_NONE;
    bool is_fixed = travel->at.kind != TABLE_AT_NONE && travel->at.kind != TABLE_AT_BRANCH;
    if (*is_incremental &&
        (is_fixed || (travel->at.kind != TABLE_AT_NONE && until.kind != TABLE_AT_NONE))) {
        return REFUSE(err, travel->place,
                      "'start-…' and 'end-…' read appends, and go with no other state");
    }
    travel->at = until.kind != TABLE_AT_NONE ? until : travel->at;
    return STATUS_OK;
}

static enum status write_hint(const struct ast_option *option, struct str *branch, struct err *err)
{
    struct str known[WRITE_HINTS];
    if (str_is(option->key.value, "branch")) {
        bool is_new = branch->size == 0 || str_equal(*branch, option->value.value);
        *branch = option->value.value;
        return is_new && branch->size > 0
                   ? STATUS_OK
                   : REFUSE(err, option->value.at, "rows go into one branch alone");
    }
    for (uint32_t i = 0; i < WRITE_HINTS; i++) {
        known[i] = str_from(write_hints[i].key);
        if (str_equal(known[i], option->key.value)) {
            return NOT_YET(err, option->key.at,
                           "'%.*s' is not supported as a hint on INSERT INTO an Iceberg table",
                           STR_ARGS(option->key.value));
        }
    }
    return unknown_hint(option, known, WRITE_HINTS, err);
}

enum status bind_version_of_write(const struct ast_insert *ast, const struct table_at *by_name,
                                  struct str *branch, struct err *err)
{
    *branch = by_name->kind == TABLE_AT_BRANCH ? by_name->text : (struct str){0};
    if (by_name->kind == TABLE_AT_TAG) {
        return REFUSE(err, ast->table.at, "rows go into branches: '%.*s' is a tag",
                      STR_ARGS(by_name->text));
    }
    for (uint32_t i = 0; i < ast->hints.count; i++) {
        for (uint32_t k = 0; k < ast->hints.items[i].options.count; k++) {
            TRY(write_hint(&ast->hints.items[i].options.items[k], branch, err));
        }
    }
    return STATUS_OK;
}

// The clause -----------------------------------------------------------------------------------

static enum status constant(struct binder *binder, const struct ast_table *table,
                            const struct expr **out, struct err *err)
{
    struct scope nothing = {0};
    struct expr_context context = {.binder = binder,
                                   .scope = &nothing,
                                   .clause = table->as_of_version ? "SYSTEM_VERSION AS OF"
                                                                  : "SYSTEM_TIME AS OF"};
    const struct ast_expr *ast = table->as_of;
    if (ast->kind == AST_EXPR_COLUMN) {
        return NOT_YET(err, ast->at,
                       "FOR SYSTEM_TIME AS OF a column is not supported yet: an Iceberg table is "
                       "read in one state, which a constant says");
    }
    TRY(bind_expr(&context, ast, out, err));
    struct column value; // also of what is one value in this query alone: CURRENT_TIMESTAMP
    enum status status =
        expr_evaluate(binder->arena, *out, &binder->context->settings.expr, &value, err);
    if (status != STATUS_OK) {
        return bind_refused(status, err, ast->at);
    }
    *out = expr_literal(binder->arena, (*out)->type, &value);
    if (column_is_null((*out)->value, 0)) {
        return REFUSE(err, ast->at, "%s NULL is no state of a table", context.clause);
    }
    return STATUS_OK;
}

static int64_t integer_of(const struct expr *literal)
{
    const void *value = column_value(literal->value, 0);
    switch (physical_width(literal->value->physical)) {
    case 1: return *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}

static enum status version_of(struct binder *binder, const struct ast_table *table,
                              struct table_at *out, struct err *err)
{
    const struct expr *literal;
    TRY(constant(binder, table, &literal, err));
    if (type_is_integer(literal->type)) {
        *out = (struct table_at){.kind = TABLE_AT_SNAPSHOT, .number = integer_of(literal)};
        return STATUS_OK;
    }
    if (type_is_character(literal->type)) {
        struct str text = strview_str(column_value(literal->value, 0));
        *out = (struct table_at){.kind = TABLE_AT_VERSION, .text = arena_str(binder->arena, text)};
        return STATUS_OK;
    }
    return REFUSE(err, table->as_of->at,
                  "a version is the id of a snapshot, or the name of a branch or tag in quotes");
}

static enum status time_of(struct binder *binder, const struct ast_table *table,
                           struct table_at *out, struct err *err)
{
    const struct expr *literal;
    TRY(constant(binder, table, &literal, err));
    out->kind = TABLE_AT_TIME;
    if (type_is_integer(literal->type)) { // seconds, as in Spark
        int64_t seconds = integer_of(literal);
        if (seconds < 0 || seconds > INT64_MAX / US_PER_SECOND) {
            return REFUSE(err, table->as_of->at, "no table has a state at that time");
        }
        out->number = seconds * US_PER_SECOND;
        return STATUS_OK;
    }
    enum status status = expr_cast(binder->arena, literal, &type_timestamp_ltz6, &literal, err);
    if (status == STATUS_OK) {
        literal = expr_fold(binder->arena, literal, &binder->context->settings.expr);
    }
    if (status != STATUS_OK || literal->kind != EXPR_LITERAL || column_is_null(literal->value, 0)) {
        status = REFUSE(err, table->as_of->at, "SYSTEM_TIME AS OF takes a timestamp");
        err_hint(err, "FOR SYSTEM_TIME AS OF TIMESTAMP '2026-11-01 00:00:00'");
        return status;
    }
    out->number = *(const int64_t *)column_value(literal->value, 0);
    return STATUS_OK;
}

// ----------------------------------------------------------------------------------------------

bool bind_version_of_name(struct str name, struct table_at *out)
{
    static const struct {
        const char *prefix;
        enum table_at_kind kind;
    } prefixes[] = {{"branch_", TABLE_AT_BRANCH}, {"tag_", TABLE_AT_TAG}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i].prefix);
        if (str_starts(name, prefixes[i].prefix) && name.size > size) {
            *out = (struct table_at){.kind = prefixes[i].kind,
                                     .text = str_slice(name, size, name.size)};
            return true;
        }
    }
    return false;
}

// The table in the state that is asked for.
static enum status go_to(struct binder *binder, const struct travel *travel, bool is_incremental,
                         const struct table_def **inout, struct err *err)
{
    if (travel->at.kind == TABLE_AT_NONE && !is_incremental) {
        return STATUS_OK;
    }
    const struct bind_tables *tables = &binder->context->tables;
    if (tables->version == NULL) {
        return NOT_YET(err, travel->place, "states of Iceberg tables cannot be named here");
    }
    const struct table_at *after = is_incremental ? &travel->after : NULL;
    enum status status =
        tables->version(tables->self, binder->arena, *inout, &travel->at, after, inout, err);
    return status == STATUS_OK ? status : bind_refused(status, err, travel->place);
}

enum status bind_version(struct binder *binder, const struct ast_table *ast,
                         const struct table_at *by_name, const struct table_def **inout,
                         struct err *err)
{
    struct travel travel = {.at = *by_name, .place = ast->at};
    bool is_incremental = false;
    TRY(bind_table_check_hints(binder, &ast->hints, err));
    TRY(read_hint_list(&ast->hints, &travel, &is_incremental, err));
    if (ast->as_of != NULL) {
        struct table_at at = {0};
        TRY(ast->as_of_version ? version_of(binder, ast, &at, err)
                               : time_of(binder, ast, &at, err));
        if (travel.at.kind != TABLE_AT_NONE || is_incremental) {
            return REFUSE(err, ast->as_of->at, "a table is read in one state alone");
        }
        travel.at = at;
        travel.place = ast->as_of->at;
    }
    TRY(go_to(binder, &travel, is_incremental, inout, err));
    if (travel.bare_vectors) {
        struct table_def *def = arena_copy(binder->arena, *inout, sizeof *def);
        def->version.bare_vectors = true;
        *inout = def;
    }
    return STATUS_OK;
}

enum status bind_version_refuse(const struct table_def *table, const struct ast_table *ast,
                                struct err *err)
{
    if (!ast->as_of_version) {
        return NOT_YET(err, ast->as_of->at, "FOR SYSTEM_TIME AS OF is not supported yet");
    }
    return table == NULL || table->kind == TABLE_KIND_VIEW
               ? REFUSE(err, ast->as_of->at, "only Iceberg tables have versions")
               : REFUSE(err, ast->as_of->at, "table '%.*s' is no Iceberg table: it has no versions",
                        STR_ARGS(table->name));
}

enum status bind_version_iceberg_table(struct binder *binder, const struct ast_table *ast,
                                       struct bound *out, struct err *err)
{
    const struct bind_tables *tables = &binder->context->tables;
    const struct ast_expr *call = ast->as.function.call;
    const struct ast_exprs *args = &call->as.call.args;
    bool are_texts = args->count == 1 || args->count == 2;
    for (uint32_t i = 0; are_texts && i < args->count; i++) {
        are_texts = args->items[i]->kind == AST_EXPR_LITERAL &&
                    args->items[i]->as.literal.kind == AST_LITERAL_STRING;
    }
    if (!are_texts) {
        enum status status = REFUSE(err, call->at, "these are not the arguments of ICEBERG_TABLE");
        err_hint(err, "ICEBERG_TABLE('<folder of the table, or a metadata file>'[, 'snapshots'])");
        return status;
    }
    if (tables->iceberg_table == NULL) {
        return NOT_YET(err, call->at, "ICEBERG_TABLE is not supported here");
    }
    struct str path = args->items[0]->as.literal.text;
    const struct table_def *table;
    enum status status = tables->iceberg_table(tables->self, binder->arena, path, &table, err);
    if (status != STATUS_OK) {
        return bind_refused(status, err, args->items[0]->at);
    }
    if (args->count == 2) {
        struct str name = args->items[1]->as.literal.text;
        status = tables->metadata == NULL
                     ? NOT_YET(err, call->at, "metadata tables are not supported here")
                     : tables->metadata(tables->self, binder->arena, table, name, &table, err);
        if (status != STATUS_OK) {
            return bind_refused(status, err, args->items[1]->at);
        }
    }
    struct table_at none = {0};
    TRY(bind_version(binder, ast, &none, &table, err));
    TRY(bind_table_rel(binder, table, ast->at, &out->rel, err));
    out->scope = bind_scope_of(binder->arena, out->rel, (struct str){0}, path);
    return STATUS_OK;
}
