# SPDX-License-Identifier: Apache-2.0
"""What the speed rows share: programs, CPU of whole processes, and the dated lines of RESULTS.md.

    rows = Rows("json")
    rows.at_least("JSON to columns, GB/s a core", 0.93, 0.8, "3 runs: …")
    sys.exit(rows.finish())

A figure that misses its bound counts as failed. FRAZIL_BENCH_NOTE is added to each line; nothing is
written where FRAZIL_BENCH_DRY is set.
"""
import datetime
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RESULTS = os.path.join(HERE, "RESULTS.md")
HEAD = """# Results

One line a figure, appended by `make bench` (`bench/report.py`). CPU is user and system time of the whole
process. "load" is the machine's at the end of the measurement: on a busy machine caches and memory are
shared, and figures are lower than on a quiet one.

| when (UTC) | commit | machine | measure | figure | bound | met | how |
|---|---|---|---|---|---|---|---|
"""


def program(name):
    """Path of a program of the release build: frazil itself, or one of bench/."""
    build = os.environ.get("FRAZIL_BUILD") or os.path.join(ROOT, "build", "release")
    if name == "frazil":
        path = os.environ.get("FRAZIL") or os.path.join(build, "frazil")
    else:
        path = os.path.join(build, "bench", name)
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is not built (make release)")
    return os.path.abspath(path)


def judges_python():
    """The interpreter with DuckDB and PyIceberg; installed when it is missing."""
    subprocess.run([os.path.join(ROOT, "tests", "peers", "lake", "install.sh")], check=True)
    home = os.environ.get("PEERS_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "frazil-peers")
    return os.path.join(home, "lake", "py", "bin", "python")


def own_python(script):
    """Goes on under the interpreter with DuckDB and PyIceberg."""
    python = judges_python()
    if sys.prefix != os.path.dirname(os.path.dirname(python)):
        os.execv(python, [python, os.path.abspath(script), *sys.argv[1:]])


class Done:
    """How a process ended: code, out, err, cpu (s), wall (s), peak (bytes resident)."""

    def __init__(self, code, out, err, usage, wall):
        self.code, self.out, self.err, self.wall = code, out, err, wall
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024


def run(command, cwd=None, env=None, seconds=3600, check=True):
    """Runs to the end and measures this one process (and children it waited for)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(env or {})}, stdout=out,
                                   stderr=err, stdin=subprocess.DEVNULL)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() - begin > seconds:
                process.kill()
                os.wait4(process.pid, 0)
                sys.exit(f"no end after {seconds} s: {' '.join(command)}")
            time.sleep(0.002)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read().decode("utf-8", "replace"))
        done = Done(process.returncode, *texts, usage, wall)
    if check and done.code != 0:
        sys.exit(f"exit {done.code}: {' '.join(command)}\n{done.out[-2000:]}{done.err[-2000:]}")
    return done


def machine():
    model = cores = ""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    with open("/proc/meminfo", encoding="utf-8") as f:
        gib = int(f.readline().split()[1]) / (1 << 20)
    cores = os.cpu_count()
    return f"{model}, {cores} cores, {gib:.0f} GiB"


def commit():
    git = ["git", "-C", ROOT]
    name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                          check=False).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain", "--", "src"], capture_output=True,
                             text=True, check=False).stdout.strip()
    return name + ("+" if changed else "")


class Folder:
    """A working directory on a real disk (FRAZIL_BENCH_DIR or /var/tmp) that goes away."""

    def __enter__(self):
        base = os.environ.get("FRAZIL_BENCH_DIR") or "/var/tmp"
        self.path = tempfile.mkdtemp(prefix="frazil-bench-", dir=base)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path


class Rows:
    """The rows of one suite."""

    def __init__(self):
        self.passed = self.failed = 0

    def _row(self, measure, figure, bound, met, how):
        if met is not None:
            self.passed += met
            self.failed += not met
        word = {True: "yes", False: "NO", None: "-"}[met]
        print(f"{measure}: {figure} (bound {bound}) {word}  [{how}]", flush=True)
        if os.environ.get("FRAZIL_BENCH_DRY"):
            return
        note = os.environ.get("FRAZIL_BENCH_NOTE")
        how = "; ".join(x for x in (how, f"load {os.getloadavg()[0]:.0f}", note) if x)
        new = not os.path.exists(RESULTS)
        when = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
        with open(RESULTS, "a", encoding="utf-8") as f:
            if new:
                f.write(HEAD)
            f.write(f"| {when} | {commit()} | {machine()} | {measure} | {figure} | {bound} | {word} | "
                    f"{how} |\n")

    def at_least(self, measure, figure, bound, how=""):
        self._row(measure, f"{figure:.4g}", f">= {bound:g}", figure >= bound, how)

    def at_most(self, measure, figure, bound, how=""):
        self._row(measure, f"{figure:.4g}", f"<= {bound:g}", figure <= bound, how)

    def told(self, measure, figure, how=""):
        """A figure without a bound of its own."""
        self._row(measure, f"{figure:.4g}", "-", None, how)

    def right(self, what, good, detail=""):
        """A check of the rows themselves: not a line of the results."""
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {what} {detail}", flush=True)

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


