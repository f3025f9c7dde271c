// SPDX-License-Identifier: Apache-2.0
//
// store_file: the store of the local disk, with the durability rules of sys/file.h.
//
// Relative paths are below `root` ("" or NULL: the working directory). "file:/x", "file:///x" and
// "file://localhost/x" mean /x. No percent decoding: Iceberg's Java client writes paths as they
// are, too.
#pragma once

#include "store/store.h"

struct store *store_file_new(const char *root);

// The path on disk that `path` means, without a "file:" scheme; borrowed from it.
struct str store_file_path(struct str path);
