/* SPDX-License-Identifier: Apache-2.0 */
/* If on data, and Loop. What the models give is what ONNX Runtime 1.32.0 gives
 * for them. */
#include "model_form.h"
#include "test.h"

#define Y "\noutput y"
#define X "opset 13\ninput x f32 2\nconst z f32 - = 0.5\n"
#define CONDITION "ReduceMax x -> m keepdims=0\nGreater m,z -> c\n"

TEST_C(ModelBranches, DataChooseBetweenTheResultsOfBothGraphs)
{
    EXPECT_FORMS({
            {X "graph a\nAdd x,x -> p\noutput p\nend\n"
               "graph b\nNeg x -> q\noutput q\nend\n" CONDITION
               "If c -> y then_branch=@a else_branch=@b" Y,
                    6, "[2] 0 2"},
            {"opset 13\ninput x f32 2\nconst z f32 1 = 5\n"
             "graph a\nAdd x,x -> p\nSub x,z -> r\noutput p\noutput r\nend\n"
             "graph b\nNeg x -> q\nconst k f32 2 = 3 4\noutput k\noutput q\n"
             "end\nReduceMax x -> m axes=[0]\nGreater m,z -> c\n"
             "If c -> u,v then_branch=@a else_branch=@b\n"
             "Concat u,v -> y axis=0" Y,
                    9, "[4] 3 4 -0 -1"},
            /* One in the other, of integers. */
            {"opset 13\ninput x i64 3\nconst z i64 - = 1\n"
             "graph a\nAdd x,z -> p\noutput p\nend\n"
             "graph b\nSub x,z -> q\noutput q\nend\n"
             "graph d\nIf f -> r then_branch=@a else_branch=@b\noutput r\nend\n"
             "ReduceMax x -> m keepdims=0\nGreater m,z -> c\n"
             "ReduceMin x -> n keepdims=0\nGreater n,z -> f\n"
             "If c -> y then_branch=@d else_branch=@a" Y,
                    11, "[3] -1 0 1"},
    });
}

#define IN                                                       \
    "input i i64 -\ninput ci bool -\ninput v f32 2\noutput co\n" \
    "output w\n"

TEST_C(ModelBranches, LoopsBecomeTheirIterations)
{
    EXPECT_FORMS({
            /* The results of iterations, and what goes on. */
            {"opset 13\ninput x f32 2\nconst n i64 - = 3\n"
             "const t bool - = 1\ngraph b\nIdentity ci -> co\n"
             "Add v,x -> w\nMul v,x -> s\n" IN "output s\nend\n"
             "Loop n,t,x -> u,y body=@b" Y,
                    9, "[3, 2] 0 1 0 2 0 3"},
            {"opset 13\ninput x f32 2\nconst n i64 - = 3\n"
             "graph b\nIdentity ci -> co\nAdd v,x -> w\n" IN "end\n"
             "Loop n,,x -> y body=@b" Y,
                    3, "[2] 0 4"},
            /* Until a condition of constants is false: five times. */
            {"opset 13\ninput x f32 2\nconst t bool - = 1\ngraph b\n"
             "const k i64 - = 4\nLess i,k -> co\nCast i -> f to=1\n"
             "Add v,f -> w\n" IN "end\nLoop ,t,x -> y body=@b" Y,
                    5, "[2] 10 11"},
            /* Dimensions that grow. */
            {"opset 13\ninput x f32 1,2\nconst n i64 - = 3\ngraph b\n"
             "Identity ci -> co\nConcat v,x -> w axis=0\n" IN "end\n"
             "Loop n,,x -> y body=@b" Y,
                    3, "[4, 2] 0 1 0 1 0 1 0 1"},
            /* Not once. */
            {"opset 13\ninput x f32 2\nconst n i64 - = 3\n"
             "const t bool - = 0\ngraph b\nIdentity ci -> co\n"
             "Add v,x -> w\n" IN "end\nLoop n,t,x -> z body=@b\n"
             "Neg z -> y" Y,
                    1, "[2] -0 -1"},
            /* More results than a concatenation has sources. */
            {"opset 13\ninput x f32 1\nconst n i64 - = 200\ngraph b\n"
             "Identity ci -> co\nIdentity v -> w\nCast i -> f to=1\n"
             "Add f,x -> s\n" IN "output s\nend\n"
             "Loop n,,x -> u,r body=@b\n"
             "ReduceSum r -> y keepdims=0" Y,
                    any_number, "[] 1.99e+04"},
    });
}

#define BODY                                                       \
    "opset 13\ninput x f32 2\ninput e bool -\nconst n i64 - = 3\n" \
    "graph b\nIdentity ci -> co\nAdd v,x -> w\nMul v,x -> s\n" IN  \
    "output s\nend\ngraph d\nAnd ci,e -> co\nAdd v,x -> w\n" IN    \
    "end\ngraph o\nIdentity ci -> co\nConcat v,x -> w axis=0\n"    \
    "Identity w -> s\n" IN "output s\nend\n"

TEST_C(ModelBranches, RefusesWhatDataWouldDecide)
{
    EXPECT_REFUSALS({
            {X "graph a\nAdd x,x -> p\noutput p\nend\n"
               "graph b\nNeg z -> q\noutput q\nend\n" CONDITION
               "If:n c -> y then_branch=@a else_branch=@b" Y,
                    "If 'n': the condition, 'c', is not constant, and output 0 "
                    "is f32 [2] or f32 []"},
            {X "graph a\nAdd x,x -> p\noutput p\nend\n"
               "graph b\nCast x -> q to=7\noutput q\nend\n" CONDITION
               "If:n c -> y then_branch=@a else_branch=@b" Y,
                    "output 0 is f32 [2] or i64 [2]"},
            {X "graph a\nAdd x,x -> p\noutput p\nend\n"
               "graph b\nCast x -> i to=7\nGather:g x,i -> q\noutput "
               "q\nend\n" CONDITION
               "If:n c -> y then_branch=@a else_branch=@b" Y,
                    "If 'n': both graphs are computed, as the condition, 'c', "
                    "is not constant: Gather 'g' in one may find an index out"},
            {X "graph a\nAdd x,x -> p\noutput p\nend\n"
               "If x -> y then_branch=@a else_branch=@a" Y,
                    "of type f32"},
            {"opset 13\ninput c bool 2\ninput x f32 2\n"
             "graph a\nAdd x,x -> p\noutput p\nend\n"
             "If c -> y then_branch=@a else_branch=@a" Y,
                    "the condition is not one bool"},
            {BODY "input m i64 -\nLoop:n m,,x -> y body=@b" Y,
                    "Loop 'n': input 0, 'm', is not constant"},
            {BODY "Loop:n n,e,x -> y body=@b" Y,
                    "Loop 'n': input 1, 'e', is not constant: loops "
                    "that data end"},
            {BODY "Loop:n n,,x -> y body=@d" Y,
                    "Loop 'n': the condition, 'co~2.0', is not constant"},
            {BODY "Loop:n n,,x -> u,y body=@o" Y,
                    "Loop 'n': iterations give an output other dimensions"},
            {BODY "const o i64 - = 0\nLoop:n o,,x -> u,y body=@b" Y,
                    "Loop 'n': no iteration, and output 1 is of rows"},
            {X "graph b\nIdentity ci -> co\nIdentity v -> w\n" IN "end\n"
               "Loop:n ,,x -> y body=@b" Y,
                    "functions and graphs of nodes have more than 262144 "
                    "nodes"},
            {"opset 20\ninput x f32 2\nconst n i64 - = 50000\ngraph b\n"
             "Identity ci -> co\nGelu v -> w approximate='tanh'\n" IN "end\n"
             "Loop:n n,,x -> y body=@b" Y,
                    "Gelu of 'w': the model becomes more than 262144 nodes"},
            {BODY "Loop:n n,,x,x -> y body=@b" Y, "other inputs or outputs"},
            {BODY "Loop:n n,,x -> y,u,v body=@b" Y, "other inputs or outputs"},
            {BODY "Loop:n n,, -> y body=@b" Y, "input 2 is missing"},
            {BODY "Loop:n n -> y body=@b" Y, "input 1 is missing"},
            {BODY "Loop:n n,,x -> y" Y, "no graph is given"},
            {BODY "const o i64 0 = 0\nLoop:n o,,x -> y body=@b" Y,
                    "input 0 is empty"},
    });
}
