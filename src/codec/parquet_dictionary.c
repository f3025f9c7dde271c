// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_dictionary.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/int128.h"

enum {
    SLOTS_MIN = 32,
    STRIDE = 64, // values whose slots are on their way from memory at one time
    DIRECT_SHARE = sizeof(struct parquet_dictionary_slot) / sizeof(uint16_t),
    DIRECT_SPAN_MAX = 1 << 17,
};

void parquet_dictionary_init(struct parquet_dictionary *dictionary, uint32_t width)
{
    *dictionary = (struct parquet_dictionary){.width = width};
}

void parquet_dictionary_release(struct parquet_dictionary *dictionary)
{
    huge_pages_free(dictionary->slots);
    mem_free(dictionary->direct);
    bytebuf_release(&dictionary->plain);
    bytebuf_release(&dictionary->starts);
    parquet_dictionary_init(dictionary, dictionary->width);
}

size_t parquet_dictionary_memory(const struct parquet_dictionary *dictionary)
{
    size_t slots = dictionary->slots != NULL ? (size_t)dictionary->mask + 1 : 0;
    return slots * sizeof *dictionary->slots + dictionary->span * sizeof *dictionary->direct +
           dictionary->plain.capacity + dictionary->starts.capacity;
}

static inline uint64_t word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, 8);
    return word;
}

// Both halves of a product of two words, in which each bit of either has its part.
static inline uint64_t mix(const char *bytes, uint64_t a, uint64_t b)
{
    uint128 product = (uint128)(word_at(bytes) ^ a) * (word_at(bytes + 8) ^ b);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// 16 to 64 bytes, some of them twice, in place of a loop over them: most strings of a column take
// the same way.
static inline uint64_t hash_middle(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    uint64_t sum = mix(bytes, UINT64_C(0x9e3779b97f4a7c15) + size, UINT64_C(0xbf58476d1ce4e5b9)) +
                   mix(end - 16, UINT64_C(0x94d049bb133111eb), UINT64_C(0xc2b2ae3d27d4eb4f));
    if (size > 32) {
        sum += mix(bytes + 16, UINT64_C(0x165667b19e3779f9), UINT64_C(0x85ebca77c2b2ae63)) +
               mix(end - 32, UINT64_C(0x27d4eb2f165667c5), UINT64_C(0xd6e8feb86659fd93));
    }
    sum ^= sum >> 32;
    sum *= UINT64_C(0xd6e8feb86659fd93);
    return sum ^ sum >> 32;
}

static inline uint64_t hash_view(const struct strview *view)
{
    if (view->size <= STRVIEW_INLINE_MAX) {
        uint64_t words[2];
        memcpy(words, view, 16);
        return hash_word(words[0] ^ words[1] * UINT64_C(0x9e3779b97f4a7c15));
    }
    return view->size >= 16 && view->size <= 64 ? hash_middle(view->as.ptr, view->size)
                                                : hash_bytes(view->as.ptr, view->size, 0);
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

static void insert_slot(struct parquet_dictionary *dictionary, struct parquet_dictionary_slot slot)
{
    uint32_t at = slot.hash & dictionary->mask;
    while (dictionary->slots[at].next != 0) {
        at = (at + 1) & dictionary->mask;
    }
    dictionary->slots[at] = slot;
}

static void set_slots(struct parquet_dictionary *dictionary, uint64_t count)
{
    size_t bytes = count * sizeof *dictionary->slots;
    dictionary->slots = huge_pages_alloc(bytes, 0);
    dictionary->mask = (uint32_t)(count - 1);
    memset(dictionary->slots, 0, bytes);
}

static bool has_room(const struct parquet_dictionary *dictionary, uint32_t extra)
{
    uint64_t need = ((uint64_t)dictionary->count + extra) * 3 / 2;
    return dictionary->slots != NULL && need <= dictionary->mask;
}

// A third of them is free with `extra` more entries.
static uint64_t count_slots(const struct parquet_dictionary *dictionary, uint32_t extra)
{
    uint64_t count = SLOTS_MIN;
    while (count <= ((uint64_t)dictionary->count + extra) * 3 / 2) {
        count *= 2;
    }
    return count;
}

// ---- numbers ----

// As signed numbers, so that ranges across zero are as narrow as others.
static inline int64_t order_of(const struct parquet_dictionary *dictionary, uint64_t value)
{
    return dictionary->width == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static inline uint64_t distance(const struct parquet_dictionary *dictionary, uint64_t value)
{
    return (uint64_t)order_of(dictionary, value) - dictionary->base;
}

// Whether all entries and the values lie so near to one another that an array takes no more memory
// than `slots`; sets base and span.
static bool is_narrow(struct parquet_dictionary *dictionary, const uint64_t *values, uint32_t count,
                      uint64_t slots)
{
    if ((uint64_t)dictionary->count + count >= UINT16_MAX) {
        return false;
    }
    int64_t lower = INT64_MAX;
    int64_t upper = INT64_MIN;
    for (uint32_t i = 0; i < dictionary->count + count; i++) {
        uint64_t value = i < count ? values[i] : number_at(dictionary, i - count);
        int64_t order = order_of(dictionary, value);
        lower = order < lower ? order : lower;
        upper = order > upper ? order : upper;
    }
    uint64_t range = (uint64_t)upper - (uint64_t)lower;
    uint64_t most = slots * DIRECT_SHARE < DIRECT_SPAN_MAX ? slots * DIRECT_SHARE : DIRECT_SPAN_MAX;
    if (dictionary->count + count == 0 || range >= most) {
        return false;
    }
    uint64_t span = SLOTS_MIN;
    while (span <= range) {
        span *= 2;
    }
    dictionary->span = (uint32_t)span;
    dictionary->base = (uint64_t)lower - (span - range) / 2;
    return true;
}

static void hash_number(struct parquet_dictionary *dictionary, uint32_t code)
{
    uint64_t value = number_at(dictionary, code);
    insert_slot(dictionary,
                (struct parquet_dictionary_slot){(uint32_t)hash_word(value), code + 1, value});
}

// Makes the array or the slots anew, with room for the values.
static void index_numbers(struct parquet_dictionary *dictionary, const uint64_t *values,
                          uint32_t count)
{
    uint64_t slots = count_slots(dictionary, count);
    huge_pages_free(dictionary->slots);
    mem_free(dictionary->direct);
    dictionary->slots = NULL;
    dictionary->direct = NULL;
    dictionary->span = 0;
    if (is_narrow(dictionary, values, count, slots)) {
        dictionary->direct = mem_zalloc(dictionary->span * sizeof *dictionary->direct);
        for (uint32_t i = 0; i < dictionary->count; i++) {
            uint64_t at = distance(dictionary, number_at(dictionary, i));
            dictionary->direct[at] = (uint16_t)(i + 1);
        }
        return;
    }
    set_slots(dictionary, slots);
    for (uint32_t i = 0; i < dictionary->count; i++) {
        hash_number(dictionary, i);
    }
}

// Returns how many values it was done with when one came that made the array slots.
static uint32_t direct_codes(struct parquet_dictionary *dictionary, const uint64_t *values,
                             uint32_t count, uint32_t *codes)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = distance(dictionary, values[i]);
        if (at >= dictionary->span) {
            index_numbers(dictionary, values + i, count - i);
            if (dictionary->direct == NULL) {
                return i;
            }
            at = distance(dictionary, values[i]);
        }
        uint32_t next = dictionary->direct[at];
        if (next == 0) {
            next = ++dictionary->count;
            dictionary->direct[at] = (uint16_t)next;
            bytebuf_add(&dictionary->plain, &values[i], dictionary->width);
        }
        codes[i] = next - 1;
    }
    return count;
}

static uint32_t number_code(struct parquet_dictionary *dictionary, uint64_t value, uint32_t hash)
{
    struct parquet_dictionary_slot *slots = dictionary->slots;
    uint32_t mask = dictionary->mask;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        if (slots[at].next == 0) {
            uint32_t code = dictionary->count++;
            slots[at] = (struct parquet_dictionary_slot){hash, code + 1, value};
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
    uint32_t hashes[STRIDE];
    bool direct = dictionary->direct != NULL && dictionary->count + count < UINT16_MAX;
    if (!direct && !has_room(dictionary, count)) {
        index_numbers(dictionary, values, count);
    }
    if (dictionary->direct != NULL) {
        uint32_t done = direct_codes(dictionary, values, count, codes);
        values += done;
        codes += done;
        count -= done;
    }
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = (uint32_t)hash_word(values[i]);
        __builtin_prefetch(&dictionary->slots[hashes[i] & dictionary->mask]);
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

static void make_room(struct parquet_dictionary *dictionary, uint32_t extra)
{
    if (has_room(dictionary, extra)) {
        return;
    }
    struct parquet_dictionary_slot *before = dictionary->slots;
    size_t count = before != NULL ? (size_t)dictionary->mask + 1 : 0;
    set_slots(dictionary, count_slots(dictionary, extra));
    for (size_t i = 0; i < count; i++) {
        if (before[i].next != 0) {
            insert_slot(dictionary, before[i]);
        }
    }
    huge_pages_free(before);
}

static bool is_less(struct str a, struct str b)
{
    return str_compare(a, b) < 0;
}

// Adds a code to the outermost ones where it belongs to them.
static void note_end(const struct parquet_dictionary *dictionary, uint32_t *ends, uint32_t code,
                     bool is_least)
{
    struct str entry = parquet_dictionary_entry(dictionary, code);
    uint32_t at = code < PARQUET_DICTIONARY_ENDS ? code : PARQUET_DICTIONARY_ENDS;
    for (; at > 0; at--) {
        struct str other = parquet_dictionary_entry(dictionary, ends[at - 1]);
        if (is_least ? !is_less(entry, other) : !is_less(other, entry)) {
            break;
        }
        if (at < PARQUET_DICTIONARY_ENDS) {
            ends[at] = ends[at - 1];
        }
    }
    if (at < PARQUET_DICTIONARY_ENDS) {
        ends[at] = code;
    }
}

static uint32_t add_entry(struct parquet_dictionary *dictionary, struct str value)
{
    uint32_t code = dictionary->count++;
    if (dictionary->width == 0) {
        bytebuf_add_u32(&dictionary->plain, (uint32_t)value.size);
        bytebuf_add_u32(&dictionary->starts, (uint32_t)dictionary->plain.size);
    }
    bytebuf_add(&dictionary->plain, value.ptr, value.size);
    if (!is_number(dictionary)) {
        note_end(dictionary, dictionary->least, code, true);
        note_end(dictionary, dictionary->greatest, code, false);
    }
    return code;
}

static inline uint64_t differs(const char *a, const char *b)
{
    return (word_at(a) ^ word_at(b)) | (word_at(a + 8) ^ word_at(b + 8));
}

// memcmp() == 0, like the hash without a loop for most.
static inline bool is_same(const char *a, const char *b, size_t size)
{
    if (size < 16 || size > 64) {
        return memcmp(a, b, size) == 0;
    }
    uint64_t other = differs(a, b) | differs(a + size - 16, b + size - 16);
    if (size > 32) {
        other |= differs(a + 16, b + 16) | differs(a + size - 32, b + size - 32);
    }
    return other == 0;
}

static inline bool slot_is(const struct parquet_dictionary *dictionary,
                           const struct parquet_dictionary_slot *slot, const struct strview *view)
{
    return (uint32_t)slot->key == view->size &&
           is_same(dictionary->plain.ptr + (slot->key >> 32), strview_ptr(view), view->size);
}

static uint32_t view_code(struct parquet_dictionary *dictionary, const struct strview *view,
                          uint32_t hash)
{
    struct parquet_dictionary_slot *slots = dictionary->slots;
    uint32_t mask = dictionary->mask;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        const struct parquet_dictionary_slot *slot = &slots[at];
        if (slot->next == 0) {
            uint32_t code = add_entry(dictionary, strview_str(view));
            uint64_t start = dictionary->plain.size - view->size;
            slots[at] = (struct parquet_dictionary_slot){hash, code + 1, start << 32 | view->size};
            return code;
        }
        if (slot->hash == hash && slot_is(dictionary, slot, view)) {
            return slot->next - 1;
        }
    }
}

uint32_t parquet_dictionary_code(struct parquet_dictionary *dictionary, const struct strview *value)
{
    make_room(dictionary, 1);
    return view_code(dictionary, value, (uint32_t)hash_view(value));
}

// The first slot that may hold a value of the hash, or a free one.
static inline uint32_t find_slot(const struct parquet_dictionary *dictionary, uint32_t hash)
{
    const struct parquet_dictionary_slot *slots = dictionary->slots;
    uint32_t at = hash & dictionary->mask;
    while (slots[at].next != 0 && slots[at].hash != hash) {
        at = (at + 1) & dictionary->mask;
    }
    return at;
}

// Three rounds over a few values, each fetching what the next one looks at.
static void view_codes(struct parquet_dictionary *dictionary, const struct strview *values,
                       uint32_t count, uint32_t *codes)
{
    uint32_t hashes[STRIDE];
    uint32_t found[STRIDE];
    make_room(dictionary, count);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = (uint32_t)hash_view(&values[i]);
        __builtin_prefetch(&dictionary->slots[hashes[i] & dictionary->mask]);
    }
    const uintptr_t plain = (uintptr_t)dictionary->plain.ptr; // 0 while all values are empty
    for (uint32_t i = 0; i < count; i++) {
        found[i] = find_slot(dictionary, hashes[i]);
        uint64_t key = dictionary->slots[found[i]].key;
        __builtin_prefetch((const void *)(plain + (key >> 32)));
        __builtin_prefetch((const void *)(plain + (key >> 32) + (uint32_t)key));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct parquet_dictionary_slot *slot = &dictionary->slots[found[i]];
        bool known =
            slot->next != 0 && slot->hash == hashes[i] && slot_is(dictionary, slot, &values[i]);
        codes[i] = known ? slot->next - 1 : view_code(dictionary, &values[i], hashes[i]);
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

static bool find_end(const struct parquet_dictionary *dictionary, const uint32_t *ends,
                     const uint8_t *used, struct str *out)
{
    for (uint32_t i = 0; i < PARQUET_DICTIONARY_ENDS && i < dictionary->count; i++) {
        if (used[ends[i]] != 0) {
            *out = parquet_dictionary_entry(dictionary, ends[i]);
            return true;
        }
    }
    return false;
}

void parquet_dictionary_bounds(const struct parquet_dictionary *dictionary, const uint8_t *used,
                               struct str *lower, struct str *upper)
{
    // Most pages hold one of the outermost entries.
    bool has_lower = find_end(dictionary, dictionary->least, used, lower);
    bool has_upper = find_end(dictionary, dictionary->greatest, used, upper);
    if (has_lower && has_upper) {
        return;
    }
    uint32_t first = 0;
    while (used[first] == 0) {
        first++;
    }
    *lower = *upper = parquet_dictionary_entry(dictionary, first);
    for (uint32_t i = first + 1; i < dictionary->count; i++) {
        if (used[i] != 0) {
            struct str entry = parquet_dictionary_entry(dictionary, i);
            *lower = is_less(entry, *lower) ? entry : *lower;
            *upper = is_less(*upper, entry) ? entry : *upper;
        }
    }
}

static void hash_entry(struct parquet_dictionary *dictionary, uint32_t code)
{
    struct str entry = parquet_dictionary_entry(dictionary, code);
    struct strview view = strview_make(entry.ptr, entry.size);
    uint64_t key = (uint64_t)(entry.ptr - dictionary->plain.ptr) << 32 | entry.size;
    insert_slot(dictionary,
                (struct parquet_dictionary_slot){(uint32_t)hash_view(&view), code + 1, key});
}

bool parquet_dictionary_restore(struct parquet_dictionary *dictionary, struct str plain,
                                uint32_t count)
{
    uint32_t before = dictionary->count;
    uint32_t width = dictionary->width;
    if (width > 0 && plain.size != (uint64_t)count * width) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = width;
        if (width == 0) {
            if (plain.size < 4) {
                return false;
            }
            memcpy(&size, plain.ptr, 4);
            plain = str_slice(plain, 4, plain.size);
        }
        if (size > plain.size) {
            return false;
        }
        add_entry(dictionary, str_make(plain.ptr, size));
        plain = str_slice(plain, size, plain.size);
    }
    if (is_number(dictionary)) {
        index_numbers(dictionary, NULL, 0);
        return true;
    }
    make_room(dictionary, 0);
    for (uint32_t i = before; i < dictionary->count; i++) {
        hash_entry(dictionary, i);
    }
    return plain.size == 0;
}
