// SPDX-License-Identifier: Apache-2.0
//
// data_writer: rows into the data files of one table; one instance a worker (engine.md section 6).
//
//     TRY(data_writer_new(&options, &writer, err));
//     TRY(data_writer_append(writer, &batch, err));                 // any number of times
//     TRY(data_writer_barrier(writer, &barrier, &out, err));        // at each checkpoint and
//     commit
//     data_writer_durable(writer, out.state_number);                // when that checkpoint is
//     durable data_writer_free(writer);
//
// Partitions. Rows go by their partition tuple to an open file each, thousands at once. Batches
// whose rows scatter over many partitions are staged and sorted out some ten thousand rows at a
// time. A file that reaches write.target-file-size-bytes is closed and the next one begun.
//
// Memory. Open files are charged to a budget of `memory_max` bytes; when it runs low, the largest
// are shrunk and their encoded pages put as segments into a segment file (a store object in
// `segment_directory`), where they wait for the close.
//
// Checkpoints. Files stay open: what is new in each becomes a segment, all of them one object,
// synced before the barrier returns. The state names them; data_writer_restore() goes on from it,
// in the same run or a later one. With `close`, all files are closed: written whole into the
// table's data directory, synced with their directories, and described in the committable. Segment
// objects that no state needs any more are removed by data_writer_durable().
//
// File names: data/<partition>/<instance>-<run>-<epoch>-<uuid>-<n>.parquet, the UUID tagged
// (table_env.h), so that no run touches another's files and recovery can tell whose they are.
//
// Threads: one at a time. After an error the writer is of no use; its files are removed by
// commit_clean().
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "iceberg/table_env.h"

struct arena;
struct batch;
struct budget;
struct data_file;
struct data_writer;
struct store;
struct strbuf;
struct table_metadata;

struct data_writer_options {
    const struct table_metadata *metadata; // outlives the writer, as store and env
    struct store *store;
    struct table_env *env;
    struct budget *budget; // parent of the writer's own; NULL: none
    size_t memory_max;     // 0: 256 MiB
    uint64_t writer_tag;   // of sink and run
    uint64_t run;
    uint32_t instance;
    struct str segment_directory; // "…/checkpoints/<pipeline>/segments", without the last '/'
    struct store *segment_store;  // NULL: the same store
};

MUST_USE enum status data_writer_new(const struct data_writer_options *options,
                                     struct data_writer **out, struct err *err);
void data_writer_free(struct data_writer *writer); // NULL is allowed

// Columns in the order of the table's current schema, of its types. Change kinds are not looked at.
MUST_USE enum status data_writer_append(struct data_writer *writer, const struct batch *batch,
                                        struct err *err);

struct data_writer_barrier {
    uint64_t epoch;
    bool close; // a commit: all files are closed
};

struct data_writer_state {
    struct strbuf *state;       // filled: for data_writer_restore()
    struct strbuf *committable; // filled where `close`; empty where there are no rows
    uint64_t state_number;      // for data_writer_durable()
};

MUST_USE enum status data_writer_barrier(struct data_writer *writer,
                                         const struct data_writer_barrier *barrier,
                                         struct data_writer_state *out, struct err *err);
void data_writer_durable(struct data_writer *writer, uint64_t state_number);

// Takes over the files of a state, of any instance and run; may be called several times, before
// the first append.
MUST_USE enum status data_writer_restore(struct data_writer *writer, struct str state,
                                         struct err *err);

// The data files of a committable; texts borrowed from it, arrays in `arena`.
MUST_USE enum status data_writer_unpack(struct arena *arena, const struct table_metadata *metadata,
                                        struct str committable, struct data_file **out,
                                        uint32_t *count, struct err *err);
// The paths that a state uses: segment objects and closed data files. For recovery: they are kept.
MUST_USE enum status data_writer_paths(struct arena *arena, const struct table_metadata *metadata,
                                       struct str state, struct str **out, uint32_t *count,
                                       struct err *err);

struct data_writer_figures {
    uint64_t rows; // appended
    uint32_t open_files;
    uint64_t files_closed;
    uint64_t segment_bytes; // spilled and checkpointed
    size_t memory;          // held now
};

struct data_writer_figures data_writer_figures(const struct data_writer *writer);
