/* SPDX-License-Identifier: Apache-2.0 */
/* Models of float16, on devices that have it and on those that have not: the
 * layer half_device makes the first of any. */
#include "dnnl_cache/dnnl_cache_model.h"
#include "model/base/half.h"
#include "model_text.h"
#include "test.h"
#include "test_platform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 16 channels of 8 x 8, through 16 * 16 weights of windows of one element. */
enum { channels = 16, pixels = 64, count = channels * pixels };

#define NETWORK(type)                                    \
    "opset 13\ninput x " type " 1,16,8,8\nconst w " type \
    " 16,16,1,1 = 0.5 -1 0.25 2 -0.125\nconst b " type   \
    " 16 = 1 2 -1\nConv x,w,b -> c\nRelu c -> y\noutput y " type " 1,16,8,8"

static bool device_has_halves(void)
{
    char text[16384] = "";
    EXPECT_EQ(
            CL_SUCCESS, clGetDeviceInfo(test_platform_device(),
                                CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    return strstr(text, "cl_khr_fp16") != NULL;
}

static dnnl_cache_model_t make(const struct model_text *text)
{
    dnnl_cache_model_t model = NULL;
    EXPECT_OK(dnnl_cache_model_create(&model));
    EXPECT_OK(dnnl_cache_model_set_device(model, test_platform_device(), NULL));
    EXPECT_OK(
            dnnl_cache_model_load_memory(model, text->bytes, text->size, NULL));
    EXPECT_OK(dnnl_cache_model_prepare(model));
    return model;
}

static void fill(uint16_t *x)
{
    for (int i = 0; i < count; i++)
        x[i] = half_from_float((float)(i * 37 % 101 - 50) / 16.0F);
}

/* Element i of the result, of exact sums. */
static double expected(const uint16_t *x, int i)
{
    static const double weights[] = {0.5, -1, 0.25, 2, -0.125};
    static const double bias[] = {1, 2, -1};
    const int out = i / pixels;
    double sum = bias[out % 3];
    for (int in = 0; in < channels; in++)
        sum += weights[(out * channels + in) % 5]
               * (double)half_to_float(x[in * pixels + i % pixels]);
    return sum > 0 ? sum : 0;
}

static void expect_result(const uint16_t *x, const uint16_t *y)
{
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const double is = (double)half_to_float(y[i]), must = expected(x, i);
        wrong += fabs(is - must) > 0.0005 * must + 1e-6;
    }
    EXPECT_EQ(0, wrong);
}

static uint64_t weight_bytes(dnnl_cache_model_t model)
{
    dnnl_cache_model_report_t report = {.struct_size = sizeof report};
    EXPECT_OK(dnnl_cache_model_get_report(model, &report));
    return report.weight_bytes;
}

static bool skips(void)
{
    if (test_platform_device() != NULL) return false;
    test_skip(__FILE__, __LINE__, "no platform of that name is here");
    return true;
}

TEST_C(ModelHalves, AreHalvesWhereTheDeviceHasThem)
{
    uint16_t x[count], y[count];
    struct model_text text;
    if (skips()) return;
    const uint64_t size = device_has_halves() ? 2 : 4;
    model_text_init(&text, NETWORK("f16"));
    dnnl_cache_model_t model = make(&text);
    EXPECT_EQ(size * (16 * 16 + 16), weight_bytes(model));
    fill(x);
    EXPECT_OK(dnnl_cache_model_write_input(model, 0, NULL, x, sizeof x));
    EXPECT_OK(dnnl_cache_model_run(model));
    EXPECT_OK(dnnl_cache_model_read_output(model, 0, y, sizeof y));
    expect_result(x, y);
    /* Bound memory goes another way. */
    memset(y, 0, sizeof y);
    EXPECT_OK(dnnl_cache_model_bind_input(model, 0, NULL, x, sizeof x));
    EXPECT_OK(dnnl_cache_model_bind_output(model, 0, y, sizeof y));
    EXPECT_OK(dnnl_cache_model_run_async(model, 0, NULL, NULL));
    EXPECT_OK(dnnl_cache_model_wait(model));
    expect_result(x, y);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

TEST_C(ModelHalves, GoThroughBuffersWhereTheDeviceHasThem)
{
    uint16_t x[count], y[count];
    cl_context context = NULL;
    struct model_text text;
    if (skips()) return;
    const dnnl_status_t st =
            device_has_halves() ? dnnl_success : dnnl_unimplemented;
    model_text_init(&text, NETWORK("f16"));
    dnnl_cache_model_t model = make(&text);
    fill(x);
    EXPECT_OK(dnnl_cache_model_get_device(model, NULL, &context));
    cl_mem in =
            clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    EXPECT_EQ(st, dnnl_cache_model_bind_input_buffer(model, 0, in, 0));
    if (st == dnnl_success) {
        EXPECT_OK(dnnl_cache_model_run(model));
        EXPECT_OK(dnnl_cache_model_read_output(model, 0, y, sizeof y));
        expect_result(x, y);
    }
    clReleaseMemObject(in);
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}

/* Models of floats stay that, whatever the device has. */
TEST_C(ModelHalves, FloatsStayFloats)
{
    struct model_text text;
    if (skips()) return;
    model_text_init(&text, NETWORK("f32"));
    dnnl_cache_model_t model = make(&text);
    EXPECT_EQ(4 * (16 * 16 + 16), weight_bytes(model));
    dnnl_cache_model_destroy(model);
    model_text_fini(&text);
}
