// SPDX-License-Identifier: Apache-2.0
//
// bench_json: JSON records into columns, bytes a second on one core.
//
//     bench_json [MIB [ROUNDS]]         decodes records made here (10 fields, about 234 bytes)
//     bench_json --write FILE [MIB]     writes the same records, for the other side of the
//     comparison (bench/json_compare.py)
//     bench_json --parts IN OUT      decodes a file, keeps the columns, then writes
//     them as Parquet (zstd 1): prints the CPU seconds of each of the two (bench/kafka.py)
//
// All ten columns are decoded, with a DECIMAL, a DOUBLE and two timestamps, and UTF-8 is checked.
// Prints the rate of each round and the best; a checksum over the values shows that the work was
// done.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/byte_sink.h"
#include "base/mem.h"
#include "base/vec.h"
#include "codec/compress.h"
#include "codec/json_decode.h"
#include "codec/parquet_writer.h"
#include "data/batch.h"

static uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = *state;
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static int record_write(char *out, size_t size, uint64_t number, uint64_t *seed)
{
    static const char *const countries[] = {"DE", "FR", "United Kingdom", "IT", "Switzerland"};
    static const char *const agents[] = {"Mozilla/5.0 (X11; Linux x86_64)", "curl/7.88.1",
                                         "Mozilla/5.0 (iPhone; CPU)"};
    uint64_t random = random_next(seed);
    uint64_t second = number / 1000 % 86400;
    return snprintf(
        out, size,
        "{\"id\":%llu,\"user_id\":%llu,\"url\":\"https://shop.example.com/item/%llu\","
        "\"amount\":%llu.%02llu,\"lat\":%.6f,\"active\":%s,\"country\":\"%s\",\"agent\":\"%s\","
        "\"ts\":\"2024-03-05 %02llu:%02llu:%02llu.%03llu\",\"created\":\"2023-11-%02llu "
        "08:15:00Z\"}\n",
        (unsigned long long)number, (unsigned long long)(random % 5000000),
        (unsigned long long)(random >> 40), (unsigned long long)(random >> 20 & 0x3fff),
        (unsigned long long)(random % 100),
        (double)(random >> 11) * 180.0 / 9007199254740992.0 - 90.0,
        (random & 1) != 0 ? "true" : "false", countries[random % 5], agents[random % 3],
        (unsigned long long)(second / 3600), (unsigned long long)(second / 60 % 60),
        (unsigned long long)(second % 60), (unsigned long long)(number % 1000),
        (unsigned long long)(1 + random % 30));
}

static char *records_make(size_t bytes, size_t *size)
{
    char *text = mem_zalloc(bytes + 4096);
    uint64_t seed = 42;
    size_t at = 0;
    for (uint64_t i = 0; at < bytes; i++) {
        at += (size_t)record_write(text + at, 2048, i, &seed);
    }
    *size = at;
    return text;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t decode_all(struct json_decoder *decoder, struct str text, uint64_t *rows)
{
    uint64_t sum = 0;
    while (text.size > 0) {
        size_t used;
        struct err err;
        if (json_decode_lines(decoder, text, BATCH_ROWS_MAX, &used, &err) != STATUS_OK) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        const struct column *columns = json_decode_columns(decoder);
        uint32_t count = json_decode_rows(decoder);
        for (uint32_t i = 0; i < count; i++) {
            sum += (uint64_t) * (const int64_t *)column_value(&columns[3], i);
        }
        *rows += count;
        text = str_slice(text, used, text.size);
    }
    return sum;
}

static const struct type_field *record_fields(struct arena *arena)
{
    const struct type_field fields[] = {
        {.name = STR_LIT("id"), .type = &type_bigint},
        {.name = STR_LIT("user_id"), .type = &type_bigint},
        {.name = STR_LIT("url"), .type = &type_string},
        {.name = STR_LIT("amount"), .type = type_decimal(arena, 10, 2, true)},
        {.name = STR_LIT("lat"), .type = &type_double},
        {.name = STR_LIT("active"), .type = &type_boolean},
        {.name = STR_LIT("country"), .type = &type_string},
        {.name = STR_LIT("agent"), .type = &type_string},
        {.name = STR_LIT("ts"), .type = &type_timestamp3},
        {.name = STR_LIT("created"), .type = &type_timestamp_ltz3},
    };
    return arena_copy(arena, fields, sizeof fields);
}

static struct json_decoder *decoder_make(struct arena *arena)
{
    struct json_decode_spec spec = {
        .fields = record_fields(arena), .field_count = 10, .option_prefix = STR_LIT("json.")};
    struct json_decoder *decoder;
    struct err err;
    if (json_decode_new(&spec, &decoder, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return decoder;
}

static int file_write(const char *path, size_t mib)
{
    size_t size;
    char *text = records_make(mib << 20, &size);
    FILE *file = fopen(path, "w");
    bool good = file != NULL && fwrite(text, 1, size, file) == size;
    good = file != NULL && fclose(file) == 0 && good;
    mem_free(text);
    return good ? 0 : 1;
}

// --- decode, then encode ------------------------------------------------------------------------

static void check(enum status status, const struct err *err)
{
    if (status != STATUS_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

struct kept {
    VEC(struct batch *) batches;
    uint64_t rows;
};

static double decode_kept(struct json_decoder *decoder, struct str text, struct kept *kept)
{
    double took = 0;
    struct err err;
    while (text.size > 0) {
        size_t used;
        double begin = seconds_now();
        check(json_decode_lines(decoder, text, BATCH_ROWS_MAX, &used, &err), &err);
        took += seconds_now() - begin;
        struct batch batch = {.row_count = json_decode_rows(decoder),
                              .column_count = 10,
                              .columns = (struct column *)(uintptr_t)json_decode_columns(decoder)};
        VEC_PUSH(&kept->batches, batch_settle(&batch, NULL));
        kept->rows += batch.row_count;
        text = str_slice(text, used, text.size);
    }
    return took;
}

struct stdio_sink {
    struct byte_sink sink;
    FILE *file;
};

static enum status stdio_write(struct byte_sink *self, const void *bytes, size_t size,
                               struct err *err)
{
    return fwrite(bytes, 1, size, ((struct stdio_sink *)self)->file) == size
               ? STATUS_OK
               : ERR(err, STATUS_IO, "cannot write");
}

static double encode_kept(struct arena *arena, const struct kept *kept, const char *path)
{
    static const struct byte_sink_ops ops = {.write = stdio_write};
    int32_t id = 1;
    struct err err;
    struct parquet_writer_options options = {
        .fields =
            parquet_schema_fields(arena, type_row(arena, record_fields(arena), 10, false), &id),
        .field_count = 10,
        .level = 1};
    struct stdio_sink sink = {.sink = {.ops = &ops}, .file = fopen(path, "w")};
    if (sink.file == NULL || !compress_find(STR_LIT("zstd"), &options.codec)) {
        exit(1);
    }
    double begin = seconds_now();
    struct parquet_encoder *encoder = parquet_encoder_new();
    struct parquet_writer *writer;
    check(parquet_writer_new(encoder, &options, &writer, &err), &err);
    for (uint32_t i = 0; i < kept->batches.count; i++) {
        check(parquet_writer_append(writer, kept->batches.items[i], &err), &err);
    }
    check(parquet_writer_close(writer, NULL, 0, &sink.sink, &err), &err);
    fclose(sink.file);
    double took = seconds_now() - begin;
    parquet_writer_free(writer);
    parquet_encoder_free(encoder);
    return took;
}

static int parts(const char *in, const char *out)
{
    struct arena arena;
    struct kept kept = {0};
    arena_init(&arena);
    FILE *file = fopen(in, "r");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return 1;
    }
    size_t size = (size_t)ftell(file);
    char *text = mem_zalloc(size + 4096);
    rewind(file);
    bool is_read = fread(text, 1, size, file) == size;
    fclose(file);
    struct json_decoder *decoder = decoder_make(&arena);
    double decode = is_read ? decode_kept(decoder, str_make(text, size), &kept) : 0;
    double encode = encode_kept(&arena, &kept, out);
    printf("{\"rows\":%llu,\"decode_cpu_s\":%.4f,\"encode_cpu_s\":%.4f}\n",
           (unsigned long long)kept.rows, decode, encode);
    for (uint32_t i = 0; i < kept.batches.count; i++) {
        batch_drop(kept.batches.items[i]);
    }
    VEC_RELEASE(&kept.batches);
    json_decode_free(decoder);
    arena_release(&arena);
    mem_free(text);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--parts") == 0) {
        return parts(argv[2], argv[3]);
    }
    if (argc > 2 && strcmp(argv[1], "--write") == 0) {
        return file_write(argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : 256);
    }
    size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
    struct arena arena;
    arena_init(&arena);
    size_t size;
    char *text = records_make(mib << 20, &size);
    struct json_decoder *decoder = decoder_make(&arena);
    double best = 0;
    for (int round = 0; round < rounds; round++) {
        uint64_t rows = 0;
        double begin = seconds_now();
        uint64_t sum = decode_all(decoder, str_make(text, size), &rows);
        double seconds = seconds_now() - begin;
        double rate = (double)size / seconds / 1e9;
        best = rate > best ? rate : best;
        printf("%.3f GB/s  %.2f M rows/s  %.1f ns/row  (%.0f bytes a row, checksum %llx)\n", rate,
               (double)rows / seconds / 1e6, seconds / (double)rows * 1e9,
               (double)size / (double)rows, (unsigned long long)sum);
    }
    printf("best %.3f GB/s\n", best);
    json_decode_free(decoder);
    arena_release(&arena);
    mem_free(text);
    return 0;
}
