// SPDX-License-Identifier: Apache-2.0
//
// The tree of nodes that a decoder fills: built from types, grown, emptied, handed out as columns.
#include <stddef.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/json_int.h"

enum {
    NODE_TYPE_DEPTH_MAX = 64,   // of the columns' types: values are read recursively
    NODE_FIELDS_MAX = 16384,    // of one object
    NODE_LEARNT_KEYS_MAX = 256, // of one object, besides its fields
    NODE_FIRST_CAPACITY = 256,  // of lists' elements
};

// Building.

struct node_build {
    struct json_decoder *decoder;
    struct err *err;
    VEC(struct json_node *) lists;
};

static enum status node_fill(struct node_build *build, struct json_node *node, uint32_t depth);

static bool node_scalar_kind(const struct type *type, enum json_kind *kind)
{
    switch (type->kind) {
    case TYPE_NULL: *kind = JSON_NULL; return true;
    case TYPE_BOOLEAN: *kind = JSON_BOOLEAN; return true;
    case TYPE_TINYINT: *kind = JSON_I8; return true;
    case TYPE_SMALLINT: *kind = JSON_I16; return true;
    case TYPE_INT:
    case TYPE_INTERVAL_MONTH: *kind = JSON_I32; return true;
    case TYPE_BIGINT:
    case TYPE_INTERVAL_SECOND: *kind = JSON_I64; return true;
    case TYPE_FLOAT: *kind = JSON_F32; return true;
    case TYPE_DOUBLE: *kind = JSON_F64; return true;
    case TYPE_DECIMAL: *kind = type->length <= 18 ? JSON_DECIMAL64 : JSON_DECIMAL128; return true;
    case TYPE_CHAR:
    case TYPE_VARCHAR: *kind = JSON_STRING; return true;
    case TYPE_BINARY:
    case TYPE_VARBINARY: *kind = JSON_BYTES; return true;
    case TYPE_DATE: *kind = JSON_DATE; return true;
    case TYPE_TIME: *kind = JSON_TIME; return true;
    case TYPE_TIMESTAMP: *kind = type->length <= 6 ? JSON_TIMESTAMP : JSON_NANO; return true;
    case TYPE_TIMESTAMP_LTZ:
        *kind = type->length <= 6 ? JSON_TIMESTAMP_LTZ : JSON_NANO_LTZ;
        return true;
    case TYPE_ARRAY: *kind = JSON_LIST; return true;
    case TYPE_MULTISET:
    case TYPE_MAP: *kind = JSON_MAP; return true;
    case TYPE_ROW: *kind = JSON_ROW; return true;
    case TYPE_VARIANT:
    case TYPE_BITMAP:
    case TYPE_RAW: break;
    }
    return false;
}

static enum status node_add_child(struct node_build *build, struct json_node *parent,
                                  struct str name, const struct type *type, uint32_t depth)
{
    struct json_node *child = arena_new(&build->decoder->arena, struct json_node);
    child->type = type;
    child->name = name;
    child->parent = parent;
    parent->children[parent->child_count++] = child;
    return node_fill(build, child, depth);
}

static enum status node_fill_map(struct node_build *build, struct json_node *node, uint32_t depth)
{
    const struct type *type = node->type;
    const struct type *key = type->fields[0].type;
    if (!type_is_character(key)) {
        return ERR(build->err, STATUS_UNSUPPORTED,
                   "the format knows %s with character keys only: %.*s",
                   type->kind == TYPE_MAP ? "MAP" : "MULTISET",
                   STR_ARGS(type_text(&build->decoder->arena, type)));
    }
    TRY(node_add_child(build, node, (struct str){0}, key, depth));
    const struct type *value = type->kind == TYPE_MAP ? type->fields[1].type : &type_int;
    return node_add_child(build, node, (struct str){0}, value, depth);
}

static void node_add_key(struct arena *arena, struct json_object *object, struct str name,
                         struct json_node *node)
{
    struct strbuf text;
    strbuf_init(&text, 1 << 24);
    strbuf_add(&text, name);
    strbuf_add_text(&text, "\":");
    struct json_key *key = &object->keys[object->key_count++];
    *key = (struct json_key){.node = node, .next = {JSON_KEY_NONE, JSON_KEY_NONE}};
    key->text = arena_str(arena, strbuf_str(&text));
    strbuf_release(&text);
    size_t head = key->text.size < 16 ? key->text.size : 16;
    memcpy(key->pattern, key->text.ptr, head);
    memset(key->mask, 0xff, head);
}

static struct str node_key_name(const struct json_key *key)
{
    return str_make(key->text.ptr, key->text.size - 2);
}

static void node_index_key(struct json_object *object, uint32_t key)
{
    struct str name = node_key_name(&object->keys[key]);
    uint32_t at = (uint32_t)hash_bytes(name.ptr, name.size, 0) & object->slot_mask;
    while (object->slots[at] != JSON_KEY_NONE) {
        at = (at + 1) & object->slot_mask;
    }
    object->slots[at] = (uint16_t)key;
}

static enum status node_fill_row(struct node_build *build, struct json_node *node, uint32_t depth)
{
    struct arena *arena = &build->decoder->arena;
    const struct type *type = node->type;
    uint32_t count = type->field_count;
    if (count > NODE_FIELDS_MAX) {
        return ERR(build->err, STATUS_UNSUPPORTED, "more than %d fields in a row", NODE_FIELDS_MAX);
    }
    struct json_object *object = arena_new(arena, struct json_object);
    node->object = object;
    object->key_capacity = 1 + count + NODE_LEARNT_KEYS_MAX;
    object->keys = arena_new_array(arena, struct json_key, object->key_capacity);
    object->field_count = count;
    uint32_t slots = 16;
    while (slots < object->key_capacity * 2) {
        slots *= 2;
    }
    object->slot_mask = slots - 1;
    object->slots = arena_alloc(arena, slots * sizeof *object->slots);
    memset(object->slots, 0xff, slots * sizeof *object->slots);
    object->key_count = 1;
    object->keys[0].next[0] = object->keys[0].next[1] = JSON_KEY_NONE;
    for (uint32_t i = 0; i < count; i++) {
        TRY(node_add_child(build, node, type->fields[i].name, type->fields[i].type, depth));
        node_add_key(arena, object, type->fields[i].name, node->children[i]);
        node_index_key(object, object->key_count - 1);
        object->keys[i].next[0] = (uint16_t)(i + 1); // the first guess: the order of the columns
    }
    return STATUS_OK;
}

// Sets everything but what belongs to the parent, and builds what is below.
static enum status node_fill(struct node_build *build, struct json_node *node, uint32_t depth)
{
    struct arena *arena = &build->decoder->arena;
    const struct type *type = node->type;
    if (!node_scalar_kind(type, &node->kind)) {
        return ERR(build->err, STATUS_UNSUPPORTED, "the format has no form for the type %.*s",
                   STR_ARGS(type_text(arena, type)));
    }
    if (depth > NODE_TYPE_DEPTH_MAX) {
        return ERR(build->err, STATUS_UNSUPPORTED, "types nested more than %d deep",
                   NODE_TYPE_DEPTH_MAX);
    }
    node->physical = type_physical(type);
    node->width = (uint32_t)physical_width(node->physical);
    node->precision = type->length;
    node->scale = type->scale;
    uint32_t children = node->kind == JSON_ROW ? type->field_count : 2;
    node->children = arena_new_array(arena, struct json_node *, children);
    node->columns = arena_new_array(arena, struct column, children);
    if (node->kind == JSON_ROW) {
        return node_fill_row(build, node, depth + 1);
    }
    if (node->kind == JSON_LIST) {
        TRY(node_add_child(build, node, (struct str){0}, type->fields[0].type, depth + 1));
    } else if (node->kind == JSON_MAP) {
        TRY(node_fill_map(build, node, depth + 1));
    }
    for (uint32_t i = 0; i < node->child_count; i++) {
        json_node_grow(node->children[i], NODE_FIRST_CAPACITY);
        VEC_PUSH(&build->lists, node->children[i]);
    }
    return STATUS_OK;
}

enum status json_node_build(struct json_decoder *decoder, const struct json_decode_spec *spec,
                            struct err *err)
{
    struct node_build build = {.decoder = decoder, .err = err};
    struct arena *arena = &decoder->arena;
    const struct type *row = type_row(arena, spec->fields, spec->field_count, false);
    decoder->root.type = type_copy(arena, row);
    enum status status = node_fill(&build, &decoder->root, 0);
    if (status == STATUS_OK) {
        json_node_grow(&decoder->root, BATCH_ROWS_MAX);
        decoder->list_count = build.lists.count;
        decoder->lists =
            arena_copy(arena, build.lists.items, build.lists.count * sizeof *build.lists.items);
    } else if (err != NULL) {
        err->stage = ERR_STAGE_VALIDATE;
    }
    VEC_RELEASE(&build.lists);
    return status;
}

static void node_release(struct json_node *node)
{
    mem_free(node->values);
    mem_free(node->valid);
    for (uint32_t i = 0; i < node->child_count; i++) {
        node_release(node->children[i]);
    }
}

void json_node_release(struct json_decoder *decoder)
{
    node_release(&decoder->root);
}

// Slots.

static void node_grow_one(struct json_node *node, uint32_t capacity)
{
    size_t old = (size_t)node->capacity * node->width;
    size_t new = (size_t)capacity * node->width;
    if (new > 0) {
        char *values = mem_aligned(64, new);
        if (old > 0) {
            memcpy(values, node->values, old);
        }
        memset(values + old, 0, new - old);
        mem_free(node->values);
        node->values = values;
    }
    uint32_t old_words = bits_words(node->capacity);
    uint32_t words = bits_words(capacity);
    node->valid = mem_realloc(node->valid, words * sizeof *node->valid);
    memset(node->valid + old_words, 0, (words - old_words) * sizeof *node->valid);
    node->capacity = capacity;
}

void json_node_grow(struct json_node *node, uint32_t capacity)
{
    if (capacity <= node->capacity) {
        return;
    }
    node_grow_one(node, capacity);
    for (uint32_t i = 0; node->kind == JSON_ROW && i < node->child_count; i++) {
        json_node_grow(node->children[i], capacity);
    }
}

void json_node_clear(struct json_node *node, uint32_t from, uint32_t to)
{
    if (from >= to) {
        return;
    }
    if (node->width > 0) {
        memset(node->values + (size_t)from * node->width, 0, (size_t)(to - from) * node->width);
    }
    uint32_t words = from == 0 ? to / 64 : 0;
    memset(node->valid, 0, words * sizeof *node->valid);
    for (uint32_t i = words > 0 ? words * 64 : from; i < to; i++) {
        bits_clear(node->valid, i);
    }
    for (uint32_t i = 0; node->kind == JSON_ROW && i < node->child_count; i++) {
        json_node_clear(node->children[i], from, to);
    }
}

void json_node_move(struct json_node *node, uint32_t from, uint32_t to)
{
    if (node->width > 0) { // rows have no values of their own
        memcpy(node->values + (size_t)to * node->width, node->values + (size_t)from * node->width,
               node->width);
    }
    bits_clear(node->valid, to);
    node->valid[to / 64] |= (uint64_t)bits_get(node->valid, from) << (to % 64);
    for (uint32_t i = 0; node->kind == JSON_ROW && i < node->child_count; i++) {
        json_node_move(node->children[i], from, to);
    }
}

void json_node_reset(struct json_decoder *decoder, uint32_t rows)
{
    for (uint32_t i = 0; i < decoder->root.child_count; i++) {
        json_node_clear(decoder->root.children[i], 0, rows);
    }
    for (uint32_t i = 0; i < decoder->list_count; i++) {
        json_node_clear(decoder->lists[i], 0, decoder->lists[i]->used);
        decoder->lists[i]->used = 0;
    }
}

void json_node_mark(struct json_decoder *decoder)
{
    for (uint32_t i = 0; i < decoder->list_count; i++) {
        decoder->lists[i]->mark = decoder->lists[i]->used;
    }
}

void json_node_roll_back(struct json_decoder *decoder, uint32_t row)
{
    for (uint32_t i = 0; i < decoder->root.child_count; i++) {
        json_node_clear(decoder->root.children[i], row, row + 1);
    }
    for (uint32_t i = 0; i < decoder->list_count; i++) {
        struct json_node *list = decoder->lists[i];
        json_node_clear(list, list->mark, list->used);
        list->used = list->mark;
    }
}

// Columns.

static void node_column(struct json_node *node, uint32_t row_count, struct column *out)
{
    // A batch's last word may hold slots that are written only later: none, they are null.
    bool has_nulls = bits_count(node->valid, row_count) != row_count;
    *out = (struct column){
        .physical = node->physical,
        .encoding = ENCODING_FLAT,
        .row_count = row_count,
        .valid = has_nulls ? node->valid : NULL,
        .values = node->width > 0 ? node->values : NULL,
        .children = node->child_count > 0 ? node->columns : NULL,
        .child_count = node->child_count,
    };
    for (uint32_t i = 0; i < node->child_count; i++) {
        struct json_node *child = node->children[i];
        node_column(child, node->kind == JSON_ROW ? row_count : child->used, &node->columns[i]);
    }
}

void json_node_columns(struct json_decoder *decoder, uint32_t row_count)
{
    struct json_node *root = &decoder->root;
    for (uint32_t i = 0; i < root->child_count; i++) {
        node_column(root->children[i], row_count, &root->columns[i]);
    }
}

// Keys.

struct json_key *json_node_find_key(struct json_object *object, struct str name)
{
    uint32_t at = (uint32_t)hash_bytes(name.ptr, name.size, 0) & object->slot_mask;
    for (; object->slots[at] != JSON_KEY_NONE; at = (at + 1) & object->slot_mask) {
        struct json_key *key = &object->keys[object->slots[at]];
        if (str_equal(node_key_name(key), name)) {
            return key;
        }
    }
    return NULL;
}

struct json_key *json_node_learn_key(struct json_decoder *decoder, struct json_object *object,
                                     struct str name)
{
    if (object->key_count == object->key_capacity || name.size > 4096) {
        return NULL;
    }
    node_add_key(&decoder->arena, object, name, NULL);
    node_index_key(object, object->key_count - 1);
    return &object->keys[object->key_count - 1];
}
