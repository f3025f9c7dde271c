// SPDX-License-Identifier: Apache-2.0
//
// column_check: the invariants at the head of column.h, one function each.
#include "data/column.h"

static enum status check_valid(const struct column *column, struct err *err)
{
    if (column->valid == NULL) {
        return STATUS_OK;
    }
    uint32_t bit_count = column->encoding == ENCODING_CONST ? 1 : column->row_count;
    uint32_t words = bits_words(bit_count);
    if (words > 0 && (column->valid[words - 1] & ~bits_tail(bit_count)) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "bits of validity behind row %u", bit_count);
    }
    return STATUS_OK;
}

static enum status check_string(const struct strview *view, uint32_t row, struct err *err)
{
    if (view->size > STRVIEW_INLINE_MAX) {
        if (memcmp(view->prefix, view->as.ptr, 4) != 0) {
            return ERR(err, STATUS_INVALID_DATA, "row %u: the prefix is not the start", row);
        }
        return STATUS_OK;
    }
    for (uint32_t i = view->size; i < STRVIEW_INLINE_MAX; i++) {
        char byte = i < 4 ? view->prefix[i] : view->as.rest[i - 4];
        if (byte != 0) {
            return ERR(err, STATUS_INVALID_DATA, "row %u: a short string is not filled with zeros",
                       row);
        }
    }
    return STATUS_OK;
}

static enum status check_list(const struct column *column, uint32_t row, struct err *err)
{
    const struct list_view *view = (const struct list_view *)column->values + row;
    for (uint32_t i = 0; i < column->child_count; i++) {
        if ((uint64_t)view->offset + view->length > column->children[i].row_count) {
            return ERR(err, STATUS_INVALID_DATA, "row %u: elements %u + %u of %u", row,
                       view->offset, view->length, column->children[i].row_count);
        }
    }
    return STATUS_OK;
}

static bool is_zero(const void *bytes, size_t size)
{
    const char *byte = bytes;
    for (size_t i = 0; i < size; i++) {
        if (byte[i] != 0) {
            return false;
        }
    }
    return true;
}

static enum status check_values(const struct column *column, uint32_t value_count, struct err *err)
{
    if (value_count > 0 && column->values == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "no values");
    }
    size_t width = physical_width(column->physical);
    for (uint32_t row = 0; row < value_count; row++) {
        const char *value = (const char *)column->values + width * row;
        if (column->valid != NULL && !bits_get(column->valid, row) && !is_zero(value, width)) {
            return ERR(err, STATUS_INVALID_DATA, "row %u is null and its value is not zero", row);
        }
        if (column->physical == PHYSICAL_STRING) {
            TRY(check_string((const void *)value, row, err));
        } else if (column->physical == PHYSICAL_LIST || column->physical == PHYSICAL_MAP) {
            TRY(check_list(column, row, err));
        } else if (column->physical == PHYSICAL_BOOL && (unsigned char)*value > 1) {
            return ERR(err, STATUS_INVALID_DATA, "row %u: boolean %d", row, *value);
        }
    }
    return STATUS_OK;
}

static enum status check_row(const struct column *column, uint32_t value_count, struct err *err)
{
    for (uint32_t i = 0; i < column->child_count; i++) {
        const struct column *child = &column->children[i];
        if (child->row_count != value_count) {
            return ERR(err, STATUS_INVALID_DATA, "field %u has %u rows, not %u", i,
                       child->row_count, value_count);
        }
        for (uint32_t row = 0; row < value_count; row++) {
            if (column->valid != NULL && !bits_get(column->valid, row) &&
                !column_is_null(child, row)) {
                return ERR(err, STATUS_INVALID_DATA, "row %u is null, its field %u is not", row, i);
            }
        }
    }
    return STATUS_OK;
}

static uint32_t child_count_of(enum physical physical, uint32_t given)
{
    return physical == PHYSICAL_LIST  ? 1
           : physical == PHYSICAL_MAP ? 2
           : physical == PHYSICAL_ROW ? given
                                      : 0;
}

static enum status check_dict(const struct column *column, struct err *err)
{
    const struct column *dict = column->dict;
    if (dict == NULL || dict->encoding != ENCODING_FLAT || dict->physical != column->physical ||
        dict->row_count < 1 || dict->row_count > BATCH_ROWS_MAX || column_has_nulls(dict)) {
        return ERR(err, STATUS_INVALID_DATA,
                   "the dictionary is missing, not flat, of another form or size, or has nulls");
    }
    for (uint32_t row = 0; row < column->row_count; row++) {
        bool is_null = column_is_null(column, row);
        if (column->codes[row] >= dict->row_count || (is_null && column->codes[row] != 0)) {
            return ERR(err, STATUS_INVALID_DATA, "row %u: code %u of %u entries", row,
                       column->codes[row], dict->row_count);
        }
    }
    return column_check(dict, err);
}

enum status column_check(const struct column *column, struct err *err)
{
    if (column->physical > PHYSICAL_ROW || column->encoding > ENCODING_DICT) {
        return ERR(err, STATUS_INVALID_DATA, "physical %d, encoding %d", (int)column->physical,
                   (int)column->encoding);
    }
    TRY(check_valid(column, err));
    if (column->encoding == ENCODING_DICT) {
        return check_dict(column, err);
    }
    if (column->child_count != child_count_of(column->physical, column->child_count)) {
        return ERR(err, STATUS_INVALID_DATA, "%u children", column->child_count);
    }
    uint32_t value_count = column->encoding == ENCODING_CONST ? 1 : column->row_count;
    if (column->physical == PHYSICAL_ROW) {
        TRY(check_row(column, value_count, err));
    } else {
        TRY(check_values(column, value_count, err));
    }
    for (uint32_t i = 0; i < column->child_count; i++) {
        TRY(column_check(&column->children[i], err));
    }
    return STATUS_OK;
}
