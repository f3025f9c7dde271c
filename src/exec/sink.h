// SPDX-License-Identifier: Apache-2.0
//
// sink: where rows go, in two phases (engine.md section 7).
//
//     worker      write rows … at a barrier: prepare -> a committable (bytes) in the checkpoint
//     coordinator the checkpoint is durable -> commit(token, committables of all instances)
//     after a crash  resolve(committables of the restored checkpoint): was it committed? then
//                 forget, else commit now
//
// The writer side is an operator at the end of a segment, one instance a worker. What it puts at
// a barrier under the key "open" is only for itself (segments of open files); what it puts under
// "committable" the coordinator collects. BARRIER_CHECKPOINT: open files stay open. BARRIER_COMMIT
// and BARRIER_STOP: they are closed and go into the committable; no rows, no committable.
//
// The committer is one a sink node and job, used by one thread (not a worker): it may block. A
// committable is bytes that any later run of the same build family can read; until its commit is
// resolved it stays in every checkpoint.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "exec/op.h"
#include "exec/snapshot.h"

struct sink_committer;
struct store;

// Identity of the job, for tokens and fences.
struct sink_identity {
    struct str pipeline_name; // empty: a one-shot INSERT
    struct str pipeline_uuid; // made at the first run; a one-shot's own
    struct str directory;     // as in struct op_context
    struct store *store;      // as in struct op_context
    struct str lineage;       // a UUID; a restore of an older savepoint starts a child
    uint64_t run;
    struct str insert_name; // of the sink in the job (plan_sink)
};

enum sink_verdict {
    SINK_COMMITTED,     // it is in the table
    SINK_NOT_COMMITTED, // it is not, and cannot become so any more by itself
};

struct sink_committer_ops {
    // Publishes what the committables of one epoch hold, with the token {lineage, epoch} and
    // `positions` (a short text for people: the source positions of the checkpoint). Idempotent by
    // token: searches before it writes, and before every retry. OK: it is in the table, now or
    // already. COMMIT_UNKNOWN never leaves it unsearched: UNAVAILABLE then, and the job restarts.
    enum status (*commit)(struct sink_committer *committer, struct epoch epoch,
                          const struct str *committables, uint32_t count, struct str positions,
                          struct err *err);
    // At a restore, before anything else: looks for the token of `last` (the restored checkpoint).
    // CONFLICT: the table holds tokens later than `last`, or was rolled back; the error says what
    // it holds. On OK *verdict says whether the committables of `last` are in the table.
    enum status (*resolve)(struct sink_committer *committer, struct epoch last,
                           enum sink_verdict *verdict, struct err *err);
    // Makes every commit of earlier runs fail from now on; before the first epoch after an unclean
    // stop.
    enum status (*fence)(struct sink_committer *committer, struct err *err);
    // At a fresh start: what the table holds of an earlier life of this pipeline. NOT_FOUND:
    // nothing; OK: *text says what (for `--fresh` and for the refusal).
    enum status (*held)(struct sink_committer *committer, struct arena *arena, struct str *text,
                        struct err *err);
    // Removes files of former runs of this pipeline that no commit took, after recovery has
    // decided: those of runs `run_from` to the one before this. `keep` are the "open" entries of
    // the restored checkpoint; its committables are in the table by now.
    enum status (*clean)(struct sink_committer *committer, uint64_t run_from,
                         const struct str *keep, uint32_t count, struct err *err);
    void (*close)(struct sink_committer *committer);
};

// Embedded first in each connector's own struct.
struct sink_committer {
    const struct sink_committer_ops *ops;
    // For the status line: of the last commit.
    struct str last_commit;
};

// A connector that can be written. A sink without a committer (print, blackhole) is not
// transactional: what it wrote behind the last checkpoint is written again after a crash.
struct sink_class {
    const char *name;
    enum status (*open)(const struct plan_node *sink, const struct op_context *context,
                        struct op **out, struct err *err);
    // NULL: not transactional.
    enum status (*open_committer)(const struct plan_node *sink,
                                  const struct sink_identity *identity, struct sink_committer **out,
                                  struct err *err);
};

#define SINK_KEY_COMMITTABLE "committable"
#define SINK_KEY_OPEN "open"
