# SPDX-License-Identifier: Apache-2.0
"""filters.py FILE: three of silx's OpenCL filters, computed and checked."""
import sys
import numpy
from silx.opencl.backprojection import Backprojection
from silx.opencl.convolution import Convolution
from silx.opencl.medfilt import MedianFilter2D

x = numpy.arange(4096, dtype=numpy.float32).reshape(64, 64) % 17
median = MedianFilter2D(x.shape, devicetype="all").medfilt2d(x, (3, 3))
convolved = Convolution(x.shape, numpy.array([1, 2, 1], numpy.float32))(x)
projected = Backprojection((32, 64), devicetype="all") \
    .filtered_backprojection(x[:32])
inner = numpy.lib.stride_tricks.sliding_window_view(x, (3, 3))
assert numpy.array_equal(median[1:-1, 1:-1], numpy.median(inner, axis=(2, 3)))
assert numpy.isfinite(projected).all() and projected.any()
with open(sys.argv[1], "wb") as file:
    file.write(median.tobytes() + convolved.tobytes() + projected.tobytes())
