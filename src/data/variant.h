// SPDX-License-Identifier: Apache-2.0
//
// variant: values that say themselves what they are, in the binary form that Parquet, Iceberg and
// Spark share (parquet-format, VariantEncoding.md). A variant is two parts: metadata, a dictionary
// of the names of all fields at any depth, and a value that names them by number. A column of type
// VARIANT holds both in one string, the metadata first.
//
//     struct variant_names names;
//     struct variant value;
//     if (variant_open(held, &names, &value)) {
//         variant_field(&names, &value, 0, &name, &field); // the first in the order of names
//     }
//
// Reading looks at one value and its children's places, never deeper, and checks what it looks at;
// damage is `false`. variant_check() looks at all of it. Values of a container may not overlap, so
// that a walk through a variant takes time in proportion to its bytes; variant_check() and
// variant_json() see to it.
//
// Everything is borrowed from the bytes. Pure functions; any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/int128.h"
#include "base/str.h"

struct strbuf;
struct zone;

enum {
    VARIANT_DEPTH_MAX = 500, // containers in each other; deeper ones are refused
    VARIANT_SHORT_MAX = 63,  // bytes of a short string
};

// The numbers of primitive types in the format; SHORT_TEXT, OBJECT and ARRAY are apart.
enum variant_type {
    VARIANT_NULL = 0,
    VARIANT_TRUE = 1,
    VARIANT_FALSE = 2,
    VARIANT_INT8 = 3,
    VARIANT_INT16 = 4,
    VARIANT_INT32 = 5,
    VARIANT_INT64 = 6,
    VARIANT_DOUBLE = 7,
    VARIANT_DECIMAL4 = 8,
    VARIANT_DECIMAL8 = 9,
    VARIANT_DECIMAL16 = 10,
    VARIANT_DATE = 11,
    VARIANT_TIMESTAMP_LTZ = 12, // microseconds
    VARIANT_TIMESTAMP = 13,
    VARIANT_FLOAT = 14,
    VARIANT_BINARY = 15,
    VARIANT_STRING = 16,
    VARIANT_TIME = 17, // microseconds
    VARIANT_TIMESTAMP_LTZ_NS = 18,
    VARIANT_TIMESTAMP_NS = 19,
    VARIANT_UUID = 20,
    VARIANT_OBJECT = 64,
    VARIANT_ARRAY,
};

struct variant_names {
    uint32_t count;
    bool is_sorted; // as the metadata says
    uint8_t offset_size;
    const char *offsets; // count + 1
    const char *bytes;
    size_t size; // of the whole metadata
};

struct variant {
    enum variant_type type;
    size_t size; // bytes it takes, its first one included
    union {
        int64_t i64; // INT*, DATE (days), TIME, TIMESTAMP*: in their units
        double f64;
        float f32;
        struct {
            int128 unscaled;
            uint8_t scale;
        } decimal;
        struct str bytes; // BINARY, STRING (short ones too), UUID (16 bytes)
    } as;
    // OBJECT, ARRAY.
    uint32_t count;
    uint8_t id_size; // OBJECT
    uint8_t offset_size;
    const char *ids;     // OBJECT
    const char *offsets; // count + 1
    struct str children; // all values
};

// The metadata at the start of `bytes`.
MUST_USE bool variant_names_read(struct str bytes, struct variant_names *out);
MUST_USE bool variant_names_get(const struct variant_names *names, uint32_t id, struct str *out);
// False where the dictionary has no such name.
MUST_USE bool variant_names_find(const struct variant_names *names, struct str name, uint32_t *id);

// The value at the start of `bytes`, which may go on behind it.
MUST_USE bool variant_read(struct str bytes, struct variant *out);
MUST_USE bool variant_element(const struct variant *array, uint32_t at, struct variant *out);
MUST_USE bool variant_field(const struct variant_names *names, const struct variant *object,
                            uint32_t at, struct str *name, struct variant *out);
// The bytes of the child of a container, up to the end of the container's.
MUST_USE bool variant_child(const struct variant *container, uint32_t at, struct str *out);

// Both parts of what a column holds.
MUST_USE bool variant_open(struct str held, struct variant_names *names, struct variant *value);

// Whether all of it is well-formed: known types, fields in the order of their names, each once,
// nothing behind the value. That texts are UTF-8 is not looked at. Where not, *what says what is
// wrong; borrowed for ever.
MUST_USE bool variant_check(struct str held, const char **what);

// The value as JSON, as Spark's to_json() and CAST AS STRING write it:
//
//     numbers    12, 1.5 (decimals without zeros at their end), 1.0E10 (as Java writes doubles),
//                NaN and infinities as they are
//     strings    quoted; binary in base64, uuid and time as text
//     dates      "2024-01-31", "2024-01-31 10:00:00.5", with time zone "2024-01-31 10:00:00+01:00"
//
// `zone` NULL: UTC. False, with part of it written, where the variant is damaged.
MUST_USE bool variant_json(struct strbuf *out, struct str held, const struct zone *zone);
