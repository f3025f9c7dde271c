// SPDX-License-Identifier: Apache-2.0
#include "expr/rows.h"

#include "base/arena.h"
#include "base/assert.h"
#include "expr/expr.h"

int64_t rows_i64(const struct function_call *call, uint32_t arg, uint32_t row)
{
    const void *value = column_value(&call->args[arg], row);
    switch (physical_width(call->args[arg].physical)) {
    case 1:
        return call->args[arg].physical == PHYSICAL_BOOL ? *(const uint8_t *)value
                                                         : *(const int8_t *)value;
    case 2: return *(const int16_t *)value;
    case 4: return *(const int32_t *)value;
    default: return *(const int64_t *)value;
    }
}

int128 rows_i128(const struct function_call *call, uint32_t arg, uint32_t row)
{
    if (call->args[arg].physical == PHYSICAL_I128) {
        return *(const int128 *)column_value(&call->args[arg], row);
    }
    return rows_i64(call, arg, row);
}

double rows_f64(const struct function_call *call, uint32_t arg, uint32_t row)
{
    const void *value = column_value(&call->args[arg], row);
    return call->args[arg].physical == PHYSICAL_F32 ? (double)*(const float *)value
                                                    : *(const double *)value;
}

struct nano rows_nano(const struct function_call *call, uint32_t arg, uint32_t row)
{
    if (call->args[arg].physical == PHYSICAL_NANO) {
        return *(const struct nano *)column_value(&call->args[arg], row);
    }
    int64_t micros = rows_i64(call, arg, row);
    int64_t second = micros / 1000000 - (micros % 1000000 < 0);
    return (struct nano){second, (micros - second * 1000000) * 1000};
}

int64_t rows_micros(const struct function_call *call, uint32_t arg, uint32_t row)
{
    if (call->args[arg].physical == PHYSICAL_NANO) {
        const struct nano *nano = column_value(&call->args[arg], row);
        return nano->second * 1000000 + nano->nanosecond / 1000;
    }
    return rows_i64(call, arg, row);
}

struct str rows_str(const struct function_call *call, uint32_t arg, uint32_t row)
{
    return strview_str(column_value(&call->args[arg], row));
}

struct list_view rows_list(const struct function_call *call, uint32_t arg, uint32_t row)
{
    return *(const struct list_view *)column_value(&call->args[arg], row);
}

const struct column *rows_child(const struct function_call *call, uint32_t arg, uint32_t child)
{
    return &column_holder(&call->args[arg])->children[child];
}

static void store(enum physical physical, void *values, uint32_t row,
                  const struct function_value *value)
{
    switch (physical) {
    case PHYSICAL_BOOL: ((uint8_t *)values)[row] = value->i64 != 0; return;
    case PHYSICAL_I8: ((int8_t *)values)[row] = (int8_t)value->i64; return;
    case PHYSICAL_I16: ((int16_t *)values)[row] = (int16_t)value->i64; return;
    case PHYSICAL_I32: ((int32_t *)values)[row] = (int32_t)value->i64; return;
    case PHYSICAL_I64: ((int64_t *)values)[row] = value->i64; return;
    case PHYSICAL_I128: ((int128 *)values)[row] = value->i128; return;
    case PHYSICAL_F32: ((float *)values)[row] = (float)value->f64; return;
    case PHYSICAL_F64: ((double *)values)[row] = value->f64; return;
    case PHYSICAL_NANO: ((struct nano *)values)[row] = value->nano; return;
    case PHYSICAL_STRING:
        ((struct strview *)values)[row] = strview_make(value->text.ptr, value->text.size);
        return;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: break;
    }
    UNREACHABLE("nested results have an evaluator of their own");
}

// The rows to be computed: active, and without null arguments where those decide.
static void rows_meant(const struct function_call *call, uint64_t *meant)
{
    bool strict = (call->expr->function->properties & FUNCTION_NULL_IN_NULL_OUT) != 0;
    for (uint32_t word = 0; word < bits_words(call->row_count); word++) {
        uint64_t bits = call->active[word];
        for (uint32_t i = 0; strict && i < call->arg_count; i++) {
            bits &= column_valid_word(&call->args[i], word);
        }
        meant[word] = bits;
    }
    if (call->row_count > 0) {
        meant[bits_words(call->row_count) - 1] &= bits_tail(call->row_count);
    }
}

enum status rows_take(struct function_call *call, uint32_t row, uint64_t size, uint64_t *total,
                      struct err *err)
{
    *total += size;
    if (size <= ROWS_TEXT_MAX && *total <= ROWS_BYTES_MAX) {
        return STATUS_OK;
    }
    call->error_row = row;
    return ERR(err, STATUS_LIMIT, "%s: the result is too large: texts may have 64 MiB",
               call->expr->function->name);
}

// What rows have taken from the arena so far.
static enum status check_room(struct function_call *call, uint32_t row, size_t before,
                              struct err *err)
{
    if (call->arena->bytes - before <= ROWS_BYTES_MAX) {
        return STATUS_OK;
    }
    call->error_row = row;
    return ERR(err, STATUS_LIMIT, "%s: the results of one batch take more than 512 MiB",
               call->expr->function->name);
}

enum status rows_run(struct function_call *call, struct column *out, struct err *err)
{
    enum physical physical = type_physical(call->expr->type);
    size_t width = physical_width(physical);
    uint32_t words = bits_words(call->row_count);
    uint64_t *valid = arena_alloc(call->arena, (words + 1) * sizeof *valid);
    void *values = arena_zalloc(call->arena, (call->row_count + 1) * width);
    rows_meant(call, valid);
    bool has_nulls = false;
    size_t before = call->arena->bytes;
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t bits = valid[word]; bits != 0; bits &= bits - 1) {
            uint32_t row = word * 64 + (uint32_t)__builtin_ctzll(bits);
            struct function_value value = {0};
            enum status status = call->expr->function->row(call, row, &value, err);
            if (status != STATUS_OK) {
                call->error_row = row;
                return status;
            }
            TRY(check_room(call, row, before, err));
            if (value.is_null) {
                bits_clear(valid, row);
            } else {
                store(physical, values, row, &value);
            }
        }
        has_nulls |= valid[word] != (word + 1 < words ? UINT64_MAX : bits_tail(call->row_count));
    }
    *out = (struct column){.physical = physical,
                           .encoding = ENCODING_FLAT,
                           .row_count = call->row_count,
                           .valid = has_nulls ? valid : NULL,
                           .values = values};
    return STATUS_OK;
}

enum status rows_build(struct function_call *call, rows_builder *row_of, struct column *out,
                       struct err *err)
{
    uint64_t meant[BATCH_WORDS_MAX];
    rows_meant(call, meant);
    struct column_builder *builder =
        column_builder_new(call->arena, call->expr->type, call->row_count);
    size_t before = call->arena->bytes;
    for (uint32_t row = 0; row < call->row_count; row++) {
        TRY(check_room(call, row, before, err));
        if (!bits_get(meant, row)) {
            column_builder_null(builder);
            continue;
        }
        enum status status = row_of(call, row, builder, err);
        if (status != STATUS_OK) {
            call->error_row = row;
            return status;
        }
    }
    *out = column_builder_finish(builder);
    return STATUS_OK;
}
