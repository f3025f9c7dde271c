// SPDX-License-Identifier: Apache-2.0
//
// manifest: a list of data or delete files in Avro (Iceberg spec, "Manifests"), read and written.
//
// Reading:
//     TRY(manifest_reader_open(bytes, &options, &reader, err));
//     while ((status = manifest_reader_next(reader, &entry, err)) == STATUS_OK) { ... }   // END
//     manifest_reader_free(reader);
// Columns are found by id. Snapshot id and sequence numbers are inherited from the list's row where
// an added entry has none; in v3 first row ids, too. An entry is valid until the next call.
//
// Writing, as Java's writer does (added: numbers left null, to be inherited at commit and again at
// each retry; existing and deleted: numbers explicit):
//     TRY(manifest_writer_new(&options, &writer, err));
//     TRY(manifest_writer_add(writer, &entry, err));
//     TRY(manifest_writer_finish(writer, arena, path, &bytes, &file, err));
//     manifest_writer_free(writer);
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "codec/avro_writer.h"
#include "iceberg/manifest_list.h"
#include "iceberg/spec/data_file.h"

struct arena;
struct avro_schema_cache;
struct manifest_reader;
struct manifest_writer;
struct partition_spec;
struct table_schema;

struct manifest_reader_options {
    const struct manifest_file *file;  // the row of the list
    const struct partition_spec *spec; // that of file->spec_id, bound; borrowed
    // Columns whose metrics are wanted; NULL: of all. With a count of 0 (and not NULL): none.
    const int32_t *metric_ids; // ascending
    uint32_t metric_id_count;
    bool with_deleted;               // also entries of status DELETED
    struct avro_schema_cache *cache; // NULL: none
};

MUST_USE enum status manifest_reader_open(struct str bytes,
                                          const struct manifest_reader_options *options,
                                          struct manifest_reader **out, struct err *err);
MUST_USE enum status manifest_reader_next(struct manifest_reader *reader,
                                          struct manifest_entry *out, struct err *err);
// The spec with the types that the file itself has where the source column is not known any more.
const struct partition_spec *manifest_reader_spec(const struct manifest_reader *reader);
void manifest_reader_free(struct manifest_reader *reader); // NULL is allowed

struct manifest_writer_options {
    int32_t format_version;
    const struct table_schema *schema; // into the header
    const struct partition_spec *spec; // bound; borrowed
    enum manifest_content content;
    int64_t snapshot_id; // of the commit that writes it
    uint8_t sync[16];
    enum avro_codec codec;
    int32_t level; // 0: the default
};

MUST_USE enum status manifest_writer_new(const struct manifest_writer_options *options,
                                         struct manifest_writer **out, struct err *err);
void manifest_writer_free(struct manifest_writer *writer); // NULL is allowed
MUST_USE enum status manifest_writer_add(struct manifest_writer *writer,
                                         const struct manifest_entry *entry, struct err *err);
uint64_t manifest_writer_size(const struct manifest_writer *writer); // so far, about
// The file's bytes (borrowed from the writer) and its row for the list, in `arena`; sequence
// numbers of new files are MANIFEST_NONE there.
MUST_USE enum status manifest_writer_finish(struct manifest_writer *writer, struct arena *arena,
                                            struct str path, struct str *bytes,
                                            struct manifest_file *file, struct err *err);
