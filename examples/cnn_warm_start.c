/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cnn_warm_start.c: a small convolutional network that prints, for each layer,
 * where its code came from.
 *
 *     cnn_warm_start ~/.cache/cnn    conv1: compiled in 1210.5 ms ...
 *     cnn_warm_start ~/.cache/cnn    conv1: loaded from the store in 0.9 ms ...
 *
 * The network: an image of 8x8, two convolutions of 3x3 with a relu, each
 * followed by a max pooling of 2x2, and ten sums of all values. The store is
 * the bucket store of stores/, in the given folder.
 */
#include "example.h"
#include <dnnl_cache/store.h>

#include <stdio.h>

/* ---- Numbers ------------------------------------------------------------- */

/* Small integers, so that every order of adding gives the same numbers. */
enum { image_size = 8, channels1 = 4, channels2 = 8, classes = 10 };

static float image_at(int i)
{
    return (float)(i * 5 % 7);
}

static float weight_at(int i)
{
    return (float)(i * 11 % 5 - 1);
}

/* ---- The network --------------------------------------------------------- */

struct tensor {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
};

struct step {
    const char *name;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[4];
    int arg_count;
};

enum { max_tensors = 12, step_count = 5 };

struct net {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct tensor tensors[max_tensors];
    int tensor_count;
    struct step steps[step_count];
    int steps_made;
    const struct tensor *result;
    dnnl_status_t status; /* of the first call that failed; ends the rest */
};

/* A tensor of the network; value NULL: a layer writes it. */
static const struct tensor *add_tensor(
        struct net *net, int ndims, const dnnl_dims_t dims, float (*value)(int))
{
    struct tensor *t = &net->tensors[net->tensor_count];
    void *mapped;
    if (net->status != dnnl_success) return t;
    net->tensor_count++;
    net->status = dnnl_memory_desc_create_with_strides(
            &t->md, ndims, dims, dnnl_f32, NULL);
    if (net->status == dnnl_success)
        net->status = dnnl_memory_create(
                &t->memory, t->md, net->engine, DNNL_MEMORY_ALLOCATE);
    if (net->status != dnnl_success || value == NULL) return t;
    net->status = dnnl_memory_map_data(t->memory, &mapped);
    if (net->status != dnnl_success) return t;
    const size_t count = dnnl_memory_desc_get_size(t->md) / sizeof(float);
    for (size_t i = 0; i < count; i++)
        ((float *)mapped)[i] = value((int)i);
    net->status = dnnl_memory_unmap_data(t->memory, mapped);
    return t;
}

/* Says where the layer's code came from. */
static void tell(const struct step *step)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    if (dnnl_cache_primitive_get_creation_info(step->primitive, &info)
            != dnnl_success)
        return;
    const double ms = 1e-6 * (double)info.total_ns;
    switch (info.origin) {
    case dnnl_cache_origin_compiled:
        printf("%s: compiled in %.1f ms\n", step->name, ms);
        break;
    case dnnl_cache_origin_store_hit:
        printf("%s: loaded from the store in %.1f ms\n", step->name, ms);
        break;
    default:
        printf("%s: has the program of another layer\n", step->name);
        break;
    }
}

/* Creates the primitive of a step from its descriptor. The primitive reads src
 * and, unless they are NULL, weights and bias, and writes dst. */
static void finish_step(struct net *net, const char *name,
        const struct tensor *src, const struct tensor *weights,
        const struct tensor *bias, const struct tensor *dst)
{
    struct step *step = &net->steps[net->steps_made];
    int n = 0;
    if (net->status == dnnl_success)
        net->status = dnnl_primitive_create(&step->primitive, step->pd);
    if (net->status != dnnl_success) return;
    step->name = name;
    step->args[n++] = (dnnl_exec_arg_t){DNNL_ARG_SRC, src->memory};
    if (weights != NULL)
        step->args[n++] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, weights->memory};
    if (bias != NULL)
        step->args[n++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, bias->memory};
    step->args[n++] = (dnnl_exec_arg_t){DNNL_ARG_DST, dst->memory};
    step->arg_count = n;
    net->steps_made++;
    tell(step);
}

/* A convolution of 3x3 that keeps the image's size, and a relu. */
static const struct tensor *add_convolution(struct net *net, const char *name,
        const struct tensor *src, int from, int to, int size)
{
    static const dnnl_dims_t ones = {1, 1};
    dnnl_post_ops_t ops = NULL;
    dnnl_primitive_attr_t attr = NULL;
    const struct tensor *weights =
            add_tensor(net, 4, (dnnl_dims_t){to, from, 3, 3}, weight_at);
    const struct tensor *bias =
            add_tensor(net, 1, (dnnl_dims_t){to}, weight_at);
    const struct tensor *dst =
            add_tensor(net, 4, (dnnl_dims_t){1, to, size, size}, NULL);
    if (net->status == dnnl_success) net->status = dnnl_post_ops_create(&ops);
    if (net->status == dnnl_success)
        net->status = dnnl_post_ops_append_eltwise(
                ops, dnnl_eltwise_relu, 0.0f, 0.0f);
    if (net->status == dnnl_success)
        net->status = dnnl_primitive_attr_create(&attr);
    if (net->status == dnnl_success)
        net->status = dnnl_primitive_attr_set_post_ops(attr, ops);
    if (net->status == dnnl_success)
        net->status = dnnl_convolution_forward_primitive_desc_create(
                &net->steps[net->steps_made].pd, net->engine,
                dnnl_forward_inference, dnnl_convolution_direct, src->md,
                weights->md, bias->md, dst->md, ones, NULL, ones, ones, attr);
    dnnl_primitive_attr_destroy(attr);
    dnnl_post_ops_destroy(ops);
    finish_step(net, name, src, weights, bias, dst);
    return dst;
}

/* The largest of each 2x2. */
static const struct tensor *add_pooling(struct net *net, const char *name,
        const struct tensor *src, int channels, int size)
{
    static const dnnl_dims_t twos = {2, 2}, zeros = {0, 0};
    const struct tensor *dst =
            add_tensor(net, 4, (dnnl_dims_t){1, channels, size, size}, NULL);
    if (net->status == dnnl_success)
        net->status = dnnl_pooling_forward_primitive_desc_create(
                &net->steps[net->steps_made].pd, net->engine,
                dnnl_forward_inference, dnnl_pooling_max, src->md, dst->md,
                twos, twos, zeros, zeros, zeros, NULL);
    finish_step(net, name, src, NULL, NULL, dst);
    return dst;
}

static const struct tensor *add_inner_product(
        struct net *net, const char *name, const struct tensor *src, int size)
{
    const struct tensor *weights = add_tensor(
            net, 4, (dnnl_dims_t){classes, channels2, size, size}, weight_at);
    const struct tensor *dst =
            add_tensor(net, 2, (dnnl_dims_t){1, classes}, NULL);
    if (net->status == dnnl_success)
        net->status = dnnl_inner_product_forward_primitive_desc_create(
                &net->steps[net->steps_made].pd, net->engine,
                dnnl_forward_inference, src->md, weights->md, NULL, dst->md,
                NULL);
    finish_step(net, name, src, weights, NULL, dst);
    return dst;
}

static dnnl_status_t net_init(struct net *net, const struct device *device)
{
    int size = image_size;
    net->status = dnnl_ocl_interop_engine_create(
            &net->engine, device->id, device->context);
    if (net->status == dnnl_success)
        net->status = dnnl_stream_create(
                &net->stream, net->engine, dnnl_stream_default_flags);
    const struct tensor *t =
            add_tensor(net, 4, (dnnl_dims_t){1, 1, size, size}, image_at);
    t = add_convolution(net, "conv1", t, 1, channels1, size);
    t = add_pooling(net, "pool1", t, channels1, size /= 2);
    t = add_convolution(net, "conv2", t, channels1, channels2, size);
    t = add_pooling(net, "pool2", t, channels2, size /= 2);
    net->result = add_inner_product(net, "sums", t, size);
    return net->status;
}

static dnnl_status_t net_run(const struct net *net)
{
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < net->steps_made && st == dnnl_success; i++)
        st = dnnl_primitive_execute(net->steps[i].primitive, net->stream,
                net->steps[i].arg_count, net->steps[i].args);
    return st == dnnl_success ? dnnl_stream_wait(net->stream) : st;
}

static void net_fini(struct net *net)
{
    for (int i = 0; i < step_count; i++) {
        dnnl_primitive_destroy(net->steps[i].primitive);
        dnnl_primitive_desc_destroy(net->steps[i].pd);
    }
    for (int i = 0; i < max_tensors; i++) {
        dnnl_memory_destroy(net->tensors[i].memory);
        dnnl_memory_desc_destroy(net->tensors[i].md);
    }
    dnnl_stream_destroy(net->stream);
    dnnl_engine_destroy(net->engine);
}

/* ---- The same in plain C ------------------------------------------------- */

enum { most = channels2 * image_size * image_size };

/* An element of src (channels of size x size); 0 outside the image. */
static float at(const float *src, int channel, int size, int y, int x)
{
    const bool inside = y >= 0 && y < size && x >= 0 && x < size;
    return inside ? src[(channel * size + y) * size + x] : 0.0f;
}

static void convolve(const float *src, float *dst, int from, int to, int size)
{
    for (int i = 0; i < to * size * size; i++) {
        const int o = i / (size * size), y = i / size % size, x = i % size;
        float sum = weight_at(o); /* the bias */
        for (int k = 0; k < from * 9; k++)
            sum += at(src, k / 9, size, y + k / 3 % 3 - 1, x + k % 3 - 1)
                   * weight_at(o * from * 9 + k);
        dst[i] = sum > 0.0f ? sum : 0.0f;
    }
}

/* To channels of size x size. */
static void pool(const float *src, float *dst, int channels, int size)
{
    for (int i = 0; i < channels * size * size; i++) {
        const int c = i / (size * size), y = i / size % size, x = i % size;
        dst[i] = at(src, c, 2 * size, 2 * y, 2 * x);
        for (int k = 1; k < 4; k++) {
            const float s = at(src, c, 2 * size, 2 * y + k / 2, 2 * x + k % 2);
            if (s > dst[i]) dst[i] = s;
        }
    }
}

static void compute(float result[classes])
{
    float a[most], b[most];
    int size = image_size;
    for (int i = 0; i < size * size; i++)
        a[i] = image_at(i);
    convolve(a, b, 1, channels1, size);
    pool(b, a, channels1, size /= 2);
    convolve(a, b, channels1, channels2, size);
    pool(b, a, channels2, size /= 2);
    const int inputs = channels2 * size * size;
    for (int o = 0; o < classes; o++) {
        result[o] = 0.0f;
        for (int i = 0; i < inputs; i++)
            result[o] += a[i] * weight_at(o * inputs + i);
    }
}

static dnnl_status_t check(const struct net *net, bool *right)
{
    float expected[classes];
    double sum = 0.0;
    void *mapped;
    dnnl_status_t st = dnnl_memory_map_data(net->result->memory, &mapped);
    if (st != dnnl_success) return st;
    compute(expected);
    *right = true;
    for (int i = 0; i < classes; i++) {
        if (((float *)mapped)[i] != expected[i]) *right = false;
        sum += (double)((float *)mapped)[i];
    }
    example_print_result(sum, *right);
    return dnnl_memory_unmap_data(net->result->memory, mapped);
}

/* ---- Cold and warm ------------------------------------------------------- */

static dnnl_status_t run(
        const struct device *device, const char *folder, bool *right)
{
    struct net net = {0};
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = folder;
    options.capacity = dnnl_cache_store_megabytes(64);
    options.log = example_log;
    const double began = clock_ms();
    if (dnnl_cache_store_open(&store, "bucket", &options) == dnnl_success)
        dnnl_cache_set_default_store(dnnl_cache_store_get_callbacks(store));
    dnnl_status_t st = net_init(&net, device);
    if (st == dnnl_success) st = net_run(&net);
    if (st == dnnl_success) {
        example_print_library_time(clock_ms() - began);
        st = check(&net, right);
    }
    net_fini(&net);
    /* First release objects in memory, which use the store. */
    dnnl_cache_set_default_store(NULL);
    dnnl_set_primitive_cache_capacity(0);
    dnnl_cache_store_close(store);
    return st;
}

int main(int argc, char **argv)
{
    static const struct example example = {"FOLDER",
            "A small convolutional network on an OpenCL device. What its "
            "layers\n"
            "are compiled to is kept in a store; later runs load it.\n",
            run};
    return example_main(&example, argc, argv);
}
