# SPDX-License-Identifier: Apache-2.0
"""A copy of the project that may be changed, its builds, and their tests."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

# The tests that need no driver but the fake one, and that are quick.
LABELS = "^(unit|fuzz|stores|threads|api)$"
OTHER_LABELS = "^(device|tools|merge|full|long)$"
# About other parts of the project than those that are changed.
OTHER_TESTS = re.compile("test_(model|layer|cpp|onednn|example|late)")
# A test that takes this much longer than it should hangs, on a busy machine and
# under sanitizers, too.
HANG_FACTOR, HANG_SECONDS = 20, 60
# What a process may allocate: a changed size shall not fill the machine.
MEMORY = 6 << 30

UNWANTED = re.compile("OPENCL_LAYERS|OCL_ICD_|POCL_|ONEDNN_|DNNL_|MAKEFLAGS"
                      "|C(XX)?FLAGS|LDFLAGS|CC$|CXX$|FAKE_OPENCL|GTEST_")


def environment(**more):
    """This process's, less what changes how tests and builds behave."""
    kept = {name: value for name, value in os.environ.items()
            if not UNWANTED.match(name)}
    return {**kept, "LC_ALL": "C.UTF-8", **more}


class Tree:
    """A copy of the project's files, committed or not, in a folder."""

    def __init__(self, project, folder):
        self.folder = folder
        self.digest = self.copy(project)

    def copy(self, project):
        """Brings the copy up to date.

        Returns a digest of all files but those of this check.
        """
        names = subprocess.run(
            ["git", "ls-files", "-z", "-co", "--exclude-standard"],
            cwd=project, check=True, capture_output=True).stdout.decode()
        digest = hashlib.sha256()
        kept = set()
        for name in sorted(filter(None, names.split("\0"))):
            source, target = project / name, self.folder / name
            if not source.is_file():
                continue
            data = source.read_bytes()
            if not name.startswith("tests/mutation/"):
                digest.update(f"{name}\0{len(data)}\0".encode() + data)
            kept.add(target)
            if not target.is_file() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                shutil.copymode(source, target)
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in kept:
                path.unlink()
        return digest.hexdigest()[:16]


class Test:
    """An entry of ctest's."""

    def __init__(self, entry):
        properties = {one["name"]: one["value"]
                      for one in entry.get("properties", ())}
        self.name = entry["name"]
        self.command = entry["command"]
        self.folder = properties.get("WORKING_DIRECTORY")
        self.limit = properties.get("TIMEOUT", 300)
        self.environment = dict(setting.split("=", 1) for setting
                                in properties.get("ENVIRONMENT", ()))


class Outcome:
    """How a run of a test ended."""

    def __init__(self, test, status, seconds, output, hung):
        self.test = test.name
        self.seconds = seconds
        self.output = output
        self.failed = hung or status != 0
        self.hung = hung
        names = re.findall(r"^\[  FAILED  \] (\w[\w./]*)", output, re.MULTILINE)
        if hung:
            self.words = f"{test.name} (hung)"
        elif names:
            self.words = f"{test.name}: {names[0]}"
        else:
            self.words = f"{test.name} (exit status {status})"


class Build:
    """A build of the copy, and the tests in it."""

    def __init__(self, tree, folder, options, memory=MEMORY):
        self.folder = folder
        self.memory = memory
        self.log = folder.with_suffix(".log")
        self.options = [
            "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++",
            "-DDNNL_CACHE_WERROR=OFF", "-DDNNL_CACHE_BENCH=OFF",
            "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON", *options]
        if shutil.which("ninja"):
            self.options += ["-G", "Ninja"]
        self.tree = tree
        self.stop = threading.Event()
        self.tests = {}
        self.objects = {}
        self.unchanged = {}

    def call(self, *command):
        """Runs a command whose words go to the log; whether it succeeded."""
        with self.log.open("a") as log:
            return subprocess.run(command, stdout=log, stderr=log,
                                  stdin=subprocess.DEVNULL, check=False,
                                  env=environment()).returncode == 0

    def make(self, targets, jobs):
        """Builds the targets; whether that went well."""
        return self.call("cmake", "--build", str(self.folder), "-j", str(jobs),
                         "--target", *targets)

    def ctest(self):
        """The entries of the tests that may be chosen."""
        words = subprocess.run(
            ["ctest", "--test-dir", str(self.folder), "--show-only=json-v1",
             "-L", LABELS, "-LE", OTHER_LABELS],
            check=True, capture_output=True, env=environment()).stdout
        return [entry for entry in json.loads(words)["tests"]
                if not OTHER_TESTS.match(entry["name"])]

    def prepare(self, jobs):
        """Configures, and builds the tests. Raises if that fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log.write_text("")
        if not self.call("cmake", "-S", str(self.tree.folder), "-B",
                         str(self.folder), *self.options):
            raise RuntimeError(f"cannot configure: see {self.log}")
        known = subprocess.run(
            ["cmake", "--build", str(self.folder), "--target", "help"],
            check=True, capture_output=True, env=environment()).stdout.decode()
        known = set(re.findall(r"^(?:\.\.\. )?(\w+)", known, re.MULTILINE))
        targets = [entry["name"] for entry in self.ctest()
                   if entry["name"] in known]
        if not self.make(targets, jobs):
            raise RuntimeError(f"does not build: see {self.log}")
        for entry in self.ctest():
            if entry["name"] in targets:
                test = Test(entry)
                self.tests[test.name] = test
        commands = json.loads(
            (self.folder / "compile_commands.json").read_text())
        for command in commands:
            output = re.search(r" -o (\S+\.o) ", command["command"])
            if output:
                file = os.path.normpath(command["file"])
                self.objects.setdefault(file, []).append(
                    pathlib.Path(command["directory"]) / output[1])
        self.unchanged = {file: self.objects_of(file) for file in self.objects}

    def is_unchanged(self, path):
        """Whether a source file compiles to the same as without a change."""
        path = str(path)
        return bool(self.objects.get(path)) and \
            self.objects_of(path) == self.unchanged[path]

    def objects_of(self, path):
        """The digests of what a source file was last compiled to."""
        return [hashlib.sha256(one.read_bytes()).hexdigest() if one.exists()
                else None for one in self.objects.get(path, ())]

    def run(self, test, seconds, **more):
        """Runs a test, for that long at most."""
        with tempfile.TemporaryDirectory(
                ignore_cleanup_errors=True) as scratch:
            os.chmod(scratch, 0o711)  # some tests of root become another user
            return self.run_in(pathlib.Path(scratch), test, seconds, more)

    def run_in(self, scratch, test, seconds, more):
        """The same, with a folder for its files."""
        variables = environment(TMPDIR=str(scratch), HOME=str(scratch),
                                GTEST_FAIL_FAST="1", **test.environment,
                                **more)

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if self.memory:
                resource.setrlimit(resource.RLIMIT_AS,
                                   (self.memory, self.memory))

        started = time.monotonic()
        end = started + seconds
        hung = False
        with (scratch / "output").open("w+b") as output, subprocess.Popen(
                test.command, stdout=output, stderr=output,
                stdin=subprocess.DEVNULL, env=variables, preexec_fn=limit,
                cwd=test.folder or self.folder,
                start_new_session=True) as process:
            try:
                while process.poll() is None and not self.stop.is_set():
                    hung = time.monotonic() > end
                    if hung:
                        break
                    time.sleep(0.02)
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            status = process.wait()
            taken = time.monotonic() - started
            output.seek(0)
            words = output.read().decode(errors="replace")
        return Outcome(test, status, taken, words, hung)

    def first_failure(self, names, usual, seconds, jobs):
        """Runs tests, the quick ones first, until one fails.

        usual: {name: seconds that it takes}. Returns the failed test's
        outcome, or None, and the names of those that there was no time for.
        """
        end = time.monotonic() + seconds
        self.stop.clear()
        late = []
        lock = threading.Lock()
        failed = []

        def one(name):
            left = end - time.monotonic()
            if self.stop.is_set():
                return
            if left < usual.get(name, 0):
                late.append(name)
                return
            hang = HANG_SECONDS + HANG_FACTOR * usual.get(name, 0)
            outcome = self.run(self.tests[name], min(left, hang))
            with lock:
                if not self.stop.is_set() and outcome.failed:
                    if outcome.hung and left < hang:
                        late.append(name)
                        return
                    failed.append(outcome)
                    self.stop.set()

        names = sorted((name for name in names if name in self.tests),
                       key=lambda name: usual.get(name, 0))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                list(pool.map(one, names))
            finally:
                self.stop.set()
        self.stop.clear()
        return (failed[0] if failed else None), sorted(late)
