// SPDX-License-Identifier: Apache-2.0
//
// drift_group: keeps the instances of one source together in event time, so that a partition that
// is far behind does not make the others fill the state of windows with rows of the future.
//
// Each instance publishes the lowest watermark of those of its splits that others should wait for;
// drift_group_lowest() is the minimum over all of them. Instances of one process find each other by
// the pipeline's and the operator's name. Any thread.
#pragma once

#include <stdint.h>

#include "base/compiler.h"
#include "base/str.h"

#define DRIFT_NOBODY INT64_MAX // nothing to wait for
enum { DRIFT_STALE_US = 5000000 };

struct drift_member;

MUST_USE struct drift_member *drift_group_join(struct str pipeline, struct str operator_id);
void drift_group_leave(struct drift_member *member); // NULL is allowed
// `now_us` is monotonic. What a member published more than DRIFT_STALE_US ago does not count: it is
// held up by something else, and waiting for it would hold up all.
void drift_group_publish(struct drift_member *member, int64_t lowest, int64_t now_us);
int64_t drift_group_lowest(const struct drift_member *member, int64_t now_us);
