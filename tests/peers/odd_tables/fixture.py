# SPDX-License-Identifier: Apache-2.0
"""One Iceberg table while it is being written: by Spark SQL, by Iceberg's Java API, or by hand.

Bodies of tables are functions that get a Table; see make.py for how they are run and exported.
"""
import glob
import json
import os

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = "/lake/odd"  # exists only while tables are made
ALL = []


def table(features, version=2, **props):
    """Registers a function that fills one table; its name is the table's."""
    def wrap(body):
        every = {k.replace("__", "-").replace("_", "."): v for k, v in props.items()}
        ALL.append({"name": body.__name__, "features": features, "version": version, "props": every, "body": body})
        return body
    return wrap


def field(number, name, kind, required=False, **more):
    return {"id": number, "name": name, "required": required, "type": kind,
            **{k.replace("_", "-"): v for k, v in more.items()}}


def arrow_field(number, name, kind, nullable=True):
    """A field of a file that carries its Iceberg id."""
    return pa.field(name, kind, nullable, {"PARQUET:field_id": str(number)})


def list_rows(fx):
    """The canonical rows that Spark reads now."""
    import judge  # from the folder beside, once make.py has said so
    return judge.spark_rows(fx.spark.table(fx.t))


class Table:
    def __init__(self, spark, spec):
        self.spark, self.spec, self.name = spark, spec, spec["name"]
        self.t = f"jdbc.odd.{self.name}"
        self.folder = f"{ROOT}/{self.name}"
        self.jvm = spark._jvm
        self.gateway = spark.sparkContext._gateway
        self.given = None        # canonical lines, where Spark cannot read the table
        self.unread = None       # metadata that Spark does not read
        self.no_history = False  # expected rows of the current state alone
        self.files = 0

    # ---- SQL

    def sql(self, text):
        text = text.replace("{t}", self.t).replace("{n}", self.t.split(".", 1)[1]).replace("{sys}", "jdbc.system")
        return self.spark.sql(text.replace("{folder}", self.folder)).collect()

    def create(self, columns, tail="", **props):
        every = {"format-version": str(self.spec["version"]), **self.spec["props"],
                 **{k.replace("__", "-").replace("_", "."): v for k, v in props.items()}}
        shown = ", ".join(f"'{k}'='{v}'" for k, v in every.items())
        self.sql(f"CREATE TABLE {{t}} ({columns}) USING iceberg {tail} LOCATION 'file:{self.folder}' "
                 f"TBLPROPERTIES ({shown})")

    def insert(self, values, columns=""):
        self.sql(f"INSERT INTO {{t}} {columns} VALUES {values}")

    def select(self, query):
        """One file of what a query says."""
        self.sql(f"INSERT INTO {{t}} SELECT /*+ REPARTITION(1) */ {query}")

    def alter(self, *changes):
        for change in changes:
            self.sql(f"ALTER TABLE {{t}} {change}")

    # ---- Java

    def catalog(self):
        return self.jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergCatalog(self.spark._jsparkSession, "jdbc")

    def java(self):
        identifier = self.jvm.org.apache.iceberg.catalog.TableIdentifier.parse(self.t.split(".", 1)[1])
        return self.catalog().loadTable(identifier)

    def java_create(self, fields, spec=None, **props):
        """From schema JSON: any type, any default."""
        every = self.jvm.java.util.HashMap()
        for key, value in {"format-version": str(self.spec["version"]), **self.spec["props"], **props}.items():
            every.put(key.replace("__", "-").replace("_", "."), value)
        schema = self.jvm.org.apache.iceberg.SchemaParser.fromJson(
            json.dumps({"type": "struct", "schema-id": 0, "fields": fields}))
        parts = self.jvm.org.apache.iceberg.PartitionSpec.unpartitioned() if spec is None else \
            self.jvm.org.apache.iceberg.PartitionSpecParser.fromJson(schema, json.dumps(spec))
        identifier = self.jvm.org.apache.iceberg.catalog.TableIdentifier.parse(self.t.split(".", 1)[1])
        self.catalog().createTable(identifier, schema, parts, f"file:{self.folder}", every)

    def strings(self, values):
        out = self.jvm.java.util.ArrayList()
        for value in values:
            out.add(value)
        return out

    def ints(self, values):
        out = self.gateway.new_array(self.jvm.int, len(values))
        for i, value in enumerate(values):
            out[i] = value
        return out

    def builder(self, kind, path, rows, spec_id, partition, metrics):
        """A DataFiles or FileMetadata builder filled with what both have."""
        table_ = self.java()
        spec = table_.spec() if spec_id is None else table_.specs().get(spec_id)
        out = self.jvm.org.apache.iceberg.DataFiles.builder(spec) if kind == "data" else \
            self.jvm.org.apache.iceberg.FileMetadata.deleteFileBuilder(spec)
        out = out.withPath(f"file:{path}").withFileSizeInBytes(os.path.getsize(path)).withRecordCount(rows)
        out = out.withFormat(path.rsplit(".", 1)[1])
        if partition is not None:
            out = out.withPartition(self.partition(spec, partition))
        if metrics and path.endswith(".parquet"):
            config = self.jvm.org.apache.iceberg.MetricsConfig.forTable(table_)
            file = table_.io().newInputFile(f"file:{path}")
            out = out.withMetrics(self.jvm.org.apache.iceberg.parquet.ParquetUtil.fileMetrics(file, config))
        return out

    def partition(self, spec, texts):
        """A partition from the texts of its values, which only builders of data files parse."""
        file = self.jvm.org.apache.iceberg.DataFiles.builder(spec).withPath("x.parquet").withFileSizeInBytes(1).withRecordCount(1)
        return file.withPartitionValues(self.strings(texts)).build().partition()

    def record(self, spec, values):
        """A partition of values that have no text. Longs must be beyond 32 bits: the bridge picks the class by size."""
        out = self.jvm.org.apache.iceberg.data.GenericRecord.create(spec.partitionType())
        for i, value in enumerate(values):
            out.set(i, value)
        return out

    def path(self, ending="parquet"):
        self.files += 1
        os.makedirs(f"{self.folder}/data", exist_ok=True)
        return f"{self.folder}/data/by-hand-{self.files:03d}.{ending}"

    def write(self, arrow, **options):
        """A Parquet file of an Arrow table, beside the others."""
        path = self.path()
        pq.write_table(arrow, path, **options)
        return path

    def write_avro(self, schema, rows):
        path = self.path("avro")
        with open(path, "wb") as out:
            fastavro.writer(out, schema, rows)
        return path

    def add_file(self, path, rows, partition=None, spec_id=None, metrics=True):
        file = self.builder("data", path, rows, spec_id, partition, metrics).build()
        self.java().newAppend().appendFile(file).commit()
        return file

    def add_arrow(self, arrow, partition=None, metrics=True, **options):
        return self.add_file(self.write(arrow, **options), arrow.num_rows, partition, None, metrics)

    def equality_file(self, arrow, ids, partition=None, spec_id=None, path=None):
        path = path or self.write(arrow)
        out = self.builder("delete", path, arrow.num_rows, spec_id, partition, False)
        return out.ofEqualityDeletes(self.ints(ids)).build()

    def position_file(self, arrow, partition=None, spec_id=None, path=None, referenced=None):
        path = path or self.write(arrow)
        out = self.builder("delete", path, arrow.num_rows, spec_id, partition, False).ofPositionDeletes()
        if referenced:
            out = out.withReferencedDataFile(referenced)
        return out.build()

    def commit_delta(self, rows=(), deletes=()):
        delta = self.java().newRowDelta()
        for file in rows:
            delta = delta.addRows(file)
        for file in deletes:
            delta = delta.addDeletes(file)
        delta.commit()

    def delete_equal(self, arrow, ids, partition=None, spec_id=None):
        self.commit_delta(deletes=[self.equality_file(arrow, ids, partition, spec_id)])

    def data_files(self):
        return sorted(row.file_path for row in self.sql("SELECT file_path FROM {t}.data_files"))

    # ---- by hand

    def metadata_path(self):
        return self.java().operations().current().metadataFileLocation().replace("file:", "", 1)

    def metadata(self):
        with open(self.metadata_path(), encoding="utf-8") as file:
            return json.load(file)

    def take(self, metadata, is_read=True):
        """The table is what this metadata says from now on. Where Spark does not read it, given says its rows."""
        self.files += 1
        path = f"{self.folder}/metadata/{90000 + self.files}-by-hand.metadata.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(metadata, file)
        if not is_read:
            self.unread = path
            return
        name = f"odd.{self.name}_{self.files}"
        self.sql(f"CALL {{sys}}.register_table('{name}', 'file:{path}')")
        self.t = f"jdbc.{name}"

    def edit_metadata(self, change, is_read=True):
        metadata = self.metadata()
        self.take(change(metadata) or metadata, is_read)

    def edit_avro(self, pattern, change, codec="deflate", header=None):
        """change(record) for each record of each file that matches; header(dict) for its key-value pairs."""
        for path in glob.glob(f"{self.folder}/metadata/{pattern}"):
            with open(path, "rb") as file:
                reader = fastavro.reader(file)
                pairs = dict(reader.metadata)
                records = [change(r) or r for r in reader]
            schema = json.loads(pairs.pop("avro.schema"))
            pairs.pop("avro.codec", None)
            if header:
                pairs = header(pairs)
            with open(path, "wb") as file:
                fastavro.writer(file, schema, records, codec=codec, metadata=pairs)
            crc = os.path.join(os.path.dirname(path), "." + os.path.basename(path) + ".crc")
            if os.path.exists(crc):
                os.remove(crc)

    def manifests(self):
        return [p for p in glob.glob(f"{self.folder}/metadata/*.avro") if not os.path.basename(p).startswith("snap-")]
