// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_env.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/assert.h"

static int64_t system_now_ms(struct table_env *env)
{
    struct timespec now;
    (void)env;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void system_random(struct table_env *env, void *out, size_t size)
{
    char *at = out;
    (void)env;
    while (size > 0) {
        ssize_t got = getrandom(at, size, 0);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        }
    }
}

static void system_sleep_ms(struct table_env *env, int64_t duration_ms)
{
    struct timespec left = {duration_ms / 1000, duration_ms % 1000 * 1000000};
    (void)env;
    while (nanosleep(&left, &left) != 0) {
    }
}

struct table_env *table_env_system(void)
{
    static struct table_env env = {
        .now_ms = system_now_ms, .random = system_random, .sleep_ms = system_sleep_ms};
    return &env;
}

static void print(const unsigned char bytes[16], char out[TABLE_ENV_UUID_TEXT + 1])
{
    static const char digits[] = "0123456789abcdef";
    char *to = out;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *to++ = '-';
        }
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
    *to = '\0';
}

void table_env_uuid(struct table_env *env, char out[TABLE_ENV_UUID_TEXT + 1])
{
    table_env_tagged_uuid(env, 0, out);
}

void table_env_tagged_uuid(struct table_env *env, uint64_t tag, char out[TABLE_ENV_UUID_TEXT + 1])
{
    unsigned char bytes[16];
    env->random(env, bytes, sizeof bytes);
    for (int i = 0; tag != 0 && i < 6; i++) {
        bytes[i] = (unsigned char)(tag >> (40 - 8 * i));
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | (tag != 0 ? 0x80 : 0x40));
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    print(bytes, out);
}

void table_env_tag_text(uint64_t tag, char out[14])
{
    snprintf(out, 14, "%08x-%04x", (uint32_t)(tag >> 16 & 0xffffffff), (uint32_t)(tag & 0xffff));
}

int64_t table_env_snapshot_id(struct table_env *env)
{
    uint64_t halves[2];
    int64_t id;
    do {
        env->random(env, halves, sizeof halves);
        id = (int64_t)((halves[0] ^ halves[1]) & INT64_MAX);
    } while (id == 0);
    return id;
}
