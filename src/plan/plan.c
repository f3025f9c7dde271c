// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include "base/strbuf.h"

const char *plan_kind_name(enum plan_kind kind)
{
    static const char *const names[] = {
#define X(name, explain) [PLAN_##name] = (explain),
        PLAN_KIND_LIST(X)
#undef X
    };
    return names[kind];
}

uint32_t plan_column_index(const struct plan_node *node, uint32_t column_id)
{
    for (uint32_t i = 0; i < node->column_count; i++) {
        if (node->columns[i].id == column_id) {
            return i;
        }
    }
    return UINT32_MAX;
}

bool plan_ids_contain(const struct plan_ids *ids, uint32_t id)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        if (ids->ids[i] == id) {
            return true;
        }
    }
    return false;
}

bool plan_ids_subset(const struct plan_ids *part, const struct plan_ids *whole)
{
    for (uint32_t i = 0; i < part->count; i++) {
        if (!plan_ids_contain(whole, part->ids[i])) {
            return false;
        }
    }
    return true;
}

bool plan_ids_equal(const struct plan_ids *a, const struct plan_ids *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->ids[i] != b->ids[i]) {
            return false;
        }
    }
    return true;
}

void plan_print_changes(struct strbuf *out, uint8_t changes)
{
    static const char *const names[] = {"I", "UB", "UA", "D"};
    const char *separator = "";
    for (int change = CHANGE_INSERT; change <= CHANGE_DELETE; change++) {
        if ((changes >> change & 1) != 0) {
            strbuf_add_text(out, separator);
            strbuf_add_text(out, names[change]);
            separator = ",";
        }
    }
}
