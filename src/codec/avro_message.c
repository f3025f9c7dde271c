// SPDX-License-Identifier: Apache-2.0
#include "codec/avro_message.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/avro_decode.h"
#include "codec/json_tree.h"

enum { CONFLUENT_HEAD = 5, SINGLE_HEAD = 10, CANONICAL_MAX = 256 << 20 };

// CRC-64-AVRO of no bytes, and its polynomial.
#define FINGERPRINT_EMPTY UINT64_C(0xc15d213aa4d7a795)

enum status avro_message_confluent(struct str message, uint32_t *schema_id, struct str *row,
                                   struct err *err)
{
    if (message.size < CONFLUENT_HEAD || message.ptr[0] != 0) {
        return ERR(err, STATUS_INVALID_DATA,
                   "not a message of a schema registry: it begins with %s",
                   message.size < CONFLUENT_HEAD ? "fewer than 5 bytes" : "another byte than 0");
    }
    uint32_t id;
    memcpy(&id, message.ptr + 1, sizeof id);
    *schema_id = __builtin_bswap32(id);
    *row = str_slice(message, CONFLUENT_HEAD, message.size);
    return STATUS_OK;
}

enum status avro_message_single(struct str message, uint64_t *fingerprint, struct str *row,
                                struct err *err)
{
    if (message.size < SINGLE_HEAD || memcmp(message.ptr, "\xc3\x01", 2) != 0) {
        return ERR(err, STATUS_INVALID_DATA, "not a single Avro object: no C3 01 in front");
    }
    memcpy(fingerprint, message.ptr + 2, sizeof *fingerprint);
    *row = str_slice(message, SINGLE_HEAD, message.size);
    return STATUS_OK;
}

enum status avro_message_row(struct avro_decoder *decoder, struct str row, struct err *err)
{
    struct avro_cursor cursor = avro_cursor_make(row);
    uint64_t rows = 1;
    TRY(avro_decoder_rows(decoder, &cursor, &rows, err));
    if (cursor.at < cursor.end) {
        avro_decoder_drop_row(decoder);
        return ERR(err, STATUS_INVALID_DATA, "Avro: %zu bytes behind the row of a message",
                   (size_t)(cursor.end - cursor.at));
    }
    return STATUS_OK;
}

// The canonical form.

struct printer {
    struct strbuf *out;
    VEC(const struct avro_schema *) known; // named types that were written out
};

static const char *const kind_names[] = {"null",   "boolean", "int",    "long",  "float",
                                         "double", "bytes",   "string", "fixed", "enum",
                                         "array",  "map",     "record", "union"};

static void print(struct printer *at, const struct avro_schema *schema);

static void print_parts(struct printer *at, const struct avro_schema *schema)
{
    bool is_union = schema->kind == AVRO_UNION;
    bool is_enum = schema->kind == AVRO_ENUM;
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct avro_field *field = &schema->fields[i];
        strbuf_add_text(at->out, i > 0 ? "," : "");
        if (is_enum) {
            json_tree_quote(at->out, field->name);
        } else if (is_union) {
            print(at, field->schema);
        } else {
            strbuf_add_text(at->out, "{\"name\":");
            json_tree_quote(at->out, field->written_name);
            strbuf_add_text(at->out, ",\"type\":");
            print(at, field->schema);
            strbuf_add_text(at->out, "}");
        }
    }
}

static void print_named(struct printer *at, const struct avro_schema *schema)
{
    strbuf_add_text(at->out, "{\"name\":");
    json_tree_quote(at->out, schema->name);
    strbuf_printf(at->out, ",\"type\":\"%s\",", kind_names[schema->kind]);
    if (schema->kind == AVRO_FIXED) {
        strbuf_printf(at->out, "\"size\":%d}", schema->size);
        return;
    }
    strbuf_add_text(at->out, schema->kind == AVRO_ENUM ? "\"symbols\":[" : "\"fields\":[");
    print_parts(at, schema);
    strbuf_add_text(at->out, "]}");
}

static void print(struct printer *at, const struct avro_schema *schema)
{
    if (schema->kind == AVRO_UNION) {
        strbuf_add_text(at->out, "[");
        print_parts(at, schema);
        strbuf_add_text(at->out, "]");
        return;
    }
    if (schema->kind == AVRO_ARRAY || schema->kind == AVRO_MAP) {
        bool is_array = schema->kind == AVRO_ARRAY;
        strbuf_printf(at->out, "{\"type\":\"%s\",\"%s\":", kind_names[schema->kind],
                      is_array ? "items" : "values");
        print(at, schema->fields[0].schema);
        strbuf_add_text(at->out, "}");
        return;
    }
    if (schema->name.size == 0) {
        strbuf_printf(at->out, "\"%s\"", kind_names[schema->kind]);
        return;
    }
    for (uint32_t i = 0; i < at->known.count; i++) {
        if (str_equal(at->known.items[i]->name, schema->name)) {
            json_tree_quote(at->out, schema->name);
            return;
        }
    }
    VEC_PUSH(&at->known, schema);
    print_named(at, schema);
}

void avro_message_canonical(struct strbuf *out, const struct avro_schema *schema)
{
    struct printer at = {.out = out};
    print(&at, schema);
    VEC_RELEASE(&at.known);
}

uint64_t avro_message_fingerprint(const struct avro_schema *schema)
{
    uint64_t table[256];
    uint64_t sum = FINGERPRINT_EMPTY;
    struct strbuf text;
    for (uint64_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) {
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? FINGERPRINT_EMPTY : 0);
        }
    }
    strbuf_init(&text, CANONICAL_MAX);
    avro_message_canonical(&text, schema);
    for (size_t i = 0; i < text.size; i++) {
        sum = sum >> 8 ^ table[(sum ^ (uint8_t)text.ptr[i]) & 0xff];
    }
    strbuf_release(&text);
    return sum;
}
