/* SPDX-License-Identifier: Apache-2.0 */
#include "model_rig.h"

#include "model/lower/lower.h"
#include "model/run/ports.h"
#include "model/run/runner.h"
#include "reference_graph.h"

#include "test.h"
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rig {
    struct model_rig_run *run;
    const struct graph *graph; /* the run's */
    struct reference_graph *reference;
    bool *is_computed; /* by node */
    struct plan plan;
    struct runner runner;
};

/* ---- Tensors ------------------------------------------------------------- */

/* A tensor of the graph's type and shape, with room for data. */
static struct graph_tensor make_tensor(const struct graph_tensor *like)
{
    struct graph_tensor t = {.type = like->type,
            .shape = like->shape,
            .data = malloc(graph_tensor_size(like)),
            .producer = graph_none};
    if (t.data == NULL) abort();
    return t;
}

static void fill(struct graph_tensor *t)
{
    const int64_t count = graph_shape_count(&t->shape);
    for (int64_t i = 0; i < count; i++) {
        const int64_t odd = (i * 37 % 101 - 50) | 1;
        const double number = (double)(i * 37 % 101) / 25.0 - 2.0;
        switch (t->type) {
        case graph_type_f64:
            ((double *)t->data)[i] = number;
            break;
        case graph_type_i32:
            ((int32_t *)t->data)[i] = (int32_t)odd;
            break;
        case graph_type_i64:
            ((int64_t *)t->data)[i] = odd;
            break;
        case graph_type_bool:
            ((uint8_t *)t->data)[i] = number > 0.0;
            break;
        case graph_type_i8:
        case graph_type_u8:
            ((uint8_t *)t->data)[i] = (uint8_t)odd;
            break;
        case graph_type_i16:
        case graph_type_u16:
            ((uint16_t *)t->data)[i] = (uint16_t)odd;
            break;
        case graph_type_u32:
            ((uint32_t *)t->data)[i] = (uint32_t)odd;
            break;
        default:
            ((float *)t->data)[i] = (float)number;
        }
    }
}

/* ---- The reference ------------------------------------------------------- */

/* Computes a tensor and what it needs, unless that is there. */
static void compute(struct rig *rig, int tensor)
{
    const int n = rig->graph->tensors[tensor].producer;
    if (n == graph_none || rig->is_computed[n]) return;
    const struct graph_node *node = &rig->graph->nodes[n];
    for (int i = 0; i < node->input_count; i++)
        if (node->inputs[i] != graph_none) compute(rig, node->inputs[i]);
    reference_graph_compute(rig->reference, n);
    rig->is_computed[n] = true;
}

static void observe(struct rig *rig, int tensor, const struct graph_tensor *is)
{
    const struct graph_tensor *t = &rig->graph->tensors[tensor];
    struct reference_differences d = {0};
    compute(rig, tensor);
    test_asserts();
    /* A half has 13 bits less than a float. */
    reference_graph_observe(rig->reference, tensor, is->data,
            rig->plan.is_half ? 8192.0 : 1.0, &d);
    if (d.count > 0)
        test_fail(__FILE__, __LINE__,
                "%s: %lld elements wrong; %lld is %.9g, not %.9g +- %.3g",
                t->name, (long long)d.count, (long long)d.at, d.actual,
                d.expected, d.tolerance);
}

/* ---- The device ---------------------------------------------------------- */

/* What a view has, as a tensor of the graph. */
static bool read_view(struct rig *rig, const struct view *view, int tensor,
        struct graph_tensor *to, struct failure *failure)
{
    void *data = malloc((size_t)layout_count(&view->layout) * sizeof(double));
    *to = make_tensor(&rig->graph->tensors[tensor]);
    const bool ok =
            data != NULL && runner_read(&rig->runner, view, data, failure);
    if (ok) ports_narrow(to, data);
    free(data);
    return ok;
}

/* What a step wrote, as far as it is one of the graph's tensors. */
static bool visit(struct rig *rig, const char *name, const struct view *view)
{
    struct failure failure = {""};
    struct graph_tensor tensor;
    /* What fails later may be nothing that the reference can compute. */
    if (name == NULL || rig->run->failure != NULL) return true;
    const int number = graph_find_tensor(rig->graph, name);
    const bool ok = read_view(rig, view, number, &tensor, &failure);
    rig->run->compared++;
    if (ok)
        observe(rig, number, &tensor);
    else
        test_fail(__FILE__, __LINE__, "%s: %s", name, failure.text);
    free(tensor.data);
    return ok;
}

static bool run_steps(struct rig *rig, struct failure *failure)
{
    struct runner *runner = &rig->runner;
    for (int s = 0; s < rig->plan.step_count; s++) {
        const struct step *step = rig->plan.steps[s];
        if (!runner_submit_step(runner, s, failure)
                || !runner_finish(runner, failure))
            return false;
        if (!visit(rig, step->tensor, step_result(step)))
            return fail(failure, "%s: the run was ended", step->name);
    }
    return true;
}

static bool write_inputs(struct rig *rig, struct failure *failure)
{
    bool ok = true;
    for (int i = 0; i < rig->plan.input_count && ok; i++) {
        const struct plan_port *port = &rig->plan.inputs[i];
        struct graph_tensor own =
                make_tensor(&rig->graph->tensors[port->tensor]);
        fill(&own);
        const struct graph_tensor *tensor =
                rig->run->inputs != NULL ? &rig->run->inputs[i] : &own;
        void *data = ports_widen(tensor, port->view.element);
        reference_graph_set(rig->reference, port->tensor, tensor->data);
        ok = data != NULL
             && runner_write(&rig->runner, &port->view, data, failure);
        free(data);
        free(own.data);
    }
    return ok;
}

static bool show_outputs(struct rig *rig, struct failure *failure)
{
    bool ok = true;
    for (int i = 0; i < rig->plan.output_count && ok; i++) {
        const struct plan_port *port = &rig->plan.outputs[i];
        struct graph_tensor tensor;
        ok = read_view(rig, &port->view, port->tensor, &tensor, failure);
        /* What several steps make together is no one step's tensor. */
        if (ok) observe(rig, port->tensor, &tensor);
        if (ok && rig->run->show != NULL)
            rig->run->show(rig->run->user, i, &tensor);
        free(tensor.data);
    }
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

/* A device without doubles is no failure, if that is what was said. */
static bool lacks_doubles(const struct rig *rig, dnnl_engine_t engine)
{
    cl_device_id device = NULL;
    cl_device_fp_config doubles = 0;
    bool is_wide = false;
    for (int i = 0; i < rig->graph->tensor_count; i++)
        is_wide = is_wide || rig->graph->tensors[i].type != graph_type_f32;
    EXPECT_OK(dnnl_ocl_interop_get_device(engine, &device));
    clGetDeviceInfo(
            device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    return is_wide && doubles == 0;
}

static bool compute_graph(struct rig *rig, struct failure *failure)
{
    const int threads = test_platform_takes_threads() ? 2 : 1;
    return runner_upload(&rig->runner, threads, failure)
           && create(&rig->runner, failure)
           && runner_bind(&rig->runner, failure) && write_inputs(rig, failure)
           && run_steps(rig, failure) && show_outputs(rig, failure);
}

static bool run_graph(
        struct rig *rig, dnnl_engine_t engine, struct failure *failure)
{
    dnnl_status_t status;
    rig->plan.is_half = rig->run->is_half;
    if (!lower_graph(&rig->plan, rig->graph, failure)
            || !runner_init(&rig->runner, &rig->plan, engine, failure))
        return false;
    if (rig->run->is_apart) rig->runner.buffers.is_host_memory = false;
    if (runner_describe(&rig->runner, &status, failure)
            && runner_allocate(&rig->runner, failure))
        return compute_graph(rig, failure);
    if (status != dnnl_unimplemented || !lacks_doubles(rig, engine))
        return false;
    printf("no doubles here: %s\n", failure->text);
    return true;
}

void model_rig_check(struct model_rig_run *run)
{
    static dnnl_engine_t engine; /* of all tests: what is in memory stays */
    struct failure failure = {""};
    struct rig rig = {.run = run,
            .graph = run->graph,
            .reference = reference_graph_create(run->graph),
            .is_computed =
                    calloc((size_t)run->graph->node_count + 1, sizeof(bool))};
    if (engine == NULL) engine = test_platform_engine();
    const bool ok = engine != NULL && rig.is_computed != NULL
                    && run_graph(&rig, engine, &failure);
    if (ok != (run->failure == NULL)
            || (!ok && strstr(failure.text, run->failure) == NULL))
        test_fail(__FILE__, __LINE__, "%s, not %s",
                ok ? "no failure" : failure.text,
                run->failure != NULL ? run->failure : "one");
    test_asserts();
    run->was_half = rig.plan.is_half;
    run->steps = rig.plan.step_count;
    runner_fini(&rig.runner);
    plan_fini(&rig.plan);
    reference_graph_destroy(rig.reference);
    free(rig.is_computed);
}
