/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_store_bench: the sample stores against each other and against
 * plain files.
 */
#include "failure.h"
#include "scratch.h"
#include "store_rows.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit statuses. */
enum { ALL_MET = 0, TARGET_MISSED = 1, USAGE = 2, NOT_MEASURED = 3 };

static void print_help(FILE *file)
{
    fprintf(file,
            "usage: dnnl_cache_store_bench [--json FILE]\n"
            "\n"
            "Measures the sample stores in a folder of TMPDIR and prints\n"
            "ratios beside their targets; with --json, there too.\n"
            "\n"
            "Exit status: 0 all targets met; 1 a target missed; 2 wrong\n"
            "usage; 3 a row, or everything, could not be measured.\n"
            "\n"
            "Rows:\n");
    for (size_t i = 0; i < store_row_count; i++)
        fprintf(file, "  %-18s %s\n", store_rows[i].name, store_rows[i].what);
}

static bool is_met(const struct store_row *row, const struct result *result)
{
    return result->measured && result->ratio <= row->target;
}

static void print_row(const struct store_row *row, const struct result *r)
{
    if (r->measured)
        printf("%-18s %10.1f us %10.1f us %8.3f %8g %s\n", row->name,
                r->ours / 1e3, r->reference / 1e3, r->ratio, row->target,
                is_met(row, r) ? "" : "missed");
    else
        printf("%-18s not measured: %s\n", row->name, r->reason);
    fflush(stdout);
}

static bool write_json(const char *path, const struct result *results)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fprintf(file, "[\n");
    for (size_t i = 0; i < store_row_count; i++) {
        const struct store_row *row = &store_rows[i];
        const struct result *r = &results[i];
        fprintf(file, "  {\"row\": \"%s\", \"unit\": \"ns\", ", row->name);
        if (r->measured)
            fprintf(file,
                    "\"ours\": %.1f, \"reference\": %.1f, \"ratio\": %.6g, ",
                    r->ours, r->reference, r->ratio);
        else
            fprintf(file, "\"ours\": null, \"reference\": null, "
                          "\"ratio\": null, ");
        fprintf(file,
                "\"target\": %g, \"met\": %s, \"samples\": %zu,\n"
                "   \"what\": \"%s\"}%s\n",
                row->target, is_met(row, r) ? "true" : "false", r->samples,
                row->what, i + 1 < store_row_count ? "," : "");
    }
    fprintf(file, "]\n");
    const bool done = ferror(file) == 0;
    return fclose(file) == 0 && done;
}

static int measure_all(struct store_bench *bench, const char *json)
{
    struct result *results = calloc(store_row_count, sizeof *results);
    const struct effort effort = {201, 2001};
    int status = ALL_MET;
    if (results == NULL) return NOT_MEASURED;
    printf("%-18s %13s %13s %8s %8s\n", "row", "ours", "reference", "ratio",
            "target");
    for (size_t i = 0; i < store_row_count; i++) {
        const struct store_row *row = &store_rows[i];
        struct result *r = &results[i];
        r->measured = measure_pairs((struct side){row->ours, bench},
                (struct side){row->reference, bench}, effort, row->target,
                row->name, r);
        if (!r->measured) {
            snprintf(r->reason, sizeof r->reason, "%s", failure_text());
            status = NOT_MEASURED;
        }
        print_row(row, r);
        if (!is_met(row, r) && status == ALL_MET) status = TARGET_MISSED;
    }
    if (json != NULL && !write_json(json, results)) {
        fprintf(stderr, "dnnl_cache_store_bench: %s cannot be written\n", json);
        status = NOT_MEASURED;
    }
    free(results);
    return status;
}

int main(int argc, char **argv)
{
    enum { JSON = 1, HELP };
    static const struct option known[] = {
            {"json", required_argument, NULL, JSON},
            {"help", no_argument, NULL, HELP},
            {NULL, 0, NULL, 0},
    };
    const char *json = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == JSON) {
            json = optarg;
        } else {
            print_help(option == HELP ? stdout : stderr);
            return option == HELP ? 0 : USAGE;
        }
    }
    if (optind != argc) {
        print_help(stderr);
        return USAGE;
    }
    char folder[4096];
    struct store_bench *bench = NULL;
    int status = NOT_MEASURED;
    if (!scratch_create(folder, sizeof folder)) {
        fprintf(stderr, "dnnl_cache_store_bench: %s\n", failure_text());
        return NOT_MEASURED;
    }
    if (store_bench_open(&bench, folder))
        status = measure_all(bench, json);
    else
        fprintf(stderr, "dnnl_cache_store_bench: %s\n", failure_text());
    store_bench_close(bench);
    scratch_remove(folder);
    return status;
}
