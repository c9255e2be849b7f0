/* SPDX-License-Identifier: Apache-2.0 */
/* Attention and RotaryEmbedding of the standard domain, and
 * GroupQueryAttention. What the models give is what ONNX Runtime 1.32.0 gives
 * for them and, but for GroupQueryAttention and for a mask that is too short,
 * ONNX's reference evaluator 1.23.2. */
#include "model_form.h"
#include "test.h"

#define Y "\noutput y"
#define SCALED "const m f32 - = 0.1\nMul q,m -> a\nMul k,m -> b\n"

TEST_C(ModelAttention, SharesKeysAndHidesThem)
{
    EXPECT_FORMS({
            {"opset 23\ninput q f32 1,2,4\ninput k f32 1,3,2\n" SCALED
             "Attention a,b,b -> y q_num_heads=2 kv_num_heads=1 "
             "is_causal=1" Y,
                    any_number,
                    "[1, 2, 4] 0 0.1 0 0.1 0.1064 0.2064 0.1092 0.2092"},
            /* A query that sees nothing; scores that are capped. */
            {"opset 23\ninput q f32 1,2,2,2\ninput k f32 1,2,3,2\n" SCALED
             "const n bool 2,3 = 1 0 1 0 0 0\n"
             "Attention a,b,b,n -> y scale=0.5 softcap=0.25" Y,
                    any_number,
                    "[1, 2, 2, 2] 0.202 0.302 0 0 0.8032 0.9032 0 0"},
            {"opset 24\ninput q f32 2,1,2,2\ninput k f32 2,1,3,2\n" SCALED
             "const n i64 2 = 3 2\nAttention a,b,b,,,,n -> y is_causal=1" Y,
                    any_number,
                    "[2, 1, 2, 2] 0.1007 0.2007 0.2094 0.3094 0.6 0.7 0.7092 "
                    "0.8092"},
            {"opset 24\ninput q f32 1,1,2,2\ninput k f32 1,1,3,2\n" SCALED
             "const n f32 1,1,2,2 = 0.5 -inf 1 0\nAttention a,b,b,n -> y" Y,
                    any_number, "[1, 1, 2, 2] 0 0.1 0.05661 0.1566"},
            {"opset 25\ninput q f32 1,1,3,2\ninput k f32 1,1,3,2\n" SCALED
             "Attention a,b,b -> y left_window_size=1 right_window_size=0" Y,
                    any_number,
                    "[1, 1, 3, 2] 0 0.1 0.1035 0.2035 0.3064 0.4064"},
    });
}

#define WITH(outputs)                                      \
    "opset 23\ninput q f32 1,1,2,2\ninput k f32 1,1,1,2\n" \
    "input p f32 1,1,2,2\n" SCALED "Mul p,m -> c\n"        \
    "const n f32 2,3 = 0.5 -inf 1 0 -0.5 -inf\n"           \
    "Attention a,b,b,n,c,c -> " outputs " qk_matmul_output_mode=2" Y

TEST_C(ModelAttention, GoesOnFromWhatWasBefore)
{
    EXPECT_FORMS({
            {WITH("y"), any_number, "[1, 1, 2, 2] 0 0.1 0.07886 0.1789"},
            {WITH("z,y"), any_number, "[1, 1, 3, 2] 0 0.1 0.2 0.3 0 0.1"},
            {WITH("z,s,y"), any_number, "[1, 1, 3, 2] 0 0.1 0.2 0.3 0 0.1"},
            {WITH("z,s,t,y"), any_number,
                    "[1, 1, 2, 3] 0.5071 -inf 1.007 0.02121 -0.4081 -inf"},
    });
}

TEST_C(ModelAttention, TurnsByTables)
{
    EXPECT_FORMS({
            {"opset 23\ninput x f32 1,2,4\nconst c f32 3,1 = 1 0.5 0.25\n"
             "const s f32 3,1 = 0 0.5 1\nconst p i64 1,2 = 1 2\n"
             "RotaryEmbedding x,c,s,p -> y num_heads=2" Y,
                    any_number,
                    "[1, 2, 4] -0.5 0.5 -0.5 2.5 -4 5.25 -5.5 7.75"},
            {"opset 23\ninput x f32 1,1,2,4\nconst c f32 1,2,1 = 1 0.5\n"
             "const s f32 1,2,1 = 0.25 0.5\n"
             "RotaryEmbedding x,c,s -> y interleaved=1 "
             "rotary_embedding_dim=2" Y,
                    any_number, "[1, 1, 2, 4] -0.25 1 2 3 -0.5 4.5 6 7"},
    });
}

#define GROUPED "const m f32 - = 0.01\nconst o i64 1 = -1\nMul q,m -> a\n"
#define SUM "domain \nReduceSum z,o -> y keepdims=0" Y
#define PAST_OF(number)                                                     \
    "opset 18\ninput q f32 2,1,16\ninput k f32 2,1,8\n"                     \
    "input p f32 2,1," number ",8\n" GROUPED "Mul k,m -> b\nMul p,m -> c\n" \
    "const t i32 - = 4\nconst n i32 2 = "

TEST_C(ModelAttention, GroupsOfQueriesShareAPast)
{
    EXPECT_FORMS({
            {"opset 18\ninput q f32 1,3,16\ninput k f32 1,3,8\n" GROUPED
             "Mul k,m -> b\nconst n i32 1 = 2\nconst t i32 - = 3\n"
             "domain com.microsoft\nGroupQueryAttention a,b,b,,,n,t -> z "
             "num_heads=2 kv_num_heads=1 local_window_size=2 "
             "softcap=0.5\n" SUM,
                    any_number, "[1, 3] 0.56 1.217 2.505"},
            /* A past that has room, of different lengths. */
            {PAST_OF("4") "3 1\ndomain com.microsoft\n"
                          "GroupQueryAttention a,b,b,c,c,n,t -> z,s,u "
                          "num_heads=2 kv_num_heads=1 scale=2.0\n" SUM,
                    any_number, "[2, 1] 1.606 4.568"},
            {PAST_OF("3") "3 3\ndomain com.microsoft\n"
                          "GroupQueryAttention a,b,b,c,c,n,t -> x,z "
                          "num_heads=2 kv_num_heads=1\n" SUM,
                    any_number,
                    "[2, 1, 4] 0.28 0.92 1.56 0.28 2.2 2.84 3.48 0.92"},
            /* All in one, turned. */
            {"opset 18\ninput q f32 1,2,64\n" GROUPED
             "const n i32 1 = 1\nconst t i32 - = 2\n"
             "const c f32 4,8 = 1 0.5 0.25 0\n"
             "const s f32 4,8 = 0 0.5 1 0.75\ndomain com.microsoft\n"
             "GroupQueryAttention a,,,,,n,t,c,s -> z num_heads=2 "
             "kv_num_heads=1 do_rotary=1\n" SUM,
                    any_number, "[1, 2] 17.76 34.74"},
    });
}

#define G(more)                                                        \
    "opset 18\ninput q f32 1,3,16\ninput k f32 1,3,8\ninput u i32 -\n" \
    "const n i32 1 = 2\nconst t i32 - = 3\nconst f f32 4,8 = 1\n"      \
    "domain com.microsoft\nGroupQueryAttention " more Y

TEST_C(ModelAttention, RefusesGroupsThatDoNotFit)
{
    EXPECT_REFUSALS({
            {G("q,k,k,,,n,t -> y num_heads=3 kv_num_heads=2"), "num_heads"},
            {G("q,k,k,,,n,t -> y num_heads=3 kv_num_heads=1"),
                    "input 0 is not of 3 heads"},
            {G("q,k,q,,,n,t -> y num_heads=2 kv_num_heads=1"),
                    "input 2 has dimensions"},
            {G("q,k,,,,n,t -> y num_heads=2 kv_num_heads=1"),
                    "inputs 1 and 2 belong together"},
            {G("q,k,k,k,k,n,t -> y num_heads=2 kv_num_heads=1"),
                    "input 3 has dimensions [1, 3, 8] where it needs"},
            {G("q,k,k,,,n,u -> y num_heads=2 kv_num_heads=1"),
                    "input 6, 'u', is not constant"},
            {G("q,k,k,,,n,n -> y num_heads=2 kv_num_heads=1"),
                    "a total_sequence_length of 2 for 3"},
            {G("q,k,k,,,n -> y num_heads=2 kv_num_heads=1"),
                    "input 6 is missing"},
            {G("q,k,k,,,n,t -> y num_heads=2 kv_num_heads=1 do_rotary=1"),
                    "no input 7"},
            {G("q,k,k,,,n,t,f,f -> y num_heads=2 kv_num_heads=1 "
               "do_rotary=1"),
                    "are no tables for heads of 8"},
            {G("q,k,k,,,n,t,,,,f -> y num_heads=2 kv_num_heads=1"),
                    "input 10 does not fit the scores"},
            {G("q,k,k,,,n,t,,,,,f -> y num_heads=2 kv_num_heads=1"),
                    "input 11 is not supported"},
            {G("q,k,k,,,n,t -> y num_heads=2 kv_num_heads=1 "
               "smooth_softmax=1"),
                    "smooth_softmax"},
            {G("q,k,k,,,q,t -> y num_heads=2 kv_num_heads=1"),
                    "input 5 is not of type i32"},
    });
}

#define Q \
    "opset 24\ninput q f32 1,2,4\ninput k f32 1,3,2\ninput h f32 1,2,3,2\n"

TEST_C(ModelAttention, RefusesWhatDoesNotFit)
{
    EXPECT_REFUSALS({
            {Q "Attention q,k,k -> y" Y, "input 0 is not of 0 heads"},
            {Q "Attention q,k,k -> y q_num_heads=3 kv_num_heads=1" Y,
                    "input 0 is not of 3 heads"},
            {Q "Attention q,k,k -> y q_num_heads=1 kv_num_heads=1" Y,
                    "queries, keys and values do not go together"},
            {Q "const n f32 3,3 = 0\n"
               "Attention q,k,k,n -> y q_num_heads=2 kv_num_heads=1" Y,
                    "dimensions"},
            {Q "const n f32 5,1,1,3 = 0\n"
               "Attention q,k,k,n -> y q_num_heads=2 kv_num_heads=1" Y,
                    "a mask is larger than the scores"},
            {Q "const n i64 2,3 = 0\n"
               "Attention q,k,k,n -> y q_num_heads=2 kv_num_heads=1" Y,
                    "a mask of type i64 and 2 dimensions"},
            {Q "const n i64 2 = 3\n"
               "Attention q,k,k,,,,n -> y q_num_heads=2 kv_num_heads=1" Y,
                    "input 6 has dimensions [2] where it needs [1]"},
            {Q "Attention h,h,h,,h -> y" Y, "inputs 4 and 5 belong together"},
            {Q "const n i64 1 = 3\nAttention h,h,h,,h,h,n -> y" Y,
                    "inputs 4 and 6 exclude each other"},
            {Q "Attention h,h,h,,q,q -> y" Y,
                    "input 4 has dimensions [1, 2, 4] where it needs "
                    "[1, 2, 0, 2]"},
            {Q "Attention h,h,h -> y qk_matmul_output_mode=4" Y,
                    "qk_matmul_output_mode"},
            {"opset 23\ninput x f32 1,2,4\nconst c f32 3,1 = 1\n"
             "const p i64 1,3 = 0\n"
             "RotaryEmbedding x,c,c,p -> y num_heads=2" Y,
                    "input 3 has dimensions [1, 3] where it needs [1, 2]"},
            {"opset 23\ninput x f32 1,2,4\nconst c f32 3,1 = 1\n"
             "RotaryEmbedding x,c,c -> y num_heads=2" Y,
                    "input 1 is no table like input 2"},
            {"opset 23\ninput x f32 1,2,4\nconst c f32 1,2,2 = 1\n"
             "RotaryEmbedding x,c,c -> y num_heads=2" Y,
                    "attribute rotary_embedding_dim is 4"},
            {"opset 23\ninput x f32 1,2,4\nconst c f32 2,2,1 = 1\n"
             "RotaryEmbedding x,c,c -> y num_heads=2" Y,
                    "input 1 has dimensions [2, 2, 1] where it needs "
                    "[1, 2, 1]"},
    });
}
