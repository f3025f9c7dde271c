// SPDX-License-Identifier: Apache-2.0
//
// connector: what the planner has to know of a table's connector and format, without knowing the
// connector. The registry (connect/registry.h) fills it; the session passes it to the binder.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"

// Bits: 1 << CHANGE_INSERT … 1 << CHANGE_DELETE (data/batch.h).
enum { CONNECTOR_INSERT_ONLY = 1 };

struct connector_metadata {
    struct str key; // "partition", "offset", "timestamp", "headers", …
    const struct type *type;
};

struct connector_info {
    struct str name; // "kafka", "filesystem", "iceberg", …
    bool can_read, can_write;
    bool is_bounded;        // as a source, with these options
    bool is_endless;        // as a source: nor does it end in a batch query
    uint8_t source_changes; // changes that it produces as a source
    bool source_is_upsert;  // its changes are keyed by the primary key and lack -U
    uint8_t sink_changes;   // changes that it can take as a sink
    bool sink_is_single;    // as a sink: all rows to one instance, in their order
    bool sink_is_batch;     // as a sink: of bounded batch jobs only
    bool can_overwrite;     // takes INSERT OVERWRITE
    bool makes_watermarks;  // as a source: in Flink by itself, for each split (plan_watermark)
    bool prunes_fields;     // as a source: takes ROW types that lack fields (plan.h, plan_scan)
    uint32_t metadata_count;
    const struct connector_metadata *metadata;
};

// Looks at connector, format and options of `def` with the hints' options already merged. Refuses
// unknown connectors, formats and options (nearest name in the hint), missing options and bad
// values; stage VALIDATE.
struct connector_lookup {
    enum status (*describe)(void *self, struct arena *arena, const struct table_def *def,
                            bool as_sink, struct connector_info *out, struct err *err);
    void *self;
};
