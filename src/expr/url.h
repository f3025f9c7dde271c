// SPDX-License-Identifier: Apache-2.0
//
// url: taking URLs apart, as Flink's PARSE_URL and URL_ENCODE do with Java's classes.
#pragma once

#include <stdbool.h>

#include "base/str.h"

struct arena;

// `part`: HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY, USERINFO; `key` (may be NULL) names
// one value of QUERY. False: no URL, no such part. Borrowed from `url`.
bool url_part(struct str url, struct str part, const struct str *key, struct str *out);

// application/x-www-form-urlencoded
struct str url_encode(struct arena *arena, struct str text);
bool url_decode(struct arena *arena, struct str text, struct str *bytes); // false: %zz
