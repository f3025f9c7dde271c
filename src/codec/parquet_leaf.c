// SPDX-License-Identifier: Apache-2.0
//
// One column on its way into pages. A window of at most WINDOW values at a time goes through four
// steps, each a loop of its own: gather what is not null, convert to the stored form, account for
// bounds, and add codes or plain bytes.
#include <math.h>

#include "base/assert.h"
#include "codec/parquet_gather.h"
#include "codec/parquet_rle.h"
#include "codec/parquet_writer_int.h"
#include "data/column.h"
#include "data/datetime.h"

enum {
    WINDOW = 2048,   // values in one go
    JUDGE_FROM = 32, // values that say something of a dictionary
    FORESIGHT = 16,
    EARLY_FROM = 4096, // that show that it is hopeless
};

static enum parquet_store choose_store(const struct parquet_node *node)
{
    switch (node->element->physical) {
    case PARQUET_BOOLEAN: return PARQUET_STORE_BOOL;
    case PARQUET_INT32:
    case PARQUET_FLOAT: return PARQUET_STORE_W4;
    case PARQUET_INT64:
    case PARQUET_DOUBLE: return PARQUET_STORE_W8;
    case PARQUET_FIXED:
        return node->physical == PHYSICAL_I128 ? PARQUET_STORE_WIDE : PARQUET_STORE_FIXED;
    case PARQUET_BYTE_ARRAY: return PARQUET_STORE_BYTES;
    case PARQUET_INT96:
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("no leaf of ours");
}

static uint32_t store_width(const struct parquet_leaf *leaf)
{
    switch (leaf->store) {
    case PARQUET_STORE_BOOL: return 1;
    case PARQUET_STORE_W4: return 4;
    case PARQUET_STORE_W8: return 8;
    case PARQUET_STORE_WIDE:
    case PARQUET_STORE_FIXED: return (uint32_t)leaf->node->element->length;
    case PARQUET_STORE_BYTES: break;
    }
    return 0;
}

void parquet_leaf_init(struct parquet_leaf *leaf, const struct parquet_node *node, bool is_column)
{
    *leaf = (struct parquet_leaf){.node = node,
                                  .store = choose_store(node),
                                  .order = parquet_stats_order(node),
                                  // Nulls of a part of a row may be those of the row.
                                  .nested = node->rep_level > 0 || node->def_level > 1 ||
                                            (node->def_level == 1 && !is_column)};
    parquet_dictionary_init(&leaf->dictionary, store_width(leaf));
}

void parquet_leaf_release(struct parquet_leaf *leaf)
{
    bytebuf_release(&leaf->mask);
    bytebuf_release(&leaf->def);
    bytebuf_release(&leaf->rep);
    bytebuf_release(&leaf->plain);
    bytebuf_release(&leaf->codes);
    parquet_stats_release(&leaf->range);
    parquet_dictionary_release(&leaf->dictionary);
}

size_t parquet_leaf_memory(const struct parquet_leaf *leaf)
{
    return leaf->mask.capacity + leaf->def.capacity + leaf->rep.capacity + leaf->plain.capacity +
           leaf->codes.capacity + parquet_stats_memory(&leaf->range);
}

void parquet_leaf_begin_chunk(struct parquet_leaf *leaf, const struct parquet_writer *writer,
                              struct parquet_chunk *chunk)
{
    bool wanted = leaf->store != PARQUET_STORE_BOOL && leaf->store != PARQUET_STORE_WIDE &&
                  writer->options.dictionary_bytes != UINT32_MAX && !leaf->without_dictionary;
    leaf->chunk = chunk;
    chunk->state = wanted ? PARQUET_DICTIONARY_OPEN : PARQUET_DICTIONARY_NONE;
    parquet_dictionary_release(&leaf->dictionary);
    leaf->dictionary_taken = 0;
    leaf->dictionary_taken_bytes = 0;
    leaf->dictionary_values = 0;
    leaf->dictionary_plain = 0;
}

// ---- gathering ----

// The places, within the values of the column's holder, of those of its rows [from, from + count)
// that are not null.
static uint32_t flat_places(const struct column *column, uint32_t from, uint32_t count,
                            uint32_t *places)
{
    if (column->encoding == ENCODING_CONST) {
        memset(places, 0, count * sizeof *places);
        return column_is_null(column, 0) ? 0 : count;
    }
    const uint16_t *codes = column->encoding == ENCODING_DICT ? column->codes : NULL;
    if (column->valid == NULL) {
        for (uint32_t i = 0; i < count; i++) {
            places[i] = codes != NULL ? codes[from + i] : from + i;
        }
        return count;
    }
    uint32_t found = 0;
    for (uint32_t i = from; i < from + count; i++) {
        places[found] = codes != NULL ? codes[i] : i;
        found += (uint32_t)(column->valid[i / 64] >> (i % 64) & 1);
    }
    return found;
}

// Strings and bytes are 16 bytes too, so int128 moves them.
struct dense {
    const void *values; // of the column's physical form
    uint32_t count;
};

static struct dense gather_places(struct parquet_encoder *encoder, const struct column *column,
                                  const uint32_t *places, uint32_t count)
{
    size_t width = physical_width(column->physical);
    encoder->dense.size = 0;
    char *out = bytebuf_reserve(&encoder->dense, count * width);
    parquet_gather(out, column_holder(column)->values, width, places, count);
    return (struct dense){out, count};
}

// ---- converting ----

static enum status too_large(const struct parquet_leaf *leaf, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA,
               "field %.*s: a value does not fit the type that the file holds it in",
               STR_ARGS(leaf->node->name));
}

static enum status convert_nano(const struct parquet_leaf *leaf, const struct nano *in,
                                uint32_t count, int64_t *out, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!datetime_ns_from_nano(in[i], &out[i])) {
            return too_large(leaf, err);
        }
    }
    return STATUS_OK;
}

// To int32, int64, float or double: *out is the stored form, `dense` itself where it is that.
static enum status convert(struct parquet_encoder *encoder, const struct parquet_leaf *leaf,
                           struct dense dense, const void **out, struct err *err)
{
    enum physical from = leaf->node->physical;
    enum parquet_physical to = leaf->node->element->physical;
    encoder->converted.size = 0;
    void *room = bytebuf_reserve(&encoder->converted, dense.count * sizeof(int64_t));
    *out = room;
    if (from == PHYSICAL_I32 && to == PARQUET_INT64) { // TIME, ms to us
        for (uint32_t i = 0; i < dense.count; i++) {
            ((int64_t *)room)[i] = ((const int32_t *)dense.values)[i] * INT64_C(1000);
        }
    } else if (from == PHYSICAL_I64 && to == PARQUET_INT32) { // DECIMAL of up to 9 digits
        for (uint32_t i = 0; i < dense.count; i++) {
            int64_t value = ((const int64_t *)dense.values)[i];
            if (value != (int32_t)value) {
                return too_large(leaf, err);
            }
            ((int32_t *)room)[i] = (int32_t)value;
        }
    } else if (from == PHYSICAL_I8) {
        for (uint32_t i = 0; i < dense.count; i++) {
            ((int32_t *)room)[i] = ((const int8_t *)dense.values)[i];
        }
    } else if (from == PHYSICAL_I16) {
        for (uint32_t i = 0; i < dense.count; i++) {
            ((int32_t *)room)[i] = ((const int16_t *)dense.values)[i];
        }
    } else if (from == PHYSICAL_NANO) {
        return convert_nano(leaf, dense.values, dense.count, room, err);
    } else {
        *out = dense.values;
    }
    return STATUS_OK;
}

// ---- the dictionary ----

// Codes back to plain values: the dictionary is given up before its first page.
static void give_up_dictionary(struct parquet_leaf *leaf)
{
    const uint32_t *codes = (const uint32_t *)(void *)leaf->codes.ptr;
    uint32_t count = (uint32_t)(leaf->codes.size / sizeof(uint32_t));
    const struct parquet_dictionary *dictionary = &leaf->dictionary;
    for (uint32_t i = 0; i < count; i++) {
        struct str entry = parquet_dictionary_entry(dictionary, codes[i]);
        if (dictionary->width == 0) {
            bytebuf_add_u32(&leaf->plain, (uint32_t)entry.size);
            if (leaf->order == PARQUET_ORDER_BYTES) {
                parquet_stats_bytes(&leaf->range, entry);
            }
        }
        bytebuf_add(&leaf->plain, entry.ptr, entry.size);
    }
    leaf->codes.size = 0;
    leaf->chunk->state = PARQUET_DICTIONARY_NONE;
    parquet_dictionary_release(&leaf->dictionary);
}

// How many distinct values there would be at last, from how many of `values` were new: as many as
// make so many repetitions likely where all are as frequent (skewed values have more, and repeat
// all the more). Solves (1 - e^-x) / x = entries / values for x = values / distinct.
static double foresee_distinct(double entries, double values)
{
    double low = 1e-9;
    double high = 700; // more values than that an entry: there are no others
    for (uint32_t i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        if (-expm1(-x) / x > entries / values) {
            low = x;
        } else {
            high = x;
        }
    }
    double distinct = values / low;
    return distinct > entries ? distinct : entries;
}

// Whether a dictionary would not fit, or not pay over a row group FORESIGHT times as long as
// `page_values`, if as many values had `entries` distinct ones as went through it.
static bool does_not_pay(const struct parquet_writer *writer, const struct parquet_leaf *leaf,
                         double entries, double page_values)
{
    double values = (double)leaf->dictionary_values;
    double entry_bytes = (double)leaf->dictionary.plain.size / leaf->dictionary.count;
    double value_bytes = (double)leaf->dictionary_plain / values;
    double distinct = foresee_distinct(entries, values);
    double all = page_values * FORESIGHT;
    double code_bits = log2(distinct) + 1;
    return distinct * entry_bytes > writer->options.dictionary_bytes ||
           distinct * entry_bytes + all * code_bits / 8 > all * value_bytes * 0.8;
}

static bool gives_up(const struct parquet_writer *writer, struct parquet_leaf *leaf)
{
    double values = (double)leaf->dictionary_values;
    if (leaf->chunk->state != PARQUET_DICTIONARY_OPEN || leaf->chunk->pages.count > 0 ||
        values <= JUDGE_FROM || !does_not_pay(writer, leaf, leaf->dictionary.count, values)) {
        return false;
    }
    give_up_dictionary(leaf);
    return true;
}

// Within the first page, as soon as there are EARLY_FROM values: gives up a dictionary that would
// not pay even if three deviations and a few more values than seen were repetitions.
static void give_up_early(const struct parquet_writer *writer, struct parquet_leaf *leaf,
                          uint64_t values_before)
{
    double values = (double)leaf->dictionary_values;
    double repeated = values - leaf->dictionary.count;
    repeated += 3 * sqrt(repeated) + 9;
    if (leaf->chunk->state == PARQUET_DICTIONARY_OPEN && leaf->chunk->pages.count == 0 &&
        values_before < EARLY_FROM && values >= EARLY_FROM &&
        does_not_pay(writer, leaf, values - repeated, writer->options.page_rows)) {
        give_up_dictionary(leaf);
    }
}

// Looked at between calls, when levels and values of the page are complete.
static enum status limit_dictionary(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                    struct err *err)
{
    bool full = leaf->chunk->state == PARQUET_DICTIONARY_OPEN &&
                leaf->dictionary.plain.size > writer->options.dictionary_bytes;
    return full && !gives_up(writer, leaf) ? parquet_leaf_end_dictionary(writer, leaf, err)
                                           : STATUS_OK;
}

static uint32_t *reserve_codes(struct parquet_leaf *leaf, uint32_t count)
{
    uint32_t *codes = (uint32_t *)(void *)bytebuf_reserve(&leaf->codes, count * sizeof *codes);
    leaf->codes.size += count * sizeof *codes;
    leaf->dictionary_values += count;
    return codes;
}

// ---- adding values ----

static void add_fixed(struct parquet_leaf *leaf, const void *values, uint32_t count)
{
    switch (leaf->node->element->physical) {
    case PARQUET_INT32: parquet_stats_i32(&leaf->range, values, count); break;
    case PARQUET_INT64: parquet_stats_i64(&leaf->range, values, count); break;
    case PARQUET_FLOAT: leaf->nans += parquet_stats_f32(&leaf->range, values, count); break;
    case PARQUET_DOUBLE: leaf->nans += parquet_stats_f64(&leaf->range, values, count); break;
    case PARQUET_BOOLEAN: parquet_stats_bool(&leaf->range, values, count); break;
    case PARQUET_INT96:
    case PARQUET_BYTE_ARRAY:
    case PARQUET_FIXED:
    case PARQUET_GROUP: UNREACHABLE("not of fixed width");
    }
    if (leaf->chunk->state != PARQUET_DICTIONARY_OPEN) {
        bytebuf_add(&leaf->plain, values, (size_t)count * store_width(leaf));
        return;
    }
    uint32_t *codes = reserve_codes(leaf, count);
    if (leaf->store == PARQUET_STORE_W4) {
        parquet_dictionary_codes32(&leaf->dictionary, values, count, codes);
    } else {
        parquet_dictionary_codes64(&leaf->dictionary, values, count, codes);
    }
    leaf->dictionary_plain += (uint64_t)count * store_width(leaf);
}

static void add_wide(struct parquet_leaf *leaf, const int128 *values, uint32_t count)
{
    uint32_t width = (uint32_t)leaf->node->element->length;
    parquet_stats_i128(&leaf->range, values, count);
    char *out = bytebuf_reserve(&leaf->plain, (size_t)count * width);
    for (uint32_t i = 0; i < count; i++, out += width) {
        uint64_t words[2] = {__builtin_bswap64((uint64_t)(values[i] >> 64)),
                             __builtin_bswap64((uint64_t)values[i])};
        memcpy(out, (const char *)words + 16 - width, width);
    }
    leaf->plain.size += (size_t)count * width;
}

static uint64_t view_bytes(const struct strview *views, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += views[i].size;
    }
    return bytes;
}

static void add_plain_views(struct parquet_leaf *leaf, const struct strview *views, uint32_t count,
                            uint64_t bytes)
{
    bool with_size = leaf->store == PARQUET_STORE_BYTES;
    // Short ones are copied whole, 12 bytes, which the room behind allows.
    char *start = bytebuf_reserve(&leaf->plain, bytes + (size_t)count * 4 + STRVIEW_INLINE_MAX);
    char *out = start;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = views[i].size;
        if (with_size) {
            memcpy(out, &size, 4);
            out += 4;
        }
        if (size <= STRVIEW_INLINE_MAX) {
            memcpy(out, views[i].prefix, STRVIEW_INLINE_MAX);
        } else {
            memcpy(out, views[i].as.ptr, size);
        }
        out += size;
    }
    leaf->plain.size += (size_t)(out - start);
    parquet_stats_views(&leaf->range, views, count);
}

static enum status check_views(const struct parquet_leaf *leaf, const struct strview *views,
                               uint32_t count, struct err *err)
{
    for (uint32_t i = 0; leaf->store == PARQUET_STORE_FIXED && i < count; i++) {
        if (views[i].size != (uint32_t)leaf->node->element->length) {
            return ERR(err, STATUS_INVALID_DATA, "field %.*s: a value has %u bytes, its type %d",
                       STR_ARGS(leaf->node->name), views[i].size, leaf->node->element->length);
        }
    }
    return STATUS_OK;
}

static enum status add_views(struct parquet_leaf *leaf, const struct strview *views, uint32_t count,
                             struct err *err)
{
    TRY(check_views(leaf, views, count, err));
    uint64_t bytes = view_bytes(views, count);
    leaf->var_bytes += leaf->store == PARQUET_STORE_BYTES ? bytes : 0;
    if (leaf->chunk->state != PARQUET_DICTIONARY_OPEN) {
        add_plain_views(leaf, views, count, bytes);
        return STATUS_OK;
    }
    parquet_dictionary_views(&leaf->dictionary, views, count, reserve_codes(leaf, count));
    leaf->dictionary_plain += bytes + (leaf->store == PARQUET_STORE_BYTES ? 4u * count : 0);
    return STATUS_OK;
}

// Strings that come with a dictionary, into ours: each entry is looked up once a call.
static enum status add_mapped(struct parquet_encoder *encoder, struct parquet_leaf *leaf,
                              const struct column *column, const uint32_t *places, uint32_t count,
                              struct err *err)
{
    const struct strview *entries = column_holder(column)->values;
    uint32_t entry_count = column->encoding == ENCODING_DICT ? column->dict->row_count : 1;
    TRY(check_views(leaf, entries, entry_count, err));
    encoder->map.size = 0;
    uint32_t *map = (uint32_t *)(void *)bytebuf_reserve(&encoder->map, entry_count * sizeof *map);
    memset(map, 0xff, entry_count * sizeof *map);
    uint32_t *codes = reserve_codes(leaf, count);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = places[i];
        if (map[place] == UINT32_MAX) {
            map[place] = parquet_dictionary_code(&leaf->dictionary, &entries[place]);
        }
        codes[i] = map[place];
        bytes += entries[place].size;
    }
    leaf->var_bytes += leaf->store == PARQUET_STORE_BYTES ? bytes : 0;
    leaf->dictionary_plain += bytes + (leaf->store == PARQUET_STORE_BYTES ? 4u * count : 0);
    return STATUS_OK;
}

static enum status add_dense(struct parquet_encoder *encoder, struct parquet_leaf *leaf,
                             struct dense dense, struct err *err)
{
    switch (leaf->store) {
    case PARQUET_STORE_BOOL:
    case PARQUET_STORE_W4:
    case PARQUET_STORE_W8: {
        const void *values;
        TRY(convert(encoder, leaf, dense, &values, err));
        add_fixed(leaf, values, dense.count);
        return STATUS_OK;
    }
    case PARQUET_STORE_WIDE: add_wide(leaf, dense.values, dense.count); return STATUS_OK;
    case PARQUET_STORE_FIXED:
    case PARQUET_STORE_BYTES: return add_views(leaf, dense.values, dense.count, err);
    }
    UNREACHABLE("store");
}

static enum status add_places(struct parquet_encoder *encoder, struct parquet_leaf *leaf,
                              const struct column *column, const uint32_t *places, uint32_t count,
                              struct err *err)
{
    if (count == 0) {
        return STATUS_OK;
    }
    bool is_string = leaf->store == PARQUET_STORE_BYTES || leaf->store == PARQUET_STORE_FIXED;
    if (is_string && column->encoding != ENCODING_FLAT &&
        leaf->chunk->state == PARQUET_DICTIONARY_OPEN) {
        return add_mapped(encoder, leaf, column, places, count, err);
    }
    return add_dense(encoder, leaf, gather_places(encoder, column, places, count), err);
}

// ---- levels ----

// Bits [from, from + count) of `bits` (NULL: ones) become bits [at, at + count) of the page's mask.
static void add_mask(struct parquet_leaf *leaf, uint32_t at, const uint64_t *bits, uint32_t from,
                     uint32_t count)
{
    size_t bytes = (size_t)bits_words(at + count) * sizeof(uint64_t);
    bytebuf_reserve(&leaf->mask, bytes - leaf->mask.size);
    leaf->mask.size = bytes;
    uint64_t *mask = (uint64_t *)(void *)leaf->mask.ptr;
    for (uint32_t done = 0; done < count;) {
        uint32_t shift = (at + done) % 64;
        uint32_t take = 64 - shift < count - done ? 64 - shift : count - done;
        uint64_t word = bits_tail(take);
        if (bits != NULL) {
            bits_slice(bits, from + done, take, &word);
        }
        uint64_t *to = &mask[(at + done) / 64];
        *to = (shift == 0 ? 0 : *to & bits_tail(shift)) | word << shift;
        done += take;
    }
}

static void add_flat_levels(struct parquet_leaf *leaf, const struct column *column, uint32_t from,
                            uint32_t count, uint32_t values)
{
    if (values < count && !leaf->masked) { // the first null of the page
        leaf->mask.size = 0;
        add_mask(leaf, 0, NULL, 0, leaf->slots);
        leaf->masked = true;
    }
    if (leaf->masked) {
        static const uint64_t none[BATCH_WORDS_MAX] = {0};
        bool constant = column->encoding == ENCODING_CONST;
        const uint64_t *bits = values == count ? NULL : constant ? none : column->valid;
        add_mask(leaf, leaf->slots, bits, constant ? 0 : from, count);
    }
    leaf->slots += count;
    leaf->values += values;
    leaf->rows += count;
}

// A window of a flat column.
static enum status append_flat(struct parquet_writer *writer, struct parquet_leaf *leaf,
                               const struct column *column, uint32_t from, uint32_t count,
                               struct err *err)
{
    uint32_t places[WINDOW];
    bool is_flat = column->encoding == ENCODING_FLAT;
    uint32_t values = count;
    if (!is_flat || column->valid != NULL) {
        values = flat_places(column, from, count, places);
    }
    if (values < count && leaf->node->required) {
        return ERR(err, STATUS_INVALID_DATA, "field %.*s is required and a row has no value",
                   STR_ARGS(leaf->node->name));
    }
    add_flat_levels(leaf, column, from, count, values);
    if (is_flat && values == count) {
        const char *at = (const char *)column->values + from * physical_width(column->physical);
        return add_dense(writer->encoder, leaf, (struct dense){at, count}, err);
    }
    return add_places(writer->encoder, leaf, column, places, values, err);
}

static enum status append_nested(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                 const struct column *column, const struct parquet_slots *slots,
                                 struct err *err)
{
    bytebuf_add(&leaf->def, slots->def, slots->count);
    if (slots->rep != NULL) {
        bytebuf_add(&leaf->rep, slots->rep, slots->count);
    }
    leaf->slots += slots->count;
    leaf->values += slots->values;
    leaf->rows += slots->rows;
    for (uint32_t at = 0; at < slots->values; at += WINDOW) {
        uint32_t count = slots->values - at < WINDOW ? slots->values - at : WINDOW;
        TRY(add_places(writer->encoder, leaf, column, slots->places + at, count, err));
    }
    return STATUS_OK;
}

enum status parquet_leaf_append(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                const struct column *column, uint32_t from,
                                const struct parquet_slots *slots, struct err *err)
{
    if (leaf->plain.size == 0) {
        bytebuf_reserve(&leaf->plain, PARQUET_PLAIN_HEAD);
        leaf->plain.size = PARQUET_PLAIN_HEAD;
    }
    uint64_t values_before = leaf->dictionary_values;
    if (slots->def != NULL) {
        TRY(append_nested(writer, leaf, column, slots, err));
    } else {
        TRY(append_flat(writer, leaf, column, from, slots->rows, err));
    }
    give_up_early(writer, leaf, values_before);
    TRY(limit_dictionary(writer, leaf, err));
    if (leaf->rows >= writer->options.page_rows || leaf->plain.size >= writer->options.page_bytes) {
        return parquet_leaf_flush(writer, leaf, err);
    }
    return STATUS_OK;
}

enum status parquet_leaf_flush(struct parquet_writer *writer, struct parquet_leaf *leaf,
                               struct err *err)
{
    if (leaf->slots == 0) {
        return STATUS_OK;
    }
    gives_up(writer, leaf);
    return parquet_page_writer_data(writer, leaf, err);
}

enum status parquet_leaf_end_dictionary(struct parquet_writer *writer, struct parquet_leaf *leaf,
                                        struct err *err)
{
    if (leaf->chunk->state != PARQUET_DICTIONARY_OPEN) {
        return STATUS_OK;
    }
    TRY(parquet_leaf_flush(writer, leaf, err));
    if (leaf->dictionary.count > 0) {
        TRY(parquet_page_writer_dictionary(writer, leaf, err));
        leaf->chunk->state = PARQUET_DICTIONARY_ENDED;
    } else {
        leaf->chunk->state = PARQUET_DICTIONARY_NONE;
    }
    parquet_dictionary_release(&leaf->dictionary);
    leaf->dictionary_taken = 0;
    leaf->dictionary_taken_bytes = 0;
    return STATUS_OK;
}
