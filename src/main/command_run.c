// SPDX-License-Identifier: Apache-2.0
//
// frazil run FILE.sql
#include <stdio.h>
#include <unistd.h>

#include "main/command.h"
#include "main/execute.h"
#include "session/session.h"

static void print_note(void *context, struct str text)
{
    (void)context;
    fprintf(stderr, "%.*s\n", STR_ARGS(text));
}

// "dir/clicks.sql" -> "clicks"
static struct str stem_of(const char *path)
{
    struct str name = str_from(path);
    for (size_t i = name.size; i > 0; i--) {
        if (name.ptr[i - 1] == '/') {
            name = str_slice(name, i, name.size);
            break;
        }
    }
    size_t dot = name.size;
    for (size_t i = 1; i < name.size; i++) {
        dot = name.ptr[i] == '.' ? i : dot;
    }
    return str_slice(name, 0, dot);
}

int command_run(const struct command_options *options)
{
    struct str text;
    if (!command_read_file(options->file, &text)) {
        return EXIT_FAILED;
    }
    struct session_options session_options = {.data_directory = str_from(options->data_directory),
                                              .is_streaming = true,
                                              .pipeline_name = str_is(str_from(options->file), "-")
                                                                   ? STR_LIT("stdin")
                                                                   : stem_of(options->file),
                                              .fresh = options->fresh,
                                              .notify = print_note,
                                              .is_cancelled = command_is_interrupted};
    struct session *session;
    struct err err;
    int code = EXIT_FAILED;
    if (session_new(&session_options, &session, &err) != STATUS_OK) {
        execute_print_error(&err, (struct str){0}, (struct str){0}, 0);
    } else {
        code = execute_settings(session, options);
        if (code == EXIT_DONE) {
            struct execute_options execute = {.format = options->format,
                                              .keep_going = options->keep_going,
                                              .status_line = !options->quiet,
                                              .name = str_from(options->file)};
            code = execute_script(session, text, &execute);
        }
        session_free(session);
    }
    mem_free((void *)(uintptr_t)text.ptr);
    return code;
}
