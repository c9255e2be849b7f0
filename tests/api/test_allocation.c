/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the library's within a call made to fail, one after the
 * other: alone, and with all that follow. This binary has the library in it,
 * so that the linker can hand its allocations to failing_allocations.c.
 */
#include "dnnl_cache/sys/layer.h"
#include "failing_allocations.h"
#include "pocl_draft.h"
#include "scenes.h"

#include "test.h"

#include <string.h>

#define PLAY(name, ...) \
    TEST_SCENES(Allocation, name, play, &failing_allocations, __VA_ARGS__)
#define PLAY_ALL(name, ...) \
    TEST_SCENES(Allocation, name, play_all, &failing_allocations, __VA_ARGS__)

/* ---- Engines ------------------------------------------------------------ */

PLAY(OfEngines, &scene_engine_creation, &scene_engine_creation_by_index,
        &scene_host_engine_creation);

/* It has no status to tell it by. */
TEST_C(Allocation, OfCountingEngines)
{
    const size_t count = dnnl_engine_get_count(dnnl_gpu);
    EXPECT_GT(count, 0);
    for (unsigned manner = 0; manner < failing_allocations.manners; manner++) {
        unsigned n = 0;
        const char *failed;
        do {
            failing_allocations.start(++n, manner);
            size_t counted = dnnl_engine_get_count(dnnl_gpu);
            failed = failing_allocations.stop();
            EXPECT_EQ(failed != NULL ? 0 : count, counted);
        } while (failed != NULL);
        EXPECT_GT(n, 1);
    }
}

PLAY(OfEngineIds, &scene_engine_id_query);
PLAY(OfEngineBlobs, &scene_engine_blob_query);
PLAY(OfEnginesFromBlobs, &scene_engine_from_blob);
PLAY(OfBlobChecks, &scene_engine_blob_check);
PLAY(OfAttachingStores, &scene_engine_store, &scene_process_store);

/* ---- Programs ----------------------------------------------------------- */

PLAY(OfProgramDescriptors, &scene_program_description);
PLAY(OfKeys, &scene_program_key);
PLAY(OfProgramIds, &scene_program_id_query, &scene_program_includes_followed,
        &scene_id_difference);
PLAY(OfPrograms, &scene_program_creation, &scene_program_recompilation,
        &scene_program_refused);
PLAY(OfProgramsInTheBackground, &scene_program_in_background);
PLAY(OfKernels, &scene_kernel_creation, &scene_kernel_from_program,
        &scene_kernel_refused);
PLAY(OfProgramsWithHeaders, &scene_header_added, &scene_headers_id,
        &scene_headers_compiled);
PLAY(OfProgramsOfIl, &scene_il_description, &scene_il_constant,
        &scene_il_compiled);
PLAY(OfProgramsFromBlobs, &scene_program_from_blob,
        &scene_program_from_compressed_blob,
        &scene_program_from_blob_with_user_data,
        &scene_program_from_other_blob);
PLAY(OfCaptures, &scene_program_capture, &scene_program_compressed_capture);

/* The driver gets a copy of a binary of PoCL, with a name of its own; here the
 * loader refuses the context before. Without the lock's file it goes on. */
TEST_C(Allocation, OfCopiesOfBinaries)
{
    const struct pocl_draft draft = pocl_draft_good(9);
    struct buffer binary = {0};
    struct buffer same = {0};
    pocl_draft_write(&draft, &binary);
    pocl_draft_write(&draft, &same);
    const unsigned char *bytes = binary.data;
    const size_t alive = allocations_alive();
    for (unsigned manner = 0; manner < failing_allocations.manners; manner++) {
        unsigned n = 0;
        const char *failed;
        do {
            cl_program program = NULL;
            cl_int error = CL_SUCCESS;
            failing_allocations.start(++n, manner);
            const dnnl_status_t st =
                    dnnl_cache_create_program_with_binary(&program, NULL, 1,
                            NULL, &binary.size, &bytes, NULL, &error);
            failed = failing_allocations.stop();
            if (failed == NULL || strcmp(failed, "openat") == 0) {
                EXPECT_STATUS(dnnl_runtime_error, st);
                EXPECT_EQ(CL_INVALID_CONTEXT, error);
            } else {
                EXPECT_STATUS(dnnl_out_of_memory, st);
            }
            EXPECT_NULL(program);
            EXPECT_EQ(alive, allocations_alive());
        } while (failed != NULL);
        EXPECT_GT(n, 3); /* two lists and the copy */
    }
    EXPECT_BYTES_EQ(same.data, same.size, binary.data, binary.size);
    buffer_fini(&same);
    buffer_fini(&binary);
}

PLAY(OfProgramBlobs, &scene_program_blob_query);
PLAY(OfUserData, &scene_program_user_data);
PLAY(OfBinariesOfBlobs, &scene_blob_binary_query);
PLAY(OfProgramsOfBinaries, &scene_program_of_binary);
PLAY(OfBuildLogs, &scene_program_log_query);
PLAY(OfAdoption, &scene_program_adoption);

/* ---- Primitives --------------------------------------------------------- */

PLAY(OfAttributes, &scene_attributes_creation, &scene_attributes_copy,
        &scene_attributes_factors, &scene_attributes_rounding,
        &scene_post_ops_creation);
PLAY_ALL(OfPrimitiveDescriptors, &scene_primitive_description);
PLAY_ALL(OfPrimitiveIds, &scene_primitive_id_query);
PLAY(OfPrimitives, &scene_primitive_creation, &scene_primitive_recompilation);
PLAY_ALL(OfPrimitivesOfEveryKind, &scene_primitive_creation,
        &scene_primitive_recompilation);
PLAY(OfPrimitivesFromBlobs, &scene_primitive_from_blob,
        &scene_primitive_from_compressed_blob,
        &scene_primitive_from_other_blob);
PLAY_ALL(OfPrimitivesOfEveryKindFromBlobs, &scene_primitive_from_blob,
        &scene_primitive_from_other_blob);

TEST_C(Allocation, OfPrimitiveBlobs)
{
    play_all(&scene_primitive_blob_query, &failing_allocations);
    play(&scene_primitive_compressed_blob_query, &failing_allocations);
}

PLAY(OfCreationInfo, &scene_primitive_info_query);

/* ---- Memory and streams ------------------------------------------------- */

PLAY(OfMemoryDescriptors, &scene_memory_description,
        &scene_memory_description_by_strides,
        &scene_memory_description_from_blob, &scene_memory_description_copy,
        &scene_memory_description_of_part, &scene_memory_description_reshaped,
        &scene_memory_description_permuted);
PLAY(OfMemory, &scene_memory_creation, &scene_opencl_memory_creation,
        &scene_host_memory_creation);
PLAY(OfStreams, &scene_stream_creation, &scene_stream_on_queue);

/* ---- With a store attached ---------------------------------------------- */

PLAY(OfFactsWithAStore, &scene_facts_offered, &scene_facts_of_store,
        &scene_facts_of_store_alone);
PLAY(OfProgramsWithAnEmptyStore, &scene_program_with_empty_store);
PLAY(OfProgramsFromAStore, &scene_program_of_store,
        &scene_program_of_compressed_store, &scene_program_of_damaged_store,
        &scene_program_prefetched, &scene_programs_prefetched_at_once,
        &scene_program_of_store_alone);
PLAY(OfOffers, &scene_program_offered, &scene_program_offered_at_last);
PLAY(OfAdoptionWithAStore, &scene_adoption_with_store);

TEST_C(Allocation, OfPrimitivesWithAnEmptyStore)
{
    play_all(&scene_primitive_with_empty_store, &failing_allocations);
    play(&scene_compressed_primitive_with_empty_store, &failing_allocations);
}

TEST_C(Allocation, OfPrimitivesFromAStore)
{
    play_all(&scene_primitive_of_store, &failing_allocations);
    play(&scene_primitive_of_compressed_store, &failing_allocations);
    play_all(&scene_primitive_of_store_alone, &failing_allocations);
}

/* ---- Without memory ------------------------------------------------------ */

/* What an application does when it has no memory left, to get on or to learn
 * what it has, needs none. */
TEST_C(Allocation, IsNotNeededToExecute)
{
    static const struct scene *const scenes[] = {&scene_primitive_execution,
            &scene_primitive_execution_in_order, &scene_copy_to_device,
            &scene_copy_to_host, &scene_copy_from_context,
            &scene_empty_execution, &scene_stream_wait, &scene_memory_mapping,
            &scene_memory_buffer_change, &scene_program_kernel,
            &scene_blob_inspection, &scene_blob_description,
            &scene_program_includes};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        play_unharmed(scenes[i], &failing_allocations);
}
