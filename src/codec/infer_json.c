// SPDX-License-Identifier: Apache-2.0
//
// Columns of JSON: what the values of a sample's records are, merged field by field.
#include <stdio.h>
#include <string.h>

#include "base/byte_source.h"
#include "base/vec.h"
#include "codec/infer_int.h"
#include "codec/infer_sample.h"
#include "codec/infer_text.h"
#include "codec/json_split.h"
#include "codec/json_tree.h"

struct shape;

struct shape_field {
    struct str name;
    struct shape *shape;
};

// What stands at one place of the records.
struct shape {
    bool has_object;
    bool has_array;
    bool has_string;
    bool has_number;        // or true, false
    struct infer_text text; // of strings and scalars
    struct shape *element;  // NULL: none seen
    VEC(struct shape_field) fields;
};

struct reading {
    struct arena *arena;
    struct infer_found *found;
    enum json_split_layout layout;
    struct shape root;
    uint32_t shape_count;
    struct err *err;
};

static struct shape *new_shape(struct reading *at)
{
    struct shape *shape = arena_new(at->arena, struct shape);
    infer_text_init(&shape->text);
    at->shape_count++;
    return shape;
}

static void release(struct shape *shape)
{
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        release(shape->fields.items[i].shape);
    }
    if (shape->element != NULL) {
        release(shape->element);
    }
    VEC_RELEASE(&shape->fields);
}

// `guess` is where the field was in the record before.
static struct shape *field_of(struct reading *at, struct shape *shape, struct str name,
                              uint32_t guess)
{
    if (guess < shape->fields.count && str_equal(shape->fields.items[guess].name, name)) {
        return shape->fields.items[guess].shape;
    }
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        if (str_equal(shape->fields.items[i].name, name)) {
            return shape->fields.items[i].shape;
        }
    }
    struct shape_field field = {arena_str(at->arena, name), new_shape(at)};
    VEC_PUSH(&shape->fields, field);
    return field.shape;
}

static enum status see(struct reading *at, struct shape *shape, const struct json_tree *value,
                       uint32_t depth)
{
    if (depth >= INFER_DEPTH_MAX || at->shape_count > INFER_COLUMNS_MAX) {
        return ERR(at->err, STATUS_LIMIT, "records of over %d fields or %d levels",
                   INFER_COLUMNS_MAX, INFER_DEPTH_MAX);
    }
    switch (value->kind) {
    case JSON_TREE_NULL: return STATUS_OK;
    case JSON_TREE_BOOL:
        shape->has_number = true;
        infer_text_add(&shape->text, value->as.boolean ? STR_LIT("true") : STR_LIT("false"));
        return STATUS_OK;
    case JSON_TREE_INT:
    case JSON_TREE_REAL:
        shape->has_number = true;
        infer_text_add_number(&shape->text, value->text);
        return STATUS_OK;
    case JSON_TREE_STRING: {
        char padded[64 + TIME_TEXT_SLACK] = {0};
        bool may_be_time = value->text.size < 64;
        shape->has_string = true;
        if (may_be_time) {
            memcpy(padded, value->text.ptr, value->text.size);
        }
        infer_text_add(&shape->text,
                       may_be_time ? str_make(padded, value->text.size) : value->text);
        return STATUS_OK;
    }
    case JSON_TREE_ARRAY:
        shape->has_array = true;
        if (shape->element == NULL) {
            shape->element = new_shape(at);
        }
        for (uint32_t i = 0; i < value->count; i++) {
            TRY(see(at, shape->element, &value->items[i], depth + 1));
        }
        return STATUS_OK;
    case JSON_TREE_OBJECT:
        shape->has_object = true;
        for (uint32_t i = 0; i < value->count; i++) {
            TRY(see(at, field_of(at, shape, value->keys[i], i), &value->items[i], depth + 1));
        }
        return STATUS_OK;
    }
    return STATUS_OK;
}

static const struct type *type_of(struct reading *at, const struct shape *shape)
{
    bool has_text = shape->has_string || shape->has_number;
    uint32_t kinds = (uint32_t)has_text + shape->has_array + shape->has_object;
    const uint32_t times = ~(uint32_t)(INFER_BOOLEAN | INFER_BIGINT | INFER_DECIMAL | INFER_DOUBLE);
    if (kinds != 1) {
        return &type_string; // nothing but null, or what does not agree
    }
    if (shape->has_array) {
        return type_array(at->arena, type_of(at, shape->element), true);
    }
    if (shape->has_object) {
        uint32_t count = shape->fields.count;
        struct type_field *fields = arena_new_array(at->arena, struct type_field, count);
        for (uint32_t i = 0; i < count; i++) {
            fields[i].name = shape->fields.items[i].name;
            fields[i].type = type_of(at, shape->fields.items[i].shape);
        }
        return count > 0 ? type_row(at->arena, fields, count, true) : &type_string;
    }
    struct infer_text text = shape->text;
    if (shape->has_string) { // numbers in quotes are texts
        text.kinds &= shape->has_number ? 0 : times;
    }
    return infer_text_type(at->arena, &text, at->found->timestamp_form);
}

// The form of most places where all strings are timestamps.
static void count_forms(const struct shape *shape, int *iso)
{
    uint32_t kinds = shape->has_string && !shape->has_number ? shape->text.kinds : 0;
    if (shape->text.count > 0 && kinds != 0) {
        *iso += (kinds & (INFER_TIMESTAMP_ISO | INFER_LTZ_ISO)) != 0;
        *iso -= (kinds & (INFER_TIMESTAMP_SQL | INFER_LTZ_SQL)) != 0;
    }
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        count_forms(shape->fields.items[i].shape, iso);
    }
    if (shape->element != NULL) {
        count_forms(shape->element, iso);
    }
}

static enum status see_record(struct reading *at, struct arena *scratch, struct str text)
{
    const struct json_tree *tree;
    arena_reset(scratch);
    enum status status = json_tree_parse(scratch, text, &tree, at->err);
    if (status != STATUS_OK && at->err != NULL) {
        uint64_t offset = at->err->offset;
        char text_only[ERR_TEXT_MAX]; // without the byte in the record: lines are counted here
        const char *what = strstr(at->err->text, ": ");
        snprintf(text_only, sizeof text_only, "%s", what == NULL ? at->err->text : what + 2);
        ERR(at->err, status, "not JSON: %s", text_only);
        err_at(at->err, ERR_STAGE_RUNTIME, offset, 1);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (tree->kind != JSON_TREE_OBJECT) {
        return ERR(at->err, STATUS_INVALID_DATA,
                   "record %llu is not an object: only those have columns",
                   (unsigned long long)at->found->record_count + 1);
    }
    at->found->record_count++;
    return see(at, &at->root, tree, 0);
}

// Puts the line, and the byte in it, in front of what is wrong at err->offset behind `from`.
static void tell_place(struct reading *at, struct str sample, const char *from)
{
    if (at->err == NULL) {
        return;
    }
    size_t offset = (size_t)(from - sample.ptr);
    offset += at->err->offset == ERR_NO_OFFSET ? 0 : (size_t)at->err->offset;
    offset = offset < sample.size ? offset : sample.size;
    uint64_t line = 1;
    size_t begin = 0;
    for (size_t i = 0; i < offset; i++) {
        if (sample.ptr[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    err_context(at->err, "line %llu, byte %llu", (unsigned long long)line,
                (unsigned long long)(offset - begin + 1));
}

// All whole records of a sample, up to `records`.
static enum status see_records(struct reading *at, const struct infer_sample *sample,
                               uint64_t records)
{
    enum { AT_ONCE = 64 };
    struct arena scratch = {0};
    struct json_split split;
    struct str texts[AT_ONCE];
    struct str rest = sample->text;
    enum status status = STATUS_OK;
    // Lines are records one after the other, too.
    json_split_init(&split, at->layout == JSON_SPLIT_LINES ? JSON_SPLIT_RECORDS : at->layout);
    while (status == STATUS_OK && records > 0) {
        uint32_t count = records < AT_ONCE ? (uint32_t)records : AT_ONCE;
        size_t used = 0;
        status = json_split_next(&split, rest, sample->is_all, texts, &count, &used, at->err);
        if (status != STATUS_OK) {
            tell_place(at, sample->text, rest.ptr);
        }
        for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
            status = see_record(at, &scratch, texts[i]);
            if (status != STATUS_OK) {
                tell_place(at, sample->text, texts[i].ptr);
            }
        }
        if (status != STATUS_OK || count == 0) {
            break;
        }
        records -= count;
        rest = str_slice(rest, used, rest.size);
    }
    arena_release(&scratch);
    return status;
}

static enum status see_files(struct reading *at, struct byte_source *const *sources,
                             uint32_t source_count, const struct infer_options *options)
{
    uint64_t share = options->record_max / source_count;
    share = share < INFER_RECORDS_MIN ? INFER_RECORDS_MIN : share;
    for (uint32_t i = 0; i < source_count && at->found->record_count < options->record_max; i++) {
        struct infer_sample sample;
        TRY(infer_sample_read(sources[i], options->byte_max, &sample, at->err));
        if (i == 0 || at->found->record_count == 0) {
            at->layout = json_split_layout(sample.text);
            at->found->json = at->layout == JSON_SPLIT_ARRAY     ? INFER_JSON_ARRAY
                              : at->layout == JSON_SPLIT_RECORDS ? INFER_JSON_RECORDS
                                                                 : INFER_JSON_LINES;
        }
        enum status status = see_records(at, &sample, share);
        infer_sample_release(&sample);
        if (status != STATUS_OK) {
            err_context(at->err, "%.*s", STR_ARGS(sources[i]->name));
            return status;
        }
    }
    return STATUS_OK;
}

enum status infer_json(struct arena *arena, struct byte_source *const *sources,
                       uint32_t source_count, const struct infer_options *options,
                       struct infer_found *out, struct err *err)
{
    struct reading at = {.arena = arena, .found = out, .err = err};
    int iso = 0;
    infer_text_init(&at.root.text);
    enum status status = see_files(&at, sources, source_count, options);
    if (status == STATUS_OK && at.root.fields.count == 0) {
        status = ERR(err, STATUS_INVALID_DATA, "%.*s: no records, so no columns",
                     STR_ARGS(sources[0]->name));
    }
    if (status == STATUS_OK) {
        count_forms(&at.root, &iso);
        out->timestamp_form = iso > 0 ? TIME_TEXT_ISO_8601 : TIME_TEXT_SQL;
        out->type = type_with_null(arena, type_of(&at, &at.root), false);
    }
    release(&at.root);
    return status;
}
