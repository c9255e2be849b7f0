/* SPDX-License-Identifier: Apache-2.0 */
/* Every driver call made to fail, one after the other. */
#include "log_capture.h"
#include "programs.h"
#include "scenes.h"

#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CALLS = 500 };

/* 0: the function's usual error. */
static const cl_int errors[] = {0, CL_OUT_OF_HOST_MEMORY};

static void start(unsigned n, unsigned manner)
{
    fake_opencl_fail_any(n, errors[manner]);
}

static const char *stop(void)
{
    const char *failed = fake_opencl_last_failure();
    fake_opencl_fail_any(0, 0);
    return failed;
}

static bool allows(const struct scene *scene, unsigned manner,
        const char *failed, dnnl_status_t status)
{
    for (size_t i = 0; i < sizeof scene->harmless / sizeof *scene->harmless;
            i++)
        if (scene->harmless[i] != NULL
                && strcmp(scene->harmless[i], failed) == 0)
            return false;
    if (status == dnnl_out_of_memory) return true;
    if (scene->from_blob && status == dnnl_cache_blob_stale) return true;
    return status == dnnl_runtime_error
           && errors[manner] != CL_OUT_OF_HOST_MEMORY;
}

static const struct fault fault = {
        sizeof errors / sizeof errors[0], start, stop, allows, NULL, NULL};

#define PLAY(name, ...) TEST_SCENES(Faults, name, play, &fault, __VA_ARGS__)
#define PLAY_ALL(name, ...) \
    TEST_SCENES(Faults, name, play_all, &fault, __VA_ARGS__)

/* ---- Engines ------------------------------------------------------------- */

PLAY(OfEngineCreation, &scene_engine_creation);

/* The loader lists platforms and devices itself; a platform that fails has no
 * devices, and then there is no such engine. */
TEST_C(Faults, OfEngineCreationByIndex)
{
    struct log_capture log;
    log_capture_start(&log);
    unsigned n = 0;
    const char *failed;
    do {
        struct rig rig;
        void *const untouched = &rig;
        dnnl_engine_t engine = untouched;
        rig_open(&rig, 0);
        fake_opencl_fail_any(++n, 0);
        dnnl_status_t st = dnnl_engine_create(&engine, dnnl_gpu, 0);
        failed = stop();
        if (st != dnnl_success) {
            EXPECT_PTR_EQ(untouched, engine);
            EXPECT_NOT_NULL(failed);
            EXPECT_TRUE(st == dnnl_out_of_memory || st == dnnl_runtime_error
                        || st == dnnl_invalid_arguments);
            EXPECT_OK(dnnl_engine_create(&engine, dnnl_gpu, 0));
        }
        dnnl_cache_program_t program = build(engine, scale_source, NULL);
        expect_kernel(program, "scale");
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_engine_destroy(engine));
        rig_close(&rig);
    } while (failed != NULL && n < MOST_CALLS && !test_has_failed());
    EXPECT_GT(n, 1);
    EXPECT_LT(n, MOST_CALLS);
    log_capture_stop(&log);
}

PLAY(OfEngineIds, &scene_engine_id_query);
PLAY(OfEngineBlobs, &scene_engine_blob_query);
PLAY(OfEnginesFromBlobs, &scene_engine_from_blob);

/* ---- Identity ------------------------------------------------------------ */

/* In a process of its own, since an identity is established once. Exits with
 * 0 if all is well, 1 if not, 2 if fewer calls are made. */
static int identify_with_failure(unsigned n, const struct bytes *right)
{
    struct log_capture log;
    uint8_t id[2048];
    size_t size = sizeof id;
    cl_device_id device = rig_device(6);
    log_capture_start(&log);
    fake_opencl_fail_any(n, 0);
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id);
    const char *failed = fake_opencl_last_failure();
    fake_opencl_fail_any(0, 0);
    if (failed == NULL) return 2;
    bool fine =
            st == dnnl_out_of_memory || st == dnnl_runtime_error
            || (st == dnnl_success
                    && (size == 0
                            || (size == right->size
                                    && memcmp(id, right->data, size) == 0)));
    size = sizeof id;
    st = dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id);
    fine = fine && st == dnnl_success && size == right->size
           && memcmp(id, right->data, size) == 0;
    if (!fine) fprintf(stderr, "call %u, %s\n", n, failed);
    return fine ? 0 : 1;
}

static int in_child(unsigned n, const struct bytes *right)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(identify_with_failure(n, right));
    EXPECT_TRUE(child > 0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A query that fails leaves the device without an ID, or with the right one;
 * never with another. */
TEST_C(Faults, OfIdentification)
{
    struct rig rig;
    int result = 0;
    fake_opencl_set("DEVICES", "8");
    fake_opencl_set("DEVICE_UUID", "00112233445566778899aabbccddeeff");
    fake_opencl_set("DRIVER_UUID", "ffeeddccbbaa99887766554433221100");
    fake_opencl_set("INTEL_IP_VERSION", "1");
    fake_opencl_set("INTEL_DEVICE_ID", "2");
    fake_opencl_set("NV_CC", "9.0");
    fake_opencl_set("AMD_GFXIP", "9.4");
    fake_opencl_set("AMD_PCIE_ID", "3");
    rig_open(&rig, 0);
    struct bytes right = engine_id(rig_device(7));
    EXPECT_GT(right.size, 0);
    for (unsigned n = 1; n < MOST_CALLS && result == 0; n++)
        result = in_child(n, &right);
    EXPECT_EQ(2, result);
    bytes_free(&right);
    rig_close(&rig);
}

/* ---- Programs ------------------------------------------------------------ */

PLAY(OfProgramCreation, &scene_program_creation, &scene_program_recompilation,
        &scene_program_refused);
PLAY(OfProgramsInTheBackground, &scene_program_in_background);
PLAY(OfProgramsWithHeaders, &scene_headers_compiled);
PLAY(OfProgramsOfIl, &scene_il_description, &scene_il_compiled);
PLAY(OfProgramsThatIncludeFiles, &scene_program_includes_followed);
PLAY(OfProgramsFromBlobs, &scene_program_from_blob,
        &scene_program_from_compressed_blob,
        &scene_program_from_blob_with_user_data);
PLAY(OfKernelsInMemory, &scene_kernel_creation, &scene_kernel_from_program,
        &scene_kernel_refused);
PLAY(OfCapture, &scene_program_capture, &scene_program_compressed_capture);
PLAY(OfProgramBlobs, &scene_program_blob_query);
PLAY(OfBuildLogs, &scene_program_log_query);

/* CL_INVALID_KERNEL_NAME, the usual error, says what it says. */
TEST_RIG(Faults, OfKernels)
{
    static const struct {
        cl_int error;
        dnnl_status_t status;
    } cases[] = {{CL_OUT_OF_HOST_MEMORY, dnnl_out_of_memory},
            {CL_INVALID_PROGRAM_EXECUTABLE, dnnl_runtime_error},
            {CL_INVALID_KERNEL_NAME, dnnl_invalid_arguments}};
    struct log_capture log;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    log_capture_start(&log);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        void *const untouched = rig;
        cl_kernel kernel = untouched;
        fake_opencl_fail("clCreateKernel", 1, cases[i].error);
        EXPECT_STATUS(cases[i].status,
                dnnl_cache_program_get_kernel(program, "scale", &kernel));
        EXPECT_PTR_EQ(untouched, kernel);
        expect_kernel(program, "scale");
    }
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

PLAY(OfAdoption, &scene_program_adoption);

/* ---- Primitives ---------------------------------------------------------- */

PLAY_ALL(OfPrimitiveDescriptors, &scene_primitive_description);
PLAY(OfPrimitiveCreation, &scene_primitive_creation,
        &scene_primitive_recompilation);
PLAY_ALL(OfEveryKindOfPrimitive, &scene_primitive_creation,
        &scene_primitive_recompilation);

TEST_C(Faults, OfPrimitivesFromBlobs)
{
    play_all(&scene_primitive_from_blob, &fault);
    play(&scene_primitive_from_compressed_blob, &fault);
}

PLAY_ALL(OfPrimitiveBlobs, &scene_primitive_blob_query);
PLAY_ALL(OfExecution, &scene_primitive_execution,
        &scene_primitive_execution_in_order);
PLAY_ALL(OfExecutionDuringAnother, &scene_primitive_execution_meanwhile);
PLAY(OfCopies, &scene_copy_to_device, &scene_copy_to_host,
        &scene_copy_from_context);
PLAY(OfEmptyExecution, &scene_empty_execution);

/* ---- Memory and streams -------------------------------------------------- */

PLAY(OfMemoryCreation, &scene_memory_creation, &scene_opencl_memory_creation);
PLAY(OfMapping, &scene_memory_mapping);
PLAY(OfSettingABuffer, &scene_memory_buffer_change);
PLAY(OfStreamCreation, &scene_stream_creation);
PLAY(OfStreamsOnOwnQueues, &scene_stream_on_queue);
PLAY(OfWaiting, &scene_stream_wait);

/* ---- With a store attached ----------------------------------------------- */

PLAY(OfFactsWithAStore, &scene_facts_offered, &scene_facts_of_store);
PLAY(OfProgramCreationWithAnEmptyStore, &scene_program_with_empty_store);
PLAY(OfProgramCreationFromAStore, &scene_program_of_store,
        &scene_program_of_compressed_store, &scene_program_of_damaged_store,
        &scene_program_prefetched, &scene_programs_prefetched_at_once);

static void start_lack(unsigned n, unsigned manner)
{
    (void)manner;
    fake_opencl_fail_any(n, CL_OUT_OF_HOST_MEMORY);
}

static bool allows_lack(const struct scene *scene, unsigned manner,
        const char *failed, dnnl_status_t status)
{
    (void)scene;
    (void)manner;
    (void)failed;
    return status == dnnl_out_of_memory;
}

/* A driver out of memory says nothing about what the store has: that is no
 * miss, and nothing to remove. */
TEST_C(Faults, OfCreationFromAStoreAlone)
{
    static const struct fault lack = {
            1, start_lack, stop, allows_lack, NULL, NULL};
    play(&scene_program_of_store_alone, &lack);
    play(&scene_facts_of_store_alone, &lack);
    play_all(&scene_primitive_of_store_alone, &lack);
}

PLAY(OfOffers, &scene_program_offered, &scene_program_offered_at_last);
PLAY(OfAdoptionWithAStore, &scene_adoption_with_store);
PLAY(OfPrimitiveCreationWithAnEmptyStore, &scene_primitive_with_empty_store,
        &scene_compressed_primitive_with_empty_store);
PLAY_ALL(OfEveryKindOfPrimitiveWithAnEmptyStore,
        &scene_primitive_with_empty_store);

TEST_C(Faults, OfPrimitiveCreationFromAStore)
{
    play_all(&scene_primitive_of_store, &fault);
    play(&scene_primitive_of_compressed_store, &fault);
}
