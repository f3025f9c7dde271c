// SPDX-License-Identifier: Apache-2.0
#include "exec/window_assign.h"

#include "base/assert.h"

void window_assigner_init(struct window_assigner *assigner, const struct plan_window_spec *spec)
{
    ASSERT(spec->kind != PLAN_WINDOW_SESSION && spec->size_ms > 0);
    *assigner = (struct window_assigner){.kind = spec->kind,
                                         .size_us = spec->size_ms * 1000,
                                         .slide_us = spec->slide_ms * 1000,
                                         .offset_us = spec->offset_ms * 1000};
    if (spec->kind == PLAN_WINDOW_TUMBLE) {
        assigner->slide_us = assigner->size_us;
    }
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
