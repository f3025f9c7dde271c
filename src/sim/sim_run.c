// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sim/sim_check.h"
#include "sim/sim_foreign.h"
#include "sim/sim_log.h"
#include "sim/sim_log_source.h"
#include "sim/sim_model.h"
#include "sim/sim_script.h"
#include "sim/sim_sink.h"
#include "state/spill.h"
#include "store/store.h"

enum { STREAM_RUN = 1, STREAM_STEPS, STREAM_SOURCE, STREAM_SCRIPT };
enum { STEPS_MAX = 400000, STARTS_MAX = 40, TRACE_TAIL = 60, FAULTS_MAX = 20000 };

#define DIRECTORY "checkpoints/clicks"
#define SPILL_DIRECTORY "/tmp/frazil_sim" // of a file without a name

struct run {
    const struct sim_run_options *options;
    struct sim_run_figures *figures;
    struct sim_world *world;
    struct sim_lake lake;
    struct sim_foreign foreign;
    struct sim_sink_table totals;
    struct sim_script script;
    struct sim_log log;
    struct sim_random random; // what happens
    struct sim_random steps;  // in which order
    struct sim_random source;
    struct strbuf faults;

    // The job's settings, the same for all its runs.
    size_t memory;
    uint32_t batch_rows;
    bool hashes_zero;
    uint64_t mail_random;
    enum verify_mode verify;
    int64_t checkpoint_ms, commit_ms, watermark_ms;
    uint32_t foreign_per_myriad; // of steps
    uint32_t parallelism;        // of the last run; 0: none yet
    bool had_zombie;
    uint64_t identity;    // of a new pipeline
    struct store *backup; // of the disk, at some time; NULL: none
    uint64_t backup_commits;
};

// A job at work, with the plan it borrows.
struct life {
    struct job *job;
    struct arena arena;
    struct spill *spill;
    uint32_t parallelism;
};

#define FAULT(run, ...)                                                                            \
    do {                                                                                           \
        strbuf_printf(&(run)->faults, __VA_ARGS__);                                                \
        strbuf_add_text(&(run)->faults, "\n");                                                     \
    } while (0)

// --- time and the others -------------------------------------------------------------------------

static void advance(struct run *run, int64_t duration_us)
{
    sim_world_advance(run->world, duration_us);
    sim_log_advance(&run->log, run->world->now_us);
    sim_pointer_land(&run->lake.pointer);
}

static const char *draw_table(struct run *run)
{
    return sim_random_chance(&run->random, 700) ? "raw" : "per_window";
}

static void act_foreign(struct run *run, const char *table)
{
    struct err err;
    if (sim_foreign_act(&run->foreign, table, &err) != STATUS_OK) {
        FAULT(run, "a foreign writer cannot work on %s: %s", table, err.text);
    }
}

static void foreign_first(void *context, const struct table_name *table)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", STR_ARGS(table->name));
    act_foreign(context, name);
}

// Between the runs and during them.
static void live_on(struct run *run)
{
    struct sim_random *random = &run->random;
    if (sim_random_chance(random, 3)) {
        sim_log_add_partition(&run->log);
    }
    if (sim_random_below(random, 10000) < run->foreign_per_myriad) {
        act_foreign(run, draw_table(run));
    }
}

// --- one life ------------------------------------------------------------------------------------

static void notify(void *context, struct str text)
{
    struct run *run = context;
    sim_world_trace(run->world, "job: %.*s", STR_ARGS(text));
}

static enum status start(struct run *run, struct life *life, uint32_t parallelism, struct err *err)
{
    const struct plan *plan;
    *life = (struct life){.parallelism = parallelism};
    arena_init(&life->arena);
    sim_log_source_use(&run->log, &run->source);
    sim_sink_use(&run->totals);
    TRY(sim_script_plan(&run->script, &life->arena, &plan, err));
    if (run->memory != 0) {
        struct spill_options spill = {.directory = SPILL_DIRECTORY};
        TRY(spill_new(&spill, &life->spill, err));
    }
    struct job_options options = {.plan = plan,
                                  .connectors = &run->script.connectors,
                                  .expr_settings = &run->script.settings,
                                  .clock = &run->world->clock.base,
                                  .parallelism = parallelism,
                                  .memory_limit = run->memory != 0 ? run->memory : (size_t)1 << 28,
                                  .spill = life->spill,
                                  .batch_rows = run->batch_rows,
                                  .watermark_interval_ms = run->watermark_ms,
                                  .hashes_zero = run->hashes_zero,
                                  .mail_random = run->mail_random,
                                  .verify = run->verify,
                                  .store = run->world->disk,
                                  .directory = STR_LIT(DIRECTORY),
                                  .name = STR_LIT("clicks"),
                                  .plan_digest = STR_LIT("1"),
                                  .checkpoint_interval_ms = run->checkpoint_ms,
                                  .commit_interval_ms = run->commit_ms,
                                  .seed = {run->options->seed + 1, run->identity},
                                  .notify = notify,
                                  .notify_context = run};
    sim_world_trace(run->world, "START with P = %u", parallelism);
    run->figures->runs++;
    run->figures->rescales += run->parallelism != 0 && run->parallelism != parallelism;
    run->parallelism = parallelism;
    return job_start(&options, &life->job, err);
}

// Frees what the process held; nothing of that reaches a disk.
static void drop(struct run *run, struct life *life)
{
    uint64_t dead_from = run->world->dead_from;
    run->world->dead_from = 0;
    job_free(life->job);
    spill_free(life->spill);
    life->spill = NULL;
    arena_release(&life->arena);
    run->world->dead_from = dead_from;
    life->job = NULL;
}

// A long time in which nothing but the topic changes. Readers look at it all the while: a partition
// counts as idle only because its reader has looked lately (engine.md section 8).
static void pass_time(struct run *run, struct life *life, int64_t duration_us)
{
    enum { PART_US = 500000 };
    struct err err;
    for (; duration_us > 0; duration_us -= PART_US) {
        advance(run, duration_us < PART_US ? duration_us : PART_US);
        for (uint32_t i = 0; i < life->parallelism; i++) {
            (void)!job_step(life->job, i, &err);
        }
    }
}

// One random move. OK, or what the coordinator says.
static enum status step(struct run *run, struct life *life, struct err *err)
{
    struct sim_random *random = &run->steps;
    uint32_t which = sim_random_below(random, 4) == 0 ? life->parallelism
                                                      : sim_random_below(random, life->parallelism);
    enum status status = job_step(life->job, which, err);
    if (life->spill != NULL && sim_random_chance(random, 300)) {
        (void)spill_run_one(life->spill);
    }
    if (sim_random_chance(random, 250)) {
        advance(run, sim_random_between(random, 0, 40000));
    }
    if (status == STATUS_AGAIN && sim_random_chance(random, 30)) {
        pass_time(run, life,
                  sim_random_chance(random, 30) ? sim_random_between(random, 1000000, 20000000)
                                                : sim_random_between(random, 10000, 300000));
    }
    return status == STATUS_AGAIN ? STATUS_OK : status;
}

// The job has ended well: its workers hear the last news, which reaches the disk.
static void finish(struct life *life)
{
    job_free(life->job);
    life->job = NULL;
}

static enum status step_many(struct run *run, struct life *life, uint32_t count, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        TRY(step(run, life, err));
        live_on(run);
    }
    return STATUS_OK;
}

// A failure that nothing explains is a fault.
static bool is_excused(struct run *run)
{
    return run->world->failures > 0 || run->lake.pointer.foreign_count > 0;
}

static void note_failure(struct run *run, const char *what, enum status status,
                         const struct err *err)
{
    sim_world_trace(run->world, "%s: %s: %s", what, status_name(status), err->text);
    run->figures->failures++;
    if (!is_excused(run)) {
        FAULT(run, "%s though nothing was in its way: %s: %s", what, status_name(status),
              err->text);
    }
}

// --- what must hold at any time ------------------------------------------------------------------

// Rows of foreign writers: all of them, and once.
static void split_foreign(struct run *run, struct sim_rows *rows, struct sim_rows *own)
{
    struct sim_rows foreign;
    sim_rows_init(&foreign);
    for (uint32_t i = 0; i < rows->lines.count; i++) {
        struct str line = rows->lines.items[i];
        sim_rows_add(str_starts(line, "-1|") ? &foreign : own, line);
    }
    sim_rows_sort(&foreign);
    sim_rows_sort(&run->foreign.ledger);
    sim_rows_sort(own);
    struct strbuf text;
    strbuf_init(&text, FAULTS_MAX);
    if (sim_rows_differ(&run->foreign.ledger, &foreign, &text)) {
        FAULT(run, "rows of foreign writers: %s", text.ptr);
    }
    strbuf_release(&text);
    sim_rows_release(&foreign);
}

static void compare(struct run *run, const char *what, const struct sim_rows *expected,
                    const struct sim_rows *actual)
{
    struct strbuf text;
    strbuf_init(&text, FAULTS_MAX);
    if (sim_rows_differ(expected, actual, &text)) {
        FAULT(run, "%s: %s", what, text.ptr);
    }
    strbuf_release(&text);
}

// Windows that were handed out are whole, and handed out once.
static void check_windows(struct run *run, const struct sim_rows *expected,
                          const struct sim_rows *actual)
{
    uint32_t e = 0;
    for (uint32_t a = 0; a < actual->lines.count; a++) {
        struct str line = actual->lines.items[a];
        if (a > 0 && str_equal(line, actual->lines.items[a - 1])) {
            FAULT(run, "window %.*s is there twice", STR_ARGS(line));
        }
        while (e < expected->lines.count && str_compare(expected->lines.items[e], line) < 0) {
            e++;
        }
        if (e == expected->lines.count || !str_equal(expected->lines.items[e], line)) {
            FAULT(run, "window %.*s is not what the topic says", STR_ARGS(line));
        }
    }
}

static void check_tables(struct run *run, bool at_end)
{
    struct sim_check check = {&run->lake, &run->faults};
    struct sim_rows rows, raw, windows, expected;
    struct strbuf text;
    strbuf_init(&text, FAULTS_MAX);
    sim_rows_init(&rows);
    sim_rows_init(&raw);
    sim_rows_init(&windows);
    sim_rows_init(&expected);
    sim_check_table(&check, "raw", at_end, &rows);
    sim_check_table(&check, "per_window", at_end, &windows);
    split_foreign(run, &rows, &raw);
    if (sim_model_is_torn(&run->log, &raw, &text)) {
        FAULT(run, "raw is no cut through the topic: %s", text.ptr);
    }
    sim_rows_sort(&windows);
    sim_model_windows(&run->log, &expected);
    check_windows(run, &expected, &windows);
    if (at_end) {
        compare(run, "per_window", &expected, &windows);
        sim_rows_release(&expected);
        sim_rows_init(&expected);
        sim_model_raw(&run->log, &expected);
        compare(run, "raw", &expected, &raw);
        run->figures->rows += expected.lines.count;
        sim_rows_release(&expected);
        sim_rows_init(&expected);
        sim_model_totals(&run->log, &expected);
        sim_rows_sort(&run->totals.rows);
        compare(run, "totals", &expected, &run->totals.rows);
    }
    strbuf_release(&text);
    sim_rows_release(&rows);
    sim_rows_release(&raw);
    sim_rows_release(&windows);
    sim_rows_release(&expected);
}

// --- ends ----------------------------------------------------------------------------------------

static void crash(struct run *run)
{
    bool loses = sim_random_chance(&run->random, 500);
    run->figures->power_losses += loses;
    run->figures->kills += !loses;
    sim_world_crash(run->world, loses);
    run->lake.pointer.foreign_count = 0;
}

static void stop(struct run *run, struct life *life)
{
    struct err err;
    enum status status = STATUS_OK;
    sim_world_trace(run->world, "STOP is asked for");
    job_stop(life->job);
    for (uint32_t i = 0; i < STEPS_MAX && status == STATUS_OK; i++) {
        status = step(run, life, &err);
    }
    if (status == STATUS_END) {
        finish(life);
        sim_world_trace(run->world, "STOPPED");
        run->figures->stops++;
        run->lake.pointer.foreign_count = 0;
        run->world->failures = 0;
        return;
    }
    if (status == STATUS_OK) {
        FAULT(run, "the job does not stop");
        return;
    }
    note_failure(run, "the job fails while it stops", status, &err);
    crash(run);
}

// The old process goes on, on a machine of its own, until some steps after the next one has
// started.
static void haunt(struct run *run, struct life *zombie, struct life *life)
{
    struct err err;
    enum status status = STATUS_OK;
    uint32_t count = (uint32_t)sim_random_between(&run->random, 50, 1500);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        struct life *whose = sim_random_chance(&run->random, 500) ? zombie : life;
        uint32_t failures = run->world->failures;
        status = step(run, whose, &err);
        if (whose == zombie && status != STATUS_OK) {
            sim_world_trace(run->world, "the one cut off ends: %s: %s", status_name(status),
                            err.text);
            run->world->failures = failures;
            break;
        }
    }
    drop(run, zombie);
    sim_world_drop_zombie(run->world);
}

static uint32_t draw_parallelism(struct run *run)
{
    return sim_random_chance(&run->random, 100) ? 3 : 1U << sim_random_below(&run->random, 3);
}

// Runs until it has begun; each failure counts as a crash.
static bool start_for_sure(struct run *run, struct life *life)
{
    struct err err;
    for (int i = 0; i < STARTS_MAX; i++) {
        enum status status = start(run, life, draw_parallelism(run), &err);
        if (status == STATUS_OK) {
            return true;
        }
        note_failure(run, "the job does not start", status, &err);
        drop(run, life);
        crash(run);
        if (run->faults.size > 0) {
            return false;
        }
        advance(run, 100000);
        if (i == STARTS_MAX / 2) { // a long recovery and frequent failures: it would never come up
            run->world->options.fail_per_mille = 0;
        }
    }
    FAULT(run, "the job does not start in %d attempts: %s", STARTS_MAX, err.text);
    return false;
}

enum ending { END_BETWEEN_STEPS, END_IN_OPERATION, END_AT_START, END_STOPPED, END_CUT_OFF };

static enum ending draw_ending(struct run *run)
{
    uint32_t at = sim_random_below(&run->random, 100);
    return at < 25   ? END_BETWEEN_STEPS
           : at < 60 ? END_IN_OPERATION
           : at < 75 ? END_AT_START
           : at < 90 ? END_STOPPED
                     : END_CUT_OFF;
}

// One run that is not the last.
static void live(struct run *run)
{
    struct life life;
    struct life next;
    struct err err;
    enum ending ending = draw_ending(run);
    uint32_t steps = (uint32_t)sim_random_between(&run->random, 20, 1500);
    if (ending == END_AT_START) {
        sim_world_cut(run->world, sim_random_below(&run->random, 60));
        steps = 100;
    }
    if (!start_for_sure(run, &life)) {
        return;
    }
    enum status status = step_many(run, &life, steps, &err);
    if (status == STATUS_OK && ending == END_IN_OPERATION) {
        sim_world_cut(run->world, sim_random_below(&run->random, 120));
        status = step_many(run, &life, 1000, &err);
    }
    if (status == STATUS_END) {
        FAULT(run, "the job ends before its topic");
    } else if (status != STATUS_OK) {
        note_failure(run, "the job fails", status, &err);
    } else if (ending == END_STOPPED) {
        stop(run, &life);
        drop(run, &life);
        return;
    } else if (ending == END_CUT_OFF) {
        sim_world_split(run->world);
        run->figures->zombies++;
        run->had_zombie = true;
        if (start_for_sure(run, &next)) {
            haunt(run, &life, &next);
            drop(run, &next);
        }
        crash(run);
        return;
    }
    drop(run, &life);
    crash(run);
}

// The last run, with nothing in its way, to the end of the topic.
static void live_to_the_end(struct run *run)
{
    struct life life;
    struct err err;
    enum status status = STATUS_OK;
    run->world->options.fail_per_mille = 0;
    run->lake.pointer.lose_per_mille = 0;
    run->lake.pointer.foreign_per_mille = 0;
    run->foreign_per_myriad = 0;
    if (!start_for_sure(run, &life)) {
        return;
    }
    for (uint32_t i = 0; i < STEPS_MAX && status == STATUS_OK; i++) {
        status = step(run, &life, &err);
        if (!run->log.is_closed && (run->log.record_count >= run->log.record_max || i > 5000)) {
            sim_world_trace(run->world, "the topic ends: %u records", run->log.record_count);
            sim_log_close(&run->log);
        }
    }
    struct job_status figures;
    job_read_status(life.job, &figures);
    if (status == STATUS_OK) {
        FAULT(run, "the last run does not end");
    } else if (status != STATUS_END) {
        FAULT(run, "the last run fails: %s: %s", status_name(status), err.text);
    } else if (figures.rows_late > 0) {
        FAULT(run, "%" PRIu64 " rows were late", figures.rows_late);
    }
    finish(&life);
    drop(run, &life);
}

// --- the whole -----------------------------------------------------------------------------------

static void draw_settings(struct run *run)
{
    static const uint32_t batch_rows[] = {1, 5, 2048, 2048};
    struct sim_random *random = &run->random;
    run->memory =
        sim_random_chance(random, 150) ? (size_t)1 << (19 + sim_random_below(random, 5)) : 0;
    run->batch_rows = batch_rows[sim_random_below(random, 4)];
    run->hashes_zero = sim_random_chance(random, 30);
    run->mail_random = sim_random_chance(random, 500) ? sim_random_next(random) | 1 : 0;
    run->verify = sim_random_chance(random, 200)
                      ? (enum verify_mode)(1 + sim_random_below(random, 4))
                      : VERIFY_NONE;
    run->checkpoint_ms = sim_random_between(random, 50, 1500);
    run->commit_ms =
        sim_random_chance(random, 500) ? 0 : run->checkpoint_ms * sim_random_between(random, 2, 6);
    run->watermark_ms = sim_random_chance(random, 300) ? 0 : 200;
    run->foreign_per_myriad = sim_random_chance(random, 700) ? sim_random_below(random, 40) : 0;
    if (sim_random_chance(random, 600)) {
        run->world->options.fail_per_mille = sim_random_below(random, 4);
        run->lake.pointer.lose_per_mille = sim_random_below(random, 200);
        run->lake.pointer.foreign_per_mille = sim_random_below(random, 300);
    }
    sim_world_trace(run->world,
                    "memory %zu, batch rows %u, checkpoint %" PRId64 " ms, commit %" PRId64
                    " ms, watermark %" PRId64 " ms, failures %u, lost %u, foreign %u and %u",
                    run->memory, run->batch_rows, run->checkpoint_ms, run->commit_ms,
                    run->watermark_ms, run->world->options.fail_per_mille,
                    run->lake.pointer.lose_per_mille, run->lake.pointer.foreign_per_mille,
                    run->foreign_per_myriad);
}

static void init(struct run *run)
{
    struct sim_world_options options = {.seed = run->options->seed,
                                        .broken = run->options->broken,
                                        .verbose = run->options->verbose};
    struct sim_random script = sim_random_stream(run->options->seed, STREAM_SCRIPT);
    struct err err;
    strbuf_init(&run->faults, FAULTS_MAX);
    run->random = sim_random_stream(run->options->seed, STREAM_RUN);
    run->steps = sim_random_stream(run->options->seed, STREAM_STEPS);
    run->source = sim_random_stream(run->options->seed, STREAM_SOURCE);
    run->world = sim_world_new(&options);
    sim_lake_init(&run->lake, run->world);
    run->lake.pointer.foreign = foreign_first;
    run->lake.pointer.context = run;
    sim_foreign_init(&run->foreign, &run->lake);
    sim_sink_init(&run->totals, run->world);
    sim_log_init(&run->log, run->options->seed, run->world->now_us);
    if (sim_script_init(&run->script, &run->lake, &script, &err) != STATUS_OK) {
        FAULT(run, "the tables cannot be made: %s", err.text);
    }
    draw_settings(run);
}

static void release(struct run *run)
{
    run->figures->lost_replies += run->lake.pointer.lost;
    run->figures->late_swaps += run->lake.pointer.late;
    run->figures->foreign_appends += run->foreign.appends;
    run->figures->foreign_compactions += run->foreign.compactions;
    run->figures->foreign_expiries += run->foreign.expiries;
    run->figures->commits += run->totals.commits;
    store_free(run->backup);
    sim_log_release(&run->log);
    sim_script_release(&run->script);
    sim_sink_release(&run->totals);
    sim_foreign_release(&run->foreign);
    sim_lake_release(&run->lake);
    sim_world_free(run->world);
    strbuf_release(&run->faults);
}

// --- what must be refused ------------------------------------------------------------------------

// Damage is INVALID_DATA, or UNSUPPORTED where it hit a version; what does not fit the tables is
// CONFLICT; also where a table knows of a later run.
static bool is_refusal(enum status status, bool is_damage)
{
    return is_damage ? status == STATUS_INVALID_DATA || status == STATUS_UNSUPPORTED
                     : status == STATUS_CONFLICT;
}

static void expect_refusal(struct run *run, const char *what, bool is_damage)
{
    struct life life;
    struct err err = {.text = ""};
    enum status status = start(run, &life, draw_parallelism(run), &err);
    // What is damaged in the state shows when it is read.
    for (uint32_t i = 0; i < 2000 && status == STATUS_OK; i++) {
        status = step(run, &life, &err);
    }
    sim_world_trace(run->world, "%s: %s: %s", what, status_name(status), err.text);
    if (!is_refusal(status, is_damage)) {
        FAULT(run, "%s is not refused: %s (%s)", what, status_name(status), err.text);
    }
    drop(run, &life);
    run->figures->refusals++;
}

// Flips one bit of an object that ends so; false: there is none.
static bool damage(struct run *run, const char *ending)
{
    struct arena arena;
    struct store_object *objects;
    size_t count = 0;
    struct err err;
    bool done = false;
    run->world->quiet = true;
    arena_init(&arena);
    enum status status =
        store_list(run->world->disk, STR_LIT(DIRECTORY), &arena, &objects, &count, &err);
    for (size_t i = 0; status == STATUS_OK && i < count && !done; i++) {
        struct buf *bytes;
        if (!str_ends(objects[i].path, ending) || objects[i].size == 0) {
            continue;
        }
        status = store_read(run->world->disk, objects[i].path, SIZE_MAX, &bytes, &err);
        if (status == STATUS_OK) {
            char *copy = arena_copy(&arena, bytes->ptr, bytes->size);
            copy[sim_random_below(&run->random, (uint32_t)bytes->size)] ^=
                (char)(1 << sim_random_below(&run->random, 8));
            status =
                store_put(run->world->disk, objects[i].path, str_make(copy, bytes->size), 0, &err);
            buf_unref(bytes);
            done = status == STATUS_OK;
        }
    }
    arena_release(&arena);
    run->world->quiet = false;
    return done;
}

static void try_rollback(struct run *run)
{
    struct err err;
    bool done;
    if (sim_foreign_roll_back(&run->foreign, "raw", &done, &err) != STATUS_OK) {
        FAULT(run, "raw cannot be rolled back: %s", err.text);
    } else if (done) {
        expect_refusal(run, "a table rolled back", false);
    }
}

// Behind the end: starts that would double or lose rows, or go on from damage.
static void be_refused(struct run *run)
{
    switch (sim_random_below(&run->random, 6)) {
    case 0: try_rollback(run); break;
    case 1:
        if (run->backup != NULL && run->backup_commits < run->totals.commits) {
            sim_world_replace(run->world, run->backup);
            run->backup = NULL;
            expect_refusal(run, "checkpoints of an older backup", false);
        }
        break;
    case 2:
        if (run->totals.commits > 0) {
            sim_world_replace(run->world, NULL);
            run->identity++;
            expect_refusal(run, "checkpoints lost", false);
        }
        break;
    case 3:
        if (damage(run, ".checkpoint")) {
            expect_refusal(run, "a damaged checkpoint", true);
        }
        break;
    case 4:
        if (damage(run, ".segment")) {
            expect_refusal(run, "a damaged file of state", true);
        }
        break;
    default: break;
    }
}

static void back_up(struct run *run)
{
    if (sim_random_chance(&run->random, 300)) {
        store_free(run->backup);
        run->backup = sim_world_backup(run->world);
        run->backup_commits = run->totals.commits;
    }
}

static void live_all(struct run *run)
{
    uint32_t count = 1 + sim_random_below(&run->random, 10);
    for (uint32_t i = 0; i < count && run->faults.size == 0; i++) {
        live(run);
        if (run->faults.size == 0) {
            check_tables(run, false);
        }
        back_up(run);
        // Down for a while; others are not.
        for (uint32_t k = sim_random_below(&run->random, 4);
             k > 0 && run->foreign_per_myriad > 0 && run->faults.size == 0; k--) {
            act_foreign(run, draw_table(run));
        }
        advance(run, sim_random_chance(&run->random, 200) ? 30000000 : 100000);
    }
    if (run->faults.size == 0) {
        live_to_the_end(run);
    }
    if (run->faults.size == 0) {
        check_tables(run, true);
    }
    if (run->faults.size == 0 && !run->had_zombie) {
        static const char *const tables[] = {"raw", "per_window"};
        struct sim_check check = {&run->lake, &run->faults};
        sim_check_leftovers(&check, tables, 2, STR_LIT(DIRECTORY));
    }
    if (run->faults.size == 0) {
        be_refused(run);
    }
}

bool sim_run(const struct sim_run_options *options, struct sim_run_figures *figures)
{
    struct run *run = mem_zalloc(sizeof *run);
    run->options = options;
    run->figures = figures;
    init(run);
    if (run->faults.size == 0) {
        live_all(run);
    }
    bool good = run->faults.size == 0;
    if (!good) {
        printf("seed %" PRIu64 " FAILED\n%s", options->seed, run->faults.ptr);
        sim_world_print_trace(run->world, TRACE_TAIL);
    }
    release(run);
    mem_free(run);
    return good;
}
