// SPDX-License-Identifier: Apache-2.0
#include "codec/infer.h"

#include "base/byte_source.h"
#include "codec/infer_int.h"

enum { RECORDS_DEFAULT = 20000, BYTES_DEFAULT = 16 << 20 };

static const char *const names[] = {"parquet", "avro", "csv", "json"};

static const struct {
    const char *ending;
    enum infer_format format;
} endings[] = {
    {".parquet", INFER_PARQUET}, {".parq", INFER_PARQUET}, {".avro", INFER_AVRO},
    {".csv", INFER_CSV},         {".tsv", INFER_CSV},      {".json", INFER_JSON},
    {".ndjson", INFER_JSON},     {".jsonl", INFER_JSON},
};

const char *infer_format_name(enum infer_format format)
{
    return names[format];
}

static bool ends_nocase(struct str text, const char *ending)
{
    size_t size = str_from(ending).size;
    return text.size > size && str_is_nocase(str_slice(text, text.size - size, text.size), ending);
}

static bool find_ending(struct str path, enum infer_format *out)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (ends_nocase(path, endings[i].ending)) {
            *out = endings[i].format;
            return true;
        }
    }
    return false;
}

bool infer_format_find(struct str path, struct str head, enum infer_format *out)
{
    static const char *const packed[] = {".gz", ".zst", ".zstd"};
    if (find_ending(path, out)) {
        return true;
    }
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (ends_nocase(path, packed[i])) {
            struct str inner = str_slice(path, 0, path.size - str_from(packed[i]).size);
            // Within these two formats compression is a matter of blocks, not of the file.
            if (find_ending(inner, out) && *out != INFER_PARQUET && *out != INFER_AVRO) {
                return true;
            }
        }
    }
    struct str text = str_trim(head);
    if (str_starts(head, "PAR1") || str_starts(head, "Obj\1")) {
        *out = head.ptr[0] == 'P' ? INFER_PARQUET : INFER_AVRO;
        return true;
    }
    if (str_starts(text, "{") || str_starts(text, "[")) {
        *out = INFER_JSON;
        return true;
    }
    return false;
}

static enum status infer_schemas(struct arena *arena, struct byte_source *const *sources,
                                 uint32_t source_count, const struct infer_options *options,
                                 struct infer_found *out, struct err *err)
{
    for (uint32_t i = 0; i < source_count; i++) {
        const struct type *type;
        TRY(options->format == INFER_AVRO ? infer_avro(arena, sources[i], &type, err)
                                          : infer_parquet(arena, sources[i], &type, err));
        if (i > 0) {
            enum status status = infer_unite(arena, out->type, type, &type, err);
            if (status != STATUS_OK) {
                err_context(err, "%.*s", STR_ARGS(sources[i]->name));
                return status;
            }
        }
        out->type = type;
    }
    return STATUS_OK;
}

enum status infer_files(struct arena *arena, struct byte_source *const *sources,
                        uint32_t source_count, const struct infer_options *options,
                        struct infer_found *out, struct err *err)
{
    *out = (struct infer_found){.csv = options->csv};
    if (source_count == 0) {
        return ERR(err, STATUS_INVALID_DATA, "no files to find the columns of");
    }
    struct infer_options full = *options;
    full.record_max = options->record_max > 0 ? options->record_max : RECORDS_DEFAULT;
    full.byte_max = options->byte_max > 0 ? options->byte_max : BYTES_DEFAULT;
    switch (options->format) {
    case INFER_CSV: TRY(infer_csv(arena, sources, source_count, &full, out, err)); break;
    case INFER_JSON: TRY(infer_json(arena, sources, source_count, &full, out, err)); break;
    case INFER_PARQUET:
    case INFER_AVRO: TRY(infer_schemas(arena, sources, source_count, options, out, err)); break;
    }
    if (out->type->field_count > INFER_COLUMNS_MAX) {
        return ERR(err, STATUS_LIMIT, "over %d columns", INFER_COLUMNS_MAX);
    }
    return STATUS_OK;
}
