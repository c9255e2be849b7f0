/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/image.h"

#if DNNL_CACHE_MODEL_JPEG
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
    most_scans = 100,      /* a few bytes can ask for many passes */
    most_memory = 1 << 29, /* of a progressive picture's coefficients */
    most_warnings = 1000   /* damage that the decoder goes on after */
};

struct reader {
    struct jpeg_error_mgr errors; /* first: the library knows this */
    jmp_buf stop;
    struct jpeg_progress_mgr progress;
    char text[JMSG_LENGTH_MAX];
};

static void stop(j_common_ptr info)
{
    struct reader *reader = (struct reader *)info->err;
    info->err->format_message(info, reader->text);
    longjmp(reader->stop, 1);
}

static void stop_with(j_common_ptr info, const char *text)
{
    struct reader *reader = (struct reader *)info->err;
    snprintf(reader->text, sizeof reader->text, "%s", text);
    longjmp(reader->stop, 1);
}

static void say_nothing(j_common_ptr info)
{
    (void)info;
}

static void count_warning(j_common_ptr info, int level)
{
    if (level >= 0) return;
    if (++info->err->num_warnings > most_warnings)
        stop_with(info, "damaged in too many places");
}

static void count_scans(j_common_ptr info)
{
    const struct jpeg_decompress_struct *jpeg =
            (const struct jpeg_decompress_struct *)info;
    if (jpeg->input_scan_number > most_scans) stop_with(info, "too many scans");
}

static bool check_colours(
        const struct jpeg_decompress_struct *jpeg, struct failure *failure)
{
    return jpeg->num_components == 3 || jpeg->num_components == 1
           || fail(failure,
                   "a JPEG of %d components, where gray has 1 and colours have "
                   "3",
                   jpeg->num_components);
}

static bool decode(struct image *image, struct jpeg_decompress_struct *jpeg,
        struct reader *reader, struct failure *failure)
{
    jpeg_read_header(jpeg, TRUE);
    if (!check_colours(jpeg, failure)
            || !image_allocate(
                    image, jpeg->image_width, jpeg->image_height, failure))
        return false;
    reader->progress.progress_monitor = count_scans;
    jpeg->progress = &reader->progress;
    jpeg->mem->max_memory_to_use = most_memory;
    jpeg->out_color_space = JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row =
                image->pixels
                + (size_t)jpeg->output_scanline * (size_t)image->width * 3;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

bool image_parse_jpeg(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    struct jpeg_decompress_struct jpeg = {0};
    struct reader reader = {.text = ""};
    volatile bool ok = false;
    jpeg.err = jpeg_std_error(&reader.errors);
    reader.errors.error_exit = stop;
    reader.errors.output_message = say_nothing;
    reader.errors.emit_message = count_warning;
    if (setjmp(reader.stop) == 0) {
        jpeg_create_decompress(&jpeg);
        jpeg_mem_src(&jpeg, bytes, (unsigned long)size);
        ok = decode(image, &jpeg, &reader, failure);
    } else {
        fail(failure, "a JPEG that cannot be read: %s", reader.text);
    }
    jpeg_destroy_decompress(&jpeg);
    return ok;
}

#else

bool image_parse_jpeg(struct image *image, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    (void)image;
    (void)bytes;
    (void)size;
    return fail(failure, "a JPEG, and this program was built without "
                         "libjpeg-turbo (libjpeg-dev)");
}

#endif
