# SPDX-License-Identifier: Apache-2.0
"""arrays.py FILE: what pyopencl makes programs for, computed and checked."""
import sys
import numpy
import pyopencl
import pyopencl.array
import pyopencl.scan

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
x = pyopencl.array.to_device(queue, numpy.arange(1000, dtype=numpy.int32))
y = 3 * x + pyopencl.array.sum(x)
scan = pyopencl.scan.GenericScanKernel(
    context, numpy.int32, arguments="__global int *a",
    input_expr="a[i]", scan_expr="a+b", neutral="0",
    output_statement="a[i] = item;")
scan(y)
program = pyopencl.Program(context, """
__kernel void halve(__global const int *a, float f, __global float *b)
{ b[get_global_id(0)] = a[get_global_id(0)] * f; }""").build()
z = pyopencl.array.empty(queue, 1000, numpy.float32)
program.halve(queue, (1000,), None, x.data, numpy.float32(0.5), z.data)
expected = numpy.cumsum(3 * numpy.arange(1000) + 499500).astype(numpy.int32)
assert numpy.array_equal(y.get(), expected)
assert numpy.array_equal(z.get(), numpy.arange(1000, dtype=numpy.float32) / 2)
with open(sys.argv[1], "wb") as file:
    file.write(y.get().tobytes() + z.get().tobytes())
