/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_process.h"
#include "test.h"
#include "watch.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Each in a process of its own: the first watches of one are all looked at. */

static int watch_nothing(void *user)
{
    (void)user;
    for (int i = 0; i < 30; i++) { /* the machine may be busy */
        struct watch watch;
        watch_begin(&watch);
        if (watch_end(&watch)) return 0;
    }
    return 1;
}

TEST_C(LayerWatch, NothingElseIsGoingOn)
{
    EXPECT_EQ(layer_process_run(NULL, watch_nothing, NULL), 0);
}

static int watch_work(void *user)
{
    struct watch watch;
    watch_work_begin();
    watch_begin(&watch);
    watch_work_end(); /* from before */
    EXPECT_FALSE(watch_end(&watch));
    watch_begin(&watch);
    watch_work_begin(); /* within */
    watch_work_end();
    EXPECT_FALSE(watch_end(&watch));
    watch_begin(&watch);
    watch_work_begin(); /* until after */
    EXPECT_FALSE(watch_end(&watch));
    watch_work_end();
    return test_has_failed() || watch_nothing(user) != 0;
}

TEST_C(LayerWatch, WorkBeforeDuringAndUntilAfterDisturbs)
{
    EXPECT_EQ(layer_process_run(NULL, watch_work, NULL), 0);
}

static int watch_many(void *user)
{
    int quiet = 0;
    (void)user;
    for (int i = 0; i < 1000; i++) {
        struct watch watch;
        watch_begin(&watch);
        quiet += watch_end(&watch);
    }
    EXPECT_GT(quiet, 20);
    EXPECT_LE(quiet, 32 + 1000 / 8);
    return test_has_failed();
}

TEST_C(LayerWatch, OfManySomeAreLookedAt)
{
    EXPECT_EQ(layer_process_run(NULL, watch_many, NULL), 0);
}

static int watch_two(void *user)
{
    struct watch one;
    struct watch two;
    watch_begin(&one);
    watch_begin(&two);
    EXPECT_FALSE(watch_end(&one));
    EXPECT_FALSE(watch_end(&two));
    return test_has_failed() || watch_nothing(user) != 0;
}

TEST_C(LayerWatch, TwoLoadsDisturbEachOther)
{
    EXPECT_EQ(layer_process_run(NULL, watch_two, NULL), 0);
}

static void spin(double seconds)
{
    struct timespec begun;
    struct timespec now;
    double passed = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    while (passed < seconds) {
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (double)(now.tv_sec - begun.tv_sec)
                 + (double)(now.tv_nsec - begun.tv_nsec) / 1e9;
    }
}

static int spin_on_one_processor(void *user)
{
    struct watch watch;
    cpu_set_t first;
    (void)user;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0) return 2;
    watch_begin(&watch);
    spin(0.5);
    return watch_end(&watch);
}

/* Two processes that share a processor take it from each other. */
TEST_C(LayerWatch, ProcessorThatIsTakenAwayDisturbs)
{
    const pid_t one = layer_process_start(NULL, spin_on_one_processor, NULL);
    const pid_t two = layer_process_start(NULL, spin_on_one_processor, NULL);
    const int of_one = layer_process_wait(one);
    const int of_two = layer_process_wait(two);
    if (of_one == 2 || of_two == 2) SKIP_TEST("no processor 0 for us");
    EXPECT_EQ(of_one, 0);
    EXPECT_EQ(of_two, 0);
}

TEST_C(LayerWatch, ParentsWorkIsNotItsChilds)
{
    watch_work_begin();
    EXPECT_EQ(layer_process_run(NULL, watch_nothing, NULL), 0);
    watch_work_end();
}
