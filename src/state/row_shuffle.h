// SPDX-License-Identifier: Apache-2.0
//
// row_shuffle: rows of one size as planes: byte 0 of all rows, then byte 1 of all, and so on.
//
// Most bytes of a row are the upper ones of small numbers, flags and the like. As planes they stand
// in runs, which compress to less, and in a third of the time.
#pragma once

#include <stddef.h>

// `size` is a multiple of 8; `out` has room for size * count bytes and is another place.
void row_shuffle(const char *rows, size_t size, size_t count, char *out);
void row_shuffle_back(const char *planes, size_t size, size_t count, char *out);
