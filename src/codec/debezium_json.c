// SPDX-License-Identifier: Apache-2.0
//
// The envelope is decoded as the columns before, after, op (and source, ts_ms, schema where their
// metadata is wanted); then rows are put together from the fields of the two. A batch of inserts
// only, as most are, passes the fields of `after` on without a copy.
#include "codec/debezium_json.h"

#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/mem.h"
#include "data/batch.h"

enum debezium_key {
    DEBEZIUM_SCHEMA,
    DEBEZIUM_INGESTION_TIMESTAMP,
    DEBEZIUM_SOURCE_TIMESTAMP,
    DEBEZIUM_SOURCE_DATABASE,
    DEBEZIUM_SOURCE_SCHEMA,
    DEBEZIUM_SOURCE_TABLE,
    DEBEZIUM_SOURCE_PROPERTIES,
    DEBEZIUM_KEYS,
};

static const struct type_field debezium_properties_fields[] = {{.type = &type_string},
                                                               {.type = &type_string}};
static const struct type debezium_properties = {
    .kind = TYPE_MAP, .nullable = true, .field_count = 2, .fields = debezium_properties_fields};

static const struct {
    const char *key;
    const struct type *type;
    const char *member; // of `source`
} debezium_keys[DEBEZIUM_KEYS] = {
    [DEBEZIUM_SCHEMA] = {"schema", &type_string, NULL},
    [DEBEZIUM_INGESTION_TIMESTAMP] = {"ingestion-timestamp", &type_timestamp_ltz3, NULL},
    [DEBEZIUM_SOURCE_TIMESTAMP] = {"source.timestamp", &type_timestamp_ltz3, "ts_ms"},
    [DEBEZIUM_SOURCE_DATABASE] = {"source.database", &type_string, "db"},
    [DEBEZIUM_SOURCE_SCHEMA] = {"source.schema", &type_string, "schema"},
    [DEBEZIUM_SOURCE_TABLE] = {"source.table", &type_string, "table"},
    [DEBEZIUM_SOURCE_PROPERTIES] = {"source.properties", &debezium_properties, NULL},
};

// Columns of the payload, in this order.
enum { ENVELOPE_BEFORE, ENVELOPE_AFTER, ENVELOPE_OP, ENVELOPE_SOURCE, ENVELOPE_TS_MS };

struct debezium_decoder {
    struct arena arena;
    struct arena scratch; // of the last call
    struct json_decoder *json;
    bool schema_include;
    bool ignore_parse_errors;
    uint32_t field_count;
    uint32_t metadata_count;
    enum debezium_key *metadata;
    struct debezium_rows rows;
    struct column *columns;
    int8_t kinds[BATCH_ROWS_MAX + 2];
    uint64_t places[BATCH_ROWS_MAX + 2];
    uint16_t sources[BATCH_ROWS_MAX + 2]; // the row in before|after, one behind the other
    uint16_t records[BATCH_ROWS_MAX + 2]; // the envelope
    uint64_t bad_place;
    uint64_t skipped;
};

const char *debezium_json_metadata(uint32_t index, const struct type **type)
{
    if (index >= DEBEZIUM_KEYS) {
        return NULL;
    }
    *type = debezium_keys[index].type;
    return debezium_keys[index].key;
}

static enum status debezium_find_keys(struct debezium_decoder *decoder,
                                      const struct debezium_spec *spec, struct err *err)
{
    decoder->metadata_count = spec->metadata_count;
    decoder->metadata = arena_new_array(&decoder->arena, enum debezium_key, spec->metadata_count);
    for (uint32_t i = 0; i < spec->metadata_count; i++) {
        uint32_t key = 0;
        while (key < DEBEZIUM_KEYS && !str_is(spec->metadata[i], debezium_keys[key].key)) {
            key++;
        }
        if (key == DEBEZIUM_KEYS) {
            return ERR(err, STATUS_UNSUPPORTED, "debezium-json has no metadata '%.*s'",
                       STR_ARGS(spec->metadata[i]));
        }
        decoder->metadata[i] = (enum debezium_key)key;
    }
    return STATUS_OK;
}

static enum status debezium_make_json(struct debezium_decoder *decoder,
                                      const struct debezium_spec *spec, struct err *err)
{
    struct arena *arena = &decoder->arena;
    const struct type *row = type_row(arena, spec->json.fields, spec->json.field_count, true);
    const struct type_field payload[] = {
        {.name = STR_LIT("before"), .type = row},
        {.name = STR_LIT("after"), .type = row},
        {.name = STR_LIT("op"), .type = &type_string},
        {.name = STR_LIT("source"), .type = &debezium_properties},
        {.name = STR_LIT("ts_ms"), .type = &type_bigint},
    };
    // Metadata that nobody wants is passed over: `source` has a dozen members.
    uint32_t count = decoder->metadata_count > 0 ? 5 : 3;
    const struct type_field outer[] = {
        {.name = STR_LIT("payload"), .type = type_row(arena, payload, count, true)},
        {.name = STR_LIT("schema"), .type = &type_string},
    };
    struct json_decode_spec json = spec->json;
    json.fail_on_missing_field = false;
    json.fields = spec->schema_include ? outer : payload;
    json.field_count = spec->schema_include ? (decoder->metadata_count > 0 ? 2 : 1) : count;
    return json_decode_new(&json, &decoder->json, err);
}

enum status debezium_json_new(const struct debezium_spec *spec, struct debezium_decoder **out,
                              struct err *err)
{
    struct debezium_decoder *decoder = mem_zalloc(sizeof *decoder);
    arena_init(&decoder->arena);
    arena_init(&decoder->scratch);
    decoder->schema_include = spec->schema_include;
    decoder->ignore_parse_errors = spec->json.ignore_parse_errors;
    decoder->field_count = spec->json.field_count;
    decoder->columns = arena_new_array(&decoder->arena, struct column,
                                       spec->json.field_count + spec->metadata_count);
    enum status status = debezium_find_keys(decoder, spec, err);
    if (status == STATUS_OK) {
        status = debezium_make_json(decoder, spec, err);
    }
    if (status != STATUS_OK) {
        debezium_json_free(decoder);
        return status;
    }
    *out = decoder;
    return STATUS_OK;
}

void debezium_json_free(struct debezium_decoder *decoder)
{
    if (decoder != NULL) {
        json_decode_free(decoder->json);
        arena_release(&decoder->scratch);
        arena_release(&decoder->arena);
        mem_free(decoder);
    }
}

// What the columns of the envelope are, wherever it is wrapped.
static const struct column *debezium_envelope(const struct debezium_decoder *decoder)
{
    const struct column *columns = json_decode_columns(decoder->json);
    return decoder->schema_include ? columns[0].children : columns;
}

static enum status debezium_missing(const char *side, const char *operation, struct err *err)
{
    ERR(err, STATUS_INVALID_DATA, "Debezium message without '%s', which operation '%s' needs", side,
        operation);
    if (strcmp(side, "before") == 0) {
        err_hint(err, "the database must log whole rows: in PostgreSQL ALTER TABLE ... REPLICA "
                      "IDENTITY FULL, in MySQL binlog_row_image = FULL");
    }
    return STATUS_INVALID_DATA;
}

static void debezium_put(struct debezium_decoder *decoder, uint32_t record, bool is_after,
                         enum change kind)
{
    struct debezium_rows *rows = &decoder->rows;
    uint32_t at = rows->row_count++;
    decoder->kinds[at] = (int8_t)kind;
    decoder->places[at] = json_decode_places(decoder->json)[record];
    decoder->records[at] = (uint16_t)record;
    decoder->sources[at] = (uint16_t)(record + (is_after ? json_decode_rows(decoder->json) : 0));
}

// The rows of one envelope, as places to take them from.
static enum status debezium_record(struct debezium_decoder *decoder, const struct column *envelope,
                                   uint32_t record, struct err *err)
{
    const struct column *op = &envelope[ENVELOPE_OP];
    bool has_before = !column_is_null(&envelope[ENVELOPE_BEFORE], record);
    bool has_after = !column_is_null(&envelope[ENVELOPE_AFTER], record);
    struct str name =
        column_is_null(op, record) ? (struct str){0} : strview_str(column_value(op, record));
    char code = name.size == 1 ? name.ptr[0] : 0;
    switch (code) {
    case 'c':
    case 'r':
        if (!has_after) {
            return debezium_missing("after", code == 'c' ? "c" : "r", err);
        }
        debezium_put(decoder, record, true, CHANGE_INSERT);
        return STATUS_OK;
    case 'u':
        if (!has_before || !has_after) {
            return debezium_missing(has_after ? "before" : "after", "u", err);
        }
        debezium_put(decoder, record, false, CHANGE_UPDATE_BEFORE);
        debezium_put(decoder, record, true, CHANGE_UPDATE_AFTER);
        return STATUS_OK;
    case 'd':
        if (!has_before) {
            return debezium_missing("before", "d", err);
        }
        debezium_put(decoder, record, false, CHANGE_DELETE);
        return STATUS_OK;
    default: break;
    }
    if (name.size == 0) {
        ERR(err, STATUS_INVALID_DATA, "Debezium message without 'op'");
        err_hint(err, decoder->schema_include
                          ? "'debezium-json.schema-include' = 'true' expects it in 'payload'"
                          : "messages with 'schema' and 'payload' need "
                            "'debezium-json.schema-include' = 'true'");
        return STATUS_INVALID_DATA;
    }
    return ERR(err, STATUS_INVALID_DATA, "Debezium operation '%.*s' is not known (c, r, u, d are)",
               STR_ARGS(name));
}

// Columns.

static bool debezium_all_inserts(const struct debezium_decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->rows.row_count; i++) {
        if (decoder->kinds[i] != CHANGE_INSERT) {
            return false;
        }
    }
    return decoder->rows.row_count == json_decode_rows(decoder->json);
}

// The member `key` of `source` of each record; NULL where it is not there.
static const struct strview *debezium_member(const struct column *source, uint32_t record,
                                             const char *key)
{
    if (column_is_null(source, record)) {
        return NULL;
    }
    const struct list_view *view = column_value(source, record);
    for (uint32_t i = view->offset; i < view->offset + view->length; i++) {
        const struct strview *name = column_value(&source->children[0], i);
        if (str_is(strview_str(name), key)) {
            return column_is_null(&source->children[1], i) ? NULL
                                                           : column_value(&source->children[1], i);
        }
    }
    return NULL;
}

// TIMESTAMP_LTZ(3) of milliseconds, or a STRING, one a row.
static struct column debezium_metadata_column(struct debezium_decoder *decoder,
                                              enum debezium_key key)
{
    const struct column *envelope = debezium_envelope(decoder);
    uint32_t count = decoder->rows.row_count;
    struct arena *scratch = &decoder->scratch;
    bool is_time = key == DEBEZIUM_INGESTION_TIMESTAMP || key == DEBEZIUM_SOURCE_TIMESTAMP;
    uint64_t *valid = arena_zalloc(scratch, bits_words(count) * sizeof *valid);
    struct strview *texts = arena_zalloc(scratch, count * sizeof *texts);
    int64_t *times = arena_zalloc(scratch, count * sizeof *times);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t record = decoder->records[i];
        const struct column *milliseconds = &envelope[ENVELOPE_TS_MS];
        if (key == DEBEZIUM_INGESTION_TIMESTAMP) {
            if (!column_is_null(milliseconds, record)) {
                times[i] = *(const int64_t *)column_value(milliseconds, record) * 1000;
                bits_set(valid, i);
            }
            continue;
        }
        const struct strview *text =
            debezium_member(&envelope[ENVELOPE_SOURCE], record, debezium_keys[key].member);
        int64_t value;
        if (text == NULL || (is_time && !str_to_i64(strview_str(text), &value))) {
            continue;
        }
        bits_set(valid, i);
        if (is_time) {
            times[i] = value * 1000;
        } else {
            texts[i] = *text;
        }
    }
    return (struct column){
        .physical = is_time ? PHYSICAL_I64 : PHYSICAL_STRING,
        .row_count = count,
        .valid = valid,
        .values = is_time ? (const void *)times : texts,
    };
}

static void debezium_metadata_columns(struct debezium_decoder *decoder)
{
    const struct column *envelope = debezium_envelope(decoder);
    struct arena *scratch = &decoder->scratch;
    uint32_t count = decoder->rows.row_count;
    for (uint32_t i = 0; i < decoder->metadata_count; i++) {
        struct column *out = &decoder->columns[decoder->field_count + i];
        if (decoder->metadata[i] == DEBEZIUM_SOURCE_PROPERTIES) {
            *out = column_gather(scratch, &envelope[ENVELOPE_SOURCE], decoder->records, count);
        } else if (decoder->metadata[i] != DEBEZIUM_SCHEMA) {
            *out = debezium_metadata_column(decoder, decoder->metadata[i]);
        } else if (decoder->schema_include) {
            const struct column *columns = json_decode_columns(decoder->json);
            *out = column_gather(scratch, &columns[1], decoder->records, count);
        } else {
            struct column like = {.physical = PHYSICAL_STRING};
            *out = column_null(scratch, &like, count);
        }
    }
}

static void debezium_columns(struct debezium_decoder *decoder)
{
    const struct column *envelope = debezium_envelope(decoder);
    bool all_inserts = debezium_all_inserts(decoder);
    for (uint32_t i = 0; i < decoder->field_count; i++) {
        const struct column *after = &envelope[ENVELOPE_AFTER].children[i];
        if (all_inserts) {
            decoder->columns[i] = *after;
            continue;
        }
        struct column both[] = {envelope[ENVELOPE_BEFORE].children[i], *after};
        struct column joined = column_concat(&decoder->scratch, both, 2);
        decoder->columns[i] =
            column_gather(&decoder->scratch, &joined, decoder->sources, decoder->rows.row_count);
    }
    debezium_metadata_columns(decoder);
    decoder->rows.columns = decoder->columns;
    decoder->rows.kinds = all_inserts ? NULL : decoder->kinds;
    decoder->rows.places = decoder->places;
}

// Rows out of the envelopes just decoded. A bad one is told when it is the first; else *good says
// how many came before it.
static enum status debezium_take(struct debezium_decoder *decoder, uint32_t *good, struct err *err)
{
    const struct column *envelope = debezium_envelope(decoder);
    uint32_t count = json_decode_rows(decoder->json);
    decoder->rows.row_count = 0;
    uint32_t i = 0;
    for (; i < count; i++) {
        enum status status = debezium_record(decoder, envelope, i, err);
        if (status == STATUS_OK) {
            continue;
        }
        if (decoder->ignore_parse_errors) {
            decoder->skipped++;
            continue;
        }
        decoder->bad_place = json_decode_places(decoder->json)[i];
        if (i == 0) {
            return status;
        }
        break;
    }
    *good = i;
    debezium_columns(decoder);
    return STATUS_OK;
}

static uint32_t debezium_records_max(uint32_t rows_max)
{
    return rows_max < 4 ? 1 : rows_max / 2; // each may become two rows
}

enum status debezium_json_lines(struct debezium_decoder *decoder, struct str bytes,
                                uint32_t rows_max, size_t *used, struct err *err)
{
    arena_reset(&decoder->scratch);
    uint32_t records = debezium_records_max(rows_max);
    for (;;) {
        decoder->rows = (struct debezium_rows){0};
        enum status status = json_decode_lines(decoder->json, bytes, records, used, err);
        if (status != STATUS_OK) {
            decoder->bad_place = json_decode_bad_place(decoder->json);
            return status;
        }
        uint32_t good = 0;
        TRY(debezium_take(decoder, &good, err));
        if (good == json_decode_rows(decoder->json)) {
            decoder->rows.lines_used = json_decode_lines_used(decoder->json);
            return STATUS_OK;
        }
        records = good; // again, up to the bad one: what is used must be known to the byte
    }
}

enum status debezium_json_messages(struct debezium_decoder *decoder, const struct str *messages,
                                   uint32_t count, uint32_t rows_max, uint32_t *used,
                                   struct err *err)
{
    arena_reset(&decoder->scratch);
    decoder->rows = (struct debezium_rows){0};
    enum status status = json_decode_messages(decoder->json, messages, count,
                                              debezium_records_max(rows_max), used, err);
    if (status != STATUS_OK) {
        decoder->bad_place = json_decode_bad_place(decoder->json);
        return status;
    }
    uint32_t good = 0;
    TRY(debezium_take(decoder, &good, err));
    if (good < json_decode_rows(decoder->json)) {
        *used = (uint32_t)decoder->bad_place;
    }
    return STATUS_OK;
}

const struct debezium_rows *debezium_json_rows(const struct debezium_decoder *decoder)
{
    return &decoder->rows;
}

uint64_t debezium_json_bad_place(const struct debezium_decoder *decoder)
{
    return decoder->bad_place;
}

uint64_t debezium_json_skipped(const struct debezium_decoder *decoder)
{
    return decoder->skipped + json_decode_skipped(decoder->json);
}
