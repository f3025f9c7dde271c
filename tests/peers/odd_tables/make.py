#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/corpora/odd-iceberg.tar.xz: Iceberg tables of kinds that are seldom met, with the rows
that Spark reads back, at every snapshot, branch and tag.

  make.py [--out DIR] [--only NAME,NAME] [--pack FILE]

Tables are made under /lake/odd, a link that exists for the time this runs, so that their stored
locations do not exist where they are read. Layout and meta.json are those of the spark-iceberg corpus.
Spark and Iceberg: tests/peers/lake/install.sh spark.
"""
import argparse
import glob
import importlib
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "lake")]
import judge  # noqa: E402


def write_lines(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def export(fx, folder):
    spark = fx.spark
    lines = fx.given if fx.given is not None else judge.spark_rows(spark.table(fx.t))
    write_lines(f"{folder}/expected.ndjson", lines)
    if fx.unread:
        metadata, version = fx.unread, json.load(open(fx.unread, encoding="utf-8"))["format-version"]
    else:
        current = fx.java().operations().current()
        metadata, version = current.metadataFileLocation().replace("file:", "", 1), current.formatVersion()
    meta = {"table": fx.name, "features": fx.spec["features"], "format-version": version, "location": f"file:{fx.folder}",
            "metadata": os.path.relpath(metadata, fx.folder), "expected": {"file": "expected.ndjson", "rows": len(lines)}}
    if fx.given is None:
        export_more(fx, folder, meta)
    with open(f"{folder}/meta.json", "w", encoding="utf-8") as file:
        json.dump(meta, file, indent=1, ensure_ascii=False)


def export_more(fx, folder, meta):
    """Rows of each snapshot, branch and tag, and what metadata columns say."""
    spark, current = fx.spark, fx.java().operations().current()
    snapshots = [s.snapshotId() for s in fx.java().snapshots()]
    if not fx.no_history and len(snapshots) > 1:
        meta["snapshots"] = []
        for number in snapshots:
            rows = judge.spark_rows(spark.read.option("versionAsOf", number).table(fx.t))
            write_lines(f"{folder}/expected/snapshot-{number}.ndjson", rows)
            meta["snapshots"].append({"snapshot-id": number, "rows": len(rows),
                                      "file": f"expected/snapshot-{number}.ndjson"})
    refs = sorted(e.getKey() for e in current.refs().entrySet())
    if len(refs) > 1:
        meta["refs"] = []
        for i, name in enumerate(refs):
            shown = name.replace("'", "\\'")
            rows = judge.spark_rows(spark.sql(f"SELECT * FROM {fx.t} VERSION AS OF '{shown}'"))
            write_lines(f"{folder}/expected/ref-{i}.ndjson", rows)
            meta["refs"].append({"name": name, "rows": len(rows), "file": f"expected/ref-{i}.ndjson"})
    for extra, columns in (("lineage", "_row_id, _last_updated_sequence_number"), ("places", "_spec_id, _pos, _partition")):
        if extra == "places" or meta["format-version"] >= 3:
            try:
                rows = judge.spark_rows(spark.sql(f"SELECT {columns}, * FROM {fx.t}"))
            except Exception as error:  # no partition fields: no type that Arrow has
                print(f"    {fx.name}: no {extra}: {str(error)[:100]}", flush=True)
                continue
            write_lines(f"{folder}/expected/{extra}.ndjson", rows)


def session(scratch):
    os.makedirs(f"{scratch}/odd")
    if os.path.lexists("/lake"):
        raise SystemExit("/lake exists")
    os.symlink(scratch, "/lake")
    return judge.spark_session([f"jdbc=jdbc:{scratch}/catalog.db,file:/lake/odd"],
                               # the vectorised reader refuses some shredded variants
                               ["spark.sql.iceberg.vectorization.enabled=false", "spark.sql.caseSensitive=true"], memory="2g")


def make(fx, out):
    target = os.path.join(out, fx.name)
    fx.spec["body"](fx)
    export(fx, fx.folder)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(fx.folder, target, ignore=shutil.ignore_patterns("*.crc", ".*.crc", "_SUCCESS"))


def plain(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def pack(out, path):
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for name in sorted(os.listdir(out)):
            archive.add(os.path.join(out, name), f"odd-iceberg/{name}", filter=plain)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="odd-iceberg")
    parser.add_argument("--only")
    parser.add_argument("--pack")
    arguments = parser.parse_args()
    for name in sorted(glob.glob(f"{HERE}/kinds_*.py")):
        importlib.import_module(os.path.basename(name)[:-3])
    import fixture
    wanted = [s for s in fixture.ALL if not arguments.only or s["name"] in arguments.only.split(",")]
    scratch = tempfile.mkdtemp(prefix="odd-tables-")
    spark = session(scratch)
    failed = []
    try:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS jdbc.odd")
        for spec in wanted:
            start = time.time()
            try:
                make(fixture.Table(spark, spec), arguments.out)
                print(f"ok {spec['name']} {time.time() - start:.1f} s", flush=True)
            except Exception as error:  # the others still
                failed.append(spec["name"])
                print(f"FAILED {spec['name']}: {str(error)[:600]}", flush=True)
                if os.environ.get("TRACE"):
                    traceback.print_exc()
        spark.stop()
    finally:
        os.unlink("/lake")
        shutil.rmtree(scratch, ignore_errors=True)
    if arguments.pack:
        pack(arguments.out, arguments.pack)
    print(f"{len(wanted) - len(failed)} made, {len(failed)} failed {' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    judge.own_python(os.path.abspath(__file__))
    sys.exit(main())
