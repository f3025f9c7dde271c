// SPDX-License-Identifier: Apache-2.0
//
// frazil sql: statements from -e, from a file or standard input, or a shell.
#include <unistd.h>

#include "main/command.h"
#include "main/execute.h"
#include "main/shell.h"
#include "session/session.h"

static int run_texts(struct session *session, const struct command_options *options)
{
    struct execute_options execute = {.format = options->format, .keep_going = options->keep_going};
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < options->statement_count; i++) {
        int own = execute_script(session, str_from(options->statements[i]), &execute);
        code = own != EXIT_DONE ? own : code;
        if (own != EXIT_DONE && !options->keep_going) {
            return code;
        }
    }
    return code;
}

static int run_file(struct session *session, const struct command_options *options,
                    const char *path)
{
    struct str text;
    if (!command_read_file(path, &text)) {
        return EXIT_FAILED;
    }
    bool is_input = str_is(str_from(path), "-");
    struct execute_options execute = {.format = options->format,
                                      .keep_going = options->keep_going,
                                      .name = is_input ? (struct str){0} : str_from(path)};
    int code = execute_script(session, text, &execute);
    mem_free((void *)(uintptr_t)text.ptr);
    return code;
}

static int run(struct session *session, const struct command_options *options)
{
    int code = execute_settings(session, options);
    if (code != EXIT_DONE) {
        return code;
    }
    if (options->statement_count > 0) {
        return run_texts(session, options);
    }
    if (options->file != NULL) {
        return run_file(session, options, options->file);
    }
    return isatty(STDIN_FILENO) ? shell_run(session, options) : run_file(session, options, "-");
}

int command_sql(const struct command_options *options)
{
    struct session_options session_options = {.data_directory = str_from(options->data_directory),
                                              .is_streaming = options->follow_streaming,
                                              .is_cancelled = command_is_interrupted};
    struct session *session;
    struct err err;
    if (session_new(&session_options, &session, &err) != STATUS_OK) {
        execute_print_error(&err, (struct str){0}, (struct str){0}, 0);
        return EXIT_FAILED;
    }
    int code = run(session, options);
    session_free(session);
    return code;
}
