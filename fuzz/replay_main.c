// SPDX-License-Identifier: Apache-2.0
//
// replay_main: the main() of a fuzz target where there is no libFuzzer. Runs the target over every
// file it is given, and over every file of every directory, and says how many there were. A target
// that finds a fault aborts, so reaching the end is success.
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { REPLAY_FILE_MAX = 64 * 1024 * 1024, REPLAY_PATH_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replayed;

static int fail(const char *verb, const char *path)
{
    fprintf(stderr, "replay: cannot %s %s: %s\n", verb, path, strerror(errno));
    return 1;
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail("open", path);
    }
    // Exactly as large as the input, so that a sanitizer sees a read behind it.
    struct stat stat;
    uint8_t *data = NULL;
    size_t size = 0;
    int result = 0;
    if (fstat(fileno(file), &stat) != 0 || stat.st_size > REPLAY_FILE_MAX) {
        result = fail("measure", path);
    } else {
        size = (size_t)stat.st_size;
        data = malloc(size > 0 ? size : 1);
        if (data == NULL || fread(data, 1, size, file) != size) {
            result = fail("read", path);
        }
    }
    fclose(file);
    if (result == 0) {
        LLVMFuzzerTestOneInput(data, size);
        replayed++;
    }
    free(data);
    return result;
}

static int run_path(const char *path)
{
    struct stat stat_of;
    if (stat(path, &stat_of) != 0) {
        return fail("find", path);
    }
    if (!S_ISDIR(stat_of.st_mode)) {
        return run_file(path);
    }
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        return fail("list", path);
    }
    int result = 0;
    for (int i = 0; i < count; i++) {
        char name[REPLAY_PATH_MAX];
        int length = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && length > 0 && (size_t)length < sizeof name) {
            result |= run_path(name);
        }
        free(entries[i]);
    }
    free(entries);
    return result;
}

int main(int argc, char **argv)
{
    int result = argc < 2;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE-OR-DIRECTORY...\n", argv[0]);
    }
    for (int i = 1; i < argc; i++) {
        result |= run_path(argv[i]);
    }
    printf("%u inputs replayed\n", replayed);
    return result;
}
