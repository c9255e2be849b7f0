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

/* ---- Engines ------------------------------------------------------------ */

TEST_C(Allocation, OfEngines)
{
    play(&scene_engine_creation, &failing_allocations);
    play(&scene_engine_creation_by_index, &failing_allocations);
    play(&scene_host_engine_creation, &failing_allocations);
}

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

TEST_C(Allocation, OfEngineIds)
{
    play(&scene_engine_id_query, &failing_allocations);
}

TEST_C(Allocation, OfEngineBlobs)
{
    play(&scene_engine_blob_query, &failing_allocations);
}

TEST_C(Allocation, OfEnginesFromBlobs)
{
    play(&scene_engine_from_blob, &failing_allocations);
}

TEST_C(Allocation, OfBlobChecks)
{
    play(&scene_engine_blob_check, &failing_allocations);
}

TEST_C(Allocation, OfAttachingStores)
{
    play(&scene_engine_store, &failing_allocations);
    play(&scene_process_store, &failing_allocations);
}

/* ---- Programs ----------------------------------------------------------- */

TEST_C(Allocation, OfProgramDescriptors)
{
    play(&scene_program_description, &failing_allocations);
}

TEST_C(Allocation, OfKeys)
{
    play(&scene_program_key, &failing_allocations);
}

TEST_C(Allocation, OfProgramIds)
{
    play(&scene_program_id_query, &failing_allocations);
    play(&scene_program_includes_followed, &failing_allocations);
    play(&scene_id_difference, &failing_allocations);
}

TEST_C(Allocation, OfPrograms)
{
    play(&scene_program_creation, &failing_allocations);
    play(&scene_program_recompilation, &failing_allocations);
    play(&scene_program_refused, &failing_allocations);
}

TEST_C(Allocation, OfProgramsInTheBackground)
{
    play(&scene_program_in_background, &failing_allocations);
}

TEST_C(Allocation, OfKernels)
{
    play(&scene_kernel_creation, &failing_allocations);
    play(&scene_kernel_from_program, &failing_allocations);
    play(&scene_kernel_refused, &failing_allocations);
}

TEST_C(Allocation, OfProgramsWithHeaders)
{
    play(&scene_header_added, &failing_allocations);
    play(&scene_headers_id, &failing_allocations);
    play(&scene_headers_compiled, &failing_allocations);
}

TEST_C(Allocation, OfProgramsOfIl)
{
    play(&scene_il_description, &failing_allocations);
    play(&scene_il_constant, &failing_allocations);
    play(&scene_il_compiled, &failing_allocations);
}

TEST_C(Allocation, OfProgramsFromBlobs)
{
    play(&scene_program_from_blob, &failing_allocations);
    play(&scene_program_from_compressed_blob, &failing_allocations);
    play(&scene_program_from_blob_with_user_data, &failing_allocations);
    play(&scene_program_from_other_blob, &failing_allocations);
}

TEST_C(Allocation, OfCaptures)
{
    play(&scene_program_capture, &failing_allocations);
    play(&scene_program_compressed_capture, &failing_allocations);
}

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

TEST_C(Allocation, OfProgramBlobs)
{
    play(&scene_program_blob_query, &failing_allocations);
}

TEST_C(Allocation, OfUserData)
{
    play(&scene_program_user_data, &failing_allocations);
}

TEST_C(Allocation, OfBinariesOfBlobs)
{
    play(&scene_blob_binary_query, &failing_allocations);
}

TEST_C(Allocation, OfProgramsOfBinaries)
{
    play(&scene_program_of_binary, &failing_allocations);
}

TEST_C(Allocation, OfBuildLogs)
{
    play(&scene_program_log_query, &failing_allocations);
}

TEST_C(Allocation, OfAdoption)
{
    play(&scene_program_adoption, &failing_allocations);
}

/* ---- Primitives --------------------------------------------------------- */

TEST_C(Allocation, OfAttributes)
{
    play(&scene_attributes_creation, &failing_allocations);
    play(&scene_attributes_copy, &failing_allocations);
    play(&scene_attributes_factors, &failing_allocations);
    play(&scene_attributes_rounding, &failing_allocations);
    play(&scene_post_ops_creation, &failing_allocations);
}

TEST_C(Allocation, OfPrimitiveDescriptors)
{
    play_all(&scene_primitive_description, &failing_allocations);
}

TEST_C(Allocation, OfPrimitiveIds)
{
    play_all(&scene_primitive_id_query, &failing_allocations);
}

TEST_C(Allocation, OfPrimitives)
{
    play(&scene_primitive_creation, &failing_allocations);
    play(&scene_primitive_recompilation, &failing_allocations);
}

TEST_C(Allocation, OfPrimitivesOfEveryKind)
{
    play_all(&scene_primitive_creation, &failing_allocations);
    play_all(&scene_primitive_recompilation, &failing_allocations);
}

TEST_C(Allocation, OfPrimitivesFromBlobs)
{
    play(&scene_primitive_from_blob, &failing_allocations);
    play(&scene_primitive_from_compressed_blob, &failing_allocations);
    play(&scene_primitive_from_other_blob, &failing_allocations);
}

TEST_C(Allocation, OfPrimitivesOfEveryKindFromBlobs)
{
    play_all(&scene_primitive_from_blob, &failing_allocations);
    play_all(&scene_primitive_from_other_blob, &failing_allocations);
}

TEST_C(Allocation, OfPrimitiveBlobs)
{
    play_all(&scene_primitive_blob_query, &failing_allocations);
    play(&scene_primitive_compressed_blob_query, &failing_allocations);
}

TEST_C(Allocation, OfCreationInfo)
{
    play(&scene_primitive_info_query, &failing_allocations);
}

/* ---- Memory and streams ------------------------------------------------- */

TEST_C(Allocation, OfMemoryDescriptors)
{
    play(&scene_memory_description, &failing_allocations);
    play(&scene_memory_description_by_strides, &failing_allocations);
    play(&scene_memory_description_from_blob, &failing_allocations);
    play(&scene_memory_description_copy, &failing_allocations);
    play(&scene_memory_description_of_part, &failing_allocations);
    play(&scene_memory_description_reshaped, &failing_allocations);
    play(&scene_memory_description_permuted, &failing_allocations);
}

TEST_C(Allocation, OfMemory)
{
    play(&scene_memory_creation, &failing_allocations);
    play(&scene_opencl_memory_creation, &failing_allocations);
    play(&scene_host_memory_creation, &failing_allocations);
}

TEST_C(Allocation, OfStreams)
{
    play(&scene_stream_creation, &failing_allocations);
    play(&scene_stream_on_queue, &failing_allocations);
}

/* ---- With a store attached ---------------------------------------------- */

TEST_C(Allocation, OfFactsWithAStore)
{
    play(&scene_facts_offered, &failing_allocations);
    play(&scene_facts_of_store, &failing_allocations);
    play(&scene_facts_of_store_alone, &failing_allocations);
}

TEST_C(Allocation, OfProgramsWithAnEmptyStore)
{
    play(&scene_program_with_empty_store, &failing_allocations);
}

TEST_C(Allocation, OfProgramsFromAStore)
{
    play(&scene_program_of_store, &failing_allocations);
    play(&scene_program_of_compressed_store, &failing_allocations);
    play(&scene_program_of_damaged_store, &failing_allocations);
    play(&scene_program_prefetched, &failing_allocations);
    play(&scene_programs_prefetched_at_once, &failing_allocations);
    play(&scene_program_of_store_alone, &failing_allocations);
}

TEST_C(Allocation, OfOffers)
{
    play(&scene_program_offered, &failing_allocations);
    play(&scene_program_offered_at_last, &failing_allocations);
}

TEST_C(Allocation, OfAdoptionWithAStore)
{
    play(&scene_adoption_with_store, &failing_allocations);
}

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
