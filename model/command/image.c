/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files --------------------------------------------------------------- */

static bool is_png(const uint8_t *bytes, size_t size)
{
    static const uint8_t begin[] = {0x89, 'P', 'N', 'G'};
    return size >= sizeof begin && memcmp(bytes, begin, sizeof begin) == 0;
}

static bool is_jpeg(const uint8_t *bytes, size_t size)
{
    return size >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8
           && bytes[2] == 0xff;
}

bool image_is(const uint8_t *bytes, size_t size)
{
    return is_png(bytes, size) || is_jpeg(bytes, size);
}

bool image_parse(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    *image = (struct image){0};
    if (is_png(bytes, size))
        return image_parse_png(image, bytes, size, failure);
    if (is_jpeg(bytes, size))
        return image_parse_jpeg(image, bytes, size, failure);
    return fail(failure, "neither a PNG nor a JPEG");
}

bool image_allocate(struct image *image, uint64_t width, uint64_t height,
        struct failure *failure)
{
    if (width == 0 || height == 0 || width > image_max_side
            || height > image_max_side || width * height > image_max_pixels)
        return fail(failure,
                "a picture of %llu x %llu: at most %d on a side and %d pixels "
                "are read",
                (unsigned long long)width, (unsigned long long)height,
                (int)image_max_side, (int)image_max_pixels);
    image->width = (int)width;
    image->height = (int)height;
    image->pixels = calloc((size_t)(width * height), 3);
    return image->pixels != NULL || fail_out_of_memory(failure);
}

void image_fini(struct image *image)
{
    free(image->pixels);
    *image = (struct image){0};
}

/* ---- Sizes --------------------------------------------------------------- */

/* What an element of the result is made of: a weighted sum of neighbours. */
struct tap {
    int first, count;
    float *weights;
};

static void taps_fini(struct tap *taps, int count)
{
    for (int i = 0; taps != NULL && i < count; i++)
        free(taps[i].weights);
    free(taps);
}

/* Linear between two pixels; where the result is smaller, the triangle is as
 * wide as a pixel of the result, so that no pixel is left out. */
static struct tap *make_taps(int from, int to)
{
    struct tap *taps = calloc((size_t)to, sizeof *taps);
    const double ratio = (double)from / to;
    const double reach = ratio > 1.0 ? ratio : 1.0;
    for (int i = 0; taps != NULL && i < to; i++) {
        const double middle = (i + 0.5) * ratio - 0.5;
        int first = (int)ceil(middle - reach),
            last = (int)floor(middle + reach);
        double sum = 0.0;
        if (first < 0) first = 0;
        if (last > from - 1) last = from - 1;
        taps[i].first = first;
        taps[i].count = last - first + 1;
        taps[i].weights = calloc((size_t)taps[i].count, sizeof(float));
        if (taps[i].weights == NULL) {
            taps_fini(taps, to);
            return NULL;
        }
        for (int k = first; k <= last; k++)
            sum += fmax(0.0, 1.0 - fabs(k - middle) / reach);
        for (int k = first; k <= last; k++)
            taps[i].weights[k - first] =
                    (float)(fmax(0.0, 1.0 - fabs(k - middle) / reach) / sum);
    }
    return taps;
}

/* A row's pixels, each the sum of others. */
static void resize_row(
        float *to, const uint8_t *from, const struct tap *taps, int width)
{
    for (int x = 0; x < width; x++)
        for (int c = 0; c < 3; c++) {
            float sum = 0.0f;
            for (int k = 0; k < taps[x].count; k++)
                sum += taps[x].weights[k]
                       * (float)from[3 * (taps[x].first + k) + c];
            to[3 * x + c] = sum;
        }
}

/* The sizes' floats, which the caller frees. Rows are kept as they are needed:
 * all of them at their new width. */
static float *resize(const struct image *image, int width, int height)
{
    struct tap *across = make_taps(image->width, width);
    struct tap *down = make_taps(image->height, height);
    const size_t row = (size_t)width * 3;
    float *wide = malloc(row * (size_t)image->height * sizeof *wide);
    float *result = calloc(row * (size_t)height, sizeof *result);
    const bool ok =
            across != NULL && down != NULL && wide != NULL && result != NULL;
    for (int y = 0; ok && y < image->height; y++)
        resize_row(wide + (size_t)y * row,
                image->pixels + (size_t)y * (size_t)image->width * 3, across,
                width);
    for (int y = 0; ok && y < height; y++)
        for (int k = 0; k < down[y].count; k++)
            for (size_t i = 0; i < row; i++)
                result[(size_t)y * row + i] +=
                        down[y].weights[k]
                        * wide[(size_t)(down[y].first + k) * row + i];
    taps_fini(across, width);
    taps_fini(down, height);
    free(wide);
    if (ok) return result;
    free(result);
    return NULL;
}

/* The smallest size of the same proportions that is not smaller. */
static void cover(const struct image *image, double width, double height,
        int *new_width, int *new_height)
{
    const double ratio = fmax(width / image->width, height / image->height);
    *new_width = (int)lround(image->width * ratio);
    *new_height = (int)lround(image->height * ratio);
    if (*new_width < width) *new_width = (int)ceil(width);
    if (*new_height < height) *new_height = (int)ceil(height);
}

static void choose_size(const struct image *image,
        const struct image_options *o, int width, int height, int *new_width,
        int *new_height)
{
    const double margin = o->margin > 0.0 ? o->margin : 1.0;
    if (o->resize_width > 0) {
        *new_width = o->resize_width;
        *new_height = o->resize_height;
    } else if (o->resize_height > 0) {
        cover(image, o->resize_height, o->resize_height, new_width, new_height);
    } else {
        cover(image, round(width * margin), round(height * margin), new_width,
                new_height);
    }
}

/* ---- Presets ------------------------------------------------------------- */

static const struct {
    const char *name;
    double mean[3], scale[3];
    bool is_bgr;
    double margin;
} presets[] = {
        /* torchvision's networks, and most of the model zoo's. */
        {"imagenet", {123.675, 116.28, 103.53},
                {1 / 58.395, 1 / 57.12, 1 / 57.375}, false, 256.0 / 224.0},
        /* Networks that were trained with Caffe. */
        {"caffe", {123.68, 116.779, 103.939}, {1, 1, 1}, true, 256.0 / 224.0},
        /* From -1 to 1: Inception, MobileNet of TensorFlow. */
        {"inception", {127.5, 127.5, 127.5}, {1 / 127.5, 1 / 127.5, 1 / 127.5},
                false, 1.0},
        {"unit", {0, 0, 0}, {1 / 255.0, 1 / 255.0, 1 / 255.0}, false, 1.0},
        {"raw", {0, 0, 0}, {1, 1, 1}, false, 1.0},
};

const char image_presets[] = "imagenet, caffe, inception, unit, raw";

bool image_preset(struct image_options *options, const char *name)
{
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(presets[i].name, name) != 0) continue;
        if (!options->has_mean)
            memcpy(options->mean, presets[i].mean, sizeof options->mean);
        if (!options->has_scale)
            memcpy(options->scale, presets[i].scale, sizeof options->scale);
        options->is_bgr = presets[i].is_bgr;
        options->margin = presets[i].margin;
        return true;
    }
    return false;
}

/* ---- Inputs -------------------------------------------------------------- */

struct place {
    int width, height;
    bool is_nhwc, is_gray;
};

/* The dimensions behind that of the batch, if there is one. */
static bool find_place(struct place *place,
        const dnnl_cache_model_tensor_t *input,
        const struct image_options *options, struct failure *failure)
{
    const int first = input->ndims - 3;
    const int64_t *d = input->dims + first;
    if (first < 0 || first > 1 || (first == 1 && input->dims[0] != 1))
        return fail(failure,
                "a picture needs an input [1, 3, H, W] or [1, H, W, 3], and "
                "'%.100s' has another shape",
                input->name);
    const bool nchw = d[0] == 3 || d[0] == 1, nhwc = d[2] == 3 || d[2] == 1;
    place->is_nhwc = options->layout == image_layout_nhwc
                     || (options->layout == image_layout_any && !nchw && nhwc);
    const int64_t channels = place->is_nhwc ? d[2] : d[0];
    const int64_t height = place->is_nhwc ? d[0] : d[1];
    const int64_t width = place->is_nhwc ? d[1] : d[2];
    if ((channels != 3 && channels != 1) || width < 1 || height < 1
            || width > image_max_side || height > image_max_side)
        return fail(failure,
                "a picture has 3 channels (or 1, which is gray), and input "
                "'%.100s' has %lld of %lld x %lld",
                input->name, (long long)channels, (long long)width,
                (long long)height);
    place->width = (int)width;
    place->height = (int)height;
    place->is_gray = channels == 1;
    return true;
}

/* The weights of ITU-R BT.601, of channels that are scaled already. */
static double gray(const double rgb[3])
{
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
}

static void put_pixel(struct value *value, const struct place *place,
        const struct image_options *options, int x, int y, const float *pixel)
{
    double rgb[3];
    const size_t at = (size_t)y * (size_t)place->width + (size_t)x;
    const size_t plane = (size_t)place->width * (size_t)place->height;
    for (int c = 0; c < 3; c++)
        rgb[c] = ((double)pixel[c] - options->mean[c]) * options->scale[c];
    if (place->is_gray) {
        value_put(value, at, gray(rgb));
        return;
    }
    for (size_t c = 0; c < 3; c++)
        value_put(value, place->is_nhwc ? 3 * at + c : c * plane + at,
                rgb[options->is_bgr ? 2 - c : c]);
}

static bool is_picture_type(dnnl_cache_model_type_t type)
{
    return type == dnnl_cache_model_type_f32
           || type == dnnl_cache_model_type_f16
           || type == dnnl_cache_model_type_f64
           || type == dnnl_cache_model_type_u8
           || type == dnnl_cache_model_type_s8;
}

static bool check_crop(const struct place *place, const struct image_options *o,
        int width, int height, struct failure *failure)
{
    if ((o->crop_width > 0
                && (o->crop_width != place->width
                        || o->crop_height != place->height)))
        return fail(failure, "cropped to %d x %d, and the input needs %d x %d",
                o->crop_width, o->crop_height, place->width, place->height);
    return (width >= place->width && height >= place->height)
           || fail(failure,
                   "resized to %d x %d, which is smaller than the input's "
                   "%d x %d",
                   width, height, place->width, place->height);
}

bool image_to_value(struct value *value, const struct image *image,
        const struct image_options *options,
        const dnnl_cache_model_tensor_t *input, struct failure *failure)
{
    struct place place = {0};
    struct value made = {.type = input->type, .ndims = input->ndims};
    int width, height;
    if (!is_picture_type(input->type))
        return fail(failure,
                "input '%.100s' has elements of type %s, which no "
                "picture has",
                input->name, dnnl_cache_model_type_name(input->type));
    if (!find_place(&place, input, options, failure)) return false;
    choose_size(image, options, place.width, place.height, &width, &height);
    if ((uint64_t)width * (uint64_t)height > image_max_pixels)
        return fail(failure, "resized to %d x %d, which is too large", width,
                height);
    if (!check_crop(&place, options, width, height, failure)) return false;
    for (int d = 0; d < input->ndims; d++)
        made.dims[d] = input->dims[d];
    if (!value_allocate(&made, failure)) return false;
    float *resized = resize(image, width, height);
    if (resized == NULL) {
        value_fini(&made);
        return fail_out_of_memory(failure);
    }
    const int left = (width - place.width) / 2;
    const int top = (height - place.height) / 2;
    for (int y = 0; y < place.height; y++)
        for (int x = 0; x < place.width; x++)
            put_pixel(&made, &place, options, x, y,
                    resized
                            + 3
                                      * ((size_t)(y + top) * (size_t)width
                                              + (size_t)(x + left)));
    free(resized);
    *value = made;
    return true;
}
