/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/options.h"

#include "tools/common/text/command_line.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
        "usage: model_loader MODEL.onnx --store DIR [OPTION ...]\n"
        "       model_loader MODEL.onnx --list [--json FILE]\n"
        "       model_loader --list-devices\n"
        "\n"
        "Run an ONNX model on an OpenCL device. The first start compiles and\n"
        "stores programs in DIR, later starts load them.\n"
        "\n"
        "The model:\n"
        "  --list                print the model's inputs and outputs, and "
        "run\n"
        "                        nothing\n"
        "  --shape NAME=1x3x4    the shape of an input; needed for dimensions\n"
        "                        that the model leaves open\n"
        "  --weights FILE        read the weights from this model\n"
        "  --weights random:SEED generate the weights\n"
        "\n"
        "Inputs:\n"
        "  --input NAME=FILE     an input: an array of NumPy (.npy), a "
        "picture\n"
        "                        (PNG or JPEG), the elements alone (.raw,\n"
        "                        .bin), or a TensorProto\n"
        "  --input FILE|ramp     the same for inputs in their order; a ramp's\n"
        "                        element i of n is i / n (the default)\n"
        "  --preset NAME         how pictures become an input: imagenet, "
        "caffe,\n"
        "                        inception, unit or raw (default: imagenet,\n"
        "                        or raw with --mean or --scale)\n"
        "  --resize WxH|N        resize pictures to this size, or to N pixels\n"
        "                        on the shorter side (default: by the preset)\n"
        "  --crop WxH            check that the input has this size; pictures\n"
        "                        are cropped around the middle to the input's\n"
        "  --mean R,G,B          subtract from pixels of 0 to 255, then\n"
        "  --scale R,G,B|S       multiply; 1/255 is a number, too\n"
        "  --layout nchw|nhwc    where an input has its channels (default:\n"
        "                        what its shape says)\n"
        "\n"
        "Results:\n"
        "  --output NAME=FILE    write an output: .npy, .raw, .bin, or a\n"
        "                        TensorProto\n"
        "  --output FILE         the same for the first output\n"
        "  --output-dir DIR      write all outputs to DIR/NAME.npy\n"
        "  --output-format FORM  npy, pb or raw, for --output-dir\n"
        "  --top N               print the N classes of the first output that\n"
        "                        have the highest probability\n"
        "  --labels FILE         names of classes, one on each line\n"
        "  --expect FILE         compare the first output with a file\n"
        "  --dump DIR            run once more, and write the result of each\n"
        "                        layer as a TensorProto\n"
        "\n"
        "Measuring:\n"
        "  --repeat N            runs after the first one (default 3)\n"
        "  --warm-up N           runs before those (default 0)\n"
        "  --duration SECONDS    repeat for so long instead, at least twice\n"
        "  --profile             run again, and print each layer's time on "
        "the\n"
        "                        device\n"
        "  --json FILE           write what was measured\n"
        "\n"
        "Starting:\n"
        "  --store DIR           directory for programs; created if missing\n"
        "  --remote URL          a store on a server, asked last, such as\n"
        "                        redis://HOST?key_file=FILE\n"
        "  --platform TEXT       use a platform with TEXT in its name\n"
        "  --device N|TEXT       use device N of --list-devices (of the\n"
        "                        platform), or one with TEXT in its name\n"
        "  --list-devices        print the OpenCL devices\n"
        "  --threads N           threads to compile and load with (default:\n"
        "                        the number of processors)\n"
        "  --cached-only         fail if something has to be compiled\n"
        "  --prepare             fill the store for the model, and run "
        "nothing\n"
        "  --record FILE         add what the model compiles to a record, for\n"
        "                        dnnl-cache replay\n"
        "  --version             print the version\n"
        "  --help                print this help\n"
        "\n"
        "Exit status: 0 success; 1 the model, the library or the driver "
        "failed;\n"
        "2 usage error; 3 wrong results; 4 results could not be written, to\n"
        "a file or to standard output.\n";

void options_print_help(void)
{
    fputs(help, stdout);
}

/* ---- Values -------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t limit, uint64_t *number)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || value > limit) return false;
    *number = value;
    return true;
}

static bool parse_int(const char *text, int *number)
{
    uint64_t value;
    if (!parse_number(text, 1048576, &value)) return false;
    *number = (int)value;
    return true;
}

static bool parse_weights(struct options *options, const char *text)
{
    static const char random[] = "random:";
    if (strncmp(text, random, sizeof random - 1) != 0) {
        options->weights = text;
        return true;
    }
    options->is_random = true;
    return parse_number(text + sizeof random - 1, UINT64_MAX, &options->seed);
}

static bool add(struct option_list *list, const char *text)
{
    const char **values =
            realloc(list->values, (size_t)(list->count + 1) * sizeof *values);
    if (values == NULL) return false;
    list->values = values;
    values[list->count++] = text;
    return true;
}

/* "WIDTHxHEIGHT"; false for anything else, 0 included. */
static bool parse_size(const char *text, int *width, int *height)
{
    char copy[32];
    const size_t size = strcspn(text, "x");
    if (text[size] == '\0' || size >= sizeof copy) return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return parse_int(copy, width) && parse_int(text + size + 1, height)
           && *width > 0 && *height > 0 && *width <= image_max_side
           && *height <= image_max_side;
}

static bool parse_resize(struct image_options *image, const char *text)
{
    if (parse_size(text, &image->resize_width, &image->resize_height))
        return true;
    image->resize_width = 0;
    return parse_int(text, &image->resize_height) && image->resize_height > 0
           && image->resize_height <= image_max_side;
}

/* A number, or two with '/' between them, up to a comma or the end. */
static bool parse_real(const char **text, double *number)
{
    char *end;
    *number = strtod(*text, &end);
    if (end == *text) return false;
    if (*end == '/') {
        const char *divisor = end + 1;
        const double value = strtod(divisor, &end);
        if (end == divisor || value == 0.0) return false;
        *number /= value;
    }
    *text = end;
    return isfinite(*number);
}

/* One for all channels, or three. */
static bool parse_channels(const char *text, double numbers[3])
{
    if (!parse_real(&text, &numbers[0])) return false;
    if (*text == '\0') {
        numbers[1] = numbers[2] = numbers[0];
        return true;
    }
    for (int c = 1; c < 3; c++) {
        if (*text != ',') return false;
        text++;
        if (!parse_real(&text, &numbers[c])) return false;
    }
    return *text == '\0';
}

static bool parse_layout(struct image_options *image, const char *text)
{
    image->layout = strcmp(text, "nchw") == 0   ? image_layout_nchw
                    : strcmp(text, "nhwc") == 0 ? image_layout_nhwc
                                                : image_layout_any;
    return image->layout != image_layout_any;
}

static bool parse_duration(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds > 0.0 && *seconds <= 86400.0;
}

static bool is_format(const char *text)
{
    return strcmp(text, "npy") == 0 || strcmp(text, "pb") == 0
           || strcmp(text, "raw") == 0;
}

/* ---- Options ------------------------------------------------------------- */

enum {
    option_store = 1,
    option_remote,
    option_platform,
    option_device,
    option_shape,
    option_input,
    option_weights,
    option_output,
    option_output_dir,
    option_output_format,
    option_preset,
    option_resize,
    option_crop,
    option_mean,
    option_scale,
    option_layout,
    option_top,
    option_labels,
    option_expect,
    option_json,
    option_dump,
    option_repeat,
    option_warm_up,
    option_duration,
    option_threads,
    option_record,
    /* Without an argument: */
    option_prepare,
    option_cached_only,
    option_profile,
    option_list,
    option_list_devices,
    option_version,
    option_help
};

static const struct option known[] = {
        {"store", required_argument, NULL, option_store},
        {"remote", required_argument, NULL, option_remote},
        {"platform", required_argument, NULL, option_platform},
        {"device", required_argument, NULL, option_device},
        {"shape", required_argument, NULL, option_shape},
        {"input", required_argument, NULL, option_input},
        {"weights", required_argument, NULL, option_weights},
        {"output", required_argument, NULL, option_output},
        {"output-dir", required_argument, NULL, option_output_dir},
        {"output-format", required_argument, NULL, option_output_format},
        {"preset", required_argument, NULL, option_preset},
        {"resize", required_argument, NULL, option_resize},
        {"crop", required_argument, NULL, option_crop},
        {"mean", required_argument, NULL, option_mean},
        {"scale", required_argument, NULL, option_scale},
        {"layout", required_argument, NULL, option_layout},
        {"top", required_argument, NULL, option_top},
        {"labels", required_argument, NULL, option_labels},
        {"expect", required_argument, NULL, option_expect},
        {"json", required_argument, NULL, option_json},
        {"dump", required_argument, NULL, option_dump},
        {"repeat", required_argument, NULL, option_repeat},
        {"warm-up", required_argument, NULL, option_warm_up},
        {"duration", required_argument, NULL, option_duration},
        {"threads", required_argument, NULL, option_threads},
        {"record", required_argument, NULL, option_record},
        {"prepare", no_argument, NULL, option_prepare},
        {"cached-only", no_argument, NULL, option_cached_only},
        {"profile", no_argument, NULL, option_profile},
        {"list", no_argument, NULL, option_list},
        {"list-devices", no_argument, NULL, option_list_devices},
        {"version", no_argument, NULL, option_version},
        {"help", no_argument, NULL, option_help},
        {NULL, 0, NULL, 0},
};

/* Where the text of an option goes; NULL if it has none. */
static const char **find_text(struct options *options, int option)
{
    switch (option) {
    case option_store:
        return &options->store;
    case option_remote:
        return &options->remote;
    case option_platform:
        return &options->platform;
    case option_device:
        return &options->device;
    case option_output_dir:
        return &options->output_dir;
    case option_labels:
        return &options->labels;
    case option_expect:
        return &options->expect;
    case option_json:
        return &options->json;
    case option_dump:
        return &options->dump;
    case option_record:
        return &options->record;
    default:
        return NULL;
    }
}

static bool *find_flag(struct options *options, int option)
{
    switch (option) {
    case option_prepare:
        return &options->prepare;
    case option_cached_only:
        return &options->cached_only;
    case option_profile:
        return &options->profile;
    case option_list:
        return &options->list;
    case option_list_devices:
        return &options->list_devices;
    case option_version:
        return &options->version;
    case option_help:
        return &options->help;
    default:
        return NULL;
    }
}

static struct option_list *find_list(struct options *options, int option)
{
    return option == option_shape    ? &options->shapes
           : option == option_input  ? &options->inputs
           : option == option_output ? &options->outputs
                                     : NULL;
}

static int *find_int(struct options *options, int option)
{
    return option == option_repeat    ? &options->repeat
           : option == option_warm_up ? &options->warm_up
           : option == option_threads ? &options->threads
           : option == option_top     ? &options->top
                                      : NULL;
}

/* Values with rules of their own. NULL: taken; else what is wrong. */
static const char *take_other(
        struct options *options, int option, const char *value)
{
    struct image_options *image = &options->image;
    switch (option) {
    case option_weights:
        return parse_weights(options, value) ? NULL : "no seed: ";
    case option_output_format:
        options->output_format = value;
        return is_format(value) ? NULL : "neither npy, pb nor raw: ";
    case option_preset:
        options->preset = value;
        return image_preset(&(struct image_options){0}, value) ? NULL
                                                               : "no preset: ";
    case option_resize:
        return parse_resize(image, value) ? NULL
                                          : "neither WIDTHxHEIGHT nor N: ";
    case option_crop:
        return parse_size(value, &image->crop_width, &image->crop_height)
                       ? NULL
                       : "no WIDTHxHEIGHT: ";
    case option_mean:
        image->has_mean = true;
        return parse_channels(value, image->mean) ? NULL : "no R,G,B: ";
    case option_scale:
        image->has_scale = true;
        return parse_channels(value, image->scale) ? NULL : "no R,G,B: ";
    case option_layout:
        return parse_layout(image, value) ? NULL : "neither nchw nor nhwc: ";
    default:
        return parse_duration(value, &options->duration)
                       ? NULL
                       : "no number of seconds up to 86400: ";
    }
}

static bool take(struct options *options, int option, const char *value,
        const struct command_line *line)
{
    const char **text = find_text(options, option);
    bool *flag = find_flag(options, option);
    struct option_list *list = find_list(options, option);
    int *number = find_int(options, option);
    if (flag != NULL) return *flag = true;
    if (text != NULL) *text = value;
    if (text != NULL)
        return value[0] != '\0'
               || command_line_complain(line, "an empty value", "");
    if (list != NULL)
        return add(list, value)
               || command_line_complain(line, "out of memory", "");
    if (number != NULL)
        return parse_int(value, number)
               || command_line_complain(
                       line, "no number from 0 to 1048576: ", value);
    const char *wrong = take_other(options, option, value);
    return wrong == NULL || command_line_complain(line, wrong, value);
}

static bool check(struct options *options, const struct command_line *line)
{
    if (options->help || options->version || options->list_devices) return true;
    if (options->model == NULL)
        return command_line_complain(line, "missing: MODEL.onnx", "");
    if (options->top > 0 && options->prepare)
        return command_line_complain(line, "--prepare gives no results", "");
    if (options->labels != NULL && options->top == 0) options->top = 5;
    return options->store != NULL || options->list
           || command_line_complain(line, "--store is missing", "");
}

bool options_parse(struct options *options, int argc, char **argv)
{
    const struct command_line line = {
            "model_loader", stderr, argc, argv, "", known};
    int option;
    *options = (struct options){
            .platform = "", .output_format = "npy", .repeat = 3};
    for (bool first = true; (option = command_line_next(&line, first)) != -1;
            first = false)
        if (option == '?' || !take(options, option, optarg, &line))
            return false;
    /* Own numbers are for pixels as they are. */
    if (options->preset == NULL)
        options->preset = options->image.has_mean || options->image.has_scale
                                  ? "raw"
                                  : "imagenet";
    image_preset(&options->image, options->preset);
    if (optind + 1 < argc)
        return command_line_complain(
                &line, "one argument too many: ", argv[optind + 1]);
    if (optind < argc) options->model = argv[optind];
    return check(options, &line);
}

void options_fini(struct options *options)
{
    free(options->shapes.values);
    free(options->inputs.values);
    free(options->outputs.values);
    options->shapes = (struct option_list){0};
    options->inputs = (struct option_list){0};
    options->outputs = (struct option_list){0};
}
