// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_metrics.h"

#include "base/assert.h"

static int128 wide_number(struct str bytes)
{
    uint128 value = bytes.size > 0 && (bytes.ptr[0] & 0x80) != 0 ? ~(uint128)0 : 0;
    for (size_t i = 0; i < bytes.size; i++) {
        value = value << 8 | (uint8_t)bytes.ptr[i];
    }
    return (int128)value;
}

#define COMPARE_AS(c_type)                                                                         \
    do {                                                                                           \
        c_type a;                                                                                  \
        c_type b;                                                                                  \
        memcpy(&a, left.ptr, sizeof a);                                                            \
        memcpy(&b, right.ptr, sizeof b);                                                           \
        return (a > b) - (a < b);                                                                  \
    } while (0)

int parquet_metrics_compare(const struct parquet_node *leaf, struct str left, struct str right)
{
    switch (leaf->element->physical) {
    case PARQUET_BOOLEAN: COMPARE_AS(uint8_t);
    case PARQUET_INT32: COMPARE_AS(int32_t);
    case PARQUET_INT64: COMPARE_AS(int64_t);
    case PARQUET_FLOAT: COMPARE_AS(float);
    case PARQUET_DOUBLE: COMPARE_AS(double);
    case PARQUET_FIXED:
    case PARQUET_BYTE_ARRAY:
        if (parquet_stats_order(leaf) == PARQUET_ORDER_WIDE) {
            int128 a = wide_number(left);
            int128 b = wide_number(right);
            return (a > b) - (a < b);
        }
        return str_compare(left, right);
    case PARQUET_INT96:
    case PARQUET_GROUP: break;
    }
    UNREACHABLE("no leaf of ours");
}

static struct nano split_nanos(int64_t nanos)
{
    int64_t rest = nanos % 1000000000;
    bool below = rest < 0;
    return (struct nano){nanos / 1000000000 - below, rest + (below ? 1000000000 : 0)};
}

// A bound as a value of the leaf's physical form.
static const void *bound_value(struct parquet_writer *writer, const struct parquet_node *leaf,
                               const union parquet_scalar *value, bool is_upper)
{
    struct arena *arena = &writer->result_arena;
    void *out = arena_zalloc(arena, 16);
    double f = value->f == 0 ? (is_upper ? 0.0 : -0.0) : value->f;
    float narrow = (float)f;
    int64_t i = leaf->physical == PHYSICAL_I32 && leaf->type->kind == TYPE_TIME ? value->i / 1000
                                                                                : value->i;
    struct nano nano = split_nanos(i);
    switch (leaf->physical) { // little-endian: the low bytes of an integer are the narrow one
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I32:
    case PHYSICAL_I64: memcpy(out, &i, 8); return out;
    case PHYSICAL_I128: memcpy(out, &value->d, 16); return out;
    case PHYSICAL_F32: memcpy(out, &narrow, sizeof narrow); return out;
    case PHYSICAL_F64: memcpy(out, &f, sizeof f); return out;
    case PHYSICAL_NANO: memcpy(out, &nano, sizeof nano); return out;
    case PHYSICAL_STRING:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: break;
    }
    UNREACHABLE("no scalar");
}

static const void *view_of(struct arena *arena, struct str bytes)
{
    struct str copy = arena_str(arena, bytes);
    struct strview *view = arena_new(arena, struct strview);
    *view = strview_make(copy.ptr, copy.size);
    return view;
}

static void string_bounds(struct parquet_writer *writer, const struct parquet_node *leaf,
                          const struct parquet_range *range, struct parquet_leaf_metrics *out)
{
    struct bytebuf bytes = {0};
    struct parquet_bounds bounds = parquet_stats_put(range, leaf, PARQUET_BOUND_BYTES_MAX, &bytes);
    out->lower = view_of(&writer->result_arena, str_make(bytes.ptr, bounds.lower_size));
    if (bounds.has_upper) {
        out->upper = view_of(&writer->result_arena,
                             str_make(bytes.ptr + bounds.lower_size, bounds.upper_size));
    }
    out->lower_exact = bounds.lower_exact;
    out->upper_exact = bounds.upper_exact;
    bytebuf_release(&bytes);
}

void parquet_metrics_leaf(struct parquet_writer *writer, uint32_t leaf,
                          struct parquet_leaf_metrics *out)
{
    const struct parquet_node *node = writer->tree.leaves[leaf];
    enum parquet_order order = parquet_stats_order(node);
    struct parquet_range range = {0};
    *out = (struct parquet_leaf_metrics){.id = node->id,
                                         .type = node->type,
                                         .below_list = node->rep_level > 0,
                                         .is_variant = node->variant_id > 0,
                                         .is_unknown = writer->leaves[leaf].without_statistics};
    out->id = out->is_variant ? node->variant_id : node->id;
    if (out->is_unknown) {
        return;
    }
    for (uint32_t i = 0; i < writer->groups.count; i++) {
        const struct parquet_chunk *chunk = &writer->groups.items[i].chunks[leaf];
        parquet_stats_merge(&range, &chunk->range, order);
        out->value_count += chunk->slots;
        out->null_count += chunk->nulls;
        out->nan_count += chunk->nans;
    }
    range.has = range.has && node->element->geo == PARQUET_GEO_NONE && !out->is_variant;
    if (range.has && order == PARQUET_ORDER_BYTES) {
        string_bounds(writer, node, &range, out);
    } else if (range.has) {
        out->lower = bound_value(writer, node, &range.lower, false);
        out->upper = bound_value(writer, node, &range.upper, true);
        out->lower_exact = out->upper_exact = true;
    }
    parquet_stats_release(&range);
}
