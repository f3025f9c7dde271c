// SPDX-License-Identifier: Apache-2.0
//
// bench_kafka: a topic into columns: messages a second, and CPU time of the whole process.
//
//     bench_kafka BOOTSTRAP TOPIC [--follow ROWS] [--raw]
//
// Reads the topic to its present end (--follow: goes on until so many rows have come) through the
// Kafka source, at parallelism 1, with the columns of the rows that the generator of the test
// broker makes: id, ts, k, v, pad. --raw takes the messages from the client library alone and does
// nothing with them: the limit. Every id is counted: the last line says how many came, how many
// twice, and the greatest.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/mem.h"
#include "connect/kafka_client.h"
#include "connect/kafka_source.h"
#include "exec/op.h"
#include "plan/plan.h"
#include "sys/clock.h"
#include "sys/waker.h"

enum { COLUMNS = 5, IDS_MAX = 1 << 28 };

struct counts {
    uint64_t rows, repeated;
    int64_t greatest;
    uint64_t *seen;
};

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void count_ids(struct counts *counts, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->row_count; i++) {
        int64_t id = *(const int64_t *)column_value(&batch->columns[0], i);
        counts->rows++;
        if (id < 0 || id >= IDS_MAX) {
            continue;
        }
        counts->repeated += counts->seen[id / 64] >> (id % 64) & 1;
        counts->seen[id / 64] |= UINT64_C(1) << (id % 64);
        counts->greatest = id > counts->greatest ? id : counts->greatest;
    }
}

static void report(const struct counts *counts, double wall, double cpu)
{
    printf("%" PRIu64 " rows in %.2f s (%.2f M/s), %.2f s of CPU (%.2f M rows a CPU-second)\n",
           counts->rows, wall, (double)counts->rows / wall / 1e6, cpu,
           (double)counts->rows / cpu / 1e6);
    printf("%" PRIu64 " rows, %" PRIu64 " twice, greatest id %" PRId64 "\n", counts->rows,
           counts->repeated, counts->greatest);
}

static int fail(const struct err *err)
{
    fprintf(stderr, "%s\n%s\n", err->text, err->hint);
    return 1;
}

static int read_source(const struct plan_node *scan, const struct op_context *context,
                       uint64_t follow, struct counts *counts)
{
    struct source_reader *reader;
    struct err err = {0};
    if (kafka_source_class.open(scan, context, &reader, &err) != STATUS_OK) {
        return fail(&err);
    }
    enum status status;
    do {
        struct batch batch;
        status = reader->ops->poll(reader, &batch, &err);
        if (status == STATUS_OK) {
            count_ids(counts, &batch);
        } else if (status == STATUS_AGAIN) {
            waker_wait(context->waker, 100);
        }
    } while ((status == STATUS_OK || status == STATUS_AGAIN) &&
             (follow == 0 || counts->rows < follow));
    reader->ops->close(reader);
    return status == STATUS_END || follow > 0 ? 0 : fail(&err);
}

// The library alone.
static int read_raw(const struct table_def *def, struct counts *counts)
{
    struct arena arena;
    struct kafka_table table;
    struct kafka_client *client;
    struct kafka_partitions all;
    struct err err = {0};
    arena_init(&arena);
    if (kafka_table_read(&arena, def, &table, &err) != STATUS_OK ||
        kafka_client_open(def, &table, 4, &client, &err) != STATUS_OK ||
        kafka_client_partitions(client, &table, &arena, &all, &err) != STATUS_OK) {
        return fail(&err);
    }
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        rd_kafka_topic_partition_list_add(list, all.items[i].topic.ptr, all.items[i].number)
            ->offset = RD_KAFKA_OFFSET_BEGINNING;
    }
    rd_kafka_assign(client->rk, list);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(client->rk);
    uint32_t ended = 0;
    while (ended < all.count) {
        rd_kafka_message_t *messages[1024];
        ssize_t count = rd_kafka_consume_batch_queue(queue, 10, messages, 1024);
        for (ssize_t i = 0; i < count; i++) {
            ended += messages[i]->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
            counts->rows += messages[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR;
            rd_kafka_message_destroy(messages[i]);
        }
    }
    rd_kafka_queue_destroy(queue);
    kafka_client_close(client);
    arena_release(&arena);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "bench_kafka BOOTSTRAP TOPIC [--follow ROWS] [--raw]\n");
        return 2;
    }
    bool is_raw = argc > 3 && strcmp(argv[argc - 1], "--raw") == 0;
    bool follows = argc > 4 && strcmp(argv[3], "--follow") == 0;
    struct table_option options[] = {
        {STR_LIT("connector"), STR_LIT("kafka")},
        {STR_LIT("properties.bootstrap.servers"), str_from(argv[1])},
        {STR_LIT("topic"), str_from(argv[2])},
        {STR_LIT("format"), STR_LIT("json")},
        {STR_LIT("scan.startup.mode"), STR_LIT("earliest-offset")},
        {STR_LIT("scan.topic-partition-discovery.interval"), STR_LIT("500 ms")},
        {STR_LIT("scan.bounded.mode"), STR_LIT("latest-offset")},
    };
    struct table_column columns[COLUMNS] = {{.name = STR_LIT("id"), .type = &type_bigint},
                                            {.name = STR_LIT("ts"), .type = &type_bigint},
                                            {.name = STR_LIT("k"), .type = &type_string},
                                            {.name = STR_LIT("v"), .type = &type_double},
                                            {.name = STR_LIT("pad"), .type = &type_string}};
    struct table_def def = {.name = STR_LIT("t"),
                            .columns = columns,
                            .column_count = COLUMNS,
                            .options = options,
                            .option_count = follows ? 6 : 7};
    struct plan_column plan_columns[COLUMNS];
    uint32_t table_columns[COLUMNS];
    for (uint32_t i = 0; i < COLUMNS; i++) {
        plan_columns[i] =
            (struct plan_column){.id = i + 1, .name = columns[i].name, .type = columns[i].type};
        table_columns[i] = i;
    }
    struct plan_node scan = {.kind = PLAN_SCAN,
                             .column_count = COLUMNS,
                             .columns = plan_columns,
                             .as.scan = {.table = &def, .table_columns = table_columns}};
    struct budget budget;
    struct waker waker;
    struct counts counts = {.greatest = -1, .seen = mem_zalloc(IDS_MAX / 8)};
    budget_init(&budget, NULL, SIZE_MAX);
    waker_init(&waker);
    struct op_context context = {.operator_id = STR_LIT("source"),
                                 .parallelism = 1,
                                 .budget = &budget,
                                 .clock = clock_system(),
                                 .waker = &waker,
                                 .is_streaming = true,
                                 .batch_rows = BATCH_ROWS_MAX};
    double wall = seconds_of(CLOCK_MONOTONIC);
    int result =
        is_raw ? read_raw(&def, &counts)
               : read_source(&scan, &context, follows ? strtoull(argv[4], NULL, 10) : 0, &counts);
    if (result == 0) {
        report(&counts, seconds_of(CLOCK_MONOTONIC) - wall, seconds_of(CLOCK_PROCESS_CPUTIME_ID));
    }
    waker_release(&waker);
    mem_free(counts.seen);
    return result;
}
