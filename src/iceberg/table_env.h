// SPDX-License-Identifier: Apache-2.0
//
// table_env: what Iceberg code needs of the world beside a store and a catalog: time, chance,
// waiting. The simulator puts its own in. Also names made of chance: UUIDs and snapshot ids.
//
// Writer tags. Files that a commit or a data writer makes have a UUID in their names whose first 8
// bytes say whose they are (table_env_uuid): so recovery finds what a former run of the same sink
// left behind without touching the files of anybody else.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Rules of exactly-once that are broken on purpose, so that a simulation shows what each of them is
// for. Only the simulator sets them.
enum {
    TABLE_ENV_BREAK_SEARCH = 1,     // nobody looks for a token before committing
    TABLE_ENV_BREAK_RETRY = 2,      // after an unknown outcome the same rows are committed again
    TABLE_ENV_BREAK_FILE_NAMES = 4, // names of data files say nothing of the run that made them
};

struct table_env {
    int64_t (*now_ms)(struct table_env *env); // wall clock
    void (*random)(struct table_env *env, void *out, size_t size);
    void (*sleep_ms)(struct table_env *env, int64_t duration_ms);
    unsigned broken_rules; // 0
};

// The system's; borrowed for ever; any thread.
struct table_env *table_env_system(void);

enum { TABLE_ENV_UUID_TEXT = 36 };

// A random UUID (version 4) as text with NUL.
void table_env_uuid(struct table_env *env, char out[TABLE_ENV_UUID_TEXT + 1]);
// A UUID (version 8) that begins with the 48 bits of `tag`; 0: a random one.
void table_env_tagged_uuid(struct table_env *env, uint64_t tag, char out[TABLE_ENV_UUID_TEXT + 1]);
// The first 13 characters that all UUIDs of a tag share ("0123abcd-4567"), with NUL.
void table_env_tag_text(uint64_t tag, char out[14]);
// Java's rule: the halves of a random UUID xored, made positive.
int64_t table_env_snapshot_id(struct table_env *env);
