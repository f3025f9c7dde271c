// SPDX-License-Identifier: Apache-2.0
//
// iceberg_tool: Iceberg tables through our own layer alone, for comparison with other engines
// (tests/e2e/iceberg_matrix.py, tests/e2e/iceberg_fixtures.py).
//
//     iceberg_tool create DB WAREHOUSE DATABASE TABLE SPEC.json
//     iceberg_tool append DB WAREHOUSE DATABASE TABLE ROWS.ndjson [key=value…]
//     iceberg_tool read   DB WAREHOUSE DATABASE TABLE [key=value…]
//     iceberg_tool read-file METADATA.json [map=FROM=TO] [key=value…]
//     iceberg_tool commits DB WAREHOUSE DATABASE TABLE COUNT    times commits of one small file
//     iceberg_tool scatter DB WAREHOUSE DATABASE TABLE PARTITIONS MIB [memory=BYTES]
//                  made-up rows (id long, p int, payload string) in no order, in one commit
//
// SPEC: {"columns": [field…] as in Iceberg's JSON, "partitions": [{"transform", "column"}…],
// "properties": {…}, "format-version": 2}. Rows: one object a line, in the canonical form of
// tests/peers/lake/README.md, which `read` prints as well.
//
// append: batch=ROWS, checkpoint=ROWS (a barrier without a commit), restart=1 (a new writer from
// the state at each checkpoint), memory=BYTES, commits=N. read: columns=a,b; where=ID:OP:JSON (a
// canonical value; several), snapshot=ID, ref=NAME, figures=1, metadata=_row_id,_pos (columns
// before the others), bare=1 (deletion vectors outside of Puffin files).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/json_tree.h"
#include "data/batch.h"
#include "data/column_builder.h"
#include "data/decimal.h"
#include "data/predicate.h"
#include "iceberg/catalog_sqlite.h"
#include "iceberg/commit.h"
#include "iceberg/data_writer.h"
#include "iceberg/delete_filter.h"
#include "iceberg/iceberg_table.h"
#include "iceberg/metadata_column.h"
#include "iceberg/scan.h"
#include "iceberg/spec/json_need.h"
#include "iceberg/spec/table_update.h"
#include "iceberg/table_reader.h"
#include "store/store.h"
#include "store/store_file.h"
#include "sys/file.h"

#include "canonical_rows.h"

enum { TEXT_MAX = 1 << 30 };

static _Noreturn void die(const char *what, const struct err *err)
{
    fprintf(stderr, "iceberg_tool: %s: %s\n", what, err->text);
    exit(1);
}

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) != STATUS_OK) {                                                                 \
            die(#call, &err);                                                                      \
        }                                                                                          \
    } while (0)

static const char *option(int argc, char **argv, const char *key, const char *absent)
{
    size_t size = strlen(key);
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], key, size) == 0 && argv[i][size] == '=') {
            return argv[i] + size + 1;
        }
    }
    return absent;
}

static int64_t number(int argc, char **argv, const char *key, int64_t absent)
{
    const char *text = option(argc, argv, key, NULL);
    int64_t value;
    return text != NULL && str_to_i64(str_from(text), &value) ? value : absent;
}

// ---- a store that shows one prefix as another ----

struct mapped {
    struct store base;
    struct store *below;
    struct str from, to;
};

static struct str mapped_path(struct store *store, struct str path, char *out, size_t size)
{
    struct mapped *self = (struct mapped *)store;
    if (self->from.size == 0 || path.size < self->from.size ||
        !str_equal(str_slice(path, 0, self->from.size), self->from)) {
        return path;
    }
    snprintf(out, size, "%.*s%.*s", STR_ARGS(self->to), (int)(path.size - self->from.size),
             path.ptr + self->from.size);
    return str_from(out);
}

static enum status mapped_open(struct store *store, struct str path, struct store_reader **out,
                               struct err *err)
{
    char text[4096];
    return store_open(((struct mapped *)store)->below, mapped_path(store, path, text, sizeof text),
                      out, err);
}

// ---- commands ----

static struct catalog *open_catalog(char **argv, struct store *store)
{
    struct err err;
    struct catalog *catalog;
    struct catalog_sqlite_options options = {.path = argv[0],
                                             .name = STR_LIT("lake"),
                                             .default_database = STR_LIT("default"),
                                             .warehouse = str_from(argv[1]),
                                             .store = store,
                                             .is_ours = true};
    CHECK(catalog_sqlite_open(&options, &catalog, &err));
    return catalog;
}

static int create(char **argv)
{
    struct err err;
    struct arena arena = {0};
    struct buf *text;
    const struct json_tree *spec;
    const struct json_tree *list;
    struct table_update_new table = {0};
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_catalog(argv, store);
    struct table_place place;
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    CHECK(file_read_whole(argv[4], 1 << 24, &text, &err));
    CHECK(json_tree_parse(&arena, str_make(text->ptr, text->size), &spec, &err));
    CHECK(json_need_i32_or(spec, "format-version", 2, &table.format_version, &err));
    // {"type":"struct","fields":[…]} is what the parser of types wants.
    CHECK(json_need_array(spec, "columns", &list, &err));
    struct strbuf columns;
    strbuf_init(&columns, 1 << 24);
    strbuf_add_text(&columns, "{\"type\":\"struct\",\"fields\":");
    json_tree_print(&columns, list);
    strbuf_add_byte(&columns, '}');
    const struct json_tree *tree;
    CHECK(json_tree_parse(&arena, strbuf_str(&columns), &tree, &err));
    CHECK(iceberg_type_parse(&arena, tree, &table.columns, &err));
    CHECK(json_need_array(spec, "partitions", &list, &err));
    struct partition_field *fields =
        arena_new_array(&arena, struct partition_field, list->count + 1);
    for (uint32_t i = 0; i < list->count; i++) {
        struct str transform;
        struct str column;
        CHECK(json_need_str(&list->items[i], "transform", &transform, &err));
        CHECK(json_need_str(&list->items[i], "column", &column, &err));
        fields[i].field_id = 1000 + (int32_t)i;
        fields[i].transform = transform_parse(transform);
        fields[i].name = arena_printf(&arena, "p%u_%.*s", i, STR_ARGS(column));
        for (uint32_t j = 0; j < table.columns->field_count; j++) {
            if (str_equal(table.columns->fields[j].name, column)) {
                fields[i].source_id = table.columns->fields[j].id;
            }
        }
    }
    table.partition_fields = fields;
    table.partition_count = list->count;
    const struct json_tree *properties = json_tree_find(spec, "properties");
    struct table_property *pairs =
        arena_new_array(&arena, struct table_property, properties->count + 1);
    for (uint32_t i = 0; i < properties->count; i++) {
        pairs[i] = (struct table_property){properties->keys[i], properties->items[i].text};
    }
    table.properties = pairs;
    table.property_count = properties->count;
    table_env_uuid(table_env_system(), uuid);
    table.uuid = str_from(uuid);
    table.location = arena_printf(&arena, "%s/%s/%s", argv[1], argv[2], argv[3]);
    catalog->ops->place(catalog, &place);
    struct table_name name = {str_from(argv[2]), str_from(argv[3])};
    CHECK(commit_create(&place, &name, &table, &err));
    catalog->ops->close(catalog);
    store_free(store);
    strbuf_release(&columns);
    buf_unref(text);
    arena_release(&arena);
    return 0;
}

struct appender {
    struct iceberg_table *table;
    struct data_writer *writer;
    struct data_writer_options options;
    uint64_t epoch;
    bool restart;
};

static void new_writer(struct appender *appender, struct str state)
{
    struct err err;
    data_writer_free(appender->writer);
    appender->options.run++;
    appender->options.metadata = appender->table->metadata;
    CHECK(data_writer_new(&appender->options, &appender->writer, &err));
    if (state.size > 0) {
        CHECK(data_writer_restore(appender->writer, state, &err));
    }
}

static void barrier(struct appender *appender, bool close)
{
    struct err err;
    struct strbuf state;
    struct strbuf committable;
    strbuf_init(&state, TEXT_MAX);
    strbuf_init(&committable, TEXT_MAX);
    struct data_writer_state out = {.state = &state, .committable = &committable};
    struct data_writer_barrier at = {++appender->epoch, close};
    CHECK(data_writer_barrier(appender->writer, &at, &out, &err));
    if (close) {
        struct arena arena = {0};
        struct data_file *files;
        uint32_t count;
        struct commit_result result;
        CHECK(data_writer_unpack(&arena, appender->table->metadata, strbuf_str(&committable),
                                 &files, &count, &err));
        struct commit_options options = {
            .files = files, .file_count = count, .writer_tag = appender->options.writer_tag};
        CHECK(commit_run(appender->table, &options, &result, &err));
        arena_release(&arena);
    }
    data_writer_durable(appender->writer, out.state_number);
    if (appender->restart || close) {
        new_writer(appender, strbuf_str(&state));
    }
    strbuf_release(&state);
    strbuf_release(&committable);
}

static void append_rows(struct appender *appender, int argc, char **argv, struct str text)
{
    struct err err;
    const struct table_schema *schema = table_metadata_current_schema(appender->table->metadata);
    uint32_t column_count = schema->root->field_count;
    uint32_t batch_rows = (uint32_t)number(argc, argv, "batch", 2048);
    int64_t checkpoint = number(argc, argv, "checkpoint", 0);
    int64_t commits = number(argc, argv, "commits", 1);
    int64_t rows = 0;
    int64_t lines = 0;
    for (size_t i = 0; i < text.size; i++) {
        lines += text.ptr[i] == '\n';
    }
    while (text.size > 0) {
        struct arena arena = {0};
        struct column_builder **builders =
            arena_new_array(&arena, struct column_builder *, column_count);
        struct column *columns = arena_new_array(&arena, struct column, column_count);
        for (uint32_t i = 0; i < column_count; i++) {
            const struct type *sql;
            const struct iceberg_field *field = &schema->root->fields[i];
            CHECK(iceberg_type_to_sql(&arena, field->type, field->required, &sql, &err));
            builders[i] = column_builder_new(&arena, sql, batch_rows);
        }
        uint32_t row_count = 0;
        for (; text.size > 0 && row_count < batch_rows; row_count++) {
            size_t end = str_find(text, '\n');
            const struct json_tree *row;
            CHECK(json_tree_parse(&arena, str_slice(text, 0, end), &row, &err));
            for (uint32_t i = 0; i < column_count; i++) {
                char key[256];
                snprintf(key, sizeof key, "%.*s", STR_ARGS(schema->root->fields[i].name));
                canonical_rows_add(builders[i], schema->root->fields[i].type,
                                   json_tree_get(row, key));
            }
            text = str_slice(text, end + 1, text.size);
        }
        for (uint32_t i = 0; i < column_count; i++) {
            columns[i] = column_builder_finish(builders[i]);
        }
        struct batch batch = {
            .row_count = row_count, .column_count = column_count, .columns = columns};
        CHECK(data_writer_append(appender->writer, &batch, &err));
        int64_t before = rows;
        rows += row_count;
        arena_release(&arena);
        if (commits > 1 && before * commits / lines != rows * commits / lines && text.size > 0) {
            barrier(appender, true);
            schema = table_metadata_current_schema(appender->table->metadata);
        } else if (checkpoint > 0 && before / checkpoint != rows / checkpoint) {
            barrier(appender, false);
        }
    }
    struct data_writer_figures figures = data_writer_figures(appender->writer);
    barrier(appender, true);
    fprintf(stderr, "%" PRId64 " rows, %u files open at the end, %" PRIu64 " bytes of segments\n",
            rows, figures.open_files, figures.segment_bytes);
}

static int append(int argc, char **argv)
{
    struct err err;
    struct buf *text;
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_catalog(argv, store);
    struct table_place place;
    struct table_name name = {str_from(argv[2]), str_from(argv[3])};
    char segments[4096];
    snprintf(segments, sizeof segments, "%s.segments", argv[0]);
    catalog->ops->place(catalog, &place);
    struct appender appender = {.restart = number(argc, argv, "restart", 0) != 0};
    appender.options = (struct data_writer_options){
        .store = store,
        .env = place.env,
        .memory_max = (size_t)number(argc, argv, "memory", 0),
        .writer_tag = 0x123456789abc,
        .segment_directory = str_from(segments),
    };
    CHECK(file_read_whole(argv[4], TEXT_MAX, &text, &err));
    CHECK(iceberg_table_open(&place, &name, &appender.table, &err));
    new_writer(&appender, STR_LIT(""));
    append_rows(&appender, argc - 5, argv + 5, str_make(text->ptr, text->size));
    data_writer_free(appender.writer);
    iceberg_table_free(appender.table);
    catalog->ops->close(catalog);
    store_free(store);
    buf_unref(text);
    return 0;
}

// where=ID:OP:JSON, any number of times.
static const struct predicate *parse_where(struct arena *arena, int argc, char **argv,
                                           const struct table_schema *schema)
{
    static const char *const ops[] = {"eq", "ne", "lt",     "le",   "gt",
                                      "ge", "in", "starts", "null", "notnull"};
    struct predicate *predicate = arena_new(arena, struct predicate);
    struct predicate_term *terms = arena_new_array(arena, struct predicate_term, (size_t)argc + 1);
    struct err err;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "where=", 6) != 0) {
            continue;
        }
        struct str text = str_from(argv[i] + 6);
        size_t first = str_find(text, ':');
        size_t second = first + 1 + str_find(str_slice(text, first + 1, text.size), ':');
        struct predicate_term *term = &terms[predicate->term_count++];
        int64_t id = 0;
        const struct json_tree *json;
        str_to_i64(str_slice(text, 0, first), &id);
        term->column_id = (int32_t)id;
        for (int op = 0; op < 10; op++) {
            if (str_is(str_slice(text, first + 1, second), ops[op])) {
                term->op = (enum predicate_op)op;
            }
        }
        const struct iceberg_type *type = table_schema_by_id(schema, term->column_id)->field->type;
        CHECK(iceberg_type_to_sql(arena, type, false, &term->type, &err));
        if (term->op == PREDICATE_IS_NULL || term->op == PREDICATE_IS_NOT_NULL) {
            continue;
        }
        CHECK(json_tree_parse(arena, str_slice(text, second + 1, text.size), &json, &err));
        struct column_builder *builder = column_builder_new(arena, term->type, 1);
        for (uint32_t j = 0; j < (json->kind == JSON_TREE_ARRAY ? json->count : 1); j++) {
            canonical_rows_add(builder, type,
                               json->kind == JSON_TREE_ARRAY ? &json->items[j] : json);
        }
        struct column *constants = arena_new(arena, struct column);
        *constants = column_builder_finish(builder);
        term->constants = constants;
    }
    predicate->terms = terms;
    return predicate->term_count > 0 ? predicate : NULL;
}

static uint32_t *parse_columns(struct arena *arena, const char *text,
                               const struct table_schema *schema, uint32_t *count)
{
    uint32_t *columns = arena_new_array(arena, uint32_t, schema->root->field_count + 1);
    struct str rest = str_from(text);
    *count = 0;
    while (rest.size > 0) {
        size_t end = str_find(rest, ',');
        for (uint32_t i = 0; i < schema->root->field_count; i++) {
            if (str_equal(schema->root->fields[i].name, str_slice(rest, 0, end))) {
                columns[(*count)++] = i;
            }
        }
        rest = str_slice(rest, end + 1, rest.size);
    }
    return columns;
}

static void print_rows(const struct iceberg_field *const *fields, uint32_t metadata_count,
                       const struct batch *batch)
{
    struct strbuf out;
    strbuf_init(&out, TEXT_MAX);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        strbuf_reset(&out);
        for (uint32_t i = 0; i < batch->column_count; i++) {
            // Metadata columns come last and are shown first.
            uint32_t others = batch->column_count - metadata_count;
            uint32_t at = i < metadata_count ? others + i : i - metadata_count;
            strbuf_add_byte(&out, i > 0 ? ',' : '{');
            canonical_rows_text(&out, fields[at]->name);
            strbuf_add_byte(&out, ':');
            canonical_rows_print(&out, fields[at]->type, &batch->columns[at], row);
        }
        strbuf_add_text(&out, "}\n");
        fwrite(out.ptr, 1, out.size, stdout);
    }
    strbuf_release(&out);
}

static void print_figures(struct iceberg_table *table, const struct scan_options *options,
                          const struct table_schema *schema)
{
    struct err err;
    struct arena arena = {0};
    uint32_t count = schema->root->field_count;
    struct scan_figure *figures = arena_new_array(&arena, struct scan_figure, 1 + 3 * count);
    struct strbuf out;
    strbuf_init(&out, TEXT_MAX);
    figures[0].kind = SCAN_COUNT_ROWS;
    for (uint32_t i = 0; i < count; i++) {
        for (int j = 0; j < 3; j++) {
            figures[1 + 3 * i + (uint32_t)j].kind = (enum scan_figure_kind)(SCAN_COUNT_VALUES + j);
            figures[1 + 3 * i + (uint32_t)j].column_id = schema->root->fields[i].id;
        }
    }
    CHECK(scan_figures(table, options, &arena, figures, 1 + 3 * count, &err));
    for (uint32_t i = 0; i < 1 + 3 * count; i++) {
        static const char *const names[] = {"rows", "count", "min", "max"};
        struct str column = i == 0 ? STR_LIT("*") : schema->root->fields[(i - 1) / 3].name;
        strbuf_printf(&out, "%s %.*s ", names[figures[i].kind], STR_ARGS(column));
        if (!figures[i].known) {
            strbuf_add_text(&out, "unknown");
        } else if (figures[i].value.is_null) {
            strbuf_add_text(&out, "null");
        } else if (figures[i].kind <= SCAN_COUNT_VALUES) {
            strbuf_printf(&out, "%lld", (long long)figures[i].value.as.i64);
        } else {
            canonical_rows_primitive(&out, schema->root->fields[(i - 1) / 3].type,
                                     &figures[i].value);
        }
        strbuf_add_byte(&out, '\n');
    }
    fwrite(out.ptr, 1, out.size, stdout);
    strbuf_release(&out);
    arena_release(&arena);
}

// metadata=a,b: their ids.
static int32_t *parse_metadata(struct arena *arena, const char *text,
                               const struct table_metadata *metadata, uint32_t *count)
{
    int32_t *ids = arena_new_array(arena, int32_t, METADATA_COLUMN_COUNT);
    struct str rest = str_from(text);
    *count = 0;
    while (rest.size > 0) {
        size_t end = str_find(rest, ',');
        for (uint32_t i = 0; i < METADATA_COLUMN_COUNT; i++) {
            struct iceberg_field field;
            struct err err;
            if (metadata_column_field(arena, metadata, metadata_column_ids[i], &field, &err) ==
                    STATUS_OK &&
                str_equal(field.name, str_slice(rest, 0, end))) {
                ids[(*count)++] = field.id;
            }
        }
        rest = str_slice(rest, end + 1, rest.size);
    }
    return ids;
}

// All fields in the order of the batches.
static const struct iceberg_field **output_fields(struct arena *arena,
                                                  const struct table_reader_options *options)
{
    struct err err;
    const struct iceberg_field **fields =
        arena_alloc(arena, (options->column_count + options->metadata_count + 1) * sizeof *fields);
    for (uint32_t i = 0; i < options->column_count; i++) {
        uint32_t at = options->columns != NULL ? options->columns[i] : i;
        fields[i] = &options->schema->root->fields[at];
    }
    for (uint32_t i = 0; i < options->metadata_count; i++) {
        struct iceberg_field *field = arena_new(arena, struct iceberg_field);
        CHECK(
            metadata_column_field(arena, options->metadata, options->metadata_ids[i], field, &err));
        fields[options->column_count + i] = field;
    }
    return fields;
}

// Prints the rows of all tasks; returns how many were pruned within files.
static uint64_t read_tasks(const struct scan_plan *plan, const struct table_reader_options *options,
                           const struct iceberg_field *const *fields)
{
    struct err err;
    uint64_t pruned = 0;
    for (uint32_t i = 0; i < plan->task_count; i++) {
        struct table_reader *reader;
        struct batch batch;
        enum status status;
        CHECK(table_reader_open(options, plan->tasks[i], &reader, &err));
        while ((status = table_reader_next(reader, &batch, &err)) == STATUS_OK) {
            print_rows(fields, options->metadata_count, &batch);
        }
        if (status != STATUS_END) {
            die("read", &err);
        }
        pruned += table_reader_counters(reader).rows_pruned;
        table_reader_free(reader);
    }
    return pruned;
}

static void read_table(struct iceberg_table *table, int argc, char **argv)
{
    struct err err;
    struct arena arena = {0};
    struct scan_options options = {.snapshot_id = number(argc, argv, "snapshot", 0),
                                   .ref = str_from(option(argc, argv, "ref", ""))};
    struct scan_plan plan;
    const char *columns_text = option(argc, argv, "columns", NULL);
    const struct table_schema *current = table_metadata_current_schema(table->metadata);
    options.predicate = parse_where(&arena, argc, argv, current);
    CHECK(scan_plan(table, &options, &arena, &plan, &err));
    if (option(argc, argv, "figures", NULL) != NULL) {
        print_figures(table, &options, plan.schema);
        arena_release(&arena);
        return;
    }
    struct table_reader_options reader = {.store = table->place.store,
                                          .metadata = table->metadata,
                                          .schema = plan.schema,
                                          .column_count = plan.schema->root->field_count,
                                          .predicate = options.predicate};
    if (columns_text != NULL) {
        reader.columns = parse_columns(&arena, columns_text, plan.schema, &reader.column_count);
    }
    reader.metadata_ids = parse_metadata(&arena, option(argc, argv, "metadata", ""),
                                         table->metadata, &reader.metadata_count);
    struct delete_filter_options deletes = {.store = reader.store,
                                            .metadata = reader.metadata,
                                            .schema = reader.schema,
                                            .tasks = plan.tasks,
                                            .task_count = plan.task_count,
                                            .bare_vectors = number(argc, argv, "bare", 0) != 0};
    reader.deletes = delete_filter_new(&deletes);
    uint64_t pruned = read_tasks(&plan, &reader, output_fields(&arena, &reader));
    struct delete_counters counters = delete_filter_counters(reader.deletes);
    fprintf(stderr,
            "manifests %" PRIu64 " read %" PRIu64 " pruned, files %u read %" PRIu64
            " pruned, rows %" PRIu64 " pruned within\n",
            plan.manifests_read, plan.manifests_pruned, plan.task_count, plan.files_pruned, pruned);
    fprintf(stderr,
            "deletes %u planned %" PRIu64 " pruned %" PRIu64 " read, rows %" PRIu64 " removed\n",
            plan.delete_count, plan.deletes_pruned, counters.files_read, counters.rows_removed);
    delete_filter_free(reader.deletes);
    arena_release(&arena);
}

static int read_command(int argc, char **argv)
{
    struct err err;
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_catalog(argv, store);
    struct table_place place;
    struct iceberg_table *table;
    catalog->ops->place(catalog, &place);
    CHECK(iceberg_table_open(&place, &(struct table_name){str_from(argv[2]), str_from(argv[3])},
                             &table, &err));
    read_table(table, argc - 4, argv + 4);
    iceberg_table_free(table);
    catalog->ops->close(catalog);
    store_free(store);
    return 0;
}

static int read_file(int argc, char **argv)
{
    struct err err;
    struct store_ops ops = {.name = "mapped", .open = mapped_open};
    struct mapped store = {.base = {&ops}, .below = store_file_new(NULL)};
    struct str map = str_from(option(argc, argv, "map", ""));
    struct table_place place = {.store = &store.base, .env = table_env_system()};
    struct iceberg_table *table;
    size_t split = str_find(map, '=');
    store.from = str_slice(map, 0, split);
    store.to = str_slice(map, split + 1, map.size);
    CHECK(iceberg_table_open_file(&place, str_from(argv[0]), &table, &err));
    read_table(table, argc - 1, argv + 1);
    iceberg_table_free(table);
    store_free(store.below);
    return 0;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

// A data file and a commit, COUNT times; beside it the same number of bare fsyncs, in turn.
static int commits(char **argv)
{
    struct err err;
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_catalog(argv, store);
    struct table_place place;
    struct table_name name = {str_from(argv[2]), str_from(argv[3])};
    int64_t count = 0;
    str_to_i64(str_from(argv[4]), &count);
    catalog->ops->place(catalog, &place);
    struct appender appender = {0};
    appender.options = (struct data_writer_options){.store = store,
                                                    .env = place.env,
                                                    .writer_tag = 0x123456789abc,
                                                    .segment_directory = STR_LIT("none")};
    CHECK(iceberg_table_open(&place, &name, &appender.table, &err));
    const struct table_schema *schema = table_metadata_current_schema(appender.table->metadata);
    double *times = mem_alloc((size_t)count * sizeof *times);
    double *bare = mem_alloc((size_t)count * sizeof *bare);
    char probe[4096];
    snprintf(probe, sizeof probe, "%s.probe", argv[0]);
    uint64_t fsyncs = 0;
    for (int64_t i = 0; i < count; i++) {
        struct arena arena = {0};
        struct column *columns = arena_new_array(&arena, struct column, schema->root->field_count);
        for (uint32_t j = 0; j < schema->root->field_count; j++) {
            const struct type *sql;
            CHECK(iceberg_type_to_sql(&arena, schema->root->fields[j].type, false, &sql, &err));
            columns[j] = column_builder_all_null(&arena, sql, 100);
        }
        struct batch batch = {
            .row_count = 100, .column_count = schema->root->field_count, .columns = columns};
        new_writer(&appender, STR_LIT(""));
        CHECK(data_writer_append(appender.writer, &batch, &err));
        uint64_t before = file_fsyncs();
        double start = now();
        barrier(&appender, true);
        times[i] = now() - start;
        fsyncs = file_fsyncs() - before;
        struct file file;
        CHECK(file_create(probe, &file, &err));
        CHECK(file_write(&file, argv[0], 1, &err));
        start = now();
        CHECK(file_publish(&file, FILE_SYNC_LATER, &err));
        bare[i] = now() - start;
        file_close(&file);
        schema = table_metadata_current_schema(appender.table->metadata);
        arena_release(&arena);
    }
    qsort(times, (size_t)count, sizeof *times, compare_doubles);
    qsort(bare, (size_t)count, sizeof *bare, compare_doubles);
    // The catalog's own fsync of its log is not among those counted.
    printf("commits %lld fsyncs %" PRIu64 "+1 p50 %.3f ms p99 %.3f ms, bare fsync p50 %.3f ms "
           "p99 %.3f ms\n",
           (long long)count, fsyncs, times[count / 2], times[count * 99 / 100], bare[count / 2],
           bare[count * 99 / 100]);
    data_writer_free(appender.writer);
    iceberg_table_free(appender.table);
    catalog->ops->close(catalog);
    store_free(store);
    return 0;
}

// 2,048 rows of random partitions with 100 bytes each that do not compress away.
static void make_scattered(struct arena *arena, uint64_t *seed, uint32_t partitions,
                           struct batch *batch)
{
    int64_t *ids = arena_alloc(arena, BATCH_ROWS_MAX * sizeof *ids);
    int32_t *places = arena_alloc(arena, BATCH_ROWS_MAX * sizeof *places);
    struct strview *texts = arena_alloc(arena, BATCH_ROWS_MAX * sizeof *texts);
    struct column *columns = arena_new_array(arena, struct column, 3);
    for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++) {
        uint64_t words[13];
        ids[i] = (int64_t)(*seed)++;
        for (int j = 0; j < 13; j++) {
            words[j] =
                hash_word((uint64_t)ids[i] * 16 + (uint64_t)j) & UINT64_C(0x0f0f0f0f0f0f0f0f);
            words[j] += UINT64_C(0x6161616161616161); // letters a to p
        }
        places[i] = (int32_t)(hash_word((uint64_t)ids[i]) % partitions);
        texts[i] = strview_make(arena_copy(arena, words, 100), 100);
    }
    columns[0] =
        (struct column){.physical = PHYSICAL_I64, .row_count = BATCH_ROWS_MAX, .values = ids};
    columns[1] =
        (struct column){.physical = PHYSICAL_I32, .row_count = BATCH_ROWS_MAX, .values = places};
    columns[2] =
        (struct column){.physical = PHYSICAL_STRING, .row_count = BATCH_ROWS_MAX, .values = texts};
    *batch = (struct batch){.row_count = BATCH_ROWS_MAX, .column_count = 3, .columns = columns};
}

static int scatter(int argc, char **argv)
{
    struct err err;
    struct store *store = store_file_new(NULL);
    struct catalog *catalog = open_catalog(argv, store);
    struct table_place place;
    struct table_name name = {str_from(argv[2]), str_from(argv[3])};
    char segments[4096];
    int64_t partitions = 0;
    int64_t mib = 0;
    uint64_t seed = 1;
    int64_t bytes = 0;
    snprintf(segments, sizeof segments, "%s.segments", argv[0]);
    str_to_i64(str_from(argv[4]), &partitions);
    str_to_i64(str_from(argv[5]), &mib);
    catalog->ops->place(catalog, &place);
    struct appender appender = {0};
    appender.options =
        (struct data_writer_options){.store = store,
                                     .env = place.env,
                                     .memory_max = (size_t)number(argc, argv, "memory", 0),
                                     .writer_tag = 0x123456789abc,
                                     .segment_directory = str_from(segments)};
    CHECK(iceberg_table_open(&place, &name, &appender.table, &err));
    new_writer(&appender, STR_LIT(""));
    double start = now();
    while (bytes < mib << 20) {
        struct arena arena = {0};
        struct batch batch;
        make_scattered(&arena, &seed, (uint32_t)partitions, &batch);
        CHECK(data_writer_append(appender.writer, &batch, &err));
        bytes += BATCH_ROWS_MAX * (8 + 4 + 100);
        arena_release(&arena);
    }
    double appended = now();
    struct data_writer_figures figures = data_writer_figures(appender.writer);
    barrier(&appender, true);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("rows %" PRIu64 " open files %u segments %" PRIu64 " MiB append %.1f s close %.1f s "
           "cpu %.1f s peak %ld MiB\n",
           figures.rows, figures.open_files, figures.segment_bytes >> 20, (appended - start) / 1e3,
           (now() - appended) / 1e3, (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec,
           usage.ru_maxrss / 1024);
    data_writer_free(appender.writer);
    iceberg_table_free(appender.table);
    catalog->ops->close(catalog);
    store_free(store);
    return 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "create") == 0 && argc == 7) {
        return create(argv + 2);
    }
    if (strcmp(command, "append") == 0 && argc >= 7) {
        return append(argc - 2, argv + 2);
    }
    if (strcmp(command, "read") == 0 && argc >= 6) {
        return read_command(argc - 2, argv + 2);
    }
    if (strcmp(command, "read-file") == 0 && argc >= 3) {
        return read_file(argc - 2, argv + 2);
    }
    if (strcmp(command, "commits") == 0 && argc == 7) {
        return commits(argv + 2);
    }
    if (strcmp(command, "scatter") == 0 && argc >= 8) {
        return scatter(argc - 2, argv + 2);
    }
    fprintf(stderr, "usage: see the head of tests/tools/iceberg_tool.c\n");
    return 2;
}
