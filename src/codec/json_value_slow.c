// SPDX-License-Identifier: Apache-2.0
//
// Values that the short ways of json_value.c do not know.
#include "codec/base64_text.h"
#include "codec/json_value_int.h"
#include "codec/number_text.h"
#include "data/datetime.h"

#include "base/hash.h"

// A token whose syntax is right.
struct slow_token {
    struct str raw;  // as it stands in the record
    struct str text; // what it says: a string unescaped, anything else as it stands
    bool is_string;
    bool is_number;
    bool is_nested;
};

enum slow_result { SLOW_OK, SLOW_NULL, SLOW_BAD };

static void slow_put(struct json_node *node, uint32_t slot, const void *value)
{
    memcpy(node->values + (size_t)slot * node->width, value, node->width);
    bits_set(node->valid, slot);
}

// Flink takes INT and BIGINT from any number, TINYINT and SMALLINT from integers only.
static enum slow_result slow_integer(struct json_node *node, uint32_t slot,
                                     const struct slow_token *token)
{
    struct number_text number;
    if (!number_text_split(str_trim(token->text), &number)) {
        return SLOW_BAD;
    }
    bool may_cut = token->is_number && node->width >= 4;
    if (!number.is_integer && !may_cut) {
        return SLOW_BAD;
    }
    int64_t max = node->width == 8 ? INT64_MAX : (INT64_C(1) << (8 * node->width - 1)) - 1;
    int64_t value;
    if (number_text_integer(&number, -max - 1, max, &value) != NUMBER_OK) {
        return SLOW_BAD;
    }
    slow_put(node, slot, &value); // little-endian: the low bytes are the narrow value
    return SLOW_OK;
}

static enum slow_result slow_float(struct json_node *node, uint32_t slot,
                                   const struct slow_token *token)
{
    struct str text = str_trim(token->text);
    float narrow;
    double wide;
    bool good = node->kind == JSON_F32 ? number_text_java_float(text, &narrow)
                                       : number_text_java_double(text, &wide);
    if (!good) {
        return SLOW_BAD;
    }
    if (node->kind == JSON_F32) {
        slow_put(node, slot, &narrow);
    } else {
        slow_put(node, slot, &wide);
    }
    return SLOW_OK;
}

static enum slow_result slow_decimal(struct json_node *node, uint32_t slot,
                                     const struct slow_token *token)
{
    struct number_text number;
    int128 value;
    if (!number_text_split(str_trim(token->text), &number)) {
        return SLOW_BAD;
    }
    if (number_text_decimal(&number, node->precision, node->scale, &value) != NUMBER_OK) {
        return SLOW_NULL; // as everywhere in Flink: a DECIMAL that does not fit is NULL
    }
    slow_put(node, slot, &value);
    return SLOW_OK;
}

static enum slow_result slow_boolean(struct json_node *node, uint32_t slot,
                                     const struct slow_token *token)
{
    struct str text = str_trim(token->text);
    uint8_t value = str_is_nocase(text, "true");
    if (token->is_number || (value == 0 && !str_is_nocase(text, "false"))) {
        return SLOW_BAD;
    }
    slow_put(node, slot, &value);
    return SLOW_OK;
}

static enum slow_result slow_string(struct json_decoder *decoder, struct json_node *node,
                                    uint32_t slot, const struct slow_token *token)
{
    struct str text = token->is_nested ? json_scan_compact(decoder, token->raw) : token->text;
    json_value_put_string(decoder, node, slot, text);
    return SLOW_OK;
}

static enum slow_result slow_bytes(struct json_decoder *decoder, struct json_node *node,
                                   uint32_t slot, const struct slow_token *token)
{
    char *bytes = arena_alloc(&decoder->heap, base64_text_bound(token->text.size) + 16);
    size_t size;
    if (!token->is_string || !base64_text_decode(token->text, bytes, &size)) {
        return SLOW_BAD;
    }
    json_value_put_string(decoder, node, slot, str_make(bytes, size));
    return SLOW_OK;
}

static enum slow_result slow_time(struct json_decoder *decoder, struct json_node *node,
                                  uint32_t slot, const struct slow_token *token)
{
    bool is_ltz = node->kind == JSON_TIMESTAMP_LTZ || node->kind == JSON_NANO_LTZ;
    struct time_text time;
    if (node->kind == JSON_DATE) {
        int32_t days;
        if (!token->is_string || !time_text_date(token->text, &days)) {
            return SLOW_BAD;
        }
        slow_put(node, slot, &days);
        return SLOW_OK;
    }
    if (node->kind == JSON_TIME) {
        int64_t micros;
        if (!token->is_string || !time_text_time(token->text, &micros)) {
            return SLOW_BAD;
        }
        int32_t millis = (int32_t)(micros / 1000);
        micros = datetime_cut_us(micros, type_time_precision(node->precision));
        slow_put(node, slot, node->width == 8 ? (const void *)&micros : &millis);
        return SLOW_OK;
    }
    if (!token->is_string ||
        !(is_ltz ? time_text_timestamp_ltz(token->text, decoder->timestamp_form, &time)
                 : time_text_timestamp(token->text, decoder->timestamp_form, &time))) {
        return SLOW_BAD;
    }
    if (node->width == 8) {
        int64_t micros = time_text_micros(&time, node->precision);
        slow_put(node, slot, &micros);
    } else {
        struct nano nano = time_text_nano(&time, node->precision);
        slow_put(node, slot, &nano);
    }
    return SLOW_OK;
}

static enum slow_result slow_convert(struct json_decoder *decoder, struct json_node *node,
                                     uint32_t slot, const struct slow_token *token)
{
    if (token->is_nested && node->kind != JSON_STRING) {
        return SLOW_BAD;
    }
    switch (node->kind) {
    case JSON_BOOLEAN: return slow_boolean(node, slot, token);
    case JSON_I8:
    case JSON_I16:
    case JSON_I32:
    case JSON_I64: return slow_integer(node, slot, token);
    case JSON_F32:
    case JSON_F64: return slow_float(node, slot, token);
    case JSON_DECIMAL64:
    case JSON_DECIMAL128: return slow_decimal(node, slot, token);
    case JSON_STRING: return slow_string(decoder, node, slot, token);
    case JSON_BYTES: return slow_bytes(decoder, node, slot, token);
    case JSON_DATE:
    case JSON_TIME:
    case JSON_TIMESTAMP:
    case JSON_TIMESTAMP_LTZ:
    case JSON_NANO:
    case JSON_NANO_LTZ: return slow_time(decoder, node, slot, token);
    case JSON_NULL: return SLOW_NULL;
    case JSON_LIST:
    case JSON_MAP:
    case JSON_ROW: break;
    }
    return SLOW_BAD;
}

bool json_value_text(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                     struct str text)
{
    struct slow_token token = {.raw = text, .text = text, .is_string = true};
    return slow_convert(decoder, node, slot, &token) != SLOW_BAD;
}

const char *json_value_slow(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                            const char *at)
{
    if (memcmp(at, "null", 4) == 0) {
        return at + 4; // the slot is null already
    }
    bool escapes = false;
    const char *behind = *at == '"' ? json_scan_string_checked(decoder, at + 1, &escapes)
                                    : json_scan_value(decoder, at);
    if (behind == NULL) {
        return NULL;
    }
    struct slow_token token = {
        .raw = str_make(at, (size_t)(behind - at)),
        .is_string = *at == '"',
        .is_number = *at == '-' || (unsigned char)(*at - '0') <= 9,
        .is_nested = *at == '{' || *at == '[',
    };
    token.text = token.raw;
    if (token.is_string) {
        token.text = str_slice(token.raw, 1, token.raw.size - 1);
        token.text = escapes ? json_scan_unescape(decoder, token.text) : token.text;
    }
    if (slow_convert(decoder, node, slot, &token) != SLOW_BAD || decoder->ignore_parse_errors) {
        return behind; // what could not be read has left its slot null
    }
    decoder->failure = (struct json_failure){.at = at, .node = node, .value = token.raw};
    return NULL;
}

// Equal keys of one MAP.

static const struct strview *slow_key(const struct json_node *keys, uint32_t at)
{
    return (const struct strview *)(const void *)(keys->values + (size_t)at * keys->width);
}

static uint64_t slow_key_hash(const struct strview *key)
{
    return hash_bytes(strview_ptr(key), key->size, 0);
}

// Whether an equal key stands behind `at`; few keys are compared with each other.
static bool slow_key_repeats(const struct json_node *keys, uint32_t at)
{
    for (uint32_t i = at + 1; i < keys->used; i++) {
        if (strview_equal(slow_key(keys, at), slow_key(keys, i))) {
            return true;
        }
    }
    return false;
}

// The same for many, through a table of hashes: repeats[i] for the i-th key of the map.
static void slow_find_repeats(struct json_decoder *decoder, const struct json_node *keys,
                              uint32_t offset, bool *repeats)
{
    uint32_t count = keys->used - offset;
    uint32_t slots = 64;
    while (slots < count * 2) {
        slots *= 2;
    }
    uint32_t *table = arena_zalloc(&decoder->heap, slots * sizeof *table);
    for (uint32_t i = count; i-- > 0;) {
        const struct strview *key = slow_key(keys, offset + i);
        uint32_t at = (uint32_t)slow_key_hash(key) & (slots - 1);
        while (table[at] != 0 && !strview_equal(slow_key(keys, offset + table[at] - 1), key)) {
            at = (at + 1) & (slots - 1);
        }
        repeats[i] = table[at] != 0;
        table[at] = i + 1;
    }
}

void json_value_unique_keys(struct json_decoder *decoder, struct json_node *map, uint32_t offset)
{
    enum { FEW = 24 };
    struct json_node *keys = map->children[0];
    struct json_node *values = map->children[1];
    uint32_t count = keys->used - offset;
    bool *repeats = NULL;
    if (count > FEW) {
        repeats = arena_zalloc(&decoder->heap, count);
        slow_find_repeats(decoder, keys, offset, repeats);
    }
    uint32_t kept = offset;
    for (uint32_t i = offset; i < offset + count; i++) {
        if (repeats != NULL ? repeats[i - offset] : slow_key_repeats(keys, i)) {
            continue;
        }
        if (kept != i) {
            json_node_move(keys, i, kept);
            json_node_move(values, i, kept);
        }
        kept++;
    }
    json_node_clear(keys, kept, keys->used);
    json_node_clear(values, kept, values->used);
    keys->used = values->used = kept;
}
