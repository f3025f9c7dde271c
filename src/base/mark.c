// SPDX-License-Identifier: Apache-2.0
#include "base/mark.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKS_MAX = 128, NAME_MAX_SIZE = 96 };

struct counter {
    char name[NAME_MAX_SIZE];
    unsigned long passages;
};

bool mark_is_armed;

static struct counter counters[MARKS_MAX];
static unsigned counter_count;
static char kill_name[NAME_MAX_SIZE];
static unsigned long kill_at; // 0: never
static const char *report_path;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void report(bool killed)
{
    FILE *file = report_path == NULL ? NULL : fopen(report_path, "w");
    if (file == NULL) {
        return;
    }
    for (unsigned i = 0; i < counter_count; i++) {
        fprintf(file, "%s %lu\n", counters[i].name, counters[i].passages);
    }
    if (killed) {
        fprintf(file, "killed %s %lu\n", kill_name, kill_at);
    }
    fclose(file);
}

static void report_at_exit(void)
{
    pthread_mutex_lock(&lock);
    report(false);
    pthread_mutex_unlock(&lock);
}

bool mark_arm(void)
{
    const char *target = getenv("FRAZIL_KILL_AT");
    report_path = getenv("FRAZIL_MARKS");
    if (target != NULL && target[0] != '\0') {
        const char *colon = strrchr(target, ':');
        char *end = NULL;
        kill_at = colon == NULL ? 0 : strtoul(colon + 1, &end, 10);
        if (kill_at == 0 || *end != '\0' || (size_t)(colon - target) >= sizeof kill_name) {
            return false;
        }
        memcpy(kill_name, target, (size_t)(colon - target));
    }
    mark_is_armed = kill_at > 0 || report_path != NULL;
    if (report_path != NULL) {
        (void)atexit(report_at_exit);
    }
    return true;
}

static struct counter *find(const char *name)
{
    for (unsigned i = 0; i < counter_count; i++) {
        if (strcmp(counters[i].name, name) == 0) {
            return &counters[i];
        }
    }
    if (counter_count == MARKS_MAX) {
        return NULL;
    }
    struct counter *counter = &counters[counter_count++];
    (void)snprintf(counter->name, sizeof counter->name, "%s", name);
    return counter;
}

void mark_pass(const char *name)
{
    // Held while the process dies: no other thread gets past a step of its own meanwhile.
    pthread_mutex_lock(&lock);
    struct counter *counter = find(name);
    if (counter != NULL && ++counter->passages == kill_at && strcmp(name, kill_name) == 0) {
        report(true);
        (void)raise(SIGKILL);
    }
    pthread_mutex_unlock(&lock);
}

void mark_pass_file(const char *step, const char *path)
{
    char name[NAME_MAX_SIZE];
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(base, '.');
    (void)snprintf(name, sizeof name, "file.%s.%s", dot == NULL ? base : dot + 1, step);
    mark_pass(name);
}
