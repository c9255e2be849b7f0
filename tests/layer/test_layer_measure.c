/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/measure.h"
#include "layer_process.h"
#include "layer_store.h"
#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const uint8_t gpu[] = "a device";
static const uint8_t cpu[] = "another device";

static void prepare(struct layer_store *store)
{
    layer_store_init(store, 0, "DNNL_CACHE_THRESHOLD=0");
    ASSERT_EQ(layer_store_fill(store), 0);
}

static void note(int count, uint64_t load_ns, uint64_t compile_ns)
{
    for (int i = 0; i < count; i++)
        measure_note_load(sizeof gpu, gpu, load_ns, compile_ns);
}

static bool stands_aside(void)
{
    return measure_driver_is_faster(sizeof gpu, gpu);
}

/* ---- In one process ------------------------------------------------------ */

static int eight_loads(void *user)
{
    (void)user;
    note(7, 20, 10);
    EXPECT_FALSE(stands_aside());
    note(1, 20, 0); /* not known: no measurement */
    EXPECT_FALSE(stands_aside());
    note(1, 20, 10);
    EXPECT_TRUE(stands_aside());
    EXPECT_FALSE(measure_driver_is_faster(sizeof cpu, cpu));
    return test_has_failed();
}

TEST_C(LayerMeasure, BelievesEightLoads)
{
    static const char *const off[] = {"DNNL_CACHE_PERSISTENT=0", NULL};
    EXPECT_EQ(layer_process_run(off, eight_loads, NULL), 0);
}

static int compare_sums(void *user)
{
    (void)user;
    note(20, 9, 10);
    EXPECT_FALSE(stands_aside());
    note(4, 1000, 10); /* a few slow ones weigh more than many quick ones */
    EXPECT_TRUE(stands_aside());
    return test_has_failed();
}

TEST_C(LayerMeasure, ComparesSums)
{
    EXPECT_EQ(layer_process_run(NULL, compare_sums, NULL), 0);
}

static int every_64th(void *user)
{
    unsigned tries = 0;
    (void)user;
    note(8, 20, 10);
    for (int i = 0; i < 640; i++)
        tries += !stands_aside();
    EXPECT_EQ(tries, 10);
    return test_has_failed();
}

TEST_C(LayerMeasure, TriesAgainEvery64thTime)
{
    EXPECT_EQ(layer_process_run(NULL, every_64th, NULL), 0);
}

static int come_back(void *user)
{
    int tries = 0;
    (void)user;
    note(500, 20, 10);
    while (stands_aside() || ++tries < 20) {
        if (tries > 0 && !stands_aside()) break;
        note(1, 1, 10); /* the driver has become better */
    }
    EXPECT_LT(tries, 8);
    EXPECT_FALSE(stands_aside());
    note(500, 1, 10);
    note(30, 20, 10); /* and worse again */
    EXPECT_FALSE(stands_aside());
    note(200, 20, 10);
    EXPECT_TRUE(stands_aside());
    return test_has_failed();
}

TEST_C(LayerMeasure, ChangesItsMind)
{
    EXPECT_EQ(layer_process_run(NULL, come_back, NULL), 0);
}

static int absurd_times(void *user)
{
    (void)user;
    note(1000, UINT64_MAX, UINT64_MAX - 1);
    EXPECT_TRUE(stands_aside()); /* equal is not faster */
    note(1000, 1, UINT64_MAX);
    EXPECT_FALSE(stands_aside());
    return test_has_failed();
}

TEST_C(LayerMeasure, TakesAnyTime)
{
    EXPECT_EQ(layer_process_run(NULL, absurd_times, NULL), 0);
}

/* ---- Of several ---------------------------------------------------------- */

static int note_two(void *user)
{
    (void)user;
    note(2, 20, 10);
    measure_close();
    return 0;
}

/* 1: stands aside. */
static int ask(void *user)
{
    (void)user;
    return stands_aside();
}

TEST_C(LayerMeasure, ProcessesLearnTogether)
{
    struct layer_store store;
    prepare(&store);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(layer_process_run(store.variables, note_two, NULL), 0);
        EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    }
    EXPECT_EQ(layer_process_run(store.variables, note_two, NULL), 0);
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 1);
}

TEST_C(LayerMeasure, ProcessesWriteAtTheSameTime)
{
    enum { count = 8 };
    struct layer_store store;
    pid_t children[count];
    prepare(&store);
    for (int i = 0; i < count; i++)
        children[i] = layer_process_start(store.variables, note_two, NULL);
    for (int i = 0; i < count; i++)
        EXPECT_EQ(layer_process_wait(children[i]), 0);
    EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 1);
}

/* Short processes: each has a few builds. */
static int five_builds(void *user)
{
    int tries = 0;
    (void)user;
    for (int i = 0; i < 5; i++)
        tries += !stands_aside();
    measure_close();
    return tries;
}

TEST_C(LayerMeasure, ShortProcessesTryAgain)
{
    struct layer_store store;
    int tries = 0;
    prepare(&store);
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(layer_process_run(store.variables, note_two, NULL), 0);
    for (int i = 0; i < 30; i++)
        tries += layer_process_run(store.variables, five_builds, NULL);
    EXPECT_EQ(tries, 2); /* of 150 */
}

TEST_C(LayerMeasure, DamageIsIgnored)
{
    static const char *const damages[] = {"truncate -s 10 speed",
            "head -c 3000 /dev/urandom > speed", "truncate -s 2G speed",
            "rm -f speed && mkdir speed", "rmdir speed && mkfifo speed"};
    struct layer_store store;
    prepare(&store);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char command[1200];
        for (int n = 0; n < 4; n++)
            EXPECT_EQ(layer_process_run(store.variables, note_two, NULL), 0);
        (void)snprintf(command, sizeof command, "cd '%s/layer' && %s",
                store.path, damages[i]);
        ASSERT_EQ(system(command), 0);
        EXPECT_EQ(layer_process_run(store.variables, ask, NULL), 0);
    }
}

static void *work(void *user)
{
    (void)user;
    for (int i = 0; i < 300; i++) {
        measure_note_load(sizeof gpu, gpu, 20, 10);
        (void)stands_aside();
    }
    return NULL;
}

/* How many asked before depends on the threads, and one in 64 is to load once
 * more: not two in a row. */
static int ask_twice(void *user)
{
    (void)user;
    const bool first = stands_aside();
    return stands_aside() || first;
}

static int in_threads(void *user)
{
    enum { count = 4 };
    pthread_t threads[count];
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) abort();
    for (int i = 0; i < count; i++)
        (void)pthread_join(threads[i], NULL);
    measure_close();
    return !ask_twice(user);
}

TEST_C(LayerMeasure, ThreadsMeasureTogether)
{
    struct layer_store store;
    prepare(&store);
    EXPECT_EQ(layer_process_run(store.variables, in_threads, NULL), 0);
    EXPECT_EQ(layer_process_run(store.variables, ask_twice, NULL), 1);
}
