/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

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

static bool complain(const char *what, const char *argument)
{
    fprintf(stderr, "model_loader: %s%s (--help tells more)\n", what, argument);
    return false;
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

/* Where the text of an option goes; NULL if it has no text of its own. */
static const char **find_text(struct options *options, const char *name)
{
    const struct {
        const char *name;
        const char **text;
    } all[] = {{"--store", &options->store}, {"--platform", &options->platform},
            {"--output", &options->output}, {"--expect", &options->expect},
            {"--json", &options->json}, {"--dump", &options->dump}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0) return all[i].text;
    return NULL;
}

static int *find_int(struct options *options, const char *name)
{
    if (strcmp(name, "--repeat") == 0) return &options->repeat;
    if (strcmp(name, "--threads") == 0) return &options->threads;
    if (strcmp(name, "--worker") == 0) return &options->worker;
    return NULL;
}

static bool parse_value(
        struct options *options, const char *name, const char *value)
{
    const char **text = find_text(options, name);
    int *number = find_int(options, name);
    if (text != NULL) {
        *text = value;
        return true;
    }
    if (number != NULL)
        return parse_int(value, number)
               || complain("no number from 0 to 1048576: ", value);
    if (strcmp(name, "--weights") == 0)
        return parse_weights(options, value) || complain("no seed: ", value);
    if (strcmp(name, "--input") == 0)
        return add_input(options, value) || complain("out of memory", "");
    return complain("no such option: ", name);
}

static bool *find_flag(struct options *options, const char *name)
{
    if (strcmp(name, "--help") == 0) return &options->help;
    if (strcmp(name, "--cached-only") == 0) return &options->cached_only;
    return NULL;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){.platform = "",
            .repeat = 3,
            .worker = -1,
            .argc = argc,
            .argv = argv};
    for (int i = 1; i < argc; i++) {
        bool *flag = find_flag(options, argv[i]);
        if (flag != NULL) {
            *flag = true;
        } else if (argv[i][0] != '-') {
            if (options->model != NULL)
                return complain("one argument too many: ", argv[i]);
            options->model = argv[i];
        } else if (i + 1 == argc || argv[i + 1][0] == '\0'
                   || strncmp(argv[i + 1], "--", 2) == 0) {
            return complain("no value for ", argv[i]);
        } else {
            if (!parse_value(options, argv[i], argv[i + 1])) return false;
            i++;
        }
    }
    if (options->help) return true;
    if (options->model == NULL) return complain("missing: MODEL.onnx", "");
    if (options->store == NULL) return complain("--store is missing", "");
    return true;
}

void options_fini(struct options *options)
{
    free(options->inputs);
    options->inputs = NULL;
}
