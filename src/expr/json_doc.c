// SPDX-License-Identifier: Apache-2.0
#include "expr/json_doc.h"

#include <string.h>
#include <utf8proc.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "data/float_text.h"
#include "data/json_text.h"

struct parser {
    struct arena *arena;
    struct str text;
    size_t at;
    uint32_t depth;
    bool no_repeated_key;
};

static bool parse_value(struct parser *parser, struct json_doc *out);

static char peek(const struct parser *parser)
{
    return parser->at < parser->text.size ? parser->text.ptr[parser->at] : 0;
}

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->text.size && peek(parser) != 0 &&
           strchr(" \t\r\n", peek(parser)) != NULL) {
        parser->at++;
    }
}

static bool skip(struct parser *parser, char byte)
{
    skip_blanks(parser);
    if (peek(parser) != byte || parser->at >= parser->text.size) {
        return false;
    }
    parser->at++;
    return true;
}

static bool skip_word(struct parser *parser, const char *word)
{
    size_t size = strlen(word);
    if (!str_starts(str_slice(parser->text, parser->at, parser->text.size), word)) {
        return false;
    }
    parser->at += size;
    return true;
}

static bool hex4(struct parser *parser, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        char c = peek(parser);
        char low = (char)(c | 0x20);
        uint32_t digit;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if (low >= 'a' && low <= 'f') {
            digit = (uint32_t)(low - 'a') + 10;
        } else {
            return false;
        }
        parser->at++;
        *unit = *unit * 16 + digit;
    }
    return true;
}

static size_t put_code(char *out, uint32_t code)
{
    bool lone = code >= 0xd800 && code < 0xe000; // half a pair shows as ?
    return (size_t)utf8proc_encode_char(lone ? '?' : (utf8proc_int32_t)code,
                                        (utf8proc_uint8_t *)out);
}

// Behind a backslash; false for an escape that there is not.
static bool parse_escape(struct parser *parser, char *out, size_t *size)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char plain[] = "\"\\/\b\f\n\r\t";
    char c = peek(parser);
    parser->at++;
    const char *found = c == 0 ? NULL : strchr(letters, c);
    if (found != NULL) {
        out[(*size)++] = plain[found - letters];
        return true;
    }
    uint32_t unit;
    if (c != 'u' || !hex4(parser, &unit)) {
        return false;
    }
    if (unit >= 0xd800 && unit < 0xdc00) {
        struct parser ahead = *parser;
        uint32_t low;
        if (skip_word(&ahead, "\\u") && hex4(&ahead, &low) && low >= 0xdc00 && low < 0xe000) {
            *parser = ahead;
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    *size += put_code(out + *size, unit);
    return true;
}

// Where the string that starts at `at` ends, and whether it has escapes.
static bool string_end(const struct parser *parser, size_t *end, bool *escaped)
{
    *escaped = false;
    for (size_t i = parser->at; i < parser->text.size; i++) {
        unsigned char c = (unsigned char)parser->text.ptr[i];
        if (c == '"') {
            *end = i;
            return true;
        }
        if (c < 0x20) {
            return false;
        }
        if (c == '\\') {
            *escaped = true;
            i++;
        }
    }
    return false;
}

// Behind the opening quote.
static bool parse_string(struct parser *parser, struct str *out)
{
    size_t end;
    bool escaped;
    if (!string_end(parser, &end, &escaped)) {
        return false;
    }
    if (!escaped) {
        *out = str_slice(parser->text, parser->at, end);
        parser->at = end + 1;
        return true;
    }
    char *text = arena_alloc(parser->arena, end - parser->at + 1);
    size_t size = 0;
    while (parser->at < end) {
        char c = parser->text.ptr[parser->at++];
        if (c != '\\') {
            text[size++] = c;
        } else if (!parse_escape(parser, text, &size)) {
            return false;
        }
    }
    parser->at = end + 1;
    *out = str_make(text, size);
    return true;
}

static uint32_t skip_digits(struct parser *parser)
{
    uint32_t digits = 0;
    while (peek(parser) >= '0' && peek(parser) <= '9') {
        parser->at++;
        digits++;
    }
    return digits;
}

static bool parse_number(struct parser *parser, struct json_doc *out)
{
    size_t start = parser->at;
    if (peek(parser) == '-') {
        parser->at++;
    }
    bool zero = peek(parser) == '0';
    uint32_t digits = skip_digits(parser);
    if (digits == 0 || (zero && digits > 1)) {
        return false;
    }
    if (peek(parser) == '.') {
        parser->at++;
        if (skip_digits(parser) == 0) {
            return false;
        }
    }
    if ((peek(parser) | 0x20) == 'e') {
        parser->at++;
        if (peek(parser) == '-' || peek(parser) == '+') {
            parser->at++;
        }
        if (skip_digits(parser) == 0) {
            return false;
        }
    }
    *out = (struct json_doc){.kind = JSON_DOC_NUMBER,
                             .text = str_slice(parser->text, start, parser->at)};
    return true;
}

struct items {
    VEC(struct json_doc) values;
    VEC(struct str) keys;
};

static bool parse_member(struct parser *parser, struct items *items)
{
    struct str key;
    struct json_doc value;
    if (!skip(parser, '"') || !parse_string(parser, &key) || !skip(parser, ':') ||
        !parse_value(parser, &value)) {
        return false;
    }
    VEC_PUSH(&items->keys, key);
    VEC_PUSH(&items->values, value);
    return true;
}

// Behind [ or {, up to its closing bracket.
static bool parse_items(struct parser *parser, bool is_object, struct items *items)
{
    char close = is_object ? '}' : ']';
    if (skip(parser, close)) {
        return true;
    }
    do {
        if (is_object) {
            if (!parse_member(parser, items)) {
                return false;
            }
            continue;
        }
        struct json_doc value;
        if (!parse_value(parser, &value)) {
            return false;
        }
        VEC_PUSH(&items->values, value);
    } while (skip(parser, ','));
    return skip(parser, close);
}

// By key, then by place.
static int compare_members(const void *a, const void *b, void *context)
{
    const struct str *keys = context;
    uint32_t first = *(const uint32_t *)a;
    uint32_t second = *(const uint32_t *)b;
    int compared = str_compare(keys[first], keys[second]);
    return compared != 0 ? compared : (first > second) - (first < second);
}

// Leaves each key once, at its first place, with its last value, and says in which order they are.
static bool finish_members(struct parser *parser, struct items *items, struct json_doc *out)
{
    uint32_t count = items->keys.count;
    struct str *keys = items->keys.items;
    uint32_t *sorted = arena_new_array(parser->arena, uint32_t, count + 1);
    uint32_t *places = arena_new_array(parser->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = i;
        places[i] = UINT32_MAX; // dropped, until it is seen to be the first of its key
    }
    if (count > 1) {
        qsort_r(sorted, count, sizeof *sorted, compare_members, keys);
    }
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && str_equal(keys[sorted[i]], keys[sorted[distinct - 1]])) {
            items->values.items[sorted[distinct - 1]] = items->values.items[sorted[i]];
            continue;
        }
        places[sorted[i]] = 0;
        sorted[distinct++] = sorted[i];
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] != UINT32_MAX) {
            keys[kept] = keys[i];
            items->values.items[kept] = items->values.items[i];
            places[i] = kept++;
        }
    }
    for (uint32_t i = 0; i < distinct; i++) {
        sorted[i] = places[sorted[i]];
    }
    items->keys.count = items->values.count = kept;
    out->sorted = sorted;
    return kept == count || !parser->no_repeated_key;
}

static bool parse_nested(struct parser *parser, bool is_object, struct json_doc *out)
{
    struct items items = {0};
    *out = (struct json_doc){.kind = is_object ? JSON_DOC_OBJECT : JSON_DOC_ARRAY};
    parser->depth++;
    bool good = parser->depth <= JSON_DOC_DEPTH_MAX && parse_items(parser, is_object, &items) &&
                (!is_object || finish_members(parser, &items, out));
    parser->depth--;
    if (good) {
        out->count = items.values.count;
        out->items = arena_copy(parser->arena, items.values.items,
                                sizeof *items.values.items * items.values.count);
        out->keys = arena_copy(parser->arena, items.keys.items,
                               sizeof *items.keys.items * items.keys.count);
    }
    VEC_RELEASE(&items.values);
    VEC_RELEASE(&items.keys);
    return good;
}

static bool parse_value(struct parser *parser, struct json_doc *out)
{
    skip_blanks(parser);
    *out = (struct json_doc){.kind = JSON_DOC_NULL};
    switch (peek(parser)) {
    case '{': parser->at++; return parse_nested(parser, true, out);
    case '[': parser->at++; return parse_nested(parser, false, out);
    case '"':
        parser->at++;
        out->kind = JSON_DOC_STRING;
        return parse_string(parser, &out->text);
    case 'n': return skip_word(parser, "null");
    case 't': out->kind = JSON_DOC_TRUE; return skip_word(parser, "true");
    case 'f': out->kind = JSON_DOC_FALSE; return skip_word(parser, "false");
    default: return parse_number(parser, out);
    }
}

bool json_doc_parse(struct arena *arena, struct str text, struct json_doc_limits limits,
                    struct json_doc *out)
{
    struct parser parser = {
        .arena = arena, .text = text, .no_repeated_key = limits.no_repeated_key};
    if (!parse_value(&parser, out)) {
        return false;
    }
    // A word or number does not run into what follows: truex, 1a.
    char next = peek(&parser);
    bool scalar = out->kind <= JSON_DOC_NUMBER;
    if (scalar && next != 0 && strchr(" \t\r\n,]}", next) == NULL) {
        return false;
    }
    skip_blanks(&parser);
    return !limits.whole || parser.at == text.size;
}

const struct json_doc *json_doc_member(const struct json_doc *doc, struct str key)
{
    uint32_t from = 0;
    uint32_t to = doc->kind == JSON_DOC_OBJECT ? doc->count : 0;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int compared = str_compare(doc->keys[doc->sorted[middle]], key);
        if (compared == 0) {
            return &doc->items[doc->sorted[middle]];
        }
        if (compared < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return NULL;
}

// ---- writing

// Digits without the point, and how many of them stand behind it.
struct digits {
    bool negative;
    char digits[400];
    int32_t count;
    int64_t scale;
};

static bool take_digits(struct str text, struct digits *out)
{
    *out = (struct digits){0};
    size_t at = text.size > 0 && text.ptr[0] == '-' ? 1 : 0;
    out->negative = at == 1;
    bool fraction = false;
    for (; at < text.size && (text.ptr[at] | 0x20) != 'e'; at++) {
        if (text.ptr[at] == '.') {
            fraction = true;
            continue;
        }
        if (out->count == (int32_t)sizeof out->digits) {
            return false;
        }
        if (out->count > 0 || text.ptr[at] != '0' || fraction) {
            out->digits[out->count++] = text.ptr[at];
        }
        out->scale += fraction;
    }
    int64_t exponent = 0;
    if (at < text.size) {
        struct str rest = str_slice(text, at + 1, text.size);
        rest = rest.ptr[0] == '+' ? str_slice(rest, 1, rest.size) : rest;
        if (!str_to_i64(rest, &exponent) || exponent > INT32_MAX || exponent < -INT32_MAX) {
            return false;
        }
    }
    out->scale -= exponent;
    int32_t zeros = 0; // leading ones that the fraction brought in
    while (zeros + 1 < out->count && out->digits[zeros] == '0') {
        zeros++;
    }
    memmove(out->digits, out->digits + zeros, (size_t)(out->count - zeros));
    out->count -= zeros;
    if (out->count == 0) {
        out->digits[out->count++] = '0';
    }
    out->negative = out->negative && !(out->count == 1 && out->digits[0] == '0');
    return true;
}

// java.math.BigDecimal.toString()
static void put_digits(struct strbuf *out, const struct digits *digits)
{
    int64_t adjusted = -digits->scale + digits->count - 1;
    if (digits->negative) {
        strbuf_add_byte(out, '-');
    }
    if (digits->scale == 0) {
        strbuf_add(out, str_make(digits->digits, (size_t)digits->count));
    } else if (digits->scale > 0 && adjusted >= -6) {
        int64_t whole = digits->count - digits->scale;
        if (whole > 0) {
            strbuf_add(out, str_make(digits->digits, (size_t)whole));
        } else {
            strbuf_add_byte(out, '0');
        }
        strbuf_add_byte(out, '.');
        for (int64_t i = whole; i < 0; i++) {
            strbuf_add_byte(out, '0');
        }
        int64_t from = whole > 0 ? whole : 0;
        strbuf_add(out, str_make(digits->digits + from, (size_t)(digits->count - from)));
    } else {
        strbuf_add_byte(out, digits->digits[0]);
        if (digits->count > 1) {
            strbuf_add_byte(out, '.');
            strbuf_add(out, str_make(digits->digits + 1, (size_t)digits->count - 1));
        }
        strbuf_printf(out, "E%c%lld", adjusted < 0 ? '-' : '+',
                      (long long)(adjusted < 0 ? -adjusted : adjusted));
    }
}

void json_doc_print_number(struct strbuf *out, struct str text)
{
    struct digits digits;
    if (take_digits(text, &digits)) {
        put_digits(out, &digits);
    } else {
        strbuf_add(out, text);
    }
}

void json_doc_print(struct strbuf *out, const struct json_doc *doc)
{
    switch (doc->kind) {
    case JSON_DOC_NULL: strbuf_add_text(out, "null"); return;
    case JSON_DOC_FALSE: strbuf_add_text(out, "false"); return;
    case JSON_DOC_TRUE: strbuf_add_text(out, "true"); return;
    case JSON_DOC_NUMBER: json_doc_print_number(out, doc->text); return;
    case JSON_DOC_STRING: json_text_string(out, doc->text); return;
    case JSON_DOC_ARRAY:
        strbuf_add_byte(out, '[');
        for (uint32_t i = 0; i < doc->count; i++) {
            strbuf_add_text(out, i > 0 ? "," : "");
            json_doc_print(out, &doc->items[i]);
        }
        strbuf_add_byte(out, ']');
        return;
    case JSON_DOC_OBJECT: break;
    }
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < doc->count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        json_text_string(out, doc->keys[doc->sorted[i]]);
        strbuf_add_byte(out, ':');
        json_doc_print(out, &doc->items[doc->sorted[i]]);
    }
    strbuf_add_byte(out, '}');
}

void json_doc_print_scalar(struct strbuf *out, const struct json_doc *doc)
{
    if (doc->kind == JSON_DOC_STRING) {
        strbuf_add(out, doc->text);
    } else {
        json_doc_print(out, doc);
    }
}
