// SPDX-License-Identifier: Apache-2.0
//
// Records as most are. Numbers are read from where their field begins, and what stands behind them
// must end the field; only of texts the end is looked for, 16 bytes at a time.
#include "codec/csv_int.h"
#include "codec/utf8_check.h"

// The first delimiter (or quote, whichever is given) or line end from `at` on; `end` where there is
// none. *high: a byte before it is not ASCII.
ALWAYS_INLINE const char *quick_find(const char *at, const char *end, char wanted, bool *high)
{
#ifdef __SSE4_1__
    const __m128i first = _mm_set1_epi8(wanted);
    const __m128i line = _mm_set1_epi8('\n');
    uint32_t above = 0;
    for (; at < end; at += 16) { // what is loaded behind `end` is padding
        __m128i chunk = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(chunk, first), _mm_cmpeq_epi8(chunk, line));
        uint32_t stops = (uint32_t)_mm_movemask_epi8(stop);
        uint32_t highs = (uint32_t)_mm_movemask_epi8(chunk);
        if (stops != 0) {
            uint32_t before = stops & (0U - stops);
            *high = (above | (highs & (before - 1))) != 0;
            at += __builtin_ctz(stops);
            return at < end ? at : end;
        }
        above |= highs;
    }
    *high = above != 0;
    return end;
#else
    unsigned char above = 0;
    while (at < end && *at != wanted && *at != '\n') {
        above |= (unsigned char)*at++;
    }
    *high = above >= 0x80;
    return at;
#endif
}

// Whether a field ends at `at`: at the delimiter, a line end or the end of the input.
ALWAYS_INLINE bool quick_ends(const struct csv_decoder *decoder, const char *at, const char *end)
{
    return *at == decoder->spec.delimiter || *at == '\n' || at == end ||
           (*at == '\r' && at + 1 < end && at[1] == '\n');
}

// The text in quotes at `at`; behind its closing quote, NULL where it is not plain.
static const char *quick_quoted(const struct csv_decoder *decoder, const char *at, const char *end,
                                struct str *text, bool *high)
{
    const char *close = quick_find(at + 1, end, decoder->spec.quote, high);
    if (close == end || *close == '\n' || close[1] == decoder->spec.quote ||
        !quick_ends(decoder, close + 1, end)) {
        return NULL;
    }
    *text = str_make(at + 1, (size_t)(close - at - 1));
    return close + 1;
}

static bool quick_value(struct csv_decoder *decoder, struct json_node *node, uint32_t row,
                        struct csv_field field, bool high)
{
    const struct csv_decode_spec *spec = &decoder->spec;
    bool is_special = field.text.size == 0 || spec->has_null_literal;
    if (is_special || (high && !utf8_check(field.text.ptr, field.text.size)) ||
        !json_value_quick_text(decoder->columns, node, row, field.text)) {
        return csv_value(decoder, node, row, field);
    }
    return true;
}

// The field at `at` into the row's slot (`node` NULL: nowhere); where it ends, NULL: not plain.
static const char *quick_field(struct csv_decoder *decoder, struct json_node *node, uint32_t row,
                               const char *at, const char *end)
{
    const struct csv_decode_spec *spec = &decoder->spec;
    struct csv_field field = {0};
    const char *behind;
    bool high;
    if (*at == spec->quote && spec->quote != 0 && at < end) {
        field.is_quoted = true;
        behind = quick_quoted(decoder, at, end, &field.text, &high);
        return behind == NULL || (node != NULL && !quick_value(decoder, node, row, field, high))
                   ? NULL
                   : behind;
    }
    if (node != NULL && decoder->may_be_number) {
        behind = json_value_quick(node, row, at);
        if (behind != NULL && quick_ends(decoder, behind, end)) {
            return behind;
        }
        if (behind != NULL) {
            return NULL; // a number and more: the slot is taken back with the row
        }
    }
    behind = quick_find(at, end, spec->delimiter, &high);
    const char *line_end = behind;
    if (behind > at && behind[-1] == '\r' && (behind == end || *behind == '\n')) {
        line_end--;
    }
    field.text = str_make(at, (size_t)(line_end - at));
    return node != NULL && !quick_value(decoder, node, row, field, high) ? NULL : line_end;
}

bool csv_quick_record(struct csv_decoder *decoder, const char **at, const char *end)
{
    struct json_decoder *columns = decoder->columns;
    uint32_t row = columns->row_count;
    uint32_t count = decoder->spec.field_count;
    size_t bytes = columns->bytes;
    const char *p = *at;
    json_node_mark(columns);
    for (uint32_t i = 0; i < count && p != NULL; i++) {
        uint32_t column = decoder->column_of[i];
        struct json_node *node = column != UINT32_MAX ? columns->root.children[column] : NULL;
        p = quick_field(decoder, node, row, p, end);
        if (p != NULL && i + 1 < count) {
            p = p < end && *p == decoder->spec.delimiter ? p + 1 : NULL;
        }
    }
    if (p != NULL && p < end) {
        p += *p == '\r';
        p = p == end || *p == '\n' ? p : NULL;
    }
    if (p == NULL) {
        json_node_roll_back(columns, row);
        columns->bytes = bytes;
        return false;
    }
    decoder->lines += p < end;
    *at = p < end ? p + 1 : end;
    columns->row_count++;
    return true;
}
