// SPDX-License-Identifier: Apache-2.0
//
// murmur3: MurmurHash3_x86_32 with seed 0, the hash of Iceberg's bucket transform (Iceberg spec,
// appendix B) and of object-storage paths.
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t murmur3_bytes(const void *bytes, size_t size);
// Of the 8 bytes of `value`, little-endian: how int, long, date, time and timestamps are hashed.
uint32_t murmur3_i64(int64_t value);
