/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver alone needs for the programs that a model loader keeps:
 * clCreateProgramWithBinary, clBuildProgram and clCreateKernel of each, one
 * after the other. Prints one line of JSON.
 */
#include "device.h"
#include "failure.h"
#include "samples.h"
#include "scratch.h"
#include "tools/common/text/json.h"

#include <dnnl_cache/store_types.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_programs = 256, most_kernels = 64 };

struct program {
    uint8_t *binary;
    size_t size;
    char *kernels[most_kernels];
    size_t kernel_count;
};

static struct program programs[most_programs];
static size_t program_count;

/* ---- What the store has -------------------------------------------------- */

static dnnl_status_t take_kernel(const dnnl_cache_blob_part_t *part, void *user)
{
    struct program *p = user;
    if (part->kind != dnnl_cache_blob_part_kernel) return dnnl_success;
    if (p->kernel_count == most_kernels) return dnnl_unimplemented;
    p->kernels[p->kernel_count] = strdup(part->name);
    if (p->kernels[p->kernel_count] == NULL) return dnnl_out_of_memory;
    p->kernel_count++;
    return dnnl_success;
}

static bool take_program(size_t size, const uint8_t *blob)
{
    struct program *p = &programs[program_count];
    if (!succeeded(dnnl_cache_blob_get_program_binary(
                           size, blob, 0, &p->size, NULL),
                "dnnl_cache_blob_get_program_binary"))
        return false;
    p->binary = malloc(p->size);
    if (p->binary == NULL) return false;
    program_count++;
    return succeeded(dnnl_cache_blob_get_program_binary(
                             size, blob, 0, &p->size, p->binary),
                   "dnnl_cache_blob_get_program_binary")
           && succeeded(dnnl_cache_blob_describe(size, blob, take_kernel, p),
                   "dnnl_cache_blob_describe");
}

struct walk {
    const dnnl_cache_store_t *callbacks;
    bool ok;
};

static bool visit(void *user, const struct dnnl_cache_store_entry *item)
{
    struct walk *walk = user;
    size_t size = 0;
    const uint8_t *blob = NULL;
    if (item->kind != dnnl_cache_blob_kind_program) return true;
    walk->ok = program_count < most_programs
               && succeeded(walk->callbacks->get(walk->callbacks->user,
                                    item->id_size, item->id, &size, &blob),
                       "get");
    if (!walk->ok) return false;
    walk->ok = take_program(size, blob);
    walk->callbacks->release(walk->callbacks->user, size, blob);
    return walk->ok;
}

static bool read_store(const char *path)
{
    dnnl_cache_store_handle_t *store;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = path;
    options.read_only = true;
    const struct dnnl_cache_store_type *type = dnnl_cache_store_find_type_at(
            options.path, dnnl_cache_store_get_default_type());
    if (!succeeded(dnnl_cache_store_open(&store, type->name, &options),
                "opening the store"))
        return false;
    struct walk walk = {dnnl_cache_store_get_callbacks(store), true};
    const bool ok = succeeded(dnnl_cache_store_iterate(store, visit, &walk),
                            "dnnl_cache_store_iterate")
                    && walk.ok;
    dnnl_cache_store_close(store);
    return ok;
}

/* ---- The driver ---------------------------------------------------------- */

static bool load(cl_context context, cl_device_id device, struct program *p)
{
    cl_int err;
    const unsigned char *binary = p->binary;
    cl_program program = clCreateProgramWithBinary(
            context, 1, &device, &p->size, &binary, NULL, &err);
    if (!cl_succeeded(err, "clCreateProgramWithBinary")) return false;
    if (!cl_succeeded(clBuildProgram(program, 1, &device, "", NULL, NULL),
                "clBuildProgram"))
        return false;
    for (size_t i = 0; i < p->kernel_count; i++) {
        cl_kernel kernel = clCreateKernel(program, p->kernels[i], &err);
        if (!cl_succeeded(err, "clCreateKernel")) return false;
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    return true;
}

static bool measure(const char *platform)
{
    struct device device;
    if (!device_find(platform, &device)) return false;
    cl_context context = device_context(&device);
    if (context == NULL) return false;
    const uint64_t start = clock_ns();
    for (size_t i = 0; i < program_count; i++)
        if (!load(context, device.id, &programs[i])) return false;
    const double ms = (double)(clock_ns() - start) / 1e6;
    struct json json;
    json_init_line(&json, stdout);
    json_begin_object(&json, NULL);
    json_number(&json, "programs", program_count);
    json_real(&json, "ms", ms);
    json_end_object(&json);
    clReleaseContext(context);
    return true;
}

/* So that the driver's own cache has what a context needs, and no program. */
static bool create_context(const char *platform)
{
    struct device device;
    if (!device_find(platform, &device)) return false;
    cl_context context = device_context(&device);
    if (context != NULL) clReleaseContext(context);
    return context != NULL;
}

int main(int argc, char **argv)
{
    char scratch[4096];
    if (argc == 3 && strcmp(argv[1], "--context") == 0) {
        if (create_context(argv[2])) return 0;
        fprintf(stderr, "model_floor: %s\n", failure_text());
        return 1;
    }
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fprintf(stderr, "usage: model_floor PACK [PLATFORM]\n"
                        "       model_floor --context PLATFORM\n"
                        "Loads every program of a store with the driver alone,"
                        " once; or\ncreates a context, and nothing else.\n");
        return 2;
    }
    if (!scratch_create(scratch, sizeof scratch)
            || !environment_prepare(scratch)) {
        fprintf(stderr, "model_floor: no scratch folder\n");
        return 1;
    }
    const bool ok = read_store(argv[1]) && measure(argc == 3 ? argv[2] : NULL);
    if (!ok) fprintf(stderr, "model_floor: %s\n", failure_text());
    scratch_remove(scratch);
    return ok ? 0 : 1;
}
