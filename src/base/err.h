// SPDX-License-Identifier: Apache-2.0
//
// err: one failure, told once.
//
// Who detects a failure fills the error; whoever knows more on the way up may put one line of
// context in front of it. The struct is fixed in size and lives on the caller's stack, so that
// failing allocates nothing. Passing NULL is allowed: the caller does not care why.
//
//     enum status manifest_open(struct store *store, struct str path, struct manifest *out,
//                               struct err *err)
//     {
//         struct buf *bytes;
//         TRY(store_read(store, path, &bytes, err));
//         ...
//         return ERR(err, STATUS_INVALID_DATA, "manifest %.*s: block %u has no sync marker",
//                    STR_ARGS(path), block);
//     }
//
// An error about a statement also says where in its text it is (`offset`, `length`), in which
// stage it was found, and what the user might do about it (`hint`); the session turns these into
// line, column, caret and hint. Stages are those by which Flink's errors are told apart: what the
// parser refuses, what is known before a row is read, what depends on values.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/status.h"

enum { ERR_TEXT_MAX = 512, ERR_HINT_MAX = 512 };

enum err_stage { ERR_STAGE_RUNTIME, ERR_STAGE_PARSE, ERR_STAGE_VALIDATE };

// `offset` of an error that has no place in an input.
#define ERR_NO_OFFSET UINT64_MAX

struct err {
    enum status status;
    enum err_stage stage;
    uint64_t offset;         // in the input that `text` names: bytes from its start
    uint32_t length;         // bytes of the input that are meant; 0: a single place
    const char *source_file; // where in our code it was found
    int source_line;
    char text[ERR_TEXT_MAX]; // ends in NUL; cut with "..." where it does not fit
    char hint[ERR_HINT_MAX]; // "" where there is nothing to advise
};

// Fills *err (unless NULL) and returns `status`, so that it can stand in a return statement.
#define ERR(err, status, ...) err_set((err), (status), __FILE__, __LINE__, __VA_ARGS__)

enum status err_set(struct err *err, enum status status, const char *source_file, int source_line,
                    const char *format, ...) PRINTF_LIKE(5, 6);

// Puts "context: " in front of the text.
void err_context(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

// Adds the advice; a later call replaces an earlier one.
void err_hint(struct err *err, const char *format, ...) PRINTF_LIKE(2, 3);

// Says where in the statement the error is and in which stage it was found.
void err_at(struct err *err, enum err_stage stage, uint64_t offset, uint32_t length);

// Returns the status of `call` from this function unless it is OK. Only where nothing is held that
// must be released; otherwise one `out:` label releases all.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status = (call);                                                           \
        if (try_status != STATUS_OK) {                                                             \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)
