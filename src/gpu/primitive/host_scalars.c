/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/host_scalars.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/primitive/refusal.h"

#include <stdlib.h>

/* Kernels read all numbers of attributes from buffers: then one program serves
 * both kinds, and a number that changes compiles nothing. */
static dnnl_status_t put_on_device(struct dnnl_memory *memory,
        const struct dnnl_primitive_desc *pd, const struct dnnl_memory *scalar)
{
    uint64_t number = scalar->scalar;
    cl_int error;
    *memory = (struct dnnl_memory){
            .engine = pd->engine, .md = scalar->md, .size = scalar->size};
    memory->buffer = clCreateBuffer(pd->engine->context,
            CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, scalar->size, &number,
            &error);
    return cl_status(error, "clCreateBuffer");
}

static int count_scalars(const struct execution *e)
{
    int count = 0;
    for (int t = 0; t < e->primitive->pd->tensor_count; t++)
        count += memory_is_host_scalar(e->memories[t]);
    return count;
}

/* Are host scalars where attributes say so, of the described type, and nowhere
 * else? */
static dnnl_status_t check(const struct execution *e)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    for (int t = 0; t < pd->tensor_count; t++) {
        const struct dnnl_memory *m = e->memories[t];
        const int arg = pd->tensors[t].arg;
        if (memory_is_host_scalar(m) != attr_is_on_host(&pd->attr, arg))
            return refuse_execution(pd,
                    memory_is_host_scalar(m)
                            ? "a number on the host"
                            : "a number that is not on the host",
                    arg);
        if (memory_is_host_scalar(m)
                && m->md.data_type != pd->tensors[t].md.data_type)
            return refuse_execution(pd, "a number of another type", arg);
    }
    return dnnl_success;
}

dnnl_status_t host_scalars_begin(
        struct host_scalars *scalars, struct execution *e)
{
    const int count = count_scalars(e);
    *scalars = (struct host_scalars){NULL, 0};
    dnnl_status_t st = check(e);
    if (st != dnnl_success || count == 0) return st;
    scalars->memories = malloc((size_t)count * sizeof *scalars->memories);
    if (scalars->memories == NULL) return dnnl_out_of_memory;
    for (int t = 0; t < e->primitive->pd->tensor_count; t++) {
        struct dnnl_memory *memory = &scalars->memories[scalars->count];
        if (!memory_is_host_scalar(e->memories[t])) continue;
        st = put_on_device(memory, e->primitive->pd, e->memories[t]);
        if (st != dnnl_success) return st;
        scalars->count++;
        e->memories[t] = memory;
    }
    return dnnl_success;
}

void host_scalars_end(struct host_scalars *scalars)
{
    for (int i = 0; i < scalars->count; i++)
        clReleaseMemObject(scalars->memories[i].buffer);
    free(scalars->memories);
}
