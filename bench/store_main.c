/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_store_bench: the sample stores against each other and against
 * plain files; with --scale, with more and more entries.
 */
#include "failure.h"
#include "scale.h"
#include "scale_blob.h"
#include "scratch.h"
#include "store_report.h"
#include "store_rows.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit statuses. */
enum { ALL_MET = 0, TARGET_MISSED = 1, USAGE = 2, NOT_MEASURED = 3 };

enum { MAX_REPEAT = 100000 };

struct options {
    const char *json;
    bool is_scale;
    bool only_scale; /* an option that only --scale has was given */
    struct scale_options scale;
};

static void print_help(FILE *file)
{
    fprintf(file,
            "usage: dnnl_cache_store_bench [--json FILE]\n"
            "       dnnl_cache_store_bench --scale [options]\n"
            "\n"
            "Measures the sample stores in a folder of TMPDIR and prints\n"
            "ratios beside their targets. With --scale: get of 90 KB, and put\n"
            "of 2 KB that evicts, with more and more entries, over plain\n"
            "files and over the fewest entries. How far it is goes to\n"
            "standard error.\n"
            "\n"
            "  --json FILE      writes the results there too\n"
            "  --entries N,...  numbers of entries, %d to %d (1000,3000,\n"
            "                   10000,30000,100000, which needs 6 GB of "
            "disk);\n"
            "                   all are compared with the first\n"
            "  --stores S,...   of bucket,tree,flat,pack (all)\n"
            "  --repeat N       samples of each side (1001); stores that "
            "evict\n"
            "                   in batches take as many as fill them again\n"
            "  --help           this text\n"
            "\n"
            "Exit status: 0 all targets met; 1 a target missed; 2 wrong\n"
            "usage; 3 a row, or everything, could not be measured.\n"
            "\n"
            "Rows without --scale:\n",
            scale_entries_least, scale_entries_most);
    for (size_t i = 0; i < store_row_count; i++)
        fprintf(file, "  %-18s %s\n", store_rows[i].name, store_rows[i].what);
}

/* ---- Options ------------------------------------------------------------- */

static bool parse_number(
        const char *text, size_t length, long least, long most, long *number)
{
    char *end;
    *number = strtol(text, &end, 10);
    if (length > 0 && end == text + length && *number >= least
            && *number <= most)
        return true;
    fprintf(stderr,
            "dnnl_cache_store_bench: %.*s is no number from %ld to %ld\n",
            (int)length, text, least, most);
    return false;
}

static bool parse_entries(const char *list, struct scale_options *scale)
{
    scale->entries_count = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        long number;
        if (!parse_number(list, length, scale_entries_least, scale_entries_most,
                    &number))
            return false;
        if (scale->entries_count == scale_points_most
                || (scale->entries_count > 0
                        && number <= scale->entries[scale->entries_count
                                                    - 1])) {
            fprintf(stderr,
                    "dnnl_cache_store_bench: --entries takes at most %d "
                    "numbers, each above the one before\n",
                    scale_points_most);
            return false;
        }
        scale->entries[scale->entries_count++] = (unsigned)number;
        if (list[length] == '\0') return true;
        list += length + 1;
    }
}

static bool parse_stores(const char *list, struct scale_options *scale)
{
    scale->kind_count = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        const struct store_kind *kind = store_kind_find(list, length);
        if (kind == NULL || scale->kind_count == store_kind_count) {
            fprintf(stderr,
                    "dnnl_cache_store_bench: no store %.*s, or too many\n",
                    (int)length, list);
            return false;
        }
        scale->kinds[scale->kind_count++] = kind;
        if (list[length] == '\0') return true;
        list += length + 1;
    }
}

static bool parse_repeat(const char *text, struct scale_options *scale)
{
    long number;
    if (!parse_number(text, strlen(text), 1, MAX_REPEAT, &number)) return false;
    scale->repeat = (size_t)number;
    return true;
}

static bool parse(int argc, char **argv, struct options *options, bool *help)
{
    enum { JSON = 1, SCALE, ENTRIES, STORES, REPEAT, HELP };
    static const struct option known[] = {
            {"json", required_argument, NULL, JSON},
            {"scale", no_argument, NULL, SCALE},
            {"entries", required_argument, NULL, ENTRIES},
            {"stores", required_argument, NULL, STORES},
            {"repeat", required_argument, NULL, REPEAT},
            {"help", no_argument, NULL, HELP},
            {NULL, 0, NULL, 0},
    };
    bool good = true;
    int option;
    while (good && (option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        options->only_scale |=
                option == ENTRIES || option == STORES || option == REPEAT;
        if (option == JSON)
            options->json = optarg;
        else if (option == SCALE)
            options->is_scale = true;
        else if (option == ENTRIES)
            good = parse_entries(optarg, &options->scale);
        else if (option == STORES)
            good = parse_stores(optarg, &options->scale);
        else if (option == REPEAT)
            good = parse_repeat(optarg, &options->scale);
        else if (option == HELP)
            *help = true;
        else
            good = false;
    }
    return good && optind == argc
           && (options->is_scale || !options->only_scale);
}

/* ---- Measuring ----------------------------------------------------------- */

static int status_of(const struct store_line *lines, size_t count)
{
    int status = ALL_MET;
    for (size_t i = 0; i < count; i++) {
        if (!lines[i].result.measured) return NOT_MEASURED;
        if (!store_line_is_met(&lines[i])) status = TARGET_MISSED;
    }
    return status;
}

static int finish(const char *json, const struct store_line *lines,
        size_t count, const char *folder)
{
    if (json == NULL || store_report_json(json, lines, count, folder))
        return status_of(lines, count);
    fprintf(stderr, "dnnl_cache_store_bench: %s\n", failure_text());
    return NOT_MEASURED;
}

static int measure_scale(const struct options *options, const char *folder)
{
    const size_t count = scale_line_count(&options->scale);
    struct store_line *lines = calloc(count, sizeof *lines);
    if (lines == NULL) return NOT_MEASURED;
    store_report_head();
    scale_measure(lines, &options->scale, folder);
    const int status = finish(options->json, lines, count, folder);
    free(lines);
    return status;
}

static int measure_rows(const struct options *options, const char *folder)
{
    struct store_bench *bench = NULL;
    struct store_line *lines = calloc(store_row_count, sizeof *lines);
    int status = NOT_MEASURED;
    if (lines == NULL) return NOT_MEASURED;
    if (store_bench_open(&bench, folder)) {
        store_report_head();
        for (size_t i = 0; i < store_row_count; i++) {
            store_row_measure(&lines[i], &store_rows[i], bench);
            store_report_line(&lines[i]);
        }
        status = finish(options->json, lines, store_row_count, folder);
    } else {
        fprintf(stderr, "dnnl_cache_store_bench: %s\n", failure_text());
    }
    store_bench_close(bench);
    free(lines);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {.scale = scale_options_default()};
    char folder[4096];
    bool help = false;
    if (!parse(argc, argv, &options, &help)) {
        fprintf(stderr, "try dnnl_cache_store_bench --help\n");
        return USAGE;
    }
    if (help) {
        print_help(stdout);
        return ALL_MET;
    }
    if (!scratch_create(folder, sizeof folder)) {
        fprintf(stderr, "dnnl_cache_store_bench: %s\n", failure_text());
        return NOT_MEASURED;
    }
    const int status =
            (options.is_scale ? measure_scale : measure_rows)(&options, folder);
    scratch_remove(folder);
    return status;
}
