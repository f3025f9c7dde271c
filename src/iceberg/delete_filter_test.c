// SPDX-License-Identifier: Apache-2.0
//
// Rows of made-up tables under deletes of every kind, against a model that knows the rules and
// nothing else: which rows are left, where they stand, and that each delete file is read once.
#include "iceberg/delete_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs setjmp, stdarg, stddef and stdint before it.
#include <cmocka.h>

#include "base/arena.h"
#include "base/budget.h"
#include "codec/deletion_vector.h"
#include "codec/parquet_writer.h"
#include "codec/puffin.h"
#include "codec/roaring.h"
#include "data/column_builder.h"
#include "iceberg/delete_index.h"
#include "iceberg/file_schema.h"
#include "iceberg/spec/table_metadata.h"
#include "iceberg/table_reader.h"
#include "store/store.h"
#include "store/store_memory.h"

// Spec 0 is unpartitioned, spec 1 by p. `old` was dropped; id was an int once.
static const char metadata_text[] =
    "{\"format-version\":3,\"table-uuid\":\"00000000-0000-4000-8000-000000000001\","
    "\"location\":\"w\",\"last-sequence-number\":100,\"last-updated-ms\":1,\"last-column-id\":6,"
    "\"current-schema-id\":1,\"schemas\":["
    "{\"type\":\"struct\",\"schema-id\":0,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"int\"},"
    "{\"id\":2,\"name\":\"p\",\"required\":false,\"type\":\"int\"},"
    "{\"id\":3,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":4,\"name\":\"st\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":5,\"name\":\"x\",\"required\":false,\"type\":\"long\"}]}},"
    "{\"id\":6,\"name\":\"old\",\"required\":false,\"type\":\"long\"}]},"
    "{\"type\":\"struct\",\"schema-id\":1,\"fields\":["
    "{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":2,\"name\":\"p\",\"required\":false,\"type\":\"int\"},"
    "{\"id\":3,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":4,\"name\":\"st\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":5,\"name\":\"x\",\"required\":false,\"type\":\"long\"}]}}]}],"
    "\"default-spec-id\":1,\"partition-specs\":[{\"spec-id\":0,\"fields\":[]},"
    "{\"spec-id\":1,\"fields\":[{\"source-id\":2,\"field-id\":1000,\"name\":\"p\","
    "\"transform\":\"identity\"}]}],\"last-partition-id\":1000,"
    "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],"
    "\"next-row-id\":1000000}";

enum {
    ID = 1,
    S = 3,
    X = 5,
    OLD = 6, // keys
    FILES_MAX = 8,
    ROWS_MAX = 5000,
    DELETES_MAX = 24,
    VALUES = 200, // of each key column
};

#define NONE INT64_MIN // null

struct row {
    int64_t id, s, x, old; // s: the number in "value-%d"
};

struct file {
    char path[32];
    int64_t sequence;
    int32_t spec;
    int64_t p;
    uint32_t count;
    struct row *rows;
    bool *deleted; // by the model
};

struct world {
    struct arena arena;
    struct store *store;
    struct parquet_encoder *encoder;
    const struct table_metadata *metadata;
    struct delete_index index;
    uint64_t seed;
    uint32_t file_count;
    struct file files[FILES_MAX];
    uint32_t delete_count;
    struct scan_task **tasks;
};

static uint32_t draw(struct world *world, uint32_t below)
{
    world->seed = world->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(world->seed >> 33) % below;
}

static void put_i64(struct column_builder *builder, int64_t value)
{
    if (value == NONE) {
        column_builder_null(builder);
    } else {
        column_builder_i64(builder, value);
    }
}

static int64_t key_of(const struct row *row, int32_t id)
{
    return id == ID ? row->id : id == S ? row->s : id == X ? row->x : row->old;
}

static void put_key(struct column_builder *builder, int32_t id, int64_t value)
{
    char text[64];
    if (id == X && value != NONE && value % 7 == 0) {
        column_builder_null(builder); // the struct itself
    } else if (id == X) {
        put_i64(column_builder_child(builder, 0), value);
        column_builder_row(builder);
    } else if (id == S && value != NONE) {
        snprintf(text, sizeof text, "value-%lld, not short", (long long)value);
        column_builder_string(builder, str_from(text));
    } else {
        put_i64(builder, value);
    }
}

// A struct that is null has a null in it.
static int64_t seen(int32_t id, int64_t value)
{
    return id == X && value != NONE && value % 7 == 0 ? NONE : value;
}

static uint64_t write_file(struct world *world, const char *path,
                           const struct parquet_field *fields, uint32_t field_count,
                           struct column_builder *const *builders)
{
    struct err err;
    struct parquet_writer *writer;
    struct store_writer *out;
    struct column columns[8];
    struct parquet_writer_options options = {
        .fields = fields, .field_count = field_count, .page_rows = 500};
    assert_int_equal(parquet_writer_new(world->encoder, &options, &writer, &err), STATUS_OK);
    for (uint32_t i = 0; i < field_count; i++) {
        columns[i] = column_builder_finish(builders[i]);
    }
    struct batch all = {
        .row_count = columns[0].row_count, .column_count = field_count, .columns = columns};
    for (uint32_t from = 0; from < all.row_count; from += BATCH_ROWS_MAX) {
        uint32_t count = all.row_count - from;
        struct batch batch =
            batch_slice(&world->arena, &all, from, count < BATCH_ROWS_MAX ? count : BATCH_ROWS_MAX);
        assert_int_equal(parquet_writer_append(writer, &batch, &err), STATUS_OK);
    }
    assert_int_equal(store_create(world->store, str_from(path), &out, &err), STATUS_OK);
    assert_int_equal(parquet_writer_close(writer, NULL, 0, &out->sink, &err), STATUS_OK);
    assert_int_equal(store_finish(out, 0, &err), STATUS_OK);
    uint64_t size = parquet_writer_result(writer)->file_bytes;
    store_close(out);
    parquet_writer_free(writer);
    return size;
}

static const struct iceberg_field *field_of(const struct world *world, int32_t id)
{
    const struct table_schema *first = world->metadata->schemas[0];
    return table_schema_by_id(first, id == X ? 4 : id)->field;
}

// A file of key columns, in the types of the first schema, which are the narrow ones.
static void write_rows(struct world *world, const char *path, const int32_t *ids, uint32_t count,
                       const struct row *rows, uint32_t row_count)
{
    struct err err;
    struct parquet_field fields[4] = {0};
    struct column_builder *builders[4];
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(
            file_schema_field(&world->arena, field_of(world, ids[i]), &fields[i], &err), STATUS_OK);
        builders[i] = column_builder_new(&world->arena, fields[i].type, row_count);
        for (uint32_t row = 0; row < row_count; row++) {
            put_key(builders[i], ids[i], key_of(&rows[row], ids[i]));
        }
    }
    write_file(world, path, fields, count, builders);
}

static int64_t draw_value(struct world *world)
{
    return draw(world, 12) == 0 ? NONE : (int64_t)draw(world, VALUES);
}

static void add_file(struct world *world)
{
    static const int32_t ids[] = {ID, S, X, OLD};
    struct file *file = &world->files[world->file_count];
    snprintf(file->path, sizeof file->path, "w/data/%u", world->file_count++);
    file->sequence = 1 + draw(world, 10);
    file->spec = (int32_t)draw(world, 2);
    file->p = draw(world, 2);
    file->count = 1 + draw(world, ROWS_MAX);
    file->rows = arena_new_array(&world->arena, struct row, file->count);
    file->deleted = arena_new_array(&world->arena, bool, file->count);
    bool has_old = draw(world, 3) > 0; // else it is of before that column, and has nulls for it
    for (uint32_t i = 0; i < file->count; i++) {
        file->rows[i] = (struct row){draw_value(world), draw_value(world), draw_value(world),
                                     has_old ? draw_value(world) : NONE};
    }
    write_rows(world, file->path, ids, has_old ? 4 : 3, file->rows, file->count);
}

static struct data_file describe(struct world *world, const char *path, int32_t spec, int64_t p)
{
    struct iceberg_value *partition = arena_new(&world->arena, struct iceberg_value);
    partition->as.i64 = p;
    return (struct data_file){.path = arena_str(&world->arena, str_from(path)),
                              .format = STR_LIT("PARQUET"),
                              .spec_id = spec,
                              .partition = partition,
                              .sort_order_id = DATA_FILE_NONE,
                              .first_row_id = DATA_FILE_NONE,
                              .content_offset = DATA_FILE_NONE,
                              .content_size = DATA_FILE_NONE};
}

static void add_delete(struct world *world, const struct data_file *file, int64_t sequence)
{
    struct err err;
    struct manifest_entry entry = {.status = MANIFEST_ADDED, .sequence_number = sequence};
    entry.file = *file;
    const struct partition_spec *spec = table_metadata_spec(world->metadata, file->spec_id);
    assert_int_equal(delete_index_add(&world->index, spec, &entry, &err), STATUS_OK);
    world->delete_count++;
}

// Equality deletes of one or two columns, of a partition or of all.
static void add_equality(struct world *world)
{
    static const int32_t sets[][2] = {{ID, 0}, {S, 0},  {X, 0},  {OLD, 0},
                                      {ID, S}, {S, ID}, {X, OLD}};
    struct row keys[40];
    char path[32];
    const int32_t *ids = sets[draw(world, 7)];
    uint32_t id_count = ids[1] != 0 ? 2 : 1;
    uint32_t count = 1 + draw(world, id_count == 1 ? 3 : 40);
    int64_t sequence = 1 + draw(world, 12);
    snprintf(path, sizeof path, "w/data/equality-%u", world->delete_count);
    struct data_file file = describe(world, path, (int32_t)draw(world, 2), draw(world, 2));
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (struct row){draw_value(world), draw_value(world), draw_value(world),
                               draw_value(world)};
        if (draw(world, 2) == 0) { // one that is there
            const struct file *from = &world->files[draw(world, world->file_count)];
            keys[i] = from->rows[draw(world, from->count)];
        }
    }
    write_rows(world, path, ids, id_count, keys, count);
    file.content = DATA_FILE_EQUALITY_DELETES;
    file.equality_ids = ids;
    file.equality_id_count = id_count;
    file.record_count = count;
    add_delete(world, &file, sequence);
    for (uint32_t i = 0; i < world->file_count; i++) {
        struct file *data = &world->files[i];
        bool is_global = file.spec_id == 0;
        if (data->sequence >= sequence ||
            (!is_global && (data->spec != 1 || data->p != file.partition->as.i64))) {
            continue;
        }
        for (uint32_t row = 0; row < data->count; row++) {
            for (uint32_t k = 0; k < count; k++) {
                bool equal = true;
                for (uint32_t c = 0; c < id_count; c++) {
                    equal = equal && seen(ids[c], key_of(&data->rows[row], ids[c])) ==
                                         seen(ids[c], key_of(&keys[k], ids[c]));
                }
                data->deleted[row] = data->deleted[row] || equal;
            }
        }
    }
}

// Position deletes: of one file or of several of a partition, in any order, some about nothing.
static void add_positions(struct world *world, bool is_one)
{
    static const struct parquet_field fields[] = {
        {.name = {"file_path", 9}, .id = ICEBERG_ID_DELETE_PATH, .type = &type_string},
        {.name = {"pos", 3}, .id = ICEBERG_ID_DELETE_POS, .type = &type_bigint},
    };
    struct column_builder *builders[2] = {column_builder_new(&world->arena, &type_string, 100),
                                          column_builder_new(&world->arena, &type_bigint, 100)};
    char path[32];
    struct file *first = &world->files[draw(world, world->file_count)];
    int64_t sequence = 1 + draw(world, 12);
    uint32_t count = 1 + draw(world, 3000);
    snprintf(path, sizeof path, "w/data/positions-%u", world->delete_count);
    for (uint32_t i = 0; i < count; i++) {
        struct file *file = is_one ? first : &world->files[draw(world, world->file_count)];
        if (file->spec != first->spec || (file->spec == 1 && file->p != first->p)) {
            file = first;
        }
        uint32_t position = draw(world, file->count);
        bool is_nowhere = !is_one && draw(world, 20) == 0;
        column_builder_string(builders[0],
                              is_nowhere ? STR_LIT("w/data/gone") : str_from(file->path));
        column_builder_i64(builders[1], position);
        if (!is_nowhere && file->sequence <= sequence) {
            file->deleted[position] = true;
        }
    }
    write_file(world, path, fields, 2, builders);
    struct data_file file = describe(world, path, first->spec, first->p);
    file.content = DATA_FILE_POSITION_DELETES;
    file.record_count = count;
    if (is_one) {
        file.referenced_data_file = arena_str(&world->arena, str_from(first->path));
    }
    add_delete(world, &file, sequence);
}

// A deletion vector for each file that has none of the deletes by position yet.
static void add_vectors(struct world *world)
{
    static const int32_t position_id = ICEBERG_ID_POS;
    struct puffin_writer writer;
    struct err err;
    struct str bytes;
    puffin_writer_init(&writer, &(struct puffin_writer_options){0});
    for (uint32_t i = 0; i < world->file_count; i++) {
        struct file *data = &world->files[i];
        struct roaring set = {0};
        struct bytebuf blob = {0};
        for (uint32_t row = 0; row < data->count; row++) {
            if (draw(world, 10) == 0) {
                roaring_add(&set, row);
                data->deleted[row] = true;
            }
        }
        roaring_optimize(&set);
        deletion_vector_write(&set, &blob);
        struct puffin_blob about = {.type = STR_LIT("deletion-vector-v1"),
                                    .field_count = 1,
                                    .fields = &position_id,
                                    .snapshot_id = -1,
                                    .sequence_number = -1};
        assert_int_equal(puffin_writer_add(&writer, &about, bytebuf_str(&blob), &err), STATUS_OK);
        struct data_file file = describe(world, "w/data/vectors", data->spec, data->p);
        file.content = DATA_FILE_POSITION_DELETES;
        file.format = STR_LIT("PUFFIN");
        file.record_count = (int64_t)roaring_cardinality(&set);
        file.referenced_data_file = arena_str(&world->arena, str_from(data->path));
        file.content_offset = (int64_t)about.offset;
        file.content_size = (int64_t)about.length;
        add_delete(world, &file, 11);
        bytebuf_release(&blob);
        roaring_release(&set);
    }
    assert_int_equal(puffin_writer_finish(&writer, &bytes, &err), STATUS_OK);
    assert_int_equal(store_put(world->store, STR_LIT("w/data/vectors"), bytes, 0, &err), STATUS_OK);
    puffin_writer_release(&writer);
}

static void world_begin(struct world *world, uint64_t seed)
{
    struct err err;
    *world = (struct world){.seed = seed};
    world->store = store_memory_new(NULL);
    world->encoder = parquet_encoder_new();
    if (table_metadata_parse(&world->arena, STR_LIT(metadata_text), &world->metadata, &err) !=
        STATUS_OK) {
        fail_msg("%s", err.text);
    }
    delete_index_init(&world->index, &world->arena);
}

static void world_end(struct world *world)
{
    delete_index_release(&world->index);
    parquet_encoder_free(world->encoder);
    store_free(world->store);
    arena_release(&world->arena);
}

static void plan(struct world *world)
{
    struct err err;
    world->tasks = arena_new_array(&world->arena, struct scan_task *, FILES_MAX);
    assert_int_equal(delete_index_finish(&world->index, &err), STATUS_OK);
    for (uint32_t i = 0; i < world->file_count; i++) {
        const struct file *file = &world->files[i];
        struct scan_task *task = arena_new(&world->arena, struct scan_task);
        world->tasks[i] = task;
        *task = (struct scan_task){.file = describe(world, file->path, file->spec, file->p),
                                   .sequence_number = file->sequence};
        task->file.record_count = file->count;
        task->file.first_row_id = 1000;
        if (delete_index_assign(&world->index, table_metadata_spec(world->metadata, file->spec),
                                task, &err) != STATUS_OK) {
            fail_msg("%s", err.text);
        }
    }
}

static struct delete_filter *make_filter(struct world *world, struct budget *budget)
{
    struct delete_filter_options options = {
        .store = world->store,
        .metadata = world->metadata,
        .schema = table_metadata_current_schema(world->metadata),
        .tasks = (const struct scan_task *const *)world->tasks,
        .task_count = world->file_count,
        .budget = budget,
    };
    return delete_filter_new(&options);
}

// What a scan asks for: rows with an id below `below`, those without `s`, or all of them.
struct condition {
    struct predicate_term term;
    struct predicate predicate;
    struct column constant;
    int64_t below; // NONE: `s` is null
};

static void make_condition(struct condition *out, int64_t below)
{
    *out = (struct condition){.below = below};
    out->constant =
        (struct column){.physical = PHYSICAL_I64, .row_count = 1, .values = &out->below};
    out->term =
        below == NONE
            ? (struct predicate_term){.column_id = S, .op = PREDICATE_IS_NULL, .type = &type_string}
            : (struct predicate_term){.column_id = ID,
                                      .op = PREDICATE_LT,
                                      .type = &type_bigint,
                                      .constants = &out->constant};
    out->predicate = (struct predicate){1, &out->term};
}

struct expected {
    const struct condition *condition; // NULL: none
    bool keeps_deleted;
};

static bool is_expected(const struct file *file, uint32_t row, const struct expected *expected)
{
    const struct condition *condition = expected->condition;
    const struct row *values = &file->rows[row];
    bool matches = condition == NULL          ? true
                   : condition->below == NONE ? values->s == NONE
                                              : values->id != NONE && values->id < condition->below;
    return matches && (expected->keeps_deleted || !file->deleted[row]);
}

// The rows of a batch, of which `next` is the first that may be there.
static uint32_t expect_rows(const struct table_reader *reader, const struct batch *batch,
                            const struct file *file, uint32_t next, const struct expected *expected)
{
    const uint64_t *places = table_reader_places(reader);
    for (uint32_t row = 0; row < batch->row_count; row++, next++) {
        while (next < file->count && !is_expected(file, next, expected)) {
            next++;
        }
        assert_true(next < file->count);
        assert_int_equal(*(const int64_t *)column_value(&batch->columns[1], row), next);
        assert_int_equal(*(const int64_t *)column_value(&batch->columns[2], row), 1000 + next);
        uint64_t place = places != NULL ? places[row] : table_reader_position(reader) + row;
        assert_int_equal(place, next);
        assert_int_equal(column_is_null(&batch->columns[0], row), file->rows[next].s == NONE);
        if (expected->keeps_deleted) {
            bool is_marked = *(const uint8_t *)column_value(&batch->columns[3], row) != 0;
            assert_int_equal(is_marked, file->deleted[next]);
        }
    }
    return next;
}

// Reads `s` alone, so that most keys are not among the columns, and where each row stands.
static void expect_file(struct world *world, uint32_t at, struct delete_filter *filter,
                        const struct expected *expected)
{
    static const uint32_t columns[] = {2};
    static const int32_t metadata[] = {ICEBERG_ID_POS, ICEBERG_ID_ROW, ICEBERG_ID_DELETED};
    const struct file *file = &world->files[at];
    struct table_reader_options options = {
        .store = world->store,
        .metadata = world->metadata,
        .schema = table_metadata_current_schema(world->metadata),
        .columns = columns,
        .column_count = 1,
        .metadata_ids = metadata,
        .metadata_count = expected->keeps_deleted ? 3 : 2,
        .deletes = filter,
        .predicate = expected->condition != NULL ? &expected->condition->predicate : NULL,
    };
    struct table_reader *reader;
    struct batch batch;
    struct err err;
    uint32_t next = 0;
    enum status status = table_reader_open(&options, world->tasks[at], &reader, &err);
    if (status != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    while ((status = table_reader_next(reader, &batch, &err)) == STATUS_OK) {
        assert_int_equal(batch_check(&batch, &err), STATUS_OK);
        assert_int_equal(batch.column_count, 1 + options.metadata_count);
        next = expect_rows(reader, &batch, file, next, expected);
        assert_true(table_reader_end(reader) >= next);
    }
    while (next < file->count && !is_expected(file, next, expected)) {
        next++;
    }
    assert_int_equal(status, STATUS_END);
    assert_int_equal(next, file->count);
    assert_true(expected->condition != NULL || table_reader_end(reader) == file->count);
    table_reader_free(reader);
}

static void make_world(struct world *world, uint64_t seed)
{
    world_begin(world, seed);
    uint32_t files = 1 + draw(world, FILES_MAX);
    for (uint32_t i = 0; i < files; i++) {
        add_file(world);
    }
    bool has_vectors = seed % 3 == 0; // then nothing else by position applies
    if (has_vectors) {
        add_vectors(world);
    }
    uint32_t deletes = draw(world, 12);
    for (uint32_t i = 0; i < deletes; i++) {
        uint32_t kind = has_vectors ? 0 : draw(world, 3);
        if (kind == 0) {
            add_equality(world);
        } else {
            add_positions(world, kind == 1);
        }
    }
    plan(world);
}

static void rows_are_those_of_the_model(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct world world;
        make_world(&world, seed);
        struct delete_filter *filter = make_filter(&world, NULL);
        struct condition condition;
        static const int64_t bounds[] = {1, 20, 150, NONE};
        make_condition(&condition, bounds[seed % 4]);
        const struct expected expected = {.condition = seed % 3 != 1 ? &condition : NULL,
                                          .keeps_deleted = seed % 5 == 4};
        for (uint32_t i = 0; i < world.file_count; i++) {
            expect_file(&world, i, filter, &expected);
        }
        // At most once each, but for those of one file, which are read with it.
        assert_true(delete_filter_counters(filter).files_read <= world.delete_count);
        delete_filter_free(filter);
        expect_file(&world, 0, NULL, &(struct expected){NULL, false}); // a filter of its own
        world_end(&world);
    }
}

// Whatever the budget, the answer is right or there is none; nothing stays charged.
static void memory_stays_within_the_budget(void **state)
{
    (void)state;
    uint32_t refused = 0;
    uint32_t again = 0;
    for (uint64_t seed = 100; seed < 130; seed++) {
        struct world world;
        make_world(&world, seed);
        for (size_t limit = 1 << 14; limit < 1 << 24; limit *= 4) {
            struct budget budget;
            budget_init(&budget, NULL, limit);
            struct delete_filter *filter = make_filter(&world, &budget);
            for (uint32_t i = 0; i < world.file_count; i++) {
                struct delete_view *view;
                struct err err;
                enum status status = delete_filter_open(filter, world.tasks[i], &view, &err);
                assert_true(status == STATUS_OK || status == STATUS_LIMIT);
                if (status == STATUS_OK) {
                    delete_view_close(view);
                } else {
                    refused++;
                }
            }
            again += delete_filter_counters(filter).files_read > world.delete_count;
            delete_filter_free(filter);
            assert_int_equal(budget.used, 0);
        }
        world_end(&world);
    }
    assert_true(refused > 0 && again > 0);
}

// What the manifests or the files say wrong.
static void expect_refused(struct world *world, enum status expected, const char *why)
{
    struct err err;
    struct delete_view *view;
    struct delete_filter *filter = make_filter(world, NULL);
    assert_int_equal(delete_filter_open(filter, world->tasks[0], &view, &err), expected);
    if (strstr(err.text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", err.text, why);
    }
    delete_filter_free(filter);
}

static void vectors_are_checked(void **state)
{
    (void)state;
    struct world world;
    world_begin(&world, 3);
    add_file(&world);
    add_vectors(&world);
    plan(&world);
    struct scan_delete *vector = (struct scan_delete *)(uintptr_t)world.tasks[0]->vector;
    vector->file.record_count++;
    expect_refused(&world, STATUS_INVALID_DATA, "positions, of which the manifest knows");
    vector->file.record_count--;
    vector->file.content_offset++;
    expect_refused(&world, STATUS_INVALID_DATA, "deletion vector");
    vector->file.content_offset = 1 << 30;
    expect_refused(&world, STATUS_INVALID_DATA, "a blob of");
    vector->file.content_offset = 0;
    vector->file.path = str_from(world.files[0].path);
    expect_refused(&world, STATUS_INVALID_DATA, "not a Puffin file");
    vector->file.path = STR_LIT("w/data/nowhere");
    expect_refused(&world, STATUS_NOT_FOUND, "nowhere");
    world_end(&world);
}

static void the_index_refuses_what_cannot_be(void **state)
{
    (void)state;
    struct world world;
    struct err err;
    world_begin(&world, 3);
    add_file(&world);
    add_vectors(&world);
    add_vectors(&world); // two for one file
    assert_int_equal(delete_index_finish(&world.index, &err), STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "two deletion vectors"));
    struct manifest_entry entry = {.file = describe(&world, "w/e", 0, 0)};
    const struct partition_spec *spec = table_metadata_spec(world.metadata, 0);
    entry.file.content = DATA_FILE_EQUALITY_DELETES;
    assert_int_equal(delete_index_add(&world.index, spec, &entry, &err), STATUS_INVALID_DATA);
    entry.file.content = DATA_FILE_POSITION_DELETES;
    entry.file.format = STR_LIT("puffin");
    assert_int_equal(delete_index_add(&world.index, spec, &entry, &err), STATUS_INVALID_DATA);
    world_end(&world);
    // Deletes for one file that stand in another partition.
    world_begin(&world, 4);
    add_file(&world);
    world.files[0].spec = 1;
    add_positions(&world, true);
    world.files[0].p++;
    struct scan_task task = {.file = describe(&world, world.files[0].path, 1, world.files[0].p)};
    assert_int_equal(delete_index_finish(&world.index, &err), STATUS_OK);
    spec = table_metadata_spec(world.metadata, 1);
    assert_int_equal(delete_index_assign(&world.index, spec, &task, &err), STATUS_INVALID_DATA);
    assert_non_null(strstr(err.text, "another partition"));
    world_end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_model),
        cmocka_unit_test(memory_stays_within_the_budget),
        cmocka_unit_test(vectors_are_checked),
        cmocka_unit_test(the_index_refuses_what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
