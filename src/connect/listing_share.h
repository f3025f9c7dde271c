// SPDX-License-Identifier: Apache-2.0
//
// listing_share: one listing of the files of a bounded scan for all of its instances. Each deals
// the files out by their number in it; two listings may differ (a file comes, grows or goes in
// between), and a file would be read twice, or by nobody.
//
//     TRY(listing_share_join(scan, parallelism, path, &share, &listing, err));
//     … listing->items …
//     listing_share_look_done(share);    // the listing is gone once all have looked
//     listing_share_leave(share);
//
// Instances of a scan know each other by the address of its plan node, which outlives them. Any
// thread: the listing is made under the lock of all shares, once a scan.
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "connect/file_listing.h"

struct listing_share;

MUST_USE enum status listing_share_join(const void *scan, uint32_t instances, struct str path,
                                        struct listing_share **out,
                                        const struct file_listing **listing, struct err *err);
void listing_share_look_done(struct listing_share *share);
void listing_share_leave(struct listing_share *share); // NULL is allowed
