/* SPDX-License-Identifier: Apache-2.0 */
/* The library of the model loader, as a framework uses it: on the test
 * platform, with small models. */
#include "dnnl_cache/dnnl_cache_model.h"
#include "example_process.h"
#include "model_text.h"
#include "test.h"
#include "test_platform.h"

#include <dirent.h>
#include <dnnl_cache/store.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* y = relu(x) + x, and its sign as integers. */
#define RELU                                                     \
    "opset 13\ninput x f32 ?rows,2\nRelu x -> r\nAdd r,x -> y\n" \
    "output y f32 ?rows,2"

/* Does something to a model that has been made of a text; NULL: nothing. */
typedef void setting(dnnl_cache_model_t model);

static const char *error_of(dnnl_cache_model_t model)
{
    return dnnl_cache_model_get_error(model);
}

#define EXPECT_DONE(model, call)                                    \
    do {                                                            \
        const dnnl_status_t done_ = (call);                         \
        EXPECT_EQ(dnnl_success, done_);                             \
        if (done_ != dnnl_success) printf("%s\n", error_of(model)); \
    } while (0)

static dnnl_cache_model_t make(const struct model_text *text)
{
    dnnl_cache_model_t model = NULL;
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_DONE(model,
            dnnl_cache_model_set_device(model, test_platform_device(), NULL));
    EXPECT_DONE(model, dnnl_cache_model_set_folder(model,
                               example_path(test_directory(), "store").text));
    EXPECT_DONE(model,
            dnnl_cache_model_load_memory(model, text->bytes, text->size, NULL));
    return model;
}

static void set_rows(dnnl_cache_model_t model, int64_t rows)
{
    const int64_t dims[] = {rows, 2};
    EXPECT_DONE(model, dnnl_cache_model_set_shape(model, "x", 2, dims));
}

static bool skips(void)
{
    if (test_platform_device() != NULL) return false;
    test_skip(__FILE__, __LINE__, "no platform of that name is here");
    return true;
}

/* ---- Declarations and order ---------------------------------------------- */

TEST_C(ModelLibrary, TellsWhatAModelDeclares)
{
    struct model_text text;
    dnnl_cache_model_t model = NULL;
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    dnnl_cache_model_tensor_t x = DNNL_CACHE_MODEL_TENSOR_INIT;
    int index = -1;
    model_text_init(&text, RELU);
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_get_info(model, &info));
    EXPECT_OK(dnnl_cache_model_load_memory(model, text.bytes, text.size, NULL));
    EXPECT_OK(dnnl_cache_model_get_info(model, &info));
    EXPECT_EQ(1, info.inputs);
    EXPECT_EQ(13, info.opset);
    EXPECT_OK(dnnl_cache_model_get_input(model, 0, &x));
    EXPECT_STR_EQ("x", x.name);
    EXPECT_EQ(dnnl_cache_model_type_f32, x.type);
    EXPECT_EQ(-1, x.dims[0]);
    EXPECT_STR_EQ("rows", x.symbols[0]);
    EXPECT_EQ(0, x.size);
    EXPECT_OK(dnnl_cache_model_find_output(model, "y", &index));
    EXPECT_EQ(0, index);
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_find_input(model, "y", &index));
    EXPECT_STR_EQ("the model has no input 'y', but 'x'", error_of(model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_get_input(model, 1, &x));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_run(model));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_load_memory(model, text.bytes, text.size, NULL));
    EXPECT_OK(dnnl_cache_model_destroy(model));
    EXPECT_OK(dnnl_cache_model_destroy(NULL));
    model_text_fini(&text);
}

static void keep_message(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    if (level == dnnl_cache_log_warning) (void)snprintf(user, 100, "%s", text);
}

/* The file's word on its results is not needed, and may be old. */
TEST_C(ModelLibrary, WarnsOfAShapeThatIsDeclaredWrong)
{
    struct model_text text;
    char message[100] = "";
    const float x[2] = {1.0F, -1.0F};
    float y[2] = {0.0F, 0.0F};
    dnnl_cache_model_t model = NULL;
    dnnl_cache_model_tensor_t output = DNNL_CACHE_MODEL_TENSOR_INIT;
    if (skips()) return;
    model_text_init(
            &text, "opset 13\ninput x f32 1,2\nRelu x -> y\noutput y f32 5");
    model = make(&text);
    EXPECT_DONE(model,
            dnnl_cache_model_set_log_callback(model, keep_message, message));
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    EXPECT_STR_EQ("'y' has shape [1, 2], not [5] as the file says", message);
    EXPECT_OK(dnnl_cache_model_get_output(model, 0, &output));
    EXPECT_EQ(2, output.ndims);
    EXPECT_DONE(
            model, dnnl_cache_model_write_input(model, 0, NULL, x, sizeof x));
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof y));
    EXPECT_EQ(1.0F, y[0]);
    EXPECT_EQ(0.0F, y[1]);
    EXPECT_OK(dnnl_cache_model_destroy(model));
    model_text_fini(&text);
}

TEST_C(ModelLibrary, RefusesWhatIsNoModel)
{
    static const char bytes[] = "a text";
    dnnl_cache_model_t model = NULL;
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_EQ(dnnl_invalid_graph,
            dnnl_cache_model_load_memory(model, bytes, sizeof bytes, NULL));
    EXPECT_TRUE(error_of(model)[0] != '\0');
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_prepare(model));
    dnnl_cache_model_destroy(model);
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_EQ(dnnl_runtime_error,
            dnnl_cache_model_load_file(model, "/no/such/file"));
    EXPECT_TRUE(strstr(error_of(model), "/no/such/file") != NULL);
    dnnl_cache_model_destroy(model);
    /* One that was started and never loaded ends, too. */
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_OK(dnnl_cache_model_start(model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_start(model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_set_folder(model, "x"));
    dnnl_cache_model_destroy(model);
}

/* A text is of the last call that failed, and of no other. */
TEST_C(ModelLibrary, SaysWhatIsMissing)
{
    dnnl_cache_model_t model = NULL;
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_set_threads(model, -1));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_load_file(model, NULL));
    EXPECT_STR_EQ("no path", error_of(model));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_load_memory(model, NULL, 1, NULL));
    EXPECT_STR_EQ("no bytes", error_of(model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_set_engine(model, NULL));
    EXPECT_STR_EQ("not an engine", error_of(model));
    /* Of a store that is smaller than any, only the size is read. */
    size_t *size = malloc(sizeof *size);
    ASSERT_TRUE(size != NULL);
    *size = sizeof *size;
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_set_store(
                    model, (const dnnl_cache_store_t *)(const void *)size));
    free(size);
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_set_shape(model, NULL, 0, NULL));
    EXPECT_STR_EQ("no input or no dimensions", error_of(model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_get_info(model, NULL));
    EXPECT_STR_EQ("no place for the answer", error_of(model));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_get_report(model, NULL));
    EXPECT_STR_EQ("no place for the answer", error_of(model));
    dnnl_cache_model_destroy(model);
}

TEST_C(ModelLibrary, NeedsOpenDimensions)
{
    struct model_text text;
    if (skips()) return;
    model_text_init(&text, RELU);
    dnnl_cache_model_t model = make(&text);
    EXPECT_EQ(dnnl_invalid_graph, dnnl_cache_model_prepare(model));
    EXPECT_TRUE(strstr(error_of(model), "'x' has shape [rows, 2]") != NULL);
    dnnl_cache_model_destroy(model);
    model = make(&text);
    const int64_t dims[] = {3, 4};
    EXPECT_OK(dnnl_cache_model_set_shape(model, "x", 2, dims));
    EXPECT_EQ(dnnl_invalid_graph, dnnl_cache_model_prepare(model));
    EXPECT_TRUE(strstr(error_of(model), "[3, 4] does not match") != NULL);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

/* ---- Data ---------------------------------------------------------------- */

static void expect_result(const float *x, const float *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        EXPECT_TRUE(y[i] == (x[i] > 0.0f ? 2.0f * x[i] : x[i]));
}

TEST_C(ModelLibrary, TakesMemoryInEveryWay)
{
    static const float a[] = {1, -2, 3, -4, 5, -6}, b[] = {-1, 2, 0, 4, -5, 6};
    float y[6] = {0}, bound[6] = {0};
    struct model_text text;
    if (skips()) return;
    model_text_init(&text, RELU);
    dnnl_cache_model_t model = make(&text);
    set_rows(model, 3);
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    dnnl_cache_model_tensor_t x = DNNL_CACHE_MODEL_TENSOR_INIT;
    EXPECT_OK(dnnl_cache_model_get_input(model, 0, &x));
    EXPECT_EQ(3, x.dims[0]);
    EXPECT_EQ(sizeof a, x.size);
    /* What was never written is zeros. */
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof y));
    EXPECT_TRUE(y[0] == 0.0f && y[5] == 0.0f);
    EXPECT_DONE(model, dnnl_cache_model_write_input(model, 0, &x, a, sizeof a));
    EXPECT_DONE(
            model, dnnl_cache_model_bind_output(model, 0, bound, sizeof bound));
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    expect_result(a, bound, 6);
    EXPECT_DONE(
            model, dnnl_cache_model_bind_input(model, 0, NULL, b, sizeof b));
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    expect_result(b, bound, 6);
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof y));
    expect_result(b, y, 6);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

TEST_C(ModelLibrary, TellsWhatDataItNeeds)
{
    static const float a[6] = {0};
    static const int64_t dims[] = {2, 3};
    float y[6] = {7};
    struct model_text text;
    if (skips()) return;
    model_text_init(&text, RELU);
    dnnl_cache_model_t model = make(&text);
    set_rows(model, 3);
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    dnnl_cache_model_tensor_t is = DNNL_CACHE_MODEL_TENSOR_INIT;
    is.type = dnnl_cache_model_type_f32;
    is.ndims = 2;
    is.dims = dims;
    EXPECT_EQ(dnnl_invalid_shape,
            dnnl_cache_model_write_input(model, 0, &is, a, sizeof a));
    EXPECT_STR_EQ("input 'x' needs FLOAT [3, 2], and was given FLOAT [2, 3]",
            error_of(model));
    is.type = dnnl_cache_model_type_s64;
    EXPECT_EQ(dnnl_invalid_data_type,
            dnnl_cache_model_bind_input(model, 0, &is, a, sizeof a));
    EXPECT_STR_EQ("input 'x' needs FLOAT [3, 2], and was given INT64 [2, 3]",
            error_of(model));
    EXPECT_EQ(dnnl_invalid_shape,
            dnnl_cache_model_write_input(model, 0, NULL, a, 4));
    EXPECT_EQ(dnnl_invalid_shape,
            dnnl_cache_model_read_output(model, 0, y, sizeof y - 4));
    EXPECT_TRUE(y[0] == 7.0f);
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_write_input(model, 1, NULL, a, sizeof a));
    /* The model is as it was. */
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

TEST_C(ModelLibrary, ConvertsWhatTheDeviceHasOtherwise)
{
    static const int32_t i[] = {3, -4};
    static const uint16_t h[] = {0x3c00, 0xc000}; /* 1, -2 */
    static const uint8_t b[] = {1, 0};
    int32_t i_out[2] = {0};
    uint16_t h_out[2] = {0};
    uint8_t b_out[4] = {7, 7, 7, 7};
    struct model_text text;
    if (skips()) return;
    model_text_init(&text,
            "opset 13\ninput i i32 2\ninput h f16 2\ninput b bool 2\n"
            "Neg i -> j\nRelu h -> r\nConcat b,b -> c axis=0\n"
            "output j i32 2\noutput r f16 2\noutput c bool 4");
    dnnl_cache_model_t model = make(&text);
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    EXPECT_DONE(
            model, dnnl_cache_model_write_input(model, 0, NULL, i, sizeof i));
    EXPECT_DONE(
            model, dnnl_cache_model_bind_input(model, 1, NULL, h, sizeof h));
    EXPECT_DONE(
            model, dnnl_cache_model_bind_input(model, 2, NULL, b, sizeof b));
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, i_out, sizeof i));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 1, h_out, sizeof h));
    EXPECT_DONE(
            model, dnnl_cache_model_read_output(model, 2, b_out, sizeof b_out));
    EXPECT_EQ(-3, i_out[0]);
    EXPECT_EQ(4, i_out[1]);
    EXPECT_EQ(0x3c00, h_out[0]);
    EXPECT_EQ(0, h_out[1] & 0x7fff);
    EXPECT_TRUE(b_out[0] == 1 && b_out[1] == 0 && b_out[2] == 1);
    /* On the device they are of another type. */
    cl_context context = NULL;
    EXPECT_OK(dnnl_cache_model_get_device(model, NULL, &context));
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    EXPECT_EQ(dnnl_unimplemented,
            dnnl_cache_model_bind_input_buffer(model, 0, buffer, 0));
    EXPECT_EQ(dnnl_unimplemented,
            dnnl_cache_model_bind_output_buffer(model, 0, buffer, 0));
    clReleaseMemObject(buffer);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

/* What the device finds out during a run, which is right the next time. */
TEST_C(ModelLibrary, FailsForAnIndexOutOfRange)
{
    static const int64_t out[] = {0, 9}, in[] = {2, 0};
    static const float x[] = {5, 6, 7};
    float y[2] = {0};
    struct model_text text;
    if (skips()) return;
    model_text_init(&text,
            "opset 13\ninput x f32 3\ninput i i64 2\nGather x,i -> y axis=0\n"
            "output y f32 2");
    dnnl_cache_model_t model = make(&text);
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    EXPECT_DONE(
            model, dnnl_cache_model_write_input(model, 0, NULL, x, sizeof x));
    EXPECT_DONE(model,
            dnnl_cache_model_write_input(model, 1, NULL, out, sizeof out));
    EXPECT_EQ(dnnl_runtime_error, dnnl_cache_model_run(model));
    EXPECT_TRUE(strstr(error_of(model), "an index is out of range") != NULL);
    EXPECT_DONE(model, dnnl_cache_model_run_async(model, 0, NULL, NULL));
    EXPECT_EQ(dnnl_runtime_error, dnnl_cache_model_wait(model));
    EXPECT_DONE(
            model, dnnl_cache_model_write_input(model, 1, NULL, in, sizeof in));
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof y));
    EXPECT_TRUE(y[0] == 7.0f && y[1] == 5.0f);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

/* ---- The caller's OpenCL ------------------------------------------------- */

TEST_C(ModelLibrary, RunsOnTheCallersQueueAfterItsEvents)
{
    static const float x[] = {1, -2, 3, -4};
    float y[8] = {0};
    cl_int error;
    struct model_text text;
    if (skips()) return;
    if (strcmp(test_platform_name(), "Oclgrind") == 0)
        SKIP_TEST("a queue of Oclgrind's waits for another's event for ever");
    cl_device_id device = test_platform_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
    cl_event gate = clCreateUserEvent(context, &error);
    cl_event done = NULL;
    model_text_init(&text, RELU);
    dnnl_cache_model_t model = make(&text);
    EXPECT_DONE(model, dnnl_cache_model_set_device(model, device, context));
    EXPECT_DONE(model, dnnl_cache_model_set_queue(model, queue));
    set_rows(model, 2);
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    EXPECT_EQ(dnnl_invalid_shape,
            dnnl_cache_model_bind_input_buffer(model, 0, in, 52));
    EXPECT_DONE(model, dnnl_cache_model_bind_input_buffer(model, 0, in, 16));
    EXPECT_DONE(model, dnnl_cache_model_bind_output_buffer(model, 0, out, 8));
    EXPECT_DONE(model, dnnl_cache_model_run_async(model, 1, &gate, &done));
    EXPECT_EQ(dnnl_invalid_arguments, dnnl_cache_model_run(model));
    /* The input is there before the gate opens, and not before the call. */
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &error);
    EXPECT_EQ(CL_SUCCESS, clEnqueueWriteBuffer(other, in, CL_TRUE, 16, sizeof x,
                                  x, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clFinish(other));
    cl_int state = CL_COMPLETE;
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
            &state, NULL);
    EXPECT_NE(CL_COMPLETE, state);
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(gate, CL_COMPLETE));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(other, out, CL_TRUE, 8, sizeof x,
                                  y, 1, &done, NULL));
    expect_result(x, y, 4);
    EXPECT_DONE(model, dnnl_cache_model_wait(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof x));
    expect_result(x, y, 4);
    EXPECT_OK(dnnl_cache_model_wait(model));
    dnnl_cache_model_destroy(model);
    clReleaseEvent(done);
    clReleaseEvent(gate);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseCommandQueue(other);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    model_text_fini(&text);
}

/* ---- Cold and warm, with a store of the caller's ---------------------------
 */

/* Several programs. */
#define MANY                                                            \
    "opset 13\ninput x f32 1,4,8,8\nconst w f32 6,4,3,3 = 0.1 -0.2\n"   \
    "Conv x,w -> c pads=[1,1,1,1]\nMaxPool c -> p kernel_shape=[2,2]\n" \
    "Softmax p -> y axis=1\noutput y f32 1,6,7,7"

struct start {
    const dnnl_cache_store_t *store;
    const char *helper;
    dnnl_cache_model_report_t report;
    float sum;
    int progress, total;
    dnnl_status_t status;
    bool cancels;
    dnnl_cache_model_t model;
};

static void note_progress(int done, int total, const char *what, void *user)
{
    struct start *start = user;
    (void)what;
    start->progress = done;
    start->total = total;
    if (start->cancels) dnnl_cache_model_cancel(start->model);
}

static void *start_model(void *argument)
{
    struct start *start = argument;
    struct model_text text;
    float y[6 * 7 * 7];
    dnnl_cache_model_t model = NULL;
    model_text_init(&text, MANY);
    EXPECT_OK(dnnl_cache_model_create(&model));
    start->model = model;
    EXPECT_OK(dnnl_cache_model_set_device(model, test_platform_device(), NULL));
    EXPECT_OK(dnnl_cache_model_set_store(model, start->store));
    EXPECT_OK(dnnl_cache_model_set_threads(model, 2));
    EXPECT_OK(dnnl_cache_model_set_helper(model, start->helper));
    EXPECT_OK(dnnl_cache_model_set_progress_callback(
            model, note_progress, start));
    EXPECT_OK(dnnl_cache_model_load_memory(model, text.bytes, text.size, NULL));
    start->status = dnnl_cache_model_prepare(model);
    start->report = (dnnl_cache_model_report_t)DNNL_CACHE_MODEL_REPORT_INIT;
    if (start->status == dnnl_success) {
        EXPECT_OK(dnnl_cache_model_get_report(model, &start->report));
        EXPECT_OK(dnnl_cache_model_run(model));
        EXPECT_OK(dnnl_cache_model_read_output(model, 0, y, sizeof y));
        start->sum = 0.0f;
        for (size_t i = 0; i < COUNT(y); i++)
            start->sum += y[i];
    } else if (start->cancels) {
        EXPECT_STR_EQ("cancelled", error_of(model));
    } else {
        printf("%s\n", error_of(model));
    }
    EXPECT_OK(dnnl_cache_model_destroy(model));
    model_text_fini(&text);
    return NULL;
}

static dnnl_cache_store_handle_t *open_store(const char *name)
{
    static struct example_path path;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    path = example_path(test_directory(), name);
    options.path = path.text;
    EXPECT_OK(dnnl_cache_store_open(&store, "flat", &options));
    return store;
}

static void expect_softmax(const struct start *start)
{
    EXPECT_EQ(dnnl_success, start->status);
    EXPECT_TRUE(start->sum > 48.99f && start->sum < 49.01f);
}

/* In this process and in others: the same programs. */
TEST_C(ModelLibrary, KeepsWhatItCompilesInTheCallersStore)
{
    if (skips()) return;
    static const char *const helpers[] = {"", NULL};
    uint64_t compiled[2] = {0};
    for (int i = 0; i < 2; i++) {
        dnnl_cache_store_handle_t *store =
                open_store(i == 0 ? "alone" : "helped");
        struct start start = {.store = dnnl_cache_store_get_callbacks(store),
                .helper = helpers[i]};
        start_model(&start);
        expect_softmax(&start);
        compiled[i] = start.report.programs_compiled;
        EXPECT_FALSE(start.report.is_warm);
        EXPECT_TRUE(start.report.is_kept);
        EXPECT_EQ(start.total, start.progress);
        start_model(&start);
        expect_softmax(&start);
        EXPECT_TRUE(start.report.is_warm);
        EXPECT_EQ(0, start.report.programs_compiled);
        EXPECT_GT(start.report.programs_loaded, 2);
        dnnl_cache_store_close(store);
    }
    EXPECT_EQ(compiled[0], compiled[1]);
}

/* A worker that has another identity (here by a variable that is in each; a
 * library path or a container would do) keeps nothing, says so, and leaves all
 * of it to this process. */
TEST_C(ModelLibrary, HasNothingOfAWorkerWithAnotherDriver)
{
    if (skips()) return;
    const struct example_path said = example_path(test_directory(), "said"),
                              helper = example_path(test_directory(), "helper");
    char script[3 * sizeof said.text];
    const int n = snprintf(script, sizeof script,
            "#!/bin/sh\nGALLIVM_PERF=nopt exec '%s' \"$@\" 2>>'%s'\n",
            MODEL_COMPILE, said.text);
    ASSERT_TRUE(n > 0 && (size_t)n < sizeof script);
    example_write(helper.text, script, (size_t)n);
    EXPECT_EQ(0, chmod(helper.text, 0700));
    dnnl_cache_store_handle_t *store = open_store("misled");
    struct start start = {.store = dnnl_cache_store_get_callbacks(store),
            .helper = helper.text};
    start_model(&start);
    expect_softmax(&start);
    EXPECT_TRUE(start.report.is_kept);
    EXPECT_GT(start.report.programs_compiled, 2);
    /* Other drivers than PoCL compile in several threads at once. */
    if (access(said.text, F_OK) == 0)
        EXPECT_TRUE(example_says(said.text, "another driver"));
    start_model(&start);
    expect_softmax(&start);
    EXPECT_TRUE(start.report.is_warm);
    dnnl_cache_store_close(store);
}

TEST_C(ModelLibrary, EndsWhenItIsCancelled)
{
    if (skips()) return;
    static const char *const helpers[] = {"", NULL};
    for (int i = 0; i < 2; i++) {
        dnnl_cache_store_handle_t *store =
                open_store(i == 0 ? "alone" : "helped");
        struct start start = {.store = dnnl_cache_store_get_callbacks(store),
                .helper = helpers[i],
                .cancels = true};
        start_model(&start);
        EXPECT_EQ(dnnl_runtime_error, start.status);
        EXPECT_EQ(0, start.progress);
        dnnl_cache_store_close(store);
    }
}

/* Files in the folder of what models need. */
static int count_lists(void)
{
    int count = 0;
    DIR *folder =
            opendir(example_path(test_directory(), "store/working-sets").text);
    EXPECT_TRUE(folder != NULL);
    if (folder == NULL) return 0;
    for (const struct dirent *e = readdir(folder); e != NULL;
            e = readdir(folder))
        count += e->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Of one model, with shapes that are set when it has been loaded. */
TEST_C(ModelLibrary, KeepsAListForEachShape)
{
    struct model_text text;
    if (skips()) return;
    model_text_init(&text, RELU);
    for (int64_t rows = 2; rows <= 3; rows++) {
        dnnl_cache_model_t model = make(&text);
        set_rows(model, rows);
        EXPECT_DONE(model, dnnl_cache_model_fill_store(model));
        dnnl_cache_model_destroy(model);
    }
    model_text_fini(&text);
    EXPECT_EQ(2, count_lists());
}

#define CHOICE                                                         \
    "opset 13\ninput sr i64 -\ninput x f32 2\nconst r i64 - = 16000\n" \
    "graph a\nAdd x,x -> t\noutput t\nend\n"                           \
    "graph b\nNeg x -> u\noutput u\nend\nEqual sr,r -> e\n"            \
    "If e -> y then_branch=@a else_branch=@b\noutput y f32 2"

static void expect_chosen(
        const struct model_text *text, double rate, float sign)
{
    static const float x[2] = {3.0F, 4.0F};
    float y[2] = {0};
    int index = -1;
    dnnl_cache_model_t model = NULL;
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_DONE(model,
            dnnl_cache_model_set_device(model, test_platform_device(), NULL));
    EXPECT_DONE(model, dnnl_cache_model_set_folder(model,
                               example_path(test_directory(), "store").text));
    EXPECT_DONE(model, dnnl_cache_model_set_constant(model, "sr", 1.0));
    EXPECT_DONE(model, dnnl_cache_model_set_constant(model, "sr", rate));
    EXPECT_DONE(model,
            dnnl_cache_model_load_memory(model, text->bytes, text->size, NULL));
    EXPECT_DONE(model, dnnl_cache_model_get_info(model, &info));
    EXPECT_EQ(1, info.inputs);
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_find_input(model, "sr", &index));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_set_constant(model, "x", 1.0));
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    EXPECT_DONE(
            model, dnnl_cache_model_write_input(model, 0, NULL, x, sizeof x));
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof y));
    EXPECT_TRUE(y[0] == 3.0F * sign && y[1] == 4.0F * sign);
    dnnl_cache_model_destroy(model);
}

/* Each has other programs, and so a list of its own. */
TEST_C(ModelLibrary, HasAConstantInPlaceOfAnInput)
{
    struct model_text text;
    if (skips()) return;
    model_text_init(&text, CHOICE);
    expect_chosen(&text, 16000.0, 2.0F);
    expect_chosen(&text, 8000.0, -1.0F);
    EXPECT_EQ(2, count_lists());
    model_text_fini(&text);
}

TEST_C(ModelLibrary, RefusesAConstantThatIsNoInput)
{
    struct model_text text;
    dnnl_cache_model_t model = NULL;
    model_text_init(&text, CHOICE);
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_set_constant(NULL, "sr", 1.0));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_set_constant(model, NULL, 1.0));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_set_constant(model, "sr", (double)NAN));
    EXPECT_DONE(model, dnnl_cache_model_set_constant(model, "rate", 1.0));
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_model_load_memory(model, text.bytes, text.size, NULL));
    EXPECT_NOT_NULL(strstr(error_of(model), "no input 'rate'"));
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

/* ---- Threads ------------------------------------------------------------- */

/* Two models at once, cold, warm, with one store. */
TEST_C(ModelThreads, UseOneStoreAtTheSameTime)
{
    if (skips()) return;
    if (!test_platform_takes_threads())
        SKIP_TEST("two threads must not use this driver at once");
    dnnl_cache_store_handle_t *store = open_store("shared");
    for (int round = 0; round < 2; round++) {
        struct start starts[2];
        pthread_t thread;
        for (int i = 0; i < 2; i++)
            starts[i] = (struct start){
                    .store = dnnl_cache_store_get_callbacks(store),
                    .helper = ""};
        ASSERT_EQ(0, pthread_create(&thread, NULL, start_model, &starts[1]));
        start_model(&starts[0]);
        pthread_join(thread, NULL);
        for (int i = 0; i < 2; i++) {
            expect_softmax(&starts[i]);
            if (round == 1) EXPECT_TRUE(starts[i].report.is_warm);
        }
    }
    dnnl_cache_store_close(store);
}

/* ---- Layers -------------------------------------------------------------- */

struct seen {
    int layers, tensors;
    float last;
};

static int note_layer(const dnnl_cache_model_layer_t *layer, void *user)
{
    struct seen *seen = user;
    EXPECT_EQ(seen->layers, layer->index);
    EXPECT_TRUE(layer->node[0] != '\0' && layer->kind[0] != '\0');
    EXPECT_TRUE(layer->ms >= 0.0);
    seen->layers++;
    if (layer->tensor == NULL) return 0;
    seen->tensors++;
    seen->last = ((const float *)layer->data)[0];
    return 0;
}

TEST_C(ModelLibrary, ShowsLayers)
{
    static const float x[] = {3, -1};
    struct model_text text;
    struct seen seen = {0};
    float y[2];
    if (skips()) return;
    model_text_init(&text, RELU);
    dnnl_cache_model_t model = make(&text);
    set_rows(model, 1);
    EXPECT_DONE(model, dnnl_cache_model_prepare(model));
    EXPECT_DONE(
            model, dnnl_cache_model_write_input(model, 0, NULL, x, sizeof x));
    EXPECT_DONE(
            model, dnnl_cache_model_run_layers(model,
                           dnnl_cache_model_layers_time, note_layer, &seen));
    EXPECT_GT(seen.layers, 0);
    EXPECT_EQ(0, seen.tensors);
    seen = (struct seen){0};
    EXPECT_DONE(
            model, dnnl_cache_model_run_layers(model,
                           dnnl_cache_model_layers_data, note_layer, &seen));
    EXPECT_GT(seen.tensors, 0);
    EXPECT_TRUE(seen.last == 6.0f);
    /* And runs as before. */
    EXPECT_DONE(model, dnnl_cache_model_run(model));
    EXPECT_DONE(model, dnnl_cache_model_read_output(model, 0, y, sizeof y));
    expect_result(x, y, 2);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}
