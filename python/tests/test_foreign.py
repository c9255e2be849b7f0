#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package on OpenCL objects that are not pyopencl's: those that ctypes gets
from the system's loader, on whatever driver is there. Needs nothing from
PyPI."""
import ctypes
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import dnnl_cache

SOURCE = "__kernel void one(__global int *x) { x[get_global_id(0)] = 1; }"


class OpenCL:
    """A context, without pyopencl."""

    def __init__(self):
        self.loader = ctypes.CDLL("libOpenCL.so.1")
        platform, self.device = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.loader.clGetPlatformIDs(
            1, ctypes.byref(platform), None) == 0
        assert self.loader.clGetDeviceIDs(
            platform, ctypes.c_uint64(0xFFFFFFFF), 1,
            ctypes.byref(self.device), None) == 0
        self.loader.clCreateContext.restype = ctypes.c_void_p
        self.context = self.loader.clCreateContext(
            None, 1, ctypes.byref(self.device), None, None, None)
        assert self.context

    def references(self):
        """How many hold the context."""
        count = ctypes.c_uint32()
        assert self.loader.clGetContextInfo(
            ctypes.c_void_p(self.context), 0x1080, 4, ctypes.byref(count),
            None) == 0
        return count.value

    def engine(self, **options):
        return dnnl_cache.Engine.from_int_ptr(
            self.context, self.device.value, **options)


class Foreign(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        logging.getLogger("dnnl_cache").addHandler(logging.NullHandler())
        cls.opencl = OpenCL()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = os.path.join(folder.name, "store")

    def test_the_loader_in_the_process_is_used(self):
        engine = self.opencl.engine()
        self.assertNotEqual(engine.handle, 0)
        self.assertEqual(os.path.realpath(dnnl_cache.loader_path()),
                         dnnl_cache.loaded_loader())

    def test_engines_hold_their_context_until_they_go(self):
        before = self.opencl.references()
        engine = self.opencl.engine()
        self.assertGreater(self.opencl.references(), before)
        desc = dnnl_cache.ProgramDesc(engine, SOURCE, "-DA=0")
        program = desc.create()
        del engine, desc
        self.assertGreater(self.opencl.references(), before)
        self.assertNotEqual(program.cl_program, 0)
        del program
        self.assertEqual(self.opencl.references(), before)

    def test_blobs_of_programs(self):
        engine = self.opencl.engine()
        desc = dnnl_cache.ProgramDesc(engine, SOURCE, ["-DA=1", b"-DB=2"])
        self.assertEqual(desc.not_cacheable_reason, "")
        program = desc.create()
        self.assertEqual(program.creation.origin, dnnl_cache.Origin.COMPILED)
        blob = program.cache_blob
        info = dnnl_cache.inspect_blob(blob)
        self.assertEqual(info.kind, dnnl_cache.BlobKind.PROGRAM)
        self.assertEqual(info.id, desc.cache_blob_id)
        engine.check_blob(blob)
        self.assertIn("build_options", dnnl_cache.id_difference(
            desc.cache_blob_id,
            dnnl_cache.ProgramDesc(engine, SOURCE).cache_blob_id))
        del program, engine, desc  # nothing is left in memory
        engine = self.opencl.engine()
        desc = dnnl_cache.ProgramDesc(engine, SOURCE, "-DA=1 -DB=2")
        again = desc.create_from_blob(blob)
        self.assertEqual(again.creation.origin, dnnl_cache.Origin.BLOB)
        self.assertEqual(again.cache_blob, blob)

    def test_damaged_and_stale_blobs_raise(self):
        engine = self.opencl.engine()
        desc = dnnl_cache.ProgramDesc(engine, SOURCE, "-DC")
        blob = desc.create().cache_blob
        for at in range(0, len(blob), max(1, len(blob) // 200)):
            bad = bytearray(blob)
            bad[at] ^= 0x40
            with self.assertRaises(dnnl_cache.BlobError):
                desc.create_from_blob(bad)
            with self.assertRaises(dnnl_cache.BlobError):
                desc.create_from_blob(blob[:at] or b"x")
        other = dnnl_cache.ProgramDesc(engine, SOURCE, "-DD")
        with self.assertRaises(dnnl_cache.BlobStale):
            other.create_from_blob(blob)
        for wrong in (None, "text", 5):
            with self.assertRaises(TypeError):
                desc.create_from_blob(wrong)
            with self.assertRaises(TypeError):
                engine.check_blob(wrong)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            desc.create_from_blob(b"")

    def test_stores_keep_what_is_compiled(self):
        with dnnl_cache.Store(self.place) as store:
            engine = self.opencl.engine(store=store)
            self.assertIs(engine.store, store)
            with self.assertRaises(dnnl_cache.InvalidArguments):
                store.close()  # attached
            desc = dnnl_cache.ProgramDesc(engine, SOURCE, "-DE")
            program = desc.create()
            program.note_launch("one", 64, 32, 0)
            program.capture()
            self.assertEqual(len(store), 1)
            del program, desc, engine
            engine = self.opencl.engine(store=store)
            desc = dnnl_cache.ProgramDesc(engine, SOURCE, "-DE")
            self.assertEqual(desc.create().creation.origin,
                             dnnl_cache.Origin.STORE_HIT)
            del desc, engine

    def test_a_store_stays_open_until_its_engine_has_ended(self):
        store = dnnl_cache.Store(self.place)
        engines = [self.opencl.engine(store=store)]
        dnnl_cache.ProgramDesc(engines[0], SOURCE, "-DJ").create()
        begun, go_on = threading.Event(), threading.Event()
        capture = dnnl_cache._engine._capture

        def slow(*arguments):
            begun.set()
            go_on.wait(60)
            return capture(*arguments)

        with mock.patch.object(dnnl_cache._engine, "_capture", slow):
            thread = threading.Thread(target=engines.clear)
            thread.start()
            self.assertTrue(begun.wait(60))
            with self.assertRaises(dnnl_cache.InvalidArguments):
                store.close()  # the other thread keeps a program
            go_on.set()
            thread.join()
        self.assertEqual(len(store), 1)
        store.close()
        with self.assertRaises(dnnl_cache.InvalidArguments):
            self.opencl.engine(store=store)

    def test_programs_are_kept_when_the_engine_goes(self):
        with dnnl_cache.Store(self.place) as store:
            engine = self.opencl.engine(store=store)
            dnnl_cache.ProgramDesc(engine, SOURCE, "-DF").create()
            self.assertEqual(len(store), 0)
            del engine
            self.assertEqual(len(store), 1)

    def test_programs_are_kept_when_the_process_ends(self):
        for keep, count in ((True, 1), (False, 0)):
            place = f"{self.place}{count}"
            done = subprocess.run(
                [sys.executable, "-B", __file__, "--one", place, str(keep)],
                capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, "ok\n"),
                             done.stderr)
            with dnnl_cache.Store(place) as store:
                self.assertEqual(len(store), count)

    def test_captures_end_at_an_interrupt(self):
        store = dnnl_cache.Store(self.place)
        engine = self.opencl.engine(store=store)
        programs = [dnnl_cache.ProgramDesc(engine, SOURCE, f"-DI={n}").create()
                    for n in range(24)]

        def interrupt():
            while len(store) < 3:
                pass
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        with self.assertRaises(KeyboardInterrupt):
            thread.start()
            engine.capture_all()
            thread.join()
        self.assertTrue(engine.capture_all(timeout_s=60))
        self.assertTrue(engine.capture_all(timeout_s=float("inf")))
        self.assertEqual(len(store), len(programs))
        for wrong in (-1, float("nan")):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                engine.capture_all(timeout_s=wrong)

    def test_cached_only_misses_at_once(self):
        engine = self.opencl.engine()
        engine.compile_mode = dnnl_cache.CompileMode.CACHED_ONLY
        self.assertEqual(engine.compile_mode, 1)
        desc = dnnl_cache.ProgramDesc(engine, SOURCE, "-DG")
        with self.assertRaises(dnnl_cache.Miss):
            desc.create()
        engine.compile_mode = dnnl_cache.CompileMode.NORMAL
        desc.create()
        with self.assertRaises(ValueError):
            engine.compile_mode = 9

    def test_source_that_does_not_compile_has_a_log(self):
        desc = dnnl_cache.ProgramDesc(self.opencl.engine(),
                                      "#error these words\n")
        with self.assertRaises(dnnl_cache.BuildError) as caught:
            desc.create()
        self.assertNotEqual(caught.exception.log, "")
        self.assertIn(caught.exception.log.strip().splitlines()[0],
                      str(caught.exception))

    def test_wrong_programs_raise(self):
        engine = self.opencl.engine()
        for wrong in (None, 5, [SOURCE]):
            with self.assertRaises(TypeError):
                dnnl_cache.ProgramDesc(engine, wrong)
        for arguments in (("",), (SOURCE, "a\0b")):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                dnnl_cache.ProgramDesc(engine, *arguments)
        with self.assertRaises(dnnl_cache.Error):
            dnnl_cache.ProgramDesc(engine, SOURCE, headers={"/abs": "x"})
        with self.assertRaises(dnnl_cache.InvalidArguments):
            dnnl_cache.ProgramDesc(engine, SOURCE, keys=[b""])
        program = dnnl_cache.ProgramDesc(engine, SOURCE, "-DH").create()
        for sizes in ((0,), (1, 2, 3, 4), (), (-1,), (2**64 + 1,)):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                program.note_launch("one", sizes)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            program.note_launch("one", (4, 4), (2,))
        with self.assertRaises(TypeError):
            program.note_launch(5, 4)

    def test_headers_and_keys_are_part_of_the_id(self):
        engine = self.opencl.engine()

        def identity(**options):
            return dnnl_cache.ProgramDesc(
                engine, '#include "a.h"\n' + SOURCE, **options).cache_blob_id

        first = identity(headers={"a.h": "#define A 1\n"})
        self.assertNotEqual(first, b"")
        self.assertNotEqual(first, identity(headers={"a.h": "#define A 2\n"}))
        self.assertNotEqual(
            first, identity(headers={"a.h": "#define A 1\n"}, keys=[b"k"]))
        desc = dnnl_cache.ProgramDesc(
            engine, '#include "a.h"\n' + SOURCE, follow_includes=False)
        self.assertEqual(desc.cache_blob_id, b"")
        self.assertIn("a.h", desc.not_cacheable_reason)

    def test_engines_have_blobs(self):
        engine = self.opencl.engine()
        self.assertGreater(len(engine.cache_blob_id), 0)
        blob = engine.cache_blob
        info = dnnl_cache.inspect_blob(blob)
        self.assertEqual(info.kind, dnnl_cache.BlobKind.ENGINE)
        self.assertEqual(info.id, engine.cache_blob_id)
        self.assertEqual(engine.creation.origin, dnnl_cache.Origin.COMPILED)

    def test_a_forked_child_is_told(self):
        engine = self.opencl.engine()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                engine.cache_blob_id
            except dnnl_cache.ForkedProcess:
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        self.assertEqual(status, 0)

    def test_a_forked_child_ends_as_usual(self):
        # Finalizers and the handler at exit leave the parent's objects alone.
        done = subprocess.run(
            [sys.executable, "-B", __file__, "--fork", self.place],
            capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (0, "child\nparent\n"),
                         done.stderr)
        self.assertNotIn("Traceback", done.stderr)


def one(place, keep):
    """A process that compiles one program, and ends."""
    dnnl_cache.keep_at_exit(keep)
    engine = OpenCL().engine(store=dnnl_cache.Store(place))
    program = dnnl_cache.ProgramDesc(engine, SOURCE, "-DX").create()
    assert program.cl_program
    print("ok")
    return program, engine  # module variables while the interpreter ends


def fork(place):
    """A parent with a program, and a child that ends through exit handlers."""
    engine = OpenCL().engine(store=dnnl_cache.Store(place))
    program = dnnl_cache.ProgramDesc(engine, SOURCE, "-DY").create()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        print("child")
        sys.exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    print("parent")
    return program


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        signal.alarm(100)
        held = one(sys.argv[2], sys.argv[3] == "True")
    elif sys.argv[1:2] == ["--fork"]:
        signal.alarm(100)
        held = fork(sys.argv[2])
    else:
        unittest.main()
