// SPDX-License-Identifier: Apache-2.0
//
// frazil check FILE.sql
#include "main/command.h"
#include "main/execute.h"
#include "main/output.h"
#include "session/session.h"
#include "sql/script.h"

static int check_all(struct session *session, struct str text, struct str name)
{
    struct script script;
    struct script_statement statement;
    int code = EXIT_DONE;
    script_init(&script, text);
    while (script_next(&script, &statement)) {
        struct err err;
        struct result *result;
        if (session_check(session, statement.text, &result, &err) != STATUS_OK) {
            execute_print_error(&err, name, text, statement.offset);
            code = EXIT_FAILED; // the others may have errors of their own
            continue;
        }
        output_notes(result->notes);
        result_free(result);
    }
    return code;
}

int command_check(const struct command_options *options)
{
    struct str text;
    if (!command_read_file(options->file, &text)) {
        return EXIT_FAILED;
    }
    struct session_options session_options = {.data_directory = str_from(options->data_directory),
                                              .is_streaming = true};
    struct session *session;
    struct err err;
    int code = EXIT_FAILED;
    if (session_new(&session_options, &session, &err) != STATUS_OK) {
        execute_print_error(&err, (struct str){0}, (struct str){0}, 0);
    } else {
        code = execute_settings(session, options);
        code = code == EXIT_DONE ? check_all(session, text, str_from(options->file)) : code;
        session_free(session);
    }
    mem_free((void *)(uintptr_t)text.ptr);
    return code;
}
