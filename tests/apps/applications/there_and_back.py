# SPDX-License-Identifier: Apache-2.0
"""there_and_back.py FILE: a transform of pyvkfft's, computed and checked."""
import sys
import numpy
import pyopencl
import pyopencl.array
from pyvkfft.opencl import VkFFTApp

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
x = (numpy.arange(64) + 1j).astype(numpy.complex64).reshape(8, 8)
data = pyopencl.array.to_device(queue, x)
application = VkFFTApp(data.shape, data.dtype, queue=queue, ndim=2)
application.fft(data)
there = data.get()
application.ifft(data)
assert numpy.allclose(there, numpy.fft.fft2(x), rtol=1e-3, atol=1e-2)
assert numpy.allclose(data.get(), x, rtol=1e-3, atol=1e-3)
with open(sys.argv[1], "wb") as file:
    file.write(there.tobytes() + data.get().tobytes())
