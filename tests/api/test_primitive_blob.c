/* SPDX-License-Identifier: Apache-2.0 */
/* IDs and blobs of primitives, primitives made from them, and blobs that are
 * refused. */
#include "blob_edit.h"
#include "log_capture.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <string.h>

/* A rig with a relu of 100 elements and a blob of it, and nothing of it in
 * memory. */
struct warm {
    struct rig rig;
    dnnl_primitive_desc_t pd;
    struct bytes blob;
};

/* Drops the engine and all that memory keeps: what follows is another
 * process, as far as the library is concerned. */
static void forget(struct rig *rig)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
}

static dnnl_primitive_t create(const_dnnl_primitive_desc_t pd)
{
    dnnl_primitive_t primitive = NULL;
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    return primitive;
}

static struct bytes blob_of(const_dnnl_primitive_desc_t pd)
{
    dnnl_primitive_t primitive = create(pd);
    struct bytes blob = primitive_blob(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    return blob;
}

static void warm_open(struct warm *w)
{
    rig_open(&w->rig, 0);
    dnnl_primitive_desc_t cold = relu_desc(w->rig.engine, 100, 0.5f);
    w->blob = blob_of(cold);
    EXPECT_OK(dnnl_primitive_desc_destroy(cold));
    forget(&w->rig);
    w->pd = relu_desc(w->rig.engine, 100, 0.5f);
}

static void warm_close(struct warm *w)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    bytes_free(&w->blob);
    rig_close(&w->rig);
}

/* Offers a blob that must be refused, unseen by the driver, and leave no trace
 * in memory: what is created after it is compiled. */
static void expect_refused(dnnl_status_t expected,
        const_dnnl_primitive_desc_t pd, const struct bytes *blob)
{
    dnnl_primitive_t primitive = NULL;
    unsigned long seen = fake_opencl_binary_bytes_seen();
    EXPECT_STATUS(expected, dnnl_primitive_create_from_cache_blob(
                                    &primitive, pd, blob->size, blob->data));
    EXPECT_NULL(primitive);
    EXPECT_EQ(seen, fake_opencl_binary_bytes_seen());
    unsigned long builds = fake_opencl_source_builds();
    primitive = create(pd);
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

/* ---- IDs ----------------------------------------------------------------- */

TEST_C(PrimitiveId, FollowsTheRuleOfSizes)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 7, 0.0f);
    expect_size_query(query_primitive_id, pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

TEST_C(PrimitiveId, IsOneDnnsQuery)
{
    struct rig rig;
    dnnl_dim_t size = 0;
    const uint8_t *id = NULL;
    const uint8_t *again = NULL;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 7, 0.0f);
    struct bytes expected = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_query(
            pd, dnnl_query_cache_blob_id_size_s64, 0, &size));
    EXPECT_OK(dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &id));
    EXPECT_BYTES_EQ(expected.data, expected.size, id, (size_t)size);
    EXPECT_OK(
            dnnl_primitive_desc_query(pd, dnnl_query_cache_blob_id, 0, &again));
    EXPECT_PTR_EQ(id, again);
    bytes_free(&expected);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

TEST_C(PrimitiveId, BuildsNothingButTheProbe)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 7, 0.0f);
    EXPECT_EQ(1, fake_opencl_source_builds());
    struct bytes id = primitive_id(pd);
    EXPECT_GT(id.size, 0);
    EXPECT_EQ(1, fake_opencl_source_builds());
    bytes_free(&id);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

TEST_C(PrimitiveId, BuildsNothingAtAllForAnEngineFromItsBlob)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    EXPECT_OK(dnnl_engine_destroy(rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &rig.engine, rig.device, rig.context, blob.size, blob.data));
    unsigned long builds = fake_opencl_source_builds();
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 7, 0.0f);
    struct bytes id = primitive_id(pd);
    EXPECT_GT(id.size, 0);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    bytes_free(&id);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

TEST_C(PrimitiveId, IsTheSameForEqualDescriptors)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t a = relu_desc(rig.engine, 7, 0.25f);
    struct bytes before = primitive_id(a);
    EXPECT_OK(dnnl_primitive_destroy(create(a)));
    struct bytes after = primitive_id(a);
    forget(&rig);
    dnnl_primitive_desc_t b = relu_desc(rig.engine, 7, 0.25f);
    struct bytes other = primitive_id(b);
    EXPECT_TRUE(bytes_equal(&before, &after));
    EXPECT_TRUE(bytes_equal(&before, &other));
    bytes_free(&before);
    bytes_free(&after);
    bytes_free(&other);
    EXPECT_OK(dnnl_primitive_desc_destroy(a));
    EXPECT_OK(dnnl_primitive_desc_destroy(b));
    rig_close(&rig);
}

/* An eltwise descriptor with all that can differ. */
struct variant {
    dnnl_prop_kind_t prop_kind;
    dnnl_alg_kind_t alg_kind;
    float alpha;
    float beta;
    dnnl_dim_t rows;
    dnnl_format_tag_t tag;
    int post_op_count;
    dnnl_alg_kind_t post_ops[2];
    float post_op_alpha;
};

static struct bytes id_of_variant(dnnl_engine_t engine, struct variant v)
{
    const dnnl_dims_t dims = {v.rows, 5};
    dnnl_memory_desc_t md = NULL;
    dnnl_post_ops_t post_ops = NULL;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_primitive_desc_t pd = NULL;
    EXPECT_OK(dnnl_memory_desc_create_with_tag(&md, 2, dims, dnnl_f32, v.tag));
    EXPECT_OK(dnnl_post_ops_create(&post_ops));
    for (int i = 0; i < v.post_op_count; i++)
        EXPECT_OK(dnnl_post_ops_append_eltwise(
                post_ops, v.post_ops[i], v.post_op_alpha, 1.0f));
    EXPECT_OK(dnnl_primitive_attr_create(&attr));
    EXPECT_OK(dnnl_primitive_attr_set_post_ops(attr, post_ops));
    EXPECT_OK(dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
            v.prop_kind, v.alg_kind, md, md, v.alpha, v.beta, attr));
    struct bytes id = primitive_id(pd);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_attr_destroy(attr));
    EXPECT_OK(dnnl_post_ops_destroy(post_ops));
    EXPECT_OK(dnnl_memory_desc_destroy(md));
    return id;
}

static const struct variant base_variant = {.prop_kind = dnnl_forward_inference,
        .alg_kind = dnnl_eltwise_linear,
        .alpha = 0.5f,
        .beta = 0.25f,
        .rows = 3,
        .tag = dnnl_ab,
        .post_op_count = 2,
        .post_ops = {dnnl_eltwise_relu, dnnl_eltwise_linear},
        .post_op_alpha = 0.125f};

/* Notes a failure unless the variant's ID differs in exactly that field. */
static void expect_counts(struct variant other, const char *field)
{
    struct rig rig;
    rig_open(&rig, 0);
    struct bytes a = id_of_variant(rig.engine, base_variant);
    struct bytes b = id_of_variant(rig.engine, other);
    expect_id_diff(field, &a, &b);
    bytes_free(&a);
    bytes_free(&b);
    rig_close(&rig);
}

TEST_C(PrimitiveId, HasThePropagationKind)
{
    struct variant v = base_variant;
    v.prop_kind = dnnl_forward_training;
    expect_counts(v, "op_desc");
}

TEST_C(PrimitiveId, HasTheAlgorithm)
{
    struct variant v = base_variant;
    v.alg_kind = dnnl_eltwise_hardswish;
    expect_counts(v, "op_desc");
}

TEST_C(PrimitiveId, HasTheAlgorithmsParameters)
{
    struct variant v = base_variant;
    v.alpha = 0.75f;
    expect_counts(v, "op_desc");
    v = base_variant;
    v.beta = 0.75f;
    expect_counts(v, "op_desc");
}

TEST_C(PrimitiveId, HasTheShape)
{
    struct variant v = base_variant;
    v.rows = 4;
    expect_counts(v, "memory_desc");
}

TEST_C(PrimitiveId, HasTheLayout)
{
    struct variant v = base_variant;
    v.tag = dnnl_ba;
    expect_counts(v, "memory_desc");
}

TEST_C(PrimitiveId, HasTheNumberOfPostOps)
{
    struct variant v = base_variant;
    v.post_op_count = 1;
    expect_counts(v, "post_ops");
}

TEST_C(PrimitiveId, HasTheKindAndOrderOfPostOps)
{
    struct variant v = base_variant;
    v.post_ops[0] = dnnl_eltwise_linear;
    v.post_ops[1] = dnnl_eltwise_relu;
    expect_counts(v, "post_ops");
}

TEST_C(PrimitiveId, HasThePostOpsParameters)
{
    struct variant v = base_variant;
    v.post_op_alpha = 0.5f;
    expect_counts(v, "post_ops");
}

TEST_C(PrimitiveId, HasTheKindOfPrimitive)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t relu = relu_desc(rig.engine, 4, 0.0f);
    dnnl_primitive_desc_t reorder = NULL;
    EXPECT_OK(try_reorder_desc(&reorder, rig.engine, 4, dnnl_f32));
    struct bytes a = primitive_id(relu);
    struct bytes b = primitive_id(reorder);
    EXPECT_FALSE(bytes_equal(&a, &b));
    bytes_free(&a);
    bytes_free(&b);
    EXPECT_OK(dnnl_primitive_desc_destroy(relu));
    EXPECT_OK(dnnl_primitive_desc_destroy(reorder));
    rig_close(&rig);
}

TEST_C(PrimitiveId, HasTheDataType)
{
    struct rig rig;
    dnnl_primitive_desc_t to_s8 = NULL;
    dnnl_primitive_desc_t to_u8 = NULL;
    rig_open(&rig, 0);
    EXPECT_OK(try_reorder_desc(&to_s8, rig.engine, 4, dnnl_s8));
    EXPECT_OK(try_reorder_desc(&to_u8, rig.engine, 4, dnnl_u8));
    struct bytes a = primitive_id(to_s8);
    struct bytes b = primitive_id(to_u8);
    expect_id_diff("memory_desc", &a, &b);
    bytes_free(&a);
    bytes_free(&b);
    EXPECT_OK(dnnl_primitive_desc_destroy(to_s8));
    EXPECT_OK(dnnl_primitive_desc_destroy(to_u8));
    rig_close(&rig);
}

/* ---- Blobs --------------------------------------------------------------- */

TEST_C(PrimitiveBlob, FollowsTheRuleOfSizes)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 7, 0.0f);
    dnnl_primitive_t primitive = create(pd);
    expect_size_query(query_primitive_blob, primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

TEST_C(PrimitiveBlob, HoldsThePrimitiveUnderItsId)
{
    struct warm w;
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    warm_open(&w);
    struct bytes id = primitive_id(w.pd);
    ASSERT_OK(dnnl_cache_blob_inspect(w.blob.size, w.blob.data, &info));
    EXPECT_EQ(dnnl_cache_blob_kind_primitive, info.kind);
    EXPECT_EQ(1, info.program_count);
    EXPECT_EQ(1, info.kernel_count);
    EXPECT_BYTES_EQ(id.data, id.size, info.id, info.id_size);
    bytes_free(&id);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, IsLittleMoreThanTheBinary)
{
    struct warm w;
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    warm_open(&w);
    ASSERT_OK(dnnl_cache_blob_inspect(w.blob.size, w.blob.data, &info));
    EXPECT_LE(w.blob.size, 4096 + info.binary_bytes + info.binary_bytes / 50);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, PrimitiveFromItCompilesNothingAndRuns)
{
    struct warm w;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, w.pd, w.blob.size, w.blob.data));
    EXPECT_EQ(dnnl_cache_origin_blob, origin_of(primitive));
    EXPECT_OK(run_relu(w.rig.engine, primitive, 100));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfAPrimitiveFromItIsTheSame)
{
    struct warm w;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, w.pd, w.blob.size, w.blob.data));
    struct bytes again = primitive_blob(primitive);
    EXPECT_BYTES_EQ(w.blob.data, w.blob.size, again.data, again.size);
    bytes_free(&again);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    warm_close(&w);
}

TEST_C(PrimitiveBlob, KeepsItsBytesBesideAProgramInMemory)
{
    struct warm w;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    struct bytes longer = blob_with_log(&w.blob, "another process's remarks");
    dnnl_primitive_t first = create(w.pd);
    struct bytes own = primitive_blob(first);
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, w.pd, longer.size, longer.data));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(primitive));
    struct bytes again = primitive_blob(primitive);
    EXPECT_BYTES_EQ(longer.data, longer.size, again.data, again.size);
    bytes_free(&again);
    bytes_free(&own);
    bytes_free(&longer);
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    warm_close(&w);
}

TEST_C(PrimitiveBlob, SharesTheProgramOfAnotherShape)
{
    struct warm w;
    dnnl_primitive_t first = NULL;
    warm_open(&w);
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &first, w.pd, w.blob.size, w.blob.data));
    unsigned long builds = fake_opencl_source_builds();
    dnnl_primitive_desc_t other = relu_desc(w.rig.engine, 9, 0.0f);
    dnnl_primitive_t second = create(other);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(second));
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(second));
    EXPECT_OK(dnnl_primitive_desc_destroy(other));
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfAnEmptyTensorIsEmpty)
{
    struct rig rig;
    size_t size = 1;
    dnnl_primitive_t from_blob = NULL;
    const uint8_t byte = 0;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 0, 0.0f);
    dnnl_primitive_t primitive = create(pd);
    EXPECT_EQ(dnnl_cache_origin_none, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_get_cache_blob(primitive, &size, NULL));
    EXPECT_EQ(0, size);
    EXPECT_STATUS(dnnl_unimplemented,
            dnnl_primitive_create_from_cache_blob(&from_blob, pd, 1, &byte));
    EXPECT_NULL(from_blob);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

/* ---- Refused ones -------------------------------------------------------- */

TEST_C(PrimitiveBlob, OfAnotherShapeIsStale)
{
    struct warm w;
    warm_open(&w);
    dnnl_primitive_desc_t other = relu_desc(w.rig.engine, 101, 0.5f);
    expect_refused(dnnl_cache_blob_stale, other, &w.blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(other));
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfOtherParametersIsStale)
{
    struct warm w;
    warm_open(&w);
    dnnl_primitive_desc_t other = relu_desc(w.rig.engine, 100, 0.25f);
    expect_refused(dnnl_cache_blob_stale, other, &w.blob);
    EXPECT_OK(dnnl_primitive_desc_destroy(other));
    warm_close(&w);
}

/* Each of library, device and driver in turn. */
static void expect_stale_with_other(uint16_t tag)
{
    struct warm w;
    warm_open(&w);
    struct bytes other = blob_with_other_field(&w.blob, tag);
    expect_refused(dnnl_cache_blob_stale, w.pd, &other);
    bytes_free(&other);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfAnotherLibraryVersionIsStale)
{
    expect_stale_with_other(id_library_version);
}

TEST_C(PrimitiveBlob, OfAnotherDeviceIsStale)
{
    expect_stale_with_other(id_device_name);
}

TEST_C(PrimitiveBlob, OfAnotherDriverIsStale)
{
    expect_stale_with_other(id_driver_version);
}

TEST_C(PrimitiveBlob, OfOtherEngineFactsIsStale)
{
    expect_stale_with_other(id_engine_facts);
}

TEST_C(PrimitiveBlob, OfOtherKindsIsStale)
{
    struct warm w;
    warm_open(&w);
    struct bytes engines = engine_blob(w.rig.engine);
    expect_refused(dnnl_cache_blob_stale, w.pd, &engines);
    bytes_free(&engines);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, SaysWhatDiffers)
{
    struct warm w;
    struct log_capture log;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    struct bytes other = blob_with_other_field(&w.blob, id_driver_version);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, w.pd, other.size, other.data));
    log_capture_stop(&log);
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "driver_version"));
    bytes_free(&other);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfAnotherKernelIsStale)
{
    struct warm w;
    struct blob_edit edit;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    blob_edit_open(&edit, &w.blob);
    edit.kernels[0].name = "reorder";
    edit.kernels[0].name_size = strlen("reorder");
    struct bytes forged = blob_edit_write(&edit);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, w.pd, forged.size, forged.data));
    EXPECT_NULL(primitive);
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
    bytes_free(&forged);
    blob_edit_close(&edit);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, OfAnotherLaunchIsStale)
{
    struct warm w;
    struct blob_edit edit;
    const uint8_t facts[12] = {1};
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    blob_edit_open(&edit, &w.blob);
    edit.kernels[0].facts = facts;
    edit.kernels[0].facts_size = sizeof facts;
    struct bytes forged = blob_edit_write(&edit);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, w.pd, forged.size, forged.data));
    EXPECT_NULL(primitive);
    bytes_free(&forged);
    blob_edit_close(&edit);
    warm_close(&w);
}

TEST_C(PrimitiveBlob, IsCheckedEvenIfThePrimitiveIsInMemory)
{
    struct warm w;
    dnnl_primitive_t from_blob = NULL;
    warm_open(&w);
    dnnl_primitive_t primitive = create(w.pd);
    w.blob.data[w.blob.size / 2] ^= 1;
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_primitive_create_from_cache_blob(
                    &from_blob, w.pd, w.blob.size, w.blob.data));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_primitive_create_from_cache_blob(
                                            &from_blob, w.pd, 0, w.blob.data));
    EXPECT_NULL(from_blob);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    warm_close(&w);
}

TEST_C(PrimitiveBlob, TruncatedAnywhereNeverReachesTheDriver)
{
    struct warm w;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    for (size_t size = 1; size < w.blob.size; size++) {
        struct bytes shorter = bytes_copy(w.blob.data, size);
        EXPECT_STATUS(dnnl_cache_blob_corrupt,
                dnnl_primitive_create_from_cache_blob(
                        &primitive, w.pd, shorter.size, shorter.data));
        bytes_free(&shorter);
    }
    EXPECT_NULL(primitive);
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
    warm_close(&w);
}

TEST_C(PrimitiveBlob, ThatTheDriverRefusesIsStaleAndThePrimitiveCompiles)
{
    struct warm w;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    fake_opencl_fail("clCreateProgramWithBinary", 1, CL_INVALID_BINARY);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, w.pd, w.blob.size, w.blob.data));
    EXPECT_NULL(primitive);
    primitive = create(w.pd);
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    warm_close(&w);
}

/* A blob that is intact and says the right things, of a program without the
 * kernel: nothing of it may stay in memory. */
TEST_C(PrimitiveBlob, OfAProgramWithoutTheKernelLeavesNothingBehind)
{
    struct warm w;
    dnnl_primitive_t primitive = NULL;
    warm_open(&w);
    fake_opencl_fail("clCreateKernel", 1, CL_INVALID_KERNEL_NAME);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &primitive, w.pd, w.blob.size, w.blob.data));
    EXPECT_NULL(primitive);
    primitive = create(w.pd);
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    warm_close(&w);
}
