// SPDX-License-Identifier: Apache-2.0
//
// What the verbs share: reading files, interrupts.
#include "main/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { FILE_MAX = 64 << 20 };

static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts = interrupts + 1;
    if (interrupts > 1) {
        _exit(EXIT_INTERRUPTED);
    }
}

void command_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

int command_interrupts(void)
{
    return interrupts;
}

void command_clear_interrupts(void)
{
    interrupts = 0;
}

bool command_read_file(const char *path, struct str *out)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "frazil: %s: %s\n", path, strerror(errno));
        return false;
    }
    struct strbuf text;
    strbuf_init(&text, FILE_MAX);
    char chunk[8192];
    size_t size;
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0) {
        strbuf_add(&text, str_make(chunk, size));
    }
    bool good = ferror(file) == 0 && !text.truncated;
    if (!good) {
        fprintf(stderr, "frazil: %s: %s\n", path,
                text.truncated ? "a script has at most 64 MiB" : strerror(errno));
        strbuf_release(&text);
    } else {
        *out = strbuf_str(&text); // its memory goes to the caller
    }
    if (file != stdin) {
        fclose(file);
    }
    return good;
}
