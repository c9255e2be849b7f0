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

/* ---- Engines ------------------------------------------------------------- */

TEST_C(Faults, OfEngineCreation)
{
    play(&scene_engine_creation, &fault);
}

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

TEST_C(Faults, OfEngineIds)
{
    play(&scene_engine_id_query, &fault);
}

TEST_C(Faults, OfEngineBlobs)
{
    play(&scene_engine_blob_query, &fault);
}

TEST_C(Faults, OfEnginesFromBlobs)
{
    play(&scene_engine_from_blob, &fault);
}

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

TEST_C(Faults, OfProgramCreation)
{
    play(&scene_program_creation, &fault);
    play(&scene_program_recompilation, &fault);
    play(&scene_program_refused, &fault);
}

TEST_C(Faults, OfProgramsInTheBackground)
{
    play(&scene_program_in_background, &fault);
}

TEST_C(Faults, OfProgramsWithHeaders)
{
    play(&scene_headers_compiled, &fault);
}

TEST_C(Faults, OfProgramsOfIl)
{
    play(&scene_il_description, &fault);
    play(&scene_il_compiled, &fault);
}

TEST_C(Faults, OfProgramsThatIncludeFiles)
{
    play(&scene_program_includes_followed, &fault);
}

TEST_C(Faults, OfProgramsFromBlobs)
{
    play(&scene_program_from_blob, &fault);
    play(&scene_program_from_compressed_blob, &fault);
    play(&scene_program_from_blob_with_user_data, &fault);
}

TEST_C(Faults, OfKernelsInMemory)
{
    play(&scene_kernel_creation, &fault);
    play(&scene_kernel_from_program, &fault);
    play(&scene_kernel_refused, &fault);
}

TEST_C(Faults, OfCapture)
{
    play(&scene_program_capture, &fault);
    play(&scene_program_compressed_capture, &fault);
}

TEST_C(Faults, OfProgramBlobs)
{
    play(&scene_program_blob_query, &fault);
}

TEST_C(Faults, OfBuildLogs)
{
    play(&scene_program_log_query, &fault);
}

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

TEST_C(Faults, OfAdoption)
{
    play(&scene_program_adoption, &fault);
}

/* ---- Primitives ---------------------------------------------------------- */

TEST_C(Faults, OfPrimitiveDescriptors)
{
    play_all(&scene_primitive_description, &fault);
}

TEST_C(Faults, OfPrimitiveCreation)
{
    play(&scene_primitive_creation, &fault);
    play(&scene_primitive_recompilation, &fault);
}

TEST_C(Faults, OfEveryKindOfPrimitive)
{
    play_all(&scene_primitive_creation, &fault);
    play_all(&scene_primitive_recompilation, &fault);
}

TEST_C(Faults, OfPrimitivesFromBlobs)
{
    play_all(&scene_primitive_from_blob, &fault);
    play(&scene_primitive_from_compressed_blob, &fault);
}

TEST_C(Faults, OfPrimitiveBlobs)
{
    play_all(&scene_primitive_blob_query, &fault);
}

TEST_C(Faults, OfExecution)
{
    play_all(&scene_primitive_execution, &fault);
    play_all(&scene_primitive_execution_in_order, &fault);
}

TEST_C(Faults, OfExecutionDuringAnother)
{
    play_all(&scene_primitive_execution_meanwhile, &fault);
}

TEST_C(Faults, OfCopies)
{
    play(&scene_copy_to_device, &fault);
    play(&scene_copy_to_host, &fault);
    play(&scene_copy_from_context, &fault);
}

TEST_C(Faults, OfEmptyExecution)
{
    play(&scene_empty_execution, &fault);
}

/* ---- Memory and streams -------------------------------------------------- */

TEST_C(Faults, OfMemoryCreation)
{
    play(&scene_memory_creation, &fault);
    play(&scene_opencl_memory_creation, &fault);
}

TEST_C(Faults, OfMapping)
{
    play(&scene_memory_mapping, &fault);
}

TEST_C(Faults, OfSettingABuffer)
{
    play(&scene_memory_buffer_change, &fault);
}

TEST_C(Faults, OfStreamCreation)
{
    play(&scene_stream_creation, &fault);
}

TEST_C(Faults, OfStreamsOnOwnQueues)
{
    play(&scene_stream_on_queue, &fault);
}

TEST_C(Faults, OfWaiting)
{
    play(&scene_stream_wait, &fault);
}

/* ---- With a store attached ----------------------------------------------- */

TEST_C(Faults, OfFactsWithAStore)
{
    play(&scene_facts_offered, &fault);
    play(&scene_facts_of_store, &fault);
}

TEST_C(Faults, OfProgramCreationWithAnEmptyStore)
{
    play(&scene_program_with_empty_store, &fault);
}

TEST_C(Faults, OfProgramCreationFromAStore)
{
    play(&scene_program_of_store, &fault);
    play(&scene_program_of_compressed_store, &fault);
    play(&scene_program_of_damaged_store, &fault);
    play(&scene_program_prefetched, &fault);
    play(&scene_programs_prefetched_at_once, &fault);
}

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

TEST_C(Faults, OfOffers)
{
    play(&scene_program_offered, &fault);
    play(&scene_program_offered_at_last, &fault);
}

TEST_C(Faults, OfAdoptionWithAStore)
{
    play(&scene_adoption_with_store, &fault);
}

TEST_C(Faults, OfPrimitiveCreationWithAnEmptyStore)
{
    play(&scene_primitive_with_empty_store, &fault);
    play(&scene_compressed_primitive_with_empty_store, &fault);
}

TEST_C(Faults, OfEveryKindOfPrimitiveWithAnEmptyStore)
{
    play_all(&scene_primitive_with_empty_store, &fault);
}

TEST_C(Faults, OfPrimitiveCreationFromAStore)
{
    play_all(&scene_primitive_of_store, &fault);
    play(&scene_primitive_of_compressed_store, &fault);
}
