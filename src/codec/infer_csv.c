// SPDX-License-Identifier: Apache-2.0
//
// Columns of CSV: the decoder reads a sample as texts, and each column is what all its texts are.
#include <string.h>

#include "base/byte_source.h"
#include "base/mem.h"
#include "codec/csv_decode.h"
#include "codec/infer_int.h"
#include "codec/infer_sample.h"
#include "codec/infer_text.h"
#include "data/batch.h"

enum { HEADER_BYTES = 1 << 15, NAME_MAX_SIZE = 256, SNIFF_BYTES = 1 << 17 };

// Words that stand for null in columns of other types.
static const char *const null_words[] = {"NULL", "null", "\\N", "NA", "N/A", "n/a", "None", "-"};
enum { NULL_WORDS = sizeof null_words / sizeof *null_words };

struct csv_column {
    struct str name;          // the first record's field
    struct infer_text first;  // that field
    struct infer_text others; // what stands below it
};

struct csv_reading {
    struct arena *arena;
    struct infer_found *found;
    struct csv_decoder *decoder;
    uint32_t column_count;
    struct csv_column *columns;
    bool has_first;
    struct err *err;
};

static enum status make_decoder(struct csv_reading *at)
{
    const struct infer_csv *csv = &at->found->csv;
    uint32_t count = at->column_count;
    struct type_field *fields = arena_new_array(at->arena, struct type_field, count);
    uint32_t *wanted = arena_new_array(at->arena, uint32_t, count);
    at->columns = arena_new_array(at->arena, struct csv_column, count);
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = (struct type_field){.name = STR_LIT("f"), .type = &type_string};
        wanted[i] = i;
        infer_text_init(&at->columns[i].first);
        infer_text_init(&at->columns[i].others);
    }
    struct csv_decode_spec spec = {.fields = fields,
                                   .field_count = count,
                                   .wanted = wanted,
                                   .wanted_count = count,
                                   .delimiter = csv->delimiter,
                                   .quote = csv->quote,
                                   .escape = csv->escape,
                                   .element_delimiter = ';',
                                   .ignore_parse_errors = true};
    return csv_decode_new(&spec, &at->decoder, at->err);
}

static void see_text(const struct csv_reading *at, struct infer_text *out, struct str text)
{
    const struct infer_csv *csv = &at->found->csv;
    char padded[64 + TIME_TEXT_SLACK] = {0};
    if (text.size == 0 || (csv->has_null_literal && str_equal(text, csv->null_literal))) {
        return;
    }
    for (uint32_t i = 0; i < NULL_WORDS; i++) {
        if (str_is(text, null_words[i])) {
            out->null_words |= 1U << i;
            return;
        }
    }
    if (text.size < 64) {
        memcpy(padded, text.ptr, text.size);
        text = str_make(padded, text.size);
    }
    infer_text_add(out, text);
}

// Fields of one row of the decoder's; those of a file's first record where `is_first`.
static enum status see_row(struct csv_reading *at, uint32_t row, bool is_first)
{
    const struct column *columns = csv_decode_columns(at->decoder);
    bool is_header = is_first && at->has_first && at->found->csv.header != INFER_HEADER_ABSENT;
    uint32_t equal = 0;
    for (uint32_t i = 0; i < at->column_count; i++) {
        struct csv_column *column = &at->columns[i];
        struct strview view = *(const struct strview *)column_value(&columns[i], row);
        struct str text = strview_str(&view);
        if (is_first && !at->has_first) {
            column->name = arena_str(at->arena, text);
            see_text(at, &column->first, text);
        } else if (is_header) {
            equal += str_equal(text, column->name);
        } else {
            see_text(at, &column->others, text);
        }
    }
    if (is_header && equal < at->column_count &&
        (equal > 0 || at->found->csv.header == INFER_HEADER_PRESENT)) {
        return ERR(at->err, STATUS_INVALID_DATA, "its header is not that of the first file");
    }
    for (uint32_t i = 0; is_header && equal == 0 && i < at->column_count; i++) {
        struct strview view = *(const struct strview *)column_value(&columns[i], row);
        see_text(at, &at->columns[i].others, strview_str(&view));
    }
    at->has_first = true;
    at->found->record_count++;
    return STATUS_OK;
}

static enum status see_sample(struct csv_reading *at, const struct infer_sample *sample,
                              uint64_t records)
{
    struct str rest = sample->text;
    bool is_first = true;
    while (records > 0 && rest.size > 0) {
        size_t used;
        uint32_t most = records < BATCH_ROWS_MAX ? (uint32_t)records : BATCH_ROWS_MAX;
        TRY(csv_decode_lines(at->decoder, rest, sample->is_all, most, &used, at->err));
        uint32_t rows = csv_decode_rows(at->decoder);
        for (uint32_t row = 0; row < rows; row++) {
            TRY(see_row(at, row, is_first));
            is_first = false;
        }
        if (used == 0) {
            break;
        }
        records -= rows;
        rest = str_slice(rest, used, rest.size);
    }
    return STATUS_OK;
}

static struct str sniffed(const struct infer_sample *sample)
{
    struct str text = str_slice(sample->text, 0,
                                sample->text.size < SNIFF_BYTES ? sample->text.size : SNIFF_BYTES);
    if (sample->is_all && text.size == sample->text.size) {
        return text;
    }
    while (text.size > 0 && text.ptr[text.size - 1] != '\n') {
        text.size--; // a record that is cut
    }
    return text.size > 0 ? text : sample->text;
}

static enum status see_file(struct csv_reading *at, struct byte_source *source,
                            const struct infer_options *options, uint64_t records)
{
    struct infer_sample sample;
    struct infer_csv csv;
    size_t bytes = records > 1 ? options->byte_max : HEADER_BYTES;
    TRY(infer_sample_read(source, bytes, &sample, at->err));
    if (!sample.is_all && str_find(sample.text, '\n') == sample.text.size &&
        bytes < options->byte_max) { // a record of more than that
        infer_sample_release(&sample);
        TRY(infer_sample_read(source, options->byte_max, &sample, at->err));
    }
    enum status status = STATUS_OK;
    if (at->decoder == NULL && sample.text.size > 0) {
        at->column_count = infer_dialect(sniffed(&sample), options, &at->found->csv);
        status = at->column_count <= INFER_COLUMNS_MAX
                     ? make_decoder(at)
                     : ERR(at->err, STATUS_LIMIT, "over %d columns", INFER_COLUMNS_MAX);
    } else if (sample.text.size > 0) {
        struct infer_options known = *options;
        known.csv = at->found->csv;
        known.has_delimiter = known.has_quote = true;
        uint32_t count = infer_dialect(sniffed(&sample), &known, &csv);
        if (count != at->column_count) {
            status = ERR(at->err, STATUS_INVALID_DATA,
                         "%u fields a record where the first file has %u", count, at->column_count);
        }
    }
    if (status == STATUS_OK && at->decoder != NULL) {
        status = see_sample(at, &sample, records);
    }
    infer_sample_release(&sample);
    if (status != STATUS_OK) {
        err_context(at->err, "%.*s", STR_ARGS(source->name));
    }
    return status;
}

// What was found.

static bool is_typed(const struct infer_text *text)
{
    return text->count > 0 && text->kinds != 0;
}

static bool has_letter(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char byte = (char)(text.ptr[i] | 0x20);
        if ((byte >= 'a' && byte <= 'z') || (unsigned char)text.ptr[i] >= 0x80) {
            return true;
        }
    }
    return false;
}

static bool is_distinct(const struct csv_reading *at, uint32_t column)
{
    for (uint32_t i = 0; i < column; i++) {
        if (str_equal(at->columns[i].name, at->columns[column].name)) {
            return false;
        }
    }
    return true;
}

// A header is what does not fit the types of the columns below it; where all are texts, what looks
// like names.
static bool find_header(const struct csv_reading *at)
{
    bool may_be_names = true;
    bool has_typed = false;
    for (uint32_t i = 0; i < at->column_count; i++) {
        const struct csv_column *column = &at->columns[i];
        if (is_typed(&column->others)) {
            has_typed = true;
            if (column->first.count > 0 && (column->first.kinds & column->others.kinds) == 0) {
                return true;
            }
        }
        may_be_names = may_be_names && has_letter(column->name) &&
                       column->name.size <= NAME_MAX_SIZE && !is_typed(&column->first) &&
                       is_distinct(at, i);
    }
    return !has_typed && may_be_names;
}

static void merge(struct infer_text *out, const struct infer_text *more)
{
    out->count += more->count;
    out->kinds &= more->count > 0 ? more->kinds : INFER_TEXT_ALL;
    out->before = more->before > out->before ? more->before : out->before;
    out->after = more->after > out->after ? more->after : out->after;
    out->is_long |= more->is_long;
    out->null_words |= more->null_words;
}

// Of the words for null, that which makes the most columns be of a type: there can be one only.
static void choose_null_word(struct csv_reading *at)
{
    uint32_t best = 0;
    uint32_t most = 0;
    uint32_t words = at->found->csv.has_null_literal ? 0 : NULL_WORDS;
    for (uint32_t mask = 0, word = 0; word <= words; mask = 1U << word, word++) {
        uint32_t typed = 0;
        for (uint32_t i = 0; i < at->column_count; i++) {
            const struct infer_text *text = &at->columns[i].others;
            typed += is_typed(text) && (text->null_words & ~mask) == 0;
        }
        if (typed > most) {
            most = typed;
            best = mask;
        }
    }
    struct infer_csv *csv = &at->found->csv;
    for (uint32_t i = 0; i < at->column_count; i++) {
        struct infer_text *text = &at->columns[i].others;
        text->kinds = (text->null_words & ~best) == 0 ? text->kinds : 0;
    }
    if (best != 0) {
        csv->has_null_literal = true;
        csv->null_literal = str_from(null_words[__builtin_ctz(best)]);
    }
}

static void choose_form(struct csv_reading *at)
{
    int iso = 0;
    for (uint32_t i = 0; i < at->column_count; i++) {
        const struct infer_text *text = &at->columns[i].others;
        if (is_typed(text)) {
            iso += (text->kinds & (INFER_TIMESTAMP_ISO | INFER_LTZ_ISO)) != 0;
            iso -= (text->kinds & (INFER_TIMESTAMP_SQL | INFER_LTZ_SQL)) != 0;
        }
    }
    at->found->timestamp_form = iso > 0 ? TIME_TEXT_ISO_8601 : TIME_TEXT_SQL;
}

static bool is_taken(const struct str *names, uint32_t count, struct str name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(names[i], name)) {
            return true;
        }
    }
    return false;
}

void infer_header_names(struct arena *arena, struct str *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct str name = str_trim(names[i]);
        names[i] = name.size > 0 ? name : arena_printf(arena, "f%u", i);
        for (uint32_t more = 1; is_taken(names, i, names[i]); more++) {
            names[i] = arena_printf(arena, "%.*s_%u", STR_ARGS(name), more);
        }
    }
}

static const struct str *column_names(struct csv_reading *at)
{
    struct str *names = arena_new_array(at->arena, struct str, at->column_count);
    bool has_header = at->found->csv.header == INFER_HEADER_PRESENT;
    for (uint32_t i = 0; has_header && i < at->column_count; i++) {
        names[i] = at->columns[i].name;
    }
    infer_header_names(at->arena, names, at->column_count);
    return names;
}

static void conclude(struct csv_reading *at)
{
    struct infer_csv *csv = &at->found->csv;
    struct type_field *fields = arena_new_array(at->arena, struct type_field, at->column_count);
    if (csv->header == INFER_HEADER_UNKNOWN) {
        csv->header = find_header(at) ? INFER_HEADER_PRESENT : INFER_HEADER_ABSENT;
    }
    for (uint32_t i = 0; csv->header == INFER_HEADER_ABSENT && i < at->column_count; i++) {
        merge(&at->columns[i].others, &at->columns[i].first);
    }
    choose_null_word(at);
    choose_form(at);
    const struct str *names = column_names(at);
    for (uint32_t i = 0; i < at->column_count; i++) {
        fields[i].name = names[i];
        fields[i].type =
            infer_text_type(at->arena, &at->columns[i].others, at->found->timestamp_form);
    }
    at->found->type = type_row(at->arena, fields, at->column_count, false);
}

enum status infer_csv(struct arena *arena, struct byte_source *const *sources,
                      uint32_t source_count, const struct infer_options *options,
                      struct infer_found *out, struct err *err)
{
    struct csv_reading at = {.arena = arena, .found = out, .err = err};
    uint64_t share = options->record_max / source_count;
    enum status status = STATUS_OK;
    share = share < INFER_RECORDS_MIN ? INFER_RECORDS_MIN : share;
    for (uint32_t i = 0; status == STATUS_OK && i < source_count; i++) {
        // Behind the sample only headers are looked at.
        bool is_enough = out->record_count >= options->record_max;
        status = see_file(&at, sources[i], options, is_enough ? 1 : share);
    }
    if (status == STATUS_OK && !at.has_first) {
        status = ERR(err, STATUS_INVALID_DATA, "%.*s: no records, so no columns",
                     STR_ARGS(sources[0]->name));
    }
    if (status == STATUS_OK) {
        conclude(&at);
    }
    csv_decode_free(at.decoder);
    return status;
}
