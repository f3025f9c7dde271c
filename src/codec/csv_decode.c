// SPDX-License-Identifier: Apache-2.0
//
// The columns are those of a JSON decoder, filled slot by slot (json_int.h): what a text becomes is
// the same in both formats.
#include "codec/csv_decode.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/mem.h"
#include "codec/csv_int.h"
#include "codec/utf8_check.h"

enum csv_end { CSV_END_FIELD, CSV_END_LINE, CSV_END_INPUT, CSV_INCOMPLETE, CSV_BAD };

static enum status csv_check_type(struct csv_decoder *decoder, const struct type *type,
                                  uint32_t depth, struct err *err)
{
    bool is_nested = type_is_nested(type);
    if (type->kind == TYPE_MAP || type->kind == TYPE_MULTISET || (is_nested && depth > 0)) {
        ERR(err, STATUS_UNSUPPORTED, "the format csv has no form for the type %.*s",
            STR_ARGS(type_text(&decoder->columns->arena, type)));
        if (err != NULL) {
            err->stage = ERR_STAGE_VALIDATE;
        }
        return STATUS_UNSUPPORTED;
    }
    for (uint32_t i = 0; is_nested && i < type->field_count; i++) {
        TRY(csv_check_type(decoder, type->fields[i].type, depth + 1, err));
    }
    return STATUS_OK;
}

static enum status csv_make_columns(struct csv_decoder *decoder, const struct csv_decode_spec *spec,
                                    struct err *err)
{
    struct arena arena;
    arena_init(&arena);
    struct type_field *fields = arena_new_array(&arena, struct type_field, spec->wanted_count + 1);
    for (uint32_t i = 0; i < spec->wanted_count; i++) {
        fields[i] = spec->fields[spec->wanted[i]];
    }
    struct json_decode_spec json = {.fields = fields,
                                    .field_count = spec->wanted_count,
                                    .timestamp_form = spec->timestamp_form,
                                    .ignore_parse_errors = spec->ignore_parse_errors,
                                    .option_prefix = STR_LIT("csv.")};
    enum status status = json_decode_new(&json, &decoder->columns, err);
    for (uint32_t i = 0; status == STATUS_OK && i < spec->wanted_count; i++) {
        status = csv_check_type(decoder, fields[i].type, 0, err);
    }
    arena_release(&arena);
    return status;
}

enum status csv_decode_new(const struct csv_decode_spec *spec, struct csv_decoder **out,
                           struct err *err)
{
    struct csv_decoder *decoder = mem_zalloc(sizeof *decoder);
    enum status status = csv_make_columns(decoder, spec, err);
    if (status != STATUS_OK) {
        csv_decode_free(decoder);
        return status;
    }
    struct arena *arena = &decoder->columns->arena;
    decoder->spec = *spec;
    decoder->spec.fields = NULL; // were borrowed
    decoder->spec.wanted = NULL;
    decoder->spec.null_literal = arena_str(arena, spec->null_literal);
    decoder->may_be_quick = spec->escape == 0;
    decoder->may_be_number = !spec->has_null_literal;
    decoder->column_of = arena_new_array(arena, uint32_t, spec->field_count);
    memset(decoder->column_of, 0xff, spec->field_count * sizeof *decoder->column_of);
    for (uint32_t i = 0; i < spec->wanted_count; i++) {
        decoder->column_of[spec->wanted[i]] = i;
    }
    *out = decoder;
    return STATUS_OK;
}

void csv_decode_free(struct csv_decoder *decoder)
{
    if (decoder != NULL) {
        json_decode_free(decoder->columns);
        mem_free(decoder->copy);
        mem_free(decoder);
    }
}

uint32_t csv_decode_rows(const struct csv_decoder *decoder)
{
    return decoder->columns->row_count;
}

const struct column *csv_decode_columns(const struct csv_decoder *decoder)
{
    return decoder->columns->root.columns;
}

const uint64_t *csv_decode_places(const struct csv_decoder *decoder)
{
    return decoder->columns->places;
}

uint64_t csv_decode_lines_used(const struct csv_decoder *decoder)
{
    return decoder->columns->lines_used;
}

uint64_t csv_decode_bad_place(const struct csv_decoder *decoder)
{
    return decoder->columns->bad_place;
}

uint64_t csv_decode_skipped(const struct csv_decoder *decoder)
{
    return decoder->columns->skipped;
}

// Fields.

// What ends the field that was read up to *at, which is moved behind it.
static enum csv_end csv_field_end(const struct csv_decoder *decoder, const char **at,
                                  const char *end)
{
    const char *p = *at;
    if (p == end) {
        return CSV_END_INPUT;
    }
    if (*p == decoder->spec.delimiter) {
        *at = p + 1;
        return CSV_END_FIELD;
    }
    if (*p == '\r' && p + 1 < end && p[1] == '\n') {
        p++;
    }
    if (*p == '\n') {
        *at = p + 1;
        return CSV_END_LINE;
    }
    return CSV_BAD;
}

// From behind an opening quote to behind the closing one; false where there is none. Text without
// doubled quotes and escapes is borrowed.
static bool csv_quoted(struct csv_decoder *decoder, const char **at, const char *end,
                       struct str *text, uint64_t *lines)
{
    const char *begin = *at;
    const char *p = begin;
    char quote = decoder->spec.quote;
    char escape = decoder->spec.escape;
    bool must_copy = false;
    for (;; p++) {
        if (p == end) {
            return false;
        }
        *lines += *p == '\n';
        if (escape != 0 && *p == escape && p + 1 < end) {
            must_copy = true;
            p++;
        } else if (*p == quote && p + 1 < end && p[1] == quote) {
            must_copy = true;
            p++;
        } else if (*p == quote) {
            break;
        }
    }
    *at = p + 1;
    *text = str_make(begin, (size_t)(p - begin));
    if (!must_copy) {
        return true;
    }
    char *out = arena_alloc(&decoder->columns->heap, text->size + 16);
    size_t size = 0;
    for (size_t i = 0; i < text->size; i++) {
        char byte = text->ptr[i];
        if ((byte == quote || (escape != 0 && byte == escape)) && i + 1 < text->size) {
            byte = text->ptr[++i];
        }
        out[size++] = byte;
    }
    *text = str_make(out, size);
    return true;
}

static struct str csv_unescape(struct csv_decoder *decoder, struct str text)
{
    char escape = decoder->spec.escape;
    if (escape == 0 || str_find(text, escape) == text.size) {
        return text;
    }
    char *out = arena_alloc(&decoder->columns->heap, text.size + 16);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        i += text.ptr[i] == escape && i + 1 < text.size;
        out[size++] = text.ptr[i];
    }
    return str_make(out, size);
}

static enum csv_end csv_read_field(struct csv_decoder *decoder, const char **at, const char *end,
                                   struct csv_field *field, uint64_t *lines)
{
    const struct csv_decode_spec *spec = &decoder->spec;
    *field = (struct csv_field){0};
    if (*at < end && spec->quote != 0 && **at == spec->quote) {
        ++*at;
        field->is_quoted = true;
        if (!csv_quoted(decoder, at, end, &field->text, lines)) {
            return CSV_INCOMPLETE;
        }
        return csv_field_end(decoder, at, end);
    }
    const char *begin = *at;
    const char *p = begin;
    while (p < end && *p != spec->delimiter && *p != '\n') {
        p += spec->escape != 0 && *p == spec->escape && p + 1 < end ? 2 : 1;
    }
    bool before_line_end = p < end && *p == '\n' && p > begin && p[-1] == '\r';
    bool at_input_end = p == end && p > begin && p[-1] == '\r';
    p -= before_line_end || at_input_end;
    field->text = csv_unescape(decoder, str_make(begin, (size_t)(p - begin)));
    *at = p + at_input_end;
    return csv_field_end(decoder, at, end);
}

// Values.

// An element's slot in the child of an ARRAY.
static uint32_t csv_append(struct json_node *element)
{
    if (element->used == element->capacity) {
        json_node_grow(element, element->capacity * 2);
    }
    return element->used++;
}

static bool csv_nested(struct csv_decoder *decoder, struct json_node *node, uint32_t slot,
                       struct str text)
{
    bool is_row = node->kind == JSON_ROW;
    struct list_view view = {node->children[0]->used, 0};
    struct str rest = text;
    bool more = text.size > 0 || is_row;
    for (uint32_t i = 0; more; i++) {
        size_t end = str_find(rest, decoder->spec.element_delimiter);
        struct csv_field part = {.text = str_slice(rest, 0, end)};
        more = end < rest.size;
        rest = str_slice(rest, more ? end + 1 : end, rest.size);
        if (is_row && (i >= node->child_count || (!more && i + 1 < node->child_count))) {
            return false;
        }
        struct json_node *child = node->children[is_row ? i : 0];
        uint32_t at = is_row ? slot : csv_append(child);
        if (!csv_value(decoder, child, at, part)) {
            return false;
        }
        view.length++;
    }
    if (!is_row) {
        memcpy(node->values + (size_t)slot * sizeof view, &view, sizeof view);
    }
    bits_set(node->valid, slot);
    return true;
}

bool csv_value(struct csv_decoder *decoder, struct json_node *node, uint32_t slot,
               struct csv_field field)
{
    const struct csv_decode_spec *spec = &decoder->spec;
    if (spec->has_null_literal && str_equal(field.text, spec->null_literal)) {
        return true;
    }
    if (field.text.size == 0 && !field.is_quoted && node->kind != JSON_STRING) {
        return true;
    }
    if (!utf8_check(field.text.ptr, field.text.size)) {
        return false;
    }
    if (node->kind == JSON_LIST || node->kind == JSON_ROW) {
        return csv_nested(decoder, node, slot, field.text);
    }
    return json_value_text(decoder->columns, node, slot, field.text);
}

// Records.

struct csv_fault {
    uint32_t field; // UINT32_MAX: the line itself
    struct str text;
    const char *what;
};

static enum status csv_error(const struct csv_decoder *decoder, const struct csv_fault *fault,
                             uint32_t field_count, struct err *err)
{
    const struct csv_decode_spec *spec = &decoder->spec;
    if (fault->what != NULL) {
        ERR(err, STATUS_INVALID_DATA, "not CSV: %s", fault->what);
    } else if (fault->field == UINT32_MAX) {
        ERR(err, STATUS_INVALID_DATA, "a line of %u fields where the table has %u", field_count,
            spec->field_count);
    } else {
        uint32_t column = decoder->column_of[fault->field];
        const struct json_node *node = decoder->columns->root.children[column];
        size_t size = fault->text.size < 48 ? fault->text.size : 48;
        ERR(err, STATUS_INVALID_DATA, "field '%.*s' cannot be read as %.*s: '%.*s'%s",
            STR_ARGS(node->name), STR_ARGS(type_text(&decoder->columns->heap, node->type)),
            (int)size, fault->text.ptr, size < fault->text.size ? "..." : "");
    }
    err_hint(err,
             "'csv.ignore-parse-errors' = 'true' makes such a field NULL and leaves out a line "
             "that does not fit");
    return STATUS_INVALID_DATA;
}

enum csv_result { CSV_ROW, CSV_SKIPPED, CSV_FAILED, CSV_LEFT };

// The record at *at into the next row.
static enum csv_result csv_record(struct csv_decoder *decoder, const char **at, const char *end,
                                  bool is_last, struct err *err)
{
    struct json_decoder *columns = decoder->columns;
    const struct csv_decode_spec *spec = &decoder->spec;
    const char *begin = *at;
    uint32_t row = columns->row_count;
    uint32_t count = 0;
    uint64_t lines = 0;
    struct csv_fault fault = {.field = UINT32_MAX};
    bool is_bad = false;
    enum csv_end last = CSV_END_FIELD;
    json_node_mark(columns);
    for (; last == CSV_END_FIELD; count++) {
        struct csv_field field;
        last = csv_read_field(decoder, at, end, &field, &lines);
        if (last == CSV_INCOMPLETE && !is_last) {
            json_node_roll_back(columns, row);
            *at = begin;
            return CSV_LEFT;
        }
        if (last == CSV_INCOMPLETE || last == CSV_BAD) {
            fault.what = last == CSV_BAD ? "a quoted field does not end at a delimiter"
                                         : "a quoted field does not end";
            is_bad = true;
            break;
        }
        uint32_t column = count < spec->field_count ? decoder->column_of[count] : UINT32_MAX;
        if (column != UINT32_MAX && !is_bad &&
            !csv_value(decoder, columns->root.children[column], row, field)) {
            json_node_clear(columns->root.children[column], row, row + 1);
            if (!spec->ignore_parse_errors) {
                fault = (struct csv_fault){.field = count, .text = field.text};
                is_bad = true;
            }
        }
    }
    decoder->lines += lines + (last == CSV_END_LINE);
    bool misfit =
        count > spec->field_count || (count < spec->field_count && !spec->ignore_parse_errors);
    if (!is_bad && !misfit) {
        columns->row_count++;
        return CSV_ROW;
    }
    enum status status = csv_error(decoder, &fault, count, err);
    ASSERT(status != STATUS_OK);
    json_node_roll_back(columns, row);
    if (fault.what != NULL) { // go on behind the line
        const char *behind = memchr(*at, '\n', (size_t)(end - *at));
        *at = behind == NULL ? end : behind + 1;
        decoder->lines += behind != NULL;
    }
    return spec->ignore_parse_errors ? CSV_SKIPPED : CSV_FAILED;
}

static void csv_begin(struct csv_decoder *decoder)
{
    json_node_reset(decoder->columns, decoder->columns->row_count);
    arena_reset(&decoder->columns->heap);
    decoder->columns->row_count = 0;
    decoder->columns->bytes = 0;
    decoder->lines = 0;
}

// A line that is no record: blank (unless the table has one column), or a comment.
static bool csv_skip_line(struct csv_decoder *decoder, const char **at, const char *end)
{
    if (**at > '\r' && **at != '#') {
        return false;
    }
    const char *behind = memchr(*at, '\n', (size_t)(end - *at));
    size_t size = (size_t)((behind == NULL ? end : behind) - *at);
    size -= size > 0 && (*at)[size - 1] == '\r';
    bool is_comment = decoder->spec.allow_comments && size > 0 && **at == '#';
    if (!is_comment && (size > 0 || decoder->spec.field_count == 1)) {
        return false;
    }
    *at = behind == NULL ? end : behind + 1;
    decoder->lines += behind != NULL;
    return true;
}

enum status csv_decode_lines(struct csv_decoder *decoder, struct str bytes, bool is_last,
                             uint32_t rows_max, size_t *used, struct err *err)
{
    struct json_decoder *columns = decoder->columns;
    const char *at = bytes.ptr;
    const char *end = bytes.ptr + bytes.size;
    enum status status = STATUS_OK;
    csv_begin(decoder);
    while (columns->row_count < rows_max && at < end) {
        if (csv_skip_line(decoder, &at, end)) {
            continue;
        }
        const char *begin = at;
        uint64_t line = decoder->lines;
        uint32_t row = columns->row_count;
        columns->places[row] = line;
        enum csv_result result = decoder->may_be_quick && csv_quick_record(decoder, &at, end)
                                     ? CSV_ROW
                                     : csv_record(decoder, &at, end, is_last, err);
        bool is_full = result == CSV_ROW && row > 0 && columns->bytes > BATCH_BYTES_MAX;
        columns->skipped += result == CSV_SKIPPED;
        if (is_full || result == CSV_FAILED || result == CSV_LEFT) {
            if (is_full) {
                json_node_roll_back(columns, row);
                columns->row_count = row;
            }
            status = result == CSV_FAILED && row == 0 ? STATUS_INVALID_DATA : STATUS_OK;
            columns->bad_place = line;
            decoder->lines = line;
            at = begin;
            break;
        }
    }
    columns->lines_used = decoder->lines;
    *used = (size_t)(at - bytes.ptr);
    json_node_columns(columns, columns->row_count);
    return status;
}

enum status csv_decode_messages(struct csv_decoder *decoder, const struct str *messages,
                                uint32_t count, uint32_t rows_max, uint32_t *used, struct err *err)
{
    struct json_decoder *columns = decoder->columns;
    csv_begin(decoder);
    size_t bytes = CSV_DECODE_PADDING;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes + messages[i].size > BATCH_BYTES_MAX && i > 0) {
            count = i;
            break;
        }
        bytes += messages[i].size;
    }
    if (bytes > decoder->copy_capacity) {
        mem_free(decoder->copy);
        decoder->copy = mem_zalloc(bytes);
        decoder->copy_capacity = bytes;
    }
    char *out = decoder->copy; // views are made by loading more than there is
    enum status status = STATUS_OK;
    uint32_t i = 0;
    for (; i < count && columns->row_count < rows_max; i++) {
        if (messages[i].size == 0) {
            continue;
        }
        memcpy(out, messages[i].ptr, messages[i].size);
        const char *at = out;
        const char *end = out + messages[i].size;
        columns->places[columns->row_count] = i;
        columns->bad_place = i;
        enum csv_result result = csv_record(decoder, &at, end, true, err);
        if (result == CSV_ROW && at < end) {
            json_node_roll_back(columns, --columns->row_count);
            ERR(err, STATUS_INVALID_DATA, "not CSV: more than one line in a message");
            result = decoder->spec.ignore_parse_errors ? CSV_SKIPPED : CSV_FAILED;
        }
        columns->skipped += result == CSV_SKIPPED;
        if (result == CSV_FAILED) {
            status = columns->row_count == 0 ? STATUS_INVALID_DATA : STATUS_OK;
            break;
        }
        out += messages[i].size;
    }
    *used = i;
    json_node_columns(columns, columns->row_count);
    return status;
}
