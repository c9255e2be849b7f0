# SPDX-License-Identifier: Apache-2.0
# python.py: a program with pyopencl that starts warm. The first run prints
# "2.0 COMPILED", the second one "2.0 STORE_HIT":
#
#     pip install dist/dnnl_cache-*.whl       # docs/start/python.md
#     python python.py; python python.py

import numpy as np, pyopencl as cl, dnnl_cache

source = "__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }"
ctx = cl.create_some_context(interactive=False)
# ---- What is new ----
dnnl_cache.set_dir()                     # once: keep programs below ~/.cache
program = dnnl_cache.build(ctx, source)  # in place of cl.Program(ctx, source).build()
# ---- As it was ----
queue = cl.CommandQueue(ctx)
x = np.ones(4096, np.float32)
buffer = cl.Buffer(ctx, cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
program.twice(queue, x.shape, None, buffer)
cl.enqueue_copy(queue, x, buffer)
print(x[0], program.dnnl_cache.creation.origin.name)   # COMPILED, then STORE_HIT
