// SPDX-License-Identifier: Apache-2.0
//
// file_settings: what the data files of a table are like: their format, codec, sizes, by the
// table's properties (write_properties.h lists them; defaults are Java's).
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "codec/avro_writer.h"
#include "codec/parquet_writer.h"

struct arena;
struct data_file_unpack;
struct strbuf;
struct table_metadata;

enum file_settings_format { FILE_SETTINGS_PARQUET, FILE_SETTINGS_AVRO };

struct file_settings {
    enum file_settings_format format;
    struct parquet_writer_options parquet; // of files of that format; no fields, no budget
    enum avro_codec avro_codec;
    int32_t avro_level;
};

// In `arena`. INVALID_DATA: a property has a value that it cannot have.
MUST_USE enum status file_settings_of(struct arena *arena, const struct table_metadata *metadata,
                                      struct file_settings *out, struct err *err);
// write.manifest.compression-codec, -level.
MUST_USE enum status file_settings_manifests(const struct table_metadata *metadata,
                                             enum avro_codec *codec, int32_t *level,
                                             struct err *err);

// What the bytes of a file depend on as bytes, for the states of data writers. What is not in them
// stays as it is in *out.
void file_settings_pack(struct strbuf *out, const struct file_settings *settings);
MUST_USE enum status file_settings_unpack(struct data_file_unpack *in, struct file_settings *out,
                                          struct err *err);
bool file_settings_same(const struct file_settings *a, const struct file_settings *b);
