// SPDX-License-Identifier: Apache-2.0
//
// The recorded answers of Flink: every batch SELECT, streaming case, Nexmark query and scalar
// expression is bound with the names and types that Flink gave it, or refused by name because it
// cannot run yet; what Flink refuses is refused. Flink's plans of the Nexmark queries are ours.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "sql/bind_test_int.h"

enum { PATH_LENGTH_MAX = 1024, FILE_BYTES_MAX = 16 << 20, LINE_MAX_BYTES = 1 << 16 };

struct tally {
    uint32_t bound;   // with Flink's names and types
    uint32_t refused; // where Flink refuses
    uint32_t not_yet;
    uint32_t wrong;
};

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

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    char *bytes = mem_alloc(FILE_BYTES_MAX);
    size_t size = fread(bytes, 1, FILE_BYTES_MAX - 1, file);
    bytes[size] = '\0';
    assert_int_equal(ferror(file), 0);
    fclose(file);
    return bytes;
}

static void show_wrong(struct tally *tally, const char *name, const char *sql, const char *what)
{
    tally->wrong++;
    print_message("WRONG %s: %s\n  %s\n", name, what, sql);
}

// The result's columns as "name TYPE" lines, as the fixtures have them with a tab.
static void result_columns(struct fixture *fixture, struct strbuf *out, const char *between,
                           const char *after)
{
    const struct plan_node *sink = fixture->plan->sinks[0];
    strbuf_reset(out);
    for (uint32_t i = 0; i < sink->column_count; i++) {
        strbuf_add_text(out, i == 0 ? "" : after);
        strbuf_printf(out, "%.*s%s", STR_ARGS(sink->columns[i].name), between);
        type_print(out, sink->columns[i].type);
    }
}

// Where we differ and mean it.
static bool is_exception(const char *sql)
{
    static const char *const exceptions[] = {
        "SELECT id FROM emp ORDER BY id OFFSET 17", // Flink lacks it: "limitEnd is max value"
        "SELECT 'a' 'b' AS x",        // joined, where Flink demands a line break between
        "SELECT MAP['a', NULL] AS x", // there NULL takes the type of a key
    };
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
        if (strcmp(sql, exceptions[i]) == 0) {
            return true;
        }
    }
    return false;
}

// `expected` NULL: Flink refuses before it runs.
static void check(struct fixture *fixture, struct tally *tally, const char *name, const char *sql,
                  const char *expected, const char *between, const char *after)
{
    enum status status = fixture_run(fixture, sql);
    bool is_missing = expected != NULL && status == STATUS_NOT_FOUND &&
                      strncmp(fixture->err.text, "there is no function", 20) == 0;
    if (is_exception(sql)) {
        return;
    }
    if (status == STATUS_UNSUPPORTED || is_missing) {
        tally->not_yet++;
    } else if (expected == NULL) {
        tally->refused += status != STATUS_OK;
        if (status == STATUS_OK) {
            show_wrong(tally, name, sql, "Flink refuses it");
        }
    } else if (status != STATUS_OK) {
        show_wrong(tally, name, sql, fixture->err.text);
    } else {
        struct strbuf got;
        strbuf_init(&got, 1 << 20);
        result_columns(fixture, &got, between, after);
        if (strcmp(got.ptr, expected) != 0) {
            show_wrong(tally, name, sql, got.ptr);
            print_message("  expected %s\n", expected);
        } else {
            tally->bound++;
        }
        strbuf_release(&got);
    }
}

// The next line of a text, cut out of it; NULL at its end.
static char *next_line(char **at)
{
    if (**at == '\0') {
        return NULL;
    }
    char *line = *at;
    char *end = strchr(line, '\n');
    *at = end == NULL ? line + strlen(line) : end + 1;
    if (end != NULL) {
        *end = '\0';
    }
    return line;
}

// Blocks "=== name flags", statement, "--- types" and lines, or "--- error kind".
static void check_blocks(struct fixture *fixture, struct tally *tally, char *text)
{
    static char name[256];
    static char sql[LINE_MAX_BYTES];
    static char types[LINE_MAX_BYTES];
    bool in_types = false;
    bool is_soft = false;
    for (char *line = next_line(&text); line != NULL; line = next_line(&text)) {
        if (strncmp(line, "=== ", 4) == 0) {
            snprintf(name, sizeof name, "%s", line + 4);
            is_soft = strstr(line, "soft") != NULL;
            sql[0] = types[0] = '\0';
            in_types = false;
        } else if (strcmp(line, "--- types") == 0) {
            in_types = true;
        } else if (strncmp(line, "--- error validate", 18) == 0 && !is_soft) {
            check(fixture, tally, name, sql, NULL, "", "");
        } else if (strncmp(line, "--- ", 4) == 0) {
            if (in_types) {
                check(fixture, tally, name, sql, types, "\t", "\n");
            }
            in_types = false;
        } else if (in_types) {
            snprintf(types + strlen(types), sizeof types - strlen(types), "%s%s",
                     types[0] == '\0' ? "" : "\n", line);
        } else if (name[0] != '\0' && types[0] == '\0') {
            snprintf(sql + strlen(sql), sizeof sql - strlen(sql), "%s%s",
                     sql[0] == '\0' ? "" : "\n", line);
        }
    }
}

static void run_lines(struct fixture *fixture, const char *path)
{
    char *text = read_whole(path);
    char *at = text;
    for (char *line = next_line(&at); line != NULL; line = next_line(&at)) {
        size_t length = strlen(line);
        if (strncmp(line, "CREATE", 6) == 0) {
            line[length - 1] = '\0'; // the semicolon
            fixture_must(fixture, line);
        }
    }
    mem_free(text);
}

static void print_tally(const char *what, const struct tally *tally)
{
    print_message("%s: %u bound as Flink does, %u refused as Flink does, %u not supported yet, "
                  "%u wrong\n",
                  what, tally->bound, tally->refused, tally->not_yet, tally->wrong);
}

static void batch_queries_have_the_types_that_flink_gave_them(void **state)
{
    (void)state;
    char folder[PATH_LENGTH_MAX];
    char path[PATH_LENGTH_MAX + 300];
    if (!fixtures_path("flink-answers/batch", folder)) {
        skip();
    }
    struct fixture fixture;
    struct tally tally = {0};
    fixture_init(&fixture, false);
    snprintf(path, sizeof path, "%s/schema.sql", folder);
    run_lines(&fixture, path);
    static const char *const groups[] = {"aggregate",   "functions", "grouping_sets", "join",
                                         "order_limit", "over",      "select",        "setop",
                                         "subquery",    "unnest",    "window_tvf"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        snprintf(path, sizeof path, "%s/%s.txt", folder, groups[i]);
        char *text = read_whole(path);
        check_blocks(&fixture, &tally, text);
        mem_free(text);
    }
    print_tally("batch", &tally);
    fixture_release(&fixture);
    assert_int_equal(tally.wrong, 0);
}

// Statements end in ";\n"; comments begin lines.
static const char *run_case(struct fixture *fixture, char *text, enum status *last)
{
    static char statement[LINE_MAX_BYTES];
    statement[0] = '\0';
    *last = STATUS_OK;
    for (char *line = next_line(&text); line != NULL; line = next_line(&text)) {
        if (strncmp(line, "--", 2) == 0) {
            continue;
        }
        size_t used = strlen(statement);
        snprintf(statement + used, sizeof statement - used, "%s%s", line, "\n");
        size_t length = strlen(line);
        bool ends = (length > 0 && line[length - 1] == ';') || *text == '\0';
        if (!ends) {
            continue;
        }
        if (strncmp(statement, "SET", 3) != 0 && strspn(statement, " \n") < strlen(statement)) {
            *last = fixture_run(fixture, statement);
            if (*last != STATUS_OK) {
                return statement;
            }
        }
        if (*text != '\0') {
            statement[0] = '\0';
        }
    }
    return statement;
}

static void check_case(struct tally *tally, const char *folder, const char *name)
{
    char path[PATH_LENGTH_MAX + 300];
    struct stat status;
    struct fixture fixture;
    snprintf(path, sizeof path, "%s/%s/case.sql", folder, name);
    if (stat(path, &status) != 0) {
        return;
    }
    fixture_init(&fixture, true);
    char *text = read_whole(path);
    enum status last;
    const char *sql = run_case(&fixture, text, &last);
    snprintf(path, sizeof path, "%s/%s/changelog.tsv", folder, name);
    char *log = read_whole(path);
    char *at = log;
    const char *header = next_line(&at);
    if (last == STATUS_UNSUPPORTED) {
        tally->not_yet++;
    } else if (last != STATUS_OK) {
        show_wrong(tally, name, sql, fixture.err.text);
    } else {
        struct strbuf got;
        strbuf_init(&got, 1 << 20);
        result_columns(&fixture, &got, " ", "\t");
        bool same = strcmp(got.ptr, header + strlen("op\t")) == 0;
        tally->bound += same;
        if (!same) {
            show_wrong(tally, name, sql, got.ptr);
        }
        strbuf_release(&got);
    }
    mem_free(log);
    mem_free(text);
    fixture_release(&fixture);
}

static void streaming_cases_have_the_types_that_flink_gave_them(void **state)
{
    (void)state;
    char folder[PATH_LENGTH_MAX];
    if (!fixtures_path("flink-streaming", folder)) {
        skip();
    }
    struct tally tally = {0};
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            check_case(&tally, folder, entry->d_name);
        }
    }
    closedir(dir);
    print_tally("streaming", &tally);
    assert_int_equal(tally.wrong, 0);
}

// Flink writes an interval as its milliseconds, we as a CAST to STRING shows it.
static void flink_intervals(struct strbuf *out, const char *text)
{
    static const char ours[] = "+0 00:00:04.000:INTERVAL SECOND(3)";
    const char *at = strstr(text, ours);
    strbuf_reset(out);
    strbuf_add(out, str_make(text, at == NULL ? strlen(text) : (size_t)(at - text)));
    if (at != NULL) {
        strbuf_add_text(out, "4000:INTERVAL SECOND");
        strbuf_add_text(out, at + strlen(ours));
    }
}

// "Calc(select=[a])" becomes "Calc".
static void kinds_only(struct strbuf *out, const char *text)
{
    bool in_node = false;
    strbuf_reset(out);
    for (; *text != '\0'; text++) {
        in_node = *text == '\n' ? false : in_node || *text == '(';
        if (!in_node) {
            strbuf_add_byte(out, *text);
        }
    }
}

static void check_plan(const char *folder, const char *query, bool by_kinds)
{
    char path[PATH_LENGTH_MAX + 300];
    struct fixture fixture;
    enum status last;
    fixture_init(&fixture, true);
    snprintf(path, sizeof path, "%s/queries/ddl.sql", folder);
    char *ddl = read_whole(path);
    run_case(&fixture, ddl, &last);
    assert_int_equal(last, STATUS_OK);
    snprintf(path, sizeof path, "%s/queries/%s.sql", folder, query);
    char *sql = read_whole(path);
    run_case(&fixture, sql, &last);
    if (last != STATUS_OK) {
        fail_msg("%s: %s", query, fixture.err.text);
    }
    snprintf(path, sizeof path, "%s/explain/%s.txt", folder, query);
    char *explain = read_whole(path);
    const char *expected = strstr(explain, "== Optimized Execution Plan ==\n");
    assert_non_null(expected);
    expected += strlen("== Optimized Execution Plan ==\n");
    struct strbuf got;
    struct strbuf kinds;
    strbuf_init(&got, 1 << 20);
    strbuf_init(&kinds, 1 << 20);
    if (by_kinds) {
        kinds_only(&got, fixture_explain(&fixture, false, false));
        kinds_only(&kinds, expected);
        assert_string_equal(got.ptr, kinds.ptr);
    } else {
        flink_intervals(&got, fixture_explain(&fixture, false, false));
        assert_string_equal(got.ptr, expected);
    }
    strbuf_release(&kinds);
    strbuf_release(&got);
    mem_free(explain);
    mem_free(sql);
    mem_free(ddl);
    fixture_release(&fixture);
}

static void plans_of_nexmark_queries_are_those_of_flink(void **state)
{
    (void)state;
    char folder[PATH_LENGTH_MAX];
    if (!fixtures_path("nexmark", folder)) {
        skip();
    }
    check_plan(folder, "q0", false);
    check_plan(folder, "q1", false);
    // Flink writes other conditions (SEARCH, casts of the time attribute) into the same trees.
    check_plan(folder, "q2", true);
    check_plan(folder, "q3", true);
    check_plan(folder, "q16", true);
    check_plan(folder, "q17", true);
    check_plan(folder, "q22", true);
}

// Scalar answers: expression, type, value; or expression, -, ERROR kind.
static void check_scalars(struct tally *tally, struct fixture *fixture, char *text)
{
    for (char *line = next_line(&text); line != NULL; line = next_line(&text)) {
        if (line[0] == '#') {
            continue;
        }
        char *type = strchr(line, '\t');
        if (type == NULL || strchr(line, '\\') != NULL) {
            continue; // escapes: the runner's
        }
        *type++ = '\0';
        char *value = strchr(type, '\t');
        *value++ = '\0';
        bool is_error = strcmp(type, "-") == 0;
        if (is_error && (strncmp(value, "ERROR validate", 14) != 0 || strstr(value, "[soft]"))) {
            continue;
        }
        static char sql[LINE_MAX_BYTES];
        static char expected[LINE_MAX_BYTES];
        snprintf(sql, sizeof sql, "SELECT %s AS x", line);
        snprintf(expected, sizeof expected, "x\t%s", type);
        check(fixture, tally, "scalar", sql, is_error ? NULL : expected, "\t", "\n");
    }
}

static void literals_have_the_types_that_flink_gave_them(void **state)
{
    (void)state;
    char path[PATH_LENGTH_MAX];
    if (!fixtures_path("flink-answers/scalar/literal.tsv", path)) {
        skip();
    }
    struct fixture fixture;
    struct tally tally = {0};
    fixture_init(&fixture, false);
    char *text = read_whole(path);
    check_scalars(&tally, &fixture, text);
    mem_free(text);
    print_tally("literals", &tally);
    fixture_release(&fixture);
    assert_int_equal(tally.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_queries_have_the_types_that_flink_gave_them),
        cmocka_unit_test(streaming_cases_have_the_types_that_flink_gave_them),
        cmocka_unit_test(plans_of_nexmark_queries_are_those_of_flink),
        cmocka_unit_test(literals_have_the_types_that_flink_gave_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
