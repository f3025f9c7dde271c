// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "catalog/catalog.h"

static const struct table_column columns[] = {{.name = {"id", 2}, .type = &type_int},
                                              {.name = {"s", 1}, .type = &type_string}};
static const struct table_option options[] = {{{"connector", 9}, {"print", 5}}};

static struct table_def definition(const char *database, const char *name)
{
    return (struct table_def){.database = str_from(database),
                              .name = str_from(name),
                              .columns = columns,
                              .column_count = 2,
                              .options = options,
                              .option_count = 1};
}

static struct catalog *new_catalog(void)
{
    return catalog_memory_new(STR_LIT("default_catalog"), STR_LIT("default_database"));
}

static enum status create(struct catalog *catalog, const char *database, const char *name)
{
    struct table_def def = definition(database, name);
    return catalog->ops->create_table(catalog, &def, NULL);
}

static void what_is_created_is_found_again_as_it_was(void **state)
{
    (void)state;
    struct arena arena;
    struct err err;
    const struct table_def *found;
    struct catalog *catalog = new_catalog();
    struct table_def def = definition("default_database", "t");
    arena_init(&arena);
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_OK);
    assert_int_equal(catalog->ops->create_table(catalog, &def, &err), STATUS_EXISTS);
    assert_int_equal(catalog->ops->get_table(catalog, &arena, STR_LIT("default_database"),
                                             STR_LIT("t"), &found, &err),
                     STATUS_OK);
    assert_true(table_def_equal(found, &def));
    assert_ptr_equal(found->owner, catalog);
    assert_int_equal(catalog->ops->get_table(catalog, &arena, STR_LIT("default_database"),
                                             STR_LIT("T"), &found, &err),
                     STATUS_NOT_FOUND); // names compare exactly
    assert_int_equal(create(catalog, "nowhere", "t"), STATUS_NOT_FOUND);
    catalog->ops->close(catalog);
    arena_release(&arena);
}

static void names_are_listed_sorted_with_their_kinds(void **state)
{
    (void)state;
    struct arena arena;
    struct str *names;
    enum table_kind *kinds;
    uint32_t count;
    struct catalog *catalog = new_catalog();
    arena_init(&arena);
    assert_int_equal(create(catalog, "default_database", "b"), STATUS_OK);
    struct table_def view = definition("default_database", "a");
    view.kind = TABLE_KIND_VIEW;
    assert_int_equal(catalog->ops->create_table(catalog, &view, NULL), STATUS_OK);
    assert_int_equal(catalog->ops->list_tables(catalog, &arena, STR_LIT("default_database"), &names,
                                               &kinds, &count, NULL),
                     STATUS_OK);
    assert_int_equal(count, 2);
    assert_true(str_is(names[0], "a") && kinds[0] == TABLE_KIND_VIEW);
    assert_true(str_is(names[1], "b") && kinds[1] == TABLE_KIND_TABLE);
    catalog->ops->close(catalog);
    arena_release(&arena);
}

static void a_database_with_tables_goes_only_with_cascade(void **state)
{
    (void)state;
    struct arena arena;
    struct str *names;
    uint32_t count;
    struct err err;
    struct catalog *catalog = new_catalog();
    const struct catalog_ops *ops = catalog->ops;
    struct str name = STR_LIT("d");
    arena_init(&arena);
    assert_int_equal(ops->create_database(catalog, name, name, NULL, 0, &err), STATUS_OK);
    assert_int_equal(ops->create_database(catalog, name, name, NULL, 0, &err), STATUS_EXISTS);
    assert_int_equal(create(catalog, "d", "t"), STATUS_OK);
    assert_int_equal(ops->drop_database(catalog, name, false, &err), STATUS_CONFLICT);
    assert_int_equal(ops->drop_database(catalog, name, true, &err), STATUS_OK);
    assert_int_equal(ops->drop_database(catalog, name, true, &err), STATUS_NOT_FOUND);
    assert_int_equal(ops->list_databases(catalog, &arena, &names, &count, &err), STATUS_OK);
    assert_int_equal(count, 1);
    assert_true(str_is(names[0], "default_database"));
    ops->close(catalog);
    arena_release(&arena);
}

static void a_view_is_not_dropped_as_a_table(void **state)
{
    (void)state;
    struct catalog *catalog = new_catalog();
    const struct catalog_ops *ops = catalog->ops;
    struct str database = STR_LIT("default_database");
    struct str name = STR_LIT("t");
    assert_int_equal(create(catalog, "default_database", "t"), STATUS_OK);
    assert_int_equal(ops->drop_table(catalog, database, name, TABLE_KIND_VIEW, false, NULL),
                     STATUS_CONFLICT);
    assert_int_equal(ops->drop_table(catalog, database, name, TABLE_KIND_TABLE, false, NULL),
                     STATUS_OK);
    assert_int_equal(ops->drop_table(catalog, database, name, TABLE_KIND_TABLE, false, NULL),
                     STATUS_NOT_FOUND);
    ops->close(catalog);
}

static void options_are_replaced_added_and_removed(void **state)
{
    (void)state;
    struct arena arena;
    const struct table_def *found;
    struct catalog *catalog = new_catalog();
    struct str database = STR_LIT("default_database");
    static const struct table_option changes[] = {
        {{"connector", 9}, {"blackhole", 9}}, {{"a", 1}, {"1", 1}}, {{"b", 1}, {"2", 1}}};
    static const struct table_option removal[] = {{{"a", 1}, {"", 0}}};
    arena_init(&arena);
    assert_int_equal(create(catalog, "default_database", "t"), STATUS_OK);
    assert_int_equal(catalog->ops->alter_options(catalog, database, STR_LIT("t"), changes, 3, NULL),
                     STATUS_OK);
    assert_int_equal(catalog->ops->alter_options(catalog, database, STR_LIT("t"), removal, 1, NULL),
                     STATUS_OK);
    assert_int_equal(catalog->ops->get_table(catalog, &arena, database, STR_LIT("t"), &found, NULL),
                     STATUS_OK);
    assert_int_equal(found->option_count, 2);
    assert_true(str_is(*table_def_option(found, "connector"), "blackhole"));
    assert_true(str_is(*table_def_option(found, "b"), "2"));
    assert_null(table_def_option(found, "a"));
    catalog->ops->close(catalog);
    arena_release(&arena);
}

static void definitions_differ_by_anything_but_comments_and_the_order_of_options(void **state)
{
    (void)state;
    static const struct table_option one[] = {{{"a", 1}, {"1", 1}}, {{"b", 1}, {"2", 1}}};
    static const struct table_option two[] = {{{"b", 1}, {"2", 1}}, {{"a", 1}, {"1", 1}}};
    struct table_def a = definition("d", "t");
    struct table_def b = a;
    a.options = one;
    b.options = two;
    a.option_count = b.option_count = 2;
    b.comment = STR_LIT("other");
    assert_true(table_def_equal(&a, &b));
    b.watermark_column = STR_LIT("ts");
    assert_false(table_def_equal(&a, &b));
    b = a;
    b.column_count = 1;
    assert_false(table_def_equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_created_is_found_again_as_it_was),
        cmocka_unit_test(names_are_listed_sorted_with_their_kinds),
        cmocka_unit_test(a_database_with_tables_goes_only_with_cascade),
        cmocka_unit_test(a_view_is_not_dropped_as_a_table),
        cmocka_unit_test(options_are_replaced_added_and_removed),
        cmocka_unit_test(definitions_differ_by_anything_but_comments_and_the_order_of_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
