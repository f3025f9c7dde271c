// SPDX-License-Identifier: Apache-2.0
#include "sys/mailbox.h"

#include <string.h>

void mailbox_init(struct mailbox *mailbox, struct waker *waker)
{
    memset(mailbox, 0, sizeof *mailbox);
    pthread_mutex_init(&mailbox->lock, NULL);
    mailbox->waker = waker;
}

void mailbox_release(struct mailbox *mailbox)
{
    pthread_mutex_destroy(&mailbox->lock);
    VEC_RELEASE(&mailbox->messages);
}

void mailbox_send(struct mailbox *mailbox, struct message message)
{
    pthread_mutex_lock(&mailbox->lock);
    VEC_PUSH(&mailbox->messages, message);
    pthread_mutex_unlock(&mailbox->lock);
    waker_wake(mailbox->waker);
}

bool mailbox_take(struct mailbox *mailbox, struct message *out)
{
    pthread_mutex_lock(&mailbox->lock);
    bool found = mailbox->messages.count > 0;
    if (found) {
        *out = mailbox->messages.items[0];
        mailbox->messages.count--;
        memmove(mailbox->messages.items, mailbox->messages.items + 1,
                mailbox->messages.count * sizeof *out);
    }
    pthread_mutex_unlock(&mailbox->lock);
    return found;
}
