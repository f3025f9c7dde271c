// SPDX-License-Identifier: Apache-2.0
//
// What belongs to no other family.
#include <string.h>
#include <sys/random.h>

#include "base/arena.h"
#include "expr/binding.h"
#include "expr/families.h"
#include "expr/rows.h"

static enum status resolve_uuid(struct function_binding *binding, struct err *err)
{
    (void)err;
    binding->type = type_sized(binding->arena, TYPE_CHAR, 36, false);
    return STATUS_OK;
}

// Version 4 of RFC 9562: 122 random bits.
static enum status row_uuid(const struct function_call *call, uint32_t row,
                            struct function_value *value, struct err *err)
{
    (void)row;
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return ERR(err, STATUS_IO, "UUID: the system has no random numbers");
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    static const char digits[] = "0123456789abcdef";
    char *text = arena_alloc(call->arena, 36);
    size_t at = 0;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text[at++] = '-';
        }
        text[at++] = digits[bytes[i] >> 4];
        text[at++] = digits[bytes[i] & 15];
    }
    value->text = str_make(text, at);
    return STATUS_OK;
}

static const struct function functions[] = {
    {.name = "UUID",
     .properties = 0,
     .resolve = resolve_uuid,
     .row = row_uuid,
     .signature = "UUID()",
     .doc = "a random UUID"},
};

const struct function_family functions_system = {functions, sizeof functions / sizeof *functions};
