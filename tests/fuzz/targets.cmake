# SPDX-License-Identifier: Apache-2.0
# The fuzz targets: fuzz_NAME.c each and the files of fuzz_NAME_sources, with the
# libraries of fuzz_NAME_libraries; seeds in corpus/fuzz_NAME and in the folders of
# fuzz_NAME_seeds; a custom mutator in the file fuzz_NAME_mutator. To be fuzzed,
# fuzz_NAME_parsers, which are in those libraries, are compiled once more: so they
# are instrumented. fuzz_NAME_options are for the linker. fuzz_parts is what several
# targets use. parsers.txt says which target each parser has.
set(fuzz_parts repair_journal.c repair_trailer.c scratch.c)
set(fuzz_targets
    fuzz_binary_form fuzz_blob_reader fuzz_driver_elf fuzz_header_set fuzz_id_reader
    fuzz_include_scan fuzz_loader_cache fuzz_memory_desc fuzz_nvidia_forms fuzz_source_macros
    fuzz_worker_message)
set(gpu ../../src/gpu)
set(run ../../tools/run)
set(fuzz_binary_form_seeds "${PROJECT_SOURCE_DIR}/tests/data/binaries")
set(fuzz_blob_reader_seeds "${PROJECT_SOURCE_DIR}/tests/data/blobs")
set(fuzz_blob_reader_mutator mutate_blob.c)
set(fuzz_include_scan_sources reference_scan.c)
set(fuzz_driver_elf_parsers
    ${gpu}/device/file_search.c ${gpu}/device/program_files.c)
set(fuzz_driver_elf_sources ${run}/command_file.c)
set(fuzz_driver_elf_libraries dnnl_cache_gpu_device dnnl_cache_drivers)
set(fuzz_loader_cache_parsers ${gpu}/device/loader_cache.c)
set(fuzz_loader_cache_libraries dnnl_cache_gpu_device)
set(fuzz_memory_desc_libraries dnnl_cache_gpu_memory)
set(fuzz_memory_desc_parsers ${gpu}/engine/lacks.c ${gpu}/engine/output.c
    ${gpu}/memory/format_tag.c ${gpu}/memory/memory_desc.c
    ${gpu}/memory/memory_desc_blob.c ${gpu}/memory/memory_desc_ops.c)
set(fuzz_nvidia_forms_parsers ${gpu}/device/nvidia_cubin.c
    ${gpu}/device/nvidia_finaliser.c ${gpu}/device/nvidia_options.c)
set(fuzz_nvidia_forms_libraries dnnl_cache_gpu_device OpenCL::OpenCL)
# The messages once more, in the target itself: so they are instrumented.
set(fuzz_worker_message_sources
    ../../src/worker/message.c ../../src/worker/build_message.c)
set(fuzz_worker_message_libraries dnnl_cache_platform)
if(TARGET dnnl_cache_model_run)
    list(APPEND fuzz_worker_message_sources
        ../../model/compile/worker_message.c)
    list(PREPEND fuzz_worker_message_libraries dnnl_cache_model_run)
    set(fuzz_worker_message_definitions FUZZ_MODEL=1)
endif()
if(TARGET dnnl_cache_tool_parts)
    list(APPEND fuzz_worker_message_sources
        ../../tools/dnnl_cache/jobs/refresh_message.c)
    list(APPEND fuzz_worker_message_definitions FUZZ_REFRESH=1)
endif()
if(TARGET dnnl_cache_stores)
    set(fuzz_store_targets fuzz_directory_index fuzz_file_digests fuzz_journal
        fuzz_key_file fuzz_pack_rows fuzz_recording fuzz_remote_cipher fuzz_remote_entry
        fuzz_remote_url fuzz_signed_entry fuzz_store_entry fuzz_store_root fuzz_store_totals
        fuzz_working_set)
    list(APPEND fuzz_targets ${fuzz_store_targets})
    foreach(target IN LISTS fuzz_store_targets)
        set(${target}_libraries dnnl_cache_stores PkgConfig::XXHASH)
    endforeach()
    list(APPEND fuzz_pack_rows_libraries PkgConfig::SQLITE)
    set(fuzz_key_file_sources ../../stores/remote/thread/remote_secret.c)
    set(fuzz_recording_seeds
        "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/fuzz_journal")
    set(fuzz_directory_index_mutator mutate_repaired.c)
endif()
if(TARGET dnnl_cache_tool_parts)
    list(APPEND fuzz_targets fuzz_archive fuzz_facts fuzz_failure fuzz_id_file
        fuzz_json_tree fuzz_layer_conf fuzz_proof fuzz_prove_state fuzz_refresh_jobs
        fuzz_setting_text fuzz_state_files)
    set(prove ../../tools/dnnl_cache/prove)
    set(proof ../../tools/common/proof)
    set(fuzz_proof_parsers ../../tools/common/id/facts_difference.c
        ${proof}/proof.c ${proof}/proof_bitcode.c ${proof}/proof_code.c
        ${proof}/proof_pocl.c)
    set(fuzz_proof_libraries dnnl_cache_tool_parts PkgConfig::XXHASH)
    set(fuzz_prove_state_parsers ${prove}/prove_budget.c ${prove}/prove_memory.c
        ../../tools/dnnl_cache/refresh/replay_failed.c)
    set(fuzz_prove_state_libraries dnnl_cache_tool_parts PkgConfig::XXHASH)
    set(fuzz_prove_state_options -Wl,--wrap=clock_epoch_ns)
    set(fuzz_archive_mutator mutate_repaired.c)
    set(fuzz_facts_mutator mutate_repaired.c)
    set(fuzz_refresh_jobs_mutator mutate_repaired.c)
    set(fuzz_archive_parsers ../../tools/dnnl_cache/archive/archive_reader.c)
    set(fuzz_archive_seeds "${PROJECT_SOURCE_DIR}/tests/data/archives")
    set(fuzz_archive_libraries dnnl_cache_tool_parts PkgConfig::XXHASH)
    set(fuzz_facts_parsers ../../tools/common/id/facts.c)
    set(fuzz_facts_libraries dnnl_cache_tools_common OpenCL::OpenCL)
    set(fuzz_failure_parsers
        ../../tools/common/id/failure.c ../../tools/common/id/failure_log.c)
    set(fuzz_failure_libraries dnnl_cache_tools_common OpenCL::OpenCL)
    set(state ../../tools/common/state)
    set(fuzz_layer_conf_parsers ${state}/configuration.c ${state}/store_setting.c)
    set(fuzz_layer_conf_sources ${run}/conf_edit.c)
    set(fuzz_layer_conf_libraries dnnl_cache_tools_common)
    set(jobs ../../tools/dnnl_cache/jobs)
    set(fuzz_refresh_jobs_parsers ${jobs}/refresh_id.c ${jobs}/refresh_jobs.c
        ${jobs}/refresh_objection.c ${jobs}/replay_headers.c
        ../../tools/dnnl_cache/view/record_view.c)
    set(fuzz_refresh_jobs_seeds "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/fuzz_journal")
    set(fuzz_refresh_jobs_libraries dnnl_cache_tool_parts PkgConfig::XXHASH)
    set(fuzz_setting_text_parsers ${state}/applications.c
        ../../tools/common/text/option_value.c ../../tools/common/text/units.c)
    set(fuzz_setting_text_sources ${run}/conf_edit.c ${run}/layer_list.c)
    set(fuzz_setting_text_libraries dnnl_cache_tools_common)
    set(fuzz_state_files_parsers ${state}/driver_names.c ${state}/crash_marker_files.c
        ${state}/crashes.c ${state}/state_folder.c ${state}/state_lines.c)
    set(fuzz_state_files_libraries dnnl_cache_tools_common PkgConfig::XXHASH)
    set(fuzz_id_file_parsers ../../tools/dnnl_cache/base/id_file.c)
    set(fuzz_id_file_libraries dnnl_cache_tool_parts)
    set(fuzz_json_tree_parsers
        ../../tools/common/text/json_tree.c ../../tools/common/text/text.c)
    set(fuzz_json_tree_libraries dnnl_cache_tool_parts)
endif()
if(TARGET dnnl_cache_layer_parts)
    list(APPEND fuzz_targets fuzz_layer_settings)
    set(fuzz_layer_settings_parsers ../../layer/settings/settings.c)
    set(fuzz_layer_settings_libraries dnnl_cache_layer_parts)
endif()
if(TARGET dnnl_cache_redis)
    list(APPEND fuzz_targets fuzz_redis_leases fuzz_redis_reply)
    set(redis ../../stores/redis)
    set(fuzz_redis_leases_sources ${redis}/redis_connection.c
        ${redis}/redis_get.c ${redis}/redis_heard.c ${redis}/redis_lease.c
        ${redis}/redis_messages.c ${redis}/redis_out.c ${redis}/redis_reply.c
        ${redis}/redis_requests.c ${redis}/redis_server.c
        ${redis}/redis_transport.c ${redis}/redis_wait.c
        ../../stores/remote/thread/remote_secret.c)
    set(fuzz_redis_leases_libraries dnnl_cache_stores dnnl_cache_sockets
        PkgConfig::HIREDIS PkgConfig::SODIUM)
    set(fuzz_redis_leases_options -Wl,--wrap=clock_gettime)
    set(fuzz_redis_reply_sources
        ../../stores/redis/redis_reply.c)
    set(fuzz_redis_reply_libraries dnnl_cache_stores PkgConfig::HIREDIS)
endif()
if(TARGET dnnl_cache_http)
    list(APPEND fuzz_targets fuzz_http_answer fuzz_http_list)
    set(http ../../stores/http)
    set(fuzz_http_answer_sources ${http}/http_list.c ${http}/http_request.c
        ${http}/http_server.c ${http}/http_sign.c ${http}/http_sockets.c
        ../../stores/remote/thread/remote_secret.c)
    set(fuzz_http_answer_libraries
        dnnl_cache_stores dnnl_cache_sockets PkgConfig::CURL PkgConfig::SODIUM)
    set(fuzz_http_list_sources ../../stores/http/http_list.c
        ../../stores/http/http_sign.c)
    set(fuzz_http_list_libraries dnnl_cache_stores PkgConfig::SODIUM)
endif()
if(TARGET dnnl_cache_model)
    list(APPEND fuzz_targets fuzz_onnx_external fuzz_onnx_reader)
    set(fuzz_onnx_external_mutator mutate_onnx.c)
    set(fuzz_onnx_external_libraries dnnl_cache_model_reference)
    set(fuzz_onnx_reader_seeds
        "${PROJECT_SOURCE_DIR}/tests/data/onnx/models"
        "${PROJECT_SOURCE_DIR}/tests/data/onnx/nodes")
    set(fuzz_onnx_reader_mutator mutate_onnx.c)
    set(fuzz_onnx_reader_libraries dnnl_cache_model_reference)
endif()
if(TARGET dnnl_cache_model_command)
    list(APPEND fuzz_targets fuzz_image_reader fuzz_npy_reader)
    set(command ../../model/command)
    set(fuzz_npy_reader_parsers ${command}/npy.c ${command}/value.c)
    set(fuzz_npy_reader_libraries dnnl_cache_model_command)
    set(fuzz_image_reader_parsers ${command}/image.c ${command}/image_jpeg.c
        ${command}/image_png.c ${command}/value.c)
    set(fuzz_image_reader_libraries dnnl_cache_model_command)
    set(fuzz_image_reader_seeds "${PROJECT_SOURCE_DIR}/tests/data/pictures")
endif()
