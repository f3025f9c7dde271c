// SPDX-License-Identifier: Apache-2.0
#include "exec/window_assign.h"

#include "base/assert.h"
#include "data/type.h"
#include "exec/op.h"
#include "expr/expr.h"

enum { SECOND_US = 1000000, LAST_US = 1000 }; // a window's last moment is its end - 1 ms
static const int64_t hour_us = 3600LL * SECOND_US;

void window_assigner_init(struct window_assigner *assigner, const struct plan_window_spec *spec,
                          const struct type *time, const struct op_context *context)
{
    ASSERT(spec->kind != PLAN_WINDOW_SESSION && spec->size_ms > 0);
    *assigner = (struct window_assigner){.kind = spec->kind,
                                         .size_us = spec->size_ms * 1000,
                                         .slide_us = spec->slide_ms * 1000,
                                         .offset_us = spec->offset_ms * 1000};
    if (spec->kind == PLAN_WINDOW_TUMBLE) {
        assigner->slide_us = assigner->size_us;
    }
    if (time->kind == TYPE_TIMESTAMP_LTZ && context->expr_settings != NULL) {
        assigner->zone = context->expr_settings->zone;
        assigner->asked_end_us = INT64_MIN;
    }
}

int64_t window_local_us(struct window_assigner *assigner, int64_t time_us)
{
    return zone_local_us(assigner->zone, time_us, &assigner->span);
}

bool window_local_range(struct window_assigner *assigner, int64_t *least_us, int64_t *greatest_us)
{
    if (assigner->zone == NULL) {
        return true;
    }
    *least_us = window_local_us(assigner, *least_us);
    bool is_one = *greatest_us / SECOND_US < assigner->span.until;
    *greatest_us = window_local_us(assigner, *greatest_us);
    return is_one;
}

int64_t window_complete_us(struct window_assigner *assigner, int64_t end_us)
{
    if (assigner->zone == NULL) {
        return end_us - LAST_US;
    }
    if (end_us != assigner->asked_end_us) {
        struct zone_span span = {0};
        int64_t first = window_time_us(assigner, end_us);
        int64_t next = zone_utc_us(assigner->zone, end_us - LAST_US + hour_us, &span);
        assigner->asked_end_us = end_us;
        assigner->asked_complete_us = next - first > hour_us ? next - hour_us   // it comes twice
                                      : next == first ? first - first % hour_us // it does not come
                                                      : first;
    }
    return assigner->asked_complete_us;
}

int64_t window_time_us(const struct window_assigner *assigner, int64_t end_us)
{
    struct zone_span span = {0};
    return zone_utc_us(assigner->zone, end_us - LAST_US, &span);
}

// The multiple of `step` (plus `offset`) at or below `time`.
static int64_t floor_to(int64_t time, int64_t step, int64_t offset)
{
    int64_t rest = (time - offset) % step;
    return time - (rest < 0 ? rest + step : rest);
}

int64_t window_slice_start(const struct window_assigner *assigner, int64_t time_us)
{
    return floor_to(time_us, assigner->slide_us, assigner->offset_us);
}

bool window_assign(const struct window_assigner *assigner, int64_t time_us, uint32_t index,
                   struct window_range *out)
{
    int64_t steps = (int64_t)index * assigner->slide_us;
    switch (assigner->kind) {
    case PLAN_WINDOW_TUMBLE:
    case PLAN_WINDOW_HOP:
        out->start_us = window_slice_start(assigner, time_us) - steps;
        out->end_us = out->start_us + assigner->size_us;
        return out->end_us > time_us;
    case PLAN_WINDOW_CUMULATE:
        out->start_us = floor_to(time_us, assigner->size_us, assigner->offset_us);
        out->end_us = window_slice_start(assigner, time_us) + assigner->slide_us + steps;
        return out->end_us <= out->start_us + assigner->size_us;
    case PLAN_WINDOW_SESSION: break;
    }
    UNREACHABLE("sessions are not assigned row by row");
}
