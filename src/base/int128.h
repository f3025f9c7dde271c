// SPDX-License-Identifier: Apache-2.0
//
// int128: what C17 has no name for. Both compilers have the type on every 64-bit target.
#pragma once

#include <stdint.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static inline int128 int128_make(int64_t high, uint64_t low)
{
    return (int128)((uint128)(uint64_t)high << 64 | low);
}
