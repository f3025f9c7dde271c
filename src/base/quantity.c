// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include "base/err.h"

struct quantity_unit {
    const char *names; // "a|b|c"
    int64_t factor;
};

static const struct quantity_unit quantity_times[] = {
    {"|ms|milli|millis|millisecond|milliseconds", 1},
    {"s|sec|secs|second|seconds", 1000},
    {"m|min|minute|minutes", 60000},
    {"h|hour|hours", 3600000},
    {"d|day|days", 86400000},
    {NULL, 0},
};

// Parts of a millisecond.
static const struct quantity_unit quantity_short_times[] = {
    {"us|\xc2\xb5s|micro|micros|microsecond|microseconds", 1000},
    {"ns|nano|nanos|nanosecond|nanoseconds", 1},
    {NULL, 0},
};

static const struct quantity_unit quantity_sizes[] = {
    {"|b|bytes", 1},
    {"k|kb|kib|kibibytes", 1 << 10},
    {"m|mb|mib|mebibytes", 1 << 20},
    {"g|gb|gib|gibibytes", 1 << 30},
    {"t|tb|tib|tebibytes", INT64_C(1) << 40},
    {NULL, 0},
};

bool quantity_is_choice(struct str value, const char *choices)
{
    struct str rest = str_from(choices);
    for (;;) {
        size_t bar = str_find(rest, '|');
        if (str_equal_nocase(str_slice(rest, 0, bar), value)) {
            return true;
        }
        if (bar == rest.size) {
            return false;
        }
        rest = str_slice(rest, bar + 1, rest.size);
    }
}

static bool quantity_parse(struct str text, const struct quantity_unit *units, int64_t *out)
{
    text = str_trim(text);
    size_t digits = 0;
    while (digits < text.size && text.ptr[digits] >= '0' && text.ptr[digits] <= '9') {
        digits++;
    }
    int64_t number;
    if (digits == 0 || !str_to_i64(str_slice(text, 0, digits), &number)) {
        return false;
    }
    struct str name = str_trim(str_slice(text, digits, text.size));
    for (const struct quantity_unit *unit = units; unit->names != NULL; unit++) {
        if (quantity_is_choice(name, unit->names)) {
            return !__builtin_mul_overflow(number, unit->factor, out);
        }
    }
    return false;
}

bool quantity_duration_ms(struct str text, int64_t *ms)
{
    int64_t ns;
    if (quantity_parse(text, quantity_short_times, &ns)) {
        *ms = ns / 1000000;
        return true;
    }
    return quantity_parse(text, quantity_times, ms);
}

bool quantity_bytes(struct str text, int64_t *bytes)
{
    return quantity_parse(text, quantity_sizes, bytes);
}

void quantity_hint_choices(const char *choices, struct err *err)
{
    char text[ERR_HINT_MAX] = "";
    size_t size = 0;
    for (const char *at = choices; *at != '\0' && size + 3 < sizeof text; at++) {
        bool separates = *at == '|';
        if (separates && at[1] == '\0') {
            break;
        }
        text[size++] = separates ? ',' : *at;
        if (separates) {
            text[size++] = ' ';
        }
    }
    text[size] = '\0';
    err_hint(err, "one of: %s", text);
}
