// SPDX-License-Identifier: Apache-2.0
#include "exec/gate.h"

#include "base/assert.h"
#include "base/mem.h"

void gate_init(struct gate *gate, struct gate_channel *channels, uint32_t channel_count,
               uint32_t port_count)
{
    *gate = (struct gate){.channel_count = channel_count,
                          .channels = channels,
                          .port_count = port_count,
                          .watermark = WATERMARK_NONE};
    arena_init(&gate->scratch);
    gate->port_ended = mem_zalloc(port_count * sizeof *gate->port_ended);
    for (uint32_t i = 0; i < channel_count; i++) {
        channels[i].watermark = WATERMARK_NONE;
        channels[i].is_idle = channels[i].is_aligned = channels[i].is_ended = false;
    }
}

void gate_release(struct gate *gate)
{
    mem_free(gate->port_ended);
    arena_release(&gate->scratch);
    *gate = (struct gate){0};
}

void gate_restore(struct gate *gate, int64_t watermark)
{
    gate->watermark = watermark;
    gate->announce_watermark = watermark != WATERMARK_NONE;
}

// A channel from which no row can come any more.
static bool is_over(const struct gate_channel *channel)
{
    return channel->is_ended || channel->watermark == WATERMARK_END;
}

// The minimum over the channels that are not idle and not over; where all are idle, the maximum of
// what they reached: an idle input holds nobody back. `except` is left out. WATERMARK_END: all are
// over.
static int64_t merged_watermark(const struct gate *gate, uint32_t except, bool *all_idle)
{
    int64_t lowest = WATERMARK_END;
    int64_t highest = WATERMARK_NONE;
    bool any_active = false;
    bool any_open = false;
    for (uint32_t i = 0; i < gate->channel_count; i++) {
        const struct gate_channel *channel = &gate->channels[i];
        if (i == except || is_over(channel)) {
            continue;
        }
        any_open = true;
        highest = channel->watermark > highest ? channel->watermark : highest;
        if (!channel->is_idle) {
            any_active = true;
            lowest = channel->watermark < lowest ? channel->watermark : lowest;
        }
    }
    *all_idle = any_open && !any_active;
    return any_active || !any_open ? lowest : highest;
}

// Notes what changed; gate_next() hands it out.
static void refresh(struct gate *gate)
{
    bool all_idle;
    int64_t watermark = merged_watermark(gate, UINT32_MAX, &all_idle);
    if (watermark > gate->watermark) {
        gate->watermark = watermark;
        gate->announce_watermark = true;
    }
    if (all_idle != gate->is_idle) {
        gate->is_idle = all_idle;
        gate->announce_idle = true;
    }
}

bool gate_begin(struct gate *gate)
{
    bool all = true;
    for (uint32_t i = 0; i < gate->channel_count; i++) {
        struct gate_channel *channel = &gate->channels[i];
        const struct item *first = channel->is_announced ? NULL : ring_peek(channel->ring);
        if (first != NULL) {
            ASSERT(first->kind == ITEM_IDLE || first->kind == ITEM_ACTIVE);
            channel->is_idle = ring_pop(channel->ring).kind == ITEM_IDLE;
            channel->is_announced = true;
        }
        all = all && channel->is_announced;
    }
    if (all) {
        refresh(gate);
    }
    return all;
}

static bool take_announcement(struct gate *gate, struct item *item)
{
    if (gate->announce_watermark) {
        gate->announce_watermark = false;
        *item = (struct item){.kind = ITEM_WATERMARK, .watermark = gate->watermark};
        return true;
    }
    if (gate->announce_idle) {
        gate->announce_idle = false;
        *item = (struct item){.kind = gate->is_idle ? ITEM_IDLE : ITEM_ACTIVE};
        return true;
    }
    return false;
}

static bool port_open(const struct gate *gate, uint32_t port)
{
    for (uint32_t i = 0; i < gate->channel_count; i++) {
        if (gate->channels[i].port == port && !gate->channels[i].is_ended) {
            return true;
        }
    }
    return false;
}

// The end of a port, or of all.
static bool take_end(struct gate *gate, struct item *item)
{
    bool all_ended = true;
    for (uint32_t port = 0; port < gate->port_count; port++) {
        bool open = port_open(gate, port);
        all_ended = all_ended && !open;
        if (!open && !gate->port_ended[port]) {
            gate->port_ended[port] = true;
            *item = (struct item){.kind = ITEM_PORT_END, .port = port};
            return true;
        }
    }
    if (all_ended && !gate->is_ended) {
        gate->is_ended = true;
        *item = (struct item){.kind = ITEM_END};
        return true;
    }
    return false;
}

static bool take_aligned_barrier(struct gate *gate, struct item *item)
{
    if (!gate->is_aligning) {
        return false;
    }
    for (uint32_t i = 0; i < gate->channel_count; i++) {
        if (!gate->channels[i].is_aligned && !gate->channels[i].is_ended) {
            return false;
        }
    }
    for (uint32_t i = 0; i < gate->channel_count; i++) {
        gate->channels[i].is_aligned = false;
        ring_set_blocked(gate->channels[i].ring, false);
    }
    gate->is_aligning = false;
    *item = (struct item){.kind = ITEM_BARRIER, .barrier = gate->barrier};
    return true;
}

// A row's watermark as it holds here: what its channel had, unless another channel is behind that.
static void merge_row_watermarks(struct gate *gate, uint32_t channel, struct batch *batch)
{
    if (batch->row_watermarks == NULL) {
        return;
    }
    bool idle;
    int64_t others = merged_watermark(gate, channel, &idle);
    arena_reset(&gate->scratch);
    int64_t *merged = arena_alloc(&gate->scratch, batch->row_count * sizeof *merged);
    for (uint32_t row = 0; row < batch->row_count; row++) {
        int64_t own = batch->row_watermarks[row];
        int64_t low = own < others || idle ? own : others;
        merged[row] = low > gate->watermark ? low : gate->watermark;
    }
    batch->row_watermarks = merged;
}

// Handles a marker of one channel; true where it is an item for the segment.
static bool take_marker(struct gate *gate, uint32_t at, const struct item *item)
{
    struct gate_channel *channel = &gate->channels[at];
    switch (item->kind) {
    case ITEM_WATERMARK:
        channel->watermark =
            item->watermark > channel->watermark ? item->watermark : channel->watermark;
        refresh(gate);
        return false;
    case ITEM_IDLE:
    case ITEM_ACTIVE:
        channel->is_idle = item->kind == ITEM_IDLE;
        refresh(gate);
        return false;
    case ITEM_BARRIER:
        ASSERT(!gate->is_aligning || epoch_compare(gate->barrier.epoch, item->barrier.epoch) == 0);
        gate->barrier = item->barrier;
        gate->is_aligning = true;
        channel->is_aligned = true;
        ring_set_blocked(channel->ring, true);
        return false;
    case ITEM_END:
        channel->is_ended = true;
        refresh(gate);
        return false;
    case ITEM_BATCH:
    case ITEM_PORT_END: break;
    }
    return true;
}

static bool wants(const struct gate *gate, uint32_t at, uint32_t preferred_port)
{
    const struct gate_channel *channel = &gate->channels[at];
    return !channel->is_ended && !channel->is_aligned &&
           (preferred_port == UINT32_MAX || channel->port == preferred_port);
}

bool gate_next(struct gate *gate, uint32_t preferred_port, struct item *item)
{
    if (preferred_port != UINT32_MAX && !port_open(gate, preferred_port)) {
        preferred_port = UINT32_MAX;
    }
    for (;;) {
        if (take_announcement(gate, item) || take_aligned_barrier(gate, item) ||
            take_end(gate, item)) {
            return true;
        }
        bool moved = false;
        for (uint32_t i = 0; i < gate->channel_count && !moved; i++) {
            uint32_t at = (gate->next + i) % gate->channel_count;
            if (!wants(gate, at, preferred_port) || ring_peek(gate->channels[at].ring) == NULL) {
                continue;
            }
            *item = ring_pop(gate->channels[at].ring);
            item->port = gate->channels[at].port;
            gate->next = (at + 1) % gate->channel_count;
            if (take_marker(gate, at, item)) {
                merge_row_watermarks(gate, at, item->batch);
                return true;
            }
            moved = true;
        }
        if (!moved) {
            return false;
        }
    }
}
