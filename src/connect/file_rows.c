// SPDX-License-Identifier: Apache-2.0
#include "connect/file_rows.h"

#include "base/arena.h"

const struct file_rows_class *file_rows_find(struct str format)
{
    return str_is(format, "parquet") ? &file_rows_parquet
           : str_is(format, "avro")  ? &file_rows_avro
                                     : &file_rows_text;
}

uint32_t file_rows_parts(const struct file_rows_class *class, const struct file_scan *scan,
                         struct str path, uint64_t size)
{
    uint64_t count = size / FILE_PART_BYTES + 1;
    if (count == 1 || !class->has_parts(scan, path.ptr)) {
        return 1;
    }
    return count < FILE_PARTS_MAX ? (uint32_t)count : FILE_PARTS_MAX;
}

enum status file_rows_take(struct file_rows *rows, struct arena *arena, struct batch *batch,
                           uint64_t first, struct file_batch *out)
{
    uint64_t end = first + batch->row_count;
    if (end <= rows->place.offset) {
        return STATUS_AGAIN;
    }
    if (first < rows->place.offset) {
        uint32_t known = (uint32_t)(rows->place.offset - first);
        arena_reset(arena);
        *batch = batch_slice(arena, batch, known, batch->row_count - known);
        first += known;
    }
    *out = (struct file_batch){
        .row_count = batch->row_count, .columns = batch->columns, .unit = "row", .first = first};
    rows->place.offset = end;
    return STATUS_OK;
}
