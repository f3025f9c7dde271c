// SPDX-License-Identifier: Apache-2.0
//
// The recorded answers of Flink (flink-answers), as texts: each parses or is refused as Flink's
// parser does, without exception; and what parses is printed as text that parses to the same again.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/mem.h"
#include "sql/parse.h"
#include "sql/script.h"
#include "sql/unparse.h"

enum { PATH_LENGTH_MAX = 1024, FILE_BYTES_MAX = 16 * 1024 * 1024 };

static struct {
    unsigned texts;
    unsigned refused;
    unsigned differences;
} counts;

static bool fixtures_path(const char *file, char *out)
{
    const char *root = getenv("FRAZIL_FIXTURES");
    struct stat status;
    snprintf(out, PATH_LENGTH_MAX, "%s/%s",
             root != NULL ? root : FRAZIL_SOURCE_DIR "/../shared/fixtures", file);
    if (stat(out, &status) == 0) {
        return true;
    }
    if (root != NULL && stat(root, &status) == 0) {
        fail_msg("%s is missing", out);
    }
    return false;
}

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = mem_alloc(FILE_BYTES_MAX);
    *size = fread(bytes, 1, FILE_BYTES_MAX - 1, file);
    bytes[*size] = '\0';
    assert_int_equal(ferror(file), 0);
    fclose(file);
    return bytes;
}

static bool unparse(struct strbuf *out, struct str source, const struct ast_statement *statement)
{
    switch ((int)statement->kind) {
    case AST_QUERY: unparse_query(out, source, statement->as.query); return true;
    case AST_INSERT: unparse_query(out, source, statement->as.insert.query); return true;
    case AST_CREATE_TABLE:
        unparse_create_table(out, source, &statement->as.create_table);
        return true;
    case AST_CREATE_VIEW: unparse_create_view(out, source, &statement->as.create_view); return true;
    default: return false;
    }
}

static void check_round_trip(const char *place, struct str source,
                             const struct ast_statement *statement)
{
    struct arena arena;
    struct err err = {.text = ""};
    struct strbuf once;
    struct strbuf twice;
    const struct ast_statement *again;
    arena_init(&arena);
    strbuf_init(&once, FILE_BYTES_MAX);
    strbuf_init(&twice, FILE_BYTES_MAX);
    bool known = unparse(&once, source, statement);
    if (known && (parse_statement(&arena, strbuf_str(&once), &again, &err) != STATUS_OK ||
                  !unparse(&twice, strbuf_str(&once), again) ||
                  !str_equal(strbuf_str(&once), strbuf_str(&twice)))) {
        counts.differences++;
        print_error("%s: %.*s\n    printed: %s\n    again: %s%s\n", place, STR_ARGS(source),
                    once.ptr, twice.size > 0 ? twice.ptr : "", err.text);
    }
    strbuf_release(&once);
    strbuf_release(&twice);
    arena_release(&arena);
}

static void check(const char *place, struct str text, struct str shown, bool must_parse)
{
    struct arena arena;
    struct err err;
    const struct ast_statement *statement;
    arena_init(&arena);
    bool parsed = parse_statement(&arena, text, &statement, &err) == STATUS_OK;
    if (parsed) {
        check_round_trip(place, text, statement);
    }
    arena_release(&arena);
    counts.texts++;
    counts.refused += must_parse ? 0 : 1;
    if (!parsed) {
        assert_int_equal(err.stage, ERR_STAGE_PARSE);
        assert_true(err.offset <= text.size && err.offset + err.length <= text.size);
    }
    if (parsed != must_parse) {
        counts.differences++;
        print_error("%s: %.*s\n    %s\n", place, STR_ARGS(shown),
                    parsed ? "parses, and Flink refuses it" : err.text);
    }
}

// The escapes of a cell: \\ \t \n \r \u00XX.
static struct str unescape(struct arena *arena, struct str cell)
{
    char *out = arena_alloc(arena, cell.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < cell.size; i++) {
        char byte = cell.ptr[i];
        if (byte == '\\' && i + 1 < cell.size) {
            byte = cell.ptr[++i];
            if (byte == 'u' && i + 4 < cell.size) {
                char hex[5] = {0};
                memcpy(hex, cell.ptr + i + 1, 4);
                byte = (char)strtol(hex, NULL, 16);
                i += 4;
            } else {
                byte = (char)(byte == 't' ? '\t' : byte == 'n' ? '\n' : byte == 'r' ? '\r' : byte);
            }
        }
        out[size++] = byte;
    }
    return str_make(out, size);
}

static void check_expressions(const char *path, struct str lines)
{
    struct arena arena;
    arena_init(&arena);
    while (lines.size > 0) {
        size_t end = str_find(lines, '\n');
        struct str line = str_slice(lines, 0, end);
        lines = str_slice(lines, end < lines.size ? end + 1 : end, lines.size);
        size_t tab = str_find(line, '\t');
        if (line.size == 0 || line.ptr[0] == '#' || tab == line.size) {
            continue;
        }
        struct str rest = str_slice(line, tab, line.size);
        struct str expression = unescape(&arena, str_slice(line, 0, tab));
        struct str text = arena_printf(&arena, "SELECT %.*s AS c0", STR_ARGS(expression));
        check(path, text, expression, !str_starts(rest, "\t-\tERROR parse"));
        arena_reset(&arena);
    }
    arena_release(&arena);
}

// Blocks of "=== NAME FLAGS", the statement, "--- KIND".
static void check_statements(const char *path, struct str lines)
{
    size_t from = 0;
    bool inside = false;
    for (size_t at = 0; at < lines.size;) {
        struct str rest = str_slice(lines, at, lines.size);
        size_t end = str_find(rest, '\n');
        struct str line = str_slice(rest, 0, end);
        if (!inside && str_starts(line, "=== ")) {
            inside = true;
            from = at + end + 1;
        } else if (inside && str_starts(line, "--- ")) {
            inside = false;
            struct str text = str_trim(str_slice(lines, from, at));
            check(path, text, text, !str_is(line, "--- error parse"));
        }
        at += end + 1;
    }
}

// All statements of a script parse.
static void check_script(const char *path, struct str text)
{
    struct script script;
    struct script_statement statement;
    script_init(&script, text);
    while (script_next(&script, &statement)) {
        check(path, statement.text, statement.text, true);
    }
}

static void check_folder(const char *folder, const char *suffix,
                         void (*check_file)(const char *, struct str))
{
    char path[PATH_LENGTH_MAX];
    if (!fixtures_path(folder, path)) {
        print_message("no recorded answers here: skipped\n");
        skip();
    }
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char file[PATH_LENGTH_MAX + 300];
        size_t size;
        if (!str_ends(str_from(entry->d_name), suffix)) {
            continue;
        }
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        char *bytes = read_whole(file, &size);
        check_file(entry->d_name, str_make(bytes, size));
        mem_free(bytes);
    }
    closedir(directory);
}

static void report(const char *what, unsigned texts_min)
{
    print_message("%s: %u texts, %u of them refused by Flink\n", what, counts.texts,
                  counts.refused);
    assert_int_equal(counts.differences, 0);
    assert_true(counts.texts >= texts_min);
}

static int reset_counts(void **state)
{
    (void)state;
    memset(&counts, 0, sizeof counts);
    return 0;
}

static void expressions_parse_or_are_refused_as_in_flink(void **state)
{
    (void)state;
    check_folder("flink-answers/scalar", ".tsv", check_expressions);
    report("expressions", 7000);
}

static void queries_parse_or_are_refused_as_in_flink(void **state)
{
    (void)state;
    check_folder("flink-answers/batch", ".txt", check_statements);
    report("queries", 450);
}

static void statements_parse_or_are_refused_as_in_flink(void **state)
{
    (void)state;
    check_folder("flink-answers/statements", ".txt", check_statements);
    report("statements", 400);
}

static void the_queries_of_nexmark_parse(void **state)
{
    (void)state;
    check_folder("nexmark/queries", ".sql", check_script);
    report("nexmark", 24);
}

static void the_streaming_cases_parse(void **state)
{
    (void)state;
    char path[PATH_LENGTH_MAX];
    unsigned folders = 0;
    if (!fixtures_path("flink-streaming", path)) {
        skip();
    }
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char folder[PATH_LENGTH_MAX];
        struct stat status;
        snprintf(folder, sizeof folder, "flink-streaming/%.200s/case.sql", entry->d_name);
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') != NULL ||
            !fixtures_path(folder, path) || stat(path, &status) != 0) {
            continue;
        }
        *strrchr(folder, '/') = '\0';
        check_folder(folder, ".sql", check_script);
        folders++;
    }
    closedir(directory);
    assert_true(folders > 50);
    report("streaming cases", 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(expressions_parse_or_are_refused_as_in_flink, reset_counts),
        cmocka_unit_test_setup(queries_parse_or_are_refused_as_in_flink, reset_counts),
        cmocka_unit_test_setup(statements_parse_or_are_refused_as_in_flink, reset_counts),
        cmocka_unit_test_setup(the_queries_of_nexmark_parse, reset_counts),
        cmocka_unit_test_setup(the_streaming_cases_parse, reset_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
