// SPDX-License-Identifier: Apache-2.0
//
// connectors: how the engine finds the connector of a table. The session fills it with
// connect/registry.h; the simulator with its own.
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"
#include "exec/sink.h"
#include "exec/source.h"

struct connectors {
    enum status (*find_source)(void *self, const struct table_def *table,
                               const struct source_class **out, struct err *err);
    enum status (*find_sink)(void *self, const struct table_def *table,
                             const struct sink_class **out, struct err *err);
    void *self;
};
