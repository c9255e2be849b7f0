/* SPDX-License-Identifier: Apache-2.0 */
#include "crowd.h"

#include "in_memory.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STACK = 1 << 18 };

static void *attend(void *arg)
{
    struct guest *g = arg;
    pthread_barrier_wait(&g->crowd->start);
    g->status = dnnl_cache_program_create(&g->program, g->desc);
    return NULL;
}

void crowd_start(struct crowd *c, dnnl_engine_t engine, size_t count,
        bool is_same, const char *options)
{
    pthread_attr_t attributes;
    memset(c, 0, sizeof *c);
    c->engine = engine;
    c->count = count;
    pthread_barrier_init(&c->start, NULL, (unsigned)count);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    for (unsigned i = 0; i < count; i++) {
        struct guest *g = &c->guests[i];
        g->crowd = c;
        g->desc = is_same ? describe(engine, scale_source, options)
                          : describe_number(engine, i);
        if (pthread_create(&g->thread, &attributes, attend, g) != 0) abort();
    }
    pthread_attr_destroy(&attributes);
}

void crowd_join(struct crowd *c)
{
    for (size_t i = 0; i < c->count; i++)
        pthread_join(c->guests[i].thread, NULL);
}

void crowd_end(struct crowd *c)
{
    for (size_t i = 0; i < c->count; i++) {
        EXPECT_OK(dnnl_cache_program_destroy(c->guests[i].program));
        EXPECT_OK(dnnl_cache_program_desc_destroy(c->guests[i].desc));
    }
    pthread_barrier_destroy(&c->start);
}

/* Returns once so many more have waited for builds than before. */
static void await_waits(uint64_t before, uint64_t more)
{
    const struct timespec nap = {0, 1000000};
    for (int i = 0; i < 60000; i++) {
        if (rig_statistics().program_waits >= before + more) return;
        nanosleep(&nap, NULL);
    }
    test_fail(__FILE__, __LINE__, "too few threads wait");
}

void crowd_gather(struct crowd *c, dnnl_engine_t engine, size_t count,
        const char *options)
{
    uint64_t waits = rig_statistics().program_waits;
    fake_opencl_block_builds(true);
    crowd_start(c, engine, count, true, options);
    EXPECT_TRUE(fake_opencl_wait_for_blocked_builds(1));
    await_waits(waits, count - 1);
    fake_opencl_block_builds(false);
    crowd_join(c);
}
