// SPDX-License-Identifier: Apache-2.0
//
// fixture_testing: files of other writers, for tests. Where there are no fixtures the test is
// skipped; where there are, one that is missing is a failure. Test programs only; cmocka.h before.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytebuf.h"

static inline struct bytebuf fixture_read(const char *name)
{
    const char *given = getenv("FRAZIL_FIXTURES");
    const char *home = given != NULL ? given : FRAZIL_SOURCE_DIR "/../shared/fixtures";
    char path[1200];
    struct bytebuf out = {0};
    if (access(home, F_OK) != 0) {
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", home, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("no fixture %s", path);
        return out;
    }
    for (size_t got = 1; got > 0; out.size += got) {
        got = fread(bytebuf_reserve(&out, 4096), 1, 4096, file);
    }
    fclose(file);
    return out;
}
