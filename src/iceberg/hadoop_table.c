// SPDX-License-Identifier: Apache-2.0
#include "iceberg/hadoop_table.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/mark.h"
#include "iceberg/metadata_file.h"
#include "store/store.h"

// N of v<N>.metadata.json and its other spellings; 0: it is none.
static int64_t version_of(struct str path)
{
    int64_t version;
    size_t start = store_directory(path).size;
    struct str name = str_slice(path, start > 0 ? start + 1 : 0, path.size);
    return str_starts(name, "v") && metadata_file_version(name, &version) ? version : 0;
}

struct highest {
    int64_t version; // 0: none
    bool is_twice;   // in two spellings
};

static struct highest highest_of(const struct store_object *objects, size_t count)
{
    struct highest highest = {0};
    for (size_t i = 0; i < count; i++) {
        int64_t version = version_of(objects[i].path);
        if (version > highest.version) {
            highest = (struct highest){.version = version};
        } else if (version > 0 && version == highest.version) {
            highest.is_twice = true;
        }
    }
    return highest;
}

struct str hadoop_table_next(struct arena *arena, struct str directory, struct str expected,
                             struct str next)
{
    return arena_printf(arena, "%.*s/metadata/v%lld%s.metadata.json", STR_ARGS(directory),
                        (long long)version_of(expected) + 1,
                        str_ends(next, ".gz.metadata.json") ? ".gz" : "");
}

static enum status list_highest(struct store *store, struct str directory, struct arena *arena,
                                struct highest *out, struct err *err)
{
    struct store_object *objects;
    size_t count;
    struct str prefix = arena_printf(arena, "%.*s/metadata/v", STR_ARGS(directory));
    TRY(store_list(store, prefix, arena, &objects, &count, err));
    *out = highest_of(objects, count);
    return STATUS_OK;
}

// What a move that failed has done: a lost reply leaves the file at its new place.
static enum status move_failed(struct store *store, struct str from, struct str to,
                               enum status status, bool creating, struct err *err)
{
    struct store_object object;
    struct err ignored;
    if (status == STATUS_EXISTS) {
        return creating ? STATUS_EXISTS
                        : ERR(err, STATUS_CONFLICT, "%.*s exists already", STR_ARGS(to));
    }
    enum status source = store_info(store, from, &object, &ignored);
    enum status target = store_info(store, to, &object, &ignored);
    if (source == STATUS_NOT_FOUND && target == STATUS_OK) {
        return STATUS_OK;
    }
    bool definite = source == STATUS_OK && target == STATUS_NOT_FOUND;
    if (!definite && err != NULL) {
        err->status = STATUS_COMMIT_UNKNOWN;
    }
    return definite ? status : STATUS_COMMIT_UNKNOWN;
}

// Steps 1 and 2.
static enum status take_version(struct store *store, struct str directory, struct arena *arena,
                                struct str expected, struct str next, struct str target,
                                struct err *err)
{
    bool creating = expected.size == 0;
    int64_t version = version_of(expected);
    struct highest highest;
    if (!creating && version == 0) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "%.*s is no v<number>.metadata.json: tables of another catalog can be read from "
                   "their directory, and not written",
                   STR_ARGS(expected));
    }
    TRY(list_highest(store, directory, arena, &highest, err));
    if (highest.version < version) {
        return ERR(err, STATUS_NOT_FOUND, "table '%.*s' does not exist any more",
                   STR_ARGS(directory));
    }
    if (highest.version > version) {
        return ERR(err, creating ? STATUS_EXISTS : STATUS_CONFLICT,
                   "%.*s: the table is at version %lld", STR_ARGS(directory),
                   (long long)highest.version);
    }
    MARK("catalog.swap.sent");
    enum status status = store_move(store, next, target, err);
    MARK("catalog.swap.answered");
    return status == STATUS_OK ? status : move_failed(store, next, target, status, creating, err);
}

// Steps 3 and 4. The table has moved: what fails now leaves the outcome open.
static enum status confirm(struct store *store, struct str directory, struct arena *arena,
                           struct str target, bool creating, struct err *err)
{
    struct str metadata = arena_printf(arena, "%.*s/metadata", STR_ARGS(directory));
    struct highest highest;
    enum status status = store_sync(store, metadata, err);
    if (status == STATUS_OK) {
        status = list_highest(store, directory, arena, &highest, err);
    }
    if (status != STATUS_OK) {
        if (err != NULL) {
            err->status = STATUS_COMMIT_UNKNOWN;
        }
        return STATUS_COMMIT_UNKNOWN;
    }
    if (highest.version > version_of(target) && !creating) {
        return ERR(err, STATUS_COMMIT_UNKNOWN, "%.*s: version %lld came meanwhile",
                   STR_ARGS(directory), (long long)highest.version);
    }
    if (highest.version == version_of(target) && highest.is_twice) {
        TRY(store_remove(store, target, err));
        return ERR(err, STATUS_CONFLICT, "%.*s: another writer made version %lld, too",
                   STR_ARGS(directory), (long long)highest.version);
    }
    return STATUS_OK;
}

enum status hadoop_table_swap(struct store *store, struct str directory, struct str expected,
                              struct str next, struct err *err)
{
    struct arena arena;
    arena_init(&arena);
    struct str target = hadoop_table_next(&arena, directory, expected, next);
    enum status status = take_version(store, directory, &arena, expected, next, target, err);
    if (status == STATUS_OK) {
        status = confirm(store, directory, &arena, target, expected.size == 0, err);
    }
    if (status == STATUS_OK) {
        struct str hint =
            arena_printf(&arena, "%.*s/metadata/version-hint.text", STR_ARGS(directory));
        struct str number = arena_printf(&arena, "%lld", (long long)version_of(target));
        struct err ignored;
        if (store_put(store, hint, number, STORE_SYNC_LATER, &ignored) != STATUS_OK) {
            // An old hint is no damage: readers go on from it.
        }
    }
    arena_release(&arena);
    return status;
}
