// SPDX-License-Identifier: Apache-2.0
//
// What the verbs share: reading files, interrupts.
#include "main/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { FILE_MAX = 64 << 20 };

static volatile sig_atomic_t interrupts;
static volatile int64_t first_ms; // when the first one came; written by the handler alone

// Whoever forwards signals sends them twice: the second counts only when it is meant.
static void on_interrupt(int signal)
{
    (void)signal;
    enum { TWICE_MS = 500 };
    static const char text[] = "frazil: ended at once\n";
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (interrupts == 0) {
        interrupts = 1;
        first_ms = now_ms;
    } else if (now_ms - first_ms >= TWICE_MS) {
        ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
        (void)written;
        _exit(EXIT_INTERRUPTED);
    }
}

static void catch (int flags)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

void command_break_reads(bool breaks)
{
    catch (breaks ? 0 : SA_RESTART);
}

void command_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    catch (SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}

int command_interrupts(void)
{
    return interrupts;
}

bool command_is_interrupted(void)
{
    return interrupts > 0;
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
