/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that is not known to be slow or fast at giving binaries: what the
 * process measures decides. A process of its own, for what was measured stays.
 */
#include "memory_store.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

static unsigned notes;

static dnnl_status_t take_note(void *user, const dnnl_cache_note_t *note)
{
    (void)user;
    EXPECT_EQ(dnnl_cache_note_build, note->kind);
    notes++;
    return dnnl_success;
}

/* How many programs the store has when the program and its engine are gone. */
static unsigned keep(
        struct memory_store *store, const char *options, const char *setting)
{
    struct rig rig;
    dnnl_cache_store_t callbacks = store->callbacks;
    callbacks.note = take_note;
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, &callbacks));
    fake_opencl_set(setting, "50");
    EXPECT_OK(dnnl_cache_program_destroy(
            build(rig.engine, "__kernel void k(void) {}", options)));
    rig_close(&rig);
    return memory_store_count(store, dnnl_cache_blob_kind_program);
}

/* As on a busy machine: first in this file, for nothing is costly yet. */
TEST_C(CaptureCost, IsNotWhatADriverWaits)
{
    struct memory_store store;
    memory_store_open(&store);
    EXPECT_EQ(1, keep(&store, "-DA", "SIZES_MS"));
    EXPECT_EQ(2, keep(&store, "-DB", "SIZES_MS"));
    EXPECT_EQ(0, notes);
    memory_store_close(&store);
}

TEST_C(CaptureCost, OfASlowDriverIsMeasuredOnce)
{
    struct memory_store store;
    memory_store_open(&store);
    EXPECT_EQ(1, keep(&store, "-DA", "SIZES_WORK_MS"));
    EXPECT_EQ(0, notes);
    EXPECT_EQ(1, keep(&store, "-DB", "SIZES_WORK_MS"));
    EXPECT_EQ(1, notes);
    EXPECT_EQ(1, keep(&store, "-DC", "SIZES_WORK_MS"));
    EXPECT_EQ(2, notes);
    memory_store_close(&store);
}
