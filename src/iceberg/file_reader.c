// SPDX-License-Identifier: Apache-2.0
#include "iceberg/file_reader.h"

enum status file_reader_open(const struct file_reader_options *options, struct file_reader **out,
                             struct err *err)
{
    *out = NULL;
    if (str_is_nocase(options->format, "parquet")) {
        return file_reader_parquet_open(options, out, err);
    }
    if (str_is_nocase(options->format, "avro")) {
        return file_reader_avro_open(options, out, err);
    }
    return ERR(err, STATUS_UNSUPPORTED, "%.*s: data files of format %.*s cannot be read yet",
               STR_ARGS(options->path), STR_ARGS(options->format));
}

void file_reader_free(struct file_reader *reader)
{
    if (reader != NULL) {
        reader->ops->free(reader);
    }
}

enum status file_reader_next(struct file_reader *reader, struct batch *out, struct err *err)
{
    return reader->ops->next(reader, out, err);
}

uint64_t file_reader_position(const struct file_reader *reader)
{
    return reader->ops->position(reader);
}

const uint64_t *file_reader_places(const struct file_reader *reader)
{
    return reader->ops->places != NULL ? reader->ops->places(reader) : NULL;
}

bool file_reader_is_missing(const struct file_reader *reader, uint32_t at)
{
    return reader->ops->is_missing(reader, at);
}

bool file_reader_has_field(const struct file_reader *reader, int32_t id)
{
    return reader->ops->has_field(reader, id);
}

struct parquet_reader_counters file_reader_counters(const struct file_reader *reader)
{
    return reader->ops->counters(reader);
}
