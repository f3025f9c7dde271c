// SPDX-License-Identifier: Apache-2.0
//
// avro_tool: what tests ask of the Avro code, from a shell.
//
//     avro_tool rows FILE [READER-SCHEMA]   its rows, a JSON object a line
//     avro_tool schema FILE                 whether the file holds a schema; its canonical form and
//                                           fingerprint
//     avro_tool copy FILE OUT CODEC         the container written again from its rows
//     avro_tool time FILE                   rows, and CPU seconds of decoding them
//
// Exit status 1 and a message where something is refused.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "codec/avro_encode.h"
#include "codec/avro_file.h"
#include "codec/avro_message.h"
#include "codec/json_tree.h"
#include "data/json_text.h"

enum { TEXT_MAX = 1 << 28 };

static int refuse(const struct err *err)
{
    fprintf(stderr, "avro_tool: %s\n", err->text);
    return 1;
}

static struct str read_file(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = arena_alloc(arena, size + 1);
    if (fread(bytes, 1, size, file) != size) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return str_make(bytes, size);
}

static void print_row(struct strbuf *out, const struct avro_column *columns,
                      const struct batch *batch, uint32_t row)
{
    strbuf_add_byte(out, '{');
    for (uint32_t i = 0; i < batch->column_count; i++) {
        strbuf_add_text(out, i > 0 ? "," : "");
        json_tree_quote(out, columns[i].name);
        strbuf_add_byte(out, ':');
        json_text_value(out, columns[i].type, &batch->columns[i], row, NULL);
    }
    strbuf_add_text(out, "}\n");
}

static enum status project(struct arena *arena, struct avro_file *file, const char *reader,
                           const struct avro_column **columns, struct err *err)
{
    uint32_t count;
    if (reader == NULL) {
        return avro_file_columns(file, columns, &count, err);
    }
    const struct avro_schema *schema;
    TRY(avro_schema_parse(arena, read_file(arena, reader), &schema, err));
    TRY(avro_columns_of_schema(arena, schema, columns, &count, err));
    return avro_file_project(file, *columns, count, false, err);
}

static int rows(struct arena *arena, const char *path, const char *reader, bool is_timed)
{
    struct byte_source_memory memory;
    struct avro_file *file;
    const struct avro_column *columns;
    struct batch batch;
    struct strbuf text;
    struct err err;
    uint64_t count = 0;
    byte_source_memory_init(&memory, read_file(arena, path));
    memory.source.name = str_from(path);
    clock_t begin = clock();
    if (avro_file_open(&memory.source, NULL, &file, &err) != STATUS_OK) {
        return refuse(&err);
    }
    enum status status = project(arena, file, reader, &columns, &err);
    strbuf_init(&text, TEXT_MAX);
    while (status == STATUS_OK && (status = avro_file_next(file, &batch, &err)) == STATUS_OK) {
        count += batch.row_count;
        status = batch_check(&batch, &err);
        for (uint32_t row = 0; !is_timed && status == STATUS_OK && row < batch.row_count; row++) {
            print_row(&text, columns, &batch, row);
        }
        fwrite(text.ptr, 1, text.size, stdout);
        strbuf_reset(&text);
    }
    if (is_timed) {
        printf("%llu %.6f\n", (unsigned long long)count,
               (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    strbuf_release(&text);
    avro_file_free(file);
    return status == STATUS_END ? 0 : refuse(&err);
}

// A container written again from its rows.
static int copy(struct arena *arena, const char *path, const char *out_path, const char *codec)
{
    struct byte_source_memory memory;
    struct byte_sink_memory sink;
    struct avro_file *file = NULL;
    struct avro_encoder *encoder = NULL;
    const struct avro_column *columns;
    uint32_t count;
    struct batch batch;
    struct err err;
    struct avro_encode_options options = {.sink = &sink.sink};
    byte_source_memory_init(&memory, read_file(arena, path));
    byte_sink_memory_init(&sink, SIZE_MAX);
    if (!avro_codec_find(str_from(codec), &options.codec)) {
        fprintf(stderr, "avro_tool: no codec %s\n", codec);
        return 2;
    }
    enum status status = avro_file_open(&memory.source, NULL, &file, &err);
    if (status == STATUS_OK) {
        status = avro_file_columns(file, &columns, &count, &err);
    }
    if (status == STATUS_OK) {
        options.columns = columns;
        options.column_count = count;
        status = avro_encoder_new(&options, &encoder, &err);
    }
    while (status == STATUS_OK && (status = avro_file_next(file, &batch, &err)) == STATUS_OK) {
        status = avro_encoder_append(encoder, &batch, &err);
    }
    if (status == STATUS_END) {
        status = avro_encoder_finish(encoder, &err);
    }
    FILE *out = status == STATUS_OK ? fopen(out_path, "wb") : NULL;
    if (out != NULL) {
        fwrite(sink.ptr, 1, sink.size, out);
        fclose(out);
    }
    avro_encoder_free(encoder);
    avro_file_free(file);
    byte_sink_memory_release(&sink);
    return status == STATUS_OK ? 0 : refuse(&err);
}

static int check_schema(struct arena *arena, const char *path)
{
    struct err err;
    const struct avro_schema *schema;
    struct strbuf text;
    if (avro_schema_parse(arena, read_file(arena, path), &schema, &err) != STATUS_OK) {
        return refuse(&err);
    }
    strbuf_init(&text, TEXT_MAX);
    avro_message_canonical(&text, schema);
    printf("%.*s\n%lld\n", STR_ARGS(strbuf_str(&text)),
           (long long)avro_message_fingerprint(schema));
    strbuf_release(&text);
    return 0;
}

int main(int count, char **arguments)
{
    struct arena arena = {0};
    int result = 2;
    const char *verb = count > 1 ? arguments[1] : "";
    if (count >= 3 && (strcmp(verb, "rows") == 0 || strcmp(verb, "time") == 0)) {
        result =
            rows(&arena, arguments[2], count > 3 ? arguments[3] : NULL, strcmp(verb, "time") == 0);
    } else if (count == 5 && strcmp(verb, "copy") == 0) {
        result = copy(&arena, arguments[2], arguments[3], arguments[4]);
    } else if (count == 3 && strcmp(verb, "schema") == 0) {
        result = check_schema(&arena, arguments[2]);
    } else {
        fprintf(stderr, "usage: avro_tool rows|time FILE [READER-SCHEMA] | schema FILE |"
                        " copy FILE OUT CODEC\n");
    }
    arena_release(&arena);
    return result;
}
