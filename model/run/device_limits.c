/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/device_limits.h"

#include "model/plan/programs.h"

#include <stdlib.h>
#include <string.h>

/* Is there a word in a list? */
static bool has_word(const char *list, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += size)
        if ((at == list || at[-1] == ' ')
                && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

bool device_has_half(cl_device_id device)
{
    size_t size = 0;
    bool has = false;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size)
            != CL_SUCCESS)
        return false;
    char *list = calloc(size + 1, 1);
    if (list != NULL
            && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, list, NULL)
                       == CL_SUCCESS)
        has = has_word(list, "cl_khr_fp16");
    free(list);
    return has;
}

struct device_limits device_limits_of(cl_device_id device)
{
    cl_ulong buffer = 0, memory = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof buffer,
                &buffer, NULL)
            != CL_SUCCESS)
        buffer = 0;
    if (clGetDeviceInfo(
                device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL)
            != CL_SUCCESS)
        memory = 0;
    return (struct device_limits){buffer, memory};
}

/* Sizes of a plan fit: see plan_place(). */
static uint64_t bytes_of(int64_t words)
{
    return (uint64_t)words * word_bytes;
}

static const struct buffer *root_of(
        const struct plan *plan, const struct view *view)
{
    int64_t base;
    return &plan->buffers[plan_root(plan, view->buffer, &base)];
}

/* ---- Each of them -------------------------------------------------------- */

static bool check_bytes(const struct device_limits *limits, uint64_t bytes,
        const char *kind, const char *name, struct failure *failure)
{
    return bytes <= limits->buffer
           || fail(failure,
                   "%s%s: a tensor of %llu bytes, a buffer of the device has "
                   "at most %llu",
                   kind, name, (unsigned long long)bytes,
                   (unsigned long long)limits->buffer);
}

/* Inputs and outputs are whole tensors on the host, too: an output may repeat a
 * few elements of its buffer. No message of protobuf holds more than 2 GiB, so
 * neither does a file with one. */
static bool check_port(const struct device_limits *limits,
        const struct plan_port *port, const char *kind, struct failure *failure)
{
    const uint64_t bytes = bytes_of(layout_count(&port->view.layout)
                                    * element_words(port->view.element));
    return check_bytes(limits, bytes, kind, port->name, failure)
           && (bytes <= INT32_MAX
                   || fail(failure,
                           "%s%s: a tensor of %llu bytes, a TensorProto has at "
                           "most %d",
                           kind, port->name, (unsigned long long)bytes,
                           (int)INT32_MAX));
}

static bool check_step(const struct device_limits *limits,
        const struct plan *plan, const struct step *step,
        struct failure *failure)
{
    for (int i = 0; i < step->arg_count; i++)
        if (!check_bytes(limits,
                    bytes_of(root_of(plan, &step->args[i].view)->words), "",
                    step->name, failure))
            return false;
    return !step_is_program(step) || program_fits(plan, step)
           || fail(failure, "%s: more elements than 32 bits count", step->name);
}

/* ---- All of them --------------------------------------------------------- */

/* The step with the largest result: it is the one to look at. */
static const char *largest(const struct plan *plan)
{
    const char *name = "the model";
    int64_t most = 0;
    for (int s = 0; s < plan->step_count; s++) {
        const struct view *dst = step_find_arg(plan->steps[s], DNNL_ARG_DST);
        const int64_t words = root_of(plan, dst)->words;
        if (words <= most) continue;
        most = words;
        name = plan->steps[s]->name;
    }
    return name;
}

static uint64_t total(const struct plan *plan)
{
    uint64_t bytes = bytes_of(plan->arena);
    for (int i = 0; i < plan->buffer_count; i++) {
        const struct buffer *b = &plan->buffers[i];
        const bool is_needed =
                b->kind == buffer_input
                || (b->kind == buffer_constant && b->first <= b->last);
        if (is_needed && b->parent < 0) bytes += bytes_of(b->words);
    }
    return bytes;
}

bool device_limits_check(const struct device_limits *limits,
        const struct plan *plan, struct failure *failure)
{
    for (int i = 0; i < plan->input_count; i++)
        if (!check_port(limits, &plan->inputs[i], "input ", failure))
            return false;
    for (int s = 0; s < plan->step_count; s++)
        if (!check_step(limits, plan, plan->steps[s], failure)) return false;
    for (int i = 0; i < plan->output_count; i++)
        if (!check_port(limits, &plan->outputs[i], "output ", failure))
            return false;
    /* Activations share one buffer. */
    if (bytes_of(plan->arena) > limits->buffer)
        return fail(failure,
                "%s and what is needed with it: %llu bytes, a buffer of the "
                "device has at most %llu",
                largest(plan), (unsigned long long)bytes_of(plan->arena),
                (unsigned long long)limits->buffer);
    return total(plan) <= limits->memory
           || fail(failure,
                   "the model needs %llu bytes, most of them for %s; the "
                   "device has %llu",
                   (unsigned long long)total(plan), largest(plan),
                   (unsigned long long)limits->memory);
}
