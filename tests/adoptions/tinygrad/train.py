# SPDX-License-Identifier: Apache-2.0
"""train.py FILE: two steps of training a small network with tinygrad; writes
the losses and the weights."""
import sys

import numpy
from tinygrad import Tensor, nn
from tinygrad.helpers import TRAINING


class Network:
    def __init__(self):
        self.hidden = nn.Linear(6 * 6, 16)
        self.output = nn.Linear(16, 10)

    def __call__(self, x):
        return self.output(self.hidden(x.flatten(1)).relu())


def fill(tensor, scale):
    """Fixed values, in place of random ones."""
    values = numpy.arange(tensor.numel(), dtype=numpy.float32)
    values = ((values * 37 + 11) % 101 / 101 - 0.5) * scale
    tensor.replace(Tensor(values.reshape(tensor.shape)))


network = Network()
parameters = nn.state.get_parameters(network)
for parameter in parameters:
    fill(parameter, 0.2)
images = Tensor.empty(8, 6, 6)
fill(images, 2)
labels = Tensor([3, 1, 4, 1, 5, 9, 2, 6])
optimizer = nn.optim.SGD(parameters, lr=0.05)
results = []
TRAINING.value = 1
for _ in range(2):
    optimizer.zero_grad()
    loss = network(images).sparse_categorical_crossentropy(labels)
    loss.backward()
    optimizer.step()
    results.append(loss.numpy())
results += [parameter.numpy() for parameter in parameters]
assert results[1] < results[0]
with open(sys.argv[1], "wb") as file:
    for result in results:
        file.write(result.tobytes())
