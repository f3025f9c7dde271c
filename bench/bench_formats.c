// SPDX-License-Identifier: Apache-2.0
//
// bench_formats: a file of CSV or Avro into columns, on one core, from memory.
//
//     bench_formats FILE [ROUNDS]
//
// Columns are those that infer.h finds. Prints rows, bytes and the best round's CPU seconds; a
// checksum over values shows that the work was done.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/byte_source.h"
#include "codec/avro_file.h"
#include "codec/csv_decode.h"
#include "codec/infer.h"
#include "data/batch.h"

struct bench {
    struct arena arena;
    struct byte_source_memory memory;
    struct str text;
    enum infer_format format;
    struct infer_found found;
    uint64_t rows;
    uint64_t sum;
};

static void check(enum status status, const struct err *err)
{
    if (status != STATUS_OK) {
        fprintf(stderr, "bench_formats: %s\n", err->text);
        exit(1);
    }
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void open_file(struct bench *bench, const char *path)
{
    struct infer_options options = {0};
    struct err err;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    char *bytes = arena_zalloc(&bench->arena, size + CSV_DECODE_PADDING + 1);
    rewind(file);
    if (fread(bytes, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    bench->text = str_make(bytes, size);
    byte_source_memory_init(&bench->memory, bench->text);
    if (!infer_format_find(str_from(path), bench->text, &options.format)) {
        fprintf(stderr, "bench_formats: %s is of no known format\n", path);
        exit(1);
    }
    struct byte_source *source = &bench->memory.source;
    check(infer_files(&bench->arena, &source, 1, &options, &bench->found, &err), &err);
    bench->format = options.format;
}

static void take(struct bench *bench, const struct column *columns, uint32_t count, uint32_t rows)
{
    bench->rows += rows;
    for (uint32_t i = 0; i < count; i++) {
        size_t width = physical_width(columns[i].physical);
        for (uint32_t row = 0; row < rows && width > 0; row += 64) {
            bench->sum += *(const uint8_t *)column_value(&columns[i], row);
        }
    }
}

static void decode_csv(struct bench *bench)
{
    const struct type *row = bench->found.type;
    const struct infer_csv *csv = &bench->found.csv;
    struct str text = bench->text;
    uint32_t *wanted = arena_new_array(&bench->arena, uint32_t, row->field_count);
    struct csv_decoder *decoder;
    struct err err;
    for (uint32_t i = 0; i < row->field_count; i++) {
        wanted[i] = i;
    }
    struct csv_decode_spec spec = {.fields = row->fields,
                                   .field_count = row->field_count,
                                   .wanted = wanted,
                                   .wanted_count = row->field_count,
                                   .delimiter = csv->delimiter,
                                   .quote = csv->quote,
                                   .escape = csv->escape,
                                   .element_delimiter = ';',
                                   .timestamp_form = bench->found.timestamp_form};
    check(csv_decode_new(&spec, &decoder, &err), &err);
    if (csv->header == INFER_HEADER_PRESENT) {
        text = str_slice(text, str_find(text, '\n') + 1, text.size);
    }
    while (text.size > 0) {
        size_t used;
        check(csv_decode_lines(decoder, text, true, BATCH_ROWS_MAX, &used, &err), &err);
        take(bench, csv_decode_columns(decoder), row->field_count, csv_decode_rows(decoder));
        text = str_slice(text, used, text.size);
    }
    csv_decode_free(decoder);
}

static void decode_avro(struct bench *bench)
{
    struct avro_file *file;
    struct batch batch;
    struct err err;
    enum status status;
    check(avro_file_open(&bench->memory.source, NULL, &file, &err), &err);
    while ((status = avro_file_next(file, &batch, &err)) == STATUS_OK) {
        take(bench, batch.columns, batch.column_count, batch.row_count);
    }
    check(status == STATUS_END ? STATUS_OK : status, &err);
    avro_file_free(file);
}

int main(int count, char **arguments)
{
    static struct bench bench;
    int64_t rounds = 3;
    double best = 1e9;
    if (count < 2 || (count > 2 && !str_to_i64(str_from(arguments[2]), &rounds))) {
        fprintf(stderr, "usage: bench_formats FILE [ROUNDS]\n");
        return 2;
    }
    open_file(&bench, arguments[1]);
    for (int64_t i = 0; i < rounds; i++) {
        bench.rows = 0;
        double begin = seconds_now();
        if (bench.format == INFER_AVRO) {
            decode_avro(&bench);
        } else if (bench.format == INFER_CSV) {
            decode_csv(&bench);
        } else {
            fprintf(stderr, "bench_formats: CSV and Avro only\n");
            return 2;
        }
        double took = seconds_now() - begin;
        best = took < best ? took : best;
    }
    printf("{\"rows\": %llu, \"bytes\": %zu, \"cpu_s\": %.6f, \"sum\": %llu}\n",
           (unsigned long long)bench.rows, bench.text.size, best, (unsigned long long)bench.sum);
    arena_release(&bench.arena);
    return 0;
}
