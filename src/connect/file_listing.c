// SPDX-License-Identifier: Apache-2.0
#include "connect/file_listing.h"

#include <glob.h>
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

static enum status listing_pattern(struct listing *listing, const char *pattern)
{
    glob_t matches = {0};
    int result = glob(pattern, GLOB_NOSORT, NULL, &matches);
    enum status status = STATUS_OK;
    if (result != 0 && result != GLOB_NOMATCH) {
        status = ERR(listing->err, STATUS_IO, "cannot match %s", pattern);
    }
    for (size_t i = 0; result == 0 && i < matches.gl_pathc && status == STATUS_OK; i++) {
        status = listing_path(listing, matches.gl_pathv[i]);
    }
    globfree(&matches);
    return status;
}

static int listing_compare(const void *a, const void *b)
{
    const struct file_listing_item *left = a;
    const struct file_listing_item *right = b;
    return str_compare(left->path, right->path);
}

// Without the scheme, absolute, without slashes at the end.
static enum status listing_absolute(struct listing *listing, struct str path, struct str *out)
{
    size_t colon = str_find(path, ':');
    if (str_starts(path, "file://")) {
        path = str_slice(path, 7, path.size);
    } else if (str_starts(path, "file:/")) {
        path = str_slice(path, 5, path.size);
    } else if (colon + 2 < path.size && path.ptr[colon + 1] == '/' && path.ptr[colon + 2] == '/') {
        ERR(listing->err, STATUS_UNSUPPORTED, "path '%.*s': only local files can be read",
            STR_ARGS(path));
        err_hint(listing->err, "a path, or file:///path");
        return STATUS_UNSUPPORTED;
    }
    if (path.size == 0 || path.ptr[0] != '/') {
        char directory[4096];
        if (getcwd(directory, sizeof directory) == NULL) {
            return ERR(listing->err, STATUS_IO, "the working directory has no path");
        }
        path = arena_printf(listing->arena, "%s/%.*s", directory, STR_ARGS(path));
    }
    while (path.size > 1 && path.ptr[path.size - 1] == '/') {
        path.size--;
    }
    *out = arena_str(listing->arena, path);
    return STATUS_OK;
}

enum status file_listing_read(struct arena *arena, struct str path, struct file_listing *out,
                              struct err *err)
{
    struct listing listing = {.arena = arena, .err = err};
    struct str absolute;
    struct file_info info;
    TRY(listing_absolute(&listing, path, &absolute));
    bool is_there = file_info(absolute.ptr, &info, NULL) == STATUS_OK;
    bool is_pattern = strpbrk(absolute.ptr, "*?[") != NULL && !is_there;
    enum status status =
        is_pattern ? listing_pattern(&listing, absolute.ptr) : listing_path(&listing, absolute.ptr);
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
