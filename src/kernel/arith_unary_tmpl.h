// SPDX-License-Identifier: Apache-2.0
//
// The unary loop of arith.c for one type of number. Included once a type, with T, U (the unsigned
// type in which T wraps; T itself for floating types) and NAME(stem) defined.

// The sign of a zero turns, too: 0 - 0.0 would not do that.
ALWAYS_INLINE T NAME(negated)(T a)
{
    bool is_floating = (T)0.5 > 0;
    return is_floating ? (T)((T)-1 * a) : (T)(0 - (U)a);
}

// Adding 0 makes -0.0 positive.
ALWAYS_INLINE T NAME(absolute)(T a)
{
    return a < 0 ? NAME(negated)(a) : (T)(a + 0);
}

// NaN and the sign of zero stay, as in Java's Math.signum().
ALWAYS_INLINE T NAME(sign)(T a, int128 one)
{
    return a > 0 ? (T)one : a < 0 ? (T)-one : a;
}

static void NAME(unary)(struct kernel_loop *loop)
{
    const struct unary_options *options = loop->options;
    const T *a = loop->args[0];
    T *out = loop->out;
    switch (options->op) {
    case UNARY_NEGATE:
        for (uint32_t i = 0; i < loop->count; i++) {
            out[i] = NAME(negated)(a[i]);
        }
        return;
    case UNARY_ABS:
        for (uint32_t i = 0; i < loop->count; i++) {
            out[i] = NAME(absolute)(a[i]);
        }
        return;
    case UNARY_SIGN:
        for (uint32_t i = 0; i < loop->count; i++) {
            out[i] = NAME(sign)(a[i], options->one);
        }
        return;
    }
}
