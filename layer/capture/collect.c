/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/collect.h"

#include "layer/driver/next_layer.h"
#include "layer/driver/quirks.h"
#include "layer/programs/launches.h"
#include "layer/programs/moved.h"
#include "src/drivers/build_marks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Texts that live until the record is written. */
struct texts {
    char **list;
    size_t count;
    bool failed;
};

static char *keep_room(struct texts *texts, size_t size)
{
    char **list = realloc(texts->list, (texts->count + 1) * sizeof *list);
    char *text = list != NULL ? calloc(1, size + 1) : NULL;
    if (list != NULL) texts->list = list;
    if (text == NULL) {
        texts->failed = true;
        return NULL;
    }
    texts->list[texts->count++] = text;
    return text;
}

static void texts_fini(struct texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->list[i]);
    free(texts->list);
}

/* One query of any of the four kinds. */
struct query {
    cl_program program;
    cl_device_id device;
    cl_kernel kernel;
    cl_uint arg;
    cl_int (*ask)(const struct query *query, cl_uint what, size_t capacity,
            void *value, size_t *size);
};

static cl_int ask_program(const struct query *q, cl_uint what, size_t capacity,
        void *value, size_t *size)
{
    return next_layer->clGetProgramInfo(
            q->program, what, capacity, value, size);
}

static cl_int ask_build(const struct query *q, cl_uint what, size_t capacity,
        void *value, size_t *size)
{
    return next_layer->clGetProgramBuildInfo(
            q->program, q->device, what, capacity, value, size);
}

static cl_int ask_kernel(const struct query *q, cl_uint what, size_t capacity,
        void *value, size_t *size)
{
    return next_layer->clGetKernelInfo(q->kernel, what, capacity, value, size);
}

static cl_int ask_arg(const struct query *q, cl_uint what, size_t capacity,
        void *value, size_t *size)
{
    return next_layer->clGetKernelArgInfo(
            q->kernel, q->arg, what, capacity, value, size);
}

/* Errors that say nothing of the program: the next time it may be another. */
static bool is_passing(cl_int err)
{
    return err == CL_OUT_OF_HOST_MEMORY || err == CL_OUT_OF_RESOURCES
           || err == CL_MEM_OBJECT_ALLOCATION_FAILURE
           || err == CL_DEVICE_NOT_AVAILABLE;
}

/* A number of the driver's; stays as it is if the driver does not tell. */
static cl_int get_number(struct texts *texts, const struct query *query,
        cl_uint what, size_t size, void *value)
{
    const cl_int err = query->ask(query, what, size, value, NULL);
    if (is_passing(err)) texts->failed = true;
    return err;
}

/* A text of the driver's; "" if it does not tell, with the error in *error
 * (which may be NULL). *size counts what the driver gives. */
static char *get_text(struct texts *texts, const struct query *query,
        cl_uint what, uint64_t *size_out, cl_int *error)
{
    static char none[1];
    size_t size = 0;
    cl_int err = query->ask(query, what, 0, NULL, &size);
    char *text = keep_room(texts, err == CL_SUCCESS ? size : 0);
    if (text == NULL) return none;
    if (err == CL_SUCCESS && size > 0)
        err = query->ask(query, what, size, text, NULL);
    if (err != CL_SUCCESS) {
        if (is_passing(err)) texts->failed = true;
        text[0] = '\0';
        size = 0;
    }
    if (size_out != NULL) *size_out = size;
    if (error != NULL) *error = err;
    return text;
}

/* As the application gave them. */
static const char *get_options(struct texts *texts, const struct query *query)
{
    char *options =
            get_text(texts, query, CL_PROGRAM_BUILD_OPTIONS, NULL, NULL);
    if (options[0] != '\0') build_marks_remove(options);
    return options;
}

static void collect_arg(
        struct texts *texts, struct query *query, struct arg_facts *arg)
{
    cl_int *const status = arg->status;
    status[0] = get_number(texts, query, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
            sizeof arg->address, &arg->address);
    status[1] = get_number(texts, query, CL_KERNEL_ARG_ACCESS_QUALIFIER,
            sizeof arg->access, &arg->access);
    arg->type_name =
            get_text(texts, query, CL_KERNEL_ARG_TYPE_NAME, NULL, &status[2]);
    status[3] = get_number(texts, query, CL_KERNEL_ARG_TYPE_QUALIFIER,
            sizeof arg->type, &arg->type);
    arg->name = get_text(texts, query, CL_KERNEL_ARG_NAME, NULL, &status[4]);
}

/* Before the kernel has any argument, which may add to it. */
static uint64_t local_bytes(struct texts *texts, const struct query *query)
{
    cl_ulong bytes = 0;
    if (!quirk_counts_local_bytes_by_form(query->device)) return facts_no_bytes;
    const cl_int err =
            next_layer->clGetKernelWorkGroupInfo(query->kernel, query->device,
                    CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (is_passing(err)) texts->failed = true;
    return err == CL_SUCCESS ? bytes : facts_no_bytes;
}

static bool collect_kernel(
        struct texts *texts, struct query *query, struct kernel_facts *facts)
{
    cl_uint count = 0;
    query->ask = ask_kernel;
    facts->name = get_text(texts, query, CL_KERNEL_FUNCTION_NAME, NULL, NULL);
    facts->attributes =
            get_text(texts, query, CL_KERNEL_ATTRIBUTES, NULL, NULL);
    facts->local_bytes = local_bytes(texts, query);
    if (query->ask(query, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL)
            != CL_SUCCESS)
        return false;
    facts->args = calloc((size_t)count + 1, sizeof *facts->args);
    if (facts->args == NULL) return false;
    facts->arg_count = count;
    query->ask = ask_arg;
    for (query->arg = 0; query->arg <= count; query->arg++)
        collect_arg(texts, query, &facts->args[query->arg]);
    return facts->name[0] != '\0';
}

static bool collect_kernels(
        struct texts *texts, struct query *query, struct facts *facts)
{
    cl_uint count = 0;
    const cl_int err = next_layer->clCreateKernelsInProgram(
            query->program, 0, NULL, &count);
    if (err != CL_SUCCESS || count == 0)
        return !is_passing(err); /* of functions only it is a program, too */
    cl_kernel *kernels = calloc(count, sizeof(cl_kernel));
    facts->kernels = calloc(count, sizeof *facts->kernels);
    bool ok = kernels != NULL && facts->kernels != NULL
              && next_layer->clCreateKernelsInProgram(
                         query->program, count, kernels, NULL)
                         == CL_SUCCESS;
    if (!ok) {
        free(kernels);
        return false;
    }
    facts->kernel_count = count;
    for (cl_uint i = 0; i < count; i++) {
        query->kernel = kernels[i];
        ok = ok && collect_kernel(texts, query, &facts->kernels[i]);
        next_layer->clReleaseKernel(kernels[i]);
    }
    free(kernels);
    return ok;
}

static atomic_uint_least64_t told_ns; /* 0: nobody told */

__attribute__((visibility("default"))) void dnnl_cache_layer_set_compile_ns(
        uint64_t ns)
{
    atomic_store(&told_ns, ns);
}

static atomic_bool told_full;

__attribute__((visibility("default"))) void dnnl_cache_layer_set_full(
        bool is_full)
{
    atomic_store(&told_full, is_full);
}

uint64_t collect_compile_ns(const struct build *build)
{
    const uint64_t told = atomic_load(&told_ns);
    return told > 0 ? told : build->compile_ns;
}

bool collect_facts(cl_program program, struct build *build, size_t device,
        struct bytes *bytes)
{
    struct facts facts = {.compile_ns = collect_compile_ns(build),
            .is_full = atomic_load(&told_full)};
    struct texts texts = {0};
    struct query query = {
            .program = program, .device = build->devices[device].device};
    size_t global_bytes = 0;
    size_t number = 0;

    query.ask = ask_program;
    facts.kernel_names = get_text(
            &texts, &query, CL_PROGRAM_KERNEL_NAMES, NULL, &facts.names_status);
    facts.number_status = get_number(
            &texts, &query, CL_PROGRAM_NUM_KERNELS, sizeof number, &number);
    query.ask = ask_build;
    facts.options = get_options(&texts, &query);
    facts.log = get_text(
            &texts, &query, CL_PROGRAM_BUILD_LOG, &facts.log_size, NULL);
    facts.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    (void)get_number(&texts, &query, CL_PROGRAM_BINARY_TYPE,
            sizeof facts.binary_type, &facts.binary_type);
    facts.global_bytes = get_number(&texts, &query,
                                 CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                 sizeof global_bytes, &global_bytes)
                                         == CL_SUCCESS
                                 ? global_bytes
                                 : facts_no_bytes;

    /* Intel's driver for CPUs dies of being asked for an object's. */
    const bool has_kernels =
            facts.binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    bool ok = (!has_kernels || collect_kernels(&texts, &query, &facts))
              && !texts.failed && launches_add_facts(build, device, &facts)
              && moved_encode(build, &facts, bytes);
    facts_free_lists(&facts);
    texts_fini(&texts);
    return ok;
}
