// SPDX-License-Identifier: Apache-2.0
#include "catalog/table_def.h"

#include <stddef.h>

#include "base/arena.h"

const struct str *table_def_option(const struct table_def *def, const char *key)
{
    for (uint32_t i = 0; i < def->option_count; i++) {
        if (str_is(def->options[i].key, key)) {
            return &def->options[i].value;
        }
    }
    return NULL;
}

const struct table_column *table_def_column(const struct table_def *def, struct str name)
{
    for (uint32_t i = 0; i < def->column_count; i++) {
        if (str_equal(def->columns[i].name, name)) {
            return &def->columns[i];
        }
    }
    return NULL;
}

static struct str copy_str(struct arena *arena, struct str text)
{
    return text.size == 0 ? (struct str){0} : arena_str(arena, text);
}

static const struct table_column *copy_columns(struct arena *arena, const struct table_column *all,
                                               uint32_t count)
{
    struct table_column *columns = arena_new_array(arena, struct table_column, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct table_column *from = &all[i];
        columns[i] = *from;
        columns[i].name = copy_str(arena, from->name);
        columns[i].type = from->type == NULL ? NULL : type_copy(arena, from->type);
        columns[i].expression = copy_str(arena, from->expression);
        columns[i].metadata_key = copy_str(arena, from->metadata_key);
        columns[i].comment = copy_str(arena, from->comment);
    }
    return columns;
}

struct table_def *table_def_copy(struct arena *arena, const struct table_def *def)
{
    struct table_def *copy = arena_copy(arena, def, sizeof *def);
    copy->catalog_name = copy_str(arena, def->catalog_name);
    copy->database = copy_str(arena, def->database);
    copy->name = copy_str(arena, def->name);
    copy->columns = copy_columns(arena, def->columns, def->column_count);
    copy->hidden = copy_columns(arena, def->hidden, def->hidden_count);
    copy->watermark_column = copy_str(arena, def->watermark_column);
    copy->watermark_expression = copy_str(arena, def->watermark_expression);
    struct str *keys = arena_new_array(arena, struct str, def->primary_key_count);
    for (uint32_t i = 0; i < def->primary_key_count; i++) {
        keys[i] = copy_str(arena, def->primary_key[i]);
    }
    copy->primary_key = keys;
    struct table_partition *partitions =
        arena_new_array(arena, struct table_partition, def->partition_count);
    for (uint32_t i = 0; i < def->partition_count; i++) {
        partitions[i] = def->partitions[i];
        partitions[i].transform = copy_str(arena, def->partitions[i].transform);
        partitions[i].column = copy_str(arena, def->partitions[i].column);
    }
    copy->partitions = partitions;
    struct table_option *options = arena_new_array(arena, struct table_option, def->option_count);
    for (uint32_t i = 0; i < def->option_count; i++) {
        options[i].key = copy_str(arena, def->options[i].key);
        options[i].value = copy_str(arena, def->options[i].value);
    }
    copy->options = options;
    copy->comment = copy_str(arena, def->comment);
    copy->view_text = copy_str(arena, def->view_text);
    copy->metadata_table = copy_str(arena, def->metadata_table);
    return copy;
}

static bool same_column(const struct table_column *a, const struct table_column *b)
{
    bool same_type =
        a->type == NULL || b->type == NULL ? a->type == b->type : type_equal(a->type, b->type);
    return same_type && a->kind == b->kind && a->is_virtual == b->is_virtual &&
           str_equal(a->name, b->name) && str_equal(a->expression, b->expression) &&
           str_equal(a->metadata_key, b->metadata_key);
}

static bool same_partition(const struct table_partition *a, const struct table_partition *b)
{
    return a->parameter == b->parameter && str_equal(a->transform, b->transform) &&
           str_equal(a->column, b->column);
}

// The order of options means nothing.
static bool same_options(const struct table_def *a, const struct table_def *b)
{
    for (uint32_t i = 0; i < a->option_count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < b->option_count && !found; j++) {
            found = str_equal(a->options[i].key, b->options[j].key) &&
                    str_equal(a->options[i].value, b->options[j].value);
        }
        if (!found) {
            return false;
        }
    }
    return a->option_count == b->option_count;
}

static bool same_version(const struct table_version *a, const struct table_version *b)
{
    return a->snapshot_id == b->snapshot_id && a->has_own_schema == b->has_own_schema &&
           a->is_incremental == b->is_incremental && a->after_snapshot_id == b->after_snapshot_id;
}

static bool same_header(const struct table_def *a, const struct table_def *b)
{
    return a->kind == b->kind && a->is_temporary == b->is_temporary &&
           a->is_iceberg == b->is_iceberg && a->column_count == b->column_count &&
           a->primary_key_count == b->primary_key_count &&
           a->partition_count == b->partition_count &&
           str_equal(a->catalog_name, b->catalog_name) && str_equal(a->database, b->database) &&
           str_equal(a->name, b->name) && str_equal(a->view_text, b->view_text) &&
           str_equal(a->metadata_table, b->metadata_table) &&
           str_equal(a->watermark_column, b->watermark_column) &&
           str_equal(a->watermark_expression, b->watermark_expression) &&
           same_version(&a->version, &b->version);
}

bool table_def_equal(const struct table_def *a, const struct table_def *b)
{
    if (!same_header(a, b) || !same_options(a, b)) {
        return false;
    }
    for (uint32_t i = 0; i < a->column_count; i++) {
        if (!same_column(&a->columns[i], &b->columns[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->primary_key_count; i++) {
        if (!str_equal(a->primary_key[i], b->primary_key[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->partition_count; i++) {
        if (!same_partition(&a->partitions[i], &b->partitions[i])) {
            return false;
        }
    }
    return true;
}
