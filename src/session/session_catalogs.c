// SPDX-License-Identifier: Apache-2.0
//
// The catalogs of a session: its own, attached ones, and those that options of single tables name.
#include "base/mem.h"
#include "connect/iceberg_catalog.h"
#include "session/lake.h"
#include "session/session_int.h"

struct catalog *session_find_catalog(struct session *session, struct str name, struct err *err)
{
    for (uint32_t i = 0; i < session->catalogs.count; i++) {
        if (str_equal(session->catalogs.items[i]->name, name)) {
            return session->catalogs.items[i];
        }
    }
    if (str_is(name, "lake")) {
        struct catalog *lake;
        if (lake_open(session->options.data_directory, session->store, &lake, err) != STATUS_OK) {
            return NULL;
        }
        VEC_PUSH(&session->catalogs, lake);
        return lake;
    }
    ERR(err, STATUS_NOT_FOUND, "catalog '%.*s' does not exist", STR_ARGS(name));
    return NULL;
}

// Jobs that still run read and write through it: it stays open as long as the session.
static enum status catalog_of_table(struct session *session, const struct table_def *def,
                                    struct catalog **out, struct err *err)
{
    for (uint32_t i = 0; i < session->table_catalogs.count; i++) {
        if (iceberg_catalog_same(session->table_catalogs.items[i].def, def)) {
            *out = session->table_catalogs.items[i].catalog;
            return STATUS_OK;
        }
    }
    TRY(iceberg_catalog_open_of_table(def, session->store, out, err));
    struct table_catalog opened = {table_def_copy(&session->arena, def), *out};
    VEC_PUSH(&session->table_catalogs, opened);
    return STATUS_OK;
}

enum status session_resolve(struct session *session, struct arena *arena,
                            const struct table_def *def, const struct table_def **out,
                            struct err *err)
{
    struct catalog *catalog;
    *out = def;
    if (def->is_iceberg || !iceberg_catalog_names_table(def)) {
        return STATUS_OK;
    }
    TRY(catalog_of_table(session, def, &catalog, err));
    enum status status =
        iceberg_catalog_resolve(catalog, arena, def, !session->is_checking, out, err);
    if (status != STATUS_OK && err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
        // NOT_FOUND would say that the definition is not there.
        status = err->status = status == STATUS_NOT_FOUND ? STATUS_INVALID_DATA : status;
    }
    return status;
}

void session_close_catalogs(struct session *session)
{
    for (uint32_t i = 0; i < session->catalogs.count; i++) {
        session->catalogs.items[i]->ops->close(session->catalogs.items[i]);
    }
    for (uint32_t i = 0; i < session->table_catalogs.count; i++) {
        struct catalog *catalog = session->table_catalogs.items[i].catalog;
        catalog->ops->close(catalog);
    }
    VEC_RELEASE(&session->catalogs);
    VEC_RELEASE(&session->table_catalogs);
}
