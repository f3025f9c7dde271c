// SPDX-License-Identifier: Apache-2.0
//
// fuzz_metadata: any text as table metadata. What is understood is printed, understood again and
// printed the same; snapshots expire from it.
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/strbuf.h"
#include "iceberg/iceberg_def.h"
#include "iceberg/spec/partition_spec.h"
#include "iceberg/spec/table_metadata.h"
#include "iceberg/spec/table_schema.h"
#include "iceberg/spec/table_update.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 64 << 20 };

// What was printed and understood again has the same schemas, by what commits compare them with.
static void compare(const struct table_metadata *metadata, const struct table_metadata *again)
{
    struct strbuf path;
    strbuf_init(&path, TEXT_MAX);
    ASSERT(again->schema_count == metadata->schema_count);
    ASSERT(again->spec_count == metadata->spec_count);
    for (uint32_t i = 0; i < metadata->schema_count; i++) {
        const struct table_schema *schema = metadata->schemas[i];
        ASSERT(table_schema_same(schema, again->schemas[i]));
        ASSERT(iceberg_type_version(schema->root) <= 3);
        for (uint32_t k = 0; k < schema->entry_count; k++) {
            const struct table_schema_entry *entry = &schema->entries[k];
            ASSERT(entry->id <= table_schema_highest_id(schema));
            ASSERT(table_schema_by_id(schema, entry->id) == entry);
            table_schema_path(&path, schema, entry);
        }
    }
    for (uint32_t i = 0; i < metadata->spec_count; i++) {
        const struct partition_spec *spec = metadata->specs[i];
        ASSERT(partition_spec_compatible(spec, again->specs[i]));
        ASSERT(partition_spec_is_unpartitioned(spec) ==
               partition_spec_is_unpartitioned(again->specs[i]));
    }
    strbuf_release(&path);
}

static void expire(struct arena *arena, const struct table_metadata *metadata)
{
    struct table_update update;
    table_update_begin(&update, arena, metadata, INT64_C(4000000000000));
    table_update_set_property(&update, STR_LIT("x"), STR_LIT("y"));
    uint32_t expired = table_update_expire(&update);
    const struct table_metadata *next = table_update_finish(&update, STR_LIT("before"));
    ASSERT(next->snapshot_count <= metadata->snapshot_count);
    ASSERT(expired == 0 || next->snapshot_count < metadata->snapshot_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct err err;
    const struct table_metadata *metadata;
    const struct table_metadata *again;
    struct strbuf first;
    struct strbuf second;
    strbuf_init(&first, TEXT_MAX);
    strbuf_init(&second, TEXT_MAX);
    struct str text = str_make((const char *)data, size);
    if (table_metadata_parse(&arena, text, &metadata, &err) == STATUS_OK) {
        table_metadata_print(&first, metadata);
        enum status status = table_metadata_parse(&arena, strbuf_str(&first), &again, &err);
        ASSERT(status == STATUS_OK);
        table_metadata_print(&second, again);
        ASSERT(str_equal(strbuf_str(&first), strbuf_str(&second)));
        compare(metadata, again);
        struct table_def *def;
        if (iceberg_def_of_table(&arena, metadata, &def, &err) == STATUS_OK) {
            ASSERT(def->is_iceberg);
        }
        expire(&arena, metadata);
    }
    strbuf_release(&first);
    strbuf_release(&second);
    arena_release(&arena);
    return 0;
}
