/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five layers of AlexNet as primitives, each with bias and ReLU, on data of
 * its own: three convolutions and two fully connected layers.
 */
#include "reference.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fully connected layer is what has no image. */
struct layer {
    const char *name;
    struct reference_convolution image;
    size_t inputs;
    size_t outputs;
};

static const struct layer layers[] = {
        {"conv1", {3, 224, 64, 55, 11, 4, 2, true}, 0, 0},
        {"conv2", {64, 27, 192, 27, 5, 1, 2, true}, 0, 0},
        {"conv3", {192, 13, 384, 13, 3, 1, 1, true}, 0, 0},
        {"fc6", {.relu = true}, 9216, 4096},
        {"fc7", {.relu = true}, 4096, 4096},
};

enum { tensors = 4 };

/* In this order everywhere. */
static const int arguments[tensors] = {
        DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST};

/* One layer while it is made and run. */
struct run {
    struct session *session;
    const struct layer *layer;
    struct cached cached;
    size_t counts[tensors]; /* elements */
    float *values[tensors]; /* on the host; of dst, what is expected */
    dnnl_memory_desc_t descs[tensors];
    dnnl_memory_t memories[tensors];
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
};

static bool is_convolution(const struct layer *layer)
{
    return layer->inputs == 0;
}

/* ---- Descriptions -------------------------------------------------------- */

static dnnl_status_t describe_tensor(struct run *run, int i, int ndims,
        const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    run->counts[i] = 1;
    for (int d = 0; d < ndims; d++)
        run->counts[i] *= (size_t)dims[d];
    return dnnl_memory_desc_create_with_tag(
            &run->descs[i], ndims, dims, dnnl_f32, tag);
}

static dnnl_status_t describe_tensors(struct run *run)
{
    const struct reference_convolution *s = &run->layer->image;
    const dnnl_dim_t ic = (dnnl_dim_t)s->in_channels;
    const dnnl_dim_t oc = (dnnl_dim_t)s->out_channels;
    const dnnl_dim_t i = (dnnl_dim_t)s->in_size;
    const dnnl_dim_t o = (dnnl_dim_t)s->out_size;
    const dnnl_dim_t k = (dnnl_dim_t)s->kernel;
    const dnnl_dim_t in = (dnnl_dim_t)run->layer->inputs;
    const dnnl_dim_t out = (dnnl_dim_t)run->layer->outputs;
    const bool image = is_convolution(run->layer);
    const dnnl_dims_t dims[2][tensors] = {
            {{1, in}, {in, out}, {1, out}, {1, out}},
            {{1, ic, i, i}, {oc, ic, k, k}, {oc}, {1, oc, o, o}}};
    static const int ndims[2][tensors] = {{2, 2, 2, 2}, {4, 4, 1, 4}};
    static const dnnl_format_tag_t tags[2][tensors] = {
            {dnnl_ab, dnnl_ab, dnnl_ab, dnnl_ab},
            {dnnl_nchw, dnnl_oihw, dnnl_x, dnnl_nchw}};
    dnnl_status_t st = dnnl_success;
    for (int t = 0; t < tensors && st == dnnl_success; t++)
        st = describe_tensor(
                run, t, ndims[image][t], dims[image][t], tags[image][t]);
    return st;
}

static dnnl_status_t make_relu(dnnl_primitive_attr_t *attr)
{
    dnnl_post_ops_t post_ops = NULL;
    dnnl_status_t st = dnnl_primitive_attr_create(attr);
    if (st == dnnl_success) st = dnnl_post_ops_create(&post_ops);
    if (st == dnnl_success)
        st = dnnl_post_ops_append_eltwise(
                post_ops, dnnl_eltwise_relu, 0.0f, 0.0f);
    if (st == dnnl_success)
        st = dnnl_primitive_attr_set_post_ops(*attr, post_ops);
    dnnl_post_ops_destroy(post_ops);
    return st;
}

static dnnl_status_t describe(struct run *run)
{
    const struct reference_convolution *s = &run->layer->image;
    const dnnl_dim_t stride = (dnnl_dim_t)s->stride;
    const dnnl_dim_t padding = (dnnl_dim_t)s->padding;
    const dnnl_dims_t strides = {stride, stride};
    const dnnl_dims_t dilates = {0, 0};
    const dnnl_dims_t paddings = {padding, padding};
    const dnnl_engine_t engine = run->session->engine;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t st = describe_tensors(run);
    if (st == dnnl_success) st = make_relu(&attr);
    if (st == dnnl_success && is_convolution(run->layer))
        st = dnnl_convolution_forward_primitive_desc_create(&run->desc, engine,
                dnnl_forward_inference, dnnl_convolution_direct, run->descs[0],
                run->descs[1], run->descs[2], run->descs[3], strides, dilates,
                paddings, paddings, attr);
    else if (st == dnnl_success)
        st = dnnl_matmul_primitive_desc_create(&run->desc, engine,
                run->descs[0], run->descs[1], run->descs[2], run->descs[3],
                attr);
    dnnl_primitive_attr_destroy(attr);
    return st;
}

/* ---- Data ---------------------------------------------------------------- */

static dnnl_status_t upload(dnnl_memory_t memory, const float *values, size_t n)
{
    void *mapped;
    const dnnl_status_t st = dnnl_memory_map_data(memory, &mapped);
    if (st != dnnl_success) return st;
    memcpy(mapped, values, n * sizeof *values);
    return dnnl_memory_unmap_data(memory, mapped);
}

/* Weights are scaled so that results are of the size of 1. */
static dnnl_status_t make_data(struct run *run)
{
    const size_t results = run->layer->outputs + run->layer->image.out_channels;
    const float weight = sqrtf(3.0f * (float)results / (float)run->counts[1]);
    const float scales[tensors] = {1.0f, weight, 0.1f, 0.0f};
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < tensors && st == dnnl_success; i++) {
        run->values[i] = session_random(
                run->counts[i] + (uint64_t)i, run->counts[i], scales[i]);
        if (run->values[i] == NULL) return dnnl_out_of_memory;
        st = dnnl_memory_create(&run->memories[i], run->descs[i],
                run->session->engine, DNNL_MEMORY_ALLOCATE);
        if (st == dnnl_success)
            st = upload(run->memories[i], run->values[i], run->counts[i]);
    }
    return st;
}

/* Computes what dst must be. */
static dnnl_status_t expect(struct run *run)
{
    const struct layer *layer = run->layer;
    float **v = run->values;
    if (is_convolution(layer))
        reference_convolution(v[3], v[0], v[1], v[2], &layer->image);
    else if (!reference_matmul(v[3], v[0], v[1], v[2], layer->inputs,
                     layer->outputs, layer->image.relu))
        return dnnl_out_of_memory;
    return dnnl_success;
}

/* ---- Execution ----------------------------------------------------------- */

static dnnl_status_t execute(struct run *run, double *ms)
{
    dnnl_exec_arg_t args[tensors];
    for (int i = 0; i < tensors; i++)
        args[i] = (dnnl_exec_arg_t){arguments[i], run->memories[i]};
    const double began = clock_ms();
    dnnl_status_t st = dnnl_primitive_execute(
            run->primitive, run->session->stream, tensors, args);
    if (st == dnnl_success) st = dnnl_stream_wait(run->session->stream);
    *ms = clock_ms() - began;
    return st;
}

static dnnl_status_t take_result(struct run *run)
{
    void *mapped;
    dnnl_status_t st = dnnl_memory_map_data(run->memories[3], &mapped);
    if (st != dnnl_success) return st;
    const bool taken = session_take_result(run->session, run->cached.report,
            mapped, run->session->options->check ? run->values[3] : NULL,
            run->counts[3]);
    st = dnnl_memory_unmap_data(run->memories[3], mapped);
    return taken ? st : dnnl_runtime_error;
}

static void run_fini(struct run *run)
{
    for (int i = 0; i < tensors; i++) {
        free(run->values[i]);
        dnnl_memory_destroy(run->memories[i]);
        dnnl_memory_desc_destroy(run->descs[i]);
    }
    dnnl_primitive_destroy(run->primitive);
    dnnl_primitive_desc_destroy(run->desc);
    cached_fini(&run->cached);
}

static dnnl_status_t run_layer(
        struct session *session, const struct layer *layer)
{
    struct run run = {
            .session = session,
            .layer = layer,
            .cached = session_begin(session, layer->name, "primitive"),
    };
    struct report_object *report = run.cached.report;
    const char *what = "description";
    dnnl_status_t st = describe(&run);
    if (st != dnnl_success) goto out;
    what = "creation";
    st = cached_primitive(&run.cached, &run.primitive, run.desc);
    if (st != dnnl_success) goto out;
    what = "data";
    st = make_data(&run);
    if (st == dnnl_success && session->options->check) st = expect(&run);
    if (st != dnnl_success) goto out;
    what = "execution";
    st = execute(&run, &report->first_run_ms);
    if (st == dnnl_success) st = execute(&run, &report->second_run_ms);
    report->has_run = true;
    if (st == dnnl_success) st = take_result(&run);
out:
    if (st != dnnl_success) session_failed(layer->name, what, st);
    run_fini(&run);
    return st;
}

dnnl_status_t network_run(struct session *session)
{
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        st = run_layer(session, &layers[i]);
        if (st != dnnl_success) break;
    }
    return st;
}
