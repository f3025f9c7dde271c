// SPDX-License-Identifier: Apache-2.0
//
// nexmark_events: the events of the Nexmark benchmark by number: persons, auctions and bids of an
// online auction, after the model of nexmark-flink's generator (proportions, ranges of ids, hot
// keys, law of prices, sizes of texts).
//
// Every event depends on the seed and its number only, so any range can be made by anybody at any
// time, in any order: that is what makes a source of it resumable and parallel. All fields are
// always made, whoever asks for them.
//
// One thread at a time.
#pragma once

#include <stdint.h>

#include "data/column.h"

struct nexmark_events;

struct nexmark_model {
    uint64_t seed;
    int64_t base_ms;    // time of event 0, since 1970
    int64_t first_rate; // events a second
    int64_t next_rate;
    bool is_sine; // else square
    int64_t period_s;
    int64_t person_size, auction_size, bid_size; // average bytes
    int64_t persons, auctions, bids;             // of each round; persons and auctions at least 1
    int64_t hot_auctions, hot_bidders, hot_sellers; // one in so many is not hot
};

enum nexmark_kind { NEXMARK_PERSON, NEXMARK_AUCTION, NEXMARK_BID, NEXMARK_KINDS };
enum { NEXMARK_FIELDS_MAX = 10 };

struct nexmark_field {
    const char *name;
    const char *type; // "BIGINT", "STRING" or "TIMESTAMP(3)"
};

// The fields of a kind's ROW, in order; the count is returned.
uint32_t nexmark_events_fields(enum nexmark_kind kind, const struct nexmark_field **fields);
const char *nexmark_events_kind_name(enum nexmark_kind kind); // "person", the column's name

struct nexmark_events *nexmark_events_new(const struct nexmark_model *model);
void nexmark_events_free(struct nexmark_events *events);

// Time of an event, microseconds since 1970.
int64_t nexmark_events_time_us(const struct nexmark_events *events, uint64_t number);

// Events first, first + step, … : at most `count` of them, fewer where their texts would exceed
// BATCH_BYTES_MAX. Returns how many. Columns are valid until the next call.
uint32_t nexmark_events_make(struct nexmark_events *events, uint64_t first, uint64_t step,
                             uint32_t count);
struct column nexmark_events_type_column(const struct nexmark_events *events); // event_type INT
// The ROW of a kind with all its fields.
struct column nexmark_events_row_column(const struct nexmark_events *events,
                                        enum nexmark_kind kind);
