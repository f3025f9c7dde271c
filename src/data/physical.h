// SPDX-License-Identifier: Apache-2.0
//
// physical: the forms in which values are held. Kernels are stamped once for each (style: loops in
// *_tmpl.h, included once a type).
//
//   BOOL      0 or 1
//   I32       INT; DATE (days since 1970-01-01); TIME up to precision 3 (milliseconds of the day);
//             INTERVAL YEAR TO MONTH (months)
//   I64       BIGINT; DECIMAL of up to 18 digits (unscaled); TIMESTAMP and TIMESTAMP_LTZ up to
//             precision 6 (microseconds since the epoch, always, whatever the precision); TIME from
//             precision 4 on (microseconds of the day); INTERVAL DAY TO SECOND (milliseconds)
//   I128      DECIMAL of 19 to 38 digits (unscaled)
//   NANO      TIMESTAMPs of precision 7 to 9: int64 nanoseconds cannot hold years 1 to 9999
//   STRING    characters (UTF-8) and bytes, as views of 16 bytes
//   LIST      (offset, length) into one child
//   MAP       (offset, length) into two children, keys and values; MULTISET: values are INT counts
//   ROW       no values of its own: a child a field, and a validity
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/int128.h"
#include "base/str.h"

// Seconds since the epoch and nanoseconds within it (0 to 999,999,999), ordered by comparing both.
struct nano {
    int64_t second;
    int64_t nanosecond;
};

enum { STRVIEW_INLINE_MAX = 12 };

// Length, then either all bytes (up to 12, the rest zero), or the first four and a pointer to all.
// Unequal first 8 bytes mean unequal strings, without touching the pointer. Zero is "".
struct strview {
    uint32_t size;
    char prefix[4];
    union {
        char rest[8];
        const char *ptr;
    } as;
};

struct list_view {
    uint32_t offset; // of the first element in the child
    uint32_t length;
};

// X(NAME, C type, letters used in symbols)
#define PHYSICAL_SCALAR_LIST(X)                                                                    \
    X(BOOL, uint8_t, bool)                                                                         \
    X(I8, int8_t, i8)                                                                              \
    X(I16, int16_t, i16)                                                                           \
    X(I32, int32_t, i32)                                                                           \
    X(I64, int64_t, i64)                                                                           \
    X(I128, int128, i128)                                                                          \
    X(F32, float, f32)                                                                             \
    X(F64, double, f64)                                                                            \
    X(NANO, struct nano, nano)                                                                     \
    X(STRING, struct strview, string)

#define PHYSICAL_LIST(X)                                                                           \
    PHYSICAL_SCALAR_LIST(X)                                                                        \
    X(LIST, struct list_view, list)                                                                \
    X(MAP, struct list_view, map)                                                                  \
    X(ROW, void, row)

enum physical {
#define X(name, c_type, letters) PHYSICAL_##name,
    PHYSICAL_LIST(X)
#undef X
};

// Bytes a value; 0 for ROW.
static inline size_t physical_width(enum physical physical)
{
    static const uint8_t widths[] = {1, 1, 2, 4, 8, 16, 4, 8, 16, 16, 8, 8, 0};
    return widths[physical];
}

static inline const char *strview_ptr(const struct strview *view)
{
    return view->size <= STRVIEW_INLINE_MAX ? view->prefix : view->as.ptr;
}

// Borrowed from the view itself where it is short: do not use it behind the view's life.
static inline struct str strview_str(const struct strview *view)
{
    return (struct str){strview_ptr(view), view->size};
}

// Long strings are borrowed, short ones copied into the view.
static inline struct strview strview_make(const char *ptr, size_t size)
{
    struct strview view = {.size = (uint32_t)size};
    if (size <= STRVIEW_INLINE_MAX) {
        if (size > 0) {
            memcpy(view.prefix, ptr, size); // prefix and rest are adjacent: see the assertion below
        }
    } else {
        memcpy(view.prefix, ptr, 4);
        view.as.ptr = ptr;
    }
    return view;
}

_Static_assert(sizeof(struct strview) == 16 && offsetof(struct strview, as) == 8, "view layout");

static inline bool strview_equal(const struct strview *a, const struct strview *b)
{
    uint64_t a_head;
    uint64_t b_head;
    memcpy(&a_head, a, 8);
    memcpy(&b_head, b, 8);
    if (a_head != b_head) {
        return false;
    }
    if (a->size <= STRVIEW_INLINE_MAX) {
        return memcmp(a->as.rest, b->as.rest, 8) == 0;
    }
    return memcmp(a->as.ptr, b->as.ptr, a->size) == 0;
}

// By bytes, which for UTF-8 is by code point; <0, 0, >0.
int strview_compare(const struct strview *a, const struct strview *b);
