// SPDX-License-Identifier: Apache-2.0
#include "main/help.h"

#include <stdio.h>
#include <string.h>

static const char overview[] =
    "frazil: Flink SQL over streams, committed exactly once into Apache Iceberg tables\n"
    "\n"
    "  frazil run FILE.sql      run a pipeline in the foreground until it ends or is stopped\n"
    "  frazil sql               a shell; -e 'SELECT ...' and -f FILE for scripts\n"
    "  frazil check FILE.sql    parse, bind and plan only\n"
    "  frazil help COMMAND      more about one of them\n"
    "\n"
    "Data lives in ./frazil-data (--data DIR or FRAZIL_DATA elsewhere): Iceberg tables under\n"
    "warehouse/, the catalog `lake` in catalog.db, checkpoints of pipelines under checkpoints/.\n"
    "\n"
    "  frazil sql -e \"CREATE TABLE t (id BIGINT, name STRING)\"\n"
    "  frazil sql -e \"INSERT INTO t VALUES (1, 'ice')\" -e \"SELECT * FROM t\"\n";

static const char run_text[] =
    "frazil run FILE.sql: runs a script; INSERTs and statement sets are pipelines\n"
    "\n"
    "  --data DIR           where tables, catalog and checkpoints are (default ./frazil-data)\n"
    "  --fresh              start over: what former runs left counts no more\n"
    "  --set KEY=VALUE      as SET 'KEY' = 'VALUE' before the script\n"
    "  -q, --quiet          no status line\n"
    "  --format F           of the rows that SELECTs print: table tsv csv json ndjson typed\n"
    "                       canonical\n"
    "\n"
    "A pipeline has a name (SET 'pipeline.name', else the file's stem) and goes on where it\n"
    "stopped. Ctrl-C stops it at a checkpoint; another one, half a second later or more, at once\n"
    "(only time is lost).\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.\n"
    "\n"
    "  frazil run clicks.sql\n"
    "  frazil run --set parallelism.default=2 --set commit-interval='60 s' clicks.sql\n";

static const char sql_text[] =
    "frazil sql: a shell, or a script from -e, -f or standard input\n"
    "\n"
    "  -e, -c SQL           execute and end (may be given several times)\n"
    "  -f FILE              execute a file and end (- is standard input)\n"
    "  --format F           table tsv csv json ndjson typed canonical (a terminal: table,\n"
    "                       else tsv)\n"
    "  --keep-going         go on behind a statement that failed\n"
    "  --streaming          SELECT follows its inputs ('execution.runtime-mode')\n"
    "  --data DIR, --set KEY=VALUE\n"
    "\n"
    "In the shell: \\d [NAME] describe, \\dt tables, \\x expanded, \\timing, \\watch N, \\q quit.\n"
    "\n"
    "Files are tables by their names (Parquet, Avro, CSV, JSON; patterns and directories too):\n"
    "\n"
    "  frazil sql -e \"SELECT level, COUNT(*) FROM 'logs/**/*.csv.gz' GROUP BY level\"\n"
    "  frazil sql -e \"INSERT INTO 'errors.parquet' SELECT * FROM 'logs/' WHERE level = 'ERROR'\"\n"
    "\n"
    "  frazil sql -e \"SELECT COUNT(*) FROM raw\"\n"
    "  echo 'SHOW TABLES;' | frazil sql --format json\n";

static const char check_text[] =
    "frazil check FILE.sql: parses, binds and plans a script without running it\n"
    "\n"
    "  --data DIR, --set KEY=VALUE\n"
    "\n"
    "Definitions of the script are known to the statements behind them and are not stored.\n"
    "Exit codes: 0 the script is good, 1 it is not.\n";

void help_print(const char *verb)
{
    const char *text = verb == NULL                 ? overview
                       : strcmp(verb, "run") == 0   ? run_text
                       : strcmp(verb, "sql") == 0   ? sql_text
                       : strcmp(verb, "check") == 0 ? check_text
                                                    : overview;
    fputs(text, stdout);
}

void help_version(void)
{
    puts("frazil 0.1.0 (Flink SQL 2.3, Apache Iceberg v2)");
}
