// SPDX-License-Identifier: Apache-2.0
//
// Functions over maps, and those that split texts into arrays and maps.
#include <string.h>

#include "base/arena.h"
#include "expr/binding.h"
#include "expr/elements.h"
#include "expr/families.h"
#include "expr/regex.h"
#include "expr/rows.h"

static enum status resolve_part(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "M", err));
    const struct type *type = binding_type(binding, 0);
    const char *name = binding->function->name;
    const struct type *element;
    if (strcmp(name, "MAP_ENTRIES") == 0) {
        struct type_field fields[] = {
            {.name = STR_LIT("key"), .type = type->fields[0].type},
            {.name = STR_LIT("value"), .type = type->fields[1].type},
        };
        element = type_row(binding->arena, fields, 2, true);
    } else {
        element = type->fields[strcmp(name, "MAP_KEYS") == 0 ? 0 : 1].type;
    }
    binding->type = type_array(binding->arena, element, type->nullable);
    return STATUS_OK;
}

// The child of a map is the child of the array of its keys or values: only the views are new.
static struct column list_over(const struct function_call *call, const struct column *child)
{
    const struct column *map = &call->args[0];
    struct column list = *map;
    list.physical = PHYSICAL_LIST;
    list.children = child;
    list.child_count = 1;
    if (map->encoding == ENCODING_DICT) {
        struct column *dict = arena_copy(call->arena, map->dict, sizeof *dict);
        dict->physical = PHYSICAL_LIST;
        dict->children = child;
        dict->child_count = 1;
        list.dict = dict;
        list.children = NULL;
        list.child_count = 0;
    }
    return list;
}

static enum status evaluate_keys(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    *out = list_over(call, rows_child(call, 0, 0));
    return STATUS_OK;
}

static enum status evaluate_values(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    *out = list_over(call, rows_child(call, 0, 1));
    return STATUS_OK;
}

static enum status evaluate_entries(struct function_call *call, struct column *out, struct err *err)
{
    (void)err;
    const struct column *map = column_holder(&call->args[0]);
    struct column *rows = arena_new(call->arena, struct column);
    *rows = (struct column){.physical = PHYSICAL_ROW,
                            .encoding = ENCODING_FLAT,
                            .row_count = map->children[0].row_count,
                            .children = map->children,
                            .child_count = 2};
    *out = list_over(call, rows);
    return STATUS_OK;
}

static enum status resolve_union(struct function_binding *binding, struct err *err)
{
    return binding_merge(binding, TYPE_MAP, err);
}

// Entries whose key no later map has.
static enum status build_union(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    (void)err;
    column_builder_list_begin(out);
    for (uint32_t arg = 0; arg < call->arg_count; arg++) {
        struct list_view view = rows_list(call, arg, row);
        const struct column *keys = rows_child(call, arg, 0);
        for (uint32_t i = view.offset; i < view.offset + view.length; i++) {
            bool replaced = false;
            for (uint32_t later = arg + 1; later < call->arg_count; later++) {
                struct list_view other = rows_list(call, later, row);
                replaced |= elements_find(rows_child(call, later, 0), other.offset, other.length,
                                          keys, i) != UINT32_MAX;
            }
            if (!replaced) {
                column_builder_value(column_builder_child(out, 0), keys, i);
                column_builder_value(column_builder_child(out, 1), rows_child(call, arg, 1), i);
            }
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

static enum status resolve_from_arrays(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "A", err));
    binding->type = type_map(binding->arena, binding_type(binding, 0)->fields[0].type,
                             binding_type(binding, 1)->fields[0].type, binding_nullable(binding));
    return STATUS_OK;
}

static enum status build_from_arrays(struct function_call *call, uint32_t row,
                                     struct column_builder *out, struct err *err)
{
    struct list_view keys = rows_list(call, 0, row);
    struct list_view values = rows_list(call, 1, row);
    if (keys.length != values.length) {
        return ERR(err, STATUS_INVALID_DATA, "MAP_FROM_ARRAYS: %u keys and %u values", keys.length,
                   values.length);
    }
    const struct column *key_column = rows_child(call, 0, 0);
    column_builder_list_begin(out);
    for (uint32_t i = 0; i < keys.length; i++) {
        uint32_t rest = keys.length - i - 1;
        if (elements_find(key_column, keys.offset + i + 1, rest, key_column, keys.offset + i) ==
            UINT32_MAX) {
            column_builder_value(column_builder_child(out, 0), key_column, keys.offset + i);
            column_builder_value(column_builder_child(out, 1), rows_child(call, 1, 0),
                                 values.offset + i);
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

// SPLIT(s, separator): all parts; without a separator one character each.
static enum status resolve_split(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    binding->type = type_array(binding->arena, &type_string, binding_nullable(binding));
    return STATUS_OK;
}

static size_t find_text(struct str text, size_t from, struct str part)
{
    for (size_t at = from; at + part.size <= text.size; at++) {
        if (memcmp(text.ptr + at, part.ptr, part.size) == 0) {
            return at;
        }
    }
    return text.size;
}

static enum status build_split(struct function_call *call, uint32_t row, struct column_builder *out,
                               struct err *err)
{
    (void)err;
    struct str text = rows_str(call, 0, row);
    struct str separator = rows_str(call, 1, row);
    column_builder_list_begin(out);
    struct column_builder *parts = column_builder_child(out, 0);
    for (size_t at = 0; text.size > 0 && at <= text.size;) {
        size_t end = at;
        if (separator.size > 0) {
            end = find_text(text, at, separator);
            column_builder_string(parts, str_slice(text, at, end));
            at = end + separator.size;
            if (end == text.size) {
                break;
            }
            continue;
        }
        do {
            end++;
        } while (end < text.size && ((unsigned char)text.ptr[end] & 0xc0) == 0x80);
        if (at < text.size) {
            column_builder_string(parts, str_slice(text, at, end));
        }
        at = end;
        if (at == text.size) {
            break;
        }
    }
    column_builder_list_end(out);
    return STATUS_OK;
}

// STR_TO_MAP(s [, between entries, between key and value]); the separators are regular expressions.
static enum status resolve_str_to_map(struct function_binding *binding, struct err *err)
{
    TRY(binding_match(binding, "S", err));
    if (binding->arg_count == 2) {
        return binding_refuse(binding, err);
    }
    binding->type = type_map(binding->arena, &type_string, &type_string, true);
    return STATUS_OK;
}

static void prepare_cache(struct arena *arena, const struct expr *expr,
                          const struct expr_settings *settings, void **state)
{
    (void)expr;
    (void)settings;
    *state = regex_cache_new(arena);
}

static void add_entry(struct column_builder *out, struct str key, const struct str *value)
{
    column_builder_string(column_builder_child(out, 0), key);
    if (value == NULL) {
        column_builder_null(column_builder_child(out, 1));
    } else {
        column_builder_string(column_builder_child(out, 1), *value);
    }
}

struct map_parse {
    struct regex *between; // entries
    struct regex *inside;  // key and value
    struct str text;
};

static enum status parse_entry(const struct map_parse *parse, struct str entry,
                               struct column_builder *out, struct err *err)
{
    struct regex_match match;
    TRY(regex_find(parse->inside, entry, 0, &match, err));
    if (!match.found) {
        add_entry(out, entry, NULL);
        return STATUS_OK;
    }
    struct str value = str_slice(entry, match.at[1], entry.size);
    add_entry(out, str_slice(entry, 0, match.at[0]), &value);
    return STATUS_OK;
}

// As Java's split(): an empty match at the start makes no part, empty parts at the end go.
static enum status parse_map(const struct map_parse *parse, struct column_builder *out,
                             struct err *err)
{
    size_t start = 0;
    for (size_t from = 0; start < parse->text.size;) {
        struct regex_match match;
        TRY(regex_find(parse->between, parse->text, from, &match, err));
        if (!match.found) {
            break;
        }
        from = regex_after(&match, parse->text);
        if (match.at[1] == 0 || match.at[0] >= parse->text.size) {
            continue;
        }
        size_t end = match.at[0];
        size_t next = match.at[1];
        TRY(parse_entry(parse, str_slice(parse->text, start, end), out, err));
        start = next;
    }
    if (start < parse->text.size) {
        TRY(parse_entry(parse, str_slice(parse->text, start, parse->text.size), out, err));
    }
    return STATUS_OK;
}

static enum status build_str_to_map(struct function_call *call, uint32_t row,
                                    struct column_builder *out, struct err *err)
{
    struct str between = call->arg_count > 1 ? rows_str(call, 1, row) : STR_LIT(",");
    struct str inside = call->arg_count > 1 ? rows_str(call, 2, row) : STR_LIT("=");
    struct map_parse parse = {.between = regex_cached(call->state, between, REGEX_FIND),
                              .inside = regex_cached(call->state, inside, REGEX_FIND),
                              .text = rows_str(call, 0, row)};
    if (parse.between == NULL || parse.inside == NULL) {
        return ERR(err, STATUS_INVALID_DATA, "STR_TO_MAP: invalid regular expression '%.*s'",
                   STR_ARGS(parse.between == NULL ? between : inside));
    }
    column_builder_list_begin(out);
    TRY(parse_map(&parse, out, err));
    column_builder_list_end(out);
    return STATUS_OK;
}

#define BUILT(name, build)                                                                         \
    static enum status name(struct function_call *call, struct column *out, struct err *err)       \
    {                                                                                              \
        return rows_build(call, build, out, err);                                                  \
    }
BUILT(evaluate_union, build_union)
BUILT(evaluate_from_arrays, build_from_arrays)
BUILT(evaluate_split, build_split)
BUILT(evaluate_str_to_map, build_str_to_map)
#undef BUILT

#define MAP_FUNCTION(text, flags, from, to, resolver, evaluator, shape, words)                     \
    {                                                                                              \
        .name = (text), .properties = (flags), .args_min = (from), .args_max = (to),               \
        .resolve = (resolver), .evaluate = (evaluator), .signature = (shape), .doc = (words)       \
    }

static const struct function functions[] = {
    MAP_FUNCTION("MAP_KEYS", FUNCTION_PURE, 1, 1, resolve_part, evaluate_keys, "MAP_KEYS(<MAP>)",
                 "the keys as an array"),
    MAP_FUNCTION("MAP_VALUES", FUNCTION_PURE, 1, 1, resolve_part, evaluate_values,
                 "MAP_VALUES(<MAP>)", "the values as an array"),
    MAP_FUNCTION("MAP_ENTRIES", FUNCTION_PURE, 1, 1, resolve_part, evaluate_entries,
                 "MAP_ENTRIES(<MAP>)", "the entries as an array of rows (key, value)"),
    MAP_FUNCTION("MAP_UNION", FUNCTION_PURE, 1, -1, resolve_union, evaluate_union,
                 "MAP_UNION(<MAP>, ...)", "the entries of all; of equal keys the last counts"),
    MAP_FUNCTION("MAP_FROM_ARRAYS", FUNCTION_PURE_CAN_ERROR, 2, 2, resolve_from_arrays,
                 evaluate_from_arrays, "MAP_FROM_ARRAYS(<ARRAY>, <ARRAY>)",
                 "the map of keys and values at the same places"),
    MAP_FUNCTION("SPLIT", FUNCTION_PURE, 2, 2, resolve_split, evaluate_split,
                 "SPLIT(<CHARACTER>, <CHARACTER>)", "the parts between separators"),
    {.name = "STR_TO_MAP",
     .properties = FUNCTION_PURE_CAN_ERROR,
     .args_min = 1,
     .args_max = 3,
     .resolve = resolve_str_to_map,
     .evaluate = evaluate_str_to_map,
     .prepare = prepare_cache,
     .signature = "STR_TO_MAP(<CHARACTER> [, <CHARACTER>, <CHARACTER>])",
     .doc = "the map written as k=v,k=v; separators are regular expressions"},
};

const struct function_family functions_map = {functions, sizeof functions / sizeof *functions};
