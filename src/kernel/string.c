// SPDX-License-Identifier: Apache-2.0
//
// string, the part that takes strings apart and puts them together. Searching is in
// string_search.c, case in string_case.c, codes in string_code.c, UTF-16 in string_utf16.c.
#include "kernel/string.h"

#include "base/assert.h"
#include "kernel/string_int.h"

static void map(struct kernel_run *run, kernel_loop_fn *loop, enum physical out_physical,
                const struct column *args, uint32_t arg_count, struct column *out)
{
    struct kernel_shape shape = {
        .loop = loop, .out = out_physical, .bad = KERNEL_BAD_IS_NULL, .skips = true};
    kernel_map(run, &shape, args, arg_count, out);
}

// Short texts stand in their view, with zeros behind them: two words tell whether all is ASCII.
static void length_one(struct kernel_loop *loop, uint32_t row)
{
    const struct strview *view =
        (const struct strview *)loop->args[0] + (loop->is_const[0] ? 0 : row);
    const uint64_t high = UINT64_C(0x8080808080808080);
    uint32_t head;
    uint64_t rest;
    memcpy(&head, view->prefix, sizeof head);
    memcpy(&rest, view->as.rest, sizeof rest);
    bool is_ascii = view->size <= STRVIEW_INLINE_MAX && ((head | rest) & high) == 0;
    ((int32_t *)loop->out)[row] =
        is_ascii ? (int32_t)view->size : (int32_t)utf8_count(strview_str(view));
}

static void length_loop(struct kernel_loop *loop)
{
    string_each(loop, length_one);
}

void string_length(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, length_loop, PHYSICAL_I32, s, 1, out);
}

static void octet_length_loop(struct kernel_loop *loop)
{
    const struct strview *in = loop->args[0];
    for (uint32_t row = 0; row < loop->count; row++) {
        ((int32_t *)loop->out)[row] = (int32_t)in[row].size;
    }
}

void string_octet_length(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, octet_length_loop, PHYSICAL_I32, s, 1, out);
}

static void reverse_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    char *out = arena_alloc(loop->arena, text.size + 1);
    size_t end = text.size;
    for (size_t at = 0; at < text.size;) {
        size_t length = utf8_length(text, at);
        end -= length;
        memcpy(out + end, text.ptr + at, length);
        at += length;
    }
    string_put(loop, row, str_make(out, text.size));
}

static void reverse_loop(struct kernel_loop *loop)
{
    string_each(loop, reverse_one);
}

void string_reverse(struct kernel_run *run, const struct column *s, struct column *out)
{
    map(run, reverse_loop, PHYSICAL_STRING, s, 1, out);
}

// Characters [from, from + count) of `text`.
static struct str slice_characters(struct str text, int64_t from, int64_t count)
{
    if (utf8_is_ascii(text)) {
        int64_t size = (int64_t)text.size;
        int64_t start = from < size ? from : size;
        int64_t end = count < size - start ? start + count : size;
        return str_slice(text, (size_t)start, (size_t)end);
    }
    size_t start = utf8_offset(text, from);
    struct str rest = str_slice(text, start, text.size);
    return str_slice(rest, 0, utf8_offset(rest, count));
}

// `count` below 0: to the end is written as INT32_MAX by the callers, so that negative is an error.
static void put_substring(struct kernel_loop *loop, uint32_t row, int64_t from, int64_t count)
{
    struct str text = string_arg(loop, 0, row);
    if (count < 0) {
        string_put_bad(loop, row);
        return;
    }
    int64_t start = from > 0 ? from - 1 : 0;
    if (from < 0) {
        start = utf8_count(text) + from;
        if (start < 0) {
            return; // a start before the text: ''
        }
    }
    string_put(loop, row, slice_characters(text, start, count));
}

static void substring_from_one(struct kernel_loop *loop, uint32_t row)
{
    put_substring(loop, row, string_arg_i32(loop, 1, row), INT32_MAX);
}

static void substring_one(struct kernel_loop *loop, uint32_t row)
{
    put_substring(loop, row, string_arg_i32(loop, 1, row), string_arg_i32(loop, 2, row));
}

static void substring_from_loop(struct kernel_loop *loop)
{
    string_each(loop, substring_from_one);
}

static void substring_loop(struct kernel_loop *loop)
{
    string_each(loop, substring_one);
}

void string_substring(struct kernel_run *run, const struct column *args, uint32_t arg_count,
                      struct column *out)
{
    map(run, arg_count == 2 ? substring_from_loop : substring_loop, PHYSICAL_STRING, args,
        arg_count, out);
}

static void left_one(struct kernel_loop *loop, uint32_t row)
{
    int32_t count = string_arg_i32(loop, 1, row);
    if (count > 0) {
        string_put(loop, row, slice_characters(string_arg(loop, 0, row), 0, count));
    }
}

static void right_one(struct kernel_loop *loop, uint32_t row)
{
    int32_t count = string_arg_i32(loop, 1, row);
    if (count > 0) {
        struct str text = string_arg(loop, 0, row);
        int64_t start = utf8_count(text) - count;
        string_put(loop, row, slice_characters(text, start > 0 ? start : 0, count));
    }
}

static void left_loop(struct kernel_loop *loop)
{
    string_each(loop, left_one);
}

static void right_loop(struct kernel_loop *loop)
{
    string_each(loop, right_one);
}

void string_left(struct kernel_run *run, const struct column *s, const struct column *n,
                 struct column *out)
{
    const struct column args[] = {*s, *n};
    map(run, left_loop, PHYSICAL_STRING, args, 2, out);
}

void string_right(struct kernel_run *run, const struct column *s, const struct column *n,
                  struct column *out)
{
    const struct column args[] = {*s, *n};
    map(run, right_loop, PHYSICAL_STRING, args, 2, out);
}

static uint32_t string_arg_count(const struct kernel_loop *loop)
{
    uint32_t count = 0;
    while (count < KERNEL_ARGS_MAX && loop->args[count] != NULL) {
        count++;
    }
    return count;
}

// Short results are put together on the stack: no memory from the arena.
static void concat_one(struct kernel_loop *loop, uint32_t row)
{
    uint32_t count = string_arg_count(loop);
    struct str parts[KERNEL_ARGS_MAX];
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = string_arg(loop, i, row);
        size += parts[i].size;
    }
    char inline_bytes[STRVIEW_INLINE_MAX];
    char *out = size <= STRVIEW_INLINE_MAX ? inline_bytes : arena_alloc(loop->arena, size);
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].size > 0) {
            memcpy(out + at, parts[i].ptr, parts[i].size);
            at += parts[i].size;
        }
    }
    string_put(loop, row, str_make(out, size));
}

static void concat_loop(struct kernel_loop *loop)
{
    string_each(loop, concat_one);
}

void string_concat(struct kernel_run *run, const struct column *args, uint32_t arg_count,
                   struct column *out)
{
    DASSERT(arg_count >= 1 && arg_count <= KERNEL_ARGS_MAX);
    map(run, concat_loop, PHYSICAL_STRING, args, arg_count, out);
}

static void repeat_one(struct kernel_loop *loop, uint32_t row)
{
    struct str text = string_arg(loop, 0, row);
    int32_t times = string_arg_i32(loop, 1, row);
    if (times <= 0 || text.size == 0) {
        return;
    }
    size_t size = text.size * (size_t)times;
    if (size > INT32_MAX) { // Java's strings end here, too
        string_put_bad(loop, row);
        return;
    }
    char *out = arena_alloc(loop->arena, size);
    for (size_t at = 0; at < size; at += text.size) {
        memcpy(out + at, text.ptr, text.size);
    }
    string_put(loop, row, str_make(out, size));
}

static void repeat_loop(struct kernel_loop *loop)
{
    string_each(loop, repeat_one);
}

void string_repeat(struct kernel_run *run, const struct column *s, const struct column *n,
                   struct column *out)
{
    const struct column args[] = {*s, *n};
    map(run, repeat_loop, PHYSICAL_STRING, args, 2, out);
}

static bool in_set(struct str character, struct str set)
{
    for (size_t at = 0; at < set.size;) {
        size_t length = utf8_length(set, at);
        if (length == character.size && memcmp(set.ptr + at, character.ptr, length) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

// The character that ends at text.size.
static struct str last_character(struct str text)
{
    size_t start = text.size - 1;
    while (start > 0 && text.size - start < 4 && utf8_is_continuation(text.ptr[start])) {
        start--;
    }
    if (utf8_length(text, start) != text.size - start) {
        start = text.size - 1; // a byte of its own
    }
    return str_slice(text, start, text.size);
}

static struct str trim(struct str text, struct str set, enum string_side side)
{
    while (side != STRING_TRAILING && text.size > 0) {
        size_t length = utf8_length(text, 0);
        if (!in_set(str_slice(text, 0, length), set)) {
            break;
        }
        text = str_slice(text, length, text.size);
    }
    while (side != STRING_LEADING && text.size > 0) {
        struct str last = last_character(text);
        if (!in_set(last, set)) {
            break;
        }
        text.size -= last.size;
    }
    return text;
}

static void trim_set_one(struct kernel_loop *loop, uint32_t row)
{
    const enum string_side *side = loop->options;
    string_put(loop, row, trim(string_arg(loop, 0, row), string_arg(loop, 1, row), *side));
}

static void trim_blanks_one(struct kernel_loop *loop, uint32_t row)
{
    const enum string_side *side = loop->options;
    string_put(loop, row, trim(string_arg(loop, 0, row), STR_LIT(" "), *side));
}

static void trim_set_loop(struct kernel_loop *loop)
{
    string_each(loop, trim_set_one);
}

static void trim_blanks_loop(struct kernel_loop *loop)
{
    string_each(loop, trim_blanks_one);
}

void string_trim(struct kernel_run *run, enum string_side side, const struct column *s,
                 const struct column *set, struct column *out)
{
    struct kernel_shape shape = {.loop = set == NULL ? trim_blanks_loop : trim_set_loop,
                                 .options = &side,
                                 .out = PHYSICAL_STRING,
                                 .skips = true};
    const struct column args[] = {*s, set == NULL ? *s : *set};
    kernel_map(run, &shape, args, set == NULL ? 1 : 2, out);
}
