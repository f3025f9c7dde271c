// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_dictionary.h"

#include "base/assert.h"
#include "base/hash.h"

enum {
    SLOTS_MIN = 32,
    STRIDE = 64, // values whose slots are on their way from memory at one time
};

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
    size_t slots = dictionary->slots != NULL ? (size_t)dictionary->mask + 1 : 0;
    return slots * sizeof *dictionary->slots + dictionary->plain.capacity +
           dictionary->starts.capacity;
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

static bool is_number(const struct parquet_dictionary *dictionary)
{
    return dictionary->width == 4 || dictionary->width == 8;
}

static uint64_t number_at(const struct parquet_dictionary *dictionary, uint32_t code)
{
    uint64_t value = 0;
    memcpy(&value, dictionary->plain.ptr + (size_t)code * dictionary->width, dictionary->width);
    return value;
}

static void insert_slot(struct parquet_dictionary *dictionary, uint32_t code)
{
    struct str entry = parquet_dictionary_entry(dictionary, code);
    uint64_t key = (uint64_t)(entry.ptr - dictionary->plain.ptr) << 32 | entry.size;
    uint64_t hash;
    if (is_number(dictionary)) {
        key = number_at(dictionary, code);
        hash = hash_word(key);
    } else {
        struct strview view = strview_make(entry.ptr, entry.size);
        hash = hash_view(&view);
    }
    uint32_t at = (uint32_t)hash & dictionary->mask;
    while (dictionary->slots[at].next != 0) {
        at = (at + 1) & dictionary->mask;
    }
    dictionary->slots[at] = (struct parquet_dictionary_slot){(uint32_t)(hash >> 32), code + 1, key};
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
        insert_slot(dictionary, code);
    }
}

// ---- numbers ----

static uint32_t number_code(struct parquet_dictionary *dictionary, uint64_t value, uint64_t hash)
{
    struct parquet_dictionary_slot *slots = dictionary->slots;
    uint32_t mask = dictionary->mask;
    for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
        if (slots[at].next == 0) {
            uint32_t code = dictionary->count++;
            slots[at] = (struct parquet_dictionary_slot){(uint32_t)(hash >> 32), code + 1, value};
            bytebuf_add(&dictionary->plain, &value, dictionary->width);
            return code;
        }
        if (slots[at].key == value) {
            return slots[at].next - 1;
        }
    }
}

static void number_codes(struct parquet_dictionary *dictionary, const uint64_t *values,
                         uint32_t count, uint32_t *codes)
{
    uint64_t hashes[STRIDE];
    make_room(dictionary, count);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_word(values[i]);
        __builtin_prefetch(&dictionary->slots[(uint32_t)hashes[i] & dictionary->mask]);
    }
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = number_code(dictionary, values[i], hashes[i]);
    }
}

void parquet_dictionary_codes32(struct parquet_dictionary *dictionary, const uint32_t *values,
                                uint32_t count, uint32_t *codes)
{
    uint64_t wide[STRIDE];
    for (uint32_t at = 0; at < count; at += STRIDE) {
        uint32_t take = count - at < STRIDE ? count - at : STRIDE;
        for (uint32_t i = 0; i < take; i++) {
            wide[i] = values[at + i];
        }
        number_codes(dictionary, wide, take, codes + at);
    }
}

void parquet_dictionary_codes64(struct parquet_dictionary *dictionary, const uint64_t *values,
                                uint32_t count, uint32_t *codes)
{
    for (uint32_t at = 0; at < count; at += STRIDE) {
        uint32_t take = count - at < STRIDE ? count - at : STRIDE;
        number_codes(dictionary, values + at, take, codes + at);
    }
}

// ---- bytes ----

static uint32_t add_entry(struct parquet_dictionary *dictionary, struct str value)
{
    if (dictionary->width == 0) {
        bytebuf_add_u32(&dictionary->plain, (uint32_t)value.size);
        bytebuf_add_u32(&dictionary->starts, (uint32_t)dictionary->plain.size);
    }
    bytebuf_add(&dictionary->plain, value.ptr, value.size);
    return dictionary->count++;
}

static uint32_t view_code(struct parquet_dictionary *dictionary, const struct strview *view,
                          uint64_t hash)
{
    struct parquet_dictionary_slot *slots = dictionary->slots;
    uint32_t mask = dictionary->mask;
    uint32_t tag = (uint32_t)(hash >> 32);
    const char *bytes = strview_ptr(view);
    for (uint32_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
        const struct parquet_dictionary_slot *slot = &slots[at];
        if (slot->next == 0) {
            uint32_t code = add_entry(dictionary, str_make(bytes, view->size));
            uint64_t start = dictionary->plain.size - view->size;
            slots[at] = (struct parquet_dictionary_slot){tag, code + 1, start << 32 | view->size};
            return code;
        }
        if (slot->tag == tag && (uint32_t)slot->key == view->size &&
            memcmp(dictionary->plain.ptr + (slot->key >> 32), bytes, view->size) == 0) {
            return slot->next - 1;
        }
    }
}

uint32_t parquet_dictionary_code(struct parquet_dictionary *dictionary, const struct strview *value)
{
    make_room(dictionary, 1);
    return view_code(dictionary, value, hash_view(value));
}

// Three rounds over a few values, each fetching what the next one looks at.
static void view_codes(struct parquet_dictionary *dictionary, const struct strview *values,
                       uint32_t count, uint32_t *codes)
{
    uint64_t hashes[STRIDE];
    make_room(dictionary, count);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_view(&values[i]);
        __builtin_prefetch(&dictionary->slots[(uint32_t)hashes[i] & dictionary->mask]);
    }
    const uintptr_t plain = (uintptr_t)dictionary->plain.ptr; // 0 while all values are empty
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = dictionary->slots[(uint32_t)hashes[i] & dictionary->mask].key;
        __builtin_prefetch((const void *)(plain + (key >> 32)));
        __builtin_prefetch((const void *)(plain + (key >> 32) + (uint32_t)key));
    }
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = view_code(dictionary, &values[i], hashes[i]);
    }
}

void parquet_dictionary_views(struct parquet_dictionary *dictionary, const struct strview *values,
                              uint32_t count, uint32_t *codes)
{
    for (uint32_t at = 0; at < count; at += STRIDE) {
        uint32_t take = count - at < STRIDE ? count - at : STRIDE;
        view_codes(dictionary, values + at, take, codes + at);
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
