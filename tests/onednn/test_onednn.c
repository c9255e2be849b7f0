/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This library and oneDNN in one process. They declare the same names; here
 * they are two sides (side.h), linked in either order, or one of them loaded
 * by dlopen().
 */
#include "side.h"
#include "test.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The two sides ------------------------------------------------------- */

#ifdef PLUGIN
/* How the plugin's names are seen by the rest of the process. */
static int dlopen_flags(void)
{
    const char *scope = getenv("DNNL_CACHE_TEST_DLOPEN");
    return scope != NULL && strcmp(scope, "global") == 0 ? RTLD_GLOBAL
                                                         : RTLD_LOCAL;
}

static const struct side *load_side(const char *name)
{
    static void *plugin;
    const struct side *(*get)(void) = NULL;
    if (plugin == NULL) plugin = dlopen(PLUGIN, RTLD_NOW | dlopen_flags());
    if (plugin == NULL) {
        test_fail(__FILE__, __LINE__, "%s", dlerror());
        return NULL;
    }
    *(void **)&get = dlsym(plugin, name);
    return get != NULL ? get() : NULL;
}
#endif

static const struct side *onednn(void)
{
#ifdef PLUGIN_IS_ONEDNN
    return load_side("side_of_onednn");
#else
    return side_of_onednn();
#endif
}

static const struct side *ours(void)
{
#ifdef PLUGIN_IS_OURS
    return load_side("side_of_ours");
#else
    return side_of_ours();
#endif
}

/* ---- Who is who ---------------------------------------------------------- */

TEST_C(OneDnn, EachSideHasItsOwnVersion)
{
    const struct side *sides[] = {onednn(), ours()};
    int versions[2][2];
    for (int i = 0; i < 2; i++) {
        ASSERT_NOT_NULL(sides[i]);
        sides[i]->get_version(versions[i]);
        EXPECT_EQ(sides[i]->header_version[0], versions[i][0]);
        EXPECT_EQ(sides[i]->header_version[1], versions[i][1]);
    }
    EXPECT_EQ(2, versions[0][0]);
    EXPECT_EQ(3, versions[1][0]);
    EXPECT_EQ(13, versions[1][1]);
}

/* The name of the loaded object that all functions of a side are in. */
static const char *object_of(const struct side *side)
{
    uintptr_t functions[side_functions];
    Dl_info first = {0}, info = {0};
    side->get_functions(functions);
    for (int i = 0; i < side_functions; i++) {
        EXPECT_NE(0, dladdr((const void *)functions[i], &info));
        if (i == 0) first = info;
        EXPECT_PTR_EQ(first.dli_fbase, info.dli_fbase);
    }
    const char *name = first.dli_fname != NULL ? first.dli_fname : "";
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static bool begins(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

TEST_C(OneDnn, EachSideCallsItsOwnLibrary)
{
    const struct side *theirs = onednn(), *own = ours();
    ASSERT_NOT_NULL(theirs);
    ASSERT_NOT_NULL(own);
    EXPECT_TRUE(begins(object_of(theirs), "libdnnl.so"));
#ifdef OURS_IS_STATIC
    EXPECT_TRUE(begins(object_of(own), "test_onednn"));
#else
    EXPECT_TRUE(begins(object_of(own), "libdnnl_cache"));
#endif
}

#ifdef FIRST
/* Where a library was put when the process was made: searched for names in
 * this order. */
struct search {
    const char *beginning;
    int position;
    int found; /* 0: not yet */
};

static int visit(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *search = user;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    (void)size;
    search->position++;
    if (search->found == 0 && begins(name, search->beginning))
        search->found = search->position;
    return 0;
}

static int position_of(const char *beginning)
{
    struct search search = {beginning, 0, 0};
    dl_iterate_phdr(visit, &search);
    return search.found;
}

TEST_C(OneDnn, TheLibrariesAreInTheOrderThatIsTested)
{
    const int theirs = position_of("libdnnl.so");
    const int own = position_of("libdnnl_cache");
    EXPECT_GT(theirs, 0);
#ifdef OURS_IS_STATIC
    EXPECT_EQ(0, own);
#else
    EXPECT_GT(own, 0);
    EXPECT_EQ(strcmp(FIRST, "ours") == 0, own < theirs);
#endif
}
#endif

/* ---- They compute -------------------------------------------------------- */

enum { largest = 40 * 40 };

/* Integers, so that any order of adding gives the same numbers. */
static void fill(float *values, int count, int seed)
{
    for (int i = 0; i < count; i++)
        values[i] = (float)((i * 37 + seed * 11) % 19 - 9);
}

static void expect_product(
        int m, int k, int n, const float *a, const float *b, const float *c)
{
    for (int i = 0; i < m * n; i++) {
        float sum = 0.0f;
        for (int j = 0; j < k; j++)
            sum += a[i / n * k + j] * b[j * n + i % n];
        if (c[i] == sum) continue;
        test_fail(__FILE__, __LINE__, "element %d of %dx%dx%d: %g, not %g", i,
                m, k, n, (double)c[i], (double)sum);
        return;
    }
}

/* One product and one ReLU of it on each side; 1 if all calls went well. The
 * numbers are compared by the main thread. */
struct round {
    int m, k, n, seed;
    float a[largest], b[largest];
    float products[2][largest], relus[2][largest];
};

static int run_round(struct round *r, const struct side *const sides[2],
        void *const sessions[2])
{
    int fine = 1;
    fill(r->a, r->m * r->k, r->seed);
    fill(r->b, r->k * r->n, r->seed + 1);
    for (int i = 0; i < 2; i++)
        fine &= sides[i]->matmul(
                sessions[i], r->m, r->k, r->n, r->a, r->b, r->products[i]);
    /* Each side goes on with the other's numbers. */
    for (int i = 0; i < 2; i++)
        fine &= sides[i]->relu(
                sessions[i], r->m * r->n, r->products[1 - i], r->relus[i]);
    return fine;
}

static void check_round(const struct round *r)
{
    const size_t size = (size_t)(r->m * r->n) * sizeof(float);
    expect_product(r->m, r->k, r->n, r->a, r->b, r->products[0]);
    EXPECT_BYTES_EQ(r->products[0], size, r->products[1], size);
    /* Not bytes: one side's zeros may be negative. */
    for (int i = 0; i < r->m * r->n; i++) {
        const float x = r->products[0][i] > 0.0f ? r->products[0][i] : 0.0f;
        if (r->relus[0][i] == x && r->relus[1][i] == x) continue;
        test_fail(__FILE__, __LINE__, "element %d: %g and %g, not %g", i,
                (double)r->relus[0][i], (double)r->relus[1][i], (double)x);
        return;
    }
}

static const int shapes[][3] = {
        {3, 5, 7}, {16, 16, 16}, {1, 40, 40}, {33, 20, 17}, {8, 1, 8}};
enum { rounds = sizeof shapes / sizeof *shapes };

struct worker {
    const struct side *sides[2];
    void *sessions[2];
    struct round rounds[rounds];
    int fine;
};

static void worker_open(struct worker *w, int seed)
{
    w->sides[0] = onednn();
    w->sides[1] = ours();
    for (int i = 0; i < 2; i++)
        if (w->sides[i] != NULL) w->sessions[i] = w->sides[i]->open();
    for (int i = 0; i < rounds; i++) {
        w->rounds[i].m = shapes[i][0];
        w->rounds[i].k = shapes[i][1];
        w->rounds[i].n = shapes[i][2];
        w->rounds[i].seed = seed + i;
    }
}

static void *worker_run(void *user)
{
    struct worker *w = user;
    w->fine = 1;
    for (int i = 0; i < rounds; i++)
        w->fine &= run_round(&w->rounds[i], w->sides, w->sessions);
    return NULL;
}

static void worker_check(const struct worker *w)
{
    EXPECT_TRUE(w->fine);
    for (int i = 0; w->fine && i < rounds; i++)
        check_round(&w->rounds[i]);
}

static void worker_close(struct worker *w)
{
    for (int i = 0; i < 2; i++)
        if (w->sessions[i] != NULL) w->sides[i]->close(w->sessions[i]);
}

TEST_C(OneDnn, BothComputeTheSameTakingTurns)
{
    static struct worker worker;
    worker_open(&worker, 0);
    ASSERT_NOT_NULL(worker.sides[0]);
    ASSERT_NOT_NULL(worker.sides[1]);
    EXPECT_NOT_NULL(worker.sessions[0]);
    if (worker.sessions[1] == NULL) {
        worker_close(&worker);
        SKIP_TEST("no platform of that name is here");
    }
    worker_run(&worker);
    worker_check(&worker);
    worker_close(&worker);
}

TEST_C(OneDnn, BothComputeTheSameInTwoThreads)
{
    static struct worker workers[2];
    pthread_t threads[2];
    int ready = 0;
    const char *platform = getenv("DNNL_CACHE_TEST_PLATFORM");
    if (platform != NULL && strstr(platform, "Oclgrind") != NULL)
        SKIP_TEST("Oclgrind's queues are not safe to use from two threads");
    for (int i = 0; i < 2; i++) {
        worker_open(&workers[i], 100 * i);
        ready += workers[i].sessions[0] != NULL
                 && workers[i].sessions[1] != NULL;
    }
    for (int i = 0; i < 2 && ready == 2; i++)
        if (pthread_create(&threads[i], NULL, worker_run, &workers[i]) != 0)
            abort();
    for (int i = 0; i < 2 && ready == 2; i++) {
        pthread_join(threads[i], NULL);
        worker_check(&workers[i]);
    }
    for (int i = 0; i < 2; i++)
        worker_close(&workers[i]);
    if (ready != 2) SKIP_TEST("no platform of that name is here");
}
