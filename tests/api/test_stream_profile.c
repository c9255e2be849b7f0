/* SPDX-License-Identifier: Apache-2.0 */
/* How long executions took, as a stream tells it. */
#define DNNL_EXPERIMENTAL_PROFILING
#include "run_primitive.h"
#include "test.h"

static dnnl_status_t describe(
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const void *user)
{
    const_dnnl_memory_desc_t md = user;
    return dnnl_eltwise_forward_primitive_desc_create(pd, engine,
            dnnl_forward_inference, dnnl_eltwise_linear, md, md, 2.0f, 0.0f,
            NULL);
}

/* An execution on a tensor, in place. */
static void execute(dnnl_stream_t stream, dnnl_memory_desc_t md)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_memory_t memory = NULL;
    EXPECT_OK(describe(&pd, test_engine(), md));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_memory_create(
            &memory, md, test_engine(), DNNL_MEMORY_ALLOCATE));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    EXPECT_OK(dnnl_primitive_execute(primitive, stream, 2, args));
    EXPECT_OK(dnnl_stream_wait(stream));
    dnnl_memory_destroy(memory);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

static int count_of(dnnl_stream_t stream)
{
    int count = -1;
    EXPECT_OK(dnnl_query_profiling_data(
            stream, dnnl_profiling_data_kind_time, &count, NULL));
    return count;
}

TEST_C(StreamProfile, HasATimeForEachExecution)
{
    dnnl_stream_t stream = NULL;
    uint64_t times[3] = {7, 7, 7};
    int count = 3;
    dnnl_memory_desc_t large = plain_md(1, (dnnl_dims_t){1 << 16}, dnnl_f32);
    dnnl_memory_desc_t none = plain_md(1, (dnnl_dims_t){0}, dnnl_f32);
    ASSERT_OK(dnnl_stream_create(&stream, test_engine(),
            dnnl_stream_in_order | dnnl_stream_profiling));
    EXPECT_EQ(0, count_of(stream));
    execute(stream, large);
    execute(stream, none);
    execute(stream, large);
    EXPECT_EQ(3, count_of(stream));
    EXPECT_OK(dnnl_query_profiling_data(
            stream, dnnl_profiling_data_kind_time, &count, times));
    EXPECT_TRUE(times[0] > 0);
    EXPECT_EQ(0u, times[1]);
    EXPECT_TRUE(times[2] > 0);
    EXPECT_OK(dnnl_reset_profiling(stream));
    EXPECT_EQ(0, count_of(stream));
    execute(stream, large);
    EXPECT_EQ(1, count_of(stream));
    dnnl_stream_destroy(stream);
}

TEST_C(StreamProfile, IsOfStreamsThatWereAskedForIt)
{
    dnnl_stream_t stream = NULL;
    dnnl_stream_t plain = NULL;
    uint64_t times[2] = {7, 7};
    int count = 2;
    dnnl_memory_desc_t md = plain_md(1, (dnnl_dims_t){16}, dnnl_f32);
    ASSERT_OK(dnnl_stream_create(&stream, test_engine(),
            dnnl_stream_default_flags | dnnl_stream_profiling));
    ASSERT_OK(dnnl_stream_create(
            &plain, test_engine(), dnnl_stream_default_flags));
    execute(stream, md);
    execute(plain, md);
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_reset_profiling(NULL));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_reset_profiling(plain));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_query_profiling_data(
                    plain, dnnl_profiling_data_kind_time, &count, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_query_profiling_data(
                    stream, dnnl_profiling_data_kind_time, NULL, times));
    /* Another number, another kind. */
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_query_profiling_data(
                    stream, dnnl_profiling_data_kind_time, &count, times));
    count = 1;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_query_profiling_data(
                    stream, dnnl_profiling_data_kind_undef, &count, times));
    EXPECT_EQ(7u, times[0]);
    dnnl_stream_destroy(plain);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_stream_create(&plain, test_engine(), dnnl_stream_profiling));
    dnnl_stream_destroy(stream);
}
