/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes there are, by what they are about. */
#ifndef DNNL_CACHE_TESTS_API_SCENES_H
#define DNNL_CACHE_TESTS_API_SCENES_H

#include "scene.h"
#include "test.h"

/* engine_scenes.c */
extern const struct scene scene_engine_creation;
extern const struct scene scene_host_engine_creation;
extern const struct scene scene_engine_creation_by_index;
extern const struct scene scene_engine_id_query;
extern const struct scene scene_engine_blob_query;
extern const struct scene scene_engine_from_blob;
extern const struct scene scene_engine_blob_check;
extern const struct scene scene_blob_inspection;
extern const struct scene scene_blob_description;
extern const struct scene scene_engine_store;
extern const struct scene scene_process_store;

/* program_scenes.c */
extern const struct scene scene_program_description;
extern const struct scene scene_program_key;
extern const struct scene scene_program_includes;
extern const struct scene scene_program_includes_followed;
extern const struct scene scene_program_id_query;
extern const struct scene scene_program_creation;
extern const struct scene scene_program_from_blob;
extern const struct scene scene_program_from_compressed_blob;
extern const struct scene scene_program_from_blob_with_user_data;
extern const struct scene scene_program_from_other_blob;
extern const struct scene scene_program_recompilation;
extern const struct scene scene_program_refused;
extern const struct scene scene_program_in_background;
extern const struct scene scene_program_capture;
extern const struct scene scene_program_compressed_capture;
extern const struct scene scene_program_blob_query;
extern const struct scene scene_program_user_data;
extern const struct scene scene_blob_binary_query;
extern const struct scene scene_program_of_binary;
extern const struct scene scene_program_log_query;
extern const struct scene scene_program_kernel;
extern const struct scene scene_program_adoption;
extern const struct scene scene_kernel_creation;
extern const struct scene scene_kernel_from_program;
extern const struct scene scene_kernel_refused;
extern const struct scene scene_id_difference;

/* input_scenes.c: programs with headers, programs of IL */
extern const struct scene scene_header_added;
extern const struct scene scene_headers_id;
extern const struct scene scene_headers_compiled;
extern const struct scene scene_il_description;
extern const struct scene scene_il_constant;
extern const struct scene scene_il_compiled;

/* primitive_scenes.c: of a relu; play_all() has them for every operation. */
extern const struct scene scene_attributes_creation;
extern const struct scene scene_attributes_copy;
extern const struct scene scene_attributes_factors;
extern const struct scene scene_attributes_rounding;
extern const struct scene scene_post_ops_creation;
extern const struct scene scene_primitive_description;
extern const struct scene scene_primitive_id_query;
extern const struct scene scene_primitive_creation;
extern const struct scene scene_primitive_from_blob;
extern const struct scene scene_primitive_from_compressed_blob;
extern const struct scene scene_primitive_from_other_blob;
extern const struct scene scene_primitive_recompilation;
extern const struct scene scene_primitive_blob_query;
extern const struct scene scene_primitive_compressed_blob_query;
extern const struct scene scene_primitive_info_query;
extern const struct scene scene_primitive_execution;
extern const struct scene scene_primitive_execution_in_order;
extern const struct scene scene_primitive_execution_meanwhile;
extern const struct scene scene_copy_to_device;
extern const struct scene scene_copy_to_host;
extern const struct scene scene_copy_from_context;
extern const struct scene scene_empty_execution;
void play_all(const struct scene *scene, const struct fault *fault);

/* memory_scenes.c */
extern const struct scene scene_memory_description;
extern const struct scene scene_memory_description_by_strides;
extern const struct scene scene_memory_description_from_blob;
extern const struct scene scene_memory_description_copy;
extern const struct scene scene_memory_description_of_part;
extern const struct scene scene_memory_description_reshaped;
extern const struct scene scene_memory_description_permuted;
extern const struct scene scene_memory_creation;
extern const struct scene scene_opencl_memory_creation;
extern const struct scene scene_host_memory_creation;
extern const struct scene scene_memory_mapping;
extern const struct scene scene_memory_buffer_change;
extern const struct scene scene_stream_creation;
extern const struct scene scene_stream_on_queue;
extern const struct scene scene_stream_wait;

/* store_scenes.c: with a store attached, empty or full. */
extern const struct scene scene_facts_offered;
extern const struct scene scene_facts_of_store;
extern const struct scene scene_facts_of_store_alone;
extern const struct scene scene_program_with_empty_store;
extern const struct scene scene_program_of_store;
extern const struct scene scene_program_of_compressed_store;
extern const struct scene scene_program_of_damaged_store;
extern const struct scene scene_program_of_store_alone;
extern const struct scene scene_program_prefetched;
extern const struct scene scene_programs_prefetched_at_once;
extern const struct scene scene_program_offered;
extern const struct scene scene_program_offered_at_last;
extern const struct scene scene_adoption_with_store;
extern const struct scene scene_primitive_with_empty_store;
extern const struct scene scene_compressed_primitive_with_empty_store;
extern const struct scene scene_primitive_of_store;
extern const struct scene scene_primitive_of_compressed_store;
extern const struct scene scene_primitive_of_store_alone;

/* A test that plays scenes, one after the other, with a fault: by play(), or
 * for every operation by play_all(). */
#define TEST_SCENES(suite, name, play, fault, ...)                 \
    TEST_C(suite, name)                                            \
    {                                                              \
        static const struct scene *const played[] = {__VA_ARGS__}; \
        for (size_t i = 0; i < COUNT(played); i++)                 \
            play(played[i], fault);                                \
    }                                                              \
    struct scene

#endif /* DNNL_CACHE_TESTS_API_SCENES_H */
