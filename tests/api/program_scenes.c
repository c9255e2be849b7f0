/* SPDX-License-Identifier: Apache-2.0 */
#include "blob_edit.h"
#include "dnnl_cache/sys/layer.h"
#include "programs.h"
#include "scene_steps.h"
#include "scenes.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char options[] = "-DA=1";
static const char key[] = "a key of the application's";
static const char user_data[] = "bytes of the application's";

/* ---- Descriptors --------------------------------------------------------- */

static void describe_program(struct stage *s)
{
    s->program_desc = describe(s->rig.engine, scale_source, options);
}

/* The ID with its keys, as another descriptor tells it. */
static void find_id(struct stage *s, unsigned keys)
{
    dnnl_cache_program_desc_t desc =
            describe(s->rig.engine, scale_source, options);
    for (unsigned i = 0; i < keys; i++)
        EXPECT_OK(dnnl_cache_program_desc_add_key(desc, sizeof key, key));
    s->id = program_id(desc);
    EXPECT_GT(s->id.size, 0);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void find_plain_id(struct stage *s)
{
    find_id(s, 0);
}

static void describe_with_a_key(struct stage *s)
{
    find_id(s, 2);
    describe_program(s);
    EXPECT_OK(
            dnnl_cache_program_desc_add_key(s->program_desc, sizeof key, key));
}

static void describe_and_find_id(struct stage *s)
{
    find_id(s, 0);
    describe_program(s);
}

static void forget_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->program_desc));
    bytes_free(&s->id);
    bytes_free(&s->blob);
    bytes_free(&s->other_blob);
}

static dnnl_status_t attempt_description(struct stage *s)
{
    const char *const halves[] = {scale_source, "\n"};
    const size_t lengths[] = {strlen(scale_source), 0};
    return dnnl_cache_program_desc_create(
            STAGE_OUT(s, dnnl_cache_program_desc_t), s->rig.engine, 2, halves,
            lengths, options);
}

static void verify_description(struct stage *s)
{
    struct bytes id = program_id(s->out);
    EXPECT_GT(id.size, 0);
    dnnl_cache_program_t program = create(s->out);
    expect_kernel(program, "fill");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(s->out));
    bytes_free(&id);
}

/* It is added once, beside the one before. */
static dnnl_status_t attempt_key(struct stage *s)
{
    return dnnl_cache_program_desc_add_key(s->program_desc, sizeof key, key);
}

static dnnl_status_t attempt_id(struct stage *s)
{
    return dnnl_cache_program_desc_get_cache_blob_id(
            s->program_desc, &s->size, s->bytes);
}

static dnnl_status_t attempt_difference(struct stage *s)
{
    return dnnl_cache_id_diff(s->id.size, s->id.data, s->other_blob.size,
            s->other_blob.data, &s->size, (char *)s->bytes);
}

static void find_two_ids(struct stage *s)
{
    find_id(s, 1);
    s->other_blob = s->id;
    find_plain_id(s);
}

static void verify_difference(struct stage *s)
{
    EXPECT_STR_EQ("application_key", (char *)s->bytes);
    EXPECT_EQ(sizeof "application_key", s->size);
}

/* It includes a file, in the other half. */
static dnnl_status_t attempt_known_includes(struct stage *s)
{
    return dnnl_cache_program_desc_set_includes_known(s->program_desc);
}

static void describe_with_include(struct stage *s)
{
    s->program_desc = describe(
            s->rig.engine, "#if 0\n#include \"a.h\"\n#endif\n", options);
}

static void verify_cacheable(struct stage *s)
{
    struct bytes id = program_id(s->program_desc);
    EXPECT_GT(id.size, 0);
    bytes_free(&id);
}

/* The file is read when the ID is made. */
static dnnl_cache_program_desc_t describe_followed(struct stage *s)
{
    char options_of_file[4200];
    char path[4096];
    snprintf(path, sizeof path, "%s/followed.h", test_directory());
    FILE *file = fopen(path, "we");
    EXPECT_TRUE(file != NULL && fputs("\n", file) >= 0 && fclose(file) == 0);
    snprintf(options_of_file, sizeof options_of_file, "-include %s", path);
    dnnl_cache_program_desc_t desc =
            describe(s->rig.engine, scale_source, options_of_file);
    EXPECT_OK(dnnl_cache_program_desc_set_include_following(desc, 1));
    return desc;
}

static void prepare_followed(struct stage *s)
{
    dnnl_cache_program_desc_t desc = describe_followed(s);
    s->id = program_id(desc);
    EXPECT_GT(s->id.size, 0);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    s->program_desc = describe_followed(s);
}

const struct scene scene_program_includes_followed =
        SCENE(prepare_followed, attempt_id, verify_id_bytes, forget_program);
const struct scene scene_program_includes = SCENE(describe_with_include,
        attempt_known_includes, verify_cacheable, forget_program);
const struct scene scene_program_description =
        SCENE(NULL, attempt_description, verify_description, NULL);
const struct scene scene_program_key = SCENE(
        describe_with_a_key, attempt_key, verify_described_id, forget_program);
const struct scene scene_program_id_query = SCENE(
        describe_and_find_id, attempt_id, verify_id_bytes, forget_program);
const struct scene scene_id_difference = SCENE(
        find_two_ids, attempt_difference, verify_difference, forget_program);

/* ---- Creation ------------------------------------------------------------ */

/* The program's blob, made in another context, which keeps it from memory. */
static void make_blob(struct stage *s, dnnl_cache_compression_t compression,
        size_t user_data_size)
{
    dnnl_engine_t other = NULL;
    describe_and_find_id(s);
    struct bytes id = program_id(s->program_desc);
    bytes_free(&id);
    EXPECT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_engine_set_blob_compression(other, compression));
    dnnl_cache_program_t program = build(other, scale_source, options);
    EXPECT_OK(dnnl_cache_program_set_user_data(
            program, user_data_size, user_data));
    s->blob = program_blob(program);
    EXPECT_GT(s->blob.size, 0);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_engine_destroy(other));
    EXPECT_OK(
            dnnl_cache_engine_set_blob_compression(s->rig.engine, compression));
}

static void make_plain_blob(struct stage *s)
{
    make_blob(s, dnnl_cache_compression_none, 0);
}

static void make_compressed_blob(struct stage *s)
{
    make_blob(s, dnnl_cache_compression_zstd, 0);
}

static void make_blob_with_user_data(struct stage *s)
{
    make_blob(s, dnnl_cache_compression_none, sizeof user_data);
}

static dnnl_status_t attempt_program_from_blob(struct stage *s)
{
    return dnnl_cache_program_create_from_cache_blob(
            STAGE_OUT(s, dnnl_cache_program_t), s->program_desc, s->blob.size,
            s->blob.data);
}

const struct scene scene_program_creation =
        SCENE(make_plain_blob, attempt_program, verify_program, forget_program);
const struct scene scene_program_from_blob =
        SCENE_WITH(make_plain_blob, attempt_program_from_blob, verify_program,
                forget_program, .from_blob = true);
const struct scene scene_program_from_blob_with_user_data =
        SCENE_WITH(make_blob_with_user_data, attempt_program_from_blob,
                verify_program, forget_program, .from_blob = true);
const struct scene scene_program_from_compressed_blob =
        SCENE_WITH(make_compressed_blob, attempt_program_from_blob,
                verify_program, forget_program, .from_blob = true);

/* Captures the program; there is no store that it could be captured for. */
static dnnl_status_t attempt_size(struct stage *s)
{
    size_t size;
    return dnnl_cache_program_get_cache_blob(s->program, &size, NULL);
}

/* It is in memory, made from source; the blob has another build log, which
 * this handle must give back. */
static void make_other_blob(struct stage *s)
{
    make_plain_blob(s);
    s->program = create(s->program_desc);
    EXPECT_OK(attempt_size(s));
    struct bytes other = blob_with_log(&s->blob, "a warning");
    bytes_free(&s->blob);
    s->blob = other;
}

static void open_recompilation(struct stage *s)
{
    make_plain_blob(s);
    s->program = create(s->program_desc);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            s->rig.engine, dnnl_cache_compile_mode_recompile));
}

static void describe_mistake(struct stage *s)
{
    s->program_desc = describe(s->rig.engine, "FAKE_BUILD_FAILURE", NULL);
}

static void destroy_program(struct stage *s)
{
    EXPECT_OK(dnnl_cache_program_destroy(s->program));
    forget_program(s);
}

const struct scene scene_program_from_other_blob =
        SCENE_WITH(make_other_blob, attempt_program_from_blob, verify_program,
                destroy_program, .from_blob = true);
const struct scene scene_program_recompilation = SCENE(
        open_recompilation, attempt_program, verify_program, destroy_program);
const struct scene scene_program_refused = SCENE_WITH(describe_mistake,
        attempt_program, NULL, forget_program, .usual = dnnl_runtime_error);

/* A queue with one worker builds it; this thread does not. */
static dnnl_status_t attempt_background(struct stage *s)
{
    static const uint64_t minutes = 120000000000u;
    dnnl_cache_build_queue_t queue = NULL;
    dnnl_cache_build_job_t job = NULL;
    dnnl_cache_build_queue_options_t wanted =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    wanted.workers = 1;
    dnnl_status_t st = dnnl_cache_build_queue_create(&queue, &wanted);
    if (st == dnnl_success)
        st = dnnl_cache_build_queue_submit(
                queue, s->program_desc, 0, NULL, NULL, &job);
    if (st == dnnl_success)
        st = dnnl_cache_build_job_wait(
                job, minutes, STAGE_OUT(s, dnnl_cache_program_t));
    EXPECT_OK(dnnl_cache_build_queue_destroy(queue));
    EXPECT_OK(dnnl_cache_build_job_destroy(job));
    return st;
}

const struct scene scene_program_in_background = SCENE(
        make_plain_blob, attempt_background, verify_program, forget_program);

/* ---- What programs offer ------------------------------------------------- */

static void make_program(struct stage *s)
{
    make_plain_blob(s);
    s->program = create(s->program_desc);
}

static void make_compressed_program(struct stage *s)
{
    make_compressed_blob(s);
    s->program = create(s->program_desc);
}

static dnnl_status_t attempt_blob(struct stage *s)
{
    return dnnl_cache_program_get_cache_blob(s->program, &s->size, s->bytes);
}

static void make_program_for_user_data(struct stage *s)
{
    make_blob_with_user_data(s);
    s->program = create(s->program_desc);
}

static dnnl_status_t attempt_user_data(struct stage *s)
{
    return dnnl_cache_program_set_user_data(
            s->program, sizeof user_data, user_data);
}

/* The blob's, which is compressed. */
static dnnl_status_t attempt_binary(struct stage *s)
{
    return dnnl_cache_blob_get_program_binary(
            s->blob.size, s->blob.data, 0, &s->size, s->bytes);
}

static void verify_binary(struct stage *s)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    EXPECT_OK(dnnl_cache_blob_inspect(s->blob.size, s->blob.data, &info));
    EXPECT_EQ(info.binary_bytes, s->size);
}

static void make_binary(struct stage *s)
{
    make_compressed_blob(s);
    s->size = sizeof s->bytes;
    EXPECT_OK(attempt_binary(s));
    s->other_blob = (struct bytes){malloc(s->size), s->size};
    memcpy(s->other_blob.data, s->bytes, s->size);
}

static dnnl_status_t attempt_program_of_binary(struct stage *s)
{
    const unsigned char *binary = s->other_blob.data;
    return dnnl_cache_create_program_with_binary(STAGE_OUT(s, cl_program),
            s->rig.context, 1, &s->rig.device, &s->other_blob.size, &binary,
            NULL, NULL);
}

static void verify_program_of_binary(struct stage *s)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(s->out));
}

static dnnl_status_t attempt_log(struct stage *s)
{
    return dnnl_cache_program_get_build_log(
            s->program, &s->size, (char *)s->bytes);
}

static void verify_log(struct stage *s)
{
    EXPECT_EQ(1, s->size);
    EXPECT_EQ('\0', s->bytes[0]);
}

static dnnl_status_t attempt_kernel(struct stage *s)
{
    return dnnl_cache_program_get_kernel(
            s->program, "scale", STAGE_OUT(s, cl_kernel));
}

static void verify_kernel(struct stage *s)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(s->out));
}

static dnnl_status_t attempt_found_kernel(struct stage *s)
{
    return dnnl_cache_kernel_create(
            STAGE_OUT(s, dnnl_cache_kernel_t), s->program_desc, "scale");
}

static dnnl_status_t attempt_kernel_of_program(struct stage *s)
{
    return dnnl_cache_kernel_create_from_program(
            STAGE_OUT(s, dnnl_cache_kernel_t), s->program, "scale");
}

static void verify_found_kernel(struct stage *s)
{
    char name[16] = "";
    cl_kernel kernel = NULL;
    EXPECT_OK(dnnl_cache_kernel_get_cl_kernel(s->out, &kernel));
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME,
                                  sizeof name, name, NULL));
    EXPECT_STR_EQ("scale", name);
    EXPECT_OK(dnnl_cache_kernel_destroy(s->out));
}

static dnnl_status_t attempt_refused_kernel(struct stage *s)
{
    return dnnl_cache_kernel_create(
            STAGE_OUT(s, dnnl_cache_kernel_t), s->program_desc, "nobody");
}

const struct scene scene_kernel_creation = SCENE(make_plain_blob,
        attempt_found_kernel, verify_found_kernel, forget_program);
const struct scene scene_kernel_from_program = SCENE(make_program,
        attempt_kernel_of_program, verify_found_kernel, destroy_program);
const struct scene scene_kernel_refused =
        SCENE_WITH(make_plain_blob, attempt_refused_kernel, NULL,
                forget_program, .usual = dnnl_invalid_arguments);

const struct scene scene_program_capture =
        SCENE(make_program, attempt_size, verify_captured, destroy_program);
const struct scene scene_program_compressed_capture =
        SCENE(make_compressed_program, attempt_size, verify_captured,
                destroy_program);
const struct scene scene_program_blob_query =
        SCENE(make_program, attempt_blob, verify_blob_bytes, destroy_program);
const struct scene scene_program_user_data = SCENE(make_program_for_user_data,
        attempt_user_data, verify_captured, destroy_program);
const struct scene scene_blob_binary_query = SCENE(
        make_compressed_blob, attempt_binary, verify_binary, forget_program);
const struct scene scene_program_of_binary = SCENE(make_binary,
        attempt_program_of_binary, verify_program_of_binary, forget_program);
const struct scene scene_program_log_query =
        SCENE(make_program, attempt_log, verify_log, destroy_program);
const struct scene scene_program_kernel =
        SCENE(make_program, attempt_kernel, verify_kernel, destroy_program);

/* ---- Adoption ------------------------------------------------------------ */

static void make_object(struct stage *s)
{
    make_plain_blob(s);
    build_object(s, options);
}

static void release_object(struct stage *s)
{
    release_built_object(s);
    forget_program(s);
}

const struct scene scene_program_adoption =
        SCENE(make_object, attempt_adoption, verify_program, release_object);
