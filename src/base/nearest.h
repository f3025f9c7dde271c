// SPDX-License-Identifier: Apache-2.0
//
// nearest: "did you mean …?": of many names the one that is most like a name that is not there.
//
//     struct nearest nearest = nearest_to(name);
//     for (…) { nearest_try(&nearest, names[i]); }
//     nearest_hint(&nearest, err);
//
// A third of the letters may be wrong, and one more. Names are borrowed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct err;

struct nearest {
    struct str wanted;
    struct str best;   // empty: none is near
    uint32_t distance; // less than this is nearer
};

struct nearest nearest_to(struct str wanted);
void nearest_try(struct nearest *nearest, struct str name);
// "did you mean 'best'?", where there is one; whether there is.
bool nearest_hint(const struct nearest *nearest, struct err *err);
