/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a picture. What is refused says why in a line; what is decoded
 * is within the limits, every pixel of it can be read, and it becomes an input.
 * Pictures of more than a million pixels are skipped: they take long.
 */
#include "fuzz.h"
#include "model/command/image.h"

#include <string.h>

/* Width times height as the headers have them; 0: not found. */
static uint64_t pixels_of(const uint8_t *data, size_t size)
{
    if (size >= 24 && data[0] == 0x89) {
        uint64_t width = 0, height = 0;
        for (int i = 0; i < 4; i++) {
            width = width << 8 | data[16 + i];
            height = height << 8 | data[20 + i];
        }
        return width * height;
    }
    uint64_t most = 0;
    for (size_t i = 0; i + 9 < size; i++)
        if (data[i] == 0xff && data[i + 1] >= 0xc0 && data[i + 1] <= 0xcf) {
            const uint64_t height = (uint64_t)data[i + 5] << 8 | data[i + 6];
            const uint64_t width = (uint64_t)data[i + 7] << 8 | data[i + 8];
            if (width * height > most) most = width * height;
        }
    return most;
}

static void check(const struct image *image)
{
    static const int64_t dims[] = {1, 3, 4, 5};
    dnnl_cache_model_tensor_t input = DNNL_CACHE_MODEL_TENSOR_INIT;
    struct image_options options = {0};
    struct value value = {0};
    struct failure failure = {""};
    unsigned sum = 0;
    REQUIRE(image->width > 0 && image->width <= image_max_side);
    REQUIRE(image->height > 0 && image->height <= image_max_side);
    const size_t size = (size_t)image->width * (size_t)image->height * 3;
    for (size_t i = 0; i < size; i++)
        sum += image->pixels[i];
    REQUIRE(sum <= 255 * size);
    input.name = "x";
    input.type = dnnl_cache_model_type_f32;
    input.ndims = 4;
    input.dims = dims;
    REQUIRE(image_preset(&options, "raw"));
    /* A line of pixels would become too large a picture. */
    if (!image_to_value(&value, image, &options, &input, &failure)) {
        REQUIRE(failure.text[0] != '\0');
        return;
    }
    for (size_t i = 0; i < 60; i++)
        REQUIRE(value_element(&value, i) >= -0.01
                && value_element(&value, i) <= 255.01);
    value_fini(&value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image image = {0};
    struct failure failure = {""};
    const uint64_t pixels = pixels_of(data, size);
    if (pixels > 1000000 && pixels <= image_max_pixels) return 0;
    if (image_parse(&image, data, size, &failure)) {
        REQUIRE(failure.text[0] == '\0');
        check(&image);
    } else {
        REQUIRE(failure.text[0] != '\0' && strchr(failure.text, '\n') == NULL);
    }
    image_fini(&image);
    return 0;
}
