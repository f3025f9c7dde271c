// SPDX-License-Identifier: Apache-2.0
//
// string: functions of characters and bytes. Positions and lengths count code points, from 1,
// unless a comment says otherwise (fixtures/flink-answers, surprises 25 to 28). Invalid UTF-8
// counts a byte as a character. Arguments: s is STRING, n and m are I32; all results are null where
// an argument is.
#pragma once

#include "kernel/kernel.h"

void string_length(struct kernel_run *run, const struct column *s, struct column *out); // I32
void string_octet_length(struct kernel_run *run, const struct column *s, struct column *out);
void string_upper(struct kernel_run *run, const struct column *s, struct column *out);
void string_lower(struct kernel_run *run, const struct column *s, struct column *out);
void string_initcap(struct kernel_run *run, const struct column *s, struct column *out);
void string_reverse(struct kernel_run *run, const struct column *s, struct column *out);
// SUBSTRING(s FROM n FOR m): args are s, n[, m]. From 0 as from 1, negative counts from the end.
void string_substring(struct kernel_run *run, const struct column *args, uint32_t arg_count,
                      struct column *out);
void string_left(struct kernel_run *run, const struct column *s, const struct column *n,
                 struct column *out);
void string_right(struct kernel_run *run, const struct column *s, const struct column *n,
                  struct column *out);
// Both as text or both as bytes, one after the other: `arg_count` of 1 to 4.
void string_concat(struct kernel_run *run, const struct column *args, uint32_t arg_count,
                   struct column *out);
// Where `s` starts in `in`; 0: nowhere. INSTR, LOCATE, POSITION. `from` (I32, may be NULL) is where
// the search starts, from 1.
void string_position(struct kernel_run *run, const struct column *s, const struct column *in,
                     const struct column *from, struct column *out);
void string_replace(struct kernel_run *run, const struct column *s, const struct column *what,
                    const struct column *with, struct column *out);
// Part n (from 0) of s split by a separator (STRING); null: there is none.
void string_split_index(struct kernel_run *run, const struct column *s,
                        const struct column *separator, const struct column *n, struct column *out);
// To n UTF-16 units; null for negative n or an empty pad.
void string_lpad(struct kernel_run *run, const struct column *s, const struct column *n,
                 const struct column *pad, struct column *out);
void string_rpad(struct kernel_run *run, const struct column *s, const struct column *n,
                 const struct column *pad, struct column *out);
void string_repeat(struct kernel_run *run, const struct column *s, const struct column *n,
                   struct column *out);
// OVERLAY(s PLACING with FROM n FOR m): args are s, with, n[, m].
void string_overlay(struct kernel_run *run, const struct column *args, uint32_t arg_count,
                    struct column *out);

enum string_side { STRING_BOTH, STRING_LEADING, STRING_TRAILING };
// Characters of `set` (NULL: blanks) are taken off.
void string_trim(struct kernel_run *run, enum string_side side, const struct column *s,
                 const struct column *set, struct column *out);

void string_starts_with(struct kernel_run *run, const struct column *s, const struct column *with,
                        uint64_t *is_true, uint64_t *is_null);
void string_ends_with(struct kernel_run *run, const struct column *s, const struct column *with,
                      uint64_t *is_true, uint64_t *is_null);
// LIKE: % and _ ; `escape` (STRING) may be NULL. A constant pattern is compiled once a call. A
// pattern with a bad escape fails.
void string_like(struct kernel_run *run, const struct column *s, const struct column *pattern,
                 const struct column *escape, uint64_t *is_true, uint64_t *is_null);

// ASCII (I32: the first byte, signed), CHR (STRING of an I64, modulo 256), HEX of bytes and of I64,
// UNHEX (null where it is no hex), TO_BASE64, FROM_BASE64 (text; fails where it is none).
void string_ascii(struct kernel_run *run, const struct column *s, struct column *out);
void string_chr(struct kernel_run *run, const struct column *n, struct column *out);
void string_hex(struct kernel_run *run, const struct column *s_or_n, struct column *out);
void string_unhex(struct kernel_run *run, const struct column *s, struct column *out);
void string_to_base64(struct kernel_run *run, const struct column *s, struct column *out);
void string_from_base64(struct kernel_run *run, const struct column *s, struct column *out);
