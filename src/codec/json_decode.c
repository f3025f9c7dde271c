// SPDX-License-Identifier: Apache-2.0
//
// The decoder as its callers see it: records one after the other, and what is said about bad ones.
#include "codec/json_decode.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/json_int.h"

enum status json_decode_new(const struct json_decode_spec *spec, struct json_decoder **out,
                            struct err *err)
{
    struct json_decoder *decoder = mem_zalloc(sizeof *decoder);
    arena_init(&decoder->arena);
    arena_init(&decoder->heap);
    decoder->timestamp_form = spec->timestamp_form;
    decoder->fail_on_missing_field = spec->fail_on_missing_field;
    decoder->ignore_parse_errors = spec->ignore_parse_errors;
    decoder->option_prefix = arena_str(&decoder->arena, spec->option_prefix);
    enum status status = json_node_build(decoder, spec, err);
    if (status != STATUS_OK) {
        json_decode_free(decoder);
        return status;
    }
    *out = decoder;
    return STATUS_OK;
}

void json_decode_free(struct json_decoder *decoder)
{
    if (decoder != NULL) {
        json_node_release(decoder);
        arena_release(&decoder->heap);
        arena_release(&decoder->arena);
        mem_free(decoder->copy);
        mem_free(decoder);
    }
}

uint32_t json_decode_rows(const struct json_decoder *decoder)
{
    return decoder->row_count;
}

const struct column *json_decode_columns(const struct json_decoder *decoder)
{
    return decoder->root.columns;
}

const uint64_t *json_decode_places(const struct json_decoder *decoder)
{
    return decoder->places;
}

uint64_t json_decode_lines_used(const struct json_decoder *decoder)
{
    return decoder->lines_used;
}

uint64_t json_decode_bad_place(const struct json_decoder *decoder)
{
    return decoder->bad_place;
}

uint64_t json_decode_skipped(const struct json_decoder *decoder)
{
    return decoder->skipped;
}

// Errors.

// geo.lat, tags[3].x; the root has no name.
static void decode_path(struct strbuf *out, const struct json_node *node)
{
    const struct json_node *parent = node->parent;
    if (parent == NULL) {
        return;
    }
    decode_path(out, parent);
    if (parent->kind == JSON_LIST) {
        strbuf_printf(out, "[%u]", parent->failed_at);
    } else if (parent->kind == JSON_MAP) {
        strbuf_add_text(out, node == parent->children[0] ? "{key}" : "{}");
    } else {
        strbuf_add_text(out, out->size > 0 ? "." : "");
        strbuf_add(out, node->name);
    }
}

// Bytes of the input for a person: at most 48 of them, whole lines only.
static void decode_excerpt(struct strbuf *out, struct str bytes)
{
    enum { EXCERPT_MAX = 48 };
    size_t size = bytes.size < EXCERPT_MAX ? bytes.size : EXCERPT_MAX;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)bytes.ptr[i];
        if (byte < 0x20 || byte == 0x7f) {
            strbuf_printf(out, "\\x%02x", byte);
        } else if (byte >= 0xc0 && i + 4 > EXCERPT_MAX && bytes.size > EXCERPT_MAX) {
            break; // a character that would be cut
        } else {
            strbuf_add_byte(out, (char)byte);
        }
    }
    strbuf_add_text(out, bytes.size > size ? "..." : "");
}

// The end of the record that begins at decoder->record.
static const char *decode_record_end(const struct json_decoder *decoder)
{
    if (!decoder->is_lines) {
        return decoder->end;
    }
    const char *end = memchr(decoder->record, '\n', (size_t)(decoder->end - decoder->record));
    return end == NULL ? decoder->end : end;
}

static enum status decode_error(struct json_decoder *decoder, struct err *err)
{
    const struct json_failure *failure = &decoder->failure;
    struct strbuf path;
    struct strbuf excerpt;
    struct str prefix = decoder->option_prefix;
    strbuf_init(&path, 256);
    strbuf_init(&excerpt, 256);
    if (failure->node != NULL) {
        decode_path(&path, failure->node);
    }
    uint64_t offset = (uint64_t)(failure->at - decoder->record);
    const char *end = decode_record_end(decoder);
    enum status status = STATUS_INVALID_DATA;
    if (failure->is_syntax) {
        // What led to the place says more than the byte at it.
        const char *from = offset > 24 ? failure->at - 24 : decoder->record;
        decode_excerpt(&excerpt, str_make(from, (size_t)(end - from)));
        err_set(err, status, __FILE__, __LINE__,
                "not JSON: %s, at byte %llu of the record%s%s%s, near '%s'", failure->what,
                (unsigned long long)offset, path.size > 0 ? " in field '" : "",
                path.size > 0 ? path.ptr : "", path.size > 0 ? "'" : "", excerpt.ptr);
    } else if (failure->what != NULL) {
        err_set(err, status, __FILE__, __LINE__, "field '%s' %s", path.ptr, failure->what);
    } else {
        struct str type = type_text(&decoder->heap, failure->node->type);
        decode_excerpt(&excerpt, failure->value);
        err_set(err, status, __FILE__, __LINE__,
                "field '%s' cannot be read as %.*s: %s, at byte %llu of the record", path.ptr,
                STR_ARGS(type), excerpt.ptr, (unsigned long long)offset);
    }
    err_hint(err,
             "'%.*signore-parse-errors' = 'true' makes such a field NULL and leaves out a "
             "record that is no JSON",
             STR_ARGS(prefix));
    if (err != NULL) {
        err->offset = offset;
        err->length = (uint32_t)failure->value.size;
    }
    strbuf_release(&path);
    strbuf_release(&excerpt);
    return status;
}

// Records.

static void decode_begin(struct json_decoder *decoder)
{
    json_node_reset(decoder, decoder->row_count);
    arena_reset(&decoder->heap);
    decoder->row_count = 0;
    decoder->bytes = 0;
}

enum decode_result { DECODE_ROW, DECODE_SKIPPED, DECODE_FULL, DECODE_FAILED };

// The record at decoder->record into the next row; *behind is its end.
static enum decode_result decode_record(struct json_decoder *decoder, const char **behind)
{
    uint32_t row = decoder->row_count;
    decoder->failure = (struct json_failure){0};
    json_node_mark(decoder);
    const char *at = json_value_record(decoder, decoder->record, row);
    if (at != NULL) {
        at = json_scan_blank(decoder, at);
        if (!json_is_end(decoder, at)) {
            at = json_scan_fail(decoder, at, "nothing can stand behind the record's object");
        }
    }
    if (at != NULL && decoder->bytes > BATCH_BYTES_MAX && row > 0) {
        json_node_roll_back(decoder, row);
        return DECODE_FULL;
    }
    if (at != NULL) {
        *behind = at;
        decoder->row_count++;
        return DECODE_ROW;
    }
    json_node_roll_back(decoder, row);
    if (decoder->ignore_parse_errors) {
        *behind = decode_record_end(decoder);
        decoder->skipped++;
        return DECODE_SKIPPED;
    }
    return DECODE_FAILED;
}

// A bad record is told when it is the first: the rows before it go out before.
static enum status decode_finish(struct json_decoder *decoder, bool has_failed, struct err *err)
{
    json_node_columns(decoder, decoder->row_count);
    if (has_failed && decoder->row_count == 0) {
        return decode_error(decoder, err);
    }
    return STATUS_OK;
}

static enum status decode_check_size(const struct json_decoder *decoder, const char *end,
                                     struct err *err)
{
    size_t size = (size_t)(end - decoder->record);
    if (size > JSON_DECODE_RECORD_MAX) {
        return ERR(err, STATUS_LIMIT, "a record of %zu bytes; the limit is %d", size,
                   JSON_DECODE_RECORD_MAX);
    }
    return STATUS_OK;
}

enum status json_decode_lines(struct json_decoder *decoder, struct str bytes, uint32_t rows_max,
                              size_t *used, struct err *err)
{
    ASSERT(rows_max <= BATCH_ROWS_MAX);
    decode_begin(decoder);
    decoder->is_lines = true;
    decoder->end = bytes.ptr + bytes.size;
    const char *at = bytes.ptr;
    uint64_t lines = 0;
    bool has_failed = false;
    while (decoder->row_count < rows_max && at < decoder->end) {
        const char *blank = json_scan_blank(decoder, at);
        if (json_is_end(decoder, blank)) {
            at = blank + (blank < decoder->end);
            lines++;
            continue;
        }
        decoder->record = blank;
        decoder->places[decoder->row_count] = lines;
        enum decode_result result = decode_record(decoder, &at);
        has_failed = result == DECODE_FAILED;
        if (result == DECODE_FULL || has_failed) {
            decoder->bad_place = lines;
            break;
        }
        at += at < decoder->end;
        lines++;
    }
    decoder->lines_used = lines;
    *used = (size_t)(at - bytes.ptr);
    return decode_finish(decoder, has_failed, err);
}

// How many of the messages fit into one batch, at least one; their bytes.
static uint32_t decode_count_messages(const struct str *messages, uint32_t count, size_t *bytes)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sum + messages[i].size > BATCH_BYTES_MAX && i > 0) {
            count = i;
            break;
        }
        sum += messages[i].size;
    }
    *bytes = sum;
    return count;
}

enum status json_decode_messages(struct json_decoder *decoder, const struct str *messages,
                                 uint32_t count, uint32_t rows_max, uint32_t *used, struct err *err)
{
    ASSERT(rows_max <= BATCH_ROWS_MAX);
    decode_begin(decoder);
    decoder->is_lines = false;
    size_t bytes;
    count = decode_count_messages(messages, count, &bytes);
    size_t need = bytes + count + JSON_DECODE_PADDING;
    if (need > decoder->copy_capacity) {
        mem_free(decoder->copy);
        decoder->copy_capacity = need > BATCH_BYTES_MAX ? need : BATCH_BYTES_MAX;
        decoder->copy = mem_zalloc(decoder->copy_capacity);
    }
    char *out = decoder->copy;
    bool has_failed = false;
    uint32_t i = 0;
    for (; i < count && decoder->row_count < rows_max; i++) {
        if (messages[i].size == 0) {
            continue;
        }
        memcpy(out, messages[i].ptr, messages[i].size);
        out[messages[i].size] = 0; // the sentinel
        decoder->end = out + messages[i].size;
        decoder->places[decoder->row_count] = i;
        decoder->record = json_scan_blank(decoder, out);
        decoder->bad_place = i;
        TRY(decode_check_size(decoder, decoder->end, err));
        enum decode_result result = decode_record(decoder, &(const char *){NULL});
        has_failed = result == DECODE_FAILED;
        if (result == DECODE_FULL || has_failed) {
            break;
        }
        out += messages[i].size + 1;
    }
    *used = i;
    return decode_finish(decoder, has_failed, err);
}
