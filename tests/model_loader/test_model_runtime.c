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
