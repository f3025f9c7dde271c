// SPDX-License-Identifier: Apache-2.0
#include "kernel/logic.h"

#include <stddef.h>

#include "base/bits.h"

static uint64_t active_word(const uint64_t *active, uint32_t row_count, uint32_t word)
{
    if (active != NULL) {
        return active[word];
    }
    return word + 1 == bits_words(row_count) ? bits_tail(row_count) : UINT64_MAX;
}

// Null unless a side is false.
void logic_and(struct logic a, struct logic b, uint32_t row_count)
{
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t a_true = a.is_true[word];
        uint64_t a_null = a.is_null[word];
        a.is_true[word] = a_true & b.is_true[word];
        a.is_null[word] =
            (a_null & (b.is_true[word] | b.is_null[word])) | (b.is_null[word] & a_true);
    }
}

// Null unless a side is true.
void logic_or(struct logic a, struct logic b, uint32_t row_count)
{
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t is_true = a.is_true[word] | b.is_true[word];
        a.is_null[word] = (a.is_null[word] | b.is_null[word]) & ~is_true;
        a.is_true[word] = is_true;
    }
}

void logic_not(struct logic a, const uint64_t *active, uint32_t row_count)
{
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        uint64_t rows = active_word(active, row_count, word);
        a.is_null[word] &= rows;
        a.is_true[word] = rows & ~(a.is_true[word] | a.is_null[word]);
    }
}

void logic_open_for_and(struct logic a, const uint64_t *active, uint32_t row_count, uint64_t *out)
{
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        out[word] = active_word(active, row_count, word) & (a.is_true[word] | a.is_null[word]);
    }
}

void logic_open_for_or(struct logic a, const uint64_t *active, uint32_t row_count, uint64_t *out)
{
    for (uint32_t word = 0; word < bits_words(row_count); word++) {
        out[word] = active_word(active, row_count, word) & ~a.is_true[word];
    }
}
