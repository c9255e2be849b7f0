/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the reader fails once, and then all from it on. The
 * linker hands this binary's calls of malloc() and the like to the functions
 * here (--wrap); those of protobuf-c, a library of its own, it does not.
 */
#include "model/import/weights.h"
#include "model/onnx/onnx.h"
#include "model_text.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
#pragma GCC visibility push(default) /* a sanitizer refers to them */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
#pragma GCC visibility pop

/* Allocations until they fail, below 0 for never, and how many fail then. */
static long until_failure = -1;
static long failures_left;

static bool fails(void)
{
    if (until_failure < 0 || failures_left == 0) return false;
    if (until_failure > 0) {
        until_failure--;
        return false;
    }
    failures_left--;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* Something of each: constants of all kinds, folding, nodes between. */
static const char model_text[] =
        "opset 13\ninput x f32 1,4,8,8\nconst w f32 2,4,3,3 = 0.5 -1\n"
        "const ones i64 2 = 1 2\nConstantOfShape ones -> c "
        "value={f32 1 = 3}\nConstant  -> minus value_ints=[-1]\n"
        "Conv x,w -> a pads=[1,1,1,1]\nMean a,a -> b\nShape b -> s\n"
        "Gather s,one -> n\nconst one i64 1 = 0\n"
        "Concat n,minus -> t axis=0\nReshape b,t -> d\n"
        "ReduceSum c -> e keepdims=0\nMul d,e -> f\nConcat f,f,f -> g axis=1\n"
        "Split g -> h,i axis=1\nTranspose c -> k\nMatMul h,big -> y\n"
        "const big f32 192,2 = 1\nAdd y,k -> z\noutput y\noutput z\n"
        "const large f32 5000 = 1\nconst other f32 5000 = 2\n"
        "Identity large -> u\nMul large,other -> v\noutput u\noutput v";

/* True if the model was read all the same. */
static bool read_failing(const struct model_text *model, long at, long failures)
{
    struct graph graph = {0};
    struct failure failure = {""};
    struct onnx_source source = {.bytes = model->bytes, .size = model->size};
    until_failure = at;
    failures_left = failures;
    bool ok = onnx_read_graph(&graph, &source, &failure)
              && weights_randomize(&graph, 1, &failure);
    bool was_reached = failures_left < failures;
    until_failure = -1;
    if (ok)
        EXPECT_FALSE(was_reached);
    else
        EXPECT_STR_EQ("out of memory", failure.text);
    graph_fini(&graph);
    return ok;
}

static void fail_each(long failures)
{
    struct model_text model;
    model_text_init(&model, model_text);
    long at = 0;
    while (at < 10000 && !test_has_failed()
            && !read_failing(&model, at, failures))
        at++;
    /* More than the tensors have names. */
    EXPECT_TRUE(at > 60 && at < 10000);
    model_text_fini(&model);
}

TEST_C(ModelMemory, EachAllocationMayFail)
{
    fail_each(1);
}

TEST_C(ModelMemory, AllFromOneOnMayFail)
{
    fail_each(1000000);
}
