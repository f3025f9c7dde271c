// SPDX-License-Identifier: Apache-2.0
//
// kernels: from a function's call to a run of kernels and back.
#pragma once

#include "base/err.h"
#include "expr/function.h"
#include "kernel/kernel.h"

static inline struct kernel_run kernels_begin(const struct function_call *call)
{
    return (struct kernel_run){
        .arena = call->arena, .row_count = call->row_count, .active = call->active};
}

// OK, or the error of the first failed row.
static inline enum status kernels_end(struct function_call *call, const struct kernel_run *run,
                                      struct err *err)
{
    uint32_t row = kernel_first_failed(run);
    if (row == UINT32_MAX) {
        return STATUS_OK;
    }
    call->error_row = row;
    return ERR(err, STATUS_INVALID_DATA, "%s", run->failure);
}
