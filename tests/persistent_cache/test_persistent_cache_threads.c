/* SPDX-License-Identifier: Apache-2.0 */
/* Settings change while other threads compile. */
#include "persistent_cache_helpers.h"
#include "programs.h"

#include "test.h"

#include <dirent.h>
#include <dnnl_cache/persistent_cache.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { COMPILERS = 3, PROGRAMS = 6, EACH = 200 };

struct compiler {
    pthread_t thread;
    cl_device_id device;
    atomic_bool *stop;
    atomic_uint made;
    unsigned failed;
};

static bool compile_one(dnnl_engine_t engine, unsigned number)
{
    char options[32];
    dnnl_cache_program_desc_t desc = NULL;
    dnnl_cache_program_t program = NULL;
    snprintf(options, sizeof options, "-DN=%u", number);
    const bool good =
            dnnl_cache_program_desc_create(
                    &desc, engine, 1, &scale_source, NULL, options)
                    == dnnl_success
            && dnnl_cache_program_create(&program, desc) == dnnl_success
            && dnnl_cache_program_capture(program) == dnnl_success;
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
    return good;
}

/* With a context and an engine of its own each time, so that nothing is found
 * in memory: every program comes from the store or is offered to it. */
static void *compile(void *user)
{
    struct compiler *c = user;
    while (!atomic_load(c->stop)) {
        dnnl_engine_t engine = NULL;
        cl_context context =
                clCreateContext(NULL, 1, &c->device, NULL, NULL, NULL);
        c->failed += dnnl_ocl_interop_engine_create(&engine, c->device, context)
                             != dnnl_success
                     || !compile_one(engine, atomic_load(&c->made) % PROGRAMS);
        dnnl_engine_destroy(engine);
        clReleaseContext(context);
        atomic_fetch_add(&c->made, 1);
    }
    return NULL;
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL) return 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count;
}

static unsigned change_settings(unsigned change)
{
    char dir[DIR_SIZE];
    switch (change % 5) {
    case 0:
        return dnnl_cache_persistent_set_dir(dir_in_test(dir, "one"));
    case 1:
        return dnnl_cache_persistent_set_dir(dir_in_test(dir, "two"));
    case 2:
        return dnnl_cache_persistent_set_capacity(change % 10 == 2 ? 0 : 2);
    case 3:
        return dnnl_cache_persistent_set_enabled(change % 4 != 3, dnnl_gpu);
    default:
        return dnnl_cache_persistent_set_capacity(1);
    }
}

TEST_CACHED(PersistentCacheThreads, SettingsChangeWhileOthersCompile, "one")
{
    struct compiler compilers[COMPILERS];
    atomic_bool stop = false;
    const unsigned before = open_descriptors();
    for (int i = 0; i < COMPILERS; i++) {
        compilers[i] =
                (struct compiler){.device = x->rig.device, .stop = &stop};
        ASSERT_EQ(0, pthread_create(&compilers[i].thread, NULL, compile,
                             &compilers[i]));
    }
    unsigned changes = 0;
    for (int i = 0; i < COMPILERS; i++)
        while (atomic_load(&compilers[i].made) < EACH && !test_has_failed())
            EXPECT_EQ(dnnl_success, change_settings(changes++));
    EXPECT_GT(changes, 0);
    atomic_store(&stop, true);
    for (int i = 0; i < COMPILERS; i++) {
        pthread_join(compilers[i].thread, NULL);
        EXPECT_EQ(0, compilers[i].failed);
    }
    /* Stores that were in use are closed with their last call. */
    EXPECT_OK(dnnl_cache_persistent_set_enabled(1, dnnl_gpu));
    EXPECT_OK(dnnl_cache_persistent_set_capacity(1));
    EXPECT_EQ(before, open_descriptors());
    char dir[DIR_SIZE];
    EXPECT_OK(dnnl_cache_persistent_set_dir(dir_in_test(dir, "three")));
    EXPECT_TRUE(compile_one(x->rig.engine, PROGRAMS));
    EXPECT_EQ(1, kept_in("three", dnnl_cache_blob_kind_program));
}
