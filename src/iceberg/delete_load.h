// SPDX-License-Identifier: Apache-2.0
//
// delete_load: one delete file, read, whatever its format; for delete_filter.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct arena;
struct budget;
struct delete_keys;
struct key_column;
struct roaring;
struct scan_delete;
struct store;
struct str;

struct delete_load {
    struct store *store;
    const struct str *name_mapping; // of the table; NULL: none
    struct budget *budget;
    bool bare_vectors;
    uint64_t files_read; // counted up
    uint64_t bytes_read;
};

// Where the positions of a data file go; NULL: it is of no interest.
struct delete_target {
    struct roaring *(*find)(void *context, const struct scan_delete *delete, struct str path);
    void *context;
};

// A deletion vector; `out` is empty at first.
MUST_USE enum status delete_load_vector(struct delete_load *load, const struct scan_delete *delete,
                                        struct roaring *out, struct err *err);
// Position deletes, rows in any order.
MUST_USE enum status delete_load_positions(struct delete_load *load,
                                           const struct scan_delete *delete,
                                           const struct delete_target *target, struct err *err);

// Whoever owns the keys is asked after each batch whether there is memory for them.
struct delete_key_sink {
    struct delete_keys *keys;
    const struct key_column *columns;
    uint32_t column_count;
    enum status (*grown)(void *context, struct err *err);
    void *context;
};

MUST_USE enum status delete_load_keys(struct delete_load *load, const struct scan_delete *delete,
                                      const struct delete_key_sink *sink, struct err *err);
