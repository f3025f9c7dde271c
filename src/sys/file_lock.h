// SPDX-License-Identifier: Apache-2.0
//
// file_lock: one holder of a name, among all processes. The lock lives as long as the process or
// until it is released; a killed process leaves none behind.
#pragma once

#include "base/err.h"

struct file_lock {
    int fd; // -1: not held
};

// Makes the file where it is missing (its directory must exist). EXISTS: another process holds it;
// the text names its process id where it is known.
MUST_USE enum status file_lock_take(const char *path, struct file_lock *out, struct err *err);
void file_lock_release(struct file_lock *lock);
