// SPDX-License-Identifier: Apache-2.0
//
// The command line: one command, its verbs.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/mark.h"
#include "main/command.h"
#include "main/help.h"

enum { FOR_RUN = 1, FOR_SQL = 2, FOR_CHECK = 4, FOR_ALL = 7 };

struct flag {
    const char *name;
    const char *short_name; // NULL: none
    bool has_value;
    unsigned verbs; // that know it
};

static const struct flag flags[] = {
    {"--data", NULL, true, FOR_ALL},
    {"--execute", "-e", true, FOR_SQL},
    {"--command", "-c", true, FOR_SQL},
    {"--file", "-f", true, FOR_ALL},
    {"--format", NULL, true, FOR_RUN | FOR_SQL},
    {"--set", NULL, true, FOR_ALL},
    {"--keep-going", NULL, false, FOR_SQL},
    {"--fresh", NULL, false, FOR_RUN},
    {"--quiet", "-q", false, FOR_RUN},
    {"--streaming", NULL, false, FOR_SQL},
    {"--help", "-h", false, FOR_ALL},
    {"--version", NULL, false, FOR_ALL},
};

static unsigned verb_bit(const char *verb)
{
    return strcmp(verb, "run") == 0 ? FOR_RUN : strcmp(verb, "sql") == 0 ? FOR_SQL : FOR_CHECK;
}

static const char *const format_names[] = {"table",  "tsv",   "csv",      "json",
                                           "ndjson", "typed", "canonical"};

static int usage(const char *format, ...) PRINTF_LIKE(1, 2);

static int usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "frazil: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n  try: frazil --help\n");
    va_end(args);
    return EXIT_USAGE;
}

static bool set_format(struct command_options *options, const char *name)
{
    for (uint32_t i = 0; i < sizeof format_names / sizeof *format_names; i++) {
        if (strcmp(name, format_names[i]) == 0) {
            options->format = (enum output_format)i;
            options->has_format = true;
            return true;
        }
    }
    return false;
}

static bool add_setting(struct command_options *options, const char *text)
{
    struct str whole = str_from(text);
    size_t sign = str_find(whole, '=');
    if (sign == 0 || sign == whole.size) {
        return false;
    }
    VEC_PUSH(&options->settings, str_slice(whole, 0, sign));
    VEC_PUSH(&options->settings, str_slice(whole, sign + 1, whole.size));
    return true;
}

// The flag an argument means, and its value where it stands behind '='.
static const struct flag *find_flag(const char *argument, const char **value)
{
    *value = NULL;
    const char *sign = strchr(argument, '=');
    size_t length =
        sign != NULL && argument[1] == '-' ? (size_t)(sign - argument) : strlen(argument);
    for (uint32_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        bool is_long =
            strlen(flags[i].name) == length && strncmp(argument, flags[i].name, length) == 0;
        bool is_short = flags[i].short_name != NULL && strcmp(argument, flags[i].short_name) == 0;
        if (is_long || is_short) {
            *value = is_long && sign != NULL ? sign + 1 : NULL;
            return &flags[i];
        }
    }
    return NULL;
}

struct arguments {
    int count;
    char **items;
    const char **statements; // room for `count`
};

// 0: go on; else the exit code + 1.
static int take_flag(struct command_options *options, struct arguments *arguments,
                     const struct flag *flag, const char *value)
{
    const char *name = flag->name;
    if (strcmp(name, "--data") == 0) {
        options->data_directory = value;
    } else if (strcmp(name, "--execute") == 0 || strcmp(name, "--command") == 0) {
        arguments->statements[options->statement_count++] = value;
    } else if (strcmp(name, "--file") == 0) {
        options->file = value;
    } else if (strcmp(name, "--format") == 0 && !set_format(options, value)) {
        return 1 + usage("unknown format '%s' (table, tsv, csv, json, ndjson, typed, canonical)",
                         value);
    } else if (strcmp(name, "--set") == 0 && !add_setting(options, value)) {
        return 1 + usage("--set takes KEY=VALUE, not '%s'", value);
    } else if (strcmp(name, "--keep-going") == 0) {
        options->keep_going = true;
    } else if (strcmp(name, "--fresh") == 0) {
        options->fresh = true;
    } else if (strcmp(name, "--quiet") == 0) {
        options->quiet = true;
    } else if (strcmp(name, "--streaming") == 0) {
        options->follow_streaming = true;
    }
    return 0;
}

static int parse_flags(const char *verb, struct command_options *options,
                       struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++) {
        const char *argument = arguments->items[i];
        if (argument[0] != '-' || argument[1] == '\0') {
            if (options->file != NULL) {
                return 1 + usage("one file at a time: what is '%s'?", argument);
            }
            options->file = argument;
            continue;
        }
        const char *value;
        const struct flag *flag = find_flag(argument, &value);
        if (flag == NULL) {
            return 1 + usage("unknown option '%s'", argument);
        }
        if ((flag->verbs & verb_bit(verb)) == 0) {
            return 1 + usage("frazil %s has no option '%s'", verb, argument);
        }
        if (strcmp(flag->name, "--help") == 0) {
            help_print(verb);
            return 1 + EXIT_DONE;
        }
        if (strcmp(flag->name, "--version") == 0) {
            help_version();
            return 1 + EXIT_DONE;
        }
        if (flag->has_value && value == NULL) {
            if (++i == arguments->count) {
                return 1 + usage("%s wants a value", argument);
            }
            value = arguments->items[i];
        }
        int stop = take_flag(options, arguments, flag, value);
        if (stop != 0) {
            return stop;
        }
    }
    options->statements = arguments->statements;
    if (options->statement_count > 0 && options->file != NULL) {
        return 1 + usage("statements (-e) or a file: what is '%s'?", options->file);
    }
    return 0;
}

static int dispatch(const char *verb, struct arguments *arguments)
{
    const char *data = getenv("FRAZIL_DATA");
    struct command_options options = {.data_directory =
                                          data != NULL && data[0] != '\0' ? data : "frazil-data",
                                      .format = isatty(STDOUT_FILENO) ? OUTPUT_TABLE : OUTPUT_TSV};
    int stop = parse_flags(verb, &options, arguments);
    int code = stop - 1;
    if (stop == 0) {
        bool is_run = strcmp(verb, "run") == 0;
        if ((is_run || strcmp(verb, "check") == 0) && options.file == NULL) {
            code = usage("%s wants a file", verb);
        } else {
            code = is_run                     ? command_run(&options)
                   : strcmp(verb, "sql") == 0 ? command_sql(&options)
                                              : command_check(&options);
        }
    }
    VEC_RELEASE(&options.settings);
    return code;
}

// frazil --data DIR check FILE: options may also stand in front of the command.
static void put_verb_first(int argc, char **argv)
{
    const char *value;
    int at = 1;
    while (at < argc && argv[at][0] == '-') {
        const struct flag *flag = find_flag(argv[at], &value);
        if (flag == NULL) {
            return;
        }
        at += flag->has_value && value == NULL ? 2 : 1;
    }
    if (at < argc) {
        char *verb = argv[at];
        memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
        argv[1] = verb;
    }
}

int main(int argc, char **argv)
{
    put_verb_first(argc, argv);
    command_catch_interrupts();
    if (!mark_arm()) {
        return usage("FRAZIL_KILL_AT is <step>:<n>, not '%s'", getenv("FRAZIL_KILL_AT"));
    }
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        help_print(argc > 2 ? argv[2] : NULL);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        help_version();
        return EXIT_DONE;
    }
    static const char *const verbs[] = {"run", "sql", "check"};
    static const char *const later[] = {"serve", "submit"};
    for (int i = 0; i < 2; i++) {
        if (strcmp(argv[1], later[i]) == 0) {
            fprintf(stderr, "frazil: '%s' is not supported yet\n", argv[1]);
            return EXIT_USAGE;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(argv[1], verbs[i]) == 0) {
            struct arguments arguments = {argc - 2, argv + 2,
                                          mem_zalloc((size_t)argc * sizeof(char *))};
            int code = dispatch(verbs[i], &arguments);
            mem_free(arguments.statements);
            return code;
        }
    }
    return argv[1][0] == '-' ? usage("'%s' without a command (run, sql, check)", argv[1])
                             : usage("there is no command '%s' (run, sql, check)", argv[1]);
}
