/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A product of f32 matrices beside CLBlast's, on one queue and the same
 * matrices. Built only where CLBlast is there.
 */
#include "row.h"

#include "failure.h"

#include <clblast_c.h>

enum { PAIRS = 7, MOST_PAIRS = 51, SIZE = 1024 };

static bool run_ours(void *arg, double *value)
{
    struct object *o = arg;
    uint64_t start = clock_ns();
    bool done = o->subject->run(o);
    *value = (double)(clock_ns() - start);
    return done;
}

static bool find_queue_and_buffers(struct object *o)
{
    dnnl_status_t st =
            dnnl_ocl_interop_stream_get_command_queue(o->stream, &o->queue);
    for (int i = 0; i < OBJECT_INPUTS && st == dnnl_success; i++)
        st = dnnl_ocl_interop_memory_get_mem_object(
                o->memories[i], &o->buffers[i]);
    return succeeded(st, "dnnl_ocl_interop_memory_get_mem_object");
}

static bool run_clblast(void *arg, double *value)
{
    struct object *o = arg;
    size_t n = (size_t)o->size;
    uint64_t start = clock_ns();
    CLBlastStatusCode st = CLBlastSgemm(CLBlastLayoutRowMajor,
            CLBlastTransposeNo, CLBlastTransposeNo, n, n, n, 1.0f,
            o->buffers[0], 0, n, o->buffers[1], 0, n, 0.0f, o->buffers[2], 0, n,
            &o->queue, NULL);
    if (st != CLBlastSuccess) {
        failure_set("CLBlastSgemm answers %d", (int)st);
        return false;
    }
    bool done = cl_succeeded(clFinish(o->queue), "clFinish");
    *value = (double)(clock_ns() - start);
    return done;
}

bool measure_matmul(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct object o;
    double ignored;
    if (!bench_need_engine(bench)
            || !object_open(
                    &o, subject, &bench->device, &bench->engine_blob, SIZE))
        return false;
    /* The first runs, which may compile, are not counted. */
    bool done = subject->describe(&o) && subject->create(&o)
                && subject->run_prepare(&o) && find_queue_and_buffers(&o)
                && run_ours(&o, &ignored) && run_clblast(&o, &ignored)
                && measure_pairs((struct side){run_ours, &o},
                        (struct side){run_clblast, &o},
                        effort_of(bench->repeat, PAIRS, MOST_PAIRS),
                        row->target, row->name, result);
    /* Borrowed from stream and memories. */
    o.queue = NULL;
    for (int i = 0; i < OBJECT_INPUTS; i++)
        o.buffers[i] = NULL;
    object_close(&o);
    return done;
}
