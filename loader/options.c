/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_print_help(void)
{
    fputs("usage: model_loader MODEL.onnx --store DIR [OPTION ...]\n"
          "\n"
          "Run an ONNX model on an OpenCL device. The first start compiles "
          "and\n"
          "stores programs in DIR, later starts load them.\n"
          "\n"
          "  --store DIR           directory for programs; created if missing\n"
          "  --remote URL          a store on a server, asked last, such as\n"
          "                        redis://HOST?key_file=FILE\n"
          "  --input FILE|ramp     an input of the model: a TensorProto, or a\n"
          "                        ramp whose element i of n is i / n (the\n"
          "                        default); once for each input, in order\n"
          "  --weights FILE        read the weights from this model\n"
          "  --weights random:SEED generate the weights\n"
          "  --output FILE         write the first result as a TensorProto\n"
          "  --expect FILE         compare the first result with a "
          "TensorProto\n"
          "  --platform TEXT       use a platform with TEXT in its name\n"
          "  --repeat N            runs after the first one (default 3)\n"
          "  --threads N           threads to compile and load with (default:\n"
          "                        the number of processors)\n"
          "  --cached-only         fail if something has to be compiled\n"
          "  --prepare             fill the store for the model, and run "
          "nothing\n"
          "  --record FILE         add what the model compiles to a record, "
          "for\n"
          "                        dnnl-cache replay\n"
          "  --json FILE           write the measured times\n"
          "  --dump FOLDER         run once more, and write the result of "
          "each\n"
          "                        layer as a TensorProto\n"
          "  --help                show this help\n"
          "\n"
          "Exit status: 0 success; 1 the model, the library or the driver "
          "failed;\n"
          "2 usage error; 3 wrong results; 4 results could not be written, to\n"
          "a file or to standard output.\n",
            stdout);
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

static bool add_input(struct options *options, const char *text)
{
    const char **inputs = realloc(options->inputs,
            (size_t)(options->input_count + 1) * sizeof *inputs);
    if (inputs == NULL) return false;
    options->inputs = inputs;
    inputs[options->input_count++] = text;
    return true;
}

/* ---- Options ------------------------------------------------------------- */

enum {
    option_store = 1,
    option_remote,
    option_platform,
    option_input,
    option_weights,
    option_output,
    option_expect,
    option_json,
    option_dump,
    option_repeat,
    option_threads,
    option_worker,
    option_cached_only,
    option_record,
    option_prepare,
    option_help
};

static const struct option known[] = {
        {"store", required_argument, NULL, option_store},
        {"remote", required_argument, NULL, option_remote},
        {"platform", required_argument, NULL, option_platform},
        {"input", required_argument, NULL, option_input},
        {"weights", required_argument, NULL, option_weights},
        {"output", required_argument, NULL, option_output},
        {"expect", required_argument, NULL, option_expect},
        {"json", required_argument, NULL, option_json},
        {"dump", required_argument, NULL, option_dump},
        {"repeat", required_argument, NULL, option_repeat},
        {"threads", required_argument, NULL, option_threads},
        {"worker", required_argument, NULL, option_worker},
        {"record", required_argument, NULL, option_record},
        {"prepare", no_argument, NULL, option_prepare},
        {"cached-only", no_argument, NULL, option_cached_only},
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
    case option_output:
        return &options->output;
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

static bool take(struct options *options, int option, const char *value,
        const struct command_line *line)
{
    const char **text = find_text(options, option);
    if (text != NULL) *text = value;
    if (text != NULL)
        return value[0] != '\0'
               || command_line_complain(line, "an empty value", "");
    if (option == option_help) return options->help = true;
    if (option == option_cached_only) return options->cached_only = true;
    if (option == option_prepare) return options->prepare = true;
    if (option == option_weights)
        return parse_weights(options, value)
               || command_line_complain(line, "no seed: ", value);
    if (option == option_input)
        return add_input(options, value)
               || command_line_complain(line, "out of memory", "");
    return parse_int(value, option == option_repeat    ? &options->repeat
                            : option == option_threads ? &options->threads
                                                       : &options->worker)
           || command_line_complain(
                   line, "no number from 0 to 1048576: ", value);
}

bool options_parse(struct options *options, int argc, char **argv)
{
    const struct command_line line = {
            "model_loader", stderr, argc, argv, "", known};
    int option;
    *options = (struct options){.platform = "",
            .repeat = 3,
            .worker = -1,
            .argc = argc,
            .argv = argv};
    for (bool first = true; (option = command_line_next(&line, first)) != -1;
            first = false)
        if (option == '?' || !take(options, option, optarg, &line))
            return false;
    if (options->help) return true;
    if (optind == argc)
        return command_line_complain(&line, "missing: MODEL.onnx", "");
    if (optind + 1 < argc)
        return command_line_complain(
                &line, "one argument too many: ", argv[optind + 1]);
    options->model = argv[optind];
    return options->store != NULL
           || command_line_complain(&line, "--store is missing", "");
}

void options_fini(struct options *options)
{
    free(options->inputs);
    options->inputs = NULL;
}
