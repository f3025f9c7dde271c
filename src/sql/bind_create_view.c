// SPDX-License-Identifier: Apache-2.0
//
// CREATE VIEW. The text that is kept is the user's own, with names of tables qualified and stars
// written out, so that it means the same in every session and after columns were added to a table.
#include "base/strbuf.h"
#include "sql/bind_create_int.h"
#include "sql/parse.h"
#include "sql/unparse.h"

enum { VIEW_TEXT_MAX = 64 << 20 };

// Edits in the order of their places; `edits` come in any order, each place once.
static struct str apply_edits(struct binder *binder, struct ast_span at)
{
    struct strbuf text;
    strbuf_init(&text, VIEW_TEXT_MAX);
    size_t from = at.offset;
    size_t end = (size_t)at.offset + at.length;
    for (;;) {
        const struct bind_edit *next = NULL;
        for (const struct bind_edit *edit = binder->edits; edit != NULL; edit = edit->next) {
            if (edit->at.offset >= from && (next == NULL || edit->at.offset < next->at.offset)) {
                next = edit;
            }
        }
        if (next == NULL) {
            break;
        }
        strbuf_add(&text, str_slice(binder->text, from, next->at.offset));
        strbuf_add(&text, next->text);
        from = (size_t)next->at.offset + next->at.length;
    }
    strbuf_add(&text, str_slice(binder->text, from, end));
    struct str copy = arena_str(binder->arena, strbuf_str(&text));
    strbuf_release(&text);
    return copy;
}

static enum status canonical(struct binder *binder, struct str text, struct str *out,
                             struct err *err)
{
    const struct ast_query *query;
    TRY(parse_query_text(binder->arena, text, &query, err));
    struct strbuf printed;
    strbuf_init(&printed, VIEW_TEXT_MAX);
    unparse_query(&printed, text, query);
    *out = arena_str(binder->arena, strbuf_str(&printed));
    strbuf_release(&printed);
    return STATUS_OK;
}

static enum status check_names(const struct ast_create_view *view,
                               const struct table_column *columns, uint32_t count, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (str_equal(columns[i].name, columns[k].name)) {
                struct ast_span at =
                    view->columns.count > 0 ? view->columns.items[i].at : view->query->at;
                return REFUSE(err, at, "the view has two columns '%.*s'",
                              STR_ARGS(columns[i].name));
            }
        }
    }
    return STATUS_OK;
}

static enum status view_columns(struct binder *binder, const struct ast_create_view *view,
                                const struct rel *rel, struct table_def *def, struct err *err)
{
    uint32_t count = rel->node.column_count;
    struct table_column *columns = arena_new_array(binder->arena, struct table_column, count);
    if (view->columns.count > 0 && view->columns.count != count) {
        return REFUSE(err, view->columns.items[0].at, "%u names for the %u columns of the query",
                      view->columns.count, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        columns[i].name =
            view->columns.count > 0 ? view->columns.items[i].text : rel->node.columns[i].name;
        columns[i].type = rel->node.columns[i].type;
    }
    def->columns = columns;
    def->column_count = count;
    return check_names(view, columns, count, err);
}

enum status bind_create_view(const struct bind_context *context, const struct ast_create_view *view,
                             struct table_def **out, struct err *err)
{
    struct binder binder;
    bind_begin(&binder, context);
    struct table_def def = {
        .kind = TABLE_KIND_VIEW, .is_temporary = view->temporary, .comment = view->comment.value};
    bind_create_name(context, &view->name, &def);
    binder.records_edits = true;
    struct rel *rel;
    TRY(bind_query_rel(&binder, view->query, &rel, err));
    TRY(view_columns(&binder, view, rel, &def, err));
    TRY(canonical(&binder, apply_edits(&binder, view->query->at), &def.view_text, err));
    *out = table_def_copy(context->arena, &def);
    return STATUS_OK;
}
