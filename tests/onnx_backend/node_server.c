/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_server: runs models of ONNX one after the other, in one process and with
 * one store, for tests of many small models.
 *
 * Each line of standard input is one of
 *     load MODEL.onnx         reads, plans and compiles
 *     run INPUTS... > FOLDER  runs what was loaded; a TensorProto for each
 *                             input, in order, and for each output
 *                             FOLDER/NUMBER.pb
 * with tabs between words. The answer is one line on standard output: "ok" and
 * a number (of steps; of outputs); "refused REASON" for what the loader does
 * not support; "failed REASON" for all else.
 */
#include "model/graph/graph.h"
#include "model/lower/lower.h"
#include "model/onnx/onnx.h"
#include "model/onnx/tensor_file.h"
#include "model/run/device_limits.h"
#include "model/run/ports.h"
#include "model/run/runner.h"
#include "test_platform.h"

#include <dnnl_cache/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { line_size = 65536, path_size = 4096, capacity_mb = 1024 };

struct model {
    bool is_loaded;
    struct graph graph;
    struct plan plan;
    struct runner runner;
};

static void model_fini(struct model *model)
{
    runner_fini(&model->runner);
    plan_fini(&model->plan);
    graph_fini(&model->graph);
    *model = (struct model){0};
}

/* ---- Load ---------------------------------------------------------------- */

static bool read_model(
        struct graph *graph, const char *path, struct failure *failure)
{
    uint8_t *bytes;
    struct onnx_source source = {.open_dimension = 1};
    if (!onnx_read_file(path, &bytes, &source.size, failure)) return false;
    source.bytes = bytes;
    const bool ok = onnx_read_graph(graph, &source, failure);
    free(bytes);
    return ok;
}

static bool create(struct runner *runner, struct failure *failure)
{
    for (int s = 0; s < runner->plan->step_count; s++) {
        const dnnl_status_t st = runner_create(runner, s);
        if (st != dnnl_success) return runner_fail(runner, s, st, failure);
    }
    return true;
}

/* *is_refused: the model is not supported, which is known before anything is
 * compiled. */
static bool load(struct model *m, dnnl_engine_t engine, const char *path,
        bool *is_refused, struct failure *failure)
{
    const struct device_limits limits =
            device_limits_of(test_platform_device());
    dnnl_status_t status = dnnl_success;
    *is_refused = true;
    if (!read_model(&m->graph, path, failure)
            || !lower_graph(&m->plan, &m->graph, failure)
            || !device_limits_check(&limits, &m->plan, failure))
        return false;
    *is_refused = false;
    if (!runner_init(&m->runner, &m->plan, engine, failure)) return false;
    if (!runner_describe(&m->runner, &status, failure)) {
        *is_refused = status == dnnl_unimplemented;
        return false;
    }
    m->is_loaded = runner_allocate(&m->runner, failure)
                   && runner_upload(&m->runner, 2, failure)
                   && create(&m->runner, failure)
                   && runner_bind(&m->runner, failure);
    return m->is_loaded;
}

static void answer_load(
        struct model *model, dnnl_engine_t engine, const char *path)
{
    struct failure failure = {""};
    bool is_refused;
    model_fini(model);
    if (load(model, engine, path, &is_refused, &failure))
        printf("ok %d\n", model->plan.step_count);
    else
        printf("%s %s\n", is_refused ? "refused" : "failed", failure.text);
}

/* ---- Run ----------------------------------------------------------------- */

static bool write_input(
        struct model *m, int i, const char *path, struct failure *failure)
{
    const struct plan_port *port = &m->plan.inputs[i];
    const struct graph_tensor *is = &m->graph.tensors[port->tensor];
    struct graph_tensor tensor = {0};
    if (!tensor_file_read(&tensor, path, failure)) return false;
    bool ok = (tensor.type == is->type
                      && graph_shape_equal(&tensor.shape, &is->shape))
              || fail(failure, "%s has not the type and shape of '%s'", path,
                      is->name);
    void *data = ok ? ports_widen(&tensor, port->view.element) : NULL;
    ok = ok && (data != NULL || fail_out_of_memory(failure))
         && runner_write(&m->runner, &port->view, data, failure);
    free(data);
    tensor_file_fini(&tensor);
    return ok;
}

static bool write_output(
        struct model *m, int i, const char *folder, struct failure *failure)
{
    const struct plan_port *port = &m->plan.outputs[i];
    const struct graph_tensor *is = &m->graph.tensors[port->tensor];
    const int64_t count = layout_count(&port->view.layout);
    char path[path_size];
    struct graph_tensor tensor = {.name = strdup(port->name),
            .type = is->type,
            .is_half = m->graph.outputs[i].is_half,
            .shape = is->shape,
            .data = malloc(graph_tensor_size(is) + 1),
            .producer = graph_none};
    void *data = malloc((size_t)count * sizeof(double) + 1);
    (void)snprintf(path, sizeof path, "%s/%d.pb", folder, i);
    bool ok = (tensor.name != NULL && tensor.data != NULL && data != NULL)
              || fail_out_of_memory(failure);
    ok = ok && runner_read(&m->runner, &port->view, data, failure);
    if (ok) ports_narrow(&tensor, data);
    ok = ok && tensor_file_write(path, &tensor, failure);
    free(data);
    tensor_file_fini(&tensor);
    return ok;
}

static bool run(struct model *m, char *words, struct failure *failure)
{
    int inputs = 0;
    char *folder = NULL, *rest = words;
    for (char *word; (word = strsep(&rest, "\t")) != NULL;) {
        if (strcmp(word, ">") == 0) {
            folder = rest;
            break;
        }
        if (inputs >= m->plan.input_count)
            return fail(failure, "more than %d inputs", inputs);
        if (!write_input(m, inputs++, word, failure)) return false;
    }
    if (folder == NULL || inputs != m->plan.input_count)
        return fail(failure, "%d inputs where %d are needed", inputs,
                m->plan.input_count);
    if (!runner_submit(&m->runner, NULL, failure)
            || !runner_finish(&m->runner, failure))
        return false;
    for (int i = 0; i < m->plan.output_count; i++)
        if (!write_output(m, i, folder, failure)) return false;
    return true;
}

static void answer_run(struct model *model, char *words)
{
    struct failure failure = {""};
    if (!model->is_loaded)
        printf("failed nothing is loaded\n");
    else if (run(model, words, &failure))
        printf("ok %d\n", model->plan.output_count);
    else
        printf("failed %s\n", failure.text);
}

/* ---- Main ---------------------------------------------------------------- */

static void serve(dnnl_engine_t engine)
{
    static char line[line_size];
    static struct model model;
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *words = line;
        line[strcspn(line, "\n")] = '\0';
        const char *command = strsep(&words, "\t");
        if (words != NULL && strcmp(command, "load") == 0)
            answer_load(&model, engine, words);
        else if (words != NULL && strcmp(command, "run") == 0)
            answer_run(&model, words);
        else
            printf("failed unknown command\n");
        fflush(stdout);
    }
    model_fini(&model);
}

int main(int argc, char **argv)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    if (argc != 2) {
        fprintf(stderr, "usage: node_server STORE\n");
        return 2;
    }
    options.path = argv[1];
    options.capacity = dnnl_cache_store_megabytes(capacity_mb);
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL
            || dnnl_cache_store_open(&store, "flat", &options) != dnnl_success
            || dnnl_cache_engine_set_store(
                       engine, dnnl_cache_store_get_callbacks(store))
                       != dnnl_success) {
        fprintf(stderr, "node_server: no device, or no store at %s\n", argv[1]);
        return 1;
    }
    serve(engine);
    (void)dnnl_cache_engine_set_store(engine, NULL);
    dnnl_engine_destroy(engine);
    dnnl_cache_store_close(store);
    return 0;
}
