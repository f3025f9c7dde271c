// SPDX-License-Identifier: Apache-2.0
#include "sql/bind.h"

#include <stdarg.h>

#include "base/strbuf.h"
#include "sql/bind_int.h"

enum { NOTE_BYTES_MAX = 1024 };

enum status bind_refused(enum status status, struct err *err, struct ast_span at)
{
    err_at(err, ERR_STAGE_VALIDATE, at.offset, at.length);
    return status;
}

void bind_begin(struct binder *binder, const struct bind_context *context)
{
    *binder = (struct binder){
        .context = context, .arena = context->arena, .text = context->text, .next_id = 1};
}

void bind_edit_add(struct binder *binder, struct ast_span at, struct str text)
{
    if (binder->records_edits) {
        struct bind_edit *edit = arena_new(binder->arena, struct bind_edit);
        *edit = (struct bind_edit){at, arena_str(binder->arena, text), binder->edits};
        binder->edits = edit;
    }
}

void bind_note(const struct binder *binder, const char *format, ...)
{
    if (binder->context->note == NULL) {
        return;
    }
    va_list args;
    va_start(args, format);
    struct strbuf text;
    strbuf_init(&text, NOTE_BYTES_MAX);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    binder->context->note(binder->context->note_context, strbuf_str(&text));
    strbuf_release(&text);
}

uint32_t bind_id(struct binder *binder)
{
    return binder->next_id++;
}

uint32_t bind_output_id(struct binder *binder, const struct expr *expr,
                        const struct plan_column *outputs, uint32_t count)
{
    bool is_column = expr->kind == EXPR_COLUMN;
    for (uint32_t i = 0; i < count && is_column; i++) {
        is_column = outputs[i].id != expr->column_id;
    }
    return is_column ? expr->column_id : bind_id(binder);
}

// From bound relations to the plan.
static enum status make_plan(struct binder *binder, struct rel **sinks, uint32_t count,
                             struct plan **out, struct err *err)
{
    struct rel_graph graph = {.arena = binder->arena,
                              .sinks = sinks,
                              .sink_count = count,
                              .next_id = binder->next_id,
                              .is_streaming = bind_is_streaming(binder),
                              .settings = &binder->context->settings.expr,
                              .tables = &binder->context->tables};
    optimize(&graph);
    TRY(infer_changes(&graph, binder->context, err));
    place_exchanges(&graph);
    operator_ids(&graph);
    *out = finish_plan(&graph);
    return STATUS_OK;
}

enum status bind_query(const struct bind_context *context, const struct ast_query *query,
                       struct plan **out, struct err *err)
{
    struct binder binder;
    bind_begin(&binder, context);
    struct rel *rel;
    TRY(bind_query_rel(&binder, query, &rel, err));
    bind_query_unique_names(&binder, rel);
    struct rel *sink = rel_new(binder.arena, PLAN_SINK, query->at, 1);
    sink->inputs[0] = rel;
    rel_set_columns(binder.arena, sink, rel->node.columns, rel->node.column_count);
    sink->node.as.sink =
        (struct plan_sink){.kind = PLAN_SINK_COLLECT, .insert_name = STR_LIT("collect")};
    return make_plan(&binder, &sink, 1, out, err);
}

// INSERTs into one table are told apart by a number: the name is part of the sink's id.
static void name_inserts(struct arena *arena, struct rel **sinks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct plan_sink *sink = &sinks[i]->node.as.sink;
        uint32_t before = 0;
        for (uint32_t j = 0; j < i; j++) {
            const struct table_def *other = sinks[j]->node.as.sink.table;
            before += str_equal(other->name, sink->table->name) &&
                      str_equal(other->database, sink->table->database) &&
                      str_equal(other->catalog_name, sink->table->catalog_name);
        }
        struct str name = bind_table_name(arena, sink->table);
        sink->insert_name =
            before == 0 ? name : arena_printf(arena, "%.*s#%u", STR_ARGS(name), before + 1);
    }
}

enum status bind_statement_set(const struct bind_context *context,
                               const struct ast_insert *const *inserts, uint32_t count,
                               struct plan **out, struct err *err)
{
    struct binder binder;
    bind_begin(&binder, context);
    struct rel **sinks = arena_new_array(binder.arena, struct rel *, count);
    for (uint32_t i = 0; i < count; i++) {
        TRY(bind_insert(&binder, inserts[i], &sinks[i], err));
    }
    name_inserts(binder.arena, sinks, count);
    return make_plan(&binder, sinks, count, out, err);
}
