// SPDX-License-Identifier: Apache-2.0
//
// store: where files live: a local disk (store_file.h), memory that can lose power
// (store_memory.h), later S3. What is above knows objects by their path and five ways to treat
// them: put one whole, write one front to back, read ranges, move, remove.
//
//     struct store_writer *writer;
//     TRY(store_create(store, path, &writer, err));
//     status = byte_sink_write(&writer->sink, bytes, size, err);
//     ...
//     status = store_finish(writer, STORE_EXCLUSIVE, err); // durable and visible from here on
//     store_close(writer);                                 // without finish: leaves nothing
//
// Promises, for every implementation:
//   - An object is visible whole or not at all; what is visible never changes, a replacement aside.
//   - After OK of store_put() or store_finish() it survives a power loss. With STORE_SYNC_LATER
//     that holds only after store_sync(): the writer of several files in one directory saves fsyncs
//     (one for each file, one for the directory).
//   - A failed write, put or finish leaves no object, and one that was replaced as it was.
//     COMMIT_UNKNOWN (network stores only): it may be there or not.
//   - Directories are made when needed and mean nothing; removing what is not there is NOT_FOUND.
//
// Paths are UTF-8, absolute or relative to what the store was made for; "file:/x", "file:///x" and
// "/x" are one object for the file store.
//
// Threads. Calls block, and any thread may make them; a reader may be used by many threads at once,
// a writer by one at a time. Who must not block (workers) hands them to an I/O thread. The stores
// of the simulator answer at once.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct store;
struct store_reader;
struct store_writer;

enum {
    STORE_EXCLUSIVE = 1,  // EXISTS where the name is taken
    STORE_SYNC_LATER = 2, // durable only after store_sync() of its directory
};

struct store_object {
    struct str path; // as store_open() takes it
    uint64_t size;
    int64_t modified_us; // since the epoch; by the store's clock
};

struct store_ops {
    const char *name; // "file", "memory"
    enum status (*open)(struct store *store, struct str path, struct store_reader **out,
                        struct err *err);
    enum status (*put)(struct store *store, struct str path, struct str bytes, int flags,
                       struct err *err);
    enum status (*create)(struct store *store, struct str path, struct store_writer **out,
                          struct err *err);
    // Each object whose path begins with `prefix` (a directory, with or without the last '/', or
    // the start of names in one), sorted by path.
    enum status (*list)(struct store *store, struct str prefix, struct arena *arena,
                        struct store_object **out, size_t *count, struct err *err);
    enum status (*move)(struct store *store, struct str from, struct str to, struct err *err);
    enum status (*remove)(struct store *store, struct str path, struct err *err);
    enum status (*info)(struct store *store, struct str path, struct store_object *out,
                        struct err *err);
    enum status (*sync)(struct store *store, struct str directory, struct err *err);
    void (*free)(struct store *store);
};

struct store {
    const struct store_ops *ops;
};

// An object opened for reading: `source` for decoders, until store_reader_close().
struct store_reader {
    struct byte_source source; // its size is that of the object
    void (*close)(struct store_reader *reader);
};

// An object being written: `sink` for encoders.
struct store_writer {
    struct byte_sink sink;
    enum status (*finish)(struct store_writer *writer, int flags, struct err *err);
    void (*close)(struct store_writer *writer); // after a finish or instead of one
};

MUST_USE enum status store_open(struct store *store, struct str path, struct store_reader **out,
                                struct err *err);
void store_reader_close(struct store_reader *reader); // NULL is allowed

// The whole object in one owned buf. LIMIT where it is longer than `size_max`.
MUST_USE enum status store_read(struct store *store, struct str path, size_t size_max,
                                struct buf **out, struct err *err);
MUST_USE enum status store_put(struct store *store, struct str path, struct str bytes, int flags,
                               struct err *err);

MUST_USE enum status store_create(struct store *store, struct str path, struct store_writer **out,
                                  struct err *err);
MUST_USE enum status store_finish(struct store_writer *writer, int flags, struct err *err);
void store_close(struct store_writer *writer); // NULL is allowed

MUST_USE enum status store_list(struct store *store, struct str prefix, struct arena *arena,
                                struct store_object **out, size_t *count, struct err *err);
// The object at `from`, which has been made durable, is at `to` instead: never at neither, and
// never in place of another: EXISTS where `to` is taken, of any number of callers exactly one
// succeeds. Durable after store_sync() of its directory.
MUST_USE enum status store_move(struct store *store, struct str from, struct str to,
                                struct err *err);
MUST_USE enum status store_remove(struct store *store, struct str path, struct err *err);
MUST_USE enum status store_info(struct store *store, struct str path, struct store_object *out,
                                struct err *err);
// Makes durable what was put into `directory` (not below it) with STORE_SYNC_LATER.
MUST_USE enum status store_sync(struct store *store, struct str directory, struct err *err);
void store_free(struct store *store); // NULL is allowed

// The part of `path` before its last '/'; empty where it has none.
struct str store_directory(struct str path);
