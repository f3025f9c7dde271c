// SPDX-License-Identifier: Apache-2.0
//
// kafka_source: rows out of Kafka topics ('connector' = 'kafka').
//
// Each instance has a client of its own, which is assigned its partitions with explicit offsets: no
// consumer group is joined. Splits are partitions, named "<topic>-<partition>"; instance i has
// those for which (hash of the topic + partition) % parallelism = i. The position of a split is the
// offset behind the last message handed out.
//
//   reading       partition queues are not merged: poll takes a batch from the partition with the
//                 lowest watermark that has messages. What is ahead of a lagging partition by more
//                 than 'scan.watermark.alignment.max-drift' (60 s) waits, over all instances, while
//                 that partition is being caught up with
//   back-pressure is not polling: a queue that is full stops its fetches
//   offsets       rise; gaps are legal (aborted transactions, markers, compaction). A position
//                 below the log's start, or past its end, is lost data: the source stops and says
//                 which
//   ends          bounded modes: at or past the end offset, also where only markers come before it
//   discovery     new partitions are looked for by a thread and begin at their first offset
//   failures      brokers that restart or are away are waited for, without end; an authorisation
//                 that is refused, a topic that is deleted, are errors
//
// Where 'properties.group.id' is set, positions of durable checkpoints are committed to it, for lag
// tools; they are never used to recover.
#pragma once

#include "exec/source.h"

extern const struct source_class kafka_source_class;
