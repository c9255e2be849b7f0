/* SPDX-License-Identifier: Apache-2.0 */
/* What the model loader does on the host: layouts, plans and their memory. */
#include "model/lower/lower.h"
#include "model/onnx/onnx.h"
#include "model/plan/layout.h"
#include "model/run/first_launch.h"
#include "model_case.h"
#include "model_text.h"

#include "test.h"

#include <string.h>

/* ---- Layouts ------------------------------------------------------------- */

static struct layout dense3(int64_t a, int64_t b, int64_t c)
{
    return layout_dense(3, (const int64_t[]){a, b, c});
}

TEST_C(ModelLayout, ReshapesWhatFollowsInMemory)
{
    const struct layout l = dense3(2, 3, 4);
    struct layout out;
    ASSERT_TRUE(layout_reshape(&out, &l, 2, (const int64_t[]){6, 4}));
    EXPECT_TRUE(layout_is_dense(&out));
    ASSERT_TRUE(layout_reshape(&out, &l, 4, (const int64_t[]){2, 3, 1, 4}));
    EXPECT_EQ(12, out.strides[0]);
    EXPECT_EQ(4, out.strides[1]);
    EXPECT_EQ(1, out.strides[3]);
}

TEST_C(ModelLayout, ReshapesNothingThatDoesNot)
{
    const struct layout l = dense3(2, 3, 4);
    const struct layout turned = layout_permute(&l, (const int[]){0, 2, 1});
    struct layout out = l;
    const struct {
        const struct layout *from;
        int64_t dims[2];
    } rows[] = {
            {&turned, {2, 12}}, {&l, {8, 4}}, {&l, {2, 3}}, {&turned, {4, 3}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        EXPECT_FALSE(layout_reshape(&out, rows[i].from, 2, rows[i].dims));
    EXPECT_BYTES_EQ(&l, sizeof l, &out, sizeof out);
    /* Splitting a dimension is no trouble, wherever it is. */
    ASSERT_TRUE(
            layout_reshape(&out, &turned, 4, (const int64_t[]){2, 2, 2, 3}));
    EXPECT_EQ(2, out.strides[1]);
    EXPECT_EQ(1, out.strides[2]);
    EXPECT_EQ(4, out.strides[3]);
}

TEST_C(ModelLayout, SlicesAndBroadcasts)
{
    const struct layout l = dense3(2, 3, 4);
    const struct layout part = layout_slice(&l, 2, 1, 2, 2);
    struct layout out;
    EXPECT_EQ(1, part.offset);
    EXPECT_EQ(2, part.strides[2]);
    ASSERT_TRUE(
            layout_broadcast(&out, &part, 4, (const int64_t[]){5, 2, 3, 2}));
    EXPECT_EQ(0, out.strides[0]);
    EXPECT_EQ(60, layout_count(&out));
    EXPECT_FALSE(layout_broadcast(&out, &l, 3, (const int64_t[]){2, 6, 4}));
    EXPECT_FALSE(layout_broadcast(&out, &l, 2, (const int64_t[]){3, 4}));
}

TEST_C(ModelLayout, GathersInOrder)
{
    static const int64_t from[] = {0, 1, 2, 3, 4, 5};
    static const int64_t expected[] = {1, 4, 2, 5};
    int64_t to[4] = {0};
    const struct layout l = layout_dense(2, (const int64_t[]){2, 3});
    struct layout part = layout_slice(&l, 1, 1, 2, 1);
    part = layout_permute(&part, (const int[]){1, 0});
    layout_gather(&part, sizeof *from, from, to);
    EXPECT_BYTES_EQ(expected, sizeof expected, to, sizeof to);
}

TEST_C(ModelLayout, DescriptorsHaveItsPlace)
{
    const struct layout l = dense3(2, 3, 4);
    const struct layout part = layout_slice(&l, 1, 1, 2, 1);
    struct layout spread;
    dnnl_memory_desc_t md = NULL;
    dnnl_dim_t offset = 0;
    ASSERT_OK(layout_describe(&part, dnnl_f32, 100, &md));
    EXPECT_OK(dnnl_memory_desc_query(
            md, dnnl_query_submemory_offset_s64, &offset));
    EXPECT_EQ(104, offset);
    EXPECT_EQ(4 * (104 + 12 + 4 + 3 + 1), dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
    ASSERT_TRUE(
            layout_broadcast(&spread, &part, 4, (const int64_t[]){5, 2, 2, 4}));
    ASSERT_OK(layout_describe(&spread, dnnl_f32, 0, &md));
    EXPECT_EQ(4 * (4 + 12 + 4 + 3 + 1), dnnl_memory_desc_get_size(md));
    dnnl_memory_desc_destroy(md);
}

/* ---- Plans --------------------------------------------------------------- */

static bool read_text(struct graph *graph, const char *text)
{
    struct model_text model;
    struct failure failure = {""};
    model_text_init(&model, text);
    const struct onnx_source source = {
            .bytes = model.bytes, .size = model.size};
    *graph = (struct graph){0};
    const bool ok = onnx_read_graph(graph, &source, &failure);
    if (!ok) test_fail(__FILE__, __LINE__, "%s", failure.text);
    model_text_fini(&model);
    return ok;
}

static bool is_placed(const struct buffer *b)
{
    return b->kind == buffer_activation && b->parent < 0 && b->first <= b->last;
}

/* No two buffers that are needed at once have a word in common. */
static void expect_no_overlap(const struct plan *plan)
{
    for (int i = 0; i < plan->buffer_count; i++)
        for (int j = 0; j < i; j++) {
            const struct buffer *a = &plan->buffers[i], *b = &plan->buffers[j];
            if (!is_placed(a) || !is_placed(b)) continue;
            const bool meet = a->first <= b->last && b->first <= a->last;
            const bool touch = a->offset < b->offset + b->words
                               && b->offset < a->offset + a->words;
            EXPECT_FALSE(meet && touch);
            EXPECT_LE(a->offset + a->words, plan->arena);
        }
}

TEST_C(ModelPlan, NetworksUseTheirMemoryAgain)
{
    struct graph graph = {0};
    struct plan plan = {0};
    struct failure failure = {""};
    int64_t all = 0;
    ASSERT_TRUE(onnx_read_model(&graph,
            DNNL_CACHE_TEST_DATA_DIR "/onnx/networks/light_resnet50.onnx",
            &failure));
    ASSERT_TRUE(lower_graph(&plan, &graph, &failure));
    expect_no_overlap(&plan);
    for (int i = 0; i < plan.buffer_count; i++)
        if (is_placed(&plan.buffers[i])) all += plan.buffers[i].words;
    EXPECT_GT(plan.arena, 0);
    EXPECT_LT(plan.arena, all / 6); /* the largest three at once */
    plan_fini(&plan);
    graph_fini(&graph);
}

TEST_C(ModelPlan, IsTheSameEachTime)
{
    struct graph graph;
    struct plan a = {0}, b = {0};
    struct failure failure = {""};
    ASSERT_TRUE(read_text(&graph, "opset 13\n"
                                  "input x f32 1,4,6,6\n"
                                  "const w f32 4,4,3,3 = 0.5 -1\n"
                                  "Conv x,w -> c pads=[1,1,1,1]\n"
                                  "Relu c -> r\n"
                                  "Add r,x -> y\n"
                                  "output y f32 1,4,6,6\n"));
    EXPECT_TRUE(lower_graph(&a, &graph, &failure));
    EXPECT_TRUE(lower_graph(&b, &graph, &failure));
    ASSERT_EQ(1, a.step_count);
    EXPECT_EQ(a.step_count, b.step_count);
    EXPECT_EQ(a.arena, b.arena);
    EXPECT_EQ(2, a.steps[0]->post_op_count);
    char kind[64];
    step_describe_kind(a.steps[0], sizeof kind, kind);
    EXPECT_STR_EQ("convolution+relu+add", kind);
    step_describe_kind(a.steps[0], 8, kind);
    EXPECT_STR_EQ("convolu", kind);
    plan_fini(&a);
    plan_fini(&b);
    graph_fini(&graph);
}

TEST_C(ModelPlan, NamesTheNodeThatItRefuses)
{
    struct graph graph;
    struct plan plan = {0};
    struct failure failure = {""};
    ASSERT_TRUE(read_text(&graph, "opset 13\n"
                                  "input x f64 2,3\n"
                                  "ReduceLogSum:wide x -> y axes=[1]\n"
                                  "output y f64 2,1\n"));
    /* The reader has no such graph; an executor may not count on that. */
    for (int t = 0; t < graph.tensor_count; t++)
        graph.tensors[t].type = graph_type_i64;
    EXPECT_FALSE(lower_graph(&plan, &graph, &failure));
    EXPECT_NOT_NULL(strstr(failure.text, "wide"));
    plan_fini(&plan);
    graph_fini(&graph);
}

/* Two activations that a step needs at once: their sum must fit, too. */
TEST_C(ModelPlan, NeedsNoMoreThanCanBeAddressed)
{
    const int64_t most = (int64_t)(SIZE_MAX / 2 / word_bytes);
    struct plan plan = {0};
    ASSERT_EQ(0, plan_add_buffer(&plan, buffer_activation, most - 4096));
    ASSERT_EQ(1, plan_add_buffer(&plan, buffer_activation, 1024));
    struct step *step = plan_add_step(&plan, step_softmax, 2);
    ASSERT_TRUE(step != NULL);
    for (int i = 0; i < 2; i++)
        step_add_arg(step, DNNL_ARG_SRC_0 + i, &(struct view){.buffer = i});
    EXPECT_TRUE(plan_place(&plan));
    plan.buffers[1].words = 8192;
    EXPECT_FALSE(plan_place(&plan));
    plan_fini(&plan);
}

/* ---- First launches ------------------------------------------------------ */

/* Of steps that are one program the shortest; no long ones. */
TEST_C(ModelPlan, LaunchesAProgramWhereItHasLeastToDo)
{
    struct graph graph;
    struct plan plan = {0};
    struct failure failure = {""};
    int chosen[8];
    ASSERT_TRUE(read_text(&graph,
            "opset 13\ninput x f32 1,4096\ninput y f32 1,64\n"
            "input z f32 1,8,64,64\nconst w f32 128,8,3,3 = 0.1\n"
            "Exp x -> a\nExp y -> b\nConv z,w -> c pads=[1,1,1,1]\n"
            "Softmax y -> d\noutput a\noutput b\noutput c\noutput d"));
    ASSERT_TRUE(lower_graph(&plan, &graph, &failure));
    ASSERT_EQ(4, plan.step_count);
    ASSERT_EQ(2, first_launch_choose(&plan, chosen));
    EXPECT_STR_EQ("b", plan.steps[chosen[0]]->tensor);
    EXPECT_STR_EQ("d", plan.steps[chosen[1]]->tensor);
    plan_fini(&plan);
    graph_fini(&graph);
}
