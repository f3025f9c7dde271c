// SPDX-License-Identifier: Apache-2.0
#include "connect/registry.h"

#include "base/quantity.h"
#include "connect/record_format.h"
#include "connect/source_harness.h"

// The options of a table, as key, value, key, value, …, NULL.
static enum status describe(struct harness *h, bool as_sink, struct connector_info *info,
                            const char *const *options)
{
    struct connector_lookup lookup = registry_lookup();
    h->def.option_count = 0;
    h->err = (struct err){0};
    for (; *options != NULL; options += 2) {
        harness_option(h, options[0], options[1]);
    }
    return lookup.describe(lookup.self, &h->arena, &h->def, as_sink, info, &h->err);
}

#define OPTIONS(...)                                                                               \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void the_connectors_are_described(void **state)
{
    (void)state;
    struct harness h;
    struct connector_info info;
    harness_init(&h);
    harness_column(&h, "id", &type_int);
    assert_int_equal(
        describe(&h, false, &info,
                 OPTIONS("connector", "filesystem", "path", "/x", "format", "debezium-json")),
        STATUS_OK);
    assert_true(info.can_read && info.is_bounded && info.can_write);
    assert_int_equal(info.source_changes, 15);
    assert_int_equal(info.metadata_count, 4);
    assert_true(str_is(info.metadata[0].key, "file.path"));
    assert_int_equal(describe(&h, false, &info,
                              OPTIONS("connector", "filesystem", "path", "/x", "format", "json",
                                      "source.monitor-interval", "5 s",
                                      "json.timestamp-format.standard", "iso-8601")),
                     STATUS_OK);
    assert_true(!info.is_bounded && info.prunes_fields);
    assert_int_equal(info.source_changes, CONNECTOR_INSERT_ONLY);
    assert_int_equal(describe(&h, true, &info, OPTIONS("connector", "print")), STATUS_OK);
    assert_true(info.can_write && !info.can_read);
    assert_int_equal(info.sink_changes, 15);
    assert_int_equal(describe(&h, true, &info, OPTIONS("connector", "blackhole")), STATUS_OK);
    assert_int_equal(describe(&h, false, &info, OPTIONS("connector", "datagen")), STATUS_OK);
    assert_false(info.is_bounded);
    assert_int_equal(
        describe(&h, false, &info, OPTIONS("connector", "datagen", "number-of-rows", "5")),
        STATUS_OK);
    assert_true(info.is_bounded);
    assert_int_equal(describe(&h, false, &info,
                              OPTIONS("connector", "kafka", "topic", "t",
                                      "properties.bootstrap.servers", "b:1", "properties.anything",
                                      "x", "value.format", "debezium-json", "scan.startup.mode",
                                      "earliest-offset", "scan.bounded.mode", "latest-offset")),
                     STATUS_OK);
    assert_true(info.is_bounded && info.can_read);
    assert_int_equal(info.metadata_count, 14);
    assert_true(str_is(info.metadata[13].key, "value.source.properties"));
    harness_release(&h);
}

static void what_is_wrong_is_said_with_the_nearest_name(void **state)
{
    (void)state;
    static const struct {
        const char *options[10];
        const char *text;
        const char *hint;
    } cases[] = {
        {{"connector", "nope"}, "there is no connector 'nope'", "connectors: kafka"},
        {{"connector", "kafak"}, "there is no connector 'kafak'", "did you mean 'kafka'?"},
        {{"connector", "jdbc"}, "connector 'jdbc' is not supported yet", ""},
        {{"connector", "upsert-kafka"}, "connector 'upsert-kafka' is not supported yet", ""},
        {{"format", "json"}, "table 't' has no 'connector'", "WITH ("},
        {{"connector", "filesystem", "format", "json"},
         "option 'path' is missing, which connector 'filesystem' needs",
         "a directory"},
        {{"connector", "datagen", "rows", "1"},
         "connector 'datagen' has no option 'rows'",
         "did you mean 'number-of-rows'?"},
        {{"connector", "datagen", "colour", "1"},
         "connector 'datagen' has no option 'colour'",
         "options: rows-per-second, number-of-rows, "},
        {{"connector", "datagen", "number-of-row", "1"},
         "has no option 'number-of-row'",
         "did you mean 'number-of-rows'?"},
        {{"connector", "filesystem", "path", "/x", "format", "jason"},
         "there is no format 'jason'",
         "did you mean 'json'?"},
        {{"connector", "filesystem", "path", "/x", "format", "avro-confluent"},
         "format 'avro-confluent' is not supported yet",
         ""},
        {{"connector", "filesystem", "path", "/x", "format", "json", "json.fail-on-missing", "1"},
         "has no option 'json.fail-on-missing'",
         "did you mean 'json.fail-on-missing-field'?"},
        {{"connector", "filesystem", "path", "/x", "format", "json", "json.ignore-parse-errors",
          "yes"},
         "option 'json.ignore-parse-errors' cannot be 'yes'",
         "it is true or false"},
        {{"connector", "filesystem", "path", "/x", "format", "json",
          "json.timestamp-format.standard", "UTC"},
         "cannot be 'UTC'",
         "one of: SQL, ISO-8601"},
        {{"connector", "filesystem", "path", "/x", "format", "json", "source.monitor-interval",
          "soon"},
         "cannot be 'soon'",
         "a duration such as '10 s'"},
        {{"connector", "filesystem", "path", "/x", "format", "csv", "csv.field-delimiter", "ab"},
         "option 'csv.field-delimiter' cannot be 'ab'",
         ""},
        {{"connector", "kafka", "topic", "t"},
         "option 'properties.bootstrap.servers' is missing",
         "host:9092"},
        {{"connector", "kafka", "topic", "t", "properties.bootstrap.servers", "b", "format",
          "json"},
         "'scan.startup.mode' = 'group-offsets' (the default) needs 'properties.group.id'",
         "earliest-offset"},
        {{"connector", "datagen", "fields.idd.min", "1"},
         "the table has no column 'idd'",
         "did you mean 'id'?"},
        {{"connector", "datagen", "fields.id.kind", "sequence"}, "needs .start and .end", ""},
        {{"connector", "datagen", "fields.id.min", "9", "fields.id.max", "1"},
         "is more than .max",
         ""},
        {{"connector", "nexmark"},
         "column 'id' is not one of the connector 'nexmark'",
         "event_type INT"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct harness h;
        struct connector_info info;
        harness_init(&h);
        harness_column(&h, "id", &type_int);
        assert_true(describe(&h, false, &info, cases[i].options) != STATUS_OK);
        if (strstr(h.err.text, cases[i].text) == NULL ||
            strstr(h.err.hint, cases[i].hint) == NULL || h.err.stage != ERR_STAGE_VALIDATE) {
            fail_msg("case %zu: %s (%s)", i, h.err.text, h.err.hint);
        }
        harness_release(&h);
    }
}

static void sinks_that_do_not_exist_yet_are_refused_by_name(void **state)
{
    (void)state;
    struct harness h;
    struct connector_info info;
    harness_init(&h);
    harness_column(&h, "id", &type_int);
    assert_int_equal(
        describe(&h, true, &info,
                 OPTIONS("connector", "filesystem", "path", "/x", "format", "debezium-json")),
        STATUS_UNSUPPORTED);
    assert_string_equal(h.err.text, "writing files of format 'debezium-json' is not supported yet");
    assert_int_equal(describe(&h, true, &info, OPTIONS("connector", "datagen")), STATUS_OK);
    assert_false(info.can_write);
    harness_release(&h);
}

static void durations_and_sizes_are_those_of_flink(void **state)
{
    (void)state;
    int64_t value;
    static const struct {
        const char *text;
        int64_t ms;
    } durations[] = {{"10 s", 10000},   {"500ms", 500}, {"1 min", 60000},      {"2h", 7200000},
                     {"1 d", 86400000}, {"250", 250},   {"3 minutes", 180000}, {"5 MILLIS", 5}};
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++) {
        assert_true(quantity_duration_ms(str_from(durations[i].text), &value));
        assert_int_equal(value, durations[i].ms);
    }
    static const char *const bad[] = {"", "s", "-1 s", "1 fortnight", "9999999999999999 d"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(quantity_duration_ms(str_from(bad[i]), &value));
    }
    assert_true(quantity_bytes(str_from("64 mb"), &value) && value == 64 << 20);
    assert_true(quantity_bytes(str_from("200b"), &value) && value == 200);
    assert_true(quantity_bytes(str_from("1 kibibytes"), &value) && value == 1024);
}

static void every_option_has_a_text_and_a_default_that_is_legal(void **state)
{
    (void)state;
    const struct registry_connector *connector;
    for (uint32_t i = 0; (connector = registry_connector_at(i)) != NULL; i++) {
        if (connector->unsupported == NULL) {
            assert_non_null(connector->doc);
            assert_true(connector->source != NULL || connector->sink != NULL);
        }
        for (uint32_t k = 0; k < connector->option_count; k++) {
            assert_non_null(connector->options[k].key);
            assert_non_null(connector->options[k].doc);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_connectors_are_described),
        cmocka_unit_test(what_is_wrong_is_said_with_the_nearest_name),
        cmocka_unit_test(sinks_that_do_not_exist_yet_are_refused_by_name),
        cmocka_unit_test(durations_and_sizes_are_those_of_flink),
        cmocka_unit_test(every_option_has_a_text_and_a_default_that_is_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
