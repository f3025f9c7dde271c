// SPDX-License-Identifier: Apache-2.0
//
// session: one user's environment: settings, catalogs, temporary objects; and the one way in which
// statements are executed, for the shell, for `frazil run` and for servers.
//
//     TRY(session_new(&options, &session, err));
//     TRY(session_execute(session, text, &result, err));      // one statement
//     …                                                       // result.h
//     session_free(session);
//
// A session begins in catalog `lake` (the embedded Iceberg catalog of the data directory; opened
// when it is first needed), database `default`. `default_catalog`.`default_database` is Flink's
// in-memory catalog.
//
// INSERTs. With options.pipeline_name an INSERT or a statement set is a pipeline: it has
// checkpoints under <data>/checkpoints/<name>, goes on where it stopped, and its result is waited
// for with session_pipeline(). Without, it is a one-shot: it must end by itself and commits once.
//
// Errors carry a place in the statement's text (err.h); sql/diagnostic.h draws them. One thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "session/result.h"
#include "session/settings.h"

struct session;

struct session_options {
    struct str data_directory; // "frazil-data"
    bool is_streaming;         // the default of execution.runtime-mode
    struct str pipeline_name;  // empty: INSERTs are one-shot
    bool fresh;                // pipelines start over
    // What a user should be told while a pipeline runs (resumed from …); may be NULL.
    void (*notify)(void *context, struct str text);
    void *notify_context;
    // Asked now and then while a statement runs that returns no job (EXPLAIN ANALYZE): whether it
    // is to end. May be NULL.
    bool (*is_cancelled)(void);
};

MUST_USE enum status session_new(const struct session_options *options, struct session **out,
                                 struct err *err);
void session_free(struct session *session); // NULL is allowed
struct settings *session_settings(struct session *session);

// One statement, with or without a ';' behind it. INSERTs return a result whose job runs; others
// have finished when this returns.
MUST_USE enum status session_execute(struct session *session, struct str text, struct result **out,
                                     struct err *err);
// Parses, binds and plans only (`frazil check`). The result has nothing but notes.
MUST_USE enum status session_check(struct session *session, struct str text, struct result **out,
                                   struct err *err);

// Whether it is that of an INSERT or a statement set: its job is to be waited for.
bool session_is_pipeline(const struct result *result);

struct str session_catalog(const struct session *session);
struct str session_database(const struct session *session);
