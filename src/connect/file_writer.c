// SPDX-License-Identifier: Apache-2.0
#include "connect/file_writer.h"

static const struct file_writer_class *const classes[] = {&file_writer_parquet, &file_writer_avro,
                                                          &file_writer_csv, &file_writer_json};

enum status file_writer_find(struct str format, const struct file_writer_class **out,
                             struct err *err)
{
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (str_is(format, classes[i]->format)) {
            *out = classes[i];
            return STATUS_OK;
        }
    }
    ERR(err, STATUS_UNSUPPORTED, "writing files of format '%.*s' is not supported yet",
        STR_ARGS(format));
    err_hint(err, "parquet, avro, csv and json can be written");
    return STATUS_UNSUPPORTED;
}
