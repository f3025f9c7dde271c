// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_decode.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "codec/avro_decode_int.h"
#include "codec/utf8_check.h"
#include "data/batch.h"
#include "data/datetime.h"
#include "data/decimal.h"
#include "data/variant.h"

enum { UUID_TEXT = 36, BLOCK_MORE = 0x80 };

static enum status run(const struct avro_step *step, struct avro_cursor *cursor, struct err *err);

// Most numbers are small.
static inline enum status get_long(struct avro_cursor *cursor, int64_t *out, struct err *err)
{
    if (cursor->at < cursor->end && (*cursor->at & BLOCK_MORE) == 0) {
        uint8_t byte = (uint8_t)*cursor->at++;
        *out = (int64_t)(byte >> 1) ^ -(int64_t)(byte & 1);
        return STATUS_OK;
    }
    return avro_cursor_long(cursor, out, err);
}

static inline enum status get_bytes(struct avro_cursor *cursor, uint64_t size, struct str *out,
                                    struct err *err)
{
    if (size > (uint64_t)(cursor->end - cursor->at)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a value goes beyond the end of its block");
    }
    *out = str_make(cursor->at, (size_t)size);
    cursor->at += size;
    return STATUS_OK;
}

static inline enum status get_string(struct avro_cursor *cursor, struct str *out, struct err *err)
{
    int64_t size = 0;
    TRY(get_long(cursor, &size, err));
    return get_bytes(cursor, (uint64_t)size, out, err); // a negative size is a very large one
}

static enum status put_text(const struct avro_step *step, struct str text, struct err *err)
{
    size_t bad = utf8_check_find(text.ptr, text.size);
    if (bad < text.size) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a string is not UTF-8 at its byte %zu", bad);
    }
    column_builder_string_borrow(step->out, text);
    return STATUS_OK;
}

static enum status run_int(const struct avro_step *step, struct avro_cursor *cursor,
                           struct err *err)
{
    int64_t value = 0;
    TRY(get_long(cursor, &value, err));
    if (value > step->unit || value < -step->unit - 1) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: int out of range");
    }
    column_builder_i64(step->out, value);
    return STATUS_OK;
}

static enum status run_long(const struct avro_step *step, struct avro_cursor *cursor,
                            struct err *err)
{
    int64_t value = 0;
    TRY(get_long(cursor, &value, err));
    if (step->op == AVRO_OP_LONG) {
        column_builder_i64(step->out, value);
    } else if (step->op == AVRO_OP_LONG_F32) {
        column_builder_f32(step->out, (float)value);
    } else {
        column_builder_f64(step->out, (double)value);
    }
    return STATUS_OK;
}

static enum status run_float(const struct avro_step *step, struct avro_cursor *cursor,
                             struct err *err)
{
    struct str bytes = {0};
    if (step->op == AVRO_OP_F64) {
        double wide;
        TRY(get_bytes(cursor, 8, &bytes, err));
        memcpy(&wide, bytes.ptr, 8);
        column_builder_f64(step->out, wide);
        return STATUS_OK;
    }
    float value;
    TRY(get_bytes(cursor, 4, &bytes, err));
    memcpy(&value, bytes.ptr, 4);
    if (step->op == AVRO_OP_F32) {
        column_builder_f32(step->out, value);
    } else {
        column_builder_f64(step->out, (double)value);
    }
    return STATUS_OK;
}

static enum status run_enum(const struct avro_step *step, struct avro_cursor *cursor,
                            struct err *err)
{
    int64_t value = 0;
    TRY(get_long(cursor, &value, err));
    if (value < 0 || value >= (int64_t)step->schema->count) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: symbol %lld of %u", (long long)value,
                   step->schema->count);
    }
    if (step->symbols[value].ptr == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "the reader's enum does not know the symbol '%.*s'",
                   STR_ARGS(step->schema->fields[value].name));
    }
    column_builder_string_borrow(step->out, step->symbols[value]);
    return STATUS_OK;
}

// Two's complement, the highest byte first.
static enum status run_decimal(const struct avro_step *step, struct avro_cursor *cursor,
                               struct err *err)
{
    struct str bytes = {0};
    TRY(step->op == AVRO_OP_DECIMAL ? get_string(cursor, &bytes, err)
                                    : get_bytes(cursor, (uint64_t)step->schema->size, &bytes, err));
    bool is_negative = bytes.size > 0 && (bytes.ptr[0] & 0x80) != 0;
    char sign = is_negative ? '\xff' : 0;
    while (bytes.size > sizeof(int128) && bytes.ptr[0] == sign) {
        bytes = str_slice(bytes, 1, bytes.size);
    }
    uint128 value = is_negative ? ~(uint128)0 : 0;
    for (size_t i = 0; i < bytes.size && i < sizeof value; i++) {
        value = value << 8 | (uint8_t)bytes.ptr[i];
    }
    if (bytes.size > sizeof value || !decimal_fits((int128)value, step->precision)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a decimal of over %d digits", step->precision);
    }
    column_builder_i128(step->out, (int128)value);
    return STATUS_OK;
}

static enum status run_time(const struct avro_step *step, struct avro_cursor *cursor,
                            struct err *err)
{
    int64_t value = 0;
    TRY(get_long(cursor, &value, err));
    if (value < 0 || value / step->unit >= DATETIME_SECONDS_PER_DAY) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a time beyond its day");
    }
    int64_t micros = value * (DATETIME_US_PER_SECOND / step->unit);
    column_builder_i64(step->out,
                       step->precision <= 3
                           ? micros / 1000
                           : datetime_cut_us(micros, type_time_precision(step->precision)));
    return STATUS_OK;
}

static enum status run_timestamp(const struct avro_step *step, struct avro_cursor *cursor,
                                 struct err *err)
{
    int64_t value = 0;
    TRY(get_long(cursor, &value, err));
    int64_t second = datetime_floor_div(value, step->unit);
    int64_t nanos = datetime_floor_mod(value, step->unit) * (DATETIME_NS_PER_SECOND / step->unit);
    if (step->precision > 6) {
        struct nano nano = {second, nanos};
        column_builder_nano(step->out, datetime_cut_nano(nano, step->precision));
        return STATUS_OK;
    }
    int64_t micros;
    if (__builtin_mul_overflow(second, DATETIME_US_PER_SECOND, &micros)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a timestamp out of range");
    }
    micros += nanos / 1000;
    column_builder_i64(step->out,
                       step->precision < 6 ? datetime_cut_us(micros, step->precision) : micros);
    return STATUS_OK;
}

static enum status run_date_timestamp(const struct avro_step *step, struct avro_cursor *cursor,
                                      struct err *err)
{
    int64_t days = 0;
    TRY(get_long(cursor, &days, err));
    if (days != (int32_t)days) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: int out of range");
    }
    column_builder_timestamp_us(step->out, days * DATETIME_US_PER_DAY);
    return STATUS_OK;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static enum status run_uuid_bytes(const struct avro_step *step, struct avro_cursor *cursor,
                                  struct err *err)
{
    struct str text = {0};
    char bytes[16];
    size_t digits = 0;
    TRY(get_string(cursor, &text, err));
    bool is_good = text.size == UUID_TEXT;
    for (size_t i = 0; is_good && i < UUID_TEXT; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        int digit = hex_digit(text.ptr[i]);
        is_good = is_dash ? text.ptr[i] == '-' : digit >= 0;
        if (is_good && !is_dash) {
            int high = digits % 2 == 0 ? 0 : bytes[digits / 2] << 4;
            bytes[digits++ / 2] = (char)(high | digit);
        }
    }
    if (!is_good) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: '%.*s' is no UUID",
                   (int)(text.size < UUID_TEXT ? text.size : UUID_TEXT), text.ptr);
    }
    const char *copy = arena_copy(step->heap, bytes, sizeof bytes);
    column_builder_string_borrow(step->out, str_make(copy, sizeof bytes));
    return STATUS_OK;
}

static enum status run_uuid_text(const struct avro_step *step, struct avro_cursor *cursor,
                                 struct err *err)
{
    static const char digits[] = "0123456789abcdef";
    char text[UUID_TEXT];
    struct str bytes = {0};
    size_t size = 0;
    TRY(get_bytes(cursor, 16, &bytes, err));
    for (size_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text[size++] = '-';
        }
        text[size++] = digits[(uint8_t)bytes.ptr[i] >> 4];
        text[size++] = digits[bytes.ptr[i] & 15];
    }
    column_builder_string_borrow(step->out, str_make(arena_copy(step->heap, text, size), size));
    return STATUS_OK;
}

static enum status run_bytes(const struct avro_step *step, struct avro_cursor *cursor,
                             struct err *err)
{
    struct str bytes = {0};
    TRY(step->op == AVRO_OP_FIXED ? get_bytes(cursor, (uint64_t)step->schema->size, &bytes, err)
                                  : get_string(cursor, &bytes, err));
    if (step->op == AVRO_OP_STRING || step->op == AVRO_OP_BYTES_STRING) {
        return put_text(step, bytes, err);
    }
    column_builder_string_borrow(step->out, bytes);
    return STATUS_OK;
}

// A variant's two parts, in one string.
static enum status run_variant(const struct avro_step *step, struct avro_cursor *cursor,
                               struct err *err)
{
    struct str parts[2] = {{0}, {0}};
    const char *what = NULL;
    TRY(get_string(cursor, &parts[0], err));
    TRY(get_string(cursor, &parts[1], err));
    struct str metadata = parts[step->at];
    struct str value = parts[1 - step->at];
    char *held = arena_alloc(step->heap, metadata.size + value.size + 1);
    memcpy(held, metadata.ptr, metadata.size);
    memcpy(held + metadata.size, value.ptr, value.size);
    struct str text = str_make(held, metadata.size + value.size);
    if (!variant_check(text, &what)) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: a damaged variant: %s", what);
    }
    column_builder_string_borrow(step->out, text);
    return STATUS_OK;
}

static enum status get_branch(const struct avro_step *step, struct avro_cursor *cursor,
                              uint32_t count, uint32_t *out, struct err *err)
{
    int64_t branch;
    TRY(get_long(cursor, &branch, err));
    if (branch < 0 || branch >= (int64_t)count) {
        return ERR(err, STATUS_INVALID_DATA, "Avro: union branch %lld of %u", (long long)branch,
                   step->schema->count);
    }
    *out = (uint32_t)branch;
    return STATUS_OK;
}

static enum status run_member(const struct avro_step *step, struct avro_cursor *cursor,
                              struct err *err)
{
    uint32_t members = column_builder_type(step->out)->field_count;
    TRY(run(&step->children[0], cursor, err));
    for (uint32_t i = 0; i < members; i++) {
        if (i != step->at) {
            column_builder_null(column_builder_child(step->out, i));
        }
    }
    column_builder_row(step->out);
    return STATUS_OK;
}

static enum status run_record(const struct avro_step *step, struct avro_cursor *cursor,
                              struct err *err)
{
    for (uint32_t i = 0; i < step->count; i++) {
        enum status status = run(&step->children[i], cursor, err);
        if (status != STATUS_OK) {
            err_context(err, "field '%.*s'", STR_ARGS(step->children[i].name));
            return status;
        }
    }
    if (step->out != NULL) {
        column_builder_row(step->out);
    }
    return STATUS_OK;
}

static enum status run_items(const struct avro_step *step, struct avro_cursor *cursor,
                             struct err *err)
{
    uint64_t count = 0;
    column_builder_list_begin(step->out);
    do {
        TRY(avro_cursor_items(cursor, step->schema->fields[0].schema, &count, err));
        for (uint64_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < step->count; j++) {
                TRY(run(&step->children[j], cursor, err));
            }
        }
    } while (count > 0);
    column_builder_list_end(step->out);
    return STATUS_OK;
}

static enum status run_union(const struct avro_step *step, struct avro_cursor *cursor,
                             struct err *err)
{
    uint32_t branch = 0;
    TRY(get_branch(step, cursor, step->count, &branch, err));
    return run(&step->children[branch], cursor, err);
}

static enum status run_optional(const struct avro_step *step, struct avro_cursor *cursor,
                                struct err *err)
{
    uint32_t branch = 0;
    TRY(get_branch(step, cursor, 2, &branch, err));
    return run(&step->children[branch == step->at], cursor, err);
}

static enum status run_default(const struct avro_step *step, struct err *err)
{
    struct avro_cursor bytes = avro_cursor_make(step->text);
    return run(&step->children[0], &bytes, err);
}

static enum status run_boolean(const struct avro_step *step, struct avro_cursor *cursor,
                               struct err *err)
{
    struct str byte = {0};
    TRY(get_bytes(cursor, 1, &byte, err));
    column_builder_i64(step->out, byte.ptr[0] != 0);
    return STATUS_OK;
}

static enum status run(const struct avro_step *step, struct avro_cursor *cursor, struct err *err)
{
    switch (step->op) {
    case AVRO_OP_SKIP: return avro_cursor_skip(cursor, step->schema, err);
    case AVRO_OP_FAIL: return ERR(err, STATUS_INVALID_DATA, "%.*s", STR_ARGS(step->text));
    case AVRO_OP_NULL: column_builder_null(step->out); return STATUS_OK;
    case AVRO_OP_NO_NULL:
        return ERR(err, STATUS_INVALID_DATA, "Avro: null, which the reader's schema does not have");
    case AVRO_OP_BOOLEAN: return run_boolean(step, cursor, err);
    case AVRO_OP_INT: return run_int(step, cursor, err);
    case AVRO_OP_LONG:
    case AVRO_OP_LONG_F32:
    case AVRO_OP_LONG_F64: return run_long(step, cursor, err);
    case AVRO_OP_F32:
    case AVRO_OP_F64:
    case AVRO_OP_F32_F64: return run_float(step, cursor, err);
    case AVRO_OP_STRING:
    case AVRO_OP_BYTES:
    case AVRO_OP_BYTES_STRING:
    case AVRO_OP_FIXED: return run_bytes(step, cursor, err);
    case AVRO_OP_ENUM: return run_enum(step, cursor, err);
    case AVRO_OP_DECIMAL:
    case AVRO_OP_DECIMAL_FIXED: return run_decimal(step, cursor, err);
    case AVRO_OP_TIME: return run_time(step, cursor, err);
    case AVRO_OP_TIMESTAMP: return run_timestamp(step, cursor, err);
    case AVRO_OP_DATE_TIMESTAMP: return run_date_timestamp(step, cursor, err);
    case AVRO_OP_UUID_BYTES: return run_uuid_bytes(step, cursor, err);
    case AVRO_OP_UUID_TEXT: return run_uuid_text(step, cursor, err);
    case AVRO_OP_VARIANT: return run_variant(step, cursor, err);
    case AVRO_OP_OPTIONAL: return run_optional(step, cursor, err);
    case AVRO_OP_UNION: return run_union(step, cursor, err);
    case AVRO_OP_MEMBER: return run_member(step, cursor, err);
    case AVRO_OP_RECORD: return run_record(step, cursor, err);
    case AVRO_OP_ARRAY:
    case AVRO_OP_MAP: return run_items(step, cursor, err);
    case AVRO_OP_DEFAULT: return run_default(step, err);
    }
    UNREACHABLE("step");
}

bool avro_decoder_is_full(const struct avro_decoder *decoder)
{
    return decoder->row_count >= BATCH_ROWS_MAX || decoder->bytes >= BATCH_BYTES_MAX;
}

// Leaves row_count rows.
static void cut_rows(struct avro_decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->column_count; i++) {
        if (decoder->builders[i] != NULL) {
            column_builder_truncate(decoder->builders[i], decoder->row_count);
        }
    }
}

void avro_decoder_drop_row(struct avro_decoder *decoder)
{
    ASSERT(decoder->row_count > 0);
    decoder->row_count--;
    cut_rows(decoder);
}

enum status avro_decoder_rows(struct avro_decoder *decoder, struct avro_cursor *cursor,
                              uint64_t *rows, struct err *err)
{
    while (*rows > 0 && !avro_decoder_is_full(decoder)) {
        const char *begin = cursor->at;
        enum status status = run_record(&decoder->root, cursor, err);
        if (status != STATUS_OK) {
            cut_rows(decoder);
            return status;
        }
        decoder->bytes += (uint64_t)(cursor->at - begin);
        decoder->row_count++;
        --*rows;
    }
    return STATUS_OK;
}

uint32_t avro_decoder_row_count(const struct avro_decoder *decoder)
{
    return decoder->row_count;
}

const struct column *avro_decoder_columns(struct avro_decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->column_count; i++) {
        if (decoder->builders[i] == NULL) {
            decoder->columns[i] = decoder->nulls[i];
            decoder->columns[i].row_count = decoder->row_count;
        } else {
            decoder->columns[i] = column_builder_finish(decoder->builders[i]);
        }
    }
    return decoder->columns;
}

void avro_decoder_reset(struct avro_decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->column_count; i++) {
        if (decoder->builders[i] != NULL) {
            column_builder_reset(decoder->builders[i]);
        }
    }
    arena_reset(&decoder->heap);
    decoder->row_count = 0;
    decoder->bytes = 0;
}

bool avro_decoder_is_missing(const struct avro_decoder *decoder, uint32_t at)
{
    return decoder->is_missing[at];
}

enum status avro_decoder_new(const struct avro_schema *writer,
                             const struct avro_decoder_options *options, struct avro_decoder **out,
                             struct err *err)
{
    struct avro_decoder *decoder = mem_zalloc(sizeof *decoder);
    arena_init(&decoder->arena);
    *out = NULL;
    enum status status = avro_resolve(decoder, writer, options, err);
    if (status != STATUS_OK) {
        avro_decoder_free(decoder);
        return status;
    }
    *out = decoder;
    return STATUS_OK;
}

void avro_decoder_free(struct avro_decoder *decoder)
{
    if (decoder != NULL) {
        arena_release(&decoder->heap);
        arena_release(&decoder->arena);
        mem_free(decoder);
    }
}
