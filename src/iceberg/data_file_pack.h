// SPDX-License-Identifier: Apache-2.0
//
// data_file_pack: data files as bytes and back, for committables in checkpoints. Any later run of
// the same build family reads them; they never leave the process's own files.
#pragma once

#include "base/err.h"
#include "iceberg/spec/data_file.h"

struct arena;
struct partition_spec;
struct strbuf;
struct table_metadata;

// Plain numbers and texts, little-endian, for whoever packs something around the files.
void data_file_pack_u64(struct strbuf *out, uint64_t value);
void data_file_pack_str(struct strbuf *out, struct str text); // ptr NULL is kept apart from ""

struct data_file_unpack {
    const char *at;
    const char *end;
};

MUST_USE enum status data_file_unpack_u64(struct data_file_unpack *in, uint64_t *out,
                                          struct err *err);
MUST_USE enum status data_file_unpack_str(struct data_file_unpack *in, struct str *out,
                                          struct err *err); // borrowed from the bytes
// A partition tuple.
void data_file_pack_tuple(struct strbuf *out, const struct partition_spec *spec,
                          const struct iceberg_value *tuple);
MUST_USE enum status data_file_unpack_tuple(struct data_file_unpack *in, struct arena *arena,
                                            const struct partition_spec *spec,
                                            const struct iceberg_value **out, struct err *err);

void data_file_pack(struct strbuf *out, const struct partition_spec *spec,
                    const struct data_file *file);
// Specs are looked up in `metadata`. Texts are borrowed from the bytes, arrays are in `arena`.
MUST_USE enum status data_file_unpack_file(struct data_file_unpack *in, struct arena *arena,
                                           const struct table_metadata *metadata,
                                           struct data_file *out, struct err *err);
