/* SPDX-License-Identifier: Apache-2.0 */
/* The least that somebody else's program does with the installed library. */
#include <dnnl_cache.h>

#include <stdio.h>
#include <string.h>

static int version_is_the_headers(void)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%d.%d.%d", DNNL_CACHE_VERSION_MAJOR,
            DNNL_CACHE_VERSION_MINOR, DNNL_CACHE_VERSION_PATCH);
    return strcmp(text, dnnl_cache_version()) == 0;
}

/* The ID of the first engine: true if there is none, or it has one. */
static int engine_has_id(void)
{
    dnnl_engine_t engine = NULL;
    cl_device_id device = NULL;
    size_t size = 0;
    if (dnnl_engine_get_count(dnnl_gpu) == 0) return 1;
    int good = dnnl_engine_create(&engine, dnnl_gpu, 0) == dnnl_success
               && dnnl_ocl_interop_get_device(engine, &device) == dnnl_success
               && dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, NULL)
                          == dnnl_success
               && size > 0;
    return dnnl_engine_destroy(engine) == dnnl_success && good;
}

#if DNNL_CACHE_PRIMITIVES
static int primitives_are_there(void)
{
    int capacity = -1;
    return dnnl_get_primitive_cache_capacity(&capacity) == dnnl_success
           && capacity > 0;
}
#endif

int main(void)
{
    if (!version_is_the_headers()) {
        (void)fprintf(stderr, "library %s is not the header's\n",
                dnnl_cache_version());
        return 1;
    }
    if (!engine_has_id()) {
        (void)fprintf(stderr, "the first engine has no ID\n");
        return 1;
    }
#if DNNL_CACHE_PRIMITIVES
    if (!primitives_are_there()) return 1;
#endif
#if DNNL_CACHE_PRIMITIVES != EXPECT_PRIMITIVES
    (void)fprintf(
            stderr, "DNNL_CACHE_PRIMITIVES is %d\n", DNNL_CACHE_PRIMITIVES);
    return 1;
#else
    return 0;
#endif
}
