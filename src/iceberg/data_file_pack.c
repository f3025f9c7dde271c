// SPDX-License-Identifier: Apache-2.0
#include "iceberg/data_file_pack.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "iceberg/spec/table_metadata.h"

enum { COUNT_MAX = 10000000 };

void data_file_pack_u64(struct strbuf *out, uint64_t value)
{
    strbuf_add(out, str_make((const char *)&value, sizeof value));
}

void data_file_pack_str(struct strbuf *out, struct str text)
{
    data_file_pack_u64(out, text.ptr == NULL ? UINT64_MAX : text.size);
    strbuf_add(out, text);
}

static enum status cut(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "packed data files end too early");
}

enum status data_file_unpack_u64(struct data_file_unpack *in, uint64_t *out, struct err *err)
{
    *out = 0;
    if ((size_t)(in->end - in->at) < sizeof *out) {
        return cut(err);
    }
    memcpy(out, in->at, sizeof *out);
    in->at += sizeof *out;
    return STATUS_OK;
}

enum status data_file_unpack_str(struct data_file_unpack *in, struct str *out, struct err *err)
{
    uint64_t size;
    TRY(data_file_unpack_u64(in, &size, err));
    if (size == UINT64_MAX) {
        *out = (struct str){0};
        return STATUS_OK;
    }
    if (size > (uint64_t)(in->end - in->at)) {
        return cut(err);
    }
    *out = str_make(in->at, (size_t)size);
    in->at += size;
    return STATUS_OK;
}

void data_file_pack_tuple(struct strbuf *out, const struct partition_spec *spec,
                          const struct iceberg_value *tuple)
{
    struct arena arena;
    arena_init(&arena);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        struct str bytes = {0};
        if (!tuple[i].is_null) {
            bytes = iceberg_value_encode(&arena, spec->fields[i].result, &tuple[i]);
            bytes.ptr = bytes.ptr == NULL ? "" : bytes.ptr;
        }
        data_file_pack_str(out, bytes);
    }
    arena_release(&arena);
}

enum status data_file_unpack_tuple(struct data_file_unpack *in, struct arena *arena,
                                   const struct partition_spec *spec,
                                   const struct iceberg_value **out, struct err *err)
{
    struct iceberg_value *tuple =
        arena_new_array(arena, struct iceberg_value, spec->field_count + 1);
    for (uint32_t i = 0; i < spec->field_count; i++) {
        struct str bytes;
        TRY(data_file_unpack_str(in, &bytes, err));
        tuple[i].is_null = bytes.ptr == NULL;
        if (bytes.ptr != NULL) {
            TRY(iceberg_value_decode(spec->fields[i].result, bytes, &tuple[i], err));
        }
    }
    *out = tuple;
    return STATUS_OK;
}

void data_file_pack(struct strbuf *out, const struct partition_spec *spec,
                    const struct data_file *file)
{
    data_file_pack_u64(out, (uint64_t)file->spec_id);
    data_file_pack_u64(out, (uint64_t)file->content);
    data_file_pack_str(out, file->path);
    data_file_pack_str(out, file->format);
    data_file_pack_tuple(out, spec, file->partition);
    data_file_pack_u64(out, (uint64_t)file->record_count);
    data_file_pack_u64(out, (uint64_t)file->file_size);
    data_file_pack_u64(out, (uint64_t)(int64_t)file->sort_order_id);
    data_file_pack_u64(out, file->metric_count);
    for (uint32_t i = 0; i < file->metric_count; i++) {
        const struct data_file_metric *metric = &file->metrics[i];
        data_file_pack_u64(out, (uint64_t)metric->id);
        data_file_pack_u64(out, (uint64_t)metric->size);
        data_file_pack_u64(out, (uint64_t)metric->value_count);
        data_file_pack_u64(out, (uint64_t)metric->null_count);
        data_file_pack_u64(out, (uint64_t)metric->nan_count);
        data_file_pack_str(out, metric->lower);
        data_file_pack_str(out, metric->upper);
    }
    data_file_pack_u64(out, file->split_offset_count);
    for (uint32_t i = 0; i < file->split_offset_count; i++) {
        data_file_pack_u64(out, (uint64_t)file->split_offsets[i]);
    }
}

static enum status unpack_count(struct data_file_unpack *in, uint32_t *out, struct err *err)
{
    uint64_t count;
    TRY(data_file_unpack_u64(in, &count, err));
    if (count > COUNT_MAX || count > (uint64_t)(in->end - in->at)) {
        return cut(err);
    }
    *out = (uint32_t)count;
    return STATUS_OK;
}

static enum status unpack_metric(struct data_file_unpack *in, struct data_file_metric *out,
                                 struct err *err)
{
    uint64_t numbers[5];
    for (int i = 0; i < 5; i++) {
        TRY(data_file_unpack_u64(in, &numbers[i], err));
    }
    out->id = (int32_t)numbers[0];
    out->size = (int64_t)numbers[1];
    out->value_count = (int64_t)numbers[2];
    out->null_count = (int64_t)numbers[3];
    out->nan_count = (int64_t)numbers[4];
    TRY(data_file_unpack_str(in, &out->lower, err));
    return data_file_unpack_str(in, &out->upper, err);
}

static enum status unpack_arrays(struct data_file_unpack *in, struct arena *arena,
                                 struct data_file *out, struct err *err)
{
    TRY(unpack_count(in, &out->metric_count, err));
    struct data_file_metric *metrics =
        arena_new_array(arena, struct data_file_metric, out->metric_count + 1);
    for (uint32_t i = 0; i < out->metric_count; i++) {
        TRY(unpack_metric(in, &metrics[i], err));
    }
    TRY(unpack_count(in, &out->split_offset_count, err));
    int64_t *offsets = arena_new_array(arena, int64_t, out->split_offset_count + 1);
    for (uint32_t i = 0; i < out->split_offset_count; i++) {
        uint64_t offset;
        TRY(data_file_unpack_u64(in, &offset, err));
        offsets[i] = (int64_t)offset;
    }
    out->metrics = metrics;
    out->split_offsets = offsets;
    return STATUS_OK;
}

enum status data_file_unpack_file(struct data_file_unpack *in, struct arena *arena,
                                  const struct table_metadata *metadata, struct data_file *out,
                                  struct err *err)
{
    uint64_t spec_id;
    uint64_t content;
    uint64_t numbers[3];
    TRY(data_file_unpack_u64(in, &spec_id, err));
    TRY(data_file_unpack_u64(in, &content, err));
    const struct partition_spec *spec = table_metadata_spec(metadata, (int32_t)spec_id);
    if (spec == NULL || content > DATA_FILE_EQUALITY_DELETES) {
        return ERR(err, STATUS_INVALID_DATA, "a packed data file of partition spec %lld",
                   (long long)spec_id);
    }
    *out = (struct data_file){.spec_id = (int32_t)spec_id,
                              .content = (enum data_file_content)content,
                              .first_row_id = DATA_FILE_NONE,
                              .content_offset = DATA_FILE_NONE,
                              .content_size = DATA_FILE_NONE};
    TRY(data_file_unpack_str(in, &out->path, err));
    TRY(data_file_unpack_str(in, &out->format, err));
    TRY(data_file_unpack_tuple(in, arena, spec, &out->partition, err));
    for (int i = 0; i < 3; i++) {
        TRY(data_file_unpack_u64(in, &numbers[i], err));
    }
    out->record_count = (int64_t)numbers[0];
    out->file_size = (int64_t)numbers[1];
    out->sort_order_id = (int32_t)numbers[2];
    return unpack_arrays(in, arena, out, err);
}
