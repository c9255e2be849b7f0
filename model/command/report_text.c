/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/command.h"

#include "model/base/whole_file.h"
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "tools/common/text/json.h"
#include "tools/common/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool get_report(
        struct command *command, dnnl_cache_model_report_t *report)
{
    *report = (dnnl_cache_model_report_t)DNNL_CACHE_MODEL_REPORT_INIT;
    return command_check(
            command, dnnl_cache_model_get_report(command->model, report));
}

static bool get_phase(
        struct command *command, int i, dnnl_cache_model_phase_t *phase)
{
    *phase = (dnnl_cache_model_phase_t)DNNL_CACHE_MODEL_PHASE_INIT;
    return command_check(
            command, dnnl_cache_model_get_phase(command->model, i, phase));
}

/* ---- JSON ---------------------------------------------------------------- */

/* When the timeline began, in microseconds since 1970: for who started the
 * process. */
static uint64_t began_us(const struct measured *m)
{
    const double since_ms = clock_ms() - m->began;
    return clock_epoch_ns() / 1000u - (uint64_t)(1e3 * since_ms);
}

static void write_span(
        struct json *json, const char *name, double begin, double end)
{
    if (end <= 0.0) return;
    json_begin_object(json, NULL);
    json_text(json, "phase", name);
    json_real(json, "begin", begin);
    json_real(json, "end", end);
    json_end_object(json);
}

static void write_timeline(struct command *command, struct json *json,
        const dnnl_cache_model_report_t *report)
{
    const struct measured *m = &command->measured;
    dnnl_cache_model_phase_t phase;
    json_begin_array(json, "timeline");
    for (int p = 0; p < report->phases; p++)
        if (get_phase(command, p, &phase))
            write_span(json, phase.name, phase.begin, phase.end);
    if (m->first_ms > 0.0)
        write_span(json, "first_run", m->first_at, m->first_at + m->first_ms);
    if (m->count > 0)
        write_span(
                json, "steady_run", m->steady_at, m->steady_at + m->steady_ms);
    json_end_array(json);
}

static void write_runs(const struct measured *m, struct json *json)
{
    if (m->count == 0) return;
    json_begin_object(json, "runs");
    json_number(json, "count", (uint64_t)m->count);
    json_real(json, "min", m->ms[0]);
    json_real(json, "p50", measured_percentile(m, 50));
    json_real(json, "p90", measured_percentile(m, 90));
    json_real(json, "p99", measured_percentile(m, 99));
    json_real(json, "max", m->ms[m->count - 1]);
    json_end_object(json);
}

static void write_layers(const struct measured *m, struct json *json)
{
    if (m->layer_count == 0) return;
    json_begin_array(json, "layers");
    for (int i = 0; i < m->layer_count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "node", m->layers[i].node);
        json_text(json, "kind", m->layers[i].kind);
        json_real(json, "ms", m->layers[i].ms);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_memory(
        const dnnl_cache_model_report_t *report, struct json *json)
{
    json_begin_object(json, "memory");
    json_number(json, "weights", report->weight_bytes);
    json_number(json, "activations", report->activation_bytes);
    json_number(json, "inputs", report->input_bytes);
    json_number(json, "process_peak", process_peak_memory());
    json_end_object(json);
}

static void write_all(struct command *command, const void *what, FILE *file)
{
    const dnnl_cache_model_report_t *report = what;
    const struct measured *m = &command->measured;
    struct json json;
    dnnl_cache_model_phase_t phase;
    json_init(&json, file);
    json_begin_object(&json, NULL);
    json_text(&json, "model", command->options->model);
    json_text(&json, "device", report->device);
    json_number(&json, "began", began_us(m));
    for (int p = 0; p < report->phases; p++)
        if (get_phase(command, p, &phase))
            json_real(&json, phase.name, phase.ms);
    json_real(&json, "first_run", m->first_ms);
    json_real(&json, "steady_run", m->steady_ms);
    json_real(&json, "ready", report->ready);
    json_bool(&json, "warm", report->is_warm != 0);
    json_number(&json, "programs_compiled", report->programs_compiled);
    json_number(&json, "programs_loaded", report->programs_loaded);
    json_number(&json, "primitives", report->primitives);
    write_runs(m, &json);
    write_memory(report, &json);
    write_layers(m, &json);
    write_timeline(command, &json, report);
    json_end_object(&json);
}

bool command_write_json(struct command *command, const void *what,
        void (*write)(struct command *command, const void *what, FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) return fail_out_of_memory(command->failure);
    write(command, what, file);
    const bool is_whole = !ferror(file);
    const bool ok = fclose(file) == 0 && is_whole
                            ? whole_file_write(command->options->json, text,
                                    size, command->failure)
                            : fail_out_of_memory(command->failure);
    free(text);
    return ok;
}

bool command_write_report(struct command *command)
{
    dnnl_cache_model_report_t report;
    return command->options->json == NULL
           || (get_report(command, &report)
                   && command_write_json(command, &report, write_all));
}

/* ---- For people ---------------------------------------------------------- */

static void print_phase(const char *name, double ms)
{
    if (ms > 0.0) printf("  %-12s %10.1f ms\n", name, ms);
}

static void print_runs(const struct measured *m)
{
    print_phase("first_run", m->first_ms);
    print_phase("steady_run", m->steady_ms);
    if (m->count > 1)
        printf("%d runs: p50 %.3f ms, p90 %.3f ms, p99 %.3f ms, min %.3f ms, "
               "max %.3f ms\n",
                m->count, measured_percentile(m, 50),
                measured_percentile(m, 90), measured_percentile(m, 99),
                m->ms[0], m->ms[m->count - 1]);
}

static int compare_layers(const void *a, const void *b)
{
    const struct layer_time *x = *(const struct layer_time *const *)a;
    const struct layer_time *y = *(const struct layer_time *const *)b;
    if (x->ms != y->ms) return x->ms < y->ms ? 1 : -1;
    return (x > y) - (x < y);
}

/* The longest first. */
static void print_layers(const struct measured *m)
{
    double sum = 0.0;
    const struct layer_time **sorted =
            calloc((size_t)m->layer_count + 1, sizeof *sorted);
    if (sorted == NULL || m->layer_count == 0) {
        free(sorted);
        return;
    }
    for (int i = 0; i < m->layer_count; i++) {
        sorted[i] = &m->layers[i];
        sum += m->layers[i].ms;
    }
    qsort(sorted, (size_t)m->layer_count, sizeof *sorted, compare_layers);
    printf("layers, on the device: %.3f ms\n", sum);
    for (int i = 0; i < m->layer_count; i++) {
        const char *node = sorted[i]->node != NULL ? sorted[i]->node : "";
        printf("  %10.3f ms  %5.1f %%  %-28s  ", sorted[i]->ms,
                sum > 0.0 ? 100.0 * sorted[i]->ms / sum : 0.0,
                sorted[i]->kind != NULL ? sorted[i]->kind : "");
        text_print(stdout, node, strlen(node));
        putchar('\n');
    }
    free(sorted);
}

/* Helper processes compile programs that this one then loads. */
static void print_start(const dnnl_cache_model_report_t *report)
{
    const bool is_warm = report->is_warm != 0;
    printf("%s start, ready in %.1f ms: %" PRIu64 " primitives, %" PRIu64
           " programs compiled, %" PRIu64 " loaded%s\n",
            is_warm ? "warm" : "cold", report->ready, report->primitives,
            report->programs_compiled, report->programs_loaded,
            is_warm || report->programs_loaded == 0
                    ? ""
                    : " (programs of helper processes count as both)");
}

void command_print_report(struct command *command)
{
    dnnl_cache_model_report_t report;
    dnnl_cache_model_phase_t phase;
    if (!get_report(command, &report)) return;
    print_start(&report);
    if (command->options->is_default_store)
        printf("store: %s (--store names another)\n", command->options->store);
    for (int p = 0; p < report.phases; p++)
        if (get_phase(command, p, &phase)) print_phase(phase.name, phase.ms);
    print_runs(&command->measured);
    if (!command->options->prepare)
        printf("memory: weights %.1f MB, activations %.1f MB, inputs %.1f MB; "
               "process at most %.1f MB\n",
                1e-6 * (double)report.weight_bytes,
                1e-6 * (double)report.activation_bytes,
                1e-6 * (double)report.input_bytes,
                1e-6 * (double)process_peak_memory());
    print_layers(&command->measured);
}
