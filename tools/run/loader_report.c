/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/loader_report.h"

#include <stdlib.h>
#include <string.h>

struct loader_report *loader_report_make(const char *command, const char *layer)
{
    struct loader_report *report = calloc(1, sizeof *report);
    if (report == NULL) return NULL;
    struct command_loaders *found = &report->found;
    command_loaders_find(found, command);
    loader_probe(&report->program,
            found->program[0] != '\0' ? found->program : NULL, layer,
            probe_variable);
    for (size_t i = 0; i < found->package_count; i++)
        loader_probe(&report->packages[i], found->packages[i], layer,
                probe_variable);
    return report;
}

const char *loader_report_text(
        const struct loader_probe *probe, char text[], size_t capacity)
{
    static const char *const entries[] = {
            [layer_entry_none] = "",
            [layer_entry_plain] = " by clInitLayer",
            [layer_entry_with_properties] = " by clInitLayerWithProperties",
    };
    switch (probe->result) {
    case probe_taken:
        (void)snprintf(text, capacity, "takes the layer in%s",
                (size_t)probe->entry < sizeof entries / sizeof *entries
                        ? entries[probe->entry]
                        : "");
        break;
    case probe_ignored:
        (void)snprintf(text, capacity, "ignores the layer");
        break;
    case probe_no_loader:
        (void)snprintf(text, capacity, "is not there: %s", probe->why);
        break;
    case probe_broken:
        (void)snprintf(text, capacity, "cannot be used: %s", probe->why);
        break;
    case probe_no_answer:
        (void)snprintf(text, capacity, "cannot be tried: %s", probe->why);
        break;
    }
    return text;
}

/* A loader of the system's that takes the layer in; false: there is none. */
static bool find_good(char path[path_size], const char *layer)
{
    static const char *const places[] = {"/usr/lib/" DNNL_CACHE_MULTIARCH
                                         "/libOpenCL.so.1",
            "/usr/lib64/libOpenCL.so.1", "/usr/lib/libOpenCL.so.1"};
    struct loader_probe probe;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        loader_probe(&probe, places[i], layer, probe_variable);
        if (probe.result != probe_taken) continue;
        (void)snprintf(path, path_size, "%s", probe.path);
        return true;
    }
    return false;
}

static void print_remedy(FILE *out, const char *layer)
{
    char path[path_size];
    if (find_good(path, layer))
        fprintf(out, "set LD_PRELOAD=%s", path);
    else
        fputs("install a loader that supports layers (Debian's "
              "ocl-icd-libopencl1 or Khronos' OpenCL-ICD-Loader)",
                out);
    fputs("; see \"Loaders\" in docs/reference/layer.md\n", out);
}

static void print_unserved(FILE *out, const struct loader_probe *probe,
        const char *whose, const char *layer)
{
    char text[path_size + 128];
    if (probe->result == probe_no_loader) {
        fprintf(out,
                "dnnl-cache-run: warning: nothing will be kept: %s finds no "
                "loader of OpenCL (%s); ",
                whose, probe->why);
    } else {
        fprintf(out,
                "dnnl-cache-run: warning: %s will be kept: the loader %s of %s "
                "%s; ",
                probe->result == probe_ignored ? "nothing" : "perhaps nothing",
                probe->path[0] != '\0' ? probe->path : "libOpenCL.so.1", whose,
                loader_report_text(probe, text, sizeof text));
    }
    print_remedy(out, layer);
}

static void print_one(FILE *out, const struct loader_probe *probe,
        const char *whose, const char *layer, bool is_verbose)
{
    char text[path_size + 128];
    if (probe->result != probe_taken)
        print_unserved(out, probe, whose, layer);
    else if (is_verbose)
        fprintf(out, "dnnl-cache-run: the loader %s of %s %s\n", probe->path,
                whose, loader_report_text(probe, text, sizeof text));
}

void loader_report_print(FILE *out, const struct loader_report *report,
        const char *command, const char *layer, bool is_verbose)
{
    const struct command_loaders *found = &report->found;
    const char *whose = command != NULL ? command : "this environment";
    if (found->is_foreign)
        fprintf(out,
                "dnnl-cache-run: warning: nothing will be kept of %s itself: "
                "%s than the layer\n",
                whose, found->unknown);
    else if (found->unknown != NULL && is_verbose)
        fprintf(out, "dnnl-cache-run: the loader of %s is not known: %s\n",
                whose, found->unknown);
    if (found->unknown == NULL)
        print_one(out, &report->program, whose, layer, is_verbose);
    for (size_t i = 0; i < found->package_count; i++)
        print_one(out, &report->packages[i], "a package", layer, is_verbose);
}
