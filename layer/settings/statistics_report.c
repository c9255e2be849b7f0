/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/statistics_report.h"

#include "layer/settings/print.h"
#include "src/platform/environment.h"
#include "tools/common/text/json.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_row(FILE *out, const char *name, uint64_t number)
{
    fprintf(out, "  %-27s %11" PRIu64 "\n", name, number);
}

static void write_reasons(FILE *out, const uint64_t by[layer_reason_count])
{
    for (int i = 0; i < layer_reason_count; i++)
        if (by[i] > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n",
                    layer_reason_name((enum layer_reason)i), by[i]);
}

static void write_ms(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, "  %-26s %12.3f\n", name, (double)ns / 1e6);
}

void statistics_write_table(const struct statistics_totals *t, FILE *out)
{
    fprintf(out, "dnnl_cache layer: %s (%ld)\n", process_program_name(),
            process_number());
    write_row(out, "hits", t->hits);
    if (t->hits > 0) {
        fprintf(out, "    %-24s %12" PRIu64 "\n", "from memory",
                t->memory_hits);
        fprintf(out, "    %-24s %12" PRIu64 "\n", "from disk", t->disk_hits);
        if (t->remote_hits > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", "of a server",
                    t->remote_hits);
        if (t->incomplete_hits > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", "incomplete",
                    t->incomplete_hits);
        if (t->unloaded_hits > 0)
            fprintf(out, "    %-24s %12" PRIu64 "\n", "never loaded",
                    t->unloaded_hits);
    }
    write_row(out, "partial hits", t->partial_hits);
    if (t->failed_answered > 0)
        write_row(out, "failed builds answered", t->failed_answered);
    if (t->failed_kept > 0)
        write_row(out, "failed builds kept", t->failed_kept);
    write_row(out, "misses", t->misses);
    write_reasons(out, t->misses_by);
    write_row(out, "programs kept", t->kept);
    write_row(out, "programs left to refresh", t->deferred);
    if (t->deferred > 0)
        fputs("    stored beside the next command of dnnl-cache-run, after "
              "this "
              "one with\n"
              "    --wait, or by dnnl-cache refresh\n",
                out);
    write_row(out, "programs not kept", t->not_kept);
    write_reasons(out, t->not_kept_by);
    write_row(out, "misses with nothing to keep", t->nothing_to_keep);
    write_row(out, "kept by others", t->kept_by_others);
    if (t->remote_failures > 0)
        write_row(out, "not asked of the server", t->remote_failures);
    write_row(out, "failures of the store", t->store_failures);
    if (t->store_failures > 0 && !layer_settings()->print_debug)
        fputs("    DNNL_CACHE_PRINT_DEBUG=1 tells which\n", out);
    write_row(out, "bytes read", t->bytes_read);
    write_row(out, "bytes written", t->bytes_written);
    write_ms(out, "ms saved", t->saved_ns);
    write_ms(out, "ms loading", t->load_ns);
    write_ms(out, "ms compiling", t->compile_ns);
    write_ms(out, "ms of the layer on misses", t->overhead_ns);
    write_ms(out, "ms asking for binaries", t->capture_ns);
}

static void write_json_reasons(struct json *json, const char *name,
        const uint64_t by[layer_reason_count])
{
    json_begin_object(json, name);
    for (int i = 0; i < layer_reason_count; i++)
        if (by[i] > 0)
            json_number(json, layer_reason_name((enum layer_reason)i), by[i]);
    json_end_object(json);
}

void statistics_write_json(const struct statistics_totals *t, FILE *out)
{
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {
            {"hits", t->hits},
            {"memory_hits", t->memory_hits},
            {"disk_hits", t->disk_hits},
            {"remote_hits", t->remote_hits},
            {"remote_failures", t->remote_failures},
            {"incomplete_hits", t->incomplete_hits},
            {"finalised_hits", t->finalised_hits},
            {"unloaded_hits", t->unloaded_hits},
            {"partial_hits", t->partial_hits},
            {"failed_answered", t->failed_answered},
            {"failed_kept", t->failed_kept},
            {"misses", t->misses},
            {"kept", t->kept},
            {"not_kept", t->not_kept},
            {"deferred", t->deferred},
            {"nothing_to_keep", t->nothing_to_keep},
            {"kept_by_others", t->kept_by_others},
            {"store_failures", t->store_failures},
            {"bytes_read", t->bytes_read},
            {"bytes_written", t->bytes_written},
            {"saved_ns", t->saved_ns},
            {"load_ns", t->load_ns},
            {"compile_ns", t->compile_ns},
            {"overhead_ns", t->overhead_ns},
            {"capture_ns", t->capture_ns},
    };
    struct json json;
    json_init_line(&json, out);
    json_begin_object(&json, NULL);
    json_text(&json, "program", process_program_name());
    json_number(&json, "pid", (uint64_t)process_number());
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_number(&json, numbers[i].name, numbers[i].number);
    write_json_reasons(&json, "misses_by", t->misses_by);
    write_json_reasons(&json, "not_kept_by", t->not_kept_by);
    json_end_object(&json);
}

void statistics_report(void)
{
    const struct settings_output *output = &layer_settings()->statistics;
    struct statistics_totals totals;
    char *text = NULL;
    size_t size = 0;
    if (!output->on || !statistics_take_report()) return;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL) return;
    statistics_get(&totals);
    if (output->path[0] == '\0')
        statistics_write_table(&totals, memory);
    else
        statistics_write_json(&totals, memory);
    if (fclose(memory) == 0) print_report(output, "statistics", text, size);
    free(text);
}
