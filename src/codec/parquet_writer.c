// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_writer.h"

#include "base/assert.h"
#include "base/budget.h"
#include "codec/parquet_writer_int.h"
#include "data/batch.h"

enum {
    PAGE_BYTES = 1 << 20,
    PAGE_ROWS = 20000,
    DICTIONARY_BYTES = 4 << 20,
    ROW_GROUP_BYTES = 128 << 20,
    // Encoded pages hold about this much of what their values take while they are pending.
    PENDING_SHARE = 2,
    SMALL_DICTIONARY = 4096, // bytes; seal(shrink) leaves these open
};

struct parquet_encoder *parquet_encoder_new(void)
{
    struct parquet_encoder *encoder = mem_zalloc(sizeof *encoder);
    encoder->compress = compress_new();
    return encoder;
}

void parquet_encoder_free(struct parquet_encoder *encoder)
{
    if (encoder == NULL) {
        return;
    }
    compress_free(encoder->compress);
    bytebuf_release(&encoder->dense);
    bytebuf_release(&encoder->converted);
    bytebuf_release(&encoder->codes);
    bytebuf_release(&encoder->map);
    bytebuf_release(&encoder->page);
    bytebuf_release(&encoder->packed);
    bytebuf_release(&encoder->compact);
    bytebuf_release(&encoder->levels);
    bytebuf_release(&encoder->used);
    bytebuf_release(&encoder->live);
    bytebuf_release(&encoder->variants[0]);
    bytebuf_release(&encoder->variants[1]);
    for (uint32_t i = 0; i < sizeof encoder->frames / sizeof encoder->frames[0]; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            bytebuf_release(&encoder->frames[i][j]);
        }
    }
    mem_free(encoder);
}

static void fill_defaults(struct parquet_writer_options *options)
{
    options->page_version = options->page_version == 2 ? 2 : 1;
    options->page_bytes = options->page_bytes > 0 ? options->page_bytes : PAGE_BYTES;
    options->page_rows = options->page_rows > 0 ? options->page_rows : PAGE_ROWS;
    options->dictionary_bytes =
        options->dictionary_bytes > 0 ? options->dictionary_bytes : DICTIONARY_BYTES;
    options->row_group_bytes =
        options->row_group_bytes > 0 ? options->row_group_bytes : ROW_GROUP_BYTES;
}

static void copy_key_values(struct parquet_writer *writer,
                            const struct parquet_writer_options *options)
{
    struct parquet_key_value *copies =
        arena_new_array(&writer->arena, struct parquet_key_value, options->key_value_count + 1);
    for (uint32_t i = 0; i < options->key_value_count; i++) {
        copies[i].key = arena_str(&writer->arena, options->key_values[i].key);
        copies[i].value = arena_str(&writer->arena, options->key_values[i].value);
    }
    writer->options.key_values = copies;
}

enum status parquet_writer_new(struct parquet_encoder *encoder,
                               const struct parquet_writer_options *options,
                               struct parquet_writer **out, struct err *err)
{
    bool known = options->codec <= COMPRESS_LZ4_RAW && options->codec != COMPRESS_LZ4;
    if (!known) {
        return ERR(err, STATUS_UNSUPPORTED, "Parquet files are not written with codec %s",
                   compress_name(options->codec));
    }
    struct parquet_writer *writer = mem_zalloc(sizeof *writer);
    writer->encoder = encoder;
    writer->options = *options;
    fill_defaults(&writer->options);
    arena_init(&writer->arena);
    arena_init(&writer->result_arena);
    copy_key_values(writer, options);
    writer->options.blooms =
        arena_copy(&writer->arena, options->blooms, options->bloom_count * sizeof *options->blooms);
    enum status status = parquet_schema_tree(&writer->arena, options->fields, options->field_count,
                                             &writer->tree, err);
    if (status != STATUS_OK) {
        parquet_writer_free(writer);
        return status;
    }
    writer->options.fields = NULL; // the caller's
    writer->options.columns = NULL;
    writer->leaves = mem_zalloc(writer->tree.leaf_count * sizeof *writer->leaves);
    for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
        const struct parquet_node *leaf = writer->tree.leaves[i];
        const struct parquet_node *columns = writer->tree.root.children;
        bool is_column = leaf >= columns && leaf < columns + writer->tree.root.child_count;
        parquet_leaf_init(&writer->leaves[i], leaf, is_column);
        for (uint32_t k = 0; k < options->column_count; k++) {
            if (options->columns[k].id == leaf->id && leaf->id != PARQUET_NO_ID) {
                writer->leaves[i].without_statistics = options->columns[k].without_statistics;
                writer->leaves[i].without_dictionary = options->columns[k].without_dictionary;
            }
        }
    }
    *out = writer;
    return STATUS_OK;
}

static void release_chunk(struct parquet_chunk *chunk)
{
    VEC_RELEASE(&chunk->pages);
    parquet_stats_release(&chunk->range);
}

void parquet_writer_free(struct parquet_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        for (uint32_t j = 0; j < writer->tree.leaf_count; j++) {
            release_chunk(&writer->groups.items[i].chunks[j]);
        }
    }
    VEC_RELEASE(&writer->groups);
    parquet_payload_release(&writer->payloads);
    for (uint32_t i = 0; writer->leaves != NULL && i < writer->tree.leaf_count; i++) {
        parquet_leaf_release(&writer->leaves[i]);
    }
    mem_free(writer->leaves);
    bytebuf_release(&writer->bounds);
    if (writer->options.budget != NULL) {
        budget_give(writer->options.budget, writer->charged);
    }
    arena_release(&writer->arena);
    arena_release(&writer->result_arena);
    mem_free(writer);
}

// ---- row groups ----

void parquet_writer_begin_group(struct parquet_writer *writer)
{
    uint32_t leaves = writer->tree.leaf_count;
    struct parquet_group group = {
        .chunks = arena_new_array(&writer->arena, struct parquet_chunk, leaves + 1)};
    for (uint32_t i = 0; i < leaves; i++) {
        struct parquet_leaf *leaf = &writer->leaves[i];
        if (leaf->nested) {
            group.chunks[i].def_histogram =
                arena_new_array(&writer->arena, uint64_t, leaf->node->def_level + 1u);
            group.chunks[i].rep_histogram =
                arena_new_array(&writer->arena, uint64_t, leaf->node->rep_level + 1u);
        }
        parquet_leaf_begin_chunk(leaf, writer, &group.chunks[i]);
    }
    VEC_PUSH(&writer->groups, group);
}

static bool group_is_open(const struct parquet_writer *writer)
{
    return writer->groups.count > 0 && !writer->groups.items[writer->groups.count - 1].ended;
}

static enum status end_group(struct parquet_writer *writer, struct err *err)
{
    if (!group_is_open(writer)) {
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
        TRY(parquet_leaf_flush(writer, &writer->leaves[i], err));
        TRY(parquet_leaf_end_dictionary(writer, &writer->leaves[i], err));
    }
    parquet_writer_group(writer)->ended = true;
    writer->changed = true;
    return STATUS_OK;
}

// As they are in the file, about; or before compression.
static uint64_t group_bytes(const struct parquet_writer *writer, const struct parquet_group *group,
                            bool is_plain)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
        const struct parquet_chunk *chunk = &group->chunks[i];
        bytes += is_plain ? chunk->plain_bytes : chunk->packed_bytes;
    }
    if (!group->ended) {
        for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
            const struct parquet_leaf *leaf = &writer->leaves[i];
            uint64_t pending =
                leaf->plain.size + leaf->codes.size / 2 + leaf->dictionary.plain.size;
            bytes += is_plain ? pending : pending / PENDING_SHARE;
        }
    }
    return bytes;
}

static size_t total_memory(const struct parquet_writer *writer)
{
    struct parquet_writer_memory memory = parquet_writer_memory(writer);
    return memory.pending + memory.pages + memory.dictionaries + memory.directory;
}

void parquet_writer_charge(struct parquet_writer *writer)
{
    if (writer->options.budget == NULL) {
        return;
    }
    size_t now = total_memory(writer);
    if (now > writer->charged) {
        budget_force(writer->options.budget, now - writer->charged);
    } else {
        budget_give(writer->options.budget, writer->charged - now);
    }
    writer->charged = now;
}

// ---- rows ----

static enum status append_flat(struct parquet_writer *writer, const struct parquet_node *node,
                               const struct column *column, struct err *err)
{
    struct parquet_leaf *leaf = &writer->leaves[node->leaf_first];
    for (uint32_t from = 0; from < column->row_count;) {
        uint32_t room = writer->options.page_rows - leaf->rows;
        uint32_t left = column->row_count - from;
        struct parquet_slots slots = {.rows = left < room ? left : room};
        TRY(parquet_leaf_append(writer, leaf, column, from, &slots, err));
        from += slots.rows;
    }
    return STATUS_OK;
}

static enum status append(struct parquet_writer *writer, const struct batch *batch, struct err *err)
{
    if (!group_is_open(writer)) {
        parquet_writer_begin_group(writer);
    }
    for (uint32_t i = 0; i < writer->tree.root.child_count; i++) {
        const struct parquet_node *node = &writer->tree.root.children[i];
        const struct column *column = &batch->columns[i];
        if (node->physical != column->physical) {
            return ERR(err, STATUS_INVALID_DATA, "field %.*s: the column has another form than %s",
                       STR_ARGS(node->name), "the field's type");
        }
        bool flat = node->kind == PARQUET_NODE_LEAF && !writer->leaves[node->leaf_first].nested;
        TRY(flat ? append_flat(writer, node, column, err)
                 : parquet_shred_column(writer, node, column, err));
    }
    struct parquet_group *group = parquet_writer_group(writer);
    group->rows += batch->row_count;
    writer->rows += batch->row_count;
    writer->changed = true;
    uint64_t bytes = group_bytes(writer, group, writer->options.row_group_is_plain);
    return bytes >= writer->options.row_group_bytes ? end_group(writer, err) : STATUS_OK;
}

enum status parquet_writer_append(struct parquet_writer *writer, const struct batch *batch,
                                  struct err *err)
{
    ASSERT(!writer->failed && !writer->closed);
    ASSERT(batch->column_count == writer->tree.root.child_count);
    if (batch->row_count == 0) {
        return STATUS_OK;
    }
    enum status status = append(writer, batch, err);
    writer->failed = status != STATUS_OK;
    parquet_writer_charge(writer);
    return status;
}

static void free_leaf_buffers(struct parquet_leaf *leaf)
{
    bytebuf_release(&leaf->mask);
    bytebuf_release(&leaf->def);
    bytebuf_release(&leaf->rep);
    bytebuf_release(&leaf->plain);
    bytebuf_release(&leaf->codes);
}

enum status parquet_writer_seal(struct parquet_writer *writer, bool shrink, struct err *err)
{
    ASSERT(!writer->failed);
    for (uint32_t i = 0; group_is_open(writer) && i < writer->tree.leaf_count; i++) {
        struct parquet_leaf *leaf = &writer->leaves[i];
        enum status status = parquet_leaf_flush(writer, leaf, err);
        bool large = parquet_dictionary_memory(&leaf->dictionary) > SMALL_DICTIONARY;
        if (status == STATUS_OK && shrink && large) {
            status = parquet_leaf_end_dictionary(writer, leaf, err);
        }
        if (status != STATUS_OK) {
            writer->failed = true;
            return status;
        }
        if (shrink) {
            free_leaf_buffers(leaf);
        }
    }
    parquet_writer_charge(writer);
    return STATUS_OK;
}

enum status parquet_writer_take(struct parquet_writer *writer, struct byte_sink *sink,
                                uint64_t *size, struct err *err)
{
    ASSERT(!writer->failed && !writer->closed);
    *size = 0;
    if (!writer->changed) {
        return STATUS_OK;
    }
    TRY(parquet_segment_take(writer, sink, size, err));
    parquet_writer_charge(writer);
    return STATUS_OK;
}

enum status parquet_writer_restore(struct parquet_encoder *encoder,
                                   const struct parquet_writer_options *options,
                                   struct byte_source *const *segments, uint32_t segment_count,
                                   struct parquet_writer **out, struct err *err)
{
    struct parquet_writer *writer = NULL;
    TRY(parquet_writer_new(encoder, options, &writer, err));
    enum status status = parquet_segment_restore(writer, segments, segment_count, err);
    if (status != STATUS_OK) {
        parquet_writer_free(writer);
        return status;
    }
    parquet_writer_charge(writer);
    *out = writer;
    return STATUS_OK;
}

enum status parquet_writer_close(struct parquet_writer *writer, struct byte_source *const *segments,
                                 uint32_t segment_count, struct byte_sink *sink, struct err *err)
{
    ASSERT(!writer->failed && segment_count == writer->segments);
    if (!writer->closed) {
        enum status status = end_group(writer, err);
        if (status != STATUS_OK) {
            writer->failed = true;
            return status;
        }
        writer->closed = true;
        for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
            free_leaf_buffers(&writer->leaves[i]);
        }
        parquet_writer_charge(writer);
    }
    return parquet_assemble_file(writer, segments, sink, err);
}

const struct parquet_writer_result *parquet_writer_result(const struct parquet_writer *writer)
{
    ASSERT(writer->closed);
    return &writer->result;
}

// ---- figures ----

struct parquet_writer_memory parquet_writer_memory(const struct parquet_writer *writer)
{
    struct parquet_writer_memory memory = {.pages = writer->payloads.bytes};
    memory.directory = sizeof *writer + writer->bounds.capacity + writer->arena.bytes +
                       writer->tree.leaf_count * sizeof(struct parquet_leaf);
    for (uint32_t i = 0; i < writer->tree.leaf_count; i++) {
        memory.pending += parquet_leaf_memory(&writer->leaves[i]);
        memory.dictionaries += parquet_dictionary_memory(&writer->leaves[i].dictionary);
        for (uint32_t j = 0; j < writer->groups.count; j++) {
            const struct parquet_chunk *chunk = &writer->groups.items[j].chunks[i];
            memory.directory += chunk->pages.capacity * sizeof(struct parquet_page) +
                                parquet_stats_memory(&chunk->range);
        }
    }
    return memory;
}

uint64_t parquet_writer_rows(const struct parquet_writer *writer)
{
    return writer->rows;
}

uint64_t parquet_writer_file_bytes(const struct parquet_writer *writer)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        bytes += group_bytes(writer, &writer->groups.items[i], false);
    }
    return bytes;
}

uint32_t parquet_writer_segments(const struct parquet_writer *writer)
{
    return writer->segments;
}
