// SPDX-License-Identifier: Apache-2.0
#include "connect/iceberg_token.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

void iceberg_token_id(const struct sink_identity *identity, struct str branch,
                      char out[ICEBERG_TOKEN_ID + 1])
{
    uint64_t hash = hash_bytes(identity->pipeline_uuid.ptr, identity->pipeline_uuid.size, 0);
    hash = hash_bytes(identity->insert_name.ptr, identity->insert_name.size, hash);
    hash = hash_bytes(branch.ptr, branch.size, hash);
    (void)snprintf(out, ICEBERG_TOKEN_ID + 1, "%016" PRIx64, hash);
}

uint64_t iceberg_token_tag(struct str job_uuid, struct str insert_name, uint64_t run)
{
    uint64_t hash = hash_bytes(job_uuid.ptr, job_uuid.size, 0);
    hash = hash_bytes(insert_name.ptr, insert_name.size, hash);
    uint64_t tag = hash_bytes(&run, sizeof run, hash) & UINT64_C(0xffffffffffff);
    return tag != 0 ? tag : 1; // 0 means a random one
}

static bool parse_epoch(struct str text, struct epoch *out)
{
    size_t dash = str_find(text, '-');
    int64_t run;
    int64_t number;
    if (!str_to_i64(str_slice(text, 0, dash), &run) ||
        !str_to_i64(str_slice(text, dash + 1, text.size), &number) || run < 0 || number < 0) {
        return false;
    }
    *out = (struct epoch){(uint64_t)run, (uint64_t)number};
    return true;
}

struct str iceberg_token_epoch_text(struct epoch epoch, struct arena *arena)
{
    return arena_printf(arena, "%" PRIu64 "-%" PRIu64, epoch.run, epoch.number);
}

bool iceberg_token_of(const struct table_snapshot *snapshot, struct str id, struct str lineage,
                      struct epoch *out)
{
    const struct str *sink = table_metadata_summary(snapshot, ICEBERG_TOKEN_SINK);
    const struct str *own = table_metadata_summary(snapshot, ICEBERG_TOKEN_LINEAGE);
    const struct str *epoch = table_metadata_summary(snapshot, ICEBERG_TOKEN_EPOCH);
    return sink != NULL && own != NULL && epoch != NULL && str_equal(*sink, id) &&
           str_equal(*own, lineage) && parse_epoch(*epoch, out);
}

static struct str text_of(const json_t *object, const char *key, struct arena *arena)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value)
               ? arena_str(arena, str_make(json_string_value(value), json_string_length(value)))
               : (struct str){0};
}

enum status iceberg_token_parse(struct str json, struct arena *arena,
                                struct iceberg_token_mark *out, struct err *err)
{
    json_error_t error;
    json_t *object = json_loadb(json.ptr, json.size, 0, &error);
    *out = (struct iceberg_token_mark){0};
    bool good = json_is_object(object);
    if (good) {
        out->pipeline = text_of(object, "pipeline", arena);
        out->lineage = text_of(object, "lineage", arena);
        out->positions = text_of(object, "positions", arena);
        out->run = (uint64_t)json_integer_value(json_object_get(object, "run"));
        out->snapshot_id = json_integer_value(json_object_get(object, "snapshot-id"));
        out->sequence_number = json_integer_value(json_object_get(object, "sequence-number"));
        struct str epoch = text_of(object, "epoch", arena);
        good = out->lineage.size > 0 && (epoch.size == 0 || parse_epoch(epoch, &out->epoch));
    }
    json_decref(object);
    return good ? STATUS_OK
                : ERR(err, STATUS_INVALID_DATA,
                      "the mark of a pipeline among the table's properties is damaged: %.*s",
                      STR_ARGS(json));
}

struct str iceberg_token_print(const struct iceberg_token_mark *mark, struct arena *arena)
{
    json_t *object = json_object();
    json_object_set_new(object, "pipeline", json_stringn(mark->pipeline.ptr, mark->pipeline.size));
    json_object_set_new(object, "lineage", json_stringn(mark->lineage.ptr, mark->lineage.size));
    json_object_set_new(object, "run", json_integer((json_int_t)mark->run));
    if (mark->epoch.number > 0) {
        struct str epoch = iceberg_token_epoch_text(mark->epoch, arena);
        json_object_set_new(object, "epoch", json_stringn(epoch.ptr, epoch.size));
        json_object_set_new(object, "snapshot-id", json_integer(mark->snapshot_id));
        json_object_set_new(object, "sequence-number", json_integer(mark->sequence_number));
        json_object_set_new(object, "positions",
                            json_stringn(mark->positions.ptr, mark->positions.size));
    }
    size_t size = json_dumpb(object, NULL, 0, JSON_COMPACT);
    char *text = arena_alloc(arena, size + 1);
    (void)json_dumpb(object, text, size, JSON_COMPACT);
    json_decref(object);
    return str_make(text, size);
}
