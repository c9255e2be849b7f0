#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package without a device and without pyopencl: blobs, IDs, stores,
statuses, definitions of the library's functions, the layer's environment.
Needs DNNL_CACHE_TEST_SOURCES, the top folder of the sources."""
import ast
import ctypes
import json
import logging
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import dnnl_cache
from dnnl_cache import _errors, _native

SOURCES = pathlib.Path(os.environ["DNNL_CACHE_TEST_SOURCES"])
BLOBS = SOURCES / "tests/data/blobs"


def setUpModule():
    # What is damaged is logged; the tests look at exceptions.
    logging.getLogger("dnnl_cache").addHandler(logging.NullHandler())


def run_python(text, **environment):
    """A fresh interpreter with the package."""
    changed = dict(os.environ)
    for name in ("OPENCL_LAYERS", "DNNL_CACHE_DIR"):
        changed.pop(name, None)
    changed.update(environment)
    return subprocess.run([sys.executable, "-B", "-c", text], text=True,
                          capture_output=True, env=changed, timeout=120)


def good_blobs():
    return sorted(BLOBS.glob("good-*.blob"))


class Definitions(unittest.TestCase):
    """What ctypes is told of the library."""

    def test_sizes_are_those_of_c(self):
        sizes = {
            "dnnl_cache_creation_info_t": _native.CreationInfoStruct,
            "dnnl_cache_blob_info_t": _native.BlobInfoStruct,
            "dnnl_cache_id_field_t": _native.IdFieldStruct,
            "dnnl_cache_capture_options_t": _native.CaptureOptionsStruct,
            "dnnl_cache_store_metadata_t": _native.StoreMetadataStruct,
            "dnnl_cache_store_t": _native.StoreCallbacksStruct,
            "struct dnnl_cache_store_options": _native.StoreOptionsStruct,
            "struct dnnl_cache_store_type": _native.StoreTypeStruct,
            "struct dnnl_cache_store_entry": _native.StoreItemStruct,
            "struct dnnl_cache_store_check": _native.StoreCheckStruct,
            "struct dnnl_cache_store_statistics":
                _native.StoreStatisticsStruct,
            "dnnl_exec_arg_t": _native.ExecArgStruct}
        for name, struct in sizes.items():
            with self.subTest(name):
                self.assertEqual(
                    _native.lib.dnnl_cache_python_get_size(name.encode()),
                    ctypes.sizeof(struct))
        self.assertEqual(
            _native.lib.dnnl_cache_python_get_size(b"unknown"), 0)

    def test_functions_have_the_linkers_names_and_their_arguments(self):
        renamed = (SOURCES / "include/dnnl_cache/symbols.h").read_text(
            encoding="utf-8")
        linked = {linker: name for name, linker in re.findall(
            r"#define (dnnl_\w+)[ \\\n]+(dnnlc_\w+)", renamed)}
        self.assertTrue(linked)
        headers = "".join(
            path.read_text(encoding="utf-8") for path in (
                *(SOURCES / "include/dnnl_cache").rglob("*.h"),
                SOURCES / "python/native/module.h"))
        headers = re.sub(r"/\*.*?\*/", "", headers, flags=re.DOTALL)
        for name, arguments in _native.FUNCTIONS.items():
            with self.subTest(name):
                found = re.search(
                    rf"\b{linked.get(name, name)}\(([^;]*)\);", headers)
                self.assertIsNotNone(found)
                words = found.group(1).strip()
                count = 0 if words == "void" else words.count(",") + 1
                self.assertEqual(len(arguments), count)

    def test_opencl_functions_are_those_that_the_layer_forwards(self):
        called = set(re.findall(
            r"next_layer->(cl\w+)\(",
            (SOURCES / "layer/driver/next_layer.c").read_text(encoding="utf-8")))
        table = (SOURCES / "python/native/opencl_table.c").read_text(
            encoding="utf-8")
        self.assertEqual(called, set(re.findall(r"X\((cl\w+)", table)))
        self.assertGreater(len(called), 40)

    def test_statuses_have_the_librarys_numbers(self):
        for name in ("OUT_OF_MEMORY", "INVALID_ARGUMENTS", "UNIMPLEMENTED",
                     "RUNTIME_ERROR", "NOT_REQUIRED"):
            self.assertEqual(
                _native.status_name(getattr(_errors, name)), name.lower())
        for name in ("MISS", "BLOB_CORRUPT", "BLOB_STALE",
                     "BLOB_UNSUPPORTED"):
            self.assertEqual(_native.status_name(getattr(_errors, name)),
                             "cache_" + name.lower())

    def test_sources_are_of_python_3_9(self):
        files = list((SOURCES / "python/dnnl_cache").glob("*.py"))
        self.assertGreater(len(files), 8)
        for file in files:
            with self.subTest(file.name):
                ast.parse(file.read_text(encoding="utf-8"),
                          feature_version=(3, 9))

    def test_every_public_name_has_a_docstring(self):
        for name in dnnl_cache.__all__:
            with self.subTest(name):
                value = getattr(dnnl_cache, name)
                self.assertTrue((value.__doc__ or "").strip())
                if not isinstance(value, type):
                    continue
                for member, what in vars(value).items():
                    if not member.startswith("_") and (
                            callable(what) or isinstance(what, property)):
                        self.assertTrue((what.__doc__ or "").strip(), member)

    def test_version_is_the_projects(self):
        text = (SOURCES / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertIn(f"VERSION {dnnl_cache.__version__} ", text)

    def test_library_is_linked_against_no_loader(self):
        shared = pathlib.Path(_native.LIBRARY).read_bytes()
        self.assertNotIn(b"\0libOpenCL.so.1\0libc.so", shared)
        needed = subprocess.run(["readelf", "-d", _native.LIBRARY],
                                capture_output=True, text=True)
        if needed.returncode == 0:
            self.assertIn("NEEDED", needed.stdout)
            self.assertNotIn("OpenCL", needed.stdout)


class Errors(unittest.TestCase):

    def test_are_one_family_and_pythons_own_kinds(self):
        for kind, base in ((dnnl_cache.OutOfMemory, MemoryError),
                           (dnnl_cache.InvalidArguments, ValueError),
                           (dnnl_cache.Unimplemented, NotImplementedError),
                           (dnnl_cache.RuntimeFailure, RuntimeError),
                           (dnnl_cache.BuildError, dnnl_cache.RuntimeFailure),
                           (dnnl_cache.Miss, LookupError),
                           (dnnl_cache.BlobCorrupt, dnnl_cache.BlobError),
                           (dnnl_cache.BlobStale, dnnl_cache.BlobError),
                           (dnnl_cache.BlobUnsupported, dnnl_cache.BlobError),
                           (dnnl_cache.LoaderLoaded, RuntimeError)):
            self.assertTrue(issubclass(kind, dnnl_cache.Error))
            self.assertTrue(issubclass(kind, base))

    def test_of_a_status_has_number_name_and_the_librarys_words(self):
        blob = good_blobs()[0].read_bytes()
        with self.assertRaises(dnnl_cache.BlobCorrupt) as caught:
            dnnl_cache.inspect_blob(blob[:-1])
        self.assertEqual(caught.exception.status, 101)
        self.assertEqual(caught.exception.status_name, "cache_blob_corrupt")
        self.assertIn("cache_blob_corrupt", str(caught.exception))

    def test_of_an_unknown_status_is_an_error(self):
        self.assertIs(type(_errors.make(7, "invalid_graph", "x")),
                      dnnl_cache.Error)


class Blobs(unittest.TestCase):

    def test_good_ones_are_inspected(self):
        kinds = set()
        for file in good_blobs():
            with self.subTest(file.name):
                blob = file.read_bytes()
                info = dnnl_cache.inspect_blob(blob)
                kinds.add(info.kind)
                self.assertEqual(info.total_size, len(blob))
                self.assertGreater(len(info.id), 0)
                names = [f.name for f in dnnl_cache.id_fields(info.id)]
                self.assertGreater(len(names), 0)
                self.assertEqual(
                    info, dnnl_cache.inspect_blob(bytearray(blob)))
                self.assertEqual(
                    info, dnnl_cache.inspect_blob(memoryview(blob)))
                if info.program_count:
                    binary = dnnl_cache.blob_binary(blob)
                    self.assertLessEqual(len(binary), info.binary_bytes)
        self.assertGreaterEqual(len(kinds), 2)

    def test_bad_ones_raise(self):
        files = sorted(BLOBS.glob("bad-*.blob"))
        self.assertGreater(len(files), 20)
        for file in files:
            with self.subTest(file.name), self.assertRaises(
                    dnnl_cache.BlobError):
                dnnl_cache.inspect_blob(file.read_bytes())

    def test_damaged_bytes_raise_and_never_crash(self):
        seed = int(os.environ.get("DNNL_CACHE_TEST_SEED", "0"), 0) \
            or random.randrange(2**32)
        numbers = random.Random(seed)
        blob = good_blobs()[0].read_bytes()
        with self.subTest(seed=hex(seed)):
            for size in range(1, len(blob)):
                with self.assertRaises(dnnl_cache.BlobError):
                    dnnl_cache.inspect_blob(blob[:size])
            for _ in range(2000):
                bad = bytearray(blob)
                at = numbers.randrange(len(bad))
                bad[at] ^= 1 << numbers.randrange(8)
                with self.assertRaises(dnnl_cache.BlobError):
                    dnnl_cache.inspect_blob(bad)
                with self.assertRaises(dnnl_cache.BlobError):
                    dnnl_cache.blob_binary(bad)
            for _ in range(2000):
                noise = numbers.randbytes(numbers.randrange(1, 400))
                with self.assertRaises(dnnl_cache.BlobError):
                    dnnl_cache.inspect_blob(noise)
                try:
                    dnnl_cache.id_fields(noise)
                except dnnl_cache.BlobError:
                    pass

    def test_damaged_ids_raise_or_have_fields(self):
        numbers = random.Random(1)
        good = dnnl_cache.inspect_blob(good_blobs()[0].read_bytes()).id
        for size in range(1, len(good)):
            try:
                dnnl_cache.id_fields(good[:size])
            except dnnl_cache.BlobError:
                pass
        for _ in range(2000):
            bad = bytearray(good)
            bad[numbers.randrange(len(bad))] = numbers.randrange(256)
            try:
                dnnl_cache.id_fields(bad)
                dnnl_cache.id_difference(good, bad)
            except dnnl_cache.BlobError:
                pass

    def test_differences_of_ids_are_named(self):
        ids = {dnnl_cache.inspect_blob(f.read_bytes()).id
               for f in good_blobs()}
        first, second = sorted(ids)[:2]
        self.assertEqual(dnnl_cache.id_difference(first, first), [])
        self.assertNotEqual(dnnl_cache.id_difference(first, second), [])

    def test_wrong_types_and_sizes_raise(self):
        for bad in (None, 1, 1.5, "text", [1, 2], object()):
            with self.subTest(repr(bad)):
                for call in (dnnl_cache.inspect_blob, dnnl_cache.blob_binary,
                             dnnl_cache.id_fields):
                    with self.assertRaises(TypeError):
                        call(bad)
                with self.assertRaises(TypeError):
                    dnnl_cache.id_difference(b"x", bad)
        for call in (dnnl_cache.inspect_blob, dnnl_cache.blob_binary,
                     dnnl_cache.id_fields):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                call(b"")
        blob = good_blobs()[0].read_bytes()
        for index in (-1, 2**32, 1000):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                dnnl_cache.blob_binary(blob, index)


class Stores(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.place = os.path.join(folder.name, "store")
        self.blob = good_blobs()[0].read_bytes()
        self.id = dnnl_cache.inspect_blob(self.blob).id

    def test_a_list_is_whole_or_raises(self):
        with dnnl_cache.Store(os.path.join(self.folder, "list")) as store:
            store.put(self.id, self.blob)
            with mock.patch.object(dnnl_cache._store, "StoreItem",
                                   side_effect=ValueError("no such kind")):
                with self.assertRaises(ValueError):
                    store.items()
            self.assertEqual(len(store), 1)

    def test_keep_find_list_and_remove_in_each_type(self):
        for kind in ("bucket", "flat", "tree", "pack"):
            with self.subTest(kind):
                place = os.path.join(self.folder, kind)
                with dnnl_cache.Store(place, type=kind) as store:
                    self.assertEqual(store.type, kind)
                    self.assertIsNone(store.get(self.id))
                    self.assertNotIn(self.id, store)
                    store.put(self.id, self.blob, compile_ns=5)
                    self.assertEqual(store.get(self.id), self.blob)
                    self.assertIn(self.id, store)
                    self.assertEqual(list(store), [self.id])
                    item, = store.items()
                    self.assertEqual(item.id, self.id)
                    self.assertEqual(item.blob_size, len(self.blob))
                    self.assertEqual(item.compile_ns, 5)
                    self.assertEqual(
                        item.kind, dnnl_cache.inspect_blob(self.blob).kind)
                    self.assertEqual(store.verify().intact, 1)
                    counts = store.statistics()
                    self.assertEqual(counts["puts"], 1)
                    self.assertGreaterEqual(counts["hits"], 2)
                with dnnl_cache.Store(place) as store:  # its type is found
                    self.assertEqual(store.type, kind)
                    self.assertEqual(len(store), 1)
                    store.remove(self.id)
                    self.assertEqual(len(store), 0)

    def test_a_damaged_entry_is_a_miss(self):
        with dnnl_cache.Store(self.place, type="flat") as store:
            store.put(self.id, self.blob)
        file, = pathlib.Path(self.place).glob("*.cl_cache")
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
        with dnnl_cache.Store(self.place) as store:
            self.assertIsNone(store.get(self.id))
            self.assertEqual(store.verify(repair=True).repaired, 1)

    def test_damaged_blobs_are_not_kept(self):
        with dnnl_cache.Store(self.place) as store:
            with self.assertRaises(dnnl_cache.BlobCorrupt):
                store.put(self.id, self.blob[:-1])
            self.assertEqual(len(store), 0)

    def test_trim(self):
        with dnnl_cache.Store(self.place) as store:
            store.put(self.id, self.blob)
            self.assertEqual(store.trim(), 0)
            self.assertEqual(store.trim(max_bytes=0), 1)
            with self.assertRaises(dnnl_cache.InvalidArguments):
                store.trim(max_bytes=-1)

    def test_closed_ones_raise(self):
        store = dnnl_cache.Store(self.place)
        store.close()
        store.close()
        self.assertIn("closed", repr(store))
        for call in (lambda: store.get(self.id),
                     lambda: store.put(self.id, self.blob),
                     lambda: store.remove(self.id), store.items,
                     store.statistics, store.verify, store.trim):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                call()

    def test_wrong_arguments_raise(self):
        with self.assertRaises(TypeError):
            dnnl_cache.Store(5)
        for arguments in ({"type": "shelf"}, {"capacity_mb": 0},
                          {"capacity_mb": -1}):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                dnnl_cache.Store(self.place, **arguments)
        with self.assertRaises(TypeError):
            dnnl_cache.Store(self.place, capacity_mb="1")
        with self.assertRaises(ValueError):
            dnnl_cache.Store(self.place, policy=99)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            dnnl_cache.Store("")
        with dnnl_cache.Store(self.place) as store:
            with self.assertRaises(TypeError):
                store.get("text")
            with self.assertRaises(dnnl_cache.InvalidArguments):
                store.get(b"")
            with self.assertRaises(TypeError):
                store.put(self.id, None)
            with self.assertRaises(dnnl_cache.InvalidArguments):
                store.put(self.id, self.blob, compile_ns=-1)

    def test_a_directory_that_others_may_write_to_is_refused(self):
        os.mkdir(self.place)
        os.chmod(self.place, 0o777)
        with self.assertRaises(dnnl_cache.RuntimeFailure):
            dnnl_cache.Store(self.place)

    def test_an_error_that_is_raised_is_not_logged_too(self):
        os.mkdir(self.place)
        os.chmod(self.place, 0o777)
        with self.assertLogs("dnnl_cache", logging.DEBUG) as logs:
            logging.getLogger("dnnl_cache").info("one at least")
            with self.assertRaisesRegex(
                    dnnl_cache.RuntimeFailure, "others may write to it"):
                dnnl_cache.Store(self.place)
            with self.assertRaisesRegex(
                    dnnl_cache.RuntimeFailure,
                    "dnnl_cache_persistent_set_dir: .*others may write to it"):
                dnnl_cache.set_dir(self.place)
        self.assertEqual(logs.output, ["INFO:dnnl_cache:one at least"])

    def test_read_only_keeps_nothing(self):
        dnnl_cache.Store(self.place).close()
        with dnnl_cache.Store(self.place, read_only=True) as store:
            store.put(self.id, self.blob)
            self.assertEqual(store.statistics()["puts_read_only"], 1)
            self.assertIsNone(store.get(self.id))

    def test_many_threads_use_and_close_one(self):
        store = dnnl_cache.Store(self.place)
        store.put(self.id, self.blob)
        wrong = []

        def look():
            try:
                for _ in range(10**6):
                    if store.get(self.id) != self.blob:
                        wrong.append("other bytes")
            except dnnl_cache.InvalidArguments:
                return  # closed
            wrong.append("never closed")

        threads = [threading.Thread(target=look) for _ in range(4)]
        for thread in threads:
            thread.start()
        while store.statistics()["hits"] < 100:
            pass
        store.close()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_one_that_is_dropped_is_closed(self):
        for _ in range(300):  # each has files open
            dnnl_cache.Store(self.place).put(self.id, self.blob)


class Process(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def check(self, text, **environment):
        done = run_python(text, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_set_dir_says_where_and_refuses(self):
        place = os.path.join(self.folder, "a")
        self.assertEqual(self.check(f"""
import dnnl_cache
assert dnnl_cache.cache_dir() is None
print(dnnl_cache.set_dir({place!r}, 8))
assert dnnl_cache.cache_dir() == {place!r}
"""), place)
        self.assertTrue(os.path.isdir(place))
        self.check(f"""
import dnnl_cache, os
os.mkdir({place + "b"!r}); os.chmod({place + "b"!r}, 0o777)
for wrong, kind in (
        (lambda: dnnl_cache.set_dir({place + "b"!r}),
         dnnl_cache.RuntimeFailure),
        (lambda: dnnl_cache.set_dir(5), TypeError),
        (lambda: dnnl_cache.set_dir("x", -1), dnnl_cache.InvalidArguments),
        (lambda: dnnl_cache.set_dir("x", "1"), TypeError),
        (lambda: dnnl_cache.set_dir("x", remote="nothing"),
         dnnl_cache.Error)):
    try:
        wrong()
    except kind:
        continue
    raise SystemExit("accepted")
""")

    def test_default_dir_is_the_users(self):
        self.assertEqual(
            self.check("import dnnl_cache; print(dnnl_cache.set_dir())",
                       XDG_CACHE_HOME=self.folder),
            os.path.join(self.folder, "dnnl_cache_python"))

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_default_dir_is_in_no_other_users_home(self):
        code = """
import dnnl_cache
for call in dnnl_cache.default_dir, dnnl_cache.set_dir:
    try:
        call()
    except dnnl_cache.RuntimeFailure as e:
        print(e)
"""
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        os.chown(home, 54321, -1)
        said = self.check(code, XDG_CACHE_HOME="", HOME=home)
        self.assertEqual(2, said.count(f"HOME={home}: a folder of another user "
                                       "(54321)"))
        self.assertEqual([], os.listdir(home))
        # Nor in what they have there, in a home that is root's.
        os.chown(home, 0, -1)
        os.mkdir(os.path.join(home, ".cache"))
        os.chown(os.path.join(home, ".cache"), 54321, -1)
        self.assertIn("(54321)", self.check(
            code, XDG_CACHE_HOME="", HOME=home))
        self.assertEqual([], os.listdir(os.path.join(home, ".cache")))
        base = os.path.join(home, ".cache")
        self.assertIn("XDG_CACHE_HOME=", self.check(
            code, XDG_CACHE_HOME=base, HOME=self.folder))
        # A place that is named is not the default.
        place = os.path.join(self.folder, "named")
        self.assertEqual(place, self.check(
            "import dnnl_cache; print(dnnl_cache.set_dir())",
            XDG_CACHE_HOME=base, HOME=home, DNNL_CACHE_DIR=place))
        os.chown(base, 0, -1)
        self.assertEqual("", self.check(code, XDG_CACHE_HOME="", HOME=home))
        self.assertEqual(["dnnl_cache_python"], os.listdir(base))

    def test_the_users_variables_come_first(self):
        place = os.path.join(self.folder, "theirs")
        self.assertEqual(
            self.check("import dnnl_cache; print(dnnl_cache.set_dir('/nowhere'))",
                       DNNL_CACHE_DIR=place), place)
        self.assertTrue(os.path.isdir(place))

    def test_messages_go_to_logging(self):
        out = self.check(f"""
import dnnl_cache, logging, sys
logging.basicConfig(stream=sys.stdout, format="%(name)s %(levelname)s")
try:
    dnnl_cache.inspect_blob(open({str(good_blobs()[0])!r}, "rb").read()[:-1])
except dnnl_cache.BlobCorrupt:
    pass
import os
os.mkdir({self.folder + "/c"!r}); os.chmod({self.folder + "/c"!r}, 0o777)
try:
    dnnl_cache.Store({self.folder + "/c"!r})
except dnnl_cache.RuntimeFailure as error:
    print(error)
dnnl_cache.set_dir({self.folder + "/d"!r}, capacity_mb=0)  # warns
""")
        self.assertIn("dnnl_cache WARNING", out)
        self.assertIn("cannot open the store", out)

    def test_statistics_are_numbers(self):
        numbers = dnnl_cache.statistics()
        self.assertEqual(numbers.programs.compiled, 0)
        self.assertEqual(numbers.saved_ns, 0)
        self.assertIn("fast_kernels", numbers.raw)
        for part in ("primitives", "programs", "stores"):
            self.assertEqual(set(vars(getattr(numbers, part))),
                             set(numbers.raw[part]))

    def test_wrong_engines_raise(self):
        for arguments in ((None, None), ("a", 1), (True, 1), (1.0, 2)):
            with self.assertRaises(TypeError):
                dnnl_cache.Engine.from_int_ptr(*arguments)
        for arguments in ((0, 1), (1, 0), (-1, 1), (2**64, 1)):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                dnnl_cache.Engine.from_int_ptr(*arguments)
        for wrong in (None, 1, "engine"):
            with self.assertRaises(TypeError):
                dnnl_cache.ProgramDesc(wrong, "x")
            with self.assertRaises(TypeError):
                dnnl_cache.matmul_desc(wrong, (1, 1), (1, 1))
            with self.assertRaises(TypeError):
                dnnl_cache.Primitive.from_cache_blob(wrong, b"x")
        for kind in (dnnl_cache.ProgramHandle, dnnl_cache.Primitive,
                     dnnl_cache.PrimitiveDesc):
            with self.assertRaises(TypeError):
                kind()
            with self.assertRaises(TypeError):
                kind(1, 2)
        with self.assertRaises(ValueError):
            dnnl_cache.set_compile_mode(7)
        with self.assertRaises(ValueError):
            dnnl_cache.keep_at_exit(timeout_s=-1)
        with self.assertRaises(ValueError):
            dnnl_cache.keep_at_exit(timeout_s=float("nan"))


class Layer(unittest.TestCase):

    def check(self, text, **environment):
        done = run_python(text, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_sets_the_environment(self):
        out = self.check("""
import dnnl_cache, json, os
assert dnnl_cache.loaded_loader() is None
dnnl_cache.enable_layer("some/dir", max_bytes=0, store="pack", stats=True,
                        refresh_at_exit=False)
assert os.environ["DNNL_CACHE_MAX_SIZE"] == "0"
dnnl_cache.enable_layer("some/dir", max_bytes=5 << 20, refresh_at_exit=False)
assert not dnnl_cache.is_layer_loaded()
print(json.dumps({name: os.environ[name] for name in os.environ
                  if name.startswith(("OPENCL_LAY", "DNNL_CACHE_"))
                  and "_TEST_" not in name and "DIGESTS" not in name}))
""", OPENCL_LAYERS="/other.so:/old/libdnnl_cache_layer.so")
        self.assertEqual(json.loads(out), {
            "OPENCL_LAYERS": dnnl_cache.layer_path() + ":/other.so",
            "DNNL_CACHE_DIR": os.path.abspath("some/dir"),
            "DNNL_CACHE_MAX_SIZE": "5242880B", "DNNL_CACHE_STORE": "pack",
            "DNNL_CACHE_STATS": "1"})
        self.assertTrue(os.path.exists(dnnl_cache.layer_path()))

    def test_raises_after_a_loader_was_loaded(self):
        out = self.check("""
import ctypes, dnnl_cache, os
ctypes.CDLL("libOpenCL.so.1")
assert "libOpenCL" in dnnl_cache.loaded_loader()
try:
    dnnl_cache.enable_layer()
except dnnl_cache.LoaderLoaded as error:
    print(error)
assert "OPENCL_LAYERS" not in os.environ
""")
        self.assertIn("before pyopencl", out)
        self.assertIn("libOpenCL", out)

    def test_wrong_arguments_raise_and_set_nothing(self):
        self.check("""
import dnnl_cache, os
for arguments, kind in ((dict(store="shelf"), ValueError),
                        (dict(dir=5), TypeError), (dict(dir=""), ValueError),
                        (dict(max_bytes=-1), ValueError),
                        (dict(max_bytes="1"), TypeError)):
    try:
        dnnl_cache.enable_layer(**arguments)
    except kind:
        assert "OPENCL_LAYERS" not in os.environ
        continue
    raise SystemExit(f"accepted: {arguments}")
""")

    def test_the_tool_is_run(self):
        done = subprocess.run(
            [sys.executable, "-B", "-m", "dnnl_cache", "--version"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(dnnl_cache.__version__, done.stdout)
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "store")
            blob = good_blobs()[0].read_bytes()
            with dnnl_cache.Store(place) as store:
                store.put(dnnl_cache.inspect_blob(blob).id, blob)
            listed = dnnl_cache.run_tool(
                "list", "--json", "--store", place, capture=True)
            self.assertEqual(len(json.loads(listed.stdout)["entries"]), 1)
            with self.assertRaises(subprocess.CalledProcessError):
                dnnl_cache.run_tool("nothing", capture=True)


if __name__ == "__main__":
    unittest.main()
