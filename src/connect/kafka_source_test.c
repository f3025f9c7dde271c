// SPDX-License-Identifier: Apache-2.0
//
// Against the mock cluster inside the client library: real sockets and threads, no broker.
#include "connect/kafka_source.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "connect/drift_group.h"
#include "connect/kafka_properties.h"
#include "connect/kafka_table.h"
#include "connect/source_harness.h"

enum { DEADLINE_US = 30 * 1000000 };

struct fixture {
    struct harness h;
    rd_kafka_t *producer;
    rd_kafka_mock_cluster_t *cluster;
};

static int set_up(void **state)
{
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    char reason[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    // The producer's own cluster; sources are clients of it by its address.
    assert_int_equal(rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", reason, sizeof reason),
                     RD_KAFKA_CONF_OK);
    rd_kafka_conf_set_log_cb(conf, NULL); // the library's notes are no part of the test's output
    fixture->producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
    assert_non_null(fixture->producer);
    fixture->cluster = rd_kafka_handle_mock_cluster(fixture->producer);
    rd_kafka_mock_topic_create(fixture->cluster, "clicks", 2, 1);
    harness_init(&fixture->h);
    fixture->h.context.clock = clock_system();
    harness_option(&fixture->h, "connector", "kafka");
    harness_option(&fixture->h, "topic", "clicks");
    harness_option(&fixture->h, "properties.bootstrap.servers",
                   rd_kafka_mock_cluster_bootstraps(fixture->cluster));
    harness_option(&fixture->h, "format", "json");
    harness_option(&fixture->h, "scan.startup.mode", "earliest-offset");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    harness_release(&fixture->h);
    rd_kafka_destroy(fixture->producer);
    mem_free(fixture);
    return 0;
}

static void produce(struct fixture *fixture, const char *topic, int partition, const char *key,
                    const char *value)
{
    // The array form: the macros of the other one are not C17.
    rd_kafka_vu_t fields[] = {
        {.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = partition},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
        {.vtype = RD_KAFKA_VTYPE_TIMESTAMP, .u.i64 = 1700000000123},
        {.vtype = RD_KAFKA_VTYPE_KEY,
         .u.mem = {(void *)(uintptr_t)key, key == NULL ? 0 : strlen(key)}},
        {.vtype = RD_KAFKA_VTYPE_VALUE,
         .u.mem = {(void *)(uintptr_t)value, value == NULL ? 0 : strlen(value)}},
        {.vtype = RD_KAFKA_VTYPE_HEADER, .u.header = {"trace", "x1", 2}},
    };
    rd_kafka_error_t *error =
        rd_kafka_produceva(fixture->producer, fields, sizeof fields / sizeof fields[0]);
    assert_null(error);
}

static void produce_ids(struct fixture *fixture, const char *topic, int partition, int from, int to)
{
    for (int i = from; i < to; i++) {
        char value[64];
        snprintf(value, sizeof value, "{\"id\":%d}", i);
        produce(fixture, topic, partition, NULL, value);
    }
    assert_int_equal(rd_kafka_flush(fixture->producer, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
}

static uint32_t rows_so_far(const struct harness *h)
{
    uint32_t rows = 0;
    for (size_t i = 0; i < h->text.size; i++) {
        rows += h->text.ptr[i] == '\n';
    }
    return rows;
}

// Until `rows` rows are there, or the end, or a failure; waits for the reader's waker in between.
static enum status read_rows(struct harness *h, uint32_t rows)
{
    int64_t deadline = clock_monotonic_us(clock_system()) + DEADLINE_US;
    while (rows_so_far(h) < rows) {
        enum status status = harness_poll(h);
        if (status == STATUS_AGAIN) {
            assert_true(clock_monotonic_us(clock_system()) < deadline);
            waker_wait(&h->waker, 100);
        } else if (status != STATUS_OK) {
            return status;
        }
    }
    return STATUS_OK;
}

static void expect_end(struct harness *h)
{
    if (read_rows(h, UINT32_MAX) != STATUS_END) {
        fail_msg("%s (%s)", h->err.text, h->err.hint);
    }
}

static void a_bounded_topic_is_read_to_its_end(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 3);
    produce_ids(fixture, "clicks", 1, 10, 12);
    harness_column(h, "id", &type_int);
    harness_metadata(h, "part", "partition", &type_int);
    harness_metadata(h, "offset", "offset", &type_bigint);
    harness_metadata(h, "topic", "topic", &type_string);
    harness_metadata(h, "ts", "timestamp", &type_timestamp_ltz3);
    harness_metadata(h, "tt", "timestamp-type", &type_string);
    harness_metadata(h, "epoch", "leader-epoch", &type_int);
    harness_option(h, "scan.bounded.mode", "latest-offset");
    h->print_place = true;
    harness_open(h, &kafka_source_class);
    assert_int_equal(h->reader->splits.count, 2);
    assert_true(str_is(h->reader->splits.items[1].name, "clicks-1"));
    expect_end(h);
    const char *rest = " clicks 1700000000123000 CreateTime ";
    for (int i = 0; i < 5; i++) {
        char want[160];
        int partition = i < 3 ? 0 : 1;
        int offset = i < 3 ? i : i - 3;
        snprintf(want, sizeof want, "topic clicks partition %d offset %d: +I %d %d %d%s", partition,
                 offset, i < 3 ? i : 7 + i, partition, offset, rest);
        if (strstr(h->text.ptr, want) == NULL) {
            fail_msg("%s\n is not in\n%s", want, h->text.ptr);
        }
    }
    assert_int_equal(rows_so_far(h), 5);
    assert_int_equal(h->reader->splits.items[0].state, SPLIT_FINISHED);
}

static void an_empty_topic_that_is_bounded_ends_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    harness_column(h, "id", &type_int);
    harness_option(h, "scan.bounded.mode", "latest-offset");
    harness_open(h, &kafka_source_class);
    assert_int_equal(harness_poll(h), STATUS_END);
}

static void latest_is_what_comes_from_now_on(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 3);
    harness_column(h, "id", &type_int);
    harness_option(h, "scan.startup.mode", "latest-offset");
    harness_open(h, &kafka_source_class);
    // The position counts from here: what comes before the first poll is read.
    harness_snapshot(h);
    assert_true(str_is(h->entries.items[0].bytes, "3"));
    produce_ids(fixture, "clicks", 0, 3, 5);
    assert_int_equal(read_rows(h, 2), STATUS_OK);
    assert_string_equal(h->text.ptr, "+I 3\n+I 4\n");
}

static void specific_offsets_begin_and_end_partitions(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 10);
    produce_ids(fixture, "clicks", 1, 100, 110);
    harness_column(h, "id", &type_int);
    harness_option(h, "scan.startup.mode", "specific-offsets");
    harness_option(h, "scan.startup.specific-offsets", "partition:0,offset:4");
    harness_option(h, "scan.bounded.mode", "specific-offsets");
    harness_option(h, "scan.bounded.specific-offsets", "partition:0,offset:6;partition:1,offset:1");
    harness_open(h, &kafka_source_class);
    expect_end(h);
    assert_int_equal(rows_so_far(h), 3);
    assert_non_null(strstr(h->text.ptr, "+I 4\n+I 5\n"));
    assert_non_null(strstr(h->text.ptr, "+I 100\n"));
}

static void a_restore_goes_on_behind_what_was_handed_out(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 50);
    produce_ids(fixture, "clicks", 1, 100, 150);
    harness_column(h, "id", &type_int);
    h->context.batch_rows = 7;
    harness_open(h, &kafka_source_class);
    assert_int_equal(read_rows(h, 30), STATUS_OK);
    harness_snapshot(h);
    struct strbuf all = h->text;
    strbuf_init(&h->text, 1 << 20);
    assert_int_equal(read_rows(h, 20), STATUS_OK); // read, and lost with the crash
    harness_crash(h);
    harness_option(h, "scan.startup.mode", "latest-offset"); // of no consequence now
    harness_option(h, "scan.bounded.mode", "latest-offset");
    h->context.parallelism = 2;
    for (h->context.instance = 0; h->context.instance < 2; h->context.instance++) {
        harness_open(h, &kafka_source_class);
        assert_int_equal(h->reader->splits.count, 1);
        strbuf_reset(&h->text);
        expect_end(h);
        strbuf_add_text(&all, h->text.ptr);
        harness_close(h);
    }
    for (int i = 0; i < 100; i++) {
        char row[32];
        snprintf(row, sizeof row, "+I %d\n", i < 50 ? i : i + 50);
        const char *at = strstr(all.ptr, row);
        assert_non_null(at);
        assert_null(strstr(at + 1, row));
    }
    strbuf_release(&all);
}

static void positions_that_the_log_does_not_have_are_lost_data(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 5);
    harness_column(h, "id", &type_int);
    struct snapshot_entry entry = {.operator_id = h->context.operator_id,
                                   .key = STR_LIT("split/clicks-0"),
                                   .bytes = STR_LIT("77")};
    h->restore = (struct snapshot_reader){.entry_count = 1, .entries = &entry};
    h->context.restore = &h->restore;
    assert_int_equal(harness_try_open(h, &kafka_source_class), STATUS_INVALID_DATA);
    assert_string_equal(h->err.text, "table 't': topic clicks partition 0: the position is offset "
                                     "77, and the log ends at 5");
    entry.key = STR_LIT("split/clicks-9");
    assert_int_equal(harness_try_open(h, &kafka_source_class), STATUS_NOT_FOUND);
    assert_non_null(strstr(h->err.text, "partition 'clicks-9' is gone"));
    // While it is read, the client says so.
    entry.key = STR_LIT("split/clicks-0");
    entry.bytes = STR_LIT("5");
    harness_open(h, &kafka_source_class);
    rd_kafka_mock_push_request_errors(fixture->cluster, 1, 1,
                                      RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE);
    assert_int_equal(read_rows(h, 1), STATUS_INVALID_DATA);
    assert_non_null(strstr(h->err.text, "are gone"));
}

static void bad_records_are_told_with_their_offset(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 1, 0, 2);
    produce(fixture, "clicks", 1, NULL, "{\"id\":\"x\"}");
    produce_ids(fixture, "clicks", 1, 3, 4);
    harness_column(h, "id", &type_int);
    harness_open(h, &kafka_source_class);
    assert_int_equal(read_rows(h, 3), STATUS_INVALID_DATA);
    assert_string_equal(h->text.ptr, "+I 0\n+I 1\n");
    assert_string_equal(
        h->err.text, "table 't': topic clicks partition 1 offset 2: field 'id' cannot be read as "
                     "INT: \"x\", at byte 6 of the record");
    harness_close(h);
    harness_option(h, "json.ignore-parse-errors", "true");
    strbuf_reset(&h->text);
    harness_open(h, &kafka_source_class);
    assert_int_equal(read_rows(h, 4), STATUS_OK);
    assert_string_equal(h->text.ptr, "+I 0\n+I 1\n+I ~\n+I 3\n");
}

static void keys_headers_and_tombstones(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    harness_column(h, "k_user", &type_bigint);
    harness_column(h, "id", &type_int);
    harness_metadata(h, "headers", "headers",
                     type_map(&h->arena, &type_string, &type_bytes, false));
    harness_option(h, "key.format", "json");
    harness_option(h, "key.fields", "k_user");
    harness_option(h, "key.fields-prefix", "k_");
    harness_option(h, "value.fields-include", "EXCEPT_KEY");
    harness_option(h, "scan.bounded.mode", "latest-offset");
    produce(fixture, "clicks", 0, "{\"user\":7}", "{\"id\":1,\"k_user\":9}");
    produce(fixture, "clicks", 0, NULL, "{\"id\":2}");
    produce(fixture, "clicks", 0, "{\"user\":8}", NULL); // a tombstone is no row
    produce(fixture, "clicks", 0, "{\"user\":null}", "{\"id\":4}");
    produce(fixture, "clicks", 0, "{\"user\":5}", "{}");
    assert_int_equal(rd_kafka_flush(fixture->producer, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    harness_open(h, &kafka_source_class);
    expect_end(h);
    assert_string_equal(h->text.ptr, "+I 7 1 [trace=x1]\n+I ~ 2 [trace=x1]\n"
                                     "+I ~ 4 [trace=x1]\n+I 5 ~ [trace=x1]\n");
}

static void changes_come_with_their_kinds_and_metadata(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    harness_column(h, "id", &type_int);
    harness_metadata(h, "origin", "value.source.table", &type_string);
    harness_option(h, "format", "debezium-json");
    harness_option(h, "scan.bounded.mode", "latest-offset");
    produce(fixture, "clicks", 0, NULL,
            "{\"after\":{\"id\":1},\"op\":\"c\",\"source\":{\"table\":\"orders\"}}");
    produce(fixture, "clicks", 0, NULL,
            "{\"before\":{\"id\":1},\"after\":{\"id\":2},\"op\":\"u\"}");
    assert_int_equal(rd_kafka_flush(fixture->producer, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    h->print_place = true;
    harness_open(h, &kafka_source_class);
    expect_end(h);
    assert_string_equal(h->text.ptr, "topic clicks partition 0 offset 0: +I 1 orders\n"
                                     "topic clicks partition 0 offset 1: -U 1 ~\n"
                                     "topic clicks partition 0 offset 1: +U 2 ~\n");
}

static void a_missing_topic_and_a_dead_broker_are_told(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    harness_column(h, "id", &type_int);
    harness_option(h, "topic", "click");
    rd_kafka_mock_topic_set_error(fixture->cluster, "click",
                                  RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
    assert_int_equal(harness_try_open(h, &kafka_source_class), STATUS_NOT_FOUND);
    assert_non_null(strstr(h->err.text, "there is no topic 'click' at 127.0.0.1:"));
    assert_string_equal(h->err.hint, "did you mean 'clicks'?");
    harness_option(h, "properties.bootstrap.servers", "127.0.0.1:1");
    harness_option(h, "scan.metadata-timeout", "300 ms");
    assert_int_equal(harness_try_open(h, &kafka_source_class), STATUS_UNAVAILABLE);
    assert_non_null(strstr(h->err.text, "Kafka at 127.0.0.1:1: cannot look up the topic"));
    assert_non_null(strstr(h->err.hint, "properties.bootstrap.servers"));
    harness_option(h, "properties.no.such.thing", "1");
    assert_int_equal(harness_try_open(h, &kafka_source_class), STATUS_INVALID_DATA);
    assert_non_null(strstr(h->err.text, "option 'properties.no.such.thing' = '1'"));
}

static void topics_that_come_later_are_found(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 1, 2);
    harness_column(h, "id", &type_int);
    h->def.option_count = 0;
    harness_option(h, "connector", "kafka");
    harness_option(h, "topic-pattern", "click.*");
    harness_option(h, "properties.bootstrap.servers",
                   rd_kafka_mock_cluster_bootstraps(fixture->cluster));
    harness_option(h, "format", "json");
    harness_option(h, "scan.startup.mode", "earliest-offset");
    harness_option(h, "scan.topic-partition-discovery.interval", "50 ms");
    harness_open(h, &kafka_source_class);
    assert_int_equal(read_rows(h, 1), STATUS_OK);
    rd_kafka_mock_topic_create(fixture->cluster, "clicks2", 1, 1);
    rd_kafka_mock_topic_create(fixture->cluster, "other", 1, 1);
    produce_ids(fixture, "other", 0, 9, 10);
    produce_ids(fixture, "clicks2", 0, 5, 7);
    assert_int_equal(read_rows(h, 3), STATUS_OK);
    assert_string_equal(h->text.ptr, "+I 1\n+I 5\n+I 6\n");
    assert_int_equal(h->reader->splits.count, 3);
}

static void the_partition_with_the_lowest_watermark_goes_first(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 4);
    produce_ids(fixture, "clicks", 1, 100, 104);
    harness_column(h, "id", &type_int);
    h->context.batch_rows = 1;
    harness_open(h, &kafka_source_class);
    assert_int_equal(read_rows(h, 1), STATUS_OK);
    // The other partition has messages once one of them has come out.
    bool first_is_0 = strcmp(h->text.ptr, "+I 0\n") == 0;
    struct source_split *splits = h->reader->splits.items;
    splits[first_is_0 ? 0 : 1].watermark = 1000;
    assert_int_equal(read_rows(h, 2), STATUS_OK);
    assert_string_equal(h->text.ptr, first_is_0 ? "+I 0\n+I 100\n" : "+I 100\n+I 0\n");
    splits[0].watermark = 50;
    splits[1].watermark = 60;
    strbuf_reset(&h->text);
    assert_int_equal(read_rows(h, 1), STATUS_OK);
    assert_string_equal(h->text.ptr, "+I 1\n");
    splits[0].watermark = 70;
    assert_int_equal(read_rows(h, 2), STATUS_OK);
    assert_string_equal(h->text.ptr, "+I 1\n+I 101\n");
}

static void durable_positions_are_committed_to_a_named_group(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    produce_ids(fixture, "clicks", 0, 0, 3);
    harness_column(h, "id", &type_int);
    harness_option(h, "properties.group.id", "lag");
    harness_open(h, &kafka_source_class);
    assert_int_equal(read_rows(h, 3), STATUS_OK);
    harness_snapshot(h);
    h->reader->ops->committed(h->reader, (struct epoch){1, 1});
    // A second source begins there; the commit takes its time.
    struct harness other;
    harness_init(&other);
    other.context.clock = clock_system();
    harness_column(&other, "id", &type_int);
    for (uint32_t i = 0; i < h->def.option_count; i++) {
        harness_option(&other, h->options[i].key.ptr, h->options[i].value.ptr);
    }
    harness_option(&other, "scan.startup.mode", "group-offsets");
    harness_option(&other, "properties.auto.offset.reset", "earliest");
    int64_t deadline = clock_monotonic_us(clock_system()) + DEADLINE_US;
    bool is_committed = false;
    while (!is_committed) {
        assert_true(clock_monotonic_us(clock_system()) < deadline);
        harness_open(&other, &kafka_source_class);
        harness_snapshot(&other);
        for (uint32_t i = 0; i < other.entries.count; i++) {
            is_committed |= str_is(other.entries.items[i].key, "split/clicks-0") &&
                            str_is(other.entries.items[i].bytes, "3");
        }
        harness_close(&other);
    }
    harness_release(&other);
}

struct property_list {
    struct strbuf text;
};

static enum status note_property(void *self, const char *key, const char *value)
{
    struct property_list *list = self;
    strbuf_printf(&list->text, "%s=%s\n", key, value);
    return STATUS_OK;
}

static void properties_of_the_java_client_are_translated(void **state)
{
    (void)state;
    struct harness h;
    struct property_list list;
    harness_init(&h);
    strbuf_init(&list.text, 4096);
    harness_option(&h, "properties.fetch.max.wait.ms", "10");
    harness_option(&h, "properties.key.deserializer", "x");
    harness_option(&h, "properties.sasl.mechanism", "PLAIN");
    harness_option(&h, "properties.sasl.jaas.config",
                   "org.apache.kafka.common.security.plain.PlainLoginModule required "
                   "username=\"me\" password=\"a b\";");
    assert_int_equal(kafka_properties_apply(&h.def, note_property, &list, &h.err), STATUS_OK);
    assert_string_equal(list.text.ptr, "fetch.wait.max.ms=10\nsasl.mechanism=PLAIN\n"
                                       "sasl.username=me\nsasl.password=a b\n");
    harness_option(&h, "properties.ssl.truststore.location", "trust.jks");
    assert_int_equal(kafka_properties_apply(&h.def, note_property, &list, &h.err),
                     STATUS_UNSUPPORTED);
    strbuf_release(&list.text);
    harness_release(&h);
}

static void instances_wait_for_the_lowest_of_their_group(void **state)
{
    (void)state;
    struct drift_member *a = drift_group_join(STR_LIT("p"), STR_LIT("s"));
    struct drift_member *b = drift_group_join(STR_LIT("p"), STR_LIT("s"));
    struct drift_member *c = drift_group_join(STR_LIT("p"), STR_LIT("other"));
    assert_true(drift_group_lowest(a, 0) == DRIFT_NOBODY);
    drift_group_publish(a, 100, 1000);
    drift_group_publish(b, 50, 1000);
    drift_group_publish(c, 1, 1000);
    assert_int_equal(drift_group_lowest(a, 1000), 50);
    drift_group_publish(a, 100, 1000 + DRIFT_STALE_US);
    assert_int_equal(drift_group_lowest(a, 1000 + DRIFT_STALE_US), 100); // b is held up
    drift_group_leave(b);
    assert_int_equal(drift_group_lowest(a, 1000), 100);
    drift_group_leave(a);
    drift_group_leave(c);
}

// The thread sanitizer does not know threads made by C11's thrd_create(), as the library's are, and
// crashes in them.
#if defined(__SANITIZE_THREAD__)
#define NO_FOREIGN_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_FOREIGN_THREADS 1
#endif
#endif

int main(void)
{
#ifdef NO_FOREIGN_THREADS
    puts("skipped: the thread sanitizer cannot follow librdkafka's threads");
    return 0;
#endif
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_bounded_topic_is_read_to_its_end),
        TEST(an_empty_topic_that_is_bounded_ends_at_once),
        TEST(latest_is_what_comes_from_now_on),
        TEST(specific_offsets_begin_and_end_partitions),
        TEST(a_restore_goes_on_behind_what_was_handed_out),
        TEST(positions_that_the_log_does_not_have_are_lost_data),
        TEST(bad_records_are_told_with_their_offset),
        TEST(keys_headers_and_tombstones),
        TEST(changes_come_with_their_kinds_and_metadata),
        TEST(a_missing_topic_and_a_dead_broker_are_told),
        TEST(topics_that_come_later_are_found),
        TEST(the_partition_with_the_lowest_watermark_goes_first),
        TEST(durable_positions_are_committed_to_a_named_group),
        cmocka_unit_test(properties_of_the_java_client_are_translated),
        cmocka_unit_test(instances_wait_for_the_lowest_of_their_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
