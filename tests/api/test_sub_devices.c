/* SPDX-License-Identifier: Apache-2.0 */
/* What was compiled for a part of a device serves the whole, and the other way
 * round: their IDs are the same, and blobs are taken. */
#include "programs.h"
#include "rig.h"

#include "test.h"

/* An engine of the device or of its half, in a context of its own, which
 * forgets what others have in memory. */
struct part {
    cl_device_id device;
    cl_context context;
    dnnl_engine_t engine;
};

static struct part part_open(cl_device_id device, bool is_half)
{
    struct part p = {.device = is_half ? sub_device_create(device) : device};
    cl_int error;
    p.context = clCreateContext(NULL, 1, &p.device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_OK(dnnl_ocl_interop_engine_create(&p.engine, p.device, p.context));
    return p;
}

static void part_close(struct part *p, bool is_half)
{
    EXPECT_OK(dnnl_engine_destroy(p->engine));
    clReleaseContext(p->context);
    if (is_half) clReleaseDevice(p->device);
}

static void expect_engine_serves(cl_device_id device, bool half_first)
{
    struct part one = part_open(device, half_first);
    struct bytes blob = engine_blob(one.engine);
    part_close(&one, half_first);
    struct part other = part_open(device, !half_first);
    dnnl_engine_t warm = NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, other.device, other.context, blob.size, blob.data));
    struct bytes again = engine_blob(warm);
    EXPECT_BYTES_EQ(blob.data, blob.size, again.data, again.size);
    bytes_free(&again);
    EXPECT_OK(dnnl_engine_destroy(warm));
    part_close(&other, !half_first);
    bytes_free(&blob);
}

static void expect_program_serves(cl_device_id device, bool half_first)
{
    struct part one = part_open(device, half_first);
    dnnl_cache_program_desc_t desc =
            describe(one.engine, scale_source, "-DA=1");
    dnnl_cache_program_t cold = create(desc);
    struct bytes id = program_id(desc);
    struct bytes blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    part_close(&one, half_first);

    struct part other = part_open(device, !half_first);
    const unsigned long builds = fake_opencl_source_builds();
    desc = describe(other.engine, scale_source, "-DA=1");
    struct bytes same_id = program_id(desc);
    EXPECT_BYTES_EQ(id.data, id.size, same_id.data, same_id.size);
    dnnl_cache_program_t warm = create_from(desc, &blob);
    EXPECT_EQ(dnnl_cache_origin_blob, info_of(warm).origin);
    expect_kernel(warm, "scale");
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bytes_free(&same_id);
    part_close(&other, !half_first);
    bytes_free(&id);
    bytes_free(&blob);
}

static void expect_serves(void expect(cl_device_id device, bool half_first))
{
    struct rig rig;
    rig_open(&rig, 0);
    expect(rig.device, false);
    expect(rig.device, true);
    rig_close(&rig);
}

/* What asking for the blob answers of a half's program that the driver lists
 * with the whole. The program works whatever it is. */
static dnnl_status_t capture_where_the_whole_is_listed(const char *platform)
{
    struct rig rig;
    rig_open(&rig, 0);
    fake_opencl_set("PLATFORM_NAME", platform);
    fake_opencl_set("LISTS_ROOT", "1");
    struct part half = part_open(rig.device, true);
    dnnl_cache_program_t program = build(half.engine, scale_source, "-DA=1");
    size_t size = 0;
    dnnl_status_t st = dnnl_cache_program_get_cache_blob(program, &size, NULL);
    EXPECT_EQ(st == dnnl_success, size > 0);
    expect_kernel(program, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    part_close(&half, true);
    rig_close(&rig);
    return st;
}

TEST_C(SubDevice, OfPoclHasTheBinaryOfTheWhole)
{
    EXPECT_OK(capture_where_the_whole_is_listed("Portable Computing Language"));
}

TEST_C(SubDevice, OfAnotherDriverHasNoBinaryOfTheWhole)
{
    EXPECT_EQ(dnnl_runtime_error,
            capture_where_the_whole_is_listed("Another Driver"));
}

TEST_C(SubDevice, EngineBlobsServeBothWays)
{
    expect_serves(expect_engine_serves);
}

TEST_C(SubDevice, ProgramBlobsServeBothWays)
{
    expect_serves(expect_program_serves);
}
