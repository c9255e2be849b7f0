/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker is told on its command line: each argument is a letter, '=' and
 * a value. */
#include "model/compile/worker_arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the text over; NULL: memory ran out. */
static void append(struct worker_arguments *a, char *text)
{
    char **texts = text == NULL || a->failed
                           ? NULL
                           : realloc(a->texts, (a->count + 2) * sizeof *texts);
    if (texts == NULL) {
        a->failed = true;
        free(text);
        return;
    }
    a->texts = texts;
    a->texts[a->count++] = text;
    a->texts[a->count] = NULL;
}

void worker_arguments_init(
        struct worker_arguments *arguments, const char *program)
{
    *arguments = (struct worker_arguments){0};
    append(arguments, strdup(program));
}

void worker_arguments_add(
        struct worker_arguments *arguments, char letter, const char *value)
{
    char *text = NULL;
    if (value == NULL) return;
    if (asprintf(&text, "%c=%s", letter, value) < 0) text = NULL;
    append(arguments, text);
}

void worker_arguments_add_number(
        struct worker_arguments *arguments, char letter, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    worker_arguments_add(arguments, letter, text);
}

/* "2,5,3,NAME" of two dimensions. */
void worker_arguments_add_shape(
        struct worker_arguments *arguments, const struct onnx_shape *shape)
{
    char text[graph_max_ndims * 24 + 16];
    char *all = NULL;
    int used = snprintf(text, sizeof text, "%d", shape->shape.ndims);
    for (int d = 0; d < shape->shape.ndims; d++)
        used += snprintf(text + used, sizeof text - (size_t)used, ",%lld",
                (long long)shape->shape.dims[d]);
    if (asprintf(&all, "%s,%s", text, shape->name) < 0) {
        arguments->failed = true;
        return;
    }
    worker_arguments_add(arguments, worker_shape, all);
    free(all);
}

void worker_arguments_fini(struct worker_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->texts[i]);
    free(arguments->texts);
    *arguments = (struct worker_arguments){0};
}

/* ---- Reading them -------------------------------------------------------- */

static bool parse_shape(struct loader_options *options, const char *text)
{
    char *at;
    struct onnx_shape *shapes = realloc((void *)(uintptr_t)options->shapes,
            (size_t)(options->shape_count + 1) * sizeof *shapes);
    if (shapes == NULL) return false;
    options->shapes = shapes;
    struct onnx_shape *shape = &shapes[options->shape_count++];
    *shape = (struct onnx_shape){.shape.ndims = (int)strtol(text, &at, 10)};
    if (shape->shape.ndims < 0 || shape->shape.ndims > graph_max_ndims)
        return false;
    for (int d = 0; d < shape->shape.ndims; d++) {
        if (*at != ',') return false;
        shape->shape.dims[d] = strtoll(at + 1, &at, 10);
    }
    shape->name = at + 1;
    return *at == ',';
}

bool worker_parse(struct loader_options *options, struct worker_place *place,
        int argc, char **argv)
{
    *options = (struct loader_options){
            .session = {.threads = 1, .is_worker = true}};
    *place = (struct worker_place){.answers = -1};
    for (int i = 1; i < argc; i++) {
        const char *value = argv[i] + 2;
        if (argv[i][0] == '\0' || argv[i][1] != '=') return false;
        switch (argv[i][0]) {
        case worker_answers:
            place->answers = atoi(value);
            break;
        case worker_blobs:
            place->has_blobs = true;
            break;
        case worker_model:
            options->path = value;
            break;
        case worker_folder:
            options->folder = value;
            break;
        case worker_identity:
            place->identity = value;
            break;
        case worker_store:
            options->session.folder = value;
            break;
        case worker_remote:
            options->session.remote = value;
            break;
        case worker_device:
            options->session.device.text = value;
            break;
        case worker_device_name:
            place->device_name = value;
            break;
        case worker_shape:
            if (!parse_shape(options, value)) return false;
            break;
        default:
            return false;
        }
    }
    return place->answers >= 0 && options->path != NULL
           && options->session.device.text != NULL && place->device_name != NULL
           && place->identity != NULL;
}
