// SPDX-License-Identifier: Apache-2.0
//
// open_file: a data file that is being written, whatever its format; it grows over checkpoints by
// segments, as codec/parquet_writer.h says.
//
//     TRY(open_file_maker_new(metadata, env, budget, &maker, err));     // one a data writer
//     TRY(open_file_new(maker, &file, err));
//     TRY(open_file_append(file, &batch, err));
//     TRY(open_file_close(file, segments, count, sink, err));
//     open_file_describe(file, arena, &data_file);
//     open_file_free(file);
//     open_file_maker_free(maker);
//
// What a file is like (format, codec, sizes) is its settings: those of the table's properties for a
// new file, those it was begun with for one that goes on.
//
// A format is an open_file_ops and its lines in open_file.c. Threads: a maker and its files belong
// to one thread at a time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "iceberg/file_settings.h"

struct arena;
struct batch;
struct budget;
struct data_file;
struct byte_sink;
struct byte_source;
struct open_file_maker;
struct table_env;
struct table_metadata;

// The metadata outlives the maker. UNSUPPORTED, INVALID_DATA: what properties or columns ask for
// (write_properties.h).
MUST_USE enum status open_file_maker_new(const struct table_metadata *metadata,
                                         struct table_env *env, struct budget *budget,
                                         struct open_file_maker **out, struct err *err);
void open_file_maker_free(struct open_file_maker *maker); // after its files; NULL is allowed
// Of new files; borrowed.
const struct file_settings *open_file_maker_settings(const struct open_file_maker *maker);

struct open_file;

struct open_file_ops {
    const char *name; // as manifests have it: "PARQUET"
    const char *end;  // of file names: "parquet"
    enum status (*append)(struct open_file *file, const struct batch *batch, struct err *err);
    enum status (*seal)(struct open_file *file, bool shrink, struct err *err);
    enum status (*take)(struct open_file *file, struct byte_sink *sink, uint64_t *size,
                        struct err *err);
    size_t (*revocable)(const struct open_file *file);
    uint64_t (*size)(const struct open_file *file);
    enum status (*close)(struct open_file *file, struct byte_source *const *segments,
                         uint32_t segment_count, struct byte_sink *sink, struct err *err);
    void (*describe)(const struct open_file *file, struct arena *arena, struct data_file *out);
    void (*free)(struct open_file *file);
};

// Embedded first in each format's own struct.
struct open_file {
    const struct open_file_ops *ops;
    struct open_file_maker *maker;
    struct file_settings settings; // that it was begun with
};

MUST_USE enum status open_file_new(struct open_file_maker *maker, struct open_file **out,
                                   struct err *err);
// From all its segments in order; borrowed for the call.
MUST_USE enum status open_file_restore(struct open_file_maker *maker,
                                       const struct file_settings *settings,
                                       struct byte_source *const *segments, uint32_t segment_count,
                                       struct open_file **out, struct err *err);
void open_file_free(struct open_file *file); // NULL is allowed

// Columns as the table's current schema has them.
MUST_USE enum status open_file_append(struct open_file *file, const struct batch *batch,
                                      struct err *err);
// All rows so far into what take() gives; with `shrink`, nearly all memory is freed as well.
MUST_USE enum status open_file_seal(struct open_file *file, bool shrink, struct err *err);
// What is new, as one segment of *size bytes; 0: there is none.
MUST_USE enum status open_file_take(struct open_file *file, struct byte_sink *sink, uint64_t *size,
                                    struct err *err);
size_t open_file_revocable(const struct open_file *file); // memory that these two free
uint64_t open_file_size(const struct open_file *file);    // about, if it were closed now
MUST_USE enum status open_file_close(struct open_file *file, struct byte_source *const *segments,
                                     uint32_t segment_count, struct byte_sink *sink,
                                     struct err *err);
// Of a closed file: format, rows, bytes, metrics; in `arena`.
void open_file_describe(const struct open_file *file, struct arena *arena, struct data_file *out);

// The formats' own makers, for open_file.c. `segments` NULL: a new file.
MUST_USE enum status open_file_parquet_open(struct open_file_maker *maker,
                                            const struct file_settings *settings,
                                            struct byte_source *const *segments,
                                            uint32_t segment_count, struct open_file **out,
                                            struct err *err);
MUST_USE enum status open_file_avro_open(struct open_file_maker *maker,
                                         const struct file_settings *settings,
                                         struct byte_source *const *segments,
                                         uint32_t segment_count, struct open_file **out,
                                         struct err *err);
extern const struct open_file_ops open_file_parquet_ops;
extern const struct open_file_ops open_file_avro_ops;
