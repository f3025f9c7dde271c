// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/state_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/mark.h"
#include "engine/checkpoint/checkpoint_store.h"
#include "store/store.h"

static enum status open_segment(struct state_segment_sink *sink, uint64_t number,
                                struct byte_sink **out, struct err *err)
{
    struct state_files *files = (struct state_files *)sink;
    ASSERT(files->open == NULL);
    char name[128];
    (void)snprintf(name, sizeof name, "%020" PRIu64 "-%016" PRIx64 "-%u-%" PRIu64 ".segment",
                   files->run, hash_bytes(files->operator_id.ptr, files->operator_id.size, 0),
                   files->instance, number);
    struct arena scratch;
    arena_init(&scratch);
    struct str path = checkpoint_store_state_path(files->checkpoints, &scratch, str_from(name));
    enum status status = store_create(files->store, path, &files->open, err);
    arena_release(&scratch);
    if (status != STATUS_OK) {
        return status;
    }
    struct state_file file = {.segment = {.number = number}, .file = mem_strdup(name)};
    VEC_PUSH(&files->known, file);
    files->open_number = number;
    *out = &files->open->sink;
    return STATUS_OK;
}

static enum status seal_segment(struct state_segment_sink *sink, struct state_segment segment,
                                struct err *err)
{
    (void)err;
    struct state_files *files = (struct state_files *)sink;
    ASSERT(files->open != NULL && files->open_number == segment.number);
    files->known.items[files->known.count - 1].segment = segment;
    VEC_PUSH(&files->sealed, files->open);
    files->open = NULL;
    return STATUS_OK;
}

void state_files_init(struct state_files *files, struct store *store,
                      const struct checkpoint_store *checkpoints, struct str operator_id,
                      uint32_t instance)
{
    memset(files, 0, sizeof *files);
    files->sink = (struct state_segment_sink){open_segment, seal_segment};
    files->store = store;
    files->checkpoints = checkpoints;
    files->operator_id = operator_id;
    files->instance = instance;
    files->run = checkpoint_store_identity(checkpoints)->run;
}

void state_files_close_readers(struct state_files *files)
{
    for (uint32_t i = 0; i < files->readers.count; i++) {
        store_reader_close(files->readers.items[i]);
    }
    files->readers.count = 0;
}

void state_files_release(struct state_files *files)
{
    store_close(files->open);
    for (uint32_t i = 0; i < files->sealed.count; i++) {
        store_close(files->sealed.items[i]);
    }
    state_files_close_readers(files);
    for (uint32_t i = 0; i < files->known.count; i++) {
        mem_free(files->known.items[i].file);
    }
    VEC_RELEASE(&files->known);
    VEC_RELEASE(&files->sealed);
    VEC_RELEASE(&files->readers);
}

enum status state_files_finish(struct state_files *files, struct err *err)
{
    for (uint32_t i = 0; i < files->sealed.count; i++) {
        TRY(store_finish(files->sealed.items[i], STORE_EXCLUSIVE | STORE_SYNC_LATER, err));
        store_close(files->sealed.items[i]);
        files->sealed.items[i] = NULL;
    }
    files->sealed.count = 0;
    return STATUS_OK;
}

const char *state_files_name(const struct state_files *files, uint64_t number)
{
    for (uint32_t i = files->known.count; i-- > 0;) {
        if (files->known.items[i].segment.number == number) {
            return files->known.items[i].file;
        }
    }
    UNREACHABLE("a live segment without a file");
}

void state_files_prune(struct state_files *files, const struct state_segment *live, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < files->known.count; i++) {
        bool is_live = false;
        for (uint32_t l = 0; l < count && !is_live; l++) {
            is_live = live[l].number == files->known.items[i].segment.number;
        }
        if (is_live) {
            files->known.items[kept++] = files->known.items[i];
        } else {
            mem_free(files->known.items[i].file);
        }
    }
    files->known.count = kept;
}

static uint32_t former_parallelism(const struct checkpoint *checkpoint, struct str operator_id)
{
    for (uint32_t i = 0; i < checkpoint->operator_count; i++) {
        if (str_equal(checkpoint->operators[i].operator_id, operator_id)) {
            return checkpoint->operators[i].parallelism;
        }
    }
    return 0;
}

// Opens what one former instance wrote; its segments stand in the checkpoint in reading order.
static enum status open_former(struct state_files *files, const struct checkpoint *checkpoint,
                               uint32_t instance, struct arena *arena, struct state_former *out,
                               struct err *err)
{
    struct state_segment *segments =
        arena_new_array(arena, struct state_segment, checkpoint->segment_count);
    struct byte_source **sources =
        arena_new_array(arena, struct byte_source *, checkpoint->segment_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < checkpoint->segment_count; i++) {
        const struct checkpoint_segment *segment = &checkpoint->segments[i];
        if (segment->instance != instance ||
            !str_equal(segment->operator_id, files->operator_id)) {
            continue;
        }
        struct store_reader *reader;
        struct str path = checkpoint_store_state_path(files->checkpoints, arena, segment->file);
        enum status status = store_open(files->store, path, &reader, err);
        if (status != STATUS_OK) {
            err_context(err, "state of checkpoint %" PRIu64 "-%" PRIu64, checkpoint->epoch.run,
                        checkpoint->epoch.number);
            err_hint(err, "no row was lost or written; restore the file from a backup, or start "
                          "over with --fresh (the tables keep what they hold)");
            return status;
        }
        VEC_PUSH(&files->readers, reader);
        if (reader->source.size != segment->size) {
            return ERR(err, STATUS_INVALID_DATA,
                       "state file %.*s has %" PRIu64 " bytes, the checkpoint says %" PRIu64,
                       STR_ARGS(path), reader->source.size, segment->size);
        }
        segments[count] = (struct state_segment){segment->number, segment->size};
        sources[count++] = &reader->source;
        if (out->same_instance) {
            struct str name = arena_str(arena, segment->file); // with a NUL behind it
            struct state_file file = {segments[count - 1], mem_strdup(name.ptr)};
            VEC_PUSH(&files->known, file);
        }
    }
    out->segment_count = count;
    out->segments = segments;
    out->sources = sources;
    return STATUS_OK;
}

enum status state_files_restore(struct state_files *files, const struct checkpoint *checkpoint,
                                uint32_t parallelism, struct state_context *context,
                                struct arena *arena, struct err *err)
{
    uint32_t former_count = former_parallelism(checkpoint, files->operator_id);
    struct state_former *formers = arena_new_array(arena, struct state_former, former_count);
    uint64_t number_from = 0;
    for (uint32_t i = 0; i < former_count; i++) {
        formers[i].same_instance = former_count == parallelism && i == files->instance;
        // At the same parallelism the others' rows are not ours: their files need no look.
        if (former_count == parallelism && !formers[i].same_instance) {
            continue;
        }
        TRY(open_former(files, checkpoint, i, arena, &formers[i], err));
        for (uint32_t s = 0; s < formers[i].segment_count; s++) {
            uint64_t number = formers[i].segments[s].number;
            number_from = number >= number_from ? number + 1 : number_from;
        }
    }
    state_restore_begin(context, formers, former_count, number_from);
    MARK("recovery.restore");
    return STATUS_OK;
}
