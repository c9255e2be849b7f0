#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The package with pyopencl and NumPy, on the first device of PoCL (or of the
platform that DNNL_CACHE_TEST_PLATFORM is a part of). python/test.sh runs it on
the installed wheel."""
import gc
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np
import pyopencl as cl

import dnnl_cache

PLATFORM = os.environ.get("DNNL_CACHE_TEST_PLATFORM",
                          "Portable Computing Language")
SCALE = """
__kernel void scale(__global float *x, float f) { x[get_global_id(0)] *= f; }
__kernel void shift(__global float *x, float f) { x[get_global_id(0)] += f; }
"""


# What is damaged is logged; the tests look at exceptions.
logging.getLogger("dnnl_cache").addHandler(logging.NullHandler())


def find_context():
    platform = next(p for p in cl.get_platforms() if PLATFORM in p.name)
    return cl.Context(platform.get_devices()[:1])


def run_script(text, *arguments, **environment):
    """A fresh process whose driver has an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        changed = dict(os.environ, POCL_KERNEL_CACHE="0", POCL_CACHE_DIR=cache,
                       PYOPENCL_NO_CACHE="1", **environment)
        return subprocess.run([sys.executable, "-c", text, *arguments],
                              capture_output=True, text=True, env=changed,
                              timeout=300)


class Device(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.context = find_context()
        self.queue = cl.CommandQueue(self.context)

    def check_scale(self, program):
        data = np.arange(4096, dtype=np.float32)
        buffer = cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR,
                           hostbuf=data)
        program.scale(self.queue, data.shape, (64,), buffer, np.float32(3))
        program.shift(self.queue, data.shape, None, buffer, np.float32(1))
        result = np.empty_like(data)
        cl.enqueue_copy(self.queue, result, buffer)
        np.testing.assert_array_equal(result, data * 3 + 1)


class Programs(Device):

    def test_build_returns_a_program_of_pyopencls(self):
        program = dnnl_cache.build(self.context, SCALE)
        self.assertIsInstance(program, cl.Program)
        self.check_scale(program)
        self.assertEqual(program.context, self.context)
        self.assertEqual(sorted(program.kernel_names.split(";")),
                         ["scale", "shift"])
        self.assertEqual(len(program.all_kernels()), 2)
        self.assertIsInstance(program.scale, cl.Kernel)
        with self.assertRaises(AttributeError):
            program.nothing

    def test_the_loader_is_pyopencls(self):
        dnnl_cache.engine_of(self.context)
        self.assertIn("pyopencl", dnnl_cache.loader_path())
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
        loaders = {line.split()[-1] for line in maps.splitlines()
                   if "/libOpenCL" in line}
        self.assertEqual(len(loaders), 1)

    def test_all_ways_to_launch_work(self):
        program = dnnl_cache.build(self.queue, SCALE)  # a queue will do
        data = np.ones(256, np.float32)
        buffer = cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR,
                           hostbuf=data)
        kernel = program.scale
        kernel(self.queue, (256,), (16,), buffer, np.float32(2))
        kernel(self.queue, (16,), (16,), buffer, np.float32(2), g_times_l=True)
        kernel(self.queue, (255,), None, buffer, np.float32(2),
               global_offset=(1,))
        kernel.set_args(buffer, np.float32(2))
        cl.enqueue_nd_range_kernel(self.queue, kernel, (256,), None)
        program.dnnl_cache.note_launch("scale", (256,))
        plain = cl.Kernel(program, "scale")
        plain(self.queue, (256,), None, buffer, np.float32(2))
        result = np.empty_like(data)
        cl.enqueue_copy(self.queue, result, buffer)
        np.testing.assert_array_equal(result, [16] + [32] * 255)

    def test_a_store_keeps_programs_and_what_launches_compiled(self):
        with dnnl_cache.Store(self.folder / "store") as store:
            program = dnnl_cache.build(
                self.context, SCALE, ["-D", "A=1"], store=store)
            self.check_scale(program)
            self.assertEqual(program.dnnl_cache.creation.origin,
                             dnnl_cache.Origin.COMPILED)
            self.assertTrue(dnnl_cache.capture_all())
            self.assertEqual(len(store), 1)
            identity = program.dnnl_cache.cache_blob
            del program
            self.context = find_context()
            self.queue = cl.CommandQueue(self.context)
            gc.collect()
            program = dnnl_cache.build(
                self.context, SCALE, "-D A=1", store=store)
            self.check_scale(program)
            info = program.dnnl_cache.creation
            self.assertEqual(info.origin, dnnl_cache.Origin.STORE_HIT)
            self.assertFalse(info.incomplete)
            self.assertEqual(program.dnnl_cache.cache_blob, identity)
            del program
            self.context = self.queue = None
            gc.collect()

    def test_contexts_are_released(self):
        before = self.context.reference_count
        program = dnnl_cache.build(self.context, SCALE)
        del program
        gc.collect()
        # The engine of the context is kept with the context's object.
        held = self.context.int_ptr
        other = cl.Context.from_int_ptr(held, True)
        del self.context, self.queue
        gc.collect()
        self.assertLessEqual(other.reference_count, before)

    def test_blobs_by_hand(self):
        program = dnnl_cache.build(self.context, SCALE, "-DB=1")
        self.check_scale(program)
        blob = program.dnnl_cache.cache_blob
        self.assertEqual(
            program.dnnl_cache.cache_blob_id,
            dnnl_cache.describe(self.context, SCALE, ["-DB=1"]).cache_blob_id)
        self.assertEqual(dnnl_cache.inspect_blob(blob).id,
                         program.dnnl_cache.cache_blob_id)
        again = dnnl_cache.create_from_blob(
            find_context(), blob, SCALE, "-DB=1")
        self.assertEqual(again.dnnl_cache.creation.origin,
                         dnnl_cache.Origin.BLOB)
        with self.assertRaises(dnnl_cache.BlobStale):
            dnnl_cache.create_from_blob(self.context, blob, SCALE, "-DB=2")
        for at in range(0, len(blob), len(blob) // 50):
            with self.assertRaises(dnnl_cache.BlobError):
                dnnl_cache.create_from_blob(
                    self.context, blob[:at] + b"x" + blob[at + 2:], SCALE,
                    "-DB=1")

    def test_headers_of_pyopencl_are_found(self):
        source = """#include <pyopencl-complex.h>
        __kernel void norm(__global cfloat_t *x, __global float *y)
        { y[0] = cfloat_abs(x[0]); }"""
        with dnnl_cache.Store(self.folder / "store") as store:
            program = dnnl_cache.build(self.context, source, store=store)
            self.assertEqual(
                program.dnnl_cache.creation.not_cacheable_reason, "")
            x = cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR,
                          hostbuf=np.array([3 + 4j], np.complex64))
            y = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4)
            program.norm(self.queue, (1,), None, x, y)
            result = np.empty(1, np.float32)
            cl.enqueue_copy(self.queue, result, y)
            self.assertAlmostEqual(float(result[0]), 5.0, places=5)
            del program
            self.context = self.queue = None
            gc.collect()

    def test_what_does_not_compile_has_the_compilers_words(self):
        with self.assertRaises(dnnl_cache.BuildError) as caught:
            dnnl_cache.build(self.context, "__kernel void broken( {")
        self.assertIn("error", caught.exception.log)

    def test_wrong_arguments_raise(self):
        for wrong in (None, 5, "context"):
            with self.assertRaises(TypeError):
                dnnl_cache.build(wrong, SCALE)
            if wrong is not None:
                with self.assertRaises(TypeError):
                    dnnl_cache.Engine(self.context, wrong)
        with self.assertRaises(TypeError):
            dnnl_cache.build(self.context, 5)

    def test_threads_share_one_build(self):
        programs = []
        threads = [threading.Thread(target=lambda: programs.append(
            dnnl_cache.build(self.context, SCALE, "-DTHREADS")))
            for _ in range(8)]
        compiled = dnnl_cache.statistics().programs.compiled
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({p.int_ptr for p in programs}), 1)
        self.assertEqual(
            dnnl_cache.statistics().programs.compiled, compiled + 1)

    def test_building_lets_other_threads_run(self):
        done = threading.Event()
        source = "\n".join(SCALE.replace("scale", f"scale{n}").replace(
            "shift", f"shift{n}") for n in range(30))

        def work():
            dnnl_cache.build(self.context, source)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        steps = 0
        while not done.wait(0.001):
            steps += 1
        thread.join()
        self.assertGreater(steps, 5)  # the interpreter was free meanwhile


class Starts(unittest.TestCase):
    """Processes, one after the other."""

    SCRIPT = """
import sys, numpy as np, pyopencl as cl, dnnl_cache
dnnl_cache.set_dir(sys.argv[1])
platform = next(p for p in cl.get_platforms() if sys.argv[2] in p.name)
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
program = dnnl_cache.build(context, sys.argv[3])
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 4096)
for name in sys.argv[4:]:
    getattr(program, name)(queue, (4096,), None, buffer, np.float32(2))
queue.finish()
info = program.dnnl_cache.creation
print(info.origin.name, info.incomplete)
"""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = os.path.join(folder.name, "store")

    def start(self, *kernels, **environment):
        done = run_script(self.SCRIPT, self.place, PLATFORM, SCALE, *kernels,
                          **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip(), done.stderr

    def test_the_second_one_compiles_nothing(self):
        self.assertEqual(self.start("scale", "shift")[0], "COMPILED False")
        for _ in range(2):
            out, err = self.start("scale", "shift", POCL_DEBUG="all")
            self.assertEqual(out, "STORE_HIT False")
            self.assertNotIn("Built a", err)

    def test_what_a_later_one_launches_is_added_by_refresh(self):
        self.start("scale")
        out, _ = self.start("scale", "shift")
        if out != "STORE_HIT True":
            self.skipTest("the driver compiles nothing at launches")
        self.assertTrue(dnnl_cache.refresh(self.place))
        self.assertEqual(self.start("scale", "shift")[0], "STORE_HIT False")

    def test_an_exception_keeps_what_was_compiled(self):
        done = run_script(self.SCRIPT + "\nraise SystemExit(3)", self.place,
                          PLATFORM, SCALE, "scale")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.start("scale")[0], "STORE_HIT False")

    def test_cached_only_is_a_miss(self):
        done = run_script(
            "import dnnl_cache; dnnl_cache.set_compile_mode("
            "dnnl_cache.CompileMode.CACHED_ONLY)\n" + self.SCRIPT, self.place,
            PLATFORM, SCALE, "scale")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Miss", done.stderr)


class Tool(unittest.TestCase):

    def test_finds_pyopencls_loader_by_itself(self):
        done = subprocess.run(
            [sys.executable, "-m", "dnnl_cache", "identity"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(PLATFORM, done.stdout)


class Layer(unittest.TestCase):

    SCRIPT = """
import sys, dnnl_cache
dnnl_cache.enable_layer(sys.argv[1])
import numpy as np, pyopencl as cl
try:
    dnnl_cache.enable_layer(sys.argv[1])
    raise SystemExit("accepted")
except dnnl_cache.LoaderLoaded:
    pass
platform = next(p for p in cl.get_platforms() if sys.argv[2] in p.name)
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
program = cl.Program(context, sys.argv[3]).build()
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 4096)
program.scale(queue, (4096,), None, buffer, np.float32(2))
queue.finish()
assert dnnl_cache.is_layer_loaded()
"""

    def test_programs_of_pyopencls_own_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "store")
            for _ in range(2):
                done = run_script(self.SCRIPT, place, PLATFORM, SCALE,
                                  POCL_DEBUG="all")
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("Built a", done.stderr)
            with dnnl_cache.Store(place) as store:
                self.assertEqual(len(store), 1)


def reference_convolution(src, weights, bias, strides, low, groups):
    """Straight from the definition, in two dimensions."""
    n, _, h, w = src.shape
    o, c, kh, kw = weights.shape
    padded = np.zeros((n, src.shape[1], h + 2 * low, w + 2 * low))
    padded[:, :, low:low + h, low:low + w] = src
    oh = (h + 2 * low - kh) // strides + 1
    ow = (w + 2 * low - kw) // strides + 1
    result = np.zeros((n, o, oh, ow))
    for out in range(o):
        first = out // (o // groups) * c
        for y in range(oh):
            for x in range(ow):
                window = padded[:, first:first + c,
                                y * strides:y * strides + kh,
                                x * strides:x * strides + kw]
                result[:, out, y, x] = (window * weights[out]).sum((1, 2, 3))
        if bias is not None:
            result[:, out] += bias[out]
    return result


class Primitives(Device):

    def setUp(self):
        super().setUp()
        self.engine = dnnl_cache.Engine(self.context)
        self.random = np.random.default_rng(5)

    def array(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def test_products_of_matrices(self):
        a, b, bias = self.array(5, 7), self.array(7, 3), self.array(3)
        product = dnnl_cache.matmul(self.engine, a, b)
        np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-4, atol=1e-5)
        product = dnnl_cache.matmul(self.engine, a, b, bias=bias, relu=True)
        np.testing.assert_allclose(
            product(a, b, bias), np.maximum(a @ b + bias, 0), rtol=1e-4,
            atol=1e-5)
        # Shapes in place of arrays, batches, one of them repeated.
        product = dnnl_cache.matmul(self.engine, (4, 2, 3), (1, 3, 6))
        a, b = self.array(4, 2, 3), self.array(1, 3, 6)
        np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-4, atol=1e-5)
        # Not contiguous.
        product = dnnl_cache.matmul(self.engine, (2, 3), (3, 6))
        np.testing.assert_allclose(
            product(a[0], b[0].T.copy().T), a[0] @ b[0], rtol=1e-4, atol=1e-5)

    def test_convolutions(self):
        for groups, strides, padding, with_bias in (
                (1, 1, 0, False), (2, 2, 1, True), (4, 1, 2, True)):
            with self.subTest(groups=groups, strides=strides):
                src = self.array(2, 4, 9, 8)
                weights = self.array(8, 4 // groups, 3, 2)
                bias = self.array(8) if with_bias else None
                run = dnnl_cache.convolution(
                    self.engine, src, weights, bias=bias, relu=with_bias,
                    strides=strides, padding=padding, groups=groups)
                expected = reference_convolution(
                    src, weights, bias, strides, padding, groups)
                if with_bias:
                    expected = np.maximum(expected, 0)
                np.testing.assert_allclose(
                    run(src, weights, bias), expected, rtol=1e-3, atol=1e-4)

    def test_convolutions_of_one_and_three_dimensions(self):
        line = dnnl_cache.convolution(
            self.engine, (1, 1, 5), (1, 1, 2), dilation=2)
        np.testing.assert_allclose(
            line(np.arange(5, dtype=np.float32).reshape(1, 1, 5),
                 np.array([[[1, 10]]], np.float32)), [[[20, 31, 42]]])
        space = dnnl_cache.convolution(
            self.engine, (1, 2, 3, 3, 3), (2, 2, 1, 1, 1),
            padding=[0, (0, 1), 0])
        src, weights = self.array(1, 2, 3, 3, 3), self.array(2, 2, 1, 1, 1)
        result = space(src, weights)
        self.assertEqual(result.shape, (1, 2, 3, 4, 3))
        np.testing.assert_allclose(
            result[:, :, :, :3],
            np.einsum("ncdhw,oc->nodhw", src, weights[:, :, 0, 0, 0]),
            rtol=1e-3, atol=1e-4)
        np.testing.assert_array_equal(result[:, :, :, 3], 0)

    def test_blobs(self):
        desc = dnnl_cache.matmul_desc(self.engine, (5, 7), (7, 3), relu=True)
        identity = desc.cache_blob_id
        product = desc.create()
        blob = product.cache_blob
        self.assertEqual(product.cache_blob_id, identity)
        info = dnnl_cache.inspect_blob(blob)
        self.assertEqual(info.kind, dnnl_cache.BlobKind.PRIMITIVE)
        again = dnnl_cache.Primitive.from_cache_blob(desc, blob)
        self.assertEqual(again.cache_blob, blob)
        a, b = self.array(5, 7), self.array(7, 3)
        np.testing.assert_array_equal(again(a, b), product(a, b))
        other = dnnl_cache.matmul_desc(self.engine, (5, 7), (7, 4))
        with self.assertRaises(dnnl_cache.BlobStale):
            other.create_from_blob(blob)
        for at in range(0, len(blob), len(blob) // 100):
            with self.assertRaises(dnnl_cache.BlobError):
                desc.create_from_blob(blob[:at] + b"?!" + blob[at + 2:])
            with self.assertRaises(dnnl_cache.BlobError):
                desc.create_from_blob(blob[:at] or b"?")
        with self.assertRaises(TypeError):
            desc.create_from_blob(None)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            desc.create_from_blob(b"")

    def test_engines_from_blobs_compile_nothing(self):
        blob = self.engine.cache_blob
        engine = dnnl_cache.Engine.from_cache_blob(blob, find_context())
        self.assertEqual(engine.creation.origin, dnnl_cache.Origin.BLOB)
        desc = dnnl_cache.matmul_desc(engine, (2, 2), (2, 2))
        self.assertEqual(
            desc.cache_blob_id,
            dnnl_cache.matmul_desc(self.engine, (2, 2), (2, 2)).cache_blob_id)
        for bad in (blob[:-1], b"x" * len(blob)):
            with self.assertRaises(dnnl_cache.BlobError):
                dnnl_cache.Engine.from_cache_blob(bad, self.context)
        with self.assertRaises(TypeError):
            dnnl_cache.Engine.from_cache_blob("x", self.context)

    def test_halves_where_the_device_has_them(self):
        a, b = (self.array(4, 4).astype(np.float16) for _ in range(2))
        try:
            product = dnnl_cache.matmul(self.engine, a, b)
        except dnnl_cache.Unimplemented:
            self.assertNotIn("cl_khr_fp16",
                             self.context.devices[0].extensions)
            return
        np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-2, atol=1e-2)

    def test_nothing_in_it(self):
        product = dnnl_cache.matmul(self.engine, (0, 7), (7, 3))
        self.assertEqual(
            product(self.array(0, 7), self.array(7, 3)).shape, (0, 3))

    def test_wrong_arrays_raise(self):
        product = dnnl_cache.matmul(self.engine, (5, 7), (7, 3))
        a, b = self.array(5, 7), self.array(7, 3)
        for arguments in ((a, a), (b, b), (a, b, b), (a, None),
                          (a.astype(np.float64), b), (a[:4], b), (a[0], b)):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                product(*arguments)
        for shapes in (((5, 7), (6, 3)), ((7,), (7,)), ((5, 7), (1, 7, 3)),
                       ((5, -7), (7, 3)), ((1,) * 13, (1,) * 13)):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                dnnl_cache.matmul(self.engine, *shapes)
        with self.assertRaises(TypeError):
            dnnl_cache.matmul(self.engine, 5, 7)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            dnnl_cache.matmul(self.engine, (2**64 + 5, 7), (7, 3))
        with self.assertRaises(TypeError):
            dnnl_cache.convolution(
                self.engine, (1, 2, 5, 5), (2, 2, 3, 3), strides=1.5)
        with self.assertRaises(dnnl_cache.Unimplemented):
            dnnl_cache.matmul(self.engine, (5, 7), (7, 3), dtype=np.int64)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            dnnl_cache.matmul(self.engine, a, b.astype(np.float16))
        for options in ({"groups": 3}, {"groups": 0}, {"strides": 0},
                        {"padding": -1}, {"strides": (1, 2, 3)},
                        {"dilation": 0}, {"strides": 2**64},
                        {"padding": [(1, 2), (3, -4)]}):
            with self.assertRaises(dnnl_cache.InvalidArguments):
                dnnl_cache.convolution(
                    self.engine, (1, 2, 5, 5), (2, 2, 3, 3), **options)
        with self.assertRaises(dnnl_cache.InvalidArguments):
            dnnl_cache.convolution(self.engine, (1, 2, 2, 2), (2, 2, 5, 5))

    def test_threads_share_one_primitive(self):
        product = dnnl_cache.matmul(self.engine, (16, 16), (16, 16))
        wrong = []

        def work(seed):
            numbers = np.random.default_rng(seed)
            for _ in range(20):
                a, b = (numbers.standard_normal((16, 16)).astype(np.float32)
                        for _ in range(2))
                if not np.allclose(product(a, b), a @ b, rtol=1e-3,
                                   atol=1e-4):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
