// SPDX-License-Identifier: Apache-2.0
//
// The footer of a file: "... footer, its size (4 bytes), PAR1".
#include <inttypes.h>

#include "base/assert.h"
#include "base/budget.h"
#include "base/byte_source.h"
#include "codec/parquet_reader_int.h"

enum { TAIL_BYTES = 64 << 10, FOOTER_BYTES_MAX = 256 << 20, FRAME_BYTES = 8 };

static uint32_t get_u32(const char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

// The footer's bytes into file->footer_bytes, with one read where it is small.
static enum status read_footer(struct parquet_file *file, uint64_t bytes_max, struct err *err)
{
    struct byte_source *source = file->source;
    struct bytebuf *out = &file->footer_bytes;
    if (source->size < 12) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s is no Parquet file: it has %" PRIu64 " bytes",
                   STR_ARGS(source->name), source->size);
    }
    size_t tail = source->size < TAIL_BYTES ? (size_t)source->size : TAIL_BYTES;
    char *bytes = bytebuf_reserve(out, tail);
    TRY(byte_source_read(source, source->size - tail, tail, bytes, err));
    if (memcmp(bytes + tail - 4, "PARE", 4) == 0) {
        return ERR(err, STATUS_UNSUPPORTED, "%.*s is encrypted", STR_ARGS(source->name));
    }
    if (memcmp(bytes + tail - 4, "PAR1", 4) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "%.*s is no Parquet file: it does not end in PAR1",
                   STR_ARGS(source->name));
    }
    uint32_t size = get_u32(bytes + tail - FRAME_BYTES);
    if (size > source->size - FRAME_BYTES - 4 || size > bytes_max) {
        return ERR(err, STATUS_INVALID_DATA,
                   "%.*s: at byte %" PRIu64 ", a footer of %u bytes is announced, which cannot be",
                   STR_ARGS(source->name), source->size - FRAME_BYTES, size);
    }
    if (size + FRAME_BYTES <= tail) {
        memmove(bytes, bytes + tail - FRAME_BYTES - size, size);
    } else {
        bytes = bytebuf_reserve(out, size);
        TRY(byte_source_read(source, source->size - FRAME_BYTES - size, size, bytes, err));
    }
    out->size = size;
    return STATUS_OK;
}

static bool any_id(const struct parquet_tree *tree)
{
    for (uint32_t i = 1; i < tree->element_count; i++) {
        if (tree->elements[i].id != PARQUET_NO_ID) {
            return true;
        }
    }
    return false;
}

static enum status check_groups(struct parquet_file *file, struct err *err)
{
    const struct parquet_footer *footer = &file->footer;
    uint64_t rows = 0;
    file->first_rows = arena_new_array(&file->arena, uint64_t, footer->group_count + 1);
    for (uint32_t i = 0; i < footer->group_count; i++) {
        const struct parquet_group_meta *group = &footer->groups[i];
        file->first_rows[i] = rows;
        if (group->chunk_count != file->tree.leaf_count) {
            return ERR(err, STATUS_INVALID_DATA, "row group %u has %u columns, the schema %u", i,
                       group->chunk_count, file->tree.leaf_count);
        }
        if (__builtin_add_overflow(rows, (uint64_t)group->row_count, &rows)) {
            return ERR(err, STATUS_INVALID_DATA, "its row groups have too many rows");
        }
    }
    file->first_rows[footer->group_count] = rows;
    return STATUS_OK;
}

static enum status open_file(struct parquet_file *file, uint64_t bytes_max, struct err *err)
{
    TRY(read_footer(file, bytes_max, err));
    struct str bytes = bytebuf_str(&file->footer_bytes);
    enum status status = parquet_footer_parse(&file->arena, bytes, &file->footer, err);
    if (status != STATUS_OK) {
        err_context(err, "%.*s, footer at byte %" PRIu64, STR_ARGS(file->source->name),
                    file->source->size - FRAME_BYTES - bytes.size);
        return status;
    }
    if (file->footer.is_encrypted) {
        // The footer is readable (plain-text footer mode), some columns are not.
        status = ERR(err, STATUS_UNSUPPORTED, "it is encrypted");
    }
    if (status == STATUS_OK) {
        status = parquet_file_schema_build(&file->arena, &file->footer, &file->tree, err);
    }
    if (status == STATUS_OK) {
        status = check_groups(file, err);
    }
    if (status != STATUS_OK) {
        err_context(err, "%.*s", STR_ARGS(file->source->name));
        return status;
    }
    file->fields = parquet_file_schema_fields(&file->arena, &file->tree);
    file->has_ids = any_id(&file->tree);
    return STATUS_OK;
}

enum status parquet_file_open(struct byte_source *source,
                              const struct parquet_file_options *options, struct parquet_file **out,
                              struct err *err)
{
    struct parquet_file *file = mem_zalloc(sizeof *file);
    uint64_t bytes_max = options != NULL ? options->footer_bytes_max : 0;
    file->source = source;
    file->budget = options != NULL ? options->budget : NULL;
    arena_init(&file->arena);
    enum status status = open_file(file, bytes_max > 0 ? bytes_max : FOOTER_BYTES_MAX, err);
    if (status != STATUS_OK) {
        parquet_file_free(file);
        return status;
    }
    if (file->budget != NULL) {
        file->charged = file->arena.bytes + file->footer_bytes.capacity;
        budget_force(file->budget, file->charged);
    }
    *out = file;
    return STATUS_OK;
}

void parquet_file_free(struct parquet_file *file)
{
    if (file == NULL) {
        return;
    }
    if (file->budget != NULL) {
        budget_give(file->budget, file->charged);
    }
    bytebuf_release(&file->footer_bytes);
    arena_release(&file->arena);
    mem_free(file);
}

const struct parquet_field *parquet_file_fields(const struct parquet_file *file, uint32_t *count)
{
    *count = file->tree.root.child_count;
    return file->fields;
}

uint64_t parquet_file_rows(const struct parquet_file *file)
{
    return file->first_rows[file->footer.group_count];
}

uint32_t parquet_file_row_groups(const struct parquet_file *file)
{
    return file->footer.group_count;
}

struct str parquet_file_created_by(const struct parquet_file *file)
{
    return file->footer.created_by;
}

bool parquet_file_key_value(const struct parquet_file *file, struct str key, struct str *out)
{
    for (uint32_t i = 0; i < file->footer.key_value_count; i++) {
        if (str_equal(file->footer.key_values[i].key, key)) {
            *out = file->footer.key_values[i].value;
            return true;
        }
    }
    return false;
}

bool parquet_file_has_ids(const struct parquet_file *file)
{
    return file->has_ids;
}

struct parquet_row_group_info parquet_file_row_group(const struct parquet_file *file, uint32_t at)
{
    ASSERT(at < file->footer.group_count);
    const struct parquet_group_meta *group = &file->footer.groups[at];
    struct parquet_row_group_info info = {.first_row = file->first_rows[at],
                                          .row_count = (uint64_t)group->row_count};
    for (uint32_t i = 0; i < group->chunk_count; i++) {
        const struct parquet_chunk_meta *chunk = &group->chunks[i];
        info.bytes += chunk->packed_bytes > 0 ? (uint64_t)chunk->packed_bytes : 0;
    }
    if (group->chunk_count > 0) {
        const struct parquet_chunk_meta *first = &group->chunks[0];
        bool dictionary =
            first->dictionary_offset > 0 && first->dictionary_offset < first->data_offset;
        int64_t offset = dictionary ? first->dictionary_offset : first->data_offset;
        info.offset = offset > 0 ? (uint64_t)offset : 0;
    }
    return info;
}
