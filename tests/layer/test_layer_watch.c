/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/watch.h"
#include "layer_process.h"
#include "test.h"

#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
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

/* Two processes on one processor, in memory of both. */
struct contest {
    atomic_int entered;
    atomic_bool cannot_be;
    atomic_ullong spun_ns[2]; /* since both are there */
};

static unsigned long long processor_ns(void)
{
    struct timespec spent;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (unsigned long long)spent.tv_sec * 1000000000u
           + (unsigned long long)spent.tv_nsec;
}

/* Until each of the two had the processor for a while: whoever has it, the
 * other has not. */
static void spin(struct contest *contest, int me)
{
    enum { a_while_ns = 200000000 };
    while (atomic_load(&contest->entered) < 2
            && !atomic_load(&contest->cannot_be))
        ;
    const unsigned long long begun = processor_ns();
    while (!atomic_load(&contest->cannot_be)
            && (atomic_load(&contest->spun_ns[0]) < a_while_ns
                    || atomic_load(&contest->spun_ns[1]) < a_while_ns))
        atomic_store(&contest->spun_ns[me], processor_ns() - begun);
}

static int spin_on_one_processor(void *user)
{
    struct contest *contest = user;
    struct watch watch;
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (sched_setaffinity(0, sizeof first, &first) != 0)
        atomic_store(&contest->cannot_be, true);
    watch_begin(&watch);
    spin(contest, atomic_fetch_add(&contest->entered, 1));
    const int is_quiet = watch_end(&watch);
    return atomic_load(&contest->cannot_be) ? 2 : is_quiet;
}

/* Two processes that share a processor take it from each other. */
TEST_C(LayerWatch, ProcessorThatIsTakenAwayDisturbs)
{
    struct contest *contest = mmap(NULL, sizeof *contest,
            PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_TRUE(contest != MAP_FAILED);
    const pid_t one = layer_process_start(NULL, spin_on_one_processor, contest);
    const pid_t two = layer_process_start(NULL, spin_on_one_processor, contest);
    const int of_one = layer_process_wait(one);
    const int of_two = layer_process_wait(two);
    munmap(contest, sizeof *contest);
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
