// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_stats.h"

#include <math.h>

#include "base/assert.h"
#include "codec/parquet_writer.h"

enum parquet_order parquet_stats_order(const struct parquet_node *leaf)
{
    switch (leaf->element->physical) {
    case PARQUET_BOOLEAN:
    case PARQUET_INT32:
    case PARQUET_INT64: return PARQUET_ORDER_INT;
    case PARQUET_FLOAT:
    case PARQUET_DOUBLE: return PARQUET_ORDER_FLOAT;
    case PARQUET_FIXED:
    case PARQUET_BYTE_ARRAY:
        return leaf->element->logical == PARQUET_LOGICAL_DECIMAL ? PARQUET_ORDER_WIDE
                                                                 : PARQUET_ORDER_BYTES;
    case PARQUET_INT96:
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("no leaf of ours");
}

void parquet_stats_reset(struct parquet_range *range)
{
    range->has = false;
    range->lower_cut = false;
    range->upper_cut = false;
    range->lower_bytes.size = 0;
    range->upper_bytes.size = 0;
}

void parquet_stats_release(struct parquet_range *range)
{
    bytebuf_release(&range->lower_bytes);
    bytebuf_release(&range->upper_bytes);
    parquet_stats_reset(range);
}

size_t parquet_stats_memory(const struct parquet_range *range)
{
    return range->lower_bytes.capacity + range->upper_bytes.capacity;
}

static void widen_int(struct parquet_range *range, int64_t lower, int64_t upper)
{
    range->lower.i = !range->has || lower < range->lower.i ? lower : range->lower.i;
    range->upper.i = !range->has || upper > range->upper.i ? upper : range->upper.i;
    range->has = true;
}

static void widen_wide(struct parquet_range *range, int128 lower, int128 upper)
{
    range->lower.d = !range->has || lower < range->lower.d ? lower : range->lower.d;
    range->upper.d = !range->has || upper > range->upper.d ? upper : range->upper.d;
    range->has = true;
}

static void widen_float(struct parquet_range *range, double lower, double upper)
{
    range->lower.f = !range->has || lower < range->lower.f ? lower : range->lower.f;
    range->upper.f = !range->has || upper > range->upper.f ? upper : range->upper.f;
    range->has = true;
}

void parquet_stats_bool(struct parquet_range *range, const uint8_t *values, uint32_t count)
{
    uint8_t any = 0;
    uint8_t all = 1;
    for (uint32_t i = 0; i < count; i++) {
        any |= values[i];
        all &= values[i];
    }
    if (count > 0) {
        widen_int(range, all, any);
    }
}

void parquet_stats_i32(struct parquet_range *range, const int32_t *values, uint32_t count)
{
    int32_t lower = INT32_MAX;
    int32_t upper = INT32_MIN;
    for (uint32_t i = 0; i < count; i++) {
        lower = values[i] < lower ? values[i] : lower;
        upper = values[i] > upper ? values[i] : upper;
    }
    if (count > 0) {
        widen_int(range, lower, upper);
    }
}

void parquet_stats_i64(struct parquet_range *range, const int64_t *values, uint32_t count)
{
    int64_t lower = INT64_MAX;
    int64_t upper = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        lower = values[i] < lower ? values[i] : lower;
        upper = values[i] > upper ? values[i] : upper;
    }
    if (count > 0) {
        widen_int(range, lower, upper);
    }
}

void parquet_stats_i128(struct parquet_range *range, const int128 *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        widen_wide(range, values[i], values[i]);
    }
}

// A comparison with NaN is false, so NaNs change neither bound. All NaN: the bounds stay crossed.
uint32_t parquet_stats_f32(struct parquet_range *range, const float *values, uint32_t count)
{
    float lower = INFINITY;
    float upper = -INFINITY;
    uint32_t nans = 0;
    for (uint32_t i = 0; i < count; i++) {
        lower = values[i] < lower ? values[i] : lower;
        upper = values[i] > upper ? values[i] : upper;
        nans += values[i] != values[i];
    }
    if (nans < count) {
        widen_float(range, (double)lower, (double)upper);
    }
    return nans;
}

uint32_t parquet_stats_f64(struct parquet_range *range, const double *values, uint32_t count)
{
    double lower = (double)INFINITY;
    double upper = -(double)INFINITY;
    uint32_t nans = 0;
    for (uint32_t i = 0; i < count; i++) {
        lower = values[i] < lower ? values[i] : lower;
        upper = values[i] > upper ? values[i] : upper;
        nans += values[i] != values[i];
    }
    if (nans < count) {
        widen_float(range, lower, upper);
    }
    return nans;
}

// ---- strings ----

static void keep(struct bytebuf *bytes, bool *cut, struct str value)
{
    *cut = value.size > PARQUET_BOUND_BYTES_MAX;
    bytes->size = 0;
    bytebuf_add(bytes, value.ptr, *cut ? PARQUET_BOUND_BYTES_MAX : value.size);
}

// A kept prefix stands for all values that begin with it: as a lower bound it is one as it is, and
// the upper bound is raised when it is written.
void parquet_stats_bytes(struct parquet_range *range, struct str value)
{
    struct str head = str_slice(
        value, 0, value.size < PARQUET_BOUND_BYTES_MAX ? value.size : PARQUET_BOUND_BYTES_MAX);
    if (!range->has || str_compare(head, bytebuf_str(&range->lower_bytes)) < 0) {
        keep(&range->lower_bytes, &range->lower_cut, value);
    }
    int above = range->has ? str_compare(head, bytebuf_str(&range->upper_bytes)) : 1;
    if (above > 0) {
        keep(&range->upper_bytes, &range->upper_cut, value);
    } else if (above == 0 && value.size > PARQUET_BOUND_BYTES_MAX) {
        range->upper_cut = true;
    }
    range->has = true;
}

static uint32_t head_number(struct str bytes)
{
    uint8_t head[4] = {0};
    if (bytes.size > 0) { // else its pointer may be NULL
        memcpy(head, bytes.ptr, bytes.size < 4 ? bytes.size : 4);
    }
    uint32_t number;
    memcpy(&number, head, 4);
    return __builtin_bswap32(number);
}

void parquet_stats_views(struct parquet_range *range, const struct strview *views, uint32_t count)
{
    uint32_t i = 0;
    if (!range->has && count > 0) {
        parquet_stats_bytes(range, strview_str(&views[i++]));
    }
    // Most values are told apart from both bounds by their first four bytes.
    while (i < count) {
        uint32_t lower = head_number(bytebuf_str(&range->lower_bytes));
        uint32_t upper = head_number(bytebuf_str(&range->upper_bytes));
        for (; i < count; i++) {
            uint32_t number;
            memcpy(&number, views[i].prefix, 4);
            number = __builtin_bswap32(number);
            if (number <= lower || number >= upper) {
                break;
            }
        }
        if (i < count) {
            parquet_stats_bytes(range, strview_str(&views[i++]));
        }
    }
}

void parquet_stats_merge(struct parquet_range *into, const struct parquet_range *from,
                         enum parquet_order order)
{
    if (!from->has) {
        return;
    }
    switch (order) {
    case PARQUET_ORDER_INT: widen_int(into, from->lower.i, from->upper.i); return;
    case PARQUET_ORDER_FLOAT: widen_float(into, from->lower.f, from->upper.f); return;
    case PARQUET_ORDER_WIDE: widen_wide(into, from->lower.d, from->upper.d); return;
    case PARQUET_ORDER_BYTES: break;
    }
    struct str lower = bytebuf_str(&from->lower_bytes);
    struct str upper = bytebuf_str(&from->upper_bytes);
    if (!into->has || str_compare(lower, bytebuf_str(&into->lower_bytes)) < 0) {
        keep(&into->lower_bytes, &into->lower_cut, lower);
        into->lower_cut = from->lower_cut;
    }
    int above = into->has ? str_compare(upper, bytebuf_str(&into->upper_bytes)) : 1;
    if (above > 0) {
        keep(&into->upper_bytes, &into->upper_cut, upper);
        into->upper_cut = from->upper_cut;
    } else if (above == 0) {
        into->upper_cut |= from->upper_cut;
    }
    into->has = true;
}

// ---- cutting ----

size_t parquet_stats_cut(const char *bytes, size_t size, size_t limit, bool is_text)
{
    if (size <= limit) {
        return size;
    }
    size_t at = limit;
    for (uint32_t back = 0; is_text && back < 4 && at > 0; back++, at--) {
        if (((uint8_t)bytes[at] & 0xc0) != 0x80) { // a code point begins here
            return at;
        }
    }
    return limit;
}

static uint32_t decode_last(const char *bytes, size_t size, size_t *start)
{
    size_t at = size - 1;
    while (at > 0 && size - at < 4 && ((uint8_t)bytes[at] & 0xc0) == 0x80) {
        at--;
    }
    static const uint8_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = (uint8_t)bytes[at] & masks[size - at];
    for (size_t i = at + 1; i < size; i++) {
        point = point << 6 | ((uint8_t)bytes[i] & 0x3f);
    }
    *start = at;
    return point;
}

static size_t encode_point(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    uint32_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    for (uint32_t i = more; i > 0; i--) {
        out[i] = (char)(uint8_t)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    out[0] = (char)(uint8_t)(heads[more] | point);
    return more + 1;
}

bool parquet_stats_raise(char *bytes, size_t *size, bool is_text)
{
    while (*size > 0) {
        size_t start = *size - 1;
        if (!is_text) {
            if ((uint8_t)bytes[start] != 0xff) {
                bytes[start] = (char)(uint8_t)((uint8_t)bytes[start] + 1);
                return true;
            }
        } else {
            uint32_t point = decode_last(bytes, *size, &start);
            uint32_t next = point == 0xd7ff ? 0xe000 : point + 1; // no surrogates
            uint32_t length = next < 0x80 ? 1 : next < 0x800 ? 2 : next < 0x10000 ? 3 : 4;
            if (point < 0x10ffff &&
                length <= *size - start) { // a longer one would not fit the limit
                *size = start + encode_point(bytes + start, next);
                return true;
            }
        }
        *size = start;
    }
    return false;
}

// ---- writing ----

// A decimal as `size` bytes, most significant first.
static void put_wide(struct bytebuf *out, int128 value, uint32_t size)
{
    char *bytes = bytebuf_reserve(out, size);
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = (char)(uint8_t)(value >> (8 * (size - 1 - i)));
    }
    out->size += size;
}

static uint32_t put_scalar(struct bytebuf *out, const struct parquet_node *leaf,
                           const union parquet_scalar *value, bool is_upper)
{
    size_t before = out->size;
    double f = value->f == 0 ? (is_upper ? 0.0 : -0.0) : value->f;
    float narrow = (float)f;
    switch (leaf->element->physical) {
    case PARQUET_BOOLEAN: bytebuf_add_byte(out, (uint8_t)value->i); break;
    case PARQUET_INT32: bytebuf_add_u32(out, (uint32_t)value->i); break;
    case PARQUET_INT64: bytebuf_add_u64(out, (uint64_t)value->i); break;
    case PARQUET_FLOAT: bytebuf_add(out, &narrow, sizeof narrow); break;
    case PARQUET_DOUBLE: bytebuf_add(out, &f, sizeof f); break;
    case PARQUET_FIXED: put_wide(out, value->d, (uint32_t)leaf->element->length); break;
    case PARQUET_INT96:
    case PARQUET_BYTE_ARRAY:
    case PARQUET_GROUP: UNREACHABLE("no scalar");
    }
    return (uint32_t)(out->size - before);
}

static void put_bytes(const struct parquet_range *range, bool is_text, uint32_t limit,
                      struct bytebuf *out, struct parquet_bounds *bounds)
{
    struct str lower = bytebuf_str(&range->lower_bytes);
    struct str upper = bytebuf_str(&range->upper_bytes);
    size_t lower_size = parquet_stats_cut(lower.ptr, lower.size, limit, is_text);
    size_t upper_size = parquet_stats_cut(upper.ptr, upper.size, limit, is_text);
    bounds->has_lower = true;
    bounds->lower_exact = lower_size == lower.size && !range->lower_cut;
    bounds->lower_size = (uint32_t)lower_size;
    bytebuf_add(out, lower.ptr, lower_size);
    bounds->has_upper = true;
    bounds->upper_exact = upper_size == upper.size && !range->upper_cut;
    size_t start = out->size;
    bytebuf_add(out, upper.ptr, upper_size);
    if (!bounds->upper_exact) {
        // A prefix kept by bytes may end within a character.
        upper_size = parquet_stats_cut(upper.ptr, upper_size,
                                       upper_size == limit ? limit : upper_size, is_text);
        bounds->has_upper = parquet_stats_raise(out->ptr + start, &upper_size, is_text);
    }
    bounds->upper_size = bounds->has_upper ? (uint32_t)upper_size : 0;
    out->size = start + bounds->upper_size;
}

struct parquet_bounds parquet_stats_put(const struct parquet_range *range,
                                        const struct parquet_node *leaf, uint32_t limit,
                                        struct bytebuf *out)
{
    struct parquet_bounds bounds = {0};
    if (!range->has) {
        return bounds;
    }
    if (parquet_stats_order(leaf) == PARQUET_ORDER_BYTES) {
        put_bytes(range, leaf->element->logical == PARQUET_LOGICAL_STRING, limit, out, &bounds);
        return bounds;
    }
    bounds = (struct parquet_bounds){
        .has_lower = true, .has_upper = true, .lower_exact = true, .upper_exact = true};
    bounds.lower_size = put_scalar(out, leaf, &range->lower, false);
    bounds.upper_size = put_scalar(out, leaf, &range->upper, true);
    return bounds;
}
