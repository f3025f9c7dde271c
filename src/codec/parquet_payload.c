// SPDX-License-Identifier: Apache-2.0
//
// The encoded pages of a writer in memory. They go all at once, when they are taken, so they stand
// behind one another in blocks: as small as the pages of a small file, and of a huge page each once
// there are many, which costs the system one page fault instead of hundreds.
#include "base/huge_pages.h"
#include "codec/parquet_writer_int.h"

enum { HUGE_FROM = HUGE_PAGE_SIZE / 2 };

struct parquet_payload_block {
    struct parquet_payload_block *next;
};

// Blocks grow with what is there, so that at most a third is not used.
static void add_block(struct parquet_payloads *payloads, size_t size)
{
    size_t need = sizeof(struct parquet_payload_block) + size;
    size_t wanted = payloads->bytes / 2;
    bool huge = wanted >= HUGE_FROM && need <= HUGE_PAGE_SIZE;
    size_t total = huge ? HUGE_PAGE_SIZE : wanted > need ? wanted : need;
    struct parquet_payload_block *block = huge_pages_alloc(total, 0);
    block->next = payloads->blocks;
    payloads->blocks = block;
    payloads->bytes += total;
    payloads->at = (char *)(block + 1);
    payloads->left = total - sizeof *block;
}

char *parquet_payload_add(struct parquet_payloads *payloads, struct str bytes)
{
    if (payloads->blocks == NULL || bytes.size > payloads->left) {
        add_block(payloads, bytes.size);
    }
    char *payload = payloads->at;
    memcpy(payload, bytes.ptr, bytes.size);
    payloads->at += bytes.size;
    payloads->left -= bytes.size;
    return payload;
}

void parquet_payload_release(struct parquet_payloads *payloads)
{
    while (payloads->blocks != NULL) {
        struct parquet_payload_block *next = payloads->blocks->next;
        huge_pages_free(payloads->blocks);
        payloads->blocks = next;
    }
    *payloads = (struct parquet_payloads){0};
}
