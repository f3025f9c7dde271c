// SPDX-License-Identifier: Apache-2.0
#include "codec/parquet_bloom.h"

#include <math.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/thrift.h"

enum { WORDS = PARQUET_BLOOM_BLOCK / 4, FILTER_BYTES_MAX = 128 << 20 };

static const uint32_t salts[WORDS] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                      0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

uint64_t parquet_bloom_hash(struct str plain)
{
    return XXH64(plain.ptr, plain.size, 0);
}

size_t parquet_bloom_block(size_t bytes, uint64_t hash)
{
    uint64_t blocks = bytes / PARQUET_BLOOM_BLOCK;
    return (size_t)((hash >> 32) * blocks >> 32) * PARQUET_BLOOM_BLOCK;
}

static uint32_t bit_of(uint64_t hash, uint32_t word)
{
    return UINT32_C(1) << ((uint32_t)hash * salts[word] >> 27);
}

void parquet_bloom_add(char *block, uint64_t hash)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t word;
        memcpy(&word, block + 4 * i, 4);
        word |= bit_of(hash, i);
        memcpy(block + 4 * i, &word, 4);
    }
}

bool parquet_bloom_has(const char *block, uint64_t hash)
{
    bool has = true;
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t word;
        memcpy(&word, block + 4 * i, 4);
        has &= (word & bit_of(hash, i)) != 0;
    }
    return has;
}

size_t parquet_bloom_size(uint64_t values, double fpp, size_t bytes_max)
{
    // m = -8 n / ln(1 - p^(1/8)) bits.
    double bits = -8.0 * (double)values / log(1 - pow(fpp, 1.0 / WORDS));
    size_t bytes = PARQUET_BLOOM_BLOCK;
    while (bytes * 2 <= bytes_max && (double)bytes * 8 < bits) {
        bytes *= 2;
    }
    return bytes;
}

// The rate at which a value that is not there finds all its bits set.
static double wrong_rate(const char *filter, size_t bytes)
{
    double sum = 0;
    for (size_t block = 0; block < bytes; block += PARQUET_BLOOM_BLOCK) {
        double rate = 1;
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t word;
            memcpy(&word, filter + block + 4 * i, 4);
            rate *= __builtin_popcount(word) / 32.0;
        }
        sum += rate;
    }
    return sum / ((double)bytes / PARQUET_BLOOM_BLOCK);
}

// Block i takes over blocks 2i and 2i + 1: what halving the number of blocks makes of a hash.
size_t parquet_bloom_fold(char *filter, size_t bytes, double fpp)
{
    struct bytebuf half = {0};
    while (bytes > PARQUET_BLOOM_BLOCK) {
        size_t size = bytes / 2;
        half.size = 0;
        char *out = bytebuf_reserve(&half, size);
        for (size_t at = 0; at < size; at += 4) {
            size_t from =
                at / PARQUET_BLOOM_BLOCK * 2 * PARQUET_BLOOM_BLOCK + at % PARQUET_BLOOM_BLOCK;
            uint32_t a;
            uint32_t b;
            memcpy(&a, filter + from, 4);
            memcpy(&b, filter + from + PARQUET_BLOOM_BLOCK, 4);
            a |= b;
            memcpy(out + at, &a, 4);
        }
        if (wrong_rate(out, size) > fpp) {
            break;
        }
        memcpy(filter, out, size);
        bytes = size;
    }
    bytebuf_release(&half);
    return bytes;
}

// A union whose one known member is the empty struct 1.
static bool is_first(struct thrift_reader *reader)
{
    bool first = false;
    struct thrift_struct at = thrift_struct_begin(reader);
    while (thrift_struct_next(reader, &at)) {
        first |= at.id == 1;
        thrift_skip(reader, &at);
    }
    return first;
}

enum status parquet_bloom_parse(struct str bytes, size_t *filter_bytes, size_t *header,
                                struct err *err)
{
    struct thrift_reader reader;
    int32_t size = 0;
    uint32_t known = 0;
    thrift_reader_init(&reader, bytes);
    struct thrift_struct at = thrift_struct_begin(&reader);
    while (thrift_struct_next(&reader, &at)) {
        if (at.id == 1) {
            size = thrift_i32(&reader, &at);
        } else if (at.id >= 2 && at.id <= 4 && thrift_is_struct(&reader, &at)) {
            known += is_first(&reader);
        } else {
            thrift_skip(&reader, &at);
        }
    }
    if (reader.failure != NULL || size < PARQUET_BLOOM_BLOCK || size > FILTER_BYTES_MAX ||
        size % PARQUET_BLOOM_BLOCK != 0) {
        return ERR(err, STATUS_INVALID_DATA, "a bloom filter's header is damaged");
    }
    if (known != 3) {
        return ERR(err, STATUS_UNSUPPORTED, "a bloom filter is of an unknown kind");
    }
    *filter_bytes = (size_t)size;
    *header = thrift_reader_used(&reader);
    return STATUS_OK;
}

void parquet_bloom_put_header(struct bytebuf *out, size_t filter_bytes)
{
    struct thrift_writer thrift = {.out = out};
    thrift_put_begin(&thrift);
    thrift_put_i32(&thrift, 1, (int32_t)filter_bytes);
    for (int16_t id = 2; id <= 4; id++) { // BLOCK, XXHASH, UNCOMPRESSED
        thrift_put_struct(&thrift, id);
        thrift_put_struct(&thrift, 1);
        thrift_put_end(&thrift);
        thrift_put_end(&thrift);
    }
    thrift_put_end(&thrift);
}
