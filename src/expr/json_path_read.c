// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "data/float_text.h"
#include "expr/json_path.h"
#include "expr/json_path_int.h"

enum { FOUND_MAX = 1 << 20, VISITS_MAX = 1 << 24 };

struct reader {
    struct arena *arena;
    const struct json_path *path;
    VEC(struct json_doc) found;
    uint32_t visits; // paths with several .. grow fast: they end here
};

static void read_steps(struct reader *reader, uint32_t step, const struct json_doc *node);

static bool member_at(const struct json_doc *node, int64_t index, const struct json_doc **out)
{
    if (node->kind != JSON_DOC_ARRAY) {
        return false;
    }
    index += index < 0 ? (int64_t)node->count : 0;
    if (index < 0 || index >= (int64_t)node->count) {
        return false;
    }
    *out = &node->items[index];
    return true;
}

static void read_slice(struct reader *reader, uint32_t number, const struct json_doc *node)
{
    const struct json_path_step *step = &reader->path->steps[number];
    int64_t count = node->kind == JSON_DOC_ARRAY ? (int64_t)node->count : 0;
    int64_t from = step->has_from ? step->from : 0;
    int64_t to = step->has_to ? step->to : count;
    from = from < 0 ? (from + count < 0 ? 0 : from + count) : from;
    to = to < 0 ? to + count : to > count ? count : to;
    for (int64_t i = from; i < to; i++) {
        read_steps(reader, number + 1, &node->items[i]);
    }
}

static bool number_of(const struct json_doc *doc, double *out)
{
    return doc->kind == JSON_DOC_NUMBER && float_text_parse_f64(doc->text, out);
}

static bool matches(enum json_path_compare compare, int order)
{
    switch (compare) {
    case JSON_PATH_EQ: return order == 0;
    case JSON_PATH_NE: return order != 0;
    case JSON_PATH_LT: return order < 0;
    case JSON_PATH_LE: return order <= 0;
    case JSON_PATH_GT: return order > 0;
    case JSON_PATH_GE: return order >= 0;
    case JSON_PATH_EXISTS: break;
    }
    return false;
}

// Values of different kinds are unequal and in no order.
static bool compares(enum json_path_compare compare, const struct json_doc *a,
                     const struct json_doc *b)
{
    double left;
    double right;
    if (number_of(a, &left) && number_of(b, &right)) {
        return matches(compare, (left > right) - (left < right));
    }
    if (a->kind == JSON_DOC_STRING && b->kind == JSON_DOC_STRING) {
        return matches(compare, str_compare(a->text, b->text));
    }
    bool scalars = a->kind <= JSON_DOC_TRUE && b->kind <= JSON_DOC_TRUE;
    if (compare == JSON_PATH_EQ) {
        return scalars && a->kind == b->kind;
    }
    return compare == JSON_PATH_NE && !(scalars && a->kind == b->kind);
}

static bool operand_value(struct reader *reader, const struct json_path_operand *operand,
                          const struct json_doc *node, struct json_doc *out)
{
    if (operand->path == NULL) {
        *out = operand->literal;
        return true;
    }
    return json_path_read(reader->arena, operand->path, node, out);
}

static bool condition_holds(struct reader *reader, const struct json_path_condition *condition,
                            const struct json_doc *node)
{
    struct json_doc left;
    struct json_doc right;
    if (!operand_value(reader, &condition->left, node, &left)) {
        return false;
    }
    if (condition->compare == JSON_PATH_EXISTS) {
        return true;
    }
    return operand_value(reader, &condition->right, node, &right) &&
           compares(condition->compare, &left, &right);
}

static bool filter_holds(struct reader *reader, const struct json_path_step *step,
                         const struct json_doc *node)
{
    for (uint32_t i = 0; i < step->count;) {
        uint32_t group = step->conditions[i].group;
        bool all = true;
        for (; i < step->count && step->conditions[i].group == group; i++) {
            all = all && condition_holds(reader, &step->conditions[i], node);
        }
        if (all) {
            return true;
        }
    }
    return false;
}

static void read_filter(struct reader *reader, uint32_t number, const struct json_doc *node)
{
    const struct json_path_step *step = &reader->path->steps[number];
    if (node->kind == JSON_DOC_OBJECT) {
        if (filter_holds(reader, step, node)) {
            read_steps(reader, number + 1, node);
        }
        return;
    }
    for (uint32_t i = 0; node->kind == JSON_DOC_ARRAY && i < node->count; i++) {
        if (filter_holds(reader, step, &node->items[i])) {
            read_steps(reader, number + 1, &node->items[i]);
        }
    }
}

// The next step at this node and all below it.
static void read_deep(struct reader *reader, uint32_t number, const struct json_doc *node)
{
    read_steps(reader, number, node);
    for (uint32_t i = 0; node->kind >= JSON_DOC_ARRAY && i < node->count; i++) {
        read_deep(reader, number, &node->items[i]);
    }
}

static void read_length(struct reader *reader, uint32_t number, const struct json_doc *node)
{
    size_t length = node->count;
    if (node->kind == JSON_DOC_STRING) {
        length = node->text.size;
    } else if (node->kind < JSON_DOC_ARRAY) {
        return;
    }
    struct json_doc doc = {.kind = JSON_DOC_NUMBER,
                           .text = arena_printf(reader->arena, "%zu", length)};
    read_steps(reader, number + 1, &doc);
}

static void read_steps(struct reader *reader, uint32_t number, const struct json_doc *node)
{
    if (reader->found.count >= FOUND_MAX || reader->visits++ >= VISITS_MAX) {
        return;
    }
    if (number == reader->path->count) {
        VEC_PUSH(&reader->found, *node);
        return;
    }
    const struct json_path_step *step = &reader->path->steps[number];
    const struct json_doc *child;
    switch (step->kind) {
    case JSON_PATH_NAMES:
        for (uint32_t i = 0; i < step->count; i++) {
            child = json_doc_member(node, step->names[i]);
            if (child != NULL) {
                read_steps(reader, number + 1, child);
            }
        }
        return;
    case JSON_PATH_INDEXES:
        for (uint32_t i = 0; i < step->count; i++) {
            if (member_at(node, step->indexes[i], &child)) {
                read_steps(reader, number + 1, child);
            }
        }
        return;
    case JSON_PATH_ALL:
        for (uint32_t i = 0; node->kind >= JSON_DOC_ARRAY && i < node->count; i++) {
            read_steps(reader, number + 1, &node->items[i]);
        }
        return;
    case JSON_PATH_SLICE: read_slice(reader, number, node); return;
    case JSON_PATH_DEEP: read_deep(reader, number + 1, node); return;
    case JSON_PATH_FILTER: read_filter(reader, number, node); return;
    case JSON_PATH_LENGTH: read_length(reader, number, node); return;
    }
}

bool json_path_read(struct arena *arena, const struct json_path *path, const struct json_doc *doc,
                    struct json_doc *out)
{
    struct reader reader = {.arena = arena, .path = path};
    read_steps(&reader, 0, doc);
    bool found = true;
    if (path->is_definite) {
        found = reader.found.count > 0;
        if (found) {
            *out = reader.found.items[0];
        }
    } else {
        *out = (struct json_doc){
            .kind = JSON_DOC_ARRAY,
            .count = reader.found.count,
            .items = arena_copy(arena, reader.found.items, sizeof *out * reader.found.count)};
    }
    VEC_RELEASE(&reader.found);
    return found;
}
