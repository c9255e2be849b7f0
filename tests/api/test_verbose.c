/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about primitives, as ONEDNN_VERBOSE=profile asks for them: the whole
 * process runs with it. */
#include "bytes.h"
#include "log_capture.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static void ask_for_lines(void)
{
    setenv("ONEDNN_VERBOSE", "error,profile,check,dispatch",
            1); /* read at the first use */
}

/* Makes a primitive and expects one line that starts so. */
static dnnl_primitive_t expect_created(
        struct log_capture *log, dnnl_primitive_desc_t pd, const char *state)
{
    dnnl_primitive_t primitive = NULL;
    log_capture_start(log);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    log_capture_stop(log);
    EXPECT_TRUE(log_capture_has(log, dnnl_cache_log_info, state));
    return primitive;
}

TEST_C(Verbose, TellsWhereAPrimitiveCameFrom)
{
    struct rig rig;
    struct log_capture log;
    ask_for_lines();
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.5f);
    dnnl_primitive_desc_t longer = relu_desc(rig.engine, 32, 0.5f);
    dnnl_primitive_desc_t empty = relu_desc(rig.engine, 0, 0.5f);
    dnnl_primitive_destroy(expect_created(&log, pd,
            "primitive,create:cache_miss,gpu,eltwise,ocl:eltwise:simple,"
            "forward_inference,src_f32::blocked:a::f0 dst_f32::blocked:a::f0,,"
            "alg:eltwise_relu,16:16,"));
    dnnl_primitive_destroy(
            expect_created(&log, pd, "primitive,create:cache_hit,"));
    dnnl_primitive_destroy(
            expect_created(&log, longer, "primitive,create:kernel_cache_hit,"));
    dnnl_primitive_destroy(expect_created(
            &log, empty, "primitive,create:nothing_to_compile,"));
    dnnl_primitive_desc_destroy(empty);
    dnnl_primitive_desc_destroy(longer);
    dnnl_primitive_desc_destroy(pd);
    rig_close(&rig);
}

TEST_C(Verbose, TellsAUsedBlobFromARefusedOne)
{
    struct rig rig;
    struct log_capture log;
    dnnl_primitive_t primitive = NULL;
    ask_for_lines();
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    struct bytes blob = primitive_blob(primitive);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    rig_close(&rig);
    rig_open(&rig, 0); /* a context that has no programs */
    pd = relu_desc(rig.engine, 16, 0.5f);

    log_capture_start(&log);
    EXPECT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, pd, blob.size, blob.data));
    log_capture_stop(&log);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "primitive,create:persistent_cache_hit,gpu,eltwise,"));
    dnnl_primitive_destroy(primitive);

    blob.data[blob.size / 2] ^= 1;
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, pd, blob.size, blob.data));
    log_capture_stop(&log);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "primitive,create:persistent_cache_reject:"));
    bytes_free(&blob);
    dnnl_primitive_desc_destroy(pd);
    rig_close(&rig);
}

TEST_C(Verbose, TellsOfAttributesAndExecutions)
{
    struct rig rig;
    struct log_capture log;
    const dnnl_dims_t dims = {4, 4};
    dnnl_memory_desc_t md;
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive = NULL;
    ask_for_lines();
    rig_open(&rig, 0);
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ba));
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_post_ops_create(&ops));
    ASSERT_OK(dnnl_post_ops_append_eltwise(ops, dnnl_eltwise_elu, 1.0f, 0.0f));
    ASSERT_OK(dnnl_post_ops_append_sum(ops, 2.0f, 0, dnnl_data_type_undef));
    ASSERT_OK(dnnl_primitive_attr_set_post_ops(attr, ops));
    ASSERT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 2));
    ASSERT_OK(dnnl_matmul_primitive_desc_create(
            &pd, rig.engine, md, md, NULL, md, attr));
    log_capture_start(&log);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    log_capture_stop(&log);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "src_f32::blocked:ba::f0 wei_f32::blocked:ba::f0 "
            "dst_f32::blocked:ba::f0,"
            "attr-scales:wei:2 attr-post-ops:eltwise_elu:1:0+sum:2,,"
            "4x4:4x4:4x4,"));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    ASSERT_OK(dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic));
    ASSERT_OK(dnnl_primitive_attr_set_rounding(
            attr, DNNL_ARG_DIFF_SRC, dnnl_rounding_mode_stochastic));
    for (int i = 0; i < 2; i++) {
        dnnl_memory_desc_t mask;
        ASSERT_OK(dnnl_memory_desc_create_with_tag(&mask, 2, dims, dnnl_u8,
                i == 0 ? dnnl_ba : dnnl_format_tag_any));
        ASSERT_OK(dnnl_primitive_attr_set_dropout(attr, mask));
        dnnl_memory_desc_destroy(mask);
        ASSERT_OK(dnnl_matmul_primitive_desc_create(
                &pd, rig.engine, md, md, NULL, md, attr));
        log_capture_start(&log);
        EXPECT_OK(dnnl_primitive_create(&primitive, pd));
        log_capture_stop(&log);
        EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
                i == 0 ? ",attr-rounding-mode:dst:stochastic+diff_src:"
                         "stochastic attr-scales:wei:2 attr-dropout:ba "
                         "attr-post-ops:eltwise_elu:1:0+sum:2,"
                       : " attr-dropout:any "));
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
    dnnl_post_ops_destroy(ops);
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(md);

    pd = relu_desc(rig.engine, 16, 0.5f);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    log_capture_start(&log);
    EXPECT_OK(run_relu(rig.engine, primitive, 16));
    log_capture_stop(&log);
    EXPECT_TRUE(log_capture_has(
            &log, dnnl_cache_log_info, "primitive,exec,gpu,eltwise,"));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    rig_close(&rig);
}

/* Makes a call with these tensors and expects one line that starts so. */
static void expect_refusal(dnnl_engine_t engine, dnnl_status_t status,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
        const_dnnl_primitive_attr_t attr, const char *line)
{
    struct log_capture log;
    dnnl_primitive_desc_t pd = NULL;
    log_capture_start(&log);
    EXPECT_STATUS(status, dnnl_softmax_forward_primitive_desc_create(&pd,
                                  engine, dnnl_forward_inference,
                                  dnnl_softmax_accurate, src, dst, 1, attr));
    log_capture_stop(&log);
    EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_info));
    if (!log_capture_has(&log, dnnl_cache_log_info, line))
        test_fail(__FILE__, __LINE__, "%s is not %s", log.text, line);
}

TEST_C(Verbose, TellsWhyADescriptorIsRefused)
{
    const dnnl_dims_t dims = {2, 3};
    const dnnl_dims_t others = {3, 2};
    struct rig rig;
    dnnl_memory_desc_t md, integers, other;
    dnnl_primitive_attr_t attr;
    ask_for_lines();
    rig_open(&rig, 0);
    dnnl_primitive_desc_destroy(relu_desc(rig.engine, 16, 0.5f));
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &integers, 2, dims, dnnl_s32, dnnl_ba));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &other, 2, others, dnnl_f32, dnnl_ab));
    ASSERT_OK(dnnl_primitive_attr_create(&attr));
    ASSERT_OK(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 3));
    ASSERT_OK(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0));
    expect_refusal(rig.engine, dnnl_invalid_arguments, md, NULL, NULL,
            "primitive,create:check,softmax,a mandatory argument is NULL\n");
    expect_refusal(rig.engine, dnnl_invalid_arguments, md, other, NULL,
            "primitive,create:check,softmax,inconsistent dimensions\n");
    expect_refusal(rig.engine, dnnl_unimplemented, integers, md, NULL,
            "primitive,create:dispatch,softmax,gpu,softmax,ocl:softmax:group,"
            "forward_inference,src_s32::blocked:ba::f0 dst_f32::blocked:ab::f0,"
            ",alg:softmax_accurate,2x3:2x3,unsupported data types\n");
    expect_refusal(rig.engine, dnnl_unimplemented, md, md, attr,
            ",attr-scales:src:3 attr-zero-points:dst:0 ,alg:softmax_accurate,"
            "2x3:2x3,unsupported argument of scales or zero points\n");
    dnnl_primitive_attr_destroy(attr);
    dnnl_memory_desc_destroy(other);
    dnnl_memory_desc_destroy(integers);
    dnnl_memory_desc_destroy(md);
    rig_close(&rig);
}

/* Executes with these arguments and expects one line that has so much. */
static void expect_refused_execution(dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args,
        const char *line)
{
    struct log_capture log;
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(primitive, stream, nargs, args));
    log_capture_stop(&log);
    EXPECT_EQ(1, log_capture_count(&log, dnnl_cache_log_info));
    if (!log_capture_has(&log, dnnl_cache_log_info, line))
        test_fail(__FILE__, __LINE__, "%s is not %s", log.text, line);
}

TEST_C(Verbose, TellsWhyAnExecutionIsRefused)
{
    struct rig rig;
    dnnl_primitive_t primitive = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_t given = NULL, small = NULL, bare = NULL;
    ask_for_lines();
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.5f);
    dnnl_primitive_desc_t shorter = relu_desc(rig.engine, 15, 0.5f);
    const_dnnl_memory_desc_t md =
            dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    ASSERT_OK(
            dnnl_stream_create(&stream, rig.engine, dnnl_stream_default_flags));
    ASSERT_OK(dnnl_memory_create(&given, md, rig.engine, DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_memory_create(&bare, md, rig.engine, DNNL_MEMORY_NONE));
    ASSERT_OK(dnnl_memory_create(&small,
            dnnl_primitive_desc_query_md(shorter, dnnl_query_src_md, 0),
            rig.engine, DNNL_MEMORY_ALLOCATE));
    dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, given}, {DNNL_ARG_DST, small}};
    expect_refused_execution(primitive, stream, 1, args,
            "primitive,exec:check,eltwise,gpu,eltwise,ocl:eltwise:simple,"
            "forward_inference,src_f32::blocked:a::f0 dst_f32::blocked:a::f0,,"
            "alg:eltwise_relu,16:16,a memory is missing: argument 17\n");
    expect_refused_execution(primitive, stream, 2, args,
            ",a memory is too small: argument 17\n");
    args[1].memory = bare;
    expect_refused_execution(primitive, stream, 2, args,
            ",a memory is of another engine, or not as described\n");
    args[1].arg = DNNL_ARG_SRC;
    expect_refused_execution(primitive, stream, 2, args,
            ",a memory is given twice: argument 1\n");
    EXPECT_OK(dnnl_memory_destroy(small));
    EXPECT_OK(dnnl_memory_destroy(bare));
    EXPECT_OK(dnnl_memory_destroy(given));
    EXPECT_OK(dnnl_stream_destroy(stream));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(shorter);
    dnnl_primitive_desc_destroy(pd);
    rig_close(&rig);
}

/* What is refused before there is a descriptor of it is told, too. */
TEST_C(Verbose, TellsWhatWasRefusedAtOnce)
{
    const dnnl_dims_t dims = {2, 2};
    const dnnl_dims_t strides = {1, 1};
    const dnnl_dims_t unknown = {DNNL_RUNTIME_DIM_VAL, 2};
    struct rig rig;
    struct log_capture log;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md;
    dnnl_memory_desc_t shared;
    dnnl_memory_desc_t any;
    dnnl_memory_desc_t runtime;
    ask_for_lines();
    rig_open(&rig, 0);
    ASSERT_OK(
            dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &shared, 2, dims, dnnl_f32, strides));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &any, 2, dims, dnnl_f32, dnnl_format_tag_any));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &runtime, 2, unknown, dnnl_f32, dnnl_ab));
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_matmul_primitive_desc_create(
                    &pd, rig.engine, md, md, NULL, shared, NULL));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "primitive,create:dispatch,matmul,gpu,matmul,undef,undef,"
            "src_f32::blocked:ab::f0 wei_f32::blocked:ab::f0 "
            "dst_f32::blocked:ab::f0,,,2x2:2x2:2x2,elements of dst may share "
            "a place\n"));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_inner_product_forward_primitive_desc_create(&pd, rig.engine,
                    dnnl_forward_inference, runtime, any, NULL, any, NULL));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "primitive,create:dispatch,inner_product,gpu,inner_product,undef,"
            "undef,src_f32::blocked:ab::f0 wei_f32::any:::f0 dst_f32::any:::f0,"
            ",,*x2:2x2:2x2,dimensions known at execution only are not "
            "supported\n"));
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_eltwise_forward_primitive_desc_create(&pd, rig.engine,
                    dnnl_forward_inference, dnnl_eltwise_relu, md, shared, 0.0f,
                    0.0f, NULL));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info,
            "primitive,create:dispatch,eltwise,gpu,eltwise,undef,undef,"
            "src_f32::blocked:ab::f0 dst_f32::blocked:ab::f0,,,2x2:2x2,"));
    log_capture_stop(&log);
    dnnl_memory_desc_destroy(runtime);
    dnnl_memory_desc_destroy(any);
    dnnl_memory_desc_destroy(shared);
    dnnl_memory_desc_destroy(md);
    rig_close(&rig);
}

/* However long its lists are, a line has all fields. */
TEST_C(Verbose, EndsEveryLineWithTheTime)
{
    enum { SOURCES = 64 };
    const dnnl_dims_t dims = {1, 1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1};
    struct rig rig;
    struct log_capture log;
    dnnl_memory_desc_t md;
    const_dnnl_memory_desc_t sources[SOURCES];
    float scales[SOURCES];
    dnnl_primitive_desc_t pd;
    ask_for_lines();
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_memory_desc_create_with_strides(
            &md, 12, dims, dnnl_f32, NULL));
    for (int i = 0; i < SOURCES; i++) {
        sources[i] = md;
        scales[i] = 1.0f;
    }
    ASSERT_OK(dnnl_sum_primitive_desc_create(
            &pd, rig.engine, NULL, SOURCES, scales, sources, NULL));
    dnnl_primitive_destroy(
            expect_created(&log, pd, "primitive,create:cache_miss,gpu,sum,"));
    int commas = 0;
    for (const char *at = log.text; *at != '\0'; at++)
        commas += *at == ',';
    EXPECT_EQ(10, commas);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    rig_close(&rig);
}

/* What a primitive's creation and execution tell. */
static void expect_lines(int level, bool creation, bool execution)
{
    struct rig rig;
    struct log_capture log;
    dnnl_primitive_t primitive = NULL;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.5f);
    EXPECT_OK(dnnl_set_verbose(level));
    log_capture_start(&log);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(run_relu(rig.engine, primitive, 16));
    log_capture_stop(&log);
    EXPECT_EQ(creation,
            log_capture_has(&log, dnnl_cache_log_info, "primitive,create:"));
    EXPECT_EQ(execution,
            log_capture_has(&log, dnnl_cache_log_info, "primitive,exec,"));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    rig_close(&rig);
}

TEST_C(Verbose, IsWhatTheProgramSays)
{
    ask_for_lines();
    expect_lines(0, false, false);
    expect_lines(1, false, true);
    expect_lines(2, true, true);
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_set_verbose(3));
    EXPECT_STATUS(dnnl_invalid_arguments, dnnl_set_verbose(-1));
    expect_lines(2, true, true);
}
