/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_layer_bench: what the OpenCL layer saves an application that knows
 * nothing of it, and what it costs.
 */
#include "failure.h"
#include "layer_process.h"
#include "layer_report.h"
#include "scratch.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit statuses. */
enum { ALL_MET = 0, TARGET_MISSED = 1, USAGE = 2, NOT_MEASURED = 3 };

enum { MAX_REPEAT = 101 };

struct options {
    const char *json;
    const char *rows; /* NULL: all */
    struct layer_bench bench;
};

static void print_help(FILE *file)
{
    fprintf(file,
            "usage: dnnl_cache_layer_bench [options]\n"
            "\n"
            "Measures the OpenCL layer in processes of its own, taken in "
            "turns\n"
            "with ones that run without it, and prints ratios beside their\n"
            "targets. How far it is goes to standard error.\n"
            "\n"
            "  --platform TEXT  a part of the platform's name (any)\n"
            "  --layer FILE     the layer (that of the build)\n"
            "  --rows R,...     only these rows\n"
            "  --repeat N       so many samples of each row, at most %d\n"
            "  --json FILE      writes the results there too\n"
            "  --help           this text\n"
            "\n"
            "Exit status: 0 all targets met; 1 a target missed; 2 wrong\n"
            "usage; 3 a row, or everything, could not be measured.\n"
            "\n"
            "Rows:\n",
            MAX_REPEAT);
    for (size_t i = 0; i < LAYER_ROW_COUNT; i++)
        fprintf(file, "  %-20s %s\n", layer_rows[i].name, layer_rows[i].what);
}

/* ---- Options ------------------------------------------------------------- */

static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) == 0
                && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Every name of the list is that of a row. */
static bool check_rows(const char *list)
{
    size_t wanted = 1, found = 0;
    for (const char *at = list; *at != '\0'; at++)
        wanted += *at == ',';
    for (size_t i = 0; i < LAYER_ROW_COUNT; i++)
        found += is_listed(list, layer_rows[i].name);
    if (found != wanted)
        fprintf(stderr, "dnnl_cache_layer_bench: no such rows: %s\n", list);
    return found == wanted;
}

static bool parse_repeat(const char *text, size_t *repeat)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 1 || number > MAX_REPEAT) {
        fprintf(stderr,
                "dnnl_cache_layer_bench: %s is no number from 1 to %d\n", text,
                MAX_REPEAT);
        return false;
    }
    *repeat = (size_t)number;
    return true;
}

static bool parse(int argc, char **argv, struct options *options, bool *help)
{
    enum { PLATFORM = 1, LAYER_FILE, ROWS, REPEAT, JSON, HELP };
    static const struct option known[] = {
            {"platform", required_argument, NULL, PLATFORM},
            {"layer", required_argument, NULL, LAYER_FILE},
            {"rows", required_argument, NULL, ROWS},
            {"repeat", required_argument, NULL, REPEAT},
            {"json", required_argument, NULL, JSON},
            {"help", no_argument, NULL, HELP},
            {NULL, 0, NULL, 0},
    };
    bool good = true;
    int option;
    while (good && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == PLATFORM)
            options->bench.platform = optarg;
        else if (option == LAYER_FILE)
            options->bench.layer = optarg;
        else if (option == ROWS)
            good = check_rows(options->rows = optarg);
        else if (option == REPEAT)
            good = parse_repeat(optarg, &options->bench.repeat);
        else if (option == JSON)
            options->json = optarg;
        else if (option == HELP)
            *help = true;
        else
            good = false;
    }
    return good && optind == argc;
}

/* ---- Measuring ----------------------------------------------------------- */

static int status_of(const struct layer_entry *entries, size_t count)
{
    int status = ALL_MET;
    for (size_t i = 0; i < count; i++) {
        if (!entries[i].result.measured) return NOT_MEASURED;
        if (!layer_entry_is_met(&entries[i])) status = TARGET_MISSED;
    }
    return status;
}

static int measure(struct options *options, const struct device *device)
{
    struct layer_entry entries[LAYER_ROW_COUNT];
    size_t count = 0;
    layer_report_head(device);
    for (size_t i = 0; i < LAYER_ROW_COUNT; i++) {
        const struct layer_row *row = &layer_rows[i];
        if (options->rows != NULL && !is_listed(options->rows, row->name))
            continue;
        entries[count].row = row;
        layer_row_measure(&options->bench, row, &entries[count].result);
        layer_report_entry(&entries[count++]);
    }
    if (options->json == NULL
            || layer_report_json(options->json, device, entries, count))
        return status_of(entries, count);
    fprintf(stderr, "dnnl_cache_layer_bench: %s\n", failure_text());
    return NOT_MEASURED;
}

int main(int argc, char **argv)
{
    struct options options = {.bench = {.layer = LAYER}};
    struct device device;
    bool help = false;
    if (layer_process_is_meant(argc, argv)) return layer_process_main(argv);
    if (!parse(argc, argv, &options, &help)) {
        fprintf(stderr, "try dnnl_cache_layer_bench --help\n");
        return USAGE;
    }
    if (help) {
        print_help(stdout);
        return ALL_MET;
    }
    unsetenv("OPENCL_LAYERS");
    if (!device_find(options.bench.platform, &device)
            || !scratch_create(
                    options.bench.folder, sizeof options.bench.folder)) {
        fprintf(stderr, "dnnl_cache_layer_bench: %s\n", failure_text());
        return NOT_MEASURED;
    }
    const int status = measure(&options, &device);
    scratch_remove(options.bench.folder);
    return status;
}
