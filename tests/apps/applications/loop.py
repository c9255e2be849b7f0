# SPDX-License-Identifier: Apache-2.0
"""loop.py FILE: what loopy makes a program for, computed and checked."""
import sys
import loopy
import numpy
import pyopencl

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
kernel = loopy.make_kernel("{[i]: 0<=i<n}", "out[i] = 2*a[i] + i",
                           lang_version=(2018, 2))
kernel = loopy.add_and_infer_dtypes(kernel, {"a": numpy.float32})
kernel = loopy.split_iname(kernel, "i", 16, outer_tag="g.0", inner_tag="l.0")
_, (out,) = kernel(queue, a=numpy.arange(64, dtype=numpy.float32))
assert numpy.array_equal(out, 3 * numpy.arange(64))
with open(sys.argv[1], "wb") as file:
    file.write(out.tobytes())
