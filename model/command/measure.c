/* SPDX-License-Identifier: Apache-2.0 */
#include "model/command/command.h"

#include "src/common/array.h"
#include "src/platform/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Runs ---------------------------------------------------------------- */

static bool run(struct command *command, double *at, double *ms)
{
    const double began = clock_ms();
    const bool ok =
            command_check(command, dnnl_cache_model_run(command->model));
    *at = began - command->measured.began;
    *ms = clock_ms() - began;
    return ok;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool note(struct measured *m, double at, double ms)
{
    if (!array_grow(&m->ms, (size_t)m->count, sizeof *m->ms)) return false;
    m->ms[m->count++] = ms;
    if (m->count == 1 || ms < m->steady_ms) {
        m->steady_at = at;
        m->steady_ms = ms;
    }
    return true;
}

bool command_run(struct command *command)
{
    enum { most_runs = 10000000, percentiles_need = 2 };
    const struct options *options = command->options;
    struct measured *m = &command->measured;
    double at, ms;
    if (!run(command, &m->first_at, &m->first_ms)) return false;
    for (int i = 0; i < options->warm_up; i++)
        if (!run(command, &at, &ms)) return false;
    const double began = clock_ms();
    for (int i = 0; i < most_runs; i++) {
        const bool goes_on =
                options->duration > 0.0
                        ? i < percentiles_need
                                  || clock_ms() - began
                                             < 1e3 * options->duration
                        : i < options->repeat;
        if (!goes_on) break;
        if (!run(command, &at, &ms)) return false;
        if (!note(m, at, ms)) return fail_out_of_memory(command->failure);
    }
    if (m->count > 0) qsort(m->ms, (size_t)m->count, sizeof *m->ms, compare);
    return true;
}

/* The least value that p percent of the runs do not exceed. */
double measured_percentile(const struct measured *measured, double p)
{
    if (measured->count == 0) return 0.0;
    const int rank = (int)ceil(p / 100.0 * measured->count);
    return measured->ms[rank > 0 ? rank - 1 : 0];
}

/* ---- Layers -------------------------------------------------------------- */

static int note_layer(const dnnl_cache_model_layer_t *layer, void *user)
{
    struct measured *m = user;
    if (layer->index < m->layer_count) {
        struct layer_time *known = &m->layers[layer->index];
        if (layer->ms < known->ms) known->ms = layer->ms;
        return 0;
    }
    if (!array_grow(&m->layers, (size_t)m->layer_count, sizeof *m->layers))
        return 1;
    m->layers[m->layer_count++] = (struct layer_time){
            strdup(layer->node), strdup(layer->kind), layer->ms};
    return 0;
}

bool command_profile(struct command *command)
{
    enum { runs = 3 };
    for (int i = 0; i < runs; i++)
        if (!command_check(command, dnnl_cache_model_run_layers(command->model,
                                            dnnl_cache_model_layers_time,
                                            note_layer, &command->measured)))
            return false;
    return true;
}

void measured_fini(struct measured *measured)
{
    for (int i = 0; i < measured->layer_count; i++) {
        free(measured->layers[i].node);
        free(measured->layers[i].kind);
    }
    free(measured->layers);
    free(measured->ms);
    *measured = (struct measured){0};
}
