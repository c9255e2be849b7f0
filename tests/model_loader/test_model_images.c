/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures, and what networks get of them. */
#include "model/command/image.h"
#include "model/command/value_file.h"
#include "model/onnx/onnx.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES DNNL_CACHE_TEST_DATA_DIR "/pictures/"

enum { width = 96, height = 64 };

static void expected_pixel(int x, int y, int rgb[3])
{
    const int dx = x - 48, dy = y - 32;
    rgb[0] = x * 255 / (width - 1);
    rgb[1] = y * 255 / (height - 1);
    rgb[2] = dx * dx + dy * dy <= 24 * 24 ? 200 : 40;
}

static uint8_t *read_file(const char *name, size_t *size)
{
    char path[4096];
    uint8_t *bytes = NULL;
    struct failure failure = {""};
    snprintf(path, sizeof path, PICTURES "%s", name);
    if (!onnx_read_file(path, &bytes, size, &failure))
        test_fail(__FILE__, __LINE__, "%s", failure.text);
    return bytes;
}

/* False if the build has no library for it, which it says. */
static bool read_picture(struct image *image, const char *name)
{
    size_t size = 0;
    struct failure failure = {""};
    uint8_t *bytes = read_file(name, &size);
    const bool ok = image_parse(image, bytes, size, &failure);
    free(bytes);
    if (!ok && strstr(failure.text, "was built without") == NULL)
        test_fail(__FILE__, __LINE__, "%s: %s", name, failure.text);
    test_asserts();
    return ok;
}

/* ---- Files --------------------------------------------------------------- */

/* Another reason is told of a file that says by its name what it is. */
TEST_C(ModelImages, AreNotWhatIsOfNoKnownKind)
{
    static const char *const names[] = {"notes.txt", "notes", "notes.pb"};
    static const int64_t dims[] = {4};
    const dnnl_cache_model_tensor_t input = {.name = "x",
            .type = dnnl_cache_model_type_f32,
            .ndims = 1,
            .dims = dims,
            .size = 16};
    const struct image_options options = {.crop_width = 0};
    for (int i = 0; i < 3; i++) {
        char path[600];
        struct value value = {.data = NULL};
        struct failure failure = {""};
        (void)snprintf(
                path, sizeof path, "%.500s/%s", test_directory(), names[i]);
        FILE *file = fopen(path, "w");
        ASSERT_NOT_NULL(file);
        EXPECT_GE(fputs("some notes of mine\n", file), 0);
        EXPECT_EQ(0, fclose(file));
        EXPECT_FALSE(value_file_read(&value, path, &input, &options, &failure));
        const char *why = strstr(failure.text,
                "not a picture (PNG, JPEG), an array of NumPy (.npy) or a "
                "tensor (TensorProto)");
        EXPECT_EQ(i == 2, why == NULL);
        EXPECT_NOT_NULL(strstr(failure.text, names[i]));
    }
}

TEST_C(ModelImages, ArePixels)
{
    static const char *const names[] = {"disc.png", "disc.jpg"};
    for (int n = 0; n < 2; n++) {
        struct image image = {0};
        double off = 0.0;
        int exact = 0;
        if (!read_picture(&image, names[n])) continue;
        ASSERT_EQ(width, image.width);
        ASSERT_EQ(height, image.height);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int rgb[3];
                expected_pixel(x, y, rgb);
                for (int c = 0; c < 3; c++) {
                    const int is = image.pixels[3 * (y * width + x) + c];
                    off += abs(is - rgb[c]);
                    exact += is == rgb[c];
                }
            }
        if (n == 0) EXPECT_EQ(3 * width * height, exact);
        EXPECT_LE(off / (3 * width * height), 6.0);
        image_fini(&image);
    }
}

TEST_C(ModelImages, AreRefusedIfTheyAreTooLarge)
{
    struct failure failure = {""};
    struct image image = {0};
    size_t size;
    uint8_t *bytes = read_file("huge.png", &size);
    EXPECT_FALSE(image_parse(&image, bytes, size, &failure));
    EXPECT_TRUE(strstr(failure.text, "30000 x 30000") != NULL
                || strstr(failure.text, "was built without") != NULL);
    EXPECT_TRUE(image.pixels == NULL);
    free(bytes);
    /* The same of a JPEG, whose start of frame has height and width. */
    failure = (struct failure){""};
    bytes = read_file("disc.jpg", &size);
    for (size_t i = 0; i + 9 < size; i++)
        if (bytes[i] == 0xff && bytes[i + 1] == 0xc0)
            memset(bytes + i + 5, 0xf0, 4);
    EXPECT_FALSE(image_parse(&image, bytes, size, &failure));
    EXPECT_TRUE(strstr(failure.text, "61680 x 61680") != NULL
                || strstr(failure.text, "was built without") != NULL);
    image_fini(&image);
    free(bytes);
}

/* A PNG that is cut has no end; a JPEG may be shown as far as it goes. */
TEST_C(ModelImages, MayBeCutAnywhere)
{
    static const char *const names[] = {"disc.png", "disc.jpg"};
    for (int n = 0; n < 2; n++) {
        size_t size;
        uint8_t *bytes = read_file(names[n], &size);
        const size_t end = n == 0 ? size - 12 : size; /* before IEND */
        for (size_t cut = 0; cut < end; cut += cut < 700 ? 1 : 13) {
            struct failure failure = {""};
            struct image image = {0};
            uint8_t *exact = malloc(cut + 1);
            memcpy(exact, bytes, cut);
            const bool ok = image_parse(&image, exact, cut, &failure);
            if (n == 0) EXPECT_FALSE(ok);
            EXPECT_EQ(ok, failure.text[0] == '\0');
            image_fini(&image);
            free(exact);
        }
        free(bytes);
    }
}

/* ---- Inputs -------------------------------------------------------------- */

static dnnl_cache_model_tensor_t input_of(
        dnnl_cache_model_type_t type, int ndims, const int64_t *dims)
{
    dnnl_cache_model_tensor_t input = DNNL_CACHE_MODEL_TENSOR_INIT;
    input.name = "x";
    input.type = type;
    input.ndims = ndims;
    input.dims = dims;
    return input;
}

/* Two rows of four pixels: red is the column, green the row. */
static void make_small(struct image *image)
{
    struct failure failure = {""};
    *image = (struct image){0};
    EXPECT_TRUE(image_allocate(image, 4, 2, &failure));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++) {
            uint8_t *p = image->pixels + 3 * (4 * y + x);
            p[0] = (uint8_t)(10 * x);
            p[1] = (uint8_t)(100 * y);
            p[2] = 7;
        }
}

#define EXPECT_ELEMENT(expected, value, i) \
    EXPECT_TRUE(fabs(value_element(value, i) - (expected)) < 1e-5)

TEST_C(ModelImages, BecomeInputsInTheirOrder)
{
    static const int64_t nchw[] = {1, 3, 2, 4}, nhwc[] = {1, 2, 4, 3},
                         gray[] = {1, 2, 4}, cropped[] = {3, 2, 2};
    struct image image;
    struct image_options options = {0};
    struct value v = {0};
    struct failure failure = {""};
    make_small(&image);
    ASSERT_TRUE(image_preset(&options, "raw"));
    dnnl_cache_model_tensor_t input =
            input_of(dnnl_cache_model_type_f32, 4, nchw);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    EXPECT_ELEMENT(30.0, &v, 3);
    EXPECT_ELEMENT(100.0, &v, 8 + 4);
    EXPECT_ELEMENT(7.0, &v, 16);
    value_fini(&v);
    input = input_of(dnnl_cache_model_type_u8, 4, nhwc);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    EXPECT_ELEMENT(30.0, &v, 9);
    EXPECT_ELEMENT(100.0, &v, 13);
    value_fini(&v);
    ASSERT_TRUE(image_preset(&options, "caffe"));
    input = input_of(dnnl_cache_model_type_f32, 4, nchw);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    EXPECT_EQ(24 * sizeof(float), v.size);
    /* Blue comes first. */
    EXPECT_TRUE(fabs(value_element(&v, 0) - (7.0 - 103.939)) < 1e-3);
    value_fini(&v);
    ASSERT_TRUE(image_preset(&options, "raw"));
    input = input_of(dnnl_cache_model_type_f32, 3, gray);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    EXPECT_TRUE(fabs(value_element(&v, 3) - (0.299 * 30 + 0.114 * 7)) < 1e-4);
    value_fini(&v);
    /* The middle of what is wider. */
    input = input_of(dnnl_cache_model_type_f32, 3, cropped);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    EXPECT_ELEMENT(10.0, &v, 0);
    EXPECT_ELEMENT(20.0, &v, 1);
    value_fini(&v);
    image_fini(&image);
}

TEST_C(ModelImages, AreResizedWithoutLeavingPixelsOut)
{
    static const int64_t half[] = {1, 3, 1, 2}, twice[] = {1, 3, 4, 8};
    struct image image;
    struct image_options options = {0};
    struct value v = {0};
    struct failure failure = {""};
    make_small(&image);
    ASSERT_TRUE(image_preset(&options, "raw"));
    dnnl_cache_model_tensor_t input =
            input_of(dnnl_cache_model_type_f32, 4, half);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    /* Both rows have the same share. */
    EXPECT_ELEMENT(50.0, &v, 2);
    /* Shares of 3/4, 3/4 and 1/4, as far as a pixel of the result reaches. */
    EXPECT_ELEMENT((0.75 * 10.0 + 0.25 * 20.0) / 1.75, &v, 0);
    value_fini(&v);
    input = input_of(dnnl_cache_model_type_f32, 4, twice);
    ASSERT_TRUE(image_to_value(&v, &image, &options, &input, &failure));
    EXPECT_ELEMENT(0.0, &v, 0);
    EXPECT_ELEMENT(2.5, &v, 1);
    EXPECT_ELEMENT(30.0, &v, 7);
    value_fini(&v);
    image_fini(&image);
}

TEST_C(ModelImages, AreRefusedWhereTheyDoNotFit)
{
    static const int64_t two[] = {2, 3, 2, 4}, five[] = {1, 5, 2, 5},
                         flat[] = {24}, fine[] = {1, 3, 2, 2};
    struct image image;
    struct image_options options = {0};
    struct value v = {0};
    make_small(&image);
    ASSERT_TRUE(image_preset(&options, "unit"));
    EXPECT_FALSE(image_preset(&options, "nonsense"));
    struct image_options small = options, crop = options;
    small.resize_width = small.resize_height = 1;
    crop.crop_width = crop.crop_height = 3;
    const struct {
        dnnl_cache_model_tensor_t input;
        const struct image_options *options;
        const char *reason;
    } cases[] = {
            {input_of(dnnl_cache_model_type_f32, 4, two), &options, "[1, 3, H"},
            {input_of(dnnl_cache_model_type_f32, 4, five), &options, "channel"},
            {input_of(dnnl_cache_model_type_f32, 1, flat), &options,
                    "[1, 3, H"},
            {input_of(dnnl_cache_model_type_s64, 4, fine), &options, "INT64"},
            {input_of(dnnl_cache_model_type_f32, 4, fine), &small, "smaller"},
            {input_of(dnnl_cache_model_type_f32, 4, fine), &crop, "3 x 3"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct failure failure = {""};
        EXPECT_FALSE(image_to_value(
                &v, &image, cases[i].options, &cases[i].input, &failure));
        if (strstr(failure.text, cases[i].reason) == NULL)
            test_fail(__FILE__, __LINE__, "%s: not: %s", failure.text,
                    cases[i].reason);
        EXPECT_TRUE(v.data == NULL);
    }
    image_fini(&image);
}
