// SPDX-License-Identifier: Apache-2.0
//
// fuzz_variant: any bytes as a variant: checked, walked, shown as JSON. What is well-formed has a
// JSON text, and its value built again from its parts reads the same.
#include <stdint.h>

#include "base/assert.h"
#include "base/strbuf.h"
#include "data/variant.h"
#include "data/variant_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 1 << 20 };

static bool build_again(struct variant_build *build, const struct variant_names *names,
                        const struct variant *value)
{
    struct variant_mark mark = variant_build_open(build);
    for (uint32_t i = 0; i < value->count; i++) {
        struct variant child;
        struct str name;
        struct str bytes;
        bool ok = value->type == VARIANT_ARRAY ? variant_element(value, i, &child)
                                               : variant_field(names, value, i, &name, &child);
        ASSERT(ok && variant_child(value, i, &bytes));
        if (value->type == VARIANT_ARRAY) {
            variant_build_element(build);
        } else {
            uint32_t id;
            if (!variant_names_find(names, name, &id)) {
                return false; // a dictionary that says that it is sorted, and is not
            }
            variant_build_field(build, id, name);
        }
        variant_build_raw(build, str_slice(bytes, 0, child.size));
    }
    return value->type == VARIANT_ARRAY ? variant_build_array(build, mark)
                                        : variant_build_object(build, mark, names->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str held = str_make((const char *)data, size);
    struct variant_names names;
    struct variant value;
    struct strbuf text;
    const char *what;
    strbuf_init(&text, TEXT_MAX);
    bool whole = variant_check(held, &what);
    ASSERT(whole == (what == NULL));
    bool shown = variant_json(&text, held, NULL);
    if (whole) {
        // A time of day that cannot be is the one thing that has no text.
        ASSERT(variant_open(held, &names, &value));
        if (shown && (value.type == VARIANT_OBJECT || value.type == VARIANT_ARRAY)) {
            struct variant_build build = {0};
            struct strbuf again;
            struct strbuf copy;
            strbuf_init(&again, TEXT_MAX);
            strbuf_init(&copy, SIZE_MAX / 4);
            strbuf_add(&copy, str_slice(held, 0, names.size));
            if (build_again(&build, &names, &value)) {
                strbuf_add(&copy, bytebuf_str(&build.bytes));
                ASSERT(variant_json(&again, strbuf_str(&copy), NULL));
                ASSERT(str_equal(strbuf_str(&text), strbuf_str(&again)));
            }
            strbuf_release(&again);
            strbuf_release(&copy);
            variant_build_release(&build);
        }
    }
    strbuf_release(&text);
    return 0;
}
