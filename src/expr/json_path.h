// SPDX-License-Identifier: Apache-2.0
//
// json_path: paths into JSON, as Flink takes them: [lax | strict] and a JSONPath
//
//     $   .name   ['name']   ['a','b']   [0]   [-1]   [0,1]   [0:2]   [*]   .*   ..name
//     [?(@.price < 10 && @.kind == 'x')]   .length()
//
// Without a mode a path is strict. A path that can name several places gives an array of what it
// finds; one that names a single place gives that value or fails.
//
// A compiled path is immutable and lives in its arena: any thread.
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "expr/json_doc.h"

struct arena;
struct json_path;

// NULL: not a path.
const struct json_path *json_path_compile(struct arena *arena, struct str text);
bool json_path_is_lax(const struct json_path *path);

// False: there is nothing at the path. `out` is in `arena` or shared with `doc`.
bool json_path_read(struct arena *arena, const struct json_path *path, const struct json_doc *doc,
                    struct json_doc *out);
