// SPDX-License-Identifier: Apache-2.0
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards the filling in of calls

static enum status open_locked(struct library *library, struct err *err)
{
    void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        return ERR(err, STATUS_UNSUPPORTED, "%s needs a library: %s", library->purpose, dlerror());
    }
    for (size_t i = 0; i < library->call_count; i++) {
        const struct library_call *call = &library->calls[i];
        void *address = dlsym(handle, call->name);
        if (address == NULL) {
            enum status status = ERR(err, STATUS_UNSUPPORTED, "%s needs another version of %s: %s",
                                     library->purpose, library->file, dlerror());
            (void)dlclose(handle);
            return status;
        }
        memcpy(call->function, &address, sizeof address);
    }
    atomic_store(&library->is_open, true);
    return STATUS_OK;
}

enum status library_open(struct library *library, struct err *err)
{
    if (atomic_load(&library->is_open)) {
        return STATUS_OK;
    }
    pthread_mutex_lock(&lock);
    enum status status = atomic_load(&library->is_open) ? STATUS_OK : open_locked(library, err);
    pthread_mutex_unlock(&lock);
    return status;
}
