/* SPDX-License-Identifier: Apache-2.0 */
/* How many programs the products of whole networks are compiled to: shapes
 * are arguments of kernels, so a few do for all. */
#include "rig.h"

#include "test.h"
#include "transformer.h"

enum { MAX_PRIMITIVES = 128 };

/* How tensors are laid out. */
struct layouts {
    const char *name;
    dnnl_format_tag_t image, weights, grouped_weights;
};

static const struct layouts layouts[] = {
        {"nchw", dnnl_nchw, dnnl_oihw, dnnl_goihw},
        {"any", dnnl_format_tag_any, dnnl_format_tag_any, dnnl_format_tag_any},
        {"nhwc", dnnl_nhwc, dnnl_format_tag_any, dnnl_format_tag_any}};

/* A network in the making. */
struct network {
    struct rig rig;
    const struct layouts *layouts;
    dnnl_primitive_t primitives[MAX_PRIMITIVES]; /* keep their programs */
    int count;
    size_t builds; /* of other programs, before */
};

struct layer {
    dnnl_dim_t groups, in, out; /* channels of all groups */
    dnnl_dim_t size, kernel, stride, padding;
    bool has_bias;
    bool has_relu;
};

static dnnl_memory_desc_t make_md(
        int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md = NULL;
    EXPECT_OK(
            dnnl_memory_desc_create_with_tag(&md, ndims, dims, dnnl_f32, tag));
    return md;
}

static dnnl_primitive_attr_t make_attr(bool has_relu)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_post_ops_create(&ops));
    if (has_relu)
        EXPECT_OK(dnnl_post_ops_append_eltwise(
                ops, dnnl_eltwise_relu, 0.0f, 0.0f));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    EXPECT_OK(dnnl_post_ops_destroy(ops));
    return attr;
}

/* Creates the primitive, and destroys what it was described by. */
static void finish(struct network *net, dnnl_status_t described,
        dnnl_primitive_desc_t pd, dnnl_primitive_attr_t attr,
        dnnl_memory_desc_t md[4])
{
    EXPECT_OK(described);
    if (described == dnnl_success)
        EXPECT_OK(dnnl_primitive_create(&net->primitives[net->count++], pd));
    dnnl_primitive_desc_destroy(pd);
    dnnl_primitive_attr_destroy(attr);
    for (int i = 0; i < 4; i++)
        dnnl_memory_desc_destroy(md[i]);
}

static void add_convolution(struct network *net, const struct layer *l)
{
    dnnl_dim_t out = (l->size + 2 * l->padding - l->kernel) / l->stride + 1;
    const dnnl_dims_t src = {1, l->in, l->size, l->size};
    const dnnl_dims_t dst = {1, l->out, out, out};
    const dnnl_dims_t whole = {l->out, l->in, l->kernel, l->kernel};
    const dnnl_dims_t grouped = {l->groups, l->out / l->groups,
            l->in / l->groups, l->kernel, l->kernel};
    const dnnl_dims_t strides = {l->stride, l->stride};
    const dnnl_dims_t padding = {l->padding, l->padding};
    bool has_groups = l->groups > 1;
    dnnl_memory_desc_t md[4] = {make_md(4, src, net->layouts->image),
            has_groups ? make_md(5, grouped, net->layouts->grouped_weights)
                       : make_md(4, whole, net->layouts->weights),
            l->has_bias ? make_md(1, (dnnl_dims_t){l->out}, dnnl_a) : NULL,
            make_md(4, dst, net->layouts->image)};
    dnnl_primitive_attr_t attr = make_attr(l->has_relu);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t st = dnnl_convolution_forward_primitive_desc_create(&pd,
            net->rig.engine, dnnl_forward_inference, dnnl_convolution_auto,
            md[0], md[1], md[2], md[3], strides, NULL, padding, NULL, attr);
    finish(net, st, pd, attr, md);
}

static void add_inner_product(struct network *net, int ndims,
        const dnnl_dims_t src, dnnl_dim_t out, bool has_relu)
{
    dnnl_dims_t weights = {out, src[1], src[2], src[3]};
    const dnnl_dims_t dst = {1, out};
    bool is_image = ndims == 4;
    dnnl_memory_desc_t md[4] = {
            make_md(ndims, src, is_image ? net->layouts->image : dnnl_ab),
            make_md(ndims, weights, is_image ? net->layouts->weights : dnnl_ab),
            make_md(1, (dnnl_dims_t){out}, dnnl_a), make_md(2, dst, dnnl_ab)};
    dnnl_primitive_attr_t attr = make_attr(has_relu);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t st = dnnl_inner_product_forward_primitive_desc_create(&pd,
            net->rig.engine, dnnl_forward_inference, md[0], md[1], md[2], md[3],
            attr);
    finish(net, st, pd, attr, md);
}

/* The engine's facts are established first: the probe does not count. */
static void open_network(struct network *net, const struct layouts *use)
{
    const dnnl_dims_t one = {1};
    dnnl_memory_desc_t md = make_md(1, one, dnnl_a);
    dnnl_primitive_desc_t pd = NULL;
    rig_open(&net->rig, 0);
    net->layouts = use;
    net->count = 0;
    EXPECT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, net->rig.engine,
            dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f, 0.0f,
            NULL));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    net->builds = fake_opencl_source_builds();
}

static void close_network(struct network *net, int primitives, size_t most)
{
    size_t builds = fake_opencl_source_builds() - net->builds;
    EXPECT_EQ(primitives, net->count);
    EXPECT_TRUE(builds >= 1);
    if (builds > most)
        test_fail(__FILE__, __LINE__, "%s: %zu programs, not %zu",
                net->layouts->name, builds, most);
    for (int i = 0; i < net->count; i++)
        EXPECT_OK(dnnl_primitive_destroy(net->primitives[i]));
    rig_close(&net->rig);
}

TEST_C(NetworkPrograms, OfAlexNetAreFew)
{
    static const struct layer convolutions[] = {
            {1, 3, 96, 224, 11, 4, 0, true, true},
            {2, 96, 256, 27, 5, 1, 2, true, true},
            {1, 256, 384, 13, 3, 1, 1, true, true},
            {2, 384, 384, 13, 3, 1, 1, true, true},
            {2, 384, 256, 13, 3, 1, 1, true, true}};
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct network net;
        open_network(&net, &layouts[i]);
        for (size_t j = 0; j < COUNT(convolutions); j++)
            add_convolution(&net, &convolutions[j]);
        add_inner_product(&net, 4, (dnnl_dims_t){1, 256, 6, 6}, 4096, true);
        add_inner_product(&net, 2, (dnnl_dims_t){1, 4096}, 4096, true);
        add_inner_product(&net, 2, (dnnl_dims_t){1, 4096}, 1000, false);
        close_network(&net, 8, 4);
    }
}

/* A block of ResNet-50: narrow, look around, widen; beside it, in the first of
 * a stage, the way past it. */
static void add_block(struct network *net, dnnl_dim_t in, dnnl_dim_t width,
        dnnl_dim_t size, dnnl_dim_t stride)
{
    const struct layer narrow = {1, in, width, size, 1, 1, 0, true, true};
    const struct layer around = {
            1, width, width, size, 3, stride, 1, true, true};
    const struct layer wide = {
            1, width, 4 * width, size / stride, 1, 1, 0, true, false};
    const struct layer past = {
            1, in, 4 * width, size, 1, stride, 0, true, false};
    add_convolution(net, &narrow);
    add_convolution(net, &around);
    add_convolution(net, &wide);
    if (in != 4 * width) add_convolution(net, &past);
}

TEST_C(NetworkPrograms, OfResNet50AreFew)
{
    static const struct layer first = {1, 3, 64, 224, 7, 2, 3, true, true};
    static const struct {
        dnnl_dim_t width, size, stride;
        int blocks;
    } stages[] = {
            {64, 56, 1, 3}, {128, 56, 2, 4}, {256, 28, 2, 6}, {512, 14, 2, 3}};
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct network net;
        dnnl_dim_t in = 64;
        open_network(&net, &layouts[i]);
        add_convolution(&net, &first);
        for (size_t s = 0; s < COUNT(stages); s++)
            for (int b = 0; b < stages[s].blocks; b++) {
                bool is_first = b == 0;
                add_block(&net, in, stages[s].width,
                        is_first ? stages[s].size
                                 : stages[s].size / stages[s].stride,
                        is_first ? stages[s].stride : 1);
                in = 4 * stages[s].width;
            }
        close_network(&net, 53, 3);
    }
}

/* BERT-base: 12 layers of 9 primitives, five kinds of product among them. The
 * attention of several texts at once, and of one. */
TEST_C(NetworkPrograms, OfATransformerAreFew)
{
    enum { LAYERS = 12 };
    static const struct transformer_sizes sizes[] = {
            {8, 128, 12, 64, 3072}, {1, 384, 12, 64, 3072}};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct network net;
        open_network(&net, &layouts[0]);
        for (int step = 0; step < LAYERS * TRANSFORMER_STEPS; step++) {
            dnnl_primitive_desc_t pd = NULL;
            ASSERT_OK(transformer_describe(
                    &pd, net.rig.engine, &sizes[i], step % TRANSFORMER_STEPS));
            EXPECT_OK(dnnl_primitive_create(&net.primitives[net.count++], pd));
            EXPECT_OK(dnnl_primitive_desc_destroy(pd));
        }
        close_network(&net, LAYERS * TRANSFORMER_STEPS, 7);
    }
}
