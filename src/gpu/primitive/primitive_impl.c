/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/primitive.h"

#include "src/common/byte_order.h"
#include "src/common/log.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/primitive/launch.h"
#include "src/gpu/primitive/staged.h"
#include "src/gpu/program/create/kernel_cache.h"
#include "src/gpu/program/create/program_load.h"
#include "src/gpu/program/object/context_memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ---------------------------------------------------------------- */

void primitive_impl_release(struct primitive_impl *impl)
{
    if (impl == NULL) return;
    if (atomic_fetch_sub_explicit(&impl->references, 1, memory_order_acq_rel)
            != 1)
        return;
    for (int i = 0; i < impl->stage_count; i++)
        primitive_impl_release(impl->stages[i]);
    free(impl->stages);
    kernel_release(impl->kernel);
    if (impl->warm_kernel != NULL) clReleaseKernel(impl->warm_kernel);
    program_release(impl->program);
    primitive_plan_destroy(impl->plan);
    free(impl);
}

static void cache_retain(void *value)
{
    struct primitive_impl *impl = value;
    atomic_fetch_add_explicit(&impl->references, 1, memory_order_relaxed);
}

static void cache_release(void *value)
{
    primitive_impl_release(value);
}

const struct cache_ops primitive_cache_ops = {.retain = cache_retain,
        .release = cache_release,
        .is_builders_own = program_is_builders_own,
        .free_memory = context_memory_free};

/* ---- Warm-up ------------------------------------------------------------- */

/* Launches the kernel once on an empty problem, so that drivers which compile
 * at the first launch of a class (PoCL) do it now. The memories are a buffer
 * that the kernel does not touch. */
static dnnl_status_t warm_up(
        void *arg, struct dnnl_engine *engine, cl_program program)
{
    struct primitive_impl *impl = arg;
    struct launch_arguments arguments;
    cl_command_queue queue;
    cl_int error;
    dnnl_status_t st = engine_queue(engine, &queue);
    if (st != dnnl_success) return st;
    cl_kernel kernel = clCreateKernel(program, impl->plan->kernel, &error);
    st = cl_status(error, "clCreateKernel");
    if (st != dnnl_success) return st;
    cl_mem buffer = clCreateBuffer(
            engine->context, CL_MEM_READ_WRITE, 64, NULL, &error);
    st = cl_status(error, "clCreateBuffer");
    if (st != dnnl_success) {
        clReleaseKernel(kernel);
        return st;
    }
    static const unsigned char zeros[PLAN_PARAMS_SIZE];
    for (size_t i = 0; i < plan_memory_count(impl->plan); i++)
        arguments.memories[i] = buffer;
    arguments.params = zeros;
    arguments.groups = impl->plan->groups;
    st = launch(
            engine, queue, kernel, impl->plan, &arguments, true, 0, NULL, NULL);
    if (st == dnnl_success) st = cl_status(clFinish(queue), "clFinish");
    clReleaseMemObject(buffer);
    /* Some drivers load a program with its first kernel and drop it with the
     * last: this one stays. */
    if (impl->warm_kernel != NULL) clReleaseKernel(impl->warm_kernel);
    impl->warm_kernel = kernel;
    return st;
}

/* ---- Creation ------------------------------------------------------------ */

void launch_facts_encode(
        const struct primitive_plan *plan, uint8_t out[LAUNCH_FACTS_SIZE])
{
    for (size_t i = 0; i < 3; i++)
        store_le32(out + 4 * i, (uint32_t)plan->local[i]);
}

/* True if the blob has the plan's kernel, of the program, launched as planned.
 */
static bool has_kernel(
        const struct primitive_plan *plan, const struct program_blob *blob)
{
    uint8_t facts[LAUNCH_FACTS_SIZE];
    launch_facts_encode(plan, facts);
    for (uint32_t i = 0; i < blob->view.kernel_count; i++) {
        struct blob_kernel kernel;
        if (blob_view_kernel(&blob->view, i, &kernel) == dnnl_success
                && kernel.program == blob->index
                && kernel.name_size == strlen(plan->kernel)
                && memcmp(kernel.name, plan->kernel, kernel.name_size) == 0
                && kernel.facts_size == sizeof facts
                && memcmp(kernel.facts, facts, sizeof facts) == 0)
            return true;
    }
    return false;
}

/* A primitive's blob has one program and one kernel, launched as planned. */
static dnnl_status_t check_blob(const struct primitive_plan *plan,
        const struct program_blob *blob, const struct program_id *id)
{
    if (blob->view.program_count != 1 || blob->view.kernel_count != 1)
        return dnnl_cache_blob_corrupt;
    return program_blob_is_of(blob, id) && has_kernel(plan, blob)
                   ? dnnl_success
                   : dnnl_cache_blob_stale;
}

/* Finds the stage's program and kernel among those of all stages. */
static dnnl_status_t find_part(const struct primitive_plan *plan,
        const struct program_blob *blob, const struct program_id *id,
        struct program_blob *part)
{
    part->view = blob->view;
    for (uint32_t i = 0; i < blob->view.program_count; i++) {
        part->index = i;
        dnnl_status_t st = blob_view_program(&blob->view, i, &part->program);
        if (st != dnnl_success) return st;
        if (program_blob_is_of(part, id) && has_kernel(plan, part))
            return dnnl_success;
    }
    return dnnl_cache_blob_stale;
}

/* Where a primitive's program comes from. */
struct origin {
    const struct program_blob *blob; /* NULL: memory, store or compiler */
    bool is_stage;                   /* the blob has more than this */
    bool is_fresh;                   /* it is compiled */
};

static dnnl_status_t get_program(const struct dnnl_primitive_desc *pd,
        const struct origin *origin, struct primitive_impl *impl,
        struct program_trace *trace, struct shared_text **note)
{
    const struct device_identity *identity;
    struct program_blob part;
    struct program_key key = {{NULL, 0, 0, false}, 0};
    dnnl_status_t st = engine_identity(pd->engine, &identity);
    if (st != dnnl_success) return st;
    const struct program_text text = {.sources = impl->plan->sources,
            .source_count = impl->plan->source_count,
            .options = impl->plan->options};
    st = program_key_build(
            pd->engine->device, &identity->fields, &text, NULL, &key);
    if (st != dnnl_success) return st;
    struct program_recipe recipe = {.engine = pd->engine,
            .text = &text,
            .key = &key,
            .warm_up = warm_up,
            .warm_up_arg = impl,
            .is_fresh = origin->is_fresh,
            .blob = origin->blob};
    const struct program_id id = program_key_id(&key);
    if (origin->blob != NULL && origin->is_stage) {
        st = find_part(impl->plan, origin->blob, &id, &part);
        recipe.blob = &part;
    } else if (origin->blob != NULL) {
        st = check_blob(impl->plan, origin->blob, &id);
    }
    if (st == dnnl_success)
        st = program_acquire(&recipe, &impl->program, trace, note);
    program_key_fini(&key);
    return st;
}

/* As warm_up() launches it. */
static void record_launch(struct primitive_impl *impl)
{
    const struct launch launch = {
            impl->plan->work_dim, NULL, impl->plan->local, impl->plan->local};
    struct launch_class class;
    if (launch_class_of(&class, &launch))
        program_use_record_launch(&impl->program->use, impl->plan->kernel,
                &class, impl->plan->work_dim);
}

/* The program and its kernel. A program without the kernel is forgotten. */
static dnnl_status_t get_kernel(const struct dnnl_primitive_desc *pd,
        const struct origin *origin, struct primitive_impl *impl,
        struct program_trace *trace, struct shared_text **note)
{
    dnnl_status_t st = get_program(pd, origin, impl, trace, note);
    if (st != dnnl_success) return st;
    bool is_warm = trace->origin == dnnl_cache_origin_compiled;
    st = kernel_acquire(pd->engine, impl->program, impl->plan->kernel,
            is_warm ? &impl->warm_kernel : NULL, &impl->kernel);
    if (st == dnnl_success) {
        record_launch(impl);
        return st;
    }
    if (st == dnnl_cache_blob_stale) program_forget(pd->engine, impl->program);
    program_release(impl->program);
    impl->program = NULL;
    return st;
}

/* A blob of nothing has an ID, which was compared, and that is all. */
static dnnl_status_t make_nothing(
        const struct program_blob *blob, struct program_trace *trace)
{
    if (blob != NULL
            && (blob->view.program_count > 0 || blob->view.kernel_count > 0))
        return dnnl_cache_blob_corrupt;
    trace->origin =
            blob != NULL ? dnnl_cache_origin_blob : dnnl_cache_origin_none;
    trace->driver_ns = 0;
    return dnnl_success;
}

/* One launch, or nothing. */
static dnnl_status_t make_launch(const struct dnnl_primitive_desc *pd,
        const struct origin *origin, struct primitive_impl *impl,
        struct program_trace *trace, struct shared_text **note)
{
    dnnl_status_t st = primitive_plan_take(pd, &impl->plan);
    if (st != dnnl_success) return st;
    st = get_kernel(pd, origin, impl, trace, note);
    /* Someone else's blob, in memory or store: its caller asked for none. */
    const struct origin fresh = {.is_fresh = true};
    if (st == dnnl_cache_blob_stale && origin->blob == NULL)
        st = get_kernel(pd, &fresh, impl, trace, note);
    return st;
}

static dnnl_status_t make_stages(const struct dnnl_primitive_desc *pd,
        const struct program_blob *blob, struct primitive_impl *impl,
        struct program_trace *trace, struct shared_text **note)
{
    const struct staged *staged = pd->staged;
    dnnl_status_t st =
            staged_create_impls(staged, blob, &impl->stages, trace, note);
    if (st != dnnl_success) return st;
    impl->stage_count = staged->count;
    impl->program =
            impl->stages[staged_operation(staged) - staged->stages]->program;
    program_retain(impl->program);
    return dnnl_success;
}

static dnnl_status_t create(const struct dnnl_primitive_desc *pd,
        const struct origin *origin, struct primitive_impl **out,
        struct program_trace *trace, struct shared_text **note)
{
    struct primitive_impl *impl = calloc(1, sizeof *impl);
    dnnl_status_t st;
    if (impl == NULL) return dnnl_out_of_memory;
    atomic_init(&impl->references, 1);
    if (primitive_desc_compiles_nothing(pd))
        st = make_nothing(origin->is_stage ? NULL : origin->blob, trace);
    else if (pd->staged != NULL)
        st = make_stages(pd, origin->blob, impl, trace, note);
    else
        st = make_launch(pd, origin, impl, trace, note);
    if (st == dnnl_success)
        *out = impl;
    else
        primitive_impl_release(impl);
    return st;
}

dnnl_status_t primitive_impl_create(const struct dnnl_primitive_desc *pd,
        const struct program_blob *blob, struct primitive_impl **out,
        struct program_trace *trace, struct shared_text **note)
{
    const struct origin origin = {.blob = blob};
    return create(pd, &origin, out, trace, note);
}

dnnl_status_t primitive_impl_create_stage(const struct dnnl_primitive_desc *pd,
        const struct program_blob *blob, struct primitive_impl **out,
        struct program_trace *trace, struct shared_text **note)
{
    const struct origin origin = {.blob = blob, .is_stage = true};
    return create(pd, &origin, out, trace, note);
}
