// SPDX-License-Identifier: Apache-2.0
//
// LPAD, RPAD, OVERLAY: they count UTF-16 units, as Java does, and may leave half a pair, which
// becomes '?' on the way back to UTF-8.
#include "kernel/string.h"
#include "kernel/string_int.h"

// Units of UTF-16, in the arena.
struct units {
    uint16_t *items;
    size_t count;
};

enum { SURROGATE_FIRST = 0xd800, LOW_SURROGATE_FIRST = 0xdc00, SURROGATE_LAST = 0xdfff };

static uint32_t code_at(struct str text, size_t at, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr + at;
    switch (length) {
    case 2: return (uint32_t)(bytes[0] & 0x1f) << 6 | (bytes[1] & 0x3f);
    case 3:
        return (uint32_t)(bytes[0] & 0x0f) << 12 | (uint32_t)(bytes[1] & 0x3f) << 6 |
               (bytes[2] & 0x3f);
    case 4:
        return (uint32_t)(bytes[0] & 0x07) << 18 | (uint32_t)(bytes[1] & 0x3f) << 12 |
               (uint32_t)(bytes[2] & 0x3f) << 6 | (bytes[3] & 0x3f);
    default: return bytes[0] < 0x80 ? bytes[0] : 0xfffd;
    }
}

static struct units units_of(struct str text, struct arena *arena)
{
    struct units units = {.items = arena_alloc(arena, sizeof *units.items * (text.size + 1))};
    for (size_t at = 0; at < text.size;) {
        size_t length = utf8_length(text, at);
        uint32_t code = code_at(text, at, length);
        if (code > 0xffff) {
            code -= 0x10000;
            units.items[units.count++] = (uint16_t)(SURROGATE_FIRST + (code >> 10));
            code = LOW_SURROGATE_FIRST + (code & 0x3ff);
        }
        units.items[units.count++] = (uint16_t)code;
        at += length;
    }
    return units;
}

static size_t put_code(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static struct str text_of(struct units units, struct arena *arena)
{
    char *out = arena_alloc(arena, units.count * 3 + 1);
    size_t size = 0;
    for (size_t i = 0; i < units.count; i++) {
        uint32_t code = units.items[i];
        bool is_surrogate = code >= SURROGATE_FIRST && code <= SURROGATE_LAST;
        if (is_surrogate && code < LOW_SURROGATE_FIRST && i + 1 < units.count &&
            units.items[i + 1] >= LOW_SURROGATE_FIRST && units.items[i + 1] <= SURROGATE_LAST) {
            code = 0x10000 + ((code - SURROGATE_FIRST) << 10) +
                   (uint32_t)(units.items[++i] - LOW_SURROGATE_FIRST);
            is_surrogate = false;
        }
        size += put_code(out + size, is_surrogate ? '?' : code);
    }
    return str_make(out, size);
}

static void put_padded(struct kernel_loop *loop, uint32_t row, bool at_left)
{
    struct units text = units_of(string_arg(loop, 0, row), loop->arena);
    struct units pad = units_of(string_arg(loop, 2, row), loop->arena);
    int32_t length = string_arg_i32(loop, 1, row);
    if (length < 0 || pad.count == 0) {
        string_put_bad(loop, row);
        return;
    }
    size_t wanted = (size_t)length;
    struct units out = {.items = arena_alloc(loop->arena, sizeof *out.items * (wanted + 1)),
                        .count = wanted};
    size_t kept = text.count < wanted ? text.count : wanted;
    size_t added = wanted - kept;
    for (size_t i = 0; i < added; i++) {
        out.items[at_left ? i : kept + i] = pad.items[i % pad.count];
    }
    memcpy(out.items + (at_left ? added : 0), text.items, sizeof *out.items * kept);
    string_put(loop, row, text_of(out, loop->arena));
}

static void lpad_one(struct kernel_loop *loop, uint32_t row)
{
    put_padded(loop, row, true);
}

static void rpad_one(struct kernel_loop *loop, uint32_t row)
{
    put_padded(loop, row, false);
}

// A place outside of the text leaves it as it is.
static void put_overlay(struct kernel_loop *loop, uint32_t row, int64_t from, const int32_t *count)
{
    struct units text = units_of(string_arg(loop, 0, row), loop->arena);
    struct units with = units_of(string_arg(loop, 1, row), loop->arena);
    if (from <= 0 || from > (int64_t)text.count) {
        string_put(loop, row, string_arg(loop, 0, row));
        return;
    }
    size_t start = (size_t)from - 1;
    int64_t taken = count == NULL ? (int64_t)with.count : *count;
    size_t left = text.count - start;
    // A negative count, or one behind the end, replaces all that is left.
    size_t end = taken < 0 || (uint64_t)taken > left ? text.count : start + (size_t)taken;
    struct units out = {
        .items = arena_alloc(loop->arena, sizeof *out.items * (text.count + with.count + 1))};
    memcpy(out.items, text.items, sizeof *out.items * start);
    memcpy(out.items + start, with.items, sizeof *out.items * with.count);
    memcpy(out.items + start + with.count, text.items + end,
           sizeof *out.items * (text.count - end));
    out.count = start + with.count + text.count - end;
    string_put(loop, row, text_of(out, loop->arena));
}

static void overlay_one(struct kernel_loop *loop, uint32_t row)
{
    put_overlay(loop, row, string_arg_i32(loop, 2, row), NULL);
}

static void overlay_count_one(struct kernel_loop *loop, uint32_t row)
{
    int32_t count = string_arg_i32(loop, 3, row);
    put_overlay(loop, row, string_arg_i32(loop, 2, row), &count);
}

static void lpad_loop(struct kernel_loop *loop)
{
    string_each(loop, lpad_one);
}

static void rpad_loop(struct kernel_loop *loop)
{
    string_each(loop, rpad_one);
}

static void overlay_loop(struct kernel_loop *loop)
{
    string_each(loop, overlay_one);
}

static void overlay_count_loop(struct kernel_loop *loop)
{
    string_each(loop, overlay_count_one);
}

static void map(struct kernel_run *run, kernel_loop_fn *loop, const struct column *args,
                uint32_t arg_count, struct column *out)
{
    struct kernel_shape shape = {
        .loop = loop, .out = PHYSICAL_STRING, .bad = KERNEL_BAD_IS_NULL, .skips = true};
    kernel_map(run, &shape, args, arg_count, out);
}

void string_lpad(struct kernel_run *run, const struct column *s, const struct column *n,
                 const struct column *pad, struct column *out)
{
    const struct column args[] = {*s, *n, *pad};
    map(run, lpad_loop, args, 3, out);
}

void string_rpad(struct kernel_run *run, const struct column *s, const struct column *n,
                 const struct column *pad, struct column *out)
{
    const struct column args[] = {*s, *n, *pad};
    map(run, rpad_loop, args, 3, out);
}

void string_overlay(struct kernel_run *run, const struct column *args, uint32_t arg_count,
                    struct column *out)
{
    map(run, arg_count == 3 ? overlay_loop : overlay_count_loop, args, arg_count, out);
}
