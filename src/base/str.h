// SPDX-License-Identifier: Apache-2.0
//
// str: a run of bytes that somebody else owns. UTF-8 where it is text; NUL is a byte like any
// other and does not end it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
    const char *ptr; // may be NULL where size is 0
    size_t size;
};

// For "%.*s". Texts in messages are shorter than 2 GiB.
#define STR_ARGS(str) (int)(str).size, (str).ptr
// From a string literal, without counting.
#define STR_LIT(literal) ((struct str){(literal), sizeof(literal) - 1})

struct str str_from(const char *text); // borrowed; NULL gives the empty str
static inline struct str str_make(const char *ptr, size_t size)
{
    return (struct str){ptr, size};
}

bool str_equal(struct str a, struct str b);
bool str_equal_nocase(struct str a, struct str b); // ASCII letters only, as in SQL keywords
int str_compare(struct str a, struct str b);       // by bytes; <0, 0, >0
bool str_is(struct str a, const char *text);
bool str_is_nocase(struct str a, const char *text);
bool str_starts(struct str a, const char *prefix);
bool str_ends(struct str a, const char *suffix);
struct str str_slice(struct str a, size_t from, size_t to); // bytes [from, to)
struct str str_trim(struct str a);                          // blanks, tabs and line ends
// Where `byte` stands first; a.size where it does not.
size_t str_find(struct str a, char byte);

// The edits between two names, ignoring case (Levenshtein), for hints. Names over 64 bytes give
// UINT32_MAX.
uint32_t str_distance(struct str a, struct str b);

// Decimal digits with an optional '-'; false for anything else, blanks and overflow included.
bool str_to_i64(struct str a, int64_t *out);
