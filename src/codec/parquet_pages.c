// SPDX-License-Identifier: Apache-2.0
//
// The pages of a column chunk. A source that lends its bytes is read in place; others by windows of
// WINDOW_BYTES, or a page where that is larger. Where rows are picked out, windows begin small and
// grow as long as pages are read one behind the other.
#include <inttypes.h>
#include <libdeflate.h>

#include "base/assert.h"
#include "base/budget.h"
#include "base/byte_source.h"
#include "codec/parquet_reader_int.h"

enum {
    WINDOW_BYTES = 256 << 10,
    WINDOW_BYTES_MIN = 64 << 10, // where pages are picked out
    HEADER_BYTES = 256,          // read at first
    HEADER_BYTES_MAX = 16 << 20, // with statistics in it
    PAGE_BYTES_USUAL = 16 << 20, // decompressed; larger ones have to fit into the budget
    SIZE_SLACK = 100,            // bytes a chunk may be longer than it says
    POOL_MAX = 64,               // pieces of memory kept for later: they are searched through
    PADDING = 16,                // behind memory, so that loops may read a little further
};

// ---- memory ----

static void account(struct parquet_reader *reader)
{
    struct budget *budget = reader->options.budget;
    if (budget == NULL) {
        return;
    }
    if (reader->memory > reader->charged) {
        budget_force(budget, reader->memory - reader->charged);
    } else {
        budget_give(budget, reader->charged - reader->memory);
    }
    reader->charged = reader->memory;
}

// The most that a page may have: the limit, or what the budget has left, which pages of usual sizes
// are not held to.
static size_t page_bytes_max(const struct parquet_reader *reader)
{
    size_t limit = reader->options.page_bytes_max;
    if (reader->options.budget == NULL || limit <= PAGE_BYTES_USUAL) {
        return limit;
    }
    size_t room = budget_room(reader->options.budget);
    room = room > PAGE_BYTES_USUAL ? room : PAGE_BYTES_USUAL;
    return room < limit ? room : limit;
}

char *parquet_pages_memory(struct parquet_reader *reader, struct parquet_memory **list, size_t size)
{
    if (size > PAGE_BYTES_USUAL ? size > page_bytes_max(reader)
                                : size > reader->options.page_bytes_max) {
        return NULL;
    }
    struct parquet_memory **best = NULL;
    for (struct parquet_memory **at = &reader->pool; *at != NULL; at = &(*at)->next) {
        if ((*at)->capacity >= size && (best == NULL || (*at)->capacity < (*best)->capacity)) {
            best = at;
        }
    }
    struct parquet_memory *memory;
    if (best != NULL) {
        memory = *best;
        *best = memory->next;
        reader->pooled--;
    } else {
        memory = mem_alloc(sizeof *memory);
        memory->capacity = size + size / 8;
        memory->ptr = mem_alloc(memory->capacity + PADDING);
        reader->memory += memory->capacity;
        account(reader);
    }
    memory->next = *list;
    *list = memory;
    return memory->ptr;
}

// Keeps a few for the next pages.
void parquet_pages_recycle(struct parquet_reader *reader, struct parquet_memory **list)
{
    uint32_t most = reader->leaf_count * 2 + 2 < POOL_MAX ? reader->leaf_count * 2 + 2 : POOL_MAX;
    while (*list != NULL) {
        struct parquet_memory *memory = *list;
        *list = memory->next;
        if (reader->pooled < most) {
            memory->next = reader->pool;
            reader->pool = memory;
            reader->pooled++;
        } else {
            reader->memory -= memory->capacity;
            mem_free(memory->ptr);
            mem_free(memory);
        }
    }
    account(reader);
}

// ---- bytes ----

// How much is read at once: where rows are picked out, a page of which the offset index says how
// long it is, or little; more where the reading goes on behind the last window.
static size_t window_size(const struct parquet_leaf_reader *leaf, uint64_t offset)
{
    const struct parquet_pages *pages = &leaf->pages;
    const struct parquet_offset_index *index = &pages->index;
    if (leaf->reader->filter_count == 0) {
        return WINDOW_BYTES;
    }
    if (pages->window.size > 0 && offset <= pages->window_offset + pages->window.size) {
        return pages->ahead * 2 < WINDOW_BYTES ? pages->ahead * 2 : WINDOW_BYTES;
    }
    bool known = pages->next_page < index->count &&
                 (uint64_t)index->pages[pages->next_page].offset == offset;
    return known ? (size_t)index->pages[pages->next_page].size : WINDOW_BYTES_MIN;
}

// Makes [offset, offset + size) the window. What the last one has of its beginning is kept.
static enum status move_window(struct parquet_leaf_reader *leaf, uint64_t offset, size_t size,
                               struct err *err)
{
    struct parquet_pages *pages = &leaf->pages;
    struct bytebuf *window = &pages->window;
    uint64_t end = pages->window_offset + window->size;
    size_t kept = offset >= pages->window_offset && offset < end ? (size_t)(end - offset) : 0;
    kept = kept < size ? kept : size;
    if (kept > 0) {
        memmove(window->ptr, window->ptr + (offset - pages->window_offset), kept);
    }
    window->size = kept;
    pages->window_offset = offset;
    char *room = bytebuf_reserve(window, size - kept + PADDING);
    TRY(byte_source_read(leaf->reader->file->source, offset + kept, size - kept, room, err));
    window->size = size;
    leaf->reader->counters.bytes_read += size - kept;
    return STATUS_OK;
}

enum status parquet_pages_read(struct parquet_leaf_reader *leaf, uint64_t offset, size_t size,
                               struct str *out, struct err *err)
{
    struct byte_source *source = leaf->reader->file->source;
    struct parquet_pages *pages = &leaf->pages;
    if (offset > pages->end || size > pages->end - offset) {
        return ERR(err, STATUS_INVALID_DATA, "a page reaches behind the end of its column chunk");
    }
    const char *lent = byte_source_borrow(source, offset, size);
    if (lent != NULL) {
        *out = str_make(lent, size);
        return STATUS_OK;
    }
    uint64_t passed = offset - pages->window_offset;
    bool begins = offset >= pages->window_offset && passed <= pages->window.size;
    if (!begins || size > pages->window.size - passed) {
        uint64_t left = pages->end - offset;
        pages->ahead = window_size(leaf, offset);
        size_t want = size > pages->ahead ? size : pages->ahead;
        want = want < left ? want : (size_t)left;
        TRY(move_window(leaf, offset, want, err));
    }
    *out = str_make(pages->window.ptr + (offset - pages->window_offset), size);
    return STATUS_OK;
}

enum status parquet_pages_context(const struct parquet_leaf_reader *leaf, enum status status,
                                  struct err *err)
{
    if (status != STATUS_OK && status != STATUS_END && err != NULL) {
        err_context(err, "%.*s: column %.*s, page before byte %" PRIu64,
                    STR_ARGS(leaf->reader->file->source->name), STR_ARGS(leaf->node->name),
                    leaf->pages.at);
    }
    return status;
}

// ---- headers ----

static enum status read_header(struct parquet_leaf_reader *leaf, struct parquet_page_header *header,
                               struct err *err)
{
    struct parquet_pages *pages = &leaf->pages;
    uint64_t left = pages->end - pages->at;
    for (size_t size = HEADER_BYTES;; size *= 4) {
        bool all = size >= left;
        struct str bytes;
        TRY(parquet_pages_read(leaf, pages->at, all ? (size_t)left : size, &bytes, err));
        enum status status = parquet_footer_page(bytes, header, err);
        if (status != STATUS_AGAIN) {
            return status;
        }
        if (all || size > HEADER_BYTES_MAX) {
            return ERR(err, STATUS_INVALID_DATA, "a page's header has no end");
        }
    }
}

// ---- bodies ----

static enum status check_crc(const struct parquet_leaf_reader *leaf,
                             const struct parquet_page_header *header, struct str body,
                             struct err *err)
{
    if (header->has_crc && leaf->reader->options.verify_checksums &&
        libdeflate_crc32(0, body.ptr, body.size) != header->crc) {
        return ERR(err, STATUS_INVALID_DATA, "the page's checksum does not match");
    }
    return STATUS_OK;
}

// The page's bytes as they were before compression; levels in front of a v2 page are not
// compressed.
static enum status unpack_body(struct parquet_leaf_reader *leaf,
                               const struct parquet_page_header *header, struct str body,
                               struct parquet_memory **memory, struct str *out, struct err *err)
{
    struct parquet_reader *reader = leaf->reader;
    size_t plain = (size_t)header->plain_bytes;
    size_t levels =
        header->type == PARQUET_DATA_V2 ? (size_t)header->def_bytes + (size_t)header->rep_bytes : 0;
    bool packed = leaf->codec != COMPRESS_NONE && header->is_compressed;
    if (levels > plain || (!packed && plain != body.size)) {
        return ERR(err, STATUS_INVALID_DATA, "a page's sizes contradict each other");
    }
    reader->counters.bytes_decoded += plain;
    if (!packed && byte_source_borrow(reader->file->source, 0, 0) != NULL) {
        *out = body; // lent for as long as the source lives
        return STATUS_OK;
    }
    char *room = parquet_pages_memory(reader, memory, plain);
    if (room == NULL) {
        return ERR(err, STATUS_LIMIT, "a page of %zu bytes is over the limit of %zu", plain,
                   page_bytes_max(reader));
    }
    size_t head = packed ? levels : body.size;
    if (head > 0) {
        memcpy(room, body.ptr, head);
    }
    if (packed && plain > levels) {
        TRY(compress_unblock(reader->compress, leaf->codec, str_slice(body, levels, body.size),
                             room + levels, plain - levels, err));
    }
    *out = str_make(room, plain);
    return STATUS_OK;
}

// ---- the dictionary ----

static char *take_dictionary_memory(void *owner, size_t size)
{
    struct parquet_leaf_reader *leaf = owner;
    return parquet_pages_memory(leaf->reader, &leaf->dictionary_memory, size);
}

static uint64_t long_bytes(const struct strview *views, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += views[i].size > STRVIEW_INLINE_MAX ? views[i].size : 0;
    }
    return bytes;
}

static enum status decode_dictionary(struct parquet_leaf_reader *leaf, struct str bytes,
                                     uint32_t count, struct err *err)
{
    struct parquet_reader *reader = leaf->reader;
    const struct parquet_page_memory memory = {
        .take = take_dictionary_memory, .owner = leaf, .bytes_max = reader->options.page_bytes_max};
    struct parquet_decoder decoder;
    const struct parquet_conversion *conversion = &leaf->conversion;
    // A value takes at least a bit, and what it becomes is not more than a few pages.
    if (count > (uint64_t)bytes.size * 8 ||
        (uint64_t)count * conversion->target_width > memory.bytes_max * 4) {
        return ERR(err, STATUS_INVALID_DATA, "a dictionary of %u values has %zu bytes", count,
                   bytes.size);
    }
    TRY(parquet_decode_begin(&decoder, leaf->node->element, PARQUET_PLAIN, bytes, count, &memory,
                             err));
    leaf->dictionary.size = 0;
    char *out = bytebuf_reserve(&leaf->dictionary, ((size_t)count + 1) * conversion->target_width);
    if (conversion->kind == PARQUET_CONVERT_NONE) {
        TRY(parquet_decode_values(&decoder, out, count, err));
    } else {
        reader->scratch.size = 0;
        char *raw = bytebuf_reserve(&reader->scratch, (size_t)count * conversion->stored_width);
        TRY(parquet_decode_values(&decoder, raw, count, err));
        TRY(parquet_convert_run(conversion, raw, out, count, err));
    }
    leaf->has_dictionary = true;
    leaf->dictionary_count = count;
    leaf->dictionary_bytes = conversion->target == PHYSICAL_STRING
                                 ? long_bytes((const struct strview *)(const void *)out, count)
                                 : 0;
    leaf->dictionary_column =
        (struct column){.physical = conversion->target, .row_count = count, .values = out};
    return STATUS_OK;
}

static enum status read_dictionary(struct parquet_leaf_reader *leaf,
                                   const struct parquet_page_header *header, struct str body,
                                   struct err *err)
{
    struct str bytes;
    if (leaf->has_dictionary) {
        return ERR(err, STATUS_INVALID_DATA, "a column chunk has two dictionaries");
    }
    if (leaf->levels_only) {
        leaf->has_dictionary = true;
        leaf->dictionary_count = UINT32_MAX;
        return STATUS_OK;
    }
    if (header->encoding != PARQUET_PLAIN && header->encoding != PARQUET_PLAIN_DICTIONARY) {
        return ERR(err, STATUS_UNSUPPORTED, "a dictionary in encoding %d is not read",
                   header->encoding);
    }
    TRY(unpack_body(leaf, header, body, &leaf->dictionary_memory, &bytes, err));
    return decode_dictionary(leaf, bytes, (uint32_t)header->value_count, err);
}

// ---- data pages ----

static enum status begin_levels(struct parquet_rle *rle, struct str *packed, int32_t encoding,
                                uint8_t max, uint32_t slots, struct str *bytes, struct err *err)
{
    uint32_t width = parquet_rle_width(max);
    *packed = str_make(NULL, 0);
    if (max == 0) {
        return STATUS_OK;
    }
    if (encoding == PARQUET_BIT_PACKED) {
        uint64_t size = ((uint64_t)slots * width + 7) / 8;
        if (size > bytes->size) {
            return ERR(err, STATUS_INVALID_DATA, "a page ends within its levels");
        }
        *packed = str_slice(*bytes, 0, size);
        *bytes = str_slice(*bytes, size, bytes->size);
        return STATUS_OK;
    }
    if (encoding != PARQUET_RLE) {
        return ERR(err, STATUS_UNSUPPORTED, "levels in encoding %d are not read", encoding);
    }
    uint32_t size = 0;
    if (bytes->size >= 4) {
        memcpy(&size, bytes->ptr, 4);
    }
    if (bytes->size < 4 || size > bytes->size - 4) {
        return ERR(err, STATUS_INVALID_DATA, "a page ends within its levels");
    }
    parquet_rle_init(rle, str_slice(*bytes, 4, 4 + (size_t)size), width);
    *bytes = str_slice(*bytes, 4 + (size_t)size, bytes->size);
    return STATUS_OK;
}

static enum status begin_v1_levels(struct parquet_leaf_reader *leaf,
                                   const struct parquet_page_header *header, struct str *bytes,
                                   struct err *err)
{
    uint32_t slots = (uint32_t)header->value_count;
    TRY(begin_levels(&leaf->rep_levels, &leaf->packed_levels[1], header->rep_encoding,
                     leaf->node->rep_level, slots, bytes, err));
    return begin_levels(&leaf->def_levels, &leaf->packed_levels[0], header->def_encoding,
                        leaf->node->def_level, slots, bytes, err);
}

static void begin_v2_levels(struct parquet_leaf_reader *leaf,
                            const struct parquet_page_header *header, struct str *bytes)
{
    size_t rep = (size_t)header->rep_bytes;
    size_t def = (size_t)header->def_bytes;
    leaf->packed_levels[0] = leaf->packed_levels[1] = str_make(NULL, 0);
    parquet_rle_init(&leaf->rep_levels, str_slice(*bytes, 0, rep),
                     parquet_rle_width(leaf->node->rep_level));
    parquet_rle_init(&leaf->def_levels, str_slice(*bytes, rep, rep + def),
                     parquet_rle_width(leaf->node->def_level));
    *bytes = str_slice(*bytes, rep + def, bytes->size);
}

static char *take_page_memory(void *owner, size_t size)
{
    struct parquet_leaf_reader *leaf = owner;
    return parquet_pages_memory(leaf->reader, &leaf->page_memory, size);
}

static enum status begin_page(struct parquet_leaf_reader *leaf,
                              const struct parquet_page_header *header, struct str body,
                              struct err *err)
{
    const struct parquet_page_memory memory = {
        .take = take_page_memory, .owner = leaf, .bytes_max = leaf->reader->options.page_bytes_max};
    struct str bytes;
    TRY(unpack_body(leaf, header, body, &leaf->page_memory, &bytes, err));
    if (header->type == PARQUET_DATA_V1) {
        TRY(begin_v1_levels(leaf, header, &bytes, err));
    } else {
        begin_v2_levels(leaf, header, &bytes);
    }
    leaf->page_slots = (uint32_t)header->value_count;
    leaf->packed_at = 0;
    leaf->ahead_at = leaf->ahead_count = 0;
    leaf->reader->counters.pages_read++;
    if (leaf->levels_only) {
        return STATUS_OK;
    }
    return parquet_decode_begin(&leaf->decoder, leaf->node->element, header->encoding, bytes,
                                leaf->page_slots, &memory, err);
}

enum status parquet_pages_begin(struct parquet_leaf_reader *leaf,
                                const struct parquet_chunk_meta *chunk, struct err *err)
{
    struct byte_source *source = leaf->reader->file->source;
    leaf->chunk = chunk;
    leaf->has_dictionary = false;
    leaf->dictionary_count = 0;
    leaf->page_slots = 0;
    leaf->ahead_at = leaf->ahead_count = 0;
    leaf->row = 0;
    parquet_pages_recycle(leaf->reader, &leaf->dictionary_memory);
    parquet_pages_recycle(leaf->reader, &leaf->page_memory);
    parquet_pages_recycle(leaf->reader, &leaf->old_memory);
    if (!chunk->has_meta) {
        return ERR(err, STATUS_UNSUPPORTED, "column %.*s is encrypted or in another file",
                   STR_ARGS(leaf->node->name));
    }
    if (!parquet_schema_codec_find(chunk->codec, &leaf->codec)) {
        return ERR(err, STATUS_UNSUPPORTED, "column %.*s: compression %d is not known",
                   STR_ARGS(leaf->node->name), chunk->codec);
    }
    if (chunk->physical != (int32_t)leaf->node->element->physical) {
        return ERR(err, STATUS_INVALID_DATA,
                   "column %.*s: the physical type of its chunk is %d, that of the schema %d",
                   STR_ARGS(leaf->node->name), chunk->physical, (int)leaf->node->element->physical);
    }
    int64_t start = chunk->data_offset;
    if (chunk->dictionary_offset > 0 && chunk->dictionary_offset < start) {
        start = chunk->dictionary_offset;
    }
    if (start < 4 || chunk->packed_bytes < 0 || (uint64_t)start > source->size ||
        (uint64_t)chunk->packed_bytes > source->size - (uint64_t)start || chunk->value_count < 0) {
        return ERR(
            err, STATUS_INVALID_DATA,
            "column %.*s: its chunk, %lld bytes at byte %lld with %lld values, is not within "
            "the file of %llu bytes",
            STR_ARGS(leaf->node->name), (long long)chunk->packed_bytes, (long long)start,
            (long long)chunk->value_count, (unsigned long long)source->size);
    }
    leaf->pages.at = (uint64_t)start;
    // Old writers forgot the dictionary page's header in the chunk's size; counts end the reading.
    uint64_t behind = source->size - (uint64_t)start - (uint64_t)chunk->packed_bytes;
    leaf->pages.end = (uint64_t)start + (uint64_t)chunk->packed_bytes +
                      (behind < SIZE_SLACK ? behind : SIZE_SLACK);
    leaf->pages.next_page = 0;
    leaf->pages.window.size = 0;
    leaf->chunk_slots = (uint64_t)chunk->value_count;
    return STATUS_OK;
}

// Whether the page has at most *rows rows, by its header alone: not where rows are lists.
static bool is_passed(const struct parquet_leaf_reader *leaf,
                      const struct parquet_page_header *header, uint64_t *rows)
{
    bool v2 = header->type == PARQUET_DATA_V2;
    bool known = (v2 || header->type == PARQUET_DATA_V1) && header->has_body &&
                 (v2 || leaf->node->rep_level == 0);
    uint64_t here = (uint64_t)(leaf->node->rep_level > 0 ? header->row_count : header->value_count);
    if (!known || here == 0 || here > *rows || (uint64_t)header->value_count > leaf->chunk_slots) {
        return false;
    }
    *rows -= here;
    return true;
}

// Reads the page at pages->at, whatever it is: *is_data says whether it was set up for reading. A
// page whose rows are all among the *rows to be passed over (NULL: none) is not unpacked.
static enum status read_page(struct parquet_leaf_reader *leaf, bool *is_data, uint64_t *rows,
                             struct err *err)
{
    struct parquet_pages *pages = &leaf->pages;
    struct parquet_page_header header;
    struct str body;
    TRY(read_header(leaf, &header, err));
    uint64_t before = rows != NULL ? *rows : 0;
    if (rows != NULL && (uint64_t)header.packed_bytes <= pages->end - pages->at - header.size &&
        is_passed(leaf, &header, rows)) {
        pages->at += header.size + (uint64_t)header.packed_bytes;
        pages->next_page++;
        leaf->chunk_slots -= (uint64_t)header.value_count;
        leaf->row += before - *rows;
        leaf->reader->counters.pages_pruned++;
        *is_data = false;
        return STATUS_OK;
    }
    TRY(parquet_pages_read(leaf, pages->at + header.size, (size_t)header.packed_bytes, &body, err));
    pages->at += header.size + (uint64_t)header.packed_bytes;
    TRY(check_crc(leaf, &header, body, err));
    *is_data = header.type == PARQUET_DATA_V1 || header.type == PARQUET_DATA_V2;
    if ((*is_data || header.type == PARQUET_DICTIONARY) && !header.has_body) {
        return ERR(err, STATUS_INVALID_DATA, "a page's header says nothing of its type");
    }
    if (header.type == PARQUET_DICTIONARY) {
        return read_dictionary(leaf, &header, body, err);
    }
    if (!*is_data) {
        return STATUS_OK;
    }
    pages->next_page++;
    if ((uint64_t)header.value_count > leaf->chunk_slots) {
        return ERR(err, STATUS_INVALID_DATA, "pages hold more values than their chunk");
    }
    leaf->chunk_slots -= (uint64_t)header.value_count;
    return begin_page(leaf, &header, body, err);
}

// Passes over pages of other types and empty ones.
enum status parquet_pages_next(struct parquet_leaf_reader *leaf, uint64_t *rows, struct err *err)
{
    const struct parquet_pages *pages = &leaf->pages;
    while (leaf->chunk_slots > 0 && pages->at < pages->end &&
           (pages->index.count == 0 || pages->next_page < pages->index.count)) {
        bool is_data;
        TRY(read_page(leaf, &is_data, rows, err));
        if (rows != NULL && *rows == 0 && !is_data) { // to the end of a page
            return STATUS_OK;
        }
        if (is_data && leaf->page_slots > 0) {
            return STATUS_OK;
        }
    }
    return STATUS_END;
}

enum status parquet_pages_dictionary(struct parquet_leaf_reader *leaf, struct err *err)
{
    struct parquet_page_header header;
    enum status status = read_header(leaf, &header, err);
    bool is_data;
    if (status == STATUS_OK && header.type == PARQUET_DICTIONARY) {
        status = read_page(leaf, &is_data, NULL, err);
    }
    return parquet_pages_context(leaf, status, err);
}

enum status parquet_pages_jump(struct parquet_leaf_reader *leaf, uint32_t page, struct err *err)
{
    struct parquet_pages *pages = &leaf->pages;
    const struct parquet_page_location *index = pages->index.pages;
    while (pages->next_page == 0 && pages->at < (uint64_t)index[0].offset) { // the dictionary
        bool is_data;
        TRY(read_page(leaf, &is_data, NULL, err));
        if (is_data) {
            return ERR(err, STATUS_INVALID_DATA, "an offset index leaves out a page");
        }
    }
    pages->at = (uint64_t)index[page].offset;
    pages->next_page = page;
    leaf->row = (uint64_t)index[page].first_row;
    leaf->page_slots = 0;
    leaf->ahead_at = leaf->ahead_count = 0;
    leaf->chunk_slots = (uint64_t)leaf->chunk->value_count; // no longer known: at most all
    return STATUS_OK;
}
