// SPDX-License-Identifier: Apache-2.0
//
// file_writer: batches to one file, whatever the format is; what sinks of files are built on.
//
//     TRY(file_writer_new(&spec, sink, &writer, err));
//     TRY(writer->class->append(writer, &batch, err));        // any number of times
//     TRY(writer->class->finish(writer, err));                // nothing more follows
//     writer->class->free(writer);
//
// The file is whole in `sink` after finish(). Memory is bounded: what the format keeps until the
// end goes to a scratch file in `directory`. Threads: one at a time.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "catalog/table_def.h"

struct batch;
struct budget;
struct byte_sink;
struct file_writer;
struct record_format_info;

struct file_writer_spec {
    const struct table_def *table; // where the options are; outlives the writer
    struct str format;
    const char *prefix;     // of its options: "parquet."; borrowed
    const struct type *row; // the columns of the batches; borrowed
    struct budget *budget;
    const char *directory; // for scratch files; borrowed
};

struct file_writer_class {
    const char *format;
    enum status (*open)(const struct file_writer_spec *spec, struct byte_sink *sink,
                        struct file_writer **out, struct err *err);
    enum status (*append)(struct file_writer *writer, const struct batch *batch, struct err *err);
    // What the file would be, about, if it were finished now.
    uint64_t (*size)(const struct file_writer *writer);
    enum status (*finish)(struct file_writer *writer, struct err *err);
    void (*free)(struct file_writer *writer);
};

struct file_writer {
    const struct file_writer_class *class;
};

extern const struct file_writer_class file_writer_parquet;
extern const struct file_writer_class file_writer_avro;
extern const struct file_writer_class file_writer_csv;
extern const struct file_writer_class file_writer_json;

// UNSUPPORTED, with the formats that there are in the hint.
MUST_USE enum status file_writer_find(struct str format, const struct file_writer_class **out,
                                      struct err *err);
