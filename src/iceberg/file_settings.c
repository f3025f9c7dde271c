// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_settings.h"

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/parquet_bloom.h"
#include "data/float_text.h"
#include "iceberg/data_file_pack.h"
#include "iceberg/spec/table_metadata.h"

enum {
    ROW_GROUP_BYTES = 128 << 20,
    PAGE_BYTES = 1 << 20,
    PAGE_BYTES_MAX = 64 << 20,
    PAGE_ROWS = 20000,
    PAGE_ROWS_MAX = 1 << 24,
    DICTIONARY_BYTES = 2 << 20,
    BLOOM_BYTES = 1 << 20,
    KEY_MAX = 1 << 16,
    PARQUET_NUMBERS = 8,
    AVRO_NUMBERS = 2,
};

#define BLOOM_FPP 0.01

static enum status bad_value(const char *key, struct str value, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "'%s' cannot be '%.*s'", key, STR_ARGS(value));
}

static uint64_t bounded(const struct table_metadata *metadata, const char *key, int64_t by_default,
                        int64_t max)
{
    int64_t value = table_metadata_property_i64(metadata, key, by_default);
    return (uint64_t)(value < 1 ? by_default : value > max ? max : value);
}

// The level of a codec in its own range; `absent` where the property is not there.
static enum status level_of(const struct table_metadata *metadata, const char *key, int64_t min,
                            int64_t max, int64_t absent, int32_t *out, struct err *err)
{
    const struct str *given = table_metadata_property(metadata, key);
    int64_t level = absent;
    if (given != NULL && (!str_to_i64(*given, &level) || level < min || level > max)) {
        bad_value(key, *given, err);
        err_hint(err, "the codec takes levels from %lld to %lld", (long long)min, (long long)max);
        return STATUS_INVALID_DATA;
    }
    *out = (int32_t)level;
    return STATUS_OK;
}

// --- Parquet -----------------------------------------------------------------------------------

static enum status parquet_codec(const struct table_metadata *metadata,
                                 struct parquet_writer_options *out, struct err *err)
{
    static const char key[] = "write.parquet.compression-codec";
    static const struct {
        const char *name;
        enum compress_codec codec;
        int32_t min;
        int32_t max;
    } codecs[] = {{"zstd", COMPRESS_ZSTD, -100, 22},
                  {"snappy", COMPRESS_SNAPPY, INT32_MIN, INT32_MAX},
                  {"gzip", COMPRESS_GZIP, 0, 12},
                  {"brotli", COMPRESS_BROTLI, 0, 11},
                  {"lz4", COMPRESS_LZ4_RAW, INT32_MIN, INT32_MAX},
                  {"lz4_raw", COMPRESS_LZ4_RAW, INT32_MIN, INT32_MAX},
                  {"uncompressed", COMPRESS_NONE, INT32_MIN, INT32_MAX},
                  {"none", COMPRESS_NONE, INT32_MIN, INT32_MAX}};
    const struct str *given = table_metadata_property(metadata, key);
    struct str name = given != NULL ? *given : STR_LIT("zstd");
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (str_is_nocase(name, codecs[i].name)) {
            out->codec = codecs[i].codec;
            return level_of(metadata, "write.parquet.compression-level", codecs[i].min,
                            codecs[i].max, COMPRESS_LEVEL_DEFAULT, &out->level, err);
        }
    }
    return bad_value(key, name, err);
}

// A property of a column, by the prefix and the column's path.
static const struct str *of_column(const struct table_metadata *metadata, struct strbuf *key,
                                   const char *prefix, const struct table_schema_entry *entry)
{
    strbuf_reset(key);
    strbuf_add_text(key, prefix);
    table_schema_path(key, table_metadata_current_schema(metadata), entry);
    return table_metadata_property(metadata, key->ptr);
}

static bool is_true(const struct str *value)
{
    return value != NULL && str_is_nocase(*value, "true");
}

static bool is_false(const struct str *value)
{
    return value != NULL && str_is_nocase(*value, "false");
}

// Of a filter that `ndv` values fill, where that many are announced.
static uint32_t bloom_bytes(const struct str *ndv, double fpp, uint32_t bytes_max)
{
    int64_t values;
    return ndv != NULL && str_to_i64(*ndv, &values) && values > 0
               ? (uint32_t)parquet_bloom_size((uint64_t)values, fpp, bytes_max)
               : bytes_max;
}

static void add_columns(struct arena *arena, const struct table_metadata *metadata,
                        struct parquet_writer_options *out)
{
    const struct table_schema *schema = table_metadata_current_schema(metadata);
    struct parquet_bloom_options *blooms =
        arena_new_array(arena, struct parquet_bloom_options, schema->entry_count + 1);
    struct parquet_column_options *columns =
        arena_new_array(arena, struct parquet_column_options, schema->entry_count + 1);
    uint32_t bytes_max = (uint32_t)bounded(metadata, "write.parquet.bloom-filter-max-bytes",
                                           BLOOM_BYTES, PAGE_BYTES_MAX);
    struct strbuf key;
    strbuf_init(&key, KEY_MAX);
    for (uint32_t i = 0; i < schema->entry_count; i++) {
        const struct table_schema_entry *entry = &schema->entries[i];
        struct parquet_column_options column = {
            .id = entry->id,
            .without_statistics =
                is_false(of_column(metadata, &key, "write.parquet.stats-enabled.column.", entry)),
            .without_dictionary = is_false(
                of_column(metadata, &key, "write.parquet.dict-encoding-enabled.column.", entry))};
        if (column.without_statistics || column.without_dictionary) {
            columns[out->column_count++] = column;
        }
        if (!is_true(
                of_column(metadata, &key, "write.parquet.bloom-filter-enabled.column.", entry))) {
            continue;
        }
        double fpp = BLOOM_FPP;
        const struct str *given =
            of_column(metadata, &key, "write.parquet.bloom-filter-fpp.column.", entry);
        if (given != NULL && !(float_text_parse_f64(*given, &fpp) && fpp > 0 && fpp < 1)) {
            fpp = BLOOM_FPP;
        }
        given = of_column(metadata, &key, "write.parquet.bloom-filter-ndv.column.", entry);
        blooms[out->bloom_count++] = (struct parquet_bloom_options){
            .id = entry->id, .fpp = fpp, .bytes_max = bloom_bytes(given, fpp, bytes_max)};
    }
    strbuf_release(&key);
    out->blooms = blooms;
    out->columns = columns;
}

static enum status parquet_options(struct arena *arena, const struct table_metadata *metadata,
                                   struct parquet_writer_options *out, struct err *err)
{
    const struct str *version = table_metadata_property(metadata, "write.parquet.page-version");
    TRY(parquet_codec(metadata, out, err));
    out->row_group_bytes =
        bounded(metadata, "write.parquet.row-group-size-bytes", ROW_GROUP_BYTES, INT32_MAX);
    out->row_group_is_plain = table_metadata_property_bool(
        metadata, "write.parquet.row-group-size-track-uncompressed", false);
    out->page_bytes =
        (uint32_t)bounded(metadata, "write.parquet.page-size-bytes", PAGE_BYTES, PAGE_BYTES_MAX);
    out->page_rows =
        (uint32_t)bounded(metadata, "write.parquet.page-row-limit", PAGE_ROWS, PAGE_ROWS_MAX);
    out->dictionary_bytes = (uint32_t)bounded(metadata, "write.parquet.dict-size-bytes",
                                              DICTIONARY_BYTES, PAGE_BYTES_MAX);
    out->page_version = version != NULL && str_is_nocase(*version, "v2") ? 2 : 1;
    add_columns(arena, metadata, out);
    return STATUS_OK;
}

// --- Avro --------------------------------------------------------------------------------------

// A codec by Java's names, and a level in its range; "gzip" of level 0 compresses nothing.
static enum status avro_codec(const struct table_metadata *metadata, const char *codec_key,
                              const char *level_key, enum avro_codec *codec, int32_t *level,
                              struct err *err)
{
    static const char *const names[] = {"gzip", "zstd", "snappy", "uncompressed"};
    const struct str *given = table_metadata_property(metadata, codec_key);
    struct str name = given != NULL ? *given : STR_LIT("gzip");
    bool is_known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is_known = is_known || str_is_nocase(name, names[i]);
    }
    if (!is_known || !avro_codec_find(name, codec)) {
        return bad_value(codec_key, name, err);
    }
    *level = 0;
    if (*codec != AVRO_CODEC_DEFLATE && *codec != AVRO_CODEC_ZSTANDARD) {
        return STATUS_OK;
    }
    bool is_deflate = *codec == AVRO_CODEC_DEFLATE;
    TRY(level_of(metadata, level_key, is_deflate ? 0 : -100, is_deflate ? 9 : 22, 0, level, err));
    if (is_deflate && *level == 0 && table_metadata_property(metadata, level_key) != NULL) {
        *codec = AVRO_CODEC_NULL;
    }
    return STATUS_OK;
}

enum status file_settings_manifests(const struct table_metadata *metadata, enum avro_codec *codec,
                                    int32_t *level, struct err *err)
{
    return avro_codec(metadata, "write.manifest.compression-codec",
                      "write.manifest.compression-level", codec, level, err);
}

enum status file_settings_of(struct arena *arena, const struct table_metadata *metadata,
                             struct file_settings *out, struct err *err)
{
    const struct str *format = table_metadata_property(metadata, "write.format.default");
    *out = (struct file_settings){.format = FILE_SETTINGS_PARQUET};
    if (format != NULL && str_is_nocase(*format, "avro")) {
        out->format = FILE_SETTINGS_AVRO;
        return avro_codec(metadata, "write.avro.compression-codec", "write.avro.compression-level",
                          &out->avro_codec, &out->avro_level, err);
    }
    if (format != NULL && !str_is_nocase(*format, "parquet")) {
        return ERR(err, STATUS_UNSUPPORTED, "'write.format.default' = '%.*s' is not supported",
                   STR_ARGS(*format));
    }
    return parquet_options(arena, metadata, &out->parquet, err);
}

// --- in states ---------------------------------------------------------------------------------

static uint32_t numbers_of(const struct file_settings *settings, uint64_t *out)
{
    const struct parquet_writer_options *parquet = &settings->parquet;
    if (settings->format == FILE_SETTINGS_AVRO) {
        out[0] = settings->avro_codec;
        out[1] = (uint64_t)(int64_t)settings->avro_level;
        return AVRO_NUMBERS;
    }
    out[0] = parquet->codec;
    out[1] = (uint64_t)(int64_t)parquet->level;
    out[2] = parquet->row_group_bytes;
    out[3] = parquet->page_bytes;
    out[4] = parquet->page_rows;
    out[5] = parquet->dictionary_bytes;
    out[6] = parquet->page_version;
    out[7] = parquet->row_group_is_plain;
    return PARQUET_NUMBERS;
}

void file_settings_pack(struct strbuf *out, const struct file_settings *settings)
{
    uint64_t numbers[PARQUET_NUMBERS];
    uint32_t count = numbers_of(settings, numbers);
    data_file_pack_u64(out, settings->format);
    for (uint32_t i = 0; i < count; i++) {
        data_file_pack_u64(out, numbers[i]);
    }
}

enum status file_settings_unpack(struct data_file_unpack *in, struct file_settings *out,
                                 struct err *err)
{
    uint64_t format;
    uint64_t numbers[PARQUET_NUMBERS] = {0};
    TRY(data_file_unpack_u64(in, &format, err));
    if (format > FILE_SETTINGS_AVRO) {
        return ERR(err, STATUS_INVALID_DATA, "a sink state with files of format %llu",
                   (unsigned long long)format);
    }
    out->format = (enum file_settings_format)format;
    uint32_t count = format == FILE_SETTINGS_AVRO ? AVRO_NUMBERS : PARQUET_NUMBERS;
    for (uint32_t i = 0; i < count; i++) {
        TRY(data_file_unpack_u64(in, &numbers[i], err));
    }
    if (format == FILE_SETTINGS_AVRO) {
        out->avro_codec = (enum avro_codec)numbers[0];
        out->avro_level = (int32_t)(int64_t)numbers[1];
        return numbers[0] <= AVRO_CODEC_XZ
                   ? STATUS_OK
                   : ERR(err, STATUS_INVALID_DATA, "a sink state with the Avro codec %llu",
                         (unsigned long long)numbers[0]);
    }
    out->parquet.codec = (enum compress_codec)numbers[0];
    out->parquet.level = (int32_t)(int64_t)numbers[1];
    out->parquet.row_group_bytes = numbers[2];
    out->parquet.page_bytes = (uint32_t)numbers[3];
    out->parquet.page_rows = (uint32_t)numbers[4];
    out->parquet.dictionary_bytes = (uint32_t)numbers[5];
    out->parquet.page_version = (uint32_t)numbers[6];
    out->parquet.row_group_is_plain = numbers[7] != 0;
    return numbers[0] <= COMPRESS_LZ4_RAW
               ? STATUS_OK
               : ERR(err, STATUS_INVALID_DATA, "a sink state with the Parquet codec %llu",
                     (unsigned long long)numbers[0]);
}

bool file_settings_same(const struct file_settings *a, const struct file_settings *b)
{
    uint64_t left[PARQUET_NUMBERS];
    uint64_t right[PARQUET_NUMBERS];
    if (a->format != b->format) {
        return false;
    }
    uint32_t count = numbers_of(a, left);
    numbers_of(b, right);
    for (uint32_t i = 0; i < count; i++) {
        if (left[i] != right[i]) {
            return false;
        }
    }
    return true;
}
