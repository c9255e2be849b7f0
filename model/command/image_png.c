/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/image.h"

#if DNNL_CACHE_MODEL_PNG
#include <png.h>
#include <string.h>

/* libpng's own limits are for sizes that it could write. */
bool image_parse_png(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    static const png_color black = {0, 0, 0};
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&png, bytes, size) == 0)
        return fail(failure, "not a PNG: %s", png.message);
    png.format = PNG_FORMAT_RGB;
    const bool ok = image_allocate(image, png.width, png.height, failure);
    if (ok && png_image_finish_read(&png, &black, image->pixels, 0, NULL) != 0)
        return true;
    if (ok) fail(failure, "a PNG that cannot be read: %s", png.message);
    png_image_free(&png);
    return false;
}

#else

bool image_parse_png(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    (void)image;
    (void)bytes;
    (void)size;
    return fail(failure,
            "a PNG, and this program was built without libpng (libpng-dev)");
}

#endif
