// SPDX-License-Identifier: Apache-2.0
//
// The loops of arith.c for one type of number. Included once a type, with T and NAME(stem) defined,
// beside NAME(one)(op, a, b). Which sides are constant is folded into each copy.

ALWAYS_INLINE void NAME(loop)(enum arith_op op, const struct kernel_loop *loop, bool a_is_const,
                              bool b_is_const)
{
    const T *a = loop->args[0];
    const T *b = loop->args[1];
    T *out = loop->out;
    for (uint32_t i = 0; i < loop->count; i++) {
        out[i] = NAME(one)(op, a[a_is_const ? 0 : i], b[b_is_const ? 0 : i]);
    }
}

ALWAYS_INLINE void NAME(loops)(enum arith_op op, const struct kernel_loop *loop)
{
    if (loop->is_const[1]) {
        NAME(loop)(op, loop, false, true);
    } else if (loop->is_const[0]) {
        NAME(loop)(op, loop, true, false);
    } else {
        NAME(loop)(op, loop, false, false);
    }
}

// Two constants are one value: then the first side's index is 0 anyway.
static void NAME(binary)(struct kernel_loop *loop)
{
    const enum arith_op *op = loop->options;
    switch (*op) {
    case ARITH_ADD: NAME(loops)(ARITH_ADD, loop); return;
    case ARITH_SUB: NAME(loops)(ARITH_SUB, loop); return;
    case ARITH_MUL: NAME(loops)(ARITH_MUL, loop); return;
    case ARITH_DIV: NAME(loops)(ARITH_DIV, loop); return;
    case ARITH_MOD: NAME(loops)(ARITH_MOD, loop); return;
    }
}
