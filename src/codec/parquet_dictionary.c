// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_dictionary.h"

#include "base/assert.h"
#include "base/hash.h"

enum { SLOTS_MIN = 64 };

void parquet_dictionary_init(struct parquet_dictionary *dictionary, uint32_t width)
{
    *dictionary = (struct parquet_dictionary){.width = width};
}

void parquet_dictionary_release(struct parquet_dictionary *dictionary)
{
    mem_free(dictionary->slots);
    bytebuf_release(&dictionary->plain);
    bytebuf_release(&dictionary->starts);
    parquet_dictionary_init(dictionary, dictionary->width);
}

size_t parquet_dictionary_memory(const struct parquet_dictionary *dictionary)
{
    size_t slots = dictionary->slots != NULL ? ((size_t)dictionary->mask + 1) * 8 : 0;
    return slots + dictionary->plain.capacity + dictionary->starts.capacity;
}

static uint64_t hash_view(const struct strview *view)
{
    if (view->size <= STRVIEW_INLINE_MAX) {
        uint64_t words[2];
        memcpy(words, view, 16);
        return hash_word(words[0] ^ words[1] * UINT64_C(0x9e3779b97f4a7c15));
    }
    return hash_bytes(view->as.ptr, view->size, 0);
}

static uint64_t hash_entry(const struct parquet_dictionary *dictionary, uint32_t code)
{
    struct str entry = parquet_dictionary_entry(dictionary, code);
    if (dictionary->width == 4) {
        uint32_t value;
        memcpy(&value, entry.ptr, 4);
        return hash_word(value);
    }
    if (dictionary->width == 8) {
        uint64_t value;
        memcpy(&value, entry.ptr, 8);
        return hash_word(value);
    }
    struct strview view = strview_make(entry.ptr, entry.size);
    return hash_view(&view);
}

#define SLOT(hash, code) (((hash) & UINT64_C(0xffffffff00000000)) | ((uint64_t)(code) + 1))

static void insert_slot(struct parquet_dictionary *dictionary, uint64_t hash, uint32_t code)
{
    uint32_t at = (uint32_t)hash & dictionary->mask;
    while (dictionary->slots[at] != 0) {
        at = (at + 1) & dictionary->mask;
    }
    dictionary->slots[at] = SLOT(hash, code);
}

// Keeps a third of the slots free for `extra` more entries.
static void make_room(struct parquet_dictionary *dictionary, uint32_t extra)
{
    uint64_t need = ((uint64_t)dictionary->count + extra) * 3 / 2;
    if (dictionary->slots != NULL && need <= dictionary->mask) {
        return;
    }
    uint64_t slots = SLOTS_MIN;
    while (slots <= need) {
        slots *= 2;
    }
    mem_free(dictionary->slots);
    dictionary->slots = mem_zalloc(slots * sizeof *dictionary->slots);
    dictionary->mask = (uint32_t)(slots - 1);
    for (uint32_t code = 0; code < dictionary->count; code++) {
        insert_slot(dictionary, hash_entry(dictionary, code), code);
    }
}

// Room is made for a few values at a time, so that one batch of all-equal values costs little.
enum { STRIDE = 256 };

void parquet_dictionary_codes32(struct parquet_dictionary *dictionary, const uint32_t *values,
                                uint32_t count, uint32_t *codes)
{
    DASSERT(dictionary->width == 4);
    for (uint32_t from = 0; from < count; from += STRIDE) {
        uint32_t to = count - from < STRIDE ? count : from + STRIDE;
        make_room(dictionary, to - from);
        bytebuf_reserve(&dictionary->plain, STRIDE * sizeof(uint32_t));
        uint32_t *entries = (uint32_t *)(void *)dictionary->plain.ptr;
        for (uint32_t i = from; i < to; i++) {
            uint32_t value = values[i];
            uint64_t hash = hash_word(value);
            uint32_t at = (uint32_t)hash & dictionary->mask;
            uint32_t code;
            for (;; at = (at + 1) & dictionary->mask) {
                uint64_t slot = dictionary->slots[at];
                code = (uint32_t)slot - 1;
                if (slot == 0) {
                    code = dictionary->count++;
                    entries[code] = value;
                    dictionary->slots[at] = SLOT(hash, code);
                    break;
                }
                if (entries[code] == value) {
                    break;
                }
            }
            codes[i] = code;
        }
        dictionary->plain.size = (size_t)dictionary->count * sizeof(uint32_t);
    }
}

void parquet_dictionary_codes64(struct parquet_dictionary *dictionary, const uint64_t *values,
                                uint32_t count, uint32_t *codes)
{
    DASSERT(dictionary->width == 8);
    for (uint32_t from = 0; from < count; from += STRIDE) {
        uint32_t to = count - from < STRIDE ? count : from + STRIDE;
        make_room(dictionary, to - from);
        bytebuf_reserve(&dictionary->plain, STRIDE * sizeof(uint64_t));
        uint64_t *entries = (uint64_t *)(void *)dictionary->plain.ptr;
        for (uint32_t i = from; i < to; i++) {
            uint64_t value = values[i];
            uint64_t hash = hash_word(value);
            uint32_t at = (uint32_t)hash & dictionary->mask;
            uint32_t code;
            for (;; at = (at + 1) & dictionary->mask) {
                uint64_t slot = dictionary->slots[at];
                code = (uint32_t)slot - 1;
                if (slot == 0) {
                    code = dictionary->count++;
                    entries[code] = value;
                    dictionary->slots[at] = SLOT(hash, code);
                    break;
                }
                if (entries[code] == value) {
                    break;
                }
            }
            codes[i] = code;
        }
        dictionary->plain.size = (size_t)dictionary->count * sizeof(uint64_t);
    }
}

static void add_entry(struct parquet_dictionary *dictionary, struct str value)
{
    if (dictionary->width == 0) {
        bytebuf_add_u32(&dictionary->plain, (uint32_t)value.size);
        bytebuf_add_u32(&dictionary->starts, (uint32_t)dictionary->plain.size);
    }
    bytebuf_add(&dictionary->plain, value.ptr, value.size);
    dictionary->count++;
}

uint32_t parquet_dictionary_code(struct parquet_dictionary *dictionary, const struct strview *value)
{
    make_room(dictionary, 1);
    struct str bytes = strview_str(value);
    uint64_t hash = hash_view(value);
    uint32_t at = (uint32_t)hash & dictionary->mask;
    for (;; at = (at + 1) & dictionary->mask) {
        uint64_t slot = dictionary->slots[at];
        uint32_t code = (uint32_t)slot - 1;
        if (slot == 0) {
            code = dictionary->count;
            add_entry(dictionary, bytes);
            dictionary->slots[at] = SLOT(hash, code);
            return code;
        }
        if (slot == SLOT(hash, code)) {
            struct str entry = parquet_dictionary_entry(dictionary, code);
            if (entry.size == bytes.size && memcmp(entry.ptr, bytes.ptr, bytes.size) == 0) {
                return code;
            }
        }
    }
}

void parquet_dictionary_views(struct parquet_dictionary *dictionary, const struct strview *values,
                              uint32_t count, uint32_t *codes)
{
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = parquet_dictionary_code(dictionary, &values[i]);
    }
}

bool parquet_dictionary_restore(struct parquet_dictionary *dictionary, struct str plain,
                                uint32_t count)
{
    if (dictionary->width > 0) {
        if (plain.size != (uint64_t)count * dictionary->width) {
            return false;
        }
        bytebuf_add(&dictionary->plain, plain.ptr, plain.size);
        dictionary->count += count;
    } else {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t size;
            if (plain.size < 4) {
                return false;
            }
            memcpy(&size, plain.ptr, 4);
            if (size > plain.size - 4) {
                return false;
            }
            add_entry(dictionary, str_make(plain.ptr + 4, size));
            plain = str_slice(plain, 4 + (size_t)size, plain.size);
        }
        if (plain.size > 0) {
            return false;
        }
    }
    mem_free(dictionary->slots);
    dictionary->slots = NULL;
    make_room(dictionary, 0);
    return true;
}
