// SPDX-License-Identifier: Apache-2.0
//
// thrift: Thrift's compact protocol (thrift/doc/specs/thrift-compact-protocol.md), as far as
// Parquet's footers and page headers use it.
//
// Reading is by pulling, without tables or objects:
//
//     struct thrift_struct at = thrift_struct_begin(reader);
//     while (thrift_struct_next(reader, &at)) {
//         switch (at.id) {
//         case 1: out->version = thrift_i32(reader, &at); break;
//         default: thrift_skip(reader, &at);
//         }
//     }
//
// A reader that meets damage remembers what and where (`failure`, `failed_at`) and then gives zeros
// and ends: callers check once, behind the loop. Hostile input: nothing is read behind the end,
// nesting is limited, a list's count is never larger than the bytes that are left.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/bytebuf.h"

enum thrift_type {
    THRIFT_STOP = 0,
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_I8 = 3,
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_DOUBLE = 7,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_SET = 10,
    THRIFT_MAP = 11,
    THRIFT_STRUCT = 12,
};

enum { THRIFT_DEPTH_MAX = 32 };

struct thrift_reader {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    const char *failure; // NULL: none yet
    size_t failed_at;    // bytes from the start
    bool truncated;      // the failure is that bytes are missing
    uint32_t depth;
};

struct thrift_struct {
    int16_t id; // of the current field
    uint8_t type;
};

void thrift_reader_init(struct thrift_reader *reader, struct str bytes);
static inline size_t thrift_reader_used(const struct thrift_reader *reader)
{
    return (size_t)(reader->at - reader->start);
}
void thrift_fail(struct thrift_reader *reader, const char *failure);

struct thrift_struct thrift_struct_begin(struct thrift_reader *reader);
// The next field; false behind the last one or after damage.
bool thrift_struct_next(struct thrift_reader *reader, struct thrift_struct *at);
void thrift_skip(struct thrift_reader *reader, const struct thrift_struct *at);

// The value of the current field. Another type than the one asked for is damage.
bool thrift_bool(struct thrift_reader *reader, const struct thrift_struct *at);
int8_t thrift_i8(struct thrift_reader *reader, const struct thrift_struct *at);
int16_t thrift_i16(struct thrift_reader *reader, const struct thrift_struct *at);
int32_t thrift_i32(struct thrift_reader *reader, const struct thrift_struct *at);
int64_t thrift_i64(struct thrift_reader *reader, const struct thrift_struct *at);
struct str thrift_binary(struct thrift_reader *reader, const struct thrift_struct *at); // borrowed
// The field's list must hold `element`s (booleans: THRIFT_TRUE); returns how many.
uint32_t thrift_list(struct thrift_reader *reader, const struct thrift_struct *at,
                     enum thrift_type element);
bool thrift_is_struct(struct thrift_reader *reader, const struct thrift_struct *at);

// Elements of a list: values without a field head.
bool thrift_element_bool(struct thrift_reader *reader);
int32_t thrift_element_i32(struct thrift_reader *reader);
int64_t thrift_element_i64(struct thrift_reader *reader);
struct str thrift_element_binary(struct thrift_reader *reader);

// Writing: fields in ascending order of id within each struct.
struct thrift_writer {
    struct bytebuf *out;
    int16_t last_id[THRIFT_DEPTH_MAX];
    uint32_t depth;
};

void thrift_put_begin(struct thrift_writer *writer);              // a top struct or an element
void thrift_put_struct(struct thrift_writer *writer, int16_t id); // a field that is a struct
void thrift_put_end(struct thrift_writer *writer);
void thrift_put_bool(struct thrift_writer *writer, int16_t id, bool value);
void thrift_put_i8(struct thrift_writer *writer, int16_t id, int8_t value);
void thrift_put_i16(struct thrift_writer *writer, int16_t id, int16_t value);
void thrift_put_i32(struct thrift_writer *writer, int16_t id, int32_t value);
void thrift_put_i64(struct thrift_writer *writer, int16_t id, int64_t value);
void thrift_put_binary(struct thrift_writer *writer, int16_t id, struct str value);
void thrift_put_list(struct thrift_writer *writer, int16_t id, enum thrift_type element,
                     uint32_t count); // its elements follow
void thrift_put_element_bool(struct thrift_writer *writer, bool value);
void thrift_put_element_i32(struct thrift_writer *writer, int32_t value);
void thrift_put_element_i64(struct thrift_writer *writer, int64_t value);
void thrift_put_element_binary(struct thrift_writer *writer, struct str value);
