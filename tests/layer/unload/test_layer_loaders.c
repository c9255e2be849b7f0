/* SPDX-License-Identifier: Apache-2.0 */
/* Two loaders in one process that both take the layer in. */
#include "layer_process.h"
#include "test.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static cl_int CL_API_CALL get_no_platforms(
        cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    (void)room;
    (void)platforms;
    (void)count;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_other_platforms(
        cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    return get_no_platforms(room, platforms, count);
}

/* Each gets its own calls back, but for those that the layer intercepts. */
static int init_twice(void *user)
{
    static cl_icd_dispatch one = {.clGetPlatformIDs = get_no_platforms};
    static cl_icd_dispatch other = {.clGetPlatformIDs = get_other_platforms};
    const cl_icd_dispatch *of_one = NULL;
    const cl_icd_dispatch *of_other = NULL;
    const cl_uint entries = sizeof one / sizeof one.clGetPlatformIDs;
    cl_uint count = 0;
    pfn_clInitLayer init;
    void *layer = dlopen(LAYER, RTLD_NOW);
    void *found = layer != NULL ? dlsym(layer, "clInitLayer") : NULL;
    (void)user;
    if (found == NULL) return 1;
    memcpy(&init, &found, sizeof init);
    EXPECT_EQ(CL_SUCCESS, init(entries, &one, &count, &of_one));
    EXPECT_EQ(CL_SUCCESS, init(entries, &other, &count, &of_other));
    EXPECT_TRUE(of_one->clGetPlatformIDs == get_no_platforms);
    EXPECT_TRUE(of_other->clGetPlatformIDs == get_other_platforms);
    EXPECT_TRUE(of_one->clBuildProgram != NULL);
    EXPECT_TRUE(of_one->clBuildProgram == of_other->clBuildProgram);
    return test_has_failed();
}

TEST_C(LayerLoaders, ShareTheLayerAndKeepTheirOwnCalls)
{
    static char store[600];
    const char *const variables[] = {store, NULL};
    snprintf(store, sizeof store, "DNNL_CACHE_DIR=%s/store", test_directory());
    EXPECT_EQ(0, layer_process_run(variables, init_twice, NULL));
}
