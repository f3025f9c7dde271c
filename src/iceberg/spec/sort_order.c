// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/sort_order.h"

#include "base/arena.h"
#include "base/strbuf.h"
#include "codec/json_tree.h"
#include "iceberg/spec/json_need.h"

static enum status parse_field(const struct json_tree *json, struct sort_field *out,
                               struct err *err)
{
    struct str transform;
    struct str direction;
    struct str nulls;
    const struct json_tree *sources;
    int64_t source;
    TRY(json_need_str(json, "transform", &transform, err));
    TRY(json_need_str(json, "direction", &direction, err));
    TRY(json_need_str(json, "null-order", &nulls, err));
    TRY(json_need_array_or(json, "source-ids", &sources, err));
    if (sources != NULL && sources->count > 0 && json_tree_int(&sources->items[0], &source) &&
        source >= 0 && source <= INT32_MAX) {
        out->source_ids = sources;
        out->source_id = (int32_t)source;
    } else {
        TRY(json_need_i32(json, "source-id", &out->source_id, err));
    }
    out->transform = transform_parse(transform);
    out->descending = str_is_nocase(direction, "desc");
    out->nulls_last = str_is_nocase(nulls, "nulls-last");
    return STATUS_OK;
}

enum status sort_order_parse(struct arena *arena, const struct json_tree *json,
                             const struct sort_order **out, struct err *err)
{
    const struct json_tree *fields;
    struct sort_order *order = arena_new(arena, struct sort_order);
    TRY(json_need_i32(json, "order-id", &order->order_id, err));
    TRY(json_need_array(json, "fields", &fields, err));
    struct sort_field *parsed = arena_new_array(arena, struct sort_field, fields->count);
    for (uint32_t i = 0; i < fields->count; i++) {
        TRY(parse_field(&fields->items[i], &parsed[i], err));
    }
    order->field_count = fields->count;
    order->fields = parsed;
    *out = order;
    return STATUS_OK;
}

void sort_order_print(struct strbuf *out, const struct sort_order *order)
{
    strbuf_printf(out, "{\"order-id\":%d,\"fields\":[", order->order_id);
    for (uint32_t i = 0; i < order->field_count; i++) {
        const struct sort_field *field = &order->fields[i];
        strbuf_printf(out, "%s{\"transform\":", i > 0 ? "," : "");
        transform_print_json(out, &field->transform);
        if (field->source_ids != NULL) {
            strbuf_add_text(out, ",\"source-ids\":");
            json_tree_print(out, field->source_ids);
        } else {
            strbuf_printf(out, ",\"source-id\":%d", field->source_id);
        }
        strbuf_printf(out, ",\"direction\":\"%s\",\"null-order\":\"%s\"}",
                      field->descending ? "desc" : "asc",
                      field->nulls_last ? "nulls-last" : "nulls-first");
    }
    strbuf_add_text(out, "]}");
}
