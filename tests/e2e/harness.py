# SPDX-License-Identifier: Apache-2.0
"""What the tests with real processes share: running frazil, counting checks, reading tables through
PyIceberg.

    from harness import Checks, Frazil, Lake        # beside a script that began with
    harness.own_python(__file__)                     # (starts again under the installed interpreter)
"""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PEERS = os.path.join(ROOT, "tests", "peers")
sys.path.insert(0, os.path.join(PEERS, "lake"))
sys.path.insert(0, os.path.join(PEERS, "kafka"))


def rows_of(path):
    """The lines of a file of expected rows, counted: their order says nothing."""
    with open(path, encoding="utf-8") as file:
        return collections.Counter(file.read().split("\n")[:-1])


def differ(got, want):
    """What two counters of rows differ in; empty where they do not."""
    if got == want:
        return ""
    wrong, lost = next(iter(got - want), ""), next(iter(want - got), "")
    return f"{sum(got.values())} rows, expected {sum(want.values())}; wrong: {wrong[:300]}; missing: {lost[:300]}"


def own_python(script):
    """Installs the judges, goes on under their interpreter."""
    subprocess.run([os.path.join(PEERS, "lake", "install.sh")], check=True)
    import judge
    judge.own_python(os.path.abspath(script))


class Checks:
    """Counts; the last line of a suite is finish()."""

    def __init__(self):
        self.passed = self.failed = 0
        self.started = time.monotonic()

    def ok(self, name, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {name}" + (f"\n    {detail}" if detail else ""), flush=True)
        return bool(good)

    def note(self, text):
        print(f"[{time.monotonic() - self.started:6.1f} s] {text}", flush=True)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def binary():
    path = os.environ.get("FRAZIL") or os.path.join(ROOT, "build", "release", "frazil")
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is not built (make release), or set FRAZIL")
    return os.path.abspath(path)


class Folder:
    """A working directory that goes away unless the suite failed or `keep` is set."""

    def __init__(self, keep=None):
        self.keep = keep is not None
        self.path = os.path.abspath(keep) if keep else tempfile.mkdtemp(prefix="frazil-e2e-")
        os.makedirs(self.path, exist_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if not self.keep:
            shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path


class Frazil:
    """One process of `frazil run` in `folder` (data directory: folder/frazil-data)."""

    def __init__(self, folder, script, *options, env=None, log="run.log"):
        self.log_path = os.path.join(folder, log)
        self.log = open(self.log_path, "ab")
        self.begun_at = self.log.tell()
        self.process = subprocess.Popen(
            [binary(), "run", *options, script], cwd=folder, env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
            start_new_session=True)

    def wait(self, seconds):
        """The exit status (negative: the signal); None when it is still running."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def running(self):
        return self.process.poll() is None

    def stop(self, seconds=60):
        """Ctrl-C: a last checkpoint, then the end."""
        if self.running():
            self.process.send_signal(signal.SIGINT)
        code = self.wait(seconds)
        if code is None:
            self.kill()
        return code

    def kill(self):
        if self.running():
            self.process.kill()
        return self.process.wait()

    def text(self):
        """What this process has said so far."""
        self.log.flush()
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            f.seek(self.begun_at)
            return f.read()

    def tail(self, lines=12):
        return "\n    ".join(self.text().rstrip().split("\n")[-lines:])

    def figures(self):
        """The last status line: {"rows_in": 12, …}; {} while there is none."""
        found = [x for x in self.text().split("\n") if x.startswith("checkpoint=")]
        if not found:
            return {}
        return {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)(?= |$)", found[-1])}

    def peak_memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmHWM:\s+(\d+) kB", f.read()).group(1)) << 10


def sql(folder, *statements, options=(), env=None, seconds=120):
    """frazil sql -e …: (exit status, standard output, standard error)."""
    arguments = [x for statement in statements for x in ("-e", statement)]
    done = subprocess.run([binary(), "sql", *options, *arguments], cwd=folder,
                          env={**os.environ, **(env or {})}, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=seconds, check=False)
    return done.returncode, done.stdout, done.stderr


class Lake:
    """The tables of folder/frazil-data as PyIceberg sees them, through the catalog file."""

    def __init__(self, folder):
        self.folder, self._catalog, self._cache = folder, None, {}

    def catalog(self):
        if self._catalog is None:
            from pyiceberg.catalog.sql import SqlCatalog
            path = os.path.join(self.folder, "frazil-data", "catalog.db")
            self._catalog = SqlCatalog("lake", uri=f"sqlite:///{path}", warehouse="",
                                       init_catalog_tables="false",
                                       **{"pool_pre_ping": "true"})
        return self._catalog

    def close(self):
        if self._catalog is not None:
            self._catalog.engine.dispose()
            self._catalog = None

    def table(self, name):
        return self.catalog().load_table(f"default.{name}")

    def rows(self, name):
        """All rows of the current snapshot, as Arrow."""
        return self.table(name).scan().to_arrow()

    def count(self, name):
        """The table's own count; 0 while it is not there."""
        from pyiceberg.exceptions import NoSuchTableError
        from sqlalchemy.exc import OperationalError
        if not os.path.exists(os.path.join(self.folder, "frazil-data", "catalog.db")):
            return 0
        try:
            snapshot = self.table(name).current_snapshot()
        except (NoSuchTableError, OperationalError):
            return 0
        return 0 if snapshot is None else int(snapshot.summary["total-records"])

    def rows_cached(self, name, read):
        """[read(rows of a file)] over the live files; each file is read once in a process: what is
        written is never changed."""
        table = self.table(name)
        out = []
        for task in table.scan().plan_files():
            path = task.file.file_path
            if path not in self._cache:
                import pyarrow.parquet as pq
                self._cache[path] = read(pq.read_table(path.removeprefix("file://"),
                                                       partitioning=None))
            out.append(self._cache[path])
        return out


def wait_until(condition, seconds, pause=0.1):
    """True once condition() holds; False when the time is over first."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(pause)
    return bool(condition())


def verify(folder, *names):
    """`judge.py verify --strict --orphans` of tables: (exit status, what it said)."""
    paths = []
    lake = Lake(folder)
    for name in names:
        paths.append(lake.table(name).metadata_location.removeprefix("file://"))
    lake.close()
    done = subprocess.run([sys.executable, os.path.join(PEERS, "lake", "judge.py"), "verify",
                           "--strict", "--orphans", *paths], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr
