/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, and primitives executed on them. */
#include "log_capture.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static cl_command_queue queue_of(dnnl_stream_t stream)
{
    cl_command_queue queue = NULL;
    EXPECT_OK(dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    return queue;
}

static dnnl_stream_t make(dnnl_engine_t engine, unsigned flags)
{
    dnnl_stream_t stream = NULL;
    EXPECT_OK(dnnl_stream_create(&stream, engine, flags));
    return stream;
}

/* ---- Creation ------------------------------------------------------------ */

TEST_RIG(Stream, HasAQueueOfItsEnginesDeviceAndContext)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = make(rig->engine, dnnl_stream_default_flags);
    cl_command_queue queue = queue_of(stream);
    EXPECT_EQ(CL_SUCCESS, clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT,
                                  sizeof context, &context, NULL));
    EXPECT_EQ(CL_SUCCESS, clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE,
                                  sizeof device, &device, NULL));
    EXPECT_PTR_EQ(rig->context, context);
    EXPECT_PTR_EQ(rig->device, device);
    EXPECT_OK(dnnl_stream_get_engine(stream, &engine));
    EXPECT_PTR_EQ(rig->engine, engine);
    EXPECT_OK(dnnl_stream_destroy(stream));
}

static bool is_out_of_order(dnnl_stream_t stream)
{
    cl_command_queue_properties properties = 0;
    EXPECT_EQ(CL_SUCCESS,
            clGetCommandQueueInfo(queue_of(stream), CL_QUEUE_PROPERTIES,
                    sizeof properties, &properties, NULL));
    return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

TEST_RIG(Stream, IsInTheOrderAskedFor)
{
    dnnl_stream_t in = make(rig->engine, dnnl_stream_in_order);
    dnnl_stream_t out = make(rig->engine, dnnl_stream_out_of_order);
    EXPECT_FALSE(is_out_of_order(in));
    EXPECT_TRUE(is_out_of_order(out));
    EXPECT_OK(dnnl_stream_destroy(in));
    EXPECT_OK(dnnl_stream_destroy(out));
}

TEST_RIG(Stream, RefusesUnknownAndContradictingFlags)
{
    dnnl_stream_t stream = (dnnl_stream_t)rig;
    static const unsigned flags[] = {0, 3, 4, 8, 0x80000001u, UINT32_MAX};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        EXPECT_STATUS(dnnl_invalid_arguments,
                dnnl_stream_create(&stream, rig->engine, flags[i]));
    EXPECT_PTR_EQ(rig, stream);
}

TEST_RIG(Stream, IsInOrderOnlyWhereTheDeviceIs)
{
    struct log_capture log;
    dnnl_stream_t stream = (dnnl_stream_t)rig;
    log_capture_start(&log);
    fake_opencl_fail("clCreateCommandQueue", 1, CL_INVALID_QUEUE_PROPERTIES);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_stream_create(&stream, rig->engine, dnnl_stream_out_of_order));
    EXPECT_PTR_EQ(rig, stream);
    log_capture_stop(&log);
}

/* ---- On the application's queue ------------------------------------------ */

static cl_command_queue make_queue(cl_context context, cl_device_id device,
        cl_command_queue_properties properties)
{
    cl_int error;
    cl_command_queue queue =
            clCreateCommandQueue(context, device, properties, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return queue;
}

TEST_RIG(Stream, RetainsTheQueueItIsGiven)
{
    dnnl_stream_t stream = NULL;
    cl_command_queue queue = make_queue(rig->context, rig->device, 0);
    ASSERT_OK(dnnl_ocl_interop_stream_create(&stream, rig->engine, queue));
    EXPECT_PTR_EQ(queue, queue_of(stream));
    EXPECT_EQ(2, queue_references(queue));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_EQ(1, queue_references(queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
}

TEST_RIG(Stream, RefusesAQueueOfAnotherContext)
{
    cl_int error;
    dnnl_stream_t stream = (dnnl_stream_t)rig;
    cl_context other =
            clCreateContext(NULL, 1, &rig->device, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_command_queue queue = make_queue(other, rig->device, 0);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_stream_create(&stream, rig->engine, queue));
    EXPECT_PTR_EQ(rig, stream);
    EXPECT_EQ(1, queue_references(queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
    clReleaseContext(other);
}

TEST_C(Stream, RefusesAQueueOfAnotherDevice)
{
    struct rig rig;
    cl_int error;
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = (dnnl_stream_t)&rig;
    fake_opencl_set("DEVICES", "3");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(0), rig_device(2)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_OK(dnnl_ocl_interop_engine_create(&engine, devices[0], both));
    cl_command_queue queue = make_queue(both, devices[1], 0);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_stream_create(&stream, engine, queue));
    EXPECT_PTR_EQ(&rig, stream);
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
    EXPECT_OK(dnnl_engine_destroy(engine));
    clReleaseContext(both);
    rig_close(&rig);
}

/* ---- Life ---------------------------------------------------------------- */

TEST_RIG(Stream, MayBeDestroyedAfterItsEngine)
{
    dnnl_stream_t stream = make(rig->engine, dnnl_stream_default_flags);
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_EQ(1, context_references(rig->context));
}

TEST_C(Stream, OfTheHostHasNoQueue)
{
    dnnl_engine_t host = NULL;
    cl_command_queue queue = (cl_command_queue)&host;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_stream_t stream = make(host, dnnl_stream_default_flags);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_stream_get_command_queue(stream, &queue));
    EXPECT_PTR_EQ(&host, queue);
    EXPECT_OK(dnnl_stream_wait(stream));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_engine_destroy(host));
}

/* ---- Execution ----------------------------------------------------------- */

/* A relu of 16 elements with two memories and a stream. */
struct work {
    struct rig rig;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_memory_t src;
    dnnl_memory_t dst;
    dnnl_stream_t stream;
};

static dnnl_memory_t make_memory(dnnl_engine_t engine, dnnl_dim_t elements)
{
    dnnl_memory_t memory = NULL;
    dnnl_memory_desc_t md = vector_desc(elements);
    EXPECT_OK(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return memory;
}

static void work_open(struct work *w, unsigned flags)
{
    rig_open(&w->rig, 0);
    w->pd = relu_desc(w->rig.engine, 16, 0.0f);
    w->primitive = NULL;
    EXPECT_OK(dnnl_primitive_create(&w->primitive, w->pd));
    w->src = make_memory(w->rig.engine, 16);
    w->dst = make_memory(w->rig.engine, 16);
    w->stream = make(w->rig.engine, flags);
}

static void work_close(struct work *w)
{
    EXPECT_OK(dnnl_stream_destroy(w->stream));
    EXPECT_OK(dnnl_memory_destroy(w->src));
    EXPECT_OK(dnnl_memory_destroy(w->dst));
    EXPECT_OK(dnnl_primitive_destroy(w->primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    rig_close(&w->rig);
}

#define TEST_WORK(suite, name, flags) \
    TEST_WITH(suite, name, struct work, w, work_open(w, flags), work_close(w))

/* Doubles what it reads, in place of a relu. */
static void double_all(const struct fake_opencl_launch *launch,
        size_t narguments, const struct fake_opencl_arg *arguments, void *user)
{
    (void)launch;
    (void)user;
    if (narguments < 2) return;
    const float *src = arguments[0].memory;
    float *dst = arguments[1].memory;
    for (size_t i = 0; i < arguments[1].memory_size / sizeof *dst; i++)
        dst[i] = 2.0f * src[i];
}

static void fill(dnnl_memory_t memory, float value)
{
    float *mapped = NULL;
    ASSERT_OK(dnnl_memory_map_data(memory, (void **)&mapped));
    for (int i = 0; i < 16; i++)
        mapped[i] = value;
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

static void expect_all(dnnl_memory_t memory, float value)
{
    float *mapped = NULL;
    ASSERT_OK(dnnl_memory_map_data(memory, (void **)&mapped));
    for (int i = 0; i < 16; i++)
        EXPECT_TRUE(mapped[i] == value);
    EXPECT_OK(dnnl_memory_unmap_data(memory, mapped));
}

TEST_WORK(Execute, RunsTheKernelOnTheArguments, dnnl_stream_in_order)
{
    fake_opencl_set_kernel_body("eltwise", double_all, NULL);
    fill(w->src, 3.0f);
    fill(w->dst, 0.0f);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->dst}};
    ASSERT_OK(dnnl_primitive_execute(w->primitive, w->stream, 2, args));
    EXPECT_OK(dnnl_stream_wait(w->stream));
    expect_all(w->dst, 6.0f);
    expect_all(w->src, 3.0f);
}

TEST_WORK(Execute, TakesArgumentsInAnyOrder, dnnl_stream_in_order)
{
    fake_opencl_set_kernel_body("eltwise", double_all, NULL);
    fill(w->src, 3.0f);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_DST, w->dst}, {DNNL_ARG_SRC, w->src}};
    ASSERT_OK(dnnl_primitive_execute(w->primitive, w->stream, 2, args));
    EXPECT_OK(dnnl_stream_wait(w->stream));
    expect_all(w->dst, 6.0f);
}

TEST_WORK(Execute, WorksInPlace, dnnl_stream_in_order)
{
    fake_opencl_set_kernel_body("eltwise", double_all, NULL);
    fill(w->src, 3.0f);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->src}};
    ASSERT_OK(dnnl_primitive_execute(w->primitive, w->stream, 2, args));
    EXPECT_OK(dnnl_stream_wait(w->stream));
    expect_all(w->src, 6.0f);
}

TEST_WORK(Execute, IgnoresUnknownAndAbsentArguments, dnnl_stream_in_order)
{
    fake_opencl_set_kernel_body("eltwise", double_all, NULL);
    fill(w->src, 3.0f);
    fill(w->dst, 0.0f);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, w->src},
            {DNNL_ARG_BIAS, w->src}, {DNNL_ARG_WEIGHTS, NULL},
            {DNNL_ARG_DST, w->dst}, {DNNL_ARG_DST, NULL}, {77777, w->dst}};
    EXPECT_OK(dnnl_primitive_execute(w->primitive, w->stream, 6, args));
    EXPECT_OK(dnnl_stream_wait(w->stream));
    expect_all(w->dst, 6.0f);
    expect_all(w->src, 3.0f);
}

static void expect_refused(
        const struct work *w, const dnnl_exec_arg_t *args, int count)
{
    unsigned long launches = fake_opencl_count("clEnqueueNDRangeKernel");
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(w->primitive, w->stream, count, args));
    EXPECT_EQ(launches, fake_opencl_count("clEnqueueNDRangeKernel"));
}

TEST_WORK(Execute, RefusesMissingArguments, dnnl_stream_in_order)
{
    const dnnl_exec_arg_t no_dst[] = {{DNNL_ARG_SRC, w->src}};
    const dnnl_exec_arg_t no_src[] = {{DNNL_ARG_DST, w->dst}};
    const dnnl_exec_arg_t null_src[] = {
            {DNNL_ARG_SRC, NULL}, {DNNL_ARG_DST, w->dst}};
    expect_refused(w, no_dst, 1);
    expect_refused(w, no_src, 1);
    expect_refused(w, null_src, 2);
    expect_refused(w, NULL, 0);
}

TEST_WORK(Execute, RefusesAnArgumentGivenTwice, dnnl_stream_in_order)
{
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, w->src},
            {DNNL_ARG_DST, w->dst}, {DNNL_ARG_SRC, w->dst}};
    expect_refused(w, args, 3);
}

TEST_WORK(Execute, RefusesMemoryThatIsTooSmall, dnnl_stream_in_order)
{
    dnnl_memory_t small = make_memory(w->rig.engine, 15);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, small}};
    expect_refused(w, args, 2);
    EXPECT_OK(dnnl_memory_destroy(small));
}

TEST_WORK(Execute, RefusesMemoryWithoutABuffer, dnnl_stream_in_order)
{
    dnnl_memory_t none = NULL;
    dnnl_memory_desc_t md = vector_desc(16);
    ASSERT_OK(dnnl_memory_create(&none, md, w->rig.engine, DNNL_MEMORY_NONE));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, none}};
    expect_refused(w, args, 2);
    EXPECT_OK(dnnl_memory_destroy(none));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
}

TEST_WORK(Execute, RefusesMemoryOfAnotherContext, dnnl_stream_in_order)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_memory_t foreign = make_memory(other, 16);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, foreign}, {DNNL_ARG_DST, w->dst}};
    expect_refused(w, args, 2);
    EXPECT_OK(dnnl_memory_destroy(foreign));
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_WORK(Execute, RefusesMemoryOfTheHost, dnnl_stream_in_order)
{
    dnnl_engine_t host = NULL;
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    dnnl_memory_t memory = make_memory(host, 16);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, w->dst}};
    expect_refused(w, args, 2);
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_engine_destroy(host));
}

/* A reorder from the host that changes the type goes by a buffer of the device.
 * What it will be refused for is known before that is filled: a call that has
 * failed reads nothing of the host's any more. */
TEST_RIG(Execute, WritesNothingForAReorderThatIsRefused)
{
    dnnl_engine_t host = NULL;
    dnnl_engine_t other = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_memory_t memories[2] = {NULL, NULL};
    dnnl_memory_desc_t mds[2] = {NULL, NULL};
    ASSERT_OK(dnnl_engine_create(&host, dnnl_cpu, 0));
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &mds[0], 1, (dnnl_dims_t){16}, dnnl_f32, dnnl_a));
    ASSERT_OK(dnnl_memory_desc_create_with_tag(
            &mds[1], 1, (dnnl_dims_t){16}, dnnl_s8, dnnl_a));
    ASSERT_OK(dnnl_memory_create(
            &memories[0], mds[0], host, DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_memory_create(
            &memories[1], mds[1], other, DNNL_MEMORY_ALLOCATE));
    ASSERT_OK(dnnl_reorder_primitive_desc_create(
            &pd, mds[0], host, mds[1], rig->engine, NULL));
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_stream_t stream = make(rig->engine, dnnl_stream_default_flags);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_FROM, memories[0]}, {DNNL_ARG_TO, memories[1]}};
    unsigned long before = fake_opencl_count("clEnqueueWriteBuffer");
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(primitive, stream, 2, args));
    EXPECT_EQ(before, fake_opencl_count("clEnqueueWriteBuffer"));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_memory_destroy(memories[i]));
        EXPECT_OK(dnnl_memory_desc_destroy(mds[i]));
    }
    EXPECT_OK(dnnl_engine_destroy(host));
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_WORK(Execute, RefusesAStreamOfAnotherEngine, dnnl_stream_in_order)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_ocl_interop_engine_create(
            &other, w->rig.device, w->rig.context));
    dnnl_stream_t stream = make(other, dnnl_stream_in_order);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->dst}};
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(w->primitive, stream, 2, args));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_engine_destroy(other));
}

/* ---- Events -------------------------------------------------------------- */

TEST_WORK(Execute, GivesNoEventOnAnInOrderStream, dnnl_stream_in_order)
{
    cl_event event = (cl_event)w;
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->dst}};
    EXPECT_OK(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, args, NULL, 0, &event));
    EXPECT_NULL(event);
    EXPECT_OK(dnnl_stream_wait(w->stream));
}

TEST_WORK(Execute, GivesAnEventOnAnOutOfOrderStream, dnnl_stream_out_of_order)
{
    cl_event event = NULL;
    cl_uint references = 0;
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->dst}};
    ASSERT_OK(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, args, NULL, 0, &event));
    ASSERT_NOT_NULL(event);
    EXPECT_EQ(CL_SUCCESS, clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT,
                                  sizeof references, &references, NULL));
    EXPECT_EQ(1, references);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
}

TEST_WORK(Execute, WaitsForTheEventsItIsGiven, dnnl_stream_out_of_order)
{
    cl_int error;
    cl_int status = -77;
    cl_event done = NULL;
    cl_event gate = clCreateUserEvent(w->rig.context, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->dst}};
    ASSERT_OK(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, args, &gate, 1, &done));
    EXPECT_EQ(
            CL_SUCCESS, clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                sizeof status, &status, NULL));
    EXPECT_GT(status, CL_COMPLETE);
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &done));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(done));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(gate));
}

/* A concat of three vectors is three launches. */
static dnnl_primitive_t make_concat(dnnl_engine_t engine)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = vector_desc(16);
    const_dnnl_memory_desc_t srcs[] = {md, md, md};
    EXPECT_OK(dnnl_concat_primitive_desc_create(
            &pd, engine, NULL, 3, 0, srcs, NULL));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
    return primitive;
}

/* The caller gets one event, or none; no other is left over (rig_close()). */
TEST_RIG(Execute, OfSeveralLaunchesHasOneEventOrFails)
{
    cl_event event = NULL;
    dnnl_primitive_t concat = make_concat(rig->engine);
    dnnl_memory_t src = make_memory(rig->engine, 16);
    dnnl_memory_t dst = make_memory(rig->engine, 48);
    dnnl_stream_t stream = make(rig->engine, dnnl_stream_out_of_order);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_MULTIPLE_SRC, src},
            {DNNL_ARG_MULTIPLE_SRC + 1, src}, {DNNL_ARG_MULTIPLE_SRC + 2, src},
            {DNNL_ARG_DST, dst}};
    unsigned long launches = fake_opencl_count("clEnqueueNDRangeKernel");
    EXPECT_OK(dnnl_ocl_interop_primitive_execute(
            concat, stream, 4, args, NULL, 0, &event));
    EXPECT_EQ(launches + 3, fake_opencl_count("clEnqueueNDRangeKernel"));
    ASSERT_NOT_NULL(event);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
    event = NULL;
    fake_opencl_fail("clEnqueueNDRangeKernel", 3, CL_OUT_OF_HOST_MEMORY);
    EXPECT_STATUS(
            dnnl_out_of_memory, dnnl_ocl_interop_primitive_execute(concat,
                                        stream, 4, args, NULL, 0, &event));
    EXPECT_NULL(event);
    fake_opencl_fail("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_STATUS(
            dnnl_out_of_memory, dnnl_ocl_interop_primitive_execute(concat,
                                        stream, 4, args, NULL, 0, &event));
    EXPECT_NULL(event);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_primitive_execute(concat, stream, 3, args));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_memory_destroy(src));
    EXPECT_OK(dnnl_memory_destroy(dst));
    EXPECT_OK(dnnl_primitive_destroy(concat));
}

TEST_WORK(Execute, MayDoWithoutTheEvent, dnnl_stream_out_of_order)
{
    fake_opencl_set_kernel_body("eltwise", double_all, NULL);
    fill(w->src, 3.0f);
    fill(w->dst, 0.0f);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w->src}, {DNNL_ARG_DST, w->dst}};
    EXPECT_OK(dnnl_ocl_interop_primitive_execute(
            w->primitive, w->stream, 2, args, NULL, 0, NULL));
    EXPECT_OK(dnnl_stream_wait(w->stream));
    expect_all(w->dst, 6.0f);
}

TEST_RIG(Execute, OfAnEmptyTensorLaunchesNothing)
{
    dnnl_primitive_t primitive = NULL;
    cl_event event = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 0, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_memory_t memory = make_memory(rig->engine, 0);
    dnnl_stream_t stream = make(rig->engine, dnnl_stream_out_of_order);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    EXPECT_OK(dnnl_ocl_interop_primitive_execute(
            primitive, stream, 2, args, NULL, 0, &event));
    EXPECT_EQ(0, fake_opencl_count("clEnqueueNDRangeKernel"));
    ASSERT_NOT_NULL(event);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
    EXPECT_OK(dnnl_stream_destroy(stream));
    EXPECT_OK(dnnl_memory_destroy(memory));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* Lets what waits for a user event go, once the stream has begun to wait. */
static void *open_gate(void *gate)
{
    const struct timespec nap = {0, 1000000};
    for (int i = 0; i < 60000 && fake_opencl_count("clFinish") == 0; i++)
        nanosleep(&nap, NULL);
    EXPECT_GT(fake_opencl_count("clFinish"), 0);
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    return NULL;
}

TEST_C(Stream, WaitsForItsWorkWhenItIsDestroyed)
{
    struct work w;
    cl_int error;
    cl_int status = -77;
    cl_event done = NULL;
    pthread_t thread;
    work_open(&w, dnnl_stream_out_of_order);
    cl_event gate = clCreateUserEvent(w.rig.context, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, w.src}, {DNNL_ARG_DST, w.dst}};
    ASSERT_OK(dnnl_ocl_interop_primitive_execute(
            w.primitive, w.stream, 2, args, &gate, 1, &done));
    ASSERT_EQ(0, pthread_create(&thread, NULL, open_gate, gate));
    EXPECT_OK(dnnl_stream_destroy(w.stream));
    w.stream = NULL;
    EXPECT_EQ(
            CL_SUCCESS, clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                sizeof status, &status, NULL));
    EXPECT_EQ(CL_COMPLETE, status);
    pthread_join(thread, NULL);
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(done));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(gate));
    work_close(&w);
}
