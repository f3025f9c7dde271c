// SPDX-License-Identifier: Apache-2.0
#include "data/variant_build.h"

#include <stdlib.h>

void variant_build_reset(struct variant_build *build)
{
    build->bytes.size = 0;
    build->parts.count = 0;
}

void variant_build_release(struct variant_build *build)
{
    bytebuf_release(&build->bytes);
    VEC_RELEASE(&build->parts);
}

// ---- primitives ----

static void add(struct variant_build *build, enum variant_type type, const void *bytes, size_t size)
{
    bytebuf_add_byte(&build->bytes, (uint8_t)(type << 2));
    bytebuf_add(&build->bytes, bytes, size);
}

void variant_build_plain(struct variant_build *build, enum variant_type type)
{
    add(build, type, NULL, 0);
}

void variant_build_int(struct variant_build *build, enum variant_type type, int64_t value)
{
    size_t size = type == VARIANT_INT8                            ? 1
                  : type == VARIANT_INT16                         ? 2
                  : type == VARIANT_INT32 || type == VARIANT_DATE ? 4
                                                                  : 8;
    add(build, type, &value, size); // little-endian, as the host is
}

void variant_build_float(struct variant_build *build, float value)
{
    add(build, VARIANT_FLOAT, &value, sizeof value);
}

void variant_build_double(struct variant_build *build, double value)
{
    add(build, VARIANT_DOUBLE, &value, sizeof value);
}

void variant_build_decimal(struct variant_build *build, enum variant_type type, int128 unscaled,
                           uint8_t scale)
{
    size_t size = type == VARIANT_DECIMAL4 ? 4 : type == VARIANT_DECIMAL8 ? 8 : 16;
    add(build, type, &scale, 1);
    bytebuf_add(&build->bytes, &unscaled, size);
}

void variant_build_string(struct variant_build *build, struct str text)
{
    if (text.size <= VARIANT_SHORT_MAX) {
        bytebuf_add_byte(&build->bytes, (uint8_t)(text.size << 2 | 1));
        bytebuf_add(&build->bytes, text.ptr, text.size);
        return;
    }
    uint32_t size = (uint32_t)text.size;
    add(build, VARIANT_STRING, &size, sizeof size);
    bytebuf_add(&build->bytes, text.ptr, size);
}

void variant_build_binary(struct variant_build *build, struct str bytes)
{
    uint32_t size = (uint32_t)bytes.size;
    add(build, VARIANT_BINARY, &size, sizeof size);
    bytebuf_add(&build->bytes, bytes.ptr, size);
}

void variant_build_uuid(struct variant_build *build, struct str bytes)
{
    add(build, VARIANT_UUID, bytes.ptr, bytes.size);
}

void variant_build_raw(struct variant_build *build, struct str value)
{
    bytebuf_add(&build->bytes, value.ptr, value.size);
}

// ---- containers ----

struct variant_mark variant_build_open(struct variant_build *build)
{
    return (struct variant_mark){build->parts.count, build->bytes.size};
}

void variant_build_field(struct variant_build *build, uint32_t id, struct str name)
{
    struct variant_part part = {.name = name, .id = id, .at = build->bytes.size};
    VEC_PUSH(&build->parts, part);
}

void variant_build_element(struct variant_build *build)
{
    variant_build_field(build, 0, str_make(NULL, 0));
}

// Bytes that an unsigned number up to `most` takes.
static uint32_t uint_size(uint64_t most)
{
    return most <= 0xff ? 1 : most <= 0xffff ? 2 : most <= 0xffffff ? 3 : 4;
}

bool variant_build_names(struct bytebuf *out, const struct str *names, uint32_t count)
{
    enum { VERSION = 1, IS_SORTED = 1 << 4, OFFSET_SIZE_SHIFT = 6 };
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size += names[i].size;
    }
    if (size > UINT32_MAX) {
        return false;
    }
    uint32_t width = uint_size(size > count ? size : count);
    uint32_t offset = 0;
    bytebuf_add_byte(out, (uint8_t)(VERSION | IS_SORTED | (width - 1) << OFFSET_SIZE_SHIFT));
    bytebuf_add(out, &count, width); // little-endian, as the host is
    for (uint32_t i = 0; i < count; i++) {
        bytebuf_add(out, &offset, width);
        offset += (uint32_t)names[i].size;
    }
    bytebuf_add(out, &offset, width);
    for (uint32_t i = 0; i < count; i++) {
        bytebuf_add(out, names[i].ptr, names[i].size);
    }
    return true;
}

static int compare_parts(const void *left, const void *right)
{
    const struct variant_part *a = left;
    const struct variant_part *b = right;
    return str_compare(a->name, b->name);
}

// The parts behind the mark; NULL where there are none.
static struct variant_part *parts_behind(const struct variant_build *build,
                                         struct variant_mark mark, uint32_t *count)
{
    *count = build->parts.count - mark.part;
    return *count > 0 ? &build->parts.items[mark.part] : NULL;
}

// Puts the head in front of the values behind the mark. `id_size` 0: an array's.
static bool close_container(struct variant_build *build, struct variant_mark mark, uint8_t head,
                            uint32_t id_size)
{
    uint32_t count;
    const struct variant_part *parts = parts_behind(build, mark, &count);
    size_t size = build->bytes.size - mark.at;
    if (size > UINT32_MAX) {
        return false;
    }
    uint32_t offset_size = uint_size(size);
    uint32_t count_size = count > 0xff ? 4 : 1;
    size_t front = 1 + count_size + (size_t)count * id_size + ((size_t)count + 1) * offset_size;
    bytebuf_reserve(&build->bytes, front + sizeof(uint32_t));
    char *at = build->bytes.ptr + mark.at;
    memmove(at + front, at, size);
    build->bytes.size += front;
    *at++ = (char)(head | (offset_size - 1) << 2);
    memcpy(at, &count, count_size);
    at += count_size;
    for (uint32_t i = 0; i < count && id_size > 0; i++, at += id_size) {
        memcpy(at, &parts[i].id, id_size);
    }
    for (uint32_t i = 0; i <= count; i++, at += offset_size) {
        uint32_t offset = (uint32_t)(i < count ? parts[i].at - mark.at : size);
        memcpy(at, &offset, offset_size);
    }
    build->parts.count = mark.part;
    return true;
}

bool variant_build_object(struct variant_build *build, struct variant_mark mark,
                          uint32_t name_count)
{
    uint32_t count;
    struct variant_part *parts = parts_behind(build, mark, &count);
    if (count > 1) {
        qsort(parts, count, sizeof *parts, compare_parts);
    }
    for (uint32_t i = 1; i < count; i++) {
        if (str_equal(parts[i - 1].name, parts[i].name)) {
            return false;
        }
    }
    uint32_t id_size = uint_size(name_count);
    uint8_t head = (uint8_t)(2 | (id_size - 1) << 4 | (count > 0xff ? 1 << 6 : 0));
    return close_container(build, mark, head, id_size);
}

bool variant_build_array(struct variant_build *build, struct variant_mark mark)
{
    uint32_t count = build->parts.count - mark.part;
    return close_container(build, mark, (uint8_t)(3 | (count > 0xff ? 1 << 4 : 0)), 0);
}
