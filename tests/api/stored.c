/* SPDX-License-Identifier: Apache-2.0 */
#include "stored.h"

#include "small_primitives.h"

#include "test.h"

#include <string.h>

void stored_open(struct stored *x)
{
    rig_open(&x->rig, 0);
    memory_store_open(&x->store);
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
}

void stored_close(struct stored *x)
{
    x->store.hook = NULL;
    rig_close(&x->rig);
    memory_store_close(&x->store);
}

void stored_restart(struct stored *x)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(x->rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &x->rig.engine, x->rig.device, x->rig.context));
    EXPECT_OK(dnnl_cache_engine_set_store(x->rig.engine, &x->store.callbacks));
}

/* ---- What is asked for --------------------------------------------------- */

static dnnl_status_t create_relu(
        dnnl_engine_t engine, dnnl_primitive_t *primitive)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t st = try_relu_desc(&pd, engine, 100, 0.5f);
    if (st == dnnl_success) st = dnnl_primitive_create(primitive, pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return st;
}

dnnl_status_t try_relu(dnnl_engine_t engine, dnnl_cache_origin_t *origin)
{
    dnnl_primitive_t primitive = NULL;
    *origin = dnnl_cache_origin_none;
    dnnl_status_t st = create_relu(engine, &primitive);
    if (st == dnnl_success) *origin = origin_of(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    return st;
}

dnnl_cache_origin_t relu_origin(dnnl_engine_t engine)
{
    dnnl_cache_origin_t origin;
    EXPECT_OK(try_relu(engine, &origin));
    return origin;
}

/* Text of a creation info lives with its object. */
static void forget_texts(dnnl_cache_creation_info_t *info)
{
    info->blob_reason = NULL;
    info->not_cacheable_reason = NULL;
}

dnnl_cache_creation_info_t relu_info(dnnl_engine_t engine)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(create_relu(engine, &primitive));
    EXPECT_OK(dnnl_cache_primitive_get_creation_info(primitive, &info));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    forget_texts(&info);
    return info;
}

dnnl_cache_creation_info_t facts_info(dnnl_engine_t engine)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_engine_get_creation_info(engine, &info));
    forget_texts(&info);
    return info;
}

/* ---- Blobs --------------------------------------------------------------- */

void good_blobs_make(struct good_blobs *good, struct stored *x)
{
    EXPECT_EQ(dnnl_cache_origin_compiled, relu_origin(x->rig.engine));
    good->engine = memory_store_only(&x->store, dnnl_cache_blob_kind_engine);
    good->program = memory_store_only(&x->store, dnnl_cache_blob_kind_program);
}

void good_blobs_free(struct good_blobs *good)
{
    bytes_free(&good->engine.id);
    bytes_free(&good->engine.blob);
    bytes_free(&good->program.id);
    bytes_free(&good->program.blob);
}

static void expect_same(
        const struct memory_store_entry *a, struct memory_store_entry b)
{
    EXPECT_BYTES_EQ(a->id.data, a->id.size, b.id.data, b.id.size);
    EXPECT_BYTES_EQ(a->blob.data, a->blob.size, b.blob.data, b.blob.size);
    bytes_free(&b.id);
    bytes_free(&b.blob);
}

void expect_good_blobs(const struct good_blobs *good, struct stored *x)
{
    EXPECT_EQ(2, memory_store_count(&x->store, dnnl_cache_blob_kind_undef));
    expect_same(&good->engine,
            memory_store_only(&x->store, dnnl_cache_blob_kind_engine));
    expect_same(&good->program,
            memory_store_only(&x->store, dnnl_cache_blob_kind_program));
}

/* ---- Statistics ---------------------------------------------------------- */

void expect_moved(const dnnl_cache_statistics_t *before, unsigned hits,
        unsigned misses, unsigned puts, unsigned failures)
{
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_EQ(hits, now.store_hits - before->store_hits);
    EXPECT_EQ(misses, now.store_misses - before->store_misses);
    EXPECT_EQ(puts, now.store_puts - before->store_puts);
    EXPECT_EQ(failures, now.store_failures - before->store_failures);
}

/* ---- Gates --------------------------------------------------------------- */

void gate_init(struct gate *gate)
{
    memset(gate, 0, sizeof *gate);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->moved, NULL);
}

void gate_fini(struct gate *gate)
{
    pthread_cond_destroy(&gate->moved);
    pthread_mutex_destroy(&gate->lock);
}

void gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->waiting++;
    pthread_cond_broadcast(&gate->moved);
    while (!gate->is_open)
        pthread_cond_wait(&gate->moved, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

void gate_await(struct gate *gate, unsigned threads)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->waiting < threads)
        pthread_cond_wait(&gate->moved, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    pthread_cond_broadcast(&gate->moved);
    pthread_mutex_unlock(&gate->lock);
}
