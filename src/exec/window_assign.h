// SPDX-License-Identifier: Apache-2.0
//
// window_assign: the windows that a moment falls into. Windows align to the epoch (plus the
// offset), also for negative times, and include their start but not their end. All in microseconds.
//
// Windows of a TIMESTAMP_LTZ are those of the local clock: the moment is taken to local time first
// (window_local_us()), starts and ends are local, and so an hour that the clock repeats is one
// window. When a window is complete is a moment again (window_complete_us()).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "data/zone.h"
#include "plan/plan.h"

struct op_context;

struct window_range {
    int64_t start_us;
    int64_t end_us;
};

struct window_assigner {
    enum plan_window_kind kind;
    int64_t size_us;
    int64_t slide_us; // TUMBLE: the size; HOP: the slide; CUMULATE: the step
    int64_t offset_us;
    const struct zone *zone;                 // of a TIMESTAMP_LTZ; NULL: none, or UTC
    struct zone_span span;                   // of the last moment
    int64_t asked_end_us, asked_complete_us; // the last answer of window_complete_us()
};

// `time` is the type of the time column.
void window_assigner_init(struct window_assigner *assigner, const struct plan_window_spec *spec,
                          const struct type *time, const struct op_context *context);

int64_t window_local_us(struct window_assigner *assigner, int64_t time_us);
// Both ends of a range of moments to local time; false where the clock changes between them.
bool window_local_range(struct window_assigner *assigner, int64_t *least_us, int64_t *greatest_us);
// The watermark at which the window with this end is complete: its last millisecond. Where local
// time is ambiguous the later moment counts.
int64_t window_complete_us(struct window_assigner *assigner, int64_t end_us);
// window_time of the window with this end: its last millisecond, as the time column's type has it.
int64_t window_time_us(const struct window_assigner *assigner, int64_t end_us);

// The functions below take and give local times.
//
// The start of the slice (the window of length slide_us) that `time` falls into. Every window is a
// run of slices: TUMBLE one, HOP size / slide, CUMULATE 1 … size / step.
int64_t window_slice_start(const struct window_assigner *assigner, int64_t time_us);

// The index-th window of `time`, in the order of Flink's output: HOP from the latest start to the
// earliest, CUMULATE from the shortest to the longest. False when there are no more.
bool window_assign(const struct window_assigner *assigner, int64_t time_us, uint32_t index,
                   struct window_range *out);
