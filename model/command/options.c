/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/options.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "src/platform/owner.h"
#include "tools/common/text/command_line.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
        "usage: model_loader MODEL.onnx [--store DIR] [OPTION ...]\n"
        "       model_loader MODEL.onnx --list [--json FILE]\n"
        "       model_loader --list-devices\n"
        "\n"
        "Run an ONNX model on an OpenCL device. The first start compiles and\n"
        "stores programs, later starts load them.\n"
        "\n"
        "The model:\n"
        "  --list                print the model's inputs and outputs, and "
        "run\n"
        "                        nothing\n"
        "  --shape NAME=1x3x4    the shape of an input; needed for dimensions\n"
        "                        that the model leaves open. NAME=1 may also\n"
        "                        name such a dimension, of all inputs\n"
        "  --constant NAME=VALUE give an input one value for all runs, which\n"
        "                        also chooses a branch that depends on it\n"
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
        "                        (default: dnnl_cache_models in "
        "XDG_CACHE_HOME,\n"
        "                        or in .cache of HOME)\n"
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

enum { most_number = 1048576 };

static bool parse_int(const char *text, int *number)
{
    uint64_t value;
    if (!option_value_number(&value, text, most_number)) return false;
    *number = (int)value;
    return true;
}

static bool parse_weights(void *user, const char *text)
{
    static const char random[] = "random:";
    struct options *options = user;
    if (strncmp(text, random, sizeof random - 1) != 0) {
        options->weights = text;
        return true;
    }
    options->is_random = true;
    return option_value_number(
            &options->seed, text + sizeof random - 1, UINT64_MAX);
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

static bool parse_resize(void *options, const char *text)
{
    struct image_options *image = &((struct options *)options)->image;
    if (parse_size(text, &image->resize_width, &image->resize_height))
        return true;
    image->resize_width = 0;
    return parse_int(text, &image->resize_height) && image->resize_height > 0
           && image->resize_height <= image_max_side;
}

static bool parse_crop(void *options, const char *text)
{
    struct image_options *image = &((struct options *)options)->image;
    return parse_size(text, &image->crop_width, &image->crop_height);
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

static bool parse_mean(void *options, const char *text)
{
    struct image_options *image = &((struct options *)options)->image;
    image->has_mean = true;
    return parse_channels(text, image->mean);
}

static bool parse_scale(void *options, const char *text)
{
    struct image_options *image = &((struct options *)options)->image;
    image->has_scale = true;
    return parse_channels(text, image->scale);
}

static bool parse_layout(void *options, const char *text)
{
    struct image_options *image = &((struct options *)options)->image;
    image->layout = strcmp(text, "nchw") == 0   ? image_layout_nchw
                    : strcmp(text, "nhwc") == 0 ? image_layout_nhwc
                                                : image_layout_any;
    return image->layout != image_layout_any;
}

static bool parse_preset(void *options, const char *text)
{
    ((struct options *)options)->preset = text;
    return image_preset(&(struct image_options){0}, text);
}

static bool parse_duration(void *options, const char *text)
{
    double *seconds = &((struct options *)options)->duration;
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds > 0.0 && *seconds <= 86400.0;
}

static bool parse_format(void *options, const char *text)
{
    ((struct options *)options)->output_format = text;
    return strcmp(text, "npy") == 0 || strcmp(text, "pb") == 0
           || strcmp(text, "raw") == 0;
}

/* ---- Options ------------------------------------------------------------- */

#define TO(name, what)                                            \
    {                                                             \
        .takes = (what), .member = offsetof(struct options, name) \
    }
#define FLAG(name) NULL, TO(name, takes_nothing)
#define TEXT(name) "an empty value", TO(name, takes_text)
#define LIST(name) "out of memory", TO(name, takes_list)
#define NUMBER(name)                                \
    "no number from 0 to 1048576: ",                \
    {                                               \
        .takes = takes_number, .most = most_number, \
        .member = offsetof(struct options, name)    \
    }
#define OTHER(function)                           \
    {                                             \
        .takes = takes_other, .parse = (function) \
    }

static const struct {
    const char *name;
    const char *wrong; /* a value that it does not take */
    struct option_value to;
} table[] = {
        {"store", TEXT(store)},
        {"remote", TEXT(remote)},
        {"platform", TEXT(platform)},
        {"device", TEXT(device)},
        {"shape", LIST(shapes)},
        {"input", LIST(inputs)},
        {"constant", LIST(constants)},
        {"weights", "no seed: ", OTHER(parse_weights)},
        {"output", LIST(outputs)},
        {"output-dir", TEXT(output_dir)},
        {"output-format", "neither npy, pb nor raw: ", OTHER(parse_format)},
        {"preset", "no preset: ", OTHER(parse_preset)},
        {"resize", "neither WIDTHxHEIGHT nor N: ", OTHER(parse_resize)},
        {"crop", "no WIDTHxHEIGHT: ", OTHER(parse_crop)},
        {"mean", "no R,G,B: ", OTHER(parse_mean)},
        {"scale", "no R,G,B: ", OTHER(parse_scale)},
        {"layout", "neither nchw nor nhwc: ", OTHER(parse_layout)},
        {"top", NUMBER(top)},
        {"labels", TEXT(labels)},
        {"expect", TEXT(expect)},
        {"json", TEXT(json)},
        {"dump", TEXT(dump)},
        {"repeat", NUMBER(repeat)},
        {"warm-up", NUMBER(warm_up)},
        {"duration",
                "no number of seconds up to 86400: ", OTHER(parse_duration)},
        {"threads", NUMBER(threads)},
        {"record", TEXT(record)},
        {"prepare", FLAG(prepare)},
        {"cached-only", FLAG(cached_only)},
        {"profile", FLAG(profile)},
        {"list", FLAG(list)},
        {"list-devices", FLAG(list_devices)},
        {"version", FLAG(version)},
        {"help", FLAG(help)},
};

enum { option_count = sizeof table / sizeof *table };

_Static_assert(option_count < ':', "codes beside those of a wrong option");

static bool take(struct options *options, size_t i, const char *value,
        const struct command_line *line)
{
    char what[96];
    if (option_value_take(&table[i].to, options, value)) return true;
    (void)snprintf(
            what, sizeof what, "--%s: %s", table[i].name, table[i].wrong);
    return command_line_complain(
            line, what, table[i].to.takes == takes_list ? "" : value);
}

/* Another user would be shut out of folders that this one makes there. */
static bool is_own_folder(const char *path)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, path) == 0 && file_is_own(&facts);
}

/* The same of one that is made, with those above it, if it is not there. */
static bool may_be_own_folder(const char *path)
{
    struct file_facts facts;
    uint32_t owner;
    return file_facts_at(&facts, file_here, path) == ENOENT
                   ? !owner_nearest_is_another(path, &owner)
                   : is_own_folder(path);
}

static bool is_absolute(const char *path)
{
    return path != NULL && path[0] == '/';
}

/* In $XDG_CACHE_HOME or $HOME/.cache; false: neither is this user's. */
static bool find_store(char path[path_size])
{
    const char *cache = environment_get("XDG_CACHE_HOME");
    const char *home = environment_get("HOME");
    char own[path_size];
    int size = -1;
    if (is_absolute(cache) && may_be_own_folder(cache)) {
        size = snprintf(path, path_size, "%s/dnnl_cache_models", cache);
    } else if (is_absolute(home) && is_own_folder(home)
               && snprintf(own, sizeof own, "%s/.cache", home) < path_size
               && may_be_own_folder(own)) {
        size = snprintf(path, path_size, "%s/.cache/dnnl_cache_models", home);
    }
    return size >= 0 && size < path_size;
}

/* The store that nobody has chosen. False: there is no place for one. */
static bool choose_store(struct options *options)
{
    static char path[path_size];
    if (!find_store(path)) return false;
    options->store = path;
    options->is_default_store = true;
    return true;
}

/* ---- Constants ----------------------------------------------------------- */

bool options_constant(const char *text, size_t *name_size, double *value)
{
    const char *equals = strrchr(text, '=');
    char *end;
    if (equals == NULL || equals == text || equals[1] == '\0') return false;
    *name_size = (size_t)(equals - text);
    *value = strtod(equals + 1, &end);
    return *end == '\0' && isfinite(*value);
}

static bool have_one_name(const char *a, const char *b)
{
    const size_t size = (size_t)(strrchr(a, '=') - a);
    return size == (size_t)(strrchr(b, '=') - b) && memcmp(a, b, size) == 0;
}

static bool check_constants(
        const struct option_list *list, const struct command_line *line)
{
    size_t size;
    double value;
    for (int i = 0; i < list->count; i++) {
        if (!options_constant(list->values[i], &size, &value))
            return command_line_complain(line,
                    "--constant takes NAME=VALUE with a number: ",
                    list->values[i]);
        for (int k = 0; k < i; k++)
            if (have_one_name(list->values[i], list->values[k]))
                return command_line_complain(line,
                        "--constant gives that input a second value: ",
                        list->values[i]);
    }
    return true;
}

static bool check(struct options *options, const struct command_line *line)
{
    if (options->help || options->version || options->list_devices) return true;
    if (options->model == NULL)
        return command_line_complain(line, "missing: MODEL.onnx", "");
    if (options->top > 0 && options->prepare)
        return command_line_complain(line, "--prepare gives no results", "");
    if (options->labels != NULL && options->top == 0) options->top = 5;
    if (!check_constants(&options->constants, line)) return false;
    return options->store != NULL || options->list || choose_store(options)
           || command_line_complain(line,
                   "--store is missing, and neither XDG_CACHE_HOME nor HOME "
                   "is a folder of this user",
                   "");
}

bool options_parse(struct options *options, int argc, char **argv)
{
    struct option known[option_count + 1] = {{NULL, 0, NULL, 0}};
    const struct command_line line = {
            "model_loader", stderr, argc, argv, "", known};
    int option;
    for (int i = 0; i < option_count; i++)
        known[i] = (struct option){
                table[i].name, table[i].to.takes != takes_nothing, NULL, i};
    *options = (struct options){
            .platform = "", .output_format = "npy", .repeat = 3};
    for (bool first = true; (option = command_line_next(&line, first)) != -1;
            first = false)
        if (option == '?' || !take(options, (size_t)option, optarg, &line))
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
    free(options->constants.values);
    free(options->inputs.values);
    free(options->outputs.values);
    options->shapes = (struct option_list){0};
    options->constants = (struct option_list){0};
    options->inputs = (struct option_list){0};
    options->outputs = (struct option_list){0};
}
