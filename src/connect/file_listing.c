// SPDX-License-Identifier: Apache-2.0
#include "connect/file_listing.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"

struct listing {
    struct arena *arena;
    struct err *err;
    VEC(struct file_listing_item) items;
};

enum { LISTING_DEPTH_MAX = 64 }; // of directories: links may run in circles

static enum status listing_add(struct listing *listing, struct str path,
                               const struct file_info *info)
{
    if (listing->items.count == FILE_LISTING_MAX) {
        return ERR(listing->err, STATUS_LIMIT, "more than %d files", FILE_LISTING_MAX);
    }
    struct file_listing_item item = {.path = arena_str(listing->arena, path), .info = *info};
    VEC_PUSH(&listing->items, item);
    return STATUS_OK;
}

static enum status listing_directory(struct listing *listing, const char *directory, uint32_t depth)
{
    struct file_entry *entries;
    size_t count;
    if (depth > LISTING_DEPTH_MAX) {
        return ERR(listing->err, STATUS_LIMIT, "directories nested more than %d deep: %s",
                   LISTING_DEPTH_MAX, directory);
    }
    TRY(file_list(directory, listing->arena, &entries, &count, listing->err));
    for (size_t i = 0; i < count; i++) {
        struct str name = entries[i].name;
        if (name.ptr[0] == '.' || name.ptr[0] == '_') {
            continue;
        }
        struct str path = arena_printf(listing->arena, "%s/%.*s", directory, STR_ARGS(name));
        if (entries[i].info.is_directory) {
            TRY(listing_directory(listing, path.ptr, depth + 1));
        } else {
            TRY(listing_add(listing, path, &entries[i].info));
        }
    }
    return STATUS_OK;
}

static enum status listing_path(struct listing *listing, const char *path)
{
    struct file_info info;
    TRY(file_info(path, &info, listing->err));
    if (info.is_directory) {
        return listing_directory(listing, path, 0);
    }
    return listing_add(listing, str_from(path), &info);
}

static enum status listing_match(struct listing *listing, const char *directory,
                                 const char *pattern, uint32_t depth);

// What the entry `name` of a directory leads to, where `rest` is left of the pattern.
static enum status listing_matched(struct listing *listing, const char *directory, struct str name,
                                   const char *rest, uint32_t depth)
{
    struct str path = arena_printf(listing->arena, "%s/%.*s", directory, STR_ARGS(name));
    struct file_info info;
    if (file_info(path.ptr, &info, NULL) != STATUS_OK) {
        return STATUS_OK;
    }
    if (rest[0] == '\0') {
        return info.is_directory ? listing_directory(listing, path.ptr, depth + 1)
                                 : listing_add(listing, path, &info);
    }
    return info.is_directory ? listing_match(listing, path.ptr, rest, depth + 1) : STATUS_OK;
}

// "**": the directory itself and all below it.
static enum status listing_match_deep(struct listing *listing, const char *directory,
                                      const char *pattern, const char *rest, uint32_t depth)
{
    struct file_entry *entries;
    size_t count;
    if (rest[0] == '\0') {
        return listing_directory(listing, directory, depth);
    }
    TRY(listing_match(listing, directory, rest, depth));
    TRY(file_list(directory, listing->arena, &entries, &count, listing->err));
    for (size_t i = 0; i < count; i++) {
        struct str name = entries[i].name;
        if (entries[i].info.is_directory && name.ptr[0] != '.' && name.ptr[0] != '_') {
            struct str path = arena_printf(listing->arena, "%s/%.*s", directory, STR_ARGS(name));
            TRY(listing_match(listing, path.ptr, pattern, depth + 1));
        }
    }
    return STATUS_OK;
}

// The files below `directory` that match `pattern`, whose parts are divided by slashes.
static enum status listing_match(struct listing *listing, const char *directory,
                                 const char *pattern, uint32_t depth)
{
    struct file_entry *entries;
    size_t count;
    if (depth > LISTING_DEPTH_MAX) {
        return ERR(listing->err, STATUS_LIMIT, "directories nested more than %d deep: %s",
                   LISTING_DEPTH_MAX, directory);
    }
    while (pattern[0] == '/') {
        pattern++;
    }
    const char *slash = strchrnul(pattern, '/');
    const char *rest = slash[0] == '\0' ? slash : slash + 1;
    struct str part = arena_str(listing->arena, str_make(pattern, (size_t)(slash - pattern)));
    if (str_is(part, "**")) {
        return listing_match_deep(listing, directory, pattern, rest, depth);
    }
    if (strpbrk(part.ptr, "*?[") == NULL) {
        return listing_matched(listing, directory, part, rest, depth);
    }
    TRY(file_list(directory[0] == '\0' ? "/" : directory, listing->arena, &entries, &count,
                  listing->err));
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(part.ptr, entries[i].name.ptr, FNM_PERIOD) == 0) {
            TRY(listing_matched(listing, directory, entries[i].name, rest, depth));
        }
    }
    return STATUS_OK;
}

static int listing_compare(const void *a, const void *b)
{
    const struct file_listing_item *left = a;
    const struct file_listing_item *right = b;
    return str_compare(left->path, right->path);
}

enum status file_listing_absolute(struct arena *arena, struct str path, struct str *out,
                                  struct err *err)
{
    size_t colon = str_find(path, ':');
    if (str_starts(path, "file://")) {
        path = str_slice(path, 7, path.size);
    } else if (str_starts(path, "file:/")) {
        path = str_slice(path, 5, path.size);
    } else if (colon + 2 < path.size && path.ptr[colon + 1] == '/' && path.ptr[colon + 2] == '/') {
        ERR(err, STATUS_UNSUPPORTED, "path '%.*s': only local files can be read", STR_ARGS(path));
        err_hint(err, "a path, or file:///path");
        return STATUS_UNSUPPORTED;
    }
    if (path.size == 0 || path.ptr[0] != '/') {
        char directory[4096];
        if (getcwd(directory, sizeof directory) == NULL) {
            return ERR(err, STATUS_IO, "the working directory has no path");
        }
        path = arena_printf(arena, "%s/%.*s", directory, STR_ARGS(path));
    }
    while (path.size > 1 && path.ptr[path.size - 1] == '/') {
        path.size--;
    }
    *out = arena_str(arena, path);
    return STATUS_OK;
}

bool file_listing_is_pattern(struct str path)
{
    return memchr(path.ptr, '*', path.size) != NULL || memchr(path.ptr, '?', path.size) != NULL ||
           memchr(path.ptr, '[', path.size) != NULL;
}

enum status file_listing_read(struct arena *arena, struct str path, struct file_listing *out,
                              struct err *err)
{
    struct listing listing = {.arena = arena, .err = err};
    struct str absolute;
    struct file_info info;
    TRY(file_listing_absolute(arena, path, &absolute, err));
    bool is_there = file_info(absolute.ptr, &info, NULL) == STATUS_OK;
    bool is_pattern = file_listing_is_pattern(absolute) && !is_there;
    enum status status = is_pattern ? listing_match(&listing, "", absolute.ptr, 0)
                                    : listing_path(&listing, absolute.ptr);
    if (status == STATUS_OK) {
        struct file_listing_item *items = arena_copy(
            arena, listing.items.items, listing.items.count * sizeof *listing.items.items);
        qsort(items, listing.items.count, sizeof *items, listing_compare);
        out->items = items;
        out->count = 0;
        for (uint32_t i = 0; i < listing.items.count; i++) {
            if (out->count == 0 || !str_equal(items[out->count - 1].path, items[i].path)) {
                items[out->count++] = items[i];
            }
        }
    }
    VEC_RELEASE(&listing.items);
    return status;
}
