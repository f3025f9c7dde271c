// SPDX-License-Identifier: Apache-2.0
//
// bench_parquet: what the Parquet writer and reader do a second of CPU, for bench/parquet.py, which
// runs DuckDB beside it on the same rows.
//
//     bench_parquet write OUT ROWS CODEC LEVEL [plain|compact [REPEATS]]   nine columns of clicks
//     bench_parquet rewrite FILE OUT CODEC LEVEL [REPEATS]       rows of a file, in memory before
//     bench_parquet read FILE [NAME:BOUND]        all columns decoded and summed; rows of which the
//                                                 integer column NAME is below BOUND
//     bench_parquet unpack FILE                   all pages decompressed, and nothing else
//
// Prints one line of JSON. The rows are made from a fixed seed: ids that rise, times that rise with
// jitter, users by a skewed choice of a million, urls of 60,000, hosts of 300, amounts, two
// coordinates, a status.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/bytebuf.h"
#include "codec/parquet_footer.h"
#include "codec/parquet_format.h"
#include "codec/parquet_reader.h"
#include "codec/parquet_writer.h"
#include "data/batch.h"
#include "data/predicate.h"

enum { PAGE = 4096, COLUMNS = 9, URLS = 60000, HOSTS = 300, USERS = 1000000 };

static uint64_t random_next(uint64_t *seed)
{
    uint64_t mixed = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// ---- rows ----

struct words {
    struct strview urls[URLS];
    struct strview hosts[HOSTS];
};

static struct words *make_words(struct arena *arena)
{
    static const char *const sections[] = {"products", "search", "account", "blog", "static/img"};
    struct words *words = arena_new(arena, struct words);
    uint64_t seed = 7;
    for (uint32_t i = 0; i < HOSTS; i++) {
        struct str host = arena_printf(arena, "www.shop-%u.example.%s", i,
                                       i % 3 == 0   ? "com"
                                       : i % 3 == 1 ? "org"
                                                    : "net");
        words->hosts[i] = strview_make(host.ptr, host.size);
    }
    for (uint32_t i = 0; i < URLS; i++) {
        uint64_t word = random_next(&seed);
        struct str url = arena_printf(arena, "https://www.shop-%u.example/%s/%u?ref=%x",
                                      (uint32_t)(word % HOSTS), sections[word / HOSTS % 5],
                                      (uint32_t)(word >> 20 & 0xffff), (uint32_t)(word >> 40));
        words->urls[i] = strview_make(url.ptr, url.size);
    }
    return words;
}

static struct column make_column(struct arena *arena, enum physical physical, void **values)
{
    *values = arena_alloc64(arena, BATCH_ROWS_MAX * physical_width(physical));
    return (struct column){.physical = physical, .row_count = BATCH_ROWS_MAX, .values = *values};
}

static struct batch make_batch(struct arena *arena, const struct words *words, uint64_t first,
                               uint32_t rows, uint64_t *seed)
{
    struct column *columns = arena_new_array(arena, struct column, COLUMNS);
    static const enum physical forms[COLUMNS] = {PHYSICAL_I64,    PHYSICAL_I64,    PHYSICAL_I64,
                                                 PHYSICAL_STRING, PHYSICAL_STRING, PHYSICAL_I64,
                                                 PHYSICAL_F64,    PHYSICAL_F64,    PHYSICAL_I32};
    void *values[COLUMNS];
    for (uint32_t i = 0; i < COLUMNS; i++) {
        columns[i] = make_column(arena, forms[i], &values[i]);
        columns[i].row_count = rows;
    }
    uint64_t *valid = arena_new_array(arena, uint64_t, BATCH_WORDS_MAX);
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t a = random_next(seed);
        uint64_t b = random_next(seed);
        uint64_t c = random_next(seed);
        bool has_amount = c % 20 != 0;
        ((int64_t *)values[0])[i] = (int64_t)(first + i);
        ((int64_t *)values[1])[i] =
            INT64_C(1764547200000000) + (int64_t)(first + i) * 130 + (int64_t)(a % 50000);
        uint64_t u = a >> 20 & 0xfffff; // squared: few users make most of the clicks
        ((int64_t *)values[2])[i] = (int64_t)((u * u >> 20) * USERS >> 20);
        uint64_t v = b & 0xffff;
        // A copy, since a decoder's strings stand behind one another.
        struct str url = strview_str(&words->urls[(v * v >> 16) * URLS >> 16]);
        url.ptr = arena_copy(arena, url.ptr, url.size);
        ((struct strview *)values[3])[i] = strview_make(url.ptr, url.size);
        ((struct strview *)values[4])[i] = words->hosts[(b >> 16) % HOSTS];
        ((int64_t *)values[5])[i] = has_amount ? (int64_t)(c >> 10 & 0x3fff) * 5 + 99 : 0;
        valid[i / 64] |= (uint64_t)has_amount << (i % 64);
        ((double *)values[6])[i] = (double)(int64_t)(b >> 30 & 0xffffff) / 93206.7 - 90;
        ((double *)values[7])[i] = (double)(int64_t)(c >> 30 & 0xffffff) / 46603.4 - 180;
        ((int32_t *)values[8])[i] = (int32_t)(c % 97 == 0 ? 500 : c % 13 == 0 ? 404 : 200);
    }
    columns[5].valid = valid;
    return (struct batch){.row_count = rows, .column_count = COLUMNS, .columns = columns};
}

static const struct type *row_type(struct arena *arena)
{
    const struct type_field fields[COLUMNS] = {
        {.name = STR_LIT("id"), .type = &type_bigint},
        {.name = STR_LIT("ts"), .type = &type_timestamp_ltz6},
        {.name = STR_LIT("user_id"), .type = &type_bigint},
        {.name = STR_LIT("url"), .type = &type_string},
        {.name = STR_LIT("host"), .type = &type_string},
        {.name = STR_LIT("amount"), .type = type_decimal(arena, 10, 2, true)},
        {.name = STR_LIT("lat"), .type = &type_double},
        {.name = STR_LIT("lon"), .type = &type_double},
        {.name = STR_LIT("status"), .type = &type_int},
    };
    return type_row(arena, fields, COLUMNS, false);
}

// ---- writing ----

struct file_sink {
    struct byte_sink sink;
    int fd;
};

static enum status sink_write(struct byte_sink *self, const void *bytes, size_t size,
                              struct err *err)
{
    struct file_sink *sink = (struct file_sink *)self;
    return write(sink->fd, bytes, size) == (ssize_t)size ? STATUS_OK
                                                         : ERR(err, STATUS_IO, "cannot write");
}

static const struct byte_sink_ops sink_ops = {.write = sink_write};

static enum status write_rows(struct parquet_writer *writer, const struct batch *batches,
                              uint32_t count, const char *path, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        TRY(parquet_writer_append(writer, &batches[i], err));
    }
    struct file_sink sink = {.sink = {.ops = &sink_ops},
                             .fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)};
    if (sink.fd < 0) {
        return ERR(err, STATUS_IO, "cannot open %s", path);
    }
    enum status status = parquet_writer_close(writer, NULL, 0, &sink.sink, err);
    close(sink.fd);
    return status;
}

static enum status write_repeatedly(const struct parquet_writer_options *options,
                                    const struct batch *batches, uint32_t count, const char *path,
                                    uint32_t repeats, struct err *err)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < repeats && status == STATUS_OK; i++) {
        struct parquet_encoder *encoder = parquet_encoder_new();
        struct parquet_writer *writer = NULL;
        double start = cpu_seconds();
        status = parquet_writer_new(encoder, options, &writer, err);
        if (status == STATUS_OK) {
            status = write_rows(writer, batches, count, path, err);
        }
        double seconds = cpu_seconds() - start;
        if (status == STATUS_OK) {
            const struct parquet_writer_result *result = parquet_writer_result(writer);
            printf("{\"rows\":%" PRIu64 ",\"cpu_s\":%.4f,\"bytes\":%" PRIu64 "}\n",
                   result->row_count, seconds, result->file_bytes);
        }
        parquet_writer_free(writer);
        parquet_encoder_free(encoder);
    }
    return status;
}

static enum status bench_write(char **arguments, int count, struct err *err)
{
    struct arena arena;
    arena_init(&arena);
    uint64_t rows = strtoull(arguments[3], NULL, 10);
    uint64_t seed = 42;
    uint32_t batch_count = (uint32_t)((rows + BATCH_ROWS_MAX - 1) / BATCH_ROWS_MAX);
    struct batch *batches = arena_new_array(&arena, struct batch, batch_count + 1);
    const struct words *words = make_words(&arena);
    for (uint32_t i = 0; i < batch_count; i++) {
        uint64_t first = (uint64_t)i * BATCH_ROWS_MAX;
        uint64_t left = rows - first;
        batches[i] = make_batch(&arena, words, first,
                                left < BATCH_ROWS_MAX ? (uint32_t)left : BATCH_ROWS_MAX, &seed);
    }
    int32_t id = 1;
    struct parquet_writer_options options = {
        .fields = parquet_schema_fields(&arena, row_type(&arena), &id),
        .field_count = COLUMNS,
        .level = (int32_t)strtol(arguments[5], NULL, 10),
        .encodings = count > 6 && strcmp(arguments[6], "compact") == 0 ? PARQUET_ENCODINGS_COMPACT
                                                                       : PARQUET_ENCODINGS_PLAIN};
    if (!compress_find(str_from(arguments[4]), &options.codec)) {
        return ERR(err, STATUS_NOT_FOUND, "no codec %s", arguments[4]);
    }
    uint32_t repeats = count > 7 ? (uint32_t)strtoul(arguments[7], NULL, 10) : 1;
    enum status status =
        write_repeatedly(&options, batches, batch_count, arguments[2], repeats, err);
    arena_release(&arena);
    return status;
}

// ---- reading ----

struct mapped {
    struct byte_source source;
    const char *bytes;
};

static enum status mapped_read(struct byte_source *self, uint64_t offset, size_t size, void *out,
                               struct err *err)
{
    (void)err;
    memcpy(out, ((struct mapped *)self)->bytes + offset, size);
    return STATUS_OK;
}

static const char *mapped_borrow(struct byte_source *self, uint64_t offset, size_t size)
{
    (void)size;
    return ((struct mapped *)self)->bytes + offset;
}

// Maps what is read soon at once, instead of by a fault for each few pages.
static void mapped_prefetch(struct byte_source *self, const struct byte_range *ranges,
                            uint32_t count)
{
    const char *bytes = ((struct mapped *)self)->bytes;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = ranges[i].offset / PAGE * PAGE;
        size_t size = (size_t)(ranges[i].offset + ranges[i].size - from);
        madvise((char *)(uintptr_t)bytes + from, size, MADV_POPULATE_READ);
    }
}

static const struct byte_source_ops mapped_ops = {
    .read_at = mapped_read, .borrow = mapped_borrow, .prefetch = mapped_prefetch};

// What of a value goes into the sum: numbers themselves, lengths of texts, 1 for positive floats.
#define SUM(c_type, of)                                                                            \
    do {                                                                                           \
        const c_type *values = holder->values;                                                     \
        for (uint32_t i = 0; i < column->row_count; i++) {                                         \
            c_type value = values[column->encoding == ENCODING_DICT ? column->codes[i] : i];       \
            sum += (uint64_t)(of);                                                                 \
        }                                                                                          \
    } while (0)

// What bench/parquet.py asks DuckDB for. Nulls are zeros.
static uint64_t sum_column(const struct column *column)
{
    const struct column *holder = column_holder(column);
    uint64_t sum = 0;
    switch (column->physical) {
    case PHYSICAL_I64: SUM(int64_t, value); break;
    case PHYSICAL_I32: SUM(int32_t, value); break;
    case PHYSICAL_STRING: SUM(struct strview, value.size); break;
    case PHYSICAL_F64: SUM(double, value > 0 ? 1 : 0); break;
    case PHYSICAL_BOOL:
    case PHYSICAL_I8:
    case PHYSICAL_I16:
    case PHYSICAL_I128:
    case PHYSICAL_F32:
    case PHYSICAL_NANO:
    case PHYSICAL_LIST:
    case PHYSICAL_MAP:
    case PHYSICAL_ROW: sum += column->row_count; break;
    }
    return sum;
}

// NAME:BOUND as a filter; columns are found by name, since files of others have no ids.
static enum status set_filter(const struct parquet_file *file, const char *text,
                              struct arena *arena, struct parquet_reader_options *out,
                              struct err *err)
{
    const struct parquet_field *fields = parquet_file_fields(file, &out->field_count);
    struct parquet_field *numbered =
        arena_copy(arena, fields, (out->field_count + 1) * sizeof *fields);
    struct predicate_term *term = arena_new(arena, struct predicate_term);
    struct predicate *predicate = arena_new(arena, struct predicate);
    struct column *constant = arena_new(arena, struct column);
    int64_t *bound = arena_new(arena, int64_t);
    struct str name = str_make(text, strcspn(text, ":"));
    *bound = strtoll(text + name.size + 1, NULL, 10);
    for (uint32_t i = 0; i < out->field_count; i++) {
        numbered[i].id = (int32_t)i + 1;
        if (str_equal(numbered[i].name, name)) {
            term->column_id = numbered[i].id;
            term->type = numbered[i].type;
        }
    }
    if (term->type == NULL) {
        return ERR(err, STATUS_NOT_FOUND, "no column %s", text);
    }
    *constant =
        (struct column){.physical = type_physical(term->type), .row_count = 1, .values = bound};
    term->op = PREDICATE_LT;
    term->constants = constant;
    *predicate = (struct predicate){1, term};
    out->fields = numbered;
    out->by_name = true;
    out->predicate = predicate;
    out->filter = true;
    return STATUS_OK;
}

static enum status read_rows(struct mapped *mapped, const char *filter, uint64_t *rows,
                             uint64_t *sums, uint32_t *columns, struct err *err)
{
    struct parquet_file *file = NULL;
    struct parquet_reader *reader = NULL;
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX};
    struct arena arena;
    struct batch batch;
    arena_init(&arena);
    enum status status = parquet_file_open(&mapped->source, NULL, &file, err);
    if (status == STATUS_OK && filter != NULL) {
        status = set_filter(file, filter, &arena, &options, err);
    }
    if (status == STATUS_OK) {
        status = parquet_reader_new(file, &options, &reader, err);
    }
    while (status == STATUS_OK) {
        status = parquet_reader_next(reader, &batch, err);
        if (status == STATUS_OK) {
            *rows += batch.row_count;
            *columns = batch.column_count < 64 ? batch.column_count : 64;
            for (uint32_t i = 0; i < *columns; i++) {
                sums[i] += sum_column(&batch.columns[i]);
            }
        }
    }
    parquet_reader_free(reader);
    parquet_file_free(file);
    arena_release(&arena);
    return status == STATUS_END ? STATUS_OK : status;
}

// Decompresses the pages of a chunk into one and the same place.
static enum status unpack_chunk(struct compress *compress, const struct mapped *mapped,
                                const struct parquet_chunk_meta *chunk, struct bytebuf *out,
                                uint64_t *bytes, struct err *err)
{
    enum compress_codec codec;
    bool has_dictionary =
        chunk->dictionary_offset > 0 && chunk->dictionary_offset < chunk->data_offset;
    uint64_t at = (uint64_t)(has_dictionary ? chunk->dictionary_offset : chunk->data_offset);
    uint64_t end = at + (uint64_t)chunk->packed_bytes;
    if (!parquet_schema_codec_find(chunk->codec, &codec)) {
        return ERR(err, STATUS_UNSUPPORTED, "codec %d", chunk->codec);
    }
    while (at < end) {
        struct parquet_page_header header;
        TRY(parquet_footer_page(str_make(mapped->bytes + at, end - at), &header, err));
        at += header.size;
        size_t levels = header.type == PARQUET_DATA_V2
                            ? (size_t)header.def_bytes + (size_t)header.rep_bytes
                            : 0;
        size_t plain = (size_t)header.plain_bytes - levels;
        struct str body =
            str_make(mapped->bytes + at + levels, (size_t)header.packed_bytes - levels);
        out->size = 0;
        char *room = bytebuf_reserve(out, plain + 16);
        if (codec == COMPRESS_NONE || !header.is_compressed) {
            memcpy(room, body.ptr, body.size);
        } else if (plain > 0) {
            TRY(compress_unblock(compress, codec, body, room, plain, err));
        }
        *bytes += plain;
        at += (uint64_t)header.packed_bytes;
    }
    return STATUS_OK;
}

static enum status unpack_all(struct mapped *mapped, uint64_t *bytes, struct err *err)
{
    struct arena arena;
    struct parquet_footer footer;
    struct compress *compress = compress_new();
    struct bytebuf out = {0};
    uint32_t size;
    arena_init(&arena);
    memcpy(&size, mapped->bytes + mapped->source.size - 8, 4);
    struct str text = str_make(mapped->bytes + mapped->source.size - 8 - size, size);
    enum status status = parquet_footer_parse(&arena, text, &footer, err);
    for (uint32_t i = 0; status == STATUS_OK && i < footer.group_count; i++) {
        for (uint32_t j = 0; status == STATUS_OK && j < footer.groups[i].chunk_count; j++) {
            status = unpack_chunk(compress, mapped, &footer.groups[i].chunks[j], &out, bytes, err);
        }
    }
    bytebuf_release(&out);
    compress_free(compress);
    arena_release(&arena);
    return status;
}

static enum status map_file(const char *path, int flags, struct mapped *out, struct err *err)
{
    struct stat stat;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &stat) != 0) {
        return ERR(err, STATUS_IO, "cannot open %s", path);
    }
    void *at = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE | flags, fd, 0);
    close(fd);
    if (at == MAP_FAILED) {
        return ERR(err, STATUS_IO, "cannot map %s", path);
    }
    *out = (struct mapped){
        .source = {.ops = &mapped_ops, .size = (uint64_t)stat.st_size, .name = str_from(path)},
        .bytes = at};
    return STATUS_OK;
}

static void unmap_file(struct mapped *mapped)
{
    munmap((void *)(uintptr_t)mapped->bytes, (size_t)mapped->source.size);
}

static enum status bench_read(const char *path, const char *filter, bool unpack, struct err *err)
{
    struct mapped mapped;
    double start = cpu_seconds(); // reading the file counts, decompression alone does without
    TRY(map_file(path, unpack ? MAP_POPULATE : 0, &mapped, err));
    uint64_t rows = 0;
    uint64_t sums[64] = {0};
    uint32_t columns = 0;
    start = unpack ? cpu_seconds() : start;
    enum status status = unpack ? unpack_all(&mapped, &rows, err)
                                : read_rows(&mapped, filter, &rows, sums, &columns, err);
    double seconds = cpu_seconds() - start;
    unmap_file(&mapped);
    if (status == STATUS_OK) {
        printf("{\"rows\":%" PRIu64 ",\"cpu_s\":%.4f,\"sums\":[", rows, seconds);
        for (uint32_t i = 0; i < columns; i++) {
            printf("%s%" PRIu64, i > 0 ? "," : "", sums[i]);
        }
        puts("]}");
    }
    return status;
}

// ---- rewriting ----

static enum status load_rows(struct parquet_file *file, struct batch **heaps, struct batch *batches,
                             uint32_t most, uint32_t *count, struct err *err)
{
    struct parquet_reader *reader = NULL;
    struct parquet_reader_options options = {.row_group_count = UINT32_MAX};
    struct batch batch;
    TRY(parquet_reader_new(file, &options, &reader, err));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && *count < most) {
        status = parquet_reader_next(reader, &batch, err);
        if (status == STATUS_OK) {
            heaps[*count] = batch_settle(&batch, NULL);
            batches[*count] = *heaps[*count];
            ++*count;
        }
    }
    parquet_reader_free(reader);
    return status == STATUS_END ? STATUS_OK : status;
}

static enum status bench_rewrite(char **arguments, uint32_t repeats, struct err *err)
{
    struct mapped mapped;
    struct parquet_file *file = NULL;
    struct arena arena;
    TRY(map_file(arguments[2], 0, &mapped, err));
    struct parquet_writer_options options = {.level = (int32_t)strtol(arguments[5], NULL, 10)};
    enum status status = compress_find(str_from(arguments[4]), &options.codec)
                             ? parquet_file_open(&mapped.source, NULL, &file, err)
                             : ERR(err, STATUS_NOT_FOUND, "no codec %s", arguments[4]);
    arena_init(&arena);
    if (status == STATUS_OK) {
        uint32_t most = (uint32_t)(parquet_file_rows(file) / 64 + 1024); // batches may be small
        uint32_t count = 0;
        struct batch **heaps = arena_new_array(&arena, struct batch *, most);
        struct batch *batches = arena_new_array(&arena, struct batch, most);
        options.fields = parquet_file_fields(file, &options.field_count);
        status = load_rows(file, heaps, batches, most, &count, err);
        if (status == STATUS_OK) {
            status = write_repeatedly(&options, batches, count, arguments[3], repeats, err);
        }
        for (uint32_t i = 0; i < count; i++) {
            batch_drop(heaps[i]);
        }
    }
    parquet_file_free(file);
    arena_release(&arena);
    unmap_file(&mapped);
    return status;
}

int main(int count, char **arguments)
{
    struct err err = {.text = ""};
    enum status status = STATUS_NOT_FOUND;
    if (count >= 6 && strcmp(arguments[1], "write") == 0) {
        status = bench_write(arguments, count, &err);
    } else if (count >= 6 && strcmp(arguments[1], "rewrite") == 0) {
        uint32_t repeats = count > 6 ? (uint32_t)strtoul(arguments[6], NULL, 10) : 1;
        status = bench_rewrite(arguments, repeats, &err);
    } else if (count == 3 && strcmp(arguments[1], "unpack") == 0) {
        status = bench_read(arguments[2], NULL, true, &err);
    } else if ((count == 3 || count == 4) && strcmp(arguments[1], "read") == 0) {
        status = bench_read(arguments[2], count == 4 ? arguments[3] : NULL, false, &err);
    }
    if (status != STATUS_OK) {
        fprintf(stderr, "bench_parquet: %s\n", err.text);
    }
    return status == STATUS_OK ? 0 : 1;
}
