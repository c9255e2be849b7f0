# SPDX-License-Identifier: Apache-2.0
"""Cases whose expected data are wrong in this version of ONNX.

Each has the evidence, and a function that computes from the case's inputs what
the operator's text asks for. A case is disputed only if the loader gives that;
it is counted neither as passed nor as failed. One that ONNX's runner accepts is
an error, since then its line here is.
"""
import itertools

import numpy


def average_pool(x):
    """Kernel 5, stride 3, dilation 2, no padding, ceil_mode: what is beyond the
    tensor does not count."""
    result = numpy.zeros((1, 1, 9, 9, 9))
    for place in itertools.product(range(9), repeat=3):
        taps = [[3 * p + 2 * k for k in range(5) if 3 * p + 2 * k < 32]
                for p in place]
        result[(0, 0) + place] = x[0, 0].astype(float)[numpy.ix_(*taps)].mean()
    return result


def qlinear_matmul(a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    sums = numpy.matmul(a.astype(int) - a_zero.astype(int),
                        b.astype(int) - b_zero.astype(int))
    scale = float(a_scale[0]) * float(b_scale[0]) / float(y_scale[0])
    return numpy.clip(numpy.rint(sums * scale) + int(y_zero[0]), -128, 127)


SATURATES = ("what does not fit into 8 bits wraps around, and the operator's "
             "text says y = saturate(...); the data that ONNX 1.23.2 makes do "
             "not wrap around")

CASES = {
    "test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True":
        ("windows of ceil_mode that reach beyond the padding are divided by "
         "their whole size; the data that ONNX 1.23.2 makes for this case are "
         "not", average_pool),
    **{f"test_qlinearmatmul_{shape}_int8_{scale}": (SATURATES, qlinear_matmul)
       for shape in ("2D", "3D") for scale in ("float16", "float32")},
}


def is_as_argued(name, inputs, outputs):
    """True if the loader gives what the operator's text asks for."""
    expected = CASES[name][1](*inputs)
    return (len(outputs) == 1 and outputs[0].shape == expected.shape
            and numpy.allclose(outputs[0], expected, rtol=1e-4, atol=1e-6))
