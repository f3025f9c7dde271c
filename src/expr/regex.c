// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "expr/regex.h"

#include <pcre2.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum {
    CACHE_SIZE = 32,
    MATCH_STEPS_MAX = 10 * 1000 * 1000,
    MATCH_DEPTH_MAX = 100 * 1000,
    MATCH_HEAP_KIB_MAX = 20 * 1024,
    JIT_STACK_MIN = 32 * 1024,
    JIT_STACK_MAX = 1024 * 1024,
    PATTERN_MAX = 1 << 20,
};

struct regex {
    struct str pattern; // as given
    enum regex_form form;
    bool is_used;
    pcre2_code *code; // NULL: a bad pattern
    pcre2_match_data *data;
    uint32_t groups;
    pcre2_match_context *context; // the cache's
};

struct regex_cache {
    struct regex entries[CACHE_SIZE];
    struct regex *last; // mostly it is the same pattern again; NULL at first
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    pcre2_compile_context *compile;
};

static void drop(struct regex *regex)
{
    pcre2_match_data_free(regex->data);
    pcre2_code_free(regex->code);
    union {
        const char *text;
        char *memory;
    } pattern = {regex->pattern.ptr};
    mem_free(pattern.memory);
    *regex = (struct regex){0};
}

static void cache_free(void *object)
{
    struct regex_cache *cache = object;
    for (int i = 0; i < CACHE_SIZE; i++) {
        drop(&cache->entries[i]);
    }
    pcre2_jit_stack_free(cache->stack);
    pcre2_match_context_free(cache->context);
    pcre2_compile_context_free(cache->compile);
    mem_free(cache);
}

struct regex_cache *regex_cache_new(struct arena *arena)
{
    struct regex_cache *cache = mem_zalloc(sizeof *cache);
    cache->context = pcre2_match_context_create(NULL);
    cache->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
    cache->compile = pcre2_compile_context_create(NULL);
    pcre2_set_match_limit(cache->context, MATCH_STEPS_MAX);
    pcre2_set_depth_limit(cache->context, MATCH_DEPTH_MAX);
    pcre2_set_heap_limit(cache->context, MATCH_HEAP_KIB_MAX);
    pcre2_jit_stack_assign(cache->context, NULL, cache->stack);
    pcre2_set_newline(cache->compile, PCRE2_NEWLINE_ANY); // Java's line terminators
    arena_on_release(arena, cache_free, cache);
    return cache;
}

// \p{Alpha} and the other POSIX names that Java takes: what PCRE calls [:alpha:].
static bool posix_class(struct str name, const char **out)
{
    static const char *const classes[][2] = {
        {"Alpha", "alpha"}, {"Digit", "digit"}, {"Alnum", "alnum"}, {"Upper", "upper"},
        {"Lower", "lower"}, {"Punct", "punct"}, {"Space", "space"}, {"Blank", "blank"},
        {"Cntrl", "cntrl"}, {"Graph", "graph"}, {"Print", "print"}, {"XDigit", "xdigit"},
        {"ASCII", "ascii"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (str_is(name, classes[i][0])) {
            *out = classes[i][1];
            return true;
        }
    }
    return false;
}

// Copies an escape sequence that starts at `at`; returns where it ends.
static size_t translate_escape(struct str pattern, size_t at, bool in_class, struct strbuf *out)
{
    char letter = at + 1 < pattern.size ? pattern.ptr[at + 1] : 0;
    if ((letter == 'p' || letter == 'P') && at + 2 < pattern.size && pattern.ptr[at + 2] == '{') {
        struct str rest = str_slice(pattern, at + 3, pattern.size);
        size_t end = str_find(rest, '}');
        const char *name;
        if (end < rest.size && posix_class(str_slice(rest, 0, end), &name)) {
            const char *no = letter == 'P' ? "^" : "";
            strbuf_printf(out, in_class ? "[:%s%s:]" : "[[:%s%s:]]", no, name);
            return at + 3 + end + 1;
        }
        if (end < rest.size && str_starts(rest, "Is")) { // \p{IsLatin} is \p{Latin}
            strbuf_printf(out, "\\%c{%.*s}", letter, STR_ARGS(str_slice(rest, 2, end)));
            return at + 3 + end + 1;
        }
    }
    if (letter == 'Q') { // quoted up to \E, as in PCRE
        size_t end = at + 2;
        while (end + 1 < pattern.size &&
               !(pattern.ptr[end] == '\\' && pattern.ptr[end + 1] == 'E')) {
            end++;
        }
        end = end + 1 < pattern.size ? end + 2 : pattern.size;
        strbuf_add(out, str_slice(pattern, at, end));
        return end;
    }
    size_t end = at + 2 < pattern.size ? at + 2 : pattern.size;
    strbuf_add(out, str_slice(pattern, at, end));
    return end;
}

// Flags in (?...) that PCRE has not, or has for something else; returns where the rest begins.
static size_t translate_flags(struct str pattern, size_t at, struct strbuf *out, uint32_t *options)
{
    strbuf_add_text(out, "(?");
    for (at += 2; at < pattern.size; at++) {
        char c = pattern.ptr[at];
        if (c == 'U') {
            *options |= PCRE2_UCP;
        } else if (c == 'i' || c == 'm' || c == 's' || c == 'x' || c == '-') {
            strbuf_add_byte(out, c);
        } else if (c != 'u' && c != 'd') {
            break;
        }
    }
    return at;
}

static void translate(struct str pattern, struct strbuf *out, uint32_t *options)
{
    bool in_class = false;
    for (size_t at = 0; at < pattern.size;) {
        char c = pattern.ptr[at];
        bool flags = c == '(' && !in_class && at + 2 < pattern.size && pattern.ptr[at + 1] == '?';
        if (flags && strchr("imsxUud-", pattern.ptr[at + 2]) != NULL) {
            at = translate_flags(pattern, at, out, options);
            continue;
        }
        if (c == '\\') {
            at = translate_escape(pattern, at, in_class, out);
            continue;
        }
        if (c == '[' && !in_class) {
            in_class = true;
        } else if (c == '[') {
            strbuf_add_byte(out, '\\'); // no class begins inside a class
        } else if (c == ']') {
            in_class = false;
        }
        strbuf_add_byte(out, c);
        at++;
    }
}

// A class within a class is a union in Java; PCRE has none, so such patterns are refused.
static bool has_class_operations(struct str pattern)
{
    bool in_class = false;
    for (size_t at = 0; at < pattern.size; at++) {
        char c = pattern.ptr[at];
        if (c == '\\') {
            at++;
        } else if (c == '[' && in_class && !(at + 1 < pattern.size && pattern.ptr[at + 1] == ':')) {
            return true;
        } else if (c == '&' && in_class && at + 1 < pattern.size && pattern.ptr[at + 1] == '&') {
            return true;
        } else if (c == '[') {
            in_class = true;
        } else if (c == ']') {
            in_class = false;
        }
    }
    return false;
}

static void compile(struct regex_cache *cache, struct regex *regex, struct str pattern,
                    enum regex_form form)
{
    char *copy = mem_alloc(pattern.size + 1);
    memcpy(copy, pattern.size > 0 ? pattern.ptr : "", pattern.size);
    *regex = (struct regex){.pattern = str_make(copy, pattern.size),
                            .form = form,
                            .is_used = true,
                            .context = cache->context};
    if (pattern.size > PATTERN_MAX || (form == REGEX_FIND && has_class_operations(pattern))) {
        return;
    }
    uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
    if (form == REGEX_WHOLE) {
        options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    }
    struct strbuf text;
    strbuf_init(&text, (size_t)PATTERN_MAX * 8);
    if (form == REGEX_FIND) {
        translate(pattern, &text, &options);
    } else {
        strbuf_add(&text, pattern); // made by regex_from_similar()
    }
    int number;
    PCRE2_SIZE offset;
    regex->code =
        pcre2_compile((PCRE2_SPTR)text.ptr, text.size, options, &number, &offset, cache->compile);
    strbuf_release(&text);
    if (regex->code != NULL) {
        (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); // interpreted where it cannot
        regex->data = pcre2_match_data_create_from_pattern(regex->code, NULL);
        (void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &regex->groups);
    }
}

struct regex *regex_cached(struct regex_cache *cache, struct str pattern, enum regex_form form)
{
    struct regex *last = cache->last;
    if (last != NULL && last->form == form && str_equal(last->pattern, pattern)) {
        return last->code == NULL ? NULL : last;
    }
    uint64_t hash = hash_bytes(pattern.ptr, pattern.size, (uint64_t)form);
    struct regex *regex = &cache->entries[hash % CACHE_SIZE];
    if (!regex->is_used || regex->form != form || !str_equal(regex->pattern, pattern)) {
        drop(regex);
        compile(cache, regex, pattern, form);
    }
    cache->last = regex;
    return regex->code == NULL ? NULL : regex;
}

uint32_t regex_groups(const struct regex *regex)
{
    return regex->groups;
}

// ASCII is UTF-8, and this is quicker than PCRE's check.
static bool is_ascii(struct str text)
{
    size_t at = 0;
    uint64_t all = 0;
    for (; at + 8 <= text.size; at += 8) {
        uint64_t word;
        memcpy(&word, text.ptr + at, sizeof word);
        all |= word;
    }
    for (; at < text.size; at++) {
        all |= (uint64_t)(unsigned char)text.ptr[at];
    }
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

enum status regex_find(struct regex *regex, struct str text, size_t from, struct regex_match *match,
                       struct err *err)
{
    match->found = false;
    if (from > text.size) {
        return STATUS_OK;
    }
    PCRE2_SPTR subject = (PCRE2_SPTR)(text.size > 0 ? text.ptr : "");
    // Checked to be UTF-8 once a text: later matches start behind the first.
    uint32_t options = from > 0 || is_ascii(text) ? PCRE2_NO_UTF_CHECK : 0;
    int result =
        pcre2_match(regex->code, subject, text.size, from, options, regex->data, regex->context);
    bool no_text = result <= PCRE2_ERROR_UTF8_ERR1 && result >= PCRE2_ERROR_UTF8_ERR21;
    if (result == PCRE2_ERROR_NOMATCH || no_text) {
        return STATUS_OK;
    }
    if (result < 0) {
        return ERR(err, STATUS_LIMIT,
                   "regular expression '%.*s': matching takes too long on this value",
                   STR_ARGS(str_slice(regex->pattern, 0,
                                      regex->pattern.size < 100 ? regex->pattern.size : 100)));
    }
    match->found = true;
    match->at = pcre2_get_ovector_pointer(regex->data);
    return STATUS_OK;
}

size_t regex_after(const struct regex_match *match, struct str text)
{
    size_t end = match->at[1];
    if (match->at[0] != end) {
        return end;
    }
    do {
        end++;
    } while (end < text.size && ((unsigned char)text.ptr[end] & 0xc0) == 0x80);
    return end;
}

static enum status bad_similar(struct str pattern, struct err *err)
{
    return ERR(err, STATUS_INVALID_DATA, "invalid regular expression '%.*s'", STR_ARGS(pattern));
}

// [[:ALPHA:]] inside of an enumeration; returns the end, or 0 where it is none.
static size_t similar_class(struct str pattern, size_t at, struct strbuf *out)
{
    static const char *const classes[][2] = {
        {"ALPHA", "[:alpha:]"},      {"UPPER", "[:upper:]"}, {"LOWER", "[:lower:]"},
        {"DIGIT", "[:digit:]"},      {"ALNUM", "[:alnum:]"}, {"SPACE", " "},
        {"WHITESPACE", "[:space:]"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t size = strlen(classes[i][0]);
        struct str name = str_slice(pattern, at + 2, at + 2 + size);
        if (at + size + 4 <= pattern.size && str_is_nocase(name, classes[i][0]) &&
            pattern.ptr[at + 2 + size] == ':' && pattern.ptr[at + 3 + size] == ']') {
            strbuf_add_text(out, classes[i][1]);
            return at + size + 4;
        }
    }
    return 0;
}

// [...]: returns the place behind it.
static enum status similar_enumeration(struct str pattern, size_t *at, struct strbuf *out,
                                       struct err *err)
{
    strbuf_add_byte(out, '[');
    for (size_t i = *at + 1; i < pattern.size;) {
        char c = pattern.ptr[i];
        if (c == ']') {
            strbuf_add_byte(out, ']');
            *at = i + 1;
            return STATUS_OK;
        }
        if (c == '[') {
            bool is_class = i + 1 < pattern.size && pattern.ptr[i + 1] == ':';
            i = is_class ? similar_class(pattern, i, out) : 0;
            if (i == 0) {
                return bad_similar(pattern, err);
            }
            continue;
        }
        if (c == '\\') {
            strbuf_add_byte(out, '\\');
        }
        strbuf_add_byte(out, c);
        i++;
    }
    return bad_similar(pattern, err);
}

// What stands behind the escape character stands for itself, and must be special.
static enum status similar_escape(struct str pattern, size_t at, struct str escape,
                                  struct strbuf *out, struct err *err)
{
    char next = at + 1 < pattern.size ? pattern.ptr[at + 1] : 0;
    if (next == 0 || (strchr("_%|*+?{}()[]^-", next) == NULL && next != escape.ptr[0])) {
        return ERR(err, STATUS_INVALID_DATA, "invalid escape sequence '%.*s', %zu",
                   STR_ARGS(pattern), at);
    }
    strbuf_add_byte(out, '\\');
    strbuf_add_byte(out, next);
    return STATUS_OK;
}

static enum status similar(struct str pattern, struct str escape, struct strbuf *out,
                           struct err *err)
{
    for (size_t at = 0; at < pattern.size;) {
        char c = pattern.ptr[at];
        if (escape.size == 1 && c == escape.ptr[0]) {
            TRY(similar_escape(pattern, at, escape, out, err));
            at += 2;
            continue;
        }
        if (c == '[') {
            TRY(similar_enumeration(pattern, &at, out, err));
            continue;
        }
        if (c == ']') {
            return bad_similar(pattern, err);
        }
        if (c == '%') {
            strbuf_add_text(out, "(?s:.*)");
        } else if (c == '_') {
            strbuf_add_byte(out, '.');
        } else {
            if (c == '\\' || c == '$') {
                strbuf_add_byte(out, '\\');
            }
            strbuf_add_byte(out, c);
        }
        at++;
    }
    return STATUS_OK;
}

enum status regex_from_similar(struct arena *arena, struct str pattern, struct str escape,
                               struct str *out, struct err *err)
{
    if (escape.size > 1) {
        return ERR(err, STATUS_INVALID_DATA, "invalid escape character '%.*s'", STR_ARGS(escape));
    }
    struct strbuf text;
    strbuf_init(&text, (size_t)PATTERN_MAX * 8);
    enum status status = similar(pattern, escape, &text, err);
    if (status == STATUS_OK) {
        *out = arena_str(arena, strbuf_str(&text));
    }
    strbuf_release(&text);
    return status;
}
