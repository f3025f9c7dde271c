// SPDX-License-Identifier: Apache-2.0
#include "connect/rdkafka.h"

#include "base/library.h"

struct rdkafka rdkafka;

enum status rdkafka_open(struct err *err)
{
#define RDKAFKA_CALL(name) {"rd_kafka_" #name, &rdkafka.name},
    static const struct library_call calls[] = {RDKAFKA_CALLS(RDKAFKA_CALL)};
#undef RDKAFKA_CALL
    static struct library library = LIBRARY("librdkafka.so.1", "the connector 'kafka'", calls);
    return library_open(&library, err);
}
