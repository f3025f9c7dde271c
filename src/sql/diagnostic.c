// SPDX-License-Identifier: Apache-2.0
#include "sql/diagnostic.h"

enum {
    TAB_WIDTH = 8,
    SHOWN_WIDTH_MAX = 110, // of a line
    SHOWN_BEFORE_MAX = 70, // columns in front of the place, where the line is cut
    UNDERLINE_MAX = 80,
};

struct code_range {
    uint32_t from;
    uint32_t to;
};

static bool in_ranges(uint32_t code, const struct code_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].from && code <= ranges[i].to) {
            return true;
        }
    }
    return false;
}

// Columns a terminal takes for a character.
static uint32_t code_width(uint32_t code)
{
    static const struct code_range none[] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},     {0x610, 0x61a},
        {0x64b, 0x65f},   {0x200b, 0x200f}, {0x20d0, 0x20ff},   {0xfe00, 0xfe0f},
        {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
    };
    static const struct code_range two[] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
        {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
    };
    if (in_ranges(code, none, sizeof none / sizeof none[0])) {
        return 0;
    }
    return in_ranges(code, two, sizeof two / sizeof two[0]) ? 2 : 1;
}

// The character at `at`: its bytes; `code` is 0xfffd where they are no UTF-8 (one byte then).
static uint32_t take_code(struct str text, size_t at, uint32_t *code)
{
    unsigned char first = (unsigned char)text.ptr[at];
    uint32_t need = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    *code = 0xfffd;
    if (need == 0 || first > 0xf4 || need > text.size - at) {
        return 1;
    }
    uint32_t value = need == 1 ? first : first & (0x7fU >> need);
    for (uint32_t i = 1; i < need; i++) {
        unsigned char next = (unsigned char)text.ptr[at + i];
        if ((next & 0xc0) != 0x80) {
            return 1;
        }
        value = value << 6 | (next & 0x3f);
    }
    *code = value;
    return need;
}

// The line of a place, without its end.
static struct str line_at(struct str text, size_t offset, size_t *from)
{
    size_t begin = offset;
    size_t end = offset;
    while (begin > 0 && text.ptr[begin - 1] != '\n') {
        begin--;
    }
    while (end < text.size && text.ptr[end] != '\n') {
        end++;
    }
    if (end > begin && text.ptr[end - 1] == '\r') {
        end--;
    }
    *from = begin;
    return str_slice(text, begin, end);
}

// The end of a text that ends in blank lines is the end of its last line.
static size_t settle(struct str text, uint64_t offset)
{
    size_t at = offset > text.size ? text.size : (size_t)offset;
    bool end = true;
    for (size_t i = at; end && i < text.size; i++) {
        end =
            text.ptr[i] == '\n' || text.ptr[i] == ' ' || text.ptr[i] == '\t' || text.ptr[i] == '\r';
    }
    while (end && at > 0 &&
           (text.ptr[at - 1] == '\n' || text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\t' ||
            text.ptr[at - 1] == '\r')) {
        at--;
    }
    return at;
}

void diagnostic_place(struct str text, uint64_t offset, uint32_t *line, uint32_t *column)
{
    size_t at = settle(text, offset);
    *line = 1;
    *column = 1;
    uint32_t code;
    for (size_t i = 0; i < at;) {
        if (text.ptr[i] == '\n') {
            (*line)++;
            *column = 0;
        }
        i += take_code(text, i, &code);
        (*column)++;
    }
}

// One line as it is drawn: tabs are blanks, what cannot be shown is '?'.
struct drawing {
    struct strbuf *out;
    uint32_t from_width; // columns of the line that are left out in front
    uint32_t width;      // so far, from the line's start
};

static void draw_code(struct drawing *drawing, struct str bytes, uint32_t code)
{
    uint32_t width = code == '\t' ? TAB_WIDTH - drawing->width % TAB_WIDTH : code_width(code);
    bool shown = drawing->width >= drawing->from_width &&
                 drawing->width + width <= drawing->from_width + SHOWN_WIDTH_MAX;
    drawing->width += width;
    if (!shown) {
        return;
    }
    if (code == '\t') {
        for (uint32_t i = 0; i < width; i++) {
            strbuf_add_byte(drawing->out, ' ');
        }
    } else if (code < 0x20 || code == 0x7f || (code == 0xfffd && bytes.size == 1)) {
        strbuf_add_byte(drawing->out, '?');
    } else {
        strbuf_add(drawing->out, bytes);
    }
}

// The columns that the first `bytes` bytes of a line take.
static uint32_t width_of(struct str line, size_t bytes)
{
    uint32_t width = 0;
    uint32_t code;
    for (size_t i = 0; i < bytes && i < line.size;) {
        uint32_t length = take_code(line, i, &code);
        width += code == '\t' ? TAB_WIDTH - width % TAB_WIDTH : code_width(code);
        i += length;
    }
    return width;
}

static void draw_line(struct strbuf *out, struct str line, uint32_t from_width)
{
    struct drawing drawing = {.out = out, .from_width = from_width};
    uint32_t code;
    strbuf_add_text(out, from_width > 0 ? "..." : "");
    for (size_t i = 0; i < line.size;) {
        uint32_t length = take_code(line, i, &code);
        draw_code(&drawing, str_slice(line, i, i + length), code);
        i += length;
    }
    strbuf_add_text(out, drawing.width > from_width + SHOWN_WIDTH_MAX ? "...\n" : "\n");
}

static void draw_place(struct strbuf *out, struct str text, size_t at, uint32_t length)
{
    uint32_t number;
    uint32_t column;
    size_t from;
    struct str line = line_at(text, at, &from);
    diagnostic_place(text, at, &number, &column);
    uint32_t before = width_of(line, at - from);
    uint32_t whole = width_of(line, line.size);
    uint32_t under = width_of(line, at - from + length) - before;
    bool cut = whole > SHOWN_WIDTH_MAX && before > SHOWN_BEFORE_MAX;
    uint32_t from_width = cut ? before - SHOWN_BEFORE_MAX : 0;
    strbuf_printf(out, "%5u | ", number);
    draw_line(out, line, from_width);
    strbuf_add_text(out, "      | ");
    for (uint32_t i = 0; i < before - from_width + (cut ? 3 : 0); i++) {
        strbuf_add_byte(out, ' ');
    }
    strbuf_add_byte(out, '^');
    for (uint32_t i = 1; i < under && i < UNDERLINE_MAX; i++) {
        strbuf_add_byte(out, '~');
    }
    strbuf_add_byte(out, '\n');
}

void diagnostic_render(struct strbuf *out, const char *severity, const struct err *err,
                       const struct diagnostic_source *source)
{
    bool placed = source != NULL && source->text.size > 0 && err->offset != ERR_NO_OFFSET;
    size_t at = placed ? settle(source->text, source->base + err->offset) : 0;
    if (source != NULL && source->name.size > 0) {
        strbuf_printf(out, "%.*s:", STR_ARGS(source->name));
    }
    if (placed) {
        uint32_t line;
        uint32_t column;
        diagnostic_place(source->text, at, &line, &column);
        strbuf_printf(out, "%u:%u:", line, column);
    }
    strbuf_printf(out, "%s%s: %s\n", out->size > 0 && out->ptr[out->size - 1] == ':' ? " " : "",
                  severity, err->text);
    if (placed) {
        draw_place(out, source->text, at, err->length);
    }
    if (err->hint[0] != '\0') {
        strbuf_printf(out, "  hint: %s\n", err->hint);
    }
}
