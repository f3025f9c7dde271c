// SPDX-License-Identifier: Apache-2.0
#include "codec/thrift.h"

#include "base/assert.h"

void thrift_reader_init(struct thrift_reader *reader, struct str bytes)
{
    const uint8_t *start = (const uint8_t *)bytes.ptr;
    *reader = (struct thrift_reader){.start = start, .at = start, .end = start + bytes.size};
}

void thrift_fail(struct thrift_reader *reader, const char *failure)
{
    if (reader->failure == NULL) {
        reader->failure = failure;
        reader->failed_at = thrift_reader_used(reader);
    }
    reader->at = reader->end;
}

static uint8_t read_byte(struct thrift_reader *reader)
{
    if (reader->at == reader->end) {
        reader->truncated |= reader->failure == NULL;
        thrift_fail(reader, "ends too early");
        return 0;
    }
    return *reader->at++;
}

static uint64_t read_varint(struct thrift_reader *reader)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_byte(reader);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    thrift_fail(reader, "a number is too long");
    return 0;
}

static int64_t read_zigzag(struct thrift_reader *reader, int64_t min, int64_t max)
{
    uint64_t raw = read_varint(reader);
    int64_t value = (int64_t)(raw >> 1) ^ -(int64_t)(raw & 1);
    if (value < min || value > max) {
        thrift_fail(reader, "a number is out of range");
        return 0;
    }
    return value;
}

static bool expect(struct thrift_reader *reader, const struct thrift_struct *at,
                   enum thrift_type type)
{
    if (at->type != (uint8_t)type) {
        thrift_fail(reader, "a field has the wrong type");
        return false;
    }
    return true;
}

struct thrift_struct thrift_struct_begin(struct thrift_reader *reader)
{
    if (++reader->depth > THRIFT_DEPTH_MAX) {
        thrift_fail(reader, "structs are nested too deeply");
    }
    return (struct thrift_struct){0};
}

bool thrift_struct_next(struct thrift_reader *reader, struct thrift_struct *at)
{
    uint8_t head = read_byte(reader);
    if (reader->failure != NULL || head == THRIFT_STOP) {
        reader->depth--;
        return false;
    }
    uint8_t delta = head >> 4;
    int64_t id = delta != 0 ? at->id + delta : read_zigzag(reader, INT16_MIN, INT16_MAX);
    at->type = head & 0x0f;
    if (id > INT16_MAX || at->type > THRIFT_STRUCT || at->type == THRIFT_STOP) {
        thrift_fail(reader, "a field's head is damaged");
        reader->depth--;
        return false;
    }
    at->id = (int16_t)id;
    return true;
}

static void skip_value(struct thrift_reader *reader, uint8_t type, uint32_t depth);

// In lists and maps a boolean takes a byte; as a field it is in the head.
static void skip_element(struct thrift_reader *reader, uint8_t type, uint32_t depth)
{
    if (type == THRIFT_TRUE || type == THRIFT_FALSE) {
        read_byte(reader);
    } else {
        skip_value(reader, type, depth);
    }
}

static void skip_list(struct thrift_reader *reader, uint32_t depth)
{
    uint8_t head = read_byte(reader);
    uint64_t count = head >> 4 == 15 ? read_varint(reader) : head >> 4;
    for (uint64_t i = 0; i < count && reader->failure == NULL; i++) {
        skip_element(reader, head & 0x0f, depth);
    }
}

static void skip_map(struct thrift_reader *reader, uint32_t depth)
{
    uint64_t count = read_varint(reader);
    uint8_t types = count > 0 ? read_byte(reader) : 0;
    for (uint64_t i = 0; i < count && reader->failure == NULL; i++) {
        skip_element(reader, types >> 4, depth);
        skip_element(reader, types & 0x0f, depth);
    }
}

static void skip_bytes(struct thrift_reader *reader, uint64_t size)
{
    if (size > (uint64_t)(reader->end - reader->at)) {
        reader->truncated |= reader->failure == NULL;
        thrift_fail(reader, "bytes reach behind the end");
        return;
    }
    reader->at += size;
}

static void skip_value(struct thrift_reader *reader, uint8_t type, uint32_t depth)
{
    if (depth > THRIFT_DEPTH_MAX) {
        thrift_fail(reader, "structs are nested too deeply");
        return;
    }
    switch (type) {
    case THRIFT_TRUE:
    case THRIFT_FALSE: return;
    case THRIFT_I8: skip_bytes(reader, 1); return;
    case THRIFT_I16:
    case THRIFT_I32:
    case THRIFT_I64: read_varint(reader); return;
    case THRIFT_DOUBLE: skip_bytes(reader, 8); return;
    case THRIFT_BINARY: skip_bytes(reader, read_varint(reader)); return;
    case THRIFT_LIST:
    case THRIFT_SET: skip_list(reader, depth + 1); return;
    case THRIFT_MAP: skip_map(reader, depth + 1); return;
    case THRIFT_STRUCT: {
        struct thrift_struct at = thrift_struct_begin(reader);
        while (thrift_struct_next(reader, &at)) {
            skip_value(reader, at.type, depth + 1);
        }
        return;
    }
    default: thrift_fail(reader, "a value has an unknown type");
    }
}

void thrift_skip(struct thrift_reader *reader, const struct thrift_struct *at)
{
    skip_value(reader, at->type, reader->depth);
}

bool thrift_bool(struct thrift_reader *reader, const struct thrift_struct *at)
{
    if (at->type != THRIFT_TRUE && at->type != THRIFT_FALSE) {
        thrift_fail(reader, "a field has the wrong type");
    }
    return at->type == THRIFT_TRUE;
}

int8_t thrift_i8(struct thrift_reader *reader, const struct thrift_struct *at)
{
    return expect(reader, at, THRIFT_I8) ? (int8_t)read_byte(reader) : (int8_t)0;
}

int16_t thrift_i16(struct thrift_reader *reader, const struct thrift_struct *at)
{
    return expect(reader, at, THRIFT_I16) ? (int16_t)read_zigzag(reader, INT16_MIN, INT16_MAX)
                                          : (int16_t)0;
}

int32_t thrift_i32(struct thrift_reader *reader, const struct thrift_struct *at)
{
    return expect(reader, at, THRIFT_I32) ? thrift_element_i32(reader) : 0;
}

int64_t thrift_i64(struct thrift_reader *reader, const struct thrift_struct *at)
{
    return expect(reader, at, THRIFT_I64) ? thrift_element_i64(reader) : 0;
}

struct str thrift_binary(struct thrift_reader *reader, const struct thrift_struct *at)
{
    return expect(reader, at, THRIFT_BINARY) ? thrift_element_binary(reader) : str_make("", 0);
}

uint32_t thrift_list(struct thrift_reader *reader, const struct thrift_struct *at,
                     enum thrift_type element)
{
    if (!expect(reader, at, THRIFT_LIST)) {
        return 0;
    }
    uint8_t head = read_byte(reader);
    uint64_t count = head >> 4 == 15 ? read_varint(reader) : head >> 4;
    uint8_t found = head & 0x0f;
    bool fits = found == (uint8_t)element || (element == THRIFT_TRUE && found == THRIFT_FALSE);
    if (count > 0 && !fits) {
        thrift_fail(reader, "a list holds elements of the wrong type");
        return 0;
    }
    if (count > (uint64_t)(reader->end - reader->at) || count > UINT32_MAX) {
        thrift_fail(reader, "a list has more elements than bytes are left");
        return 0;
    }
    return (uint32_t)count;
}

bool thrift_is_struct(struct thrift_reader *reader, const struct thrift_struct *at)
{
    return expect(reader, at, THRIFT_STRUCT);
}

bool thrift_element_bool(struct thrift_reader *reader)
{
    return read_byte(reader) == THRIFT_TRUE;
}

int32_t thrift_element_i32(struct thrift_reader *reader)
{
    return (int32_t)read_zigzag(reader, INT32_MIN, INT32_MAX);
}

int64_t thrift_element_i64(struct thrift_reader *reader)
{
    return read_zigzag(reader, INT64_MIN, INT64_MAX);
}

struct str thrift_element_binary(struct thrift_reader *reader)
{
    uint64_t size = read_varint(reader);
    const uint8_t *start = reader->at;
    skip_bytes(reader, size);
    return reader->failure == NULL ? str_make((const char *)start, (size_t)size) : str_make("", 0);
}

// ---- writing ----

static void put_zigzag(struct thrift_writer *writer, int64_t value)
{
    bytebuf_add_varint(writer->out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void put_head(struct thrift_writer *writer, int16_t id, enum thrift_type type)
{
    int16_t *last = &writer->last_id[writer->depth - 1];
    int delta = id - *last;
    ASSERT(delta > 0);
    if (delta <= 15) {
        bytebuf_add_byte(writer->out, (uint8_t)(delta << 4 | (int)type));
    } else {
        bytebuf_add_byte(writer->out, (uint8_t)type);
        put_zigzag(writer, id);
    }
    *last = id;
}

void thrift_put_begin(struct thrift_writer *writer)
{
    ASSERT(writer->depth < THRIFT_DEPTH_MAX);
    writer->last_id[writer->depth++] = 0;
}

void thrift_put_struct(struct thrift_writer *writer, int16_t id)
{
    put_head(writer, id, THRIFT_STRUCT);
    thrift_put_begin(writer);
}

void thrift_put_end(struct thrift_writer *writer)
{
    bytebuf_add_byte(writer->out, THRIFT_STOP);
    writer->depth--;
}

void thrift_put_bool(struct thrift_writer *writer, int16_t id, bool value)
{
    put_head(writer, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_put_i8(struct thrift_writer *writer, int16_t id, int8_t value)
{
    put_head(writer, id, THRIFT_I8);
    bytebuf_add_byte(writer->out, (uint8_t)value);
}

void thrift_put_i16(struct thrift_writer *writer, int16_t id, int16_t value)
{
    put_head(writer, id, THRIFT_I16);
    put_zigzag(writer, value);
}

void thrift_put_i32(struct thrift_writer *writer, int16_t id, int32_t value)
{
    put_head(writer, id, THRIFT_I32);
    put_zigzag(writer, value);
}

void thrift_put_i64(struct thrift_writer *writer, int16_t id, int64_t value)
{
    put_head(writer, id, THRIFT_I64);
    put_zigzag(writer, value);
}

void thrift_put_binary(struct thrift_writer *writer, int16_t id, struct str value)
{
    put_head(writer, id, THRIFT_BINARY);
    thrift_put_element_binary(writer, value);
}

void thrift_put_list(struct thrift_writer *writer, int16_t id, enum thrift_type element,
                     uint32_t count)
{
    put_head(writer, id, THRIFT_LIST);
    if (count < 15) {
        bytebuf_add_byte(writer->out, (uint8_t)(count << 4 | (uint32_t)element));
    } else {
        bytebuf_add_byte(writer->out, (uint8_t)(0xf0 | (uint32_t)element));
        bytebuf_add_varint(writer->out, count);
    }
}

void thrift_put_element_bool(struct thrift_writer *writer, bool value)
{
    bytebuf_add_byte(writer->out, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_put_element_i32(struct thrift_writer *writer, int32_t value)
{
    put_zigzag(writer, value);
}

void thrift_put_element_i64(struct thrift_writer *writer, int64_t value)
{
    put_zigzag(writer, value);
}

void thrift_put_element_binary(struct thrift_writer *writer, struct str value)
{
    bytebuf_add_varint(writer->out, value.size);
    bytebuf_add(writer->out, value.ptr, value.size);
}
