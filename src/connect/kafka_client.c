// SPDX-License-Identifier: Apache-2.0
#include "connect/kafka_client.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "connect/kafka_properties.h"

// What the client reports.

static void client_note(struct kafka_client *client, rd_kafka_resp_err_t code, const char *reason)
{
    bool is_login = code == RD_KAFKA_RESP_ERR__AUTHENTICATION ||
                    code == RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED;
    pthread_mutex_lock(&client->lock);
    // That all brokers are down says less than why.
    if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || client->last_error[0] == 0) {
        snprintf(client->last_error, sizeof client->last_error, "%s", reason);
    }
    client->has_refused |= is_login;
    client->has_fatal |= code == RD_KAFKA_RESP_ERR__FATAL;
    pthread_mutex_unlock(&client->lock);
}

static void client_on_error(rd_kafka_t *rk, int code, const char *reason, void *opaque)
{
    (void)rk;
    struct kafka_client *client = opaque;
    client_note(client, (rd_kafka_resp_err_t)code, reason);
    if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || code == RD_KAFKA_RESP_ERR__TRANSPORT) {
        atomic_store(&client->is_unhealthy, true);
    }
}

// Nothing to standard error: what matters is kept by client_on_error().
static void client_on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk;
    (void)level;
    (void)facility;
    (void)text;
}

// Puts why behind a failure, and what to do.
static enum status client_failed(struct kafka_client *client, rd_kafka_resp_err_t code,
                                 const char *what, struct err *err)
{
    kafka_client_serve(client);
    pthread_mutex_lock(&client->lock);
    char reason[sizeof client->last_error];
    memcpy(reason, client->last_error, sizeof reason);
    bool refused = client->has_refused;
    pthread_mutex_unlock(&client->lock);
    ERR(err, STATUS_UNAVAILABLE, "Kafka at %.*s: cannot %s: %s%s%s", STR_ARGS(client->servers),
        what, rdkafka.err2str(code), reason[0] != 0 ? ": " : "", reason);
    if (refused && rdkafka.version() < 0x020601ff && strstr(reason, "SCRAM") != NULL) {
        err_hint(err,
                 "SCRAM logins of librdkafka %s fail with brokers of Kafka 4; 2.6.1 or newer is "
                 "needed",
                 rdkafka.version_str());
    } else if (refused) {
        err_hint(err, "look at 'properties.sasl.*' and 'properties.security.protocol'");
    } else {
        err_hint(err,
                 "is 'properties.bootstrap.servers' right, and the broker running? "
                 "('scan.metadata-timeout' is %lld ms)",
                 (long long)client->timeout_ms);
    }
    return STATUS_UNAVAILABLE;
}

void kafka_client_serve(struct kafka_client *client)
{
    rdkafka.poll(client->rk, 0);
}

void kafka_client_recovered(struct kafka_client *client)
{
    atomic_store(&client->is_unhealthy, false);
    pthread_mutex_lock(&client->lock);
    client->last_error[0] = 0;
    client->has_refused = false;
    pthread_mutex_unlock(&client->lock);
}

enum status kafka_client_check(struct kafka_client *client, struct err *err)
{
    pthread_mutex_lock(&client->lock);
    bool has_fatal = client->has_fatal;
    pthread_mutex_unlock(&client->lock);
    if (!has_fatal) {
        return STATUS_OK;
    }
    char reason[256];
    rd_kafka_resp_err_t code = rdkafka.fatal_error(client->rk, reason, sizeof reason);
    return ERR(err, STATUS_IO, "Kafka client of table '%.*s': %s: %s", STR_ARGS(client->table),
               rdkafka.err2str(code), reason);
}

// Making.

struct client_conf {
    rd_kafka_conf_t *conf;
    struct err *err;
};

static enum status conf_set(struct client_conf *conf, const char *key, const char *value)
{
    char reason[256];
    rd_kafka_conf_res_t result = rdkafka.conf_set(conf->conf, key, value, reason, sizeof reason);
    if (result == RD_KAFKA_CONF_OK) {
        return STATUS_OK;
    }
    ERR(conf->err, STATUS_INVALID_DATA, "option 'properties.%s' = '%s': %s", key, value, reason);
    err_hint(conf->err,
             "properties are those of librdkafka, CONFIGURATION.md; the usual ones of the "
             "Java client are understood too");
    return STATUS_INVALID_DATA;
}

static enum status conf_set_property(void *self, const char *key, const char *value)
{
    return conf_set(self, key, value);
}

static enum status conf_fill(struct client_conf *conf, const struct table_def *def,
                             const struct kafka_table *table, uint32_t partitions)
{
    enum { SHARE_MIN = 128, FETCH_MAX = 8192 };
    char kbytes[32];
    char fetch[32];
    int64_t share = table->queue_bytes / 1024 / (partitions == 0 ? 1 : partitions);
    share = share < SHARE_MIN ? SHARE_MIN : share;
    snprintf(kbytes, sizeof kbytes, "%lld", (long long)share);
    // The batch that a fetch cuts off is fetched again: few and large fetches waste least.
    int64_t most = share / 2 < FETCH_MAX ? share / 2 : FETCH_MAX;
    snprintf(fetch, sizeof fetch, "%lld", (long long)most * 1024);
    const char *const standard[][2] = {
        {"client.id", "frazil"},
        {"isolation.level", "read_committed"},
        {"allow.auto.create.topics", "false"},
        {"topic.metadata.refresh.sparse", "true"},
        {"log.connection.close", "false"},
        {"fetch.wait.max.ms", "100"},       // how late the end of a partition is told
        {"queued.min.messages", "1000000"}, // the bytes below are the limit
    };
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++) {
        TRY(conf_set(conf, standard[i][0], standard[i][1]));
    }
    TRY(conf_set(conf, "queued.max.messages.kbytes", kbytes));
    TRY(conf_set(conf, "fetch.message.max.bytes", fetch));
    TRY(kafka_properties_apply(def, conf_set_property, conf, conf->err));
    if (table->group.size == 0) {
        // The client wants a name even where nothing is ever committed under it.
        TRY(conf_set(conf, "group.id", "frazil"));
    }
    const char *const fixed[][2] = {
        {"enable.auto.commit", "false"},
        {"enable.auto.offset.store", "false"},
        {"auto.offset.reset", "error"},
        {"enable.partition.eof", "true"},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        TRY(conf_set(conf, fixed[i][0], fixed[i][1]));
    }
    return STATUS_OK;
}

enum status kafka_client_open(const struct table_def *def, const struct kafka_table *table,
                              uint32_t partitions, struct kafka_client **out, struct err *err)
{
    TRY(rdkafka_open(err));
    struct kafka_client *client = mem_zalloc(sizeof *client);
    struct client_conf conf = {.conf = rdkafka.conf_new(), .err = err};
    char reason[256];
    client->table = table->name;
    client->servers = table->servers;
    client->timeout_ms = table->timeout_ms;
    ASSERT(pthread_mutex_init(&client->lock, NULL) == 0);
    enum status status = conf_fill(&conf, def, table, partitions);
    if (status == STATUS_OK) {
        rdkafka.conf_set_opaque(conf.conf, client);
        rdkafka.conf_set_error_cb(conf.conf, client_on_error);
        rdkafka.conf_set_log_cb(conf.conf, client_on_log);
        client->rk = rdkafka.new(RD_KAFKA_CONSUMER, conf.conf, reason, sizeof reason);
        if (client->rk == NULL) {
            status = ERR(err, STATUS_INVALID_DATA, "Kafka client of table '%.*s': %s",
                         STR_ARGS(table->name), reason);
        }
    }
    if (status != STATUS_OK) {
        rdkafka.conf_destroy(conf.conf);
        kafka_client_close(client);
        return status;
    }
    *out = client;
    return STATUS_OK;
}

// Ending the library's handle. Up to 2.0.2 at least that never returns when a topic was deleted
// while it was assigned, so a thread does it, and is waited for a while only: what is left then is
// a handle that nobody uses, in a process that has lost its topic.
struct client_end {
    rd_kafka_t *rk;
    pthread_mutex_t lock; // guards the rest
    pthread_cond_t wake;
    bool has_ended;
    bool is_abandoned; // by whom it was to be waited for: the thread frees it
};

static void client_end_free(struct client_end *end)
{
    pthread_cond_destroy(&end->wake);
    pthread_mutex_destroy(&end->lock);
    mem_free(end);
}

static void *client_end_run(void *self)
{
    struct client_end *end = self;
    // No group was joined: there is nothing to leave.
    rdkafka.destroy_flags(end->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    pthread_mutex_lock(&end->lock);
    end->has_ended = true;
    bool is_abandoned = end->is_abandoned;
    pthread_cond_signal(&end->wake);
    pthread_mutex_unlock(&end->lock);
    if (is_abandoned) {
        client_end_free(end);
    }
    return NULL;
}

static void client_end(rd_kafka_t *rk)
{
    enum { END_SECONDS = 5 };
    struct client_end *end = mem_zalloc(sizeof *end);
    pthread_t thread;
    struct timespec until;
    end->rk = rk;
    ASSERT(pthread_mutex_init(&end->lock, NULL) == 0);
    ASSERT(pthread_cond_init(&end->wake, NULL) == 0);
    ASSERT(pthread_create(&thread, NULL, client_end_run, end) == 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_SECONDS;
    pthread_mutex_lock(&end->lock);
    int result = 0;
    while (!end->has_ended && result == 0) {
        result = pthread_cond_timedwait(&end->wake, &end->lock, &until);
    }
    bool has_ended = end->has_ended;
    end->is_abandoned = !has_ended;
    pthread_mutex_unlock(&end->lock);
    if (has_ended) {
        pthread_join(thread, NULL);
        client_end_free(end);
    } else {
        pthread_detach(thread);
    }
}

void kafka_client_close(struct kafka_client *client)
{
    if (client == NULL) {
        return;
    }
    if (client->rk != NULL) {
        client_end(client->rk);
    }
    pthread_mutex_destroy(&client->lock);
    mem_free(client);
}

// Topics.

static enum status topic_missing(struct kafka_client *client, const struct kafka_table *table,
                                 struct str topic, const struct rd_kafka_metadata *all,
                                 struct err *err)
{
    struct nearest nearest = nearest_to(topic);
    for (int i = 0; all != NULL && i < all->topic_cnt; i++) {
        if (all->topics[i].err != RD_KAFKA_RESP_ERR_NO_ERROR ||
            str_is(topic, all->topics[i].topic)) {
            continue; // what there is no more
        }
        nearest_try(&nearest, str_from(all->topics[i].topic));
    }
    ERR(err, STATUS_NOT_FOUND, "table '%.*s': there is no topic '%.*s' at %.*s",
        STR_ARGS(table->name), STR_ARGS(topic), STR_ARGS(client->servers));
    if (!nearest_hint(&nearest, err)) {
        err_hint(err, "create it first; topics are not created by reading them");
    }
    return STATUS_NOT_FOUND;
}

static enum status topics_all(struct kafka_client *client, const struct rd_kafka_metadata **out,
                              struct err *err)
{
    rd_kafka_resp_err_t code = rdkafka.metadata(client->rk, 1, NULL, out, (int)client->timeout_ms);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? STATUS_OK
                                              : client_failed(client, code, "list topics", err);
}

static void partitions_add(struct arena *arena, const struct rd_kafka_metadata_topic *topic,
                           struct kafka_partitions *out)
{
    struct kafka_partition *items =
        arena_new_array(arena, struct kafka_partition, out->count + (uint32_t)topic->partition_cnt);
    if (out->count > 0) {
        memcpy(items, out->items, out->count * sizeof *items);
    }
    struct str name = arena_str(arena, str_from(topic->topic));
    for (int32_t i = 0; i < topic->partition_cnt; i++) {
        items[out->count++] = (struct kafka_partition){.topic = name, .number = i};
    }
    out->items = items;
}

static enum status partitions_of_topic(struct kafka_client *client, const struct kafka_table *table,
                                       struct str topic, struct arena *arena,
                                       struct kafka_partitions *out, struct err *err)
{
    const struct rd_kafka_metadata *found = NULL;
    rd_kafka_topic_t *handle = rdkafka.topic_new(client->rk, topic.ptr, NULL);
    if (handle == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "table '%.*s': '%.*s' cannot be a topic",
                   STR_ARGS(table->name), STR_ARGS(topic));
    }
    rd_kafka_resp_err_t code =
        rdkafka.metadata(client->rk, 0, handle, &found, (int)client->timeout_ms);
    enum status status = STATUS_OK;
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        status = client_failed(client, code, "look up the topic", err);
    } else if (found->topic_cnt != 1 ||
               found->topics[0].err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
               found->topics[0].partition_cnt == 0) {
        const struct rd_kafka_metadata *all = NULL;
        if (topics_all(client, &all, NULL) != STATUS_OK) {
            all = NULL;
        }
        status = topic_missing(client, table, topic, all, err);
        rdkafka.metadata_destroy(all);
    } else if (found->topics[0].err != RD_KAFKA_RESP_ERR_NO_ERROR &&
               found->topics[0].err != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE) {
        status = ERR(err, STATUS_UNAVAILABLE, "table '%.*s': topic '%.*s': %s",
                     STR_ARGS(table->name), STR_ARGS(topic), rdkafka.err2str(found->topics[0].err));
    } else {
        partitions_add(arena, &found->topics[0], out);
    }
    rdkafka.metadata_destroy(found);
    rdkafka.topic_destroy(handle);
    return status;
}

static int topic_compare(const void *a, const void *b)
{
    const struct kafka_partition *left = a;
    const struct kafka_partition *right = b;
    int order = str_compare(left->topic, right->topic);
    return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

// All topics whose whole name matches.
static enum status partitions_of_pattern(struct kafka_client *client,
                                         const struct kafka_table *table, struct arena *arena,
                                         struct kafka_partitions *out, struct err *err)
{
    int code;
    PCRE2_SIZE at;
    pcre2_code *regex =
        pcre2_compile((PCRE2_SPTR)table->topic_pattern.ptr, table->topic_pattern.size,
                      PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF, &code, &at, NULL);
    if (regex == NULL) {
        PCRE2_UCHAR reason[128];
        pcre2_get_error_message(code, reason, sizeof reason);
        return ERR(err, STATUS_INVALID_DATA, "option 'topic-pattern': %s at character %zu",
                   (const char *)reason, (size_t)at);
    }
    const struct rd_kafka_metadata *all = NULL;
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(regex, NULL);
    enum status status = topics_all(client, &all, err);
    for (int i = 0; status == STATUS_OK && i < all->topic_cnt; i++) {
        const char *name = all->topics[i].topic;
        if (pcre2_match(regex, (PCRE2_SPTR)name, strlen(name), 0, 0, match, NULL) >= 0) {
            partitions_add(arena, &all->topics[i], out);
        }
    }
    if (status == STATUS_OK) {
        rdkafka.metadata_destroy(all);
    }
    pcre2_match_data_free(match);
    pcre2_code_free(regex);
    return status;
}

enum status kafka_client_partitions(struct kafka_client *client, const struct kafka_table *table,
                                    struct arena *arena, struct kafka_partitions *out,
                                    struct err *err)
{
    *out = (struct kafka_partitions){0};
    if (table->topic_pattern.size > 0) {
        TRY(partitions_of_pattern(client, table, arena, out, err));
    }
    for (uint32_t i = 0; i < table->topic_count; i++) {
        TRY(partitions_of_topic(client, table, table->topics[i], arena, out, err));
    }
    if (out->count > 0) {
        qsort(out->items, out->count, sizeof *out->items, topic_compare);
    }
    return STATUS_OK;
}

// Offsets.

enum status kafka_client_range(struct kafka_client *client, const struct kafka_partition *partition,
                               int64_t *low, int64_t *high, struct err *err)
{
    rd_kafka_resp_err_t code = rdkafka.query_watermark_offsets(
        client->rk, partition->topic.ptr, partition->number, low, high, (int)client->timeout_ms);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        char what[320];
        snprintf(what, sizeof what, "ask for the offsets of topic %s partition %d",
                 partition->topic.ptr, partition->number);
        return client_failed(client, code, what, err);
    }
    return STATUS_OK;
}

enum status kafka_client_offset_at(struct kafka_client *client,
                                   const struct kafka_partition *partition, int64_t timestamp_ms,
                                   int64_t *offset, struct err *err)
{
    rd_kafka_topic_partition_list_t *list = rdkafka.topic_partition_list_new(1);
    rd_kafka_topic_partition_t *item =
        rdkafka.topic_partition_list_add(list, partition->topic.ptr, partition->number);
    item->offset = timestamp_ms;
    rd_kafka_resp_err_t code = rdkafka.offsets_for_times(client->rk, list, (int)client->timeout_ms);
    code = code == RD_KAFKA_RESP_ERR_NO_ERROR ? item->err : code;
    *offset = item->offset >= 0 ? item->offset : -1;
    rdkafka.topic_partition_list_destroy(list);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? STATUS_OK
               : client_failed(client, code, "ask for the offset of a time", err);
}

enum status kafka_client_committed(struct kafka_client *client,
                                   const struct kafka_partition *partition, int64_t *offset,
                                   struct err *err)
{
    rd_kafka_topic_partition_list_t *list = rdkafka.topic_partition_list_new(1);
    rd_kafka_topic_partition_t *item =
        rdkafka.topic_partition_list_add(list, partition->topic.ptr, partition->number);
    rd_kafka_resp_err_t code = rdkafka.committed(client->rk, list, (int)client->timeout_ms);
    code = code == RD_KAFKA_RESP_ERR_NO_ERROR ? item->err : code;
    *offset = item->offset >= 0 ? item->offset : -1;
    rdkafka.topic_partition_list_destroy(list);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? STATUS_OK
               : client_failed(client, code, "ask for the group's offsets", err);
}
