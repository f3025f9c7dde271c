// SPDX-License-Identifier: Apache-2.0
//
// data_writer_int: the inside of data_writer: routing (data_writer_route.c), open files and their
// segments (data_writer_files.c), checkpoints (data_writer_state.c).
#pragma once

#include "base/arena.h"
#include "base/budget.h"
#include "base/vec.h"
#include "iceberg/data_writer.h"
#include "iceberg/open_file.h"
#include "iceberg/spec/data_file.h"
#include "iceberg/spec/table_metadata.h"

struct store_reader;
struct store_writer;

enum {
    DATA_WRITER_STAGED_ROWS = 1 << 16,
    DATA_WRITER_NO_OBJECT = -1,
};

// A store object that holds segments of several files.
struct data_writer_object {
    char *path;
    struct store_writer *writer; // while it is written
    struct store_reader *reader; // opened at the first close that needs it
    uint64_t size;
    uint32_t refs;       // segments in use
    uint64_t last_state; // the last state that names it
    bool removed;
};

struct data_writer_segment {
    uint32_t object;
    uint64_t offset;
    uint64_t size;
};

struct data_writer_file {
    struct arena arena; // the tuple
    const struct iceberg_value *tuple;
    uint64_t hash;
    uint32_t next;          // in its bucket
    struct open_file *open; // NULL: none now
    VEC(struct data_writer_segment) segments;
};

struct data_writer_staged {
    struct batch *batch;
    uint32_t *files; // of each row
};

struct data_writer {
    struct data_writer_options options;
    struct arena arena;
    const struct partition_spec *spec; // the default one
    struct budget budget;
    struct open_file_maker *maker;
    uint64_t target_bytes;
    struct str data_directory;
    char uuid[TABLE_ENV_UUID_TEXT + 1];
    uint64_t epoch;
    uint32_t file_counter;
    uint32_t object_counter;

    VEC(struct data_writer_file *) files; // by index; index 0 too
    uint32_t *buckets;                    // heads, UINT32_MAX: empty
    uint32_t bucket_count;
    VEC(struct data_writer_file *) extra; // of restored states: closed at the next commit

    struct arena scratch;         // of one append
    struct iceberg_value **lanes; // a field: BATCH_ROWS_MAX values
    VEC(struct data_writer_staged) staged;
    uint32_t staged_rows;

    VEC(struct data_writer_object) objects;
    int64_t current; // index of the object being written; DATA_WRITER_NO_OBJECT

    struct arena closed_arena;
    VEC(struct data_file) closed; // not in a committable yet
    VEC(struct str) directories;  // of closed files, to be synced; in closed_arena

    uint64_t state_number;
    struct data_writer_figures figures;
};

// data_writer_files.c
MUST_USE enum status data_writer_file_of(struct data_writer *writer,
                                         const struct iceberg_value *tuple, uint32_t *out,
                                         struct err *err);
MUST_USE enum status data_writer_put(struct data_writer *writer, struct data_writer_file *file,
                                     const struct batch *batch, struct err *err);
MUST_USE enum status data_writer_spill(struct data_writer *writer, struct data_writer_file *file,
                                       struct err *err);
MUST_USE enum status data_writer_relieve(struct data_writer *writer, struct err *err);
uint32_t data_writer_add_object(struct data_writer *writer,
                                const struct data_writer_object *object);
MUST_USE enum status data_writer_finish_object(struct data_writer *writer, struct err *err);
MUST_USE enum status data_writer_close_file(struct data_writer *writer,
                                            struct data_writer_file *file, struct err *err);
MUST_USE enum status data_writer_sync_directories(struct data_writer *writer, struct err *err);
void data_writer_forget_files(struct data_writer *writer);
void data_writer_file_free(struct data_writer *writer, struct data_writer_file *file);
// data_writer_route.c
MUST_USE enum status data_writer_flush_staged(struct data_writer *writer, struct err *err);
void data_writer_drop_staged(struct data_writer *writer);
