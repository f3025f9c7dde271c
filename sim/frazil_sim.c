// SPDX-License-Identifier: Apache-2.0
//
// frazil_sim: lives of a pipeline from seeds (src/sim/sim_run.h).
//
//     frazil_sim [--seeds N] [--from N] [--break RULE] [--verbose] [--no-fork]
//
// Prints each seed that fails with what was wrong and the end of its trace; `frazil_sim --from SEED
// --seeds 1 --verbose` shows it whole. Each seed has a process of its own, so that one that crashes
// or hangs is counted as well. The last line is "N passed, N failed".
//
// RULE breaks one rule of exactly-once on purpose: no-fsync, no-ancestry-search, no-fence,
// blind-retry, file-name-without-run. With --until-caught the first seed that fails ends it: 1
// passed.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/sim_run.h"

enum { SECONDS_A_SEED_MAX = 60, REPORT_EVERY = 100 };

struct arguments {
    uint64_t from, count;
    struct sim_run_options options;
    bool breaks_all, no_fork;
};

static const char *const rules[] = {[SIM_BREAK_NONE] = "none",
                                    [SIM_BREAK_FSYNC] = "no-fsync",
                                    [SIM_BREAK_SEARCH] = "no-ancestry-search",
                                    [SIM_BREAK_FENCE] = "no-fence",
                                    [SIM_BREAK_RETRY] = "blind-retry",
                                    [SIM_BREAK_FILE_NAME] = "file-name-without-run"};

static bool parse_rule(const char *text, enum sim_break *out)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i], text) == 0) {
            *out = (enum sim_break)i;
            return true;
        }
    }
    return false;
}

static int usage(void)
{
    fprintf(stderr, "frazil_sim [--seeds N] [--from N] [--break RULE] [--verbose] "
                    "[--no-fork]\nrules:");
    for (size_t i = 1; i < sizeof rules / sizeof *rules; i++) {
        fprintf(stderr, " %s", rules[i]);
    }
    fprintf(stderr, "\n");
    return 2;
}

static bool parse(int argc, char **argv, struct arguments *out)
{
    *out = (struct arguments){.from = 1, .count = 500};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--verbose") == 0) {
            out->options.verbose = true;
        } else if (strcmp(argv[i], "--no-fork") == 0) {
            out->no_fork = true;
        } else if (value != NULL && strcmp(argv[i], "--seeds") == 0) {
            out->count = strtoull(argv[++i], NULL, 10);
        } else if (value != NULL && strcmp(argv[i], "--from") == 0) {
            out->from = strtoull(argv[++i], NULL, 10);
        } else if (value != NULL && strcmp(argv[i], "--break") == 0) {
            out->breaks_all = strcmp(argv[++i], "all") == 0;
            if (!out->breaks_all && !parse_rule(argv[i], &out->options.broken)) {
                return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

// In a process of its own; the figures come back through shared memory.
static bool run_apart(const struct sim_run_options *options, struct sim_run_figures *figures)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_A_SEED_MAX);
        bool good = sim_run(options, figures);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    int state = 0;
    if (child < 0 || waitpid(child, &state, 0) != child) {
        perror("frazil_sim");
        exit(2);
    }
    if (WIFSIGNALED(state)) {
        printf("seed %" PRIu64 " FAILED\nended by signal %d (%s)\n", options->seed,
               WTERMSIG(state), strsignal(WTERMSIG(state)));
    }
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static void print_figures(const struct sim_run_figures *figures)
{
    printf("runs %" PRIu64 " (rescaled %" PRIu64 "), ended by kills %" PRIu64
           ", power losses %" PRIu64 ", stops %" PRIu64 ", failures %" PRIu64 ", cut off %" PRIu64
           ", refused starts %" PRIu64 "\n",
           figures->runs, figures->rescales, figures->kills, figures->power_losses, figures->stops,
           figures->failures, figures->zombies, figures->refusals);
    printf("rows %" PRIu64 ", replies and requests lost %" PRIu64 ", swaps late %" PRIu64
           ", foreign appends %" PRIu64 ", compactions %" PRIu64 ", expiries %" PRIu64 "\n",
           figures->rows, figures->lost_replies, figures->late_swaps, figures->foreign_appends,
           figures->foreign_compactions, figures->foreign_expiries);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// How many seeds failed; with a broken rule it ends at the first.
static uint64_t run_all(const struct arguments *arguments, struct sim_run_figures *figures,
                        uint64_t *done)
{
    uint64_t failed = 0;
    double begin = seconds_now();
    for (*done = 0; *done < arguments->count;) {
        struct sim_run_options options = arguments->options;
        options.seed = arguments->from + *done;
        bool good = arguments->no_fork ? sim_run(&options, figures) : run_apart(&options, figures);
        failed += !good;
        if (++*done % REPORT_EVERY == 0) {
            printf("%" PRIu64 " seeds, %" PRIu64 " failed, %.0f s\n", *done, failed,
                   seconds_now() - begin);
        }
        if (!good && options.broken != SIM_BREAK_NONE) {
            break;
        }
    }
    return failed;
}

static int run_breaks(struct arguments *arguments, struct sim_run_figures *figures)
{
    int caught = 0;
    int missed = 0;
    enum sim_break first = arguments->breaks_all ? SIM_BREAK_FSYNC : arguments->options.broken;
    enum sim_break last = arguments->breaks_all ? SIM_BREAK_FILE_NAME : arguments->options.broken;
    for (unsigned at = first; at <= (unsigned)last; at++) {
        uint64_t done;
        arguments->options.broken = (enum sim_break)at;
        bool is_caught = run_all(arguments, figures, &done) > 0;
        printf("%s: %s after %" PRIu64 " seeds\n\n", rules[at], is_caught ? "caught" : "NOT CAUGHT",
               done);
        caught += is_caught;
        missed += !is_caught;
    }
    printf("%d passed, %d failed\n", caught, missed);
    return missed > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    uint64_t done;
    if (!parse(argc, argv, &arguments)) {
        return usage();
    }
    struct sim_run_figures *figures = mmap(NULL, sizeof *figures, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (figures == MAP_FAILED) {
        perror("frazil_sim");
        return 2;
    }
    if (arguments.breaks_all || arguments.options.broken != SIM_BREAK_NONE) {
        return run_breaks(&arguments, figures);
    }
    uint64_t failed = run_all(&arguments, figures, &done);
    print_figures(figures);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", done - failed, failed);
    return failed > 0 ? 1 : 0;
}
