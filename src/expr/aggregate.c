// SPDX-License-Identifier: Apache-2.0
#include "expr/aggregate.h"

#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"

static const char *const names[] = {
#define X(kind, sql, doc) [AGGREGATE_##kind] = (sql),
    AGGREGATE_LIST(X)
#undef X
};

enum { KIND_COUNT = sizeof names / sizeof *names };

const char *aggregate_name(enum aggregate_kind kind)
{
    return names[kind];
}

// The kind of a name; COUNT is that with an argument.
static bool find_kind(struct str name, enum aggregate_kind *kind)
{
    for (int i = AGGREGATE_COUNT; i < KIND_COUNT; i++) {
        if (str_is_nocase(name, names[i])) {
            *kind = (enum aggregate_kind)i;
            return true;
        }
    }
    return false;
}

bool aggregate_exists(struct str name)
{
    enum aggregate_kind kind;
    return find_kind(name, &kind);
}

bool aggregate_equal(const struct aggregate *a, const struct aggregate *b)
{
    bool arguments = (a->argument == NULL) == (b->argument == NULL) &&
                     (a->argument == NULL || type_equal(a->argument, b->argument));
    return a->kind == b->kind && arguments && type_equal(a->type, b->type);
}

void aggregate_print(struct strbuf *out, const struct aggregate *aggregate, struct str argument)
{
    strbuf_printf(out, "%s(", names[aggregate->kind]);
    strbuf_add(out, aggregate->kind == AGGREGATE_COUNT_STAR ? STR_LIT("*") : argument);
    strbuf_add_byte(out, ')');
}

static void add_slot(struct aggregate *aggregate, enum physical physical)
{
    uint32_t slot = aggregate->slot_count++;
    aggregate->slots[slot] = physical;
    aggregate->offsets[slot] = aggregate->size;
    aggregate->size += ((uint32_t)physical_width(physical) + 7) / 8 * 8;
}

// SUM and AVG of DECIMAL: exact beyond 128 bits by a count of carries.
static void add_sum_slots(struct aggregate *aggregate, const struct type *argument)
{
    if (argument->kind == TYPE_DECIMAL) {
        add_slot(aggregate, PHYSICAL_I128);
        add_slot(aggregate, PHYSICAL_I64);
    } else {
        add_slot(aggregate, type_is_approximate(argument) ? PHYSICAL_F64 : PHYSICAL_I64);
    }
    add_slot(aggregate, PHYSICAL_I64);
}

// DECIMAL(p, s): the sum has all digits there are, the mean at least six after the point.
static const struct type *sum_type(struct arena *arena, const struct type *argument, bool is_mean)
{
    if (argument->kind != TYPE_DECIMAL) {
        return argument;
    }
    int32_t scale = argument->scale;
    scale = is_mean && scale < 6 ? 6 : scale;
    return type_decimal(arena, TYPE_DECIMAL_PRECISION_MAX, scale, true);
}

static bool is_comparable(const struct type *type)
{
    return !type_is_nested(type) && type->kind != TYPE_RAW && type->kind != TYPE_VARIANT &&
           type->kind != TYPE_BITMAP && type->kind != TYPE_NULL;
}

static enum status refuse(struct arena *arena, enum aggregate_kind kind,
                          const struct type *argument, struct err *err)
{
    struct str text =
        argument == NULL ? STR_LIT("*") : type_text(arena, type_with_null(arena, argument, true));
    (void)ERR(err, STATUS_INVALID_DATA, "cannot apply '%s' to (%.*s)", names[kind], STR_ARGS(text));
    err_at(err, ERR_STAGE_VALIDATE, ERR_NO_OFFSET, 0);
    return STATUS_INVALID_DATA;
}

static enum status bind_value(struct arena *arena, struct aggregate *aggregate, struct err *err)
{
    const struct type *argument = aggregate->argument;
    bool is_extreme = aggregate->kind == AGGREGATE_MIN || aggregate->kind == AGGREGATE_MAX;
    if (argument == NULL || argument->kind == TYPE_NULL || type_is_nested(argument) ||
        (is_extreme && !is_comparable(argument))) {
        return refuse(arena, aggregate->kind, argument, err);
    }
    enum physical physical = type_physical(argument);
    aggregate->needs_strings = physical == PHYSICAL_STRING;
    add_slot(aggregate, aggregate->needs_strings ? PHYSICAL_I64 : physical);
    add_slot(aggregate, PHYSICAL_I64);
    aggregate->type = type_with_null(arena, argument, true);
    return STATUS_OK;
}

static enum status bind_sum(struct arena *arena, struct aggregate *aggregate, struct err *err)
{
    const struct type *argument = aggregate->argument;
    if (argument == NULL || !type_is_numeric(argument)) {
        return refuse(arena, aggregate->kind, argument, err);
    }
    add_sum_slots(aggregate, argument);
    aggregate->is_retractable = true;
    aggregate->type =
        type_with_null(arena, sum_type(arena, argument, aggregate->kind == AGGREGATE_AVG),
                       aggregate->kind != AGGREGATE_SUM0);
    return STATUS_OK;
}

enum status aggregate_resolve(struct arena *arena, struct str name, const struct type *argument,
                              const struct aggregate **out, struct err *err)
{
    enum aggregate_kind kind;
    if (!find_kind(name, &kind)) {
        (void)ERR(err, STATUS_NOT_FOUND, "there is no aggregate function '%.*s'", STR_ARGS(name));
        err_at(err, ERR_STAGE_VALIDATE, ERR_NO_OFFSET, 0);
        return STATUS_NOT_FOUND;
    }
    struct aggregate *aggregate = arena_new(arena, struct aggregate);
    aggregate->kind = kind;
    aggregate->argument = argument;
    *out = aggregate;
    switch (kind) {
    case AGGREGATE_COUNT_STAR:
    case AGGREGATE_COUNT:
        aggregate->kind = argument == NULL ? AGGREGATE_COUNT_STAR : AGGREGATE_COUNT;
        aggregate->type = type_with_null(arena, &type_bigint, false);
        aggregate->is_retractable = true;
        add_slot(aggregate, PHYSICAL_I64);
        return STATUS_OK;
    case AGGREGATE_SUM:
    case AGGREGATE_SUM0:
    case AGGREGATE_AVG: return bind_sum(arena, aggregate, err);
    case AGGREGATE_MIN:
    case AGGREGATE_MAX:
    case AGGREGATE_FIRST_VALUE:
    case AGGREGATE_LAST_VALUE:
    case AGGREGATE_SINGLE_VALUE: return bind_value(arena, aggregate, err);
    }
    return STATUS_OK;
}
