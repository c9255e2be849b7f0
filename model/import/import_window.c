/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import_window.h"

#include <string.h>

enum { paddings = 2 * graph_max_spatial };

/* ---- Attributes ---------------------------------------------------------- */

/* A number for each spatial dimension, at least `least`. */
bool window_numbers(struct import *im, const char *name, int spatial,
        int64_t least, int64_t values[graph_max_spatial])
{
    int count = spatial;
    if (!import_ints(im, name, values, graph_max_spatial, &count)) return false;
    if (count != spatial)
        return import_fail(im, "attribute %s has %d numbers for %d dimensions",
                name, count, spatial);
    struct graph_shape all = {.ndims = spatial};
    for (int i = 0; i < spatial; i++) {
        if (values[i] < least || values[i] > WINDOW_MOST)
            return import_fail(
                    im, "attribute %s has %lld", name, (long long)values[i]);
        all.dims[i] = values[i];
    }
    /* So that the elements of a kernel can be counted. */
    return graph_shape_fits(&all, 0)
           || import_fail(im, "attribute %s is too large", name);
}

static bool read_pads(struct import *im, struct graph_window *window)
{
    int64_t pads[paddings] = {0};
    int count = 2 * window->spatial;
    if (!import_ints(im, "pads", pads, paddings, &count)) return false;
    if (count != 2 * window->spatial)
        return import_fail(im,
                "attribute pads has %d numbers for %d dimensions", count,
                window->spatial);
    for (int i = 0; i < count; i++)
        if (pads[i] < 0 || pads[i] > WINDOW_MOST)
            return import_fail(
                    im, "attribute pads has %lld", (long long)pads[i]);
    for (int i = 0; i < window->spatial; i++) {
        window->pads_begin[i] = pads[i];
        window->pads_end[i] = pads[window->spatial + i];
    }
    return true;
}

static bool read_auto_pad(struct import *im, enum window_auto_pad *auto_pad)
{
    static const char *const words[] = {
            [window_pad_explicit] = "NOTSET",
            [window_pad_same_upper] = "SAME_UPPER",
            [window_pad_same_lower] = "SAME_LOWER",
            [window_pad_valid] = "VALID",
    };
    char word[import_word_size] = "NOTSET";
    if (!import_word(im, "auto_pad", word)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *auto_pad = (enum window_auto_pad)i;
            return true;
        }
    return import_fail(im, "attribute auto_pad is '%s'", word);
}

/* Reads all but the kernel, which starts as `kernel` (or as nothing). */
bool window_read(struct import *im, int ndims, struct window_request *request)
{
    struct graph_window *w = &request->window;
    int spatial = ndims - 2;
    if (spatial < 1 || spatial > graph_max_spatial)
        return import_fail(im, "%d dimensions, 3 to %d are known", ndims,
                2 + graph_max_spatial);
    *request = (struct window_request){
            .window = {.spatial = spatial, .groups = 1}};
    for (int i = 0; i < spatial; i++)
        w->strides[i] = w->dilations[i] = 1;
    return window_numbers(im, "strides", spatial, 1, w->strides)
           && window_numbers(im, "dilations", spatial, 1, w->dilations)
           && read_pads(im, w) && read_auto_pad(im, &request->auto_pad);
}

/* ---- Sizes --------------------------------------------------------------- */

/* From the first element of a window to its last, both counted. */
int64_t window_extent(const struct graph_window *w, int i)
{
    return (w->kernel[i] - 1) * w->dilations[i] + 1;
}

void window_pad(struct window_request *request, int i, int64_t total)
{
    struct graph_window *w = &request->window;
    if (total < 0) total = 0;
    int64_t less = total / 2;
    bool upper = request->auto_pad == window_pad_same_upper;
    w->pads_begin[i] = upper ? less : total - less;
    w->pads_end[i] = upper ? total - less : less;
}

/* Padding so that there is a window for each stride of the input. */
static void pad_same(struct window_request *request, int i, int64_t in)
{
    struct graph_window *w = &request->window;
    int64_t out = (in + w->strides[i] - 1) / w->strides[i];
    window_pad(
            request, i, (out - 1) * w->strides[i] + window_extent(w, i) - in);
}

/* Makes the padding numbers, and how many windows there are. */
bool window_count(struct import *im, struct window_request *request, int i,
        int64_t in, int64_t *out)
{
    struct graph_window *w = &request->window;
    int64_t stride = w->strides[i];
    if (request->auto_pad == window_pad_valid)
        w->pads_begin[i] = w->pads_end[i] = 0;
    if (request->auto_pad == window_pad_same_upper
            || request->auto_pad == window_pad_same_lower)
        pad_same(request, i, in);
    int64_t room = in + w->pads_begin[i] + w->pads_end[i] - window_extent(w, i);
    if (room < 0)
        return import_fail(im, "a window of %lld in %lld with padding",
                (long long)window_extent(w, i),
                (long long)room + window_extent(w, i));
    *out = room / stride + 1;
    /* One more for what is left over, if it begins before the padding's end. */
    if (request->ceil_mode && room % stride != 0
            && *out * stride < in + w->pads_begin[i])
        ++*out;
    return true;
}
