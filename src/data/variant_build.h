// SPDX-License-Identifier: Apache-2.0
//
// variant_build: values of variants (data/variant.h) put together, against a dictionary of names
// that is there already.
//
//     variant_build_reset(&build);
//     struct variant_mark object = variant_build_open(&build);
//     variant_build_field(&build, id, name);
//     variant_build_int(&build, VARIANT_INT32, 34);
//     if (!variant_build_object(&build, object, names.count)) { ... }  // a name twice
//     use(bytebuf_str(&build.bytes));
//     variant_build_release(&build);
//
// Each value takes the smallest form it has. A container's values stand in the order in which they
// were given, its fields in that of their names. A zeroed struct is empty.
#pragma once

#include "base/bytebuf.h"
#include "base/vec.h"
#include "data/variant.h"

struct variant_part {
    struct str name; // borrowed until the object ends
    uint32_t id;
    size_t at; // in `bytes`
};

struct variant_build {
    struct bytebuf bytes;
    VEC(struct variant_part) parts; // of all containers that are open
};

struct variant_mark {
    uint32_t part;
    size_t at;
};

void variant_build_reset(struct variant_build *build);
void variant_build_release(struct variant_build *build);

void variant_build_plain(struct variant_build *build, enum variant_type type); // NULL, TRUE, FALSE
// INT*, DATE, TIME and TIMESTAMP*: as many bytes as the type has.
void variant_build_int(struct variant_build *build, enum variant_type type, int64_t value);
void variant_build_float(struct variant_build *build, float value);
void variant_build_double(struct variant_build *build, double value);
// `type`: one of DECIMAL*, which the value fits.
void variant_build_decimal(struct variant_build *build, enum variant_type type, int128 unscaled,
                           uint8_t scale);
void variant_build_string(struct variant_build *build, struct str text);
void variant_build_binary(struct variant_build *build, struct str bytes);
void variant_build_uuid(struct variant_build *build, struct str bytes); // 16 bytes
void variant_build_raw(struct variant_build *build, struct str value);  // encoded already

// Appends the metadata of the names, which are sorted and each there once. False: over 4 GiB.
MUST_USE bool variant_build_names(struct bytebuf *out, const struct str *names, uint32_t count);

struct variant_mark variant_build_open(struct variant_build *build);
// The value that is built next is a field or an element of the container opened last.
void variant_build_field(struct variant_build *build, uint32_t id, struct str name);
void variant_build_element(struct variant_build *build);
// `name_count` of the dictionary decides how many bytes ids have. False where a name is there twice
// or the values are over 4 GiB.
MUST_USE bool variant_build_object(struct variant_build *build, struct variant_mark mark,
                                   uint32_t name_count);
MUST_USE bool variant_build_array(struct variant_build *build, struct variant_mark mark);
