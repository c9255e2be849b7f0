# SPDX-License-Identifier: Apache-2.0
# Tests of what primitives compute, on the platform that
# DNNL_CACHE_TEST_PLATFORM names a part of (PoCL by default).
add_subdirectory("${CMAKE_CURRENT_SOURCE_DIR}/../reference" reference)

add_library(dnnl_cache_test_primitives STATIC convolutions.c convolutions.h
    normalizations.c normalizations.h onnx_tensor.c onnx_tensor.h
    run_primitive.c run_primitive.h tag_loops.c tag_loops.h tensors.c tensors.h)
target_compile_definitions(dnnl_cache_test_primitives PRIVATE
    DNNL_CACHE_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data")
target_include_directories(dnnl_cache_test_primitives PUBLIC
    "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(dnnl_cache_test_primitives PUBLIC
    dnnl_cache_test_harness dnnl_cache_test_platform dnnl_cache_reference)
dnnl_cache_target(dnnl_cache_test_primitives)

foreach(kind
    batch_normalization
    binary
    concat
    convolution
    eltwise
    group_normalization
    inner_product
    layer_normalization
    lrn
    matmul
    pooling
    post_ops
    prelu
    reduction
    reorder
    resampling
    shuffle
    softmax
    sum)
    dnnl_cache_test(test_${kind} SOURCES test_${kind}.c
        LIBS dnnl_cache_test_primitives LABELS api device TIMEOUT 900)
endforeach()
dnnl_cache_test(test_reorder_blocks
    SOURCES test_reorder_blocks.c test_reorder_numbers.c
    LIBS dnnl_cache_test_primitives LABELS api device TIMEOUT 900)
foreach(kind convolution_types deconvolution quantized_products runtime_dims)
    dnnl_cache_test(test_${kind} SOURCES test_${kind}.c
        LIBS dnnl_cache_test_primitives LABELS api device TIMEOUT 900)
endforeach()
dnnl_cache_test(test_unsupported_layouts SOURCES test_unsupported_layouts.c
    LIBS dnnl_cache_test_primitives LABELS api device)
# The tiles for devices that allow one work-item a group; PoCL can be one.
foreach(kind convolution deconvolution inner_product matmul)
    add_test(NAME test_${kind}_one_item COMMAND test_${kind}
        "--gtest_filter=*OddSizes*:*Layouts*:*Transposed*:*Bias*")
    set_tests_properties(test_${kind}_one_item PROPERTIES TIMEOUT 900
        LABELS "api;device" ENVIRONMENT "POCL_MAX_WORK_GROUP_SIZE=1")
endforeach()

add_test(NAME test_softmax_one_item COMMAND test_softmax
    "--gtest_filter=*Lengths*:*Axis*")
set_tests_properties(test_softmax_one_item PROPERTIES TIMEOUT 900
    LABELS "api;device" ENVIRONMENT "POCL_MAX_WORK_GROUP_SIZE=1")

add_test(NAME test_reduction_one_item COMMAND test_reduction
    "--gtest_filter=*Lengths*:*Columns*")
set_tests_properties(test_reduction_one_item PROPERTIES TIMEOUT 900
    LABELS "api;device" ENVIRONMENT "POCL_MAX_WORK_GROUP_SIZE=1")

foreach(kind batch_normalization layer_normalization)
    add_test(NAME test_${kind}_one_item COMMAND test_${kind}
        "--gtest_filter=*AllShapes*:*Random*")
    set_tests_properties(test_${kind}_one_item PROPERTIES TIMEOUT 900
        LABELS "api;device" ENVIRONMENT "POCL_MAX_WORK_GROUP_SIZE=1")
endforeach()

dnnl_cache_test(test_descriptors
    SOURCES test_memory_desc.c test_memory_desc_blocks.c test_attributes.c
    LIBS dnnl_cache_test_primitives LABELS api device)
