// SPDX-License-Identifier: Apache-2.0
#include "codec/json_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum { NUMBER_TEXT_MAX = 400 };

struct parser {
    struct arena *arena;
    const char *start;
    const char *at;
    const char *end;
    int depth;
    struct err *err;
};

static enum status parse_value(struct parser *parser, struct json_tree *out);

static enum status fail(struct parser *parser, const char *what)
{
    uint64_t offset = (uint64_t)(parser->at - parser->start);
    enum status status = ERR(parser->err, STATUS_INVALID_DATA, "JSON at byte %llu: %s",
                             (unsigned long long)offset, what);
    err_at(parser->err, ERR_STAGE_RUNTIME, offset, 1);
    return status;
}

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n' ||
                                        *parser->at == '\t' || *parser->at == '\r')) {
        parser->at++;
    }
}

static enum status expect(struct parser *parser, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(parser->end - parser->at) < size || memcmp(parser->at, word, size) != 0) {
        return fail(parser, "no value begins like this");
    }
    parser->at += size;
    return STATUS_OK;
}

static bool hex4(const char *at, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit > 15) {
            return false;
        }
        *out = *out * 16 + digit;
    }
    return true;
}

static char *put_utf8(char *out, uint32_t point)
{
    if (point < 0x80) {
        *out++ = (char)point;
    } else if (point < 0x800) {
        *out++ = (char)(0xc0 | point >> 6);
        *out++ = (char)(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        *out++ = (char)(0xe0 | point >> 12);
        *out++ = (char)(0x80 | (point >> 6 & 0x3f));
        *out++ = (char)(0x80 | (point & 0x3f));
    } else {
        *out++ = (char)(0xf0 | point >> 18);
        *out++ = (char)(0x80 | (point >> 12 & 0x3f));
        *out++ = (char)(0x80 | (point >> 6 & 0x3f));
        *out++ = (char)(0x80 | (point & 0x3f));
    }
    return out;
}

// One escape behind its backslash; parser->at stands on the letter.
static enum status parse_escape(struct parser *parser, char **out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (parser->at >= parser->end) {
        return fail(parser, "the string does not end");
    }
    char letter = *parser->at;
    const char *found = letter == '\0' ? NULL : strchr(letters, letter);
    if (found != NULL) {
        *(*out)++ = meanings[found - letters];
        parser->at++;
        return STATUS_OK;
    }
    uint32_t point;
    if (letter != 'u' || parser->end - parser->at < 5 || !hex4(parser->at + 1, &point)) {
        return fail(parser, "no such escape");
    }
    parser->at += 5;
    if (point >= 0xd800 && point < 0xdc00) {
        uint32_t low;
        if (parser->end - parser->at < 6 || parser->at[0] != '\\' || parser->at[1] != 'u' ||
            !hex4(parser->at + 2, &low) || low < 0xdc00 || low > 0xdfff) {
            return fail(parser, "half a surrogate pair");
        }
        parser->at += 6;
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    } else if (point >= 0xdc00 && point < 0xe000) {
        return fail(parser, "half a surrogate pair");
    }
    *out = put_utf8(*out, point);
    return STATUS_OK;
}

// The length of the UTF-8 sequence at `at`; 0 where it is none (overlong and surrogates included).
static size_t utf8_length(const char *text, const char *end)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = (size_t)(end - text);
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                    : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                    : 0;
    if (length == 0 || length > left) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
               (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : length;
}

// How many of the bytes in front of `end` are plain: ASCII, no control character, quote or
// backslash. Eight at a time.
static size_t plain_run(const char *at, const char *end)
{
    const char *start = at;
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = UINT64_C(0x8080808080808080);
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t quote = word ^ ones * '"';
        uint64_t slash = word ^ ones * '\\';
        uint64_t odd = (word - ones * 0x20) | (quote - ones) | (slash - ones) | word;
        if ((odd & highs) != 0) {
            break;
        }
    }
    while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
           *at != '\\') {
        at++;
    }
    return (size_t)(at - start);
}

static enum status parse_string(struct parser *parser, struct str *out)
{
    const char *start = ++parser->at;
    bool escaped = false;
    // First to the end, to know whether it can be borrowed and how long it is at most.
    const char *at = start + plain_run(start, parser->end);
    while (at < parser->end && *at != '"') {
        if ((unsigned char)*at < 0x20) {
            parser->at = at;
            return fail(parser, "a control character in a string");
        }
        if (*at == '\\') {
            escaped = true;
            at += 2;
            continue;
        }
        size_t length = utf8_length(at, parser->end);
        if (length == 0) {
            parser->at = at;
            return fail(parser, "not UTF-8");
        }
        at += length;
        at += plain_run(at, parser->end);
    }
    if (at >= parser->end) {
        return fail(parser, "the string does not end");
    }
    if (!escaped) {
        *out = str_make(start, (size_t)(at - start));
        parser->at = at + 1;
        return STATUS_OK;
    }
    char *copy = arena_alloc(parser->arena, (size_t)(at - start));
    char *to = copy;
    while (*parser->at != '"') {
        if (*parser->at == '\\') {
            parser->at++;
            TRY(parse_escape(parser, &to));
        } else {
            *to++ = *parser->at++;
        }
    }
    parser->at++;
    *out = str_make(copy, (size_t)(to - copy));
    return STATUS_OK;
}

static bool digits(struct parser *parser)
{
    const char *start = parser->at;
    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9') {
        parser->at++;
    }
    return parser->at > start;
}

static enum status parse_number(struct parser *parser, struct json_tree *out)
{
    const char *start = parser->at;
    bool is_int = true;
    if (*parser->at == '-') {
        parser->at++;
    }
    const char *whole = parser->at;
    if (!digits(parser) || (*whole == '0' && parser->at - whole > 1)) {
        return fail(parser, "not a number");
    }
    if (parser->at < parser->end && *parser->at == '.') {
        is_int = false;
        parser->at++;
        if (!digits(parser)) {
            return fail(parser, "no digit behind the point");
        }
    }
    if (parser->at < parser->end && (*parser->at == 'e' || *parser->at == 'E')) {
        is_int = false;
        parser->at++;
        if (parser->at < parser->end && (*parser->at == '+' || *parser->at == '-')) {
            parser->at++;
        }
        if (!digits(parser)) {
            return fail(parser, "no digit in the exponent");
        }
    }
    out->text = str_make(start, (size_t)(parser->at - start));
    if (is_int && str_to_i64(out->text, &out->as.i64)) {
        out->kind = JSON_TREE_INT;
        return STATUS_OK;
    }
    char copy[NUMBER_TEXT_MAX];
    if (out->text.size >= sizeof copy) {
        return fail(parser, "a number of over 400 characters");
    }
    memcpy(copy, out->text.ptr, out->text.size);
    copy[out->text.size] = '\0';
    out->kind = JSON_TREE_REAL;
    out->as.f64 = strtod(copy, NULL);
    return STATUS_OK;
}

static enum status parse_array(struct parser *parser, struct json_tree *out)
{
    VEC(struct json_tree) items = {0};
    enum status status = STATUS_OK;
    parser->at++;
    skip_blanks(parser);
    bool empty = parser->at < parser->end && *parser->at == ']';
    while (!empty) {
        struct json_tree item = {0};
        status = parse_value(parser, &item);
        if (status != STATUS_OK) {
            goto out;
        }
        VEC_PUSH(&items, item);
        skip_blanks(parser);
        if (parser->at < parser->end && *parser->at == ',') {
            parser->at++;
        } else if (parser->at < parser->end && *parser->at == ']') {
            break;
        } else {
            status = fail(parser, "',' or ']' expected");
            goto out;
        }
    }
    parser->at++;
    out->kind = JSON_TREE_ARRAY;
    out->count = items.count;
    out->items = arena_copy(parser->arena, items.items, items.count * sizeof *items.items);
out:
    VEC_RELEASE(&items);
    return status;
}

static enum status parse_member(struct parser *parser, struct str *key, struct json_tree *value)
{
    skip_blanks(parser);
    if (parser->at >= parser->end || *parser->at != '"') {
        return fail(parser, "a key in quotes expected");
    }
    TRY(parse_string(parser, key));
    skip_blanks(parser);
    if (parser->at >= parser->end || *parser->at != ':') {
        return fail(parser, "':' expected");
    }
    parser->at++;
    return parse_value(parser, value);
}

static enum status parse_object(struct parser *parser, struct json_tree *out)
{
    VEC(struct json_tree) values = {0};
    VEC(struct str) keys = {0};
    enum status status = STATUS_OK;
    parser->at++;
    skip_blanks(parser);
    bool empty = parser->at < parser->end && *parser->at == '}';
    while (!empty) {
        struct json_tree value = {0};
        struct str key;
        status = parse_member(parser, &key, &value);
        if (status != STATUS_OK) {
            goto out;
        }
        VEC_PUSH(&values, value);
        VEC_PUSH(&keys, key);
        skip_blanks(parser);
        if (parser->at < parser->end && *parser->at == ',') {
            parser->at++;
        } else if (parser->at < parser->end && *parser->at == '}') {
            break;
        } else {
            status = fail(parser, "',' or '}' expected");
            goto out;
        }
    }
    parser->at++;
    out->kind = JSON_TREE_OBJECT;
    out->count = values.count;
    out->items = arena_copy(parser->arena, values.items, values.count * sizeof *values.items);
    out->keys = arena_copy(parser->arena, keys.items, keys.count * sizeof *keys.items);
out:
    VEC_RELEASE(&values);
    VEC_RELEASE(&keys);
    return status;
}

static enum status parse_value(struct parser *parser, struct json_tree *out)
{
    enum status status;
    skip_blanks(parser);
    if (parser->at >= parser->end) {
        return fail(parser, "the text ends here");
    }
    if (parser->depth >= JSON_TREE_DEPTH_MAX) {
        return fail(parser, "nested too deeply");
    }
    parser->depth++;
    switch (*parser->at) {
    case '{': status = parse_object(parser, out); break;
    case '[': status = parse_array(parser, out); break;
    case '"':
        out->kind = JSON_TREE_STRING;
        status = parse_string(parser, &out->text);
        break;
    case 't':
    case 'f':
        out->kind = JSON_TREE_BOOL;
        out->as.boolean = *parser->at == 't';
        status = expect(parser, out->as.boolean ? "true" : "false");
        break;
    case 'n':
        out->kind = JSON_TREE_NULL;
        status = expect(parser, "null");
        break;
    default:
        status = *parser->at == '-' || (*parser->at >= '0' && *parser->at <= '9')
                     ? parse_number(parser, out)
                     : fail(parser, "no value begins like this");
    }
    parser->depth--;
    return status;
}

enum status json_tree_parse(struct arena *arena, struct str text, const struct json_tree **out,
                            struct err *err)
{
    struct parser parser = {arena, text.ptr, text.ptr, text.ptr + text.size, 0, err};
    struct json_tree *root = arena_new(arena, struct json_tree);
    *out = NULL;
    if (text.size == 0) {
        return fail(&parser, "the text is empty");
    }
    TRY(parse_value(&parser, root));
    skip_blanks(&parser);
    if (parser.at != parser.end) {
        return fail(&parser, "something follows the value");
    }
    *out = root;
    return STATUS_OK;
}

const struct json_tree *json_tree_get(const struct json_tree *node, const char *key)
{
    if (node == NULL || node->kind != JSON_TREE_OBJECT) {
        return NULL;
    }
    size_t size = strlen(key);
    for (uint32_t i = node->count; i-- > 0;) {
        if (node->keys[i].size == size && memcmp(node->keys[i].ptr, key, size) == 0) {
            return &node->items[i];
        }
    }
    return NULL;
}

const struct json_tree *json_tree_find(const struct json_tree *node, const char *key)
{
    const struct json_tree *found = json_tree_get(node, key);
    return found != NULL && found->kind == JSON_TREE_NULL ? NULL : found;
}

struct str json_tree_str(const struct json_tree *node)
{
    return node != NULL && node->kind == JSON_TREE_STRING ? node->text : STR_LIT("");
}

bool json_tree_int(const struct json_tree *node, int64_t *out)
{
    if (node == NULL || node->kind != JSON_TREE_INT) {
        return false;
    }
    *out = node->as.i64;
    return true;
}

bool json_tree_number(const struct json_tree *node, double *out)
{
    if (node == NULL || (node->kind != JSON_TREE_INT && node->kind != JSON_TREE_REAL)) {
        return false;
    }
    *out = node->kind == JSON_TREE_INT ? (double)node->as.i64 : node->as.f64;
    return true;
}

void json_tree_quote(struct strbuf *out, struct str text)
{
    static const char hex[] = "0123456789ABCDEF";
    static const char letters[] = "btn\0fr"; // of the control characters 8 to 13
    size_t plain = 0;
    strbuf_add_byte(out, '"');
    size_t start = text.size == 0 ? 0 : plain_run(text.ptr, text.ptr + text.size);
    for (size_t i = start; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte >= 0x20 && byte != '"' && byte != '\\') {
            continue;
        }
        strbuf_add(out, str_slice(text, plain, i));
        plain = i + 1;
        strbuf_add_byte(out, '\\');
        if (byte >= 0x20) {
            strbuf_add_byte(out, (char)byte);
        } else if (byte >= 8 && byte <= 13 && byte != 11) {
            strbuf_add_byte(out, letters[byte - 8]);
        } else {
            strbuf_add_text(out, "u00");
            strbuf_add_byte(out, hex[byte >> 4]);
            strbuf_add_byte(out, hex[byte & 15]);
        }
    }
    strbuf_add(out, str_slice(text, plain, text.size));
    strbuf_add_byte(out, '"');
}

void json_tree_print(struct strbuf *out, const struct json_tree *node)
{
    switch (node->kind) {
    case JSON_TREE_NULL: strbuf_add_text(out, "null"); break;
    case JSON_TREE_BOOL: strbuf_add_text(out, node->as.boolean ? "true" : "false"); break;
    case JSON_TREE_INT:
    case JSON_TREE_REAL: strbuf_add(out, node->text); break;
    case JSON_TREE_STRING: json_tree_quote(out, node->text); break;
    case JSON_TREE_ARRAY:
    case JSON_TREE_OBJECT:
        strbuf_add_byte(out, node->kind == JSON_TREE_ARRAY ? '[' : '{');
        for (uint32_t i = 0; i < node->count; i++) {
            if (i > 0) {
                strbuf_add_byte(out, ',');
            }
            if (node->kind == JSON_TREE_OBJECT) {
                json_tree_quote(out, node->keys[i]);
                strbuf_add_byte(out, ':');
            }
            json_tree_print(out, &node->items[i]);
        }
        strbuf_add_byte(out, node->kind == JSON_TREE_ARRAY ? ']' : '}');
        break;
    }
}
