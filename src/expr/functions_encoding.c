// SPDX-License-Identifier: Apache-2.0
//
// Digests, base64, hex, URLs, character sets.
#include <openssl/evp.h>
#include <string.h>

#include "base/arena.h"
#include "base/library.h"
#include "expr/binding.h"
#include "expr/charset.h"
#include "expr/families.h"
#include "expr/kernels.h"
#include "expr/rows.h"
#include "expr/url.h"
#include "kernel/string.h"

#define ONE(name, kernel)                                                                          \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        struct kernel_run run = kernels_begin(call);                                               \
        kernel(&run, &call->args[0], out);                                                         \
        return kernels_end(call, &run, err);                                                       \
    }
ONE(evaluate_hex, string_hex)
ONE(evaluate_unhex, string_unhex)
ONE(evaluate_to_base64, string_to_base64)
ONE(evaluate_from_base64, string_from_base64)
#undef ONE

typedef const EVP_MD *(*digest_method)(void);

// The cryptographic library, opened with the first digest.
static struct {
    __typeof__(EVP_Digest) *digest;
    digest_method md5, sha1, sha224, sha256, sha384, sha512;
} crypto;

static enum status open_crypto(struct err *err)
{
    static const struct library_call calls[] = {
        {"EVP_Digest", &crypto.digest}, {"EVP_md5", &crypto.md5},
        {"EVP_sha1", &crypto.sha1},     {"EVP_sha224", &crypto.sha224},
        {"EVP_sha256", &crypto.sha256}, {"EVP_sha384", &crypto.sha384},
        {"EVP_sha512", &crypto.sha512},
    };
    static struct library library = LIBRARY("libcrypto.so.3", "a digest", calls);
    return library_open(&library, err);
}

// The digest of a text or bytes, in hex digits.
static enum status digest(const struct function_call *call, struct str bytes,
                          const digest_method *method, struct function_value *value,
                          struct err *err)
{
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    TRY(open_crypto(err));
    if (crypto.digest(bytes.ptr, bytes.size, hash, &size, (*method)(), NULL) != 1) {
        return ERR(err, STATUS_UNSUPPORTED, "%s: the cryptographic library refuses it",
                   call->expr->function->name);
    }
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(call->arena, (size_t)size * 2);
    for (unsigned i = 0; i < size; i++) {
        text[2 * i] = digits[hash[i] >> 4];
        text[2 * i + 1] = digits[hash[i] & 15];
    }
    value->text = str_make(text, (size_t)size * 2);
    return STATUS_OK;
}

#define DIGEST(name, method)                                                                       \
    static enum status name(const struct function_call *call, uint32_t row,                        \
                            struct function_value *value, struct err *err)                         \
    {                                                                                              \
        return digest(call, rows_str(call, 0, row), &crypto.method, value, err);                   \
    }
DIGEST(row_md5, md5)
DIGEST(row_sha1, sha1)
DIGEST(row_sha224, sha224)
DIGEST(row_sha256, sha256)
DIGEST(row_sha384, sha384)
DIGEST(row_sha512, sha512)
#undef DIGEST

static enum status row_sha2(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    struct str bytes = rows_str(call, 0, row);
    switch (rows_i64(call, 1, row)) {
    case 224: return digest(call, bytes, &crypto.sha224, value, err);
    case 256: return digest(call, bytes, &crypto.sha256, value, err);
    case 384: return digest(call, bytes, &crypto.sha384, value, err);
    case 512: return digest(call, bytes, &crypto.sha512, value, err);
    default:
        return ERR(err, STATUS_INVALID_DATA,
                   "SHA2: the length must be 224, 256, 384 or 512, not %lld",
                   (long long)rows_i64(call, 1, row));
    }
}

// CHAR of as many hex digits as the method gives.
static enum status resolve_digest(struct function_binding *binding, struct err *err)
{
    static const struct {
        const char *name;
        int32_t length;
    } lengths[] = {{"MD5", 32},    {"SHA1", 40},   {"SHA224", 56},
                   {"SHA256", 64}, {"SHA384", 96}, {"SHA512", 128}};
    TRY(binding_match(binding, "T", err));
    int32_t length = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (strcmp(lengths[i].name, binding->function->name) == 0) {
            length = lengths[i].length;
        }
    }
    binding->type = type_sized(binding->arena, TYPE_CHAR, length, binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_sha2(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "TI", err));
    binding->type = type_sized(binding->arena, TYPE_VARCHAR, 128, binding_nullable(binding));
    return STATUS_OK;
}

// HEX of a number or of a text's bytes.
static enum status resolve_hex(struct function_binding *binding, struct err *err)
{
    if (type_is_integer(binding_type(binding, 0))) {
        TRY(binding_cast(binding, 0, &type_bigint, err));
    } else {
        TRY(binding_match(binding, "S", err));
    }
    binding_result(binding, &type_string, binding_nullable(binding));
    return STATUS_OK;
}

static enum status row_encode(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    return charset_encode(call->arena, rows_str(call, 0, row), rows_str(call, 1, row), &value->text,
                          err);
}

static enum status row_decode(const struct function_call *call, uint32_t row,
                              struct function_value *value, struct err *err)
{
    return charset_decode(call->arena, rows_str(call, 0, row), rows_str(call, 1, row), &value->text,
                          err);
}

static enum status row_url_encode(const struct function_call *call, uint32_t row,
                                  struct function_value *value, struct err *err)
{
    (void)err;
    value->text = url_encode(call->arena, rows_str(call, 0, row));
    return STATUS_OK;
}

static enum status row_url_decode(const struct function_call *call, uint32_t row,
                                  struct function_value *value, struct err *err)
{
    struct str bytes;
    value->is_null = !url_decode(call->arena, rows_str(call, 0, row), &bytes);
    return value->is_null ? STATUS_OK
                          : charset_decode(call->arena, bytes, STR_LIT("UTF-8"), &value->text, err);
}

static enum status row_parse_url(const struct function_call *call, uint32_t row,
                                 struct function_value *value, struct err *err)
{
    (void)err;
    struct str key = call->arg_count > 2 ? rows_str(call, 2, row) : (struct str){0};
    value->is_null = !url_part(rows_str(call, 0, row), rows_str(call, 1, row),
                               call->arg_count > 2 ? &key : NULL, &value->text);
    return STATUS_OK;
}

#define DIGEST(text, function, words)                                                              \
    {                                                                                              \
        .name = (text), .properties = FUNCTION_PURE, .args_min = 1, .args_max = 1,                 \
        .resolve = resolve_digest, .row = (function), .signature = text "(<STRING>)",              \
        .doc = (words)                                                                             \
    }
#define CODE(text, letters, from, to, gives, nullable, shape, words)                               \
    .name = (text), .args_min = (from), .args_max = (to), .pattern = (letters),                    \
    .result = FUNCTION_RESULT_##gives, .result_nullable = (nullable), .signature = (shape),        \
    .doc = (words)

static const struct function functions[] = {
    DIGEST("MD5", row_md5, "the MD5 digest, in hex digits"),
    DIGEST("SHA1", row_sha1, "the SHA-1 digest, in hex digits"),
    DIGEST("SHA224", row_sha224, "the SHA-224 digest, in hex digits"),
    DIGEST("SHA256", row_sha256, "the SHA-256 digest, in hex digits"),
    DIGEST("SHA384", row_sha384, "the SHA-384 digest, in hex digits"),
    DIGEST("SHA512", row_sha512, "the SHA-512 digest, in hex digits"),
    {.name = "SHA2",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 2,
     .args_max = 2,
     .resolve = resolve_sha2,
     .row = row_sha2,
     .signature = "SHA2(<STRING>, <INTEGER>)",
     .doc = "the SHA-2 digest of 224, 256, 384 or 512 bits, in hex digits"},
    {.name = "HEX",
     .properties = FUNCTION_PURE,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_hex,
     .evaluate = evaluate_hex,
     .signature = "HEX(<INTEGER>), HEX(<CHARACTER>)",
     .doc = "in hexadecimal digits"},
    {CODE("UNHEX", "S", 1, 1, BYTES, true, "UNHEX(<CHARACTER>)", "the bytes of hex digits"),
     .properties = FUNCTION_PURE, .evaluate = evaluate_unhex},
    {CODE("TO_BASE64", "T", 1, 1, STRING, false, "TO_BASE64(<STRING>)", "in base64"),
     .properties = FUNCTION_PURE, .evaluate = evaluate_to_base64},
    {CODE("FROM_BASE64", "T", 1, 1, STRING, false, "FROM_BASE64(<STRING>)", "out of base64"),
     .properties = FUNCTION_PURE_CAN_ERROR, .evaluate = evaluate_from_base64},
    {CODE("ENCODE", "S", 2, 2, BYTES, true, "ENCODE(<CHARACTER>, <CHARACTER>)",
          "the bytes of a text in a character set"),
     .properties = FUNCTION_PURE_CAN_ERROR, .row = row_encode},
    {CODE("DECODE", "YS", 2, 2, STRING, true, "DECODE(<BINARY>, <CHARACTER>)",
          "the text of bytes in a character set"),
     .properties = FUNCTION_PURE_CAN_ERROR, .row = row_decode},
    {CODE("URL_ENCODE", "S", 1, 1, STRING, true, "URL_ENCODE(<CHARACTER>)",
          "for a form: %XX, + for blanks"),
     .properties = FUNCTION_PURE, .row = row_url_encode},
    {CODE("URL_DECODE", "S", 1, 1, STRING, true, "URL_DECODE(<CHARACTER>)",
          "back from URL_ENCODE; NULL where it is not of that form"),
     .properties = FUNCTION_PURE, .row = row_url_decode},
    {CODE("PARSE_URL", "S", 2, 3, STRING, true,
          "PARSE_URL(<CHARACTER>, <CHARACTER> [, <CHARACTER>])",
          "HOST, PATH, QUERY (or one key of it), REF, PROTOCOL, FILE, AUTHORITY, USERINFO"),
     .properties = FUNCTION_PURE, .row = row_parse_url},
};

const struct function_family functions_encoding = {functions, sizeof functions / sizeof *functions};
