/* SPDX-License-Identifier: Apache-2.0 */
#include "run_primitive.h"

#include "test.h"
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 96 };

/* ---- Engines ------------------------------------------------------------- */

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "run_primitive: %s failed\n", what);
    abort();
}

dnnl_engine_t test_engine(void)
{
    static dnnl_engine_t engine;
    if (engine == NULL) engine = test_platform_engine();
    must(engine != NULL, "making an engine");
    return engine;
}

dnnl_primitive_desc_t untouched_pd(void)
{
    static const char untouched;
    return (dnnl_primitive_desc_t)(uintptr_t)&untouched;
}

dnnl_status_t tried(dnnl_status_t st, dnnl_primitive_desc_t pd)
{
    if (st == dnnl_success)
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    else
        EXPECT_PTR_EQ(untouched_pd(), pd);
    return st;
}

dnnl_engine_t test_host(void)
{
    static dnnl_engine_t engine;
    if (engine == NULL)
        must(dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success,
                "making the host's engine");
    return engine;
}

bool test_takes_half(void)
{
    const float scale = 1.0f;
    const dnnl_prop_kind_t kind = dnnl_forward_inference;
    dnnl_engine_t engine = test_engine();
    dnnl_memory_desc_t md = plain_md(1, (dnnl_dims_t){1}, dnnl_f16);
    const_dnnl_memory_desc_t src = md;
    dnnl_primitive_desc_t pd[5];
    for (size_t i = 0; i < COUNT(pd); i++)
        pd[i] = untouched_pd();
    const dnnl_status_t st[COUNT(pd)] = {
            dnnl_eltwise_forward_primitive_desc_create(&pd[0], engine, kind,
                    dnnl_eltwise_abs, md, md, 0.0f, 0.0f, NULL),
            dnnl_softmax_forward_primitive_desc_create(&pd[1], engine, kind,
                    dnnl_softmax_accurate, md, md, 0, NULL),
            dnnl_concat_primitive_desc_create(
                    &pd[2], engine, NULL, 1, 0, &src, NULL),
            dnnl_sum_primitive_desc_create(
                    &pd[3], engine, NULL, 1, &scale, &src, NULL),
            dnnl_reorder_primitive_desc_create(
                    &pd[4], md, engine, md, engine, NULL)};
    for (size_t i = 0; i < COUNT(pd); i++)
        EXPECT_STATUS(st[0], tried(st[i], pd[i]));
    if (st[0] != dnnl_success) EXPECT_STATUS(dnnl_unimplemented, st[0]);
    return st[0] == dnnl_success;
}

dnnl_status_t try_describe(describe_primitive describe, const void *user)
{
    dnnl_primitive_desc_t pd = untouched_pd();
    dnnl_status_t st = describe(&pd, test_engine(), user);
    return tried(st, pd);
}

static void end_primitive(void *primitive)
{
    dnnl_primitive_destroy(primitive);
}

dnnl_cache_origin_t test_created(describe_primitive describe, const void *user)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(describe(&pd, test_engine(), user));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    dnnl_primitive_desc_destroy(pd);
    test_at_end(end_primitive, primitive);
    EXPECT_OK(dnnl_cache_primitive_get_creation_info(primitive, &info));
    return info.origin;
}

/* An engine from the other's blob, in a context of its own, that may not
 * compile. */
static dnnl_engine_t make_warm_engine(void)
{
    cl_device_id device = test_platform_device();
    cl_int error;
    size_t size = 0;
    dnnl_engine_t engine;
    must(dnnl_ocl_interop_engine_get_cache_blob(test_engine(), &size, NULL)
                    == dnnl_success,
            "asking for the engine's blob");
    uint8_t *blob = malloc(size);
    must(blob != NULL
                    && dnnl_ocl_interop_engine_get_cache_blob(
                               test_engine(), &size, blob)
                               == dnnl_success,
            "getting the engine's blob");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error == CL_SUCCESS, "clCreateContext");
    must(dnnl_ocl_interop_engine_create_from_cache_blob(
                 &engine, device, context, size, blob)
                    == dnnl_success,
            "making an engine from its blob");
    must(dnnl_cache_engine_set_compile_mode(
                 engine, dnnl_cache_compile_mode_cached_only)
                    == dnnl_success,
            "forbidding to compile");
    clReleaseContext(context);
    free(blob);
    return engine;
}

dnnl_engine_t test_warm_engine(void)
{
    static dnnl_engine_t engine;
    if (engine == NULL) engine = make_warm_engine();
    return engine;
}

/* ---- Blobs --------------------------------------------------------------- */

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes id_of(const_dnnl_primitive_desc_t pd)
{
    struct bytes id = {NULL, 0};
    must(dnnl_cache_primitive_desc_get_cache_blob_id(pd, &id.size, NULL)
                    == dnnl_success,
            "asking for an ID");
    id.data = malloc(id.size + 1);
    must(id.data != NULL
                    && dnnl_cache_primitive_desc_get_cache_blob_id(
                               pd, &id.size, id.data)
                               == dnnl_success,
            "getting an ID");
    return id;
}

static struct bytes blob_of(const_dnnl_primitive_t primitive)
{
    struct bytes blob = {NULL, 0};
    must(dnnl_primitive_get_cache_blob(primitive, &blob.size, NULL)
                    == dnnl_success,
            "asking for a blob");
    blob.data = malloc(blob.size + 1);
    must(blob.data != NULL
                    && dnnl_primitive_get_cache_blob(
                               primitive, &blob.size, blob.data)
                               == dnnl_success,
            "getting a blob");
    return blob;
}

static dnnl_cache_origin_t origin_of(const_dnnl_primitive_t primitive)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    must(dnnl_cache_primitive_get_creation_info(primitive, &info)
                    == dnnl_success,
            "asking where a primitive came from");
    return info.origin;
}

/* ---- Execution ----------------------------------------------------------- */

static dnnl_memory_t send(const struct tensor *t, dnnl_engine_t engine)
{
    dnnl_memory_t memory;
    void *mapped;
    dnnl_format_kind_t format = dnnl_format_kind_undef;
    (void)dnnl_memory_desc_query(t->md, dnnl_query_format_kind, &format);
    if (format == dnnl_format_kind_host_scalar) {
        must(dnnl_memory_create_host_scalar(&memory, t->md, t->bytes)
                        == dnnl_success,
                "making a host scalar");
        return memory;
    }
    must(dnnl_memory_create(&memory, t->md, engine, DNNL_MEMORY_ALLOCATE)
                    == dnnl_success,
            "making a memory");
    must(dnnl_memory_map_data(memory, &mapped) == dnnl_success, "mapping");
    if (t->size > 0) memcpy(mapped, t->bytes, t->size);
    must(dnnl_memory_unmap_data(memory, mapped) == dnnl_success, "unmapping");
    return memory;
}

static void receive(dnnl_memory_t memory, uint8_t *bytes, size_t size)
{
    void *mapped;
    must(dnnl_memory_map_data(memory, &mapped) == dnnl_success, "mapping");
    if (size > 0) memcpy(bytes, mapped, size);
    must(dnnl_memory_unmap_data(memory, mapped) == dnnl_success, "unmapping");
}

/* What is executed on, and which of its outputs is looked at. */
struct run {
    const struct run_argument *args;
    int nargs;
    int result_arg;
};

/* Executes on copies of the tensors; the result's bytes go to `result`. */
static bool execute(dnnl_primitive_t primitive, dnnl_engine_t engine,
        const struct run *run, uint8_t *result)
{
    const struct run_argument *args = run->args;
    int nargs = run->nargs;
    dnnl_exec_arg_t exec[MAX_ARGS];
    dnnl_stream_t stream;
    must(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags)
                    == dnnl_success,
            "making a stream");
    for (int i = 0; i < nargs; i++) {
        exec[i].arg = args[i].arg;
        exec[i].memory = NULL;
        for (int j = 0; j < i; j++)
            if (args[j].tensor == args[i].tensor)
                exec[i].memory = exec[j].memory;
        if (exec[i].memory == NULL)
            exec[i].memory = send(args[i].tensor, engine);
    }
    dnnl_status_t st = dnnl_primitive_execute(primitive, stream, nargs, exec);
    if (st == dnnl_success) st = dnnl_stream_wait(stream);
    EXPECT_OK(st);
    dnnl_stream_destroy(stream);
    for (int i = 0; i < nargs; i++)
        if (args[i].arg == run->result_arg)
            receive(exec[i].memory, result, args[i].tensor->size);
    for (int i = 0; i < nargs; i++) {
        bool is_shared = false;
        for (int j = 0; j < i; j++)
            is_shared = is_shared || args[j].tensor == args[i].tensor;
        if (!is_shared) dnnl_memory_destroy(exec[i].memory);
    }
    return st == dnnl_success;
}

static struct tensor *result_tensor(const struct run *run)
{
    for (int i = 0; i < run->nargs; i++)
        if (run->args[i].arg == run->result_arg) return run->args[i].tensor;
    must(false, "finding the result");
    return NULL;
}

/* There is nothing to compute: the test's tensor is empty, and its sizes were
 * known when the primitive was made. */
static bool is_empty(const struct run *run, const_dnnl_primitive_desc_t pd)
{
    return reference_count(&result_tensor(run)->view) == 0
           && dnnl_memory_desc_get_size(
                      dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0))
                      == 0;
}

/* ---- From a blob --------------------------------------------------------- */

static bool run_from_blob(dnnl_primitive_desc_t pd, const struct bytes *blob,
        const struct run *run, uint8_t *result)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_status_t st = dnnl_primitive_create_from_cache_blob(
            &primitive, pd, blob->size, blob->data);
    EXPECT_OK(st);
    if (st != dnnl_success) return false;
    bool ok = execute(primitive, test_warm_engine(), run, result);
    struct bytes again = blob_of(primitive);
    EXPECT_BYTES_EQ(blob->data, blob->size, again.data, again.size);
    free(again.data);
    dnnl_primitive_destroy(primitive);
    return ok;
}

/* The second run: same ID, same bytes of the result, nothing compiled, nothing
 * from the primitive cache. */
static bool run_warm(describe_primitive describe, const void *user,
        const struct bytes *id, const struct bytes *blob, const struct run *run,
        const uint8_t *expected)
{
    size_t size = result_tensor(run)->size;
    uint8_t *result = malloc(size + 1);
    dnnl_primitive_desc_t pd = NULL;
    int capacity;
    must(result != NULL, "an allocation");
    must(dnnl_get_primitive_cache_capacity(&capacity) == dnnl_success
                    && dnnl_set_primitive_cache_capacity(0) == dnnl_success,
            "emptying the primitive cache");
    dnnl_status_t st = describe(&pd, test_warm_engine(), user);
    EXPECT_OK(st);
    bool ok = st == dnnl_success;
    if (ok) {
        struct bytes warm_id = id_of(pd);
        EXPECT_BYTES_EQ(id->data, id->size, warm_id.data, warm_id.size);
        free(warm_id.data);
        ok = run_from_blob(pd, blob, run, result);
    }
    if (ok) EXPECT_BYTES_EQ(expected, size, result, size);
    dnnl_primitive_desc_destroy(pd);
    must(dnnl_set_primitive_cache_capacity(capacity) == dnnl_success,
            "giving the primitive cache its capacity back");
    free(result);
    return ok;
}

/* ---- Both ---------------------------------------------------------------- */

bool run_twice_for(int result_arg, describe_primitive describe,
        const void *user, const struct run_argument *args, int nargs)
{
    const struct run run = {args, nargs, result_arg};
    struct tensor *dst = result_tensor(&run);
    uint8_t *result = malloc(dst->size + 1);
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    must(result != NULL, "an allocation");
    dnnl_status_t st = describe(&pd, test_engine(), user);
    if (st == dnnl_success) st = dnnl_primitive_create(&primitive, pd);
    EXPECT_OK(st);
    bool ok = st == dnnl_success
              && execute(primitive, test_engine(), &run, result);
    if (ok) {
        struct bytes id = id_of(pd);
        struct bytes blob = blob_of(primitive);
        EXPECT_EQ(is_empty(&run, pd),
                origin_of(primitive) == dnnl_cache_origin_none);
        EXPECT_GT(id.size, 0);
        ok = run_warm(describe, user, &id, &blob, &run, result);
        free(id.data);
        free(blob.data);
        memcpy(dst->bytes, result, dst->size);
    }
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    free(result);
    return ok;
}

bool run_twice(describe_primitive describe, const void *user,
        const struct run_argument *args, int nargs)
{
    return run_twice_for(DNNL_ARG_DST, describe, user, args, nargs);
}

void run_and_expect(describe_primitive describe, expected_at expected,
        const void *user, const struct run_argument *args, int nargs)
{
    const struct run run = {args, nargs, DNNL_ARG_DST};
    if (run_twice(describe, user, args, nargs))
        expect_tensor(result_tensor(&run), expected, user);
}
