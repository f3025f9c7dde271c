// SPDX-License-Identifier: Apache-2.0
#include "connect/file_hint.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "connect/file_listing.h"
#include "sys/file.h"

enum { HINT_NAMES = 5 };

size_t file_hint_working_directory(void)
{
    char directory[4096];
    return getcwd(directory, sizeof directory) == NULL ? 0 : strlen(directory) + 1;
}

static size_t last_slash(struct str path)
{
    size_t at = path.size;
    while (at > 0 && path.ptr[at - 1] != '/') {
        at--;
    }
    return at; // behind it
}

struct str file_hint_stem(struct arena *arena, struct str path)
{
    while (path.size > 1 && path.ptr[path.size - 1] == '/') {
        path.size--;
    }
    struct str name = str_slice(path, last_slash(path), path.size);
    size_t dot = str_find(name, '.');
    return arena_str(arena, dot > 0 ? str_slice(name, 0, dot) : name);
}

// The nearest of the names in a directory; empty: none is near.
static struct str nearest_name(const struct file_entry *entries, size_t count, struct str name)
{
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < count; i++) {
        nearest_try(&nearest, entries[i].name);
    }
    return nearest.best;
}

static void hint_names(const struct file_entry *entries, size_t count, struct str directory,
                       struct err *err)
{
    struct strbuf names;
    strbuf_init(&names, ERR_HINT_MAX);
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < HINT_NAMES; i++) {
        if (entries[i].name.ptr[0] != '.') {
            strbuf_printf(&names, "%s%.*s%s", shown++ == 0 ? "" : ", ", STR_ARGS(entries[i].name),
                          entries[i].info.is_directory ? "/" : "");
        }
    }
    struct str place = directory.size == 0 ? STR_LIT("the working directory") : directory;
    if (shown == 0) {
        err_hint(err, "%.*s is empty", STR_ARGS(place));
    } else {
        err_hint(err, "files in %.*s: %s%s", STR_ARGS(place), names.ptr,
                 shown < count ? ", …" : "");
    }
    strbuf_release(&names);
}

// The first directory of the path that is not there, or whatever the last part is.
static struct str first_missing(struct arena *arena, struct str absolute)
{
    for (size_t at = 1; at <= absolute.size; at++) {
        if (at < absolute.size && absolute.ptr[at] != '/') {
            continue;
        }
        struct str part = arena_str(arena, str_slice(absolute, 0, at));
        struct file_info info;
        if (file_info(part.ptr, &info, NULL) != STATUS_OK) {
            return part;
        }
    }
    return absolute;
}

enum status file_hint_missing(struct arena *arena, struct str path, struct str absolute,
                              struct err *err)
{
    struct file_info info;
    bool is_there = file_info(absolute.ptr, &info, NULL) == STATUS_OK;
    if (is_there) {
        return ERR(err, STATUS_NOT_FOUND, "there are no files in '%.*s'", STR_ARGS(path));
    }
    bool is_pattern = file_listing_is_pattern(path);
    ERR(err, STATUS_NOT_FOUND, is_pattern ? "no file matches '%.*s'" : "there is no file '%.*s'",
        STR_ARGS(path));
    struct str missing = first_missing(arena, absolute);
    struct str name = str_slice(missing, last_slash(missing), missing.size);
    struct str parent = arena_str(arena, str_slice(missing, 0, missing.size - name.size));
    struct file_entry *entries;
    size_t count;
    if (file_list(parent.ptr, arena, &entries, &count, NULL) != STATUS_OK) {
        return STATUS_NOT_FOUND;
    }
    // What was said up to the missing name.
    size_t behind = absolute.size - missing.size;
    struct str said = behind + name.size <= path.size
                          ? str_slice(path, 0, path.size - behind - name.size)
                          : parent;
    struct str nearest =
        file_listing_is_pattern(name) ? (struct str){0} : nearest_name(entries, count, name);
    if (nearest.size > 0) {
        err_hint(err, "did you mean '%.*s%.*s%.*s'?", STR_ARGS(said), STR_ARGS(nearest),
                 STR_ARGS(str_slice(absolute, missing.size, absolute.size)));
    } else {
        hint_names(entries, count, said, err);
    }
    return STATUS_NOT_FOUND;
}
