#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs whose headers are moved, with clang as the reference.

    move_campaign.py --probe PROGRAM [--clang CLANG | --reference PROGRAM] [OPTION ...]
    move_campaign.py --probe PROGRAM --driver [OPTION ...]

A random program with folders of headers is put in two places: deeper, behind a link,
in another home, with other slashes or ".." in the options or with relative ones, and in
every other pair with a random change. If the ID says that both are one program
(move_probe), clang must make the same preprocessed text but for line markers, and the
same LLVM IR of both, kernel arguments and their types included, and give the same
messages but for the names of the folders. A pair of copies of which nothing can see its
place must be one program. --reference is clang in one process for all pairs
(tests/include_campaign/move_reference.cpp), thirty times as fast as a process each time.

With --driver the reference is the driver, and the probe one of the library
(move_library_probe): of two that are one program, the second, made from the blob of the
first, must say the same of itself (log, options, kernels, arguments) as the second that
is compiled, and on rusticl and Oclgrind both blobs must have the same binary. On drivers
that are given the names of folders both places have one name, in turn. A driver that
crashes when it compiles the first is begun again, and the pair is counted.

    --count N, --seed N  so many pairs, from that number (100, 1)
    --jobs N             so many processes (1)
    --seconds N          no pair is begun after so many
    --folder DIR         for the files (/dev/shm if it is there and not PoCL loads from
                         it, else TMPDIR)
    --one N              shows the pair of that number: it is always the same
    --plant FAULT        a fault that must be found: "blind", whatever sees its place
                         counts as moved; "relations", the ID does not say which folders
                         are the same one, the working directory or not there

Exits with 1 if a pair fails (with --plant, if none does), with 77 if there is no clang.
"""
import argparse
import collections
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HEADERS = ["h0.h", "h1.h", "h2.h", "sub/h3.h"]
KINDS = ["-I ", "-I ", "-I", "-isystem ", "-isystem ", "-iquote ", "-idirafter "]

# Platforms for which programs move.
MOVING = ["Portable Computing Language", "rusticl"]

# So many failures are shown.
MOST_SHOWN = 10

# Where the second place is, from where the first one is.
HOMES = [["other", "and", "deeper"], ["home", "another.user", ".local", "lib+x"], ["o"],
         ["one-more"]]

# What sees a path, or may; @ is a number of its own.
SIGHTS = [
    "int s@(void) { return sizeof(__FILE__); }",
    "int s@(void) { return sizeof(__BASE_FILE__) + sizeof(__FILE_NAME__); }",
    "#define C@(a, b) a##b\nint s@(void) { return sizeof(C@(__FI, LE__)); }",
    "#define C@(a, b) a%:%:b\nint s@(void) { return sizeof(C@(__, FILE__)); }",
    "int s@(void) { return sizeof(__FI\\\nLE__); }",
    "constant char s@[] = __FILE__;",
    "int s@(void) { return __builtin_LINE() + sizeof(__builtin_FILE()); }",
    "int s@(void) { return __INCLUDE_LEVEL__; }",
    "typedef struct { int a; } t@;\nkernel void k@(t@ x, global t@ *y) {}",
    "typedef struct\n/* of */ { int a; } t@;\nkernel void k@(t@ x) {}",
    "typedef union __attribute__((packed)) { int a; } t@;\nkernel void k@(t@ x) {}",
    "typedef enum { e@ } t@;\nkernel void k@(global t@ *x) {}",
    "typedef struct { int a; } t@[2];\nkernel void k@(global t@ *x) {}",
    "typedef struct { struct { int b; } m; } t@;\n"
    "kernel void k@(global __typeof__(((t@ *)0)->m) *x) {}",
    "struct { int a; } t@(void);\nkernel void k@(global __typeof__(t@()) *x) {}",
    "#define PACKED@ __attribute__((packed))\n"
    "typedef struct PACKED@ { int a; } t@;\nkernel void k@(t@ x) {}",
    "_Pragma(\"message(\\\"x\\\")\")",
    "#line 3",
    "int __attribute__((annotate(\"x\"))) s@(int a) { return __builtin_annotation(a, \"x\"); }",
    "int __attribute__((__deprecated__(\"x\"))) s@(int a) { return a; }",
    "#pragma GCC diagnostic error \"-Wall\"\nint s@(void) { int u; return 0; }",
]
PLAIN = [
    "#undef M@\n#define M@ %d",
    "static int p@(int a) { return a + %d; }",
    "#define P@(a, b) a##b%d",
    "struct n@ { int a[%d + 1]; };\nkernel void k@(struct n@ x, global struct n@ *y) {}",
    "/* __FILE__ */ // struct { %d",
    "typedef union { struct { int a, b; }; int c[%d + 1]; } u@;\n"
    "kernel void m@(u@ x, global u@ *y) { y->a = x.b; }",
    "#define D@(T, R) \\\n  typedef struct { \\\n    T x[%d + 1]; } R##_t;\n"
    "D@(int, z@)\nkernel void n@(z@_t x, global z@_t *y) {}",
    "#define J %d",
    "static int w@(int a) { int unused; return a / 0 + %d; }",
]


class Pair:
    """A program as files and options; folders are numbers."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.sees = False
        self.count = 0
        self.files = {}  # path from the root, its text
        self.links = {}  # path from the root, where it leads to
        r = self.random
        self.often = 0.4 if r.random() < 0.3 else 0  # that something sees
        self.folders = ["f%d" % i for i in range(r.randint(1, 3))]
        for folder in self.folders:
            for name in r.sample(HEADERS, r.randint(1, 4)):
                self.files[folder + "/" + name] = ""
        self.names = [path.split("/", 1)[1] for path in self.files]
        if r.random() < 0.3:
            self.files["z.h"] = ""
            self.names.append("../z.h")
        if r.random() < 0.2:
            self.files["work/" + r.choice(HEADERS)] = ""
        if r.random() < 0.2:
            self.names += ["../f1/h0.h", "../../z.h", "h2.h"]
        for path in self.files:
            self.files[path] = self.text()
        if "z.h" in self.files and r.random() < 0.5:  # a file beside it
            self.files["y.h"] = self.text()
            self.files["z.h"] = "#include \"y.h\"\n" + self.files["z.h"]
        searched = list(self.folders)
        if r.random() < 0.3:
            searched.append("none")
        if r.random() < 0.5:
            self.links["link"] = r.choice(self.folders)
            searched.append("link")
        if r.random() < 0.2:
            searched.append("work")
        r.shuffle(searched)
        if r.random() < 0.2:
            searched.append(r.choice(searched))
        self.options = [(r.choice(KINDS), folder) for folder in searched]
        self.others = r.sample(["-w", "-Wall", "-O2", "-DA=1", "-D B", "-UC"],
                               r.randint(0, 2))
        if r.random() < 0.2:
            self.others += ["-include " + r.choice(self.names)]
        if r.random() < 0.05:
            self.others += ["-Werror" if r.random() < 0.5 else "-g"]
            self.sees = True
        self.source = self.text() + "\nkernel void get(global int *o) { *o = %s; }\n" % (
            "0\n#ifdef J\n + J\n#endif\n")
        self.is_twice = r.random() < 0.15
        if self.is_twice:
            self.search_twice()

    def search_twice(self):
        """Searches a folder as the user's and, by a link, as the system's: clang drops
        the first if they are one, and then the header gives no warning. It is beside
        both, so that it is one file in either case, which alone an ID would tell."""
        folder = self.random.choice(self.folders)
        self.links["link"] = folder
        self.files["z.h"] = ("#pragma once\nstatic int warned(int a) { return a / 0; }\n"
                             + self.files.get("z.h", ""))
        self.options = [("-I ", folder), ("-isystem ", "link")] + [
            (kind, other) for kind, other in self.options if other not in (folder, "link")]
        self.source = "#include <../z.h>\n" + self.source

    def keep_what_drivers_take(self):
        """PoCL refuses other options."""
        self.options = [("-I" if kind == "-I" else "-I ", folder)
                        for kind, folder in self.options]
        self.others = [word for word in self.others if word not in ("-Wall", "-Werror", "-g")]
        self.others.append("-cl-kernel-arg-info")

    def text(self):
        r = self.random
        lines = []
        for _ in range(r.randint(1, 4)):
            self.count += 1
            x = r.random()
            if x < 0.4:
                name = r.choice(self.names)
                lines.append(("#include \"%s\"" if r.random() < 0.5 else "#include <%s>")
                             % name)
            elif x < 0.4 + self.often:
                self.sees = True
                lines.append(r.choice(SIGHTS).replace("@", str(self.count)))
            else:
                piece = r.choice(PLAIN).replace("@", str(self.count))
                lines.append(piece % r.randint(0, 3) if "%d" in piece else piece)
        if r.random() < 0.4:
            lines.append("int v%d(int a) { return a / 0; }" % self.count)
        r.shuffle(lines)
        body = "\n".join(lines) + "\n"
        x = r.random()
        if x < 0.2:
            return "#pragma once\n" + body
        if x < 0.9:
            return "#ifndef G%d\n#define G%d\n%s#endif\n" % (self.count, self.count, body)
        return body

    def put(self, root):
        for folder in self.folders + ["work"]:
            os.makedirs(os.path.join(root, folder))
        for path, text in self.files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as out:
                out.write(text)
        for path, target in self.links.items():
            os.symlink(target, os.path.join(root, path))

    def numbers(self):
        """Which folder of the options each is, from 0; twice named, the first."""
        found = {}
        for _, folder in self.options:
            found.setdefault(folder, len(found))
        return found

    def words(self, root, slashes="", renamed=None):
        """The options in that place; renamed has other names of folders there."""
        renamed = renamed or {}
        return " ".join([kind + root + "/" + renamed.get(folder, folder) + slashes
                         for kind, folder in self.options] + self.others)


def part(pair, root, renamed):
    """Searches a copy in place of one of the folders, by another name."""
    r = pair.random
    old = r.choice(sorted(set(folder for _, folder in pair.options)))
    renamed[old] = "part"
    if os.path.isdir(os.path.join(root, old)):
        shutil.copytree(os.path.join(root, old), os.path.join(root, "part"))


def change(pair, root, renamed):
    """Changes a file of the second place, or the options; returns what."""
    r = pair.random
    path = os.path.join(root, r.choice(sorted(pair.files)))
    if pair.links and r.random() < (0.9 if pair.is_twice else 0.5):
        kind = "unlink"
    elif r.random() < 0.3:
        kind = "part"
        part(pair, root, renamed)
    else:
        kind = r.choice(["edit", "remove", "add", "copy", "hard", "order", "link"])
    if kind == "edit":
        with open(path, "a") as out:
            out.write("int edited;\n")
    elif kind == "remove":
        os.remove(path)
    elif kind == "add":
        new = os.path.join(root, r.choice(pair.folders), r.choice(HEADERS))
        os.makedirs(os.path.dirname(new), exist_ok=True)
        with open(new, "a") as out:
            out.write("int added;\n")
    elif kind in ("copy", "hard"):
        new = os.path.join(root, r.choice(pair.folders), r.choice(HEADERS))
        os.makedirs(os.path.dirname(new), exist_ok=True)
        if os.path.exists(new):
            os.remove(new)
        if os.path.exists(path):
            (shutil.copy if kind == "copy" else os.link)(path, new)
    elif kind == "order":
        r.shuffle(pair.options)
    elif kind == "unlink" and pair.links:
        target = os.path.join(root, "link")
        os.remove(target)
        shutil.copytree(os.path.join(root, pair.links["link"]), target)
    elif kind == "link":
        folder = os.path.join(root, r.choice(pair.folders))
        other = os.path.join(root, r.choice(pair.folders))
        if folder != other and not os.path.islink(other):
            shutil.rmtree(folder)
            os.symlink(os.path.basename(other), folder)
    return kind


def cc1_words(words):
    """As clang's driver gives them to the compiler."""
    out = []
    for word in words.split():
        if out and out[-1] in ("-D", "-U", "-I"):
            out[-1] += word
        else:
            out.append(word)
    return out


class Processes:
    """clang in a process each time: the compiler proper, which is half as long as
    clang's driver before it."""

    def __init__(self, clang):
        self.clang = clang

    def run(self, folder, words):
        ran = subprocess.run([self.clang, "-cc1", *words, "-o", "-"], cwd=folder,
                             text=True, capture_output=True, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def close(self):
        pass


class Server:
    """clang in one process, until it crashes."""

    def __init__(self, program):
        self.program = program
        self.process = None

    def run(self, folder, words):
        if self.process is None:
            self.process = subprocess.Popen(
                [self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process = self.process
        process.stdin.write(("\t".join([folder, *words]) + "\n").encode())
        process.stdin.flush()
        sizes = process.stdout.readline().split()
        if not sizes:
            self.process = None
            return process.wait(), "", "crashed"
        status, output, log = (int(size) for size in sizes)
        return (status, process.stdout.read(output).decode(errors="replace"),
                process.stdout.read(log).decode(errors="replace"))

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


class Campaign:
    def __init__(self, arguments):
        self.reference = (Server(arguments.reference) if arguments.reference
                          else Processes(arguments.clang))
        self.driver = arguments.driver
        self.is_given_names = arguments.is_given_names
        self.home = tempfile.mkdtemp(dir=arguments.home)
        self.beside = os.path.join(self.home, "cache")
        self.name = os.path.join(self.home, "name")
        self.environment = dict(os.environ, POCL_CACHE_DIR=self.beside,
                                MESA_SHADER_CACHE_DIR=self.home)
        self.environment.pop("POCL_EXTRA_BUILD_FLAGS", None)
        self.command = [arguments.probe]
        if arguments.plant:
            self.command += ["--plant", arguments.plant]
        self.probe = self.start_probe()
        self.counts = collections.Counter()
        self.failures = []

    def start_probe(self):
        return subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                text=True, env=self.environment)

    def ask(self, place, words, source, compiles=""):
        """Where a driver is given the names of folders, Oclgrind even that of the
        working directory for its binary, both places have one name in turn."""
        if not self.is_given_names:
            return self.ask_at(place, words, source, compiles)
        os.rename(place, self.name)
        answer = self.ask_at(self.name, words, source, compiles)
        os.rename(self.name, place)
        return answer

    def ask_at(self, place, words, source, compiles):
        self.probe.stdin.write("%s%s/work\t%s\t%s\n" % (compiles, place, words, source))
        self.probe.stdin.flush()
        answer = self.probe.stdout.readline()
        if not answer and self.probe.wait() == 77:
            raise NoDriver()
        if not answer and compiles and self.probe.returncode < 0:
            self.probe = self.start_probe()
            return "crashes"
        if not answer:
            raise RuntimeError("the probe ended with %d" % self.probe.returncode)
        return answer.rstrip("\n")

    def run(self, at, source, more):
        """Folders in messages are numbers of options, as in a log that is kept: two that
        are one folder have the name of which is searched first."""
        place, words, renamed, numbers = at
        command = ["-x", "cl", "-cl-std=CL1.2", "-triple", "spir64",
                   "-cl-kernel-arg-info", "-fno-caret-diagnostics"]
        command += cc1_words(words) + ["-I."] + more + [source]
        status, output, log = self.reference.run(place + "/work", command)
        for folder in sorted(numbers, key=lambda f: -len(f)):
            name = place + "/" + renamed.get(folder, folder)
            log = log.replace(name + "//", "<%d>/" % numbers[folder])
            log = log.replace(name + "/", "<%d>/" % numbers[folder])
        return status, output, log

    def try_pair(self, number, shows=False):
        pair = Pair(number)
        if self.driver:
            pair.keep_what_drivers_take()
        top = os.path.join(self.home, "pair")
        one = os.path.join(top, "one")
        other = os.path.join(top, *pair.random.choice(HOMES))
        if not self.driver:  # which has files of its own there
            shutil.rmtree(self.beside, ignore_errors=True)
        shutil.rmtree(top, ignore_errors=True)
        os.makedirs(self.beside, exist_ok=True)
        source = os.path.join(self.beside, "tempfile.cl")
        with open(source, "w") as out:
            out.write(pair.source)
        pair.put(one)
        pair.put(other)
        renamed = {}
        options = list(pair.options)
        changed = change(pair, other, renamed) if number % 2 else ""
        shown = other
        if self.is_given_names:
            pass
        elif pair.random.random() < 0.3:
            shown = os.path.join(top, "by_link")
            os.symlink(other, shown)
        elif pair.random.random() < 0.1:
            shown = os.path.join(other, "work", "..")
        slashes = pair.random.choice(["", "", "/", "//"])
        is_relative = pair.random.random() < 0.1
        roots = [".." if is_relative else self.name if self.is_given_names else place
                 for place in (one, shown)]
        other_words = pair.words(roots[1], slashes, renamed)
        other_numbers = pair.numbers()
        pair.options = options
        # With other slashes it is another program, as its options are told.
        words = pair.words(roots[0], slashes if number % 8 != 0 else "")
        a = self.ask(one, words, source)
        b = self.ask(shown, other_words, source)
        if shows:
            print(words, other_words, changed, a, b, sep="\n")
        is_one = a == b and not a.startswith("refused")
        self.counts["pairs"] += 1
        if is_one:
            self.counts["one"] += 1
            self.counts["of one, relative"] += is_relative
        elif a.startswith("moves"):
            self.counts["two"] += 1
        else:
            self.counts["stay"] += 1
        if is_one and self.driver:
            self.compare_built(number, (one, words), (shown, other_words), source)
        elif is_one:
            self.compare(number, (one, words, {}, pair.numbers()),
                         (shown, other_words, renamed, other_numbers), source)
        elif not changed and not pair.sees and a.startswith("moves"):
            if number % 8 != 0 or slashes == "":
                self.fail(number, "a copy is another program", a, b)

    def compare(self, number, a, b, source):
        for more in (["-E", "-P"], ["-emit-llvm", "-disable-llvm-passes"]):
            first = self.run(a, source, more)
            second = self.run(b, source, more)
            for what, x, y in zip(("status", "output", "log"), first, second):
                # After an error clang goes on, but nobody gets what it makes.
                if x != y and (what != "output" or first[0] == 0):
                    self.fail(number, "%s of clang %s" % (what, more[0]), x, y)
                    return
        self.counts["compiled"] += first[0] == 0

    def compare_built(self, number, a, b, source):
        first = self.ask(a[0], a[1], source, "=")
        if first == "crashes":
            self.counts["crashed"] += 1
            return
        second = self.ask(b[0], b[1], source, "=")
        self.counts["compiled"] += first != "fails"
        # A first one may have the ID of the pair before, which is as good.
        if (first, second) != ("fails", "fails") and (
                first not in ("first", "same") or second != "same"):
            self.fail(number, "built elsewhere", first, second)

    def fail(self, number, why, a, b):
        self.counts["failures"] += 1
        self.failures.append("pair %d: %s\n%s\n--- and\n%s" % (number, why, a, b))

    def try_all(self, numbers):
        """The counts of these pairs, and what failed."""
        self.counts, self.failures = collections.Counter(), []
        for number in numbers:
            self.try_pair(number)
        return self.counts, self.failures[:MOST_SHOWN]

    def close(self):
        self.probe.stdin.close()
        self.probe.wait()
        self.reference.close()


class NoDriver(Exception):
    """There is none for the probe."""


def begin(arguments):
    """In each process."""
    work.campaign = Campaign(arguments)


def work(numbers):
    return work.campaign.try_all(numbers)


def parts_of(arguments):
    """The pairs, a few at a time."""
    last = arguments.seed + arguments.count
    for first in range(arguments.seed, last, 50):
        yield range(first, min(first + 50, last))


def try_all(arguments):
    """The counts of all pairs; prints what fails."""
    total = collections.Counter()
    shown = 0
    ends = time.monotonic() + (arguments.seconds or float("inf"))
    with multiprocessing.Pool(arguments.jobs, begin, (arguments,)) as pool:
        for counts, failures in pool.imap_unordered(work, parts_of(arguments)):
            total += counts
            for text in failures[:MOST_SHOWN - shown]:
                print(text, flush=True)
                shown += 1
            if total["pairs"] % 10000 < counts["pairs"]:
                print(words_of(total, arguments), file=sys.stderr, flush=True)
            if time.monotonic() > ends or (arguments.plant and total["failures"] > 0):
                break
    return total


def words_of(total, arguments):
    return ("%d pairs: one program %d (%d with relative options), two %d, not moved %d; "
            "%s compiled %d, crashed in %d; failures %d" % (
                total["pairs"], total["one"], total["of one, relative"], total["two"],
                total["stay"], "the driver" if arguments.driver else "clang",
                total["compiled"], total["crashed"], total["failures"]))


def folder_for_files(arguments):
    """In memory, but for PoCL, which loads what it writes."""
    memory = "/dev/shm"
    loads = arguments.driver and arguments.platform == MOVING[0]
    if arguments.folder or loads or not os.access(memory, os.W_OK):
        return arguments.folder
    return memory


def run(arguments):
    if arguments.one is not None:
        campaign = Campaign(arguments)
        campaign.try_pair(arguments.one, True)
        print("\n".join(campaign.failures))
        campaign.close()
        return campaign.counts["failures"]
    began = time.monotonic()
    total = try_all(arguments)
    seconds = time.monotonic() - began
    print("%s; %.1f s for 1000" % (words_of(total, arguments),
                                   seconds * 1000 / max(1, total["pairs"])))
    return total["failures"] + (total["one"] == 0 or total["compiled"] == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--clang", default=shutil.which("clang"))
    parser.add_argument("--reference")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--folder")
    parser.add_argument("--one", type=int)
    parser.add_argument("--driver", action="store_true")
    parser.add_argument("--plant", choices=["blind", "relations"])
    arguments = parser.parse_args()
    if arguments.clang is None and not arguments.reference and not arguments.driver:
        print("there is no clang")
        return 77
    platform = os.environ.get("DNNL_CACHE_TEST_PLATFORM", MOVING[0])
    arguments.platform = platform
    arguments.is_given_names = arguments.driver and platform not in MOVING
    arguments.home = tempfile.mkdtemp(prefix="dnnl_cache_moves.",
                                      dir=folder_for_files(arguments))
    try:
        failures = run(arguments)
    except NoDriver:
        print("there is no driver %s" % platform)
        return 77
    finally:
        shutil.rmtree(arguments.home, ignore_errors=True)
    return 1 if (failures > 0) != (arguments.plant is not None) else 0


if __name__ == "__main__":
    sys.exit(main())
