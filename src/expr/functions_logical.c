// SPDX-License-Identifier: Apache-2.0
//
// AND, OR, NOT and IS ...: their evaluation is in program.c, which narrows the active rows.
#include "expr/binding.h"
#include "expr/families.h"

static enum status resolve_junction(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "B", err));
    binding_result(binding, &type_boolean, binding_nullable(binding));
    return STATUS_OK;
}

static enum status resolve_is_boolean(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "B", err));
    binding_result(binding, &type_boolean, false);
    return STATUS_OK;
}

static enum status resolve_is_null(struct function_binding *binding, struct err *err)
{
    (void)err;
    if (binding_type(binding, 0)->kind == TYPE_NULL) { // NULL IS NULL
        binding->args[0] = expr_null(binding->arena, &type_boolean);
    }
    binding_result(binding, &type_boolean, false);
    return STATUS_OK;
}

#define FORM (FUNCTION_DETERMINISTIC | FUNCTION_FORM)
#define JUNCTION(text, words)                                                                      \
    {                                                                                              \
        .name = (text), .syntax = FUNCTION_SYNTAX_BINARY, .properties = FORM, .args_min = 2,       \
        .args_max = -1, .resolve = resolve_junction, .signature = "<BOOLEAN> " text " <BOOLEAN>",  \
        .doc = (words)                                                                             \
    }
#define POSTFIX(text, resolver, signature_text, words)                                             \
    {                                                                                              \
        .name = (text), .syntax = FUNCTION_SYNTAX_POSTFIX, .properties = FORM, .args_min = 1,      \
        .args_max = 1, .resolve = (resolver), .signature = (signature_text), .doc = (words)        \
    }

static const struct function functions[] = {
    JUNCTION("AND", "true where both are; the second is looked at where the first is not false"),
    JUNCTION("OR", "true where one is; the second is looked at where the first is not true"),
    {.name = "NOT",
     .syntax = FUNCTION_SYNTAX_PREFIX,
     .properties = FORM,
     .args_min = 1,
     .args_max = 1,
     .resolve = resolve_junction,
     .signature = "NOT <BOOLEAN>",
     .doc = "the opposite"},
    POSTFIX("IS NULL", resolve_is_null, "<ANY> IS NULL", "whether there is no value"),
    POSTFIX("IS NOT NULL", resolve_is_null, "<ANY> IS NOT NULL", "whether there is a value"),
    POSTFIX("IS TRUE", resolve_is_boolean, "<BOOLEAN> IS TRUE", "true, not false or unknown"),
    POSTFIX("IS NOT TRUE", resolve_is_boolean, "<BOOLEAN> IS NOT TRUE", "false or unknown"),
    POSTFIX("IS FALSE", resolve_is_boolean, "<BOOLEAN> IS FALSE", "false, not true or unknown"),
    POSTFIX("IS NOT FALSE", resolve_is_boolean, "<BOOLEAN> IS NOT FALSE", "true or unknown"),
    POSTFIX("IS UNKNOWN", resolve_is_boolean, "<BOOLEAN> IS UNKNOWN", "neither true nor false"),
    POSTFIX("IS NOT UNKNOWN", resolve_is_boolean, "<BOOLEAN> IS NOT UNKNOWN", "true or false"),
};

const struct function_family functions_logical = {functions, sizeof functions / sizeof *functions};
