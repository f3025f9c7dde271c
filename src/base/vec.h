// SPDX-License-Identifier: Apache-2.0
//
// vec: a growing array on the heap.
//
//     VEC(struct file) files = {0};
//     VEC_PUSH(&files, file);
//     for (uint32_t i = 0; i < files.count; i++) { use(&files.items[i]); }
//     VEC_RELEASE(&files);
//
// Pointers to items are valid until the next push.
#pragma once

#include <stdint.h>

#include "base/mem.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

#define VEC_RESERVE(vec, extra)                                                                    \
    do {                                                                                           \
        uint32_t vec_need = (vec)->count + (uint32_t)(extra);                                      \
        if (vec_need > (vec)->capacity) {                                                          \
            uint32_t vec_capacity = (vec)->capacity == 0 ? 8 : (vec)->capacity * 2;                \
            (vec)->capacity = vec_capacity > vec_need ? vec_capacity : vec_need;                   \
            (vec)->items = mem_realloc((vec)->items, (vec)->capacity * sizeof *(vec)->items);      \
        }                                                                                          \
    } while (0)

#define VEC_PUSH(vec, item)                                                                        \
    do {                                                                                           \
        VEC_RESERVE(vec, 1);                                                                       \
        (vec)->items[(vec)->count++] = (item);                                                     \
    } while (0)

#define VEC_RELEASE(vec)                                                                           \
    do {                                                                                           \
        mem_free((vec)->items);                                                                    \
        (vec)->items = NULL;                                                                       \
        (vec)->count = (vec)->capacity = 0;                                                        \
    } while (0)
