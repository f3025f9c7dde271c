// SPDX-License-Identifier: Apache-2.0
//
// json_need: members of a JSON object that must or may be there, for the parsers of Iceberg's JSON.
// An absent member and one that is null are the same. INVALID_DATA names the member.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "codec/json_tree.h"

MUST_USE enum status json_need_object(const struct json_tree *node, const char *what,
                                      struct err *err);
MUST_USE enum status json_need_array(const struct json_tree *node, const char *key,
                                     const struct json_tree **out, struct err *err);
MUST_USE enum status json_need_str(const struct json_tree *node, const char *key, struct str *out,
                                   struct err *err);
MUST_USE enum status json_need_i64(const struct json_tree *node, const char *key, int64_t *out,
                                   struct err *err);
MUST_USE enum status json_need_i32(const struct json_tree *node, const char *key, int32_t *out,
                                   struct err *err);
MUST_USE enum status json_need_bool(const struct json_tree *node, const char *key, bool *out,
                                    struct err *err);
// Absent: *out is `absent`. Of the wrong type: INVALID_DATA.
MUST_USE enum status json_need_i64_or(const struct json_tree *node, const char *key, int64_t absent,
                                      int64_t *out, struct err *err);
MUST_USE enum status json_need_i32_or(const struct json_tree *node, const char *key, int32_t absent,
                                      int32_t *out, struct err *err);
// An id of 64 bits. Writers that make them without a sign go above INT64_MAX, in the JSON only: in
// Avro the same bits are a negative number, which is what comes here.
MUST_USE enum status json_need_id(const struct json_tree *node, const char *key, int64_t *out,
                                  struct err *err);
MUST_USE enum status json_need_id_or(const struct json_tree *node, const char *key, int64_t absent,
                                     int64_t *out, struct err *err);
// Absent: *out is NULL.
MUST_USE enum status json_need_array_or(const struct json_tree *node, const char *key,
                                        const struct json_tree **out, struct err *err);
