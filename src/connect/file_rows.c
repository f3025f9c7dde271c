// SPDX-License-Identifier: Apache-2.0
#include "connect/file_rows.h"

const struct file_rows_class *file_rows_find(struct str format)
{
    return str_is(format, "parquet") ? &file_rows_parquet : &file_rows_text;
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
