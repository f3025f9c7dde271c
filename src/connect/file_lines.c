// SPDX-License-Identifier: Apache-2.0
#include "connect/file_lines.h"

#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "codec/compress.h"
#include "sys/file.h"

enum { FILE_LINES_INPUT = 256 << 10 }; // compressed bytes read at once

struct file_lines {
    struct file file;
    uint64_t file_at;               // what was read of the file itself
    uint64_t file_from;             // where reading began
    struct compress_stream *stream; // NULL: plain
    char *input;                    // compressed bytes, FILE_LINES_INPUT
    struct str rest;                // of them, not yet decompressed
    bool stream_ended;              // cleanly, with all of `rest` used
    char *buffer;
    size_t capacity; // without the padding
    size_t begin;    // what was used
    size_t end;
    size_t looked_at; // no line end before this place (from begin); for file_lines_more()
    bool at_end;      // nothing follows what is in the buffer
    uint64_t offset;  // of buffer[begin]
};

static enum status lines_read_input(struct file_lines *lines, struct err *err)
{
    uint64_t left = lines->file.size - lines->file_at;
    size_t size = left < FILE_LINES_INPUT ? (size_t)left : FILE_LINES_INPUT;
    TRY(file_read_at(&lines->file, lines->file_at, lines->input, size, err));
    lines->file_at += size;
    lines->rest = str_make(lines->input, size);
    return STATUS_OK;
}

// Decompresses up to `size` bytes; *got is 0 only at the end.
static enum status lines_inflate(struct file_lines *lines, char *out, size_t size, size_t *got,
                                 struct err *err)
{
    *got = 0;
    while (*got == 0) {
        if (lines->rest.size == 0) {
            if (lines->file_at == lines->file.size) {
                break;
            }
            TRY(lines_read_input(lines, err));
        }
        enum status status = compress_stream_read(lines->stream, &lines->rest, out, size, got, err);
        lines->stream_ended = status == STATUS_END;
        if (status != STATUS_OK && status != STATUS_END) {
            return status;
        }
    }
    // The last bytes may still be in the decompressor: ask until it has none.
    while (*got == 0 && !lines->stream_ended) {
        enum status status = compress_stream_read(lines->stream, &lines->rest, out, size, got, err);
        lines->stream_ended = status == STATUS_END;
        if (status != STATUS_OK && status != STATUS_END) {
            return status;
        }
        if (*got == 0 && !lines->stream_ended) {
            return ERR(err, STATUS_INVALID_DATA, "the compressed data ends too early");
        }
    }
    return STATUS_OK;
}

static enum status lines_read(struct file_lines *lines, char *out, size_t size, size_t *got,
                              struct err *err)
{
    if (lines->stream != NULL) {
        return lines_inflate(lines, out, size, got, err);
    }
    uint64_t left = lines->file.size - lines->file_at;
    *got = left < size ? (size_t)left : size;
    if (*got > 0) {
        TRY(file_read_at(&lines->file, lines->file_at, out, *got, err));
        lines->file_at += *got;
        file_read_ahead(&lines->file, lines->file_at, FILE_LINES_CHUNK);
    }
    return STATUS_OK;
}

// Passes over what was used before, by reading it where it is compressed.
static enum status lines_skip(struct file_lines *lines, uint64_t offset, struct err *err)
{
    if (lines->stream == NULL) {
        if (offset > lines->file.size) {
            return ERR(err, STATUS_INVALID_DATA,
                       "it has %llu bytes, and was read up to %llu before",
                       (unsigned long long)lines->file.size, (unsigned long long)offset);
        }
        lines->file_at = lines->file_from = offset;
        lines->offset = offset;
        return STATUS_OK;
    }
    while (lines->offset < offset) {
        uint64_t left = offset - lines->offset;
        size_t size = left < lines->capacity ? (size_t)left : lines->capacity;
        size_t got;
        TRY(lines_read(lines, lines->buffer, size, &got, err));
        if (got == 0) {
            return ERR(err, STATUS_INVALID_DATA,
                       "it has %llu bytes, and was read up to %llu before",
                       (unsigned long long)lines->offset, (unsigned long long)offset);
        }
        lines->offset += got;
    }
    return STATUS_OK;
}

// By the first bytes.
static enum status lines_codec(const struct file *file, enum compress_codec *out, struct err *err)
{
    char head[6] = {0};
    size_t size = file->size < sizeof head ? (size_t)file->size : sizeof head;
    TRY(file_read_at(file, 0, head, size, err));
    enum compress_codec codec = COMPRESS_NONE;
    if (memcmp(head, "\x1f\x8b", 2) == 0) {
        codec = COMPRESS_GZIP;
    } else if (memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0) {
        codec = COMPRESS_ZSTD;
    } else if (memcmp(head, "BZh", 3) == 0 || memcmp(head,
                                                     "\xfd"
                                                     "7zXZ",
                                                     5) == 0) {
        return ERR(err, STATUS_UNSUPPORTED,
                   "it is compressed with bzip2 or xz; plain, gzip and zstd files can be read");
    }
    *out = codec;
    return STATUS_OK;
}

static enum status lines_detect(struct file_lines *lines, struct err *err)
{
    enum compress_codec codec;
    TRY(lines_codec(&lines->file, &codec, err));
    if (codec != COMPRESS_NONE) {
        TRY(compress_stream_new(codec, &lines->stream, err));
        lines->input = mem_alloc(FILE_LINES_INPUT);
    }
    return STATUS_OK;
}

static enum status lines_fill(struct file_lines *lines, struct err *err);

static enum status lines_start(struct file_lines *lines, uint64_t offset, struct err *err)
{
    TRY(lines_detect(lines, err));
    TRY(lines_skip(lines, offset, err));
    if (offset > 0) {
        return STATUS_OK;
    }
    TRY(lines_fill(lines, err));
    if (lines->end >= 3 && memcmp(lines->buffer, "\xef\xbb\xbf", 3) == 0) {
        file_lines_use(lines, 3);
    }
    return STATUS_OK;
}

enum status file_lines_open(const char *path, uint64_t offset, struct file_lines **out,
                            struct err *err)
{
    struct file_lines *lines = mem_zalloc(sizeof *lines);
    lines->file.fd = -1;
    lines->capacity = FILE_LINES_CHUNK;
    lines->buffer = mem_zalloc(FILE_LINES_CHUNK + FILE_LINES_PADDING);
    enum status status = file_open(path, &lines->file, err);
    if (status == STATUS_OK) {
        status = lines_start(lines, offset, err);
        if (status != STATUS_OK) {
            err_context(err, "%s", path);
        }
    }
    if (status != STATUS_OK) {
        file_lines_close(lines);
        return status;
    }
    *out = lines;
    return STATUS_OK;
}

void file_lines_close(struct file_lines *lines)
{
    if (lines != NULL) {
        file_close(&lines->file);
        compress_stream_free(lines->stream);
        mem_free(lines->input);
        mem_free(lines->buffer);
        mem_free(lines);
    }
}

// Reads until the buffer is full or the file at its end. What was used makes room.
static enum status lines_fill(struct file_lines *lines, struct err *err)
{
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->capacity) {
        if (lines->capacity >= FILE_LINES_RECORD_MAX) {
            return ERR(err, STATUS_LIMIT, "at byte %llu, a record of more than %d bytes",
                       (unsigned long long)file_lines_offset(lines), FILE_LINES_RECORD_MAX);
        }
        lines->capacity *= 2;
        lines->buffer = mem_realloc(lines->buffer, lines->capacity + FILE_LINES_PADDING);
    }
    while (lines->end < lines->capacity && !lines->at_end) {
        size_t got;
        TRY(lines_read(lines, lines->buffer + lines->end, lines->capacity - lines->end, &got, err));
        lines->end += got;
        lines->at_end = got == 0;
    }
    if (lines->stream == NULL && lines->file_at == lines->file.size) {
        lines->at_end = true;
    }
    memset(lines->buffer + lines->end, 0, FILE_LINES_PADDING); // the sentinel
    return STATUS_OK;
}

// The size of the whole lines in the buffer, beyond what is known to be too little.
static size_t lines_whole(const struct file_lines *lines)
{
    const char *begin = lines->buffer + lines->begin;
    size_t size = lines->end - lines->begin;
    const char *last = memrchr(begin, '\n', size);
    size_t whole = last == NULL ? 0 : (size_t)(last + 1 - begin);
    return whole > lines->looked_at ? whole : 0;
}

enum status file_lines_get(struct file_lines *lines, struct str *bytes, bool *is_last,
                           struct err *err)
{
    for (;;) {
        size_t whole = lines_whole(lines);
        if (lines->at_end) {
            whole = lines->end - lines->begin;
            if (whole == 0) {
                return STATUS_END;
            }
        }
        // A remainder of a chunk would make a small batch: read on first.
        bool is_full = lines->begin == 0 && lines->end == lines->capacity;
        if (whole > 0 && (lines->at_end || is_full || whole >= FILE_LINES_CHUNK / 4)) {
            *bytes = str_make(lines->buffer + lines->begin, whole);
            *is_last = lines->at_end;
            return STATUS_OK;
        }
        TRY(lines_fill(lines, err));
    }
}

enum status file_lines_piece(struct file_lines *lines, struct str *bytes, bool *is_last,
                             struct err *err)
{
    for (;;) {
        size_t size = lines->end - lines->begin;
        bool is_enough = size > lines->looked_at && size >= FILE_LINES_CHUNK / 4;
        if (lines->at_end && size == 0) {
            return STATUS_END;
        }
        if (lines->at_end || is_enough) {
            *bytes = str_make(lines->buffer + lines->begin, size);
            *is_last = lines->at_end;
            return STATUS_OK;
        }
        TRY(lines_fill(lines, err));
    }
}

void file_lines_use(struct file_lines *lines, size_t used)
{
    ASSERT(used <= lines->end - lines->begin);
    lines->begin += used;
    lines->offset += used;
    lines->looked_at = 0;
}

void file_lines_more(struct file_lines *lines)
{
    lines->looked_at = lines->end - lines->begin;
}

uint64_t file_lines_offset(const struct file_lines *lines)
{
    return lines->offset;
}

uint64_t file_lines_bytes(const struct file_lines *lines)
{
    return lines->file_at - lines->file_from;
}

bool file_lines_is_plain(const char *path)
{
    struct file file = {.fd = -1};
    enum compress_codec codec = COMPRESS_GZIP;
    bool is_plain = file_open(path, &file, NULL) == STATUS_OK &&
                    lines_codec(&file, &codec, NULL) == STATUS_OK && codec == COMPRESS_NONE;
    file_close(&file);
    return is_plain;
}
