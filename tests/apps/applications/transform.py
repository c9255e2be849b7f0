# SPDX-License-Identifier: Apache-2.0
"""transform.py FILE: what reikna makes programs for, computed and checked."""
import sys
import numpy
import reikna.cluda
import reikna.fft
import reikna.linalg

thread = reikna.cluda.ocl_api().Thread.create()
x = (numpy.arange(64) + 1j).astype(numpy.complex64).reshape(8, 8)
source, result = thread.to_device(x), thread.empty_like(x)
reikna.fft.FFT(x).compile(thread)(result, source)
a = numpy.arange(64, dtype=numpy.float32).reshape(8, 8)
factor, product = thread.to_device(a), thread.empty_like(a)
reikna.linalg.MatrixMul(a, a).compile(thread)(product, factor, factor)
assert numpy.allclose(result.get(), numpy.fft.fft2(x), rtol=1e-3, atol=1e-2)
assert numpy.array_equal(product.get(), a @ a)
with open(sys.argv[1], "wb") as file:
    file.write(result.get().tobytes() + product.get().tobytes())
