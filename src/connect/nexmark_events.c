// SPDX-License-Identifier: Apache-2.0
#include "connect/nexmark_events.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/int128.h"
#include "base/mem.h"

enum {
    NEXMARK_FIRST_ID = 1000, // of persons and auctions
    NEXMARK_FIRST_CATEGORY = 10,
    NEXMARK_CATEGORIES = 5,
    NEXMARK_IN_FLIGHT = 100, // auctions that run at a time
    NEXMARK_ACTIVE = 1000,   // people
    NEXMARK_LEAD = 10,       // ids somewhat in advance of what there is yet
    NEXMARK_HOT = 100,       // one in so many ids is a hot one
    NEXMARK_CHANNELS = 10000,
    NEXMARK_HOT_CHANNELS = 4,
    NEXMARK_POOL = 1 << 20,
    NEXMARK_STEPS_MAX = 10,
    NEXMARK_WORK_MAX = 192, // bytes built for one event
};

static const struct nexmark_field person_fields[] = {
    {"id", "BIGINT"},   {"name", "STRING"},  {"emailAddress", "STRING"},   {"creditCard", "STRING"},
    {"city", "STRING"}, {"state", "STRING"}, {"dateTime", "TIMESTAMP(3)"}, {"extra", "STRING"},
};
static const struct nexmark_field auction_fields[] = {
    {"id", "BIGINT"},
    {"itemName", "STRING"},
    {"description", "STRING"},
    {"initialBid", "BIGINT"},
    {"reserve", "BIGINT"},
    {"dateTime", "TIMESTAMP(3)"},
    {"expires", "TIMESTAMP(3)"},
    {"seller", "BIGINT"},
    {"category", "BIGINT"},
    {"extra", "STRING"},
};
static const struct nexmark_field bid_fields[] = {
    {"auction", "BIGINT"}, {"bidder", "BIGINT"},         {"price", "BIGINT"}, {"channel", "STRING"},
    {"url", "STRING"},     {"dateTime", "TIMESTAMP(3)"}, {"extra", "STRING"},
};

static const struct {
    const char *name;
    const struct nexmark_field *fields;
    uint32_t count;
} kinds[NEXMARK_KINDS] = {
    [NEXMARK_PERSON] = {"person", person_fields, sizeof person_fields / sizeof person_fields[0]},
    [NEXMARK_AUCTION] = {"auction", auction_fields,
                         sizeof auction_fields / sizeof auction_fields[0]},
    [NEXMARK_BID] = {"bid", bid_fields, sizeof bid_fields / sizeof bid_fields[0]},
};

static const char *const states[] = {"AZ", "CA", "ID", "OR", "WA", "WY"};
static const char *const cities[] = {"Phoenix",  "Los Angeles", "San Francisco", "Boise",
                                     "Portland", "Bend",        "Redmond",       "Seattle",
                                     "Kent",     "Cheyenne"};
static const char *const first_names[] = {"Peter", "Paul",  "Luke",  "John",   "Saul",  "Vicky",
                                          "Kate",  "Julie", "Sarah", "Deiter", "Walter"};
static const char *const last_names[] = {"Shultz", "Abrams", "Spencer", "White", "Bartels",
                                         "Walton", "Smith",  "Jones",   "Noris"};
static const char *const hot_channels[NEXMARK_HOT_CHANNELS] = {"Google", "Facebook", "Baidu",
                                                               "Apple"};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct nexmark_channel {
    char name[16];
    char url[96];
    struct strview name_view, url_view;
};

struct nexmark_events {
    struct nexmark_model model;
    uint64_t round;                       // persons + auctions + bids
    int64_t delays_us[NEXMARK_STEPS_MAX]; // between events, in each step of a period
    uint32_t step_count;
    int64_t step_s;
    int64_t period_ms;
    uint64_t period_events;
    char *letters;                    // NEXMARK_POOL letters, for `extra`
    char *words;                      // NEXMARK_POOL letters and blanks
    struct nexmark_channel *channels; // NEXMARK_CHANNELS, then the hot ones
    // Of the last call.
    uint32_t row_count;
    size_t bytes;
    char *work; // texts that were put together
    size_t work_used;
    int32_t types[BATCH_ROWS_MAX];
    uint64_t valid[NEXMARK_KINDS][BATCH_WORDS_MAX];
    char *values[NEXMARK_KINDS][NEXMARK_FIELDS_MAX];
    struct column columns[NEXMARK_KINDS][NEXMARK_FIELDS_MAX];
};

// Random numbers of one event.
struct nexmark_random {
    uint64_t state;
};

static inline uint64_t random_next(struct nexmark_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_word(random->state);
}

static inline uint64_t random_below(struct nexmark_random *random, uint64_t limit)
{
    return (uint64_t)(((uint128)random_next(random) * limit) >> 64);
}

uint32_t nexmark_events_fields(enum nexmark_kind kind, const struct nexmark_field **fields)
{
    *fields = kinds[kind].fields;
    return kinds[kind].count;
}

const char *nexmark_events_kind_name(enum nexmark_kind kind)
{
    return kinds[kind].name;
}

// Texts.

// 3 to longest - 1 letters, one in 13 of them `special`; blanks at the ends are taken off.
static uint32_t text_word(struct nexmark_random *random, uint32_t longest, char special, char *out)
{
    uint32_t size = 3 + (uint32_t)random_below(random, longest - 3);
    for (uint32_t i = 0; i < size; i++) {
        uint64_t draw = random_next(random);
        out[i] = draw % 13 == 0 ? special : (char)('a' + (draw >> 32) % 26);
    }
    uint32_t begin = 0;
    while (special == ' ' && begin < size && out[begin] == ' ') {
        begin++;
    }
    while (special == ' ' && size > begin && out[size - 1] == ' ') {
        size--;
    }
    memmove(out, out + begin, size - begin);
    return size - begin;
}

static uint32_t text_url(struct nexmark_random *random, char *out)
{
    static const char head[] = "https://www.nexmark.com/";
    static const char tail[] = "item.htm?query=1";
    uint32_t size = sizeof head - 1;
    memcpy(out, head, size);
    for (int i = 0; i < 3; i++) {
        size += text_word(random, 5, '_', out + size);
        out[size++] = '/';
    }
    memcpy(out + size, tail, sizeof tail);
    return size + (uint32_t)sizeof tail - 1;
}

static uint32_t reverse_bits(uint32_t value)
{
    uint32_t reversed = 0;
    for (int i = 0; i < 32; i++) {
        reversed = reversed << 1 | (value >> i & 1);
    }
    return reversed;
}

static void events_make_channels(struct nexmark_events *events, struct nexmark_random *random)
{
    uint32_t count = NEXMARK_CHANNELS + NEXMARK_HOT_CHANNELS;
    events->channels = mem_zalloc(count * sizeof *events->channels);
    for (uint32_t i = 0; i < count; i++) {
        struct nexmark_channel *channel = &events->channels[i];
        uint32_t size = text_url(random, channel->url);
        if (i >= NEXMARK_CHANNELS) {
            snprintf(channel->name, sizeof channel->name, "%s", hot_channels[i - NEXMARK_CHANNELS]);
        } else {
            snprintf(channel->name, sizeof channel->name, "channel-%u", i);
            if (random_below(random, 10) > 0) {
                uint32_t id = reverse_bits(i);
                id = id >> 31 != 0 ? 0 - id : id; // the absolute value, as there
                size += (uint32_t)snprintf(channel->url + size, sizeof channel->url - size,
                                           "&channel_id=%u", id);
            }
        }
        channel->name_view = strview_make(channel->name, strlen(channel->name));
        channel->url_view = strview_make(channel->url, size);
    }
}

static void events_make_pools(struct nexmark_events *events, struct nexmark_random *random)
{
    events->letters = mem_alloc(NEXMARK_POOL);
    events->words = mem_alloc(NEXMARK_POOL);
    for (uint32_t i = 0; i < NEXMARK_POOL; i++) {
        uint64_t draw = random_next(random);
        events->letters[i] = (char)('a' + (draw & 0xffff) % 26);
        events->words[i] = draw >> 48 < 65536 / 13 ? ' ' : (char)('a' + (draw >> 16 & 0xffff) % 26);
    }
}

// Time.

static void events_make_rates(struct nexmark_events *events)
{
    const struct nexmark_model *model = &events->model;
    bool is_constant = model->first_rate == model->next_rate;
    events->step_count = is_constant ? 1 : model->is_sine ? NEXMARK_STEPS_MAX : 2;
    events->step_s = (model->period_s + events->step_count - 1) / events->step_count;
    for (uint32_t i = 0; i < events->step_count; i++) {
        double rate = i == 0 ? (double)model->first_rate : (double)model->next_rate;
        if (model->is_sine && !is_constant) {
            double middle = (double)(model->first_rate + model->next_rate) / 2;
            double swing = (double)(model->first_rate - model->next_rate) / 2;
            rate = middle +
                   swing * cos((double)i * 2 * 3.14159265358979323846 / (double)events->step_count);
        }
        int64_t delay = (int64_t)(1000000 / rate);
        events->delays_us[i] = delay > 0 ? delay : 1;
        uint64_t count = (uint64_t)(events->step_s * 1000000 / events->delays_us[i]);
        events->period_events += count;
        events->period_ms += (int64_t)count * events->delays_us[i] / 1000;
    }
}

static int64_t events_time_ms(const struct nexmark_events *events, uint64_t number)
{
    if (events->step_count == 1) {
        // Rates above a million a second have no whole number of microseconds between events.
        const struct nexmark_model *model = &events->model;
        uint128 ms = (uint128)number * 1000 / (uint64_t)model->first_rate;
        return model->base_ms + (int64_t)ms;
    }
    uint64_t period = number / events->period_events;
    uint64_t rest = number % events->period_events;
    int64_t ms = events->model.base_ms + (int64_t)period * events->period_ms;
    for (uint32_t i = 0; i < events->step_count; i++) {
        uint64_t count = (uint64_t)(events->step_s * 1000000 / events->delays_us[i]);
        if (rest < count) {
            return ms + (int64_t)rest * events->delays_us[i] / 1000;
        }
        rest -= count;
        ms += (int64_t)count * events->delays_us[i] / 1000;
    }
    return ms;
}

int64_t nexmark_events_time_us(const struct nexmark_events *events, uint64_t number)
{
    return events_time_ms(events, number) * 1000;
}

// Ids.

static uint64_t last_person(const struct nexmark_events *events, uint64_t number)
{
    uint64_t persons = (uint64_t)events->model.persons;
    uint64_t offset = number % events->round;
    return number / events->round * persons + (offset < persons ? offset : persons - 1);
}

static int64_t last_auction(const struct nexmark_events *events, uint64_t number)
{
    uint64_t persons = (uint64_t)events->model.persons;
    uint64_t auctions = (uint64_t)events->model.auctions;
    int64_t round = (int64_t)(number / events->round);
    uint64_t offset = number % events->round;
    if (offset < persons) { // none yet in this round: the last of the one before
        round--;
        offset = auctions - 1;
    } else {
        offset = offset - persons < auctions ? offset - persons : auctions - 1;
    }
    return round * (int64_t)auctions + (int64_t)offset;
}

static uint64_t any_person(const struct nexmark_events *events, struct nexmark_random *random,
                           uint64_t number)
{
    uint64_t people = last_person(events, number) + 1;
    uint64_t active = people < NEXMARK_ACTIVE ? people : NEXMARK_ACTIVE;
    return people - active + random_below(random, active + NEXMARK_LEAD);
}

static int64_t any_auction(const struct nexmark_events *events, struct nexmark_random *random,
                           uint64_t number)
{
    int64_t last = last_auction(events, number);
    int64_t low = last > NEXMARK_IN_FLIGHT ? last - NEXMARK_IN_FLIGHT : 0;
    return low + (int64_t)random_below(random, (uint64_t)(last - low + 1 + NEXMARK_LEAD));
}

static int64_t random_price(struct nexmark_random *random)
{
    double unit = (double)(random_next(random) >> 11) * 0x1p-53;
    return (int64_t)(exp(unit * 6.0 * 2.302585092994046) * 100.0 + 0.5);
}

// Values.

static void put_i64(struct nexmark_events *events, enum nexmark_kind kind, uint32_t field,
                    uint32_t row, int64_t value)
{
    ((int64_t *)(void *)events->values[kind][field])[row] = value;
}

static void put_view(struct nexmark_events *events, enum nexmark_kind kind, uint32_t field,
                     uint32_t row, struct strview view)
{
    ((struct strview *)(void *)events->values[kind][field])[row] = view;
    events->bytes += view.size > STRVIEW_INLINE_MAX ? view.size : 0;
}

static void put_text(struct nexmark_events *events, enum nexmark_kind kind, uint32_t field,
                     uint32_t row, struct str text)
{
    put_view(events, kind, field, row, strview_make(text.ptr, text.size));
}

// Letters that bring an event of `size` bytes to about the average.
static struct str random_extra(const struct nexmark_events *events, struct nexmark_random *random,
                               int64_t size, int64_t average)
{
    if (size > average) {
        return (struct str){0};
    }
    int64_t left = average - size;
    int64_t delta = (int64_t)((double)left * 0.2 + 0.5);
    uint64_t count =
        (uint64_t)(left - delta) + (delta > 0 ? random_below(random, (uint64_t)delta * 2) : 0);
    count = count < NEXMARK_POOL / 2 ? count : NEXMARK_POOL / 2;
    uint64_t at = random_below(random, NEXMARK_POOL - count);
    return str_make(events->letters + at, count);
}

// 3 to longest - 1 letters and blanks out of the pool.
static struct str random_words(const struct nexmark_events *events, struct nexmark_random *random,
                               uint64_t longest)
{
    uint64_t count = 3 + random_below(random, longest - 3);
    uint64_t at = random_below(random, NEXMARK_POOL - count);
    return str_trim(str_make(events->words + at, count));
}

static struct str person_name(struct nexmark_random *random, char *out)
{
    int size = snprintf(out, 32, "%s %s", first_names[random_below(random, COUNT(first_names))],
                        last_names[random_below(random, COUNT(last_names))]);
    return str_make(out, (size_t)size);
}

static struct str person_mail(struct nexmark_random *random, char *out)
{
    uint32_t size = text_word(random, 7, ' ', out);
    out[size++] = '@';
    size += text_word(random, 5, ' ', out + size);
    memcpy(out + size, ".com", 4);
    return str_make(out, size + 4);
}

static struct str person_card(struct nexmark_random *random, char *out)
{
    uint64_t draw = random_next(random);
    for (int i = 0; i < 19; i++) {
        if (i % 5 == 4) {
            out[i] = ' ';
            continue;
        }
        out[i] = (char)('0' + (draw & 0xffff) % 10);
        draw = i % 5 == 3 ? random_next(random) : draw >> 16;
    }
    return str_make(out, 19);
}

static void make_person(struct nexmark_events *events, struct nexmark_random *random,
                        uint64_t number, uint32_t row, int64_t ms)
{
    char *work = events->work + events->work_used;
    events->work_used += NEXMARK_WORK_MAX;
    struct str name = person_name(random, work);
    struct str mail = person_mail(random, work + 32);
    struct str card = person_card(random, work + 64);
    struct str city = str_from(cities[random_below(random, COUNT(cities))]);
    struct str state = str_from(states[random_below(random, COUNT(states))]);
    int64_t size = 8 + (int64_t)(name.size + mail.size + card.size + city.size + state.size);
    put_i64(events, NEXMARK_PERSON, 0, row,
            (int64_t)last_person(events, number) + NEXMARK_FIRST_ID);
    put_text(events, NEXMARK_PERSON, 1, row, name);
    put_text(events, NEXMARK_PERSON, 2, row, mail);
    put_text(events, NEXMARK_PERSON, 3, row, card);
    put_text(events, NEXMARK_PERSON, 4, row, city);
    put_text(events, NEXMARK_PERSON, 5, row, state);
    put_i64(events, NEXMARK_PERSON, 6, row, ms * 1000);
    put_text(events, NEXMARK_PERSON, 7, row,
             random_extra(events, random, size, events->model.person_size));
}

static void make_auction(struct nexmark_events *events, struct nexmark_random *random,
                         uint64_t number, uint32_t row, int64_t ms)
{
    const struct nexmark_model *model = &events->model;
    uint64_t seller = random_below(random, (uint64_t)model->hot_sellers) > 0
                          ? last_person(events, number) / NEXMARK_HOT * NEXMARK_HOT
                          : any_person(events, random, number);
    int64_t category = NEXMARK_FIRST_CATEGORY + (int64_t)random_below(random, NEXMARK_CATEGORIES);
    int64_t initial = random_price(random);
    uint64_t horizon_events = NEXMARK_IN_FLIGHT * events->round / (uint64_t)model->auctions;
    int64_t horizon = events_time_ms(events, number + horizon_events) - ms;
    int64_t expires =
        ms + 1 + (int64_t)random_below(random, horizon > 0 ? (uint64_t)horizon * 2 : 1);
    struct str name = random_words(events, random, 20);
    struct str description = random_words(events, random, 100);
    int64_t reserve = initial + random_price(random);
    int64_t size = 48 + (int64_t)(name.size + description.size);
    put_i64(events, NEXMARK_AUCTION, 0, row, last_auction(events, number) + NEXMARK_FIRST_ID);
    put_text(events, NEXMARK_AUCTION, 1, row, name);
    put_text(events, NEXMARK_AUCTION, 2, row, description);
    put_i64(events, NEXMARK_AUCTION, 3, row, initial);
    put_i64(events, NEXMARK_AUCTION, 4, row, reserve);
    put_i64(events, NEXMARK_AUCTION, 5, row, ms * 1000);
    put_i64(events, NEXMARK_AUCTION, 6, row, expires * 1000);
    put_i64(events, NEXMARK_AUCTION, 7, row, (int64_t)seller + NEXMARK_FIRST_ID);
    put_i64(events, NEXMARK_AUCTION, 8, row, category);
    put_text(events, NEXMARK_AUCTION, 9, row,
             random_extra(events, random, size, model->auction_size));
}

static void make_bid(struct nexmark_events *events, struct nexmark_random *random, uint64_t number,
                     uint32_t row, int64_t ms)
{
    const struct nexmark_model *model = &events->model;
    int64_t auction = random_below(random, (uint64_t)model->hot_auctions) > 0
                          ? last_auction(events, number) / NEXMARK_HOT * NEXMARK_HOT
                          : any_auction(events, random, number);
    uint64_t bidder = random_below(random, (uint64_t)model->hot_bidders) > 0
                          ? last_person(events, number) / NEXMARK_HOT * NEXMARK_HOT + 1
                          : any_person(events, random, number);
    int64_t price = random_price(random);
    uint64_t channel = random_below(random, 2) > 0
                           ? NEXMARK_CHANNELS + random_below(random, NEXMARK_HOT_CHANNELS)
                           : random_below(random, NEXMARK_CHANNELS);
    put_i64(events, NEXMARK_BID, 0, row, auction + NEXMARK_FIRST_ID);
    // As in nexmark-flink, a bidder's id gets the offset twice.
    put_i64(events, NEXMARK_BID, 1, row, (int64_t)bidder + 2 * NEXMARK_FIRST_ID);
    put_i64(events, NEXMARK_BID, 2, row, price);
    put_view(events, NEXMARK_BID, 3, row, events->channels[channel].name_view);
    put_view(events, NEXMARK_BID, 4, row, events->channels[channel].url_view);
    put_i64(events, NEXMARK_BID, 5, row, ms * 1000);
    put_text(events, NEXMARK_BID, 6, row, random_extra(events, random, 32, model->bid_size));
}

static size_t field_width(enum nexmark_kind kind, uint32_t field)
{
    return strcmp(kinds[kind].fields[field].type, "STRING") == 0 ? sizeof(struct strview)
                                                                 : sizeof(int64_t);
}

static void events_clear(struct nexmark_events *events, uint32_t count)
{
    memset(events->valid, 0, sizeof events->valid);
    for (int kind = 0; kind < NEXMARK_KINDS; kind++) {
        for (uint32_t i = 0; i < kinds[kind].count; i++) {
            memset(events->values[kind][i], 0, count * field_width((enum nexmark_kind)kind, i));
        }
    }
    events->row_count = 0;
    events->bytes = 0;
    events->work_used = 0;
}

static void events_finish(struct nexmark_events *events)
{
    for (int kind = 0; kind < NEXMARK_KINDS; kind++) {
        bool all = bits_count(events->valid[kind], events->row_count) == events->row_count;
        for (uint32_t i = 0; i < kinds[kind].count; i++) {
            bool is_text = field_width((enum nexmark_kind)kind, i) == sizeof(struct strview);
            events->columns[kind][i] = (struct column){
                .physical = is_text ? PHYSICAL_STRING : PHYSICAL_I64,
                .row_count = events->row_count,
                .valid = all ? NULL : events->valid[kind],
                .values = events->values[kind][i],
            };
        }
    }
}

uint32_t nexmark_events_make(struct nexmark_events *events, uint64_t first, uint64_t step,
                             uint32_t count)
{
    const struct nexmark_model *model = &events->model;
    ASSERT(count <= BATCH_ROWS_MAX);
    events_clear(events, count);
    // What one event can add at most; the pool bounds it.
    size_t largest =
        (size_t)(model->person_size + model->auction_size + model->bid_size) * 2 + 1024;
    uint64_t number = first;
    for (uint32_t row = 0; row < count; row++, number += step) {
        if (row > 0 && events->bytes + largest > BATCH_BYTES_MAX) {
            break;
        }
        struct nexmark_random random = {hash_combine(model->seed, number)};
        uint64_t offset = number % events->round;
        int64_t ms = events_time_ms(events, number);
        enum nexmark_kind kind = offset < (uint64_t)model->persons ? NEXMARK_PERSON
                                 : offset < (uint64_t)(model->persons + model->auctions)
                                     ? NEXMARK_AUCTION
                                     : NEXMARK_BID;
        events->types[row] = (int32_t)kind;
        bits_set(events->valid[kind], row);
        switch (kind) {
        case NEXMARK_PERSON: make_person(events, &random, number, row, ms); break;
        case NEXMARK_AUCTION: make_auction(events, &random, number, row, ms); break;
        case NEXMARK_BID: make_bid(events, &random, number, row, ms); break;
        case NEXMARK_KINDS: UNREACHABLE("kind of event");
        }
        events->row_count++;
    }
    events_finish(events);
    return events->row_count;
}

struct column nexmark_events_type_column(const struct nexmark_events *events)
{
    return (struct column){
        .physical = PHYSICAL_I32, .row_count = events->row_count, .values = events->types};
}

struct column nexmark_events_row_column(const struct nexmark_events *events, enum nexmark_kind kind)
{
    return (struct column){
        .physical = PHYSICAL_ROW,
        .row_count = events->row_count,
        .valid = events->columns[kind][0].valid,
        .children = events->columns[kind],
        .child_count = kinds[kind].count,
    };
}

struct nexmark_events *nexmark_events_new(const struct nexmark_model *model)
{
    struct nexmark_events *events = mem_zalloc(sizeof *events);
    struct nexmark_random random = {hash_word(model->seed + 1)};
    ASSERT(model->persons >= 1 && model->auctions >= 1 && model->bids >= 0);
    events->model = *model;
    events->round = (uint64_t)(model->persons + model->auctions + model->bids);
    events_make_rates(events);
    events_make_pools(events, &random);
    events_make_channels(events, &random);
    events->work = mem_alloc((size_t)BATCH_ROWS_MAX * NEXMARK_WORK_MAX);
    for (int kind = 0; kind < NEXMARK_KINDS; kind++) {
        for (uint32_t i = 0; i < kinds[kind].count; i++) {
            events->values[kind][i] = mem_aligned(64, (size_t)BATCH_ROWS_MAX * 16);
        }
    }
    return events;
}

void nexmark_events_free(struct nexmark_events *events)
{
    if (events == NULL) {
        return;
    }
    for (int kind = 0; kind < NEXMARK_KINDS; kind++) {
        for (uint32_t i = 0; i < kinds[kind].count; i++) {
            mem_free(events->values[kind][i]);
        }
    }
    mem_free(events->work);
    mem_free(events->channels);
    mem_free(events->letters);
    mem_free(events->words);
    mem_free(events);
}
