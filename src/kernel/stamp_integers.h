// SPDX-License-Identifier: Apache-2.0
//
// stamp_integers: includes TEMPLATE once for each of I8 to I64, with T (the C type) and
// NAME(stem) defined. TEMPLATE is the quoted name of a *_tmpl.h, set before and undefined here.
// Included as often as there are templates, so without a guard.

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

#undef TEMPLATE
