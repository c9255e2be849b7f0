/* SPDX-License-Identifier: Apache-2.0 */
#include "header_library.h"

#include "dnnl_cache.h"
#include "dnnl_cache/store.h"
#include "dnnl_cache/sys/layer.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    dnnl_cache_store_handle_t *store;
    dnnl_engine_t engine;
    dnnl_cache_program_t program; /* NULL: none */
    long hits;
    long missing;
    long includes;    /* without an ID */
    long environment; /* the same, for a variable that changed */
    long kept;        /* compiled, and for the store */
    long not_kept;    /* compiled, and not what its ID says */
} used;

bool header_library_is_used(void)
{
    return getenv("HEADER_LIBRARY") != NULL;
}

bool header_library_open(cl_context context, cl_device_id device)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = getenv("DNNL_CACHE_DIR");
    return dnnl_cache_store_open(&used.store, "flat", &options) == dnnl_success
           && dnnl_ocl_interop_engine_create(&used.engine, device, context)
                      == dnnl_success
           && dnnl_cache_engine_set_store(
                      used.engine, dnnl_cache_store_get_callbacks(used.store))
                      == dnnl_success;
}

/* A driver whose finalised form is made later (NVIDIA's) has two puts a
 * program: what was compiled, and the same with the form. -1: it had others. */
static long count_kept(const dnnl_cache_statistics_t *now)
{
    const long puts = (long)now->store_puts;
    return puts >= used.kept && puts <= 2 * used.kept ? used.kept : -1;
}

static void write_counts(void)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    const char *path = getenv("DNNL_CACHE_STATS");
    FILE *out = path != NULL ? fopen(path, "w") : NULL;
    if (out == NULL || dnnl_cache_get_statistics(&now) != dnnl_success) return;
    fprintf(out,
            "{\"hits\":%ld,\"kept\":%ld,\"misses_by\":{\"missing\":%ld,"
            "\"includes\":%ld,\"environment\":%ld},"
            "\"not_kept_by\":{\"includes\":%ld}}\n",
            used.hits, count_kept(&now), used.missing, used.includes,
            used.environment, used.not_kept);
    (void)fclose(out);
}

void header_library_close(void)
{
    dnnl_engine_destroy(used.engine);
    dnnl_cache_store_close(used.store);
    write_counts();
}

static void count(const_dnnl_cache_program_desc_t desc)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    const char *variable = NULL;
    int has_id = 0;
    int is_kept = 0;
    (void)dnnl_cache_program_desc_is_cacheable(desc, &has_id, NULL);
    (void)dnnl_cache_program_is_cacheable(used.program, &is_kept, NULL);
    (void)dnnl_cache_program_get_creation_info(used.program, &info);
    (void)dnnl_cache_find_changed_variable(&variable);
    if (variable != NULL)
        used.environment++;
    else if (!has_id)
        used.includes++;
    else if (info.origin == dnnl_cache_origin_compiled)
        used.missing++;
    else
        used.hits++;
    if (has_id && !is_kept) used.not_kept++;
    if (has_id && is_kept && info.origin == dnnl_cache_origin_compiled)
        used.kept++;
}

bool header_library_build(
        cl_program *program, const char *options, const char *source)
{
    dnnl_cache_program_desc_t desc = NULL;
    if (!header_library_is_used()) return false;
    dnnl_status_t st = dnnl_cache_program_desc_create(
            &desc, used.engine, 1, &source, NULL, options);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_set_include_following(desc, 1);
    if (st == dnnl_success) st = dnnl_cache_program_create(&used.program, desc);
    if (st == dnnl_success) {
        count(desc);
        st = dnnl_cache_program_get_cl_program(used.program, program);
    }
    dnnl_cache_program_desc_destroy(desc);
    return st == dnnl_success;
}

void header_library_release(void)
{
    /* Its kernel has run. */
    if (used.program != NULL) (void)dnnl_cache_program_capture(used.program);
    dnnl_cache_program_destroy(used.program);
    used.program = NULL;
}
