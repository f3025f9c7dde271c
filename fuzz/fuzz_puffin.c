// SPDX-License-Identifier: Apache-2.0
//
// fuzz_puffin: any bytes as a Puffin file, all of its blobs unpacked; as a 64-bit Roaring set; as a
// deletion vector. The first byte chooses. Sets that are read are written again and must read the
// same, and a set made of their values answers the same.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/byte_source.h"
#include "base/bytebuf.h"
#include "codec/deletion_vector.h"
#include "codec/puffin.h"
#include "codec/roaring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BLOB_BYTES_MAX = 1 << 20, MASK_BITS = 2048 };

// A file of the same blobs, packed as they were, reads the same.
static void write_again(struct arena *arena, const struct puffin_file *file,
                        struct buf *const *blobs)
{
    struct puffin_writer_options options = {file->property_count, file->properties,
                                            file->blob_count % 2 == 0};
    struct puffin_writer writer;
    struct puffin_file again;
    struct byte_source_memory memory;
    struct str bytes;
    struct err err;
    puffin_writer_init(&writer, &options);
    for (uint32_t i = 0; i < file->blob_count; i++) {
        struct puffin_blob blob = file->blobs[i];
        struct str content = str_make(blobs[i]->ptr, blobs[i]->size);
        ASSERT(puffin_writer_add(&writer, &blob, content, &err) == STATUS_OK);
    }
    if (puffin_writer_finish(&writer, &bytes, &err) == STATUS_OK) {
        byte_source_memory_init(&memory, bytes);
        ASSERT(puffin_read(&memory.source, arena, &again, &err) == STATUS_OK);
        ASSERT(again.blob_count == file->blob_count);
        ASSERT(again.property_count == file->property_count);
        for (uint32_t i = 0; i < again.blob_count; i++) {
            struct buf *blob;
            ASSERT(puffin_read_blob(&memory.source, &again.blobs[i], BLOB_BYTES_MAX, &blob, &err) ==
                   STATUS_OK);
            ASSERT(blob->size == blobs[i]->size);
            ASSERT(blob->size == 0 || memcmp(blob->ptr, blobs[i]->ptr, blob->size) == 0);
            buf_unref(blob);
        }
    }
    puffin_writer_release(&writer);
}

static void walk(struct str bytes)
{
    struct byte_source_memory memory;
    struct arena arena = {0};
    struct puffin_file file;
    struct err err;
    byte_source_memory_init(&memory, bytes);
    if (puffin_read(&memory.source, &arena, &file, &err) == STATUS_OK) {
        struct buf **blobs = arena_new_array(&arena, struct buf *, file.blob_count + 1);
        size_t total = 0;
        uint32_t read = 0;
        for (uint32_t i = 0; i < file.blob_count && total < BLOB_BYTES_MAX; i++) {
            if (puffin_read_blob(&memory.source, &file.blobs[i], BLOB_BYTES_MAX, &blobs[read],
                                 &err) == STATUS_OK) {
                total += blobs[read++]->size;
            }
        }
        (void)puffin_property(file.properties, file.property_count, "created-by");
        if (read == file.blob_count) {
            write_again(&arena, &file, blobs);
        }
        for (uint32_t i = 0; i < read; i++) {
            buf_unref(blobs[i]);
        }
    }
    arena_release(&arena);
}

// Adds what the first window of `set` holds to a new set, which must then answer the same.
static void rebuild(const struct roaring *set)
{
    uint64_t mask[MASK_BITS / 64] = {0};
    uint64_t again[MASK_BITS / 64] = {0};
    uint64_t from = roaring_last(set) < MASK_BITS ? 0 : roaring_last(set) - MASK_BITS + 1;
    struct roaring copy = {0};
    roaring_mask(set, from, MASK_BITS, mask);
    for (uint32_t i = 0; i < MASK_BITS; i++) {
        ASSERT(bits_get(mask, i) == roaring_contains(set, from + i));
        if (bits_get(mask, i)) {
            roaring_add(&copy, from + i);
        }
    }
    roaring_optimize(&copy);
    roaring_mask(&copy, from, MASK_BITS, again);
    ASSERT(memcmp(mask, again, sizeof mask) == 0);
    roaring_release(&copy);
}

static void read_set(struct str bytes, bool is_vector)
{
    struct roaring set = {0};
    struct roaring copy = {0};
    struct bytebuf out = {0};
    struct err err;
    struct str rest = bytes;
    enum status status =
        is_vector ? deletion_vector_read(bytes, &set, &err) : roaring_read(&rest, &set, &err);
    if (status == STATUS_OK) {
        roaring_write(&set, &out);
        rest = bytebuf_str(&out);
        status = roaring_read(&rest, &copy, &err);
        ASSERT(status == STATUS_OK && rest.size == 0);
        ASSERT(roaring_cardinality(&copy) == roaring_cardinality(&set));
        if (set.count > 0) {
            rebuild(&set);
        }
        out.size = 0;
        deletion_vector_write(&set, &out);
        roaring_release(&copy);
        copy = (struct roaring){0};
        status = deletion_vector_read(bytebuf_str(&out), &copy, &err);
        ASSERT(status == STATUS_OK || roaring_last(&set) > (uint64_t)INT64_MAX);
    }
    roaring_release(&set);
    roaring_release(&copy);
    bytebuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct str bytes = str_make((const char *)data + 1, size - 1);
    switch (data[0] % 3) {
    case 0: walk(bytes); break;
    case 1: read_set(bytes, false); break;
    default: read_set(bytes, true); break;
    }
    return 0;
}
