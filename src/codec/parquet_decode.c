// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_decode.h"

#include "base/assert.h"
#include "codec/parquet_delta.h"
#include "data/physical.h"

uint32_t parquet_decode_width(enum parquet_physical physical)
{
    switch (physical) {
    case PARQUET_BOOLEAN: return 1;
    case PARQUET_INT32:
    case PARQUET_FLOAT: return 4;
    case PARQUET_INT64:
    case PARQUET_DOUBLE: return 8;
    case PARQUET_INT96: return 12;
    case PARQUET_BYTE_ARRAY:
    case PARQUET_FIXED: return sizeof(struct strview);
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("a group has no values");
}

static enum status too_few(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "a page has fewer values than it says");
}

static enum status no_memory(struct err *err)
{
    return ERR(err, STATUS_LIMIT, "a page is larger than is allowed once it is decoded");
}

// ---- beginning ----

// Bytes of a fixed-width value in the page; 0 where they vary.
static uint32_t stored_width(const struct parquet_element *element)
{
    return element->physical == PARQUET_BYTE_ARRAY || element->physical == PARQUET_BOOLEAN ? 0
           : element->physical == PARQUET_FIXED ? (uint32_t)element->length
                                                : parquet_decode_width(element->physical);
}

// BYTE_STREAM_SPLIT: byte k of all values stand together. Put back into PLAIN.
static enum status unsplit(struct parquet_decoder *decoder, const struct parquet_element *element,
                           struct str bytes, const struct parquet_page_memory *memory,
                           struct err *err)
{
    uint32_t width = stored_width(element);
    size_t count = bytes.size / width;
    char *plain = memory->take(memory->owner, count * width);
    if (plain == NULL) {
        return no_memory(err);
    }
    for (uint32_t k = 0; k < width; k++) {
        const char *in = bytes.ptr + k * count;
        char *out = plain + k;
        for (size_t i = 0; i < count; i++, out += width) {
            *out = in[i];
        }
    }
    decoder->encoding = PARQUET_PLAIN;
    decoder->at = (const uint8_t *)plain;
    decoder->end = decoder->at + count * width;
    return STATUS_OK;
}

// All values of a delta run, 32 bits each, into memory of the page. *bytes goes behind them.
static enum status read_sizes(struct str *bytes, uint32_t count_max, uint32_t *count,
                              const uint32_t **out, const struct parquet_page_memory *memory,
                              struct err *err)
{
    struct parquet_delta delta;
    const uint8_t *end;
    TRY(parquet_delta_begin(&delta, *bytes, count_max, memory, err));
    *count = (uint32_t)delta.left;
    uint32_t *sizes =
        (uint32_t *)(void *)memory->take(memory->owner, ((size_t)*count + 1) * sizeof *sizes);
    if (sizes == NULL) {
        return no_memory(err);
    }
    TRY(parquet_delta_values(&delta, sizes, false, *count, err));
    TRY(parquet_delta_end(&delta, &end, err));
    *bytes = str_slice(*bytes, (size_t)((const char *)end - bytes->ptr), bytes->size);
    *out = sizes;
    return STATUS_OK;
}

// Suffixes with the lengths they share with the value before: put together.
static enum status join_prefixes(struct parquet_decoder *decoder, struct str bytes,
                                 uint32_t count_max, const struct parquet_page_memory *memory,
                                 struct err *err)
{
    const uint32_t *prefixes;
    const uint32_t *suffixes;
    uint32_t count;
    uint32_t suffix_count;
    TRY(read_sizes(&bytes, count_max, &count, &prefixes, memory, err));
    TRY(read_sizes(&bytes, count_max, &suffix_count, &suffixes, memory, err));
    uint64_t total = 0;
    for (uint32_t i = 0; i < count && count == suffix_count; i++) {
        total += (uint64_t)prefixes[i] + suffixes[i];
    }
    uint32_t *sizes =
        (uint32_t *)(void *)memory->take(memory->owner, ((size_t)count + 1) * sizeof *sizes);
    char *joined = total <= memory->bytes_max ? memory->take(memory->owner, total) : NULL;
    if (sizes == NULL || joined == NULL) {
        return no_memory(err);
    }
    decoder->encoding = PARQUET_DELTA_LENGTH_BYTE_ARRAY;
    decoder->at = (const uint8_t *)joined;
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (count != suffix_count || prefixes[i] > before || suffixes[i] > bytes.size) {
            return ERR(err, STATUS_INVALID_DATA, "prefix-encoded values are damaged");
        }
        if (prefixes[i] > 0) {
            memcpy(joined, joined - before, prefixes[i]);
        }
        if (suffixes[i] > 0) {
            memcpy(joined + prefixes[i], bytes.ptr, suffixes[i]);
        }
        bytes = str_slice(bytes, suffixes[i], bytes.size);
        before = sizes[i] = prefixes[i] + suffixes[i];
        joined += before;
    }
    decoder->end = (const uint8_t *)joined;
    decoder->sizes = sizes;
    decoder->sizes_left = count;
    return STATUS_OK;
}

static enum status begin_codes(struct parquet_decoder *decoder, struct str bytes, struct err *err)
{
    if (bytes.size == 0) { // of a page without values
        parquet_rle_init(&decoder->rle, bytes, 0);
        return STATUS_OK;
    }
    uint8_t width = (uint8_t)bytes.ptr[0];
    if (width > 32) {
        return ERR(err, STATUS_INVALID_DATA, "dictionary codes of %u bits cannot be", width);
    }
    parquet_rle_init(&decoder->rle, str_slice(bytes, 1, bytes.size), width);
    return STATUS_OK;
}

static enum status begin_rle(struct parquet_decoder *decoder, struct str bytes, struct err *err)
{
    uint32_t size = 0;
    if (bytes.size >= 4) {
        memcpy(&size, bytes.ptr, 4);
    }
    if (bytes.size < 4 || size > bytes.size - 4) {
        return ERR(err, STATUS_INVALID_DATA, "run-length encoded booleans are damaged");
    }
    parquet_rle_init(&decoder->rle, str_make(bytes.ptr + 4, size), 1);
    return STATUS_OK;
}

static bool goes_with(enum parquet_physical physical, int32_t encoding)
{
    bool is_int = physical == PARQUET_INT32 || physical == PARQUET_INT64;
    bool is_bytes = physical == PARQUET_BYTE_ARRAY || physical == PARQUET_FIXED;
    switch (encoding) {
    case PARQUET_PLAIN:
    case PARQUET_PLAIN_DICTIONARY:
    case PARQUET_RLE_DICTIONARY: return true;
    case PARQUET_RLE: return physical == PARQUET_BOOLEAN;
    case PARQUET_DELTA_BINARY_PACKED: return is_int;
    case PARQUET_DELTA_LENGTH_BYTE_ARRAY: return physical == PARQUET_BYTE_ARRAY;
    case PARQUET_DELTA_BYTE_ARRAY: return is_bytes;
    case PARQUET_BYTE_STREAM_SPLIT:
        return is_int || physical == PARQUET_FLOAT || physical == PARQUET_DOUBLE ||
               physical == PARQUET_FIXED;
    default: return false;
    }
}

enum status parquet_decode_begin(struct parquet_decoder *decoder,
                                 const struct parquet_element *element, int32_t encoding,
                                 struct str bytes, uint32_t count,
                                 const struct parquet_page_memory *memory, struct err *err)
{
    if (!goes_with(element->physical, encoding)) {
        return ERR(err, STATUS_UNSUPPORTED, "encoding %d does not go with its type", encoding);
    }
    const uint8_t *start = (const uint8_t *)bytes.ptr;
    *decoder = (struct parquet_decoder){.encoding = (enum parquet_encoding)encoding,
                                        .physical = element->physical,
                                        .length = (uint32_t)element->length,
                                        .at = start,
                                        .end = start + bytes.size};
    switch (encoding) {
    case PARQUET_PLAIN_DICTIONARY:
    case PARQUET_RLE_DICTIONARY:
        decoder->encoding = PARQUET_RLE_DICTIONARY;
        return begin_codes(decoder, bytes, err);
    case PARQUET_RLE: return begin_rle(decoder, bytes, err);
    case PARQUET_DELTA_BINARY_PACKED:
        return bytes.size == 0 ? STATUS_OK
                               : parquet_delta_begin(&decoder->delta, bytes, count, memory, err);
    case PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        if (bytes.size > 0) {
            TRY(read_sizes(&bytes, count, &decoder->sizes_left, &decoder->sizes, memory, err));
            decoder->at = (const uint8_t *)bytes.ptr;
        }
        return STATUS_OK;
    case PARQUET_DELTA_BYTE_ARRAY:
        if (bytes.size == 0) {
            decoder->encoding = PARQUET_DELTA_LENGTH_BYTE_ARRAY;
            return STATUS_OK;
        }
        return join_prefixes(decoder, bytes, count, memory, err);
    case PARQUET_BYTE_STREAM_SPLIT: return unsplit(decoder, element, bytes, memory, err);
    default: return STATUS_OK;
    }
}

// ---- views ----

// A view of bytes that are known to have at least 12 readable behind `ptr`: no copy of variable
// length.
static inline void make_view(struct strview *out, const uint8_t *ptr, uint32_t size)
{
    static const uint32_t heads[] = {0, 0xff, 0xffff, 0xffffff, 0xffffffff};
    uint32_t head;
    memcpy(&head, ptr, 4);
    if (size > STRVIEW_INLINE_MAX) {
        out->size = size;
        memcpy(out->prefix, &head, 4);
        out->as.ptr = (const char *)ptr;
        return;
    }
    uint64_t rest;
    memcpy(&rest, ptr + 4, 8);
    uint32_t behind = size > 4 ? size - 4 : 0;
    head &= heads[size < 4 ? size : 4];
    rest &= behind == 0 ? 0 : UINT64_MAX >> (64 - 8 * behind);
    out->size = size;
    memcpy(out->prefix, &head, 4);
    memcpy(out->as.rest, &rest, 8);
}

static void make_view_checked(struct strview *out, const uint8_t *ptr, uint32_t size,
                              const uint8_t *end)
{
    if (end - ptr >= STRVIEW_INLINE_MAX) {
        make_view(out, ptr, size);
    } else {
        *out = strview_make((const char *)ptr, size);
    }
}

static enum status plain_views(struct parquet_decoder *decoder, struct strview *out, uint32_t count,
                               struct err *err)
{
    const uint8_t *at = decoder->at;
    const uint8_t *end = decoder->end;
    uint32_t i = 0;
    for (; i < count && end - at >= 4 + STRVIEW_INLINE_MAX; i++) {
        uint32_t size;
        memcpy(&size, at, 4);
        if (size > (size_t)(end - at) - 4) {
            return too_few(err);
        }
        make_view(&out[i], at + 4, size);
        at += 4 + (size_t)size;
    }
    for (; i < count; i++) {
        uint32_t size;
        if (end - at < 4) {
            return too_few(err);
        }
        memcpy(&size, at, 4);
        if (size > (size_t)(end - at) - 4) {
            return too_few(err);
        }
        out[i] = strview_make((const char *)at + 4, size);
        at += 4 + (size_t)size;
    }
    decoder->at = at;
    return STATUS_OK;
}

static enum status skip_plain_views(struct parquet_decoder *decoder, uint32_t count,
                                    struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size;
        if (decoder->end - decoder->at < 4) {
            return too_few(err);
        }
        memcpy(&size, decoder->at, 4);
        if (size > (size_t)(decoder->end - decoder->at) - 4) {
            return too_few(err);
        }
        decoder->at += 4 + (size_t)size;
    }
    return STATUS_OK;
}

// Values whose sizes stand apart. `out` NULL: only passed over.
static enum status sized_views(struct parquet_decoder *decoder, struct strview *out, uint32_t count,
                               struct err *err)
{
    if (count > decoder->sizes_left) {
        return too_few(err);
    }
    const uint8_t *at = decoder->at;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = decoder->sizes[i];
        if (size > (size_t)(decoder->end - at)) {
            return too_few(err);
        }
        if (decoder->physical == PARQUET_FIXED && size != decoder->length) {
            return ERR(err, STATUS_INVALID_DATA, "a value of fixed length has another length");
        }
        if (out != NULL) {
            make_view_checked(&out[i], at, size, decoder->end);
        }
        at += size;
    }
    decoder->at = at;
    decoder->sizes += count;
    decoder->sizes_left -= count;
    return STATUS_OK;
}

// ---- plain ----

static enum status plain_bools(struct parquet_decoder *decoder, uint8_t *out, uint32_t count,
                               struct err *err)
{
    uint64_t bits = (uint64_t)(decoder->end - decoder->at) * 8;
    if ((uint64_t)decoder->bit + count > bits) {
        return too_few(err);
    }
    for (uint32_t i = 0; out != NULL && i < count; i++) {
        uint32_t bit = decoder->bit + i;
        out[i] = decoder->at[bit / 8] >> (bit % 8) & 1;
    }
    decoder->bit += count;
    return STATUS_OK;
}

static enum status plain(struct parquet_decoder *decoder, void *out, uint32_t count,
                         struct err *err)
{
    if (decoder->physical == PARQUET_BOOLEAN) {
        return plain_bools(decoder, out, count, err);
    }
    if (decoder->physical == PARQUET_BYTE_ARRAY) {
        return plain_views(decoder, out, count, err);
    }
    bool fixed = decoder->physical == PARQUET_FIXED;
    size_t width = fixed ? decoder->length : parquet_decode_width(decoder->physical);
    if (count > (size_t)(decoder->end - decoder->at) / width) {
        return too_few(err);
    }
    if (fixed) {
        struct strview *views = out;
        for (uint32_t i = 0; i < count; i++) {
            make_view_checked(&views[i], decoder->at + i * width, (uint32_t)width, decoder->end);
        }
    } else if (count > 0) {
        memcpy(out, decoder->at, count * width);
    }
    decoder->at += count * width;
    return STATUS_OK;
}

enum status parquet_decode_values(struct parquet_decoder *decoder, void *out, uint32_t count,
                                  struct err *err)
{
    if (count == 0) {
        return STATUS_OK;
    }
    switch (decoder->encoding) {
    case PARQUET_PLAIN: return plain(decoder, out, count, err);
    case PARQUET_RLE:
        return parquet_rle_decode_u8(&decoder->rle, out, count) ? STATUS_OK : too_few(err);
    case PARQUET_DELTA_BINARY_PACKED:
        return parquet_delta_values(&decoder->delta, out, decoder->physical == PARQUET_INT64, count,
                                    err);
    case PARQUET_DELTA_LENGTH_BYTE_ARRAY: return sized_views(decoder, out, count, err);
    case PARQUET_PLAIN_DICTIONARY:
    case PARQUET_BIT_PACKED:
    case PARQUET_DELTA_BYTE_ARRAY:
    case PARQUET_RLE_DICTIONARY:
    case PARQUET_BYTE_STREAM_SPLIT: break;
    }
    UNREACHABLE("codes are read as codes");
}

static enum status skip_plain(struct parquet_decoder *decoder, uint32_t count, struct err *err)
{
    if (decoder->physical == PARQUET_BOOLEAN) {
        return plain_bools(decoder, NULL, count, err);
    }
    if (decoder->physical == PARQUET_BYTE_ARRAY) {
        return skip_plain_views(decoder, count, err);
    }
    size_t width = decoder->physical == PARQUET_FIXED ? decoder->length
                                                      : parquet_decode_width(decoder->physical);
    if (count > (size_t)(decoder->end - decoder->at) / width) {
        return too_few(err);
    }
    decoder->at += count * width;
    return STATUS_OK;
}

enum status parquet_decode_skip(struct parquet_decoder *decoder, uint32_t count, struct err *err)
{
    if (count == 0) {
        return STATUS_OK;
    }
    switch (decoder->encoding) {
    case PARQUET_PLAIN: return skip_plain(decoder, count, err);
    case PARQUET_RLE:
    case PARQUET_RLE_DICTIONARY:
        return parquet_rle_skip(&decoder->rle, count) ? STATUS_OK : too_few(err);
    case PARQUET_DELTA_LENGTH_BYTE_ARRAY: return sized_views(decoder, NULL, count, err);
    case PARQUET_DELTA_BINARY_PACKED: {
        uint64_t passed[128];
        while (count > 0) {
            uint32_t take = count < 128 ? count : 128;
            TRY(parquet_delta_values(&decoder->delta, passed, true, take, err));
            count -= take;
        }
        return STATUS_OK;
    }
    case PARQUET_PLAIN_DICTIONARY:
    case PARQUET_BIT_PACKED:
    case PARQUET_DELTA_BYTE_ARRAY:
    case PARQUET_BYTE_STREAM_SPLIT: break;
    }
    UNREACHABLE("an encoding that does not stay");
}

// ---- picking ----

bool parquet_decode_can_pick(const struct parquet_decoder *decoder)
{
    return decoder->encoding == PARQUET_PLAIN && decoder->physical != PARQUET_BOOLEAN;
}

static enum status pick_views(struct parquet_decoder *decoder, const uint16_t *places,
                              uint32_t place_count, struct strview *out, uint32_t count,
                              struct err *err)
{
    const uint8_t *at = decoder->at;
    const uint8_t *end = decoder->end;
    uint32_t picked = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size;
        if (end - at < 4) {
            return too_few(err);
        }
        memcpy(&size, at, 4);
        at += 4;
        if (size > (size_t)(end - at)) {
            return too_few(err);
        }
        if (picked < place_count && places[picked] == i) {
            make_view_checked(&out[picked++], at, size, end);
        }
        at += size;
    }
    decoder->at = at;
    return STATUS_OK;
}

#define PICK(c_type)                                                                               \
    do {                                                                                           \
        c_type *to = out;                                                                          \
        for (uint32_t i = 0; i < place_count; i++) {                                               \
            memcpy(&to[i], at + (size_t)places[i] * sizeof(c_type), sizeof(c_type));               \
        }                                                                                          \
    } while (0)

enum status parquet_decode_pick(struct parquet_decoder *decoder, const uint16_t *places,
                                uint32_t place_count, void *out, uint32_t count, struct err *err)
{
    const uint8_t *at = decoder->at;
    uint32_t width = parquet_decode_width(decoder->physical);
    if (decoder->physical == PARQUET_BYTE_ARRAY) {
        return pick_views(decoder, places, place_count, out, count, err);
    }
    TRY(skip_plain(decoder, count, err));
    if (decoder->physical == PARQUET_FIXED) {
        struct strview *views = out;
        for (uint32_t i = 0; i < place_count; i++) {
            make_view_checked(&views[i], at + (size_t)places[i] * decoder->length, decoder->length,
                              decoder->end);
        }
    } else if (width == 4) {
        PICK(uint32_t);
    } else if (width == 8) {
        PICK(uint64_t);
    } else {
        char *to = out;
        for (uint32_t i = 0; i < place_count; i++) {
            memcpy(to + (size_t)i * width, at + (size_t)places[i] * width, width);
        }
    }
    return STATUS_OK;
}

// ---- codes ----

static enum status bad_code(struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "a code is not in the dictionary");
}

enum status parquet_decode_codes16(struct parquet_decoder *decoder, uint16_t *out, uint32_t count,
                                   uint32_t entries, struct err *err)
{
    if (decoder->rle.width > 16) { // wider than need be: the codes themselves may still fit
        uint32_t wide[256];
        for (uint32_t at = 0; at < count; at += 256) {
            uint32_t take = count - at < 256 ? count - at : 256;
            TRY(parquet_decode_codes32(decoder, wide, take, entries, err));
            for (uint32_t i = 0; i < take; i++) {
                out[at + i] = (uint16_t)wide[i];
            }
        }
        return STATUS_OK;
    }
    if (!parquet_rle_decode_u16(&decoder->rle, out, count)) {
        return too_few(err);
    }
    uint16_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        largest = out[i] > largest ? out[i] : largest;
    }
    return count > 0 && largest >= entries ? bad_code(err) : STATUS_OK;
}

enum status parquet_decode_codes32(struct parquet_decoder *decoder, uint32_t *out, uint32_t count,
                                   uint32_t entries, struct err *err)
{
    if (!parquet_rle_decode_u32(&decoder->rle, out, count)) {
        return too_few(err);
    }
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++) {
        largest = out[i] > largest ? out[i] : largest;
    }
    return count > 0 && largest >= entries ? bad_code(err) : STATUS_OK;
}

enum status parquet_decode_pick_codes(struct parquet_decoder *decoder, const uint16_t *places,
                                      uint32_t place_count, uint32_t *out, uint32_t count,
                                      uint32_t entries, struct err *err)
{
    if (!parquet_rle_pick(&decoder->rle, places, place_count, out, count)) {
        return too_few(err);
    }
    uint32_t largest = 0;
    for (uint32_t i = 0; i < place_count; i++) {
        largest = out[i] > largest ? out[i] : largest;
    }
    return place_count > 0 && largest >= entries ? bad_code(err) : STATUS_OK;
}
