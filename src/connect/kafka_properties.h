// SPDX-License-Identifier: Apache-2.0
//
// kafka_properties: 'properties.*' of a table, in the client library's words. Names are passed on
// as they are, but a file that was written for Flink names some of them as the Java client does:
// those are translated (sasl.jaas.config, fetch.max.wait.ms, ssl.truststore.location of PEM files
// …) or mean nothing here and are left out (key.deserializer …).
#pragma once

#include "base/err.h"
#include "catalog/table_def.h"

// Calls `set` for each property; its failure ends the call. INVALID_DATA: a Java property that
// cannot be translated (a keystore in JKS).
MUST_USE enum status kafka_properties_apply(const struct table_def *def,
                                            enum status (*set)(void *self, const char *key,
                                                               const char *value),
                                            void *self, struct err *err);
