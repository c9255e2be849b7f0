/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the library's within a call made to fail, one after the
 * other: alone, and with all that follow. This binary has the library in it,
 * so that the linker can hand its allocations to failing_allocations.c.
 */
#include "failing_allocations.h"
#include "scenes.h"

#include "test.h"

enum manner { alone, with_all_that_follow, manners };

static void start(unsigned n, unsigned manner)
{
    allocations_fail(n, manner == with_all_that_follow);
}

static bool allows(const struct scene *scene, unsigned manner,
        const char *failed, dnnl_status_t status)
{
    (void)scene;
    (void)manner;
    (void)failed;
    return status == dnnl_out_of_memory;
}

static const struct fault fault = {manners, start, allocations_stop, allows,
        allocations_pause, allocations_alive};

/* ---- Engines ------------------------------------------------------------ */

TEST_C(Allocation, OfEngines)
{
    play(&scene_engine_creation, &fault);
    play(&scene_engine_creation_by_index, &fault);
}

TEST_C(Allocation, OfEngineIds)
{
    play(&scene_engine_id_query, &fault);
}

TEST_C(Allocation, OfEnginesFromBlobs)
{
    play(&scene_engine_from_blob, &fault);
}

TEST_C(Allocation, OfBlobChecks)
{
    play(&scene_engine_blob_check, &fault);
}

TEST_C(Allocation, OfAttachingStores)
{
    play(&scene_engine_store, &fault);
    play(&scene_process_store, &fault);
}

/* ---- Programs ----------------------------------------------------------- */

TEST_C(Allocation, OfProgramDescriptors)
{
    play(&scene_program_description, &fault);
}

TEST_C(Allocation, OfKeys)
{
    play(&scene_program_key, &fault);
}

TEST_C(Allocation, OfProgramIds)
{
    play(&scene_program_id_query, &fault);
    play(&scene_id_difference, &fault);
}

TEST_C(Allocation, OfPrograms)
{
    play(&scene_program_creation, &fault);
}

TEST_C(Allocation, OfProgramsFromBlobs)
{
    play(&scene_program_from_blob, &fault);
    play(&scene_program_from_compressed_blob, &fault);
}

TEST_C(Allocation, OfCaptures)
{
    play(&scene_program_capture, &fault);
    play(&scene_program_compressed_capture, &fault);
}

TEST_C(Allocation, OfProgramBlobs)
{
    play(&scene_program_blob_query, &fault);
}

TEST_C(Allocation, OfBuildLogs)
{
    play(&scene_program_log_query, &fault);
}

TEST_C(Allocation, OfAdoption)
{
    play(&scene_program_adoption, &fault);
}

/* ---- Primitives --------------------------------------------------------- */

TEST_C(Allocation, OfAttributes)
{
    play(&scene_attributes_creation, &fault);
    play(&scene_post_ops_creation, &fault);
}

TEST_C(Allocation, OfPrimitiveDescriptors)
{
    play_all(&scene_primitive_description, &fault);
}

TEST_C(Allocation, OfPrimitiveIds)
{
    play_all(&scene_primitive_id_query, &fault);
}

TEST_C(Allocation, OfPrimitives)
{
    play_all(&scene_primitive_creation, &fault);
}

TEST_C(Allocation, OfPrimitivesFromBlobs)
{
    play_all(&scene_primitive_from_blob, &fault);
    play_all(&scene_primitive_from_compressed_blob, &fault);
}

TEST_C(Allocation, OfPrimitiveBlobs)
{
    play_all(&scene_primitive_blob_query, &fault);
    play_all(&scene_primitive_compressed_blob_query, &fault);
}

TEST_C(Allocation, OfCreationInfo)
{
    play(&scene_primitive_info_query, &fault);
}

/* ---- Memory and streams ------------------------------------------------- */

TEST_C(Allocation, OfMemoryDescriptors)
{
    play(&scene_memory_description, &fault);
    play(&scene_memory_description_by_strides, &fault);
    play(&scene_memory_description_from_blob, &fault);
    play(&scene_memory_description_copy, &fault);
}

TEST_C(Allocation, OfMemory)
{
    play(&scene_memory_creation, &fault);
    play(&scene_opencl_memory_creation, &fault);
    play(&scene_host_memory_creation, &fault);
}

TEST_C(Allocation, OfStreams)
{
    play(&scene_stream_creation, &fault);
    play(&scene_stream_on_queue, &fault);
}

/* ---- With a store attached ---------------------------------------------- */

TEST_C(Allocation, OfProgramsWithAnEmptyStore)
{
    play(&scene_program_with_empty_store, &fault);
}

TEST_C(Allocation, OfProgramsFromAStore)
{
    play(&scene_program_of_store, &fault);
    play(&scene_program_of_compressed_store, &fault);
    play(&scene_program_of_damaged_store, &fault);
}

TEST_C(Allocation, OfOffers)
{
    play(&scene_program_offered, &fault);
    play(&scene_program_offered_at_last, &fault);
}

TEST_C(Allocation, OfAdoptionWithAStore)
{
    play(&scene_adoption_with_store, &fault);
}

TEST_C(Allocation, OfPrimitivesWithAnEmptyStore)
{
    play_all(&scene_primitive_with_empty_store, &fault);
    play_all(&scene_compressed_primitive_with_empty_store, &fault);
}

TEST_C(Allocation, OfPrimitivesFromAStore)
{
    play_all(&scene_primitive_of_store, &fault);
    play_all(&scene_primitive_of_compressed_store, &fault);
}
