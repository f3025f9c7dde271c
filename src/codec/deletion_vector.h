// SPDX-License-Identifier: Apache-2.0
//
// deletion_vector: the deleted positions of one data file as Iceberg keeps them in a blob of type
// "deletion-vector-v1" (Iceberg's Puffin spec):
//
//     length u32 BE of magic and bitmap | magic d1 d3 39 64 | 64-bit Roaring bitmap | CRC-32 BE
//
// Damage is INVALID_DATA: the checksum is of magic and bitmap.
#pragma once

#include "base/err.h"
#include "base/str.h"

struct bytebuf;
struct roaring;

// All of `bytes` is the blob. `out` is empty at first, and to be released also after an error.
MUST_USE enum status deletion_vector_read(struct str bytes, struct roaring *out, struct err *err);
// The set as it is; call roaring_optimize() before for the bytes of Java's writer.
void deletion_vector_write(const struct roaring *set, struct bytebuf *out);
