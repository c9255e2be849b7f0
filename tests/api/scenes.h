/* SPDX-License-Identifier: Apache-2.0 */
/* The scenes there are, by what they are about. */
#ifndef DNNL_CACHE_TESTS_API_SCENES_H
#define DNNL_CACHE_TESTS_API_SCENES_H

#include "scene.h"

/* engine_scenes.c */
extern const struct scene engine_creation;
extern const struct scene engine_creation_by_index;
extern const struct scene engine_id_query;
extern const struct scene engine_blob_query;
extern const struct scene engine_from_blob;
extern const struct scene engine_blob_check;
extern const struct scene engine_store;
extern const struct scene process_store;

/* program_scenes.c */
extern const struct scene program_description;
extern const struct scene program_key;
extern const struct scene program_id_query;
extern const struct scene program_creation;
extern const struct scene program_from_blob;
extern const struct scene program_from_compressed_blob;
extern const struct scene program_capture;
extern const struct scene program_compressed_capture;
extern const struct scene program_blob_query;
extern const struct scene program_log_query;
extern const struct scene program_kernel;
extern const struct scene program_adoption;
extern const struct scene id_difference;

/* primitive_scenes.c: of a relu; play_all() has them for every operation. */
extern const struct scene attributes_creation;
extern const struct scene post_ops_creation;
extern const struct scene primitive_description;
extern const struct scene primitive_id_query;
extern const struct scene primitive_creation;
extern const struct scene primitive_from_blob;
extern const struct scene primitive_from_compressed_blob;
extern const struct scene primitive_blob_query;
extern const struct scene primitive_compressed_blob_query;
extern const struct scene primitive_info_query;
extern const struct scene primitive_execution;
extern const struct scene primitive_execution_in_order;
extern const struct scene primitive_execution_meanwhile;
extern const struct scene copy_to_device;
extern const struct scene copy_to_host;
extern const struct scene empty_execution;
void play_all(const struct scene *scene, const struct fault *fault);

/* memory_scenes.c */
extern const struct scene memory_description;
extern const struct scene memory_description_by_strides;
extern const struct scene memory_description_from_blob;
extern const struct scene memory_description_copy;
extern const struct scene memory_creation;
extern const struct scene opencl_memory_creation;
extern const struct scene host_memory_creation;
extern const struct scene memory_mapping;
extern const struct scene memory_buffer_change;
extern const struct scene stream_creation;
extern const struct scene stream_on_queue;
extern const struct scene stream_wait;

#endif /* DNNL_CACHE_TESTS_API_SCENES_H */
