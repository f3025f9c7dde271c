// SPDX-License-Identifier: Apache-2.0
//
// window_assign: the windows that a moment falls into. Windows align to the epoch (plus the
// offset), also for negative times, and include their start but not their end. All in microseconds.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

struct window_range {
    int64_t start_us;
    int64_t end_us;
};

struct window_assigner {
    enum plan_window_kind kind;
    int64_t size_us;
    int64_t slide_us; // TUMBLE: the size; HOP: the slide; CUMULATE: the step
    int64_t offset_us;
};

void window_assigner_init(struct window_assigner *assigner, const struct plan_window_spec *spec);

// The start of the slice (the window of length slide_us) that `time` falls into. Every window is a
// run of slices: TUMBLE one, HOP size / slide, CUMULATE 1 … size / step.
int64_t window_slice_start(const struct window_assigner *assigner, int64_t time_us);

// The index-th window of `time`, in the order of Flink's output: HOP from the latest start to the
// earliest, CUMULATE from the shortest to the longest. False when there are no more.
bool window_assign(const struct window_assigner *assigner, int64_t time_us, uint32_t index,
                   struct window_range *out);
