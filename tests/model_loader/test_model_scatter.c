/* SPDX-License-Identifier: Apache-2.0 */
/* Copies in which some elements are others. What the models give is what ONNX
 * Runtime 1.32.0 and, where it has the operator, ONNX's reference evaluator
 * give for them. */
#include "model_form.h"
#include "test.h"

#define Y "\noutput y"

TEST_C(ModelScatter, UpdatesGoWhereSeveralNumbersSay)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 2,3\nconst i i64 2,2 = 0 -1 1 0\n"
             "const u f32 2 = 10 20\nScatterND x,i,u -> y" Y,
                    3, "[2, 3] 0 1 10 20 4 5"},
            {"opset 11\ninput x f32 3,2\nconst i i64 2,1 = 1 -3\n"
             "const u f32 2,2 = 10 20 30 40\nScatterND x,i,u -> y" Y,
                    1, "[3, 2] 30 40 10 20 4 5"},
            {"opset 18\ninput x f32 3,2\nconst i i64 3,1 = 1 -3 1\n"
             "const u f32 3,2 = 10 20 30\n"
             "ScatterND x,i,u -> y reduction='add'" Y,
                    1, "[3, 2] 30 11 32 53 4 5"},
            {"opset 18\ninput x f32 2,2,2\nconst i i64 2,1,2 = 1 0 0 -1\n"
             "const u f32 2,1,2 = 10 -20 3 0.5\n"
             "ScatterND x,i,u -> y reduction='min'" Y,
                    3, "[2, 2, 2] 0 1 2 0.5 4 -20 6 7"},
    });
}

TEST_C(ModelScatter, UpdatesGoAlongAnAxis)
{
    EXPECT_FORMS({
            {"opset 18\ninput x f32 5\nconst i i64 4 = 1 -1 1 0\n"
             "const u f32 4 = 2 3 -4 5\n"
             "ScatterElements x,i,u -> y reduction='mul'" Y,
                    1, "[5] 0 -8 2 3 12"},
            {"opset 18\ninput x f32 2,3\nconst i i32 1,2 = 2 -3\n"
             "const u f32 1,2 = 7 8\nScatterElements x,i,u -> y axis=1" Y,
                    1, "[2, 3] 8 1 7 3 4 5"},
            {"opset 10\ninput x f32 3,2\nconst i i64 2,1 = 2 0\n"
             "const u f32 2,1 = 7 8\nScatter x,i,u -> y" Y,
                    1, "[3, 2] 8 1 2 3 7 5"},
            {"opset 18\ninput x i32 3,2\n"
             "const i i64 4,2 = 2 0 2 0 2 0 2 1\nconst u i32 4,2 = 7 8 -1 3\n"
             "ScatterElements x,i,u -> y reduction='max'" Y,
                    1, "[3, 2] 0 8 2 3 7 5"},
    });
}

/* The same where all is constant, which the reader computes. */
TEST_C(ModelScatter, ConstantsAreUpdatedBeforeAnythingRuns)
{
    EXPECT_FORMS({
            {"opset 18\nconst c i64 2,3 = 0 1 2 3 4 5\ninput x i64 1\n"
             "const i i64 2,2 = 0 -1 1 0\nconst u i64 2 = 10 20\n"
             "ScatterND c,i,u -> z\nAdd z,x -> y" Y,
                    1, "[2, 3] 0 1 10 20 4 5"},
            {"opset 18\nconst c f32 3,2 = 0 1 2 3 4 5\ninput x f32 1\n"
             "const i i64 3,1 = 1 -3 1\nconst u f32 3,2 = 10 20 30\n"
             "ScatterND c,i,u -> z reduction='add'\nAdd z,x -> y" Y,
                    1, "[3, 2] 30 11 32 53 4 5"},
            {"opset 18\nconst c i32 3,2 = 0 1 2 3 4 5\ninput x i32 1\n"
             "const i i64 4,2 = 2 0 2 0 2 0 2 1\nconst u i32 4,2 = 7 8 -1 3\n"
             "ScatterElements c,i,u -> z reduction='max'\nAdd z,x -> y" Y,
                    1, "[3, 2] 0 8 2 3 7 5"},
            {"opset 18\nconst c i32 2 = 3 4\ninput x i32 1\n"
             "const i i64 3 = 0 1 0\nconst u i32 3 = 65537 -2 65537\n"
             "ScatterElements c,i,u -> z reduction='mul'\nAdd z,x -> y" Y,
                    1, "[2] 3.932e+05 -8"},
            {"opset 18\nconst c f32 4 = nan 1 -1 2\ninput x f32 1\n"
             "const i i64 4 = 0 1 2 3\nconst u f32 4 = 1 nan -3 1\n"
             "ScatterElements c,i,u -> z reduction='min'\nAdd z,x -> y" Y,
                    1, "[4] nan nan -3 1"},
            {"opset 18\ninput x f32 3\nconst i i64 0 = 1\n"
             "const u f32 0 = 1\nScatterElements x,i,u -> z\nNeg z -> y" Y,
                    1, "[3] -0 -1 -2"},
    });
}

#define X "opset 18\ninput x f32 2,3\nconst u f32 2 = 1\nconst v f32 2,1 = 1\n"

TEST_C(ModelScatter, RefusesWhatDoesNotFit)
{
    EXPECT_REFUSALS({
            {X "const i i64 2,2 = 0 3\nScatterND:n x,i,u -> y" Y,
                    "ScatterND 'n': there is no element 3 of 3"},
            {X "const i i64 2,2 = 0 -4\nScatterND:n x,i,u -> y" Y,
                    "ScatterND 'n': there is no element -4 of 3"},
            {X "const i i64 2,2 = 2 0 1 1\nScatterND:n x,i,u -> y" Y,
                    "ScatterND 'n': there is no element 2 of 2"},
            {X "const i i64 2,3 = 0\nScatterND:n x,i,u -> y" Y,
                    "ScatterND 'n': indices of 3 numbers for 2 dimensions"},
            {X "const i i64 2,1 = 0\nScatterND:n x,i,u -> y" Y,
                    "input 2 has dimensions [2] where it needs [2, 3]"},
            {X "const i i32 2,2 = 0\nScatterND:n x,i,u -> y" Y,
                    "indices of type i32"},
            {X "const i i64 2,2 = 0\nScatterND:n x,i,i -> y" Y,
                    "updates of type i64 for f32"},
            {X "const i i64 2,2 = 0\n"
               "ScatterND:n x,i,u -> y reduction='mean'" Y,
                    "reduction 'mean' is not known here"},
            {"opset 18\ninput x bool 2\nconst i i64 1,1 = 0\n"
             "const u bool 1 = 1\nScatterND x,i,u -> y reduction='add'" Y,
                    "reduction 'add' of type bool"},
            {X "const i i64 2,1 = 2\nScatterElements:n x,i,v -> y" Y,
                    "ScatterElements 'n': there is no element 2 of 2"},
            {X "const i i64 2,1 = -4\nScatterElements:n x,i,v -> y axis=1" Y,
                    "ScatterElements 'n': there is no element -4 of 3"},
            {X "const i i64 2 = 0\nScatterElements x,i,u -> y" Y,
                    "indices of 1 dimensions for 2"},
            {X "const i i64 1,1 = 0\nScatterElements x,i,v -> y" Y,
                    "input 2 has dimensions [2, 1] where it needs [1, 1]"},
            {X "const i i64 3,1 = 0\nconst w f32 3,1 = 0\n"
               "ScatterElements x,i,w -> y axis=1" Y,
                    "indices of 3 in dimension 0 of 2"},
            {X "const i f32 2,1 = 0\nScatterElements x,i,v -> y" Y,
                    "indices of type f32"},
            {X "const i i64 2,1 = 0\nScatterElements x,i,v -> y axis=2" Y,
                    "axis"},
            {"opset 18\nconst c f32 2 = 0\nconst i i64 1 = 2\n"
             "const u f32 1 = 1\nScatterElements c,i,u -> y" Y,
                    "there is no element 2 of 2"},
    });
}
