// SPDX-License-Identifier: Apache-2.0
//
// block_batch: batches as payloads of blocks (block.h).
//
//     u32 rows, u32 columns, u8 has kinds, u8 has row watermarks, zeros up to 16
//     kinds: a byte a row; row watermarks: 8 bytes a row; each padded to 8
//     columns
//
// A column:
//     u8 physical, u8 encoding, u8 has validity, u8 0, u32 rows, u32 children, u32 long bytes
//     validity words; values (padded to 8) or codes (padded to 8) and the dictionary's column
//     long bytes (padded to 8): a view of more than 12 bytes has its offset in there as its pointer
//     children
#include <string.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/strbuf.h"
#include "codec/block.h"

enum { DEPTH_MAX = 64, COLUMNS_MAX = 65535 };

struct batch_head {
    uint32_t row_count;
    uint32_t column_count;
    uint8_t has_kinds;
    uint8_t has_watermarks;
    uint8_t zero[6];
};

struct column_head {
    uint8_t physical;
    uint8_t encoding;
    uint8_t has_valid;
    uint8_t zero;
    uint32_t row_count;
    uint32_t child_count;
    uint32_t long_bytes;
};

// --- writing -----------------------------------------------------------------------------------

static char *grow(struct strbuf *out, size_t size)
{
    size_t room = (size + 7) & ~(size_t)7;
    char *at = strbuf_reserve(out, room);
    if (at != NULL) {
        memset(at + size, 0, room - size);
        strbuf_commit(out, room);
    }
    return at;
}

static void put(struct strbuf *out, const void *bytes, size_t size)
{
    char *at = grow(out, size);
    if (at != NULL && size > 0) {
        memcpy(at, bytes, size);
    }
}

static uint32_t value_rows(const struct column *column)
{
    return column->encoding == ENCODING_CONST ? 1 : column->row_count;
}

static size_t long_bytes(const struct column *column)
{
    size_t bytes = 0;
    if (column->physical != PHYSICAL_STRING || column->encoding == ENCODING_DICT) {
        return 0;
    }
    const struct strview *views = column->values;
    for (uint32_t i = 0; i < value_rows(column); i++) {
        bytes += views[i].size > STRVIEW_INLINE_MAX ? views[i].size : 0;
    }
    return bytes;
}

static void put_strings(struct strbuf *out, const struct column *column, size_t bytes)
{
    const struct strview *views = column->values;
    uint32_t rows = value_rows(column);
    char *into = grow(out, rows * sizeof *views);
    if (into == NULL) {
        return;
    }
    memcpy(into, views, rows * sizeof *views);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (views[i].size > STRVIEW_INLINE_MAX) {
            memcpy(into + i * sizeof *views + offsetof(struct strview, as), &offset, sizeof offset);
            offset += views[i].size;
        }
    }
    char *data = grow(out, bytes);
    for (uint32_t i = 0; i < rows && data != NULL; i++) {
        if (views[i].size > STRVIEW_INLINE_MAX) {
            memcpy(data, views[i].as.ptr, views[i].size);
            data += views[i].size;
        }
    }
}

static enum status add_column(struct strbuf *out, const struct column *column, struct err *err)
{
    size_t bytes = long_bytes(column);
    if (bytes > BLOCK_PAYLOAD_MAX) {
        return ERR(err, STATUS_LIMIT, "a batch with %zu bytes of strings", bytes);
    }
    uint32_t rows = value_rows(column);
    struct column_head head = {
        .physical = (uint8_t)column->physical,
        .encoding = (uint8_t)column->encoding,
        .has_valid = column->valid != NULL,
        .row_count = column->row_count,
        .child_count = column->encoding == ENCODING_DICT ? 0 : column->child_count,
        .long_bytes = (uint32_t)bytes,
    };
    put(out, &head, sizeof head);
    if (column->valid != NULL) {
        put(out, column->valid, bits_words(rows) * sizeof(uint64_t));
    }
    if (column->encoding == ENCODING_DICT) {
        put(out, column->codes, rows * sizeof *column->codes);
        return add_column(out, column->dict, err);
    }
    if (column->physical == PHYSICAL_STRING) {
        put_strings(out, column, bytes);
    } else if (physical_width(column->physical) > 0) {
        put(out, column->values, rows * physical_width(column->physical));
    }
    for (uint32_t i = 0; i < column->child_count; i++) {
        TRY(add_column(out, &column->children[i], err));
    }
    return STATUS_OK;
}

enum status block_add_batch(struct strbuf *out, const struct batch *batch, struct err *err)
{
    struct batch_head head = {
        .row_count = batch->row_count,
        .column_count = batch->column_count,
        .has_kinds = batch->kinds != NULL,
        .has_watermarks = batch->row_watermarks != NULL,
    };
    put(out, &head, sizeof head);
    if (batch->kinds != NULL) {
        put(out, batch->kinds, batch->row_count);
    }
    if (batch->row_watermarks != NULL) {
        put(out, batch->row_watermarks, batch->row_count * sizeof *batch->row_watermarks);
    }
    for (uint32_t i = 0; i < batch->column_count; i++) {
        TRY(add_column(out, &batch->columns[i], err));
    }
    return out->truncated
               ? ERR(err, STATUS_LIMIT, "a batch does not fit into %zu bytes", out->size_max)
               : STATUS_OK;
}

// --- reading -----------------------------------------------------------------------------------

// Columns point into the payload here; batch_settle() then copies them into one heap.
struct reader {
    const char *at;
    const char *end;
    struct arena *arena;
    int depth;
};

static enum status damaged(struct err *err, const char *what)
{
    return ERR(err, STATUS_INVALID_DATA, "a batch in a block: %s", what);
}

// The next `count` x `width` bytes; NULL: they are not there.
static const char *take(struct reader *reader, uint64_t count, size_t width)
{
    uint64_t size = (count * width + 7) & ~UINT64_C(7);
    if (size > (uint64_t)(reader->end - reader->at)) {
        return NULL;
    }
    const char *at = reader->at;
    reader->at += size;
    return at;
}

static enum status take_valid(struct reader *reader, struct column *column, struct err *err)
{
    uint32_t rows = value_rows(column);
    const char *bytes = take(reader, bits_words(rows), sizeof(uint64_t));
    if (bytes == NULL) {
        return damaged(err, "validity");
    }
    uint64_t *valid = arena_copy(reader->arena, bytes, bits_words(rows) * sizeof *valid);
    if (rows > 0 && (valid[bits_words(rows) - 1] & ~bits_tail(rows)) != 0) {
        return damaged(err, "validity");
    }
    column->valid = valid;
    return STATUS_OK;
}

static enum status take_strings(struct reader *reader, struct column *column, uint32_t bytes,
                                struct err *err)
{
    uint32_t rows = value_rows(column);
    const char *in = take(reader, rows, sizeof(struct strview));
    const char *data = take(reader, bytes, 1);
    if (in == NULL || data == NULL) {
        return damaged(err, "strings");
    }
    struct strview *views = arena_alloc64(reader->arena, (rows + 1) * sizeof *views);
    memcpy(views, in, rows * sizeof *views);
    for (uint32_t i = 0; i < rows; i++) {
        if (views[i].size <= STRVIEW_INLINE_MAX) {
            continue;
        }
        uint64_t offset;
        memcpy(&offset, &views[i].as, sizeof offset);
        if (offset > bytes || views[i].size > bytes - offset) {
            return damaged(err, "strings");
        }
        views[i].as.ptr = data + offset;
    }
    column->values = views;
    return STATUS_OK;
}

static enum status take_column(struct reader *reader, struct column *column, struct err *err);

static enum status take_dictionary(struct reader *reader, struct column *column, struct err *err)
{
    const char *codes = take(reader, column->row_count, sizeof(uint16_t));
    struct column *dict = arena_new(reader->arena, struct column);
    if (codes == NULL) {
        return damaged(err, "codes");
    }
    TRY(take_column(reader, dict, err));
    if (dict->encoding != ENCODING_FLAT || dict->physical != column->physical ||
        dict->row_count == 0 || dict->row_count > BATCH_ROWS_MAX || dict->valid != NULL) {
        return damaged(err, "a dictionary");
    }
    column->codes = arena_copy(reader->arena, codes, column->row_count * sizeof(uint16_t));
    for (uint32_t i = 0; i < column->row_count; i++) {
        if (column->codes[i] >= dict->row_count) {
            return damaged(err, "codes");
        }
    }
    column->dict = dict;
    return STATUS_OK;
}

static enum status take_values(struct reader *reader, struct column *column, uint32_t bytes,
                               struct err *err)
{
    size_t width = physical_width(column->physical);
    uint32_t rows = value_rows(column);
    if (column->physical == PHYSICAL_STRING) {
        return take_strings(reader, column, bytes, err);
    }
    if (width == 0) {
        return STATUS_OK;
    }
    const char *values = take(reader, rows, width);
    if (values == NULL) {
        return damaged(err, "values");
    }
    char *copy = arena_alloc64(reader->arena, (rows + 1) * width);
    memcpy(copy, values, rows * width);
    column->values = copy;
    return STATUS_OK;
}

static enum status check_child(const struct column *column, const struct column *child,
                               struct err *err)
{
    bool is_row = column->physical == PHYSICAL_ROW;
    if (is_row && child->row_count != value_rows(column)) {
        return damaged(err, "a child's rows");
    }
    return STATUS_OK;
}

static enum status take_children(struct reader *reader, struct column *column, uint32_t count,
                                 struct err *err)
{
    uint32_t expected = column->physical == PHYSICAL_LIST  ? 1
                        : column->physical == PHYSICAL_MAP ? 2
                        : column->physical == PHYSICAL_ROW ? count
                                                           : 0;
    if (count != expected || count > COLUMNS_MAX ||
        count > (uint64_t)(reader->end - reader->at) / sizeof(struct column_head)) {
        return damaged(err, "children");
    }
    struct column *children = arena_new_array(reader->arena, struct column, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        TRY(take_column(reader, &children[i], err));
        TRY(check_child(column, &children[i], err));
    }
    column->children = children;
    column->child_count = count;
    return STATUS_OK;
}

static enum status take_column(struct reader *reader, struct column *column, struct err *err)
{
    struct column_head head;
    const char *bytes = take(reader, 1, sizeof head);
    if (bytes == NULL || reader->depth > DEPTH_MAX) {
        return damaged(err, "a column's head");
    }
    memcpy(&head, bytes, sizeof head);
    if (head.physical > PHYSICAL_ROW || head.encoding > ENCODING_DICT || head.has_valid > 1 ||
        head.row_count > BLOCK_PAYLOAD_MAX) {
        return damaged(err, "a column's head");
    }
    *column = (struct column){.physical = (enum physical)head.physical,
                              .encoding = (enum encoding)head.encoding,
                              .row_count = head.row_count};
    if (head.has_valid != 0) {
        TRY(take_valid(reader, column, err));
    }
    reader->depth++;
    if (column->encoding == ENCODING_DICT) {
        TRY(take_dictionary(reader, column, err));
    } else {
        TRY(take_values(reader, column, head.long_bytes, err));
        TRY(take_children(reader, column, head.child_count, err));
    }
    reader->depth--;
    return STATUS_OK;
}

static enum status take_batch(struct reader *reader, struct batch *batch, struct err *err)
{
    struct batch_head head;
    const char *bytes = take(reader, 1, sizeof head);
    if (bytes == NULL) {
        return damaged(err, "its head");
    }
    memcpy(&head, bytes, sizeof head);
    if (head.row_count > BATCH_ROWS_MAX || head.column_count > COLUMNS_MAX) {
        return damaged(err, "its head");
    }
    *batch = (struct batch){.row_count = head.row_count, .column_count = head.column_count};
    if (head.has_kinds != 0) {
        const char *kinds = take(reader, head.row_count, 1);
        if (kinds == NULL) {
            return damaged(err, "change kinds");
        }
        for (uint32_t i = 0; i < head.row_count; i++) {
            if (kinds[i] < CHANGE_INSERT || kinds[i] > CHANGE_DELETE) {
                return damaged(err, "change kinds");
            }
        }
        batch->kinds = (const int8_t *)kinds;
    }
    if (head.has_watermarks != 0) {
        const char *watermarks = take(reader, head.row_count, sizeof(int64_t));
        if (watermarks == NULL) {
            return damaged(err, "row watermarks");
        }
        batch->row_watermarks =
            arena_copy(reader->arena, watermarks, head.row_count * sizeof(int64_t));
    }
    struct column *columns = arena_new_array(reader->arena, struct column, head.column_count + 1);
    for (uint32_t i = 0; i < head.column_count; i++) {
        TRY(take_column(reader, &columns[i], err));
        if (columns[i].row_count != head.row_count) {
            return damaged(err, "a column's rows");
        }
    }
    batch->columns = columns;
    return reader->at == reader->end ? STATUS_OK : damaged(err, "bytes behind it");
}

enum status block_take_batch(struct str payload, struct budget *budget, struct batch **out,
                             struct err *err)
{
    struct arena arena;
    struct batch batch;
    arena_init(&arena);
    struct reader reader = {payload.ptr, payload.ptr + payload.size, &arena, 0};
    enum status status = take_batch(&reader, &batch, err);
    if (status == STATUS_OK) {
        status = batch_check(&batch, err);
    }
    if (status == STATUS_OK) {
        *out = batch_settle(&batch, budget);
    }
    arena_release(&arena);
    return status;
}
