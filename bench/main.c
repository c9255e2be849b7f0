/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_bench: the rows of targets.h, as ratios measured in one run.
 */
#include "child.h"
#include "failure.h"
#include "report.h"
#include "scratch.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPEAT = 100000 };

/* Exit statuses. */
enum { ALL_MET = 0, TARGET_MISSED = 1, USAGE = 2, NOT_MEASURED = 3 };

struct options {
    const char *platform;
    const char *json;
    size_t repeat;
    const struct row *wanted[ROW_COUNT];
    size_t wanted_count;
};

static void print_help(FILE *file)
{
    fprintf(file,
            "usage: dnnl_cache_bench [options]\n"
            "\n"
            "Measures this library against the driver alone and against\n"
            "oneDNN, in one run, and prints ratios beside their targets.\n"
            "\n"
            "  --platform TEXT  the first device of a platform whose name\n"
            "                   contains TEXT (default: of any platform)\n"
            "  --rows ROW,...   only these rows\n"
            "  --repeat N       exactly N samples a row, instead of as many\n"
            "                   as it takes to tell\n"
            "  --json FILE      writes the results there too\n"
            "  --help           this text\n"
            "\n"
            "Exit status: 0 all targets met; 1 a target missed; 2 wrong\n"
            "usage; 3 a row, or everything, could not be measured.\n"
            "\n"
            "Rows:\n");
    for (size_t i = 0; i < ROW_COUNT; i++)
        fprintf(file, "  %-26s %s\n", rows[i].name, rows[i].what);
}

/* ---- Options ------------------------------------------------------------- */

static const struct row *find_row(const char *name, size_t length)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strlen(rows[i].name) == length
                && strncmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

static bool parse_rows(const char *list, struct options *options)
{
    options->wanted_count = 0;
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        const struct row *row = find_row(list, length);
        if (row == NULL || options->wanted_count == ROW_COUNT) {
            fprintf(stderr, "dnnl_cache_bench: no row %.*s, or too many rows\n",
                    (int)length, list);
            return false;
        }
        options->wanted[options->wanted_count++] = row;
        list += length + (list[length] == ',');
    }
    return options->wanted_count > 0;
}

static bool parse_repeat(const char *text, size_t *repeat)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > MAX_REPEAT) {
        fprintf(stderr, "dnnl_cache_bench: --repeat takes 1 to %d\n",
                MAX_REPEAT);
        return false;
    }
    *repeat = (size_t)value;
    return true;
}

static bool parse(int argc, char **argv, struct options *options, bool *help)
{
    enum { PLATFORM = 1, JSON, ROWS, REPEAT, HELP };
    static const struct option known[] = {
            {"platform", required_argument, NULL, PLATFORM},
            {"json", required_argument, NULL, JSON},
            {"rows", required_argument, NULL, ROWS},
            {"repeat", required_argument, NULL, REPEAT},
            {"help", no_argument, NULL, HELP},
            {NULL, 0, NULL, 0},
    };
    bool good = true;
    int option;
    for (size_t i = 0; i < ROW_COUNT; i++)
        options->wanted[options->wanted_count++] = &rows[i];
    while (good && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == PLATFORM)
            options->platform = optarg;
        else if (option == JSON)
            options->json = optarg;
        else if (option == ROWS)
            good = parse_rows(optarg, options);
        else if (option == REPEAT)
            good = parse_repeat(optarg, &options->repeat);
        else if (option == HELP)
            *help = true;
        else
            good = false;
    }
    return good && optind == argc;
}

/* ---- Measuring ----------------------------------------------------------- */

/* The library's messages beside ours, on standard error. */
static void log_line(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info)
        fprintf(stderr, "dnnl_cache_bench: %s\n", text);
}

static int measure_rows(struct bench *bench, const struct options *options)
{
    static struct entry entries[ROW_COUNT];
    int status = ALL_MET;
    report_head(bench);
    for (size_t i = 0; i < options->wanted_count; i++) {
        struct entry *entry = &entries[i];
        entry->row = options->wanted[i];
        row_measure(bench, entry->row, &entry->result);
        report_entry(entry);
        if (!entry->result.measured)
            status = NOT_MEASURED;
        else if (!entry_is_met(entry) && status == ALL_MET)
            status = TARGET_MISSED;
    }
    if (options->json != NULL
            && !report_json(
                    options->json, bench, entries, options->wanted_count)) {
        fprintf(stderr, "dnnl_cache_bench: %s\n", failure_text());
        status = NOT_MEASURED;
    }
    return status;
}

static int run(const struct options *options)
{
    static struct bench bench;
    int status = NOT_MEASURED;
    bench.platform = options->platform;
    bench.repeat = options->repeat;
    if (!scratch_create(bench.dir, sizeof bench.dir)) {
        fprintf(stderr, "dnnl_cache_bench: %s\n", failure_text());
        return NOT_MEASURED;
    }
    if (environment_prepare(bench.dir)
            && device_find(bench.platform, &bench.device))
        status = measure_rows(&bench, options);
    else
        fprintf(stderr, "dnnl_cache_bench: %s\n", failure_text());
    bench_fini(&bench);
    scratch_remove(bench.dir);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.platform = NULL};
    bool help = false;
    dnnl_cache_set_log_callback(log_line, NULL);
    if (child_is_meant(argc, argv)) return child_main(argv);
    if (!parse(argc, argv, &options, &help)) {
        fprintf(stderr, "try dnnl_cache_bench --help\n");
        return USAGE;
    }
    if (help) {
        print_help(stdout);
        return ALL_MET;
    }
    return run(&options);
}
