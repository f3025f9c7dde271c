// SPDX-License-Identifier: Apache-2.0
//
// registry: which connectors there are, what they can do, and their options. One table serves the
// binder (registry_lookup), the engine (registry_find_source, registry_find_sink) and the manual
// (registry_connector).
//
// A definition with any connector and any options can be stored; it is looked at when a query uses
// it. What is known and not done here (jdbc, upsert-kafka, avro …) is refused by name as "not
// supported yet", everything else with the nearest name.
//
// Static tables; any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "catalog/connector.h"
#include "connect/option.h"
#include "exec/sink.h"
#include "exec/source.h"

struct registry_connector {
    const char *name;
    const char *doc; // one sentence
    const struct option_def *options;
    uint32_t option_count;
    bool has_format;                   // 'format' names one of record_format.h
    const char *unsupported;           // NULL: works here
    const struct source_class *source; // NULL: cannot be read
    const struct sink_class *sink;     // NULL: cannot be written to
    const char *no_sink;               // why not, where another engine can: "not supported yet"
    uint8_t sink_changes;
    // Whether it ends, metadata, checks beyond single options. NULL: unbounded, none.
    enum status (*describe)(struct arena *arena, const struct table_def *def,
                            struct connector_info *out, struct err *err);
};

// For the binder.
struct connector_lookup registry_lookup(void);

// NULL behind the last.
const struct registry_connector *registry_connector_at(uint32_t index);

// The implementation behind a table that registry_lookup() has accepted. `self` is not used: the
// signatures are those of engine/connectors.h.
MUST_USE enum status registry_find_source(void *self, const struct table_def *table,
                                          const struct source_class **out, struct err *err);
MUST_USE enum status registry_find_sink(void *self, const struct table_def *table,
                                        const struct sink_class **out, struct err *err);

// The format of that name, for connectors with several ('key.format').
struct record_format_info;
MUST_USE enum status registry_find_format(struct str name, const struct record_format_info **out,
                                          struct err *err);
