/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra, and places of what is not 0. What the models give is what ONNX
 * Runtime 1.32.0 and ONNX's reference evaluator 1.23.2 give for them. */
#include "model_form.h"
#include "test.h"

#define Y "\noutput y"
#define SUM "Add w,x -> y" Y
/* Hundredths, of which none is -0. */
#define HUNDREDTHS \
    "const e f32 - = 0\nMul z,h -> t\nRound t -> r\nAdd r,e -> y" Y

TEST_C(ModelSignal, WindowsAndMelBinsAreConstants)
{
    EXPECT_FORMS({
            {"opset 17\ninput x f32 1\nconst n i64 - = 4\nHannWindow n -> "
             "w\n" SUM,
                    1, "[4] 0 0.5 1 0.5"},
            {"opset 17\ninput x f32 1\nconst n i32 - = 4\n"
             "HammingWindow n -> w periodic=0\n" SUM,
                    1, "[4] 0.08696 0.7717 0.7717 0.08696"},
            {"opset 17\ninput x f32 1\nconst n i64 - = 4\nconst h f32 1 = 100\n"
             "BlackmanWindow n -> w\nAdd w,x -> z\n" HUNDREDTHS,
                    4, "[4] 0 34 100 34"},
            {"opset 17\ninput x f32 1\nconst b i64 - = 2\nconst l i64 - = 8\n"
             "const r i64 - = 8000\nconst o f32 - = 0\nconst p f32 - = 4000\n"
             "MelWeightMatrix b,l,r,o,p -> w\n" SUM,
                    1, "[5, 2] 1 0 0 1 0 0 0 0 0 0"},
            {"opset 13\ninput x i64 1\nconst c f32 2,3 = 0 1 -2 nan 0 3\n"
             "NonZero c -> w\n" SUM,
                    1, "[2, 4] 0 0 1 1 1 2 0 2"},
    });
}

TEST_C(ModelSignal, TransformsAreProducts)
{
    EXPECT_FORMS({
            {"opset 17\ninput x f32 1,4,1\nconst h f32 1 = 100\n"
             "DFT x -> z axis=1 onesided=1\n" HUNDREDTHS,
                    any_number, "[1, 3, 2] 600 0 -200 200 -200 0"},
            {"opset 20\ninput x f32 3,2,2\nconst h f32 1 = 100\n"
             "const l i64 - = 4\nconst a i64 - = 0\n"
             "DFT x,l,a -> z inverse=1\n" HUNDREDTHS,
                    any_number,
                    "[4, 2, 2] 300 375 450 525 -325 -100 -375 -50 100 125 150 "
                    "175 -75 -300 -25 -350"},
            {"opset 17\ninput x f32 1,6,1\nconst h f32 1 = 100\n"
             "const s i64 - = 2\nconst w f32 4 = 1 2 3 4\n"
             "STFT x,s,w -> z\n" HUNDREDTHS,
                    any_number,
                    "[1, 2, 3, 2] 2000 0 -600 1000 -800 0 4000 0 -1000 1400 "
                    "-1200 0"},
            {"opset 17\ninput x f32 1,5,2\nconst h f32 1 = 100\n"
             "const s i64 - = 3\nconst l i64 - = 2\n"
             "STFT x,s,,l -> z onesided=0\n" HUNDREDTHS,
                    any_number,
                    "[1, 2, 2, 2] 200 400 -200 -200 1400 1600 -200 -200"},
    });
}

#define X                                          \
    "opset 17\ninput x f32 1,6,1\ninput v i64 -\n" \
    "input l f32 1,65536,1\n"

TEST_C(ModelSignal, RefusesWhatDoesNotFit)
{
    EXPECT_REFUSALS({
            {X "HannWindow:n v -> y" Y,
                    "HannWindow 'n': input 0, 'v', is not constant"},
            {X "const n i64 - = -1\nHannWindow n -> y" Y, "input 0 is -1"},
            {X "const n i64 - = 1\nHannWindow n -> y periodic=0" Y,
                    "a window of 1 that is not periodic"},
            {X "const b i64 - = 2\nconst o f32 - = 0\nconst p f32 - = 100000\n"
               "const r i64 - = 8000\nMelWeightMatrix b,b,r,o,p -> y" Y,
                    "edges beyond the spectrum"},
            {X "const b i64 - = 2\nconst o f32 - = 5\nconst p f32 - = 2\n"
               "MelWeightMatrix b,b,b,o,p -> y" Y,
                    "from 5 to 2 Hz"},
            {X "const b i64 - = 1048576\nconst o f32 - = 0\n"
               "MelWeightMatrix b,b,b,o,o -> y" Y,
                    "left for computed constants"},
            {X "DFT x,v -> y" Y, "input 1, 'v', is not constant"},
            {X "const n i64 - = 0\nDFT x,n -> y" Y, "input 1 is 0"},
            {X "DFT l -> y" Y, "left for computed constants"},
            {X "const n i64 - = 1048577\nDFT x,n -> y" Y, "input 1 is 1.0"},
            {X "DFT x -> y axis=2" Y, "an axis of real and imaginary parts"},
            {X "DFT x -> y inverse=1 onesided=1" Y, "one side of what is"},
            {"opset 17\ninput x f32 1,6,3\nDFT x -> y" Y,
                    "3 parts of 6 samples"},
            {X "STFT x,v -> y" Y, "input 1, 'v', is not constant"},
            {X "const s i64 - = 1\nSTFT x,s -> y" Y,
                    "frames of 0 samples for 6"},
            {X "const s i64 - = 1\nconst l i64 - = 7\nSTFT x,s,,l -> y" Y,
                    "frames of 7 samples for 6"},
            {X "const s i64 - = 0\nconst l i64 - = 2\nSTFT x,s,,l -> y" Y,
                    "input 1 is 0"},
            {X "const s i64 - = 1\nconst l i64 - = 2\nconst w f32 3 = 1\n"
               "STFT x,s,w,l -> y" Y,
                    "input 2 has dimensions [3] where it needs [2]"},
            {X "NonZero x -> y" Y, "dimensions that depend on data"},
    });
}
