// SPDX-License-Identifier: Apache-2.0
//
// One leaf's next rows: levels, values, and nulls put in their places. Flat leaves (no list or row
// above them, at most one definition level) go by masks of bits; others by a byte a level.
#include "base/assert.h"
#include "codec/parquet_gather.h"
#include "codec/parquet_reader_int.h"
#include "data/batch.h"

enum {
    DENSE = 8, // codes are unpacked one by one where fewer than one in so many is wanted
    DICTIONARY_BYTES_MAX = BATCH_BYTES_MAX / 4, // of strings: a larger one is not handed out
    COPIED_ROWS = 64,                           // that are read before their bytes are counted
    ENTRIES_MAX = 1 << 24, // levels of a batch: a list longer than that is refused
};

static enum status too_few(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "the column has fewer rows than its row group");
}

// The next page, once this one is used up. Strings of this one may be in the vector.
static enum status next_page(struct parquet_leaf_reader *leaf, uint64_t *passed, struct err *err)
{
    struct parquet_memory **last = &leaf->old_memory;
    if (leaf->conversion.target != PHYSICAL_STRING) {
        parquet_pages_recycle(leaf->reader, &leaf->page_memory);
    }
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = leaf->page_memory;
    leaf->page_memory = NULL;
    return parquet_pages_next(leaf, passed, err);
}

// ---- values ----

static char *reserve_values(struct parquet_leaf_reader *leaf, uint32_t at, uint32_t count)
{
    struct bytebuf *values = &leaf->vector.values;
    size_t width = leaf->conversion.target_width;
    values->size = at * width;
    char *out = bytebuf_reserve(values, (size_t)count * width);
    values->size += (size_t)count * width;
    return out;
}

static uint64_t long_bytes(const void *views, uint32_t count)
{
    const struct strview *view = views;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += view[i].size > STRVIEW_INLINE_MAX ? view[i].size : 0;
    }
    return bytes;
}

// From the dictionary, entry by entry.
static enum status values_by_codes(struct parquet_leaf_reader *leaf, uint32_t at, uint32_t count,
                                   struct err *err)
{
    struct bytebuf *scratch = &leaf->reader->scratch;
    scratch->size = 0;
    uint32_t *codes = (uint32_t *)(void *)bytebuf_reserve(scratch, count * sizeof *codes);
    TRY(parquet_decode_codes32(&leaf->decoder, codes, count, leaf->dictionary_count, err));
    char *out = reserve_values(leaf, at, count);
    parquet_gather(out, leaf->dictionary.ptr, leaf->conversion.target_width, codes, count);
    if (leaf->conversion.target == PHYSICAL_STRING) {
        leaf->vector.var_bytes += long_bytes(out, count);
    }
    return STATUS_OK;
}

// `count` values into the vector's values [at, at + count).
static enum status read_values(struct parquet_leaf_reader *leaf, uint32_t at, uint32_t count,
                               struct err *err)
{
    if (leaf->levels_only || count == 0) {
        reserve_values(leaf, at, count);
        return STATUS_OK;
    }
    if (parquet_decode_has_codes(&leaf->decoder)) {
        return values_by_codes(leaf, at, count, err);
    }
    char *out = reserve_values(leaf, at, count);
    if (leaf->conversion.kind == PARQUET_CONVERT_NONE) {
        TRY(parquet_decode_values(&leaf->decoder, out, count, err));
        if (leaf->conversion.target == PHYSICAL_STRING) {
            leaf->vector.var_bytes += long_bytes(out, count);
        }
        return STATUS_OK;
    }
    struct bytebuf *scratch = &leaf->reader->scratch;
    scratch->size = 0;
    char *raw = bytebuf_reserve(scratch, (size_t)count * leaf->conversion.stored_width);
    TRY(parquet_decode_values(&leaf->decoder, raw, count, err));
    return parquet_convert_run(&leaf->conversion, raw, out, count, err);
}

// ---- nulls ----

// `values` values stand in front of [0, slots): each goes where its bit is, nulls become zero.
static void spread(void *data, uint32_t width, const uint64_t *valid, uint32_t slots,
                   uint32_t values)
{
    char *base = data;
    for (uint32_t word = bits_words(slots); word-- > 0;) {
        uint32_t first = word * 64;
        uint32_t here = slots - first < 64 ? slots - first : 64;
        uint64_t bits = valid[word] & bits_tail(here);
        uint32_t ones = (uint32_t)__builtin_popcountll(bits);
        values -= ones;
        if (ones == here) {
            memmove(base + (size_t)first * width, base + (size_t)values * width,
                    (size_t)here * width);
            continue;
        }
        uint32_t from = values + ones;
        for (uint32_t i = here; i-- > 0;) {
            char *to = base + (size_t)(first + i) * width;
            if ((bits >> i & 1) != 0) {
                from--;
                memmove(to, base + (size_t)from * width, width);
            } else {
                memset(to, 0, width);
            }
        }
    }
}

#define SPREAD(c_type)                                                                             \
    do {                                                                                           \
        c_type *items = data;                                                                      \
        for (uint32_t i = slots; i-- > 0;) {                                                       \
            bool set = (valid[i / 64] >> (i % 64) & 1) != 0;                                       \
            values -= set;                                                                         \
            items[i] = set ? items[values] : 0;                                                    \
        }                                                                                          \
    } while (0)

static void spread_values(void *data, uint32_t width, const uint64_t *valid, uint32_t slots,
                          uint32_t values)
{
    switch (width) {
    case 1: SPREAD(uint8_t); break;
    case 2: SPREAD(uint16_t); break;
    case 4: SPREAD(uint32_t); break;
    case 8: SPREAD(uint64_t); break;
    default: spread(data, width, valid, slots, values);
    }
}

// ---- flat leaves ----

// Definition levels of `count` slots, packed most significant bit first (encoding 4, deprecated).
static uint32_t packed_level(struct str packed, uint32_t width, uint32_t index)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < width; i++) {
        uint64_t bit = (uint64_t)index * width + i;
        level = level << 1 | ((uint8_t)packed.ptr[bit / 8] >> (7 - bit % 8) & 1);
    }
    return level;
}

// The mask of `count` slots in words of its own; *ones: how many have values.
static enum status read_mask(struct parquet_leaf_reader *leaf, uint32_t count, uint64_t *out,
                             uint32_t *ones, struct err *err)
{
    *ones = count;
    if (leaf->node->def_level == 0) {
        bits_fill(out, count);
    } else if (leaf->packed_levels[0].ptr != NULL) {
        memset(out, 0, bits_words(count) * sizeof *out);
        for (uint32_t i = 0; i < count; i++) {
            if (packed_level(leaf->packed_levels[0], 1, leaf->packed_at + i) != 0) {
                bits_set(out, i);
            }
        }
        leaf->packed_at += count;
        *ones = bits_count(out, count);
    } else if (!parquet_rle_decode_bits(&leaf->def_levels, out, count, ones)) {
        return ERR(err, STATUS_INVALID_DATA, "a page has fewer levels than it says");
    }
    return STATUS_OK;
}

// Appends the mask to the vector's.
static void join_mask(struct parquet_vector *vector, const uint64_t *mask, uint32_t count)
{
    size_t bytes = (size_t)(bits_words(vector->slots + count) + 1) * sizeof *mask;
    vector->valid.size = 0;
    uint64_t *valid = (uint64_t *)(void *)bytebuf_reserve(&vector->valid, bytes);
    uint32_t shift = vector->slots % 64;
    uint32_t at = vector->slots / 64;
    if (shift == 0) {
        memcpy(valid + at, mask, bits_words(count) * sizeof *mask);
        return;
    }
    for (uint32_t i = 0; i < bits_words(count); i++) {
        valid[at + i] = (valid[at + i] & bits_tail(shift)) | mask[i] << shift;
        valid[at + i + 1] = mask[i] >> (64 - shift);
    }
}

// Codes given out so far become values: a page without codes follows.
static void flatten_codes(struct parquet_leaf_reader *leaf)
{
    struct parquet_vector *vector = &leaf->vector;
    const uint16_t *codes = (const uint16_t *)(const void *)vector->codes.ptr;
    struct bytebuf *scratch = &leaf->reader->scratch;
    scratch->size = 0;
    uint32_t *wide = (uint32_t *)(void *)bytebuf_reserve(scratch, vector->slots * sizeof *wide);
    for (uint32_t i = 0; i < vector->slots; i++) {
        wide[i] = codes[i];
    }
    uint32_t width = leaf->conversion.target_width;
    char *out = reserve_values(leaf, 0, vector->slots);
    parquet_gather(out, leaf->dictionary.ptr, width, wide, vector->slots);
    const uint64_t *valid = (const uint64_t *)(const void *)vector->valid.ptr;
    for (uint32_t i = 0; i < vector->slots; i++) {
        if (!bits_get(valid, i)) {
            memset(out + (size_t)i * width, 0, width);
        }
    }
    vector->is_dict = false;
}

static bool gives_codes(const struct parquet_leaf_reader *leaf)
{
    return !leaf->levels_only && parquet_decode_has_codes(&leaf->decoder) &&
           leaf->dictionary_count > 0 && leaf->dictionary_count <= BATCH_ROWS_MAX &&
           leaf->dictionary_bytes <= DICTIONARY_BYTES_MAX;
}

static enum status read_flat_codes(struct parquet_leaf_reader *leaf, const uint64_t *mask,
                                   uint32_t count, uint32_t ones, struct err *err)
{
    struct parquet_vector *vector = &leaf->vector;
    vector->codes.size = vector->slots * sizeof(uint16_t);
    uint16_t *codes = (uint16_t *)(void *)bytebuf_reserve(&vector->codes, count * sizeof(uint16_t));
    TRY(parquet_decode_codes16(&leaf->decoder, codes, ones, leaf->dictionary_count, err));
    if (ones < count) {
        spread_values(codes, sizeof *codes, mask, count, ones);
    }
    return STATUS_OK;
}

// A piece of at most PARQUET_WINDOW_ROWS slots of the current page.
static enum status read_flat_piece(struct parquet_leaf_reader *leaf, uint32_t count,
                                   struct err *err)
{
    struct parquet_vector *vector = &leaf->vector;
    uint64_t mask[PARQUET_WINDOW_ROWS / 64];
    uint32_t ones;
    TRY(read_mask(leaf, count, mask, &ones, err));
    join_mask(vector, mask, count);
    vector->has_nulls |= ones < count;
    bool codes = gives_codes(leaf) && (vector->slots == 0 || vector->is_dict);
    if (codes) {
        vector->var_bytes = leaf->dictionary_bytes;
        vector->is_dict = true;
        TRY(read_flat_codes(leaf, mask, count, ones, err));
    } else {
        if (vector->is_dict) {
            flatten_codes(leaf);
        }
        TRY(read_values(leaf, vector->slots, ones, err));
        char *out = reserve_values(leaf, vector->slots, count);
        if (ones < count) {
            spread_values(out, leaf->conversion.target_width, mask, count, ones);
        }
    }
    vector->slots += count;
    leaf->page_slots -= count;
    leaf->row += count;
    return STATUS_OK;
}

// To `rows` slots in all.
static enum status read_flat(struct parquet_leaf_reader *leaf, uint32_t rows, bool may_stop,
                             struct err *err)
{
    struct parquet_vector *vector = &leaf->vector;
    while (vector->slots < rows) {
        if (leaf->page_slots == 0) {
            if (may_stop && vector->slots > 0 && vector->var_bytes >= BATCH_BYTES_MAX) {
                return STATUS_OK;
            }
            enum status status = next_page(leaf, NULL, err);
            if (status != STATUS_OK) {
                return status == STATUS_END ? too_few(err) : status;
            }
        }
        uint32_t left = rows - vector->slots;
        uint32_t take = leaf->page_slots < left ? leaf->page_slots : left;
        TRY(read_flat_piece(leaf, take < PARQUET_WINDOW_ROWS ? take : PARQUET_WINDOW_ROWS, err));
    }
    return STATUS_OK;
}

// ---- rows picked out of flat leaves ----

static enum status skip_flat(struct parquet_leaf_reader *leaf, uint64_t rows, struct err *err)
{
    while (rows > 0) {
        if (leaf->page_slots == 0) {
            enum status status = next_page(leaf, &rows, err);
            if (status != STATUS_OK) {
                return status == STATUS_END ? too_few(err) : status;
            }
            continue;
        }
        uint64_t mask[PARQUET_WINDOW_ROWS / 64];
        uint32_t ones;
        uint32_t take =
            leaf->page_slots < PARQUET_WINDOW_ROWS ? leaf->page_slots : PARQUET_WINDOW_ROWS;
        take = take < rows ? take : (uint32_t)rows;
        TRY(read_mask(leaf, take, mask, &ones, err));
        if (!leaf->levels_only) {
            TRY(parquet_decode_skip(&leaf->decoder, ones, err));
        }
        leaf->page_slots -= take;
        leaf->row += take;
        rows -= take;
    }
    return STATUS_OK;
}

// The wanted values of a piece.
struct picked {
    uint32_t count;                           // of values: rows that are not null
    const uint16_t *places;                   // among the piece's values
    uint16_t ranks[PARQUET_WINDOW_ROWS];      // where there are nulls: the places
    uint64_t valid[PARQUET_WINDOW_ROWS / 64]; // of the rows wanted
};

// Which values the rows are, by the mask of the piece.
static void find_places(const uint64_t *mask, const struct parquet_kept *kept, struct picked *out)
{
    uint32_t word = 0;
    uint32_t before = 0; // values in front of the word
    memset(out->valid, 0, bits_words(kept->count) * sizeof *out->valid);
    out->count = 0;
    for (uint32_t i = 0; i < kept->count; i++) {
        uint32_t row = kept->rows[i];
        for (; word < row / 64; word++) {
            before += (uint32_t)__builtin_popcountll(mask[word]);
        }
        if (bits_get(mask, row)) {
            uint64_t below = mask[word] & bits_tail(row % 64);
            bits_set(out->valid, i);
            out->ranks[out->count++] =
                (uint16_t)(row % 64 == 0 ? before : before + (uint32_t)__builtin_popcountll(below));
        }
    }
    out->places = out->ranks;
}

// The picked ones of the next `count` codes, into the scratch memory.
static enum status pick_codes(struct parquet_leaf_reader *leaf, const struct picked *picked,
                              uint32_t count, uint32_t **out, struct err *err)
{
    struct bytebuf *scratch = &leaf->reader->scratch;
    scratch->size = 0;
    uint32_t *codes = (uint32_t *)(void *)bytebuf_reserve(scratch, (count + 1) * sizeof *codes);
    *out = codes;
    if (picked->count * DENSE < count) {
        return parquet_decode_pick_codes(&leaf->decoder, picked->places, picked->count, codes,
                                         count, leaf->dictionary_count, err);
    }
    TRY(parquet_decode_codes32(&leaf->decoder, codes, count, leaf->dictionary_count, err));
    for (uint32_t i = 0; i < picked->count; i++) {
        codes[i] = codes[picked->places[i]];
    }
    return STATUS_OK;
}

// The picked ones of the next `count` values behind what the vector holds, in the target's form.
static enum status pick_values(struct parquet_leaf_reader *leaf, const struct picked *picked,
                               uint32_t count, struct err *err)
{
    struct parquet_vector *vector = &leaf->vector;
    const struct parquet_conversion *conversion = &leaf->conversion;
    if (parquet_decode_has_codes(&leaf->decoder)) {
        uint32_t *codes;
        TRY(pick_codes(leaf, picked, count, &codes, err));
        parquet_gather(reserve_values(leaf, vector->slots, picked->count), leaf->dictionary.ptr,
                       conversion->target_width, codes, picked->count);
    } else if (parquet_decode_can_pick(&leaf->decoder)) {
        char *out = reserve_values(leaf, vector->slots, picked->count);
        struct bytebuf *scratch = &leaf->reader->scratch;
        scratch->size = 0;
        bool is_same = conversion->kind == PARQUET_CONVERT_NONE;
        char *raw =
            is_same ? out
                    : bytebuf_reserve(scratch, (size_t)picked->count * conversion->stored_width);
        TRY(parquet_decode_pick(&leaf->decoder, picked->places, picked->count, raw, count, err));
        if (!is_same) {
            TRY(parquet_convert_run(conversion, raw, out, picked->count, err));
        }
    } else {
        TRY(read_values(leaf, vector->slots, count, err));
        char *out = reserve_values(leaf, vector->slots, count);
        const struct parquet_kept kept = {.rows = picked->places, .count = picked->count};
        parquet_select_items(out, conversion->target_width, &kept);
        return STATUS_OK; // whose bytes were counted, those of all values
    }
    if (conversion->target == PHYSICAL_STRING) {
        const char *values = vector->values.ptr + vector->slots * sizeof(struct strview);
        vector->var_bytes += long_bytes(values, picked->count);
    }
    return STATUS_OK;
}

// The kept ones of the next `count` slots of the page.
static enum status pick_piece(struct parquet_leaf_reader *leaf, uint32_t count,
                              const struct parquet_kept *kept, struct err *err)
{
    struct parquet_vector *vector = &leaf->vector;
    uint64_t mask[PARQUET_WINDOW_ROWS / 64];
    uint32_t ones;
    struct picked picked;
    TRY(read_mask(leaf, count, mask, &ones, err));
    if (ones == count) {
        picked.places = kept->rows;
        picked.count = kept->count;
        bits_fill(picked.valid, kept->count);
    } else {
        find_places(mask, kept, &picked);
    }
    join_mask(vector, picked.valid, kept->count);
    vector->has_nulls |= picked.count < kept->count;
    char *values;
    uint32_t width = leaf->conversion.target_width;
    if (gives_codes(leaf) && (vector->slots == 0 || vector->is_dict)) {
        uint32_t *wide;
        TRY(pick_codes(leaf, &picked, ones, &wide, err));
        vector->var_bytes = leaf->dictionary_bytes;
        vector->is_dict = true;
        vector->codes.size = vector->slots * sizeof(uint16_t);
        values = bytebuf_reserve(&vector->codes, kept->count * sizeof(uint16_t));
        width = sizeof(uint16_t);
        for (uint32_t i = 0; i < picked.count; i++) {
            ((uint16_t *)(void *)values)[i] = (uint16_t)wide[i];
        }
    } else {
        if (vector->is_dict) {
            flatten_codes(leaf);
        }
        TRY(pick_values(leaf, &picked, ones, err));
        values = reserve_values(leaf, vector->slots, kept->count);
    }
    if (picked.count < kept->count) {
        spread_values(values, width, picked.valid, kept->count, picked.count);
    }
    vector->slots += kept->count;
    leaf->page_slots -= count;
    leaf->row += count;
    return STATUS_OK;
}

// Goes over pages; one without any of the rows is not unpacked.
static enum status pick(struct parquet_leaf_reader *leaf, uint32_t rows,
                        const struct parquet_kept *kept, struct err *err)
{
    uint32_t from = 0;
    for (uint32_t at = 0; at < kept->count;) {
        if (leaf->page_slots == 0) {
            uint64_t gap = kept->rows[at] - from;
            uint64_t left = gap;
            enum status status = next_page(leaf, gap > 0 ? &left : NULL, err);
            if (status != STATUS_OK) {
                return status == STATUS_END ? too_few(err) : status;
            }
            from += (uint32_t)(gap - left);
            continue;
        }
        uint32_t take = leaf->page_slots < rows - from ? leaf->page_slots : rows - from;
        uint16_t here[PARQUET_WINDOW_ROWS];
        struct parquet_kept part = {.rows = here};
        for (; at < kept->count && kept->rows[at] < from + take; at++) {
            here[part.count++] = (uint16_t)(kept->rows[at] - from);
        }
        TRY(pick_piece(leaf, take, &part, err));
        from += take;
    }
    return skip_flat(leaf, rows - from, err);
}

enum status parquet_values_pick(struct parquet_leaf_reader *leaf, uint32_t rows,
                                const struct parquet_kept *kept, struct err *err)
{
    ASSERT(!leaf->nested && !leaf->levels_only && rows <= PARQUET_WINDOW_ROWS);
    return parquet_pages_context(leaf, pick(leaf, rows, kept, err), err);
}

// ---- nested leaves ----

static bool decode_ahead(struct parquet_leaf_reader *leaf, uint8_t *out, uint32_t which,
                         uint8_t max, uint32_t count)
{
    if (max == 0) {
        memset(out, 0, count);
        return true;
    }
    if (leaf->packed_levels[which].ptr != NULL) {
        for (uint32_t i = 0; i < count; i++) {
            out[i] = (uint8_t)packed_level(leaf->packed_levels[which], parquet_rle_width(max),
                                           leaf->packed_at + i);
        }
    } else if (!parquet_rle_decode_u8(which == 0 ? &leaf->def_levels : &leaf->rep_levels, out,
                                      count)) {
        return false;
    }
    uint8_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        largest = out[i] > largest ? out[i] : largest;
    }
    return largest <= max;
}

// Makes sure that a level is there to be looked at. END behind the chunk's last.
static enum status look_ahead(struct parquet_leaf_reader *leaf, struct err *err)
{
    if (leaf->ahead_at < leaf->ahead_count) {
        return STATUS_OK;
    }
    if (leaf->page_slots == 0) {
        TRY(next_page(leaf, NULL, err));
    }
    uint32_t count =
        leaf->page_slots < sizeof leaf->def_ahead ? leaf->page_slots : sizeof leaf->def_ahead;
    if (!decode_ahead(leaf, leaf->rep_ahead, 1, leaf->node->rep_level, count) ||
        !decode_ahead(leaf, leaf->def_ahead, 0, leaf->node->def_level, count)) {
        return ERR(err, STATUS_INVALID_DATA, "a page's levels are damaged");
    }
    leaf->packed_at += count;
    leaf->page_slots -= count;
    leaf->ahead_at = 0;
    leaf->ahead_count = count;
    return STATUS_OK;
}

struct taken {
    uint32_t entries;
    uint32_t rows; // that begin in them
    uint32_t values;
    bool ended; // the row behind was seen
};

// How far the levels ahead go within `rows` more rows.
static struct taken take_ahead(const struct parquet_leaf_reader *leaf, uint32_t rows)
{
    struct taken taken = {0};
    const uint8_t *rep = leaf->rep_ahead + leaf->ahead_at;
    const uint8_t *def = leaf->def_ahead + leaf->ahead_at;
    uint32_t count = leaf->ahead_count - leaf->ahead_at;
    uint8_t max = leaf->node->def_level;
    for (uint32_t i = 0; i < count; i++) {
        if (rep[i] == 0) {
            if (taken.rows == rows) {
                taken.ended = true;
                break;
            }
            taken.rows++;
        }
        taken.values += def[i] == max;
        taken.entries++;
    }
    return taken;
}

// Slots are the entries that exist for the leaf's column; of these those with all levels have
// values.
static void place_nested(struct parquet_leaf_reader *leaf)
{
    struct parquet_vector *vector = &leaf->vector;
    uint32_t values = vector->values_held;
    const uint8_t *def = (const uint8_t *)vector->def.ptr;
    uint8_t max = leaf->node->def_level;
    uint32_t words = bits_words(vector->entries);
    vector->valid.size = 0;
    uint64_t *valid = (uint64_t *)(void *)bytebuf_reserve(&vector->valid, (words + 1) * 8);
    memset(valid, 0, (words + 1) * 8);
    uint32_t slots = 0;
    for (uint32_t i = 0; i < vector->entries; i++) {
        valid[slots / 64] |= (uint64_t)(def[i] == max) << (slots % 64);
        slots += def[i] >= leaf->list_def;
    }
    vector->slots = slots;
    if (leaf->levels_only) {
        return;
    }
    vector->has_nulls = values < slots;
    char *out = reserve_values(leaf, 0, slots);
    if (vector->has_nulls) {
        spread_values(out, leaf->conversion.target_width, valid, slots, values);
    }
}

// `rows` more rows behind what the vector holds, whose values are not in their places yet.
static enum status read_nested(struct parquet_leaf_reader *leaf, uint32_t rows, bool may_stop,
                               uint32_t *got, struct err *err)
{
    struct parquet_vector *vector = &leaf->vector;
    *got = 0;
    for (bool ended = false; !ended;) {
        enum status status = look_ahead(leaf, err);
        if (status == STATUS_END && *got == rows) {
            break;
        }
        if (status != STATUS_OK) {
            return status == STATUS_END ? too_few(err) : status;
        }
        uint64_t bytes =
            vector->var_bytes + (uint64_t)vector->entries * leaf->conversion.target_width;
        bool grows = leaf->node->rep_level > 0 || leaf->is_copied;
        bool stop = may_stop && *got > 0 && grows && bytes >= BATCH_BYTES_MAX;
        uint32_t more = stop ? 0 : rows - *got; // 0: to the end of the row begun
        if (may_stop && leaf->is_copied && more > COPIED_ROWS) {
            more = COPIED_ROWS;
        }
        struct taken taken = take_ahead(leaf, more);
        if (*got == 0 && taken.rows == 0) {
            return ERR(err, STATUS_INVALID_DATA, "a row begins in the middle");
        }
        bytebuf_add(&vector->def, leaf->def_ahead + leaf->ahead_at, taken.entries);
        bytebuf_add(&vector->rep, leaf->rep_ahead + leaf->ahead_at, taken.entries);
        leaf->ahead_at += taken.entries;
        vector->entries += taken.entries;
        if (vector->entries > ENTRIES_MAX) {
            return ERR(err, STATUS_LIMIT, "rows have more than %d elements", ENTRIES_MAX);
        }
        TRY(read_values(leaf, vector->values_held, taken.values, err));
        vector->values_held += taken.values;
        *got += taken.rows;
        leaf->row += taken.rows;
        // Without lists a row is one entry: no need to look behind the last one.
        ended =
            (taken.ended && (stop || *got == rows)) || (leaf->node->rep_level == 0 && *got == rows);
    }
    return STATUS_OK;
}

// ---- calls ----

void parquet_values_reset(struct parquet_leaf_reader *leaf)
{
    struct parquet_vector *vector = &leaf->vector;
    parquet_pages_recycle(leaf->reader, &leaf->old_memory);
    vector->slots = 0;
    vector->entries = 0;
    vector->values_held = 0;
    vector->is_dict = false;
    vector->has_nulls = false;
    vector->var_bytes = 0;
    vector->def.size = vector->rep.size = 0;
    vector->values.size = vector->codes.size = 0;
}

enum status parquet_values_read(struct parquet_leaf_reader *leaf, uint32_t rows, bool may_stop,
                                uint32_t *got, struct err *err)
{
    enum status status;
    parquet_values_reset(leaf);
    if (leaf->nested) {
        status = read_nested(leaf, rows, may_stop, got, err);
    } else {
        status = read_flat(leaf, rows, may_stop, err);
        *got = leaf->vector.slots;
    }
    if (status != STATUS_OK) {
        return parquet_pages_context(leaf, status, err);
    }
    parquet_values_place(leaf);
    return STATUS_OK;
}

enum status parquet_values_append(struct parquet_leaf_reader *leaf, uint32_t rows, struct err *err)
{
    uint32_t got;
    enum status status = leaf->nested ? read_nested(leaf, rows, false, &got, err)
                                      : read_flat(leaf, leaf->vector.slots + rows, false, err);
    return parquet_pages_context(leaf, status, err);
}

void parquet_values_place(struct parquet_leaf_reader *leaf)
{
    struct parquet_vector *vector = &leaf->vector;
    if (leaf->nested) {
        place_nested(leaf);
    } else if (vector->has_nulls && vector->slots > 0) { // of rows that were dropped
        uint64_t *valid = (uint64_t *)(void *)vector->valid.ptr;
        valid[(vector->slots - 1) / 64] &= bits_tail(vector->slots);
    }
}

static enum status skip_nested(struct parquet_leaf_reader *leaf, uint64_t rows, struct err *err)
{
    bool inside = false; // the last row passed may go on
    while (rows > 0 || inside) {
        if (leaf->ahead_at == leaf->ahead_count && leaf->page_slots == 0) {
            enum status status = next_page(leaf, rows > 0 ? &rows : NULL, err);
            if (status == STATUS_END && rows == 0) {
                return STATUS_OK;
            }
            if (status != STATUS_OK) {
                return status == STATUS_END ? too_few(err) : status;
            }
            if (leaf->page_slots == 0) { // passed over by its header
                inside = false;
                continue;
            }
        }
        TRY(look_ahead(leaf, err));
        struct taken taken = take_ahead(leaf, rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX);
        if (!leaf->levels_only) {
            TRY(parquet_decode_skip(&leaf->decoder, taken.values, err));
        }
        leaf->ahead_at += taken.entries;
        leaf->row += taken.rows;
        rows -= taken.rows;
        inside = !taken.ended && leaf->node->rep_level > 0;
    }
    return STATUS_OK;
}

static enum status seek(struct parquet_leaf_reader *leaf, uint64_t row, struct err *err)
{
    const struct parquet_offset_index *index = &leaf->pages.index;
    ASSERT(row >= leaf->row);
    bool is_here = !leaf->nested && row - leaf->row < leaf->page_slots;
    if (index->count > 0 && !is_here) {
        uint32_t low = 0; // the last page that begins at or before the row
        uint32_t high = index->count;
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if ((uint64_t)index->pages[middle].first_row <= row) {
                low = middle;
            } else {
                high = middle;
            }
        }
        if (low > leaf->pages.next_page || (low == leaf->pages.next_page && row > leaf->row)) {
            leaf->reader->counters.pages_pruned += low - leaf->pages.next_page;
            TRY(parquet_pages_jump(leaf, low, err));
        }
    }
    uint64_t rows = row - leaf->row;
    return leaf->nested ? skip_nested(leaf, rows, err) : skip_flat(leaf, rows, err);
}

enum status parquet_values_seek(struct parquet_leaf_reader *leaf, uint64_t row, struct err *err)
{
    return parquet_pages_context(leaf, seek(leaf, row, err), err);
}

void parquet_values_release(struct parquet_leaf_reader *leaf)
{
    struct parquet_vector *vector = &leaf->vector;
    bytebuf_release(&vector->valid);
    bytebuf_release(&vector->values);
    bytebuf_release(&vector->codes);
    bytebuf_release(&vector->def);
    bytebuf_release(&vector->rep);
    bytebuf_release(&leaf->dictionary);
    bytebuf_release(&leaf->pages.window);
    parquet_pages_recycle(leaf->reader, &leaf->dictionary_memory);
    parquet_pages_recycle(leaf->reader, &leaf->page_memory);
    parquet_pages_recycle(leaf->reader, &leaf->old_memory);
}
