// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE and CREATE VIEW, from trees and from stored definitions.
#include "base/arena.h"
#include "catalog/table_def.h"
#include "sql/parse.h"
#include "sql/unparse_int.h"

// ---------------------------------------------------------------------------------------------
// Trees

static void add_comment(struct strbuf *out, const char *before, const struct ast_text *comment)
{
    if (comment->at.length > 0) {
        strbuf_printf(out, "%sCOMMENT ", before);
        unparse_text(out, comment->value);
    }
}

static void add_constraint(struct strbuf *out, const struct ast_constraint *constraint)
{
    static const char *const enforcement[] = {"", " ENFORCED", " NOT ENFORCED"};
    if (constraint->name.text.size > 0) {
        strbuf_add_text(out, "CONSTRAINT ");
        unparse_name(out, constraint->name.text);
        strbuf_add_byte(out, ' ');
    }
    strbuf_add_text(out, constraint->kind == AST_CONSTRAINT_UNIQUE ? "UNIQUE" : "PRIMARY KEY");
    if (constraint->columns.count > 0) {
        strbuf_add_byte(out, ' ');
        unparse_names(out, &constraint->columns);
    }
    strbuf_add_text(out, enforcement[constraint->enforcement]);
}

static void add_column(struct unparser *unparser, const struct ast_column *column)
{
    struct strbuf *out = unparser->out;
    unparse_path(out, &column->name);
    if (column->kind == AST_COLUMN_COMPUTED) {
        strbuf_add_text(out, " AS ");
        unparse_any(unparser, column->expr);
    } else if (column->type != NULL) {
        strbuf_add_byte(out, ' ');
        unparse_type(out, column->type);
    }
    if (column->kind == AST_COLUMN_METADATA) {
        strbuf_add_text(out, " METADATA");
        if (column->metadata_key.at.length > 0) {
            strbuf_add_text(out, " FROM ");
            unparse_text(out, column->metadata_key.value);
        }
        strbuf_add_text(out, column->is_virtual ? " VIRTUAL" : "");
    }
    if (column->constraint != NULL) {
        strbuf_add_byte(out, ' ');
        add_constraint(out, column->constraint);
    }
    add_comment(out, " ", &column->comment);
}

static void add_schema(struct unparser *unparser, const struct ast_schema *schema)
{
    struct strbuf *out = unparser->out;
    const char *before = "\n  ";
    strbuf_add_text(out, " (");
    for (uint32_t i = 0; i < schema->column_count; i++) {
        strbuf_add_text(out, before);
        add_column(unparser, &schema->columns[i]);
        before = ",\n  ";
    }
    for (uint32_t i = 0; i < schema->watermark_count; i++) {
        strbuf_printf(out, "%sWATERMARK FOR ", before);
        unparse_path(out, &schema->watermarks[i].column);
        strbuf_add_text(out, " AS ");
        unparse_any(unparser, schema->watermarks[i].expr);
        before = ",\n  ";
    }
    for (uint32_t i = 0; i < schema->constraint_count; i++) {
        strbuf_add_text(out, before);
        add_constraint(out, &schema->constraints[i]);
        before = ",\n  ";
    }
    strbuf_add_text(out, "\n)");
}

static void add_distribution(struct strbuf *out, const struct ast_distribution *distribution)
{
    static const char *const kinds[] = {"", " BY ", " BY HASH", " BY RANGE"};
    if (!distribution->present) {
        return;
    }
    strbuf_printf(out, "\nDISTRIBUTED%s", kinds[distribution->kind]);
    if (distribution->columns.count > 0) {
        unparse_names(out, &distribution->columns);
    }
    if (distribution->buckets >= 0) {
        strbuf_printf(out, " INTO %d BUCKETS", distribution->buckets);
    }
}

static void add_partitions(struct strbuf *out, const struct ast_partition *partitions,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ast_partition *partition = &partitions[i];
        bool transform = partition->transform.text.size > 0;
        strbuf_add_text(out, i > 0 ? ", " : "\nPARTITIONED BY (");
        if (transform) {
            strbuf_printf(out, "%.*s(", STR_ARGS(partition->transform.text));
        }
        if (partition->has_argument) {
            strbuf_printf(out, "%d, ", partition->argument);
        }
        unparse_path(out, &partition->column);
        strbuf_add_text(out, transform ? ")" : "");
    }
    strbuf_add_text(out, count > 0 ? ")" : "");
}

static void add_options(struct strbuf *out, const struct ast_options *options)
{
    if (!options->present) {
        return;
    }
    strbuf_add_text(out, "\nWITH (");
    for (uint32_t i = 0; i < options->count; i++) {
        strbuf_add_text(out, i > 0 ? ",\n  " : "\n  ");
        unparse_text(out, options->items[i].key.value);
        strbuf_add_text(out, " = ");
        unparse_text(out, options->items[i].value.value);
    }
    strbuf_add_text(out, options->count > 0 ? "\n)" : ")");
}

static void add_like(struct strbuf *out, const struct ast_like_clause *like)
{
    static const char *const merges[] = {"INCLUDING", "EXCLUDING", "OVERWRITING"};
    static const char *const features[] = {"ALL",      "CONSTRAINTS", "DISTRIBUTION", "GENERATED",
                                           "METADATA", "OPTIONS",     "PARTITIONS",   "WATERMARKS"};
    if (like->table.count == 0) {
        return;
    }
    strbuf_add_text(out, "\nLIKE ");
    unparse_path(out, &like->table);
    for (uint32_t i = 0; i < like->option_count; i++) {
        strbuf_printf(out, "%s\n  %s %s", i > 0 ? "" : " (", merges[like->options[i].merge],
                      features[like->options[i].feature]);
    }
    strbuf_add_text(out, like->option_count > 0 ? "\n)" : "");
}

static void add_create(struct strbuf *out, enum ast_create_mode mode, bool temporary,
                       const char *what)
{
    static const char *const modes[] = {"CREATE ", "CREATE OR REPLACE ", "REPLACE ",
                                        "CREATE OR ALTER "};
    strbuf_printf(out, "%s%s%s ", modes[mode], temporary ? "TEMPORARY " : "", what);
}

void unparse_create_table(struct strbuf *out, struct str source,
                          const struct ast_create_table *table)
{
    struct unparser unparser = {.out = out, .source = source};
    add_create(out, table->mode, table->temporary, "TABLE");
    strbuf_add_text(out, table->if_not_exists ? "IF NOT EXISTS " : "");
    unparse_path(out, &table->name);
    if (table->schema.present) {
        add_schema(&unparser, &table->schema);
    }
    add_comment(out, "\n", &table->comment);
    add_distribution(out, &table->distribution);
    add_partitions(out, table->partitions, table->partition_count);
    add_options(out, &table->options);
    add_like(out, &table->like);
    if (table->query != NULL) {
        strbuf_add_text(out, "\nAS ");
        unparse_query_within(&unparser, table->query);
    }
}

void unparse_create_view(struct strbuf *out, struct str source, const struct ast_create_view *view)
{
    add_create(out, view->mode, view->temporary, "VIEW");
    strbuf_add_text(out, view->if_not_exists ? "IF NOT EXISTS " : "");
    unparse_path(out, &view->name);
    for (uint32_t i = 0; i < view->columns.count; i++) {
        strbuf_add_text(out, i > 0 ? ",\n  " : " (\n  ");
        unparse_name(out, view->columns.items[i].text);
    }
    strbuf_add_text(out, view->columns.count > 0 ? "\n)" : "");
    add_comment(out, "\n", &view->comment);
    strbuf_add_text(out, "\nAS ");
    unparse_query(out, source, view->query);
}

// ---------------------------------------------------------------------------------------------
// Definitions

static void add_nested_type(struct strbuf *out, const struct type *type, const char *name)
{
    strbuf_printf(out, "%s<", name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : "");
        if (type->kind == TYPE_ROW) {
            unparse_name(out, type->fields[i].name);
            strbuf_add_byte(out, ' ');
        }
        unparse_logical_type(out, type->fields[i].type);
        if (type->fields[i].comment.size > 0) {
            strbuf_add_byte(out, ' ');
            unparse_text(out, type->fields[i].comment);
        }
    }
    strbuf_add_byte(out, '>');
}

void unparse_logical_type(struct strbuf *out, const struct type *type)
{
    static const char *const names[] = {
#define X(name, sql) sql,
        TYPE_LIST(X)
#undef X
    };
    switch ((int)type->kind) {
    case TYPE_CHAR:
    case TYPE_VARCHAR:
    case TYPE_BINARY:
    case TYPE_VARBINARY:
    case TYPE_TIME:
    case TYPE_TIMESTAMP: strbuf_printf(out, "%s(%d)", names[type->kind], type->length); break;
    case TYPE_TIMESTAMP_LTZ:
        strbuf_printf(out, "TIMESTAMP(%d) WITH LOCAL TIME ZONE", type->length);
        break;
    case TYPE_DECIMAL: strbuf_printf(out, "DECIMAL(%d, %d)", type->length, type->scale); break;
    case TYPE_ARRAY:
    case TYPE_MULTISET:
    case TYPE_MAP:
    case TYPE_ROW: add_nested_type(out, type, names[type->kind]); break;
    default: strbuf_add_text(out, names[type->kind]); break;
    }
    strbuf_add_text(out, type->nullable ? "" : " NOT NULL");
}

// A stored expression in canonical form; as it is where it does not parse.
static void add_expression(struct strbuf *out, struct str text)
{
    struct arena arena;
    const struct ast_expr *expr;
    arena_init(&arena);
    if (parse_expression(&arena, text, &expr, NULL) == STATUS_OK) {
        unparse_expr(out, text, expr);
    } else {
        strbuf_add(out, text);
    }
    arena_release(&arena);
}

static void add_view_query(struct strbuf *out, struct str text)
{
    struct arena arena;
    const struct ast_query *query;
    arena_init(&arena);
    if (parse_query_text(&arena, text, &query, NULL) == STATUS_OK) {
        struct unparser unparser = {.out = out, .source = text, .qualify = true};
        unparse_query_within(&unparser, query);
    } else {
        strbuf_add(out, text);
    }
    arena_release(&arena);
}

static void add_definition_column(struct strbuf *out, const struct table_column *column)
{
    unparse_name(out, column->name);
    if (column->kind == TABLE_COLUMN_COMPUTED) {
        strbuf_add_text(out, " AS ");
        add_expression(out, column->expression);
    } else {
        strbuf_add_byte(out, ' ');
        unparse_logical_type(out, column->type);
    }
    if (column->kind == TABLE_COLUMN_METADATA) {
        strbuf_add_text(out, " METADATA");
        if (!str_equal(column->metadata_key, column->name)) {
            strbuf_add_text(out, " FROM ");
            unparse_text(out, column->metadata_key);
        }
        strbuf_add_text(out, column->is_virtual ? " VIRTUAL" : "");
    }
    if (column->comment.size > 0) {
        strbuf_add_text(out, " COMMENT ");
        unparse_text(out, column->comment);
    }
}

// Flink names a key that has no name after its columns.
static void add_primary_key(struct strbuf *out, const struct table_def *def)
{
    struct strbuf name;
    strbuf_init(&name, 1 << 16);
    strbuf_add_text(&name, "PK");
    for (uint32_t i = 0; i < def->primary_key_count; i++) {
        strbuf_printf(&name, "_%.*s", STR_ARGS(def->primary_key[i]));
    }
    strbuf_add_text(out, "CONSTRAINT ");
    unparse_name(out, strbuf_str(&name));
    for (uint32_t i = 0; i < def->primary_key_count; i++) {
        strbuf_add_text(out, i > 0 ? ", " : " PRIMARY KEY (");
        unparse_name(out, def->primary_key[i]);
    }
    strbuf_add_text(out, ") NOT ENFORCED");
    strbuf_release(&name);
}

static void add_definition_columns(struct strbuf *out, const struct table_def *def)
{
    const char *before = "\n  ";
    strbuf_add_text(out, " (");
    for (uint32_t i = 0; i < def->column_count; i++) {
        strbuf_add_text(out, before);
        if (def->kind == TABLE_KIND_VIEW) {
            unparse_name(out, def->columns[i].name);
        } else {
            add_definition_column(out, &def->columns[i]);
        }
        before = ",\n  ";
    }
    if (def->watermark_column.size > 0) {
        strbuf_printf(out, "%sWATERMARK FOR ", before);
        unparse_name(out, def->watermark_column);
        strbuf_add_text(out, " AS ");
        add_expression(out, def->watermark_expression);
        before = ",\n  ";
    }
    if (def->primary_key_count > 0) {
        strbuf_add_text(out, before);
        add_primary_key(out, def);
    }
    strbuf_add_text(out, "\n)\n");
}

static void add_definition_partitions(struct strbuf *out, const struct table_def *def)
{
    for (uint32_t i = 0; i < def->partition_count; i++) {
        const struct table_partition *partition = &def->partitions[i];
        bool identity = str_is(partition->transform, "identity");
        bool parameter =
            str_is(partition->transform, "bucket") || str_is(partition->transform, "truncate");
        strbuf_add_text(out, i > 0 ? ", " : "PARTITIONED BY (");
        if (!identity) {
            strbuf_printf(out, "%.*s(", STR_ARGS(partition->transform));
        }
        if (parameter) {
            strbuf_printf(out, "%d, ", partition->parameter);
        }
        unparse_name(out, partition->column);
        strbuf_add_text(out, identity ? "" : ")");
    }
    strbuf_add_text(out, def->partition_count > 0 ? ")\n" : "");
}

// The option of the smallest key above `last`; NULL where none is. Keys are unique and few.
static const struct table_option *next_option(const struct table_def *def,
                                              const struct table_option *last)
{
    const struct table_option *next = NULL;
    for (uint32_t i = 0; i < def->option_count; i++) {
        const struct table_option *option = &def->options[i];
        bool above = last == NULL || str_compare(option->key, last->key) > 0;
        if (above && (next == NULL || str_compare(option->key, next->key) < 0)) {
            next = option;
        }
    }
    return next;
}

static void add_definition_options(struct strbuf *out, const struct table_def *def)
{
    const char *before = "WITH (\n  ";
    const struct table_option *option = next_option(def, NULL);
    bool any = option != NULL;
    for (; option != NULL; option = next_option(def, option)) {
        strbuf_add_text(out, before);
        unparse_text(out, option->key);
        strbuf_add_text(out, " = ");
        unparse_text(out, option->value);
        before = ",\n  ";
    }
    strbuf_add_text(out, any ? "\n)\n" : "");
}

void unparse_definition(struct strbuf *out, const struct table_def *def)
{
    bool view = def->kind == TABLE_KIND_VIEW;
    add_create(out, AST_CREATE, def->is_temporary, view ? "VIEW" : "TABLE");
    unparse_name(out, def->catalog_name);
    strbuf_add_byte(out, '.');
    unparse_name(out, def->database);
    strbuf_add_byte(out, '.');
    unparse_name(out, def->name);
    add_definition_columns(out, def);
    if (def->comment.size > 0) {
        strbuf_add_text(out, "COMMENT ");
        unparse_text(out, def->comment);
        strbuf_add_byte(out, '\n');
    }
    add_definition_partitions(out, def);
    if (view) {
        strbuf_add_text(out, "AS ");
        add_view_query(out, def->view_text);
        strbuf_add_byte(out, '\n');
    } else {
        add_definition_options(out, def);
    }
}
