// SPDX-License-Identifier: Apache-2.0
#include "connect/kafka_properties.h"

#include <string.h>

#include "base/arena.h"

struct properties {
    const struct table_def *def;
    enum status (*set)(void *self, const char *key, const char *value);
    void *self;
    struct arena arena;
    struct err *err;
};

// Of the Java client, or of Flink, without a meaning here; and those that a source must set itself.
static const char *const left_out[] = {
    "auto.offset.reset",
    "client.dns.lookup",
    "client.id.prefix",
    "commit.offsets.on.checkpoint",
    "default.api.timeout.ms",
    "enable.auto.commit",
    "flink.poll-timeout",
    "group.instance.id",
    "interceptor.classes",
    "key.deserializer",
    "max.poll.records",
    "partition.assignment.strategy",
    "partition.discovery.interval.ms",
    "register.consumer.metrics",
    "request.timeout.ms",
    "value.deserializer",
    "ssl.truststore.type",
    "ssl.keystore.type",
};

static const char *const renamed[][2] = {
    {"fetch.max.wait.ms", "fetch.wait.max.ms"},
    {"max.partition.fetch.bytes", "fetch.message.max.bytes"},
    {"receive.buffer.bytes", "socket.receive.buffer.bytes"},
    {"send.buffer.bytes", "socket.send.buffer.bytes"},
    {"ssl.truststore.location", "ssl.ca.location"},
    {"ssl.keystore.location", "ssl.certificate.location"},
};

static const struct str *properties_get(const struct properties *properties, const char *key)
{
    return table_def_option(properties->def, key);
}

// The value of `name="…"` in a login module's line.
static struct str jaas_value(struct properties *properties, struct str line, const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i + size + 2 < line.size; i++) {
        bool is_word = i == 0 || line.ptr[i - 1] == ' ' || line.ptr[i - 1] == '\n';
        if (is_word && memcmp(line.ptr + i, name, size) == 0 && line.ptr[i + size] == '=' &&
            (line.ptr[i + size + 1] == '"' || line.ptr[i + size + 1] == '\'')) {
            struct str rest = str_slice(line, i + size + 2, line.size);
            return arena_str(&properties->arena,
                             str_slice(rest, 0, str_find(rest, line.ptr[i + size + 1])));
        }
    }
    return (struct str){0};
}

static enum status properties_jaas(struct properties *properties, struct str line)
{
    struct str user = jaas_value(properties, line, "username");
    struct str password = jaas_value(properties, line, "password");
    if (user.size == 0) {
        return ERR(properties->err, STATUS_INVALID_DATA,
                   "option 'properties.sasl.jaas.config': only PlainLoginModule and "
                   "ScramLoginModule with username=\"...\" and password=\"...\" are understood");
    }
    TRY(properties->set(properties->self, "sasl.username", user.ptr));
    return properties->set(properties->self, "sasl.password", password.ptr);
}

// Java key stores cannot be read; files in PEM can.
static enum status properties_check_store(struct properties *properties, const char *key)
{
    bool is_trust = strcmp(key, "ssl.truststore.location") == 0;
    if (!is_trust && strcmp(key, "ssl.keystore.location") != 0) {
        return STATUS_OK;
    }
    const struct str *type = properties_get(properties, is_trust ? "properties.ssl.truststore.type"
                                                                 : "properties.ssl.keystore.type");
    if (type != NULL && str_is_nocase(*type, "PEM")) {
        return STATUS_OK;
    }
    ERR(properties->err, STATUS_UNSUPPORTED, "option 'properties.%s': only PEM files can be read",
        key);
    err_hint(properties->err,
             is_trust ? "'properties.ssl.ca.location' = 'ca.pem'"
                      : "'properties.ssl.certificate.location' and 'properties.ssl.key.location'");
    return STATUS_UNSUPPORTED;
}

static enum status properties_one(struct properties *properties, const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (strcmp(key, left_out[i]) == 0) {
            return STATUS_OK;
        }
    }
    if (strcmp(key, "sasl.jaas.config") == 0) {
        return properties_jaas(properties, str_from(value));
    }
    TRY(properties_check_store(properties, key));
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        if (strcmp(key, renamed[i][0]) == 0) {
            key = renamed[i][1];
        }
    }
    return properties->set(properties->self, key, value);
}

enum status kafka_properties_apply(const struct table_def *def,
                                   enum status (*set)(void *self, const char *key,
                                                      const char *value),
                                   void *self, struct err *err)
{
    static const char prefix[] = "properties.";
    struct properties properties = {.def = def, .set = set, .self = self, .err = err};
    enum status status = STATUS_OK;
    arena_init(&properties.arena);
    for (uint32_t i = 0; i < def->option_count && status == STATUS_OK; i++) {
        const struct table_option *option = &def->options[i];
        if (str_starts(option->key, prefix)) {
            struct str key = arena_str(&properties.arena,
                                       str_slice(option->key, sizeof prefix - 1, option->key.size));
            struct str value = arena_str(&properties.arena, option->value);
            status = properties_one(&properties, key.ptr, value.ptr);
        }
    }
    arena_release(&properties.arena);
    return status;
}
