/* SPDX-License-Identifier: Apache-2.0 */
#include "scene_steps.h"

#include "programs.h"

#include "test.h"

dnnl_status_t attempt_program(struct stage *s)
{
    return dnnl_cache_program_create(
            STAGE_OUT(s, dnnl_cache_program_t), s->program_desc);
}

dnnl_status_t attempt_capture(struct stage *s)
{
    return dnnl_cache_program_capture(s->program);
}

dnnl_status_t attempt_adoption(struct stage *s)
{
    return dnnl_cache_program_adopt(
            STAGE_OUT(s, dnnl_cache_program_t), s->program_desc, s->object);
}

void build_object(struct stage *s, const char *options)
{
    cl_int error;
    const char *source = scale_source;
    s->object =
            clCreateProgramWithSource(s->rig.context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(s->object, 0, NULL, options, NULL, NULL));
}

void release_built_object(struct stage *s)
{
    EXPECT_EQ(1, program_references(s->object));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(s->object));
}

void verify_nothing(struct stage *s)
{
    (void)s;
}

void verify_id_bytes(struct stage *s)
{
    EXPECT_BYTES_EQ(s->id.data, s->id.size, s->bytes, s->size);
}

void verify_blob_bytes(struct stage *s)
{
    EXPECT_BYTES_EQ(s->blob.data, s->blob.size, s->bytes, s->size);
}

void verify_described_id(struct stage *s)
{
    struct bytes id = program_id(s->program_desc);
    EXPECT_TRUE(bytes_equal(&s->id, &id));
    bytes_free(&id);
}

/* The blob of a program is s->blob. */
static void expect_blob(struct stage *s, dnnl_cache_program_t program)
{
    struct bytes blob = program_blob(program);
    EXPECT_TRUE(bytes_equal(&s->blob, &blob));
    bytes_free(&blob);
}

void verify_captured(struct stage *s)
{
    expect_blob(s, s->program);
}

void verify_program(struct stage *s)
{
    expect_kernel(s->out, "scale");
    expect_blob(s, s->out);
    EXPECT_OK(dnnl_cache_program_destroy(s->out));
}
