// SPDX-License-Identifier: Apache-2.0
//
// Values into slots. Each kind has a short way for what writers write, and json_value_slow.c's for
// all else: null, other kinds of token, escapes, long numbers, failures.
#include "codec/json_int.h"

#include "base/bits.h"
#include "codec/digits.h"
#include "codec/json_value_int.h"
#include "codec/number_text.h"
#include "codec/utf8_check.h"

static const char *value_parse(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                               const char *at);

// Keys.

ALWAYS_INLINE bool value_key_matches(const struct json_decoder *decoder, const struct json_key *key,
                                     const char *at)
{
    uint64_t words[2];
    memcpy(words, at, 16);
    if ((((words[0] ^ key->pattern[0]) & key->mask[0]) |
         ((words[1] ^ key->pattern[1]) & key->mask[1])) != 0) {
        return false;
    }
    return key->text.size <= 16 ||
           ((size_t)(decoder->end + JSON_DECODE_PADDING - at) >= key->text.size &&
            memcmp(at, key->text.ptr, key->text.size) == 0);
}

// Reads the key at *at (behind its quote), whatever it is, and leaves *at on the value. *found is
// NULL for one that is not known and cannot be remembered.
static bool value_key_read(struct json_decoder *decoder, struct json_object *object,
                           const char **at, struct json_key **found)
{
    bool escapes;
    const char *begin = *at;
    const char *p = json_scan_string_checked(decoder, begin, &escapes);
    if (p == NULL) {
        return false;
    }
    struct str raw = str_make(begin, (size_t)(p - 1 - begin));
    struct str name = escapes ? json_scan_unescape(decoder, raw) : raw;
    p = json_scan_blank(decoder, p);
    if (*p != ':') {
        json_scan_fail(decoder, p, "':' is expected behind the key");
        return false;
    }
    *at = json_scan_blank(decoder, p + 1);
    *found = json_node_find_key(object, name);
    if (*found == NULL && !escapes) {
        *found = json_node_learn_key(decoder, object, name);
    }
    return true;
}

// The same, guessing first: what followed `previous` the last times.
ALWAYS_INLINE bool value_key(struct json_decoder *decoder, struct json_object *object,
                             struct json_key *previous, const char **at, struct json_key **found)
{
    uint32_t guess = previous->next[0];
    if (guess != JSON_KEY_NONE && value_key_matches(decoder, &object->keys[guess], *at)) {
        *found = &object->keys[guess];
        *at = json_scan_blank(decoder, *at + (*found)->text.size);
        return true;
    }
    guess = previous->next[1];
    if (guess != JSON_KEY_NONE && value_key_matches(decoder, &object->keys[guess], *at)) {
        *found = &object->keys[guess];
        *at = json_scan_blank(decoder, *at + (*found)->text.size);
    } else if (!value_key_read(decoder, object, at, found)) {
        return false;
    }
    if (*found != NULL) {
        previous->next[1] = previous->next[0];
        previous->next[0] = (uint16_t)(*found - object->keys);
    }
    return true;
}

// Objects.

static const char *value_missing(struct json_decoder *decoder, struct json_node *node,
                                 const char *at)
{
    struct json_object *object = node->object;
    for (uint32_t i = 1; i < object->key_count; i++) {
        struct json_key *key = &object->keys[i];
        if (key->node != NULL && key->stamp != decoder->stamp) {
            decoder->failure =
                (struct json_failure){.at = at, .node = key->node, .what = "is missing"};
            return NULL;
        }
    }
    return at;
}

// One value behind its key.
ALWAYS_INLINE const char *value_field(struct json_decoder *decoder, struct json_key *key,
                                      uint32_t slot, const char *at)
{
    if (key == NULL || key->node == NULL) {
        return json_scan_value(decoder, at);
    }
    const char *behind = value_parse(decoder, key->node, slot, at);
    if (behind == NULL && decoder->failure.node == NULL) {
        decoder->failure.node = key->node;
    }
    return behind;
}

// From behind '{' to behind '}'.
static const char *value_row(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                             const char *at)
{
    struct json_object *object = node->object;
    struct json_key *previous = &object->keys[0];
    uint64_t stamp = ++decoder->stamp;
    uint32_t seen = 0;
    at = json_scan_blank(decoder, at);
    bool more = *at != '}';
    while (more) {
        if (*at != '"') {
            return json_scan_fail(decoder, at, "a key in quotes is expected");
        }
        struct json_key *key;
        at++;
        if (!value_key(decoder, object, previous, &at, &key)) {
            return NULL;
        }
        if (key != NULL) {
            previous = key;
            if (key->node != NULL) {
                if (key->stamp == stamp) {
                    json_node_clear(key->node, slot, slot + 1); // repeated: the last one counts
                    seen--;
                }
                key->stamp = stamp;
                seen++;
            }
        }
        at = value_field(decoder, key, slot, at);
        if (at == NULL) {
            return NULL;
        }
        at = json_scan_blank(decoder, at);
        more = *at == ',';
        if (more) {
            at = json_scan_blank(decoder, at + 1);
        } else if (*at != '}') {
            return json_scan_fail(decoder, at, "',' or '}' is expected");
        }
    }
    if (seen < object->field_count && decoder->fail_on_missing_field) {
        decoder->stamp = stamp; // objects within this one have moved it
        if (value_missing(decoder, node, at) == NULL) {
            return NULL;
        }
    }
    return at + 1;
}

const char *json_value_record(struct json_decoder *decoder, const char *at, uint32_t row)
{
    if (*at != '{') {
        return json_scan_fail(decoder, at, "a record is an object: '{' is expected");
    }
    return value_row(decoder, &decoder->root, row, at + 1);
}

// Lists and maps.

// The next element's slot.
static uint32_t value_append(struct json_decoder *decoder, struct json_node *element)
{
    if (element->used == element->capacity) {
        json_node_grow(element, element->capacity * 2);
    }
    decoder->bytes += element->width;
    return element->used++;
}

static const char *value_list(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                              const char *at)
{
    struct json_node *element = node->children[0];
    uint32_t offset = element->used;
    at = json_scan_blank(decoder, at);
    bool more = *at != ']';
    while (more) {
        at = value_parse(decoder, element, value_append(decoder, element), at);
        if (at == NULL) {
            node->failed_at = element->used - 1 - offset;
            if (decoder->failure.node == NULL) {
                decoder->failure.node = element;
            }
            return NULL;
        }
        at = json_scan_blank(decoder, at);
        more = *at == ',';
        if (more) {
            at = json_scan_blank(decoder, at + 1);
        } else if (*at != ']') {
            return json_scan_fail(decoder, at, "',' or ']' is expected");
        }
    }
    struct list_view view = {offset, element->used - offset};
    memcpy(node->values + (size_t)slot * sizeof view, &view, sizeof view);
    bits_set(node->valid, slot);
    return at + 1;
}

// A key of a MAP, as if it were a STRING value.
static const char *value_map_key(struct json_decoder *decoder, struct json_node *keys,
                                 const char *at)
{
    if (*at != '"') {
        return json_scan_fail(decoder, at, "a key in quotes is expected");
    }
    at = value_parse(decoder, keys, value_append(decoder, keys), at);
    if (at == NULL) {
        return NULL;
    }
    at = json_scan_blank(decoder, at);
    if (*at != ':') {
        return json_scan_fail(decoder, at, "':' is expected behind the key");
    }
    return json_scan_blank(decoder, at + 1);
}

static const char *value_map(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                             const char *at)
{
    struct json_node *keys = node->children[0];
    struct json_node *values = node->children[1];
    uint32_t offset = keys->used;
    at = json_scan_blank(decoder, at);
    bool more = *at != '}';
    while (more) {
        at = value_map_key(decoder, keys, at);
        if (at != NULL) {
            at = value_parse(decoder, values, value_append(decoder, values), at);
        }
        if (at == NULL) {
            if (decoder->failure.node == NULL) {
                decoder->failure.node = node;
            }
            return NULL;
        }
        at = json_scan_blank(decoder, at);
        more = *at == ',';
        if (more) {
            at = json_scan_blank(decoder, at + 1);
        } else if (*at != '}') {
            return json_scan_fail(decoder, at, "',' or '}' is expected");
        }
    }
    json_value_unique_keys(decoder, node, offset);
    struct list_view view = {offset, keys->used - offset};
    memcpy(node->values + (size_t)slot * sizeof view, &view, sizeof view);
    bits_set(node->valid, slot);
    return at + 1;
}

// Scalars.

// A JSON number taken apart without looking at what it is for: up to 19 digits. False where it must
// be looked at more closely.
struct value_number {
    uint64_t digits;
    int32_t fraction; // how many of the digits stand behind the point
    bool is_negative;
    const char *behind;
};

ALWAYS_INLINE bool value_number(const char *at, struct value_number *out)
{
    out->is_negative = *at == '-';
    at += out->is_negative;
    uint32_t count = digits_run(at, &out->digits);
    if (count == 0 || count > 18 || (*at == '0' && count > 1)) {
        return false;
    }
    at += count;
    out->fraction = 0;
    if (*at == '.') {
        uint64_t behind;
        uint32_t more = digits_run(at + 1, &behind);
        if (more == 0 || count + more > 19) {
            return false;
        }
        out->digits = out->digits * digits_power10[more] + behind;
        out->fraction = (int32_t)more;
        at += 1 + more;
    }
    out->behind = at;
    return *at != 'e' && *at != 'E';
}

// The short ways: NULL, and nothing stored, where a value must be looked at more closely.

ALWAYS_INLINE const char *quick_integer(struct json_node *node, uint32_t slot, const char *at,
                                        int64_t max)
{
    uint64_t digits;
    bool is_negative = *at == '-';
    at += is_negative;
    uint32_t count = digits_run(at, &digits);
    const char *behind = at + count;
    if (count == 0 || count > 18 || (*at == '0' && count > 1) || *behind == '.' ||
        (*behind | 0x20) == 'e' || digits > (uint64_t)max) {
        return NULL;
    }
    int64_t value = is_negative ? -(int64_t)digits : (int64_t)digits;
    size_t width = max == INT64_MAX ? 8 : max == INT32_MAX ? 4 : max == INT16_MAX ? 2 : 1;
    memcpy(node->values + slot * width, &value, width); // little-endian: the low bytes
    bits_set(node->valid, slot);
    return behind;
}

ALWAYS_INLINE const char *quick_double(struct json_node *node, uint32_t slot, const char *at)
{
    struct value_number number;
    double value;
    if (!value_number(at, &number) ||
        !number_text_double_fast(number.digits, -number.fraction, &value)) {
        return NULL;
    }
    value = number.is_negative ? -value : value;
    memcpy(node->values + (size_t)slot * sizeof value, &value, sizeof value);
    bits_set(node->valid, slot);
    return number.behind;
}

ALWAYS_INLINE const char *quick_decimal64(struct json_node *node, uint32_t slot, const char *at)
{
    struct value_number number;
    int32_t more;
    if (!value_number(at, &number) || (more = node->scale - number.fraction) < 0 ||
        number.digits >= digits_power10[node->precision - more]) {
        return NULL;
    }
    int64_t value = (int64_t)(number.digits * digits_power10[more]);
    value = number.is_negative ? -value : value;
    memcpy(node->values + (size_t)slot * sizeof value, &value, sizeof value);
    bits_set(node->valid, slot);
    return number.behind;
}

ALWAYS_INLINE const char *quick_decimal128(struct json_node *node, uint32_t slot, const char *at)
{
    struct value_number number;
    int32_t more;
    if (!value_number(at, &number) || (more = node->scale - number.fraction) < 0 || more > 19 ||
        19 + more > node->precision) {
        return NULL;
    }
    int128 value = (int128)number.digits * (int128)digits_power10[more];
    value = number.is_negative ? -value : value;
    memcpy(node->values + (size_t)slot * sizeof value, &value, sizeof value);
    bits_set(node->valid, slot);
    return number.behind;
}

ALWAYS_INLINE const char *quick_boolean(struct json_node *node, uint32_t slot, const char *at)
{
    bool is_true = memcmp(at, "true", 4) == 0;
    if (!is_true && memcmp(at, "false", 5) != 0) {
        return NULL;
    }
    node->values[slot] = is_true;
    bits_set(node->valid, slot);
    return at + (is_true ? 4 : 5);
}

ALWAYS_INLINE bool quick_timestamp(const struct json_decoder *decoder, struct json_node *node,
                                   uint32_t slot, struct str text)
{
    struct time_text time;
    if (!(node->kind == JSON_TIMESTAMP
              ? time_text_timestamp(text, decoder->timestamp_form, &time)
              : time_text_timestamp_ltz(text, decoder->timestamp_form, &time))) {
        return false;
    }
    int64_t value = time_text_micros(&time, node->precision);
    memcpy(node->values + (size_t)slot * sizeof value, &value, sizeof value);
    bits_set(node->valid, slot);
    return true;
}

ALWAYS_INLINE bool quick_date(struct json_node *node, uint32_t slot, struct str text)
{
    int32_t days;
    if (!time_text_date(text, &days)) {
        return false;
    }
    memcpy(node->values + (size_t)slot * sizeof days, &days, sizeof days);
    bits_set(node->valid, slot);
    return true;
}

const char *json_value_quick(struct json_node *node, uint32_t slot, const char *at)
{
    switch (node->kind) {
    case JSON_BOOLEAN: return quick_boolean(node, slot, at);
    case JSON_I8: return quick_integer(node, slot, at, INT8_MAX);
    case JSON_I16: return quick_integer(node, slot, at, INT16_MAX);
    case JSON_I32: return quick_integer(node, slot, at, INT32_MAX);
    case JSON_I64: return quick_integer(node, slot, at, INT64_MAX);
    case JSON_F64: return quick_double(node, slot, at);
    case JSON_DECIMAL64: return quick_decimal64(node, slot, at);
    case JSON_DECIMAL128: return quick_decimal128(node, slot, at);
    case JSON_F32:
    case JSON_STRING:
    case JSON_BYTES:
    case JSON_DATE:
    case JSON_TIME:
    case JSON_TIMESTAMP:
    case JSON_TIMESTAMP_LTZ:
    case JSON_NANO:
    case JSON_NANO_LTZ:
    case JSON_LIST:
    case JSON_MAP:
    case JSON_ROW:
    case JSON_NULL: break;
    }
    return NULL;
}

bool json_value_quick_text(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                           struct str text)
{
    if (node->kind == JSON_STRING) {
        json_value_put_string(decoder, node, slot, text);
        return true;
    }
    if (node->kind == JSON_DATE) {
        return quick_date(node, slot, text);
    }
    return (node->kind == JSON_TIMESTAMP || node->kind == JSON_TIMESTAMP_LTZ) &&
           quick_timestamp(decoder, node, slot, text);
}

// The text between the quotes at `at`; NULL where it is no plain string: other tokens, escapes,
// bytes that are not UTF-8.
ALWAYS_INLINE const char *value_plain(const char *at, struct str *text)
{
    bool high;
    if (*at != '"') {
        return NULL;
    }
    const char *end = json_scan_string(at + 1, &high);
    *text = str_make(at + 1, (size_t)(end - at - 1));
    return *end == '"' && (!high || utf8_check(text->ptr, text->size)) ? end + 1 : NULL;
}

ALWAYS_INLINE const char *value_string(struct json_decoder *decoder, struct json_node *node,
                                       uint32_t slot, const char *at)
{
    struct str text;
    const char *behind = value_plain(at, &text);
    if (behind == NULL) {
        return json_value_slow(decoder, node, slot, at);
    }
    json_value_put_string(decoder, node, slot, text);
    return behind;
}

ALWAYS_INLINE const char *value_timestamp(struct json_decoder *decoder, struct json_node *node,
                                          uint32_t slot, const char *at)
{
    struct str text;
    const char *behind = value_plain(at, &text);
    return behind != NULL && quick_timestamp(decoder, node, slot, text)
               ? behind
               : json_value_slow(decoder, node, slot, at);
}

ALWAYS_INLINE const char *value_date(struct json_decoder *decoder, struct json_node *node,
                                     uint32_t slot, const char *at)
{
    struct str text;
    const char *behind = value_plain(at, &text);
    return behind != NULL && quick_date(node, slot, text)
               ? behind
               : json_value_slow(decoder, node, slot, at);
}

// What a short way has found, or the long way.
ALWAYS_INLINE const char *value_or_slow(struct json_decoder *decoder, struct json_node *node,
                                        uint32_t slot, const char *at, const char *behind)
{
    return behind != NULL ? behind : json_value_slow(decoder, node, slot, at);
}

static const char *value_nested(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                                const char *at)
{
    char open = node->kind == JSON_LIST ? '[' : '{';
    if (*at != open) {
        return json_value_slow(decoder, node, slot, at);
    }
    if (node->kind == JSON_LIST) {
        return value_list(decoder, node, slot, at + 1);
    }
    if (node->kind == JSON_MAP) {
        return value_map(decoder, node, slot, at + 1);
    }
    bits_set(node->valid, slot);
    return value_row(decoder, node, slot, at + 1);
}

static const char *value_parse(struct json_decoder *decoder, struct json_node *node, uint32_t slot,
                               const char *at)
{
    switch (node->kind) {
    case JSON_BOOLEAN: return value_or_slow(decoder, node, slot, at, quick_boolean(node, slot, at));
    case JSON_I8:
        return value_or_slow(decoder, node, slot, at, quick_integer(node, slot, at, INT8_MAX));
    case JSON_I16:
        return value_or_slow(decoder, node, slot, at, quick_integer(node, slot, at, INT16_MAX));
    case JSON_I32:
        return value_or_slow(decoder, node, slot, at, quick_integer(node, slot, at, INT32_MAX));
    case JSON_I64:
        return value_or_slow(decoder, node, slot, at, quick_integer(node, slot, at, INT64_MAX));
    case JSON_F64: return value_or_slow(decoder, node, slot, at, quick_double(node, slot, at));
    case JSON_DECIMAL64:
        return value_or_slow(decoder, node, slot, at, quick_decimal64(node, slot, at));
    case JSON_DECIMAL128:
        return value_or_slow(decoder, node, slot, at, quick_decimal128(node, slot, at));
    case JSON_DATE: return value_date(decoder, node, slot, at);
    case JSON_STRING: return value_string(decoder, node, slot, at);
    case JSON_TIMESTAMP:
    case JSON_TIMESTAMP_LTZ: return value_timestamp(decoder, node, slot, at);
    case JSON_LIST:
    case JSON_MAP:
    case JSON_ROW: return value_nested(decoder, node, slot, at);
    case JSON_F32:
    case JSON_BYTES:
    case JSON_TIME:
    case JSON_NANO:
    case JSON_NANO_LTZ:
    case JSON_NULL: break;
    }
    return json_value_slow(decoder, node, slot, at);
}
