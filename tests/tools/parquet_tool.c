// SPDX-License-Identifier: Apache-2.0
//
// parquet_tool: Parquet files through our reader and writer, for comparison with others
// (tests/peers/parquet_roundtrip.py).
//
//     parquet_tool dump FILE [key=value...]       rows as lines of JSON
//     parquet_tool copy FILE OUT [key=value...]   read and written again
//     parquet_tool variant METADATA VALUE         two files with the parts of a variant: as JSON
//
// Reading: source=map|read, batch=ROWS, where=ID:OP:VALUE or where=NAME:OP:VALUE (OP eq, ne, lt,
// le, gt, ge, null, notnull, starts; VALUE an integer, a float or a text), filter=1 (rows that do
// not match are left out), positions=1 (the row's place in front), counters=1, checksums=0|1.
// Writing: codec, level, page (1, 2), page_rows, page_bytes, dictionary (bytes, 0 none), group
// (bytes), seal=ROWS (segments taken and restored in between), compact=1, bloom=FPP (of all columns
// that have ids).
//
// JSON: numbers as they are, floats with 17 digits, NaN and infinities as strings, decimals
// unscaled, dates in days, times in ms, timestamps in us (or [s, ns]), text as strings, bytes in
// hexadecimal, lists as arrays, maps as arrays of pairs, rows as arrays.
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/byte_sink.h"
#include "base/byte_source.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/parquet_reader.h"
#include "codec/parquet_writer.h"
#include "data/batch.h"
#include "data/variant.h"

// ---- files ----

struct file_source {
    struct byte_source source;
    int fd;
    const char *map; // NULL: read
};

static enum status file_read_at(struct byte_source *self, uint64_t offset, size_t size, void *out,
                                struct err *err)
{
    struct file_source *file = (struct file_source *)self;
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(file->fd, (char *)out + done, size - done, (off_t)(offset + done));
        if (got <= 0) {
            return ERR(err, STATUS_IO, "cannot read %.*s", STR_ARGS(self->name));
        }
        done += (size_t)got;
    }
    return STATUS_OK;
}

static const char *file_borrow(struct byte_source *self, uint64_t offset, size_t size)
{
    struct file_source *file = (struct file_source *)self;
    (void)size;
    return file->map != NULL ? file->map + offset : NULL;
}

static const struct byte_source_ops file_ops = {.read_at = file_read_at, .borrow = file_borrow};

static enum status open_source(struct file_source *file, const char *path, bool map,
                               struct err *err)
{
    struct stat stat;
    *file = (struct file_source){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (file->fd < 0 || fstat(file->fd, &stat) != 0) {
        return ERR(err, STATUS_IO, "cannot open %s", path);
    }
    file->source = (struct byte_source){
        .ops = &file_ops, .size = (uint64_t)stat.st_size, .name = str_from(path)};
    if (map && stat.st_size > 0) {
        void *at = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, file->fd, 0);
        file->map = at == MAP_FAILED ? NULL : at;
    }
    return STATUS_OK;
}

static void close_source(struct file_source *file)
{
    if (file->map != NULL) {
        munmap((void *)(uintptr_t)file->map, file->source.size);
    }
    if (file->fd >= 0) {
        close(file->fd);
    }
}

struct file_sink {
    struct byte_sink sink;
    FILE *file;
};

static enum status sink_write(struct byte_sink *self, const void *bytes, size_t size,
                              struct err *err)
{
    struct file_sink *sink = (struct file_sink *)self;
    return fwrite(bytes, 1, size, sink->file) == size ? STATUS_OK
                                                      : ERR(err, STATUS_IO, "cannot write");
}

static const struct byte_sink_ops sink_ops = {.write = sink_write};

// ---- options ----

struct options {
    struct parquet_reader_options reader;
    struct parquet_writer_options writer;
    bool map;
    bool counters;
    bool positions;
    uint64_t seal_rows;
    double bloom_fpp; // 0: none
    struct arena arena;
    struct predicate predicate;
    const char *where;
};

static const char *value_of(const char *argument, const char *key)
{
    size_t size = strlen(key);
    return strncmp(argument, key, size) == 0 && argument[size] == '=' ? argument + size + 1 : NULL;
}

static bool set_number(const char *argument, const char *key, uint64_t *out)
{
    const char *value = value_of(argument, key);
    if (value == NULL) {
        return false;
    }
    *out = strtoull(value, NULL, 10);
    return true;
}

static bool set_option(struct options *options, const char *argument)
{
    uint64_t number = 0;
    const char *text;
    if ((text = value_of(argument, "source")) != NULL) {
        options->map = strcmp(text, "map") == 0;
    } else if ((text = value_of(argument, "where")) != NULL) {
        options->where = text;
    } else if ((text = value_of(argument, "bloom")) != NULL) {
        options->bloom_fpp = strtod(text, NULL);
    } else if ((text = value_of(argument, "codec")) != NULL) {
        return compress_find(str_from(text), &options->writer.codec);
    } else if (set_number(argument, "batch", &number)) {
        options->reader.batch_rows = (uint32_t)number;
    } else if (set_number(argument, "filter", &number)) {
        options->reader.filter = number != 0;
    } else if (set_number(argument, "positions", &number)) {
        options->positions = number != 0;
    } else if (set_number(argument, "counters", &number)) {
        options->counters = number != 0;
    } else if (set_number(argument, "checksums", &number)) {
        options->reader.verify_checksums = number != 0;
    } else if (set_number(argument, "level", &number)) {
        options->writer.level = (int32_t)number;
    } else if (set_number(argument, "page", &number)) {
        options->writer.page_version = (uint32_t)number;
    } else if (set_number(argument, "page_rows", &number)) {
        options->writer.page_rows = (uint32_t)number;
    } else if (set_number(argument, "page_bytes", &number)) {
        options->writer.page_bytes = (uint32_t)number;
    } else if (set_number(argument, "dictionary", &number)) {
        options->writer.dictionary_bytes = number == 0 ? UINT32_MAX : (uint32_t)number;
    } else if (set_number(argument, "group", &number)) {
        options->writer.row_group_bytes = number;
    } else if (set_number(argument, "seal", &number)) {
        options->seal_rows = number;
    } else if (set_number(argument, "compact", &number)) {
        options->writer.encodings =
            number != 0 ? PARQUET_ENCODINGS_COMPACT : PARQUET_ENCODINGS_PLAIN;
    } else {
        return false;
    }
    return true;
}

static const struct parquet_field *find_field(const struct parquet_field *fields, uint32_t count,
                                              int32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct parquet_field *found =
            fields[i].id == id ? &fields[i]
                               : find_field(fields[i].children, fields[i].child_count, id);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static void set_constant(struct arena *arena, struct column *out, const char *text)
{
    void *value = arena_zalloc(arena, 16);
    int64_t number = strtoll(text, NULL, 10);
    float narrow = strtof(text, NULL);
    double wide = strtod(text, NULL);
    int128 decimal = number;
    if (out->physical == PHYSICAL_STRING) {
        struct strview view = strview_make(text, strlen(text));
        memcpy(value, &view, sizeof view);
    } else if (out->physical == PHYSICAL_F32) {
        memcpy(value, &narrow, sizeof narrow);
    } else if (out->physical == PHYSICAL_F64) {
        memcpy(value, &wide, sizeof wide);
    } else if (out->physical == PHYSICAL_I128) {
        memcpy(value, &decimal, sizeof decimal);
    } else {
        memcpy(value, &number, sizeof number);
    }
    out->values = value;
}

// All columns of the file, found by name, with the numbers from 1 on as ids.
static const struct parquet_field *number_fields(struct options *options,
                                                 const struct parquet_field *fields, uint32_t count)
{
    struct parquet_field *numbered =
        arena_copy(&options->arena, fields, (count + 1) * sizeof *fields);
    for (uint32_t i = 0; i < count; i++) {
        numbered[i].id = (int32_t)i + 1;
    }
    options->reader.fields = numbered;
    options->reader.field_count = count;
    options->reader.by_name = true;
    return numbered;
}

static enum status set_predicate(struct options *options, const struct parquet_file *file,
                                 struct err *err)
{
    static const struct {
        const char *name;
        enum predicate_op op;
    } ops[] = {{"eq", PREDICATE_EQ},
               {"lt", PREDICATE_LT},
               {"le", PREDICATE_LE},
               {"gt", PREDICATE_GT},
               {"ge", PREDICATE_GE},
               {"null", PREDICATE_IS_NULL},
               {"ne", PREDICATE_NE},
               {"starts", PREDICATE_STARTS_WITH},
               {"notnull", PREDICATE_IS_NOT_NULL}};
    uint32_t count;
    const struct parquet_field *fields = parquet_file_fields(file, &count);
    char *rest;
    int32_t id = (int32_t)strtol(options->where, &rest, 10);
    if (rest == options->where) { // a column's name
        fields = number_fields(options, fields, count);
        size_t name_size = strcspn(options->where, ":");
        for (uint32_t i = 0; i < count; i++) {
            id = str_equal(fields[i].name, str_make(options->where, name_size)) ? fields[i].id : id;
        }
        rest += name_size;
    }
    const struct parquet_field *field = find_field(fields, count, id);
    if (field == NULL || *rest != ':') {
        return ERR(err, STATUS_NOT_FOUND, "no field for %s", options->where);
    }
    const char *name = rest + 1;
    size_t size = strcspn(name, ":");
    struct predicate_term *term = arena_new(&options->arena, struct predicate_term);
    struct column *constant = arena_new(&options->arena, struct column);
    *constant = (struct column){.physical = type_physical(field->type), .row_count = 1};
    set_constant(&options->arena, constant, name[size] == ':' ? name + size + 1 : "");
    *term = (struct predicate_term){.column_id = id, .type = field->type, .constants = constant};
    for (uint32_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (strlen(ops[i].name) == size && strncmp(ops[i].name, name, size) == 0) {
            term->op = ops[i].op;
        }
    }
    options->predicate = (struct predicate){.term_count = 1, .terms = term};
    options->reader.predicate = &options->predicate;
    return STATUS_OK;
}

// ---- printing ----

static void print_text(struct str text, bool is_text)
{
    putchar('"');
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = (uint8_t)text.ptr[i];
        if (!is_text) {
            printf("%02x", byte);
        } else if (byte == '"' || byte == '\\' || byte < 0x20) {
            printf("\\u%04x", byte);
        } else {
            putchar(byte);
        }
    }
    putchar('"');
}

static void print_double(double value)
{
    if (isnan(value)) {
        printf("\"NaN\"");
    } else if (isinf(value)) {
        printf("\"%sInfinity\"", value < 0 ? "-" : "");
    } else {
        printf("%.17g", value);
    }
}

static void print_int128(int128 value)
{
    char digits[48];
    uint32_t at = sizeof digits;
    uint128 rest = value < 0 ? -(uint128)value : (uint128)value;
    do {
        digits[--at] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    printf("%s%.*s", value < 0 ? "-" : "", (int)(sizeof digits - at), digits + at);
}

static void print_value(const struct column *column, const struct parquet_field *field,
                        uint32_t row);

static void print_elements(const struct column *column, const struct parquet_field *field,
                           uint32_t row)
{
    const struct column *holder = column_holder(column);
    const struct list_view *view = column_value(column, row);
    putchar('[');
    for (uint32_t i = 0; i < view->length; i++) {
        fputs(i > 0 ? "," : "", stdout);
        if (column->physical == PHYSICAL_MAP) {
            putchar('[');
            print_value(&holder->children[0], &field->children[0], view->offset + i);
            putchar(',');
            print_value(&holder->children[1], &field->children[1], view->offset + i);
            putchar(']');
        } else {
            print_value(&holder->children[0], &field->children[0], view->offset + i);
        }
    }
    putchar(']');
}

static void print_fields(const struct column *column, const struct parquet_field *field,
                         uint32_t row)
{
    const struct column *holder = column_holder(column);
    putchar('[');
    for (uint32_t i = 0; i < holder->child_count; i++) {
        fputs(i > 0 ? "," : "", stdout);
        print_value(&holder->children[i], &field->children[i], column_at(column, row));
    }
    putchar(']');
}

static void print_value(const struct column *column, const struct parquet_field *field,
                        uint32_t row)
{
    if (column_is_null(column, row)) {
        fputs("null", stdout);
        return;
    }
    const void *value = column->physical == PHYSICAL_ROW ? NULL : column_value(column, row);
    switch (column->physical) {
    case PHYSICAL_BOOL: fputs(*(const uint8_t *)value != 0 ? "true" : "false", stdout); break;
    case PHYSICAL_I8: printf("%d", *(const int8_t *)value); break;
    case PHYSICAL_I16: printf("%d", *(const int16_t *)value); break;
    case PHYSICAL_I32: printf("%d", *(const int32_t *)value); break;
    case PHYSICAL_I64: printf("%" PRId64, *(const int64_t *)value); break;
    case PHYSICAL_I128: print_int128(*(const int128 *)value); break;
    case PHYSICAL_F32: print_double((double)*(const float *)value); break;
    case PHYSICAL_F64: print_double(*(const double *)value); break;
    case PHYSICAL_NANO: {
        const struct nano *nano = value;
        printf("[%" PRId64 ",%" PRId64 "]", nano->second, nano->nanosecond);
        break;
    }
    case PHYSICAL_STRING: print_text(strview_str(value), type_is_character(field->type)); break;
    case PHYSICAL_LIST:
    case PHYSICAL_MAP: print_elements(column, field, row); break;
    case PHYSICAL_ROW: print_fields(column, field, row); break;
    }
}

// ---- commands ----

static void print_counters(const struct parquet_reader *reader)
{
    struct parquet_reader_counters counters = parquet_reader_counters(reader);
    fprintf(stderr,
            "{\"bytes_read\":%" PRIu64 ",\"groups_read\":%" PRIu64 ",\"groups_pruned\":%" PRIu64
            ",\"pages_read\":%" PRIu64 ",\"pages_pruned\":%" PRIu64 ",\"rows_pruned\":%" PRIu64
            "}\n",
            counters.bytes_read, counters.row_groups_read, counters.row_groups_pruned,
            counters.pages_read, counters.pages_pruned, counters.rows_pruned);
}

static enum status dump(struct options *options, struct parquet_file *file,
                        struct parquet_reader *reader, struct err *err)
{
    uint32_t count;
    const struct parquet_field *fields = parquet_file_fields(file, &count);
    struct batch batch;
    enum status status;
    while ((status = parquet_reader_next(reader, &batch, err)) == STATUS_OK) {
        TRY(batch_check(&batch, err));
        for (uint32_t row = 0; row < batch.row_count; row++) {
            const uint64_t *places = parquet_reader_positions(reader);
            uint64_t first = parquet_reader_position(reader);
            putchar('[');
            if (options->positions) {
                printf("%" PRIu64 "%s", places != NULL ? places[row] : first + row,
                       count > 0 ? "," : "");
            }
            for (uint32_t i = 0; i < count; i++) {
                fputs(i > 0 ? "," : "", stdout);
                print_value(&batch.columns[i], &fields[i], row);
            }
            puts("]");
        }
    }
    if (options->counters) {
        print_counters(reader);
    }
    return status == STATUS_END ? STATUS_OK : status;
}

struct copy {
    struct options *options;
    struct parquet_encoder *encoder;
    struct parquet_writer *writer;
    VEC(struct byte_sink_memory) segments;
    VEC(struct byte_source_memory) sources;
    VEC(struct byte_source *) pointers;
    uint64_t sealed_rows;
};

static void point_at_segments(struct copy *copy)
{
    copy->sources.count = copy->pointers.count = 0;
    VEC_RESERVE(&copy->sources, copy->segments.count + 1);
    for (uint32_t i = 0; i < copy->segments.count; i++) {
        struct byte_source_memory source;
        byte_source_memory_init(&source, byte_sink_memory_bytes(&copy->segments.items[i]));
        VEC_PUSH(&copy->sources, source);
        VEC_PUSH(&copy->pointers, &copy->sources.items[i].source);
    }
}

// Seals, takes a segment, throws the writer away and restores it.
static enum status crash(struct copy *copy, struct err *err)
{
    uint64_t size;
    for (uint32_t i = 0; i < 2; i++) { // once for spilling, once sealed
        struct byte_sink_memory segment;
        byte_sink_memory_init(&segment, (size_t)1 << 31);
        if (i == 1) {
            TRY(parquet_writer_seal(copy->writer, copy->sealed_rows % 3 == 0, err));
        }
        TRY(parquet_writer_take(copy->writer, &segment.sink, &size, err));
        if (size > 0) {
            VEC_PUSH(&copy->segments, segment);
        }
    }
    point_at_segments(copy);
    parquet_writer_free(copy->writer);
    copy->writer = NULL;
    copy->sealed_rows++;
    return parquet_writer_restore(copy->encoder, &copy->options->writer, copy->pointers.items,
                                  copy->pointers.count, &copy->writer, err);
}

static enum status run_copy(struct copy *copy, struct parquet_reader *reader, const char *path,
                            struct err *err)
{
    struct batch batch;
    enum status status;
    uint64_t since = 0;
    TRY(parquet_writer_new(copy->encoder, &copy->options->writer, &copy->writer, err));
    while ((status = parquet_reader_next(reader, &batch, err)) == STATUS_OK) {
        TRY(batch_check(&batch, err));
        TRY(parquet_writer_append(copy->writer, &batch, err));
        since += batch.row_count;
        if (copy->options->seal_rows > 0 && since >= copy->options->seal_rows) {
            TRY(crash(copy, err));
            since = 0;
        }
    }
    if (status != STATUS_END) {
        return status;
    }
    struct file_sink sink = {.sink = {.ops = &sink_ops}, .file = fopen(path, "wb")};
    if (sink.file == NULL) {
        return ERR(err, STATUS_IO, "cannot write %s", path);
    }
    point_at_segments(copy);
    status = parquet_writer_close(copy->writer, copy->pointers.items, copy->pointers.count,
                                  &sink.sink, err);
    fclose(sink.file);
    return status;
}

static enum status copy_file(struct options *options, struct parquet_file *file,
                             struct parquet_reader *reader, const char *path, struct err *err)
{
    struct copy copy = {.options = options, .encoder = parquet_encoder_new()};
    options->writer.fields = parquet_file_fields(file, &options->writer.field_count);
    if (options->bloom_fpp > 0) {
        enum { ID_MAX = 1000 };
        struct parquet_bloom_options *blooms =
            arena_new_array(&options->arena, struct parquet_bloom_options, ID_MAX);
        for (int32_t i = 0; i < ID_MAX; i++) {
            blooms[i] = (struct parquet_bloom_options){i + 1, options->bloom_fpp, 1 << 20};
        }
        options->writer.blooms = blooms;
        options->writer.bloom_count = ID_MAX;
    }
    enum status status = run_copy(&copy, reader, path, err);
    parquet_writer_free(copy.writer);
    parquet_encoder_free(copy.encoder);
    for (uint32_t i = 0; i < copy.segments.count; i++) {
        byte_sink_memory_release(&copy.segments.items[i]);
    }
    VEC_RELEASE(&copy.segments);
    VEC_RELEASE(&copy.sources);
    VEC_RELEASE(&copy.pointers);
    return status;
}

static bool read_all(const char *path, struct strbuf *out)
{
    char piece[4096];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) {
        strbuf_add(out, str_make(piece, got));
    }
    return fclose(file) == 0;
}

static int print_variant(const char *metadata, const char *value)
{
    struct strbuf held;
    struct strbuf text;
    const char *what = "cannot be read";
    strbuf_init(&held, 1 << 24);
    strbuf_init(&text, 1 << 26);
    bool ok = read_all(metadata, &held) && read_all(value, &held) &&
              variant_check(strbuf_str(&held), &what) &&
              variant_json(&text, strbuf_str(&held), NULL);
    if (ok) {
        printf("%.*s\n", STR_ARGS(strbuf_str(&text)));
    } else {
        fprintf(stderr, "%s: %s\n", value, what);
    }
    strbuf_release(&held);
    strbuf_release(&text);
    return ok ? 0 : 1;
}

static enum status run(struct options *options, int count, char **arguments, struct err *err)
{
    bool is_copy = strcmp(arguments[1], "copy") == 0;
    struct file_source source;
    struct parquet_file *file = NULL;
    struct parquet_reader *reader = NULL;
    for (int i = is_copy ? 4 : 3; i < count; i++) {
        if (!set_option(options, arguments[i])) {
            return ERR(err, STATUS_NOT_FOUND, "unknown option %s", arguments[i]);
        }
    }
    enum status status = open_source(&source, arguments[2], options->map, err);
    if (status == STATUS_OK) {
        status = parquet_file_open(&source.source, NULL, &file, err);
    }
    if (status == STATUS_OK && options->where != NULL) {
        status = set_predicate(options, file, err);
    }
    if (status == STATUS_OK) {
        status = parquet_reader_new(file, &options->reader, &reader, err);
    }
    if (status == STATUS_OK) {
        status = is_copy ? copy_file(options, file, reader, arguments[3], err)
                         : dump(options, file, reader, err);
    }
    parquet_reader_free(reader);
    parquet_file_free(file);
    close_source(&source);
    return status;
}

int main(int count, char **arguments)
{
    if (count == 4 && strcmp(arguments[1], "variant") == 0) {
        return print_variant(arguments[2], arguments[3]);
    }
    if (count < 3 || (strcmp(arguments[1], "copy") == 0 && count < 4)) {
        fputs("usage: parquet_tool dump FILE | copy FILE OUT [key=value...]\n", stderr);
        return 2;
    }
    struct options options = {.reader = {.row_group_count = UINT32_MAX, .verify_checksums = true},
                              .writer = {.codec = COMPRESS_ZSTD, .level = 1}};
    struct err err = {.text = ""};
    arena_init(&options.arena);
    enum status status = run(&options, count, arguments, &err);
    arena_release(&options.arena);
    if (status != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", status_name(status), err.text);
    }
    return status == STATUS_OK ? 0 : 1;
}
