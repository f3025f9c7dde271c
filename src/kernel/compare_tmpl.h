// SPDX-License-Identifier: Apache-2.0
//
// The loops of compare.c for one physical type. Included once a type, with T (the C type) and
// NAME(stem) defined, beside NAME(less) and NAME(same). `op`, and whether a side is constant, are
// compile-time constants in every copy of the loop: the compiler folds them away.

ALWAYS_INLINE bool NAME(one)(enum compare_op op, const T *a, const T *b)
{
    switch (op) {
    case COMPARE_EQ: return NAME(same)(a, b);
    case COMPARE_NE: return !NAME(same)(a, b);
    case COMPARE_LT: return NAME(less)(a, b);
    case COMPARE_LE: return !NAME(less)(b, a);
    case COMPARE_GT: return NAME(less)(b, a);
    case COMPARE_GE: return !NAME(less)(a, b);
    }
    return false;
}

// Up to 64 rows to one word: a byte a row first, since that loop vectorises, then eight bytes to
// eight bits at a time.
ALWAYS_INLINE uint64_t NAME(word)(enum compare_op op, bool right_is_const, const T *a, const T *b,
                                  uint32_t count)
{
    uint8_t flags[64] = {0};
    for (uint32_t i = 0; i < count; i++) {
        flags[i] = NAME(one)(op, a + i, right_is_const ? b : b + i);
    }
    return flags_pack(flags);
}

// Full words have a constant count, so only the last one pays for being short.
ALWAYS_INLINE void NAME(loop)(enum compare_op op, bool right_is_const, const T *a, const T *b,
                              uint32_t row_count, uint64_t *out)
{
    uint32_t row = 0;
    for (; row + 64 <= row_count; row += 64) {
        out[row / 64] = NAME(word)(op, right_is_const, a + row, right_is_const ? b : b + row, 64);
    }
    if (row < row_count) {
        out[row / 64] =
            NAME(word)(op, right_is_const, a + row, right_is_const ? b : b + row, row_count - row);
    }
}

static void NAME(compare)(enum compare_op op, bool right_is_const, const void *left,
                          const void *right, uint32_t row_count, uint64_t *out)
{
    const T *a = left;
    const T *b = right;
    switch (op) {
#define CASE(op)                                                                                   \
    case op:                                                                                       \
        if (right_is_const) {                                                                      \
            NAME(loop)(op, true, a, b, row_count, out);                                            \
        } else {                                                                                   \
            NAME(loop)(op, false, a, b, row_count, out);                                           \
        }                                                                                          \
        return
        CASE(COMPARE_EQ);
        CASE(COMPARE_NE);
        CASE(COMPARE_LT);
        CASE(COMPARE_LE);
        CASE(COMPARE_GT);
        CASE(COMPARE_GE);
#undef CASE
    }
}

// <0, 0, >0
static int NAME(order)(const void *left, const void *right)
{
    const T *a = left;
    const T *b = right;
    return NAME(less)(b, a) - NAME(less)(a, b);
}
