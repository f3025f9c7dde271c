// SPDX-License-Identifier: Apache-2.0
//
// kafka_columns: messages into the columns of a batch: values and keys through their formats, and
// the metadata of topic, partition and message, each column in its place.
//
// Ownership: columns borrow from the messages, which must live until the next call.
#pragma once

#include "base/err.h"
#include "connect/kafka_table.h"
#include "connect/rdkafka.h"
#include "data/batch.h"

struct kafka_columns;
struct plan_node;

MUST_USE enum status kafka_columns_new(const struct plan_node *scan,
                                       const struct kafka_table *table, struct kafka_columns **out,
                                       struct err *err);
void kafka_columns_free(struct kafka_columns *columns); // NULL is allowed

// Messages of one partition into at most rows_max rows (two more where an update is among them).
// *used: messages taken; 0 rows where all of them were empty or left out. INVALID_DATA: the first
// one that counts is bad, *bad is its index.
MUST_USE enum status kafka_columns_decode(struct kafka_columns *columns,
                                          rd_kafka_message_t *const *messages, uint32_t count,
                                          uint32_t rows_max, uint32_t *used, uint32_t *bad,
                                          struct err *err);
uint32_t kafka_columns_rows(const struct kafka_columns *columns);
// Columns and kinds into the batch; `topic` and the partition are those of the messages.
MUST_USE enum status kafka_columns_batch(struct kafka_columns *columns, struct str topic,
                                         int32_t partition, struct batch *out, struct err *err);
// The message of each row, by index: for the rows' origin.
const uint64_t *kafka_columns_places(const struct kafka_columns *columns);
