// SPDX-License-Identifier: Apache-2.0
#include "main/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
// histedit.h wants stdio.h before it.
#include <histedit.h>

#include "base/strbuf.h"
#include "main/command.h"
#include "main/execute.h"
#include "session/session.h"
#include "sql/script.h"

enum { TEXT_MAX = 16 << 20, HISTORY_MAX = 5000 };

struct shell {
    struct session *session;
    const struct command_options *options;
    EditLine *line;
    History *history;
    char history_path[1024];
    struct strbuf text; // statements begun and not ended
    struct strbuf last; // the last statement executed, for \watch
    bool expanded;
    bool timing;
    bool quits;
};

static struct shell *prompted; // libedit's prompt callback has no argument of ours

static char *prompt(EditLine *line)
{
    (void)line;
    static char text[512];
    struct str database = session_database(prompted->session);
    struct str catalog = session_catalog(prompted->session);
    if (prompted->text.size > 0) {
        (void)snprintf(text, sizeof text, "   ...> ");
    } else {
        (void)snprintf(text, sizeof text, "%.*s.%.*s> ", STR_ARGS(catalog), STR_ARGS(database));
    }
    return text;
}

static void open_history(struct shell *shell)
{
    HistEvent event;
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    char directory[1000] = "";
    if (state != NULL && state[0] == '/') {
        (void)snprintf(directory, sizeof directory, "%s/frazil", state);
    } else if (home != NULL) {
        (void)snprintf(directory, sizeof directory, "%s/.local/state/frazil", home);
    }
    history(shell->history, &event, H_SETSIZE, HISTORY_MAX);
    history(shell->history, &event, H_SETUNIQUE, 1);
    if (directory[0] == '\0') {
        return;
    }
    for (char *slash = directory + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(directory, 0700);
        *slash = '/';
    }
    (void)mkdir(directory, 0700);
    (void)snprintf(shell->history_path, sizeof shell->history_path, "%s/history", directory);
    history(shell->history, &event, H_LOAD, shell->history_path);
}

static void save_history(struct shell *shell)
{
    HistEvent event;
    if (shell->history_path[0] != '\0') {
        history(shell->history, &event, H_SAVE, shell->history_path);
    }
}

static void execute(struct shell *shell, struct str text)
{
    struct execute_options options = {.format = shell->options->format,
                                      .expanded = shell->expanded,
                                      .keep_going = true,
                                      .timing = shell->timing,
                                      .status_line = true};
    command_clear_interrupts();
    (void)execute_script(shell->session, text, &options);
    command_clear_interrupts();
}

static void watch(struct shell *shell, struct str argument)
{
    int64_t seconds = 2;
    if (argument.size > 0 && (!str_to_i64(argument, &seconds) || seconds < 1)) {
        fprintf(stderr, "\\watch takes a number of seconds\n");
        return;
    }
    command_clear_interrupts();
    while (command_interrupts() == 0) {
        struct execute_options options = {.format = shell->options->format,
                                          .expanded = shell->expanded};
        printf("\033[H\033[2J");
        if (execute_script(shell->session, strbuf_str(&shell->last), &options) != EXIT_DONE) {
            break;
        }
        for (int64_t tenth = 0; tenth < seconds * 10 && command_interrupts() == 0; tenth++) {
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        }
    }
    command_clear_interrupts();
}

static void include(struct shell *shell, struct str argument)
{
    char path[1024];
    struct str text;
    (void)snprintf(path, sizeof path, "%.*s", STR_ARGS(argument));
    if (command_read_file(path, &text)) {
        execute(shell, text);
        mem_free((void *)(uintptr_t)text.ptr);
    }
}

static void print_help(void)
{
    puts("\\d [NAME]       describe a table, or list tables\n"
         "\\dt \\dv \\l      tables, views, databases\n"
         "\\x              a line a column, on and off\n"
         "\\timing         how long statements take, on and off\n"
         "\\watch [N]      the last query again every N seconds\n"
         "\\i FILE         execute a file\n"
         "\\q              quit\n"
         "Statements end with a semicolon.");
}

// A line that begins with a backslash.
static void run_command(struct shell *shell, struct str line)
{
    size_t blank = str_find(line, ' ');
    struct str name = str_slice(line, 0, blank);
    struct str argument = str_trim(str_slice(line, blank, line.size));
    while (argument.size > 0 && argument.ptr[argument.size - 1] == ';') {
        argument.size--;
    }
    if (str_is(name, "\\q")) {
        shell->quits = true;
    } else if (str_is(name, "\\x")) {
        shell->expanded = !shell->expanded;
        printf("expanded display is %s\n", shell->expanded ? "on" : "off");
    } else if (str_is(name, "\\timing")) {
        shell->timing = !shell->timing;
        printf("timing is %s\n", shell->timing ? "on" : "off");
    } else if (str_is(name, "\\watch")) {
        watch(shell, argument);
    } else if (str_is(name, "\\i")) {
        include(shell, argument);
    } else if (str_is(name, "\\dt") || (str_is(name, "\\d") && argument.size == 0)) {
        execute(shell, STR_LIT("SHOW TABLES"));
    } else if (str_is(name, "\\dv")) {
        execute(shell, STR_LIT("SHOW VIEWS"));
    } else if (str_is(name, "\\l")) {
        execute(shell, STR_LIT("SHOW DATABASES"));
    } else if (str_is(name, "\\d")) {
        char text[1024];
        (void)snprintf(text, sizeof text, "DESCRIBE EXTENDED %.*s", STR_ARGS(argument));
        execute(shell, str_from(text));
    } else if (str_is(name, "\\?") || str_is(name, "\\h")) {
        print_help();
    } else {
        fprintf(stderr, "unknown command '%.*s'; \\? lists them\n", STR_ARGS(name));
    }
}

static bool is_word(struct str text, const char *word)
{
    text = str_trim(text);
    while (text.size > 0 && text.ptr[text.size - 1] == ';') {
        text.size--;
    }
    return str_is_nocase(str_trim(text), word);
}

// Executes the statements that are complete; keeps the rest.
static void run_complete(struct shell *shell)
{
    struct str text = strbuf_str(&shell->text);
    struct script script;
    struct script_statement statement;
    size_t done = 0;
    script_init(&script, text);
    script.final = false;
    while (script_next(&script, &statement)) {
        done = script.at;
        if (is_word(statement.text, "quit") || is_word(statement.text, "exit")) {
            shell->quits = true;
            break;
        }
        strbuf_reset(&shell->last);
        strbuf_add(&shell->last, statement.text);
        execute(shell, statement.text);
    }
    struct strbuf rest;
    strbuf_init(&rest, TEXT_MAX);
    strbuf_add(&rest, str_slice(text, done, text.size));
    if (str_trim(strbuf_str(&rest)).size == 0) {
        strbuf_reset(&rest);
    }
    strbuf_release(&shell->text);
    shell->text = rest;
}

static void take_line(struct shell *shell, struct str line)
{
    HistEvent event;
    struct str trimmed = str_trim(line);
    if (trimmed.size == 0 && shell->text.size == 0) {
        return;
    }
    history(shell->history, &event, H_ENTER, line.ptr);
    if (shell->text.size == 0 && trimmed.size > 0 && trimmed.ptr[0] == '\\') {
        run_command(shell, trimmed);
        return;
    }
    strbuf_add(&shell->text, line);
    run_complete(shell);
}

int shell_run(struct session *session, const struct command_options *options)
{
    struct shell shell = {.session = session, .options = options};
    strbuf_init(&shell.text, TEXT_MAX);
    strbuf_init(&shell.last, TEXT_MAX);
    prompted = &shell;
    shell.line = el_init("frazil", stdin, stdout, stderr);
    shell.history = history_init();
    el_set(shell.line, EL_PROMPT, prompt);
    el_set(shell.line, EL_EDITOR, "emacs");
    el_set(shell.line, EL_SIGNAL, 0);
    el_set(shell.line, EL_HIST, history, shell.history);
    open_history(&shell);
    printf("frazil: statements end with ';', \\? for help, \\q to quit\n");
    while (!shell.quits) {
        int count = 0;
        command_break_reads(true);
        const char *line = el_gets(shell.line, &count);
        command_break_reads(false);
        if (command_interrupts() > 0) { // Ctrl-C at the prompt drops what was typed
            command_clear_interrupts();
            strbuf_reset(&shell.text);
            putchar('\n');
            el_reset(shell.line);
            continue;
        }
        if (line == NULL || count <= 0) {
            putchar('\n');
            break;
        }
        take_line(&shell, str_make(line, (size_t)count));
    }
    save_history(&shell);
    history_end(shell.history);
    el_end(shell.line);
    strbuf_release(&shell.text);
    strbuf_release(&shell.last);
    return EXIT_DONE;
}
