// SPDX-License-Identifier: Apache-2.0
//
// Bloom filters of the chunks of a file that is being assembled: their pages are decoded once more,
// so that nothing of them has to be kept, nor taken into segments, before.
#include "base/arena.h"
#include "base/assert.h"
#include "codec/parquet_bloom.h"
#include "codec/parquet_decode.h"
#include "codec/parquet_writer_int.h"

enum { WINDOW = 1024 };

const struct parquet_bloom_options *parquet_bloom_write_options(const struct parquet_writer *writer,
                                                                const struct parquet_node *leaf)
{
    for (uint32_t i = 0; i < writer->options.bloom_count; i++) {
        bool is_bool = leaf->element->physical == PARQUET_BOOLEAN;
        if (writer->options.blooms[i].id == leaf->id && leaf->id != PARQUET_NO_ID && !is_bool) {
            return &writer->options.blooms[i];
        }
    }
    return NULL;
}

void parquet_bloom_write_begin(struct arena *arena, const struct parquet_bloom_options *options,
                               const struct parquet_chunk *chunk, struct parquet_bloom *out)
{
    bool is_dictionary = chunk->dictionary.slots > 0;
    for (uint32_t i = 0; i < chunk->pages.count && is_dictionary; i++) {
        is_dictionary = chunk->pages.items[i].encoding == PARQUET_RLE_DICTIONARY;
    }
    // Where nobody knows how many values there are, the largest is filled and folded.
    uint64_t values = is_dictionary ? chunk->dictionary.slots : chunk->slots - chunk->nulls;
    out->size = parquet_bloom_size(values, options->fpp, options->bytes_max);
    out->bytes = arena_zalloc(arena, out->size);
}

static char *take_memory(void *owner, size_t size)
{
    return arena_alloc(owner, size + 16); // decoders may read a little behind
}

static void add_values(const struct parquet_element *element, const void *values, uint32_t count,
                       struct parquet_bloom *bloom)
{
    bool is_bytes = element->physical == PARQUET_BYTE_ARRAY || element->physical == PARQUET_FIXED;
    uint32_t width = parquet_decode_width(element->physical);
    for (uint32_t i = 0; i < count; i++) {
        const char *value = (const char *)values + (size_t)i * width;
        struct str plain = is_bytes ? strview_str((const struct strview *)(const void *)value)
                                    : str_make(value, width);
        uint64_t hash = parquet_bloom_hash(plain);
        parquet_bloom_add(bloom->bytes + parquet_bloom_block(bloom->size, hash), hash);
    }
}

static enum status add_page(struct parquet_writer *writer, struct arena *arena,
                            const struct parquet_node *leaf, const struct parquet_page *page,
                            struct str payload, struct parquet_bloom *bloom, struct err *err)
{
    const struct parquet_page_memory memory = {
        .take = take_memory, .owner = arena, .bytes_max = SIZE_MAX};
    struct parquet_decoder decoder;
    size_t levels = page->rep_size + page->def_size;
    struct str bytes = payload;
    if (!page->is_raw && writer->options.codec != COMPRESS_NONE) {
        size_t head = writer->options.page_version == 1 ? 0 : levels;
        char *plain = take_memory(arena, page->plain_size);
        memcpy(plain, payload.ptr, head);
        TRY(compress_unblock(writer->encoder->compress, writer->options.codec,
                             str_slice(payload, head, payload.size), plain + head,
                             page->plain_size - head, err));
        bytes = str_make(plain, page->plain_size);
    }
    uint32_t left = page->slots - page->nulls;
    TRY(parquet_decode_begin(&decoder, leaf->element, page->encoding,
                             str_slice(bytes, levels, bytes.size), left, &memory, err));
    void *values = arena_alloc(arena, WINDOW * sizeof(struct strview));
    while (left > 0) {
        uint32_t count = left < WINDOW ? left : WINDOW;
        TRY(parquet_decode_values(&decoder, values, count, err));
        add_values(leaf->element, values, count, bloom);
        left -= count;
    }
    return STATUS_OK;
}

enum status parquet_bloom_write_page(struct parquet_writer *writer, const struct parquet_node *leaf,
                                     const struct parquet_page *page, struct str payload,
                                     struct parquet_bloom *bloom, struct err *err)
{
    struct arena arena;
    if (page->encoding == PARQUET_RLE_DICTIONARY) { // its values are those of the dictionary
        return STATUS_OK;
    }
    arena_init(&arena);
    enum status status = add_page(writer, &arena, leaf, page, payload, bloom, err);
    arena_release(&arena);
    return status;
}
