// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/data_file.h"

#include <string.h>

#include "base/arena.h"
#include "iceberg/spec/partition_spec.h"

const struct data_file_metric *data_file_metric(const struct data_file *file, int32_t id)
{
    uint32_t low = 0;
    uint32_t high = file->metric_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (file->metrics[middle].id == id) {
            return &file->metrics[middle];
        }
        if (file->metrics[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

static struct str copy_or_null(struct arena *arena, struct str text)
{
    return text.ptr == NULL ? text : arena_str(arena, text);
}

struct data_file *data_file_copy(struct arena *arena, const struct partition_spec *spec,
                                 const struct data_file *file)
{
    struct data_file *copy = arena_copy(arena, file, sizeof *file);
    copy->path = arena_str(arena, file->path);
    copy->format = arena_str(arena, file->format);
    copy->partition = partition_spec_tuple_copy(arena, spec, file->partition);
    struct data_file_metric *metrics =
        arena_copy(arena, file->metrics, file->metric_count * sizeof *file->metrics);
    for (uint32_t i = 0; i < file->metric_count; i++) {
        metrics[i].lower = copy_or_null(arena, metrics[i].lower);
        metrics[i].upper = copy_or_null(arena, metrics[i].upper);
    }
    copy->metrics = metrics;
    copy->split_offsets = arena_copy(arena, file->split_offsets,
                                     file->split_offset_count * sizeof *file->split_offsets);
    copy->equality_ids =
        arena_copy(arena, file->equality_ids, file->equality_id_count * sizeof *file->equality_ids);
    copy->referenced_data_file = copy_or_null(arena, file->referenced_data_file);
    copy->key_metadata = copy_or_null(arena, file->key_metadata);
    return copy;
}
