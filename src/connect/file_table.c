// SPDX-License-Identifier: Apache-2.0
#include "connect/file_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/infer.h"
#include "connect/file_hint.h"
#include "connect/file_listing.h"
#include "connect/file_partitions.h"
#include "connect/filesystem_sink.h"
#include "connect/filesystem_source.h"
#include "connect/option.h"
#include "connect/record_format.h"
#include "data/column.h"
#include "expr/expr.h"
#include "store/store_file.h"
#include "sys/file.h"

// A file that is opened when it is read from, in place of the one read before: a table may be of
// more files than a process can have open.
struct table_file {
    struct byte_source source;
    struct table_finder *finder;
    struct str format; // how its format is known: for messages
};

struct table_finder {
    struct arena *arena;
    const struct file_table_spec *spec;
    struct str format; // the option; empty: not said
    struct file_listing listing;
    struct table_file *files;
    struct store *store;
    struct store_reader *open;
    const struct table_file *open_file;
    struct infer_options infer;
    struct infer_found found;
    size_t said; // bytes of the paths that the working directory puts in front
    uint32_t partition_count;
    struct table_column *partitions;
};

static enum status table_read_at(struct byte_source *self, uint64_t offset, size_t size, void *out,
                                 struct err *err)
{
    struct table_file *file = (struct table_file *)self;
    struct table_finder *finder = file->finder;
    if (finder->open_file != file) {
        store_reader_close(finder->open);
        finder->open = NULL;
        finder->open_file = NULL;
        TRY(store_open(finder->store, self->name, &finder->open, err));
        finder->open_file = file;
    }
    return byte_source_read(&finder->open->source, offset, size, out, err);
}

static const struct byte_source_ops table_file_ops = {.read_at = table_read_at};

static struct str find_option(const struct file_table_spec *spec, const char *key)
{
    for (uint32_t i = 0; i < spec->option_count; i++) {
        if (str_is(spec->options[i].key, key)) {
            return spec->options[i].value;
        }
    }
    return (struct str){0};
}

// Formats.

static enum status unknown_format(const struct table_finder *finder, struct str path,
                                  struct err *err)
{
    ERR(err, STATUS_INVALID_DATA, "'%.*s': neither its name nor its first bytes say its format",
        STR_ARGS(file_hint_said(path, finder->said)));
    err_hint(err,
             "say it: '%.*s' /*+ OPTIONS('format' = 'csv') */; formats: parquet, avro, csv, "
             "json",
             STR_ARGS(finder->spec->path));
    return STATUS_INVALID_DATA;
}

static enum status find_format(struct table_finder *finder, uint32_t at, enum infer_format *out,
                               struct err *err)
{
    enum { HEAD_BYTES = 256 };
    struct byte_source *source = &finder->files[at].source;
    char head[HEAD_BYTES];
    if (finder->format.size > 0) {
        for (int i = INFER_PARQUET; i <= INFER_JSON; i++) {
            if (str_is(finder->format, infer_format_name((enum infer_format)i))) {
                *out = (enum infer_format)i;
                return STATUS_OK;
            }
        }
        ERR(err, STATUS_UNSUPPORTED, "a table is not made up from files of format '%.*s'",
            STR_ARGS(finder->format));
        err_hint(err, "CREATE TABLE says the columns of such files; by their names: parquet, avro, "
                      "csv, json");
        return STATUS_UNSUPPORTED;
    }
    if (infer_format_find(source->name, (struct str){0}, out)) {
        return STATUS_OK;
    }
    size_t size = source->size < HEAD_BYTES ? (size_t)source->size : HEAD_BYTES;
    TRY(byte_source_read(source, 0, size, head, err));
    return infer_format_find(source->name, str_make(head, size), out)
               ? STATUS_OK
               : unknown_format(finder, source->name, err);
}

static enum status find_formats(struct table_finder *finder, struct err *err)
{
    for (uint32_t i = 0; i < finder->listing.count; i++) {
        enum infer_format format;
        TRY(find_format(finder, i, &format, err));
        if (i == 0) {
            finder->infer.format = format;
        } else if (format != finder->infer.format) {
            struct str first = finder->files[0].source.name;
            struct str other = finder->files[i].source.name;
            ERR(err, STATUS_INVALID_DATA, "files of two formats: '%.*s' is %s and '%.*s' is %s",
                STR_ARGS(file_hint_said(first, finder->said)),
                infer_format_name(finder->infer.format),
                STR_ARGS(file_hint_said(other, finder->said)), infer_format_name(format));
            err_hint(err, "a pattern takes those of one: 'dir/*.%s'", infer_format_name(format));
            return STATUS_INVALID_DATA;
        }
    }
    return STATUS_OK;
}

// Files.

static enum status list_files(struct table_finder *finder, struct err *err)
{
    struct str absolute;
    struct str path = finder->spec->path;
    TRY(file_listing_absolute(finder->arena, path, &absolute, err));
    bool is_relative = path.size > 0 && path.ptr[0] != '/' && !str_starts(path, "file:");
    finder->said = is_relative ? file_hint_working_directory() : 0;
    enum status status = file_listing_read(finder->arena, absolute, &finder->listing, err);
    if (status == STATUS_NOT_FOUND || (status == STATUS_OK && finder->listing.count == 0)) {
        return file_hint_missing(finder->arena, path, absolute, err);
    }
    TRY(status);
    finder->files = arena_new_array(finder->arena, struct table_file, finder->listing.count);
    for (uint32_t i = 0; i < finder->listing.count; i++) {
        const struct file_listing_item *item = &finder->listing.items[i];
        finder->files[i] = (struct table_file){
            .source = {&table_file_ops, item->info.size, item->path}, .finder = finder};
    }
    return STATUS_OK;
}

// What the options say of CSV is not guessed.
static void say_dialect(struct table_finder *finder)
{
    const struct file_table_spec *spec = finder->spec;
    struct infer_options *infer = &finder->infer;
    struct str delimiter = find_option(spec, "csv.field-delimiter");
    struct str quote = find_option(spec, "csv.quote-character");
    struct str header = find_option(spec, "csv.header");
    struct str null_literal = find_option(spec, "csv.null-literal");
    bool is_on;
    if (delimiter.size > 0) {
        infer->has_delimiter = true;
        infer->csv.delimiter = record_format_character(delimiter);
    }
    if (quote.size > 0 || str_is_nocase(find_option(spec, "csv.disable-quote-character"), "true")) {
        infer->has_quote = true;
        infer->csv.quote = record_format_character(quote);
    }
    infer->csv.escape = record_format_character(find_option(spec, "csv.escape-character"));
    if (option_parse_bool(header, &is_on)) {
        infer->csv.header = is_on ? INFER_HEADER_PRESENT : INFER_HEADER_ABSENT;
    }
    if (null_literal.ptr != NULL) {
        infer->csv.has_null_literal = true;
        infer->csv.null_literal = null_literal;
    }
}

// What texts of both types can be read as.
static const struct type *unite_type(struct arena *arena, const struct type *a,
                                     const struct type *b)
{
    const struct type *both[] = {a, b};
    const struct type *common = type_equal_nullability_aside(a, b) ? a
                                : type_is_numeric(a) && type_is_numeric(b)
                                    ? expr_common_type(arena, both, 2)
                                    : NULL;
    return type_with_null(arena, common != NULL ? common : &type_string, true);
}

static const struct type *unite_rows(struct arena *arena, const struct type *a,
                                     const struct type *b)
{
    struct type_field *fields =
        arena_new_array(arena, struct type_field, a->field_count + b->field_count);
    uint32_t count = a->field_count;
    memcpy(fields, a->fields, count * sizeof *fields);
    for (uint32_t i = 0; i < b->field_count; i++) {
        uint32_t at = 0;
        while (at < count && !str_equal(fields[at].name, b->fields[i].name)) {
            at++;
        }
        const struct type *type = b->fields[i].type;
        fields[at] = (struct type_field){
            .name = b->fields[i].name,
            .type = at < count ? unite_type(arena, fields[at].type, type) : type};
        count += at == count ? 1 : 0;
    }
    return type_row(arena, fields, count, false);
}

// CSV files whose headers are not the same: each by itself, united by the names.
static bool unite_headers(struct table_finder *finder)
{
    struct err ignored;
    for (uint32_t i = 0; i < finder->listing.count; i++) {
        struct byte_source *source = &finder->files[i].source;
        struct infer_found found;
        bool is_good =
            infer_files(finder->arena, &source, 1, &finder->infer, &found, &ignored) == STATUS_OK &&
            found.csv.header == INFER_HEADER_PRESENT;
        if (i > 0) {
            const struct infer_csv *first = &finder->found.csv;
            is_good = is_good && found.csv.delimiter == first->delimiter &&
                      found.csv.quote == first->quote && found.csv.escape == first->escape;
        }
        if (!is_good) {
            return false;
        }
        const struct type *row =
            i == 0 ? found.type : unite_rows(finder->arena, finder->found.type, found.type);
        finder->found = i == 0 ? found : finder->found;
        finder->found.type = row;
    }
    return true;
}

static enum status find_columns(struct table_finder *finder, struct err *err)
{
    say_dialect(finder);
    uint32_t count = finder->listing.count;
    struct byte_source **sources = arena_new_array(finder->arena, struct byte_source *, count);
    for (uint32_t i = 0; i < count; i++) {
        sources[i] = &finder->files[i].source;
    }
    enum status status =
        infer_files(finder->arena, sources, count, &finder->infer, &finder->found, err);
    bool may_differ = finder->infer.format == INFER_CSV && count > 1;
    return status == STATUS_INVALID_DATA && may_differ && unite_headers(finder) ? STATUS_OK
                                                                                : status;
}

// Partition columns.

static bool is_number(struct str text)
{
    int64_t value;
    return str_to_i64(text, &value);
}

// 2024-02-29, and with a time behind it.
static bool is_date(struct str text, size_t size)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    if (text.size < size || (size == 10 && text.size > size)) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        bool is_digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (form[i] == 'd' ? !is_digit : text.ptr[i] != form[i]) {
            return false;
        }
    }
    return true;
}

static bool fits(struct arena *arena, const struct file_partition *partition,
                 const struct type *type)
{
    bool has_form = type->kind == TYPE_BIGINT ? is_number(partition->value)
                    : type->kind == TYPE_DATE ? is_date(partition->value, 10)
                                              : is_date(partition->value, 19);
    struct column ignored;
    return has_form && file_partitions_column(arena, partition, type, &ignored, NULL) == STATUS_OK;
}

static const struct file_partition *partitions_of(const struct table_finder *finder, uint32_t at,
                                                  uint32_t *count)
{
    const struct file_partition *found;
    file_partitions_read(finder->arena, finder->listing.items[at].path, finder->said, &found,
                         count);
    return found;
}

// The narrowest type of all values of a key; false: a file is not in such a directory.
static bool partition_type(const struct table_finder *finder, struct str key,
                           const struct type **out)
{
    const struct type *const types[] = {&type_bigint, &type_date,
                                        type_sized(finder->arena, TYPE_TIMESTAMP, 3, true)};
    bool may[3] = {true, true, true};
    for (uint32_t i = 0; i < finder->listing.count; i++) {
        uint32_t count;
        const struct file_partition *all = partitions_of(finder, i, &count);
        const struct file_partition *one = file_partitions_find(all, count, key);
        if (one == NULL) {
            return false;
        }
        for (int t = 0; t < 3 && !one->is_null; t++) {
            may[t] = may[t] && fits(finder->arena, one, types[t]);
        }
    }
    *out = may[0] ? types[0] : may[1] ? types[1] : may[2] ? types[2] : &type_string;
    return true;
}

static void find_partitions(struct table_finder *finder)
{
    uint32_t count;
    const struct file_partition *first = partitions_of(finder, 0, &count);
    finder->partitions = arena_new_array(finder->arena, struct table_column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct type *type;
        if (file_partitions_find(first, i, first[i].key) == NULL &&
            partition_type(finder, first[i].key, &type)) {
            finder->partitions[finder->partition_count++] = (struct table_column){
                .name = first[i].key, .type = type, .kind = TABLE_COLUMN_PHYSICAL};
        }
    }
}

static bool is_partition(const struct table_finder *finder, struct str name)
{
    for (uint32_t i = 0; i < finder->partition_count; i++) {
        if (str_equal(finder->partitions[i].name, name)) {
            return true;
        }
    }
    return false;
}

// The definition.

static enum status check_names(const struct table_def *def, struct err *err)
{
    for (uint32_t i = 0; i < def->column_count; i++) {
        for (uint32_t k = 0; k < i && i < 4096; k++) {
            if (str_equal(def->columns[i].name, def->columns[k].name)) {
                return ERR(err, STATUS_UNSUPPORTED,
                           "'%.*s' has two columns '%.*s', which is not supported",
                           STR_ARGS(def->name), STR_ARGS(def->columns[i].name));
            }
        }
    }
    return STATUS_OK;
}

static void add_columns(const struct table_finder *finder, struct table_def *def)
{
    const struct type *row = finder->found.type;
    uint32_t most = row->field_count + finder->partition_count;
    struct table_column *columns = arena_new_array(finder->arena, struct table_column, most);
    for (uint32_t i = 0; i < row->field_count; i++) {
        if (!is_partition(finder, row->fields[i].name)) {
            columns[def->column_count++] =
                (struct table_column){.name = row->fields[i].name, .type = row->fields[i].type};
        }
    }
    struct table_partition *partitions =
        arena_new_array(finder->arena, struct table_partition, finder->partition_count + 1);
    for (uint32_t i = 0; i < finder->partition_count; i++) {
        columns[def->column_count++] = finder->partitions[i];
        partitions[i] = (struct table_partition){.transform = STR_LIT("identity"),
                                                 .column = finder->partitions[i].name};
    }
    enum { HIDDEN_MAX = 8 };
    struct table_column *hidden = arena_new_array(finder->arena, struct table_column, HIDDEN_MAX);
    const struct type *type;
    const char *key;
    for (uint32_t i = 0; i < HIDDEN_MAX && (key = filesystem_source_metadata(i, &type)) != NULL;
         i++) {
        hidden[def->hidden_count++] = (struct table_column){.name = str_from(key),
                                                            .type = type,
                                                            .kind = TABLE_COLUMN_METADATA,
                                                            .is_virtual = true,
                                                            .metadata_key = str_from(key)};
    }
    def->hidden = hidden;
    def->columns = columns;
    def->partitions = partitions;
    def->partition_count = finder->partition_count;
}

// The options said, over those found.
static void set_options(struct arena *arena, const struct file_table_spec *spec,
                        const struct table_option *found, uint32_t found_count,
                        struct table_def *def)
{
    struct table_option *options =
        arena_new_array(arena, struct table_option, found_count + spec->option_count);
    uint32_t count = found_count;
    memcpy(options, found, found_count * sizeof *options);
    for (uint32_t i = 0; i < spec->option_count; i++) {
        uint32_t at = 0;
        while (at < count && !str_equal(options[at].key, spec->options[i].key)) {
            at++;
        }
        count += at == count ? 1 : 0;
        options[at] = spec->options[i];
    }
    def->options = options;
    def->option_count = count;
}

struct found_options {
    struct table_option items[16];
    uint32_t count;
};

static void found_option(struct found_options *found, const char *key, struct str value)
{
    found->items[found->count++] = (struct table_option){str_from(key), value};
}

static struct str character(const struct table_finder *finder, char byte)
{
    return arena_str(finder->arena, str_make(&byte, 1));
}

static void add_csv_options(const struct table_finder *finder, struct found_options *found)
{
    const struct infer_csv *csv = &finder->found.csv;
    bool has_header = csv->header == INFER_HEADER_PRESENT;
    found_option(found, "csv.header", has_header ? STR_LIT("true") : STR_LIT("false"));
    found_option(found, "csv.field-delimiter", character(finder, csv->delimiter));
    if (csv->quote == 0) {
        found_option(found, "csv.disable-quote-character", STR_LIT("true"));
    } else {
        found_option(found, "csv.quote-character", character(finder, csv->quote));
    }
    if (csv->escape != 0) {
        found_option(found, "csv.escape-character", character(finder, csv->escape));
    }
    // An empty field is NULL, of texts too.
    found_option(found, "csv.null-literal",
                 csv->has_null_literal ? csv->null_literal : STR_LIT(""));
}

static void add_options(const struct table_finder *finder, struct table_def *def)
{
    struct found_options found = {0};
    found_option(&found, "connector", STR_LIT("filesystem"));
    found_option(&found, "path", finder->spec->path);
    found_option(&found, "format", str_from(infer_format_name(finder->infer.format)));
    bool is_iso = finder->found.timestamp_form == TIME_TEXT_ISO_8601;
    if (finder->infer.format == INFER_CSV) {
        add_csv_options(finder, &found);
        found_option(&found, "csv.timestamp-format.standard",
                     is_iso ? STR_LIT("ISO-8601") : STR_LIT("SQL"));
    } else if (finder->infer.format == INFER_JSON) {
        found_option(&found, "json.timestamp-format.standard",
                     is_iso ? STR_LIT("ISO-8601") : STR_LIT("SQL"));
    }
    set_options(finder->arena, finder->spec, found.items, found.count, def);
}

static enum status find_table(struct table_finder *finder, const struct table_def **out,
                              struct err *err)
{
    struct table_def *def = arena_new(finder->arena, struct table_def);
    TRY(list_files(finder, err));
    TRY(find_formats(finder, err));
    TRY(find_columns(finder, err));
    find_partitions(finder);
    def->is_temporary = true;
    def->name = file_hint_stem(finder->arena, finder->spec->path);
    add_columns(finder, def);
    add_options(finder, def);
    TRY(check_names(def, err));
    *out = def;
    return STATUS_OK;
}

enum status file_table_find(struct arena *arena, const struct file_table_spec *spec,
                            const struct table_def **out, struct err *err)
{
    struct table_finder finder = {.arena = arena,
                                  .spec = spec,
                                  .format = find_option(spec, "format"),
                                  .store = store_file_new("")};
    enum status status = find_table(&finder, out, err);
    store_reader_close(finder.open);
    store_free(finder.store);
    return status;
}

// INSERT INTO.

// What the name says: "csv" and "gzip" of "out.csv.gz".
static enum status new_format(const struct file_table_spec *spec, bool is_file, struct str *format,
                              struct str *compression, struct err *err)
{
    enum infer_format found;
    *format = find_option(spec, "format");
    *compression = str_ends(spec->path, ".gz") ? STR_LIT("gzip")
                   : str_ends(spec->path, ".zst") || str_ends(spec->path, ".zstd")
                       ? STR_LIT("zstd")
                       : STR_LIT("none");
    if (format->size > 0) {
        return STATUS_OK;
    }
    if (!is_file) {
        *format = STR_LIT("parquet");
        return STATUS_OK;
    }
    if (infer_format_find(spec->path, (struct str){0}, &found)) {
        *format = str_from(infer_format_name(found));
        return STATUS_OK;
    }
    ERR(err, STATUS_INVALID_DATA, "the name '%.*s' does not say a format", STR_ARGS(spec->path));
    err_hint(err, "'x.parquet', or /*+ OPTIONS('format' = 'parquet') */ behind it");
    return STATUS_INVALID_DATA;
}

static bool is_tab_separated(struct str path)
{
    return str_ends(path, ".tsv") || str_ends(path, ".tsv.gz") || str_ends(path, ".tsv.zst") ||
           str_ends(path, ".tsv.zstd");
}

static enum status check_directory(struct arena *arena, const struct file_table_spec *spec,
                                   struct str absolute, struct err *err)
{
    struct file_info info;
    const char *slash = strrchr(absolute.ptr, '/');
    struct str parent = arena_str(
        arena, str_slice(absolute, 0, slash == absolute.ptr ? 1 : (size_t)(slash - absolute.ptr)));
    if (file_info(parent.ptr, &info, NULL) == STATUS_OK && info.is_directory) {
        return STATUS_OK;
    }
    ERR(err, STATUS_NOT_FOUND, "'%.*s': there is no directory %.*s", STR_ARGS(spec->path),
        STR_ARGS(parent));
    err_hint(err, "make it first");
    return STATUS_NOT_FOUND;
}

static enum status check_columns(const struct type *row, struct err *err)
{
    for (uint32_t i = 0; i < row->field_count; i++) {
        if (row->fields[i].type->kind == TYPE_NULL) {
            ERR(err, STATUS_INVALID_DATA, "column '%.*s' is NULL without a type",
                STR_ARGS(row->fields[i].name));
            err_hint(err, "CAST(NULL AS INT)");
            return STATUS_INVALID_DATA;
        }
    }
    return STATUS_OK;
}

static void set_columns(struct arena *arena, const struct type *row, struct table_def *def)
{
    struct table_column *columns = arena_new_array(arena, struct table_column, row->field_count);
    for (uint32_t i = 0; i < row->field_count; i++) {
        columns[i] = (struct table_column){
            .name = row->fields[i].name, .type = type_with_null(arena, row->fields[i].type, true)};
    }
    def->columns = columns;
    def->column_count = row->field_count;
}

enum status file_table_new(struct arena *arena, const struct file_table_spec *spec,
                           const struct type *row, const struct table_def **out, struct err *err)
{
    struct table_def *def = arena_new(arena, struct table_def);
    struct str absolute;
    struct str format;
    struct str compression;
    struct file_info info;
    TRY(file_listing_absolute(arena, spec->path, &absolute, err));
    bool is_file = !str_ends(spec->path, "/") &&
                   !(file_info(absolute.ptr, &info, NULL) == STATUS_OK && info.is_directory);
    TRY(new_format(spec, is_file, &format, &compression, err));
    TRY(check_directory(arena, spec, absolute, err));
    TRY(filesystem_sink_check(absolute, is_file, spec->overwrite, err));
    TRY(check_columns(row, err));
    const struct table_option found[] = {
        {STR_LIT("connector"), STR_LIT("filesystem")},
        {STR_LIT("path"), spec->path},
        {STR_LIT("format"), format},
        {STR_LIT("sink.target"), is_file ? STR_LIT("file") : STR_LIT("new-directory")},
        {STR_LIT("sink.compression"), compression},
        {STR_LIT("csv.header"), STR_LIT("true")},
        {STR_LIT("csv.field-delimiter"),
         is_tab_separated(spec->path) ? STR_LIT("\t") : STR_LIT(",")},
    };
    bool is_csv = str_is(format, "csv");
    uint32_t found_count = sizeof found / sizeof *found - (is_csv ? 0 : 2);
    def->is_temporary = true;
    def->name = spec->path;
    set_columns(arena, row, def);
    set_options(arena, spec, found, found_count, def);
    *out = def;
    return STATUS_OK;
}
