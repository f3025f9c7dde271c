// SPDX-License-Identifier: Apache-2.0
#include "connect/listing_share.h"

#include <pthread.h>

#include "base/arena.h"
#include "base/mem.h"

struct listing_share {
    struct listing_share *next;
    const void *scan;
    uint32_t members;
    uint32_t looking; // instances that still have to look
    struct arena arena;
    struct file_listing listing;
};

// Guards the list and what is in it; listings do not change once they are made.
static pthread_mutex_t share_lock = PTHREAD_MUTEX_INITIALIZER;
static struct listing_share *shares;

static struct listing_share *share_find_locked(const void *scan)
{
    struct listing_share *share = shares;
    while (share != NULL && share->scan != scan) {
        share = share->next;
    }
    return share;
}

static void share_free_locked(struct listing_share *share)
{
    struct listing_share **at = &shares;
    while (*at != share) {
        at = &(*at)->next;
    }
    *at = share->next;
    arena_release(&share->arena);
    mem_free(share);
}

enum status listing_share_join(const void *scan, uint32_t instances, struct str path,
                               struct listing_share **out, const struct file_listing **listing,
                               struct err *err)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&share_lock);
    struct listing_share *share = share_find_locked(scan);
    if (share == NULL) {
        share = mem_zalloc(sizeof *share);
        share->scan = scan;
        share->looking = instances;
        share->next = shares;
        shares = share;
        arena_init(&share->arena);
        status = file_listing_read(&share->arena, path, &share->listing, err);
    }
    if (status == STATUS_OK) {
        share->members++;
        *out = share;
        *listing = &share->listing;
    } else {
        share_free_locked(share);
    }
    pthread_mutex_unlock(&share_lock);
    return status;
}

void listing_share_look_done(struct listing_share *share)
{
    pthread_mutex_lock(&share_lock);
    if (share->looking > 0 && --share->looking == 0) {
        arena_release(&share->arena);
        share->listing = (struct file_listing){0};
    }
    pthread_mutex_unlock(&share_lock);
}

void listing_share_leave(struct listing_share *share)
{
    if (share == NULL) {
        return;
    }
    pthread_mutex_lock(&share_lock);
    if (--share->members == 0) {
        share_free_locked(share);
    }
    pthread_mutex_unlock(&share_lock);
}
