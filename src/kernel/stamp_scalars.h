// SPDX-License-Identifier: Apache-2.0
//
// stamp_scalars: includes TEMPLATE once for each of the scalar forms (physical.h), with T (the C
// type) and NAME(stem) defined. TEMPLATE is the quoted name of a *_tmpl.h, set before and undefined
// here. Included as often as there are templates, so without a guard.

#define T uint8_t
#define NAME(stem) bool_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T int8_t
#define NAME(stem) i8_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T int16_t
#define NAME(stem) i16_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T int32_t
#define NAME(stem) i32_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T int64_t
#define NAME(stem) i64_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T int128
#define NAME(stem) i128_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T float
#define NAME(stem) f32_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T double
#define NAME(stem) f64_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T struct nano
#define NAME(stem) nano_##stem
#include TEMPLATE
#undef T
#undef NAME

#define T struct strview
#define NAME(stem) string_##stem
#include TEMPLATE
#undef T
#undef NAME

#undef TEMPLATE
