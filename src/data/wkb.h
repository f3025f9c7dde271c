// SPDX-License-Identifier: Apache-2.0
//
// wkb: shapes as well-known binary (OGC 06-103r4, ISO 13249-3): points, lines, polygons, and
// collections of them, with Z, M or both.
#pragma once

#include <stdbool.h>

#include "base/str.h"

enum { WKB_DEPTH_MAX = 64 };

// Whether the bytes are one shape, whole, and nothing behind it. Coordinates are not looked at.
bool wkb_is_valid(struct str bytes);
