/* SPDX-License-Identifier: Apache-2.0 */
/* An application that unloads the loader before it ends. */
#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int become_client(void *user)
{
    (void)user;
    execl(CLIENT, CLIENT, (char *)NULL);
    return 99;
}

/* Runs the client under the layer; expected is a part of what was counted. */
static void run(const char *expected)
{
    static char store[600];
    static char statistics[600];
    char path[512];
    const char *const variables[] = {"OPENCL_LAYERS=" LAYER, store, statistics,
            "DNNL_CACHE_PRINT_DEBUG=1", NULL};
    snprintf(path, sizeof path, "%s/counted", test_directory());
    snprintf(store, sizeof store, "DNNL_CACHE_DIR=%s/store", test_directory());
    snprintf(statistics, sizeof statistics, "DNNL_CACHE_STATS=%s", path);
    EXPECT_EQ(0, layer_process_run(variables, become_client, NULL));
    char *counted = layer_process_read_file(path);
    EXPECT_NOT_NULL(counted);
    if (counted != NULL && strstr(counted, expected) == NULL)
        test_fail(__FILE__, __LINE__, "no %s in %s", expected, counted);
    free(counted);
    remove(path);
}

TEST_C(LayerUnload, KeepsWhatWasCompiledBefore)
{
    run("\"kept\":1,");
    run("\"hits\":1,");
}
