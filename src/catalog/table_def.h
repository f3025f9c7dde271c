// SPDX-License-Identifier: Apache-2.0
//
// table_def: what SQL knows of a table or view, whoever stores it.
//
// A definition is immutable and lives in an arena. Expressions of computed columns, watermarks and
// views are kept as SQL text in canonical form (sql/unparse.h) and bound anew where they are used.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/type.h"

struct arena;
struct catalog;

enum table_column_kind {
    TABLE_COLUMN_PHYSICAL,
    TABLE_COLUMN_COMPUTED, // `expression`
    TABLE_COLUMN_METADATA, // `metadata_key`, from the connector
};

struct table_column {
    struct str name;
    const struct type *type; // NULL for a computed column whose type is that of its expression
    enum table_column_kind kind;
    bool is_virtual;         // METADATA … VIRTUAL: not written by INSERT
    struct str expression;   // COMPUTED
    struct str metadata_key; // METADATA; the column's own name where FROM is absent
    struct str comment;
    int32_t field_id; // in an Iceberg table; 0 elsewhere
    bool has_default; // the table knows a value where INSERT leaves it out
};

struct table_option {
    struct str key;
    struct str value;
};

// One field of PARTITIONED BY: a column as it is (transform "identity") or an Iceberg transform.
struct table_partition {
    struct str
        transform;     // "identity", "bucket", "truncate", "year", "month", "day", "hour", "void"
    int32_t parameter; // of bucket and truncate; else 0
    struct str column;
};

enum table_kind { TABLE_KIND_TABLE, TABLE_KIND_VIEW };

// A state of an Iceberg table, as a query asks for it.
enum table_at_kind {
    TABLE_AT_NONE,     // nothing is asked for
    TABLE_AT_VERSION,  // `text`: a snapshot's id, else a branch or tag
    TABLE_AT_SNAPSHOT, // `number`: its id
    TABLE_AT_BRANCH,   // `text`
    TABLE_AT_TAG,      // `text`
    TABLE_AT_TIME,     // `number`: microseconds since the epoch
};

struct table_at {
    enum table_at_kind kind;
    int64_t number;
    struct str text;
};

// Which rows of an Iceberg table are read. All zero: those of the snapshot that is current when the
// table is opened.
struct table_version {
    int64_t snapshot_id;       // 0: the current one
    bool has_own_schema;       // columns are those of the snapshot, not of the table now
    bool is_incremental;       // only rows appended behind `after_snapshot_id`
    int64_t after_snapshot_id; // an ancestor; 0: the first snapshot's rows are among them
    bool bare_vectors;         // deletion vectors outside of Puffin files are read
};

struct table_def {
    enum table_kind kind;
    bool is_temporary;
    bool is_iceberg; // rows live in an Iceberg table of `owner`; the options are its properties
    struct str catalog_name, database, name;
    uint32_t column_count;
    const struct table_column *columns; // a view's: names and types only
    // Of kind METADATA: columns that nobody declared, which queries may name and * leaves out.
    uint32_t hidden_count;
    const struct table_column *hidden;
    struct str watermark_column; // empty: none
    struct str watermark_expression;
    uint32_t primary_key_count;
    const struct str *primary_key; // column names
    uint32_t partition_count;
    const struct table_partition *partitions;
    uint32_t option_count;
    const struct table_option *options; // WITH, or table properties
    struct str comment;
    struct str view_text;         // VIEW: the query, canonical, names fully qualified
    struct catalog *owner;        // NULL for temporary objects; borrowed
    struct table_version version; // of an Iceberg table in a query
    // Not empty: the metadata table of that name of an Iceberg table, whose name ends in '$' and it
    // (iceberg/metadata_table.h).
    struct str metadata_table;
};

// The value of an option; NULL where it is absent. Keys compare exactly.
const struct str *table_def_option(const struct table_def *def, const char *key);
const struct table_column *table_def_column(const struct table_def *def, struct str name);
// All that it points to copied into `arena`.
struct table_def *table_def_copy(struct arena *arena, const struct table_def *def);
// The very same definition, for CREATE run twice, and the same rows: everything but comments and
// owner.
bool table_def_equal(const struct table_def *a, const struct table_def *b);
