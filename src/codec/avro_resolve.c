// SPDX-License-Identifier: Apache-2.0
//
// A writer's schema and the columns that are wanted become steps.
#include "base/arena.h"
#include "codec/avro_decode_int.h"
#include "codec/json_tree.h"

struct resolver {
    struct avro_decoder *decoder;
    struct arena *arena;
    bool by_id;
    struct err *err;
};

static enum status resolve(const struct resolver *at, const struct avro_schema *writer,
                           const struct avro_column *column, struct column_builder *out,
                           struct avro_step *step);

static const char *const kind_names[] = {"null",   "boolean", "int",    "long",  "float",
                                         "double", "bytes",   "string", "fixed", "enum",
                                         "array",  "map",     "record", "union"};

static enum status mismatch(const struct resolver *at, const struct avro_schema *writer,
                            const struct avro_column *column)
{
    struct str type = type_text(at->arena, column->type);
    return ERR(at->err, STATUS_UNSUPPORTED, "Avro's %s is not read as %.*s",
               kind_names[writer->kind], STR_ARGS(type));
}

static struct avro_step *new_steps(const struct resolver *at, struct avro_step *parent,
                                   uint32_t count)
{
    parent->children = arena_new_array(at->arena, struct avro_step, count);
    parent->count = count;
    return parent->children;
}

// Scalars.

static bool choose_time(const struct avro_schema *writer, const struct avro_column *column,
                        struct avro_step *step)
{
    enum avro_logical logical = writer->logical;
    bool is_micros = logical == AVRO_LOGICAL_TIME_MICROS;
    step->op = AVRO_OP_TIME;
    step->precision = column->type->length;
    step->unit = writer->kind == AVRO_LONG ? 1000000 : 1000;
    return (writer->kind == AVRO_INT &&
            (logical == AVRO_LOGICAL_NONE || logical == AVRO_LOGICAL_TIME_MILLIS)) ||
           (writer->kind == AVRO_LONG && (logical == AVRO_LOGICAL_NONE || is_micros));
}

// Ticks of a second; 0: not a timestamp.
static int64_t unit_of(enum avro_logical logical)
{
    bool is_millis =
        logical == AVRO_LOGICAL_TIMESTAMP_MILLIS || logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MILLIS;
    bool is_micros =
        logical == AVRO_LOGICAL_TIMESTAMP_MICROS || logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_MICROS;
    bool is_nanos =
        logical == AVRO_LOGICAL_TIMESTAMP_NANOS || logical == AVRO_LOGICAL_LOCAL_TIMESTAMP_NANOS;
    return is_millis ? 1000 : is_micros ? 1000000 : is_nanos ? 1000000000 : 0;
}

// A writer's bare long counts in the reader's unit: that of its schema, else of the precision.
static bool choose_timestamp(const struct avro_schema *writer, const struct avro_column *column,
                             struct avro_step *step)
{
    int32_t precision = column->type->length;
    step->precision = precision;
    if (writer->kind == AVRO_INT && writer->logical == AVRO_LOGICAL_DATE) {
        step->op = AVRO_OP_DATE_TIMESTAMP;
        return true;
    }
    step->op = AVRO_OP_TIMESTAMP;
    step->unit = unit_of(writer->logical);
    if (writer->logical == AVRO_LOGICAL_NONE) {
        const struct avro_schema *reader =
            column->schema != NULL ? avro_schema_value(column->schema) : NULL;
        step->unit = reader != NULL ? unit_of(reader->logical) : 0;
        if (step->unit == 0) {
            step->unit = precision <= 3 ? 1000 : precision <= 6 ? 1000000 : 1000000000;
        }
    }
    return writer->kind == AVRO_LONG && step->unit != 0;
}

static bool choose_integer(const struct avro_schema *writer, const struct type *type,
                           struct avro_step *step)
{
    step->op = type->kind == TYPE_BIGINT ? AVRO_OP_LONG : AVRO_OP_INT;
    step->unit = type->kind == TYPE_TINYINT    ? INT8_MAX
                 : type->kind == TYPE_SMALLINT ? INT16_MAX
                                               : INT32_MAX;
    return writer->kind == AVRO_INT || (writer->kind == AVRO_LONG && type->kind == TYPE_BIGINT);
}

static bool choose_float(const struct avro_schema *writer, const struct type *type,
                         struct avro_step *step)
{
    bool is_double = type->kind == TYPE_DOUBLE;
    if (writer->kind == AVRO_INT || writer->kind == AVRO_LONG) {
        step->op = is_double ? AVRO_OP_LONG_F64 : AVRO_OP_LONG_F32;
        return true;
    }
    step->op = !is_double                    ? AVRO_OP_F32
               : writer->kind == AVRO_DOUBLE ? AVRO_OP_F64
                                             : AVRO_OP_F32_F64;
    return writer->kind == AVRO_FLOAT || (writer->kind == AVRO_DOUBLE && is_double);
}

static bool choose_decimal(const struct avro_schema *writer, const struct avro_column *column,
                           struct avro_step *step)
{
    bool is_decimal = writer->logical == AVRO_LOGICAL_DECIMAL;
    step->op = writer->kind == AVRO_FIXED ? AVRO_OP_DECIMAL_FIXED : AVRO_OP_DECIMAL;
    step->precision = column->type->length;
    if (is_decimal) {
        return writer->scale == column->type->scale && writer->precision <= column->type->length;
    }
    // Bare bytes are what the reader's schema says they are.
    return column->schema != NULL && writer->logical == AVRO_LOGICAL_NONE &&
           (writer->kind == AVRO_FIXED || writer->kind == AVRO_BYTES);
}

static bool choose_enum(const struct resolver *at, const struct avro_schema *writer,
                        const struct avro_column *column, struct avro_step *step)
{
    const struct avro_schema *reader =
        column->schema != NULL ? avro_schema_value(column->schema) : NULL;
    bool has_symbols = reader != NULL && reader->kind == AVRO_ENUM;
    struct str *symbols = arena_new_array(at->arena, struct str, writer->count);
    for (uint32_t i = 0; i < writer->count; i++) {
        struct str symbol = writer->fields[i].name;
        bool is_known = !has_symbols;
        for (uint32_t j = 0; has_symbols && j < reader->count; j++) {
            is_known |= str_equal(reader->fields[j].name, symbol);
        }
        if (is_known) {
            symbols[i] = symbol;
        } else if (reader->default_symbol >= 0) {
            symbols[i] = reader->fields[reader->default_symbol].name;
        }
    }
    step->op = AVRO_OP_ENUM;
    step->symbols = symbols;
    return true;
}

static bool choose_text(const struct resolver *at, const struct avro_schema *writer,
                        const struct avro_column *column, struct avro_step *step)
{
    const struct avro_schema *reader =
        column->schema != NULL ? avro_schema_value(column->schema) : NULL;
    if (writer->kind == AVRO_ENUM) {
        return choose_enum(at, writer, column, step);
    }
    bool is_uuid = writer->kind == AVRO_FIXED && writer->logical == AVRO_LOGICAL_UUID;
    step->op = is_uuid                       ? AVRO_OP_UUID_TEXT
               : writer->kind == AVRO_STRING ? AVRO_OP_STRING
                                             : AVRO_OP_BYTES_STRING;
    return (reader == NULL || reader->kind != AVRO_ENUM) &&
           (is_uuid || writer->kind == AVRO_STRING || writer->kind == AVRO_BYTES);
}

static bool choose_bytes(const struct avro_schema *writer, const struct avro_column *column,
                         struct avro_step *step)
{
    bool is_sized = column->type->kind == TYPE_BINARY;
    if (column->is_uuid && writer->kind == AVRO_STRING) {
        step->op = AVRO_OP_UUID_BYTES;
        return true;
    }
    step->op = writer->kind == AVRO_FIXED ? AVRO_OP_FIXED : AVRO_OP_BYTES;
    if (writer->kind == AVRO_FIXED) {
        return !is_sized || writer->size == column->type->length;
    }
    return !is_sized && (writer->kind == AVRO_BYTES || writer->kind == AVRO_STRING);
}

static bool choose_scalar(const struct resolver *at, const struct avro_schema *writer,
                          const struct avro_column *column, struct avro_step *step)
{
    const struct type *type = column->type;
    step->heap = &at->decoder->heap;
    step->unit = INT32_MAX;
    if (type_is_integer(type)) {
        return choose_integer(writer, type, step);
    }
    if (type_is_approximate(type)) {
        return choose_float(writer, type, step);
    }
    if (type_is_character(type)) {
        return choose_text(at, writer, column, step);
    }
    if (type_is_binary(type)) {
        return choose_bytes(writer, column, step);
    }
    if (type_is_timestamp(type)) {
        return choose_timestamp(writer, column, step);
    }
    if (type->kind == TYPE_DECIMAL) {
        return choose_decimal(writer, column, step);
    }
    if (type->kind == TYPE_TIME) {
        return choose_time(writer, column, step);
    }
    step->op = type->kind == TYPE_BOOLEAN ? AVRO_OP_BOOLEAN : AVRO_OP_INT;
    return type->kind == TYPE_BOOLEAN ? writer->kind == AVRO_BOOLEAN
                                      : type->kind == TYPE_DATE && writer->kind == AVRO_INT;
}

// Unions.

// A step that fails where it is taken, for the reason in at->err.
static void fail_later(const struct resolver *at, struct avro_step *step)
{
    *step = (struct avro_step){.op = AVRO_OP_FAIL,
                               .text = arena_str(at->arena, str_from(at->err->text))};
}

static void null_step(const struct avro_column *column, struct column_builder *out,
                      struct avro_step *step)
{
    bool may_be = !column->required || column->schema == NULL;
    *step = (struct avro_step){.op = may_be ? AVRO_OP_NULL : AVRO_OP_NO_NULL, .out = out};
}

static enum status resolve_branch(const struct resolver *at, const struct avro_schema *branch,
                                  const struct avro_column *column, struct column_builder *out,
                                  struct avro_step *step)
{
    if (branch->kind == AVRO_NULL) {
        null_step(column, out, step);
        return STATUS_OK;
    }
    return resolve(at, branch, column, out, step);
}

// Branches that cannot become the column fail only where a row has them, unless all are so.
static enum status resolve_union(const struct resolver *at, const struct avro_schema *writer,
                                 const struct avro_column *column, struct column_builder *out,
                                 struct avro_step *step)
{
    struct err why = {0};
    struct resolver trying = *at;
    bool has_any = writer->count == 0;
    trying.err = &why;
    step->op = AVRO_OP_UNION;
    struct avro_step *children = new_steps(at, step, writer->count);
    for (uint32_t i = 0; i < writer->count; i++) {
        const struct avro_schema *branch = writer->fields[i].schema;
        if (resolve_branch(&trying, branch, column, out, &children[i]) == STATUS_OK) {
            has_any |= branch->kind != AVRO_NULL;
        } else {
            fail_later(&trying, &children[i]);
        }
        children[i].name = step->name;
    }
    if (!has_any && why.text[0] != 0) {
        return ERR(at->err, STATUS_UNSUPPORTED, "%s", why.text);
    }
    bool has_null = writer->count == 2 && (writer->fields[0].schema->kind == AVRO_NULL ||
                                           writer->fields[1].schema->kind == AVRO_NULL);
    if (has_null) {
        step->op = AVRO_OP_OPTIONAL;
        step->at = writer->fields[0].schema->kind == AVRO_NULL ? 0 : 1;
        if (step->at == 0) {
            struct avro_step null = children[0];
            children[0] = children[1];
            children[1] = null;
        }
    }
    return STATUS_OK;
}

static bool is_same(const struct avro_schema *a, const struct avro_schema *b)
{
    bool has_name = a->name.size > 0 && b->name.size > 0;
    return a->kind == b->kind && a->logical == b->logical &&
           (!has_name ||
            str_equal(avro_schema_short_name(a->name), avro_schema_short_name(b->name)));
}

// The writer's type becomes the member that is the same, else the first that it can become.
static enum status resolve_member(const struct resolver *at, const struct avro_schema *writer,
                                  const struct avro_column *column, struct column_builder *out,
                                  struct avro_step *step)
{
    struct resolver trying = *at;
    struct err ignored;
    trying.err = &ignored;
    step->op = AVRO_OP_MEMBER;
    struct avro_step *child = new_steps(at, step, 1);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < column->child_count; i++) {
            const struct avro_column *member = &column->children[i];
            bool is_candidate =
                pass == 1 || (member->schema != NULL && is_same(member->schema, writer));
            if (is_candidate && resolve(&trying, writer, member, column_builder_child(out, i),
                                        child) == STATUS_OK) {
                step->at = i;
                return STATUS_OK;
            }
        }
    }
    return mismatch(at, writer, column);
}

// Nested types.

static bool matches(const struct resolver *at, const struct avro_column *column,
                    const struct avro_field *field, bool by_alias)
{
    if (at->by_id) {
        return column->id >= 0 && column->id == field->id;
    }
    if (!by_alias) {
        return str_equal(column->name, field->name) || str_equal(column->name, field->written_name);
    }
    for (uint32_t i = 0; i < column->alias_count; i++) {
        if (str_equal(column->aliases[i], field->written_name)) {
            return true;
        }
    }
    return false;
}

// Sets found[i], the writer's field for column i; UINT32_MAX: none.
static enum status match_fields(const struct resolver *at, const struct avro_schema *writer,
                                const struct avro_column *columns, uint32_t count, uint32_t *found)
{
    bool *is_taken = arena_new_array(at->arena, bool, writer->count);
    for (uint32_t i = 0; i < count; i++) {
        found[i] = UINT32_MAX;
        for (uint32_t j = 0; j < writer->count * 2 && found[i] == UINT32_MAX; j++) {
            bool by_alias = j >= writer->count;
            uint32_t field = by_alias ? j - writer->count : j;
            if (matches(at, &columns[i], &writer->fields[field], by_alias)) {
                found[i] = field;
            }
        }
        if (found[i] != UINT32_MAX && is_taken[found[i]]) {
            return ERR(at->err, STATUS_UNSUPPORTED,
                       "field '%.*s' of an Avro file is asked for twice",
                       STR_ARGS(writer->fields[found[i]].name));
        }
        if (found[i] != UINT32_MAX) {
            is_taken[found[i]] = true;
        }
    }
    return STATUS_OK;
}

// What a column is that the writer does not have. *is_null: a null without further ado.
static enum status resolve_missing(const struct resolver *at, const struct avro_column *column,
                                   struct column_builder *out, struct avro_step *step,
                                   bool *is_null)
{
    bool has_default = column->schema != NULL && column->default_value != NULL;
    *is_null = !has_default;
    if (column->schema != NULL && !has_default) {
        return ERR(at->err, STATUS_INVALID_DATA,
                   "the writer has no field '%.*s', and the reader's schema no default for it",
                   STR_ARGS(column->name));
    }
    if (!has_default) {
        *step = (struct avro_step){.op = AVRO_OP_NULL, .out = out};
        return STATUS_OK;
    }
    *step = (struct avro_step){.op = AVRO_OP_DEFAULT, .out = out};
    TRY(avro_default_encode(at->arena, column->schema, column->default_value, &step->text,
                            at->err));
    return resolve(at, column->schema, column, out, new_steps(at, step, 1));
}

// The steps of a record's fields: the writer's in its order, then what it does not have.
// `builders` are the columns'; one that is set to NULL is null in all rows.
static enum status resolve_fields(const struct resolver *at, const struct avro_schema *writer,
                                  const struct avro_column *columns, uint32_t count,
                                  struct column_builder **builders, bool *is_missing,
                                  struct avro_step *step)
{
    uint32_t *found = arena_new_array(at->arena, uint32_t, count);
    uint32_t used = 0;
    TRY(match_fields(at, writer, columns, count, found));
    step->op = AVRO_OP_RECORD;
    struct avro_step *children = new_steps(at, step, writer->count + count);
    for (uint32_t i = 0; i < writer->count; i++) {
        const struct avro_field *field = &writer->fields[i];
        struct avro_step *child = &children[used];
        uint32_t column = 0;
        while (column < count && found[column] != i) {
            column++;
        }
        *child = (struct avro_step){.op = AVRO_OP_SKIP, .schema = field->schema};
        enum status status = STATUS_OK;
        if (column < count) {
            status = resolve(at, field->schema, &columns[column], builders[column], child);
        }
        if (status != STATUS_OK) {
            err_context(at->err, "field '%.*s'", STR_ARGS(field->name));
            return status;
        }
        child->name = field->name;
        used += child->op != AVRO_OP_SKIP || field->schema->kind != AVRO_NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_null = false;
        is_missing[i] = found[i] == UINT32_MAX;
        if (is_missing[i]) {
            TRY(resolve_missing(at, &columns[i], builders[i], &children[used], &is_null));
            children[used++].name = columns[i].name;
        }
        if (is_null && step->out == NULL) { // of the root: no step, CONST
            builders[i] = NULL;
            used--;
        }
    }
    step->count = used;
    return STATUS_OK;
}

static enum status resolve_record(const struct resolver *at, const struct avro_schema *writer,
                                  const struct avro_column *column, struct column_builder *out,
                                  struct avro_step *step)
{
    uint32_t count = column->child_count;
    struct column_builder **builders = arena_new_array(at->arena, struct column_builder *, count);
    bool *is_missing = arena_new_array(at->arena, bool, count);
    for (uint32_t i = 0; i < count; i++) {
        builders[i] = column_builder_child(out, i);
    }
    step->out = out;
    return resolve_fields(at, writer, column->children, count, builders, is_missing, step);
}

static const struct avro_schema string_schema = {.kind = AVRO_STRING};

// A map, or an array of records of key and value.
static enum status resolve_map(const struct resolver *at, const struct avro_schema *writer,
                               const struct avro_column *column, struct column_builder *out,
                               struct avro_step *step)
{
    const struct avro_schema *item = writer->fields[0].schema;
    if (writer->kind == AVRO_MAP) {
        step->op = AVRO_OP_MAP;
        struct avro_step *children = new_steps(at, step, 2);
        TRY(resolve(at, &string_schema, &column->children[0], column_builder_child(out, 0),
                    &children[0]));
        return resolve(at, item, &column->children[1], column_builder_child(out, 1), &children[1]);
    }
    const struct avro_schema *record = avro_schema_value(item);
    if (record == NULL || record->kind != AVRO_RECORD || record->count != 2) {
        return mismatch(at, writer, column);
    }
    step->op = AVRO_OP_ARRAY;
    struct avro_step *entry = new_steps(at, step, 1);
    if (item != record) { // BigQuery writes entries that might be null
        *entry = (struct avro_step){.op = AVRO_OP_UNION, .schema = item};
        struct avro_step *branches = new_steps(at, entry, item->count);
        for (uint32_t i = 0; i < item->count; i++) {
            branches[i] = (struct avro_step){.op = AVRO_OP_FAIL,
                                             .text = STR_LIT("Avro: an entry of a map is null")};
            entry = item->fields[i].schema == record ? &branches[i] : entry;
        }
    }
    entry->op = AVRO_OP_RECORD;
    struct avro_step *children = new_steps(at, entry, 2);
    for (uint32_t i = 0; i < 2; i++) { // key and value are known by their places
        children[i].name = record->fields[i].name;
        TRY(resolve(at, record->fields[i].schema, &column->children[i],
                    column_builder_child(out, i), &children[i]));
    }
    return STATUS_OK;
}

static enum status resolve(const struct resolver *at, const struct avro_schema *writer,
                           const struct avro_column *column, struct column_builder *out,
                           struct avro_step *step)
{
    struct str name = step->name;
    enum type_kind kind = column->type->kind;
    bool is_list = writer->kind == AVRO_ARRAY || writer->kind == AVRO_MAP;
    *step = (struct avro_step){.out = out, .schema = writer, .name = name};
    if (writer->kind == AVRO_UNION) {
        return resolve_union(at, writer, column, out, step);
    }
    if (writer->kind == AVRO_NULL) {
        null_step(column, out, step);
        return STATUS_OK;
    }
    if (column->is_union) {
        return resolve_member(at, writer, column, out, step);
    }
    if (kind == TYPE_VARIANT && avro_schema_is_variant(writer)) {
        step->op = AVRO_OP_VARIANT;
        step->heap = &at->decoder->heap;
        step->at = str_is(writer->fields[1].written_name, "metadata");
        return STATUS_OK;
    }
    if (kind == TYPE_ROW && writer->kind == AVRO_RECORD) {
        return resolve_record(at, writer, column, out, step);
    }
    if (kind == TYPE_ARRAY && writer->kind == AVRO_ARRAY) {
        step->op = AVRO_OP_ARRAY;
        return resolve(at, writer->fields[0].schema, &column->children[0],
                       column_builder_child(out, 0), new_steps(at, step, 1));
    }
    if ((kind == TYPE_MAP || kind == TYPE_MULTISET) && is_list) {
        return resolve_map(at, writer, column, out, step);
    }
    bool is_scalar = !type_is_nested(column->type) && !is_list && writer->kind != AVRO_RECORD;
    return is_scalar && choose_scalar(at, writer, column, step) ? STATUS_OK
                                                                : mismatch(at, writer, column);
}

enum status avro_resolve(struct avro_decoder *decoder, const struct avro_schema *writer,
                         const struct avro_decoder_options *options, struct err *err)
{
    struct err own;
    uint32_t count = options->column_count;
    struct arena *arena = &decoder->arena;
    struct resolver at = {decoder, arena, options->by_id, err != NULL ? err : &own};
    struct avro_field field = {.name = STR_LIT("value"), .id = AVRO_NO_ID, .schema = writer};
    struct avro_schema wrapped = {.kind = AVRO_RECORD, .count = 1, .fields = &field};
    if (writer->kind != AVRO_RECORD) { // a column of the name that avro_columns.h gives it
        field.written_name = field.name;
        writer = &wrapped;
    }
    decoder->column_count = count;
    decoder->builders = arena_new_array(arena, struct column_builder *, count);
    decoder->nulls = arena_new_array(arena, struct column, count);
    decoder->is_missing = arena_new_array(arena, bool, count);
    decoder->columns = arena_new_array(arena, struct column, count);
    for (uint32_t i = 0; i < count; i++) {
        decoder->builders[i] = column_builder_new(arena, options->columns[i].type, BATCH_ROWS_MAX);
    }
    TRY(resolve_fields(&at, writer, options->columns, count, decoder->builders, decoder->is_missing,
                       &decoder->root));
    for (uint32_t i = 0; i < count; i++) {
        if (decoder->builders[i] == NULL) {
            decoder->nulls[i] = column_builder_all_null(arena, options->columns[i].type, 1);
        }
    }
    return STATUS_OK;
}
