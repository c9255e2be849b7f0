# SPDX-License-Identifier: Apache-2.0
# Tests of what primitives compute, on the platform that
# DNNL_CACHE_TEST_PLATFORM names a part of (PoCL by default).
add_subdirectory("${CMAKE_CURRENT_SOURCE_DIR}/../reference" reference)

add_library(dnnl_cache_test_primitives STATIC
    blocked_tensor.c blocked_tensor.h convolutions.c convolutions.h
    normalizations.c normalizations.h onnx_tensor.c onnx_tensor.h
    run_primitive.c run_primitive.h tag_loops.c tag_loops.h tensors.c tensors.h)
target_compile_definitions(dnnl_cache_test_primitives PRIVATE
    DNNL_CACHE_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data")
target_include_directories(dnnl_cache_test_primitives PUBLIC
    "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(dnnl_cache_test_primitives PUBLIC
    dnnl_cache_test_harness dnnl_cache_test_platform dnnl_cache_reference)
dnnl_cache_target(dnnl_cache_test_primitives)

# What the quick tier leaves out: tests that have a program compiled for each
# element type, algorithm or shape. Others there compute with some of them.
set(merge_batch_normalization *TakesAllShapesWithStatistics *TakesPostOps
    *ComputesStatisticsOfAllShapes *TakesRandomShapes)
set(merge_binary *RepeatsEitherSourceInAnyLayout *SelectsBetweenItsSources
    *AgreesWithOnnx *ScalesItsSources *TakesTwelveDimensionsThatDoNotMerge)
set(merge_concat *TakesRandomEmptyTensors *ScalesSourcesOfEveryKind
    *KeepsIntegersBesideScaledOnes *TakesEveryTypeAndConverts *ScalesSources)
set(merge_convolution *ComputesChannelsLast *TellsRunsWithStepsThatAddUpToNone
    *PadsASinglePlane *AddsBiasAndAppliesPostOps *LeavesGapsAlone *TakesAnEmptyImage
    *TakesTwoChannelsFarApart *DepthwiseOfEveryType *TheEdgesOfStrips
    *DepthwiseWithZeroPointsAndPostOps)
set(merge_convolution_types *)
set(merge_deconvolution *TellsRunsAndASinglePlane *LeavesGapsAlone *KeepsGroupsApart
    *MixesLayouts *ComputesImagesOfOddSizes *ComputesManyRandomShapes
    *TakesOneAndThreeSpatialDimensions *SumsUpBytesExactly *AgreesWithOnnx
    *StepsDilatesAndPads *SumsUpNothingToBias *TakesAnEmptyImage
    *AddsBiasAndAppliesPostOps)
set(merge_eltwise *OtherPowersAreAsExactAsTheySay
    *TakesEveryType *ComputesTheSameWhereTheDerivativeIsOfDst
    *AppliesTheLongestChainOfPostOps *ChangesTheLayout *RoundsOnceBehindThePostOps
    *TakesTwelveDimensionsThatDoNotMerge)
set(merge_group_normalization *TakesEveryTypeAndFlag *TakesPostOps
    *ComputesStatisticsOfAllShapes *TakesAllShapesWithStatistics)
set(merge_inner_product *AppliesPostOps *TakesLayoutsThatDisagree
    *SumsSpatialDimensionsUp *SumsUpNothing* *LeavesGapsAlone *AgreesWithOnnx)
set(merge_layer_normalization *TakesEveryTypeAndFlag *TakesScaleAndShiftOfEveryFloat
    *TakesPostOps *TakesScalesOfSrcAndDst *ComputesStatisticsOfAllShapes)
set(merge_lrn *TakesEveryTypeAndTrains *TakesAllLayouts *TakesAllShapes
    *TakesPostOps *TakesRandomShapes)
set(merge_matmul *ReadsRepeatedElements *TakesBytesInAnyLayout
    *AppliesPostOpsToSumsOfBytes *AppliesPostOpsInOrder
    *ReadsAndWritesTransposedMatrices *SumsBytesUpExactly *AgreesWithOnnx
    *ComputesMatricesOfOddSizes *RepeatsBatchesOfSizeOne
    *ComputesManyTilesInOneLaunch *ASingleRowOfEveryType
    *TheEdgesOfStrips*)
set(merge_pooling *TakesRandomEmptyTensors *TakesEveryType *TakesChannelsInnermost
    *HasAWorkspaceForTraining *TakesAllShapes *TakesLinesOfEveryKind
    *TakesLinesOfEveryType *GapsBetweenLinesAlone)
set(merge_post_ops *ScaleBeforeTheBiasAndAtTheEnd *AddWhatDstHas
    *ReadATensorOfAnyType *TakeEveryAlgorithmOfTwoElements
    *AddDstsBytesAsAnotherType *ComeInTheirOrder *HaveSlopesForWhatIsBelowZero)
set(merge_prelu *TakesEveryType *RepeatsWeightsInAnyLayout)
set(merge_quantized_products *)
set(merge_reduction *TakesRandomEmptyTensors *TakesTwelveDimensions *TakesEveryType
    *ComparesIntegersExactly *HandsNotANumberAndInfinityOn
    *ReducesAnyDimensionsInAnyLayout *TakesAllLengths)
set(merge_reorder *ConvertsAllHalves *ConvertsAllBrainFloats
    *MakesNotANumberZeroAsInteger)
set(merge_resampling *TakesEveryType *TakesLinesOfAnyLength *TakesImagesInAnyLayout
    *TakesLinesWhoseProductsAreWide)
set(merge_rnn *TakesEveryActivation *TakesEveryLayout *TakesAnyNumberOfUnits *KeepsHalvesInMemory
    *GoesEveryWayWithStatesAndBias)
set(merge_runtime_dims *MatmulTakesAnyNumberOfRows)
set(merge_shuffle *TakesEveryType *TakesTwelveDimensions)
set(merge_softmax *TakesMoreBytesAndScales *TakesBytesAndScales *TakesEveryByte
    *TakesTwelveDimensionsThatDoNotMerge *WorksInPlace)
set(merge_sum *TakesALayoutForEach *TakesEveryTypeAndMixesThem
    *TakesOneSourceAndMany *TakesSeveralLayoutsAndRefusesMore
    *ChoosesALayoutLikeTheFirstSource *GivesEachSourceItsScale *LeavesGapsAlone
    *TakesTwelveDimensionsThatDoNotMerge)

# Of these it has a sixth of the cases, and the full tier all.
set(sampled_batch_normalization *TakesEveryTypeAndFlag)
set(sampled_binary *ComputesEveryAlgorithm *TakesEveryType)
set(sampled_compressed_weights *OfEveryType *Besides *RandomMatrices *AFewRows
    *AlongEveryDimension *MatricesOfOddSizes *FloatsToo *ProductsOfBytes)
set(sampled_convolution *MixesLayouts *TakesRandomEmptyTensors)
set(sampled_convolution_types *SumsUpBytesExactly *RoundsHalvesAtTheEnds
    *SubtractsEveryZeroPointInEveryLayout *SubtractsTheZeroPointOfSrc
    *RandomShapesWithZeroPoints *ScalesAndMovesResults *AddsToWhatIsInDst)
set(sampled_deconvolution *TakesRandomEmptyTensors)
set(sampled_eltwise *ComputesEveryAlgorithm)
set(sampled_inner_product *TakesEveryType *TakesRandomEmptyTensors
    *ComputesMatricesOfOddSizes)
set(sampled_matmul *TakesRandomEmptyTensors *MakesEveryTypeOfSumsOfBytes
    *TakesFloatsOfEveryType)
set(sampled_reduction *ComputesEveryAlgorithm)
set(sampled_reorder *ConvertsEveryPairOfTypes)
set(sampled_softmax *TakesEveryTypeAndAlgorithm)

dnnl_cache_test_program(test_primitives LIBS dnnl_cache_test_primitives)

# All kinds, wherever one of their tensors may be empty.
dnnl_cache_test(test_empty_tensors IN test_primitives
    SOURCES blank_execution.c random_calls.c test_empty_tensors.c
    LABELS api device TIMEOUT 900 MERGE *)

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
    rnn
    shuffle
    softmax
    sum)
    dnnl_cache_test(test_${kind} IN test_primitives SOURCES test_${kind}.c
        LABELS api device TIMEOUT 900
        MERGE ${merge_${kind}} SAMPLED ${sampled_${kind}})
endforeach()
dnnl_cache_test(test_reorder_blocks IN test_primitives
    SOURCES test_reorder_blocks.c test_reorder_numbers.c
    LABELS api device TIMEOUT 900
    MERGE ReorderBlocks.LeavePaddingZeroAfterPostOps ReorderNumbers.OneForEachChannel
        ReorderBlocks.ConvertTypes ReorderNumbers.ToAndFromBlocks
        ReorderNumbers.OneForTheWholeTensor)
# Of two devices.
dnnl_cache_test(test_reorder_engines SOURCES test_reorder_engines.c
    LIBS dnnl_cache_test_primitives dnnl_cache_test_platform LABELS api device
    TIMEOUT 900 MERGE *
    ENV "POCL_DEVICES=pthread basic")
dnnl_cache_test(test_blocked_layouts IN test_primitives SOURCES test_blocked_layouts.c
    LABELS api device TIMEOUT 900
    MERGE *OfElements *AlongDimensions *OfProducts
    SAMPLED *OfElements *AlongDimensions *OfProducts)
foreach(kind convolution_types deconvolution quantized_products runtime_dims)
    dnnl_cache_test(test_${kind} IN test_primitives SOURCES test_${kind}.c
        LABELS api device TIMEOUT 900
        MERGE ${merge_${kind}} SAMPLED ${sampled_${kind}})
endforeach()
dnnl_cache_test(test_compressed_weights IN test_primitives SOURCES test_compressed_weights.c
    LABELS api device TIMEOUT 900
    MERGE * SAMPLED ${sampled_compressed_weights})
dnnl_cache_test(test_later_attributes IN test_primitives
    SOURCES test_later_attributes.c test_stream_profile.c LABELS api device TIMEOUT 900)
dnnl_cache_test(test_random_matmul IN test_primitives SOURCES test_random_matmul.c
    LABELS api device TIMEOUT 900
    MERGE *
    SAMPLED *EveryType *RandomShapes *BeforePostOps *AtTheEnd *OfVectors
        *RoundsAtRandom)
dnnl_cache_test(test_random_rounding IN test_primitives SOURCES test_random_rounding.c
    LABELS api device TIMEOUT 900
    MERGE RandomRounding.HasTheMeanOfItsRandomBits RandomRounding.ReordersFloats
        *FloatsToEveryType *AfterPostOps *WhatTheTypeHas *RoundsConvolutions
    SAMPLED *ConvolutionsToEveryType)
dnnl_cache_test(test_half_bytes IN test_primitives SOURCES test_half_bytes.c
    LABELS api device TIMEOUT 900
    MERGE HalfBytes.ArePackedAndUnpacked
        *EveryTypeAndLayout *Blocks)
dnnl_cache_test(test_transformer IN test_primitives SOURCES test_transformer.c transformer.c
    LABELS api device TIMEOUT 900 MERGE *)
dnnl_cache_test(test_unsupported_layouts IN test_primitives SOURCES test_unsupported_layouts.c
    LABELS api device)

# one_item_test(KIND TIER FILTER): tests of one kind for devices that allow one
# work-item a group; PoCL can be one.
function(one_item_test kind tier filter)
    set(name test_${kind}_one_item)
    if(TEST ${name})
        set(name ${name}_${tier})
    endif()
    add_test(NAME ${name} COMMAND test_primitives "--gtest_filter=${filter}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 COST 15
        LABELS "api;device;${tier}" ENVIRONMENT
        "POCL_MAX_WORK_GROUP_SIZE=1;DNNL_CACHE_TEST_SOURCES=test_${kind}.c;\
DNNL_CACHE_TEST_ENTRY=${name}")
endfunction()
one_item_test(matmul merge "*Bias*")
foreach(kind matmul convolution deconvolution inner_product)
    one_item_test(${kind} full "*OddSizes*:*Layouts*:*Transposed*:*Bias*")
endforeach()
one_item_test(compressed_weights full "*AVector*:*AFewRows*:*OddSizes*")
one_item_test(softmax full "*Lengths*:*Axis*")
one_item_test(reduction merge "*Lengths*:*Columns*")
foreach(kind batch_normalization layer_normalization)
    one_item_test(${kind} full "*AllShapes*:*Random*")
endforeach()

dnnl_cache_test(test_descriptors IN test_primitives
    SOURCES test_memory_desc.c test_memory_desc_blocks.c test_attributes.c
    LABELS api device)
