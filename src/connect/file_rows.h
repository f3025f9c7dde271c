// SPDX-License-Identifier: Apache-2.0
//
// file_rows: the rows of one file, or of a part of it, in the columns that a scan wants, whatever
// the format is.
//
//     const struct file_rows_class *class = file_rows_find(format);
//     uint32_t parts = file_rows_parts(class, &scan, path, size);
//     TRY(class->open(&scan, &part, place, &rows, err));
//     while ((status = class->next(rows, &batch, err)) == STATUS_OK || …AGAIN) { … }
//     class->close(rows);
//
// Parts. A file of `count` parts is cut at equal distances of bytes; a part has the records (lines,
// row groups) that begin in its range, so all parts together have each once. Where a part begins
// follows from the file alone. Files that can only be read from their beginning have one part.
//
// Places. rows->place says where to go on behind the last batch: for text the bytes (decompressed)
// and lines passed, for others the rows of the file.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "connect/scan_columns.h"
#include "exec/source.h"

struct arena;
struct budget;
struct file_rows_class;
struct predicate;
struct table_def;

// What is the same for all files of a reader; outlives their rows.
struct file_scan {
    const struct table_def *table;
    const struct scan_columns *columns;
    const char *prefix; // of the format's options: "json."
    // Terms name columns and fields by scan_columns_field_id(); NULL: none.
    const struct predicate *predicate;
    struct budget *budget;
    uint32_t batch_rows;
    struct source_metrics *metrics; // added to
    struct file_known *known;
    struct file_kept *kept;
};

// A place where a record begins, of the file that was read last: the next part that this reader has
// of it is found from there.
struct file_known {
    struct str path;
    uint64_t offset;
};

// What a class keeps open of the file that it opened last, for other parts of it. Whoever owns the
// scan releases it in the end.
struct file_kept {
    void *file; // NULL: nothing
    void (*release)(void *file);
};

struct file_part {
    struct str path; // NUL behind it
    uint64_t size;   // of the file
    uint32_t index;
    uint32_t count;
};

struct file_place {
    uint64_t offset;
    uint64_t line;
};

struct file_batch {
    uint32_t row_count;
    const struct column *columns; // those wanted, in that order
    const int8_t *kinds;          // NULL: all +I
    // The place of each row for messages: places[i], or where that is NULL first + i; what they
    // count: "line", "row", "record".
    const char *unit;
    uint64_t first;
    const uint64_t *places;
};

struct file_rows {
    const struct file_rows_class *class;
    struct file_place place;
};

struct file_rows_class {
    const char *unit; // of places: "byte", "row"
    // Whether a file can be read in parts.
    bool (*has_parts)(const struct file_scan *scan, const char *path);
    // At `place`, as a former reader left it. Errors name the file.
    enum status (*open)(const struct file_scan *scan, const struct file_part *part,
                        struct file_place place, struct file_rows **out, struct err *err);
    // OK: a batch, valid until the next call; AGAIN: none this time; END. Errors name the file and
    // the record.
    enum status (*next)(struct file_rows *rows, struct file_batch *out, struct err *err);
    void (*close)(struct file_rows *rows);
};

extern const struct file_rows_class file_rows_text; // the formats of record_format.h
extern const struct file_rows_class file_rows_parquet;
extern const struct file_rows_class file_rows_avro;

// For the value of 'format'.
const struct file_rows_class *file_rows_find(struct str format);

enum { FILE_PART_BYTES = 16 << 20, FILE_PARTS_MAX = 1 << 16 };

uint32_t file_rows_parts(const struct file_rows_class *class, const struct file_scan *scan,
                         struct str path, uint64_t size);
// Where a part begins; of the part behind the last, the end.
static inline uint64_t file_part_begin(const struct file_part *part, uint32_t index)
{
    return part->size / part->count * index + part->size % part->count * index / part->count;
}

// For formats whose places are rows: `batch`, whose first row is row `first` of the file, without
// the rows that a former reader handed out. AGAIN: it had all of them.
MUST_USE enum status file_rows_take(struct file_rows *rows, struct arena *arena,
                                    struct batch *batch, uint64_t first, struct file_batch *out);
