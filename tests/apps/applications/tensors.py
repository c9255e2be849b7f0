# SPDX-License-Identifier: Apache-2.0
"""tensors.py FILE: what tinygrad makes programs for, computed and checked."""
import sys
import numpy
from tinygrad import Tensor

x = numpy.arange(64, dtype=numpy.float32).reshape(8, 8)
a = Tensor(x)
b = (a @ a.T).relu().sum(axis=0).numpy()
c = (a / 8).softmax().numpy()
assert numpy.array_equal(b, (x @ x.T).sum(axis=0))
assert numpy.allclose(c.sum(axis=1), 1)
with open(sys.argv[1], "wb") as file:
    file.write(b.tobytes() + c.tobytes())
