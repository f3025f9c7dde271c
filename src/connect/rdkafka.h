// SPDX-License-Identifier: Apache-2.0
//
// rdkafka: the calls of Kafka's client library, which is opened with the first client: it brings
// encryption and authentication along, and most processes talk to no broker.
//
//     rdkafka.poll(client->rk, 0);      // rd_kafka_poll()
//
// Who holds a client may call; before that there is nothing behind the pointers.
#pragma once

#include <librdkafka/rdkafka.h>

#include "base/err.h"

// clang-format off
#define RDKAFKA_CALLS(X)                                                                           \
    X(commit) X(committed) X(conf_destroy) X(conf_new) X(conf_set) X(conf_set_error_cb)            \
    X(conf_set_log_cb) X(conf_set_opaque) X(consume_batch_queue) X(destroy_flags) X(err2str)       \
    X(error_destroy) X(error_string) X(fatal_error) X(get_watermark_offsets) X(header_get_all)     \
    X(header_get_last) X(incremental_assign) X(incremental_unassign) X(message_destroy)            \
    X(message_errstr) X(message_headers) X(message_timestamp) X(metadata)                          \
    X(metadata_destroy) X(new) X(offsets_for_times) X(poll) X(query_watermark_offsets)             \
    X(queue_cb_event_enable) X(queue_destroy) X(queue_forward) X(queue_get_partition)              \
    X(topic_destroy) X(topic_new) X(topic_partition_list_add) X(topic_partition_list_destroy)      \
    X(topic_partition_list_new) X(version) X(version_str) RDKAFKA_CALLS_2_1(X)
// clang-format on
#if RD_KAFKA_VERSION >= 0x020100ff
#define RDKAFKA_CALLS_2_1(X) X(message_leader_epoch)
#else
#define RDKAFKA_CALLS_2_1(X)
#endif

#define RDKAFKA_POINTER(name) __typeof__(rd_kafka_##name) *name;
struct rdkafka {
    RDKAFKA_CALLS(RDKAFKA_POINTER)
};
#undef RDKAFKA_POINTER

extern struct rdkafka rdkafka;

// UNSUPPORTED: the library is not installed.
MUST_USE enum status rdkafka_open(struct err *err);
