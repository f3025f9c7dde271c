// SPDX-License-Identifier: Apache-2.0
//
// column_pick: rows from anywhere in many columns, as one column. A value is moved once, by its
// width; lists and maps, whose elements stand elsewhere, go by runs of adjacent rows.
#include <string.h>

#include "base/arena.h"
#include "data/column.h"

struct pick {
    struct arena *arena;
    const struct column *parts;
    uint32_t part_count;
    const struct column_place *places;
    uint32_t row_count;
};

static bool is_null(const struct pick *pick, uint32_t i)
{
    return column_is_null(&pick->parts[pick->places[i].part], pick->places[i].row);
}

static const uint64_t *pick_valid(const struct pick *pick)
{
    uint64_t *valid = arena_zalloc(pick->arena, bits_words(pick->row_count) * sizeof *valid);
    bool has_nulls = false;
    for (uint32_t i = 0; i < pick->row_count; i++) {
        bool null = is_null(pick, i);
        has_nulls |= null;
        valid[i / 64] |= (uint64_t)!null << (i % 64);
    }
    return has_nulls ? valid : NULL;
}

// Null rows of a dictionary have code 0, whose entry is a value: they are written as zero.
#define PICK_VALUES(name, width)                                                                   \
    static void name(const struct pick *pick, bool has_nulls, char *out)                           \
    {                                                                                              \
        for (uint32_t i = 0; i < pick->row_count; i++, out += (width)) {                           \
            const struct column *part = &pick->parts[pick->places[i].part];                        \
            uint32_t row = pick->places[i].row;                                                    \
            if (has_nulls && column_is_null(part, row)) {                                          \
                memset(out, 0, (width));                                                           \
            } else {                                                                               \
                const char *values = column_holder(part)->values;                                  \
                memcpy(out, values + (width) * (size_t)column_at(part, row), (width));             \
            }                                                                                      \
        }                                                                                          \
    }

PICK_VALUES(pick_values_1, 1)
PICK_VALUES(pick_values_2, 2)
PICK_VALUES(pick_values_4, 4)
PICK_VALUES(pick_values_8, 8)
PICK_VALUES(pick_values_16, 16)

static const void *pick_values(const struct pick *pick, bool has_nulls)
{
    size_t width = physical_width(pick->parts[0].physical);
    char *out = arena_alloc64(pick->arena, width * pick->row_count);
    switch (width) {
    case 1: pick_values_1(pick, has_nulls, out); break;
    case 2: pick_values_2(pick, has_nulls, out); break;
    case 4: pick_values_4(pick, has_nulls, out); break;
    case 8: pick_values_8(pick, has_nulls, out); break;
    default: pick_values_16(pick, has_nulls, out); break;
    }
    return out;
}

// Adjacent rows of one part are one slice.
static struct column pick_runs(const struct pick *pick)
{
    struct column *runs = arena_new_array(pick->arena, struct column, pick->row_count);
    uint32_t count = 0;
    for (uint32_t i = 0, end; i < pick->row_count; i = end) {
        struct column_place first = pick->places[i];
        for (end = i + 1; end < pick->row_count; end++) {
            if (pick->places[end].part != first.part ||
                pick->places[end].row != first.row + (end - i)) {
                break;
            }
        }
        runs[count++] = column_slice(pick->arena, &pick->parts[first.part], first.row, end - i);
    }
    return column_concat(pick->arena, runs, count);
}

static struct column pick_row(const struct pick *pick, const uint64_t *valid)
{
    const struct column *like = column_holder(&pick->parts[0]);
    struct column *children = arena_new_array(pick->arena, struct column, like->child_count);
    struct column *parts = arena_new_array(pick->arena, struct column, pick->part_count);
    struct column_place *places =
        arena_new_array(pick->arena, struct column_place, pick->row_count);
    for (uint32_t i = 0; i < pick->row_count; i++) {
        struct column_place place = pick->places[i];
        places[i] =
            (struct column_place){place.part, column_at(&pick->parts[place.part], place.row)};
    }
    for (uint32_t c = 0; c < like->child_count; c++) {
        for (uint32_t p = 0; p < pick->part_count; p++) {
            parts[p] = column_holder(&pick->parts[p])->children[c];
        }
        struct column child =
            column_pick(pick->arena, parts, pick->part_count, places, pick->row_count);
        // Under a null of a dictionary stands what its first entry has.
        children[c] = column_mask(pick->arena, &child, valid);
    }
    return (struct column){.physical = PHYSICAL_ROW,
                           .row_count = pick->row_count,
                           .valid = valid,
                           .children = children,
                           .child_count = like->child_count};
}

struct column column_pick(struct arena *arena, const struct column *parts, uint32_t part_count,
                          const struct column_place *places, uint32_t row_count)
{
    struct pick pick = {arena, parts, part_count, places, row_count};
    enum physical physical = parts[0].physical;
    if (row_count > 0 && (physical == PHYSICAL_LIST || physical == PHYSICAL_MAP)) {
        return pick_runs(&pick);
    }
    const uint64_t *valid = pick_valid(&pick);
    if (physical == PHYSICAL_ROW) {
        return pick_row(&pick, valid);
    }
    return (struct column){.physical = physical,
                           .row_count = row_count,
                           .valid = valid,
                           .values = pick_values(&pick, valid != NULL)};
}
