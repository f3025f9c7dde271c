// SPDX-License-Identifier: Apache-2.0
#include "iceberg/write_properties.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "data/float_text.h"
#include "iceberg/spec/bounds.h"

enum kind {
    NUMBER,   // from `min` to `max`
    BOOLEAN,  // true, false
    WORD,     // one of `words`, "a|b|c"
    MODE,     // of metrics
    RATE,     // between 0 and 1, both left out
    PLACE,    // a path
    MAPPING,  // JSON of a name mapping
    SPARE,    // any value, of no effect: `why`
    REFUSED,  // any value: `why`
    NOT_TRUE, // a boolean that is refused where it is true: `why`
    SHREDDED, // the same where a column is a variant
};

struct property {
    const char *key; // one that ends in '.' is the beginning of many
    enum kind kind;
    int64_t min;
    int64_t max;
    const char *words;
    const char *why;
};

#define NUMBER_OF(key, from, to)                                                                   \
    {                                                                                              \
        key, NUMBER, from, to, NULL, NULL                                                          \
    }
#define PLAIN(key, kind)                                                                           \
    {                                                                                              \
        key, kind, 0, 0, NULL, NULL                                                                \
    }
#define WORD_OF(key, words)                                                                        \
    {                                                                                              \
        key, WORD, 0, 0, words, NULL                                                               \
    }
#define TOLD(key, kind, why)                                                                       \
    {                                                                                              \
        key, kind, 0, 0, NULL, why                                                                 \
    }

static const char no_orc[] = "ORC files are not written";
static const char no_deletes[] = "no delete files are written";
static const char no_changes[] = "there are no UPDATE and MERGE";
static const char by_hand[] = "it is not set by hand";
static const char data_path[] = "it is deprecated: use 'write.data.path'";
static const char no_splits[] = "splits follow from files and row groups here";
static const char no_batches[] = "batches have one size here";

// Of prefixes that contain one another, the longer comes first.
static const struct property table[] = {
    // Data files.
    WORD_OF("write.format.default", "parquet|avro"),
    NUMBER_OF("write.target-file-size-bytes", 1, INT64_MAX),
    NUMBER_OF("write.parquet.row-group-size-bytes", 1, INT32_MAX),
    PLAIN("write.parquet.row-group-size-track-uncompressed", BOOLEAN),
    TOLD("write.parquet.row-group-check-min-record-count", SPARE, "sizes are known at any time"),
    TOLD("write.parquet.row-group-check-max-record-count", SPARE, "sizes are known at any time"),
    NUMBER_OF("write.parquet.page-size-bytes", 1, INT32_MAX),
    NUMBER_OF("write.parquet.page-row-limit", 1, INT32_MAX),
    WORD_OF("write.parquet.page-version", "v1|v2"),
    NUMBER_OF("write.parquet.dict-size-bytes", 1, INT32_MAX),
    WORD_OF("write.parquet.compression-codec",
            "zstd|snappy|gzip|brotli|lz4|lz4_raw|uncompressed|none"),
    NUMBER_OF("write.parquet.compression-level", -100, 22),
    TOLD("write.parquet.shred-variants", SHREDDED, "variants are written whole"),
    TOLD("write.parquet.variant-inference-buffer-size", SPARE, "variants are written whole"),
    PLAIN("write.parquet.bloom-filter-enabled.column.", BOOLEAN),
    NUMBER_OF("write.parquet.bloom-filter-max-bytes", 32, INT32_MAX),
    PLAIN("write.parquet.bloom-filter-fpp.column.", RATE),
    NUMBER_OF("write.parquet.bloom-filter-ndv.column.", 1, INT64_MAX),
    TOLD("write.parquet.bloom-filter-adaptive-enabled", SPARE,
         "bloom filters always have the size of the values that are there"),
    PLAIN("write.parquet.stats-enabled.column.", BOOLEAN),
    PLAIN("write.parquet.dict-encoding-enabled.column.", BOOLEAN),
    WORD_OF("write.avro.compression-codec", "gzip|zstd|snappy|uncompressed"),
    NUMBER_OF("write.avro.compression-level", 0, 22),
    TOLD("write.orc.", SPARE, no_orc),
    // Where they go.
    PLAIN("write.data.path", PLACE),
    PLAIN("write.metadata.path", PLACE),
    PLAIN("write.object-storage.enabled", BOOLEAN),
    PLAIN("write.object-storage.partitioned-paths", BOOLEAN),
    TOLD("write.object-storage.path", REFUSED, data_path),
    TOLD("write.folder-storage.path", REFUSED, data_path),
    TOLD("write.location-provider.impl", REFUSED, "no class of Java names files here"),
    // Metadata.
    PLAIN("write.metadata.metrics.default", MODE),
    PLAIN("write.metadata.metrics.column.", MODE),
    NUMBER_OF("write.metadata.metrics.max-inferred-column-defaults", 0, INT32_MAX),
    WORD_OF("write.metadata.compression-codec", "none|gzip"),
    NUMBER_OF("write.metadata.previous-versions-max", 1, INT32_MAX),
    PLAIN("write.metadata.delete-after-commit.enabled", BOOLEAN),
    WORD_OF("write.manifest.compression-codec", "gzip|zstd|snappy|uncompressed"),
    NUMBER_OF("write.manifest.compression-level", 0, 22),
    NUMBER_OF("write.summary.partition-limit", 0, INT32_MAX),
    PLAIN("schema.name-mapping.default", MAPPING),
    // Commits.
    NUMBER_OF("commit.retry.num-retries", 0, INT32_MAX),
    NUMBER_OF("commit.retry.min-wait-ms", 0, INT32_MAX),
    NUMBER_OF("commit.retry.max-wait-ms", 0, INT32_MAX),
    NUMBER_OF("commit.retry.total-timeout-ms", 0, INT64_MAX),
    NUMBER_OF("commit.status-check.num-retries", 0, INT32_MAX),
    NUMBER_OF("commit.status-check.min-wait-ms", 0, INT64_MAX),
    NUMBER_OF("commit.status-check.max-wait-ms", 0, INT64_MAX),
    NUMBER_OF("commit.status-check.total-timeout-ms", 0, INT64_MAX),
    NUMBER_OF("commit.manifest.target-size-bytes", 1, INT64_MAX),
    NUMBER_OF("commit.manifest.min-count-to-merge", 0, INT32_MAX),
    PLAIN("commit.manifest-merge.enabled", BOOLEAN),
    NUMBER_OF("history.expire.max-snapshot-age-ms", 0, INT64_MAX),
    NUMBER_OF("history.expire.min-snapshots-to-keep", 1, INT32_MAX),
    NUMBER_OF("history.expire.max-ref-age-ms", 0, INT64_MAX),
    PLAIN("gc.enabled", BOOLEAN),
    PLAIN("frazil.expire-in-commit", BOOLEAN),
    // For others, or for what there is not here.
    TOLD("write.distribution-mode", SPARE, "each instance of a sink writes files of its own"),
    TOLD("write.wap.enabled", SPARE, "no session has an id to stage its snapshots under"),
    TOLD("write.upsert.enabled", NOT_TRUE, no_deletes),
    TOLD("write.delete.", SPARE, no_deletes),
    TOLD("write.update.", SPARE, no_changes),
    TOLD("write.merge.", SPARE, no_changes),
    TOLD("write.spark.", SPARE, "only Spark's writers ask for it"),
    TOLD("read.split.", SPARE, no_splits),
    TOLD("read.parquet.vectorization.", SPARE, no_batches),
    TOLD("read.orc.vectorization.", SPARE, "ORC files are not read"),
    TOLD("read.data-planning-mode", SPARE, "plans are made in this process"),
    TOLD("read.delete-planning-mode", SPARE, "plans are made in this process"),
    PLAIN("read.bare-deletion-vectors", BOOLEAN),
    TOLD("compatibility.snapshot-id-inheritance.enabled", SPARE, "snapshot ids are always written"),
    TOLD("encryption.key-id", REFUSED, "files are not encrypted"),
    TOLD("encryption.data-key-length", SPARE, "files are not encrypted"),
    TOLD("uuid", REFUSED, by_hand),
    TOLD("snapshot-count", REFUSED, by_hand),
    TOLD("current-snapshot-id", REFUSED, by_hand),
    TOLD("current-snapshot-summary", REFUSED, by_hand),
    TOLD("current-snapshot-timestamp-ms", REFUSED, by_hand),
    TOLD("current-schema", REFUSED, by_hand),
    TOLD("default-partition-spec", REFUSED, by_hand),
    TOLD("default-sort-order", REFUSED, by_hand),
};

enum { TABLE_COUNT = sizeof table / sizeof *table };

static bool is_prefix(const struct property *property)
{
    return property->key[strlen(property->key) - 1] == '.';
}

static const struct property *find(struct str key)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        if (is_prefix(&table[i]) ? str_starts(key, table[i].key) : str_is(key, table[i].key)) {
            return &table[i];
        }
    }
    return NULL;
}

// --- values ------------------------------------------------------------------------------------

static bool is_word(const char *words, struct str value)
{
    struct str rest = str_from(words);
    while (rest.size > 0) {
        size_t end = str_find(rest, '|');
        struct str word = str_slice(rest, 0, end);
        char text[32];
        memcpy(text, word.ptr, word.size);
        text[word.size] = '\0';
        if (str_is_nocase(value, text)) {
            return true;
        }
        rest = str_slice(rest, end + 1, rest.size);
    }
    return false;
}

static bool is_true(struct str value)
{
    return str_is_nocase(value, "true");
}

static bool is_mapping(struct str value)
{
    struct arena arena;
    const struct json_tree *json;
    struct err ignored;
    arena_init(&arena);
    bool is_array = json_tree_parse(&arena, value, &json, &ignored) == STATUS_OK &&
                    json->kind == JSON_TREE_ARRAY;
    arena_release(&arena);
    return is_array;
}

static bool has_value(const struct property *property, struct str value)
{
    struct bounds_rule rule;
    int64_t number;
    double rate;
    switch (property->kind) {
    case NUMBER:
        return str_to_i64(value, &number) && number >= property->min && number <= property->max;
    case BOOLEAN:
    case NOT_TRUE:
    case SHREDDED: return is_true(value) || str_is_nocase(value, "false");
    case WORD: return is_word(property->words, value);
    case MODE: return bounds_rule_parse(value, &rule);
    case RATE: return float_text_parse_f64(value, &rate) && rate > 0 && rate < 1;
    case MAPPING: return is_mapping(value);
    case PLACE:
    case SPARE:
    case REFUSED: break;
    }
    return true;
}

static void hint_values(const struct property *property, struct err *err)
{
    switch (property->kind) {
    case NUMBER:
        err_hint(err, "a number from %lld to %lld", (long long)property->min,
                 (long long)property->max);
        break;
    case BOOLEAN:
    case NOT_TRUE:
    case SHREDDED: err_hint(err, "true or false"); break;
    case WORD: err_hint(err, "one of %s", property->words); break;
    case MODE: err_hint(err, "none, counts, truncate(n) or full"); break;
    case RATE: err_hint(err, "a number between 0 and 1"); break;
    case MAPPING: err_hint(err, "a name mapping is a list in JSON"); break;
    case PLACE:
    case SPARE:
    case REFUSED: break;
    }
}

static bool has_variant(const struct table_schema *schema)
{
    for (uint32_t i = 0; schema != NULL && i < schema->entry_count; i++) {
        if (schema->entries[i].field->type->kind == ICEBERG_VARIANT) {
            return true;
        }
    }
    return false;
}

static bool is_refused(const struct property *property, struct str value,
                       const struct table_schema *schema)
{
    return property->kind == REFUSED || (property->kind == NOT_TRUE && is_true(value)) ||
           (property->kind == SHREDDED && is_true(value) && has_variant(schema));
}

// The column behind the prefix of a property.
static enum status check_column(const struct property *property, struct str key,
                                const struct table_schema *schema, struct err *err)
{
    struct str name = str_slice(key, strlen(property->key), key.size);
    struct strbuf path;
    bool is_there = false;
    strbuf_init(&path, 1 << 16);
    for (uint32_t i = 0; !is_there && i < schema->entry_count; i++) {
        strbuf_reset(&path);
        table_schema_path(&path, schema, &schema->entries[i]);
        is_there = str_equal(strbuf_str(&path), name);
    }
    strbuf_release(&path);
    return is_there ? STATUS_OK
                    : ERR(err, STATUS_INVALID_DATA, "'%.*s': there is no column '%.*s'",
                          STR_ARGS(key), STR_ARGS(name));
}

static enum status check_one(const struct property *property, const struct table_property *given,
                             const struct table_schema *schema, struct err *err)
{
    if (is_refused(property, given->value, schema)) {
        return ERR(err, STATUS_UNSUPPORTED, "'%.*s' = '%.*s' is not supported: %s",
                   STR_ARGS(given->key), STR_ARGS(given->value), property->why);
    }
    if (has_value(property, given->value)) {
        return STATUS_OK;
    }
    if (str_is(given->key, "write.format.default") && str_is_nocase(given->value, "orc")) {
        return ERR(err, STATUS_UNSUPPORTED, "'write.format.default' = '%.*s' is not supported: %s",
                   STR_ARGS(given->value), no_orc);
    }
    ERR(err, STATUS_INVALID_DATA, "'%.*s' cannot be '%.*s'", STR_ARGS(given->key),
        STR_ARGS(given->value));
    hint_values(property, err);
    return STATUS_INVALID_DATA;
}

static bool is_of_iceberg(struct str key)
{
    static const char *const spaces[] = {"write.",         "commit.",     "history.", "read.",
                                         "compatibility.", "encryption.", "schema.",  "gc."};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (str_starts(key, spaces[i])) {
            return true;
        }
    }
    return false;
}

static enum status unknown(struct str key, struct err *err)
{
    const char *nearest = NULL;
    uint32_t best = 6; // further ones are no mistakes of typing
    for (int i = 0; i < TABLE_COUNT; i++) {
        uint32_t distance = str_distance(key, str_from(table[i].key));
        if (distance < best) {
            best = distance;
            nearest = table[i].key;
        }
    }
    ERR(err, STATUS_UNSUPPORTED, "there is no table property '%.*s'", STR_ARGS(key));
    if (nearest != NULL) {
        err_hint(err, "did you mean '%s'?", nearest);
    }
    return STATUS_UNSUPPORTED;
}

enum status write_properties_check(const struct table_property *properties, uint32_t count,
                                   const struct table_schema *schema, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct property *property = find(properties[i].key);
        if (properties[i].value.size == 0) {
            continue;
        }
        if (property == NULL) {
            if (is_of_iceberg(properties[i].key)) {
                return unknown(properties[i].key, err);
            }
            continue;
        }
        if (is_prefix(property) && property->kind != SPARE) {
            TRY(check_column(property, properties[i].key, schema, err));
        }
        TRY(check_one(property, &properties[i], schema, err));
    }
    return STATUS_OK;
}

enum status write_properties_check_table(const struct table_metadata *metadata, struct err *err)
{
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    for (uint32_t i = 0; i < metadata->property_count; i++) {
        const struct property *property = find(metadata->properties[i].key);
        if (property != NULL) {
            TRY(check_one(property, &metadata->properties[i], schema, err));
        }
    }
    return STATUS_OK;
}

struct str write_properties_note(struct arena *arena, const struct table_property *properties,
                                 uint32_t count)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 16);
    for (uint32_t i = 0; i < count; i++) {
        const struct property *property = find(properties[i].key);
        if (property != NULL && property->kind == SPARE && properties[i].value.size > 0) {
            strbuf_printf(&text, "%s'%.*s' changes nothing here: %s", text.size > 0 ? "; " : "",
                          STR_ARGS(properties[i].key), property->why);
        }
    }
    struct str note = text.size > 0 ? arena_str(arena, strbuf_str(&text)) : STR_LIT("");
    strbuf_release(&text);
    return note;
}
