// SPDX-License-Identifier: Apache-2.0
#include "connect/nexmark_source.h"

#include "connect/source_harness.h"

struct fixture {
    struct harness h;
    const struct type *person, *auction, *bid;
};

static const struct type *row_of(struct arena *arena, const char *const *names, uint32_t count)
{
    struct type_field *fields = arena_new_array(arena, struct type_field, count);
    for (uint32_t i = 0; i < count; i++) {
        // "name s", "id b", "dateTime t"
        size_t size = strlen(names[i]) - 2;
        char kind = names[i][size + 1];
        fields[i].name = str_make(names[i], size);
        fields[i].type = kind == 'b' ? &type_bigint : kind == 's' ? &type_string : &type_timestamp3;
    }
    return type_row(arena, fields, count, true);
}

static int set_up(void **state)
{
    static const char *const person[] = {"id b",   "name s",  "emailAddress s", "creditCard s",
                                         "city s", "state s", "dateTime t",     "extra s"};
    static const char *const auction[] = {
        "id b",       "itemName s", "description s", "initialBid b", "reserve b",
        "dateTime t", "expires t",  "seller b",      "category b",   "extra s"};
    static const char *const bid[] = {"auction b", "bidder b",   "price b", "channel s",
                                      "url s",     "dateTime t", "extra s"};
    struct fixture *fixture = mem_zalloc(sizeof *fixture);
    harness_init(&fixture->h);
    fixture->person = row_of(&fixture->h.arena, person, 8);
    fixture->auction = row_of(&fixture->h.arena, auction, 10);
    fixture->bid = row_of(&fixture->h.arena, bid, 7);
    harness_option(&fixture->h, "connector", "nexmark");
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    harness_release(&fixture->h);
    mem_free(fixture);
    return 0;
}

static void add_columns(struct fixture *fixture)
{
    harness_column(&fixture->h, "event_type", &type_int);
    harness_column(&fixture->h, "person", fixture->person);
    harness_column(&fixture->h, "auction", fixture->auction);
    harness_column(&fixture->h, "bid", fixture->bid);
}

// Sums over all events, read batch by batch.
struct totals {
    uint64_t rows, persons, auctions, bids, hot_auctions, hot_channels;
    uint64_t person_bytes, auction_bytes, bid_bytes;
    double price_sum;
    int64_t last_time;
};

static uint64_t text_bytes(const struct column *row, uint32_t at)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < row->child_count; i++) {
        if (row->children[i].physical == PHYSICAL_STRING) {
            bytes += ((const struct strview *)column_value(&row->children[i], at))->size;
        } else {
            bytes += 8;
        }
    }
    return bytes;
}

static int64_t field_i64(const struct column *row, uint32_t field, uint32_t at)
{
    return *(const int64_t *)column_value(&row->children[field], at);
}

static void add_batch(struct totals *totals, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->row_count; i++) {
        int32_t type = *(const int32_t *)column_value(&batch->columns[0], i);
        for (int32_t kind = 0; kind < 3; kind++) {
            assert_int_equal(column_is_null(&batch->columns[1 + kind], i), kind != type);
        }
        const struct column *row = &batch->columns[1 + type];
        totals->rows++;
        totals->persons += type == 0;
        totals->auctions += type == 1;
        totals->bids += type == 2;
        uint64_t *bytes = type == 0   ? &totals->person_bytes
                          : type == 1 ? &totals->auction_bytes
                                      : &totals->bid_bytes;
        *bytes += text_bytes(row, i);
        int64_t time = field_i64(row, type == 0 ? 6 : 5, i);
        assert_true(time >= totals->last_time);
        totals->last_time = time;
        if (type == 1) {
            assert_true(field_i64(row, 4, i) >= field_i64(row, 3, i)); // reserve over initial bid
            assert_true(field_i64(row, 6, i) > time);                  // expires later
            int64_t category = field_i64(row, 8, i);
            assert_true(category >= 10 && category < 15);
        }
        if (type == 2) {
            int64_t price = field_i64(row, 2, i);
            assert_true(price >= 100 && price <= 100000000);
            totals->price_sum += (double)price;
            totals->hot_auctions += field_i64(row, 0, i) % 100 == 0;
            struct str channel = strview_str(column_value(&row->children[3], i));
            totals->hot_channels += !str_starts(channel, "channel-");
        }
    }
}

static void events_follow_the_model(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    struct totals totals = {0};
    add_columns(fixture);
    harness_option(h, "events.num", "100000");
    assert_int_equal(nexmark_source_check(&h->def, &h->err), STATUS_OK);
    harness_open(h, &nexmark_source_class);
    struct batch batch;
    enum status status;
    while ((status = h->reader->ops->poll(h->reader, &batch, &h->err)) == STATUS_OK) {
        struct err err;
        assert_int_equal(batch_check(&batch, &err), STATUS_OK);
        assert_true(batch_bytes(&batch) <= BATCH_BYTES_MAX);
        add_batch(&totals, &batch);
    }
    assert_int_equal(status, STATUS_END);
    assert_int_equal(totals.rows, 100000);
    assert_int_equal(totals.persons, 2000);
    assert_int_equal(totals.auctions, 6000);
    assert_int_equal(totals.bids, 92000);
    // 10,000 events a second from 2015-07-15 on: the last one is 9,999.9 ms later.
    assert_int_equal(totals.last_time, INT64_C(1436918409999000));
    // Half of the bids go to the hot auction, whose id is a multiple of 100, and half to hot
    // channels.
    assert_true(totals.hot_auctions > 44000 && totals.hot_auctions < 50000);
    assert_true(totals.hot_channels > 44000 && totals.hot_channels < 48000);
    // Log-uniform prices from 100 to 10^8: their mean is 10^8 / ln(10^6).
    double mean = totals.price_sum / (double)totals.bids;
    assert_true(mean > 6.9e6 && mean < 7.6e6);
    assert_true(totals.person_bytes / totals.persons > 180 &&
                totals.person_bytes / totals.persons < 220);
    assert_true(totals.auction_bytes / totals.auctions > 450 &&
                totals.auction_bytes / totals.auctions < 550);
    assert_true(totals.bid_bytes / totals.bids > 90 && totals.bid_bytes / totals.bids < 200);
}

static void the_first_events_are_of_the_usual_shape(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    add_columns(fixture);
    harness_option(h, "events.num", "5");
    harness_open(h, &nexmark_source_class);
    const char *text = harness_read_all(h);
    // A person, three auctions, then bids; the first ids are those of nexmark-flink.
    assert_memory_equal(text, "+I 0 (1000,", 11);
    assert_non_null(strstr(text, "\n+I 1 ~ (1000,"));
    assert_non_null(strstr(text, "\n+I 1 ~ (1001,"));
    assert_non_null(strstr(text, "\n+I 1 ~ (1002,"));
    assert_non_null(strstr(text, "\n+I 2 ~ ~ (10"));
    assert_non_null(strstr(text, "https://www.nexmark.com/"));
}

// All rows of all instances, one a line, sorted.
static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *sorted(struct arena *arena, const char *text)
{
    char *copy = arena_copy(arena, text, strlen(text) + 1);
    const char **lines = arena_new_array(arena, const char *, 4096);
    uint32_t count = 0;
    for (char *line = copy; *line != 0; line = strchr(line, '\n') + 1) {
        assert_true(count < 4096);
        lines[count++] = line;
        if (count > 1) {
            line[-1] = 0;
        }
    }
    copy[strlen(text) - 1] = 0;
    qsort(lines, count, sizeof *lines, compare_lines);
    struct strbuf out;
    strbuf_init(&out, 64 << 20);
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(&out, "%s\n", lines[i]);
    }
    char *result = arena_copy(arena, out.ptr, out.size + 1);
    strbuf_release(&out);
    return result;
}

static void the_same_seed_gives_the_same_events_at_any_parallelism(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    add_columns(fixture);
    harness_option(h, "events.num", "1001");
    harness_option(h, "seed", "7");
    harness_open(h, &nexmark_source_class);
    char *one = sorted(&h->arena, harness_read_all(h));
    harness_close(h);
    struct strbuf all;
    strbuf_init(&all, 64 << 20);
    h->context.parallelism = 3;
    for (h->context.instance = 0; h->context.instance < 3; h->context.instance++) {
        harness_open(h, &nexmark_source_class);
        strbuf_add_text(&all, harness_read_all(h));
        harness_close(h);
    }
    assert_string_equal(sorted(&h->arena, all.ptr), one);
    h->context.parallelism = 1;
    h->context.instance = 0;
    harness_option(h, "seed", "8");
    harness_open(h, &nexmark_source_class);
    assert_string_not_equal(sorted(&h->arena, harness_read_all(h)), one);
    strbuf_release(&all);
}

static void a_restore_goes_on_behind_the_last_batch_also_with_fewer_instances(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    add_columns(fixture);
    harness_option(h, "events.num", "1000");
    harness_open(h, &nexmark_source_class);
    char *want = sorted(&h->arena, harness_read_all(h));
    harness_close(h);
    VEC(struct snapshot_entry) entries = {0};
    struct strbuf all;
    strbuf_init(&all, 64 << 20);
    h->context.parallelism = 2;
    h->context.batch_rows = 100;
    for (h->context.instance = 0; h->context.instance < 2; h->context.instance++) {
        harness_open(h, &nexmark_source_class);
        strbuf_reset(&h->text);
        for (uint32_t i = 0; i <= h->context.instance; i++) {
            assert_int_equal(harness_poll(h), STATUS_OK);
        }
        strbuf_add_text(&all, h->text.ptr);
        harness_snapshot(h);
        for (uint32_t i = 0; i < h->entries.count; i++) {
            VEC_PUSH(&entries, h->entries.items[i]);
        }
        harness_close(h);
    }
    struct snapshot_reader restore = {.entry_count = entries.count, .entries = entries.items};
    h->context = (struct op_context){.operator_id = h->context.operator_id,
                                     .parallelism = 1,
                                     .clock = h->context.clock,
                                     .batch_rows = 2048,
                                     .restore = &restore};
    harness_open(h, &nexmark_source_class);
    assert_int_equal(h->reader->splits.count, 2);
    strbuf_add_text(&all, harness_read_all(h));
    assert_string_equal(sorted(&h->arena, all.ptr), want);
    VEC_RELEASE(&entries);
    strbuf_release(&all);
}

static void rows_may_lack_fields(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    static const char *const some[] = {"price b", "auction b"};
    harness_column(h, "bid", row_of(&h->arena, some, 2));
    harness_option(h, "events.num", "50");
    harness_option(h, "person.proportion", "1");
    harness_open(h, &nexmark_source_class);
    const char *text = harness_read_all(h);
    assert_memory_equal(text, "+I ~\n+I ~\n+I ~\n+I ~\n+I (", 24);
}

static void a_limited_rate_keeps_to_the_clock(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    harness_column(h, "event_type", &type_int);
    harness_option(h, "first-event.rate", "1000");
    harness_option(h, "next-event.rate", "1000");
    harness_option(h, "rate.limited", "true");
    harness_open(h, &nexmark_source_class);
    uint64_t rows = 0;
    for (int step = 0; step < 100; step++) {
        struct batch batch;
        while (h->reader->ops->poll(h->reader, &batch, &h->err) == STATUS_OK) {
            rows += batch.row_count;
        }
        h->clock.now_us += 10000;
    }
    assert_true(rows > 980 && rows <= 1001);
}

static void alternating_rates_change_the_time_between_events(void **state)
{
    struct fixture *fixture = *state;
    struct harness *h = &fixture->h;
    static const char *const some[] = {"dateTime t"};
    harness_column(h, "bid", row_of(&h->arena, some, 1));
    harness_option(h, "first-event.rate", "10");
    harness_option(h, "next-event.rate", "100");
    harness_option(h, "rate.period", "20 s");
    harness_option(h, "events.num", "1100");
    harness_option(h, "base-time", "1970-01-01 00:00:00");
    harness_open(h, &nexmark_source_class);
    const char *text = harness_read_all(h);
    // 100 events in the first ten seconds, 1000 in the next ten.
    assert_non_null(strstr(text, "\n+I (9900000)\n"));
    assert_non_null(strstr(text, "\n+I (19990000)\n"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(events_follow_the_model),
        TEST(the_first_events_are_of_the_usual_shape),
        TEST(the_same_seed_gives_the_same_events_at_any_parallelism),
        TEST(a_restore_goes_on_behind_the_last_batch_also_with_fewer_instances),
        TEST(rows_may_lack_fields),
        TEST(a_limited_rate_keeps_to_the_clock),
        TEST(alternating_rates_change_the_time_between_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
