// SPDX-License-Identifier: Apache-2.0
//
// zone: a time zone's offsets, from the system's zone files (/usr/share/zoneinfo, TZif version 2
// and later, RFC 8536) or fixed.
//
// Names: "UTC", "Z", "GMT", "+08:00", "GMT+08:00", "UTC-3", and IANA names. A NULL zone is UTC
// everywhere. A zone is immutable and lives in the arena it was loaded into; any thread may use it.
//
// Java's rules: a local time in a gap moves forward by the gap, an ambiguous one takes the offset
// before the change. So both ask for the offset before the change. Before a zone's first change its
// local mean time applies, as java.time has it.
//
// Loops keep the span of the last answer: offsets change twice a year, rows of a batch are close.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct zone;

// NOT_FOUND where there is no such zone; INVALID_DATA for a broken file. *out is NULL for UTC.
MUST_USE enum status zone_load(struct arena *arena, struct str name, const struct zone **out,
                               struct err *err);
struct str zone_name(const struct zone *zone); // as it was asked for; "UTC" for NULL

// The offset in force for seconds in [from, until).
struct zone_span {
    int64_t from;
    int64_t until;
    int32_t offset; // seconds to add to UTC
};
struct zone_span zone_span_of_utc(const struct zone *zone, int64_t utc_second);
struct zone_span zone_span_of_local(const struct zone *zone, int64_t local_second);

// Microseconds; `span` is kept between calls, zeroed at first. NULL zones cost nothing.
int64_t zone_local_us(const struct zone *zone, int64_t utc_us, struct zone_span *span);
int64_t zone_utc_us(const struct zone *zone, int64_t local_us, struct zone_span *span);
