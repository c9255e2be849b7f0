/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that operators had in earlier operator sets, and what ONNX's own
 * cases leave out: what the reader makes of them, computed by the reference
 * executor. Inputs are 0, 1, 2 ... */
#include "model_form.h"
#include "test.h"

#define Y "\noutput y"

/* ---- Elements ------------------------------------------------------------ */

TEST_C(ModelForms, BroadcastFromAnAxisAsTheFirstSetsDid)
{
    EXPECT_FORMS({
            {"opset 6\ninput x f32 1,2,1,2\nconst w f32 2 = 10 20\n"
             "Add x,w -> y axis=1 broadcast=1" Y,
                    1, "[1, 2, 1, 2] 10 11 22 23"},
            {"opset 6\ninput x f32 2,2\nconst w f32 2 = 10 20\n"
             "Sub x,w -> y axis=0 broadcast=1" Y,
                    1, "[2, 2] -10 -9 -18 -17"},
            {"opset 6\ninput x f32 2,2\nconst w f32 2 = 10 20\n"
             "Mul x,w -> y broadcast=1" Y,
                    1, "[2, 2] 0 20 20 60"},
            {"opset 7\ninput x f32 2,1\ninput z f32 1,2\nSub z,x -> t\n"
             "Max t,x -> y" Y,
                    2, "[2, 2] 0 1 1 1"},
            {"opset 6\ninput x f32 1,2,1,2\nconst s f32 2 = -1 0.5\n"
             "Neg x -> t\nPRelu t,s -> y" Y,
                    2, "[1, 2, 1, 2] -0 1 -1 -1.5"},
    });
}

TEST_C(ModelForms, TakeAnyNumberOfOperands)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 2\ninput z f32 2\nSum x,z,x -> y" Y, 2,
                    "[2] 0 3"},
            {"opset 13\ninput x f32 3\ninput z f32 1\nMean x,z -> y" Y, 2,
                    "[3] 0 0.5 1"},
            {"opset 13\ninput x f32 3\nMin x -> y" Y, 0, "[3] 0 1 2"},
    });
}

TEST_C(ModelForms, ClipByAttributesAndInputs)
{
    EXPECT_FORMS({
            {"opset 6\ninput x f32 4\nClip x -> y min=1.0 max=2.0" Y, 1,
                    "[4] 1 1 2 2"},
            {"opset 6\nold\ninput x f32 4\nClip x -> y max=2.5" Y, 1,
                    "[4] 0 1 2 2.5"},
            {"opset 11\ninput x f32 4\nconst m f32 - = 2\nClip x,,m -> y" Y, 1,
                    "[4] 0 1 2 2"},
            {"opset 12\ninput x i64 4\nconst m i64 - = 2\nClip x,m -> y" Y, 1,
                    "[4] 2 2 2 3"},
            {"opset 11\ninput x f32 4\nconst m f32 1 = 1.5\nClip x,m -> y" Y, 1,
                    "[4] 1.5 1.5 2 3"},
            /* Limits that are not known before it runs. */
            {"opset 13\ninput x f32 4\ninput m f32 1\nExp m -> n\n"
             "Clip x,,n -> y" Y,
                    3, "[4] 0 1 1 1"},
            {"opset 13\ninput x f32 2,2\nconst l f32 - = 2\n"
             "input m f32 -\nExp m -> n\nClip x,n,l -> y" Y,
                    3, "[2, 2] 1 1 2 2"},
            {"opset 13\ninput x i64 4\ninput m i64 -\nClip x,,m -> y" Y, 1,
                    "[4] 0 0 0 0"},
    });
    EXPECT_REFUSALS({
            {"opset 13\ninput x f32 2\ninput m f32 2\nClip x,m -> y" Y,
                    "input 1 is not one number"},
            {"opset 13\ninput x i64 2\nconst m i64 2 = 1\nClip x,,m -> y" Y,
                    "input 2 is not one number"},
    });
}

/* Operators and attributes that operator sets 18 to 25 added. */
TEST_C(ModelForms, LaterSetsHaveMore)
{
    EXPECT_FORMS({
            {"opset 23\ninput x f32 2,2,2\nconst g f32 2,1 = 1 2\n"
             "RMSNormalization x,g -> y axis=1 epsilon=0.5" Y,
                    6, "[2, 2, 2] 0 0.5 2 3 0.7071 0.8839 2.121 2.475"},
            {"opset 25\ninput x f32 3\nRelu x -> y" Y, 1, "[3] 0 1 2"},
            {"opset 24\ninput x f32 3\nSwish x -> y alpha=0.5" Y, 3,
                    "[3] 0 0.6225 1.462"},
            {"opset 18\ninput x f32 1,4,2\nconst g f32 2 = 1 2\n"
             "const b f32 2 = 0 1\n"
             "GroupNormalization x,g,b -> y num_groups=2 epsilon=0.5" Y,
                    5,
                    "[1, 4, 2] -1.134 -0.378 0.378 1.134 -1.268 0.2441 1.756 "
                    "3.268"},
            {"opset 21\ninput x f32 1,4,2\nconst g f32 4 = 1 2 3 4\n"
             "const b f32 4 = 0 1\n"
             "GroupNormalization x,g,b -> y num_groups=2 epsilon=0.5" Y,
                    5,
                    "[1, 4, 2] -1.134 -0.378 1.756 3.268 -3.402 -1.134 2.512 "
                    "5.536"},
            {"opset 23\ninput x f32 4\nconst s f32 - = 0.5\n"
             "QuantizeLinear x,s -> q precision=1 output_dtype=3\n"
             "DequantizeLinear q,s -> y output_dtype=1" Y,
                    4, "[4] 0 1 2 3"},
    });
    EXPECT_REFUSALS({
            {"opset 18\ninput x f32 1,4,2\nconst g f32 3 = 1\n"
             "GroupNormalization x,g,g -> y num_groups=3" Y,
                    "attribute num_groups is 3"},
            {"opset 21\ninput x f32 1,4,2\nconst g f32 2 = 1\n"
             "GroupNormalization x,g,g -> y num_groups=2" Y,
                    "input 1 has dimensions [2] where it needs [4]"},
            {"opset 21\nconst x f32 1,0,3 = 0\nconst g f32 0 = 0\n"
             "GroupNormalization x,g,g -> y num_groups=4611686018427387904" Y,
                    "attribute num_groups is 4611686018427387904"},
            {"opset 23\ninput x f32 2,2\nconst g f32 2,2 = 1\n"
             "RMSNormalization x,g -> y" Y,
                    "the scale is larger than what it scales"},
            {"opset 23\ninput x f32 4\nconst s f32 - = 0.5\n"
             "QuantizeLinear x,s -> y precision=16" Y,
                    "attribute precision is 16"},
            {"opset 23\ninput x u8 4\nconst s f32 - = 0.5\n"
             "DequantizeLinear x,s -> y output_dtype=11" Y,
                    "attribute output_dtype is 11"},
    });
}

/* Sums are cut by the shapes of operands: these would be read past their ends.
 */
TEST_C(ModelForms, ZeroPointsAreNotLargerThanTheirOperands)
{
    EXPECT_REFUSALS({
            {"opset 13\nconst a u8 2,1 = 1\nconst b u8 1,3 = 1\n"
             "const n u8 - = 0\nconst z u8 7,3 = 1\n"
             "MatMulInteger a,b,n,z -> y" Y,
                    "input 3 is larger than input 1"},
            {"opset 13\ninput a u8 2,3\nconst b u8 3,2 = 1\n"
             "const n u8 - = 0\nconst z u8 4,1,2 = 1\n"
             "MatMulInteger a,b,n,z -> y" Y,
                    "input 3 is larger than input 1"},
            {"opset 13\ninput x u8 1,1,8,8\nconst w u8 8,1,1,1 = 0\n"
             "const n u8 - = 0\nconst z u8 1,300,1,1 = 255\n"
             "ConvInteger x,w,n,z -> y" Y,
                    "input 3 is larger than input 1"},
    });
    EXPECT_FORMS({
            {"opset 13\ninput f f32 2,2,1\n"
             "Cast f -> a to=2\nconst b u8 2,1,3 = 3\nconst n u8 - = 0\n"
             "const z u8 2,1,3 = 1 2 3 1 2 3\n"
             "MatMulInteger a,b,n,z -> i\nCast i -> y to=1" Y,
                    any_number, "[2, 2, 3] 0 0 0 2 1 0 4 2 0 6 3 0"},
    });
}

/* They take part in nothing. */
TEST_C(ModelForms, OperandsMayHaveNoElements)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 2,2\nconst e f32 2,0 = 0\n"
             "Concat e,x,e -> y axis=1" Y,
                    0, "[2, 2] 0 1 2 3"},
            {"opset 13\ninput x f32 1,2\nconst e f32 0,2 = 0\n"
             "Concat x,e,x -> y axis=0" Y,
                    1, "[2, 2] 0 1 0 1"},
            {"opset 13\ninput x f32 2,2\nconst b i64 1 = 2\n"
             "const a i64 1 = 1\nSlice x,b,b,a -> e\nRelu e -> f\n"
             "Concat f,x -> y axis=1" Y,
                    0, "[2, 2] 0 1 2 3"},
            {"opset 13\ninput x f32 2,2\nconst s i64 2 = 0 2\n"
             "Split x,s -> a,b axis=1\nConcat b,a,x -> y axis=1" Y,
                    1, "[2, 4] 0 1 0 1 2 3 2 3"},
            {"opset 13\ninput x f32 1\nconst e f32 2,0 = 0\n"
             "Concat e,e -> f axis=0\nShape f -> s\nCast s -> c to=1\n"
             "Add c,x -> y" Y,
                    1, "[2] 4 0"},
    });
    EXPECT_REFUSALS({
            {"opset 13\ninput x f32 2,2\nconst e f32 3,0 = 0\n"
             "Concat e,x -> y axis=1" Y,
                    "along axis 1"},
            {"opset 13\ninput x f32 2,2\nconst b i64 1 = 2\n"
             "Slice x,b,b -> y" Y,
                    "output 'y' has no elements"},
    });
}

TEST_C(ModelForms, NamesAreNoNodes)
{
    EXPECT_FORMS({
            {"opset 6\ninput x f32 2\nDropout x -> t,m ratio=0.5 is_test=1\n"
             "Identity t -> u\nRelu u -> y" Y,
                    1, "[2] 0 1"},
            {"opset 12\ninput x f32 2\nconst r f32 - = 0.5\n"
             "const t bool - = 0\nDropout x,r,t -> y" Y,
                    0, "[2] 0 1"},
            {"opset 1\ninput x i64 2\nCast x -> y to='FLOAT'" Y, 1, "[2] 0 1"},
            {"opset 13\ninput x f32 2\nCast x -> y to=1" Y, 0, "[2] 0 1"},
    });
}

/* ---- Softmax and reductions ---------------------------------------------- */

TEST_C(ModelForms, SoftmaxOverAllThatFollows)
{
    EXPECT_FORMS({
            /* Equal elements: each is as much as there are. */
            {"opset 11\ninput x f32 2,2,2\nMul x,z -> t\nconst z f32 1 = 0\n"
             "Softmax t -> y axis=1" Y,
                    4, "[2, 2, 2] 0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25"},
            {"opset 11\ninput x f32 2,2,2\nMul x,z -> t\nconst z f32 1 = 0\n"
             "Softmax t -> y axis=2" Y,
                    2, "[2, 2, 2] 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5"},
            {"opset 11\ninput x f32 1,2,1,1\nLogSoftmax x -> y" Y, 1,
                    "[1, 2, 1, 1] -1.313 -0.3133"},
            {"opset 13\ninput x f32 2,2,2\nMul x,z -> t\nconst z f32 1 = 0\n"
             "Softmax t -> y axis=1" Y,
                    2, "[2, 2, 2] 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5"},
    });
}

TEST_C(ModelForms, ReduceAxesOfAttributesAndInputs)
{
    EXPECT_FORMS({
            {"opset 11\ninput x f32 2,3\nReduceSum x -> y axes=[-1]" Y, 1,
                    "[2, 1] 3 12"},
            {"opset 13\ninput x f32 2,3\nconst a i64 1 = 0\n"
             "ReduceSum x,a -> y keepdims=0" Y,
                    2, "[3] 3 5 7"},
            {"opset 11\ninput x f32 2,3\nReduceMax x -> y keepdims=0" Y, 2,
                    "[] 5"},
            {"opset 18\ninput x f32 2,3\nconst a i64 0 = 0\n"
             "ReduceMean x,a -> y noop_with_empty_axes=1" Y,
                    0, "[2, 3] 0 1 2 3 4 5"},
    });
}

/* ---- Products ------------------------------------------------------------ */

TEST_C(ModelForms, MultiplyVectors)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 3\nconst w f32 3 = 1 2 3\n"
             "MatMul x,w -> y" Y,
                    3, "[] 8"},
            {"opset 13\ninput x f32 2,3\nconst w f32 3 = 1 2 3\n"
             "MatMul x,w -> y" Y,
                    2, "[2] 8 26"},
            {"opset 13\ninput x f32 2\nconst w f32 2,2,1 = 1 2\n"
             "MatMul x,w -> y" Y,
                    3, "[2, 1] 2 2"},
            {"opset 13\ninput x f32 2,1,2\nconst w f32 2,2 = 1 2 3 4\n"
             "MatMul x,w -> y" Y,
                    1, "[2, 1, 2] 3 4 11 16"},
            {"opset 6\ninput x f32 1,2\nconst w f32 3,2 = 1 2 3 4 5 6\n"
             "const c f32 3 = 1\nGemm x,w,c -> y transB=1 broadcast=1 "
             "alpha=2.0 beta=3.0" Y,
                    1, "[1, 3] 7 11 15"},
    });
}

/* ---- Windows ------------------------------------------------------------- */

TEST_C(ModelForms, PadWindowsAsTheFileSays)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 1,1,5\nconst w f32 1,1,2 = 1\n"
             "Conv x,w -> y auto_pad='SAME_UPPER'" Y,
                    1, "[1, 1, 5] 1 3 5 7 4"},
            {"opset 13\ninput x f32 1,1,5\nconst w f32 1,1,2 = 1\n"
             "Conv x,w -> y auto_pad='SAME_LOWER'" Y,
                    1, "[1, 1, 5] 0 1 3 5 7"},
            {"opset 13\ninput x f32 1,1,5\nconst w f32 1,1,2 = 1\n"
             "Conv x,w -> y auto_pad='VALID' strides=[2]" Y,
                    1, "[1, 1, 2] 1 5"},
            {"opset 13\ninput x f32 1,2,2\nconst w f32 2,1,1 = 1 10\n"
             "const b f32 2 = 0 1\nConv x,w,b -> y group=2" Y,
                    1, "[1, 2, 2] 0 1 21 31"},
            {"opset 13\ninput x f32 1,1,4\nMaxPool x -> y kernel_shape=[3] "
             "strides=[2] ceil_mode=1" Y,
                    1, "[1, 1, 2] 2 3"},
            {"opset 13\ninput x f32 1,1,4\nAveragePool x -> y kernel_shape=[3] "
             "strides=[2] ceil_mode=1 pads=[1,0] count_include_pad=1" Y,
                    1, "[1, 1, 2] 0.3333 2"},
            {"opset 13\ninput x f32 1,1,4\nAveragePool x -> y kernel_shape=[3] "
             "strides=[3] ceil_mode=1 pads=[1,0]" Y,
                    1, "[1, 1, 2] 0.5 2.5"},
            {"opset 13\ninput x f32 1,1,6\nMaxPool x -> y kernel_shape=[2] "
             "dilations=[3]" Y,
                    1, "[1, 1, 3] 3 4 5"},
            {"opset 13\ninput x f32 1,2,2,2\nGlobalMaxPool x -> y" Y, 1,
                    "[1, 2, 1, 1] 3 7"},
            {"opset 13\ninput x f32 1,1,2\nconst w f32 1,2,2 = 1 2 3 4\n"
             "ConvTranspose x,w -> y strides=[2]" Y,
                    1, "[1, 2, 4] 0 0 1 2 0 0 3 4"},
            {"opset 13\ninput x f32 1,1,2\nconst w f32 1,1,3 = 1 2 3\n"
             "ConvTranspose x,w -> y strides=[2] output_shape=[4] "
             "auto_pad='SAME_UPPER'" Y,
                    1, "[1, 1, 4] 0 0 1 2"},
    });
}

TEST_C(ModelForms, NormsOfWindows)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 1,1,5\nNeg x -> n\n"
             "LpPool n -> y kernel_shape=[2] strides=[2] p=1" Y,
                    4, "[1, 1, 2] 1 5"},
            {"opset 13\ninput x f32 1,1,5\n"
             "LpPool x -> y kernel_shape=[2] strides=[2] pads=[1,0]" Y,
                    4, "[1, 1, 3] 0 2.236 5"},
            {"opset 18\ninput x f32 1,1,5\n"
             "LpPool x -> y kernel_shape=[2] strides=[2] ceil_mode=1" Y,
                    4, "[1, 1, 3] 1 3.606 4"},
            {"opset 13\ninput x f32 1,1,4\nGlobalLpPool x -> y p=3" Y, 5,
                    "[1, 1, 1] 3.302"},
            {"opset 1\ninput x f32 1,1,4\nGlobalLpPool x -> y p=2.0" Y, 4,
                    "[1, 1, 1] 3.742"},
    });
}

TEST_C(ModelForms, ResizeAsEachSetDid)
{
    EXPECT_FORMS({
            {"opset 7\ninput x f32 1,1,1,2\nUpsample x -> y "
             "scales=[1.0,1.0,1.0,2.0]" Y,
                    1, "[1, 1, 1, 4] 0 0 1 1"},
            {"opset 9\ninput x f32 1,1,1,2\nconst s f32 4 = 1 1 2 2\n"
             "Upsample x,s -> y mode='linear'" Y,
                    1, "[1, 1, 2, 4] 0 0.5 1 1 0 0.5 1 1"},
            {"opset 1\ninput x f32 1,1,1,2\nUpsample x -> y width_scale=3.0" Y,
                    1, "[1, 1, 1, 6] 0 0 0 1 1 1"},
            {"opset 10\ninput x f32 1,1,1,4\nconst s f32 4 = 1 1 1 0.5\n"
             "Resize x,s -> y" Y,
                    1, "[1, 1, 1, 2] 0 2"},
            {"opset 11\ninput x f32 1,1,1,2\nconst r f32 0 = 0\n"
             "const s f32 4 = 1 1 1 2\nResize x,r,s -> y mode='linear'" Y,
                    1, "[1, 1, 1, 4] 0 0.25 0.75 1"},
            {"opset 13\ninput x f32 1,1,1,3\nconst s i64 4 = 1 1 1 5\n"
             "Resize x,,,s -> y mode='linear' "
             "coordinate_transformation_mode='align_corners'" Y,
                    1, "[1, 1, 1, 5] 0 0.5 1 1.5 2"},
            {"opset 13\ninput x f32 1,1,1,3\nconst s f32 4 = 1\n"
             "Resize x,,s -> y" Y,
                    0, "[1, 1, 1, 3] 0 1 2"},
    });
}

/* Two thirds are no float: the third element of the result would be one before
 * the one that it is. And 2.5 elements are 3, not the even number. */
TEST_C(ModelForms, ResizeToSizesExactly)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 1,1,1,9\nconst s i64 4 = 1 1 1 6\n"
             "Resize x,,,s -> y nearest_mode='floor' "
             "coordinate_transformation_mode='asymmetric'" Y,
                    1, "[1, 1, 1, 6] 0 1 3 4 6 7"},
            {"opset 18\ninput x f32 1,1,1,9\nconst s i64 1 = 6\n"
             "Resize x,,,s -> y axes=[3] nearest_mode='floor' "
             "keep_aspect_ratio_policy='not_larger' "
             "coordinate_transformation_mode='asymmetric'" Y,
                    1, "[1, 1, 1, 6] 0 1 3 4 6 7"},
            {"opset 18\ninput x f32 1,1,5,2\nconst s i64 2 = 9 1\n"
             "Resize x,,,s -> y axes=[2,3] "
             "keep_aspect_ratio_policy='not_larger'" Y,
                    1, "[1, 1, 3, 1] 0 4 8"},
    });
}

/* ---- Elements elsewhere -------------------------------------------------- */

TEST_C(ModelForms, MoveByAttributesAndInputs)
{
    EXPECT_FORMS({
            {"opset 9\ninput x f32 2,3\nSlice x -> y axes=[1] starts=[-2] "
             "ends=[9223372036854775807]" Y,
                    1, "[2, 2] 1 2 4 5"},
            {"opset 10\ninput x f32 5\nconst s i64 1 = -1\nconst e i64 1 = -9\n"
             "const a i64 1 = 0\nconst p i64 1 = -2\nSlice x,s,e,a,p -> y" Y,
                    1, "[3] 4 2 0"},
            {"opset 2\ninput x f32 5\nSplit x -> a,y axis=0 split=[2,3]" Y, 1,
                    "[3] 2 3 4"},
            {"opset 18\ninput x f32 5\nSplit x -> a,b,y num_outputs=3" Y, 1,
                    "[1] 4"},
            {"opset 1\ninput x f32 2\nPad x -> y paddings=[1,0] value=5.0" Y, 1,
                    "[3] 5 0 1"},
            {"opset 10\ninput x f32 3\nPad x -> y pads=[2,1] mode='reflect'" Y,
                    1, "[6] 2 1 0 1 2 1"},
            {"opset 13\ninput x f32 4\nconst p i64 2 = -1 -2\nPad x,p -> y" Y,
                    1, "[1] 1"},
            {"opset 1\ninput x f32 1,2\nconst n i64 1 = 2\nconst a i64 1 = 1\n"
             "Tile x,n,a -> y" Y,
                    1, "[1, 4] 0 1 0 1"},
            {"opset 8\ninput x f32 2,1\nconst s i64 3 = 2 1 2\n"
             "Expand x,s -> y" Y,
                    1, "[2, 2, 2] 0 0 1 1 0 0 1 1"},
            {"opset 3\ninput x f32 1,1\ninput z f32 1,2\nConcat x,z,x -> y" Y,
                    1, "[1, 4] 0 0 1 0"},
            {"opset 13\ninput x f32 2,3\nTranspose x -> y" Y, 1,
                    "[3, 2] 0 3 1 4 2 5"},
            {"opset 13\ninput x f32 2,1,3\nTranspose x -> y perm=[1,0,2]" Y, 1,
                    "[1, 2, 3] 0 1 2 3 4 5"},
            {"opset 13\ninput x f32 3,2\nconst i i64 - = -1\n"
             "Gather x,i -> y axis=0" Y,
                    2, "[2] 4 5"},
            {"opset 13\ninput x f32 3,2\nconst i i64 1,2 = 2 0\n"
             "Gather x,i -> y axis=0" Y,
                    1, "[1, 2, 2] 4 5 0 1"},
    });
}

/* Weights that a file has as integers, and the like of them. */
TEST_C(ModelForms, ConstantsAreConvertedAndScaledBeforehand)
{
    EXPECT_FORMS({
            {"opset 13\nconst w i8 2,3 = -128 0 127 1 2 3\n"
             "const s f32 2,1 = 0.5 2\nconst z f32 3 = 1 0 -1\n"
             "Cast w -> f to=1\nSub f,z -> g\nMul g,s -> h\n"
             "input x f32 2,3\nAdd x,h -> y" Y,
                    1, "[2, 3] -64.5 1 66 3 8 13"},
            {"opset 13\nconst a u8 2 = 255 1\nconst b i16 2 = -32768 2\n"
             "const c u16 2 = 65535 3\nconst d i32 2 = 16777217 4\n"
             "const e f32 1 = 16777216\nCast a -> f to=1\nCast b -> g to=1\n"
             "Cast c -> h to=1\nCast d -> i to=1\nSub i,e -> j\n"
             "Concat f,g,h,j -> k axis=0\ninput x f32 1\nMul k,x -> l\n"
             "Sub k,l -> y" Y,
                    2, "[8] 255 1 -3.277e+04 2 6.554e+04 3 0 -1.678e+07"},
            {"opset 13\nconst w f32 2,1,2 = 1 2 3 4\nconst t f32 3,1 = 1 10 0\n"
             "Mul w,t -> v\nAdd v,t -> u\nTranspose u -> r perm=[1,2,0]\n"
             "input x f32 1\nAdd x,r -> y" Y,
                    1, "[3, 2, 2] 2 4 3 5 20 40 30 50 0 0 0 0"},
    });
}

/* Indices that are known are one index each before anything runs. */
TEST_C(ModelForms, GatherBySeveralNumbersIsAGather)
{
    EXPECT_FORMS({
            {"opset 12\ninput x f32 2,3\nconst i i64 2,2 = 0 -1 1 0\n"
             "GatherND x,i -> y" Y,
                    2, "[2] 2 3"},
            {"opset 11\ninput x f32 2,2\nconst i i64 3,1 = 1 0 -1\n"
             "GatherND x,i -> y" Y,
                    1, "[3, 2] 2 3 0 1 2 3"},
            {"opset 12\ninput x f32 2,3,2\nconst i i64 2,1 = 2 -3\n"
             "GatherND x,i -> y batch_dims=1" Y,
                    2, "[2, 2] 4 5 6 7"},
            {"opset 13\ninput x f32 2,2,3\nconst i i64 2,2,2,1 = 0 1 2 -1\n"
             "GatherND x,i -> y batch_dims=2" Y,
                    2, "[2, 2, 2] 0 1 5 5 6 7 11 11"},
            {"opset 13\ninput x f32 2,3\nconst i i64 2 = 1 1\n"
             "GatherND x,i -> y" Y,
                    2, "[] 4"},
    });
}

TEST_C(ModelForms, ReshapeIsOneNodeOrNone)
{
    EXPECT_FORMS({
            {"opset 1\ninput x f32 2,3\nReshape x -> y shape=[0,1,-1]" Y, 1,
                    "[2, 1, 3] 0 1 2 3 4 5"},
            {"opset 11\ninput x f32 2\nUnsqueeze x -> t axes=[0,-1]\n"
             "Squeeze t -> y" Y,
                    2, "[2] 0 1"},
            {"opset 13\ninput x f32 1,2\nconst a i64 1 = 0\n"
             "Squeeze x,a -> y" Y,
                    1, "[2] 0 1"},
            {"opset 13\ninput x f32 1,2\nFlatten x -> y" Y, 0, "[1, 2] 0 1"},
            {"opset 13\ninput x f32 2,2\nFlatten x -> y axis=0" Y, 1,
                    "[1, 4] 0 1 2 3"},
            {"opset 13\ninput x f32 -\nconst s i64 0 = 1\n"
             "Reshape x,s -> y" Y,
                    0, "[] 0"},
    });
}

/* ---- Constants ----------------------------------------------------------- */

TEST_C(ModelForms, ComputeShapesBeforehand)
{
    EXPECT_FORMS({
            /* What PyTorch makes of x.view(x.size(0), -1). */
            {"opset 11\ninput x f32 2,1,2\nShape x -> s\n"
             "Constant  -> zero value={i64 - = 0}\nGather s,zero -> n axis=0\n"
             "Unsqueeze n -> u axes=[0]\nConstant  -> m value={i64 1 = -1}\n"
             "Concat u,m -> t axis=0\nReshape x,t -> y" Y,
                    1, "[2, 2] 0 1 2 3"},
            /* And of interpolate(): half the size, by floor. */
            {"opset 13\ninput x f32 1,1,1,5\nShape x -> s start=3\n"
             "Cast s -> f to=1\nConstant  -> h value_float=0.5\n"
             "Mul f,h -> g\nFloor g -> k\nCast k -> c to=7\n"
             "Constant  -> o value_ints=[1,1,1]\nConcat o,c -> z axis=0\n"
             "Resize x,,,z -> y coordinate_transformation_mode='asymmetric' "
             "nearest_mode='floor'" Y,
                    1, "[1, 1, 1, 2] 0 2"},
            {"opset 13\nconst a i64 2,2 = 1 2 3 4\nconst b i64 2 = 10 20\n"
             "Add a,b -> t\nTranspose t -> u\nReduceProd u -> y keepdims=0" Y,
                    0, "[] 7.55e+04"},
            {"opset 13\nconst a i64 3 = 7 -7 9\nconst b i64 1 = 2\n"
             "Div a,b -> y" Y,
                    0, "[3] 3 -3 4"},
            {"opset 13\nconst s i64 2 = 1 3\n"
             "ConstantOfShape s -> t value={i64 1 = 5}\n"
             "const e i64 2 = 2 3\nExpand t,e -> u\nconst r i64 2 = 1 2\n"
             "Tile u,r -> y" Y,
                    0, "[2, 6] 5 5 5 5 5 5 5 5 5 5 5 5"},
            {"opset 13\nconst a i64 2,3 = 0 1 2 3 4 5\nconst f i64 2 = 1 2\n"
             "const e i64 2 = -9 -9\nconst x i64 2 = 0 1\n"
             "const p i64 2 = -1 -2\nSlice a,f,e,x,p -> y" Y,
                    0, "[2, 2] 5 3 2 0"},
            {"opset 13\ninput x f32 2,3\nSize x -> s\nCast s -> f to=1\n"
             "Div x,f -> y" Y,
                    1, "[2, 3] 0 0.1667 0.3333 0.5 0.6667 0.8333"},
            {"opset 13\ninput x f32 1,2\nconst w f32 3,2 = 1 2 3 4 5 6\n"
             "Transpose w -> t perm=[1,0]\nMatMul x,t -> y" Y,
                    1, "[1, 3] 2 4 6"},
            {"opset 13\nconst a i32 3 = 2147483647 1 -3\nconst b i32 1 = 1\n"
             "Add a,b -> t\nAbs t -> y" Y,
                    0, "[3] -2.147e+09 2 2"},
    });
}

/* ---- Inside of nodes ----------------------------------------------------- */

#define FUNCTION                                             \
    "function Twice a -> b\nAdd a,a -> t\nNeg t -> b\nend\n" \
    "domain local\n"

TEST_C(ModelForms, FunctionsAreTheirNodes)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 3\n" FUNCTION "Twice x -> y" Y, 2,
                    "[3] -0 -2 -4"},
            /* Names inside are new in each call. */
            {"opset 18\ninput x f32 3\n" FUNCTION
             "Twice x -> t\nTwice t -> y" Y,
                    4, "[3] 0 4 8"},
            /* The model's name for what is inside another name. */
            {"opset 18\ninput a f32 3\nNeg a -> b\n" FUNCTION "Twice b -> y" Y,
                    3, "[3] 0 2 4"},
            /* A function calls another. */
            {"opset 18\ninput x f32 3\n" FUNCTION
             "function Fourfold p -> q\nTwice p -> b\nTwice b -> q\nend\n"
             "Fourfold x -> y" Y,
                    4, "[3] 0 4 8"},
            /* Attributes of the caller, and of the caller's caller. */
            {"opset 18\ninput x f32 2,2\n"
             "function Sums p -> q axis\n"
             "ArgMax p -> q axis=$axis keepdims=0\nend\n"
             "domain local\n"
             "function Other p -> q which\nSums p -> q axis=$which\nend\n"
             "Other x -> y which=0" Y,
                    2, "[2] 1 1"},
            /* An attribute that is not given has its usual value. */
            {"opset 18\ninput x f32 2,3\n"
             "function Sums p -> q axis\n"
             "ArgMax p -> q axis=$axis keepdims=0\nend\n"
             "domain local\nSums x -> y" Y,
                    2, "[3] 1 1 1"},
            /* The set of operators is the function's own. */
            {"opset 11\ninput x f32 2,1,2\n"
             "function Soft p -> q\nSoftmax p -> q\nend\n"
             "domain local\nSoft x -> y" Y,
                    1, "[2, 1, 2] 0.2689 0.7311 0.2689 0.7311"},
            /* Constants inside are there in each call. */
            {"opset 18\ninput x f32 3\n"
             "function Plus p -> q\nConstant  -> c value={f32 1 = 5}\n"
             "Add p,c -> q\nend\n"
             "domain local\nPlus x -> t\nPlus t -> y" Y,
                    2, "[3] 10 11 12"},
            {"opset 18\ninput x f32 3\nconst c bool - = 1\n"
             "graph a\nconst t f32 - = 7\nMul p,t -> u\noutput u\nend\n"
             "function Times p,c -> q\n"
             "If c -> q then_branch=@a else_branch=@a\nend\n"
             "domain local\nTimes x,c -> t\nTimes t,c -> y" Y,
                    2, "[3] 0 49 98"},
            {"opset 18\ninput x f32 3\n"
             "function Plus p -> q\nShape p -> s\n"
             "ConstantOfShape s -> c value={f32 1 = 5}\n"
             "Add p,c -> q\nend\n"
             "domain local\nPlus x -> t\nPlus t -> y" Y,
                    2, "[3] 10 11 12"},
            /* An input that is not given. */
            {"opset 18\ninput x f32 3\n"
             "function Limit p,l,m -> q\nClip p,l,m -> q\nend\n"
             "const m f32 - = 1\n"
             "domain local\nLimit x,,m -> y" Y,
                    1, "[3] 0 1 1"},
    });
}

#define BRANCHES                             \
    "graph a\nAdd x,x -> t\noutput t\nend\n" \
    "graph b\nconst t f32 - = 7\nMul x,t -> u\noutput u\nend\n"

TEST_C(ModelForms, AConstantConditionChoosesAGraph)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 3\nconst c bool - = 1\n" BRANCHES
             "If c -> y then_branch=@a else_branch=@b" Y,
                    1, "[3] 0 2 4"},
            {"opset 18\ninput x f32 3\nconst c bool - = 0\n" BRANCHES
             "If c -> y then_branch=@a else_branch=@b" Y,
                    1, "[3] 0 7 14"},
            /* A condition that follows from a shape. */
            {"opset 18\ninput x f32 3\nconst n i64 - = 3\n" BRANCHES
             "Size x -> s\nEqual s,n -> c\n"
             "If c -> y then_branch=@a else_branch=@b" Y,
                    1, "[3] 0 2 4"},
            /* Twice, and one in the other. */
            {"opset 18\ninput x f32 3\nconst c bool - = 0\n" BRANCHES
             "graph d\nIf c -> v then_branch=@a else_branch=@b\n"
             "Neg v -> w\noutput w\nend\n"
             "If c -> p then_branch=@a else_branch=@d\n"
             "If c -> q then_branch=@a else_branch=@b\nSub p,q -> y" Y,
                    4, "[3] -0 -14 -28"},
            /* What the graph only passes on. */
            {"opset 18\ninput x f32 3\nconst c bool - = 1\n"
             "graph p\nIdentity x -> t\noutput t\nend\n" BRANCHES
             "If c -> y then_branch=@p else_branch=@b" Y,
                    0, "[3] 0 1 2"},
    });
}

/* What exporters write to compute a shape: all of it is gone. */
TEST_C(ModelForms, ShapesThatFollowFromShapesAreConstants)
{
    EXPECT_FORMS({
            {"opset 13\ninput x f32 2,3\nconst m i64 - = -1\n"
             "const w i64 2 = -1 3\nconst o i64 2 = 1\n"
             "Shape x -> s\nEqual w,m -> e\nWhere e,s,w -> t\n"
             "Less t,o -> l\nNot l -> n\nCast n -> k to=7\n"
             "Mul t,k -> u\nMod u,t -> v\nAdd v,t -> r\n"
             "Reshape x,r -> y" Y,
                    0, "[2, 3] 0 1 2 3 4 5"},
            {"opset 13\nconst a i64 - = 1\nconst b i64 - = 7\n"
             "const c i64 - = 3\nRange a,b,c -> r\n"
             "input x f32 1\nExpand x,r -> y" Y,
                    1, "[1, 4] 0 0 0 0"},
    });
}
