/* SPDX-License-Identifier: Apache-2.0 */
#include "keep.h"

#include "clock.h"
#include "collect.h"
#include "print.h"
#include "settings.h"
#include "statistics.h"
#include "storage.h"
#include "trace.h"
#include "watch.h"

#include <stdlib.h>

/* What asking for a kernel's binary took, on average: drivers that compile for
 * it take that long for each kernel. */
static atomic_uint_least64_t asked_ns;
static atomic_uint_least64_t asked_kernels;

static bool takes_too_long(size_t kernel_count)
{
    const uint64_t limit = layer_settings()->harvest_limit_ms;
    const uint64_t kernels = atomic_load(&asked_kernels);
    if (limit == 0 || kernels == 0) return false;
    return atomic_load(&asked_ns) / kernels * kernel_count / 1000000u > limit;
}

/* 0 if it has none, as an object that is not linked, or the driver does not
 * tell. */
static size_t count_kernels(const struct layer_program *program)
{
    size_t count = 0;
    const cl_int err = clGetProgramInfo(program->handle, CL_PROGRAM_NUM_KERNELS,
            sizeof count, &count, NULL);
    return err == CL_SUCCESS ? count : 0;
}

/* The blob of the program, malloc'ed; NULL: the driver or memory failed. */
static uint8_t *make_blob(const struct layer_program *program,
        const struct build *build, const struct built_device *d, size_t *size)
{
    struct bytes record;
    dnnl_cache_program_t adopted = NULL;
    uint8_t *blob = NULL;
    if (!collect_facts(program->handle, d->device, build->compile_ns, &record))
        return NULL;
    dnnl_status_t st =
            dnnl_cache_program_adopt(&adopted, d->desc, program->handle);
    if (st == dnnl_success)
        st = dnnl_cache_program_set_user_data(
                adopted, record.size, record.data);
    free(record.data);
    if (st == dnnl_success)
        st = dnnl_cache_program_get_cache_blob(adopted, size, NULL);
    if (st == dnnl_success && *size > 0) blob = malloc(*size);
    if (blob != NULL
            && dnnl_cache_program_get_cache_blob(adopted, size, blob)
                       != dnnl_success) {
        free(blob);
        blob = NULL;
    }
    dnnl_cache_program_destroy(adopted);
    return blob;
}

static void not_kept(const struct built_device *d, enum layer_reason reason,
        uint64_t query_ns)
{
    statistics_count_not_kept(reason, query_ns);
    trace_not_kept(reason, NULL, d->id_size, d->id);
}

static void put(const struct build *build, const struct built_device *d,
        const uint8_t *blob, size_t size, uint64_t query_ns)
{
    switch (storage_put(d->id_size, d->id, size, blob, build->compile_ns)) {
    case storage_kept:
    case storage_unchanged:
        statistics_count_kept(size, query_ns);
        trace_kept(d->id_size, d->id);
        break;
    case storage_too_small:
        not_kept(d, layer_reason_too_small, query_ns);
        break;
    case storage_too_large:
        not_kept(d, layer_reason_too_large, query_ns);
        break;
    case storage_not_kept:
        not_kept(d, layer_reason_store, query_ns);
        break;
    }
}

static void keep_device(const struct layer_program *program,
        const struct build *build, const struct built_device *d)
{
    struct storage_entry entry;
    size_t size = 0;
    if (storage_get(&entry, d->id_size, d->id)) { /* another's was faster */
        storage_release(&entry);
        return;
    }
    const size_t kernels = count_kernels(program);
    if (takes_too_long(kernels)) {
        not_kept(d, layer_reason_slow_query, 0);
        return;
    }
    const uint64_t start = clock_now_ns();
    watch_work_begin();
    uint8_t *blob = make_blob(program, build, d, &size);
    watch_work_end();
    const uint64_t query_ns = clock_now_ns() - start;
    if (blob == NULL) {
        print_failure("harvest", "the driver gives no binary");
        not_kept(d, layer_reason_failed, query_ns);
        return;
    }
    atomic_fetch_add(&asked_ns, query_ns);
    atomic_fetch_add(&asked_kernels, kernels > 0 ? kernels : 1);
    put(build, d, blob, size, query_ns);
    free(blob);
}

/* The program's build, if it is to be kept, with a reference; it counts as
 * settled from now on. NULL: nothing is to be done. */
static struct build *take_over(struct layer_program *program)
{
    pthread_mutex_lock(&program->lock);
    struct build *build = program->build;
    if (build != NULL && (build->shadow != NULL || build->is_settled))
        build = NULL;
    if (build != NULL) {
        build->is_settled = true;
        build_hold(build);
    }
    pthread_mutex_unlock(&program->lock);
    return build;
}

/* Meanwhile the application may use the program, but who would build it anew
 * waits: see keep_prevent(). */
void keep_program(struct layer_program *program)
{
    pthread_mutex_lock(&program->harvest_lock);
    struct build *build = take_over(program);
    for (size_t i = 0; build != NULL && i < build->count; i++)
        if (!build->devices[i].is_kept)
            keep_device(program, build, &build->devices[i]);
    build_release(build);
    pthread_mutex_unlock(&program->harvest_lock);
}

bool keep_prevent(struct layer_program *program)
{
    pthread_mutex_lock(&program->harvest_lock);
    struct build *build = take_over(program);
    pthread_mutex_unlock(&program->harvest_lock);
    build_release(build);
    return build != NULL;
}
