// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/block.h"

enum { CHECKPOINT_BLOCK_KIND = 64, CHECKPOINT_LAYOUT = 1 };

static void add_u64(struct strbuf *out, uint64_t value)
{
    strbuf_add(out, str_make((const char *)&value, sizeof value));
}

static void add_str(struct strbuf *out, struct str text)
{
    add_u64(out, text.size);
    strbuf_add(out, text);
}

static void add_lists(const struct checkpoint *checkpoint, struct strbuf *out)
{
    add_u64(out, checkpoint->operator_count);
    for (uint32_t i = 0; i < checkpoint->operator_count; i++) {
        add_str(out, checkpoint->operators[i].operator_id);
        add_u64(out, checkpoint->operators[i].parallelism);
    }
    add_u64(out, checkpoint->entry_count);
    for (uint32_t i = 0; i < checkpoint->entry_count; i++) {
        const struct snapshot_entry *entry = &checkpoint->entries[i];
        add_str(out, entry->operator_id);
        add_u64(out, entry->instance);
        add_str(out, entry->key);
        add_str(out, entry->bytes);
    }
    add_u64(out, checkpoint->segment_count);
    for (uint32_t i = 0; i < checkpoint->segment_count; i++) {
        const struct checkpoint_segment *segment = &checkpoint->segments[i];
        add_str(out, segment->operator_id);
        add_u64(out, segment->instance);
        add_u64(out, segment->number);
        add_u64(out, segment->size);
        add_str(out, segment->file);
    }
}

enum status checkpoint_encode(const struct checkpoint *checkpoint, struct strbuf *out,
                              struct err *err)
{
    struct strbuf payload;
    strbuf_init(&payload, BLOCK_PAYLOAD_MAX);
    add_u64(&payload, CHECKPOINT_LAYOUT);
    add_str(&payload, checkpoint->pipeline_name);
    add_str(&payload, checkpoint->pipeline_uuid);
    add_str(&payload, checkpoint->lineage);
    add_u64(&payload, checkpoint->epoch.run);
    add_u64(&payload, checkpoint->epoch.number);
    add_u64(&payload, (uint64_t)checkpoint->kind);
    add_u64(&payload, (uint64_t)checkpoint->wall_us);
    add_str(&payload, checkpoint->plan_digest);
    add_lists(checkpoint, &payload);
    enum status status;
    if (payload.truncated) {
        status = ERR(err, STATUS_LIMIT, "the checkpoint's manifest is larger than 1 GiB");
    } else {
        struct block block = {.kind = CHECKPOINT_BLOCK_KIND, .payload = strbuf_str(&payload)};
        status = block_write(out, &block, COMPRESS_NONE, NULL, err);
    }
    strbuf_release(&payload);
    return status;
}

// Reads fields front to back; `failed` stays set once a field did not fit.
struct field_reader {
    struct str bytes;
    size_t at;
    bool failed;
};

static uint64_t take_u64(struct field_reader *reader)
{
    uint64_t value = 0;
    if (reader->failed || reader->bytes.size - reader->at < sizeof value) {
        reader->failed = true;
        return 0;
    }
    memcpy(&value, reader->bytes.ptr + reader->at, sizeof value);
    reader->at += sizeof value;
    return value;
}

static struct str take_str(struct field_reader *reader)
{
    uint64_t size = take_u64(reader);
    if (reader->failed || reader->bytes.size - reader->at < size) {
        reader->failed = true;
        return (struct str){0};
    }
    struct str text = {reader->bytes.ptr + reader->at, (size_t)size};
    reader->at += (size_t)size;
    return text;
}

// A count of things that take at least `size_min` bytes each.
static uint32_t take_count(struct field_reader *reader, size_t size_min)
{
    uint64_t count = take_u64(reader);
    if (reader->failed || count > (reader->bytes.size - reader->at) / size_min) {
        reader->failed = true;
        return 0;
    }
    return (uint32_t)count;
}

static void take_lists(struct field_reader *reader, struct arena *arena, struct checkpoint *out)
{
    out->operator_count = take_count(reader, 16);
    struct checkpoint_operator *operators =
        arena_new_array(arena, struct checkpoint_operator, out->operator_count);
    for (uint32_t i = 0; i < out->operator_count; i++) {
        operators[i].operator_id = take_str(reader);
        operators[i].parallelism = (uint32_t)take_u64(reader);
    }
    out->operators = operators;
    out->entry_count = take_count(reader, 32);
    struct snapshot_entry *entries =
        arena_new_array(arena, struct snapshot_entry, out->entry_count);
    for (uint32_t i = 0; i < out->entry_count; i++) {
        entries[i].operator_id = take_str(reader);
        entries[i].instance = (uint32_t)take_u64(reader);
        entries[i].key = take_str(reader);
        entries[i].bytes = take_str(reader);
    }
    out->entries = entries;
    out->segment_count = take_count(reader, 40);
    struct checkpoint_segment *segments =
        arena_new_array(arena, struct checkpoint_segment, out->segment_count);
    for (uint32_t i = 0; i < out->segment_count; i++) {
        segments[i].operator_id = take_str(reader);
        segments[i].instance = (uint32_t)take_u64(reader);
        segments[i].number = take_u64(reader);
        segments[i].size = take_u64(reader);
        segments[i].file = take_str(reader);
    }
    out->segments = segments;
}

enum status checkpoint_decode(struct str bytes, struct arena *arena, struct checkpoint *out,
                              struct err *err)
{
    struct block block;
    size_t used;
    struct compress *compress = compress_new(); // what is damaged may ask for one
    enum status status = block_read(bytes, compress, arena, &block, &used, err);
    compress_free(compress);
    if (status != STATUS_OK) {
        return status;
    }
    if (block.kind != CHECKPOINT_BLOCK_KIND || used != bytes.size) {
        return ERR(err, STATUS_INVALID_DATA, "this is no checkpoint manifest");
    }
    struct field_reader reader = {.bytes = block.payload};
    if (take_u64(&reader) != CHECKPOINT_LAYOUT) {
        return ERR(err, STATUS_UNSUPPORTED, "the checkpoint was written by another version");
    }
    *out = (struct checkpoint){.pipeline_name = take_str(&reader)};
    out->pipeline_uuid = take_str(&reader);
    out->lineage = take_str(&reader);
    out->epoch.run = take_u64(&reader);
    out->epoch.number = take_u64(&reader);
    out->kind = (enum barrier_kind)take_u64(&reader);
    out->wall_us = (int64_t)take_u64(&reader);
    out->plan_digest = take_str(&reader);
    take_lists(&reader, arena, out);
    if (reader.failed || reader.at != block.payload.size || out->kind > BARRIER_STOP) {
        return ERR(err, STATUS_INVALID_DATA,
                   "checkpoint manifest: a field ends outside, offset %zu", reader.at);
    }
    return STATUS_OK;
}
