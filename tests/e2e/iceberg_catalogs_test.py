#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Catalogs of others in SQL: SQLite files of the JDBC-catalog schema as PyIceberg and Java make them,
and Hadoop warehouses. Their tables are read and written here, and read again by PyIceberg.

    iceberg_catalogs_test.py [--only NAME] [--keep DIR]

The last line is "N passed, N failed".
"""
import argparse
import csv
import glob
import gzip
import os
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
from harness import Checks, Folder, sql  # noqa: E402

if __name__ == "__main__":
    harness.own_python(__file__)
import pyarrow as pa  # noqa: E402
from pyiceberg.catalog.sql import SqlCatalog  # noqa: E402
from pyiceberg.table import StaticTable  # noqa: E402

ROWS = [(1, "x"), (2, None), (3, "z")]
NAMES = [("db", "orders"), ("db", "we'ird"), ("db", "dot.ted"), ("db", "`tick`"), ("db", "Ünï"),
         ("a.b", "t"), ("select", "order")]


def arrow(rows):
    return pa.table({"id": pa.array([r[0] for r in rows], pa.int64()),
                     "s": pa.array([r[1] for r in rows], pa.string())})


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def rows_of(table):
    return sorted(((r["id"], r["s"]) for r in table.scan().to_arrow().to_pylist()), key=str)


def ask(folder, *statements, **more):
    """Rows of the last statement that has some; the error's text where there is one."""
    code, out, err = sql(folder, *statements, options=["--format", "csv"], **more)
    if code != 0:
        return err
    return [tuple(r) for r in csv.reader(out.splitlines())][1:]


def pairs(answer):
    if isinstance(answer, str):
        return answer
    return sorted(((int(a), b if b != "" else None) for a, b in answer), key=str)


def attach(name, **options):
    text = ", ".join(f"'{k.replace('_', '-')}' = '{v}'" for k, v in options.items())
    return f"CREATE CATALOG {name} WITH ('type' = 'iceberg', {text})"


def jdbc(folder, name="old", file="py.db", **more):
    return attach(name, catalog_type="jdbc", uri="jdbc:sqlite:" + folder.file(file),
                  warehouse="file://" + folder.file("warehouse"), **more)


def hadoop(folder, name="old"):
    return attach(name, catalog_type="hadoop", warehouse="file://" + folder.file("wh"))


def pyiceberg(folder, name="py", file="py.db"):
    return SqlCatalog(name, uri="sqlite:///" + folder.file(file),
                      warehouse="file://" + folder.file("warehouse"))


def schema_of(path):
    with sqlite3.connect(path) as db:
        return (db.execute("SELECT name, sql FROM sqlite_master ORDER BY 1").fetchall(),
                db.execute("PRAGMA journal_mode").fetchall())


# --- JDBC catalogs ---------------------------------------------------------------------------------

def make_catalog(folder):
    catalog = pyiceberg(folder)
    for database, name in NAMES:
        catalog.create_namespace_if_not_exists(database)
        catalog.create_table((*database.split("."), name), schema=arrow(ROWS).schema).append(arrow(ROWS))
    catalog.create_namespace("empty")
    return catalog


def check_catalog(checks, folder, catalog, what):
    """Reads and writes every table of the file, which is `what`."""
    use = jdbc(folder)
    found = ask(folder.path, use, "SHOW DATABASES FROM old")
    checks.ok(f"{what}: databases", found == [("a.b",), ("db",), ("empty",), ("select",)], found)
    found = ask(folder.path, use, "SHOW TABLES FROM old.db")
    checks.ok(f"{what}: tables", found == sorted((n,) for d, n in NAMES if d == "db"), found)
    for database, name in NAMES:
        full = f"old.{quoted(database)}.{quoted(name)}"
        found = pairs(ask(folder.path, use, f"SELECT * FROM {full}"))
        checks.ok(f"{what}: {database}.{name} read", found == sorted(ROWS, key=str), found)
        found = ask(folder.path, use, f"DESCRIBE {full}")
        checks.ok(f"{what}: {database}.{name} described",
                  [r[:2] for r in found] == [("id", "BIGINT"), ("s", "STRING")], found)
        found = ask(folder.path, use, f"INSERT INTO {full} VALUES (4, 'ours')",
                    f"SELECT * FROM {full}")
        expected = sorted(ROWS + [(4, "ours")], key=str)
        checks.ok(f"{what}: {database}.{name} written", pairs(found) == expected, found)
        found = rows_of(catalog.load_table((*database.split("."), name)))
        checks.ok(f"{what}: {database}.{name} read back", found == expected, found)
    checks.ok(f"{what}: levels as parts",
              len(ask(folder.path, use, "SELECT * FROM old.a.b.t")) == 4)
    checks.ok(f"{what}: reserved words beside a '.'",
              len(ask(folder.path, use, "SELECT * FROM old.select.order")) == 4)
    code, out, err = sql(folder.path, use, "USE CATALOG old", "USE db", "SHOW CREATE TABLE `dot.ted`")
    checks.ok(f"{what}: SHOW CREATE TABLE", code == 0 and "`old`.`db`.`dot.ted`" in out, out + err)
    made = ask(folder.path, use, "CREATE DATABASE old.fresh",
               "CREATE TABLE old.fresh.t (id BIGINT, s STRING) PARTITIONED BY (bucket(4, id))",
               "INSERT INTO old.fresh.t VALUES (1, 'a'), (2, 'b')", "SELECT * FROM old.fresh.t")
    checks.ok(f"{what}: a table made here", pairs(made) == [(1, "a"), (2, "b")], made)
    table = catalog.load_table("fresh.t")
    checks.ok(f"{what}: and read back", rows_of(table) == [(1, "a"), (2, "b")] and
              table.location() == "file://" + folder.file("warehouse/fresh/t"), table.location())
    made = ask(folder.path, use, "DROP TABLE old.fresh.t", "DROP DATABASE old.fresh",
               "SHOW DATABASES FROM old")
    checks.ok(f"{what}: dropped", ("fresh",) not in made, made)


def test_pyiceberg_file(checks, keep):
    with Folder(keep) as folder:
        catalog = make_catalog(folder)
        before = schema_of(folder.file("py.db"))
        check_catalog(checks, folder, catalog, "pyiceberg's file")
        checks.ok("pyiceberg's file: nothing but rows was changed",
                  schema_of(folder.file("py.db")) == before, schema_of(folder.file("py.db")))


def test_first_schema(checks, keep):
    """Java's schema V0: no column iceberg_type. It stays so."""
    with Folder(keep) as folder:
        catalog = make_catalog(folder)
        with sqlite3.connect(folder.file("py.db")) as db:
            rows = db.execute("SELECT catalog_name, table_namespace, table_name, metadata_location, "
                              "previous_metadata_location FROM iceberg_tables").fetchall()
            db.execute("DROP TABLE iceberg_tables")
            db.execute("CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace "
                       "VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location "
                       "VARCHAR(1000), previous_metadata_location VARCHAR(1000), PRIMARY KEY "
                       "(catalog_name, table_namespace, table_name))")
            db.executemany("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, ?)", rows)
        before = schema_of(folder.file("py.db"))
        catalog.engine.dispose()
        check_catalog(checks, folder, V0(folder), "schema V0")
        checks.ok("schema V0: is still V0", schema_of(folder.file("py.db")) == before)


class V0:
    """Reads tables by the pointers of such a file, which newer versions of PyIceberg do not."""

    def __init__(self, folder):
        self.path = folder.file("py.db")

    def load_table(self, name):
        parts = name.split(".") if isinstance(name, str) else list(name)
        with sqlite3.connect(self.path) as db:
            at = db.execute("SELECT metadata_location FROM iceberg_tables WHERE table_namespace = ? "
                            "AND table_name = ?", (".".join(parts[:-1]), parts[-1])).fetchone()[0]
        return StaticTable.from_metadata(at)


def test_java_schema(checks, keep):
    """Java's schema V1: views in the same table are no tables."""
    with Folder(keep) as folder:
        catalog = make_catalog(folder)
        with sqlite3.connect(folder.file("py.db")) as db:
            columns = [r[1] for r in db.execute("PRAGMA table_info(iceberg_tables)")]
            if "iceberg_type" not in columns:
                db.execute("ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)")
            db.execute("UPDATE iceberg_tables SET iceberg_type = CASE table_name WHEN 'orders' THEN NULL "
                       "ELSE 'TABLE' END")
            db.execute("INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, "
                       "metadata_location, iceberg_type) VALUES ('py', 'db', 'view', 'file:///v', 'VIEW')")
        check_catalog(checks, folder, catalog, "schema V1")
        with sqlite3.connect(folder.file("py.db")) as db:
            kinds = db.execute("SELECT DISTINCT iceberg_type FROM iceberg_tables").fetchall()
        checks.ok("schema V1: rows keep their types", sorted(map(str, kinds)) ==
                  ["('TABLE',)", "('VIEW',)", "(None,)"], kinds)


def test_names_in_file(checks, keep):
    with Folder(keep) as folder:
        first, second = pyiceberg(folder, "first"), pyiceberg(folder, "second")
        for catalog, rows in ((first, ROWS[:1]), (second, ROWS[:2])):
            catalog.create_namespace("db", {"location": "file://" + folder.file("elsewhere")})
            catalog.create_table("db.t", schema=arrow(ROWS).schema).append(arrow(rows))
        count = "SELECT COUNT(*) FROM {}.db.t"
        checks.ok("several catalogs: by the SQL name",
                  ask(folder.path, jdbc(folder, "second"), count.format("second")) == [("2",)])
        checks.ok("several catalogs: by 'catalog-name'",
                  ask(folder.path, jdbc(folder, "old", catalog_name="first"),
                      count.format("old")) == [("1",)])
        said = ask(folder.path, jdbc(folder, "old"))
        checks.ok("several catalogs: none chosen",
                  "holds several catalogs" in said and "'first', 'second'" in said, said)
        ask(folder.path, jdbc(folder, "first"), "CREATE TABLE first.db.made (id BIGINT)")
        checks.ok("location of a database", first.load_table("db.made").location() ==
                  "file://" + folder.file("elsewhere/made"), first.load_table("db.made").location())
        said = ask(folder.path, jdbc(folder, "n", file="new.db"), "CREATE DATABASE n.db",
                   "CREATE TABLE n.db.t (id BIGINT, s STRING)", "INSERT INTO n.db.t VALUES (7, 'y')",
                   "SELECT * FROM n.db.t")
        checks.ok("a new file", pairs(said) == [(7, "y")], said)
        checks.ok("a new file read back",
                  rows_of(pyiceberg(folder, "n", "new.db").load_table("db.t")) == [(7, "y")])


# --- Hadoop warehouses -----------------------------------------------------------------------------

def make_hadoop(folder, name, hint, spelling="v{}.metadata.json", packed=False):
    """A table as Java's HadoopTables leaves it: two versions."""
    catalog = SqlCatalog("tmp", uri="sqlite:///" + folder.file("tmp.db"),
                         warehouse="file://" + folder.file("wh"))
    catalog.create_namespace_if_not_exists("db")
    location = folder.file("wh/db/" + name)
    table = catalog.create_table(("db", name), schema=arrow(ROWS).schema, location="file://" + location)
    table.append(arrow(ROWS))
    files = sorted(glob.glob(location + "/metadata/*.metadata.json"))
    for number, path in enumerate(files, 1):
        with open(path, "rb") as f:
            text = f.read()
        with open(os.path.join(location, "metadata", spelling.format(number)), "wb") as f:
            f.write(gzip.compress(text) if packed else text)
        os.remove(path)
    if hint is not None:
        folder.file(f"wh/db/{name}/metadata/version-hint.text", hint)
    catalog.drop_table(("db", name))
    return location


def newest(location):
    files = glob.glob(location + "/metadata/v*.metadata.json")
    return max(files, key=lambda p: int(os.path.basename(p)[1:].split(".")[0]))


def check_hadoop(checks, folder, location, name, next_version):
    use = hadoop(folder)
    full = f"old.db.{quoted(name)}"
    found = pairs(ask(folder.path, use, f"SELECT * FROM {full}"))
    checks.ok(f"hadoop {name}: read", found == sorted(ROWS, key=str), found)
    found = ask(folder.path, use, f"INSERT INTO {full} VALUES (4, 'ours')", f"SELECT * FROM {full}")
    expected = sorted(ROWS + [(4, "ours")], key=str)
    checks.ok(f"hadoop {name}: written", pairs(found) == expected, found)
    checks.ok(f"hadoop {name}: next version", os.path.basename(newest(location)) ==
              f"v{next_version}.metadata.json", os.listdir(location + "/metadata"))
    with open(location + "/metadata/version-hint.text", encoding="ascii") as f:
        checks.ok(f"hadoop {name}: hint", f.read() == str(next_version))
    table = StaticTable.from_metadata("file://" + newest(location))
    checks.ok(f"hadoop {name}: read back", rows_of(table) == expected, rows_of(table))
    left = [f for f in os.listdir(location + "/metadata")
            if f.endswith(".metadata.json") and not f.startswith("v")]
    checks.ok(f"hadoop {name}: nothing left behind", left == [], left)


def test_hadoop(checks, keep):
    with Folder(keep) as folder:
        for name, hint, spelling, packed in (
                ("plain", "2", "v{}.metadata.json", False),
                ("no_hint", None, "v{}.metadata.json", False),
                ("late_hint", "1", "v{}.metadata.json", False),
                ("bad_hint", "zwei", "v{}.metadata.json", False),
                ("far_hint", "40", "v{}.metadata.json", False),
                ("gz", "2", "v{}.gz.metadata.json", True),
                ("gz_old", None, "v{}.metadata.json.gz", True),
                ("dot.ted", "2\n", "v{}.metadata.json", False)):
            location = make_hadoop(folder, name, hint, spelling, packed)
            check_hadoop(checks, folder, location, name, 3)
        use = hadoop(folder)
        found = ask(folder.path, use, "SHOW TABLES FROM old.db")
        checks.ok("hadoop: tables", len(found) == 8 and ("dot.ted",) in found, found)
        os.makedirs(folder.file("wh/x/y"))
        found = ask(folder.path, use, "SHOW DATABASES FROM old")
        checks.ok("hadoop: databases", found == [("db",), ("x",), ("x.y",)], found)
        made = ask(folder.path, use, "CREATE TABLE old.x.y.t (id BIGINT, s STRING)",
                   "INSERT INTO old.x.y.t VALUES (1, 'a')", "SELECT * FROM old.`x.y`.t")
        checks.ok("hadoop: a table made here", pairs(made) == [(1, "a")], made)
        made = rows_of(StaticTable.from_metadata("file://" + newest(folder.file("wh/x/y/t"))))
        checks.ok("hadoop: and read back", made == [(1, "a")], made)
        said = ask(folder.path, use, "DROP DATABASE old.`x.y`")
        checks.ok("hadoop: a database with tables", "CASCADE" in said, said)
        ask(folder.path, use, "DROP TABLE old.x.y.t", "DROP DATABASE old.`x.y`")
        checks.ok("hadoop: dropped with its folder", os.listdir(folder.file("wh/x")) == [])
        # Of another catalog, and moved: they can be read.
        shutil.copytree(folder.file("wh/db/plain"), folder.file("wh/x/moved"))
        said = ask(folder.path, use, "INSERT INTO old.x.moved VALUES (5, 'no')")
        checks.ok("hadoop: a moved table is not written to", "moved is read only" in said, said)
        os.rename(newest(folder.file("wh/x/moved")),
                  folder.file("wh/x/moved/metadata/00007-aa.metadata.json"))
        for path in glob.glob(folder.file("wh/x/moved/metadata/v*")):
            os.remove(path)
        found = ask(folder.path, use, "SELECT COUNT(*) FROM old.x.moved")
        checks.ok("hadoop: numbered metadata", found == [("4",)], found)


def test_hadoop_writers(checks, keep):
    """Concurrent writers lose nothing, also where old metadata goes at once and names come free again."""
    with Folder(keep) as folder:
        use = hadoop(folder)
        ask(folder.path, use, "CREATE DATABASE old.db",
            "CREATE TABLE old.db.t (id BIGINT, s STRING) WITH ('commit.retry.num-retries' = '100', "
            "'commit.retry.min-wait-ms' = '1', 'commit.retry.max-wait-ms' = '20', "
            "'write.metadata.previous-versions-max' = '1')")
        writers, commits = 4, 6
        processes = []
        for w in range(writers):
            statements = [use] + [f"INSERT INTO old.db.t VALUES ({w * 1000 + i}, 'w{w}')"
                                  for i in range(commits)]
            processes.append(subprocess.Popen(
                [harness.binary(), "sql", "--data", folder.file(f"data{w}"), "-f", "-"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
            processes[-1].stdin.write(";\n".join(statements) + ";\n")
            processes[-1].stdin.close()
        for p in processes:
            out = p.stdout.read()
            checks.ok("hadoop writers: all commits", p.wait() == 0, out)
        table = StaticTable.from_metadata("file://" + newest(folder.file("wh/db/t")))
        expected = sorted(((w * 1000 + i, f"w{w}") for w in range(writers) for i in range(commits)),
                          key=str)
        checks.ok("hadoop writers: every row once", rows_of(table) == expected, len(rows_of(table)))
        checks.ok("hadoop writers: one version a commit",
                  os.path.basename(newest(folder.file("wh/db/t"))) ==
                  f"v{1 + writers * commits}.metadata.json", newest(folder.file("wh/db/t")))


def test_pipeline(checks, keep):
    """frazil run into a Hadoop table, with checkpoints, run twice."""
    with Folder(keep) as folder:
        script = folder.file("p.sql", f"""SET 'pipeline.name' = 'p';
            {hadoop(folder)};
            CREATE DATABASE IF NOT EXISTS old.db;
            CREATE TABLE IF NOT EXISTS old.db.t (id BIGINT, s STRING);
            CREATE TEMPORARY TABLE numbers (id BIGINT) WITH ('connector' = 'datagen',
              'number-of-rows' = '1000', 'fields.id.kind' = 'sequence', 'fields.id.start' = '1',
              'fields.id.end' = '1000');
            INSERT INTO old.db.t SELECT id, CAST(id AS STRING) FROM numbers;
            """)
        for again in (1, 2):
            job = harness.Frazil(folder.path, script)
            checks.ok(f"pipeline {again}: ends", job.wait(60) == 0, job.tail())
            rows = rows_of(StaticTable.from_metadata("file://" + newest(folder.file("wh/db/t"))))
            checks.ok(f"pipeline {again}: each row once",
                      sorted(r[0] for r in rows) == list(range(1, 1001)), len(rows))


# --- the rest --------------------------------------------------------------------------------------

def test_table_form(checks, keep):
    """Flink's form: a single table that names its catalog."""
    with Folder(keep) as folder:
        make_hadoop(folder, "t", "2")
        options = ("'connector' = 'iceberg', 'catalog-name' = 'h', 'catalog-type' = 'hadoop', "
                   "'warehouse' = 'file://" + folder.file("wh") + "'")
        there = f"CREATE TABLE mine (id BIGINT, s VARCHAR(10)) WITH ({options}, 'catalog-database' = 'db', " \
                "'catalog-table' = 't')"
        found = ask(folder.path, there, "INSERT INTO mine VALUES (4, 'ours')", "SELECT * FROM mine")
        checks.ok("table form: read and written",
                  pairs(found) == sorted(ROWS + [(4, "ours")], key=str), found)
        # The definition is kept; another session goes on with it.
        checks.ok("table form: kept", ask(folder.path, "SELECT COUNT(*) FROM mine") == [("4",)])
        found = ask(folder.path, f"CREATE TABLE fresh (id BIGINT, s STRING) WITH ({options})",
                    "INSERT INTO fresh SELECT * FROM mine", "SELECT COUNT(*) FROM fresh")
        checks.ok("table form: made where it is missing", found == [("4",)] and
                  os.path.isdir(folder.file("wh/default/fresh")), found)
        for text, columns in (("has no column 'nix'", "id BIGINT, nix STRING"),
                              ("column 's' is INT here", "id BIGINT, s INT")):
            said = ask(folder.path, there.replace("mine", "bad").replace(
                "id BIGINT, s VARCHAR(10)", columns), "SELECT * FROM bad", "DROP TABLE bad")
            checks.ok(f"table form: {text}", text in said, said)
            ask(folder.path, "DROP TABLE bad")


ERRORS = [
    ("CREATE CATALOG c WITH ('type' = 'iceberg')", "needs the option 'catalog-type'"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'rest', 'uri' = 'http://h')",
     "'catalog-type' = 'rest' are not supported yet"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hive', 'uri' = 'thrift://h')",
     "'catalog-type' = 'hive' are not supported yet"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'glue')",
     "'catalog-type' = 'glue' are not supported yet"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadop')", "did you mean 'hadoop'?"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop')",
     "needs the option 'warehouse'"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = 's3://b/c')",
     "places in s3:// are not supported yet"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehose' = '/w')",
     "did you mean 'warehouse'?"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = 'jdbc:postgresql://h/d')",
     "only files of SQLite are supported yet"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = 'jdbc:sqlite::memory:')",
     "databases in memory"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = 'jdbc:sqlite:/no/such/d/f.db')",
     "unable to open database file"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = 'jdbc:sqlite:{here}/text')",
     "file is not a database"),
    ("CREATE CATALOG c WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'io-impl' = 'x', 'warehouse' = '/w')",
     "'io-impl' is not supported yet"),
    ("CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'hadoop', 'warehouse' = '/w')",
     "catalog 'lake' exists already"),
    ("{hadoop}; SELECT * FROM old.nowhere.t", "table 'old.nowhere.t' does not exist"),
    ("{hadoop}; SELECT * FROM old.`../x`.t", "does not exist"),
    ("{hadoop}; CREATE DATABASE old.`../x`", "cannot be the name of a folder"),
    ("{hadoop}; CREATE TABLE old.nowhere.t (i INT)", "database 'nowhere' does not exist"),
    ("{hadoop}; CREATE VIEW old.db.v AS SELECT 1", "cannot hold views"),
    ("{hadoop}; CREATE DATABASE old.d COMMENT 'x'", "no comment and no properties"),
    ("{hadoop}; DROP TABLE old.db.t", "does not exist"),
]


def test_errors(checks, keep):
    with Folder(keep) as folder:
        os.makedirs(folder.file("wh/db"))
        folder.file("text", "this is text, and quite a lot of it, more than a header of SQLite has\n" * 40)
        for text, expected in ERRORS:
            statements = text.replace("{hadoop}", hadoop(folder)).replace("{here}", folder.path)
            code, out, err = sql(folder.path, *statements.split("; "))
            checks.ok(f"refused: {text}", code != 0 and expected in err, out + err)
        checks.ok("reserved words name catalogs",
                  ask(folder.path, hadoop(folder), "USE CATALOG old", "SHOW CURRENT CATALOG",
                      "USE CATALOG lake", "SHOW DATABASES FROM old", "DROP CATALOG old") is not None)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--only", default="")
    p.add_argument("--keep")
    a = p.parse_args()
    checks = Checks()
    for name, test in sorted(globals().items()):
        if name.startswith("test_") and a.only in name:
            test(checks, os.path.join(a.keep, name) if a.keep else None)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
