// SPDX-License-Identifier: Apache-2.0
//
// The part of string.h that looks for strings in strings.
#include "kernel/string.h"
#include "kernel/string_int.h"

// Where `what` starts in `text` at or behind `from`; SIZE_MAX: nowhere.
static size_t find(struct str text, struct str what, size_t from)
{
    if (from > text.size) {
        return SIZE_MAX;
    }
    if (what.size == 0) {
        return from;
    }
    const char *found = memmem(text.ptr + from, text.size - from, what.ptr, what.size);
    return found == NULL ? SIZE_MAX : (size_t)(found - text.ptr);
}

static void put_position(struct kernel_loop *loop, uint32_t row, int32_t from)
{
    struct str text = string_arg(loop, 1, row);
    size_t at = find(text, string_arg(loop, 0, row), from > 1 ? utf8_offset(text, from - 1) : 0);
    ((int32_t *)loop->out)[row] =
        at == SIZE_MAX ? 0 : (int32_t)utf8_count(str_slice(text, 0, at)) + 1;
}

static void position_one(struct kernel_loop *loop, uint32_t row)
{
    put_position(loop, row, 1);
}

static void position_from_one(struct kernel_loop *loop, uint32_t row)
{
    put_position(loop, row, string_arg_i32(loop, 2, row));
}

static void position_loop(struct kernel_loop *loop)
{
    string_each(loop, position_one);
}

static void position_from_loop(struct kernel_loop *loop)
{
    string_each(loop, position_from_one);
}

void string_position(struct kernel_run *run, const struct column *s, const struct column *in,
                     const struct column *from, struct column *out)
{
    struct kernel_shape shape = {.loop = from == NULL ? position_loop : position_from_loop,
                                 .out = PHYSICAL_I32,
                                 .skips = true};
    const struct column args[] = {*s, *in, from == NULL ? *s : *from};
    kernel_map(run, &shape, args, from == NULL ? 2 : 3, out);
}

static size_t count_of(struct str text, struct str what)
{
    size_t count = 0;
    for (size_t at = find(text, what, 0); at != SIZE_MAX; at = find(text, what, at + what.size)) {
        count++;
    }
    return count;
}

// An empty `what` stands before each character and at the end.
static struct str insert_everywhere(struct str text, struct str with, struct arena *arena)
{
    size_t places = (size_t)utf8_count(text) + 1;
    char *out = arena_alloc(arena, text.size + places * with.size + 1);
    size_t size = 0;
    for (size_t at = 0;;) {
        if (with.size > 0) {
            memcpy(out + size, with.ptr, with.size);
            size += with.size;
        }
        if (at == text.size) {
            return str_make(out, size);
        }
        size_t length = utf8_length(text, at);
        memcpy(out + size, text.ptr + at, length);
        size += length;
        at += length;
    }
}

static void replace_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    struct str what = string_arg(loop, 1, row);
    struct str with = string_arg(loop, 2, row);
    if (what.size == 0) {
        string_put(loop, row, insert_everywhere(text, with, loop->arena));
        return;
    }
    size_t count = count_of(text, what);
    if (count == 0) {
        string_put(loop, row, text);
        return;
    }
    char *out = arena_alloc(loop->arena, text.size - count * what.size + count * with.size + 1);
    size_t size = 0;
    size_t from = 0;
    for (;;) {
        size_t at = find(text, what, from);
        size_t end = at == SIZE_MAX ? text.size : at;
        memcpy(out + size, text.ptr + from, end - from);
        size += end - from;
        if (at == SIZE_MAX) {
            break;
        }
        if (with.size > 0) {
            memcpy(out + size, with.ptr, with.size);
        }
        size += with.size;
        from = at + what.size;
    }
    string_put(loop, row, str_make(out, size));
}

static void replace_loop(struct kernel_loop *loop)
{
    string_each(loop, replace_one);
}

void string_replace(struct kernel_run *run, const struct column *s, const struct column *what,
                    const struct column *with, struct column *out)
{
    struct kernel_shape shape = {.loop = replace_loop, .out = PHYSICAL_STRING, .skips = true};
    const struct column args[] = {*s, *what, *with};
    kernel_map(run, &shape, args, 3, out);
}

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

// Without a separator text is split at each blank.
static struct str split_at_blanks(struct str text, int32_t index, bool *found)
{
    size_t from = 0;
    for (;;) {
        size_t end = from;
        while (end < text.size && !is_blank(text.ptr[end])) {
            end++;
        }
        *found = index == 0;
        if (index-- == 0 || end == text.size) {
            return str_slice(text, from, end);
        }
        from = end + 1;
    }
}

static struct str split_at(struct str text, struct str separator, int32_t index, bool *found)
{
    if (separator.size == 0) {
        return split_at_blanks(text, index, found);
    }
    size_t from = 0;
    for (;;) {
        size_t end = find(text, separator, from);
        bool is_last = end == SIZE_MAX;
        *found = index == 0;
        if (index-- == 0 || is_last) {
            return str_slice(text, from, is_last ? text.size : end);
        }
        from = end + separator.size;
    }
}

static void split_index_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    int32_t index = string_arg_i32(loop, 2, row);
    bool found = false;
    struct str part = {0};
    if (index >= 0 && text.size > 0) {
        part = split_at(text, string_arg(loop, 1, row), index, &found);
    }
    if (!found) {
        string_put_bad(loop, row);
        return;
    }
    string_put(loop, row, part);
}

static void split_index_loop(struct kernel_loop *loop)
{
    string_each(loop, split_index_one);
}

void string_split_index(struct kernel_run *run, const struct column *s,
                        const struct column *separator, const struct column *n, struct column *out)
{
    struct kernel_shape shape = {
        .loop = split_index_loop, .out = PHYSICAL_STRING, .bad = KERNEL_BAD_IS_NULL, .skips = true};
    const struct column args[] = {*s, *separator, *n};
    kernel_map(run, &shape, args, 3, out);
}

static void set_bit(struct kernel_loop *loop, uint32_t row, bool bit)
{
    ((uint64_t *)loop->out)[row / 64] |= (uint64_t)bit << (row % 64);
}

static void starts_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    struct str with = string_arg(loop, 1, row);
    set_bit(loop, row,
            with.size <= text.size &&
                (with.size == 0 || memcmp(text.ptr, with.ptr, with.size) == 0));
}

static void ends_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    struct str with = string_arg(loop, 1, row);
    set_bit(loop, row,
            with.size <= text.size && (with.size == 0 || memcmp(text.ptr + text.size - with.size,
                                                                with.ptr, with.size) == 0));
}

static void starts_loop(struct kernel_loop *loop)
{
    string_each(loop, starts_one);
}

static void ends_loop(struct kernel_loop *loop)
{
    string_each(loop, ends_one);
}

void string_starts_with(struct kernel_run *run, const struct column *s, const struct column *with,
                        uint64_t *is_true, uint64_t *is_null)
{
    struct kernel_shape shape = {.loop = starts_loop};
    const struct column args[] = {*s, *with};
    kernel_test(run, &shape, args, 2, is_true, is_null);
}

void string_ends_with(struct kernel_run *run, const struct column *s, const struct column *with,
                      uint64_t *is_true, uint64_t *is_null)
{
    struct kernel_shape shape = {.loop = ends_loop};
    const struct column args[] = {*s, *with};
    kernel_test(run, &shape, args, 2, is_true, is_null);
}
