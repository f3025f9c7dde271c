// SPDX-License-Identifier: Apache-2.0
//
// Names of metadata tables: `t$snapshots` (Flink, Trino) and `t.snapshots` (Spark).
#include "iceberg/metadata_table.h"

#include "base/nearest.h"
#include "connect/iceberg_sink.h"
#include "iceberg/iceberg_def.h"
#include "session/session_int.h"

static struct str nearest_kind(struct str name)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < METADATA_TABLE_COUNT; i++) {
        nearest_try(&nearest, str_from(metadata_table_name((enum metadata_table_kind)i)));
    }
    return nearest.best;
}

enum status session_metadata_table(struct arena *arena, const struct table_def *table,
                                   struct str name, const struct table_def **out, struct err *err)
{
    enum metadata_table_kind kind;
    struct iceberg_table *opened;
    if (!metadata_table_find(name, &kind)) {
        ERR(err, STATUS_NOT_FOUND, "there is no metadata table '%.*s'", STR_ARGS(name));
        struct str nearest = nearest_kind(name);
        if (nearest.size > 0) {
            err_hint(err, "did you mean '%.*s'?", STR_ARGS(nearest));
        }
        return STATUS_NOT_FOUND;
    }
    if (table->is_iceberg && table->is_temporary) { // one that `frazil check` has only heard of
        const struct table_metadata *metadata;
        TRY(iceberg_def_preview(arena, table, &metadata, err));
        return metadata_table_def(arena, metadata, kind, table, out, err);
    }
    if (!table->is_iceberg || table->owner == NULL || table->metadata_table.size > 0) {
        return ERR(err, STATUS_INVALID_DATA,
                   "'%.*s' is no Iceberg table: it has no metadata tables", STR_ARGS(table->name));
    }
    TRY(iceberg_sink_open_table(table, &opened, err));
    enum status status = metadata_table_def(arena, opened->metadata, kind, table, out, err);
    iceberg_table_free(opened);
    return status;
}

static size_t last_dollar(struct str name)
{
    size_t at = name.size;
    while (at > 0 && name.ptr[at - 1] != '$') {
        at--;
    }
    return at > 1 ? at - 1 : name.size;
}

bool session_metadata_split(struct str *parts, uint32_t *count, struct str *name)
{
    enum metadata_table_kind kind;
    struct str *last = &parts[*count - 1];
    size_t dollar = last_dollar(*last);
    *name = dollar < last->size ? str_slice(*last, dollar + 1, last->size) : *last;
    if (!metadata_table_find(*name, &kind)) {
        return false;
    }
    if (dollar < last->size) {
        last->size = dollar;
        return true;
    }
    return --*count > 0;
}

struct str session_metadata_nearest(struct arena *arena, struct str name)
{
    size_t dollar = last_dollar(name);
    struct str nearest =
        dollar < name.size ? nearest_kind(str_slice(name, dollar + 1, name.size)) : (struct str){0};
    return nearest.size == 0
               ? nearest
               : arena_printf(arena, "%.*s$%.*s", (int)dollar, name.ptr, STR_ARGS(nearest));
}
