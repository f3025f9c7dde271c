// SPDX-License-Identifier: Apache-2.0
//
// compress_archive: bzip2 and xz, which Avro files may be packed with. Behind compress.h.
#pragma once

#include <stdbool.h>

#include "codec/compress.h"

size_t compress_archive_bound(enum compress_codec codec, size_t size);
// Into a room of that many bytes. False: the library refuses.
bool compress_archive_pack(enum compress_codec codec, int32_t level, struct str in, char *out,
                           size_t *out_size);
// False: damage, or more than fits.
bool compress_archive_unpack(enum compress_codec codec, struct str in, char *out, size_t out_size,
                             size_t *produced);
