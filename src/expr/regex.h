// SPDX-License-Identifier: Apache-2.0
//
// regex: regular expressions with Java's meaning, on PCRE2 with JIT.
//
// What differs from PCRE is translated before compiling: \p{Alpha} and its like, and the flags u, d
// and U, which in Java mean Unicode in letter case and classes. Unions and intersections of classes
// ([a-z&&[^b]]) are not known and count as a bad pattern. Text that is not UTF-8 matches nothing. A
// match is bounded in steps and memory: whoever writes (a+)+$ gets an error instead of a stuck
// pipeline.
//
// A cache belongs to one program, so to one thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct regex;
struct regex_cache;

enum regex_form {
    REGEX_FIND,  // anywhere in the text
    REGEX_WHOLE, // the text from start to end
};

// Compiled patterns, kept until the arena is released.
struct regex_cache *regex_cache_new(struct arena *arena);
// The compiled pattern, borrowed until later calls have filled the cache (some dozens); NULL: the
// pattern is bad.
struct regex *regex_cached(struct regex_cache *cache, struct str pattern, enum regex_form form);

uint32_t regex_groups(const struct regex *regex); // in parentheses

// Bytes of group n: [at[2n], at[2n + 1]); SIZE_MAX where the group took no part.
struct regex_match {
    bool found;
    const size_t *at; // borrowed until the next match
};
// The first match from byte `from` on. LIMIT where it takes too long.
MUST_USE enum status regex_find(struct regex *regex, struct str text, size_t from,
                                struct regex_match *match, struct err *err);
// Where to look for the match after one that was found: behind it, one character on if it is empty.
size_t regex_after(const struct regex_match *match, struct str text);

// The pattern of SIMILAR TO as a regular expression, in `arena`. INVALID_DATA where it is none.
// `escape`: of one character, or empty.
MUST_USE enum status regex_from_similar(struct arena *arena, struct str pattern, struct str escape,
                                        struct str *out, struct err *err);
