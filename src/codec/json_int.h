// SPDX-License-Identifier: Apache-2.0
//
// json_int: the insides of the JSON decoder; for json_*.c of this folder only.
//
// The columns wanted form a tree of nodes; a node has the values of one column, or of one field of
// a ROW, or the elements of lists. A value is written into a slot: the row's number for columns and
// fields, the element's number below a list. Slots are zero and null until they are written, so
// what a record does not mention needs no work.
//
// Keys are found by prediction: every object remembers which key came behind which, so the next one
// is one comparison of 16 bytes in almost all cases, whatever order a producer writes and whatever
// it adds. A miss looks the key up by hash.
//
// The input ends in a sentinel (a control character, which nothing but a string can hold) with
// JSON_DECODE_PADDING bytes behind it, so no loop asks whether the input is over.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "codec/json_decode.h"

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

enum json_kind {
    JSON_BOOLEAN,
    JSON_I8,
    JSON_I16,
    JSON_I32,
    JSON_I64,
    JSON_F32,
    JSON_F64,
    JSON_DECIMAL64,
    JSON_DECIMAL128,
    JSON_STRING,
    JSON_BYTES,
    JSON_DATE,
    JSON_TIME,
    JSON_TIMESTAMP,     // held as I64
    JSON_TIMESTAMP_LTZ, // held as I64
    JSON_NANO,
    JSON_NANO_LTZ,
    JSON_LIST,
    JSON_MAP,
    JSON_ROW,
    JSON_NULL, // a column of type NULL
};

struct json_node;

enum { JSON_KEYS_MAX = 4096, JSON_KEY_NONE = UINT16_MAX };

// A key that an object has been seen with, or that a column asks for.
struct json_key {
    uint64_t pattern[2]; // the first 16 bytes of `text`, those behind its end 0
    uint64_t mask[2];
    struct str text;        // name":  as it stands behind the opening quote
    struct json_node *node; // NULL: passed over
    uint64_t stamp;         // of the object in which it was met last
    uint16_t next[2];       // what came behind it last, and before that
};

struct json_object {
    struct json_key *keys; // [0] stands for the object's beginning
    uint32_t key_count;
    uint32_t key_capacity;
    uint32_t field_count; // those with a node
    uint16_t *slots;      // hash table of keys by name; JSON_KEY_NONE: free
    uint32_t slot_mask;
};

struct json_node {
    enum json_kind kind;
    enum physical physical;
    uint32_t width;    // bytes a value
    int32_t precision; // of DECIMAL, TIMESTAMP
    int32_t scale;
    char *values; // `capacity` slots
    uint64_t *valid;
    uint32_t capacity;
    uint32_t used;      // below a list: elements so far
    uint32_t mark;      // `used` when the record began
    uint32_t failed_at; // LIST: the element that failed
    const struct type *type;
    struct str name; // in its parent; empty for elements
    struct json_node *parent;
    struct json_node **children;
    uint32_t child_count;
    struct json_object *object; // ROW
    struct column *columns;     // of the children, for the result
};

struct json_failure {
    const char *at;               // in the input; NULL: nothing has failed
    const struct json_node *node; // whose value is bad, or in which the syntax is
    bool is_syntax;
    const char *what; // "is not a BIGINT" is put together from the node; else the whole text
    struct str value; // the bytes meant
};

struct json_decoder {
    struct arena arena;    // the tree
    struct json_node root; // ROW
    enum time_text_form timestamp_form;
    bool fail_on_missing_field;
    bool ignore_parse_errors;
    struct str option_prefix;
    struct json_node **lists; // elements' nodes: children of LIST and MAP
    uint32_t list_count;
    // The call.
    bool is_lines;      // '\n' ends a record
    const char *record; // where it begins
    const char *end;    // where the input (lines) or the record (message) ends: a sentinel
    uint64_t stamp;
    size_t bytes;      // variable bytes of the batch so far
    struct arena heap; // unescaped strings, base64
    uint32_t row_count;
    uint64_t places[BATCH_ROWS_MAX];
    uint64_t lines_used;
    uint64_t bad_place;
    uint64_t skipped;
    char *copy; // messages
    size_t copy_capacity;
    struct json_failure failure;
    bool has_error; // a bad record stands at the beginning of what follows
};

// The byte ends the record: not the place for a control character within a string.
static inline bool json_is_end(const struct json_decoder *decoder, const char *at)
{
    return at >= decoder->end || (decoder->is_lines && *at == '\n');
}

const char *json_scan_blank_slow(const struct json_decoder *decoder, const char *at);

// Behind blanks. One blank, as many writers put behind ':' and ',', costs no jump.
ALWAYS_INLINE const char *json_scan_blank(const struct json_decoder *decoder, const char *at)
{
    at += *at == ' ';
    if ((unsigned char)*at > ' ') {
        return at;
    }
    return json_scan_blank_slow(decoder, at);
}

// From behind an opening quote to the first quote, backslash or control character. *high: some byte
// before it is not ASCII.
#ifdef __SSE4_1__
ALWAYS_INLINE const char *json_scan_string(const char *at, bool *high)
{
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    uint32_t above = 0;
    for (;;) {
        __m128i chunk = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i stop = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(chunk, quote), _mm_cmpeq_epi8(chunk, backslash)),
            _mm_cmpeq_epi8(_mm_min_epu8(chunk, control), chunk));
        uint32_t stops = (uint32_t)_mm_movemask_epi8(stop);
        uint32_t highs = (uint32_t)_mm_movemask_epi8(chunk);
        if (stops != 0) {
            uint32_t before = stops & (0U - stops); // the first stop's bit
            *high = (above | (highs & (before - 1))) != 0;
            return at + __builtin_ctz(stops);
        }
        above |= highs;
        at += 16;
    }
}
#else
ALWAYS_INLINE const char *json_scan_string(const char *at, bool *high)
{
    unsigned char above = 0;
    while (*at != '"' && *at != '\\' && (unsigned char)*at >= 0x20) {
        above |= (unsigned char)*at++;
    }
    *high = above >= 0x80;
    return at;
}
#endif

// json_scan.c: tokens without meaning. They return the place behind, or NULL where the syntax is
// bad (decoder->failure says where).

// Any value, checked.
const char *json_scan_value(struct json_decoder *decoder, const char *at);
// A string from behind its opening quote to behind its closing one; *escapes: there is a backslash.
const char *json_scan_string_checked(struct json_decoder *decoder, const char *at, bool *escapes);
// Fails at `at`; returns NULL.
const char *json_scan_fail(struct json_decoder *decoder, const char *at, const char *what);
// The string between its quotes, in decoder->heap where it has escapes.
struct str json_scan_unescape(struct json_decoder *decoder, struct str raw);
// A checked value without its blanks, as an owned text in decoder->heap (or `raw` itself).
struct str json_scan_compact(struct json_decoder *decoder, struct str raw);

// json_node.c: the tree.

// Builds the tree of decoder->root. UNSUPPORTED.
MUST_USE enum status json_node_build(struct json_decoder *decoder,
                                     const struct json_decode_spec *spec, struct err *err);
void json_node_release(struct json_decoder *decoder);
void json_node_reset(struct json_decoder *decoder, uint32_t rows); // all slots zero again
void json_node_grow(struct json_node *node, uint32_t capacity);    // with the fields below it
void json_node_clear(struct json_node *node, uint32_t from, uint32_t to); // slots to null
void json_node_move(struct json_node *node, uint32_t from, uint32_t to);
// Takes back what a record has written since the mark.
void json_node_mark(struct json_decoder *decoder);
void json_node_roll_back(struct json_decoder *decoder, uint32_t row);
void json_node_columns(struct json_decoder *decoder, uint32_t row_count); // fills root.columns
struct json_key *json_node_find_key(struct json_object *object, struct str name);
// Remembers a key that no column asks for; NULL where there are too many already.
struct json_key *json_node_learn_key(struct json_decoder *decoder, struct json_object *object,
                                     struct str name);

// json_value.c: the object at `at` into the row's slots; the place behind it, NULL: failure.
const char *json_value_record(struct json_decoder *decoder, const char *at, uint32_t row);
