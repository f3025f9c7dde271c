// SPDX-License-Identifier: Apache-2.0
#include "state/row_shuffle.h"

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

// Swaps the bits of `low` << `shift` with those of `low`.
ALWAYS_INLINE void swap_parts(uint64_t *a, uint64_t *b, uint64_t low, int shift)
{
    uint64_t moved = ((*a >> shift) ^ *b) & low;
    *b ^= moved;
    *a ^= moved << shift;
}

// Eight words of eight bytes: byte j of word i becomes byte i of word j.
ALWAYS_INLINE void transpose(uint64_t words[8])
{
    for (int i = 0; i < 4; i++) {
        swap_parts(&words[i], &words[i + 4], UINT64_C(0x00000000ffffffff), 32);
    }
    for (int i = 0; i < 8; i += 4) {
        swap_parts(&words[i], &words[i + 2], UINT64_C(0x0000ffff0000ffff), 16);
        swap_parts(&words[i + 1], &words[i + 3], UINT64_C(0x0000ffff0000ffff), 16);
    }
    for (int i = 0; i < 8; i += 2) {
        swap_parts(&words[i], &words[i + 1], UINT64_C(0x00ff00ff00ff00ff), 8);
    }
}

// Eight words `from_step` bytes apart, transposed, to places `to_step` bytes apart.
ALWAYS_INLINE void move_square(const char *from, size_t from_step, char *to, size_t to_step)
{
    uint64_t words[8];
    for (size_t i = 0; i < 8; i++) {
        memcpy(&words[i], from + i * from_step, 8);
    }
    transpose(words);
    for (size_t i = 0; i < 8; i++) {
        memcpy(to + i * to_step, &words[i], 8);
    }
}

void row_shuffle(const char *rows, size_t size, size_t count, char *out)
{
    size_t whole = count / 8 * 8;
    for (size_t byte = 0; byte < size; byte += 8) {
        for (size_t row = 0; row < whole; row += 8) {
            move_square(rows + row * size + byte, size, out + byte * count + row, count);
        }
    }
    for (size_t row = whole; row < count; row++) {
        for (size_t byte = 0; byte < size; byte++) {
            out[byte * count + row] = rows[row * size + byte];
        }
    }
}

void row_shuffle_back(const char *planes, size_t size, size_t count, char *out)
{
    size_t whole = count / 8 * 8;
    for (size_t byte = 0; byte < size; byte += 8) {
        for (size_t row = 0; row < whole; row += 8) {
            move_square(planes + byte * count + row, count, out + row * size + byte, size);
        }
    }
    for (size_t row = whole; row < count; row++) {
        for (size_t byte = 0; byte < size; byte++) {
            out[row * size + byte] = planes[byte * count + row];
        }
    }
}
