// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "store/store.h"

enum { MANIFEST_SIZE_MAX = 1 << 30, IDENTITY_SIZE_MAX = 4096 };

struct checkpoint_store {
    struct store *store;
    struct arena arena;
    struct str directory;
    struct checkpoint_identity identity;
};

static struct str path_of(const struct checkpoint_store *checkpoints, struct arena *arena,
                          struct str name)
{
    return arena_printf(arena, "%.*s/%.*s", STR_ARGS(checkpoints->directory), STR_ARGS(name));
}

struct str checkpoint_store_state_path(const struct checkpoint_store *checkpoints,
                                       struct arena *arena, struct str file)
{
    return arena_printf(arena, "%.*s/state/%.*s", STR_ARGS(checkpoints->directory), STR_ARGS(file));
}

// A version 4 UUID of 128 random bits.
static struct str make_uuid(struct arena *arena, uint64_t high, uint64_t low)
{
    high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x4000);
    low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    return arena_printf(
        arena, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, high >> 32,
        high >> 16 & 0xffff, high & 0xffff, low >> 48, low & UINT64_C(0xffffffffffff));
}

static enum status write_identity(struct checkpoint_store *checkpoints, struct err *err)
{
    struct arena scratch;
    arena_init(&scratch);
    const struct checkpoint_identity *identity = &checkpoints->identity;
    struct str text =
        arena_printf(&scratch, "pipeline %.*s\nlineage %.*s\nrun %" PRIu64 "\n",
                     STR_ARGS(identity->pipeline_uuid), STR_ARGS(identity->lineage), identity->run);
    enum status status = store_put(
        checkpoints->store, path_of(checkpoints, &scratch, STR_LIT("identity")), text, 0, err);
    arena_release(&scratch);
    return status;
}

// The value of "key value\n"; empty where the line is not there.
static struct str line_value(struct str text, const char *key)
{
    while (text.size > 0) {
        size_t end = str_find(text, '\n');
        struct str line = str_slice(text, 0, end);
        size_t blank = str_find(line, ' ');
        if (str_is(str_slice(line, 0, blank), key)) {
            return str_slice(line, blank + 1, line.size);
        }
        text = str_slice(text, end + 1, text.size);
    }
    return (struct str){0};
}

static enum status parse_identity(struct checkpoint_store *checkpoints, struct str text,
                                  struct str path, struct err *err)
{
    struct checkpoint_identity *identity = &checkpoints->identity;
    identity->pipeline_uuid = arena_str(&checkpoints->arena, line_value(text, "pipeline"));
    identity->lineage = arena_str(&checkpoints->arena, line_value(text, "lineage"));
    int64_t run;
    if (identity->pipeline_uuid.size == 0 || identity->lineage.size == 0 ||
        !str_to_i64(line_value(text, "run"), &run) || run < 0) {
        ERR(err, STATUS_INVALID_DATA, "%.*s is damaged: it does not say which pipeline this is",
            STR_ARGS(path));
        err_hint(err, "restore the file from a backup, or start over with --fresh");
        return STATUS_INVALID_DATA;
    }
    identity->run = (uint64_t)run + 1;
    return STATUS_OK;
}

// "<run>-<n>.checkpoint", both in 20 digits so that names sort by epoch.
static bool parse_name(struct str path, struct epoch *epoch)
{
    size_t slash = path.size;
    while (slash > 0 && path.ptr[slash - 1] != '/') {
        slash--;
    }
    struct str name = str_slice(path, slash, path.size);
    size_t dash = str_find(name, '-');
    size_t dot = str_find(name, '.');
    int64_t run;
    int64_t number;
    if (!str_ends(name, ".checkpoint") || dash >= dot ||
        !str_to_i64(str_slice(name, 0, dash), &run) ||
        !str_to_i64(str_slice(name, dash + 1, dot), &number) || run < 0 || number < 0) {
        return false;
    }
    *epoch = (struct epoch){(uint64_t)run, (uint64_t)number};
    return true;
}

// The path of the newest manifest; empty where there is none.
static enum status find_newest(struct checkpoint_store *checkpoints, struct arena *arena,
                               struct str *out, struct epoch *newest, struct err *err)
{
    struct store_object *objects;
    size_t count;
    *out = (struct str){0};
    *newest = (struct epoch){0};
    TRY(store_list(checkpoints->store, path_of(checkpoints, arena, STR_LIT("")), arena, &objects,
                   &count, err));
    for (size_t i = 0; i < count; i++) {
        struct epoch epoch;
        if (parse_name(objects[i].path, &epoch) &&
            (out->size == 0 || epoch_compare(epoch, *newest) > 0)) {
            *newest = epoch;
            *out = objects[i].path;
        }
    }
    return STATUS_OK;
}

// A pipeline that nobody knows; runs that left a checkpoint here came before it.
static enum status make_identity(struct checkpoint_store *checkpoints, const uint64_t seed[2],
                                 struct err *err)
{
    struct str uuid = make_uuid(&checkpoints->arena, seed[0], seed[1]);
    struct str path;
    struct epoch newest;
    TRY(find_newest(checkpoints, &checkpoints->arena, &path, &newest, err));
    checkpoints->identity = (struct checkpoint_identity){
        .pipeline_uuid = uuid, .lineage = uuid, .run = newest.run + 1, .is_new = true};
    return write_identity(checkpoints, err);
}

static enum status load_identity(struct checkpoint_store *checkpoints, const uint64_t seed[2],
                                 bool fresh, struct err *err)
{
    struct str path = path_of(checkpoints, &checkpoints->arena, STR_LIT("identity"));
    struct buf *bytes;
    struct err ignored;
    enum status status = store_read(checkpoints->store, path, IDENTITY_SIZE_MAX, &bytes, &ignored);
    if (status == STATUS_NOT_FOUND) {
        return make_identity(checkpoints, seed, err);
    }
    if (status != STATUS_OK) {
        return ERR(err, status, "%s", ignored.text);
    }
    status = parse_identity(checkpoints, str_make(bytes->ptr, bytes->size), path, err);
    buf_unref(bytes);
    if (status == STATUS_INVALID_DATA && fresh) {
        return make_identity(checkpoints, seed, err);
    }
    return status == STATUS_OK ? write_identity(checkpoints, err) : status;
}

enum status checkpoint_store_open(struct store *store, struct str directory, const uint64_t seed[2],
                                  bool fresh, struct checkpoint_store **out, struct err *err)
{
    struct checkpoint_store *checkpoints = mem_zalloc(sizeof *checkpoints);
    checkpoints->store = store;
    checkpoints->directory = directory;
    arena_init(&checkpoints->arena);
    enum status status = load_identity(checkpoints, seed, fresh, err);
    if (status != STATUS_OK) {
        checkpoint_store_close(checkpoints);
        return status;
    }
    *out = checkpoints;
    return STATUS_OK;
}

void checkpoint_store_close(struct checkpoint_store *checkpoints)
{
    if (checkpoints != NULL) {
        arena_release(&checkpoints->arena);
        mem_free(checkpoints);
    }
}

const struct checkpoint_identity *
checkpoint_store_identity(const struct checkpoint_store *checkpoints)
{
    return &checkpoints->identity;
}

enum status checkpoint_store_forget(struct checkpoint_store *checkpoints, const uint64_t seed[2],
                                    struct err *err)
{
    checkpoints->identity.lineage = make_uuid(&checkpoints->arena, seed[0], seed[1]);
    checkpoints->identity.is_new = true;
    return write_identity(checkpoints, err);
}

static void unref_buf(void *buf)
{
    buf_unref(buf);
}

enum status checkpoint_store_load(struct checkpoint_store *checkpoints, struct arena *arena,
                                  struct checkpoint *out, struct err *err)
{
    struct str path;
    struct epoch epoch;
    TRY(find_newest(checkpoints, arena, &path, &epoch, err));
    if (path.size == 0) {
        return ERR(err, STATUS_NOT_FOUND, "there is no checkpoint in %.*s",
                   STR_ARGS(checkpoints->directory));
    }
    struct buf *bytes;
    TRY(store_read(checkpoints->store, path, MANIFEST_SIZE_MAX, &bytes, err));
    arena_on_release(arena, unref_buf, bytes);
    enum status status = checkpoint_decode(str_make(bytes->ptr, bytes->size), arena, out, err);
    if (status == STATUS_OK &&
        !str_equal(out->pipeline_uuid, checkpoints->identity.pipeline_uuid)) {
        status = ERR(err, STATUS_INVALID_DATA, "it belongs to another pipeline");
    }
    if (status != STATUS_OK) {
        err_context(err, "checkpoint %.*s", STR_ARGS(path));
        err_hint(err, "nothing was changed; restore the file from a backup, or start over with "
                      "--fresh (the tables keep what they hold)");
    } else if (!str_equal(out->lineage, checkpoints->identity.lineage)) {
        return ERR(err, STATUS_NOT_FOUND, "the checkpoint is of a lineage that was given up");
    }
    return status;
}

enum status checkpoint_store_write(struct checkpoint_store *checkpoints,
                                   const struct checkpoint *checkpoint, struct err *err)
{
    struct arena scratch;
    struct strbuf bytes;
    arena_init(&scratch);
    strbuf_init(&bytes, MANIFEST_SIZE_MAX);
    enum status status = STATUS_OK;
    if (checkpoint->segment_count > 0) {
        status =
            store_sync(checkpoints->store, path_of(checkpoints, &scratch, STR_LIT("state")), err);
    }
    if (status == STATUS_OK) {
        status = checkpoint_encode(checkpoint, &bytes, err);
    }
    if (status == STATUS_OK) {
        struct str path = arena_printf(&scratch, "%.*s/%020" PRIu64 "-%020" PRIu64 ".checkpoint",
                                       STR_ARGS(checkpoints->directory), checkpoint->epoch.run,
                                       checkpoint->epoch.number);
        status = store_put(checkpoints->store, path, strbuf_str(&bytes), STORE_EXCLUSIVE, err);
    }
    if (status != STATUS_OK) {
        err_context(err, "checkpoint %" PRIu64 "-%" PRIu64, checkpoint->epoch.run,
                    checkpoint->epoch.number);
    }
    strbuf_release(&bytes);
    arena_release(&scratch);
    return status;
}

static bool is_named(const struct checkpoint *kept, struct str path)
{
    for (uint32_t i = 0; i < kept->segment_count; i++) {
        struct str file = kept->segments[i].file;
        if (path.size > file.size && path.ptr[path.size - file.size - 1] == '/' &&
            str_equal(str_slice(path, path.size - file.size, path.size), file)) {
            return true;
        }
    }
    return false;
}

void checkpoint_store_clean(struct checkpoint_store *checkpoints, const struct checkpoint *kept)
{
    struct arena scratch;
    arena_init(&scratch);
    struct store_object *objects;
    size_t count;
    struct str directory = path_of(checkpoints, &scratch, STR_LIT(""));
    if (store_list(checkpoints->store, directory, &scratch, &objects, &count, NULL) == STATUS_OK) {
        struct str state = path_of(checkpoints, &scratch, STR_LIT("state/"));
        for (size_t i = 0; i < count; i++) {
            struct str path = objects[i].path;
            struct epoch epoch;
            bool is_state =
                path.size > state.size && str_equal(str_slice(path, 0, state.size), state);
            bool stale = is_state
                             ? !is_named(kept, path)
                             : parse_name(path, &epoch) && epoch_compare(epoch, kept->epoch) < 0;
            if (stale && store_remove(checkpoints->store, path, NULL) != STATUS_OK) {
                continue; // seen again at the next checkpoint
            }
        }
    }
    arena_release(&scratch);
}
