/* SPDX-License-Identifier: Apache-2.0 */
/* image.h: pictures in files, and what networks take of them. */
#ifndef DNNL_CACHE_MODEL_COMMAND_IMAGE_H
#define DNNL_CACHE_MODEL_COMMAND_IMAGE_H

#include "model/command/value.h"

/* Limits, which are checked before a picture is decoded. */
enum { image_max_side = 32768, image_max_pixels = 1 << 26 };

/* Red, green and blue of each pixel, row by row. */
struct image {
    int width, height;
    uint8_t *pixels; /* owned */
};

/* True if bytes begin like a PNG or JPEG. */
bool image_is(const uint8_t *bytes, size_t size);

/* Decodes a PNG or JPEG; image_fini() is due in any case. Nothing of the bytes
 * is trusted. Transparent parts are black. */
bool image_parse(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure);
void image_fini(struct image *image);

/* Each of its format: image_png.c and image_jpeg.c. A build without the library
 * refuses with a text that says so. */
bool image_parse_png(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure);
bool image_parse_jpeg(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure);
/* Makes room, if the size is within the limits. */
bool image_allocate(struct image *image, uint64_t width, uint64_t height,
        struct failure *failure);

/* ---- For networks -------------------------------------------------------- */

enum image_layout {
    image_layout_any = 0, /* what the input's shape looks like */
    image_layout_nchw,
    image_layout_nhwc
};

/* A channel's element is (pixel - mean) * scale, of pixels from 0 to 255. */
struct image_options {
    int resize_width, resize_height; /* 0, N: the shorter side becomes N; 0, 0:
                                      * the smallest that the crop fits into */
    int crop_width, crop_height;     /* 0: the input's */
    bool has_scale, has_mean;        /* given, and not a preset's */
    double mean[3], scale[3];        /* of red, green, blue */
    enum image_layout layout;
    bool is_bgr;
    double margin; /* of a preset: resized to so many times the crop; 0: 1 */
};

/* Names, for messages: "imagenet, ...". */
extern const char image_presets[];
/* Sets mean, scale, order and margin by a preset's name; false: there is none
 * of that name. */
bool image_preset(struct image_options *options, const char *name);

/* The picture as an input of a shape: one picture, three channels. Resized and
 * cut around the middle. */
bool image_to_value(struct value *value, const struct image *image,
        const struct image_options *options,
        const dnnl_cache_model_tensor_t *input, struct failure *failure);

#endif /* DNNL_CACHE_MODEL_COMMAND_IMAGE_H */
