// SPDX-License-Identifier: Apache-2.0
#include "base/mark.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char report_path[] = "/tmp/mark_test.XXXXXX";

static int make_report(void **state)
{
    (void)state;
    int fd = mkstemp(report_path);
    return fd < 0 || close(fd) != 0;
}

static int remove_report(void **state)
{
    (void)state;
    return unlink(report_path);
}

// Runs `body` in a child with the environment given; its wait status.
static int run_child(const char *target, void (*body)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("FRAZIL_MARKS", report_path, 1);
        target == NULL ? unsetenv("FRAZIL_KILL_AT") : setenv("FRAZIL_KILL_AT", target, 1);
        if (!mark_arm()) {
            _exit(9);
        }
        body();
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_report(const char *expected)
{
    char text[256] = {0};
    FILE *file = fopen(report_path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size < sizeof text);
    assert_string_equal(text, expected);
}

static void pass_steps(void)
{
    for (int i = 0; i < 3; i++) {
        MARK("a");
        MARK_FILE("before_rename", "/x.y/1-2.checkpoint");
    }
    MARK_FILE("after_rename", "dir.d/identity");
}

static void an_armed_step_kills_at_its_nth_passage(void **state)
{
    (void)state;
    int status = run_child("file.checkpoint.before_rename:2", pass_steps);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_report("a 2\nfile.checkpoint.before_rename 2\n"
                  "killed file.checkpoint.before_rename 2\n");
}

static void steps_are_counted_to_the_end(void **state)
{
    (void)state;
    int status = run_child(NULL, pass_steps);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_report("a 3\nfile.checkpoint.before_rename 3\nfile.identity.after_rename 1\n");
}

static void a_target_without_a_number_is_refused(void **state)
{
    (void)state;
    static const char *const targets[] = {"a", "a:", "a:0", "a:x", "a:1x"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        int status = run_child(targets[i], pass_steps);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_armed_step_kills_at_its_nth_passage),
        cmocka_unit_test(steps_are_counted_to_the_end),
        cmocka_unit_test(a_target_without_a_number_is_refused),
    };
    return cmocka_run_group_tests(tests, make_report, remove_report);
}
