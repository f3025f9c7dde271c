// SPDX-License-Identifier: Apache-2.0
#include "iceberg/spec/json_need.h"

static enum status missing(const char *key, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "'%s' is missing", key);
}

static enum status wrong(const char *key, const char *expected, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "'%s' is not %s", key, expected);
}

enum status json_need_object(const struct json_tree *node, const char *what, struct err *err)
{
    return node != NULL && node->kind == JSON_TREE_OBJECT ? STATUS_OK
                                                          : wrong(what, "an object", err);
}

enum status json_need_array_or(const struct json_tree *node, const char *key,
                               const struct json_tree **out, struct err *err)
{
    *out = json_tree_find(node, key);
    return *out == NULL || (*out)->kind == JSON_TREE_ARRAY ? STATUS_OK
                                                           : wrong(key, "an array", err);
}

enum status json_need_array(const struct json_tree *node, const char *key,
                            const struct json_tree **out, struct err *err)
{
    TRY(json_need_array_or(node, key, out, err));
    return *out == NULL ? missing(key, err) : STATUS_OK;
}

enum status json_need_str(const struct json_tree *node, const char *key, struct str *out,
                          struct err *err)
{
    const struct json_tree *found = json_tree_find(node, key);
    if (found == NULL) {
        return missing(key, err);
    }
    if (found->kind != JSON_TREE_STRING) {
        return wrong(key, "a string", err);
    }
    *out = found->text;
    return STATUS_OK;
}

enum status json_need_i64_or(const struct json_tree *node, const char *key, int64_t absent,
                             int64_t *out, struct err *err)
{
    const struct json_tree *found = json_tree_find(node, key);
    *out = absent;
    return found == NULL || json_tree_int(found, out) ? STATUS_OK : wrong(key, "an integer", err);
}

enum status json_need_i64(const struct json_tree *node, const char *key, int64_t *out,
                          struct err *err)
{
    return json_tree_find(node, key) == NULL ? missing(key, err)
                                             : json_need_i64_or(node, key, 0, out, err);
}

// Digits of a number above INT64_MAX and below 2^64.
static bool is_unsigned(const struct json_tree *found, int64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < found->text.size; i++) {
        unsigned char digit = (unsigned char)(found->text.ptr[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return false;
        }
    }
    *out = (int64_t)value;
    return found->text.size > 0;
}

enum status json_need_id_or(const struct json_tree *node, const char *key, int64_t absent,
                            int64_t *out, struct err *err)
{
    const struct json_tree *found = json_tree_find(node, key);
    if (found != NULL && found->kind == JSON_TREE_REAL && is_unsigned(found, out)) {
        return STATUS_OK;
    }
    return json_need_i64_or(node, key, absent, out, err);
}

enum status json_need_id(const struct json_tree *node, const char *key, int64_t *out,
                         struct err *err)
{
    return json_tree_find(node, key) == NULL ? missing(key, err)
                                             : json_need_id_or(node, key, 0, out, err);
}

enum status json_need_i32_or(const struct json_tree *node, const char *key, int32_t absent,
                             int32_t *out, struct err *err)
{
    int64_t value;
    TRY(json_need_i64_or(node, key, absent, &value, err));
    if (value < INT32_MIN || value > INT32_MAX) {
        return wrong(key, "a 32-bit integer", err);
    }
    *out = (int32_t)value;
    return STATUS_OK;
}

enum status json_need_i32(const struct json_tree *node, const char *key, int32_t *out,
                          struct err *err)
{
    return json_tree_find(node, key) == NULL ? missing(key, err)
                                             : json_need_i32_or(node, key, 0, out, err);
}

enum status json_need_bool(const struct json_tree *node, const char *key, bool *out,
                           struct err *err)
{
    const struct json_tree *found = json_tree_find(node, key);
    if (found == NULL) {
        return missing(key, err);
    }
    if (found->kind != JSON_TREE_BOOL) {
        return wrong(key, "true or false", err);
    }
    *out = found->as.boolean;
    return STATUS_OK;
}
