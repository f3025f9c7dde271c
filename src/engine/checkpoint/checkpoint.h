// SPDX-License-Identifier: Apache-2.0
//
// checkpoint: the manifest of one checkpoint: everything that a later run needs to go on.
//
//     header    who: pipeline, its UUID and lineage; when: epoch, kind, wall time
//     entries   what operator instances put (exec/snapshot.h)
//     segments  the files of keyed state, in the order in which they are read
//
// As a file it is one block (codec/block.h: version, checksum) whose payload is a sequence of
// length-prefixed fields in the order of the structs below, little-endian. What is decoded borrows
// from the bytes given; damage is INVALID_DATA with the offset.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "exec/snapshot.h"

struct arena;
struct strbuf;

struct checkpoint_segment {
    struct str operator_id;
    uint32_t instance;
    uint64_t number; // in its state context
    uint64_t size;
    struct str file; // name in the pipeline's state directory
};

// How many instances an operator with state had.
struct checkpoint_operator {
    struct str operator_id;
    uint32_t parallelism;
};

struct checkpoint {
    struct str pipeline_name;
    struct str pipeline_uuid;
    struct str lineage;
    struct epoch epoch;
    enum barrier_kind kind;
    int64_t wall_us;
    struct str plan_digest; // to tell an edited pipeline
    uint32_t operator_count;
    const struct checkpoint_operator *operators;
    uint32_t entry_count;
    const struct snapshot_entry *entries;
    uint32_t segment_count;
    const struct checkpoint_segment *segments;
};

MUST_USE enum status checkpoint_encode(const struct checkpoint *checkpoint, struct strbuf *out,
                                       struct err *err);
// Arrays in `arena`, texts borrowed from `bytes`, which live as long.
MUST_USE enum status checkpoint_decode(struct str bytes, struct arena *arena,
                                       struct checkpoint *out, struct err *err);
