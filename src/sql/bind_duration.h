// SPDX-License-Identifier: Apache-2.0
//
// bind_duration: durations as Flink writes them in options: "30 s", "500ms", "1 min", "2 hours".
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// To milliseconds; what is shorter is cut. A number alone means milliseconds. False for anything
// else, negatives and overflow included.
bool bind_duration_parse(struct str text, int64_t *out_ms);
