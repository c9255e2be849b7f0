/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with headers, programs of IL, and blobs brought in beforehand. */
#include "programs.h"
#include "scene_steps.h"
#include "scenes.h"

#include "test.h"

#include <string.h>

/* ---- Headers ------------------------------------------------------------- */

static void add_headers(dnnl_cache_program_desc_t desc)
{
    EXPECT_OK(dnnl_cache_program_desc_add_header(
            desc, "a.h", 0, "#include \"d/b.h\"\n"));
    EXPECT_OK(dnnl_cache_program_desc_add_header(
            desc, "d/b.h", 0, "#define NAME scale\n"));
}

static dnnl_cache_program_desc_t describe_with_headers(dnnl_engine_t engine)
{
    dnnl_cache_program_desc_t desc = describe(engine,
            "#include <a.h>\n__kernel void NAME(void) {}\n"
            "__kernel void fill(void) {}\n",
            NULL);
    add_headers(desc);
    return desc;
}

static dnnl_cache_program_desc_t describe_il(dnnl_engine_t engine)
{
    static const char il[] = "\x03\x02\x23\x07"
                             "__kernel void scale(void) {}";
    const uint32_t value = 7;
    dnnl_cache_program_desc_t desc = NULL;
    EXPECT_OK(dnnl_cache_program_desc_create_with_il(
            &desc, engine, sizeof il - 1, il, NULL));
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
            desc, 1, sizeof value, &value));
    return desc;
}

typedef dnnl_cache_program_desc_t describe_input(dnnl_engine_t engine);

/* The descriptor, its ID, and the blob, made in another context. */
static void open_input(struct stage *s, describe_input *describe_it)
{
    dnnl_engine_t other = NULL;
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_desc_t desc = describe_it(other);
    dnnl_cache_program_t program = create(desc);
    s->id = program_id(desc);
    s->blob = program_blob(program);
    EXPECT_GT(s->id.size, 0);
    EXPECT_GT(s->blob.size, 0);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(other));
    s->program_desc = describe_it(s->rig.engine);
}

static void open_headers(struct stage *s)
{
    open_input(s, describe_with_headers);
}

static void open_il(struct stage *s)
{
    fake_opencl_set("IL_VERSION", "SPIR-V_1.2");
    open_input(s, describe_il);
}

static void open_identified_headers(struct stage *s)
{
    open_headers(s);
    verify_described_id(s);
}

static void open_identified_il(struct stage *s)
{
    open_il(s);
    verify_described_id(s);
}

static void close_input(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->program_desc));
    bytes_free(&s->id);
    bytes_free(&s->blob);
}

static dnnl_status_t attempt_id(struct stage *s)
{
    return dnnl_cache_program_desc_get_cache_blob_id(
            s->program_desc, &s->size, s->bytes);
}

/* One header is there; the other is added. */
static void open_adding(struct stage *s)
{
    s->program_desc = describe(s->rig.engine, scale_source, NULL);
    EXPECT_OK(
            dnnl_cache_program_desc_add_header(s->program_desc, "b.h", 0, "b"));
}

static dnnl_status_t attempt_adding(struct stage *s)
{
    return dnnl_cache_program_desc_add_header(s->program_desc, "a.h", 0, "a");
}

/* Both are there, once. */
static void verify_adding(struct stage *s)
{
    dnnl_cache_program_desc_t desc =
            describe(s->rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "a.h", 0, "a"));
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "b.h", 0, "b"));
    struct bytes right = program_id(desc);
    struct bytes id = program_id(s->program_desc);
    EXPECT_GT(id.size, 0);
    EXPECT_TRUE(bytes_equal(&right, &id));
    bytes_free(&right);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

const struct scene scene_header_added =
        SCENE(open_adding, attempt_adding, verify_adding, close_input);
const struct scene scene_headers_id =
        SCENE(open_headers, attempt_id, verify_id_bytes, close_input);
const struct scene scene_headers_compiled = SCENE(
        open_identified_headers, attempt_program, verify_program, close_input);

/* ---- IL ------------------------------------------------------------------ */

static void allow_il(struct stage *s)
{
    (void)s;
    fake_opencl_set("IL_VERSION", "SPIR-V_1.2");
}

static dnnl_status_t attempt_il(struct stage *s)
{
    return dnnl_cache_program_desc_create_with_il(
            STAGE_OUT(s, dnnl_cache_program_desc_t), s->rig.engine, 8,
            "\x03\x02\x23\x07   ", "-DA");
}

static void verify_il(struct stage *s)
{
    struct bytes id = program_id(s->out);
    EXPECT_GT(id.size, 0);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->out));
}

static dnnl_status_t attempt_constant(struct stage *s)
{
    const uint32_t value = 8;
    return dnnl_cache_program_desc_set_spec_constant(
            s->program_desc, 2, sizeof value, &value);
}

/* It is there, once, beside the one before. */
static void verify_constant(struct stage *s)
{
    const uint32_t value = 8;
    dnnl_cache_program_desc_t desc = describe_il(s->rig.engine);
    EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
            desc, 2, sizeof value, &value));
    struct bytes right = program_id(desc);
    struct bytes id = program_id(s->program_desc);
    EXPECT_TRUE(bytes_equal(&right, &id));
    bytes_free(&right);
    bytes_free(&id);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

const struct scene scene_il_description =
        SCENE(allow_il, attempt_il, verify_il, NULL);
const struct scene scene_il_constant =
        SCENE(open_il, attempt_constant, verify_constant, close_input);
const struct scene scene_il_compiled =
        SCENE(open_identified_il, attempt_program, verify_program, close_input);
