// SPDX-License-Identifier: Apache-2.0
#include "expr/url.h"

#include <string.h>

#include "base/arena.h"

struct url {
    struct str protocol, authority, userinfo, host, path, query, ref, file;
    bool has_userinfo, has_query, has_ref;
};

// Those that Java opens by itself.
static bool is_protocol(struct str name)
{
    static const char *const protocols[] = {"http", "https", "ftp", "file", "jar", "mailto"};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        if (str_is_nocase(name, protocols[i])) {
            return true;
        }
    }
    return false;
}

static void parse_authority(struct url *url)
{
    struct str host = url->authority;
    for (size_t i = host.size; i > 0; i--) {
        if (host.ptr[i - 1] == '@') {
            url->userinfo = str_slice(host, 0, i - 1);
            url->has_userinfo = true;
            host = str_slice(host, i, host.size);
            break;
        }
    }
    size_t from = host.size > 0 && host.ptr[0] == '[' ? str_find(host, ']') : 0; // IPv6
    size_t end = from;
    while (end < host.size && host.ptr[end] != ':') {
        end++;
    }
    url->host = str_slice(host, 0, end);
}

static bool parse(struct str text, struct url *url)
{
    *url = (struct url){0};
    text = str_trim(text);
    size_t colon = str_find(text, ':');
    url->protocol = str_slice(text, 0, colon);
    if (colon == text.size || !is_protocol(url->protocol)) {
        return false;
    }
    struct str rest = str_slice(text, colon + 1, text.size);
    size_t hash = str_find(rest, '#');
    if (hash < rest.size) {
        url->ref = str_slice(rest, hash + 1, rest.size);
        url->has_ref = true;
        rest = str_slice(rest, 0, hash);
    }
    if (str_starts(rest, "//")) {
        size_t end = 2;
        while (end < rest.size && rest.ptr[end] != '/' && rest.ptr[end] != '?') {
            end++;
        }
        url->authority = str_slice(rest, 2, end);
        rest = str_slice(rest, end, rest.size);
        parse_authority(url);
    }
    url->file = rest;
    size_t mark = str_find(rest, '?');
    url->path = str_slice(rest, 0, mark);
    if (mark < rest.size) {
        url->query = str_slice(rest, mark + 1, rest.size);
        url->has_query = true;
    }
    return true;
}

static bool query_value(struct str query, struct str key, struct str *out)
{
    while (query.size > 0) {
        size_t end = str_find(query, '&');
        struct str pair = str_slice(query, 0, end);
        size_t equals = str_find(pair, '=');
        if (equals < pair.size && str_equal(str_slice(pair, 0, equals), key)) {
            *out = str_slice(pair, equals + 1, pair.size);
            return true;
        }
        query = str_slice(query, end < query.size ? end + 1 : end, query.size);
    }
    return false;
}

bool url_part(struct str text, struct str part, const struct str *key, struct str *out)
{
    struct url url;
    if (!parse(text, &url)) {
        return false;
    }
    if (key != NULL) {
        return str_is(part, "QUERY") && url.has_query && query_value(url.query, *key, out);
    }
    const struct {
        const char *name;
        struct str value;
        bool is_there;
    } parts[] = {
        {"HOST", url.host, true},
        {"PATH", url.path, true},
        {"QUERY", url.query, url.has_query},
        {"REF", url.ref, url.has_ref},
        {"PROTOCOL", url.protocol, true},
        {"FILE", url.file, true},
        {"AUTHORITY", url.authority, true},
        {"USERINFO", url.userinfo, url.has_userinfo},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (str_is(part, parts[i].name)) {
            *out = parts[i].value;
            return parts[i].is_there;
        }
    }
    return false;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("-_.*", c) != NULL);
}

struct str url_encode(struct arena *arena, struct str text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *out = arena_alloc(arena, text.size * 3 + 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.ptr[i];
        if (is_plain(c) || c == ' ') {
            out[size++] = c == ' ' ? '+' : c;
            continue;
        }
        out[size++] = '%';
        out[size++] = digits[(unsigned char)c >> 4];
        out[size++] = digits[(unsigned char)c & 15];
    }
    return str_make(out, size);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool url_decode(struct arena *arena, struct str text, struct str *bytes)
{
    char *out = arena_alloc(arena, text.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            int high = i + 2 < text.size ? hex_digit(text.ptr[i + 1]) : -1;
            int low = i + 2 < text.size ? hex_digit(text.ptr[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            out[size++] = (char)(high * 16 + low);
            i += 2;
        } else {
            out[size++] = c == '+' ? ' ' : c;
        }
    }
    *bytes = str_make(out, size);
    return true;
}
