/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of ONNX Runtime's domain. What they give is what ONNX
 * Runtime 1.32.0 gives for these models, without its optimizer. */
#include "model_form.h"
#include "test.h"

#define Y "\noutput y"

TEST_C(ModelRuntime, ActivationsTakeABias)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 2,3\nconst b f32 3 = 0.5 -2 -4\n"
             "domain com.microsoft\nBiasGelu x,b -> y" Y,
                    6, "[2, 3] 0.3457 -0.1587 -0.0455 3.499 1.954 0.8413"},
            {"opset 18\ninput x f32 2,3\nconst b f32 3 = 0.5 -2 -4\n"
             "domain com.microsoft\nFastGelu x,b -> y" Y,
                    10, "[2, 3] 0.3457 -0.1588 -0.0454 3.499 1.955 0.8412"},
            {"opset 18\ninput x f32 3\ndomain com.microsoft\n"
             "FastGelu x -> y" Y,
                    9, "[3] 0 0.8412 1.955"},
            {"opset 18\ninput x f32 3\ndomain com.microsoft\nGelu x -> y" Y, 5,
                    "[3] 0 0.8413 1.954"},
            {"opset 18\ninput x f32 3\ndomain com.microsoft\n"
             "QuickGelu x -> y alpha=0.5" Y,
                    3, "[3] 0 0.6225 1.462"},
    });
}

TEST_C(ModelRuntime, ProductsTurnTheirOperands)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 2,3\n"
             "const w f32 2,3 = 1 2 3 -1 0 1\ndomain com.microsoft\n"
             "FusedMatMul x,w -> y transB=1 alpha=0.5" Y,
                    2, "[2, 2] 4 1 13 1"},
            {"opset 18\ninput x f32 3,2\nconst w f32 3,1 = 1 2 3\n"
             "domain com.microsoft\nFusedMatMul x,w -> y transA=1" Y,
                    2, "[2, 1] 16 22"},
            {"opset 18\ninput x f32 2,2,2\nconst w f32 2,2,1 = 1 2 3 4\n"
             "domain com.microsoft\nFusedMatMul x,w -> y transBatchA=1" Y,
                    2, "[2, 2, 1] 2 14 18 46"},
            {"opset 18\ninput x f32 2,2,2\nconst w f32 2,2,1 = 1 2 3 4\n"
             "domain com.microsoft\n"
             "FusedMatMul x,w -> y transBatchA=1 transA=1 transBatchB=1" Y,
                    2, "[2, 2, 1] 12 16 28 34"},
    });
}

TEST_C(ModelRuntime, NormalizationsAddWhatTheySkip)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 2,3\ninput s f32 2,3\n"
             "const g f32 3 = 1 2 3\nconst b f32 3 = 0.5\n"
             "const c f32 3 = 0 1 5\ndomain com.microsoft\n"
             "SkipLayerNormalization x,s,g,b,c -> y epsilon=0.5" Y,
                    3, "[2, 3] -0.5505 -0.02523 4.439 -0.5505 -0.02523 4.439"},
            {"opset 18\ninput x f32 2,2,2\ninput s f32 1,2,2\n"
             "const g f32 2 = 1 2\ndomain com.microsoft\n"
             "SkipLayerNormalization x,s,g -> n,,,y" Y,
                    1, "[2, 2, 2] 0 2 4 6 4 6 8 10"},
            {"opset 18\ninput x f32 2,2\ninput s f32 2,2\n"
             "const g f32 2 = 1 2\nconst c f32 2 = 0 1\n"
             "domain com.microsoft\n"
             "SkipSimplifiedLayerNormalization x,s,g,c -> y" Y,
                    8, "[2, 2] 0 2.828 0.7016 2.456"},
            {"opset 18\ninput x f32 2,2,2\nconst g f32 2,2 = 1 2\n"
             "SimplifiedLayerNormalization x,g -> y axis=1 epsilon=0.5" Y,
                    6, "[2, 2, 2] 0 1 1 3 0.7071 1.768 1.061 2.475"},
    });
}

TEST_C(ModelRuntime, QuantizedFunctionsAreThoseOfFloats)
{
    EXPECT_FORMS({
            {"opset 18\ninput x u8 4\ninput z u8 4\n"
             "const s f32 - = 0.5\nconst t f32 - = 2\nconst o u8 - = 3\n"
             "domain com.microsoft\nQLinearAdd x,s,o,z,t,o,s,o -> y" Y,
                    any_number, "[4] 0 0 0 3"},
            {"opset 18\ninput x i8 4\ninput z i8 4\n"
             "const s f32 - = 0.5\nconst t f32 - = 0.25\n"
             "const o i8 - = 1\ndomain com.microsoft\n"
             "QLinearMul x,s,o,z,s,o,t,o -> y" Y,
                    any_number, "[4] 2 1 2 5"},
            {"opset 18\ninput x u8 4\nconst s f32 - = 0.5\n"
             "const t f32 - = 0.01\nconst o u8 - = 1\n"
             "domain com.microsoft\nQLinearSigmoid x,s,o,t,o -> y" Y,
                    any_number, "[4] 39 51 63 74"},
            {"opset 18\ninput x u8 4\nconst s f32 - = 0.5\n"
             "const t f32 - = 0.25\nconst o u8 - = 2\n"
             "domain com.microsoft\n"
             "QLinearLeakyRelu x,s,o,t,o -> y alpha=0.5" Y,
                    any_number, "[4] 0 1 2 4"},
            {"opset 18\ninput x u8 2,2,2\nconst s f32 - = 0.5\n"
             "const t f32 - = 0.01\nconst o u8 - = 2\n"
             "domain com.microsoft\n"
             "QLinearSoftmax x,s,o,t,o -> y axis=1 opset=11" Y,
                    any_number, "[2, 2, 2] 12 19 30 48 12 19 30 48"},
            {"opset 18\ninput x u8 2,2,2\nconst s f32 - = 0.5\n"
             "const t f32 - = 0.01\nconst o u8 - = 2\n"
             "domain com.microsoft\n"
             "QLinearSoftmax x,s,o,t,o -> y axis=1 opset=13" Y,
                    any_number, "[2, 2, 2] 29 29 75 75 29 29 75 75"},
            {"opset 18\ninput x u8 1,2,2,2\nconst s f32 - = 0.5\n"
             "const t f32 - = 0.25\nconst o u8 - = 2\n"
             "domain com.microsoft\n"
             "QLinearGlobalAveragePool x,s,o,t,o -> y channels_last=1" Y,
                    any_number, "[1, 1, 1, 2] 4 6"},
            {"opset 18\ninput x u8 1,2,2,2\nconst s f32 - = 0.5\n"
             "const t f32 - = 0.25\nconst o u8 - = 2\n"
             "domain com.microsoft\n"
             "QLinearAveragePool x,s,o,t,o -> y channels_last=1 "
             "kernel_shape=[1,2]" Y,
                    any_number, "[1, 2, 1, 2] 0 2 8 10"},
            {"opset 18\ninput x u8 1,3\ninput z u8 1,2\n"
             "const s f32 - = 0.5\nconst t f32 - = 2\nconst o u8 - = 1\n"
             "domain com.microsoft\n"
             "QLinearConcat s,o,x,t,o,z,s,o -> y axis=1" Y,
                    any_number, "[1, 5] 0 1 5 0 1"},
            {"opset 18\nconst c bool 3 = 1 0 1\ninput x u8 3\n"
             "input z u8 3\nconst s f32 - = 0.5\nconst t f32 - = 2\n"
             "const o u8 - = 1\ndomain com.microsoft\n"
             "QLinearWhere c,x,t,o,z,s,o,s,o -> y" Y,
                    any_number, "[3] 0 1 5"},
    });
}

TEST_C(ModelRuntime, ProductsOfIntegersBecomeFloats)
{
    EXPECT_FORMS({
            {"opset 18\ninput x u8 3,2\nconst w i8 2,3 = 1 -2 3 -4 5 6\n"
             "const s f32 - = 0.5\nconst p f32 2 = 2 1\n"
             "const o u8 - = 1\nconst v i8 2 = 0\n"
             "const c i32 2 = 10 -10\ndomain com.microsoft\n"
             "QGemm x,s,o,w,p,v,c -> y transA=1 transB=1 alpha=0.5" Y,
                    any_number, "[2, 2] 8 4.25 9 6"},
            {"opset 18\ninput x u8 1,2\nconst w u8 2,2 = 1 2 3 4\n"
             "const s f32 - = 0.5\nconst o u8 - = 1\n"
             "domain com.microsoft\nQGemm x,s,o,w,s,o,,s,o -> y" Y,
                    any_number, "[1, 2] 1 1"},
            {"opset 18\ninput x u8 2,2\nconst w i8 2,2 = 1 -2 3 -4\n"
             "const s f32 - = 0.5\nconst p f32 2 = 2 1\n"
             "const o u8 - = 1\nconst v i8 2 = 0 1\n"
             "const c f32 2 = 100 200\ndomain com.microsoft\n"
             "MatMulIntegerToFloat x,w,s,p,o,v,c -> y" Y,
                    any_number, "[2, 2] 99 201.5 107 193.5"},
            {"opset 18\ninput x f32 2,2\nconst w i8 2,2 = 1 -2 3 -4\n"
             "const p f32 2 = 2 1\nconst v i8 - = 1\n"
             "const c f32 2 = 100 200\ndomain com.microsoft\n"
             "DynamicQuantizeMatMul x,w,p,v,c -> y" Y,
                    any_number, "[2, 2] 104 195 112 179"},
            {"opset 18\ninput x f32 2,2\nconst n f32 - = 0\n"
             "const w i8 2,2 = 1 -2 3 -4\nconst p f32 2 = 2 1\n"
             "const c f32 2 = 100 200\nMul x,n -> z\n"
             "domain com.microsoft\nDynamicQuantizeMatMul z,w,p,,c -> y" Y,
                    any_number, "[2, 2] 100 200 100 200"},
    });
}

TEST_C(ModelRuntime, QuantizedSequencesRoundTheirState)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 2,1,2\n"
             "const w u8 1,2,4 = 128 130 120 127 140 129 128 125\n"
             "const r u8 1,1,4 = 128 138 118 148\n"
             "const s f32 1 = 0.125\nconst z u8 1 = 128\n"
             "domain com.microsoft\n"
             "DynamicQuantizeLSTM x,w,r,,,,,,s,z,s,z -> y hidden_size=1" Y,
                    any_number, "[2, 1, 1, 1] -0.1513 -0.4987"},
            {"opset 18\ninput x f32 2,1,2\n"
             "const w i8 2,2,4 = 0 2 -8 -1 12 1 0 -3\n"
             "const r i8 2,1,4 = 0 10 -10 20\n"
             "const b f32 2,8 = 0.5 0.25 -0.5 0 1\n"
             "const h f32 2,1,1 = 0.5 -0.5\n"
             "const s f32 2,4 = 0.125 0.25 0.5 0.0625\n"
             "const z i8 2,4 = 0\ndomain com.microsoft\n"
             "DynamicQuantizeLSTM x,w,r,b,,h,h,,s,z,s,z -> y,,q hidden_size=1 "
             "direction='bidirectional'" Y,
                    any_number, "[2, 2, 1, 1] -0.0266 -0.2334 -0.6294 -0.384"},
    });
}

#define X "opset 18\ninput x f32 2,2\nconst g f32 2 = 1\n"
#define B "opset 18\ninput x u8 2\nconst s f32 1 = 1\nconst o u8 1 = 0\n"
#define LSTM                                                      \
    "opset 18\ninput x f32 2,1,2\nconst w u8 1,2,4 = 1\n"         \
    "const r u8 1,1,4 = 1\nconst s f32 1 = 1\nconst z u8 1 = 1\n" \
    "const i i8 1 = 1\nconst t f32 2 = 1\ndomain com.microsoft\n"

TEST_C(ModelRuntime, RefusesWhatDoesNotFit)
{
    EXPECT_REFUSALS({
            {X "domain com.microsoft\nInverse x -> y" Y,
                    "operator Inverse is not known here"},
            {X "BiasGelu x,g -> y" Y, "operator BiasGelu is not known here"},
            {X "domain com.microsoft\nBiasGelu x,x -> y" Y,
                    "input 1 has dimensions [2, 2] where it needs [2]"},
            {X "domain com.microsoft\nBiasGelu x -> y" Y, "input 1 is missing"},
            {X "domain com.microsoft\nFusedMatMul x,x -> y transBatchA=1" Y,
                    "transBatchA or transBatchB of 2 and 2 dimensions"},
            {X "domain com.microsoft\nSkipLayerNormalization x,x,g -> z,y" Y,
                    "output 1 is not computed here"},
            {X "domain com.microsoft\nSkipLayerNormalization x,g,g -> y" Y,
                    "2 or 3 dimensions are needed"},
            {X "const h f32 1,1 = 1\ndomain com.microsoft\n"
               "SkipLayerNormalization x,h,g -> y" Y,
                    "input 1 does not go together with input 0"},
            {X "SimplifiedLayerNormalization x,g -> y,z" Y,
                    "output 1 is not computed here"},
            {B "const t f32 2 = 1\ndomain com.microsoft\n"
               "QLinearAdd x,t,o,x,s,o,s,o -> y" Y,
                    "input 1 is not one number"},
            {B "const i i8 1 = 0\ndomain com.microsoft\n"
               "QLinearAdd x,s,o,x,s,o,s,i -> y" Y,
                    "input 7 is of another type than input 0"},
            {B "domain com.microsoft\nQLinearAdd x,s,o,x,s,o -> y" Y,
                    "input 6 is missing"},
            {B "domain com.microsoft\nQLinearConcat s,o,x,s -> y axis=0" Y,
                    "4 inputs"},
            {B "domain com.microsoft\nQLinearConcat s,o,x,s,o -> y" Y,
                    "no axis is given"},
            {B "domain com.microsoft\nQLinearSoftmax x,s,o,s,o -> y" Y,
                    "attribute opset is 0"},
            {B "domain com.microsoft\nQLinearGlobalAveragePool x,s,o,s,o -> "
               "y" Y,
                    "nothing to pool over"},
            {B "domain com.microsoft\nQGemm x,s,o,x,s,o -> y" Y,
                    "input 0 is no matrix"},
            {LSTM "DynamicQuantizeLSTM x,w,r,,,,,,s,z,s -> y" Y,
                    "input 11 is missing"},
            {LSTM "DynamicQuantizeLSTM x,w,r,,,,,,s,z,s,i -> y" Y,
                    "input 11 is of type i8, not u8"},
            {LSTM "DynamicQuantizeLSTM x,w,r,,,,,,s,z,t,z -> y" Y,
                    "input 10 has dimensions [2] where it needs [1]"},
            {LSTM "DynamicQuantizeLSTM x,w,r,,,,,,s,z,s,z -> y clip=1.0" Y,
                    "attributes clip and input_forget are not supported"},
    });
}

TEST_C(ModelRuntime, AttendsToWhatIsNotMasked)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 1,2,2\n"
             "const w f32 2,6 = 1 0 -1 0.5 2 -0.5 0.25\n"
             "const b f32 6 = 0.5 -0.5 0\ndomain com.microsoft\n"
             "Attention x,w,b -> y num_heads=2" Y,
                    17, "[1, 2, 2] 0.9121 3.133 0.007506 2.228"},
            {"opset 18\ninput x f32 1,2,2\n"
             "const w f32 2,6 = 1 0 -1 0.5 2 -0.5 0.25\n"
             "const b f32 6 = 0.5 -0.5 0\ndomain com.microsoft\n"
             "Attention x,w,b -> y num_heads=1 unidirectional=1 scale=0.25" Y,
                    19, "[1, 2, 2] 0 2 0.4767 2.286"},
            {"opset 18\ninput x f32 2,2,1\nconst w f32 1,3 = 1 0.5 2\n"
             "const b f32 3 = 0.5 -0.5 0\nconst m i32 2,2 = 1 0 1\n"
             "domain com.microsoft\n"
             "Attention x,w,b,m -> y num_heads=1 mask_filter_value=-2.0" Y,
                    18, "[2, 2, 1] 0.2961 0.4454 5.555 5.704"},
            {"opset 18\ninput x f32 2,2,1\nconst w f32 1,3 = 1 0.5 2\n"
             "const b f32 3 = 0.5 -0.5 0\nconst m i32 4 = 2 1 1 0\n"
             "domain com.microsoft\n"
             "Attention x,w,b,m -> y num_heads=1 mask_filter_value=-2.0" Y,
                    18, "[2, 2, 1] 1.809 1.88 4.642 4.876"},
            {"opset 18\ninput x f32 1,2,1\ninput p f32 2,1,1,1,1\n"
             "const w f32 1,3 = 1 0.5 2\nconst b f32 3 = 0.5 -0.5 0\n"
             "const m i32 1,2,3 = 1 0 1 1 1 0\ndomain com.microsoft\n"
             "Attention x,w,b,m,p -> y,q num_heads=1 mask_filter_value=-2.0" Y,
                    24, "[1, 2, 1] 1.425 0.7904"},
            {"opset 18\ninput x f32 1,2,1\ninput p f32 2,1,1,1,1\n"
             "const w f32 1,3 = 1 0.5 2\nconst b f32 3 = 0.5 -0.5 0\n"
             "domain com.microsoft\n"
             "Attention x,w,b,,p -> z,y num_heads=1" Y,
                    17, "[2, 1, 1, 3, 1] 0 -0.5 0 1 0 2"},
            {"opset 18\ninput q f32 1,2,2\ninput k f32 1,3,2\n"
             "input v f32 1,3,4\nconst b f32 8 = 0.5 -0.5 0\n"
             "const m i32 1,3 = 1 1 0\ndomain com.microsoft\n"
             "MultiHeadAttention q,k,v,b,m -> y num_heads=2" Y,
                    16,
                    "[1, 2, 4] 2.424 3.924 5.424 5.424 3.473 4.973 6.473 "
                    "6.473"},
            {"opset 18\ninput q f32 1,1,2\ninput k f32 1,1,2\n"
             "input p f32 1,1,1,2\nNeg p -> n\ndomain com.microsoft\n"
             "MultiHeadAttention q,k,k,,,,n,n -> y,s,t num_heads=1 "
             "unidirectional=1" Y,
                    13, "[1, 1, 2] 0 0.6089"},
    });
}

TEST_C(ModelRuntime, EmbedsWordsPositionsAndSegments)
{
    EXPECT_FORMS({
            {"opset 18\ninput i i32 1,2\nconst s i32 1,2 = 1 0\n"
             "const w f32 3,2 = 1 2 3 4 5 7\n"
             "const p f32 3,2 = 0.5 -0.5\nconst t f32 2,2 = 1 0 0 2\n"
             "const g f32 2 = 1 2\nconst b f32 2 = 0 1\n"
             "domain com.microsoft\n"
             "EmbedLayerNormalization i,s,w,p,t,g,b -> y,m epsilon=0.5" Y,
                    4, "[1, 2, 2] -0.8165 2.633 0.5774 -0.1547"},
            {"opset 18\ninput i i32 2,2\nconst w f32 4,2 = 1 2 3 4 5 7\n"
             "const p f32 3,2 = 0.5 -0.5\nconst g f32 2 = 1 2\n"
             "const b f32 2 = 0 1\nconst m i32 2,2 = 1 1 1 0\n"
             "domain com.microsoft\n"
             "EmbedLayerNormalization i,,w,p,,g,b,m -> z,y" Y,
                    0, "[2] 2 1"},
            {"opset 18\ninput i i32 1,2\nconst w f32 4,2 = 1 2 3 4 5 7\n"
             "const p f32 3,2 = 0.5 -0.5 1 2 3 4\n"
             "const q i32 1,2 = 2 1\nconst g f32 2 = 1 2\n"
             "const b f32 2 = 0 1\ndomain com.microsoft\n"
             "EmbedLayerNormalization i,,w,p,,g,b,,q -> z,m,y" Y,
                    2, "[1, 2, 2] 4 6 4 6"},
    });
}

TEST_C(ModelRuntime, TurnsPairsByTheirPositions)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 1,2,4\nconst p i64 1 = 1\n"
             "const c f32 3,1 = 1 0.5 0.25\nconst s f32 3,1 = 0 2 3\n"
             "domain com.microsoft\nRotaryEmbedding x,p,c,s -> y" Y,
                    13, "[1, 2, 4] -2 0.5 -5 5.5 -14 13.25 -19.5 19.75"},
            {"opset 18\ninput x f32 1,1,2,4\nconst p i64 1,2 = 2 0\n"
             "const c f32 3,2 = 1 0.5 0.25\nconst s f32 3,2 = 0 2 3\n"
             "domain com.microsoft\n"
             "RotaryEmbedding x,p,c,s -> y interleaved=1" Y,
                    16, "[1, 1, 2, 4] -2 0.5 -8.5 6.75 4 5 -11 15.5"},
            {"opset 18\ninput x f32 1,2,4\nconst p i64 1 = 0\n"
             "const c f32 3,1 = 1 0.5 0.25\nconst s f32 3,1 = 0 2 3\n"
             "domain com.microsoft\n"
             "RotaryEmbedding x,p,c,s -> y rotary_embedding_dim=2 "
             "num_heads=1" Y,
                    17, "[1, 2, 4] 0 1 2 3 -8 10.5 6 7"},
    });
}

TEST_C(ModelRuntime, WeightsOfFewBitsAreFloats)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 2,3\nconst w u8 2,1,8 = 18 52 120\n"
             "const s f32 2 = 0.5 2\ndomain com.microsoft\n"
             "MatMulNBits x,w,s -> y K=3 N=2 block_size=16" Y,
                    1, "[2, 2] -7.5 -26 -33 -68"},
            {"opset 18\ninput x f32 1,18\nconst w u8 1,2,8 = 18 52 120\n"
             "const s f32 2 = 0.5 2\nconst z u8 1 = 33\n"
             "const b f32 1 = 100\ndomain com.microsoft\n"
             "MatMulNBits x,w,s,z,,b -> y K=18 N=1 block_size=16 bits=4" Y,
                    2, "[1, 1] 631"},
            {"opset 18\ninput x f32 1,18\nconst w u8 1,2,8 = 18 52 120\n"
             "const s f32 2 = 0.5 2\nconst z f32 2 = 1 0.5\n"
             "const g i32 18 = 1 0 0\ndomain com.microsoft\n"
             "MatMulNBits x,w,s,z,g -> y K=18 N=1 block_size=16 bits=4" Y,
                    1, "[1, 1] 429"},
            {"opset 18\ninput x f32 1,3\nconst w u8 1,1,16 = 128 130 0\n"
             "const s f32 1 = 0.5\ndomain com.microsoft\n"
             "MatMulNBits x,w,s -> y K=3 N=1 block_size=16 bits=8" Y,
                    1, "[1, 1] -127"},
    });
}

#define W                                                         \
    "opset 18\ninput x f32 1,2,2\nconst w f32 2,6 = 1\n"          \
    "const b f32 6 = 1\nconst c f32 2,1 = 1\nconst p i64 1 = 0\n" \
    "const k u8 1,1,8 = 1\nconst f f32 1 = 1\n"                   \
    "input i i32 1,2\ndomain com.microsoft\n"

TEST_C(ModelRuntime, RefusesWhatItDoesNotAttendTo)
{
    EXPECT_REFUSALS({
            {W "Attention x,w,b -> y num_heads=0" Y,
                    "attribute num_heads is 0"},
            {W "Attention x,w,b -> y num_heads=3" Y,
                    "does not go together with 6 columns"},
            {W "Attention x,w,b -> y num_heads=1 qkv_hidden_sizes=[2,2]" Y,
                    "does not go together with 6 columns"},
            {W "Attention x,w,b -> y num_heads=1 "
               "qkv_hidden_sizes=[9223372036854775807,2,2]" Y,
                    "does not go together with 6 columns"},
            {W "Attention x,w,b -> y num_heads=1 do_rotary=1" Y,
                    "attribute do_rotary is not supported"},
            {W "Attention x,w,b -> y num_heads=1 past_present_share_buffer=1" Y,
                    "attribute past_present_share_buffer is not supported"},
            {W "Attention x,w,b,f -> y num_heads=1" Y,
                    "input 3 is not of type i32"},
            {W "Attention x,w,b,,x -> y num_heads=1" Y,
                    "input 4 has dimensions [1, 2, 2]"},
            {W "Attention x,w,b,,,x -> y num_heads=1" Y,
                    "input 5 does not fit the scores"},
            {W "MultiHeadAttention x,x,x,,,,x -> y num_heads=1" Y,
                    "inputs 6 and 7 belong together"},
            {W "MultiHeadAttention w,x,x -> y num_heads=1" Y,
                    "input 0 is not of 1 heads"},
            {W "MultiHeadAttention x,x,x,b -> y num_heads=3" Y,
                    "input 0 is not of 3 heads"},
            {W "EmbedLayerNormalization i,,w,w,,b,b,,p -> y" Y,
                    "input 8 is not of type i32"},
            {W "EmbedLayerNormalization i,i,w,w,,b,b -> y" Y,
                    "inputs 1 and 4 belong together"},
            {W "EmbedLayerNormalization i,,w,w,,f,b -> y" Y,
                    "input 5 has dimensions [1] where it needs [6]"},
            {W "RotaryEmbedding x,p,c,c -> y is_packed_batching=1" Y,
                    "attributes is_packed_batching and scale"},
            {W "RotaryEmbedding x,p,c,c -> y num_heads=2" Y,
                    "attribute rotary_embedding_dim is 2"},
            {"opset 18\nconst x f32 1,0,4 = 0\nconst p i64 1 = 0\n"
             "const c f32 3,2 = 0\ndomain com.microsoft\n"
             "RotaryEmbedding x,p,c,c -> y" Y,
                    "input 0 has no elements"},
            {"opset 18\nconst x f32 1,0,8 = 0\nconst w f32 8,24 = 0\n"
             "const b f32 24 = 0\ndomain com.microsoft\n"
             "Attention x,w,b -> y num_heads=2 unidirectional=1" Y,
                    "attends from 0 to 0 elements"},
            {W "RotaryEmbedding x,p,c,c -> y num_heads=-1" Y,
                    "attribute num_heads is -1"},
            {W "MatMulNBits x,k,f -> y K=2 N=1 bits=5 block_size=16" Y,
                    "attribute bits is 5"},
            {W "MatMulNBits x,k,f -> y K=2 N=1 block_size=8" Y,
                    "attribute block_size is 8"},
            {W "MatMulNBits x,k,f -> y K=9223372036854775807 N=2 "
               "block_size=16" Y,
                    "attributes K and N"},
            {W "MatMulNBits x,k,f -> y K=2 N=2 block_size=16" Y,
                    "input 1 has 8 elements where it needs 16"},
            {W "MatMulNBits x,k,f,,i -> y K=2 N=1 block_size=16" Y,
                    "input 4, 'i', is not constant"},
            {"opset 18\ninput x f32 1,2\nconst k u8 1,1,8 = 1\n"
             "const f f32 1 = 1\nconst g i32 2 = 0 1\n"
             "domain com.microsoft\n"
             "MatMulNBits x,k,f,,g -> y K=2 N=1 block_size=16" Y,
                    "row 1 is of block 1 of 1"},
    });
}
