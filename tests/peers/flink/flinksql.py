#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small client of Flink's SQL gateway (REST, v3) and JobManager REST.

Used by start.sh, sql.sh, bench.sh and the recorders beside it; only the
standard library. As a module: Cluster(dir), Session(cluster, options),
session.execute(sql) -> Result, split_statements(text), fold(rows).
"""
import argparse
import base64
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from decimal import Context, Decimal

WIDE = Context(prec=60)
KINDS = {"INSERT": "+I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "+U", "DELETE": "-D"}


class FlinkError(Exception):
    """A statement failed; .root is the innermost message, .text all of it."""

    def __init__(self, text):
        self.text = text
        self.root = root_cause(text)
        super().__init__(self.root)


class Timeout(Exception):
    pass


def root_cause(text):
    """The last 'Caused by' of a Java stack trace (class and message)."""
    parts = re.split(r"\nCaused by: ", text)
    last = parts[-1]
    out = []
    for line in last.split("\n"):
        if re.match(r"\s+(at |\.\.\. \d+ more|Suppressed:)", line) or line.startswith("\tat "):
            break
        out.append(line)
    return "\n".join(out).strip()


def http(method, url, body=None, timeout=60):
    data = None if body is None else json.dumps(body).encode()
    req = urllib.request.Request(url, data=data, method=method,
                                 headers={"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(req, timeout=timeout) as r:
            raw = r.read()
    except urllib.error.HTTPError as e:
        raw = e.read().decode(errors="replace")
        try:
            errors = json.loads(raw).get("errors", [raw])
        except ValueError:
            errors = [raw]
        raise FlinkError("\n".join(str(x) for x in errors)) from None
    return json.loads(raw, parse_float=Decimal) if raw else {}


class Cluster:
    def __init__(self, directory):
        self.dir = os.path.abspath(directory)
        self.env = {}
        with open(os.path.join(self.dir, "env"), encoding="utf-8") as f:
            for line in f:
                k, _, v = line.rstrip("\n").partition("=")
                self.env[k] = v
        self.rest = self.env["REST_URL"]
        self.gateway = self.env["GATEWAY_URL"]

    def job(self, job_id):
        return http("GET", f"{self.rest}/jobs/{job_id}")

    def job_exception(self, job_id):
        r = http("GET", f"{self.rest}/jobs/{job_id}/exceptions")
        entries = r.get("exceptionHistory", {}).get("entries", [])
        return entries[0].get("stacktrace", "") if entries else r.get("root-exception") or ""

    def wait_job(self, job_id, deadline, want=("FINISHED",)):
        delay = 0.05
        while True:
            state = self.job(job_id)["state"]
            if state in want:
                return state
            if state in ("FAILED", "CANCELED", "FINISHED", "SUSPENDED"):
                raise FlinkError(f"job {job_id} {state}\n{self.job_exception(job_id)}")
            if time.time() > deadline:
                raise Timeout(f"job {job_id} still {state}")
            time.sleep(delay)
            delay = min(delay * 1.5, 0.5)

    def cancel(self, job_id):
        try:
            http("PATCH", f"{self.rest}/jobs/{job_id}?mode=cancel")
        except FlinkError:
            pass

    def running(self):
        return [j["id"] for j in http("GET", f"{self.rest}/jobs")["jobs"]
                if j["status"] not in ("FINISHED", "FAILED", "CANCELED")]


class Result:
    def __init__(self):
        self.columns = []      # (name, type text)
        self.rows = []         # (kind, [values])
        self.job_id = None
        self.is_query = False
        self.result_kind = None


class Session:
    def __init__(self, cluster, options=None):
        self.c = cluster
        self.version = "v3"
        props = dict(options or {})
        r = http("POST", f"{cluster.gateway}/{self.version}/sessions", {"properties": props})
        self.handle = r["sessionHandle"]
        self.base = f"{cluster.gateway}/{self.version}/sessions/{self.handle}"

    def close(self):
        try:
            http("DELETE", self.base)
        except (FlinkError, OSError):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def execute(self, sql, timeout=600.0, limit=None, on_row=None, wait=True):
        """Runs one statement. For a query: fetches all rows of a bounded job
        (or `limit` rows, then cancels). For an INSERT: waits for its job."""
        deadline = time.time() + timeout
        op = http("POST", f"{self.base}/statements", {"statement": sql})["operationHandle"]
        opurl = f"{self.base}/operations/{op}"
        res = Result()
        url = f"{opurl}/result/0?rowFormat=JSON"
        delay = 0.005
        n = 0
        try:
            while True:
                if time.time() > deadline:
                    raise Timeout("statement still running")
                r = http("GET", url if url.startswith("http") else self.c.gateway + url)
                kind = r.get("resultType")
                if kind == "NOT_READY":
                    time.sleep(delay)
                    delay = min(delay * 1.5, 0.2)
                    nxt = r.get("nextResultUri")
                    if nxt:
                        url = nxt
                    continue
                results = r.get("results") or {}
                if results.get("columns") and not res.columns:
                    res.columns = [(c["name"], type_text(c["logicalType"]))
                                   for c in results["columns"]]
                res.is_query = bool(r.get("isQueryResult", res.is_query))
                res.job_id = r.get("jobID") or res.job_id
                res.result_kind = r.get("resultKind") or res.result_kind
                data = results.get("data") or []
                for row in data:
                    item = (KINDS[row["kind"]], row["fields"])
                    if on_row:
                        on_row(item)
                    else:
                        res.rows.append(item)
                    n += 1
                    if limit is not None and n >= limit:
                        if res.job_id:
                            self.c.cancel(res.job_id)
                        return res
                if kind == "EOS":
                    break
                if data:
                    delay = 0.005
                else:
                    time.sleep(delay)
                    delay = min(delay * 1.5, 0.2)
                url = r["nextResultUri"]
        except BaseException:
            if res.job_id and res.is_query:
                self.c.cancel(res.job_id)
            raise
        finally:
            try:
                http("DELETE", f"{opurl}/close")
            except (FlinkError, OSError):
                pass
        if res.job_id and not res.is_query and wait:
            self.c.wait_job(res.job_id, deadline)
        return res


def type_text(t):
    """Flink's JSON logical type as SQL text."""
    name = t["type"]
    null = "" if t.get("nullable", True) else " NOT NULL"
    if name == "VARCHAR" and t.get("length") == 2147483647:
        s = "STRING"
    elif name == "VARBINARY" and t.get("length") == 2147483647:
        s = "BYTES"
    elif name in ("CHAR", "VARCHAR", "BINARY", "VARBINARY"):
        s = f"{name}({t['length']})"
    elif name == "DECIMAL":
        s = f"DECIMAL({t['precision']}, {t['scale']})"
    elif name in ("TIMESTAMP_WITHOUT_TIME_ZONE", "TIMESTAMP_WITH_LOCAL_TIME_ZONE",
                  "TIME_WITHOUT_TIME_ZONE"):
        s = {"TIMESTAMP_WITHOUT_TIME_ZONE": "TIMESTAMP",
             "TIMESTAMP_WITH_LOCAL_TIME_ZONE": "TIMESTAMP_LTZ",
             "TIME_WITHOUT_TIME_ZONE": "TIME"}[name] + f"({t['precision']})"
    elif name == "INTEGER":
        s = "INT"
    elif name == "ARRAY":
        s = f"ARRAY<{type_text(t['elementType'])}>"
    elif name == "MULTISET":
        s = f"MULTISET<{type_text(t['elementType'])}>"
    elif name == "MAP":
        s = f"MAP<{type_text(t['keyType'])}, {type_text(t['valueType'])}>"
    elif name == "ROW":
        s = "ROW<" + ", ".join(f"`{f['name']}` {type_text(f['fieldType'])}"
                               for f in t["fields"]) + ">"
    else:
        s = name
    return s + null


def norm(v, typ=""):
    """One value of the gateway's JSON in a fixed spelling, by its SQL type:
    TIMESTAMP(p)/TIMESTAMP_LTZ(p)/TIME(p) with exactly p digits of fraction and
    a space (the gateway's LTZ is in the session's zone, whatever its Z says),
    DECIMAL(p, s) as text with exactly s digits of fraction, FLOAT and DOUBLE as
    the shortest text that reads back."""
    if v is None:
        return None
    m = re.match(r"(TIMESTAMP|TIMESTAMP_LTZ|TIME)\((\d)\)", typ)
    if m and isinstance(v, str):
        v = v.replace("T", " ", 1)
        head, _, frac = v.rstrip("Z").partition(".")
        p = int(m.group(2))
        return head + ("." + frac.ljust(p, "0")[:p] if p else "")
    if typ.startswith("DECIMAL"):
        scale = int(re.match(r"DECIMAL\(\d+, (\d+)\)", typ).group(1))
        return format(Decimal(v).quantize(Decimal(1).scaleb(-scale), context=WIDE), "f")
    if isinstance(v, Decimal):
        return float(v)
    if typ.startswith("ARRAY<") and isinstance(v, list):
        inner = typ[6:typ.rindex(">")]
        return [norm(x, inner) for x in v]
    if isinstance(v, (dict, list)):
        return json.loads(json.dumps(v, default=float))
    return v


def arguments(typ):
    """The types inside a constructed one: of MAP<K, V> K and V, of a ROW (name, type) pairs."""
    inner, out, depth, start = typ[typ.index("<") + 1:typ.rindex(">")], [], 0, 0
    for i, ch in enumerate(inner):
        depth += (ch in "<(") - (ch in ">)")
        if ch == "," and depth == 0:
            out.append(inner[start:i].strip())
            start = i + 1
    out.append(inner[start:].strip())
    if typ.startswith("ROW<"):
        return [(m.group(1), m.group(2)) for m in (re.match(r"`(.*?)` (.*)$", x, re.S) for x in out)]
    return out


def shown(v, typ):
    """A value inside another as Flink's SQL client shows it: NULL, TRUE, (1, a), [1, 2], {k=v}."""
    if v is None:
        return "NULL"
    if typ.startswith("ARRAY<"):
        return "[" + ", ".join(shown(x, arguments(typ)[0]) for x in v) + "]"
    if typ.startswith("MAP<"):
        key, value = arguments(typ)
        return "{" + ", ".join(f"{shown(k, key)}={shown(x, value)}" for k, x in v.items()) + "}"
    if typ.startswith("ROW<"):
        return "(" + ", ".join(shown(v[n], t) for n, t in arguments(typ)) + ")"
    if typ.startswith(("BYTES", "BINARY", "VARBINARY")):
        return f"x'{base64.b64decode(v).hex()}'"
    v = norm(v, typ)
    if isinstance(v, bool):
        return "TRUE" if v else "FALSE"
    return repr(v) if isinstance(v, float) else str(v)


def cell(v, typ=""):
    """One value as TSV text: NULL is \\N; tab, newline, CR, backslash escaped;
    everything else as the SQL client shows it."""
    if v is None:
        return "\\N"
    return (shown(v, typ).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
            .replace("\r", "\\r"))


def json_of(values, columns):
    return json.dumps({c[0]: norm(v, c[1]) for c, v in zip(columns, values)},
                      ensure_ascii=False)


def line_of(values, columns):
    return "\t".join(cell(v, columns[i][1] if i < len(columns) else "")
                     for i, v in enumerate(values))


def upsert_key(sql):
    """The columns named in a '-- upsert key: a, b' comment, or None."""
    m = re.search(r"(?m)^-- upsert key: *(.+?) *$", sql)
    return [x.strip() for x in m.group(1).split(",")] if m else None


def fold(rows, columns, text=line_of, key=None):
    """Applies a changelog; returns the lines that remain, in order of their last
    change. Without `key` as a multiset (a retraction of a row that is not there
    is an error); with `key`, column names, as an upsert stream. Flink leaves -U
    out where a query has a unique key (Top-1, deduplicate, some joins): such a
    changelog needs the key."""
    kinds = {k for k, _ in rows}
    if key is None and "+U" in kinds and "-U" not in kinds:
        raise ValueError("an upsert changelog (+U without -U): name its key "
                         "with a comment line '-- upsert key: ...'")
    order = {}
    if key is not None:
        at = [[c[0] for c in columns].index(k) for k in key]
        table = {}
        for i, (kind, values) in enumerate(rows):
            k = line_of([values[j] for j in at], [columns[j] for j in at])
            table.pop(k, None)
            if kind in ("+I", "+U"):
                table[k] = text(values, columns)
        return list(table.values())
    bag = Counter()
    for i, (kind, values) in enumerate(rows):
        s = text(values, columns)
        if kind in ("+I", "+U"):
            bag[s] += 1
            order[s] = i
        else:
            if bag[s] == 0:
                raise ValueError(f"{kind} of a row that is not there: {s}")
            bag[s] -= 1
    out = []
    for s in sorted((s for s in bag if bag[s] > 0), key=lambda s: order[s]):
        out.extend([s] * bag[s])
    return out


def split_statements(text):
    """Splits a script at ';' outside quotes and comments, keeping hints."""
    out, cur, i, n = [], [], 0, len(text)
    depth = 0
    while i < n:
        ch = text[i]
        two = text[i:i + 2]
        if two == "--":
            j = text.find("\n", i)
            i = n if j < 0 else j
            continue
        if two == "/*" and text[i:i + 3] != "/*+":
            j = text.find("*/", i)
            i = n if j < 0 else j + 2
            continue
        if ch in "'`\"":
            j = i + 1
            while j < n:
                if text[j] == ch:
                    if text[j:j + 2] == ch * 2:
                        j += 2
                        continue
                    break
                j += 1
            cur.append(text[i:j + 1])
            i = j + 1
            continue
        if ch == ";":
            s = "".join(cur).strip()
            if re.match(r"(?is)^(EXECUTE\s+STATEMENT\s+SET|BEGIN\s+STATEMENT\s+SET)\b", s):
                depth = 1
            if depth and not re.match(r"(?is)^END$", s.split("\n")[-1].strip()) \
                    and not re.search(r"(?is);\s*END$", s):
                cur.append(";")
                i += 1
                continue
            depth = 0
            if s:
                out.append(s)
            cur = []
            i += 1
            continue
        cur.append(ch)
        i += 1
    s = "".join(cur).strip()
    if s:
        out.append(s)
    return out


def substitute(text, variables):
    for k, v in variables.items():
        text = text.replace("${" + k + "}", v)
    return text


def cmd_wait(a):
    c = Cluster(a.dir)
    deadline = time.time() + a.timeout
    state = ""
    while time.time() < deadline:
        for key in ("JM_PID", "TM_PID", "GATEWAY_PID"):
            if not os.path.exists(f"/proc/{c.env[key]}"):
                print(f"{key} {c.env[key]} has ended", file=sys.stderr)
                return 1
        try:
            o = http("GET", f"{c.rest}/overview", timeout=5)
            state = f"slots {o.get('slots-total')}"
            if o.get("slots-total", 0) >= a.slots:
                state = "gateway"
                info = http("GET", f"{c.gateway}/v1/info", timeout=5)
                if info.get("version"):
                    return 0
        except (OSError, FlinkError, ValueError):
            pass
        time.sleep(0.3)
    print(f"timeout ({state})", file=sys.stderr)
    return 1


def cmd_run(a):
    text = sys.stdin.read() if a.file == "-" else open(a.file, encoding="utf-8").read()
    text = substitute(text, dict(v.split("=", 1) for v in a.var))
    options = {"execution.runtime-mode": a.mode, "table.local-time-zone": "UTC"}
    options.update(v.split("=", 1) for v in a.set)
    c = Cluster(a.dir)
    deadline = time.time() + a.timeout
    with Session(c, options) as s:
        for stmt in split_statements(text):
            try:
                r = s.execute(stmt, timeout=max(1, deadline - time.time()),
                              limit=a.limit, wait=not a.no_wait)
            except FlinkError as e:
                head = " ".join(stmt.split())[:100]
                print(f"FAILED: {head}\n{e.root}", file=sys.stderr)
                if a.verbose:
                    print(e.text, file=sys.stderr)
                return 1
            except Timeout as e:
                print(f"TIMEOUT: {e}", file=sys.stderr)
                return 3
            if r.job_id and not r.is_query:
                print(f"job {r.job_id}" + ("" if a.no_wait else " finished"), file=sys.stderr)
                continue
            if not r.is_query and r.rows == [("+I", ["OK"])]:
                continue
            emit(r, a, upsert_key(text))
    return 0


def cmd_savepoint(a):
    """Stops a job with a savepoint, prints where it is."""
    c = Cluster(a.dir)
    r = http("POST", f"{c.rest}/jobs/{a.job}/stop",
             {"drain": False, "targetDirectory": f"file://{c.dir}/savepoints"})
    deadline = time.time() + 120
    while time.time() < deadline:
        s = http("GET", f"{c.rest}/jobs/{a.job}/savepoints/{r['request-id']}")
        if s["status"]["id"] == "COMPLETED":
            op = s["operation"]
            if "location" in op:
                print(op["location"])
                return 0
            print(op.get("failure-cause", {}).get("stack-trace", op), file=sys.stderr)
            return 1
        time.sleep(0.2)
    return 3


def cmd_cancel(a):
    c = Cluster(a.dir)
    c.cancel(a.job)
    c.wait_job(a.job, time.time() + 60, want=("CANCELED", "FINISHED", "FAILED"))
    return 0


def emit(r, a, key):
    out = sys.stdout
    text = line_of if a.format == "tsv" else json_of
    if a.changelog:
        for kind, values in r.rows:
            if a.format == "tsv":
                out.write(kind + "\t" + line_of(values, r.columns) + "\n")
            else:
                out.write('{"op": "%s", %s\n' % (kind, json_of(values, r.columns)[1:]))
        return
    lines = fold(r.rows, r.columns, text, key)
    if a.sort:
        lines.sort(key=lambda x: x.encode())
    for x in lines:
        out.write(x + "\n")


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(dest="cmd", required=True)
    w = sub.add_parser("wait")
    w.add_argument("--dir", required=True)
    w.add_argument("--slots", type=int, default=1)
    w.add_argument("--timeout", type=float, default=120)
    r = sub.add_parser("run")
    r.add_argument("--dir", required=True)
    r.add_argument("--file", required=True)
    r.add_argument("--mode", default="streaming", choices=["streaming", "batch"])
    r.add_argument("--format", default="tsv", choices=["tsv", "ndjson"])
    r.add_argument("--changelog", action="store_true")
    r.add_argument("--sort", action="store_true")
    r.add_argument("--set", action="append", default=[])
    r.add_argument("--var", action="append", default=[])
    r.add_argument("--no-wait", action="store_true")
    r.add_argument("--limit", type=int)
    r.add_argument("--timeout", type=float, default=600)
    r.add_argument("--verbose", action="store_true")
    for name in ("savepoint", "cancel"):
        j = sub.add_parser(name)
        j.add_argument("--dir", required=True)
        j.add_argument("--job", required=True)
    a = p.parse_args()
    return {"wait": cmd_wait, "run": cmd_run, "savepoint": cmd_savepoint,
            "cancel": cmd_cancel}[a.cmd](a)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, FlinkError) as e:
        print(f"flinksql: {e}", file=sys.stderr)
        sys.exit(1)
